"""The names of measures in tables and charts: α-nDCG@20 instead of alpha_nDCG@20."""

from __future__ import annotations

from rankprism.errors import MeasureError
from rankprism.measures.grammar import parse, parse_all
from rankprism.text import latex_escaped


def shown_name(canonical: str) -> str:
    """A measure's name as papers print it; any other text comes back unchanged.

    >>> [shown_name(text) for text in ("alpha_nDCG@20", "DSharp_nDCG@20", "StRecall@10", "my column")]
    ['α-nDCG@20', 'D#-nDCG@20', 'StRecall@10', 'my column']
    """
    try:
        return parse(canonical).display
    except MeasureError:
        return canonical


def latex_name(canonical: str) -> str:
    r"""A measure's name as papers print it, in LaTeX; any other text is only escaped.

    >>> print(latex_name("alpha_nDCG@20"), latex_name("DSharp_nDCG@20"), latex_name("my_run"))
    $\alpha$-nDCG@20 D\#-nDCG@20 my\_run
    """
    try:
        return parse(canonical).latex
    except MeasureError:
        return latex_escaped(canonical)


def canonical_names(several: str) -> list[str]:
    """The canonical strings of the measures that a string names; any other text comes back unchanged.

    >>> canonical_names("ndcg@10 map"), canonical_names("my column")
    (['nDCG@10', 'AP'], ['my column'])
    """
    try:
        return list(map(str, parse_all(several)))
    except MeasureError:
        return [several]


def canonical_name(name: str) -> str:
    """The canonical string of a measure in any spelling; any other text comes back unchanged.

    >>> canonical_name("D#-nDCG@20"), canonical_name("ndcg@10"), canonical_name("my column")
    ('DSharp_nDCG@20', 'nDCG@10', 'my column')
    """
    try:
        return str(parse(name))
    except MeasureError:
        return name
