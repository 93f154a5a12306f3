"""Errors and warnings about input and usage. Each message says what to do.

RankprismError        every error below; also a ValueError
├── InputError        judgments, runs or weights that cannot be read as they are
└── MeasureError      a measure that does not exist, or a parameter outside its range
    └── BrokenMeasure a measure of your own that fails, or that returns something other than scores
RankprismWarning      legitimate input that is worth a look
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, get_args

from rankprism.text import message


class RankprismError(ValueError):
    """A user's mistake. The message names the place, the value and the remedy.

    Messages quote text from files. All messages, including those of the core, pass through this class, which
    makes them safe to show.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(message(x) if isinstance(x, str) else x for x in args))


class InputError(RankprismError):
    """Judgments, runs or weights that cannot be read as they are."""


class MeasureError(RankprismError):
    """A measure that does not exist, or a parameter outside its range."""


class BrokenMeasure(MeasureError):
    """A measure of your own that fails, or that returns something other than scores."""


class RankprismWarning(UserWarning):
    """Legitimate input that is worth a look."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(message(x) if isinstance(x, str) else x for x in args))


class LongComputation(RankprismWarning):
    """A warning, before a long computation, of how long it will take. The command line prints it at once."""


#: What pip installs. Until there is a release, it is the checkout, because others could register a name. The
#: release changes it with `.ci/published`.
SOURCE = "."


def install(extra: str) -> str:
    """The command that installs rankprism with an extra, as the end of a message.

    >>> install("plots").startswith("pip install '")
    True
    """
    return f"pip install '{SOURCE}[{extra}]'" + (" in the checkout of rankprism" if SOURCE == "." else "")


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names as text for a message. A long list is cut short.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, … (3 in all)'
    """
    every = list(names)
    return ", ".join(every[:most]) + (f", … ({len(every)} in all)" if len(every) > most else "")


def enumerated(words: Sequence[str], last: str = "and") -> str:
    """Words as part of a sentence.

    >>> enumerated(["a", "b", "c"]), enumerated(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def one_of(name: str, value: str, words: Any) -> None:
    """Refuse a value that is not one of the words of a `Literal`, or of a sequence of words."""
    allowed = get_args(words) or tuple(words)
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}; got {value!r}")


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse a value that is not a whole number or is too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise InputError(f"{name} must be a whole number ≥ {least}; got {value!r}")


def closest(name: str, known: Iterable[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known names that are spelled most like a name that is not known, the most similar one first."""
    if len(name) > 60:
        return []
    import difflib

    return difflib.get_close_matches(name, list(known), n=most, cutoff=cutoff)


def did_you_mean(name: str, known: Mapping[str, Collection[str]], cutoff: float = 0.5) -> str:
    """The end of a message about a name that is not known: the names that are spelled most like it.

    known : for each spelling, what it may mean.

    >>> did_you_mean("ndgc", {"ndcg": ["nDCG"], "err": ["ERR"]})
    '; did you mean nDCG?'
    """
    meant = dict.fromkeys(
        one for spelling in closest(name, known, 2, cutoff) for one in sorted(known[spelling])
    )
    return f"; did you mean {' or '.join(meant)}?" if meant else ""
