"""A thing is added in one place: its record is enough to be read, written, listed and documented."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankprism
from rankprism import InputError
from rankprism._core import RunTable
from rankprism.cli.app import app
from rankprism.cli.door import Words
from rankprism.comparison import TESTS
from rankprism.data.judgments import Judgments
from rankprism.data.run import Run
from rankprism.formats.conversion import convert
from rankprism.formats.files import Beginning, File, columns
from rankprism.formats.format import Format, Written, default_of, register, written_by
from rankprism.formats.judged import JudgedLine, judgment_table
from rankprism.formats.known import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS
from rankprism.formats.lines import is_plain, is_plain_run
from rankprism.formats.recognition import claims_on
from rankprism.formats.table import header_of
from rankprism.formats.trec import DIVERSITY, TREC_RUN
from rankprism.measures import compose
from rankprism.measures.definition import AXIOMS
from rankprism.meta.axioms import MORE_PROPERTIES, TEN, constraint
from tests.support import registries

#: Formats of judgments, of runs and of preferences.
KINDS: tuple[dict[str, Format[Any]], ...] = (JUDGMENT_FORMATS, RUN_FORMATS, PREFERENCE_FORMATS)
ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
import tables  # noqa: E402


def read_toy(file: File) -> Judgments:
    """`document is about topic`"""
    judged = (JudgedLine(number, line.split()[3], "0", line.split()[0], 1.0) for number, line in file.lines())
    return Judgments(judgment_table(file.name, judged), file.name)


def write_toy(judgments: Judgments) -> Written:
    topics, _, docs, _ = judgments.table.columns()
    lines = (f"{doc} is about {topic}\n" for topic, doc in zip(topics, docs, strict=True))
    return Written("".join(lines).encode(), {})


TOY = Format(
    name="toy",
    summary="document, is, about, topic",
    example="d1 is about q1",
    recognised_by="The words in the middle.",
    read=read_toy,
    recognises=lambda start: start.columns[1:3] == ["is", "about"],
    write=write_toy,
    endings=(".toy",),
    loses="what nobody wrote",
)


@pytest.fixture
def toy() -> None:
    register(JUDGMENT_FORMATS, TOY)


@pytest.mark.usefixtures("toy")
def test_a_format_is_added_by_its_record_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "topics.txt"
    source.write_text("d1 is about q1\nd2 is about q1\n")
    read = rankprism.read_judgments(source)
    assert (read.format, read.topics, len(read)) == ("toy", ("q1",), 2)
    assert len(rankprism.read_judgments(source, format="toy")) == 2
    conversion = convert(source, tmp_path / "qrels.txt")
    assert "dropped: what nobody wrote" in conversion.notes
    assert (tmp_path / "qrels.txt").read_text() == "q1 0 d2 1\nq1 0 d1 1\n"
    convert(tmp_path / "qrels.txt", tmp_path / "back.toy")  # by its ending
    assert sorted((tmp_path / "back.toy").read_text().splitlines()) == source.read_text().splitlines()
    with pytest.raises(InputError, match=r"unknown judgment format 'x'; use one of .*toy"):
        rankprism.read_judgments(source, format="x")
    with pytest.raises(InputError, match=r"cannot write judgments as 'prels'; use one of .*toy"):
        convert(source, tmp_path / "x", to="prels")
    # The command line takes it and its help shows it.
    monkeypatch.setenv("COLUMNS", "300")
    assert "toy" in Words(of="formats.known:JUDGMENT_FORMATS").choices
    app(["convert", "--help"], prog_name="rankprism", standalone_mode=False)
    assert re.search(r"\btoy\b", capsys.readouterr().out)
    words = ["convert", str(source), str(tmp_path / "q.txt"), "--from", "toy"]
    app(words, prog_name="rankprism", standalone_mode=False)
    assert "q.txt: 2 lines, diversity" in capsys.readouterr().out
    # The site shows it.
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    row = (
        "| `toy` | `d1 is about q1`: document, is, about, topic | The words in the middle. | yes, to `.toy` |"
    )
    assert row in tables.with_tables(page).splitlines()


def test_the_tables_of_formats_are_made_from_the_records() -> None:
    for page, kinds in {
        "formats.md": (JUDGMENT_FORMATS, RUN_FORMATS),
        "preferences.md": (PREFERENCE_FORMATS,),
    }.items():
        text = tables.with_tables((ROOT / "docs" / page).read_text(encoding="utf-8"))
        for kind in kinds:
            assert all(f"\n| `{name}` | " in text for name in kind)


def test_a_format_has_one_record() -> None:
    with pytest.raises(ValueError, match="two formats called diversity"):
        register(JUDGMENT_FORMATS, JUDGMENT_FORMATS["diversity"])
    for kind in KINDS:
        assert default_of(kind).write is not None
        assert sum(record.default for record in kind.values()) == 1
        endings = [ending for record in kind.values() for ending in record.endings]
        assert len(set(endings)) == len(endings)


def test_the_example_of_a_format_is_recognised_as_no_other() -> None:
    for kind in KINDS:
        for name, record in kind.items():
            if record.example.startswith("FILE"):  # a table: see test_table_files
                continue
            line = record.example.replace("⇥", "\t")
            claims = claims_on(Beginning(line.encode(), "a.toml" if name == "toml" else "a"))
            found = [o.name for records in claims.values() for o in records if kind.get(o.name) is o]
            by_request = "Only if you ask" in record.recognised_by
            assert by_request or record.default or set(found) == {name}, (name, found)


#: Words by which formats are recognised, and what may be between them.
WORDS = ["topic", "left", "right", "outcome", "docno", "q1", "51", "d1", "0", "1", "-1", "1.5", "L1", "Q0"]
WORDS += ["left,", "topic,left,right", '"1"', '{"nuggets":', "{", "@", "=", "-", "", "PAR1", "\u0661"]
BLANKS = [" ", " ", " ", "\t", "  ", "\x0b"]


@settings(max_examples=1000)
@given(
    st.sampled_from((3, 5)).flatmap(
        lambda n: st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BLANKS)), min_size=n, max_size=n)
    ),
    st.sampled_from(WORDS),
)
def test_what_is_plainly_of_trec_is_of_no_other_format(words: list[tuple[str, str]], last: str) -> None:
    line = "".join(map("".join, words)) + last
    kinds: tuple[dict[str, Format[Any]], ...] = ()
    if is_plain(line):
        kinds = (JUDGMENT_FORMATS, PREFERENCE_FORMATS)
        assert len(columns(line)) == 4
        assert header_of(Beginning(line.encode())) is None
    elif is_plain_run(line):
        kinds = (RUN_FORMATS,)
        assert len(columns(line)) == 6
    start = Beginning(f" {line}".encode())  # the first bytes are not those of a table
    found = [record for kind in kinds for record in kind.values() if record.recognises(start)]
    assert all(record in (DIVERSITY, TREC_RUN) for record in found), (line, found)


def test_a_run_of_a_toy_format_is_evaluated(tmp_path: Path) -> None:
    def read(file: File, duplicates: str) -> RunTable:
        pairs = [line.split(">") for _, line in file.lines()]
        topics = [topic for topic, *docs in pairs for _ in docs]
        docs = [doc for _, *docs in pairs for doc in docs]
        scores = [float(-i) for i in range(len(docs))]
        return RunTable.from_columns(file.name, topics, docs, np.array(scores), np.array([]))

    def write(run: Run, order: str, duplicates: str) -> Written:
        return Written(b"", {})

    record = Format(
        "arrows", "topic, documents", "q>d1>d2", "Arrows.", read, lambda start: ">" in start.line, write=write
    )
    register(RUN_FORMATS, record)
    (tmp_path / "a.run").write_text("q>d2>d1\n")
    scores = rankprism.evaluate({"q": {"d1": 1}}, str(tmp_path / "a.run"), "RR")
    assert scores.mean() == {"a": {"RR": 0.5}}
    assert Words(of="formats.known:RUN_FORMATS").choices[-1] == "arrows"
    assert "arrows" in written_by(RUN_FORMATS)


def test_a_constraint_is_added_by_its_module_alone(tmp_path: Path) -> None:
    """In a process of its own, with a copy of a module of the package under another name."""
    code = f"""
