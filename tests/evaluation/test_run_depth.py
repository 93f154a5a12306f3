"""Runs that are cut before they are scored, as with option -M of trec_eval and ndeval.

The figures are worked out from the definitions and the inputs beside them. trec_eval 10.0-rc3 with -M prints
the same to its four decimals, and ndeval 4.5 with -M to its six.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankprism
from rankprism import evaluate, ndeval
from rankprism.cli.app import app
from rankprism.errors import InputError
from rankprism.trec_eval.command import run as trec_eval
from tests.support import strategies

GRADES = {"q": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1, "f": 1}}
RANKED = ["b", "a", "x", "d", "c", "e"]  # x is not judged
RUN = {"q": {doc: float(9 - i) for i, doc in enumerate(RANKED)}}

#: By measure, the score with the first 2, 3, 4, 5 and all documents.
#: The ideal DCG is 2 + 1/log2 3 + 1/2 + 1/log2 5.
CUT: dict[str, tuple[float, ...]] = {
    "nDCG": (0.1771475279310352,) * 3 + (0.3943825468435449, 0.49439561845771657),
    "nDCG@3": (0.20151514190050246,) * 5,
    "AP": tuple(map(float, map(Fraction, ("1/8", "1/8", "1/8", "9/40", "7/20")))),
    "AP@2": (1 / 8,) * 5,
    "Bpref": (1 / 8,) * 5,
    "infAP": (100003 / 800016,) * 3 + (27000890005 / 120003200016, 42001290007 / 120003200016),
    "SetP": (1 / 2, 1 / 3, 1 / 4, 2 / 5, 1 / 2),
    "SetR": (1 / 4, 1 / 4, 1 / 4, 1 / 2, 3 / 4),
    "SetF": (1 / 3, 2 / 7, 1 / 4, 4 / 9, 3 / 5),
    "P@5": (1 / 5, 1 / 5, 1 / 5, 2 / 5, 2 / 5),  # lacking documents count as not relevant
    "Rprec": (1 / 4,) * 5,
    "RBP(p=0.5)": (1 / 4, 1 / 4, 1 / 4, 1 / 4 + 1 / 32, 1 / 4 + 1 / 32 + 1 / 64),
    "RR": (1 / 2,) * 5,
}  # fmt: skip
DEPTHS = (2, 3, 4, 5, None)

ASPECTS = {"q": {"1": {"a": 1}, "2": {"a": 1, "c": 1}, "3": {"e": 1}}}
DIVERSE = {"q": {doc: float(9 - i) for i, doc in enumerate(["b", "a", "x", "c", "e"])}}


@pytest.mark.parametrize("measure", CUT)
def test_a_cut_run_scores_as_defined(measure: str) -> None:
    found = [evaluate(GRADES, RUN, measure, run_depth=depth).mean()["run"][measure] for depth in DEPTHS]
    assert found == pytest.approx(CUT[measure], rel=0, abs=1e-12)


def test_the_ideal_of_a_cut_run_is_that_of_the_measure_and_not_of_the_depth() -> None:
    wanted = {2: 0.43800426080455496, 3: 0.43800426080455496, 4: 0.512750366213666, 5: 0.6470309076794774}
    for depth, score in wanted.items():
        means = evaluate(ASPECTS, DIVERSE, "alpha_nDCG@5 alpha_nDCG@10", run_depth=depth).mean()["run"]
        assert list(means.values()) == pytest.approx([score, score], abs=1e-12)
    assert evaluate(ASPECTS, DIVERSE, "alpha_nDCG@2").means[0, 0] == pytest.approx(0.4796249331362629)


def lines(run: dict[str, dict[str, float]]) -> str:
    return "".join(
        f"{topic} Q0 {doc} {rank} {score!r} r\n"
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    )


def files(folder: Path) -> tuple[str, str]:
    qrels, run = folder / "qrels.txt", folder / "cut.run"
    qrels.write_text("".join(f"q 0 {doc} {grade}\n" for doc, grade in GRADES["q"].items()))
    run.write_text(lines(RUN))
    return str(qrels), str(run)


def frames() -> tuple[Any, Any]:
    import pandas as pd

    judged = pd.DataFrame([("q", d, g) for d, g in GRADES["q"].items()], columns=["topic", "doc", "grade"])
    ranked = pd.DataFrame([("q", d, s) for d, s in RUN["q"].items()], columns=["topic", "doc", "score"])
    return judged, ranked


WAYS: dict[str, Callable[[Path], tuple[Any, Any]]] = {
    "dictionaries": lambda _: (GRADES, RUN),
    "lists": lambda _: (GRADES, {"run": {"q": RANKED}}),
    "frames": lambda _: frames(),
    "files": files,
    "read": lambda folder: (rankprism.read_judgments(GRADES), rankprism.read_run(files(folder)[1])),
    "JSON": lambda folder: (files(folder)[0], in_json(folder)),
}


def in_json(folder: Path) -> str:
    (folder / "cut.json").write_text(json.dumps(RUN))
    return str(folder / "cut.json")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("measures", ["nDCG SetF", "AP"])
def test_every_way_in_cuts_alike(way: str, measures: str, tmp_path: Path) -> None:
    judged, ranked = WAYS[way](tmp_path)
    scores = evaluate(judged, ranked, measures, run_depth=5)
    assert scores.means[0] == pytest.approx([CUT[name][3] for name in measures.split()], abs=1e-12)
    assert scores.conventions["run_depth"] == 5
    assert "run_depth" not in evaluate(judged, ranked, measures).conventions


@pytest.mark.parametrize("command", ["evaluate {}", "explain {} --topic q", "report {} -o -"])
def test_commands_cut_alike(command: str, tmp_path: Path) -> None:
    qrels, run = files(tmp_path)
    found = CliRunner().invoke(
        app, [*command.format(f"{qrels} {run}").split(), "-m", "SetF", "--run-depth", "3"]
    )
    assert found.exit_code == 0, found.output
    assert "0.2857" in found.stdout  # 2/7


@pytest.mark.parametrize("depth", [0, -1, 2.5, True, "3"])
def test_a_depth_is_a_whole_number_from_1(depth: Any) -> None:
    with pytest.raises(InputError, match=f"run_depth must be a whole number ≥ 1; got {depth!r}"):
        evaluate(GRADES, RUN, "AP", run_depth=depth)


def drawn(seed: int) -> tuple[strategies.Judgments, dict[str, dict[str, float]]]:
    draw = random.Random(seed)
    docs = [f"d{i:02}" for i in range(30)]
    judged: strategies.Judgments = {
        t: {"1": {doc: float(draw.choice([-1, 0, 0, 1, 2])) for doc in draw.sample(docs, 20)}} for t in "123"
    }
    run = {t: {doc: float(draw.randrange(8)) for doc in draw.sample(docs, 25)} for t in "123"}
    return judged, run


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("order", ["score", "trec_eval-9", "score-ascending-id", "rank", "input"])
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_scores_are_those_of_a_run_that_has_no_more_documents(seed: int, order: Any) -> None:
    judged, run = drawn(seed)
    ranks = {t: {doc: i for i, doc in enumerate(sorted(docs))} for t, docs in run.items()}
    rows = [(t, doc, s, ranks[t][doc]) for t, docs in run.items() for doc, s in docs.items()]
    key: dict[str, Callable[[Any], Any]] = {
        "score-ascending-id": lambda row: (-row[2], row[1]),
        "rank": lambda row: row[3],
        "input": lambda row: 0,
    }
    for depth in (1, 7, 25, 10**12):
        kept = [
            row
            for t in run
            for row in (
                sorted((r for r in rows if r[0] == t), key=key[order])
                if order in key
                else sorted((r for r in rows if r[0] == t), key=lambda r: (r[2], r[1]), reverse=True)
            )[:depth]
        ]
        for tied in (None, "all"):
            how: dict[str, Any] = {"order": order, "tied": tied}
            cut = evaluate(judged, rows, "nDCG AP Judged RR", run_depth=depth, **how)
            assert (cut.values == evaluate(judged, kept, "nDCG AP Judged RR", **how).values).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_cut_runs_score_as_in_trec_eval_and_ndeval(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The doors print what trec_eval 10 and ndeval print, byte for byte.
    judged, run = drawn(seed)
    qrels, ranked = tmp_path / "qrels", tmp_path / "run"
    grades = [(t, d, max(0, int(g))) for t, of in judged.items() for d, g in of["1"].items()]
    qrels.write_text("".join(f"{t} 1 {d} {g}\n" for t, d, g in grades))  # ndeval reads no negative grades
    ranked.write_text(lines(run))
    names = ["map", "ndcg", "Rprec", "bpref", "set_F", "infAP"]
    for depth in (1, 5, 12, 40):
        trec_eval(["-c", f"-M{depth}", *(f"-m{name}" for name in names), str(qrels), str(ranked)])
        theirs = {line.split()[0]: float(line.split()[2]) for line in capsys.readouterr().out.splitlines()}
        ours = evaluate(qrels, ranked, names, order="trec_eval", run_depth=depth).means[0]
        assert [theirs[name] for name in names] == pytest.approx(ours.tolist(), abs=5.1e-5)
        options = ndeval.read_options(["-c", "-traditional", "-M", str(depth), str(qrels), str(ranked)])
        head, *_, mean = (line.split(",") for line in ndeval.table(options))
        of_ndeval = dict(zip(head, mean, strict=True))
        measures = ["alpha-nDCG@10", "NRBP", "MAP-IA"]
        ours = evaluate(qrels, ranked, measures, run_depth=depth).means[0]
        assert [float(of_ndeval[name]) for name in measures] == pytest.approx(ours.tolist(), abs=1e-6)
