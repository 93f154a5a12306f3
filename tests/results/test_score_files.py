"""Scores read from the files of other programs."""

from __future__ import annotations

import gzip
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from rankprism import InputError, RankprismWarning, evaluate, read_scores, sample

LONG = "run,topic,measure,score\nA,1,AP,0.5\nA,2,AP,0.25\nB,1,AP,0.1\nB,2,AP,0.2\nB,all,AP,0.15\n"
WIDE = "runid,topic,AP,P@5\nA,1,0.5,0.2\nA,2,0.25,0.4\nA,amean,0.375,0.3\n"
MATRIX = "A,B\n0.5,0.1\n0.25,0.2\n"
TREC = (
    "map                   \t1\t0.5000\nmap\t2\t0.2500\nrunid                 \tall\tA\nmap\tall\t0.3750\n"
    "map\t1\t0.1\nmap\t2\t0.2\nrunid\tall\tB\nmap\tall\t0.15\n"
)
AB = {"A": {"1": 0.5, "2": 0.25}, "B": {"1": 0.1, "2": 0.2}}


def one_measure(scores: Any) -> dict[str, dict[str, float]]:
    """{run: {topic: score}} of the only measure."""
    (measure,) = scores.measures
    return {run: {t: s[measure] for t, s in topics.items()} for run, topics in scores.per_topic().items()}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", LONG),
        ("long.tsv", LONG.replace(",", "\t")),
        ("semicolons.csv", LONG.replace(",", ";")),
        ("other-names.csv", LONG.replace("run,topic,measure,score", "system,qid,metric,value")),
        ("matrix.csv", MATRIX),
        ("matrix-with-topics.csv", "topic,A,B\n1,0.5,0.1\n2,0.25,0.2\n"),
        ("matrix-from-pandas.csv", ",A,B\n1,0.5,0.1\n2,0.25,0.2\n"),
        ("matrix-with-numbers.csv", "Nr,A,B\n1,0.5,0.1\n2,0.25,0.2\n"),
        ("trec.txt", TREC),
    ],
)
def test_every_shape_of_file_gives_the_same_scores(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert one_measure(read_scores(tmp_path / name)) == AB


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress(LONG.encode()))
    assert one_measure(read_scores(tmp_path / "s.csv.gz")) == AB


