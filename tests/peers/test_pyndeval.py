"""The nine measures of ndeval equal pyndeval 0.0.8, which wraps ndeval's own code.

Where pyndeval is known to differ, the test says so and states the difference exactly:

- ERR-IA@1 and alpha-DCG@1 are not divided by the ideal ideal, so they are M times too big (M: aspects
  with a relevant document).
- Documents of equal score are ordered by id ascending. The runs here have no equal scores.
- nNRBP of a topic without relevant documents is NaN; here it is 0.
- Only topics that both judgments and run have are returned.
- Aspects are numbered in the order in which they appear over all topics, and gains are added up in that
  order. Unless the powers of 1 - α are exact, equal gains can then come out different in their last bits,
  and another document enters the ideal.
"""

from __future__ import annotations

import math

import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from tests.support import oracles, strategies

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

#: pyndeval's names and ours
WITH_CUTOFF = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "P-IA": "P_IA",
    "strec": "StRecall",
}
WITHOUT_CUTOFF = {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"}
CUTOFFS = range(1, 21)  # all that ndeval has
NAMES = {
    f"{theirs}@{k}": f"{ours}@{k}" for theirs, ours in WITH_CUTOFF.items() for k in CUTOFFS
} | WITHOUT_CUTOFF

TOPICS = tuple(str(number) for number in range(101, 113))
#: pyndeval takes whole grades only. Negative ones, which ndeval itself refuses, count as 0 there too.
GRADES = (None, None, 0, 1, 1, 2, 3, -1, None, 0, 0, 4)
#: All different: each document gets the next one, so a permutation of the documents is a ranking.
DISTINCT_SCORES = tuple(10.0 - i / 4 for i in range(len(strategies.DOCS)))


@st.composite
def distinct_runs(draw: st.DrawFn, judgments: strategies.Judgments) -> strategies.Run:
    """A ranking without ties for nearly every topic."""
    run: strategies.Run = {}
    for topic in judgments:
        retrieved = draw(st.permutations(strategies.DOCS))[: draw(st.integers(1, len(strategies.DOCS)))]
        run[topic] = dict(zip(retrieved, DISTINCT_SCORES, strict=False))
    if len(run) > 1 and draw(st.booleans()):
        del run[next(iter(run))]
    return run


def pyndeval_scores(
    judgments: strategies.Judgments, run: strategies.Run, rel: int, alpha: float, beta: float
) -> dict[str, dict[str, float]]:
    qrels = [
        (t, a, d, int(g)) for t, aspects in judgments.items() for a in aspects for d, g in aspects[a].items()
    ]
    lines = [(topic, doc, score) for topic, ranking in run.items() for doc, score in ranking.items()]
    evaluator = pyndeval.RelevanceEvaluator(qrels, list(NAMES), relevance_level=rel, alpha=alpha, beta=beta)
    scores: dict[str, dict[str, float]] = evaluator.evaluate(lines)
    return scores


def our_scores(
    judgments: strategies.Judgments, run: strategies.Run, rel: int, alpha: float, beta: float
) -> dict[str, dict[str, float]]:
    """Our scores under pyndeval's names. Its α and β are global, so they go to every measure that has one."""
    chosen = {}
    for theirs, ours in NAMES.items():
        measure = rankprism.parse(ours)
        known = {parameter.name for parameter in measure.definition.parameters}
        given_ = {name: x for name, x in (("alpha", alpha), ("beta", beta), ("rel", rel)) if name in known}
        chosen[theirs] = str(measure(**given_))
    scores = rankprism.evaluate(judgments, run, list(chosen.values()), topics="retrieved").per_topic()["run"]
    return {topic: {theirs: row[ours] for theirs, ours in chosen.items()} for topic, row in scores.items()}


def live_aspects(judged: oracles.Judged, rel: int) -> int:
    return len(oracles.diversity.gains_of(judged, "binary", rel))


def without_quirks(theirs: dict[str, float], judged: oracles.Judged, rel: int) -> dict[str, float]:
    """pyndeval's scores as they would be without the differences named at the top."""
    M = live_aspects(judged, rel)
    mended = dict(theirs)
    for name in ("ERR-IA@1", "alpha-DCG@1"):
        mended[name] = theirs[name] / M if M else 0.0
    if M == 0:
        assert math.isnan(theirs["nNRBP"])
        mended["nNRBP"] = 0.0
    return mended


@settings(max_examples=100)
@given(data=st.data(), alpha=st.sampled_from([0.5, 0.25, 0.75]), beta=st.sampled_from([0.5, 0.8]))
def test_all_nine_equal_pyndeval_for_exact_powers(data: st.DataObject, alpha: float, beta: float) -> None:
    judgments = data.draw(strategies.judgments(GRADES, TOPICS, min_topics=10, max_topics=12))
    run = data.draw(distinct_runs(judgments))
    rel = data.draw(st.integers(1, 3))
    theirs = pyndeval_scores(judgments, run, rel, alpha, beta)
    ours = our_scores(judgments, run, rel, alpha, beta)
    assert ours.keys() == theirs.keys()
    for topic in ours:
        expected = without_quirks(theirs[topic], judgments[topic], rel)
        assert ours[topic] == pytest.approx(expected, rel=1e-9, abs=1e-9), topic


def has_near_tie(judged: oracles.Judged, rel: int, alpha: float) -> bool:
    """Whether some place of the ideal is contested, up to 1e-9, by documents on different aspects.

    Documents on the same aspects do not matter: their gains are the same sums.
    """
    gains = oracles.diversity.gains_of(judged, "binary", rel)
    share = oracles.shares(list(gains), None)
    on = {doc: {a for a in gains if doc in gains[a]} for worth in gains.values() for doc in worth}
    for offers in oracles.diversity.greedy_steps(gains, share, alpha):
        most = max(offers.values())
        rivals = [doc for doc, offer in offers.items() if offer >= most * (1 - 1e-9)]
        if any(on[doc] != on[rivals[0]] for doc in rivals):
            return True
    return False


def test_all_nine_equal_pyndeval_for_a_tenth_unless_the_ideal_has_ties() -> None:
    alpha, beta, rel = 0.1, 0.5, 1
    topics = {"clear": 0, "tied": 0}

    @settings(max_examples=100)
    @given(judgments=strategies.judgments(GRADES, TOPICS, 10, 12, max_docs=6, max_aspects=4), data=st.data())
    def compare(judgments: strategies.Judgments, data: st.DataObject) -> None:
        run = data.draw(distinct_runs(judgments))
        theirs = pyndeval_scores(judgments, run, rel, alpha, beta)
        ours = our_scores(judgments, run, rel, alpha, beta)
        for topic, judged in judgments.items():
            if topic not in run:
                continue
            if not has_near_tie(judged, rel, alpha):
                topics["clear"] += 1
                expected = without_quirks(theirs[topic], judged, rel)
                assert ours[topic] == pytest.approx(expected, rel=1e-9, abs=1e-9), topic
                continue
            topics["tied"] += 1
            ranking = oracles.rank(run[topic])
            for k in (1, 2, 3, 5, 10, 20):
                for name in ("nERR-IA", "alpha-nDCG"):
                    oracle = getattr(oracles.diversity, WITH_CUTOFF[name])
                    defined = oracle(judged, ranking, alpha=alpha, cutoff=k)
                    assert ours[topic][f"{name}@{k}"] == pytest.approx(defined, rel=1e-12, abs=1e-12), topic
            defined = oracles.diversity.nNRBP(judged, ranking, alpha=alpha, beta=beta)
            assert ours[topic]["nNRBP"] == pytest.approx(defined, rel=1e-12, abs=1e-12), topic

    compare()
    assert min(topics.values()) > 100, topics  # both kinds were met often enough to mean something


def test_pyndeval_depends_on_the_order_in_which_aspects_first_appear_and_we_do_not() -> None:
    # α = 0.1. Some gains tie as real numbers but not as sums of rounded powers of 0.9.
    on = {"1": "ab", "2": "cdef", "3": "bcf", "4": "abcef", "5": "ae"}
    judged = {aspect: dict.fromkeys(docs, 1.0) for aspect, docs in on.items()}
    run = {"101": dict(zip("gfedcba", DISTINCT_SCORES, strict=False))}
    theirs, ours = set(), set()
    for order in ("12345", "12354"):
        reordered = {"101": {aspect: judged[aspect] for aspect in order}}
        theirs.add(round(pyndeval_scores(reordered, run, 1, 0.1, 0.5)["101"]["alpha-nDCG@20"], 6))
        ours.add(our_scores(reordered, run, 1, 0.1, 0.5)["101"]["alpha-nDCG@20"])
    assert theirs == {0.754568, 0.754212}  # pyndeval 0.0.8
    assert len(ours) == 1
    assert ours.pop() == pytest.approx(
        oracles.diversity.alpha_nDCG(judged, list("gfedcba"), alpha=0.1, cutoff=20), abs=1e-12
    )
