"""The gate: its test against scipy and brute force, what it writes, its exit codes, its policy, and how often
it gives a false alarm."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from scipy import stats

import simulations.alarms
from rankprism import Collection, InputError, MeasureError, RankprismWarning, compare, gate, sample
from rankprism.comparison import topic_set_size
from rankprism.comparison.boards.gate import gate_of
from rankprism.comparison.boards.policy import Policy, read_policy
from rankprism.comparison.boards.verdict import Gate
from rankprism.comparison.topics_needed import _t_power
from rankprism.data.arrays import Floats
from rankprism.results.scores import Scores
from tests.support.machine import SCRIPTS, posix

ROOT = Path(__file__).parents[2]
BUILDS = ROOT / "docs" / "builds"
Cli = Callable[..., subprocess.CompletedProcess[str]]
MEASURES = ("nDCG@10", "AP", "P@10", "RR")


def found_in(z: Floats, margin: float | dict[str, float], **settings: Any) -> Gate:
    """The gate of differences (topic,) or (topic, measure)."""
    z = z.reshape(len(z), -1)
    names = MEASURES[: z.shape[1]]
    values = np.stack([np.full_like(z, 0.5), 0.5 + z])
    margins = margin if isinstance(margin, dict) else None
    policy = Policy.of(names, None if margins else margin, margins, **settings)  # type: ignore[arg-type]
    return gate_of(Scores(("old", "new"), tuple(map(str, range(len(z)))), names, values), policy)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.01, 0.05]), st.integers(2, 40))
def test_p_values_and_intervals_equal_scipy(seed: int, margin: float, topics: int) -> None:
    z = np.random.default_rng(seed).normal(-0.03, 0.1, topics)
    found = found_in(z, margin)
    worse = stats.ttest_1samp(z, -margin, alternative="less").pvalue
    better = stats.ttest_1samp(z, -margin, alternative="greater").pvalue
    assert found.failing[0] == pytest.approx(worse, rel=1e-6)
    assert found.passing[0] == pytest.approx(better, rel=1e-6)
    verdict = "failed" if worse < 0.05 else "passed" if better < 0.05 else "cannot tell"
    assert found.outcome == verdict
    ends = stats.ttest_1samp(z, 0).confidence_interval(0.9)
    row = found.rows.records()[0]
    assert (row["low"], row["high"]) == pytest.approx(tuple(ends), rel=1e-6)
    # The interval decides in the same way.
    assert (row["high"] < -margin, row["low"] > -margin) == (verdict == "failed", verdict == "passed")


@given(st.integers(0, 10_000))
def test_measures_are_corrected_by_holm_in_each_direction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(rng.choice([-0.06, 0.0, 0.06], 4), 0.1, (25, 4))
    margins = dict(zip(MEASURES, (0.0, 0.01, 0.02, 0.03), strict=True))
    found = found_in(z, margins)
    for alternative, ours in (("less", found.failing), ("greater", found.passing)):
        p = [
            float(stats.ttest_1samp(z[:, m], -margins[name], alternative=alternative).pvalue)
            for m, name in enumerate(MEASURES)
        ]
        # Holm's definition: the smallest p times 4, the next times 3, and so on, never below the one before.
        expected, highest = [0.0] * 4, 0.0
        for step, m in enumerate(np.argsort(p).tolist()):
            highest = max(highest, (4 - step) * p[m])
            expected[m] = min(1.0, highest)
        assert ours == pytest.approx(expected, rel=1e-6)
    for m, verdict in enumerate(found.verdicts):
        assert (verdict == "failed") == (found.failing[m] < 0.05)
        assert (verdict == "passed") == (found.passing[m] < 0.05)
    assert found.level == pytest.approx(1 - 2 * 0.05 / 4)
    worst = next(word for word in ("failed", "cannot tell", "passed") if word in found.verdicts)
    assert found.outcome == worst


def test_one_measure_has_the_p_and_the_interval_of_compare() -> None:
    qrels, runs = sample.QRELS, sorted(sample.RUNS)[:2]
    found = gate(qrels, runs[0], runs[1], "nDCG@10", margin=0.02)
    compared = compare(qrels, list(runs), "nDCG@10", margin=0.02, baseline=found.baseline).margins
    assert compared is not None
    row = found.rows.records()[0]
    assert row["p passed"] == compared.not_worse[0, 0]
    assert (row["low"], row["high"]) == (compared.low[0, 0], compared.high[0, 0])


@pytest.mark.parametrize(
    ("change", "margin", "outcome"),
    [
        (-0.02, 0.01, "failed"),
        (-0.005, 0.01, "passed"),
        (-0.01, 0.01, "cannot tell"),
        (0.01, 0.0, "passed"),
        (-0.01, 0.0, "failed"),
        (0.0, 0.0, "unchanged"),
        (0.0, 0.01, "unchanged"),
    ],
)
def test_if_all_topics_change_alike_the_difference_is_compared_with_the_margin(
    change: float, margin: float, outcome: str
) -> None:
    found = found_in(np.full(30, change), margin)
    assert found.outcome == outcome
    assert np.isnan(found.half_width[0])
    assert np.isnan(found.detectable[0])


def test_one_topic_shows_nothing_unless_it_did_not_change() -> None:
    with pytest.warns(RankprismWarning, match="no interval of a difference beside a margin"):
        found = gate({"q": {"a": 1}}, {"q": {"a": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}, "RR", margin=0.1)
    assert found.outcome == "cannot tell"
    assert np.isnan(found.failing[0])
    with pytest.warns(RankprismWarning, match="no interval"):
        same = gate({"q": {"a": 1}}, {"q": {"a": 1.0}}, {"q": {"a": 5.0}}, "RR", margin=0.1)
    assert same.outcome == "unchanged"


def test_differences_made_by_rounding_do_not_count_as_changes() -> None:
    z = np.zeros(30)
    z[3] = 1e-16
    assert found_in(z, 0.01).outcome == "unchanged"


def test_a_loss_that_is_called_detectable_fails_in_80_of_100_studies() -> None:
    rng = np.random.default_rng(0)
    deviation, topics, margin = 0.1, 40, 0.01
    # The detectable loss of the true deviation.
    z = rng.normal(0, 1, topics)
    z = deviation * (z - z.mean()) / z.std(ddof=1)
    loss = float(found_in(z, margin).detectable[0])
    failed = np.mean(
        [found_in(rng.normal(-loss, deviation, topics), margin).outcome == "failed" for _ in range(1000)]
    )
    assert abs(failed - 0.8) < 3.3 * np.sqrt(0.16 / 1000)


#: Topics for a power of .8 with a one-sided test at .05, by the noncentral t of another program. Columns: the
#: distance between the true loss and the margin.
DISTANCES = (0.03, 0.025, 0.02, 0.01, 0.005)
NEEDED = {
    0.03: (8, 11, 16, 58, 224),
    0.05: (19, 27, 41, 156, 620),
    0.08: (46, 65, 101, 398, 1585),
    0.1: (71, 101, 156, 620, 2475),
    0.13: (118, 169, 263, 1047, 4181),
    0.16: (178, 255, 398, 1585, 6333),
    0.2: (277, 398, 620, 2475, 9894),
    0.25: (431, 620, 968, 3866, 15458),
    0.4: (1101, 1585, 2475, 9894, 39570),
}


@pytest.mark.parametrize("deviation", NEEDED)
def test_the_topics_that_a_gate_needs(deviation: float) -> None:
    needed = [
        topic_set_size(difference=distance, variance=deviation**2, one_sided=True).topics[0]
        for distance in DISTANCES
    ]
    assert tuple(needed) == NEEDED[deviation]


def test_53_topics_find_a_loss_of_three_hundredths_in_38_of_100_studies() -> None:
    power = _t_power(0.03, 0.16**2, 0.05, True)(53)
    expected = stats.nct.sf(stats.t.ppf(0.95, 52), 52, np.sqrt(53) * 0.03 / 0.16)
    assert power == pytest.approx(expected, abs=1e-4)
    assert round(power, 2) == 0.38


# False alarms, in a short form of `make coverage`


def few_studies(differences: Floats) -> None:
    for case in simulations.alarms.CASES[:2]:
        found = simulations.alarms.verdicts(differences, 50, case, studies=600)
        assert not simulations.alarms.alarms(case, found["failed"], 600, tolerance=3.5), (case, found)
        assert case.loss != case.margin or found["failed"] > 0.015  # it does fail at times


def test_false_alarms_on_populations_like_real_ones() -> None:
    for differences in simulations.alarms.fitted().values():
        few_studies(differences)


@pytest.mark.usefixtures("collections")
def test_false_alarms_on_real_differences() -> None:
    for differences in simulations.alarms.populations().values():
        few_studies(differences)


def test_a_naive_rule_would_be_noticed() -> None:
    """The rule "fail if the mean fell by more than the margin" has alarms in half of the studies."""
    rng = np.random.default_rng(1)
    z = next(iter(simulations.alarms.fitted().values()))
    failed = np.mean([rng.choice(z[rng.integers(len(z))], 50).mean() < 0 for _ in range(600)])
    assert simulations.alarms.alarms(simulations.alarms.CASES[0], float(failed), 600, tolerance=3.5)


# What it reads and writes


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Judgments, and two versions of a run under one name. The new one puts a relevant document last on half
    of the topics."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{q} 0 good 2\n{q} 0 fine 1\n{q} 0 bad 0\n" for q in range(1, 41)))
    old, new = tmp_path / "main" / "bm25.run", tmp_path / "new" / "bm25.run"
    for path in (old, new):
        path.parent.mkdir()
    lines = [f"{q} Q0 good 1 3 x\n{q} Q0 fine 2 2 x\n{q} Q0 bad 3 1 x\n" for q in range(1, 41)]
    old.write_text("".join(lines))
    worse = [f"{q} Q0 new 1 4 x\n{q} Q0 fine 2 3 x\n{q} Q0 good 3 2 x\n" for q in range(1, 21)]
    new.write_text("".join(worse + lines[20:]))
    return qrels, old, new


def test_two_files_of_one_name_are_named_by_their_paths(versions: tuple[Path, Path, Path]) -> None:
    qrels, old, new = versions
    found = gate(qrels, old, new, "nDCG@10", margin=0.01)
    assert (found.baseline, found.new) == (str(old), str(new))
    assert (found.outcome, found.exit_code) == ("failed", 3)


def test_the_comment_says_which_topics_lost_most_and_why(versions: tuple[Path, Path, Path]) -> None:
    found = gate(*versions, "nDCG@10", margin=0.01)
    assert len(found.lost) == 5
    assert [bool(one.reasons) for one in found.lost] == [True] * 3 + [False] * 2
    # nDCG@10 of "good" at rank 1: 2 / log2(2), at rank 3: 2 / log2(4); the ideal has 2 + 1 / log2(3).
    ideal = 2 + 1 / np.log2(3)
    lost = (2 / 2 - 2) / ideal
    assert found.lost[0].reasons == (
        f"good (grade 2) moved from rank 1 to 3: {lost:.4f}",
        "1 of the first 3 documents are not judged; before, it was 0",
    )
    assert found.lost[0].difference == pytest.approx(lost)
    comment = found.to_comment()
    assert comment.startswith("### ❌ Relevance gate: failed\n")
    assert f"good (grade 2) moved from rank 1 to 3: {lost:.4f}" in comment
    assert "20 |" in comment  # changed topics


def test_a_topic_without_documents_is_a_reason(versions: tuple[Path, Path, Path]) -> None:
    qrels, old, _ = versions
    half = {str(q): {"good": 2.0} for q in range(1, 21)}
    with pytest.warns(RankprismWarning, match="judged topics are missing from 'new'"):
        found = gate(qrels, old, half, "nDCG@10", margin=0.01)
    assert found.lost[0].reasons == ("nothing was retrieved",)
    assert len(found.topics) == 40  # leaving out topics does not help


def test_junit_has_a_test_case_for_each_measure(versions: tuple[Path, Path, Path]) -> None:
    rng = np.random.default_rng(3)
    z = np.stack([rng.normal(mean, 0.05, 40) for mean in (-0.1, 0.1, -0.01)] + [np.zeros(40)], axis=1)
    counts = {"report": (1, 1, 0), "fail": (2, 0, 0), "pass": (1, 0, 1)}
    for word, (failures, errors, skipped) in counts.items():
        found = found_in(z, 0.01, cannot_tell=word)
        assert found.verdicts == ("failed", "passed", "cannot tell", "unchanged")
        suite = ElementTree.fromstring(found.to_junit().encode())
        expected = {"tests": 4, "failures": failures, "errors": errors, "skipped": skipped}
        assert {name: int(suite.attrib[name]) for name in expected} == expected
        assert [case.attrib["name"] for case in suite] == list(MEASURES)
        for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert len(list(suite.iter(tag))) == expected[attribute]


def test_annotations_are_one_line_each_whatever_ids_are_called() -> None:
    nasty = 'a%0A::error::b\n<b>"&\x1b[31m'
    qrels = {f"{nasty}{q}": {"good": 1} for q in range(20)}
    found = gate(
        qrels,
        {q: {"good": 2.0, "bad": 1.0} for q in qrels},
        {q: {"bad": 2.0, "good": 1.0} for q in qrels},
        "RR",
        margin=0.01,
    )
    assert found.outcome == "failed"
    lines = found.to_annotations().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::error title=Relevance gate::failed: RR 1.0000 → 0.5000")
    assert "\x1b" not in lines[0]
    assert "a%250A" in lines[0]
    suite = ElementTree.fromstring(found.to_junit().encode())
    assert "<b>" in (next(suite.iter("failure")).text or "")
    assert "<b>" not in found.to_comment()


@pytest.mark.parametrize(
    ("cannot_tell", "code", "kind"), [("report", 4, "warning"), ("pass", 0, "notice"), ("fail", 3, "error")]
)
def test_the_policy_says_what_cannot_tell_does(cannot_tell: str, code: int, kind: str) -> None:
    z = np.random.default_rng(3).normal(-0.01, 0.1, 20)
    found = found_in(z, 0.01, cannot_tell=cannot_tell)
    assert (found.outcome, found.exit_code) == ("cannot tell", code)
    assert found.to_annotations().startswith(f"::{kind} ")


def test_a_gate_takes_a_collection_and_the_names_of_two_of_its_runs() -> None:
    qrels = {str(q): {"x": {"a": 1, "b": 2}, "y": {"b": 1}} for q in range(30)}
    good = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    bad = good | {str(q): {"b": 2.0, "c": 1.5, "a": 1.0} for q in range(12)}
    options: Any = {"weights": {q: {"x": 0.8, "y": 0.2} for q in qrels}, "run_depth": 2}
    collection = Collection.of(qrels, {"bad": bad, "good": good, "other": bad}, **options)
    expected = gate(qrels, good, bad, "nDCG@2 P_IA@2", margin=0.05, **options)
    found = gate(collection, "good", "bad", "nDCG@2 P_IA@2", margin=0.05)
    assert (found.baseline, found.new, found.lost) == ("good", "bad", expected.lost)
    assert found.failing.tolist() == expected.failing.tolist()
    assert found.difference.tolist() == expected.difference.tolist()
    two = gate(collection.keep(runs=["good", "bad"]), measures="nDCG@2 P_IA@2", margin=0.05)
    assert two.to_json() == found.to_json()
    with pytest.raises(InputError, match="a gate compares two runs; name them among bad, good, other"):
        gate(collection, measures="P@2", margin=0.05)
    with pytest.raises(InputError, match="got 'bad' twice"):
        gate(collection, "bad", "bad", "P@2", margin=0.05)
    with pytest.raises(InputError, match="averages over all judged topics"):
        gate(qrels, good, bad, "P@2", margin=0.05, topics="retrieved")
    with pytest.raises(TypeError, match="runs are part of a Collection"):
        gate(collection, good, bad, "P@2", margin=0.05)
    with pytest.raises(TypeError, match="order is part of a Collection"):
        gate(collection, "good", "bad", "P@2", margin=0.05, order="input")
    with pytest.raises(TypeError, match="pass the baseline and the new run"):
        gate(qrels, measures="P@2", margin=0.05)


def test_exit_codes_of_the_command(cli: Cli, versions: tuple[Path, Path, Path], tmp_path: Path) -> None:
    qrels, old, new = versions
    words = ("gate", qrels, old)
    failed = cli(*words, new, "-m", "nDCG@10", "--margin", ".01")
    assert (failed.returncode, failed.stderr) == (3, "")
    assert "Failed: " in failed.stdout
    better = cli("gate", qrels, new, old, "-m", "nDCG@10", "--margin", ".01")
    assert (better.returncode, better.stderr) == (0, "")
    unchanged = cli(*words, old, "-m", "nDCG@10", "--margin", "0")
    assert (unchanged.returncode, unchanged.stderr) == (0, "")
    assert "unchanged" in unchanged.stdout
    undecided = cli(*words, new, "-m", "nDCG@10", "--margin", ".23")
    assert (undecided.returncode, undecided.stderr) == (4, "")
    assert cli(*words, "-m", "nDCG@10", "--margin", ".01").returncode == 2
    assert cli(*words, new, "--margin", ".01").returncode == 2


def test_everything_is_written_at_once(cli: Cli, versions: tuple[Path, Path, Path], tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("gate.xml", "gate.md", "gate.txt", "gate.json")}
    xml, comment, notes, result = files.values()
    words = ("gate", *versions, "-m", "nDCG@10 AP", "--margin", "1%")
    done = cli(*words, "--junit", xml, "--comment", comment, "--annotations", notes, "-o", result)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    read = json.loads(result.read_text(encoding="utf-8"))
    assert read["about"]["outcome"] == "failed"
    assert [row["measure"] for row in read["rows"]] == ["nDCG@10", "AP"]
    assert read["about"]["lost topics"][0]["reasons"]
    assert ElementTree.parse(xml).getroot().tag == "testsuite"
    assert comment.read_text(encoding="utf-8").startswith("### ")
    assert notes.read_text(encoding="utf-8").count("::error ") >= 1
    refused = cli(*words, "--annotations", "-", "--format", "json")
    assert refused.returncode == 2
    assert "only one of the outputs can go to standard output" in refused.stderr


def test_a_baseline_may_come_through_a_pipe(cli: Cli, versions: tuple[Path, Path, Path]) -> None:
    qrels, old, new = versions
    piped = cli("gate", qrels, "-", new, "-m", "nDCG@10", "--margin", ".01", input=old.read_text())
    assert (piped.returncode, piped.stderr) == (3, "")


@pytest.mark.filterwarnings(r"ignore:.*\[borrowed\]")
def test_preferences_have_a_gate_too(tmp_path: Path) -> None:
    preferences, runs = sample.PREFERENCES, sorted(sample.RUNS)
    with pytest.warns(RankprismWarning, match="were ever shown"):
        found = gate(preferences, runs[1], runs[2], "nPrf@10", margin=0.01)
    assert found.outcome == "failed"
    assert found.lost[0].reasons


# The policy

POLICY = """
[gate]
measures = ["nDCG@10", "AP"]
margin = 0.01
cannot-tell = "pass"
alpha = 0.1

