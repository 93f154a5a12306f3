"""Synthetic rankings: instances of a constraint, and how many instances become one batch of `Hits`.

A ranking is an array (n, A) with the grade r(d,t) in [0,1] of each document on each aspect, from the top. A
document whose grades are NaN is not judged.

A pair of rankings belongs to one topic. The documents of both rankings are judged, including the
non-relevant ones. In half of the random instances, the judgments contain further documents that neither
ranking has, and every aspect has at least one relevant document. This matters only to normalised
measures. Where a document is not judged (`Tail`), the picture says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

import numpy as np

from rankprism.data import NOWHERE, Bools, Floats, Hits, Ints, Longs, Pool, seal_fields
from rankprism.errors import BrokenMeasure, RankprismError
from rankprism.measures import Measure, Role

Ranking: TypeAlias = Floats
Rankings: TypeAlias = tuple[Ranking, ...]

#: In the constraints, every grade above 0 is relevant.
ANY = 1e-9


@dataclass(frozen=True, eq=False)
class Base:
    """Some documents and aspect weights, from which the instances of a constraint are made."""

    documents: Floats  # (n, A)
    weights: Floats  # (A,), summing to 1
    cutoff: int | None = None  # of the measure that is examined
    missed: Floats | None = None  # (m, A) documents that were judged, but are in no ranking

    def __post_init__(self) -> None:
        seal_fields(self)


@dataclass(frozen=True, eq=False)
class Instance:
    """Rankings of one topic that a constraint compares.

    Without `pools`, the judged documents are the documents of all rankings and the `missed` ones, so that a
    normalised measure divides all rankings by the same ideal. If none of them serves an aspect, one more
    document does. With `pools`, each ranking has its own judged documents.
    """

    rankings: Rankings
    weights: Floats
    missed: Floats | None = None
    pools: Rankings | None = None

    def __post_init__(self) -> None:
        seal_fields(self)

    @property
    def longest(self) -> int:
        return max(len(ranking) for ranking in self.rankings)

    @property
    def apart(self) -> float:
        """The sum of the differences between the grades of two rankings; 1 if they cannot be compared."""
        lengths = {len(ranking) for ranking in self.rankings}
        if len(self.rankings) != 2 or len(lengths) > 1:
            return 1.0
        return float(np.nansum(np.abs(self.rankings[0] - self.rankings[1]))) or 1.0


def on_scale(measure: Measure) -> Measure:
    """The measure for grades in [0,1].

    `rel` and `max_rel` describe the grades and not the measure. Unless they are set, every grade above 0 is
    relevant and the highest grade is 1.

    >>> from rankprism.measures import parse
    >>> on_scale(parse("P@20")), on_scale(parse("P(rel=0.5)@20")), on_scale(parse("ERR"))
    (P(rel=1e-09)@20, P(rel=0.5)@20, ERR(max_rel=1))
    """
    changes: dict[str, object] = {}
    for parameter in measure.definition.parameters:
        if parameter.name in measure.settings:
            inner = measure[parameter.name]
            changes |= {parameter.name: on_scale(inner)} if isinstance(inner, Measure) else {}
        elif parameter.role is Role.THRESHOLD:
            changes[parameter.name] = ANY
        elif parameter.role is Role.HIGHEST:
            changes[parameter.name] = 1.0
    return measure(**changes)


def score(measure: Measure, hits: Hits) -> Floats:
    """(N,) the scores. Intermediate results are not kept, because many measures score the same hits."""
    fresh = replace(hits, pool=replace(hits.pool, _memo={}), _memo={})
    return np.asarray(on_scale(measure).computed(fresh), dtype=np.float64)


class NotApplicable(RankprismError):
    """Raised if a measure says that it has no score for some rankings, and why."""


def score_instances(measure: Measure, instances: Sequence[Instance], hits: Hits | None = None) -> Floats:
    """(instances, rankings of each) the scores, `turned`. An error in a measure says where it happened."""
    if _orders_labels(measure):
        return turned(measure, _score_by_labels(measure, instances))
    return turned(measure, _score_together(measure, instances, hits))


def turned(measure: Measure, scores: Floats) -> Floats:
    """Scores of which the higher one is better, from the scores of rankings that are compared, and back."""
    compared = measure.lower_is_better and scores.shape[-1] > 1
    return np.asarray(0.0 - scores if compared else scores)  # no -0


def _score_by_labels(measure: Measure, instances: Sequence[Instance]) -> Floats:
    """The scores, where instances are scored together only if they have the same labels on each aspect."""
    groups: dict[tuple[tuple[float, ...], ...], list[int]] = {}
    for i, instance in enumerate(instances):
        missed = () if instance.missed is None else (instance.missed,)
        documents = np.nan_to_num(np.concatenate([*instance.rankings, *missed, *(instance.pools or ())]))
        labels = tuple(tuple(np.unique(grades).tolist()) for grades in documents.T)
        groups.setdefault(labels, []).append(i)
    scores = np.empty((len(instances), len(instances[0].rankings)))
    for same in groups.values():
        scores[same] = _score_together(measure, [instances[i] for i in same], None)
    return scores


def _score_together(measure: Measure, instances: Sequence[Instance], hits: Hits | None) -> Floats:
    try:
        return score(measure, hits_of(instances) if hits is None else hits).reshape(len(instances), -1)
    except BrokenMeasure as error:
        for instance in instances:
            try:
                score(measure, hits_of([instance]))
            except BrokenMeasure as alone:
                raise _located(alone, instance) from alone.__cause__
            except RankprismError:
                continue
        raise _located(error, instances[0], len(instances)) from error.__cause__
    except RankprismError as error:
        raise NotApplicable(str(error)) from error


def _orders_labels(measure: Measure) -> bool:
    """Whether it is TOMA or is made of TOMA, whose scores depend on the labels of all topics together."""
    inside = (measure[p.name] for p in measure.definition.parameters)
    return measure.name == "TOMA" or any(isinstance(x, Measure) and _orders_labels(x) for x in inside)


def _located(error: BrokenMeasure, instance: Instance, together: int = 1) -> BrokenMeasure:
    """The error of a measure with the rankings that it was scoring."""
    rankings = " and ".join(f"[{short(ranking)}]" for ranking in instance.rankings)
    weights = ", ".join(f"{w:.4g}" for w in instance.weights)
    others = "" if together == 1 else f", scored together with {together - 1:,} others"
    return BrokenMeasure(f"{error}. It was scoring the rankings {rankings} (weights {weights}){others}")


def short(ranking: Ranking) -> str:
    """A ranking in one line. Blanks separate aspects, commas separate documents, and n× repeats one.

    >>> short(np.array([[0.1, 0.0], [0.0, 0.05]]))
    '0.1 0, 0 0.05'
    >>> short(np.array([[0.1]] * 11 + [[0.0]]))
    '11 × 0.1, 0'
    """
    lines = [
        " ".join("?" if np.isnan(x) else repr(float(x)).removesuffix(".0") for x in document)
        for document in ranking
    ]
    runs = [(line, len(list(same))) for line, same in groupby(lines)]
    return ", ".join(f"{n} × {line}" if n > 3 else ", ".join([line] * n) for line, n in runs)


def scores_of(
    measure: Measure, *rankings: Sequence[Sequence[float]], weights: Sequence[float]
) -> list[float]:
    """The scores of rankings of one topic.

    >>> from rankprism.measures import parse
    >>> scores_of(parse("DCG@20"), [[0.1], [0.0]], [[0.0], [0.1]], weights=[1.0])
    [0.1, 0.06309297535714574]
    """
    A = len(weights)
    made = tuple(np.array(ranking, dtype=np.float64).reshape(-1, A) for ranking in rankings)
    return [float(x) for x in score(measure, hits_of([Instance(made, np.array(weights))]))]


def hits_of(instances: Sequence[Instance]) -> Hits:
    """All rankings as one batch, instance after instance, each with the same number of rankings."""
    per_instance = len(instances[0].rankings)
    A = max(len(instance.weights) for instance in instances)
    rankings = [ranking for instance in instances for ranking in instance.rankings]
    n = len(rankings)
    length = np.array([len(ranking) for ranking in rankings], dtype=np.int32)
    row, place = _places(length)
    grade = _stacked(rankings, A)
    is_judged = np.asarray(~np.isnan(grade).any(1))
    grade[~is_judged] = 0.0
    rank = place + 1
    judged, condensed = _table(n, row, rank, is_judged)
    relevant = np.asarray((grade > 0).any(1))
    ranks, column = _table(n, row, rank, relevant)
    width = ranks.shape[1]
    found = np.zeros((n, A, width))
    found[row[relevant], :, column[relevant]] = grade[relevant]
    condensed_rank = np.full((n, width), NOWHERE, dtype=np.int32)
    condensed_rank[row[relevant], column[relevant]] = condensed[relevant] + 1
    own = instances[0].pools is not None
    pool = _own_pools(instances, A) if own else _shared_pools(instances, A, row, grade, relevant)
    topic = np.arange(n) if own else np.arange(n) // per_instance
    return Hits(ranks, found, length, topic, pool, condensed_rank, judged)


def _places(length: Ints) -> tuple[Longs, Longs]:
    """For concatenated lists of these lengths: the list of every element, and its place in that list."""
    row = np.repeat(np.arange(len(length)), length)
    start = np.cumsum(length) - length
    return row, np.arange(len(row)) - np.repeat(start, length)


def _stacked(rankings: Sequence[Ranking], A: int) -> Floats:
    """(total, A) all documents in one array, padded to the same number of aspects."""
    stacked = np.zeros((sum(map(len, rankings)), A))
    at = 0
    for ranking in rankings:
        stacked[at : at + len(ranking), : ranking.shape[1]] = ranking
        at += len(ranking)
    return stacked


def _table(rows: int, row: Longs, value: Longs, which: Bools) -> tuple[Ints, Longs]:
    """(rows, widest) the chosen values of each row, and the column of every chosen value."""
    count = np.cumsum(which)
    first = np.searchsorted(row, np.arange(rows))
    before = np.concatenate(([0], count))[first]
    column = np.asarray(count - 1 - before[row], dtype=np.int64)
    width = max(1, int(column[which].max(initial=0)) + 1)
    table = np.full((rows, width), NOWHERE, dtype=np.int32)
    table[row[which], column[which]] = value[which]
    return table, column


def _shared_pools(instances: Sequence[Instance], A: int, row: Longs, grade: Floats, relevant: Bools) -> Pool:
    """The judged documents of each instance. Each occurs as often as in the ranking that has it most."""
    per_instance = len(instances[0].rankings)
    row, grade = row[relevant], grade[relevant]
    kinds, kind = np.unique(np.column_stack([row // per_instance, grade]), axis=0, return_inverse=True)
    counts = np.zeros((len(kinds), per_instance), dtype=np.int64)
    np.add.at(counts, (kind.reshape(-1), row % per_instance), 1)
    times = counts.max(1, initial=0)
    missed = [instance.missed if instance.missed is not None else _NONE for instance in instances]
    missed_by, _ = _places(np.array([len(documents) for documents in missed], dtype=np.int32))
    topic = np.concatenate([np.repeat(kinds[:, 0].astype(np.int64), times), missed_by])
    return _pool(
        instances, A, topic, np.concatenate([np.repeat(kinds[:, 1:], times, 0), _stacked(missed, A)])
    )


_NONE = np.zeros((0, 1))


def _own_pools(instances: Sequence[Instance], A: int) -> Pool:
    pools = [pool for instance in instances for pool in instance.pools or ()]
    topic, _ = _places(np.array([len(pool) for pool in pools], dtype=np.int32))
    repeated = [instance for instance in instances for _ in instance.rankings]
    return _pool(repeated, A, topic, _stacked(pools, A))


def _pool(instances: Sequence[Instance], A: int, topic: Longs, grade: Floats) -> Pool:
    """The pools, from the documents (total, A) of all topics. Every aspect of a topic gets a document."""
    T = len(instances)
    weight = np.zeros((T, A))
    for t, instance in enumerate(instances):
        weight[t, : len(instance.weights)] = instance.weights
    highest = np.zeros((T, A))
    np.maximum.at(highest, topic, grade)
    most = highest.max(1)
    bare_topic, bare_aspect = np.nonzero((highest == 0) & (weight > 0))
    if instances[0].pools is not None:  # given pools are complete
        bare_topic, bare_aspect = bare_topic[:0], bare_aspect[:0]
    extra = np.zeros((len(bare_topic), A))
    extra[np.arange(len(extra)), bare_aspect] = np.where(most[bare_topic] > 0, most[bare_topic], 1.0)
    topic, grade = np.concatenate([topic, bare_topic]), np.concatenate([grade, extra])
    order = np.argsort(topic, kind="stable")
    topic, grade = topic[order], grade[order]
    size = np.bincount(topic, minlength=T).astype(np.int32)
    _, place = _places(size)
    table = np.zeros((T, A, max(1, int(size.max(initial=0)))))
    table[topic, :, place] = grade
    return Pool(table, weight, np.zeros((T, A), dtype=bool), weighted=True)
