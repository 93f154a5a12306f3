"""Ids of runs and judgments that do not meet: evaluate notes it; gate, compare and leaderboard refuse."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

from rankprism import InputError, RankprismWarning, Scores, compare, evaluate, gate, leaderboard, report
from rankprism.cli.app import app
from rankprism.data.ids import alike, differing

Rows = dict[str, dict[str, float]]

#: How the id of document or topic number i is spelled in the judgments and in a run, and what differs.
SPELLINGS: dict[str, tuple[Callable[[int], str], Callable[[int], str], str]] = {
    "case": (lambda i: f"Doc{i}", lambda i: f"doc{i}", "in case: 'doc2' and 'Doc2'"),
    "zeros": (str, lambda i: f"{i:04}", "in leading zeros: '0002' and '2'"),
    "zeros after letters": (lambda i: f"d{i}", lambda i: f"d{i:03}", "in leading zeros: 'd002' and 'd2'"),
    "point": (str, lambda i: f"{i}.0", "in .0 at the end: '2.0' and '2'"),
    "quotes": (lambda i: f"d{i}", lambda i: f'"d{i}"', "in quotes: '\"d2\"' and 'd2'"),
    "form": (
        lambda i: f"café{i}",
        lambda i: unicodedata.normalize("NFD", f"café{i}"),
        r"in their Unicode form: 'cafe\u03012' and 'caf\xe92'",
    ),
    "several": (lambda i: f"D{i}", lambda i: f"'d0{i}'", "in quotes, in case and in leading zeros: "),
}


def judged(doc: Callable[[int], str], topics: Callable[[int], str] = "q{}".format) -> Rows:
    return {topics(t): {doc(i): i % 2 for i in range(2, 9)} for t in range(2, 8)}


def ranked(doc: Callable[[int], str], topics: Callable[[int], str] = "q{}".format) -> Rows:
    return {topics(t): {doc(i): 20.0 - i for i in range(2, 9)} for t in range(2, 8)}


def as_file(rows: Rows, path: Path) -> Path:
    is_run = path.suffix == ".run"
    lines = [
        f"{q} Q0 {d} 1 {score} t" if is_run else f"{q} 0 {d} {score}"
        for q, docs in rows.items()
        for d, score in docs.items()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_frame(rows: Rows, backend: Any, value: str) -> Any:
    flat = [(q, d, x) for q, docs in rows.items() for d, x in docs.items()]
    return backend.DataFrame(
        {name: [row[i] for row in flat] for i, name in enumerate(("topic", "doc", value))}
    )


def given(way: str, judgments: Rows, run: Rows, folder: Path) -> tuple[Any, Any]:
    if way == "files":
        return as_file(judgments, folder / "q.txt"), as_file(run, folder / "x.run")
    if way == "dictionaries":
        return judgments, run
    backend = pd if way == "pandas" else pl
    return as_frame(judgments, backend, "grade"), as_frame(run, backend, "score")


def quietly(function: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        return function(*arguments, **settings)


def messages(scores: Scores) -> dict[str, str]:
    """The notes of an evaluation by kind."""
    return {note["kind"]: note["message"] for note in scores.conventions["notes"]}


@pytest.mark.parametrize("way", ["files", "dictionaries", "pandas", "polars"])
@pytest.mark.parametrize("what", ["documents", "topics"])
@pytest.mark.parametrize("kind", SPELLINGS)
def test_spellings_that_differ_are_named_and_refused(kind: str, what: str, way: str, tmp_path: Path) -> None:
    plain, other, words = SPELLINGS[kind]
    some_other: Callable[[int], str] = lambda i: plain(i) if i > 5 else other(i)  # noqa: E731
    if what == "documents":
        qrels, run = judged(plain), ranked(some_other)
    else:
        qrels, run = judged("d{}".format, plain), ranked("d{}".format, some_other)
    source, spoiled = given(way, qrels, run, tmp_path)
    fine = ranked(plain) if what == "documents" else ranked("d{}".format, plain)
    runs = {"bad": spoiled, "fine": fine}
    scores = quietly(evaluate, source, runs, "AP")
    assert f"differ only {words}" in messages(scores)["unmatched-ids"]
    refusal = rf"the scores of 'bad' do not count: .*differ only {re.escape(words)}.*leave the run out"
    for analysis in (compare, leaderboard):
        with pytest.raises(InputError, match=refusal):
            analysis(scores)
    with pytest.raises(InputError, match=re.escape(words)):
        quietly(gate, source, fine, spoiled, "AP", margin=0.01)


def test_topics_of_which_none_meets_say_what_differs() -> None:
    with pytest.raises(InputError, match=r"shares no topic .* differ only in leading zeros: '002' and '2'"):
        evaluate(judged("d{}".format, str), ranked("d{}".format, "{:03}".format), "AP")


def test_half_of_the_topics_that_do_not_meet_are_refused() -> None:
    def other(t: int) -> str:
        return f"q{t}" if t > 4 else f"train-{t}"

    runs = {"bad": ranked("d{}".format, other), "fine": ranked("d{}".format)}
    scores = quietly(evaluate, judged("d{}".format), runs, "AP")
    assert "3 of the 6 topics of judgments are missing from 'bad'" in messages(scores)["unmatched-ids"]
    with pytest.raises(InputError, match="do not count: 3 of the 6 topics"):
        compare(scores)
    # Who averages over the topics of each run has seen to it.
    scores = quietly(evaluate, judged("d{}".format), runs, "AP", topics="retrieved")
    assert "unmatched-ids" not in messages(scores)


def test_documents_of_half_of_the_topics_that_do_not_meet_are_refused() -> None:
    qrels = {f"q{t}": {f"d{i}": i % 2 for i in range(12)} for t in range(6)}
    half = {q: {f"d{i}" if q < "q3" else f"x{i}": 20.0 - i for i in range(12)} for q in qrels}
    fine = {q: {f"d{i}": 20.0 - i for i in range(12)} for q in qrels}
    with pytest.raises(InputError, match=r"no document that 'new' retrieves is judged in 3 of 6 topics"):
        quietly(gate, qrels, fine, half, "AP", margin=0.01)
    # One topic of six may well be without a judged document.
    most = {q: half[q] if q == "q5" else fine[q] for q in qrels}
    assert quietly(gate, qrels, fine, most, "AP", margin=0.01).outcome == "cannot tell"


def test_a_run_without_a_judged_document_is_refused() -> None:
    foreign = ranked("x{}".format)
    runs = {"bad": foreign, "fine": ranked("d{}".format), "other": ranked("d{}".format)}
    scores = quietly(evaluate, judged("d{}".format), runs, "AP")
    with pytest.raises(InputError, match="none of its documents is judged"):
        leaderboard(scores)
    other = {name: ranked("d{}".format, "p{}".format) for name in runs}
    elsewhere = evaluate(judged("d{}".format, "p{}".format), other, "AP")
    with pytest.raises(InputError, match="none of its documents is judged"):
        leaderboard({"one": scores, "two": elsewhere})
    assert quietly(leaderboard, scores.select(runs=["fine", "other"])).runs == ("fine", "other")


def test_two_spellings_of_single_documents_are_no_reason() -> None:
    qrels = {"q": {f"d{i}": i % 2 for i in range(40)}}
    run = {"q": {("D0" if i == 0 else f"d{i}"): 50.0 - i for i in range(40)}}
    scores = evaluate(qrels, run, "AP")
    assert not scores.conventions["notes"]


@pytest.mark.parametrize("command", ["compare", "leaderboard", "gate"])
def test_the_commands_end_with_2_and_say_what_differs(command: str, tmp_path: Path) -> None:
    files = [as_file(judged("D{}".format), tmp_path / "q.txt")]
    files += [
        as_file(ranked(doc), tmp_path / f"{n}.run") for n, doc in enumerate(("D{}".format, "d{}".format))
    ]
    margin = ["--margin", ".01"] if command == "gate" else []
    result = CliRunner().invoke(app, [command, *map(str, files), "-m", "AP", "-q", *margin])
    assert isinstance(result.exception, InputError)  # which ends the program with 2
    assert "differ only in case: 'd2' and 'D2'" in str(result.exception)


def test_a_report_shows_such_a_run_with_a_badge() -> None:
    runs = {"bad": ranked("D{}".format), "fine": ranked("d{}".format)}
    page = quietly(report.make, judged("d{}".format), runs, "AP").data
    assert [word for word, _ in page["board"]["badges"][0]] == ["hardly anything judged"]


def test_rows_that_can_be_read_only_once_are_refused_without_words_on_ids() -> None:
    rows = ((q, d, x) for q, docs in ranked("D{}".format).items() for d, x in docs.items())
    runs = {"bad": rows, "fine": ranked("d{}".format)}
    scores = quietly(evaluate, judged("d{}".format), runs, "AP")
    assert set(messages(scores)) == {"unmatched-run"}


def test_words_for_what_differs() -> None:
    assert alike(["q1", "q2", "07"], ["Q1", "q2", "q3", "7"]) == [("07", "7"), ("q1", "Q1")]
    assert differing(("x1", "X1")) == "in case: 'x1' and 'X1'"
