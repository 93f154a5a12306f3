"""The database of a study: its tables, how it is opened, and how it is read and written.

A study is a file (SQLite) or a database URL such as postgresql+psycopg://host/name. Everything that is
written goes through `writing`, which returns only after the database has put it on the disk.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
    Text,
    UniqueConstraint,
    event,
)

from rankprism.errors import InputError

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: One row: the settings of the study (see `creation.Settings`) and what has become of it.
study = Table(
    "study",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("settings", JSON, nullable=False),
    Column("provenance", JSON, nullable=False),
    Column("secret", Text, nullable=False),  # makes completion codes
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
#: What is graded in a topic: a subtopic of its own, or an aspect that all topics have.
aspect = Table(
    "aspect",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic", ForeignKey("topic.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("labels", JSON, nullable=False),  # the names of the labels, from the lowest to the highest
    Column("grades", JSON, nullable=False),  # what each of them is worth
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
#: The documents of every run that the study has, so that the dashboard can rank the systems.
ranking = Table(
    "ranking",
    metadata,
    Column("run", Text, primary_key=True),
    Column("topic", ForeignKey("topic.id"), primary_key=True),
    Column("rank", Integer, primary_key=True),  # with gaps: only documents that the study has are kept
    Column("document", ForeignKey("document.id"), nullable=False),
)
#: How many documents each ranking has, down to the last rank that the measure looks at.
ranking_length = Table(
    "ranking_length",
    metadata,
    Column("run", Text, primary_key=True),
    Column("topic", ForeignKey("topic.id"), primary_key=True),
    Column("length", Integer, nullable=False),
)
#: What is asked. A task with a second document is a preference, one without is a document to grade.
task = Table(
    "task",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),  # names what is asked, so that nothing is asked twice
    Column("purpose", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("topic", ForeignKey("topic.id"), nullable=False),
    Column("given", JSON, nullable=False),  # the documents that the assessor has just read
    Column("first", ForeignKey("document.id"), nullable=False),
    Column("second", ForeignKey("document.id")),
    Column(
        "expected", JSON
    ),  # the answer, of practice and gold: first, second, tie; or a label for each aspect
    Index("ix_task_purpose_position", "purpose", "position"),
)
#: One judgment that is wanted: a task is judged in as many places as it has, each by another assessor.
place = Table(
    "place",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("swapped", Boolean, nullable=False),  # whether the second document stands on the left
    Column("assessor", ForeignKey("assessor.id")),
    Column("attempt", Integer, nullable=False),  # how often it was given out or taken back
    Column("leased", Float),  # when it was given to the assessor
    Column("expires", Float),  # when somebody else may have it; null where it is free or judged
    Column("done", Boolean, nullable=False),
    UniqueConstraint("task", "assessor"),
    Index("ix_place_done_position", "done", "position"),
    Index("ix_place_assessor_done", "assessor", "done"),
)
#: What was answered. Nothing is ever deleted: an answer that was taken back says when.
judgment = Table(
    "judgment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("place", ForeignKey("place.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("assessor", ForeignKey("assessor.id"), nullable=False),
    Column("answer", Text, nullable=False),  # as seen: left, right, tie, cannot; graded
    Column("grades", JSON),  # the label of each aspect
    Column("comment", Text, nullable=False),
    Column("time", Text, nullable=False),
    Column("seconds", Float),
    Column("withdrawn", Text),
    UniqueConstraint("place", "attempt"),  # submitting twice stores one
    Index("ix_judgment_assessor_withdrawn", "assessor", "withdrawn"),
)
assessor = Table(
    "assessor",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("worker", Text, unique=True),  # the id that a crowd platform knows them by
    Column("created", Text, nullable=False),
    Column("consented", Text),
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
_SECONDS_TO_WAIT = 30  # for another process that writes to the same SQLite file


@dataclass(frozen=True, eq=False)
class Store:
    """An open study."""

    engine: sa.Engine
    name: str  #: what messages call it; without a password
    #: SQLite has one writer at a time. Waiting here is fair and exact; waiting in SQLite is neither.
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one state of the database and changes nothing."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction, on the disk when this returns, or undone if anything fails."""
        if not self.is_sqlite:
            with self.engine.begin() as connection:
                yield connection
            return
        with (
            self.lock,
            self.engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    def close(self) -> None:
        self.engine.dispose()


def create(target: str, fill: Any) -> None:
    """Make a new study: its tables, and what `fill` puts in through a connection. All of it, or nothing."""
    if is_url(target):
        with _connected(target) as store, store.writing() as connection:
            if sa.inspect(connection).has_table("study"):
                raise InputError(f"{store.name}: has a study already; name another database")
            _migrate(connection)
            fill(connection)
        return
    from rankprism.formats.output_files import check_target, removed_unless_finished

    if os.path.exists(target):
        raise InputError(f"{target}: exists already; name a new file, or remove it")
    check_target(target)
    with removed_unless_finished() as temporary:
        path = temporary(Path(target).absolute().parent)
        with _connected(os.fspath(path)) as store:
            with store.writing() as connection:
                _migrate(connection)
                fill(connection)
            with store.engine.connect() as connection:  # so that nothing is left beside the file
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        os.replace(path, target)


@contextmanager
def opened(target: str) -> Iterator[Store]:
    """An existing study, brought to the schema of this version."""
    if not is_url(target) and not os.path.isfile(target):
        raise InputError(f"{target}: there is no such study; make it with `rankprism assess new {target} …`")
    with _connected(target) as store:
        with store.reading() as connection:
            revision = MigrationContext.configure(connection).get_current_revision()
        scripts = _scripts()
        if revision is None:
            raise InputError(f"{store.name}: has no study; make it with `rankprism assess new`")
        if revision not in {script.revision for script in scripts.walk_revisions()}:
            raise InputError(
                f"{store.name}: was made by a newer rankprism (its schema is {revision}); "
                f"pip install --upgrade 'rankprism[assess]'"
            )
        if revision != scripts.get_current_head():
            with store.writing() as connection:
                _migrate(connection)
        yield store


def is_url(target: str) -> bool:
    """Whether a study is named by a URL rather than by a file."""
    return "://" in target


def now() -> str:
    """The time as it is stored: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def _connected(target: str) -> Iterator[Store]:
    store = Store(_engine(target), _shown(target))
    try:
        try:
            with store.engine.connect():
                pass
        except sa.exc.OperationalError:
            raise
        except sa.exc.DatabaseError as error:
            raise InputError(f"{store.name}: is no study ({_first_line(error)})") from None
        yield store
    except sa.exc.OperationalError as error:
        raise InputError(f"{store.name}: the database says {_first_line(error)}") from None
    finally:
        store.close()


def _first_line(error: sa.exc.DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__


def _shown(target: str) -> str:
    return sa.make_url(target).render_as_string(hide_password=True) if is_url(target) else target


def _engine(target: str) -> sa.Engine:
    if not is_url(target):
        url = sa.URL.create("sqlite+pysqlite", database=os.path.abspath(target))
    else:
        try:
            url = sa.make_url(target)
        except sa.exc.ArgumentError:
            raise InputError(
                "the study is no file and no database URL; write it like postgresql+psycopg://user@host/name"
            ) from None
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(
            url,
            poolclass=sa.QueuePool,
            pool_size=64,
            connect_args={"timeout": _SECONDS_TO_WAIT, "check_same_thread": False},
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if url.drivername != "postgresql+psycopg":
        raise InputError(
            f"a study lives in SQLite or PostgreSQL; the URL begins with {url.drivername!r}. "
            f"Write postgresql+psycopg://user@host/name"
        )
    # Acknowledged means on the disk, whatever the server's own default is.
    return sa.create_engine(
        url,
        pool_size=20,
        max_overflow=20,
        pool_pre_ping=True,
        connect_args={"options": "-c synchronous_commit=on", "connect_timeout": 10},
    )


def _prepare_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says so, not where sqlite3 thinks
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _migrate(connection: sa.Connection) -> None:
    """Bring the schema to this version, in the transaction of the connection."""
    scripts = _scripts()

    def steps(revision: Any, context: MigrationContext) -> Any:
        return scripts._upgrade_revs("head", revision)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        environment.run_migrations()


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(os.fspath(_MIGRATIONS))
