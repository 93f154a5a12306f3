"""Runs several tasks at a time and reports their progress."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

Share = Callable[[float], None]
Task = TypeVar("Task")
Done = TypeVar("Done")


def part_of(on_share: Share | None, number: int, parts: int) -> Share | None:
    """Progress of the whole, from the progress of one of several equal parts."""
    return None if on_share is None else lambda share: on_share((number + share) / parts)


def for_each_in_order(
    work: Callable[[Task], Done],
    tasks: Iterable[Task],
    threads: int | None,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[Done]:
    """The results of `work` on each task, in the order of the tasks, several of which are done at a time.

    The next task is taken only when a thread is about to need it, so the tasks need not fit into memory. If
    several tasks fail, the error of the first of them is raised. A single task is done by the calling thread.

    threads : the number of threads. None: one for each processor.
    stop : called if a task has failed or somebody has pressed Ctrl-C, before the other tasks are waited for.
    """
    most = threads or os.cpu_count() or 1
    upcoming = iter(tasks)
    few = list(islice(upcoming, 2))
    if most == 1 or len(few) < 2:
        yield from map(work, chain(few, upcoming))
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[Done]] = deque()
    pool = ThreadPoolExecutor(most)
    try:
        for task in chain(few, upcoming):
            if len(waiting) > most:
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, task))
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def for_each(tasks: Sequence[Callable[[Share], Done]], on_share: Share | None) -> list[Done]:
    """Run several tasks at a time and return their results. numpy computes without the interpreter's lock.

    Each task reports its own progress. When it does so, it is stopped if another task has failed or somebody
    has pressed Ctrl-C.
    """
    shares = [0.0] * len(tasks)
    stopped = threading.Event()

    def run(number: int) -> Done:
        def tell(share: float) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt
            shares[number] = share
            if on_share is not None:
                on_share(sum(shares) / len(shares))

        return tasks[number](tell)

    return list(for_each_in_order(run, range(len(tasks)), None, stopped.set))
