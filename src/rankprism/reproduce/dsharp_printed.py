"""The numbers that Sakai and Song (2011) printed in Tables 1 to 7."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from rankprism.reproduce.paper import Printed, numbered

QRELS = Printed("the judgments of TREC Web 2009", numbered(1, 50), highest=1, is_public=True)
GRADED = Printed("20 runs of TREC Web 2009, and their graded judgments", numbered(1, 50), 20, highest=3)
ALL_RUNS = Printed("25 runs of TREC Web 2009, and their graded judgments", numbered(1, 50), 25, highest=3)
JUDGED = Printed("graded judgments of TREC Web 2009", numbered(1, 50), highest=3)
BINARY = Printed("20 runs of TREC Web 2009", numbered(1, 50), 20)
CHINESE = Printed("20 runs of NTCIR-6 CLIR")

DEEP, SHALLOW = 1000, 10
#: The number of pairs of runs between two labels on the axis of a figure.
TICK = 10
ALPHA = 0.05

#: Table 1(a): counts from the topic file.
TOPIC_COUNTS = {
    "ambiguous topics": 12,
    "faceted topics": 38,
    "subtopics": 243,
    "informational subtopics": 177,
    "navigational subtopics": 66,
}
#: Table 1(a) and Section 5.2: counts from the judgments.
TABLE_1 = {
    "topics": 50,
    "intents": 199,
    "most intents of a topic": 6,
    "most intents of a document": 5,
    "relevant documents": 4942,
    "relevant documents of intents": 6499,
    "documents on 1 intent": 3622,
    "documents on 2 intents": 1113,
    "documents on 3 intents": 178,
    "documents on 4 intents": 28,
    "documents on 5 intents": 1,
}
#: Sections 5.1 and 5.2: relevant documents of intents, and documents by their highest grade, at each level.
LEVELS = {
    "documents of intents": (1173, 1959, 3367),
    "documents by their highest grade": (601, 1328, 3013),
}

#: Measures of ad hoc judgments by their names in the paper; h is the highest grade.
AD_HOC = {
    "nDCG": "nDCG(dcg='exp-log2')@{l}",
    "Q": "Q@{l}",
    "GAP": "GAP",  # the runs are cut at l, which is what GAP@l means: its divisor has no cutoff
    "nGAP": "nGAP@{l}",
    "ERR": "ERR(max_rel={h})@{l}",
    "nERR": "nERR(max_rel={h})@{l}",
}
DIVERSITY = {
    "I-rec": "StRecall@{l}",
    "D#-Q": "DSharp_Q@{l}",
    "D#-nDCG": "DSharp_nDCG@{l}",
    "α-nDCG": "alpha_nDCG@{l}",
    "nDCG-IA": "nDCG_IA(dcg='exp-log2')@{l}",
    "nGAP-IA": "nGAP_IA@{l}",
    "nERR-IA": "nERR_IA(gain='probability',max_rel={h},ideal='per-aspect')@{l}",
    "ERR-IA": "ERR_IA(gain='probability',max_rel={h})@{l}",
    "D-nDCG": "D_nDCG@{l}",
    "D-Q": "D_Q@{l}",
    "GAP-IA": "GAP_IA",
}


class Power(NamedTuple):
    """A list of Table 2 or 3: a collection and a cutoff, with the printed power in % and required Δ."""

    name: str
    figure: str
    collection: str
    cutoff: int
    data: Printed
    printed: Mapping[str, tuple[float, float]]


def _figures(printed: str) -> dict[str, tuple[float, float]]:
    """The power in % and the required Δ of each measure.

    >>> _figures("Q 72.1 .09, GAP 71.1 .07")
    {'Q': (72.1, 0.09), 'GAP': (71.1, 0.07)}
    """
    rows = (row.split() for row in printed.split(", "))
    return {name: (float(power), float(delta)) for name, power, delta in rows}


TABLE_2 = (
    Power(
        "Table 2 (i), NTCIR6C, l = 1000",
        "",
        "",
        DEEP,
        CHINESE,
        _figures("Q 72.1 .09, GAP 71.1 .07, nDCG 70.0 .11, ERR 42.6 .14"),
    ),
    Power(
        "Table 2 (i), NTCIR6C, l = 10",
        "",
        "",
        SHALLOW,
        CHINESE,
        _figures("nGAP 58.4 .08, nDCG 57.4 .11, Q 54.2 .09, GAP 46.8 .04, nERR 42.6 .16, ERR 42.6 .15"),
    ),
    Power(
        "Table 2 (ii), highest grade over intents, l = 1000",
        "Figure 1",
        "highest",
        DEEP,
        GRADED,
        _figures("nDCG 74.7 .09, Q 66.3 .05, ERR 57.4 .15, GAP 50.5 .06"),
    ),
    Power(
        "Table 2 (ii), highest grade over intents, l = 10",
        "Figure 1",
        "highest",
        SHALLOW,
        GRADED,
        _figures("ERR 58.4 .17, nERR 57.9 .18, nDCG 56.3 .11, Q 48.4 .12, nGAP 47.4 .13, GAP 46.3 .02"),
    ),
    Power(
        "Table 2 (iii), number of intents, l = 1000",
        "Figure 1",
        "number",
        DEEP,
        BINARY,
        _figures("nDCG 75.8 .07, Q 64.7 .04, ERR 57.4 .04, GAP 55.8 .05"),
    ),
    Power(
        "Table 2 (iii), number of intents, l = 10",
        "Figure 1",
        "number",
        SHALLOW,
        BINARY,
        _figures("nERR 58.4 .11, nDCG 57.9 .09, ERR 50.0 .04, Q 48.4 .08, nGAP 47.4 .06, GAP 43.2 .05"),
    ),
)
TABLE_3 = (
    Power(
        "Table 3 (i), non-uniform, l = 1000",
        "Figure 2",
        "non-uniform",
        DEEP,
        GRADED,
        _figures("nDCG-IA 77.4 .06, D-nDCG 75.3 .07, D-Q 61.1 .04, ERR-IA 58.4 .08, GAP-IA 48.9 .07"),
    ),
    Power(
        "Table 3 (i), non-uniform, l = 10",
        "Figure 2",
        "non-uniform",
        SHALLOW,
        GRADED,
        _figures(
            "D#-Q 65.3 .09, D#-nDCG 63.7 .09, nERR-IA 58.4 .09, ERR-IA 57.9 .09, "
            "D-nDCG 57.4 .08, nDCG-IA 57.4 .06, D-Q 48.9 .09, nGAP-IA 42.6 .07, "
            "GAP-IA 24.2 .05"
        ),
    ),
    Power(
        "Table 3 (ii), uniform, l = 1000",
        "Figure 2",
        "uniform",
        DEEP,
        GRADED,
        _figures("nDCG-IA 76.8 .06, D-nDCG 75.3 .07, D-Q 63.2 .05, ERR-IA 61.6 .07, GAP-IA 50.5 .04"),
    ),
    Power(
        "Table 3 (ii), uniform, l = 10",
        "Figure 2",
        "uniform",
        SHALLOW,
        GRADED,
        _figures(
            "D#-Q 66.3 .09, α-nDCG 66.3 .10, D#-nDCG 65.8 .10, I-rec 62.6 .13, "
            "D-nDCG 60.5 .10, nDCG-IA 58.4 .05, nERR-IA 58.4 .08, ERR-IA 57.9 .08, "
            "D-Q 51.1 .10, nGAP-IA 43.7 .04, GAP-IA 35.3 .03"
        ),
    ),
)
ROWS_4 = ("I-rec", "D#-Q", "D#-nDCG", "α-nDCG", "nDCG-IA", "nGAP-IA", "nERR-IA")
#: Table 4: τ and τ_ap of each pair, in the order of `combinations`. The second measure is the gold ranking.
TABLE_4 = dict(
    zip(
        combinations(ROWS_4, 2),
        [
            *((0.96, 0.97), (0.95, 0.86), (0.87, 0.74), (0.84, 0.84), (0.72, 0.70), (0.77, 0.63)),
            *((0.97, 0.87), (0.87, 0.74), (0.88, 0.86), (0.74, 0.70), (0.79, 0.64)),
            *((0.91, 0.87), (0.87, 0.76), (0.75, 0.62), (0.80, 0.76)),
            *((0.84, 0.67), (0.74, 0.57), (0.90, 0.83)),
            *((0.85, 0.83), (0.86, 0.74)),
            (0.78, 0.69),
        ],
        strict=True,
    )
)
#: Table 5: pairs of runs that only the first, both, and only the second find different; the agreement in %.
TABLE_5 = dict(
    zip(
        combinations(ROWS_4[:5], 2),
        [
            *(((4, 115, 11), 86), ((4, 115, 10), 89), ((9, 110, 16), 81), ((23, 96, 15), 72)),
            *(((1, 125, 0), 99), ((9, 117, 9), 87), ((21, 105, 6), 80)),
            *(((9, 116, 10), 86), ((21, 104, 7), 79)),
            ((20, 106, 5), 81),
        ],
        strict=True,
    )
)
#: Table 6: topic, the two runs, and Δ in D#-nDCG, α-nDCG and nDCG-IA.
TABLE_6 = {
    "A": ("47", "watd3", "Sab9wtBfDiv", (-0.209, 0.018, 0.098)),
    "B": ("21", "twCSodpRBB", "MSDiv1", (-0.170, 0.023, -0.084)),
    "C": ("46", "twCSodpRBB", "MSDiv1", (-0.156, 0.010, -0.031)),
    "D": ("26", "watd3", "twCSodpRNB", (-0.141, 0.027, -0.025)),
    "E": ("26", "watd1", "twCSodpRNB", (-0.139, 0.042, -0.023)),
    "F": ("50", "Sab9wtBfDiv", "spc", (-0.080, 0.168, 0.116)),
    "G": ("20", "THUIR09FuClu", "MSRABASE", (0.220, 0.150, -0.092)),
    "H": ("14", "Sab9wtBfDiv", "spc", (-0.102, 0.131, 0.028)),
    "I": ("50", "MSRABASE", "THUIR09FuClu", (0.236, 0.131, -0.130)),
    "J": ("38", "Sab9wtBfDiv", "Sab9wtBDiv1", (0.141, 0.130, -0.019)),
}
#: Table 7: whether α-nDCG, IA measures and D#-measures have a property.
TABLE_7 = {
    "intent probabilities": (False, True, True),
    "attention to minor intents": (True, False, True),
    "per-intent graded relevance": (False, True, True),
    "highest value is 1": (False, False, True),
    "high discriminative power": (True, False, True),
}
FAMILIES = {
    "α-nDCG": ("α-nDCG",),
    "IA measures": ("nDCG-IA", "nGAP-IA", "nERR-IA", "ERR-IA", "GAP-IA"),
    "D#-measures": ("D#-nDCG", "D#-Q"),
}
