"""Tables with several runs, and Parquet, Arrow and DuckDB files: the same scores as from text."""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import rankprism
from rankprism import InputError, evaluate, read_judgments, read_run
from rankprism.cli.app import app
from rankprism.errors import install
from rankprism.formats.conversion import convert
from tests.support.arrow_tables import (
    EXPECTED,
    EXPECTED_RUN,
    FRAMES,
    JUDGED,
    JUDGMENTS,
    MEASURES,
    RANKED,
    RUN,
    contents,
    named,
    table,
)

# The runs lack a judged topic and have others, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")


def test_a_column_divides_a_table_into_runs() -> None:
    names = ["x", "y", "x", "x", "y", "z"]
    parts = {name: [row for n, row in zip(names, RANKED, strict=True) if n == name] for name in "xyz"}
    del parts["z"]
    expected = evaluate(JUDGED, parts, MEASURES)
    whole = named(names).slice(0, 5)
    for kind, make in FRAMES.items():
        found = evaluate(JUDGED, make(whole), MEASURES)
        assert (found.runs, found.values.tobytes()) == (("x", "y"), expected.values.tobytes()), kind
    both = evaluate(JUDGED, [whole, RUN], "AP")
    assert both.runs == ("x", "y", "run2")
    assert evaluate(JUDGED, named(["x"] * 6, "system_id"), "AP").runs == ("x",)
    assert evaluate(JUDGED, {"mine": named(["x"] * 6)}, "AP").runs == ("mine",)
    assert (read_run(named(["x"] * 6)).name, read_run(named(["x"] * 6), name="y").name) == ("x", "y")


def test_a_table_of_several_runs_is_refused_where_one_is_wanted() -> None:
    several = named(["x", "y"] * 3)
    for read in (lambda: read_run(several), lambda: evaluate(JUDGED, {"mine": several}, "AP")):
        with pytest.raises(InputError, match=r"holds 2 runs \(x, y\), but only one can be read here"):
            read()
    with pytest.raises(InputError, match="two runs are named 'x'"):
        evaluate(JUDGED, [several, several], "AP")
    with pytest.raises(InputError, match="row 2: the run id in the column 'run' is missing"):
        evaluate(JUDGED, named(["x", None, "x", "x", "x", "x"]), "AP")
    alone = named(["x", "x", "x", "x", "y", "x"])
    with pytest.raises(InputError, match="run, run 'y': shares no topic with judgments"):
        evaluate(JUDGED, alone, "AP")


def test_two_columns_of_one_name_are_refused() -> None:
    columns = [pa.array(["1"]), pa.array(["2"]), pa.array(["d"]), pa.array([1.0])]
    message = r"run: 2 columns are called 'topic' \(upper and lower case do not matter\); keep one of them"
    for names in (["topic", "topic", "doc", "score"], ["topic", "Topic", "doc", "score"]):
        table = pa.Table.from_arrays(columns, names=names)
        for source in (table, table.to_reader(), pd.DataFrame([["1", "2", "d", 1.0]], columns=names)):
            with pytest.raises(InputError, match=message):
                read_run(source)
    # A column that is not used may stand there twice.
    unused = pa.Table.from_arrays([*columns[1:], *columns[:2]], names=["topic", "doc", "score", "x", "x"])
    assert len(read_run(unused)) == 1


def test_several_runs_in_a_pipe_are_refused_with_the_way_out(cli: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs.parquet.gz"
    table = pa.table({"run": ["a", "b"], "topic": ["1", "1"], "doc": ["d", "d"], "score": [1.0, 2.0]})
    held = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, held)
    runs.write_bytes(gzip.compress(held.getvalue().to_pybytes()))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 d 1\n")
    found = cli("evaluate", qrels, runs, "-m", "P@1")
    assert found.returncode == 2
    assert "holds 2 runs (a, b); only a plain file may hold several, so unpack it" in found.stderr


def test_a_frame_that_cannot_become_arrow_is_read_row_by_row() -> None:
    # Whole numbers and texts in one column, which Arrow has no type for.
    mixed = pd.DataFrame({"run": ["x", "y"], "topic": [1, "1"], "doc": ["d1", 5], "score": [1.0, 2.0]})
    assert evaluate(JUDGED, mixed, "AP").runs == ("x", "y")
    assert contents(read_run(mixed.drop(columns="run"))) == [["1", "1"], ["d1", "5"], [1.0, 2.0], []]
    mixed["topic"] = [1, None]
    with pytest.raises(InputError, match=r"row 2: .* is not a valid topic id"):
        evaluate(JUDGED, mixed, "AP")


