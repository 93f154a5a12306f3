"""What is wrong with a call. All of it is said at once, so that nobody mends one thing to find the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from rankprism.errors import InputError, RankprismError


class Unknown(click.UsageError):
    """An option that a command does not have."""


class Several(InputError):
    """Several things that are wrong with a call.

    line : the call that was probably meant, ready to paste; "" if it cannot be guessed.
    """

    def __init__(self, errors: Sequence[Exception], line: str = "") -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors, self.line = tuple(errors), line


def said_at_once(errors: Sequence[Exception], line: str = "") -> Exception:
    """One error for all, or the only one."""
    apart = (one for error in errors for one in (error.errors if isinstance(error, Several) else [error]))
    every = list({str(one): one for one in apart}.values())
    return every[0] if len(every) == 1 and not line else Several(every, line)


class Problems:
    """Collects what is wrong, step by step.

    >>> from rankprism.errors import InputError
    >>> with Problems() as found:
    ...     with found.noted():
    ...         raise InputError("no file")
    ...     with found.noted():
    ...         raise InputError("no measure")
    Traceback (most recent call last):
    rankprism.cli.problems.Several: no file; no measure
    """

    def __init__(self) -> None:
        self.errors: list[Exception] = []

    def __enter__(self) -> Problems:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, RankprismError):
            self.errors.append(error)
        if error is None or isinstance(error, RankprismError):
            self.raised()

    def raised(self) -> None:
        """Raise what was noted, if anything was."""
        if self.errors:
            raise said_at_once(self.errors) from None

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Keep an error of a step, and go on with the next one."""
        try:
            yield
        except (RankprismError, OSError) as error:
            self.errors.append(error)
