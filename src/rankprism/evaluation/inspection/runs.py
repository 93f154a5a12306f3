"""Notes about runs alone: the order that their ranks and scores give, and their ids."""

from __future__ import annotations

from collections.abc import Mapping

from rankprism.data import Alignment, Judgments, Note
from rankprism.data.note import stray_notes
from rankprism.data.run import DISAGREEING, EQUAL, RISING
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.text import quoted
from rankprism.types import Order

#: Equal scores are noted for rankings with at least this number of documents: a few may well be equal.
_SEVERAL = 5


def notes_of_runs(judged: Judgments, runs: Mapping[str, Alignment], order: Order) -> list[Note]:
    """Everything to know about the order of runs, for those who look at rankings and compute no means."""
    read = Evaluated(judged, runs, (), "judged", lambda _: {}, order=order)
    found = [rank_order(read), rising_scores(read), equal_scores(read), *stray(read)]
    return [note for note in found if note is not None]


def rank_order(evaluated: Evaluated) -> Note | None:
    """The rank column and the scores put documents in different orders, and nobody chose one of them."""
    if not evaluated.by_score:
        return None
    found = {}
    for name, run in evaluated.runs.items():
        disagreeing = (run.remarks & DISAGREEING) > 0
        if disagreeing.any() and not _rises(run):
            from rankprism.formats import number_text

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
        f"{evaluated.in_other_orders(name)}",
        len(found),
        name,
        tuple(found),
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
        f"columns of rank and score are swapped, swap them back{evaluated.in_other_orders(name)}",
        len(found),
        name,
        tuple(found),
    )


def _rises(run: Alignment) -> bool:
    """Whether the scores rise in most topics, because a few short rankings may rise by chance."""
    several = run.retrieved & (run.length > 2)
    return bool(2 * (((run.remarks & RISING) > 0) & several).sum() > several.sum())


def equal_scores(evaluated: Evaluated) -> Note | None:
    """All documents of a topic have the same score, so their ids decide the order."""
    if not evaluated.by_score or evaluated.tied is not None:
        return None
    found = {}
    for name, run in evaluated.runs.items():
        equal = ((run.remarks & EQUAL) > 0) & (run.length >= _SEVERAL)
        if equal.any():
            found[name] = evaluated.topics_of(name, equal)
    if not found:
        return None
    name = next(iter(found))
    return Note(
        "equal-scores",
        f"all documents of a topic have the same score in {evaluated.named(found)}, so their ids decide the "
        f'order. To take the rank column or the order of the lines, set order="rank" or "input" (--order); '
        f'for the expectation over all orders, set tied="expected" (--tied expected)'
        f"{evaluated.in_other_orders(name)}",
        len(found),
        name,
        tuple(found),
    )


def stray(evaluated: Evaluated) -> list[Note]:
    """Ids with invisible characters. Each kind is noted once, for the first run that has it."""
    notes: dict[str, Note] = {}
    for name, run in evaluated.runs.items():
        for note in stray_notes(quoted(name), run.stray):
            notes.setdefault(note.kind, note)
    return list(notes.values())
