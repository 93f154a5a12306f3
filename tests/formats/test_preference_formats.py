"""Preferences are read and written in every form, and what cannot be read is refused by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankprism import InputError, Preferences, RankprismWarning, read_judgments, read_preferences, sample
from rankprism.formats.conversion import convert
from rankprism.formats.files import Beginning
from rankprism.formats.known import PREFERENCE_FORMATS
from rankprism.formats.preference_rows import COLUMNS
from rankprism.formats.recognition import claims_on

ROWS = [
    ("q1", "", "d1", "d2", "left", "ann"),
    ("q1", "d1", "d2", "d3", "right", "ben"),
    ("q1", "d1 d2", "d4", "d3", "tie", "ann"),
    ("q2", "", "d9", "d1", "right", "ann"),
]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows_of(preferences: Preferences) -> list[tuple[str, ...]]:
    columns = preferences.columns()
    return list(zip(*(columns[name] for name in COLUMNS[:6]), strict=True))


# ── every door ───────────────────────────────────────────────────────────────────────────────────


def test_rows_mappings_and_frames_are_the_same() -> None:
    mappings = [dict(zip(COLUMNS, row, strict=False)) for row in ROWS]
    lists = [row | {"given": row["given"].split()} for row in mappings]
    for source in (ROWS, mappings, lists, pl.DataFrame(mappings)):
        assert rows_of(read_preferences(source)) == ROWS
    assert rows_of(read_preferences(read_preferences(ROWS).to_frame("polars"))) == ROWS


def test_a_header_may_have_its_columns_in_any_order(tmp_path: Path) -> None:
    text = "outcome\tright\tTopic\tleft\n left\td2\tq1\td1\n"
    found = read_preferences(written(tmp_path / "p.txt", text))
    assert rows_of(found) == [("q1", "", "d1", "d2", "left", "assessor")]


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".jsonl", ".tsv.gz"])
def test_tables_are_written_as_they_were_read(tmp_path: Path, ending: str) -> None:
    rows = [(*row, "2026-01-01", 'says "yes", twice') for row in ROWS]
    out = tmp_path / f"p{ending}"
    assert convert(read_preferences(rows), out).notes == ()
    found = read_preferences(out)
    assert rows_of(found) == ROWS
    assert found.comment == ('says "yes", twice',) * 4
    assert found.time == ("2026-01-01",) * 4


@pytest.mark.parametrize("to", ["winner", "winner-loser", "prefs"])
def test_simple_pairs_without_ties_fit_between_blanks(tmp_path: Path, to: str) -> None:
    rows = [("q1", "", "d1", "d2", "left"), ("q2", "", "d3", "d1", "right")]
    out = tmp_path / "p.txt"
    convert(read_preferences(rows), out, to=to)
    found = read_preferences(out)
    winners = [(t, a, b) if x == "left" else (t, b, a) for t, _, a, b, x, _ in rows_of(found)]
    assert found.format == to
    assert winners == [("q1", "d1", "d2"), ("q2", "d1", "d3")]


def test_what_a_format_cannot_hold_is_refused_or_named(tmp_path: Path) -> None:
    out = tmp_path / "p.txt"
    with pytest.raises(InputError, match="has triplets, which the format winner cannot hold; write tsv"):
        convert(read_preferences(ROWS), out, to="winner")
    with pytest.raises(InputError, match="has ties, which the format winner-loser cannot hold"):
        convert(read_preferences([("q", "", "a", "b", "tie")]), out, to="winner-loser")
    with pytest.raises(InputError, match="cannot write preferences as 'marks'; use one of tsv, csv"):
        convert(read_preferences(ROWS), out, to="marks")
    with pytest.raises(InputError, match="no aspects to weigh"):
        convert(read_preferences(ROWS), out, weights="w.txt")
    with pytest.raises(InputError, match="given document 'a b' has a blank"):
        convert(read_preferences([("q", ["a b"], "c", "d", "tie")]), out)
    assert not out.exists()
    pair = [("q", "", "a", "b", "left", "ann", "noon", "one\ntwo")]
    notes = convert(read_preferences(pair), out, to="winner").notes
    assert notes == (
        "dropped: the column time",
        "dropped: the column comment",
        "dropped: the column assessor",
    )
    assert convert(read_preferences(pair), out).notes == ("dropped: line breaks in comments",)
    assert read_preferences(out).comment == ("one two",)
    ties = [("q", "", "a", "b", "tie"), ("q", "", "a", "c", "left")]
    assert "dropped: 1 ties" in convert(read_preferences(ties), out, to="prefs").notes[0]


def test_lists_on_levels_are_pairs_and_keep_their_levels(tmp_path: Path) -> None:
    """The example in trec_eval's get_prefs.c: six documents on four levels are 13 preferences."""
    levels = {"d1": 3, "d2": 2, "d3": 0, "d4": 6, "d5": 0, "d6": 2}
    text = "".join(f"q u s1 {doc} {level}.0\n" for doc, level in levels.items())
    found = read_preferences(written(tmp_path / "p.txt", text))
    assert found.format == "prefs"
    assert found.assessors == ("u",)
    pairs = {(a, b) for _, _, a, b, x, _ in rows_of(found) if x == "left"}
    assert pairs == {(a, b) for a in levels for b in levels if levels[a] > levels[b]}
    assert len(pairs) == 13
    convert(found, tmp_path / "again.txt", to="prefs")
    assert rows_of(read_preferences(tmp_path / "again.txt")) == rows_of(found)
    assert "levels" in convert(found, tmp_path / "p.tsv").notes[0]