[gate.margins]
MAP = "2%"
"""


def test_a_policy_in_toml(tmp_path: Path, versions: tuple[Path, Path, Path]) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(POLICY)
    policy = read_policy(path)
    assert list(map(str, policy.measures)) == ["nDCG@10", "AP"]
    assert [(margin.size, margin.relative) for margin in policy.margins] == [(0.01, False), (0.02, True)]
    assert (policy.alpha, policy.cannot_tell) == (0.1, "pass")
    found = gate(*versions, policy=path)
    assert found.margin.tolist() == pytest.approx([0.01, 0.02 * found.means[0, 1]])
    with pytest.raises(InputError, match="the policy decides on margin; leave out margin, or the policy"):
        gate(*versions, policy=path, margin=0.5)
    with pytest.raises(InputError, match="the policy decides on measures"):
        gate(*versions, "AP", policy=path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no table gate"),
        ("gate = 1", "has no table gate"),
        ("[gate]", "name the measures"),
        ("[gate]\nmeasure = ['AP']", "unknown key 'measure'.*did you mean measures"),
        ("[gate]\nmeasures = 'AP'", "measures must be a list"),
        ("[gate]\nmeasures = [3]", "measures must be a list"),
        ("[gate]\nmeasures = ['AP']", "give a margin for AP"),
        ("[gate]\nmeasures = ['AP']\nmargin = -1", "the margin must be 0 or a number above it"),
        (f"[gate]\nmeasures = ['AP']\nmargin = 1{'0' * 400}", "the margin must be 0 or a number above it"),
        ("[gate]\nmeasures = ['AP']\nmargin = true", "margin must be a number"),
        ("[gate]\nmeasures = ['AP']\nmargin = '2 %%'", "the margin must be 0 or"),
        (
            "[gate]\nmeasures = ['AP']\nmargin = 0.1\n[gate.margins]\nRR = 1",
            "a margin for RR, which is not among",
        ),
        ("[gate]\nmeasures = ['AP']\n[gate.margins]\nAP = 'x'", "the margin of AP must be"),
        ("[gate]\nmeasures = ['AP']\nmargin = 0\nalpha = 0.6", "below 0.5"),
        ("[gate]\nmeasures = ['AP']\nmargin = 0\nalpha = 2", "alpha must be a number between 0 and 1"),
        ("[gate]\nmeasures = ['AP']\nmargin = 0\ncannot-tell = 'x'", "must be one of report, pass, fail"),
        ("[gate]\nmeasures = ['nDGC']\nmargin = 0", "did you mean nDCG"),
        ("[gate", "cannot be read as TOML"),
    ],
)
def test_a_bad_policy_is_refused_with_its_name(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises((InputError, MeasureError), match=f"gate.toml: .*{message}"):
        read_policy(path)


def test_a_margin_is_needed_and_so_are_measures(versions: tuple[Path, Path, Path]) -> None:
    with pytest.raises(InputError, match="give a margin for AP: the largest loss that does not matter"):
        gate(*versions, "AP")
    with pytest.raises(InputError, match="name the measures of the gate, or a policy that does"):
        gate(*versions)
    with pytest.raises(InputError, match="there is no such file"):
        gate(*versions, policy="nowhere.toml")


# The action


def test_the_action_fits_githubs_schema() -> None:
    tool = SCRIPTS / "check-jsonschema"
    words = [str(tool), "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml")]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_workflow_of_the_page_fits_githubs_schema_and_trusts_only_the_base_branch() -> None:
    path = BUILDS / "github.yml"
    words = [str(SCRIPTS / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", str(path)]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    workflow = YAML(typ="safe").load(path)
    assert workflow["permissions"] == {"contents": "read"}
    search, judge = workflow["jobs"]["search"], workflow["jobs"]["gate"]
    assert "permissions" not in search, "it runs the program of the pull request"
    [checkout] = [s for s in judge["steps"] if s.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"]["ref"] == "${{ github.base_ref }}"
    assert "path" not in checkout["with"]
    [used] = [s for s in judge["steps"] if s.get("id") == "gate"]
    assert used["uses"] == "./tools/rankprism"
    judgments, *runs = used["with"]["files"].split()
    assert (judgments, used["with"]["policy"]) == ("qrels.txt", "gate.toml"), "of the base branch"
    versions = [version["version"] for version in search["strategy"]["matrix"]["include"]]
    assert runs == [f"runs/{version}/search.run" for version in versions]


def test_what_the_page_shows_of_gitlab_tests_the_judgments_of_the_target_branch() -> None:
    job = YAML(typ="safe").load(BUILDS / "gitlab.yml")["relevance"]
    fetched, checked_out = job["script"][:2]
    assert fetched.endswith('"$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"')
    assert checked_out == "git checkout FETCH_HEAD -- qrels.txt gate.toml"
    [gate] = [line for line in job["script"] if line.startswith("rankprism gate qrels.txt ")]
    assert "--policy gate.toml" in gate
    assert f"--junit {job['artifacts']['reports']['junit']}" in gate


class Acted(NamedTuple):
    """What the script of the action did."""

    code: int
    outputs: dict[str, str]
    stdout: str
    stderr: str
    summary: str


@pytest.fixture
def act(tmp_path: Path, commands: Path) -> Callable[..., Acted]:
    """Run the script of the action as GitHub runs it. What it would install is there already."""
    action = YAML(typ="safe").load(ROOT / "action.yml")
    install, compare_runs = action["runs"]["steps"]
    assert install["run"].splitlines()[-1].endswith('install --quiet "$GITHUB_ACTION_PATH"')

    def run(files: str, program: str = f'exec "{commands / "rankprism"}" "$@"', **given: str) -> Acted:
        place = tmp_path / "runner" / "rankprism" / "bin" / "rankprism"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"#!/bin/sh\n{program}\n")
        place.chmod(0o755)
        inputs = dict.fromkeys(action["inputs"], "") | {"files": files} | given
        variables = {
            name: inputs[value.split(".")[1].split(" ")[0]] for name, value in compare_runs["env"].items()
        }
        places = {name: tmp_path / "runner" / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in places.values():
            file.write_text("")
        environment = os.environ | variables | {name: str(file) for name, file in places.items()}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", compare_runs["run"]]
        done = subprocess.run(
            words,
            env=environment | {"RUNNER_TEMP": str(tmp_path / "runner")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        said = dict(line.split("=", 1) for line in places["GITHUB_OUTPUT"].read_text().splitlines())
        summary = places["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return Acted(done.returncode, said, done.stdout, done.stderr, summary)

    return run


NDCG = {"measures": "nDCG@10 AP", "margin": "0.01"}


@posix
def test_the_script_of_the_action_does_what_the_page_says(
    versions: tuple[Path, Path, Path], act: Callable[..., Acted]
) -> None:
    qrels, old, new = versions
    for files, code, outcome in (
        (f"{qrels}\n{old}\n{new}\n", 3, "failed"),
        (f"{qrels} {old} {old}\n", 0, "unchanged"),
        (f"{qrels} {new} {old}", 0, "passed"),
    ):
        done = act(files, **NDCG)
        assert (done.code, done.stderr) == (code, "")
        assert ("::error " in done.stdout) == (code == 3)
        assert done.outputs["outcome"] == outcome
        assert f"Relevance gate: {outcome}\n" in done.stdout
        assert Path(done.outputs["comment"]).read_text(encoding="utf-8").startswith("### ")
        assert ElementTree.parse(done.outputs["junit"]).getroot().tag == "testsuite"
        assert "Relevance gate" in done.summary


@posix
@pytest.mark.parametrize(("cannot_tell", "code"), [("report", 4), ("pass", 0), ("fail", 3)])
def test_the_action_says_that_the_gate_cannot_tell_under_every_policy(
    cannot_tell: str, code: int, versions: tuple[Path, Path, Path], act: Callable[..., Acted], tmp_path: Path
) -> None:
    qrels, old, new = versions
    policy = tmp_path / "gate.toml"
    policy.write_text(f"[gate]\nmeasures = ['nDCG@10']\nmargin = 0.23\ncannot-tell = '{cannot_tell}'\n")
    done = act(f"{qrels} {old} {new}", policy=str(policy))
    assert (done.code, done.outputs["outcome"]) == (code, "cannot tell")
    assert "Relevance gate: cannot tell" in done.stdout
    assert "Cannot tell whether" in done.summary


@posix
def test_names_in_the_action_may_have_blanks(
    versions: tuple[Path, Path, Path], act: Callable[..., Acted], tmp_path: Path
) -> None:
    qrels, old, new = versions
    spaced = tmp_path / "a new $(touch ran) * run.txt"
    spaced.write_bytes(new.read_bytes())
    done = act(f"{qrels}\n{old}\n{spaced}\n", **NDCG)
    assert (done.code, done.outputs["outcome"]) == (3, "failed")
    assert not (tmp_path / "ran").exists()


@posix
@pytest.mark.parametrize(
    ("files", "given"),
    [
        ("Q OLD NEW --help", {}),
        ("-h", {}),
        ("Q OLD NEW --measures own.py", {}),
        ("Q\nOLD\n--measures=own.py\nNEW", {}),
        ("- OLD NEW", {}),
        ("-- Q OLD NEW", {}),
        ("Q OLD NEW", {"policy": "--help", "measures": "", "margin": ""}),
        ("Q OLD NEW", {"measures": "--help"}),
        ("Q OLD NEW", {"measures": "AP --measures own.py"}),
        ("Q OLD NEW", {"margin": "--help"}),
        ("nowhere.txt a b", {}),
        ("", {}),
    ],
)
def test_no_input_of_the_action_is_an_option_and_an_error_has_no_outcome(
    files: str,
    given: dict[str, str],
    versions: tuple[Path, Path, Path],
    act: Callable[..., Acted],
    tmp_path: Path,
) -> None:
    (tmp_path / "own.py").write_text("open('ran', 'w')\n")
    for word, path in zip(("Q", "OLD", "NEW"), versions, strict=True):
        files = re.sub(rf"\b{word}\b", str(path), files)
    done = act(files, **NDCG | given)
    assert (done.code, done.outputs) == (2, {})
    assert done.stderr
    assert not (tmp_path / "ran").exists()


@posix
@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("exit 0", 1),
        ("exit 3", 3),
        ("""for w; do case $w in --output=*) echo '{"about": {}}' > "${w#*=}";; esac; done""", 1),
        (
            """for w; do case $w in --output=*) echo '{"about": {"exit code": 3, "outcome": "failed"}}' """
            """> "${w#*=}";; esac; done""",
            1,
        ),
    ],
)
def test_the_action_believes_no_exit_code_without_a_verdict(
    program: str, code: int, versions: tuple[Path, Path, Path], act: Callable[..., Acted]
) -> None:
    done = act(" ".join(map(str, versions)), program=program, **NDCG)
    assert (done.code, done.outputs) == (code, {})
    assert "The gate has given no verdict." in done.stderr


def test_a_gate_is_lazily_loaded() -> None:
    code = (
        "import sys, rankprism; rankprism.evaluate; assert 'rankprism.comparison.boards' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# What no gate can say


def _thirty(first: str, last: str = "b") -> dict[str, dict[str, float]]:
    return {str(q): {first: 2.0, last: 1.0} for q in range(30)}


@pytest.mark.parametrize("margin", [0.5, 0.6, 2, "100%", "250%"])
@pytest.mark.parametrize("way", ["margin", "margins", "policy"])
def test_a_margin_that_no_run_can_lose_is_refused(way: str, margin: Any) -> None:
    qrels = {str(q): {"a": 1, "b": 0} for q in range(30)}
    good = {q: {"a": 2.0} if int(q) % 2 else {"b": 2.0} for q in qrels}  # RR is .5
    settings: dict[str, Any] = {
        "margin": {"measures": "RR", "margin": margin},
        "margins": {"measures": "RR", "margins": {"RR": margin}},
        "policy": {"policy": Policy.of("RR", margin)},
    }[way]
    with pytest.raises(InputError, match=r"margin of RR is .*'baseline' is 0.5000, so no run can lose more"):
        gate(qrels, good, _thirty("b", "x"), **settings)


def test_a_margin_below_the_greatest_loss_is_tested() -> None:
    qrels = {str(q): {"a": 1, "b": 0} for q in range(30)}
    assert gate(qrels, _thirty("a"), _thirty("b", "a"), "RR", margin=0.999).outcome == "passed"


@pytest.mark.parametrize(("measure", "margin"), [("Unjudged@1", 1.0), ("RBP_residual(p=0.5)", 0.8)])
def test_a_margin_of_a_measure_of_which_less_is_better_is_at_most_what_is_missing_to_1(
    measure: str, margin: float
) -> None:
    qrels = {str(q): {"a": 1, "b": 0} for q in range(30)}
    with pytest.raises(InputError, match="no run can lose more than"):
        gate(qrels, _thirty("a"), _thirty("b", "a"), measure, margin=margin)


def test_a_measure_without_a_known_lowest_score_takes_any_margin() -> None:
    qrels = {str(q): {"a": 1, "b": 0} for q in range(30)}
    # A ranking of what is not relevant costs effort.
    assert gate(qrels, _thirty("a"), _thirty("b", "a"), "RBU(e=0.5)", margin=2).outcome == "passed"


@pytest.mark.filterwarnings("ignore:.*no-relevant")
@pytest.mark.parametrize("way", ["dictionaries", "files"])
def test_judgments_without_a_relevant_document_tell_nothing(way: str, tmp_path: Path) -> None:
    qrels: Any = {str(q): {"a": 0, "b": 0} for q in range(30)}
    runs: list[Any] = [_thirty("a"), _thirty("b", "a")]
    if way == "files":
        (tmp_path / "q").write_text("".join(f"{q} 0 {d} 0\n" for q, docs in qrels.items() for d in docs))
        for n, run in enumerate(runs):
            lines = (f"{q} Q0 {d} 1 {x} r\n" for q, docs in run.items() for d, x in docs.items())
            (tmp_path / f"r{n}").write_text("".join(lines))
        qrels, runs = tmp_path / "q", [tmp_path / "r0", tmp_path / "r1"]
    for second in (runs[1], runs[0]):
        found = gate(qrels, runs[0], second, "nDCG@10 AP", margin=0.01)
        assert (found.outcome, found.exit_code) == ("cannot tell", 4)
        reason = "no document of the judgments is relevant"
        assert found.headline.endswith(f"by nDCG@10, AP: {reason}.")
        assert found.about["reason"] == reason
        for text in (found.to_comment(), found.to_junit(), found.to_annotations()):
            assert reason in text
    # A measure that does not ask for relevant documents tells what it can.
    assert gate(qrels, runs[0], runs[1], "Judged@10", margin=0.01).outcome == "cannot tell"
