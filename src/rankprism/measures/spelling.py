"""The spellings of a name: case, hyphens and Greek letters do not matter."""

from __future__ import annotations

#: Parameters that papers write as Greek letters.
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ"}


def folded_name(name: str) -> str:
    """The common form of all spellings of a name.

    >>> folded_name("α-nDCG"), folded_name("Alpha_NDCG"), folded_name("D#-nDCG")
    ('alpha_ndcg', 'alpha_ndcg', 'dsharp_ndcg')
    """
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFKC", name)
    plain = name.casefold()
    for word, letter in GREEK.items():
        plain = plain.replace(letter, word)
    return plain.translate(_DASHES).replace("#", "sharp")


#: Hyphens and dashes that occur in text copied from papers.
_DASHES = dict.fromkeys(map(ord, "-\u2010\u2011\u2012\u2013\u2014\u2212"), "_")
