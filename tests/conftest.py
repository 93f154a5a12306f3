"""What all tests share: how hypothesis runs, where the official collections are, and a database server."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support import databases, durations, registries, warm
from tests.support.machine import COLLECTIONS, SCRIPTS, required

# The same examples every time: a red build has to mean that the code changed.
settings.register_profile(
    "deterministic",
    derandomize=True,
    max_examples=50,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)
# For a long look now and then: pytest --hypothesis-profile=search
_deterministic = settings.get_profile("deterministic")
settings.register_profile("search", _deterministic, derandomize=False, max_examples=2000)
settings.load_profile("deterministic")

# A shell's background job ignores Ctrl-C, and so would all programs that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: What type checkers look at, and nobody runs.
collect_ignore = ["typing"]


def pytest_configure(config: pytest.Config) -> None:
    write = "RANKPRISM_WRITE_DURATIONS" in os.environ
    config.pluginmanager.register(durations.Durations(write=write), "durations")
    if databases.programs() is not None and not hasattr(config, "workerinput"):
        os.environ[databases.SHARED] = folder = tempfile.mkdtemp(prefix="rankprism-pg-", dir="/tmp")
        config.add_cleanup(lambda: databases.stop(Path(folder)))


@pytest.fixture(scope="session")
def collections() -> Path:
    """The folder of official collections, runs and scores."""
    if not COLLECTIONS.is_dir():
        pytest.skip(f"the official collections are not there: looked for the folder {COLLECTIONS}")
    return COLLECTIONS


@pytest.fixture(scope="session")
def rankprism_command() -> Path:
    """The command as pip installed it."""
    return SCRIPTS / "rankprism"


@pytest.fixture(scope="session")
def commands(rankprism_command: Path) -> Iterator[Path]:
    """A folder with the command, for tests that call it often. It does the same and starts faster."""
    if not warm.POSSIBLE:
        yield rankprism_command.parent
        return
    with warm.serving() as folder:
        yield folder


@pytest.fixture(scope="session")
def cli(commands: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, as a user would."""

    def run(*arguments: object, input: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(commands / "rankprism"), *map(str, arguments)]
        environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {"PYTHONUTF8": "1"}
        given = None if input is None else input.encode()  # unchanged: Windows would add to the ends of lines
        done = subprocess.run(command, capture_output=True, input=given, env=environment)
        out, err = (re.sub("\r\n?", "\n", text.decode()) for text in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture(autouse=True)
def nothing_stays_registered() -> Iterator[None]:
    with registries.as_before():
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """The PostgreSQL of all processes of this run: a function that makes a database."""
    if databases.programs() is None:
        required("postgres", "PostgreSQL is not there: apt-get install postgresql")
    pytest.importorskip("psycopg")
    with databases.shared() as database:
        yield database


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium without a window.

    It is closed with the module: Playwright keeps an event loop running, and beside it no other test of the
    process could start one.
    """
    program = shutil.which("chromium")
    if program is None:
        required("browser", "Chromium is not there: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new study may be made: a file, or a PostgreSQL database."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    make: Callable[[], str] = request.getfixturevalue("postgres")
    return make()
