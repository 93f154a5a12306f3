"""The catalogue equals its definitions, on random input and on worked examples of papers and programs."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import evaluate
from rankprism.measures import Definition, Measure, definitions, lookup
from rankprism.measures.form import UNPROVED
from rankprism.types import Topics
from tests.support import oracles, strategies

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

Chosen = dict[str, Any]
Drawn = st.SearchStrategy[Any]

CUTOFF = st.none() | st.integers(1, 12)
FLAG = st.booleans()
REL = st.sampled_from([1, 0.5, 1.5, 2, 3, 5])
ALPHA = st.sampled_from([0.5, 0, 0.1, 0.25, 0.75, 1])
CHANCE = st.sampled_from([0.8, 0.5, 0.1, 0.95])
BETA = st.sampled_from([1, 0, 0.1, 2.5, 10])
GAMMA = st.sampled_from([0.5, 0, 0.3, 1])
GAIN = st.sampled_from(["exp", "linear", "probability", "binary"])
DIGITS = st.sampled_from([None, 4, 2, 0])
LEVELS = st.sampled_from(["uniform", "printed", {1: 0.5, 2: 0.3, 3: 0.2}, {0.77: 1, 1.9: 2, 9: 1}])

#: Without grades between 0 and 1, of which nobody says whether a binary gain counts them.
WHOLE: tuple[float | None, ...] = (None, 0, 1, 2, 3, 4, -1, 1.5, 1, 2, 0, None)


@dataclasses.dataclass(frozen=True)
class Case:
    """Judgments, a run and perhaps weights."""

    judgments: strategies.Judgments
    run: strategies.Run
    weights: strategies.Weights | None

    def weights_of(self, topic: str) -> dict[str, float] | None:
        return None if self.weights is None else self.weights[topic]


DOCS = ("d1", "d10", "d2", "a", "ä", "b", "文", "Ω", "z", "Z", "0", "_")
#: Few, so that some tie.
SCORES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 0.5, -1.0)


@st.composite
def cases(
    draw: st.DrawFn,
    grades: Sequence[float | None] = strategies.GRADES,
    max_aspects: int = 4,
    positive: bool = False,
) -> Case:
    """Three small topics at most; `positive`: no weight is 0.

    The sizes are drawn one by one, what fills the tables comes from a seed: that is quick, and a failure
    still shrinks to a small case.
    """
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    judgments: strategies.Judgments = {}
    run: strategies.Run = {}
    weights: strategies.Weights = {}
    for topic in strategies.TOPICS[: draw(st.integers(1, 3))]:
        docs = rng.sample(DOCS, draw(st.integers(1, len(DOCS))))
        judged = {
            aspect: {doc: grade for doc in docs if (grade := rng.choice(grades)) is not None}
            for aspect in strategies.ASPECTS[: draw(st.integers(1, max_aspects))]
        }
        judged = {aspect: found for aspect, found in judged.items() if found} or {"1": {docs[0]: 0}}
        retrieved = rng.sample((*DOCS, "x", "y", "A"), draw(st.integers(0, 15)))
        judgments[topic] = judged
        if not run or rng.random() < 0.9:  # some topics are missing from the run
            run[topic] = {doc: rng.choice(SCORES) for doc in retrieved}
        given_ = {aspect: rng.choice(strategies.WEIGHTS) or 0.7 * positive for aspect in judged}
        live = [aspect for aspect, found in judged.items() if max(found.values()) > 0]
        if not any(given_[aspect] for aspect in live):
            given_ |= dict.fromkeys(live, 1.0)
        weights[topic] = given_
    return Case(judgments, run, draw(st.sampled_from([None, weights])))


def compare(
    case: Case,
    wanted: Sequence[tuple[rankprism.Measure, Callable[..., float]]],
    navigational: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Every topic's score under every measure, next to what the definition gives."""
    judged: Any = rankprism.read_judgments(case.judgments, weights=case.weights)
    if navigational is not None:
        judged = dataclasses.replace(
            judged,
            navigational=np.array([a in navigational[t] for t in judged.topics for a in judged.aspects[t]]),
        )
    measures = [measure for measure, _ in wanted]
    scores = rankprism.evaluate(judged, case.run, measures)
    assert set(scores.topics) == case.judgments.keys()
    for topic, grades in case.judgments.items():
        ranking = oracles.rank(case.run.get(topic, {}))
        weights = case.weights_of(topic)
        more = {} if navigational is None else {"navigational": navigational[topic]}
        row = scores.values[0, scores.topics.index(topic)]
        for measure, definition in wanted:
            score, defined = (
                row[scores.measures.index(str(measure))],
                definition(grades, ranking, weights, **more),
            )
            if math.isnan(defined):  # there is nothing to score
                assert math.isnan(score), (topic, measure)
            else:
                assert math.isclose(score, defined, rel_tol=1e-10, abs_tol=1e-10), (topic, measure)


