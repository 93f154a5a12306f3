"""The search itself: it sees what `evaluate` sees, catches what is broken, and says no more than it knows."""

from __future__ import annotations

import json
import math
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism.cli import main
from rankprism.data.arrays import Floats
from rankprism.data.hits import Hits
from rankprism.errors import BrokenMeasure, InputError, MeasureError
from rankprism.measures import compose, measure, mix, parse
from rankprism.measures.definition import AXIOMS, Definition
from rankprism.measures.form import Plain
from rankprism.measures.measure import Measure
from rankprism.measures.parts import CASCADE, Gain, Parts, hit_gain, utility
from rankprism.meta.axioms import (
    MORE_PROPERTIES,
    NOT_LESS,
    TEN,
    Base,
    Conf,
    Constraint,
    Deep,
    DeepTh,
    Pri,
    Red,
    Relation,
    Sat,
    Scope,
    axiom_table,
    constraint,
    find_constraint,
    find_thresholds,
    story,
)
from rankprism.meta.axioms.bases import instances_of, random_bases, small_bases
from rankprism.meta.axioms.lots import Lots
from rankprism.meta.axioms.rankings import Instance, hits_of, on_scale, score
from rankprism.meta.axioms.search import search_verdicts
from rankprism.meta.axioms.trials import _over

pytestmark = pytest.mark.filterwarnings(
    "ignore::rankprism.RankprismWarning"
)  # rankings without relevant documents

Cli = Callable[..., subprocess.CompletedProcess[str]]

# Synthetic rankings are what evaluate would make of the same judgments and runs

MEASURES = [
    "P@5",
    "AP",
    "AP_IA",
    "nDCG@3",
    "nDCG_IA",
    "ERR(gain='linear')",
    "alpha_nDCG(gain='linear',ideal='exact')",  # a greedy ideal also depends on ids
    "alpha_nDCG(ideal='exact')@2",
    "RBU",
    "EU(gain='linear')@4",
    "StRecall@2",
    "S_precision",
    "DSharp_nDCG(gain='linear')",
    "CAM(nDCG)",
    "Judged",
    "nDCG(judged_only=True)@2",
]
GRADE = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Two rankings of a topic's documents, some unjudged, and some that neither has."""
    A = draw(st.integers(1, 3))
    documents = draw(st.lists(st.lists(GRADE, min_size=A, max_size=A), max_size=5))
    places = list(range(len(documents)))
    unjudged = draw(st.integers(0, 2))
    made = []
    for _ in range(2):
        order = draw(st.permutations([*places, *["?"] * unjudged]))
        ranking = [documents[i] if isinstance(i, int) else [math.nan] * A for i in order]
        made.append(np.array(ranking, dtype=np.float64).reshape(-1, A))
    missed = draw(st.lists(st.lists(GRADE, min_size=A, max_size=A), max_size=3))
    weights = np.array(draw(st.lists(st.integers(1, 5), min_size=A, max_size=A)), dtype=np.float64)
    # Every aspect has a relevant document, or the lab would add one.
    return Instance((made[0], made[1]), weights / weights.sum(), np.array([*missed, [1.0] * A]))


@settings(max_examples=25)
@given(some=st.lists(instances(), min_size=1, max_size=2))
def test_a_synthetic_ranking_scores_as_evaluate_scores_it(some: list[Instance]) -> None:
    hits = hits_of(some)
    found = np.stack([score(parse(name), hits) for name in MEASURES], axis=-1)
    wanted = [evaluated(ranking, instance) for instance in some for ranking in instance.rankings]
    assert found == pytest.approx(np.array(wanted), rel=1e-9, abs=1e-12)


def evaluated(ranking: Floats, instance: Instance) -> list[float]:
    """The scores by way of judgments and a run."""
    A = len(instance.weights)
    judged: dict[str, dict[str, float]] = {f"t{t}": {} for t in range(A)}
    assert instance.missed is not None
    for i, document in enumerate([*ranking, *instance.missed]):
        for t in range(A):
            if not math.isnan(document[t]):
                judged[f"t{t}"][f"d{i:03}"] = float(document[t])
    run = {f"d{i:03}": float(-i) for i in range(len(ranking))}
    weights = {"q": {f"t{t}": float(w) for t, w in enumerate(instance.weights)}}
    chosen = [on_scale(parse(name)) for name in MEASURES]
    scores = rankprism.evaluate({"q": judged}, {"q": run}, chosen, weights=weights)
    return [float(x) for x in scores.values[0, 0]]


