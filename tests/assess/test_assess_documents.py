"""Documents of a study are cleaned once, and again when the cleaner or the schema is new."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from rankprism import InputError
from rankprism.judging.assess import rendering, store
from rankprism.judging.assess.store import Store
from rankprism.text import documents
from tests.support.assessing import Collection, Served, add_a_later_schema, make_collection, opened

Cli = Callable[..., Any]


#: The columns that later revisions of the schema have added.
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


def everything(study: Store) -> dict[str, list[Any]]:
    """All rows of all tables."""
    with study.reading() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in store.metadata.sorted_tables
        }


def test_a_study_of_an_earlier_schema_goes_on(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = opened(tmp_path, collection=hostile(tmp_path), target=target)
    served = Served(new)
    ann = served.person("ann")
    ann.work(most=3)
    before = everything(new)
    with new.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), store.metadata) == []
    new.close()
    add_a_later_schema(tmp_path, monkeypatch)
    for _ in range(2):  # the second time there is nothing to do
        with store.opened(target) as old:
            assert everything(old) == before
            assert "later" in {one["name"] for one in sa.inspect(old.engine).get_columns("study")}
            again = Served(old)
            ann.client.send = again.client().send  # the session is still good
            page = ann.get("/task")
            assert "Question 4 of up to" in page.text
            shown = ann.get(f"/document/{page.field('place')}/left").text
            assert f'<body dir="auto"><p>Text of {page.documents[0]}</p></body>' in re.sub(
                "</?mark>", "", shown
            )


def test_a_study_of_a_later_schema_is_refused(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as later:
        add_a_later_schema(tmp_path, later)
        opened(tmp_path, target=target).close()
    with pytest.raises(InputError, match=r"was made by a newer rankprism \(its schema is 0002\)"):
        store.opened(target).__enter__()


def test_serve_cleans_the_documents_of_another_version_and_says_so(
    rankprism_command: Path, tmp_path: Path
) -> None:
    target = tmp_path / "old.db"
    new = opened(tmp_path, collection=hostile(tmp_path), assessors=["ann"], target=str(target))
    with new.writing() as connection:  # as another version has cleaned it
        connection.execute(sa.update(store.document).values(cleaned="", cleaner="0, nh3 0.1"))
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