def test_qrels_are_preferences_only_on_request(tmp_path: Path) -> None:
    qrels = written(tmp_path / "q.txt", "1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n")
    found = read_preferences(qrels, format="qrels-prefs")
    assert [row[2:5] for row in rows_of(found)] == [
        ("d1", "d3", "left"),
        ("d1", "d2", "left"),
        ("d3", "d2", "left"),
    ]
    with pytest.raises(InputError, match=r"q.txt: the first line '1 0 d1 2' may be absolute judgments"):
        read_preferences(qrels)


# ── recognition ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "format"),
    [
        ("q d1 d2 d2", "winner"),
        ("q d1 d2", "winner-loser"),
        ("@ q d1 d2 !", "marks"),
        ("@ q d1 d2 ?", "marks"),
        ("q u s doc 1", "prefs"),
        ("q 0 0 doc 1", "prefs"),
        ('{"topic": 1, "left": "a", "right": "b"}', "jsonl"),  # reading says that the outcome is missing
        ('{"topic": 1}', None),
        ('{"qid": 1, "rubrics": ["a"]}', None),
        ("left,right,topic,outcome,given", "csv"),
        ("1 0 12 0", None),  # document 12 has grade 0, or document 0 won
        ("1 0 doc 1", None),  # qrels
        ("q a 0.5", None),  # a weight
        ("topic docno relevance", None),  # the header of judgments
        ('judgments = "qrels"', None),  # TOML that describes judgments
        ("1 d1 L2", None),  # NTCIR's qrels
        ("1 L2 d1 L2", None),
        ("1 d1 2 stratum 0.5", None),  # prels
        ("q u 1 doc 1", None),  # prels, too: a document u, a method doc
        ("1 clueweb09-en0003-55-31884 0 0 1", None),  # prels
        ("DD16-1 DD16-1.1 ebola-63 25268 3", None),  # Dynamic Domain
        ("1\td1\t1\tcar\t0.5", None),  # EvALL
        ("1 Q0 d1 1 2.5 t", None),  # a run
        ("1 Q0 d1 1", None),
    ],
)
def test_a_line_is_recognised_if_it_can_be_nothing_else(line: str, format: str | None) -> None:
    found = claims_on(Beginning(line.encode())).get("preferences", [])
    assert [record.name for record in found] == ([] if format is None else [format])


def test_preferences_are_not_read_as_judgments(tmp_path: Path) -> None:
    for text in ("q d1 d2 d2\n", "q 0 0 doc 1\n", "topic\tleft\tright\toutcome\nq\ta\tb\tleft\n"):
        with pytest.raises(InputError, match=r"p.txt, line 1: .* looks like preferences .*read_preferences"):
            read_judgments(written(tmp_path / "p.txt", text))
    # With a format it is what the user says it is.
    assert len(read_judgments(written(tmp_path / "p.txt", "1 d1 2 stratum 1\n"), format="prels")) == 1


# ── bad input ────────────────────────────────────────────────────────────────────────────────────

HEADER = "topic\tgiven\tleft\tright\toutcome\tassessor\n"


class Case(NamedTuple):
    text: str
    says: tuple[str, ...]
    format: str | None = None


