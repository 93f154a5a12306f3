"""The JSON Schema of every JSON output, against what the commands print."""

from __future__ import annotations

import copy
import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from rankprism import InputError, sample
from rankprism.results.schemas import VERSION, commands, schema, shapes
from tests.cli.test_quiet import prepared
from tests.support import schemas

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, rankprism_command: Path) -> Path:
    return prepared(tmp_path_factory.mktemp("schemas"), rankprism_command)


def printed(line: str, folder: Path, program: Path) -> Any:
    words = [str(program), *shlex.split(line)]
    done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8")
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("shape", schemas.shapes())
def test_what_a_command_prints_has_its_schema(shape: str, folder: Path, commands: Path) -> None:
    """A new command, or a new column, needs `python -m tests.support.schemas`."""
    command = shape.partition(" --")[0]
    rules = schema(command)
    found = [printed(line, folder, commands / "rankprism") for line in schemas.calls(shape)]
    for one in found:
        jsonschema.validate(one, rules, jsonschema.Draft202012Validator)
        assert one["schema"] == VERSION
    seen, recorded = schemas.observed(shape, found), shapes()[shape]
    every = {**recorded["columns"], **recorded["optional"]}
    assert {**seen["columns"], **seen["optional"]} == every
    assert list(seen["columns"]) == list(recorded["columns"])


def test_every_command_with_json_is_recorded_and_no_other() -> None:
    assert list(shapes()) == schemas.shapes()


def test_the_schemas_are_schemas() -> None:
    whole = schema()
    jsonschema.Draft202012Validator.check_schema(whole)
    assert list(whole["$defs"]) == commands()
    for command in commands():
        jsonschema.Draft202012Validator.check_schema(schema(command))
        assert schema(command)["$id"].startswith(f"urn:rankprism:schema:v{VERSION}:")


def test_a_schema_refuses_what_would_break_a_reader(cli: Cli) -> None:
    words = ("evaluate", sample.QRELS, *sample.RUNS[:2], "-m", "P@10", "--format", "json")
    good = json.loads(cli(*words).stdout)
    check = jsonschema.Draft202012Validator(schema("evaluate"))
    assert check.is_valid(good)

    def changed(change: Callable[[Any], object]) -> Any:
        other = copy.deepcopy(good)
        change(other)
        return other

    assert not check.is_valid(changed(lambda x: x.pop("rows")))
    assert not check.is_valid(changed(lambda x: x.pop("about")))
    assert not check.is_valid(changed(lambda x: x.update(schema=VERSION + 1)))
    assert not check.is_valid(changed(lambda x: x["about"].pop("order")))
    assert not check.is_valid(changed(lambda x: x["rows"][0].pop("run")))
    assert not check.is_valid(changed(lambda x: x["rows"][0].update(run=3)))
    assert not check.is_valid(changed(lambda x: x["rows"][0].update(score="0.5")))
    assert check.is_valid(changed(lambda x: x["rows"][0].update(score=None)))
    assert check.is_valid(changed(lambda x: x["rows"][0].update(another="column")))


def test_events_have_a_schema(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "short.run").write_text("bank Q0 bank-01 1 1 x\n")
    files = (sample.QRELS, tmp_path / "short.run", tmp_path / "nowhere.run")
    done = cli("evaluate", *files, "-m", "P@10", "--log", "json", "--keep-going")
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert {one["event"] for one in told} == {"started", "read", "scored", "note", "error", "finished"}
    for one in told:
        jsonschema.validate(one, schema("log"), jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**told[0], "event": "other"}, schema("log"))


def test_the_command_prints_schemas(cli: Cli, tmp_path: Path) -> None:
    one = cli("schema", "meta", "power")
    assert (one.returncode, one.stderr) == (0, "")
    assert json.loads(one.stdout) == schema("meta power")
    assert cli("schema", "-o", tmp_path / "all.json").returncode == 0
    assert json.loads((tmp_path / "all.json").read_text(encoding="utf-8")) == schema()
    wrong = cli("schema", "meta", "powr")
    assert wrong.returncode == 2
    assert "did you mean meta power" in wrong.stderr
    with pytest.raises(InputError, match="has no JSON output"):
        schema("plot heatmap")
