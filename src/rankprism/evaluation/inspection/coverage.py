"""Notes about runs and judgments together: topics and documents that only one of the two has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankprism.data import Alignment, Judgments, Note, some
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.measures import Measure
from rankprism.text import quoted

#: Kinds of notes that are given for judgments and for preferences if measures need both; others are about a
#: run's own lines.
OF_JUDGMENTS = ("missing-topics", "unjudged-topics", "unmatched-run", "unmatched-ids")
#: Kinds of notes on runs whose scores do not count, because their ids do not meet those of the judgments.
UNMET = ("unmatched-ids", "unmatched-run")
#: The depth to which judged documents are counted if no measure has a cutoff, and the largest such depth,
#: because pools of campaigns are rarely deeper than 100.
_DEPTH, _DEEPEST = 10, 100
#: Minimum number of documents for a meaningful share of judged ones.
ENOUGH = 10
#: If a smaller share of the documents of a run is judged, the run probably spells its ids differently.
_HARDLY_ANY = 0.05


def missing_topics(evaluated: Evaluated) -> Note | None:
    """Topics that a run lacks count as empty rankings."""
    if evaluated.topics != "judged":
        return None
    every = evaluated.judgments.topics
    found = {}
    for name, run in evaluated.runs.items():
        missing = [every[t] for t in np.flatnonzero(~run.retrieved)]
        if missing:
            found[name] = f"{len(missing)} of {len(every)}: {some(missing)}"
    if not found:
        return None
    topics = "judged topics" if evaluated.needs == "judgments" else "topics with preferences"
    return Note(
        "missing-topics",
        f"{topics} are missing from {evaluated.named(found)} and are scored as empty rankings. To "
        f'average only over the topics that a run has, set topics="retrieved" (--topics retrieved)',
        len(found),
        next(iter(found)),
        tuple(found),
    )


def unjudged_topics(evaluated: Evaluated) -> Note | None:
    """Topics of a run without judgments are ignored."""
    found = {
        name: f"{len(run.unjudged)} of {len(run.unjudged) + run.retrieved.sum()}: {some(run.unjudged)}"
        for name, run in evaluated.runs.items()
        if run.unjudged
    }
    if not found:
        return None
    return Note(
        "unjudged-topics",
        f"topics of {evaluated.named(found)} have no judgments and are ignored",
        len(found),
        next(iter(found)),
        tuple(found),
    )


def matched_documents(
    judgments: Judgments, run: Alignment
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each topic, how many retrieved documents are judged, and how many could be."""
    possible = np.minimum(run.length, judgments.table.judged_documents())
    return np.diff(run.start), possible.astype(np.int64)


def is_unmatched(judgments: Judgments, run: Alignment) -> bool:
    """Whether hardly any document of a run is judged."""
    matched, possible = (by_topic.sum() for by_topic in matched_documents(judgments, run))
    return bool(matched == 0 or (possible >= ENOUGH and matched < _HARDLY_ANY * possible))


def unmatched_run(evaluated: Evaluated) -> Note | None:
    """Hardly any document of a run is judged."""
    judgments = evaluated.judgments
    found = [name for name, run in evaluated.runs.items() if is_unmatched(judgments, run)]
    if not found:
        return None
    name, run = found[0], evaluated.runs[found[0]]
    what = (
        f"only {len(run.rank)} of its {run.length.sum()} documents are judged"
        if len(run.rank)
        else "none of its documents is judged, so it scores 0"
    )
    others = f" ({len(found)} of {len(evaluated.runs)} runs are like that)" if len(found) > 1 else ""
    return Note(
        "unmatched-run",
        f"{quoted(name)}: {what}{others}; check that it belongs to {judgments.source} and that both "
        f"spell their ids alike{_both_ids(evaluated, name)}",
        len(found),
        name,
        tuple(found),
    )


def unmatched_topics(evaluated: Evaluated) -> Note | None:
    """No document that a run retrieves for a topic is judged, although both have many documents."""
    if not lists_what_is_not_relevant(evaluated.judgments):
        return None
    found = {}
    for name, run in evaluated.runs.items():
        matched, possible = matched_documents(evaluated.judgments, run)
        none = (matched == 0) & (possible >= ENOUGH)
        if none.any() and not is_unmatched(evaluated.judgments, run):
            found[name] = evaluated.topics_of(name, none)
    if not found:
        return None
    name = next(iter(found))
    return Note(
        "unmatched-topics",
        f"there are topics without any judged document in {evaluated.named(found)}. Check that the run and "
        f"the judgments spell their ids alike{_both_ids(evaluated, name)}",
        len(found),
        name,
        tuple(found),
    )


def _both_ids(evaluated: Evaluated, name: str) -> str:
    """An id from the run and one from the judgments, for the user to compare."""
    t, retrieved, judged = evaluated.runs[name].unmatched
    if t < 0:
        return ""
    topic = quoted(evaluated.judgments.topics[t])
    return f": topic {topic} has {quoted(retrieved)} in the run and {quoted(judged)} in the judgments"


def few_judged(evaluated: Evaluated) -> Note | None:
    """Less than half of the documents that the measures look at are judged."""
    judgments = evaluated.judgments
    if all(m.is_condensed for m in evaluated.measures) or not lists_what_is_not_relevant(judgments):
        return None
    depth = depth_of(evaluated.measures)
    found = {}
    for name, run in evaluated.runs.items():
        looked_at = int(np.minimum(run.length, depth).sum())
        judged = int((run.rank <= depth).sum())
        if looked_at >= ENOUGH and 2 * judged < looked_at and not is_unmatched(judgments, run):
            found[name] = f"{100 * judged // looked_at}%"
    if not found:
        return None
    return Note(
        "few-judged",
        f"less than half of the first {depth} documents of {evaluated.named(found)} are judged, and the "
        f"others count as not relevant. To see how much this may matter, set bounds=True (--bounds); to "
        f"leave them out of a measure, write e.g. nDCG(judged_only=True)@10",
        len(found),
        next(iter(found)),
        tuple(found),
    )


def depth_of(measures: Sequence[Measure]) -> int:
    """The depth to which documents are counted for these measures."""
    return min(_DEEPEST, max(measure.cutoff or _DEPTH for measure in measures))


def lists_what_is_not_relevant(judgments: Judgments) -> bool:
    """Whether the judgments list non-relevant documents. If not, unlisted documents may be judged too."""
    return bool((judgments.table.judged_documents() > judgments.cells.documents).any())
