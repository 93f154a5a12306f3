"""The topics that lost most from one run to another, and which documents were to blame."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data import Floats
from rankprism.errors import RankprismWarning
from rankprism.evaluation import Collection, explain
from rankprism.evaluation.explanation import NOT_JUDGED, Ranking
from rankprism.formats import ONLY_ASPECT
from rankprism.measures import Measure
from rankprism.results import Scores

#: How many topics are listed, how many of them are explained, and by how many documents.
LISTED, EXPLAINED, DOCUMENTS = 5, 3, 3


@dataclass(frozen=True)
class LostTopic:
    """A topic with a lower score, and the reasons, if they were looked for."""

    topic: str
    score: float
    baseline: float
    reasons: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        return self.score - self.baseline

    def record(self) -> dict[str, Any]:
        """The topic as plain values, for JSON."""
        return {
            "topic": self.topic,
            "baseline score": self.baseline,
            "score": self.score,
            "difference": self.difference,
            "reasons": list(self.reasons),
        }


def lost_topics(
    scores: Scores,
    gains: Floats,
    measure: Measure,
    collection: Collection,
) -> tuple[LostTopic, ...]:
    """The topics with the largest losses by one measure, the largest first.

    scores : of the baseline and of the new run. gains : (topic,), by how much the new run is better, with 0
    where only rounding differs.
    """
    m = scores.measures.index(str(measure))
    direction = float(scores.direction[m])
    found: list[LostTopic] = []
    for t in np.argsort(gains, kind="stable")[:LISTED].tolist():
        if gains[t] >= 0:
            break
        baseline, score = scores.values[:, t, m].tolist()
        reasons: tuple[str, ...] = ()
        if len(found) < EXPLAINED:
            # Down to the last document, because a document may have fallen far.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RankprismWarning)  # `evaluate` has given these notes
                explained = explain(collection, measures=measure, topic=scores.topics[t])
            old, new = explained.rankings
            reasons = _reasons(old, new, direction)
        found.append(LostTopic(scores.topics[t], score, baseline, reasons))
    return tuple(found)


def _reasons(old: Ranking, new: Ranking, direction: float) -> tuple[str, ...]:
    """The documents that earned less than before, and how many at the top are not judged.

    direction : -1 if a lower score is better, so that the documents are those that earned more.
    """
    if not new.docs:
        return ("nothing was retrieved",)
    places, earned = zip(*(_by_document(ranking) for ranking in (old, new)), strict=True)
    changed = {doc: earned[1].get(doc, 0.0) - earned[0].get(doc, 0.0) for doc in earned[0] | earned[1]}
    worst = sorted((direction * change, doc) for doc, change in changed.items() if direction * change < -5e-5)
    reasons = []
    for _, doc in worst[:DOCUMENTS]:
        then, now = places[0].get(doc), places[1].get(doc)
        moved = (
            f"is no longer retrieved (it was at rank {then + 1})"
            if then is not None and now is None
            else f"is new at rank {now + 1}"
            if now is not None and then is None
            else f"earns {'less' if changed[doc] < 0 else 'more'} at the same rank {now + 1}"
            if now == then
            else f"moved from rank {then + 1} to {now + 1}"
        )
        ranking, place = (old, then) if then is not None else (new, now)
        kind = next((about[place] for about in ranking.about.values()), "")
        if kind.startswith(f"{ONLY_ASPECT}:"):
            kind = f"grade {kind.removeprefix(f'{ONLY_ASPECT}:')}"
        reasons.append(f"{doc} ({kind}) {moved}: {changed[doc]:.4f}")
    depth = min(len(new.docs), len(new.terms[0].earned))
    unjudged = [
        sum(about == NOT_JUDGED for about in next(iter(ranking.about.values()), ())[:depth])
        for ranking in (old, new)
    ]
    if unjudged[1] > unjudged[0]:
        reasons.append(
            f"{unjudged[1]} of the first {depth} documents are not judged; before, it was {unjudged[0]}"
        )
    return tuple(reasons)


def _by_document(ranking: Ranking) -> tuple[dict[str, int], dict[str, float]]:
    """The place of each document, and what it earned."""
    earned = ranking.terms[0].earned.tolist()
    return {doc: i for i, doc in enumerate(ranking.docs)}, dict(zip(ranking.docs, earned, strict=False))
