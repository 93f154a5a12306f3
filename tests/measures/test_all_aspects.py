"""With aspects="all", an aspect counts even if no document is relevant to it."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import InputError, evaluate, read_judgments
from tests.measures.test_catalogue import Case, cases
from tests.support import oracles

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

#: Of three aspects, no document is relevant to z.
THREE = {"q": {"x": {"a": 1, "b": 1}, "y": {"b": 1}, "z": {"a": 0}}}
RUN = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}
#: Grades from 0 to 4, so that every aspect has either a document of grade 1 or more, or none above 0.
WHOLE: tuple[float | None, ...] = (None, 0, 1, 2, 3, 4, -1, 1, 0, 0, None, None)


def score(judgments: Any, run: Any, measure: str, **options: Any) -> float:
    return float(evaluate(judgments, run, measure, **options).values[0, 0, 0])


def test_subtopic_recall_divides_by_all_aspects() -> None:
    assert score(THREE, RUN, "StRecall@1") == 1 / 2
    assert score(THREE, RUN, "StRecall@1", aspects="all") == 1 / 3
    assert score(THREE, RUN, "StRecall", aspects="all") == 2 / 3


def test_measures_by_hand() -> None:
    # a is on x at rank 1, b on x and y at rank 3.
    found = evaluate(THREE, RUN, ["RR_IA", "P_IA@3", "S_RR", "S_RR(level=0.5)", "CAM(RR)"], aspects="all")
    expected = [(1 + 1 / 3 + 0) / 3, (2 / 3 + 1 / 3 + 0) / 3, 0, 1 / 3, (1 + 1 / 3 + 0) / 3]
    assert found.values[0, 0] == pytest.approx(expected, rel=1e-12)
    by_default = evaluate(THREE, RUN, ["RR_IA", "P_IA@3", "S_RR", "S_RR(level=0.5)", "CAM(RR)"])
    expected = [(1 + 1 / 3) / 2, (2 / 3 + 1 / 3) / 2, 1 / 3, 1, (1 + 1 / 3 + 0) / 3]
    assert by_default.values[0, 0] == pytest.approx(expected, rel=1e-12)


def test_conventions_say_which_aspects_count() -> None:
    key = "aspects without relevant documents"
    assert evaluate(THREE, RUN, "StRecall").conventions[key] == "left out"
    assert evaluate(THREE, RUN, "StRecall", aspects="all").conventions[key] == "count"


# The definition once more, with a document that is not retrieved on every aspect


def all_aspects(
    definition: Callable[..., float],
    judged: oracles.Judged,
    ranking: list[str],
    weights: Any,
    **settings: Any,
) -> float:
    """A measure that is a weighted mean over aspects, with the aspects that nobody covers at 0."""
    live = [aspect for aspect, grades in judged.items() if max(grades.values()) > 0]
    given_ = dict.fromkeys(judged, 1.0) if weights is None else weights
    everything = sum(given_.values())
    if not live or not everything:
        return 0.0
    share = sum(given_[aspect] for aspect in live) / everything
    return float(share * definition(judged, ranking, weights, **settings))


def intent_aware(name: str) -> Callable[..., float]:
    def definition(judged: oracles.Judged, ranking: list[str], weights: Any, **settings: Any) -> float:
        return oracles.combine.intent_aware(name, judged, ranking, weights, **settings)

    return definition


#: Measure, definition, and whether it looks at weights. All are means over aspects.
MEANS: dict[str, tuple[Callable[..., float], bool, dict[str, Any]]] = {
    "alpha_DCG@5": (oracles.diversity.alpha_DCG, False, {"cutoff": 5}),
    "ERR_IA@5": (oracles.diversity.ERR_IA, True, {"cutoff": 5}),
    "NRBP": (oracles.diversity.NRBP, False, {}),
    "StRecall@3": (oracles.diversity.StRecall, False, {"cutoff": 3}),
    "StRecall(weighted=True)@3": (oracles.diversity.StRecall, True, {"cutoff": 3, "weighted": True}),
    "nDCG_IA@5": (intent_aware("nDCG"), True, {"cutoff": 5}),
    "AP_IA": (intent_aware("AP"), True, {}),
    "Q_IA": (intent_aware("Q"), True, {}),
    "CT@5": (oracles.cube.CT, True, {"cutoff": 5, "gain": "probability"}),
    "RBU(e=0,form='eq11')@5": (oracles.novelty.RBU, True, {"cutoff": 5, "e": 0, "form": "eq11"}),
}


@pytest.mark.parametrize("measure", MEANS)
@settings(max_examples=40)
@given(case=cases(grades=WHOLE, positive=True))
def test_a_mean_over_aspects_counts_those_without_relevant_documents_as_0(measure: str, case: Case) -> None:
    definition, uses_weights, chosen = MEANS[measure]
    found = evaluate(case.judgments, case.run, measure, weights=case.weights, aspects="all").per_topic()[
        "run"
    ]
    for topic, judged in case.judgments.items():
        weights = case.weights_of(topic) if uses_weights else None
        ranking = oracles.rank(case.run.get(topic, {}))
        defined = all_aspects(definition, judged, ranking, weights, **chosen)
        assert found[topic][measure] == pytest.approx(defined, rel=1e-10, abs=1e-10), topic


@settings(max_examples=40)
@given(case=cases(grades=WHOLE, positive=True))
def test_measures_divided_by_an_ideal_of_all_aspects_stay_the_same(case: Case) -> None:
    # The ideal ranking does not reach those aspects either. Only the weights of the others shrink, alike.
    names = ["alpha_nDCG@5", "nERR_IA@5", "nNRBP", "D_nDCG@5", "nCT@5"]
    given_, every = (
        evaluate(case.judgments, case.run, names, weights=case.weights, aspects=aspects).values
        for aspects in (None, "all")
    )
    assert every == pytest.approx(given_, rel=1e-10, abs=1e-10)


@settings(max_examples=40)
@given(case=cases(grades=WHOLE, positive=True))
def test_sharp_measures_have_the_recall_of_all_intents(case: Case) -> None:
    measure = "DSharp_nDCG@4"
    found = evaluate(case.judgments, case.run, measure, weights=case.weights, aspects="all").per_topic()[
        "run"
    ]
    for topic, judged in case.judgments.items():
        ranking = oracles.rank(case.run.get(topic, {}))
        recall = all_aspects(oracles.diversity.StRecall, judged, ranking, None, cutoff=4, rel=1e-9)
        d = oracles.d_measures.D_nDCG(judged, ranking, case.weights_of(topic), cutoff=4)
        assert found[topic][measure] == pytest.approx((recall + d) / 2, rel=1e-10, abs=1e-10)


def subtopics_reached(judged: oracles.Judged, ranking: list[str]) -> list[int]:
    """How many aspects the first 1, 2, … documents reach, as ndeval counts them."""
    seen: set[str] = set()
    counts = []
    for doc in ranking:
        seen |= {aspect for aspect, grades in judged.items() if grades.get(doc, 0) >= 1}
        counts.append(len(seen))
    return counts


@settings(max_examples=60)
@given(case=cases(grades=WHOLE), level=st.sampled_from([1, 0.5, 0.75]), new=st.integers(1, 3))
def test_adding_aspects_that_nobody_covers(case: Case, level: float, new: int) -> None:
    more = {
        topic: {**judged, **{f"new{i}": {"nobody": 0} for i in range(new)}}
        for topic, judged in case.judgments.items()
    }
    names = ["StRecall@4", "RR_IA", "ERR_IA", str(rankprism.parse(f"S_RR(level={level})"))]
    before = evaluate(case.judgments, case.run, names, aspects="all").per_topic()["run"]
    after = evaluate(more, case.run, names, aspects="all").per_topic()["run"]
    for topic, judged in case.judgments.items():
        n = len(judged)
        for name in names[:3]:  # of the sum over n aspects, an n + new-th is left
            assert after[topic][name] == pytest.approx(before[topic][name] * n / (n + new), rel=1e-12)
        counts = subtopics_reached(judged, oracles.rank(case.run.get(topic, {})))
        need = -(-level * (n + new) // 1)
        rank = next((i for i, count in enumerate(counts, 1) if count >= need), None)
        assert after[topic][names[3]] == (0 if rank is None else pytest.approx(1 / rank, rel=1e-12))
    # By default, such aspects change nothing.
    assert (evaluate(more, case.run, names).values == evaluate(case.judgments, case.run, names).values).all()


@settings(max_examples=20)
@given(case=cases(grades=WHOLE))
def test_s_precision_is_0_where_the_judged_documents_lack_a_needed_aspect(case: Case) -> None:
    names = ["S_precision", "WS_precision"]
    found = evaluate(case.judgments, case.run, names, aspects="all").per_topic()["run"]
    by_default = evaluate(case.judgments, case.run, names).per_topic()["run"]
    for topic, judged in case.judgments.items():
        complete = all(max(grades.values()) >= 1 for grades in judged.values())
        assert found[topic] == (by_default[topic] if complete else dict.fromkeys(names, 0.0))


# Aspects without any line, weights, and where else the word may stand


def test_weights_may_name_aspects_without_any_judgment() -> None:
    weights = {"q": {"x": 1, "y": 1, "z": 1, "w": 3}}
    with pytest.raises(InputError, match="aspect 'w' of topic 'q'"):
        evaluate(THREE, RUN, "StRecall", weights=weights)
    assert score(THREE, RUN, "StRecall", weights=weights, aspects="all") == 2 / 4
    assert score(THREE, RUN, "RR_IA", weights=weights, aspects="all") == pytest.approx((1 + 1 / 3) / 6)


def test_every_aspect_needs_a_weight_if_all_count() -> None:
    weights = {"q": {"x": 1, "y": 1}}
    assert score(THREE, RUN, "RR_IA", weights=weights) == pytest.approx((1 + 1 / 3) / 2)
    with pytest.raises(InputError, match="no weight for aspect 'z' of topic 'q'"):
        evaluate(THREE, RUN, "RR_IA", weights=weights, aspects="all")


def test_sakais_weights_are_those_of_all_intents() -> None:
    # 2^3, 2^2, 2^1 over 14; without z 2^2, 2^1 over 6
    assert score(THREE, RUN, "RR_IA", weights="sakai", aspects="all") == pytest.approx((8 + 4 / 3) / 14)
    assert score(THREE, RUN, "RR_IA", weights="sakai") == pytest.approx((4 + 2 / 3) / 6)


def test_intent_0_of_ntcir_is_not_an_intent(tmp_path: Any) -> None:
    # NTCIR lists the documents that are not relevant under intent 0, and intents without documents nowhere.
    (tmp_path / "qrels").write_text("1 1 a L1\n1 2 b L1\n1 0 c L0\n")
    (tmp_path / "Iprob").write_text("1 1 0.5\n1 2 0.3\n1 3 0.2\n")
    run = {"1": {"a": 2.0, "c": 1.0}}
    assert score(tmp_path / "qrels", run, "StRecall", aspects="all") == 1 / 2
    weights = tmp_path / "Iprob"
    assert score(tmp_path / "qrels", run, "StRecall", aspects="all", weights=weights) == pytest.approx(1 / 3)
    with pytest.warns(rankprism.RankprismWarning, match="1 intents have a weight but no document"):
        assert score(tmp_path / "qrels", run, "StRecall", weights=weights) == 1 / 2


def test_a_list_still_names_aspects() -> None:
    rows = [("q", "a", 1), ("q", "b", 0)]
    named = read_judgments({"q": {"all": {"a": 1}}}, aspects=["all"])
    assert named.scales is not None
    assert read_judgments(rows, aspects="all").scales is None


def test_judgments_that_were_read_can_count_all_aspects() -> None:
    judged = read_judgments(THREE)
    assert score(judged, RUN, "StRecall", aspects="all") == 2 / 3
    assert score(judged, RUN, "StRecall") == 1.0
    counting = read_judgments(judged, aspects="all")
    assert score(counting, RUN, "StRecall") == 2 / 3


def test_copies_keep_which_aspects_count() -> None:
    weights = {"q": {"x": 1, "y": 1, "z": 1, "w": 3}}
    judged = read_judgments(THREE, weights=weights, aspects="all")
    for other in (copy.copy(judged), pickle.loads(pickle.dumps(judged))):
        assert other.aspects == {"q": ("w", "x", "y", "z")}
        assert score(other, RUN, "StRecall") == 1 / 2


def test_the_command_line_takes_the_word(cli: Callable[..., Any], tmp_path: Any) -> None:
    (tmp_path / "qrels").write_text("q x a 1\nq y b 1\nq z a 0\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    files = (tmp_path / "qrels", tmp_path / "run")
    found = cli("evaluate", *files, "-m", "StRecall", "--aspects", "all", "--format", "csv", "--wide")
    assert found.stdout.splitlines()[1].split(",")[-1][:6] == "0.3333"
    found = cli("evaluate", *files, "-m", "StRecall", "--format", "csv", "--wide")
    assert found.stdout.splitlines()[1].split(",")[-1] == "0.5"


def test_topics_and_batches_of_several_shapes() -> None:
    # Topics with different numbers of aspects share batches, in which the shorter ones are padded.
    judgments = {
        f"q{t}": {f"s{a}": {f"d{a}": int(a < covered)} for a in range(aspects)}
        for t, (aspects, covered) in enumerate(itertools.product((1, 2, 3, 5), (0, 1, 2)))
    }
    run = {topic: {"d0": 2.0, "d1": 1.0} for topic in judgments}
    found = evaluate(judgments, run, "StRecall", aspects="all").per_topic()["run"]
    for t, (aspects, covered) in enumerate(itertools.product((1, 2, 3, 5), (0, 1, 2))):
        assert found[f"q{t}"]["StRecall"] == pytest.approx(min(aspects, covered) / aspects, rel=1e-15)
