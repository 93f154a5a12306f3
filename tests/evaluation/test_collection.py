"""A collection is judgments and runs as one value, and gives what they give."""

from __future__ import annotations

import gzip
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankprism
from rankprism import Collection, InputError, Scores, evaluate, explain, meta, read_judgments

Cli = Callable[..., subprocess.CompletedProcess[str]]

# The data are too small to be about anything else.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

QRELS = {"q1": {"a": {"d1": 2, "d3": 1}, "b": {"d2": 1}}, "q2": {"a": {"d1": 1}}}
RUNS = {"x": {"q1": ["d1", "d2", "d9"], "q2": ["d1"]}, "y": {"q1": ["d9", "d3"], "q2": ["d8", "d1"]}}
PREFERENCES = [("q1", "", "d1", "d2", "left"), ("q1", "", "d2", "d3", "left"), ("q2", "", "d1", "d8", "left")]
MEASURES = ["alpha_nDCG@2", "nDCG@3"]
LINES = "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq2 Q0 d1 1 1 t\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("q1 a d1 2\nq1 b d2 1\nq2 a d1 1\n")
    (tmp_path / "p.tsv").write_text("topic\tgiven\tleft\tright\toutcome\nq1\t\td1\td2\tleft\n")
    (tmp_path / "x.run").write_text(LINES)
    (tmp_path / "y.run").write_text(LINES.replace("d1", "d3"))
    return tmp_path


def same(one: Scores, other: Scores) -> bool:
    names = (one.runs, one.topics, one.measures) == (other.runs, other.topics, other.measures)
    return names and one.values.tobytes() == other.values.tobytes() and one.conventions == other.conventions


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "score-ascending-id", "run_depth": 1},
        {"weights": {"q1": {"a": 0.9, "b": 0.1}, "q2": {"a": 1}}, "topics": "retrieved"},
        {"aspects": "all", "threads": 1},
        {"preferences": PREFERENCES},
    ],
)
def test_a_collection_gives_the_scores_of_what_it_is_made_of(options: dict[str, Any]) -> None:
    measures = [*MEASURES, "nPrf@2"] if "preferences" in options else MEASURES
    collection = Collection.of(QRELS, RUNS, **options)
    expected = evaluate(QRELS, RUNS, measures, **options)
    assert same(evaluate(collection, measures=measures), expected)
    assert same(collection.evaluate(measures), expected)  # again


def test_preferences_alone_are_a_collection() -> None:
    collection = Collection.of(PREFERENCES, RUNS)
    assert repr(collection) == "<Collection: preferences, 2 runs>"
    assert same(collection.evaluate("nPrf@2"), evaluate(PREFERENCES, RUNS, "nPrf@2"))
    with pytest.raises(InputError, match="absolute judgments are needed here"):
        _ = collection.judgments
    with pytest.raises(InputError, match="preferences are needed here"):
        _ = Collection.of(QRELS, RUNS).preferences


def test_judgments_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import rankprism.formats as reading

    read: list[Any] = []
    before = reading.read_judgments

    def counted(*one: Any, **more: Any) -> Any:
        read.append(one)
        return before(*one, **more)

    monkeypatch.setattr(reading, "read_judgments", counted)
    collection = Collection.of(QRELS, RUNS)
    assert not read
    collection.evaluate("P@1")
    collection.cut(1).evaluate("P@1")
    explain(collection, measures="P@1", topic="q1")
    assert len(read) == 1


def test_a_cut_collection_has_shorter_rankings() -> None:
    collection = Collection.of(QRELS, RUNS, run_depth=2)
    cut = collection.cut(1)
    assert same(cut.evaluate(MEASURES), evaluate(QRELS, RUNS, MEASURES, run_depth=1))
    assert same(collection.cut(5).evaluate(MEASURES), evaluate(QRELS, RUNS, MEASURES, run_depth=2))
    assert max(run.length.max() for run in cut.aligned().values()) == 1


def test_the_runs_of_a_collection_may_be_scored_on_other_judgments() -> None:
    other = read_judgments({"q1": {"a": {"d9": 1}}})
    collection = Collection.of(QRELS, RUNS, weights={"a": 0.5, "b": 0.5}).judged_by(other)
    assert same(collection.evaluate("P@1"), evaluate(other, RUNS, "P@1"))


