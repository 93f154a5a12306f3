"""Machines that prefer: sides, length, families, agreement with people, and strengths from few answers."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from rankprism import InputError, RankprismWarning, judges, read_preferences
from rankprism.judging.judges.estimates_over_topics import share_over_topics
from rankprism.judging.judges.paired_logit import Answers, fit, influence, strength_covariance, variance
from rankprism.judging.judges.questions import NAMES, PEOPLE, Questions, joined, read_systems
from rankprism.judging.judges.system_strengths import FOLDS, Few, StrengthStudy
from rankprism.judging.preferences.sides import sides_of
from simulations import preferring

COLLECTIONS = Path(__file__).parents[3] / "shared" / "data"
PAIRS = COLLECTIONS / "trec-dl-2021-prefs" / "pairs"
real = pytest.mark.skipif(not PAIRS.is_dir(), reason="the preferences of DL 2021 are not on this machine")
Cli = Callable[..., subprocess.CompletedProcess[str]]
Row = tuple[str, str, str, str, str]


def votes(
    seed: int = 1, topics: int = 20, each: int = 12, side: float = 0.0, length: float = 0.0, own: float = 0.0
) -> list[Row]:
    """Answers about six systems s0 … s5 with lengths and families; every question is asked in both orders."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for t in range(topics):
        for _ in range(each):
            a, b = rng.choice(6, 2, replace=False).tolist()
            d = 0.3 * (a - b) + length * (lengths(t, a) - lengths(t, b)) + own * ((a < 3) * 1.0 - (b < 3))
            for left, right, gap in ((a, b, d), (b, a, -d)):
                outcome = "left" if rng.random() < 1 / (1 + np.exp(-gap - side)) else "right"
                rows.append((f"t{t}", "", f"s{left}", f"s{right}", outcome))
    return rows


def lengths(topic: int, system: int) -> float:
    return ((7 * topic + 3 * system) % 11 - 5) / 3


LENGTHS = [{"topic": f"t{t}", "doc": f"s{s}", "length": lengths(t, s)} for t in range(60) for s in range(6)]
FAMILY = {f"s{s}": "ours" if s < 3 else "theirs" for s in range(6)} | {"j": "ours"}

# ── the model ────────────────────────────────────────────────────────────────────────────────────


def some_answers() -> tuple[Answers, np.ndarray]:
    """600 answers about five items, 15 % of them ties, and two covariates."""
    rng = np.random.default_rng(5)
    theta = np.array([0.9, 0.4, 0, -0.3, -1.0])
    a = rng.integers(0, 5, 600)
    b = (a + rng.integers(1, 5, 600)) % 5
    u = rng.random(600)
    y = np.where(rng.random(600) < 0.15, 0.5, (u < 1 / (1 + np.exp(-(theta[a] - theta[b])))) * 1.0)
    rng = np.random.default_rng(6)
    x = rng.normal(size=(600, 2)).round(3)
    flip = rng.random(600) < 0.3 * (x[:, 0] > 0)
    return Answers(a, b, y, np.empty((600, 0)), 5), np.column_stack((x, np.where(flip, 1.0, y)))


def test_strengths_of_votes_equal_those_of_arena_rank_and_evalica() -> None:
    """arena-rank 0.1.1: BradleyTerry(5, hessian_reg=1e-6, ftol=1e-14, gtol=1e-12).compute_ratings_and_cis of
    the same votes; ratings and (upper - rating) / 1.95996, divided by 400 / log 10, ratings minus their mean.
    evalica 0.4.2: log of bradley_terry(…, tolerance=1e-12), minus its mean, agrees with it to 9 digits."""
    answers, _ = some_answers()
    fitted = fit(answers)
    expected = [0.80548415901169, 0.34158533159496, 0.02764369140929, -0.15644606839973, -1.01826711361621]
    np.testing.assert_allclose(fitted.centred, expected, atol=2e-8)
    every = np.arange(600)
    error = np.sqrt(np.diag(strength_covariance(fitted, every, 600)) * 599 / 600)
    of_arena = [0.10777633510760, 0.09709958791411, 0.10027590218215, 0.10339934757670, 0.11306597002625]
    np.testing.assert_allclose(error, of_arena, rtol=2e-5)


