"""A study: how it is made, how tasks are given out, and that what was answered stays."""

from __future__ import annotations

import hmac
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from rankprism.errors import InputError
from rankprism.judging.assess import (
    access,
    adaptive,
    dashboard,
    exchange,
    open_task,
    right_answers,
    store,
    study_state,
    work,
)
from rankprism.judging.assess.choice import Question, complete, read_questions, sampled
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.judging.assess.wording import Wording
from rankprism.types import Ask
from tests.support.assessing import Collection, assessor, judge, made, make_collection, settings_of, worth


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return make_collection(tmp_path)


@pytest.fixture
def study(target: str, collection: Collection) -> Iterator[Store]:
    open_study = made(target, collection)
    yield open_study
    open_study.close()


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def test_complete_choice_asks_every_pair_and_triplet_once() -> None:
    docs = ["a", "b", "c", "d"]
    pairs = {((), *pair) for pair in combinations(docs, 2)}
    triplets = {((z,), *pair) for z in docs for pair in combinations([d for d in docs if d != z], 2)}
    every: dict[Ask, Any] = {
        "pairs": pairs,
        "triplets": triplets,
        "both": pairs | triplets,
    }
    for ask, expected in every.items():
        found = complete({"q": docs}, ask, seed=1)
        assert len(found) == len(expected)
        assert {(q.given, q.first, q.second) for q in found} == expected
    assert [q.first for q in sorted(complete({"q": docs}, "grades", 0), key=lambda q: q.first)] == docs


def test_random_choice_takes_the_same_number_of_every_topic_as_far_as_it_can() -> None:
    pools = {"small": ["a", "b"], "large": list("abcdefgh"), "other": list("abcdefgh")}
    found = sampled(pools, "pairs", 21, seed=3)
    assert Counter(q.topic for q in found) == {"small": 1, "large": 10, "other": 10}
    assert len(set(found)) == 21
    assert found == sampled(pools, "pairs", 21, seed=3)
    assert found != sampled(pools, "pairs", 21, seed=4)
    assert len(sampled(pools, "pairs", 1000, seed=3)) == 1 + 28 + 28  # no more than there are


def test_too_many_questions_are_refused_with_a_remedy() -> None:
    pool = {"q": [f"d{i}" for i in range(100)]}
    with pytest.raises(InputError, match=r"485,100 questions to ask.*--budget"):  # 100 · C(99, 2)
        complete(pool, "triplets", seed=0)


def test_a_question_is_the_same_however_its_documents_are_named() -> None:
    assert Question.of("q", ["z", "y"], "b", "a").key() == Question.of("q", ["y", "z"], "a", "b").key()
    assert Question.of("q", [], "a", "b").key() != Question.of("q", ["z"], "a", "b").key()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"topic": "1", "left": "a"}', "line 1: a question needs topic, left, right"),
        ('{"topic": "1", "left": "a", "right": "a"}', "line 1: the question has a document twice"),
        ('{"topic": "1", "left": "a", "right": "b", "given": 3}', "line 1: given must be a list"),
        ("[1]", "line 1: is a JSON array"),
        ("1", "line 1: is not a JSON object"),
    ],
)
def test_bad_questions_are_refused(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(InputError, match=message):
        read_questions(file, "pairs")


# ── the database ─────────────────────────────────────────────────────────────────────────────────


def test_the_migrations_make_the_schema_that_the_code_uses(study: Store) -> None:
    with study.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), store.metadata) == []


def test_sqlite_writes_through_to_the_disk(tmp_path: Path, collection: Collection) -> None:
    study = made(str(tmp_path / "s.db"), collection)
    with study.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    study.close()


def test_a_study_of_a_newer_version_is_refused(tmp_path: Path, collection: Collection) -> None:
    target = str(tmp_path / "s.db")
    made(target, collection).close()
    with sqlite3.connect(target) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(InputError, match="newer rankprism"), store.opened(target):
        pass


