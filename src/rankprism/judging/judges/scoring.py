"""`score`: scores of runs from all labels of judges and few labels of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankprism.data import Bools, Floats, Longs, Note, issue
from rankprism.errors import InputError
from rankprism.evaluation import Collection, collected, evaluate
from rankprism.formats import read_judgments
from rankprism.judging.judges.drawn import read_drawn, with_probabilities
from rankprism.judging.judges.effects import Effects, check, effects
from rankprism.judging.judges.estimation import (
    Estimate,
    Sample,
    estimated,
    half_widths,
    level_together,
    of_both,
    weights_of,
)
from rankprism.judging.judges.labels import Labels, check_judges, check_topics, note_scales, pooled
from rankprism.judging.judges.pool import Ranked, check_shared, hashes
from rankprism.judging.judges.prediction import (
    Predicted,
    covered,
    cross_fitted,
    features,
    folds_of,
    groups_of,
    known_cells,
    likeness,
)
from rankprism.judging.judges.second_order import has_second_order, with_others
from rankprism.measures import Measure, parse_all
from rankprism.meta import check_confidence
from rankprism.results import DEFAULTS, Cell, Record, Result, Scores, Table, measured, signs
from rankprism.statistics import CLAIMS, t_intervals
from rankprism.types import (
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    Natural,
    RunsLike,
    TopicsMeant,
)

#: The claims of the intervals, see `rankprism.statistics.claims`.
A_SCORE, A_DIFFERENCE = "a score from few labels", "a difference from few labels"
ALL_SCORES = "all scores from few labels"
#: The least share of the uncertainty about labels that predictions must remove, for measures such as AP: the
#: first number, and the second one times the share of pairs that are labelled. More labels make intervals
#: narrower, and a bias stands out more. With poorer predictions, what labels do together has to be added.
INFORMATIVE = (0.29, 0.4)
#: The largest |z| with which labelled pairs may differ from the pool before a note is given.
UNLIKELY = 5.0


def score(
    people: JudgmentsLike | Collection,
    judges: Mapping[str, JudgmentsLike],
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    drawn: Any = None,
    pool: JudgmentsLike | None = None,
    meant: TopicsMeant = "these",
    intervals: float = 0.95,
    together: bool = False,
    seed: Natural = 0,
    **options: Unpack[CollectionOptions],
) -> EstimatedScores:
    """Scores of runs as complete judgments by people would give them, from few of these judgments.

    The labels of judges predict those of people, and the labels of people correct the predictions. A useless
    judge makes intervals wider, but not wrong. A judge whose labels are turned round is as good as its mirror
    image.

    Parameters
    ----------
    people
        The judgments of people on a random sample of the pool, as `read_judgments` takes them; or a
        `Collection` of these judgments and the runs.
    judges
        The name of each judge and its judgments.
    runs, measures
        The runs, and the measures to score them by.
    drawn
        The pairs that were drawn, with columns topic, doc and probability: what `select` gives, or a file.
        Default: the column probability of `people`; without it, all pairs of the pool count as if they had
        been drawn with the same chance.
    pool
        Judgments whose pairs of topic and document are the pool. Documents outside count as not relevant.
        Default: all pairs that a judge has labelled.
    meant
        What the intervals hold: the scores on these topics, or on topics like these.
    intervals
        Confidence of the intervals.
    together
        Widen the intervals of a measure so that those of all runs hold at the same time.

        A difference of two runs is then known as well as both are. Default: each interval holds for itself,
        and some of many intervals will miss.
    seed
        Seed for the random numbers. The same seed gives the same result.
    **options
        How to read the judgments of people and the runs, as for `rankprism.evaluate`. Few labels do not show
        which aspects have a relevant document. Without aspects="all", scores by most measures of several
        aspects may therefore be biased.
    """
    check_confidence(intervals)
    if isinstance(people, Collection):
        collection, drawn = _sampled(collected(people, runs, **options), drawn)
    else:
        people, drawn = with_probabilities(people, drawn)
        collection = collected(people, runs, **options)
    collection.check_topics()
    if measures is None:
        raise InputError("name the measures that runs are to be scored with, e.g. nDCG@10 (-m nDCG@10)")
    return Study.read(collection, judges, drawn, pool, seed).score(
        parse_all(measures), meant, intervals, together
    )


def _sampled(collection: Collection, drawn: Any) -> tuple[Collection, Any]:
    """The collection, and the pairs that were drawn, which the table of its judgments may have."""
    held = None if collection.judged is None else collection.judged.thing
    people, drawn = with_probabilities(held, drawn)
    if people is held:
        return collection, drawn
    how = collection.options
    return collection.judged_by(read_judgments(people, aspects=how.aspects, weights=how.weights)), drawn


@dataclass(frozen=True, eq=False)
class Study:
    """A pool with the labels of judges and of some people, and the runs."""

    labels: Labels
    ranked: Ranked
    sample: Sample
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)  #: how the runs were read

    @classmethod
    def read(
        cls, collection: Collection, judges: Mapping[str, Any], drawn: Any, pool: Any, seed: int
    ) -> Study:
        """Read everything, and refuse what does not fit."""
        judged = {name: read_judgments(source) for name, source in check_judges(judges).items()}
        labels = pooled(collection.judgments, judged, None if pool is None else read_judgments(pool))
        check_topics(labels)
        ranked = Ranked.of(labels, collection.judged_by(labels.pairs).aligned())
        check_shared(labels, ranked)
        note_scales(labels, "how its labels map to theirs is estimated")
        _check_complete(labels)
        probability = None if drawn is None else _probabilities(labels, drawn)
        fold = folds_of(hashes(labels), seed)
        sample = Sample(covered(labels), probability, fold)
        study = cls(labels, ranked, sample, seed, collection.reading.settings)
        if probability is None:
            _note_not_uniform(study)
        return study

    def predict(self, judges: bool = True) -> Predicted:
        """What people would say about each cell, from the judges and the runs or from the runs alone."""
        labels = self.labels if judges else replace(self.labels, judges={})
        cells = known_cells(labels)
        x = features(labels, self.ranked, cells)
        label = labels.people[cells]
        several = labels.has_aspects
        found = cross_fitted(x, groups_of(labels, cells), label, self.sample.fold[cells[0]], several=several)
        if not several:
            return found
        known = ~np.isnan(label)
        number = np.bincount(cells[0][known], minlength=len(labels.docs))
        of_known = replace(found, chance=found.chance[known])
        return replace(found, alike=likeness(of_known, label[known], number[number > 0]))

    def estimate(
        self, measure: Measure, predicted: Predicted, informative: bool = True
    ) -> tuple[Estimate, Effects]:
        """The scores by one measure, and the effects of labels that they were estimated from."""
        found = effects(measure, self.labels, self.ranked, predicted, self.seed)
        if self.labels.has_aspects:
            chance = np.full(found.at.shape[:2], 1 / found.at.shape[1])
        else:
            chance = predicted.chance[self.sample.drawn]
        topics, together = len(self.labels.topics), None
        if found.curved and not informative and has_second_order(measure, self.labels):
            weight = weights_of(self.sample, found.matters)
            together = with_others(measure, self.labels, self.ranked, predicted, weight, self.seed)
        return estimated(found, chance, self.sample, self.labels.topic, topics, together), found

    def removed(self, predicted: Predicted) -> float:
        """The share of the uncertainty about the labels in hand that the predictions remove.

        1 - (mean log-likelihood of the labels by predictions made without them) / (by their shares alone).
        """
        cells = known_cells(self.labels)
        label = self.labels.people[cells]
        known = ~np.isnan(label)
        place = np.searchsorted(predicted.levels, label[known])
        shares = np.bincount(place, minlength=len(predicted.levels)) / max(1, len(place))
        alone = float(np.log(shares[place]).mean()) if len(place) else 0.0
        if alone > -1e-9:
            return 1.0
        return 1 - float(np.log(predicted.chance[known, place]).mean()) / alone

    def score(
        self, measures: Sequence[Measure], meant: TopicsMeant, confidence: float, together: bool = False
    ) -> EstimatedScores:
        """The scores of all runs by these measures."""
        for measure in measures:
            check(measure)
        with_judges, alone = self.predict(), self.predict(judges=False)
        removed = self.removed(with_judges)
        found: list[_Column] = []
        for measure in measures:
            estimate, half, why = self.interval(measure, with_judges, removed, confidence, together)
            _, without, why_not = self.interval(measure, alone, self.removed(alone), confidence, together)
            found.append(_Column(estimate, half, without, why, bool(why_not)))
        return self._result(measures, found, meant, confidence, removed, together)

    def interval(
        self,
        measure: Measure,
        predicted: Predicted,
        removed: float,
        confidence: float,
        together: bool = False,
    ) -> tuple[Estimate, Floats, str]:
        """The scores by one measure, `half_widths`, and why there is no interval; "" if there is one."""
        needed = INFORMATIVE[0] + INFORMATIVE[1] * self.sample.drawn.mean()
        estimate, effect = self.estimate(measure, predicted, removed >= needed)
        conservative = self.labels.has_aspects or not effect.linear
        half = half_widths(estimate, confidence, conservative, together)
        return estimate, half, self._why_not(measure, estimate, effect.curved, removed, needed)

    def _why_not(
        self, measure: Measure, estimate: Estimate, curved: bool, removed: float, needed: float
    ) -> str:
        """Why a measure gets no interval; "" if it gets one."""
        if bool(self.sample.drawn.all()):
            return ""
        unknown, every = _unknown_aspects(self.labels)
        if unknown and _counts_aspects(measure):
            return (
                f"it counts only aspects with a relevant document, and people have found none for "
                f"{unknown} of {every} aspects, so the scores may be biased. If every aspect counts, say so "
                f"with aspects='all' (--aspects all)"
            )
        fewest, given = CLAIMS[A_SCORE].fewest, int(self.sample.drawn.sum())
        if estimate.labels < fewest:
            return (
                f"there is no interval of {A_SCORE}: it needs {fewest} labels of documents that can change a "
                f"score, and {estimate.labels} of the {given} labels are of such documents"
            )
        if curved and removed < needed and not has_second_order(measure, self.labels):
            return (
                f"the predictions remove {100 * max(removed, 0):.0f} % of the uncertainty about the labels "
                f"in hand, and this measure needs {100 * needed:.0f} %"
            )
        return ""

    def _result(
        self,
        measures: Sequence[Measure],
        found: Sequence[_Column],
        meant: TopicsMeant,
        confidence: float,
        removed: float,
        together: bool,
    ) -> EstimatedScores:
        values = np.stack([column.estimate.by_topic for column in found], axis=2)
        half = np.stack([_diagonal(column.half) for column in found], axis=1)
        apart = np.stack([column.half for column in found], axis=2)
        if meant == "like-these":
            _, half = t_intervals(values, 1 - confidence)
            gaps = values[:, None] - values[None]
            runs, topics, number = values.shape
            _, margin = t_intervals(
                gaps.reshape(runs * runs, topics, number), 1 - confidence, "a difference by t"
            )
            apart = margin.reshape(runs, runs, number)
            if together:
                half, apart = _over_topics_together(values, half, confidence)
        names = tuple(map(str, measures))
        why = {name: column.why for name, column in zip(names, found, strict=True) if column.why}
        for m, name in enumerate(names):
            if name in why:
                half[:, m] = apart[:, :, m] = np.nan
        width = [None if column.why else _mean_width(column.half) for column in found]
        alone = [None if column.none_alone else _mean_width(column.alone) for column in found]
        return EstimatedScores(
            self.ranked.runs,
            self.labels.topics,
            names,
            values,
            half,
            apart,
            {
                "estimand": ESTIMANDS[meant],
                "labels": int(self.sample.drawn.sum()),
                "pool": len(self.labels.docs),
                "judges": {name: source.source for name, source in self.labels.sources.items()},
                "people": self.labels.source.source,
                "drawn": UNKNOWN_CHANCES
                if self.sample.probability is None
                else "drawn with given probabilities",
                "confidence": confidence,
                "intervals hold": "together" if together else "each for itself",
                "seed": self.seed,
                "uncertainty removed": removed,
                "mean width": dict(zip(names, width, strict=True)),
                "mean width without judges": dict(zip(names, alone, strict=True)),
                "labels saved": dict(zip(names, map(self._saved, width, alone), strict=True)),
                "no interval because": why,
                "direction": measured(measures, self.labels.source.lower_is_better),
                **self.settings,
            },
        )

    def _saved(self, width: float | None, alone: float | None) -> int | None:
        """The labels that people alone would need in addition to reach the same width.

        A variance is proportional to 1/f - 1 if a share f of the pool is labelled.
        """
        if width is None or alone is None:
            return None
        pool, labels = len(self.labels.docs), int(self.sample.drawn.sum())
        if not 0 < width < alone or labels >= pool:
            return 0
        odds = (pool / labels - 1) * (width / alone) ** 2
        return round(pool / (1 + odds)) - labels


class _Column(NamedTuple):
    """What was found by one measure."""

    estimate: Estimate
    half: Floats  #: (run, run) half the width of intervals
    alone: Floats  #: the same without judges
    why: str
    none_alone: bool  #: whether there would be no interval without judges


ESTIMANDS = {
    "these": "the score that complete judgments by people would give on these topics",
    "like-these": "the mean score that complete judgments by people would give on topics like these",
}


#: What is said of labels if nobody says how they were drawn.
UNKNOWN_CHANCES = "taken as drawn with equal chances, because no probabilities were given"


def _over_topics_together(values: Floats, half: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Student's intervals over topics of all runs, widened so that they hold together, and of differences."""
    from scipy.special import stdtrit

    freedom = values.shape[1] - 1
    single, wide = stdtrit(freedom, 0.5 + confidence / 2), half.copy()
    for m in range(values.shape[2]):
        level = level_together(np.atleast_2d(np.cov(values[:, :, m])), confidence)
        wide[:, m] *= stdtrit(freedom, 0.5 + level / 2) / single
    return wide, np.stack([of_both(column) for column in wide.T], axis=2)


