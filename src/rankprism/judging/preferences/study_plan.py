"""How many judgments a study needs, by simulation.

Users are made from subtopic judgments, see `rankprism.preferences.simulation`. The order of the runs by all
preferences of all users is the order to be found. A simulated study asks each question of one user drawn at
random, and `plan` finds how soon the order of the runs by the answers agrees with it.

A first version of this study drew d and z at random by their weights, and opponents evenly. On Web 2012
it needed about 30,000 judgments per topic with random questions and the raw estimate. With its best
choice, it needed 419 for θ = 0.2, 44 for θ = 0.5 and 67 for rr, and on Web 2009 it needed 22 for θ = 0.2.
It drew other users.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from rankprism.data import Floats, Judgments, Longs
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.evaluation import Collection, collected
from rankprism.judging.preferences.rankings import Rankings, read_rankings
from rankprism.judging.preferences.selection import CHOICES, choose, depth_of, preference_measures
from rankprism.judging.preferences.simulation import User, complete, users_of
from rankprism.judging.preferences.study import Study, study_of
from rankprism.judging.preferences.usefulness import scored
from rankprism.judging.preferences.user_profiles import Profiles, draw_profiles, read_profiles, trec_profile
from rankprism.measures import Comparisons, Measure, raw, utilities
from rankprism.meta import tau_b
from rankprism.results import Result, Table
from rankprism.statistics import CLAIMS, Share
from rankprism.types import (
    Choice,
    CollectionOptions,
    JudgmentsLike,
    Natural,
    Novelty,
    Positive,
    RunsLike,
    Ties,
)

#: The judgments per topic at which the order is examined by default: each is √2 times the one before.
BUDGETS = (10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320, 453, 640)
_LEVEL = 0.95
_RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """Made by `plan`."""

    claims = ("judgments needed",)
    conditions: tuple[tuple[str, str], ...]  #: measure and choice of questions
    budgets: tuple[int, ...]  #: judgments per topic
    #: (condition, budget, repetition) τ with the order by all preferences; NaN where the study had ended
    tau: Floats
    target: float
    about: Mapping[str, Any] = field(repr=False)

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(measure for measure, _ in self.conditions))

    @property
    def curves(self) -> Floats:
        """(condition, budget) the mean τ over the repetitions."""
        return np.asarray(self.tau.mean(-1))

    @property
    def needed(self) -> list[tuple[float, float, float]]:
        """For each condition, the judgments per topic that reach the target, with a 95 % interval.

        There, the mean τ of the repetitions reaches the target and does not fall below it at the next budget.
        Between budgets, τ is taken to be linear in their logarithms. The interval comes from resamples of the
        repetitions. Infinite if the target is not reached.

        With n repetitions, quantiles of resamples are too close to each other, so the tail is not 2.5 % but
        the chance that a normal number exceeds t √(n/(n-1)) (Hesterberg 2015).
        """
        from scipy.special import ndtr, stdtrit

        times = self.tau.shape[-1]
        printed = times >= CLAIMS["judgments needed"].fewest
        t = stdtrit(max(times - 1, 1), (1 + _LEVEL) / 2)
        tail = float(ndtr(-t * np.sqrt(times / max(times - 1, 1))))
        drawn = _resamples(self.tau.shape[-1], self.about["seed"])
        found = []
        for tau in self.tau:
            each = np.sort([_crossing(self.budgets, tau[:, which].mean(-1), self.target) for which in drawn])
            # Positions instead of quantiles, because infinite numbers cannot be interpolated.
            at = int(tail * (len(each) - 1))
            value = _crossing(self.budgets, tau.mean(-1), self.target)
            ends = (float(each[at]), float(each[-1 - at])) if printed else (np.nan, np.nan)
            found.append((value, *ends))
        return found

    @property
    def summary(self) -> Table:
        """The judgments that each condition needs."""
        last = [int(np.flatnonzero(~np.isnan(curve))[-1]) for curve in self.curves]
        needed = [
            [self._printed(x, self.budgets[end]) for x in one]
            for one, end in zip(self.needed, last, strict=True)
        ]
        return Table(
            {
                "measure": [measure for measure, _ in self.conditions],
                "choice": [choice for _, choice in self.conditions],
                "judgments per topic": [one[0] for one in needed],
                "low": [one[1] for one in needed],
                "high": [one[2] for one in needed],
                "last looked at": [self.budgets[end] for end in last],
                "its τ": [curve[end] for curve, end in zip(self.curves, last, strict=True)],
            },
            digits=3,
        )

    def _printed(self, judgments: float, last: int) -> str:
        if np.isnan(judgments):
            return "–"
        if np.isinf(judgments):
            return f"> {last:,}"
        return f"≤ {judgments:,.0f}" if judgments == self.budgets[0] else f"{judgments:,.0f}"

    @property
    def rows(self) -> Table:
        """The τ of every repetition."""
        facts = [
            (measure, choice, budget, i + 1, tau)
            for (measure, choice), of_condition in zip(self.conditions, self.tau.tolist(), strict=True)
            for budget, taus in zip(self.budgets, of_condition, strict=True)
            for i, tau in enumerate(taus)
            if not np.isnan(tau)
        ]
        names = ("measure", "choice", "judgments per topic", "repetition", "tau")
        return Table.of_rows(names, facts)

    @property
    def note(self) -> str:
        a, fewest = self.about, CLAIMS["judgments needed"].fewest
        few = f"–: an interval needs {fewest} repetitions.\n" if self.tau.shape[-1] < fewest else ""
        return (
            f"{few}"
            f"Judgments per topic until the mean τ of {a['repetitions']} repetitions with the order by all "
            f"preferences is {self.target:g}, with {100 * _LEVEL:g} % intervals from resamples of the "
            f"repetitions; {a['runs']} runs, {a['topics']} topics, {a['documents']} documents.\n"
            f"Users: {a['profiles']}; ties {a['ties']}."
        )


def _resamples(repetitions: int, seed: int) -> Longs:
    """(resample, repetition) which repetitions are drawn"""
    return np.random.default_rng(seed).integers(repetitions, size=(_RESAMPLES, repetitions))


def _crossing(budgets: Sequence[int], curve: Floats, target: float) -> float:
    """Where a curve reaches the target and stays there at the next budget; infinite if it never does.

    >>> _crossing((10, 40, 160), np.array([0.7, 0.8, 1.0]), 0.9)
    80.0
    """
    curve = curve[~np.isnan(curve)]
    reached = np.flatnonzero((curve >= target) & (np.append(curve[1:], np.inf) >= target))
    if not len(reached):
        return np.inf
    i = int(reached[0])
    if i == 0:
        return float(budgets[0])
    share = (target - curve[i - 1]) / (curve[i] - curve[i - 1])
    return float(round(budgets[i - 1] * (budgets[i] / budgets[i - 1]) ** share, 6))


def plan(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    measures: Any = "nPrf(estimate='pooled')@20",
    *,
    choices: Sequence[Choice] = CHOICES,
    profiles: Any = None,
    draw: Positive = 3,
    budgets: Sequence[int] = BUDGETS,
    target: float = 0.9,
    repetitions: Positive = 10,
    ties: Ties = "half",
    novelty: Novelty = "subtopic",
    rel: float = 1,
    seed: Natural = 0,
    on_share: Share | None = None,
    **options: Unpack[CollectionOptions],
) -> Plan:
    """How many judgments per topic a study needs until it has the order of these runs.

    Parameters
    ----------
    judgments, runs
        Subtopic judgments and runs, whatever `evaluate` takes. The judgments may be those of another
        collection like the one that is to be judged. Or a `Collection` of both.
    measures
        `Prf` or `nPrf` with a cutoff, or several. Their `estimate` says how the answers are used.
    choices
        How questions are chosen, see `select`. "adaptive" looks at the answers at every budget.
    profiles
        Profiles of the users, whatever `read_profiles` takes. Default: a user who cares about all subtopics,
        and `draw` others, whose profiles are drawn anew in every repetition.
    draw
        Without profiles: number of profiles to draw for each topic.
    budgets
        Numbers of judgments per topic at which the order is examined, separated by commas.

        A study ends early when the mean τ reaches the target at two budgets in succession.
    target
        Kendall's τ with the order by all preferences that is to be reached.
    repetitions
        Number of simulated studies.
    ties
        If a user prefers neither document: half a win for each, or a coin decides.
    novelty
        What a user who has read a document does not want again: its subtopics, or with profile anything that
        the profile is about.
    rel
        The lowest grade that makes a document relevant to a subtopic.
    seed
        Seed for the random numbers. The same seed gives the same result.
    on_share
        Called with the share of the work that is done.
    **options
        How to read judgments and runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> from rankprism import sample
    >>> found = plan(sample.QRELS, list(sample.RUNS), choices=["targeted"], budgets=[5, 10], repetitions=2)
    >>> found.curves.shape
    (1, 2)
    """
    one_of("ties", ties, Ties)
    one_of("novelty", novelty, Novelty)
    for choice in choices:
        one_of("choice", choice, Choice)
    chosen = preference_measures(measures)
    for measure in chosen:
        if measure.name == "nPrf" and measure["ideal"] != "greedy":
            raise MeasureError(f"{measure}: a plan divides by greedy ideals only; leave out ideal='exact'")
    steps = tuple(budgets)
    _check(choices, steps, target, repetitions, draw, seed)
    collection = collected(judgments, runs, **options)
    judged = collection.judgments
    rankings = read_rankings(collection, depth_of(chosen))
    if len(rankings.runs) < 2:
        raise InputError("one run has no order to find; name at least two runs")
    worlds = [
        _world(judged, rankings, chosen, profiles, draw, (novelty, rel, ties), seed + i)
        for i in range(repetitions)
    ]
    conditions = [(measure, choice) for measure in chosen for choice in choices]
    tau = np.full((len(conditions), len(steps), repetitions), np.nan)
    for c, (measure, choice) in enumerate(conditions):
        studies = [world.begin(seed, i) for i, world in enumerate(worlds)]
        for b, budget in enumerate(steps):
            for i, (world, (study, rng)) in enumerate(zip(worlds, studies, strict=True)):
                more = (budget - (steps[b - 1] if b else 0)) * len(study.topics)
                asked = choose(study, [measure], choice, more, 1, rng)
                study = world.answered(study, asked, ties, rng)
                studies[i] = study, rng
                tau[c, b, i] = world.agreement(study, measure)
                if on_share is not None:
                    done = (c * len(steps) + b) * repetitions + i + 1
                    on_share(done / (len(conditions) * len(steps) * repetitions))
            if b and (tau[c, b - 1 : b + 1].mean(-1) >= target).all():
                break
    first = worlds[0]
    return Plan(
        conditions=tuple((str(measure), choice) for measure, choice in conditions),
        budgets=steps,
        tau=tau,
        target=target,
        about={
            "judgments": judged.source,
            "runs": len(rankings.runs),
            "topics": len(first.rankings.topics),
            "documents": first.rankings.documents,
            "profiles": first.source,
            "repetitions": repetitions,
            "target": target,
            "ties": ties,
            "novelty": novelty,
            "seed": seed,
            "order": collection.reading.order,
        },
    )


def _check(
    choices: Sequence[str], budgets: Sequence[int], target: float, repetitions: int, draw: int, seed: int
) -> None:
    if not choices:
        raise InputError(f"name at least one choice of {', '.join(CHOICES)}")
    if not budgets or budgets[0] < 1 or list(budgets) != sorted(set(budgets)):
        raise InputError(f"budgets must be ascending numbers above 0, e.g. 10, 20, 40; got {budgets}")
    if not 0 < target <= 1:
        raise InputError(f"target must be above 0 and at most 1; got {target}")
    for name, value, least in (("repetitions", repetitions, 1), ("draw", draw, 1), ("seed", seed, 0)):
        if value < least:
            raise InputError(f"{name} must be at least {least}; got {value}")


@dataclass(frozen=True, eq=False)
class _World:
    """Users who can be asked, and the order of the runs by all that they would say."""

    rankings: Rankings
    users: tuple[tuple[User, ...], ...]  #: of each topic
    truth: Mapping[Measure, Floats]  #: (R,) the mean scores of the runs
    source: str  #: where the users come from

    def begin(self, seed: int, repetition: int) -> tuple[Study, np.random.Generator]:
        return study_of(self.rankings), np.random.default_rng([seed, repetition])

    def answered(self, study: Study, asked: Longs, ties: Ties, rng: np.random.Generator) -> Study:
        """The study after these questions, see `choose`, each answered by one user of its topic."""
        topics = []
        for t, (one, users) in enumerate(zip(study.topics, self.users, strict=True)):
            _, given, left, right = asked[asked[:, 0] == t].T
            who = rng.integers(len(users), size=len(given))
            outcome = np.empty(len(given))
            for u, user in enumerate(users):
                own = who == u
                outcome[own] = user.prefers(left[own], right[own], given[own])
            if ties == "drawn":
                coins = (rng.random(len(given)) < 0.5).astype(np.float64)
                outcome = np.where(outcome == 0.5, coins, outcome)
            topics.append(one.with_answers(Comparisons(left, right, given, outcome)))
        return Study(tuple(topics))

    def agreement(self, study: Study, measure: Measure) -> float:
        """Kendall's τ between the order by the answers and the order by all preferences."""
        shown = {topic: one.judged for topic, one in zip(self.rankings.topics, study.topics, strict=True)}
        estimates = utilities(shown, measure["estimate"], measure["unseen"], measure["fallback"])
        score, _ = scored(study, list(estimates.values()), measure)
        tau = tau_b(score.mean(0), self.truth[measure])
        return 0.0 if np.isnan(tau) else tau  # if all runs are alike, nothing is known of their order


