"""Writes charts to files."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, get_args

from rankprism.errors import InputError, RankprismError, one_of
from rankprism.formats import PathLike, check_target, write_files
from rankprism.showing.plots.engine import MISSING
from rankprism.text import shown_lines
from rankprism.types import ChartFormat

ENDINGS: tuple[ChartFormat, ...] = get_args(ChartFormat)
#: Pixels per point in PNG files, which are then sharp on paper at the width of a column.
SCALE = 3


def save(chart: Any, path: PathLike, format: str | None = None) -> None:
    """Write a chart as .html (self-contained, so that it opens offline), .svg, .png or .pdf.

    Parameters
    ----------
    path
        The file, which is written completely or not at all. "-" is standard output.
    format
        "html", "svg", "png" or "pdf". Default: the ending of the path, or "svg" for "-".
    """
    write_files({path: drawn(chart, check_ending(path, format))})


def drawn(chart: Any, kind: str) -> bytes:
    """The chart as the content of a file."""
    # Vega draws control characters as they are, but the XML of a drawing cannot contain them.
    content = chart.to_dict()
    safe = _shown(content)
    if safe != content:
        import altair

        chart = altair.Chart.from_dict(safe)
    if kind in ("png", "pdf"):
        file = BytesIO()
        chart.save(file, format=kind, scale_factor=SCALE if kind == "png" else 1)
        return file.getvalue()
    text = StringIO()
    if kind == "html":
        chart.save(text, format=kind, inline=True, json_kwds={"cls": _InScript})
    else:
        chart.save(text, format=kind)
    return text.getvalue().encode()


def _shown(spec: Any) -> Any:
    """The same specification with every text in it safe to show."""
    if isinstance(spec, str):
        return shown_lines(spec)
    if isinstance(spec, dict):
        return {shown_lines(key): _shown(value) for key, value in spec.items()}
    return [_shown(value) for value in spec] if isinstance(spec, list) else spec


class _InScript(json.JSONEncoder):
    """Writes JSON that cannot end the script element around it, whatever the runs are called."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", r"\u003c")


def check_ending(path: PathLike, format: str | None = None) -> str:
    """Return the chosen format or that of the file's ending. Refuse a file that cannot be written."""
    if not all(find_spec(package) for package in ("altair", "vl_convert")):
        raise RankprismError(MISSING)
    if format is not None:
        one_of("format", format, ChartFormat)
        check_target(path)
        return format
    if os.fspath(path) == "-":
        return "svg"
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise InputError(
            f"{path}: plots are written as {', '.join('.' + e for e in ENDINGS)}; choose one of these endings"
        )
    check_target(path)
    return ending
