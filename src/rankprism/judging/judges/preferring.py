"""`prefer`: what machines that prefer are worth. Do they look at sides, at length, at their own family?

Topics are the units of all intervals: a figure is computed again without one topic at a time, because the
answers to a topic have something in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data import Floats, Longs, Note, issue
from rankprism.errors import InputError
from rankprism.judging.judges.estimates_over_topics import (
    A_COEFFICIENT,
    A_SHARE,
    FAVOURS,
    Estimated,
    kappa_over_topics,
    mean_over_topics,
    share_over_topics,
    students,
)
from rankprism.judging.judges.figure import ALL, Figure
from rankprism.judging.judges.labels import check_judges
from rankprism.judging.judges.paired_logit import Answers, Fitted, fit, influence
from rankprism.judging.judges.preferring_result import JudgePreferences
from rankprism.judging.judges.questions import (
    PEOPLE,
    SIDE,
    Covariates,
    Given,
    Questions,
    Systems,
    check_topics,
    counted,
    read_covariates,
    read_families,
    read_systems,
)
from rankprism.measures import ratio
from rankprism.meta import check_confidence
from rankprism.statistics import CLAIMS, corrected
from rankprism.types import PreferencesLike


def prefer(
    people: PreferencesLike | None,
    judges: Mapping[str, PreferencesLike],
    *,
    covariates: Any = None,
    family: Any = None,
    systems: Any = None,
    intervals: float = 0.95,
) -> JudgePreferences:
    """What the preferences of judges depend on, and how far they agree with those of people.

    Parameters
    ----------
    people
        The preferences of people, as `read_preferences` takes them; None if there are none.
    judges
        The name of each judge and its preferences.
    covariates
        Numbers that documents have, such as their length: a table with the column doc, perhaps topic, and a
        column for each covariate. Tells whether a judge prefers documents with higher numbers.
    family
        The family of each document and of each judge: a mapping, or a file with a line for each of them.
        Tells whether a judge favours a family, for example answers by the same model.
    systems
        The system of each document: a mapping, or a file with a line for each document and its system; or the
        word names, if documents with the same name in different topics are one system. Coefficients are then
        those of systems of equal strength.
    intervals
        Confidence of the intervals, whose units are topics. 0 leaves the intervals out.

    Examples
    --------
    >>> rows = [(f"q{i}", "", "a", "b", "right" if i % 4 else "left") for i in range(12)]
    >>> rows += [(f"q{i}", "", "b", "a", "left" if i % 3 else "right") for i in range(12)]
    >>> found = prefer(None, {"judge": rows})
    >>> print(f"{found.value('judge', 'left'):.3f} {found.value('judge', 'same'):.3f}")
    0.458 0.583
    """
    check_confidence(intervals)
    questions = Questions.read(people, check_judges(judges))
    check_topics(questions)
    _note_without_sides(questions)
    study = Study(questions, intervals, None if systems is None else read_systems(systems, questions))
    figures = [figure for name in questions.given for figure in study.on_answers(name)]
    about: dict[str, Any] = {
        "judges": {name: questions.given[name].source for name in questions.judges},
        "people": questions.given[PEOPLE].source if people is not None else None,
        "topics": len(questions.topics),
        "questions": len(questions),
        "confidence": intervals,
        "units of the intervals": "topics",
        "systems": None if study.systems is None else len(study.systems.names),
    }
    extra = None
    if covariates is not None:
        extra = read_covariates(covariates, questions)
        about["standard deviations"] = dict(zip(extra.names, extra.spread.tolist(), strict=True))
    figures += study.on_covariates(extra)
    if family is not None:
        families = read_families(family, questions)
        about["families"] = {name: families.get(name) for name in questions.judges}
        figures += study.on_families(families)
    _note_few_topics(figures, intervals)
    return JudgePreferences(tuple(questions.given), tuple(figures), about)


def _note_without_sides(questions: Questions) -> None:
    without = [name for name in questions.judges if not questions.given[name].sided]
    if without:
        text = (
            f"{questions.given[without[0]].source} says which document won and not on which side it was, so "
            f"nothing is said about the sides of judge {without[0]!r}; record left, right and outcome"
        )
        issue([Note("no-sides", text, len(without), without[0])])


def _note_few_topics(figures: list[Figure], confidence: float) -> None:
    """Say which intervals there are too few topics for."""
    if not confidence:
        return
    for claim, kinds in (
        (A_SHARE, ("left", "same", "agrees", "κ")),
        (A_COEFFICIENT, ("coefficient",)),
        (FAVOURS, ("favours",)),
    ):
        few = [f for f in figures if f.figure in kinds and 0 < f.units < CLAIMS[claim].fewest]
        if few:
            missing = CLAIMS[claim].missing(few[0].units)
            issue([Note("no-interval", f"{missing} for judge {few[0].judge!r}", few[0].units, few[0].judge)])


@dataclass(frozen=True, eq=False)
class Study:
    """Questions that people and judges have answered."""

    questions: Questions
    confidence: float
    systems: Systems | None = None

    def _figure(
        self, judge: str, of: str, name: str, found: Estimated, units: int, item: str = ALL
    ) -> Figure:
        return Figure(judge, of, name, item, *found, units=units)

    def _by_topic(self, topic: Longs, values: Floats | None = None) -> Floats:
        return np.bincount(topic, values, len(self.questions.topics)).astype(np.float64)

    def on_answers(self, name: str) -> list[Figure]:
        """Counts, the share of left answers, and agreement with oneself and with people."""
        q, given = self.questions, self.questions.given[name]
        topic = q.topic[given.question]
        plain = [
            ("judgments", float(len(topic))),
            ("topics", float(len(np.unique(topic)))),
            ("ties", float((given.outcome == 0.5).mean())),
        ]
        found = [self._figure(name, "answers", word, Estimated(value), 0) for word, value in plain]
        if given.sided:
            whole = self._by_topic(topic)
            left = share_over_topics(self._by_topic(topic, given.outcome), whole, self.confidence)
            found.append(self._figure(name, "answers", "left", left, int((whole > 0).sum())))
            found += self._on_swapped(name, given)
        if name != PEOPLE and PEOPLE in q.given:
            found += self._with_people(name)
        return found

    def _on_swapped(self, name: str, given: Given) -> list[Figure]:
        """How often an assessor gives the same answer when sides are swapped."""
        n = len(self.questions)
        keys, unit = np.unique(given.assessor * n + given.question, return_inverse=True)
        unit, first = unit.ravel(), given.of_first
        sides = [
            counted(unit[given.turned == turned], first[given.turned == turned], len(keys))
            for turned in (False, True)
        ]
        again = (sides[0].sum(1) > 0) & (sides[1].sum(1) > 0)
        topic = self.questions.topic[keys[again] % n]
        return self._agreement(name, "same", sides[0][again], sides[1][again], topic)

    def _with_people(self, name: str) -> list[Figure]:
        """How often the judge gives the answer of people to the same question."""
        q = self.questions
        both = q.both[name]
        if not both.any():
            raise InputError(
                f"judge {name!r} and the people have no pair of documents in common; check that both belong "
                "to one "
                f"collection and spell their ids alike"
            )
        one, other = (q.given[source].counts(len(q))[both] for source in (name, PEOPLE))
        found = self._agreement(name, "agrees", one, other, q.topic[both])
        # Which document is the first is an accident, so every question counts half as it is and half turned.
        tables = _shares(one)[:, :, None] * _shares(other)[:, None, :]
        tables = (tables + tables[:, [1, 0, 2]][:, :, [1, 0, 2]]) / 2
        by_topic = np.zeros((len(q.topics), 3, 3))
        np.add.at(by_topic, q.topic[both], tables)
        kappa = kappa_over_topics(by_topic, self.confidence)
        return [*found, self._figure(name, "answers", "κ", kappa, len(np.unique(q.topic[both])))]

    def _agreement(self, name: str, word: str, one: Floats, other: Floats, topic: Longs) -> list[Figure]:
        """The share of questions with the same answer, and with opposite ones; a question answered several
        times counts once."""
        one, other = _shares(one), _shares(other)
        same = (one * other).sum(1)
        opposite = one[:, 0] * other[:, 1] + one[:, 1] * other[:, 0]
        whole = self._by_topic(topic)
        units = int((whole > 0).sum())
        agreed = share_over_topics(self._by_topic(topic, same), whole, self.confidence)
        turned = share_over_topics(self._by_topic(topic, opposite), whole, self.confidence)
        counted = {"same": "swapped", "agrees": "shared"}[word]
        return [
            self._figure(name, "answers", counted, Estimated(float(len(same))), 0),
            self._figure(name, "answers", word, agreed._replace(p=np.nan), units),
            self._figure(
                name,
                "answers",
                {"same": "turned", "agrees": "opposes"}[word],
                turned._replace(p=np.nan),
                units,
            ),
        ]

    # ── coefficients ─────────────────────────────────────────────────────────────────────────────

    def fitted(self, given: Given, extra: Covariates | None) -> tuple[Fitted, tuple[str, ...]]:
        """The model of some answers, and the names of its coefficients."""
        q = self.questions
        sign = np.where(given.turned, -1.0, 1.0)[:, None]
        columns = [sign * extra.difference[given.question]] if extra is not None else []
        names = extra.names if extra is not None else ()
        if given.sided:
            columns.insert(0, np.ones((len(sign), 1)))
            names = (SIDE, *names)
        x = np.concatenate(columns, axis=1) if columns else np.empty((len(sign), 0))
        left, right = q.left(given), q.right(given)
        if self.systems is None:
            return fit(Answers(left, right, given.outcome, x)), names
        of = self.systems.of_doc
        answers = Answers(of[left], of[right], given.outcome, x, len(self.systems.names))
        return fit(answers, prior=1.0), names

    def on_covariates(self, extra: Covariates | None) -> list[Figure]:
        """The coefficients of each judge, and how much they exceed those of people on the same questions."""
        found: list[Figure] = []
        for name, given in self.questions.given.items():
            found += self.coefficients(name, given, extra)
            if name != PEOPLE and PEOPLE in self.questions.given:
                found += self.beyond_people(name, extra)
        return found

    def coefficients(self, name: str, given: Given, extra: Covariates | None) -> list[Figure]:
        fitted, names = self.fitted(given, extra)
        if not fitted.converged:
            _note_no_maximum(name)
            return [
                self._figure(name, "model", "coefficient", Estimated(np.nan), 0, item=one) for one in names
            ]
        delta, units = self._moved(fitted, given)
        return [
            self._figure(
                name,
                "model",
                "coefficient",
                students(value, delta[:, k], self.confidence, A_COEFFICIENT),
                units,
                item,
            )
            for k, (item, value) in enumerate(zip(names, fitted.gamma.tolist(), strict=True))
        ]

    def _moved(self, fitted: Fitted, given: Given) -> tuple[Floats, int]:
        """(topic, K) how much each topic moves the coefficients, and the number of topics"""
        topics, topic = np.unique(self.questions.topic[given.question], return_inverse=True)
        delta = influence(fitted, topic.ravel(), len(topics))
        return delta[:, delta.shape[1] - len(fitted.gamma) :], len(topics)

    def beyond_people(self, name: str, extra: Covariates | None) -> list[Figure]:
        """The coefficients of a judge minus those of people, both on the questions that both answered."""
        q = self.questions
        models = []
        for source in (name, PEOPLE):
            given = q.given[source]
            given = given.some(q.both[name][given.question])
            fitted, names = self.fitted(given, extra)
            if not fitted.converged:
                return []
            models.append((fitted.gamma, self._moved(fitted, given), names))
        (one, (moved, units), own), (other, (people, _), theirs) = models
        found = []
        for item in [item for item in own if item in theirs]:
            a, b = own.index(item), theirs.index(item)
            value = float(one[a] - other[b])
            gap = students(value, moved[:, a] - people[:, b], self.confidence, A_COEFFICIENT)
            found.append(self._figure(name, "model", "beyond people", gap, units, item))
        return found

    # ── families ─────────────────────────────────────────────────────────────────────────────────

    def on_families(self, families: Mapping[str, str]) -> list[Figure]:
        """How much more often a judge prefers the documents of a family than people do, on the same
        questions.

        Questions count of which one document is of the family and the other is not. Without people, the other
        judges that are not of the family take their place. p of the judge's own family is the hypothesis that
        was asked about; those of other families are corrected for their number by Holm.
        """
        q = self.questions
        names = sorted({families[doc] for doc in q.docs if doc in families})
        found: list[Figure] = []
        for judge in q.judges:
            own: list[Figure] = []
            for name in names:
                member = np.array([families.get(doc) == name for doc in q.docs])
                one = member[q.first].astype(np.int64) - member[q.second]
                others = [PEOPLE] if PEOPLE in q.given else [
                    other for other in q.judges if other != judge and families.get(other) != name
                ]  # fmt: skip
                own += self._favours(judge, name, one, others)
            main = [f for f in own if f.figure == "favours" and f.item != families.get(judge)]
            p = np.array([f.p for f in main])
            p[~np.isnan(p)] = corrected(p[~np.isnan(p)], "holm")
            adjusted = {f.item: float(x) for f, x in zip(main, p, strict=True)}
            found += [f._replace(p=adjusted[f.item]) if f in main else f for f in own]
        if not any(f.figure == "favours" for f in found):
            raise InputError(
                "no judge can be compared on a family, because nobody else has answered the same "
                "questions; give the "
                "preferences of people, or those of a judge of another family"
            )
        return found

    def _favours(self, judge: str, family: str, one: Longs, others: list[str]) -> list[Figure]:
        """one : (question,) 1 if the first document is of the family, -1 if the second is, 0 if both or none
        are"""
        q = self.questions
        share = [_won(q.given[source].counts(len(q)), one) for source in (judge, *others)]
        reference = np.full(len(q), np.nan)
        if others:
            known = np.array([~np.isnan(x) for x in share[1:]])
            total = np.where(known, share[1:], 0.0).sum(0)
            reference = np.where(known.any(0), ratio(total, known.sum(0)), np.nan)
        at = ~np.isnan(share[0] + reference)
        if not at.any():
            return []
        whole = self._by_topic(q.topic[at])
        units = int((whole > 0).sum())
        gap = mean_over_topics(
            self._by_topic(q.topic[at], (share[0] - reference)[at]), whole, self.confidence, FAVOURS
        )
        words = (
            ("questions of family", float(at.sum())),
            ("prefers family", float(share[0][at].mean())),
            ("others prefer family", float(reference[at].mean())),
        )
        return [
            *(self._figure(judge, "families", word, Estimated(value), 0, family) for word, value in words),
            self._figure(judge, "families", "favours", gap, units, family),
        ]


def _shares(counts: Floats) -> Floats:
    """Counts (question, 3) of answers as shares."""
    return ratio(counts, counts.sum(1, keepdims=True))


def _won(counts: Floats, one: Longs) -> Floats:
    """(question,) the share of answers for the family's document; NaN where it is not alone or nobody
    answered"""
    shares = _shares(counts)
    first = shares[:, 0] + shares[:, 2] / 2
    known = (one != 0) & (counts.sum(1) > 0)
    return np.where(known, np.where(one > 0, first, 1 - first), np.nan)


def _note_no_maximum(name: str) -> None:
    text = (
        f"the answers of {name!r} are what the sides or covariates say in every case, so coefficients would "
        "be "
        f"infinite, and none are printed"
    )
    issue([Note("unbounded-strengths", text, 1, name)])
