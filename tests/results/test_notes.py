"""Notes: each kind is said when it should be, and not when all is well."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rankprism import InputError, RankprismWarning, Scores, evaluate, parse, read_judgments, sample
from rankprism.cli.reading import read_source
from rankprism.data.note import KINDS, Note, issue
from rankprism.evaluation.inspection.aspects import uses_weights
from rankprism.judging.aspects import attainable

Cli = Callable[..., Any]


def noted(*arguments: Any, **settings: Any) -> dict[str, Note]:
    """The notes of an evaluation by kind, once it is known that each is a warning too, and only once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = evaluate(*arguments, **settings)
    notes = [Note(**record) for record in scores.conventions["notes"]]
    assert [str(warning.message) for warning in caught] == [str(note) for note in notes]
    assert all(warning.category is RankprismWarning for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)  # the user's line, not ours
    assert {note.kind for note in notes} <= set(KINDS)
    assert len({note.kind for note in notes}) == len(notes)
    return {note.kind: note for note in notes}


def lines(*rows: tuple[Any, ...]) -> str:
    return "".join(f"{topic} Q0 {doc} {rank} {score} tag\n" for topic, doc, rank, score in rows)


def one_run(
    tmp_path: Path, *rows: tuple[Any, ...], order: str = "score", topics: str = "q"
) -> dict[str, Note]:
    """The notes of a run on topics with the judged documents d0 to d9."""
    (tmp_path / "bm25.run").write_text(lines(*rows))
    judgments = {topic: {f"d{i}": i % 2 for i in range(10)} for topic in topics}
    return noted(judgments, tmp_path / "bm25.run", "nDCG@10", order=order)


# Ranks and scores


def test_ranks_that_contradict_the_scores_are_noted_with_both_means(tmp_path: Path) -> None:
    (tmp_path / "r").write_text(lines(("q", "a", 1, 3.25), ("q", "b", 2, 7.5), ("q", "c", 3, 2)))
    note = noted({"q": {"a": 1, "b": 0, "c": 0}}, tmp_path / "r", "RR")["rank-order"]
    assert (note.count, note.example) == (1, "r")
    assert "'r' (1 of 1 topics; in 'q' rank 1 has score 3.25 and rank 2 has score 7.5)" in note.message
    # a is second by score and first by rank
    assert note.message.endswith(
        "set order=\"rank\" (--order rank). The RR of 'r' is 0.5000 by score and 1.0000 by rank"
    )


@pytest.mark.parametrize(
    "ranks",
    [(1, 2, 3), (0, 1, 2), (7, 7, 7), (0, 0, 0), (3, 1, 2), ("-", "-", "-"), (1, 1, 2), (10, 20, 30)],
)
def test_ties_and_ranks_that_say_nothing_are_not_a_disagreement(
    tmp_path: Path, ranks: tuple[Any, ...]
) -> None:
    scores = (2, 2, 1) if ranks == (1, 1, 2) else (1, 1, 1) if ranks == (3, 1, 2) else (9, 8, 7)
    rows = [("q", f"d{i}", rank, score) for i, (rank, score) in enumerate(zip(ranks, scores, strict=True))]
    assert one_run(tmp_path, *rows) == {}


@pytest.mark.parametrize(
    ("rows", "disagrees"),
    [
        ([(1, 5), (1, 9), (2, 4)], False),  # documents of one rank say nothing of each other
        ([(1, 5), (1, 9), (2, 6)], True),  # rank 1 with 5 is better than rank 2 with 6
        ([(2, 6), (1, 9), (1, 5)], True),  # the same in another order of lines
        ([(3, 1), (2, 2), (1, 3)], False),  # a file that begins with the last document
        ([(2, 2), (3, 1), (1, 2)], False),
        ([(2, 2), (3, 2.5), (1, 3)], True),
    ],
)
def test_disagreement_does_not_depend_on_the_order_of_the_lines(
    tmp_path: Path, rows: list[tuple[int, float]], disagrees: bool
) -> None:
    found = one_run(tmp_path, *[("q", f"d{i}", rank, score) for i, (rank, score) in enumerate(rows)])
    assert list(found) == (["rank-order"] if disagrees else [])