def test_a_column_a_measure_as_ndeval_and_gdeval_print(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(WIDE)
    assert read_scores(tmp_path / "w.csv").per_topic() == {
        "A": {"1": {"AP": 0.5, "P@5": 0.2}, "2": {"AP": 0.25, "P@5": 0.4}}
    }


def test_the_separator_is_not_the_comma_in_a_measures_name(tmp_path: Path) -> None:
    text = "run;topic;RBU(p=0.9,e=0.05)@10\nA;1;0.5\n"
    for separator in ";\t":
        (tmp_path / "s.csv").write_text(text.replace(";", separator))
        assert read_scores(tmp_path / "s.csv").measures == ("RBU(p=0.9,e=0.05)@10",)


def test_a_runs_name_may_have_blanks(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("map\t1\t0.5\nrunid\tall\tmy run\nmap\tall\t0.5\n")
    assert read_scores(tmp_path / "s.txt").runs == ("my run",)


def test_trec_eval_output_without_a_run_name_is_called_after_the_file(tmp_path: Path) -> None:
    (tmp_path / "bm25.txt").write_text("map\t1\t0.5\nmap\tall\t0.5\n")
    assert read_scores(tmp_path / "bm25.txt").runs == ("bm25",)


def test_a_matrix_is_named_after_its_file_and_several_files_are_one_experiment(tmp_path: Path) -> None:
    (tmp_path / "ap.csv").write_text(MATRIX)
    (tmp_path / "p10.csv").write_text(MATRIX)
    scores = read_scores([tmp_path / "ap.csv", tmp_path / "p10.csv"])
    assert (scores.runs, scores.topics, scores.measures) == (("A", "B"), ("1", "2"), ("ap", "p10"))
    assert read_scores(tmp_path / "ap.csv", measure="AP").measures == ("AP",)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames(make: Callable[..., Any]) -> None:
    frame = make({"run": ["A", "A"], "topic": ["1", "2"], "measure": ["AP", "AP"], "score": [0.5, 0.25]})
    assert one_measure(read_scores(frame)) == {"A": AB["A"]}


def test_what_evaluate_writes_is_read_back_bit_by_bit(
    tmp_path: Path, cli: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    measures = ["RBU(p=0.9,e=0.05)@10", "alpha_nDCG(alpha=0.25)@10"]  # the first with a comma
    scores = evaluate(sample.QRELS, list(sample.RUNS), measures)
    command = ["evaluate", sample.QRELS, *sample.RUNS, "-m", measures[0], "-m", measures[1], "--per-topic"]
    for name, options in (("s.csv", ()), ("s.txt", ("--format", "trec"))):
        assert cli(*command, *options, "-o", tmp_path / name).returncode == 0
        assert read_scores(tmp_path / name).per_topic() == scores.per_topic()


def test_every_flipped_bit_of_a_parquet_file_of_scores_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    path.write_bytes(evaluate(sample.QRELS, list(sample.RUNS[:2]), ["P@5", "RR@5"]).to_parquet())
    data, rng = path.read_bytes(), random.Random(1)
    read_scores(path)
    for _ in range(150):
        at = rng.randrange(4, len(data))  # from the first four bytes, the format is recognised
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])
        with pytest.raises(InputError, match=r"scores\.parquet: is damaged.*backup, or compute it again"):
            read_scores(path)
    path.write_bytes(data[:-200])
    with pytest.raises(InputError, match=r"scores\.parquet: "):
        read_scores(path)


def test_another_program_may_write_a_file_of_scores_again(tmp_path: Path) -> None:
    """It copies the metadata, with zeros for a checksum."""
    path = tmp_path / "scores.parquet"
    scores = evaluate(sample.QRELS, list(sample.RUNS[:2]), ["P@5", "RR@5"])
    path.write_bytes(scores.to_parquet())
    table = pq.read_table(path)
    pq.write_table(table.filter(pc.equal(table["measure"], "RR@5")), path)
    found = read_scores(path)
    assert found.measures == ("RR@5",)
    assert found.values.tobytes() == scores.select(measures=["RR@5"]).values.tobytes()


def test_the_official_score_matrices(collections: Path) -> None:
    scores = read_scores(sorted((collections / "score-matrices").glob("adhoc8_*.csv")))
    assert (len(scores.runs), len(scores.topics), len(scores.measures)) == (129, 50, 3)
    assert not np.isnan(scores.values).any()


def test_the_official_ndeval_file(collections: Path) -> None:
    file = collections / "trec-web-2012" / "expected" / "ndeval.csv.gz"
    scores = read_scores(file, where={"sort": "rank"})
    assert (len(scores.runs), len(scores.topics), len(scores.measures)) == (17, 50, 21)
    with pytest.raises(InputError, match=r"ndeval.csv.gz, line \d+: is a second score of run 'desa'"):
        read_scores(file)


def test_topics_that_a_run_lacks_are_left_out_of_paired_analyses() -> None:
    scores = read_scores({"A": {"1": {"AP": 0.5}, "2": {"AP": 0.1}}, "B": {"1": {"AP": 0.2}}})
    with pytest.warns(
        RankprismWarning, match="1 of 2 topics are left out, because a run has no score there: '2'"
    ):
        complete = scores.complete()
    assert complete.topics == ("1",)
    assert [note["kind"] for note in complete.conventions["notes"]] == ["topics-left-out"]
    disjoint = read_scores({"A": {"1": {"AP": 0.5}}, "B": {"2": {"AP": 0.2}}})
    with pytest.raises(InputError, match="no topic on which every run has a score"):
        disjoint.complete()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.csv", "", "e.csv: the file is empty"),
        (
            "w.csv",
            "run,topic,measure,score\nA,1,AP,high\n",
            r"w.csv, line 2: the score 'high' is not a finite number",
        ),
        ("s.csv", "run,topic,measure,score\nA,1,AP\n", "s.csv, line 2: has 3 columns, but the first"),
        (
            "d.csv",
            "run,topic,measure,score\nA,1,AP,1\nA,1,AP,1\n",
            r"d.csv, line 3: is a second score of run 'A'",
        ),
        ("t.csv", "run,measure,score\nA,AP,1\n", "t.csv: seems to hold means and no scores of topics"),
        ("m.csv", "run,topic,measure,score\nA,all,AP,1\n", "m.csv: has no scores of topics"),
        ("q.txt", "1 0 doc 2\n", r"q.txt, line 1: expected measure, topic and score as trec_eval -q prints"),
        (
            "b.csv",
            'run,topic,AP\nA,1,"0.5\nA,2,0.5\n',
            r"b.csv, line 3: unexpected end of data; check the quotation",
        ),
    ],
)
def test_bad_files_of_scores_name_the_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_scores(tmp_path / name)


def test_bad_requests() -> None:
    with pytest.raises(InputError, match="cannot read scores from int objects"):
        read_scores(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="run 'A' holds 1; expected"):
        read_scores({"A": 1})
    scores = read_scores({"A": {"1": {"AP": 0.5}}})
    with pytest.raises(InputError, match="there is no measure 'P'; there are AP"):
        scores.select(measures="P")
