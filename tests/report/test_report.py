"""The report's data: the numbers of the package, and nothing that is not known or that becomes markup."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankprism import Collection, Scores, compare, evaluate, explain, leaderboard, meta, report, sample
from rankprism.data.hits import make_pool
from rankprism.errors import InputError, RankprismWarning, install
from rankprism.evaluation import ideal_rankings
from rankprism.formats.judgments import read_judgments
from rankprism.formats.preferences import read_preferences
from rankprism.formats.runs import align_source
from rankprism.formats.topics import Topic, read_topics
from rankprism.measures import parse
from rankprism.meta.advice import read_for
from rankprism.meta.axioms import axiom_table, examine, read_constraints
from rankprism.meta.axioms.table import reading_of
from rankprism.showing.report import board as board_of
from rankprism.showing.report.documents import TEXTS, passage, shown_documents
from rankprism.showing.report.earned import scores_of
from rankprism.showing.report.judged import Judged
from rankprism.showing.report.measures import clearest, described
from rankprism.showing.report.page import EXPORT, IMPORT, MODULES, as_json, asset
from rankprism.showing.report.systems import groups
from tests.support import all_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

MEASURES = ["alpha_nDCG@10", "RBU@10", "StRecall@10", "AP"]
UNIT = 1e6


@pytest.fixture(scope="module")
def data() -> Any:
    return report.make(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS, depth=8).data


@pytest.fixture(scope="module")
def scores() -> Any:
    return evaluate(sample.QRELS, list(sample.RUNS), MEASURES, weights=sample.WEIGHTS)


# ── rankings ─────────────────────────────────────────────────────────────────────────────────────


def told_amounts(data: Any, t: int, m: int, number: int, docs: list[int]) -> list[Any]:
    """What was spent, and the parts of what was gained, as the page reads them for a list."""
    _, *by_topic = data["rankings"]["topics"][t]["earned"][m]
    found = []
    for about, own in zip(data["rankings"]["parts"][m]["amounts"], by_topic, strict=True):
        values = {"rank": about.get("values"), "list": own and about["by"] == "list" and own[number]}
        told = values.get(about["by"], own)
        places = docs if about["by"] == "document" else range(len(docs))
        numbers = [told if np.isscalar(told) else told[p] if p < len(told) else 0 for p in places]
        found.append(np.array(numbers) * about.get("unit", 1))
    return found


def check_lists(data: Any, topic: str, found: Any, depth: int) -> None:
    """The lists of a report show what `explain` says."""
    t = data["topics"].index(topic)
    here = data["rankings"]["topics"][t]
    for r, ranking in enumerate(found.rankings):
        assert data["runs"][r] == ranking.run
        assert [here["docs"][doc] for doc in here["lists"][r]] == list(ranking.docs[:depth])
        for m, terms in enumerate(ranking.terms):
            about = data["rankings"]["parts"][m]
            spent, *gains = told_amounts(data, t, m, r, here["lists"][r])
            gained = np.sum(gains, axis=0) if about["adds"] else np.prod(gains, axis=0)
            shown = min(depth, len(terms.earned))
            assert data["scores"][m][r][t] == pytest.approx(terms.score, abs=1e-12)
            assert (gained + spent)[:shown] == pytest.approx(terms.earned[:shown], abs=2e-6)
            for (name, _), values in zip(about["names"], gains, strict=False):
                if name in terms.why:
                    expected = np.nan_to_num(terms.why[name][:shown])
                    at = np.flatnonzero(terms.earned[:shown] > 0)  # elsewhere nothing is shown of it
                    assert values[:shown][at] == pytest.approx(expected[at], abs=2e-6), name


@pytest.mark.parametrize("topic", ["jaguar", "jordan"])
def test_every_list_shows_what_explain_says(data: Any, topic: str) -> None:
    found = explain(sample.QRELS, list(sample.RUNS), MEASURES, topic, weights=sample.WEIGHTS)
    check_lists(data, topic, found, 8)
    names = [[name for name, _ in parts["names"]] for parts in data["rankings"]["parts"]]
    family = ["gain", "novelty", "discount", "scale"]
    assert names == [family, family, ["gain", "novelty"], ["gain", "precision", "scale"]]
    found_by = [[amount["by"] for amount in parts["amounts"]] for parts in data["rankings"]["parts"]]
    assert found_by == [
        ["rank", "document", "list", "rank", "topic"],
        ["rank", "document", "list", "rank", "rank"],  # RBU has effort and the same factor for all topics
        ["rank", "document", "list"],
        ["rank", "document", "list", "topic"],
    ]


def test_documents_have_the_grades_of_the_judgments(data: Any) -> None:
    topic, aspect, doc, grade = read_judgments(sample.QRELS).table.columns()
    judged: dict[tuple[str, str], dict[str, float]] = {}
    for t, a, d, g in zip(topic, aspect, doc, grade, strict=True):
        judged.setdefault((t, d), {})[a] = g
    seen = set()
    for t, here in zip(data["topics"], data["rankings"]["topics"], strict=True):
        for d, flat in zip(here["docs"], here["grades"], strict=True):
            if flat is None:
                assert (t, d) not in judged
                seen.add("not judged")
                continue
            named = {here["aspects"][a]: g for a, g in zip(flat[::2], flat[1::2], strict=True)}
            assert named == {a: g for a, g in judged[t, d].items() if g > 0}
            seen.add("relevant" if named else "not relevant")
    assert {"relevant", "not judged"} <= seen


def test_an_ideal_list_of_a_normalised_measure_scores_1(data: Any) -> None:
    for here in data["rankings"]["topics"]:
        alpha_ndcg, _, strecall, ap = here["ideal"]
        assert alpha_ndcg[1] == ap[1] == 1
        assert strecall is None
    assert "no simple rule gives the best order" in data["rankings"]["no ideal"][2]


def test_no_order_of_the_documents_has_more_than_the_ideal_of_a_measure_with_effort() -> None:
    """All orders of all sets of five documents, by brute force."""
    qrels = {"q": {"x": {"a": 1, "b": 1, "c": 1, "d": 1}, "y": {"c": 1, "e": 1}}}
    measure = parse("RBU(p=0.8,e=0.2)")
    judged = read_judgments(qrels)
    order = ideal_rankings(Collection.of(judged), measure)
    assert not isinstance(order, str)
    ids = ["e", "d", "c", "b", "a"]  # as the core numbers them: descending
    shown = [ids[doc] for doc in order.doc]
    every = {
        "".join(docs): {"q": {doc: -float(rank) for rank, doc in enumerate(docs)}}
        for n in range(1, 6)
        for docs in itertools.permutations("abcde", n)
    }
    found = evaluate(qrels, every, measure).mean()
    best = max(found.values(), key=lambda one: one[str(measure)])
    assert found["".join(shown)] == best
    assert 0 < len(shown) < 5  # the last ones are not worth the effort


def test_no_ranking_of_a_run_scores_more_than_the_ideal_of_any_measure() -> None:
    absolute, runs = all_scores.generated()
    judged = Judged(Collection.of(absolute))
    aligned = [align_source(absolute, run) for run in runs.values()]
    shown = 0
    for measure in all_scores.all_measures(absolute, False)[::6]:
        json.dumps(described(measure), allow_nan=False)
        order = ideal_rankings(judged.collection, measure)
        if isinstance(order, str):
            continue
        shown += 1
        best = scores_of(judged, measure, order)
        for run in aligned:
            assert (scores_of(judged, measure, run) <= best + 1e-12).all(), measure
    assert shown > 10


def test_an_aspect_weight_that_is_given_counts_in_what_a_document_is_worth() -> None:
    judged = read_judgments({"q": {"x": {"a": 1}, "y": {"b": 1}}}, weights={"q": {"x": 0.9, "y": 0.1}})
    order = ideal_rankings(Collection.of(judged), parse("RBU(e=0.1)"))
    assert not isinstance(order, str)
    assert make_pool(judged.cells, np.array([0])).grade[0, :, order.doc].tolist() == [[1.0, 0.0]]


# ── preferences ──────────────────────────────────────────────────────────────────────────────────

RELATIVE = ["nPrf@10", "Prf(browsing='dcg')@10", "ppref@10"]


@pytest.fixture(scope="module")
def preferred() -> Any:
    return report.make(sample.PREFERENCES, list(sample.RUNS), RELATIVE, depth=8).data


def test_lists_of_preferences_show_what_explain_says(preferred: Any) -> None:
    check_lists(preferred, "pitch", explain(sample.PREFERENCES, list(sample.RUNS), RELATIVE, "pitch"), 8)
    names = [[name for name, _ in parts["names"]] for parts in preferred["rankings"]["parts"]]
    assert names == [["utility", "reach", "scale"], ["utility", "reach"], []]


def test_wins_and_pairs_are_those_of_the_file(preferred: Any) -> None:
    here = preferred["rankings"]["topics"][preferred["topics"].index("pitch")]
    wins: dict[str, float] = dict.fromkeys(here["docs"], 0.0)
    times = dict.fromkeys(here["docs"], 0)
    pairs: dict[frozenset[str], dict[str, float]] = {}
    for line in sample.PREFERENCES.read_text(encoding="utf-8").splitlines()[1:]:
        topic, _, left, right, outcome, _ = line.split("\t")
        if topic != "pitch":
            continue
        won = {"left": 1.0, "right": 0.0, "tie": 0.5}[outcome]
        for doc, own in ((left, won), (right, 1 - won)):
            if doc in times:
                wins[doc] += own
                times[doc] += 1
        if left in times and right in times:
            of_pair = pairs.setdefault(frozenset((left, right)), {left: 0.0, right: 0.0})
            of_pair[left] += won
            of_pair[right] += 1 - won
    assert here["won"] == [[wins[doc], times[doc]] if times[doc] else None for doc in here["docs"]]
    found = {
        frozenset((here["docs"][a], here["docs"][b])): {here["docs"][a]: x, here["docs"][b]: y}
        for a, b, x, y in here["pairs"]
    }
    assert found == pairs
    assert any(won is None for won in here["won"])


def test_the_ideal_list_of_preferences_scores_1_and_a_share_of_pairs_has_none(preferred: Any) -> None:
    for here in preferred["rankings"]["topics"]:
        assert here["ideal"][0][1] == 1
        assert here["ideal"][2] is None
    assert "it counts pairs of documents" in preferred["rankings"]["no ideal"][2]


def test_axioms_are_not_asked_of_preferences(preferred: Any) -> None:
    assert {v["kind"] for row in preferred["axioms"]["verdicts"] for v in row} == {"cannot be asked"}
    assert "it needs preferences" in preferred["axioms"]["verdicts"][0][0]["story"]
    assert all("use preferences" in story["missing"] for story in preferred["advice"]["stories"])
    assert preferred["rankings"]["kinds"] == ["preferences"]


def test_grades_and_preferences_in_one_report() -> None:
    """The topic r has no preferences, and the topic p has no grades."""
    grades = {"q": {"x": {"a": 1}, "y": {"b": 1}}, "r": {"x": {"a": 1}, "y": {"b": 1}}}
    people = [("q", "", "a", "b", "left"), ("p", "", "a", "b", "right")]
    runs = {
        "one": {topic: {"a": 2.0, "b": 1.0} for topic in "pqr"},
        "two": {topic: {"b": 2.0, "a": 1.0} for topic in "pqr"},
    }
    data = report.make(grades, runs, ["P@1", "nPrf@2"], preferences=people).data
    assert data["topics"] == ["p", "q", "r"]
    assert [row[0] is None for row in zip(*data["scores"][0], strict=True)] == [True, False, False]
    assert [row[0] is None for row in zip(*data["scores"][1], strict=True)] == [False, False, True]
    p, q, r = data["rankings"]["topics"]
    assert p["aspects"] == []
    assert p["grades"] == [None, None]
    assert p["won"] == [[0, 1], [1, 1]]
    assert q["grades"] == [[0, 1], [1, 1]]
    assert q["won"] == [[1, 1], [0, 1]]
    assert "won" not in r
    assert p["earned"][0] is None
    assert [p["length"], q["length"], r["length"]] == [[2, 2]] * 3
    assert [v["kind"] for v in data["axioms"]["verdicts"][1]] == ["cannot be asked"] * 10


def test_measures_that_suit_preferences_are_chosen() -> None:
    assert report.default_measures(None) == ("nPrf@20", "nPrf(browsing='dcg')@20", "ppref@20", "wpref@20")
    judged = read_judgments(sample.QRELS)
    both = report.default_measures(judged, read_preferences(sample.PREFERENCES))
    assert both == (*report.default_measures(judged), "nPrf@20")


def test_labels_have_their_names() -> None:
    aspects = {"relevance": {"labels": ["no", "some", "much"]}, "credibility": {"labels": [0, 1]}}
    rows = [
        {"topic": "q", "doc": "a", "relevance": "much", "credibility": 1},
        {"topic": "q", "doc": "b", "relevance": "some", "credibility": 0},
    ]
    judged = read_judgments(rows, aspects=aspects)
    assert report.default_measures(judged)[0] == "CAM(nDCG@20)"
    found = report.make(judged, {"q": {"a": 2.0, "b": 1.0}}, "CAM(nDCG@5)").data["rankings"]
    assert found["labels"] == {"relevance": {"0": "no", "1": "some", "2": "much"}}


# ── systems and topics ───────────────────────────────────────────────────────────────────────────


def test_means_and_intervals_are_those_of_scipy(data: Any, scores: Any) -> None:
    for m in range(len(MEASURES)):
        for r in range(len(scores.runs)):
            values = scores.values[r, :, m]
            assert data["systems"]["means"][m][r] == scores.means[r, m]
            if values.std() > 1e-12:
                low, _ = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
                assert data["systems"]["margins"][m][r] == pytest.approx(values.mean() - low, rel=1e-4)


def test_who_beats_whom_is_what_compare_says(data: Any, scores: Any) -> None:
    found, comparison = compare(scores), data["systems"]["comparison"]
    assert found.pairs.tolist() == [list(pair) for pair in itertools.combinations(range(6), 2)]
    assert comparison["sign"] == np.where(found.significant, found.sign, 0).astype(int).tolist()
    assert comparison["p"] == [pytest.approx(row, rel=1e-2) for row in found.adjusted]


def test_latex_is_that_of_compare(data: Any, scores: Any) -> None:
    parts = data["systems"]["latex"]
    assert (
        parts["head"] + "".join(f"{row}\n" for row in parts["rows"]) + parts["tail"]
        == compare(scores).to_latex()
    )
    assert len(parts["rows"]) == 6


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_the_largest_sets_without_a_difference(seed: int) -> None:
    """By definition: of all subsets, those without a differing pair that no other such set contains."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    differ = np.triu(rng.random((n, n)) < rng.random(), 1)
    differ = differ | differ.T
    free = [
        set(group)
        for size in range(1, n + 1)
        for group in itertools.combinations(range(n), size)
        if not differ[np.ix_(group, group)].any()
    ]
    largest = [group for group in free if not any(group < other for other in free)]
    found = groups(differ, rng.random(n))
    assert found is not None
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))


