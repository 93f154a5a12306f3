"""What the organiser sees and does: judgments, topics, instructions, pairs in both orders, older studies."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from rankprism import InputError
from rankprism.judging.assess import audit, dashboard, exchange, right_answers, study_state, work
from rankprism.judging.assess.charts import Bar, Line, Point, bars, lines
from rankprism.judging.assess.choice import Question, in_both_orders, read_questions
from rankprism.judging.assess.consistency import consistency
from rankprism.judging.assess.pace import pace
from rankprism.judging.assess.settings import Settings
from rankprism.judging.preferences import describe
from tests.support.assessing import Page, Person, Served, by_worth, make_collection, opened

# ── pairs in both orders, and questions that come again ──────────────────────────────────────────


def tasks_file(path: Path) -> Path:
    """Two pairs in both orders, as `preferences select --both-orders` writes them."""
    pairs = [("1", "1-d1", "1-d2"), ("2", "2-d5", "2-d3")]
    rows = [
        {"id": f"x{n}", "batch": 1, "topic": t, "given": [], "left": a, "right": b, "order": 1}
        for n, (t, a, b) in enumerate(pairs)
    ]
    rows += [row | {"left": row["right"], "right": row["left"], "order": 2} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def better(page: Page) -> str:
    left, right = page.documents
    return by_worth(left, right, ())


def seen_by(person: Person) -> list[tuple[str, ...]]:
    """The pairs that somebody is shown, left and right, until there is no more."""
    seen = []
    page = person.get("/task")
    while page.is_task:
        seen.append(page.documents)
        page = person.submit(page, better(page))
    return seen


def test_the_same_assessor_judges_a_pair_in_both_orders(tmp_path: Path) -> None:
    settings = Settings(choice="file")
    served = Served(opened(tmp_path, settings, tasks=tasks_file(tmp_path / "tasks.jsonl")))
    ann, ben = served.person("ann"), served.person("ben")
    first = ann.get("/task")
    ann.submit(first, "left")
    assert seen_by(ben) == [("2-d5", "2-d3"), ("2-d3", "2-d5")]
    assert first.documents == ("1-d1", "1-d2")
    assert seen_by(ann) == [("1-d2", "1-d1")]
    with served.store.reading() as connection:
        rows = [
            (one.assessor, one.left, one.right, one.outcome) for one in exchange.answered(connection, True)
        ]
        own = {who: found.own for who, found in consistency(connection).items()}
        answers = exchange.preferences(connection, True)
    assert answers is not None
    described = describe(answers)
    assert sorted(rows) == [
        ("ann", "1-d1", "1-d2", "left"),
        ("ann", "1-d2", "1-d1", "right"),
        ("ben", "2-d3", "2-d5", "left"),
        ("ben", "2-d5", "2-d3", "right"),
    ]
    assert set(own.values()) == {right_answers.Score(1, 1)}
    assert described is not None
    served.store.close()


def test_different_assessors_judge_the_two_orders(tmp_path: Path) -> None:
    settings = Settings(choice="file", both_orders="different")
    served = Served(opened(tmp_path, settings, tasks=tasks_file(tmp_path / "tasks.jsonl")))
    assert seen_by(served.person("ann")) == [("1-d1", "1-d2"), ("2-d5", "2-d3")]
    assert seen_by(served.person("ben")) == [("1-d2", "1-d1"), ("2-d3", "2-d5")]
    served.store.close()


@pytest.mark.parametrize("orders", ["same", "different"])
def test_every_pair_is_asked_in_both_orders_of_those_who_should(
    orders: Any, tmp_path: Path, target: str
) -> None:
    """With overlap, in whatever order people come; compared with counts made here."""
    settings = Settings(depth=2, overlap=2, both_orders=orders, batch=4)
    collection = make_collection(tmp_path, ("1",))
    served = Served(opened(tmp_path, settings, collection=collection, target=target))
    people = {name: served.person(name) for name in ("ann", "ben", "cem", "dua")}
    for turn in range(25):
        person = list(people.values())[(turn * turn) % 4]
        page = person.get("/task")
        if page.is_task:
            person.submit(page, better(page))
    for person in people.values():
        person.work()
    with served.store.reading() as connection:
        rows = [(one.assessor, one.left, one.right) for one in exchange.answered(connection, True)]
    assert len(rows) == len(set(rows)) == 10 * 2 * 2  # pairs, orders, overlap
    sides = Counter(row[1:] for row in rows)
    assert set(sides.values()) == {2}
    both = Counter((who, frozenset(docs)) for who, *docs in rows)
    assert set(both.values()) == {2 if orders == "same" else 1}
    served.store.close()


def test_adaptive_choice_and_a_budget_count_both_orders(tmp_path: Path) -> None:
    settings = Settings(depth=3, choice="random", budget=8, both_orders="same")
    served = Served(opened(tmp_path, settings))
    assert len(seen_by(served.person("ann"))) == 8
    served.store.close()
    (tmp_path / "more").mkdir()
    adaptive = Settings(depth=3, choice="adaptive", ask="both", budget=13, batch=6, both_orders="same")
    served = Served(opened(tmp_path / "more", adaptive))
    served.person("ann").work()
    with served.store.reading() as connection:
        rows = exchange.answered(connection, True)
    pairs = Counter((one.topic, one.given, frozenset((one.left, one.right))) for one in rows)
    assert (len(rows), set(pairs.values())) == (12, {2})
    served.store.close()


def test_judgments_in_both_orders_are_imported_where_they_belong(tmp_path: Path) -> None:
    settings = Settings(choice="file")
    tasks = tasks_file(tmp_path / "tasks.jsonl")
    served = Served(opened(tmp_path, settings, tasks=tasks))
    served.person("ann").work()
    text = exchange.export(served.store, "tsv", identities=True).text
    (tmp_path / "prefs.tsv").write_bytes(text)
    (tmp_path / "new").mkdir()
    again = opened(tmp_path / "new", settings, tasks=tasks)
    assert exchange.import_judgments(again, tmp_path / "prefs.tsv").added == 4
    assert exchange.import_judgments(again, tmp_path / "prefs.tsv").known == 4
    with again.reading() as connection:
        assert work.study_progress(connection, settings) == (4, 4)
    assert exchange.export(again, "tsv", identities=True).text == text
    served.store.close()
    again.close()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"order": 3}, "order is 1 or 2"),
        ({"left": "1-d1", "right": "1-d2"}, "no line with the other order and swapped sides"),
        ({"order": 1}, "are asked twice with order 1 and different sides"),
    ],
)
def test_a_pair_with_half_of_its_orders_is_refused(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tasks_file(tmp_path / "tasks.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[2] |= changed
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=message):
        read_questions(path, "pairs")


def test_both_orders_put_each_batch_before_its_swapped_sides() -> None:
    questions = [Question.of("1", (), f"d{n}", f"e{n}") for n in range(5)]
    found = in_both_orders(questions, 3, seed=0)
    assert [q.again for q in found] == [False] * 3 + [True] * 3 + [False] * 2 + [True] * 2
    assert [q.first for q in found] == [f"d{n}" for n in (0, 1, 2, 0, 1, 2, 3, 4, 3, 4)]
    for one in found:
        (other,) = [q for q in found if q.first == one.first and q.again != one.again]
        assert one.swapped != other.swapped


def test_repeated_questions_show_who_agrees_with_themselves(tmp_path: Path, target: str) -> None:
    settings = Settings(depth=3, repeat_every=3)
    served = Served(opened(tmp_path, settings, target=target))
    ann, ben = served.person("ann"), served.person("ben")
    ann.work(most=12)
    ben.work(lambda left, right, given: "left", most=9)  # whatever is on the left
    with served.store.reading() as connection:
        found = consistency(connection)
        rows = audit.judgments(connection, audit.Wanted(purpose="repeat")).rows
        exported = exchange.answered(connection, False)
    ann_row, ben_row = (found[n] for n in (1, 2))
    assert ann_row.own == right_answers.Score(4, 4) or ann_row.own == right_answers.Score(3, 3)
    assert ben_row.own.right == 0 < ben_row.own.answers
    # The repeated question comes with its sides swapped, and is not part of the result.
    assert len(rows) == ann_row.own.answers + ben_row.own.answers
    assert len(exported) == 12 + 9 - len(rows)
    assert len({(one.assessor, one.left, one.right) for one in exported}) == len(exported)
    served.store.close()


# ── the pages ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def judged(tmp_path: Path) -> Served:
    served = Served(opened(tmp_path, Settings(depth=3, overlap=2)))
    ann, ben = served.person("ann"), served.person("ben")
    page = ann.get("/task")
    page = ann.submit(page, "left", comment="Hard <to> say")
    ann.post("/undo", csrf=page.field("csrf"))
    page = ann.get("/task")
    ann.submit(page, "right", comment="Easy after all")
    ann.work(most=6)
    ben.work(lambda left, right, given: "tie", most=3)
    return served


def test_judgments_are_listed_filtered_and_have_a_history(judged: Served) -> None:
    boss = judged.organiser()
    assert "11 judgments, the latest first; here 1 to 11" in boss.get("/organiser/judgments").text
    for query, number in {
        "assessor=ben": 3,
        "commented=yes": 2,
        "withdrawn=yes": 1,
        "answer=tie": 3,
        "topic=2": 0,
        "purpose=gold": 0,
        f"words={quote('<to>')}": 1,
        "words=1-d5": None,
    }.items():
        text = boss.get(f"/organiser/judgments?{query}").text
        found = re.search(r"<p>(\d+) judgments?[,.]", text)
        assert found is not None
        with judged.store.reading() as connection:
            rows = audit.judgments(connection, audit.Wanted(), size=100).rows
        expected = number if number is not None else sum("1-d5" in row.documents for row in rows)
        assert int(found[1]) == expected, query
    text = boss.get("/organiser/judgments?withdrawn=yes").text
    linked = re.search(r"/organiser/judgments/(\d+)", text)
    assert linked is not None
    page = boss.get(f"/organiser/judgments/{linked[1]}").text
    history = re.search(r"<h3>History.*?</table>", page, re.S)
    assert history is not None
    assert history[0].index("Hard &lt;to&gt; say") < history[0].index("Easy after all")
    assert "version 1" in history[0]
    others = page.split("Other answers to", 1)[1]
    assert "about the same" in others  # Ben's answer to the same question
    assert boss.get("/organiser/judgments/99999").status == 404
    assert judged.person("cem").get("/organiser/judgments").status == 403
    judged.store.close()


def test_many_judgments_are_listed_on_several_pages(judged: Served) -> None:
    with judged.store.reading() as connection:
        every = audit.judgments(connection, audit.Wanted(), size=100).rows
        pages = [audit.judgments(connection, audit.Wanted(), start, 4) for start in (0, 4, 8)]
    assert [row for page in pages for row in page.rows] == list(every)
    assert [row.id for row in every] == sorted((row.id for row in every), reverse=True)
    judged.store.close()


def test_topics_are_for_those_to_whom_they_are_assigned(tmp_path: Path, target: str) -> None:
    served = Served(opened(tmp_path, Settings(depth=2), assessors=["ann", "ben", "cem"], target=target))
    boss = served.organiser()
    csrf = boss.get("/organiser/topics").field("csrf")
    page = boss.post("/organiser/topics", csrf=csrf, assigned="1: ann, cem\n2:\n")
    assert "Topics that are assigned to somebody: 1." in page.text
    with served.store.reading() as connection:
        one, two = dashboard.topic_rows(connection)
    assert (one.assessors, two.assessors) == (("ann", "cem"), ())
    ben, ann = served.person("ben"), served.person("ann")
    ben.work()
    with served.store.reading() as connection:
        assert {row.topic for row in exchange.answered(connection, True)} == {"2"}
    ann.work()
    with served.store.reading() as connection:
        assert {one.topic for one in exchange.answered(connection, True) if one.assessor == "ann"} == {"1"}
        assert work.study_progress(connection, Settings()) == (20, 20)
    assert boss.post("/organiser/topics", csrf=csrf, assigned="9: ann").status == 400
    assert "no assessor 'zoe'" in boss.post("/organiser/topics", csrf=csrf, assigned="1: zoe").text.replace(
        "&#39;", "'"
    )
    with served.store.reading() as connection:  # what was refused changed nothing
        assert dashboard.topic_rows(connection) != (one, two)
        assert [row.assessors for row in dashboard.topic_rows(connection)] == [("ann", "cem"), ()]
    served.store.close()


def test_instructions_are_edited_and_every_answer_knows_its_version(judged: Served) -> None:
    boss, ann = judged.organiser(), judged.person("ann")
    csrf = boss.get("/organiser/instructions").field("csrf")
    page = boss.post("/organiser/instructions", csrf=csrf, text="Read *both* first.")
    assert "Version 2 of the instructions" in page.text
    assert "Version 2 of" in boss.post("/organiser/instructions", csrf=csrf, text="Read *both* first.").text
    assert boss.post("/organiser/instructions", csrf=csrf, text="  ").status == 400
    ann = judged.person("ann")  # a new link, by which she sees the new instructions
    ben = Person(judged.client())
    with judged.store.writing() as connection:
        from rankprism.judging.assess import access

        session = access.new_token(connection, "session", 2)
    ben.client.cookies["rankprism-assessor"] = session
    told = study_state.NEW_INSTRUCTIONS
    assert told not in ann.get("/task").text
    page = ben.get("/task")
    assert told in page.text
    page = ben.submit(page, "tie")
    assert told in page.text  # he has not opened them
    assert "Read <em>both</em> first." in ben.get("/instructions").text
    page = ben.get("/task")
    assert told not in page.text
    ben.submit(page, "tie")
    one, two = exchange.provenance(judged.store)["instructions"]
    assert (one["version"], two["version"], two["text"]) == (1, 2, "Read *both* first.")
    assert (one["judgments"], two["judgments"]) == (11, 1)
    with judged.store.reading() as connection:
        assert study_state.load(connection).settings.instructions == "Read *both* first."
    judged.store.close()


def test_the_dashboard_has_charts_that_say_what_they_show(judged: Served) -> None:
    judged.site.standings.renew(judged.store, judged.site.settings)
    page = judged.organiser().get("/organiser").text
    charts = re.findall(r'<svg class="chart"[^>]*role="img" aria-label="([^"]+)"', page)
    assert [text.split(":")[0] for text in charts] == ["Agreement", "Answers", "Seconds for an answer"]
    assert "10 answers in" in charts[1]
    assert page.count('class="strip"') == 3  # two topics are too few for sets of ranks
    assert 'aria-label="Topic 1"' in page
    judged.store.close()


def test_sets_of_ranks_are_those_of_the_leaderboard() -> None:
    from rankprism import evaluate, leaderboard, sample

    scores = evaluate(sample.QRELS, list(sample.RUNS), "P@10")
    assert dashboard.possible_ranks(scores.values[:, :, 0]) == leaderboard(scores).ranks()
    assert dashboard.possible_ranks(scores.values[:1, :, 0]) == [(1, 1)]
    assert dashboard.possible_ranks(scores.values[:, :2, 0]) == [None] * len(scores.runs)


def test_charts_hold_whatever_the_numbers_are() -> None:
    drawn = lines("α", "none", [], "judgments", (0, 1))
    assert "<polyline" not in drawn
    nan = float("nan")
    drawn = lines("<α>", "x", [Line("", [Point(0, nan), Point(3, 0.5, nan, nan)])], "judgments", (0, 1))
    assert "nan" not in drawn
    assert "&lt;α&gt;" in drawn
    assert bars("n", "x", []).count("<rect") == 0
    assert bars("n", "x", [Bar("<a>", 0.0), Bar("b", 7.0)]).count("<rect") == 2


def test_pace_counts_every_answer_in_spans_that_fit() -> None:
    times = [(f"2026-03-{day:02d}T{hour:02d}:00:00+00:00", float(hour)) for day in (1, 9) for hour in (8, 9)]
    found = pace([*times, ("not a time", 3.0), ("2026-03-09T10:00:00", None)])
    assert found.unit == "day"
    assert [span.answers for span in found.spans] == [2, 0, 0, 0, 0, 0, 0, 0, 3]
    assert [span.seconds for span in found.spans][::8] == [8.5, 8.5]
    assert pace([]).spans == ()
