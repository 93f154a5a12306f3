"""`strengths`: how strong systems are, from many answers of machines and few of people.

The strengths that complete answers by people would give solve Σ z (y - p) = 0 over all questions
(`rankprism.judges.paired_logit`). This is linear in the answers y. So an answer that nobody has given can be
replaced by anything with the same expectation: ŷ + (y - ŷ) / π for the questions that people have answered,
where π is their chance to be asked, and ŷ for all others. ŷ predicts the answer of people from those of
judges. It is fitted on the answers in other folds, so that it does not depend on the answer that it predicts.
A useless judge makes e = y - ŷ large and intervals wide, but the expectation stays right.

If only the choice of the questions is random, the sum has the variance Σ (1-π)/π² z z' e² over the answered
questions. If topics are drawn, too, they are the units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankprism.data import Bools, Floats, Longs, Note, issue
from rankprism.errors import InputError, one_of
from rankprism.judging.judges.labels import check_judges
from rankprism.judging.judges.paired_logit import (
    Answers,
    Fitted,
    fit,
    influence,
    strength_covariance,
    variance,
)
from rankprism.judging.judges.questions import (
    NAMES,
    PEOPLE,
    SIDE,
    Covariates,
    Questions,
    Systems,
    check_topics,
    read_covariates,
    read_systems,
)
from rankprism.judging.preferences.bradley_terry import sigmoid
from rankprism.measures import ratio
from rankprism.meta import check_confidence
from rankprism.results import Cell, Result, Table
from rankprism.statistics import CLAIMS
from rankprism.types import AnswersOver, Natural, PreferencesLike

#: The claims of the intervals, see `rankprism.statistics.claims`.
A_STRENGTH, FROM_FEW = "a strength of a system", "a strength from few answers"
FOLDS = 5
#: Half the penalty for the squares of the coefficients of predictions.
RIDGE = 0.5


def strengths(
    people: PreferencesLike,
    judges: Mapping[str, PreferencesLike] | None = None,
    *,
    systems: Any = NAMES,
    covariates: Any = None,
    over: AnswersOver = "topics",
    prior: float = 1.0,
    intervals: float = 0.95,
    seed: Natural = 0,
) -> JudgedStrengths:
    """Strengths of systems by Bradley and Terry's model, as complete answers by people would give them.

    Parameters
    ----------
    people
        The preferences of people, as `read_preferences` takes them. With judges, people have answered a
        random sample of the questions that judges have answered.
    judges
        The name of each judge and its preferences. None: people have answered everything.
    systems
        The system of each document: a mapping, or a file with a line for each document and its system.
        Default: the word names, because documents with the same name in different topics are one system.
    covariates
        Numbers that documents have, such as the length of an answer: a table with the columns doc, perhaps
        topic, and a column for each covariate. Also shows the strengths of systems that do not differ in
        them.
    over
        What another study would draw anew: topics and answers, or only answers.
    prior
        Imaginary comparisons of each system with one of strength 0, half of them won.
    intervals
        Confidence of the intervals. 0 leaves the intervals out.
    seed
        Seed for the folds of predictions. The same seed gives the same result.

    Examples
    --------
    >>> rows = [(f"q{i}", "", "a", "b", "left" if i % 4 else "right") for i in range(20)]
    >>> print(strengths(rows, prior=0).summary.text())
    system  answers                strength
    ───────────────────────────────────────
    a            20   0.549 [-0.005, 1.104]
    b            20  -0.549 [-1.104, 0.005]
    """
    check_confidence(intervals)
    one_of("over", over, AnswersOver)
    if not 0 <= prior < np.inf:
        raise InputError(f"prior must be a number of comparisons, 0 or more; got {prior}")
    if judges is not None:
        check_judges(judges)
    questions = Questions.read(people, judges or {})
    if over == "topics":
        check_topics(questions, "or choose over='answers' (--over answers)")
    extra = None if covariates is None else read_covariates(covariates, questions)
    study = StrengthStudy(questions, read_systems(systems, questions), over, prior, intervals)
    found = study.from_few(extra, seed) if judges else study.from_all(extra)
    about: dict[str, Any] = {
        "people": questions.given[PEOPLE].source,
        "judges": {name: questions.given[name].source for name in questions.judges},
        "estimand": ESTIMANDS[bool(judges), over],
        "units of the intervals": over,
        "topics": len(questions.topics),
        "prior": prior,
        "confidence": intervals,
        "seed": seed,
    }
    if covariates is not None:
        about["coefficients"] = [
            {name: None if value != value else value for name, value in one._asdict().items()}
            for one in found.coefficients
        ]
    return JudgedStrengths(tuple(found.strengths), found.coefficients, about | dict(found.about))


#: What the intervals hold, by whether there are judges, and by what is drawn anew.
ESTIMANDS = {
    (False, "topics"): "the strengths by the answers to topics like these",
    (False, "answers"): "the strengths by very many such answers",
    (True, "topics"): "the strengths that complete answers by people to topics like these would give",
    (True, "answers"): "the strengths that complete answers by people to these questions would give",
}


class Strength(NamedTuple):
    """The strength of a system."""

    system: str
    answers: int  #: the answers of people about it
    strength: float
    low: float = np.nan
    high: float = np.nan
    controlled: float = np.nan  #: if systems did not differ in the covariates
    controlled_low: float = np.nan
    controlled_high: float = np.nan


class Coefficient(NamedTuple):
    """What a covariate adds to the log-odds, for a standard deviation."""

    covariate: str
    unit: float
    value: float
    low: float
    high: float
    p: float


class Found(NamedTuple):
    """What a study found."""

    strengths: list[Strength]
    coefficients: tuple[Coefficient, ...]
    about: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class StrengthStudy:
    """Questions that people and judges have answered, and what is wanted of them."""

    questions: Questions
    systems: Systems
    over: AnswersOver
    prior: float
    confidence: float

    # ── all answers are those of people ──────────────────────────────────────────────────────────

    def from_all(self, extra: Covariates | None) -> Found:
        """The strengths by all answers of people."""
        q, given = self.questions, self.questions.given[PEOPLE]
        of = self.systems.of_doc
        first, second = of[q.left(given)], of[q.right(given)]
        self._check_connected(first, second)
        topic = q.topic[given.question] if self.over == "topics" else np.arange(len(first))
        names: tuple[str, ...] = ()
        x = np.empty((len(first), 0))
        if extra is not None:
            x = np.where(given.turned, -1.0, 1.0)[:, None] * extra.difference[given.question]
            names = extra.names
            if given.sided:
                x, names = np.column_stack((np.ones(len(x)), x)), (SIDE, *names)
        units, topic = np.unique(topic, return_inverse=True)
        self._note_missing(A_STRENGTH, len(units))

        def ends(fitted: Fitted) -> Ends:
            return self._over_units(fitted, topic.ravel(), len(units))

        plain = fit(Answers(first, second, given.outcome, x[:, :0], len(self.systems.names)), self.prior)
        models = [ends(plain)]
        if extra is not None:
            models.append(
                ends(fit(Answers(first, second, given.outcome, x, plain.answers.items), self.prior))
            )
        about = {"questions": len(np.unique(given.question)), "answers of people": len(first)}
        return Found(self._named(first, second, models), self._coefficients(models[-1], names, extra), about)

    def _over_units(self, fitted: Fitted, unit: Longs, units: int) -> Ends:
        """The coefficients with intervals, if units such as topics were drawn."""
        v = np.concatenate(
            (
                np.diag(strength_covariance(fitted, unit, units)),
                variance(influence(fitted, unit, units))[-len(fitted.gamma) :] if len(fitted.gamma) else [],
            )
        )
        printed = self.confidence and CLAIMS[A_STRENGTH].missing(units) is None
        return Ends.of(fitted, v if printed else np.full_like(v, np.nan), np.full(len(v), units - 1.0))

    def _check_connected(self, first: Longs, second: Longs) -> None:
        """Refuse systems that were never compared, not even through others."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.systems.names)
        met = coo_array((np.ones(len(first)), (first, second)), (n, n))
        number, label = connected_components(met, directed=False)
        if number > 1:
            one, other = (self.systems.names[int(np.argmax(label == part))] for part in (0, 1))
            raise InputError(
                f"the systems fall into {number} parts that were never compared with each other, e.g. "
                f"{one!r} and "
                f"{other!r}; no answer puts them on one scale, so look at each part separately, or name the "
                "system of "
                f"each document with systems= (--system-names)"
            )

    def _note_missing(self, claim: str, units: int) -> None:
        missing = CLAIMS[claim].missing(units)
        if self.confidence and missing is not None:
            issue([Note("no-interval", missing, units, "")])

    def _named(self, first: Longs, second: Longs, models: list[Ends]) -> list[Strength]:
        """The strengths of systems, the strongest first."""
        n = len(self.systems.names)
        shown = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
        if np.isnan(models[0].value).any():
            text = (
                "some systems won or lost nearly all comparisons with others, or the answers of people are "
                "too few, so "
                "strengths would be infinite, and none are printed. Choose a prior above 0, or ask people "
                "more questions"
            )
            issue([Note("unbounded-strengths", text, n, self.systems.names[0])])
        columns = [column[:n] for ends in models for column in ends.between(self.confidence)]
        found = [
            Strength(name, int(times), *map(float, numbers))
            for name, times, *numbers in zip(self.systems.names, shown, *columns, strict=True)
        ]
        return sorted(found, key=lambda one: -one.strength)

    def _coefficients(
        self, ends: Ends, names: tuple[str, ...], extra: Covariates | None
    ) -> tuple[Coefficient, ...]:
        """The coefficients of the covariates, and of the side if it is known."""
        units = {} if extra is None else dict(zip(extra.names, extra.spread.tolist(), strict=True))
        columns = [column[ends.items :].tolist() for column in (*ends.between(self.confidence), ends.p)]
        return tuple(
            Coefficient(name, units.get(name, 1.0), *numbers)
            for name, *numbers in zip(names, *columns, strict=True)
        )

    # ── few answers of people ────────────────────────────────────────────────────────────────────

    def from_few(self, extra: Covariates | None, seed: int) -> Found:
        """The strengths by all answers of judges and few of people."""
        q, of = self.questions, self.systems.of_doc
        counts = q.given[PEOPLE].counts(len(q))
        pool = self._pool(counts.sum(1) > 0)
        first, second = of[q.first[pool]], of[q.second[pool]]
        self._check_connected(first, second)
        answered = counts[pool].sum(1) > 0
        y = ratio(counts[pool, 0] + counts[pool, 2] / 2, counts[pool].sum(1))
        few = Few(first, second, len(self.systems.names), answered, y, folds(len(pool), seed))
        own = np.empty((len(pool), 0)) if extra is None else extra.difference[pool]
        said = np.column_stack([self._said(name, pool, first, second) for name in q.judges])
        names = () if extra is None else extra.names
        self._note_missing(FROM_FEW, int(answered.sum()))
        units, topic = np.unique(q.topic[pool], return_inverse=True)
        if self.over == "topics":
            self._note_missing(A_STRENGTH, len(units))
        enough = self.confidence and CLAIMS[FROM_FEW].missing(int(answered.sum())) is None

        def ends(answers: Corrected, x: Floats) -> Ends:
            fitted = fit(Answers(first, second, answers.outcome, x, few.systems), self.prior)
            if self.over == "topics":
                found = self._over_units(fitted, topic.ravel(), len(units))
            else:
                found = drawn(fitted, answers.error)
            return found if enough else found._replace(variance=np.full_like(found.variance, np.nan))

        with_judges = few.corrected(np.column_stack((said, own)))
        models = [ends(with_judges, own[:, :0])]
        models += [] if extra is None else [ends(with_judges, own)]
        alone = ends(few.corrected(own), own[:, :0])
        about = {
            "questions": len(pool),
            "answers of people": int(answered.sum()),
            "mean width": models[0].mean_width(self.confidence),
            "mean width without judges": alone.mean_width(self.confidence),
        }
        shown = self._named(first[answered], second[answered], models)
        return Found(shown, self._coefficients(models[-1], names, extra), about)

    def _pool(self, answered: Bools) -> Longs:
        """The questions about two systems that a judge has answered."""
        q, of = self.questions, self.systems.of_doc
        pool = np.zeros(len(q), dtype=bool)
        for name in q.judges:
            pool[q.given[name].question] = True
        found = np.flatnonzero(pool & (of[q.first] != of[q.second]))
        if not answered[found].any():
            raise InputError(
                "people have answered none of the questions about two systems that judges have answered; "
                "check that both belong to one collection and spell their ids alike"
            )
        outside = int((answered & ~pool).sum())
        if outside:
            text = (
                f"{outside} questions that people answered and no judge are left out, because they cannot "
                "have been drawn "
                f"from those of the judges"
            )
            issue([Note("questions-left-out", text, outside, PEOPLE)])
        return found

    def _said(self, name: str, pool: Longs, first: Longs, second: Longs) -> Floats:
        """(question, 2) the answer of a judge, from 1 for the first system to -1, and the difference of the
        strengths by all of its answers"""
        counts = self.questions.given[name].counts(len(self.questions))[pool]
        known = counts.sum(1) > 0
        outcome = ratio(counts[:, 0] + counts[:, 2] / 2, counts.sum(1))
        n = len(self.systems.names)
        theta = fit(
            Answers(first[known], second[known], outcome[known], np.empty((known.sum(), 0)), n), 1.0
        ).beta
        return np.column_stack((np.where(known, 2 * outcome - 1, 0.0), theta[first] - theta[second]))


