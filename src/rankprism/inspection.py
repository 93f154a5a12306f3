"""The notes of `evaluate` about runs, judgments and measures, so that nobody is misled by the scores.

Each function looks for one thing and returns a note, or None if there is nothing to note. The limits are
chosen so that runs of real evaluation campaigns, which are rarely judged completely, give few notes or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rankprism._core import JudgmentTable
from rankprism.arrays import Floats
from rankprism.data.hits import Cells, batches
from rankprism.data.judgments import BELOW, MISSING, Judgments
from rankprism.data.note import Note, some, stray_notes
from rankprism.data.run import DISAGREEING, EQUAL, RISING, Alignment
from rankprism.errors import RankprismError
from rankprism.foreign import quoted
from rankprism.measures import Measure
from rankprism.measures.parameter import Role
from rankprism.types import Order, Topics

if TYPE_CHECKING:
    from rankprism.measures.preferences.hits import PreferencePool
    from rankprism.measures.preferences.utility import Shown

#: The depth to which judged documents are counted if no measure has a cutoff, and the largest such depth,
#: because pools of campaigns are rarely deeper than 100.
_DEPTH, _DEEPEST = 10, 100
#: Minimum number of documents for a meaningful share of judged ones.
_ENOUGH = 10
#: Equal scores are noted for rankings with at least this number of documents: a few may well be equal.
_SEVERAL = 5
#: If a smaller share of the documents of a run is judged, the run probably spells its ids differently.
_HARDLY_ANY = 0.05
#: A scale counts as much longer if it is at least this many times as long as another one.
_MUCH_LONGER = 4

#: Kinds of notes that are about judgments and runs together; others are about runs alone.
OF_JUDGMENTS = ("missing-topics", "unjudged-topics", "unmatched-run")


class Evaluated(NamedTuple):
    """Everything that a note may be about."""

    judgments: Judgments
    runs: Mapping[str, Alignment]
    measures: Sequence[Measure]
    topics: Topics  # which are averaged over
    #: the mean of a run by the first measure, ordered by its scores and by its ranks, if both are known
    means: Callable[[str], tuple[float, float] | None]
    needs: str = "judgments"  # the kind of judgments; for preferences, `judgments` has all that they name
    order: Order = "score"
    pool: PreferencePool | None = None  # the preferences, counted

    @property
    def by_score(self) -> bool:
        """Whether the scores decide the order of the documents."""
        return self.order not in ("rank", "input")

    def named(self, details: Mapping[str, str]) -> str:
        """The runs that a note is about, with the details of the first."""
        name, detail = next(iter(details.items()))
        if len(details) == 1:
            return f"{quoted(name)} ({detail})"
        return f"{len(details)} of {len(self.runs)} runs (first {quoted(name)}: {detail})"

    def topics_of(self, name: str, which: npt.NDArray[np.bool_]) -> str:
        """Some topics of a run, counted."""
        names = [self.judgments.topics[t] for t in np.flatnonzero(which)]
        return f"{len(names)} of {self.runs[name].retrieved.sum()} topics: {some(names)}"


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
        best_aspect(evaluated.judgments, evaluated.measures),
        unused_weights(evaluated),
        unequal_scales(evaluated),
        lowest_labels(evaluated.judgments),
    ]
    of_preferences = [no_pairs(evaluated), no_triplets(evaluated), never_shown(evaluated)]
    return [note for note in (*found, *of_preferences) if note is not None] + stray(evaluated)


def rank_order(evaluated: Evaluated) -> Note | None:
    """The rank column and the scores put documents in different orders, and nobody chose one of them."""
    if not evaluated.by_score:
        return None
    found = {}
    for name, run in evaluated.runs.items():
        disagreeing = (run.remarks & DISAGREEING) > 0
        if disagreeing.any() and not _rises(run):
            from rankprism.formats.judged import number_text

            t, *two = run.disagreement
            rank, score, worse, higher = map(number_text, two)
            found[name] = (
                f"{disagreeing.sum()} of {run.retrieved.sum()} topics; in "
                f"{quoted(evaluated.judgments.topics[t])} rank {rank} has score {score} and rank {worse} has "
                f"score {higher}"
            )
    if not found:
        return None
    name = next(iter(found))
    return Note(
        "rank-order",
        f"the rank column and the scores of {evaluated.named(found)} put documents in different orders. They "
        f'are ordered by score; for the order of the ranks set order="rank" (--order rank)'
        f"{_both_means(evaluated, name)}",
        len(found),
        name,
    )


def rising_scores(evaluated: Evaluated) -> Note | None:
    """The scores rise from the first rank to the last, so one of the two columns counts the other way."""
    found = {
        name: evaluated.topics_of(name, (run.remarks & RISING) > 0)
        for name, run in evaluated.runs.items()
        if _rises(run)
    }
    if not found:
        return None
    name = next(iter(found))
    if evaluated.by_score:
        consequence = (
            ", so the last document counts as the best. That is right if the ranks count backwards. If the "
            "scores "
            'are distances, set order="rank" (--order rank) or negate them'
        )
    elif evaluated.order == "rank":
        consequence = (
            ", so the document with the lowest score counts as the best. That is right if the scores are "
            'distances. If the ranks count backwards, set order="score" (--order score)'
        )
    else:
        consequence = (
            ". Neither is used, because documents stay in the order of the lines; check that the first "
            "line of a topic holds its best document"
        )
    return Note(
        "rising-scores",
        f"the scores of {evaluated.named(found)} rise from the first rank to the last{consequence}; if the "
        f"columns of rank and score are swapped, swap them back{_both_means(evaluated, name)}",
        len(found),
        name,
    )


def _rises(run: Alignment) -> bool:
    """Whether the scores rise in most topics, because a few short rankings may rise by chance."""
    several = run.retrieved & (run.length > 2)
    return bool(2 * (((run.remarks & RISING) > 0) & several).sum() > several.sum())


def _both_means(evaluated: Evaluated, name: str) -> str:
    """The mean of a run under both orders, as text."""
    means = evaluated.means(name)
    if means is None:
        return ""
    by_score, by_rank = means
    measure = evaluated.measures[0]
    return f". The {measure} of {quoted(name)} is {by_score:.4f} by score and {by_rank:.4f} by rank"


def equal_scores(evaluated: Evaluated) -> Note | None:
    """All documents of a topic have the same score, so their ids decide the order."""
    if not evaluated.by_score:
        return None
    found = {}
    for name, run in evaluated.runs.items():
        equal = ((run.remarks & EQUAL) > 0) & (run.length >= _SEVERAL)
        if equal.any():
            found[name] = evaluated.topics_of(name, equal)
    if not found:
        return None
    return Note(
        "equal-scores",
        f"all documents of a topic have the same score in {evaluated.named(found)}, so their ids decide the "
        f'order. To take the rank column or the order of the lines, set order="rank" or "input" (--order)',
        len(found),
        next(iter(found)),
    )


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
    )


def _matched(judgments: Judgments, run: Alignment) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each topic, how many retrieved documents are judged, and how many could be."""
    possible = np.minimum(run.length, judgments.table.judged_documents())
    return np.diff(run.start), possible.astype(np.int64)


