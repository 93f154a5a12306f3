"""Short arguments why a measure satisfies a constraint for all rankings, or why no n or m satisfies it.

They hold for the formulas of the catalogue with the parameters that `when` accepts, and for rankings that are
not longer than the cutoff. D is the discount, g is the gain, and S_i = Π_{j≤i} (1 - r_j) is what is left
of an aspect after rank i.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankprism.measures import Measure, Role
from rankprism.meta.axioms.constraint import Constraint

#: Details that every argument needs, where a constraint has them.
_ALWAYS = {"cutoff": "free", "length": "same", "direction": "proof", "r_max": 1.0}


@dataclass(frozen=True)
class Proof:
    constraint: str
    measures: str
    argument: str
    when: Callable[[Measure], bool] = lambda measure: True
    needs: str = ""  # a detail of the constraint whose default adds a premise that the argument uses


def proof_of(measure: Measure, constraint: Constraint) -> str:
    """The argument and the premise that it adds to the paper's.

    It is an empty string if none is recorded for these parameters in this reading.
    """
    return _recorded(PROOFS, measure, constraint)


def disproof_of(measure: Measure, constraint: Constraint) -> str:
    """Why no n or m satisfies the constraint, or an empty string if no argument is recorded."""
    return _recorded(DISPROOFS, measure, constraint)


def _recorded(proofs: Sequence[Proof], measure: Measure, constraint: Constraint) -> str:
    if any(d.name in _ALWAYS and constraint[d.name] != _ALWAYS[d.name] for d in constraint.details):
        return ""
    if constraint.settings.get("highest", 0.1) >= 1:
        return ""  # where r ≪ 1 is a premise, the arguments use r < 1
    if constraint.bases is not None and constraint["small"] == "room":
        return ""  # the arguments are for an r_c that does not depend on n
    if not set(measure.settings) <= _COVERED:
        return ""
    if measure.of(Role.GAIN) == "binary" and Role.THRESHOLD not in measure.definition.roles:
        return ""  # the binary gain of the D-measures begins at grade 1, which r ≪ 1 never reaches
    for proof in proofs:
        about_it = constraint.name == proof.constraint and measure.name in proof.measures.split()
        if about_it and proof.when(measure) and _given(proof, constraint):
            premise = f" (premise: {constraint.detail(proof.needs).premise})" if proof.needs else ""
            return proof.argument + premise
    return ""


def _given(proof: Proof, constraint: Constraint) -> bool:
    return not proof.needs or constraint[proof.needs] == constraint.detail(proof.needs).default


#: Parameters that `when` handles, or that do not matter to an argument.
_COVERED = {"p", "e", "alpha", "beta", "gamma", "base", "saturation"}
_COVERED |= {"cutoff", "gain", "form", "dcg", "normalize", "level", "weighted"}


def _names(measure: Measure) -> set[str]:
    return {p.name for p in measure.definition.parameters}


def _setting(measure: Measure, name: str) -> object:
    return measure[name] if name in _names(measure) else None


def _graded(measure: Measure) -> bool:
    """Whether the gain rises with the grade."""
    return _setting(measure, "gain") != "binary" and _top_heavy(measure)


def _linear(measure: Measure) -> bool:
    """Whether the gain is the grade, whatever else has been judged."""
    gain = _setting(measure, "gain")
    return gain in (None, "linear") and not _over_time(measure) and _top_heavy(measure)


def _over_time(measure: Measure) -> bool:
    """Whether the gain is divided by the time that the whole ranking takes, as in TREC Dynamic Domain."""
    return str(_setting(measure, "form")).startswith("trec-dd")


def _top_heavy(measure: Measure) -> bool:
    return _setting(measure, "p") != 1


def _all_zero(measure: Measure) -> bool:
    """Whether every score is 0, because the authors' program gives RBU the factor 1-p."""
    return _setting(measure, "p") == 1 and _setting(measure, "form") == "reference"


def _decays(measure: Measure) -> bool:
    """Whether novelty is (1-α)^c, in ERR-IA only with binary gains, and all aspects have the same gain."""
    gains = ("binary",) if "ERR_IA" in measure.name else ("binary", "linear")
    return 0 < _number(measure, "alpha") < 1 and _setting(measure, "gain") in gains


def _costs(measure: Measure) -> bool:
    e = _setting(measure, "e")
    return isinstance(e, float) and e > 0


def _number(measure: Measure, name: str) -> float:
    value = _setting(measure, name)
    return float(value) if isinstance(value, int | float) else float("inf")


