"""The notes of `evaluate` about runs, judgments and measures, so that nobody is misled by the scores.

Each function of these modules looks for one thing and returns a note, or None if there is nothing to note.
The limits are chosen so that runs of real evaluation campaigns, which are rarely judged completely, give few
notes or none.
"""

from __future__ import annotations

from rankprism.data import Note
from rankprism.evaluation.inspection import aspects, coverage, depth, ids, judgments, preferences, runs, ties
from rankprism.evaluation.inspection.evaluated import Evaluated

__all__ = ["Evaluated", "notes_of"]


def notes_of(evaluated: Evaluated) -> list[Note]:
    """Everything to know about these runs, judgments and measures."""
    found = [
        runs.rank_order(evaluated),
        runs.rising_scores(evaluated),
        runs.equal_scores(evaluated),
        ties.tied_documents(evaluated),
        coverage.missing_topics(evaluated),
        coverage.unjudged_topics(evaluated),
        ids.unmatched_ids(evaluated),
        coverage.unmatched_run(evaluated),
        coverage.unmatched_topics(evaluated),
        coverage.few_judged(evaluated),
        depth.unequal_depths(evaluated),
        judgments.no_relevant(evaluated),
        judgments.lowest_grade(evaluated.judgments),
        aspects.best_aspect(evaluated.judgments, evaluated.measures),
        aspects.unused_weights(evaluated),
        aspects.unequal_scales(evaluated),
        judgments.lowest_labels(evaluated.judgments),
        preferences.no_pairs(evaluated),
        preferences.no_triplets(evaluated),
        preferences.borrowed(evaluated),
        preferences.never_shown(evaluated),
        *runs.stray(evaluated),
    ]
    return [note for note in found if note is not None]
