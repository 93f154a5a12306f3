"""Measure how long 50 assessors at once wait for each next task of 10,000: `python bench/assess.py`.

Every assessor answers about once in two seconds, which is faster than anybody reads, over HTTP on this
machine. The server runs in a process of its own, with SQLite and, if it is installed, with PostgreSQL, both
writing through to the disk.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from tests.support.assessing import Browser, Page, Person, make_collection, over_network  # noqa: E402
from tests.support.databases import postgresql, programs  # noqa: E402

COMMAND = [sys.executable, "-m", "rankprism", "assess"]
LIMIT = 0.2  # seconds; 95 of 100 waits have to be shorter
PAIRS = 10  # pairs of the five documents that each topic has


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--assessors", type=int, default=50)
    options.add_argument("--tasks", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=30.0)
    options.add_argument(
        "--every", type=float, default=2.0, help="seconds between two answers of an assessor"
    )
    chosen = options.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        targets = {"SQLite": str(folder / "study.db")}
        if programs() is not None:
            targets["PostgreSQL"] = stack.enter_context(postgresql(fsync=True))()
        print(
            f"{chosen.assessors} assessors, {chosen.tasks:,} tasks, an answer every {chosen.every:g} s each"
        )
        for name, target in targets.items():
            waits = measure(target, folder, chosen)
            p95 = statistics.quantiles(waits, n=20)[-1]
            verdict = "ok" if p95 < LIMIT else f"MORE THAN {LIMIT * 1000:.0f} ms"
            print(
                f"{name}: {len(waits)} answers, next task after {statistics.median(waits) * 1000:.0f} ms "
                f"(median), {p95 * 1000:.0f} ms (95 %), {max(waits) * 1000:.0f} ms (longest): {verdict}"
            )


def measure(target: str, folder: Path, chosen: argparse.Namespace) -> list[float]:
    """The seconds from each answer to the next task, which comes with the acknowledgment."""
    collection = make_collection(folder, tuple(map(str, range(1, chosen.tasks // PAIRS + 1))))
    new = [
        *COMMAND,
        "new",
        target,
        *collection.arguments,
        "--depth",
        "3",
        "--assessors",
        str(chosen.assessors),
    ]
    subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
    waits: list[float] = []
    with serving(target) as (port, links):
        people = [Person(Browser(over_network(port), f"127.0.0.1:{port}")) for _ in links]
        pages = [person.join(link) for person, link in zip(people, links, strict=True)]
        end = time.monotonic() + chosen.seconds

        def work(person: Person, page: Page, seed: int) -> None:
            rng = random.Random(seed)
            time.sleep(rng.uniform(0, chosen.every))
            while time.monotonic() < end and page.is_task:
                start = time.perf_counter()
                page = person.submit(page, "left")
                waits.append(time.perf_counter() - start)
                assert page.status == 200, page.text
                time.sleep(rng.uniform(0, 2 * chosen.every))

        threads = [
            threading.Thread(target=work, args=(person, page, seed))
            for seed, (person, page) in enumerate(zip(people, pages, strict=True))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return waits


@contextmanager
def serving(target: str) -> Iterator[tuple[int, list[str]]]:
    """A server with this study: its port, and the paths of the assessors' links."""
    with subprocess.Popen(
        [*COMMAND, "serve", target, "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if "Each link" in line:
                break
        at = re.search(r"http://127\.0\.0\.1:(\d+)", lines[0])
        assert at is not None, lines
        time.sleep(1)
        links = [line.split(at[0])[1].strip() for line in lines if line.startswith("assessor-")]
        try:
            yield int(at[1]), links
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
