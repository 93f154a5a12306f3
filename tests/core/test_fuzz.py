"""A short run of the mutation fuzzer, the same cases every time; `make fuzz` has the long one."""

from __future__ import annotations

import gc
import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest


def loaded(name: str) -> ModuleType:
    path = Path(__file__).parents[2] / "fuzz" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    return loaded("mutate")


@pytest.fixture(scope="module")
def table_files(mutate: ModuleType) -> ModuleType:
    return loaded("table_files")


def test_commands_can_write_what_programs_read(mutate: ModuleType, tmp_path: Path) -> None:
    for name in ("qrels.txt", "run.run"):
        (tmp_path / name).write_bytes(mutate.GOOD[name])
    mutate.run_command(tmp_path, ("evaluate", "qrels.txt", "run.run", "-m", "P@5", "--format", "json"))
    assert gc.get_freeze_count() == 0  # tests before this one may have left garbage


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


def test_damaged_table_files_are_read_or_refused_by_name(table_files: ModuleType) -> None:
    outcome = table_files.fuzz(seed=2024, cases=500)
    assert outcome.cases == 500
    assert outcome.counts["read"] > 20
    assert outcome.counts["refused"] > 200
    assert not outcome.failures, outcome.failures


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_undamaged_table_files_are_read(table_files: ModuleType, tmp_path: Path) -> None:
    """Otherwise the fuzzer would only ever look at one error."""
    readers = table_files.readers()
    for name, good in table_files.good_files().items():
        (tmp_path / "good").write_bytes(good)
        readers[name.partition("/")[0]](str(tmp_path / "good"))


READER = """
import os, sys
sys.path.insert(0, {folder!r})
import table_files

def read(path):
    {body}

table_files.readers = lambda: dict.fromkeys(table_files._columns(), read)
table_files.open_alone = {alone}
sys.exit(table_files.main())
"""


@pytest.mark.parametrize(
    ("body", "alone", "counts", "failures"),
    [
        ("os.abort()", "table_files.open_alone", {"crashed": 1}, 1),
        ("os.abort()", "read", {"crashed in pyarrow": 1}, 0),
        ("raise KeyError(path)", "read", {"failed": 1}, 1),
        ("import rankprism; raise rankprism.InputError('which?')", "read", {"failed": 1}, 1),
    ],
    ids=["crash", "crash of pyarrow", "error", "no name"],
)
def test_crashes_are_counted_apart(
    table_files: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    alone: str,
    counts: dict[str, int],
    failures: int,
) -> None:
    script = tmp_path / "reader.py"
    folder = str(Path(__file__).parents[2] / "fuzz")
    script.write_text(READER.format(folder=folder, body=body, alone=alone))
    monkeypatch.setattr(table_files, "__file__", str(script))
    outcome = table_files.fuzz(seed=1, cases=1)
    assert (dict(outcome.counts), len(outcome.failures)) == (counts, failures)
