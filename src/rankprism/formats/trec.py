"""TREC's files of judgments and runs, which the core reads."""

from __future__ import annotations

import os
from collections.abc import Callable

from rankprism._core import JudgmentTable, RunTable, parse_number
from rankprism.data.judgments import Judgments
from rankprism.data.run import Run
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, Written, register
from rankprism.formats.memory import ONLY_ASPECT
from rankprism.types import Duplicates, Order

#: What stands between topic and document where there are no aspects.
NO_ASPECT = ("0", "Q0", "q0")


def two_grades(line: str) -> bool:
    """Whether a line of five columns may have two grades of one document in the last two.

    >>> two_grades("1 0 doc 2 1"), two_grades("1 doc 0 2 1")
    (True, False)
    """
    columns = files.columns(line)
    return len(columns) == 5 and columns[1] in NO_ASPECT and None not in map(parse_number, columns[3:])


def is_plain(line: str) -> bool:
    """Whether a line can only be of TREC's judgments, so that no other format need be asked.

    It has four columns with one blank or tab between them. The topic begins or ends with a digit, as no name
    of a column does, and the grade is a whole number.

    >>> is_plain("51 2 clueweb09-en0000-15-04138 1"), is_plain("51 2 clueweb09-en0000-15-04138 L1")
    (True, False)
    """
    columns = _plain_columns(line)
    if len(columns) != 4:
        return False
    topic, grade = columns[0], columns[3].removeprefix("-")
    return topic.strip(_DIGITS) != topic and grade.isascii() and grade.isdecimal()


def is_plain_file(path: files.PathLike) -> bool:
    """Whether the first line of a file says that it is one of TREC's judgments. Pipes are not looked at."""
    return os.path.isfile(path) and any(map(is_plain, files.first_lines(path, 1)))


def is_plain_run(line: str) -> bool:
    """Whether a line can only be of a TREC run: six columns.

    >>> is_plain_run("51 Q0 clueweb09-en0010-57-32932 1 30195.9 bm25"), is_plain_run("51 clueweb09-en0010")
    (True, False)
    """
    return len(_plain_columns(line)) == 6


_DIGITS = "0123456789"


def _plain_columns(line: str) -> list[str]:
    """The columns of a line without quotes, commas and braces, by which other formats are recognised."""
    line = line.replace("\t", " ")
    columns = line.split(" ")
    plain = line.isprintable() and not any(sign in line for sign in '",{') and all(columns)
    return columns if plain else [""]


def core_reader(format: str) -> Callable[[files.TextFile], Judgments]:
    """A reader of judgments in a format that the core knows by this name."""

    def read(file: files.TextFile) -> Judgments:
        if file.data is None:
            table = JudgmentTable.from_file(os.fspath(file.path), file.name, format, file.threads)
        else:
            table = JudgmentTable.from_bytes(file.data, file.name, format, file.threads)
        return Judgments(table, file.name)

    return read


def _write_diversity(judgments: Judgments) -> Written:
    """`topic aspect document grade`, and the weights beside it."""
    from rankprism.formats.judged import joined
    from rankprism.formats.weights import weights_beside

    lines = judgments.table.lines(judgments.source, "diversity", [])
    weights, notes = weights_beside(judgments)
    return Written(lines, {".weights": joined(weights)} if weights else {}, notes)


def _write_adhoc(judgments: Judgments) -> Written:
    """`topic 0 document grade`: there is no place for a second aspect."""
    for topic, aspects in judgments.aspects.items():
        if len(aspects) > 1:
            raise InputError(
                f"{judgments.source}: topic {topic!r} has {len(aspects)} aspects ({', '.join(aspects[:8])}), "
                f"and the format adhoc holds one; choose another format, or one aspect"
            )
    lines = judgments.table.lines(judgments.source, "adhoc", [])
    lost = {
        "the names of aspects": set(judgments.table.aspects) != {ONLY_ASPECT},
        "weights, which change nothing where there is one aspect": judgments.weights is not None,
        "which intents are navigational": judgments.navigational is not None,
    }
    return Written(lines, {}, tuple(f"dropped: {what}" for what, is_lost in lost.items() if is_lost))


def _read_run(file: files.TextFile, duplicates: Duplicates) -> RunTable:
    """A run. Documents that occur twice are found when the run is put in order."""
    if file.data is None:
        return RunTable.from_file(os.fspath(file.path), file.name)
    return RunTable.from_bytes(file.data, file.name)


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
        recognised_by="Everything that is no other format.",
        default=True,
        read=core_reader("diversity"),
        recognises=is_plain,
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
        recognised_by="Everything that is no other format.",
        default=True,
        read=_read_run,
        recognises=is_plain_run,
        write=_write_run,
    ),
)
