"""trec_eval's preference measures against its own outputs; preference precision against its definition."""

from __future__ import annotations

import math
import random
from dataclasses import is_dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from rankprism import MeasureError, Preferences, Run, evaluate, read_preferences, read_run
from rankprism.measures import definitions
from rankprism.measures.known import trec_prefs
from rankprism.measures.preferences import hits, utility
from rankprism.measures.preferences import judgment_groups as judgment_groups_module
from rankprism.measures.preferences.judgment_groups import judgment_groups
from rankprism.measures.preferences.utility import shown_by_topic

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

#: trec_eval's preference measures, in the order in which it prints them.
MEASURES = [d.name for d in definitions() if d.name.startswith("prefs_")]


def scored(preferences: Preferences, run: Run) -> dict[str, dict[str, float]]:
    """All of trec_eval's measures by topic, for the topics that the run has."""
    scores = evaluate(preferences, run, MEASURES, order="score-ascending-id", topics="retrieved")
    return scores.per_topic()[run.name]


def ranked(*docs: str) -> dict[str, dict[str, float]]:
    """A run that ranks these documents, from the top, on topic q."""
    return {"q": {doc: -float(i) for i, doc in enumerate(docs)}}


# ── trec_eval ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("prefs", "format", "run", "expected"),
    [
        ("prefs.test", "prefs", "prefs.results.test", "out.test.prefs"),
        ("qrels.test", "qrels-prefs", "results.test", "out.test.qrels_prefs"),
    ],
)
def test_every_line_of_trec_evals_own_tests(
    collections: Path, prefs: str, format: str, run: str, expected: str
) -> None:
    folder = collections / "trec-eval-samples" / "prefs"
    found = scored(read_preferences(folder / prefs, format=format), read_run(folder / run))
    lines = [line.split("\t") for line in (folder / expected).read_text().splitlines()]
    seen = set()
    for name, topic, value in ((name.strip(), topic, value) for name, topic, value in lines):
        if name == "runid":
            continue
        if name == "num_q":
            assert len(found) == int(value)
            continue
        if topic == "all":
            values = [scores[name] for scores in found.values()]
            score = sum(values) if name.startswith("prefs_num") else sum(values) / len(values)
        else:
            score = found[topic][name]
        assert abs(score - float(value)) < 5.1e-5, (name, topic)
        seen.add((name, topic))
    assert len(seen) == 14 * (len(found) + 1)


#: Of these files, `trec_eval -m all_prefs -q -R prefs` (version 10.0-rc3) prints the numbers below: two
#: assessors with one list and with several, more and fewer documents on level 0 than above it, tied scores,
#: and an assessor who prefers nothing.
PREFS = """
q1 u1 1 d1 3
q1 u1 1 d2 2
q1 u1 1 d3 0
q1 u1 1 d4 0
q1 u1 1 d5 0
q1 u2 1 d2 2
q1 u2 1 d1 1
q1 u2 2 d1 1
q1 u2 2 d6 0
q1 u2 2 d5 0
q1 u2 3 d5 0
q2 u1 1 d1 1
q2 u1 1 d2 0
q2 u1 2 d2 0
q2 u1 2 d3 0
q2 u1 2 d4 0
q2 u1 3 d1 1
q2 u1 3 d4 0
q2 u2 1 d3 5
q2 u2 1 d4 5
q2 u2 1 d1 2
q3 u1 1 d1 0
q3 u1 1 d2 1
q3 u2 1 d3 0
q3 u2 1 d4 0
"""
RUN = {
    "q1": {"d3": 9, "d1": 8, "x1": 7, "d6": 6, "d2": 6, "x2": 5, "d5": 4},
    "q2": {"d4": 9, "d2": 8, "d1": 7},
    "q3": {"d2": 2, "d3": 1},
}
PRINTED = {
    "q1": "12 9 7 0.7500 0.7222 0.7571 0.5818 0.7000 0.6429 0.7000 0.7000 0.7500 0.7222 0.7571",
    "q2": "4 1 1 0.2500 0.1667 0.2500 0.3182 0.3333 0.2500 0.5000 0.3571 0.2500 0.1667 0.2500",
    "q3": "1 1 0 1.0000 1.0000 0.5000 0.0000 0.0000 0.0000 0.0000 0.0000 1.0000 1.0000 0.5000",
}


