"""Put small mistakes into the measures, the statistics and the core, and count how many the tests notice.

    python mutation/run.py                  the sample of 400 mistakes in Python and 40 in C++
    python mutation/run.py --only survived  try those again that went unnoticed, after tests were added

Nothing in the source tree is touched. The package is copied to build/mutation, and mistakes are made in the
copy. build/mutation/results.csv keeps what was found, so that a run that was stopped goes on where it was.

Each mistake is tried in a process that is forked from this one, after pytest, numpy and scipy have been
loaded. It may use 120 seconds of processor time. A test that fails, a crash and the end of that time all
count as noticed.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import fnmatch
import io
import json
import multiprocessing
import os
import py_compile
import resource
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mutants import Mutant, core_mutants, python_mutants

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutation"
PACKAGE = FOLDER / "package" / "rankprism"
CORE = FOLDER / "core"
RESULTS = FOLDER / "results.csv"
BASELINE = FOLDER / "baseline.json"
SECONDS = 120
PYTEST = ["-x", "-q", "--no-header", "-p", "no:randomly"]
#: Hypothesis is loaded before pytest can look at it, and a file with examples may have a class named Test.
PYTEST += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "-W", "ignore::pytest.PytestCollectionWarning"]
SEED = 2026

PYTHON_FOLDERS = ["measures", "statistics", "comparison", "meta"]
CORE_FILES = ["sums.cpp", "greedy.cpp", "exact.cpp", "cover.cpp", "preferred.cpp"]

ORACLES = "tests/test_oracles.py"
CATALOGUE = "tests/test_catalogue.py -k 'not u_risk'"
NAMES = (
    "tests/test_grammar.py tests/test_names.py tests/test_compose.py"
    " -k 'not command_line and not mixture_is_json'"
)
RANGES = "tests/test_ranges.py -k 'not packed and not unpacked'"
BOUNDS = (
    "tests/test_bounds_and_risk.py -k 'not command_line and not risk and not is_said and not nothing_is_open'"
)
META = "tests/test_meta.py -k 'not larger_difference'"
INTERVALS = (
    "tests/test_intervals.py"
    " -k 'not cover_at_least and not clearly_more and not exchangeable and not many_measures'"
)
COMPARISON = "tests/test_comparison.py"
MANY = (
    "tests/test_many_comparisons.py"
    " -k 'not correct_themselves_err and not far_off and not few_resamples and not false_coverage'"
)

#: Which tests are responsible for a file: the first pattern that fits, and these runs of pytest one after the
#: other until one fails. The examples in the file itself come before them. Tests of the command line and of
#: the documentation, long simulations and the hash of all scores in test_same_bits.py are left out. The hash
#: would notice nearly everything, but it cannot say which of two numbers is right.
TESTS: dict[str, list[str]] = {
    "measures/single.py": [
        ORACLES + " -k 'not alpha and not NRBP and not ERR_IA'",
        CATALOGUE,
        "tests/test_reductions.py",
    ],
    "measures/novelty.py": [ORACLES, CATALOGUE, "tests/test_reductions.py"],
    "measures/parts.py": [ORACLES, CATALOGUE, "tests/test_exact.py", RANGES],
    "measures/ideal.py": [ORACLES, "tests/test_exact.py", CATALOGUE],
    "measures/family.py": [ORACLES, "tests/test_exact.py", CATALOGUE, RANGES, BOUNDS],
    "measures/tables.py": ["tests/test_tables.py"],
    "measures/series.py": [RANGES],
    "measures/bounds/*.py": [BOUNDS],
    "measures/toma.py": ["tests/test_toma.py", "tests/test_aspects.py -k 'not command'"],
    "measures/distance_order.py": ["tests/test_toma.py", "tests/test_aspects.py -k 'not command'"],
    "measures/coverage.py": [CATALOGUE, "tests/test_cover.py", "tests/test_reductions.py"],
    "measures/compat.py": [CATALOGUE, RANGES, "tests/test_aspects_official.py -k compat"],
    "measures/combine.py": [CATALOGUE, "tests/test_reductions.py", NAMES, BOUNDS],
    "measures/compose.py": [NAMES, RANGES],
    "measures/[cdg]*.py": [CATALOGUE, "tests/test_reductions.py", NAMES, RANGES],
    "measures/*.py": [NAMES, RANGES, CATALOGUE, "tests/test_python_api.py"],
    "statistics/*.py": [COMPARISON, MANY, META, INTERVALS],
    "comparison/*.py": [COMPARISON, MANY],
    "meta/*.py": [META, INTERVALS, "tests/test_python_api.py"],
    "_core/cover.cpp": ["tests/test_cover.py"],
    "_core/exact.cpp": ["tests/test_exact.py", "tests/test_prf.py"],
    "_core/greedy.cpp": [ORACLES, "tests/test_exact.py", "tests/test_prf.py"],
    "_core/preferred.cpp": ["tests/test_prf.py", "tests/test_preference_measures.py"],
    "_core/sums.cpp": [ORACLES, "tests/test_same_bits.py -k 'not machine and not Web and not just_above'"],
}


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--python", type=int, default=400, help="Number of mistakes in Python files. Default: 400."
    )
    options.add_argument("--core", type=int, default=40, help="Number of mistakes in C++ files. Default: 40.")
    options.add_argument("--seed", type=int, default=SEED, help=f"Seed of the sample. Default: {SEED}.")
    options.add_argument("--only", choices=["survived"], help="Try again what went unnoticed before.")
    options.add_argument("--table", action="store_true", help="Print what was found so far, and try nothing.")
    chosen = options.parse_args()
    if not chosen.table:
        find(chosen.python, chosen.core, chosen.seed, again=chosen.only == "survived")
    print(table(read_results()))


def find(python: int, core: int, seed: int, again: bool) -> None:
    """Try the mutants that have no result yet, or those that survived."""
    prepare()
    done = read_results()
    source = ROOT / "src" / "rankprism"
    files = [
        path.relative_to(source) for folder in PYTHON_FOLDERS for path in (source / folder).rglob("*.py")
    ]
    mutants = python_mutants(source, sorted(files), seed, python)
    mutants += core_mutants(source, [Path("_core") / name for name in CORE_FILES], seed, core)
    for number, mutant in enumerate(mutants, 1):
        earlier = done.get(mutant.key)
        if earlier is not None and not (again and earlier == "survived"):
            continue
        found = try_core(mutant) if mutant.path.suffix == ".cpp" else try_python(mutant)
        done[mutant.key] = found
        write_results(done)
        print(f"{number}/{len(mutants)} {found}: {mutant.key}", flush=True)


def prepare() -> None:
    """Copy the package. A compiled file is used only if its source still has the same contents."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "_core")
    shutil.copytree(ROOT / "src" / "rankprism", PACKAGE, ignore=ignored)
    if not any(PACKAGE.glob("_core*.so")):
        build_core()
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(PACKAGE, quiet=1, invalidation_mode=mode)
    sys.dont_write_bytecode = True