@pytest.mark.parametrize("order", ["rank", "input"])
def test_who_chooses_the_order_is_told_nothing_of_scores(tmp_path: Path, order: str) -> None:
    rows = [("q", f"d{i}", i + 1, i % 3) for i in range(6)]
    assert one_run(tmp_path, *rows, order=order) == {}
    assert one_run(tmp_path, *[(q, d, r, 1) for q, d, r, _ in rows], order=order) == {}


def test_the_first_topic_with_a_disagreement_is_that_of_the_judgments(tmp_path: Path) -> None:
    rows = [(t, f"d{i}", i, score) for t in "cab" for i, score in enumerate((1, 5, 4))]
    found = one_run(tmp_path, *rows, topics="abc")["rank-order"]
    assert "3 of 3 topics; in 'a' rank 0 has score 1 and rank 1 has score 5" in found.message


def test_scores_that_rise_with_the_rank_are_noted_instead(tmp_path: Path) -> None:
    distances = [("q", f"d{i}", i + 1, 0.1 * i) for i in range(4)]
    found = one_run(tmp_path, *distances)
    assert list(found) == ["rising-scores"]
    assert "If the scores are distances" in found["rising-scores"].message
    assert "by score and" in found["rising-scores"].message
    # Score and rank swapped: read that way, the two agree.
    swapped = [("q", f"d{i}", 9.5 - i, i + 1) for i in range(4)]
    assert list(one_run(tmp_path, *swapped)) == ["rising-scores"]
    # Two documents may be in any order by chance, and one topic of three proves nothing.
    assert list(one_run(tmp_path, *distances[:2])) == ["rank-order"]
    good = [(t, f"d{i}", i + 1, -i) for t in "rs" for i in range(4)]
    assert list(one_run(tmp_path, *distances, *good, topics="qrs")) == ["rank-order"]


def test_ranks_may_be_written_in_any_way(tmp_path: Path) -> None:
    ranks = ["1", "02", "3.5", "4e0", "+5", "00000006", "000000007", "99999999", "123456789", "1e9"]
    (tmp_path / "r").write_text(lines(*[("q", f"d{i}", rank, i % 3) for i, rank in enumerate(ranks)]))
    for i in range(len(ranks)):
        assert evaluate({"q": {f"d{i}": 1}}, tmp_path / "r", "RR", order="rank").values.item() == 1 / (i + 1)
    for wrong in ("1:", ":1", "1/", "x", "1;234567", "0x1"):
        (tmp_path / "r").write_text(lines(("q", "d", 1, 1), ("q", "e", wrong, 1)))
        with pytest.raises(InputError, match="line 2: the rank is not a number"):
            evaluate({"q": {"d": 1}}, tmp_path / "r", "RR", order="rank")


def test_a_dict_has_no_ranks_to_contradict() -> None:
    assert noted({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}}, "P@2") == {}


def test_equal_scores_of_a_whole_topic_are_noted(tmp_path: Path) -> None:
    rows = [(t, f"d{i}", i + 1, 1 if t == "b" else 9 - i) for t in "ab" for i in range(6)]
    found = one_run(tmp_path, *rows, topics="ab")
    assert list(found) == ["equal-scores"]
    assert "'bm25' (1 of 2 topics: 'b'), so their ids decide" in found["equal-scores"].message
    assert one_run(tmp_path, *rows[:6], *rows[6:9], topics="ab") == {}  # three documents may well be equal


