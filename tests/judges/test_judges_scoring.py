"""Scores from few labels, and which documents to judge next."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from rankprism import (
    InputError,
    MeasureError,
    RankprismWarning,
    compare,
    evaluate,
    judges,
    read_judgments,
    read_scores,
)
from rankprism.judging.judges.design import probabilities
from rankprism.judging.judges.estimation import level_together
from rankprism.judging.judges.labels import joined
from rankprism.judging.judges.pool import hashes, uniforms
from rankprism.types import TopicsMeant
from simulations.gate import cell
from simulations.judges import FewLabels
from tests.support.machine import COLLECTIONS

DL = COLLECTIONS / "trec-dl-2021-prefs"
MACHINES = COLLECTIONS / "trec-dl-2021-judges"
real = pytest.mark.skipif(not MACHINES.is_dir(), reason="the judges of DL 2021 are not on this machine")


class Made(NamedTuple):
    """A made-up collection: complete labels of people and of a judge, and runs."""

    people: dict[str, Any]
    judge: dict[str, Any]
    runs: dict[str, Any]


def made(seed: int = 0, topics: int = 20, docs: int = 60, runs: int = 5) -> Made:
    rng = np.random.default_rng(seed)
    people, judge = {}, {}
    ranked: dict[str, Any] = {f"r{r}": {} for r in range(runs)}
    for t in range(topics):
        x = rng.normal(rng.normal(0, 0.5), 1, docs)
        people[f"t{t}"] = {
            f"d{d}": int(g) for d, g in enumerate(np.digitize(x + rng.normal(0, 0.4, docs), [0, 0.9, 1.7]))
        }
        judge[f"t{t}"] = {
            f"d{d}": int(g) for d, g in enumerate(np.digitize(x + rng.normal(0, 0.5, docs), [-0.2, 0.7, 1.5]))
        }
        for r in range(runs):
            ranked[f"r{r}"][f"t{t}"] = {
                f"d{d}": float(s) for d, s in enumerate(x + rng.normal(0, 0.6 + 0.3 * r, docs))
            }
    return Made(people, judge, ranked)


def labelled(collection: Made, drawn: Iterable[Any]) -> list[dict[str, Any]]:
    """What people would say about drawn pairs."""
    return [
        {
            "topic": p.topic,
            "doc": p.doc,
            "grade": collection.people[p.topic][p.doc],
            "probability": p.probability,
        }
        for p in drawn
    ]


def test_scores_are_near_those_by_complete_judgments_and_judges_save_labels(tmp_path: Path) -> None:
    c = made()
    names = ["P(rel=2)@10", "DCG@10", "nDCG@10"]
    chosen = judges.select(c.runs, {"j": c.judge}, names, budget=250, seed=2)
    found = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, c.runs, names)
    truth = evaluate(c.people, c.runs, names).means
    assert (np.abs(found.means - truth) <= found.half).mean() >= 0.8
    assert found.about["labels saved"]["P(rel=2)@10"] > 20
    assert found.about["mean width"]["DCG@10"] < found.about["mean width without judges"]["DCG@10"]
    assert "on these topics" in found.note
    gap = found.differences()
    assert gap.difference.shape == (10, 3)
    assert compare(found.scores).pairs.shape[0] == 10
    # Estimates are not compared with scores by mistake, wherever they are stored.
    assert found.scores.measures == tuple(f"Estimated({name})" for name in found.measures)
    assert found.scores.select(measures=[names[0]]).measures == (f"Estimated({found.measures[0]})",)
    csv, parquet, other = tmp_path / "e.csv", tmp_path / "e.parquet", tmp_path / "s.parquet"
    csv.write_text(found.scores.to_csv(), encoding="utf-8")
    parquet.write_bytes(found.scores.to_parquet())
    other.write_bytes(evaluate(c.people, {"other": c.runs[sorted(c.runs)[0]]}, names).to_parquet())
    assert read_scores(csv).measures == read_scores(parquet).measures == found.scores.measures
    with pytest.raises(InputError, match=r"estimates is by labels of j \(.*\) and not set"):
        read_scores([parquet, other])
    wide = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, c.runs, names, meant="like-these")
    assert (wide.half >= 0.8 * found.half).all()
    assert "topics like these" in wide.note


def test_batches_go_on_and_the_last_probabilities_count() -> None:
    c = made()
    one = judges.select(c.runs, {"j": c.judge}, "P@10", budget=100)
    two = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250, after=one.pairs)
    first = {(p.topic, p.doc): p for p in one.pairs}
    assert {(p.topic, p.doc) for p in two.pairs if p.batch == 1} == set(first)
    assert {p.batch for p in two.pairs} == {1, 2}
    assert all(p.probability >= first[p.topic, p.doc].probability for p in two.pairs if p.batch == 1)
    again = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    assert {(p.topic, p.doc, p.probability) for p in again.pairs} == {
        (p.topic, p.doc, p.probability) for p in two.pairs
    }
    with pytest.raises(InputError, match="take the same seed, runs, judges and measures"):
        judges.select(c.runs, {"j": c.judge}, "P@10", budget=250, after=one.pairs, seed=9)


def test_probabilities_sum_to_the_budget_and_follow_the_sizes() -> None:
    size = np.random.default_rng(0).exponential(size=500)
    for budget, mixed in ((20, 0.05), (200, 0.3), (450, 0.1)):
        chance = probabilities(size, budget, mixed)
        assert chance.sum() == pytest.approx(budget)
        assert (np.diff(chance[np.argsort(size)]) >= -1e-12).all()
        assert chance.min() >= mixed * budget / 500 - 1e-12
        assert chance.max() <= 1
    assert (probabilities(size, 500, 0.3) == 1).all()


def test_drawn_pairs_are_as_many_as_their_probabilities_say() -> None:
    """Σ π - number drawn, over many seeds, has mean 0 and variance Σ π (1-π)."""
    c = made(topics=3)
    labels_ = joined(read_judgments(c.people), {})
    hashed = hashes(labels_)
    chance = np.linspace(0.01, 0.99, len(hashed))
    number = [int((uniforms(hashed, seed, 2) < chance).sum()) for seed in range(300)]
    error = np.sqrt((chance * (1 - chance)).sum() / 300)
    assert abs(np.mean(number) - chance.sum()) < 4 * error
    assert np.var(number) == pytest.approx(300 * error**2, rel=0.4)


def test_settled_differences_end_the_judging() -> None:
    c = made()
    one = judges.select(c.runs, {"j": c.judge}, "P@10", budget=600)
    people = [(p.topic, p.doc, c.people[p.topic][p.doc]) for p in one.pairs]
    settings: dict[str, Any] = {"after": one.pairs, "people": people}
    with pytest.warns(RankprismWarning, match="every difference of two runs is settled at 0.5; stop judging"):
        done = judges.select(c.runs, {"j": c.judge}, "P@10", budget=700, settled=0.5, **settings)
    assert done.pairs == one.pairs
    one = judges.select(c.runs, {"j": c.judge}, "P@10", budget=150)
    people = [(p.topic, p.doc, c.people[p.topic][p.doc]) for p in one.pairs]
    settings = {"after": one.pairs, "people": people}
    more = judges.select(c.runs, {"j": c.judge}, "P@10", budget=700, settled=0.0, **settings)
    assert len(more.pairs) > len(one.pairs)
    assert "differences are settled at 0" in more.note
    with pytest.raises(InputError, match="give these with people="):
        judges.select(c.runs, {"j": c.judge}, "P@10", budget=700, settled=0.1)


def test_a_constant_judge_changes_nothing() -> None:
    c = made()
    constant = {q: dict.fromkeys(docs, 1) for q, docs in c.people.items()}
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    rows = labelled(c, chosen.pairs)
    with pytest.warns(RankprismWarning, match="another scale: how its labels map to theirs is estimated"):
        found = judges.score(rows, {"constant": constant}, c.runs, "P@10")
    assert found.about["mean width"] == pytest.approx(found.about["mean width without judges"])
    assert found.about["labels saved"]["P@10"] == 0


def test_bad_samples_are_refused(tmp_path: Path) -> None:
    c = made(topics=4)
    by = {"j": c.judge}
    pairs = judges.select(c.runs, by, "P@10", budget=120).pairs
    rows = labelled(c, pairs)
    other = {q: docs | {"zz": 1} for q, docs in c.people.items()}
    with pytest.raises(InputError, match=r"document 'zz' of topic 't0' is not in the pool, because no judge"):
        judges.score(other, by, c.runs, "P@10")
    for wrong in (0, -0.1, 1.5, "x", float("nan")):
        bad = [rows[0] | {"probability": wrong}, *rows[1:]]
        with pytest.raises(
            InputError, match=r"row 1: the probability .* is not a number above 0 and up to 1"
        ):
            judges.score(bad, by, c.runs, "P@10")
    with pytest.raises(InputError, match=r"row 2: .* was drawn above already"):
        judges.score(
            [(r["topic"], r["doc"], r["grade"]) for r in rows], by, c.runs, "P@10", drawn=[pairs[0]] * 2
        )
    with pytest.raises(InputError, match="was drawn, but not judged; judge all drawn pairs"):
        judges.score([(r["topic"], r["doc"], r["grade"]) for r in rows[1:]], by, c.runs, "P@10", drawn=pairs)
    with pytest.raises(InputError, match="was judged by people, but not drawn"):
        judges.score([(r["topic"], r["doc"], r["grade"]) for r in rows], by, c.runs, "P@10", drawn=pairs[1:])
    one = {"t0": c.judge["t0"]}
    with pytest.raises(InputError, match="there is only topic 't0'"):
        judges.score({"t0": c.people["t0"]}, {"j": one}, c.runs, "P@10")
    with pytest.raises(MeasureError, match="leave out judged_only"):
        judges.score(rows, by, c.runs, "P(judged_only=True)@10")
    with pytest.raises(MeasureError, match="needs preferences"):
        judges.score(rows, by, c.runs, "nPrf@10")
    path = tmp_path / "drawn.tsv"
    path.write_text("topic\tdoc\nt0\td1\n")
    with pytest.raises(InputError, match="there is no column 'probability'"):
        judges.score(rows, by, c.runs, "P@10", drawn=path)


def test_too_few_labels_have_no_interval_but_a_reason() -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=40)
    found = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, c.runs, "P@10")
    assert np.isnan(found.half).all()
    number = len(chosen.pairs)  # each of them can change a score
    assert (
        f"120 labels of documents that can change a score, and {number} of the {number} labels" in found.note
    )


def test_labels_of_documents_that_change_no_score_are_told_from_those_that_do() -> None:
    """182 labels, of which most are of documents below rank 10 of every run."""
    c = made(docs=200)
    rng = np.random.default_rng(0)
    pairs = [(q, d) for q, docs in c.people.items() for d in docs]
    some = [pairs[i] for i in rng.choice(len(pairs), 182, replace=False)]
    found = judges.score([(q, d, c.people[q][d]) for q, d in some], {"j": c.judge}, c.runs, "P@10")
    top = {(q, d) for run in c.runs.values() for q, docs in run.items() for d in best(docs, 10)}
    decide = len(top & set(some))
    assert decide < 120
    assert f"120 labels of documents that can change a score, and {decide} of the 182 labels" in found.note


def best(docs: dict[str, float], number: int) -> list[str]:
    return sorted(docs, key=docs.__getitem__)[-number:]


def test_a_judge_that_is_turned_round_is_as_good_as_its_mirror_image() -> None:
    c = made()
    turned = {q: {d: 3 - label for d, label in docs.items()} for q, docs in c.judge.items()}
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    people = labelled(c, chosen.pairs)
    one, other = (judges.score(people, {"j": judge}, c.runs, "P@10") for judge in (c.judge, turned))
    np.testing.assert_allclose(other.half, one.half, rtol=0.02)
    assert other.about["mean width"]["P@10"] < 0.98 * other.about["mean width without judges"]["P@10"]


def test_nobody_is_said_to_have_drawn_labels_without_probabilities() -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    rows = labelled(c, chosen.pairs)
    given = judges.score(rows, {"j": c.judge}, c.runs, "P@10")
    assert "pairs, drawn with given probabilities, and" in given.note
    with pytest.warns(RankprismWarning, match="are not like a sample"):
        unsaid = judges.score(
            [(row["topic"], row["doc"], row["grade"]) for row in rows], {"j": c.judge}, c.runs, "P@10"
        )
    assert "taken as drawn with equal chances, because no probabilities were given" in unsaid.note


@pytest.mark.parametrize("meant", ["these", "like-these"])
def test_intervals_that_hold_together_are_wider_and_say_so(meant: TopicsMeant) -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=250)
    people = labelled(c, chosen.pairs)
    alone, all_runs = (
        judges.score(people, {"j": c.judge}, c.runs, "P@10", meant=meant, together=together)
        for together in (False, True)
    )
    wider = all_runs.half / alone.half
    assert (wider > 1.01).all()
    assert (
        wider < stats.norm.ppf(1 - 0.025 / 5) / stats.norm.ppf(0.975) * 1.15
    ).all()  # at most Bonferroni's
    assert all_runs.apart[0, 1] == pytest.approx(all_runs.half[0] + all_runs.half[1])
    assert "95 % intervals, each for itself." in alone.note
    assert "95 % intervals, which hold for all runs together." in all_runs.note
    assert "which hold for all differences together." in all_runs.differences().note


def test_the_levels_of_intervals_that_hold_together_are_those_of_the_normal_distribution() -> None:
    """Against scipy's distribution function of the multivariate normal over a box."""
    factors = np.random.default_rng(3).normal(size=(4, 4))
    covariance = factors @ factors.T
    deviation = np.sqrt(np.diag(covariance))
    level = level_together(covariance, 0.95)
    edge = stats.norm.ppf(0.5 + level / 2) * deviation
    held = stats.multivariate_normal(np.zeros(4), covariance).cdf(edge, lower_limit=-edge)
    assert held == pytest.approx(0.95, abs=0.006)  # 20,000 draws
    assert level_together(np.ones((3, 3)), 0.9) == pytest.approx(0.9, abs=0.01)  # all runs share one error


