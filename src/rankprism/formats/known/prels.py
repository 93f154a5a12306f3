"""prels of TREC's Million Query track: `topic document grade method probability`."""

from __future__ import annotations

from rankprism._core import parse_number
from rankprism.formats.files import Beginning
from rankprism.formats.format import JUDGMENT_FORMATS, Format, register
from rankprism.formats.trec import core_reader


def recognises(start: Beginning) -> bool:
    """Five columns, with numbers in the third and the fifth. A method with a name is not between tabs."""
    if len(start.columns) != 5:
        return False
    grade, method, probability = (parse_number(column) is not None for column in start.columns[2:])
    return grade and probability and (method or start.line.count("\t") < 4)


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
