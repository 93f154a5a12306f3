"""A small collection to try things on: 20 ambiguous queries, their senses as weighted aspects, six systems,
and the preferences of three people.

The files lie beside this one and are made by `generate`, always the same.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
QRELS = FOLDER / "qrels.txt"
WEIGHTS = FOLDER / "weights.txt"
PREFERENCES = FOLDER / "preferences.tsv"

#: Each system and its character.
SYSTEMS = {
    "ideal": "knows the judgments: at each rank what is newest, then what is best",
    "diversified": "takes the senses in turn, each by estimated relevance",
    "relevance-only": "sorts by estimated relevance, whatever the sense",
    "redundant": "shows the most popular sense first, and only then the others",
    "noisy": "guesses",
    "shallow": "like diversified, but stops after three documents",
}
RUNS = tuple(FOLDER / "runs" / f"{system}.run" for system in SYSTEMS)