def levels_read(tmp_path: Path) -> Preferences:
    path = tmp_path / "prefs.txt"
    path.write_text(PREFS)
    return read_preferences(path, format="prefs")


def test_what_trec_eval_prints_on_a_small_case(tmp_path: Path) -> None:
    found = scored(levels_read(tmp_path), read_run(RUN))
    for topic, printed in PRINTED.items():
        for name, value in zip(MEASURES, printed.split(), strict=True):
            assert abs(found[topic][name] - float(value)) < 5.1e-5, (topic, name)


def test_pairs_are_scored_like_the_lists_they_come_from(tmp_path: Path) -> None:
    """Only Rnonrel looks at levels; and q3 has an assessor without a pair, whom pairs cannot name."""
    levels = levels_read(tmp_path)
    lists, pairs = (scored(p, read_run(RUN)) for p in (levels, replace(levels, levels=None)))
    for topic in ("q1", "q2"):
        for name in MEASURES:
            if "Rnonrel" not in name:
                assert lists[topic][name] == pairs[topic][name], (topic, name)


def test_an_assessors_preferences_are_transitive_and_circles_are_none() -> None:
    def better(rows: list[tuple[str, str]]) -> set[tuple[str, str]]:
        preferences = read_preferences([("q", "", a, b, "left", "ann") for a, b in rows])
        (group,) = judgment_groups(preferences)["q"]
        docs = shown_by_topic(preferences)["q"].docs
        return {(docs[i], docs[j]) for i, j in np.argwhere(group.better)}

    assert better([("a", "b"), ("b", "c")]) == {("a", "b"), ("b", "c"), ("a", "c")}
    assert better([("a", "b"), ("b", "a"), ("b", "c")]) == {("a", "c"), ("b", "c")}
    assert better([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]) == {("a", "d"), ("b", "d"), ("c", "d")}


def test_what_measures_of_preferences_see_is_frozen_and_equal_only_to_itself() -> None:
    # These values hold arrays, of which == would make arrays, and pools are shared by all measures.
    values = {
        value
        for module in (hits, judgment_groups_module, trec_prefs, utility)
        for value in vars(module).values()
        if is_dataclass(value) and value.__module__ == module.__name__
    }
    assert {hits.PreferencePool, trec_prefs.Fulfilled, utility.Counts} <= values
    for value in values:
        assert "__eq__" not in vars(value), value
        assert "__setattr__" in vars(value), value  # a frozen dataclass has its own


