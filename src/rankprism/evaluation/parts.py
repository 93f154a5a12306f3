"""The measures by the kind of judgments that they need, these judgments, and the runs joined with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rankprism.data import Alignment, Hits, Judgments, Longs
from rankprism.data.hits import planned_batches
from rankprism.errors import InputError, MeasureError
from rankprism.evaluation.collection import Collection
from rankprism.measures import Measure, parse_all
from rankprism.results import as_listed

if TYPE_CHECKING:
    from rankprism.data import Preferences
    from rankprism.measures import PreferenceHits, PreferencePool
    from rankprism.types import MeasuresLike

#: The measures of answers with nuggets, if none is named.
OF_ANSWERS = ("NuggetAll", "NuggetVital", "NuggetWeighted")
#: A function that makes the hits of a batch, and the batch's runs and topics.
Batch: TypeAlias = "tuple[Callable[[], Hits | PreferenceHits], slice, Longs]"


class Part(NamedTuple):
    """The measures that need one kind of judgments, and the data that they are computed from."""

    needs: str
    measures: tuple[Measure, ...]
    collection: Collection  #: in which answers have become rankings of one document
    judged: Judgments  #: for preferences, the documents that they name
    given: Judgments | Preferences  #: what was read, before answers became documents
    runs: Mapping[str, Alignment] = MappingProxyType({})  #: the runs joined with the judgments, by name

    @property
    def pool(self) -> PreferencePool | None:
        """The preferences, counted."""
        return self.collection.pool if self.needs == "preferences" else None

    def batches(self, runs: Sequence[Alignment]) -> Iterator[Batch]:
        """All rankings of some runs, reduced to what the measures see."""
        if self.needs == "judgments":
            yield from planned_batches(self.judged.cells, runs)
            return
        from rankprism.measures import preference_batches

        for hits, which_runs, topics in preference_batches(self.collection.pool, runs):
            yield partial(_itself, hits), which_runs, topics


def named(measures: MeasuresLike | None, collection: Collection, bounds: bool = False) -> list[Measure]:
    """The measures as values. Answers with nuggets have measures of their own, if none is named.

    bounds : whether all of them must have bounds.
    """
    sources, format = collection.sources.values(), collection.reading.run_format
    if measures is None and sources and all(run.are_answers(format) for run in sources):
        measures = OF_ANSWERS
    chosen = parse_all([] if measures is None else measures)
    for measure in chosen if bounds else ():
        measure.check_bounded()
    return chosen


def parts_of(collection: Collection, measures: Sequence[Measure]) -> list[Part]:
    """The measures by the kind of judgments that they need, after a check that these were given."""
    absolute, relative = by_needs(collection, measures)
    parts = []
    if absolute:
        read = collection.judgments
        parts.append(Part("judgments", absolute, collection, read, read))
    if relative:
        preferred = collection.preferences
        parts.append(Part("preferences", relative, collection, preferred.named, preferred))
    return _without_answers(parts)


def by_needs(
    collection: Collection, measures: Sequence[Measure]
) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """The measures that need absolute judgments, and those that need preferences. Both must be there."""
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
    return absolute, relative


def joined(
    collection: Collection, measures: Sequence[Measure], on_run: Callable[[str], None] | None = None
) -> list[Part]:
    """Read judgments and runs, and join them. Runs that cannot be read may be left out."""
    parts = parts_of(collection, measures)
    if len(parts) > 1:  # runs are read twice
        parts = [part._replace(collection=replace(part.collection, is_kept=True)) for part in parts]
    found = [part.collection.joined(part.judged, on_run if part is parts[0] else None) for part in parts]
    if collection.reading.ties and any(run.groups is None for runs in found for run in runs.values()):
        raise InputError("tied needs runs; these were joined with the judgments without their ties")
    names = [name for name in parts[0].collection.sources if all(name in runs for runs in found)]
    if not names and collection.on_error is not None:
        raise InputError("none of the runs can be read; see the error of each")
    return [
        part._replace(runs={name: runs[name] for name in names})
        for part, runs in zip(parts, found, strict=True)
    ]


def all_topics(parts: Sequence[Part]) -> tuple[str, ...]:
    """The topics that have judgments of some kind."""
    if len(parts) == 1:
        return parts[0].judged.topics
    return tuple(sorted({topic for part in parts for topic in part.judged.topics}, key=as_listed))


def _itself(hits: PreferenceHits) -> PreferenceHits:
    """A batch whose hits have been made."""
    return hits


def _without_answers(parts: list[Part]) -> list[Part]:
    """The same data, in which answers have become rankings of one document each."""
    first, collection = parts[0], parts[0].collection
    able = [measure for measure in first.measures if measure.definition.answers]
    if not able:
        return parts
    from rankprism.formats.answers import with_answers

    judged, rankings = with_answers(first.judged, collection.sources, collection.reading.run_format)
    if judged is first.judged:
        return parts
    for measure in (measure for part in parts for measure in part.measures):
        if measure not in able:
            raise MeasureError(
                f"{measure} scores ranked documents, but some of the runs are answers; leave it out, or "
                f"evaluate the answers on their own"
            )
    answered = replace(collection, sources=rankings, _read={}, _whole={})
    return [first._replace(collection=answered, judged=judged)]
