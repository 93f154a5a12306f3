"""Copies a study to a file while people work on it, and restores such a copy.

Copying an SQLite file is not enough, see `database_file`. Here SQLite itself copies one state of the
database, even if somebody writes to it meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import NamedTuple

from rankprism.errors import InputError
from rankprism.judging.assess import store, study_state
from rankprism.judging.assess.database_file import existing, new_file

_SECONDS_TO_WAIT = 30.0  # while another program has locked the database


class Copied(NamedTuple):
    """What a copy of a study contains."""

    judgments: int
    last: str | None  #: the time of the latest judgment

    def __str__(self) -> str:
        return f"{self.judgments} judgments" + ("" if self.last is None else f", the last at {self.last}")


def back_up(study: str, file: str, *, replace: bool = False) -> Copied:
    """Copy a study, which may be served meanwhile, to a file with all answers acknowledged so far."""
    for one in (study, file):
        _check_is_file(one, "pg_dump --format=custom --file=FILE URL")
    if not os.path.isfile(study):
        raise InputError(f"{study}: there is no such study; name its file")
    _check_target(study, file, replace)
    with new_file(file, replace=replace) as path:
        return _copied(study, path)


def restore(file: str, study: str, *, replace: bool = False) -> Copied:
    """Check that a backup is whole, and replace a study by it in one step.

    Files that SQLite left beside a study that no longer exists are removed.
    """
    for one in (file, study):
        _check_is_file(one, "pg_restore --dbname=URL FILE, into an empty database")
    if not os.path.isfile(file):
        raise InputError(f"{file}: there is no such backup; name a file that `rankprism assess backup` wrote")
    _check_target(file, study, replace)
    with new_file(study, replace=replace, clear=True) as path:
        copied = _copied(file, path)
        with store.opened(path, file) as found:
            store.check_schema(found)
            with found.reading() as connection:
                study_state.load(connection)
    return copied


def _check_is_file(name: str, instead: str) -> None:
    if store.is_url(name):
        raise InputError(f"a study in PostgreSQL is copied by PostgreSQL's own programs: {instead}")


def _check_target(source: str, target: str, replace: bool) -> None:
    if not os.path.exists(target):
        return
    if os.path.samefile(source, target):
        raise InputError(f"{target}: is the same file as {source}; name another one")
    if not replace:
        raise InputError(f"{target}: exists already; name a new file, or replace it (--replace)")


def _copied(source: str, path: str) -> Copied:
    """Copy the database of a study, and check the copy."""
    try:
        with (
            closing(sqlite3.connect(existing(source), uri=True, timeout=_SECONDS_TO_WAIT)) as old,
            closing(sqlite3.connect(existing(path), uri=True)) as new,
        ):
            old.execute("BEGIN")
            # Read something first, because `backup` would wait for a lock forever.
            old.execute("SELECT count(*) FROM sqlite_master").fetchall()
            old.backup(new)
            _check_whole(source, new)
            found = new.execute("SELECT count(*), max(time) FROM judgment WHERE withdrawn IS NULL").fetchone()
            return Copied(*found)
    except sqlite3.Error as error:
        raise InputError(f"{source}: cannot be copied: the database says {error}") from None


def _check_whole(source: str, connection: sqlite3.Connection) -> None:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchall():
        raise InputError(f"{source}: does not contain a study")
    problem, *_ = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if problem == "ok":
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            problem = f"row {broken[1]} of {broken[0]} refers to a missing {broken[2]}"
    if problem == "ok":
        problem = _not_text(connection) or problem
    if problem != "ok":
        lines = problem.strip().splitlines()
        raise InputError(f"{source}: is damaged ({lines[-1]}), so nothing was written; use an earlier backup")


def _not_text(connection: sqlite3.Connection) -> str | None:
    """A column of text that has something else, which SQLite itself does not check."""
    for table in store.metadata.sorted_tables:
        found = {row[1] for row in connection.execute(f'PRAGMA table_info("{table.name}")')}
        for column in table.columns:
            if isinstance(column.type, store.Text) and column.name in found:
                rows = connection.execute(
                    f'SELECT CAST("{column.name}" AS BLOB), typeof("{column.name}") FROM "{table.name}"'
                )
                if any(kind == "blob" or not _is_utf_8(value or b"") for value, kind in rows):
                    return f"its table {table.name} has text in {column.name} that is not UTF-8"
    return None


def _is_utf_8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