def test_what_was_computed_is_not_printed() -> None:
    pool = hits.PreferencePool.of(read_preferences([("q", "", "a", "b", "left")]))
    one = np.array([1], dtype=np.int32)
    rankings = hits.PreferenceHits(one[None, :], np.array([[0]]), one, "q", pool)
    printed = repr(pool), repr(rankings)
    pool.once("key", lambda: "something large")
    rankings.once("key", lambda: "something large")
    assert (repr(pool), repr(rankings)) == printed


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("Prf(theta=1)", "theta must be a number > 0 and < 1; got 1"),
        ("Prf(theta=0)", "theta must be a number > 0 and < 1; got 0"),
        ("Prf(browsing=(0.5,'x'))", r"numbers of at least 0 that sum to at most 1.*got \(0.5, 'x'\)"),
        ("Prf(browsing=(0.5,-0.1))", r"numbers of at least 0.*got \(0.5, -0.1\)"),
        ("Prf(browsing=(0.5,0.6))", r"sum to at most 1.*got \(0.5, 0.6\)"),
    ],
)
def test_chances_to_stop_that_are_none(measure: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        evaluate([("q", "", "a", "b", "left")], {"q": {"a": 1.0}}, measure)


def test_triplets_are_not_preferences_of_a_group() -> None:
    preferences = read_preferences([("q", "z", "a", "b", "left")])
    assert judgment_groups(preferences) == {"q": ()}
    assert set(scored(preferences, read_run(ranked("a")))["q"].values()) == {0.0}


def test_only_who_prefers_what_matters() -> None:
    """Not the order of the lines, nor the names of documents, nor how often a judgment is repeated."""
    rng = random.Random(9)
    rows = []
    for _ in range(40):
        a, b = rng.sample("abcdefgh", 2)
        outcome = rng.choice(["left", "right", "tie"])
        rows.append(("q", "", a, b, outcome, rng.choice(["ann", "ben"])))
    ranking = {doc: rng.random() for doc in "abcdexy"}
    expected = scored(read_preferences(rows), read_run({"q": ranking}))["q"]
    rename = dict(zip("abcdefghxy", "hxgyfaecbd", strict=True))
    renamed = [(t, z, rename[a], rename[b], x, who) for t, z, a, b, x, who in rows]
    assert scored(read_preferences(rng.sample(rows, 40)), read_run({"q": ranking}))["q"] == expected
    assert scored(read_preferences(rows * 2), read_run({"q": ranking}))["q"] == expected
    other = scored(read_preferences(renamed), read_run({"q": {rename[d]: x for d, x in ranking.items()}}))[
        "q"
    ]
    assert other == pytest.approx(expected)


# ── preference precision ─────────────────────────────────────────────────────────────────────────


def defined(
    rows: list[tuple[str, str, str, str]], ranking: list[str], k: int | None
) -> tuple[Fraction, float]:
    """ppref and wpref as they are defined, one judgment at a time."""
    right = ordered = 0
    weighted_right = weighted = 0.0
    for given, a, b, outcome in rows:
        if given or outcome == "tie":
            continue
        winner, loser = (a, b) if outcome == "left" else (b, a)
        place = {doc: i for i, doc in enumerate(ranking, 1)}
        first = min(place.get(a, math.inf), place.get(b, math.inf))
        if first > (math.inf if k is None else k) or first == math.inf:
            continue
        correct = place.get(winner, math.inf) < place.get(loser, math.inf)
        weight = 1 / math.log2(first + 1)
        ordered, right = ordered + 1, right + correct
        weighted, weighted_right = weighted + weight, weighted_right + weight * correct
    return Fraction(right, ordered or 1), weighted_right / (weighted or 1.0)


@pytest.mark.parametrize("k", [1, 3, 5, None])
def test_preference_precision_is_what_the_definition_says(k: int | None) -> None:
    rng = random.Random(k or 0)
    names = [f"d{i}" for i in range(8)]
    for _ in range(20):
        rows = []
        for _ in range(rng.randint(1, 30)):
            a, b, z = rng.sample(names, 3)
            rows.append((rng.choice(["", "", z]), a, b, rng.choice(["left", "right", "tie"])))
        preferences = read_preferences([("q", *row) for row in rows])
        rankings = [rng.sample([*names, "x", "y"], rng.randint(0, 10)) for _ in range(4)]
        runs = {f"r{n}": ranked(*ranking) for n, ranking in enumerate(rankings)}
        at = "" if k is None else f"@{k}"
        found = evaluate(preferences, runs, [f"ppref{at}", f"wpref{at}"]).values[:, 0]
        expected = [defined(rows, ranking, k) for ranking in rankings]
        assert found[:, 0].tolist() == [float(p) for p, _ in expected]
        np.testing.assert_allclose(found[:, 1], [w for _, w in expected], atol=1e-14)
        # The order of the lines does not matter, to the last bit.
        shuffled = [("q", *row) for row in rng.sample(rows, len(rows))]
        again = evaluate(shuffled, runs, [f"ppref{at}", f"wpref{at}"]).values[:, 0]
        assert again.tolist() == found.tolist()


def test_preference_precision_by_hand() -> None:
    """Ranked a, b, c; preferred a to b, c to b, c to x. At 1 only (a, b) is ordered, at 2 also (c, b)."""
    rows = [("q", "", "a", "b", "left"), ("q", "", "b", "c", "right"), ("q", "", "c", "x", "left")]
    names = ["ppref@1", "ppref@2", "ppref@3", "wpref@2", "wpref@3"]
    *plain, at_2, at_3 = evaluate(rows, ranked("a", "b", "c"), names).values[0, 0].tolist()
    assert plain == [1, 1 / 2, 2 / 3]
    first, second, third = (1 / math.log2(i + 1) for i in (1, 2, 3))
    assert at_2 == pytest.approx(first / (first + second))
    assert at_3 == pytest.approx((first + third) / (first + second + third))
