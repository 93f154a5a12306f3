"""How often intervals hold the truth, and whether they are wider than they need to be.

    make coverage

goes through every claim of `rankprism.statistics.claims`, its populations and numbers of units, and fails
if an interval of nominally 95 % holds the truth in fewer than 93 % of the studies where it is printed, or is
on average more than 1.2 times as wide as it has to be (`gate.needed`). The table has the mean width in
units of 3.92 standard deviations of the estimate. Harsh populations are in the table, but do not fail.
`--claim`, `--units` and `--studies` choose a part.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

# Each module registers its simulations.
import simulations.boards
import simulations.judges
import simulations.meta
import simulations.preferences
import simulations.preferring
import simulations.scores  # noqa: F401
from rankprism.statistics.claims import CLAIMS
from simulations.gate import SIMULATIONS, Cell, cell

UNITS = (2, 3, 5, 10, 20, 50)


def _cells(claims: Sequence[str], units: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """The claim, the place of the population and the units of each cell.

    A population with a number of topics of its own has one cell. A claim may have its own numbers of units.
    """
    for claim in claims:
        others = SIMULATIONS[claim].units
        for place, population in enumerate(SIMULATIONS[claim].populations):
            own = getattr(population, "topics", None)
            wanted = others if others is not None and units is UNITS else units
            for number in wanted if own is None else (own,):
                yield claim, place, number


def _simulated(claim: str, place: int, units: int, studies: int) -> tuple[Cell, float]:
    began = time.process_time()
    found = cell(claim, SIMULATIONS[claim].populations[place], units, studies)
    return found, time.process_time() - began


def main(words: Sequence[str] | None = None) -> int:
    """Print the table. 1 if an interval fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claim", action="append", help="only claims whose name contains this")
    parser.add_argument("--units", type=int, nargs="+", default=UNITS)
    parser.add_argument("--studies", type=int, help="in each cell; default: 1,000, or more for some claims")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(words)
    claims = [name for name in CLAIMS if not given.claim or any(part in name for part in given.claim)]
    cells = list(_cells(claims, given.units))
    failed, spent = 0, 0.0
    print("| claim | population |" + "".join(f" {number} |" for number in given.units) + " own size |")
    print("|---|---|" + "---:|" * (len(given.units) + 1), flush=True)
    row: list[str] = []
    with ProcessPoolExecutor(given.processes) as pool:
        studies = [given.studies or SIMULATIONS[claim].studies for claim, _, _ in cells]
        every = pool.map(_simulated, *zip(*cells, strict=True), studies)
        for (claim, place, _), (found, seconds) in zip(cells, every, strict=True):
            has_own_size = getattr(SIMULATIONS[claim].populations[place], "topics", None) is not None
            text = str(found) if SIMULATIONS[claim].units is None else f"{found.units}: {found}"
            row = [*[""] * len(given.units), text] if has_own_size else [*row, text]
            if len(row) == len(given.units):
                row.append("")
            if len(row) > len(given.units):
                kind = f"{found.population} (harsh)" if found.harsh else found.population
                print(f"| {found.claim} | {kind} | {' | '.join(row)} |", flush=True)
                row = []
            failed += found.fails()
            spent += seconds
    print(f"{len(cells)} cells, {failed} of them fail; {spent:.0f} CPU seconds", file=sys.stderr)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
