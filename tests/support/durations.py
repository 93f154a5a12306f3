"""How long the tests of each file take: the longest files are begun first, so that no process ends alone.

With RANKPRISM_WRITE_DURATIONS in the environment, a run writes `tests/durations.json`: CPU seconds by file,
with those of the processes that its tests start. Files that were not run keep their number.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
RECORD = TESTS / "durations.json"
#: A file that nobody has timed yet.
NEW = 5.0


def recorded() -> dict[str, float]:
    found: dict[str, float] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


class Durations:
    """A plugin that orders files, adds up what they take, and tells which take twice as long as recorded."""

    def __init__(self, *, write: bool) -> None:
        self.write = write
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.spent = spent()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        known = recorded()
        items.sort(key=lambda item: -known.get(name(item.path), NEW))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        report: pytest.TestReport = yield  # type: ignore[assignment]
        now = spent()
        report.user_properties.append(("cpu", now - self.spent))
        self.spent = now
        return report  # type: ignore[return-value]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        taken = [seconds for what, seconds in report.user_properties if what == "cpu"]
        if taken:  # a process that crashed has counted nothing
            self.seconds[report.nodeid.partition("::")[0].removeprefix("tests/")] += float(str(taken[-1]))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.write and not hasattr(session.config, "workerinput"):
            found = recorded() | {file: round(seconds, 1) for file, seconds in self.seconds.items()}
            there = {file: found[file] for file in sorted(found) if (TESTS / file).exists()}
            RECORD.write_text(json.dumps(there, indent=0) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        known = recorded()
        slower = {
            file: taken
            for file, taken in self.seconds.items()
            if taken > 5 and file in known and taken > 2 * known[file]
        }
        for file, taken in sorted(slower.items()):
            terminalreporter.write_line(f"{file} took {taken:.0f} CPU s; recorded are {known[file]:.0f}")


def spent() -> float:
    """CPU seconds of this process and of all that it started, those that still run among them."""
    times = os.times()
    ended = times.user + times.system + times.children_user + times.children_system
    return ended + sum(map(_running, _children(os.getpid())))


def _running(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(_running, _children(process)))


def _children(process: int) -> list[int]:
    """The processes that a process has started; none where the system does not list them."""
    found: list[int] = []
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:  # the process has ended, or the system has no such folder
        return found
    for thread in threads:
        try:
            found += map(int, (thread / "children").read_text().split())
        except OSError:
            continue  # the thread has ended
    return found


def name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else str(path)