def test_intervals_that_hold_together_do() -> None:
    """Six runs, 200 labels, the short form of what `make coverage` simulates."""
    found = cell("all scores from few labels", FewLabels("P(rel=2)@10", "an honest"), 200, 30)
    assert found.covered >= 0.85, found


def test_uninformative_predictions_have_wide_intervals_of_ap_and_none_of_q() -> None:
    c = made()
    rng = np.random.default_rng(1)
    noise = {q: {d: int(rng.integers(4)) for d in docs} for q, docs in c.people.items()}
    rng = np.random.default_rng(2)
    runs = {
        name: {q: {d: float(rng.random()) for d in docs} for q, docs in run.items()}
        for name, run in c.runs.items()
    }
    chosen = judges.select(runs, {"noise": noise}, ["P@10", "AP", "Q"], budget=300)
    found = judges.score(labelled(c, chosen.pairs), {"noise": noise}, runs, ["P@10", "AP", "Q"])
    assert not np.isnan(found.half[:, :2]).any()
    assert np.isnan(found.half[:, 2]).all()
    assert "– Q: the predictions remove" in found.note
    assert "this measure needs 39 %" in found.note  # 29, and more for many labels
    assert found.about["mean width"]["Q"] is None
    plain = judges.score(labelled(c, chosen.pairs), {"good": c.people}, runs, "AP")
    assert plain.about["mean width"]["AP"] < found.about["mean width"]["AP"]