def test_groups_that_nobody_can_read_are_not_shown() -> None:
    """Of 12 pairs, each run differs from its partner only: 2¹² largest sets."""
    differ = np.kron(np.eye(12, dtype=bool), np.array([[False, True], [True, False]]))
    assert groups(differ, np.arange(24.0)) is None


def test_hard_and_divisive_topics(data: Any, scores: Any) -> None:
    found = data["by topic"]
    for m in range(len(MEASURES)):
        values = scores.values[:, :, m]
        assert found["mean"][m] == pytest.approx(values.mean(0))
        assert found["spread"][m] == pytest.approx(values.std(0, ddof=1))
        assert found["best"][m] == values.argmax(0).tolist()


# ── the first screen ─────────────────────────────────────────────────────────────────────────────


def test_the_board_is_the_leaderboard(data: Any, scores: Any) -> None:
    board, found = leaderboard(scores), data["board"]
    for m in range(len(MEASURES)):
        assert found["ranks"][m] == [list(x or ()) for x in board.ranks(m)]
        assert found["tiers"][m] == board.tiers(m)
        assert found["separated"][m] == sum(board.separated(m))
    # AP grows with depth: 80 documents for a topic, but 25 in the ideal run and 3 in the shallow one
    words = {run: [word for word, _ in own] for run, own in zip(scores.runs, found["badges"], strict=True)}
    short = ["much shorter rankings"]
    assert {run: own for run, own in words.items() if own} == {"ideal": short, "shallow": short}