class Ends(NamedTuple):
    """Centred strengths and γ, with their variances."""

    items: int
    value: Floats
    variance: Floats  #: NaN if there is no interval
    freedom: Floats  #: degrees of freedom of Student's t

    @classmethod
    def of(cls, fitted: Fitted, variance: Floats, freedom: Floats) -> Ends:
        """The coefficients of a model; NaN if it has no maximum."""
        value = np.concatenate((fitted.centred, fitted.gamma))
        if not fitted.converged:
            value, variance = np.full_like(value, np.nan), np.full_like(variance, np.nan)
        return cls(fitted.answers.items, value, variance, freedom)

    def between(self, confidence: float) -> tuple[Floats, Floats, Floats]:
        """Values, and the ends of their intervals."""
        from scipy.special import stdtrit

        reach = stdtrit(self.freedom, (1 + confidence) / 2) * np.sqrt(self.variance)
        return self.value, self.value - reach, self.value + reach

    @property
    def p(self) -> Floats:
        """p of 0"""
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            z = -np.abs(self.value) / np.sqrt(self.variance)
        return np.where(self.variance > 0, 2 * stdtr(self.freedom, z), np.nan)

    def mean_width(self, confidence: float) -> float | None:
        """The mean width of the intervals of strengths; None if there are none."""
        _, low, high = self.between(confidence)
        width = float((high - low)[: self.items].mean())
        return None if np.isnan(width) else width