def defined_by(definition: Callable[..., float], chosen: Chosen) -> Callable[..., float]:
    """The definition with its settings bound; leaving out unjudged documents is common to all of them."""
    own = {name: value for name, value in chosen.items() if name not in ("judged_only", "ideal")}

    def score(judged: oracles.Judged, ranking: Sequence[str], weights: Any, **more: Any) -> float:
        seen = oracles.visible(judged, ranking, chosen.get("judged_only", False))
        return definition(judged, seen, weights, **own, **more)

    return score


def several(chosen: Mapping[str, Drawn]) -> st.SearchStrategy[list[Chosen]]:
    return st.lists(st.fixed_dictionaries(dict(chosen)), min_size=1, max_size=3)


# One aspect, folded from several


_RELEVANT = {"rel": REL, "cutoff": CUTOFF}
_GAINS = st.none() | st.dictionaries(
    st.sampled_from([0.5, 1, 2, 3, 4]), st.sampled_from([0, 1, 3, 7.5, 10]), min_size=1
)
_DCG = {
    "dcg": st.just("log2"),
    "gains": _GAINS,
    "discount": st.sampled_from(["burges", "jk"]),
    "b": st.sampled_from([2, 3, 10, 1.5]),
    "cutoff": CUTOFF,
}
_ERR = {"max_rel": st.sampled_from([4, 5, 6.5]), "gain": st.sampled_from(["exp", "probability"])}
_RECALL = st.sampled_from([None, 0, 0.1, 0.3, 0.5, 0.7, 1])
_ROUNDING = st.sampled_from(["up", "nearest"])
SINGLE: dict[str, dict[str, Drawn]] = {
    "P": _RELEVANT,
    "RR": _RELEVANT,
    "AP": {"normalize": FLAG, **_RELEVANT},
    "Rprec": {"rel": REL, "times": st.sampled_from([1, 0.2, 0.6, 1.4, 2])},
    "R": _RELEVANT,
    "F1": _RELEVANT,
    "Success": _RELEVANT,
    "Accuracy": _RELEVANT,
    "Bpref": {"rel": REL},
    "infAP": {"rel": REL},
    "DCG": _DCG,
    "nDCG": _DCG,
    "RBP": {"p": CHANCE, "gain": st.sampled_from(["binary", "linear", "share", "probability"]), **_RELEVANT},
    "ERR": {**_ERR, "cutoff": CUTOFF},
    "nERR": {**_ERR, "cutoff": CUTOFF},
    "Q": {"beta": BETA, "gain": GAIN, "cutoff": CUTOFF},
    "P_plus": {"beta": BETA, "gain": GAIN, "cutoff": CUTOFF},
    "GAP": {"levels": LEVELS},
    "nGAP": {"levels": LEVELS, "cutoff": CUTOFF},
    "Compat": {
        "p": st.sampled_from([0.95, 0.5, 0.1, 0.8]),
        "normalize": FLAG,
        "depth": st.sampled_from([None, 1, 2, 5, 40]),
    },
    "SetP": {"rel": REL, "relative": FLAG},
    "SetR": {"rel": REL},
    "SetF": {"rel": REL, "beta": BETA},
    "SetAP": {"rel": REL},
    "RelP": _RELEVANT,
    "Utility": {
        "rel": REL,
        **{name: st.sampled_from([1, -1, 0, 2.5]) for name in ("found", "wrong", "missed", "rest")},
        "documents": st.sampled_from([0, 1000]),
    },
    "IPrec": {"rel": REL, "recall": _RECALL, "rounding": _ROUNDING},
    "IAP": {
        "rel": REL,
        "recalls": st.sampled_from([(0.2, 0.5, 0.8), (1,), tuple(n / 10 for n in range(11))]),
        "rounding": _ROUNDING,
    },
    "nDCG_rel": {"gains": _GAINS},
    "RnDCG": {"gains": _GAINS},
    "binG": {"rel": REL},
    "G": {"gains": _GAINS},
    "YAAP": {"rel": REL},
}


def test_every_single_aspect_measure_is_compared() -> None:
    single = [name for name in rankprism.measures.names() if lookup(name).definition.single]
    assert set(SINGLE) == set(single) == set(oracles.combine.SINGLE)


def folded_settings(name: str, fold: str, chosen: Chosen) -> Chosen:
    """Settings for which rounding cannot tip a mean over a threshold, and no sum is above the scale."""
    own = dict(chosen)
    if fold == "mean":
        own |= {"rel": 1.37} if "rel" in own else {}
        own |= {"gains": None} if "gains" in own else {}
        own |= {"levels": {0.77: 1, 1.37: 2}} if isinstance(own.get("levels"), dict) else {}
        own |= {"gain": "exp"} if own.get("gain") == "binary" and "rel" not in own else {}
    if fold in ("sum", "product") and "max_rel" in own:
        own["max_rel"] = {"sum": 20, "product": 1000}[fold]
    return own


