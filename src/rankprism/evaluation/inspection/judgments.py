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


def lowest_grade(judgments: Judgments) -> Note | None:
    """No document has grade 0 among several other grades, as where people rate from 1 to 5."""
    if judgments.scales is not None or not 20 <= len(judgments) == len(judgments.cells.aspect):
        return None  # some documents are not relevant
    grades = judgments.table.grades()
    lowest = float(grades.min())
    # People rate up to 5. A higher grade may be the place of a document in an order.
    if lowest < 1 or grades.max() > 5 or len(set(grades.tolist())) < 3:
        return None
    return Note(
        "lowest-grade",
        f"the lowest of the {len(judgments)} grades of {judgments.source} is {lowest:g}, so every judged "
        f"document is relevant, also to measures of relevance alone; if {lowest:g} means not relevant, or is "
        f"the best grade, change the grades",
        len(judgments),
        f"{lowest:g}",
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
