"""Do judges agree with people: on labels, on the order of runs, and on families of runs?

Topics are the units. A figure about labels is computed again without one topic at a time, because the labels
of a topic have more in common than those of different topics.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Unpack

import numpy as np

from rankprism.data import Floats, Note, issue
from rankprism.errors import InputError, RankprismWarning, listed
from rankprism.evaluation import Collection, collected, evaluate
from rankprism.formats import files
from rankprism.judging.judges.agreement_result import (
    AT_THE_TOP,
    OF_LABELS,
    Confusion,
    FamilyAgreement,
    LabelAgreement,
    RunAgreement,
)
from rankprism.judging.judges.figure import ALL, Figure
from rankprism.judging.judges.labels import (
    Labels,
    check_judges,
    check_topics,
    note_scales,
    read_labels,
    same_scale,
    without_stray,
)
from rankprism.judging.judges.shared_labels import ENOUGH, Compared, Shared, compared
from rankprism.judging.preferences import agreement
from rankprism.measures import ratio
from rankprism.meta import Sampled, check_confidence, correlation, halves, other_means, without_one
from rankprism.results import Scores
from rankprism.statistics import CLAIMS, corrected, t_intervals
from rankprism.types import (
    Coefficient,
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    Natural,
    Positive,
    RunsLike,
)

#: The largest number of grades that a table of confusion shows one by one.
MOST_GRADES = 10


def agree(
    people: JudgmentsLike | Collection,
    judges: Mapping[str, JudgmentsLike],
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    family: Any = None,
    top: Positive = 10,
    intervals: float = 0.95,
    seed: Natural = 0,
    **options: Unpack[CollectionOptions],
) -> LabelAgreement:
    """How far judges agree with people, on labels and on runs.

    Parameters
    ----------
    people
        The judgments of people, as `read_judgments` takes them; or a `Collection` of these judgments and
        perhaps runs.
    judges
        The name of each judge and its judgments.
    runs, measures
        Score these runs with the labels of people and of each judge, and compare the scores. If a label is
        missing on one side, only the documents that both have labelled count, and all others are removed from
        the rankings. With too few of them, nothing is said about runs, and a note names `judges score`.
    family
        The family of each run: a mapping, or a file with a line for each run and its family. Tells whether a
        judge favours a family.
    top
        Number of the best runs that are compared.
    intervals
        Confidence of the intervals, whose units are topics. 0 leaves the intervals out.
    seed
        Seed for the random numbers. The same seed gives the same result.
    **options
        How to read the judgments of people and the runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> people = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "b": 0, "c": 2}}
    >>> judge = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 1, "b": 0, "c": 2}}
    >>> found = agree(people, {"judge": judge}, intervals=0)
    >>> print(f"{found.value('judge', 'κ'):.3f}")
    0.750
    """
    check_confidence(intervals)
    judges = check_judges(judges)
    collection = collected(people, runs, without_runs=True, **options)
    collection.check_topics()
    labels = read_labels(collection.judgments, judges)
    check_topics(labels)
    confusion = {name: confusion_of(labels, name) for name in labels.judges}
    on_scale = replace(labels, judges={name: without_stray(labels, name) for name in labels.judges})
    note_scales(on_scale, "its κ, α and bias are not defined")
    figures: list[Figure] = []
    for name in labels.judges:
        figures += _on_labels(labels, on_scale.judges[name], name, intervals)
    about = {
        "judges": {name: judgments.source for name, judgments in labels.sources.items()},
        "people": labels.source.source,
        "topics": len(labels.topics),
        "confidence": intervals,
        "units of the intervals": "topics",
        "seed": seed,
    }
    if not collection.sources:
        if measures is not None or family is not None:
            raise InputError("measures and families need runs; name the runs after the judgments of people")
        return LabelAgreement(tuple(labels.judges), tuple(figures), confusion, about)
    if measures is None:
        raise InputError("name the measures that runs are to be scored with, e.g. nDCG@10 (-m nDCG@10)")
    by = _scored(labels, collection, measures)
    first = next(iter(by.values())).people
    figures += [
        Figure(name, "labels", "shared", ALL, one.shared, units=len(labels.topics))
        for name, one in by.items()
    ]
    known = {name: one for name, one in by.items() if one.enough}
    figures += _on_runs(known, intervals, min(top, len(first.runs)), seed)
    about |= {"runs": len(first.runs), "top": min(top, len(first.runs)), "scores": first.conventions}
    shared = (tuple(labels.judges), tuple(figures), confusion, about, first.measures, first.runs, by)
    if family is None:
        return RunAgreement(*shared)
    families = read_families(family, first.runs)
    more = tuple(_on_families(known, families, intervals))
    return FamilyAgreement(shared[0], (*figures, *more), *shared[2:], families)


def confusion_of(labels: Labels, judge: str) -> Confusion:
    """The table of the labels of people and of a judge."""
    x, y = labels.people, labels.judges[judge]
    both = ~np.isnan(x + y)
    rows, columns = labels.scale(x), labels.scale(y)
    if len(columns) > MOST_GRADES:
        edges = np.linspace(columns[0], columns[-1], 6)
        place = np.clip(np.searchsorted(edges, y[both], "right") - 1, 0, 4)
        names = tuple(f"{a:g} to {b:g}" for a, b in pairwise(edges))
    else:
        place = np.searchsorted(columns, y[both])
        names = tuple(f"{grade:g}" for grade in columns)
    counts = np.zeros((len(rows), len(names)))
    np.add.at(counts, (np.searchsorted(rows, x[both]), place), 1.0)
    return Confusion(rows, names, counts)


def weighted_kappa(confusion: Floats, grades: Floats) -> Floats:
    """Cohen's κ with quadratic weights, 1 - Σ o_ck (g_c - g_k)² / Σ e_ck (g_c - g_k)², of (…, C, C) tables

    o is the share of each pair of labels, and e what independent labels with the same margins would give. NaN
    if both always give the same label.
    """
    distance = (grades[:, None] - grades) ** 2
    total = confusion.sum((-2, -1))
    expected = confusion.sum(-1)[..., :, None] * confusion.sum(-2)[..., None, :]
    apart = (expected * distance).sum((-2, -1))
    observed = total * (confusion * distance).sum((-2, -1))
    return np.where(apart > 0, 1 - ratio(observed, apart), np.nan)


def label_figures(tables: Floats, grades: Floats) -> dict[str, Floats]:
    """κ, weighted κ, ordinal α and the bias, from (…, people, judge) tables over the same grades."""
    numbers = tables.sum((-2, -1))
    bias = (tables * (grades - grades[:, None])).sum((-2, -1))
    return {
        "κ": agreement.cohen_kappa(tables),
        "weighted κ": weighted_kappa(tables, grades),
        "α": agreement.ordinal_alpha(tables + np.swapaxes(tables, -2, -1)),
        "bias": np.where(numbers > 0, ratio(bias, numbers), np.nan),
    }


def by_topic(x: Floats, y: Floats, topic: Any, topics: int) -> tuple[Floats, Floats]:
    """(topic, people, judge) the tables of labels of each topic, and the grades that they are of."""
    grades = np.unique(np.concatenate([x, y]))
    tables = np.zeros((topics, len(grades), len(grades)))
    np.add.at(tables, (topic, np.searchsorted(grades, x), np.searchsorted(grades, y)), 1.0)
    return tables, grades


def over_topics(tables: Floats, grades: Floats, confidence: float) -> dict[str, tuple[float, float, float]]:
    """The figures of all topics, and their intervals by the jackknife over topics."""
    whole = tables.sum(0)
    found = label_figures(whole, grades)
    if not confidence:
        return {name: (float(value), np.nan, np.nan) for name, value in found.items()}
    sampling = without_one(OF_LABELS, len(tables), confidence)
    again = label_figures(whole - tables, grades) if len(sampling.kept) else {}
    ends: dict[str, tuple[float, float, float]] = {}
    for name, value in found.items():
        sampled = Sampled(sampling, value, again.get(name, np.empty((0,))))
        least, most = (-np.inf, np.inf) if name == "bias" else (-1.0, 1.0)
        low, high = sampled.interval(least, most)
        ends[name] = (float(value), float(low), float(high))
    return ends


def _on_labels(labels: Labels, on_scale: Floats, judge: str, confidence: float) -> list[Figure]:
    """The figures about the labels of a judge. on_scale : the labels that κ, α and bias are about."""
    x, y = labels.people, labels.judges[judge]
    both = ~np.isnan(x + y)
    pairs = int(both.sum())
    if not pairs:
        raise InputError(
            f"judge {judge!r} and the people have no pair of a topic and a document in common; check that "
            f"both belong to one collection and spell their ids alike"
        )

    def figure(name: str, value: float, item: str = ALL, units: int = 0) -> Figure:
        return Figure(judge, "labels", name, item, value, units=units)

    found = [
        figure("pairs", float(pairs)),
        figure("only people", float((~np.isnan(x) & np.isnan(y)).sum())),
        figure("only judge", float((np.isnan(x) & ~np.isnan(y)).sum())),
    ]
    one, other = x[both], y[both]
    if same_scale(labels.scale(x), labels.scale(on_scale)):
        counted = ~np.isnan(x + on_scale)
        judged_topics, place = np.unique(labels.topic[np.nonzero(counted)[0]], return_inverse=True)
        tables, grades = by_topic(x[counted], on_scale[counted], place.ravel(), len(judged_topics))
        ends = over_topics(tables, grades, confidence)
        found += [Figure(judge, "labels", n, ALL, *e, units=len(judged_topics)) for n, e in ends.items()]
        for t, table in enumerate(tables):
            gap = np.repeat((grades - grades[:, None]).ravel(), table.ravel().astype(np.int64))
            name = labels.topics[judged_topics[t]]
            found += [
                figure("bias in topic", float(gap.mean()), name, len(gap)),
                figure("spread in topic", float(gap.std()), name, len(gap)),
            ]
    for grade in labels.scale(x):
        given = other[one == grade]
        if len(given):
            found += [
                figure("mean label for grade", float(given.mean()), f"{grade:g}", len(given)),
                figure("spread for grade", float(given.std()), f"{grade:g}", len(given)),
            ]
    return found


def _scored(labels: Labels, collection: Collection, measures: MeasuresLike) -> dict[str, Compared]:
    """The scores of runs by the labels of people and of each judge. Says which judges have too few labels."""
    with warnings.catch_warnings():
        if not all(Shared.of(labels, name).is_whole for name in labels.judges):
            # What is not judged is not counted as 0 here.
            warnings.filterwarnings("ignore", r".*\[(few-judged|unmatched-topics)\]", RankprismWarning)
        by_people = evaluate(collection, measures=measures)
    found = compared(labels, collection, by_people)
    for name, one in found.items():
        if not one.enough:
            issue([_too_few(labels, name, one)])
    return found


def _too_few(labels: Labels, judge: str, found: Compared) -> Note:
    """What to do if people and a judge have too few labels in common."""
    people, own = labels.source, labels.sources[judge]
    files = (people.source if people.format else "PEOPLE", own.source if own.format else "QRELS")
    named = " ".join(f"-m {shlex.quote(measure)}" for measure in found.people.measures)
    text = (
        f"people and judge {judge!r} have both labelled {100 * found.shared:.2g} % of the documents at the "
        f"top of the runs that either has labelled. With less than {100 * ENOUGH:g} %, nothing is said about "
        f"runs. To score them with all labels of the judge, corrected by those of people: rankprism judges "
        f"score {files[0]} RUN... --judge {judge}={files[1]} {named}"
    )
    return Note("missing-labels", text, 1, judge)


def shared_at_top(columns: Floats, top: int) -> Floats:
    """(…) the share of the best runs that two rankings have in common, from means (…, 2, run)

    Runs are taken in the order of their names if their means are equal.
    """
    best = np.argsort(-columns, axis=-1, kind="stable")[..., :top]
    first, second = best[..., 0, :, None], best[..., 1, None, :]
    return np.asarray((first == second).sum((-2, -1)) / top)


def top_agreement(
    people: Floats, judge: Floats, top: int, confidence: float, seed: int
) -> tuple[float, float, float]:
    """`shared_at_top` of scores (run, topic), with its interval."""
    value = shared_at_top(np.stack([people.mean(1), judge.mean(1)]), top)
    if not confidence:
        return float(value), np.nan, np.nan
    sampling = halves(AT_THE_TOP, people.shape[1], confidence, seed)
    replicates = np.empty((0,))
    if len(sampling.kept):
        means = [other_means(values, sampling).T for values in (people, judge)]
        replicates = shared_at_top(np.stack(means, 1), top)
    low, high = Sampled(sampling, value, replicates).interval(0.0, 1.0)
    return float(value), float(low), float(high)


_COEFFICIENTS: tuple[tuple[str, Coefficient], ...] = (("τ_b", "tau-b"), ("τ_ap", "tau-ap"))


def _tells_apart(values: Floats, judge: str, measure: str) -> bool:
    """Whether a judge's scores (run, topic) differ at all. If not, a note says so."""
    if np.ptp(values) > 0:
        return True
    text = (
        f"every run has the score {values[0, 0]:g} on every topic by {measure} with the labels of judge "
        f"{judge!r}, so nothing is compared; choose a measure for the judge's scale"
    )
    issue([Note("equal-scores", text, 1, judge)])
    return False