@pytest.mark.parametrize("name", SINGLE)
@settings(max_examples=60)
@given(data=st.data())
def test_single_aspect_measure_of_folded_grades_equals_its_definition(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(positive=True, grades=WHOLE if name in ("Q", "P_plus") else strategies.GRADES))
    all_settings = data.draw(several({**SINGLE[name], "judged_only": FLAG}))
    wanted = []
    folds = ["max", "min", "sum", "mean", "product"]
    if name == "P_plus" and case.weights:  # it asks which of the grades is the highest, so ties must be exact
        folds.remove("mean")
    for fold in data.draw(st.lists(st.sampled_from(folds), min_size=1, unique=True)):
        for chosen in all_settings:
            own = folded_settings(name, fold, chosen)

            def definition(*args: Any, fold_: str = fold, own_: Chosen = own) -> float:
                return oracles.combine.folded(name, *args, fold_by=fold_, **own_)

            wanted.append((lookup(name)(fold=fold, **own), definition))
    compare(case, wanted)


@pytest.mark.parametrize("fold", ["min", "sum", "mean", "product"])
def test_an_aspect_of_weight_0_is_not_folded(fold: str) -> None:
    seen, unseen = {"d1": 2, "d2": 1, "d3": 3}, {"d1": 5, "d4": 3}
    run = {"q": {"d4": 9, "d2": 8, "d1": 7, "d3": 6}}
    measure = f"DCG(fold='{fold}')"
    both = evaluate({"q": {"a": seen, "b": unseen}}, run, measure, weights={"q": {"a": 1.0, "b": 0.0}})
    assert both.means[0, 0] == evaluate({"q": {"a": seen}}, run, measure).means[0, 0] > 0


@pytest.mark.parametrize("name", [name for name in SINGLE if name not in ("ERR", "nERR")])
@settings(max_examples=60)
@given(data=st.data())
def test_intent_aware_measure_equals_its_definition(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(grades=WHOLE if name in ("Q", "P_plus") else strategies.GRADES))
    wanted = []
    for chosen in data.draw(several({**SINGLE[name], "judged_only": FLAG})):
        if name == "RBP" and chosen["gain"] != "binary":
            chosen["rel"] = 0.5  # no grade is lower

        def definition(*args: Any, chosen_: Chosen = chosen) -> float:
            return oracles.combine.intent_aware(name, *args, **chosen_)

        wanted.append((lookup(f"{name}_IA")(**chosen), definition))
    compare(case, wanted)


@pytest.mark.parametrize("name", ["DCG", "nDCG", "DCG_IA", "nDCG_IA"])
@settings(max_examples=40)
@given(case=cases(), cutoff=CUTOFF)
def test_dcg_with_exponential_gains_equals_its_definition(name: str, case: Case, cutoff: int | None) -> None:
    chosen: Chosen = {"dcg": "exp-log2", "cutoff": cutoff}
    aware, base = name.endswith("_IA"), name.removesuffix("_IA")

    def definition(*args: Any) -> float:
        return (oracles.combine.intent_aware if aware else oracles.combine.folded)(base, *args, **chosen)

    compare(case, [(lookup(name)(**chosen), definition)])


@settings(max_examples=60)
@given(case=cases(grades=strategies.PROBABILITIES), cutoff=CUTOFF)
def test_err_of_grades_that_are_probabilities_equals_its_definition(case: Case, cutoff: int | None) -> None:
    chosen: Chosen = {"gain": "linear", "cutoff": cutoff}
    compare(
        case,
        [
            (lookup("ERR")(**chosen), lambda *args: oracles.combine.folded("ERR", *args, **chosen)),
            (lookup("nERR")(**chosen), lambda *args: oracles.combine.folded("nERR", *args, **chosen)),
            # These two are measures of their own, of which ERR_IA happens to be the intent-aware ERR.
            (lookup("ERR_IA")(**chosen), lambda *args: oracles.combine.intent_aware("ERR", *args, **chosen)),
            (
                lookup("nERR_IA")(ideal="per-aspect", **chosen),
                lambda *args: oracles.combine.intent_aware("nERR", *args, **chosen),
            ),
        ],
    )


@pytest.mark.parametrize("combine", ["CAM", "MM"])
@settings(max_examples=80)
@given(data=st.data())
def test_cam_and_mm_of_any_measure_equal_their_definitions(combine: str, data: st.DataObject) -> None:
    case = data.draw(cases(grades=WHOLE))
    # A ranking may have no Accuracy on an aspect, and then none of what is made of it.
    name = data.draw(st.sampled_from(sorted(SINGLE.keys() - {"Accuracy"})))
    wanted = []
    for chosen in data.draw(several(SINGLE[name])):

        def definition(*args: Any, chosen_: Chosen = chosen) -> float:
            return float(getattr(oracles.combine, combine)(name, *args, **chosen_))

        wanted.append((lookup(combine)(measure=lookup(name)(**chosen)), definition))
    compare(case, wanted)


@pytest.mark.parametrize("mean", ["arithmetic", "harmonic"])
@settings(max_examples=40)
@given(data=st.data())
def test_the_mean_over_the_aspects_reached_equals_its_definition(mean: str, data: st.DataObject) -> None:
    case = data.draw(cases(grades=WHOLE))
    # A ranking may have no Accuracy on an aspect, and then none of what is made of it.
    name = data.draw(st.sampled_from(sorted(SINGLE.keys() - {"Accuracy"})))
    wanted = []
    for chosen in data.draw(several(SINGLE[name])):

        def definition(*args: Any, chosen_: Chosen = chosen) -> float:
            return oracles.combine.Reached(name, *args, mean=mean, **chosen_)

        wanted.append((lookup("Reached")(measure=lookup(name)(**chosen), mean=mean), definition))
    compare(case, wanted)


