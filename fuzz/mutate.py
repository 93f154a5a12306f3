"""Mutation fuzzer: every reader, the grammar of measures and every command, on inputs that are nearly right.

    python fuzz/mutate.py --seconds 300             # with a new seed
    python fuzz/mutate.py --seed 7 --cases 100000   # the same cases again

A case takes a good input, changes it a few times, and hands it to a target. The target may work, or refuse
the input with a `RankprismError` (a command: with exit code 2). Everything else is a failure, and is printed
with all that is needed to repeat it. `tests/core/test_fuzz.py` runs a few hundred cases of a fixed seed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import gzip
import io
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

QRELS = b"1 a d1 1\n1 b d2 2\n1 a d3 0\n2 a d1 2\n# a comment\n2 c d4 1\n"
RUN = b"1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n1 Q0 x 3 -1e3 t\n2 Q0 d1 1 1.0 t\n2 Q0 d4 2 .5 t\n"
WEIGHTS = b"1 a 0.7 inf\n1 b 0.3 nav\n2 a 0.5 inf\n2 c 0.5 inf\n"
COLUMNS = b"1 0 d1 2 1\n1 0 d2 0 1\n2 0 d1 1 0\n2 0 d4 1 1\n"
SCORES = (
    b"run,topic,measure,score\na,1,AP,0.5\na,2,AP,0.25\nb,1,AP,0.75\nb,2,AP,0.5\nc,1,AP,0.1\nc,2,AP,0.2\n"
)
MATRIX = b"topic\tbm25\tlm\n1\t0.5\t0.25\n2\t0.125\t0.75\n3\t0.5\tnan\n"
COLLECTION = b"""judgments = "columns.txt"
columns = ["relevance", "credibility"]
[aspects.relevance]
labels = ["no", "yes", "very"]
embed = [0, 1, "3/2"]
weight = 0.5
[aspects.credibility]
given = "relevance"
missing = [9]
answers = "answers.xml"
element = "answer"
means = {"yes" = 1, "no" = 0}
weight = 0.5
"""
XML = b"""<topics>
<topic number='1'><answer>yes</answer></topic>
<topic number='2'><answer>no</answer></topic>
</topics>"""
MEASURES = b"""[mine]
summary = "Patient."
discount = "geometric"
p = 0.95
gain = "linear"
novelty = "decay"
divisor = "greedy"
[mixed]
mix = {"StRecall@10" = 0.5, "nDCG@10" = 0.5}
"""
NAMES = b"""alpha_nDCG(alpha=0.25,ideal='exact',nodes=50)@20
ERR_IA(gain='probability',max_rel=3)@10
CAM(nDCG(gains={1:1,2:3})@5)
TOMA(AP,distance='chebyshev',best=(2,1))
RBU(p=0.9,e=0.01,form='eq11')
S_precision(level=0.5)
nCT(height=5,batch=2)@7
D_nDCG(digits=4)@10
RBP(p=0.8,rel=2,fold='sum',judged_only=True)
P_IA@5"""
#: The good inputs, by file name.
GOOD: dict[str, bytes] = {
    "qrels.txt": QRELS,
    "prels.txt": b"1 d1 1 0 1\n1 d2 0 1 0.5\n2 d1 2 0 1\n",
    "q.Dqrels": b"1 1 d1 L1\n1 2 d2 L0\n2 1 d1 L3\n",
    "gold.tsv": b'"1"\t"d1"\t"1"\t"a"\t"0.5"\n"1"\t"d2"\t"2"\t"b"\t"0.5"\n2\td1\t1\ta\t1\n',
    "dd.txt": b"DD1 DD1.1 e-63 252 3\nDD1 DD1.2 e-63 253 1\nDD1 DD1.1 e-64 1 0\n",
    "columns.txt": COLUMNS,
    "header.txt": b"topic iter docno relevance credibility\n" + COLUMNS,
    "qrels.txt.gz": gzip.compress(QRELS, mtime=0),
    "run.run": RUN,
    "run.tsv": b'"1"\t"d1"\n"1"\t"d2"\n2\td1\n',
    "weights.txt": WEIGHTS,
    "scores.csv": SCORES,
    "matrix.tsv": MATRIX,
    "trec.txt": b"map\t1\t0.5\nmap\t2\t0.25\nrunid\tall\tbm25\nmap\tall\t0.375\n",
    "ndeval.csv": b"runid,topic,alpha-nDCG@5,strec@5\na,1,0.5,1\na,2,0.25,0.5\na,amean,0.375,0.75\n",
    "collection.toml": COLLECTION,
    "answers.xml": XML,
    "measures.toml": MEASURES,
}
#: Texts that tend to break readers.
TOKENS = [
    *(
        b"",
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b"\x00",
        b"\xff",
        b"\xc3",
        b"\xef\xbb\xbf",
        b"\xc2\xa0",
        b"#",
        b"# ",
    ),
    *(
        b"0",
        b"-1",
        b"1e400",
        b"1e999999999",
        b"-0",
        b"nan",
        b"inf",
        b"1_0",
        b"9" * 30,
        b"9" * 5000,
        b"1" + b"0" * 400,
    ),
    *(
        b'"',
        b"'",
        b",",
        b";",
        b"=",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
        b"@",
        b":",
        b"/",
        b"\\",
        b"[" * 300,
        b"true",
    ),
    *(
        b"CAM(" * 30,
        b"x" * 3000,
        b"\xf0\x9f\x98\x80",
        b"L1",
        b"all",
        b"runid",
        b"Q0",
        b"2000",
        b"99999999999999999999",
    ),
]


def mutated(good: bytes, draw: random.Random) -> bytes:
    """The input after one to four changes."""
    text = bytearray(good)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        a, b = sorted((draw.randrange(len(text) + 1), draw.randrange(len(text) + 1)))
        b = min(b, a + draw.choice((1, 2, 5, 40)))
        kind = draw.randrange(8)
        if kind == 0:
            del text[a:b]
        elif kind == 1:
            text[a:a] = text[a:b] * draw.choice((1, 2, 30))
        elif kind == 2:
            text[a:b] = draw.choice(TOKENS)
        elif kind == 3:
            text[a:a] = draw.choice(TOKENS)
        elif kind == 4 and a < len(text):
            text[a] = draw.randrange(256)
        elif kind == 5:
            del text[a:]
        else:  # a line or a column of its own
            separator = b"\n" if kind == 6 else b" "
            parts = bytes(text).split(separator)
            i = draw.randrange(len(parts))
            change = draw.randrange(4)
            if change == 0:
                parts.insert(i, draw.choice(parts))
            elif change == 1:
                parts[i] = draw.choice(TOKENS)
            elif change == 2:
                del parts[i]
            else:
                draw.shuffle(parts)
            text = bytearray(separator.join(parts))
    return bytes(text)


@dataclass(frozen=True)
class Target:
    """What is tried: the files that may be changed, and what is done with the folder they are in."""

    name: str
    files: tuple[str, ...]
    work: Callable[[Path, random.Random], object]


def targets() -> list[Target]:
    """Every reader, the grammar, and every command that reads anything."""
    from rankprism import evaluate, read_judgments, read_run, read_scores
    from rankprism.formats.known import JUDGMENT_FORMATS, RUN_FORMATS
    from rankprism.measures import parse

    judgments = ("qrels.txt", "prels.txt", "q.Dqrels", "gold.tsv", "dd.txt", "columns.txt", "header.txt")
    runs = ("run.run", "run.tsv")
    scores = ("scores.csv", "matrix.tsv", "trec.txt", "ndeval.csv")

    def forced(name: str) -> Callable[[Path, random.Random], object]:
        return lambda folder, draw: read_judgments(
            folder / name, format=draw.choice((*JUDGMENT_FORMATS, None))
        )

    def forced_run(name: str) -> Callable[[Path, random.Random], object]:
        return lambda folder, draw: read_run(folder / name, format=draw.choice((*RUN_FORMATS, None)))

    def parsed(folder: Path, draw: random.Random) -> object:
        name = mutated(draw.choice(NAMES.split(b"\n")), draw).decode(errors="replace")
        measure = parse(name)
        assert parse(str(measure)) == measure
        return evaluate(folder / "qrels.txt", folder / "run.run", [measure])

    def weighted(folder: Path, draw: random.Random) -> object:
        return read_judgments(folder / "qrels.txt", weights=folder / "weights.txt")

    def command(*words: str) -> Callable[[Path, random.Random], None]:
        return lambda folder, draw: run_command(folder, words)

    def named(*words: str) -> Callable[[Path, random.Random], None]:
        def work(folder: Path, draw: random.Random) -> None:
            name = mutated(draw.choice(NAMES.split(b"\n")), draw).decode(errors="replace").replace("\0", "")
            run_command(folder, tuple(name if word == "NAME" else word for word in words))

        return work

    return [
        *(Target(f"read_judgments {name}", (name,), forced(name)) for name in (*judgments, "qrels.txt.gz")),
        *(Target(f"read_run {name}", (name,), forced_run(name)) for name in runs),
        *(Target(f"read_scores {n}", (n,), lambda f, _, n=n: read_scores(f / n)) for n in scores),  # type: ignore[misc]
        Target("weights", ("weights.txt",), weighted),
        Target(
            "described judgments",
            ("collection.toml", "columns.txt", "answers.xml"),
            lambda folder, _: read_judgments(folder / "collection.toml"),
        ),
        Target("grammar", (), parsed),
        Target(
            "evaluate",
            ("qrels.txt", "run.run", "weights.txt"),
            command(
                "evaluate",
                "qrels.txt",
                "run.run",
                "-m",
                "alpha_nDCG@5",
                "-m",
                "AP_IA",
                "--weights",
                "weights.txt",
            ),
        ),
        Target(
            "evaluate -m", (), named("evaluate", "qrels.txt", "run.run", "-m", "NAME", "--format", "json")
        ),
        Target("measures", (), named("measures", "NAME")),
        Target(
            "evaluate --measures",
            ("measures.toml",),
            command("evaluate", "qrels.txt", "run.run", "-m", "P@5", "--measures", "measures.toml"),
        ),
        Target(
            "evaluate --aspects",
            ("columns.txt",),
            command(
                "evaluate", "columns.txt", "run.run", "--aspects", "a,b", "-m", "TOMA(nDCG)", "-m", "CAM(AP)"
            ),
        ),
        *(
            Target(f"convert --to {to}", ("qrels.txt",), command("convert", "qrels.txt", "out", "--to", to))
            for to in ("diversity", "adhoc", "ntcir", "evall")
        ),
        *(
            Target(
                f"convert --run --to {to}",
                ("run.run",),
                command("convert", "run.run", "out", "--run", "--to", to),
            )
            for to in ("trec", "evall")
        ),
        Target("compare", ("scores.csv",), command("compare", "scores.csv", "--resamples", "50")),
        Target(
            "topic-set-size", ("scores.csv",), command("topic-set-size", "scores.csv", "--difference", "0.1")
        ),
        *(
            Target(f"meta {name}", ("scores.csv",), command("meta", name, "scores.csv"))
            for name in ("unanimity", "correlation", "agreement")
        ),
        Target(
            "aspects labels",
            ("collection.toml", "columns.txt"),
            command("aspects", "labels", "collection.toml"),
        ),
        Target("aspects order", ("collection.toml",), command("aspects", "order", "collection.toml")),
        Target("axioms", (), named("axioms", "NAME", "-c", "Pri", "--instances", "5")),
    ]


def run_command(folder: Path, words: tuple[str, ...]) -> None:
    """The command line in this process; exit codes other than 0 and 2 are failures."""
    from rankprism.cli import main

    before, arguments = os.getcwd(), sys.argv
    os.chdir(folder)
    sys.argv = ["rankprism", *words]
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # programs read bytes
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()) as said:
            main()
    except SystemExit as end:
        if end.code not in (0, 2, None):
            raise AssertionError(f"exit code {end.code}: {said.getvalue()[-2000:]}") from end
    finally:
        os.chdir(before)
        sys.argv = arguments
        gc.unfreeze()  # evaluate freezes its process, so that nothing in it would be freed at the end


@dataclass(frozen=True)
class Failure:
    """An input that a target neither took nor refused."""

    target: str
    case: str
    files: dict[str, bytes]
    trace: str


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if the work takes too long, where signals are available."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds:g} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(target: Target, case: str, folder: Path, seconds: float) -> Failure | None:
    """One case: the same name makes the same input."""
    from rankprism import RankprismError

    registry = sys.modules["rankprism.measures.registry"]
    draw = random.Random(case)
    changed = {
        name: mutated(GOOD[name], draw)
        for name in target.files
        if draw.random() < 0.8 or len(target.files) == 1
    }
    for name, good in GOOD.items():
        (folder / name).write_bytes(changed.get(name, good))
    known = dict(registry._DEFINITIONS)
    try:
        with warnings.catch_warnings(), limited(seconds):
            warnings.simplefilter("ignore")
            target.work(folder, draw)
    except RankprismError:
        return None
    except (Exception, SystemExit) as error:
        return Failure(target.name, case, changed, "".join(traceback.format_exception(error)))
    finally:  # measures of TOML files stay registered
        registry._DEFINITIONS.clear()
        registry._DEFINITIONS.update(known)
    return None


def fuzz(
    seed: int, cases: int, seconds: float = 20.0, until: float | None = None
) -> tuple[int, list[Failure]]:
    """Try cases on the targets in turn. Return the number of cases, and the failures."""
    every = targets()
    failures: list[Failure] = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(cases):
            if until is not None and time.monotonic() > until:
                return i, failures
            target = every[i % len(every)]
            failure = attempt(target, f"{seed}/{i}", Path(folder), seconds)
            if failure is not None:
                failures.append(failure)
    return cases, failures


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation fuzzer of readers, grammar and commands.")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    began = time.monotonic()
    cases, failures = fuzz(chosen.seed, chosen.cases, until=began + chosen.seconds)
    seen: set[tuple[str, str]] = set()
    for failure in failures:
        kind = failure.target, failure.trace.strip().splitlines()[-1][:80]
        if kind not in seen:
            seen.add(kind)
            print(f"{failure.target}, case {failure.case}\n{failure.files}\n{failure.trace}", file=sys.stderr)
    print(f"seed {chosen.seed}: {cases} cases in {time.monotonic() - began:.0f} s, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