def test_some_runs_and_topics_of_a_collection_are_kept() -> None:
    weights = {"q1": {"a": 0.9, "b": 0.1}, "q2": {"a": 1}}
    collection = Collection.of(QRELS, RUNS, preferences=PREFERENCES, weights=weights)
    measures = ["P_IA@2", "nPrf@2"]
    every = collection.evaluate(measures)
    kept = collection.keep(runs=["y", "x"], topics=["q1"]).evaluate(measures)
    assert (kept.runs, kept.topics) == (("y", "x"), ("q1",))
    assert kept.values.tobytes() == every.values[::-1, every.topics.index("q1"), None].tobytes()
    with pytest.raises(InputError, match="no run is named 'z'; there are x, y"):
        collection.keep(runs=["z"])
    with pytest.raises(InputError, match="has none of the topics q9"):
        collection.keep(topics=["q9"])


def test_the_lists_of_a_collection_are_in_the_order_of_evaluation() -> None:
    runs = {"x": {"q1": {"d1": 1.0, "d2": 3.0, "d3": 1.0}}}
    lists = {
        order: dict(Collection.of(None, runs, order=order).lists())["x"]["q1"]
        for order in ("score", "score-ascending-id", "input")
    }
    assert lists == {
        "score": ["d2", "d3", "d1"],
        "score-ascending-id": ["d2", "d1", "d3"],
        "input": ["d1", "d2", "d3"],
    }
    assert dict(Collection.of(None, runs, run_depth=2).lists(5))["x"]["q1"] == ["d2", "d3"]
    with pytest.raises(InputError, match="has no ranks to order by"):
        dict(Collection.of(None, runs, order="rank").lists())


def test_runs_that_are_joined_once_give_the_same_scores() -> None:
    collection = Collection.of(QRELS, RUNS, run_depth=2)
    once = collection.with_runs(collection.aligned())
    assert same(once.evaluate(MEASURES), collection.evaluate(MEASURES))


@pytest.mark.parametrize(
    "more",
    [{"runs": RUNS}, {"weights": {"a": 1}}, {"order": "rank"}, {"topics": "retrieved"}, {"threads": 1}],
)
def test_a_collection_has_its_runs_and_options_inside(more: dict[str, Any]) -> None:
    collection = Collection.of(QRELS, RUNS)
    (name,) = more
    with pytest.raises(TypeError, match=f"{name} is part of a Collection"):
        evaluate(collection, measures="P@1", **more)
    with pytest.raises(TypeError, match=f"{name} is part of a Collection"):
        explain(collection, measures="P@1", topic="q1", **more)


def test_runs_and_known_options_are_needed() -> None:
    with pytest.raises(TypeError, match="runs are missing"):
        evaluate(QRELS, measures="P@1")
    with pytest.raises(TypeError, match="unexpected keyword argument 'orders'"):
        Collection.of(QRELS, RUNS, orders="rank")  # type: ignore[call-arg]


@pytest.mark.parametrize("analyse", [rankprism.compare, meta.power, meta.agreement, rankprism.leaderboard])
def test_analyses_of_scores_take_a_collection(analyse: Callable[..., Any]) -> None:
    measures = ["P@1", "nDCG@3"]
    collection = Collection.of(QRELS, RUNS, run_depth=2)
    expected = analyse(evaluate(QRELS, RUNS, measures, run_depth=2))
    assert analyse(collection, measures=measures).to_json() == expected.to_json()
    with pytest.raises(TypeError, match="runs is part of a Collection"):
        analyse(collection, RUNS, measures=measures)
    with pytest.raises(InputError, match="name the measures"):
        analyse(collection)


