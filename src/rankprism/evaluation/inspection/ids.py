"""Notes about ids of runs and of judgments that do not meet, although they should."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankprism.data import Alignment, Longs, Note, some
from rankprism.data.ids import alike, differing
from rankprism.evaluation.inspection.coverage import (
    ENOUGH,
    is_unmatched,
    lists_what_is_not_relevant,
    matched_documents,
)
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.text import quoted

#: Ids of documents are compared on this number of topics, for this number of runs.
_TOPICS, _RUNS = 20, 20
#: A run or judgments with more lines are not read again: where half of the topics do not meet, and elsewhere.
_MOST, _FEW = 2_000_000, 5_000
#: Half of fewer topics may well be missing.
_SEVERAL = 4
#: Among this share of ids that do not meet, single documents may well have two spellings.
_HARDLY_ANY = 0.1


def unmatched_ids(evaluated: Evaluated) -> Note | None:
    """Ids of a run and of the judgments differ in spelling only, or half of the topics do not meet."""
    found = {}
    left = _RUNS
    for name, run in evaluated.runs.items():
        said = _of_topics(evaluated, name, run)
        if said is None and left and _is_suspicious(evaluated, run):
            left -= 1
            said = _of_documents(evaluated, name, run)
        if said is not None:
            found[name] = said
    if not found:
        return None
    others = f" ({len(found)} of {len(evaluated.runs)} runs are like that)" if len(found) > 1 else ""
    return Note(
        "unmatched-ids", f"{next(iter(found.values()))}{others}", len(found), next(iter(found)), tuple(found)
    )


def _of_topics(evaluated: Evaluated, name: str, run: Alignment) -> str | None:
    every, source = evaluated.judgments.topics, evaluated.judgments.source
    if not run.unjudged:
        return None
    missing = [every[t] for t in np.flatnonzero(~run.retrieved)]
    pairs = alike(run.unjudged, missing)
    if pairs:
        return (
            f"{_counted(len(pairs), 'topic')} of {quoted(name)} and {source} differ only "
            f"{differing(pairs[0])}"
        )
    if evaluated.topics == "judged" and 2 * len(missing) >= len(every) >= _SEVERAL:
        return (
            f"{len(missing)} of the {len(every)} topics of {source} are missing from {quoted(name)} "
            f"({some(missing)}), which has other topics ({some(run.unjudged)})"
        )
    return None


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}"


def _is_suspicious(evaluated: Evaluated, run: Alignment) -> bool:
    """Whether so few of the documents that could be judged are judged that the run is read again."""
    matched, possible = matched_documents(evaluated.judgments, run)
    half = 2 * ((matched == 0) & (possible > 0)).sum() >= (possible > 0).sum()
    most = _MOST if half else _FEW
    lines = max(int(run.length.sum()), len(evaluated.judgments))
    return bool((half or 2 * matched.sum() <= possible.sum()) and lines <= most)


def _of_documents(evaluated: Evaluated, name: str, run: Alignment) -> str | None:
    judgments = evaluated.judgments
    matched, possible = matched_documents(judgments, run)
    chosen = np.flatnonzero((possible > 0) & (2 * matched <= possible))[:_TOPICS]
    pairs = [pair for own, judged in _documents(evaluated, name, chosen) for pair in alike(own, judged)]
    if len(pairs) > _HARDLY_ANY * (len(pairs) + matched[chosen].sum()):
        where = "" if len(chosen) < _TOPICS else f" of {_TOPICS} topics"
        return (
            f"{_counted(len(pairs), 'document')} of {quoted(name)} and {judgments.source}{where} "
            f"differ only {differing(pairs[0])}"
        )
    none = (matched == 0) & (possible >= ENOUGH)
    if is_unmatched(judgments, run):
        return None  # another note says so
    if lists_what_is_not_relevant(judgments) and 2 * none.sum() >= max(1, run.retrieved.sum()):
        return (
            f"no document that {quoted(name)} retrieves is judged in "
            f"{evaluated.topics_of(name, none)}; compare its ids with those of {judgments.source}"
        )
    return None


def _documents(
    evaluated: Evaluated, name: str, topics: Longs
) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the documents of each topic that the run retrieves, and those that are judged."""
    columns = evaluated.columns(name)
    if columns is None:
        return
    names = [evaluated.judgments.topics[t] for t in topics]
    judged_topics, _, judged, _ = evaluated.judgments.table.columns()
    of_run, of_judgments = (_by_topic(names, *pair) for pair in (columns, (judged_topics, judged)))
    for topic in names:
        yield of_run[topic], of_judgments[topic]


def _by_topic(names: Sequence[str], topics: Sequence[str], docs: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {topic: [] for topic in names}
    for topic, doc in zip(topics, docs, strict=True):
        if topic in found:
            found[topic].append(doc)
    return found