def test_a_stream_that_can_be_read_once_is_enough_for_everything() -> None:
    # The ranks contradict the scores, so the run is ordered a second time for the note.
    ranks = RUN.set_column(3, "rank", pa.array([4.0, 3.0, 2.0, 1.0, 1.0, 1.0]))
    found = evaluate(JUDGMENTS.to_reader(), ranks.to_reader(), ["AP"])
    assert found.conventions["notes"] == evaluate(JUDGMENTS, ranks, ["AP"]).conventions["notes"]
    assert any("rank" in note["message"] for note in found.conventions["notes"])
    preferences = [("1", "", "d1", "d2", "left"), ("1", "", "d2", "文档", "right")]
    frame = table(preferences, "topic", "given", "left", "right", "outcome")
    expected = evaluate(rankprism.read_preferences(preferences), RANKED, "nPrf@5")
    for make in (lambda t: t, lambda t: t.to_reader(), duckdb.from_arrow):
        assert evaluate(make(frame), RUN.to_reader(), "nPrf@5").values.tobytes() == expected.values.tobytes()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, tuple[str, str]]:
    """Judgments and two runs in every kind of file."""
    runs = named(["x", "y"] * 3)
    found = {}
    for ending, write in {
        "parquet": pa.parquet.write_table,
        "arrow": lambda t, path: pa.feather.write_feather(t, path, compression="uncompressed"),
        "feather": pa.feather.write_feather,
        "arrows": _write_stream,
    }.items():
        found[ending] = (str(tmp_path / f"qrels.{ending}"), str(tmp_path / f"runs.{ending}"))
        for content, path in zip((JUDGMENTS, runs), found[ending], strict=True):
            write(content, path)
    with duckdb.connect(str(tmp_path / "all.duckdb")) as connection:
        connection.from_arrow(JUDGMENTS).create("qrels")
        connection.execute('create schema "my runs"')
        connection.from_arrow(runs).create('"my runs"."two.runs"')
    found["duckdb"] = (f"{tmp_path}/all.duckdb::qrels", f"{tmp_path}/all.duckdb::my runs.two.runs")
    return found


def _write_stream(whole: pa.Table, path: str) -> None:
    with pa.ipc.new_stream(path, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=2)