def _diagonal(values: Floats) -> Floats:
    return np.array(np.diag(values))


def _hold(about: Mapping[str, Any], what: str) -> str:
    """What the intervals of runs or differences claim."""
    return (
        f"which hold for all {what} together" if about["intervals hold"] == "together" else "each for itself"
    )


def _mean_width(half: Floats) -> float:
    return 2 * float(_diagonal(half).mean())


def _unknown_aspects(labels: Labels) -> tuple[int, int]:
    """The number of aspects of which it is not known whether they count, and of all aspects."""
    cells = known_cells(labels)
    group = groups_of(labels, cells)
    number = int(group.max(initial=0)) + 1
    if not labels.has_aspects or labels.source.cells.counted is not None:
        return 0, number
    found = np.bincount(group, np.nan_to_num(labels.people[cells]) > 0, number)
    return int((found == 0).sum()), number


def _counts_aspects(measure: Measure) -> bool:
    """Whether a score changes if another aspect counts, to which no document is relevant."""
    rows = {"q": {"one": {"a": 1, "b": 0}, "other": {"a": 0, "b": 0}}}
    run = {"q": {"b": 2, "a": 1}}
    some, every = (evaluate(read_judgments(rows, aspects=aspects), run, measure) for aspects in (None, "all"))
    return not np.array_equal(some.values, every.values)


