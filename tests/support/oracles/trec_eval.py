"""Set measures, interpolated precision and relatives of nDCG, as trec_eval has them, of ``{doc: grade}``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

from tests.support.oracles import Judged, Ranking, divided
from tests.support.oracles.grades import Grades
from tests.support.oracles.single import AP, F1, P, R, nDCG

GainOf = Mapping[float, float] | None


def _relevant(grades: Grades, rel: float) -> set[str]:
    return {doc for doc, grade in grades.items() if grade >= rel}


def SetP(grades: Grades, ranking: Ranking, *, rel: float = 1, relative: bool = False) -> float:
    own = P(grades, ranking, rel=rel)
    best = divided(min(len(ranking), len(_relevant(grades, rel))), len(ranking))
    return divided(own, best) if relative else own


def SetR(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    return R(grades, ranking, rel=rel)


def SetF(grades: Grades, ranking: Ranking, *, rel: float = 1, beta: float = 1) -> float:
    if beta == 1:
        return F1(grades, ranking, rel=rel)
    p, r = P(grades, ranking, rel=rel), R(grades, ranking, rel=rel)
    return divided((beta + 1) * p * r, beta * p + r)


def SetAP(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    return P(grades, ranking, rel=rel) * R(grades, ranking, rel=rel)


def RelP(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    if cutoff is None:
        return R(grades, ranking, rel=rel)
    best = divided(min(cutoff, len(_relevant(grades, rel))), cutoff)
    return divided(P(grades, ranking, rel=rel, cutoff=cutoff), best)


def Utility(
    grades: Grades,
    ranking: Ranking,
    *,
    rel: float = 1,
    found: float = 1,
    wrong: float = -1,
    missed: float = 0,
    rest: float = 0,
    documents: int = 0,
) -> float:
    """The four cells of the table of retrieved and relevant documents."""
    relevant, retrieved = _relevant(grades, rel), set(ranking)
    neither = documents - len(retrieved | relevant)
    return (
        found * len(retrieved & relevant)
        + wrong * len(retrieved - relevant)
        + missed * len(relevant - retrieved)
        + rest * neither
    )


def IPrec(
    grades: Grades, ranking: Ranking, *, rel: float = 1, recall: float | None = None, rounding: str = "up"
) -> float:
    relevant = _relevant(grades, rel)
    share = (recall or 0.0) * len(relevant)
    needed = int(share + 0.9) if rounding == "up" else int(Decimal(share).to_integral_value("ROUND_HALF_UP"))
    reached = [
        P(grades, ranking, rel=rel, cutoff=i)
        for i in range(1, len(ranking) + 1)
        if len(relevant & set(ranking[:i])) >= needed
    ]
    return max(reached, default=0.0)


def IAP(
    grades: Grades,
    ranking: Ranking,
    *,
    rel: float = 1,
    recalls: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    rounding: str = "up",
) -> float:
    scores = [IPrec(grades, ranking, rel=rel, recall=recall, rounding=rounding) for recall in recalls]
    return sum(scores) / len(recalls)


def _gains(grades: Grades, gains: GainOf) -> dict[str, float]:
    return {
        doc: (grade if gains is None else gains.get(grade, grade)) if grade > 0 else 0.0
        for doc, grade in grades.items()
    }


def nDCG_rel(grades: Grades, ranking: Ranking, *, gains: GainOf = None) -> float:
    """nDCG at each relevant document, or of the whole ranking if it does not have the document."""
    relevant = [doc for doc, gain in _gains(grades, gains).items() if gain > 0]
    scores = []
    for doc in relevant:
        if doc in ranking:
            scores.append(nDCG(grades, ranking, gains=gains, cutoff=list(ranking).index(doc) + 1))
        else:
            scores.append(nDCG(grades, ranking, gains=gains))
    return divided(sum(scores), len(relevant))


def RnDCG(grades: Grades, ranking: Ranking, *, gains: GainOf = None) -> float:
    """nDCG at the number of documents with at least each gain; and at the end of a ranking that goes on."""
    own = _gains(grades, gains)
    levels = {gain for gain in own.values() if gain > 0}
    numbers = [sum(gain >= level for gain in own.values()) for level in levels]
    scores = [nDCG(grades, ranking, gains=gains, cutoff=number) for number in numbers]
    if numbers and len(ranking) > max(numbers) + 1:
        scores.append(nDCG(grades, ranking, gains=gains))
    return divided(sum(scores), len(scores))


def binG(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    relevant = _relevant(grades, rel)
    score = 0.0
    for i, doc in enumerate(ranking):
        if doc in relevant:
            score += 1 / math.log2(2 + len(set(ranking[:i]) - relevant))
    return divided(score, len(relevant))


def G(grades: Grades, ranking: Ranking, *, gains: GainOf = None) -> float:
    own = _gains(grades, gains)
    ideal = sorted(own.values(), reverse=True)
    score = cost = gained = 0.0
    for i, doc in enumerate(ranking):
        gain = own.get(doc, 0.0)
        cost += max(1.0, ideal[i] if i < len(ideal) else 0.0)
        gained += gain
        score += gain / math.log2(2 + cost - gained) if gain else 0.0
    return divided(score, sum(ideal))


def YAAP(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    s = AP(grades, ranking, rel=rel, normalize=False)
    return math.log((1 + s) / (1 + len(_relevant(grades, rel)) - s))


def _unjudged(judged: Judged, doc: str) -> bool:
    return all(grades.get(doc, -1) < 0 for grades in judged.values())


def Unjudged(judged: Judged, ranking: Ranking, weights: object = None, *, cutoff: int | None = None) -> float:
    depth = len(ranking) if cutoff is None else cutoff
    return divided(sum(_unjudged(judged, doc) for doc in ranking[:depth]), depth)


def RBP_residual(
    judged: Judged, ranking: Ranking, weights: object = None, *, p: float = 0.8, cutoff: int | None = None
) -> float:
    """What the unjudged documents, and those after the end, could add to RBP."""
    seen = ranking[:cutoff]
    unjudged = sum((1 - p) * p**i for i, doc in enumerate(seen) if _unjudged(judged, doc))
    return unjudged + p ** len(seen)
