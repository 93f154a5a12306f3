"""Digests of judgments and preferences, topic by topic: equal digests mean equal judgments of a topic."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from rankprism.data import Judgments, Preferences


def digests(sources: Iterable[Judgments | Preferences]) -> dict[str, Mapping[str, str]]:
    """The digests by topic of each kind of data, as `Record.data` has them."""
    found: dict[str, Mapping[str, str]] = {}
    for source in sources:
        if isinstance(source, Preferences):
            found["preferences"] = _of_preferences(source)
        else:
            found["judgments"] = _of_judgments(source)
            if any(x is not None for x in (source.weights, source.navigational, source.counted)):
                found["aspects"] = _of_aspects(source)
    return found


def _digest(*parts: str | bytes) -> str:
    """Twelve hexadecimal digits, which differ for all that somebody would compare."""
    found = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()[:12]


def _of_judgments(judgments: Judgments) -> dict[str, str]:
    """The digest of the judgments of each topic. They are in the same order, whatever they were read from."""
    topics, aspects, docs, grades = judgments.table.columns()
    found = {}
    first = 0
    bounds = [
        i for i in range(1, len(topics)) if topics[i] is not topics[i - 1] and topics[i] != topics[i - 1]
    ]
    for last in (*bounds, len(topics)) if topics else ():
        here = slice(first, last)
        found[topics[first]] = _digest(
            "\0".join(aspects[here]), "\0".join(docs[here]), grades[here].astype("<f8").tobytes()
        )
        first = last
    return found


def _of_aspects(judgments: Judgments) -> dict[str, str]:
    """The digest of each topic's aspects, with their weights and whether they are navigational or count."""
    settings = (judgments.weights, judgments.navigational, judgments.counted)
    arrays = [b"" if x is None else np.asarray(x, dtype="<f8") for x in settings]
    found, first = {}, 0
    for topic, names in judgments.aspects.items():
        here = slice(first, first + len(names))
        first += len(names)
        found[topic] = _digest(
            "\0".join(names), *(x if isinstance(x, bytes) else x[here].tobytes() for x in arrays)
        )
    return found


def _of_preferences(preferences: Preferences) -> dict[str, str]:
    """The digest of the preferences of each topic, in whatever order they were given."""
    p = preferences
    given = ["\0".join(sorted(p.docs[d] for d in docs)) for docs in p.givens]
    lines: dict[str, list[str]] = defaultdict(list)
    columns = (p.topic, p.given, p.left, p.right, p.outcome, p.assessor)
    for t, g, left, right, outcome, who in zip(*(column.tolist() for column in columns), strict=True):
        row = (p.assessors[who], given[g], p.docs[left], p.docs[right], f"{outcome:g}")
        lines[p.topics[t]].append("\1".join(row))
    if p.levels is not None:
        rows = (p.levels.topic, p.levels.assessor, p.levels.listing, p.levels.doc, p.levels.level)
        for t, who, listing, doc, level in zip(*(column.tolist() for column in rows), strict=True):
            lines[p.topics[t]].append("\1".join((p.assessors[who], f"{listing}", p.docs[doc], f"{level!r}")))
    return {topic: _digest(*sorted(rows)) for topic, rows in lines.items()}
