"""What the organiser sees: the study's progress, how careful assessors are, and the order of the systems."""

from __future__ import annotations

import math
import time
import warnings
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import sqlalchemy as sa

from rankprism.comparison.boards.board import ranked
from rankprism.data import Floats
from rankprism.errors import RankprismError
from rankprism.judging.assess import access, exchange, right_answers, store, study_state, work
from rankprism.judging.assess.background import Background
from rankprism.judging.assess.consistency import Consistency, consistency
from rankprism.judging.assess.grade_files import Grade, middle_grades
from rankprism.judging.assess.pace import Pace, pace
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.judging.preferences import agreement as agreeing
from rankprism.meta import tau_a
from rankprism.results import Scores
from rankprism.statistics import CLAIMS, rank_sets, t_intervals

#: Number of resamples of the judgments that show how stable the order of the systems is.
RESAMPLES = 40
#: Number of moments at which agreement is shown.
MOMENTS = 6
#: Minimum number of seconds between two rankings of the systems.
_SECONDS = 10.0
#: Minimum number of judgments for an order that counts as settled.
LEAST = 50
#: Why there is no order at the beginning of a study.
_NOBODY = "Nobody has judged anything yet."
_NOTHING = "All answers so far are to practice or gold questions, or say that a document cannot be judged."


@dataclass(frozen=True)
class AssessorRow:
    """One assessor on the dashboard."""

    name: str
    worker: str
    has_begun: bool
    done: int
    ties: int
    left: float | None  #: the share of "left" among the preferences that are not ties
    cannot: int
    seconds: float | None  #: the median time of an answer
    practice: right_answers.Score
    gold: right_answers.Score
    consistency: Consistency
    topics: tuple[str, ...]  #: the topics that are assigned to them
    last: str
    code: str  #: the code that the last page shows them


@dataclass(frozen=True)
class TopicRow:
    """One topic on the dashboard."""

    id: int
    name: str
    title: str
    done: int
    total: int  #: number of judgments that are wanted
    assessors: tuple[str, ...]  #: the assessors that it is assigned to; everybody if there are none


@dataclass(frozen=True)
class View:
    """The state of a study."""

    done: int
    total: int
    working: int  #: number of tasks that somebody has open now
    stopped: str | None
    assessors: tuple[AssessorRow, ...]
    topics: tuple[TopicRow, ...]
    pace: Pace
    comments: tuple[tuple[str, str, str], ...]  #: the latest comments: time, assessor, words


@dataclass(frozen=True)
class System:
    """A system with its mean score and an interval over topics."""

    name: str
    score: float
    low: float
    high: float
    ranks: tuple[int, int] | None = None  #: the best and the worst rank that it may have, if it is known


@dataclass(frozen=True)
class Moment:
    """How well the assessors agreed after a number of judgments."""

    judgments: int
    aspect: str  #: the aspect that they graded; empty for preferences and for all grades together
    alpha: agreeing.Agreement  #: Krippendorff's α: nominal for preferences, ordinal for grades


@dataclass(frozen=True)
class Standing:
    """The order of the systems after a number of judgments."""

    judgments: int
    systems: tuple[System, ...] = ()  #: the best first
    tau: float = math.nan  #: the mean of Kendall's τ between this order and the orders by resampled judgments
    tau_low: float = math.nan  #: the value that 95 % of these τ exceed
    agreement: tuple[Moment, ...] = ()
    problem: str = ""  #: why there is no order
    notes: tuple[str, ...] = ()  #: what the organiser may not expect of the measure