_SHARP = "the D part is a sum, like D_nDCG; both rankings reach the same aspects, or the better one all"
_SUMS = "DCG nDCG RBP DCG_IA nDCG_IA RBP_IA D_nDCG D_RBP"
_DECAYING = "alpha_DCG alpha_nDCG NRBP nNRBP EU"
_CASCADES = "ERR nERR ERR_IA RBU"
_SATISFIED = "ERR ERR_IA RBU"

PROOFS = (
    Proof(
        "Pri",
        _SUMS,
        "the score is c Σ_i D(i) g(r_i) with D falling and g rising: the swap adds "
        "c (D(i) - D(i+k)) (g(r_{i+k}) - g(r_i)) > 0",
        _graded,
    ),
    Proof(
        "Deep",
        _SUMS,
        "the score is c Σ_i D(i) g(r_i): the swap at i adds D(i) - D(i+1) times the same, which falls with i",
        _graded,
    ),
    Proof(
        "Deep",
        _DECAYING,
        "after c documents the swap at i adds (1-α)^c (D(i) - D(i+1)) g(r_{i+1}) if r_i = 0, else (1-α)^c "
        "(D(i) - (1-α) D(i+1)) (g(r_{i+1}) - g(r_i)); both fall with i and do not rise with c",
        lambda m: _graded(m) and 0 <= _number(m, "alpha") < 1,
    ),
    Proof("AspDiv", _SUMS, "the score is a sum in which every gain of the document rises", _graded),
    *(
        Proof(name, "DSharp_nDCG", _SHARP, lambda m: _number(m, "gamma") < 1)
        for name in ("Pri", "Deep", "AspDiv")
    ),
    Proof(
        "Pri",
        _CASCADES,
        "by parts, the score is D(1) - Σ_i (D(i) - D(i+1)) S_i - D(n) S_n, up to a constant: the swap "
        "lowers S_i … S_{i+k-1} and leaves the others",
        _graded,
    ),
    Proof(
        "Deep",
        _CASCADES,
        "the swap at i lowers S_i alone, by S_{i-1} (r_{i+1} - r_i), which counts D(i) - D(i+1) times; the "
        "first does not rise with i, the second falls",
        _graded,
    ),
    Proof(
        "AspDiv",
        _CASCADES,
        "by parts, each aspect's score is D(1) - Σ_i (D(i) - D(i+1)) S_i - D(n) S_n: the better document "
        "lowers every S at its rank and below",
        _graded,
    ),
    Proof(
        "Conf",
        "RBU EU",
        "the document adds nothing and costs e D(n+1) > 0",
        lambda m: _costs(m) and not _all_zero(m),
    ),
    Proof(
        "Red",
        "ERR_IA nERR_IA RBU",
        "after c documents on its aspect, the next is worth w g (1 - g)^c D(n+1), g the gain of r_c; it "
        "falls with c",
        lambda m: _setting(m, "gain") == "linear" and _top_heavy(m),
        needs="full",
    ),
    Proof(
        "Red",
        "ERR_IA nERR_IA RBU",
        "after c documents on its aspect, the next is worth w g (1 - g)^c D(n+1), which falls with c, as "
        "g = (2^r_c - 1) / 2^gmax < 1",
        lambda m: _setting(m, "gain") == "probability" and _top_heavy(m),
    ),
    Proof(
        "Red",
        "alpha_DCG alpha_nDCG NRBP nNRBP EU ERR_IA nERR_IA",
        "after c documents on its aspect, the next is worth w g (1-α)^c D(n+1), which falls with c",
        _decays,
    ),
    Proof(
        "MRed",
        "ERR_IA nERR_IA RBU",
        "the last document is worth r S_n(t) D(n+1) / 2, and S_n(t) = Π_i (1 - r(d_i,t)) < S_n(t′)",
        _linear,
    ),
    Proof(
        "Sat",
        "RR RR_IA StRecall S_RR",
        "only the first document on an aspect counts, and d_{n+1} is not the first",
    ),
    Proof(
        "Sat",
        "EU",
        "d_{n+1} is the second on its aspect or a later one: worth at most (1 - α - e) D(n+1) ≤ 0",
        lambda m: _number(m, "e") >= 1 - _number(m, "alpha"),
    ),
    Proof("Sat", _SATISFIED, "after r = 1 nothing is left of the aspect: S_n(t) = 0", _linear),
    Proof(
        "Sat",
        "CT",
        "d_n alone reaches the saturation, after which the aspect counts no more",
        lambda m: _linear(m) and _number(m, "saturation") <= 1,
    ),
    Proof(
        "AspRel",
        "P_IA DCG_IA RBP_IA D_nDCG D_RBP",
        "the score is c Σ_i D(i) Σ_t w(t) g(r(d_i,t)), so the document on t is worth "
        "c D(i) (w(t) - w(t′)) g more, whatever follows",
        lambda m: _setting(m, "gain") != "probability",
    ),
    Proof(
        "AspRel",
        "RR_IA ERR_IA EU CT RBU",
        "nothing on t or t′ was seen, so the last document adds w(t) or w(t′) times the same",
        lambda m: _setting(m, "gain") != "probability" and not _over_time(m) and not _all_zero(m),
        needs="suffix",
    ),
    Proof(
        "AspRel",
        "DSharp_nDCG",
        "the last document's global gain is w(t) g or w(t′) g; both reach equally many aspects",
        lambda m: _setting(m, "gamma") != 1 and _setting(m, "gain") != "probability",
        needs="suffix",
    ),
    Proof(
        "AspRel",
        "AP_IA",
        "the last document adds w(t) / i, i its rank",
        lambda m: _setting(m, "normalize") is False,
        needs="suffix",
    ),
    Proof(
        "DeepTh",
        "P P_IA DCG DCG_IA nDCG nDCG_IA StRecall D_nDCG DSharp_nDCG",
        "nothing relevant is within the cutoff if n ≥ k",
        lambda m: m.cutoff is not None,
    ),
    Proof(
        "DeepTh",
        "RR RR_IA S_RR RR_at_recall",
        "1 > 1 / (n+1)",
    ),
    Proof(
        "DeepTh",
        "RBP RBP_IA NRBP nNRBP D_RBP Compat Compat_IA",
        "all ranks below n together weigh p^n / (1 - p) times as much as the first, at most; that falls to 0",
        _top_heavy,
    ),
    Proof(
        "DeepTh",
        "ERR nERR ERR_IA nERR_IA RBU CT D_iRBU",
        "the gains below n others add up to a constant at most, however many there are, times D(n+1), which "
        "falls to 0",
        lambda m: _graded(m) and not _over_time(m),
    ),
    Proof(
        "DeepTh",
        "alpha_DCG alpha_nDCG EU ERR_IA nERR_IA",
        "documents on one aspect are worth g Σ_c (1-α)^c ≤ g/α together, times D(n+1), which falls to 0",
        lambda m: 0 < _number(m, "alpha") <= 1,  # for one grade, whatever its gain
    ),
    Proof("CloseTh", "P P_IA", "m = 2: 2/k > 1/k, for k ≥ 4", lambda m: m.cutoff is None or m.cutoff >= 4),
    Proof("CloseTh", "AP AP_IA", "m = 3: 1/4 + 2/5 + 3/6 > 1", lambda m: m.cutoff is None or m.cutoff >= 6),
    Proof(
        "CloseTh",
        "DCG DCG_IA nDCG nDCG_IA D_nDCG",
        "m = 3: 1/log2(5) + 1/log2(6) + 1/log2(7) > 1",
        lambda m: m.cutoff is None or m.cutoff >= 6,
    ),
    Proof(
        "CloseTh",
        "RBP RBP_IA D_RBP",
        "m = 2: p² + p³ > 1",
        lambda m: _number(m, "p") ** 2 + _number(m, "p") ** 3 > 1 and (m.cutoff is None or m.cutoff >= 4),
    ),
)