def _check_complete(labels: Labels) -> None:
    """Refuse documents that people have judged on some aspects only."""
    some = ~np.isnan(labels.people).all(1) & ~covered(labels)
    if some.any():
        pair = int(np.flatnonzero(some)[0])
        raise InputError(
            f"{labels.source.source}: {labels.name_of(pair)} is judged on some aspects and not on all "
            f"{len(labels.aspects[labels.topic[pair]])}; add grades of 0 for the others"
        )


def _probabilities(labels: Labels, drawn: Any) -> Floats:
    """(pair,) the probability of each pair that was drawn; NaN elsewhere."""
    number = {
        (labels.topics[t], doc): n
        for n, (t, doc) in enumerate(zip(labels.topic.tolist(), labels.docs, strict=True))
    }
    found = np.full(len(labels.docs), np.nan)
    for pair in read_drawn(drawn):
        place = number.get((pair.topic, pair.doc))
        if place is None:
            raise InputError(
                f"document {pair.doc!r} of topic {pair.topic!r} was drawn, but it is not in the pool; draw "
                f"from the same judges or name the same pool"
            )
        found[place] = pair.probability
    judged, known = covered(labels), ~np.isnan(found)
    undrawn = "was judged by people, but not drawn, so its probability is not known; leave it out"
    unjudged = "was drawn, but not judged; judge all drawn pairs, because those that are left may differ"
    for wrong, text in ((judged & ~known, undrawn), (known & ~judged, unjudged)):
        if wrong.any():
            first = labels.name_of(int(np.flatnonzero(wrong)[0]))
            raise InputError(f"{first} {text} ({int(wrong.sum())} in all)")
    return found


