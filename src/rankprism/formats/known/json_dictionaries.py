"""Judgments and runs as one JSON object, such as `{topic: {document: number}}`.

Nothing in such a file says whether the numbers are grades or scores. That depends on the place where the file
is given.
"""

from __future__ import annotations

import json
import re
from typing import Any

from rankprism._core import RunTable
from rankprism.data import Judgments, Run
from rankprism.errors import InputError, listed
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, Written, register
from rankprism.formats.frames import judgment_table, run_table
from rankprism.formats.judged import joined
from rankprism.formats.memory import judgment_columns, run_columns
from rankprism.formats.ranked import ranking
from rankprism.formats.roles import are_ranks, refuse_scores
from rankprism.formats.source import is_ranked_list
from rankprism.formats.spellings import ONLY_ASPECT, has
from rankprism.formats.weights import weights_beside
from rankprism.text import quoted
from rankprism.types import Duplicates, Order

_NAME = r'\s*"(?:[^"\\]|\\.)*"\s*:'
#: An object of objects, the first of which is empty or holds a number or another object.
_NESTED = re.compile(rf"\s*\{{{_NAME}\s*\{{(?:\s*\}}|{_NAME}\s*[-0-9{{])")
#: An object of lists, the first of which is empty or holds a text or a number.
_LISTS = re.compile(rf'\s*\{{{_NAME}\s*\[\s*["\]0-9]')
_META = "mteb_model_meta"
#: The predictions of a model on a task of MTEB: something about the model, or numbers four objects deep.
_PREDICTIONS = re.compile(
    rf'\s*\{{(?:\s*"{_META}"\s*:|{_NAME}(?:\s*\{{{_NAME}){{2}}\s*\{{(?:\s*\}}|{_NAME}\s*[-0-9]))'
)


def _recognises(start: files.Beginning) -> bool:
    return _NESTED.match(start.text) is not None


def _recognises_run(start: files.Beginning) -> bool:
    return _recognises(start) or _are_lists(start.text)


def _are_lists(text: str) -> bool:
    """Whether a text begins with an object of lists, and with nothing else if the object ends."""
    if _LISTS.match(text) is None:
        return False
    try:
        found, end = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return True  # cut off, or an error that reading explains
    return all(map(is_ranked_list, found.values())) and not text[end:].strip()


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
    refuse_scores(file.name, columns.number)
    return Judgments(judgment_table(columns), file.name)


def _read_run(file: files.File, duplicates: Duplicates) -> RunTable:
    return _run_table(_content(file), file.name)


def _read_runs(file: files.File) -> dict[str | None, RunTable]:
    """The runs of ``{run: {topic: {document: score}}}`` by name, or the only one."""
    content = _content(file)
    inner = [one for value in content.values() if isinstance(value, dict) for one in value.values()]
    names = {str(name) for one in inner if isinstance(one, dict) for name in one}
    if not inner or not all(isinstance(one, dict) for one in inner) or has(names, "score"):
        return {None: _run_table(content, file.name)}
    return {run: _run_table(rankings, f"{file.name}, run {run!r}") for run, rankings in content.items()}


def _run_table(content: dict[str, Any], name: str) -> RunTable:
    columns, empty = run_columns(content, name)
    if not columns.rank and not empty and are_ranks(columns.topic, columns.number):
        columns.rank = columns.number[:]  # so that this is noted
    table = run_table(columns)
    table.add_empty(list(empty))
    return table


def _read_predictions(file: files.File) -> dict[str | None, RunTable]:
    """The only ranking of each topic, by the name of the model."""
    content = _content(file)
    model = content.pop(_META, {})
    found = {
        (subset, split): rankings
        for subset, splits in content.items()
        if isinstance(splits, dict)
        for split, rankings in splits.items()
    }
    if len(found) != 1:
        subset, split = next(iter(found), ("default", "test"))
        remedy = f"write one of them to its own file, e.g. jq '.[{json.dumps(subset)}][{json.dumps(split)}]'"
        names = listed(f"{subset} {split}" for subset, split in found)
        raise InputError(
            f"{file.name}: holds predictions of {len(found)} subsets and splits"
            + (f" ({names}); {remedy}" if found else "; expected one")
        )
    rankings = next(iter(found.values()))
    if not isinstance(rankings, dict):
        raise InputError(
            f"{file.name}: holds predictions that are not rankings; name those of a retrieval task"
        )
    name = model.get("model_name") if isinstance(model, dict) else None
    return {name if isinstance(name, str) else None: _run_table(rankings, file.name)}


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
        summary="one JSON object: `{topic: {document: score}}`, or `{topic: [document, …]}` with the best "
        "document first",
        example='{"q1": {"d1": 14.2, "d2": 9.5}}',
        recognised_by="An object of objects that hold numbers, or of lists, if it is given as a run.",
        read=_read_run,
        read_runs=_read_runs,
        recognises=_recognises_run,
        write=_write_run,
        endings=(".json",),
    ),
)
register(
    RUN_FORMATS,
    Format(
        name="mteb",
        summary="the predictions that MTEB writes to its `prediction_folder`: "
        "`{subset: {split: {topic: {document: score}}}}` with one subset and split. The run has the name of "
        "the model.",
        example='{"mteb_model_meta": {"model_name": "m"}, "default": {"test": {"q1": {"d1": 0.7}}}}',
        recognised_by="An object that begins with `mteb_model_meta`, or numbers four objects deep.",
        read=lambda file, duplicates: next(iter(_read_predictions(file).values())),
        read_runs=_read_predictions,
        recognises=lambda start: _PREDICTIONS.match(start.text) is not None,
        confused_with={"json": "wins"},
    ),
)
