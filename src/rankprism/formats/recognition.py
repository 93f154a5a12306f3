"""Finding out what a file may be, from its beginning. `rankprism.formats.source` asks here.

Each record says which files may have its format, which formats it can be confused with, and which of the two
such a file then has. If one format remains, it is the answer. If two formats of one kind remain, the file is
refused, and the message says what to do. A file may be both judgments and a run, such as
`{topic: {document: number}}` in JSON; the place where it is given decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankprism._core import parse_number
from rankprism.errors import InputError, enumerated
from rankprism.formats import files
from rankprism.formats.format import Format, chosen, default_of

#: The kinds of files and their names in messages. A file that may be of several kinds is taken for the first
#: of them, unless the place where it is given says more.
KINDS = {"preferences": "preferences", "judgments": "judgments", "scores": "scores", "run": "a run"}
#: What to do with files of other kinds in the place of judgments.
_INSTEAD = {
    "preferences": "read them with read_preferences, or say with format= (--qrels-format) which judgments "
    "they are",
    "run": "name the judgments first and then the runs",
}


def formats_of(kind: str) -> Mapping[str, Format[Any]]:
    """The formats of one of `KINDS`, by name."""
    from rankprism.formats import known

    formats: dict[str, Mapping[str, Format[Any]]] = {
        "preferences": known.PREFERENCE_FORMATS,
        "judgments": known.JUDGMENT_FORMATS,
        "scores": known.SCORE_FORMATS,
        "run": known.RUN_FORMATS,
    }
    return formats[kind]


def only_format(place: str, file: files.File) -> Format[Any]:
    """The only format that a file may have where one of `KINDS` is expected. Other files are refused."""
    beginning = file.beginning
    claims = claims_on(beginning)
    own = claims.get(place, [])
    if len(own) == 1:
        return own[0]
    where = f"{file.name}, line {beginning.number}"
    if len(own) > 1:
        names = enumerated([record.name for record in own], "or")
        doubts = "".join(f"; {record.doubt}" for record in own if record.doubt)
        raise InputError(
            f"{where}: {beginning.line.strip()[:60]!r} may be {names}{doubts}; say which it is with format= "
            f"({'--run-format' if place == 'run' else '--qrels-format'})"
        )
    named = _named_table(place, beginning, claims)
    if named is not None:
        return named
    if place == "judgments":
        _refuse_others(where, beginning.line, claims)
    from rankprism.formats.json_lines import refuse_json

    refuse_json(where, beginning.text, KINDS[place])
    if place == "preferences":
        _refuse_unknown_preferences(file)
    if place in ("judgments", "run"):
        from rankprism.formats.shapes import refuse_shape

        refuse_shape(place, file)
    return default_of(formats_of(place))


def _named_table(
    place: str, beginning: files.Beginning, claims: Mapping[str, list[Format[Any]]]
) -> Format[Any] | None:
    """The reader of tables for a file that names its columns. It says which column is missing."""
    from rankprism.formats.spellings import has
    from rankprism.formats.table import names_of

    others = claims.get("preferences", []) + claims.get("run" if place == "judgments" else "judgments", [])
    if place not in ("judgments", "run") or (others and place == "judgments"):
        return None
    names = names_of(beginning)
    is_json = beginning.text.lstrip()[:1] in ("{", "[")
    return formats_of(place)["table"] if names and (has(names, "topic", "document") or not is_json) else None


def chosen_format(place: str, format: str) -> Format[Any]:
    """The format with this name among those that can be read in a place."""
    return chosen(formats_of(place), format, place.removesuffix("s"))


def claims_on(beginning: files.Beginning) -> dict[str, list[Format[Any]]]:
    """The formats that a file may have, by kind. Several ask, so the beginning keeps the answer."""
    if beginning.claims is None:
        beginning.claims = _claims_on(beginning)
    return beginning.claims


def _claims_on(beginning: files.Beginning) -> dict[str, list[Format[Any]]]:
    def fits(record: Format[Any]) -> bool:
        # The first bytes of a DuckDB file are a checksum, which may be anything, such as a tab.
        return (record.name in files.TABLES or not beginning.is_table) and record.recognises(beginning)

    found = {kind: [record for record in formats_of(kind).values() if fits(record)] for kind in KINDS}
    every = [record for records in found.values() for record in records]
    beaten = {
        name if result == "wins" else record.name
        for record in every
        for name, result in record.confused_with.items()
        if any(other.name == name for other in every)
    }
    settled = {kind: [r for r in records if r.name not in beaten] for kind, records in found.items()}
    return {kind: records for kind, records in settled.items() if records}


def _refuse_others(where: str, line: str, claims: Mapping[str, list[Format[Any]]]) -> None:
    """Refuse preferences and runs in the place of judgments."""
    for kind, remedy in _INSTEAD.items():
        for found in claims.get(kind, ()):
            raise InputError(
                f"{where}: {line.strip()[:60]!r} looks like {KINDS[kind]} ({found.name}: {found.summary}), "
                f"not like absolute judgments; {remedy}"
            )


def _refuse_unknown_preferences(file: files.File) -> None:
    first, columns = file.beginning.line, file.beginning.columns
    if not first.strip():
        raise InputError(f"{file.name}: there are no preferences in it; a table of them begins with a header")
    known = "; ".join(f"{record.name}: {record.summary}" for record in formats_of("preferences").values())
    if 3 <= len(columns) <= 5 and parse_number(columns[-1]) is not None:
        raise InputError(
            f"{file.name}: the first line {first.strip()[:80]!r} may be absolute judgments as well as "
            f"preferences. Name their format with format= (--from, or for runs --preferences-format): {known}"
        )
    raise InputError(
        f"{file.name}: the first line {first[:80]!r} does not look like preferences. Known formats are "
        f"{known}"
    )
