"""A table: names of columns and rows of cells, whatever it comes from.

Text with separators, JSON, rows in memory and frames become a `Table` here. Which column plays which role is
decided in `rankprism.formats.roles`, by the names in `rankprism.formats.spellings` or by what the user says.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rankprism._core import parse_number
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.spellings import NAMES, QUALITIES, SPELLINGS, has, option, plain, plain_names

#: Names that are also ordinary ids, and so no sign of a header.
_SHORT = {"a", "b"}
_KNOWN = {plain(name) for role in NAMES for name in SPELLINGS[role]}.union(map(plain, QUALITIES)) - _SHORT
_SEPARATORS = ",;\t|"
BLANKS = " "
#: What stands for a column without a name in a list of columns.
SKIPPED = "-"
#: How cells say that there is no value.
NOTHING = ("", "nan", "na", "n/a", "null", "none", "<na>")

#: The number of a row, and its cells.
Row: TypeAlias = tuple[int, Sequence[Any]]


class Header(NamedTuple):
    """The line of a text that names its columns."""

    names: tuple[str, ...]
    separator: str
    before: int = 0  #: how many lines of data are above it


class Table(NamedTuple):
    """The columns of a source, and its rows."""

    label: str  #: the name of the source in messages
    names: tuple[str, ...]
    rows: Iterable[Row]
    unit: str = "row"  #: what is counted: rows or lines
    header: str = ""  #: the place of the names in messages
    is_text: bool = False  #: whether the cells are texts
    in_lists: bool = False  #: whether the rows are the entries of ranked lists, in their order

    @property
    def place(self) -> str:
        return self.header or self.label

    def where(self, number: int) -> str:
        return f"{self.label}, {self.unit} {number}"


class Columns(NamedTuple):
    """The columns that the user has named: by role, or by position for a table without names."""

    named: Mapping[str, str] = {}
    placed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.named or self.placed)

    @property
    def place(self) -> str | None:
        """What a table without names holds whose columns these are; None if the columns have names."""
        if not self.placed:
            return None
        if not {"left", "right", "winner", "loser"}.isdisjoint(self.placed):
            return "preferences"
        return "judgments" if {"score", "rank", "run"}.isdisjoint(self.placed) else "run"


#: The names alone say which column is which.
NOT_SAID = Columns()


# ── text with separators ─────────────────────────────────────────────────────────────────────────


def header_of(start: files.Beginning) -> Header | None:
    """The names of the columns, if a file begins with a line of them."""
    if start.header is None:
        start.header = (_header_of(start),)
    found: Header | None = start.header[0]
    return found


def _header_of(start: files.Beginning) -> Header | None:
    if start.is_table or not start.line or start.line.lstrip()[:1] in "{[":
        return None
    first = start.line.strip()
    lines = [line for _, line in start.lines]
    if (said := re.fullmatch(r'"?sep=(.)"?,*', first)) and len(lines) > 1:
        found = _named(lines[1], said[1])
        return None if found is None else found._replace(before=1)
    return _named(start.line, None)


def has_said(start: files.Beginning, columns: Columns | None) -> bool:
    """Whether a file has one of the columns that the user has named, or is said to have no names."""
    if columns is None or start.is_table or not start.line:
        return False
    if columns.placed:
        return True
    said = {name.removeprefix("-") for name in columns.named.values()} - {""}
    if start.text.lstrip()[:1] in ("{", "["):
        row = _first_object(start.text) or {}
        return any(name in _paths(row) or _at(row, name.partition("[]")[0]) is not None for name in said)
    if header_of(start) is None:
        start.header = (_named(start.line, None, said),)
    header = header_of(start)
    return header is not None and not said.isdisjoint(header.names)


def _named(line: str, separator: str | None, said: Iterable[str] = ()) -> Header | None:
    if re.match(r"#\w", line):
        line = line[1:]
    if separator is None:
        separator = "::" if "::" in line else max(_SEPARATORS, key=line.count)
    if separator not in line:
        separator = BLANKS
    cells = cells_of(line, separator)
    if cells is None or len(cells) < 2:
        return None
    dummies = ("0",) if separator == BLANKS else ()  # TREC's second column
    if any(parse_number(cell) is not None and cell not in dummies for cell in cells):
        return None
    names = tuple(cell.strip().strip('"') for cell in cells)
    if not set(said).isdisjoint(names):
        return Header(names, separator)
    known = [name for name in map(plain, names) if name in _KNOWN]
    if separator == BLANKS:
        # Ids between blanks may be words. A header begins with a topic, and has a document or both sides.
        rest = {plain(name) for name in names[1:]}
        is_first = plain(names[0]) in {plain(name) for name in SPELLINGS["topic"] if name != "_id"}
        if not is_first or not (rest & _DOCUMENTS or len(rest & _SIDES) > 1):
            return None
    return Header(names, separator) if len(set(known)) >= 2 else None


_DOCUMENTS = {plain(name) for name in SPELLINGS["document"]}
_SIDES = {plain(name) for role in ("left", "right", "winner", "loser") for name in SPELLINGS[role]} - _SHORT


def cells_of(line: str, separator: str) -> list[str] | None:
    """The cells of one line; None if a quote is misplaced."""
    if separator == BLANKS and '"' not in line:
        return files.columns(line)
    if separator == "::":
        return line.split("::")
    if separator == "|" and line.strip().startswith("|") and line.strip().endswith("|"):
        return [cell.strip() for cell in line.strip()[1:-1].split("|")]
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=separator == BLANKS), [])
    except csv.Error:
        return None


def separator_of(line: str) -> str:
    """What stands between the columns of a line without names."""
    if "::" in line:
        return "::"
    best = max(_SEPARATORS, key=line.count)
    return best if best in line else BLANKS


def of_text(file: files.File, names: Sequence[str] = ()) -> Table:
    """The table in a text. `names` : of its columns, if it has no line that names them."""
    header = None if names else header_of(file.beginning)
    lines = file.lines()
    for _ in range(0 if header is None else header.before):
        next(lines, None)
    if header is None:
        if header_of(file.beginning) is not None:
            next(lines, None)  # the user says where the columns are, whatever the header calls them
        separator = separator_of(file.beginning.line)
        rows = _rows(file.name, lines, separator, tuple(names), 0)
        return Table(file.name, tuple(names), rows, "line", "", True)
    number, first = next(lines, (1, ""))
    _check_carriage_returns(f"{file.name}, line {number}", first)
    own = header.names
    second = file.beginning.lines[1][1] if len(file.beginning.lines) > 1 and not header.before else ""
    if '"' in first and len(cells_of(second, header.separator) or ()) == len(own) + 1:
        own = ("", *own)  # R gives rows a name, but not their column
    rows = _rows(file.name, lines, header.separator, own, number)
    return Table(file.name, own, rows, "line", f"{file.name}, line {number}", True)


def _check_carriage_returns(where: str, line: str) -> None:
    if "\r" in line:
        raise InputError(
            f"{where}: has a carriage return inside a line; if its lines end in carriage returns only, "
            f"convert it, e.g. tr '\\r' '\\n'"
        )


def _rows(
    label: str, lines: Iterator[tuple[int, str]], separator: str, names: tuple[str, ...], before: int
) -> Iterator[Row]:
    number = before

    def below() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007 (the reader asks for one line at a time)
            yield line

    if separator in (BLANKS, "::", "|"):
        found: Iterator[list[str]] = ((cells_of(line, separator) or [line]) for line in below())
    else:
        found = csv.reader(below(), delimiter=separator, strict=True)
    try:
        for row in found:
            if separator == "|" and all(re.fullmatch(r":?-+:?", cell.strip()) for cell in row):
                continue  # the line below the names of a table in Markdown
            if len(row) != len(names):
                source = "the header has" if before else "there are names for"
                raise InputError(
                    f"{label}, line {number}: has {len(row)} columns, but {source} {len(names)}; write one "
                    f"value for each column"
                )
            cells = [cell.strip() for cell in row]
            if before and cells[0] == names[0] and tuple(cells) == names:
                raise InputError(
                    f"{label}, line {number}: is the header again; remove it, and check what was joined here"
                )
            yield number, cells
            before = before and number
    except csv.Error as error:
        raise InputError(
            f"{label}: after line {before}, a quote is not closed or not doubled ({error})"
        ) from None


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def json_names(start: files.Beginning) -> tuple[str, ...] | None:
    """The paths of the columns, if a file begins as objects of JSON that may be rows."""
    if start.is_table or start.text.lstrip()[:1] not in ("{", "["):
        return None
    first = _first_object(start.text)
    return None if first is None else tuple(_paths(first))


def _first_object(text: str) -> dict[str, Any] | None:
    """The first object of an array, or of lines of objects."""
    begin = text.lstrip()
    is_array = begin.startswith("[")
    if is_array and not begin[1:].lstrip().startswith("{"):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(begin, begin.index("{"))
    except (ValueError, RecursionError):
        return None
    is_several = is_array or begin[end:].lstrip().startswith("{")
    is_flat = any(not isinstance(inner, dict | list) for inner in value.values())
    return value if isinstance(value, dict) and (is_several or is_flat) else None


def _paths(row: Mapping[str, Any], before: str = "", depth: int = 3, lists: int = 1) -> dict[str, int]:
    """The paths of the values in an object, such as `query.qid` and `candidates[].docid`, by depth.

    Of values that have the same name, only the least deep one is taken.
    """
    found: dict[str, int] = {}
    inner: list[tuple[str, Mapping[str, Any], int]] = []
    for name, value in row.items():
        path = f"{before}{name}"
        if isinstance(value, dict) and value:
            inner.append((f"{path}.", value, lists))
        elif isinstance(value, list) and value and isinstance(value[0], dict) and lists:
            inner.append((f"{path}[].", value[0], lists - 1))
        else:
            found[path] = 4 - depth
    if depth > 1:
        for start, value, left in inner:
            taken = {plain(path) for path in found}
            deeper = _paths(value, start, depth - 1, left)
            found |= {path: at for path, at in deeper.items() if plain(path) not in taken}
    return found


def of_json(
    file: files.File, wanted: Callable[[Sequence[str]], Iterable[str]], given: Sequence[str]
) -> Table:
    """The table in an array of objects, or in one object on each line.

    wanted : the paths that are needed, among all. given : paths that the user has named.
    """
    text = file.text()
    objects: Iterable[tuple[int, Any]]
    if text.lstrip().startswith("["):
        objects, unit = enumerate(_loaded(text, file.name), 1), "object"
    else:
        lines = [(number, line) for number, line in file.lines() if line.strip()]
        objects = ((number, _loaded(line, f"{file.name}, line {number}")) for number, line in lines)
        unit = "line"
    return of_objects(file.name, objects, unit, wanted, given)


def of_objects(
    label: str,
    objects: Iterable[tuple[int, Any]],
    unit: str,
    wanted: Callable[[Sequence[str]], Iterable[str]],
    given: Sequence[str] = (),
) -> Table:
    kept: list[tuple[int, Mapping[str, Any]]] = []
    every: dict[str, None] = {}
    for number, value in objects:
        if not isinstance(value, Mapping):
            raise InputError(f"{label}, {unit} {number}: is not a JSON object, but {value!r:.40}")
        kept.append((number, value))
        every.update(dict.fromkeys(_paths(value)))
    names = (*every, *(path for path in given if path not in every and _is_path(path)))
    paths = list(wanted(names))
    lists = {path[: path.index("[]")] for path in paths if "[]" in path}
    if len(lists) > 1:
        both = " and ".join(sorted(lists))
        raise InputError(f"{label}: {both} are two lists; take columns from one of them")

    def rows() -> Iterator[Row]:
        for number, value in kept:
            if not lists:
                yield number, [_at(value, name) for name in names]
                continue
            (start,) = lists
            entries = _at(value, start)
            for entry in entries if isinstance(entries, list | tuple) else ():
                yield number, [_entry(value, entry, start, name) for name in names]

    place = f"{label}, {unit} {kept[0][0]}" if kept else label
    return Table(label, names, rows(), unit, place, in_lists=bool(lists))


def _is_path(name: str) -> bool:
    return "." in name or "[]" in name


def _loaded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not a JSON object ({error})") from None


def _at(value: Any, path: str) -> Any:
    if isinstance(value, Mapping) and path in value:
        return value[path]
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _entry(value: Any, entry: Any, start: str, path: str) -> Any:
    """The value of a row that an entry of a list makes."""
    if not path.startswith(f"{start}[]"):
        return None if "[]" in path else _at(value, path)
    inner = path.removeprefix(f"{start}[]").removeprefix(".")
    return _at(entry, inner) if inner else entry


# ── a file ───────────────────────────────────────────────────────────────────────────────────────


def names_of(start: files.Beginning) -> tuple[str, ...]:
    """The names of the columns, if a file begins as a table of text or JSON; none if it does not."""
    header = header_of(start)
    return (json_names(start) or ()) if header is None else header.names


def of_file(file: files.File, roles: Sequence[str], needed: Sequence[str] = ()) -> Table:
    """The table in a text or in JSON.

    roles : those that are needed, which say which lists in JSON are looked into. needed : further columns.
    """
    said = columns_of(file)
    if file.beginning.text.lstrip()[:1] not in ("{", "["):
        return of_text(file, said.placed)
    given = [name.removeprefix("-") for name in said.named.values()] + list(needed)
    return of_json(file, lambda names: _wanted(names, roles, given), given)


def columns_of(file: files.File) -> Columns:
    """What the user says about the columns of a file."""
    said: Columns = file.columns or NOT_SAID
    return said


def _wanted(names: Sequence[str], roles: Sequence[str], said: Sequence[str]) -> list[str]:
    """The paths that may play the roles, without lists if they are not needed."""
    known = {name for role in roles for name in plain_names(role)}
    found = [name for name in names if name in said or plain(name) in known]
    flat = [name for name in found if "[]" not in name]
    return flat if has(flat, "document") and not any("[]" in name for name in said) else found


# ── rows in memory ───────────────────────────────────────────────────────────────────────────────


def of_rows(source: Any, label: str, shapes: Sequence[Sequence[str]], like: str) -> Iterator[Table]:
    """Rows in memory as tables; consecutive rows with the same names make one table.

    shapes : the columns of rows without names, by their number. like : what such a row looks like.
    """
    if not isinstance(source, Iterable) or isinstance(source, str | bytes):
        raise InputError(
            f"{label}: cannot read {type(source).__name__} objects; pass a path, a dict, rows or a data frame"
        )
    names: tuple[str, ...] | None = None
    kept: list[Row] = []
    for number, row in enumerate(source, 1):
        own, cells = _row(row, shapes, f"{label}, row {number}", like)
        if own != names and kept:
            yield Table(label, names or (), kept, header=f"{label}, row {kept[0][0]}")
            kept = []
        names = own
        kept.append((number, cells))
    if kept:
        yield Table(label, names or (), kept, header=f"{label}, row {kept[0][0]}")


def _row(
    row: Any, shapes: Sequence[Sequence[str]], where: str, like: str
) -> tuple[tuple[str, ...], Sequence[Any]]:
    found = row._asdict() if hasattr(row, "_asdict") else row
    if isinstance(found, Mapping):
        return tuple(map(str, found)), list(found.values())
    if isinstance(row, Sequence) and not isinstance(row, str | bytes):
        for shape in shapes:
            if len(row) == len(shape):
                return tuple(shape), row
    raise InputError(f"{where}: {row!r} is not a row of {like}")


def of_frame(frame: Any, label: str) -> Table:
    """Any frame, read row by row. The core reads most frames without this, see `rankprism.formats.frames`."""
    from rankprism.data.frames import column_values, eager

    found = eager(frame, label)
    columns = [column_values(found, name, label) for name in found.columns]
    return Table(label, tuple(map(str, found.columns)), enumerate(zip(*columns, strict=True), 1))


# ── what the user says about columns ─────────────────────────────────────────────────────────────


def as_columns(given: Any) -> Columns:
    """Columns from a mapping of roles to names, or from text, `topic=user,grade=stars` or `topic,document,-`.

    >>> as_columns("topic=user_id,grade=stars").named, as_columns("query,doc,-,grade").placed
    ({'topic': 'user_id', 'grade': 'stars'}, ('topic', 'document', '-', 'grade'))
    """
    if given is None or isinstance(given, Columns):
        return given or NOT_SAID
    if isinstance(given, str):
        parts = next(csv.reader([given], skipinitialspace=True), [])
        if any("=" in part for part in parts):
            pairs = [part.partition("=") for part in parts]
            given = {role.strip(): name.strip() for role, _, name in pairs}
        else:
            given = [part.strip() for part in parts]
    if isinstance(given, Mapping):
        return Columns({role_of(str(role)): str(name) for role, name in given.items()})
    if isinstance(given, Iterable):
        placed = tuple(SKIPPED if part == SKIPPED else role_of(str(part)) for part in given)
        twice = next((role for role in placed if role != SKIPPED and placed.count(role) > 1), None)
        if twice is not None:
            raise InputError(f"columns: {twice} is named twice; {SKIPPED} skips a column")
        return Columns({}, placed)
    raise InputError(
        f"columns are roles with names, such as {option({'topic': 'user_id'})}, or in their order, such as "
        f"--columns topic,document,grade; got {given!r}"
    )


#: The roles that can be named, with what may be said instead.
ROLES = (
    *("topic", "document", "grade", "score", "rank", "run", "aspect", "weight", "assessor"),
    *("left", "right", "outcome", "given", "winner", "loser", "time", "comment", "kind"),
)


def columns_for(given: Any, place: str) -> Columns | None:
    """What the user says about the columns of judgments, runs or preferences, as one or in several parts.

    >>> columns_for(["topic,document,grade", "topic,document,score"], "run").placed
    ('topic', 'document', 'score')
    """
    if given is None:
        return None
    is_several = (
        isinstance(given, list | tuple)
        and not isinstance(given, Columns)
        and any(not isinstance(one, str) or "," in one or "=" in one for one in given)
    )
    named: dict[str, str] = {}
    placed: tuple[str, ...] = ()
    for one in map(as_columns, given if is_several else [given]):
        named |= one.named
        if one.place == place:
            placed = one.placed
    return Columns(named, placed) if named or placed else None


def role_of(name: str) -> str:
    """The role that a name means."""
    if name in ("1", "2"):
        raise InputError(
            f"columns: {name} is no role of a column; the width of a table in LaTeX is page_columns={name} "
            f"(--page-columns {name})"
        )
    if plain(name) in ROLES:
        return plain(name)
    found = next((role for role in ROLES if plain(name) in map(plain, SPELLINGS[role])), None)
    if found is None:
        raise InputError(f"columns: there is no role {name!r}; there are {', '.join(ROLES)}")
    return found