def try_python(mutant: Mutant) -> str:
    file = PACKAGE / mutant.path
    original = file.read_bytes()
    commands = commands_for(mutant.path)
    check(commands)
    try:
        file.write_text(mutant.text, encoding="utf-8")
        return "survived" if passes(commands) else "killed"
    finally:
        file.write_bytes(original)


def try_core(mutant: Mutant) -> str:
    original = built(PACKAGE).read_bytes()
    commands = commands_for(mutant.path)
    check(commands)
    try:
        if not build_core(mutant):
            return "not compiled"
        return "survived" if passes(commands) else "killed"
    finally:
        built(PACKAGE).write_bytes(original)


def build_core(mutant: Mutant | None = None) -> bool:
    """Compile the core with this mistake and put it into the copy. Only what changed is compiled again."""
    sources = CORE / "src" / "rankprism" / "_core"
    if not CORE.is_dir():
        shutil.copytree(ROOT / "src" / "rankprism" / "_core", sources)
        shutil.copy(ROOT / "CMakeLists.txt", CORE)
    for file in (ROOT / "src" / "rankprism" / "_core").iterdir():
        text = mutant.text if mutant and mutant.path.name == file.name else file.read_text(encoding="utf-8")
        if (sources / file.name).read_text(encoding="utf-8") != text:
            (sources / file.name).write_text(text, encoding="utf-8")
    nanobind = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True
    )
    settings = [
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSKBUILD_SABI_VERSION=",
        f"-Dnanobind_DIR={nanobind.stdout.strip()}",
    ]
    settings.append(f"-DPython_EXECUTABLE={sys.executable}")
    if not (CORE / "build" / "build.ninja").is_file():
        command = ["cmake", "-G", "Ninja", "-S", str(CORE), "-B", str(CORE / "build"), *settings]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    command = ["cmake", "--build", str(CORE / "build"), "--target", "_core", "-j", "1"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return False
    for old in PACKAGE.glob("_core*.so"):
        old.unlink()
    shutil.copy(built(CORE / "build"), PACKAGE)
    return True


def built(folder: Path) -> Path:
    return next(folder.glob("_core*.so"))


def commands_for(path: Path) -> list[str]:
    """What pytest is run with for a mistake in this file."""
    chosen = next(tests for pattern, tests in TESTS.items() if fnmatch.fnmatch(path.as_posix(), pattern))
    examples = [f"--doctest-modules {PACKAGE / path}"] if path.suffix == ".py" else []
    return examples + chosen


def check(commands: Sequence[str]) -> None:
    """Make sure that the tests pass without a mistake. Otherwise they would seem to notice every one."""
    passing: list[str] = json.loads(BASELINE.read_text()) if BASELINE.is_file() else []
    missing = [command for command in commands if command not in passing]
    for command in missing:
        if not passes([command]):
            sys.exit(f"Without any mistake, these tests fail: {command}\nSee {FOLDER / 'output.txt'}.")
        BASELINE.write_text(json.dumps([*passing, command]))
        passing.append(command)


def passes(commands: Sequence[str]) -> bool:
    """Whether all of these runs of pytest pass, in a process of their own."""
    child = multiprocessing.get_context("fork").Process(target=run_tests, args=(commands,))
    child.start()
    child.join()
    return child.exitcode == 0


def run_tests(commands: Sequence[str]) -> None:
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    output = os.open(FOLDER / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(PACKAGE.parent)
    sys.path.insert(0, str(PACKAGE.parent))
    for command in commands:
        status = pytest.main([*PYTEST, *shlex.split(command)])
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            os._exit(1)
    os._exit(0)


def read_results() -> dict[str, str]:
    if not RESULTS.is_file():
        return {}
    with RESULTS.open(newline="", encoding="utf-8") as file:
        return {row["mutant"]: row["result"] for row in csv.DictReader(file)}


def write_results(results: dict[str, str]) -> None:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["mutant", "result"])
    rows.writerows(results.items())
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(text.getvalue(), encoding="utf-8")


def table(results: dict[str, str]) -> str:
    """Killed mutants by folder, with 95 % Clopper-Pearson intervals."""
    from scipy.stats import binomtest

    counts: dict[str, Counter[str]] = {}
    for mutant, result in results.items():
        folder = mutant.split("/")[0]
        for group in (folder, "all" if folder != "_core" else "core"):
            counts.setdefault(group, Counter())[result] += 1
    lines = ["| code | mutants | killed | share | 95 % interval |", "|---|---|---|---|---|"]
    for group, count in sorted(counts.items()):
        tried, killed = count["killed"] + count["survived"], count["killed"]
        ends = binomtest(killed, tried).proportion_ci(0.95, "exact")
        lines.append(
            f"| {group} | {tried} | {killed} | {killed / tried:.1%} | {ends.low:.1%} to {ends.high:.1%} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    # What all tests import is loaded once, before the processes are forked. The package itself is not.
    import hypothesis  # noqa: F401
    import numpy  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401

    main()
