"""Nuggets: the facts that belong in a good answer, each of which is an aspect of its topic.

A line is a JSON object with a topic and its nuggets. AutoNuggetizer writes the nuggets of a topic with their
importance, and how an answer (`run_id`) or a passage (`docid`) supports each of them: support,
partial_support or not_support. FreshStack lists the passages that support each nugget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankprism._core import JudgmentTable, RunTable
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, register
from rankprism.formats.json_lines import as_text, has_nuggets, json_objects
from rankprism.text import quoted
from rankprism.types import Duplicates

#: The grade of a nugget in an answer or in a passage.
ASSIGNMENTS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
#: The weight of a nugget.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
#: The names of topics, nuggets, passages and runs in such files, the most certain ones first.
TOPIC = ("qid", "query_id", "topic_id", "topic")
NUGGET = ("_id", "nugget_id", "id")
PASSAGE = ("docid", "doc_id")
RUN = ("run_id", "run")
SUPPORTING, OTHERS = "relevant_corpus_ids", "non_relevant_corpus_ids"

_EXAMPLE = '{"qid": "q1", "nuggets": [{"text": "…", "importance": "vital"}]}'
_ANSWER = '{"qid": "q1", "nuggets": [{"text": "…", "assignment": "support"}]}'


class Nugget(NamedTuple):
    """What a line says about a nugget."""

    name: str  #: its id, or its text if it has none
    weight: float | None  #: from its importance
    grade: float | None  #: from its assignment
    passages: dict[str, float]  #: grades of passages


class Line(NamedTuple):
    """The nuggets of a topic, and the passage or the run that their assignments are about."""

    where: str
    topic: str
    passage: str
    run: str
    nuggets: tuple[Nugget, ...]


class Answer(NamedTuple):
    """The grades of a topic's nuggets in one answer."""

    where: str
    grades: dict[str, float]


def nugget_lines(source: Any) -> Iterator[Line]:
    """The lines of a file, or of an iterable of mappings."""
    if isinstance(source, files.File):
        rows: Iterable[tuple[str, Mapping[str, Any]]] = json_objects(source.lines(), source.name, _EXAMPLE)
    else:
        rows = ((f"nuggets, row {number}", row) for number, row in enumerate(source, 1))
    for where, row in rows:
        yield _line(where, row)


def judgments_of(source: Any, name: str) -> Judgments:
    """The nuggets as aspects of their topics, with their weights and the grades of passages."""
    bare: dict[tuple[str, str], None] = {}
    weights: dict[tuple[str, str], tuple[float | None, str]] = {}
    grades: dict[tuple[str, str, str], tuple[float, str]] = {}
    for line in nugget_lines(source):
        for nugget in line.nuggets:
            key = (line.topic, nugget.name)
            bare[key] = None
            weight, first = weights.setdefault(key, (nugget.weight, line.where))
            if weight != nugget.weight:
                raise InputError(
                    f"{line.where}: nugget {quoted(nugget.name)} of topic {line.topic!r} has a different "
                    f"importance at {first}; keep one of them"
                )
            passages = nugget.passages
            if line.passage:
                passages = {line.passage: _assigned(nugget, line)}
            for passage, grade in passages.items():
                known, first = grades.setdefault((*key, passage), (grade, line.where))
                if known != grade:
                    raise InputError(
                        f"{line.where}: passage {passage!r} supports nugget {quoted(nugget.name)} of topic "
                        f"{line.topic!r} differently at {first}; keep one of them"
                    )
    if not bare:
        raise InputError(f"{name}: there are no nuggets in it; write {_EXAMPLE}")
    table = JudgmentTable.from_columns(
        name,
        [topic for topic, _, _ in grades],
        [nugget for _, nugget, _ in grades],
        [passage for _, _, passage in grades],
        np.array([grade for grade, _ in grades.values()], dtype=np.float64),
        [topic for topic, _ in bare],
        [nugget for _, nugget in bare],
    )
    judgments = Judgments(table, name)
    return replace(judgments, weights=_weights(judgments, weights))


def _weights(
    judgments: Judgments, given: Mapping[tuple[str, str], tuple[float | None, str]]
) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """The weights in the order of the judgments' aspects; None if no nugget has an importance."""
    without = next(((key, where) for key, (weight, where) in given.items() if weight is None), None)
    if without is not None:
        if any(weight is not None for weight, _ in given.values()):
            (topic, nugget), where = without
            raise InputError(
                f"{where}: nugget {quoted(nugget)} of topic {topic!r} has no importance, but others have "
                f"one; give every nugget one of {', '.join(IMPORTANCE)}, or none of them"
            )
        return None
    ordered = [given[topic, nugget][0] for topic, names in judgments.aspects.items() for nugget in names]
    return np.array(ordered, dtype=np.float64)


