"""Preference files of TREC and of trec_eval, whose columns are separated by blanks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np

from rankprism._core import parse_number
from rankprism.data import PreferenceRows, Preferences
from rankprism.data.preferences import OUTCOMES
from rankprism.errors import InputError, RankprismWarning
from rankprism.formats import files
from rankprism.formats.format import PREFERENCE_FORMATS, Format, Written, register
from rankprism.formats.judged import check_ids, joined, number_text
from rankprism.formats.preference_rows import ANYBODY, Adding, levels_lost, reading
from rankprism.formats.table import names_of

#: The mark of a question without an answer.
UNANSWERED = "?"


def _read_columns(
    number_of_columns: int,
    outcome: Callable[[list[str]], tuple[str, str, str, str] | None],
    about: str,
    sided: bool = False,
) -> Adding:
    """A reader of columns separated by blanks; `outcome` gives topic, left, right and outcome, or None.

    sided : whether the order of the two documents says on which side they were shown, not which one won.
    """

    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        rows.sided = sided
        unanswered = 0
        for number, line in lines:
            columns = files.columns(line)
            found = outcome(columns) if len(columns) == number_of_columns else None
            if found is None:
                raise InputError(f"{source}, line {number}: {line.strip()[:80]!r} is not {about}")
            topic, left, right, result = found
            if result == UNANSWERED:
                unanswered += 1
            else:
                rows.add(f"{source}, line {number}", topic, (), left, right, result, ANYBODY)
        if unanswered:
            warnings.warn(
                f"{source}: {unanswered} lines have no answer ({UNANSWERED}); they are left out",
                RankprismWarning,
                stacklevel=4,
            )

    return read


def _winner(columns: list[str]) -> tuple[str, str, str, str] | None:
    topic, left, right, winner = columns
    if winner not in (left, right):
        return None
    return topic, left, right, "left" if winner == left else "right"


_MARKS = {"!": "left", "=": "tie", UNANSWERED: UNANSWERED}


def _marked(columns: list[str]) -> tuple[str, str, str, str] | None:
    at, topic, left, right, mark = columns
    return (topic, left, right, _MARKS[mark]) if at == "@" and mark in _MARKS else None


def _read_levels(columns_of: str) -> Adding:
    """A reader of trec_eval's files, with or without a column for the lists within a judgment group."""
    names = columns_of.split()

    def read(lines: Iterator[tuple[int, str]], source: str, rows: PreferenceRows) -> None:
        for number, line in lines:
            where = f"{source}, line {number}"
            columns = files.columns(line)
            if len(columns) != len(names):
                raise InputError(f"{where}: {len(columns)} columns; expected {len(names)}: {columns_of}")
            level = parse_number(columns[-1])
            if level is None:
                raise InputError(f"{where}: the level {columns[-1]!r} is not a number")
            topic, group, *listing, doc, _ = columns
            rows.add_level(where, topic, group, "".join(listing), doc, level)

    return read


def _is_number(column: str) -> bool:
    return parse_number(column) is not None


def _levels_line(start: files.Beginning) -> bool:
    """`topic group list document level`.

    trec-dd and prels have a number in the fourth column, except that prels may name a method there. Then it
    has a grade in the third column and a document in the second, which is hardly ever a number.
    """
    if len(start.columns) != 5:
        return False
    _, group, listing, doc, level = map(_is_number, start.columns)
    return level and not doc and (group or not listing)


def _marked_line(start: files.Beginning) -> bool:
    columns = start.columns
    return len(columns) == 5 and columns[0] == "@" and columns[4] in _MARKS


def _winner_line(start: files.Beginning) -> bool:
    """Documents whose ids are numbers are not recognised: `1 0 12 0` may also be a grade of document 12."""
    columns = start.columns
    return len(columns) == 4 and columns[3] in columns[1:3] and not _is_number(columns[3])


def _winner_loser_line(start: files.Beginning) -> bool:
    """`topic winner loser`.

    Weights have a number in the third column, and JSON has braces. TOML has an equals sign, trec_eval prints
    `runid all NAME`, and the header of a table has the names of columns.
    """
    columns = start.columns
    if len(columns) != 3 or columns[1] == "=" or columns[0][0] in "{[" or columns[0] == "runid":
        return False
    return not _is_number(columns[2]) and not names_of(start)


def _between_blanks(preferences: Preferences, format: str) -> tuple[str, ...]:
    """Notes on what such lines lose, after a check that they can hold the rest."""
    if (preferences.number_given > 0).any():
        raise InputError(
            f"{preferences.source}: has triplets, which the format {format} cannot hold; "
            f"write tsv, csv or jsonl"
        )
    check_ids(preferences.source, "topic", preferences.topics, format)
    check_ids(preferences.source, "document", preferences.docs, format)
    lost = [name for name in ("time", "comment") if getattr(preferences, name) is not None]
    if format != "prefs":
        if (preferences.outcome == OUTCOMES["tie"]).any():
            raise InputError(
                f"{preferences.source}: has ties, which the format {format} cannot hold; "
                f"write tsv, csv or jsonl"
            )
        lost += ["assessor"] if preferences.assessors != (ANYBODY,) else []
    return tuple(f"dropped: the column {name}" for name in lost)


