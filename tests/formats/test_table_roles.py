"""Tables of other tools: which column is what on every way in, and which tables are refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rankprism import (
    InputError,
    RankprismWarning,
    evaluate,
    read_judgments,
    read_preferences,
    read_run,
    read_scores,
)
from rankprism.formats.spellings import NAMES, plain

GRADED = [(f"q{t}", f"d{t}{n}", (n * 7 + t) % 4) for t in range(1, 5) for n in range(8)]
RANKED = [(f"q{t}", f"d{t}{n}", 20.5 - n - t / 8) for t in range(1, 5) for n in range(0, 8, 2)]
MEASURES = ["nDCG@5", "P@3"]
WANTED = evaluate(GRADED, RANKED, MEASURES).values.tobytes()


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, rows: Any, header: str = "", separator: str = ",") -> str:
    lines = [separator.join(map(str, row)) for row in rows]
    Path(name).write_text("\n".join([*([header] if header else []), *lines]) + "\n")
    return name


def same(judgments: Any, run: Any = RANKED) -> bool:
    return evaluate(judgments, run, MEASURES).values.tobytes() == WANTED


def refused(read: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(*arguments)
    return str(caught.value)


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_no_name_is_in_two_groups_of_a_role() -> None:
    for role, groups in NAMES.items():
        names = [name for group in groups for name in {plain(name) for name in group}]
        assert len(names) == len(set(names)), role


@pytest.mark.parametrize(
    "header",
    [
        "Query ID,Document ID,Relevance",
        "user_id:token,item_id:token,rating:float",
        "Input.query_id,Input.doc_id,Answer.label",
        "question,chunk_id,relevant",
        "userId,movieId,rating",
        "TOPIC,DOCUMENT#,RELEVANCY",
        "Query,URL,Rating (0-3)",
    ],
)
def test_names_are_matched_without_case_blanks_types_and_prefixes(header: str) -> None:
    assert same(written("q.csv", GRADED, header))
    assert same(written("q.tsv", GRADED, header.replace(",", "\t"), "\t"))


LAYOUTS: dict[str, Callable[[], str]] = {
    "bars": lambda: written("q", GRADED, "qid|docno|rel", "|"),
    "double colons": lambda: written("q", GRADED, "qid::docno::rel", "::"),
    "blanks": lambda: written("q", GRADED, "qid docno rel", " "),
    "sep=": lambda: written("q", GRADED, "sep=;\nqid;docno;rel", ";"),
    "behind #": lambda: written("q", GRADED, "#qid,docno,rel"),
    "an index": lambda: written("q", [(n, *row) for n, row in enumerate(GRADED)], ",qid,docno,rel"),
    "a comma more": lambda: written("q", [(*row, "") for row in GRADED], "qid,docno,rel,"),
    "Markdown": lambda: written(
        "q", [("", *row, "") for row in GRADED], "| qid | docno | rel |\n|---|---|---|", "|"
    ),
    "R": lambda: written("q", [(f'"{n}"', *row) for n, row in enumerate(GRADED)], '"qid" "docno" "rel"', " "),
    "lines of JSON": lambda: written(
        "q", [[json.dumps(dict(zip(("qid", "docno", "rel"), row, strict=True)))] for row in GRADED]
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_table_is_read_whatever_is_between_its_columns(name: str) -> None:
    assert same(LAYOUTS[name]())


def test_an_array_and_nested_objects_are_tables() -> None:
    rows = [{"query_id": q, "doc": {"doc_id": d}, "label": g} for q, d, g in GRADED]
    Path("q.json").write_text(json.dumps(rows))
    topics = dict.fromkeys(q for q, _, _ in RANKED)
    runs = [
        {
            "query": {"qid": t, "text": "words"},
            "candidates": [{"docid": d, "score": s} for q, d, s in RANKED if q == t],
        }
        for t in topics
    ]
    Path("r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in runs))
    assert same("q.json", "r.jsonl")


def test_lists_of_structs_are_read_from_parquet() -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    topics = list(dict.fromkeys(q for q, _, _ in RANKED))
    lists = [[{"item_id": d, "score": s} for q, d, s in RANKED if q == t] for t in topics]
    pq.write_table(pa.table({"user_id": topics, "items": lists}), "r.parquet")
    assert same(GRADED, "r.parquet")


def test_lists_of_documents_are_judgments() -> None:
    relevant = {t: [d for q, d, g in GRADED if q == t and g] for t in dict.fromkeys(q for q, _, _ in GRADED)}
    expected = evaluate({t: dict.fromkeys(docs, 1) for t, docs in relevant.items()}, RANKED, MEASURES)
    assert evaluate(relevant, RANKED, MEASURES).values.tobytes() == expected.values.tobytes()


# ── one grade, several aspects, or an error ──────────────────────────────────────────────────────


def in_every_form(names: list[str], rows: list[tuple[Any, ...]]) -> list[Any]:
    frame = pd.DataFrame(rows, columns=names)
    frame.to_parquet("t.parquet")
    frame.to_csv("t.csv", index=False)
    frame.to_csv("t.tsv", index=False, sep="\t")
    frame.to_json("t.jsonl", orient="records", lines=True)
    return [frame, "t.parquet", "t.csv", "t.tsv", "t.jsonl"]


def test_a_known_column_beside_the_grade_is_named_and_not_read() -> None:
    rows = [(*row, n % 3) for n, row in enumerate(GRADED)]
    for form in in_every_form(["qid", "docno", "label", "worker"], rows):
        with pytest.warns(RankprismWarning, match="the grade is label, and the column worker is not read"):
            assert same(form), form


def test_unknown_numbers_beside_the_grade_are_refused() -> None:
    rows = [(*row, n % 5) for n, row in enumerate(GRADED)]
    for form in in_every_form(["qid", "docno", "label", "clicks"], rows):
        message = refused(read_judgments, form)
        assert "--aspects label,clicks" in message
        assert "--columns grade=label" in message


def test_two_names_of_qualities_are_aspects_in_every_form() -> None:
    rows = [(*row, row[2] % 2) for row in GRADED]
    for form in in_every_form(["topic", "docno", "relevance", "credibility"], rows):
        found = read_judgments(form)
        assert [scale.aspect for scale in found.scales or ()] == ["relevance", "credibility"], form


@pytest.mark.parametrize("name", ["facet", "genre", "category", "cluster", "intent_name", "nugget_id"])
def test_subtopics_have_many_names(name: str) -> None:
    rows = [(q, f"s{n % 2}", d, g) for n, (q, d, g) in enumerate(GRADED)]
    expected = read_judgments([(q, s, d, g) for q, s, d, g in rows]).aspects
    for form in in_every_form(["query_id", name, "doc_id", "rel"], rows):
        assert read_judgments(form).aspects == expected


def test_the_iteration_in_a_file_may_be_something_else_than_a_subtopic() -> None:
    rows = [(q, d, g, n % 2) for n, (q, d, g) in enumerate(GRADED)]
    frame, *files = in_every_form(["query_id", "doc_id", "label", "iteration"], rows)
    assert read_judgments(frame).aspects["q1"] == ("0", "1")  # as ir_measures and PyTerrier have it
    for file in files:
        assert "--columns aspect=iteration" in refused(read_judgments, file)
    constant = [(q, d, g, 0) for q, d, g in GRADED]
    for form in in_every_form(["query_id", "doc_id", "label", "iteration"], constant):
        assert same(form)


def test_rows_without_a_grade_are_left_out_with_a_note() -> None:
    with pytest.warns(RankprismWarning, match="2 rows have no grade and are left out"):
        assert same(written("q.csv", [*GRADED, ("q1", "e1", ""), ("q1", "e2", "NaN")], "qid,docno,rel"))


def test_interactions_without_grades_have_grade_1() -> None:
    seen = [(q, d) for q, d, g in GRADED if g]
    expected = evaluate([(q, d, 1) for q, d in seen], RANKED, MEASURES).values.tobytes()
    for form in in_every_form(["user_id", "item_id", "timestamp"], [(*row, 7) for row in seen]):
        with pytest.warns(RankprismWarning, match="every document in it has the grade 1"):
            assert evaluate(form, RANKED, MEASURES).values.tobytes() == expected


def test_true_false_and_words() -> None:
    flags = [(q, d, str(g > 1).lower()) for q, d, g in GRADED]
    expected = evaluate([(q, d, int(g > 1)) for q, d, g in GRADED], RANKED, MEASURES).values.tobytes()
    found = evaluate(written("q.csv", flags, "qid,docno,relevant"), RANKED, MEASURES)
    assert found.values.tobytes() == expected
    words = [(q, d, ("no", "some", "good", "best")[g]) for q, d, g in GRADED]
    assert "--labels grade=no,…," in refused(read_judgments, written("w.csv", words, "qid,docno,label"))


# ── what is another table ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (lambda q, d, g: (q, d, g, 881250949), "--columns topic,document,grade,-"),
        (lambda q, d, g: (q, d, 0, g), "--columns topic,document,-,grade"),
        (lambda q, d, g: (q, d, g, 0), "--columns topic,document,grade,-"),
        (lambda q, d, g: (q, d, g), "--columns topic,document,grade"),
        (lambda q, d, g: (q, 1, d, g, 8), "--columns topic,-,document,grade,-"),
        (lambda q, d, g: (g, q, 0, d), "--columns grade,topic,-,document"),
    ],
)
def test_columns_in_another_order_are_refused_with_the_option_that_reads_them(
    columns: Any, says: str
) -> None:
    for separator in ("\t", " "):
        file = written("q.txt", [columns(*row) for row in GRADED], separator=separator)
        assert says in refused(read_judgments, file)
    commas = refused(read_judgments, written("q.csv", [columns(*row) for row in GRADED]))
    assert says in commas


def test_lines_of_topic_subtopic_document_and_grade_are_still_read() -> None:
    rows = [(q, n % 3, n % 9, g) for n, (q, _, g) in enumerate(GRADED)]
    file = written("q.txt", dict.fromkeys(rows), separator=" ")
    assert len(read_judgments(file)) == len(set(rows))


def test_a_run_in_the_place_of_judgments_is_refused() -> None:
    nested: dict[str, dict[str, float]] = {}
    for q, d, s in RANKED:
        nested.setdefault(q, {})[d] = s + 0.01 * len(nested)
    Path("r.json").write_text(json.dumps(nested))
    beir = written(
        "r.tsv",
        [(q, d, s + 0.001 * n) for n, (q, d, s) in enumerate(RANKED)],
        "query-id\tcorpus-id\tscore",
        "\t",
    )
    for thing in (nested, "r.json", beir):
        assert "looks like a run" in refused(read_judgments, thing)


def test_memberships_and_runs_of_five_columns_are_not_prels() -> None:
    shares = [(q, d, 0.25 + n / 100, 0.5, 0.25 - n / 100) for n, (q, d, _) in enumerate(GRADED)]
    assert "expected 4 columns" in refused(read_judgments, written("m", shares, separator=" "))
    run = [(q, d, n % 4 + 1, s, 1) for n, (q, d, s) in enumerate(RANKED)]
    assert "expected 4 columns" in refused(read_judgments, written("r", run, separator=" "))


def test_quotes_around_ids_are_refused() -> None:
    file = written("q", [(q, 0, f'"{d}"', g) for q, d, g in GRADED], separator=" ")
    assert 'the quotes around "d10"' in refused(read_judgments, file)


def test_a_header_that_nobody_knows_is_a_header() -> None:
    message = refused(read_judgments, written("q.csv", GRADED, "thing,paper,stars"))
    assert "no topic column among thing, paper, stars; name it with --columns topic=thing" in message
    assert "expected 4 columns" not in message


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name", ["model", "algorithm", "method", "system_name", "recommender", "tag", "name"]
)
def test_several_runs_have_many_names(name: str) -> None:
    rows = [(run, *row) for run in ("one", "two") for row in RANKED]
    for form in in_every_form([name, "qid", "docno", "score"], rows):
        assert evaluate(GRADED, form, "P@3").runs == ("one", "two")


def test_a_column_that_tells_repeated_documents_apart_is_named() -> None:
    rows = [(v, *row) for v in ("a1", "a2") for row in RANKED]
    assert "--columns run=variant" in refused(read_run, written("r.csv", rows, "variant,qid,docno,score"))


def test_ranks_alone_are_a_run() -> None:
    rows = [(q, d, n % 4 + 1) for n, (q, d, _) in enumerate(RANKED)]
    for form in in_every_form(["qid", "docno", "rank"], rows):
        assert same(GRADED, form)


def test_distances_and_ranks_in_the_place_of_scores_are_noted() -> None:
    distances = [(q, d, 30 - s) for q, d, s in RANKED]
    ranks = [(q, d, n % 4 + 1) for n, (q, d, _) in enumerate(RANKED)]
    for rows in (distances, ranks):
        for form in in_every_form(["qid", "docno", "score"], rows):
            with pytest.warns(RankprismWarning, match="rising-scores"):
                evaluate(GRADED, form, "P@3")
    assert "--columns score=-distance" in refused(read_run, written("r.csv", distances, "qid,docno,distance"))
    assert "--columns score=-" in refused(read_run, written("r.csv", [r[:2] for r in RANKED], "qid,docno"))


def test_ranks_that_are_all_the_same_give_no_order() -> None:
    file = written("r.run", [(q, "Q0", d, 0, s, "x") for q, d, s in RANKED], separator=" ")
    assert same(GRADED, file)
    with pytest.raises(InputError, match="all have rank 0"):
        evaluate(GRADED, file, "P@3", order="rank")


def test_runs_by_name_in_one_object_are_several() -> None:
    nested: dict[str, dict[str, float]] = {}
    for q, d, s in RANKED:
        nested.setdefault(q, {})[d] = s
    Path("r.json").write_text(json.dumps({"one": nested, "two": nested}))
    assert evaluate(GRADED, "r.json", "P@3").runs == ("one", "two")
    deeper = {q: {d: {"score": s, "rank": 1} for d, s in docs.items()} for q, docs in nested.items()}
    Path("s.json").write_text(json.dumps(deeper))
    assert len(read_run("s.json")) == len(RANKED)


def test_the_same_words_below_every_document_are_no_documents() -> None:
    votes: dict[str, dict[str, dict[str, int]]] = {}
    people: dict[str, dict[str, dict[str, int]]] = {}
    for q, d, g in GRADED:
        votes.setdefault(q, {})[d] = {"relevance": g, "votes": 3}
        people.setdefault(q, {})[d] = {"ann": g, "ben": g}
    assert "--columns grade=relevance" in refused(read_judgments, votes)
    assert "the same names, ann, ben" in refused(read_judgments, people)


# ── preferences ──────────────────────────────────────────────────────────────────────────────────

PAIRS = [
    ("q1", "x", "y", "left"),
    ("q1", "y", "z", "right"),
    ("q2", "x", "z", "tie"),
    ("q2", "z", "x", "left"),
]


def outcomes(path: str) -> list[tuple[str, str, str, str]]:
    found = read_preferences(path).columns()
    return list(zip(found["topic"], found["left"], found["right"], found["outcome"], strict=True))


@pytest.mark.parametrize(
    ("left", "right", "tie"),
    [
        ("a", "b", "tie"),
        ("A", "B", "both bad"),
        ("1", "2", "0"),
        ("1", "-1", "0"),
        ("first", "second", "equal"),
        ("model_a", "model_b", "tie (bothbad)"),
        ("LEFT", "RIGHT", "draw"),
    ],
)
def test_winners_are_written_in_many_ways(left: str, right: str, tie: str) -> None:
    words = {"left": left, "right": right, "tie": tie}
    rows = [(q, a, b, words[x]) for q, a, b, x in PAIRS]
    assert outcomes(written("p.csv", rows, "query_id,doc_a,doc_b,winner")) == PAIRS


def test_the_winner_may_be_named() -> None:
    rows = [(q, a, b, {"left": a, "right": b}.get(x, x)) for q, a, b, x in PAIRS]
    assert outcomes(written("p.csv", rows, "topic,left,right,winner")) == PAIRS


def test_one_and_zero_may_mean_two_things() -> None:
    rows = [(q, a, b, int(x == "left")) for q, a, b, x in PAIRS]
    message = refused(read_preferences, written("p.csv", rows, "topic,left,right,winner"))
    assert "0 may be a tie or the right document" in message


def test_a_header_of_three_columns_says_who_won() -> None:
    decided = [(q, b, a) if x == "right" else (q, a, b) for q, a, b, x in PAIRS if x != "tie"]
    won = [(q, a, b, "left") for q, a, b in decided]
    for separator in "\t ,":
        for header, order in (("topic winner loser", (0, 1, 2)), ("topic loser winner", (0, 2, 1))):
            rows = [tuple(row[n] for n in order) for row in decided]
            file = written("p", rows, header.replace(" ", separator), separator)
            assert outcomes(file) == won, (header, separator)
    chosen = written("p.tsv", decided, "prompt\tchosen\trejected", "\t")
    assert outcomes(chosen) == won


def test_marks_of_outcomes_may_have_a_column_each() -> None:
    rows = [(q, a, b, int(x == "left"), int(x == "right"), int(x == "tie")) for q, a, b, x in PAIRS]
    file = written("p.csv", rows, "prompt,model_a,model_b,winner_model_a,winner_model_b,winner_tie")
    assert outcomes(file) == PAIRS


# ── scores ───────────────────────────────────────────────────────────────────────────────────────

SCORES = [("one", "t1", 0.25), ("one", "t2", 0.75), ("two", "t1", 0.5), ("two", "t2", 0.125)]


@pytest.mark.parametrize("word", ["overall", "Total", "macro avg"])
def test_the_mean_of_the_topics_is_no_topic(word: str) -> None:
    means = [("one", word, 0.5), ("two", word, 0.3125)]
    assert read_scores(written("s.csv", [*SCORES, *means], "run,topic,nDCG@10")).topics == ("t1", "t2")
    others = [("one", word, 0.9), ("two", word, 0.1)]
    assert read_scores(written("s.csv", [*SCORES, *others], "run,topic,nDCG@10")).topics == ("t1", "t2", word)


def test_folds_and_seeds_are_no_measures() -> None:
    rows = [(run, topic, 3, 42, score) for run, topic, score in SCORES]
    assert read_scores(written("s.csv", rows, "run,topic,fold,seed,nDCG@10")).measures == ("nDCG@10",)


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("ndcg@10,mrr@10,recall@10", "are measures"),
        ("query_id,ndcg@10,mrr@10", "no column names the run"),
        ("epoch,step,eval_loss", "log of training"),
        ("epoch,steps,cosine-NDCG@10", "log of training"),
    ],
)
def test_tables_of_measures_are_not_runs(header: str, says: str) -> None:
    rows = [(n, 0.5 + n / 10, 0.25) for n in range(3)]
    assert says in refused(read_scores, written("s.csv", rows, header))


# ── what the user says ───────────────────────────────────────────────────────────────────────────


def test_columns_are_named_by_role() -> None:
    judged = written("q.csv", GRADED, "case,paper,stars")
    ranked = written("r.csv", [(q, d, -s) for q, d, s in RANKED], "case,paper,distance")
    said = {"topic": "case", "document": "paper", "grade": "stars", "score": "-distance"}
    found = evaluate(judged, ranked, MEASURES, columns=said)
    assert found.values.tobytes() == WANTED
    text = ",".join(f"{role}={name}" for role, name in said.items())
    assert evaluate(judged, ranked, MEASURES, columns=text).values.tobytes() == WANTED
    frames = [pd.read_csv(file) for file in (judged, ranked)]
    assert evaluate(frames[0], frames[1], MEASURES, columns=said).values.tobytes() == WANTED
    rows = [frame.to_dict("records") for frame in frames]
    assert evaluate(rows[0], rows[1], MEASURES, columns=said).values.tobytes() == WANTED
    with pytest.raises(InputError, match="there is no column 'moons'; there are case, paper, stars"):
        read_judgments(judged, columns={**said, "grade": "moons"})


def test_columns_are_named_by_position() -> None:
    judged = written("u.data", [(*row, 881250949) for row in GRADED], separator="\t")
    ranked = written("r.tsv", RANKED, separator="\t")
    said = ["topic,document,grade,-", "topic,document,score"]
    assert evaluate(judged, ranked, MEASURES, columns=said).values.tobytes() == WANTED
    assert len(read_judgments(judged, columns=["user", "item", "rating", "-"])) == len(GRADED)
    assert len(read_run(ranked, columns="query,doc,score")) == len(RANKED)
    trec = written("r.run", [(q, "Q0", d, 1, s, "x") for q, d, s in RANKED], separator=" ")
    assert evaluate(judged, trec, MEASURES, columns=said[0]).values.tobytes() == WANTED
    tuples = [(*row, 5) for row in GRADED]
    assert evaluate(tuples, RANKED, MEASURES, columns=said[0]).values.tobytes() == WANTED


def test_a_column_beside_the_grade_may_be_chosen() -> None:
    rows = [(q, d, 3 - g, g) for q, d, g in GRADED]
    for form in in_every_form(["qid", "docno", "label", "clicks"], rows):
        with pytest.warns(RankprismWarning, match="the grade is clicks"):
            assert evaluate(form, RANKED, MEASURES, columns={"grade": "clicks"}).values.tobytes() == WANTED


def test_paths_lead_into_json() -> None:
    topics = list(dict.fromkeys(q for q, _, _ in RANKED))
    rows = [{"ask": {"key": t}, "refs": [d for q, d, _ in RANKED if q == t]} for t in topics]
    Path("r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evaluate(GRADED, "r.jsonl", MEASURES, columns="topic=ask.key,document=refs[]")
    assert found.values.tobytes() == WANTED


def test_preferences_may_have_any_names() -> None:
    file = written("p.csv", [(x, b, a, q) for q, a, b, x in PAIRS], "said,two,one,about")
    said = {"topic": "about", "left": "one", "right": "two", "outcome": "said"}
    found = read_preferences(file, columns=said).columns()
    assert list(zip(*(found[name] for name in ("topic", "left", "right", "outcome")), strict=True)) == PAIRS


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"colour": "x"}, "there is no role 'colour'; there are topic, document, grade"),
        ("topic,topic,grade", "topic is named twice; - skips a column"),
        (5, "columns are roles with names"),
    ],
)
def test_columns_that_say_nothing_are_refused(given: Any, says: str) -> None:
    assert says in refused(lambda: read_judgments(written("q.csv", GRADED, "qid,docno,rel"), columns=given))


def test_columns_on_the_command_line(cli: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    judged = written("u.data", [(*row, 881250949) for row in GRADED], separator="\t")
    ranked = written("r.tsv", RANKED, separator="\t")
    wanted = evaluate(GRADED, {"r": RANKED}, "nDCG@5").mean()["r"]["nDCG@5"]
    how = ["-m", "nDCG@5", "--format", "csv"]
    refused = cli("evaluate", judged, ranked, *how)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--columns topic,document,grade,-" in refused.stderr
    said = ["--columns", "topic,document,grade,-", "--columns", "topic,document,score"]
    done = cli("evaluate", judged, ranked, *how, *said)
    assert (done.returncode, float(done.stdout.split(",")[-1])) == (0, wanted)
    named = written("n.csv", GRADED, "case,paper,stars")
    options = ["--columns", "topic=case,document=paper,grade=stars"]
    run = written("r.run", [(q, "Q0", d, 1, s, "x") for q, d, s in RANKED], separator=" ")
    done = cli("evaluate", named, run, *how, *options)
    assert (done.returncode, float(done.stdout.split(",")[-1])) == (0, wanted)
    words = [(q, d, ("no", "some", "good", "best")[g]) for q, d, g in GRADED]
    labels = ["--labels", "stars=no,some,good,best", "--columns", "topic=case,document=paper,grade=stars"]
    done = cli("evaluate", written("w.csv", words, "case,paper,stars"), run, *how, *labels)
    assert (done.returncode, float(done.stdout.split(",")[-1])) == (0, wanted)
    old = cli("evaluate", named, run, *how, "--columns", "2")
    assert "--page-columns 2" in old.stderr


def test_grades_that_begin_with_1_are_noted() -> None:
    rated = [(q, d, g + 1) for q, d, g in GRADED]
    with pytest.warns(RankprismWarning, match="the lowest of the 32 grades of judgments is 1"):
        evaluate(rated, RANKED, "P@3")
    assert same(GRADED)
