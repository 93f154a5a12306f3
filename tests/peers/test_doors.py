"""Other programs' doors equal those programs: pytrec_eval 0.5.11 on dictionaries, trec_eval 10 on files.

`trec_eval_10.json` has files and what trec_eval 10.0 (commit f4253652c8ef) printed for them. Where
pytrec_eval is known to fail, the inputs avoid it:

- It does not come back, or crashes, if a ranking is empty or all grades of a topic are negative.
- bpref reads beyond its table of grades if no grade of a topic reaches the relevance level minus 1.
- Precision at levels of recall is NaN for an empty ranking, which ``judged_docs_only_flag`` can make; here it
  is 0.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval as theirs

import rankprism
import rankprism.pytrec_eval as ours
from rankprism.measures.other_names import OTHER_NAMES
from rankprism.trec_eval import command
from rankprism.trec_eval.measures import MEASURES, NICKNAMES, asked

RECORD = json.loads((Path(__file__).parent / "trec_eval_10.json").read_text())
PARAMETERS = {
    "P": "1,3,7",
    "recall": "2",
    "ndcg_cut": "1,2,30",
    "map_cut": "4,1000",
    "relative_P": "6",
    "success": "2,3",
    "iprec_at_recall": "0.05,0.33,1.0",
    "Rprec_mult": "0.5,3",
    "11pt_avg": "0.2,0.5,0.8",
    "set_F": "0.5",
}

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def collection(rng: random.Random, topics: int = 4) -> tuple[Grades, Scores]:
    """Judgments and a run with ties, some of which only 32 bits see."""
    documents = [f"d{i}" for i in range(40)]
    grades = rng.choice([[0, 1], [0, 0, 1, 2, 3], [0, 1, -1, -2], [0, 1, 4, 12]])
    scores: list[float] = rng.choice(
        [[0.0, 1.0, 2.0], [1 + i * 1e-9 for i in range(9)], [rng.gauss(0, 3) for _ in range(99)]]
    )
    judgments = {
        f"q{t}": {doc: rng.choice(grades) for doc in rng.sample(documents, rng.randint(1, 30))} | {"zero": 0}
        for t in range(topics)
    }
    run = {
        f"q{t}": {doc: rng.choice(scores) for doc in rng.sample(documents, rng.randint(1, 40))}
        for t in rng.sample(range(topics + 1), topics)
    }
    return judgments, run


@pytest.mark.parametrize("seed", range(60))
def test_every_measure_equals_pytrec_eval(seed: int) -> None:
    rng = random.Random(seed)
    judgments, run = collection(rng)
    level, judged_only = rng.choice([1, 1, 2, 3]), rng.random() < 0.3
    measures = set(theirs.supported_measures)
    if level > 1:
        measures -= {"bpref", "gm_bpref"}
    if seed % 2:
        measures = {
            f"{name}{rng.choice('._')}{PARAMETERS[name]}" if name in PARAMETERS else name for name in measures
        }
    expected = theirs.RelevanceEvaluator(judgments, measures, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(judgments, measures, level, judged_only).evaluate(run)
    assert list(found) == list(expected)
    for topic in expected:
        assert list(found[topic]) == list(expected[topic])
        for name, score in expected[topic].items():
            assert found[topic][name] == pytest.approx(0 if math.isnan(score) else score, abs=1e-12), name


def test_names_equal_those_of_pytrec_eval() -> None:
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert set(theirs.__all__) <= set(ours.__all__)
    assert ours.__version__ == "0.5.11"


def in_catalogue() -> dict[str, str]:
    """The measures of the catalogue that have a name in trec_eval, apart from those of judgment groups."""
    found = {}
    for name, measure in ((r.name, r.measure) for r in OTHER_NAMES if r.program == "trec_eval" and r.reads):
        if measure and "avgjg" not in name and name != "set_F_K":  # which is printed as set_F
            k = "0.70" if name.startswith(("iprec_at_recall", "Rprec_mult")) else "7"
            found[name.replace("K", k)] = str(rankprism.parse(measure.replace("K", k)))
    return found


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("seed", range(5))
def test_measures_of_the_catalogue_equal_the_door(seed: int) -> None:
    judgments, run = collection(random.Random(seed))
    names = in_catalogue()
    found = ours.RelevanceEvaluator(judgments, names).evaluate(run)
    options: dict[str, Any] = {"topics": "retrieved", "order": "trec_eval-9"}
    scores = rankprism.evaluate(judgments, run, list(names.values()), **options).per_topic()["run"]
    for topic, row in found.items():
        for theirs_name, name in names.items():
            assert row[theirs_name] == pytest.approx(scores[topic][name], abs=1e-12), theirs_name


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("dcg", 2 / math.log2(3)),
        ("ideal_dcg", 2.0),
        ("yaap", math.log(1.5 / 1.5)),
        ("unj_1,2", None),
        ("rbp", 0.1 * 0.9),  # gain 2 of the highest, which is 2
        ("rbp_resid", 0.9**2 + 0.1),
    ],
)
def test_newer_measures_can_be_asked_for(measure: str, value: float | None) -> None:
    found = ours.RelevanceEvaluator({"q": {"a": 2}}, {measure}).evaluate({"q": {"u": 2, "a": 1}})["q"]
    if value is None:
        assert found == {"unj_1": 1.0, "unj_2": 0.5}
    else:
        assert found == {measure: pytest.approx(value)}


@pytest.mark.parametrize("name", ["P", "recall", "ndcg_cut", "map_cut", "success", "relative_P"])
def test_cutoffs_beyond_64_bits_are_the_largest_number_as_in_c(name: str) -> None:
    """P.99999999999999999999 had a negative zero under the name P_100000000000000000000."""
    qrel, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    for cutoff in ("99999999999999999999", "9223372036854775807", "5,9223372036854775806"):
        asked_for = {f"{name}.{cutoff}"}
        found, expected = (door.RelevanceEvaluator(qrel, asked_for).evaluate(run) for door in (ours, theirs))
        assert found == expected
        assert all(score > 0 for score in found["q"].values())


def test_differences_that_the_page_on_other_programs_announces() -> None:
    qrel, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    for refused in ("iprec_at_recall.0.25,.33", "utility.1,-1,0,0"):
        with pytest.raises(ValueError, match=f"unsupported measure {refused}"):
            ours.RelevanceEvaluator(qrel, {refused})
    assert list(theirs.RelevanceEvaluator(qrel, {"iprec_at_recall.0.25,.33"}).evaluate(run)["q"]) == [
        "iprec_at_recall_0.25"
    ]
    with pytest.raises(TypeError, match="should be positive"):
        ours.RelevanceEvaluator(qrel, {"map"}, relevance_level=-1)
    two = {"q\0": {"a": 1}, "q": {"a": 1}}
    runs = {"q\0": {"a": 1.0}, "q": {"a": 1.0}}
    assert len(ours.RelevanceEvaluator(two, {"map"}).evaluate(runs)) == 2
    negative = ours.RelevanceEvaluator({"q": {"a": -1}}, {"11pt_avg"}).evaluate({"q": {"a": 1.0}})
    assert negative == {"q": {"11pt_avg": 0.0}}
    empty = ours.RelevanceEvaluator(qrel, {"num_q", "num_rel", "num_ret", "gm_map"}).evaluate({"q": {}})["q"]
    assert empty == {"num_q": 1.0, "num_rel": 1.0, "num_ret": 0.0, "gm_map": math.log(0.00001)}


def test_an_empty_ranking_scores_0_and_is_no_reason_to_crash() -> None:
    found = ours.RelevanceEvaluator({"q": {"a": 1}}, ours.supported_measures).evaluate({"q": {}})["q"]
    assert found.pop("num_q") == 1
    assert found.pop("num_rel") == 1
    assert found.pop("gm_map") == found.pop("gm_bpref") == pytest.approx(math.log(1e-5))
    assert set(found.values()) == {0.0}


def test_topics_without_judgments_or_rankings_are_left_out() -> None:
    evaluator = ours.RelevanceEvaluator(
        {"1": {"a": 1}, "2": {}, "3": {"a": 0}, "4": {"a": -1}}, {"map", "ndcg"}
    )
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"2": {"a": 1.0}, "5": {"a": 1.0}}) == {}
    nothing = {"map": 0.0, "ndcg": 0.0}
    assert evaluator.evaluate({t: {"a": 1} for t in "34"}) == {"3": nothing, "4": nothing}


def test_real_grades_are_used_and_noted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "_noted", False)
    grades: Any = {"q": {"a": 0.5, "b": 0.25}}
    with pytest.raises(TypeError, match="Expected relevance to be integer"):
        theirs.RelevanceEvaluator(grades, {"ndcg"})
    with pytest.warns(rankprism.RankprismWarning, match="not whole numbers"):
        evaluator = ours.RelevanceEvaluator(grades, {"ndcg", "map"}, relevance_level=0.5)
    ours.RelevanceEvaluator(grades, {"ndcg"})  # no second note, which would be an error
    found = evaluator.evaluate({"q": {"b": 2, "a": 1}})["q"]
    gain = (0.25 + 0.5 / math.log2(3)) / (0.5 + 0.25 / math.log2(3))
    assert found == {"map": 0.5, "ndcg": pytest.approx(gain)}
    assert ours.RelevanceEvaluator({"q": {"a": 1.0}}, {"map"}).evaluate({"q": {"a": 1}}) == {
        "q": {"map": 1.0}
    }


def test_numbers_of_other_libraries_are_numbers() -> None:
    run: Any = {
        "q": {"a": np.float32(2), "b": np.int64(1), "c": Fraction(1, 2), "d": Decimal("0.1"), "e": True}
    }
    grades: Any = {"q": {"b": np.int64(1), "e": np.bool_(True)}}
    evaluator = ours.RelevanceEvaluator(grades, {"map"})
    assert evaluator.evaluate(run)["q"]["map"] == pytest.approx(
        (1 / 2 + 2 / 3) / 2
    )  # b and e tie, and e comes first


def test_ids_may_hold_any_characters() -> None:
    ids = ["\udcff", "\ud800", "ü", "日本", "", "a\0b", "a"]
    evaluator = ours.RelevanceEvaluator({name: {name: 1} for name in ids}, {"recip_rank"})
    run = {name: dict.fromkeys(ids, 1.0) | {name: 2.0} for name in ids}
    assert evaluator.evaluate(run) == {name: {"recip_rank": 1.0} for name in ids}


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([("q", {})], {"map"}), TypeError, "query_relevance should be of type dictionary"),
        (({"q": [("a", 1)]}, {"map"}), TypeError, "Expected dictionary as value"),
        (({"q": {1: 1}}, {"map"}), TypeError, "Expected mapping of document id"),
        (({1: {"a": 1}}, {"map"}), TypeError, "Expected string as key"),
        (({"q": {"a": "1"}}, {"map"}), TypeError, "Expected relevance to be integer"),
        (({"q": {"a": None}}, {"map"}), TypeError, "Expected relevance to be integer"),
        (({"q": {"a": math.nan}}, {"map"}), ValueError, "Expected relevance to be a grade; got nan"),
        (({"q": {"a": 1e300}}, {"map"}), ValueError, "Expected relevance to be a grade; got 1e[+]300"),
        (({"q": {"a": 1}}, {"map"}, 0), TypeError, "relevance_level should be positive"),
        (({"q": {"a": 1}}, {"map"}, "1"), TypeError, "relevance_level should be a number"),
        (({"q": {"a": 1}}, {"nonsense"}), ValueError, "unsupported measure nonsense"),
        (({"q": {"a": 1}}, {"P_5x"}), ValueError, "unsupported measure P_5x"),
        (({"q": {"a": 1}}, {"P_0"}), ValueError, "a cutoff must be at least 1"),
        (({"q": {"a": 1}}, "map"), ValueError, "unsupported measure map; give a set"),
        (({"q": {"a": 1}}, {"all_prefs"}), ValueError, "unsupported measure prefs_"),
    ],
)
def test_bad_judgments_and_measures_are_refused(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ours.RelevanceEvaluator(*arguments)


@pytest.mark.parametrize(
    ("run", "kind", "message"),
    [
        ([("q", {})], TypeError, "scores should be of type dictionary"),
        ({"q": ["a"]}, TypeError, "Unable to extract query/object scores: the scores of query 'q'"),
        ({1: {"a": 1}}, TypeError, "Unable to extract query/object scores: the query 1 is not a string"),
        ({"q": {1: 1.0}}, TypeError, "Unable to extract query/object scores: the document 1"),
        ({"q": {"a": "1"}}, TypeError, "Unable to extract query/object scores: the score '1'"),
        ({"q": {"a": 10**400}}, TypeError, "Unable to extract query/object scores"),
        ({"q": {"a": math.nan}}, ValueError, "is NaN, so it has no rank"),
    ],
)
def test_bad_runs_are_refused(run: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate(run)


def test_infinite_scores_have_a_rank() -> None:
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"})
    run = {"q": {"a": -math.inf, "b": 0.0, "c": math.inf, "d": 1e300}}  # which 32 bits call infinite, too
    assert evaluator.evaluate(run)["q"]["recip_rank"] == 1 / 4


def test_reading_and_averaging_equal_pytrec_eval() -> None:
    qrels, lines = ["1 0 a 1", "1 0 b 0", "2 0 a 2"], ["1 Q0 a 1 2.5 x", "2 Q0 b 1 -1 x"]
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    assert ours.parse_run(lines) == theirs.parse_run(lines)
    for measure in ("map", "num_ret", "gm_map"):
        values = [-0.25, 1.0, 3.0]
        expected = theirs.compute_aggregated_measure(measure, values)
        assert ours.compute_aggregated_measure(measure, values) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(AssertionError, match="judged twice"):
        ours.parse_qrel(qrels * 2)
    with pytest.raises(AssertionError, match="ranked twice"):
        ours.parse_run(lines * 2)
    with pytest.raises(ValueError, match="expected query, Q0"):
        ours.parse_run(["1 Q0 a 1 2.5"])


def test_threads_and_repetition_change_nothing() -> None:
    judgments, run = collection(random.Random(9), topics=30)
    evaluator = ours.RelevanceEvaluator(judgments, ours.supported_measures)
    expected = evaluator.evaluate(run)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(evaluator.evaluate, [run] * 64))


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss differs elsewhere")
@pytest.mark.skipif("RANKPRISM_SANITIZED" in os.environ, reason="sanitizers keep memory for a while")
def test_calls_leave_no_memory_behind() -> None:
    import resource

    judgments, run = collection(random.Random(3))
    bad: Any = {"q0": {"a": 1.0, "b": None}}

    def call(times: int) -> int:
        for _ in range(times):
            ours.RelevanceEvaluator(judgments, ours.supported_measures).evaluate(run)
            with pytest.raises(TypeError):
                ours.RelevanceEvaluator(judgments, {"map"}).evaluate(bad)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = call(300)
    assert call(3000) - before < 2000  # kB


# The command


def printed(capsysbinary: pytest.CaptureFixture[bytes], arguments: list[str]) -> str:
    command.run(arguments)
    return capsysbinary.readouterr().out.decode()


@pytest.mark.parametrize("case", RECORD["cases"], ids=lambda case: " ".join(case["options"]))
def test_the_command_prints_what_trec_eval_10_prints(
    case: dict[str, Any], tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    files = []
    for name in ("deviations", "judgments", "run"):
        if case[name] is not None:
            (tmp_path / name).write_text(case[name])
            files.append(str(tmp_path / name))
    assert printed(capsysbinary, [*case["options"], *files]) == case["printed"]


def test_every_measure_of_the_table_is_printed_somewhere_in_the_record() -> None:
    lines = "".join(case["printed"] for case in RECORD["cases"])
    assert [name for name in MEASURES if f"\n{name}" not in f"\n{lines}"] == []


def test_nicknames_name_known_measures() -> None:
    for names in NICKNAMES.values():
        assert set(names) <= set(MEASURES)
    assert len(NICKNAMES["all_trec"]) == 37
    assert asked(MEASURES["utility"], "1,-1,0,0.5").numbers == [1, -1, 0, 0.5]


def test_a_topic_that_the_run_lacks_is_skipped_as_the_documentation_of_trec_eval_says(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """trec_eval 10.0 ends with exit code 4 here."""
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r").write_text("2 Q0 a 1 1 x\n")
    files = [str(tmp_path / "q"), str(tmp_path / "r")]
    assert printed(capsysbinary, ["-q", "-m", "map", *files]).split() == [
        "map",
        "2",
        "1.0000",
        "map",
        "all",
        "1.0000",
    ]
    assert printed(capsysbinary, ["-c", "-m", "num_q", *files]).split() == ["num_q", "all", "2"]
    assert printed(capsysbinary, ["-D", "0.2", "-m", "num_q", *files]).split() == ["num_q", "all", "1"]


def start(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "rankprism.trec_eval", *words]
    return subprocess.run(program, input=text, capture_output=True, encoding="utf-8")


def test_the_command_reads_standard_input_and_prints_nothing_else(tmp_path: Path) -> None:
    case = RECORD["cases"][0]
    (tmp_path / "q").write_text(case["judgments"])
    found = start(*case["options"], str(tmp_path / "q"), "-", text=case["run"])
    assert (found.returncode, found.stdout, found.stderr) == (0, case["printed"], "")


@pytest.mark.parametrize(
    ("options", "judgments", "run", "code", "message"),
    [
        (["-m", "mpa"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 1, "illegal measure 'mpa'; did you mean 'map'?"),
        (["-m", "P."], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 1, "no parameters after the point"),
        (["-m", "P.0"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 2, "a cutoff must be at least 1"),
        (["-m", "P.5,5"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 2, "the same parameter twice"),
        (["-m", "ndcg.1"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 2, "malformed pair"),
        (["-m", "utility.1"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 4, "four coefficients"),
        (["-m", "map", "-R", "prefs"], "1 0 0 a 1\n", "1 Q0 a 1 1 x\n", 4, "it needs -R qrels"),
        (["-R", "nonsense"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 2, "Illegal rel_format 'nonsense'"),
        (["-T", "nonsense"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 2, "Illegal retrieval results format 'nonsense'"),
        (["-y"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 1, "option -y not recognized"),
        (["-D", "3"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 1, "no debug output"),
        (
            [],
            "1 0 a 1\n\n",
            "1 Q0 a 1 1 x\n",
            2,
            "judgments, line 2: expected topic, group, document and grade",
        ),
        ([], "1 0 a 1\n", "1 Q0 a 1 1\n", 2, "run, line 1: expected topic, Q0, document"),
        ([], "1 0 a 1\n", "1 Q0 a 1 nan x\n", 2, "run, line 1: the score is NaN"),
        ([], "", "1 Q0 a 1 1 x\n", 2, "there are no judgments"),
        ([], "1 0 a 1\n", "", 2, "there are no documents"),
        ([], "1 0 a 1\n1 0 a 0\n", "1 Q0 a 1 1 x\n", 4, "'a' of topic '1' has been judged already"),
        ([], "1 0 a 1\n", "1 Q0 a 1 1 x\n1 Q0 a 2 2 x\n", 4, "'a' of topic '1' is ranked twice"),
        ([], "1 0 a 1\n", "2 Q0 a 1 1 x\n", 7, "No queries with both results and relevance info"),
        (["-R", "prefs", "-m", "prefs"], "1 0 0 a 1\n1 0 0 a 2\n", "1 Q0 a 1 1 x\n", 4, "two levels"),
        (["-Z", "no such file"], "1 0 a 1\n", "1 Q0 a 1 1 x\n", 255, "Cannot read 'no such file'"),
    ],
)
def test_mistakes_have_the_exit_codes_of_trec_eval(
    options: list[str], judgments: str, run: str, code: int, message: str, tmp_path: Path
) -> None:
    (tmp_path / "judgments").write_text(judgments)
    (tmp_path / "run").write_text(run)
    with pytest.raises(command.Stop, match=message.replace("?", "[?]")) as stop:
        command.run([*options, str(tmp_path / "judgments"), str(tmp_path / "run")])
    assert stop.value.code == code


def test_the_command_ends_with_one_line_about_a_mistake(tmp_path: Path) -> None:
    found = start("-q", str(tmp_path / "none"), str(tmp_path / "none"))
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.splitlines() == [
        f"trec_eval: Cannot read '{tmp_path / 'none'}': No such file or directory"
    ]


def test_grades_that_trec_eval_cuts_are_noted(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 0.7\n1 0 b 1\n")
    found = start("-m", "num_rel", str(tmp_path / "q"), "-", text="1 Q0 a 1 1 x\n")
    assert found.stdout.split() == ["num_rel", "all", "1"]
    assert "q, line 1: the grade is not a whole number" in found.stderr


def test_help_names_every_measure() -> None:
    found = start("-h")
    assert found.returncode == 0
    assert set(MEASURES) <= set(found.stdout.split())
