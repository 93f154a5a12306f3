"""The names that other programs give to measures, and what these measures are called here.

K is a number. ``_K`` may also be written ``.K``, as in trec_eval. If a measure here has the same name and is
not the same, the name keeps its meaning here: the record has ``reads=False`` and says what to write instead.
A record without a measure is about a name that is refused, because no measure here is exactly the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rankprism.errors import MeasureError
from rankprism.measures.spelling import folded_name


class OtherName(NamedTuple):
    """A name in another program, the same measure here, and what to know about it."""

    program: str
    name: str
    measure: str
    remark: str = ""
    reads: bool = True


def _renamed(program: str, measures: Mapping[str, str], remark: str = "") -> Iterator[OtherName]:
    """The names in a program of measures that are the same here."""
    return (OtherName(program, name, measure, remark) for name, measure in measures.items())


#: The command that has what is not a score.
_COMMAND = "python -m rankprism.trec_eval"
OTHER_NAMES = (
    *_renamed(
        "trec_eval",
        {
            "map": "AP",
            "map_cut_K": "AP@K",
            "ndcg": "nDCG",
            "ndcg_cut_K": "nDCG@K",
            "P_K": "P@K",
            "recall_K": "R@K",
            "success_K": "Success@K",
            "recip_rank": "RR",
            "Rprec": "Rprec",
            "bpref": "Bpref",
            "infAP": "infAP",
            "set_P": "SetP",
            "set_recall": "SetR",
            "set_F": "SetF",
            "set_F_K": "SetF(beta=K)",
            "set_map": "SetAP",
            "set_relative_P": "SetP(relative=True)",
            "relative_P_K": "RelP@K",
            "Rprec_mult_K": "Rprec(times=K)",
            "utility": "Utility",
            "dcg": "DCG",
            "ndcg_rel": "nDCG_rel",
            "Rndcg": "RnDCG",
            "binG": "binG",
            "G": "G",
            "yaap": "YAAP",
            "unj_K": "Unjudged@K",
        },
    ),
    *(
        OtherName("trec_eval", name, measure, f"in trec_eval 10 `{newer}`")
        for name, measure, newer in (
            ("iprec_at_recall_K", "IPrec@K", "IPrec(rounding='nearest')@K"),
            ("11pt_avg", "IAP", "IAP(rounding='nearest')"),
        )
    ),
    *_renamed(
        "trec_eval",
        {
            "map_avgjg": "AP_IA",
            "P_avgjg_K": "P_IA@K",
            "Rprec_mult_avgjg_K": "Rprec_IA(times=K)",
        },
        "with a judgment group in the second column, and aspects='all'",
    ),
    OtherName(
        "trec_eval",
        "rbp",
        "RBP(p=0.9,gain='share')",
        "`rbp` is `RBP` here, with p = 0.8; trec_eval 10 scales grades above 1 by numbers it never sets",
        reads=False,
    ),
    *(
        OtherName("trec_eval", name, "", remark)
        for name, remark in {
            "rbp_resid": "it is 0 if every retrieved document is judged; write RBP_residual(p=0.9)",
            "ideal_dcg": "it does not depend on the ranking; divide DCG by nDCG",
            **{
                f"gm_{name}": f"it is a geometric mean over topics; write {measure} and take "
                f"scores.geometric_mean(), or call {_COMMAND}"
                for name, measure in (("map", "AP"), ("bpref", "Bpref"))
            },
            **dict.fromkeys(
                ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
                f"it counts topics or documents; {_COMMAND} prints it",
            ),
            **dict.fromkeys(("relstring", "runid"), f"it is a text and not a score; {_COMMAND} prints it"),
        }.items()
    ),
    *_renamed(
        "ndeval",
        {
            "ERR-IA@K": "ERR_IA@K",
            "nERR-IA@K": "nERR_IA@K",
            "alpha-DCG@K": "alpha_DCG@K",
            "alpha-nDCG@K": "alpha_nDCG@K",
            "NRBP": "NRBP",
            "nNRBP": "nNRBP",
            "MAP-IA": "AP_IA",
            "P-IA@K": "P_IA@K",
            "strec@K": "StRecall@K",
        },
    ),
    OtherName("gdeval", "err@K", "ERR@K"),
    OtherName(
        "gdeval",
        "ndcg@K",
        "nDCG(dcg='exp-log2')@K",
        "`ndcg@K` is trec_eval's here, with the grade as gain",
        reads=False,
    ),
    OtherName(
        "NTCIREVAL", "MSnDCG@K", "nDCG(dcg='exp-log2')@K", "with the gains 1, 3, 7, … of grades 1, 2, 3, …"
    ),
    OtherName(
        "NTCIREVAL",
        "nDCG@K",
        "nDCG(discount='jk')@K",
        "it does not discount the second rank, and `nDCG@K` does so here; with the same gains",
        reads=False,
    ),
    OtherName("NTCIREVAL", "Q@K", "Q@K", "with the same gains"),
    OtherName("NTCIREVAL", "Q-measure", "Q", "with the same gains"),
    OtherName("NTCIREVAL", "Hit@K", "Success@K"),
    OtherName(
        "NTCIREVAL",
        "nERR@K",
        "nERR(max_rel=3)@K",
        "if 3 is the highest grade; `nERR@K` has the highest grade 4 here",
        reads=False,
    ),
    OtherName("NTCIREVAL", "I-rec@K", "StRecall@K"),
    OtherName("NTCIREVAL", "D-MSnDCG@K", "D_nDCG(digits=4)@K"),
    OtherName("NTCIREVAL", "D#-MSnDCG@K", "DSharp_nDCG(digits=4)@K"),
    *(
        OtherName("NTCIREVAL", name, measure, f"`{name}` does not round gains here", reads=False)
        for name, measure in {
            "D-Q@K": "D_Q(digits=4)@K",
            "D#-Q@K": "DSharp_Q(digits=4)@K",
            "D-nERR@K": "D_nERR(digits=4)@K",
        }.items()
    ),
    *_renamed(
        "ranx",
        {
            "precision@K": "P@K",
            "recall@K": "R@K",
            "f1@K": "F1@K",
            "hit_rate@K": "Success@K",
            "r-precision": "Rprec",
            "mrr": "RR",
            "mrr@K": "RR@K",
            "map": "AP",
            "map@K": "AP@K",
            "dcg@K": "DCG@K",
            "dcg_burges@K": "DCG(dcg='exp-log2')@K",
            "ndcg@K": "nDCG@K",
            "ndcg_burges@K": "nDCG(dcg='exp-log2')@K",
            "rbp.K": "RBP(p=0.K,gain='linear')",
            "bpref": "Bpref",
        },
    ),
    OtherName(
        "ranx", "hits@K", "", "it counts relevant documents; write P@K, which divides their number by K"
    ),
    *_renamed(
        "MTEB",
        {
            "ndcg_at_K": "nDCG@K",
            "map_at_K": "AP@K",
            "recall_at_K": "R@K",
            "precision_at_K": "P@K",
            "mrr_at_K": "RR@K",
        },
    ),
    *_renamed("BEIR", {"R_cap@K": "RelP@K"}),
    OtherName(
        "BEIR",
        "Accuracy@K",
        "Success@K",
        "`Accuracy@K` is ir_measures' here: the share of pairs in the right order",
        reads=False,
    ),
    OtherName(
        "BEIR",
        "Hole@K",
        "",
        "it counts documents that are judged for no topic; write Unjudged@K, which counts those that are not "
        "judged for the topic",
    ),
    OtherName(
        "RecTools",
        "Accuracy@K",
        "Success@K",
        "it counts the items of the whole catalogue, nearly all of which are rightly left out; `Success@K` "
        "says whether the list has any relevant item, and `Accuracy@K` is ir_measures' here",
        reads=False,
    ),
    *(
        OtherName(
            "ir_measures",
            name,
            "",
            "it is the gain of a user of cwl_eval divided by the number of documents that this user reads; "
            "write ERR@10, which does not divide",
        )
        for name in ("NERR8@K", "NERR9@K", "NERR10", "NERR11")
    ),
    *(
        OtherName(
            "ir_measures",
            name,
            "",
            f"it is the gain of a user of cwl_eval divided by the number of documents that this user reads; "
            f"write {instead}",
        )
        for name, instead in {
            "BPM@K": "P@10 or RBP",
            "INSQ": "RBP",
            "INST": "RBP",
            "SDCG@K": "DCG@10 or nDCG@10",
        }.items()
    ),
    *(
        OtherName("ir_measures", name, "", f"it counts {counted}; {_COMMAND} prints it as {theirs}")
        for name, counted, theirs in (
            ("NumQ", "topics", "num_q"),
            ("NumRel", "relevant documents", "num_rel"),
            ("NumRet", "retrieved documents", "num_ret"),
            ("NumRelRet", "relevant retrieved documents", "num_rel_ret"),
        )
    ),
    *(
        OtherName("scikit-learn", name, "", f"it {differs}; write {instead}")
        for name, (differs, instead) in {
            "dcg_score": (
                "averages over the orders of tied documents",
                'DCG, and add tied="expected" (--tied expected)',
            ),
            "ndcg_score": (
                "averages over the orders of tied documents",
                'nDCG, and add tied="expected" (--tied expected)',
            ),
            "average_precision_score": ("takes tied documents together", "AP, which orders them by id"),
            "label_ranking_average_precision_score": (
                "takes tied documents together and is 1 if nothing is relevant",
                "AP, which orders them by id and is 0",
            ),
        }.items()
    ),
    *(
        OtherName("ragas", name, "", remark)
        for name, remark in {
            "context_precision": "it divides AP by the number of relevant documents in the ranking; write "
            "AP@10, which divides by the number of all relevant documents",
            "context_recall": "it is the share of a reference answer's claims that the documents support; "
            "judge each claim as an aspect and write StRecall, or write R for relevant documents",
            "faithfulness": "it asks whether the documents support an answer's claims; NuggetAll asks which "
            "of the topic's nuggets the answer supports",
            "answer_relevancy": "it compares the question with questions that a language model makes from "
            "the answer; NuggetAll asks which of the topic's nuggets the answer supports",
        }.items()
    ),
)
#: By folded name, where K and the @ before it are left out. The registry knows those that differ from our
#: name only in spelling.
_RECORDS = {
    folded_name(record.name.removesuffix("K").removesuffix("@")): record
    for record in OTHER_NAMES
    if record.reads and folded_name(record.name) != folded_name(record.measure)
}


_NUMBERED = re.compile(r"(.*?[_.])([0-9]+(?:\.[0-9]+)?)")


def stem_of(name: str) -> str:
    """What comes before the number at the end of a name such as P.5 or set_F_0.5; empty without one."""
    split = _NUMBERED.fullmatch(name)
    return split[1] if split else ""


def own_name(name: str) -> str | None:
    """The measure here that a name of another program means, if it is one, without a cutoff behind @.

    >>> own_name("ndcg_cut_10"), own_name("P.5"), own_name("hit_rate"), own_name("RBU")
    ('nDCG@10', 'P@5', 'Success', None)
    """
    folded = folded_name(name)
    stem, number = folded, ""
    if split := _NUMBERED.fullmatch(folded):
        stem, number = split.groups()
    record = _RECORDS.get(folded) or _RECORDS.get(stem) or _RECORDS.get(stem.removesuffix(".") + "_")
    if record is None or bool(number) != record.name.endswith(("_K", ".K")):
        return None
    if not record.measure:
        raise MeasureError(f"{name} of {record.program} is not a measure here: {record.remark}")
    return record.measure.replace("K", number) if number else record.measure.removesuffix("@K")


#: trec_eval's usual cutoffs and levels of recall.
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(f"{i / 10:g}" for i in range(11))
#: Names of trec_eval that mean several measures. Without its counts, its geometric means and its texts, which
#: are not scores of a topic.
SEVERAL: dict[str, tuple[str, ...]] = {
    "ndcg_cut": tuple(f"nDCG@{k}" for k in _CUTOFFS),
    "map_cut": tuple(f"AP@{k}" for k in _CUTOFFS),
    "relative_p": tuple(f"RelP@{k}" for k in _CUTOFFS),
    "iprec_at_recall": tuple(f"IPrec@{x}" for x in _TENTHS),
    "rprec_mult": tuple(f"Rprec(times={i / 5:g})" for i in range(1, 11)),
    "unj": ("Unjudged@5", "Unjudged@10", "Unjudged@20"),
    "set": ("Utility", "SetP", "SetR", "SetP(relative=True)", "SetAP", "SetF"),
    "official": (
        *("AP", "Rprec", "Bpref", "RR"),
        *(f"IPrec@{x}" for x in _TENTHS),
        *(f"P@{k}" for k in _CUTOFFS),
    ),
}


def examples() -> dict[str, set[str]]:
    """What the names mean here, with 10 as an example of a number."""
    return {
        name: {
            (record.measure.removesuffix("@K") if "@" in record.name else record.measure).replace("K", "10")
        }
        for name, record in _RECORDS.items()
        if record.measure
    }


def names_table(program: str) -> str:
    """The names of one program, as a table for the docs."""
    rows = [record for record in OTHER_NAMES if record.program == program]
    remarked = any(record.remark for record in rows)
    lines = [f"| {program} | rankprism |{' |' * remarked}", f"|---|---|{'---|' * remarked}"]
    for _, name, measure, remark, reads in rows:
        told = f"{'' if reads else 'write '}`{measure}`" if measure else "refused" if reads else "none"
        lines.append(f"| `{name}` | {told} |{f' {remark} |' * remarked}")
    return "\n".join(lines) + "\n"
