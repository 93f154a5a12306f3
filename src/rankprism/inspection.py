"""What `evaluate` notes about runs, judgments and measures, so that nobody is misled by the scores.

Each function looks for one thing and returns a note, or None where all is well. The limits are chosen so that
the runs of real evaluation campaigns, which are rarely judged completely, give few notes or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankprism.data.hits import Cells, Floats, batches
from rankprism.data.judgments import Judgments
from rankprism.data.note import Note, shown, some, stray_notes
from rankprism.data.run import DISAGREEING, EQUAL, RISING, Alignment
from rankprism.errors import RankprismError
from rankprism.measures import Measure

#: How deep a run is looked at for judged documents where no measure has a cutoff, and at most: pools of
#: campaigns are rarely deeper than 100.
_DEPTH, _DEEPEST = 10, 100
#: Shares are computed only of so many documents; fewer say little.
_ENOUGH = 20
#: A topic is compared with its judgments only if it has so many documents, and so many are judged.
_MANY = 10
#: A run of which a smaller share of documents is judged than this probably spells its ids differently.
_HARDLY_ANY = 0.05
#: A scale so many times as long as another one is much longer.
_MUCH_LONGER = 4


@dataclass(frozen=True, eq=False)
class Evaluated:
    """All that a note may be about."""

    judgments: Judgments
    runs: Mapping[str, Alignment]
    measures: Sequence[Measure]
    topics: str  # which are averaged over

    def named(self, found: Sequence[str]) -> str:
        """Some of the runs, as the subject of a sentence whose verb is plural unless it is one run."""
        return shown(found[0]) if len(found) == 1 else f"{len(found)} of {len(self.runs)} runs"

    def topic_names(self, which: npt.NDArray[np.bool_]) -> list[str]:
        return [self.judgments.topics[t] for t in np.flatnonzero(which)]


def notes_of(evaluated: Evaluated) -> list[Note]:
    """Everything to know about these runs, judgments and measures."""
    found = [
        rank_order(evaluated),
        rising_scores(evaluated),
        equal_scores(evaluated),
        missing_topics(evaluated),
        unjudged_topics(evaluated),
        unmatched_run(evaluated),
        unmatched_topics(evaluated),
        few_judged(evaluated),
        no_relevant(evaluated),
        unused_weights(evaluated),
        unequal_scales(evaluated),
    ]
    return [note for note in found if note is not None] + stray(evaluated)


def rank_order(evaluated: Evaluated) -> Note | None:
    """The rank column and the scores put documents in different orders."""
    disagreeing = {
        name: int(((run.remarks & DISAGREEING) > 0).sum())
        for name, run in evaluated.runs.items()
        if (run.remarks & DISAGREEING).any() and not _rises(run)
    }
    if not disagreeing:
        return None
    name, topics = next(iter(disagreeing.items()))
    t, rank, score, worse_rank, higher_score = evaluated.runs[name].disagreement
    return Note(
        "rank-order",
        f"the rank column and the scores of {evaluated.named(list(disagreeing))} put documents in different "
        f"orders: in {topics} of {_topics(evaluated.runs[name])} of {shown(name)}, first in "
        f"{shown(evaluated.judgments.topics[t])}, where rank {rank:g} has score {score:g} and rank "
        f"{worse_rank:g} has score {higher_score:g}. They are ordered by score; to order them by rank, "
        f'set order="rank" (--order rank)',
        len(disagreeing),
        name,
    )


def rising_scores(evaluated: Evaluated) -> Note | None:
    """The scores rise where they should fall."""
    rising = [name for name, run in evaluated.runs.items() if _rises(run)]
    if not rising:
        return None
    first = evaluated.topic_names((evaluated.runs[rising[0]].remarks & RISING) > 0)
    return Note(
        "rising-scores",
        f"the scores of {evaluated.named(rising)} rise from the first rank to the last, first in topic "
        f"{shown(first[0])} of {shown(rising[0])}, so its last document is taken for the best. If they are "
        f'distances, negate them or set order="rank" (--order rank); if the columns of rank and score are '
        f"swapped, swap them back",
        len(rising),
        rising[0],
    )


def _rises(run: Alignment) -> bool:
    """In most topics: a few short rankings may rise by chance."""
    several = run.retrieved & (run.length > 2)
    return bool(2 * (((run.remarks & RISING) > 0) & several).sum() > several.sum())


def equal_scores(evaluated: Evaluated) -> Note | None:
    """All documents of a topic have one score, so their ids decide."""
    equal = {
        name: topics
        for name, run in evaluated.runs.items()
        if (topics := evaluated.topic_names(((run.remarks & EQUAL) > 0) & (run.length >= _MANY)))
    }
    if not equal:
        return None
    name, topics = next(iter(equal.items()))
    return Note(
        "equal-scores",
        f"all documents of a topic have the same score in {evaluated.named(list(equal))}: in {len(topics)} "
        f"of {_topics(evaluated.runs[name])} of {shown(name)} ({some(topics)}). Their ids decide the order; "
        f'to take the rank column or the order of the lines, set order="rank" or "input" (--order)',
        len(equal),
        name,
    )


def missing_topics(evaluated: Evaluated) -> Note | None:
    """Topics that a run lacks count as empty rankings."""
    if evaluated.topics != "judged":
        return None
    missing = {
        name: evaluated.topic_names(~run.retrieved)
        for name, run in evaluated.runs.items()
        if not run.retrieved.all()
    }
    if not missing:
        return None
    name, topics = next(iter(missing.items()))
    return Note(
        "missing-topics",
        f"{_lack(evaluated, list(missing))} judged topics, which are scored as empty rankings: "
        f"{shown(name)} lacks {len(topics)} of {len(evaluated.judgments.topics)} ({some(topics)}). To "
        f'average only over the topics that a run has, set topics="retrieved" (--topics retrieved)',
        len(missing),
        name,
    )


def _lack(evaluated: Evaluated, names: Sequence[str]) -> str:
    return f"{evaluated.named(names)} {'lacks' if len(names) == 1 else 'lack'}"


def unjudged_topics(evaluated: Evaluated) -> Note | None:
    """Topics of a run without judgments are ignored."""
    unjudged = {name: run.unjudged for name, run in evaluated.runs.items() if run.unjudged}
    if not unjudged:
        return None
    name, topics = next(iter(unjudged.items()))
    return Note(
        "unjudged-topics",
        f"{evaluated.named(list(unjudged))} {'has' if len(unjudged) == 1 else 'have'} topics without "
        f"judgments, which are ignored: {shown(name)} has {len(topics)} ({some(topics)})",
        len(unjudged),
        name,
    )


def _matched(judgments: Judgments, run: Alignment) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """By topic: how many retrieved documents are judged, and how many could be."""
    possible = np.minimum(run.length, judgments.table.judged_documents())
    return np.diff(run.start), possible.astype(np.int64)


def _unmatched_runs(evaluated: Evaluated) -> dict[str, int]:
    """The runs hardly any of whose documents is judged, and how many are."""
    found = {}
    for name, run in evaluated.runs.items():
        matched, possible = _matched(evaluated.judgments, run)
        few = possible.sum() >= _ENOUGH and matched.sum() < _HARDLY_ANY * possible.sum()
        if not matched.sum() or few:
            found[name] = int(matched.sum())
    return found


def unmatched_run(evaluated: Evaluated) -> Note | None:
    """Hardly any document of a run is judged."""
    unmatched = _unmatched_runs(evaluated)
    if not unmatched:
        return None
    name, matched = next(iter(unmatched.items()))
    run = evaluated.runs[name]
    others = f", and likewise in {len(unmatched) - 1} other runs" if len(unmatched) > 1 else ""
    what = (
        "none of its documents is judged, so it scores 0"
        if not matched
        else f"only {matched} of its {int(run.length.sum())} documents are judged"
    )
    return Note(
        "unmatched-run",
        f"{shown(name)}: {what}{others}; check that it belongs to {evaluated.judgments.source} and that both "
        f"spell their ids alike{_both_ids(evaluated, name)}",
        len(unmatched),
        name,
    )


def _both_ids(evaluated: Evaluated, name: str) -> str:
    """An id from the run and one from the judgments, for the user to compare."""
    t, retrieved, judged = evaluated.runs[name].unmatched
    if t < 0:
        return ""
    topic = shown(evaluated.judgments.topics[t])
    return f": topic {topic} has {shown(retrieved)} in the run and {shown(judged)} in the judgments"


def unmatched_topics(evaluated: Evaluated) -> Note | None:
    """No document that a run retrieves for a topic is judged, though many are on either side."""
    if not _lists_what_is_not_relevant(evaluated.judgments):
        return None
    whole = _unmatched_runs(evaluated)
    found = {}
    for name, run in evaluated.runs.items():
        matched, possible = _matched(evaluated.judgments, run)
        none = (matched == 0) & (possible >= _MANY)
        if name not in whole and none.any():
            found[name] = evaluated.topic_names(none)
    if not found:
        return None
    name, topics = next(iter(found.items()))
    return Note(
        "unmatched-topics",
        f"in some topics of {evaluated.named(list(found))} no document is judged: in {len(topics)} of "
        f"{_topics(evaluated.runs[name])} of {shown(name)} ({some(topics)}). Check that both sides spell "
        f"their ids alike{_both_ids(evaluated, name)}",
        len(found),
        name,
    )


def few_judged(evaluated: Evaluated) -> Note | None:
    """Less than half of what the measures look at is judged."""
    if all(m.is_condensed for m in evaluated.measures) or not _lists_what_is_not_relevant(
        evaluated.judgments
    ):
        return None
    depth = min(_DEEPEST, max((m.cutoff or _DEPTH for m in evaluated.measures), default=_DEPTH))
    whole = _unmatched_runs(evaluated)
    few = {}
    for name, run in evaluated.runs.items():
        looked_at = int(np.minimum(run.length, depth).sum())
        judged = int((run.rank <= depth).sum())
        if name not in whole and looked_at >= _ENOUGH and 2 * judged < looked_at:
            few[name] = judged / looked_at
    if not few:
        return None
    name, share = next(iter(few.items()))
    return Note(
        "few-judged",
        f"less than half of the first {depth} documents of {evaluated.named(list(few))} are judged (of "
        f"{shown(name)} {share:.0%}), and the others count as not relevant. To see how much this may matter, "
        f"set bounds=True (--bounds); to leave them out of a measure, write e.g. nDCG(judged_only=True)@10",
        len(few),
        name,
    )


def _lists_what_is_not_relevant(judgments: Judgments) -> bool:
    """Where only relevant documents are listed, the others may be judged too."""
    return bool((judgments.table.judged_documents() > judgments.cells.documents).any())


def no_relevant(evaluated: Evaluated) -> Note | None:
    """No run can find anything in a topic without a relevant document."""
    without = evaluated.judgments.topics_without_relevant
    if not without:
        return None
    return Note(
        "no-relevant",
        f"{len(without)} of {len(evaluated.judgments.topics)} topics "
        f"{'has' if len(without) == 1 else 'have'} no relevant document, so no run can gain anything there: "
        f"{some(without)}",
        len(without),
        without[0],
    )


def unused_weights(evaluated: Evaluated) -> Note | None:
    """The weights of aspects were given, and change nothing."""
    judgments = evaluated.judgments
    # EvALL files always have weights, so nobody chose to give them.
    if judgments.weights is None or judgments.format == "evall" or _are_uniform(judgments):
        return None
    if any(uses_weights(measure, judgments) for measure in evaluated.measures):
        return None
    names = [str(measure) for measure in evaluated.measures]
    listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return Note(
        "unused-weights",
        f"no chosen measure uses the aspect weights: {listed}. Measures that do are e.g. nDCG_IA, D_nDCG, "
        f"RBU, CAM(nDCG) and alpha_nDCG(weighted=True)",
        len(names),
        names[0],
    )


def _are_uniform(judgments: Judgments) -> bool:
    start, weights = judgments.cells.aspect_start, np.asarray(judgments.weights)
    return bool((np.maximum.reduceat(weights, start[:-1]) == np.minimum.reduceat(weights, start[:-1])).all())


def uses_weights(measure: Measure, judgments: Judgments) -> bool:
    """Whether the weights of aspects can change a score.

    The measure is tried on a topic with a document for each aspect and rankings of one document each. Its
    scores under different weights are compared.
    """
    cells = judgments.cells
    t = int(np.argmax(cells.aspects))
    first, aspects = int(cells.aspect_start[t]), int(cells.aspects[t])
    highest = cells.grade.max(initial=1.0)
    names = cells.names[first : first + aspects]
    rising = np.arange(1.0, aspects + 1) / (aspects * (aspects + 1) / 2)
    tried = [rising, rising[::-1]]
    if (np.asarray(judgments.weights) == 0).any():
        tried.append(np.eye(aspects)[0])  # some measures ask only whether a weight is 0

    def scores(weights: Floats) -> Floats:
        one = np.arange(aspects, dtype=np.int32)
        topic = Cells(
            start=np.array([0, aspects]),
            doc=one,
            aspect=one,
            grade=np.full(aspects, highest),
            documents=np.array([aspects], dtype=np.int32),
            aspect_start=np.array([0, aspects]),
            weights=weights,
            navigational=None,
            names=names,
            scales=cells.scales,
        )
        runs = [Alignment.of_one_document(number) for number in range(aspects)]
        return np.concatenate([measure.score(hits) for hits, _, _ in batches(topic, runs)])

    try:
        tries = [scores(weights) for weights in tried]
    except RankprismError:  # a measure that takes only certain labels: nothing is known, so nothing is said
        return True
    return any((one != tries[0]).any() for one in tries)


def unequal_scales(evaluated: Evaluated) -> Note | None:
    """TOMA measures distances between labels, so an aspect with a long scale outweighs the others."""
    if all(measure.name != "TOMA" for measure in evaluated.measures):
        return None
    scales = evaluated.judgments.cells.labels.scales
    by_default = [s for s in scales if s.place == tuple(range(len(s.place))) and len(s.place) > 1]
    if not by_default:
        return None
    short, long = (choose(by_default, key=lambda s: s.place[-1]) for choose in (min, max))
    if long.place[-1] < _MUCH_LONGER * short.place[-1]:
        return None
    return Note(
        "unequal-scales",
        f"TOMA compares aspects whose scales differ much in length: the labels of {shown(long.aspect)} stand "
        f"at 0 to {long.place[-1]}, those of {shown(short.aspect)} at 0 to {short.place[-1]}, so "
        f"{shown(long.aspect)} decides almost alone. To place them otherwise, give an embedding "
        f"(--embed {short.aspect}=0,…,{long.place[-1]})",
        1,
        long.aspect,
    )


def stray(evaluated: Evaluated) -> list[Note]:
    """Ids with characters that nobody sees; each kind once, by the first run that has it."""
    notes: dict[str, Note] = {}
    for name, run in evaluated.runs.items():
        for note in stray_notes(shown(name), run.stray):
            notes.setdefault(note.kind, note)
    return list(notes.values())


def _topics(run: Alignment) -> str:
    return f"{int(run.retrieved.sum())} {'topic' if run.retrieved.sum() == 1 else 'topics'}"
