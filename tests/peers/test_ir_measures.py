"""rankprism through ir_measures and PyTerrier gives its own scores, which equal those of other providers."""

from __future__ import annotations

import contextlib
import itertools
import math
import pickle
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankprism
from rankprism import evaluate, sample
from rankprism.errors import InputError, MeasureError, install
from rankprism.measures import lookup, names
from rankprism.measures.registry import modules

ir_measures = pytest.importorskip("ir_measures")
from ir_measures import Qrel, ScoredDoc  # noqa: E402

import rankprism.ir_measures as door  # noqa: E402

#: Its grammar uses names of `ast` that Python 3.12 deprecates and 3.14 no longer has.
pytestmark = pytest.mark.filterwarnings("ignore:.*removed in Python 3.14:DeprecationWarning")
parses = pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures 0.4.3 does not parse there")

#: Names that ir_measures has too.
SHARED = [name for name in names() if name in door.objects.KNOWN]
#: All measures that need no measure inside.
WHOLE = [
    name
    for name in names()
    if lookup(name).needs == "judgments"
    and lookup(name).definition.module in modules()  # other tests have their own
    and not any(p.name == "measure" for p in lookup(name).definition.parameters)
]


def qrels() -> list[Qrel]:
    return list(ir_measures.read_trec_qrels(str(sample.QRELS)))


def run(number: int = 1) -> list[ScoredDoc]:
    return list(ir_measures.read_trec_run(str(sample.RUNS[number])))


def per_topic(metrics: Iterator[Any]) -> dict[tuple[str, str], float]:
    found = [(str(metric.measure), metric.query_id, metric.value) for metric in metrics]
    assert len({(m, q) for m, q, _ in found}) == len(found), "a score comes twice"
    return {(measure, topic): value for measure, topic, value in found}


def own(judged: Any, ranked: Any, measures: list[str]) -> dict[tuple[str, str], float]:
    scores = evaluate(judged, ranked, measures)
    return {
        (measure, topic): float(scores.values[0, t, m])
        for (t, topic), (m, measure) in itertools.product(
            enumerate(scores.topics), enumerate(scores.measures)
        )
    }


# ── the same scores ──────────────────────────────────────────────────────────────────────────────


def test_every_measure_has_its_own_scores_to_the_last_bit() -> None:
    values = [lookup(name) for name in WHOLE]
    values = [v @ 10 if any(p.name == "cutoff" for p in v.definition.parameters) else v for v in values]
    values = [v(rel=2) if v.name == "RBP" else v for v in values]  # without rel it means something else there
    objects = [door.measure(value) for value in values]
    assert {type(m) for m in objects} != {door.RankprismMeasure}, "no object of ir_measures is used"
    wanted = evaluate(sample.QRELS, sample.RUNS[1], values)
    evaluator = door.provider.evaluator(objects, qrels())
    assert per_topic(evaluator.iter_calc(run())) == {
        (str(door.measure(m)), topic): wanted.values[0, t, i]
        for i, m in enumerate(wanted.measures)
        for t, topic in enumerate(wanted.topics)
        if not math.isnan(wanted.values[0, t, i])  # no Accuracy where all documents are relevant
    }
    means = evaluator.calc_aggregate(run())
    assert {str(m): x for m, x in means.items()} == {
        str(door.measure(m)): x for m, x in wanted.mean()[sample.RUNS[1].stem].items()
    }


def test_measures_of_both_packages_in_one_call() -> None:
    from rankprism.ir_measures import RBU, DSharp_nDCG, alpha_nDCG

    measures = [RBU @ 20, DSharp_nDCG @ 10, alpha_nDCG(alpha=0.1) @ 20]
    wanted = evaluate(sample.QRELS, sample.RUNS[1], measures)
    for given in (qrels(), iter(qrels())):
        found = ir_measures.calc_aggregate(measures, given, run())
        assert [found[m] for m in measures] == list(wanted.means[0])
    assert ir_measures.calc(measures, qrels(), run()).aggregated == found
    assert (RBU @ 20).calc_aggregate(qrels(), run()) == found[RBU @ 20]


