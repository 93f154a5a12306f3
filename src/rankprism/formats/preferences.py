"""Reading preferences."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankprism._core import parse_number
from rankprism.data.note import issue
from rankprism.data.preferences import OUTCOMES, Preferences
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import Format, chosen, recognised, recognised_binary
from rankprism.formats.ir_datasets import is_dataset
from rankprism.formats.json_lines import refuse_json
from rankprism.formats.known import PREFERENCE_FORMATS
from rankprism.formats.known.tables import table_columns
from rankprism.formats.preference_rows import NEEDED, from_rows


def read_preferences(source: Any, *, format: str | None = None) -> Preferences:
    """Read preferences from a file, rows or a data frame.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked), an iterable of mappings or
        of tuples (topic, given, left, right, outcome) with an assessor behind them if known, or a pandas,
        polars or pyarrow frame with these columns. `given` is empty for a simple pair.
    format : the name of the format of a file, e.g. "tsv" or "winner"; docs/preferences.md has them all.
        Default: it is recognised from the first line, if it can be nothing but preferences.

    >>> read_preferences([("q1", "", "d1", "d2", "left"), ("q1", "d1", "d2", "d3", "right", "ann")])
    <Preferences preferences: 2 judgments of 2 assessors, 1 topics>
    """
    if isinstance(source, Preferences):
        return source
    if isinstance(source, str | os.PathLike):
        file = files.text_file(source)
        preferences = _format_of(file, format).read(file)
    else:
        preferences = from_rows(source)
    issue(preferences.named.notes)
    return preferences


def are_preferences(source: Any, format: str | None = None) -> bool:
    """Whether a source can be nothing but preferences. Standard input is not looked at, only its format."""
    if isinstance(source, Preferences) or format in PREFERENCE_FORMATS:
        return True
    if format is not None or is_dataset(source):
        return False
    if not isinstance(source, str | os.PathLike):
        return _are_rows(source)
    if not os.path.isfile(source) and files.database_table(source) is None:
        return False
    if files.is_table_file(source):
        return set(NEEDED) <= set(table_columns(source))
    return recognised(PREFERENCE_FORMATS, files.text_file(source).first_line()[1]) is not None


def _are_rows(source: Any) -> bool:
    """Whether these are rows of preferences, or a frame of them, by their columns or by the first row."""
    from rankprism.frames import column_names, is_frame

    if is_frame(source):
        return set(NEEDED) <= set(column_names(source, "preferences"))
    first = source[0] if isinstance(source, list | tuple) and source else None
    if isinstance(first, Mapping):
        return set(NEEDED) <= set(first)
    return isinstance(first, list | tuple) and len(first) >= 5 and str(first[4]).casefold() in OUTCOMES


def _format_of(file: files.TextFile, format: str | None) -> Format[Preferences]:
    if format is not None:
        return chosen(PREFERENCE_FORMATS, format, "preference")
    binary = recognised_binary(PREFERENCE_FORMATS, file.start())
    if binary is not None:
        return binary
    number, first = file.first_line()
    found = recognised(PREFERENCE_FORMATS, first)
    if found is not None:
        return found
    if not first.strip():
        raise InputError(f"{file.name}: there are no preferences in it; a table of them begins with a header")
    refuse_json(f"{file.name}, line {number}", file.beginning(), "preferences")
    known = "; ".join(f"{kind.name}: {kind.summary}" for kind in PREFERENCE_FORMATS.values())
    columns = files.columns(first)
    if 3 <= len(columns) <= 5 and parse_number(columns[-1]) is not None:
        raise InputError(
            f"{file.name}: the first line {first.strip()[:80]!r} may be absolute judgments as well as "
            f"preferences. Name their format with format= (--from, or for runs --preferences-format): {known}"
        )
    raise InputError(
        f"{file.name}: the first line {first[:80]!r} looks like no preference file. Known are {known}"
    )
