"""JSON lines: one JSON object on each line of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankprism.errors import InputError


def json_objects(
    lines: Iterable[tuple[int, str]], source: str, example: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each line stands, and the JSON object in it. `example`: what such a line looks like."""
    for number, line in lines:
        where = f"{source}, line {number}"
        yield where, json_object(line, where, example)


def json_object(line: str, where: str, example: str) -> dict[str, Any]:
    """The JSON object that stands in a line."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is no JSON object ({error}); write {example}") from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: is no JSON object, but {line.strip()[:40]!r}; write {example}")
    return row


def has_nuggets(line: str) -> bool:
    """Whether a line is a JSON object with nuggets, even if the line is not there to its end.

    >>> has_nuggets('{"qid": "q1", "nuggets": [{"te'), has_nuggets('{"topic": "q1", "left": "d1"}')
    (True, False)
    """
    return line.lstrip().startswith("{") and re.search(r'"nuggets"\s*:', line) is not None


def as_text(row: Mapping[str, Any], name: str, where: str) -> str:
    """A value of a JSON object as text that any database and page can hold; nothing if it is missing."""
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{where}: {name} must be text; got {value!r}")
    # JSON can spell characters that no text has: NUL, and halves of a surrogate pair.
    return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode()
