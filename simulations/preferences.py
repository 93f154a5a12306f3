"""Simulations of the intervals that preferences have.

Documents have strengths θ with a standard deviation of 0.8: on TREC CAsT 2019 and TREC Deep Learning 2021,
normal strengths with 0.85 and 0.7 make the judgments of the crowd most likely (topics of up to 60 documents;
the median topic has 11). These files do not name the assessors, so they do not say how much tastes differ. In
LLMJudge 2024, 22 machine judges and people grade 4,423 passages: within a topic, what is peculiar to a judge
has 0.98 times the standard deviation of what judges have in common. GPT-4o calls 21 % of the pairs of DL 2021
a tie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from rankprism.data.arrays import Floats, Longs
from rankprism.judging.preferences.agreement import Agreement, alpha_of, kappa_of, label_alpha_of
from rankprism.judging.preferences.bradley_terry import fit, sigmoid
from rankprism.judging.preferences.document_strengths import strengths
from rankprism.judging.preferences.experiments import IncompleteCorrelation
from rankprism.judging.preferences.score_intervals import intervals
from rankprism.judging.preferences.study_plan import BUDGETS, Plan
from rankprism.judging.preferences.user_profiles import Profiles
from rankprism.types import Over, TieModel
from simulations.gate import Studies, simulates

DOCUMENTS, SPREAD = 12, 0.8
#: ν of Davidson's model: 21 % of the comparisons are ties without tastes, and 19 % with them.
NU = 0.6
#: A judgment as `read_preferences` takes it.
Row: TypeAlias = tuple[str, str, str, str, str, str]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(30)


@dataclass(frozen=True)
class Crowd:
    """Assessors who share the questions of a topic."""

    name: str
    assessors: int
    taste: float  #: the standard deviation of what an assessor adds to the strength of each document
    nu: float = 0.0
    ties: TieModel = "half"

    def chances(self, d: Floats) -> tuple[Floats, Floats]:
        """The chances of a win and of a tie, over all assessors."""
        d = d[..., None] + np.sqrt(2) * self.taste * _NODES
        win = 1 / (1 + np.exp(-d) + self.nu * np.exp(-d / 2))
        tie = self.nu * np.exp(-d / 2) * win
        weights = _WEIGHTS / _WEIGHTS.sum()
        return win @ weights, tie @ weights

    def truth(self, theta: Floats) -> Floats:
        """The strengths that very many judgments of very many assessors lead to."""
        win, tie = self.chances(theta[:, None] - theta)
        wins = 1000 * (win + tie / 2) * (1 - np.eye(len(theta)))
        ties = 1000 * tie[np.triu_indices(len(theta), 1)].sum() if self.ties == "davidson" else 0.0
        return fit(wins, 0.0, ties).theta

    def rows(self, rng: np.random.Generator, theta: Floats, rounds: int) -> list[Row]:
        """Judgments of every document once in every round, dealt to the assessors in turn."""
        n = len(theta)
        left, right = np.concatenate([rng.permutation(n).reshape(2, -1) for _ in range(rounds)], axis=1)
        judgments = len(left)
        who = np.arange(judgments) % self.assessors
        own = theta + self.taste * rng.standard_normal((min(self.assessors, judgments), n))
        d = own[who, left] - own[who, right]
        tied = rng.random(judgments) < self.nu / (np.exp(d / 2) + np.exp(-d / 2) + self.nu)
        outcome = np.where(tied, "tie", np.where(rng.random(judgments) < sigmoid(d), "left", "right"))
        return [
            ("t", "", f"d{a:02}", f"d{b:02}", x, f"a{w}")
            for a, b, x, w in zip(*(column.tolist() for column in (left, right, outcome, who)), strict=True)
        ]


CROWDS = (
    Crowd("one assessor", 1, 0.0),
    Crowd("2 assessors with tastes", 2, 0.8),
    Crowd("10 assessors with tastes", 10, 0.8),
    Crowd("10 assessors without tastes", 10, 0.0),
    Crowd("an assessor for each judgment", 10**6, 0.8),
    Crowd("5 assessors, ties are half wins", 5, 0.8, NU),
    Crowd("5 assessors, ties by Davidson", 5, 0.8, NU, "davidson"),
)


@simulates("a strength", CROWDS)
def strength(crowd: Crowd, units: int, studies: int, seed: int) -> Studies:
    """The strength of the first document, and in every other study its lead over the second one."""
    rng = np.random.default_rng(seed)
    found = np.full((studies, 4), np.nan)
    for study in range(studies):
        theta = SPREAD * rng.standard_normal(DOCUMENTS)
        truth = crowd.truth(theta)
        fitted = strengths(crowd.rows(rng, theta, units), ties=crowd.ties)
        shown = (fitted.contrasts() if study % 2 else fitted).summary.records()
        rows = {(row["document"], row.get("less")): row for row in shown}
        if study % 2:
            row, sign = (rows["d00", "d01"], 1) if ("d00", "d01") in rows else (rows["d01", "d00"], -1)
            estimate, wanted = row["difference"], truth[0] - truth[1]
        else:
            row, sign = rows["d00", None], 1
            estimate, wanted = row["strength"], truth[0] - truth.mean()
        if row["low"] is not None:
            ends = sorted((sign * row["low"], sign * row["high"]))
            found[study] = sign * estimate, *ends, wanted
    return _joined(found[0::2], found[1::2])


def _joined(*kinds: Floats) -> Studies:
    """Kinds of intervals (study, 4) together, each in its own standard deviation of estimate minus truth."""
    return Studies(*np.concatenate([one / np.nanstd(one[:, 0] - one[:, 3]) for one in kinds]).T)


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Assessors:
    """Assessors of several topics, of whom some answer at random."""

    name: str
    careless: float
    #: topics that are the same in every study; None: as many as assessors, up to 5, always new
    same_topics: int | None = None

    #: the most new topics of a study
    most_topics: int = 5

    def deciding(self, people: int) -> int:
        """The number of units that decide the width of an interval: assessors, or new topics if they are
        fewer."""
        return people if self.same_topics else min(people, self.most_topics)

    def new_topics(self, people: int) -> int:
        """As many as assessors, up to the most of them."""
        return self.deciding(people)

    def study(self, rng: np.random.Generator, people: int) -> tuple[list[Row], dict[str, Any]]:
        """Judgments, and two runs. Everybody judges three pairs and three triplets of each topic."""
        topics = self.same_topics or self.new_topics(people)
        of_topics = np.random.default_rng(5) if self.same_topics else rng
        theta = SPREAD * of_topics.standard_normal((topics, DOCUMENTS))
        noise = of_topics.standard_normal((2, topics, DOCUMENTS)) * np.array([0.6, 1.2])[:, None, None]
        runs = {
            f"run{r}": {
                f"t{t}": {f"d{d}": -float(i) for i, d in enumerate(order)}
                for t, order in enumerate(np.argsort(-(theta + noise[r]), axis=1).tolist())
            }
            for r in range(2)
        }
        own = theta + SPREAD * rng.standard_normal((people, topics, DOCUMENTS))
        own[rng.random(people) < self.careless] = 0
        rows: list[Row] = []
        for who in range(people):
            for t in range(topics):
                for k in range(6):
                    a, b, z = rng.choice(DOCUMENTS, 3, replace=False).tolist()
                    worth = own[who, t, a] - own[who, t, b]
                    if k % 2 and own[who, t, z] > 0:
                        worth /= 2  # a good given document leaves less to want
                    outcome = "left" if rng.random() < sigmoid(worth) else "right"
                    rows.append((f"t{t}", f"d{z}" if k % 2 else "", f"d{a}", f"d{b}", outcome, f"a{who}"))
        return rows, runs


@dataclass(frozen=True)
class ManyTopics(Assessors):
    """Few assessors of many topics, in one cell of the table."""

    most_topics: int = 20
    topics: int = 5  #: the number of units of the cell, which are assessors

    def new_topics(self, people: int) -> int:
        return self.most_topics


def _scores(population: Assessors, over: Over, units: int, studies: int, seed: int) -> Studies:
    """Intervals of the first run and of the lead over the second one, by nPrf with two estimates.

    The truth is the mean score of such studies, so it is the mean over all of them.
    """
    rng = np.random.default_rng(seed)
    measures = ["nPrf(unseen='skip')@5", "nPrf(estimate='pooled')@5"]
    found = np.empty((4, studies, 4))
    for study in range(studies):
        rows, runs = population.study(rng, units)
        one = intervals(rows, runs, measures, over=over, resamples=20, seed=study)
        shown = [one.of_runs[of, "run0"] for of in measures]
        shown += [one.of_pairs[of, "run0", "run1"] for of in measures]
        for kind, interval in enumerate(shown):
            found[kind, study, :3] = interval.mean, interval.low, interval.high
    found[..., 3] = found[..., 0].mean(1, keepdims=True)
    return _joined(*found)


@simulates("a mean over assessors", (Assessors("crowd", 0.0, 2), Assessors("crowd, 30 % at random", 0.3, 2)))
def over_assessors(population: Assessors, units: int, studies: int, seed: int) -> Studies:
    """Other assessors on the same topics."""
    return _scores(population, "assessors", units, studies, seed)


@simulates(
    "a mean over assessors and topics",
    (
        Assessors("crowd, 30 % at random", 0.3),
        ManyTopics("5 of a crowd, 30 % at random, 20 topics", 0.3),
        ManyTopics("5 of a crowd, 20 topics", 0.0),
    ),
)
def over_both(population: Assessors, units: int, studies: int, seed: int) -> Studies:
    """Other assessors and as many other topics, up to 5 of them, or 20."""
    return _scores(population, "both", units, studies, seed)


# ── agreement ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Answers:
    """Assessors who answer all of the questions."""

    name: str
    people: int
    spread: float  #: the standard deviation of the strength of a document, or of the quality that is graded
    taste: float
    nu: float = NU
    harsh: bool = False

    def pairs(self, rng: np.random.Generator, units: int) -> Longs:
        """(unit, assessor) 0 if the first document is preferred, 1 if the second, 2 if neither"""
        d = np.sqrt(2) * self.spread * rng.standard_normal((units, 1))
        d = d + np.sqrt(2) * self.taste * rng.standard_normal((units, self.people))
        tie = rng.random(d.shape) < self.nu / (np.exp(d / 2) + np.exp(-d / 2) + self.nu)
        return np.where(tie, 2, np.where(rng.random(d.shape) < sigmoid(d), 0, 1))

    def labels(self, rng: np.random.Generator, units: int) -> Longs:
        """(unit, assessor) one of four labels, as often as people give them in LLMJudge 2024"""
        x = self.spread * rng.standard_normal((units, 1)) + self.taste * rng.standard_normal(
            (units, self.people)
        )
        return np.asarray(
            np.searchsorted(ndtri([0.453, 0.732, 0.915]), x / np.hypot(self.spread, self.taste))
        )


def _agreements(draw: Callable[[np.random.Generator, int], Agreement], *cell: int) -> Studies:
    """The truth is the coefficient of very many units."""
    units, studies, seed = cell
    rng = np.random.default_rng(seed)
    truth = draw(rng, 50_000).value
    found = [draw(rng, units) for _ in range(studies)]
    return Studies(*np.array([(one.value, one.low, one.high, truth) for one in found]).T)


PAIRS = (
    Answers("2 of a crowd", 2, SPREAD, SPREAD, 0.0),
    Answers("2 of a crowd, ties", 2, SPREAD, SPREAD),
    Answers("2 who agree well", 2, 4.0, 1.0),
    Answers("2 who agree very well", 2, 8.0, 0.5, 0.0),
)
CROWDS_THAT_ANSWER = (
    Answers("4 of a crowd, ties", 4, SPREAD, SPREAD),
    Answers("8 of a crowd, ties", 8, SPREAD, SPREAD),
    Answers("20 of a crowd, ties", 20, SPREAD, SPREAD, harsh=True),
)


def _units(answers: Longs) -> dict[tuple[int, int, int, int], dict[int, int]]:
    return {(0, 0, 2 * i, 2 * i + 1): dict(enumerate(row)) for i, row in enumerate(answers.tolist())}


@simulates("κ of preferences", PAIRS)
def kappa(population: Answers, units: int, studies: int, seed: int) -> Studies:
    """κ of two assessors."""
    return _agreements(lambda rng, n: kappa_of(_units(population.pairs(rng, n)), 0, 1), units, studies, seed)


@simulates("α of preferences", (*PAIRS, *CROWDS_THAT_ANSWER))
def alpha(population: Answers, units: int, studies: int, seed: int) -> Studies:
    """α of all assessors."""
    return _agreements(lambda rng, n: alpha_of(_units(population.pairs(rng, n))), units, studies, seed)


@simulates(
    "α of labels", (Answers("2 like LLMJudge", 2, 1.0, 0.98), Answers("4 who agree well", 4, 1.0, 0.5))
)
def label_alpha(population: Answers, units: int, studies: int, seed: int) -> Studies:
    """Ordinal α of all assessors."""
    return _agreements(
        lambda rng, n: label_alpha_of(population.labels(rng, n).tolist(), 4), units, studies, seed
    )


# ── experiments ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Repetitions:
    """Orders of the same runs, each with other errors. The sizes of the errors are made up.

    The last population was set apart as harsh after it had failed: near τ = 1, five repetitions cover .91.
    """

    name: str
    runs: int
    noise: float  #: the standard deviation of an error, in standard deviations of the runs' scores
    harsh: bool = False

    def tau(self, rng: np.random.Generator, *shape: int) -> Floats:
        """Kendall's τ with the order without errors."""
        scores = ndtri((np.arange(self.runs) + 0.5) / self.runs)
        drawn = scores + self.noise * rng.standard_normal((*shape, self.runs))
        i, j = np.triu_indices(self.runs, 1)
        return np.asarray(np.sign(drawn[..., j] - drawn[..., i]).mean(-1))


