"""What is true of the package as a whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML  # which check-jsonschema needs, too

import rankprism
from rankprism.errors import SOURCE
from tests.support.machine import SCRIPTS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_in_pyproject_and_everything_else_agrees() -> None:
    version = PROJECT["project"]["version"]
    assert rankprism.__version__ == metadata.version("rankprism") == version
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert not any(f'"{version}"' in text for text in sources)


def test_what_is_tested_is_the_installed_wheel() -> None:
    assert ROOT / "src" not in Path(rankprism.__file__).parents


def test_it_is_typed_and_ships_its_sample() -> None:
    package = resources.files("rankprism")
    for name in (
        "py.typed",
        "__init__.pyi",
        "measures/__init__.pyi",
        "_core.pyi",
        "data/sample/qrels.txt",
        "data/sample/runs/ideal.run",
    ):
        assert package.joinpath(name).is_file(), name
    assert "_core" not in {path.name for path in package.iterdir()}  # C++ sources stay at home


def test_import_loads_numpy_and_the_core_at_most() -> None:
    heavy = ["pandas", "polars", "pyarrow", "narwhals", "rich", "click", "scipy", "concurrent.futures"]
    code = f"import sys, rankprism; rankprism.evaluate; print(*(m for m in {heavy} if m in sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "\n"


@pytest.mark.parametrize(("given", "kept"), [({}, "20"), ({"OPENBLAS_THREAD_TIMEOUT": "28"}, "28")])
def test_idle_threads_of_openblas_soon_sleep_unless_the_user_says_otherwise(
    given: dict[str, str], kept: str
) -> None:
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    code = "import os, rankprism; print(os.environ['OPENBLAS_THREAD_TIMEOUT'])"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=plain | given)
    assert result.stdout == f"{kept}\n"


def test_evaluating_trec_files_loads_what_it_needs_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 a d1 1\n1 b d2 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 d1 1 2 r\n1 Q0 d2 2 1 r\n", encoding="utf-8")
    needless = ["pandas", "narwhals", "rich", "click", "scipy", "concurrent.futures", "numpy.ma"]
    needless += [
        "csv",
        "decimal",
        "difflib",
        "fractions",
        "json",
        "pathlib",
        "shutil",
        "signal",
        "unicodedata",
    ]
    needless += [
        f"rankprism.{module}"
        for module in (
            "data.preferences",
            "data.scales",
            "formats.answers",
            "formats.aspects.reading",
            "formats.frames",
            "formats.known",
            "formats.output_files",
            "formats.preferences",
            "formats.weights",
            "measures.known.compat",
            "measures.known.cube",
            "measures.known.graded",
            "measures.known.prf",
            "measures.preferences",
            "measures.series",
        )
    ]
    code = (
        "import sys, numpy\n"
        "before = set(sys.modules)\n"  # numpy needs other modules from version to version
        "from rankprism import evaluate\n"
        "evaluate('qrels', ['run'], ['alpha_nDCG@20', 'ERR_IA@20', 'NRBP', 'AP_IA', 'StRecall@20']).mean()\n"
        f"print(*sorted({{*{needless}}} & (set(sys.modules) - before)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (result.stdout, result.stderr) == ("\n", "")


def test_every_public_name_exists_and_is_documented() -> None:
    for name in rankprism.__all__:
        value = getattr(rankprism, name)
        assert name.startswith("__") or (value.__doc__ or "").strip(), name
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        rankprism.evaluat  # type: ignore[attr-defined]  # noqa: B018


def test_a_room_on_a_shelf_is_imported_by_its_public_name() -> None:
    """It is one module under both names, whichever is imported first."""
    code = (
        "from rankprism.judges import score\n"
        "import rankprism.axioms.table as table, rankprism.meta.axioms.table as same\n"
        "from rankprism import judges\n"
        "print(table is same, judges.score is score, judges.__name__, judges.__spec__.name)\n"
        "import rankprism.juges"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "True True rankprism.judging.judges rankprism.judging.judges\n"
    assert "No module named 'rankprism.juges'" in result.stderr


def test_the_wheel_says_what_it_is_and_where_to_ask() -> None:
    about = metadata.metadata("rankprism")
    links = dict(line.split(", ") for line in about.get_all("Project-URL", []))
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(links)
    assert all(link.startswith("https://") for link in links.values())


#: What others wrote and the wheel contains, by the name of its licence file: its licence, and words from it.
FOREIGN = {
    "licenses/nanobind.txt": ("BSD-3-Clause", "Wenzel Jakob"),
    "licenses/robin-map.txt": ("MIT", "Thibaut Goetghebuer-Planchon"),
    "licenses/htmx.txt": ("0BSD", "Zero-Clause BSD"),
}


def test_the_wheel_has_the_licences_of_what_is_linked_and_bundled() -> None:
    about = metadata.metadata("rankprism")
    assert set(about.get_all("License-File", [])) == {"LICENSE", *FOREIGN}
    expression = about.json["license_expression"]
    assert expression == " AND ".join(["Apache-2.0", *(licence for licence, _ in FOREIGN.values())])
    for name, (_, words) in FOREIGN.items():
        text = metadata.distribution("rankprism").read_text(f"licenses/{name}")
        assert text is not None
        assert words in text
        assert "SOFTWARE" in text
        assert text == (ROOT / name).read_text(encoding="utf-8")


def test_every_minified_script_in_the_package_has_a_licence() -> None:
    """Minified code has long lines, whatever its name, and was written by others."""
    scripts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.js")}
    minified = {name for name, text in scripts.items() if max(map(len, text.splitlines())) > 1000}
    assert minified == {"htmx.min"}
    assert {f"licenses/{name.removesuffix('.min')}.txt" for name in minified} <= set(FOREIGN)


def test_the_licences_are_those_of_the_versions_that_are_linked() -> None:
    """Where nanobind is installed to build the core, its own files have to say the same."""
    nanobind = pytest.importorskip("nanobind", reason="nanobind is only needed to build the core")
    [own] = [p for p in metadata.files("nanobind") or [] if p.name == "LICENSE"]
    assert (ROOT / "licenses" / "nanobind.txt").read_text(encoding="utf-8") == own.read_text()
    header = Path(nanobind.__file__).parent / "ext" / "robin_map" / "include" / "tsl" / "robin_map.h"
    comment = header.read_text(encoding="utf-8").partition("/**\n")[2].partition(" */")[0]
    text = re.sub(r"^ \* ?", "", comment, flags=re.M)
    assert (ROOT / "licenses" / "robin-map.txt").read_text(encoding="utf-8") == text


def test_every_link_of_the_page_on_pypi_leads_to_the_repository_at_this_version() -> None:
    """The files beside README.md are not on PyPI, so its links and pictures have whole addresses there."""
    home = PROJECT["project"]["urls"]["Homepage"]
    shown = str(metadata.metadata("rankprism").json["description"])
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", shown)
    written = re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(links) == len(written) > 30
    for (picture, link), (_, path) in zip(links, written, strict=True):
        kind = "raw" if picture else "blob"
        assert link == (path if "://" in path else f"{home}/{kind}/v{rankprism.__version__}/{path}")
    assert any(picture for picture, _ in links)


def test_the_address_of_the_project_is_the_same_everywhere() -> None:
    home = PROJECT["project"]["urls"]["Homepage"]
    assert all(link.startswith(home) for link in PROJECT["project"]["urls"].values())
    assert f"repository-code: {home}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def tool(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program that is installed with the tests."""
    command = [str(SCRIPTS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that `make` has built, of which the tests use the installed package."""
    found = sorted((ROOT / "dist").glob(f"rankprism-{rankprism.__version__}-*.whl"))
    if not found:
        pytest.skip("there is no wheel in dist; `make test` builds it")
    return found[-1]


def test_pypi_would_take_the_wheel(wheel: Path) -> None:
    for checked in (tool("twine", "check", "--strict", wheel), tool("check-wheel-contents", wheel)):
        assert checked.returncode == 0, checked.stdout + checked.stderr


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_fits_githubs_schema(workflow: Path) -> None:
    result = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", workflow)
    assert result.returncode == 0, result.stdout + result.stderr


def jobs(workflow: str) -> Any:
    return YAML(typ="safe").load(ROOT / ".github" / "workflows" / workflow)["jobs"]


def steps(job: Any) -> str:
    """All that a job calls."""
    return "\n".join(step.get("uses", "") + step.get("run", "") for step in job["steps"])


def test_the_workflow_runs_all_tests_on_every_python_and_system_and_looks_at_the_bits() -> None:
    made = jobs("wheels.yml")
    versions = made["test"]["strategy"]["matrix"]["python"]
    listed = [line for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line]
    assert versions == [line.rpartition(" ")[2] for line in listed] == ["3.11", "3.12", "3.13", "3.14"]
    everywhere = made["systems"]["strategy"]["matrix"]
    assert everywhere == {"os": ["macos-latest", "windows-latest"], "python": versions}
    assert "pytest" in steps(made["systems"])
    assert "--group test" in steps(made["systems"])
    assert "CONSTRAINTS= .ci/run" in steps(made["newest"])
    assert " tests" in steps(made["sdist"]), "all of them, from the sdist"
    systems = made["wheels"]["strategy"]["matrix"]["os"]
    assert {"ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"} <= set(systems)
    assert "cibuildwheel" in steps(made["wheels"])
    for check in ("twine check --strict", "check-wheel-contents", "abi3audit --strict"):
        assert check in steps(made["check"])
    wheels = PROJECT["tool"]["cibuildwheel"]
    builds = [f"cp{version.replace('.', '')}-*" for version in versions]
    assert wheels["build"].split() == [*builds, "cp314t-*"]
    assert "test-skip" not in wheels
    for settings in (wheels, *wheels["overrides"]):
        assert "{project}/tests/core/test_same_bits.py" in settings["test-command"]


def test_a_free_threaded_wheel_is_built_because_the_core_says_that_it_needs_no_lock() -> None:
    assert "FREE_THREADED" in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    [override] = PROJECT["tool"]["cibuildwheel"]["overrides"]
    assert override["select"] == "cp314t-*"
    assert "{project}/tests/core/test_threads.py" in override["test-command"]


def test_a_release_publishes_only_what_passed_all_tests_and_without_a_password() -> None:
    made = jobs("release.yml")
    assert made["build"] == {"needs": "version", "uses": "./.github/workflows/wheels.yml"}
    assert made["publish"]["needs"] == "build"
    assert made["publish"]["permissions"] == {"id-token": "write"}
    assert "pypa/gh-action-pypi-publish@" in steps(made["publish"])
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "password" not in text.replace("no password", "")
    # Artifacts of every job that builds, under the names that are downloaded.
    uploads = [
        step["with"]["name"]
        for job in ("wheels", "sdist")
        for step in jobs("wheels.yml")[job]["steps"]
        if step.get("uses", "").startswith("actions/upload-artifact@")
    ]
    assert [name.startswith("dist-") for name in uploads] == [True, True]


def test_a_release_compares_the_pages_of_reproduced_papers_with_their_commands_first() -> None:
    made = jobs("release.yml")
    assert made["version"]["needs"] == "reproduction"
    assert "make reproduction" in steps(made["reproduction"])
    target = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nreproduction: ")[1]
    assert "docs/reproduced.py $(DATA)" in target.split("\n\n")[0]


def test_a_release_refuses_a_tag_that_is_not_the_version() -> None:
    [script] = [s["run"] for s in jobs("release.yml")["version"]["steps"] if "<<'END'" in s.get("run", "")]
    code = script.split("<<'END'\n")[1].removesuffix("END\n")
    for tag, accepted in ((f"v{rankprism.__version__}", True), ("v99.0.0", False)):
        environment = {**os.environ, "GITHUB_REF_NAME": tag}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert (done.returncode == 0) == accepted, done.stderr
        assert accepted or "set the version in pyproject.toml" in done.stderr


def test_every_action_is_one_commit_that_nobody_can_change() -> None:
    """In our own workflows, and in those that pages show. The version is in a comment."""
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml"]
    files += [file for ending in ("*.md", "*.yml") for file in (ROOT / "docs").rglob(ending)]
    used = [
        (file.name, line.strip())
        for file in files
        for line in re.findall(r"^[ -]*uses:(.*)$", file.read_text(encoding="utf-8"), re.M)
    ]
    assert {"wheels.yml", "release.yml", "github.yml"} <= {name for name, _ in used}
    pinned = re.compile(r"\./[\w./-]+|[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [use for use in used if not pinned.fullmatch(use[1])] == []
    commits = {re.sub(r" #.*", "", line) for _, line in used}
    assert len({line.partition("@")[0] for line in commits}) == len(commits), "one version of each"


def told_to_others(root: Path) -> list[tuple[str, str]]:
    """What pages, messages and workflows name and others could register: packages, actions, addresses."""
    files = [root / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "action.yml")]
    for folder, endings in (("docs", (".md", ".ipynb")), ("src/rankprism", (".py", ".html", ".js", ".pyi"))):
        files += [file for file in (root / folder).rglob("*") if file.suffix in endings]
    names = re.compile(
        r"\b(?:(?:pip|pipx|uv|conda) (?:install|add|run|tool \w+)|uvx) +(?:-\S+ +)*['\"]?rankprism\b(?![/.-])"
        r"|git\+http|uses: *rankprism\b"
        r"|rankprism\[[a-z]|github\.com/rankprism|pypi\.org/project/rankprism|rankprism\.(?:org|io|dev|com)\b"
    )
    return [
        (str(file.relative_to(root)), found[0])
        for file in files
        if file.exists()
        for found in names.finditer(file.read_text(encoding="utf-8"))
    ]


def test_nobody_is_told_to_install_what_others_could_register() -> None:
    if SOURCE == ".":
        assert told_to_others(ROOT) == []


def test_the_release_changes_how_pages_and_messages_install(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    changed = ("src/rankprism/errors.py", "README.md", "docs/index.md", "docs/install.md")
    for name in (".ci/published", *changed):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())

    def published(*words: str) -> subprocess.CompletedProcess[str]:
        script = [sys.executable, str(tmp_path / ".ci" / "published"), *words]
        return subprocess.run(script, capture_output=True, text=True)

    before = published("--check")
    assert before.returncode == int(SOURCE == ".")
    assert [name for name in changed if name in before.stderr] == ([*changed] if SOURCE == "." else [])
    assert published().returncode == 0
    assert published("--check").returncode == 0
    for name in changed[1:]:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "```sh\npip install \\\n    'rankprism[plots,report,assess]'\n```" in text
        assert "'.[" not in text
        assert "not published" not in text
    assert 'SOURCE = "rankprism"' in (tmp_path / changed[0]).read_text(encoding="utf-8")
    run = [step.get("run") for step in jobs("release.yml")["version"]["steps"]]
    assert ".ci/published --check" in run


def test_every_extra_is_on_the_page_that_says_how_to_install() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \|", page, re.M)
    assert sorted(listed) == sorted(PROJECT["project"]["optional-dependencies"])


def test_the_wheel_is_found_in_a_path_with_a_blank(tmp_path: Path) -> None:
    """The line of the Makefile that writes down where the wheel is, in a folder of such a name."""
    (line,) = (x for x in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if "dist/*.whl" in x)
    place = tmp_path / "with blank"
    (place / "dist").mkdir(parents=True)
    (place / "dist" / "x.whl").touch()
    (place / "Makefile").write_text(f"found:\n{line}\n", encoding="utf-8")
    subprocess.run(["make", "found"], cwd=place, check=True, capture_output=True)
    assert (place / "found").read_text(encoding="utf-8").strip() == str(place / "dist" / "x.whl")
