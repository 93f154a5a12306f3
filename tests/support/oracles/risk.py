"""U_RISK."""

from __future__ import annotations

from collections.abc import Mapping


def U_RISK(scores: Mapping[str, float], baseline: Mapping[str, float], alpha: float) -> float:
    """The mean over the topics of both of the difference, losses counting 1 + α times."""
    differences = [scores[topic] - baseline[topic] for topic in scores if topic in baseline]
    return sum(d if d >= 0 else (1 + alpha) * d for d in differences) / len(differences)
