"""Scores from few labels on topics with several aspects."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import Collection, InputError, evaluate, judges, parse, read_judgments, sample
from rankprism.judging.judges import rescoring
from rankprism.judging.judges.effects import effects
from rankprism.judging.judges.estimation import Sample, _of_draws, estimated, weights_of
from rankprism.judging.judges.labels import joined
from rankprism.judging.judges.pool import Ranked
from rankprism.judging.judges.prediction import (
    Predicted,
    apparent_shares,
    drawn_vectors,
    fitted,
    likeness,
    odds_ratios,
    uncertainty,
)
from rankprism.judging.judges.scoring import Study, _counts_aspects

DOCS, ASPECTS = ("c", "b", "a"), ("one", "two")  # as judgments sort them
#: (document, aspect)
TRUE = ((0, 1), (1, 1), (1, 0))
RUNS = {"up": {"q": {"a": 3, "b": 2, "c": 1}}, "down": {"q": {"c": 3, "x": 2, "b": 1}}}
EVERY = np.array(list(product((0, 1), repeat=2)))


def nested(vectors: Any) -> dict[str, dict[str, dict[str, float]]]:
    return {
        "q": {
            name: {doc: float(vector[a]) for doc, vector in zip(DOCS, vectors, strict=True)}
            for a, name in enumerate(ASPECTS)
        }
    }


def found_from(
    monkeypatch: pytest.MonkeyPatch,
    labelled: list[bool],
    measure: str,
    aspects: Any = None,
    weights: Any = None,
) -> tuple[Any, Any]:
    """The effects if these documents are labelled and all 64 completions are equally likely."""
    whole = joined(read_judgments(nested(TRUE), aspects=aspects, weights=weights), {})
    assert (whole.docs, whole.aspects) == (DOCS, (ASPECTS,))
    labels = replace(whole, people=np.where(np.array(labelled)[:, None], whole.people, np.nan))
    completions = np.array(list(product(EVERY, repeat=3))).transpose(
        0, 2, 1
    )  # (completion, aspect, document)
    calls = iter(
        [
            np.repeat(completions, 4, axis=0).astype(np.int16),
            np.tile(np.repeat(EVERY[:, :, None], 3, axis=2), (64, 1, 1)).astype(np.int16),
        ]
    )
    monkeypatch.setattr(rescoring, "_vectors", lambda *_: next(calls))
    monkeypatch.setattr(rescoring, "DRAWS_OF_VECTORS", 256)
    predicted = Predicted(
        np.array([0.0, 1.0]), np.full((6, 2), 0.5), np.zeros(6, dtype=np.int64), np.zeros(1)
    )
    ranked = Ranked.of(labels, Collection.of(labels.pairs, RUNS).aligned())
    return labels, effects(parse(measure), labels, ranked, predicted, 0)


def scores_of_all(measure: str, aspects: Any = None, weights: Any = None) -> Any:
    """(labels of a document, the same, the same, run): the scores of all 64 completions, each a topic."""
    completions = {f"{i:02}": vectors for i, vectors in enumerate(product(EVERY, repeat=3))}
    judged = read_judgments(
        {topic: nested(vectors)["q"] for topic, vectors in completions.items()},
        aspects=aspects,
        weights=weights and [(topic, name, x) for topic in completions for _, name, x in weights],
    )
    runs = {name: dict.fromkeys(completions, run["q"]) for name, run in RUNS.items()}
    scores = evaluate(judged, runs, measure)
    assert scores.topics == tuple(completions)
    return scores.values[:, :, 0].T.reshape(4, 4, 4, len(RUNS))


def mean_score(scores: Any, fixed: dict[int, Any]) -> Any:
    """(run,) the mean score over all completions of these labels."""
    numbers = {d: [tuple(v) for v in EVERY].index(tuple(vector)) for d, vector in fixed.items()}
    return scores[tuple(numbers.get(d, slice(None)) for d in range(3))].reshape(-1, len(RUNS)).mean(0)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("aspects", [None, "all"])
@pytest.mark.parametrize(
    "measure",
    ["ERR_IA@2", "alpha_nDCG@2", "D#_nDCG@2", "StRecall@1", "NRBP", "RBU", "AP_IA", "nDCG@2"],
)
def test_effects_are_those_of_all_completions(
    measure: str, aspects: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = [("q", "one", 0.7), ("q", "two", 0.3)] if measure == "RBU" else None
    _, found = found_from(monkeypatch, [True, False, True], measure, aspects, weights)
    known = {0: TRUE[0], 2: TRUE[2]}
    scores = scores_of_all(measure, aspects, weights)
    own = mean_score(scores, known)
    assert found.mean[:, 0] == pytest.approx(own, abs=1e-12)
    for place, d in enumerate(known):
        at = [mean_score(scores, known | {d: v}) for v in EVERY]
        assert found.phi[place] == pytest.approx(own - np.mean(at, 0), abs=1e-12)
        assert found.at[place].mean(0) == pytest.approx(0, abs=1e-12)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_a_measure_that_is_linear_in_all_labels_is_estimated_without_bias(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mean over all eight samples of independent draws, with their probabilities."""
    chances, measure = np.array([0.7, 0.4, 0.5]), "alpha_DCG(alpha=0)@3"
    total = np.zeros(2)
    for drawn in product((False, True), repeat=3):
        labels, found = found_from(monkeypatch, list(drawn), measure, "all")
        way = Sample(np.array(drawn), chances, np.zeros(3, dtype=np.int64))
        chance = np.full(found.at.shape[:2], 1 / 256)
        estimate = estimated(found, chance, way, labels.topic, 1)
        total += np.where(drawn, chances, 1 - chances).prod() * estimate.value
    truth = evaluate(read_judgments(nested(TRUE), aspects="all"), RUNS, measure).means[:, 0]
    assert total == pytest.approx(truth, abs=1e-12)


