"""with_ranx.py MEASURE,... QRELS RUN...

Ad hoc: a document counts with its highest grade on any subtopic. Qrels.from_file would take its last
one, so the judgments are read here.
"""

import json
import sys
from pathlib import Path

import ranx

NAMES = {"nDCG@20": "ndcg@20", "AP": "map", "P@20": "precision@20"}


def judgments(path: str) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    with open(path) as file:
        for line in file:
            topic, _, doc, grade = line.split()
            of_topic = grades.setdefault(topic, {})
            of_topic[doc] = max(int(grade), of_topic.get(doc, 0))
    return grades


measures, qrels, *runs = sys.argv[1:]
chosen = measures.split(",")
judged = ranx.Qrels(judgments(qrels))
means = {}
for run in runs:
    ranked = ranx.Run.from_file(run, kind="trec")
    scores = ranx.evaluate(judged, ranked, [NAMES[m] for m in chosen])
    means[Path(run).stem] = {m: float(scores[NAMES[m]]) for m in chosen}
print(json.dumps(means))