class Standings:
    """The latest standing, which is computed in the background whenever there are new judgments."""

    def __init__(self) -> None:
        self._latest: Standing | None = None
        self._next = -math.inf  # when it may be computed again
        self.background = Background()

    def latest(self, open_study: Store, settings: Settings) -> Standing | None:
        """The last standing that was computed; None if there is none, or if its problem may be solved."""
        latest = self._latest
        is_stale = (
            latest is not None and latest.problem != "" and latest.judgments != count_judgments(open_study)
        )
        if is_stale or time.monotonic() > self._next:
            self.background.start(lambda: self.renew(open_study, settings))
        return None if is_stale else latest

    def renew(self, open_study: Store, settings: Settings) -> Standing:
        """Compute the standing now, and stop the study if it is settled."""
        start = time.monotonic()
        count = count_judgments(open_study)
        if self._latest is None or self._latest.judgments != count:
            self._latest = standing(open_study, settings, count)
            if is_settled(self._latest, settings):
                study_state.stop(
                    open_study,
                    f"The order of the systems is settled: after {self._latest.judgments} judgments, τ is at "
                    f"least {self._latest.tau_low:.2f} in 95 % of resamples.",
                )
        # A long computation is done rarely, so that it hardly slows down the assessors.
        took = time.monotonic() - start
        self._next = time.monotonic() + max(_SECONDS, 20 * took)
        return self._latest


def count_judgments(open_study: Store) -> int:
    """The number of judgments, including practice and gold."""
    judgment = store.judgment
    with open_study.reading() as connection:
        counted = sa.select(sa.func.count()).where(judgment.c.withdrawn.is_(None))
        return int(connection.scalar(counted) or 0)


def is_settled(found: Standing, settings: Settings) -> bool:
    """Whether the order of the systems is as stable as the organiser wants it."""
    return settings.settle is not None and found.judgments >= LEAST and found.tau_low >= settings.settle


def view(open_study: Store, study: study_state.Study) -> View:
    """Count the state of a study."""
    judgment, task, place, assessor = store.judgment, store.task, store.place, store.assessor
    with open_study.reading() as connection:
        done, total = work.study_progress(connection, study.settings)
        stopped = connection.scalar(sa.select(store.study.c.stopped))
        now = open_study.clock.now()
        working = connection.scalar(
            sa.select(sa.func.count()).where(place.c.done.is_(False), place.c.expires > now)
        )
        rows = connection.execute(
            sa.select(
                judgment.c.assessor,
                judgment.c.answer,
                judgment.c.seconds,
                judgment.c.time,
            )
            .join(task, judgment.c.task == task.c.id)
            .where(judgment.c.withdrawn.is_(None), task.c.purpose != "practice")
        ).all()
        practice, gold = (right_answers.scores(connection, purpose) for purpose in ("practice", "gold"))
        people = connection.execute(sa.select(assessor).order_by(assessor.c.id)).all()
        consistent = consistency(connection)
        topics = topic_rows(connection)
        comments = connection.execute(
            sa.select(judgment.c.time, assessor.c.name, judgment.c.comment)
            .join(assessor, judgment.c.assessor == assessor.c.id)
            .where(judgment.c.comment != "", judgment.c.withdrawn.is_(None))
            .order_by(judgment.c.id.desc())
            .limit(20)
        ).all()
    of: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        of[row.assessor].append(row)
    return View(
        done=done,
        total=total,
        working=int(working or 0),
        stopped=stopped,
        assessors=tuple(
            _assessor(
                person,
                of[person.id],
                practice.get(person.id, right_answers.Score()),
                gold.get(person.id, right_answers.Score()),
                consistent.get(person.id, Consistency()),
                tuple(one.name for one in topics if person.name in one.assessors),
                study.secret,
            )
            for person in people
        ),
        topics=topics,
        pace=pace([(row.time, row.seconds) for row in rows]),
        comments=tuple((time, name, words) for time, name, words in comments),
    )


def topic_rows(connection: sa.Connection) -> tuple[TopicRow, ...]:
    """The topics of a study, with their progress and the assessors that they are assigned to."""
    topic, task, place = store.topic, store.task, store.place
    counted = {
        row.topic: row
        for row in connection.execute(
            sa.select(
                task.c.topic,
                sa.func.count().filter(place.c.done).label("done"),
                sa.func.count().label("total"),
            )
            .join(task, place.c.task == task.c.id)
            .where(place.c.position > 0)
            .group_by(task.c.topic)
        )
    }
    people: dict[int, list[str]] = defaultdict(list)
    for row in connection.execute(
        sa.select(store.assigned.c.topic, store.assessor.c.name)
        .join(store.assessor, store.assigned.c.assessor == store.assessor.c.id)
        .order_by(store.assessor.c.id)
    ):
        people[row.topic].append(row.name)
    return tuple(
        TopicRow(
            row.id,
            row.name,
            row.title,
            counted[row.id].done if row.id in counted else 0,
            counted[row.id].total if row.id in counted else 0,
            tuple(people[row.id]),
        )
        for row in connection.execute(sa.select(topic).order_by(topic.c.id))
    )


