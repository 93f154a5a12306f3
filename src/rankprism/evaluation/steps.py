"""The two steps of `evaluate`: joining runs with judgments, and scoring them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rankprism.data import Alignment, Judgments, Note, Reading, issue, some
from rankprism.errors import InputError, MeasureError
from rankprism.evaluation.blocks import Block, block_of, columns_of, mean_of_run, together
from rankprism.evaluation.collection import Collection
from rankprism.evaluation.conventions import conventions_of
from rankprism.evaluation.evaluation import OF_ANSWERS
from rankprism.evaluation.inspection import notes_of
from rankprism.evaluation.inspection.coverage import OF_JUDGMENTS
from rankprism.evaluation.inspection.depth import depths_of
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.evaluation.parts import Part, answers_as_runs, parts_of
from rankprism.formats.runs import align_source
from rankprism.formats.source import Source
from rankprism.measures import Measure
from rankprism.measures.grammar import parse_all
from rankprism.results import DEFAULTS, DEPTH, Record, Scores, measured
from rankprism.results.direction import directed_aspects
from rankprism.results.scores import mean_over_topics
from rankprism.types import Order, Tied, Topics

if TYPE_CHECKING:
    from rankprism.data import Preferences
    from rankprism.types import MeasuresLike


class Joined(NamedTuple):
    """Runs joined with the judgments that the measures need."""

    collection: Collection
    measures: list[Measure]
    parts: list[Part]
    aligned: list[dict[str, Alignment]]  #: for each part, the runs by name
    reading: Reading


def joined(
    collection: Collection,
    measures: MeasuresLike | None,
    reading: Reading,
    bounds: bool = False,
    on_run: Callable[[str], None] | None = None,
) -> Joined:
    """Read judgments and runs, and join them, after a check of the measures.

    reading : how the runs are read, and whether ties are looked for
    """
    sources, on_error = collection.sources, collection.on_error
    if measures is None and sources and all(run.are_answers(reading.run_format) for run in sources.values()):
        measures = OF_ANSWERS
    chosen = parsed([] if measures is None else measures)
    if bounds:
        for measure in chosen:
            measure.check_bounded()
    parts, collection = answers_as_runs(parts_of(collection, chosen), collection)
    if len(parts) > 1:
        collection = replace(collection, is_kept=True)
    aligned = [collection.joined(part.judged, reading, None if p else on_run) for p, part in enumerate(parts)]
    if reading.ties and any(run.groups is None for runs in aligned for run in runs.values()):
        raise InputError("tied needs runs; these were joined with the judgments without their ties")
    names = [name for name in collection.sources if all(name in runs for runs in aligned)]
    if not names and on_error is not None:
        raise InputError("none of the runs can be read; see the error of each")
    return Joined(
        collection, chosen, parts, [{name: runs[name] for name in names} for runs in aligned], reading
    )


def scored(
    data: Joined,
    tied: Tied | None = None,
    bounds: bool = False,
    on_share: Callable[[float], None] | None = None,
    own_notes: Callable[[str, list[Note]], object] | None = None,
) -> Scores:
    """The scores of all runs, with notes on what looks wrong.

    own_notes : called with the name of each run, and the notes that there would be if it were the only one.
    The notes are then not issued.
    """
    collection, chosen, parts, aligned, reading = data
    names, topics, threads = tuple(aligned[0]), collection.options.topics, collection.options.threads
    share = _shares(parts, len(names), on_share)
    blocks = [
        block_of(part, list(runs.values()), topics, bounds, tied, threads, share)
        for part, runs in zip(parts, aligned, strict=True)
    ]
    every, (values, low, high, _) = together(parts, blocks, chosen)
    columns = tuple(name for measure in chosen for name in columns_of(measure, tied))

    first_notes = [note for part in parts for note in part.judged.notes]
    noted = partial(_notes, data, blocks, every, tied)
    notes = noted(names)
    if own_notes is not None:
        for name in names:
            own_notes(name, [*first_notes, *noted([name])])
    else:
        issue(notes)
    conventions: dict[str, Any] = {**reading.settings, "topics": topics}
    if tied is not None:
        conventions["tied"] = tied
    for part, runs_of_part in zip(parts, aligned, strict=True):
        said_of = conventions_of(part.needs, part.measures, part.judged, runs_of_part, bounds)
        # With both kinds of judgments, the conventions of preferences have their own place.
        conventions |= said_of if part is parts[0] else {"preferences": said_of.pop("preferences") | said_of}
    conventions["direction"] = _directions(data, tied)
    conventions["notes"] = [note.record() for note in (*first_notes, *notes)]
    given = [part.given for part in parts if part.given is not None]
    record = record_of(given, chosen, reading, topics, tied, bounds, depths_of(aligned[0]))
    if any(note.kind == "unequal-depths" for note in notes):
        record, conventions["mixed"] = record.mixing(DEPTH), [DEPTH]
    return Scores(names, every, columns, values, conventions, low, high, record)


def _notes(
    data: Joined,
    blocks: Sequence[Block],
    every: Sequence[str],
    tied: Tied | None,
    names: Iterable[str],
) -> list[Note]:
    """The notes on some of the runs, all of which have been scored."""
    notes: list[Note] = []
    collection, reading, topics = data.collection, data.reading, data.collection.options.topics
    for part, runs_of_part, block in zip(data.parts, data.aligned, blocks, strict=True):
        means = partial(_means_by_order, part, collection, runs_of_part, reading)
        known = {name: _ignoring(runs_of_part[name], every) for name in names}
        columns = partial(_columns, collection)
        about = Evaluated(
            part.judged, known, part.measures, topics, means, columns, part.needs, reading.order, part.pool
        )
        if tied is not None:
            about = about._replace(tied=tied)
        if any(run.groups is not None and run.groups.tied.any() for run in known.values()):
            assert block.one_order is not None  # because ties were asked for
            sums = (mean_over_topics(block.one_order), mean_over_topics(block.values))
            about = about._replace(one_order=sums[0], over_orders=sums[1])
        found = notes_of(about)
        # Notes about a run's own lines are given once.
        said = {note.kind for note in notes}
        notes += [n for n in found if n not in notes and (n.kind not in said or n.kind in OF_JUDGMENTS)]
        notes += _topics_without(part, every)
    return notes


def record_of(
    given: Sequence[Judgments | Preferences],
    measures: Iterable[Measure],
    reading: Reading,
    topics: Topics,
    tied: Tied | None = None,
    bounds: bool = False,
    depths: Mapping[str, float] = MappingProxyType({}),
) -> Record:
    """What scores are computed from. Settings are recorded if they differ from the defaults."""
    settings: dict[str, str] = {name: str(value) for name, value in reading.settings.items()}
    settings |= {"topics": topics, "tied": tied or "", "bounds": "yes" if bounds else ""}
    if reading.order == "trec_eval":  # another name of the default
        settings["order"] = DEFAULTS["order"]
    for source in given:
        if isinstance(source, Judgments):
            settings |= _settings_of(source)
    columns = {name: measure for measure in measures for name in columns_of(measure, tied)}
    changed = {name: value for name, value in settings.items() if value not in ("", DEFAULTS.get(name))}
    return Record.of(given, columns, changed, depths)


def _settings_of(judged: Judgments) -> dict[str, str]:
    """How judgments with several aspects are read."""
    scales = [] if judged.scales is None else judged.scales
    return {
        "weights": "" if judged.weights is None else "given",
        "aspects": "" if judged.counted is None else "all",
        "labels": "; ".join(
            f"{scale.aspect}: " + ", ".join(map("{}={}".format, scale.names, scale.place)) for scale in scales
        ),
        **directed_aspects(judged.lower_is_better),
    }


def _directions(data: Joined, tied: Tied | None) -> dict[str, str]:
    """For each column, whether a higher or a lower score is better, which an aspect may decide."""
    aspects = {name: down for part in data.parts for name, down in part.judged.lower_is_better.items()}
    found = measured(data.measures, aspects)
    return {column: found[str(one)] for one in data.measures for column in columns_of(one, tied)}


def _shares(
    parts: Sequence[Part], runs: int, on_share: Callable[[float], None] | None
) -> Callable[[int], None]:
    """A function to call with the number of scores that have just been computed."""
    total = sum(len(part.measures) * len(part.judged.topics) for part in parts) * runs
    done = 0
    lock = Lock()

    def share(more: int) -> None:
        nonlocal done
        with lock:  # several threads compute scores
            done += more
            if on_share is not None:
                on_share(done / total)

    return share


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


def _means_by_order(
    part: Part, collection: Collection, aligned: Mapping[str, Alignment], reading: Reading, name: str
) -> dict[Order, float]:
    """The mean of a run by the first measure in the orders of other programs, those that are known."""
    if reading.order == "input":
        return {}
    own = reading.order if reading.order in ("rank", "score-ascending-id") else "score"
    found: dict[Order, float] = {}
    for order in ("score", "score-ascending-id", "rank"):
        again = reading._replace(order=order)
        run = aligned[name] if order == own else _aligned_again(part.judged, collection.source(name), again)
        if run is not None:
            found[order] = mean_of_run(part, run, collection.options.topics)
    return found


def _aligned_again(judged: Judgments, source: Source, reading: Reading) -> Alignment | None:
    """The run once more, in another order; None if it cannot be read again or lacks ranks."""
    if isinstance(source.thing, Alignment) or source.waits:
        return None
    try:
        return align_source(judged, source, reading)
    except InputError:
        return None


def _columns(collection: Collection, name: str) -> tuple[Sequence[str], Sequence[str]] | None:
    """The topic and the document of every line of a run; None if it cannot be read again."""
    source = collection.source(name)
    if isinstance(source.thing, Alignment) or source.waits:
        return None
    try:
        return collection.run(name).table.columns()[:2]
    except InputError:  # rows that can be read only once
        return None


def parsed(measures: MeasuresLike) -> list[Measure]:
    """Measures as values, each once."""
    if not isinstance(measures, Iterable | Measure):
        raise MeasureError(f"{measures!r} is not a measure; pass a name such as 'alpha_nDCG@20', or several")
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    if not given:
        raise MeasureError("no measure given; name at least one, e.g. alpha_nDCG@20")
    return list(dict.fromkeys(measure for one in given for measure in parse_all(one)))
