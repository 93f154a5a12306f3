"""Nuggets: answers and passages that support them, from files and from memory, and the measures of both."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rankprism import (
    InputError,
    MeasureError,
    compare,
    evaluate,
    explain,
    meta,
    read_judgments,
    read_preferences,
    read_run,
)

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # topics without answers

Row = dict[str, Any]

#: Two vital nuggets and an okay one; and a topic that has only okay ones.
NUGGETS: list[Row] = [
    {
        "qid": "q1",
        "query": "why do jaguars swim",
        "nuggets": [
            {"text": "they hunt fish", "importance": "vital"},
            {"text": "they cool down", "importance": "okay"},
            {"text": "they cross rivers", "importance": "vital"},
        ],
    },
    {
        "qid": "q2",
        "nuggets": [{"text": "a", "importance": "okay"}, {"text": "b", "importance": "okay"}],
    },
]
MEASURES = [
    f"{name}{strict}"
    for name in ("NuggetAll", "NuggetVital", "NuggetWeighted")
    for strict in ("", "(strict=True)")
]


def answers(run: str, **labels: str) -> list[Row]:
    """The answers of a run. `labels`: by topic, a letter for each nugget."""
    words = {"s": "support", "p": "partial_support", "n": "not_support"}
    return [
        {
            "qid": row["qid"],
            "run_id": run,
            "answer_text": "…",
            "nuggets": [
                {**nugget, "assignment": words[letter]}
                for nugget, letter in zip(row["nuggets"], labels[row["qid"]], strict=True)
            ],
        }
        for row in NUGGETS
        if row["qid"] in labels
    ]


BIG, SMALL = answers("big", q1="spn", q2="sp"), answers("small", q1="nps")


def written(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The nuggets and the answers of two runs."""
    return (
        written(tmp_path / "nuggets.jsonl", NUGGETS),
        written(tmp_path / "big.jsonl", BIG),
        written(tmp_path / "small.jsonl", SMALL),
    )


# Measures


def test_measures_of_answers_by_hand(files: tuple[Path, Path, Path]) -> None:
    scores = evaluate(files[0], list(files[1:]), MEASURES)
    # q1: support of a vital nugget, partial support of the okay one, none of the other vital one.
    assert scores.per_topic()["big"]["q1"] == pytest.approx(
        dict(zip(MEASURES, [1.5 / 3, 1 / 3, 1 / 2, 1 / 2, 1.25 / 2.5, 1 / 2.5], strict=True)), rel=1e-12
    )
    # q2 has no vital nugget, so nothing vital is found.
    assert scores.per_topic()["big"]["q2"] == pytest.approx(
        dict(zip(MEASURES, [1.5 / 2, 1 / 2, 0, 0, 0.75, 0.5], strict=True)), rel=1e-12
    )
    # A topic that a run did not answer counts as 0.
    assert scores.per_topic()["small"]["q2"] == dict.fromkeys(MEASURES, 0.0)
    assert scores.runs == ("big", "small")


def official(nuggets: list[Row]) -> dict[str, float]:
    """The four scores of AutoNuggetizer, and the weighted ones of TREC RAG 2024, from their formulas."""
    vital = [n for n in nuggets if n["importance"] == "vital"]
    okay = [n for n in nuggets if n["importance"] == "okay"]

    def found(which: list[Row], strict: bool) -> float:
        partly = 0 if strict else 0.5
        return sum(
            {"support": 1, "partial_support": partly, "not_support": 0}[n["assignment"]] for n in which
        )

    scores = {}
    for strict in (False, True):
        more = "(strict=True)" if strict else ""
        scores[f"NuggetAll{more}"] = found(nuggets, strict) / len(nuggets)
        scores[f"NuggetVital{more}"] = found(vital, strict) / len(vital) if vital else 0.0
        weighted = found(vital, strict) + 0.5 * found(okay, strict)
        scores[f"NuggetWeighted{more}"] = weighted / (len(vital) + 0.5 * len(okay))
    return scores