def test_only_retrieved_documents_matter_if_every_aspect_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def matters(measure: str, aspects: Any) -> list[bool]:
        return list(found_from(monkeypatch, [True, True, True], measure, aspects)[1].matters)

    assert matters("ERR_IA@1", "all") == [True, False, True]
    assert matters("ERR_IA@1", None) == [True, True, True]
    assert matters("alpha_nDCG@1", "all") == [True, True, True]


def test_which_measures_depend_on_the_number_of_aspects() -> None:
    depends = {"ERR_IA@20", "D#_nDCG@20", "StRecall@20", "NRBP", "alpha_DCG@20"}
    for name in (*depends, "alpha_nDCG@20", "D_nDCG@20", "nERR_IA@20"):
        assert _counts_aspects(parse(name)) == (name in depends), name


# ── predictions ──────────────────────────────────────────────────────────────────────────────────


def test_apparent_shares_find_aspects_with_few_relevant_documents() -> None:
    """A judge that finds 80 % of the relevant documents and 5 % of the others."""
    rng = np.random.default_rng(0)
    shares = np.array([0.003, 0.05, 0.3])
    group = np.repeat(np.arange(3), 4000)
    relevant = rng.random(len(group)) < shares[group]
    says = rng.random(len(group)) < np.where(relevant, 0.8, 0.05)
    x = (says - says.mean())[:, None] / says.std()
    # The log-odds are those of the share, plus log(0.8 / 0.05) for a yes or log(0.2 / 0.95) for a no.
    slope = np.log(0.8 / 0.05) - np.log(0.2 / 0.95)
    alpha = np.array([np.log(0.2 / 0.95) + slope * says.mean()])
    model = (alpha, np.array([slope * says.std()]), np.log(shares / (1 - shares))[:, None])
    found = 1 / (1 + np.exp(-apparent_shares(x, group, model, 0)))
    assert found == pytest.approx(shares, abs=0.02)
    assert found[0] < 0.01


def test_labels_of_a_document_that_are_alike_are_found_to_be() -> None:
    rng = np.random.default_rng(1)
    chance = np.tile([[0.8, 0.2], [0.9, 0.1], [0.7, 0.3]], (3000, 1))
    for rho in (0.0, 0.5):
        y = drawn_vectors(chance, 3, rho, rng, 1)[0] > 0
        assert y.mean(0) == pytest.approx([0.2, 0.1, 0.3], abs=0.03)
        predicted = Predicted(np.array([0.0, 1.0]), chance, np.zeros(9000, dtype=np.int64), np.zeros(1))
        found = likeness(predicted, y.ravel().astype(float), np.full(3000, 3))
        assert found == pytest.approx(rho, abs=0.1)