def folded(judged: list[Qrel]) -> list[Qrel]:
    """Ad hoc judgments: the highest grade of each document."""
    best: dict[tuple[str, str], int] = {}
    for q in judged:
        best[q.query_id, q.doc_id] = max(q.relevance, best.get((q.query_id, q.doc_id), 0))
    return [Qrel(topic, doc, grade) for (topic, doc), grade in best.items()]


def untied() -> tuple[list[Qrel], list[ScoredDoc]]:
    """Judgments with grades up to 3, and a run in which no two scores are equal, with unjudged documents."""
    rng = random.Random(7)
    judged, ranked = [], []
    for topic in range(1, 9):
        for doc in range(30):
            for aspect in range(1, 4):
                if rng.random() < 0.6:
                    judged.append(Qrel(str(topic), f"d{doc}", rng.choice([0, 0, 1, 2, 3]), str(aspect)))
        docs = rng.sample([f"d{doc}" for doc in range(40)], 35)
        ranked += [ScoredDoc(str(topic), doc, float(100 - rank)) for rank, doc in enumerate(docs)]
    return judged, ranked


#: Settings to try, where a measure has the parameter.
SETTINGS: dict[str, list[Any]] = {
    "cutoff": [None, 3, 10, 20],
    "rel": [None, 1, 2],
    "alpha": [None, 0.3],
    "beta": [None, 0.25],
    "judged_only": [None, True],
    "dcg": [None, "exp-log2"],
    "gains": [None, {1: 1, 2: 5, 3: 7}],
    "p": [None, 0.7],
    "recall": [None, 0.0, 0.3, 1.0],
    "relative": [None, True],
    "normalize": [None, False],
}
#: gdeval prints five decimals. The others are equal up to the order of additions.
DECIMALS = {"gdeval": 1e-5}
#: What the providers cannot do, although they say that they support it: pyndeval fails with judged_only and
#: without a cutoff, and accuracy divides by 0 where all three documents are relevant.
BROKEN: dict[str, Any] = {
    "pyndeval": lambda m: (
        m.params.get("judged_only") or ("cutoff" in m.SUPPORTED_PARAMS and not m.params.get("cutoff"))
    ),
    "accuracy": lambda m: m.params.get("cutoff") == 3,
}


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_measure_equals_the_other_providers(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    judged, ranked = untied()
    measure = door.objects.KNOWN[name]
    is_single = lookup(name).definition.single or name == "Judged"
    judged = folded(judged) if is_single else judged
    tried = 0
    known = [p for p in SETTINGS if p in measure.SUPPORTED_PARAMS]
    for values in itertools.product(*(SETTINGS[p] for p in known)):
        variant = measure(**{p: v for p, v in zip(known, values, strict=True) if v is not None})
        try:
            variant.validate_params()
        except AssertionError:  # P needs a cutoff
            continue
        if not door.provider.supports(variant):
            continue
        found = per_topic(door.provider.iter_calc([variant], judged, ranked))
        for other in ir_measures.DefaultPipeline.providers:
            if other is door.provider or other.NAME == "ranx" or not other.is_available():
                continue
            if not other.supports(variant) or BROKEN.get(other.NAME, lambda m: False)(variant):
                continue
            tried += 1
            wanted = per_topic(other.iter_calc([variant], judged, ranked))
            assert found == pytest.approx(wanted, abs=DECIMALS.get(other.NAME, 1e-9)), (variant, other.NAME)
    if name == "ERR" and shutil.which("perl") is None:
        pytest.skip("gdeval, the only other provider of ERR, needs Perl")
    # cwl_eval, which is not installed, is the only provider of RBP.
    assert tried or name == "RBP"


def negative() -> tuple[list[Qrel], list[ScoredDoc]]:
    """Ad hoc judgments with grades from -2, and a run without ties."""
    rng = random.Random(11)
    judged, ranked = [], []
    for topic in map(str, range(1, 13)):
        docs = [f"d{i}" for i in range(40)]
        # The last topics have no relevant document, and nothing else.
        grades = [1, 2] if topic == "12" else [-2, -1, 0, 0, 0] if topic == "11" else [-2, -1, 0, 0, 1, 2, 3]
        judged += [Qrel(topic, doc, rng.choice(grades)) for doc in rng.sample(docs, 25)]
        ranked += [ScoredDoc(topic, d, float(100 - i)) for i, d in enumerate(rng.sample(docs, 30))]
    return judged, ranked


def variants(name: str) -> Iterator[Any]:
    """A measure of ir_measures with several values of its parameters."""
    measure: Any = door.objects.KNOWN[name]
    settings = {**SETTINGS, "gains": [None, {1: 1, 2: 5, 3: 7}, {0: 1, 1: 4}]}
    known = [p for p in settings if p in measure.SUPPORTED_PARAMS]
    for values in itertools.product(*(settings[p] for p in known)):
        given: Any = {p: v for p, v in zip(known, values, strict=True) if v is not None}
        variant: Any = measure(**given)
        with contextlib.suppress(AssertionError):  # P needs a cutoff
            variant.validate_params()
            yield variant


#: Those that only cwl_eval computes, and counts.
REFUSED_NAMES = {
    "BPM",
    "INSQ",
    "INST",
    "SDCG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NumQ",
    "NumRel",
    "NumRet",
}


@pytest.mark.parametrize("name", sorted(door.objects.KNOWN))
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_every_name_of_ir_measures_has_its_meaning_here_or_is_refused(name: str) -> None:
    judged, ranked = negative()
    others = [p for p in ir_measures.DefaultPipeline.providers if p not in (door.provider, ir_measures.ranx)]
    refusals: list[tuple[Any, str]] = []
    for variant in variants(name):
        for given in (variant, str(variant)):
            if isinstance(given, str) and variant.NAME == "RBP":
                continue  # as a string it is rankprism's own, which counts relevant documents
            try:
                ours = evaluate(judged, ranked, [given])
            except MeasureError as error:
                refusals.append((variant, str(error)))
                continue
            found = {t: x for t, x in zip(ours.topics, ours.values[0, :, 0].tolist(), strict=True) if x == x}
            for other in others:
                if (
                    other.is_available()
                    and other.supports(variant)
                    and other.NAME not in ("gdeval", "pyndeval")
                ):
                    wanted = {m.query_id: m.value for m in other.iter_calc([variant], judged, ranked)}
                    assert found == pytest.approx(wanted, abs=1e-12), (given, other.NAME)
    for variant, why in refusals:
        assert not door.provider.supports(variant)
        assert "did you mean" not in why
        assert variant.NAME in REFUSED_NAMES or (variant.NAME == "RBP" and "rel" not in variant.params), why


# ── what ir_measures gets wrong ──────────────────────────────────────────────────────────────────


def test_two_alphas_in_one_call() -> None:
    from ir_measures import alpha_nDCG

    measures = [alpha_nDCG(alpha=0.1) @ 20, alpha_nDCG(alpha=0.9) @ 20]
    wanted = own(sample.QRELS, sample.RUNS[1], list(map(str, measures)))
    assert per_topic(ir_measures.iter_calc(measures, qrels(), run())) == wanted
    # What makes the place in the pipeline matter: pyndeval scores one of the two as 0.
    pyndeval = ir_measures.pyndeval.calc_aggregate(measures, qrels(), run())
    assert sorted(pyndeval.values())[0] == 0


def test_topics_that_are_interleaved() -> None:
    measure = ir_measures.alpha_nDCG @ 20
    mixed = sorted(run(), key=lambda scored: (-scored.score, scored.query_id))
    assert len(list(itertools.groupby(mixed, key=lambda scored: scored.query_id))) > 100
    wanted = own(sample.QRELS, sample.RUNS[1], [str(measure)])
    assert per_topic(ir_measures.iter_calc([measure], qrels(), mixed)) == wanted


def test_judged_only() -> None:
    judged, ranked = untied()
    seen = {(q.query_id, q.doc_id) for q in judged}
    condensed = [s for s in ranked if (s.query_id, s.doc_id) in seen]
    assert len(condensed) < len(ranked)
    for name in ("alpha_nDCG", "ERR_IA", "P_IA"):
        plain = door.objects.KNOWN[name] @ 10
        wanted = per_topic(ir_measures.pyndeval.iter_calc([plain], judged, condensed))
        found = per_topic(ir_measures.iter_calc([plain(judged_only=True)], judged, ranked))
        assert list(found.values()) == pytest.approx([wanted[str(plain), topic] for _, topic in found])


class SubQrel(NamedTuple):
    """The row of a dataset of ir_datasets with subtopics."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


def test_subtopics_may_be_called_subtopic_id() -> None:
    measures = [ir_measures.alpha_nDCG @ 20, door.RBU @ 20]
    wanted = ir_measures.calc_aggregate(measures, qrels(), run())
    rows = [SubQrel(*q) for q in qrels()]
    assert ir_measures.calc_aggregate(measures, rows, run()) == wanted
    pandas = pytest.importorskip("pandas")
    assert ir_measures.calc_aggregate(measures, pandas.DataFrame(rows), pandas.DataFrame(run())) == wanted
    # With ad hoc judgments of the same documents the scores are others.
    assert ir_measures.calc_aggregate(measures, folded(qrels()), run()) != wanted


def test_topics_without_results_and_empty_runs() -> None:
    measures = [door.RBU @ 20, ir_measures.alpha_nDCG @ 20]
    first = qrels()[0].query_id
    some = [scored for scored in run() if scored.query_id != first]
    with pytest.warns(rankprism.RankprismWarning, match="missing-topics"):
        found = per_topic(ir_measures.iter_calc(measures, qrels(), some))
    assert len(found) == 2 * len({q.query_id for q in qrels()})
    assert found["RBU@20", first] == 0
    empty: Any
    for empty in ([], {}):
        assert set(per_topic(ir_measures.iter_calc(measures, qrels(), empty)).values()) == {0.0}


# ── objects, names, parameters ───────────────────────────────────────────────────────────────────


def test_an_object_of_ir_measures_is_used_where_it_has_the_measure() -> None:
    for name in SHARED:
        assert getattr(door, name) is getattr(ir_measures, name)
    assert door.measure("alpha_nDCG(alpha=0.25,rel=2)@20") == ir_measures.alpha_nDCG(alpha=0.25, rel=2) @ 20
    assert type(door.measure("alpha_nDCG@20")) is type(ir_measures.alpha_nDCG)
    assert door.measure(ir_measures.SetF) is ir_measures.SetF


def test_parameters_that_ir_measures_does_not_know_are_kept() -> None:
    """Other providers would ignore them: they compare names and the parameters that they know."""
    measures = [door.measure("alpha_nDCG(ideal='exact')@5"), door.measure("nDCG(fold='mean')@10")]
    found = ir_measures.calc_aggregate(measures, qrels(), run())
    wanted = evaluate(sample.QRELS, sample.RUNS[1], measures)
    assert [found[m] for m in measures] == list(wanted.means[0])
    assert not any(
        p.supports(m)
        for p in ir_measures.DefaultPipeline.providers
        if p is not door.provider
        for m in measures
    )


@parses
def test_names_are_parsed_by_ir_measures() -> None:
    for text in ("RBU(p=0.9)@20", "DSharp_nDCG@10", "nDCG_IA@10", "S_Recall", "EU(gain='binary')@5"):
        assert ir_measures.parse_measure(text) == door.measure(text)
    assert str(ir_measures.parse_measure("RBU(p=0.9)@20")) == "RBU(p=0.9)@20"
    every = {str(ir_measures.parse_measure(name)) for name in WHOLE}
    assert every == set(WHOLE)


def test_measures_within_measures_are_objects() -> None:
    from ir_measures import nDCG

    from rankprism.ir_measures import CAM, RBU, Aspect

    wanted = "CAM(nDCG@10)"
    for inside in (nDCG @ 10, "nDCG@10", rankprism.parse("nDCG@10")):
        assert str(CAM(inside)) == str(CAM(measure=inside)) == wanted
    assert str(Aspect(nDCG @ 10, aspect="2")) == "Aspect(nDCG@10,aspect='2')"
    found = ir_measures.calc_aggregate([CAM(nDCG @ 10)], qrels(), run())
    assert list(found.values()) == list(evaluate(sample.QRELS, sample.RUNS[1], wanted).means[0])
    with pytest.raises(MeasureError, match=r"CAM needs a measure inside, e\.g\. CAM\(nDCG@10\)"):
        ir_measures.calc_aggregate([CAM], qrels(), run())
    with pytest.raises(MeasureError, match="CAM takes no cutoff of its own"):
        CAM(nDCG) @ 10
    with pytest.raises(MeasureError, match="RBU cannot have nDCG@10 inside; name parameters"):
        RBU(nDCG @ 10)
    with pytest.raises(MeasureError, match="rankprism has no measure NumRet"):
        CAM(ir_measures.NumRet)


def test_wrong_parameters_are_refused_at_once() -> None:
    with pytest.raises(MeasureError, match="RBU: p must be a number > 0 and ≤ 1; got 3"):
        door.RBU(p=3)
    with pytest.raises(MeasureError, match="RBU has no parameter 'beta'"):
        door.RBU(beta=1)


def test_supports_is_honest() -> None:
    from ir_measures import RBP, NumRet, SetF, alpha_nDCG, nDCG

    supported = door.provider.supports
    assert supported(door.RBU @ 20)
    assert supported(alpha_nDCG(alpha=0.3, judged_only=True) @ 500)
    assert supported(nDCG(gains={1: 1, 2: 3}))
    assert supported(RBP(rel=1))
    assert not supported(RBP), "without rel it is graded"
    # Neither is it scored by another formula where it is given to rankprism.
    with pytest.raises(MeasureError, match=r"RBP without rel adds grades .* write RBP\(rel=1\)"):
        rankprism.evaluate(sample.QRELS, sample.RUNS[0], [RBP @ 10])
    assert rankprism.parse(RBP(rel=1) @ 10) == rankprism.parse("RBP@10")
    assert supported(SetF(beta=2.0))
    assert not supported(NumRet)
    assert not supported(alpha_nDCG(alpha=1.5) @ 20), "alpha is at most 1"
    assert supported(nDCG(gains={0: 1}))
    assert not supported(nDCG(gains={-1: 1})), "a document with a negative grade has no gain"
    mine = ir_measures.define_byquery(lambda qrels, run: 1.0, name="AP")
    assert not supported(mine), "a user's own measure may have any name"


def test_preference_measures_have_no_place() -> None:
    assert "nPrf" not in ir_measures.measures.registry
    assert "nPrf" not in door.__all__
    for make in (lambda: door.nPrf, lambda: door.measure("nPrf@10")):  # type: ignore[attr-defined]
        with pytest.raises(
            MeasureError, match="needs preferences, which the qrels of ir_measures cannot hold"
        ):
            make()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        door.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_objects_are_values() -> None:
    one = door.RBU(p=0.9) @ 20
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(one) == hash(door.measure("RBU(p=0.9)@20"))
    assert one["p"] == 0.9
    assert one["cutoff"] == 20
    assert set(one.SUPPORTED_PARAMS) == {p.name for p in lookup("RBU").definition.parameters}
    assert set(door.__all__) <= set(dir(door))


def test_a_frame_without_its_columns_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"query_id": ["1"], "doc_id": ["a"]})
    with pytest.raises(InputError, match="run: the frame has no column 'score' among query_id, doc_id"):
        ir_measures.calc_aggregate([door.RBU], qrels(), frame)


# ── the other direction ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "given",
    [
        "alpha_nDCG(alpha=0.25,rel=2,judged_only=True)@20",
        "nDCG(dcg='exp-log2')@10",
        "AP(rel=2)@100",
        "ERR_IA(rel=2)@5",
        "NRBP(alpha=0.3,beta=0.25)",
        "Compat(p=0.8,normalize=False)",
        "RBU(p=0.9)@20",
        "CAM(nDCG@10)",
    ],
)
def test_evaluate_takes_objects_of_ir_measures(given: str) -> None:
    scores = evaluate(sample.QRELS, sample.RUNS[1], [door.measure(given)])
    assert scores.measures == (given,)
    assert (scores.values == evaluate(sample.QRELS, sample.RUNS[1], given).values).all()


def test_gains_of_ir_measures_mean_the_same() -> None:
    """It does not print grades that keep their value, which is what grades without a gain do here, too."""
    judged, ranked = untied()
    measure = ir_measures.nDCG(gains={1: 1, 2: 5}) @ 10
    assert str(measure) == "nDCG(gains={2:5})@10"
    wanted = per_topic(ir_measures.pytrec_eval.iter_calc([measure], folded(judged), ranked))
    found = own(folded(judged), {"run": ranked}, [measure])
    assert list(found.values()) == pytest.approx([wanted[str(measure), topic] for _, topic in found])


# ── the command line ─────────────────────────────────────────────────────────────────────────────


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-W", "ignore", "-m", "rankprism.ir_measures", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


@parses
def test_the_command_line_of_ir_measures_knows_the_measures() -> None:
    done = command(sample.QRELS, sample.RUNS[1], "RBU(p=0.9)@20 alpha_nDCG@20", "--places", "6")
    wanted = evaluate(sample.QRELS, sample.RUNS[1], ["RBU(p=0.9)@20", "alpha_nDCG@20"]).means[0]
    assert done.stdout == f"RBU(p=0.9)@20\t{wanted[0]:.6f}\nalpha_nDCG@20\t{wanted[1]:.6f}\n", done.stderr
    by_name = command(sample.QRELS, sample.RUNS[1], "nDCG@10", "--provider", "rankprism", "-p", "6")
    assert by_name.stdout == f"nDCG@10\t{evaluate(sample.QRELS, sample.RUNS[1], 'nDCG@10').means[0, 0]:.6f}\n"


@parses
def test_a_mistake_on_the_command_line_is_one_line(tmp_path: Path) -> None:
    done = command(sample.QRELS, sample.RUNS[1], "RBU(p=3)@20")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "rankprism.ir_measures: RBU: p must be a number > 0 and ≤ 1; got 3\n"
    done = command(sample.QRELS, tmp_path / "none.run", "RBU")
    assert done.returncode == 2
    assert done.stderr.startswith("rankprism.ir_measures: ")
    assert done.stderr.count("\n") == 1


@parses
def test_the_command_line_says_what_to_do_where_the_grammar_of_ir_measures_ends() -> None:
    """ir_measures itself only says "syntax error" or "unknown measure"."""
    done = command(sample.QRELS, sample.RUNS[1], "RBU CAM(nDCG@10)")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "rankprism.ir_measures: ir_measures cannot read CAM(nDCG@10), because its grammar does not allow "
        "a measure in a measure. `rankprism evaluate QRELS RUN -m 'CAM(nDCG@10)'` computes it. In Python, "
        'rankprism.ir_measures.measure("CAM(nDCG@10)") is an object that ir_measures takes.\n'
    )
    done = command(sample.QRELS, sample.RUNS[1], "D#-nDCG@10")
    assert done.stderr == (
        "rankprism.ir_measures: ir_measures cannot read the spelling D#-nDCG@10; write DSharp_nDCG@10\n"
    )
    done = command(sample.QRELS, sample.RUNS[1], "nothing@10")
    assert "unknown measure: nothing@10" in done.stderr


@pytest.mark.skipif(sys.version_info < (3, 14), reason="ir_measures 0.4.3 parses here")
def test_the_command_line_says_that_ir_measures_cannot_parse_on_python_3_14() -> None:
    done = command(sample.QRELS, sample.RUNS[1], "RBU@10")
    if done.returncode != 0:  # a later version of ir_measures may do it
        assert done.returncode == 2
        assert "`rankprism evaluate QRELS RUN -m 'RBU@10'` computes it" in done.stderr


def test_without_ir_measures_the_remedy_is_named() -> None:
    code = "import sys; sys.modules['ir_measures'] = None; import rankprism.ir_measures"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: rankprism.ir_measures needs one more package" in done.stderr
    assert install("ir-measures") in done.stderr


# ── PyTerrier ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def experiment() -> tuple[Any, Any, list[Any]]:
    """Topics, judgments and runs as PyTerrier has them."""
    pandas = pytest.importorskip("pandas")
    judged = pandas.DataFrame(
        [(q.query_id, q.doc_id, q.relevance, q.iteration) for q in qrels()],
        columns=["qid", "docno", "label", "iteration"],
    )
    topics = pandas.DataFrame({"qid": judged.qid.unique()})
    topics["query"] = topics.qid
    runs = [
        pandas.DataFrame([tuple(s) for s in run(number)], columns=["qid", "docno", "score"])
        for number in range(len(sample.RUNS))
    ]
    return topics, judged, runs


@pytest.fixture
def terrier() -> Any:
    return pytest.importorskip("pyterrier")


def test_an_experiment_of_pyterrier(terrier: Any, experiment: tuple[Any, Any, list[Any]]) -> None:
    topics, judged, runs = experiment
    measures = [door.RBU @ 20, ir_measures.alpha_nDCG(alpha=0.1) @ 20, door.CAM(ir_measures.nDCG @ 10)]
    table = terrier.Experiment(runs, topics, judged, measures, names=[path.stem for path in sample.RUNS])
    wanted = evaluate(sample.QRELS, list(sample.RUNS), measures).mean()
    assert {row["name"]: {str(m): row[str(m)] for m in measures} for _, row in table.iterrows()} == wanted
    assert not terrier.java.started(), "an experiment with runs needs no Java"


def test_the_judgments_of_an_experiment_are_read_once(
    terrier: Any, experiment: tuple[Any, Any, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []

    def reading(given: Any) -> rankprism.Judgments:
        read.append(given)
        return rankprism.read_judgments(given)

    monkeypatch.setattr("rankprism.ir_measures.evaluator.read_judgments", reading)
    topics, judged, runs = experiment
    judged = judged.iloc[::-1]  # a frame that no other test has
    terrier.Experiment(runs, topics, judged, [door.RBU @ 20, ir_measures.StRecall @ 5])
    assert len(read) == 1
    changed = judged.assign(label=1)
    terrier.Experiment(runs, topics, changed, [door.RBU @ 20])
    assert len(read) == 2


def test_judgments_that_change_in_place_are_read_again(experiment: tuple[Any, Any, list[Any]]) -> None:
    _, judged, runs = experiment
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    judged, ranked = judged.rename(columns=names), runs[1].rename(columns=names)
    before = ir_measures.calc_aggregate([door.RBU @ 20], judged, ranked)
    judged["relevance"] = 0
    with pytest.warns(rankprism.RankprismWarning, match="no-relevant"):
        after = ir_measures.calc_aggregate([door.RBU @ 20], judged, ranked)
    assert after != before


def test_batches_of_pyterrier(terrier: Any, experiment: tuple[Any, Any, list[Any]]) -> None:
    """Topics without results are asked for with an empty run."""
    topics, judged, runs = experiment
    system = terrier.Transformer.from_df(runs[1])
    some = topics.iloc[:4]
    table = terrier.Experiment([system], some, judged, [door.RBU @ 20], batch_size=2, filter_by_topics=False)
    scores = evaluate(sample.QRELS, sample.RUNS[1], "RBU@20").per_topic()[sample.RUNS[1].stem]
    wanted = sum(scores[topic]["RBU@20"] for topic in some.qid) / len(topics)
    assert table["RBU@20"][0] == pytest.approx(wanted, abs=1e-15)