# All aspects at once


_EFFORT = st.sampled_from([0.05, 0, 0.3])
#: Nothing that gains could add up to exactly.
_SATURATION = st.sampled_from([1.03, 0.31, 0.77, 2.63, 1e6])
_CUBE = {
    "alpha": ALPHA,
    "height": st.sampled_from([5, 1, 2.5, 0.3, 100]),
    "batch": st.sampled_from([5, 1, 2, 3]),
    "cutoff": CUTOFF,
}
_D: dict[str, Drawn] = {"gain": GAIN, "digits": DIGITS, "cutoff": CUTOFF}
_NOVELTY = {"alpha": ALPHA, "rel": REL, "gain": GAIN, "weighted": FLAG, "cutoff": CUTOFF}
_SATISFIED = st.sampled_from(["binary", "probability"])
_SCALE = st.sampled_from([None, 4, 5.5])
_NUGGETS: dict[str, Drawn] = {"strict": FLAG, "cutoff": CUTOFF}
_LEVEL = st.sampled_from([1, 0.5, 1 / 3, 0.75, 0.2])
_YEAR = st.sampled_from(["trec-dd-2015", "trec-dd-2016"])

#: Name, definition, parameters.
WHOLE_TOPIC: dict[str, tuple[str, Callable[..., float], dict[str, Drawn]]] = {
    "EU": (
        "EU",
        oracles.novelty.EU,
        {
            "alpha": ALPHA,
            "e": _EFFORT,
            "base": st.sampled_from([math.e, 2, 10]),
            "gain": GAIN,
            **_RELEVANT,
        },
    ),
    "RBU": (
        "RBU",
        oracles.novelty.RBU,
        {
            "p": st.sampled_from([0.8, 0.5, 0.99, 1]),
            "e": st.sampled_from([0.03, 0, 0.2]),
            "form": st.sampled_from(["reference", "eq11"]),
            "gain": _SATISFIED,
            **_RELEVANT,
        },
    ),
    "CT, paper": (
        "CT",
        oracles.cube.CT,
        {"alpha": ALPHA, "saturation": _SATURATION, "gain": GAIN, **_RELEVANT},
    ),
    "CT, trec-dd": ("CT", oracles.cube.CT, {"form": _YEAR, **_CUBE}),
    "nCT": ("nCT", oracles.cube.nCT, _CUBE),
    "ACT": ("ACT", oracles.cube.ACT, {"form": _YEAR, **_CUBE}),
    "P_at_recall": (
        "P_at_recall",
        oracles.cube.P_at_recall,
        {"rel": REL, "form": st.sampled_from(["trec-dd-2015", "trec-dd-2016", "new", "share-new"])},
    ),
    "RR_at_recall": ("RR_at_recall", oracles.cube.RR_at_recall, {"rel": REL}),
    "S_RR": ("S_RR", oracles.coverage.S_RR, {"level": _LEVEL, "rel": REL}),
    "S_precision": ("S_precision", oracles.coverage.S_precision, {"level": _LEVEL, "rel": REL}),
    "WS_precision": (
        "WS_precision",
        oracles.coverage.WS_precision,
        {
            "level": _LEVEL,
            "rel": REL,
            "a": st.sampled_from([1, 0, 0.3, 5]),
            "b": st.sampled_from([1, 0.1, 2]),
        },
    ),
    "Judged": ("Judged", oracles.coverage.Judged_, {"cutoff": CUTOFF}),
    "Unjudged": ("Unjudged", oracles.trec_eval.Unjudged, {"cutoff": CUTOFF}),
    "RBP_residual": ("RBP_residual", oracles.trec_eval.RBP_residual, {"p": CHANCE, "cutoff": CUTOFF}),
    "NuggetAll": ("NuggetAll", oracles.nuggets.NuggetAll, _NUGGETS),
    "NuggetVital": ("NuggetVital", oracles.nuggets.NuggetVital, _NUGGETS),
    "NuggetWeighted": ("NuggetWeighted", oracles.nuggets.NuggetWeighted, _NUGGETS),
    "alpha_nDCG, per aspect": (
        "alpha_nDCG",
        oracles.novelty.alpha_nDCG_per_aspect,
        {"ideal": st.just("per-aspect"), **_NOVELTY},
    ),
    "nNRBP, per aspect": (
        "nNRBP",
        oracles.novelty.nNRBP_per_aspect,
        {"ideal": st.just("per-aspect"), "beta": CHANCE, **_NOVELTY},
    ),
    "nERR_IA, per aspect": (
        "nERR_IA",
        oracles.novelty.nERR_IA_per_aspect,
        {"ideal": st.just("per-aspect"), "alpha": ALPHA, "gain": _SATISFIED, "max_rel": _SCALE, **_RELEVANT},
    ),
    "ERR_IA, graded": (
        "ERR_IA",
        oracles.novelty.ERR_IA_graded,
        {"gain": st.just("probability"), "max_rel": _SCALE, "cutoff": CUTOFF},
    ),
}


