"""What a file is: one function opens it once, asks the records, and settles or refuses."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rankprism import InputError, evaluate, read_judgments, read_preferences, read_run, read_scores, sample
from rankprism.formats.conversion import convert
from rankprism.formats.files import Beginning
from rankprism.formats.recognition import KINDS, claims_on, formats_of
from rankprism.formats.source import source_of

sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))
import tables

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d2 1 2.5 t\nq1 Q0 d1 2 1.5 t\nq2 Q0 d3 1 7 t\n"
BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td3\t2\n"
JSON = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
JSON_RUN = {"q1": {"d2": 2.5, "d1": 1.5}, "q2": {"d3": 7}}
Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"q.txt": QRELS, "q.tsv": BEIR, "q.json": json.dumps(JSON, indent=2), "a.run": RUN}
    for name, text in (texts | {"b.run": RUN, "a.json": json.dumps(JSON_RUN)}).items():
        Path(name).write_text(text)
    return tmp_path


# ── files are opened once ────────────────────────────────────────────────────────────────────────

COUNTING = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from rankprism.cli.app import app
try:
    app({arguments!r}, prog_name="rankprism", standalone_mode=False)
except SystemExit:
    pass
print("opened:", sorted(name for name in opened if name in {given!r}))
print("loaded:", sorted(name for name in sys.modules if name.startswith("rankprism.formats.known")))
"""


