"""Notes about judgments alone."""

from __future__ import annotations

from rankprism.data import MISSING, Judgments, Note, some
from rankprism.data.judgments import BELOW
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.text import quoted


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
