"""Leaderboards: sets of ranks from the definition, collections, tiers, and what is said of them."""

from __future__ import annotations

import csv
import io
import json
import sys
import time
import warnings
from collections.abc import Callable
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankprism
from rankprism import InputError, RankprismWarning, Scores, evaluate, leaderboard, sample
from rankprism.cli import main
from rankprism.comparison import topic_set_size
from rankprism.comparison.boards import Leaderboard
from rankprism.comparison.boards.board import ranked
from rankprism.comparison.boards.several_collections import borda_points, standing
from rankprism.data.arrays import Bools, Floats
from rankprism.statistics.paired import all_pairs
from rankprism.statistics.power import topics_needed
from rankprism.statistics.ranks import rank_sets, tiers
from simulations.boards import KINDS, SIZES, Board
from simulations.gate import cell

COLLECTIONS = Path("/work/shared/data")


def made(values: Any, measures: tuple[str, ...] = ("M",), prefix: str = "r") -> Scores:
    """Scores from (run, topic) or (run, topic, measure)."""
    array = np.array(values, dtype=float)
    array = array if array.ndim == 3 else array[:, :, None]
    runs, topics = (
        tuple(f"{c}{i}" for i in range(n)) for c, n in zip((prefix, "t"), array.shape, strict=False)
    )
    return Scores(runs, topics, measures, array)


def drawn(seed: int, runs: int = 8, topics: int = 20, spread: float = 0.5) -> Floats:
    rng = np.random.default_rng(seed)
    return np.asarray(
        rng.normal(size=(runs, topics)) + spread * rng.normal(size=(runs, 1)) + rng.normal(size=topics)
    )


def by_definition(values: Floats, alpha: float = 0.05) -> Bools:
    """Holm's procedure over all m(m-1) one-sided tests, one hypothesis after another."""
    m = len(values)
    tests = []
    for i, j in permutations(range(m), 2):
        p = stats.ttest_rel(values[i], values[j], alternative="greater").pvalue
        tests.append((float(p), i, j))
    found = np.zeros((m, m), dtype=bool)
    for step, (p, i, j) in enumerate(sorted(tests)):
        if not p < alpha / (len(tests) - step):
            break
        found[i, j] = True
    return found


@pytest.mark.parametrize("seed", range(12))
def test_significance_is_holms_procedure_over_all_directions(seed: int) -> None:
    values = drawn(seed, runs=3 + seed, topics=10 + 5 * seed, spread=0.2 + 0.1 * seed)
    expected = by_definition(values)
    assert (ranked([values], "means", "topics", 0.05).better == expected).all()
    board = leaderboard(made(values))
    for j, (low, high) in enumerate(x for x in board.ranks() if x is not None):
        better = sum(expected[i, j] for i in range(len(values)))
        worse = sum(expected[j, i] for i in range(len(values)))
        assert (low, high) == (1 + better, len(values) - worse)


def test_some_of_these_boards_separate_runs_and_some_do_not() -> None:
    shares = [
        by_definition(drawn(seed, 3 + seed, 10 + 5 * seed, 0.2 + 0.1 * seed)).mean() for seed in range(12)
    ]
    assert min(shares) < 0.05 < 0.2 < max(shares)


#: Integers whose t² are exact: 8, 256/11, 1352/47, 9/4, 128/3 and 4 for the pairs of A.
A = [[9, 8, 9, 7, 8], [6, 7, 5, 7, 6], [5, 7, 6, 4, 3], [2, 5, 1, 3, 4]]


def test_t_of_the_differences_is_exact() -> None:
    found = standing([np.array(A, dtype=float)], all_pairs(4), "means", "topics").differences
    assert (found.mean / found.error) ** 2 == pytest.approx([8, 256 / 11, 1352 / 47, 9 / 4, 128 / 3, 4])
    assert found.freedom.tolist() == [4.0] * 6


def test_a_constant_difference_separates_and_identical_runs_tie() -> None:
    base = np.random.default_rng(0).random(10)
    # Rounding makes the differences differ in the last bits.
    values = np.array([base + 0.1, base, base, base * 3 / 3])
    found = leaderboard(made(values))
    assert found.ranks() == [(1, 1), (2, 4), (2, 4), (2, 4)]
    assert found.alike == [(["r1", "r2", "r3"], 0)]
    assert "Identical on all 10 topics: r1, r2, r3." in found.note


@pytest.mark.parametrize("seed", range(6))
def test_no_two_runs_of_a_tier_differ_and_each_is_worse_than_one_of_the_tier_above(seed: int) -> None:
    better = by_definition(drawn(seed, runs=12, topics=30, spread=1.0))
    found = tiers(better)
    low, _ = rank_sets(better)
    assert ((found == 1) == (low == 1)).all()
    for i, j in permutations(range(len(better)), 2):
        assert not (found[i] == found[j] and better[i, j])
    for j in range(len(better)):
        assert found[j] == 1 or any(better[i, j] and found[i] == found[j] - 1 for i in range(len(better)))


