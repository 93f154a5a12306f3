"""How often `rankprism gate` gives a false alarm, and how often it finds a loss.

    make coverage

prints the table, after the table of the intervals, and fails if more than 6 % of the runs that lost exactly
the margin fail, or more than 5 % of the unchanged systems with a margin of .005, beyond what chance explains.

An experiment draws a pair of runs with nearly equal means, moves its differences so that the true loss is
known, and draws topics with replacement. The differences are real: all pairs of TREC Deep Learning 2021 and
of TREC-8 ad hoc, if these collections are there (see `FOLDER`), and otherwise those of populations that were
fitted to them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankprism.comparison.boards.gate import gate_of
from rankprism.comparison.boards.policy import Policy
from rankprism.comparison.boards.verdict import FAILED, PASSED
from rankprism.results.scores import Scores
from simulations.populations import AD_HOC_8, DL_2021, Floats

#: Where the collections are: beside the repository.
FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
#: Pairs of runs whose means differ by less, as those of two versions of a system do.
CLOSE = 0.03
TOPICS = (20, 50, 100, 200)
STUDIES = 1500
#: The most false alarms of a run that lost exactly the margin, and of an unchanged one with a margin of .005.
AT_MARGIN, UNCHANGED = 0.06, 0.05
MEASURE = "nDCG@10"


@dataclass(frozen=True)
class Case:
    """A true loss, a margin, and how often such a run may fail, if it should not."""

    name: str
    loss: float
    margin: float
    most: float | None = None


CASES = (
    Case("lost the margin of .01", 0.01, 0.01, AT_MARGIN),
    Case("unchanged, margin .005", 0.0, 0.005, UNCHANGED),
    Case("lost .03, margin 0", 0.03, 0.0),
    Case("lost .03, margin .01", 0.03, 0.01),
    Case("lost .03, margin .02", 0.03, 0.02),
)


def populations() -> dict[str, Floats]:
    """(pair, topic): the differences of close pairs of runs, in each collection."""
    if not FOLDER.is_dir():
        print(f"the real scores are not in {FOLDER}; fitted populations are used instead", file=sys.stderr)
        return fitted()
    real = {"nDCG@10, DL 2021": _deep_learning()}
    for name, measure in (("ap", "AP"), ("p10", "P@10")):
        with open(FOLDER / "score-matrices" / f"adhoc8_{name}.csv", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        real[f"{measure}, TREC-8 ad hoc"] = np.array(rows, dtype=np.float64).T
    return {name: close_pairs(scores) for name, scores in real.items()}


def fitted() -> dict[str, Floats]:
    """The same from the populations that were fitted to these collections."""
    return {
        one.name: close_pairs(one.draw(np.random.default_rng(1), 1, 400, 20)[0])
        for one in (DL_2021, AD_HOC_8)
    }


def _deep_learning() -> Floats:
    """(run, topic): the published nDCG@10 of all runs."""
    scores: dict[str, dict[str, float]] = {}
    path = FOLDER / "trec-dl-2021-prefs" / "expected" / "ndcg_cut_10.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["topic"].isdigit():  # not the mean
                scores.setdefault(row["runid"], {})[row["topic"]] = float(row["ndcg_cut_10"])
    topics = sorted({topic for run in scores.values() for topic in run})
    return np.array([[run.get(topic, 0.0) for topic in topics] for run in scores.values()])


def close_pairs(scores: Floats) -> Floats:
    """(pair, topic): the differences of pairs of runs with nearly equal means, moved to the mean 0."""
    first, second = np.triu_indices(len(scores), 1)
    z = scores[first] - scores[second]
    z = z[(np.abs(z.mean(1)) < CLOSE) & (np.abs(z) > 0).any(1)]
    return np.asarray(z - z.mean(1, keepdims=True))


def verdicts(
    differences: Floats, topics: int, case: Case, studies: int, seed: int = 1
) -> Mapping[str, float]:
    """The share of each verdict of the gate's own code."""
    rng = np.random.default_rng([seed, topics])
    policy = Policy.of(MEASURE, case.margin)
    names = tuple(map(str, range(topics)))
    found = dict.fromkeys((FAILED, PASSED), 0.0)
    for _ in range(studies):
        z = rng.choice(differences[rng.integers(len(differences))], topics) - case.loss
        values = np.stack([np.zeros(topics), z])[:, :, None]
        verdict = gate_of(Scores(("old", "new"), names, (MEASURE,), values), policy).outcome
        found[verdict] = found.get(verdict, 0.0) + 1 / studies
    return found


def alarms(case: Case, failed: float, studies: int, tolerance: float) -> bool:
    """Whether there are too many false alarms, beyond `tolerance` standard errors."""
    if case.most is None:
        return False
    return bool(failed > case.most + tolerance * np.sqrt(case.most * (1 - case.most) / studies))


def main(words: Sequence[str] | None = None) -> int:
    """Print the table. 1 if there are too many false alarms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, nargs="+", default=TOPICS)
    parser.add_argument("--studies", type=int, default=STUDIES)
    given = parser.parse_args(words)
    print("| differences | sd | true loss and margin |" + "".join(f" {n} topics |" for n in given.topics))
    print("|---|---:|---|" + "---:|" * len(given.topics), flush=True)
    wrong = 0
    for name, differences in populations().items():
        deviation = float(np.median(differences.std(1, ddof=1)))
        for case in CASES:
            cells = []
            for topics in given.topics:
                found = verdicts(differences, topics, case, given.studies)
                too_many = alarms(case, found[FAILED], given.studies, tolerance=2.0)
                wrong += too_many
                cell = f"{found[FAILED]:.3f} / {found[PASSED]:.3f}"
                cells.append(f"**{cell}**" if too_many else cell)
            print(f"| {name} | {deviation:.3f} | {case.name} | {' | '.join(cells)} |", flush=True)
    print(f"{wrong} cells have too many false alarms", file=sys.stderr)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