def _note_not_uniform(study: Study) -> None:
    """Note labelled pairs that are unlike a sample with equal chances.

    Either runs rank them higher or lower than the pool, or there are too many in some topics.
    """
    about = np.zeros(len(study.labels.docs))
    seen = study.ranked.about_pairs[:, 2]
    about[: len(seen)] = seen
    drawn: Bools = study.sample.drawn
    n, number = int(drawn.sum()), len(drawn)
    if n < 2 or n == number:
        return
    error = about.std() * np.sqrt((1 - n / number) / n)
    z = (about[drawn].mean() - about.mean()) / error if error > 0 else 0.0
    how = f"runs rank them {'higher' if z > 0 else 'lower'} (z = {z:.1f})"
    if abs(z) <= UNLIKELY:
        z = _unevenness(np.bincount(study.labels.topic[drawn], minlength=len(study.labels.topics)),
                        np.bincount(study.labels.topic) * n / number)  # fmt: skip
        how = f"some topics have too many of them and others too few (z = {z:.1f})"
    if abs(z) > UNLIKELY:
        text = (
            f"the {n} judged pairs are not like a sample with equal chances of the {number} pairs of the "
            f"pool: {how}; the estimates are biased unless you give the probabilities with drawn= (--drawn)"
        )
        issue([Note("unequal-chances", text, n, "")])