def test_the_order_of_runs_and_topics_does_not_matter() -> None:
    scores = made(drawn(3))
    rng = np.random.default_rng(1)
    again = scores.select(runs=rng.permutation(scores.runs), topics=rng.permutation(scores.topics))
    assert leaderboard(again).to_csv(digits=12) == leaderboard(scores).to_csv(digits=12)


def test_topics_needed_are_those_of_the_topic_set_size() -> None:
    effects = np.array([2.0, 0.7, 0.3, 0.1, 0.04])
    for alpha in (0.05, 0.05 / 1953):
        expected = [
            topic_set_size(difference=d, variance=1.0, alpha=alpha).topics[0] for d in effects.tolist()
        ]
        assert topics_needed(effects, alpha).tolist() == expected
    assert topics_needed(np.array([0.0]), 0.05).tolist() == [np.inf]


def test_the_topics_that_separate_neighbours_follow_from_their_difference_and_its_spread() -> None:
    values = drawn(5, runs=6, topics=25, spread=0.3)
    found = leaderboard(made(values))
    order = found.order()
    for a, b in pairwise(order):
        z = values[a] - values[b]
        expected = topic_set_size(difference=float(z.mean()), variance=float(z.var(ddof=1)), alpha=0.05 / 15)
        assert found.needed[0, a] == expected.topics[0]
        assert found.better[0, a, b] or expected.topics[0] > 25
    assert np.isnan(found.needed[0, order[-1]])


# Several collections


def test_strata_are_welchs_test() -> None:
    """The mean of two collections' differences is tested as Welch tests d₁ against -d₂."""
    first, second = drawn(1, 3, 12), 3 * drawn(2, 3, 30)
    found = standing([first, second], all_pairs(3), "means", "topics").differences
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        welch = stats.ttest_ind(first[i] - first[j], -(second[i] - second[j]), equal_var=False)
        assert found.mean[k] / found.error[k] == pytest.approx(welch.statistic)
        assert found.freedom[k] == pytest.approx(welch.df)


def test_one_collection_is_students_test() -> None:
    values = drawn(4, 3, 15)
    alone = standing([values], all_pairs(3), "means", "topics")
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        t = stats.ttest_rel(values[i], values[j])
        assert alone.differences.mean[k] / alone.differences.error[k] == pytest.approx(t.statistic)
    assert (alone.freedom == 14).all()


def test_new_collections_are_clusters_of_topics() -> None:
    values = [drawn(k, 4, 5 + 3 * k) for k in range(9)]
    pairs = all_pairs(4)
    equal = standing(values, pairs, "means", "collections")
    means = np.array([one.mean(1) for one in values])
    for k, (i, j) in enumerate(pairs.tolist()):
        t = stats.ttest_rel(means[:, i], means[:, j])
        assert equal.differences.mean[k] / equal.differences.error[k] == pytest.approx(t.statistic)
    assert (equal.freedom == 8).all()
    # With the residual of every topic: the variance of a mean over clusters, each with its leverage.
    weighted = standing(values, pairs, "topics", "collections")
    everything = np.concatenate(values, axis=1)
    cluster = np.repeat(np.arange(9), [one.shape[1] for one in values])
    for r in range(4):
        residual = everything[r] - everything[r].mean()
        n = len(residual)
        variance = sum(
            residual[cluster == c].sum() ** 2 / n**2 / (1 - (cluster == c).mean()) for c in range(9)
        )
        assert weighted.mean[r] == pytest.approx(everything[r].mean())
        assert weighted.error[r] == pytest.approx(np.sqrt(variance))