def test_strengths_with_covariates_are_near_those_of_arena_rank() -> None:
    """arena-rank 0.1.1: ContextualBradleyTerry(5, 2, reg=0, hessian_reg=1e-6, ftol=1e-14, gtol=1e-12), which
    standardises the features. Its optimiser stops early: the sum of the negative log likelihood is 366.92466
    there."""
    answers, columns = some_answers()
    x = (columns[:, :2] - columns[:, :2].mean(0)) / columns[:, :2].std(0)
    fitted = fit(replace(answers, x=x, outcome=columns[:, 2]))
    eta = np.log(fitted.chance) - np.log1p(-fitted.chance)
    assert (np.logaddexp(0, eta) - columns[:, 2] * eta).sum() == pytest.approx(366.92380738395144, abs=1e-8)
    expected = [0.64425723061401, 0.32806892041412, 0.10064790457797, -0.13964759899589, -0.93332645661023]
    np.testing.assert_allclose(fitted.centred, expected, atol=0.003)
    np.testing.assert_allclose(fitted.gamma, [0.37152373322569, -0.00881223762228], atol=0.003)
    error = np.sqrt(np.diag(strength_covariance(fitted, np.arange(600), 600)) * 599 / 600)
    of_arena = [0.10594905699424, 0.09840224609939, 0.10201642859833, 0.10402211657276, 0.11258614786311]
    np.testing.assert_allclose(error, of_arena, rtol=0.003)


def test_strengths_of_votes_equal_those_of_choix() -> None:
    import choix

    answers, _ = some_answers()
    won = answers.outcome != 0.5
    one = replace(
        answers,
        first=answers.first[won],
        second=answers.second[won],
        outcome=answers.outcome[won],
        x=answers.x[won],
    )
    pairs = np.where(
        one.outcome[:, None] == 1, np.stack((one.first, one.second), 1), np.stack((one.second, one.first), 1)
    )
    expected = choix.opt_pairwise(
        5, [tuple(pair) for pair in pairs.tolist()], alpha=0.0, method="Newton-CG", tol=1e-12
    )
    np.testing.assert_allclose(fit(one).centred, expected - expected.mean(), atol=1e-6)


def test_the_maximum_is_that_of_a_general_optimiser() -> None:
    """With the prior, a penalty, covariates and answers outside 0 to 1, as corrected predictions are."""
    answers, columns = some_answers()
    y = columns[:, 2] + np.random.default_rng(1).normal(0, 2, 600)
    whole = replace(answers, x=columns[:, :2], outcome=y)

    def loss(beta: np.ndarray) -> float:
        eta = beta[whole.first] - beta[whole.second] + whole.x @ beta[5:]
        prior = 3.0 / 2 * (beta[:5] - 2 * np.logaddexp(0, beta[:5])).sum()
        return -float((y * eta - np.logaddexp(0, eta)).sum() + prior - 0.5 * beta @ beta)

    found = optimize.minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(fit(whole, prior=3.0, ridge=0.5).beta, found.x, atol=1e-5)


def test_topics_move_coefficients_as_fits_without_them_do() -> None:
    answers, columns = some_answers()
    whole = replace(answers, x=columns[:, :1], outcome=columns[:, 2])
    topic = np.arange(600) % 40
    fitted = fit(whole, prior=1.0)
    delta = influence(fitted, topic, 40)
    again = []
    for t in range(40):
        kept = topic != t
        rest = Answers(whole.first[kept], whole.second[kept], whole.outcome[kept], whole.x[kept], 5)
        again.append(fitted.beta - fit(rest, prior=1.0).beta)
    np.testing.assert_allclose(delta, again, atol=0.006)
    np.testing.assert_allclose(variance(delta), variance(np.array(again)), rtol=0.06)
    # The plain sandwich, which is used for many topics, is narrower by about 1 / 40.
    plain = np.array([u @ fitted.inverse for u in _score(fitted, topic, 40)])
    assert (variance(plain) < variance(delta)).all()
    np.testing.assert_allclose(variance(plain), variance(delta), rtol=0.15)


def _score(fitted: Any, topic: np.ndarray, topics: int) -> np.ndarray:
    a, found = fitted.answers, np.zeros((topics, fitted.answers.size))
    for k, r in enumerate(a.outcome - fitted.chance):
        found[topic[k], a.first[k]] += r
        found[topic[k], a.second[k]] -= r
        found[topic[k], a.items :] += r * a.x[k]
    return found


def test_answers_without_a_maximum_are_seen() -> None:
    never = Answers(np.array([0, 0]), np.array([1, 1]), np.ones(2), np.empty((2, 0)), 2)
    assert not fit(never).converged
    assert fit(never, prior=1.0).converged