def _is_unmatched(judgments: Judgments, run: Alignment) -> bool:
    """Whether hardly any document of a run is judged."""
    matched, possible = (by_topic.sum() for by_topic in _matched(judgments, run))
    return bool(matched == 0 or (possible >= _ENOUGH and matched < _HARDLY_ANY * possible))


def unmatched_run(evaluated: Evaluated) -> Note | None:
    """Hardly any document of a run is judged."""
    judgments = evaluated.judgments
    found = [name for name, run in evaluated.runs.items() if _is_unmatched(judgments, run)]
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
    )


def unmatched_topics(evaluated: Evaluated) -> Note | None:
    """No document that a run retrieves for a topic is judged, although both have many documents."""
    if not _lists_what_is_not_relevant(evaluated.judgments):
        return None
    found = {}
    for name, run in evaluated.runs.items():
        matched, possible = _matched(evaluated.judgments, run)
        none = (matched == 0) & (possible >= _ENOUGH)
        if none.any() and not _is_unmatched(evaluated.judgments, run):
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
    if all(m.is_condensed for m in evaluated.measures) or not _lists_what_is_not_relevant(judgments):
        return None
    depth = min(_DEEPEST, max(m.cutoff or _DEPTH for m in evaluated.measures))
    found = {}
    for name, run in evaluated.runs.items():
        looked_at = int(np.minimum(run.length, depth).sum())
        judged = int((run.rank <= depth).sum())
        if looked_at >= _ENOUGH and 2 * judged < looked_at and not _is_unmatched(judgments, run):
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
    )