def test_what_two_rankings_share_is_judged_once_and_what_one_repeats_as_often() -> None:
    a, b = [0.1, 0.0], [0.0, 0.2]
    one, two = np.array([a, a]), np.array([a, b])
    pool = hits_of([Instance((one, two), np.array([0.5, 0.5]))]).pool.grade[0].T
    assert sorted(map(tuple, pool.tolist())) == [(0.0, 0.2), (0.1, 0.0), (0.1, 0.0)]


def test_an_aspect_that_nothing_serves_has_a_document_that_was_not_retrieved() -> None:
    hits = hits_of([Instance((np.array([[0.1, 0.0]]),), np.array([0.5, 0.5]))])
    assert hits.pool.grade[0].T.tolist() == [[0.1, 0.0], [0.0, 0.1]]


# Premises


@pytest.mark.parametrize("statement", [*TEN, *MORE_PROPERTIES], ids=str)
def test_instances_satisfy_the_general_premises(statement: Constraint) -> None:
    scope = statement.read_scope
    cutoff = 5 if statement.needs_cutoff else None
    made = 0
    rng = np.random.default_rng(5)
    bases = [*islice(small_bases(scope, cutoff), 300), *islice(random_bases(scope, cutoff, rng), 200)]
    if statement.bases is not None:
        bases = list(statement.bases(**statement.own_details))
    for base in bases:
        for instance in instances_of(statement, base):
            made += 1
            documents = np.concatenate(instance.rankings)
            graded = documents[~np.isnan(documents)]
            highest = max(scope.highest, 1.0 if statement is Sat else 0.0)
            assert ((graded >= 0) & (graded <= highest + 1e-12)).all()
            assert len(instance.weights) in (scope.aspects if statement.bases is None else (1,))
            assert instance.weights.sum() == pytest.approx(1)
            if not scope.overlap:
                assert ((documents > 0).sum(1) <= 1).all()
            if scope.grades == "binary":
                assert len(np.unique(graded[graded > 0])) <= 1
            if scope.weights == "balanced":
                assert np.ptp(instance.weights) < 1e-12
    assert made > 50


# Broken measures are caught

SOUND = compose("AxiomSound", discount="geometric", gain="linear", novelty="cascade", p=0.8, effort=0.05)


@measure()
def AxiomReversed(hits: Hits) -> Floats:
    """RBU with its discount from the end."""
    r = hit_gain(hits, Gain("linear"))
    from_end = 0.8 ** (hits.length[:, None] - np.minimum(hits.rank, hits.length[:, None]))
    worth = np.einsum("nah,nh,na->n", r * CASCADE(r), from_end, hits.weight)
    total: Floats = worth - 0.05 * np.array([sum(0.8**i for i in range(n)) for n in hits.length])
    return total


@measure()
def AxiomFarsighted(hits: Hits) -> Floats:
    """RBU that counts all ranks alike."""
    from rankprism.measures.parts import UNIFORM

    return utility(hits, Parts(UNIFORM, Gain("linear"), CASCADE, effort=0.0001), None)


PLANTED = {
    "sign flipped": mix("AxiomFlipped", {"AxiomSound": -1.0}, lower_is_better=False),
    "discount reversed": AxiomReversed,
    "effort forgotten": compose(
        "AxiomEffortless", discount="geometric", gain="linear", novelty="cascade", p=0.8
    ),
    "discount forgotten": AxiomFarsighted,
    "impatient": SOUND(p=0.5),
    "counts instead of grades": compose(
        "AxiomCounting", discount="geometric", gain="linear", novelty="decay", p=0.8, effort=0.05
    ),
    "novelty forgotten": compose("AxiomForgetful", discount="geometric", gain="linear", p=0.8, effort=0.05),
    "weights forgotten": compose(
        "AxiomUnweighted",
        discount="geometric",
        gain="linear",
        novelty="cascade",
        p=0.8,
        effort=0.05,
        weighted=False,
    ),
}
CAUGHT = {
    "Pri": ["sign flipped", "discount reversed", "discount forgotten", "counts instead of grades"],
    "Deep": ["sign flipped", "discount forgotten"],
    "DeepTh": ["sign flipped", "discount reversed", "discount forgotten"],
    "CloseTh": ["impatient"],
    "Conf": ["sign flipped", "effort forgotten"],
    "AspDiv": ["sign flipped", "counts instead of grades"],
    "Red": ["sign flipped", "novelty forgotten"],
    "MRed": ["sign flipped", "novelty forgotten", "counts instead of grades"],
    "Sat": ["sign flipped", "novelty forgotten", "counts instead of grades"],
    "AspRel": ["sign flipped", "weights forgotten"],
}