def scored(*values: Any, measures: tuple[str, ...] = ("AP",)) -> Scores:
    """Scores of runs a, b, … on topics, by each measure."""
    array = np.moveaxis(np.array(values, dtype=float), 0, -1)
    return Scores(tuple("abcdef"[: len(array)]), tuple(map(str, range(array.shape[1]))), measures, array)


def sentences(scores: Scores, notes: Any = ()) -> list[str]:
    found: list[str] = board_of.described(scores, board_of.ranked(scores, 0.05), compare(scores), notes)[
        "summary"
    ]
    return found


def test_the_summary_says_who_may_be_best_and_where_measures_contradict_each_other() -> None:
    noise = np.random.default_rng(0).normal(0, 0.02, (3, 20))
    tested = "(Student's paired t-test, Holm correction)"
    one = noise + np.array([[0.9], [0.5], [0.1]])
    assert sentences(scored(one)) == [
        "a is the only run that may be the best by AP.",
        f"3 of 3 pairs of runs differ significantly by AP {tested}.",
    ]
    tied = noise + np.array([[0.5], [0.5], [0.1]])
    first = "a and b" if tied[0].mean() > tied[1].mean() else "b and a"
    assert sentences(scored(tied))[0] == f"2 of 3 runs may be the best by AP: {first}."
    turned = sentences(scored(one, one[::-1], measures=("AP", "P@5")))
    assert turned == [
        "No run may be the best by both measures.",
        "Measures contradict each other significantly about 3 pairs of runs (one-sided t-tests in both "
        "directions, Holm correction, as for the tiers). For example, a is better than b by AP and worse by "
        "P@5.",
        f"3 of 3 pairs of runs differ significantly by every measure {tested}.",
    ]
    both = sentences(scored(one, tied, measures=("AP", "P@5")))
    assert both[0] == "a is the only run that may be the best by both measures."
    assert both[1] == "No two measures order a pair of runs in opposite ways, both of them significantly."
    assert both[2].endswith(f"by AP, the measure that finds the most, and 2 by P@5 {tested}.")
    same = sentences(scored(one[[0, 1, 1]]))
    assert "b and c have the same scores on all 20 topics, so they hardly count as several systems." in same


