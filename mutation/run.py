"""Put small mistakes into the measures, the statistics and the core, and count how many the tests notice.

    python mutation/run.py                  the sample of 400 mistakes in Python and 40 in C++
    python mutation/run.py --only survived  try the unnoticed ones again, after tests were added

Nothing in the source tree is touched. The package is copied to build/mutation, and mistakes are made in the
copy. build/mutation/results.csv keeps what was found, so that a run that was stopped continues from there.

First all tests are run once, and build/mutation/reached.json records which lines each of them reaches. A
mistake is then shown to the quickest tests that reach its line, in a process that is forked from this one
after pytest, numpy and scipy have been loaded. It may use 60 seconds of processor time. A test that fails, a
crash and the end of that time all count as noticed.

All 400 mistakes in Python and all 40 in the core have been tried. The intervals are Clopper and Pearson's
at 95 %. Against each mistake we ran the quickest tests that reach its line, for ten seconds in all.
Slower tests might notice a few of the survivors.

Between the two counts, we added tests, and included the tests of preference measures. The last 26
mistakes were made by hand, one at a time, to see the new tests fail. Among the mistakes that earlier
counts had found were a growth of power that drew the same set of topics again and again, a p of
differences between measures that was computed from a rounded t, a critical value of the bootstrap that
was 1/√(1 - 1/n) times too large, and bounds that were true but needlessly wide.

As far as we can see, the 29 that are left cannot change a result. For example, blocks of 2¹⁷ numbers
instead of 2¹⁸ only change the memory that is used, `first < NOWHERE` is the same as `first != NOWHERE`
where nothing is above NOWHERE, and the lower bound of a score is cut at the score itself.

In the core, the survivors are in the code that prunes the searches for the best ranking and the smallest
cover, or that counts their budgets. Such a mistake makes a search longer or shorter and seldom changes
what it finds.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import functools
import io
import json
import multiprocessing
import os
import py_compile
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

# What all tests import is loaded once, before processes are forked. The package itself is not.
import coverage
import hypothesis
import pandas  # noqa: F401
import pytest
from mutants import Mutant, core_mutants, python_mutants
from scipy.stats import binomtest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutation"
PACKAGE = FOLDER / "package" / "rankprism"
CORE = FOLDER / "core"
RESULTS = FOLDER / "results.csv"
REACHED = FOLDER / "reached.json"
SECONDS = 60
PYTEST = ["-x", "-q", "--no-header", "-p", "no:randomly"]
#: Hypothesis is loaded before pytest can look at it, and a file with examples may have a class named Test.
PYTEST += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "-W", "ignore::pytest.PytestCollectionWarning"]
SEED = 2026

PYTHON_FOLDERS = ["measures", "statistics", "comparison", "meta"]
#: Rooms on these shelves that have tests of their own kind.
OTHER_ROOMS = {("comparison", "boards"), ("meta", "axioms"), ("meta", "advice.py")}
CORE_FILES = ["sums.cpp", "greedy.cpp", "exact.cpp", "cover.cpp", "preferred.cpp"]

#: The tests that may notice a mistake in Python code. Tests of the command line and of the documentation,
#: long simulations and the hash of all scores in test_same_bits.py are left out. The hash would notice nearly
#: everything, but it cannot say which of two numbers is right.
FILES = [
    "oracles",
    "catalogue",
    "reductions",
    "exact",
    "cover",
    "prf",
    "tables",
    "ranges",
    "grammar",
    "names",
    "compose",
    "toma",
    "aspects",
    "bounds",
    "risk",
    "comparison",
    "many_comparisons",
    "meta",
    "intervals",
    "progress",
    "outputs",
    "python_api",
    "scores",
    "preference_measures",
    "preference_evaluation",
    "explanation",
]
SLOW = [
    "command_line",
    "u_risk",
    "unpacked",
    "nothing_is_open",
    "is_said",
    "larger_difference",
    "cover_at_least",
    "clearly_more",
    "exchangeable",
    "many_measures",
    "correct_themselves_err",
    "far_off",
    "few_resamples",
    "false_coverage",
    "the_command",
    "completions_of_longer",
]
#: Of the tests that reach a line, the quickest are run, for this many seconds in total.
BUDGET = 10.0

#: Where hypothesis keeps the settings of a test, and how many examples are drawn while recording.
HYPOTHESIS_SETTINGS = "_hypothesis_internal_use_settings"
FEW = 5

#: The tests of the core. What they call in C++ cannot be recorded.
CORE_TESTS = {
    "cover.cpp": ["tests/core/test_cover.py"],
    "exact.cpp": ["tests/core/test_exact.py"],
    "greedy.cpp": [
        "tests/measures/test_oracles.py",
        "-k",
        "ties_in_the_greedy or equal_their_definitions or beaten",
    ],
    "preferred.cpp": [
        "tests/measures/test_prf.py",
        "tests/core/test_threads.py",
        "-k",
        "ideals or preferences or sums",
    ],
    "sums.cpp": ["tests/core/test_same_bits.py", "-k", "sum or mean or alone"],
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
    options.add_argument(
        "--budget",
        type=float,
        default=BUDGET,
        help=f"Seconds of tests for each mistake. Default: {BUDGET:g}.",
    )
    options.add_argument("--only", choices=["survived"], help="Try again what went unnoticed before.")
    options.add_argument("--table", action="store_true", help="Print what was found so far, and try nothing.")
    chosen = options.parse_args()
    if not chosen.table:
        find(chosen.python, chosen.core, chosen.seed, chosen.budget, again=chosen.only == "survived")
    print(table(read_results()))


def find(python: int, core: int, seed: int, budget: float, again: bool) -> None:
    """Try the mutants that have no result yet, or those that survived."""
    prepare()
    done = read_results()
    source = ROOT / "src" / "rankprism"
    files = [
        path.relative_to(source)
        for folder in PYTHON_FOLDERS
        for path in (source / folder).rglob("*.py")
        if path.relative_to(source).parts[:2] not in OTHER_ROOMS
    ]
    mutants = python_mutants(source, sorted(files), seed, python)
    mutants += core_mutants(ROOT / "src", [Path("core") / name for name in CORE_FILES], seed, core)
    for number, mutant in enumerate(mutants, 1):
        earlier = done.get(mutant.key)
        if earlier is not None and not (again and earlier == "survived"):
            continue
        found = try_core(mutant) if mutant.path.suffix == ".cpp" else try_python(mutant, budget)
        done[mutant.key] = found
        write_results(done)
        print(f"{number}/{len(mutants)} {found}: {mutant.key}", flush=True)


def prepare() -> None:
    """Copy the package. A compiled file is used only if its source still has the same contents."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "rankprism", PACKAGE, ignore=ignored)
    if not any(PACKAGE.glob("_core*.so")):
        build_core()
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(PACKAGE, quiet=1, invalidation_mode=mode)
    sys.dont_write_bytecode = True


