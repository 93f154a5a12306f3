"""Time rankprism and its peers from files to scores: `python bench/run.py`. README.md says how.

This process imports nothing large: Linux never reports a child's peak memory below what its parent
held when it started the child.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

BENCH = Path(__file__).resolve().parent
OURS = BENCH.parent / ".venv" / "bin"
PEERS = BENCH.parent / ".venv-bench" / "bin"
RESULTS = BENCH / "results" / "latest.json"

DIVERSITY = ("alpha_nDCG@20", "ERR_IA@20", "NRBP", "AP_IA", "StRecall@20")
AD_HOC = ("nDCG@20", "AP", "P@20")
AGREEMENT = 1e-9

Means: TypeAlias = dict[str, dict[str, float]]  # run, measure
Workload: TypeAlias = dict[str, Any]  # what workloads.py prints
Command: TypeAlias = Callable[[Workload, tuple[str, ...]], list[str]]


# What takes part


def script(environment: Path, name: str) -> Command:
    def command(workload: Workload, measures: tuple[str, ...]) -> list[str]:
        path = str(BENCH / "contenders" / name)
        files = [workload["qrels"], *workload["run_files"]]
        return [str(environment / "python"), path, ",".join(measures), *files]

    return command


def rankprism_command_line(workload: Workload, measures: tuple[str, ...]) -> list[str]:
    chosen = [word for measure in measures for word in ("-m", measure)]
    program = str(OURS / "rankprism")
    return [program, "evaluate", workload["qrels"], *workload["run_files"], *chosen, "--format", "csv"]


def ir_measures_command_line(workload: Workload, measures: tuple[str, ...]) -> list[str]:
    program = [str(PEERS / "python"), "-m", "ir_measures", "--places", "-1"]
    return [*program, workload["qrels"], workload["run_files"][0], *measures]


def newlines(workload: Workload, measures: tuple[str, ...]) -> list[str]:
    path = str(BENCH / "contenders" / "newlines.py")
    return [str(OURS / "python"), path, workload["qrels"], *workload["run_files"]]


def wc(workload: Workload, measures: tuple[str, ...]) -> list[str]:
    return ["wc", "-l", workload["qrels"], *workload["run_files"]]


def from_csv(output: str) -> Means:
    means: Means = {}
    for row in csv.DictReader(output.splitlines()):
        means.setdefault(row["run"], {})[row["measure"]] = float(row["score"])
    return means


def from_tsv(output: str) -> Means:
    """The means of the one run that ir_measures' command line takes."""
    scores = (line.split("\t") for line in output.splitlines())
    return {"run01": {measure: float(score) for measure, score in scores}}


@dataclass(frozen=True)
class Contender:
    name: str
    command: Command
    means: Callable[[str], Means] | None = json.loads
    workloads: str = "SMLQ"
    compiles: bool = False  # starts with an empty cache of compiled code


FLOOR = Contender("counting newlines", newlines, means=None, workloads="SMLQTUV")
WC = Contender("wc -l", wc, means=None, workloads="SMLQTUV")
OUR_API = Contender("rankprism", script(OURS, "with_rankprism.py"), workloads="SMLQTUV")
OUR_COMMAND = Contender("rankprism, command line", rankprism_command_line, from_csv)
PYNDEVAL = Contender("pyndeval", script(PEERS, "with_pyndeval.py"))
IR_MEASURES = Contender("ir_measures", script(PEERS, "with_ir_measures.py"))
IR_MEASURES_COMMAND = Contender("ir_measures, command line", ir_measures_command_line, from_tsv, "S")
PYTREC_EVAL = Contender("pytrec_eval", script(PEERS, "with_pytrec_eval.py"))
RANX = Contender("ranx", script(PEERS, "with_ranx.py"))
RANX_FIRST = Contender("ranx, first use", script(PEERS, "with_ranx.py"), workloads="S", compiles=True)

TASKS = {
    DIVERSITY: (FLOOR, WC, OUR_API, OUR_COMMAND, PYNDEVAL, IR_MEASURES, IR_MEASURES_COMMAND),
    AD_HOC: (OUR_API, PYTREC_EVAL, RANX, RANX_FIRST),
}
SLOW = (PYNDEVAL, IR_MEASURES, PYTREC_EVAL, RANX)


# Measuring


@dataclass(frozen=True)
class Effort:
    """A contender is run until it has been run this many times or for this many seconds."""

    times: int
    seconds: float