# ── what judges prefer ───────────────────────────────────────────────────────────────────────────


def test_sides_are_counted_as_describe_counts_them() -> None:
    rows = votes(side=0.5)
    found = judges.prefer(None, {"j": rows})
    own = sides_of(read_preferences(rows))["assessor"]
    assert found.value("j", "left") == pytest.approx(own.left)
    assert found.value("j", "same") == pytest.approx(own.same)
    assert found.value("j", "swapped") == own.swapped
    left = found.figure("j", "left")
    assert left is not None
    assert left.low > 0.5
    assert left.p < 0.01


def test_each_assessor_counts_for_itself() -> None:
    rows = [(f"t{t}", "", "a", "b", "left" if t % 3 else "right", "ann") for t in range(12)]
    rows += [(f"t{t}", "", "b", "a", "left" if t % 3 else "right", "ben") for t in range(12)]
    found = judges.prefer(None, {"j": rows})
    assert found.value("j", "swapped") == 0
    assert np.isnan(found.value("j", "same"))


def test_agreement_with_people_is_that_of_the_definition() -> None:
    people, judge = votes(1, side=0.2), votes(2)
    found = judges.prefer(people, {"j": judge})

    def answers(rows: list[Row]) -> dict[tuple[str, ...], list[str]]:
        by: dict[tuple[str, ...], list[str]] = {}
        for t, _, a, b, x in rows:
            by.setdefault((t, *sorted((a, b))), []).append(a if x == "left" else b)
        return by

    one, other = answers(people), answers(judge)
    both = one.keys() & other.keys()
    same = [np.mean([x == y for x in one[key] for y in other[key]]) for key in both]
    assert found.value("j", "shared") == len(both)
    assert found.value("j", "agrees") == pytest.approx(np.mean(same))
    # Answers without ties and sides that are balanced: by chance, half of the answers agree.
    assert found.value("j", "κ") == pytest.approx(2 * np.mean(same) - 1)


def test_a_share_of_1_has_a_width() -> None:
    whole = np.full(20, 5.0)
    all_same = share_over_topics(whole, whole, 0.95)
    assert 0.7 < all_same.low < 0.95
    assert all_same.high == pytest.approx(1.0)


def test_length_and_side_are_found_and_people_without_a_bias_are_not_blamed() -> None:
    people, judge = votes(1, 40), votes(1, 40, side=0.6, length=0.5)
    found = judges.prefer(people, {"j": judge}, covariates=LENGTHS, systems="names")
    spread = found.about["standard deviations"]["length"]
    for item, truth in (("side", 0.6), ("length", 0.5 * spread)):
        coefficient = found.figure("j", "coefficient", item)
        beyond = found.figure("j", "beyond people", item)
        assert coefficient is not None
        assert beyond is not None
        assert coefficient.low < truth < coefficient.high
        assert coefficient.p < 0.001
        assert beyond.p < 0.001
        own = found.figure(PEOPLE, "coefficient", item)
        assert own is not None
        assert own.p > 0.01
        # The same people and judge answered the same questions.
        assert beyond.value == pytest.approx(coefficient.value - own.value)


def test_a_family_is_favoured_as_much_as_the_definition_says() -> None:
    people, judge = votes(1, 30), votes(1, 30, own=0.8)
    found = judges.prefer(people, {"j": judge}, family=FAMILY)

    def share(rows: list[Row]) -> dict[tuple[str, ...], list[float]]:
        by: dict[tuple[str, ...], list[float]] = {}
        for t, _, a, b, x in rows:
            if (FAMILY[a] == "ours") != (FAMILY[b] == "ours"):
                winner = a if x == "left" else b
                by.setdefault((t, *sorted((a, b))), []).append(float(FAMILY[winner] == "ours"))
        return by

    one, other = share(judge), share(people)
    gap = [np.mean(one[key]) - np.mean(other[key]) for key in one]
    favours = found.figure("j", "favours", "ours")
    assert favours is not None
    assert favours.value == pytest.approx(np.mean(gap))
    assert favours.low > 0
    assert "ours (own)" in found.to_text()
    # Without people, judges of other families take their place.
    alone = judges.prefer(None, {"j": judge, "k": people}, family=FAMILY | {"k": "theirs"})
    assert alone.value("j", "favours", "ours") == pytest.approx(favours.value)


