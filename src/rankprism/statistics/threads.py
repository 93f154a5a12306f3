"""Several tasks at a time, and how far they are."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Share = Callable[[float], None]
T = TypeVar("T")


def part_of(on_share: Share | None, number: int, parts: int) -> Share | None:
    """Progress within one of several equal parts, as progress of the whole."""
    return None if on_share is None else lambda share: on_share((number + share) / parts)


def for_each(tasks: Sequence[Callable[[Share], T]], on_share: Share | None) -> list[T]:
    """What the tasks return, several of them at a time: what numpy computes, it computes without the
    interpreter's lock. Each tells its own progress; that is also where it ends if another has failed, or
    somebody has pressed Ctrl-C."""
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
