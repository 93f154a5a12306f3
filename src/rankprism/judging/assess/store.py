"""The database of a study: its tables, and functions to open, read and write it.

A study is a file (SQLite) or a database URL such as postgresql+psycopg://host/name. All writes go through
`writing`, which returns only after the database has put them on the disk. SQLite keeps the latest answers in
a second file beside the first, see `database_file`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
    event,
)

from rankprism.errors import InputError
from rankprism.judging.assess.database_file import is_locked, new_file
from rankprism.text import quoted


class NotUTF8(ValueError):
    """Raised if SQLite has bytes in a column of text."""


class Text(sa.types.TypeDecorator[str]):
    """Text. SQLite takes bytes for it, too, but no version of rankprism wrote them."""

    impl = sa.Text
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        if isinstance(value, bytes):
            raise NotUTF8(f"{quoted(value.decode('utf-8', 'replace'))} is not UTF-8")
        return value


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: One row: the settings of the study (see `settings.Settings`) and its state.
study = Table(
    "study",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("settings", JSON, nullable=False),
    Column("provenance", JSON, nullable=False),
    Column("secret", Text, nullable=False),  # for completion codes
    Column("created", Text, nullable=False),
    Column("stopped", Text),  # why no more tasks are given out; null while they are
    Column("address", Text),  # the public address at which it was last served
    CheckConstraint("id = 1", name="one"),
)
topic = Table(
    "topic",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
)
#: The aspects to grade in a topic: its own subtopics, or aspects that all topics share.
aspect = Table(
    "aspect",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic", ForeignKey("topic.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("labels", JSON, nullable=False),  # the names of the labels, from the lowest to the highest
    Column("grades", JSON, nullable=False),  # the grade of each label
    UniqueConstraint("topic", "name"),
)
document = Table(
    "document",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("cleaned", Text),  # the text as harmless HTML
    Column("cleaner", Text),  # the version of the cleaner that made it
)
#: The ranked documents of every run, so that the dashboard can rank the systems.
ranking = Table(
    "ranking",
    metadata,
    Column("run", Text, primary_key=True),
    Column("topic", ForeignKey("topic.id"), primary_key=True),
    Column("rank", Integer, primary_key=True),  # with gaps: only documents that the study has are kept
    Column("document", ForeignKey("document.id"), nullable=False),
)
#: The number of documents of each ranking, down to the last rank that the measure looks at.
ranking_length = Table(
    "ranking_length",
    metadata,
    Column("run", Text, primary_key=True),
    Column("topic", ForeignKey("topic.id"), primary_key=True),
    Column("length", Integer, nullable=False),
)
#: The questions. A task with two documents asks for a preference, a task with one asks for grades.
task = Table(
    "task",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),  # identifies the question, so that none is asked twice
    Column("purpose", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("topic", ForeignKey("topic.id"), nullable=False),
    Column("given", JSON, nullable=False),  # the documents that the assessor has just read
    Column("first", ForeignKey("document.id"), nullable=False),
    Column("second", ForeignKey("document.id")),
    # the right answer for practice and gold: first, second, tie; or a label for each aspect
    Column("expected", JSON),
    Column("batch", Integer),  # the batch in which the document was drawn, see `drawing`
    # the task that has the same question: in the other order, or asked once more
    Column("repeats", Integer, index=True),
    Index("ix_task_purpose_position", "purpose", "position"),
)
#: The probabilities with which documents were drawn. Each further batch gives a document a new one: that of
#: having been drawn in any batch up to this one.
drawing = Table(
    "drawing",
    metadata,
    Column("task", ForeignKey("task.id"), primary_key=True),
    Column("upto", Integer, primary_key=True),
    Column("probability", Float, nullable=False),
)
#: The wanted judgments. A task has as many places as judgments, each for another assessor.
place = Table(
    "place",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("swapped", Boolean, nullable=False),  # whether the second document is on the left
    Column("assessor", ForeignKey("assessor.id")),
    Column("attempt", Integer, nullable=False),  # the number of times it was given out or taken back
    Column("leased", Float),  # when it was given to the assessor
    Column("expires", Float),  # when somebody else may have it; null if it is free or judged
    Column("done", Boolean, nullable=False),
    UniqueConstraint("task", "assessor"),
    Index("ix_place_done_position", "done", "position"),
    Index("ix_place_assessor_done", "assessor", "done"),
)
#: The answers. None is ever deleted: an answer that was taken back has the time in `withdrawn`.
judgment = Table(
    "judgment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("place", ForeignKey("place.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("assessor", ForeignKey("assessor.id"), nullable=False),
    Column("answer", Text, nullable=False),  # left, right (as the assessor saw it), tie, cannot; graded
    Column("grades", JSON),  # the label of each aspect
    Column("comment", Text, nullable=False),
    Column("time", Text, nullable=False),
    Column("seconds", Float),
    Column("withdrawn", Text),
    Column("instructions", Integer),  # the version of the instructions that the assessor had seen
    UniqueConstraint("place", "attempt"),  # an answer that is submitted twice is stored once
    Index("ix_judgment_assessor_withdrawn", "assessor", "withdrawn"),
)
assessor = Table(
    "assessor",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("worker", Text, unique=True),  # the assessor's id on a crowd platform
    Column("created", Text, nullable=False),
    Column("consented", Text),
    Column("instructions", Integer),  # the version of the instructions that they have seen last
)
#: The topics of an assessor. A topic that nobody has is for everybody.
assigned = Table(
    "assigned",
    metadata,
    Column("topic", ForeignKey("topic.id"), primary_key=True),
    Column("assessor", ForeignKey("assessor.id"), primary_key=True),
)
#: Every version of the instructions. The last one holds.
instructions = Table(
    "instructions",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("since", Text, nullable=False),
)
#: Links and sessions. Only the hash of a token is kept.
token = Table(
    "token",
    metadata,
    Column("id", Text, primary_key=True),
    Column("hash", Text, nullable=False),
    Column("purpose", Text, nullable=False),  # link, crowd, session, organiser, organiser-session
    Column("assessor", ForeignKey("assessor.id"), index=True),
    Column("created", Text, nullable=False),
    Column("used", Text),
)

_MIGRATIONS = Path(__file__).with_name("migrations")
#: The classes of SQLSTATE of what passes by itself: lost connections, transactions that PostgreSQL undid, too
#: little disk, memory or connections, and a server that an operator stops.
_PASSING = ("08", "40", "53", "57")
#: Those of what a user has to mend: rights, and a database that is read-only.
_REFUSED = ("42501", "25006")
_SECONDS_TO_WAIT = 30.0  # while somebody else writes
_BACKUP = "restore a backup (rankprism assess restore)"
_SCHEMA_LOCK = 7_220_164_001  # any number that other programs are unlikely to lock
_MIGRATING = threading.Lock()
#: A clock that nobody can set and, where the system has one, that goes on while the machine sleeps.
_STEADY = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


class Unavailable(InputError):
    """Raised if a database cannot be used at the moment, although nothing is wrong with the request."""


class Damaged(InputError):
    """Raised if a study has contents that no version of rankprism wrote."""


class Clock:
    """Seconds since 1970, for leases. The clock starts at the machine's time and ignores later settings."""

    def __init__(self) -> None:
        self._ahead = time.time() - _steady()

    def now(self) -> float:
        return _steady() + self._ahead

    def catch_up(self, least: float) -> None:
        """Set the clock forward to this moment, unless it has passed."""
        self._ahead = max(self._ahead, least - _steady())


