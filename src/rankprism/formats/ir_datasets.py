"""Judgments, topics and documents of ir_datasets."""

from __future__ import annotations

import contextlib
import enum
import sys
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rankprism.errors import InputError, did_you_mean, install
from rankprism.formats.source import DATASET

#: Fields of judgments that hold whole numbers but not grades.
_NO_GRADES = ("span_start", "span_len", "start", "length", "method")
#: The aspects whose fields have another name in ir_datasets.
_SPELLED = {"redibility": "credibility"}


class DatasetRows(NamedTuple):
    """The judgments of a dataset."""

    source: str  #: the name of the dataset in messages
    rows: list[dict[str, Any]]  #: query_id, doc_id, subtopic_id if there is one, and a label for each aspect
    graded: tuple[str, ...]  #: the aspects whose labels are numbers
    named: tuple[str, ...]  #: the aspects whose labels are words, which ir_datasets does not order


def dataset_name(source: Any) -> str:
    """The name of a dataset in messages."""
    if isinstance(source, str):
        return source
    return f"{DATASET}{source.dataset_id()}" if hasattr(source, "dataset_id") else "the dataset"


def dataset_rows(source: Any) -> DatasetRows:
    """The judgments of a dataset, or of the rows of one."""
    name = dataset_name(source)
    dataset = load(source) if isinstance(source, str) else source
    if not dataset.has_qrels():
        raise InputError(f"{name}: this dataset has no judgments{_with_judgments(name)}")
    # Some datasets print the place of their files.
    with _reading(name, "judgments"), contextlib.redirect_stdout(sys.stderr):
        judged = list(dataset.qrels_iter())
    if not judged:
        raise InputError(f"{name}: this dataset has no judgments, only an empty list")
    return as_rows(name, judged)


def as_rows(name: str, judged: Iterable[Any]) -> DatasetRows:
    """Judgments of ir_datasets with their aspects by name.

    In ir_datasets the field `subtopic_id` says which subtopic a judgment is about. The field `iteration` does
    not: it is what TREC writes into the second column, such as the round of assessment.
    """
    judged = list(judged)
    kind = type(judged[0])
    types = typing.get_type_hints(kind)
    words = [f for f in kind._fields if isinstance(types.get(f), type) and issubclass(types[f], enum.Enum)]
    numbers = [
        f
        for f in kind._fields
        if f == "relevance" or (types.get(f) in (int, float) and f not in (*_NO_GRADES, "iprob"))
    ]
    aspects = {_SPELLED.get(field, field): field for field in (*numbers, *words)}
    ids = [field for field in ("query_id", "doc_id", "subtopic_id") if field in kind._fields]
    rows = [
        {field: getattr(row, field) for field in ids}
        | {aspect: _label(getattr(row, field)) for aspect, field in aspects.items()}
        for row in judged
    ]
    return DatasetRows(name, rows, tuple(aspects)[: len(numbers)], tuple(aspects)[len(numbers) :])


def _label(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value


def documents(source: str, wanted: Collection[str] | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The place of each document of a dataset, and what is known of it."""
    dataset = load(source)
    if not dataset.has_docs():
        raise InputError(f"{source}: this dataset has no documents; name the one that it is a part of")
    with _reading(source, "documents"), contextlib.redirect_stdout(sys.stderr):
        records = (
            {record.doc_id: record for record in dataset.docs_iter()}
            if wanted is None
            else dataset.docs_store().get_many(list(wanted))
        )
    for doc, record in records.items():
        row = {field: getattr(record, field) for field in ("title", "url") if hasattr(record, field)}
        yield f"{source}, document {doc!r}", {**row, "id": doc, "text": record.default_text()}


def queries(source: str) -> list[Any]:
    """The topics of a dataset, as ir_datasets has them."""
    dataset = load(source)
    if not dataset.has_queries():
        raise InputError(f"{source}: this dataset has no topics; name a file of topics")
    with _reading(source, "topics"), contextlib.redirect_stdout(sys.stderr):
        return list(dataset.queries_iter())


def load(source: str) -> Any:
    """The dataset with this id, which begins with "irds:"."""
    try:
        import ir_datasets
    except ImportError:
        raise InputError(
            f"{source}: needs one more package: {install('ir-datasets')}; or name a file"
        ) from None
    name = source.removeprefix(DATASET)
    with _reading(source, "description"):
        try:
            return ir_datasets.load(name)
        except KeyError:
            raise InputError(
                f"{source}: ir_datasets has no dataset {name!r}{_similar(name)} "
                f"https://ir-datasets.com lists all of them"
            ) from None


@contextlib.contextmanager
def _reading(source: str, what: str) -> Iterator[None]:
    """Turn whatever goes wrong in ir_datasets, such as a download that fails, into one line."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        about = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(
            f"{source}: ir_datasets cannot read its {what} ({about}); check the connection, or see "
            f"https://ir-datasets.com for how to get this dataset, and name a file instead"
        ) from None


def _similar(name: str) -> str:
    return did_you_mean(name, {known: [known] for known in _ids()}, cutoff=0.6) or ";"


def _with_judgments(source: str) -> str:
    """The end of a message: the parts of a dataset that have judgments."""
    import ir_datasets

    name = source.removeprefix(DATASET)
    parts = [part for part in _ids() if part.startswith(f"{name}/") and ir_datasets.load(part).has_qrels()]
    return f"; use one of its parts, e.g. {DATASET}{parts[0]}" if parts else "; name a file of judgments"


def _ids() -> list[str]:
    import ir_datasets

    registry: Iterable[str] = getattr(ir_datasets, "registry", ())
    return sorted(registry)