@pytest.mark.parametrize("seed", range(5))
def test_measures_of_answers_equal_their_definitions(seed: int) -> None:
    rng = random.Random(seed)
    nuggets: list[Row] = []
    runs: dict[str, list[Row]] = {f"r{r}": [] for r in range(4)}
    for t in range(12):
        own = [
            {"text": f"fact {n}", "importance": rng.choice(["vital", "okay"])}
            for n in range(rng.randint(1, 9))
        ]
        nuggets.append({"qid": f"t{t}", "nuggets": own})
        for rows in runs.values():
            if rng.random() < 0.9:
                labelled = [
                    {**n, "assignment": rng.choice(["support", "partial_support", "not_support"])}
                    for n in own
                ]
                rng.shuffle(labelled)  # the order of nuggets does not matter
                rows.append({"qid": f"t{t}", "nuggets": labelled})
    found = evaluate(nuggets, runs, MEASURES).per_topic()
    for run, rows in runs.items():
        wanted = {row["qid"]: official(row["nuggets"]) for row in rows}
        for topic, row in found[run].items():
            assert row == pytest.approx(wanted.get(topic, dict.fromkeys(MEASURES, 0.0)), rel=1e-12, abs=1e-12)


def test_the_score_of_a_run_does_not_depend_on_the_others() -> None:
    alone = evaluate(NUGGETS, {"big": BIG}, MEASURES).per_topic()["big"]
    among = evaluate(NUGGETS, {"small": SMALL, "big": BIG}, MEASURES).per_topic()["big"]
    assert alone == among


def test_scores_of_answers_go_on_to_analyses(files: tuple[Path, Path, Path]) -> None:
    scores = evaluate(files[0], list(files[1:]), ["NuggetAll", "NuggetVital"])
    assert "big" in str(compare(scores, measures="NuggetAll"))
    assert "NuggetVital" in str(meta.correlation(scores))
    assert scores.conventions["topics missing from a run"] == {"small": 1}


def test_answers_have_default_measures_in_python_too(files: tuple[Path, Path, Path]) -> None:
    answers: list[Any] = [[*files[1:]], {"small": SMALL, "big": BIG}]
    for runs in answers:
        assert evaluate(files[0], runs).measures == ("NuggetAll", "NuggetVital", "NuggetWeighted")
    others: list[Any] = [[*files[1:], {"q1": ["d1"]}], {"q1": ["d1"]}]
    for runs in others:
        with pytest.raises(MeasureError, match="no measure given; name at least one"):
            evaluate(files[0], runs)


def test_an_answer_is_explained(files: tuple[Path, Path, Path]) -> None:
    text = str(explain(files[0], files[1], "NuggetAll", "q1"))
    assert "they cool down:0.5 they hunt fish:1" in text
    assert "NuggetAll: big 0.5000" in text


def test_bounds_of_answers_are_the_scores() -> None:
    scores = evaluate(NUGGETS, {"big": BIG}, MEASURES, bounds=True)
    assert scores.low is not None
    assert scores.high is not None
    assert (scores.low == scores.values).all()
    assert (scores.high == scores.values).all()


# Files