def test_borda_ranks_are_those_of_ranks_per_collection() -> None:
    """n minus the average rank, summed, and ranked with method min: the board of MTEB (mteb a905523)."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        table = rng.integers(0, 6, size=(int(rng.integers(2, 9)), int(rng.integers(8, 14)))) / 4
        points = np.array([len(column) - stats.rankdata(-column, "average") for column in table.T])
        assert np.allclose([borda_points(column) for column in table.T], points)
        expected = stats.rankdata(-points.sum(0), "min")
        collections = {f"c{c}": made(np.repeat(column[:, None], 2, 1)) for c, column in enumerate(table.T)}
        found = leaderboard(collections, combine="borda")
        assert found.places() == expected.tolist()
        assert found.means[:, 0] == pytest.approx(points.mean(0))
        assert found.units == table.shape[1]


def test_topics_count_alike_or_collections_do() -> None:
    a, b = made([[1.0, 0.0]] * 2), made([[0.0] * 10, [1.0] * 10])
    by_collection = leaderboard({"a": a, "b": b})
    assert by_collection.means[:, 0].tolist() == [0.25, 0.75]
    assert leaderboard({"a": a, "b": b}, combine="topics").means[:, 0] == pytest.approx([1 / 12, 11 / 12])
    assert "Means of the means of 2 collections, over 12 topics." in by_collection.note
    assert by_collection.about["topics"] == {"a": 2, "b": 10}


def test_collections_keep_the_runs_and_measures_that_all_have() -> None:
    a = made(np.random.default_rng(0).random((3, 9, 2)), ("AP", "P@5"))
    b = made(np.random.default_rng(1).random((3, 9, 1)), ("P@5",)).select(runs=["r2", "r0"])
    with pytest.warns(
        RankprismWarning, match=r"1 run is left out, because a collection has no scores of it: 'r1'"
    ):
        found = leaderboard({"a": a, "b": b})
    assert (found.runs, found.measures) == (("r0", "r2"), ("P@5",))


@pytest.mark.parametrize(
    ("scores", "settings", "message"),
    [
        (made(drawn(0)), {"combine": "borda"}, "combine borda is for several collections, and there is one"),
        (made(drawn(0)), {"over": "collections"}, "over collections is for several collections"),
        ({"a": made(drawn(0)), "b": made(drawn(1)[:, :1])}, {}, "collection 'b' has one topic"),
        ({"a": made(drawn(0)), "b": made(drawn(1), ("N",))}, {}, "have no measure in common"),
        ({"a": made(drawn(0)), "b": made(drawn(1), prefix="s")}, {}, "have 0 runs in common"),
        (made(drawn(0)), {"alpha": 2}, "alpha must be a number between 0 and 1"),
        (made(drawn(0)), {"combine": "sum"}, "combine"),
        (made(drawn(0)[:1]), {}, "two runs or more are needed"),
    ],
)
def test_what_cannot_be_ranked_is_refused(scores: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        leaderboard(scores, **settings)


# What is said


def test_runs_that_are_nearly_alike_are_named() -> None:
    values = drawn(7, runs=6, topics=50)
    values[3] = values[1]
    values[3, :4] += 0.1
    values[5] = values[4]
    found = leaderboard(made(values))
    assert found.alike == [(["r1", "r3"], 4), (["r4", "r5"], 0)]
    assert "Nearly identical (pairs differ on at most 4 of 50 topics): r1, r3." in found.note
    # Equal scores by a coarse measure do not show that runs are alike.
    coarse = (np.random.default_rng(0).random((6, 50)) < 0.03).astype(float)
    assert leaderboard(made(coarse)).alike == []


def test_contradictions_are_pairs_that_two_measures_order_differently() -> None:
    good, bad = np.random.default_rng(0).random((2, 20)) * 0.1 + [[0.8], [0.2]]
    both = np.stack([np.stack([good, bad]), np.stack([bad, good])], axis=2)
    found = leaderboard(made(both, ("AP", "P@5")))
    assert found.contradictions.records() == [
        {"run": "r0", "other": "r1", "better by": "AP", "worse by": "P@5"}
    ]
    assert "There is a pair of runs that two measures order differently" in found.note
    assert len(found.tables) == 3
    assert len(leaderboard(made(both[:, :, :1])).contradictions) == 0


def test_with_few_topics_nothing_is_claimed() -> None:
    values = np.array([[0.9] * 5, [0.1] * 5])  # a constant difference, as coarse measures have by chance
    with pytest.warns(RankprismWarning, match=r"no interval of ranks: it needs 8 topics or collections"):
        found = leaderboard(made(values))
    assert found.ranks() == [None, None]
    assert found.rows.columns["may be first"] == [None, None]
    assert found.rows.columns["best rank"] == [None, None]
    assert not found.better.any()
    with pytest.raises(InputError, match="too few topics for sets of ranks"):
        rankprism.plots.leaderboard(found)


def test_the_rows_say_what_the_table_says() -> None:
    scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    found = leaderboard(scores)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == 12
    assert rows == [{k: "" if v is None else str(v) for k, v in row.items()} for row in found.rows.records()]
    first = rows[0]
    assert (first["run"], first["best rank"], first["worst rank"], first["may be first"]) == (
        "ideal",
        "1",
        "1",
        "True",
    )
    for m, table in enumerate(found.tables):
        assert table.columns["run"] == [row["run"] for row in rows if row["measure"] == found.measures[m]]
        ends = [(r["best rank"], r["worst rank"]) for r in rows if r["measure"] == found.measures[m]]
        assert table.columns["ranks"] == [a if a == b else f"{a}–{b}" for a, b in ends]
    about = json.loads(found.to_json())["about"]
    assert about["correction"] == "holm"
    assert about["separated neighbours"] == {"alpha_nDCG@10": 3, "P@10": 2}
    assert about["contradictions"] == found.contradictions.records()
    assert ".;" not in found.to_latex() + found.to_markdown()


def test_dl_2021_separates_one_of_62_neighbours() -> None:
    folder = COLLECTIONS / "trec-dl-2021-prefs"
    if not folder.exists():
        pytest.skip("the runs of DL 2021 are not here")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        scores = evaluate(
            folder / "qrels.dl21-passage.txt.gz", sorted((folder / "runs").iterdir()), "nDCG@10"
        )
    found = leaderboard(scores)
    assert (sum(found.separated()), len(found.separated())) == (1, 62)
    assert len(found.first()) == 17
    assert "1 of 62 neighbours is separated." in found.note
    assert found.alike == [(["pash_f1", "pash_f2", "pash_f3"], 0), (["pash_r2", "pash_r3"], 3)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_sets_of_large_boards_hold_together(kind: Any) -> None:
    """A short form of `make coverage`, whose boards these are."""
    for population, runs, topics in SIZES:
        studies = 60 if runs == 63 else 6
        found = cell("ranks", Board(population, runs, kind, topics), topics, studies)
        assert found.printed == 1.0
        assert not found.fails(4.0), found


def test_a_set_that_is_too_narrow_is_found_by_the_simulation() -> None:
    """The marginal ranks that boards print do not hold together: each set is one rank here."""
    from simulations.boards import ranks
    from simulations.gate import Studies, measured

    board = Board(SIZES[0][0], 63, "three groups", 53)
    found = ranks(board, 53, 20, 1)
    middle = np.round((found.low + found.high) / 2)
    assert measured("ranks", board, 53, Studies(found.estimate, middle - 6, middle + 6, found.truth)).fails(
        4.0
    )


def test_a_board_takes_less_than_a_second() -> None:
    for runs, topics in ((332, 41), (134, 500)):
        scores = made(drawn(0, runs, topics))
        began = time.process_time()
        leaderboard(scores)
        assert time.process_time() - began < 1.0


# The command


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[Any, str, str]]:
    """The command in this process: exit code, output and messages."""

    def run(*words: object) -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "argv", ["rankprism", "leaderboard", *map(str, words)])
        with pytest.raises(SystemExit) as exit:
            main()
        return exit.value.code, *capsys.readouterr()

    return run


def test_collections_are_files_of_scores_with_names(
    tmp_path: Path, command: Callable[..., tuple[Any, str, str]]
) -> None:
    for name, seed in (("a", 0), ("b", 1)):
        (tmp_path / f"{name}.csv").write_text(made(drawn(seed)).to_csv())
    a, b = (f"{name}={tmp_path / name}.csv" for name in "ab")
    code, out, error = command(a, b, "--combine", "topics")
    expected = leaderboard({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"}, combine="topics")
    assert (code, out, error) == (0, expected.to_text(), "")
    # Several files of one name are one collection.
    half = made(drawn(0))
    for number, runs in enumerate((half.runs[:4], half.runs[4:])):
        (tmp_path / f"half{number}.csv").write_text(half.select(runs=runs).to_csv())
    halves = [f"a={tmp_path / f'half{number}.csv'}" for number in (0, 1)]
    assert command(*halves, b, "--combine", "topics")[:2] == (0, out)
    code, out, error = command(a, b, "--order", "rank")
    assert code == 2
    assert "--order goes with judgments and runs" in error


def test_a_board_is_drawn(tmp_path: Path, command: Callable[..., tuple[Any, str, str]]) -> None:
    chart = tmp_path / "board.svg"
    code, out, _ = command(sample.QRELS, *sample.RUNS, "-m", "P@10", "--plot", chart)
    assert code == 0
    assert "tier 3" in chart.read_text(encoding="utf-8")
    assert isinstance(leaderboard(sample.QRELS, list(sample.RUNS), "P@10"), Leaderboard)
    assert out == leaderboard(sample.QRELS, list(sample.RUNS), "P@10").to_text()


@pytest.mark.filterwarnings("ignore:.*no-interval")
def test_where_no_rank_is_known_no_number_of_topics_is_said_to_separate_runs() -> None:
    # Five topics are fewer than a board needs, so "with 2 topics" would not be true.
    values = np.array([[0.11, 0.12, 0.13, 0.14, 0.15], [0.41, 0.40, 0.41, 0.40, 0.41]])[:, :, None]
    board = leaderboard(Scores(("a", "b"), tuple("12345"), ("X",), values))
    assert not board.has_ranks
    assert board.summary.columns["separated from the next"] == [None, None]
    assert board.rows.columns["topics to separate"] == [None, None]
