"""Measures of one's own: put together from parts, mixed from others, read from a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import MeasureError, sample
from rankprism.formats.measure_files import load
from rankprism.measures import compose, lookup, mix, names, parse
from tests.measures.test_catalogue import WHOLE, Case, cases, scores_of

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

#: Made once: the registry is one for all tests, so every name here begins with `tc_`.
ALPHA_DCG = compose("tc_alpha_dcg", novelty="decay", divisor="everything", weighted=False)
ALPHA_NDCG = compose("tc_alpha_ndcg", novelty="decay", divisor="greedy", gain="exp", weighted=False)
OWN_NDCG = compose("tc_own_ndcg", novelty="decay", divisor="per-aspect", alpha=0.25)
NRBP = compose("tc_nrbp", discount="geometric", p=0.5, novelty="decay", weighted=False)
ERR_IA = compose("tc_err_ia", discount="reciprocal", gain="probability", novelty="cascade")
EU = compose("tc_eu", discount="slow", p=2.0, gain="probability", novelty="decay", effort=0.05)
RBU = compose("tc_rbu", discount="geometric", gain="probability", novelty="cascade", effort=0.03)
P_IA = compose("tc_p_ia", discount="uniform")
FIRST = compose("tc_first", discount="uniform", novelty="first")
RBP_IA = compose("tc_rbp_ia", discount="geometric", p=0.95, rel=2)
DCG_IA = compose("tc_dcg_ia", gain="linear")
MIXED = mix("tc_mixed", {"StRecall@10": 0.5, "D_nDCG@10": 0.5})


@settings(max_examples=60)
@given(case=cases(), cutoff=st.none() | st.integers(1, 12))
def test_composed_measures_equal_the_built_in_ones_they_imitate(case: Case, cutoff: int | None) -> None:
    depth = cutoff or 1
    pairs: list[tuple[rankprism.Measure, str, dict[str, Any], float]] = [
        (ALPHA_DCG, "alpha_DCG", {}, 1),
        (ALPHA_DCG(alpha=0.1), "alpha_DCG", {"alpha": 0.1}, 1),
        (ALPHA_NDCG, "alpha_nDCG", {"gain": "exp"}, 1),
        (OWN_NDCG, "alpha_nDCG", {"alpha": 0.25, "ideal": "per-aspect", "weighted": True}, 1),
        (NRBP, "NRBP", {}, 1 - 0.5 * 0.5),  # built in, it is scaled by 1 - (1-α)β
        (ERR_IA, "ERR_IA", {"gain": "probability"}, 1),
        (EU, "EU", {"base": 2}, 1),
        (RBU, "RBU", {"form": "eq11"}, 0.8),  # p^i where this has p^(i-1)
        (RBP_IA, "RBP_IA", {"p": 0.95, "rel": 2}, 1 - 0.95),
        (DCG_IA, "DCG_IA", {}, 1),
        (FIRST, "StRecall", {"weighted": True}, 1),
    ]
    if cutoff is not None:
        pairs.append((P_IA, "P_IA", {}, 1 / depth))
    wanted = [
        (own @ cutoff if cutoff else own, lookup(name)(cutoff=cutoff, **chosen), factor)
        for own, name, chosen, factor in pairs
    ]
    measures = [measure for own, built_in, _ in wanted for measure in (own, built_in)]
    found = rankprism.evaluate(case.judgments, case.run, measures, weights=case.weights).per_topic()["run"]
    for topic, row in found.items():
        for own, built_in, factor in wanted:
            expected = pytest.approx(row[str(built_in)], rel=1e-10, abs=1e-12)
            assert factor * row[str(own)] == expected, (topic, own, built_in)


def test_a_composed_measure_weighs_aspects_and_says_whether_its_bounds_are_exact() -> None:
    made = {
        "tc_plain": compose("tc_plain", discount="uniform"),
        "tc_linear": compose("tc_linear", gain="linear"),
        "tc_divided": compose("tc_divided", novelty="decay", divisor="greedy"),
        "tc_everything": compose("tc_everything", novelty="decay", divisor="everything"),
    }
    kinds = {name: measure.bounds_kind for name, measure in made.items()}
    assert kinds == {
        "tc_plain": "exact",
        "tc_linear": "outer",
        "tc_divided": "outer",
        "tc_everything": "exact",
    }
    judged, weights = {"q": {"s": {"a": 1}, "t": {"b": 1}}}, {"q": {"s": 0.9, "t": 0.1}}
    found = rankprism.evaluate(judged, {"q": {"a": 1.0}}, ["tc_plain"], weights=weights)
    assert found.mean() == {"run": {"tc_plain": 0.9}}


@settings(max_examples=40)
@given(case=cases(grades=WHOLE), judged_only=st.booleans())
def test_a_mixture_is_the_weighted_sum(case: Case, judged_only: bool) -> None:
    measures: list[Any] = [MIXED, "DSharp_nDCG@10", "StRecall@10", "D_nDCG@10"]
    measures = [parse(measure)(judged_only=judged_only) for measure in measures]
    found = rankprism.evaluate(case.judgments, case.run, measures, weights=case.weights).per_topic()["run"]
    for row in found.values():
        mixed, sharp, reached, gained = row.values()
        assert mixed == pytest.approx(0.5 * reached + 0.5 * gained, rel=1e-12, abs=1e-15)
        assert mixed == pytest.approx(sharp, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (ALPHA_DCG, "tc_alpha_dcg"),
        (ALPHA_DCG(alpha=0.1, judged_only=True) @ 7, "tc_alpha_dcg(alpha=0.1,judged_only=True)@7"),
        (EU(e=0.2, p=3, rel=2), "tc_eu(p=3,e=0.2,rel=2)"),
        (RBP_IA(rel=1) @ 3, "tc_rbp_ia(rel=1)@3"),
        (RBP_IA(rel=2, p=0.95), "tc_rbp_ia"),  # its own defaults are not printed
        (MIXED(judged_only=True), "tc_mixed(judged_only=True)"),
    ],
)
def test_composed_measures_print_and_parse_back(measure: rankprism.Measure, text: str) -> None:
    assert str(measure) == text
    assert parse(text) == measure
    assert measure.name in names()


def test_parameters_are_those_of_the_parts() -> None:
    def parameters(measure: rankprism.Measure) -> list[str]:
        return [p.name for p in measure.definition.parameters]

    assert parameters(DCG_IA) == ["rel", "judged_only", "cutoff"]
    assert parameters(NRBP) == ["p", "alpha", "rel", "judged_only", "cutoff"]
    assert parameters(EU) == ["p", "alpha", "e", "rel", "judged_only", "cutoff"]
    assert parameters(MIXED) == ["judged_only"]
    with pytest.raises(MeasureError, match="alpha"):
        DCG_IA(alpha=0.5)
    with pytest.raises(MeasureError, match="takes no cutoff"):
        MIXED @ 5


def test_a_composed_measure_explains_itself() -> None:
    assert "log2(i + 1)" in ALPHA_DCG.definition.doc
    assert "(1-α)" in ALPHA_DCG.definition.doc
    assert "- e" in EU.definition.doc
    assert "- e" not in DCG_IA.definition.doc
    assert MIXED.definition.doc.endswith("tc_mixed = 0.5 StRecall@10 + 0.5 D_nDCG@10")
    assert "zhai2003beyond" in MIXED.definition.cite
    assert compose("tc_said", summary="Says what it is.").definition.summary == "Says what it is."


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"discount": "hyperbolic"}, "discount must be one of uniform, logarithmic"),
        ({"gain": "cubic"}, "gain must be one of binary"),
        ({"novelty": "some"}, "novelty must be one of none, decay"),
        ({"divisor": "best"}, "divisor must be one of none, greedy"),
        ({"divisor": "everything"}, "needs novelty 'decay'"),
        ({"divisor": "greedy", "effort": 0.1}, "no ideal to divide by"),
        ({"discount": "slow", "p": 1}, "> 1 and ≤ 1,000,000,000; got 1"),
        ({"discount": "geometric", "p": 0}, "p must be a number > 0"),
        ({"novelty": "decay", "alpha": 2}, "alpha must be a number ≥ 0 and ≤ 1; got 2"),
        ({"effort": -1}, "e must be a number ≥ 0 and ≤ 1,000,000,000; got -1"),
        ({"rel": 0}, "rel must be a number > 0 and ≤ 1,000,000,000; got 0"),
    ],
)
def test_compose_says_what_is_wrong(settings_: dict[str, Any], says: str) -> None:
    with pytest.raises(MeasureError) as caught:
        compose("tc_wrong", **settings_)
    assert str(caught.value).startswith("tc_wrong: ")
    assert says in str(caught.value)
    assert "tc_wrong" not in names()


@pytest.mark.parametrize("name", ["two words", "1st", "a-b", "", "x@5"])
def test_names_are_words(name: str) -> None:
    with pytest.raises(MeasureError, match="cannot name a measure"):
        compose(name)
    with pytest.raises(MeasureError, match="cannot name a measure"):
        mix(name, {"AP": 1})


@pytest.mark.parametrize("name", ["AP", "MAP", "α_nDCG", "tc_mixed", "ERR_IA"])
def test_names_that_are_taken_stay_so(name: str) -> None:
    with pytest.raises(MeasureError, match="exists already"):
        compose(name)
    with pytest.raises(MeasureError, match="exists already"):
        mix(name, {"AP": 1})


@pytest.mark.parametrize("name", ["RR_IA", "MRR_IA"])
def test_intent_aware_names_are_taken_too(name: str) -> None:
    with pytest.raises(MeasureError, match="exists already"):
        compose(name)
    assert scores_of({"s": {"a": 1}}, ["x", "a"], name) == [0.5]


@pytest.mark.parametrize(
    ("measures", "says"),
    [
        ({}, "nothing to mix"),
        ({"AP": "half"}, "'half' is not a number"),
        ({"AP": True}, "True is not a number"),
        ({"nDGC": 1}, "unknown measure 'nDGC'"),
        ({"AP@": 1}, "cannot read the measure"),
    ],
)
def test_mix_says_what_is_wrong(measures: dict[Any, Any], says: str) -> None:
    with pytest.raises(MeasureError) as caught:
        mix("tc_wrong_mix", measures)
    assert says in str(caught.value)
    assert "tc_wrong_mix" not in names()


@pytest.mark.parametrize("p", [1, 0.5])
def test_the_base_of_a_logarithm_is_above_1_whoever_sets_it(p: float) -> None:
    with pytest.raises(MeasureError):
        scores_of({"s": {"a": 1}}, ["x", "a"], f"tc_eu(p={p})")


def test_the_best_ranking_there_is_as_a_divisor() -> None:
    # The greedy ideal starts with e and is beaten by d, c, e, a: by 1.67 %, the most that a search over 397
    # small topics with ndeval's greedy ideal met.
    judged = {"1": {"c": 1}, "2": {"c": 1, "e": 1}, "3": {"d": 1, "e": 1}, "4": {"a": 1, "d": 1}}
    compose("tc_exact", novelty="decay", divisor="exact", weighted=False)
    measures = ("alpha_nDCG@4", "alpha_nDCG(ideal='exact')@4", "tc_exact@4")
    beaten = 1.0167355180688633
    assert scores_of(judged, "edca", *measures) == pytest.approx([1, 1 / beaten, 1 / beaten], rel=1e-12)
    assert scores_of(judged, "dcea", *measures) == pytest.approx([beaten, 1, 1], rel=1e-12)


def test_cascades_need_probabilities() -> None:
    cascade = compose("tc_cascade", gain="linear", novelty="cascade")
    with pytest.raises(MeasureError, match="tc_cascade: grade 2 is not a probability"):
        rankprism.evaluate({"q": {"a": 2}}, {"q": {"a": 1}}, cascade)
    # 1/2, then 1/2 · 1/2 / log2(3)
    half = rankprism.evaluate({"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 2, "b": 1}}, cascade).mean()
    assert half["run"]["tc_cascade"] == pytest.approx(0.5 + 0.25 / 1.584962500721156, rel=1e-12)


# Files


MEASURES = """
[{0}patient]
summary = "Patient users who are never bored."
discount = "geometric"
p = 0.95
gain = "linear"
weighted = false

