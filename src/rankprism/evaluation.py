"""From judgments and runs to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rankprism.arrays import Floats, Longs
from rankprism.conventions import conventions_of
from rankprism.data.hits import BATCH, Hits, planned_batches
from rankprism.data.judgments import Judgments
from rankprism.data.note import Note, issue, some
from rankprism.data.run import Alignment, Reading, Run
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.formats import files
from rankprism.formats.judgments import JudgmentReading
from rankprism.formats.objects import is_dataset
from rankprism.formats.recognition import are_answers, are_preferences, is_preferences
from rankprism.formats.runs import align_source, check_format, run_from
from rankprism.formats.several_runs import OnError, align_all, run_sources
from rankprism.frames import is_frame
from rankprism.inspection import notes_of
from rankprism.inspection.coverage import OF_JUDGMENTS
from rankprism.inspection.evaluated import Evaluated
from rankprism.measures import Measure
from rankprism.measures.grammar import parse_all
from rankprism.results.scores import Scores, as_listed, mean_over_topics
from rankprism.statistics.threads import for_each_in_order
from rankprism.types import (
    Duplicates,
    Order,
    Positive,
    PreferencesFormat,
    QrelsFormat,
    RunFormat,
    Tied,
    Topics,
)

if TYPE_CHECKING:
    from rankprism.measures.preferences.hits import PreferenceHits, PreferencePool
    from rankprism.types import (
        AspectsLike,
        JudgmentsLike,
        MeasuresLike,
        PreferencesLike,
        RunsLike,
        WeightsLike,
    )


def evaluate(
    judgments: JudgmentsLike | PreferencesLike,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    preferences: PreferencesLike | None = None,
    weights: WeightsLike | None = None,
    aspects: AspectsLike | None = None,
    qrels_format: QrelsFormat | None = None,
    preferences_format: PreferencesFormat | None = None,
    run_format: RunFormat | None = None,
    topics: Topics = "judged",
    order: Order = "score",
    duplicates: Duplicates = "error",
    tied: Tied | None = None,
    bounds: bool = False,
    threads: Positive | None = None,
    on_run: Callable[[str], None] | None = None,
    on_share: Callable[[float], None] | None = None,
    on_error: OnError | None = None,
) -> Scores:
    """Score runs with measures.

    Parameters
    ----------
    judgments
        Whatever `read_judgments` takes: a path, a dict, rows, a data frame. If all measures need
        preferences, it may be preferences instead.
    runs
        Whatever `read_run` takes, or a list of those, or ``{name: run}``, or a folder of runs. A frame or a
        Parquet or CSV file with a column `run` holds all runs that this column names. For NuggetAll,
        NuggetVital and NuggetWeighted also answers with their nuggets, see docs/rag.md.
    measures
        A measure or several, as values or strings such as ``"alpha_nDCG(alpha=0.25)@20"``. A string may name
        several, as in ``"nDCG@10 AP"``. Only answers with nuggets have default measures: NuggetAll,
        NuggetVital and NuggetWeighted.
    preferences
        Whatever `read_preferences` takes, for measures that need preferences, such as nPrf. A topic without
        judgments of the kind that a measure needs has no score by it (NaN), and is left out of its mean.
    weights, aspects
        Settings for judgments with several aspects, see `read_judgments`. With ``aspects="all"``, an aspect
        counts even if no document is relevant to it.
    qrels_format
        Format of the judgments, e.g. "ntcir"; `rankprism convert --help` lists them all. Default: recognised
        by the first lines.
    preferences_format
        Format of the preferences, e.g. "qrels-prefs". Default: recognised by the first line.
    run_format
        Format of the runs, e.g. "trec". Default: recognised by their first lines.
    topics
        Average over all "judged" topics, where a missing one counts as an empty ranking, or over those
        among them that a run has "retrieved".
    order
        How the documents of a topic are ordered: by "score" (descending, ties by document id descending),
        "trec_eval" (the same on 32-bit scores), "score-ascending-id" (ties by document id ascending), "rank"
        (the rank column) or "input" (the order of the lines or rows).
    duplicates
        What to do when a document occurs twice in a topic: "error", or keep the "first", which is the
        better-ranked one.
    tied
        The score of a ranking with tied documents, exactly: the "expected" score over all their orders, the
        "lowest", the "highest", or "all" three as columns. Default: that of one order, in which ids decide.

        Documents are tied if `order` finds no difference: they have the same score (as a 32-bit number for
        "trec_eval") or, for "rank", the same rank. A measure whose scores over all orders cannot be found is
        refused; docs/ties.md says which.
    bounds
        Also compute the lowest and the highest score that are possible if the unjudged documents of the
        ranking are judged.

        They are `Scores.low` and `Scores.high`. Every score lies between them whatever grades these
        documents turn out to have, as far as the grades occur in the judgments or are declared labels. A
        measure for which no bounds are known is refused.
    threads
        Number of threads that read files and compute scores. Default: one for each processor. The scores do
        not depend on it.
    on_run
        Called with the name of each run when it has been read.
    on_share
        Called with the share of the scores that have been computed, while they are.
    on_error
        Called with the name of a run that cannot be read, and the error. The other runs are scored. Default:
        the first error is raised.

    Examples
    --------
    >>> scores = evaluate(
    ...     {"q1": {"jaguar-car": {"d1": 1, "d2": 1}, "jaguar-cat": {"d3": 1}}},
    ...     {"cars": {"q1": {"d1": 2.0, "d2": 1.0}}, "both": {"q1": {"d1": 2.0, "d3": 1.0}}},
    ...     ["alpha_nDCG@2", "StRecall@2"],
    ... )
    >>> print(scores)
    run   alpha_nDCG@2  StRecall@2
    ──────────────────────────────
    cars        0.8066      0.5000
    both        1.0000      1.0000
    """
    one_of("topics", topics, Topics)
    reading = Reading.of(order=order, duplicates=duplicates, run_format=run_format)
    if tied is not None:
        one_of("tied", tied, Tied)
        if bounds:
            raise InputError("bounds and tied cannot be combined; leave one of them out")
        reading = reading._replace(ties=True)
    check_format(run_format)
    sources = run_sources(runs, threads) if measures is None else {}
    if sources and all(are_answers(source, run_format) for source in sources.values()):
        measures = OF_ANSWERS
    chosen = parsed([] if measures is None else measures)
    if bounds:
        for measure in chosen:
            measure.check_bounded()
    sources = sources or run_sources(runs, threads, on_error)
    judging = JudgmentReading(weights, aspects, qrels_format, threads)
    parts = parts_by_kind(chosen, judgments, preferences, preferences_format, judging)
    parts, sources = answers_as_runs(parts, sources, run_format)
    if len(parts) > 1:
        sources = {name: _read_once(source, name, reading) for name, source in sources.items()}
    aligned = [
        align_all(part.judged, sources, reading, threads, None if p else on_run, on_error)
        for p, part in enumerate(parts)
    ]
    if tied is not None and any(run.groups is None for runs in aligned for run in runs.values()):
        raise InputError("tied needs runs; these were joined with the judgments without their ties")
    sources = {name: source for name, source in sources.items() if all(name in runs for runs in aligned)}
    if not sources and on_error is not None:
        raise InputError("none of the runs can be read; see the error of each")
    aligned = [{name: runs[name] for name in sources} for runs in aligned]
    share = _shares(parts, len(sources), on_share)
    blocks = [
        _block(part, list(runs.values()), topics, bounds, tied, threads, share)
        for part, runs in zip(parts, aligned, strict=True)
    ]
    every, (values, low, high, _) = _together(parts, blocks, chosen)
    names = tuple(name for measure in chosen for name in _columns(measure, tied))

    notes: list[Note] = []
    for part, runs_of_part, block in zip(parts, aligned, blocks, strict=True):
        means = partial(_both_means, part, sources, runs_of_part, topics, reading)
        known = {name: _ignoring(run, every) for name, run in runs_of_part.items()}
        about = Evaluated(part.judged, known, part.measures, topics, means, part.needs, order, part.pool)
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
    issue(notes)
    conventions: dict[str, Any] = {"order": order, "topics": topics, "duplicates": duplicates}
    if tied is not None:
        conventions["tied"] = tied
    for part, runs_of_part in zip(parts, aligned, strict=True):
        said_of = conventions_of(part.needs, part.measures, part.judged, runs_of_part, bounds)
        # With both kinds of judgments, the conventions of preferences have their own place.
        conventions |= said_of if part is parts[0] else {"preferences": said_of.pop("preferences") | said_of}
    first_notes = [note for part in parts for note in part.judged.notes]
    conventions["notes"] = [note.record() for note in (*first_notes, *notes)]
    return Scores(tuple(sources), every, names, values, conventions, low, high)


#: The measures of answers with nuggets, if none is named.
OF_ANSWERS = ("NuggetAll", "NuggetVital", "NuggetWeighted")

#: A function that makes the hits of a batch, and the batch's runs and topics.
_Batch: TypeAlias = "tuple[Callable[[], Hits | PreferenceHits], slice, Longs]"


class _Part(NamedTuple):
    """The measures that need one kind of judgments, and the data that they are computed from."""

    needs: str
    measures: tuple[Measure, ...]
    judged: Judgments  #: for preferences, the documents that they name
    batches: Callable[[Sequence[Alignment]], Iterator[_Batch]]
    pool: PreferencePool | None = None  #: the counted preferences


def parts_by_kind(
    measures: Sequence[Measure],
    judgments: Any,
    preferences: Any,
    preferences_format: str | None,
    judging: JudgmentReading,
) -> list[_Part]:
    """The measures by the kind of judgments that they need, after a check that these were given."""
    absolute = tuple(measure for measure in measures if measure.needs == "judgments")
    relative = tuple(measure for measure in measures if measure.needs == "preferences")
    if isinstance(judgments, Iterator) and not is_frame(judgments):
        judgments = list(judgments)
    elif files.is_path(judgments) and not is_dataset(judgments):
        judgments = files.opened(judgments)
    # Rows and files are examined only if a measure needs preferences.
    examined = bool(relative) and preferences is None
    if are_preferences(judgments, preferences_format) if examined else is_preferences(judgments):
        if preferences is not None:
            raise InputError(
                "preferences are given twice; give absolute judgments first, and preferences= (--preferences)"
            )
        if absolute:
            raise MeasureError(
                f"{absolute[0]} needs absolute judgments, but only preferences are given; give judgments "
                f"first, and the preferences with preferences= (--preferences FILE)"
            )
        for name in judging.described:
            raise InputError(
                f"{name} is for absolute judgments, but only preferences are given; leave it out"
            )
        preferences, judgments = judgments, None
    elif relative and preferences is None:
        remedy = "add preferences= (--preferences FILE)"
        if files.is_path(judgments):
            remedy += (
                f"; if {files.source_name(judgments)} holds preferences in lines that look like qrels, "
                f"name their format with preferences_format= (--preferences-format), e.g. qrels-prefs"
            )
        raise MeasureError(
            f"{relative[0]} needs preferences, but only absolute judgments are given; {remedy}"
        )
    parts = []
    if absolute:
        read = judging.of(judgments)
        parts.append(_Part("judgments", absolute, read, lambda runs: planned_batches(read.cells, runs)))
    if relative:
        from rankprism.formats.preferences import read_preferences
        from rankprism.measures.preferences.hits import PreferencePool, preference_batches

        preferred = read_preferences(preferences, format=preferences_format)
        pool = PreferencePool.of(preferred)

        def of_preferences(runs: Sequence[Alignment]) -> Iterator[_Batch]:
            for hits, which_runs, topics in preference_batches(pool, runs):
                yield partial(_itself, hits), which_runs, topics

        parts.append(_Part("preferences", relative, preferred.named, of_preferences, pool))
    return parts


def _itself(hits: PreferenceHits) -> PreferenceHits:
    """A batch whose hits have been made."""
    return hits


def answers_as_runs(
    parts: list[_Part], sources: dict[str, Any], run_format: str | None
) -> tuple[list[_Part], dict[str, Any]]:
    """The same data, in which answers have become rankings of one document each."""
    able = [measure for measure in parts[0].measures if measure.definition.answers]
    if not able:
        return parts, sources
    from rankprism.formats.answers import with_answers

    judged, rankings = with_answers(parts[0].judged, sources, run_format)
    if judged is parts[0].judged:
        return parts, sources
    for measure in (measure for part in parts for measure in part.measures):
        if measure not in able:
            raise MeasureError(
                f"{measure} scores ranked documents, but some of the runs are answers; leave it out, or "
                f"evaluate the answers on their own"
            )
    answered = parts[0]._replace(judged=judged, batches=lambda runs: planned_batches(judged.cells, runs))
    return [answered], rankings


def _read_once(source: Any, name: str, reading: Reading) -> Any:
    """The same run, in a form that can be aligned with two kinds of judgments one after the other."""
    if isinstance(source, Run) or (files.is_path(source) and os.path.isfile(source)):
        return source
    return run_from(source, name, reading.run_format, reading.duplicates)


def _shares(
    parts: Sequence[_Part], runs: int, on_share: Callable[[float], None] | None
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


def _columns(measure: Measure, tied: Tied | None) -> list[str]:
    """The names of a measure's columns."""
    return (
        [f"{word}({measure})" for word in ("Lowest", "Expected", "Highest")]
        if tied == "all"
        else [str(measure)]
    )


