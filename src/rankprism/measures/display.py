"""How papers print the names of measures: α-nDCG@20 for ``alpha_nDCG@20``."""

from __future__ import annotations

import re

from rankprism.data.markup import latex_escaped
from rankprism.errors import RankprismError
from rankprism.measures import names, parse

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?=[(@,)]|$)")


def shown_name(canonical: str) -> str:
    """A measure's name as a paper prints it. What is not a measure comes back as it is.

    >>> shown_name("alpha_nDCG(alpha=0.25)@20"), shown_name("DSharp_nDCG@20"), shown_name("my_run")
    ('α-nDCG(alpha=0.25)@20', 'D#-nDCG@20', 'my_run')
    """
    try:
        parse(canonical)
    except RankprismError:
        return canonical
    known = set(names())
    return _WORD.sub(lambda found: _printed(found[0]) if found[0] in known else found[0], canonical)


def latex_name(canonical: str) -> str:
    r"""The same in LaTeX.

    >>> print(latex_name("alpha_nDCG@20"))
    $\alpha$-nDCG@20
    """
    return latex_escaped(shown_name(canonical))


def _printed(name: str) -> str:
    for word, sign in (("alpha_", "α-"), ("Sharp", "#"), ("P_plus", "P+"), ("_", "-")):
        name = name.replace(word, sign)
    return name