def test_runs_with_problems_have_badges_and_are_not_shown_first() -> None:
    """`late` lacks a topic and `upside` has scores that rise with the rank."""
    topics = [f"q{i}" for i in range(9)]
    qrels = {t: {f"d{i}": int(i < 3) for i in range(8)} for t in topics}
    good = {t: {f"d{i}": 9.0 - i for i in range(8)} for t in topics}
    rows = [(t, f"d{i}", i + 1, float(i)) for t in topics for i in range(8)]
    import pandas as pd

    runs = {
        "good": good,
        "late": {t: good[t] for t in topics[1:]},
        "upside": pd.DataFrame(rows, columns=["topic", "doc", "rank", "score"]),
    }
    scores = evaluate(qrels, runs, ["P@3", "RR"])
    badges = board_of.badges(scores.runs, scores.conventions["notes"])
    assert [[word for word, _ in run] for run in badges] == [[], ["topics missing"], ["upside down?"]]
    assert "rise from the first rank to the last" in badges[2][0][1]
    assert sentences(scores, scores.conventions["notes"])[-1] == (
        "Check late (topics missing) and upside (upside down?) before you trust their scores."
    )
    many = [["mostly unjudged", ""]], [["mostly unjudged", ""], ["topics missing", ""]]
    assert board_of.summary(list("abcdef"), None, "", [*many * 3]) == [
        "Check 6 runs before you trust their scores: mostly unjudged (6), topics missing (3)."
    ]
    of = [{"measures": [0, 1], "cases": [[0, 0, 2, 1, -1], [4, 0, 1, 1, -1]]}]
    agreement = {"disagreements": {"of": of}, "correlation": {"values": [[1, 0.5], [0.5, 1]]}}
    assert clearest(agreement)["b"] == 2
    assert clearest(agreement, {2}) == {"m": 0, "m2": 1, "t": 4, "a": 0, "b": 1}
    assert clearest(agreement, {0})["b"] == 2  # there is no other


def test_with_few_topics_there_is_no_board() -> None:
    found = report.make(TWO_TOPICS, {"r": {"1": {"a": 1.0}}, "s": {"2": {"c": 1.0}}}, "P@5").data["board"]
    assert (
        found["missing"]
        == "There is no interval of ranks: it needs 8 topics or collections, and there are 2."
    )


# ── measures ─────────────────────────────────────────────────────────────────────────────────────


