"""EvALL's tab-separated files, as the program of the RBU authors reads them.

A gold standard has lines of `topic document grade aspect weight`. A system's output has lines of `topic
document` in the order of the ranking. A value may be in double quotes, and a quote inside it is doubled.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from rankprism._core import RunTable, parse_number
from rankprism.data import Judgments, Run
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.format import JUDGMENT_FORMATS, RUN_FORMATS, Format, Written, register
from rankprism.formats.judged import JudgedLine, judgment_table, number_text
from rankprism.formats.ranked import ranking
from rankprism.formats.weights import Given, Weights, add_weight, fitted, uniform
from rankprism.types import Duplicates, Order

GOLD = "topic document grade aspect weight"
OUTPUT = "topic document"

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def recognises(start: files.Beginning) -> bool:
    """Five columns separated by tabs, with either quotes, or numbers as the grade and the weight."""
    columns = start.line.split("\t")
    if len(columns) != 5:
        return False
    return columns[0].startswith('"') or None not in (parse_number(columns[2]), parse_number(columns[4]))


def recognises_run(start: files.Beginning) -> bool:
    """Two columns with a tab between them."""
    if re.fullmatch(r'("[^\t]+"|[^\s"]+)\t("[^\t]+"|[^\s"]+)', start.line) is None:
        return False
    rows = [line.split("\t") for line in start.text.split("\n")[:-1] if line.count("\t") == 1]
    # Topics that occur once, with a text, are queries.
    are_queries = len({row[0] for row in rows}) == len(rows) and any(" " in row[1].strip() for row in rows)
    return not (are_queries and len(rows) > 2)


def _read(file: files.File) -> Judgments:
    """Judgments with weights, from a gold standard."""
    source = file.name
    weights: Weights = {}
    judged: dict[tuple[str, str, str], JudgedLine] = {}
    for number, line in file.lines():
        where = f"{source}, line {number}"
        topic, doc, grade, aspect, weight = _values(line, where, GOLD)
        new = JudgedLine(number, topic, aspect, doc, _number(grade, where, "grade"))
        add_weight(weights, topic, aspect, Given(where, _number(weight, where, "weight")))
        first = judged.setdefault((topic, aspect, doc), new)
        if first is not new:
            raise InputError(
                f"{where}: document {doc!r} of topic {topic!r}, aspect {aspect!r} is at line "
                f"{first.line} already; remove one of them"
            )
    return fitted(Judgments(judgment_table(source, judged.values()), source), source, weights)


def _read_run(file: files.File, duplicates: Duplicates) -> RunTable:
    """A run whose ranks are the order of the lines, from a system's output."""
    source = file.name
    topics, docs, ranks = [], [], []
    length: Counter[str] = Counter()
    line_of: dict[tuple[str, str], int] = {}
    for number, line in file.lines():
        where = f"{source}, line {number}"
        topic, doc = _values(line, where, OUTPUT)
        first = line_of.setdefault((topic, doc), number)
        if first != number and duplicates == "error":
            raise InputError(
                f"{where}: document {doc!r} occurs twice in topic {topic!r}, first at line {first}; "
                f'remove one, or keep the better-ranked of each with duplicates="first" (--duplicates first)'
            )
        length[topic] += 1
        topics.append(topic)
        docs.append(doc)
        ranks.append(length[topic])
    if not topics:
        raise InputError(f"{source}: no ranking in this file, only blank or comment lines")
    # Any descending scores give the same order; whole numbers stay distinct in 32 bits, too.
    scores = [length[topic] + 1 - rank for topic, rank in zip(topics, ranks, strict=True)]
    return RunTable.from_columns(source, topics, docs, np.array(scores, float), np.array(ranks, float))


def _write(judgments: Judgments) -> Written:
    """A gold standard, in which every aspect has a weight. Default: the same weight for all of a topic."""
    weights = uniform(judgments) if judgments.weights is None else judgments.weights
    table = judgments.table
    lines = table.lines(judgments.source, "evall", list(map(number_text, weights.tolist())))
    notes = []
    if judgments.weights is None:
        notes.append("added: weights, the same for all aspects of a topic")
    if judgments.navigational is not None:
        notes.append("dropped: which intents are navigational")
    if (below := int((table.grades() < 0).sum())) > 0:
        notes.append(f"{below} grades are below 0, which EvALL's own program does not read")
    return Written(lines, {}, tuple(notes))


def _write_run(run: Run, order: Order, duplicates: Duplicates) -> Written:
    ranked = ranking(run, order, duplicates, keeps_scores=False)
    return Written(run.table.evall_lines(ranked.line), {}, ranked.notes)


def _values(line: str, where: str, expected: str) -> list[str]:
    columns, names = line.split("\t"), expected.split()
    if len(columns) != len(names):
        raise InputError(
            f"{where}: expected {len(names)} columns with tabs between them: {expected}; found {len(columns)}"
        )
    return [_value(column, where, name) for column, name in zip(columns, names, strict=True)]


def _value(column: str, where: str, name: str) -> str:
    quoted = _QUOTED.fullmatch(column)
    if '"' in column and not quoted:
        raise InputError(
            f"{where}: the {name} {column!r} has a misplaced double quote; put quotes on both sides, or none"
        )
    value = quoted[1].replace('""', '"') if quoted else column
    if not value:
        raise InputError(f"{where}: the {name} is empty; every column needs a value")
    if value != value.strip(files.BLANKS):
        raise InputError(f"{where}: the {name} {column!r} has blanks around it; remove them")
    return value


def _number(text: str, where: str, what: str) -> float:
    number = parse_number(text)
    if number is None:
        raise InputError(f"{where}: the {what} {text!r} is not a number; expected {GOLD}")
    return number


register(
    JUDGMENT_FORMATS,
    Format(
        name="evall",
        summary="topic, document, grade, aspect, weight of the aspect",
        example='"281"⇥"clueweb12-0000wb-02-07689"⇥"1"⇥"3"⇥"0.25"',
        recognised_by="Five columns separated by tabs, where the first column is quoted or the aspect is "
        "not a number.",
        read=_read,
        recognises=recognises,
        write=_write,
        endings=(".tsv",),
    ),
)
register(
    RUN_FORMATS,
    Format(
        name="evall",
        summary="topic, document. The order of the lines is the ranking.",
        example='"1"⇥"clueweb09-en0010-57-32932"',
        recognised_by="Two columns separated by a tab.",
        read=_read_run,
        recognises=recognises_run,
        write=_write_run,
        endings=(".tsv",),
    ),
)
