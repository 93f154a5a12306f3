"""Judgments and runs as tables: the columns that a line of names, or the names in JSON, say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankprism._core import RunTable
from rankprism.data import Judgments
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, register
from rankprism.formats.frames import only_run
from rankprism.formats.roles import judgments_of, runs_of
from rankprism.formats.spellings import GRADED_BY_SCORE, JUDGMENT_COLUMNS, RUN_COLUMNS, has, is_quality, plain
from rankprism.formats.table import columns_of, names_of, of_file
from rankprism.types import Duplicates


def _recognises(start: files.Beginning) -> bool:
    """Names of a topic, a document and a grade, or of several qualities."""
    names = names_of(start)
    if not has(names, "topic", "document"):
        return False
    is_graded = has(names, "grade") or any(map(is_quality, names))
    if {plain(GRADED_BY_SCORE), "score"} <= set(map(plain, names)):
        return True
    return is_graded and not (has(names, "score") and _is_run(names))


def _is_run(names: Sequence[str]) -> bool:
    """Whether a table of scores with grades beside them is a run, because nothing else says so."""
    return has(names, "score") and has(names, "rank")


def _recognises_run(start: files.Beginning) -> bool:
    names = names_of(start)
    return has(names, "topic", "document") and (has(names, "score") or has(names, "rank"))


def read_judgments(file: files.File) -> Judgments:
    def several(names: Sequence[str]) -> Judgments:
        from rankprism.formats.aspects.reading import read_aspects

        return read_aspects(file, list(names))

    return judgments_of(of_file(file, JUDGMENT_COLUMNS[0]), columns_of(file), several)


def read_runs(file: files.File) -> dict[str | None, RunTable]:
    """The runs by the names in the column of runs; without this column, there is one, None."""
    return runs_of(of_file(file, RUN_COLUMNS[0]), columns_of(file))


def _read_run(file: files.File, duplicates: Duplicates) -> RunTable:
    return only_run(read_runs(file), file.name)[1]


_WINS: dict[str, Any] = dict.fromkeys(("aspects", "winner-loser", "text", "jsonl", "evall", "winner"), "wins")
register(
    JUDGMENT_FORMATS,
    Format(
        name="table",
        summary="the columns that the header names: topic, document, grade, and perhaps aspect; commas, "
        "semicolons, tabs or bars between them; or objects of JSON with these names",
        example="user_id,item_id,rating",
        recognised_by="A header, or the names in JSON, with usual names of a topic (`query_id`, `user`, …), "
        "of a document (`doc_id`, `item`, …) and of a grade (`rel`, `rating`, …).",
        read=read_judgments,
        recognises=_recognises,
        confused_with=_WINS,
    ),
)
register(
    RUN_FORMATS,
    Format(
        name="table",
        summary="the columns that the header names: topic, document, score or rank, and perhaps run; "
        "commas, semicolons, tabs or bars between them; or objects of JSON with these names",
        example="qid,docno,score",
        recognised_by="A header, or the names in JSON, with the usual names of a topic, of a document and "
        "of a score or a rank.",
        read=_read_run,
        recognises=_recognises_run,
        confused_with=_WINS,
        read_runs=read_runs,
    ),
)
