"""The notes that commands print, and the bars that show how far they are."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

import click

from rankprism.cli import events
from rankprism.errors import InputError, LongComputation, RankprismWarning
from rankprism.text import message as safe_message

if TYPE_CHECKING:
    from rankprism.formats import OnError


@contextmanager
def noted(quiet: bool = False, strict: bool = False) -> Iterator[None]:
    """Print each note that comes up inside the block on standard error, once, unless `quiet` is set.

    Notes are printed at the end of the block, but that a computation will be long is said at once. If
    `strict` is set, a note is an error at the end of the block.
    """
    notes: dict[str, None] = {}
    lines: dict[str, None] = {}  # each line once, in the order in which it came

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        is_note = issubclass(category, RankprismWarning)
        said = safe_message(str(message)).rpartition(" [")[0]
        if is_note and said and any(note.startswith(said) for note in notes):
            return  # said before, perhaps in a longer note: `evaluate` adds the means
        if is_note and not issubclass(category, LongComputation):
            notes[safe_message(str(message))] = None
        text = f"{'note' if is_note else 'warning'}: {safe_message(str(message))}"
        if quiet and is_note:
            return
        if events.wanted():
            if text not in lines:
                events.tell_note(safe_message(str(message)))
            lines[text] = None
        elif issubclass(category, LongComputation):
            print(text, file=sys.stderr, flush=True)
        else:
            lines[text] = None

    with warnings.catch_warnings():
        warnings.simplefilter("always", RankprismWarning)
        warnings.showwarning = show
        yield
    for line in lines if not events.wanted() else ():
        print(line, file=sys.stderr)
    if strict and notes:
        first, *others = notes
        more = f" (and {len(others)} more)" if others else ""
        raise InputError(f"--strict makes an error of a note: {first}{more}")


@contextmanager
def leaving_out(keep_going: bool) -> Iterator[OnError | None]:
    """The function to call with a run that cannot be read, or None if the first such error is to be raised.

    At the end of the block, the errors are printed. The exit code is then 2.
    """
    failures: dict[str, str] = {}

    def left_out(name: str, error: Exception) -> None:
        from rankprism.cli import explained

        # Only the words are kept: an error holds all that the functions worked on where it was raised.
        failures[name] = explained(error)[0]

    try:
        yield left_out if keep_going else None
    finally:
        for name, words in failures.items():
            if events.wanted():
                events.tell("error", run=name, message=words, code=2)
            else:
                print(f"rankprism: {words}", file=sys.stderr)
    if failures:
        if not events.wanted():
            runs = "1 run is" if len(failures) == 1 else f"{len(failures)} runs are"
            print(f"rankprism: {runs} left out, and the others are scored", file=sys.stderr)
        raise click.exceptions.Exit(2)


#: The number of seconds after which a bar appears.
AFTER = 2.0


@contextmanager
def evaluating(runs: int) -> Iterator[tuple[Callable[[str], None] | None, Callable[[float], None] | None]]:
    """The two functions to which `evaluate` reports progress: one for reading files, one for scoring."""
    if events.wanted():
        yield events.tell_runs(runs)
        return
    with _bars("reading judgments") as bar:
        if bar is None:
            yield None, None
            return
        read = bar("reading runs", runs)
        yield lambda name: read(None), bar("scoring", 1.0)


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None]]:
    """A function that takes the share of the work that is done. After two seconds, a bar shows it.

    If nobody calls the function, the bar shows that there is work, and not how far it is. Work inside
    other work takes over its bar.
    """
    with _bars(what) as bar:
        yield (lambda share: None) if bar is None else bar(what, 1.0)


#: Makes a bar with a title and a total. It returns a function that moves the bar: it takes what is done in
#: all, or None for one step more.
_Bar: TypeAlias = Callable[[str, float], Callable[[float | None], None]]
#: The bars of the work that is under way, and a function that gives them another title.
_open: list[tuple[_Bar, Callable[[str], None]]] = []


@contextmanager
def _bars(first: str) -> Iterator[_Bar | None]:
    """Bars on standard error, which appear after two seconds, or None if it is not a terminal.

    Until then nothing is written, not even the sequence that hides the cursor of the terminal. If nothing has
    been told by then, a bar without an end appears, with the title `first`.
    """
    if events.wanted():
        yield None
        return
    if _open:  # sys.stderr is then a proxy of rich, which is no terminal in old versions of rich
        bar, begin = _open[-1]
        begin(first)
        yield bar
        return
    if not sys.stderr.isatty():
        yield None
        return
    from contextlib import ExitStack
    from threading import Lock, Timer

    began, lock, title = monotonic(), Lock(), first
    shown: list[Any] = []
    endless: list[Any] = []
    with ExitStack() as stack:

        def progress() -> Any:
            if not shown:
                from rich.console import Console
                from rich.progress import Progress

                console = Console(stderr=True)
                shown.append(stack.enter_context(Progress(console=console, transient=True)))
            return shown[0]

        def appear() -> None:
            with lock:
                if not shown and not timer.finished.is_set():
                    endless.append(progress().add_task(title, total=None))

        def begin(next_title: str) -> None:
            nonlocal title
            with lock:
                title = next_title
                if shown:
                    for task in progress().task_ids:
                        progress().remove_task(task)
                    endless[:] = [progress().add_task(title, total=None)]

        def bar(what: str, total: float) -> Callable[[float | None], None]:
            so_far = 0.0
            tasks: list[Any] = []

            def tell(done: float | None) -> None:
                nonlocal so_far
                with lock:  # runs are read by several threads
                    so_far = so_far + 1 if done is None else done
                    if monotonic() - began < AFTER:
                        return
                    if not tasks or tasks[0] not in progress().task_ids:
                        while endless:
                            progress().remove_task(endless.pop())
                        tasks[:] = [progress().add_task(what, total=total)]
                    progress().update(tasks[0], completed=so_far)

            return tell

        timer = Timer(AFTER, appear)
        timer.daemon = True
        timer.start()
        _open.append((bar, begin))
        try:
            yield bar
        finally:
            _open.pop()
            with lock:
                timer.cancel()
