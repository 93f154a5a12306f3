"""Which questions a study asks, from what it is made from. No database is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from rankprism import Collection, InputError
from rankprism.formats.documents import Document
from rankprism.formats.topics import Topic
from rankprism.judging.assess.choice import Question
from rankprism.judging.assess.known_answers import Check
from rankprism.judging.assess.question_plan import (
    PLANS,
    Plan,
    drawn_documents,
    every_question,
    none_yet,
    questions_of_file,
    random_questions,
)
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.study_files import Given, StudyFiles
from rankprism.judging.judges.drawn import DrawnPair
from rankprism.types import StudyChoice


def given(settings: Settings, **more: Any) -> Given:
    """Two topics with three and two documents that have a text."""
    pools = {"10": ["a", "b", "c"], "9": ["d", "e"]}
    texts = {doc: Document(doc, f"Text of {doc}") for doc in "abcde"}
    return replace(Given(settings, ("x", "y"), {}, pools, texts, {}, None, (), (), {}, {}), **more)


def shown(questions: Sequence[Question]) -> list[tuple[str, ...]]:
    return sorted((q.topic, *q.given, q.first, *(() if q.second is None else (q.second,))) for q in questions)


PAIRS = [("10", "a", "b"), ("10", "a", "c"), ("10", "b", "c"), ("9", "d", "e")]


def test_every_pair_is_asked_or_every_document_graded() -> None:
    assert shown(every_question(given(Settings(depth=3)))) == PAIRS
    graded = every_question(given(Settings(depth=3, ask="grades")))
    assert shown(graded) == [("10", "a"), ("10", "b"), ("10", "c"), ("9", "d"), ("9", "e")]


def test_a_budget_is_divided_among_topics_and_orders() -> None:
    settings = Settings(choice="random", budget=2, seed=4)
    found = random_questions(given(settings))
    assert sorted(q.topic for q in found) == ["10", "9"]
    assert set(shown(found)) <= set(PAIRS)
    # Each question has two orders, so that the budget is enough for one of them.
    twice = Plan.of(given(replace(settings, both_orders="same")))
    assert [q.again for q in twice.questions] == [False, True]
    assert twice.questions[0].swapped is not twice.questions[1].swapped


def test_questions_of_a_file_are_asked_in_their_order() -> None:
    questions = [Question.of("9", (), "e", "d"), Question.of("10", ("c",), "b", "a")]
    settings = Settings(choice="file", ask="both")
    assert questions_of_file(given(settings, questions=questions)) == questions
    plan = Plan.of(given(settings, questions=questions))
    assert list(plan.questions) == questions
    assert [topic.id for topic in plan.topics] == ["9", "10"]


def test_drawn_documents_are_graded() -> None:
    pairs = [DrawnPair("9", "e", 0.5, 1), DrawnPair("10", "a", 0.25, 2)]
    settings = Settings(choice="drawn", ask="grades")
    assert shown(drawn_documents(given(settings, drawn=pairs))) == [("10", "a"), ("9", "e")]


def test_an_adaptive_study_begins_with_no_question_and_wants_its_budget() -> None:
    material = given(Settings(choice="adaptive", ask="both", budget=7, overlap=2))
    assert none_yet(material) == ()
    plan = Plan.of(material)
    assert (plan.questions, plan.judgments) == ((), 14)
    assert [topic.id for topic in plan.topics] == ["9", "10"]


def test_every_choice_has_a_plan() -> None:
    assert set(PLANS) == set(get_args(StudyChoice))


def test_questions_about_documents_without_a_text_are_left_out() -> None:
    questions = [Question.of("9", (), "d", "e"), Question.of("9", (), "d", "no text")]
    settings = Settings(choice="file", overlap=3)
    plan = Plan.of(given(settings, questions=questions))
    assert (plan.questions, plan.judgments) == ((questions[0],), 3)
    with pytest.raises(InputError, match="there is nothing to ask"):
        Plan.of(given(settings, questions=questions[1:]))
    with pytest.raises(InputError, match="there is nothing to ask"):
        Plan.of(given(Settings(), pools={"9": ["d"]}))


def test_a_file_of_topics_has_the_topics_of_all_questions() -> None:
    words = {"9": Topic("9", "nine"), "10": Topic("10", "ten")}
    assert Plan.of(given(Settings(), words=words)).topics == (words["9"], words["10"])
    gold = {"gold": [Check(Question.of("11", (), "a", "b"), "tie")]}
    with pytest.raises(InputError, match="1 topics of the runs are not in the file of topics, such as '11'"):
        Plan.of(given(Settings(), words=words, checks=gold))
    assert [topic.id for topic in Plan.of(given(Settings(), checks=gold)).topics] == ["9", "10", "11"]


def test_what_a_study_is_made_from_is_read_without_a_database(tmp_path: Path) -> None:
    texts = tmp_path / "d.jsonl"
    texts.write_text("".join(f'{{"id": "{doc}", "text": "x"}}\n' for doc in "abc"))
    runs = {"y": {"q": ["a", "b", "c"]}, "x": {"q": ["b", "z", "c"]}}
    collection = Collection.of(None, runs, order="input")
    with pytest.raises(InputError, match="has no text for 1 documents, such as 'z'"):
        Given.read(Settings(depth=2), collection, StudyFiles(texts), "error")
    found = Given.read(Settings(depth=2, measure="nPrf@3"), collection, StudyFiles(texts), "skip")
    assert found.pools == {"q": ["b", "a"]}
    assert [*found.rankings.items()] == [("x", {"q": ["b", "z", "c"]}), ("y", {"q": ["a", "b", "c"]})]
    assert found.provenance["order"] == "input"
    assert found.provenance["documents"]["file"] == "d.jsonl"


def test_tasks_in_both_orders_decide_the_settings(tmp_path: Path) -> None:
    texts, tasks = tmp_path / "d.jsonl", tmp_path / "t.jsonl"
    texts.write_text("".join(f'{{"id": "{doc}", "text": "x"}}\n' for doc in "ab"))
    rows = ('"left": "a", "right": "b", "order": 1', '"left": "b", "right": "a", "order": 2')
    tasks.write_text("".join(f'{{"topic": "q", {row}}}\n' for row in rows))
    collection = Collection.of(None, {"x": {"q": ["a", "b"]}}, order="input")
    found = Given.read(Settings(choice="file"), collection, StudyFiles(texts, tasks=tasks), "error")
    assert found.settings.both_orders == "same"
    assert [question.again for question in Plan.of(found).questions] == [False, True]