def test_people_alone_have_no_width_where_they_would_have_no_interval() -> None:
    """The judge predicts labels well, and runs that rank at random do not."""
    c = made()
    rng = np.random.default_rng(2)
    runs = {
        name: {q: {d: float(rng.random()) for d in docs} for q, docs in run.items()}
        for name, run in c.runs.items()
    }
    chosen = judges.select(runs, {"j": c.judge}, ["P@10", "Q"], budget=180, seed=2)
    found = judges.score(labelled(c, chosen.pairs), {"j": c.judge}, runs, ["P@10", "Q"])
    assert not np.isnan(found.half).any()
    assert found.about["mean width without judges"]["Q"] is None
    assert found.about["labels saved"]["Q"] is None
    line = next(line for line in str(found).splitlines() if line.startswith("Q "))
    assert line.split()[2:] == ["–", "–"]


def test_a_sample_that_is_not_uniform_is_noted() -> None:
    c = made()
    top = [(q, d) for q, docs in c.runs["r0"].items() for d in sorted(docs, key=docs.__getitem__)[-10:]]
    people = [(q, d, c.people[q][d]) for q, d in top]
    with pytest.warns(RankprismWarning, match="are not like a sample with equal chances"):
        judges.score(people, {"j": c.judge}, c.runs, "P@10")