def _steady() -> float:
    return time.monotonic() if _STEADY is None else time.clock_gettime(_STEADY)


@dataclass(frozen=True, eq=False)
class Store:
    """An open study."""

    engine: sa.Engine
    name: str  #: the name of the study in messages, without a password
    #: SQLite allows one writer at a time. Waiting here is fair and exact; waiting in SQLite is neither.
    lock: threading.Lock = field(default_factory=threading.Lock)
    clock: Clock = field(default_factory=Clock)
    file: os.stat_result | None = None  #: the SQLite file that was opened

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a connection that sees one state of the database and changes nothing."""
        with self._in_time(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a transaction, which is on the disk when the block ends, or undone if anything fails.

        It waits for other writers for 30 seconds at most, here and in SQLite together.
        """
        if not self.is_sqlite:
            with self._in_time(), self.engine.begin() as connection:
                yield connection
            return
        deadline = time.monotonic() + _SECONDS_TO_WAIT
        with (
            self._in_time(),
            self.engine.connect().execution_options(deadline=deadline) as connection,
            self._turn(deadline),
            connection.begin(),
        ):
            self._check_file()
            yield connection

    @contextmanager
    def _turn(self, deadline: float) -> Iterator[None]:
        if not self.lock.acquire(timeout=_until(deadline)):
            raise self._busy()
        try:
            yield
        finally:
            self.lock.release()

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """Turn the errors of a database that cannot be used at the moment into our own."""
        try:
            yield
        except NotUTF8 as error:
            raise self._damaged(error) from None
        except sa.exc.TimeoutError:  # all connections were taken
            raise self._busy() from None
        except sa.exc.DBAPIError as error:
            if _is_busy(error):
                raise self._busy() from None
            if isinstance(error.orig, sqlite3.OperationalError) and "decode to UTF-8" in str(error.orig):
                raise self._damaged(_first_line(error).replace("Could", "SQLite could")) from None
            if _is_away(error):
                raise Unavailable(
                    f"{self.name}: the database says {_first_line(error)}, and nothing was stored; try again "
                    f"when it can be used"
                ) from None
            raise

    def _busy(self) -> Unavailable:
        return Unavailable(
            f"{self.name}: another program has locked the database for {_SECONDS_TO_WAIT:g} seconds, and "
            f"nothing was stored; stop that program, or try again later"
        )

    def _damaged(self, why: object) -> Damaged:
        return Damaged(f"{self.name}: is damaged: {why}; {_BACKUP}")

    def _check_file(self) -> None:
        """Refuse to write to a file that was removed, because its contents vanish when it is closed."""
        if self.file is None:
            return
        try:
            if os.path.samestat(self.file, os.stat(self.engine.url.database or "")):
                return
        except OSError:
            pass
        raise Unavailable(
            f"{self.name}: was removed or replaced while it was open, so nothing was stored; stop the "
            f"server, restore a backup if it is gone, and serve it again"
        )

    def close(self) -> None:
        self.engine.dispose()


