"""What type checkers accept: the public names, and the words that functions take."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import rankprism
from rankprism import Measure, Scores, axioms, compare, evaluate, measures, meta, plots, preferences, sample
from rankprism.measures import CAM, RBU, TOMA, alpha_nDCG, nDCG, nDCG_IA, nPrf
from rankprism.meta.axioms import Conf
from rankprism.showing.plots import intervals

scores = evaluate(sample.QRELS, list(sample.RUNS), ["P@10", RBU @ 20], order="rank", topics="retrieved")
assert_type(scores, Scores)
assert_type(rankprism.__version__, str)
assert_type(alpha_nDCG(alpha=0.25, ideal="exact") @ 20, Measure)
evaluate("qrels.txt", "a.run", alpha_nDCG(alpha=0.25)(cutoff=10), duplicates="first")
evaluate("qrels.txt", "a.run", [CAM(measure=nDCG @ 10), nDCG_IA(dcg="exp-log2"), nPrf(browsing=(0.5, 0.5))])
evaluate("qrels.txt", "a.run", TOMA(measure=nDCG, distance="my own distance"))
assert_type(measures.lookup("of my own"), Measure)
intervals(scores, title="Means")
plots.heatmap(scores, "P@10").properties(width=300)
scores.plot.intervals(alpha=0.01, title="Means")
plots.intervals("scores.csv")
scores.plot.heatmap("P@10").properties(width=300)
plots.save(plots.draw(compare(scores, test="tukey", baseline="noisy")), Path("chart.svg"))
meta.power(scores, method="t", intervals=0)
meta.correlation(scores, coefficient="tau-ap")
preferences.simulate("qrels.txt", "a.run", pool="judged", ties="drawn")
axioms.examine([RBU], [Conf, axioms.Pri])