@pytest.mark.parametrize("name", WHOLE_TOPIC)
@settings(max_examples=60)
@given(data=st.data())
def test_measure_of_all_aspects_equals_its_definition(name: str, data: st.DataObject) -> None:
    measure, definition, parameters = WHOLE_TOPIC[name]
    case = data.draw(cases())
    all_settings = data.draw(several({**parameters, "judged_only": FLAG}))
    compare(case, [(lookup(measure)(**chosen), defined_by(definition, chosen)) for chosen in all_settings])


@pytest.mark.parametrize("form", ["reference", "eq11"])
@settings(max_examples=40)
@given(case=cases(grades=strategies.PROBABILITIES), cutoff=CUTOFF)
def test_rbu_of_grades_that_are_probabilities_equals_its_definition(
    form: str, case: Case, cutoff: int | None
) -> None:
    chosen = {"form": form, "gain": "linear", "cutoff": cutoff}
    compare(case, [(lookup("RBU")(**chosen), defined_by(oracles.novelty.RBU, chosen))])


# D-measures


D_MEASURES: dict[str, tuple[Callable[..., float], dict[str, Drawn]]] = {
    "D_nDCG": (oracles.d_measures.D_nDCG, _D),
    "D_Q": (oracles.d_measures.D_Q, {"beta": BETA, **_D}),
    "DSharp_nDCG": (oracles.d_measures.DSharp_nDCG, {"gamma": GAMMA, **_D}),
    "DSharp_Q": (oracles.d_measures.DSharp_Q, {"gamma": GAMMA, "beta": BETA, **_D}),
    "D_nERR": (oracles.d_measures.D_nERR, _D),
    "D_EBR": (oracles.d_measures.D_EBR, {"beta": BETA, **_D}),
    "D_iRBU": (oracles.d_measures.D_iRBU, {"p": st.sampled_from([0.99, 0.5, 1]), **_D}),
    "D_RBP": (oracles.d_measures.D_RBP, {"p": CHANCE, **_D}),
    "DIN_nDCG": (oracles.d_measures.DIN_nDCG, _D),
    "DINSharp_nDCG": (oracles.d_measures.DINSharp_nDCG, {"gamma": GAMMA, **_D}),
    "P_plusQ": (oracles.d_measures.P_plusQ, {"beta": BETA, "gain": GAIN, "cutoff": CUTOFF}),
    "P_plusQSharp": (
        oracles.d_measures.P_plusQSharp,
        {"gamma": GAMMA, "beta": BETA, "gain": GAIN, "cutoff": CUTOFF},
    ),
}
#: Those to which the type of an intent matters.
TYPED = ("DIN_nDCG", "DINSharp_nDCG", "P_plusQ", "P_plusQSharp")


def rounds_clearly(case: Case, chosen: Chosen, navigational: Mapping[str, Sequence[str]] | None) -> bool:
    """Whether no gain lies so close to halfway that the order of additions decides how it is rounded."""
    digits = chosen.get("digits")
    if digits is None:
        return True
    for topic, judged in case.judgments.items():
        ranking = oracles.rank(case.run.get(topic, {}))
        nav = navigational[topic] if navigational else ()
        weights = case.weights_of(topic)
        for gain in oracles.d_measures.found_gains(judged, ranking, weights, chosen["gain"], None, nav):
            if abs(gain * 10**digits % 1 - 0.5) < 1e-6:
                return False
    return True


@pytest.mark.parametrize("name", D_MEASURES)
@settings(max_examples=60)
@given(data=st.data())
def test_d_measure_equals_its_definition(name: str, data: st.DataObject) -> None:
    definition, parameters = D_MEASURES[name]
    case = data.draw(cases(grades=WHOLE))
    navigational = None
    if name in TYPED:
        navigational = {
            topic: data.draw(st.lists(st.sampled_from(list(aspects)), unique=True))
            for topic, aspects in case.judgments.items()
        }
    all_settings = data.draw(several({**parameters, "judged_only": FLAG}))
    for chosen in all_settings:
        assume(rounds_clearly(case, chosen, navigational))
    compare(
        case,
        [(lookup(name)(**chosen), defined_by(definition, chosen)) for chosen in all_settings],
        navigational,
    )


def test_giving_weights_leaves_the_types_of_intents_alone() -> None:
    # One navigational intent with two documents: 1 / (1 + 1/log2(3)), as only the first of them counts.
    judgments = rankprism.read_judgments({"q": {"s": {"a": 1, "b": 1}}})
    judgments = dataclasses.replace(judgments, navigational=np.array([True]))
    expected = 1 / (1 + 1 / math.log2(3))
    for weights in (None, {"q": {"s": 1.0}}):
        scores = rankprism.evaluate(judgments, {"q": {"a": 2.0, "b": 1.0}}, "DIN_nDCG", weights=weights)
        assert scores.mean()["run"]["DIN_nDCG"] == pytest.approx(expected, rel=1e-12), weights