def test_files_that_do_not_record_sides_say_nothing_about_sides(tmp_path: Path) -> None:
    path = tmp_path / "rounds.txt"
    path.write_text("".join(f"t{t} a b\nt{t} b c\n" for t in range(12)))
    with pytest.warns(RankprismWarning, match="says which document won and not on which side"):
        found = judges.prefer(None, {"j": path})
    assert found.figure("j", "left") is None
    assert found.figure("j", "coefficient", "side") is None


def test_too_few_topics_have_no_interval() -> None:
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        found = judges.prefer(None, {"j": votes(topics=5)})
    assert "it needs 10 topics, and there are 5 for judge 'j'" in str(notes[0].message)
    left = found.figure("j", "left")
    assert left is not None
    assert np.isnan(left.low)
    assert np.isnan(left.p)


@pytest.mark.parametrize("judge", preferring.UNBIASED, ids=lambda judge: judge.name)
def test_simulated_judges_without_a_bias_are_seldom_blamed(judge: preferring.Judge) -> None:
    # 250 studies at .055: more than .115 happens once in 30,000.
    assert preferring.alarms(judge, 12, 250) < 0.115


@real
def test_gpt_and_the_crowd_on_dl_2021_are_as_counted_by_hand() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = judges.prefer(PAIRS / "human.human.gz", {"gpt": PAIRS / "judge.human.gz"})
    left = found.figure(PEOPLE, "left")
    assert left is not None
    # awk '$4 == $2 {n++} END {print n, NR}' human.human
    assert left.value == pytest.approx(6107 / 11681)
    assert left.p < 0.001
    assert found.value("gpt", "shared") == 6742
    assert found.value("gpt", "agrees") == pytest.approx(0.478, abs=0.0005)
    assert found.value("gpt", "κ") == pytest.approx(0.161, abs=0.0005)


# ── strengths ────────────────────────────────────────────────────────────────────────────────────


def test_complete_answers_give_the_strengths_of_people_whatever_the_judge_says() -> None:
    people = [(f"t{t}", "", f"s{a}", f"s{b}", "left" if (a * t + b) % 3 else "right")
              for t in range(20) for a, b in combinations(range(6), 2)]  # fmt: skip
    judge = [(*row[:4], "left") for row in people]
    found = judges.strengths(people, {"j": judge}, over="answers")
    alone = judges.strengths(people)
    for one, other in zip(found.strengths, alone.strengths, strict=True):
        assert one.system == other.system
        assert one.strength == pytest.approx(other.strength, abs=1e-9)
        assert one.low == pytest.approx(one.high, abs=1e-12)
    np.testing.assert_allclose(
        [one[2:5] for one in judges.strengths(people, {"j": judge}).strengths],
        [one[2:5] for one in alone.strengths],
        atol=1e-9,
    )


def test_the_corrected_answers_are_unbiased_over_all_samples() -> None:
    """Every sample of 2 of 4 questions in two of the folds, 2 of 2 in the others, enumerated."""
    rng = np.random.default_rng(3)
    n = 14
    first, second = rng.integers(0, 2, n), rng.integers(2, 4, n)
    fold = np.array([0] * 4 + [1] * 4 + [2] * 2 + [3] * 2 + [4] * 2)
    assert FOLDS == 5
    y, x = rng.integers(0, 2, n).astype(float), rng.normal(size=(n, 1))
    total, number = np.zeros(n), 0
    for some in combinations(range(4), 2):
        for others in combinations(range(4, 8), 2):
            answered = np.zeros(n, dtype=bool)
            answered[[*some, *others, *range(8, n)]] = True
            total += Few(first, second, 4, answered, np.where(answered, y, 0.0), fold).corrected(x).outcome
            number += 1
    np.testing.assert_allclose(total / number, y, atol=1e-12)


@pytest.mark.parametrize("arena", preferring.ARENAS[:3], ids=lambda arena: arena.name)
def test_a_useless_or_hostile_judge_costs_width_and_not_validity(arena: preferring.Arena) -> None:
    rng = np.random.default_rng(1)
    held, width, alone = [], [], []
    for k in range(40):
        study = arena.study(arena.sampled(rng, arena.whole, 300))
        found = study.from_few(None, k)
        by_name = {one.system: one for one in found.strengths}
        for s, truth in enumerate(arena.complete):
            one = by_name[f"s{s}"]
            held.append(one.low <= truth <= one.high)
        width.append(found.about["mean width"])
        alone.append(found.about["mean width without judges"])
    assert np.mean(held) > 0.9  # of 240 intervals, six at a time
    assert np.mean(width) < 1.03 * np.mean(alone)
    assert (np.mean(width) < 0.97 * np.mean(alone)) == (arena.judge != 0)