def _weight_below(measure: Measure) -> float:
    """An upper bound of the total weight of all ranks below 33, for documents of one grade on one aspect.

    The weight of the first rank is 1. If the bound is at most 1, no m above 32 satisfies the constraint. All
    smaller m are tried.
    """
    alpha = _number(measure, "alpha")
    if measure.name in ("NRBP", "nNRBP"):
        beta = _number(measure, "beta")
        return beta**_TRIED / (1 - beta * (1 - alpha)) if beta * (1 - alpha) < 1 else math.inf
    if measure.name in ("RBP", "RBP_IA", "D_RBP", "RBU"):
        p = _number(measure, "p")
        return p**_TRIED / (1 - p) if p < 1 else math.inf
    if alpha == 0:
        return math.inf
    steps = math.log(_TRIED + 1) / math.log(_number(measure, "base")) if measure.name == "EU" else 0.0
    return 1 / (1 + steps if measure.name == "EU" else math.log2(_TRIED + 2)) / alpha


#: Every smaller m is tried.
_TRIED = 33

#: Why no n or m satisfies a constraint. Both rankings have one aspect, one grade and the same length. Gains,
#: ideals and efforts are therefore the same for both, and only ranks and numbers of documents matter.
DISPROOFS = (
    Proof(
        "CloseTh",
        "RR RR_IA S_RR RR_at_recall S_precision",
        "only the first relevant document counts, and 1 / (m+1) < 1",
    ),
    Proof(
        "CloseTh",
        "P_plus P_plus_IA",
        "only documents down to the first of the highest grade count, and its blended ratio at rank m+1 is "
        "below 1",
    ),
    Proof(
        "CloseTh",
        "WS_precision",
        "until the aspect is covered, m documents more have to be read",
    ),
    Proof(
        "CloseTh",
        "StRecall",
        "the document on top reaches the only aspect, and nothing reaches more",
    ),
    Proof("CloseTh", "Rprec Rprec_IA", "R = m, and the first m documents are not relevant"),
    Proof(
        "CloseTh",
        "ERR nERR ERR_IA nERR_IA CT D_nERR",
        "apart from its rank, no document is worth more than the one on top, and "
        "1/(m+1) + … + 1/(2m) < ln 2 < 1",
        lambda m: not _over_time(m),
    ),
    Proof(
        "CloseTh",
        "P P_IA AP AP_IA DCG DCG_IA nDCG nDCG_IA D_nDCG DSharp_nDCG RBP RBP_IA D_RBP RBU NRBP nNRBP EU "
        "alpha_DCG alpha_nDCG",
        "nothing relevant is within the cutoff if m ≥ k, and every smaller m was tried",
        lambda m: m.cutoff is not None and m.cutoff <= _TRIED,
    ),
    Proof(
        "CloseTh",
        "alpha_DCG alpha_nDCG EU",
        "the documents are worth D(m+1)/α times the one on top at most, which is below 1 for m > 32, and "
        "every smaller m was tried",
        lambda m: _weight_below(m) <= 1,
    ),
    Proof(
        "CloseTh",
        "NRBP nNRBP",
        "the documents are worth β^m / (1 - β(1-α)) times the one on top at most, which is below 1 for "
        "m > 32, and every smaller m was tried",
        lambda m: _weight_below(m) <= 1,
    ),
    Proof(
        "CloseTh",
        "RBP RBP_IA D_RBP RBU",
        "the documents are worth p^m / (1 - p) times the one on top at most, which is below 1 for m > 32, "
        "and every smaller m was tried",
        lambda m: _weight_below(m) <= 1,
    ),
    Proof(
        "DeepTh",
        "AP AP_IA infAP infAP_IA Q Q_IA D_Q DSharp_Q P_plusQ P_plusQSharp GAP GAP_IA nGAP nGAP_IA",
        "the j-th of the n documents is worth at least j/(2n) times the one on top, all of them (n+1)/4 "
        "times, which is 1 or more if n ≥ 3",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "DeepTh",
        "DCG DCG_IA nDCG nDCG_IA D_nDCG DSharp_nDCG DIN_nDCG DINSharp_nDCG",
        "the n documents are worth at least n / log2(2n+1) times the one on top, which is above 1 if n ≥ 3",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "DeepTh",
        "P P_IA RelP RelP_IA SetP SetP_IA",
        "n of 2n documents are relevant, instead of 1 of 2n",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "DeepTh",
        "R R_IA SetR SetR_IA",
        "n relevant documents are retrieved, instead of 1",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "DeepTh",
        "F1 F1_IA SetF SetF_IA SetAP SetAP_IA",
        "with n relevant documents of 2n, precision and recall are at least as high as with 1 of 2n",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "DeepTh",
        "Utility Utility_IA",
        "n relevant documents are retrieved, instead of 1, and n - 1 fewer that are not relevant",
    ),
    Proof(
        "DeepTh",
        "YAAP YAAP_IA",
        "it rises with the sum of the precisions, which is at least (n+1)/4 for the n documents, 1 or more "
        "if n ≥ 3, and 1 for the one on top",
    ),
    Proof(
        "DeepTh",
        "StRecall",
        "both rankings reach the only aspect",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "DeepTh",
        "Success Success_IA NuggetAll NuggetVital NuggetWeighted",
        "both rankings have a document of the same grade on the only aspect, and one is enough",
        lambda m: m.cutoff is None,
    ),
    Proof(
        "CloseTh",
        "Success Success_IA NuggetAll NuggetVital NuggetWeighted",
        "the document on top is enough, and more of the same grade add nothing",
    ),
    Proof(
        "CloseTh",
        "Bpref Bpref_IA",
        "R = m, and m judged documents that are not relevant are above every relevant one, which is then "
        "worth 0",
    ),
    *(Proof(name, "Judged", "every document of both rankings was judged") for name in ("DeepTh", "CloseTh")),
)