def try_python(mutant: Mutant, budget: float) -> str:
    file = PACKAGE / mutant.path
    tests = tests_for(mutant, budget)
    original = file.read_bytes()
    try:
        file.write_text(mutant.text, encoding="utf-8")
        return "survived" if passes(partial(run_tests, tests)) else "killed"
    finally:
        file.write_bytes(original)


def try_core(mutant: Mutant) -> str:
    original = built(PACKAGE).read_bytes()
    try:
        if not build_core(mutant):
            return "not compiled"
        return "survived" if passes(partial(run_tests, tests_for(mutant, 0))) else "killed"
    finally:
        built(PACKAGE).write_bytes(original)


def build_core(mutant: Mutant | None = None) -> bool:
    """Compile the core with this mistake and put it into the copy. Only what changed is compiled again."""
    original = ROOT / "src" / "core"
    sources = CORE / "src" / "core"
    if not (CORE / "build" / "build.ninja").is_file():
        shutil.copytree(original, sources, dirs_exist_ok=True)
        shutil.copy(ROOT / "CMakeLists.txt", CORE)
        configure()
    for file in original.iterdir():
        text = mutant.text if mutant and mutant.path.name == file.name else file.read_text("utf-8")
        if (sources / file.name).read_text("utf-8") != text:
            (sources / file.name).write_text(text, "utf-8")
    command = ["cmake", "--build", str(CORE / "build"), "--target", "_core", "-j", "1"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return False
    for old in PACKAGE.glob("_core*.so"):
        old.unlink()
    shutil.copy(built(CORE / "build"), PACKAGE)
    return True


def configure() -> None:
    asked = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    nanobind = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    command = ["cmake", "-G", "Ninja", "-S", str(CORE), "-B", str(CORE / "build")]
    command += ["-DCMAKE_BUILD_TYPE=Release", "-DSKBUILD_SABI_VERSION=", f"-Dnanobind_DIR={nanobind}"]
    subprocess.run([*command, f"-DPython_EXECUTABLE={sys.executable}"], check=True, stdout=subprocess.DEVNULL)


def built(folder: Path) -> Path:
    return next(folder.glob("_core*.so"))


def tests_for(mutant: Mutant, budget: float) -> list[str]:
    """What pytest is run with: the examples in the file, and the quickest tests that reach the line."""
    if mutant.path.suffix == ".cpp":
        return CORE_TESTS[mutant.path.name]
    seconds, lines = recorded()
    reaching = lines.get(mutant.path.as_posix(), {})
    found = set(reaching.get(str(mutant.line), ()))
    if not found:  # a default, a decorator, or a line in the middle of a statement
        found = {test for tests in reaching.values() for test in tests}
    chosen: list[str] = []
    spent = 0.0
    for test in sorted(found, key=lambda test: (seconds[test], test)):
        spent += seconds[test]
        if chosen and spent > budget:
            break
        chosen.append(test)
    return ["--doctest-modules", str(PACKAGE / mutant.path), *chosen]


class Recorder:
    """A plugin for pytest: which lines of the package each test reaches, and how long the test takes.

    Recording makes tests several times slower, so those that draw examples draw only a few.
    """

    def __init__(self, cover: coverage.Coverage) -> None:
        self.cover = cover
        self.seconds: dict[str, float] = {}
        self.examples: dict[object, int] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for function in {getattr(item, "obj", None) for item in items}:
            chosen = getattr(function, HYPOTHESIS_SETTINGS, None)
            if chosen is not None and chosen.max_examples > FEW:
                self.examples[function] = chosen.max_examples
                setattr(function, HYPOTHESIS_SETTINGS, hypothesis.settings(chosen, max_examples=FEW))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        begun = time.process_time()
        self.cover.switch_context(item.nodeid)
        try:
            yield
        finally:
            self.cover.switch_context("")
            examples = self.examples.get(getattr(item, "obj", None), FEW)
            self.seconds[item.nodeid] = (time.process_time() - begun) * examples / FEW


def record() -> None:
    """Run all tests once without a mistake, and write down what they reach."""
    cover = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False)
    recorder = Recorder(cover)
    files = [f"tests/{name}.py" for name in FILES]
    cover.start()
    status = pytest.main([*PYTEST, "-k", "not " + " and not ".join(SLOW), *files], plugins=[recorder])
    cover.stop()
    if status != pytest.ExitCode.OK:
        sys.exit(1)
    data = cover.get_data()
    reached = {
        Path(file).relative_to(PACKAGE).as_posix(): {
            line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    REACHED.write_text(json.dumps([recorder.seconds, reached]))


@functools.cache
def recorded() -> tuple[dict[str, float], dict[str, dict[str, list[str]]]]:
    """The seconds of each test, and for each file and line the tests that reach it."""
    if not REACHED.is_file() and not passes(record):
        sys.exit(f"Without any mistake, the tests fail; see {FOLDER / 'output.txt'}.")
    seconds, lines = json.loads(REACHED.read_text())
    return seconds, lines


def passes(work: Callable[[], None]) -> bool:
    """Whether the work ends well in a process of its own, which finds the copy of the package."""
    child = multiprocessing.get_context("fork").Process(target=in_copy, args=(work,))
    child.start()
    child.join()
    return child.exitcode == 0


def in_copy(work: Callable[[], None]) -> None:
    output = os.open(FOLDER / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(PACKAGE.parent)
    sys.path.insert(0, str(PACKAGE.parent))
    work()


def run_tests(tests: Sequence[str]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    status = pytest.main([*PYTEST, *tests])
    os._exit(0 if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else 1)


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
    """Killed mutants by folder, with 95 % Clopper-Pearson intervals, in Markdown."""
    counts: dict[str, Counter[str]] = {}
    for mutant, result in results.items():
        folder = mutant.split("/")[0]
        for group in [folder] if folder == "core" else [folder, "all Python"]:
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
    main()