[{0}balanced]
mix = {{"StRecall@10" = 0.5, "{0}patient@10" = 0.25}}
"""


def test_a_file_of_measures(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(MEASURES.format("tc_file_"), encoding="utf-8")
    patient, balanced = load(path)
    assert (str(patient), str(balanced)) == ("tc_file_patient", "tc_file_balanced")
    assert patient.definition.summary == "Patient users who are never bored."
    # grades 2 and 1 at ranks 1 and 3, on one aspect of two each: (2 + .95²) / 2
    judged = {"s": {"a": 2}, "t": {"b": 1}}
    found = scores_of(
        judged, ["a", "x", "b"], "tc_file_patient", "tc_file_balanced", "tc_file_patient(p=1)@2"
    )
    expected = (2 + 0.95**2) / 2
    assert found == pytest.approx([expected, 0.5 + 0.25 * expected, 1], rel=1e-12)
    with pytest.raises(MeasureError, match="exists already"):
        load(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tc_bad]\ndiscount = 'geometric'\nq = 1\n", "unknown key 'q'; there are alpha, discount"),
        ("[tc_bad]\nmix = {AP = 1}\np = 1\n", "unknown key 'p'; there are lower_is_better, mix, summary"),
        ("[tc_bad]\np = '0.5'\n", "tc_bad: '0.5' is not a number"),
        ("[tc_bad]\nalpha = true\n", "tc_bad: True is not a number"),
        ("[tc_bad]\ngain = 'cubic'\n", "gain must be one of"),
        ("[tc_bad]\nmix = {}\n", "nothing to mix"),
        ("[tc_bad]\nmix = {nDGC = 1}\n", "unknown measure 'nDGC'"),
        ("[AP]\n", "exists already"),
        ("['two words']\n", "cannot name a measure"),
        ("tc_bad = 1\n", "tc_bad is not a table; write [tc_bad]"),
        ("[tc_bad\n", "cannot be read as TOML"),
    ],
)
def test_a_bad_file_of_measures_is_named_with_what_is_wrong(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MeasureError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert says in str(caught.value)
    assert "tc_bad" not in names()


@pytest.mark.parametrize(
    "text",
    [
        "[tc_odd]\nmix = 5\n",
        "[tc_odd]\nmix = ['AP']\n",
        "[tc_odd]\ndiscount = ['slow']\n",
        "[tc_odd]\nweighted = 'no'\n",
    ],
)
def test_values_of_the_wrong_kind_in_a_file_are_said(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MeasureError, match="tc_odd"):
        load(path)


def test_a_file_that_is_missing_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="there is no such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe[x]")
    with pytest.raises(MeasureError, match="cannot be read as TOML"):
        load(tmp_path / "bytes.toml")
    with pytest.raises(MeasureError, match="cannot be read as TOML"):
        load(tmp_path)


# The command line


def test_measures_of_a_file_on_the_command_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(MEASURES.format("tc_cli_"), encoding="utf-8")
    options = ["-m", "tc_cli_balanced", "-m", "tc_cli_patient(p=0.5)@10", "-m", "StRecall@10"]
    result = cli("evaluate", sample.QRELS, *sample.RUNS, "--measures", path, *options, "--format", "csv")
    assert result.returncode == 0, result.stderr
    rows = {
        (row["run"], row["measure"]): float(row["score"])
        for row in csv.DictReader(io.StringIO(result.stdout))
    }
    assert len(rows) == 3 * len(sample.RUNS)
    own = compose("tc_cli_patient", discount="geometric", p=0.95, gain="linear", weighted=False)
    scores = rankprism.evaluate(sample.QRELS, list(sample.RUNS), [own @ 10, own(p=0.5) @ 10, "StRecall@10"])
    for run, row in scores.mean().items():
        patient, quick, reached = row.values()
        assert rows[run, "tc_cli_balanced"] == pytest.approx(0.5 * reached + 0.25 * patient, rel=1e-12)
        assert rows[run, "tc_cli_patient(p=0.5)@10"] == quick
        assert rows[run, "StRecall@10"] == reached

    listing = cli("measures", "--measures", path).stdout
    assert "Patient users who are never bored." in listing
    text = cli("measures", "tc_cli_patient", "--measures", path).stdout
    assert "p^(i-1)" in text
    assert "default 0.95" in text


def test_mistakes_in_a_file_on_the_command_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[tc_x]\ndiscount = 'none'\n", encoding="utf-8")
    result = cli("evaluate", sample.QRELS, sample.RUNS[0], "--measures", path, "-m", "tc_x")
    assert result.returncode == 2
    assert "tc_x: discount must be one of" in result.stderr
    assert "Traceback" not in result.stderr
    result = cli("evaluate", sample.QRELS, sample.RUNS[0], "-m", "tc_not_loaded")
    assert result.returncode == 2
    assert "unknown measure" in result.stderr


def test_a_mixture_is_json_like_any_other(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[tc_json]\nmix = {"AP" = 1, "P@5" = -1}\n', encoding="utf-8")
    result = cli(
        "evaluate", sample.QRELS, sample.RUNS[0], "--measures", path, "-m", "tc_json", "--format", "json"
    )
    scores = rankprism.evaluate(sample.QRELS, sample.RUNS[0], ["AP", "P@5"]).mean()
    ((ap, p),) = (list(row.values()) for row in scores.values())
    (found,) = (row["score"] for row in json.loads(result.stdout)["rows"])
    assert found == pytest.approx(ap - p, rel=1e-12)
