"""Machine judges and people: how far their labels and their orders of runs agree."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import (
    Collection,
    InputError,
    RankprismWarning,
    evaluate,
    judges,
    read_judgments,
    read_run,
)
from rankprism.judging.judges import shared_labels
from rankprism.judging.judges.agreement import label_figures, shared_at_top, top_agreement, weighted_kappa
from rankprism.judging.judges.labels import joined
from simulations.missing_labels import Labelled
from tests.support.machine import COLLECTIONS

DL = COLLECTIONS / "trec-dl-2021-prefs"
MACHINES = COLLECTIONS / "trec-dl-2021-judges"
real = pytest.mark.skipif(not MACHINES.is_dir(), reason="the judges of DL 2021 are not on this machine")


def labels(seed: int = 0, topics: int = 12, docs: int = 30) -> tuple[dict[str, Any], dict[str, Any]]:
    """Grades of people, and of a judge that is one grade off for some documents."""
    rng = np.random.default_rng(seed)
    people = {f"q{t}": {f"d{d}": int(rng.integers(4)) for d in range(docs)} for t in range(topics)}
    judge = {
        q: {d: int(np.clip(g + rng.choice([-1, 0, 0, 1]), 0, 3)) for d, g in grades.items()}
        for q, grades in people.items()
    }
    return people, judge


def test_agreement_of_labels_is_that_of_scikit_learn_and_krippendorff() -> None:
    """cohen_kappa_score of scikit-learn 1.9.1, and ordinal alpha of krippendorff 0.9.0."""
    table = np.array([[20.0, 5, 0, 1], [4, 10, 6, 0], [1, 3, 8, 4], [0, 1, 2, 9]])
    found = label_figures(table, np.arange(4.0))
    assert found["κ"] == pytest.approx(0.503232222774739, abs=1e-14)
    assert found["weighted κ"] == pytest.approx(0.7719825642567263, abs=1e-14)
    assert found["α"] == pytest.approx(0.7725315556258141, abs=1e-14)
    assert found["bias"] == pytest.approx(
        ((np.arange(4) - np.arange(4)[:, None]) * table).sum() / table.sum()
    )


def test_weighted_kappa_of_two_grades_is_kappa() -> None:
    table = np.array([[7.0, 2], [3, 5]])
    assert weighted_kappa(table, np.array([0.0, 1])) == pytest.approx(
        label_figures(table, np.arange(2.0))["κ"]
    )


def test_counts_confusion_and_bias_are_those_of_the_definition() -> None:
    people, judge = labels()
    del judge["q3"]["d4"]
    judge["q5"]["new"] = 2
    found = judges.agree(people, {"j": judge})
    both = [(g, judge[q][d]) for q, grades in people.items() for d, g in grades.items() if d in judge[q]]
    assert found.value("j", "pairs") == len(both) == 359
    assert (found.value("j", "only people"), found.value("j", "only judge")) == (1, 1)
    table = found.confusion["j"]
    for g in range(4):
        for c in range(4):
            assert table.counts[g, c] == both.count((g, c))
        given = [c for h, c in both if h == g]
        assert found.value("j", "mean label for grade", item=str(g)) == pytest.approx(np.mean(given))
        assert found.value("j", "spread for grade", item=str(g)) == pytest.approx(np.std(given))
    gap = [judge["q2"][d] - g for d, g in people["q2"].items()]
    assert found.value("j", "bias in topic", item="q2") == pytest.approx(np.mean(gap))
    kappa = found.figure("j", "κ")
    assert kappa is not None
    assert kappa.low < kappa.value < kappa.high


def test_too_few_topics_have_no_interval_and_one_topic_is_refused() -> None:
    people, judge = labels(topics=5)
    found = judges.agree(people, {"j": judge}).figure("j", "κ")
    assert found is not None
    assert np.isnan(found.low)
    one = {"q0": people["q0"]}
    with pytest.raises(InputError, match="there is only topic 'q0'; at least 2 topics"):
        judges.agree(one, {"j": one})


def test_another_scale_is_said() -> None:
    people, judge = labels()
    binary = {q: {d: int(g > 1) for d, g in grades.items()} for q, grades in judge.items()}
    with pytest.warns(RankprismWarning, match=r"judge 'yes/no' labels with 0, 1 and people with 0, 1, 2, 3"):
        found = judges.agree(people, {"yes/no": binary})
    assert found.figure("yes/no", "κ") is None
    assert found.confusion["yes/no"].judge == ("0", "1")


def test_a_stray_label_is_named_and_left_out() -> None:
    people, judge = labels()
    stray = {q: dict(docs) for q, docs in judge.items()}
    stray["q3"]["d5"] = 10
    number = sum(map(len, judge.values()))
    told = rf"'j' labels document 'd5' of topic 'q3' with 10, .*; 1 of its {number:,} labels is outside"
    with pytest.warns(RankprismWarning, match=told):
        found = judges.agree(people, {"j": stray})
    without = {q: {d: g for d, g in docs.items() if (q, d) != ("q3", "d5")} for q, docs in judge.items()}
    expected = judges.agree(people, {"j": without})
    for name in ("κ", "weighted κ", "α", "bias"):
        assert found.figure("j", name) == expected.figure("j", name)
    assert found.value("j", "pairs") == number
    assert found.confusion["j"].judge[-1] == "10"


def test_many_labels_outside_the_scale_are_another_scale() -> None:
    people, judge = labels()
    other = {q: {d: 10 if g == 3 else g for d, g in docs.items()} for q, docs in judge.items()}
    with pytest.warns(RankprismWarning, match="which is another scale"):
        found = judges.agree(people, {"j": other})
    assert found.figure("j", "κ") is None


def test_nothing_in_common_is_refused() -> None:
    people, _ = labels()
    with pytest.raises(InputError, match="no pair of a topic and a document in common"):
        judges.agree(people, {"j": {"x": {"y": 3}, "z": {"y": 0}}})
    with pytest.raises(InputError, match="name the judges"):
        judges.agree(people, {})


def ranked(people: dict[str, Any], runs: int = 6) -> dict[str, Any]:
    """Runs of which the first is the best by people."""
    rng = np.random.default_rng(1)
    return {
        f"r{r}": {q: {d: float(g + r * rng.normal()) for d, g in docs.items()} for q, docs in people.items()}
        for r in range(runs)
    }


def test_agreement_on_runs_is_that_of_the_scores() -> None:
    from scipy import stats

    people, judge = labels()
    runs = ranked(people)
    found = judges.agree(people, {"j": judge}, runs, ["nDCG@5", "P(rel=2)@5"], top=2)
    assert isinstance(found, judges.RunAgreement)
    by = [evaluate(x, runs, ["nDCG@5", "P(rel=2)@5"]) for x in (people, judge)]
    for m, measure in enumerate(("nDCG@5", "P(rel=2)@5")):
        x, y = (scores.values[:, :, m] for scores in by)
        tau = stats.kendalltau(x.mean(1), y.mean(1)).statistic
        assert found.value("j", "τ_b", measure) == pytest.approx(tau)
        best = [set(np.argsort(-z.mean(1), kind="stable")[:2].tolist()) for z in (x, y)]
        assert found.value("j", "top 2", measure) == len(best[0] & best[1]) / 2
        expected = stats.ttest_rel(y[3], x[3]).confidence_interval()
        bias = found.figure("j", "bias of run", measure, "r3")
        assert bias is not None
        assert (bias.low, bias.high) == pytest.approx((expected.low, expected.high))


def test_a_favoured_family_is_found_and_another_is_not() -> None:
    from scipy import stats

    people, _ = labels(topics=30)
    runs = ranked(people)
    judge = {q: dict(docs) for q, docs in people.items()}
    for q, docs in judge.items():  # the judge likes the first documents of r5
        scores = runs["r5"][q]
        docs.update(dict.fromkeys(sorted(docs, key=scores.__getitem__)[-4:], 3))
    family = {"r5": "own", "r4": "mine", "r3": "mine"}
    found = judges.agree(people, {"j": judge}, runs, "nDCG@5", family=family)
    assert isinstance(found, judges.FamilyAgreement)
    own, mine = (found.figure("j", "favours", "nDCG@5", name) for name in ("own", "mine"))
    assert own is not None
    assert mine is not None
    assert own.low > 0.1
    assert own.p < 0.001
    gap = evaluate(judge, runs, "nDCG@5").values[:, :, 0] - evaluate(people, runs, "nDCG@5").values[:, :, 0]
    z = gap[5] - gap[:5].mean(0)
    assert own.value == pytest.approx(z.mean())
    assert own.p == pytest.approx(2 * stats.ttest_1samp(z, 0).pvalue)  # Holm: the smaller of two
    assert mine.value < 0


def test_families_are_read_and_wrong_ones_refused(tmp_path: Path) -> None:
    from rankprism.judging.judges.agreement import read_families

    path = tmp_path / "families.txt"
    path.write_text("a one\nb,two\n")
    assert read_families(path, ["a", "b", "c"]) == {"a": "one", "b": "two"}
    for text, message in (
        ("a\n", "line 1: expected a run and its family; found 'a'"),
        ("a one\na two\n", "line 2: run 'a' is of the family 'two' here and 'one' above"),
        ("x one\n", "the families name none of the runs"),
        ("a one\nb one\nc one\n", "all runs are of the family 'one'"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_families(path, ["a", "b", "c"])


def test_a_judge_that_tells_no_run_apart_is_said() -> None:
    people, judge = labels()
    zero = {q: dict.fromkeys(docs, 0) for q, docs in judge.items()}
    zero["q0"]["other"] = 3  # on the same scale, but no run has it
    with pytest.warns(RankprismWarning, match="every run has the score 0 on every topic by P@5"):
        found = judges.agree(people, {"j": zero}, ranked(people), "P@5")
    assert np.isnan(found.value("j", "τ_b", "P@5"))


def sampled(people: dict[str, Any], share: float, seed: int = 3) -> dict[str, Any]:
    """A random sample of the labels."""
    rng = np.random.default_rng(seed)
    kept = {q: {d: g for d, g in docs.items() if rng.random() < share} for q, docs in people.items()}
    return {q: docs for q, docs in kept.items() if docs}


def test_only_documents_that_both_have_labelled_are_compared() -> None:
    """The scores are those of rankings without all other documents, by judgments without all others."""
    from scipy import stats

    people, judge = labels(topics=30)
    runs = ranked(people)
    for run in runs.values():
        run["q0"]["unknown"] = 9.0  # nobody has labelled it
    some = sampled(people, 0.6)
    del judge["q1"]["d3"]
    found = judges.agree(some, {"j": judge}, runs, ["nDCG@5", "AP(rel=2)"], intervals=0)
    both = {q: {d: g for d, g in docs.items() if d in judge[q]} for q, docs in some.items()}
    kept = {
        name: {q: {d: s for d, s in run[q].items() if d in both[q]} for q in both}
        for name, run in runs.items()
    }
    same = {q: {d: judge[q][d] for d in docs} for q, docs in both.items()}
    by = [evaluate(x, kept, ["nDCG@5", "AP(rel=2)"]).means for x in (both, same)]
    for m, measure in enumerate(("nDCG@5", "AP(rel=2)")):
        tau = stats.kendalltau(by[0][:, m], by[1][:, m]).statistic
        assert found.value("j", "τ_b", measure) == pytest.approx(tau)
        assert found.value("j", "bias", measure) == pytest.approx((by[1] - by[0])[:, m].mean())


def test_labels_that_are_not_there_do_not_make_a_judge_look_biased() -> None:
    """A judge that gives the labels of people agrees with any part of them."""
    people, _ = labels(topics=30)
    found = judges.agree(sampled(people, 0.6), {"j": people}, ranked(people), ["nDCG@5", "P(rel=2)@5"])
    for measure in ("nDCG@5", "P(rel=2)@5"):
        assert found.value("j", "τ_b", measure) == pytest.approx(1)
        assert found.value("j", "bias", measure) == pytest.approx(0)


def test_aspects_and_their_weights_stay_where_labels_are_missing() -> None:
    rng = np.random.default_rng(2)
    people = {
        f"q{t}": {a: {f"d{d}": int(rng.integers(2)) for d in range(12)} for a in "xyz"} for t in range(10)
    }
    judge = {q: {a: dict(docs) for a, docs in aspects.items()} for q, aspects in people.items()}
    for docs in judge["q0"].values():
        del docs["d0"]
    weighted = read_judgments(people, weights={"x": 0.7, "y": 0.2, "z": 0.1})
    runs = {f"r{r}": {q: {f"d{d}": rng.random() for d in range(12)} for q in people} for r in range(4)}
    found = judges.agree(weighted, {"j": judge}, runs, "ERR_IA@5", intervals=0)
    assert isinstance(found, judges.RunAgreement)
    kept = {
        q: {a: {d: g for d, g in docs.items() if (q, d) != ("q0", "d0")} for a, docs in x.items()}
        for q, x in people.items()
    }
    shorter = {
        r: {q: {d: s for d, s in x.items() if (q, d) != ("q0", "d0")} for q, x in run.items()}
        for r, run in runs.items()
    }
    expected = evaluate(read_judgments(kept, weights={"x": 0.7, "y": 0.2, "z": 0.1}), shorter, "ERR_IA@5")
    assert found.scores["j"].people.values == pytest.approx(expected.values)


def test_too_few_labels_say_nothing_about_runs_and_name_the_command(cli: Any, tmp_path: Path) -> None:
    people, judge = labels(topics=20, docs=40)
    some, runs = sampled(people, 0.1), ranked(people)
    with pytest.warns(RankprismWarning, match=r"'j' have both labelled 10 % of .* score PEOPLE RUN\.\.\. "):
        found = judges.agree(some, {"j": judge}, runs, "nDCG@10", family={"r0": "own", "r1": "other"})
    assert isinstance(found, judges.RunAgreement)
    assert found.value("j", "κ") == found.value("j", "κ")  # labels are compared as ever
    assert found.value("j", "shared") == pytest.approx(0.1, abs=0.02)
    row = found.on_runs.columns
    assert all(np.isnan(row[name][0].value) for name in ("τ_b", "τ_ap", "top 6", "bias"))
    assert row["held"] == ["–"]
    assert "favours" not in {f.figure for f in found.figures}
    for name, given in (("people", some), ("judge", judge)):
        rows = [f"{q} 0 {d} {g}" for q, docs in given.items() for d, g in docs.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(rows) + "\n")
    for name, run in runs.items():
        lines = [f"{q} Q0 {d} 1 {s} x" for q, docs in run.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    done = cli(
        *("judges", "agree", tmp_path / "people.qrels", *sorted(tmp_path.glob("*.run"))),
        *("--judge", f"j={tmp_path / 'judge.qrels'}", "-m", "nDCG@10"),
    )
    assert done.returncode == 0
    told = " ".join(done.stderr.split())
    people_file, judge_file = tmp_path / "people.qrels", tmp_path / "judge.qrels"
    assert "[missing-labels]" in told
    assert f"rankprism judges score {people_file} RUN... --judge j={judge_file} -m nDCG@10" in told
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("j ") and "nDCG@10" in line]
    assert line.split()[2:] == ["–", "–", "–", "–", "–", f"{found.value('j', 'shared'):.3f}"]
    assert "– below 0.48" in " ".join(done.stdout.split())


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_intervals_hold_what_all_labels_give_from_the_smallest_share_on() -> None:
    """A small twin of `python -m simulations.missing_labels`, whose figures are in docs/judges.md."""
    people, judge = labels(topics=20, docs=30)
    given = {name: read_judgments(x) for name, x in (("people", people), ("j", judge))}
    runs = {name: read_run(run, name=name) for name, run in ranked(people, 8).items()}
    whole = Labelled(joined(given["people"], {"j": given["j"]}), "j", Collection.of(None, runs))
    (enough,) = whole.repeat(["nDCG@10"], shared_labels.ENOUGH, 30)
    (few,) = whole.repeat(["nDCG@10"], 0.02, 30)
    assert enough.held[0] >= 0.93 - 2 * (0.93 * 0.07 / 30) ** 0.5
    assert few.held[0] < enough.held[0] - 0.1
    assert np.abs(enough.value[:, 1] - enough.truth[1]).mean() < np.abs(few.value[:, 1] - few.truth[1]).mean()


def test_shared_at_top() -> None:
    means = np.array([[3.0, 2, 1, 0], [3.0, 0, 1, 2]])
    assert [shared_at_top(means, k) for k in (1, 2, 3, 4)] == [1, 0.5, pytest.approx(2 / 3), 1]
    value, low, high = top_agreement(np.eye(4), np.eye(4), 2, 0.95, 0)
    assert value == 1
    assert np.isnan([low, high]).all()


@real
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_judges_of_dl_2021_are_as_a_first_look_found_them() -> None:
    """The figures beside the data: τ, bias, and the runs whose intervals hold the people's mean."""
    found = judges.agree(
        DL / "qrels.dl21-passage.txt.gz",
        {
            name: MACHINES / f"{name}.qrels.gz"
            for name in ("umbrela.gpt-4o", "binary.gpt-4o", "binary.llama3.2")
        },
        sorted((DL / "runs").glob("*.gz")),
        "nDCG@10",
    )
    for judge, expected in (
        ("umbrela.gpt-4o", (0.941, 0.102, 3)),
        ("binary.gpt-4o", (0.9067, 0.211, 0)),  # .906 if the four pairs that it lacks count as 0
        ("binary.llama3.2", (0.783, 0.311, 0)),
    ):
        figures = [found.value(judge, figure, "nDCG@10") for figure in ("τ_b", "bias", "held")]
        assert figures == pytest.approx(expected, abs=6e-4)


@real
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_a_part_of_the_labels_of_dl_2021_gives_nearly_what_all_of_them_give(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With all labels, τ is .941 and the bias .102. With missing labels as 0, 400 labels gave .480 and
    .625, and this half .863 and .378. The figures here are those of nDCG@10 computed without the package."""
    monkeypatch.setattr(shared_labels, "ENOUGH", 0.0)
    with gzip.open(DL / "qrels.dl21-passage.txt.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    draw = random.Random(5)
    for number, expected in ((400, (0.806, 0.031)), (len(rows) // 2, (0.943, 0.088))):
        some: dict[str, dict[str, float]] = {}
        for topic, _, doc, grade in draw.sample(rows, number):
            some.setdefault(topic, {})[doc] = float(grade)
        found = judges.agree(
            some, {"j": MACHINES / "umbrela.gpt-4o.qrels.gz"}, sorted((DL / "runs").glob("*.gz")), "nDCG@10"
        )
        assert [found.value("j", figure, "nDCG@10") for figure in ("τ_b", "bias")] == pytest.approx(
            expected, abs=6e-4
        )
        assert found.value("j", "shared") == pytest.approx(number / len(rows), abs=0.01)