class _Block(NamedTuple):
    """Scores (run, topic, measure)."""

    values: Floats
    low: Floats | None = None  #: their lower and upper bounds, if these differ from the scores
    high: Floats | None = None
    one_order: Floats | None = None  #: the scores of one order, if `values` are those over all orders


def _block(
    part: _Part,
    runs: Sequence[Alignment],
    topics: Topics,
    bounds: bool,
    tied: Tied | None,
    threads: int | None,
    on_scores: Callable[[int], None],
) -> _Block:
    """The scores of all runs by the measures of one part."""
    columns = 3 if tied == "all" else 1
    shape = (len(runs), len(part.judged.topics), len(part.measures) * columns)
    values = np.empty(shape)
    # Over all orders of tied documents, a score is exact or refused.
    uncertain = bounds or (tied is None and any(measure.is_uncertain for measure in part.measures))
    low, high = (np.empty(shape), np.empty(shape)) if uncertain else (None, None)
    one_order = None if tied is None else np.empty((*shape[:2], len(part.measures)))

    def score(batch: _Batch) -> None:
        """Compute the scores of a batch."""
        make_hits, which_runs, which_topics = batch
        hits = make_hits()
        block = (which_runs.stop - which_runs.start, len(which_topics))
        for m, measure in enumerate(part.measures):
            score = measure.score(hits)
            if tied is None or one_order is None:
                values[which_runs, which_topics, m] = score.reshape(block)
            else:
                one_order[which_runs, which_topics, m] = score.reshape(block)
                found = _over_orders(part, measure, hits, score, tied, which_topics)
                for c, column in enumerate(found, m * columns):
                    values[which_runs, which_topics, c] = column.reshape(block)
            on_scores(block[0] * block[1])
        if low is not None and high is not None:
            ends = (
                _bounds(part.measures, hits)
                if bounds and isinstance(hits, Hits)
                else [measure.interval(hits) for measure in part.measures]
            )
            for m, (least, most) in enumerate(ends):
                low[which_runs, which_topics, m] = least.reshape(block)
                high[which_runs, which_topics, m] = most.reshape(block)

    # Searches take a long time. In the main thread, Ctrl-C ends them at once.
    several = not uncertain and part.needs == "judgments"
    for _ in for_each_in_order(score, part.batches(runs), threads if several else 1):
        pass
    if topics == "retrieved":
        for array in (values, low, high, one_order):
            for r, run in enumerate(runs):
                if array is not None:
                    array[r, ~run.retrieved] = np.nan
    return _Block(values, low, high, one_order)