def create(target: str, fill: Any) -> None:
    """Make a new study completely or not at all: its tables, and the rows that `fill` inserts."""
    if is_url(target):
        with _connected(target) as store, store.writing() as connection:
            _wait_for_others(connection)
            if sa.inspect(connection).has_table("study"):
                raise InputError(f"{store.name}: has a study already; name another database")
            _migrate(connection)
            fill(connection)
        return
    with new_file(target) as path, _connected(path, target) as store, store.writing() as connection:
        _migrate(connection)
        fill(connection)


@contextmanager
def opened(target: str, name: str = "") -> Iterator[Store]:
    """Open an existing study, migrated to the schema of this version. `name` is its name in messages."""
    if not is_url(target) and not os.path.isfile(target):
        raise InputError(f"{target}: there is no such study; make it with `rankprism assess new {target} …`")
    with _connected(target, name) as store:
        with store.reading() as connection:
            revision = MigrationContext.configure(connection).get_current_revision()
        scripts = _scripts()
        if revision is None:
            raise InputError(f"{store.name}: has no study; make it with `rankprism assess new`")
        if revision not in {script.revision for script in scripts.walk_revisions()}:
            raise InputError(
                f"{store.name}: was made by a newer rankprism (its schema is {revision}); "
                f"use that one, or a newer one"
            )
        if revision != scripts.get_current_head():
            with store.writing() as connection:
                _wait_for_others(connection)
                _migrate(connection)
        yield store


def check_schema(open_study: Store) -> None:
    """Refuse a study that lacks a table or a column."""
    with open_study.reading() as connection:
        found = sa.inspect(connection)
        for table in metadata.sorted_tables:
            if not found.has_table(table.name):
                raise InputError(f"{open_study.name}: is damaged: it has no table {table.name}")
            columns = {column["name"] for column in found.get_columns(table.name)}
            for column in table.columns:
                if column.name not in columns:
                    raise InputError(
                        f"{open_study.name}: is damaged: its table {table.name} has no column {column.name}"
                    )


def name_of(connection: sa.Connection) -> str:
    """The name in messages of the study of a connection."""
    return str(connection.get_execution_options()["study"])


def is_url(target: str) -> bool:
    """Whether a study is named by a URL rather than by a file."""
    return "://" in target


