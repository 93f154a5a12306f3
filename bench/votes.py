"""How long strengths from two million votes take: `python bench/votes.py` prints CPU time and memory."""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from rankprism import judges, read_preferences

VOTES, SYSTEMS, PER_TOPIC = 2_000_000, 120, 4


def write(path: Path) -> None:
    """Votes on systems whose strengths are normal, a fifth of them ties."""
    rng = np.random.default_rng(0)
    theta = rng.normal(0, 0.8, SYSTEMS)
    left = rng.integers(0, SYSTEMS, VOTES)
    right = (left + rng.integers(1, SYSTEMS, VOTES)) % SYSTEMS
    won = rng.random(VOTES) < 1 / (1 + np.exp(theta[right] - theta[left]))
    outcome = np.where(rng.random(VOTES) < 0.2, "tie", np.where(won, "left", "right"))
    with path.open("w", encoding="utf-8") as file:
        file.write("topic\tleft\tright\toutcome\n")
        rows = zip(left.tolist(), right.tolist(), outcome.tolist(), strict=True)
        file.writelines(f"q{n // PER_TOPIC}\tm{a}\tm{b}\t{x}\n" for n, (a, b, x) in enumerate(rows))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.tsv"
        write(path)
        began = time.process_time()
        votes = read_preferences(path)
        spent = {"read the file": time.process_time() - began}
    for over in ("topics", "answers"):
        began = time.process_time()
        judges.strengths(votes, over=over)
        spent[f"strengths, intervals over {over}"] = time.process_time() - began
    print(f"{VOTES:,} votes on {SYSTEMS} systems, {VOTES // PER_TOPIC:,} topics\n")
    print("| step | CPU time |\n|---|---|")
    for step, seconds in spent.items():
        print(f"| {step} | {seconds:.1f} s |")
    print(f"\nPeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


if __name__ == "__main__":
    main()
