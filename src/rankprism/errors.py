"""What can go wrong through no fault of rankprism's, each with a message that says what to do.

RankprismError        anything below; also a ValueError
├── InputError        judgments, runs or weights that cannot be read as they are
└── MeasureError      a measure that does not exist, or a parameter outside its range
RankprismWarning      legitimate, but worth a look
"""

from collections.abc import Iterable, Sequence

from rankprism.foreign import message


class RankprismError(ValueError):
    """A user's mistake. The message names the place, the value and the remedy.

    Messages quote what stands in files. Those of Python and those of the core all come through here, so this
    is where they are made safe to show.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(message(x) if isinstance(x, str) else x for x in args))


class InputError(RankprismError):
    """Judgments, runs or weights that cannot be read as they are."""


class MeasureError(RankprismError):
    """A measure that does not exist, or a parameter outside its range."""


class RankprismWarning(UserWarning):
    """Legitimate input that is worth a look."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(message(x) if isinstance(x, str) else x for x in args))


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names for a message, the rest of a long list left out.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, … (3 in all)'
    """
    every = list(names)
    return ", ".join(every[:most]) + (f", … ({len(every)} in all)" if len(every) > most else "")


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Refuses a value that is none of those allowed."""
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}; got {value!r}")