def now() -> str:
    """The current time as it is stored: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def _connected(target: str, name: str = "") -> Iterator[Store]:
    name = name or _shown(target)
    file = None if is_url(target) else os.stat(target)
    store = Store(_engine(target, name), name, file=file)
    try:
        with store.reading() as connection:
            _check_encoding(store, connection)
        yield store
    except sa.exc.DatabaseError as error:
        # SQLite raises the base class for a damaged file. Most subclasses would be our own mistakes.
        is_refused = getattr(error.orig, "sqlstate", None) in _REFUSED
        if type(error) not in (sa.exc.DatabaseError, sa.exc.OperationalError) and not is_refused:
            raise
        code = getattr(error.orig, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_NOTADB:
            raise InputError(f"{name}: is not a study ({_first_line(error)})") from None
        hint = "; restore a backup: rankprism assess restore" if code == sqlite3.SQLITE_CORRUPT else ""
        raise InputError(f"{name}: the database says {_first_line(error)}{hint}") from None
    finally:
        store.close()


def _check_encoding(store: Store, connection: sa.Connection) -> None:
    """Refuse a database of PostgreSQL that does not know what its text means."""
    if store.is_sqlite:
        return
    encoding = connection.execute(sa.text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise InputError(
            f"{store.name}: its encoding is {encoding}, and a study may have any text; make a database with "
            f"ENCODING 'UTF8'"
        )


def _is_busy(error: sa.exc.DBAPIError) -> bool:
    """Whether somebody else held a lock for too long, or two waited for each other (PostgreSQL)."""
    orig = error.orig
    if isinstance(orig, sqlite3.OperationalError):
        return is_locked(orig)
    return getattr(orig, "sqlstate", None) in ("55P03", "40P01")


def _is_away(error: sa.exc.DBAPIError) -> bool:
    """Whether PostgreSQL cannot be reached, or undid a transaction that may succeed later.

    A connection that is refused or lost has no SQLSTATE.
    """
    if isinstance(error.orig, sqlite3.Error):
        return False
    state = getattr(error.orig, "sqlstate", None)
    if state is None:
        return error.connection_invalidated or isinstance(error, sa.exc.OperationalError)
    return str(state).startswith(_PASSING)


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _first_line(error: sa.exc.DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__


def _shown(target: str) -> str:
    return _url(target).render_as_string(hide_password=True) if is_url(target) else target


def _url(target: str) -> sa.URL:
    try:
        url = sa.make_url(target)
    except sa.exc.ArgumentError:
        raise InputError(
            "the study is neither a file nor a database URL; write it like postgresql+psycopg://user@host/name"
        ) from None
    if url.get_backend_name() == "sqlite":
        raise InputError(f"a study in SQLite is named by its file alone: write {url.database or 'study.db'}")
    if url.drivername != "postgresql+psycopg":
        raise InputError(
            f"a study is in SQLite or PostgreSQL, but the URL begins with {url.drivername!r}. "
            f"Write postgresql+psycopg://user@host/name"
        )
    return url


def _engine(target: str, name: str) -> sa.Engine:
    options = {"execution_options": {"study": name}}
    if not is_url(target):
        engine = sa.create_engine(
            sa.URL.create("sqlite+pysqlite", database=os.path.abspath(target)),
            poolclass=sa.QueuePool,
            pool_size=64,
            connect_args={"timeout": _SECONDS_TO_WAIT, "check_same_thread": False},
            json_deserializer=partial(_from_json, name),  # PostgreSQL itself checks that JSON is valid
            **options,
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    # An acknowledged answer is on the disk, whatever the server's own default is.
    settings = f"-c synchronous_commit=on -c lock_timeout={_SECONDS_TO_WAIT:g}s -c client_encoding=UTF8"
    return sa.create_engine(
        _url(target),
        isolation_level="READ COMMITTED",  # rows are locked where it matters, and nothing has to be repeated
        pool_size=20,
        max_overflow=20,
        pool_pre_ping=True,
        connect_args={"options": settings, "connect_timeout": 10},
        **options,
    )


def _from_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Damaged(f"{name}: is damaged: {quoted(text)} is not JSON ({error}); {_BACKUP}") from None


def _prepare_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy begins transactions, and not the module sqlite3
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    deadline = connection.get_execution_options().get("deadline")  # only writers have one
    seconds = _SECONDS_TO_WAIT if deadline is None else _until(deadline)
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {round(1000 * seconds)}")
    connection.exec_driver_sql("BEGIN" if deadline is None else "BEGIN IMMEDIATE")


def _wait_for_others(connection: sa.Connection) -> None:
    """Let nobody else change the schema before this transaction ends. Writers to SQLite have waited."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))


def _migrate(connection: sa.Connection) -> None:
    """Migrate the schema to this version, in the transaction of the connection."""
    scripts = _scripts()

    def steps(revision: Any, context: MigrationContext) -> Any:
        return scripts._upgrade_revs("head", revision)

    # Alembic keeps the environment in a module, of which all threads of a process have one.
    with _MIGRATING, EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        environment.run_migrations()


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(os.fspath(_MIGRATIONS))