def _assessor(
    person: Any,
    rows: list[Any],
    practice: right_answers.Score,
    gold: right_answers.Score,
    consistent: Consistency,
    topics: tuple[str, ...],
    secret: str,
) -> AssessorRow:
    seconds = [row.seconds for row in rows if row.seconds is not None]
    sides = [row.answer for row in rows if row.answer in ("left", "right")]
    return AssessorRow(
        name=person.name,
        worker=person.worker or "",
        has_begun=person.consented is not None,
        done=len(rows),
        ties=sum(row.answer == "tie" for row in rows),
        left=sides.count("left") / len(sides) if sides else None,
        cannot=sum(row.answer == "cannot" for row in rows),
        seconds=median(seconds) if seconds else None,
        practice=practice,
        gold=gold,
        consistency=consistent,
        topics=topics,
        last=max((row.time for row in rows), default=""),
        code=access.completion_code(secret, person.id),
    )


def standing(open_study: Store, settings: Settings, count: int) -> Standing:
    """Rank the systems by the judgments so far."""
    with open_study.reading() as connection:
        runs = whole_runs(connection)
        if settings.collects_grades:
            rows = exchange.grades(connection)
            agreement = _agreement_of_grades(connection, rows)
            judged: Any = None
        else:
            judged = exchange.preferences(connection)
    if not settings.collects_grades:
        if judged is None:
            return Standing(count, problem=_NOTHING if count else _NOBODY)
        number = len(judged)
        over_time = [
            Moment(n, "", agreeing.alpha_of(agreeing.answers(judged.rows(np.arange(n)))))
            for n in _moments(number)
        ]
        agreement = tuple(moment for moment in over_time if moment.alpha.units)
        sample = judged.rows
    else:
        if not rows:
            return Standing(count, problem=_NOTHING if count else _NOBODY)
        if settings.choice == "drawn":
            return Standing(count, agreement=agreement)  # a sample, see `estimates`
        number = len(rows)

        def sample(at: Any) -> Any:
            middle = middle_grades([rows[i] for i in at])
            return [(*key, grade) for key, grade in middle.items()]

    try:
        scores = _scores(sample(np.arange(number)), runs, settings.measure)
        rng = np.random.default_rng(settings.seed)
        drawn = [
            _scores(sample(np.sort(rng.integers(0, number, number))), runs, settings.measure)
            for _ in range(RESAMPLES)
        ]
    except RankprismError as error:
        return Standing(count, agreement=agreement, problem=str(error))
    means = scores.means[:, 0]
    # The order of a single system cannot change.
    taus = np.array([tau_a(means, one.means[:, 0]) if len(means) > 1 else 1.0 for one in drawn])
    margin = t_intervals(scores.values, 0.05)[1][:, 0]
    ranks = possible_ranks(scores.values[:, :, 0])
    systems = [
        System(name, mean, mean - reach, mean + reach, rank)
        for name, mean, reach, rank in zip(scores.runs, means.tolist(), margin.tolist(), ranks, strict=True)
    ]
    return Standing(
        judgments=count,
        systems=tuple(sorted(systems, key=lambda one: -one.score)),
        tau=float(np.mean(taus)),
        tau_low=float(np.quantile(taus, 0.05)),
        agreement=agreement,
        notes=tuple(note["message"] for note in scores.conventions["notes"] if note["kind"] == "best-aspect"),
    )


