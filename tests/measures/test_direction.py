"""Whether a higher or a lower score is better: every measure says it, and everything follows it.

Most tests mirror scores: by a measure of which a lower score is better, scores must lead to the same verdicts
as their negatives do by a measure of which a higher score is better.
"""

from __future__ import annotations

import json
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rankprism import (
    InputError,
    MeasureError,
    Scores,
    compare,
    evaluate,
    gate,
    judges,
    leaderboard,
    meta,
    plots,
    read_judgments,
    read_scores,
    sample,
)
from rankprism.cli.app import app
from rankprism.comparison.boards.gate import gate_of
from rankprism.comparison.boards.policy import Policy
from rankprism.data.hits import Hits
from rankprism.formats.measure_files import load
from rankprism.measures import parse
from rankprism.measures.composition import compose, mix
from rankprism.measures.declare import measure
from rankprism.measures.measure import Measure
from rankprism.measures.registry import modules, names
from rankprism.meta.axioms.search import search_verdicts
from rankprism.meta.axioms.story import story
from rankprism.showing.report import of_scores

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: Measures that take another one, with settings.
WITH_INNER = {
    "CAM": "CAM(nDCG@10)",
    "MM": "MM(nDCG@10)",
    "TOMA": "TOMA(nDCG@10)",
    "Reached": "Reached(ERR@10)",
    "Aspect": "Aspect(nDCG@10,aspect='relevant')",
    "Contrast": "Contrast(nDCG@10,good='relevant',bad='useless')",
}
#: Measures that do not depend on the ranking.
SAME = {"prefs_num_prefs_poss"}


# ── every measure ────────────────────────────────────────────────────────────────────────────────