def test_files_with_a_column_of_probabilities_are_read(tmp_path: Path) -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=200)
    rows = labelled(c, chosen.pairs)
    expected = judges.score(rows, {"j": c.judge}, c.runs, "P@10").means
    path = tmp_path / "people.tsv"
    path.write_text(
        "topic\tdoc\tgrade\tprobability\n" + "".join("\t".join(map(str, r.values())) + "\n" for r in rows)
    )
    assert judges.score(path, {"j": c.judge}, c.runs, "P@10").means == pytest.approx(expected)
    drawn = tmp_path / "drawn.tsv"
    drawn.write_text(chosen.to_tsv())
    people = [(r["topic"], r["doc"], r["grade"]) for r in rows]
    assert judges.score(people, {"j": c.judge}, c.runs, "P@10", drawn=drawn).means == pytest.approx(expected)


def test_a_sample_from_some_topics_only_is_noted() -> None:
    c = made(docs=30)
    rng = np.random.default_rng(3)
    pairs = [(q, d) for q, docs in c.people.items() for d in docs]

    def drawn_from(some: list[tuple[str, str]]) -> list[tuple[str, str, int]]:
        return [(q, d, c.people[q][d]) for q, d in (some[i] for i in rng.permutation(len(some))[:150])]

    half = [(q, d) for q, d in pairs if q in list(c.people)[:10]]
    with pytest.warns(RankprismWarning, match="some topics have too many of them and others too few"):
        judges.score(drawn_from(half), {"j": c.judge}, c.runs, "P@10")
    judges.score(drawn_from(pairs), {"j": c.judge}, c.runs, "P@10")


