"""with_ir_measures.py MEASURE,... QRELS RUN..."""

import json
import sys
from pathlib import Path

import ir_measures

measures, qrels, *runs = sys.argv[1:]
evaluator = ir_measures.evaluator(
    [ir_measures.parse_measure(m) for m in measures.split(",")], ir_measures.read_trec_qrels(qrels)
)
means = {}
for run in runs:
    scores = evaluator.calc_aggregate(ir_measures.read_trec_run(run))
    means[Path(run).stem] = {str(measure): score for measure, score in scores.items()}
print(json.dumps(means))