@cache
def known() -> dict[str, dict[str, float]]:
    """The best grade of each document of the sample, or how often people preferred it, by topic."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for line in sample.QRELS.read_text().splitlines():
        topic, _, doc, grade = line.split()
        found[topic][doc] = max(found[topic].get(doc, 0.0), float(grade))
    return dict(found)


@cache
def preferred() -> dict[str, dict[str, float]]:
    wins: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for line in sample.PREFERENCES.read_text().splitlines()[1:]:
        topic, given, left, right, outcome, _ = line.split("\t")
        if not given and outcome in ("left", "right"):
            better, worse = (left, right) if outcome == "left" else (right, left)
            wins[topic][better] += 1
            wins[topic][worse] -= 1
    return {topic: dict(docs) for topic, docs in wins.items()}


def rankings(worth: dict[str, dict[str, float]]) -> dict[str, dict[str, dict[str, float]]]:
    """A ranking with the best documents first, one with the worst first, and one of unknown documents."""
    return {
        "good": worth,
        "bad": {topic: {doc: -x for doc, x in docs.items()} for topic, docs in worth.items()},
        "foreign": {
            topic: {f"x{i}": 1.0 / (i + 1) for i in range(len(docs))} for topic, docs in worth.items()
        },
    }


#: Without the measures that other tests have made.
CATALOGUE = [name for name in names() if parse(name).definition.module in modules()]


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_measure_scores_good_bad_and_foreign_rankings_as_its_direction_says(name: str) -> None:
    spelled = WITH_INNER.get(name, name)
    asked = parse(spelled)
    if asked.needs == "preferences":
        scores = evaluate(sample.PREFERENCES, rankings(preferred()), asked)
    elif name in WITH_INNER:
        other = "useless" if name == "Contrast" else "liked"
        two = {
            topic: {"relevant": docs, other: {doc: (x > 0) == (other == "liked") for doc, x in docs.items()}}
            for topic, docs in known().items()
        }
        scores = evaluate(two, rankings(known()), asked)
    else:
        scores = evaluate(sample.QRELS, rankings(known()), asked)
    good, bad, foreign = scores.means[:, 0] * (-1 if asked.lower_is_better else 1)
    assert good >= max(bad, foreign) - 1e-12
    assert good > min(bad, foreign) or name in SAME


def test_only_measures_of_what_is_not_known_are_better_when_lower() -> None:
    assert [name for name in CATALOGUE if parse(name).lower_is_better] == ["Unjudged", "RBP_residual"]


# ── how a direction is declared ──────────────────────────────────────────────────────────────────


@pytest.fixture
def depth() -> Any:
    """A measure of a user: the mean rank of the relevant documents."""

    @measure(lower_is_better=True)
    def MeanRank(hits: Hits) -> Any:
        found = hits.grade[:, 0] > 0
        return np.where(found, hits.rank, 0).sum(1) / np.maximum(found.sum(1), 1)

    return MeanRank


def test_a_user_declares_the_direction_of_a_measure(depth: Any) -> None:
    runs = {"near": {"q": ["a", "x"]}, "far": {"q": ["x", "a"]}}
    scores = evaluate({"q": {"a": 1}}, runs, [depth])
    assert scores.mean() == {"near": {"MeanRank": 1.0}, "far": {"MeanRank": 2.0}}
    assert scores.lower_is_better == {"MeanRank"}
    assert scores.sorted("MeanRank").runs == ("near", "far")


def test_measures_in_files_say_their_direction(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        "[cost]\nlower_is_better = true\n"
        '[unknown]\nmix = {"Unjudged@10" = 1.0}\n'
        '[net]\nmix = {"nDCG@10" = 1.0, "Unjudged@10" = -0.5}\n'
        '[loss]\nlower_is_better = true\nmix = {"nDCG@10" = -1.0, "Unjudged@10" = -0.5}\n'
    )
    assert [one.lower_is_better for one in load(path)] == [True, True, False, True]


def test_the_direction_in_a_file_must_be_true_or_false(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[cost]\nlower_is_better = "yes"\n')
    with pytest.raises(
        MeasureError, match=r"own.toml: cost: lower_is_better must be true or false; got 'yes'"
    ):
        load(path)


def test_measures_that_pull_against_each_other_need_a_direction_to_be_mixed() -> None:
    both: dict[str | Measure, float] = {"nDCG@10": 0.5, "Unjudged@10": 0.5}
    with pytest.raises(MeasureError, match="opposed adds measures whose lower scores are better to others"):
        mix("opposed", both)
    assert not mix("opposed", both, lower_is_better=False).lower_is_better
    assert not mix("difference", {"nDCG@10": 1.0, "P@10": -0.5}).lower_is_better  # as before
    assert mix("turned", {"nDCG@10": -1.0}).lower_is_better


def test_a_direction_survives_another_process() -> None:
    made = [
        compose("price", discount="uniform", lower_is_better=True),
        mix("both", {"nDCG@10": 1.0, "Unjudged@10": 1.0}, lower_is_better=True),
    ]
    assert [pickle.loads(pickle.dumps(one)).lower_is_better for one in made] == [True, True]


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        ("Unjudged@10", True),
        ("unj_10", True),
        ("Expected(Unjudged@10)", True),
        ("RBP_residual(p=0.5)", True),
        ("Aspect(nDCG,aspect='harmful')", True),
        ("Aspect(nDCG,aspect='relevant')", False),
        ("Contrast(nDCG)", False),
        ("CAM(nDCG)", False),
        ("URisk(Unjudged@10,alpha=1)", False),
        ("seconds", False),
    ],
)
def test_a_name_says_the_direction_of_scores_that_do_not_record_it(name: str, lower: bool) -> None:
    scores = Scores(("a",), ("1",), (name,), np.zeros((1, 1, 1)))
    assert scores.lower_is_better == ({name} if lower else set())
    assert scores.conventions["direction"] == {name: "lower" if lower else "higher"}


# ── aspects ──────────────────────────────────────────────────────────────────────────────────────

GOOD = "q 0 a 1\nq 0 b 0\nr 0 a 1\nr 0 b 0\n"
BAD = "q 0 a 0\nq 0 b 1\nr 0 a 0\nr 0 b 1\n"
ON_BAD = "Aspect(nDCG,aspect='bad')"
#: One run shows the bad document first.
CLEAN, DIRTY = (
    "".join(f"{t} Q0 {d} {i} {3 - i} x\n" for t in "qr" for i, d in enumerate(o, 1)) for o in ("ab", "ba")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("good.txt", GOOD), ("bad.txt", BAD), ("clean.run", CLEAN), ("dirty.run", DIRTY)):
        (tmp_path / name).write_text(text)
    (tmp_path / "two.toml").write_text(
        '[aspects.good]\nfile = "good.txt"\n[aspects.bad]\nfile = "bad.txt"\nlower_is_better = true\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def of_dictionary() -> Any:
    two = {t: {"good": {"a": 1, "b": 0}, "bad": {"a": 0, "b": 1}} for t in "qr"}
    return read_judgments(two, aspects={"good": {}, "bad": {"lower_is_better": True}})


def of_rows() -> Any:
    rows = [(t, d, int(d == "a"), int(d == "b")) for t in "qr" for d in "ab"]
    frame = [dict(zip(("topic", "doc", "good", "bad"), row, strict=True)) for row in rows]
    return read_judgments(frame, aspects={"good": {}, "bad": {"lower_is_better": True}})


def of_files() -> Any:
    aspects = {"good": {}, "bad": {"lower_is_better": True}}
    return read_judgments({"good": "good.txt", "bad": "bad.txt"}, aspects=aspects)


@pytest.mark.parametrize("read", [of_dictionary, of_rows, of_files, lambda: "two.toml"])
@pytest.mark.usefixtures("folder")
def test_an_aspect_says_that_lower_is_better(read: Callable[[], Any]) -> None:
    scores = evaluate(read(), ["dirty.run", "clean.run"], [ON_BAD, "Aspect(nDCG,aspect='good')"])
    assert scores.lower_is_better == {ON_BAD}
    assert scores.sorted(ON_BAD).runs == ("clean", "dirty")
    # Both runs are equally good on new topics, as far as two topics show.
    assert meta.correlation(scores, intervals=0).values[0, 1] == 1.0
    found = gate(read(), "clean.run", "dirty.run", ON_BAD, margin=0.01)
    assert (found.outcome, found.exit_code) == ("failed", 3)
    assert found.lost[0].reasons == ("b (bad:1) moved from rank 2 to 1: 0.3691",)
    half = {"q": ["b", "a"], "r": ["a", "b"]}
    better = gate(read(), half, "clean.run", ON_BAD, margin=0.01)
    assert (better.difference[0] < 0, better.gains.sum() > 0) == (True, True)
    assert better.passing[0] < 0.5 < better.failing[0]


@pytest.mark.usefixtures("folder")
def test_a_margin_is_held_against_the_loss_that_is_possible_on_an_aspect() -> None:
    on_top = "Aspect(P@1,aspect='bad')"
    assert gate("two.toml", "clean.run", "dirty.run", on_top, margin=0.01).outcome == "failed"  # from 0 to 1
    with pytest.raises(InputError, match=r"so no run can lose more than 0\.0000"):
        gate("two.toml", "dirty.run", "clean.run", on_top, margin=0.01)  # from 1


def test_the_aspect_harmful_is_better_when_lower_unless_its_settings_say_otherwise() -> None:
    two = {"q": {"good": {"a": 1, "b": 0}, "harmful": {"a": 0, "b": 1}}}
    name = "Aspect(nDCG,aspect='harmful')"
    for settings, lower in (({}, {name}), ({"lower_is_better": False}, set())):
        judged = read_judgments(two, aspects={"good": {}, "harmful": settings})
        assert evaluate(judged, {"q": ["a"]}, name).lower_is_better == lower
    assert evaluate(two, {"q": ["a"]}, name).lower_is_better == {name}


def test_the_direction_of_an_aspect_must_be_true_or_false() -> None:
    with pytest.raises(InputError, match="aspect 'bad': lower_is_better must be true or false; got 'yes'"):
        read_judgments({"q": {"bad": {"a": 1}}}, aspects={"bad": {"lower_is_better": "yes"}})


def test_drawn_scenarios_keep_the_direction_of_an_aspect() -> None:
    runs = {"clean": {t: ["a", "b"] for t in "qr"}, "dirty": {t: ["b", "a"] for t in "qr"}}
    by_both = meta.scenarios(of_dictionary(), runs, [ON_BAD, "Aspect(nDCG,aspect='good')"], repetitions=1)
    assert by_both.mu[0].tolist() == [1.0, 1.0]


# ── what follows it: scores and their mirror ─────────────────────────────────────────────────────

LOW, HIGH = "Unjudged@10", "Judged@10"
RUNS = ("a", "b", "c", "d")


def pair_of(seed: int, topics: int = 20) -> tuple[Scores, Scores]:
    """Scores of which lower ones are better, beside others, and the same with higher ones."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0.5, 0.1, (4, topics, 1)) + np.array([0.0, 0.02, 0.1, 0.15])[:, None, None]
    other = rng.normal(0.5, 0.1, (4, topics, 1)) - np.array([0.0, 0.1, 0.05, 0.15])[:, None, None]
    every = tuple(f"t{i}" for i in range(topics))
    low = Scores(RUNS, every, (LOW, "AP"), np.concatenate([values, other], 2))
    return low, Scores(RUNS, every, (HIGH, "AP"), np.concatenate([-values, other], 2))


