"""TREC's files of judgments and runs, which the core reads."""

from __future__ import annotations

from collections.abc import Callable

from rankprism._core import JudgmentTable, RunTable, parse_number
from rankprism.data import Judgments, Run
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, Written, register
from rankprism.types import Duplicates, Order


def core_reader(format: str) -> Callable[[files.File], Judgments]:
    """A reader of judgments in a format that the core knows by this name."""

    def read(file: files.File) -> Judgments:
        ahead = file.ahead() if file.ahead is not None and format == "diversity" else None
        return Judgments(_table(file, format) if ahead is None else ahead, file.name)

    return read


def _table(file: files.File, format: str) -> JudgmentTable:
    fed = file.fed(lambda feed: JudgmentTable.from_feed(feed, format, file.threads))
    if fed is not None:
        return fed
    data = file.data
    if data is None:
        return JudgmentTable.from_file(file.path, file.name, format, file.threads)
    return JudgmentTable.from_bytes(data, file.name, format, file.threads)


def _write_diversity(judgments: Judgments) -> Written:
    """`topic aspect document grade`, and the weights in a second file."""
    from rankprism.formats.judged import joined
    from rankprism.formats.weights import weights_beside

    lines = judgments.table.lines(judgments.source, "diversity", [])
    weights, notes = weights_beside(judgments)
    return Written(lines, {".weights": joined(weights)} if weights else {}, notes)


def _write_adhoc(judgments: Judgments) -> Written:
    """`topic 0 document grade`, which has no room for a second aspect."""
    from rankprism.formats.judged import only_aspect_notes

    notes = only_aspect_notes(judgments, "adhoc")
    return Written(judgments.table.lines(judgments.source, "adhoc", []), notes=notes)


def _read_run(file: files.File, duplicates: Duplicates) -> RunTable:
    """A run. Documents that occur twice are found when the run is put in order."""
    data = file.data
    return RunTable.from_file(file.path, file.name) if data is None else RunTable.from_bytes(data, file.name)


def _write_run(run: Run, order: Order, duplicates: Duplicates) -> Written:
    from rankprism.formats.ranked import ranking

    ranked = ranking(run, order, duplicates, keeps_scores=order == "score")
    tag = "_".join(run.name.split()) or "run"
    return Written(run.table.trec_lines(ranked.line, ranked.rank, ranked.scores, tag), {}, ranked.notes)


DIVERSITY = register(
    JUDGMENT_FORMATS,
    Format(
        name="diversity",
        summary="topic, subtopic, document, grade",
        example="1 2 clueweb09-en0000-15-04138 1",
        recognised_by="Every file that is not recognised as another format.",
        default=True,
        read=core_reader("diversity"),
        recognises=lambda start: len(start.columns) == 4 and parse_number(start.columns[3]) is not None,
        write=_write_diversity,
    ),
)
register(
    JUDGMENT_FORMATS,
    Format(
        name="adhoc",
        summary="topic, ignored, document, grade",
        example="1 0 clueweb09-en0000-15-04138 1",
        recognised_by="Only if you ask for it. If the second column is always 0, you need not ask: read as "
        "`diversity`, the file has one aspect called `0` and gives the same scores.",
        read=core_reader("adhoc"),
        write=_write_adhoc,
    ),
)
TREC_RUN = register(
    RUN_FORMATS,
    Format(
        name="trec",
        summary="topic, ignored, document, rank, score, tag",
        example="1 Q0 clueweb09-en0010-57-32932 1 30195.9 bm25",
        recognised_by="Every file that is not recognised as another format.",
        default=True,
        read=_read_run,
        recognises=lambda start: len(start.columns) == 6 and start.columns[1].casefold() == "q0",
        write=_write_run,
    ),
)