def _over_orders(
    part: _Part, measure: Measure, hits: Hits | PreferenceHits, score: Floats, tied: Tied, topics: Longs
) -> list[Floats]:
    """(N,) for each column: the scores over all orders of tied documents.

    score : (N,) the scores in one order.
    """
    if hits.tied is None:  # nothing is tied
        return [score] * (3 if tied == "all" else 1)
    from rankprism.measures.ties.lattice import TooMany
    from rankprism.measures.ties.scores import expected, extremes

    try:
        if tied == "expected":
            return [expected(measure, hits, score)]
        low, high = extremes(measure, hits, score)
        if tied == "all":
            return [low, expected(measure, hits, score), high]
        return [low if tied == "lowest" else high]
    except TooMany as error:
        topic = part.judged.topics[topics[error.row % len(topics)]]
        raise MeasureError(
            f"{measure}: too many orders of tied documents in topic {topic!r}: {error.what}; leave the "
            f"measure or the topic out, give it a smaller cutoff, or break the ties (order=, or other scores)"
        ) from None


def _together(
    parts: Sequence[_Part], blocks: Sequence[_Block], measures: Sequence[Measure]
) -> tuple[tuple[str, ...], _Block]:
    """All topics and scores. A topic without judgments of the kind that a measure needs has no score: NaN."""
    if len(parts) == 1:
        return parts[0].judged.topics, blocks[0]
    every = tuple(sorted({topic for part in parts for topic in part.judged.topics}, key=as_listed))
    number = {topic: t for t, topic in enumerate(every)}
    columns = blocks[0][0].shape[2] // len(parts[0].measures)  # of each measure
    shape = (len(blocks[0][0]), len(every), len(measures) * columns)
    uncertain = any(block.low is not None for block in blocks)
    whole = [np.full(shape, np.nan) for _ in range(3 if uncertain else 1)]
    for part, (values, low, high, _) in zip(parts, blocks, strict=True):
        t = [number[topic] for topic in part.judged.topics]
        at = [measures.index(measure) for measure in part.measures]
        m = [first * columns + c for first in at for c in range(columns)]
        for array, own in zip(whole, (values, low, high), strict=False):
            array[np.ix_(range(len(values)), t, m)] = values if own is None else own
    return every, _Block(*whole)