def counted(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The given files that a command opens, and the modules of formats that it loads."""
    given = [word for word in arguments if os.path.isfile(word)]
    code = COUNTING.format(arguments=arguments, given=given)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    *_, opened, loaded = done.stdout.splitlines()
    return eval(opened.removeprefix("opened: ")), eval(loaded.removeprefix("loaded: "))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "q.txt", "a.run", "b.run", "-m", "nDCG"],
        ["evaluate", "q.tsv", "a.json", "b.run", "-m", "nDCG"],
        ["evaluate", "q.json", "a.json", "b.run", "-m", "nDCG", "--baseline", "a"],
        ["compare", "q.txt", "a.run", "b.run", "-m", "nDCG", "--test", "t"],
        ["convert", "q.tsv", "-"],
        ["convert", "a.json", "-", "--run"],
    ],
)
def test_a_small_file_is_opened_once_to_be_recognised_and_read(arguments: list[str]) -> None:
    opened, _ = counted(arguments)
    assert opened == sorted(word for word in arguments if os.path.isfile(word))


def test_a_large_file_is_opened_once_to_be_recognised(folder: Path) -> None:
    """The core, whose opening is not counted here, opens it once more and reads it in blocks.

    A packed one is opened again to be unpacked, so that no file is kept open before its turn.
    """
    many = "".join(f"q1 0 d{i} {i % 3}\n" for i in range(5000))
    (folder / "large.txt").write_text(many)
    (folder / "large.run").write_text("".join(f"q1 Q0 d{i} {i} {-i} t\n" for i in range(5000)))
    arguments = ["evaluate", "large.txt", "large.run", "a.run", "-m", "nDCG"]
    assert counted(arguments)[0] == ["a.run", "large.run", "large.txt"]
    with gzip.open(folder / "large.txt.gz", "wt") as file:
        file.write(many)
    arguments = ["compare", "large.txt.gz", "large.run", "a.run", "-m", "nDCG", "--test", "t"]
    assert counted(arguments)[0] == ["a.run", "large.run", "large.txt.gz", "large.txt.gz"]


def test_files_of_trec_and_the_sample_are_read_without_other_formats(folder: Path) -> None:
    for arguments in (["q.txt", "a.run"], [str(sample.QRELS), str(sample.RUNS[0])]):
        assert counted(["evaluate", *arguments, "-m", "nDCG"])[1] == []


def test_a_pipe_is_not_opened_before_it_is_its_turn(folder: Path) -> None:
    """Whoever writes the judgments first would wait for ever if the run were opened before them."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    os.mkfifo("q")
    os.mkfifo("r")

    def write() -> None:
        Path("q").write_text(QRELS)
        Path("r").write_text(RUN)

    thread = threading.Thread(target=write)
    thread.start()
    assert evaluate("q", "r", "RR").mean() == {"r": {"RR": 0.75}}
    thread.join()


@pytest.mark.usefixtures("folder")
def test_what_comes_from_standard_input_is_recognised(cli: Cli) -> None:
    wanted = cli("evaluate", "q.txt", "a.run", "-m", "nDCG").stdout
    for text in (QRELS, BEIR, json.dumps(JSON)):
        assert cli("evaluate", "-", "a.run", "-m", "nDCG", input=text).stdout == wanted
    preferences = "topic\tleft\tright\toutcome\nq1\td1\td2\tleft\n"
    assert cli("evaluate", "-", "a.run", "-m", "Prf@2", input=preferences).returncode == 0


# ── two formats, each one record ─────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("name", "format"), [("q.tsv", "beir"), ("q.json", "json")])
def test_judgments_of_other_tools_are_read_everywhere(name: str, format: str, cli: Cli) -> None:
    read = read_judgments(name)
    assert (read.format, source_of(name).kind) == (format, "judgments")
    assert read.to_frame("pandas").equals(read_judgments("q.txt").to_frame("pandas"))
    for command in (["evaluate"], ["compare", "b.run", "--test", "t"]):
        first, *more = command
        wanted = cli(first, "q.txt", "a.run", *more, "-m", "nDCG").stdout
        assert wanted
        assert cli(first, name, "a.run", *more, "-m", "nDCG").stdout == wanted
        assert cli(first, name, "a.run", *more, "-m", "nDCG", "--qrels-format", format).stdout == wanted
    convert(name, "back.txt")
    assert sorted(Path("back.txt").read_text().splitlines()) == sorted(QRELS.splitlines())
    convert("q.txt", "there", to=format)
    assert read_judgments("there").to_frame("pandas").equals(read.to_frame("pandas"))
    assert f"{format}," in cli("convert", "--help").stdout


@pytest.mark.usefixtures("folder")
def test_a_dictionary_is_judgments_or_a_run_by_its_place(cli: Cli) -> None:
    assert (
        evaluate("q.json", "a.json", "nDCG").values.tolist()
        == evaluate("q.txt", "a.run", "nDCG").values.tolist()
    )
    assert len(read_run("q.json")) == 3
    assert len(read_judgments("a.json")) == 3
    convert("a.run", "c.json", run=True)
    assert json.loads(Path("c.json").read_text()) == JSON_RUN
    aspects = {"q1": {"car": {"d1": 1}, "cat": {"d1": 2, "d2": 0}}}
    Path("s.json").write_text(json.dumps(aspects))
    assert read_judgments("s.json").aspects == {"q1": ("car", "cat")}
    convert("s.json", "t.json")
    assert json.loads(Path("t.json").read_text()) == aspects
    assert cli("evaluate", "q.json", "a.run", "-m", "RR", "--run-format", "json").returncode == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"q": {"d": 1, "d": 2}}', "the name 'd' occurs twice in one object; remove one"),
        ('{"q": {"d": NaN}}', "does not look"),
        ('{"q": {"d": 1, "e": NaN}}', "row 2: the grade nan is not a finite number"),
        ('{"q": {"d": 1, "e": "2"}}', "row 2: the grade '2' is not a finite number"),
        ('{"q": {"d": 1}, "r": 2}', "topic 'r' holds 2; expected"),
        ('{"q": {"d": 1}', "cannot be read as JSON (Expecting"),
        ('{"q": {}}', "there are no judgments in it"),
        ('{"q": {"\\ud800": 1}}', "half of a surrogate pair"),
        ('{"q": {"d": ' + "[" * 100_000, "cannot be read as"),
        ('{"q": {"d": {' + '"a": {' * 100_000, "cannot be read as JSON (maximum recursion"),
        ('{"q": {"d": 1' + "0" * 5000 + "}}", "cannot be read as JSON"),
    ],
)
def test_dictionaries_that_are_wrong_are_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"q\.json") as refused:
        read_judgments(path)
    if says != "does not look":
        assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("query-id\tcorpus-id\tscore\nq1 d1 1\n", "line 2: expected 3 columns with tabs between them"),
        ("query-id\tcorpus-id\tscore\nq1\td1\tx\n", "line 2: the score 'x' is not a number"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t2\n", "line 3: document 'd1' of topic 'q1'"),
        ("query-id\tcorpus-id\tscore\n", "no judgments in this file"),
    ],
)
def test_beir_files_that_are_wrong_are_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_judgments(path)
    assert says in str(refused.value)