def _world(
    judged: Judgments,
    rankings: Rankings,
    measures: Sequence[Measure],
    profiles: Any,
    draw: int,
    settings: tuple[Novelty, float, Ties],
    seed: int,
) -> _World:
    chosen = _crowd(judged, draw, seed) if profiles is None else read_profiles(profiles)
    novelty, rel, ties = settings
    pool = {topic: one.docs for topic, one in rankings.topics.items()}
    users = users_of(judged, pool, chosen, novelty=novelty, rel=rel)
    if not users:
        raise InputError(f"the runs share no topic that has a profile with {judged.source}")
    kept = {topic: one for topic, one in rankings.topics.items() if topic in users}
    asked = Rankings(rankings.runs, kept, rankings.depth)
    full = complete({topic: users[topic] for topic in kept}, ties=ties, seed=seed)
    study = study_of(asked)
    truth = {}
    for measure in measures:
        complete_utilities = [raw(full[topic], measure["unseen"]) for topic in kept]
        score, _ = scored(study, complete_utilities, measure)
        truth[measure] = score.mean(0)
    source = f"all subtopics, and {draw} profiles per topic drawn by the seed" if profiles is None else ""
    return _World(
        asked, tuple(tuple(users[topic].values()) for topic in kept), truth, source or chosen.source
    )


def _crowd(judged: Judgments, draw: int, seed: int) -> Profiles:
    """Somebody who cares about all subtopics, and some others."""
    everything, drawn = trec_profile(judged).weights, draw_profiles(judged, draw, seed).weights
    return Profiles({topic: {**drawn[topic], **everything[topic]} for topic in everything})
