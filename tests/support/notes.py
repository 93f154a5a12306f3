"""The notes that a call gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rankprism import RankprismWarning


def kinds(call: Callable[[], Any]) -> list[str]:
    """The kinds of the notes that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(warning.category is RankprismWarning for warning in caught)
    return [str(warning.message).rpartition("[")[2].rstrip("]") for warning in caught]
