"""How long the tests of each file take: the longest files are begun first, so that no process ends alone.

With RANKPRISM_WRITE_DURATIONS in the environment, a run writes `tests/durations.json`: seconds by file.
"""

from __future__ import annotations

import json
from collections import defaultdict
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

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        known = recorded()
        items.sort(key=lambda item: -known.get(name(item.path), NEW))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.partition("::")[0].removeprefix("tests/")] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.write and not hasattr(session.config, "workerinput"):
            files = sorted(file for file in self.seconds if (TESTS / file).exists())
            found = {file: round(self.seconds[file], 1) for file in files}
            RECORD.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        known = recorded()
        slower = {
            file: taken
            for file, taken in self.seconds.items()
            if taken > 5 and file in known and taken > 2 * known[file]
        }
        for file, taken in sorted(slower.items()):
            terminalreporter.write_line(f"{file} took {taken:.0f} s; recorded are {known[file]:.0f}")


def name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else str(path)
