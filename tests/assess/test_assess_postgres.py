"""A study in PostgreSQL whose server goes away, refuses, or has other settings than usual."""

from __future__ import annotations

import io
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa

from rankprism import InputError
from rankprism.judging.assess import access, store
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from tests.support.assessing import Collection, Served, add_a_later_schema, make_collection, opened

Cli = Callable[..., subprocess.CompletedProcess[str]]
SIX = 6


@pytest.fixture
def address(postgres: Callable[[], str]) -> str:
    return postgres()


@pytest.fixture
def study(tmp_path: Path, address: str) -> Iterator[Store]:
    found = opened(tmp_path, target=address, assessors=["ann"])
    yield found
    found.close()


def administered(address: str, *statements: str) -> None:
    """Let the owner of the server do something to it."""
    admin = sa.create_engine(sa.make_url(address).set(database="postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for statement in statements:
            connection.execute(sa.text(statement.format(name=sa.make_url(address).database)))
    admin.dispose()


CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"


def together(number: int, act: Callable[[], Any]) -> list[Any]:
    """What several threads get that begin at the same moment."""
    found: list[Any] = []
    gate = threading.Barrier(number)

    def one() -> None:
        gate.wait()
        try:
            found.append(act())
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=one) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_the_organisers_link_gives_one_session_to_six_requests(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them have found the link before the first one uses it."""
    with study.writing() as connection:
        link = access.organiser_link(connection)
    gate, find = threading.Barrier(SIX), access.find_token

    def found(*given: Any) -> Any:
        row = find(*given)
        gate.wait(20)
        return row

    monkeypatch.setattr(access, "find_token", found)

    def use() -> str | None:
        with study.writing() as connection:
            return access.use_organiser_link(connection, link)

    sessions = together(SIX, use)
    assert [isinstance(one, str) for one in sessions].count(True) == 1
    assert sessions.count(None) == SIX - 1


def test_connections_that_are_cut_are_503_and_nothing_is_stored(study: Store, address: str) -> None:
    served = Served(study)
    ann, boss = served.person("ann"), served.organiser()
    page = ann.get("/task")
    administered(address, "ALTER DATABASE {name} ALLOW_CONNECTIONS false", CUT)
    told = io.StringIO()
    try:
        with redirect_stderr(told):
            for _ in range(20):
                for answer in (ann.submit(page, "tie"), ann.get("/task"), boss.get("/organiser")):
                    assert answer.status == 503
                    assert "The database is not available, and nothing was stored." in answer.text
    finally:
        administered(address, "ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    lines = told.getvalue().splitlines()
    assert all(line.startswith("rankprism assess: ") for line in lines)
    assert "Traceback" not in told.getvalue()
    assert 1 <= len(lines) <= 4  # of 60 requests
    assert served.judgments() == 0
    assert ann.submit(page, "tie").status == 200
    assert served.judgments() == 1


def test_a_connection_that_is_cut_in_a_transaction_is_503(study: Store, address: str) -> None:
    def cut_in_between() -> None:
        with study.writing() as connection:
            connection.execute(sa.select(store.study))
            administered(address, CUT)
            connection.execute(sa.select(store.study))

    with pytest.raises(store.Unavailable, match="the database says terminating connection"):
        cut_in_between()
    with study.reading() as connection:
        assert connection.execute(sa.select(store.study.c.id)).scalar_one() == 1


@pytest.mark.parametrize("code", ["08006", "40001", "40P01", "53100", "53300", "55P03", "57014", "57P03"])
def test_what_passes_by_itself_is_unavailable(study: Store, code: str) -> None:
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'it is so' USING ERRCODE = '{code}'; END $$"
    with pytest.raises(store.Unavailable), study.writing() as connection:
        connection.execute(sa.text(raising))


def test_the_isolation_does_not_depend_on_the_server(tmp_path: Path, address: str) -> None:
    administered(address, "ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    study = opened(tmp_path, target=address)
    with study.writing() as connection:
        assert connection.execute(sa.text("SHOW transaction_isolation")).scalar_one() == "read committed"
    study.close()


def make(target: str, collection: Collection, **settings: Any) -> object:
    chosen = Settings(**{"depth": 3, "name": "A study", **settings})
    texts, words = collection.documents, collection.topics
    return create_study(target, collection.runs, chosen, documents=texts, topics=words)


def test_two_who_make_a_study_at_once_are_told_apart(tmp_path: Path, address: str) -> None:
    collection = make_collection(tmp_path)
    found = together(2, lambda: make(address, collection))
    (refusal,) = [one for one in found if isinstance(one, Exception)]
    assert isinstance(refusal, InputError)
    assert "has a study already" in str(refusal)


def test_two_servers_migrate_a_study_once(
    study: Store, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_a_later_schema(tmp_path, monkeypatch)

    def open_it() -> str:
        with store.opened(address) as found, found.reading() as connection:
            return str(connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())

    assert together(4, open_it) == ["0002"] * 4


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("ALTER DATABASE {name} SET default_transaction_read_only = on", "read-only"),
        ("ALTER DATABASE {name} SET role = 'pg_monitor'", "permission denied"),
    ],
)
def test_a_database_that_may_not_be_changed_is_said(
    cli: Cli, tmp_path: Path, address: str, statement: str, says: str
) -> None:
    administered(address, statement)
    collection = make_collection(tmp_path)
    given = ("--documents", collection.documents, "--topics", collection.topics, "--depth", 3)
    done = cli("assess", "new", address, *collection.runs, *given)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("rankprism: postgresql+psycopg://")
    assert "the database says" in line
    assert says in line


def test_a_database_without_unicode_is_refused(tmp_path: Path, address: str) -> None:
    url = sa.make_url(address)
    plain = url.set(database=f"{url.database}_ascii")
    text = plain.render_as_string(hide_password=False)
    how = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    administered(text, f"CREATE DATABASE {{name}} {how}")
    with pytest.raises(InputError, match=r"its encoding is SQL_ASCII.*ENCODING 'UTF8'"):
        make(text, make_collection(tmp_path))


@pytest.mark.parametrize("where", ["instructions", "consent", "name"])
def test_an_invisible_nul_is_refused_in_every_database(where: str) -> None:
    with pytest.raises(InputError, match=f"{where} has a NUL character"):
        Settings(**cast(Any, {where: "a\0b"}))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("what", ["document", "topic", "run"])
def test_long_ids_are_refused_alike(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, what: str
) -> None:
    target = str(tmp_path / "study.db") if kind == "sqlite" else request.getfixturevalue("postgres")()
    ids = {"document": "d1", "topic": "q", "run": "x"} | {what: "ü" * 1001}
    texts = tmp_path / "d.jsonl"
    texts.write_text("".join(f'{{"id": "{doc}", "text": "x"}}\n' for doc in (ids["document"], "d2")))
    runs: Any = {ids["run"]: {ids["topic"]: [ids["document"], "d2"]}}
    with pytest.raises(InputError, match=rf"the id of a {what} has 2,002 bytes.*at most 2,000; shorten it"):
        create_study(target, runs, Settings(depth=2), documents=texts, order="input")