@dataclass(frozen=True)
class Cost:
    """The cost of the fastest of several processes, from its start to its end."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    processes: int


def one_process(command: Sequence[str], env: dict[str, str], folder: str) -> tuple[Cost, str]:
    """The cost, and the output."""
    with open(f"{folder}/stdout", "w+") as out, open(f"{folder}/stderr", "w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=env, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)[:200]} …: exit code {process.returncode}\n{err.read()}")
        unit = 1 if sys.platform == "darwin" else 1024
        return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6, 1), out.read()


def measure(command: Sequence[str], effort: Effort, compiles: bool = False) -> tuple[Cost, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    seen: list[tuple[Cost, str]] = []
    while len(seen) < effort.times and sum(cost.seconds for cost, _ in seen) < effort.seconds:
        with tempfile.TemporaryDirectory() as folder:
            cache = {"NUMBA_CACHE_DIR": folder} if compiles else {}
            seen.append(one_process(command, env | cache, folder))
    best, output = min(seen, key=lambda one: one[0].seconds)
    return replace(best, processes=len(seen)), output


def difference(ours: Means, theirs: Means) -> float:
    """The largest difference between our mean and theirs. We must have every mean that they have."""
    return max(abs(score - ours[run][m]) for run, scores in theirs.items() for m, score in scores.items())


@dataclass(frozen=True)
class Row:
    contender: str
    measures: tuple[str, ...]
    cost: Cost
    difference: float | None  # from rankprism's scores


def compare(workload: Workload, effort: Effort, skip: Sequence[Contender]) -> Iterator[Row]:
    for measures, contenders in TASKS.items():
        ours: Means = {}
        for contender in contenders:
            if workload["name"] not in contender.workloads or contender in skip:
                continue
            note(f"{workload['name']}: {contender.name}")
            command = contender.command(workload, measures)
            cost, output = measure(command, effort, contender.compiles)
            means = contender.means(output) if contender.means else None
            if contender is OUR_API and means:
                ours = means
            apart = difference(ours, means) if means and contender is not OUR_API else None
            yield Row(contender.name, measures, cost, apart)
    note("")


def note(text: str) -> None:
    """Show what is going on, on one line that the next note replaces, if standard error is a terminal."""
    if sys.stderr.isatty():
        print(end=f"\r\033[K{text}", file=sys.stderr, flush=True)


def statement_seconds(times: int) -> dict[str, float]:
    """How long an interpreter takes to execute each statement and nothing else."""
    statements = ("pass", "import numpy", "import rankprism", "from rankprism import evaluate")
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(times):  # in turn, so that a busy moment of the machine hits all of them
        for statement in statements:
            cost, _ = measure([str(OURS / "python"), "-c", statement], Effort(1, 1))
            best[statement] = min(best[statement], cost.seconds)
    return best


def beyond_start(seconds: dict[str, float]) -> dict[str, float]:
    """What an import adds to the start of an interpreter."""
    return {statement: taken - seconds["pass"] for statement, taken in seconds.items() if statement != "pass"}


# Targets


@dataclass(frozen=True)
class Target:
    claim: str
    value: float | None  # None if this run did not measure it
    relation: Literal["≤", "≥"]
    limit: float

    @property
    def met(self) -> bool | None:
        if self.value is None:
            return None
        return self.value <= self.limit if self.relation == "≤" else self.value >= self.limit


def disturbed(results: dict[str, list[Row]]) -> list[str]:
    """Contenders whose fastest process had to wait. They compute all the time, so others disturbed them."""
    return [
        f"{row.contender} on {name}"
        for name, rows in results.items()
        for row in rows
        if row.cost.cpu_seconds < 0.9 * row.cost.seconds
    ]


def lines_of(workload: Workload) -> int:
    """The lines of all files of a workload."""
    lines = 0
    for path in [workload["qrels"], *workload["run_files"]]:
        with open(path, "rb", buffering=0) as file:
            lines += sum(block.count(b"\n") for block in iter(partial(file.read, 1 << 20), b""))
    return lines


def targets(
    results: dict[str, list[Row]], statements: dict[str, float], lines: dict[str, int]
) -> list[Target]:
    def cost(workload: str, contender: Contender) -> Cost | None:
        rows = results.get(workload, [])
        return next((row.cost for row in rows if row.contender == contender.name), None)

    def seconds(workload: str, one: Contender, other: Contender) -> float | None:
        a, b = cost(workload, one), cost(workload, other)
        return a.seconds / b.seconds if a and b else None

    def megabytes(workload: str, one: Contender, other: Contender) -> float | None:
        a, b = cost(workload, one), cost(workload, other)
        return a.megabytes / b.megabytes if a and b else None

    def per_line(workload: str) -> float | None:
        ours = cost(workload, OUR_API)
        return ours.seconds / lines[workload] if ours else None

    def growth(large: str, small: str) -> float | None:
        """The time for ten times as many lines as a workload has, over the time for that workload."""
        many, few = per_line(large), per_line(small)
        return 10 * many / few if many and few else None

    def peak(workload: str) -> float | None:
        ours = cost(workload, OUR_API)
        return ours.megabytes if ours else None

    command = cost("S", OUR_COMMAND)
    over_numpy = command.seconds / statements["import numpy"] if command else None
    imports = beyond_start(statements)
    importing = imports["import rankprism"] / imports["import numpy"]
    apart = [row.difference for rows in results.values() for row in rows if row.difference is not None]
    return [
        Target("L: times faster than pyndeval", seconds("L", PYNDEVAL, OUR_API), "≥", 35),
        Target("L: over wc -l", seconds("L", OUR_API, WC), "≤", 5),
        Target("L: times faster than ir_measures", seconds("L", IR_MEASURES, OUR_API), "≥", 50),
        Target("L: peak memory in MB", peak("L"), "≤", 200),
        Target("M: times faster than pyndeval", seconds("M", PYNDEVAL, OUR_API), "≥", 9),
        Target("Q: times faster than pyndeval", seconds("Q", PYNDEVAL, OUR_API), "≥", 12),
        Target("Q: memory over pyndeval's", megabytes("Q", OUR_API, PYNDEVAL), "≤", 0.5),
        Target("T: peak memory in MB", peak("T"), "≤", 1000),
        Target("T: time for 10 × the lines of Q, over Q's", growth("T", "Q"), "≤", 11),
        Target("U: peak memory in MB", peak("U"), "≤", 1000),
        Target("U: time for 10 × the lines of V, over V's", growth("U", "V"), "≤", 11),
        Target("S: command line over python -c 'import numpy'", over_numpy, "≤", 2),
        Target("S: command line over pyndeval in a script", seconds("S", OUR_COMMAND, PYNDEVAL), "≤", 1.2),
        Target("S: command line over ir_measures'", seconds("S", OUR_COMMAND, IR_MEASURES_COMMAND), "≤", 0.5),
        Target("import rankprism over import numpy", importing, "≤", 2),
        Target("largest difference from a peer's mean", max(apart, default=None), "≤", AGREEMENT),
    ]


def shares(one_more: dict[str, Any] | None, grid: dict[str, Any] | None) -> list[Target]:
    """The cost of scoring, relative to reading."""
    more = one_more["adds"]["P_IA@20"] / one_more["reading"] if one_more else None
    many = grid["grid"] / grid["reading"] if grid else None
    return [
        Target("Q: one more measure over reading", more, "≤", 0.1),
        Target("L: the grid of Amigó et al. 2018 over reading", many, "≤", 2),
    ]


def of_doors(doors: dict[str, float] | None) -> list[Target]:
    """The CPU time of tables in memory, relative to text files."""
    ratio = doors["pyarrow tables"] / doors["text files"] if doors else None
    return [Target("M: CPU of pyarrow tables over text files", ratio, "≤", 1.5)]


def of_ties(ties: dict[str, float] | None) -> list[Target]:
    """The CPU time of expected scores over all orders, relative to scores of one order."""
    without = ties["without ties, expected"] / ties["without ties"] if ties else None
    tied = ties["with ties, expected"] / ties["with ties"] if ties else None
    return [
        Target("M: CPU of expected scores over one order, no ties", without, "≤", 1.1),
        Target("63 runs with ties: CPU of expected scores over one order", tied, "≤", 2),
    ]


def of_meta(meta: dict[str, float]) -> list[Target]:
    """70 systems × 50 topics, and the axioms, on one core."""
    return [
        Target("meta: 10,000 resamples of 2,415 pairs, seconds", meta["bootstrap"], "≤", 1),
        Target("meta: times faster than pair by pair", meta["loop"] / meta["bootstrap"], "≥", 5),
        Target("meta: unanimity of 120 measures, seconds", meta["unanimity"], "≤", 0.5),
        Target("axioms: 20 measures × 10 constraints, seconds", meta["axioms"], "≤", 60),
    ]


#: All pairs of systems: how many systems and topics, the test, its correction, and the most seconds.
COMPARISONS = (
    (200, 200, "t", "holm", 2),
    (200, 200, "fisher", "max-t", 10),
    (1000, 1000, "t", "holm", 60),
    (1000, 1000, "fisher", "max-t", 300),
)


def comparisons() -> list[dict[str, float]]:
    """The cost of each comparison."""
    program = [str(OURS / "python"), str(BENCH / "contenders" / "comparison.py")]
    return [
        json.loads(measure([*program, *map(str, setting[:4])], Effort(1, 1))[1]) for setting in COMPARISONS
    ]


def of_comparisons(found: Sequence[dict[str, float]]) -> list[Target]:
    reached = []
    for (systems, topics, test, correction, most), cost in zip(COMPARISONS, found, strict=True):
        claim = f"{systems:,} × {topics:,}, {test} with {correction}"
        reached.append(Target(f"{claim}: seconds", cost["comparing"], "≤", most))
        reached.append(Target(f"{claim}: peak memory in MB", cost["megabytes"], "≤", 2000))
    return reached


def of_dictionaries(found: dict[str, dict[str, float]]) -> list[Target]:
    """The CPU time of rankprism.pytrec_eval, relative to pytrec_eval."""
    reached = []
    for name, seconds in found.items():
        for evaluator in ("a new evaluator", "the same evaluator"):
            ratio = seconds[f"rankprism, {evaluator}"] / seconds[f"pytrec_eval, {evaluator}"]
            reached.append(Target(f"{name}, {evaluator}: CPU over pytrec_eval", ratio, "≤", 1))
    return reached


def of_preferences(preferences: dict[str, float]) -> list[Target]:
    """Complete preferences of three profiles on 50 topics × 100 documents, and nPrf@20 of 17 runs."""
    return [
        Target("preferences: complete, and nPrf@20, seconds", preferences["seconds"], "≤", 30),
        Target("preferences: peak memory in MB", preferences["megabytes"], "≤", 1000),
    ]


# Printing


def title(workload: Workload) -> str:
    size = sum(Path(path).stat().st_size for path in [workload["qrels"], *workload["run_files"]])
    lines = workload["runs"] * workload["topics"] * workload["depth"]
    runs = "1 run" if workload["runs"] == 1 else f"{workload['runs']} runs"
    return (
        f"{workload['name']}: {runs} × {workload['topics']:,} topics × {workload['depth']:,} documents: "
        f"{lines:,} lines, with judgments {size / 1e6:,.0f} MB"
    )


WIDTHS = (-28, 9, 9, 9, 9, 13, 12)  # negative: to the left


def print_row(cells: Sequence[str]) -> None:
    aligned = (cell.ljust(-w) if w < 0 else cell.rjust(w) for cell, w in zip(cells, WIDTHS, strict=True))
    print(f"  {''.join(aligned)}".rstrip())


def print_workload(workload: Workload, rows: Sequence[Row]) -> None:
    print(f"\n{title(workload)}")
    for measures in TASKS:
        of_task = [row for row in rows if row.measures == measures]
        if not of_task:
            continue
        ours = next(row.cost.seconds for row in of_task if row.contender == OUR_API.name)
        print(f"\n  {' '.join(measures)}")
        print_row(["", "seconds", "CPU", "best of", "peak MB", "× rankprism", "difference"])
        for row in of_task:
            cost = row.cost
            times = [f"{cost.seconds:.3f}", f"{cost.cpu_seconds:.3f}", str(cost.processes)]
            apart = "" if row.difference is None else f"{row.difference:.1e}"
            print_row([row.contender, *times, f"{cost.megabytes:.0f}", f"{cost.seconds / ours:.2f}", apart])


def print_one_more(workload: Workload, one_more: dict[str, Any]) -> None:
    print(f"\n{workload['name']}, in one process: reading {one_more['reading']:.3f} s, ", end="")
    print(f"scoring {len(DIVERSITY)} measures {one_more['scoring']:.3f} s")
    for name, seconds in one_more["adds"].items():
        share = seconds / one_more["reading"]
        print(f"  one more measure, {name:<28}{seconds:>8.3f} s {share:>7.1%} of reading")


def print_grid(workload: Workload, grid: dict[str, Any]) -> None:
    share = grid["grid"] / grid["reading"]
    print(f"\n{workload['name']}: reading {grid['reading']:.3f} s; ", end="")
    print(
        f"{grid['measures']} measures of Amigó et al. 2018 {grid['grid']:.3f} s more, {share:.2f} of reading"
    )


def print_doors(workload: Workload, doors: dict[str, float]) -> None:
    print(f"\n{workload['name']}: CPU time of evaluate, by what it is given")
    for door, seconds in doors.items():
        print(f"  {door:<46}{seconds:>10.3f} s {seconds / doors['text files']:>7.2f} × text files")


def print_ties(ties: dict[str, float]) -> None:
    print("\nCPU time of evaluate, one order and all orders of tied documents")
    for name, seconds in ties.items():
        print(f"  {name:<46}{seconds:>10.3f} s {seconds / ties[name.partition(',')[0]]:>7.2f} × one order")


def print_meta(meta: dict[str, float]) -> None:
    print("\nMeta-evaluation of 70 systems × 50 topics, on one core")
    print(f"  paired bootstrap, 10,000 resamples, 2,415 pairs {meta['bootstrap']:>8.3f} s", end="")
    print(f"   pair by pair {meta['loop']:.3f} s, ASLs differ by {meta['difference']:.1e}")
    print(f"  unanimity of 120 measures                       {meta['unanimity']:>8.3f} s")
    print(f"  the axioms of 20 measures, `rankprism axioms`   {meta['axioms']:>8.3f} s")
    print(f"  peak memory                                     {meta['megabytes']:>8.0f} MB", end="")
    print(f"  with 20 times the resamples {meta['megabytes, 20 × resamples']:.0f} MB")


def print_preferences(preferences: dict[str, float]) -> None:
    print(f"\nComplete preferences, {preferences['judgments']:,} judgments of 50 topics by 3 profiles")
    print(f"  reading 17 runs, choosing documents             {preferences['reading']:>8.3f} s")
    print(f"  simulating                                      {preferences['simulating']:>8.3f} s")
    print(f"  utilities and nPrf@20 of 17 runs                {preferences['scoring']:>8.3f} s", end="")
    print(f"   peak memory {preferences['megabytes']:.0f} MB")


def print_dictionaries(found: dict[str, dict[str, float]]) -> None:
    print("\nDictionaries: CPU time of a call")
    for name, seconds in found.items():
        for evaluator in ("a new evaluator", "the same evaluator"):
            ours, theirs = (seconds[f"{door}, {evaluator}"] * 1e6 for door in ("rankprism", "pytrec_eval"))
            print(f"  {f'{name}, {evaluator}':<58}{ours:>11,.1f} µs   pytrec_eval {theirs:>11,.1f} µs")


def print_comparisons(found: Sequence[dict[str, float]]) -> None:
    print("\nAll pairs of systems")
    for (systems, topics, test, correction, _), cost in zip(COMPARISONS, found, strict=True):
        name = f"{systems:,} × {topics:,}, {test} with {correction}, {cost['pairs']:,} pairs"
        print(f"  {name:<48}{cost['comparing']:>8.2f} s", end="")
        print(f"   table and CSV {cost['writing']:.2f} s   peak memory {cost['megabytes']:.0f} MB")


def print_imports(imports: dict[str, float]) -> None:
    print("\nImporting, beyond the start of the interpreter")
    for statement, seconds in imports.items():
        print(f"  {statement:<32}{seconds * 1e3:>8.1f} ms")


def print_targets(all_targets: Sequence[Target], waited: Sequence[str]) -> None:
    print("\nTargets")
    words = {True: "met", False: "MISSED", None: "not measured"}
    for target in all_targets:
        value = "" if target.value is None else f"{target.value:.3g}"
        limit = f"{target.relation} {target.limit:g}"
        print(f"  {target.claim:<44}{value:>10}  {limit:<9}{words[target.met]}")
    if waited:
        some = ", ".join(waited[:3]) + (f" and {len(waited) - 3} more" if len(waited) > 3 else "")
        print(f"\nNOT RELIABLE: other programs kept the processors busy. Had to wait: {some}")


# All of it


def make_peers() -> bool:
    """Make the environment of the peers, and say whether it is new."""
    new = not (PEERS / "python").exists()
    if new:
        print("making .venv-bench for the peers", file=sys.stderr)
        subprocess.run([str(OURS / "python"), "-m", "venv", str(PEERS.parent)], check=True)
    pip = [str(PEERS / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "-r", str(BENCH / "peers.txt")], check=True)
    return new


def make_workloads(names: Sequence[str]) -> list[Workload]:
    program = [str(OURS / "python"), str(BENCH / "workloads.py"), *names]
    made: list[Workload] = json.loads(subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout)
    return made


def record(
    results: dict[str, list[Row]],
    one_more: Any,
    grid: Any,
    doors: Any,
    ties: Any,
    meta: dict[str, float],
    preferences: dict[str, float],
    compared: list[dict[str, float]],
    dictionaries: dict[str, dict[str, float]],
    imports: dict[str, float],
    reached: list[Target],
    waited: list[str],
) -> None:
    result = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "workloads": {
            name: [
                {"contender": r.contender, "measures": r.measures, "difference": r.difference, **vars(r.cost)}
                for r in rows
            ]
            for name, rows in results.items()
        },
        "one more measure": one_more,
        "doors": doors,
        "ties": ties,
        "grid": grid,
        "meta": meta,
        "preferences": preferences,
        "comparisons": compared,
        "dictionaries": dictionaries,
        "import seconds": imports,
        "disturbed": waited,
        "targets": [vars(target) | {"met": target.met} for target in reached],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    part = RESULTS.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1) + "\n")
    part.replace(RESULTS)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time rankprism and its peers from files to scores.")
    parser.add_argument("--only", default="S,M,Q,L,T,V,U", help="workloads, e.g. S,M")
    parser.add_argument("--skip-slow", action="store_true", help="leave out the peers on L")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    chosen = parser.parse_args()
    names = chosen.only.split(",")
    if unknown := set(names) - set("SMLQTUV"):
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are S, M, L, Q, T, U and V")
    if not (OURS / "python").exists():
        parser.error("there is no .venv with rankprism installed; `make bench` makes it")
    effort = Effort(2, 3) if chosen.quick else Effort(10, 15)

    new = make_peers()
    workloads = make_workloads(names)
    if new:  # ranx compiles itself now and keeps the result; its first use is measured separately
        measure(RANX.command(workloads[0], AD_HOC), Effort(1, 1))
    results: dict[str, list[Row]] = {}
    one_more = grid = doors = ties = None
    for workload in workloads:
        skip = SLOW if chosen.skip_slow and workload["name"] == "L" else ()
        results[workload["name"]] = list(compare(workload, effort, skip))
        print_workload(workload, results[workload["name"]])
        if workload["name"] == "M":
            doors = json.loads(measure(script(OURS, "doors.py")(workload, DIVERSITY), Effort(1, 1))[1])
            print_doors(workload, doors)
            ties = json.loads(measure(script(OURS, "ties.py")(workload, DIVERSITY), Effort(1, 1))[1])
            print_ties(ties)
        if workload["name"] == "Q":
            command = script(OURS, "one_more_measure.py")(workload, DIVERSITY)
            one_more = json.loads(measure(command, Effort(1, 1))[1])
            print_one_more(workload, one_more)
        if workload["name"] == "L":
            grid = json.loads(measure(script(OURS, "grid.py")(workload, DIVERSITY), Effort(1, 1))[1])
            print_grid(workload, grid)
    statements = statement_seconds(3 if chosen.quick else 15)
    imports = beyond_start(statements)
    print_imports(imports)
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    program = [str(OURS / "python"), str(BENCH / "contenders" / "meta.py")]
    meta = json.loads(measure(program, Effort(2, 60))[1])
    meta["axioms"] = measure([str(OURS / "rankprism"), "axioms"], Effort(1, 1))[0].seconds
    print_meta(meta)
    program = [str(OURS / "python"), str(BENCH / "contenders" / "preferences.py")]
    preferences = json.loads(measure(program, Effort(2, 60))[1])
    print_preferences(preferences)
    compared = comparisons()
    print_comparisons(compared)
    program = [str(OURS / "python"), str(BENCH / "contenders" / "dictionaries.py")]
    dictionaries = json.loads(measure(program, Effort(1, 1))[1])
    print_dictionaries(dictionaries)
    reached = [
        *targets(results, statements, {w["name"]: lines_of(w) for w in workloads}),
        *shares(one_more, grid),
        *of_doors(doors),
        *of_ties(ties),
        *of_meta(meta),
        *of_preferences(preferences),
        *of_comparisons(compared),
        *of_dictionaries(dictionaries),
    ]
    waited = disturbed(results)
    print_targets(reached, waited)
    record(
        results,
        one_more,
        grid,
        doors,
        ties,
        meta,
        preferences,
        compared,
        dictionaries,
        imports,
        reached,
        waited,
    )


if __name__ == "__main__":
    main()