def test_a_file_may_hold_the_answers_of_several_runs(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    both = written(tmp_path / "both.jsonl", [*BIG, *SMALL])
    scores = evaluate(files[0], both, MEASURES)
    assert scores.runs == ("big", "small")
    assert (scores.values == evaluate(files[0], list(files[1:]), MEASURES).values).all()
    # The name in the file is kept, unless the caller gives another one.
    mine = written(tmp_path / "mine.jsonl", BIG)
    assert evaluate(files[0], mine, "NuggetAll").runs == ("big",)
    assert evaluate(files[0], {"ours": mine}, "NuggetAll").runs == ("ours",)
    assert evaluate(files[0], BIG, "NuggetAll").runs == ("big",)
    assert evaluate(files[0], {"ours": BIG}, "NuggetAll").runs == ("ours",)
    unnamed = [{name: x for name, x in row.items() if name != "run_id"} for row in BIG]
    assert evaluate(files[0], written(tmp_path / "mine.jsonl", unnamed), "NuggetAll").runs == ("mine",)


def test_answers_with_their_nuggets_are_nuggets_too(tmp_path: Path) -> None:
    both = written(tmp_path / "both.jsonl", [*BIG, *SMALL])
    assert evaluate(both, both, MEASURES).mean() == evaluate(NUGGETS, both, MEASURES).mean()


def test_compressed_files_are_read(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(files[1].read_bytes()))
    assert evaluate(files[0], packed, "NuggetAll").mean() == {"big": {"NuggetAll": 0.625}}


def test_one_nugget_twice_in_a_topic_counts_twice() -> None:
    two = [{"text": "same", "importance": "vital"}, {"text": "same", "importance": "okay"}]
    labelled = [{**two[0], "assignment": "support"}, {**two[1], "assignment": "not_support"}]
    scores = evaluate([{"qid": 1, "nuggets": two}], {"a": [{"qid": 1, "nuggets": labelled}]}, MEASURES)
    assert scores.per_topic()["a"]["1"] == pytest.approx(official(labelled), rel=1e-12)


def test_the_command_line_scores_answers(cli: Callable[..., Any], files: tuple[Path, Path, Path]) -> None:
    found = cli("evaluate", *files, "-m", "NuggetAll", "-m", "NuggetVital(strict=True)", "--format", "csv")
    assert found.returncode == 0, found.stderr
    rows = [line.split(",") for line in found.stdout.splitlines()]
    assert ["big", "all", "NuggetAll", "0.625"] in rows
    assert ["small", "all", "NuggetAll", "0.25"] in rows
    # Analyses read answers in the same way.
    assert cli("compare", *files, "-m", "NuggetAll").returncode == 0


def test_answers_are_scored_with_the_official_measures_unless_others_are_named(
    cli: Callable[..., Any], files: tuple[Path, Path, Path]
) -> None:
    named = cli("evaluate", *files, "-m", "NuggetAll", "-m", "NuggetVital", "-m", "NuggetWeighted")
    found = cli("evaluate", *files)
    assert (found.returncode, found.stdout) == (0, named.stdout)
    assert "name at least one measure" in cli("evaluate", files[0]).stderr


def test_answers_can_come_through_standard_input(
    cli: Callable[..., Any], files: tuple[Path, Path, Path]
) -> None:
    options = ("-m", "NuggetAll", "--run-format", "answers", "--format", "csv")
    found = cli("evaluate", files[0], "-", *options, input=files[1].read_text(encoding="utf-8"))
    assert "big,all,NuggetAll,0.625" in found.stdout, found.stderr
    found = cli("evaluate", files[0], "-", "-m", "NuggetAll", input=files[1].read_text(encoding="utf-8"))
    assert found.returncode == 2
    assert "for standard input, add run_format='answers' (--run-format answers)" in found.stderr


def test_a_baseline_may_be_one_of_several_runs_in_a_file_of_answers(
    cli: Callable[..., Any], tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    both = written(tmp_path / "both.jsonl", [*BIG, *SMALL])
    found = cli("compare", files[0], both, "-m", "NuggetAll", "--baseline", "small")
    assert found.returncode == 0, found.stderr
    assert "small (baseline)" in found.stdout
    for runs in ([both], [files[1]]):
        found = cli("compare", files[0], *runs, "-m", "NuggetAll", "--baseline", both)
        assert found.returncode == 2
        assert (
            f"--baseline: {both} holds 2 runs; add the file to the runs and name one of big, small"
            in found.stderr
        )
    found = cli("compare", files[0], files[1], "-m", "NuggetAll", "--baseline", files[2])
    assert f"{files[2].stem} (baseline)" in found.stdout, found.stderr


# Passages


#: d1 and d2 support the first nugget, and nothing is known to support the second and the third.
FRESH: list[Row] = [
    {
        "query_id": 7,
        "query_title": "title",
        "nuggets": [
            {
                "_id": "7_0",
                "text": "x",
                "relevant_corpus_ids": ["d1", "d2"],
                "non_relevant_corpus_ids": ["d3"],
            },
            {"_id": "7_1", "text": "y", "relevant_corpus_ids": [], "non_relevant_corpus_ids": ["d1"]},
            {"_id": "7_2", "text": "z"},
        ],
    }
]
RANKED = {"7": {"d3": 3.0, "d1": 2.0}}


def test_labels_of_passages_become_diversity_judgments() -> None:
    judged = read_judgments(FRESH)
    assert judged.aspects == {"7": ("7_0", "7_1", "7_2")}
    topics, aspects, docs, grades = judged.table.columns()
    assert sorted(zip(topics, aspects, docs, grades.tolist(), strict=True)) == [
        ("7", "7_0", "d1", 1.0),
        ("7", "7_0", "d2", 1.0),
        ("7", "7_0", "d3", 0.0),
        ("7", "7_1", "d1", 0.0),
    ]
    assert judged.weights is None


def test_nuggets_that_no_passage_supports_count_if_all_aspects_do() -> None:
    names = ["StRecall@2", "NuggetAll@2", "NuggetAll@1"]
    assert evaluate(FRESH, RANKED, names).values[0, 0].tolist() == [1, pytest.approx(1 / 3), 0]
    assert evaluate(FRESH, RANKED, names, aspects="all").values[0, 0] == pytest.approx([1 / 3, 1 / 3, 0])


def freshstack_coverage(nuggets: list[Row], ranking: list[str], k: int) -> float:
    """The share of a question's nuggets that one of the first k passages supports."""
    return sum(any(d in n["relevant_corpus_ids"] for d in ranking[:k]) for n in nuggets) / len(nuggets)


@pytest.mark.parametrize("seed", range(5))
def test_freshstacks_coverage_is_subtopic_recall_of_all_aspects(seed: int) -> None:
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(40)]
    questions: list[Row] = [
        {
            "query_id": f"q{t}",
            "nuggets": [
                {
                    "_id": f"q{t}_{n}",
                    "text": "…",
                    "relevant_corpus_ids": rng.sample(docs[:20], rng.choice((0, 0, 1, 2, 5))),
                    "non_relevant_corpus_ids": rng.sample(docs[20:], 3),
                }
                for n in range(rng.randint(1, 6))
            ],
        }
        for t in range(8)
    ]
    run = {q["query_id"]: rng.sample(docs, 30) for q in questions}
    scored = {topic: {d: -float(i) for i, d in enumerate(ranking)} for topic, ranking in run.items()}
    found = evaluate(questions, scored, ["StRecall@10", "NuggetAll@10"], aspects="all").per_topic()["run"]
    for q in questions:
        wanted = freshstack_coverage(q["nuggets"], run[q["query_id"]], 10)
        assert found[q["query_id"]]["StRecall@10"] == pytest.approx(wanted, rel=1e-12)
        assert found[q["query_id"]]["NuggetAll@10"] == pytest.approx(wanted, rel=1e-12)


def test_assignments_of_passages_are_judgments(tmp_path: Path) -> None:
    # AutoNuggetizer's other output: one line for each passage. Grades are 1, ½ and 0.
    rows = [
        {
            "qid": "q",
            "docid": doc,
            "nuggets": [{"text": t, "importance": i, "assignment": a} for t, i, a in own],
        }
        for doc, own in {
            "d1": [("x", "vital", "partial_support"), ("y", "okay", "not_support")],
            "d2": [("x", "vital", "support"), ("y", "okay", "partial_support")],
        }.items()
    ]
    path = written(tmp_path / "passages.jsonl", rows)
    judged = read_judgments(path)
    assert judged.format == "nuggets"
    assert judged.weights is not None
    assert judged.weights.tolist() == [1.0, 0.5]
    run = {"q": {"d1": 2.0, "d2": 1.0}}
    found = evaluate(path, run, ["NuggetWeighted@1", "NuggetWeighted", "StRecall@1", "StRecall(rel=0.5)@1"])
    assert found.values[0, 0] == pytest.approx([0.5 / 1.5, 1.25 / 1.5, 0, 0.5], rel=1e-12)
    with pytest.raises(InputError, match="is about the passage 'd1' and not about an answer"):
        evaluate(path, path, "NuggetAll")


def test_retrieval_and_answers_are_printed_side_by_side() -> None:
    labelled = [
        {"_id": i, "text": "…", "assignment": a}
        for i, a in {"7_0": "support", "7_1": "partial_support", "7_2": "not_support"}.items()
    ]
    runs = {"passages": RANKED, "answers": [{"query_id": 7, "nuggets": labelled}]}
    found = evaluate(FRESH, runs, "NuggetAll").mean()
    assert found == {"passages": {"NuggetAll": 1 / 3}, "answers": {"NuggetAll": 0.5}}


def test_judgments_without_documents_can_be_copied_and_evaluated() -> None:
    judged = read_judgments(NUGGETS)
    other = pickle.loads(pickle.dumps(judged))
    assert other.aspects == judged.aspects
    assert other.weights.tolist() == [0.5, 1.0, 1.0, 0.5, 0.5]
    assert len(judged) == 0
    # Ranked documents of which none is judged: scores of 0, and no crash.
    scores = evaluate(judged, {"q1": {"d": 1.0}}, ["NuggetAll", "AP"])
    assert scores.values.tolist() == [[[0, 0], [0, 0]]]


# Mistakes


GOOD = '{"qid": "q1", "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}]}\n'


def nugget(**fields: Any) -> str:
    return json.dumps({"qid": "q2", "nuggets": [{"text": "a", **fields}]}) + "\n"


BAD: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "no JSON": (GOOD + '{"qid": "q2", "nuggets": [\n', ("line 2", "is not a JSON object", 'write {"qid"')),
    "a list": (GOOD + "[1]\n", ("line 2", "is a JSON array", "jq -c '.[]'", '{"qid"')),
    "no topic": (GOOD + '{"nuggets": [{"text": "a"}]}\n', ("line 2", "has no topic", "qid")),
    "topic": (GOOD + '{"qid": [1], "nuggets": []}\n', ("line 2", "qid must be text", "[1]")),
    "no list": (GOOD + '{"qid": "q2", "nuggets": "a"}\n', ("line 2", "must be a list", "'a'")),
    "none": (GOOD + '{"qid": "q2", "nuggets": []}\n', ("line 2", "at least one nugget", "[]")),
    "nugget": (GOOD + '{"qid": "q2", "nuggets": ["a"]}\n', ("line 2", "the nugget 'a' is not a JSON object")),
    "no text": (
        GOOD + '{"qid": "q2", "nuggets": [{}]}\n',
        ("line 2", "a nugget has no text", 'write {"qid"'),
    ),
    "importance": (GOOD + nugget(importance="great"), ("line 2", "importance 'great'", "vital, okay")),
    "assignment": (
        GOOD + nugget(assignment="no"),
        ("line 2", "assignment 'no'", "support, partial_support, not_support"),
    ),
    "passages": (
        GOOD + nugget(importance="okay", relevant_corpus_ids="d1"),
        ("line 2", "relevant_corpus_ids must be a list", "'d1'"),
    ),
    "both": (
        GOOD + nugget(importance="okay", relevant_corpus_ids=["d"], non_relevant_corpus_ids=["d"]),
        ("line 2", "passage 'd' is in both", "keep one"),
    ),
    "some importance": (GOOD + nugget(), ("line 2", "'a' of topic 'q2' has no importance", "vital, okay")),
    "two importances": (
        GOOD + GOOD.replace("vital", "okay"),
        ("line 2", "a different importance at", "line 1", "keep one"),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_in_nuggets_is_one_clear_error(case: str, tmp_path: Path, cli: Callable[..., Any]) -> None:
    text, says = BAD[case]
    path = tmp_path / "n.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_judgments(path)
    assert str(error.value).startswith(str(path))
    for words in says:
        assert words in str(error.value)


WRONG: Mapping[str, tuple[list[Row], tuple[str, ...]]] = {
    "unknown nugget": (
        [{"qid": "q2", "nuggets": [{"text": "c", "assignment": "support"}]}],
        ("line 1", "has no nugget 'c' of topic 'q2'", "spelled as they are there"),
    ),
    "missing nugget": (
        [{"qid": "q2", "nuggets": [{"text": "a", "assignment": "support"}]}],
        ("line 1", "no assignment of nugget 'b'", "add it"),
    ),
    "no assignment": (NUGGETS, ("line 1", "'they hunt fish' has no assignment", "partial_support")),
    "twice": ([*BIG, BIG[0]], ("line 3", "of run 'big' to topic 'q1'", "line 1 already", "run_id")),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_in_answers_is_one_clear_error(
    case: str, files: tuple[Path, Path, Path], cli: Callable[..., Any]
) -> None:
    rows, says = WRONG[case]
    path = written(files[0].parent / "answers.jsonl", rows)
    found = cli("evaluate", files[0], path, "-m", "NuggetAll")
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert str(path) in found.stderr
    for words in says:
        assert words in found.stderr


def test_other_measures_do_not_score_answers(files: tuple[Path, Path, Path]) -> None:
    with pytest.raises(MeasureError, match="P@5 scores ranked documents, but some of the runs are answers"):
        evaluate(files[0], files[1], ["NuggetAll", "P@5"])
    with pytest.raises(InputError, match="holds answers with their nuggets and not ranked documents"):
        evaluate(files[0], files[1], "P@5")
    with pytest.raises(InputError, match="holds answers with their nuggets"):
        read_run(files[1])


def test_two_runs_of_one_name_are_refused(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    both = written(tmp_path / "both.jsonl", [*BIG, *SMALL])
    with pytest.raises(InputError, match=r"two runs are named 'big': .*big\.jsonl and .*both\.jsonl"):
        evaluate(files[0], [files[1], both], "NuggetAll")


def test_nuggets_are_not_taken_for_preferences(files: tuple[Path, Path, Path]) -> None:
    with pytest.raises(InputError, match=r"looks like nuggets\. It cannot be read as preferences"):
        read_preferences(files[0])