def test_style_control_takes_away_what_length_gave() -> None:
    """All systems are equally good, and the first writes longer answers, which are preferred."""
    rng = np.random.default_rng(4)
    table = {
        (f"t{t}", f"s{s}"): float(2 * (s == 0) + rng.normal(0, 0.5)) for t in range(50) for s in range(6)
    }
    rows = []
    for t, given, a, b, _ in votes(2, 50):
        d = table[t, a] - table[t, b]
        rows.append((t, given, a, b, "left" if rng.random() < 1 / (1 + np.exp(-d)) else "right"))
    covariates = [{"topic": t, "doc": doc, "length": length} for (t, doc), length in table.items()]
    found = judges.strengths(rows, covariates=covariates)
    first = found.strengths[0]
    assert first.system == "s0"
    assert first.low > 1
    assert first.controlled_low < 0 < first.controlled_high
    side, length = found.coefficients
    assert (side.covariate, length.covariate) == ("side", "length")
    assert length.low < length.unit < length.high
    assert side.p > 0.01
    assert "controlled" in found.to_text()


def test_systems_may_be_named_by_a_file(tmp_path: Path) -> None:
    rows = [(t, g, f"{t}-{a}", f"{t}-{b}", x) for t, g, a, b, x in votes()]
    docs = sorted({doc for row in rows for doc in row[2:4]})
    path = tmp_path / "systems.txt"
    path.write_text("".join(f"{doc} {doc.partition('-')[2]}\n" for doc in docs))
    named = judges.strengths(rows, systems=path)
    assert named.strengths == judges.strengths(votes()).strengths
    path.write_text("".join(f"{doc} x\n" for doc in docs))
    with pytest.raises(InputError, match="all documents are of the system 'x'"):
        judges.strengths(rows, systems=path)
    with pytest.raises(InputError, match="fall into 20 parts that were never compared"):
        judges.strengths(rows)


def test_the_order_of_lines_and_sides_does_not_matter() -> None:
    people, judge = votes(1)[:300], votes(1, side=0.5)
    one = judges.strengths(people, {"j": judge}, over="answers")
    turned = [(t, g, b, a, {"left": "right", "right": "left"}[x]) for t, g, a, b, x in judge]
    other = judges.strengths(people[::-1], {"j": turned[::-1]}, over="answers")
    for a, b in zip(one.strengths, other.strengths, strict=True):
        assert a.system == b.system
        np.testing.assert_allclose(a[2:5], b[2:5], atol=1e-9)


def test_strengths_are_those_of_a_study_by_hand() -> None:
    """The variance over drawn questions equals the sum of the definition, written out."""
    arena = preferring.ARENAS[0]
    questions = arena.sampled(np.random.default_rng(2), arena.whole, 200)
    study = StrengthStudy(questions, read_systems(NAMES, questions), "answers", 1.0, 0.95)
    found = {one.system: one for one in study.from_few(None, 3).strengths}
    assert sum(one.answers for one in found.values()) == 400
    assert all(one.low < one.strength < one.high for one in found.values())
    assert sum(one.strength for one in found.values()) == pytest.approx(0, abs=1e-9)


# ── bad input and the command ────────────────────────────────────────────────────────────────────


def test_bad_input_is_refused(tmp_path: Path) -> None:
    rows = votes(topics=12)
    table = tmp_path / "lengths.tsv"
    for text, words in (
        ("doc\tlength\ns0\t1\n", "document 's1' of topic 't0' was compared and is not in the table"),
        ("doc\tlength\ns0\tlong\n", r"lengths.tsv, line 2: the length 'long' is not a number"),
        ("name\tlength\ns0\t1\n", "a table of covariates has the columns doc"),
        ("doc\tlength\ns0\t1\ns0\t2\n", "document 's0' is in the table already"),
        ("doc\tlength\n" + "".join(f"s{s}\t1\n" for s in range(6)), "have the same 'length'; leave it out"),
    ):
        table.write_text(text)
        with pytest.raises(InputError, match=words):
            judges.prefer(None, {"j": rows}, covariates=table)
    with pytest.raises(InputError, match="the families name none of the judges"):
        judges.prefer(None, {"j": rows}, family={"s0": "ours"})
    with pytest.raises(InputError, match="the families name none of the documents"):
        judges.prefer(None, {"j": rows}, family={"j": "ours"})
    with pytest.raises(InputError, match="nobody else has answered the same questions"):
        judges.prefer(None, {"j": rows}, family=FAMILY)
    with pytest.raises(InputError, match="there is only topic 't0', and topics are the units"):
        judges.prefer(None, {"j": votes(topics=1)})
    with pytest.raises(InputError, match="no pair of documents in common"):
        judges.prefer([("x", "", "a", "b", "left"), ("y", "", "a", "b", "left")], {"j": rows})
    with pytest.raises(InputError, match="a judge cannot be named 'people'"):
        judges.prefer(None, {"people": rows})
    with pytest.raises(InputError, match="name the judges"):
        judges.prefer(rows, {})
    with pytest.raises(InputError, match="prior must be"):
        judges.strengths(rows, prior=-1)
    with pytest.raises(InputError, match="over must be one of topics, answers"):
        judges.strengths(rows, over="judges")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="answered none of the questions"):
        judges.strengths([("x", "", "s0", "s1", "left"), ("y", "", "s0", "s1", "left")], {"j": rows})


