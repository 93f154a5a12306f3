"""NTCIR's judgments, as NTCIREVAL reads them.

Lines are `topic intent document L2` (Dqrels, I-qrels) or, ad hoc, `topic document L2`; the levels L0 to L9
are the grades 0 to 9. A second file has aspect weights, which `weights` reads: `topic intent probability`
(Iprob), perhaps with a fourth column inf or nav (DINprob).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, Format, Written, register
from rankprism.formats.judged import JudgedLine, joined, judgment_table
from rankprism.formats.spellings import ONLY_ASPECT
from rankprism.formats.weights import weights_beside


def recognises(start: files.Beginning) -> bool:
    """Three or four columns; no other format has grades like L2."""
    return len(start.columns) in (3, 4) and re.fullmatch(r"L\d+", start.columns[-1]) is not None


def _read(file: files.File) -> Judgments:
    return Judgments(judgment_table(file.name, _judged(file.lines(), file.name)), file.name)


def _judged(lines: Iterable[tuple[int, str]], source: str) -> Iterator[JudgedLine]:
    width = 0  # the number of columns in the first line
    for number, line in lines:
        where = f"{source}, line {number}"
        columns = files.columns(line)
        if len(columns) not in (3, 4):
            raise InputError(
                f"{where}: expected 4 columns: topic intent document level, or 3: topic document level; "
                f"found {len(columns)}"
            )
        width = width or len(columns)
        if len(columns) != width:
            raise InputError(
                f"{where}: found {len(columns)} columns, but {width} in the lines before; "
                f"give every line an intent, or none"
            )
        level = columns[-1]
        if not re.fullmatch(r"L[0-9]", level):
            raise InputError(f"{where}: the level {level!r} is not one of L0 to L9")
        aspect = columns[1] if width == 4 else ONLY_ASPECT
        yield JudgedLine(number, columns[0], aspect, columns[-2], float(level[1]))


def _write(judgments: Judgments) -> Written:
    """Dqrels, or ad hoc qrels where the only aspect is 0; and Iprob or DINprob if there are weights."""
    adhoc = set(judgments.table.aspects) == {ONLY_ASPECT}
    lines = judgments.table.lines(judgments.source, "ntcir-adhoc" if adhoc else "ntcir", [])
    weights, notes = weights_beside(judgments)
    ending = ".Iprob" if judgments.navigational is None else ".DINprob"
    return Written(lines, {ending: joined(weights)} if weights else {}, (*notes, *_unusual(judgments)))


def _unusual(judgments: Judgments) -> tuple[str, ...]:
    if judgments.weights is None:
        return ()
    start = judgments.cells.aspect_start
    for t, topic in enumerate(judgments.topics):
        total = float(judgments.weights[start[t] : start[t + 1]].sum())
        if total > 1 + 1e-2:  # published files have four decimals
            return (f"the weights of topic {topic!r} sum to {total:g}; NTCIREVAL expects probabilities",)
    return ()


register(
    JUDGMENT_FORMATS,
    Format(
        name="ntcir",
        summary="topic, intent, document, level; or without intents topic, document, level",
        example="0001 3 clueweb09-en0001-02-21241 L1",
        recognised_by="Three or four columns, the last of which looks like `L1`.",
        read=_read,
        recognises=recognises,
        confused_with={"winner": "wins", "winner-loser": "wins", "text": "wins"},
        write=_write,
        endings=(".Dqrels",),
    ),
)
