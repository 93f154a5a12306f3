"""How commands write their output."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rankprism.data import Note, issue
from rankprism.results import OUTPUTS, Result, Style, streamed, written

if TYPE_CHECKING:
    from pathlib import Path
from rankprism.text import shown_lines


def write_in(result: Result, kind: str, output: Path | None = None, style: Style | None = None) -> None:
    """Write a result to a file or to standard output. On a terminal, the best scores are bold, and a table
    that is too wide is folded.

    Formats for programs are written piece by piece, because a result may have millions of rows.
    """
    intervals = result.about.get("intervals")
    if isinstance(intervals, Mapping) and "none because" in intervals:
        issue([Note("no-interval", intervals["none because"], 0, "")])
    to_terminal = (output is None or os.fspath(output) == "-") and sys.stdout.isatty()
    if OUTPUTS[kind].pieces is not None and not to_terminal:
        from rankprism.formats import write_texts

        write_texts({"-" if output is None else output: streamed(result, kind, style)})
        return
    bold, width = (shows_bold(), terminal_width()) if to_terminal else (False, None)
    content = written(result, kind, replace(style or Style(), bold=bold, width=width))
    if isinstance(content, bytes):
        from rankprism.formats import write_texts

        write_texts({"-" if output is None else output: content})
    else:
        write(content, output, for_people=kind == "table")


def shows_bold() -> bool:
    """Whether to write bold letters: standard output is a terminal, and NO_COLOR is not set."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def terminal_width() -> int | None:
    """The number of characters in a line of the terminal, or None if standard output is not a terminal."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def write(text: str, output: Path | None = None, *, for_people: bool = False) -> None:
    """Write a text to a file, which appears complete or not at all, or to standard output.

    for_people : whether people read the text. If so, characters that a terminal lacks are replaced by plain
        ones. Text for programs is the same on standard output as in a file.
    """
    is_stdout = output is None or os.fspath(output) == "-"
    if is_stdout and (for_people or sys.stdout.isatty()):
        sys.stdout.write(text if for_people else shown_lines(text))
        sys.stdout.flush()
        return
    from rankprism.formats import write_texts

    write_texts({"-" if output is None else output: text})
