"""Events as JSON lines on standard error, for programs that watch a job: `--log json` or RANKPRISM_LOG=json.

Each line is an object with the keys `event` and `time`, and with others that depend on the event.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import Lock

#: The environment variable that asks for events.
LOG = "RANKPRISM_LOG"
_LOCK = Lock()


def wanted() -> bool:
    """Whether events are to be printed, instead of notes, errors and progress bars for people."""
    return os.environ.get(LOG) == "json"


def begin(command: str, log: str | None) -> None:
    """Print events from here on, if `log` or the environment asks for them."""
    if log is not None:
        os.environ[LOG] = log
    if wanted():
        from rankprism import __version__

        tell("started", command=command, version=__version__)


def tell(event: str, **facts: object) -> None:
    """Print an event, if events are wanted."""
    if not wanted():
        return
    import json
    from datetime import UTC, datetime

    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"event": event, "time": now, **facts}, ensure_ascii=False)
    with _LOCK:  # runs are read by several threads
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def tell_note(text: str) -> None:
    """Print a note. The kind of the note is in brackets at its end."""
    import re

    message, kind = re.fullmatch(r"(.*?)(?: \[([\w-]+)\])?", text, re.DOTALL).groups()  # type: ignore[union-attr]
    tell("note", kind=kind, message=message)


def tell_runs(runs: int) -> tuple[Callable[[str], None], Callable[[float], None]]:
    """The functions to which `evaluate` reports progress: an event for each run, and for each tenth of the
    scores."""
    read, tenths = 0, 0

    def on_run(name: str) -> None:
        nonlocal read
        with _LOCK:
            read += 1
            number = read
        tell("read", run=name, number=number, runs=runs)

    def on_share(share: float) -> None:
        nonlocal tenths
        if int(10 * share + 1e-9) > tenths:
            tenths = int(10 * share + 1e-9)
            tell("scored", share=tenths / 10)

    return on_run, on_share
