"""The question and the answers of a study, in our words or in the organiser's."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.types import Ask

#: Largest number of characters of a question or an answer.
MOST = 200


@dataclass(frozen=True)
class Wording:
    """What a page asks, and what its buttons say."""

    question: str = "Which would you rather read?"
    next: str = "Which would you rather read next?"  #: the question if a document was read before
    given: str = "You have just read this"  #: above the document that was read before
    left: str = "A is better"
    right: str = "B is better"
    tie: str = "About the same"
    cannot: str = "Cannot judge"
    save: str = "Save"


GRADES = Wording(question="How well does this document fit?")
#: The parts of the wording that pages show, by what is asked.
_PREFERENCES = ("question", "left", "right", "tie", "cannot")
SHOWN: dict[Ask, tuple[str, ...]] = {
    "pairs": _PREFERENCES,
    "triplets": ("next", "given", *_PREFERENCES[1:]),
    "both": ("next", "given", *_PREFERENCES),
    "grades": ("question", "cannot", "save"),
}


def default_wording(ask: Ask) -> Wording:
    return GRADES if ask == "grades" else Wording()


def read_wording(path: files.PathLike, ask: Ask) -> Wording:
    """Read the wording of a study from a TOML file, which may leave parts as they are."""
    name = files.source_name(path)
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: is not TOML ({error})") from None
    for key, text in found.items():
        if key not in SHOWN[ask]:
            raise InputError(f"{name}: {key!r} is not shown if {ask} are asked; use {listed(SHOWN[ask])}")
        _check(f"{name}: {key}", text)
    return Wording(**(vars(default_wording(ask)) | found))


def stored_wording(found: Any) -> Wording:
    """Read the wording that a study has stored, or name the part that is damaged."""
    names = [field.name for field in fields(Wording)]
    if not isinstance(found, Mapping) or sorted(found) != sorted(names):
        raise InputError(f"its setting wording must have {listed(names)}")
    for key, text in found.items():
        _check(f"its setting wording: {key}", text)
    return Wording(**found)


def _check(where: str, text: Any) -> None:
    if not isinstance(text, str) or not 0 < len(text.strip()) <= MOST or not text.isprintable():
        raise InputError(f"{where} must be a line of 1 to {MOST} characters; got {text!r}")


_TIE = "Choose *{tie}* if neither is better, and *{cannot}* if a document cannot be read or understood.\n"
_INSTRUCTIONS: dict[Ask, str] = {
    "pairs": (
        "You will see what somebody is looking for, and two documents, A and B. Read as much of both as you "
        "need, and answer the question: {question}\n\n"
    ),
    "triplets": (
        "You will see what somebody is looking for, and three documents. Imagine that you have just read the "
        "first one. Then look at A and B, and answer the question: {next}\n\n"
        "A document that only repeats what you have just read may be of little use to you.\n\n"
    ),
    "both": (
        "You will see what somebody is looking for, and two documents, A and B. Read as much of both as you "
        "need, and answer the question: {question}\n\n"
        "Sometimes a third document is shown before the two. Imagine that you have just read it. Then the "
        "question is: {next}\n\n"
    ),
    "grades": (
        "You will see what somebody is looking for, and a document. Read as much of it as you need, and "
        "choose one label in every row.\n\n"
        "Choose *{cannot}* if the document cannot be read or understood.\n"
    ),
}


def default_instructions(ask: Ask, wording: Wording) -> str:
    """The instructions, in Markdown, if the organiser wrote none."""
    template = _INSTRUCTIONS[ask] + ("" if ask == "grades" else _TIE)
    return template.format(**{key: _literal(text) for key, text in vars(wording).items()})


def _literal(text: str) -> str:
    """Escape the signs of Markdown."""
    return "".join(f"\\{sign}" if sign in r"\`*_[]<>#&" else sign for sign in text)
