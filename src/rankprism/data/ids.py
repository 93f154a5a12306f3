"""Ids that mean the same in two spellings, which differ in case, zeros, Unicode form or quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from rankprism.errors import enumerated
from rankprism.text import quoted

_ZEROS = re.compile(r"^(\D*)0+(?=\d)")
_POINT = re.compile(r"\.0+$")
_QUOTES = "\"'`´“”„‘’«»"


def _in_one_form(text: str) -> str:
    """The id in Unicode's form for comparisons."""
    import unicodedata  # nearly no evaluation compares spellings

    return unicodedata.normalize("NFKC", text)


#: What may differ between two spellings, and a function that removes it.
_FORMS: dict[str, Callable[[str], str]] = {
    "in their Unicode form": _in_one_form,
    "in quotes": lambda text: text.strip(_QUOTES),
    "in case": str.casefold,
    "in .0 at the end": lambda text: _POINT.sub("", text),
    "in leading zeros": lambda text: _ZEROS.sub(r"\1", text),
}


def plain_id(text: str) -> str:
    """The id without anything in which two spellings may differ.

    >>> plain_id('"Doc007"'), plain_id("12.0")
    ('doc7', '12')
    """
    for form in _FORMS.values():
        text = form(text)
    return text


def alike(own: Iterable[str], others: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of an id and another one that is spelled differently and means the same.

    >>> alike(["q1", "q2"], ["Q1", "q2", "q3"])
    [('q1', 'Q1')]
    """
    mine, theirs = set(own), set(others)
    by_plain = {plain_id(text): text for text in mine - theirs}
    return sorted((by_plain[p], text) for text in theirs - mine if (p := plain_id(text)) in by_plain)


def differing(pair: tuple[str, str]) -> str:
    """What differs between two spellings of an id, in words.

    >>> differing(("001", "1")), differing(("a", "'A'"))
    ("in leading zeros: '001' and '1'", 'in quotes and in case: \\'a\\' and "\\'A\\'"')
    """
    one, other = pair
    alone = [words for words, form in _FORMS.items() if form(one) == form(other)]
    several = [words for words, form in _FORMS.items() if (form(one), form(other)) != pair]
    # Two Unicode forms look the same.
    shown = [f"{text!a}" if "in their Unicode form" in several else quoted(text) for text in pair]
    return f"{enumerated(alone[:1] or several)}: {shown[0]} and {shown[1]}"
