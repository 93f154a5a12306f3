"""Turn dicts and rows into columns."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankprism.errors import InputError
from rankprism.foreign import quoted

#: Begins the id of a dataset of ir_datasets, which may be given instead of a path.
DATASET = "irds:"
#: What TREC writes where a topic has no subtopics.
ONLY_ASPECT = "0"

#: The usual spellings of a column, the surest first.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "run": ("run", "run_id", "runid", "system", "system_id"),
    "topic": (
        "topic",
        "topic_id",
        "qid",
        "query_id",
        "q_id",
        "queryid",
        "topicid",
        "query-id",
        "topic_no",
        "query",
    ),
    "aspect": ("aspect", "aspect_id", "subtopic", "subtopic_id", "intent", "intent_id", "iteration", "iter"),
    "doc": (
        "doc",
        "doc_id",
        "docno",
        "docid",
        "document",
        "document_id",
        "did",
        "corpus-id",
        "corpus_id",
        "doc-id",
    ),
    "grade": ("grade", "rel", "relevance", "label", "rating", "judgment", "judgement", "qrel", "gain"),
    "score": ("score", "sim", "similarity", "rsv"),
    "rank": ("rank", "position"),
    "weight": ("weight", "probability", "prob", "aspect_weight", "importance"),
    "kind": ("intent_type", "kind"),
}


#: Columns that mean something else beside one of these others: the text of a query or of a document,
#: PyTerrier's number of a document beside its id, and TREC's column of zeros. Any other two spellings of one
#: column are refused.
_BESIDE: dict[str, tuple[str, ...]] = {
    "query": SPELLINGS["topic"],
    "document": SPELLINGS["doc"],
    "docid": ("docno",),
    "iteration": SPELLINGS["aspect"],
    "iter": SPELLINGS["aspect"],
}

#: The columns of a table of judgments and of a table of runs, and those of them that may be missing.
JUDGMENT_COLUMNS = ("topic", "aspect", "doc", "grade"), ("aspect",)
RUN_COLUMNS = ("run", "topic", "doc", "score", "rank"), ("run", "rank")


class Columns:
    """Columns in the making. Ids become strings, numbers become floats, and both are checked."""

    def __init__(self, source: str, numbers: str) -> None:
        """`numbers` is what the number of a row is called in messages."""
        self.source = source
        self.numbers = numbers
        self.topic: list[str] = []
        self.aspect: list[str] = []
        self.doc: list[str] = []
        self.number: list[float] = []
        self.rank: list[float] = []
        self.kind: list[Any] = []  # of an intent: inf or nav

    def add(self, topic: Any, aspect: Any, doc: Any, number: Any, rank: Any = None) -> None:
        self.topic.append(self.name(topic, "topic"))
        self.aspect.append(self.name(aspect, "aspect"))
        self.doc.append(self.name(doc, "document"))
        self.number.append(self.real(number, self.numbers))
        if rank is not None:
            self.rank.append(self.real(rank, "rank"))

    def name(self, value: Any, what: str) -> str:
        if isinstance(value, str):
            if value and "\0" not in value:
                return value
        elif isinstance(value, float | np.floating) and value.is_integer():
            return whole_id(value, f"{self.source}, row {len(self.number) + 1}: the {what}")
        elif value is not None and not isinstance(value, float | np.floating | bool | bytes | Mapping):
            try:
                return str(value)
            except ValueError:  # a whole number of thousands of digits
                raise self.error(f"this number is too long for a {what} id; pass a string") from None
        raise self.error(f"{value!r} is no {what} id; ids are non-empty strings")

    def real(self, value: Any, what: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number) and not isinstance(value, str):
            return number
        written = "given" if isinstance(value, int) else repr(value)  # an int may be too long to print
        raise self.error(f"the {what} {written} is not a finite number")

    def error(self, message: str) -> InputError:
        return InputError(f"{self.source}, row {len(self.number) + 1}: {message}")

    @contextmanager
    def encoded(self) -> Iterator[None]:
        """A block in which ids are encoded. Only if one cannot be, all are checked to find its row."""
        try:
            yield
        except UnicodeEncodeError:
            for row, ids in enumerate(zip(self.topic, self.aspect, self.doc, strict=True), 1):
                for value in ids:
                    check_text(value, f"{self.source}, row {row}")
            raise


def check_text(value: str, where: str) -> None:
    """Refuse a lone surrogate, which no file in UTF-8 can hold, but a string of Python or JSON can."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{where}: {quoted(value)} has half of a surrogate pair in it, which is not valid text; decode "
            f"the data as UTF-8 where it comes from"
        ) from None


