"""The conventions behind scores: how judgments and runs were read, and how gaps in papers are filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankprism.data import Alignment, Judgments
from rankprism.measures import Measure


def conventions_of(
    needs: str,
    measures: Sequence[Measure],
    judged: Judgments,
    runs: Mapping[str, Alignment],
    bounds: bool,
) -> dict[str, Any]:
    """How scores were computed, for measures that need one kind of judgments."""
    if needs == "preferences":
        about: dict[str, Any] = {"preferences": _preference_conventions(measures)}
    else:
        about = {
            "aspect weights": "uniform" if judged.weights is None else "given",
            "aspects without relevant documents": "left out" if judged.counted is None else "count",
            **_labelling(judged),
            "bounds": bounds,
            "topics without relevant documents": judged.topics_without_relevant,
        }
    return about | {
        "topics missing from a run": {
            name: int((~run.retrieved).sum()) for name, run in runs.items() if not run.retrieved.all()
        },
        "topics of a run without judgments": {
            name: len(run.unjudged) for name, run in runs.items() if run.unjudged
        },
    }


def _preference_conventions(measures: Sequence[Measure]) -> dict[str, Any]:
    """What the paper leaves open, and how it is read here."""
    from rankprism.measures.known.prf import TIE
    from rankprism.measures.preferences.utility import PRIOR

    forms = [measure for measure in measures if measure.name in ("Prf", "nPrf")]
    return {
        "ties": "half a win for each document",
        "documents never shown": {
            str(m): f"utility {0.0 if m['estimate'] == 'raw' else PRIOR:g}" for m in forms
        },
        "unseen": {str(m): m["unseen"] for m in forms},
        "fallback": {str(m): m["fallback"] for m in forms},
        "K": "the cutoff; without one, the number of documents in the pool",
        "pool": "documents shown as left or right",
        "several given documents": "used where they are exactly the documents above",
        "ties in the greedy ideal": f"utilities within {TIE:g}, the larger document id first",
    }


def _labelling(judged: Judgments) -> dict[str, Any]:
    """How the labels of several aspects were read."""
    if judged.scales is None:
        return {}
    return {
        "scales": {
            scale.aspect: dict(zip(scale.names, map(str, scale.place), strict=True))
            for scale in judged.scales
        },
        "labels set to the lowest": {aspect: dict(reasons) for aspect, reasons in judged.lowered.items()},
    }
