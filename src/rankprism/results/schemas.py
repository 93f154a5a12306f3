"""The JSON Schema of every JSON output. `schemas.json` records the columns of each command.

`python -m tests.support.schemas` writes the record from what the commands print, and a test compares both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rankprism.errors import InputError, did_you_mean

#: The version of the schemas. Within a version, columns may be added. They are never renamed or removed, and
#: their types and meanings stay.
VERSION = 1
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
#: The name of the schemas.
_ID = f"urn:rankprism:schema:v{VERSION}"
#: The name under which the events of --log json are described.
LOG = "log"
#: The types of columns. A number is null if it is undefined. JSON has no infinity, so that is a text.
TYPES: Mapping[str, Any] = {
    "id": {"type": "string"},
    "text": {"type": ["string", "null"]},
    "number": {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]},
    "flag": {"type": ["boolean", "null"]},
    "list": {"type": ["array", "null"]},
    "value": {},
}
_EVENTS = {
    "started": {"command": "id", "version": "id"},
    "read": {"run": "id", "number": "number", "runs": "number"},
    "scored": {"share": "number"},
    "note": {"kind": "text", "message": "id"},
    "error": {"message": "id", "code": "number"},
    "finished": {"code": "number"},
}


@cache
def shapes() -> Mapping[str, Any]:
    """The columns of the rows and the keys of `about`, for each command and each option that changes them."""
    found: Mapping[str, Any] = json.loads(files(__package__).joinpath("schemas.json").read_text("utf-8"))
    return found


def commands() -> list[str]:
    """The commands whose JSON has a schema, and the word for events."""
    return [*dict.fromkeys(name.partition(" --")[0] for name in shapes()), LOG]


def schema(command: str | None = None) -> dict[str, Any]:
    """The JSON Schema of what a command prints as JSON, or of all commands."""
    names = commands()
    if command is None:
        every = {name: _of_command(name) for name in names}
        title = "JSON outputs of rankprism"
        return {"$schema": _DIALECT, "$id": _ID, "title": title, "$defs": every}
    if command not in names:
        meant = did_you_mean(command, {name: [name] for name in names})
        raise InputError(f"the command {command!r} has no JSON output{meant or '; see `rankprism schema`'}")
    return {"$schema": _DIALECT, "$id": f"{_ID}:{command.replace(' ', '-')}", **_of_command(command)}


def _of_command(command: str) -> dict[str, Any]:
    if command == LOG:
        return {"title": "a line of rankprism --log json", "oneOf": [_event(name) for name in _EVENTS]}
    tables = [
        _of_table(name, shape) for name, shape in shapes().items() if name.partition(" --")[0] == command
    ]
    return tables[0] if len(tables) == 1 else {"title": f"rankprism {command}", "anyOf": tables}


def _of_table(name: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    columns = {**shape["columns"], **shape["optional"]}
    row = {
        "type": "object",
        "required": list(shape["columns"]),
        "properties": {column: TYPES[kind] for column, kind in columns.items()},
        # Where measures or aspects name the other columns, all of these have one type.
        "additionalProperties": TYPES[shape["others"]] if "others" in shape else True,
    }
    return {
        "title": f"rankprism {name}",
        "type": "object",
        "required": ["rankprism", "schema", "about", "rows"],
        "properties": {
            "rankprism": {"type": "string", "description": "the version of the program"},
            "schema": {"const": VERSION, "description": "the version of this schema"},
            "about": {
                "type": "object",
                "description": "how the result was computed",
                "required": shape["about"],
            },
            "rows": {"type": "array", "items": row},
        },
    }


def _event(name: str) -> dict[str, Any]:
    facts = {column: TYPES[kind] for column, kind in _EVENTS[name].items()}
    properties = {"event": {"const": name}, "time": {"type": "string", "format": "date-time"}, **facts}
    return {"type": "object", "required": list(properties), "properties": properties}
