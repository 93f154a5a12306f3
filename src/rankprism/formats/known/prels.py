"""prels of TREC's Million Query track: `topic document grade method probability`."""

from __future__ import annotations

from rankprism._core import parse_number
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, Format, register
from rankprism.formats.known import evall
from rankprism.formats.trec import core_reader, two_grades


def numbers_between_tabs(line: str) -> bool:
    r"""Whether a line may be prels, with tabs between its columns, and an EvALL gold standard's as well.

    >>> numbers_between_tabs("1\td\t1\t3\t0.5"), numbers_between_tabs("1 d 1 3 0.5")
    (True, False)
    """
    columns = line.split("\t")
    return len(columns) == 5 and all(parse_number(column) is not None for column in columns[2:])


def recognises(line: str) -> bool:
    """Whether a line can only be of prels: five columns, with numbers in the third and the fifth."""
    columns = files.columns(line)
    if len(columns) != 5 or two_grades(line) or numbers_between_tabs(line) or evall.recognises(line):
        return False
    return None not in (parse_number(columns[2]), parse_number(columns[4]))


register(
    JUDGMENT_FORMATS,
    Format(
        name="prels",
        summary="topic, document, grade, method, probability",
        example="1 clueweb09-en0003-55-31884 0 0 1",
        recognised_by="Five columns, with numbers in the third and the fifth.",
        read=core_reader("prels"),
        recognises=recognises,
        loses="the method and probability of each document",
    ),
)
