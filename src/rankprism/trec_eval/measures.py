"""The measures of trec_eval 10: what they are called, which parameters they take, and how they are averaged.

`core/trec_eval.cpp` computes those that need qrels, and `preferences` those that need preferences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

#: cutoffs: ranks, with a score for each; levels: real numbers, with a score for each; numbers: real numbers
#: that change the only score; gains: ``grade=gain``
Parameters: TypeAlias = Literal["none", "cutoffs", "levels", "numbers", "gains"]
#: A measure for the core: its name, the labels of its scores, numbers, gains of grades, and persistence.
ForCore: TypeAlias = tuple[str, list[str], list[float], list[tuple[float, float]], float]

_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


class Definition(NamedTuple):
    """A measure of trec_eval."""

    name: str
    parameters: Parameters = "none"
    default: tuple[float, ...] = ()
    #: What the file of judgments has to hold.
    needs: Literal["anything", "qrels", "qrels_jg", "preferences"] = "qrels"
    #: How the scores of all topics become one number.
    summary: Literal["mean", "sum", "geometric", "topics", "run", "none"] = "mean"
    #: Whether it is printed for each topic.
    by_topic: bool = True


#: In the order in which trec_eval prints them.
MEASURES: Mapping[str, Definition] = {
    one.name: one
    for one in (
        Definition("runid", needs="anything", summary="run", by_topic=False),
        Definition("num_q", needs="anything", summary="topics", by_topic=False),
        Definition("num_ret", summary="sum"),
        Definition("num_rel", summary="sum"),
        Definition("num_rel_ret", summary="sum"),
        Definition("map"),
        Definition("gm_map", summary="geometric", by_topic=False),
        Definition("Rprec"),
        Definition("bpref"),
        Definition("recip_rank"),
        Definition("iprec_at_recall", "levels", _TENTHS),
        Definition("P", "cutoffs", _RANKS),
        Definition("relstring", "numbers", (10,), summary="none"),
        Definition("recall", "cutoffs", _RANKS),
        Definition("infAP"),
        Definition("gm_bpref", summary="geometric", by_topic=False),
        Definition("Rprec_mult", "levels", _FIFTHS),
        Definition("utility", "numbers", (1, -1, 0, 0)),
        Definition("11pt_avg", "numbers", _TENTHS),
        Definition("binG"),
        Definition("G", "gains"),
        Definition("dcg", "gains"),
        Definition("ideal_dcg", "gains"),
        Definition("ndcg", "gains"),
        Definition("ndcg_rel", "gains"),
        Definition("Rndcg", "gains"),
        Definition("ndcg_cut", "cutoffs", _RANKS),
        Definition("map_cut", "cutoffs", _RANKS),
        Definition("relative_P", "cutoffs", _RANKS),
        Definition("success", "cutoffs", (1, 5, 10)),
        Definition("set_P"),
        Definition("set_relative_P"),
        Definition("set_recall"),
        Definition("set_map"),
        Definition("set_F", "numbers", (1,)),
        Definition("num_nonrel_judged_ret", summary="sum"),
        Definition("prefs_num_prefs_poss", needs="preferences", summary="sum"),
        Definition("prefs_num_prefs_ful", needs="preferences", summary="sum"),
        Definition("prefs_num_prefs_ful_ret", needs="preferences", summary="sum"),
        Definition("prefs_simp", needs="preferences"),
        Definition("prefs_pair", needs="preferences"),
        Definition("prefs_avgjg", needs="preferences"),
        Definition("prefs_avgjg_Rnonrel", needs="preferences"),
        Definition("prefs_simp_ret", needs="preferences"),
        Definition("prefs_pair_ret", needs="preferences"),
        Definition("prefs_avgjg_ret", needs="preferences"),
        Definition("prefs_avgjg_Rnonrel_ret", needs="preferences"),
        Definition("prefs_simp_imp", needs="preferences"),
        Definition("prefs_pair_imp", needs="preferences"),
        Definition("prefs_avgjg_imp", needs="preferences"),
        Definition("map_avgjg", needs="qrels_jg"),
        Definition("P_avgjg", "cutoffs", _RANKS, needs="qrels_jg"),
        Definition("Rprec_mult_avgjg", "levels", _FIFTHS, needs="qrels_jg"),
        Definition("yaap"),
        Definition("rbp", "gains"),
        Definition("rbp_resid", "gains"),
        Definition("unj", "cutoffs", (5, 10, 20)),
    )
}

_COUNTS = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret"]
_RANKED = ["map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"]
_UNRANKED = ["utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"]
_PREFERENCES = [name for name, one in MEASURES.items() if one.needs == "preferences"]

#: Names for sets of measures, as trec_eval 10 has them.
NICKNAMES: Mapping[str, Sequence[str]] = {
    "official": [*_COUNTS, *_RANKED],
    "set": [*_COUNTS, *_UNRANKED],
    "all_trec": [
        name
        for name, one in MEASURES.items()
        if one.needs in ("anything", "qrels") and name not in ("dcg", "ideal_dcg", "yaap")
    ],
    "all_prefs": ["runid", "num_q", *_PREFERENCES],
    "prefs": ["runid", "num_q", *_PREFERENCES[:6]],
    "qrels_jg": ["runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"],
}


#: The largest whole number that trec_eval can read.
LARGEST = 2**63 - 1


class Asked(NamedTuple):
    """A measure with the parameters that somebody asked for."""

    definition: Definition
    labels: list[str]  # what its scores are called
    numbers: list[float]
    gains: list[tuple[float, float]]  # grade, gain
    persistence: float

    def for_core(self) -> ForCore:
        return self.definition.name, self.labels, self.numbers, self.gains, self.persistence


def asked(definition: Definition, parameters: str | None) -> Asked:
    """Read the parameters of a measure as trec_eval does, which takes them as far as they are numbers.

    >>> asked(MEASURES["ndcg_cut"], "20,5.7").labels
    ['ndcg_cut_5', 'ndcg_cut_20']
    >>> asked(MEASURES["rbp"], "p=0.8,2=1").labels
    ['rbp_p=0.8,2=1']
    """
    name, kind = definition.name, definition.parameters
    words = parameters.split(",") if parameters and kind != "none" else []
    gains: list[tuple[float, float]] = []
    persistence = 0.9
    if kind == "gains":
        for word in words:
            grade, equals, gain = word.partition("=")
            if not equals or "=" in gain:
                raise ValueError(f"malformed pair parameters in {parameters!r}; give them as grade=gain")
            if re.fullmatch(r"[+-]?[0-9]+", grade):
                gains.append((float(grade), number(gain)))
            elif grade == "p":
                persistence = number(gain)
    if kind == "cutoffs":
        numbers = sorted(float(whole_number(word)) for word in words) or list(definition.default)
        if numbers[0] <= 0:
            raise ValueError(f"{name}: a cutoff must be at least 1; got {parameters!r}")
        labels = [f"{name}_{k}" for k in sorted(map(whole_number, words or map(str, definition.default)))]
    elif kind == "levels":
        numbers = sorted(map(number, words)) or list(definition.default)
        labels = [f"{name}_{x:3.2f}"[: len(name) + 9] for x in numbers]
    else:
        numbers = [number(word) for word in words if kind == "numbers"] or list(definition.default)
        labels = [f"{name}_{parameters}" if words else name]
    if kind in ("cutoffs", "levels") and len(set(numbers)) < len(numbers):
        raise ValueError(f"{name}: the same parameter twice in {parameters!r}")
    if name == "utility" and len(numbers) != 4:
        raise ValueError(f"utility needs four coefficients; got {parameters!r}")
    return Asked(definition, labels, numbers, gains, persistence)


def whole_number(text: str) -> int:
    """Read the whole number that a text begins with; 0 if there is none. It has at most 64 bits, as in C.

    >>> whole_number("23.4"), whole_number("x"), whole_number("99999999999999999999")
    (23, 0, 9223372036854775807)
    """
    found = re.match(r"\s*([+-]?[0-9]{1,4000})", text)
    return min(max(int(found[1]), -LARGEST - 1), LARGEST) if found else 0


def number(text: str) -> float:
    """Read the number that a text begins with; 0 if there is none.

    >>> number(".5x"), number("x")
    (0.5, 0.0)
    """
    found = re.match(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)", text)
    return float(found[1]) if found else 0.0