def test_a_document_may_be_judged_after_another_one() -> None:
    rows = [("q", "", "a", "b", "left"), ("q", "c", "a", "b", "right"), ("q", "c", "b", "a", "right")]
    found = joined({"x": read_preferences(rows)})
    assert len(found) == 2
    assert sorted(np.bincount(found.given["x"].question).tolist()) == [1, 2]


def test_the_commands_print_tables_and_write_rows(cli: Cli, tmp_path: Path) -> None:
    def written(name: str, rows: list[Row]) -> Path:
        path = tmp_path / name
        path.write_text(
            "topic\tgiven\tleft\tright\toutcome\n" + "".join("\t".join(row) + "\n" for row in rows)
        )
        return path

    people, judge = written("people.tsv", votes(1)), written("j.tsv", votes(1, side=0.6))
    family, table = tmp_path / "family.txt", tmp_path / "lengths.tsv"
    family.write_text("".join(f"{name} {one}\n" for name, one in FAMILY.items()))
    table.write_text(
        "topic\tdoc\tlength\n" + "".join(f"{r['topic']}\t{r['doc']}\t{r['length']}\n" for r in LENGTHS)
    )
    options = ["--judge", f"j={judge}", "--family", family, "--covariates", table, "--systems", "names"]
    shown = cli("judges", "prefer", people, *options)
    assert (shown.returncode, shown.stderr) == (0, "")
    for word in ("left", "same", "agrees", "κ", "side", "length", "favours", "ours (own)"):
        assert word in shown.stdout
    rows = json.loads(cli("judges", "prefer", people, *options, "--format", "json").stdout)["rows"]
    assert {row["figure"] for row in rows} >= {"left", "same", "coefficient", "beyond people", "favours"}
    few = written("few.tsv", votes(1)[:400])
    strengths = cli("judges", "strengths", few, "--judge", f"j={judge}", "--over", "answers")
    assert (strengths.returncode, strengths.stderr) == (0, "")
    assert "without judges" in strengths.stdout
    assert "complete answers by people to these questions" in " ".join(strengths.stdout.split())
    for arguments, words in (
        (["judges", "prefer", people], "name at least one judge, e.g. --judge gpt=gpt.tsv"),
        (["judges", "prefer", people, "--judge", "j"], "--judge takes NAME=PREFS"),
        (["judges", "strengths", "--judge", f"j={judge}"], "name the preferences of people"),
    ):
        refused = cli(*arguments)
        assert refused.returncode == 2
        assert words in refused.stderr


def test_questions_are_numbered_alike_for_everybody() -> None:
    found = Questions.read(votes(1), {"j": votes(2)})
    for name, rows in ((PEOPLE, votes(1)), ("j", votes(2))):
        given = found.given[name]
        left, right = found.left(given), found.right(given)
        for k, (t, _, a, b, _) in enumerate(rows[:50]):
            assert found.topics[found.topic[given.question[k]]] == t
            assert (found.docs[left[k]], found.docs[right[k]]) == (a, b)


def test_the_page_on_judges_shows_what_its_own_script_and_commands_give(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "machine-preferences.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "votes.py", "exec"), {})
    blocks = re.findall(r"^\$ rankprism ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)(?=^```$)", page, re.M | re.S)
    assert len(blocks) == 3
    for command, shown in blocks:
        result = cli(*shlex.split(command.replace("\\\n", "")))
        assert result.returncode == 0, result.stderr
        assert result.stdout.startswith(shown.rstrip("\n")), command
