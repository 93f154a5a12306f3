"""Reading judgments and aspect weights."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from rankprism._core import JudgmentTable
from rankprism.data.judgments import Judgments
from rankprism.errors import InputError
from rankprism.formats import files

#: How the columns of a judgment file may be read.
FORMATS = {
    "diversity": "topic subtopic document grade",
    "adhoc": "topic 0 document grade",
    "prels": "topic document grade method probability",
}


def read_judgments(source: Any, *, format: str | None = None, weights: Any = None) -> Judgments:
    """Judgments from a file, a dict, rows or a data frame.

    source : a path ("-" is standard input; .gz, .bz2, .xz and .zst are unpacked);
        ``{topic: {aspect: {doc: grade}}}`` or ``{topic: {doc: grade}}``; an iterable of
        (topic, aspect, doc, grade) or (topic, doc, grade); a pandas, polars or pyarrow frame.
    format : "diversity", "adhoc" or "prels", for files; recognised without it.
    weights : aspect weights: a file of ``topic aspect weight``, ``{topic: {aspect: weight}}``, rows
        or a frame. Without them all aspects of a topic weigh alike.

    >>> read_judgments({"q1": {"s1": {"d1": 2, "d2": 1}, "s2": {"d3": 1}}})
    <Judgments judgments: 3 grades, 1 topics>
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown judgment format {format!r}; use one of {', '.join(FORMATS)}")
    if isinstance(source, Judgments):
        judgments = source
    elif isinstance(source, str | os.PathLike):
        judgments = _from_file(source, format)
    else:
        judgments = _from_memory(source)
    return judgments if weights is None else _weighted(judgments, weights)


def _from_file(path: files.PathLike, format: str | None) -> Judgments:
    name = files.source_name(path)
    data = files.unpacked(path)
    if format is None:
        format = _recognised(path, data)
    if data is None:
        return Judgments(JudgmentTable.from_file(os.fspath(path), name, format), name)
    return Judgments(JudgmentTable.from_bytes(data, name, format), name)


def _recognised(path: files.PathLike, data: bytes | None) -> str:
    """The format of a file, by its first line of data."""
    if data is None:
        with open(path, "rb") as file:
            data = file.read(1 << 16)
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        if line.strip() and not line.lstrip().startswith((b"# ", b"#\t")):
            columns = line.split()
            prels = len(columns) == 5 and _is_number(columns[2]) and _is_number(columns[4])
            return "prels" if prels else "diversity"
    return "diversity"


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_memory(source: Any) -> Judgments:
    from rankprism.formats.memory import judgment_columns

    columns = judgment_columns(source, "judgments")
    if not columns.number:
        raise InputError("judgments: there are none; pass at least one (topic, aspect, doc, grade)")
    table = JudgmentTable.from_columns(
        "judgments", columns.topic, columns.aspect, columns.doc, np.array(columns.number, dtype=np.float64)
    )
    return Judgments(table)


def _weighted(judgments: Judgments, weights: Any) -> Judgments:
    """Judgments with weights, once these are known to fit."""
    if isinstance(weights, str | os.PathLike):
        name, given = files.source_name(weights), _weights_from_file(weights)
    else:
        name, given = "weights", _weights_from_memory(weights)
    return Judgments(judgments.table, judgments.source, _fitted(judgments, name, given))


def _fitted(
    judgments: Judgments, name: str, given: dict[tuple[str, str], tuple[str, float]]
) -> npt.NDArray[np.float64]:
    """Weights in the order of the judgments' aspects."""
    aspects, cells = judgments.table.aspects, judgments.cells
    start = cells.aspect_start
    place = {
        (topic, aspects[a]): a
        for t, topic in enumerate(judgments.topics)
        for a in range(start[t], start[t + 1])
    }
    result = np.zeros(len(aspects))
    for (topic, aspect), (where, weight) in given.items():
        if (topic, aspect) not in place:
            known = judgments.aspects.get(topic)
            has = (
                f"topic {topic!r} has only {', '.join(known[:8])}"
                if known
                else f"topic {topic!r} is not judged"
            )
            raise InputError(
                f"{where}: weight {weight:g} for aspect {aspect!r} of topic {topic!r}, which "
                f"{judgments.source} does not have: {has}; remove it, or add the judgments"
            )
        result[place[topic, aspect]] = weight
    has_relevant = np.zeros(len(aspects), dtype=bool)
    topic_of_cell = np.repeat(np.arange(len(start) - 1), np.diff(cells.start))
    has_relevant[start[topic_of_cell] + cells.aspect] = True
    for (topic, aspect), a in place.items():
        if has_relevant[a] and (topic, aspect) not in given:
            raise InputError(
                f"{name}: no weight for aspect {aspect!r} of topic {topic!r}, which {judgments.source} "
                f"judges; add a line '{topic} {aspect} WEIGHT'"
            )
    total = np.add.reduceat(result, start[:-1])
    relevant = np.add.reduceat(np.where(has_relevant, result, 0.0), start[:-1])
    for t in np.flatnonzero((relevant <= 0) & (cells.documents > 0)):
        raise InputError(
            f"{name}: the weights of topic {judgments.topics[t]!r} "
            f"{'sum to 0' if total[t] <= 0 else 'are 0 on every aspect with a relevant document'}; "
            f"give at least one of its aspects a positive weight"
        )
    return result


def _weights_from_file(path: files.PathLike) -> dict[tuple[str, str], tuple[str, float]]:
    name = files.source_name(path)
    data = files.unpacked(path)
    if data is None:
        with open(path, "rb") as file:
            data = file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad_line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, line {bad_line}: not valid UTF-8; convert the file with iconv") from None
    given: dict[tuple[str, str], tuple[str, float]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        columns = line.split()
        if not columns or line.lstrip().startswith(("# ", "#\t")):
            continue
        where = f"{name}, line {number}"
        if len(columns) != 3:
            raise InputError(f"{where}: expected 3 columns: topic aspect weight; found {len(columns)}")
        try:
            weight = float(columns[2])
        except ValueError:
            raise InputError(f"{where}: the weight {columns[2]!r} is not a number") from None
        _add_weight(given, where, columns[0], columns[1], weight)
    if not given:
        raise InputError(f"{name}: no weights in this file; expected lines of: topic aspect weight")
    return given


def _weights_from_memory(weights: Any) -> dict[tuple[str, str], tuple[str, float]]:
    from rankprism.formats.memory import weight_columns

    columns = weight_columns(weights, "weights")
    given: dict[tuple[str, str], tuple[str, float]] = {}
    rows = zip(columns.topic, columns.aspect, columns.number, strict=True)
    for number, (topic, aspect, weight) in enumerate(rows, 1):
        _add_weight(given, f"weights, row {number}", topic, aspect, weight)
    return given


def _add_weight(
    given: dict[tuple[str, str], tuple[str, float]], where: str, topic: str, aspect: str, weight: float
) -> None:
    if not (0 <= weight < float("inf")):
        raise InputError(f"{where}: the weight {weight:g} is not a finite number ≥ 0")
    if given.get((topic, aspect), (where, weight))[1] != weight:
        first = given[topic, aspect]
        raise InputError(
            f"{where}: aspect {aspect!r} of topic {topic!r} weighs {weight:g} here and {first[1]:g} at "
            f"{first[0]}; keep one of them"
        )
    given[topic, aspect] = (where, weight)
