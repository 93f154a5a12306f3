"""Several threads in the core at once find what one finds. `make sanitize` runs this with ThreadSanitizer.

Everything that the core does without the interpreter's lock is here. The threads share what they read: the
table of judgments, the run and the arrays.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from rankprism import compare, evaluate, read_judgments, read_run
from rankprism._core import (
    Ahead,
    JudgmentTable,
    align_bytes,
    align_file,
    exact,
    greedy,
    minimal_cover,
    solve_spd,
    sums_of_products,
    sums_over_aspects,
)
from rankprism.measures.known.prf import exact_ideal_prf, reaching
from rankprism.measures.preferences.utility import raw
from tests.measures import test_prf

THREADS = 6


def at_once(*tasks: Callable[[], Any]) -> list[Any]:
    """What the tasks return if all of them begin at the same time, each in a thread of its own."""
    barrier = Barrier(len(tasks))

    def run(task: Callable[[], Any]) -> Any:
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))


def bits(found: Any) -> Any:
    """Something that is equal only if all bits are."""
    if isinstance(found, np.ndarray):
        return found.dtype.str, found.shape, found.tobytes()
    return tuple(map(bits, found)) if isinstance(found, tuple | list) else found


def same_in_threads(tasks: Sequence[Callable[[], Any]]) -> None:
    """Each of the tasks several times, all at once, beside one after the other."""
    alone = [bits(task()) for task in tasks]
    together = at_once(*list(tasks) * (THREADS // len(tasks) or 1))
    for number, found in enumerate(together):
        assert bits(found) == alone[number % len(tasks)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """Judgments and runs of 12 topics."""
    folder = tmp_path_factory.mktemp("threads")
    chance = random.Random(7)
    judged = "".join(
        f"{t} {a} d{d} {chance.randrange(3)}\n" for t in range(12) for a in range(4) for d in range(40)
    )
    qrels = folder / "qrels.txt"
    qrels.write_text(judged)
    runs = [folder / f"{number}.run" for number in range(4)]
    for path in runs:
        lines = (f"{t} Q0 d{d} 1 {chance.random()} t\n" for t in range(12) for d in range(60))
        path.write_text("".join(lines))
    return qrels, runs


def test_reading_judgments_and_runs(files: tuple[Path, list[Path]]) -> None:
    qrels, (run, *_) = files
    same_in_threads(
        [
            lambda: JudgmentTable.from_file(str(qrels), "qrels", "diversity").columns(),
            lambda: JudgmentTable.from_bytes(qrels.read_bytes(), "qrels", "diversity").columns(),
            lambda: JudgmentTable.from_file(str(qrels), "qrels", "diversity", 3, 2000).columns(),
            lambda: bits(read_run(run).table.columns()),
        ]
    )


def scattered(path: Path) -> bytes:
    """The same lines in another order, so that the lines of a topic are scattered."""
    lines = path.read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    return b"".join(lines)


def test_several_threads_read_one_file_whose_topics_are_scattered(files: tuple[Path, list[Path]]) -> None:
    qrels, (run, *_) = files
    judged, ranked, how = scattered(qrels), scattered(run), {"threads": 4, "block": 500, "budget": 9000}
    table = JudgmentTable.from_file(str(qrels), "qrels", "diversity")
    read = JudgmentTable.from_bytes(judged, "qrels", "diversity", **how)
    assert bits(read.columns()) == bits(table.columns())
    expected = align_file(table, str(run), "run", "score", "error")
    assert bits(align_bytes(table, ranked, "run", "score", "error", **how)) == bits(expected)


def test_aligning_with_one_table_of_judgments_and_one_run(files: tuple[Path, list[Path]]) -> None:
    qrels, (run, *_) = files
    table, kept, data = read_judgments(qrels).table, read_run(run).table, run.read_bytes()
    same_in_threads(
        [
            lambda: align_file(table, str(run), "run", "score", "error"),
            lambda: align_bytes(table, data, "run", "score", "error"),
            lambda: align_file(table, str(run), "run", "score", "error", 3, 2000),
            lambda: table.padded_grades(np.arange(12), 20, 200),
            lambda: kept.align(table, "score", "error"),
            lambda: kept.ranking("trec_eval-9", "error"),
            lambda: table.columns(),
            lambda: table.relevant_cells(),
        ]
    )


def test_reading_ahead(files: tuple[Path, list[Path]]) -> None:
    qrels, runs = files

    def read() -> list[Any]:
        named = [(str(run), run.name) for run in runs]
        ahead = Ahead((str(qrels), "qrels"), named, "score", "error", False, 4)
        table = ahead.judgments()
        assert table is not None
        return [ahead.alignment(number, table, "score", "error", False) for number in range(len(runs))]

    table = JudgmentTable.from_file(str(qrels), "qrels", "diversity")
    assert bits(read()) == bits([align_file(table, str(run), "run", "score", "error") for run in runs])
    same_in_threads([read])


def test_evaluating_the_same_judgments_in_several_calls(files: tuple[Path, list[Path]]) -> None:
    qrels, runs = files
    judgments = read_judgments(qrels)
    for measures in (["alpha_nDCG@10", "nERR_IA", "AP_IA"], ["alpha_nDCG(ideal='exact')@4", "S_precision"]):
        same_in_threads([lambda chosen=measures: evaluate(judgments, runs, chosen, threads=4).values])  # type: ignore[misc]


def test_ideals_covers_and_sums_of_the_same_arrays() -> None:
    rng = np.random.default_rng(3)
    value = (rng.random((3, 4, 12)) < 0.4).astype(np.float64)
    discount = 1 / np.arange(1.0, 7.0)
    square = rng.random((20, 20))
    definite, right = square @ square.T + 20 * np.eye(20), rng.random(20)
    same_in_threads(
        [
            lambda: greedy(value, value / 2),
            lambda: exact(value, value / 2, discount, 20_000),
            lambda: minimal_cover(value, np.full(3, 3, dtype=np.int32), 0.0, 1.0, 20_000),
            lambda: sums_of_products(value, value[:, 0]),
            lambda: sums_over_aspects(value, value[:, :, 0].copy()),
            lambda: solve_spd(definite, right),
        ]
    )


def test_the_best_ranking_by_preferences() -> None:
    utilities = raw(test_prf.read(test_prf.some_rows(random.Random(5), 7, 60)), "skip")
    reach = reaching("dcg", 0.3, 7, 7)
    same_in_threads([lambda: exact_ideal_prf(utilities, "mean", reach, 50_000)])


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_comparing_runs(files: tuple[Path, list[Path]]) -> None:
    qrels, runs = files
    scores = evaluate(qrels, runs, ["nDCG@10", "alpha_nDCG@10", "RBP"])
    for test in ("bootstrap", "fisher", "tukey"):
        same_in_threads([lambda test=test: compare(scores, test=test, resamples=400).p])  # type: ignore[misc]
