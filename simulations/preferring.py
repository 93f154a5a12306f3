"""Simulations of the intervals of `rankprism judges prefer` and `rankprism judges strengths`.

    python -m simulations.preferring [FOLDER]

prints how often p is below .05 if a judge has no bias. With FOLDER, which has trec-dl-2021-prefs, it prints
how often intervals of strengths from few answers of people hold those from all answers.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from rankprism.data.arrays import Floats
from rankprism.judging.judges.estimates_over_topics import A_COEFFICIENT, A_SHARE, FAVOURS
from rankprism.judging.judges.figure import Figure
from rankprism.judging.judges.preferring import Study
from rankprism.judging.judges.questions import NAMES, PEOPLE, SIDE, Covariates, Given, Questions, read_systems
from rankprism.judging.judges.system_strengths import A_STRENGTH, FROM_FEW, StrengthStudy
from rankprism.judging.preferences.bradley_terry import sigmoid
from rankprism.types import AnswersOver
from simulations.gate import Studies, simulates

#: The name of the judge, of its family, and of the covariate.
JUDGE, OWN, LENGTH = "judge", "own", "length"
#: The number of documents of a topic.
DOCS = 12


@dataclass(frozen=True)
class Judge:
    """A judge whose biases differ from topic to topic, and people. Each topic has new documents.

    Documents have qualities, lengths that go with quality, and families. A bias is added to the log-odds.
    With the defaults, a judge prefers the left document in 58 % of its answers, and gives the same answer in
    65 % of the questions that it is asked with sides swapped.
    """

    figure: str  #: the figure, and the item that it is about
    item: str = "all"
    side: float = 0.4
    length: float = 0.4
    own: float = 0.4
    varies: float = 0.3  #: the standard deviation of each bias over topics
    noise: float = 1.0  #: the factor of quality in the log-odds of the judge: smaller is noisier
    questions: tuple[int, int] = (5, 50)  #: the fewest and the most of a topic
    linked: float = 0.3  #: how much longer a document is if its quality is higher by 1
    people: float = 0.0  #: the standard deviation of the biases of people over topics
    systems: bool = False  #: whether documents are the answers of 12 systems, and strengths are in the model

    @property
    def name(self) -> str:
        biased = "" if self.side or self.length or self.own else ", no bias"
        model = ", strengths of systems in the model" if self.systems else ""
        return f"{self.figure}{'' if self.item == 'all' else ' of ' + self.item}{model}{biased}"

    def draw(self, rng: np.random.Generator, topics: int) -> tuple[Questions, Covariates, dict[str, str]]:
        """Questions with the answers of people and of the judge, the lengths and the families."""
        number = rng.integers(*self.questions, topics, endpoint=True)
        topic = np.repeat(np.arange(topics), number)
        docs = DOCS
        first = rng.integers(0, docs, len(topic))
        second = (first + rng.integers(1, docs, len(topic))) % docs
        first, second = topic * docs + first, topic * docs + second
        quality = rng.normal(0, 0.8, docs if self.systems else topics * docs)
        if self.systems:
            quality = np.tile(quality, topics)
        length = self.linked * quality + rng.normal(size=topics * docs)
        own = (rng.random(topics * docs) < 0.4).astype(np.float64)
        side, by_length, by_own = (
            rng.normal(mean, self.varies, topics)[topic] for mean in (self.side, self.length, self.own)
        )
        gaps = [values[first] - values[second] for values in (quality, length, own)]
        judge = self.noise * gaps[0] + by_length * gaps[1] + by_own * gaps[2]
        people, their_side = 1.2 * gaps[0] + 0.1 * gaps[1], np.zeros(len(topic))
        if self.people:
            people += rng.normal(0, self.people, topics)[topic] * gaps[1]
            their_side = rng.normal(0, self.people, topics)[topic]
        given = {
            PEOPLE: answered(rng, people, their_side, 0.0),
            JUDGE: answered(rng, judge, side, 0.5),
        }
        names = tuple(f"d{d}" for d in range(topics * docs))
        questions = Questions(tuple(f"t{t}" for t in range(topics)), names, topic, first, second, given)
        families = {name: OWN if mine else "other" for name, mine in zip(names, own, strict=True)}
        return questions, Covariates((LENGTH,), np.ones(1), gaps[1][:, None]), families | {JUDGE: OWN}

    def figures(self, rng: np.random.Generator, topics: int) -> Figure:
        """The figure of one study."""
        questions, extra, families = self.draw(rng, topics)
        own = {name: f"s{d % DOCS}" for d, name in enumerate(questions.docs)}
        study = Study(questions, 0.95, read_systems(own, questions) if self.systems else None)
        if self.figure == "favours":
            found = study.on_families(families)
        elif self.item == "all":
            found = study.on_answers(JUDGE)
        elif self.figure == "coefficient":
            found = study.coefficients(JUDGE, questions.given[JUDGE], extra)
        else:
            found = study.beyond_people(JUDGE, extra)
        wanted = (JUDGE, self.figure, self.item)
        return next(f for f in found if (f.judge, f.figure, f.item) == wanted)


def answered(rng: np.random.Generator, d: Floats, side: Floats, again: float) -> Given:
    """Answers to questions whose first document is better by d; a share of them is asked again, with sides
    swapped."""
    n = len(d)
    question = np.concatenate((np.arange(n), np.flatnonzero(rng.random(n) < again)))
    turned = rng.random(n) < 0.5
    turned = np.concatenate((turned, ~turned[question[n:]]))
    eta = np.where(turned, -1.0, 1.0) * d[question] + side[question]
    tie = rng.random(len(question)) < 0.3 / (np.exp(eta / 2) + np.exp(-eta / 2) + 0.3)
    outcome = np.where(tie, 0.5, (rng.random(len(question)) < sigmoid(eta)).astype(np.float64))
    return Given("simulated", True, question, turned, outcome, np.zeros(len(question), dtype=np.int64))


SHARES = tuple(Judge(figure) for figure in ("left", "same", "agrees", "κ"))
COEFFICIENTS = (Judge("coefficient", "side"), Judge("coefficient", LENGTH), Judge("beyond people", LENGTH))
FAMILIES = (Judge("favours", OWN),)


@cache
def truth_of(judge: Judge) -> float:
    """The figure of very many topics."""
    return judge.figures(np.random.default_rng(7), 10_000).value


def _simulated(judge: Judge, units: int, studies: int, seed: int) -> Studies:
    rng = np.random.default_rng(seed)
    rows = [judge.figures(rng, units) for _ in range(studies)]
    estimate, low, high = np.array([(f.value, f.low, f.high) for f in rows]).T
    return Studies(estimate, low, high, truth_of(judge))


@simulates(A_SHARE, SHARES)
def share_of_answers(judge: Judge, units: int, studies: int, seed: int) -> Studies:
    return _simulated(judge, units, studies, seed)


@simulates(A_COEFFICIENT, COEFFICIENTS)
def coefficient_of_answers(judge: Judge, units: int, studies: int, seed: int) -> Studies:
    return _simulated(judge, units, studies, seed)


@simulates(FAVOURS, FAMILIES)
def favoured_family(judge: Judge, units: int, studies: int, seed: int) -> Studies:
    return _simulated(judge, units, studies, seed)


# ── strengths of systems ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Arena:
    """Systems that are better in some topics than in others, people, and a judge who agrees with them or
    not."""

    name: str
    judge: float = 1.5  #: the factor of strengths in the log-odds of the judge
    over: AnswersOver = "topics"
    systems: int = 6
    questions: tuple[int, int] = (5, 40)  #: the fewest and the most of a topic
    varies: float = 0.5  #: the standard deviation of a strength over topics
    opinion: float = 1.0  #: the standard deviation of what people and the judge both see in a single question

    def draw(self, rng: np.random.Generator, topics: int) -> Questions:
        """Questions that people and the judge have answered."""
        number = rng.integers(*self.questions, topics, endpoint=True)
        topic = np.repeat(np.arange(topics), number)
        n = self.systems
        first = rng.integers(0, n, len(topic))
        second = (first + rng.integers(1, n, len(topic))) % n
        theta = np.linspace(-0.8, 0.8, n) + rng.normal(0, self.varies, (topics, n))
        d = theta[topic, first] - theta[topic, second] + rng.normal(0, self.opinion, len(topic))
        none = np.zeros(len(topic))
        given = {PEOPLE: answered(rng, d, none, 0.0), JUDGE: answered(rng, self.judge * d, none, 0.0)}
        names = tuple(f"s{s}" for s in range(n))
        return Questions(tuple(f"t{t}" for t in range(topics)), names, topic, first, second, given)

    def study(self, questions: Questions) -> StrengthStudy:
        return StrengthStudy(questions, read_systems(NAMES, questions), self.over, 1.0, 0.95)

    def strengths(self, questions: Questions, few: bool, seed: int = 0) -> Floats:
        """(system, 3) strengths and the ends of their intervals"""
        study = self.study(questions)
        found = study.from_few(None, seed) if few else study.from_all(None)
        by_name = {one.system: (one.strength, one.low, one.high) for one in found.strengths}
        return np.array([by_name[name] for name in questions.docs])

    @cached_property
    def truth(self) -> Floats:
        """(system,) the strengths by the answers to very many topics"""
        return self.strengths(self.draw(np.random.default_rng(8), 10_000), few=False)[:, 0]

    @cached_property
    def whole(self) -> Questions:
        """About 2,700 questions of 120 topics, all of which people have answered."""
        return self.draw(np.random.default_rng(9), 120)

    @cached_property
    def complete(self) -> Floats:
        """(system,) the strengths by all answers of people to the questions of `whole`"""
        return self.strengths(self.whole, few=True)[:, 0]

    def sampled(self, rng: np.random.Generator, questions: Questions, answers: int) -> Questions:
        """The same questions, of which people have answered only some."""
        people = questions.given[PEOPLE]
        some = np.zeros(len(questions), dtype=bool)
        some[rng.choice(len(questions), min(answers, len(questions)), replace=False)] = True
        return replace(questions, given={**questions.given, PEOPLE: people.some(some[people.question])})


@simulates(A_STRENGTH, (Arena("6 systems"), Arena("6 systems, equal in all topics", varies=0.0)))
def strength_of_a_system(arena: Arena, units: int, studies: int, seed: int) -> Studies:
    """The best system, and in every other study the third one."""
    rng = np.random.default_rng(seed)
    found = np.empty((studies, 4))
    for k in range(studies):
        s = (5, 3)[k % 2]
        found[k] = *arena.strengths(arena.draw(rng, units), few=False)[s], arena.truth[s]
    return Studies(*found.T)


ARENAS = (
    Arena("an honest judge", over="answers"),
    Arena("a hostile judge", judge=-1.5, over="answers"),
    Arena("a random judge", judge=0.0, over="answers"),
    Arena("an honest judge, other topics"),
    Arena("a random judge, other topics", judge=0.0),
)
ANSWERS = (20, 60, 100, 200, 400, 800)


@simulates(FROM_FEW, ARENAS, ANSWERS)
def strength_from_few_answers(arena: Arena, units: int, studies: int, seed: int) -> Studies:
    """The same, with the answers of people to some of 2,700 questions."""
    rng = np.random.default_rng(seed)
    found = np.empty((studies, 4))
    for k in range(studies):
        s = (5, 3)[k % 2]
        questions = arena.whole if arena.over == "answers" else arena.draw(rng, 120)
        truth = arena.complete if arena.over == "answers" else arena.truth
        found[k] = *arena.strengths(arena.sampled(rng, questions, units), True, k)[s], truth[s]
    return Studies(*found.T)


# ── false alarms ─────────────────────────────────────────────────────────────────────────────────


def alarms(judge: Judge, units: int, studies: int, seed: int = 2) -> float:
    """How often p is below .05."""
    rng = np.random.default_rng(seed)
    found = np.array([judge.figures(rng, units).p for _ in range(studies)])
    return float((found < 0.05).mean())


#: Judges of whom the hypothesis of each p is true. For the coefficient of length without systems, length has
#: nothing to do with quality. The judge who is compared with people depends on quality and length as they do.
UNBIASED = (
    Judge("left", side=0.0, length=0.0, own=0.0),
    Judge("coefficient", SIDE, side=0.0, length=0.0, own=0.0),
    Judge("favours", OWN, side=0.0, length=0.0, own=0.0),
    Judge("coefficient", LENGTH, side=0.0, length=0.0, own=0.0, linked=0.0),
    Judge("coefficient", LENGTH, side=0.0, length=0.0, own=0.0, systems=True),
    Judge("beyond people", SIDE, side=0.0, length=0.1, own=0.0, noise=1.2, people=0.3),
    Judge("beyond people", LENGTH, side=0.0, length=0.1, own=0.0, noise=1.2, people=0.3),
)


# ── DL 2021 ──────────────────────────────────────────────────────────────────────────────────────


def dl_2021(folder: Path) -> tuple[Questions, dict[str, str]]:
    """The pairs of TREC Deep Learning 2021 that the crowd and GPT-4o have judged, and groups of documents.

    A document is of one of five groups, by the number of runs that have it among their first ten.
    """
    pairs = folder / "trec-dl-2021-prefs" / "pairs"
    both = Questions.read(pairs / "human.human.gz", {JUDGE: pairs / "judge.human.gz"})
    shared = both.both[JUDGE]
    given = {name: one.some(shared[one.question]) for name, one in both.given.items()}
    times: Counter[str] = Counter()
    for path in sorted((folder / "trec-dl-2021-prefs" / "runs").glob("*.gz")):
        with gzip.open(path, "rt") as file:
            times.update(words[2] for words in map(str.split, file) if int(words[3]) <= 10)
    number = np.array([times[doc] for doc in both.docs])
    group = np.searchsorted(np.quantile(number, [0.2, 0.4, 0.6, 0.8]), number)
    return replace(both, given=given), {
        doc: f"group {g + 1}" for doc, g in zip(both.docs, group, strict=True)
    }


def altered(given: Given, how: str) -> Given:
    """A judge as it is, or made useless or hostile."""
    outcome = given.outcome
    if how == "inverted":
        outcome = 1 - outcome
    if how == "random":
        outcome = np.random.default_rng(5).choice([0.0, 0.5, 1.0], len(outcome))
    if how == "constant":
        outcome = np.full_like(outcome, 0.5)
    return replace(given, outcome=outcome)


def on_dl_2021(folder: Path, repetitions: int = 100) -> None:
    """Print how often intervals from few answers of the crowd hold the strengths by all of them."""
    questions, groups = dl_2021(folder)
    systems = read_systems(groups, questions)
    asked = np.unique(questions.given[PEOPLE].question)
    print("| judge | answers | held | mean width | without the judge | largest bias |")
    print("|---|---:|---:|---:|---:|---:|", flush=True)
    for how in ("as it is", "inverted", "random", "constant"):
        judge = altered(questions.given[JUDGE], how)
        for number in (337, 674, 1348, 2696):
            rng = np.random.default_rng(11)
            rows = []
            for k in range(-1, repetitions):  # first with all answers
                some = np.zeros(len(questions), dtype=bool)
                some[asked if k < 0 else rng.choice(asked, number, replace=False)] = True
                people = questions.given[PEOPLE]
                given = {PEOPLE: people.some(some[people.question]), JUDGE: judge}
                study = StrengthStudy(replace(questions, given=given), systems, "answers", 1.0, 0.95)
                found = study.from_few(None, k + 1)
                own = sorted((one.system, one.strength, one.low, one.high) for one in found.strengths)
                values = np.array([row[1:] for row in own])
                if k < 0:
                    truth = values[:, 0]
                else:
                    widths = found.about["mean width"], found.about["mean width without judges"]
                    held = (values[:, 1] <= truth) & (truth <= values[:, 2])
                    rows.append((held.mean(), *widths, *(values[:, 0] - truth)))
            mean = np.mean(np.array(rows, dtype=np.float64), axis=0)
            print(
                f"| {how} | {number} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | "
                f"{mean[3:][np.abs(mean[3:]).argmax()]:+.3f} |",
                flush=True,
            )


def main() -> None:
    """Print the tables."""
    if len(sys.argv) > 1:
        on_dl_2021(Path(sys.argv[1]))
        return
    print("| figure | topics | p < .05 without a bias |\n|---|---:|---:|")
    for judge in UNBIASED:
        for topics in (12, 20, 50):
            print(f"| {judge.name} | {topics} | {alarms(judge, topics, 4000):.3f} |", flush=True)


if __name__ == "__main__":
    main()