def test_a_judge_of_another_collection_is_refused() -> None:
    """Its topics would be in the pool, so all scores would be half as high."""
    c = made()
    other = {"x" + q: docs for q, docs in c.judge.items()}
    rows = labelled(c, judges.select(c.runs, {"j": c.judge}, "P@10", budget=200).pairs)
    with pytest.raises(InputError, match="judge 'other' has labelled no document that a run ranks"):
        judges.score(rows, {"j": c.judge, "other": other}, c.runs, "P@10")
    with pytest.raises(InputError, match="judge 'other' has labelled no document that a run ranks"):
        judges.score(rows, {"j": c.judge, "other": other}, c.runs, "P@10", pool=c.people)
    with pytest.raises(InputError, match="judge 'other' has labelled no document that a run ranks"):
        judges.select(c.runs, {"j": c.judge, "other": other}, "P@10", budget=200)
    with pytest.warns(RankprismWarning, match="no run has documents for 20 of 40 topics of the pool"):
        judges.score(rows, {"j": c.judge | other}, c.runs, "P@10")


def test_what_select_returns_is_taken_as_it_is() -> None:
    c = made()
    chosen = judges.select(c.runs, {"j": c.judge}, "P@10", budget=200)
    people = [(p.topic, p.doc, c.people[p.topic][p.doc]) for p in chosen.pairs]
    by_pairs = judges.score(people, {"j": c.judge}, c.runs, "P@10", drawn=chosen.pairs)
    by_result = judges.score(people, {"j": c.judge}, c.runs, "P@10", drawn=chosen)
    assert (by_pairs.values == by_result.values).all()
    more = judges.select(c.runs, {"j": c.judge}, "P@10", budget=300, after=chosen)
    assert {p.batch for p in more.pairs} == {1, 2}


def test_probabilities_have_few_digits_and_are_the_ones_used_for_drawing() -> None:
    c = made()
    pairs = judges.select(c.runs, {"j": c.judge}, "P@10", budget=200).pairs
    assert all(float(f"{p.probability:.6g}") == p.probability for p in pairs)


def test_select_tells_what_it_drew_when_it_writes_a_file(
    cli: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    c = made()
    paths = {"judge.qrels": c.judge, "people.qrels": c.people}
    for name, grades in paths.items():
        lines = [f"{q} 0 {d} {g}\n" for q, docs in grades.items() for d, g in docs.items()]
        (tmp_path / name).write_text("".join(lines))
    for name, run in c.runs.items():
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, docs in run.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = sorted(tmp_path.glob("*.run"))
    by = ("--judge", f"j={tmp_path / 'judge.qrels'}", "-m", "P@10", "--order", "score")
    one = cli("judges", "select", *runs, *by, "--budget", 200, "-o", tmp_path / "one.tsv")
    assert re.fullmatch(r"\d+ of 1200 pairs, \d+ of them in batch 1\.\n", one.stderr)
    assert one.stdout == ""
    pairs = [line.split("\t")[:2] for line in (tmp_path / "one.tsv").read_text().splitlines()[1:]]
    lines = [f"{q} 0 {d} {c.people[q][d]}\n" for q, d in pairs]
    (tmp_path / "some.qrels").write_text("".join(lines))
    more = ("--after", tmp_path / "one.tsv", "--people", tmp_path / "some.qrels", "--settled", 0.02)
    two = cli("judges", "select", *runs, *by, "--budget", 400, *more, "-o", tmp_path / "two.tsv")
    assert re.search(r"differences are settled at 0\.02: [\d.]+ % by P@10\.", two.stderr)
