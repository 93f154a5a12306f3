"""How long a leaderboard takes: `python bench/boards.py` prints the CPU time of boards of three sizes."""

from __future__ import annotations

import time

import numpy as np

from rankprism import Scores, leaderboard

SIZES = ((63, 53), (332, 41), (134, 500))


def main() -> None:
    print("| systems × topics | CPU time of the first board | of another one |\n|---|---|---|")
    for runs, topics in SIZES:
        rng = np.random.default_rng(runs)
        values = rng.normal(size=(runs, topics)) + rng.normal(size=(runs, 1)) + rng.normal(size=topics)
        names = tuple(f"r{i}" for i in range(runs)), tuple(f"t{i}" for i in range(topics))
        spent = []
        for _ in range(4):
            began = time.process_time()
            leaderboard(Scores(*names, ("M",), values[:, :, None])).to_text()
            spent.append(time.process_time() - began)
        print(f"| {runs} × {topics} | {spent[0]:.2f} s | {min(spent[1:]):.2f} s |", flush=True)


if __name__ == "__main__":
    main()