@pytest.mark.parametrize("fold", ["max", "min", "sum", "mean"])
def test_a_topic_without_weights_or_relevant_documents_scores_0(fold: str) -> None:
    # Weights may be left out for aspects without a relevant document, which is all that topic r has.
    judgments = {"q": {"s": {"a": 1, "b": 1}}, "r": {"s": {"x": 0}}}
    run = {"q": {"a": 1.0}, "r": {"x": 1.0}}
    measures = [f"{name}(fold='{fold}')" for name in ("nDCG", "DCG", "AP", "GAP", "RBP")]
    scores = rankprism.evaluate(judgments, run, measures, weights={"q": {"s": 1}})
    assert scores.values[0, 1].tolist() == [0.0] * len(measures)


@pytest.mark.parametrize("fold", ["mean", "sum"])
def test_folding_many_aspects_is_the_same_for_the_ranking_and_for_what_is_judged(fold: str) -> None:
    # Eight grades add up to 3.5 and 4.4, give or take a rounding error, which must not tell a document in the
    # ranking from itself among the judged ones.
    first, second = (1, 0.1, 0.1, 0.1, 1, 1, 0.1, 0.1), (0.1, 0.1, 0.1, 1, 0.1, 1, 1, 1)
    judged = {f"s{i}": {"a": a, "b": b} for i, (a, b) in enumerate(zip(first, second, strict=True))}
    found = scores_of(judged, ["a"], f"GAP(fold='{fold}')", f"nGAP(fold='{fold}')@1")
    assert found == pytest.approx([3.5 / 7.9, 3.5 / 4.4], rel=1e-12)


def test_precision_at_recall_counts_relevant_documents_or_what_is_new() -> None:
    # b brings nothing new. It counts in the program of TREC Dynamic Domain 2015 since 12 June 2015, but did
    # not count before, nor does it in the modified precision at recall.
    judged = {"s": {"a": 1, "b": 1}, "t": {"c": 1}}
    forms = [f"P_at_recall(form='{form}')" for form in ("trec-dd-2015", "new", "share-new", "trec-dd-2016")]
    found = scores_of(judged, ["a", "b", "c", "x"], *forms)
    assert found == pytest.approx([1, 2 / 3, 2 / 3, 3 / 4], rel=1e-12)
    judged = {"s": {"a": 1, "b": 1}, "t": {"c": 1, "b": 1}}
    found = scores_of(judged, ["a", "d", "b"], *forms)
    assert found == pytest.approx([2 / 3, 2 / 3, 1.5 / 3, 2 / 3], rel=1e-12)


def test_any_share_of_the_aspects_needs_one_of_them() -> None:
    judged = {"s": {"a": 1}, "t": {"b": 1}}
    assert scores_of(judged, ["x", "b"], "S_RR(level=0.5)", "S_RR(level=0.0000000001)") == [0.5, 0.5]


def test_the_whole_catalogue_is_compared() -> None:
    """A measure that is added without an oracle is named here, with what to do."""
    here = {*SINGLE, *D_MEASURES, "CAM", "MM", "Reached"}
    here |= {"TOMA", "Aspect", "Contrast"}  # in test_toma
    here |= {name for name, _, _ in WHOLE_TOPIC.values()}
    here |= {"alpha_DCG", "NRBP", "StRecall"}  # in test_oracles, like what this file has of their family
    missing = {definition.name for definition in built_in()} - here
    assert not missing, (
        f"{missing} have no oracle: write each from its definition in tests/support/oracles, and name it "
        "in SINGLE, D_MEASURES or WHOLE_TOPIC"
    )
    assert here == {definition.name for definition in built_in()}


def test_every_measure_has_bounds_or_says_why_not() -> None:
    for definition in built_in():
        assert Measure(definition).why_unbounded != UNPROVED, (
            f"{definition.name} has no bounds for missing judgments: give its form bounds=function, or "
            "why_unbounded='why there are none'"
        )


def built_in() -> list[Definition]:
    """Without the measures that other tests have made."""
    homes = {definition.name: definition.module for definition in definitions()}
    return [
        definition
        for definition in definitions()
        if definition.needs == "judgments"  # those of preferences are in test_preference_evaluation
        and homes[definition.name].startswith("rankprism.measures.")
        and homes[definition.name] != "rankprism.measures.composition"
    ]


# Risk


@settings(max_examples=60)
@given(data=st.data(), alpha=st.sampled_from([0, 1, 5, 0.5]))
def test_u_risk_equals_its_definition(data: st.DataObject, alpha: float) -> None:
    judgments = data.draw(strategies.judgments(max_docs=8, max_aspects=3))
    runs = {name: data.draw(strategies.runs(judgments)) for name in ("base", "one", "two")}
    topics = data.draw(st.sampled_from(get_args(Topics)))
    scores = rankprism.evaluate(judgments, runs, ["nDCG@5", "RBU"], topics=topics)
    per_topic = scores.per_topic()
    shared = {name: per_topic[name].keys() & per_topic["base"].keys() for name in runs}
    assume(all(shared.values()))
    risk = scores.risk("base", alpha)
    assert risk.runs == ("base", "one", "two")
    for name, row in risk.mean().items():
        for measure in scores.measures:
            own, base = ({t: per_topic[r][t][measure] for t in shared[name]} for r in (name, "base"))
            found = row[f"URisk({measure},alpha={alpha:g})"]
            assert found == pytest.approx(oracles.risk.U_RISK(own, base, alpha), rel=1e-10, abs=1e-10)


