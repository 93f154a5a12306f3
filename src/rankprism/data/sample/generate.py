"""Make the sample collection: ``python -m rankprism.data.sample.generate FOLDER``."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")

SEED = 20
QUERIES = {
    "apple": "company fruit records",
    "bank": "money river blood",
    "bat": "animal sport",
    "bridge": "game crossing dental guitar",
    "cell": "biology phone prison battery spreadsheet",
    "charge": "card electric criminal",
    "crane": "machine bird",
    "delta": "river airline letter variant",
    "eclipse": "astronomy software car",
    "jaguar": "car cat guitar",
    "java": "language island coffee",
    "jordan": "country player river shoes",
    "mercury": "planet element singer god car",
    "mouse": "animal computer",
    "orange": "fruit colour telecom prize county",
    "pitch": "music sport sales tar",
    "python": "language snake comedy",
    "saturn": "planet god rocket",
    "seal": "animal stamp singer",
    "spring": "season coil framework water",
}
DOCUMENTS = 80  # per query; four fifths of them are judged
POOL = 8  # documents per query that people compare
PAIRS, TRIPLETS = 10, 16  # per query; every assessor sees each, and answers four times out of five


@dataclass(frozen=True)
class Document:
    id: str
    grades: dict[str, int]  # by sense; all are above 0
    estimate: dict[str, float]  # what a system believes
    judged: bool


def documents(query: str, senses: list[str], weights: list[float], chance: random.Random) -> list[Document]:
    """Make the documents of a query. Some are about one sense and a few about two, mostly popular ones."""
    made = []
    for number in range(1, DOCUMENTS + 1):
        grades: dict[str, int] = {}
        if chance.random() < 0.4:
            grades[_draw(senses, weights, chance)] = _draw([1, 2, 3], [0.5, 0.35, 0.15], chance)
            if chance.random() < 0.15:
                grades.setdefault(_draw(senses, weights, chance), 1)
        estimate = {s: max(0.0, grades.get(s, 0) + 1.6 * (chance.random() - 0.5)) for s in senses}
        made.append(Document(f"{query}-{number:02d}", grades, estimate, chance.random() < 0.8))
    return made


def rankings(
    senses: list[str], weights: dict[str, float], found: list[Document], chance: random.Random
) -> dict[str, list[str]]:
    """The ranking of each system for a query: see `rankprism.sample.SYSTEMS`."""
    believed = sorted(found, key=lambda d: -sum(weights[s] * d.estimate[s] for s in senses))
    first = senses[0]
    redundant = sorted(found, key=lambda d: (d.estimate[first] < 0.8, -d.estimate[first], d.id))
    noisy = sorted(found, key=lambda d: chance.random())
    diversified = _in_turn(senses, found)
    return {
        "ideal": [d.id for d in _ideal(weights, found)],
        "diversified": diversified,
        "relevance-only": [d.id for d in believed],
        "redundant": [d.id for d in redundant],
        "noisy": [d.id for d in noisy],
        "shallow": diversified[:3],
    }


def preferences(
    query: str, senses: list[str], found: list[Document], ranked: dict[str, list[str]], chance: random.Random
) -> list[str]:
    """Make the preferences of three people: ann wants the first sense, ben the last, and eva any sense.

    They compare the documents that the systems rank highest. The senses of a document that they have just
    read are worth less to them.
    """
    by_id = {d.id: d for d in found}
    rank = {doc: sum(1 / (r.index(doc) + 1) for r in ranked.values() if doc in r) for doc in by_id}
    pool = sorted(by_id, key=lambda doc: (-rank[doc], doc))[:POOL]
    interests = {
        "ann": {s: 1.0 if s == senses[0] else 0.2 for s in senses},
        "ben": {s: 1.0 if s == senses[-1] else 0.2 for s in senses},
        "eva": dict.fromkeys(senses, 0.6),
    }

    def worth(doc: str, given: str, interest: dict[str, float]) -> float:
        known = by_id[given].grades if given else {}
        return sum(interest[s] * g * (0.4 if s in known else 1.0) for s, g in by_id[doc].grades.items())

    lines = []
    for number in range(PAIRS + TRIPLETS):
        left, right, other = _sample(pool, 3, chance)
        given = other if number >= PAIRS else ""
        for assessor, interest in interests.items():
            answers, noise = chance.random() < 0.8, chance.random() - 0.5
            if answers:
                better = worth(left, given, interest) - worth(right, given, interest) + noise
                outcome = "left" if better > 0.25 else "right" if better < -0.25 else "tie"
                lines.append("\t".join((query, given, left, right, outcome, assessor)))
    return lines


def _sample(values: list[_T], number: int, chance: random.Random) -> list[_T]:
    rest = list(values)
    return [rest.pop(int(chance.random() * len(rest))) for _ in range(number)]


def _in_turn(senses: list[str], found: list[Document]) -> list[str]:
    queues = {s: sorted(found, key=lambda d: -d.estimate[s]) for s in senses}
    shown: dict[str, None] = {}
    for place in range(len(found)):
        for sense in senses:
            shown.setdefault(queues[sense][place].id)
    return list(shown)


def _ideal(weights: dict[str, float], found: list[Document]) -> list[Document]:
    """A greedy ranking: first by the number of new senses, then by the grades on popular senses."""
    left, rest, shown = dict.fromkeys(weights, 1.0), [d for d in found if d.judged and d.grades], []
    while rest:
        best = max(rest, key=lambda d: (sum(left[s] for s in d.grades), _worth(d, weights), d.id))
        rest.remove(best)
        shown.append(best)
        for sense in best.grades:
            left[sense] /= 2
    return shown


def _worth(document: Document, weights: dict[str, float]) -> float:
    return sum(weights[sense] * grade for sense, grade in document.grades.items())


def _draw(values: list[_T], weights: list[float], chance: random.Random) -> _T:
    """Draw one value by weight, with `random()` only, which is the same in every version of Python."""
    at = chance.random() * sum(weights)
    for value, weight in zip(values, weights, strict=True):
        at -= weight
        if at < 0:
            return value
    return values[-1]


def generate(folder: Path) -> None:
    """Write qrels.txt, weights.txt, preferences.tsv and runs/*.run."""
    chance, people = random.Random(SEED), random.Random(SEED + 1)
    qrels: list[str] = []
    weight_lines: list[str] = []
    compared = ["topic\tgiven\tleft\tright\toutcome\tassessor"]
    runs: dict[str, list[str]] = {}
    for query, names in QUERIES.items():
        senses = names.split()
        raw = [0.5**n + 0.2 * chance.random() for n in range(len(senses))]
        weights = {s: round(w / sum(raw), 3) for s, w in zip(senses, raw, strict=True)}
        found = documents(query, senses, raw, chance)
        weight_lines += [f"{query} {sense} {weight}" for sense, weight in weights.items()]
        qrels += [f"{query} {s} {d.id} {d.grades.get(s, 0)}" for d in found if d.judged for s in senses]
        ranked = rankings(senses, weights, found, chance)
        compared += preferences(query, senses, found, ranked, people)
        for system, ranking in ranked.items():
            lines = runs.setdefault(system, [])
            for rank, doc in enumerate(ranking, 1):
                lines.append(f"{query} Q0 {doc} {rank} {DOCUMENTS - rank + 1}.0 {system}")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    files = {"qrels.txt": qrels, "weights.txt": weight_lines, "preferences.tsv": compared}
    files |= {f"runs/{system}.run": lines for system, lines in runs.items()}
    for name, lines in files.items():
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    generate(Path(sys.argv[1]))
