"""The report: what judgments and runs tell about systems, measures and topics, in one HTML file.

`make` computes it, and `of_scores` the parts that need nothing but scores. `systems`, `measures`, `advice`,
`topics` and `rankings` each make one part of its data, which is plain JSON. `documents` reads titles and
texts, and `page` puts the data, the style sheet and the scripts in `assets` into one file. Nothing here
computes a score: `rankprism.evaluate`, `rankprism.compare`,
`rankprism.meta`, `rankprism.axioms` and `Measure.explain` do.

>>> from rankprism import report, sample
>>> made = report.make(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"], depth=5)
>>> made.data["runs"]
['ideal', 'diversified', 'relevance-only', 'redundant', 'noisy', 'shallow']
>>> made.html.splitlines()[0]
'<!doctype html>'
"""

from rankprism.showing.report.report import Report, check_name, default_measures, make, of_scores

__all__ = ["Report", "check_name", "default_measures", "make", "of_scores"]