def whole_id(value: float | np.floating[Any], what: str) -> str:
    """The id that is a whole number and passed through a column of floats. `what` : what it is, and where.

    Floats hold whole numbers exactly up to a limit, 2⁵³ for 64 bits. A larger one may be another id, rounded.

    >>> whole_id(51.0, "the topic")
    '51'
    """
    bits = np.finfo(type(value)).nmant + 1 if isinstance(value, np.floating) else 53
    if abs(float(value)) >= 2.0**bits:
        raise InputError(
            f"{what} id {float(value)!r} is a float too large to be exact, so it may be another id "
            f"rounded; make the ids whole numbers or text where they come from"
        )
    return str(int(value))


def plain(source: Any) -> Any:
    """The dictionary of a `Run` or `Qrels` of ranx, the frame of a `TrecRun` or `TrecQrel` of trectools.

    Everything else is returned as it is. Neither package is imported.
    """
    of = peer_of(source)
    if of == "ranx":
        return source.to_dict()
    if of == "trectools":
        # The second column of judgments holds subtopics, if the file has them.
        return source.qrels_data.rename(columns={"q0": "aspect"}) if _has_qrels(source) else source.run_data
    return source


def peer_of(source: Any) -> str | None:
    """The package that an object is of, if it is a run or judgments of another package."""
    package = type(source).__module__.partition(".")[0]
    is_known = package == "ranx" and hasattr(source, "to_dict")
    is_known |= package == "trectools" and (hasattr(source, "run_data") or _has_qrels(source))
    return package if is_known else None


def _has_qrels(source: Any) -> bool:
    return hasattr(source, "qrels_data")


def peer_name(source: Any) -> str | None:
    """The name that a run of another package has, if it has one."""
    of = peer_of(source)
    if of == "trectools":
        return next((str(name) for name in source.run_data.get("system", ())), None)
    return source.name if of == "ranx" and isinstance(source.name, str) and source.name else None


def is_dataset(source: Any) -> bool:
    """Whether this is the id of a dataset, such as "irds:vaswani", or a dataset of ir_datasets.

    >>> is_dataset("irds:vaswani"), is_dataset("qrels.txt")
    (True, False)
    """
    return source.startswith(DATASET) if isinstance(source, str) else hasattr(type(source), "has_qrels")


def are_dataset_rows(source: Any) -> bool:
    """Whether these are judgments that ``dataset.qrels_iter()`` has returned."""
    first = source[0] if isinstance(source, list | tuple) and source else None
    return isinstance(first, tuple) and type(first).__module__.partition(".")[0] == "ir_datasets"


def is_file_per_aspect(source: Any) -> bool:
    """``{aspect: path}``"""
    is_mapping = isinstance(source, Mapping) and bool(source)
    return is_mapping and all(isinstance(path, str | os.PathLike) for path in source.values())


def are_nuggets(source: Any) -> bool:
    """Whether these are rows with nuggets."""
    first = source[0] if isinstance(source, list | tuple) and source else None
    return isinstance(first, Mapping) and "nuggets" in first


def judgment_columns(source: Any, name: str) -> Columns:
    """Judgments from ``{topic: {aspect: {doc: grade}}}``, ``{topic: {doc: grade}}`` or rows."""
    columns = Columns(name, "grade")
    if not isinstance(source, Mapping):
        for row in rows(source, name, *JUDGMENT_COLUMNS):
            columns.add(row["topic"], row.get("aspect", ONLY_ASPECT), row["doc"], row["grade"])
        return columns
    for topic, judged in source.items():
        if not isinstance(judged, Mapping):
            raise columns.error(
                f"topic {topic!r} holds {judged!r}; expected {{aspect: {{doc: grade}}}} or {{doc: grade}}"
            )
        for key, value in judged.items():
            if isinstance(value, Mapping):
                for doc, grade in value.items():
                    columns.add(topic, key, doc, grade)
            else:
                columns.add(topic, ONLY_ASPECT, key, value)
    return columns


