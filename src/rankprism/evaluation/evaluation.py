"""From judgments and runs to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from rankprism.conventions import conventions_of
from rankprism.data.judgments import Judgments
from rankprism.data.note import Note, issue, some
from rankprism.data.run import Alignment, Reading, Run
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.evaluation.blocks import block_of, columns_of, mean_of_run, together
from rankprism.evaluation.parts import Part, answers_as_runs, parts_by_kind
from rankprism.formats import files
from rankprism.formats.judgments import JudgmentReading
from rankprism.formats.recognition import are_answers
from rankprism.formats.runs import align_source, check_format, run_from
from rankprism.formats.several_runs import OnError, align_all, run_sources
from rankprism.inspection import notes_of
from rankprism.inspection.coverage import OF_JUDGMENTS
from rankprism.inspection.evaluated import Evaluated
from rankprism.measures import Measure
from rankprism.measures.grammar import parse_all
from rankprism.results.scores import Scores, mean_over_topics
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
        "lowest", the "highest", or "all" three as columns. Default: the score of the order by ids.

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
        block_of(part, list(runs.values()), topics, bounds, tied, threads, share)
        for part, runs in zip(parts, aligned, strict=True)
    ]
    every, (values, low, high, _) = together(parts, blocks, chosen)
    names = tuple(name for measure in chosen for name in columns_of(measure, tied))

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


def _read_once(source: Any, name: str, reading: Reading) -> Any:
    """The same run, in a form that can be aligned with two kinds of judgments one after the other."""
    if isinstance(source, Run) or (files.is_path(source) and os.path.isfile(source)):
        return source
    return run_from(source, name, reading.run_format, reading.duplicates)


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


def _both_means(
    part: Part,
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
    means = mean_of_run(part, aligned[name], topics), mean_of_run(part, other, topics)
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


def parsed(measures: MeasuresLike) -> list[Measure]:
    """Measures as values, each once."""
    if not isinstance(measures, Iterable | Measure):
        raise MeasureError(f"{measures!r} is not a measure; pass a name such as 'alpha_nDCG@20', or several")
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    if not given:
        raise MeasureError("no measure given; name at least one, e.g. alpha_nDCG@20")
    return list(dict.fromkeys(measure for one in given for measure in parse_all(one)))