class Corrected(NamedTuple):
    """An answer for every question, with the expectation of the answer of people."""

    outcome: Floats  #: ŷ + (y - ŷ) / π, or ŷ
    error: Floats  #: √(1-π) / π · (y - ŷ), or 0: its square is what a question adds to the variance


@dataclass(frozen=True, eq=False)
class Few:
    """Questions of which people have answered some."""

    first: Longs  #: systems
    second: Longs
    systems: int
    answered: Bools
    y: Floats  #: the answer of people: 1 the first, 0 the second, or between
    fold: Longs

    def corrected(self, x: Floats) -> Corrected:
        """Predict each fold from the answers in the others and from x, and correct the predictions."""
        predicted, chance = np.full(len(self.y), 0.5), np.ones(len(self.y))
        for f in range(FOLDS):
            test = self.fold == f
            train = self.answered & ~test
            if train.any():
                rows = Answers(self.first[train], self.second[train], self.y[train], x[train], self.systems)
                beta = fit(rows, ridge=RIDGE).beta
                gap = beta[self.first[test]] - beta[self.second[test]]
                predicted[test] = sigmoid(gap + x[test] @ beta[self.systems :])
            if self.answered[test].any():
                chance[test] = self.answered[test].mean()
        e = np.where(self.answered, self.y - predicted, 0.0)
        return Corrected(predicted + e / chance, np.sqrt(1 - chance) / chance * e)


