"""In which order programs put documents: the table in docs/conventions.md, checked with the programs.

Each program scores a ranking as often as it has documents, each time with another one as the only relevant
document. The scores tell the order, because every measure here falls with the rank of that document.
"""

from __future__ import annotations

import io
import random
import shutil
import struct
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rankprism import evaluate
from rankprism.trec_eval.command import run as trec_eval

CONVENTIONS = Path(__file__).parents[2] / "docs" / "conventions.md"


class Document(NamedTuple):
    """A document in the order in which a run lists them."""

    doc: str
    score: float
    rank: int


Relevant = Mapping[str, int]


def close(score: float) -> float:
    """As a 32-bit number."""
    return float(struct.unpack("f", struct.pack("f", score))[0])


def descending(docs: list[Document], score: Callable[[float], float]) -> list[str]:
    ordered = sorted(docs, key=lambda d: (score(d.score), d.doc), reverse=True)
    return [d.doc for d in ordered]


#: By the value of `order` that gives the same here; "given" is none: equal scores stay as they were given.
ORDERS: dict[str, Callable[[list[Document]], list[str]]] = {
    "score": lambda docs: descending(docs, float),
    "trec_eval": lambda docs: descending(docs, float),
    "trec_eval-9": lambda docs: descending(docs, close),
    "score-ascending-id": lambda docs: [d.doc for d in sorted(docs, key=lambda d: (-d.score, d.doc))],
    "rank": lambda docs: [d.doc for d in sorted(docs, key=lambda d: d.rank)],
    "input": lambda docs: [d.doc for d in docs],
    "given": lambda docs: [d.doc for d in sorted(docs, key=lambda d: -d.score)],
}


def by_pytrec_eval(relevant: Relevant, docs: list[Document], _: Path) -> float:
    module = pytest.importorskip("pytrec_eval")
    evaluator = module.RelevanceEvaluator({"1": dict(relevant)}, {"recip_rank"})
    return float(evaluator.evaluate({"1": {d.doc: d.score for d in docs}})["1"]["recip_rank"])


def by_the_pytrec_eval_door(relevant: Relevant, docs: list[Document], _: Path) -> float:
    from rankprism import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator({"1": dict(relevant)}, {"recip_rank"})
    return evaluator.evaluate({"1": {d.doc: d.score for d in docs}})["1"]["recip_rank"]


def written(relevant: Relevant, docs: list[Document], folder: Path) -> tuple[str, str]:
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(f"1 1 {doc} {grade}\n" for doc, grade in relevant.items()))
    run.write_text("".join(f"1 Q0 {doc} {rank} {score!r} r\n" for doc, score, rank in docs))
    return str(qrels), str(run)


def by_trec_eval(relevant: Relevant, docs: list[Document], folder: Path) -> float:
    # relstring prints the grades from the first rank to the last.
    out = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(out)):
        trec_eval(["-q", "-m", "relstring.20", *written(relevant, docs, folder)])
        return -float(out.getvalue().split(b"'")[1].index(b"1"))


def by_ndeval(*options: str) -> Callable[[Relevant, list[Document], Path], float]:
    def scored(relevant: Relevant, docs: list[Document], folder: Path) -> float:
        from rankprism import ndeval

        lines = ndeval.table(ndeval.read_options([*options, *written(relevant, docs, folder)]))
        head, first, *_ = (line.split(",") for line in lines)
        return float(first[head.index("MAP-IA")])

    return scored


def by_pyndeval(relevant: Relevant, docs: list[Document], _: Path) -> float:
    module = pytest.importorskip("pyndeval")
    qrels = [("1", "1", doc, grade) for doc, grade in relevant.items()]
    scores = module.ndeval(qrels, [("1", d.doc, d.score) for d in docs], measures=["MAP-IA"])
    return float(scores["1"]["MAP-IA"])


def by_ir_measures(name: str, provider: str = "") -> Callable[[Relevant, list[Document], Path], float]:
    def scored(relevant: Relevant, docs: list[Document], _: Path) -> float:
        module = pytest.importorskip("ir_measures")
        measure = module.parse_measure(name)
        computes = getattr(module, provider) if provider else module
        qrels = [module.Qrel("1", doc, grade) for doc, grade in relevant.items()]
        run = [module.ScoredDoc("1", d.doc, d.score) for d in docs]
        return float(computes.calc_aggregate([measure], qrels, run)[measure])

    return scored


