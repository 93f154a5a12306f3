"""Aspect weights: how much each intent of a topic matters, and whether it is navigational."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism._core import JudgmentTable, parse_number
from rankprism.data import LARGEST, Judgments, Note, some
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.spellings import ONLY_ASPECT

#: The rule of Sakai and Song (2011), by name instead of a file.
SAKAI = "sakai"

#: NTCIR's words for intents: informational, and navigational, which needs only one document.
KINDS = {"inf": False, "nav": True}


class Given(NamedTuple):
    """A weight, and the place where it was given."""

    where: str
    weight: float
    navigational: bool | None = None  # None: the source does not say


Weights: TypeAlias = dict[tuple[str, str], Given]


def weighted(judgments: Judgments, weights: Any) -> Judgments:
    """Judgments with weights, after a check that the weights fit."""
    if isinstance(weights, str) and weights == SAKAI:
        return replace(judgments, weights=_sakai(judgments))
    by_aspect = _by_aspect(weights)
    if by_aspect is not None:
        # These weights sum to 1. A topic with nothing relevant to the aspects that matter scores 0.
        return _placed(judgments, "weights", _in_every_topic(judgments, by_aspect))
    if isinstance(weights, str | os.PathLike):
        name, given = files.source_name(weights), _from_file(weights)
    else:
        name, given = "weights", _from_memory(weights)
    if judgments.counted is not None:
        judgments = _with_unjudged(judgments, given)
    elif judgments.format == "ntcir":
        judgments, given = _judged_only(judgments, name, given)
    return fitted(judgments, name, given)


def _by_aspect(weights: Any) -> Mapping[Any, Any] | None:
    """``{aspect: weight}`` or the text relevance=0.7,credibility=0.3; None if it is something else."""
    if isinstance(weights, str) and "=" in weights and not os.path.exists(weights):
        pairs = [pair.partition("=") for pair in weights.split(",")]
        return {aspect.strip(): parse_number(weight.strip()) for aspect, _, weight in pairs}
    if isinstance(weights, Mapping) and not any(isinstance(w, Mapping) for w in weights.values()):
        return weights or None
    return None


def _in_every_topic(judgments: Judgments, weights: Mapping[Any, Any]) -> Weights:
    """The same weights for all topics: p_a of CAM and MM, which sum to 1."""
    total = 0.0
    for aspect, weight in weights.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight <= LARGEST:
            raise InputError(
                f"the weight of {aspect!r} must be a number from 0 to {LARGEST:,}; got {weight!r}"
            )
        total += weight
    if abs(total - 1) > 1e-3:
        raise InputError(f"the weights of {listed(map(str, weights))} sum to {total:g}; they must sum to 1")
    for topic, aspects in judgments.aspects.items():
        for aspect in aspects:
            if aspect not in weights:
                raise InputError(
                    f"aspect {aspect!r} of topic {topic!r} has no weight; only {listed(weights)} have one"
                )
        for aspect in weights:
            if aspect not in aspects:
                raise InputError(
                    f"weights: topic {topic!r} has no aspect {aspect!r}; it has {listed(aspects)}"
                )
    return {
        (topic, aspect): Given("weights", float(weights[aspect]))
        for topic, aspects in judgments.aspects.items()
        for aspect in aspects
    }


def _with_unjudged(judgments: Judgments, given: Weights) -> Judgments:
    """The same judgments, in which judged topics also have the aspects that only the weights name."""
    unjudged = [
        (topic, aspect)
        for topic, aspect in given
        if topic in judgments.aspects and aspect not in judgments.aspects[topic]
    ]
    if not unjudged:
        return judgments
    topics, aspects = judgments.table.bare_aspects()
    table = JudgmentTable.from_columns(
        judgments.source,
        *judgments.table.columns(),
        topics + [topic for topic, _ in unjudged],
        aspects + [aspect for _, aspect in unjudged],
    )
    return counting_all(replace(judgments, table=table))


def counting_all(judgments: Judgments) -> Judgments:
    """The same judgments, in which every aspect counts, even one to which no document is relevant.

    NTCIR lists non-relevant documents under 0, which is not an intent.
    """
    names = np.array(judgments.table.aspects)
    counted = np.ones(len(names), dtype=bool) if judgments.format != "ntcir" else names != ONLY_ASPECT
    return replace(judgments, counted=counted)


def _judged_only(judgments: Judgments, name: str, given: Weights) -> tuple[Judgments, Weights]:
    """The weights of intents that have judgments, and a note about the others.

    NTCIR lists non-relevant documents under intent 0, so an intent without a relevant document has no line.
    """
    unjudged = [
        (topic, aspect)
        for topic, aspect in given
        if topic in judgments.aspects and aspect not in judgments.aspects[topic]
    ]
    if unjudged:
        intents = [f"{topic} {aspect}" for topic, aspect in unjudged]
        note = Note(
            "unjudged-intents",
            f"{name}: {len(unjudged)} intents have a weight but no document in {judgments.source}, and are "
            f"left out: {some(intents)}",
            len(unjudged),
            intents[0],
        )
        judgments = judgments.noting([note])
    return judgments, {intent: weight for intent, weight in given.items() if intent not in unjudged}


def fitted(judgments: Judgments, name: str, given: Weights) -> Judgments:
    """Judgments with these weights, after a check that each topic has relevant documents with a weight."""
    result = _placed(judgments, name, given)
    start, weights = judgments.cells.aspect_start, np.asarray(result.weights)
    total = np.add.reduceat(weights, start[:-1])
    relevant = np.add.reduceat(np.where(relevant_aspects(judgments), weights, 0.0), start[:-1])
    for t in np.flatnonzero((relevant <= 0) & (judgments.cells.documents > 0)):
        raise InputError(
            f"{name}: the weights of topic {judgments.topics[t]!r} "
            f"{'sum to 0' if total[t] <= 0 else 'are 0 on every aspect with a relevant document'}; "
            f"give at least one of its aspects a positive weight"
        )
    return result


def _placed(judgments: Judgments, name: str, given: Weights) -> Judgments:
    """Judgments with these weights, in the order of the judgments' aspects."""
    aspects, cells = judgments.table.aspects, judgments.cells
    start = cells.aspect_start
    place = {
        (topic, aspects[a]): a
        for t, topic in enumerate(judgments.topics)
        for a in range(start[t], start[t + 1])
    }
    result = np.zeros(len(aspects))
    navigational = np.zeros(len(aspects), dtype=bool)
    for (topic, aspect), (where, weight, kind) in given.items():
        if (topic, aspect) not in place:
            known = judgments.aspects.get(topic)
            has = f"topic {topic!r} has only {listed(known)}" if known else f"topic {topic!r} is not judged"
            raise InputError(
                f"{where}: weight {weight:g} for aspect {aspect!r} of topic {topic!r}, which "
                f"{judgments.source} does not have: {has}; remove it, or add the judgments"
            )
        result[place[topic, aspect]] = weight
        navigational[place[topic, aspect]] = bool(kind)
    needed = counted_aspects(judgments)
    for (topic, aspect), a in place.items():
        if needed[a] and (topic, aspect) not in given:
            raise InputError(
                f"{name}: no weight for aspect {aspect!r} of topic {topic!r}, which {judgments.source} "
                f"judges; add a line '{topic} {aspect} WEIGHT'"
            )
    typed = any(weight.navigational is not None for weight in given.values())
    return replace(judgments, weights=result, navigational=navigational if typed else judgments.navigational)


