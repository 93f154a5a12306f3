"""How far an analysis is, as its progress bar is told, and that every long command shows a bar."""

from __future__ import annotations

import io
import shlex
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from rankprism import compare
from rankprism.cli import progress
from rankprism.cli.app import app
from rankprism.meta import agreement, correlation, intuitiveness, power, stability, swap, unanimity
from rankprism.results.scores import Scores
from tests.cli.test_quiet import COMMANDS, every_command, prepared


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
    monkeypatch.setattr(progress, "AFTER", 0.05)
    with progress.working("resampling") as on_share:
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
    monkeypatch.setattr(progress, "AFTER", 5.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.working("resampling") as on_share:
        on_share(0.5)
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(sys, "stderr", file)
    with progress.working("resampling") as on_share:
        on_share(0.5)
        time.sleep(0.05)
    assert terminal.getvalue() == file.getvalue() == ""


def test_work_inside_other_work_takes_over_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two displays at once would be an error of rich."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "AFTER", 0.0)
    with progress.working("reading"):
        time.sleep(0.1)
        with progress.evaluating(2) as (on_run, _):
            assert on_run is not None
            on_run("a")
            time.sleep(0.1)
        with progress.working("resampling") as on_share:
            time.sleep(0.1)
            on_share(0.25)
            time.sleep(0.1)
    said = terminal.getvalue()
    places = [said.index(word) for word in ("reading", "reading runs", "50%", "resampling", "25%")]
    assert places == sorted(places)


#: Commands whose work does not grow with anything that a user gives, and the server.
SHORT = {"schema", "measures", "demo", "assess link", "assess serve"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, rankprism_command: Path) -> Path:
    return prepared(tmp_path_factory.mktemp("commands"), rankprism_command)


@pytest.mark.parametrize("words", sorted({*every_command()} - SHORT))
def test_every_command_shows_that_it_works(words: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command works within `working` or `evaluating`, which show a bar after two seconds on a terminal."""
    monkeypatch.chdir(folder)
    terminal, told = Terminal(), []
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "AFTER", 1000.0)
    shown = progress._bars

    def bars(first: str) -> Any:
        told.append(first)
        return shown(first)

    monkeypatch.setattr(progress, "_bars", bars)
    with suppress(click.exceptions.Exit):
        app([*words.split(), *shlex.split(COMMANDS[words])], standalone_mode=False)
    assert told
    assert all(told)
    assert "\x1b[?25l" not in terminal.getvalue()  # the sequence that hides the cursor
