"""Measures as people write them in papers."""

from __future__ import annotations

import re

_WORDS = {"alpha_": "α-", "Sharp": "#", "P_plus": "P+", "_": "-"}


def shown_name(name: str) -> str:
    """The name that tables and charts show for a canonical one.

    >>> shown_name("alpha_nDCG@20"), shown_name("DSharp_nDCG(gamma=0.3)@10"), shown_name("P_plusQSharp")
    ('α-nDCG@20', 'D#-nDCG(gamma=0.3)@10', 'P+Q#')
    """
    head, *rest = re.split(r"(?=[(@])", name, maxsplit=1)
    for written, shown in _WORDS.items():
        head = head.replace(written, shown)
    return head + "".join(rest)
