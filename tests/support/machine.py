"""What this machine has: programs, collections, and what Windows lacks."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import NoReturn

import pytest

#: For tests of what Windows lacks: bash, signals, links that anybody may make, devices, pipes with a name.
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such shell, signals and files")
#: Where pip puts commands. In the environment of a system, it is not beside Python on Windows.
SCRIPTS = Path(sysconfig.get_path("scripts"))
COLLECTIONS = Path(__file__).resolve().parents[3] / "shared" / "data"


def required(what: str, missing: str) -> NoReturn:
    """Skip a test for want of a program, unless RANKPRISM_REQUIRE names it: then the test fails."""
    if what in os.environ.get("RANKPRISM_REQUIRE", "").split(","):
        pytest.fail(missing)
    pytest.skip(missing)