def relevant_aspects(judgments: Judgments) -> npt.NDArray[np.bool_]:
    """Which aspects have a relevant document, in the order of ``table.aspects``."""
    cells = judgments.cells
    found = np.zeros(len(judgments.table.aspects), dtype=bool)
    topic_of_cell = np.repeat(np.arange(len(judgments.topics)), np.diff(cells.start))
    found[cells.aspect_start[topic_of_cell] + cells.aspect] = True
    return found


def counted_aspects(judgments: Judgments) -> npt.NDArray[np.bool_]:
    """Which aspects count, in the order of ``table.aspects``: those with a relevant document, or all."""
    relevant = relevant_aspects(judgments)
    return relevant if judgments.counted is None else relevant | judgments.counted


def add_weight(given: Weights, topic: str, aspect: str, new: Given) -> None:
    """Add a weight to the others, unless it contradicts them."""
    if not 0 <= new.weight <= LARGEST:
        raise InputError(f"{new.where}: the weight {new.weight:g} is not a number from 0 to {LARGEST:,}")
    first = given.setdefault((topic, aspect), new)
    if first.weight != new.weight:
        raise InputError(
            f"{new.where}: aspect {aspect!r} of topic {topic!r} weighs {new.weight:g} here and "
            f"{first.weight:g} at {first.where}; keep one of them"
        )
    if first.navigational is not new.navigational:
        raise InputError(
            f"{new.where}: aspect {aspect!r} of topic {topic!r} is {_kind_name(new)} here and "
            f"{_kind_name(first)} at {first.where}; keep one of them"
        )
    other = next(iter(given.values()))
    if (other.navigational is None) != (new.navigational is None):
        raise InputError(
            f"{new.where}: {_kind_name(new)}, but {_kind_name(other)} at {other.where}; write inf or nav for "
            f"every intent or for none"
        )


