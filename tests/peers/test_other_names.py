"""The names of measures in other programs mean the same measure here, and what they compute is the same."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rankprism import evaluate, parse, sample
from rankprism.errors import MeasureError
from rankprism.measures import compose, lookup, names
from rankprism.measures.grammar import parse_all
from rankprism.measures.other_names import OTHER_NAMES, SEVERAL, OtherName, names_table, own_name
from rankprism.measures.spelling import folded_name

Grades = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
READ = [record for record in OTHER_NAMES if record.reads and record.measure]
TAKEN = [record for record in OTHER_NAMES if not record.reads]
REFUSED = [record for record in OTHER_NAMES if record.reads and not record.measure]


def shown(record: OtherName) -> str:
    return f"{record.program} {record.name}"


def numbered(record: OtherName, k: int) -> tuple[str, str]:
    """The name and the measure here, with a number for K; recalls and multiples are fractions."""
    of_r = record.name.startswith(("iprec_at_recall", "Rprec_mult"))
    number = f"{k / 20:.2f}" if of_r else str(k)
    return record.name.replace("K", number), record.measure.replace("K", number)


def of(program: str, k: int) -> list[tuple[str, str]]:
    """The names of a program and the measures here, with a number in the place of K."""
    return [numbered(record, k) for record in READ if record.program == program]


@pytest.mark.parametrize("record", READ, ids=shown)
def test_a_name_means_the_measure_and_prints_canonically(record: OtherName) -> None:
    name, measure = numbered(record, 20)
    assert str(parse(name)) == str(parse(measure))
    assert parse(str(parse(name))) == parse(name)
    if record.name.endswith("_K"):
        stem = record.name.removesuffix("_K")
        assert parse(f"{stem}.{name.removeprefix(f'{stem}_')}") == parse(name)
    if record.measure.replace("@K", "") in names():  # else it has other parameters than the default
        assert str(parse(name)) == str(parse(measure))


@pytest.mark.parametrize("record", TAKEN, ids=shown)
def test_a_name_of_a_measure_here_keeps_its_meaning(record: OtherName) -> None:
    name = record.name.replace("K", "20")
    here = lookup(record.name.removesuffix("@K"))
    assert parse(name) == (here @ 20 if record.name.endswith("@K") else here)
    if record.measure:
        assert parse(name) != parse(record.measure.replace("K", "20"))
    assert record.remark


@pytest.mark.parametrize("record", REFUSED, ids=shown)
def test_a_name_of_another_measure_is_refused_and_says_how_it_differs(record: OtherName) -> None:
    name = record.name.removesuffix("@K")
    with pytest.raises(MeasureError, match=re.escape(f"{name} of {record.program} is not a measure here")):
        parse(record.name.replace("K", "10"))


def test_no_name_means_two_things() -> None:
    meant: dict[str, str] = {}
    for record in (*READ, *REFUSED):
        assert meant.setdefault(folded_name(record.name), record.measure) == record.measure
    for name in names():  # own names come first
        assert own_name(name) is None


def drawn(seed: int) -> tuple[Grades, Run]:
    """Graded judgments and rankings without ties, some of them shorter than the cutoffs."""
    rng = random.Random(seed)
    qrels: Grades = {}
    run: Run = {}
    for topic in ("q1", "q2", "q3"):
        docs = [f"d{i}" for i in range(rng.randint(2, 12))]
        # pytrec_eval and ranx divide by 0 in bpref if nothing is judged non-relevant.
        qrels[topic] = {doc: rng.choice([0, 0, 1, 2, 3]) for doc in docs} | {"d0": 0, "d1": 1}
        pool = [*docs, *(f"x{i}" for i in range(rng.randint(0, 8)))]
        picked = rng.sample(pool, rng.randint(1, len(pool)))
        run[topic] = {doc: float(i) for i, doc in enumerate(picked)}
    return qrels, run


def ours(qrels: Any, run: Any, name: str) -> dict[str, float]:
    [scores] = evaluate(qrels, run, name).per_topic().values()
    return {topic: next(iter(found.values())) for topic, found in scores.items()}


@pytest.mark.parametrize("k", [1, 5, 20])
def test_scores_equal_those_of_pytrec_eval(k: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for seed in range(8):
        qrels, run = drawn(seed)
        for name, _ in of("trec_eval", k):
            if name.rstrip("0123456789.").removesuffix("_") not in pytrec_eval.supported_measures:
                continue  # only trec_eval 10 has these
            theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
            label = "set_F" if name.startswith("set_F") else name  # pytrec_eval leaves out its number
            assert ours(qrels, run, name) == pytest.approx({t: theirs[t][label] for t in theirs}, abs=1e-9), (
                name
            )


def test_scores_equal_those_of_ranx() -> None:
    pytest.importorskip("ranx")
    cases = []
    for seed, k in enumerate((1, 5, 95)):
        asked = [name for name, _ in of("ranx", k)]
        cases.append((*drawn(seed), [*asked, "precision@5-l2", "map-l2", "recall@3-l2", "mrr-l3"]))
    # In a process of its own, where ranx does not compile itself for a minute.
    code = (
        "import json, sys, ranx\n"
        "found = [ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), asked, return_mean=False)\n"
        "         for qrels, run, asked in json.load(sys.stdin)]\n"
        "print(json.dumps([{name: list(map(float, row)) for name, row in case.items()} for case in found]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(cases),
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for (qrels, run, asked), theirs in zip(cases, json.loads(done.stdout), strict=True):
        for name in asked:
            expected = dict(zip(sorted(qrels), theirs[name], strict=True))
            assert ours(qrels, run, name) == pytest.approx(expected, abs=1e-9), name


@pytest.mark.parametrize("k", [1, 3, 10])
def test_capped_recall_and_success_are_those_of_beir(k: int) -> None:
    """BEIR divides by the number of relevant documents or by k, whichever is smaller."""
    for seed in range(8):
        qrels, run = drawn(seed)
        capped, accuracy = {}, {}
        for topic, judged in qrels.items():
            relevant = {doc for doc, grade in judged.items() if grade > 0}
            ranking = sorted(run.get(topic, {}).items(), key=lambda item: item[1], reverse=True)
            found = [doc for doc, _ in ranking[:k] if doc in relevant]
            capped[topic] = len(found) / min(len(relevant), k) if relevant else 0.0
            accuracy[topic] = float(bool(found))
        assert ours(qrels, run, f"R_cap@{k}") == pytest.approx(capped, abs=1e-12)
        assert ours(qrels, run, f"Success@{k}") == accuracy  # BEIR calls it Accuracy


def test_scores_equal_those_of_pyndeval() -> None:
    pyndeval = pytest.importorskip("pyndeval")
    rng = random.Random(3)
    rows = {
        (t, s, f"d{rng.randint(0, 9)}", 1) for t in ("q1", "q2") for s in ("1", "2", "3") for _ in range(3)
    }
    qrels = sorted(rows)
    run = [(t, f"d{i}", rng.random()) for t in ("q1", "q2") for i in range(8)]
    for name, _ in of("ndeval", 5):
        theirs = pyndeval.ndeval(qrels, run, measures=[name])
        assert ours(qrels, run, name) == pytest.approx({t: theirs[t][name] for t in theirs}, abs=1e-9), name


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("dcg_score", "DCG"),
        ("ndcg_score", "nDCG"),
        ("label_ranking_average_precision_score", "AP"),
        ("average_precision_score", "AP"),
    ],
)
def test_scikit_learn_differs_as_the_error_says(name: str, instead: str) -> None:
    function = getattr(pytest.importorskip("sklearn.metrics"), name)
    grades = {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0}

    def theirs(scores: list[float]) -> float:
        rows = ([*grades.values()], scores)
        return float(function(*rows) if name.startswith("average") else function(*([row] for row in rows)))

    def here(scores: list[float]) -> float:
        return ours({"q": grades}, {"q": dict(zip(grades, scores, strict=True))}, instead)["q"]

    assert theirs([5.0, 4.0, 3.0, 2.0, 1.0]) == pytest.approx(here([5.0, 4.0, 3.0, 2.0, 1.0]))
    assert theirs([1.0, 1.0, 1.0, 0.0, 0.0]) != pytest.approx(here([1.0, 1.0, 1.0, 0.0, 0.0]))
    assert f"write {instead}" in next(record.remark for record in REFUSED if record.name == name)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nDCG_10", "did you mean nDCG@10?"),
        ("ndcg10", "did you mean nDCG@10?"),
        ("MAP_k5", "did you mean AP@5?"),
        ("ndcg@k10", "did you mean nDCG@10?"),
        ("ndcg@k=10", "did you mean nDCG@10?"),
        ("ndcg_cut", "ndcg_cut of trec_eval means several measures, nDCG@5 and others; name one of them"),
        ("NERR10", "NERR10 of ir_measures is not a measure here"),
        ("recip_rnk", "did you mean RR"),
        ("hitrate@5", "did you mean Success"),
        ("Rprec_5", "did you mean Rprec"),
        ("P_5@3", "the parameter 'cutoff' of P is given twice"),
        ("ndcg@5-l2", "nDCG@5 has no lowest relevant grade"),
        ("rbp.95-l2", "has no lowest relevant grade"),
    ],
)
def test_near_misses_say_what_was_meant(text: str, hint: str) -> None:
    with pytest.raises(MeasureError, match=re.escape(hint)):
        parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG@10 AP", ["nDCG@10", "AP"]),
        ("nDCG@10,AP", ["nDCG@10", "AP"]),
        ("ndcg_cut.5,10 P_5", ["nDCG@5", "nDCG@10", "P@5"]),
        (
            "alpha_nDCG( alpha = .25 , rel = 2 ) @ 20, CAM(map_cut_10)",
            ["alpha_nDCG(alpha=0.25,rel=2)@20", "CAM(AP@10)"],
        ),
        ("AP", ["AP"]),
        ("set_F.1.0,0.5,2.4 AP", ["SetF", "SetF(beta=0.5)", "SetF(beta=2.4)", "AP"]),
        ("set_F_0.5, P.5,10", ["SetF(beta=0.5)", "P@5", "P@10"]),
        ("unj", ["Unjudged@5", "Unjudged@10", "Unjudged@20"]),
    ],
)
def test_several_measures_in_one_string(text: str, expected: list[str]) -> None:
    assert list(map(str, parse_all(text))) == expected
    assert list(evaluate(sample.QRELS, sample.RUNS[0], text).measures) == expected


@pytest.mark.parametrize("text", ["", "AP,", ",AP", "AP,,P", "AP 10", "AP,10", "nDCG@10 10"])
def test_text_that_is_not_a_list_of_measures_is_refused(text: str) -> None:
    with pytest.raises(MeasureError, match="cannot read the measure"):
        parse_all(text)


def test_names_of_other_programs_everywhere(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        "[Both]\nmix = { ndcg_cut_10 = 1, recip_rank = 1 }\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "rankprism", "evaluate", str(sample.QRELS), *map(str, sample.RUNS)]
    command += ["-m", "ndcg_cut.5,10 recip_rank", "-m", "strec@20", "--sort", "hit_rate@5", "--format", "csv"]
    command += ["-m", "hit_rate@5,Both", "--measures", str(tmp_path / "own.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = dict.fromkeys(line.split(",")[2] for line in done.stdout.splitlines()[1:])
    assert list(printed) == ["nDCG@5", "nDCG@10", "RR", "StRecall@20", "Success@5", "Both"]
    scores = evaluate(sample.QRELS, sample.RUNS[0], "nDCG@10 AP RR")
    assert list(scores.select(measures="map, ndcg_cut_10").measures) == ["AP", "nDCG@10"]


def test_a_measure_of_ones_own_cannot_take_such_a_name() -> None:
    with pytest.raises(MeasureError, match="a measure named recall_100 exists already"):
        compose("recall_100", gain="linear")


def test_names_are_found_without_loading_other_measures() -> None:
    code = (
        "import sys\nfrom rankprism import parse\n"
        "parse('ndcg_cut_10'), parse('recip_rank'), parse('strec@20'), parse('hit_rate@5')\n"
        "print(*(m for m in sys.modules if m.startswith('rankprism.measures.known.')))"
    )
    own = code.replace(
        "parse('ndcg_cut_10'), parse('recip_rank'), parse('strec@20'), parse('hit_rate@5')",
        ("parse('nDCG@10'), parse('RR'), parse('StRecall@20'), parse('Success@5')"),
    )
    loaded = [
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
        for text in (code, own)
    ]
    assert loaded[0] == loaded[1]


def test_the_table_for_the_docs_has_every_name() -> None:
    for record in OTHER_NAMES:
        assert f"| `{record.name}` |" in names_table(record.program)


@pytest.mark.parametrize("name", SEVERAL)
def test_names_of_several_measures_mean_what_they_mean_in_trec_eval(name: str) -> None:
    """The names and cutoffs of the door, which are trec_eval's. Counts and geometric means are left out."""
    from rankprism.trec_eval.measures import MEASURES, NICKNAMES, asked

    spelled = {folded_name(one): one for one in (*MEASURES, *NICKNAMES)}[name]
    labels = [
        label for one in NICKNAMES.get(spelled, [spelled]) for label in asked(MEASURES[one], None).labels
    ]
    theirs = []
    for label in labels:
        with contextlib.suppress(MeasureError):
            theirs.append(parse(label))
    assert parse_all(spelled) == theirs


@pytest.mark.parametrize("name", ["ndcg_cut", "map_cut", "set_F.1.0,0.5,2.4", "official", "iprec_at_recall"])
def test_names_of_several_measures_mean_what_ir_measures_reads(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pytrec_eval")
    theirs = [m for m in ir_measures.parse_trec_measure(name) if not m.NAME.startswith("Num")]
    assert {parse(str(m)) for m in theirs} == set(parse_all(name))