def _of_shares(evaluated: Evaluated, **settings: str) -> list[Measure]:
    """The measures that take utilities from the shares of wins, with these parameters."""
    wanted = {"estimate": "raw", **settings}
    found = [measure for measure in evaluated.measures if measure.name in ("Prf", "nPrf")]
    return [measure for measure in found if all(measure[name] == value for name, value in wanted.items())]


def no_pairs(evaluated: Evaluated) -> Note | None:
    """A topic has no pairs, so the utility of a first document comes from other comparisons."""
    return _fallback_note(
        "no-pairs",
        evaluated,
        lambda shown: shown.has_pairs,
        "pairs: a first document counts there by its share of wins in all comparisons, whatever was given",
    )


def no_triplets(evaluated: Evaluated) -> Note | None:
    """A topic has no triplets, so nothing is known of novelty."""
    return _fallback_note(
        "no-triplets",
        evaluated,
        lambda shown: shown.has_triplets,
        "triplets: a document counts there by its share of wins in pairs on every rank, new or not",
    )


def _fallback_note(
    kind: str, evaluated: Evaluated, has_them: Callable[[Shown], bool], what: str
) -> Note | None:
    measures = _of_shares(evaluated, fallback="other")
    if evaluated.pool is None or not measures:  # other measures also score topics that are too large to count
        return None
    topics = [topic for topic, shown in evaluated.pool.shown.items() if not has_them(shown)]
    if not topics:
        return None
    off = measures[0](fallback="none")
    return Note(
        kind,
        f"{len(topics)} of {len(evaluated.judgments.topics)} topics "
        f"{'has' if len(topics) == 1 else 'have'} no {what}. To count 0 instead, write {off}. Topics: "
        f"{some(topics)}",
        len(topics),
        topics[0],
    )


def never_shown(evaluated: Evaluated) -> Note | None:
    """Less than half of the documents that a measure of preferences looks at were shown to anybody."""
    measures = _of_shares(evaluated)
    if evaluated.pool is None or not measures:
        return None
    depth = min(_DEEPEST, max(measure.cutoff or _DEPTH for measure in measures))
    found = {}
    for name, run in evaluated.runs.items():
        looked_at = int(np.minimum(run.length, depth).sum())
        seen = 0
        for t, shown in enumerate(evaluated.pool.shown.values()):
            here = slice(run.start[t], run.start[t + 1])
            seen += int(shown.pool[run.doc[here][run.rank[here] <= depth]].sum())
        if looked_at >= _ENOUGH and 2 * seen < looked_at and not _is_unmatched(evaluated.judgments, run):
            found[name] = f"{100 * seen // looked_at}%"
    if not found:
        return None
    return Note(
        "never-shown",
        f"less than half of the first {depth} documents of {evaluated.named(found)} were ever shown as left "
        f"or right, and the others count 0, as if they had lost every comparison. To count them as average "
        f"documents, write {measures[0](estimate='pooled')}",
        len(found),
        next(iter(found)),
    )


def _lists_what_is_not_relevant(judgments: Judgments) -> bool:
    """Whether the judgments list non-relevant documents. If not, unlisted documents may be judged too."""
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


