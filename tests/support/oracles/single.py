"""Measures of one aspect, of ``{doc: grade}``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tests.support.oracles import Ranking, divided
from tests.support.oracles.grades import Grades, best_first, gains_in, grade_of


def P(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    depth = len(ranking) if cutoff is None else cutoff
    return divided(sum(grade_of(grades, doc) >= rel for doc in ranking[:depth]), depth)


def R(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    relevant = {doc for doc, grade in grades.items() if grade >= rel}
    return divided(len(relevant & set(ranking[:cutoff])), len(relevant))


def F1(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    """The harmonic mean of precision and recall."""
    p = P(grades, ranking, rel=rel, cutoff=cutoff)
    r = R(grades, ranking, rel=rel, cutoff=cutoff)
    return divided(2 * p * r, p + r)


def Success(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    return float(any(grade_of(grades, doc) >= rel for doc in ranking[:cutoff]))


def Accuracy(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    good = [grade_of(grades, doc) >= rel for doc in ranking[:cutoff]]
    pairs = [i < j for i, x in enumerate(good) if x for j, y in enumerate(good) if not y]
    return sum(pairs) / len(pairs) if pairs else math.nan


def RR(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    for i, doc in enumerate(ranking[:cutoff], 1):
        if grade_of(grades, doc) >= rel:
            return 1 / i
    return 0.0


def AP(
    grades: Grades, ranking: Ranking, *, rel: float = 1, normalize: bool = True, cutoff: int | None = None
) -> float:
    score = 0.0
    for i, doc in enumerate(ranking[:cutoff], 1):
        if grade_of(grades, doc) >= rel:
            score += P(grades, ranking, rel=rel, cutoff=i)
    return divided(score, sum(grade >= rel for grade in grades.values())) if normalize else score


def Rprec(grades: Grades, ranking: Ranking, *, rel: float = 1, times: float = 1) -> float:
    relevant = sum(grade >= rel for grade in grades.values())
    return P(grades, ranking, rel=rel, cutoff=int(times * relevant + 0.9))


def _dcg(
    sequence: Sequence[float],
    dcg: str,
    gains: Mapping[float, float] | None,
    cutoff: int | None,
    discount: str = "burges",
    b: float = 2,
) -> float:
    total = 0.0
    for i, grade in enumerate(sequence[:cutoff], 1):
        gain = grade if gains is None else gains.get(grade, grade)
        if dcg == "exp-log2":
            gain = 2**gain - 1
        burges = math.log2(i + 1)
        late = 1.0 if i < b else math.log(i) / math.log(b)  # Järvelin & Kekäläinen 2002
        total += (gain if grade > 0 else 0.0) / (burges if discount == "burges" else late)
    return total


def DCG(
    grades: Grades,
    ranking: Ranking,
    *,
    dcg: str = "log2",
    gains: Mapping[float, float] | None = None,
    discount: str = "burges",
    b: float = 2,
    cutoff: int | None = None,
) -> float:
    return _dcg([grade_of(grades, doc) for doc in ranking], dcg, gains, cutoff, discount, b)


def nDCG(
    grades: Grades,
    ranking: Ranking,
    *,
    dcg: str = "log2",
    gains: Mapping[float, float] | None = None,
    discount: str = "burges",
    b: float = 2,
    cutoff: int | None = None,
) -> float:
    by_gain = sorted(grades.values(), key=lambda g: g if gains is None else gains.get(g, g), reverse=True)
    best = _dcg([grade for grade in by_gain if grade > 0], dcg, gains, cutoff, discount, b)
    own = DCG(grades, ranking, dcg=dcg, gains=gains, discount=discount, b=b, cutoff=cutoff)
    return divided(own, best)


def RBP(
    grades: Grades,
    ranking: Ranking,
    *,
    p: float = 0.8,
    rel: float = 1,
    gain: str = "binary",
    cutoff: int | None = None,
) -> float:
    gains = gains_in(grades, gain, rel)
    return (1 - p) * sum(p ** (i - 1) * gains.get(doc, 0.0) for i, doc in enumerate(ranking[:cutoff], 1))


def _err(satisfaction: Sequence[float]) -> float:
    return sum(
        r / i * math.prod(1 - above for above in satisfaction[: i - 1]) for i, r in enumerate(satisfaction, 1)
    )


def _satisfied(grades: Grades, max_rel: float, gain: str) -> dict[str, float]:
    if gain == "exp":
        return gains_in(grades, "probability", max_rel=max_rel)
    return gains_in(grades, gain)


def ERR(
    grades: Grades,
    ranking: Ranking,
    *,
    max_rel: float = 4,
    gain: str = "exp",
    cutoff: int | None = None,
) -> float:
    chance = _satisfied(grades, max_rel, gain)
    return _err([chance.get(doc, 0.0) for doc in ranking[:cutoff]])


def nERR(
    grades: Grades,
    ranking: Ranking,
    *,
    max_rel: float = 4,
    gain: str = "exp",
    cutoff: int | None = None,
) -> float:
    best = _err(best_first(_satisfied(grades, max_rel, gain))[:cutoff])
    return divided(ERR(grades, ranking, max_rel=max_rel, gain=gain, cutoff=cutoff), best)
