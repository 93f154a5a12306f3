"""Judgments of a study, exported and imported, and grades."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rankprism.errors import InputError
from rankprism.judging.assess import (
    dashboard,
    exchange,
    right_answers,
    store,
    study_state,
    work,
)
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from tests.support.assessing import Collection, assessor, judge, made, make_collection, settings_of, worth


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return make_collection(tmp_path)


def test_export_and_import_resume_a_study(target: str, collection: Collection, tmp_path: Path) -> None:
    study = made(target, collection, Settings(depth=3, ask="both"))
    ann, settings = assessor(study, "ann"), settings_of(study)
    for _ in range(7):
        task = work.next_task(study, settings, ann)
        assert task is not None
        judge(study, ann, task)
    task = work.next_task(study, settings, ann)
    assert task is not None
    work.submit(study, ann, task.place, task.attempt, "cannot")
    written = exchange.export(study, "tsv", identities=True)
    assert written.notes == ("left out: 1 tasks that could not be judged",)
    file = tmp_path / "prefs.tsv"
    file.write_bytes(written.text)
    study.close()
    other = made(str(tmp_path / "other.db"), collection, Settings(depth=3, ask="both"))
    assert exchange.import_judgments(other, file) == (7, 0, 0)
    assert exchange.import_judgments(other, file) == (0, 7, 0)
    assert exchange.export(other, "tsv", identities=True).text == written.text
    remaining = 0
    ann = assessor(other, "ann")
    while (task := work.next_task(other, settings, ann)) is not None:
        judge(other, ann, task)
        remaining += 1
    assert remaining == 2 * (10 + 30) - 7  # C(5, 2) pairs and 5 · C(4, 2) triplets of each topic
    other.close()


GRADED = Settings(depth=3, ask="grades", overlap=2)


SCALE = (
    '[aspects.relevance]\nlabels = ["not", "some", "high"]\n\n'
    '[aspects.credibility]\nlabels = ["low", "good"]\ngrades = [0, 3]\n'
)


def graded_study(target: str, collection: Collection) -> Store:
    scale = collection.folder / "scale.toml"
    scale.write_text(SCALE)
    return made(target, collection, GRADED, scale=scale)


def grade(open_study: Store, name: str, most: int = 1000) -> int:
    """The assessor grades documents by their worth, with a comment; how many there were."""
    who, number = assessor(open_study, name), 0
    while number < most and (task := work.next_task(open_study, GRADED, who)) is not None:
        value = worth(task.documents[0].name)
        labels = {
            "relevance": "high" if value > 4 else "some" if value > 2 else "not",
            "credibility": "good" if value > 3 else "low",
        }
        comment = f'"{name}"\tsays: {value}'
        work.submit(open_study, who, task.place, task.attempt, "graded", comment, labels)
        number += 1
    return number


@pytest.mark.parametrize("to", ["tsv", "jsonl"])
def test_export_and_import_resume_a_study_of_grades(
    target: str, to: str, collection: Collection, tmp_path: Path
) -> None:
    study = graded_study(target, collection)
    assert (grade(study, "ann", 4), grade(study, "ben", 3)) == (4, 3)
    written = exchange.export(study, to, identities=True).text
    file = tmp_path / f"grades.{to}"
    file.write_bytes(written)
    qrels = exchange.export(study, "qrels").text
    study.close()
    other = graded_study(str(tmp_path / "other.db"), collection)
    assert exchange.import_judgments(other, file) == (7, 0, 0)
    assert exchange.import_judgments(other, file) == (0, 7, 0)
    assert exchange.import_judgments(other, file, format=to) == (0, 7, 0)
    assert exchange.export(other, to, identities=True).text == written
    assert exchange.export(other, "qrels").text == qrels
    # Two topics with five documents, each by two people.
    assert (grade(other, "ann"), grade(other, "ben"), grade(other, "eva")) == (6, 7, 0)
    other.close()


def test_exported_qrels_are_imported_as_the_grades_of_one_assessor(
    collection: Collection, tmp_path: Path
) -> None:
    study = graded_study(str(tmp_path / "study.db"), collection)
    grade(study, "ann", 5)
    written = exchange.export(study, "qrels").text
    study.close()
    file = tmp_path / "grades.qrels"
    file.write_bytes(written)
    other = graded_study(str(tmp_path / "other.db"), collection)
    assert exchange.import_judgments(other, file) == (5, 0, 0)
    assert exchange.import_judgments(other, file) == (0, 5, 0)
    assert exchange.export(other, "qrels").text == written
    with other.reading() as connection:
        found = exchange.grades(connection, identities=True)
        assert work.study_progress(connection, GRADED) == (5, 20)
    assert {one.assessor for one in found} == {"assessor"}
    # The labels that belong to the grades, of the five documents of the first topic.
    assert {one.doc: one.label for one in found if one.aspect == "relevance"} == {
        "1-d1": "high",
        "1-d2": "some",
        "1-d3": "some",
        "1-d4": "not",
        "1-d5": "not",
    }
    other.close()


HEADER = "topic\taspect\tdoc\tlabel\tgrade\tassessor\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEADER + "9\trelevance\t1-d1\tnot\t0\tann\n",
            "line 2: topic '9' is not in the study, which has 1, 2",
        ),
        (HEADER + "1\trelevance\tx\tnot\t0\tann\n", "line 2: document 'x' is not in the study"),
        (
            HEADER + "1\tbeauty\t1-d1\tnot\t0\tann\n",
            "line 2: aspect 'beauty' of topic '1' is not in the study",
        ),
        (
            HEADER + "1\trelevance\t1-d1\tmost\t0\tann\n",
            "line 2: aspect 'relevance' of topic '1' has no label 'most', only not, some, high",
        ),
        (
            HEADER + "1\trelevance\t1-d1\tnot\t0\tann\n1\trelevance\t1-d1\tsome\t1\tann\n",
            "line 3: 'ann' gave document '1-d1' of topic '1' two labels of aspect 'relevance'",
        ),
        (
            HEADER + "1\trelevance\t1-d1\tnot\t0\tann\n",
            "line 2: document '1-d1' of topic '1' has no label of aspect 'credibility'",
        ),
        (HEADER + "1\trelevance\t1-d1\t\t\tann\n", "line 2: there is neither a label nor a grade"),
        (HEADER + "1\trelevance\t1-d1\t\tfew\tann\n", "line 2: the grade 'few' is not a number"),
        (HEADER + "1\trelevance\t\tnot\t0\tann\n", "line 2: there is no doc"),
        (HEADER + "1\trelevance\t1-d1\n", "line 2: 3 columns where the header has 6"),
        (HEADER + '1\trelevance\t"1-d1\tnot\t0\tann\n', "line 2: is not a line of a table"),
        (HEADER, "there are no grades in it"),
        (
            "topic\taspect\tdoc\tgrades\n",
            "line 1: the column 'grades' is not one of topic, aspect, doc, label",
        ),
        ("topic\taspect\tdoc\tdoc\n", "line 1: the column 'doc' is there twice"),
        ("1 relevance 1-d1 7\n", "aspect 'relevance' of topic '1' has no label with grade 7, only 0, 1, 2"),
        ('{"topic": "1", "aspect": ["x"]}\n', "line 1: aspect must be text"),
        ("topic\tleft\tright\toutcome\n1\t1-d1\t1-d2\tleft\n", "looks like preferences"),
    ],
)
def test_grades_that_cannot_be_imported_are_refused_whole(
    text: str, message: str, tmp_path: Path, collection: Collection
) -> None:
    study = graded_study(str(tmp_path / "s.db"), collection)
    file = tmp_path / "grades.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        exchange.import_judgments(study, file)
    with study.reading() as connection:
        assert exchange.grades(connection) == []
    study.close()


def test_grades_are_not_read_as_a_format_of_preferences(tmp_path: Path, collection: Collection) -> None:
    study = graded_study(str(tmp_path / "s.db"), collection)
    file = tmp_path / "grades.txt"
    file.write_text("1 relevance 1-d1 1\n")
    with pytest.raises(InputError, match=r"cannot be read as 'winner'; use one of qrels, tsv, jsonl"):
        exchange.import_judgments(study, file, format="winner")
    study.close()


def test_export_hides_identities_unless_they_are_wanted(tmp_path: Path, collection: Collection) -> None:
    study = made(str(tmp_path / "s.db"), collection, assessors=("Ann Archer",))
    who = assessor(study, "Ann Archer")
    task = work.next_task(study, settings_of(study), who)
    assert task is not None
    judge(study, who, task)
    for to in ("tsv", "csv", "jsonl", "prefs"):
        if to != "prefs":  # which cannot hold a name with a blank
            assert b"Ann Archer" in exchange.export(study, to, identities=True).text
        assert b"Ann" not in exchange.export(study, to).text
    about = exchange.provenance(study)
    assert about["judgments"] == 1
    assert set(about["runs"]) == {"good", "fair", "poor"}
    assert len(about["runs"]["good"]["sha256"]) == 64
    assert "Ann" not in json.dumps(about)
    study.close()


def test_what_cannot_be_imported_is_refused(tmp_path: Path, collection: Collection) -> None:
    study = made(str(tmp_path / "s.db"), collection)
    with pytest.raises(InputError, match="document 'x' is not in the study"):
        exchange.import_judgments(study, [("1", "", "1-d1", "x", "left")])
    with pytest.raises(InputError, match="topic '9' is not in the study"):
        exchange.import_judgments(study, [("9", "", "1-d1", "1-d2", "left")])
    with pytest.raises(InputError, match="cannot write this study as 'pdf'"):
        exchange.export(study, "pdf")
    with pytest.raises(InputError, match="nobody has judged anything yet"):
        exchange.export(study, "tsv")
    study.close()


def test_grades_are_collected_with_the_labels_of_a_scale(tmp_path: Path, collection: Collection) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text(
        '[aspects.relevance]\nlabels = ["not", "some", "high"]\n\n'
        '[aspects.credibility]\nlabels = ["low", "good"]\ngrades = [0, 3]\n'
    )
    settings = Settings(depth=3, ask="grades", overlap=2)
    study = made(str(tmp_path / "s.db"), collection, settings, scale=scale)
    answers = {"ann": ("some", "good"), "ben": ("high", "good")}
    for name, (relevance, credibility) in answers.items():
        who = assessor(study, name)
        task = work.next_task(study, settings_of(study), who)
        assert task is not None
        assert [(a.name, a.labels) for a in task.aspects] == [
            ("relevance", ("not", "some", "high")),
            ("credibility", ("low", "good")),
        ]
        given = {"relevance": relevance, "credibility": credibility}
        work.submit(study, who, task.place, task.attempt, "graded", grades=given)
    text = exchange.export(study, "qrels").text.decode()
    assert task is not None
    doc = task.documents[0].name
    # The middle grade, of two the lower: min(1, 2) = 1; and good is worth 3.
    assert sorted(text.splitlines()) == [f"1 credibility {doc} 3", f"1 relevance {doc} 1"]
    lines = exchange.export(study, "tsv", identities=True).text.decode().splitlines()
    assert [line.split("\t")[:6] for line in lines[1:3]] == [
        ["1", "relevance", doc, "some", "1.0", "ann"],
        ["1", "credibility", doc, "good", "3.0", "ann"],
    ]
    study.close()


def test_gold_grades_are_checked_against_the_scale(tmp_path: Path, collection: Collection) -> None:
    scale, gold = tmp_path / "scale.toml", tmp_path / "gold.qrels"
    scale.write_text('[aspects.relevance]\nlabels = ["not", "some", "high"]\n')
    gold.write_text("1 relevance 1-d1 2\n")
    settings = Settings(depth=3, ask="grades", gold_every=2)
    study = made(str(tmp_path / "s.db"), collection, settings, scale=scale, gold=gold)
    ann = assessor(study, "ann")
    purposes = []
    for label in ("not", "some", "high"):
        task = work.next_task(study, settings_of(study), ann)
        assert task is not None
        purposes.append(task.purpose)
        work.submit(study, ann, task.place, task.attempt, "graded", grades={"relevance": label})
    assert purposes == ["study", "gold", "study"]
    with study.reading() as connection:
        loaded = study_state.load(connection)
    (row, *_) = dashboard.view(study, loaded).assessors
    assert row.gold == right_answers.Score(right=0, answers=1)  # "some" is not "high"
    study.close()
    gold.write_text("1 relevance 1-d1 7\n")
    with pytest.raises(InputError, match=r"aspect 'relevance' of topic '1' has no label with grade 7"):
        made(str(tmp_path / "t.db"), collection, settings, scale=scale, gold=gold)


def test_subtopics_are_graded_too(tmp_path: Path, collection: Collection) -> None:
    topics = tmp_path / "topics.jsonl"
    rows = [{"id": t, "title": f"T{t}", "subtopics": {"a": "First side", "b": "Other side"}} for t in "12"]
    topics.write_text("".join(json.dumps(row) + "\n" for row in rows))
    target = str(tmp_path / "s.db")
    create_study(
        target,
        collection.runs,
        Settings(depth=3, ask="grades"),
        documents=collection.documents,
        topics=topics,
        assessors=["ann"],
    )
    with store.opened(target) as study:
        task = work.next_task(study, settings_of(study), assessor(study, "ann"))
    assert task is not None
    assert [(a.name, a.description, a.labels) for a in task.aspects] == [
        ("a", "First side", ("not relevant", "relevant")),
        ("b", "Other side", ("not relevant", "relevant")),
    ]