@pytest.fixture(params=range(2))
def mirrored(request: pytest.FixtureRequest) -> tuple[Scores, Scores]:
    return pair_of(request.param)


Mirrored = tuple[Scores, Scores]


@pytest.mark.parametrize("baseline", [None, "b"])
@pytest.mark.parametrize("test", ["t", "wilcoxon", "fisher", "tukey"])
def test_a_comparison_follows_the_direction(mirrored: Mirrored, test: Any, baseline: str | None) -> None:
    found, mirror = (
        compare(one, test=test, resamples=2000, baseline=baseline, margin=0.05) for one in mirrored
    )
    assert found.better_than(0, 0) == mirror.better_than(0, 0)
    assert found.sign.tolist() == mirror.sign.tolist()
    assert found.verdicts is not None
    assert mirror.verdicts is not None
    assert found.verdicts.tolist() == mirror.verdicts.tolist()
    assert {"better", "worse", "not worse"} & {*found.verdicts.ravel()}
    assert found.difference[0] == pytest.approx(-mirror.difference[0])
    table, mirrored_table = found.summary.columns, mirror.summary.columns
    assert [(x.mark, x.best) for x in table[LOW]] == [(x.mark, x.best) for x in mirrored_table[HIGH]]
    assert [x.value for x in table[LOW]] == pytest.approx([-x.value for x in mirrored_table[HIGH]])


