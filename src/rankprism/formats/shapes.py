"""What the columns of a table without names may be, for messages that offer the option which reads it."""

from __future__ import annotations

from collections.abc import Sequence

from rankprism._core import parse_number
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.spellings import has, missing
from rankprism.formats.table import BLANKS, SKIPPED, cells_of, separator_of

#: What TREC's files hold, by kind.
EXPECTED = {
    "judgments": "expected 4 columns: topic subtopic document grade",
    "run": "expected 6 columns: topic Q0 document rank score tag",
}
#: From so many rows, it is decided what a column holds.
_ROWS = 5
#: Grades are whole numbers up to this one in nearly all judgments.
_HIGHEST = 10


def rows_at(start: files.Beginning) -> list[list[str]]:
    """The cells of the first complete lines, as far as all have as many as the first."""
    separator = separator_of(start.line)
    lines = start.text.split("\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    found = [cells_of(line, separator) or [] for line in whole if line.strip() and not line.startswith("# ")]
    return [[cell.strip() for cell in row] for row in found if len(row) == len(found[0])]


def refuse_shape(place: str, file: files.File) -> None:
    """Refuse a file that cannot be TREC's, and offer the option that reads it. `place` : judgments or run."""
    start = file.beginning
    where = f"{file.name}, line {start.number}"
    if not start.line or start.line.lstrip()[:1] in "{[<" or "\0" in start.line:
        return
    if len(start.bytes) >= files.BEGINNING and start.text.endswith(start.line):
        return  # the end of the line was not read yet
    if "\r" in start.line.rstrip("\r"):
        raise InputError(
            f"{where}: has a carriage return inside a line; if its lines end in carriage returns only, "
            f"convert it, e.g. tr '\\r' '\\n'"
        )
    refuse_quotes(file)
    rows = rows_at(start)
    if _is_header(rows, start.line):
        needed = ("topic", "document", "grade" if place == "judgments" else "score")
        role = next((one for one in needed if not has(rows[0], one)), needed[2])
        found = {one: name for one in needed for name in rows[0] if has([name], one)}
        raise InputError(missing(rows[0], role, found, where))
    if any(cell.startswith("qid:") for cell in start.columns):
        raise InputError(
            f"{where}: looks like a line of LETOR or SVMlight, which is not read; write lines of topic, 0, "
            f"document and grade"
        )
    columns = start.columns
    number, what = (3, "grade") if place == "judgments" else (4, "score")
    expected, width = EXPECTED[place], 4 if place == "judgments" else 6
    # A tag may have blanks, but it does not begin with a number.
    has_long_tag = place == "run" and len(columns) > width and parse_number(columns[width - 1]) is None
    if len(columns) == width or has_long_tag:
        if parse_number(columns[number]) is not None:
            return
        text = columns[number]
        bare = text.replace(",", "")
        if "," in text and parse_number(bare) is not None:
            raise InputError(
                f"{where}: the {what} {text!r} is not a number; write thousands without a comma between them"
            )
        message = f"{where}: the {what} {text!r} is not a number; {expected}"
    else:
        message = f"{where}: {expected}; found {len(columns)}"
    roles = guessed(rows, place)
    raise InputError(f"{message}{_offer(roles, start.line)}")


def _is_header(rows: Sequence[Sequence[str]], line: str) -> bool:
    """Whether the first of some rows has no number, and those below it have."""
    if separator_of(line) == BLANKS or len(rows) < 2:
        return False
    without = [all(parse_number(cell) is None for cell in row) for row in rows]
    return without[0] and (not any(without[1:]) or has(rows[0], "topic"))


def refuse_quotes(file: files.File) -> None:
    """Refuse ids in quotes between blanks, as R writes them: the quotes would belong to the ids."""
    line = file.beginning.line
    quoted = next((one for one in files.columns(line) if len(one) > 2 and one[0] == one[-1] == '"'), None)
    if quoted is not None and separator_of(line) == BLANKS:
        raise InputError(
            f"{file.name}, line {file.beginning.number}: the quotes around {quoted} would belong to the id; "
            f"write the file without quotes, e.g. tr -d '\"'"
        )


def _offer(roles: Sequence[str], line: str) -> str:
    if not roles:
        return ""
    between = "" if separator_of(line) == BLANKS else f" with {separator_of(line)!r} between them"
    return f". If its columns{between} are {' '.join(roles)}, say so: --columns {','.join(roles)}"


def guessed(rows: Sequence[Sequence[str]], place: str) -> list[str]:
    """The likely roles of the columns of judgments or of a run; none if there is no likely document."""
    if not rows or len(rows[0]) < 2:
        return []
    columns = list(zip(*rows, strict=True))
    roles = [SKIPPED] * len(columns)
    rest = [at for at, column in enumerate(columns) if len(set(column)) > 1 or len(rows) == 1]
    numbers = {at: _numbers(columns[at]) for at in range(len(columns))}
    changes = sum(a != b for a, b in zip(columns[0], columns[0][1:], strict=False))
    is_first = not _are_grades(numbers[0]) or changes < 0.5 * len(rows) or len(columns) < 4
    topic = 0 if is_first else next((at for at in range(1, len(columns)) if at in rest), 0)
    others = [at for at in rest if at != topic and not _are_grades(numbers[at])]
    if not others:
        return []
    texts = [at for at in others if not numbers[at]]
    document = max(texts or others[:1], key=lambda at: len(set(columns[at])))
    roles[topic], roles[document] = "topic", "document"
    left = [at for at in range(len(columns)) if roles[at] == SKIPPED and numbers[at]]
    if place == "judgments":
        grades = [at for at in left if _are_grades(numbers[at]) and len(set(columns[at])) > 1]
        fractions = [at for at in left if any(number % 1 for number in numbers[at])]
        if not grades or (fractions and len(rows) >= _ROWS):
            return []
        roles[grades[0]] = "grade"
        return roles
    fractions = [at for at in left if any(number % 1 for number in numbers[at])]
    if fractions:
        roles[fractions[0]] = "score"
    else:
        ranks = [at for at in left if len(set(columns[at])) > 1]
        if not ranks:
            return []
        roles[ranks[0]] = "rank"
    return roles


def _numbers(column: Sequence[str]) -> list[float]:
    found = [parse_number(cell) for cell in column]
    return [] if None in found else [number for number in found if number is not None]


def _are_grades(numbers: Sequence[float]) -> bool:
    """Whether these may be grades: small whole numbers."""
    return bool(numbers) and all(number % 1 == 0 and -3 <= number <= _HIGHEST for number in numbers)


def refuse_other_order(file: files.File) -> None:
    """Refuse lines of four columns in which the third cannot be documents.

    It holds grades, or the same in all lines. Each line would be a subtopic of its own, and its grade a
    document.
    """
    rows = rows_at(file.beginning)
    if len(rows) < _ROWS or len(rows[0]) != 4:
        return
    topics, second, third, fourth = zip(*rows, strict=True)
    if not are_in_other_order(topics, second, third):
        return
    if len(set(third)) == 1 and len(set(fourth)) > 1:
        roles = ["topic", "document", SKIPPED, "grade"]
    else:
        roles = ["topic", "document", "grade", SKIPPED]
    offer = _offer(roles, file.beginning.line)
    if roles[3] == SKIPPED:
        offer += "; if they are topic document grade grade, name the two aspects with aspects= (--aspects)"
    raise InputError(
        f"{file.name}, line {file.beginning.number}: the third column holds only {len(set(third))} small "
        f"numbers, so these are hardly lines of topic, subtopic, document and grade{offer}; if they are, say "
        f"so with format= (--qrels-format diversity)"
    )


def are_in_other_order(topics: Sequence[str], second: Sequence[str], third: Sequence[str]) -> bool:
    """Whether the second column holds documents, and the third grades, or the same in all lines."""
    if not _are_grades(_numbers(third)) or len(set(third)) > _HIGHEST + 1:
        return False
    pairs, graded = set(zip(topics, second, strict=True)), set(zip(topics, third, strict=True))
    few = len(graded) <= 0.8 * len(third)
    return few and len(pairs) >= 0.95 * len(third) and len(set(second)) > len(set(third))
