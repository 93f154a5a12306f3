"""One score per aspect, then one number: intent-aware measures."""

from __future__ import annotations

from typing import Any

from rankprism.data.hits import Floats, Hits
from rankprism.measures.measure import Definition
from rankprism.measures.parts import aspect_weights, expected


def intent_aware(base: Definition) -> Definition:
    """``M_IA`` of a single-aspect measure M: the expected score over the user's intents.

    M_IA = Σ_t w_t M_t over the topic's aspects with anything relevant, the weights summing to 1
    """

    def function(hits: Hits, **settings: Any) -> Floats:
        # Relevant for M: from its own threshold on, or from the lowest positive grade.
        rel = settings.get("rel", _SMALLEST)
        weight = aspect_weights(hits, "binary", rel, weighted=True)
        return expected(base.function(hits, **settings), weight)

    function.__doc__ = (
        f"Intent-aware {base.name}: its mean over the topic's aspects.\n\n"
        f"{base.name}_IA = Σ_t w_t {base.name}_t over the aspects with a relevant document, the weights\n"
        f"uniform unless given, and summing to 1\n\n{base.doc.partition('>>>')[0].strip()}"
    )
    aliases = tuple(f"{alias}_IA" for alias in base.aliases)
    cite = (*base.cite, "agrawal2009diversifying")
    return Definition(f"{base.name}_IA", function, base.parameters, single=False, cite=cite, aliases=aliases)


_SMALLEST = 5e-324  # any grade above 0
