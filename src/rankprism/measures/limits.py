"""How far a score can go: the lowest score of a measure, and whether it grows with the depth of a ranking."""

from __future__ import annotations

from rankprism.measures.measure import Measure
from rankprism.measures.mixture import Mixture
from rankprism.measures.parts import Parts
from rankprism.measures.registry import lookup, modules

#: A measure that looks at no more documents has a depth of its own, as pools of campaigns do.
DEEPEST = 100
#: It does so, too, if at most this share of its weight is further down.
_SHARE = 0.05
#: Measures of the catalogue whose scores may be negative, besides those with an effort.
_NEGATIVE = frozenset({"Contrast", "Utility", "YAAP"})
#: Measures whose scores are at most 1, whatever their parameters. Others are not known to be.
_AT_MOST_ONE = frozenset(
    {"P", "RR", "R", "F1", "Success", "nDCG", "nERR", "Rprec", "Q", "Compat", "Judged", "Unjudged"}
    | {"RBP_residual", "SetP", "SetR", "SetF", "StRecall", "Accuracy"}
)
#: Measures that do not grow with depth: shares of what was retrieved, which fall as easily as they rise;
#: gains per time; means over the documents that were found; users who stop at a good document; the rank at
#: which a few aspects are reached; and measures that look at as many documents as are relevant.
_NOT_GROWING = frozenset(
    {"P", "SetP", "F1", "SetF", "SetAP", "Utility", "Accuracy", "Judged", "Unjudged"}
    | {"CT", "nCT", "ACT", "P_plus", "D_EBR", "D_nERR", "Rprec"}
    | {"RR_at_recall", "P_at_recall", "S_RR", "S_precision", "WS_precision"}
    | {"ppref", "wpref", "prefs_num_prefs_poss"}
    | {f"prefs_{kind}_{of}" for kind in ("simp", "pair", "avgjg", "avgjg_Rnonrel") for of in ("ret", "imp")}
)
#: Measures without parts of which all ranks below i have the share p^i.
_GEOMETRIC = frozenset({"Compat", "D_RBP", "D_iRBU", "RBP_residual"})


def lowest_score(measure: Measure) -> float | None:
    """The lowest score that a ranking can have; None if it is not known.

    >>> lowest_score(lookup("nDCG")), lowest_score(lookup("RBU"))
    (0.0, None)
    """
    made, inside = measure.declared, measure.inner
    if isinstance(made, Mixture):
        each = [weight >= 0 and lowest_score(one) == 0 for _, weight, one in made.summands]
        return 0.0 if all(each) else None
    own = measure.definition.module in modules() and measure.name not in _NEGATIVE
    parts = None if made is None else made.parts
    free = parts is None or parts.effort == 0
    return 0.0 if own and free and (inside is None or lowest_score(inside) == 0) else None


def highest_score(measure: Measure) -> float | None:
    """The highest score that a ranking can have; None if it is not known.

    >>> highest_score(lookup("Unjudged")), highest_score(lookup("DCG"))
    (1.0, None)
    """
    if measure.inner is not None:
        return highest_score(measure.inner)  # of an aspect, or a mean over aspects
    own = measure.definition.module in modules()
    return 1.0 if own and measure.name.removesuffix("_IA") in _AT_MOST_ONE else None


def greatest_loss(measure: Measure, mean: float, lower: bool | None = None) -> float | None:
    """How much a system with this mean can lose by a measure; None if it is not known.

    lower : whether a lower score is better. Default: as the measure says.

    >>> greatest_loss(lookup("nDCG"), 0.75), greatest_loss(lookup("Unjudged"), 0.75)
    (0.75, 0.25)
    """
    lower = measure.lower_is_better if lower is None else lower
    end = highest_score(measure) if lower else lowest_score(measure)
    return None if end is None else abs(mean - end)


def grows_with_depth(measure: Measure) -> bool:
    """Whether documents far down a ranking can still raise the score by a large share.

    If they can, the scores of short and of long rankings do not compare. A cutoff prevents it, and so does a
    user who hardly ever gets that far.

    >>> [grows_with_depth(lookup(name)) for name in ("AP", "RR", "RBP", "P")]
    [True, False, False, False]
    >>> grows_with_depth(lookup("RBP")(p=0.99)), grows_with_depth(lookup("R") @ 1000)
    (True, True)
    """
    if measure.cutoff is not None and measure.cutoff <= DEEPEST:
        return False
    if measure.inside:
        return any(map(grows_with_depth, measure.inside))
    if measure.name in _GEOMETRIC:
        return bool(measure["p"] ** DEEPEST > _SHARE)
    made = measure.declared
    parts = None if made is None else made.parts
    if parts is not None and not _is_deep(parts):
        return False
    if measure.name.endswith("_IA") and parts is None:
        return grows_with_depth(lookup(measure.name.removesuffix("_IA"))(**measure.settings))
    return measure.name not in _NOT_GROWING


def _is_deep(parts: Parts) -> bool:
    """Whether ranks below `DEEPEST` have more than `_SHARE` of the weight together."""
    kind, novelty = parts.discount.kind, parts.novelty
    if kind == "geometric":
        return parts.discount.p**DEEPEST > _SHARE
    # Σ 1/i has no limit, unless each document on an aspect lowers what those below it are worth.
    return kind != "reciprocal" or (novelty.kind not in ("first", "cascade") and novelty.amount == 0)