def _write_winner(preferences: Preferences) -> Written:
    notes = _between_blanks(preferences, "winner") + levels_lost(preferences)
    columns = preferences.columns()
    lines = zip(columns["topic"], columns["left"], columns["right"], columns["outcome"], strict=True)
    return Written(
        joined(f"{t} {a} {b} {a if x == 'left' else b}" for t, a, b, x in lines).encode(), {}, notes
    )


def _write_winner_loser(preferences: Preferences) -> Written:
    notes = _between_blanks(preferences, "winner-loser") + levels_lost(preferences)
    columns = preferences.columns()
    lines = zip(columns["topic"], columns["left"], columns["right"], columns["outcome"], strict=True)
    text = joined(f"{t} {a} {b}" if x == "left" else f"{t} {b} {a}" for t, a, b, x in lines)
    return Written(text.encode(), {}, notes)


def _write_levels(preferences: Preferences) -> Written:
    """The lists that were read, or each judgment as a list with the winner on level 2 and the loser on 1."""
    notes = _between_blanks(preferences, "prefs")
    check_ids(preferences.source, "assessor", preferences.assessors, "prefs")
    levels = preferences.levels
    topics, assessors, docs = preferences.topics, preferences.assessors, preferences.docs
    if levels is not None:
        rows = zip(levels.topic, levels.assessor, levels.listing, levels.doc, levels.level, strict=True)
        lines = [f"{topics[t]} {assessors[a]} s{n} {docs[d]} {number_text(x)}" for t, a, n, d, x in rows]
        return Written(joined(lines).encode(), {}, notes)
    ties = int((preferences.outcome == OUTCOMES["tie"]).sum())
    if ties:
        notes = (*notes, f"dropped: {ties} ties; documents on one level are not compared when they are read")
    lines = []
    for n, i in enumerate(np.flatnonzero(preferences.outcome != OUTCOMES["tie"]), 1):
        pair = (preferences.left[i], preferences.right[i])
        winner, loser = pair if preferences.outcome[i] == OUTCOMES["left"] else pair[::-1]
        start = f"{topics[preferences.topic[i]]} {assessors[preferences.assessor[i]]} s{n}"
        lines += [f"{start} {docs[winner]} 2", f"{start} {docs[loser]} 1"]
    return Written(joined(lines).encode(), {}, notes)


register(
    PREFERENCE_FORMATS,
    Format(
        name="marks",
        summary="@, topic, two documents, and ! if the first is preferred, = for a tie, ? for no answer",
        example="@ 23287 d1 d2 !",
        recognised_by="`@`, and the mark at the end.",
        read=reading("marks", _read_columns(5, _marked, "'@ topic document document' and '!', '=' or '?'")),
        recognises=_marked_line,
    ),
)
register(
    PREFERENCE_FORMATS,
    Format(
        name="winner",
        summary="topic, two documents, the one that won (TREC CAsT 2019, TREC DL 2021)",
        example="31_1 d1 d2 d2",
        recognised_by="Four columns, the last of which is one of the two before it and is not a number.",
        read=reading(
            "winner", _read_columns(4, _winner, "a topic, two documents and which of them won", sided=True)
        ),
        recognises=_winner_line,
        write=_write_winner,
    ),
)
register(
    PREFERENCE_FORMATS,
    Format(
        name="winner-loser",
        summary="topic, winner, loser",
        example="2082 d1 d2",
        recognised_by="Three columns, the last of which is neither a number nor like `L2`.",
        read=reading(
            "winner-loser",
            _read_columns(3, lambda c: (c[0], c[1], c[2], "left"), "a topic, the winner and the loser"),
        ),
        recognises=_winner_loser_line,
        write=_write_winner_loser,
    ),
)
register(
    PREFERENCE_FORMATS,
    Format(
        name="prefs",
        summary="topic, group, list, document, level (`trec_eval -R prefs`)",
        example="q1 u1 s1 d1 3.0",
        recognised_by="Five columns with a number in the fifth and not in the fourth, where the second is a "
        "number or the third is not.",
        read=reading("prefs", _read_levels("topic group list document level")),
        recognises=_levels_line,
        confused_with={"evall": "yields"},
        write=_write_levels,
    ),
)
register(
    PREFERENCE_FORMATS,
    Format(
        name="qrels-prefs",
        summary="topic, group, document, level: judgments as preferences (`trec_eval -R qrels_prefs`)",
        example="301 0 d1 2",
        recognised_by="Only if you ask for it.",
        read=reading("qrels-prefs", _read_levels("topic group document level")),
    ),
)
