"""How far an analysis is, as its progress bar is told, and that every long command shows a bar."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from rankprism import compare
from rankprism.cli import options
from rankprism.meta import agreement, correlation, intuitiveness, power, stability, swap, unanimity
from rankprism.results.scores import Scores


def some_scores(runs: int, topics: int, measures: int) -> Scores:
    names = [
        tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rtm", (runs, topics, measures), strict=True)
    ]
    values = np.random.default_rng(0).random((runs, topics, measures))
    return Scores(names[0], names[1], names[2], values)


ONE = some_scores(6, 12, 1)
ENOUGH = some_scores(6, 20, 1), some_scores(6, 20, 3)  # topics for intervals by the bootstrap
THREE = some_scores(6, 12, 3)
FOUR = some_scores(6, 12, 4)

ANALYSES: dict[str, Callable[..., Any]] = {
    "bootstrap": partial(compare, ENOUGH[0], test="bootstrap", resamples=2000),
    "bootstrap with BH": partial(compare, ONE, test="bootstrap", correction="bh", resamples=2000),
    "fisher": partial(compare, ONE, test="fisher", resamples=2000),
    "tukey": partial(compare, ONE, test="tukey", resamples=2000),
    "several measures": partial(compare, ENOUGH[1], test="bootstrap", resamples=2000),
    "power": partial(power, THREE, resamples=500),
    "stability": partial(stability, ONE, sizes=[4, 8, 10], samples=3, resamples=500),
    "unanimity": partial(unanimity, THREE),
    "correlation by topic": partial(correlation, THREE, per_topic=True),
    "agreement": partial(agreement, THREE, resamples=500),
    "swap": partial(swap, THREE, trials=10),
    "intuitiveness": partial(intuitiveness, FOUR, gold="m3"),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_shares_end_at_1(name: str) -> None:
    shares: list[float] = []
    ANALYSES[name](on_share=shares.append)
    assert shares
    assert all(0 < share <= 1 for share in shares)
    assert max(shares) == pytest.approx(1)


STEPS = [("stability", 9), ("correlation by topic", 12), ("swap", 10), ("intuitiveness", 3)]


@pytest.mark.parametrize(("name", "steps"), STEPS)
def test_shares_rise_step_by_step(name: str, steps: int) -> None:
    shares: list[float] = []
    ANALYSES[name](on_share=shares.append)
    np.testing.assert_allclose(np.unique(np.round(shares, 9)), np.arange(1, steps + 1) / steps, atol=1e-8)


class Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("tells", [False, True])
def test_a_bar_appears_after_a_while_whether_or_not_the_work_tells_its_share(
    tells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(options, "AFTER", 0.05)
    with options.working("resampling") as on_share:
        assert terminal.getvalue() == ""
        for k in range(1, 9):
            time.sleep(0.05)
            if tells:
                on_share(k / 16)
    said = terminal.getvalue()
    assert "resampling" in said
    assert ("50%" in said) == tells


def test_short_work_and_files_see_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, file = Terminal(), io.StringIO()
    monkeypatch.setattr(options, "AFTER", 5.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    with options.working("resampling") as on_share:
        on_share(0.5)
    monkeypatch.setattr(options, "AFTER", 0.0)
    monkeypatch.setattr(sys, "stderr", file)
    with options.working("resampling") as on_share:
        on_share(0.5)
        time.sleep(0.05)
    assert terminal.getvalue() == file.getvalue() == ""