@simulates(
    "a mean over repetitions",
    (
        Repetitions("17 runs, τ .92", 17, 0.2),
        Repetitions("17 runs, τ .69", 17, 0.6),
        Repetitions("9 runs, τ .72", 9, 0.6),
        Repetitions("9 runs, τ .95", 9, 0.2, harsh=True),
    ),
)
def repetitions(population: Repetitions, units: int, studies: int, seed: int) -> Studies:
    """The mean τ. Each study is a measure."""
    rng = np.random.default_rng(seed)
    found = IncompleteCorrelation((), Profiles({}), (1,), population.tau(rng, studies, 1, units))
    mean, low, high = (x[:, 0] for x in found.intervals)
    return Studies(mean, low, high, float(population.tau(rng, 100_000).mean()))


@dataclass(frozen=True)
class Curve:
    """τ by the number of judgments per topic. Shape and noise are made up, not fitted to a collection."""

    name: str
    share: float  #: the part of the variance of τ that a repetition keeps at all budgets

    def tau(self, rng: np.random.Generator, repetitions: int) -> Floats:
        """(budget, repetition)"""
        budgets = np.array(BUDGETS[:9])[:, None]
        own = np.sqrt(self.share) * rng.standard_normal(repetitions)
        noise = own + np.sqrt(1 - self.share) * rng.standard_normal((len(budgets), repetitions))
        return np.asarray(1 - 0.55 * (budgets / 10) ** -0.65 + 0.06 * (budgets / 40) ** -0.25 * noise)


@simulates("judgments needed", (Curve("a made-up curve", 0.36),))
def judgments_needed(curve: Curve, units: int, studies: int, seed: int) -> Studies:
    """The judgments until τ is 0.8, on a logarithmic scale."""
    rng, target = np.random.default_rng(seed), 0.8
    found = []
    for study in range(studies):
        tau = curve.tau(rng, units)[None]
        found.append(Plan((("nPrf@20", "random"),), BUDGETS[:9], tau, target, {"seed": study}).needed[0])
    # The curve without noise reaches the target at 10 (0.55 / 0.2)^(1 / 0.65).
    truth = np.log(10) + np.log(0.55 / (1 - target)) / 0.65
    needed, low, high = np.log(np.array(found)).T
    return Studies(needed, low, high, truth)
