"""Runs whose rankings differ in depth: they are noted on every way in, and a gate refuses them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

from rankprism import InputError, RankprismWarning, Scores, evaluate, gate, parse, read_scores
from rankprism.cli.app import app
from rankprism.measures import Measure
from rankprism.measures.definition import Definition
from rankprism.measures.limits import greatest_loss
from rankprism.measures.parameter import Role
from rankprism.measures.registry import definitions, modules
from rankprism.results.depths import note_of_depths

TOPICS = tuple("abcdefghij")
QRELS = {q: {f"d{i}": int(i % 3 == 0) for i in range(60)} for q in TOPICS}


def run(depth: int, **others: int) -> dict[str, dict[str, float]]:
    """A ranking of this many documents for each topic, or of another number."""
    return {q: {f"d{i}": 99.0 - i for i in range(others.get(q, depth))} for q in TOPICS}


def note_in(scores: Scores) -> dict[str, Any] | None:
    notes = [note for note in scores.conventions["notes"] if note["kind"] == "unequal-depths"]
    return notes[0] if notes else None


def quietly(*arguments: Any, **settings: Any) -> Scores:
    with pytest.warns(RankprismWarning):
        return evaluate(*arguments, **settings)


def as_file(depth: int, path: Path) -> Path:
    lines = (f"{q} Q0 {d} 1 {x} t\n" for q, docs in run(depth).items() for d, x in docs.items())
    path.write_text("".join(lines))
    return path


def given(way: str, depth: int, folder: Path) -> Any:
    rows = [(q, d, x) for q, docs in run(depth).items() for d, x in docs.items()]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("topic", "doc", "score"))}
    if way == "files":
        return as_file(depth, folder / f"r{depth}.run")
    return {"dictionaries": run(depth), "rows": rows}.get(way) or (
        pd.DataFrame(columns) if way == "pandas" else pl.DataFrame(columns)
    )


@pytest.mark.parametrize("way", ["files", "dictionaries", "rows", "pandas", "polars"])
def test_unequal_depths_are_noted_on_every_way_in(way: str, tmp_path: Path) -> None:
    runs = {"short": given(way, 20, tmp_path), "long": given(way, 41, tmp_path)}
    with pytest.warns(RankprismWarning, match=r"20 documents for a topic in 'short' and 41 in 'long'"):
        scores = evaluate(QRELS, runs, ["nDCG@10", "AP"])
    note = note_in(scores)
    assert note is not None
    assert (note["runs"], note["count"]) == (["short"], 1)
    assert note["message"].startswith("scores by AP grow")
    assert scores.record is not None
    assert scores.record.mixed == ("depth",)


@pytest.mark.filterwarnings("ignore:.*unequal-depths")
@pytest.mark.parametrize("way", ["files", "dictionaries", "rows", "pandas", "polars"])
def test_a_gate_refuses_unequal_depths_on_every_way_in(way: str, tmp_path: Path) -> None:
    short, long = (given(way, depth, tmp_path) for depth in (20, 41))
    with pytest.raises(InputError, match=r"grow with the depth.*add --mixed"):
        gate(QRELS, long, short, "AP", margin=0.01)


def test_a_factor_of_two_is_allowed() -> None:
    assert note_in(evaluate(QRELS, {"short": run(20), "long": run(40)}, "AP")) is None


def test_the_median_over_shared_topics_decides() -> None:
    few = dict.fromkeys("abcd", 3)
    assert note_in(evaluate(QRELS, {"some": run(40, **few), "long": run(40)}, "AP")) is None
    many = dict.fromkeys("abcdef", 3)
    found = note_in(quietly(QRELS, {"most": run(40, **many), "long": run(40)}, "AP"))
    assert found is not None
    assert "3 documents for a topic in 'most'" in found["message"]
    # A run that lacks the deep topics of another one is compared on those that both have.
    part = {q: docs for q, docs in run(10).items() if q < "d"}
    both = run(40, **dict.fromkeys("abc", 10))
    assert note_in(quietly(QRELS, {"part": part, "both": both}, "AP", topics="judged")) is None


def test_runs_that_are_cut_alike_are_alike() -> None:
    runs = {"short": run(10), "long": run(60)}
    assert note_in(evaluate(QRELS, runs, "AP", run_depth=10)) is None
    assert note_in(evaluate(QRELS, runs, "AP@10 RR")) is None
    # A cutoff that is deeper than any pool is none.
    assert note_in(quietly(QRELS, runs, "R@1000")) is not None


#: What measures do without a cutoff, decided by their definitions.
GROWING = [
    "Compat(p=0.98)", "StRecall", "RnDCG", "nDCG_rel", "binG", "G", "D_nDCG", "D_Q", "DSharp_nDCG",
    "DSharp_Q", "DIN_nDCG", "DINSharp_nDCG", "P_plusQ", "P_plusQSharp", "D_iRBU", "Q", "GAP", "nGAP",
    "Bpref", "infAP", "IPrec", "IAP", "alpha_DCG", "alpha_nDCG", "EU", "NuggetAll", "NuggetVital",
    "NuggetWeighted", "Prf", "nPrf", "SetR", "RelP", "R", "Success", "AP", "DCG", "nDCG", "YAAP",
    "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg",
    "prefs_avgjg_Rnonrel", "CAM(AP)", "MM(nDCG)", "Reached(R)", "Aspect(AP,aspect='x')",
    "Contrast(Compat(p=0.98))", "TOMA(nDCG)", "AP_IA", "nDCG_IA", "RBP(p=0.99)", "RBP_IA(p=0.99)",
    "NRBP(beta=0.99)", "RBU(p=0.99)", "RBP_residual(p=0.99)", "AP@101", "nDCG@1000", "R@1000",
    "ERR_IA(alpha=0)",
]  # fmt: skip
STAYING = [
    "Compat", "Accuracy", "S_RR", "P_at_recall", "S_precision", "WS_precision", "Judged", "CT", "nCT", "ACT",
    "RR_at_recall", "D_nERR", "D_EBR", "D_RBP", "P_plus", "Rprec", "ERR_IA", "nERR_IA", "NRBP", "nNRBP",
    "RBU", "ppref", "wpref", "SetP", "SetF", "SetAP", "Utility", "P", "RR", "F1", "RBP", "ERR", "nERR",
    "Unjudged", "RBP_residual", "prefs_num_prefs_poss", "prefs_simp_ret", "prefs_pair_ret",
    "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
    "CAM(RR)", "MM(ERR)", "TOMA(RR)", "P_IA", "RR_IA", "RBP_IA", "AP@100", "nDCG@20", "R@100",
    "CAM(nDCG@20)", "DSharp_nDCG@10",
]  # fmt: skip


#: Without the measures that other tests have made.
CATALOGUE = [definition for definition in definitions() if definition.module in modules()]


def test_it_is_decided_of_each_measure_whether_it_grows() -> None:
    assert [name for name in GROWING if not parse(name).grows_with_depth] == []
    assert [name for name in STAYING if parse(name).grows_with_depth] == []


#: Measures of how many documents there are, and of a time that a system chooses.
SIZES = {"Accuracy", "P", "F1", "Judged", "Unjudged", "RBP_residual", "CT", "nCT", "ACT"}
#: Measures that need more than grades, or a search.
SPECIAL = {"NuggetAll", "NuggetVital", "NuggetWeighted", "YAAP", "infAP", "S_precision", "WS_precision"}


def _of_ranks(measure: Measure, first: int | None) -> float:
    """The score of a ranking of 1,000 documents, of which 60 in a row are relevant, or none."""
    found = range(first or 0, (first or 0) + 60)
    grades = {aspect: {f"d{i}": 1 for i in found if i % 2 == odd} for odd, aspect in enumerate("12")}
    ranked = {f"{'d' if first else 'x'}{i}": 2000.0 - i for i in range(1, 1001)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        return evaluate({"q": grades}, {"q": ranked}, [measure]).values.item()


@pytest.mark.parametrize("definition", CATALOGUE, ids=lambda definition: definition.name)
def test_documents_below_rank_100_count_for_what_grows_and_hardly_for_the_rest(
    definition: Definition,
) -> None:
    measure = Measure(definition)
    if measure.needs != "judgments" or Role.INNER in definition.roles or measure.name in SIZES | SPECIAL:
        decided = {parse(name).name for name in (*GROWING, *STAYING)}
        assert measure.name in decided, "decide in GROWING or STAYING"
        pytest.skip("cannot be asked of such rankings; the list above decides")
    if measure.form.order_free:
        pytest.skip("counts documents wherever they are, so that what is retrieved decides")
    none, top, below = (_of_ranks(measure, first) for first in (None, 1, 101))
    assert ((below - none) > 0.05 * (top - none)) == measure.grows_with_depth


def test_stored_scores_know_their_depth(tmp_path: Path) -> None:
    for depth in (10, 20, 60):
        as_file(depth, tmp_path / f"r{depth}.run")
        scores = evaluate(QRELS, [tmp_path / f"r{depth}.run"], ["AP", "nDCG@10"])
        (tmp_path / f"{depth}.parquet").write_bytes(scores.to_parquet())
        (tmp_path / f"{depth}.json").write_text(scores.to_json())
    for kind in ("parquet", "json"):
        with pytest.warns(RankprismWarning, match="10 documents for a topic in 'r10' and 60 in 'r60'"):
            found = read_scores([tmp_path / f"{depth}.{kind}" for depth in (10, 20, 60)])
        assert found.record is not None
        assert found.record.mixed == ("depth",)
        alike = read_scores([tmp_path / f"{depth}.{kind}" for depth in (10, 20)])
        assert alike.record is not None
        assert alike.record.mixed == ()
    result = CliRunner().invoke(app, ["compare", *map(str, tmp_path.glob("*0.parquet"))])
    assert "[unequal-depths]" in result.stderr


def test_a_gate_refuses_unless_it_is_told_to_mix(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, r in QRELS.items() for d, g in r.items())
    )
    files = [str(tmp_path / "q.txt"), *(str(as_file(depth, tmp_path / f"r{depth}")) for depth in (60, 10))]
    words = ["gate", *files, "--margin", ".01", "-m"]
    refused = CliRunner().invoke(app, [*words, "AP"])
    assert isinstance(refused.exception, InputError)  # which ends the program with 2
    assert "--run-depth 10" in str(refused.exception)
    mixed = CliRunner().invoke(app, [*words, "AP", "--mixed", "-q"])
    assert mixed.exit_code == 3
    assert "Mixed scores, which differ in depth." in mixed.stdout
    comment = CliRunner().invoke(app, [*words, "AP", "--mixed", "-q", "--comment", str(tmp_path / "c.md")])
    assert comment.exit_code == 3
    assert "Mixed scores, which differ in depth." in (tmp_path / "c.md").read_text(encoding="utf-8")
    for fair in (["AP@10"], ["AP", "--run-depth", "10"]):
        assert CliRunner().invoke(app, [*words, *fair]).exit_code == 0
    told = json.loads(CliRunner().invoke(app, [*words, "AP", "--mixed", "-q", "--format", "json"]).stdout)
    assert told["about"]["scores"]["notes"][0]["kind"] == "unequal-depths"


def test_the_crawl_of_2012_is_noted(collections: Path) -> None:
    # 19 documents for a topic beside 1,000: by AP the shorter ranking looks five times worse
    folder = collections / "trec-web-2012"
    note = note_of_depths({"a": 19.0, "b": 1000.0}, [parse("AP"), parse("AP@20")])
    assert note is not None
    assert note.message.startswith("scores by AP grow")
    assert folder.is_dir()


def test_losses_are_bounded_where_the_lowest_score_is_known() -> None:
    assert greatest_loss(parse("nDCG@10"), 0.5, False) == 0.5
    assert greatest_loss(parse("EU"), 0.5, False) is None
    assert parse("Contrast(RR)").range == (-1, 1)
    assert parse("EU(e=0)").range[0] == 0
    assert np.isclose(greatest_loss(parse("RBP_residual"), 0.2, True) or 0, 0.8)