def answers_of(source: Any, name: str) -> dict[str, dict[str, Answer]]:
    """``{run: {topic: answer}}``; answers that name no run belong to the run ""."""
    found: dict[str, dict[str, Answer]] = {}
    for line in nugget_lines(source):
        if line.passage:
            raise InputError(
                f"{line.where}: is about the passage {line.passage!r} and not about an answer; name the file "
                f"first, as judgments"
            )
        answers = found.setdefault(line.run, {})
        answer = Answer(line.where, {nugget.name: _assigned(nugget, line) for nugget in line.nuggets})
        first = answers.setdefault(line.topic, answer)
        if first is not answer:
            which = f" of run {line.run!r}" if line.run else ""
            raise InputError(
                f"{line.where}: there is an answer{which} to topic {line.topic!r} at {first.where} already; "
                f"keep one of them, or give each run its own run_id or file"
            )
    if not found:
        raise InputError(f"{name}: there are no answers in it; write {_ANSWER}")
    return found


def _assigned(nugget: Nugget, line: Line) -> float:
    if nugget.grade is None:
        raise InputError(
            f"{line.where}: nugget {quoted(nugget.name)} has no assignment; write one of "
            f"{', '.join(ASSIGNMENTS)}"
        )
    return nugget.grade


def _line(where: str, row: Any) -> Line:
    if not isinstance(row, Mapping):
        raise InputError(f"{where}: {row!r} is not a mapping; write {_EXAMPLE}")
    topic, passage, run = (_first_of(row, names, where) for names in (TOPIC, PASSAGE, RUN))
    if not topic:
        raise InputError(f"{where}: has no topic; name it qid, e.g. {_EXAMPLE}")
    listed = row.get("nuggets")
    if not isinstance(listed, list | tuple) or not listed:
        raise InputError(f"{where}: nuggets must be a list with at least one nugget; got {quoted(listed)}")
    nuggets = [_nugget(where, one) for one in listed]
    repeated = Counter[str]()
    named = []
    for nugget in nuggets:
        repeated[nugget.name] += 1
        count = repeated[nugget.name]
        named.append(nugget if count == 1 else nugget._replace(name=f"{nugget.name} ({count})"))
    return Line(where, topic, passage, run, tuple(named))


def _nugget(where: str, one: Any) -> Nugget:
    if not isinstance(one, Mapping):
        raise InputError(f"{where}: the nugget {quoted(one)} is not a JSON object; write {_EXAMPLE}")
    name = _first_of(one, NUGGET, where) or as_text(one, "text", where).strip()
    if not name:
        raise InputError(f"{where}: a nugget has no text; write {_EXAMPLE}")
    passages: dict[str, float] = {}
    for field, grade in ((SUPPORTING, 1.0), (OTHERS, 0.0)):
        ids = one.get(field) or ()
        if not isinstance(ids, list | tuple) or not all(isinstance(id, str | int) for id in ids):
            raise InputError(f"{where}: {field} must be a list of passage ids; got {quoted(ids)}")
        for id in map(str, ids):
            if passages.setdefault(id, grade) != grade:
                raise InputError(
                    f"{where}: passage {id!r} is in both {SUPPORTING} and {OTHERS} of nugget {quoted(name)}; "
                    f"keep one of them"
                )
    return Nugget(
        name,
        _word(one, "importance", IMPORTANCE, where),
        _word(one, "assignment", ASSIGNMENTS, where),
        passages,
    )


def _word(one: Mapping[str, Any], field: str, words: Mapping[str, float], where: str) -> float | None:
    """The number that a word stands for; None if it is missing."""
    word = one.get(field)
    if word is None:
        return None
    if not isinstance(word, str) or word.strip().casefold() not in words:
        raise InputError(f"{where}: the {field} {quoted(word)} is not one of {', '.join(words)}")
    return words[word.strip().casefold()]


def _first_of(row: Mapping[str, Any], names: Iterable[str], where: str) -> str:
    """The value of the first of these names that the object has."""
    return next((as_text(row, name, where) for name in names if row.get(name) is not None), "")


def _read(file: files.File) -> Judgments:
    return judgments_of(file, file.name)


def _refuse_run(file: files.File, duplicates: Duplicates) -> RunTable:
    raise InputError(
        f"{file.name}: holds answers with their nuggets and not ranked documents; evaluate, compare, explain "
        f"and meta score them by NuggetAll, NuggetVital and NuggetWeighted; for standard input, add "
        f"run_format='answers' (--run-format answers)"
    )


register(
    JUDGMENT_FORMATS,
    Format(
        name="nuggets",
        summary="a topic and its nuggets, which are its aspects; where known, the importance of each nugget "
        "(vital or okay), the passages that support it, or its assignment in the passage `docid`",
        example=_EXAMPLE,
        recognised_by="A line that begins with `{` and has `nuggets`.",
        read=_read,
        recognises=lambda start: has_nuggets(start.line),
        loses="the texts of nuggets that have an id",
    ),
)
register(
    RUN_FORMATS,
    Format(
        name="answers",
        summary="the nuggets of a topic and the assignment of each to the answer of a run: support, "
        "partial_support or not_support; only nugget measures score answers",
        example=_ANSWER,
        recognised_by="A line that begins with `{` and has `nuggets`.",
        read=_refuse_run,
        recognises=lambda start: has_nuggets(start.line),
    ),
)
