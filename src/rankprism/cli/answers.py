"""What people type: the one place where synonyms, hints and answers live.

A synonym is accepted without a word. A hint answers an option that does not exist with the call that was
probably meant, made from what was typed. Both count only in commands that do not have an option of that
name. An option that is spelled nearly like one of a command's own is answered with that one; nonsense gets
no proposal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

#: What other programs call an option of ours.
SYNONYMS = {
    "--metric": "--measure",
    "--metrics": "--measure",
    "--out": "--output",
    "--per-query": "--per-topic",
    "--level": "--intervals",
}
#: Formats that may be asked for by their names alone: --json is --format json.
FORMATS = ("json", "csv", "latex", "markdown")

#: Options that were called otherwise before 0.1: by command, the old spelling and the present one.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "preferences experiment correlation": {"--scores": "--save-scores", "--documents": "--shown"},
    "preferences experiment profiles": {"--scores": "--save-scores", "--documents": "--shown"},
    "preferences experiment incomplete": {"--documents": "--shown"},
    "preferences simulate": {"--documents": "--shown"},
    "preferences order": {"--by": "--order-by"},
    "reproduce preferences": {"--documents": "--shown"},
    "judges score": {"--pool": "--pool-of"},
    "judges select": {"--pool": "--pool-of"},
    "judges prefer": {"--systems": "--system-names"},
    "judges strengths": {"--systems": "--system-names"},
    "assess new": {"--topics": "--topic-texts", "--gold": "--gold-questions"},
    "assess add": {"--topics": "--topic-texts"},
    "assess export": {"--gold": "--with-gold"},
    "assess serve": {"--pool": "--pool-of"},
}
#: Where documentation has shown the old spelling, so that it is still accepted.
KEPT = {
    ("preferences experiment correlation", "--scores"),
    ("preferences experiment incomplete", "--documents"),
    ("preferences simulate", "--documents"),
    ("preferences order", "--by"),
    ("judges score", "--pool"),
    ("judges select", "--pool"),
    ("judges prefer", "--systems"),
    ("judges strengths", "--systems"),
    ("assess new", "--topics"),
    ("assess new", "--gold"),
    ("assess export", "--gold"),
    ("reproduce preferences", "--documents"),
}
#: How similar a spelling has to be. Below this, --nonsense would be --baseline.
_NEAR = 0.75


class Hint(NamedTuple):
    """What is meant by an option that no command has."""

    needs: str  #: an option of the command, or a word of its arguments, without which this is no answer
    says: str
    meant: Callable[[list[str], int], list[str]]  #: the words of the call with what is meant instead


class Answer(NamedTuple):
    """What to say about an unknown option, and the words of the call without it."""

    said: str
    words: list[str]
    is_meant: bool  #: whether these words are the call that was probably meant


def accepted(path: str, words: Sequence[str], own: Collection[str], flags: Collection[str]) -> list[str]:
    """The words of a call with synonyms replaced by the command's own options.

    Parameters
    ----------
    own
        The spellings of the command's options.
    flags
        Those that take no value.
    """
    kept = {old: new for old, new in RENAMED.get(path, {}).items() if (path, old) in KEPT}
    synonyms = SYNONYMS | kept
    found: list[str] = []
    for word, is_value in _with_roles(words, own, flags):
        name, equals, value = word.partition("=")
        if is_value or not name.startswith("--") or name in own:
            found.append(word)
        elif name[2:] in FORMATS and "--format" in own and not equals:
            found += ["--format", name[2:]]
        else:
            found.append(synonyms[name] + equals + value if synonyms.get(name) in own else word)
    return found


def in_full(words: Sequence[str], own: Mapping[str, str], flags: Collection[str]) -> list[str]:
    """The words with long options for short ones, which Click finds only after it has made an error.

    own : the spellings of the command's options, each with the first one of its option.
    """
    roles = list(_with_roles(words, own, flags))
    # The message about an option without its value names what was typed.
    full = [word if is_value else own.get(word, word) for word, is_value in roles[:-1]]
    return [*full, *(word for word, _ in roles[-1:])]


def _with_roles(
    words: Sequence[str], own: Collection[str], flags: Collection[str]
) -> Iterator[tuple[str, bool]]:
    """The words, each with whether it is the value of an option, or an argument after ``--``."""
    is_value = False
    for number, word in enumerate(words):
        if word == "--" and not is_value:
            yield from ((one, True) for one in words[number:])
            return
        yield word, is_value
        is_value = not is_value and word in own and word not in flags


def with_values(words: Sequence[str], bare: Mapping[str, str]) -> list[str]:
    """The words, in which an option whose value may be left out takes the next word only if it is a number.

    bare : such options, and the value that each has without one.

    >>> with_values(["--intervals", "a.run", "--intervals", "0.9"], {"--intervals": "0.95"})
    ['--intervals=0.95', 'a.run', '--intervals=0.9']
    """
    found: list[str] = []
    skips = False
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if skips:
            skips = False
        elif word not in bare:
            found.append(word)
        else:
            skips = _is_number(following)
            found.append(f"{word}={following if skips else bare[word]}")
    return found


def answer(path: str, name: str, words: list[str], own: Sequence[str], called: str) -> Answer:
    """Answer an unknown option.

    Parameters
    ----------
    path
        The command, e.g. "meta power".
    name
        The option as it was typed.
    words
        The words of the call.
    own
        The spellings of the command's options.
    called
        What its arguments are called, e.g. "QRELS RUN...".
    """
    place = _place(words, name)
    if renamed := RENAMED.get(path, {}).get(name):
        said = f"No such option: {name}. It is called {renamed} here."
        return Answer(said, _respelled(words, place, name, renamed), True)
    hint = HINTS.get(name)
    if hint is not None and (hint.needs in own or hint.needs in called):
        return Answer(f"No such option: {name}. {hint.says}", hint.meant(words, place), True)
    import difflib

    near = difflib.get_close_matches(name, own, 1, _NEAR) if 3 < len(name) < 60 else []
    if near:
        said = f"No such option: {name}. Did you mean {near[0]}?"
        return Answer(said, _respelled(words, place, name, near[0]), True)
    return Answer(f"No such option: {name}", _without(words, place), False)


def line(called: str, words: Sequence[str]) -> str:
    """A call, ready to paste."""
    import shlex

    return f"{called} {shlex.join(words)}".strip()


def _place(words: Sequence[str], name: str) -> int:
    """Where an option stands. A short one may be followed by its value in the same word."""
    whole = [i for i, word in enumerate(words) if word.partition("=")[0] == name]
    return whole[0] if whole else next(i for i, word in enumerate(words) if _has_short(word, name))


def _has_short(word: str, name: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and name[1:] in word


def _respelled(words: Sequence[str], place: int, name: str, other: str) -> list[str]:
    return [*words[:place], other + words[place][len(name) :], *words[place + 1 :]]


def _value(words: Sequence[str], place: int) -> tuple[str, list[str], list[str]]:
    """The value of an option, and the words before and after both."""
    _, equals, value = words[place].partition("=")
    before, after = list(words[:place]), list(words[place + 1 :])
    if equals or not after or after[0].startswith("-"):
        return value, before, after
    return after[0], before, after[1:]


def _without(words: Sequence[str], place: int) -> list[str]:
    """The words without an option that nobody knows. A word behind it is its value unless it is a file."""
    import os

    value, before, after = _value(words, place)
    is_file = "=" not in words[place] and (os.path.exists(value) or "=" in value or value == "-")
    return [*before, *([value] if is_file and value else []), *after]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


# ── what hints mean ──────────────────────────────────────────────────────────────────────────────


def _as_format(words: list[str], place: int) -> list[str]:
    value, before, after = _value(words, place)
    short = words[place][2:].removeprefix("=")  # -fcsv
    if short and not words[place].startswith("--"):
        return [*before, "--format", short, *words[place + 1 :]]
    return [*before, "--format", value or "csv", *after]


def _as_json(words: list[str], place: int) -> list[str]:
    return [*words[:place], "--format", "json", *words[place + 1 :]]


def _as_first(words: list[str], place: int) -> list[str]:
    value, before, after = _value(words, place)
    return [*([value] if value else []), *before, *after]


def _in_place(words: list[str], place: int) -> list[str]:
    value, before, after = _value(words, place)
    return [*before, *([value] if value else []), *after]


def _as_cutoff(words: list[str], place: int) -> list[str]:
    value, before, after = _value(words, place)
    found: list[str] = []
    is_measure, is_named = False, False
    for word in [*before, *after]:
        named = is_measure or (word.startswith(("--measure=", "-m")) and word != "-m")
        found.append(f"{word}@{value or 10}" if named and "@" not in word else word)
        is_measure, is_named = word in ("-m", "--measure"), is_named or named
    return found if is_named else [*found, "-m", f"nDCG@{value or 10}"]


_CUTOFF = "A cutoff is part of the measure, e.g. -m nDCG@10."
_RUNS = "The runs follow the judgments, without an option."
#: Options of other programs that are answered with what to write instead.
HINTS = {
    "-f": Hint("--format", "Did you mean --format?", _as_format),
    "-j": Hint("--format", "Did you mean --format json?", _as_json),
    "--qrels": Hint("QRELS", "The judgments come first, without an option.", _as_first),
    "--run": Hint("RUN", _RUNS, _in_place),
    "--runs": Hint("RUN", _RUNS, _in_place),
    "--k": Hint("--measure", _CUTOFF, _as_cutoff),
    "--cutoff": Hint("--measure", _CUTOFF, _as_cutoff),
    "--human": Hint("PEOPLE", "The judgments of people come first, without an option.", _as_first),
}