def _on_runs(by: Mapping[str, Compared], confidence: float, top: int, seed: int) -> list[Figure]:
    """The figures about the scores of runs, for each measure and judge."""
    measures = next(iter(by.values())).people.measures if by else ()
    return [
        figure
        for m, measure in enumerate(measures)
        for name, one in by.items()
        for figure in _on_order(name, measure, one, m, confidence, top, seed)
    ]


def _on_order(
    name: str, measure: str, one: Compared, m: int, confidence: float, top: int, seed: int
) -> list[Figure]:
    """The figures about the scores of runs by one measure and judge."""
    runs, topics = one.people.runs, one.people.topics
    values = np.stack([scores.values[:, :, m] for scores in (one.people, one.judge)], axis=-1)
    if not _tells_apart(values[:, :, 1], name, measure):
        return []
    figures: list[Figure] = []
    oriented = values * one.people.direction[m]
    together = Scores(runs, topics, ("people", name), oriented)
    for word, coefficient in _COEFFICIENTS if len(runs) > 1 else ():
        found = correlation(together, coefficient=coefficient, intervals=confidence, seed=seed)
        low, high = found.interval
        ends = (float(found.values[0, 1]), float(low[0, 1]), float(high[0, 1]))
        figures.append(Figure(name, measure, word, ALL, *ends, units=len(topics)))
    order = sorted(range(len(runs)), key=runs.__getitem__)
    ends = top_agreement(oriented[order, :, 0], oriented[order, :, 1], top, confidence, seed)
    figures.append(Figure(name, measure, f"top {top}", ALL, *ends, units=len(topics)))
    gap = values[:, :, 1] - values[:, :, 0]
    figures.append(mean_over_topics(name, measure, "bias", ALL, gap.mean(0), confidence))
    figures += [
        mean_over_topics(name, measure, "bias of run", run, row, confidence)
        for run, row in zip(runs, gap, strict=True)
    ]
    if confidence:
        mean, margin = t_intervals(values[:, :, 1, None], 1 - confidence)
        held = np.abs(values[:, :, 0].mean(1) - mean[:, 0]) <= margin[:, 0]
        share = float(held.sum()) if CLAIMS["a mean"].missing(len(topics)) is None else np.nan
        figures.append(Figure(name, measure, "held", ALL, share, units=len(runs)))
    return figures


