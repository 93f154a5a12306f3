"""A small collection for examples: 20 ambiguous queries with their senses as weighted aspects, six systems,
and the preferences of three people.

The files are in this folder. `generate` makes them, and its output is always the same.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
QRELS = FOLDER / "qrels.txt"
WEIGHTS = FOLDER / "weights.txt"
PREFERENCES = FOLDER / "preferences.tsv"

#: What each system does.
SYSTEMS = {
    "ideal": "knows the judgments, and puts new senses first and then better documents",
    "diversified": "takes the senses in turn, and sorts each by estimated relevance",
    "relevance-only": "sorts by estimated relevance, and ignores the senses",
    "redundant": "shows all documents on the most popular sense before the others",
    "noisy": "guesses",
    "shallow": "is like diversified, but stops after three documents",
}
RUNS = tuple(FOLDER / "runs" / f"{system}.run" for system in SYSTEMS)