@pytest.mark.parametrize("tau", [0.3, 1.0])
def test_effects_of_groups_are_as_uncertain_as_labels_leave_them(tau: float) -> None:
    rng = np.random.default_rng(2)
    effect = rng.normal(0, tau, 500)
    group = np.repeat(np.arange(400), 60)  # the last hundred groups have no labels
    chance = 1 / (1 + np.exp(1.0 - effect))
    above = (rng.random(len(group)) < chance[group])[:, None].astype(float)
    x = np.zeros((len(group), 0))
    found = uncertainty(x, group, fitted(x, group, above, 500, 0.03), 0.03)
    assert found[400:] == pytest.approx(tau, rel=0.15)
    known = 1 / np.sqrt(60 * chance * (1 - chance) + 1 / tau**2)
    assert np.median(np.abs(found / known - 1)[:400]) < 0.1


def test_draws_keep_probabilities_and_differ_in_how_many_documents_are_relevant() -> None:
    rng = np.random.default_rng(4)
    chance = np.tile([0.98, 0.02], (500, 1))
    odds = odds_ratios(np.full((500, 1), 1.2), rng, 4000)
    number = (drawn_vectors(chance, 1, 0.0, rng, 4000, odds) > 0).sum((1, 2))
    assert number.mean() == pytest.approx(10, rel=0.1)
    assert number.std() > 3 * np.sqrt(500 * 0.02 * 0.98)
    same = (drawn_vectors(chance, 1, 0.0, rng, 4000, np.ones((4000, 1, 1))) > 0).sum((1, 2))
    assert same.std() == pytest.approx(np.sqrt(500 * 0.02 * 0.98), rel=0.1)


# ── score ────────────────────────────────────────────────────────────────────────────────────────


def made() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """20 topics with three subtopics and 50 documents, a judge, and four runs."""
    rng = np.random.default_rng(3)
    people: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    runs: dict[str, Any] = {f"r{r}": {} for r in range(4)}
    for t in range(20):
        x = rng.normal(size=(3, 50)) + 0.5 * rng.normal(size=50)
        share = rng.choice([0.6, 1.2, 1.8], 3)
        says = x + 0.4 * rng.normal(size=x.shape)
        for source, values in ((people, x), (judge, says)):
            source[f"t{t}"] = {
                f"s{a}": {f"d{d}": int(v > share[a]) for d, v in enumerate(values[a])} for a in range(3)
            }
        for r, run in enumerate(runs.values()):
            order = x.max(0) + (0.5 + 0.3 * r) * rng.normal(size=50)
            run[f"t{t}"] = {f"d{d}": float(v) for d, v in enumerate(order)}
    return people, judge, runs


def drawn_from(people: dict[str, Any], pairs: Any) -> list[tuple[str, str, str, float]]:
    return [(p.topic, a, p.doc, grades[p.doc]) for p in pairs for a, grades in people[p.topic].items()]


NAMES = ["ERR_IA@10", "alpha_nDCG@10", "D#_nDCG@10"]


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_estimates_are_near_the_truth_and_good_predictions_give_intervals() -> None:
    people, judge, runs = made()
    chosen = judges.select(runs, {"j": judge}, NAMES, budget=250, aspects="all").pairs
    labelled = drawn_from(people, chosen)
    found = judges.score(labelled, {"j": judge}, runs, NAMES, drawn=chosen, aspects="all")
    truth = evaluate(people, runs, NAMES).means
    assert np.abs(found.means - truth).max() < 0.05
    assert (np.abs(found.means - truth) <= found.half).mean() > 0.8
    assert (found.half < 0.12).all()
    rng = np.random.default_rng(0)
    random = {
        t: {
            a: dict(zip(grades, rng.permutation(list(grades.values())).tolist(), strict=True))
            for a, grades in of.items()
        }
        for t, of in judge.items()
    }
    alone = judges.score(labelled, {"j": random}, runs, NAMES, drawn=chosen, aspects="all")
    assert np.isnan(alone.half).all()
    assert set(alone.about["mean width"].values()) == {None}
    assert "% of the uncertainty about the labels in hand, and this measure needs" in alone.note


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_aspects_without_a_relevant_document_are_said_for_measures_that_count_aspects() -> None:
    people, judge, runs = made()
    for t in range(20):
        people[f"t{t}"]["s2"] = dict.fromkeys(people[f"t{t}"]["s2"], 0)
    chosen = judges.select(runs, {"j": judge}, NAMES, budget=250).pairs
    found = judges.score(drawn_from(people, chosen), {"j": judge}, runs, NAMES, drawn=chosen)
    why = found.about["no interval because"]
    for name in ("ERR_IA@10", "DSharp_nDCG@10"):
        assert "people have found none for 2" in why[name]  # 20 aspects or a few more
        assert "of 60 aspects" in why[name]
        assert "--aspects all" in why[name]
    assert "alpha_nDCG@10" not in why


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("name", ["ERR_IA@10", "StRecall@5", "alpha_nDCG@10"])
def test_complete_labels_give_the_score_itself_if_every_aspect_counts(name: str) -> None:
    whole = read_judgments(sample.QRELS).to_frame("pyarrow").to_pylist()
    rows = [row for row in whole if row["topic"] in ("apple", "bat", "bridge")]
    pairs = {(row["topic"], row["doc"]) for row in rows}
    rows += [{"topic": topic, "aspect": "none", "doc": doc, "grade": 0.0} for topic, doc in sorted(pairs)]
    people = read_judgments(rows, aspects="all")
    found = judges.score(rows, {"same": rows}, list(sample.RUNS[:2]), name, aspects="all")
    expected = evaluate(people, list(sample.RUNS[:2]), name)
    assert found.means == pytest.approx(expected.means, abs=1e-12)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
