"""What must hold for any data: what changes nothing, what can only hurt, what is worth 1."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankprism
from tests.support import oracles, strategies
from tests.support.compressing import zstd

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # runs without judged documents

#: Divided by the score of a greedy ideal, which can be beaten.
NORMALISED = (
    "alpha_nDCG@3",
    "alpha_nDCG(alpha=0.1)@10",
    "alpha_nDCG(weighted=True)",
    "nERR_IA@5",
    "nERR_IA(gain='probability')",
    "nNRBP",
    "nNRBP(alpha=0.25,beta=0.8)@4",
)
#: Divided by something that grows with the length of the ranking.
PER_DOCUMENT = ("alpha_DCG", "ERR_IA(alpha=0.75)", "P", "P_IA")
BOUNDED = (
    "alpha_DCG@5",
    "alpha_DCG(alpha=0.1,weighted=True)@3",
    "ERR_IA@5",
    "ERR_IA(gain='probability')",
    "NRBP",
    "StRecall@5",
    "StRecall(weighted=True)@3",
    "P@5",
    "P(rel=2)@10",
    "RR",
    "AP",
    "AP@3",
    "nDCG",
    "nDCG@5",
    "nDCG(dcg='exp-log2')@10",
    "RBP",
    "ERR",
    "P_IA@5",
    "RR_IA",
    "AP_IA",
    "nDCG_IA@10",
    "RBP_IA(p=0.5)@8",
)
GRADED = (
    "alpha_DCG(gain='linear')@5",
    "alpha_nDCG(gain='exp')",
    "NRBP(gain='linear')",
    "nNRBP(gain='probability')",
)
JUDGED_ONLY = (
    "alpha_nDCG(judged_only=True)@5",
    "ERR_IA(judged_only=True)",
    "AP_IA(judged_only=True)",
    "P(judged_only=True)",
)
ALL = (*NORMALISED, *PER_DOCUMENT, *BOUNDED, *GRADED, *JUDGED_ONLY)

Scored = dict[str, dict[str, float]]


def scores_of(judgments: Any, run: Any, measures: Sequence[str] = ALL, **options: Any) -> Scored:
    """``{topic: {measure: score}}``"""
    scores = rankprism.evaluate(judgments, run, measures, **options).per_topic()
    assert len(scores) == 1
    return next(iter(scores.values()))


def close(scores: Scored) -> Any:
    return {topic: pytest.approx(row, rel=1e-12, abs=1e-12) for topic, row in scores.items()}


def ranked(ranking: Sequence[str]) -> dict[str, float]:
    """Scores that put the documents in this order."""
    return {doc: float(-i) for i, doc in enumerate(ranking)}


@st.composite
def cases(draw: st.DrawFn, max_aspects: int = 6) -> tuple[strategies.Judgments, strategies.Run]:
    judgments = draw(strategies.judgments(max_aspects=max_aspects))
    return judgments, draw(strategies.runs(judgments))


def shuffled(data: st.DataObject, table: Mapping[str, Any]) -> dict[str, Any]:
    """A nested dict with its keys in another order, on every level."""
    order = data.draw(st.permutations(list(table)))
    return {
        key: shuffled(data, table[key]) if isinstance(table[key], Mapping) else table[key] for key in order
    }


# What changes nothing


@given(case=cases(), data=st.data())
def test_the_order_of_topics_aspects_and_documents_in_the_input_changes_not_a_bit(
    case: tuple[strategies.Judgments, strategies.Run], data: st.DataObject
) -> None:
    judgments, run = case
    weights = data.draw(st.none() | strategies.weights(judgments))
    plain = scores_of(judgments, run, weights=weights)
    other = weights and shuffled(data, weights)
    assert scores_of(shuffled(data, judgments), shuffled(data, run), weights=other) == plain


@given(case=cases(), data=st.data())
def test_the_names_of_aspects_do_not_matter(
    case: tuple[strategies.Judgments, strategies.Run], data: st.DataObject
) -> None:
    judgments, run = case
    weights = data.draw(st.none() | strategies.weights(judgments))
    names = dict(
        zip(strategies.ASPECTS, data.draw(st.permutations(["x", "7", "Ü", "12", "y z", "a"])), strict=True)
    )

    def renamed(table: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        return {
            topic: {names[aspect]: x for aspect, x in aspects.items()} for topic, aspects in table.items()
        }

    plain = scores_of(judgments, run, weights=weights)
    assert scores_of(renamed(judgments), run, weights=weights and renamed(weights)) == close(plain)


@given(case=cases())
def test_the_names_of_topics_do_not_matter(case: tuple[strategies.Judgments, strategies.Run]) -> None:
    judgments, run = case
    plain = scores_of(judgments, run)
    turned = scores_of(
        {t[::-1] + "!": x for t, x in judgments.items()}, {t[::-1] + "!": x for t, x in run.items()}
    )
    assert {t: turned[t[::-1] + "!"] for t in plain} == close(plain)


@settings(max_examples=50)
@given(case=cases(), data=st.data())
def test_a_score_does_not_depend_on_the_other_topics_runs_and_measures(
    case: tuple[strategies.Judgments, strategies.Run], data: st.DataObject
) -> None:
    judgments, run = case
    other = data.draw(strategies.runs(judgments))
    together = rankprism.evaluate(judgments, {"one": run, "other": other}, ALL).per_topic()["one"]
    assert together == close(scores_of(judgments, run))
    topic = next(topic for topic in run if topic in judgments)
    measure = data.draw(st.sampled_from(ALL))
    alone = scores_of({topic: judgments[topic]}, {topic: run[topic]}, [measure])
    assert alone[topic][measure] == pytest.approx(together[topic][measure], rel=1e-12, abs=1e-12)


@given(case=cases(), data=st.data())
def test_swapping_two_equal_documents_changes_not_a_bit(
    case: tuple[strategies.Judgments, strategies.Run], data: st.DataObject
) -> None:
    judgments, run = case
    topic = next(topic for topic in run if topic in judgments)
    docs = oracles.rank(run[topic])
    assume(docs)
    doc, twin = data.draw(st.sampled_from(docs)), "its twin"
    for grades in judgments[topic].values():
        if doc in grades:
            grades[twin] = grades[doc]
    docs.insert(data.draw(st.integers(0, len(docs))), twin)
    swapped = [{doc: twin, twin: doc}.get(d, d) for d in docs]
    assert scores_of(judgments, run | {topic: ranked(docs)}) == scores_of(
        judgments, run | {topic: ranked(swapped)}
    )


@given(case=cases())
def test_equal_weights_change_nothing(case: tuple[strategies.Judgments, strategies.Run]) -> None:
    judgments, run = case
    plain = scores_of(judgments, run)
    for weight in (1.0, 0.3):
        alike = {topic: dict.fromkeys(aspects, weight) for topic, aspects in judgments.items()}
        assert scores_of(judgments, run, weights=alike) == close(plain)


@given(case=cases(), data=st.data())
def test_only_the_proportions_of_weights_matter(
    case: tuple[strategies.Judgments, strategies.Run], data: st.DataObject
) -> None:
    judgments, run = case
    weights = data.draw(strategies.weights(judgments))
    scaled = {topic: {a: 7 * w for a, w in given_.items()} for topic, given_ in weights.items()}
    assert scores_of(judgments, run, weights=scaled) == close(scores_of(judgments, run, weights=weights))


@given(case=cases(max_aspects=1))
def test_an_intent_aware_measure_of_one_aspect_is_the_measure(
    case: tuple[strategies.Judgments, strategies.Run],
) -> None:
    pairs = {
        "P_IA@5": "P@5",
        "P_IA": "P",
        "RR_IA": "RR",
        "AP_IA(rel=2)": "AP(rel=2)",
        "nDCG_IA@10": "nDCG@10",
    }
    pairs |= {"nDCG_IA(dcg='exp-log2')": "nDCG(dcg='exp-log2')", "RBP_IA(p=0.5)": "RBP(p=0.5)"}
    scores = scores_of(*case, [*pairs, *pairs.values()])
    for topic, row in scores.items():
        for aware, single in pairs.items():
            assert row[aware] == pytest.approx(row[single], rel=1e-12, abs=1e-12), (topic, aware)


# What cannot help


def with_last(ranking: Mapping[str, float], doc: str) -> dict[str, float]:
    return {**ranking, doc: min(ranking.values(), default=0.0) - 1}


@given(case=cases())
def test_one_more_unjudged_document_at_the_end_never_helps(
    case: tuple[strategies.Judgments, strategies.Run],
) -> None:
    judgments, run = case
    before = scores_of(judgments, run)
    after = scores_of(judgments, {topic: with_last(ranking, "one more") for topic, ranking in run.items()})
    for topic, row in before.items():
        for measure, score in row.items():
            if measure in PER_DOCUMENT:
                assert after[topic][measure] <= score, (topic, measure)
            else:
                assert after[topic][measure] == score, (topic, measure)


@given(case=cases(), grade=st.sampled_from([0, -1, -2]), data=st.data())
def test_one_more_non_relevant_document_at_the_end_never_helps(
    case: tuple[strategies.Judgments, strategies.Run], grade: float, data: st.DataObject
) -> None:
    judgments, run = case
    for aspects in judgments.values():
        aspects[data.draw(st.sampled_from(list(aspects)))]["one more"] = grade
    before = scores_of(judgments, run)
    after = scores_of(judgments, {topic: with_last(ranking, "one more") for topic, ranking in run.items()})
    for topic, row in before.items():
        for measure, score in row.items():
            assert after[topic][measure] <= score, (topic, measure)


@given(case=cases())
def test_leaving_unjudged_documents_out_never_hurts(
    case: tuple[strategies.Judgments, strategies.Run],
) -> None:
    names = (
        "alpha_nDCG",
        "alpha_nDCG@5",
        "nERR_IA@5",
        "P@5",
        "RR",
        "AP",
        "AP_IA",
        "nDCG",
        "nDCG@5",
        "nDCG_IA@5",
    )
    parts = [name.partition("@") for name in names]
    left_out = [f"{name}(judged_only=True){at}{k}" for name, at, k in parts]
    scores = scores_of(*case, [*names, *left_out])
    for topic, row in scores.items():
        for measure, condensed in zip(names, left_out, strict=True):
            assert row[condensed] >= row[measure] - 1e-12, (topic, measure)


@given(case=cases())
def test_looking_further_never_lowers_what_has_been_found(
    case: tuple[strategies.Judgments, strategies.Run],
) -> None:
    cutoffs = [1, 2, 3, 4, 5, 8, 12, 20]
    for name in ("StRecall", "RR", "AP", "AP_IA", "RBP", "ERR", "NRBP", "ERR_IA(gain='probability')"):
        scores = scores_of(*case, [*(f"{name}@{k}" for k in cutoffs), name])
        for topic, row in scores.items():
            found = list(row.values())
            assert all(a <= b + 1e-15 for a, b in pairwise(found)), (topic, name, found)


# What a score can be


@given(case=cases(), data=st.data())
def test_scores_are_between_0_and_1_and_those_over_a_greedy_ideal_nearly(
    case: tuple[strategies.Judgments, strategies.Run], data: st.DataObject
) -> None:
    judgments, run = case
    weights = data.draw(st.none() | strategies.weights(judgments))
    # Σ_i D(i) G_i is a sum of submodular functions of the first k documents, of which greedy choice reaches
    # at least the share 1 - 1/e of the best (Nemhauser, Wolsey and Fisher 1978).
    most = 1 / (1 - 1 / math.e)
    for topic, row in scores_of(
        judgments, run, (*BOUNDED, *PER_DOCUMENT, *NORMALISED), weights=weights
    ).items():
        for measure, score in row.items():
            assert 0 <= score <= (most if measure in NORMALISED else 1) + 1e-12, (topic, measure, score)


@given(judgments=strategies.judgments(), alpha=st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1]))
def test_the_greedy_ideal_ranking_scores_1(judgments: strategies.Judgments, alpha: float) -> None:
    run, relevant = {}, {}
    for topic, judged in judgments.items():
        gains = oracles.diversity.gains_of(judged, "binary", 1)
        ideal = oracles.diversity.greedy_ideal(gains, oracles.shares(list(gains), None), alpha)
        run[topic], relevant[topic] = ranked(ideal), bool(ideal)
    measures = [
        f"{name}(alpha={alpha}){at}" for name in ("alpha_nDCG", "nERR_IA", "nNRBP") for at in ("", "@1", "@5")
    ]
    for topic, row in scores_of(judgments, run, measures).items():
        assert row == pytest.approx(dict.fromkeys(row, float(relevant[topic])), rel=1e-12), topic


@given(judgments=strategies.judgments(max_aspects=1))
def test_a_ranking_by_grade_is_perfect_for_single_aspect_measures(judgments: strategies.Judgments) -> None:
    run, relevant = {}, {}
    for topic, judged in judgments.items():
        grades = oracles.combine.fold(judged, "max", None)
        run[topic] = grades  # its grade is its score
        relevant[topic] = sum(grade >= 1 for grade in grades.values())
    for topic, row in scores_of(judgments, run, ["nDCG", "nDCG@3", "RR", "AP"]).items():
        positive = any(grade > 0 for grade in run[topic].values())
        assert [row["nDCG"], row["nDCG@3"]] == pytest.approx([float(positive)] * 2, rel=1e-12)
        assert [row["RR"], row["AP"]] == pytest.approx([float(relevant[topic] > 0)] * 2, rel=1e-12)


# The same data in any form


class Judgment(NamedTuple):
    query_id: str
    subtopic_id: str
    doc_id: str
    relevance: float


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


Rows = list[tuple[Any, ...]]
JUDGMENT_COLUMNS = ("topic", "aspect", "doc", "grade")
RUN_COLUMNS = ("topic", "doc", "score")


def columns_of(rows: Rows, names: Sequence[str]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


#: From rows and the names of their columns to something that `evaluate` takes.
DOORS: dict[str, Callable[[Rows, Sequence[str]], Any]] = {
    "tuples": lambda rows, names: rows,
    "lists": lambda rows, names: [list(row) for row in rows],
    "dicts": lambda rows, names: [dict(zip(names, row, strict=True)) for row in rows],
    "iterator": lambda rows, names: iter(rows),
    "named tuples": lambda rows, names: [(Judgment if len(names) == 4 else ScoredDoc)(*row) for row in rows],
    "pandas": lambda rows, names: pd.DataFrame(columns_of(rows, names)),
    "pandas, other spelling": lambda rows, names: pd.DataFrame(
        columns_of(
            rows, ("qid", "subtopic", "docno", "label") if len(names) == 4 else ("qid", "docno", "score")
        )
    ),
    "polars": lambda rows, names: pl.DataFrame(columns_of(rows, names)),
    "polars, lazy": lambda rows, names: pl.LazyFrame(columns_of(rows, names)),
    "pyarrow": lambda rows, names: pa.table(columns_of(rows, names)),
}


@st.composite
def shuffled_rows(draw: st.DrawFn) -> tuple[strategies.Judgments, strategies.Run, Rows, Rows]:
    """Judgments and a run as dicts, and as rows in any order. Rows cannot say that a ranking is empty."""
    judgments, run = draw(cases())
    run = {topic: ranking for topic, ranking in run.items() if ranking}
    assume(any(topic in judgments for topic in run))
    judged = [
        (t, a, d, float(g))
        for t, aspects in judgments.items()
        for a in aspects
        for d, g in aspects[a].items()
    ]
    lines = [(t, d, s) for t, ranking in run.items() for d, s in ranking.items()]
    return judgments, run, draw(st.permutations(judged)), draw(st.permutations(lines))


@settings(max_examples=20)
@given(case=shuffled_rows())
def test_the_same_data_by_any_door_gives_the_same_bits(
    case: tuple[strategies.Judgments, strategies.Run, Rows, Rows],
) -> None:
    judgments, run, judged, lines = case
    plain = scores_of(judgments, run)
    for door, through in DOORS.items():
        given_ = through(judged, JUDGMENT_COLUMNS), {"run": through(lines, RUN_COLUMNS)}
        assert rankprism.evaluate(*given_, ALL).per_topic()["run"] == plain, door


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


class Dialect(NamedTuple):
    """How a file is written."""

    between: str
    newline: str
    start: str
    comments: bool

    def written(self, rows: Rows) -> bytes:
        lines = [self.between.join(map(str, row)) for row in rows]
        if self.comments:
            lines = ["# what follows", "", *(part for line in lines for part in (line, "#\tand so on", "  "))]
        return (self.start + self.newline.join(lines) + self.newline).encode()


DIALECTS = st.builds(
    Dialect,
    st.sampled_from([" ", "\t", "  ", " \t "]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),  # a byte-order mark
    st.booleans(),
)


@settings(max_examples=40)
@given(case=shuffled_rows(), dialects=st.tuples(DIALECTS, DIALECTS), data=st.data())
def test_the_same_data_from_files_gives_the_same_bits(
    case: tuple[strategies.Judgments, strategies.Run, Rows, Rows],
    dialects: tuple[Dialect, Dialect],
    data: st.DataObject,
    tmp_path: Path,
) -> None:
    judgments, run, judged, lines = case
    weights = data.draw(st.none() | strategies.weights(judgments))
    ranks = [(topic, "Q0", doc, i, repr(score), "tag") for i, (topic, doc, score) in enumerate(lines)]
    texts = {"qrels.txt": dialects[0].written(judged), "bm25.run": dialects[1].written(ranks)}
    if weights is not None:
        rows: Rows = [(topic, a, repr(w)) for topic, aspects in weights.items() for a, w in aspects.items()]
        texts["weights.txt"] = dialects[1].written(rows)
    plain = scores_of(judgments, run, weights=weights)
    for ending, packed in PACKED.items():
        for name, text in texts.items():
            (tmp_path / f"{name}{ending}").write_bytes(packed(text))
        qrels, path, given_ = (
            tmp_path / f"{name}{ending}" for name in ("qrels.txt", "bm25.run", "weights.txt")
        )
        found = rankprism.evaluate(qrels, path, ALL, weights=None if weights is None else given_)
        assert found.runs == ("bm25",)
        assert found.per_topic()["bm25"] == plain, ending


@settings(max_examples=40)
@given(case=shuffled_rows())
def test_what_is_read_can_be_written_and_read_again(
    case: tuple[strategies.Judgments, strategies.Run, Rows, Rows],
) -> None:
    judgments, run, *_ = case
    plain = scores_of(judgments, run)
    for backend in ("pandas", "polars", "pyarrow"):
        judged = rankprism.read_judgments(judgments).to_frame(backend)
        retrieved = rankprism.read_run(run).to_frame(backend)
        assert scores_of(judged, {"run": retrieved}) == plain
