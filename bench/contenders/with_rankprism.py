"""with_rankprism.py MEASURE,... QRELS RUN..."""

import json
import sys

import rankprism

measures, qrels, *runs = sys.argv[1:]
print(json.dumps(rankprism.evaluate(qrels, runs, measures.split(",")).mean()))
