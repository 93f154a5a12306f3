"""The topics: their words, the scores on each, which are hard, and which divide the systems."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankprism.errors import RankprismWarning
from rankprism.formats import Topic
from rankprism.results import Scores
from rankprism.showing.report.numbers import or_none
from rankprism.text import query_words


def described(
    names: Sequence[str], lists: Sequence[Mapping[str, Any]], texts: Mapping[str, Topic]
) -> list[dict[str, Any]]:
    """For each topic: its title and description, the text of each aspect, and the words to mark.

    If the title is not known, the words are those of the topic's name, which may be the query itself.
    """
    if texts and not any(name in texts for name in names):
        warnings.warn(
            "the file of topic texts has none of these topics; check that the judgments have the same ids",
            RankprismWarning,
            stacklevel=2,
        )
    found: list[dict[str, Any]] = []
    for name, topic in zip(names, lists, strict=True):
        if name not in texts:
            found.append({"words": [] if name.isdigit() else query_words(name)})
            continue
        text, about = texts[name], dict(texts[name].subtopics)
        aspects = [about.get(aspect, "") for aspect in topic["aspects"]]
        found.append(
            {
                "title": text.title,
                **({"description": text.description} if text.description else {}),
                **({"aspects": aspects} if any(aspects) else {}),
                "words": query_words(text.title),
            }
        )
    return found


def per_topic(scores: Scores) -> Any:
    """The scores as (measure, run, topic)."""
    return or_none(np.moveaxis(scores.values, 2, 0))


def difficulty(scores: Scores) -> dict[str, Any]:
    """For each measure and topic: mean and standard deviation over runs, and the best and worst run."""
    # (measure, run, topic)
    values, oriented = (np.moveaxis(x, 2, 0) for x in (scores.values, scores.oriented))
    defined = ~np.isnan(values)
    count = defined.sum(1)
    known = np.where(defined, values, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = known.sum(1) / count
        squares = np.where(defined, (values - mean[:, None]) ** 2, 0.0).sum(1)
        spread = np.sqrt(squares / (count - 1)) if len(scores.runs) > 1 else np.full(mean.shape, np.nan)
    return {
        "mean": or_none(mean),
        "spread": {"missing": "There is only one run, so no topic divides the systems."}
        if len(scores.runs) < 2
        else or_none(spread),
        "best": np.where(defined, oriented, -np.inf).argmax(1).tolist(),
        "worst": np.where(defined, oriented, np.inf).argmin(1).tolist(),
    }