def test_differences_by_topic_follow_the_direction(mirrored: Mirrored) -> None:
    found, mirror = (compare(one).by_topic(most=3) for one in mirrored)
    for column in ("better", "worse", "equal"):
        assert found.summary.columns[column] == mirror.summary.columns[column]
    assert found.tables[1].columns["topic"] == mirror.tables[1].columns["topic"]
    first = found.rows.records()[0]
    assert first["difference"] == pytest.approx(first["score"] - first["other score"])


@pytest.mark.parametrize("combine", ["means", "topics", "borda"])
def test_a_leaderboard_follows_the_direction(mirrored: Mirrored, combine: Any) -> None:
    found, mirror = (
        leaderboard({"one": one, "two": other}, combine=combine)
        for one, other in zip(mirrored, pair_of(5), strict=True)
    )
    assert found.order() == mirror.order()
    assert found.ranks() == mirror.ranks()
    assert found.tiers() == mirror.tiers()
    assert found.places() == mirror.places()
    assert found.contradictions.columns["run"] == mirror.contradictions.columns["run"]
    sign = 1 if combine == "borda" else -1
    assert found.means[:, 0] == pytest.approx(sign * mirror.means[:, 0])


def test_collections_must_agree_on_the_direction() -> None:
    low, high = (
        read_scores({run: {"t": {"seconds": x}} for run, x in (("a", 1.0), ("b", 2.0))}, lower=lower)
        for lower in (("seconds",), ())
    )
    with pytest.raises(
        InputError, match=r"a lower score by seconds is better on the collections one, .*--lower"
    ):
        leaderboard({"one": low, "two": high})


def test_risk_and_order_follow_the_direction(mirrored: Mirrored) -> None:
    found, mirror = (one.risk("b", alpha=2.0) for one in mirrored)
    assert found.means[:, 1] == pytest.approx(mirror.means[:, 1])
    assert not any(name.startswith("URisk") for name in found.lower_is_better)
    assert found.sorted(LOW).runs == mirror.sorted(HIGH).runs
    assert not np.signbit(found.values[1, :, 1]).any()  # the baseline scores 0 and not -0


