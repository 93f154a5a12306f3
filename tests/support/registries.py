"""What is known by a name. What a test adds to it is forgotten afterwards: no other test may depend on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankprism.formats.known import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS, SCORE_FORMATS
from rankprism.measures import registry
from rankprism.measures.distances import DISTANCES
from rankprism.meta.axioms.constraint import _CONSTRAINTS
from rankprism.showing.plots import CHARTS
from rankprism.statistics.paired import TESTS

registry.names()  # loads every measure of the catalogue: a module registers its own only once
REGISTRIES: tuple[dict[Any, Any], ...] = (
    *(registry._DEFINITIONS, registry._ALIASES, registry._FORMS),
    *(JUDGMENT_FORMATS, RUN_FORMATS, PREFERENCE_FORMATS, SCORE_FORMATS),
    *(_CONSTRAINTS, DISTANCES, CHARTS, TESTS),
)


@contextmanager
def as_before() -> Iterator[None]:
    before = [dict(known) for known in REGISTRIES]
    try:
        yield
    finally:
        for known, kept in zip(REGISTRIES, before, strict=True):
            if known != kept:
                known.clear()
                known.update(kept)
