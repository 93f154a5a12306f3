"""Finds the words of a query in a document. The report marks them by the same rules, in assets/marks.js.

Words are compared without case and without the s of a plural. Chinese, Japanese and Korean have no blanks
between words, so there every part of the text that equals a word of the query counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Words that nearly every English text contains.
COMMON = frozenset(
    re.findall(
        r"\w+",
        "a about an and are as at be by can do does for from had has have how i in is it its me my of on or "
        "s that the their there they this to was were what when where which who why will with you your",
    )
)

_WORD = re.compile(r"[^\W_]+")
_WITHOUT_BLANKS = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_EAST_ASIAN = re.compile(f"[{_WITHOUT_BLANKS}]")


def query_words(query: str) -> list[str]:
    """The words of a query that are worth marking, in the form in which `found_in` compares them.

    >>> query_words("Where are the jaguars of Brazil?")
    ['jaguar', 'brazil']
    """
    words = dict.fromkeys(_plain(word[0]) for word in _WORD.finditer(query))
    return [word for word in words if word not in COMMON] or list(words)


def found_in(text: str, words: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of every word of the query in a text, in order.

    >>> text = "The Jaguar swims in Brazil, as all jaguars do."
    >>> [text[a:b] for a, b in found_in(text, query_words("jaguars of Brazil"))]
    ['Jaguar', 'Brazil', 'jaguars']
    """
    wanted = {word for word in words if not _EAST_ASIAN.search(word)}
    inside = [re.escape(word) for word in sorted(words, key=len, reverse=True) if word not in wanted]
    found = [word.span() for word in _WORD.finditer(text) if _plain(word[0]) in wanted]
    if inside:
        found += [part.span() for part in re.finditer("|".join(inside), text, re.IGNORECASE)]
        found.sort()
    yield from found


def _plain(word: str) -> str:
    word = word.casefold()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
