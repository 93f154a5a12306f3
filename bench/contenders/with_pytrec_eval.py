"""with_pytrec_eval.py MEASURE,... QRELS RUN...

Ad hoc: a document counts with its highest grade on any subtopic.
"""

import json
import sys
from pathlib import Path

import pytrec_eval

NAMES = {"nDCG@20": "ndcg_cut_20", "AP": "map", "P@20": "P_20"}


def judgments(path: str) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    with open(path) as file:
        for line in file:
            topic, _, doc, grade = line.split()
            of_topic = grades.setdefault(topic, {})
            of_topic[doc] = max(int(grade), of_topic.get(doc, 0))
    return grades


def ranking(path: str) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    with open(path) as file:
        for line in file:
            topic, _, doc, _, score, _ = line.split()
            scores.setdefault(topic, {})[doc] = float(score)
    return scores


measures, qrels, *runs = sys.argv[1:]
chosen = measures.split(",")
evaluator = pytrec_eval.RelevanceEvaluator(judgments(qrels), {"ndcg_cut.20", "map", "P.20"})
means = {}
for run in runs:
    topics = list(evaluator.evaluate(ranking(run)).values())
    means[Path(run).stem] = {m: sum(t[NAMES[m]] for t in topics) / len(topics) for m in chosen}
print(json.dumps(means))
