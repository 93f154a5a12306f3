"""TREC Dynamic Domain's judgments of passages: `topic subtopic document passage rating`.

Measures see documents, so the passages of a document on a subtopic become one grade. The name of the format
says by which rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rankprism._core import parse_number
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, Format, register
from rankprism.formats.judged import JudgedLine, judgment_table
from rankprism.formats.shapes import rows_at


def recognises(start: files.Beginning) -> bool:
    """Five columns. The third is a document and therefore not a number, unlike the grade in prels.

    Passages have many numbers. A fourth column of few small ones holds grades.
    """
    columns = start.columns
    if len(columns) != 5 or parse_number(columns[2]) is not None or not all(map(_is_whole, columns[3:])):
        return False
    passages = [row[3] for row in rows_at(start)]
    return len(passages) < 5 or any(not _is_whole(one) or int(one) > 10 for one in passages)


def _reading(grade: Callable[[Sequence[int]], int]) -> Callable[[files.File], Judgments]:
    """A reader that makes a document's grade on a subtopic from the ratings of its passages."""
    return lambda file: Judgments(judgment_table(file.name, _judged(file, grade)), file.name)


def _judged(file: files.File, grade: Callable[[Sequence[int]], int]) -> Iterator[JudgedLine]:
    passages: dict[tuple[str, str, str], dict[int, tuple[int, int]]] = {}  # passage: line, rating
    for number, line in file.lines():
        where = f"{file.name}, line {number}"
        columns = files.columns(line)
        if len(columns) != 5:
            raise InputError(
                f"{where}: expected 5 columns: topic subtopic document passage rating; found {len(columns)}"
            )
        topic, subtopic, doc = columns[:3]
        for what, value in zip(("passage", "rating"), columns[3:], strict=True):
            if not _is_whole(value):
                raise InputError(f"{where}: the {what} {value!r} is not a whole number ≥ 0")
        passage, rating = int(columns[3]), int(columns[4])
        rated = passages.setdefault((topic, subtopic, doc), {})
        if passage in rated:
            raise InputError(
                f"{where}: passage {passage} of document {doc!r}, topic {topic!r}, subtopic {subtopic!r} "
                f"is at line {rated[passage][0]} already; remove one of them"
            )
        rated[passage] = (number, rating)
    for (topic, subtopic, doc), rated in passages.items():
        lines, ratings = zip(*rated.values(), strict=True)
        yield JudgedLine(lines[0], topic, subtopic, doc, grade(ratings))


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,15}", text) is not None


register(
    JUDGMENT_FORMATS,
    Format(
        name="trec-dd",
        summary="topic, subtopic, document, passage, rating. A document's ratings are added, 0 as 1.",
        example="DD16-1 DD16-1.1 ebola-63 25268 3",
        recognised_by="Five columns, where the third is not a number and the last two are whole numbers.",
        # As the track's scorer: a passage that is listed is relevant, even if it is rated 0.
        read=_reading(lambda ratings: sum(max(rating, 1) for rating in ratings)),
        recognises=recognises,
        loses="passages; a document's grade is the sum of their ratings, 0 counting as 1",
    ),
)
register(
    JUDGMENT_FORMATS,
    Format(
        name="trec-dd-max",
        summary="topic, subtopic, document, passage, rating. A document's highest rating counts.",
        example="DD16-1 DD16-1.1 ebola-63 25268 3",
        recognised_by="Only if you ask for it.",
        read=_reading(max),
        loses="passages; a document's grade is the highest of their ratings",
    ),
)
