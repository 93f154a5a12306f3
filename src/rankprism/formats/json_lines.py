"""JSON lines, with one JSON object on each line of a file. Other JSON is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from shlex import quote
from typing import Any

from rankprism.data import some
from rankprism.errors import InputError


def json_objects(
    lines: Iterable[tuple[int, str]], source: str, example: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place of each line and the JSON object in it. `example` : what such a line looks like."""
    for number, line in lines:
        where = f"{source}, line {number}"
        yield where, json_object(line, where, example)


def json_object(line: str, where: str, example: str) -> dict[str, Any]:
    """The JSON object in a line."""
    if (is_array := line.lstrip().startswith("[")) or line.strip() == "{":
        raise InputError(
            f"{where}: {'is a JSON array' if is_array else 'begins a JSON object over several lines'}; "
            f"write each object on a line of its own, e.g. with jq -c {quote('.[]') if is_array else '.'}, "
            f"like {example}"
        )
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not a JSON object ({error}); write {example}") from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: is not a JSON object, but {line.strip()[:40]!r}; write {example}")
    return row


#: For each place where a file may be named: what is read there, and which JSON; None means no JSON.
_READ = {
    "judgments": (
        "judgments are lines of topic, subtopic, document and grade, or {topic: {document: grade}}, or "
        "nuggets as one JSON object on each line: "
        '{"qid": "q1", "nuggets": [{"text": "…", "importance": "vital"}]}',
        "nuggets",
    ),
    "a run": (
        "a run has lines of topic, Q0, document, rank, score and tag, or is {topic: {document: score}} or "
        "{topic: [document, …]}, or answers with nuggets as one JSON object "
        'on each line: {"qid": "q1", "nuggets": [{"text": "…", "assignment": "support"}]}',
        "nuggets",
    ),
    "preferences": (
        "preferences are a table with topic, left, right and outcome, or one JSON object on each line: "
        '{"topic": "q1", "left": "d1", "right": "d2", "outcome": "left"}',
        "preferences",
    ),
    "scores": ("scores are CSV, TSV, Parquet, or the output of trec_eval -q", None),
}
#: Common kinds of JSON by the names in their objects, the most certain ones first.
_KINDS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"nuggets"}), "nuggets"),
    (frozenset({"rubrics"}), "rubrics of TREC RAG"),
    (frozenset({"rankprism", "about", "rows"}), "a result of rankprism"),
    (frozenset({"left", "right", "outcome"}), "preferences"),
    (frozenset({"user_input", "retrieved_contexts"}), "rows of ragas"),
    (frozenset({"question", "contexts"}), "rows of ragas"),
)
_NAME = re.compile(r'"((?:[^"\\]|\\.){1,60})"\s*:')


def is_json(start: str) -> bool:
    """Whether a file that begins like this holds JSON objects or arrays.

    >>> [is_json(start) for start in ('{"qid": 1}', '[\\n {', "[q1] 0 d1 1")]
    [True, True, False]
    """
    return re.match(r'\s*(\{\s*(["}]|$)|\[\s*([\[{"\]]|$))', start) is not None


def refuse_json(where: str, start: str, place: str) -> None:
    """Refuse JSON where something else is read, and say what it looks like. `start` : the file's beginning.

    >>> rubric = '{"qid": "1", "rubrics": ["It names the year."]}'
    >>> refuse_json("a.json", rubric, "judgments")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rankprism.errors.InputError: a.json: is JSON with the names 'qid', 'rubrics', which looks like ...
    """
    if not is_json(start):
        return
    read, known = _READ[place]
    is_array = start.lstrip().startswith("[")
    value = _first_object(start)
    is_long = (
        not is_array and "\n" in start.strip() and _first_object(start.strip().partition("\n")[0]) is None
    )
    names = list(value) if value is not None else list(dict.fromkeys(_NAME.findall(start[:2000])))
    kind = next((kind for signs, kind in _KINDS if signs <= set(names)), None)
    shape = "a JSON array" if is_array else "JSON over several lines" if is_long else "JSON"
    nested = value is not None and value != {} and all(isinstance(inner, dict) for inner in value.values())
    if not is_array and nested:
        what = "is a JSON object of objects"
        remedy = (
            "load it in Python with json.load and pass the dictionary, if it is {topic: {document: number}}"
        )
    else:
        what = f"is {shape} with the names {some(names, 4)}" if names else f"is {shape}"
        what += f", which looks like {kind}" if kind else ""
        remedy = "turn it into one of these, or pass a dictionary, rows or a frame in Python"
        if kind is not None and kind == known:
            jq = "jq -c '.[]'" if is_array else "jq -c ."
            remedy = f"write each object on a line of its own, e.g. with {jq}"
        elif kind == "a result of rankprism":
            remedy = "write the result as CSV or Parquet instead (-o scores.csv)"
    raise InputError(f"{where}: {what}. It cannot be read as {place}: {read}; {remedy}")


def _first_object(start: str) -> dict[str, Any] | None:
    """The first JSON object in a text; None if the text ends before it does."""
    try:
        value, _ = json.JSONDecoder().raw_decode(start, start.index("{"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def has_names(line: str, names: Iterable[str], least: int) -> bool:
    """Whether a line is a JSON object with at least `least` of these names, even if it is cut off.

    >>> has_names('{"topic": "q1", "left": "d1", "right": "d', ["topic", "left", "right", "outcome"], 3)
    True
    """
    if not line.lstrip().startswith("{"):
        return False
    found = set(_NAME.findall(line))
    return sum(name in found for name in names) >= least


def has_nuggets(line: str) -> bool:
    """Whether a line is a JSON object with nuggets, even if the line is cut off.

    >>> has_nuggets('{"qid": "q1", "nuggets": [{"te'), has_nuggets('{"topic": "q1", "left": "d1"}')
    (True, False)
    """
    return line.lstrip().startswith("{") and re.search(r'"nuggets"\s*:', line) is not None


def as_text(row: Mapping[str, Any], name: str, where: str) -> str:
    """A value of a JSON object as text that any database and page can hold; "" if it is missing."""
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{where}: {name} must be text; got {value!r}")
    # JSON can spell characters that are not valid in text: NUL and lone surrogates.
    return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode()
