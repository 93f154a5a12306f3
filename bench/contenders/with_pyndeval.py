"""with_pyndeval.py MEASURE,... QRELS RUN...

Its README passes lists of tuples; it takes generators as well, which are faster and smaller.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pyndeval

NAMES = {
    "alpha_nDCG@20": "alpha-nDCG@20",
    "ERR_IA@20": "ERR-IA@20",
    "NRBP": "NRBP",
    "AP_IA": "MAP-IA",
    "StRecall@20": "strec@20",
}


def judgments(path: str) -> Iterator[tuple[str, str, str, int]]:
    with open(path) as file:
        for line in file:
            topic, subtopic, doc, grade = line.split()
            yield topic, subtopic, doc, int(grade)


def ranking(path: str) -> Iterator[tuple[str, str, float]]:
    with open(path) as file:
        for line in file:
            topic, _, doc, _, score, _ = line.split()
            yield topic, doc, float(score)


measures, qrels, *runs = sys.argv[1:]
chosen = measures.split(",")
evaluator = pyndeval.RelevanceEvaluator(judgments(qrels), [NAMES[m] for m in chosen])
means = {}
for run in runs:
    topics = list(evaluator.evaluate(ranking(run)).values())
    means[Path(run).stem] = {m: sum(t[NAMES[m]] for t in topics) / len(topics) for m in chosen}
print(json.dumps(means))