def test_a_file_that_is_not_a_study_is_refused(tmp_path: Path, collection: Collection) -> None:
    text = tmp_path / "text.db"
    text.write_text("This is no database at all, but it is long enough to have a header.")
    with pytest.raises(InputError, match=r"text\.db"), store.opened(str(text)):
        pass
    empty = tmp_path / "empty.db"
    sqlite3.connect(empty).close()
    empty.touch()
    with pytest.raises(InputError, match="has no study"), store.opened(str(empty)):
        pass
    with pytest.raises(InputError, match="there is no such study"), store.opened(str(tmp_path / "none.db")):
        pass
    with pytest.raises(InputError, match="SQLite or PostgreSQL"), store.opened("mysql://host/name"):
        pass
    with pytest.raises(InputError, match="exists already"):
        made(str(text), collection)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(InputError) as error, store.opened("postgresql+psycopg://u:secret@127.0.0.1:1/x"):
        pass
    assert "secret" not in str(error.value)
    assert "127.0.0.1" in str(error.value)


def test_a_study_is_made_whole_or_not_at_all(tmp_path: Path, collection: Collection) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("topic\tleft\tright\toutcome\n1\t1-d1\t1-d2\tleft\n1\t1-d2\t1-d1\tleft\n")
    before = set(tmp_path.iterdir())
    with pytest.raises(InputError, match="two different answers"):
        made(str(tmp_path / "new.db"), collection, gold=gold)
    assert set(tmp_path.iterdir()) == before


def test_nothing_is_left_in_postgresql_after_a_failure(
    postgres: Callable[[], str], tmp_path: Path, collection: Collection
) -> None:
    target = postgres()
    gold = tmp_path / "gold.tsv"
    gold.write_text("topic\tleft\tright\toutcome\n1\t1-d1\t1-d2\tleft\n1\t1-d2\t1-d1\tleft\n")
    with pytest.raises(InputError, match="two different answers"):
        made(target, collection, gold=gold)
    made(target, collection).close()
    with pytest.raises(InputError, match="has a study already"):
        made(target, collection)


# ── tasks and answers ────────────────────────────────────────────────────────────────────────────


def test_two_assessors_never_have_the_same_task_and_all_of_it_gets_done(study: Store) -> None:
    ann, ben = assessor(study, "ann"), assessor(study, "ben")
    settings = settings_of(study)
    seen = []
    for turn in range(100):
        who = (ann, ben)[turn % 2]
        task = work.next_task(study, settings, who)
        if task is None:
            break
        assert work.next_task(study, settings, who) == task  # who comes back finds the same task
        seen.append((task.topic, frozenset(text.name for text in task.documents)))
        assert judge(study, who, task) == "stored"
    assert len(seen) == len(set(seen)) == 2 * 10  # two topics, five documents, every pair


def test_overlap_gives_every_task_to_several_assessors_and_never_twice_to_one(
    target: str, collection: Collection
) -> None:
    study = made(target, collection, Settings(depth=3, overlap=2))
    settings = settings_of(study)
    for name in ("ann", "ben"):
        who = assessor(study, name)
        while (task := work.next_task(study, settings, who)) is not None:
            judge(study, who, task)
    assert work.next_task(study, settings, assessor(study, "eva")) is None
    with study.reading() as connection:
        counts = Counter(connection.scalars(sa.select(store.judgment.c.task)))
        pairs = connection.execute(sa.select(store.judgment.c.task, store.judgment.c.assessor)).all()
    assert set(counts.values()) == {2}
    assert len(set(pairs)) == len(pairs) == 40
    study.close()


def test_submitting_twice_stores_one_and_the_first_answer_counts(study: Store) -> None:
    ann = assessor(study, "ann")
    task = work.next_task(study, settings_of(study), ann)
    assert task is not None
    assert work.submit(study, ann, task.place, task.attempt, "left") == "stored"
    assert work.submit(study, ann, task.place, task.attempt, "left") == "again"
    assert work.submit(study, ann, task.place, task.attempt, "right") == "differs"
    with study.reading() as connection:
        assert list(connection.scalars(sa.select(store.judgment.c.answer))) == ["left"]


