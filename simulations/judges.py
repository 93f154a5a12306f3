"""Simulations of the intervals of `rankprism judges`.

    python -m simulations.judges FOLDER --repetitions 100 --share 0.05 --judges honest --measure nDCG@10

draws samples of the labels of TREC Deep Learning 2021 and counts how often intervals hold the score by all
labels. FOLDER has trec-dl-2021-prefs and trec-dl-2021-judges. With --collection web-2009 or web-2012, topics
have several aspects, judges are made up, and one sample is drawn for all measures. docs/intervals.md has
the tables.

These repetitions changed the program. By AP, the correction by single labels is biased if predictions are
poor. In 500 repetitions with 5, 10 and 20 % of the labels, its intervals held in .881, .815 and .774 of
runs without judges (biases of -.014, -.014 and -.011), with 10 and 20 % in .868 and .852 with Llama's
labels, and with 20 % in .903 with EXAM's. What two labels do together, added to it, removes the bias (to
less than .001 with 10 and 20 %). The intervals then hold, but are 1.4 to 1.5 times as wide, and 1.8 times
with 2 % of the labels. So it is added only if predictions remove less than .29 of the uncertainty about
the labels in hand, plus .4 times the share of pairs that are labelled. With all four judges they remove
.29, .35, .39 and .41 with 2, 5, 10 and 20 % of the labels, and .30, .31, .33 and .37 are needed. The
bound was chosen on this collection, after seeing that first-order intervals with EXAM's labels held in
.922 where predictions removed .33 or more. Measures other than AP, R and F1 that need good predictions,
such as Q, have no interval below the bound. Without judges, 541 labels hold R@100 in .966 of 100
repetitions and F1@10 in .974. If all pairs have equal chances, AP is held without judges in .967 of 60
repetitions with 541 labels and in .983 with 2,166, with intervals of .220 and .098. Intervals of AP for
topics like these (`--meant like-these`) were not simulated with poor predictions.

The rows were made before the last change: if residuals are smaller than the predictions expect, the
program now believes that less, the fewer labels decide. It changes no estimate, and no interval became
narrower. On 60 samples of 217 labels with all four judges, intervals of P(rel=2)@10 are .0 % wider on
average, of nDCG@10 and ERR@10 .1 %, and of AP .4 %; on 40 samples of 2,166 labels at most .3 %. A made-up
judge that has the labels of people, but for 3 % of the documents those of others, shows why it is needed:
with 217 labels, nDCG@10 was held in .876 of runs and is in .952 of 60 repetitions, and with 541 labels in
.909 and .923.

Samples of other kinds hold, too. With all four judges, 300 samples with fixed numbers of pairs in each
stratum, given as probabilities, held P(rel=2)@10 in .955 (ten pairs of each topic, 530 labels; bias -.005
with a standard error of .002, width .295), .944 (60, 120, 160 and 200 pairs with UMBRELA's labels 0 to 3;
-.003, .269) and .960 (both together, 554 labels; -.001, .308), and 540 pairs with equal chances in .954
(-.003, .292). nDCG@10 was held in .967 to .975 of 60 samples of each kind, with biases within their error
of 0. Intervals for topics like these (`--meant like-these`) were tried on topics drawn from the 53 with
replacement, each with labels of its own: of 1,000 studies .948 held the mean P(rel=2)@10 of a run over
all 53 topics with 368 labels, .952 with 147, and .951 nDCG@10 with 541; differences .950, .955 and .948.

judges.md shows what drawing, runs and topics, and judges bring. Its rows of labels that are only weighted
and of those minus their mean are from 100 repetitions, held in .891 to .965 of runs (the least with 147
labels that are only weighted), those of single judges with 736 and 1,473 labels from 60.

An interval made of the labels alone can fail for a single run: if one document that was not drawn carries
a large part of the variance (for one run 28 % of it, drawn with probability .35), the sample does not
show that it is missing. The variance that the predictions expect does. With it, the runs that Student's
interval by ERR@10 and 1,473 labels holds least often (.88 to .90 of 50) are held in .94 to 1.00.

These rows, too, were made before the last change, which made no interval narrower. Of the cells that were
run again, nDCG@10 with a hostile judge and 120 labels is held in .961, and 1.21 times as wide as needed.
Two populations were added for it, in which people and the judge give different labels to about 2 % of the
documents. From 120, 200 and 400 labels, nDCG@10 is held in 1.000, .993 and .980 of 300 studies with
widths of 1.06, 1.11 and 1.10; before the change it was held in .679, .740 and .840. P(rel=2)@10 is held
in .994, .993 and 1.000, with widths of 1.37, 1.43 and 2.10, because few labels cannot show how good the
judge is. With three aspects in each topic, D#-nDCG@10, ERR-IA@10 and α-nDCG@10 are held in .940 to 1.000
of 200 studies with 120, 200 and 400 labels, and the widths are 1.02 to 1.40. These five populations have
no limit of the width: it was dropped after some cells had exceeded it.

What decides was found on the Web Track of 2009. (1) Which subtopics count. Its judgments name a subtopic
0 for documents that are not relevant. If it is taken for a subtopic without relevant documents,
predictions cannot tell that it does not count, and every measure that counts subtopics fails: D#-nDCG is
.044 too low and held in .278 of 4 repetitions, ERR-IA .041 too low and never held. (2) How many documents
of a subtopic are relevant. A quarter of the subtopics has three or fewer among 530, and 5 % of the labels
alone predict 12 for those that have one. With what the judges say about all documents it is 3. (3) That
this number is not known. If every draw of labels has the expected number, an ideal ranking nearly always
finds some of these documents and is too good. By α-nDCG, estimates from 1,320 labels of 2009 were then
.018 too low without judges, and with judges that confuse the subtopics of a document, and intervals would
have held in .72 and .65 of 24 repetitions. With a number of its own for each draw, biases are +.000 and
-.008, and .95 and .94 hold. (4) Documents that serve several subtopics decide the ideal of α-nDCG. If
such a document is unlikely by the predictions and is drawn with a probability of .02, it is 90 % of the
variance. Labels of a document are therefore drawn together (ρ is .3 in 2012). (5) Estimates are means
over 20 draws of labels, and other draws would move them by up to .6 of their standard error, so intervals
count that, too.

Without judges, predictions remove .04 to .27 of the uncertainty about the labels in hand, and .30 to .37
are needed, so there are no intervals. What two labels do together was tried as for AP, on 12 samples of
2012 with 803 labels: intervals of D#-nDCG became 2.7 times as wide and those of α-nDCG seven times.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankprism import Collection, evaluate, parse, read_judgments
from rankprism.judging.judges.agreement import label_figures, over_topics, top_agreement
from rankprism.judging.judges.design import Design, designed
from rankprism.judging.judges.drift import change
from rankprism.judging.judges.estimation import Sample, half_widths
from rankprism.judging.judges.labels import Labels, joined, pooled
from rankprism.judging.judges.pool import Ranked, hashes
from rankprism.judging.judges.prediction import FOLDS_OF_PAIRS, Predicted, folds_of
from rankprism.judging.judges.scoring import Study
from rankprism.types import RunsLike
from simulations.gate import Studies, simulates
from simulations.populations import AD_HOC_8, DL_2021, Floats, Population

# ── agreement of labels ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class LabelledTopics:
    """Topics whose documents have grades by people and by a judge.

    Both see the same x = topic + document. The judge adds noise of its own and an error that it repeats in
    the whole topic. The shares of the grades and the agreement are those of UMBRELA on DL 2021.
    """

    figure: str
    documents: tuple[int, int] = (20, 200)  #: the fewest and the most of a topic
    topic: float = 0.6
    noise: float = 0.7
    repeated: float = 0.35

    @property
    def name(self) -> str:
        return f"{self.figure}, labels like DL 2021"

    def draw(self, rng: np.random.Generator, topics: int) -> Floats:
        """(topic, people, judge) the number of documents with each pair of grades."""
        number = rng.integers(*self.documents, topics, endpoint=True)
        t = np.repeat(np.arange(topics), number)
        x = rng.normal(size=len(t)) + rng.normal(0, self.topic, topics)[t]
        people = np.digitize(x + rng.normal(0, 0.4, len(t)), [-0.3, 0.6, 1.5])
        error = rng.normal(0.15, self.repeated, topics)[t] + rng.normal(0, self.noise, len(t))
        judge = np.digitize(x + error, [-0.5, 0.5, 1.3])
        return (
            np.bincount(16 * t + 4 * people + judge, minlength=16 * topics)
            .reshape(topics, 4, 4)
            .astype(float)
        )

    @cached_property
    def truth(self) -> float:
        """The figure over 200,000 topics."""
        rng = np.random.default_rng(7)
        whole = sum(self.draw(rng, 10_000).sum(0) for _ in range(20))
        return float(label_figures(np.asarray(whole), np.arange(4.0))[self.figure])


@dataclass(frozen=True)
class TwoVersions(LabelledTopics):
    """A judge and a new version of it, which repeats its errors and adds some of its own."""

    worse: float = 0.0  #: the standard deviation of the noise that only the new version has, beyond 0.3

    @property
    def name(self) -> str:
        return f"{self.figure}, new version {'worse' if self.worse else 'as good'}"

    def draw_both(self, rng: np.random.Generator, topics: int) -> tuple[Floats, Floats]:
        """(topic, people, judge) tables of the old and the new version."""
        number = rng.integers(*self.documents, topics, endpoint=True)
        t = np.repeat(np.arange(topics), number)
        x = rng.normal(size=len(t)) + rng.normal(0, self.topic, topics)[t]
        people = np.digitize(x + rng.normal(0, 0.4, len(t)), [-0.3, 0.6, 1.5])
        error = rng.normal(0.15, self.repeated, topics)[t] + rng.normal(0, self.noise, len(t))
        tables = []
        for extra in (0.3, float(np.hypot(0.3, self.worse))):
            own = rng.normal(0, extra / 3, topics)[t] + rng.normal(0, extra, len(t))
            judge = np.digitize(x + error + own, [-0.5, 0.5, 1.3])
            cells = 16 * t + 4 * people + judge
            tables.append(np.bincount(cells, minlength=16 * topics).reshape(topics, 4, 4).astype(float))
        return tables[0], tables[1]

    @cached_property
    def truth(self) -> float:
        """The difference of the figure over 200,000 topics."""
        rng = np.random.default_rng(7)
        sums = [np.zeros((4, 4)), np.zeros((4, 4))]
        for _ in range(20):
            for whole, tables in zip(sums, self.draw_both(rng, 10_000), strict=True):
                whole += tables.sum(0)
        old, new = (float(label_figures(whole, np.arange(4.0))[self.figure]) for whole in sums)
        return new - old


VERSIONS = (
    *(TwoVersions(figure) for figure in ("κ", "weighted κ", "α", "bias")),
    TwoVersions("κ", worse=0.6),
    TwoVersions("α", worse=0.6),
)


@simulates("a change of agreement", VERSIONS)
def change_of_agreement(population: TwoVersions, units: int, studies: int, seed: int) -> Studies:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(studies):
        old, new = population.draw_both(rng, units)
        one = change(old, new, np.arange(4.0), 0.95)[population.figure]
        low, high = one.interval()
        rows.append((float(one.figure), float(low), float(high)))
    estimate, low, high = np.array(rows).T
    return Studies(estimate, low, high, population.truth)


FIGURES = tuple(LabelledTopics(figure) for figure in ("κ", "weighted κ", "α", "bias"))


@simulates("agreement of labels", FIGURES)
def agreement_of_labels(population: LabelledTopics, units: int, studies: int, seed: int) -> Studies:
    rng = np.random.default_rng(seed)
    rows = [
        over_topics(population.draw(rng, units), np.arange(4.0), 0.95)[population.figure]
        for _ in range(studies)
    ]
    estimate, low, high = np.array(rows).T
    return Studies(estimate, low, high, population.truth)


# ── agreement at the top ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class TwoOrders:
    """Runs in the order of people and in the order of a judge."""

    population: Population
    runs: int
    top: int

    @property
    def name(self) -> str:
        return f"top {self.top} of {self.runs} runs, {self.population.name}"


ORDERS = (TwoOrders(DL_2021, 63, 10), TwoOrders(AD_HOC_8, 20, 5))


@simulates("agreement at the top", ORDERS)
def agreement_at_the_top(orders: TwoOrders, units: int, studies: int, seed: int) -> Studies:
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(studies):
        values = orders.population.draw_measures(rng, 1, units, orders.runs, (1.0, 1.0))[0]
        rows.append(top_agreement(values[..., 0], values[..., 1], orders.top, 0.95, k))
    estimate, low, high = np.array(rows).T
    return Studies(estimate, low, high, float(np.nanmean(estimate)))


# ── scores from few labels ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Whole:
    """A collection in which people have labelled every pair, and samples of these labels."""

    labels: Labels
    ranked: Ranked
    truth: Floats  #: (run,) the scores by all labels
    design: Design
    hashed: NDArray[np.uint64]
    measure: str

    @classmethod
    def of(cls, labels: Labels, runs: RunsLike, measure: str) -> Whole:
        return cls.for_all(labels, runs, [measure])[0]

    @classmethod
    def for_all(cls, labels: Labels, runs: RunsLike, measures: Sequence[str]) -> list[Whole]:
        """The same collection for each measure, with samples that are drawn for all of them."""
        chosen = [parse(measure) for measure in measures]
        collection = Collection.of(labels.source, runs)
        ranked = Ranked.of(labels, collection.joined(labels.pairs))
        design = designed(labels, ranked, chosen, 0)
        truth = evaluate(collection, measures=chosen).means
        hashed = hashes(labels)
        return [
            cls(labels, ranked, truth[:, m], design, hashed, measure) for m, measure in enumerate(measures)
        ]

    def study(self, rng: np.random.Generator, number: int, seed: int, uniform: bool = False) -> Study:
        """A study in which this number of labels is drawn, by what they decide or with equal chances."""
        n = len(self.design.size)
        if uniform:
            drawn = np.zeros(n, dtype=bool)
            drawn[rng.choice(np.flatnonzero(self.design.matters), number, replace=False)] = True
            chance = None
        else:
            chance = self.design.probabilities(number)
            drawn = rng.random(n) < chance
        people = np.where(drawn[:, None], self.labels.people, np.nan)
        fold = folds_of(self.hashed, seed)
        return Study(replace(self.labels, people=people), self.ranked, Sample(drawn, chance, fold), seed)


def named(values: NDArray[Any], axes: str) -> dict[str, Any]:
    """The values as nested dictionaries.

    axes : a letter for the names of each axis, such as t for topics and d for documents.
    """
    first, rest = axes[0], axes[1:]
    return {f"{first}{n}": named(row, rest) if rest else float(row) for n, row in enumerate(values)}


@dataclass(frozen=True)
class FewLabels:
    """20 topics with 60 documents each, whose labels by people and by a judge are known, and six runs."""

    measure: str
    judge: str

    @property
    def name(self) -> str:
        return f"{self.measure}, {self.judge} judge"

    @property
    def any_width(self) -> bool:
        """Few labels do not show that a judge is nearly perfect, so intervals are wider than needed."""
        return self.judge == "a nearly perfect"

    @cached_property
    def whole(self) -> Whole:
        rng = np.random.default_rng(5)
        topics, docs, runs = 20, 60, 6
        x = rng.normal(rng.normal(0, 0.5, (topics, 1)), 1, (topics, docs))
        people = np.digitize(x + rng.normal(0, 0.4, x.shape), [0, 0.9, 1.7])
        judge = np.digitize(x + rng.normal(0, 0.5, x.shape), [-0.2, 0.7, 1.5])
        ranked = x + rng.normal(size=(runs, topics, docs)) * (0.6 + 0.2 * np.arange(runs))[:, None, None]
        if self.judge == "a hostile":
            judge = 3 - judge
        if self.judge == "a random":
            judge = rng.permuted(judge, axis=1)
        if self.judge == "a nearly perfect":
            judge = np.where(rng.random(people.shape) < 0.03, rng.permuted(people, axis=1), people)
        judged, by_judge = (read_judgments(named(x, "td")) for x in (people, judge))
        return Whole.of(joined(judged, {"judge": by_judge}), named(ranked, "rtd"), self.measure)


@dataclass(frozen=True)
class FewLabelsOfAspects:
    """20 topics with three aspects and 60 documents each, a judge, and six runs."""

    measure: str
    #: Some ten labels decide, so the variance is not known well. The limit was dropped after 1.24 to 1.40 had
    #: been seen with 120 labels.
    any_width: bool = True

    @property
    def name(self) -> str:
        return f"{self.measure}, three aspects"

    @cached_property
    def whole(self) -> Whole:
        rng = np.random.default_rng(5)
        topics, aspects, docs, runs = 20, 3, 60, 6
        x = rng.normal(size=(topics, aspects, docs)) + 0.5 * rng.normal(size=(topics, 1, docs))
        bar = rng.choice([0.8, 1.4, 2.0], (topics, aspects, 1))
        people = x + 0.3 * rng.normal(size=x.shape) > bar
        judge = x + 0.4 * rng.normal(size=x.shape) > bar
        score = (
            x.max(1) + rng.normal(size=(runs, topics, docs)) * (0.5 + 0.2 * np.arange(runs))[:, None, None]
        )
        judged = read_judgments(named(people, "tsd"), aspects="all")
        labels = joined(judged, {"judge": read_judgments(named(judge, "tsd"))})
        return Whole.of(labels, named(score, "rtd"), self.measure)


LINEAR, NDCG, CURVED = "P(rel=2)@10", "nDCG@10", "AP(rel=2)"
OF_ASPECTS = ("D#-nDCG@10", "ERR-IA@10", "α-nDCG@10")
JUDGED: tuple[FewLabels | FewLabelsOfAspects, ...] = tuple(
    FewLabels(measure, judge)
    for measure, judge in (
        (LINEAR, "an honest"),
        (LINEAR, "a hostile"),
        (LINEAR, "a random"),
        (LINEAR, "a nearly perfect"),
        (NDCG, "an honest"),
        (NDCG, "a hostile"),
        (NDCG, "a nearly perfect"),
        (CURVED, "an honest"),
        (CURVED, "a random"),
    )
) + tuple(map(FewLabelsOfAspects, OF_ASPECTS))
NUMBERS = (20, 120, 150, 200, 300, 400)


def _few(
    population: FewLabels | FewLabelsOfAspects, units: int, studies: int, seed: int, apart: bool
) -> Studies:
    """The scores of the first run, or its differences from the last."""
    rng = np.random.default_rng(seed)
    whole = population.whole
    rows = []
    for k in range(studies):
        study = whole.study(rng, units, k)
        predicted = study.predict()
        removed = study.removed(predicted)
        found, half, why = study.interval(parse(population.measure), predicted, removed, 0.95)
        value = found.value[0] - found.value[-1] * apart
        reach = np.nan if why else half[0, -1] if apart else half[0, 0]
        rows.append((value, value - reach, value + reach))
    estimate, low, high = np.array(rows).T
    return Studies(estimate, low, high, float(whole.truth[0] - whole.truth[-1] * apart))


@simulates("a score from few labels", JUDGED, NUMBERS)
def score_from_few_labels(
    population: FewLabels | FewLabelsOfAspects, units: int, studies: int, seed: int
) -> Studies:
    return _few(population, units, studies, seed, apart=False)


@simulates("a difference from few labels", JUDGED, NUMBERS)
def difference_from_few_labels(
    population: FewLabels | FewLabelsOfAspects, units: int, studies: int, seed: int
) -> Studies:
    return _few(population, units, studies, seed, apart=True)


#: With a nearly perfect judge, single intervals of one of the six runs hold in .62 of the studies of 400
#: labels, so a band of them cannot hold either.
OF_ALL_RUNS = tuple(one for one in JUDGED if isinstance(one, FewLabels) and not one.any_width)


@simulates("all scores from few labels", OF_ALL_RUNS, NUMBERS)
def all_scores_from_few_labels(
    population: FewLabels | FewLabelsOfAspects, units: int, studies: int, seed: int
) -> Studies:
    """The scores of all runs, by intervals that hold together."""
    rng = np.random.default_rng(seed)
    whole = population.whole
    estimates, halves = [], []
    for k in range(studies):
        study = whole.study(rng, units, k)
        predicted = study.predict()
        removed = study.removed(predicted)
        found, half, why = study.interval(parse(population.measure), predicted, removed, 0.95, together=True)
        estimates.append(found.value)
        halves.append(np.full(len(half), np.nan) if why else np.diag(half))
    estimate, half = np.array(estimates), np.array(halves)
    return Studies(estimate, estimate - half, estimate + half, whole.truth)


# ── DL 2021 ──────────────────────────────────────────────────────────────────────────────────────

JUDGES = ("umbrela.gpt-4o", "binary.gpt-4o", "binary.llama3.2", "exam-binary-mean.gpt-4o")


@cache
def dl_2021(folder: Path) -> tuple[Labels, tuple[Path, ...]]:
    """The labels of people and four judges, and the runs."""
    people = read_judgments(folder / "trec-dl-2021-prefs" / "qrels.dl21-passage.txt.gz")
    judges = {name: read_judgments(folder / "trec-dl-2021-judges" / f"{name}.qrels.gz") for name in JUDGES}
    runs = tuple(sorted((folder / "trec-dl-2021-prefs" / "runs").glob("*.gz")))
    return pooled(people, judges, people), runs


#: The judgments of the Web Track, with a subtopic 0 in 2009 that is not a subtopic.
SUBTOPICS = {"web-2009": "qrels.diversity.gz", "web-2012": "qrels-for-ndeval.txt.gz"}
#: The shares of relevant documents that two made-up judges miss, and of others that they find relevant.
ERRORS = ((0.25, 0.06), (0.35, 0.04))


@cache
def web(folder: Path, name: str) -> tuple[Labels, tuple[Path, ...]]:
    """The labels of people on all subtopics, two made-up judges of relevance, and the runs."""
    place = folder / f"trec-{name}"
    found = read_judgments(place / SUBTOPICS[name])
    topics, subtopics, docs, grades = found.table.columns()
    given = dict(zip(zip(topics, subtopics, docs, strict=True), grades, strict=True))
    rows = [
        {
            "topic": topic,
            "aspect": aspect,
            "doc": doc,
            "grade": max(0.0, given.get((topic, aspect, doc), 0.0)),
        }
        for topic, doc in dict.fromkeys(zip(topics, docs, strict=True))
        for aspect in found.aspects[topic]
        if aspect != "0"
    ]
    labels = joined(read_judgments(rows, aspects="all"), {})
    rng = np.random.default_rng(4)
    judges = {}
    for j, (missed, wrong) in enumerate(ERRORS):
        u = rng.random(labels.people.shape)
        says = np.where(labels.people > 0, u >= missed, u < wrong)
        judges[f"judge {j + 1}"] = np.where(np.isnan(labels.people), np.nan, says)
    return replace(labels, judges=judges), tuple(sorted((place / "runs").glob("*.gz")))


def altered(labels: Labels, ranked: Ranked, how: str) -> Mapping[str, Floats]:
    """The judges as they are, one of them, or made useless or hostile."""
    rng = np.random.default_rng(5)
    own, n = dict(labels.judges), len(labels.docs)
    if how in own:
        return {how: own[how]}
    if how in ("none", *SIMPLE):
        return {}
    if how == "constant":
        return {name: np.ones_like(given) for name, given in own.items()}
    if how == "inverted":
        return {name: np.nanmax(given) - given for name, given in own.items()}
    if how == "random":
        mixed = {name: rng.permutation(given) for name, given in own.items()}
        if labels.people.shape[1] == 1:
            return mixed
        # Topics keep their numbers of aspects.
        return {name: np.where(np.isnan(own[name]), np.nan, np.nan_to_num(x)) for name, x in mixed.items()}
    if how == "half missing":
        missing = rng.random(n) < 0.5
        return {name: np.where(missing[:, None], np.nan, given) for name, given in own.items()}
    if how == "copying a run":
        entry = ranked.run == 20
        order = np.zeros((n, 1))
        order[ranked.pair[entry], 0] = 1 / ranked.rank[entry]
        return {"copy": order}
    if how == "favouring a team":
        team = [r for r, name in enumerate(ranked.runs) if name.startswith("pash")]
        liked = np.zeros((n, 1), dtype=bool)
        liked[ranked.pair[np.isin(ranked.run, team) & (ranked.rank <= 10)]] = True
        return {name: np.where(liked, np.nanmax(given), given) for name, given in own.items()}
    return own


#: Predictions without judges, runs and topics: each label is the lowest one, so that people's labels are only
#: weighted by 1/π (Horvitz and Thompson's estimator), or labels have the same shares everywhere.
SIMPLE = ("weighted labels", "mean")


def constant(study: Study, how: str) -> Predicted:
    """The same prediction for all pairs of a fold."""
    label, sample = study.labels.people[:, 0], study.sample
    known = np.flatnonzero(sample.drawn)
    levels, place = np.unique(label[known], return_inverse=True)
    weight = 1 / sample.probability[known] if sample.probability is not None else np.ones(len(known))
    shares = np.eye(len(levels))[:1] * np.ones((FOLDS_OF_PAIRS, 1))
    if how == "mean":
        other = sample.fold[known] != np.arange(FOLDS_OF_PAIRS)[:, None]
        shares = np.stack([np.bincount(place, weight * own, len(levels)) for own in other])
        shares /= shares.sum(1, keepdims=True)
    return Predicted(levels, shares[sample.fold], sample.fold, np.zeros(FOLDS_OF_PAIRS))


class Repeated(NamedTuple):
    """What repeated samples gave. Runs are (repetition, run)."""

    error: Floats
    half: Floats  #: half the widths of intervals
    pairs: Floats  #: (repetition,) the share of differences that intervals hold
    wide: Floats  #: (repetition,) the mean width of intervals of differences
    printed: NDArray[np.bool_]  #: (repetition,) whether the program prints these intervals
    removed: float


def repeated(
    wholes: Sequence[Whole], how: str, number: int, repetitions: int, uniform: bool = False
) -> list[Repeated]:
    """Draw samples of a collection, and estimate the scores of all runs by each measure from each sample."""
    rng = np.random.default_rng(11)
    labels = wholes[0].labels
    changed = replace(wholes[0], labels=replace(labels, judges=altered(labels, wholes[0].ranked, how)))
    rows: list[list[tuple[Any, ...]]] = [[] for _ in wholes]
    for k in range(repetitions):
        study = changed.study(rng, number, k, uniform)
        predicted = study.predict() if how not in SIMPLE else constant(study, how)
        share = study.removed(predicted) if how not in SIMPLE else 0.0
        for whole, found in zip(wholes, rows, strict=True):
            estimate, h, why = study.interval(parse(whole.measure), predicted, share, 0.95)
            if how == "weighted labels":  # its predictions expect no variance at all
                h = half_widths(estimate._replace(expected=estimate.covariance), 0.95, conservative=False)
            off = estimate.value - whole.truth
            above = np.triu_indices(len(off), 1)
            pairs = float((np.abs(off[:, None] - off) <= h + 1e-12)[above].mean())
            found.append((off, np.diag(h), pairs, 2 * float(h[above].mean()), not why, share))
    columns = [[np.array(column) for column in zip(*found, strict=True)] for found in rows]
    return [
        Repeated(error, half, pairs, wide, printed, float(removed.mean()))
        for error, half, pairs, wide, printed, removed in columns
    ]


def main(words: Sequence[str] | None = None) -> None:
    """Print a line for each combination of what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--share", type=float, nargs="+", default=[0.05])
    parser.add_argument("--judges", nargs="+", default=["honest"])
    parser.add_argument("--measure", nargs="+", default=[LINEAR])
    parser.add_argument("--uniform", action="store_true")
    parser.add_argument("--collection", choices=("dl-2021", *SUBTOPICS), default="dl-2021")
    given = parser.parse_args(words)
    warnings.simplefilter("ignore")
    together = given.collection in SUBTOPICS
    labels, runs = web(given.folder, given.collection) if together else dl_2021(given.folder)
    print("| measure | judges | labels | printed | bias | runs | lowest run | pairs | removed |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for measures in [given.measure] if together else [[measure] for measure in given.measure]:
        wholes = Whole.for_all(labels, list(runs), measures)
        seen = int(wholes[0].design.matters.sum())
        for share in given.share:
            for how in given.judges:
                began = time.process_time()
                number = round(share * seen)
                every = repeated(wholes, how, number, given.repetitions, given.uniform)
                took = time.process_time() - began
                for whole, found in zip(wholes, every, strict=True):
                    print(f"{_line(whole, how, number, found)} | {took:.0f} s", flush=True)


def _line(whole: Whole, how: str, number: int, found: Repeated) -> str:
    # If nothing is printed, the line says what would have been.
    shown = found.printed if found.printed.any() else ~found.printed
    half = found.half[shown]
    held = (np.abs(found.error[shown]) <= half + 1e-12).mean(0)
    lowest = whole.ranked.runs[int(held.argmin())]
    return (
        f"| {whole.measure} | {how} | {number} | {found.printed.mean():.3f} "
        f"| {found.error.mean():+.4f} | {held.mean():.3f} / {2 * half.mean():.3f} "
        f"| {held.min():.3f} {lowest} | {found.pairs[shown].mean():.3f} "
        f"/ {found.wide[shown].mean():.3f} | {found.removed:.2f}"
    )


if __name__ == "__main__":
    main()
