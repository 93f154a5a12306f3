"""Runs several tasks at a time and reports their progress."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Share = Callable[[float], None]
T = TypeVar("T")


def part_of(on_share: Share | None, number: int, parts: int) -> Share | None:
    """Progress of the whole, from the progress of one of several equal parts."""
    return None if on_share is None else lambda share: on_share((number + share) / parts)


def for_each(tasks: Sequence[Callable[[Share], T]], on_share: Share | None) -> list[T]:
    """Run several tasks at a time and return their results. numpy computes without the interpreter's lock.

    Each task reports its own progress. When it does so, it is stopped if another task has failed or somebody
    has pressed Ctrl-C."""
    shares = [0.0] * len(tasks)
    stopped = threading.Event()

    def run(number: int) -> T:
        def tell(share: float) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt
            shares[number] = share
            if on_share is not None:
                on_share(sum(shares) / len(shares))

        return tasks[number](tell)

    with ThreadPoolExecutor(min(len(tasks), os.cpu_count() or 1)) as pool:
        try:
            return list(pool.map(run, range(len(tasks))))
        except BaseException:
            stopped.set()
            raise
