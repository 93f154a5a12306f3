"""What is true of the package as a whole."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest
from ruamel.yaml import YAML  # which check-jsonschema needs, too

import rankprism

ROOT = Path(__file__).parents[1]


def test_the_version_is_told_once() -> None:
    assert metadata.version("rankprism") == rankprism.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {rankprism.__version__}" in citation
    assert f"## {rankprism.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_what_is_tested_is_the_installed_wheel() -> None:
    assert ROOT / "src" not in Path(rankprism.__file__).parents


def test_it_is_typed_and_ships_its_sample() -> None:
    package = resources.files("rankprism")
    for name in ("py.typed", "_core.pyi", "sample/qrels.txt", "sample/runs/ideal.run"):
        assert package.joinpath(name).is_file(), name
    assert not package.joinpath("_core").is_dir()  # C++ sources stay at home


def test_import_loads_numpy_and_the_core_at_most() -> None:
    heavy = ["pandas", "polars", "pyarrow", "narwhals", "rich", "typer", "scipy", "concurrent.futures"]
    code = f"import sys, rankprism; rankprism.evaluate; print(*(m for m in {heavy} if m in sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "\n"


def test_every_public_name_exists_and_is_documented() -> None:
    for name in rankprism.__all__:
        value = getattr(rankprism, name)
        assert name.startswith("__") or (value.__doc__ or "").strip(), name
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        rankprism.evaluat  # noqa: B018


def test_the_workflow_fits_githubs_schema() -> None:
    workflow = ROOT / ".github" / "workflows" / "wheels.yml"
    check = Path(sys.executable).with_name("check-jsonschema")
    command = [str(check), "--builtin-schema", "vendor.github-workflows", str(workflow)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_workflow_tests_every_python_and_looks_at_the_bits_on_every_platform() -> None:
    jobs = YAML(typ="safe").load(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    versions = jobs["test"]["strategy"]["matrix"]["python"]
    listed = [line for line in project["project"]["classifiers"] if "Python :: 3." in line]
    assert versions == [line.rpartition(" ")[2] for line in listed] == ["3.11", "3.12", "3.13", "3.14"]
    systems = jobs["wheels"]["strategy"]["matrix"]["os"]
    assert {"ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"} <= set(systems)
    assert any(step.get("uses", "").startswith("pypa/cibuildwheel@") for step in jobs["wheels"]["steps"])
    wheels = project["tool"]["cibuildwheel"]
    assert wheels["build"].split() == [f"cp{version.replace('.', '')}-*" for version in versions]
    assert "test-skip" not in wheels
    assert "{project}/tests/test_same_bits.py" in wheels["test-command"]
