"""grid.py ignored QRELS RUN...: the measures of Amigó et al. 2018, section 6.2, against reading the files."""

import json
import sys
from time import perf_counter

import rankprism

CUTOFFS = (10, 20, 50, 100, 1000)
ALPHAS = (0.1, 0.25, 0.5, 0.75)
PATIENCE = (0.8, 0.9, 0.99)
EFFORTS = (0.001, 0.05, 0.1, 0.5)

AT_CUTOFF = (
    "P",
    "P_IA",
    "StRecall",
    "DCG(dcg='exp-log2')",
    "DCG_IA(dcg='exp-log2')",
    "ERR",
    "ERR_IA(gain='probability')",
    "CT",
    *(f"alpha_DCG(alpha={alpha})" for alpha in ALPHAS),
)
GRID = [
    *(f"{measure}@{k}" for measure in AT_CUTOFF for k in CUTOFFS),
    *("AP", "AP_IA", "RR", "RR_IA", "Q", "Q_IA", "D_nDCG@20", "DSharp_nDCG@20"),
    *(f"{measure}(p={p})" for measure in ("RBP", "RBP_IA") for p in PATIENCE),
    *(f"NRBP(alpha={alpha},beta={p})" for alpha in ALPHAS for p in PATIENCE),
    *(f"EU(alpha={alpha},e={e})" for alpha in ALPHAS for e in EFFORTS),
    *(f"RBU(p={p},e={e})" for p in PATIENCE for e in (0, *EFFORTS)),
]

_, qrels, *runs = sys.argv[1:]


def timed(measures: list[str]) -> float:
    start = perf_counter()
    rankprism.evaluate(qrels, runs, measures)
    return perf_counter() - start


reading = min(timed(["P@20"]) for _ in range(3))
everything = min(timed(GRID) for _ in range(3))
print(json.dumps({"measures": len(GRID), "reading": reading, "grid": everything - reading}))
