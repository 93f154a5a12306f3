"""The rest of the catalogue, slowly and obviously: graded, D-, cube, coverage and effort measures.

Shaped like `oracles`, whose small parts it borrows: a topic's judgments are ``{aspect: {doc: grade}}``, a
ranking is a list of documents, weights are ``{aspect: weight}``; nothing is shared with the package.

Conventions: grades of 0 and below are worth nothing; what has nothing to be divided by scores 0. Which
aspects count differs. M_IA, the D-measures, EU, CT as printed and RBU as printed: those with a relevant
document, the weights of these summing to 1. CAM, MM and the cube test of TREC Dynamic Domain: all of the
topic's, summing to 1. RBU as in its authors' program: the weights just as they are given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from oracles import (
    Discount,
    Judged,
    Ranking,
    Weights,
    divided,
    logarithmic,
    reciprocal,
    shares,
    visible,
)

Grades = Mapping[str, float]
Levels = str | Mapping[float, float]


def grade_of(grades: Grades, doc: str) -> float:
    """A document that nobody judged is worth as little as one judged 0, or less."""
    return max(grades.get(doc, 0.0), 0.0)


def worth(grade: float, gain: str, rel: float = 1, top: float = 0) -> float:
    """What a grade is worth; `top` is the highest grade there is, for probabilities."""
    if grade <= 0:
        return 0.0
    if gain == "binary":
        return 1.0 if grade >= rel else 0.0
    if gain == "linear":
        return grade
    if gain == "exp":
        return float(2**grade - 1)
    if gain == "probability":
        return float((2**grade - 1) / 2**top)
    raise ValueError(gain)


def gains_in(grades: Grades, gain: str, rel: float = 1, max_rel: float | None = None) -> dict[str, float]:
    """What each document of an aspect is worth."""
    top = max(grades.values(), default=0) if max_rel is None else max_rel
    return {doc: worth(grade, gain, rel, top) for doc, grade in grades.items()}


def best_first(gains: Mapping[str, float]) -> list[float]:
    return sorted(gains.values(), reverse=True)


# One aspect: {doc: grade}


def P(grades: Grades, ranking: Ranking, *, rel: float = 1, cutoff: int | None = None) -> float:
    depth = len(ranking) if cutoff is None else cutoff
    return divided(sum(grade_of(grades, doc) >= rel for doc in ranking[:depth]), depth)


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


def Rprec(grades: Grades, ranking: Ranking, *, rel: float = 1) -> float:
    relevant = sum(grade >= rel for grade in grades.values())
    return P(grades, ranking, rel=rel, cutoff=relevant)


def _dcg(
    sequence: Sequence[float], dcg: str, gains: Mapping[float, float] | None, cutoff: int | None
) -> float:
    total = 0.0
    for i, grade in enumerate(sequence[:cutoff], 1):
        gain = grade if gains is None else gains.get(grade, grade)
        if dcg == "exp-log2":
            gain = 2**gain - 1
        total += (gain if grade > 0 else 0.0) / math.log2(i + 1)
    return total


def DCG(
    grades: Grades,
    ranking: Ranking,
    *,
    dcg: str = "log2",
    gains: Mapping[float, float] | None = None,
    cutoff: int | None = None,
) -> float:
    return _dcg([grade_of(grades, doc) for doc in ranking], dcg, gains, cutoff)


def nDCG(
    grades: Grades,
    ranking: Ranking,
    *,
    dcg: str = "log2",
    gains: Mapping[float, float] | None = None,
    cutoff: int | None = None,
) -> float:
    by_gain = sorted(grades.values(), key=lambda g: g if gains is None else gains.get(g, g), reverse=True)
    best = _dcg([grade for grade in by_gain if grade > 0], dcg, gains, cutoff)
    return divided(DCG(grades, ranking, dcg=dcg, gains=gains, cutoff=cutoff), best)


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


def blended_ratio(found: Sequence[float], best: Sequence[float], i: int, beta: float) -> float:
    """BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)), from the gains found and the ideal ones"""
    count = sum(gain > 0 for gain in found[:i])
    return (count + beta * sum(found[:i])) / (i + beta * sum(best[:i]))


def _q(found: Sequence[float], best: Sequence[float], beta: float, cutoff: int | None) -> float:
    relevant = sum(gain > 0 for gain in best)
    depth = len(found) if cutoff is None else cutoff
    total = sum(blended_ratio(found, best, i, beta) for i, gain in enumerate(found[:depth], 1) if gain > 0)
    return divided(total, relevant if cutoff is None else min(relevant, cutoff))


def Q(
    grades: Grades,
    ranking: Ranking,
    *,
    beta: float = 1,
    gain: str = "exp",
    cutoff: int | None = None,
) -> float:
    gains = gains_in(grades, gain)
    return _q([gains.get(doc, 0.0) for doc in ranking], best_first(gains), beta, cutoff)


def P_plus(
    grades: Grades,
    ranking: Ranking,
    *,
    beta: float = 1,
    gain: str = "exp",
    cutoff: int | None = None,
) -> float:
    gains = gains_in(grades, gain)
    ranking = ranking[:cutoff]
    levels = [grade_of(grades, doc) for doc in ranking]
    if not any(levels):
        return 0.0
    preferred = levels.index(max(levels)) + 1
    found = [gains.get(doc, 0.0) for doc in ranking]
    relevant = [i for i in range(1, preferred + 1) if found[i - 1] > 0]
    total = sum(blended_ratio(found, best_first(gains), i, beta) for i in relevant)
    return divided(total, len(relevant))


def _cleared(grade: float, levels: Levels) -> float:
    """W(g): how likely the bar for relevance is at g or below, up to a factor"""
    if grade <= 0:
        return 0.0
    if levels == "uniform":
        return grade
    if levels == "printed":
        return grade * (grade + 1)
    assert isinstance(levels, Mapping)
    return sum(chance for bar, chance in levels.items() if bar <= grade)


def _gap(grades: Grades, ranking: Ranking, levels: Levels) -> float:
    level = [grade_of(grades, doc) for doc in ranking]
    return sum(
        sum(_cleared(min(level[i], level[j]), levels) for j in range(i + 1)) / (i + 1)
        for i in range(len(level))
    )


def GAP(grades: Grades, ranking: Ranking, *, levels: Levels = "uniform") -> float:
    everything = sum(_cleared(grade, levels) for grade in grades.values())
    return divided(_gap(grades, ranking, levels), everything)


def nGAP(grades: Grades, ranking: Ranking, *, levels: Levels = "uniform", cutoff: int | None = None) -> float:
    best = sorted(grades.values(), reverse=True)[:cutoff]
    return divided(_gap(grades, ranking[:cutoff], levels), sum(_cleared(grade, levels) for grade in best))


def Compat(
    grades: Grades, ranking: Ranking, p: float = 0.95, normalize: bool = True, depth: int | None = None
) -> float:
    """As Clarke et al. 2020 describe it, rank by rank."""
    place = {doc: i for i, doc in enumerate(ranking)}
    ideal = sorted(
        (doc for doc in grades if grades[doc] > 0),
        key=lambda doc: (-grades[doc], place.get(doc, len(ranking))),
    )
    end = max(len(ranking), len(ideal)) if depth is None else depth

    def overlap(list_: Ranking) -> float:
        sums = [p**d * len({*list_[: d + 1]} & {*ideal[: d + 1]}) / (d + 1) for d in range(end)]
        return divided(sum(sums), sum(p**d for d in range(end)))

    return divided(overlap(ranking), overlap(ideal)) if normalize else overlap(ranking)


SINGLE: dict[str, Callable[..., float]] = {
    f.__name__: f for f in (P, RR, AP, Rprec, DCG, nDCG, RBP, ERR, nERR, Q, P_plus, GAP, nGAP, Compat)
}


# From one aspect to several


def fold(judged: Judged, rule: str, weights: Weights | None) -> dict[str, float]:
    """One grade a document: the highest, lowest, sum, product or weighted mean of its grades."""
    folded = {}
    for doc in {doc for grades in judged.values() for doc in grades}:
        own = {aspect: grade_of(grades, doc) for aspect, grades in judged.items()}
        weight = {aspect: 1.0 if weights is None else weights[aspect] for aspect in own}
        folded[doc] = {
            "max": max(own.values()),
            "min": min(own.values()),
            "sum": sum(own.values()),
            "product": round(math.prod(own.values()), 12),
            "mean": divided(sum(weight[aspect] * own[aspect] for aspect in own), sum(weight.values())),
        }[rule]
    return folded


def folded(
    name: str,
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    fold_by: str = "max",
    judged_only: bool = False,
    **settings: Any,
) -> float:
    """A single-aspect measure of folded grades."""
    return SINGLE[name](fold(judged, fold_by, weights), visible(judged, ranking, judged_only), **settings)


def intent_aware(
    name: str,
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    judged_only: bool = False,
    **settings: Any,
) -> float:
    """M_IA: the expected score over the aspects with a relevant document."""
    binary = settings.get("gain", "binary") == "binary"
    rel = settings.get("rel", 1) if binary and name in ("P", "RR", "AP", "Rprec", "RBP") else 0
    live = [a for a, grades in judged.items() if any(g > 0 and g >= rel for g in grades.values())]
    share = shares(live, weights)
    seen = visible(judged, ranking, judged_only)
    return sum(share[a] * SINGLE[name](judged[a], seen, **settings) for a in live)


def CAM(
    name: str, judged: Judged, ranking: Ranking, weights: Weights | None = None, **settings: Any
) -> float:
    share = shares(list(judged), weights)
    return sum(share[a] * SINGLE[name](judged[a], ranking, **settings) for a in judged)


def MM(name: str, judged: Judged, ranking: Ranking, weights: Weights | None = None, **settings: Any) -> float:
    share = shares(list(judged), weights)
    scores = {a: SINGLE[name](judged[a], ranking, **settings) for a in judged if share[a] > 0}
    if not scores or min(scores.values()) == 0:
        return 0.0
    return 1 / sum(share[a] / score for a, score in scores.items())


# All aspects at once, with effort


def slow(base: float) -> Discount:
    return lambda i: 1 / (1 + math.log(i) / math.log(base))


def aspect_gains(
    judged: Judged, gain: str, rel: float = 1, max_rel: float | None = None
) -> dict[str, dict[str, float]]:
    """``{aspect: {doc: gain}}``, only for aspects with a relevant document."""
    gains = {a: gains_in(grades, gain, rel, max_rel) for a, grades in judged.items()}
    return {a: worths for a, worths in gains.items() if any(worths.values())}


def count_above(gains: Mapping[str, float], ranking: Ranking, i: int) -> int:
    """How many of the documents above rank i are relevant."""
    return sum(gains.get(doc, 0.0) > 0 for doc in ranking[: i - 1])


def EU(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    e: float = 0.05,
    base: float = math.e,
    rel: float = 1,
    gain: str = "probability",
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    share = shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking[:cutoff], 1):
        new = sum(
            share[a] * gains[a].get(doc, 0.0) * (1 - alpha) ** count_above(gains[a], ranking, i)
            for a in gains
        )
        score += (new - e) * slow(base)(i)
    return score


def RBU(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.8,
    e: float = 0.03,
    form: str = "reference",
    rel: float = 1,
    gain: str = "probability",
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    as_given = weights is not None and form == "reference"
    weight = weights if weights is not None and as_given else shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking[:cutoff], 1):
        new = sum(
            weight[a]
            * gains[a].get(doc, 0.0)
            * math.prod(1 - gains[a].get(above, 0.0) for above in ranking[: i - 1])
            for a in gains
        )
        score += (new - e) * (p ** (i - 1) * (1 - p) if form == "reference" else p**i)
    return score


def _over_own_ideals(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    gains: Mapping[str, Mapping[str, float]],
    discount: Discount,
    alpha: float | None,
    cutoff: int | None,
) -> float:
    """Σ_t w_t u_t / u*_t, the novelty being (1-α)^seen or, without α, Π(1-g)"""

    def utility(sequence: Sequence[float]) -> float:
        total = 0.0
        for i, gain in enumerate(sequence, 1):
            above = sequence[: i - 1]
            left = (
                math.prod(1 - g for g in above) if alpha is None else (1 - alpha) ** sum(g > 0 for g in above)
            )
            total += discount(i) * gain * left
        return total

    share = shares(list(gains), weights)
    return sum(
        share[a]
        * divided(
            utility([gains[a].get(doc, 0.0) for doc in ranking[:cutoff]]),
            utility(best_first(gains[a])[:cutoff]),
        )
        for a in gains
    )


def alpha_nDCG_per_aspect(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    weighted: bool = False,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    used = weights if weighted else None
    return _over_own_ideals(judged, ranking, used, gains, logarithmic, alpha, cutoff)


def nNRBP_per_aspect(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    weighted: bool = False,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel)
    used = weights if weighted else None
    return _over_own_ideals(judged, ranking, used, gains, lambda i: beta ** (i - 1), alpha, cutoff)


def nERR_IA_per_aspect(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1,
    gain: str = "binary",
    max_rel: float | None = None,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, rel, max_rel)
    novelty = alpha if gain == "binary" else None
    return _over_own_ideals(judged, ranking, weights, gains, reciprocal, novelty, cutoff)


def ERR_IA_graded(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gain: str = "probability",
    max_rel: float | None = None,
    cutoff: int | None = None,
) -> float:
    gains = aspect_gains(judged, gain, max_rel=max_rel)
    share = shares(list(gains), weights)
    return sum(share[a] * _err([gains[a].get(doc, 0.0) for doc in ranking[:cutoff]]) for a in gains)


# The cube test


def CT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    form: str = "paper",
    alpha: float = 0.5,
    saturation: float = 1,
    height: float = 5,
    batch: int = 5,
    rel: float = 1,
    gain: str = "probability",
    cutoff: int | None = None,
) -> float:
    ranking = ranking[:cutoff]
    if form == "trec-dd":
        return divided(_filled(judged, ranking, weights, alpha, height), math.ceil(len(ranking) / batch))
    gains = aspect_gains(judged, gain, rel)
    share = shares(list(gains), weights)
    score = 0.0
    for i, doc in enumerate(ranking, 1):
        for a in gains:
            if sum(gains[a].get(above, 0.0) for above in ranking[: i - 1]) < saturation:
                new = gains[a].get(doc, 0.0) * (1 - alpha) ** count_above(gains[a], ranking, i)
                score += share[a] * new / i
    return score


def _filled(judged: Judged, ranking: Ranking, weights: Weights | None, alpha: float, height: float) -> float:
    """The share of the cube that a ranking has filled."""
    share = shares(list(judged), weights)
    total = 0.0
    for a, grades in judged.items():
        level, added = 0.0, 0
        for doc in ranking:
            if grade_of(grades, doc) > 0:
                added += 1
                level += min((1 - alpha) ** added * grades[doc], height - level)
        total += share[a] * level / height
    return total


def nCT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    height: float = 5,
    batch: int = 5,
    cutoff: int | None = None,
) -> float:
    depth = len(ranking) if cutoff is None else cutoff
    share = shares(list(judged), weights)
    bound = 0.0
    for a, grades in judged.items():
        best = [grade for grade in sorted(grades.values(), reverse=True) if grade > 0][: depth + 1]
        sums = sum((1 - alpha) ** n * grade for n, grade in enumerate(best))
        bound += share[a] * min(sums, height) / height
    score = CT(
        judged, ranking, weights, form="trec-dd", alpha=alpha, height=height, batch=batch, cutoff=cutoff
    )
    return divided(score * math.ceil(depth / batch), bound)


def ACT(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    alpha: float = 0.5,
    height: float = 5,
    batch: int = 5,
    cutoff: int | None = None,
) -> float:
    ranking = ranking[:cutoff]
    speed = [
        _filled(judged, ranking[:n], weights, alpha, height) / math.ceil(n / batch)
        for n in range(1, len(ranking) + 1)
    ]
    return divided(sum(speed), len(ranking))


# Coverage


def _relevant_aspects(judged: Judged, rel: float) -> dict[str, set[str]]:
    """``{aspect: its relevant documents}``, for aspects that have some."""
    found = {
        a: {doc for doc, grade in grades.items() if grade > 0 and grade >= rel}
        for a, grades in judged.items()
    }
    return {a: docs for a, docs in found.items() if docs}


def P_at_recall(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    rel: float = 1,
    modified: bool = False,
) -> float:
    """Documents with something new, of those down to where all aspects are reached; modified: the share."""
    aspects = _relevant_aspects(judged, rel)
    if not aspects:
        return 0.0
    covered: set[str] = set()
    total, looked_at = 0.0, 0
    for doc in ranking:
        own = {a for a, docs in aspects.items() if doc in docs}
        if own:
            total += len(own - covered) / len(own) if modified else bool(own - covered)
        covered |= own
        looked_at += 1
        if len(covered) == len(aspects):
            break
    return divided(total, looked_at)


def _reached(aspects: Mapping[str, set[str]], docs: Sequence[str]) -> int:
    return sum(not relevant.isdisjoint(docs) for relevant in aspects.values())


def _costs(aspects: Mapping[str, set[str]], docs: Sequence[str], a: float, b: float) -> float:
    return sum(a * sum(doc in relevant for relevant in aspects.values()) + b for doc in docs)


def WS_precision(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    level: float = 1,
    a: float = 1,
    b: float = 1,
    rel: float = 1,
) -> float:
    """The cost of the cheapest documents that reach a share of the aspects, over that of the ranking."""
    aspects = _relevant_aspects(judged, rel)
    need = max(1, math.ceil(level * len(aspects) - 1e-9))
    enough = [n for n in range(1, len(ranking) + 1) if _reached(aspects, ranking[:n]) >= need]
    if not aspects or not enough:
        return 0.0
    cheapest: dict[frozenset[str], float] = {frozenset(): 0.0}  # what it costs to reach these aspects
    for doc in set().union(*aspects.values()):
        own = frozenset(aspect for aspect, relevant in aspects.items() if doc in relevant)
        for before, cost in list(cheapest.items()):
            after = before | own
            cheapest[after] = min(cheapest.get(after, math.inf), cost + a * len(own) + b)
    best = min(cost for reached, cost in cheapest.items() if len(reached) >= need)
    return best / _costs(aspects, ranking[: enough[0]], a, b)


def S_precision(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    level: float = 1,
    rel: float = 1,
) -> float:
    return WS_precision(judged, ranking, level=level, a=0, b=1, rel=rel)


def S_RR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    level: float = 1,
    rel: float = 1,
) -> float:
    aspects = _relevant_aspects(judged, rel)
    need = max(1, math.ceil(level * len(aspects) - 1e-9))
    for i in range(1, len(ranking) + 1):
        if _reached(aspects, ranking[:i]) >= need:
            return 1 / i
    return 0.0


def intent_recall(judged: Judged, ranking: Ranking, cutoff: int | None) -> float:
    aspects = _relevant_aspects(judged, 0)
    return divided(_reached(aspects, ranking[:cutoff]), len(aspects))


def Judged_(
    judged: Judged, ranking: Ranking, weights: Weights | None = None, *, cutoff: int | None = None
) -> float:
    known = {doc for grades in judged.values() for doc in grades}
    return divided(sum(doc in known for doc in ranking[:cutoff]), len(ranking[:cutoff]))


# D-measures: one global gain a document


def global_gains(judged: Judged, weights: Weights | None, gain: str) -> dict[str, float]:
    """GG of every judged document"""
    gains = aspect_gains(judged, gain)
    share = shares(list(gains), weights)
    docs = {doc for worths in gains.values() for doc in worths}
    return {doc: sum(share[a] * gains[a].get(doc, 0.0) for a in gains) for doc in docs}


def found_gains(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None,
    gain: str,
    digits: int | None,
    navigational: Collection[str] = (),
) -> list[float]:
    """GG of each document in the ranking; a navigational intent gives only to the first on it."""
    gains = aspect_gains(judged, gain)
    share = shares(list(gains), weights)
    found = []
    for i, doc in enumerate(ranking, 1):
        total = sum(
            share[a] * gains[a].get(doc, 0.0)
            for a in gains
            if a not in navigational or not count_above(gains[a], ranking, i)
        )
        found.append(total if digits is None else round(total, digits))
    return found


def D_nDCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
    navigational: Collection[str] = (),
) -> float:
    found = found_gains(judged, ranking, weights, gain, digits, navigational)
    best = best_first(global_gains(judged, weights, gain))
    return divided(_dcg(found, "log2", None, cutoff), _dcg(best, "log2", None, cutoff))


def D_Q(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    beta: float = 1,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    found = found_gains(judged, ranking, weights, gain, digits)
    return _q(found, best_first(global_gains(judged, weights, gain)), beta, cutoff)


def _sharp(judged: Judged, ranking: Ranking, score: float, gamma: float, cutoff: int | None) -> float:
    return gamma * intent_recall(judged, ranking, cutoff) + (1 - gamma) * score


def DSharp_nDCG(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gamma: float = 0.5,
    cutoff: int | None = None,
    **settings: Any,
) -> float:
    score = D_nDCG(judged, ranking, weights, cutoff=cutoff, **settings)
    return _sharp(judged, ranking, score, gamma, cutoff)


def DSharp_Q(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gamma: float = 0.5,
    cutoff: int | None = None,
    **settings: Any,
) -> float:
    score = D_Q(judged, ranking, weights, cutoff=cutoff, **settings)
    return _sharp(judged, ranking, score, gamma, cutoff)


#: The same functions, told which intents are navigational.
DIN_nDCG = D_nDCG
DINSharp_nDCG = DSharp_nDCG


def P_plusQ(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    beta: float = 1,
    gain: str = "exp",
    cutoff: int | None = None,
    navigational: Collection[str] = (),
) -> float:
    share = shares(list(aspect_gains(judged, gain)), weights)
    return sum(
        share[a]
        * (P_plus if a in navigational else Q)(judged[a], ranking, beta=beta, gain=gain, cutoff=cutoff)
        for a in share
    )


def P_plusQSharp(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gamma: float = 0.5,
    cutoff: int | None = None,
    **settings: Any,
) -> float:
    score = P_plusQ(judged, ranking, weights, cutoff=cutoff, **settings)
    return _sharp(judged, ranking, score, gamma, cutoff)


def D_nERR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    best = best_first(global_gains(judged, weights, gain))
    top = max(best, default=0.0) + 1
    found = found_gains(judged, ranking, weights, gain, digits)
    return divided(_err([g / top for g in found[:cutoff]]), _err([g / top for g in best[:cutoff]]))


def D_EBR(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    beta: float = 1,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    best = best_first(global_gains(judged, weights, gain))
    top = max(best, default=0.0) + 1
    found = found_gains(judged, ranking, weights, gain, digits)[:cutoff]
    return sum(
        blended_ratio(found, best, i, beta) * gain_ / top * math.prod(1 - g / top for g in found[: i - 1])
        for i, gain_ in enumerate(found, 1)
        if gain_ > 0
    )


def D_iRBU(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.99,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    top = max(global_gains(judged, weights, gain).values(), default=0.0) + 1
    found = found_gains(judged, ranking, weights, gain, digits)[:cutoff]
    return sum(
        p**i * g / top * math.prod(1 - above / top for above in found[: i - 1])
        for i, g in enumerate(found, 1)
    )


def D_RBP(
    judged: Judged,
    ranking: Ranking,
    weights: Weights | None = None,
    *,
    p: float = 0.95,
    gain: str = "exp",
    digits: int | None = None,
    cutoff: int | None = None,
) -> float:
    top = max(global_gains(judged, weights, gain).values(), default=0.0)
    found = found_gains(judged, ranking, weights, gain, digits)[:cutoff]
    return (1 - p) * sum(divided(p ** (i - 1) * g, top) for i, g in enumerate(found, 1))


# Risk


def U_RISK(scores: Mapping[str, float], baseline: Mapping[str, float], alpha: float) -> float:
    """The mean over the topics of both of the difference, losses counting 1 + α times."""
    differences = [scores[topic] - baseline[topic] for topic in scores if topic in baseline]
    return sum(d if d >= 0 else (1 + alpha) * d for d in differences) / len(differences)
