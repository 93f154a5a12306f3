"""From judgments and runs to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rankprism.data.hits import BATCH, Floats, Hits, batches
from rankprism.data.judgments import Judgments
from rankprism.data.note import issue
from rankprism.data.run import DUPLICATES, ORDERS, Alignment, Run
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.formats import files
from rankprism.formats.judgments import read_judgments
from rankprism.formats.runs import align_source, check_format
from rankprism.inspection import Evaluated, notes_of
from rankprism.measures import Measure, parse
from rankprism.measures.bounds.completions import Completions
from rankprism.results.scores import Scores
from rankprism.types import AspectsLike, JudgmentsLike, MeasuresLike, RunsLike, WeightsLike

TOPICS = ("judged", "retrieved")


def evaluate(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    weights: WeightsLike | None = None,
    aspects: AspectsLike | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    topics: str = "judged",
    order: str = "score",
    duplicates: str = "error",
    bounds: bool = False,
    threads: int | None = None,
    on_run: Callable[[str], None] | None = None,
    on_share: Callable[[float], None] | None = None,
) -> Scores:
    """Score runs with measures.

    judgments : whatever `read_judgments` takes: a path, a dict, rows, a data frame.
    runs : whatever `read_run` takes, or a list of those, or ``{name: run}``.
    measures : a measure or several, as values or strings such as ``"alpha_nDCG(alpha=0.25)@20"``.
    weights, aspects : of judgments with several aspects, see `read_judgments`.
    qrels_format, run_format : how to read files, see `read_judgments` and `read_run`; recognised without it.
    topics : average over all "judged" topics, where a missing one counts as an empty ranking, or
        over those among them that a run has "retrieved".
    order : "score" (descending, ties by document id descending), "trec_eval" (the same on 32-bit
        scores), "score-ascending-id" (ties by document id ascending), "rank" (the rank column) or "input"
        (as it stands).
    duplicates : what to do when a document stands twice in a topic: "error", or keep the "first",
        which is the better-ranked one.
    bounds : also compute `Scores.low` and `Scores.high`. Every score lies between them whatever grades the
        unjudged documents of its ranking turn out to have, as far as these grades occur in the judgments or
        are declared labels. A measure for which no bounds are known is refused.
    threads : how many files to read at once; as many as there are processors without it. The scores
        do not depend on it.
    on_run : called with the name of each run when it has been read.
    on_share : called with the share of the scores that have been computed, while they are.

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
    one_of("topics", topics, TOPICS)
    one_of("order", order, ORDERS)
    one_of("duplicates", duplicates, DUPLICATES)
    chosen = parsed(measures)
    if bounds:
        for measure in chosen:
            measure.check_bounded()
    sources = run_sources(runs)
    check_format(run_format)
    judged = read_judgments(judgments, format=qrels_format, weights=weights, aspects=aspects)
    aligned = _align_all(judged, sources, order, duplicates, run_format, threads, on_run)

    shape = (len(aligned), len(judged.topics), len(chosen))
    values = np.empty(shape)
    uncertain = bounds or any(measure.is_uncertain for measure in chosen)
    low, high = (np.empty(shape), np.empty(shape)) if uncertain else (None, None)
    done = 0
    for hits, which_runs, which_topics in batches(judged.cells, list(aligned.values())):
        block = (which_runs.stop - which_runs.start, len(which_topics))
        for m, measure in enumerate(chosen):
            values[which_runs, which_topics, m] = measure.score(hits).reshape(block)
            if on_share is not None:
                done += block[0] * block[1]
                on_share(done / values.size)
        if low is not None and high is not None:
            ends = _bounds(chosen, hits) if bounds else [measure.interval(hits) for measure in chosen]
            for m, (least, most) in enumerate(ends):
                low[which_runs, which_topics, m] = least.reshape(block)
                high[which_runs, which_topics, m] = most.reshape(block)
    if topics == "retrieved":
        for array in (values, low, high):
            for r, run in enumerate(aligned.values()):
                if array is not None:
                    array[r, ~run.retrieved] = np.nan

    def means(name: str) -> tuple[float, float | None]:
        by_rank = _aligned_by_rank(judged, sources[name], duplicates, run_format)
        mean = partial(_mean, judged, measure=chosen[0], topics=topics)
        return mean(aligned[name]), None if by_rank is None else mean(by_rank)

    notes = notes_of(Evaluated(judged, aligned, chosen, topics, means))
    issue(notes)
    conventions = {
        "order": order,
        "topics": topics,
        "duplicates": duplicates,
        "aspect weights": "uniform" if judged.weights is None else "given",
        **_labelling(judged),
        "bounds": bounds,
        "topics without relevant documents": judged.topics_without_relevant,
        "topics missing from a run": {
            name: int((~run.retrieved).sum()) for name, run in aligned.items() if not run.retrieved.all()
        },
        "topics of a run without judgments": {
            name: len(run.unjudged) for name, run in aligned.items() if run.unjudged
        },
        "notes": [note.record() for note in (*judged.notes, *notes)],
    }
    return Scores(tuple(aligned), judged.topics, tuple(map(str, chosen)), values, conventions, low, high)


