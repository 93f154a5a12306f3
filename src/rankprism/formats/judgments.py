"""Reading judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankprism._core import parse_number
from rankprism.data import Judgments, Note
from rankprism.data.note import stray_notes
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.lines import has_few_documents
from rankprism.formats.recognition import chosen_format
from rankprism.formats.source import Source, are_dataset_rows, are_nuggets, source_of, with_columns
from rankprism.formats.trec import DIVERSITY

if TYPE_CHECKING:
    from rankprism.formats.ir_datasets import DatasetRows
    from rankprism.types import AspectsLike, ColumnsLike, JudgmentsLike, WeightsLike

#: Given instead of the names of aspects: every aspect counts, even one to which no document is relevant.
ALL = "all"


def read_judgments(
    source: JudgmentsLike | None,
    *,
    format: str | None = None,
    weights: WeightsLike | None = None,
    aspects: AspectsLike | None = None,
    threads: int | None = None,
    columns: ColumnsLike | None = None,
) -> Judgments:
    """Judgments from a file, a dict, rows or a data frame.

    Parameters
    ----------
    source
        A path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked); ``{topic: {aspect: {doc:
        grade}}}`` or ``{topic: {doc: grade}}``; an iterable of (topic, aspect, doc, grade) or (topic, doc,
        grade); a pandas or polars frame, a DuckDB relation, or anything else that gives an Arrow stream;
        "irds:" and the id of a dataset of ir_datasets, or the dataset itself; `Qrels` of ranx; `TrecQrel`
        of trectools; rows of nuggets, ``[{"qid": topic, "nuggets": [{"text": "…", "importance":
        "vital"}]}]``. A file may also be Parquet, Arrow IPC or a DuckDB database.
    format
        The name of the format of a file, e.g. "diversity" or "ntcir"; docs/formats.md has them all.
        Default: it is recognised.
    aspects
        For judgments of several aspects of the same documents: their names, in the order of a file's grade
        columns, or ``{name: settings}`` with labels, embedding and more (docs/multi-aspect.md). The source
        may then also be a frame with a column for each aspect. If `aspects` is not given, the source may be
        ``{aspect: path}`` with one file each, or a TOML file that describes the judgments. It may be None
        if the settings of every aspect name a file. The word "all" is something else: every aspect that the
        judgments or the weights name then counts, even one to which no document is relevant.
    weights
        Aspect weights: a file of ``topic aspect weight``, ``{topic: {aspect: weight}}``, rows or a frame.
        Each weight may come with "inf" or "nav", the type of the intent. "sakai" halves the weight from
        intent to intent. ``{aspect: weight}`` is for all topics, and the weights sum to 1. Default: the
        weights in an EvALL file, else the same weight for all aspects of a topic.
    threads
        Number of threads that read a large file. Default: one for each processor. The judgments do not
        depend on it.
    columns
        Which column of a table is which: ``{"topic": "userId", "grade": "stars"}``, or the roles of the
        columns in their order if they have no names, ``["topic", "document", "grade", "-"]``. "-" skips a
        column, and in JSON a name may be a path such as ``"query.qid"``. Default: the names of the columns
        say it; docs/formats.md lists them.

    Examples
    --------
    >>> read_judgments({"q1": {"s1": {"d1": 2, "d2": 1}, "s2": {"d3": 1}}})
    <Judgments judgments: 3 grades, 1 topics>
    """
    if format is not None:
        chosen_format("judgments", format)  # even if the source is not a file
    every = isinstance(aspects, str) and aspects == ALL
    if every:
        aspects = None
    given = with_columns(source_of(source), columns, "judgments")
    if aspects is not None or given.form == "files":
        from rankprism.formats.aspects.reading import read_multi_aspect

        judgments = read_multi_aspect(given.rows, aspects)
    elif isinstance(given.thing, Judgments):
        judgments = given.thing
    elif given.form == "dataset":
        from rankprism.formats.ir_datasets import dataset_rows

        judgments = _from_dataset(dataset_rows(given.thing))
    elif given.is_file:
        judgments = _from_file(given, format, threads)
    else:
        judgments = _from_memory(given)
    if judgments is not given.thing and judgments.scales is None:
        judgments = judgments.noting(stray_notes(judgments.source, judgments.table.stray()))
    if weights is None and not every:
        return judgments
    from rankprism.formats.weights import counting_all, weighted

    if every:
        judgments = counting_all(judgments)
    return judgments if weights is None else weighted(judgments, weights)


def _from_file(source: Source, format: str | None, threads: int | None) -> Judgments:
    with files.opened(source.thing, threads) as file:
        record = source.format("judgments", format)
        if record is DIVERSITY and format is None and has_few_documents(file.beginning.text):
            from rankprism.formats.shapes import refuse_other_order

            refuse_other_order(file)
        if record is DIVERSITY and format is None and '"' in file.beginning.line:
            from rankprism.formats.shapes import refuse_quotes

            refuse_quotes(file)
        judgments: Judgments = replace(record.read(file), format=record.name)
        if record is DIVERSITY and format is None:
            judgments = judgments.noting(_grades_as_documents(judgments, file.beginning.columns))
        return judgments


def _grades_as_documents(judgments: Judgments, first: list[str]) -> list[Note]:
    """Note lines of `topic document grade grade`, which look as if each had its own subtopic."""
    table = judgments.table
    aspect_start = judgments.cells.aspect_start
    alone = aspect_start[-1] == len(table) >= 10 * (len(aspect_start) - 1)
    if not alone or len(first) != 4 or parse_number(first[1]) is not None or parse_number(first[2]) is None:
        return []
    message = (
        f"{judgments.source}: read as topic subtopic document grade, with a subtopic for each of its "
        f"{len(table)} lines; if they are topic document grade grade, name the two aspects with aspects= "
        f"(--aspects)"
    )
    return [Note("grade-columns", message, len(table), " ".join(first))]


def _from_memory(source: Source, name: str = "judgments") -> Judgments:
    from rankprism.formats.frames import judgment_table, judgments_in
    from rankprism.formats.memory import judgment_columns, tables_in
    from rankprism.formats.roles import judgments_of as judgments_of_table
    from rankprism.formats.roles import refuse_scores
    from rankprism.formats.spellings import JUDGMENT_COLUMNS
    from rankprism.formats.table import NOT_SAID

    rows, said = source.rows, source.columns or NOT_SAID

    def several(names: Sequence[str]) -> Judgments:
        from rankprism.formats.aspects.reading import read_aspects

        return replace(read_aspects(rows, list(names)), source=name)

    if source.form == "frame":
        return judgments_in(rows, name, several, said)
    if are_nuggets(rows):
        from rankprism.formats.known.nuggets import judgments_of

        return replace(judgments_of(rows, name), format="nuggets")
    if are_dataset_rows(rows):
        from rankprism.formats.ir_datasets import as_rows

        return _from_dataset(as_rows(name, rows))
    if said and source.form == "rows":
        (table,) = tables_in(rows, name, *JUDGMENT_COLUMNS, said.placed)
        return judgments_of_table(table, said, several)
    columns = judgment_columns(rows, name, said.named)
    if not columns.number:
        raise InputError("judgments: no judgments given; pass at least one (topic, aspect, doc, grade)")
    refuse_scores(name, columns.number)
    return Judgments(judgment_table(columns), name)


def _from_dataset(found: DatasetRows) -> Judgments:
    """The subtopics of a dataset, or its aspects if a judgment has several labels."""
    if len(found.graded) > 1:
        from rankprism.formats.aspects.reading import read_aspects

        judgments = replace(read_aspects(found.rows, list(found.graded)), source=found.source)
    else:
        plain = [{k: v for k, v in row.items() if k not in found.named} for row in found.rows]
        judgments = _from_memory(source_of(plain), found.source)
    return judgments.noting(
        Note(
            "unordered-labels",
            f"{found.source}: the labels of {aspect} are words that have no order, so it is left out. To use "
            f"it, say which label is better with aspects= (--aspects and --labels)",
            1,
            aspect,
        )
        for aspect in found.named
    )