# ── what may be confused ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "kind", "formats"),
    [
        (QRELS, "judgments", ["diversity"]),
        (RUN, "run", ["trec"]),
        (BEIR, "judgments", ["beir"]),
        ("topic docno useful\n", "judgments", ["table"]),
        ("topic,docno,useful\n", "judgments", ["table"]),
        ("1 0 doc 2 1\n", "judgments", ["trec-dd", "aspects"]),
        ("1 0 doc 0.5 1\n", "judgments", ["aspects"]),
        ("1 Q0 d 1 2.5 7\n", "run", ["trec"]),  # a tag that is a number is not a third grade
        ("1\td\t1\t3\t0.5\n", "judgments", ["evall", "prels"]),
        ("1\td\t1\tcar\t0.5\n", "judgments", ["evall"]),
        ("1 d 1 car 0.5\n", "judgments", ["prels"]),
        ("q 0 0 doc 1\n", "preferences", ["prefs"]),
        ("1\t12\t1\tcar\t0.5\n", "judgments", ["evall"]),
        ("1 d1 L2\n", "judgments", ["ntcir"]),
        ("q d1 d2\n", "preferences", ["winner-loser"]),
        ("P_10 all 0.5\n", "scores", ["text"]),
        ("topic\tbm25\n1\t0.5\n", "scores", ["text"]),
        ("runid all bm25\n", "scores", ["text"]),
        ("user_id,item_id,rating\n", "judgments", ["table"]),
        ("user\titem\trating\ttimestamp\n", "judgments", ["table"]),
        ("qid,docno,rel\n", "judgments", ["table"]),
        ("topic;subtopic;doc;grade\n", "judgments", ["table"]),
        ("query-id,corpus-id,score\n", "judgments", ["table"]),
        ("topic,docno,relevance,credibility\n", "judgments", ["table"]),
        ("qid,docno,score\n", "run", ["table"]),
        ("user_id\titem_id\tprediction\n", "run", ["table"]),
        ('{"q1": ["d1", "d2"]}\n', "run", ["json"]),
        ('{"mteb_model_meta": {"model_name": "m"}, "default"', "run", ["mteb"]),
        ('{"default": {"test": {"q1": {"d1": 0.5}}}}', "run", ["mteb"]),
        ('{"question": ["a"], "answer": "b"}\n', None, []),
        ("1 d1 3\n", None, []),
        ('{"user_input": "a", "retrieved_contexts": []}\n', None, []),
    ],
)
def test_a_file_is_of_one_kind(text: str, kind: str | None, formats: list[str], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert source_of(path).kind == kind
    found = claims_on(Beginning(text.encode()))
    assert sorted(record.name for record in found.get(kind or "", [])) == sorted(formats)
    if kind is not None and len(formats) > 1:
        with pytest.raises(InputError, match=rf"file, line 1: .* may be .*{formats[-1]}.*--qrels-format"):
            source_of(path).format(kind)


def test_a_format_is_confused_with_formats() -> None:
    every = {name for kind in KINDS for name in formats_of(kind)}
    for kind in KINDS:
        for record in formats_of(kind).values():
            assert every.issuperset(record.confused_with), record.name


def test_a_run_in_the_place_of_judgments_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUN)
    with pytest.raises(InputError, match=r"looks like a run \(trec: .*name the judgments first"):
        read_judgments(tmp_path / "a.run")


