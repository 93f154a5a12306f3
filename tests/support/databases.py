"""A PostgreSQL of our own: started as an unprivileged user, on a socket in a temporary folder."""

from __future__ import annotations

import os
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


@contextmanager
def postgresql(*, fsync: bool) -> Iterator[Callable[[], str]]:
    """Start a server; a function that makes a new database and returns its URL."""
    import psycopg

    folder, where = Path(tempfile.mkdtemp(prefix="rankprism-pg-", dir="/tmp")), programs()
    assert where is not None
    data = folder / "data"
    common: dict[str, Any] = {"cwd": "/"}
    if os.geteuid() == 0:  # as which PostgreSQL refuses to run
        common |= {"user": "nobody", "group": "nogroup"}
        shutil.chown(folder, "nobody", "nogroup")
    try:
        options = ["-U", "rankprism", "-A", "trust", "--no-sync", "-E", "UTF8"]
        subprocess.run([where / "initdb", "-D", data, *options], check=True, capture_output=True, **common)
        values = {
            "listen_addresses": "",
            "unix_socket_directories": str(folder),
            "fsync": "on" if fsync else "off",
        }
        settings = [text for name, value in values.items() for text in ("-c", f"{name}={value}")]
        process = subprocess.Popen(
            [where / "postgres", "-D", data, *settings],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **common,
        )
        try:
            admin = _connected(folder, psycopg)
            numbers = iter(range(1, 1_000_000))

            def database() -> str:
                name = f"study{next(numbers)}"
                admin.execute(f"CREATE DATABASE {name}")
                return f"postgresql+psycopg://rankprism@/{name}?host={folder}"

            yield database
            admin.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _connected(folder: Path, psycopg: Any) -> Any:
    for _ in range(600):
        try:
            return psycopg.connect(host=str(folder), user="rankprism", dbname="postgres", autocommit=True)
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise RuntimeError("PostgreSQL did not start")
