"""`make check` tests what has changed and what imports it, and the smoke tests."""

from __future__ import annotations

import re

import pytest

from tests.smoke import SMOKE
from tests.support import check
from tests.support.durations import TESTS, recorded


def test_every_smoke_test_exists_and_every_room_has_one() -> None:
    rooms = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    assert {test.split("/")[1] for test in SMOKE} == rooms
    for test in SMOKE:
        file, _, name = test.partition("::")
        text = (TESTS.parent / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", text, re.M), test


def test_a_change_runs_its_room_and_those_that_import_it() -> None:
    found = check.rooms(["src/rankprism/meta/unanimity.py"])
    assert found["meta"] == "changed"
    assert found["reproduce"] == "imports meta"
    assert "formats" not in found
    both = check.rooms(["docs/start.md", "tests/plots/test_plots.py"])
    assert both == {"house": "changed", "plots": "changed"}
    assert list(check.rooms(["src/core/run.cpp"])) == ["core"]  # everything imports it


def test_every_module_of_the_package_has_a_room_of_tests() -> None:
    folders = [check.PACKAGE, *(check.PACKAGE / shelf for shelf in check.SHELVES)]
    for path in [path for folder in folders for path in folder.iterdir()]:
        if path.suffix in (".py", "") and path.name not in ("__pycache__", "__init__.py", *check.SHELVES):
            inside = path.relative_to(check.ROOT).as_posix()
            assert check.rooms([inside + "/x.py" * path.is_dir()]), path
    for shelf, rooms in check.SHELVES.items():
        for room in rooms:
            assert any((check.PACKAGE / shelf).glob(f"{room}*")), room


def test_what_takes_too_long_gives_only_its_smoke_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "seconds", lambda room: {"meta": 10.0, "reproduce": 200.0}[room])
    chosen = check.selected({"meta": "changed", "reproduce": "imports meta"})
    assert "tests/meta" in chosen
    assert "tests/reproduce" not in chosen
    assert any(test.startswith("tests/reproduce/") for test in chosen)
    assert not any(test.startswith("tests/meta/") for test in chosen)
    monkeypatch.setattr(check, "changed", lambda: None)
    assert check.selected({}) == SMOKE


def test_the_recorded_files_exist() -> None:
    assert {file for file in recorded() if not (TESTS / file).exists()} == set()