def _unevenness(found: Longs, expected: Floats) -> float:
    """How many standard deviations χ² of counts is above its mean; 0 if it is below"""
    square = float(((found - expected) ** 2 / expected).sum())
    return max(0.0, (square - len(found) + 1) / float(np.sqrt((2 + 1 / expected).sum())))


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedScores(Result):
    """Scores of runs as complete judgments by people would give them, with intervals."""

    claims = (A_SCORE, ALL_SCORES, "a mean")
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats  #: (run, topic, measure) estimates, which for a single topic are very uncertain
    half: Floats  #: (run, measure) half the width of the interval; NaN if there is none
    apart: Floats  #: (run, run, measure) the same of differences of two runs
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def means(self) -> Floats:
        """(run, measure) the estimates."""
        return np.asarray(self.values.mean(1))

    @property
    def scores(self) -> Scores:
        """The estimates of each topic as scores, which `compare` and all other analyses take.

        Tests and intervals over topics then count the uncertainty of the estimates, too: it is part of the
        differences between topics.
        """
        names = tuple(f"Estimated({measure})" for measure in self.measures)
        how = {name: str(self.about[name]) for name in ("order", "duplicates")}
        how = {name: text for name, text in how.items() if text != DEFAULTS[name]}
        record = Record(settings={**how, "estimates": f"by labels of {', '.join(self.about['judges'])}"})
        return Scores(self.runs, self.topics, names, np.array(self.values), dict(self.about), record=record)

    @property
    def order(self) -> Longs:
        """The runs, the best by the first measure first."""
        return np.argsort(-self.means[:, 0] * signs(self.measures, self.lower_is_better)[0], kind="stable")

    @property
    def summary(self) -> Table:
        """A line for each run, the best by the first measure first."""
        means, order = self.means, self.order
        columns: dict[str, list[Any]] = {"run": [self.runs[r] for r in order]}
        for m, measure in enumerate(self.measures):
            columns[measure] = [
                Cell(float(means[r, m]), between=None if np.isnan(half := float(self.half[r, m])) else
                     (float(means[r, m]) - half, float(means[r, m]) + half))
                for r in order
            ]  # fmt: skip
        return Table(columns, digits=3)

    @property
    def savings(self) -> Table:
        """A line for each measure: how wide intervals are on average, with and without the judges."""
        a = self.about
        return Table(
            {
                "measure": list(self.measures),
                "mean width": [a["mean width"][m] for m in self.measures],
                "without judges": [a["mean width without judges"][m] for m in self.measures],
                "labels saved": [a["labels saved"][m] for m in self.measures],
            },
            digits=3,
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.summary, self.savings)

    @property
    def note(self) -> str:
        a = self.about
        judges = len(a["judges"])
        lines = [
            f"Estimates of {a['estimand']}, from {a['labels']} labels of people on a pool of {a['pool']} "
            f"pairs, {a['drawn']}, and the labels of {judges} judge{'s' * (judges != 1)}. In brackets: "
            f"{100 * a['confidence']:g} % intervals, {_hold(a, 'runs')}.",
            "labels saved: how many more labels people alone would need for the same width, on these topics.",
        ]
        alone, none = a["mean width without judges"], a["no interval because"]
        if any(alone[measure] is None and measure not in none for measure in self.measures):
            lines.append("– without judges: the predictions would be too poor for an interval.")
        lines += [f"– {measure}: {why}." for measure, why in none.items()]
        return "\n".join(lines)

    @property
    def rows(self) -> Table:
        """One row per run and measure."""
        means = self.means
        r, m = (axis.ravel() for axis in np.indices(means.shape))
        return Table(
            {
                "run": [self.runs[i] for i in r],
                "measure": [self.measures[j] for j in m],
                "score": means.ravel().tolist(),
                "low": (means - self.half).ravel().tolist(),
                "high": (means + self.half).ravel().tolist(),
            }
        )

    def differences(self) -> EstimatedDifferences:
        """The difference of every two runs, with intervals."""
        first, second = np.triu_indices(len(self.runs), 1)
        order = self.order
        first, second = order[first], order[second]
        means = self.means
        return EstimatedDifferences(
            self.runs,
            self.measures,
            first,
            second,
            means[first] - means[second],
            self.apart[first, second],
            self.about,
        )


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedDifferences(Result):
    """Differences of runs as complete judgments by people would give them. Arrays are (pair, measure)."""

    claims = (A_DIFFERENCE, ALL_SCORES, "a difference by t")
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    first: Longs
    second: Longs
    difference: Floats
    half: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    def settled(self, by: float) -> Floats:
        """(measure,) the share of pairs whose order is known or that differ by less than `by`."""
        low, high = np.abs(self.difference) - self.half, np.abs(self.difference) + self.half
        return np.asarray(((low > 0) | (high < by)).mean(0))

    @property
    def summary(self) -> Table:
        columns: dict[str, list[Any]] = {
            "run": [self.runs[r] for r in self.first],
            "other": [self.runs[r] for r in self.second],
        }
        for m, measure in enumerate(self.measures):
            columns[measure] = [
                Cell(float(d), between=None if np.isnan(h) else (float(d - h), float(d + h)))
                for d, h in zip(self.difference[:, m], self.half[:, m], strict=True)
            ]
        return Table(columns, digits=3)

    @property
    def note(self) -> str:
        a = self.about
        lines = [
            f"Estimates of differences in {a['estimand']}, from {a['labels']} labels of people. In brackets: "
            f"{100 * a['confidence']:g} % intervals, {_hold(a, 'differences')}."
        ]
        return "\n".join([*lines, *(f"– {m}: {why}." for m, why in a["no interval because"].items())])

    @property
    def rows(self) -> Table:
        p, m = (axis.ravel() for axis in np.indices(self.difference.shape))
        return Table(
            {
                "run": [self.runs[self.first[i]] for i in p],
                "other": [self.runs[self.second[i]] for i in p],
                "measure": [self.measures[j] for j in m],
                "difference": self.difference.ravel().tolist(),
                "low": (self.difference - self.half).ravel().tolist(),
                "high": (self.difference + self.half).ravel().tolist(),
            }
        )