# Worked examples


def scores_of(
    judged: Mapping[str, Mapping[str, float]], ranking: Sequence[str], *measures: str, **options: Any
) -> list[float]:
    """The scores of a ranking of one topic."""
    run = {"q": {doc: -float(i) for i, doc in enumerate(ranking)}}
    weights = {"q": options["weights"]} if options.get("weights") else None
    mean = rankprism.evaluate({"q": judged}, run, measures, weights=weights).mean()["run"]
    return list(mean.values())


#: Sakai and Song (SIGIR 2011), worked by hand from their formulas: levels 2 0 3 1 0 retrieved, 3 3 2 1 1 0
#: judged.
SINGLE_INTENT = {"0": {"a": 2, "b": 0, "c": 3, "d": 1, "e": 3, "f": 1}}
SINGLE_INTENT_RANKING = ("a", "b", "c", "d", "x")


def test_sakai_and_song_single_intent_example() -> None:
    # h = 3, cutoff 5
    expected = {
        "nDCG(dcg='exp-log2')@5": 0.5046350344732197,
        "Q@5": 0.3472727272727273,
        "Q(beta=0)@5": 0.4833333333333333,
        "GAP": 0.4416666666666667,
        "GAP(levels='printed')": 0.39705882352941174,
        "ERR(max_rel=3)@5": 0.5597330729166666,
        "nERR(max_rel=3)@5": 0.6004692530146778,
        # Cutoff 3: (2/1 + 5/3) / (3 + 3 + 2) and, as printed, (6/1 + 18/3) / (12 + 12 + 6). The reference
        # that lists these two gives the cutoff as 5, which would be 0.44167 and 0.39706.
        "nGAP@3": 0.45833333333333337,
        "nGAP(levels='printed')@3": 0.4,
        # (2/1 + 5/3 + 3/4) / (3 + 3 + 2 + 1 + 1), and (6/1 + 18/3 + 6/4) / (12 + 12 + 6 + 2 + 2)
        "nGAP@5": 0.4416666666666667,
        "nGAP(levels='printed')@5": 13.5 / 34,
    }
    found = scores_of(SINGLE_INTENT, SINGLE_INTENT_RANKING, *expected)
    assert found == pytest.approx(list(expected.values()), rel=1e-13)


@pytest.mark.parametrize(("level", "true", "printed"), [(1, 1 / 3, 1 / 3), (2, 2 / 3, 1.0), (3, 1.0, 2.0)])
def test_gap_weighs_levels_as_stated_or_as_printed(level: int, true: float, printed: float) -> None:
    # Sakai and Song rewrite Σ_{x≤M} 1/h as M(M+1)/(2h); it is M/h. For h = 3 here are both, and a ranking of
    # the one document of level M, with another of level 3 judged, shows their proportion to level 3's.
    judged = {"0": {"a": level, "b": 3}}
    found = scores_of(judged, ["a"], "GAP", "GAP(levels='printed')", "GAP(levels={1:1,2:1,3:1})")
    uniform = true / (true + 1)
    assert found == pytest.approx([uniform, printed / (printed + 2), uniform], rel=1e-14)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (
            None,
            {
                "StRecall@5": 1.0,
                "StRecall@3": 0.6666666666666666,
                "D_nDCG@5": 0.8009480872374032,
                "D_Q@5": 0.614202182952183,
                "DSharp_nDCG@5": 0.9004740436187015,
                "DSharp_Q@5": 0.8071010914760914,
                "DSharp_nDCG@3": 0.6430145501790631,
                "nDCG_IA(dcg='exp-log2')@5": 0.5249050538417024,
                "nERR_IA(gain='probability',max_rel=3,ideal='per-aspect')@5": 0.4744124490299336,
                "ERR_IA(gain='probability',max_rel=3)@5": 0.38958333333333334,
                "Q_IA@5": 0.4323176823176823,
            },
        ),
        (
            {"1": 4 / 7, "2": 2 / 7, "3": 1 / 7},
            {
                "StRecall@5": 1.0,
                "StRecall@3": 0.6666666666666666,
                "D_nDCG@5": 0.8095724380573668,
                "D_Q@5": 0.6210426716141001,
                "DSharp_nDCG@5": 0.9047862190286834,
                "DSharp_Q@5": 0.81052133580705,
                "DSharp_nDCG@3": 0.6952037139054403,
                "nDCG_IA(dcg='exp-log2')@5": 0.6272228772794473,
                "nERR_IA(gain='probability',max_rel=3,ideal='per-aspect')@5": 0.6532008814624416,
                "ERR_IA(gain='probability',max_rel=3)@5": 0.5720238095238095,
                "Q_IA@5": 0.4981090338233195,
            },
        ),
    ],
)
def test_sakai_and_song_diversity_example(
    weights: dict[str, float] | None, expected: dict[str, float]
) -> None:
    # Worked from the paper's formulas: gain 2^x - 1, h = 3; probabilities 1/3 each, and 4/7, 2/7, 1/7.
    judged = {"1": {"a": 3, "b": 1, "e": 2}, "2": {"b": 1, "d": 3}, "3": {"c": 2, "f": 1}}
    found = scores_of(judged, ["a", "x", "b", "c", "d"], *expected, weights=weights)
    assert found == pytest.approx(list(expected.values()), rel=1e-13)


