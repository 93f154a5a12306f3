"""prels of TREC's Million Query track: `topic document grade method probability`."""

from __future__ import annotations

from rankprism._core import parse_number
from rankprism.formats.files import Beginning
from rankprism.formats.format import JUDGMENT_FORMATS, Format, register
from rankprism.formats.shapes import rows_at
from rankprism.formats.trec import core_reader


def recognises(start: Beginning) -> bool:
    """Five columns, with a whole number in the third and a probability in the fifth.

    A method with a name is not between tabs, and one with a number has a whole one.
    """
    if len(start.columns) != 5:
        return False
    grade, method, probability = (parse_number(column) for column in start.columns[2:])
    if grade is None or probability is None or (method is None and start.line.count("\t") >= 4):
        return False
    numbers = [[parse_number(cell) for cell in row[2:]] for row in rows_at(start)]
    return all(
        (row[0] or 0) % 1 == 0 and (row[1] or 0) % 1 == 0 and 0 <= (row[2] or 0) <= 1
        for row in numbers
        if len(row) == 3
    )


register(
    JUDGMENT_FORMATS,
    Format(
        name="prels",
        summary="topic, document, grade, method, probability",
        example="1 clueweb09-en0003-55-31884 0 0 1",
        recognised_by="Five columns, with numbers in the third and the fifth.",
        read=core_reader("prels"),
        recognises=recognises,
        confused_with={"prefs": "yields"},
        loses="the method and probability of each document",
    ),
)
