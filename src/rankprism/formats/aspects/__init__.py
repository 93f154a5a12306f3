"""Judgments of several aspects of the same documents, such as relevance and credibility.

`settings` says what an aspect is, `labels` reads labels from files, and `reading` makes judgments of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def is_file_per_aspect(source: Any) -> bool:
    """``{aspect: path}``"""
    return (
        isinstance(source, Mapping)
        and bool(source)
        and all(isinstance(path, str | os.PathLike) for path in source.values())
    )