def test_a_sound_measure_is_not_accused() -> None:
    assert all(not verdict.refuted for verdict in search_verdicts([SOUND], TEN, instances=400))


@pytest.mark.parametrize("name", CAUGHT)
def test_a_planted_error_is_caught(name: str) -> None:
    verdicts = search_verdicts([PLANTED[error] for error in CAUGHT[name]], [name], instances=300)
    for error, verdict in zip(CAUGHT[name], verdicts, strict=True):
        assert verdict.kind == "refuted", error
        assert verdict.counterexample is not None


# Shrinking


def test_a_counterexample_is_as_small_as_can_be() -> None:
    # The α-measures count a worthless document in front; less than a swap of three cannot show it.
    verdict = search_verdicts(["alpha_DCG(gain='linear')@20"], [Pri])[0]
    assert verdict.counterexample is not None
    better, worse = (ranking[:, 0].tolist() for ranking in verdict.counterexample.rankings)
    assert (better, worse) == ([0.01, 0.05, 0.0], [0.0, 0.05, 0.01])


def test_only_random_instances_are_shrunk_to_the_same_size() -> None:
    small = search_verdicts(["RR_IA@20"], [Red])[0].counterexample
    binding = search_verdicts(["StRecall@9"], [Conf(cutoff="binding")], instances=50)[0].counterexample
    assert small is not None
    assert binding is not None
    assert [len(r) for r in small.rankings] == [4, 4]
    assert [len(r) for r in binding.rankings] == [0, 1]  # shorter than the cutoff, but no less a tie


# What can be said


def test_what_does_not_apply_says_why() -> None:
    notes = [v.note for v in search_verdicts(["CAM", "P@1", "P"], ["Pri", "Conv"], instances=20)]
    assert notes[0] == "CAM needs a measure inside, e.g. CAM(nDCG@10)"
    assert notes[2] == "no ranking of at most 1 documents satisfies the premises"
    assert notes[5] == "it has no cutoff"


def test_a_verdict_says_how_many_instances_were_tried() -> None:
    few, many = (search_verdicts(["nDCG(judged_only=True)"], [Pri], instances=n)[0] for n in (0, 400))
    assert few.kind == many.kind == "not refuted"
    # A quarter as many are varied, four from each base, where the premises let them.
    assert 400 <= many.instances - few.instances <= 502
    assert "This is not a proof" in story(many)


