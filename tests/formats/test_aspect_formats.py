"""Judgments of several aspects: every way to read them, and what is refused."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from rankprism import InputError, Judgments, RankprismWarning, evaluate, read_judgments
from rankprism.data.scales import Scale
from rankprism.judging.aspects import labels

Cli = Callable[..., subprocess.CompletedProcess[str]]

#: Two topics, two aspects; d2 of q1 was not judged for credibility, d1 of q2 not at all.
LABELS = {
    "q1": {"relevance": {"d1": 2, "d2": 1, "d3": 0}, "credibility": {"d1": 1, "d2": -1, "d3": 0}},
    "q2": {"relevance": {"d1": 1}, "credibility": {"d1": -2}},
}
NAMES = ["relevance", "credibility"]


def grades(judgments: Judgments) -> dict[tuple[str, str, str], float]:
    topics, aspects, docs, values = judgments.table.columns()
    return dict(zip(zip(topics, aspects, docs, strict=True), values.tolist(), strict=True))


EXPECTED = {
    ("q1", "relevance", "d1"): 2,
    ("q1", "relevance", "d2"): 1,
    ("q1", "relevance", "d3"): 0,
    ("q1", "credibility", "d1"): 1,
    ("q1", "credibility", "d2"): 0,
    ("q1", "credibility", "d3"): 0,
    ("q2", "relevance", "d1"): 1,
    ("q2", "credibility", "d1"): 0,
}


def lines(*, dummy: str = "", header: str = "") -> str:
    rows = [
        f"{topic} {dummy}{doc} {judged['relevance'][doc]} {judged['credibility'][doc]}"
        for topic, judged in LABELS.items()
        for doc in judged["relevance"]
    ]
    return "\n".join([header, *rows]).lstrip() + "\n"


def rows() -> list[dict[str, Any]]:
    return [
        {"qid": topic, "docno": doc, **{aspect: judged[aspect][doc] for aspect in NAMES}}
        for topic, judged in LABELS.items()
        for doc in judged["relevance"]
    ]


@pytest.mark.parametrize(
    "door",
    [
        "columns",
        "no dummy",
        "header",
        "long",
        "files",
        "dict",
        "rows",
        "pandas",
        "polars",
        "toml",
        "toml files",
    ],
)
def test_the_same_labels_by_any_door(door: str, tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    for aspect in NAMES:
        (tmp_path / aspect).write_text(
            "".join(
                f"{topic} 0 {doc} {label}\n"
                for topic, judged in LABELS.items()
                for doc, label in judged[aspect].items()
            )
        )
    if door == "columns":
        file.write_text(lines(dummy="0 "))
        found = read_judgments(file, aspects=NAMES)
    elif door == "no dummy":
        file.write_text(lines())
        found = read_judgments(file, aspects="relevance,credibility")
    elif door == "header":
        file.write_text(lines(dummy="0 ", header="topic iter docno relevance credibility"))
        found = read_judgments(file)
    elif door == "long":
        file.write_text(
            "".join(
                f"{topic} {aspect} {doc} {label}\n"
                for topic, judged in LABELS.items()
                for aspect in NAMES
                for doc, label in judged[aspect].items()
            )
        )
        found = read_judgments(file, aspects=NAMES)
    elif door == "files":
        found = read_judgments({aspect: tmp_path / aspect for aspect in NAMES})
    elif door == "dict":
        found = read_judgments(LABELS, aspects=NAMES)
    elif door == "rows":
        found = read_judgments(rows(), aspects=NAMES)
    elif door == "pandas":
        found = read_judgments(pd.DataFrame(rows()), aspects=NAMES)
    elif door == "polars":
        found = read_judgments(pl.DataFrame(rows()), aspects=NAMES)
    elif door == "toml":
        file.write_text(lines(dummy="0 "))
        (tmp_path / "c.toml").write_text('judgments = "qrels.txt"\ncolumns = ["relevance", "credibility"]\n')
        found = read_judgments(tmp_path / "c.toml")
    else:
        (tmp_path / "c.toml").write_text("".join(f'[aspects.{a}]\nfile = "{a}"\n' for a in NAMES))
        found = read_judgments(tmp_path / "c.toml")
    assert grades(found) == EXPECTED
    assert found.scales is not None
    assert [scale.aspect for scale in found.scales] == NAMES
    assert [scale.names for scale in found.scales] == [("0", "1", "2"), ("0", "1")]
    assert found.lowered == {"credibility": {"below the scale": 2}}


def test_missing_labels_are_the_lowest_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("q 0 d1 2\nq 0 d2 1\nr 0 d9 1\n")
    (tmp_path / "c").write_text("q 0 d1 1\nq 0 d3 2\n")
    found = read_judgments({"r": tmp_path / "r", "c": tmp_path / "c"})
    assert found.lowered == {"r": {"missing": 1}, "c": {"missing": 2}}
    assert grades(found)["r", "c", "d9"] == 0
    assert found.aspects == {"q": ("c", "r"), "r": ("c", "r")}
    with pytest.warns(RankprismWarning, match="of 'r' 1 missing; of 'c' 2 missing"):
        conventions = evaluate(found, {"q": {"d1": 1.0}, "r": {}}, "CAM(AP)").conventions
    assert conventions["labels set to the lowest"] == {"r": {"missing": 1}, "c": {"missing": 2}}
    frame = pd.DataFrame({"topic": ["q", "q"], "doc": ["a", "b"], "x": [1.0, None], "y": [1, 1]})
    assert read_judgments(frame, aspects=["x", "y"]).lowered == {"x": {"missing": 1}}


def test_a_column_may_be_skipped_and_serve_several_aspects(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 d 1 9 2\nq 0 e 0 9 1\n")
    found = read_judgments(tmp_path / "qrels", aspects="a,-,b")
    assert grades(found) == {("q", "a", "d"): 1, ("q", "a", "e"): 0, ("q", "b", "d"): 2, ("q", "b", "e"): 1}
    (tmp_path / "c.toml").write_text(
        'judgments = "qrels"\ncolumns = ["a", "-", "b"]\n[aspects.yes]\ncolumn = "b"\nanswers = {q = 2}\n'
        '[aspects.no]\ncolumn = "b"\nanswers = {q = 1}\n'
    )
    found = read_judgments(tmp_path / "c.toml")
    assert grades(found) == {
        ("q", "yes", "d"): 1,
        ("q", "yes", "e"): 0,
        ("q", "no", "d"): 0,
        ("q", "no", "e"): 1,
    }


def test_named_labels_are_their_numbers_and_may_be_written_as_such() -> None:
    scales = {"stance": ["NO", "NEUTRAL", "FIRST"]}
    found = read_judgments({"q": {"stance": {"a": "FIRST", "b": "NO", "c": 1}}}, aspects=scales)
    assert grades(found) == {("q", "stance", "a"): 2, ("q", "stance", "b"): 0, ("q", "stance", "c"): 1}


def test_labels_may_have_other_grades_and_other_places() -> None:
    found = read_judgments(
        {"q": {"u": {"a": 3, "b": 1}}}, aspects={"u": {"grades": [0, 0.4, 0.8, 1], "embed": [0, 1, 1, "7/2"]}}
    )
    assert grades(found) == {("q", "u", "a"): 1, ("q", "u", "b"): 0.4}
    assert found.scales is not None
    assert found.scales[0].place == tuple(map(Fraction, ("0", "1", "1", "7/2")))


def test_a_label_may_mean_that_there_is_none() -> None:
    # CLEF eHealth 2021: 3 means that the assessor could not judge.
    found = read_judgments({"q": {"c": {"a": 2, "b": 3}}}, aspects={"c": {"missing": [3]}})
    assert grades(found) == {("q", "c", "a"): 2, ("q", "c", "b"): 0}
    assert found.lowered == {"c": {"missing": 1}}


def test_a_document_that_is_not_relevant_has_the_lowest_label_of_a_dependent_aspect() -> None:
    labels = {"q": {"r": {"a": 1, "b": 0, "c": -1}, "c": {"a": 1, "b": 1, "c": 1}}}
    found = read_judgments(labels, aspects={"r": {}, "c": {"given": "r"}})
    assert [grades(found)["q", "c", doc] for doc in "abc"] == [1, 0, 0]
    assert found.lowered == {"r": {"below the scale": 1}, "c": {"given another aspect": 2}}


@pytest.mark.parametrize("answers", ["mapping", "file", "xml"])
def test_correctness_is_agreement_with_the_topics_answer(answers: str, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("1 yes\n2 no\n3 yes\n")
    (tmp_path / "topics.xml").write_text(
        "<topics>"
        "<topic><number>1</number><answer>yes</answer></topic>"
        "<topic><number>2</number><answer> no </answer></topic>"
        "</topics>"
    )
    source: Any = {"mapping": {"1": "yes", "2": "no"}, "file": tmp_path / "answers"}.get(
        answers, tmp_path / "topics.xml"
    )
    settings = {"answers": source, "means": {"yes": 1, "no": 2}, "element": "answer", "column": "answer"}
    labels = {topic: {"answer": {"a": 1, "b": 2, "c": 0, "d": -1}} for topic in "12"}
    found = grades(read_judgments(labels, aspects={"correct": settings}))
    assert [found["1", "correct", doc] for doc in "abcd"] == [1, 0, 0, 0]
    assert [found["2", "correct", doc] for doc in "abcd"] == [0, 1, 0, 0]


def test_labels_that_are_missing_or_below_are_counted_beside_answers_too() -> None:
    labels = {"q": {"stance": {"a": 1, "b": 2, "c": 9, "d": -1, "e": 0}}}
    settings = {"answers": {"q": "yes"}, "means": {"yes": 1, "no": 2}, "missing": [9], "column": "stance"}
    found = read_judgments(labels, aspects={"correct": settings})
    assert [grades(found)["q", "correct", doc] for doc in "abcde"] == [1, 0, 0, 0, 0]
    assert found.lowered == {"correct": {"missing": 1, "below the scale": 1}}


def test_a_missing_label_is_missing_even_between_others() -> None:
    found = read_judgments({"q": {"c": {"a": 2, "b": 1}}}, aspects={"c": {"missing": [1]}})
    assert grades(found) == {("q", "c", "a"): 2, ("q", "c", "b"): 0}


def test_a_chain_of_given_aspects_does_not_depend_on_their_order() -> None:
    labels = {"q": {"a": {"x": 0, "y": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1, "y": 1}}}
    chain: dict[str, Any] = {"a": {}, "b": {"given": "a"}, "c": {"given": "b"}}
    for names in itertools.permutations("abc"):
        found = grades(read_judgments(labels, aspects={name: chain[name] for name in names}))
        assert [found["q", a, "x"] for a in "abc"] == [0, 0, 0]
        assert [found["q", a, "y"] for a in "abc"] == [1, 1, 1]


def test_frames_may_hold_na_and_truth_values() -> None:
    frame = pd.DataFrame(
        {
            "topic": ["q", "q"],
            "doc": ["x", "y"],
            "a": pd.array([2, pd.NA], dtype="Int64"),
            "b": [True, False],
        }
    )
    found = read_judgments(frame, aspects=["a", "b"])
    assert [grades(found)["q", a, doc] for a in "ab" for doc in "xy"] == [2, 0, 1, 0]
    assert found.lowered == {"a": {"missing": 1}}


def test_scores_become_labels_by_thresholds(tmp_path: Path) -> None:
    # Section 4.1 of Maistro et al. 2021: spam below 80, fairly spam up to 89, not spam from 90 on.
    (tmp_path / "spam").write_text("79 d1\n80 d2\n89 d3\n90 d4\n99 other\n")
    (tmp_path / "r").write_text("".join(f"q 0 d{i} 1\n" for i in range(1, 6)))
    spam = {"file": tmp_path / "spam", "thresholds": [80, 90]}
    found = read_judgments(None, aspects={"relevance": {"file": tmp_path / "r"}, "nonspam": spam})
    assert [grades(found)["q", "nonspam", f"d{i}"] for i in range(1, 6)] == [0, 1, 1, 2, 0]
    assert found.lowered == {"nonspam": {"missing": 1}}
    assert found.scales is not None
    assert found.scales[1].names == ("0", "1", "2")


def test_thresholds_may_be_shares(tmp_path: Path) -> None:
    # As popularity there: 5 % highly popular, 10 % fairly, 85 % not.
    (tmp_path / "pagerank").write_text("".join(f"d{i} {i / 7}\n" for i in range(100)))
    (tmp_path / "r").write_text("".join(f"q 0 d{i} 1\n" for i in range(100)))
    popular = {"file": tmp_path / "pagerank", "thresholds": ["85%", "95%"]}
    found = labels(read_judgments(None, aspects={"r": {"file": tmp_path / "r"}, "popular": popular}))
    assert found.documents[2:] == (85, 10, 5)


@pytest.mark.filterwarnings("ignore:labels are read as the lowest:rankprism.RankprismWarning")
def test_the_same_weights_for_all_topics() -> None:
    run = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {}}
    weighted = {"relevance": 0.25, "credibility": 0.75}
    found = evaluate(LABELS, run, ["CAM(AP)", "MM(AP)"], aspects=NAMES, weights=weighted)
    # d2, d1: AP of relevance 1, of credibility 1/2
    assert found.values[0, 0].tolist() == pytest.approx([0.25 + 0.75 / 2, 1 / (0.25 / 1 + 0.75 / 0.5)])


# The command line


def test_columns_files_and_toml_give_the_same_scores(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(lines(dummy="0 "))
    (tmp_path / "run").write_text("q1 Q0 d2 1 9 t\nq1 Q0 d1 2 8 t\n")
    for a in NAMES:
        (tmp_path / a).write_text(
            "".join(f"{t} 0 {d} {label}\n" for t, judged in LABELS.items() for d, label in judged[a].items())
        )
    (tmp_path / "c.toml").write_text(
        'judgments = "qrels"\ncolumns = ["relevance", "credibility"]\n'
        "[aspects.relevance]\nembed = [0, 1, 3]\n[aspects.credibility]\n"
    )
    end = [tmp_path / "run", "-m", "TOMA(nDCG)", "-m", "CAM(AP)"]
    first = cli(
        "evaluate",
        tmp_path / "qrels",
        *end,
        "--aspects",
        "relevance,credibility",
        "--embed",
        "relevance=0,1,3",
    )
    assert first.returncode == 0, first.stderr
    assert "labels are read as the lowest of their aspect: of 'credibility' 2 below the scale" in first.stderr
    pairs = [f"{a}={tmp_path / a}" for a in NAMES]
    assert cli("evaluate", *pairs, *end, "--embed", "relevance=0,1,3").stdout == first.stdout
    assert cli("evaluate", tmp_path / "c.toml", *end).stdout == first.stdout
    assert (
        cli("evaluate", tmp_path / "c.toml", *end, "--weights", "relevance=1,credibility=0").returncode == 0
    )


def test_options_describe_the_aspects_of_a_header_and_drop_none(tmp_path: Path, cli: Cli) -> None:
    text = lines(dummy="0 ", header="topic iter docno relevance credibility")
    (tmp_path / "qrels").write_text(text)
    plain = cli("aspects", "labels", tmp_path / "qrels", "--format", "csv").stdout
    embed = ["--embed", "relevance=0,1,3", "--format", "csv"]
    found = cli("aspects", "labels", tmp_path / "qrels", *embed)
    assert found.returncode == 0, found.stderr
    assert found.stdout == plain.replace("relevance,2,2", "relevance,2,3") != plain
    # A pipe is read only once.
    assert cli("aspects", "labels", "-", *embed, input=text).stdout == found.stdout
    assert cli("aspects", "labels", "-", "--format", "csv", input=text).stdout == plain
    refused = cli("aspects", "labels", tmp_path / "qrels", "--embed", "trust=0,1")
    assert refused.returncode == 2
    assert "there is no column 'trust' among relevance, credibility" in refused.stderr


def test_converting_names_what_is_lost_of_the_aspects(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "qrels").write_text("q 0 d no 0\nq 0 e yes 1\n")
    (tmp_path / "c.toml").write_text(
        'judgments = "qrels"\ncolumns = ["a", "b"]\n[aspects.a]\nlabels = ["no", "yes"]\n'
        '[aspects.b]\nembed = [0, 2, 5]\ngiven = "a"\n'
    )
    found = cli("convert", tmp_path / "c.toml", tmp_path / "out.txt")
    lost = "the names of labels, labels that no document has, the embedding, which aspect is given which"
    assert f"dropped: {lost}; the grades are kept" in found.stdout + found.stderr
    (tmp_path / "plain").write_text("topic docno a b\nq d 0 1\nq e 1 0\n")
    found = cli("convert", tmp_path / "plain", tmp_path / "out.txt")
    assert "dropped" not in found.stdout + found.stderr


def test_a_topic_without_anything_that_matters_scores_0() -> None:
    judged = {"q": {"r": {"x": 1}, "c": {"x": 1}}, "s": {"r": {"x": 1}, "c": {"x": 0}}}
    run = {"q": {"x": 1.0}, "s": {"x": 1.0}}
    measures = ["CAM(AP)", "MM(AP)", "CAM(nDCG)", "TOMA(nDCG,weighted=True)"]
    found = evaluate(judged, run, measures, aspects=["r", "c"], weights={"r": 0, "c": 1})
    assert found.values[0].tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]


def test_two_grades_without_names_are_noticed(tmp_path: Path, cli: Cli) -> None:
    # TREC Health Misinformation 2022 has no second column; it looks like a subtopic a line.
    (tmp_path / "qrels").write_text("".join(f"151 doc{i} {i % 3} 1\n" for i in range(20)))
    (tmp_path / "run").write_text("151 Q0 doc1 1 9 t\n")
    found = cli("evaluate", tmp_path / "qrels", tmp_path / "run", "-m", "nDCG")
    assert "if they are topic document grade grade, name the two aspects" in found.stderr


# What is refused


def in_toml(text: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        (folder / "qrels").write_text("1 0 d1 1 2\n1 0 d2 0 1\n")
        (folder / "answers").write_text("2 yes\n")
        (folder / "scores").write_text("d1 5\n")
        (folder / "c.toml").write_text(text)
        return read_judgments(folder / "c.toml")

    return read


def in_columns(text: str, aspects: Any) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        (folder / "qrels").write_text(text)
        return read_judgments(folder / "qrels", aspects=aspects)

    return read


TWO = 'judgments = "qrels"\ncolumns = ["a", "b"]\n'
BAD = {
    "unknown label": (in_columns("q 0 d yes 1\n", "a,b"), "line 1: the label 'yes' of a is not a number"),
    "label outside the scale": (
        in_columns("q 0 d 1 1\nq 0 e 3 1\n", {"a": [0, 1, 2], "b": None}),
        "line 2: the label '3' of a is not on its scale: 0, 1, 2",
    ),
    "label between labels": (
        in_columns("q 0 d 0.5 1\n", {"a": [0, 1], "b": None}),
        "the label '0.5' of a is not on its scale",
    ),
    "name outside the scale": (
        in_columns("q 0 d maybe\n", {"a": ["no", "yes"]}),
        "the label 'maybe' of a is not on its scale: no, yes",
    ),
    "below the scale, as an error": (
        in_columns("q 0 d -1\nq 0 e 1\n", {"a": {"below": "error"}}),
        "the label '-1' of a is not on its scale",
    ),
    "absent aspect": (in_columns("q 0 d 1 -1\nq 0 e 1 -2\n", "a,b"), "no document has a label of 'b'"),
    "absent from a dict": (
        lambda folder: read_judgments(LABELS, aspects=["relevance", "trust"]),
        "no document has a label of 'trust'",
    ),
    "absent column": (
        lambda folder: read_judgments(pd.DataFrame(rows()), aspects=["relevance", "trust"]),
        "row 1: no column 'trust' among qid, docno, relevance, credibility",
    ),
    "embedding that decreases": (
        in_columns("q 0 d 1\n", {"a": {"embed": [0, 3, 2]}}),
        "the embedding of 'a' decreases from 3 to 2 at label '2'",
    ),
    "embedding of another length": (
        in_columns("q 0 d 2\n", {"a": {"labels": [0, 1, 2], "embed": [0, 3]}}),
        "the embedding of 'a' has 2 places for 3 labels (0, 1, 2)",
    ),
    "embedding of words": (
        in_columns("q 0 d 1\n", {"a": {"embed": ["low", "high"]}}),
        "the embedding of 'a': 'low' is not a number between -1,000,000,000 and 1,000,000,000; write 2",
    ),
    "labels that descend": (in_columns("q 0 d 1\n", {"a": [1, 0]}), "the labels of 'a' do not ascend: 1, 0"),
    "labels below 0": (in_columns("q 0 d 1\n", {"a": [-1, 0, 1]}), "is -1, and grades begin at 0"),
    "a label twice": (in_columns("q 0 d 1\n", {"a": ["x", "x"]}), "has a label twice: x, x"),
    "no labels": (in_columns("q 0 d 1\n", {"a": []}), "has no labels"),
    "labels of no kind": (
        in_columns("q 0 d 1\n", {"a": [[0], [1]]}),
        "labels may hold only numbers and words; got [0]",
    ),
    "grades of another length": (
        in_columns("q 0 d 1\n", {"a": {"labels": [0, 1], "grades": [0, 1, 2]}}),
        "3 grades for the 2 labels of 'a'",
    ),
    "too many columns": (
        in_columns("q 0 d 1 1 1\n", "a,b"),
        "line 1: found 6 columns; the aspects a, b need 5: topic 0 document a b, or 4 without the 0",
    ),
    "columns that change": (
        in_columns("q 0 d 1 1\nq 0 d 1\n", "a,b"),
        "line 2: has 4 columns, but the lines before have 5",
    ),
    "two labels of a document": (
        in_columns("q 0 d 1 1\nq 0 d 1 0\n", "a,b"),
        "line 2: document 'd' of topic 'q' has the label '0' of b here and '1' at",
    ),
    "an aspect twice": (in_columns("q 0 d 1 1\n", "a,a"), "an aspect is named twice: a, a"),
    "no name": (in_columns("q 0 d 1 1\n", "a,"), "aspects need names"),
    "an unknown setting": (in_columns("q 0 d 1\n", {"a": {"scale": 1}}), "aspect 'a' has no setting 'scale'"),
    "means that are no mapping": (in_columns("q 0 d 1\n", {"a": {"means": 1}}), "means must be a mapping"),
    "a file that is none": (in_columns("q 0 d 1\n", {"a": {"file": 1}}), "file must be the path of a file"),
    "thresholds of nothing": (in_columns("q 0 d 1\n", {"a": {"thresholds": [1]}}), "name the file"),
    "another rule": (in_columns("q 0 d 1\n", {"a": {"below": "drop"}}), "below must be 'lowest' or 'error'"),
    "TOML with a number": (in_toml("judgments = 1\n"), "c.toml: judgments must be a path; got 1"),
    "TOML with a text": (in_toml('columns = "a,b"\n'), "c.toml: columns must be a list of names"),
    "no aspects": (in_columns("q 0 d 1\n", {}), "aspects need names"),
    "labels that are no list": (
        in_columns("q 0 d 1\n", {"a": {"labels": 3}}),
        "labels must be a list",
    ),
    "settings of no kind": (in_columns("q 0 d 1\n", {"a": 3}), "3 is not settings"),
    "given nothing": (
        in_columns("q 0 d 1\n", {"a": {"given": "z"}}),
        "is given 'z', which is not one of the aspects",
    ),
    "unnamed grades": (
        lambda folder: in_columns("1 0 d 1 2 0\n", None)(folder),
        "3 grades of one document; name their aspects",
    ),
    "two grades that look like a passage and its rating": (
        in_columns("101 0 d1 2 1\n101 Q0 d2 1 0\n", None),
        "if these are two grades of one document, name their aspects with aspects= (--aspects",
    ),
    "a column twice": (in_toml('judgments = "qrels"\ncolumns = ["r", "r"]\n'), "column 'r' is named twice"),
    "a label that is no answer": (
        in_columns("q 0 d yes\nq 0 e perhaps\n", {"a": {"answers": {"q": "yes"}}}),
        "line 2: the label 'perhaps' of a is neither a number nor an answer; the answers are yes",
    ),
    "a label below, as an error, beside answers": (
        in_columns("q 0 d 1\nq 0 e -1\n", {"a": {"answers": {"q": 1}, "below": "error"}}),
        "line 2: the label '-1' of a is not on its scale",
    ),
    "means without answers": (
        in_columns("q 0 d 1\n", {"a": {"means": {"yes": 1}}}),
        "means says how to read answers; name the answers",
    ),
    "given itself": (in_columns("q 0 d 1\n", {"a": {"given": "a"}}), "aspect 'a' is given itself: a given a"),
    "given in a circle": (
        in_columns("q 0 d 1 1\n", {"a": {"given": "b"}, "b": {"given": "a"}}),
        "is given itself: a given b given a",
    ),
    "a share above all": (
        in_toml(TWO + '[aspects.a]\n[aspects.s]\nfile = "scores"\nthresholds = ["150%"]\n'),
        "the threshold '150%' is neither a number nor a share like 95%",
    ),
    "a share below all": (
        in_toml(TWO + '[aspects.a]\n[aspects.s]\nfile = "scores"\nthresholds = ["-5%"]\n'),
        "the threshold '-5%' is neither a number nor a share like 95%",
    ),
    "unknown names": (
        in_columns("topic,docno,a,b\nq,d,1,1\n", None),
        "line 1: no grade column among topic (topic), docno (document), a, b; name it with --columns grade=a",
    ),
    "aspects of no kind": (in_columns("q 0 d 1\n", 5), "aspects are names in a list"),
    "an aspect of no kind": (in_columns("q 0 d 1\n", [{"a": 1}]), "{'a': 1} is not the name of an aspect"),
    "a row without a topic": (
        lambda folder: read_judgments(
            pd.DataFrame({"topic": ["q", None], "doc": ["d", "e"], "a": [1, 1]}), aspects=["a"]
        ),
        "row 2: the topic is missing",
    ),
    "nothing": (in_columns("# empty\n", "a"), "no judgments, only blank or comment lines"),
    "no such file": (lambda folder: read_judgments({"a": folder / "no"}), "there is no such file"),
    "a file for no aspect": (
        lambda folder: read_judgments({"a": folder / "no"}, aspects=["b"]),
        "aspect 'b' has no file among a",
    ),
    "no TOML": (in_toml("a b"), "c.toml: is not TOML"),
    "TOML without aspects": (in_toml('judgments = "qrels"\n'), "c.toml: names no aspects"),
    "TOML with another key": (in_toml('qrels = "x"\n'), "c.toml: unknown setting 'qrels'"),
    "TOML without judgments": (
        in_toml("[aspects.a]\n"),
        "aspect 'a' has no file, and there are",
    ),
    "TOML and another column": (
        in_toml(TWO + '[aspects.c]\ncolumn = "z"\n'),
        "aspect 'c': there is no column 'z' among a, b",
    ),
    "a topic without an answer": (
        in_toml(TWO + '[aspects.a]\nanswers = "answers"\n'),
        "aspect 'a': topic '1' has no answer in",
    ),
    "an answer without meaning": (
        in_toml(TWO + '[aspects.a]\nanswers = {1 = "perhaps"}\nmeans = {yes = 1}\n'),
        "the answer 'perhaps' of topic '1' is not among those that means explains: yes",
    ),
    "a threshold that is none": (
        in_toml(TWO + '[aspects.a]\n[aspects.s]\nfile = "scores"\nthresholds = ["high"]\n'),
        "the threshold 'high' is neither a number nor a share like 95%",
    ),
    "thresholds that descend": (
        in_toml(TWO + '[aspects.a]\n[aspects.s]\nfile = "scores"\nthresholds = [3, 2]\n'),
        "the thresholds (3, 2) do not ascend",
    ),
    "weights off 1": (
        in_toml(TWO + "[aspects.a]\nweight = 0.5\n[aspects.b]\nweight = 0.4\n"),
        "the weights of a, b sum to 0.9; they must sum to 1",
    ),
    "weights off 1 by a little": (
        lambda folder: read_judgments(LABELS, aspects=NAMES, weights="relevance=0.5,credibility=0.502"),
        "sum to 1.002; they must sum to 1",
    ),
    "weight of an absent aspect": (
        lambda folder: read_judgments(
            LABELS, aspects=NAMES, weights={"relevance": 0.5, "credibility": 0.3, "x": 0.2}
        ),
        "topic 'q1' has no aspect 'x'; it has credibility, relevance",
    ),
    "aspect without a weight": (
        lambda folder: read_judgments(LABELS, aspects=NAMES, weights={"relevance": 1.0}),
        "aspect 'credibility' of topic 'q1' has no weight",
    ),
    "a weight that is none": (
        lambda folder: read_judgments(LABELS, aspects=NAMES, weights="relevance=0.5,credibility=half"),
        "the weight of 'credibility' must be a number from 0 to 1,000,000,000",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    read, message = BAD[case]
    with pytest.raises(InputError) as error:
        read(tmp_path)
    assert message in str(error.value)


def test_weights_may_be_off_by_rounding() -> None:
    # The official three-aspect CAM was computed with .3333.
    judged = {"q": {a: {"d": 1} for a in "abc"}}
    found = evaluate(judged, {"q": {"d": 1.0}}, "CAM(AP)", weights=dict.fromkeys("abc", 0.3333))
    assert found.values[0, 0, 0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["order"], "name judgments, or the labels of every aspect"),
        (["order", "--labels", "relevance"], "--labels takes ASPECT=…, e.g. --labels stance=no,neutral,yes"),
        (["order", "--labels", "a=0,1", "--embed", "a=1,0"], "the embedding of 'a' decreases from 1 to 0"),
        (["order", "--labels", "a=0,1", "--toma", "distance='far'"], "distance must be one of 'euclidean'"),
        (["order", "--labels", "a=0,1", "--toma", "nDCG"], "--toma takes parameters such as tuples='seen'"),
        (["order", "--labels", "a=0,1", "--toma", "tuples='seen'"], "tuples='seen' needs judgments"),
        (["order", "--aspects", "a", "--labels", "b=0,1"], "--labels: 'b' is not one of the aspects a"),
        (
            ["order", "--labels", "a=0,1", "--given", "a=b"],
            "aspect 'a' is given 'b', which is not one of the aspects",
        ),
        (["order", "--labels", "a=0,1", "--toma", "weighted=True"], "every topic has an order of its own"),
        (["labels"], "name the judgments: a file, or NAME=FILE for each aspect"),
        (["labels", "a=x", "a=y"], "two files of the aspect 'a': x and y"),
        (["attainable", "q.toml"], "q.toml: there is no such file"),
    ],
)
def test_what_the_commands_refuse(cli: Cli, arguments: list[str], message: str) -> None:
    found = cli("aspects", *arguments)
    assert found.returncode == 2
    assert message in found.stderr
    assert "Traceback" not in found.stderr


def test_scales_may_be_passed_as_aspects() -> None:
    found = read_judgments({"q": {"c": {"d": "y"}}}, aspects=[Scale.of("c", ["n", "y"], embed=[0, 2])])
    assert found.scales == (Scale.of("c", ["n", "y"], embed=[0, 2]),)


def test_scale_prints_its_labels_and_places() -> None:
    assert repr(Scale.of("c", ["n", "y"], embed=["0", "3/2"])) == "<Scale c: n=0 y=3/2>"