def _aligned_by_rank(judged: Judgments, source: Any, duplicates: str, format: str | None) -> Alignment | None:
    """The run once more, ordered by its ranks; None if it cannot be read again or lacks ranks."""
    is_path = isinstance(source, str | os.PathLike)
    if isinstance(source, Alignment) or (is_path and not os.path.isfile(source)):
        return None
    try:
        return align_source(judged, source, "rank", duplicates, format)
    except InputError:
        return None


def _mean(judged: Judgments, run: Alignment, measure: Measure, topics: str) -> float:
    """The mean score of one run."""
    scores = np.empty(len(judged.topics))
    for hits, _, which_topics in batches(judged.cells, [run]):
        scores[which_topics] = measure.score(hits)
    return float(scores[run.retrieved].mean() if topics == "retrieved" else scores.mean())


def _labelling(judged: Judgments) -> dict[str, Any]:
    """How the labels of several aspects were read."""
    if judged.scales is None:
        return {}
    return {
        "scales": {
            scale.aspect: dict(zip(scale.names, map(str, scale.place), strict=True))
            for scale in judged.scales
        },
        "labels set to the lowest": {aspect: dict(reasons) for aspect, reasons in judged.lowered.items()},
    }


def _bounds(measures: Sequence[Measure], hits: Hits) -> list[tuple[Floats, Floats]]:
    """(N,) twice for each measure, a few rankings at a time: unlike scores, bounds look at every rank."""
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
        raise MeasureError(f"{measures!r} is no measure; pass a name such as 'alpha_nDCG@20', or several")
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    if not given:
        raise MeasureError("no measure given; name at least one, e.g. alpha_nDCG@20")
    return list(dict.fromkeys(map(parse, given)))


def run_sources(runs: RunsLike) -> dict[str, Any]:
    """Where each run comes from, by name."""
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {str(name): source for name, source in runs.items()}
    several: list[Any] = [runs]
    if isinstance(runs, list | tuple) and runs and _is_run(runs[0]):
        several = list(runs)
    sources: dict[str, Any] = {}
    for number, source in enumerate(several, 1):
        name = _name(source, number)
        if name in sources:
            both = " and ".join(
                os.fspath(s) if isinstance(s, str | os.PathLike) else repr(s) for s in (sources[name], source)
            )
            raise InputError(f"two runs are named {name!r}: {both}; rename one, or pass {{name: run}}")
        sources[name] = source
    return sources


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """``{topic: {doc: score}}`` rather than ``{name: run}``."""
    return all(
        isinstance(ranking, Mapping) and not any(isinstance(score, Mapping) for score in ranking.values())
        for ranking in runs.values()
    )


def _is_run(source: Any) -> bool:
    """A run of its own rather than one of its rows."""
    from rankprism.data.frames import is_frame

    return isinstance(source, str | os.PathLike | Run | Mapping | list) or is_frame(source)


def _name(source: Any, number: int) -> str:
    if isinstance(source, Run):
        return source.name
    if isinstance(source, str | os.PathLike):
        return files.run_name(source)
    return "run" if number == 1 else f"run{number}"


def _align_all(
    judgments: Judgments,
    sources: Mapping[str, Any],
    order: str,
    duplicates: str,
    format: str | None,
    threads: int | None,
    on_run: Callable[[str], None] | None,
) -> dict[str, Alignment]:
    """Read, order and join every run, several at a time."""

    def one(name: str) -> Alignment:
        alignment = align_source(judgments, sources[name], order, duplicates, format)
        if on_run is not None:
            on_run(name)
        return alignment

    workers = min(len(sources), threads or os.cpu_count() or 1)
    if workers <= 1:
        aligned = [one(name) for name in sources]
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers) as pool:
            aligned = list(pool.map(one, sources))
    return dict(zip(sources, aligned, strict=True))