def mean_over_topics(
    judge: str, measure: str, figure: str, item: str, gap: Floats, confidence: float
) -> Figure:
    """The mean of a difference over topics, with the interval and p of Student's t."""
    from scipy.special import stdtr

    value, n = float(gap.mean()), len(gap)
    error = float(gap.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
    if not confidence or not error > 1e-15:
        return Figure(judge, measure, figure, item, value, units=n)
    _, margin = t_intervals(gap[None, :, None], 1 - confidence, "a difference by t")
    reach = float(margin[0, 0])
    p = float(2 * stdtr(n - 1, -abs(value) / error))
    return Figure(judge, measure, figure, item, value, value - reach, value + reach, p, n)


def read_families(source: Any, runs: Sequence[str]) -> dict[str, str]:
    """The family of each run, from a mapping or from a file of runs and families."""
    given = dict(source) if isinstance(source, Mapping) else _families_in(source)
    known = {run: str(given[run]) for run in runs if run in given}
    if not known:
        raise InputError(
            f"the families name none of the runs: they name {listed(map(str, given))}, and the runs are "
            f"{listed(runs)}"
        )
    if len(set(known.values())) == 1 and len(known) == len(runs):
        raise InputError(
            f"all runs are of the family {next(iter(known.values()))!r}; at least two families are needed"
        )
    return known


def _families_in(path: Any) -> dict[str, str]:
    name = files.source_name(path)
    found: dict[str, str] = {}
    for number, line in files.opened(path).lines():
        words = line.replace(",", " ").split()
        if len(words) != 2:
            raise InputError(f"{name}, line {number}: expected a run and its family; found {line.strip()!r}")
        if found.setdefault(words[0], words[1]) != words[1]:
            raise InputError(
                f"{name}, line {number}: run {words[0]!r} is of the family {words[1]!r} here and "
                f"{found[words[0]]!r} above; keep one of them"
            )
    if not found:
        raise InputError(f"{name}: there is no run in it; a line is a run and its family")
    return found


def _on_families(by: Mapping[str, Compared], families: Mapping[str, str], confidence: float) -> list[Figure]:
    """How much better a judge scores the runs of a family than the others, compared with people.

    z_t is the mean of (judge - people) over the runs of the family on topic t, less its mean over all other
    runs. The figure is the mean of z_t over topics, and p is corrected for the number of families by Holm.
    """
    figures: list[Figure] = []
    names = sorted(set(families.values()))
    for judge, (people, scores, _) in by.items():
        for m, measure in enumerate(people.measures):
            if np.ptp(scores.values[:, :, m]) == 0:
                continue
            gap = (scores.values[:, :, m] - people.values[:, :, m]) * people.direction[m]
            own: list[Figure] = []
            for name in names:
                inside = np.array([families.get(run) == name for run in people.runs])
                z = gap[inside].mean(0) - gap[~inside].mean(0)
                own.append(mean_over_topics(judge, measure, "favours", name, z, confidence))
            p = np.array([figure.p for figure in own])
            adjusted = np.full_like(p, np.nan)
            adjusted[~np.isnan(p)] = corrected(p[~np.isnan(p)], "holm")
            figures += [f._replace(p=float(q)) for f, q in zip(own, adjusted, strict=True)]
    return figures
