"""A short run of the mutation fuzzer, the same cases every time; `make fuzz` has the long one."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    path = Path(__file__).parents[1] / "fuzz" / "mutate.py"
    spec = importlib.util.spec_from_file_location("mutate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_nearly_good_input_is_read_or_refused(mutate: ModuleType) -> None:
    cases, failures = mutate.fuzz(seed=2024, cases=4 * len(mutate.targets()))
    assert cases >= 4 * 30
    assert not failures, "\n".join(f"{f.target}, case {f.case}: {f.files}\n{f.trace}" for f in failures)


def test_good_input_is_read_by_every_target(mutate: ModuleType, tmp_path: Path) -> None:
    """Otherwise the fuzzer would only ever look at one error."""
    for name, good in mutate.GOOD.items():
        (tmp_path / name).write_bytes(good)
    read = [target for target in mutate.targets() if target.name.startswith("read_scores")]
    assert len(read) == 4
    for target in read:
        target.work(tmp_path, random.Random(0))
    mutate.run_command(
        tmp_path, ("evaluate", "qrels.txt", "run.run", "-m", "P@1", "--weights", "weights.txt")
    )
    mutate.run_command(tmp_path, ("aspects", "labels", "collection.toml"))


def test_the_fuzzer_finds_what_is_neither_read_nor_refused(mutate: ModuleType, tmp_path: Path) -> None:
    def broken(folder: Path, draw: random.Random) -> None:
        raise KeyError((folder / "qrels.txt").read_bytes())

    def slow(folder: Path, draw: random.Random) -> None:
        while True:
            pass

    def dies(folder: Path, draw: random.Random) -> None:
        raise SystemExit(1)

    found = mutate.attempt(mutate.Target("broken", ("qrels.txt",), broken), "1/1", tmp_path, 5.0)
    assert "KeyError" in found.trace
    assert found.files["qrels.txt"] != mutate.GOOD["qrels.txt"]
    assert mutate.attempt(mutate.Target("dies", (), dies), "1/1", tmp_path, 5.0) is not None
    again = mutate.attempt(mutate.Target("broken", ("qrels.txt",), broken), "1/1", tmp_path, 5.0)
    assert again.files == found.files  # a case says what it takes to repeat it
    if sys.platform != "win32":
        late = mutate.attempt(mutate.Target("slow", (), slow), "1/1", tmp_path, 0.05)
        assert "TimeoutError" in late.trace