import importlib.util, sys
import rankprism.meta.axioms.priority as priority
text = open(priority.__file__, encoding="utf-8").read()
text = text.replace("def Pri(", "def Upward(").replace("    number=1,\\n", "")
open({str(tmp_path / "upward.py")!r}, "w", encoding="utf-8").write(text)
import rankprism
for name in [name for name in sys.modules if name.startswith("rankprism.meta.axioms")]:
    del sys.modules[name]
import pkgutil
listed = pkgutil.iter_modules
def with_one_more(path, *rest):
    yield from listed(path, *rest)
    if path and str(path[0]).endswith("axioms"):
        path.append({str(tmp_path)!r})
        yield from listed([{str(tmp_path)!r}])
pkgutil.iter_modules = with_one_more
from rankprism.meta.axioms import MORE_PROPERTIES, TEN, Upward, examine, read_constraints as read
assert len(TEN) == 10 and Upward not in TEN and Upward in MORE_PROPERTIES
assert Upward in read(["all"], []) and Upward in read(["more"], []) and Upward not in read(["ten"], [])
print([verdict.kind for verdict in examine(["nDCG", "P"], [Upward], instances=20)])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['not refuted', 'refuted']\n", "")


def test_a_constraint_is_one_of_the_ten_by_its_number() -> None:
    assert [c.number for c in TEN] == list(range(1, 11))
    assert tuple(c.name for c in TEN) == AXIOMS  # which measures declare that they keep
    assert all(c.number is None for c in MORE_PROPERTIES)
    with pytest.raises(InputError, match="another constraint has the number 1"):

        @constraint(number=1)
        def Second(base: Any) -> Any:
            """A statement."""


def test_a_statistical_test_is_added_by_its_record_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    student = TESTS["t"]
    monkeypatch.setitem(TESTS, "coin", replace(student, words="a toss of a coin", p="heads", corrects=True))
    rows = [
        f"{run},{t},P,{score + t % 3 / 10}\n" for run, score in (("a", 0.1), ("b", 0.2)) for t in range(9)
    ]
    (tmp_path / "s.csv").write_text("run,topic,measure,score\n" + "".join(rows))
    app(["compare", str(tmp_path / "s.csv"), "--test", "coin"], prog_name="rankprism", standalone_mode=False)
    assert "a toss of a coin" in " ".join(capsys.readouterr().out.split())
    app(["compare", "--help"], prog_name="rankprism", standalone_mode=False)
    assert "coin" in capsys.readouterr().out
    page = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
    assert "| `coin` | heads | z̄ / s | z̄ ± t s/√n |" in tables.with_tables(page).splitlines()


def test_what_a_test_registers_is_forgotten() -> None:
    before = [dict(known) for known in registries.REGISTRIES]
    with registries.as_before():
        register(JUDGMENT_FORMATS, TOY)
        compose("of_this_test")
        assert [dict(known) for known in registries.REGISTRIES] != before
    assert [dict(known) for known in registries.REGISTRIES] == before