def test_many_threads_that_submit_the_same_answer_store_one(study: Store) -> None:
    ann = assessor(study, "ann")
    task = work.next_task(study, settings_of(study), ann)
    assert task is not None
    outcomes: list[str] = []

    def submit() -> None:
        outcomes.append(work.submit(study, ann, task.place, task.attempt, "tie"))

    threads = [threading.Thread(target=submit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["again"] * 7 + ["stored"]
    with study.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(store.judgment)) == 1


def test_two_tabs_that_ask_at_once_get_the_same_task(study: Store) -> None:
    ann, settings = assessor(study, "ann"), settings_of(study)
    found: list[int] = []

    def ask() -> None:
        task = work.next_task(study, settings, ann)
        assert task is not None
        found.append(task.place)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1


def test_nobody_can_answer_a_task_of_somebody_else(study: Store) -> None:
    ann, ben = assessor(study, "ann"), assessor(study, "ben")
    task = work.next_task(study, settings_of(study), ann)
    assert task is not None
    assert work.submit(study, ben, task.place, task.attempt, "left") == "lost"
    assert open_task.shown_document(study, ben, task.place, "left") is None
    assert open_task.shown_document(study, ann, task.place, "left") is not None
    assert open_task.shown_document(study, ann, task.place, "given-0") is None


def test_a_task_comes_back_when_its_assessor_disappears(study: Store) -> None:
    ann, ben, settings = assessor(study, "ann"), assessor(study, "ben"), settings_of(study)
    task = work.next_task(study, settings, ann)
    assert task is not None
    other = work.next_task(study, settings, ben)
    assert other is not None
    assert other.place != task.place
    assert judge(study, ben, other) == "stored"
    study.clock.catch_up(study.clock.now() + settings.lease + 1)
    taken = work.next_task(study, settings, ben)
    assert taken is not None
    assert taken.place == task.place
    assert judge(study, ann, task) == "lost"  # too late: it is Ben's now
    assert judge(study, ben, taken) == "stored"
    with study.reading() as connection:
        assert list(connection.scalars(sa.select(store.judgment.c.assessor))) == [ben, ben]


def test_a_late_answer_counts_if_nobody_else_has_the_task(study: Store) -> None:
    ann, settings = assessor(study, "ann"), settings_of(study)
    task = work.next_task(study, settings, ann)
    assert task is not None
    study.clock.catch_up(study.clock.now() + 10 * settings.lease)
    assert judge(study, ann, task) == "stored"


def test_undo_takes_back_the_last_answer_and_keeps_a_record_of_it(study: Store) -> None:
    ann, settings = assessor(study, "ann"), settings_of(study)
    assert not work.undo(study, settings, ann)
    first = work.next_task(study, settings, ann)
    assert first is not None
    work.submit(study, ann, first.place, first.attempt, "left", "hasty")
    second = work.next_task(study, settings, ann)
    assert second is not None
    assert work.undo(study, settings, ann)
    again = work.next_task(study, settings, ann)
    assert again is not None
    assert (again.place, again.attempt) == (first.place, first.attempt + 1)
    assert (again.before.answer, again.before.comment) == ("left", "hasty")
    # A retry of the first answer that comes only now must not undo the undoing.
    assert work.submit(study, ann, first.place, first.attempt, "left", "hasty") == "again"
    assert work.submit(study, ann, first.place, first.attempt, "right") == "outdated"
    assert work.submit(study, ann, again.place, again.attempt, "right") == "stored"
    after = work.next_task(study, settings, ann)
    assert after is not None
    assert after.place == second.place  # which had waited meanwhile
    with study.reading() as connection:
        rows = connection.execute(
            sa.select(store.judgment.c.answer, store.judgment.c.withdrawn).order_by(store.judgment.c.id)
        ).all()
        found = exchange.preferences(connection)
    assert [(answer, withdrawn is None) for answer, withdrawn in rows] == [("left", False), ("right", True)]
    assert found is not None
    assert found.columns()["outcome"] == ["right"]


def test_sides_are_drawn_and_recorded(study: Store) -> None:
    ann, settings = assessor(study, "ann"), settings_of(study)
    shown = []
    while (task := work.next_task(study, settings, ann)) is not None:
        shown.append((task.topic, *(text.name for text in task.documents)))
        judge(study, ann, task)
    swapped = sum(left > right for _, left, right in shown)
    assert 0 < swapped < len(shown)  # 20 fair coins fall alike once in 500,000 times, and the seed is fixed
    with study.reading() as connection:
        found = exchange.preferences(connection)
    assert found is not None
    columns = found.columns()
    assert list(zip(columns["topic"], columns["left"], columns["right"], strict=True)) == shown
    for left, right, outcome in zip(columns["left"], columns["right"], columns["outcome"], strict=True):
        assert outcome == ("left" if worth(left) > worth(right) else "right")


def test_practice_comes_first_and_gold_in_between(
    target: str, collection: Collection, tmp_path: Path
) -> None:
    practice, gold = tmp_path / "practice.tsv", tmp_path / "gold.tsv"
    practice.write_text("topic\tleft\tright\toutcome\n1\t1-d5\t1-d1\tright\n")
    gold.write_text("topic\tleft\tright\toutcome\n2\t2-d1\t2-d5\tleft\n2\t2-d2\t2-d5\tleft\n")
    settings = Settings(depth=3, gold_every=4)
    study = made(target, collection, settings, practice=practice, gold=gold)
    for name in ("ann", "ben"):
        who, purposes = assessor(study, name), []
        for _ in range(8):
            task = work.next_task(study, settings, who)
            assert task is not None
            purposes.append(task.purpose)
            judge(study, who, task)
            told = right_answers.feedback(study, Wording(), who, task.place)
            assert (told is not None) == (task.purpose == "practice")
        assert purposes == ["practice", "study", "study", "gold", "study", "study", "study", "gold"]
    with study.reading() as connection:
        found = exchange.preferences(connection)
        everything = exchange.preferences(connection, purposes=("study", "gold"))
    assert found is not None
    assert everything is not None
    assert (len(found), len(everything)) == (10, 14)
    study.close()


def test_practice_says_what_would_have_been_right(tmp_path: Path, collection: Collection) -> None:
    practice = tmp_path / "practice.tsv"
    practice.write_text("topic\tleft\tright\toutcome\n1\t1-d5\t1-d1\tright\n2\t2-d5\t2-d1\ttie\n")
    study = made(str(tmp_path / "s.db"), collection, practice=practice)
    ann, settings = assessor(study, "ann"), settings_of(study)
    task = work.next_task(study, settings, ann)
    assert task is not None
    best = "left" if task.documents[0].name == "1-d1" else "right"
    worst = {"left": "right", "right": "left"}[best]
    work.submit(study, ann, task.place, task.attempt, worst)
    letter = {"left": "A", "right": "B"}[best]
    assert (
        right_answers.feedback(study, Wording(), ann, task.place)
        == f"The organiser would have said: {letter} is better."
    )
    task = work.next_task(study, settings, ann)
    assert task is not None
    work.submit(study, ann, task.place, task.attempt, "tie")
    assert (
        right_answers.feedback(study, Wording(), ann, task.place)
        == "That is also what the organiser would have said."
    )
    study.close()


def test_the_organiser_learns_how_practice_went_by_the_first_answers(
    target: str, tmp_path: Path, collection: Collection
) -> None:
    practice = tmp_path / "practice.tsv"
    practice.write_text("topic\tleft\tright\toutcome\n1\t1-d5\t1-d1\tright\n2\t2-d5\t2-d1\tright\n")
    study = made(target, collection, practice=practice)
    ann, settings = assessor(study, "ann"), settings_of(study)
    task = work.next_task(study, settings, ann)
    assert task is not None
    work.submit(study, ann, task.place, task.attempt, "tie")
    work.undo(study, settings, ann)  # Ann was told that this is wrong, and mends it
    for _ in range(3):  # the mended answer, the other practice question and one of the study, all by worth
        task = work.next_task(study, settings, ann)
        assert task is not None
        judge(study, ann, task)
    with study.reading() as connection:
        loaded = study_state.load(connection)
    rows = {row.name: row for row in dashboard.view(study, loaded).assessors}
    assert rows["ann"].practice == right_answers.Score(right=1, answers=2)
    assert rows["ann"].gold == rows["ben"].practice == right_answers.Score(right=0, answers=0)
    assert rows["ann"].done == 1  # practice is no work
    about = exchange.provenance(study)
    assert about["practice"] == {"right": 1, "answers": 2}
    assert about["gold"] == {"right": 0, "answers": 0}
    study.close()


def test_a_quota_ends_an_assessors_work(tmp_path: Path, collection: Collection) -> None:
    study = made(str(tmp_path / "s.db"), collection, Settings(depth=3, quota=3))
    ann, settings = assessor(study, "ann"), settings_of(study)
    for _ in range(3):
        task = work.next_task(study, settings, ann)
        assert task is not None
        judge(study, ann, task)
    assert work.next_task(study, settings, ann) is None
    assert work.next_task(study, settings, assessor(study, "ben")) is not None
    study.close()


def test_a_stopped_study_gives_out_nothing_until_it_goes_on(study: Store) -> None:
    ann, settings = assessor(study, "ann"), settings_of(study)
    study_state.stop(study, "enough")
    assert work.next_task(study, settings, ann) is None
    study_state.stop(study, None)
    assert work.next_task(study, settings, ann) is not None


def test_adaptive_choice_asks_new_questions_until_the_budget_is_spent(
    target: str, collection: Collection
) -> None:
    settings = Settings(depth=3, choice="adaptive", ask="both", budget=14, batch=5, overlap=2)
    study = made(target, collection, settings)
    people = [assessor(study, name) for name in ("ann", "ben")]
    asked, batches = [], []
    while True:
        tasks = [(who, work.next_task(study, settings, who)) for who in people]
        for who, task in tasks:
            if task is not None:
                documents = (frozenset(text.name for text in task.documents), task.given)
                asked.append((who, task.topic, documents))
                judge(study, who, task)
        if all(task is None for _, task in tasks):
            batches.append(adaptive.refill(study, settings))
            if not batches[-1]:
                break
    assert batches == [5, 5, 4, 0]
    assert len(asked) == len(set(asked)) == 2 * 14  # each question once to each of the two
    assert len({(topic, documents) for _, topic, documents in asked}) == 14
    study.close()


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────


def test_tokens_are_random_and_only_their_hash_is_stored(study: Store) -> None:
    with study.writing() as connection:
        links = [access.new_link(connection, name) for name in ("ann", "ben")]
        sessions = [access.use_link(connection, link) for link in links]
        rows = connection.execute(sa.select(store.token)).all()
    secrets = [token.partition(".")[2] for token in [*links, *sessions] if token is not None]
    assert len(set(secrets)) == 4
    assert all(len(secret) == 43 for secret in secrets)  # 256 bits in base 64
    assert not any(secret in repr(row) for secret in secrets for row in rows)


def test_secrets_are_compared_in_constant_time(study: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    original = hmac.compare_digest

    def counting(one: bytes, other: bytes) -> bool:
        compared.append(one)
        return original(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counting)
    with study.writing() as connection:
        link = access.new_link(connection, "ann")
        assert access.find_token(connection, link, "link") is not None
        assert access.find_token(connection, link[:-1] + ("A" if link[-1] != "A" else "B"), "link") is None
        assert access.find_token(connection, "0000000000000000.x", "link") is None  # no such row
        assert access.find_token(connection, link, "session") is None
    assert len(compared) == 4


def test_a_link_works_once_and_a_new_one_ends_the_old_sessions(study: Store) -> None:
    with study.writing() as connection:
        link = access.new_link(connection, "ann")
        session = access.use_link(connection, link)
        assert session is not None
        assert access.use_link(connection, link) is None
        assert access.session_of(connection, session) is not None
        access.new_link(connection, "ann")
        assert access.session_of(connection, session) is None


def test_a_rate_is_bounded_and_recovers() -> None:
    rate = access.Rate(per_minute=60, most=3)
    assert [rate.allows("a", 0.0) for _ in range(4)] == [True, True, True, False]
    assert rate.allows("b", 0.0)  # somebody else
    assert [rate.allows("a", 1.0), rate.allows("a", 1.0)] == [True, False]  # one a second


def test_completion_codes_differ_and_cannot_be_guessed_from_each_other() -> None:
    codes = {access.completion_code("secret", i) for i in range(200)}
    assert len(codes) == 200
    assert access.completion_code("secret", 1) != access.completion_code("other", 1)