def run_columns(source: Any, name: str) -> tuple[Columns, tuple[str, ...]]:
    """A run from ``{topic: {doc: score}}`` or rows, and the topics that it ranks nothing for."""
    columns = Columns(name, "score")
    if not isinstance(source, Mapping):
        for row in rows(source, name, ("topic", "doc", "score", "rank"), optional=("rank",)):
            columns.add(row["topic"], ONLY_ASPECT, row["doc"], row["score"], row.get("rank"))
        return columns, ()
    empty = []
    for topic, ranking in source.items():
        if not isinstance(ranking, Mapping):
            raise columns.error(f"topic {topic!r} holds {ranking!r}; expected {{doc: score}}")
        if not ranking:
            empty.append(columns.name(topic, "topic"))
        for doc, score in ranking.items():
            columns.add(topic, ONLY_ASPECT, doc, score)
    return columns, tuple(empty)


def weight_columns(source: Any, name: str) -> Columns:
    """Aspect weights from ``{topic: {aspect: weight}}``, with ``(weight, "inf" or "nav")`` too, or rows."""
    columns = Columns(name, "weight")
    if not isinstance(source, Mapping):
        for row in rows(source, name, ("topic", "aspect", "weight", "kind"), optional=("kind",)):
            columns.add(row["topic"], row["aspect"], ONLY_ASPECT, row["weight"])
            columns.kind.append(row.get("kind"))
        return columns
    for topic, weights in source.items():
        if not isinstance(weights, Mapping):
            raise columns.error(f"topic {topic!r} holds {weights!r}; expected {{aspect: weight}}")
        for aspect, given in weights.items():
            typed = isinstance(given, tuple) and len(given) == 2
            weight, kind = given if typed else (given, None)
            columns.add(topic, aspect, ONLY_ASPECT, weight)
            columns.kind.append(kind)
    return columns


def rows(
    source: Any, name: str, expected: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterable[Mapping[str, Any]]:
    """The rows of a frame, or of an iterable of tuples, named tuples or dicts, by column."""
    from rankprism.frames import is_frame

    if is_frame(source):
        yield from _frame_rows(source, name, expected, optional)
        return
    if not isinstance(source, Iterable) or isinstance(source, str | bytes):
        raise InputError(
            f"{name}: cannot read {type(source).__name__} objects; pass a path, a dict, rows or a data frame"
        )
    without = tuple(column for column in expected if column not in optional)
    for number, row in enumerate(source, 1):
        found = row._asdict() if hasattr(row, "_asdict") else row
        if isinstance(found, Mapping):
            chosen = spelled(tuple(found), expected, optional, f"{name}, row {number}")
            yield {column: found[spelling] for column, spelling in chosen.items()}
        elif (
            isinstance(row, Sequence)
            and not isinstance(row, str | bytes)
            and len(row) in (len(expected), len(without))
        ):
            yield dict(zip(expected if len(row) == len(expected) else without, row, strict=True))
        else:
            shape = ", ".join(expected)
            also = f", or without {optional[0]}" if optional else ""
            raise InputError(f"{name}, row {number}: {row!r} is not a row of ({shape}){also}")


def _frame_rows(
    source: Any, name: str, expected: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[Mapping[str, Any]]:
    """The rows of any frame, by our names of the columns."""
    from rankprism.frames import column_values, eager

    frame = eager(source, name)
    chosen = spelled(tuple(frame.columns), expected, optional, name)
    columns = [column_values(frame, spelling, name) for spelling in chosen.values()]
    for values in zip(*columns, strict=True):
        yield dict(zip(chosen, values, strict=True))


def spelled(
    columns: Sequence[str], expected: tuple[str, ...], optional: tuple[str, ...], where: str
) -> dict[str, str]:
    """Find the columns of a table by their usual spellings."""
    by_name = {str(column).casefold(): column for column in columns}
    alike = Counter(str(column).casefold() for column in columns)
    chosen = {}
    for column in expected:
        found = [s for s in SPELLINGS[column] if s in by_name]
        meant = [s for s in found if not any(s != other and other in _BESIDE.get(s, ()) for other in found)]
        if len(meant) > 1:
            both = " and ".join(repr(str(by_name[s])) for s in meant[:2])
            raise InputError(
                f"{where}: the columns {both} can both be the {column}; keep the right one, and drop or "
                f"rename the other"
            )
        spelling = meant[0] if meant else None
        if spelling is not None and alike[spelling] > 1:
            raise InputError(
                f"{where}: {alike[spelling]} columns are called {spelling!r} (upper and lower case do not "
                f"matter); keep one of them, or rename the others"
            )
        if spelling is not None:
            chosen[column] = by_name[spelling]
        elif column not in optional:
            raise InputError(
                f"{where}: no {column} column among {', '.join(map(str, columns))}; "
                f"name it one of {', '.join(SPELLINGS[column])}"
            )
    return chosen
