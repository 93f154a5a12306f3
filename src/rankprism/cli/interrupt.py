"""End the process within a second after Ctrl-C, even while compiled code is running."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: How many seconds the work may take to stop by itself after Ctrl-C.
SECONDS = 0.8


@contextmanager
def heard() -> Iterator[None]:
    """End the process soon after Ctrl-C.

    Python notices Ctrl-C only between two of its own instructions, so not while numpy or the core computes.
    The system also writes to a pipe at once, at which a thread waits. The thread gives the work some time
    to stop by itself, which removes temporary files, and then ends the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # somebody else deals with signals
        return
    here, there = os.pipe()
    if sys.platform != "win32":  # where a pipe need not be told
        os.set_blocking(there, False)
    before = signal.set_wakeup_fd(there, warn_on_full_buffer=False)

    def wait() -> None:
        while told := os.read(here, 1):
            if told[0] == signal.SIGINT and not finished.wait(SECONDS):
                sys.stderr.write("rankprism: interrupted\n")
                sys.stderr.flush()
                os._exit(130)

    finished = threading.Event()
    listener = threading.Thread(target=wait, daemon=True)
    listener.start()
    try:
        yield
    finally:
        finished.set()
        signal.set_wakeup_fd(before)
        os.close(there)  # which ends the thread
        listener.join()
        os.close(here)