def weight_lines(judgments: Judgments) -> list[str]:
    """The lines of a weights file: topic aspect weight, and inf or nav if the type is known.

    An aspect without relevant documents and with weight 0 has no line, because it reads back the same.
    """
    if judgments.weights is None:
        return []
    names = (f"{topic} {aspect}" for topic, aspects in judgments.aspects.items() for aspect in aspects)
    lines = [f"{name} {weight!r}" for name, weight in zip(names, judgments.weights.tolist(), strict=True)]
    needed = relevant_aspects(judgments) | (judgments.weights > 0)
    if judgments.navigational is not None:
        kinds = np.where(judgments.navigational, "nav", "inf")
        lines = [f"{line} {kind}" for line, kind in zip(lines, kinds, strict=True)]
        needed |= judgments.navigational
    # A file without any line would be refused, so if no line is needed, all are written.
    return [line for line, is_needed in zip(lines, needed, strict=True) if is_needed] or lines


def weights_beside(judgments: Judgments) -> tuple[list[str], tuple[str, ...]]:
    """`weight_lines` for the file beside judgments, and a note if weights had to be added.

    Types of intents are written beside weights, so judgments with types but no weights get uniform ones.
    """
    if judgments.navigational is None or judgments.weights is not None:
        return weight_lines(judgments), ()
    note = "added: weights, the same for all aspects of a topic, because types are written beside them"
    return weight_lines(replace(judgments, weights=uniform(judgments))), (note,)


def uniform(judgments: Judgments) -> npt.NDArray[np.float64]:
    """The same weight for all aspects of a topic; the weights sum to 1."""
    aspects = np.diff(judgments.cells.aspect_start)
    weights: npt.NDArray[np.float64] = np.repeat(1 / aspects, aspects)
    return weights


def _sakai(judgments: Judgments) -> npt.NDArray[np.float64]:
    """Pr(j) = 2^(n−j+1) / Σ 2^k, k = 1..n, over a topic's n intents that count."""
    counted, start = counted_aspects(judgments), judgments.cells.aspect_start
    weights = np.zeros(len(counted))
    for t in range(len(judgments.topics)):
        intents = start[t] + np.flatnonzero(counted[start[t] : start[t + 1]])
        n = len(intents)
        weights[intents] = [2 ** (n - j + 1) / (2 ** (n + 1) - 2) for j in range(1, n + 1)]
    return weights


def _from_file(path: files.PathLike) -> Weights:
    name = files.source_name(path)
    given: Weights = {}
    for number, line in files.opened(path).lines():
        columns = files.columns(line)
        where = f"{name}, line {number}"
        if len(columns) not in (3, 4):
            raise InputError(
                f"{where}: expected 3 columns: topic aspect weight, or 4 with inf or nav; "
                f"found {len(columns)}"
            )
        weight = parse_number(columns[2])
        if weight is None:
            raise InputError(f"{where}: the weight {columns[2]!r} is not a number")
        kind = _kind(where, columns[3] if len(columns) == 4 else None)
        add_weight(given, columns[0], columns[1], Given(where, weight, kind))
    if not given:
        raise InputError(f"{name}: no weights in this file; expected lines of: topic aspect weight")
    return given


def _from_memory(weights: Any) -> Weights:
    from rankprism.formats.memory import weight_columns

    columns = weight_columns(weights, "weights")
    given: Weights = {}
    rows = zip(columns.topic, columns.aspect, columns.number, columns.kind, strict=True)
    for number, (topic, aspect, weight, kind) in enumerate(rows, 1):
        where = f"weights, row {number}"
        add_weight(given, topic, aspect, Given(where, weight, _kind(where, kind)))
    return given


def _kind(where: str, text: Any) -> bool | None:
    if text is None:
        return None
    if not isinstance(text, str) or text not in KINDS:
        raise InputError(f"{where}: the intent type {text!r} is neither inf nor nav")
    return KINDS[text]


def _kind_name(weight: Given) -> str:
    return {None: "without a type", False: "inf", True: "nav"}[weight.navigational]