def _ignoring(run: Alignment, every: Sequence[str]) -> Alignment:
    """The same run. A topic counts as judged if it has judgments of either kind."""
    if not run.unjudged:
        return run
    judged = set(every)
    return replace(run, unjudged=[topic for topic in run.unjudged if topic not in judged])


def _topics_without(part: _Part, every: Sequence[str]) -> list[Note]:
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


def _both_means(
    part: _Part,
    sources: Mapping[str, Any],
    aligned: Mapping[str, Alignment],
    topics: Topics,
    reading: Reading,
    name: str,
) -> tuple[float, float] | None:
    """The mean of a run by the first measure, ordered by scores and by ranks; None if it cannot be known."""
    if reading.order == "input":
        return None
    by_rank = reading.order == "rank"
    again = reading._replace(order="score" if by_rank else "rank")
    other = _aligned_again(part.judged, sources[name], again)
    if other is None:
        return None
    means = _mean(part, aligned[name], topics), _mean(part, other, topics)
    return means[::-1] if by_rank else means


def _aligned_again(judged: Judgments, source: Any, reading: Reading) -> Alignment | None:
    """The run once more, in another order; None if it cannot be read again or lacks ranks."""
    is_path = files.is_path(source)
    if isinstance(source, Alignment) or (is_path and not os.path.isfile(source)):
        return None
    try:
        return align_source(judged, source, *reading)
    except InputError:
        return None


