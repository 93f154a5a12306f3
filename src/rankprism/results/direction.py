"""Whether a higher or a lower score is better by a measure.

`Scores.conventions["direction"]` records it for each measure, and results of analyses keep these conventions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism.data import Floats
from rankprism.errors import InputError, MeasureError, listed
from rankprism.measures import Measure, parse
from rankprism.measures.definition import LOWER_IS_BETTER

if TYPE_CHECKING:
    from rankprism.results.record import Record

HIGHER, LOWER = "higher", "lower"
_NONE: Mapping[str, bool] = MappingProxyType({})
#: What tables and charts add to the name of a measure if a lower score is better.
MARK = " ↓"
#: The settings in the record of scores that name the aspects that say which scores on them are better.
_ASPECTS = {"better when higher": False, "better when lower": True}
#: How scores are named that are not those of one order: over all orders of tied documents (`tied`), and
#: estimates of `judges score`.
_DERIVED = re.compile(r"(?:Lowest|Expected|Highest|Estimated)\((.*)\)")


def direction_of(name: str, aspects: Mapping[str, bool] = _NONE, definition: str = "") -> str:
    """Which scores are better, by the name of a measure; higher ones for any other text.

    aspects : whether a lower score on an aspect is better. definition : of a measure that is not known by its
    name, see `rankprism.measures.identity`.

    >>> [direction_of(text) for text in ("Unjudged@10", "Expected(RBP_residual)", "nDCG@10", "seconds")]
    ['lower', 'lower', 'higher', 'higher']
    """
    try:
        return LOWER if parse(measure_inside(name)).is_lower_better(aspects) else HIGHER
    except MeasureError:
        return LOWER if definition.endswith(LOWER_IS_BETTER) else HIGHER


def measure_inside(name: str) -> str:
    """The name of the measure whose scores over tied documents, or whose estimates, have this name.

    >>> measure_inside("Expected(nDCG@10)"), measure_inside("nDCG@10")
    ('nDCG@10', 'nDCG@10')
    """
    found = _DERIVED.fullmatch(name)
    return found[1] if found else name


def measured(measures: Iterable[Measure], aspects: Mapping[str, bool]) -> dict[str, str]:
    """Which scores are better by each measure, if `aspects` says of which aspects a lower score is."""
    return {str(one): LOWER if one.is_lower_better(aspects) else HIGHER for one in measures}


def directed_aspects(aspects: Mapping[str, bool]) -> dict[str, str]:
    """What aspects say about scores on them, as settings in the record of scores.

    >>> directed_aspects({"bias": True})
    {'better when higher': '', 'better when lower': '["bias"]'}
    """
    if not aspects:
        return dict.fromkeys(_ASPECTS, "")
    import json

    named = {key: [name for name, lower in aspects.items() if lower == of] for key, of in _ASPECTS.items()}
    return {key: json.dumps(names, ensure_ascii=False) if names else "" for key, names in named.items()}


def recorded(record: Record | None) -> dict[str, str]:
    """Which scores are better by each measure, according to the record of scores."""
    if record is None:
        return {}
    aspects = {
        name: lower
        for key, lower in _ASPECTS.items()
        for text in record.settings.get(key, "").split(" | ")  # those of several sources
        for name in _named(text)
    }
    return {name: direction_of(name, aspects, text) for name, text in record.measures.items()}


def _named(text: str) -> list[str]:
    import json

    try:
        return list(map(str, json.loads(text)))
    except (ValueError, TypeError):
        return []  # nothing is set


def directions(measures: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Which scores are better by each measure: as is known, or else by its name."""
    return {measure: known.get(measure) or direction_of(measure) for measure in measures}


def marked(name: str, measure: str, lower: Collection[str]) -> str:
    """The printed name of a measure, with a mark if a lower score is better."""
    return name + MARK if measure in lower else name


def lower_names(about: Mapping[str, Any]) -> frozenset[str]:
    """The measures of which a lower score is better, from the conventions of scores or what holds them."""
    said = about.get("scores", about)
    found = said.get("direction", {}) if isinstance(said, Mapping) else {}
    return frozenset(measure for measure, direction in found.items() if direction == LOWER)


def signs(measures: Sequence[str], lower: Collection[str]) -> Floats:
    """(measure,): 1, or -1 if a lower score is better. Scores times these are better if they are higher."""
    return np.array([-1.0 if measure in lower else 1.0 for measure in measures])


def chosen_lower(measures: Sequence[str], wanted: Iterable[str]) -> dict[str, str]:
    """The measures that somebody has named as those of which a lower score is better."""
    from rankprism.measures.display import canonical_name

    by_name = {canonical_name(measure): measure for measure in measures} | {m: m for m in measures}
    found = {}
    for name in wanted:
        measure = by_name.get(name) or by_name.get(canonical_name(name))
        if measure is None:
            raise InputError(
                f"there is no measure {name!r}, of which lower= (--lower) says that a lower score is better; "
                f"there are {listed(measures)}"
            )
        found[measure] = LOWER
    return found
