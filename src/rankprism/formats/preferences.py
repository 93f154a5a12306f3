"""Reading preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankprism.data import Preferences, issue
from rankprism.formats import files
from rankprism.formats.preference_rows import from_rows
from rankprism.formats.source import source_of, with_columns
from rankprism.formats.table import NOT_SAID

if TYPE_CHECKING:
    from rankprism.types import ColumnsLike


def read_preferences(
    source: Any, *, format: str | None = None, columns: ColumnsLike | None = None
) -> Preferences:
    """Read preferences from a file, rows or a data frame.

    Parameters
    ----------
    source
        A path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked), an iterable of mappings or of
        tuples (topic, given, left, right, outcome) with an assessor behind them if known, or a pandas,
        polars or pyarrow frame with these columns. `given` is empty for a simple pair.
    format
        The name of the format of a file, e.g. "tsv" or "winner"; docs/preferences.md has them all. Default:
        it is recognised from the first line, if it can be nothing but preferences.

    columns
        Which column of a table is which, as for `read_judgments`, e.g. ``{"outcome": "my choice"}``.

    Examples
    --------
    >>> read_preferences([("q1", "", "d1", "d2", "left"), ("q1", "d1", "d2", "d3", "right", "ann")])
    <Preferences preferences: 2 judgments of 2 assessors, 1 topics>
    """
    given = with_columns(source_of(source), columns, "preferences")
    if isinstance(given.thing, Preferences):
        return given.thing
    if given.is_file:
        with files.opened(given.thing) as file:
            preferences: Preferences = given.format("preferences", format).read(file)
    else:
        preferences = from_rows(given.rows, columns=given.columns or NOT_SAID)
    if not preferences.has_plain_names:
        issue(preferences.named.notes)
    return preferences
