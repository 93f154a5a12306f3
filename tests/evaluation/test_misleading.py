"""Input and choices that would mislead are noted or refused on every way in, and good input is not."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import (
    InputError,
    MeasureError,
    RankprismWarning,
    Scores,
    compare,
    evaluate,
    explain,
    parse,
    read_judgments,
    read_run,
    report,
    sample,
)
from rankprism.evaluation import Collection
from rankprism.judging.preferences import read_rankings, select
from rankprism.meta import scenarios
from rankprism.showing.report import measures
from rankprism.showing.report.report import default_measures
from rankprism.types import Correction, Order, TestName
from tests.support.notes import kinds

Cli = Callable[..., Any]


# Measures of one aspect on several

RUN = {t: {"d1": 2.0, "d2": 1.0} for t in "qr"}
#: d1 is only relevant, d2 only credible.
ASPECTS = {t: {"relevance": {"d1": 1, "d2": 0}, "credibility": {"d1": 0, "d2": 1}} for t in "qr"}


def aspect_rows() -> list[tuple[str, str, str, int]]:
    return [(t, a, d, g) for t, of in ASPECTS.items() for a, docs in of.items() for d, g in docs.items()]


def ways_in(folder: Path) -> Mapping[str, tuple[Any, dict[str, Any]]]:
    """The same judgments of two aspects in every form, with the settings that read them."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet

    rows = aspect_rows()
    names = ("topic", "aspect", "doc", "grade")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    (folder / "long.txt").write_text("".join(f"{t} {a} {d} {g}\n" for t, a, d, g in rows))
    (folder / "wide.txt").write_text(
        "".join(
            f"{t} 0 {d} {ASPECTS[t]['relevance'][d]} {ASPECTS[t]['credibility'][d]}\n"
            for t, d in product("qr", ("d1", "d2"))
        )
    )
    for aspect in ("relevance", "credibility"):
        lines = [f"{t} 0 {d} {g}\n" for t, of in ASPECTS.items() for d, g in of[aspect].items()]
        (folder / aspect).write_text("".join(lines))
    pa.parquet.write_table(pa.table(table), folder / "j.parquet")
    named = {"aspects": ["relevance", "credibility"]}
    return {
        "a dictionary": (ASPECTS, {}),
        "a dictionary with scales": (ASPECTS, named),
        "rows": (rows, {}),
        "pandas": (pd.DataFrame(table), {}),
        "polars": (pl.DataFrame(table), {}),
        "arrow": (pa.table(table), {}),
        "parquet": (folder / "j.parquet", {}),
        "a file of subtopics": (folder / "long.txt", {}),
        "grade columns": (folder / "wide.txt", named),
        "a file for each aspect": (
            {aspect: folder / aspect for aspect in ("relevance", "credibility")},
            {},
        ),
    }


def test_a_measure_of_one_aspect_on_several_is_noted_on_every_way_in(tmp_path: Path) -> None:
    for name, (judgments, settings) in ways_in(tmp_path).items():
        with pytest.warns(RankprismWarning, match=r"P@2 takes the best of each document's 2 asp") as caught:
            scores = evaluate(judgments, RUN, "P@2", **settings)
        assert len(caught) == 1, name
        assert scores.values.tolist() == [[[1.0], [1.0]]]  # each document is good on something
        (note,) = scores.conventions["notes"]
        assert (note["kind"], note["count"], note["example"]) == ("best-aspect", 1, "P@2"), name
        assert """write "Aspect(P@2,aspect='""" in note["message"]


def test_the_remedies_of_the_note_are_measures_that_give_none() -> None:
    remedies = ["Aspect(P@2,aspect='relevance')", "CAM(P@2)", "MM(P@2)", "TOMA(P@2)", "P_IA@2", "StRecall@2"]
    assert kinds(lambda: evaluate(ASPECTS, RUN, remedies)) == []
    assert evaluate(ASPECTS, RUN, remedies[0]).values.tolist() == [[[0.5], [0.5]]]
    # Who writes another way to fold has chosen it.
    assert kinds(lambda: evaluate(ASPECTS, RUN, ["P(fold='mean')@2", "P(fold='min')@2"])) == []
    several = evaluate_notes(ASPECTS, ["AP", "CAM(AP)", "P@2", "RR", "nDCG@2"])
    assert several["best-aspect"].startswith("AP, P@2, RR, … (4 in all) take the best")


def evaluate_notes(judgments: Any, measures: Any) -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = evaluate(judgments, RUN, measures)
    return {note["kind"]: note["message"] for note in scores.conventions["notes"]}