def drawn(fitted: Fitted, error: Floats) -> Ends:
    """The coefficients with intervals, if only the questions that people answered were drawn.

    The degrees of freedom are 2 v² / Σ a², with a what each answer adds to the variance v.
    """
    answers, n = fitted.answers, fitted.answers.items
    outer = fitted.inverse.copy()
    outer[:n] -= outer[:n].mean(0)
    at = np.flatnonzero(error)
    moved = outer[:, answers.first[at]] - outer[:, answers.second[at]] + outer[:, n:] @ answers.x[at].T
    added = (moved * error[at]) ** 2
    v = added.sum(1)
    freedom = np.maximum(1.0, ratio(2 * v**2, (added**2).sum(1)))
    return Ends.of(fitted, v, freedom)


def folds(number: int, seed: int) -> Longs:
    """(question,) the fold of each question, drawn without a look at the answers"""
    return np.asarray(np.random.default_rng(seed).permutation(number) % FOLDS)


# ── the result ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False, repr=False)
class JudgedStrengths(Result):
    """Strengths of systems. Made by `strengths`."""

    claims: ClassVar[tuple[str, ...]] = (A_STRENGTH, FROM_FEW)
    strengths: tuple[Strength, ...]
    coefficients: tuple[Coefficient, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        """A line for each system, the strongest first."""
        of = self.strengths
        columns: dict[str, list[Any]] = {
            "system": [one.system for one in of],
            "answers": [one.answers for one in of],
            "strength": [_cell(one.strength, one.low, one.high) for one in of],
        }
        if self.coefficients:
            columns["controlled"] = [
                _cell(one.controlled, one.controlled_low, one.controlled_high) for one in of
            ]
        return Table(columns, digits=3)

    @property
    def controls(self) -> Table:
        """A line for each covariate."""
        of = self.coefficients
        return Table(
            {
                "covariate": [one.covariate for one in of],
                "unit": [one.unit for one in of],
                "coefficient": [_cell(one.value, one.low, one.high) for one in of],
                "p": [one.p for one in of],
            },
            digits=3,
            precision={"p": 4},
            probabilities=("p",),
        )

    @property
    def worth(self) -> Table:
        """What the judges are worth."""
        width, alone = self.about["mean width"], self.about["mean width without judges"]
        return Table(
            {
                "questions": [self.about["questions"]],
                "answers of people": [self.about["answers of people"]],
                "mean width": [width],
                "without judges": [alone],
            },
            digits=3,
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        more = [self.controls] if self.coefficients else []
        more += [self.worth] if self.about["judges"] else []
        return (self.summary, *more)

    @property
    def note(self) -> str:
        a = self.about
        lines = [f"Strengths minus their mean, in log-odds; a tie is half a win; prior {a['prior']:g}."]
        if self.coefficients:
            lines.append(
                "controlled: the strengths of systems that do not differ in the covariates. coefficient: "
                "what a covariate "
                "that is higher by one unit, a standard deviation, adds to the log-odds."
            )
        if a["confidence"]:
            over = (
                f"topics like these {a['topics']}" if a["units of the intervals"] == "topics" else "answers"
            )
            lines.append(
                f"In brackets: {100 * a['confidence']:g} % intervals over {over}. They hold {a['estimand']}."
            )
        return "\n".join(lines)

    @property
    def rows(self) -> Table:
        """One row for each strength."""
        names = [name for name in Strength._fields if self.coefficients or not name.startswith("controlled")]
        return Table({name: [getattr(one, name) for one in self.strengths] for name in names})


def _cell(value: float, low: float, high: float) -> Cell:
    return Cell(value, between=None if np.isnan(low) else (low, high))