def test_agreement_is_what_meta_says(data: Any, scores: Any) -> None:
    found = data["agreement"]
    assert found["power"]["power"] == pytest.approx(meta.power(scores).power, rel=1e-3)
    assert found["unanimity"]["mu"] == pytest.approx(meta.unanimity(scores).mu, rel=1e-3)
    tau = meta.correlation(scores).values
    assert found["correlation"]["values"] == [pytest.approx(row, rel=1e-3) for row in tau]
    for pair in found["disagreements"]["of"]:
        a, b = pair["measures"]
        difference = scores.means[:, None] - scores.means[None]
        opposite = (difference[..., a] * difference[..., b] < 0).sum() // 2
        assert pair["opposite"] == opposite
        for t, run, other, first, second in pair["cases"]:
            delta = scores.values[run, t] - scores.values[other, t]
            assert (first / UNIT, second / UNIT) == pytest.approx(delta[[a, b]], abs=1e-6)
            assert first > 0 > second


def test_the_page_begins_with_a_disagreement(data: Any) -> None:
    start = data["start"]
    pair = [start["m"], start["m2"]]
    (found,) = [one for one in data["agreement"]["disagreements"]["of"] if one["measures"] == pair]
    assert found["cases"][0][:3] == [start["t"], start["a"], start["b"]]


def story(data: Any, name: str) -> Any:
    (found,) = [one for one in data["advice"]["stories"] if one["name"] == name]
    return found


def test_the_advice_says_what_is_proved_and_refuted(data: Any) -> None:
    """Table 1 of Amigó et al. 2018: only EU and RBU satisfy Conf, and α-nDCG ignores weights."""
    averse, survey = story(data, "Risk-averse"), story(data, "A survey of all sides")
    assert averse["conclusion"][0]["text"].startswith(
        "For this user, choose RBU@10: all of Conf, Pri and DeepTh are proved for RBU@10"
    )
    refuted = [sentence["text"] for sentence in averse["verdicts"][0] if "is refuted" in sentence["text"]]
    assert "scores less when a non-relevant document is added at the end (Conf)" in refuted[0]
    assert "AspRel" in survey["needs"]
    told = " ".join(sentence["text"] for sentence in data["advice"]["here"][1])
    for word in ("pairs of systems apart", "unanimity", "τ"):
        assert word in told
    for sentence in [*averse["verdicts"][0], *data["advice"]["here"][0]]:
        assert sentence["see"] in ("axioms", "power", "unanimity", "correlation", "topics")


def test_axioms_that_these_judgments_cannot_touch_are_not_asked() -> None:
    one = report.make({"q": {"d": 2}}, {"q": {"d": 1.0}}, "P@5").data
    assert story(one, "A survey of all sides")["missing"].startswith("The judgments have one aspect only")
    two = report.make({"q": {"x": {"d": 1}, "y": {"e": 2}}}, {"q": {"d": 1.0}}, "P@5").data
    assert story(two, "A survey of all sides")["needs"] == ["AspDiv", "Red", "MRed"]


def test_axioms_are_asked_of_binary_grades_where_the_judgments_are_binary() -> None:
    """α-nDCG's gain is binary, so it breaks priority between two grades that are both above 0."""
    for grade, kept in ((1, True), (2, False)):
        constraints = read_for(read_judgments({"q": {"x": {"d": 1}, "y": {"e": grade}}}))
        (priority,) = [constraint for constraint in constraints if constraint.name == "Pri"]
        (verdict,) = examine(["alpha_nDCG@20"], [priority], instances=20)
        assert verdict.refuted is not kept


@pytest.mark.parametrize("grade", [1, 2])
def test_the_page_says_how_axioms_are_read_and_the_command_that_agrees(grade: int) -> None:
    judged = {"q": {"x": {"d": 1}, "y": {"e": grade}}}
    names = ["alpha_nDCG@10", "ERR_IA@10", "RBU@10", "P@10", "AP"]
    found = report.make(judged, {"q": {"d": 1.0, "e": 0.5}}, names).data["axioms"]
    readings = re.findall(r" --reading (\S+)", found["options"])
    assert readings == ["grades=binary"] * (grade == 1)
    same = axiom_table(names, read_constraints(["ten"], readings))
    assert [v["words"] for row in found["verdicts"] for v in row] == [v.words for v in same.verdicts]
    assert found["reading"] == reading_of(same.constraints, same.tested)
    assert ("details: Pri.grades=binary" in "".join(found["reading"])) is (grade == 1)
    assert found["signs"] == "● proved, ◐ not refuted, ○ refuted, – cannot be asked"


def test_every_counterexample_is_told(data: Any) -> None:
    for row in data["axioms"]["verdicts"]:
        assert len(row) == 10
        for verdict in row:
            assert (verdict["kind"] == "refuted") == ("○" in verdict["sign"])
            assert verdict["kind"] != "refuted" or "should be" in verdict["story"]


# ── what cannot be said ──────────────────────────────────────────────────────────────────────────

TWO_TOPICS = {"1": {"x": {"a": 1}, "y": {"b": 1}}, "2": {"x": {"c": 1}}}