def possible_ranks(values: Floats) -> list[tuple[int, int] | None]:
    """The best and the worst rank that each run may have, all of them together at 95 %.

    values : (run, topic) scores. With too few topics, no ranks are known.
    """
    if CLAIMS["ranks"].missing(values.shape[1]) is not None:
        return [None] * len(values)
    if len(values) < 2:
        return [(1, 1)] * len(values)
    low, high = rank_sets(ranked([values], "means", "topics", 0.05).better)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _agreement_of_grades(connection: sa.Connection, rows: list[Grade]) -> tuple[Moment, ...]:
    """Measure the agreement on the labels over time.

    Aspects that all topics share, such as relevance and credibility, are measured separately. Subtopics
    differ from topic to topic and have the same scale, so they are measured together.
    """
    topic, aspect = store.topic, store.aspect
    labels: dict[tuple[str, str], list[str]] = {}
    in_topic: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in connection.execute(
        sa.select(topic.c.name.label("topic"), aspect.c.name, aspect.c.description, aspect.c.labels)
        .join(aspect, aspect.c.topic == topic.c.id)
        .order_by(aspect.c.id)
    ):
        labels[one.topic, one.name] = one.labels
        in_topic[one.topic].append((one.name, one.description))
    alike = len(set(map(tuple, in_topic.values()))) == 1
    names = [name for name, _ in next(iter(in_topic.values()))]
    each = names if alike and len(names) > 1 else [""]
    answer: dict[tuple[str, str, str], int] = {}  # the number of each judgment, which has several labels
    for row in rows:
        answer.setdefault((row.assessor, row.topic, row.doc), len(answer))
    found = []
    for n in _moments(len(answer)) if answer else ():
        for name in each:
            units: dict[tuple[str, str, str], list[int]] = defaultdict(list)
            most = 0
            for row in rows:
                if name in ("", row.aspect) and answer[row.assessor, row.topic, row.doc] < n:
                    scale = labels[row.topic, row.aspect]
                    most = max(most, len(scale))
                    units[row.topic, row.aspect, row.doc].append(scale.index(row.label))
            alpha = agreeing.label_alpha_of(units.values(), most)
            if alpha.units:
                found.append(Moment(n, name, alpha))
    return tuple(found)


#: The runs of a study: for each run and topic, the documents with their negated ranks.
Runs = dict[str, dict[str, dict[str, float]]]


def runs_of(connection: sa.Connection, depth: int | None = None) -> Runs:
    """The runs of a study, with only the documents that the study has, down to a rank."""
    ranking, topic, document = store.ranking, store.topic, store.document
    found: Runs = {}
    rows = (
        sa.select(ranking.c.run, topic.c.name, document.c.name, ranking.c.rank)
        .join(topic, ranking.c.topic == topic.c.id)
        .join(document, ranking.c.document == document.c.id)
    )
    if depth is not None:
        rows = rows.where(ranking.c.rank <= depth)
    for run, topic_name, doc, rank in connection.execute(rows):
        found.setdefault(run, {}).setdefault(topic_name, {})[doc] = -float(rank)
    return found


def whole_runs(connection: sa.Connection) -> Runs:
    """The runs of a study, as deep as the measure looks, with a document at every rank.

    Documents that the study does not have cannot be judged in it, so they may have any name.
    """
    found = runs_of(connection)
    length, topic = store.ranking_length, store.topic
    rows = sa.select(length.c.run, topic.c.name, length.c.length).join(topic, length.c.topic == topic.c.id)
    known = set(connection.scalars(sa.select(store.document.c.name)))
    for run, topic_name, last in connection.execute(rows):
        docs = found.setdefault(run, {}).setdefault(topic_name, {})
        for rank in set(range(1, last + 1)) - {-round(score) for score in docs.values()}:
            name = f"#{rank}"
            while name in known:
                name = f"#{name}"
            docs[name] = -float(rank)
    return found


def _scores(judged: Any, runs: Mapping[str, Any], measure: str) -> Scores:
    """The scores from `evaluate`, with the runs sorted by name."""
    from rankprism.evaluation import evaluate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # while a study runs, most documents are unjudged
        return evaluate(judged, {name: runs[name] for name in sorted(runs)}, measure, threads=1)


def _moments(number: int) -> list[int]:
    """Evenly spaced numbers of judgments, up to all of them."""
    return sorted({max(1, round(number * (k + 1) / MOMENTS)) for k in range(MOMENTS)})