CASES = {
    "itself": Case(HEADER + "q\t\td1\td1\tleft\tann\n", ("line 2", "'d1' is on both sides", "two documents")),
    "given is a side": Case(
        HEADER + "q\td1\td1\td2\tleft\tann\n",
        ("line 2", "'d1' is given and also one of the two sides; remove it from one place"),
    ),
    "outcome": Case(
        HEADER + "q\t\td1\td2\tyes\tann\n",
        ("line 2", "the outcome must be one of left, right, tie; got 'yes'"),
    ),
    "columns": Case(
        HEADER + "# c\nq\t\td1\td2\tleft\n",
        ("line 3", "5 columns, but the header has 6", "one value for each"),
    ),
    "empty cell": Case(HEADER + "q\t\td1\t\tleft\tann\n", ("line 2", "column right is empty")),
    "quote": Case(HEADER + 'q\t"\td1\td2\tleft\tann\n', ("after line 1, a quote is not closed",)),
    "column twice": Case("topic\tleft\tright\toutcome\tleft\n", ("line 1", "2 columns are called 'left'")),
    "no rows": Case(HEADER, ("no preferences in it",)),
    "JSON": Case('{"topic": "q"\n', ("line 1", "JSON with the names 'topic'")),
    "broken JSON": Case('{"topic": "q"\n', ("line 1", "is not a JSON object"), "jsonl"),
    "JSON list": Case("[1]\n", ("object 1", "is not a JSON object, but 1"), "jsonl"),
    "JSON without a side": Case(
        '{"topic": "q", "left": "a", "outcome": "tie"}\n',
        ("line 1", "no right column among topic (topic), left (left)"),
    ),
    "winner": Case("q a b a\nq a b c\n", ("line 2", "'q a b c'", "which of them won")),
    "winner, columns": Case("q a b a\nq a b\n", ("line 2", "'q a b'", "which of them won")),
    "mark": Case("@ q a b !\n@ q a b <\n", ("line 2", "'!', '=' or '?'")),
    "winner and loser": Case("q a b\nq a a\n", ("line 2", "'a' is on both sides")),
    "level": Case("q u s1 a 1\nq u s1 b high\n", ("line 2", "level 'high' is not a number")),
    "negative level": Case("q u s1 a 1\nq u s1 b -1\n", ("line 2", "level -1 is below 0")),
    "level, columns": Case("q u s1 a 1\nq u s1 b\n", ("line 2", "4 columns", "expected 5")),
    "level twice": Case("q u s1 a 1\nq u s1 a 1\n", ("line 2", "'a'", "already", "line 1", "keep one")),
    "relevant and not": Case("q u s1 a 1\nq u s2 a 0\n", ("line 2", "level 0 here", "line 1 it is above 0")),
    "one level": Case("q u s1 a 1\nq u s1 b 1\n", ("no preferences", "the same level")),
    "format": Case("q a b\n", ("unknown preference format 'pairs'", "winner-loser"), "pairs"),
    "nothing known": Case("hello\n", ("'hello' does not look like preferences", "winner-loser")),
    "empty": Case("", ("no preferences in it", "begins with a header")),
    "empty table": Case("# nothing\n", ("no preferences in it",), "tsv"),
    "column missing": Case(
        "topic\tleft\toutcome\nq\ta\tleft\n",
        ("line 1", "no right column among topic (topic), left (left), outcome"),
    ),
    "column misspelt": Case(
        "them,left,right,outcome\nq,a,b,left\n", ("line 1", "no topic column among them", "topic=them")
    ),
    "header between blanks": Case("topic left right\nq a b\n", ("line 1", "no outcome column")),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_files_are_refused_with_line_and_remedy(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    path = written(tmp_path / "p.txt", case.text)
    with pytest.raises(InputError) as caught:
        read_preferences(path, format=case.format)
    for part in case.says:
        assert part in str(caught.value)
    if name != "format":
        assert "p.txt" in str(caught.value)


def test_bad_rows_are_refused_with_their_number() -> None:
    for row in (("q", "", "a", "b"), "text", {"topic": "q", "left": "a", "right": "b"}):
        with pytest.raises(InputError, match="row 2"):
            read_preferences([ROWS[0], row])
    with pytest.raises(InputError, match="int objects"):
        read_preferences(3)


@given(
    st.sampled_from(sorted(PREFERENCE_FORMATS)),
    st.text(max_size=60) | st.text("qab01 \t\n@!?=,\"'{}", max_size=60),
)
def test_whatever_a_file_holds_is_read_or_refused(tmp_path: Path, format: str, text: str) -> None:
    path = tmp_path / "p.txt"
    path.write_bytes(text.encode("utf-8", "replace"))
    for chosen in (format, None):
        with contextlib.suppress(InputError):
            read_preferences(path, format=chosen)


# ── published files ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("file", "format", "judgments", "topics"),
    [  # numbers from the README files of the collections
        ("trec-dl-2021-prefs/pairs/human.human.gz", "winner", 11681, 50),
        ("trec-dl-2021-prefs/pairs/judge.00.gz", "winner-loser", 22731, 53),
        ("trec-cast-2019-prefs/TREC-CAsT-2019.pref.gz", "winner", 14573, 171),
        ("trec-cast-2019-prefs/TREC-CAsT-2019.local.pref.gz", "winner", 3743, 171),
    ],
)
def test_published_preferences_are_read(
    collections: Path, file: str, format: str, judgments: int, topics: int
) -> None:
    found = read_preferences(collections / file)
    assert (found.format, len(found), len(found.topics)) == (format, judgments, topics)


def test_lines_without_an_answer_are_left_out_with_a_note(collections: Path) -> None:
    with pytest.warns(RankprismWarning, match="2265 lines have no answer"):
        found = read_preferences(collections / "trec-dl-2021-prefs/pairs/judge.human.gz")
    assert len(found) == 11681 - 2265


def test_convert_works_from_a_terminal(cli: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    result = cli("convert", sample.PREFERENCES, tmp_path / "p.jsonl")
    assert result.returncode == 0
    assert rows_of(read_preferences(tmp_path / "p.jsonl")) == rows_of(read_preferences(sample.PREFERENCES))
    bad = written(tmp_path / "bad.tsv", CASES["itself"].text)
    result = cli("convert", bad, tmp_path / "out.tsv")
    assert (result.returncode, result.stdout) == (2, "")
    assert "bad.tsv, line 2: document 'd1' is on both sides" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out.tsv").exists()