KINDS = ["parquet", "arrow", "feather", "arrows", "duckdb"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_scores(
    files: dict[str, tuple[str, str]], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, runs = files[kind]
    expected = evaluate(JUDGED, named(["x", "y"] * 3), MEASURES)
    found = evaluate(qrels, runs, MEASURES)
    assert (found.runs, found.values.tobytes()) == (("x", "y"), expected.values.tobytes())
    assert contents(read_judgments(qrels)) == EXPECTED
    format = {"feather": "arrow", "arrows": "arrow"}.get(kind, kind)
    assert read_judgments(qrels).format == format
    assert contents(read_judgments(qrels, format=format)) == EXPECTED
    with pytest.raises(InputError, match=r"holds 2 runs \(x, y\)"):
        read_run(runs)
    for words in (
        ["evaluate", qrels, runs, "-m", "AP", "--baseline", "y", "--qrels-format", format],
        ["compare", qrels, runs, "-m", "AP"],
        ["meta", "disagreement", qrels, runs, "-m", "AP", "-m", "RR"],
        ["explain", qrels, runs, "-m", "AP", "--topic", "1"],
    ):
        app(words, prog_name="rankprism", standalone_mode=False)
        assert capsys.readouterr().out, words


def test_a_run_of_a_file_is_named_by_its_column_or_by_the_file(tmp_path: Path) -> None:
    pa.parquet.write_table(RUN, tmp_path / "bm25.parquet")
    assert read_run(tmp_path / "bm25.parquet").name == "bm25"
    assert evaluate(JUDGED, tmp_path / "bm25.parquet", "AP").runs == ("bm25",)
    with duckdb.connect(str(tmp_path / "one.duckdb")) as connection:
        connection.from_arrow(RUN).create("splade")
    assert evaluate(JUDGED, f"{tmp_path}/one.duckdb::splade", "AP").runs == ("splade",)
    assert contents(read_run(tmp_path / "one.duckdb")) == EXPECTED_RUN  # its only table
    packed = tmp_path / "bm25.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "bm25.parquet").read_bytes()))
    assert contents(read_run(packed)) == EXPECTED_RUN


def test_aspects_preferences_and_scores_are_read_from_tables_as_well(tmp_path: Path) -> None:
    labels = table([("1", "d1", 2, 0), ("1", "d2", 0, 1)], "topic", "doc", "relevance", "credibility")
    pa.parquet.write_table(labels, tmp_path / "labels.parquet")
    aspects = ["relevance", "credibility"]
    expected = contents(read_judgments(labels, aspects=aspects))
    assert contents(read_judgments(tmp_path / "labels.parquet", aspects=aspects)) == expected
    preferences = [("1", "", "d1", "d2", "left"), ("1", "d1", "d2", "d3", "right")]
    frame = table(preferences, "topic", "given", "left", "right", "outcome")
    pa.parquet.write_table(frame, tmp_path / "preferences.parquet")
    read = rankprism.read_preferences(tmp_path / "preferences.parquet")
    assert str(read.to_frame("polars")) == str(rankprism.read_preferences(preferences).to_frame("polars"))
    scores = evaluate(JUDGED, {"x": RANKED, "y": RANKED[:3]}, ["AP", "RR"])
    (tmp_path / "scores.parquet").write_bytes(scores.table(per_topic=True).to_parquet())
    again = rankprism.read_scores(tmp_path / "scores.parquet")
    assert (again.runs, again.mean()) == (scores.runs, scores.mean())


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
def test_what_convert_writes_reads_back(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written = convert(JUDGED, tmp_path / f"qrels.{ending}")
    format = "parquet" if ending == "parquet" else "arrow"
    assert str(written) == f"{tmp_path / f'qrels.{ending}'}: 6 rows, {format}"
    assert contents(read_judgments(tmp_path / f"qrels.{ending}")) == EXPECTED
    convert(RANKED, tmp_path / f"bm25.{ending}", run=True)
    back = read_run(tmp_path / f"bm25.{ending}")
    assert (
        evaluate(JUDGED, back, MEASURES).values.tobytes()
        == evaluate(JUDGED, RANKED, MEASURES).values.tobytes()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_one_error(files: dict[str, tuple[str, str]], kind: str, tmp_path: Path) -> None:
    path, _, name = files[kind][0].partition("::")
    data = Path(path).read_bytes()
    # A database has unused space at its end, so it is cut early.
    for size in (
        12,
        20,
        len(data) // 2 if kind != "duckdb" else 4096,
        len(data) - 1 if kind != "duckdb" else 5000,
    ):
        broken = tmp_path / "broken"
        broken.write_bytes(data[:size])
        with pytest.raises(InputError, match="broken"):
            read_judgments(f"{broken}::{name}" if name else broken)
    for format in ("parquet", "arrow", "duckdb"):
        broken.write_text("1 0 d1 1\n")
        with pytest.raises(InputError, match=f"broken: is not a file of the format {format}"):
            read_judgments(broken, format=format)


def test_the_tables_of_a_database_are_listed(files: dict[str, tuple[str, str]]) -> None:
    database = files["duckdb"][0].partition("::")[0]
    with pytest.raises(
        InputError, match=r"all.duckdb: has 2 tables; name one as .*::TABLE.* qrels, my runs.two.runs"
    ):
        read_judgments(database)
    with pytest.raises(InputError, match=r"all.duckdb: has no table 'q'; name one as"):
        read_judgments(database + "::q")
    with pytest.raises(InputError, match=r"none.duckdb::q: there is no such file"):
        read_judgments("none.duckdb::q")


@pytest.mark.parametrize(
    ("kind", "module"), [("parquet", "pyarrow"), ("arrow", "pyarrow"), ("duckdb", "duckdb")]
)
def test_a_missing_package_is_named(
    files: dict[str, tuple[str, str]], kind: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    extra = "duckdb" if kind == "duckdb" else "parquet"
    with pytest.raises(InputError, match=rf"needs one more package: {re.escape(install(extra))}"):
        read_judgments(files[kind][0])
