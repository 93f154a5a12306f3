"""Judgments and runs as one JSON object: `{topic: {document: number}}`.

Nothing in such a file says whether the numbers are grades or scores. That depends on the place where the file
is given.
"""

from __future__ import annotations

import json
import re
from typing import Any

from rankprism._core import RunTable
from rankprism.data.judgments import Judgments
from rankprism.data.run import Run
from rankprism.errors import InputError
from rankprism.foreign import quoted
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, Written, register
from rankprism.formats.frames import judgment_table, run_table
from rankprism.formats.judged import joined
from rankprism.formats.memory import judgment_columns, run_columns
from rankprism.formats.ranked import ranking
from rankprism.formats.spellings import ONLY_ASPECT
from rankprism.formats.weights import weights_beside
from rankprism.types import Duplicates, Order

_NAME = r'\s*"(?:[^"\\]|\\.)*"\s*:'
#: An object of objects, the first of which is empty or holds a number or another object.
_NESTED = re.compile(rf"\s*\{{{_NAME}\s*\{{(?:\s*\}}|{_NAME}\s*[-0-9{{])")


def _recognises(start: files.Beginning) -> bool:
    return _NESTED.match(start.text) is not None


def _content(file: files.File) -> dict[str, Any]:
    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{file.name}: the name {quoted(twice)} occurs twice in one object; remove one")
        return found

    try:
        content = json.loads(file.text(), object_pairs_hook=without_repetition)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file.name}: cannot be read as JSON ({error})") from None
    if not isinstance(content, dict) or not content:
        raise InputError(f"{file.name}: expected a JSON object, {{topic: {{document: number}}}}")
    return content


def _read(file: files.File) -> Judgments:
    columns = judgment_columns(_content(file), file.name)
    if not columns.number:
        raise InputError(f"{file.name}: there are no judgments in it; write {{topic: {{document: grade}}}}")
    return Judgments(judgment_table(columns), file.name)


def _read_run(file: files.File, duplicates: Duplicates) -> RunTable:
    columns, empty = run_columns(_content(file), file.name)
    table = run_table(columns)
    table.add_empty(list(empty))
    return table


def _write(judgments: Judgments) -> Written:
    has_aspects = set(judgments.table.aspects) != {ONLY_ASPECT}
    found: dict[str, dict[str, Any]] = {}
    for topic, aspect, doc, grade in zip(*judgments.table.columns(), strict=True):
        graded = found.setdefault(topic, {})
        (graded.setdefault(aspect, {}) if has_aspects else graded)[doc] = _number(grade)
    weights, notes = weights_beside(judgments)
    return Written(_text(found), {".weights": joined(weights)} if weights else {}, notes)


def _write_run(run: Run, order: Order, duplicates: Duplicates) -> Written:
    ranked = ranking(run, order, duplicates, keeps_scores=order == "score")
    topics, docs, _, _ = run.table.columns()
    found: dict[str, dict[str, Any]] = {}
    for line, score in zip(ranked.line, ranked.scores, strict=True):
        found.setdefault(topics[line], {})[docs[line]] = _number(score)
    return Written(_text(found), notes=ranked.notes)


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else float(value)


def _text(content: dict[str, Any]) -> bytes:
    return f"{json.dumps(content, ensure_ascii=False, indent=1)}\n".encode()


register(
    JUDGMENT_FORMATS,
    Format(
        name="json",
        summary="one JSON object: `{topic: {document: grade}}` or `{topic: {aspect: {document: grade}}}`",
        example='{"q1": {"d1": 2, "d2": 0}}',
        recognised_by="An object of objects that hold numbers or further objects.",
        read=_read,
        recognises=_recognises,
        write=_write,
        endings=(".json",),
    ),
)
register(
    RUN_FORMATS,
    Format(
        name="json",
        summary="one JSON object: `{topic: {document: score}}`",
        example='{"q1": {"d1": 14.2, "d2": 9.5}}',
        recognised_by="An object of objects that hold numbers, if it is given as a run.",
        read=_read_run,
        recognises=_recognises,
        write=_write_run,
        endings=(".json",),
    ),
)