@pytest.mark.parametrize(
    "subtopics",
    [
        {t: {"1": {"d1": 1}, "2": {"d2": 1}} for t in "qr"},  # the same numbers in every topic
        {t: {"a": {"d1": 1}, "b": {"d2": 1}} for t in "qr"},
        {t: {"i1": {"d1": 1}, "intent2": {"d2": 1}} for t in "qr"},
        {"q": {"jaguar-car": {"d1": 1}, "jaguar-cat": {"d2": 1}}},  # words, but of one topic
        {"q": {"car": {"d1": 1}, "cat": {"d2": 1}}, "r": {"coil": {"d1": 1}, "water": {"d2": 1}}},
        {t: {"relevance": {"d1": 1}} for t in "qr"},  # one aspect only
    ],
)
def test_subtopics_and_single_aspects_give_no_such_note(subtopics: Any) -> None:
    run = {t: RUN[t] for t in subtopics}
    assert kinds(lambda: evaluate(subtopics, run, ["P@2", "nDCG@2", "AP"])) == []
    assert read_judgments(subtopics).shared_aspects == ()


def test_explain_says_it_too() -> None:
    assert kinds(lambda: explain(ASPECTS, RUN, "P@2", topic="q")) == ["best-aspect"]
    assert kinds(lambda: explain(ASPECTS, RUN, "CAM(P@2)", topic="q")) == []


def test_that_names_of_aspects_are_not_listed_for_measures_that_do_not_need_them() -> None:
    judgments = read_judgments([("t1", "s1", "d1", 1), ("t1", "s2", "d2", 1), ("t2", "s1", "d1", 1)])
    evaluate(judgments, {"t1": ["d1"], "t2": ["d1"]}, "alpha_nDCG@10")
    assert not {"aspects", "shared_aspects"} & vars(judgments).keys()
    evaluate(judgments, {"t1": ["d1"], "t2": ["d1"]}, "nDCG@10")
    assert "aspects" not in vars(judgments)


def test_precision_on_clef_2018_is_of_the_best_aspect_and_is_noted(collections: Path) -> None:
    folder = collections / "clef-ehealth-2018"
    names = {"relevance": "qrel", "readability": "qread", "trust": "qtrust"}
    judgments = {aspect: folder / f"CLEF2018_{name}_20180914.txt.gz" for aspect, name in names.items()}
    run = folder / "runs" / "IELAB-IRTask1-IELAB_01.run.gz"
    with pytest.warns(RankprismWarning, match=r"P@20 takes the best of each document's 3 aspects"):
        both = evaluate(judgments, run, ["P@20", "Aspect(P@20,aspect='relevance')"])
    alone = evaluate(judgments["relevance"], run, "P@20")
    assert [round(x, 4) for x in both.means[0].tolist()] == [0.982, 0.772]
    assert both.means[0, 1] == pytest.approx(alone.means.item())


def test_the_report_shows_no_best_aspect_unless_it_is_asked_for(tmp_path: Path) -> None:
    for name, (judgments, settings) in ways_in(tmp_path).items():
        chosen = default_measures(read_judgments(judgments, **settings))
        assert all(parse(measure).name in ("CAM", "MM", "TOMA", "Aspect") for measure in chosen), name
        aspects = [parse(measure)["aspect"] for measure in chosen if measure.startswith("Aspect")]
        assert sorted(aspects) == ["credibility", "relevance"]
    odd = {t: {"isn't bad": {"d1": 1}, "credible": {"d2": 1}} for t in "qr"}
    assert [m for m in default_measures(read_judgments(odd)) if m.startswith("Aspect")] == [
        "Aspect(nDCG@20,aspect='credible')"
    ]
    assert "P@20" in default_measures(read_judgments(sample.QRELS))
    assert kinds(lambda: evaluate(ASPECTS, RUN, default_measures(read_judgments(ASPECTS)))) == []
    with pytest.warns(RankprismWarning, match="best-aspect"):
        asked = report.make(ASPECTS, RUN, "P@2")
    assert "takes the best of each document's 2 aspects" in asked.data["notes"][0]


