"""Two versions of a judge on the same labels of people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import InputError, RankprismWarning, judges
from rankprism.judging.judges.drift import CANNOT_TELL, FAILED, PASSED, change
from simulations.judges import TwoVersions
from tests.judges.test_judges_agreement import labels


def noisier(judge: dict[str, Any], share: float, seed: int = 9) -> dict[str, Any]:
    """A version that gives another label to a share of the documents."""
    rng = np.random.default_rng(seed)
    return {
        q: {d: int(rng.integers(4)) if rng.random() < share else g for d, g in docs.items()}
        for q, docs in judge.items()
    }


def test_figures_are_those_of_agree_and_the_interval_is_the_jackknife_over_topics() -> None:
    people, old = labels()
    new = noisier(old, 0.3)
    found = judges.drift(people, {"j": new}, {"j": old})
    one, other = (judges.agree(people, {"j": version}) for version in (old, new))
    assert [row.figure for row in found.changes] == ["κ", "weighted κ", "α", "bias"]
    for row in found.changes:
        assert row.old == pytest.approx(one.value("j", row.figure))
        assert row.new == pytest.approx(other.value("j", row.figure))
    gaps = []
    for left_out in people:
        some = {q: docs for q, docs in people.items() if q != left_out}
        values = [judges.agree(some, {"j": version}, intervals=0).value("j", "α") for version in (old, new)]
        gaps.append(values[1] - values[0])
    n = len(gaps)
    error = np.sqrt((n - 1) * np.var(gaps))
    alpha = found.changes[2]
    assert alpha.high - alpha.low == pytest.approx(2 * 2.200985 * error)  # t of 11 degrees of freedom
    changed = np.mean([new[q][d] != g for q, docs in old.items() for d, g in docs.items()])
    assert found.relabelled["j"] == pytest.approx(changed)


def test_a_version_that_is_worse_fails_and_the_same_version_passes() -> None:
    people, old = labels()
    worse = judges.drift(people, {"j": noisier(old, 0.3)}, {"j": old})
    assert (worse.worse, worse.exit_code) == (("j",), FAILED)
    assert {row.verdict for row in worse.changes if row.figure == "α"} == {"worse"}
    better = judges.drift(people, {"j": old}, {"j": noisier(old, 0.3)})
    assert better.exit_code == PASSED
    assert "better" in {row.verdict for row in better.changes}
    same = judges.drift(people, {"j": old}, {"j": old})
    assert same.exit_code == PASSED
    assert {row.verdict for row in same.changes} == {"no change found"}


def test_a_bias_that_grows_in_either_direction_is_worse() -> None:
    people, old = labels(topics=20)
    harsher = {
        q: {d: max(g - (n % 3 == 0), 0) for n, (d, g) in enumerate(docs.items())} for q, docs in old.items()
    }
    (bias,) = (
        row for row in judges.drift(people, {"j": harsher}, {"j": old}).changes if row.figure == "bias"
    )
    assert bias.new < bias.old
    assert bias.verdict == "worse"


def test_two_versions_that_are_equally_good_seldom_fail() -> None:
    """At most .05 of the studies, whatever the figure; 12 of 120 are 2.5 standard errors more."""
    population, rng = TwoVersions("α"), np.random.default_rng(2)
    wrong = 0
    for _ in range(120):
        old, new = population.draw_both(rng, 20)
        smallest = min(float(one.p) for one in change(old, new, np.arange(4.0), 0.95).values())
        wrong += 4 * smallest < 0.05
    assert wrong <= 12


def test_with_few_topics_nothing_is_said_and_the_exit_code_shows_it() -> None:
    people, old = labels(topics=5)
    with pytest.warns(RankprismWarning, match="a change of agreement: it needs 10 topics, and there are 5"):
        found = judges.drift(people, {"j": noisier(old, 0.5)}, {"j": old})
    assert found.exit_code == CANNOT_TELL
    assert {row.verdict for row in found.changes} == {""}


def test_pairs_that_one_version_lacks_are_counted_and_left_out() -> None:
    people, old = labels()
    new = {q: {d: g for d, g in docs.items() if d != "d3"} for q, docs in old.items()}
    with pytest.warns(
        RankprismWarning, match="only one version of judge 'j' has labelled 12 of the 360 pairs"
    ):
        found = judges.drift(people, {"j": new}, {"j": old})
    assert found.relabelled["j"] == 0
    assert found.about["pairs"] == 348


@pytest.mark.parametrize(
    ("new", "old", "says"),
    [
        ({}, {"j": {}}, "name the judges"),
        ({"k": {"q0": {"d0": 1}}}, {"j": {"q0": {"d0": 1}}}, "every judge needs an old and a new version"),
        ({"j": {"x": {"y": 1}}}, {"j": {"x": {"y": 1}}}, "have no pair of a topic and a document in common"),
    ],
)
def test_versions_that_cannot_be_compared_are_refused(new: Any, old: Any, says: str) -> None:
    people, _ = labels()
    with pytest.raises(InputError, match=says):
        judges.drift(people, new, old)
    people, judge = labels()
    binary = {q: {d: int(g > 1) for d, g in docs.items()} for q, docs in judge.items()}
    with pytest.raises(InputError, match=r"the new version .* with 0, 1 and people with 0, 1, 2, 3"):
        judges.drift(people, {"j": binary}, {"j": judge})
    with pytest.raises(InputError, match="confidence must be above 0"):
        judges.drift(people, {"j": judge}, {"j": judge}, intervals=0)


def test_the_command_ends_with_3_if_a_version_is_worse(cli: Callable[..., Any], tmp_path: Path) -> None:
    people, old = labels()
    for name, judged in (("people", people), ("old", old), ("new", noisier(old, 0.4))):
        lines = [f"{q} 0 {d} {g}\n" for q, docs in judged.items() for d, g in docs.items()]
        (tmp_path / name).write_text("".join(lines))
    words = ("judges", "agree", tmp_path / "people", "--judge", f"j={tmp_path / 'new'}")
    found = cli(*words, "--against", f"j={tmp_path / 'old'}")
    assert found.returncode == FAILED
    assert "worse" in found.stdout
    assert cli(*words, "--against", f"j={tmp_path / 'new'}").returncode == PASSED
    refused = cli(*words, "--against", "old")
    assert refused.returncode == 2
    assert "--against takes NAME=QRELS" in refused.stderr
    run = tmp_path / "a.run"
    run.write_text("q0 Q0 d1 1 1.0 a\n")
    both = cli(*words[:3], run, *words[3:], "-m", "P@1", "--against", f"j={tmp_path / 'old'}")
    assert both.returncode == 2
    assert "leave out the runs" in both.stderr
