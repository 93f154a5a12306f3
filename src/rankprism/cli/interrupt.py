"""Ctrl-C, heard within a second even where the interpreter is deaf to it."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: How long the work may take to end by itself after Ctrl-C.
SECONDS = 0.8


@contextmanager
def heard() -> Iterator[None]:
    """End the process soon after Ctrl-C.

    Python hears Ctrl-C between two of its own instructions, so never while numpy or the core computes. The
    system tells us at once through a socket, at which a thread waits. It lets the work end by itself if it
    can, which removes temporary files, and else ends the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # somebody else deals with signals
        return
    here, there = socket.socketpair()
    there.setblocking(False)
    before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        while told := here.recv(1):
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
        there.close()  # which ends the thread
        listener.join()
        here.close()
