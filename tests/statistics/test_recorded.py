"""What the simulations found, as simulations/recorded keeps it for docs/intervals.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankprism.statistics.claims import CLAIMS

RECORDED = Path(__file__).parents[2] / "simulations" / "recorded"
#: These have tables of their own, by the number of labels or answers.
BY_LABELS = {
    "a score from few labels",
    "all scores from few labels",
    "a difference from few labels",
    "a strength from few answers",
}


def cells(name: str) -> list[list[str]]:
    text = (RECORDED / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def test_every_claim_of_the_program_has_its_coverage_on_record() -> None:
    assert {row[0] for row in cells("coverage")[1:]} == CLAIMS.keys() - BY_LABELS


def test_nothing_is_on_record_for_fewer_units_than_a_claim_needs() -> None:
    (_, _, *units), *rows = cells("coverage")
    for claim, population, *found in rows:
        for number, cell in zip(map(int, units), found, strict=True):
            assert cell == "–" or number >= CLAIMS[claim].fewest, (claim, population)
            assert re.fullmatch(r"–|[01]?\.\d{3} / \d+\.\d+( ranks)?( \(\d+%\))?", cell), cell


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.tsv")), ids=lambda path: path.stem)
def test_every_row_of_a_record_has_all_cells(path: Path) -> None:
    head, *rows = cells(path.stem)
    assert rows
    assert {len(row) for row in rows} == {len(head)}
