"""Charts as files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rankprism.errors import InputError, RankprismError
from rankprism.formats.files import PathLike, written_whole

ENDINGS = ("html", "svg", "png", "pdf")
#: Pixels a point in PNG files: sharp on paper at the size of a column.
SCALE = 3


def save(chart: Any, path: PathLike) -> None:
    """Write a chart as .html (with all it needs, so that it opens offline), .svg, .png or .pdf.

    The file appears whole or not at all.
    """
    ending = check_ending(path)
    if find_spec("vl_convert") is None:
        raise RankprismError("saving a plot needs one more package: pip install 'rankprism[plots]'")
    with written_whole(path) as temporary:
        # By name, because the ending of the temporary file says nothing.
        if ending == "html":
            chart.save(str(temporary), format=ending, inline=True)
        else:
            chart.save(str(temporary), format=ending, scale_factor=SCALE if ending == "png" else 1)


def check_ending(path: PathLike) -> str:
    """The format that the ending of a file says."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise InputError(
            f"{path}: plots are written as {', '.join('.' + e for e in ENDINGS)}; choose one of these endings"
        )
    return ending
