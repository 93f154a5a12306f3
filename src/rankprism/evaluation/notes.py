"""The notes on the runs, judgments and measures of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from rankprism.data import Alignment, Note, some
from rankprism.errors import InputError
from rankprism.evaluation.blocks import Block, mean_of_run
from rankprism.evaluation.inspection import Evaluated, notes_of
from rankprism.evaluation.inspection.coverage import OF_JUDGMENTS
from rankprism.evaluation.parts import Part, all_topics
from rankprism.formats.runs import align_source
from rankprism.results import mean_over_topics
from rankprism.types import Order, Tied


def notes_on(
    parts: Sequence[Part],
    blocks: Sequence[Block],
    tied: Tied | None = None,
    names: Iterable[str] | None = None,
) -> list[Note]:
    """Everything to know about some of the runs, or about all of them. All have been scored."""
    every, notes = all_topics(parts), list[Note]()
    for part, block in zip(parts, blocks, strict=True):
        known = {name: _ignoring(part.runs[name], every) for name in (part.runs if names is None else names)}
        about = Evaluated(
            part.judged,
            known,
            part.measures,
            part.collection.options.topics,
            partial(_means_by_order, part),
            partial(_columns, part),
            part.needs,
            part.collection.reading.order,
            part.pool,
            tied,
        )
        if any(run.groups is not None and run.groups.tied.any() for run in known.values()):
            assert block.one_order is not None  # because ties were asked for
            sums = (mean_over_topics(block.one_order), mean_over_topics(block.values))
            about = about._replace(one_order=sums[0], over_orders=sums[1])
        # Notes about a run's own lines are given once.
        said = {note.kind for note in notes}
        found = [note for note in notes_of(about) if note not in notes]
        notes += [note for note in found if note.kind not in said or note.kind in OF_JUDGMENTS]
        notes += _topics_without(part, every)
    return notes


def _ignoring(run: Alignment, every: Sequence[str]) -> Alignment:
    """The same run. A topic counts as judged if it has judgments of either kind."""
    if not run.unjudged:
        return run
    judged = set(every)
    return replace(run, unjudged=[topic for topic in run.unjudged if topic not in judged])


def _topics_without(part: Part, every: Sequence[str]) -> list[Note]:
    """A note on topics that have no judgments of the kind that some measures need."""
    if len(every) == len(part.judged.topics):
        return []
    own = set(part.judged.topics)
    without = [topic for topic in every if topic not in own]
    what = "preferences" if part.needs == "preferences" else "absolute judgments"
    names = some([str(measure) for measure in part.measures])
    return [
        Note(
            f"no-{part.needs}",
            f"{len(without)} of {len(every)} topics have no {what} and are left out of the mean of {names}: "
            f"{some(without)}",
            len(without),
            without[0],
        )
    ]


def _means_by_order(part: Part, name: str) -> dict[Order, float]:
    """The mean of a run by the first measure in the orders of other programs, those that are known."""
    order: Order = part.collection.reading.order
    if order == "input":
        return {}
    own = order if order in ("rank", "score-ascending-id") else "score"
    found: dict[Order, float] = {}
    for order in ("score", "score-ascending-id", "rank"):
        run = part.runs[name] if order == own else _aligned_again(part, name, order)
        if run is not None:
            found[order] = mean_of_run(part, run)
    return found


def _aligned_again(part: Part, name: str, order: Order) -> Alignment | None:
    """The run once more, in another order; None if it cannot be read again or lacks ranks."""
    source = part.collection.source(name)
    if isinstance(source.thing, Alignment) or source.waits:
        return None
    try:
        return align_source(part.judged, source, part.collection.reading._replace(order=order))
    except InputError:
        return None


def _columns(part: Part, name: str) -> tuple[Sequence[str], Sequence[str]] | None:
    """The topic and the document of every line of a run; None if it cannot be read again."""
    source = part.collection.source(name)
    if isinstance(source.thing, Alignment) or source.waits:
        return None
    try:
        return part.collection.run(name).table.columns()[:2]
    except InputError:  # rows that can be read only once
        return None
