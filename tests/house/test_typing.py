"""Type checkers accept the public interface, and refuse misspelled names and words."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

import rankprism
from rankprism import types
from rankprism.cli.derived import explained
from rankprism.comparison import TESTS
from rankprism.data.reading import Reading
from rankprism.evaluation.collection import Options
from rankprism.judging.preferences.experiments import TARGETS
from rankprism.judging.preferences.simulation import Simulation
from rankprism.meta import COEFFICIENTS, METHODS
from tests.support import stubs

ROOT = Path(__file__).parents[2]
FILES = [f"tests/typing/{name}.py" for name in ("accepted", "refused")]


def by_mypy() -> set[tuple[str, int]]:
    """The file and line of each error that mypy finds in these files.

    It reports the source too, which a user's mypy never does for an installed package. Whether the source
    passes depends on the stubs of numpy, altair and pyspark: `make lint` checks it with pinned versions.
    """
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *FILES]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert not done.stderr
    found = re.findall(r"(?m)^(.+?):(\d+): error", done.stdout)
    return {(file, int(line)) for file, line in found if file in FILES}


def by_pyright() -> set[tuple[str, int]]:
    """The file and line of each error that pyright finds."""
    pytest.importorskip("basedpyright")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, *FILES]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {
        (Path(one["file"]).relative_to(ROOT).as_posix(), one["range"]["start"]["line"] + 1)
        for one in found
        if one["severity"] == "error"
    }


@pytest.mark.parametrize("checker", [by_mypy, by_pyright])
def test_what_is_wrong_is_refused_and_nothing_else(checker: Callable[[], set[tuple[str, int]]]) -> None:
    texts = {file: (ROOT / file).read_text(encoding="utf-8").splitlines() for file in FILES}
    lines = {(file, n): line for file, text in texts.items() for n, line in enumerate(text, 1)}
    meant = {place for place, line in lines.items() if "  # " in line}
    assert len(meant) > 25
    assert {place: lines[place] for place in sorted(checker() ^ meant)} == {}


@pytest.mark.parametrize("path", stubs.STUBS, ids=lambda path: "/".join(path.parts[-2:]))
def test_stubs_agree_with_the_registries(path: Path) -> None:
    """In a process of its own, because other tests register measures."""
    program = "import pathlib; from tests.support.stubs import STUBS; "
    program += f"print(STUBS[pathlib.Path({str(path)!r})](), end='')"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert path.read_text(encoding="utf-8") == done.stdout, "run python -m tests.support.stubs"


def test_words_of_tables_are_the_words_of_their_types() -> None:
    for words, table in (
        (types.TestName, TESTS),
        (types.MethodName, METHODS),
        (types.Coefficient, COEFFICIENTS),
        (types.Target, TARGETS),
    ):
        assert get_args(words) == tuple(table)


def test_every_option_of_a_collection_has_a_default_and_is_explained() -> None:
    of_runs, every = set(types.RunOptions.__annotations__), set(types.CollectionOptions.__annotations__)
    assert set(Reading._field_defaults) - of_runs == {"ties"}  # follows from `tied`
    assert set(Options._field_defaults) | of_runs | {"preferences"} == every
    assert every <= set(explained(inspect.getdoc(rankprism.Collection.of) or ""))
    named = (inspect.getdoc(rankprism.evaluate) or "").partition("**options")[2]
    assert {name for name in every if re.search(rf"\b{name}\b", named)} == every


def test_experiments_have_the_defaults_of_simulate() -> None:
    parameters = inspect.signature(rankprism.preferences.simulate).parameters
    own = set(types.SimulationOptions.__annotations__) - set(types.CollectionOptions.__annotations__)
    assert {name: getattr(Simulation(), name) for name in own} == {n: parameters[n].default for n in own}
    assert set(Simulation._fields) == own
