"""Preferences that would mislead are noted, and good ones are not."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import (
    RankprismWarning,
    evaluate,
    read_preferences,
    sample,
)
from rankprism.judging.preferences import describe, order, strengths
from rankprism.judging.preferences.groups import evaluate_by
from rankprism.judging.preferences.score_intervals import intervals
from rankprism.judging.preferences.sides import sides_of
from tests.support.notes import kinds

Cli = Callable[..., Any]


# Preferences


def pairs(*rows: str, who: str = "ann", outcome: str = "left") -> list[tuple[str, ...]]:
    return [("q", "", left, right, outcome, who) for left, right in map(str.split, rows)]


def test_documents_that_were_never_compared_are_noted_with_their_parts() -> None:
    apart = pairs("a b", "b c", "x y", "u v")
    with pytest.warns(RankprismWarning) as caught:
        found = strengths(apart)
    assert "the documents of topic 'q' fall into 3 parts" in str(caught[0].message)
    noted = ["unconnected-documents", "unbounded-strengths", "no-interval"]
    assert [note["kind"] for note in found.about["notes"]] == noted
    columns = found.summary.columns
    parts: dict[int, set[str]] = {}
    for doc, part in zip(columns["document"], columns["part"], strict=True):
        parts.setdefault(int(part), set()).add(doc)
    assert sorted(map(sorted, parts.values())) == [["a", "b", "c"], ["u", "v"], ["x", "y"]]
    assert kinds(lambda: order(apart)) == ["unconnected-documents"]
    joined = [*apart, *pairs("c x", "y u", outcome="tie")]
    assert kinds(lambda: strengths(joined)) == noted[1:]
    with pytest.warns(RankprismWarning):
        assert "part" not in strengths(joined).summary.columns
    assert kinds(lambda: order(joined)) == []


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_the_components_of_the_graph_of_comparisons(seed: int) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rng = np.random.default_rng(seed)
    n = 12
    edges = [(a, b) for a, b in rng.integers(0, n, (8, 2)).tolist() if a != b]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = strengths(pairs(*(f"d{a} d{b}" for a, b in edges))).summary.columns
    left, right = zip(*edges, strict=True)
    count, label = connected_components(coo_array((np.ones(len(edges)), (left, right)), shape=(n, n)), False)
    theirs = {f"d{i}": label[i] for i in set(left) | set(right)}
    ours = dict(zip(columns["document"], columns.get("part", [1] * n), strict=False))
    same = {(a, b): theirs[a] == theirs[b] for a, b in product(theirs, repeat=2)}
    assert {(a, b): ours[a] == ours[b] for a, b in product(theirs, repeat=2)} == same
    assert count >= len(set(ours.values()))


def exact_two_sided(lefts: int, answers: int) -> Fraction:
    """P(a fair coin is as far from half, or further), by counting."""
    far = [k for k in range(answers + 1) if abs(2 * k - answers) >= abs(2 * lefts - answers)]
    return Fraction(sum(math.comb(answers, k) for k in far), 2**answers)


@pytest.mark.parametrize(("lefts", "answers"), [(0, 1), (3, 4), (5, 10), (9, 10), (14, 20), (40, 40)])
def test_the_test_of_sides_is_the_exact_binomial_test(lefts: int, answers: int) -> None:
    rows = [("q", "", f"a{i}", f"b{i}", "left" if i < lefts else "right", "ann") for i in range(answers)]
    rows += [("q", "", f"x{i}", f"y{i}", "tie", "ann") for i in range(5)]  # which count on neither side
    found = sides_of(read_preferences(rows))["ann"]
    assert (found.answers, found.left) == (answers, lefts / answers)
    assert found.p == pytest.approx(float(exact_two_sided(lefts, answers)), rel=1e-12)


def test_an_assessor_who_always_answers_left_is_noted_and_counted(tmp_path: Path, cli: Cli) -> None:
    careful = [("q", "", f"d{i}", f"d{i + 1}", "left" if i % 2 else "right", "ann") for i in range(30)]
    lazy = [("q", "", f"d{i}", f"d{i + 1}", "left", "bob") for i in range(30)]
    swapped = [(t, g, right, left, o, w) for t, g, left, right, o, w in lazy[:10]]
    rows = [*careful, *lazy, *swapped]
    with pytest.warns(RankprismWarning, match=r"\[one-sided-answers\]") as caught:
        found = describe(rows)
    assert len(caught) == 1
    assert "'bob' chose the left document in 100% of 40 answers without a tie;" in str(caught[0].message)
    assert "p < 0.01 after Holm's correction for 2 assessors" in str(caught[0].message)
    assert [note["kind"] for note in found.about["notes"]] == ["one-sided-answers"]
    table = found.assessor_table.columns
    assert list(table["assessor"]) == ["bob", "ann"]
    assert table["left"] == [1.0, 0.5]
    assert table["swapped"] == [10, 0]
    assert table["same"][0] == 0.0  # the other document each time
    assert np.isnan(table["same"][1])
    facts = {(row["name"], row["fact"]): row["value"] for row in found.rows.records()}
    assert facts["bob", "left"] == 1.0
    assert facts["bob", "p"] == pytest.approx(2 * 2 * 0.5**40)  # twice for both sides, twice for Holm
    lines = ["\t".join(("topic", "given", "left", "right", "outcome", "assessor")), *map("\t".join, rows)]
    (tmp_path / "p.tsv").write_text("\n".join(lines) + "\n")
    result = cli("preferences", "describe", tmp_path / "p.tsv")
    assert "one-sided-answers" in result.stderr
    assert "left: the share of left answers" in result.stdout


def test_agreement_with_oneself_counts_each_pair_of_documents_once() -> None:
    rows = [
        *pairs("a b", outcome="left"),
        *pairs("b a", outcome="right"),  # a both times
        *pairs("c d", "c d", outcome="left"),
        *pairs("d c", outcome="left"),  # the other one
        *pairs("e f", outcome="tie"),
        *pairs("f e", outcome="tie"),
        *pairs("g h", "g h"),  # never swapped
    ]
    found = sides_of(read_preferences(rows))["ann"]
    assert found.swapped == 3
    assert found.same == pytest.approx((1 + 0 + 1) / 3)


@pytest.mark.parametrize(
    ("format", "text", "known"),
    [
        ("winner-loser", "q {a} {b}\n", False),
        ("marks", "@ q {a} {b} !\n", False),
        ("winner", "q {a} {b} {a}\n", True),
        ("qrels-prefs", "q g {a} 2\nq g {b} 1\n", False),
    ],
)
def test_sides_are_counted_only_where_they_are_known(
    tmp_path: Path, format: str, text: str, known: bool
) -> None:
    lines = [text.format(a=f"a{i}", b=f"b{i}") for i in range(40)]
    (tmp_path / "p.txt").write_text("".join(lines[: 1 if format == "qrels-prefs" else 40]))
    read = read_preferences(tmp_path / "p.txt", format=format)
    assert bool(sides_of(read)) == known
    found = kinds(lambda: describe(read))
    assert found == (["one-sided-answers"] if known else [])


def test_a_slight_preference_for_a_side_is_printed_and_not_noted() -> None:
    rows = [("q", "", f"a{i}", f"b{i}", "left" if i % 10 < 7 else "right", "ann") for i in range(300)]
    read = read_preferences(rows)
    assert sides_of(read)["ann"].p < 1e-9  # 210 of 300
    assert kinds(lambda: describe(read)) == []


def test_the_sample_has_no_one_sided_assessor() -> None:
    assert kinds(lambda: describe(sample.PREFERENCES)) == []


@pytest.mark.parametrize("analyse", [evaluate_by, partial(intervals, over="assessors")])
def test_scores_by_assessor_and_intervals_give_the_notes_of_evaluate(
    analyse: Callable[..., Any], tmp_path: Path
) -> None:
    """The run has ranks that count backwards, and the preferences are pairs only."""
    pairs = [("q", "", a, b, "left", who) for a, b in ("ab", "bc", "ac") for who in ("ann", "ben", "cy")]
    run = tmp_path / "backwards.run"
    run.write_text("".join(f"q Q0 {doc} {3 - i} {3 - i} t\n" for i, doc in enumerate("abc")))

    def told(call: Callable[..., Any]) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(pairs, run, "nPrf@3", order="rank")
        # `evaluate` alone can read the run again, and adds its score by the other order.
        return [str(warning.message).partition(". The nPrf@3 of")[0].partition(" [")[0] for warning in caught]

    assert told(analyse) == told(evaluate)
    assert len(told(analyse)) == 2