@pytest.mark.parametrize("name", NAMES)
def test_intervals_count_that_labels_are_drawn_from_predictions(name: str) -> None:
    """The variance of the estimates from one sample, if only the draws of labels differ."""
    people, judge, runs = made()
    chosen = judges.select(runs, {"j": judge}, NAMES, budget=150, aspects="all").pairs
    collection = Collection.of(drawn_from(people, chosen), runs, aspects="all")
    study = Study.read(collection, {"j": judge}, chosen, None, 0)
    predicted, measure = study.predict(), parse(name)
    found = [replace(study, seed=seed).estimate(measure, predicted) for seed in range(24)]
    seen = np.var([estimate.value for estimate, _ in found], axis=0, ddof=1)
    weight = weights_of(study.sample, found[0][1].matters)
    topic = study.labels.topic[study.sample.drawn]
    said = []
    for _, effect in found:
        assert effect.noise is not None
        said.append(np.diag(_of_draws(effect.noise / 20, effect.at / 20, weight, topic)))
    assert np.mean(said) == pytest.approx(seen.mean(), rel=0.35)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_a_table_with_probabilities_may_have_aspects(tmp_path: Path) -> None:
    people, judge, runs = made()
    chosen = judges.select(runs, {"j": judge}, NAMES, budget=200, aspects="all").pairs
    expected = judges.score(
        drawn_from(people, chosen), {"j": judge}, runs, NAMES, drawn=chosen, aspects="all"
    )
    chance = {(p.topic, p.doc): p.probability for p in chosen}
    rows = [(t, a, d, g, chance[t, d]) for t, a, d, g in drawn_from(people, chosen)]
    path = tmp_path / "people.tsv"

    def written(name: str, rows: Any) -> Path:
        lines = [("topic", name, "doc", "grade", "probability"), *rows]
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
        return path

    for name in ("aspect", "subtopic"):
        found = judges.score(written(name, rows), {"j": judge}, runs, NAMES, aspects="all")
        assert np.array_equal(found.values, expected.values)
        assert np.array_equal(found.half, expected.half, equal_nan=True)
    named = [dict(zip(("topic", "aspect", "doc", "grade", "probability"), row, strict=True)) for row in rows]
    assert np.array_equal(
        judges.score(named, {"j": judge}, runs, NAMES, aspects="all").values, expected.values
    )
    written("aspect", [*rows[:1], (*rows[1][:4], 0.5), *rows[2:]])
    with pytest.raises(InputError, match=r"people.tsv, line 3: document .* has the probability 0.5 here and"):
        judges.score(path, {"j": judge}, runs, NAMES)
    written("aspect", [(*rows[0][:3], "good", rows[0][4]), *rows[1:]])
    with pytest.raises(InputError, match=r"people.tsv, line 2: the grade 'good' is not a number"):
        judges.score(path, {"j": judge}, runs, NAMES)
