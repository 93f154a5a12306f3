"""Judgments as lines of text: shared by the formats that are read and written here and not in the core."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Judgments
from rankprism.errors import InputError, listed
from rankprism.formats.spellings import ONLY_ASPECT


class JudgedLine(NamedTuple):
    """One judgment and the number of its line."""

    line: int
    topic: str
    aspect: str
    doc: str
    grade: float


def judgment_table(
    source: str, judged: Iterable[JudgedLine], unit: str = "line", assessor: str | None = None
) -> JudgmentTable:
    """The table of these judgments. A document may be judged twice only with the same grade.

    unit : what is counted in messages. assessor : a column that may say who gave which grade.
    """
    first: dict[tuple[str, str, str], JudgedLine] = {}
    for new in judged:
        known = first.setdefault((new.topic, new.aspect, new.doc), new)
        if known.grade != new.grade:
            who = f". {assessor} may say who gave which: take one of them, or the median" if assessor else ""
            raise InputError(
                f"{source}, {unit} {new.line}: document {new.doc!r} of topic {new.topic!r}, aspect "
                f"{new.aspect!r} has grade {new.grade:g} here and {known.grade:g} at {unit} {known.line}; "
                f"keep one of them{who}"
            )
    if not first:
        raise InputError(f"{source}: no judgments in this file, only blank or comment lines")
    topics, aspects, docs = (list(ids) for ids in zip(*first, strict=True))
    grades = np.array([known.grade for known in first.values()])
    return JudgmentTable.from_columns(source, topics, aspects, docs, grades)


def only_aspect_notes(judgments: Judgments, format: str) -> tuple[str, ...]:
    """What judgments lose in a format without aspects; an error if a topic has several aspects."""
    for topic, aspects in judgments.aspects.items():
        if len(aspects) > 1:
            raise InputError(
                f"{judgments.source}: topic {topic!r} has {len(aspects)} aspects ({listed(aspects)}), "
                f"but the format {format} holds only one; choose another format, or one aspect"
            )
    lost = {
        "the names of aspects": set(judgments.table.aspects) != {ONLY_ASPECT},
        "weights, which change nothing where there is one aspect": judgments.weights is not None,
        "which intents are navigational": judgments.navigational is not None,
    }
    return tuple(f"dropped: {what}" for what, is_lost in lost.items() if is_lost)


def check_ids(source: str, what: str, ids: Iterable[str], format: str) -> None:
    """Refuse ids that would not read back the same."""
    for id in dict.fromkeys(ids):
        if re.search(r"[\x00-\x20]", id):
            raise InputError(
                f"{source}: the {what} {id!r} has a blank in it, which the format {format} cannot hold; "
                f"rename it"
            )
        if what == "topic" and id == "#":
            raise InputError(f"{source}: the topic '#' would turn its lines into comments; rename it")


def number_text(number: float) -> str:
    """The shortest text that reads back as the same number.

    >>> number_text(2.0), number_text(-0.1), number_text(1e22)
    ('2', '-0.1', '1e+22')
    """
    return repr(float(number)).removesuffix(".0")


def joined(lines: Iterable[str]) -> str:
    """The text of a file with these lines."""
    return "".join(f"{line}\n" for line in lines)
