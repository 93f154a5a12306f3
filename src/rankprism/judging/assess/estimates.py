"""What the drawn documents of a study say about systems, together with machine judges.

These are the scores that `rankprism judges score` prints for the exported judgments. They are computed in the
background, from the runs and judges that are named when the study is served.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import sqlalchemy as sa

from rankprism.data import Judgments
from rankprism.errors import InputError, RankprismError
from rankprism.evaluation import Collection, collected_runs
from rankprism.formats import read_judgments
from rankprism.judging.assess import store
from rankprism.judging.assess.background import Background
from rankprism.judging.assess.dashboard import System, count_judgments, possible_ranks
from rankprism.judging.assess.drawn_sample import DrawnSample, drawn_sample, notes
from rankprism.judging.assess.store import Store
from rankprism.judging.judges import EstimatedScores, score
from rankprism.judging.judges import drawn as drawing
from rankprism.judging.judges import labels as labelling
from rankprism.judging.judges.effects import check
from rankprism.measures import Measure, parse_all
from rankprism.types import RunOptions

#: Minimum number of seconds between two computations.
_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class Judges:
    """The judges and the runs that are scored with them and with the people of a study."""

    judges: Mapping[str, Judgments]
    collection: Collection  #: the runs
    measures: Sequence[Measure]
    pool: Judgments | None = None

    @classmethod
    def read(
        cls,
        judges: Mapping[str, str],
        runs: Sequence[str],
        measures: Sequence[str],
        pool: str | None = None,
        **reading: Unpack[RunOptions],
    ) -> Judges:
        """Read all files once, so that a wrong one is refused before the study is served."""
        if not runs:
            raise InputError("judges are compared by the runs that they score; name the runs, too")
        collection = collected_runs(runs, **reading)
        chosen = [measure for text in measures for measure in parse_all(text)]
        for measure in chosen:
            check(measure)
        read = {name: read_judgments(source) for name, source in labelling.check_judges(judges).items()}
        made = cls(read, collection, chosen, None if pool is None else read_judgments(pool))
        labels = labelling.pooled(None, made.judges, made.pool)
        labelling.check_topics(labels)
        made.collection.judged_by(labels.pairs).aligned()
        return made

    def score(self, found: DrawnSample) -> EstimatedScores:
        """Score the runs as `rankprism judges score` does.

        If topics have several aspects, all of them count, because whoever made the study has named them.
        """
        people, drawn = drawing.with_probabilities(found.people, None)
        judged = read_judgments(people, aspects="all" if found.several_aspects else None)
        collection = self.collection.judged_by(judged)
        return score(collection, self.judges, measures=self.measures, drawn=drawn, pool=self.pool)


@dataclass(frozen=True)
class Estimated:
    """The estimates after a number of judgments."""

    judgments: int
    sample: DrawnSample
    scores: EstimatedScores | None = None
    problem: str = ""  #: why there are no estimates

    @property
    def by_measure(self) -> dict[str, tuple[System, ...]]:
        """The systems by each measure, the best first."""
        if self.scores is None:
            return {}
        found = {}
        means, half, values = self.scores.means, self.scores.half, self.scores.values
        for m, measure in enumerate(self.scores.measures):
            ranks = possible_ranks(values[:, :, m])
            systems = [
                System(run, mean, mean - reach, mean + reach, rank)
                for run, mean, reach, rank in zip(
                    self.scores.runs, means[:, m].tolist(), half[:, m].tolist(), ranks, strict=True
                )
            ]
            found[measure] = tuple(sorted(systems, key=lambda one: -one.score))
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What the organiser must know about the estimates, in sentences."""
        return (*self._said, *(f"{note[0].upper()}{note[1:]}." for note in notes(self.sample)))

    @property
    def _said(self) -> list[str]:
        if self.scores is None:
            return []
        about, found = self.scores.about, []
        found.append(
            f"Estimates of {about['estimand']}, from {about['labels']} labels of people on a pool of "
            f"{about['pool']} pairs and from the labels of {', '.join(about['judges'])}."
        )
        for measure in self.scores.measures:
            if measure in about["no interval because"]:
                found.append(f"{measure} has no intervals: {about['no interval because'][measure]}.")
                continue
            alone = about["mean width without judges"][measure]
            found.append(
                f"By {measure}, intervals are {about['mean width'][measure]:.3f} wide on average. "
                + (
                    "Without judges there would be none."
                    if alone is None
                    else f"Without judges they would be {alone:.3f} wide, and people alone would need "
                    f"{about['labels saved'][measure]} more labels."
                )
            )
        return found


class Estimates:
    """The latest estimates, which are computed in the background when there are new judgments."""

    def __init__(self, judges: Judges | None = None) -> None:
        self.judges = judges
        self._latest: Estimated | None = None
        self._next = 0.0
        self.background = Background()

    def latest(self, open_study: Store) -> Estimated | None:
        """The last estimates that were computed; None if there are none yet."""
        if self.judges is not None and time.monotonic() > self._next:
            self.background.start(lambda: self.renew(open_study))
        return self._latest

    def renew(self, open_study: Store) -> Estimated:
        """Compute the estimates now, unless nothing has changed."""
        assert self.judges is not None
        start, before = time.monotonic(), self._latest
        count = count_judgments(open_study)
        with open_study.reading() as connection:
            found = drawn_sample(connection)
        if before is None or before.sample.judged != found.judged:
            self._latest = self._computed(count, found)
        else:
            self._latest = Estimated(count, found, before.scores, before.problem)
        took = time.monotonic() - start
        self._next = time.monotonic() + max(_SECONDS, 20 * took)
        return self._latest

    def _computed(self, count: int, found: DrawnSample) -> Estimated:
        assert self.judges is not None
        if not found.batches:
            return Estimated(count, found, problem="No batch of documents is judged completely yet.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return Estimated(count, found, self.judges.score(found))
        except RankprismError as error:
            return Estimated(count, found, problem=str(error))


def check_study(open_study: Store) -> None:
    """Refuse judges for a study whose documents were not drawn, because its scores would be biased."""
    with open_study.reading() as connection:
        if connection.scalar(sa.select(store.drawing.c.task).limit(1)) is None:
            raise InputError(
                f"{open_study.name}: its documents were not drawn with `rankprism judges select`, so people "
                f"and judges cannot be combined; make it with --drawn, or leave --judge out"
            )
