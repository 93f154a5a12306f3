"""What type checkers refuse. Every line with a comment has an error, and no other line has one."""

from __future__ import annotations

import rankprism
from rankprism import axioms, compare, evaluate, measures, meta, plots, preferences, sample
from rankprism.measures import CAM, alpha_nDCG, nDCG, nPrf

rankprism.evalute  # no such name
measures.alpha_nDCGG  # no such name
plots.no_such_chart  # no such name
axioms.Confi  # no such name
alpha_nDCG(alfa=0.5)  # no such parameter
alpha_nDCG(ideal="gredy")  # no such word
alpha_nDCG(alpha="0.5")  # a number is wanted
nDCG(dcg="log10")  # no such word
nPrf(browsing="rpb")  # no such word
CAM(measure="nDCG")  # a measure is wanted
CAM(measure=nDCG) @ 10  # the measure inside has the cutoff
scores = evaluate(sample.QRELS, list(sample.RUNS), "P@10")
evaluate(sample.QRELS, list(sample.RUNS), "P@10", order="scoer")  # no such word
evaluate(sample.QRELS, list(sample.RUNS), "P@10", duplicates="last")  # no such word
evaluate(sample.QRELS, list(sample.RUNS), "P@10", topics="all")  # no such word
evaluate(sample.QRELS, list(sample.RUNS), "P@10", ordr="score")  # no such option
scores.plot.no_such_chart  # no such name
scores.plot.intervals(measur="P@10")  # no such option
plots.intervals(3)  # scores are wanted
compare(scores, test="student")  # no such word
compare(scores, correction="sidak")  # no such word
meta.power(scores, method="anova")  # no such word
meta.correlation(scores, coefficient="pearson")  # no such word
preferences.simulate("qrels.txt", "a.run", ties="never")  # no such word
preferences.select("a.run", budget=10, choice="best")  # no such word
preferences.intervals("p.tsv", "a.run", "nPrf@20", over="runs")  # no such word
preferences.order("p.tsv", by="votes")  # no such word
