"""`evaluate`: from judgments and runs to scores.

numpy is loaded when `evaluate` is called, while other threads read the files.

The core reads files. Everything else is numpy on batches of about half a million grades, which are large
enough that the cost of the interpreter does not matter and small enough for the cache. Each thread works
on a batch of its own. Measures that search for exact ideals or covers are computed in the main thread,
where Ctrl-C ends a search at once. Measures that differ only in α share the count of documents that were
seen before. The number of documents seen so far is small, so powers of 1−α come from a table. `import
rankprism` loads only its errors. The core is loaded on first use, numpy when `evaluate` is called, and
data frame libraries, Click, Rich and Altair when they are needed.

A small evaluation spends nearly all its time on importing numpy, Click and this package. Out of the 160
ms of thirty runs of 50 topics × 1,000 documents (M in `bench/`), the interpreter takes 10 ms, modules of
Python 10, numpy 46, our modules 33, scoring five measures 33 and the end of the process 19. Reading takes
80 ms of another processor at the same time. Out of the 580 ms of 100,000 topics × 20 documents (Q),
reading takes 185 ms after everything is loaded, and scoring 220. A quarter of scoring is the search for
greedy ideals, and nearly another quarter gathers the grades of topics of the same shape, which are
scattered over memory.

Several things keep the time of a small evaluation short. A module with measures is loaded when a name is
looked for: `lookup` goes through the modules of `measures/known/`, the most usual ones first, until it
has found the name, so `-m alpha_nDCG@20` does not load the measures of preferences. Defining a measure of
your own loads all of them first, because it must not take the name of another. The code for other formats
than TREC's, and for preferences, aspects, weights and answers, is loaded when it is needed. A frozen
dataclass takes up to half a millisecond to make, so the small records of the modules that everybody loads
are named tuples. Idle threads of OpenBLAS, which numpy loads, are told to sleep soon instead of waiting
busily. The command tells Python to collect garbage rarely, and not among modules. It also tells OpenBLAS
not to start threads that it would not use. Tests check what `rankprism evaluate` and `rankprism.evaluate`
must not load.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from rankprism.data import issue
from rankprism.errors import InputError, one_of
from rankprism.evaluation.collection import Collection, collected
from rankprism.types import CollectionOptions, Tied

if TYPE_CHECKING:
    from rankprism.data import Note
    from rankprism.formats import OnError
    from rankprism.results import Scores
    from rankprism.types import JudgmentsLike, MeasuresLike, PreferencesLike, RunsLike


def evaluate(
    judgments: JudgmentsLike | PreferencesLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    tied: Tied | None = None,
    bounds: bool = False,
    on_run: Callable[[str], None] | None = None,
    on_share: Callable[[float], None] | None = None,
    on_error: OnError | None = None,
    **options: Unpack[CollectionOptions],
) -> Scores:
    """Score runs with measures.

    Parameters
    ----------
    judgments
        Whatever `read_judgments` takes: a path, a dict, rows, a data frame. If all measures need
        preferences, it may be preferences instead. Or a `Collection`, which has the runs and all options of
        reading inside.
    runs
        Whatever `read_run` takes, or a list of those, or ``{name: run}``, or a folder of runs. A frame or a
        Parquet or CSV file with a column `run` holds all runs that this column names. For NuggetAll,
        NuggetVital and NuggetWeighted also answers with their nuggets, see docs/rag.md.
    measures
        A measure or several, as values or strings such as ``"alpha_nDCG(alpha=0.25)@20"``. A string may name
        several, as in ``"nDCG@10 AP"``. Only answers with nuggets have default measures: NuggetAll,
        NuggetVital and NuggetWeighted.
    tied
        The score of a ranking with tied documents, exactly: the "expected" score over all their orders, the
        "lowest", the "highest", or "all" three as columns. Default: the score of the order by ids.

        Documents are tied if `order` finds no difference: they have the same score (as a 32-bit number for
        "trec_eval-9") or, for "rank", the same rank. A measure whose scores over all orders cannot be found
        is refused; docs/ties.md says which.
    bounds
        Also compute the lowest and the highest score that are possible if the unjudged documents of the
        ranking are judged.

        They are `Scores.low` and `Scores.high`. Every score lies between them whatever grades these
        documents turn out to have, as far as the grades occur in the judgments or are declared labels. A
        measure for which no bounds are known is refused.
    on_run
        Called with the name of each run when it has been read.
    on_share
        Called with the share of the scores that have been computed, while they are.
    on_error
        Called with the name of a run that cannot be read, and the error. The other runs are scored. Default:
        the first error is raised.
    **options
        How judgments and runs are read: preferences, weights, aspects, qrels_format, preferences_format,
        run_format, topics, order, duplicates, run_depth, columns and threads. `rankprism.Collection.of`
        explains them. A `Collection` has them inside.

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
    collection = collected(judgments, runs, on_error=on_error, **options)
    if not isinstance(judgments, Collection):
        collection = replace(collection, is_kept=False)  # nobody can ask for its runs again
    scores, notes = computed(collection, measures, tied, bounds, on_run, on_share)
    issue(notes)
    return scores


def computed(
    collection: Collection,
    measures: MeasuresLike | None,
    tied: Tied | None = None,
    bounds: bool = False,
    on_run: Callable[[str], None] | None = None,
    on_share: Callable[[float], None] | None = None,
) -> tuple[Scores, list[Note]]:
    """The scores of a collection, and the notes on them, which `evaluate` issues."""
    if tied is not None:
        one_of("tied", tied, Tied)
        if bounds:
            raise InputError("bounds and tied cannot be combined; leave one of them out")
        collection = replace(collection, reading=collection.reading._replace(ties=True))
    with collection.read_ahead():
        from rankprism.evaluation.parts import joined, named  # loads numpy

        chosen = named(measures, collection, bounds)
        parts = joined(collection, chosen, on_run)
    from rankprism.evaluation.blocks import blocks_of
    from rankprism.evaluation.conventions import scores_of
    from rankprism.evaluation.notes import notes_on

    blocks = blocks_of(parts, tied, bounds, on_share)
    notes = notes_on(parts, blocks, tied)
    return scores_of(parts, blocks, chosen, notes, tied, bounds), notes
