"""Notes about the depth of rankings, with which some measures grow."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankprism.data import Alignment, Note
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.results import note_of_depths


def depths_of(runs: Mapping[str, Alignment]) -> dict[str, float]:
    """The median number of documents of each run, over the topics that all runs have if there are any."""
    if not runs:
        return {}
    shared = np.logical_and.reduce([run.retrieved for run in runs.values()])
    return {
        name: float(np.median(run.length[shared if shared.any() else run.retrieved]))
        for name, run in runs.items()
    }


def unequal_depths(evaluated: Evaluated) -> Note | None:
    """The rankings of some runs are much deeper than those of others, and a measure grows with depth."""
    return note_of_depths(depths_of(evaluated.runs), evaluated.measures)