def test_one_run_is_compared_with_nothing() -> None:
    shares: list[float] = []
    runs = {"1": {"a": 2.0}, "2": {"c": 1.0}}
    found = report.make(TWO_TOPICS, runs, ["RBU@5", "P@5"], on_share=shares.append).data
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    reason = "There is only one run"
    assert found["systems"]["comparison"]["missing"].startswith(reason)
    assert found["systems"]["intervals"].endswith("it needs 8 topics, and there are 2.")
    for part in ("correlation", "power", "unanimity", "disagreements"):
        assert found["agreement"][part]["missing"].startswith(reason)
    assert found["by topic"]["spread"]["missing"].startswith(reason)
    assert found["start"] == {}


def test_one_topic_has_no_intervals_and_no_tests() -> None:
    runs = {"u": {"1": {"a": 2.0}}, "v": {"1": {"b": 2.0, "x": 3.0}}}
    found = report.make({"1": TWO_TOPICS["1"]}, runs, ["RBU@5", "P@5"]).data
    assert found["systems"]["margins"] == []
    assert found["systems"]["intervals"].endswith("it needs 8 topics, and there is 1.")
    assert "only one topic" in found["systems"]["comparison"]["missing"]
    assert "only one topic" in found["agreement"]["power"]["missing"]
    assert found["agreement"]["correlation"]["values"][0][0] == 1


def test_one_measure_agrees_with_nothing() -> None:
    runs = {"u": {"1": {"a": 2.0}, "2": {"c": 1.0}}, "v": {"1": {"b": 2.0}, "2": {"x": 3.0}}}
    found = report.make(TWO_TOPICS, runs, "RBU@5").data
    assert "only one measure" in found["agreement"]["correlation"]["missing"]
    assert "power" in found["agreement"]["power"]


def test_the_same_report_whatever_the_order_of_lines_and_the_number_of_threads(tmp_path: Path) -> None:
    runs = []
    for file in sample.RUNS[:3]:
        lines = file.read_text().splitlines(keepends=True)
        (tmp_path / file.name).write_text("".join(lines[::-1]))
        runs.append(tmp_path / file.name)
    one = report.make(sample.QRELS, list(sample.RUNS[:3]), ["RBU@5", "P@5"], threads=1, depth=5)
    other = report.make(sample.QRELS, runs, ["RBU@5", "P@5"], threads=3, depth=5)
    assert one.html == other.html


def test_retrieved_topics_only() -> None:
    runs = {"u": {"1": {"a": 2.0}, "2": {"c": 1.0}}, "v": {"1": {"b": 2.0}}}
    found = report.make(TWO_TOPICS, runs, "P@5", topics="retrieved").data
    assert found["scores"][0][1] == [0.2, None]


# ── documents ────────────────────────────────────────────────────────────────────────────────────


def test_documents_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text(
        '{"id": "a", "title": "Jaguars", "text": "They\\n swim. '
        + "long " * 100
        + '", "url": ""}\n{"id": "z", "text": "t"}\n'
    )
    found, [[passage, unknown]] = shown_documents(file, [{"docs": ["a", "b"]}], [[]])
    assert passage is not None
    assert passage.startswith("They swim. long")
    assert passage.endswith("long …")
    assert len(passage) <= 242
    assert unknown is None
    assert set(found) == {"a"}
    assert found["a"]["title"] == "Jaguars"
    assert found["a"]["html"].startswith('<div class="plain">They\n swim. long')
    assert set(found["a"]) == {"title", "html"}


def test_a_passage_has_more_words_of_the_query_than_any_other() -> None:
    """The oracle tries all places."""
    rng = np.random.default_rng(5)
    words = ["jaguar", "swim", "river"]
    for _ in range(30):
        text = " ".join(
            rng.choice([*words, *["x" * k for k in range(1, 9)]], 200, p=[0.02] * 3 + [0.1175] * 8)
        )
        found = passage(text, words, 80)
        assert len(found) <= 84
        assert found.removeprefix("… ").removesuffix(" …") in text

        def count(part: str) -> int:
            return len(set(part.split()) & set(words))

        assert count(found) >= max(count(text[begin : begin + 50]) for begin in range(len(text)))


def test_html_is_shown_as_text_and_cleaned() -> None:
    text = "<title>Big &amp; small</title><script>alert(1)</script><p onclick=x>Cats" + " and dogs" * 40
    found, [[passage]] = shown_documents({"d": {"text": text, "type": "html"}}, [{"docs": ["d"]}], [["cat"]])
    assert found["d"]["title"] == "Big & small"
    assert found["d"]["html"].startswith("<p>Cats and dogs")
    assert passage is not None
    assert passage.startswith("Cats and dogs")


def test_with_many_documents_each_has_less_text() -> None:
    documents = {str(i): {"text": "word " * 1000} for i in range(8000)}
    found, [passages] = shown_documents(documents, [{"docs": list(documents)}], [[]])
    assert set(map(len, found.values())) == {0}
    size = sum(len(passage or "") for passage in passages)
    assert size < TEXTS


# ── topics in words ──────────────────────────────────────────────────────────────────────────────

