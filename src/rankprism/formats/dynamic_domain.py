"""TREC Dynamic Domain's judgments of passages: `topic subtopic document passage rating`.

Measures see documents, so the passages of a document on a subtopic become one grade, by a rule that
the name of the format says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rankprism._core import parse_number
from rankprism.data.judgments import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.judged import Judged, judgment_table

#: How the ratings of a document's passages become its grade.
RULES: dict[str, Callable[[Sequence[int]], int]] = {
    # As the track's scorer: a passage that is listed is relevant, even if it is rated 0.
    "trec-dd": lambda ratings: sum(max(rating, 1) for rating in ratings),
    "trec-dd-max": max,
}


def recognises(line: str) -> bool:
    """Whether a line can only be Dynamic Domain's.

    Both have five columns, but prels has its grade in the third, where this has a document.

    >>> recognises("DD16-1 DD16-1.1 ebola-63 25268 3"), recognises("1 clueweb09-en0003-55-31884 0 0 1")
    (True, False)
    """
    columns = files.columns(line)
    return len(columns) == 5 and parse_number(columns[2]) is None and all(map(_is_whole, columns[3:]))


def read(lines: Iterable[tuple[int, str]], source: str, rule: str) -> Judgments:
    """Judgments from numbered lines, one grade per document and subtopic by one of the `RULES`."""
    passages: dict[tuple[str, str, str], dict[int, tuple[int, int]]] = {}  # passage: line, rating
    for number, line in lines:
        where = f"{source}, line {number}"
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
                f"stands at line {rated[passage][0]} already; remove one of them"
            )
        rated[passage] = (number, rating)
    folded = []
    for (topic, subtopic, doc), rated in passages.items():
        lines_of, ratings = zip(*rated.values(), strict=True)
        folded.append(Judged(lines_of[0], topic, subtopic, doc, RULES[rule](ratings)))
    return Judgments(judgment_table(source, folded), source)


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,15}", text) is not None