@pytest.mark.parametrize("coefficient", list(meta.COEFFICIENTS))
@pytest.mark.parametrize("per_topic", [False, True])
def test_correlations_follow_the_direction(mirrored: Mirrored, coefficient: Any, per_topic: bool) -> None:
    found, mirror = (meta.correlation(one, coefficient=coefficient, per_topic=per_topic) for one in mirrored)
    assert found.values == pytest.approx(mirror.values)
    assert np.array(found.interval) == pytest.approx(np.array(mirror.interval), nan_ok=True)


def test_other_analyses_of_measures_follow_the_direction(mirrored: Mirrored) -> None:
    for analysis in (meta.unanimity, lambda scores: meta.agreement(meta.power(scores, method="t"))):
        found, mirror = (analysis(one) for one in mirrored)
        rows = [json.dumps(one.rows.records()).replace(HIGH, LOW) for one in (found, mirror)]
        assert rows[0] == rows[1]
    one, other = map(meta.disagreement, mirrored)
    assert [(c.topic, c.run, c.other) for c in one.cases] == [(c.topic, c.run, c.other) for c in other.cases]
    arrows = [[x.split()[-1] for x in one.summary.columns["Δ AP"] if x] for one in (one, other)]
    assert arrows[0] == arrows[1]
    third = [
        Scores(s.runs, s.topics, (*s.measures, "RR"), np.concatenate([s.values, s.values[..., 1:] ** 2], 2))
        for s in mirrored
    ]
    first, second = (meta.intuitiveness(one, gold=name) for one, name in zip(third, (LOW, HIGH), strict=True))
    assert first.counts.tolist() == second.counts.tolist()


def test_power_does_not_depend_on_the_direction(mirrored: Mirrored) -> None:
    found, mirror = (meta.power(one, method="t", intervals=0) for one in mirrored)
    assert found.power.tolist() == mirror.power.tolist()


def gate_between(scores: Scores) -> Any:
    two = scores.select(runs=["b", "c"], measures=[scores.measures[0]])
    return gate_of(two, Policy.of(two.measures, 0.01))


def test_a_gate_follows_the_direction(mirrored: Mirrored) -> None:
    found, mirror = map(gate_between, mirrored)
    assert found.verdicts == mirror.verdicts == ("failed",)
    assert found.failing == pytest.approx(mirror.failing)
    assert found.passing == pytest.approx(mirror.passing)
    assert found.difference == pytest.approx(-mirror.difference)
    assert found.gains == pytest.approx(mirror.gains)
    assert found.rows.records()[0]["direction"] == "lower"
    assert "Unjudged@10 ↓" in found.to_comment()


