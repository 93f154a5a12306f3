"""Every score is the same to the last bit, whatever the processor, the threads and the rest of the batch."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankprism import evaluate, read_judgments, sample
from rankprism._core import greedy, sums_of_products, sums_over_aspects
from rankprism.data.hits import make_pool
from rankprism.measures.ideal import offers
from rankprism.measures.parts import LOGARITHMIC, Gain, Parts, decay, over_best, total
from rankprism.results.scores import mean_over_topics
from tests.support import all_scores

#: The notes on runs that are hardly judged are not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: Of all scores of the collections that ship with the tests. Every machine has to find the same ones. If a
#: measure is added, the second changes; if arithmetic changes on purpose, the first may change as well.
#: `python -m tests.support.all_scores` prints the new ones.
HASHES = """\
ec5b9af69f133e7013290029b1a7222160e764aec4bf67f319f71ec888c02497
c430ae7b3f14ee6b0161875cb1319a33add5ea94346092a224e853b331af8e09"""

Floats = npt.NDArray[np.float64]


def _features() -> str:
    """What numpy found on this processor beyond its baseline, as NPY_DISABLE_CPU_FEATURES wants it."""
    found: list[str] = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return " ".join(found)


AS_IT_IS: dict[str, str] = {}
OTHER_MACHINES = {
    "an old BLAS kernel": {"OPENBLAS_CORETYPE": "Nehalem"},
    "a newer BLAS kernel": {"OPENBLAS_CORETYPE": "Haswell"},
    "numpy without SIMD": {"NPY_DISABLE_CPU_FEATURES": _features()},
    "a C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2"},
}
#: A score that depends on any of them has other bits here, too. One of the kernels is this machine's.
OLDEST = {name: value for switches in reversed(OTHER_MACHINES.values()) for name, value in switches.items()}


def hash_on(machine: dict[str, str], *arguments: str) -> str:
    environment = os.environ | {"PYTHONWARNINGS": "ignore"} | machine
    done = subprocess.run(
        [sys.executable, str(Path(all_scores.__file__)), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def same_everywhere(*arguments: str) -> str:
    """The hash of this machine and of the oldest; where they differ, the failure names the switch."""
    here = hash_on(AS_IT_IS, *arguments)
    if hash_on(OLDEST, *arguments) != here:
        others = {name: hash_on(machine, *arguments) for name, machine in OTHER_MACHINES.items()}
        pytest.fail(f"{here} here, but {others}")
    return here


def test_every_score_is_the_same_on_every_machine() -> None:
    assert same_everywhere() == HASHES


def test_every_score_of_web_2012_is_the_same_on_every_machine(collections: Path) -> None:
    same_everywhere(str(collections / "trec-web-2012"))


def bits(scores: Floats) -> bytes:
    return np.ascontiguousarray(scores).tobytes()


def test_a_run_scores_alone_what_it_scores_among_others() -> None:
    judgments, runs = all_scores.generated()
    measures = all_scores.all_measures(judgments, named=False)[::2]
    together = evaluate(judgments, runs, measures)
    for r, run in enumerate(together.runs):
        alone = evaluate(judgments, {run: runs[run]}, measures)
        assert bits(alone.values[0]) == bits(together.values[r])
        assert bits(alone.means[0]) == bits(together.means[r])


def test_a_measure_scores_alone_what_it_scores_among_others() -> None:
    judgments, runs = all_scores.generated()
    measures = all_scores.all_measures(judgments, named=False)[::4]
    together = evaluate(judgments, runs, measures)
    for m, measure in enumerate(measures):
        alone = evaluate(judgments, runs, [measure])
        assert bits(alone.values[:, :, 0]) == bits(together.values[:, :, m]), measure
        assert bits(alone.means[:, 0]) == bits(together.means[:, m]), measure


def test_a_topic_scores_alone_what_it_scores_among_others() -> None:
    generated, runs = all_scores.generated()
    rows = list(zip(*generated.table.columns(), strict=True))
    measures = all_scores.all_measures(generated, named=False)[1::2]
    together = evaluate(rows, runs, measures)
    for t, topic in enumerate(together.topics):
        own = {run: {topic: rankings[topic]} for run, rankings in runs.items()}
        alone = evaluate([row for row in rows if row[0] == topic], own, measures)
        same = np.equal(alone.values[:, 0], together.values[:, t])
        differing = np.nonzero(~same & ~np.isnan(alone.values[:, 0] + together.values[:, t]))[1]
        assert not len(differing), [together.measures[m] for m in differing]


def test_threads_do_not_show() -> None:
    measures = ["alpha_nDCG@20", "nERR_IA", "RBU", "Q", "Compat"]
    one, four = (
        evaluate(sample.QRELS, list(sample.RUNS), measures, weights=sample.WEIGHTS, threads=threads)
        for threads in (1, 4)
    )
    assert bits(one.values) == bits(four.values)


# ── the two sums ─────────────────────────────────────────────────────────────────────────────────


def numbers(*shape: int, seed: int = 1) -> Floats:
    """Of very different sizes, so that every other order of addition gives other bits."""
    rng = np.random.default_rng(seed)
    return rng.random(shape) * 10.0 ** rng.integers(-9, 9, shape)


def test_sums_run_from_first_to_last_and_round_every_product() -> None:
    for aspects, docs in itertools.product((1, 2, 3, 7, 8, 15), (0, 1, 5, 33)):
        values, over_docs, over_aspects = numbers(3, aspects, docs), numbers(3, docs), numbers(3, aspects)
        by_doc, by_aspect = np.zeros((3, aspects)), np.zeros((3, docs))
        for n, a, h in itertools.product(range(3), range(aspects), range(docs)):
            by_doc[n, a] += float(values[n, a, h]) * float(over_docs[n, h])
            by_aspect[n, h] += float(values[n, a, h]) * float(over_aspects[n, a])
        assert bits(sums_of_products(values, over_docs)) == bits(by_doc)
        assert bits(sums_over_aspects(values, over_aspects)) == bits(by_aspect)


def test_numpy_accumulates_from_first_to_last() -> None:
    values = numbers(4, 100)
    for row, sums, products in zip(values, np.cumsum(values, -1), np.cumprod(values * 1e-3, -1), strict=True):
        assert sums.tolist() == list(itertools.accumulate(row.tolist()))
        assert products.tolist() == list(itertools.accumulate((row * 1e-3).tolist(), lambda x, y: x * y))


def test_padding_does_not_show() -> None:
    values, factors = numbers(2, 3, 19), numbers(2, 19)
    padded = np.pad(values, ((0, 0), (0, 0), (0, 14)))
    assert bits(sums_of_products(padded, np.pad(factors, ((0, 0), (0, 14)), constant_values=7.0))) == bits(
        sums_of_products(values, factors)
    )
    assert bits(total(padded)) == bits(total(values))


def test_factors_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="another shape"):
        sums_of_products(numbers(2, 3, 4), numbers(2, 3))
    with pytest.raises(ValueError, match="another shape"):
        sums_over_aspects(numbers(2, 3, 4), numbers(2, 4))


def test_a_mean_does_not_depend_on_the_number_of_measures() -> None:
    values = numbers(3, 50, 5)
    for m in range(5):
        assert bits(mean_over_topics(values[:, :, [m]])[:, 0]) == bits(mean_over_topics(values)[:, m])


# ── the ideal ranking gets exactly 1 ─────────────────────────────────────────────────────────────

SINGLE = (
    *("nDCG", "nDCG(dcg='exp-log2')", "nERR", "nERR(gain='probability')", "Q", "P_plus", "AP"),
    *("GAP", "GAP(levels='printed')", "GAP(levels={0.05:0.3,2:0.7})", "nGAP", "Compat", "Compat(p=0.5)"),
    *("D_nDCG", "D_Q", "D_nERR"),
)


@settings(max_examples=100)
@given(st.lists(st.sampled_from([0.1, 0.3, 0.7, 1, 1.3, 2, 2.9, 3, 4]), min_size=1, max_size=60))
def test_the_documents_by_grade_get_exactly_1(grades: list[float]) -> None:
    grades.sort(reverse=True)
    judged = {"q": {f"d{n:03}": grade for n, grade in enumerate(grades)}}
    run = {"q": {f"d{n:03}": 100.0 - n for n in range(len(grades))}}
    measures = [f"{measure}@{k}" for measure in ("nDCG", "nERR", "Q", "nGAP", "D_nERR") for k in (1, 5, 20)]
    scores = evaluate(judged, run, [*SINGLE, *measures])
    # AP has no gains, and a grade below rel=1 is not relevant to it.
    expected = [float(grades[0] >= 1) if m == "AP" else 1.0 for m in scores.measures]
    assert scores.values[0, 0].tolist() == expected


def _ranked(docs: list[str]) -> dict[str, float]:
    return {doc: float(len(docs) - n) for n, doc in enumerate(docs)}


NOVELTY = ("alpha_nDCG(alpha={},weighted=True)", "nERR_IA(alpha={})", "nNRBP(alpha={},weighted=True)")


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.9])
def test_the_greedy_ranking_gets_exactly_1(alpha: float) -> None:
    judgments, _ = all_scores.generated()
    cells = judgments.cells
    pool = make_pool(cells, np.arange(len(judgments.topics)))
    order = greedy(*offers(pool, Parts(LOGARITHMIC, Gain("binary", 1.0), decay(alpha))))
    relevant: dict[str, dict[str, None]] = {topic: {} for topic in judgments.topics}
    for topic, _, doc, grade in zip(*judgments.table.columns(), strict=True):
        if grade > 0:
            relevant[topic][doc] = None
    docs = [list(found) for found in relevant.values()]
    run = {
        topic: _ranked([docs[t][d] for d in order[t] if d >= 0]) for t, topic in enumerate(judgments.topics)
    }
    measures = [m.format(alpha) + k for m in NOVELTY for k in ("", "@3", "@10", "@20")]
    assert (evaluate(judgments, run, measures).values == 1).all()


@settings(max_examples=40)
@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=5), st.booleans())
def test_no_ranking_exceeds_the_exact_ideal_and_the_best_one_gets_exactly_1(
    documents: list[list[bool]], cut: bool
) -> None:
    judged = [
        ("q", f"s{a}", f"d{d}", float(on))
        for d, document in enumerate(documents)
        for a, on in enumerate(document)
    ]
    docs = [f"d{d}" for d in range(len(documents))]
    runs = {"".join(order): {"q": _ranked(list(order))} for order in itertools.permutations(docs)}
    k = "@2" if cut else ""
    measures = [
        f"alpha_nDCG(alpha=0.3,ideal='exact'){k}",
        f"nNRBP(ideal='exact'){k}",
        f"nERR_IA(ideal='exact'){k}",
    ]
    highest = evaluate(judged, runs, measures).values.max((0, 1))
    assert (highest == float(any(map(any, documents)))).all()


def test_a_small_excess_is_1_and_a_large_one_stays() -> None:
    score = np.array([1.0, 1 + 1e-15, 1 + 9e-13, 1 + 2e-12, 1.2, 1 - 1e-15, 1 - 1e-14, 0.0])
    assert over_best(score, np.ones(8)).tolist() == [1, 1, 1, 1 + 2e-12, 1.2, 1, 1 - 1e-14, 0]
    assert over_best(np.zeros(2), np.zeros(2)).tolist() == [0, 0]


def test_no_score_lies_just_above_1() -> None:
    for judgments, runs in (
        (read_judgments(sample.QRELS, weights=sample.WEIGHTS), list(sample.RUNS)),
        all_scores.generated(),
    ):
        scores = evaluate(judgments, runs, all_scores.all_measures(judgments, named=False))
        above = np.nonzero((scores.values > 1) & (scores.values <= 1 + 1e-12))[2]
        assert not len(above), [scores.measures[m] for m in above]