# ── opened when made ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("files", "options", "says"),
    [
        (["no.txt", "x.run"], {}, "no.txt: there is no such file"),
        (["q.txt", "x.run", "no.run"], {}, "no.run: there is no such file"),
        (["q.txt", "x.run", "no.run.gz"], {}, "no.run.gz: there is no such file"),
        ([".", "x.run"], {}, "is a directory"),
        (["x.run", "y.run"], {}, "looks like a run (trec"),
        (["x.run", "y.run"], {"preferences": "p.tsv"}, "leave out --preferences"),
        (["p.tsv", "y.run"], {"preferences": "p.tsv"}, "leave out --preferences"),
        (["q.txt", "x.run", "x.run"], {}, "two runs are named 'x'"),
        (["q.txt", "x.run"], {"preferences": "no.tsv"}, "no.tsv: there is no such file"),
        (["q.txt", "-", "-"], {}, "standard input (-) can be read only once"),
    ],
)
def test_the_same_is_refused_in_python_and_at_the_command_line(
    cli: Cli, files: list[str], options: dict[str, str], says: str
) -> None:
    with pytest.raises(InputError) as caught:
        Collection.of(files[0], files[1:], **options)  # type: ignore[arg-type]
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    done = cli("evaluate", *files, "-m", "P@1", *words)
    assert says in str(caught.value)
    assert done.stderr == f"rankprism: {caught.value}\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"weights": {"a": 1}}, "weights is for absolute judgments, but only preferences are given"),
        ({"aspects": ["a"]}, "aspects is for absolute judgments, but only preferences are given"),
        ({"topics": "all"}, "topics"),
        ({"run_format": "none"}, "unknown run format 'none'"),
        ({"qrels_format": "none"}, "unknown judgment format 'none'"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_read(
    options: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        Collection.of("p.tsv", ["x.run"], **options)


def test_preferences_are_given_once_and_their_format_only_with_them() -> None:
    from rankprism import read_preferences

    with pytest.raises(InputError, match="preferences are given twice"):
        Collection.of(read_preferences(PREFERENCES), RUNS, preferences=PREFERENCES)
    with pytest.raises(InputError, match="needs preferences"):
        Collection.of(read_judgments(QRELS), RUNS, preferences_format="tsv")


@pytest.mark.usefixtures("folder")
def test_runs_that_are_left_out_are_told_when_a_collection_is_made() -> None:
    told: list[str] = []
    collection = Collection.of(
        "q.txt", ["x.run", "no.run"], on_error=lambda name, error: told.append(f"{name}: {error}")
    )
    assert (collection.runs, told) == (("x",), ["no: no.run: there is no such file; check the path"])


# ── what can be read only once ───────────────────────────────────────────────────────────────────


def piped(folder: Path) -> tuple[str, Callable[[], None]]:
    path = str(folder / "pipe.run")
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: Path(path).write_text(LINES), daemon=True)
    writer.start()
    return path, writer.join


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["pipe", "iterator"])
def test_what_can_be_read_only_once_is_read_once(folder: Path, kind: str) -> None:
    done: Callable[[], None] = lambda: None  # noqa: E731
    run: Any = iter([("q1", "d1", 3.0), ("q1", "d2", 2.0), ("q2", "d1", 1.0)])
    if kind == "pipe":
        run, done = piped(folder)
    collection = Collection.of("q.txt", {"x": run})
    found = [collection.evaluate("P@1").values.tolist() for _ in range(3)]
    done()
    assert found == [evaluate("q.txt", {"x": "x.run"}, "P@1").values.tolist()] * 3
    assert explain(collection, measures="P@1", topic="q1").rankings[0].docs == ("d1", "d2")


@pytest.mark.usefixtures("folder")
def test_an_iterator_that_is_named_twice_is_refused() -> None:
    rows = iter([("q1", "d1", 1.0)])
    with pytest.raises(InputError, match="can be read only once"):
        Collection.of("q.txt", {"x": rows, "y": rows})


def test_packed_runs_are_not_unpacked_when_a_collection_is_made(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rankprism.formats.files as files

    unpacked: list[str] = []
    before = files._pieces

    def counted(name: str) -> files.Pieces:
        unpacked.append(name)
        return before(name)

    monkeypatch.setattr(files, "_pieces", counted)
    for name in ("x", "y"):
        (folder / f"{name}.run.gz").write_bytes(gzip.compress((folder / f"{name}.run").read_bytes()))
    collection = Collection.of("q.txt", ["x.run.gz", "y.run.gz"], threads=1)
    assert not unpacked
    assert same(collection.evaluate("P@1"), evaluate("q.txt", ["x.run", "y.run"], "P@1", threads=1))
    assert set(unpacked) == {"x.run.gz", "y.run.gz"}
