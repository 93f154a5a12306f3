"""The preference measure against its definition."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from rankprism.data.arrays import Ints, Longs
from rankprism.data.hits import NOWHERE
from rankprism.formats.preferences import read_preferences
from rankprism.measures.known.prf import (
    COMBINATIONS,
    exact_ideal_prf,
    greedy_ideal,
    ideal_prf,
    prf,
    reaching,
)
from rankprism.measures.preferences.utility import (
    FALLBACKS,
    NONE,
    UNSEEN,
    Shown,
    pooled,
    raw,
    satiation,
    shown_by_topic,
)
from tests.support import preference_oracle as oracle

BROWSING: list[str | tuple[float, ...]] = ["rbp", "dcg", "rr", "uniform", (0.5, 0.25, 0.125)]


#: How many documents are given: a study of all kinds, of pairs, of triplets, and of pairs and larger sets.
KINDS = ([0, 1, 1, 1, 2], [0], [1], [0, 2], [1, 2])


def some_rows(
    rng: random.Random, documents: int, judgments: int, kinds: Sequence[int] = KINDS[0]
) -> list[oracle.Row]:
    names = [f"d{i}" for i in range(documents)]
    rows = []
    for _ in range(judgments):
        left, right, *rest = rng.sample(names, min(documents, 4))
        given = tuple(sorted(rest[: rng.choice(kinds)]))
        rows.append((given, left, right, rng.choice(["left", "right", "tie"])))
    return rows


def read(rows: list[oracle.Row]) -> Shown:
    return shown_by_topic(read_preferences([("q", given, *rest) for given, *rest in rows]))["q"]


def placed(docs: tuple[str, ...], rankings: list[list[str]]) -> tuple[Ints, Longs, Ints]:
    """Ranks and positions of the documents that the judgments name, and the lengths of the rankings."""
    hits = [[(i, docs.index(d)) for i, d in enumerate(r, 1) if d in docs] for r in rankings]
    width = max(map(len, hits), default=0)
    rank = np.full((len(hits), width), NOWHERE, dtype=np.int32)
    doc = np.full((len(hits), width), NONE, dtype=np.int64)
    for n, found in enumerate(hits):
        for h, (i, d) in enumerate(found):
            rank[n, h], doc[n, h] = i, d
    return rank, doc, np.array(list(map(len, rankings)), dtype=np.int32)


@pytest.mark.parametrize("fallback", FALLBACKS)
@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("combine", COMBINATIONS)
def test_rankings_score_as_the_definition_says(combine: str, unseen: str, fallback: str) -> None:
    rng = random.Random(f"{combine} {unseen}")
    for round in range(20):
        rows = some_rows(rng, rng.randint(4, 7), rng.randint(1, 60), KINDS[round % len(KINDS)])
        shown = read(rows)
        names = [f"d{i}" for i in range(9)]  # the last ones were never judged
        rankings = [rng.sample(names, rng.randint(0, 9)) for _ in range(4)]
        u = raw(shown, unseen, fallback)
        for browsing in BROWSING:
            for cutoff in (None, 1, 3, 20):
                last = int(u.pool.sum()) if cutoff is None else cutoff
                reach = reaching(browsing, 0.3, last, last)
                found = prf(u, *placed(shown.docs, rankings), combine, reach)
                for score, ranking in zip(found, rankings, strict=True):
                    slow = oracle.prf(rows, ranking, browsing, 0.3, combine, unseen, cutoff, fallback)
                    assert score == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("fallback", FALLBACKS)
@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("combine", COMBINATIONS)
def test_ideals_are_the_greedy_and_the_best_ranking(combine: str, unseen: str, fallback: str) -> None:
    rng = random.Random(f"ideal {combine} {unseen}")
    for kinds in KINDS:
        rows = some_rows(rng, rng.randint(4, 6), rng.randint(1, 60), kinds)
        shown = read(rows)
        u = raw(shown, unseen, fallback)
        depth = rng.randint(1, 5)
        reach = reaching("dcg", 0.2, depth, depth)
        order = [shown.docs[d] for d in greedy_ideal(u, combine, depth)]
        assert order == oracle.greedy(rows, combine, unseen, depth, fallback)
        settings = ("dcg", 0.2, combine, unseen, depth, fallback)
        assert ideal_prf(u, combine, reach) == pytest.approx(oracle.prf(rows, order, *settings), abs=1e-12)
        low, high = exact_ideal_prf(u, combine, reach, 100_000)
        best = oracle.best(rows, depth, *settings)
        assert low == high == pytest.approx(best, abs=1e-12)
        low, high = exact_ideal_prf(u, combine, reach, 2)
        assert low - 1e-12 <= best <= high + 1e-12


@pytest.mark.parametrize("combine", COMBINATIONS)
def test_ideals_of_pooled_utilities_may_have_documents_that_nobody_was_shown(combine: str) -> None:
    """Otherwise a ranking of such documents, each worth ½, would score more than the ideal ranking."""
    rng = random.Random(f"strangers {combine}")
    for kinds in KINDS:
        rows = some_rows(rng, 4, rng.randint(1, 12), kinds)
        shown = read(rows)
        u = pooled(shown, satiation({"q": shown}))
        (fitted,) = oracle.pooled([rows])
        depth = rng.randint(1, 4)
        reach = reaching("rr", 0.2, depth, depth)
        order = greedy_ideal(u, combine, depth)
        slow = oracle.greedy(rows, combine, "zero", depth, fitted=fitted)
        named = [None if d == NONE else shown.docs[d] for d in order.tolist()]
        assert named == [None if d.startswith(oracle.STRANGER) else d for d in slow]
        settings = ("rr", 0.2, combine, "zero", depth)
        greedy = oracle.prf(rows, slow, *settings, fitted=fitted)
        assert ideal_prf(u, combine, reach) == pytest.approx(greedy, abs=1e-12)
        best = oracle.best(rows, depth, *settings, fitted=fitted)
        low, high = exact_ideal_prf(u, combine, reach, 100_000)
        assert low == high == pytest.approx(best, abs=1e-12)
        strangers = placed(shown.docs, [[f"x{i}" for i in range(depth)]])
        assert prf(u, *strangers, combine, reach)[0] <= low + 1e-12


def test_an_ideal_of_too_many_ranks_has_bounds_that_hold() -> None:
    """The sum of the chances is what a ranking would get whose documents are all worth 1."""
    shown = read([((), "a", "b", "left")])
    u, reach = pooled(shown, 0.0), reaching("uniform", 0.2, 5000, 5000)
    low, high = exact_ideal_prf(u, "mean", reach, 10)
    assert low == ideal_prf(u, "mean", reach)
    assert low < high == pytest.approx(5001 / 2)


PAIRS: list[oracle.Row] = [((), "a", "b", "left"), ((), "b", "c", "left"), ((), "a", "c", "tie")]
TRIPLETS: list[oracle.Row] = [
    (("c",), "a", "b", "left"),
    (("a",), "b", "c", "left"),
    (("b",), "c", "a", "tie"),
]


@pytest.mark.parametrize("combine", COMBINATIONS)
@pytest.mark.parametrize("kind", [0, 1])
def test_one_judgment_changes_the_utilities_of_its_own_documents_only(combine: str, kind: int) -> None:
    """The first pair of a topic of triplets, or the first triplet of a topic of pairs, moved all of them."""
    rng = random.Random(f"{combine} {kind}")
    rows = [*some_rows(rng, 30, 400, [1 - kind]), ((), "d0", "d2", "tie")]  # names all documents
    rows = rows[:-1] if kind == 0 else rows
    one = (("d2",) if kind else (), "d0", "d1", "left")
    before, after = raw(read(rows), "zero"), raw(read([*rows, one]), "zero")
    docs = read(rows).docs
    assert docs == read([*rows, one]).docs
    rankings = [rng.sample([d for d in docs if d not in ("d0", "d1")], 20) for _ in range(5)]
    placed_docs = placed(docs, rankings)
    reach = reaching("rbp", 0.2, 20, 20)
    first, second = (prf(u, *placed_docs, combine, reach) for u in (before, after))
    assert first.tolist() == second.tolist()
    assert (first > 0).all()


@pytest.mark.parametrize("combine", COMBINATIONS)
def test_with_pairs_only_every_document_is_worth_its_share_of_wins(combine: str) -> None:
    """U(a) = ¾, U(b) = ½, U(c) = ¼, at any rank, and whatever is above."""
    u = raw(read(PAIRS), "zero")
    found = prf(
        u, *placed(("c", "b", "a"), [["c", "x", "a", "b"]]), combine, np.array([1.0, 0.5, 0.25, 0.125])
    )
    assert found[0] == 0.25 * 1 + 0.75 * 0.25 + 0.5 * 0.125
    nothing = raw(read(PAIRS), "zero", "none")
    found = prf(nothing, *placed(("c", "b", "a"), [["a", "b", "c"]]), combine, np.ones(3))
    assert found[0] == 0.75


def test_with_triplets_only_the_first_document_is_worth_its_share_of_all_comparisons() -> None:
    """a won one of two and tied the other; it was shown twice, and both times given another document."""
    for unseen in UNSEEN:
        u = raw(read(TRIPLETS), unseen)
        found = prf(u, *placed(("c", "b", "a"), [["a"], ["b"], ["c"], ["x"]]), "mean", np.ones(1))
        assert found.tolist() == [0.75, 0.5, 0.25, 0.0]
        assert ideal_prf(u, "mean", np.ones(1)) == 0.75
        nothing = raw(read(TRIPLETS), unseen, "none")
        found = prf(nothing, *placed(("c", "b", "a"), [["a"], ["b"], ["c"]]), "mean", np.ones(1))
        assert found.tolist() == [0.0, 0.0, 0.0]


def test_a_document_that_lost_is_worth_less_than_one_that_nobody_was_shown() -> None:
    u = pooled(read([((), "a", "b", "left")]), 0.0)
    won, lost, unknown = prf(u, *placed(("b", "a"), [["a"], ["b"], ["x"]]), "mean", np.ones(1))
    assert lost < unknown == 0.5 < won


def test_pooled_utilities_follow_complete_preferences() -> None:
    """With many judgments of every pair, the pooled estimate comes close to the shares themselves."""
    rng = np.random.default_rng(7)
    strength = rng.normal(size=6)
    rows: list[oracle.Row] = []
    for _ in range(40):
        for i in range(6):
            for j in range(i):
                for z in (None, *[k for k in range(6) if k not in (i, j)]):
                    won = rng.random() < 1 / (1 + np.exp(strength[j] - strength[i]))
                    rows.append(
                        ((f"d{z}",) if z is not None else (), f"d{i}", f"d{j}", "left" if won else "right")
                    )
    shown = read(rows)
    u, v = raw(shown, "zero"), pooled(shown, 0.0)
    assert np.abs(u.given - v.given).max() < 0.05
    assert np.abs(u.alone - v.alone).max() < 0.05