@pytest.mark.parametrize("n", range(1, 7))
def test_intent_probabilities_need_not_be_normalised(n: int) -> None:
    # Sakai and Song's Pr(j) = 2^(n-j+1) / Σ_k 2^k, for n = 4: 8/15, 4/15, 2/15, 1/15
    judged = {str(j): {f"d{j}": 1 + j % 3, "common": 1} for j in range(1, n + 1)}
    probabilities = {str(j): 2 ** (n - j) / (2**n - 1) for j in range(1, n + 1)}
    assert sum(probabilities.values()) == pytest.approx(1, rel=1e-14)
    measures = ["D_nDCG@3", "D_Q@3", "DSharp_nDCG@3", "D_nERR@3", "P_plusQ@3", "EU@3", "RBU(form='eq11')@3"]
    ranking = ["d2", "common", "x", "d1"]
    whole = {j: p * (2**n - 1) for j, p in probabilities.items()}
    assert scores_of(judged, ranking, *measures, weights=whole) == pytest.approx(
        scores_of(judged, ranking, *measures, weights=probabilities), rel=1e-12
    )


def test_rbu_forms_on_the_same_data() -> None:
    # Amigó et al. (SIGIR 2018), Eq. 11 and the form of their program, on r = (.5, 0), (.25, .5), (0, .25),
    # weights .6 and .4, p = .8, e = .05: 0.3440 and 0.0860.
    judged = {"1": {"a": 0.5, "b": 0.25}, "2": {"b": 0.5, "c": 0.25}}
    settings_ = "gain='linear',p=0.8,e=0.05"
    found = scores_of(
        judged,
        ["a", "b", "c"],
        f"RBU({settings_},form='eq11')",
        f"RBU({settings_})",
        weights={"1": 0.6, "2": 0.4},
    )
    # at rank 1 .6·.5 - e, at rank 2 .6·.25·.5 + .4·.5 - e, at rank 3 .4·.25·.5 - e
    terms = [0.3 - 0.05, 0.075 + 0.2 - 0.05, 0.05 - 0.05]
    eq11 = sum(0.8**i * term for i, term in enumerate(terms, 1))
    assert found == pytest.approx([eq11, eq11 / 0.8 * 0.2], rel=1e-13)
    assert found == pytest.approx([0.3440000000000001, 0.086], rel=1e-13)


@pytest.mark.parametrize(
    ("p", "e", "first", "second"),
    [
        # What the authors' jar prints, and beyond its four decimals what its formula gives.
        (0.8, 0.03, 0.09455839999999999, 0.13848499999999997),  # .0946 .1385
        (0.9, 0.1, 0.029031779296874997, 0.05825156249999998),  # .0290 .0583
        (0.99, 0, 0.008323535102792975, 0.009326171875000008),  # .0083 .0093
    ],
)
def test_rbu_equals_the_authors_program(p: float, e: float, first: float, second: float) -> None:
    judgments = {
        "T1": {"s1": {"a": 2, "b": 1, "d": 0}, "s2": {"a": 1, "c": 3, "d": 2}},
        "T2": {"s1": {"a": 4, "b": 1, "z": 0}},
        "T3": {"s1": {"a": 1, "b": 1}, "s2": {"a": 0}},
        "T4": {"s1": {"a": 1}},
    }
    weights = {
        "T1": {"s1": 0.7, "s2": 0.3},
        "T2": {"s1": 1.0},
        "T3": {"s1": 0.5, "s2": 0.5},
        "T4": {"s1": 1.0},
    }
    rankings = {"T1": "bxacd", "T2": "baq", "T3": "ab"}
    run = {topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in rankings.items()}
    scores = rankprism.evaluate(judgments, run, lookup("RBU")(p=p, e=e), weights=weights).values[0, :, 0]
    # T4 is not in the run: 0. In T3 no document is relevant to s2, for which the jar has NaN; we count it as
    # never satisfied: .5·(1/2) - e at rank 1, .5·(1/2)·(1/2) - e at rank 2.
    third = (1 - p) * (0.25 - e + p * (0.125 - e))
    assert scores == pytest.approx([first, second, third, 0], rel=1e-12, abs=1e-15)


def test_rbu_does_not_normalise_given_weights() -> None:
    # The jar's weights multiplied by 1e6, e with them: its printed score is 1e6 times as large.
    judged = {"s1": {"a": 2, "b": 1, "d": 0}, "s2": {"a": 1, "c": 3, "d": 2}}
    large = {"s1": 700_000.0, "s2": 300_000.0}
    found = scores_of(judged, "bxacd", "RBU(e=30000)", weights=large)
    assert found == pytest.approx([94558.4], rel=1e-12)
