"""Every measure once more, slowly and obviously, straight from its definition; a module for each family.

They use plain lists, dicts and loops, one topic at a time, and share nothing with the package. A topic's
judgments are ``{aspect: {doc: grade}}``, a ranking is a list of documents, weights are
``{aspect: weight}``. Parameters have the names that the package gives them, so that one dict of
settings serves both.

Conventions: an aspect without a relevant document is left out and the weights of the others are
scaled to sum to 1; grades of 0 and below are not relevant; without a cutoff the whole ranking (and the
whole ideal ranking) counts; a score without anything to divide by is 0.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence

Judged = Mapping[str, Mapping[str, float]]
Gains = dict[str, dict[str, float]]
Weights = Mapping[str, float]
Ranking = Sequence[str]
Discount = Callable[[int], float]


def rank(scores: Mapping[str, float], order: str = "score") -> list[str]:
    """The documents, best first: by score and then by id, both descending, or as they stand."""
    if order == "input":
        return list(scores)
    if order == "trec_eval-9":
        scores = {doc: struct.unpack("f", struct.pack("f", score))[0] for doc, score in scores.items()}
    elif order not in ("score", "trec_eval"):
        raise ValueError(order)
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def logarithmic(i: int) -> float:
    return 1 / math.log2(i + 1)


def reciprocal(i: int) -> float:
    return 1 / i


def shares(aspects: Sequence[str], weights: Weights | None) -> dict[str, float]:
    """Weights that sum to 1; all alike if none are given."""
    given = {aspect: 1.0 if weights is None else weights[aspect] for aspect in aspects}
    total = sum(given.values())
    return {aspect: weight / total if total > 0 else 0.0 for aspect, weight in given.items()}


def visible(judged: Judged, ranking: Ranking, judged_only: bool) -> list[str]:
    """The ranking, without its unjudged documents if so wished. Only grades from 0 are judgments."""
    known = {doc for grades in judged.values() for doc, grade in grades.items() if grade >= 0}
    return [doc for doc in ranking if doc in known or not judged_only]


def divided(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


# A program that has imported the definitions has all of them.
from tests.support.oracles import combine as combine  # noqa: E402
from tests.support.oracles import compat as compat  # noqa: E402
from tests.support.oracles import coverage as coverage  # noqa: E402
from tests.support.oracles import cube as cube  # noqa: E402
from tests.support.oracles import d_measures as d_measures  # noqa: E402
from tests.support.oracles import diversity as diversity  # noqa: E402
from tests.support.oracles import graded as graded  # noqa: E402
from tests.support.oracles import grades as grades  # noqa: E402
from tests.support.oracles import incomplete as incomplete  # noqa: E402
from tests.support.oracles import novelty as novelty  # noqa: E402
from tests.support.oracles import nuggets as nuggets  # noqa: E402
from tests.support.oracles import risk as risk  # noqa: E402
from tests.support.oracles import single as single  # noqa: E402
from tests.support.oracles import trec_eval as trec_eval  # noqa: E402