def test_runs_read_from_scattered_lines_and_from_memory_are_looked_at_alike(tmp_path: Path) -> None:
    rows = [(t, f"d{i}", i + 1, (4, 6, 5, 3)[i]) for t in "ab" for i in range(4)]
    scattered = sorted(rows, key=lambda row: row[1])
    first = one_run(tmp_path, *rows, topics="ab")
    assert one_run(tmp_path, *scattered, topics="ab") == first
    judgments = {topic: {f"d{i}": i % 2 for i in range(10)} for topic in "ab"}
    memory = {"bm25": [(topic, doc, float(score), rank) for topic, doc, rank, score in rows]}
    assert noted(judgments, memory, "nDCG@10") == first


def test_a_run_from_standard_input_is_not_read_twice(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q 0 d0 1\nq 0 d1 0\n")
    run = lines(("q", "d0", 1, 3), ("q", "d1", 2, 7), ("q", "d2", 3, 1))
    result = cli("evaluate", tmp_path / "q", "-", "-m", "RR", input=run)
    assert result.returncode == 0
    assert result.stderr.rstrip().endswith(
        'set order="rank" (--order rank) [rank-order]'
    )  # without the scores
    (tmp_path / "r").write_text(run)
    again = cli("evaluate", tmp_path / "q", tmp_path / "r", "-m", "RR")
    assert again.stderr.rstrip().endswith("is 0.5000 by score and 1.0000 by rank [rank-order]")


# Topics and documents


def test_missing_topics_are_noted() -> None:
    judgments = {str(t): {"d": 1} for t in range(1, 51)}
    found = noted(judgments, {"tiny": {"7": {"d": 1.0}}}, "P@1")
    assert list(found) == ["missing-topics"]
    assert "'tiny' (49 of 50: '1', '2', '3', …)" in found["missing-topics"].message
    assert noted(judgments, {"tiny": {"7": {"d": 1.0}}}, "P@1", topics="retrieved") == {}
    assert noted(judgments, {"whole": {str(t): {"d": 1.0} for t in range(1, 51)}}, "P@1") == {}


def test_several_runs_are_one_note() -> None:
    judgments = {"1": {"d": 1}, "2": {"d": 1}}
    runs: dict[str, Any] = {
        "a": {"1": {"d": 1.0}, "2": {"d": 1.0}},
        "b": {"2": {"d": 1.0}},
        "c": {"1": {"d": 1.0}},
    }
    note = noted(judgments, runs, "P@1")["missing-topics"]
    assert (note.count, note.example) == (2, "b")
    assert "2 of 3 runs (first 'b': 1 of 2: '1')" in note.message


def test_topics_without_judgments_are_noted() -> None:
    found = noted({"1": {"d": 1}}, {"1": {"d": 1.0}, "8": {"d": 1.0}, "9": {"d": 1.0}}, "P@1")
    assert list(found) == ["unjudged-topics"]
    assert "'run' (2 of 3: '8', '9')" in found["unjudged-topics"].message


def test_topics_without_relevant_documents_are_noted() -> None:
    judgments = {"1": {"d": 1}, "2": {"d": 0}}
    run = {t: {"d": 1.0} for t in judgments}
    assert list(noted(judgments, run, "P@1")) == ["no-relevant"]


def judged(count: int, of: int) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Judgments of the first documents of a ranking, every other one relevant, and of 50 others."""
    grades = {f"d{i}": i % 2 for i in range(count)} | {f"x{i}": 0 for i in range(50)}
    return {"q": grades}, {"q": {f"d{i}": 100.0 - i for i in range(of)}}


def test_few_judged_documents_are_noted() -> None:
    found = noted(*judged(9, of=100), "P@20")
    assert list(found) == ["few-judged"]
    assert "first 20 documents of 'run' (45%)" in found["few-judged"].message
    assert noted(*judged(10, of=100), "P@20") == {}  # half of them
    assert noted(*judged(9, of=100), "P@10") == {}  # 90%
    assert noted(*judged(9, of=100), "AP") == {}  # without a cutoff the first 10 are looked at
    assert list(noted(*judged(9, of=100), ["P@10", "P@20"])) == ["few-judged"]  # the largest cutoff counts
    assert noted(*judged(9, of=100), "nDCG(judged_only=True)@20") == {}
    assert noted(*judged(2, of=9), "P@20") == {}  # nine documents say little


def test_judgments_that_list_only_relevant_documents_say_nothing_of_unjudged_ones() -> None:
    judgments = {"q": {f"d{i}": 1 for i in range(3)}}
    assert noted(judgments, {"q": {f"d{i}": 100.0 - i for i in range(50)}}, "P@20") == {}


def test_ids_that_do_not_match_are_shown_from_either_side() -> None:
    judgments = {"q": {f"clueweb09-{i:02d}": i % 2 for i in range(30)}}
    run = {"other": {"q": {f"clueweb09_{i:02d}": 100.0 - i for i in range(30)}}}
    found = noted(judgments, run, "P@20")
    assert list(found) == ["unmatched-run"]
    message = found["unmatched-run"].message
    assert "'other': none of its documents is judged, so it scores 0" in message
    assert message.endswith("topic 'q' has 'clueweb09_00' in the run and 'clueweb09-29' in the judgments")


def test_a_run_with_hardly_any_judged_document_is_noted() -> None:
    judgments = {"q": {f"d{i}": i % 2 for i in range(100)}}
    run = {"q": {f"d{i + 96}": 1000.0 - i for i in range(100)}}
    found = noted(judgments, run, "P@20")
    assert list(found) == ["unmatched-run"]
    assert "only 4 of its 100 documents are judged" in found["unmatched-run"].message


def test_topics_without_any_judged_document_are_noted() -> None:
    judgments = {t: {f"{t}{i}": i % 2 for i in range(20)} for t in "abc"}
    run = {t: {f"{t}{i}": 100.0 - i for i in range(20)} for t in "abc"}
    assert noted(judgments, run, "P@20") == {}
    run["b"] = {f"B{i}": 100.0 - i for i in range(20)}
    found = noted(judgments, run, "P@20")
    assert list(found) == ["unmatched-topics"]
    assert "'run' (1 of 3 topics: 'b')" in found["unmatched-topics"].message
    assert "topic 'b' has 'B0' in the run and 'b9' in the judgments" in found["unmatched-topics"].message


# Aspects

TWO = {"q": {"a": {"d1": 1, "d2": 0}, "b": {"d1": 0, "d2": 1}}}
BOTH = {"q": {"d1": 2.0, "d2": 1.0}}
UNLIKE = {"q": {"a": 0.9, "b": 0.1}}


def test_weights_that_no_measure_uses_are_noted() -> None:
    found = noted(TWO, BOTH, ["alpha_nDCG@2", "nDCG@2"], weights=UNLIKE)
    assert list(found) == ["unused-weights"]
    assert noted(TWO, BOTH, ["alpha_nDCG@2", "P_IA@2"], weights=UNLIKE) == {}
    assert noted(TWO, BOTH, "alpha_nDCG@2", weights={"q": {"a": 0.5, "b": 0.5}}) == {}
    assert noted(TWO, BOTH, "alpha_nDCG@2") == {}


@pytest.mark.parametrize(
    ("measure", "used"),
    [  # as docs/conventions.md says
        *(
            (name, True)
            for name in ("nDCG_IA", "ERR_IA@10", "D_nDCG", "EU", "CT", "RBU", "CAM(AP)", "MM(AP)")
        ),
        *(
            (f"{name}(weighted=True)", True)
            for name in ("alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "StRecall")
        ),
        *(
            (name, False)
            for name in ("alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "StRecall", "P@5", "Judged")
        ),
        ("nDCG(fold='mean')", True),
        ("TOMA(nDCG)", False),
        ("TOMA(nDCG,weighted=True)", True),
        ("Aspect(nDCG,aspect='a')", False),
    ],
)
def test_whether_a_measure_uses_weights_is_found_by_trying(measure: str, used: bool) -> None:
    assert uses_weights(parse(measure), read_judgments(TWO, weights=UNLIKE)) is used


def test_a_weight_of_0_counts_for_measures_that_leave_such_aspects_out() -> None:
    assert not uses_weights(parse("P(fold='min')"), read_judgments(TWO, weights=UNLIKE))
    assert uses_weights(parse("P(fold='min')"), read_judgments(TWO, weights={"q": {"a": 1, "b": 0}}))


def test_very_unequal_scales_are_noted_of_toma() -> None:
    judgments = {"q": {"relevance": {"d1": 2, "d2": 1}, "quality": {"d1": 10, "d2": 3}}}
    found = noted(judgments, BOTH, "TOMA(nDCG)")
    assert list(found) == ["unequal-scales"]
    assert "'quality' are at 0 to 10, those of 'relevance' at 0 to 2" in found["unequal-scales"].message
    assert noted(judgments, BOTH, "CAM(nDCG)") == {}
    embedded = {
        "relevance": {"labels": [0, 1, 2], "embed": [0, 5, 10]},
        "quality": {"labels": list(range(11))},
    }
    assert noted(judgments, BOTH, "TOMA(nDCG)", aspects=embedded) == {}
    alike = {"q": {"relevance": {"d1": 2, "d2": 1}, "quality": {"d1": 3, "d2": 3}}}
    assert noted(alike, BOTH, "TOMA(nDCG)") == {}


def test_labels_read_as_the_lowest_are_noted() -> None:
    rows = {"q": {"r": {"d1": 1, "d2": 2}, "c": {"d1": -1, "d2": 1}}}
    found = noted(rows, BOTH, "CAM(AP)", aspects=["r", "c"])
    assert list(found) == ["lowest-labels"]
    assert found["lowest-labels"].message.endswith("of 'c' 1 below the scale")
    assert (
        noted({"q": {"r": {"d1": 1, "d2": 2}, "c": {"d1": 0, "d2": 1}}}, BOTH, "CAM(AP)", aspects="r,c") == {}
    )
    with pytest.warns(RankprismWarning, match="lowest-labels"):
        result = attainable(read_judgments(rows, aspects=["r", "c"]), ["CAM(AP)"])
    assert [note["kind"] for note in result.about["notes"]] == ["lowest-labels"]


# Characters that nobody sees


def test_a_byte_order_mark_inside_is_noted(tmp_path: Path) -> None:
    two = lines(("1", "d", 1, 2)) + "\ufeff" + lines(("2", "d", 1, 2))
    (tmp_path / "run").write_text(two, encoding="utf-8")
    judgments = {"1": {"d": 1}, "2": {"d": 1}}
    found = noted(judgments, tmp_path / "run", "P@1", topics="retrieved")
    assert set(found) == {"byte-order-mark", "unjudged-topics"}
    assert (found["byte-order-mark"].count, found["byte-order-mark"].example) == (1, "\ufeff2")
    assert r"'\ufeff2'" in found["byte-order-mark"].message
    (tmp_path / "run").write_text("\ufeff" + two.replace("\ufeff", ""), encoding="utf-8")  # at the beginning
    assert noted(judgments, tmp_path / "run", "P@1") == {}


def test_no_break_spaces_in_ids_are_noted_by_every_door(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(lines(("q", "d\u00a01", 1, 2), ("q", "dé", 2, 1)), encoding="utf-8")
    run = {"q": {"d\u00a01": 2.0, "dé": 1.0}}
    for source in (tmp_path / "run", run):
        found = noted({"q": {"dé": 1}}, source, "P@1")
        assert list(found) == ["no-break-space"]
        assert found["no-break-space"].example == "d\u00a01"
    (tmp_path / "qrels").write_text("q 0 d\u00a01 1\nq 0 d\u00a02 1\n", encoding="utf-8")
    for judgments in (tmp_path / "qrels", {"q": {"d\u00a01": 1, "d\u00a02": 1}}):
        with pytest.warns(RankprismWarning, match="2 ids have a no-break space in it, the first is"):
            read = read_judgments(judgments)
        assert [note.kind for note in read.notes] == ["no-break-space"]
    assert noted({"q": {"dé": 1}}, {"q": {"dé": 1.0}}, "P@1") == {}


# How they are told


def test_notes_of_judgments_are_said_once_and_recorded_with_the_scores() -> None:
    with pytest.warns(RankprismWarning, match=r"\[no-break-space\]"):
        judgments = read_judgments({"q": {"d\u00a01": 1, "d2": 1}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = evaluate(judgments, {"q": {"d2": 1.0}}, "P@1")
    assert [note["kind"] for note in scores.conventions["notes"]] == ["no-break-space"]


def test_one_kind_can_be_silenced() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r".*\[missing-topics\]")
        evaluate({"1": {"d": 1}, "2": {"d": 1}}, {"1": {"d": 1.0}}, "P@1")
        with pytest.raises(RankprismWarning, match=r"\[unjudged-topics\]"):
            evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}, "2": {"d": 1.0}}, "P@1")


def test_the_sample_is_silent() -> None:
    runs = list(sample.RUNS)
    assert noted(sample.QRELS, runs, ["alpha_nDCG@10", "RBU"], weights=sample.WEIGHTS) == {}


def test_the_command_line_prints_a_line_a_kind_and_quiet_none(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n2 0 d 1\n")
    for name in "rs":
        (tmp_path / name).write_text(lines(("1", "d", 1, 1), ("9", "d", 1, 1)))
    arguments = ["evaluate", tmp_path / "q", tmp_path / "r", tmp_path / "s", "-m", "P@1", "--format", "json"]
    loud, quiet = cli(*arguments), cli(*arguments, "--quiet")
    assert [line.partition(" [")[2] for line in loud.stderr.splitlines()] == [
        "missing-topics]",
        "unjudged-topics]",
    ]
    assert all(line.startswith("note: ") for line in loud.stderr.splitlines())
    assert (quiet.stderr, quiet.stdout) == ("", loud.stdout)
    recorded = json.loads(quiet.stdout)["about"]["notes"]
    assert [(note["kind"], note["count"], note["example"]) for note in recorded] == [
        ("missing-topics", 2, "r"),
        ("unjudged-topics", 2, "r"),
    ]


def test_analyses_print_and_record_the_notes_of_their_scores(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n2 0 d 1\n3 0 d 1\n")
    for name, topics in {"r": "12", "s": "123"}.items():
        (tmp_path / name).write_text(lines(*[(t, "d" if t != name else "e", 1, 1) for t in topics]))
    arguments = ["compare", tmp_path / "q", tmp_path / "r", tmp_path / "s", "-m", "P@1"]
    loud, quiet = cli(*arguments, "--format", "json"), cli(*arguments, "--format", "json", "-q")
    assert "note: judged topics are missing from 'r' (1 of 3: '3')" in loud.stderr
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout
    kinds = [note["kind"] for note in json.loads(loud.stdout)["about"]["scores"]["notes"]]
    assert kinds == ["missing-topics"]


def test_any_warning_of_ours_is_a_note_line(capsys: pytest.CaptureFixture[str]) -> None:
    from rankprism.cli.progress import noted as told

    with told():
        warnings.warn("one topic proves nothing", RankprismWarning, stacklevel=1)
        issue([Note("no-relevant", "nothing to find", 1, "q")] * 2)
    assert capsys.readouterr().err == "note: one topic proves nothing\nnote: nothing to find [no-relevant]\n"


@pytest.mark.parametrize(
    "command",
    [
        "evaluate",
        "convert",
        "compare",
        "topic-set-size",
        "meta power",
        "plot heatmap",
        "aspects order",
        "aspects labels",
        "aspects attainable",
        "aspects compare",
        "reproduce toma",
        "reproduce rbu",
    ],
)
def test_every_command_with_notes_has_quiet(command: str) -> None:
    from click.testing import CliRunner

    from rankprism.cli.app import app

    result = CliRunner().invoke(app, [*command.split(), "--quiet", "--help"])
    assert result.exit_code == 0, result.output
    assert "quiet" not in read_source.options  # it says nothing of where scores come from


def test_every_kind_is_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "notes.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert listed == list(KINDS)


# The official collections


def scores_of(folder: Path, qrels: str, *runs: str) -> Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(folder / qrels, [folder / "runs" / f"{run}.run.gz" for run in runs], "alpha_nDCG@20")


def test_gdesa_of_web_2012_is_said_to_be_better_by_rank(collections: Path) -> None:
    folder = collections / "trec-web-2012"
    (note,) = scores_of(folder, "qrels-for-ndeval.txt.gz", "gdesa").conventions["notes"]
    assert note["kind"] == "rank-order"
    # 0.4376 is what ir_measures has, which calls pyndeval.
    assert note["message"].endswith(GDESA)
    source = (folder / "qrels-for-ndeval.txt.gz", folder / "runs" / "gdesa.run.gz", "alpha_nDCG@20")
    with pytest.warns(RankprismWarning, match=re.escape(GDESA)):
        evaluate(*source, tied="expected")


GDESA = (
    "The alpha_nDCG@20 of 'gdesa' is 0.4308 by score, 0.4376 by score if ids break ties in ascending order, "
    "as in pyndeval (--order score-ascending-id), and 0.4810 by rank"
)


@pytest.mark.parametrize("source", ["file", "frame", "rows"])
@pytest.mark.parametrize("tied", [None, "expected"])
def test_ties_are_noted_with_the_means_in_the_orders_of_other_programs(
    tmp_path: Path, source: str, tied: Any
) -> None:
    """By score, b and then a if the larger id comes first, as in trec_eval; by rank, a is the third."""
    import pandas as pd

    rows = [("q", doc, 1.0, rank) for rank, doc in enumerate("cdaeb", 1)]
    (tmp_path / "r").write_text(lines(*((topic, doc, rank, score) for topic, doc, score, rank in rows)))
    frame = pd.DataFrame(rows, columns=["topic", "doc", "score", "rank"])
    run = {"file": tmp_path / "r", "frame": frame, "rows": rows}[source]
    found = noted({"q": {"b": 1, "x": 0}}, run, "RR", **({"tied": tied} if tied else {}))
    (kind,) = {"equal-scores", "ties"} & found.keys()
    assert found[kind].message.endswith(
        " is 0.2500 by score, 0.5000 by score if ids break ties in ascending order, as in pyndeval (--order "
        "score-ascending-id), and 0.2000 by rank"
    )
    # Without ranks, and where the two orders of ids give the same.
    assert noted({"q": {"c": 1}}, {"q": dict.fromkeys("abcde", 1.0)}, "RR")["equal-scores"].message.endswith(
        "(--tied expected)"
    )


def test_the_other_rerankers_of_web_2012_are_silent(collections: Path) -> None:
    names = ("desa", "dssa-doc2vec", "dvgan", "mdp-div-lemur")
    scores = scores_of(collections / "trec-web-2012", "qrels-for-ndeval.txt.gz", *names)
    assert scores.conventions["notes"] == []


def test_a_reversed_rank_column_is_noted_as_rising_scores(collections: Path) -> None:
    # The README of the collection: the rank column of lemur-cwindri is reversed.
    scores = scores_of(collections / "trec-web-2012", "qrels-for-ndeval.txt.gz", "lemur-cwindri")
    assert [note["kind"] for note in scores.conventions["notes"]] == ["rising-scores"]
