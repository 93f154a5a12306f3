"""Users of other tools keep the names of their columns, their ranked lists, their folders and their files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankprism import InputError, evaluate, read_judgments, read_run
from rankprism.formats.documents import read_documents
from rankprism.formats.topics import read_topics

GRADES = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 1}}
RUN = {"q1": {"d3": 1.5, "d1": 2.5}, "q2": {"d2": 2.0, "d1": 1.0, "d3": 0.5}}
LISTS = {topic: sorted(found, key=lambda doc: -found[doc]) for topic, found in RUN.items()}
WANTED = evaluate(GRADES, RUN, ["nDCG", "AP"]).values
TREC = "".join(
    f"{topic} Q0 {doc} {rank} {RUN[topic][doc]} t\n"
    for topic, docs in LISTS.items()
    for rank, doc in enumerate(docs, 1)
)
Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def frame(found: dict[str, Any], *names: str) -> pd.DataFrame:
    rows = [(topic, doc, number) for topic, docs in found.items() for doc, number in docs.items()]
    return pd.DataFrame(rows, columns=list(names))


def same(judgments: Any, runs: Any) -> bool:
    return bool((evaluate(judgments, runs, ["nDCG", "AP"]).values == WANTED).all())


NAMES = [
    ("user", "item", "rating", "score"),
    ("userID", "itemID", "rating", "prediction"),
    ("user_id", "item_id", "relevance", "score"),
    ("query_id", "doc_id", "relevance", "score"),
    ("qid", "docno", "label", "score"),
    ("query-id", "corpus-id", "score", "score"),
    ("_id", "doc_id", "rel", "score"),
    ("query_id", "_id", "rel", "score"),
]


@pytest.mark.parametrize(("topic", "doc", "grade", "score"), NAMES, ids="-".join)
def test_the_usual_names_of_columns_are_read_in_frames_and_files(
    topic: str, doc: str, grade: str, score: str
) -> None:
    judged, ranked = frame(GRADES, topic, doc, grade), frame(RUN, topic, doc, score)
    assert same(judged, ranked)
    judged.to_parquet("j.parquet")
    ranked.to_parquet("r.parquet")
    assert same("j.parquet", "r.parquet")
    for separator in ",;\t":
        judged.to_csv("j.txt", sep=separator, index=False)
        ranked.to_csv("r.txt", sep=separator, index=False)
        assert same("j.txt", "r.txt"), separator


def test_a_column_beside_the_usual_one_means_something_else() -> None:
    """The user who asked, the key of a database, a rating beside a score: none of them is in the way."""
    judged, ranked = frame(GRADES, "qid", "docno", "rel"), frame(RUN, "qid", "docno", "score")
    for names in (["user_id"], ["item"], ["_id"], ["user", "item", "_id", "prediction"]):
        assert same(judged.assign(**dict.fromkeys(names, 7)), ranked.assign(**dict.fromkeys(names, 7)))
    assert same(frame(GRADES, "query-id", "corpus-id", "rel").assign(score=9), ranked)
    with pytest.raises(
        InputError,
        match=r"no grade column among qid \(topic\), docno \(document\), score; name it with --columns "
        r"grade=score, or call it one of grade, .*gain",
    ):
        read_judgments(ranked)
    with pytest.raises(InputError, match="the columns 'user' and 'user_id' can both be the topic"):
        read_run(frame(RUN, "user", "item", "score").assign(user_id=1))
    with pytest.raises(InputError, match="no document column among _id"):
        read_run(pd.DataFrame({"_id": ["a"], "score": [1.0]}))


def test_a_table_of_text_may_hold_aspects_and_several_runs(cli: Cli) -> None:
    Path("q.csv").write_text("topic,subtopic,doc,grade\n1,car,a,1\n1,cat,b,2\n")
    assert read_judgments("q.csv").aspects == {"1": ("car", "cat")}
    Path("r.csv").write_text('system,qid,docno,score,rank\nx,1,a,2,1\n"y, z",1,b,1,1\nx,1,b,1,2\n')
    scores = evaluate("q.csv", "r.csv", "StRecall@2")
    assert scores.mean() == {"x": {"StRecall@2": 1.0}, "y, z": {"StRecall@2": 0.5}}
    done = cli("evaluate", "q.csv", "r.csv", "-m", "StRecall@2", "--baseline", "x", "--format", "csv")
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, "x,all,StRecall@2,1.0")
    with pytest.raises(InputError, match=r"r\.csv: holds 2 runs \(x, y, z\), but only one can be read here"):
        read_run("r.csv")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("user,item,rating\n1,a\n", "line 2: has 2 columns, but the header has 3"),
        ("user,item,rating\n1,a,x\n", "line 2: the grade 'x' is not a number"),
        ("user,item,rating\n1,,3\n", "line 2: the document is empty"),
        ("user,item,rating\n\n1,a,3\n1,a,4\n", "line 4: document 'a' of topic '1'"),
        ("user,item,rating\n", "no judgments in this file"),
        ("user,item,rating,rating\n1,a,3,3\n", "2 columns are called 'rating'"),
        ('user,item,rating\n1,"a,3\n', "after line 1, a quote is not closed"),
    ],
)
def test_tables_that_are_wrong_are_refused(text: str, says: str) -> None:
    Path("q.csv").write_text(text)
    with pytest.raises(InputError, match=r"q\.csv") as refused:
        read_judgments("q.csv")
    assert says in str(refused.value)


def test_a_table_without_rows_is_not_a_run() -> None:
    Path("r.csv").write_text("user,item,score\n")
    with pytest.raises(InputError, match=r"r\.csv: there is no row below the header"):
        read_run("r.csv")


# ── ranked lists ─────────────────────────────────────────────────────────────────────────────────


def test_a_ranked_list_is_a_ranking(cli: Cli) -> None:
    arrays = {topic: np.array(docs) for topic, docs in LISTS.items()}
    tuples = {topic: tuple(docs) for topic, docs in LISTS.items()}
    for lists in (LISTS, arrays, tuples):
        assert same(GRADES, lists)
        assert same(GRADES, [lists])
    assert evaluate(GRADES, {"a": LISTS, "b": RUN}, "AP").runs == ("a", "b")
    for order in ("score", "trec_eval-9", "score-ascending-id", "rank", "input"):
        assert (evaluate(GRADES, LISTS, ["nDCG", "AP"], order=order).values == WANTED).all()
    Path("lists.json").write_text(json.dumps(LISTS, indent=1))
    Path("q.json").write_text(json.dumps(GRADES))
    assert same("q.json", "lists.json")
    done = cli("evaluate", "q.json", "lists.json", "-m", "AP", "--format", "csv")
    assert (done.stderr, float(done.stdout.split(",")[-1])) == ("", WANTED.mean(1)[0, 1])


def test_lists_of_numbers_and_empty_lists_are_rankings() -> None:
    assert evaluate({"1": {"7": 1}}, {1: [8, 7]}, "RR").mean() == {"run": {"RR": 0.5}}
    assert read_run({"1": [8, 7], "2": []}).topics == ("1", "2")


def test_rows_are_not_taken_for_ranked_lists() -> None:
    rows = [("q1", "d1", 2.5), ("q2", "d3", 1.5)]
    assert evaluate(GRADES, {"a": rows}, "AP").runs == ("a",)


@pytest.mark.parametrize(
    ("lists", "says"),
    [
        ({"q1": ["d1", "d1"]}, "document 'd1'.*twice"),
        ({"q1": ["d1", ""]}, "'' is not a valid document id"),
        ({"q1": ["d1"], "q2": {"d1": 1.0}}, "some rows have a rank and some have none"),
        ({"q1": ["d1", ["d2"]]}, "holds"),
    ],
)
def test_ranked_lists_that_are_wrong_are_refused(lists: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        evaluate(GRADES, [lists], "AP")


# ── folders ──────────────────────────────────────────────────────────────────────────────────────


def folder(name: str = "runs", **contents: str) -> Path:
    place = Path(name)
    place.mkdir()
    for file, text in contents.items():
        (place / file.replace("_", ".")).write_text(text)
    return place


@pytest.mark.filterwarnings("ignore:scores by nDCG, AP grow with the depth:rankprism.RankprismWarning")
def test_a_folder_is_its_runs(cli: Cli) -> None:
    runs = folder(a_run=TREC, b_json=json.dumps(RUN), c_json=json.dumps(LISTS), _hidden="what?")
    several: list[Any] = [runs, "runs", "runs/", [runs], [runs, {"q1": ["d1"], "q2": []}]]
    for given in several:
        found = evaluate(GRADES, given, ["nDCG", "AP"])
        assert found.runs[:3] == ("a", "b", "c")
        assert (found.values[:3] == WANTED).all()
    Path("q.json").write_text(json.dumps(GRADES))
    both = cli("evaluate", "q.json", "runs", "-m", "AP", "--baseline", "b")
    each = cli(
        "evaluate", "q.json", "runs/a.run", "runs/b.json", "runs/c.json", "-m", "AP", "--baseline", "b"
    )
    assert (both.returncode, both.stdout, both.stderr) == (0, each.stdout, each.stderr)


def test_every_command_with_runs_takes_a_folder(cli: Cli) -> None:
    runs = folder(a_run=TREC, b_run=TREC.replace(" d1 ", " d7 ") + "q1 Q0 d2 9 .01 t\n")
    Path("q.txt").write_text("q1 0 d1 1\nq1 0 d2 2\nq2 0 d1 1\n")
    for words in (
        ["compare", "q.txt", runs, "-m", "AP", "--test", "t"],
        ["explain", "q.txt", runs, "-m", "AP", "--topic", "q1"],
        ["meta", "correlation", "q.txt", runs, "-m", "AP", "-m", "nDCG", "--intervals", "0"],
        ["preferences", "select", runs, "--budget", "1", "-m", "nPrf@2"],
    ):
        done = cli(*words)
        assert done.returncode == 0, done.stderr


def test_folders_that_hold_something_else_are_refused(cli: Cli) -> None:
    folder("empty", _hidden="x")
    folder("mixed", a_run=TREC, README_md="# Runs\n\nWe ran two systems.\n")
    folder("nested", a_run=TREC)
    Path("nested/old").mkdir()
    for name, says in {
        "empty": "empty: is an empty folder; put runs into it, or name their files",
        "mixed": "mixed/README.md: does not look like a run, so mixed is not a folder of runs; move it "
        "elsewhere, or name the runs, e.g. mixed/*.run",
        "nested": "nested/old: is a folder, so nested is not a folder of runs",
    }.items():
        with pytest.raises(InputError) as refused:
            evaluate(GRADES, name, "AP")
        assert says in str(refused.value).replace("\\", "/")
    Path("q.json").write_text(json.dumps(GRADES))
    done = cli("evaluate", "q.json", "empty", "-m", "AP")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    with pytest.raises(InputError, match="is a directory"):
        read_judgments("mixed")


# ── BEIR and MTEB ────────────────────────────────────────────────────────────────────────────────


def predictions(model: str | None, **splits: Any) -> str:
    meta = {"mteb_model_meta": {"model_name": model, "revision": None}}
    return json.dumps((meta if model else {}) | {"default": splits})


def test_predictions_of_mteb_are_runs_named_after_the_model(cli: Cli) -> None:
    for model in ("one", "two"):
        folder(model, SciFact_predictions_json=predictions(f"us/{model}", test=RUN))
    files = ["one/SciFact.predictions.json", "two/SciFact.predictions.json"]
    found = evaluate(GRADES, files, ["nDCG", "AP"])
    assert found.runs == ("us/one", "us/two")
    assert (found.values == WANTED).all()
    Path("bare.json").write_text(predictions(None, test=RUN))
    assert evaluate(GRADES, "bare.json", "AP").runs == ("bare",)
    assert len(read_run("bare.json")) == 5
    frame(GRADES, "query-id", "corpus-id", "score").to_parquet("qrels.parquet")
    done = cli("evaluate", "qrels.parquet", *files, "-m", "AP", "--format", "csv")
    assert done.stdout.startswith("run,topic,measure,score\nus/one,all,AP,")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (predictions("m", dev=RUN, test=RUN), r"holds predictions of 2 subsets and splits \(default dev, "),
        (predictions("m", dev=RUN, test=RUN), r"e\.g\. jq '\.\[\"default\"\]\[\"dev\"\]'"),
        (predictions("m"), "holds predictions of 0 subsets and splits; expected one"),
        (predictions("m", test=[1, 2]), "holds predictions that are not rankings"),
        (predictions("m", test={"q1": {"d1": "x"}}), "the score 'x' is not a finite number"),
    ],
)
def test_other_predictions_are_refused(text: str, says: str) -> None:
    Path("p.json").write_text(text)
    with pytest.raises(InputError, match=says):
        evaluate(GRADES, "p.json", "AP")


def test_predictions_are_not_judgments() -> None:
    Path("p.json").write_text(predictions("m", test=RUN))
    with pytest.raises(InputError, match=r"looks like a run \(mteb: .*name the judgments first"):
        read_judgments("p.json")


def test_the_queries_and_documents_of_beir_are_read() -> None:
    Path("corpus.jsonl").write_text('{"_id": "d1", "title": "A", "text": "b", "metadata": {}}\n')
    Path("queries.jsonl").write_text('{"_id": "1", "text": "who?", "metadata": {}}\n')
    assert read_documents("corpus.jsonl")["d1"].text == "b"
    assert read_topics("queries.jsonl")["1"].title == "who?"