def _mean(part: _Part, run: Alignment, topics: Topics) -> float:
    """The mean score of one run by the first measure."""
    scores = np.empty(len(part.judged.topics))
    for make_hits, _, which_topics in part.batches([run]):
        scores[which_topics] = part.measures[0].score(make_hits())
    return float(scores[run.retrieved].mean() if topics == "retrieved" else scores.mean())


def _bounds(measures: Sequence[Measure], hits: Hits) -> list[tuple[Floats, Floats]]:
    """(N,) twice for each measure. It takes a few rankings at a time, because bounds look at every rank."""
    from rankprism.measures.bounds.completions import Completions

    depth = int(hits.length.max(initial=0))
    step = max(1, BATCH // max(1, depth * hits.grade.shape[1]))
    low, high = np.empty((2, len(measures), len(hits.length)))
    for first in range(0, len(hits.length), step):
        rows = slice(first, first + step)
        completions = Completions.of(hits.rows(rows))
        for m, measure in enumerate(measures):
            low[m, rows], high[m, rows] = measure.bounds(completions)
    return list(zip(low, high, strict=True))


def parsed(measures: MeasuresLike) -> list[Measure]:
    """Measures as values, each once."""
    if not isinstance(measures, Iterable | Measure):
        raise MeasureError(f"{measures!r} is not a measure; pass a name such as 'alpha_nDCG@20', or several")
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    if not given:
        raise MeasureError("no measure given; name at least one, e.g. alpha_nDCG@20")
    return list(dict.fromkeys(measure for one in given for measure in parse_all(one)))