def test_a_report_names_the_files_of_all_aspects(tmp_path: Path, cli: Cli) -> None:
    for number, aspect in enumerate(("relevance", "trust", "ease")):
        (tmp_path / f"{aspect}.txt").write_text("".join(f"{t} 0 d{number + 1} 1\n" for t in "qr"))
    files = {aspect: tmp_path / f"{aspect}.txt" for aspect in ("relevance", "trust", "ease")}
    judged = read_judgments(files)
    assert judged.source == " and ".join(map(str, files.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels are missing
        made = report.make(files, RUN, "CAM(P@2)")
    assert made.data["judgments"] == "relevance and trust and ease"
    (tmp_path / "r.run").write_text("q Q0 d1 1 1 r\nr Q0 d1 1 1 r\n")
    page = tmp_path / "page.html"
    words = [f"{aspect}={path}" for aspect, path in files.items()]
    result = cli("report", *words, tmp_path / "r.run", "-m", "CAM(P@2)", "-o", page, "-q")
    assert result.returncode == 0, result.stderr
    assert '"judgments":"relevance and trust and ease"' in page.read_text(encoding="utf-8")


# Ranks that count backwards


def backwards(topics: str = "qr") -> list[tuple[str, str, float, int]]:
    """A ranking whose best document, by score, has the last rank: (topic, document, score, rank)."""
    return [(t, f"d{i}", float(i), i + 1) for t in topics for i in range(5)]


GRADES = {t: {f"d{i}": int(i == 4) for i in range(5)} for t in "qr"}


@pytest.mark.parametrize("order", ["score", "trec_eval-9", "score-ascending-id", "rank", "input"])
def test_ranks_that_count_backwards_are_noted_in_every_order(tmp_path: Path, order: Order) -> None:
    import pandas as pd

    (tmp_path / "r.run").write_text("".join(f"{t} Q0 {d} {rank} {s} x\n" for t, d, s, rank in backwards()))
    frame = pd.DataFrame(backwards(), columns=["topic", "doc", "score", "rank"])
    for source in (tmp_path / "r.run", backwards(), frame, read_run(backwards())):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notes = evaluate(GRADES, source, "RR", order=order).conventions["notes"]
        (note,) = notes
        assert note["kind"] == "rising-scores"
        assert ('set order="score"' in note["message"]) == (order == "rank")
        # The relevant document is the best by score and the last by rank.
        both = "is 1.0000 by score and 0.2000 by rank"
        assert (both in note["message"]) == (order != "input")


@pytest.mark.parametrize("order", ["score", "rank"])
def test_ranks_that_count_backwards_are_noted_where_no_mean_is_computed(order: Order) -> None:
    """Rankings are looked at, or their first documents are judged, so a wrong order costs as much."""
    runs = {"x": backwards(), "y": [(t, d, -score, rank) for t, d, score, rank in backwards()]}
    calls: list[Callable[..., Any]] = [
        partial(explain, GRADES, runs, "RR", "q"),
        partial(read_rankings, runs, 2),
        partial(select, runs, budget=1, measures="nPrf@2"),
        partial(scenarios, GRADES, runs, ["RR", "P@2"], repetitions=1),
        lambda order: Collection.of(GRADES, runs, order=order).aligned(),
    ]
    for call in calls:
        with pytest.warns(RankprismWarning, match=r"\[rising-scores\]") as caught:
            call(order=order)
        (note,) = [str(one.message) for one in caught if "rising-scores" in str(one.message)]
        assert "of 'x' (2 of 2 topics: 'q', 'r') rise" in note
        assert ('set order="score"' in note) == (order == "rank")
    with pytest.warns(RankprismWarning):
        (said,) = explain(GRADES, runs["x"], "RR", "q", order=order).about["notes"]
    assert said["kind"] == "rising-scores"


def test_a_study_of_ranks_that_count_backwards_is_noted(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "r.run").write_text("".join(f"{t} Q0 {d} {rank} {s} x\n" for t, d, s, rank in backwards()))
    (tmp_path / "d.jsonl").write_text("".join(f'{{"id": "d{i}", "text": "x"}}\n' for i in range(5)))
    done = cli("assess", "new", tmp_path / "s.db", tmp_path / "r.run", "--documents", tmp_path / "d.jsonl")
    (line,) = done.stderr.splitlines()
    assert line.startswith("note: the scores of 'r' (2 of 2 topics: 'q', 'r') rise from the first rank")


def test_simulated_preferences_of_ranks_that_count_backwards_are_noted(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{t} 1 d{i} 1\n" for t in "qr" for i in range(3)))
    (tmp_path / "r.run").write_text("".join(f"{t} Q0 {d} {rank} {s} x\n" for t, d, s, rank in backwards()))
    done = cli("preferences", "simulate", tmp_path / "q.txt", tmp_path / "r.run", "-o", tmp_path / "p.tsv")
    (line,) = [one for one in done.stderr.splitlines() if one.startswith("note")]
    assert line.startswith("note: the scores of 'r' (2 of 2 topics: 'q', 'r') rise from the first rank")


def test_a_command_that_evaluates_and_analyses_notes_the_ranks_once(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t in GRADES for d, g in GRADES[t].items()))
    for name, sign in (("x", 1), ("y", -1)):
        lines = [f"{t} Q0 {d} {rank} {sign * s} {name}\n" for t, d, s, rank in backwards()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [tmp_path / name for name in ("q.txt", "x.run", "y.run")]
    for words in (["meta", "scenarios", "--repetitions", 1, "--intervals", 0], ["gate", "--margin", 0.1]):
        done = cli(*words, *(files if words[0] == "meta" else [files[0], files[2], files[1]]), "-m", "RR@5")
        (line,) = [one for one in done.stderr.splitlines() if "rising-scores" in one]
        assert "by score and 0.2000 by rank" in line


def test_the_report_shows_the_note_about_ranks() -> None:
    with pytest.warns(RankprismWarning, match=r"\[rising-scores\]"):
        page = report.make(GRADES, backwards(), "P@1", order="rank")
    assert "rise from the first rank to the last" in page.data["notes"][0]


def test_a_good_run_is_silent_in_every_order() -> None:
    good = [(t, d, -score, rank) for t, d, score, rank in backwards()]
    for order_ in ("score", "trec_eval-9", "rank", "input"):
        assert kinds(partial(evaluate, GRADES, good, "RR", order=order_)) == []


def test_a_reversed_run_of_the_web_track_is_noted_by_rank(collections: Path) -> None:
    folder = collections / "trec-web-2012"
    run = folder / "runs" / "lemur-cwindri.run.gz"
    with pytest.warns(RankprismWarning, match=r"\[rising-scores\]") as caught:
        scores = evaluate(folder / "qrels-for-ndeval.txt.gz", run, "alpha_nDCG@20", order="rank")
    assert round(scores.means.item(), 4) == 0.3642
    assert "is 0.4159 by score and 0.3642 by rank" in str(caught[0].message)


# Measures


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("P(rel=1,rel=2)@10", "rel"),
        ("P(rel=1,rel=1)@10", "rel"),
        ("alpha_nDCG(alpha=0.5,α=0.3)@10", "alpha"),
        ("P(cutoff=5)@10", "cutoff"),
        ("CAM(P@10,AP)", "measure"),
        ("CAM(P@10,measure=AP)", "measure"),
        ("Aspect(P@10,aspect='a',aspect='b')", "aspect"),
        ("CAM(P(rel=1,rel=2)@10)", "rel"),
    ],
)
def test_a_parameter_given_twice_is_an_error(text: str, parameter: str) -> None:
    with pytest.raises(MeasureError, match=f"the parameter '{parameter}' of [A-Za-z_]+ is given twice"):
        parse(text)


def test_a_grade_mapped_twice_is_an_error() -> None:
    with pytest.raises(MeasureError, match="the number 1 is mapped twice"):
        parse("nDCG(gains={1:1,1.0:3})@10")


def test_a_measure_has_one_name_in_every_format(cli: Cli) -> None:
    command = ["evaluate", sample.QRELS, *sample.RUNS, "-m", "StRecall@10", "-m", "I-rec@5"]
    for format in ("table", "csv", "json", "latex", "markdown", "html", "trec"):
        result = cli(*command, "--format", format)
        assert "StRecall@10" in result.stdout, format
        assert "StRecall@5" in result.stdout, format
        assert "I-rec" not in result.stdout, format
    described = measures.described(parse("StRecall@10"))
    assert described["display"] == "StRecall@10"


# Names of runs


def test_two_tables_with_a_run_of_one_name_are_both_named(tmp_path: Path, cli: Cli) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    (tmp_path / "q.txt").write_text("q 0 d1 1\n")
    table = pa.table({"run": ["bm25"], "qid": ["q"], "docno": ["d1"], "score": [1.0]})
    for name in ("first.parquet", "second.parquet"):
        pa.parquet.write_table(table, tmp_path / name)
    paths = [tmp_path / "first.parquet", tmp_path / "second.parquet"]
    with pytest.raises(InputError, match=r"named 'bm25': .*first\.parquet and .*second\.parquet; rename one"):
        evaluate(tmp_path / "q.txt", paths, "P@1")
    with pytest.raises(InputError, match="named 'bm25': run number 1 and run number 2"):
        evaluate(tmp_path / "q.txt", [table, table], "P@1")
    result = cli("evaluate", tmp_path / "q.txt", *paths, "-m", "P@1")
    assert result.returncode == 2
    assert "first.parquet" in result.stderr
    assert "second.parquet" in result.stderr


def test_a_baseline_leaves_the_scores_on_the_page(cli: Cli) -> None:
    runs = sample.RUNS[:3]
    plain = cli("evaluate", sample.QRELS, *runs, "-m", "P@10", "--wide", "--format", "csv")
    risk = cli(
        *("evaluate", sample.QRELS, *runs, "-m", "P@10", "--wide", "--format", "csv"),
        *("--baseline", runs[0]),
    )
    header, *rows = [line.split(",") for line in risk.stdout.splitlines()]
    assert header == ["run", "topic", "P@10", "URisk(P@10", "alpha=1)"] or '"' in risk.stdout
    before = [line.split(",")[2] for line in plain.stdout.splitlines()[1:]]
    assert [row[2] for row in rows] == before


# Significance and intervals


def contradicting() -> Scores:
    """Three systems on six topics. c - a has p = .017: significant by Holm, and not by Bonferroni."""
    values = [
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        [0.39, 0.49, 0.6, 0.75, 0.77, 0.9],
        [0.1, 0.28, 0.48, 0.52, 0.56, 0.79],
    ]
    return Scores(("a", "b", "c"), tuple("123456"), ("AP",), np.array(values)[:, :, None])


def test_a_significant_difference_whose_interval_holds_0_is_explained(tmp_path: Path, cli: Cli) -> None:
    found = compare(contradicting())
    low, high = found.difference - found.half_width, found.difference + found.half_width
    holds = (low <= 0) & (high >= 0)
    assert (found.significant & holds).sum() == 1  # the case that is to be explained
    why = (
        "significance is corrected by Holm's steps, the interval by Bonferroni for all 3 pairs at once, so "
        "it is wider"
    )
    said = f"1 difference is significant, and the interval holds 0 ({why})"
    assert found.about["disagreement"] == said
    assert found.details_note.endswith(f"Note: {said}.")
    remarks = found.rows.columns["remark"]
    assert [remark is not None for remark in remarks] == (found.significant & holds).ravel().tolist()
    assert f"significant, and the interval holds 0: {why}" in remarks
    assert json.loads(found.to_json())["about"]["disagreement"] == said
    assert why in found.to_csv()
    (tmp_path / "s.csv").write_text(contradicting().to_csv())
    for format in ("table", "markdown", "html", "latex", "csv", "json"):
        result = cli("compare", tmp_path / "s.csv", "--pairs", "--format", format)
        words = " ".join(result.stdout.replace("&#x27;", "'").replace("&#39;", "'").split())
        assert "significance is corrected by Holm's steps" in words, format
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from rankprism.showing.report import systems

        shown = systems.described(contradicting(), found, 0.05)["comparison"]["note"]
    assert shown.endswith(f"Note: {said}.")


def test_a_correction_for_one_pair_is_not_the_reason_for_a_wider_interval() -> None:
    """Six wins of six give Wilcoxon's exact p = 2/2⁶, and the last one makes Student's interval wide."""
    wins = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.9])
    values = np.stack([wins, np.zeros(6)])[:, :, None]
    found = compare(Scores(("a", "b"), tuple("123456"), ("AP",), values), test="wilcoxon")
    assert found.p.item() == pytest.approx(2 / 2**6)
    assert found.disagreement == (
        "1 difference is significant, and the interval holds 0 (significance is by Wilcoxon's signed-rank "
        "test, the interval by Student's t)"
    )


@pytest.mark.parametrize("correction", ["none", "bonferroni", "bh"])
@pytest.mark.parametrize("test", ["t", "anova-tukey"])
def test_tests_that_match_their_intervals_need_no_remark(test: TestName, correction: Correction) -> None:
    if test == "anova-tukey" and correction != "none":
        pytest.skip("the test corrects for the pairs itself")
    rng = np.random.default_rng(7)
    for _ in range(20):
        base = rng.random(12)
        shift = 0.1 * np.arange(4)[:, None] * (rng.random((4, 1)) < 0.7)
        values = (base + shift + 0.1 * rng.standard_normal((4, 12)))[:, :, None]
        scores = Scores(tuple("abcd"), tuple(map(str, range(12))), ("AP",), values)
        found = compare(scores, test=test, correction=correction)
        assert found.disagreement is None
        assert "disagreement" not in found.about
        assert set(found.rows.columns["remark"]) == {None}