TREC_XML = """<webtrack>
<topic number="1" type="faceted"><query>jaguars in brazil</query><description>Find
 jaguars.</description><subtopic number="2" type="inf">Where do they live?</subtopic></topic>
</webtrack>"""
TREC_TAGS = """
<top>
<num> Number: 1
<title> jaguars in brazil
<desc> Description:
Find
jaguars.
<narr> Narrative:
None.
</top>
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("topics.xml", TREC_XML),
        ("topics.txt", TREC_TAGS),
        ("topics.txt", TREC_XML),
        ("topics.tsv", "1\tjaguars in brazil\tFind jaguars.\n"),
        ("topics.jsonl", '{"id": "1", "title": "jaguars in brazil", "description": "Find jaguars."}\n'),
    ],
)
def test_topics_have_titles_and_subtopics_texts(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    qrels = {"1": {"1": {"a": 1}, "2": {"b": 1}}, "other": {"1": {"a": 1}}}
    made = report.make(qrels, {"1": {"a": 2.0}}, "P@5", topic_texts=tmp_path / name)
    first, second = made.data["topic texts"]
    assert (first["title"], first["description"]) == ("jaguars in brazil", "Find jaguars.")
    assert first["words"] == ["jaguar", "brazil"]
    assert first.get("aspects") == (["", "Where do they live?"] if "xml" in name or "<web" in text else None)
    assert second == {"words": ["other"]}


def test_queries_of_the_web_tracks_and_mappings_are_topics(tmp_path: Path) -> None:
    (tmp_path / "queries.txt").write_text("wt09-1:obama family tree\n2:french lick: resort\n")
    found = read_topics(tmp_path / "queries.txt")
    assert {id: topic.title for id, topic in found.items()} == {
        "1": "obama family tree",
        "2": "french lick: resort",
    }
    assert read_topics({"1": "jaguar"})["1"].title == "jaguar"


@pytest.mark.filterwarnings("default::rankprism.RankprismWarning")
def test_topic_texts_of_another_collection_are_noticed() -> None:
    with pytest.warns(RankprismWarning, match="has none of these topics"):
        report.make({"1": {"1": {"a": 1}}}, {"1": {"a": 2.0}}, "P@5", topic_texts={"x": "y"})


def test_topics_from_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    part = types.SimpleNamespace(number="1", text="Where?\n", type="inf")
    query = types.SimpleNamespace(query_id="7", query="jaguars", description="Find  them.", subtopics=(part,))
    plain = types.SimpleNamespace(query_id="8", text="lions", default_text=lambda: "lions")
    dataset = types.SimpleNamespace(has_queries=lambda: True, queries_iter=lambda: iter([query, plain]))
    monkeypatch.setitem(sys.modules, "ir_datasets", types.SimpleNamespace(load=lambda name: dataset))
    found = read_topics("irds:web")
    assert found["7"] == Topic("7", "jaguars", "Find them.", (("1", "Where?"),))
    assert found["8"].title == "lions"
    without = types.SimpleNamespace(has_queries=lambda: False)
    monkeypatch.setitem(sys.modules, "ir_datasets", types.SimpleNamespace(load=lambda name: without))
    with pytest.raises(InputError, match="irds:web: this dataset has no topics"):
        read_topics("irds:web")


@pytest.mark.filterwarnings("default::rankprism.RankprismWarning")
def test_documents_of_another_collection_are_noticed(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text('{"id": "z", "text": "t"}\n')
    with pytest.warns(RankprismWarning, match=r"docs\.jsonl: the report shows none of them"):
        assert shown_documents(file, [{"docs": ["a"]}], [[]]) == ({}, [[None]])


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_documents_that_are_not_utf8_are_refused(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"docs.jsonl{ending}"
    data = b'{"id": "a", "text": "t"}\n{"id": "caf\xe9"}\n'
    file.write_bytes(gzip.compress(data) if ending else data)
    with pytest.raises(InputError, match=r"line 2.*UTF-8"):
        shown_documents(file, [{"docs": ["a"]}], [[]])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "docs.jsonl, line 2: begins a JSON object over several lines"),
        ('["a"]', "docs.jsonl, line 2: is a JSON array"),
        ('"a"', "docs.jsonl, line 2: is not a JSON object"),
        ('{"text": "t"}', "docs.jsonl, line 2: has no 'id'"),
        ('{"id": "a"}', "docs.jsonl, line 2: has no 'text'"),
        ('{"id": "a", "text": "t", "title": []}', "docs.jsonl, line 2: title must be text; got []"),
        ('{"id": "a", "text": "t", "type": "pdf"}', "docs.jsonl, line 2: the type 'pdf' is not one of"),
    ],
)
def test_bad_documents_are_refused(line: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text(f'{{"id": "b", "text": "t"}}\n{line}\n')
    with pytest.raises(InputError) as caught:
        shown_documents(file, [{"docs": ["a"]}], [[]])
    assert expected in str(caught.value)


def test_documents_from_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    class Doc:
        title = "T"

        def default_text(self) -> str:
            return "T text"

    class Store:
        def get_many(self, wanted: list[str]) -> dict[str, Doc]:
            return dict.fromkeys(wanted, Doc())

    def load(name: str) -> Any:
        if name != "vaswani":
            raise KeyError(name)
        return types.SimpleNamespace(docs_store=Store, has_docs=lambda: True)

    monkeypatch.setitem(sys.modules, "ir_datasets", types.SimpleNamespace(load=load))
    one = [{"docs": ["1"]}]
    assert shown_documents("irds:vaswani", one, [[]]) == ({"1": {"title": "T"}}, [["T text"]])
    with pytest.raises(InputError, match="ir_datasets has no dataset 'x'"):
        shown_documents("irds:x", one, [[]])
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match=re.escape(install("ir-datasets"))):
        shown_documents("irds:vaswani", one, [[]])


# ── page and command ─────────────────────────────────────────────────────────────────────────────


def test_json_cannot_leave_its_element() -> None:
    hostile = {"</script>": "<!--<script>", "u": "\u2028\u2029", "s": "caf\udce9", "n": "\x00"}
    text = as_json(hostile)
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text.encode().decode()) == hostile


def test_modules_import_only_what_earlier_ones_export() -> None:
    """The page joins the modules in this order, so an import has to come from above."""
    exported: dict[str, set[str]] = {}
    for name in MODULES:
        text = asset(f"{name}.js")
        for names, module in IMPORT.findall(text):
            assert set(re.findall(r"\w+", names)) <= exported[module], f"{name} imports from {module}"
        assert len(IMPORT.findall(text)) == len(re.findall(r"^import", text, re.M))
        found = EXPORT.findall(text)
        exported[name] = {word for one, several in found for word in (one or several).split(", ")}
        assert len(found) == len(re.findall(r"^export", text, re.M))
        assert "innerHTML" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace(r"/^https?:", "")


def test_thirty_runs_by_fifty_topics_by_six_measures_stay_below_5_mb() -> None:
    rng = np.random.default_rng(1)
    docs = [f"clueweb12-{i:04}wb-00-{i:05}" for i in range(60)]
    qrels = {
        str(t): {
            str(a): {docs[d]: int(rng.integers(1, 4)) for d in rng.choice(60, 25, False)} for a in range(4)
        }
        for t in range(50)
    }
    runs = {
        f"system-{r}": {str(t): dict(zip(docs, rng.random(60).tolist(), strict=True)) for t in range(50)}
        for r in range(30)
    }
    made = report.make(qrels, runs)
    assert len(made.data["measures"]) == 6
    assert len(made.html.encode()) < 5_000_000


def test_the_command_writes_a_page(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["-m", "RBU@5", "-m", "P@5", "--depth", "3", "--title", "A & <b>"]
    done = cli("report", sample.QRELS, *sample.RUNS[:2], *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>A &amp; &lt;b&gt;</title>" in text
    assert "default-src 'none'" in text.replace("&#39;", "'")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--documents", "missing.jsonl"], "missing.jsonl: there is no such file"),
        (["--topic-texts", "missing.xml"], "missing.xml: "),
        (["-m", "nope"], "unknown measure 'nope'"),
        (["-o", "no/such/folder.html"], "no/such"),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(
    cli: Callable[..., Any],
    options: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("report", sample.QRELS, sample.RUNS[0], "-m", "P@5", *options)
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_without_jinja_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InputError, match=re.escape(install("report"))):
        _ = report.Report({"title": "x"}).html


def test_a_depth_below_1_is_refused() -> None:
    with pytest.raises(InputError, match="depth must be a whole number ≥ 1; got 0"):
        report.make(TWO_TOPICS, {"1": {"a": 2.0}}, "P@5", depth=0)


def test_a_report_of_scores_has_what_the_scores_tell_and_nothing_else() -> None:
    names = ["alpha_nDCG@10", "P@10"]
    scores = evaluate(sample.QRELS, list(sample.RUNS), names)
    whole = report.make(sample.QRELS, list(sample.RUNS), names, depth=5).data
    found = report.of_scores(scores).data
    for part in (
        "runs",
        "topics",
        "measures",
        "scores",
        "board",
        "systems",
        "agreement",
        "by topic",
        "start",
    ):
        assert found[part] == whole[part], part
    assert all(found[part] is None for part in ("judgments", "rankings", "axioms", "advice"))
    own = Scores(scores.runs, scores.topics, ("recall of a vendor",), scores.values[:, :, :1])
    assert report.of_scores(own).data["measures"][0]["display"] == "recall of a vendor"


def test_the_command_makes_a_report_of_a_file_of_scores(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    scores = evaluate(sample.QRELS, list(sample.RUNS), ["P@10", "AP"])
    path.write_text(scores.table(per_topic=True).to_csv(), encoding="utf-8")
    found = cli("report", path, "-m", "AP", "--title", "Nightly", "-o", tmp_path / "report.html")
    assert found.returncode == 0, found.stderr
    assert "<title>Nightly</title>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    for option, value in (("--documents", "docs.jsonl"), ("--order", "rank")):
        refused = cli("report", path, option, value, "-o", tmp_path / "none.html")
        assert refused.returncode == 2
        assert f"{option} goes with judgments and runs" in refused.stderr
    assert not (tmp_path / "none.html").exists()


@pytest.mark.parametrize("name", ["r.pdf", "r.DOCX", "r.xlsx"])
def test_a_report_is_not_written_under_the_name_of_another_format(
    tmp_path: Path, name: str, cli: Any
) -> None:
    qrels, run = tmp_path / "q.txt", tmp_path / "a.run"
    qrels.write_text("q 0 d1 1\n")
    run.write_text("q Q0 d1 1 1.0 a\n")
    with pytest.raises(InputError, match="a report is a page of HTML, not a file that ends in"):
        report.make(qrels, run, "P@1").save(tmp_path / name)
    found = cli("report", qrels, run, "-m", "P@1", "-o", tmp_path / name, "-q")
    assert found.returncode == 2
    assert "name it report.html" in found.stderr
    assert not (tmp_path / name).exists()
