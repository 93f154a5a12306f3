"""A PostgreSQL of our own: started as an unprivileged user, on a socket in a temporary folder.

The processes of a run of tests share one server. The first that needs it starts it, and the process that
began the run stops it at the end.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def programs() -> Path | None:
    """The folder of Debian's PostgreSQL programs, the newest version there is."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    return found[-1].parent if found else None


#: In the environment of all processes of a run: the folder of its server, even before it was started.
SHARED = "RANKPRISM_TESTS_POSTGRES"


@contextmanager
def postgresql(*, fsync: bool) -> Iterator[Callable[[], str]]:
    """Start a server; a function that makes a new database and returns its URL."""
    folder = Path(tempfile.mkdtemp(prefix="rankprism-pg-", dir="/tmp"))
    try:
        start(folder, fsync=fsync)
        with databases_of(folder) as database:
            yield database
    finally:
        stop(folder)


@contextmanager
def shared() -> Iterator[Callable[[], str]]:
    """The server that all processes of this run use, started by the first of them."""
    import fcntl

    folder = Path(os.environ[SHARED])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "data").exists():
            start(folder, fsync=False)
    with databases_of(folder) as database:
        yield database


def start(folder: Path, *, fsync: bool) -> None:
    """Start a server with its data and its socket in this folder."""
    where = programs()
    assert where is not None
    data = folder / "data"
    common: dict[str, Any] = {"cwd": "/"}
    if os.geteuid() == 0:  # as which PostgreSQL refuses to run
        common |= {"user": "nobody", "group": "nogroup"}
        shutil.chown(folder, "nobody", "nogroup")
    options = ["-U", "rankprism", "-A", "trust", "--no-sync", "-E", "UTF8"]
    subprocess.run([where / "initdb", "-D", data, *options], check=True, capture_output=True, **common)
    values = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "on" if fsync else "off"}
    settings = [text for name, value in values.items() for text in ("-c", f"{name}={value}")]
    # pg_ctl leaves the server without a parent that waits for it: it outlives the process that started it.
    command: list[str | Path] = [where / "pg_ctl", "start", "-w", "-s", "-D", data, "-l", folder / "log"]
    subprocess.run([*command, "-o", shlex.join(settings)], check=True, stdout=subprocess.DEVNULL, **common)


def stop(folder: Path) -> None:
    """Stop the server of this folder, if there is one, and remove the folder."""
    where, record = programs(), folder / "data" / "postmaster.pid"
    if where is not None and record.exists():
        number = int(record.read_text().split("\n")[0])
        os.kill(number, signal.SIGINT)
        for _ in range(600):
            if not record.exists():
                break
            time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def databases_of(folder: Path) -> Iterator[Callable[[], str]]:
    """A function that makes a new database on a server and returns its URL."""
    import psycopg

    numbers = iter(range(1, 1_000_000))
    with psycopg.connect(host=str(folder), user="rankprism", dbname="postgres", autocommit=True) as admin:

        def database() -> str:
            name = f"study{os.getpid()}_{next(numbers)}"
            admin.execute(f"CREATE DATABASE {name}")
            return f"postgresql+psycopg://rankprism@/{name}?host={folder}"

        yield database