@pytest.mark.parametrize(
    ("name", "statement"),
    [("RBU(p=0.1)", "Red"), ("D_iRBU(p=0.03)", "Pri"), ("RBP(p=0.0001,gain='linear')", "AspDiv")],
)
def test_a_difference_lost_to_rounding_is_not_a_tie(
    name: str, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With p = .1, the eighth document counts 10^-7, and of that only r² tells the rankings apart.
    monkeypatch.setattr("rankprism.meta.axioms.search.proof_of", lambda *_: "")
    verdict = search_verdicts([name], [statement])[0]
    assert verdict.kind == "not refuted"
    assert re.fullmatch(r"[\d,]+ more were too close to tell", verdict.note)
    assert "more were too close to tell" in story(verdict).replace("\n", " ")


def test_a_steep_measure_that_ties_is_caught_all_the_same() -> None:
    # Binary gains cannot tell .05 from .01, however little the ranks below count.
    assert [not v.refuted for v in search_verdicts(["RBP(p=0.01)"], [Pri, Deep], instances=300)] == [
        False,
        False,
    ]


@measure()
def AxiomFragile(hits: Hits) -> Floats:
    """Fails where a ranking has three relevant documents."""
    if (hits.grade.any(1).sum(1) == 3).any():
        raise ZeroDivisionError("three is too many")
    return np.asarray(hits.grade.sum((1, 2)))


@measure()
def AxiomCrowded(hits: Hits) -> Floats:
    """Fails where many rankings come together."""
    if len(hits.length) > 50:
        raise KeyError("crowd")
    return np.asarray(hits.grade.sum((1, 2)))


@measure()
def AxiomShapeless(hits: Hits) -> Floats:
    """Has a score for each document."""
    return np.asarray(hits.grade.sum(1))


def test_an_error_inside_a_measure_names_the_measure_and_the_instance() -> None:
    with pytest.raises(MeasureError) as caught:
        search_verdicts([AxiomFragile], [Pri], instances=0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    named = re.fullmatch(
        r"AxiomFragile fails with ZeroDivisionError: three is too many; correct the measure. It was scoring "
        r"the rankings \[(.*)\] and \[(.*)\] \(weights 1\)",
        str(caught.value),
    )
    assert named is not None
    assert [sum(float(r) > 0 for r in ranking.split(", ")) for ranking in named.groups()] == [3, 3]
    with pytest.raises(
        MeasureError, match=r"AxiomCrowded fails with KeyError: 'crowd'; .*, scored together with"
    ):
        search_verdicts([AxiomCrowded], [Pri], instances=0)
    with pytest.raises(MeasureError, match=r"AxiomShapeless returns scores of shape .* for \d+ rank"):
        search_verdicts([AxiomShapeless], [Pri], instances=0)


def test_an_error_inside_a_measure_ends_the_command_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["rankprism", "axioms", "AxiomFragile", "-c", "Pri", "--instances", "0"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("rankprism: AxiomFragile fails with ZeroDivisionError: three is too many; ")
    assert error.count("\n") == 1


def test_rankings_are_not_longer_than_the_cutoff_also_those_of_ones_own_constraint() -> None:
    @constraint(scope=Scope(fewest=2))
    def AxiomLate(base: Base) -> Iterator[tuple[Floats, ...]]:
        """A relevant document counts, eight ranks below."""
        padded = np.concatenate([base.documents, np.zeros((8, 1))])
        yield np.concatenate([padded, [[0.1]]]), np.concatenate([padded, [[0.0]]])

    verdicts = search_verdicts(["DCG", "DCG@19", "DCG@12", "DCG@11", "DCG@10"], [AxiomLate], instances=50)
    assert [v.kind for v in verdicts] == [*["not refuted"] * 4, "cannot be asked"]
    assert verdicts[0].instances >= verdicts[1].instances > verdicts[2].instances


def test_a_constraint_of_ones_own_may_yield_lists() -> None:
    @constraint(scope=Scope(fewest=1))
    def AxiomLists(base: Base) -> Iterator[Any]:
        """Something is better than nothing."""
        yield [[0.1]], []

    assert search_verdicts(["DCG"], [AxiomLists], instances=5)[0].kind == "not refuted"


def test_what_is_wrong_with_a_constraint_is_said() -> None:
    def cases(*made: Any) -> Callable[[Base], Iterator[Any]]:
        def AxiomWrong(base: Base) -> Iterator[Any]:
            """Wrong."""
            yield from made

        return AxiomWrong

    wrong: list[tuple[dict[str, Any], str]] = [
        ({"quantifier": "sometimes"}, "AxiomWrong: quantifier must be every or some or eventually"),
        ({"scope": Scope(grades="grade")}, "Scope.grades must be graded or binary; got 'grade'"),
        ({"scope": Scope(highest=2)}, "Scope.highest must be above 0 and at most 1; got 2"),
        ({"scope": Scope(aspects=())}, "Scope.aspects must be like"),
        ({"scope": Scope(fewest=20)}, "Scope.fewest must be from 0 to Scope.most; got 20"),
    ]
    for about, message in wrong:
        with pytest.raises(InputError, match=message):
            constraint(**about)(cases())
    one = [[0.1]]
    yielded: list[tuple[list[Any], str]] = [
        ([(one,), (one, one)], "AxiomWrong yields 1 rankings and 2; all cases need equally many"),
        ([(one, one, one)], "AxiomWrong: the relation > cannot compare 3 rankings"),
        ([(one, [0.1])], r"yields a ranking of shape \(1,\)"),
        ([(one, [["a"]])], "not a table of numbers"),
        ([np.array(one)], "AxiomWrong yields ndarray, not rankings"),
    ]
    for made, message in yielded:
        with pytest.raises(InputError, match=message):
            search_verdicts(["DCG"], [Constraint("AxiomWrong", cases(*made))], instances=0)


def test_a_measure_is_compared_with_the_paper_only_if_it_is_the_papers() -> None:
    # The RBP of Table 1 has r as its gain, ours is binary unless told.
    assert not axiom_table(["RBP", "AP", "NRBP", "EU"], instances=0).disagreements
    assert [v.constraint.name for _, v in axiom_table(["RR"], instances=0).disagreements] == ["Sat"]


def test_two_readings_of_a_constraint_are_two_columns_and_the_same_twice_is_one() -> None:
    table = axiom_table(["AP"], ["Conf", Pri, Pri(grades="binary"), "Pri"], instances=50)
    assert list(table.summary.columns) == ["measure", "Conf", "Pri", "Pri(grades='binary')"]
    assert [not v.refuted for v in table.verdicts] == [False, False, True]


def test_what_was_tried_does_not_refute_what_holds_from_some_n_on() -> None:
    blended, average, patient = search_verdicts(["D_EBR", "AP", "EU(alpha=0.001)"], ["DeepTh"])
    assert str(blended) == "D_EBR DeepTh: refuted for every n tried; for no n from 3 to 8,192"
    assert "counterexample" not in story(blended)
    assert "A larger n may still work" in story(blended)
    # Where an argument is recorded, it refutes all n.
    assert str(average).startswith("AP DeepTh: refuted; for no n: the j-th of the n documents is worth at")
    assert "A larger n may still work" not in story(average)
    assert patient.kind == "proved"
    assert patient.note.endswith("falls to 0; up to 8,192 it does not show")


def test_a_story_of_values_that_are_not_numbers_or_of_another_relation() -> None:
    @constraint(relation=Relation("is twice", lambda a, b: a >= 2 * b), scope=Scope(fewest=1))
    def AxiomDouble(base: Base) -> Iterator[tuple[Floats, ...]]:
        """Twice."""
        yield base.documents, base.documents

    def AxiomNowhere(hits: Hits) -> Floats:
        """Not a number at all."""
        return np.full(len(hits.length), np.nan)

    nowhere = Measure(Definition(AxiomNowhere, lambda: Plain(score=AxiomNowhere), ()))
    assert story(search_verdicts(["DCG"], [AxiomDouble], instances=0)[0]).endswith("It does not hold.")
    said = story(search_verdicts([nowhere], [Pri], instances=0)[0])
    assert said.endswith("is nan, which is not a finite number.")


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_there_is_no_verdict_on_scores_that_are_not_numbers(wrong: float) -> None:
    def AxiomUndefined(hits: Hits) -> Floats:
        """Not a number where the second document is relevant."""
        found: Floats = np.where((hits.rank == 2).any(1), wrong, 1.0 / (1 + hits.length))
        return found

    undefined = Measure(Definition(AxiomUndefined, lambda: Plain(score=AxiomUndefined), ()))
    defined, *others = search_verdicts([undefined], ["Defined", *AXIOMS], instances=50)
    assert defined.refuted
    assert {v.kind for v in others} == {"cannot be asked"}
    assert all(f"is {wrong}, which is not a finite number" in v.note for v in others)
    users = measure()(AxiomUndefined)
    with pytest.raises(
        BrokenMeasure, match=rf"AxiomUndefined returns {wrong} .* It was scoring the rankings"
    ):
        search_verdicts([users], ["Conf"], instances=0)


def test_there_is_no_verdict_on_scores_that_change_from_call_to_call() -> None:
    rng = np.random.default_rng(0)

    @measure()
    def AxiomNoisy(hits: Hits) -> Floats:
        """Reciprocal length, and noise."""
        found: Floats = 1.0 / (1 + hits.length) + 1e-6 * rng.random(len(hits.length))
        return found

    with pytest.raises(BrokenMeasure, match="AxiomNoisy"):
        search_verdicts([AxiomNoisy], ["CloseTh"], instances=50)


def test_a_constraint_of_ones_own_runs_over_all_measures() -> None:
    @constraint(relation=NOT_LESS, scope=Scope(aspects=(2,), highest=1.0, fewest=1))
    def AxiomTwice(base: Base) -> Iterator[tuple[Floats, ...]]:
        """Seeing everything twice does no harm.

        Q(d⃗, d⃗) ≥ Q(d⃗)
        """
        yield np.concatenate([base.documents, base.documents]), base.documents

    table = axiom_table(["DCG_IA", "StRecall", "RBU"], ["AxiomTwice"], instances=50)
    assert [not v.refuted for v in table.verdicts] == [True, True, False]
    assert find_constraint("axiomtwice") is AxiomTwice
    with pytest.raises(InputError, match="exists already"):
        constraint()(AxiomTwice.cases)


def test_properties_beyond_the_ten() -> None:
    measures = ["nDCG@5", "P@5", "DCG", "CAM(nDCG)", "MM(nDCG)", "RBU", "ERR"]
    table = axiom_table(measures, MORE_PROPERTIES, instances=400)
    broken = {m: [v.constraint.name for v in table.of(m) if v.refuted] for m in measures}
    assert broken == {
        "nDCG@5": ["Local"],  # the ideal knows documents that were not retrieved
        "P@5": ["Conv", "Ideal", "Max1"],  # grades are all one; 2 relevant of 5 are .4 at most
        "DCG": ["Bound", "Ideal", "Max1"],
        "CAM(nDCG)": ["Local", "Max1"],  # Maistro et al. 2021, section 4.2: aspects want different orders
        "MM(nDCG)": ["Local", "Max1"],
        "RBU": ["Local", "Bound", "Ideal", "Tail", "Max1"],
        "ERR": ["Ideal", "Max1"],
    }


#: Documents a on aspects 1 and 2, b on 3 and 4, c on 1 and 3. The greedy ideal begins with c, the last of
#: three documents that are equally good at first, and then gains 1 + α less with each of the others.
SHARED = {"1": {"c": 1, "a": 1}, "2": {"a": 1}, "3": {"c": 1, "b": 1}, "4": {"b": 1}}
#: For a, b, c, by hand with α = β = ½: gains 2, 2, ½ + ½ against 2, 1 + ½, ½ + 1 of c, a, b.
ABOVE_ONE = {
    "alpha_nDCG": (2 + 2 / math.log2(3) + 1 / 2) / (2 + 1.5 / math.log2(3) + 1.5 / 2),
    "nNRBP": (2 + 2 / 2 + 1 / 4) / (2 + 1.5 / 2 + 1.5 / 4),
    "nERR_IA": (2 + 2 / 2 + 1 / 3) / (2 + 1.5 / 2 + 1.5 / 3),
}


def test_measures_that_divide_by_a_greedy_ideal_exceed_1_and_the_search_finds_it() -> None:
    assert [round(score, 3) for score in ABOVE_ONE.values()] == [1.018, 1.04, 1.026]
    run = {"q": {"a": 3, "b": 2, "c": 1}}
    scores = rankprism.evaluate({"q": SHARED}, run, list(ABOVE_ONE)).mean()["run"]
    assert scores == pytest.approx(ABOVE_ONE)
    exact = [f"{name}(ideal='exact')" for name in ABOVE_ONE]
    assert max(rankprism.evaluate({"q": SHARED}, run, exact).mean()["run"].values()) == 1
    for verdict in search_verdicts(ABOVE_ONE, ["Bound"]):
        assert verdict.kind == "refuted"
        assert verdict.scores == pytest.approx([ABOVE_ONE[verdict.measure.name]])
        assert verdict.counterexample is not None
        assert verdict.counterexample.rankings[0].shape == (3, 4)


@pytest.mark.parametrize("statement", [c for c in MORE_PROPERTIES if max(c.scope.aspects) > 1], ids=str)
def test_properties_of_several_aspects_are_searched_with_up_to_8(statement: Constraint) -> None:
    # As docs/axioms.md says.
    assert max(statement.scope.aspects) == 8
    lots = Lots(statement, None, 400, seed=0)
    assert {len(i.weights) for lot in lots for i in lot.instances} >= set(range(2, 9))


def test_toma_has_the_four_properties_that_cam_and_mm_lack() -> None:
    # Maistro et al. 2021, section 4.2. By Chebyshev's distance a document on one of two aspects alone is in
    # the lowest class, so a topic that has no others attains no more than 0.
    four = ["Max1", "Min0", "Order", "Defined"]
    measures = ["TOMA(nDCG)", "TOMA(AP,distance='manhattan')", "TOMA(nDCG,distance='chebyshev')", "CAM(nDCG)"]
    # The labels of all instances together would be too many to order.
    assert search_verdicts(["TOMA(nDCG)"], ["Sym"], instances=50)[0].kind == "not refuted"
    verdicts = search_verdicts(measures, four, instances=50)
    broken = [(str(v.measure), v.constraint.name) for v in verdicts if v.refuted]
    assert broken == [("TOMA(nDCG,distance='chebyshev')", "Max1"), ("CAM(nDCG)", "Max1")]


def test_readings_are_checked() -> None:
    with pytest.raises(InputError, match="Pri: grades must be graded or binary; got 'some'"):
        Pri(grades="some")
    with pytest.raises(InputError, match="Sat: r_max must be a number above 0 and at most 1; got 2"):
        Sat(r_max=2)
    with pytest.raises(
        InputError, match="Deep has no reading 'suffix'; it has grades, highest, small, cutoff"
    ):
        Deep(suffix="any")
    with pytest.raises(InputError, match="unknown constraint 'Pry'; did you mean Pri"):
        find_constraint("Pry")
    with pytest.raises(MeasureError, match="unknown measure"):
        search_verdicts(["nope"], [Pri])
    assert str(Sat(r_max=0.5, weights="balanced")) == "Sat(r_max=0.5,weights='balanced')"
    assert str(Pri(highest=0.1)) == "Pri"


# The command


def test_the_command_writes_every_format(cli: Cli, tmp_path: Path) -> None:
    common = ("axioms", "RBP(gain='linear')", "AP", "-c", "Pri", "-c", "Conf", "--instances", "50")
    text = cli(*common).stdout
    assert text.splitlines()[2:4] == ["RBP(gain='linear')  ●    ○", "AP                  ○    ○"]
    rows = json.loads(cli(*common, "--format", "json").stdout)["rows"]
    assert [row["verdict"] for row in rows] == ["proved", "refuted", "refuted", "refuted"]
    assert rows[2]["ranking"] == "0.05, 0.01"
    assert cli(*common, "--format", "csv").stdout.count("\n") == 5
    assert r"$\bullet$" in cli(*common, "--format", "latex").stdout
    assert "| AP | ○ | ○ |" in cli(*common, "--format", "markdown").stdout
    page = tmp_path / "axioms.html"
    assert cli(*common, "-o", page).returncode == 0
    html = page.read_text(encoding="utf-8")
    tree = ET.fromstring(re.sub(r"<!doctype html>|<meta[^>]*>|<br>", "", html))
    assert len(tree.findall(".//td")) == 4
    assert {a.attrib["href"][1:] for a in tree.findall(".//td/a")} == {
        h.attrib["id"] for h in tree.findall(".//h3[@id]")
    }
    assert "http" not in html


def test_the_command_tells_a_story(cli: Cli) -> None:
    told = cli("axioms", "--explain", "RBU", "Conf", "--instances", "50")
    assert told.returncode == 0
    assert "the document adds nothing and costs e D(n+1) > 0" in " ".join(told.stdout.split())
    assert "as it should be" in told.stdout
    assert "They tie." in cli("axioms", "--explain", "RBP", "Conf", "--instances", "50").stdout
    assert "1–8192" not in cli("axioms", "--explain", "DCG", "DeepTh").stdout


def test_the_command_finds_thresholds(cli: Cli) -> None:
    found = cli("axioms", "RBP(gain='linear')", "--threshold", "p", "-c", "CloseTh")
    assert "proved for p > 0.7549" in found.stdout
    ranged = cli("axioms", "RBP(gain='linear')", "--threshold", "p=0.5:0.7", "-c", "CloseTh")
    assert "refuted for every p from 0.5 to 0.7 that was tried" in ranged.stdout


def test_a_threshold_of_what_does_not_apply_says_so() -> None:
    assert str(find_thresholds(["RBP"], ["Conv"], "p").thresholds[0]) == "cannot be asked: it has no cutoff"


def test_a_threshold_says_no_more_than_was_shown() -> None:
    # For any α > 0 a small enough r breaks Pri: only the grades that are tried run out, at .0001.
    searched = find_thresholds(["alpha_DCG(gain='linear')@20"], [Pri], "alpha", instances=1000).thresholds[0]
    assert re.match(r"not refuted in [\d,]+ instances for alpha ", str(searched))
    assert searched.not_refuted[0].high <= 0.002
    proved = find_thresholds(["NRBP(gain='linear')"], [Deep], "beta", instances=200).thresholds[0]
    assert str(proved) == "proved for every beta from 1e-06 to 0.999999 that was tried"


@pytest.mark.parametrize("name", ["ERR", "ERR_IA(gain='probability')"])
def test_a_threshold_tells_where_it_does_not_apply(name: str) -> None:
    # Grades are at most .1, and a scale that ends below its grades is none.
    found = find_thresholds([name], [Pri], "max_rel", instances=100)
    assert re.fullmatch(
        r"not refuted in [\d,]+ instances for max_rel ≥ 0.1; cannot be asked for max_rel < 0.1",
        str(found.thresholds[0]),
    )
    assert found.rows.columns["verdict"] == ["cannot be asked", "not refuted"]
    assert "above max_rel" in found.rows.columns["note"][0]
    nowhere = find_thresholds(["RBP"], [Conf], "p", instances=0)
    assert nowhere.rows.columns["verdict"] == ["refuted"]


def test_the_command_reads_constraints_in_other_ways(cli: Cli) -> None:
    text = cli("axioms", "AP", "-c", "Pri", "--reading", "grades=binary", "--instances", "50").stdout
    assert "AP       ◐" in text
    assert "details: Pri.grades=binary" in text
    room = cli("axioms", "-c", "Deep", "--reading", "small=room", "--instances", "200").stdout
    assert "CT(gain='linear')@20                      CT@k          ◐" in room
    assert "r ≪ 1 is read as room" in room
    assert "r_max: a number above 0 and at most 1, default 1.0" in cli("axioms", "--list", "-c", "Sat").stdout
    listed = cli("axioms", "--list", "-c", "AspRel").stdout
    assert "suffix: none or any, default none, any in the reading printed; the proof compares" in listed


def test_the_command_takes_a_reading_of_the_whole_table_and_details_beside_it(cli: Cli) -> None:
    eq11 = "RBU(e=0.05,form='eq11',gain='linear')@20"
    asked = ("axioms", eq11, "-c", "Red", "-c", "AspRel", "--instances", "50", "--reading", "printed")
    rows = json.loads(cli(*asked, "--format", "json").stdout)["rows"]
    assert [(row["constraint"], row["reading"], row["verdict"]) for row in rows] == [
        ("Red", "printed", "refuted"),
        ("AspRel", "printed", "refuted"),
    ]
    header, red, relevance = cli(*asked, "--reading", "suffix=none", "--format", "csv").stdout.splitlines()
    assert header.startswith("row,measure,constraint,reading,verdict,printed,")
    assert ",Red,printed,refuted," in red
    assert ',AspRel,"printed, suffix=none",proved,' in relevance
    told = cli("axioms", "--explain", eq11, "AspRel", "--instances", "50").stdout
    assert "Reading: proved, which adds: no document follows i, no ranking is longer than the cutoff." in told
    assert "(premise: no document follows i)" in told
    sought = ("axioms", "RBP", "-c", "CloseTh", "--threshold", "p=0.5:0.9", "--reading", "printed")
    assert ",CloseTh,printed,p," in cli(*sought, "--format", "csv").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "unknown measure 'nope'"),
        (["RBP", "-c", "Prio"], "unknown constraint 'Prio'; did you mean Pri?"),
        (
            ["RBP", "--reading", "cutoff"],
            "a reading is proved, printed, NAME=VALUE or CONSTRAINT.NAME=VALUE; got 'cutoff'",
        ),
        (
            ["RBP", "--reading", "proved", "--reading", "printed"],
            "the whole table has one reading; choose proved or printed",
        ),
        (
            ["RBP", "--reading", "cutof=free"],
            "no constraint here has the detail of 'cutof=free'; the details",
        ),
        (["RBP", "--reading", "Pri.cutoff=half"], "Pri: cutoff must be free or binding; got 'half'"),
        (["--explain", "RBP"], "--explain needs a measure and then a constraint"),
        (["--threshold", "p"], "--threshold needs a measure"),
        (
            ["RBP", "--threshold", "gain"],
            "RBP: gain is not a number, so it has no threshold; choose p or rel",
        ),
        (["--explain", "RBP", "Pri", "--format", "json"], "--explain prints text, not json"),
        (["--explain", "RBP", "Pri", "-o", "story.html"], "--explain prints text, not html"),
        (["--explain", "RBP", "Pri", "--threshold", "p"], "--explain and --threshold are two questions"),
        (["--list", "--format", "json"], "--list prints text and goes with no other option"),
        (["RBP", "--threshold", "q"], "RBP has no parameter 'q'"),
        (
            ["RBP", "--threshold", "p=0.5"],
            "--threshold is PARAM or PARAM=LOW:HIGH, e.g. p=0.5:0.9; got 'p=0.5'",
        ),
        (["RBP", "--threshold", "p=0.9:0.5"], "RBP: a range of p must end above its start"),
        (["RBP", "--threshold", "p=0.5:2"], "RBP: p must be a number"),
        (["RBP", "--reading", "small=tiny"], "Pri: small must be literal or room; got 'tiny'"),
    ],
)
def test_what_the_command_cannot_do_it_says(cli: Cli, arguments: list[str], message: str) -> None:
    result = cli("axioms", *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_the_page_of_a_measure_has_its_verdicts(cli: Cli) -> None:
    assert (
        "Axioms: proved: Pri Deep CloseTh AspDiv; refuted: DeepTh Conf Red MRed Sat AspRel (see `rankprism "
        "axioms nDCG`)"
    ) in " ".join(cli("measures", "nDCG").stdout.split())
    assert (
        "Axioms: refuted: Pri Deep CloseTh Conf AspDiv MRed Sat; proved: DeepTh Red AspRel; in the reading "
        "printed, refuted: AspRel (see `rankprism axioms ERR_IA`)"
    ) in " ".join(cli("measures", "ERR_IA").stdout.split())


@pytest.mark.parametrize(
    ("holds", "at", "note"),
    [
        ([False, False, False], 0, "for no n from 1 to 3"),
        ([True, False, False], 1, "for no n from 2 to 3"),
        ([False, True, False], 2, "for no n from 3 to 3"),
        ([False, True, True], None, "for n ≥ 2"),
        ([True, True, True], None, "for n ≥ 1"),
    ],
)
def test_a_relation_has_to_hold_from_some_n_on(holds: list[bool], at: int | None, note: str) -> None:
    eventually = replace(DeepTh, values=(1, 2, 3))
    assert eventually.read_quantifier == "eventually"
    assert _over(eventually, np.array(holds)) == (at, note)