CHARTS: dict[str, Callable[[Scores], Any]] = {
    "differences": lambda s: plots.differences(s, "b", "d", s.measures[0]),
    "heatmap": lambda s: plots.heatmap(s, s.measures[0]),
    "intervals": plots.intervals,
    "comparison": lambda s: plots.difference_intervals(compare(s)),
    "pairs": lambda s: plots.difference_intervals(compare(s), most=2),
    "leaderboard": lambda s: plots.leaderboard(leaderboard(s)),
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_follow_the_direction(mirrored: Mirrored, name: str) -> None:
    found, mirror = (CHARTS[name](one).to_dict() for one in mirrored)
    rows, mirrored_rows = ([row for part in words_of(one) for row in part] for one in (found, mirror))
    assert rows == mirrored_rows
    assert "Unjudged@10 ↓" in json.dumps(found, ensure_ascii=False)


def words_of(chart: Any) -> Iterator[list[Any]]:
    """The text in the rows of the data of a chart, in their order."""
    keys = ("run", "topic", "pair", "better", "place", "tier")
    for rows in chart["datasets"].values():
        yield [[row.get(key) for key in keys] for row in rows]


def test_ranks_by_variants_of_a_measure_follow_the_direction() -> None:
    names = ("Unjudged@5", "Unjudged@10")
    values = np.array([[[0.1, 0.3]], [[0.2, 0.2]]])
    chart = plots.sensitivity(Scores(("a", "b"), ("t",), names, values)).to_dict()
    rows = next(rows for rows in chart["datasets"].values() if "mean" in rows[0])
    assert {(row["run"], row["value"]): row["rank"] for row in rows} == {
        ("a", "5"): 1.0, ("b", "5"): 2.0, ("a", "10"): 2.0, ("b", "10"): 1.0,
    }  # fmt: skip


def test_the_report_follows_the_direction(mirrored: Mirrored) -> None:
    found, mirror = (of_scores(one).data for one in mirrored)
    for key in ("ranks", "tiers", "separated"):
        assert found["board"][key] == mirror["board"][key]
    assert found["by topic"]["best"] == mirror["by topic"]["best"]
    assert found["by topic"]["worst"] == mirror["by topic"]["worst"]
    assert found["systems"]["comparison"]["sign"] == mirror["systems"]["comparison"]["sign"]
    assert found["systems"]["comparison"]["groups"] == mirror["systems"]["comparison"]["groups"]
    disagreements = [one["agreement"]["disagreements"]["of"][0] for one in (found, mirror)]
    assert disagreements[0]["opposite"] == disagreements[1]["opposite"]
    assert [one["lower"] for one in found["measures"]] == [True, False]
    assert found["measures"][0]["display"] == "Unjudged@10 (lower is better)"


# ── what people and programs read ────────────────────────────────────────────────────────────────


def test_tables_mark_measures_of_which_lower_is_better() -> None:
    scores, _ = pair_of(0)
    assert scores.to_text().splitlines()[0].split() == ["run", "Unjudged@10", "↓", "AP"]
    assert "| Unjudged@10 ↓ | AP |" in scores.to_markdown()
    assert r"Unjudged@10\,$\downarrow$ & AP" in scores.to_latex()
    assert ">Unjudged@10 ↓</th>" in scores.to_html()
    assert scores.table(wide=True).to_csv().splitlines()[0] == "run,topic,Unjudged@10,AP"
    best = [cell.best for cell in scores.summary.columns[LOW]]
    assert best.index(True) == int(scores.means[:, 0].argmin())
    assert "Unjudged@10 ↓  a    b" in compare(scores).by_topic().to_text()


def test_json_says_the_direction() -> None:
    scores, _ = pair_of(0)
    said = {LOW: "lower", "AP": "higher"}
    assert json.loads(scores.to_json())["about"]["direction"] == said
    for found in (compare(scores), meta.correlation(scores), meta.unanimity(scores), leaderboard(scores)):
        assert json.loads(found.to_json())["about"]["scores"]["direction"] == said
    assert {row["direction"] for row in leaderboard(scores).rows.records()} == {"lower", "higher"}


# ── stored scores ────────────────────────────────────────────────────────────────────────────────

SECONDS = "run,topic,seconds,AP\na,1,3,.5\na,2,4,.5\nb,1,2,.4\nb,2,1,.4\n"


def test_columns_of_files_are_better_when_lower_if_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(SECONDS)
    assert read_scores(path).sorted("seconds").runs == ("a", "b")
    for lower in ("seconds", ["seconds"]):
        found = read_scores(path, lower=lower)
        assert found.sorted("seconds").runs == ("b", "a")
        assert found.sorted("AP").runs == ("a", "b")
    given = {"a": {"1": {"ndcg@10": 0.5}}}
    assert read_scores(given, lower=["nDCG@10"]).lower_is_better == {"ndcg@10"}
    assert read_scores(read_scores(given), lower=["ndcg@10"]).lower_is_better == {"ndcg@10"}
    with pytest.raises(InputError, match=r"no measure 'minutes', of which lower= \(--lower\) .* seconds, AP"):
        read_scores(path, lower=["minutes"])


def stored_in_parquet(scores: Scores, path: Path) -> None:
    path.write_bytes(scores.to_parquet())


def stored_in_json(scores: Scores, path: Path) -> None:
    path.write_text(scores.to_json(), encoding="utf-8")


@pytest.mark.parametrize(("write", "ending"), [(stored_in_parquet, "parquet"), (stored_in_json, "json")])
def test_stored_scores_keep_their_direction(write: Any, ending: str, folder: Path) -> None:
    # The measure is not known where the scores are read.
    own = mix("forgotten", {"P@10": 1.0}, lower_is_better=True)
    scores = evaluate("two.toml", ["clean.run", "dirty.run"], [own, ON_BAD, "nDCG"])
    path = folder / f"s.{ending}"
    write(scores, path)
    from rankprism.measures import registry

    del registry._DEFINITIONS["forgotten"]
    found = read_scores(path)
    assert found.lower_is_better == {"forgotten", ON_BAD}
    assert leaderboard(found.select(measures=[ON_BAD])).order() == [0, 1]


def test_scores_with_other_directions_do_not_belong_together(folder: Path) -> None:
    pairs = {"good": "good.txt", "bad": "bad.txt"}
    for number, (run, lower) in enumerate((("clean.run", True), ("dirty.run", False))):
        judged = read_judgments(pairs, aspects={"good": {}, "bad": {"lower_is_better": lower}})
        stored_in_parquet(evaluate(judged, run, ON_BAD), folder / f"{number}.parquet")
    with pytest.raises(InputError, match=r'better when lower is .*"bad"'):
        read_scores([folder / "0.parquet", folder / "1.parquet"])


# ── the command line ─────────────────────────────────────────────────────────────────────────────


def told(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.mark.usefixtures("folder")
def test_commands_take_columns_and_aspects_of_which_lower_is_better(folder: Path) -> None:
    (folder / "s.csv").write_text(SECONDS)
    rows = json.loads(told("leaderboard", "s.csv", "--lower", "seconds", "--format", "json", "-q").stdout)[
        "rows"
    ]
    assert [row["run"] for row in rows if row["measure"] == "seconds"] == ["b", "a"]
    plain = json.loads(told("leaderboard", "s.csv", "--format", "json", "-q").stdout)["rows"]
    assert [row["run"] for row in plain if row["measure"] == "seconds"] == ["a", "b"]
    assert "tau-b      seconds ↓" in told("meta", "correlation", "s.csv", "--lower", "seconds", "-q").stdout
    files = ("good=good.txt", "bad=bad.txt", "dirty.run", "clean.run")
    found = told("evaluate", *files, "-m", ON_BAD, "--lower", "bad", "--sort", ON_BAD, "-q").stdout
    assert [line.split()[0] for line in found.splitlines()[2:]] == ["clean", "dirty"]
    found = told(
        "gate",
        "good=good.txt",
        "bad=bad.txt",
        "clean.run",
        "dirty.run",
        "-m",
        ON_BAD,
        "--lower",
        "bad",
        "--margin",
        "0.01",
        "-q",
    )
    assert found.exit_code == 3


# ── axioms ───────────────────────────────────────────────────────────────────────────────────────


def test_axioms_ask_measures_of_which_lower_is_better_the_other_way_round() -> None:
    loss = mix("loss_of_gain", {"DCG": -1.0})
    assert loss.lower_is_better
    asked = ("Pri", "Deep", "Conf", "Sat", "Swap", "Bound")
    found, known = (search_verdicts([one], asked, instances=200) for one in (loss, parse("DCG")))
    assert [one.refuted for one in found[:-1]] == [one.refuted for one in known[:-1]]
    assert [one.refuted for one in found] == [False, False, True, True, False, True]
    shown = found[0]
    assert shown.scores[0] < shown.scores[1]
    assert " < " in story(shown)
    assert "(a lower score is better), as it should be." in story(shown)


# ── judges ───────────────────────────────────────────────────────────────────────────────────────


def test_agreement_about_runs_follows_the_direction() -> None:
    rng = np.random.default_rng(0)
    topics, docs = [f"t{i}" for i in range(10)], [f"d{i}" for i in range(8)]
    people, judge = ({t: {d: int(rng.integers(3)) for d in docs} for t in topics} for _ in range(2))
    runs = {f"r{i}": {t: {d: float(rng.random()) for d in docs} for t in topics} for i in range(6)}
    loss = mix("loss_of_gain", {"DCG": -1.0})
    families = {run: "odd" if int(run[1]) % 2 else "even" for run in runs}
    found, known = (
        judges.agree(people, {"j": judge}, runs=runs, measures=[one], family=families, top=2)
        for one in (loss, "DCG")
    )
    rows = [
        [row for row in one.rows.records() if row["figure"] in ("τ_b", "τ_ap", "top 2", "favours")]
        for one in (found, known)
    ]
    assert len(rows[0]) == 5
    for one, other in zip(*rows, strict=True):
        assert one["figure"] == other["figure"]
        for column in ("value", "low", "high"):
            assert one[column] == pytest.approx(other[column], nan_ok=True)
