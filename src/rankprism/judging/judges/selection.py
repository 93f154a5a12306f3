"""`select`: which documents people should judge, drawn with known probabilities.

Each pair has a random number of its own, which depends on the seed, the topic and the document. The pair is
drawn if the number is below its probability. A larger budget raises probabilities and keeps the numbers, so
the pairs of earlier batches are drawn again, and a probability is the chance to be in any batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from rankprism.data import Floats, Note, issue
from rankprism.errors import InputError
from rankprism.evaluation import Collection, collected_runs
from rankprism.formats import read_judgments
from rankprism.judging.judges.design import designed
from rankprism.judging.judges.drawn import DrawnPair, read_drawn, with_probabilities
from rankprism.judging.judges.effects import check
from rankprism.judging.judges.labels import Labels, check_judges, check_topics, pooled
from rankprism.judging.judges.pool import DRAWING, Ranked, check_shared, hashes, uniforms
from rankprism.judging.judges.scoring import score
from rankprism.measures import parse_all
from rankprism.results import Result, Table
from rankprism.types import (
    CountedAspects,
    JudgmentsLike,
    MeasuresLike,
    Natural,
    Positive,
    RunOptions,
    RunsLike,
)


def select(
    runs: RunsLike | Collection,
    judges: Mapping[str, JudgmentsLike],
    measures: MeasuresLike,
    *,
    budget: Positive,
    after: Any = None,
    people: JudgmentsLike | None = None,
    settled: float | None = None,
    pool: JudgmentsLike | None = None,
    aspects: CountedAspects | None = None,
    seed: Natural = 0,
    **reading: Unpack[RunOptions],
) -> Selection:
    """Draw the documents that people should judge, with probabilities that say what a label decides.

    Parameters
    ----------
    runs, measures
        The runs, or a `Collection` that has them, and the measures that they will be scored by.
    judges
        The name of each judge and its judgments.
    budget
        Number of labels of people in all batches together.

        Pairs are drawn independently, so the number of pairs differs a little from the budget.
    after
        The pairs of earlier batches, as this function gave them with a smaller budget.
    people
        The judgments of people on the earlier batches, for `settled`.
    settled
        Draw nothing if every difference of two runs is settled: its sign is known, or it is smaller than this
        number.
    pool
        Judgments whose pairs of topic and document are the pool. Default: all pairs that a judge has
        labelled.
    aspects
        With "all", every aspect of a topic counts, even one to which no document is relevant. Default: only
        aspects with a relevant document count.
    seed
        Seed for the random numbers. The same seed gives the same result.
    """
    collection = collected_runs(runs, **reading)
    chosen = parse_all(measures)
    for measure in chosen:
        check(measure)
    judged = {name: read_judgments(source, aspects=aspects) for name, source in check_judges(judges).items()}
    labels = pooled(None, judged, None if pool is None else read_judgments(pool))
    check_topics(labels)
    ranked = Ranked.of(labels, collection.judged_by(labels.pairs).aligned())
    check_shared(labels, ranked)
    earlier = {} if after is None else {(pair.topic, pair.doc): pair for pair in read_drawn(after)}
    share = None
    if settled is not None:
        if people is None or not earlier:
            raise InputError(
                "whether differences are settled is seen in the labels of people: give these with people= "
                "(--people), and the pairs that were drawn with after= (--after)"
            )
        pairs = list(earlier.values())
        labelled = read_judgments(with_probabilities(people, pairs)[0], aspects=aspects)
        known = score(
            collection.judged_by(labelled), judges, measures=chosen, drawn=pairs, pool=pool, seed=seed
        )
        share = np.nan_to_num(known.differences().settled(settled))
    if share is not None and bool((share == 1).all()):
        pairs = list(earlier.values())
        issue(
            [Note("settled", f"every difference of two runs is settled at {settled:g}; stop judging", 0, "")]
        )
    else:
        chance = rounded(designed(labels, ranked, chosen, seed).probabilities(budget))
        pairs = _drawn(labels, chance, uniforms(hashes(labels), seed, DRAWING), earlier)
    return Selection(
        tuple(pairs),
        {
            "budget": budget,
            "pool": len(labels.docs),
            "runs": len(ranked.runs),
            "measures": [str(measure) for measure in chosen],
            "judges": {name: source.source for name, source in judged.items()},
            "seed": seed,
            "settled": settled,
            "share of differences that are settled": None
            if share is None
            else {str(m): float(x) for m, x in zip(chosen, share, strict=True)},
        },
    )


def rounded(chance: Floats) -> Floats:
    """Probabilities with six digits.

    They are rounded before anything is drawn, so that those in the file are the true ones. The last digits
    would differ between machines.

    >>> rounded(np.array([0.03931832607747763, 1.0, 0.0])).tolist()
    [0.0393183, 1.0, 0.0]
    """
    size = 10.0 ** (5 - np.floor(np.log10(np.where(chance > 0, chance, 1.0))))
    return np.asarray(np.minimum(1.0, np.round(chance * size) / size))


def _drawn(
    labels: Labels, chance: Floats, numbers: Floats, earlier: Mapping[tuple[str, str], DrawnPair]
) -> list[DrawnPair]:
    """The pairs whose random number is below their probability, topic by topic in random order."""
    batch = 1 + max((pair.batch for pair in earlier.values()), default=0)
    inside = np.flatnonzero(numbers < chance)
    found: list[DrawnPair] = []
    for n in inside[np.lexsort((numbers[inside], labels.topic[inside]))].tolist():
        key = (labels.topics[labels.topic[n]], labels.docs[n])
        before = earlier.get(key)
        found.append(DrawnPair(*key, float(chance[n]), batch if before is None else before.batch))
    kept = {(pair.topic, pair.doc) for pair in found}
    for topic, doc in earlier:
        if (topic, doc) not in kept:
            raise InputError(
                f"document {doc!r} of topic {topic!r} is in an earlier batch, but would not be drawn now; "
                f"take the same seed, runs, judges and measures as before, and a larger budget"
            )
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Result):
    """The pairs of all batches, with the probability of having been drawn in one of them."""

    pairs: tuple[DrawnPair, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> Table:
        return Table({name: [getattr(pair, name) for pair in self.pairs] for name in DrawnPair._fields})

    @property
    def note(self) -> str:
        a = self.about
        new = max((pair.batch for pair in self.pairs), default=0)
        number = sum(pair.batch == new for pair in self.pairs)
        lines = [f"{len(self.pairs)} of {a['pool']} pairs, {number} of them in batch {new}."]
        if a["settled"] is not None:
            shares = a["share of differences that are settled"].items()
            lines.append(
                f"With the labels in hand, differences are settled at {a['settled']:g}: "
                + ", ".join(f"{100 * x:.1f} % by {measure}" for measure, x in shares)
                + "."
            )
        return "\n".join(lines)