def by_gdeval(relevant: Relevant, docs: list[Document], folder: Path) -> float:
    if shutil.which("perl") is None:
        pytest.skip("gdeval needs Perl")
    return by_ir_measures("nDCG(dcg='exp-log2')@20", "gdeval")(relevant, docs, folder)


def by_ranx(relevant: Relevant, docs: list[Document], _: Path) -> float:
    module = pytest.importorskip("ranx")
    qrels, run = module.Qrels({"1": dict(relevant)}), module.Run({"1": {d.doc: d.score for d in docs}})
    return float(module.evaluate(qrels, run, "mrr"))


def by_trectools(relevant: Relevant, docs: list[Document], _: Path) -> float:
    module = pytest.importorskip("trectools")
    import pandas as pd

    run, qrels = module.TrecRun(), module.TrecQrel()
    lines = [("1", "Q0", d.doc, d.rank, d.score, "r") for d in docs]
    run.run_data = pd.DataFrame(lines, columns=["query", "q0", "docid", "rank", "score", "system"])
    judged = [("1", 0, doc, grade) for doc, grade in relevant.items()]
    qrels.qrels_data = pd.DataFrame(judged, columns=["query", "q0", "docid", "rel"])
    return float(module.TrecEval(run, qrels).get_reciprocal_rank())


#: As the table names them. The doors stand for trec_eval 10 and ndeval, which print the same bytes.
PROGRAMS: dict[str, tuple[str, Callable[[Relevant, list[Document], Path], float]]] = {
    "trec_eval 10": ("trec_eval", by_trec_eval),
    "pytrec_eval": ("trec_eval-9", by_pytrec_eval),
    "rankprism.pytrec_eval": ("trec_eval-9", by_the_pytrec_eval_door),
    "ndeval": ("rank", by_ndeval()),
    "ndeval -traditional": ("score", by_ndeval("-traditional")),
    "pyndeval": ("score-ascending-id", by_pyndeval),
    "ir_measures": ("trec_eval-9", by_ir_measures("RR")),
    "Compat": ("score-ascending-id", by_ir_measures("Compat")),
    "msmarco": ("score-ascending-id", by_ir_measures("RR", "msmarco")),
    "Accuracy": ("given", by_ir_measures("Accuracy", "accuracy")),
    "gdeval": ("score", by_gdeval),
    "ranx": ("given", by_ranx),
    "trectools": ("score", by_trectools),
}


def rankings() -> list[list[Document]]:
    draw = random.Random(3)
    found = []
    for scores in ([1.0, 2.0], [1 + i * 1e-9 for i in range(3)], [float(i) for i in range(30)]):
        for _ in range(2):
            docs, ranks = draw.sample([f"d{i}" for i in range(6)], 6), draw.sample(range(1, 7), 6)
            found.append(
                [Document(doc, draw.choice(scores), rank) for doc, rank in zip(docs, ranks, strict=True)]
            )
    return found


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_programs_order_as_the_table_says(program: str, tmp_path: Path) -> None:
    order, score = PROGRAMS[program]
    for docs in rankings():
        found = {d.doc: score({e.doc: int(e == d) for e in docs}, docs, tmp_path) for d in docs}
        assert len(set(found.values())) == len(docs)
        assert sorted(found, key=lambda doc: -found[doc]) == ORDERS[order](docs), docs


@pytest.mark.parametrize("order", sorted(set(ORDERS) - {"given"}))
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_orders_here_are_what_their_names_say(order: Any) -> None:
    for docs in rankings():
        rows = [("1", *document) for document in docs]
        ranked = {
            d.doc: evaluate({"1": {d.doc: 1}}, rows, "RR", order=order).means[0, 0].item() for d in docs
        }
        assert sorted(ranked, key=lambda doc: -ranked[doc]) == ORDERS[order](docs)


def test_the_table_names_every_program_with_its_order() -> None:
    text = (
        CONVENTIONS.read_text(encoding="utf-8").split("## Which program orders how", 1)[1].split("\n## ")[0]
    )
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    for program, (order, _) in PROGRAMS.items():
        (row,) = (row for row in rows if f"`{program}`" in row.split("|")[1])
        assert (f"`{order}`" if order != "given" else "none") in row.split("|")[4], program