# ── no format without a reference ────────────────────────────────────────────────────────────────


class Reference(NamedTuple):
    """The contents of a file, where they come from, and what is in it."""

    text: str
    source: str
    rows: list[tuple[Any, ...]]


ONE = [("q1", "0", "d1", 1.0)]
JUDGMENTS = {
    "diversity": Reference(
        "q1 2 d1 1\n", "TREC Web 2009–2014, qrels of the diversity task", [("q1", "2", "d1", 1)]
    ),
    "adhoc": Reference("q1 7 d1 1\n", "trec_eval 9.0.8, README: the second column is ignored", ONE),
    "trec-dd": Reference(
        "q1 s1 d1 1 3\nq1 s1 d1 2 0\n",
        "TREC Dynamic Domain 2017, the track's scorer",
        [("q1", "s1", "d1", 4)],
    ),
    "trec-dd-max": Reference("q1 s1 d1 1 3\nq1 s1 d1 2 0\n", "the same", [("q1", "s1", "d1", 3)]),
    "evall": Reference('"q1"\t"d1"\t"1"\t"s1"\t"0.5"\n', "rbu-eval, README", [("q1", "s1", "d1", 1)]),
    "ntcir": Reference("q1 1 d1 L2\n", "NTCIREVAL, README of the Dqrels format", [("q1", "1", "d1", 2)]),
    "nuggets": Reference(
        '{"qid": "q1", "docid": "d1", "nuggets": [{"text": "n", "assignment": "partial_support"}]}\n',
        "AutoNuggetizer, nuggetizer 0.0.5",
        [("q1", "n", "d1", 0.5)],
    ),
    "prels": Reference("q1 d1 1 0 0.5\n", "TREC Million Query 2007, overview", ONE),
    "aspects": Reference(
        "topic iter docno usefulness correctness\nq1 0 d1 1 2\n",
        "TREC Health Misinformation 2021",
        [("q1", "correctness", "d1", 2), ("q1", "usefulness", "d1", 1)],
    ),
    "toml": Reference(
        'judgments = "j.txt"\ncolumns = ["a", "b"]\n',
        "docs/multi-aspect.md",
        [("q1", "a", "d1", 1), ("q1", "b", "d1", 1)],
    ),
    "beir": Reference("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "BEIR, wiki: qrels as tsv", ONE),
    "json": Reference('{"q1": {"d1": 1}}', "pytrec_eval 0.5.11, README", ONE),
    "table": Reference(
        "userID,itemID,rating,timestamp\nq1,d1,1,881250949\n", "recommenders 1.2.1, DEFAULT_USER_COL", ONE
    ),
}
RANKED = [("q1", "d1", 2.0), ("q1", "d2", 1.0)]
RUNS = {
    "trec": Reference("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n", "trec_eval 9.0.8, README", RANKED),
    "evall": Reference("q1\td1\nq1\td2\n", "rbu-eval, README", RANKED),
    "json": Reference('{"q1": {"d1": 2, "d2": 1}}', "pytrec_eval 0.5.11, README", RANKED),
    "table": Reference("qid\tdocno\tscore\nq1\td1\t2\nq1\td2\t1\n", "PyTerrier 0.10, pt.io", RANKED),
    "mteb": Reference(
        '{"mteb_model_meta": {"model_name": "m", "revision": null}, "default": {"test": {"q1": {"d1": 2, '
        '"d2": 1}}}}',
        "mteb at a905523, _save_task_predictions",
        RANKED,
    ),
}
PREFERENCES = {
    "tsv": Reference("topic\tleft\tright\toutcome\nq1\td1\td2\tleft\n", "docs/preferences.md", []),
    "csv": Reference("topic,left,right,outcome\nq1,d1,d2,left\n", "docs/preferences.md", []),
    "jsonl": Reference(
        '{"topic": "q1", "left": "d1", "right": "d2", "outcome": "left"}\n', "docs/preferences.md", []
    ),
    "marks": Reference("@ q1 d1 d2 !\n", "the preferences of Carterette et al. (2008)", []),
    "winner": Reference("q1 d1 d2 d1\n", "TREC CAsT 2019 and TREC DL 2021, Clarke et al.", []),
    "winner-loser": Reference("q1 d1 d2\n", "TREC DL 2019, Arabzadeh et al.", []),
    "prefs": Reference("q1 u s d1 2\nq1 u s d2 1\n", "trec_eval 9.0.8, form_prefs_counts.c", []),
    "qrels-prefs": Reference("q1 u d1 2\nq1 u d2 1\n", "trec_eval 9.0.8, form_prefs_counts.c", []),
}
SCORES = {
    "text": Reference("runid,topic,AP\nr,q1,0.5\n", "ndeval.c of TREC Web", []),
    "json": Reference(
        '{"rankprism": "1", "rows": [{"run": "r", "topic": "q1", "measure": "AP", "score": 0.5}]}',
        "`rankprism schema`",
        [],
    ),
}
#: Files that hold a table are written by the libraries that define them, in test_table_files.
TABLES = {"parquet", "arrow", "duckdb"}


@pytest.mark.parametrize(
    "checksum", [b"a\tb     ", b"1 0 a 1 ", b"1 Q0 a 1", b'{"a": 1}', b"t,a,b,c,", b"\nq\ta\t1\n\n"]
)
def test_the_checksum_of_a_database_is_no_text(checksum: bytes) -> None:
    """Every database of DuckDB begins with eight arbitrary bytes. One in 30 has a tab among them."""
    claims = claims_on(Beginning(checksum + b"DUCK\x43\0\0\0\0\0\0\0" + bytes(4000)))
    assert {kind: [record.name for record in records] for kind, records in claims.items()} == {
        kind: ["duckdb"] for kind in KINDS if "duckdb" in formats_of(kind)
    }


def test_no_format_is_without_a_reference(tmp_path: Path) -> None:
    """Each format is read from a file that somebody has specified, and has its row in the documentation."""
    references = {"judgments": JUDGMENTS, "run": RUNS, "preferences": PREFERENCES, "scores": SCORES}
    (tmp_path / "j.txt").write_text("q1 0 d1 1 1\n")
    written = Path(__file__).parents[2] / "docs"
    pages = "".join(
        tables.with_tables((written / page).read_text(encoding="utf-8"))
        for page in ("formats.md", "preferences.md")
    )
    for kind, known in references.items():
        # Answers are scored and not read: see test_nuggets.
        assert set(formats_of(kind)) - {"answers"} - TABLES == set(known), kind
        for record in formats_of(kind).values():
            assert record.example
            assert record.summary
            assert kind == "scores" or f"\n| `{record.name}` | `{record.example}`: " in pages
    for name, reference in JUDGMENTS.items():
        path = tmp_path / f"q.{'toml' if name == 'toml' else 'txt'}"
        path.write_text(reference.text)
        read = read_judgments(path, format=name)
        assert list(zip(*read.table.columns(), strict=True)) == reference.rows, name
        by_request = name in ("adhoc", "trec-dd-max", "aspects")
        assert by_request or read_judgments(path).format == name
    for name, reference in RUNS.items():
        path = tmp_path / "r"
        path.write_text(reference.text)
        topics, docs, scores, _ = read_run(path, format=name).table.columns()
        assert list(zip(topics, docs, scores, strict=True)) == reference.rows, name
        assert source_of(path).format("run").name == name
    for name, reference in PREFERENCES.items():
        path = tmp_path / "p"
        path.write_text(reference.text)
        read_pairs = read_preferences(path, format=name).columns()
        winner = read_pairs["left" if read_pairs["outcome"] == ["left"] else "right"]
        assert (read_pairs["topic"], winner) == (["q1"], ["d1"]), name
        assert name == "qrels-prefs" or source_of(path).format("preferences").name == name
    (tmp_path / "s").write_text(SCORES["text"].text)
    assert read_scores(tmp_path / "s").mean() == {"r": {"AP": 0.5}}
