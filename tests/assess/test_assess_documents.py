"""Documents of a study are cleaned once, and again when the cleaner or the schema is new."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext

from rankprism.judging.assess import rendering, store, study_state
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.text import documents
from rankprism.types import Ask
from tests.support.assessing import Collection, Served, make_collection, opened

Cli = Callable[..., Any]

#: The columns that later revisions of the schema have added.
ADDED = {
    "document": {"cleaned", "cleaner"},
    "study": {"address"},
    "task": {"batch", "repeats"},
    "judgment": {"instructions"},
    "assessor": {"instructions"},
}


def hostile(folder: Path) -> Collection:
    """Documents with something to clean."""
    made = make_collection(folder)
    rows = [json.loads(line) for line in made.documents.read_text().splitlines()]
    for row in rows:
        row |= {"type": "html", "text": f"<p onclick=pwn()>Text of {row['id']}<script>pwn()</script>"}
    made.documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


def documents_of(study: Store) -> dict[str, tuple[str, str | None, str | None]]:
    with study.reading() as connection:
        rows = connection.execute(sa.select(store.document)).all()
    return {row.name: (row.text, row.cleaned, row.cleaner) for row in rows}


def test_a_new_study_has_its_documents_cleaned_and_as_they_were(tmp_path: Path) -> None:
    study = opened(tmp_path, collection=hostile(tmp_path))
    for name, (text, cleaned, cleaner) in documents_of(study).items():
        assert text == f"<p onclick=pwn()>Text of {name}<script>pwn()</script>"
        assert cleaned == f"<p>Text of {name}</p>"
        assert cleaner == documents.CLEANER
    study.close()


def test_documents_that_are_shown_in_part_are_noted_when_the_study_is_made(tmp_path: Path, cli: Cli) -> None:
    made = make_collection(tmp_path)
    rows = [json.loads(line) for line in made.documents.read_text().splitlines()]
    rows[0]["text"], rows[1]["text"] = "x" * (documents.MOST + 1), "x" * documents.MOST
    made.documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = ("--documents", made.documents, "--topics", made.topics, "--assessors", "ann", "--depth", 3)
    result = cli("assess", "new", tmp_path / "study.db", *made.runs, *given)
    assert result.returncode == 0
    (note,) = result.stderr.splitlines()
    assert note.startswith("note: 1 of ")
    assert note.endswith(f"'{rows[0]['id']}' [long-documents]")


def test_a_view_cleans_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(opened(tmp_path, collection=hostile(tmp_path)))
    ann = served.person("ann")
    place = ann.get("/task").field("place")
    ann.get("/instructions")
    monkeypatch.delattr(documents, "cleaned")
    for _ in range(2):
        assert '<body dir="auto"><p>Text of ' in ann.get(f"/document/{place}/left").text
        assert ann.get("/instructions").status == 200
    served.store.close()


def test_documents_of_another_cleaner_are_cleaned_again_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened(tmp_path, collection=hostile(tmp_path))
    before = documents_of(study)
    said: list[str] = []
    rendering.clean_documents(study, said.append)
    assert (said, documents_of(study)) == ([], before)
    old, unknown = sorted(before)[:2]
    with study.writing() as connection:
        table = store.document
        connection.execute(
            sa.update(table).where(table.c.name == old).values(cleaned="bad", cleaner="0, nh3 0.1")
        )
        connection.execute(sa.update(table).where(table.c.name == unknown).values(cleaned=None, cleaner=None))
    cleaned: list[str] = []
    real = documents.cleaned

    def counted(text: str, type: str) -> str:
        cleaned.append(text)
        return real(text, type)

    monkeypatch.setattr(documents, "cleaned", counted)
    monkeypatch.setattr(rendering, "_BATCH", 1)
    rendering.clean_documents(study, said.append)
    assert said == ["Cleaning 2 documents for this version of rankprism."]
    assert len(cleaned) == 2
    assert documents_of(study) == before
    study.close()


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "old.db")
    make: Callable[[], str] = request.getfixturevalue("postgres")
    return make()


def copied_to_the_first_schema(study: Store, target: str) -> None:
    """What a study has, in a database as the first version of the schema made it."""
    scripts = store._scripts()
    if not store.is_url(target):
        Path(target).touch()
    with store._connected(target) as old, old.writing() as connection, study.reading() as source:
        with EnvironmentContext(
            Config(), scripts, fn=lambda revision, context: scripts._upgrade_revs("0001", revision)
        ) as environment:
            environment.configure(connection=connection)
            environment.run_migrations()
        tables = set(sa.inspect(connection).get_table_names())
        for table in (table for table in store.metadata.sorted_tables if table.name in tables):
            columns = [column for column in table.c if column.name not in ADDED.get(table.name, ())]
            rows = [dict(row) for row in source.execute(sa.select(*columns)).mappings()]
            if rows:
                connection.execute(sa.insert(table), rows)


def everything(study: Store) -> dict[str, list[Any]]:
    """All rows, without the columns that are new."""
    with study.reading() as connection:
        return {
            table.name: sorted(
                map(repr, connection.execute(
                    sa.select(*(column for column in table.c if column.name not in ADDED.get(table.name, ())))
                ))
            )
            for table in store.metadata.sorted_tables
        }  # fmt: skip


def test_a_study_of_the_first_schema_goes_on(target: str, tmp_path: Path) -> None:
    new = opened(tmp_path, collection=hostile(tmp_path))
    served = Served(new)
    ann = served.person("ann")
    ann.work(most=3)
    copied_to_the_first_schema(new, target)
    before, cleaned = everything(new), documents_of(new)
    new.close()
    with store._connected(target) as old:
        assert "cleaned" not in {one["name"] for one in sa.inspect(old.engine).get_columns("document")}
    for _ in range(2):  # the second time there is nothing to do
        with store.opened(target) as old:
            assert everything(old) == before
            rendering.clean_documents(old, lambda text: None)
            assert everything(old) == before
            assert documents_of(old) == cleaned
            again = Served(old)
            ann.client.send = again.client().send  # the session is still good
            page = ann.get("/task")
            assert "Question 4 of up to" in page.text
            shown = ann.get(f"/document/{page.field('place')}/left").text
            assert f'<body dir="auto"><p>Text of {page.documents[0]}</p></body>' in re.sub(
                "</?mark>", "", shown
            )


@pytest.mark.parametrize("ask", ["both", "grades"])
def test_an_older_study_goes_on_with_the_words_that_it_began_with(
    target: str, tmp_path: Path, ask: Ask
) -> None:
    """The settings of the third schema had no wording, no marks, no time limit and no crowd platforms."""
    newer = ("wording", "mark", "minutes", "worker_parameter", "completion_url")
    new = opened(tmp_path, Settings(depth=3, ask=ask, name="A study"))
    with new.writing() as connection:
        found = dict(connection.execute(sa.select(store.study.c.settings)).scalar_one())
        older = {name: value for name, value in found.items() if name not in newer}
        connection.execute(sa.update(store.study).values(settings=older))
    copied_to_the_first_schema(new, target)
    new.close()
    with store.opened(target) as old, old.reading() as connection:
        settings = study_state.load(connection).settings
    assert {name: value for name, value in asdict(settings).items() if name in older} == older
    assert (settings.mark, settings.minutes, settings.worker_parameter) == (False, None, "")
    assert settings.wording.tie == "About the same"
    question = "How does this document fit?" if ask == "grades" else "Which would you rather read?"
    assert settings.wording.question == question


def test_serve_brings_an_old_study_up_to_date_and_says_so(rankprism_command: Path, tmp_path: Path) -> None:
    new = opened(tmp_path, collection=hostile(tmp_path), assessors=["ann"])
    target = tmp_path / "old.db"
    copied_to_the_first_schema(new, str(target))
    new.close()
    with subprocess.Popen(
        [rankprism_command, "assess", "serve", target, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(2)]
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert said[0] == "Cleaning 10 documents for this version of rankprism.\n"
    assert "is served at" in said[1]
    assert errors == ""
    with store.opened(str(target)) as study:
        again: list[str] = []
        rendering.clean_documents(study, again.append)
        assert again == []
        assert {cleaner for _, _, cleaner in documents_of(study).values()} == {documents.CLEANER}