def best_aspect(judgments: Judgments, measures: Sequence[Measure]) -> Note | None:
    """A measure of one aspect takes each document's best grade, which is rarely meant for shared aspects.

    For subtopics the best grade is what everybody takes: a document is relevant if it is so for any of them.
    """
    aspects = judgments.shared_aspects
    folded = [measure for measure in measures if measure.of(Role.FOLD) == "max"]
    if not aspects or not folded:
        return None
    one = folded[0]
    listed = f"{', '.join(map(str, folded[:3]))}{', …' if len(folded) > 3 else ''}"
    return Note(
        "best-aspect",
        f"{listed} {'takes' if len(folded) == 1 else 'take'} the best of each document's {len(aspects)} "
        f"aspects ({some(aspects)}), so a document that is good on any one of them counts as good. To "
        "score one aspect, "
        f'write "Aspect({one},aspect={quoted(aspects[0])})"; to score all of them together, write '
        f"CAM({one}), "
        f"MM({one}) or TOMA({one})",
        len(folded),
        str(one),
    )


def unused_weights(evaluated: Evaluated) -> Note | None:
    """Aspect weights were given, but no measure uses them."""
    judgments = evaluated.judgments
    # EvALL files always have weights, and so have nuggets, so nobody chose to give them.
    if judgments.weights is None or judgments.format in ("evall", "nuggets") or _are_uniform(judgments):
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
    """Whether aspect weights can change a score.

    The measure is tried on a topic with a document for each aspect: on rankings of one document, and of all
    documents with each of them at the top. Its scores under different weights are compared.
    """
    cells = judgments.cells
    t = int(np.argmax(cells.aspects))
    first, aspects = int(cells.aspect_start[t]), int(cells.aspects[t])
    highest = cells.grade.max(initial=1.0)
    names = cells.names[first : first + aspects]
    rising = np.arange(1.0, aspects + 1) / (aspects * (aspects + 1) / 2)
    weights = np.asarray(judgments.weights)
    tried = [rising, rising[::-1], weights[first : first + aspects]]  # to some, 1 and more is another kind
    if (weights == 0).any():
        tried.append(np.eye(aspects)[0])  # some measures ask only whether a weight is 0

    every = list(range(aspects))
    rankings = [*([doc] for doc in every), *(every[doc:] + every[:doc] for doc in every)]

    # Documents are sorted by id, descending, and document d is to be the one of aspect d.
    ids = [f"{aspects - doc:09}" for doc in every]
    table = JudgmentTable.from_columns("", ["1"] * aspects, list(names), ids, np.full(aspects, highest))

    def scores(chosen: Floats) -> Floats:
        topic = Cells(table, chosen, scales=cells.scales)
        runs = [Alignment.of_documents(docs) for docs in rankings]
        return np.concatenate([measure.score(hits) for hits, _, _ in batches(topic, runs)])

    try:
        tries = [scores(chosen) for chosen in tried]
    except RankprismError:  # the measure takes only certain labels, so this is not known and not noted
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
        f"TOMA compares aspects whose scales differ much in length: the labels of {quoted(long.aspect)} "
        f"stand at 0 to {long.place[-1]}, those of {quoted(short.aspect)} at 0 to {short.place[-1]}, so "
        f"{quoted(long.aspect)} decides almost alone. To place them otherwise, give an embedding "
        f"(--embed {short.aspect}=0,…,{long.place[-1]})",
        1,
        long.aspect,
    )


def lowest_labels(judgments: Judgments) -> Note | None:
    """Labels that were read as the lowest, except those that a condition (`given`) asks for."""
    guessed = {
        aspect: reasons for aspect, reasons in judgments.lowered.items() if {MISSING, BELOW} & reasons.keys()
    }
    if not guessed:
        return None
    counts = "; ".join(
        f"of {quoted(aspect)} {', '.join(f'{n} {reason}' for reason, n in reasons.items())}"
        for aspect, reasons in guessed.items()
    )
    return Note(
        "lowest-labels",
        f"labels are read as the lowest of their aspect: {counts}",
        sum(reasons.get(MISSING, 0) + reasons.get(BELOW, 0) for reasons in guessed.values()),
        next(iter(guessed)),
    )


def stray(evaluated: Evaluated) -> list[Note]:
    """Ids with invisible characters. Each kind is noted once, for the first run that has it."""
    notes: dict[str, Note] = {}
    for name, run in evaluated.runs.items():
        for note in stray_notes(quoted(name), run.stray):
            notes.setdefault(note.kind, note)
    return list(notes.values())
