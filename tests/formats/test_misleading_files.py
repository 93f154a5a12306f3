"""Ids, tables and JSON that would mislead are noted or refused on every way in, and good input is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import (
    InputError,
    RankprismWarning,
    evaluate,
    read_judgments,
    read_preferences,
    read_run,
    read_scores,
)
from tests.support.notes import kinds

Cli = Callable[..., Any]


#: d1 is only relevant, d2 only credible.
ASPECTS = {t: {"relevance": {"d1": 1, "d2": 0}, "credibility": {"d1": 0, "d2": 1}} for t in "qr"}


# Ids

LARGE = 2**53 + 2  # a float can hold it, but 2⁵³ + 1 becomes 2⁵³
FLOATS = [float(LARGE), -float(LARGE), 2.0**53, 1e300]


@pytest.mark.parametrize("id", FLOATS)
def test_floats_that_may_be_rounded_are_not_ids_on_any_way_in(id: float) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    ways: list[Callable[[], Any]] = [
        lambda: read_run({"q": {id: 1.0}}),
        lambda: read_run({id: {"d": 1.0}}),
        lambda: read_run([("q", id, 1.0)]),
        lambda: read_run([{"qid": "q", "docno": np.float64(id), "score": 1.0}]),
        lambda: read_judgments({"q": {id: 1}}),
        lambda: read_judgments({"q": {"a": {id: 1}}}, aspects=["a"]),
        lambda: read_judgments([{"topic": id, "doc": "d", "a": 1}], aspects=["a"]),
        lambda: read_judgments(ASPECTS, weights={id: {"relevance": 1.0}}),
        lambda: read_preferences([("q", "", id, "d", "left")]),
        lambda: read_preferences(pd.DataFrame([{"topic": id, "left": "a", "right": "b", "outcome": "tie"}])),
    ]
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        table = make({"qid": ["q"], "docno": [id], "score": [1.0]})
        ways.append(partial(read_run, table))
        ways.append(partial(evaluate, {"q": {"d": 1}}, table, "P@1"))
        judged = make({"qid": [id], "docno": ["d"], "rel": [1.0]})
        ways.append(partial(read_judgments, judged))
    for number, way in enumerate(ways):
        with pytest.raises(InputError, match="a float too large to be exact") as caught:
            way()
        assert "whole numbers or text" in str(caught.value), number


def test_smaller_floats_that_are_whole_are_ids_as_before() -> None:
    import pyarrow as pa

    largest = 2**53 - 1
    run = read_run([("q", float(largest), 2.0), ("q", np.float32(3), 1.0)])
    assert run.to_frame("pyarrow")["doc"].to_pylist() == [str(largest), "3"]
    halves = pa.array([float(largest), 3.0])
    table = pa.table({"qid": ["q", "q"], "docno": halves, "score": [2.0, 1.0]})
    assert read_run(table).to_frame("pyarrow")["doc"].to_pylist() == [str(largest), "3"]
    # Whole numbers are exact, whatever their size.
    assert read_run([("q", LARGE + 1, 1.0)]).to_frame("pyarrow")["doc"].to_pylist() == [str(LARGE + 1)]


@pytest.mark.parametrize(("bits", "kind"), [(11, "float16"), (24, "float32")])
def test_short_floats_are_exact_for_fewer_ids(bits: int, kind: str) -> None:
    import pyarrow as pa

    for number, good in ((2**bits - 1, True), (2**bits, False)):
        column = pa.array(np.array([number], dtype=kind))
        table = pa.table({"qid": ["q"], "docno": column, "score": [1.0]})
        rows = [("q", np.dtype(kind).type(number), 1.0)]
        for source in (table, rows):
            if good:
                assert read_run(source).to_frame("pyarrow")["doc"].to_pylist() == [str(number)]
            else:
                with pytest.raises(InputError, match="a float too large to be exact"):
                    read_run(source)


@pytest.mark.parametrize("id", ["d1 ", " d1", "d1\n", "\td1"])
def test_an_id_with_an_outer_blank_is_noted_on_every_way_in(tmp_path: Path, id: str) -> None:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet

    columns = {"qid": ["q", "q"], "docno": [id, "d2"], "score": [2.0, 1.0]}
    pa.parquet.write_table(pa.table(columns), tmp_path / "r.parquet")
    runs = [
        {"q": {id: 2.0, "d2": 1.0}},
        [("q", id, 2.0), ("q", "d2", 1.0)],
        pd.DataFrame(columns),
        pa.table(columns),
        tmp_path / "r.parquet",
    ]
    for run in runs:
        with pytest.warns(RankprismWarning, match=r"\[blank-in-id\]") as caught:
            scores = evaluate({"q": {"d1": 1, "d2": 0}}, run, "P@1")
        assert len(caught) == 1
        (note,) = scores.conventions["notes"]
        assert (note["count"], note["example"]) == (1, id)
        assert "does not match 'd1': strip the blanks" in note["message"]
    judgments = [
        {"q": {id: 1, "d2": 0}},
        [("q", id, 1), ("q", "d2", 0)],
        pd.DataFrame({"qid": ["q", "q"], "docno": [id, "d2"], "rel": [1, 0]}),
    ]
    for judged in judgments:
        assert kinds(partial(read_judgments, judged)) == ["blank-in-id"]
    assert kinds(lambda: read_judgments({"q": {"a": {id: 1}}}, aspects=["a"])) == ["blank-in-id"]
    assert kinds(lambda: read_preferences([("q", "", id, "d2", "left")])) == ["blank-in-id"]
    with pytest.warns(RankprismWarning, match=r"\[blank-in-id\]"):
        scores = evaluate([("q", "", id, "d2", "left")], {"q": {"d2": 1.0}}, "ppref")
    assert "blank-in-id" in [note["kind"] for note in scores.conventions["notes"]]


def test_a_blank_inside_an_id_is_part_of_its_name() -> None:
    assert kinds(lambda: evaluate({"q": {"a title": 1}}, {"q": {"a title": 1.0}}, "P@1")) == []


@pytest.mark.parametrize(
    ("columns", "both"),
    [
        (["topic", "qid", "docno", "score"], "'topic' and 'qid' can both be the topic"),
        (["qid", "doc", "docno", "score"], "'docno' and 'doc' can both be the document"),
        (["QID", "topic_id", "docno", "score"], "'topic_id' and 'QID' can both be the topic"),
        (["qid", "docno", "score", "similarity"], "'score' and 'similarity' can both be the score"),
        (["run", "system", "qid", "docno", "score"], "'run' and 'system' can both be the run"),
    ],
)
def test_a_table_with_two_columns_of_one_meaning_is_refused(columns: list[str], both: str) -> None:
    import pandas as pd
    import polars as pl

    row = dict.fromkeys(columns, 1)
    for run in (pd.DataFrame([row]), pl.DataFrame([row])):
        with pytest.raises(InputError, match=both):
            evaluate({"1": {"1": 1}}, run, "P@1")
    if "system" not in columns:
        with pytest.raises(InputError, match=both):
            read_run([row])


@pytest.mark.parametrize(
    "columns",
    [
        ["qid", "query", "docid", "docno", "rank", "score"],  # a result of PyTerrier
        ["query_id", "query", "doc_id", "document", "score"],  # ids beside texts
        ["query", "docid", "score", "rank", "system", "q0"],  # trectools
    ],
)
def test_tables_of_other_tools_with_texts_beside_ids_are_read(columns: list[str]) -> None:
    import pandas as pd

    values = {"query": "some words", "document": "a text", "docid": 17, "score": 1.0, "rank": 1}
    frame = pd.DataFrame([{name: values.get(name, "x") for name in columns}])
    run = read_run(frame)
    doc = "17" if "docno" not in columns and "docid" in columns else "x"
    topic = "some words" if "qid" not in columns and "query_id" not in columns else "x"
    assert (run.topics, run.to_frame("pandas")["doc"].tolist()) == ((topic,), [doc])


# JSON of others

RAGAS = {"user_input": "Who?", "retrieved_contexts": ["a b", "c"], "response": "x", "reference": "y"}
NUGGETS = {"qid": "q", "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}]}
PREFERENCE = {"topic": "q", "left": "d1", "right": "d2", "outcome": "left"}
FOREIGN: Mapping[str, tuple[str, str]] = {
    "ragas": (json.dumps(RAGAS) + "\n", "looks like rows of ragas"),
    "old ragas": ('{"question": "?", "contexts": [], "answer": ""}\n', "looks like rows of ragas"),
    "rubrics": ('{"qid": "q", "rubrics": ["names the year"]}\n', "looks like rubrics of TREC RAG"),
    "an array": (json.dumps([RAGAS]), "is a JSON array with the names 'user_input'"),
    "an empty array": ("[]\n", "is a JSON array"),
    "a pretty object": (
        json.dumps(RAGAS, indent=2),
        "is JSON over several lines with the names 'user_input'",
    ),
    "a dictionary of ranx": ('{"q": {"d1": 1.5, "d2": 1}}', "is a JSON object of objects"),
    "our own result": ('{\n "rankprism": "1",\n "about": {},\n "rows": []\n}\n', "a result of rankprism"),
    "a long line": ('{"user_input": "' + 70000 * "x" + '"}\n', "is JSON with the names 'user_input'"),
    "others": ('{"a": 1, "b": {}}\n', "is JSON with the names 'a', 'b'"),
}
PLACES: Mapping[str, Callable[[Path], Any]] = {
    "judgments": read_judgments,
    "a run": read_run,
    "preferences": read_preferences,
    "scores": read_scores,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", FOREIGN)
def test_json_of_others_is_named_in_every_place(tmp_path: Path, place: str, name: str) -> None:
    text, words = FOREIGN[name]
    (tmp_path / "x.json").write_text(text)
    if name == "a dictionary of ranx" and place in ("judgments", "a run"):
        assert len(PLACES[place](tmp_path / "x.json").topics) == 1
        return
    with pytest.raises(InputError) as caught:
        PLACES[place](tmp_path / "x.json")
    message = str(caught.value)
    if (name, place) == ("our own result", "scores"):
        assert (
            "is JSON of rankprism without scores of topics; write them with evaluate --per-topic" in message
        )
        return
    assert words in message
    assert f"It cannot be read as {place}: " in message
    assert "\n" not in message
    if name == "our own result":
        assert "write the result as CSV or Parquet" in message


def test_preferences_may_be_an_array(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps([PREFERENCE]))
    assert len(read_preferences(tmp_path / "x.json")) == 1


@pytest.mark.parametrize(("place", "row"), [("judgments", NUGGETS), ("a run", NUGGETS)])
def test_json_of_ours_in_another_shape_gets_the_command_that_mends_it(
    tmp_path: Path, place: str, row: Any
) -> None:
    (tmp_path / "x.json").write_text(json.dumps([row]))
    with pytest.raises(InputError, match=r"on a line of its own, e\.g\. with jq -c '\.\[\]'$"):
        PLACES[place](tmp_path / "x.json")
    (tmp_path / "x.json").write_text(json.dumps(row, indent=1))
    with pytest.raises(
        InputError, match=r"over several lines .* on a line of its own, e\.g\. with jq -c \.$"
    ):
        PLACES[place](tmp_path / "x.json")


def test_what_the_command_line_says_of_json(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q 0 d1 1\n")
    (tmp_path / "r.run").write_text("q Q0 d1 1 1 r\n")
    (tmp_path / "x.jsonl").write_text(json.dumps(RAGAS) + "\n")
    commands = [
        (["evaluate", tmp_path / "x.jsonl", tmp_path / "r.run", "-m", "P@1"], "judgments"),
        (["evaluate", tmp_path / "q.txt", tmp_path / "x.jsonl", "-m", "P@1"], "a run"),
        (["evaluate", tmp_path / "q.txt", tmp_path / "x.jsonl", "-m", "NuggetAll"], "a run"),
        (["compare", tmp_path / "x.jsonl"], "scores"),
        (["preferences", "describe", tmp_path / "x.jsonl"], "preferences"),
        (["preferences", "describe", tmp_path / "x.jsonl", "--from", "jsonl"], "preferences"),
    ]
    for words, place in commands:
        result = cli(*words)
        assert (result.returncode, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert "x.jsonl" in line
        assert "looks like rows of ragas" in line
        assert f"It cannot be read as {place}: " in line
    result = cli("evaluate", tmp_path / "q.txt", "-", "-m", "P@1", input=json.dumps(RAGAS) + "\n")
    assert "standard input, line 1: is JSON with the names" in result.stderr


@pytest.mark.parametrize("topic", ["[q1]", "{q1}", "[1]", "{"])
def test_topics_in_brackets_are_not_json(tmp_path: Path, topic: str) -> None:
    (tmp_path / "q.txt").write_text(f"{topic} 0 d1 1\n")
    (tmp_path / "r.run").write_text(f"{topic} Q0 d1 1 1 r\n")
    assert evaluate(tmp_path / "q.txt", tmp_path / "r.run", "P@1").values.item() == 1
