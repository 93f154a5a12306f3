"""The measures by the kind of judgments that they need, and the data that they are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rankprism.data import Alignment, Hits, Judgments, Longs
from rankprism.data.hits import planned_batches
from rankprism.errors import MeasureError
from rankprism.evaluation.collection import Collection
from rankprism.measures import Measure

if TYPE_CHECKING:
    from rankprism.data import Preferences
    from rankprism.measures.preferences.hits import PreferenceHits, PreferencePool

#: A function that makes the hits of a batch, and the batch's runs and topics.
Batch: TypeAlias = "tuple[Callable[[], Hits | PreferenceHits], slice, Longs]"


class Part(NamedTuple):
    """The measures that need one kind of judgments, and the data that they are computed from."""

    needs: str
    measures: tuple[Measure, ...]
    judged: Judgments  #: for preferences, the documents that they name
    batches: Callable[[Sequence[Alignment]], Iterator[Batch]]
    pool: PreferencePool | None = None  #: the counted preferences
    given: Judgments | Preferences | None = None  #: what was read, before answers became documents


def parts_of(collection: Collection, measures: Sequence[Measure]) -> list[Part]:
    """The measures by the kind of judgments that they need, after a check that these were given."""
    absolute = tuple(measure for measure in measures if measure.needs == "judgments")
    relative = tuple(measure for measure in measures if measure.needs == "preferences")
    if absolute and collection.judged is None:
        raise MeasureError(
            f"{absolute[0]} needs absolute judgments, but only preferences are given; give judgments "
            f"first, and the preferences with preferences= (--preferences FILE)"
        )
    if relative and collection.preferred is None:
        remedy, judged = "add preferences= (--preferences FILE)", collection.judged
        if judged is not None and judged.is_file:
            remedy += (
                f"; if {judged.place} holds preferences in lines that look like qrels, "
                f"name their format with preferences_format= (--preferences-format), e.g. qrels-prefs"
            )
        raise MeasureError(
            f"{relative[0]} needs preferences, but only absolute judgments are given; {remedy}"
        )
    parts = []
    if absolute:
        read = collection.judgments
        parts.append(
            Part("judgments", absolute, read, lambda runs: planned_batches(read.cells, runs), given=read)
        )
    if relative:
        from rankprism.measures.preferences.hits import preference_batches

        preferred, pool = collection.preferences, collection.pool

        def of_preferences(runs: Sequence[Alignment]) -> Iterator[Batch]:
            for hits, which_runs, topics in preference_batches(pool, runs):
                yield partial(_itself, hits), which_runs, topics

        parts.append(Part("preferences", relative, preferred.named, of_preferences, pool, preferred))
    return parts


def _itself(hits: PreferenceHits) -> PreferenceHits:
    """A batch whose hits have been made."""
    return hits


def answers_as_runs(parts: list[Part], collection: Collection) -> tuple[list[Part], Collection]:
    """The same data, in which answers have become rankings of one document each."""
    able = [measure for measure in parts[0].measures if measure.definition.answers]
    if not able:
        return parts, collection
    from rankprism.formats.answers import with_answers

    judged, rankings = with_answers(parts[0].judged, collection.sources, collection.reading.run_format)
    if judged is parts[0].judged:
        return parts, collection
    for measure in (measure for part in parts for measure in part.measures):
        if measure not in able:
            raise MeasureError(
                f"{measure} scores ranked documents, but some of the runs are answers; leave it out, or "
                f"evaluate the answers on their own"
            )
    answered = parts[0]._replace(judged=judged, batches=lambda runs: planned_batches(judged.cells, runs))
    return [answered], replace(collection, sources=rankings, _read={}, _whole={})
