"""The file of a study in SQLite, and the files beside it.

SQLite first writes answers to FILE-wal and moves them into FILE later. A server that is killed leaves both.
FILE without its FILE-wal lacks answers, and FILE beside the FILE-wal of another study becomes corrupt,
because SQLite cannot tell which study it belongs to. So only `new_file` puts a database in its place.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from rankprism.errors import InputError
from rankprism.formats import check_target, on_disk, removed_unless_finished, replaces_file

#: The endings of the files that SQLite keeps beside a database.
_BESIDE = ("-wal", "-shm", "-journal")


@contextmanager
def new_file(target: str, *, replace: bool = False, clear: bool = False) -> Iterator[str]:
    """Give the path of an empty database, which becomes `target` when the block ends, or is removed if it
    fails.

    replace : whether it may replace a database that nobody has open.
    clear : whether to remove files that are left beside a `target` that does not exist.

    Until then, the database and the files that SQLite adds are in a folder that only the owner may enter.
    """
    if not replaces_file(target):
        raise InputError(f"{target}: is not a file; a study needs a file of its own")
    check_target(target)
    place = os.path.realpath(target)
    _check_free(target, place, replace, clear)
    try:
        with removed_unless_finished() as temporary:
            folder = temporary(Path(place).parent)
            folder.mkdir(0o700)
            path = os.fspath(folder / "study.db")
            # Only the owner may read it, whatever the umask is. SQLite gives its other files the same mode.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            yield path
            _one_file(path)
            _check_free(target, place, replace, clear)
            _make_way(target, place)
            if os.path.exists(place):
                old = os.stat(place)
                with suppress(OSError, AttributeError):  # only root may change the owner of a file
                    os.chown(path, old.st_uid, old.st_gid)
            os.replace(path, place)
            on_disk(Path(place).parent)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"{target}: cannot be written ({getattr(error, 'strerror', '') or error})") from None


def beside(target: str) -> list[str]:
    """The files that SQLite left beside a database, with the path that the user gave."""
    place = os.path.realpath(target)
    return [f"{target}{ending}" for ending in _BESIDE if os.path.lexists(f"{place}{ending}")]


def _check_free(target: str, place: str, replace: bool, clear: bool) -> None:
    left = beside(target)
    if os.path.exists(place):
        if not replace:
            raise InputError(
                f"{target}: exists already; name a new file, or remove it: rm {' '.join([target, *left])}"
            )
    elif left and not clear:
        raise InputError(
            f"{left[0]}: is left from an earlier {target}, and SQLite would mix its contents into the new "
            f"one; name a new file, or remove what is left: rm {' '.join(left)}"
        )


def _make_way(target: str, place: str) -> None:
    """Refuse to replace a database that is open, and remove the files beside it.

    Their content is first moved into the old database, so that it stays complete until it is replaced.
    """
    if os.path.exists(place):
        try:
            mode = _one_file(place)
        except sqlite3.OperationalError as error:
            mode = "busy" if is_locked(error) else ""
        except sqlite3.DatabaseError:
            mode = ""  # it is damaged, which may be the reason to replace it
        if mode not in ("delete", ""):
            raise InputError(f"{target}: is served, or open in another program; stop that program first")
    for ending in _BESIDE:
        Path(f"{place}{ending}").unlink(missing_ok=True)


def _one_file(path: str) -> str:
    """Move the content of the files beside a database into it, and return its journal mode.

    The mode is "delete" afterwards, unless somebody else has the database open.
    """
    with closing(sqlite3.connect(existing(path), uri=True, timeout=0)) as connection:
        return str(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0])


def existing(path: str) -> str:
    """The URI of an SQLite file, with which SQLite opens it and never creates it."""
    return f"{Path(path).absolute().as_uri()}?mode=rw"


def is_locked(error: sqlite3.OperationalError) -> bool:
    """Whether SQLite failed because another program has locked the database."""
    # The lowest byte is the kind of error, and the other bytes are details. Errors of Python have no code.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
