"""Reads the name of a measure, ``Name(parameter=value, ...)@cutoff``, and never evaluates code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from rankprism.errors import MeasureError
from rankprism.measures.measure import Measure
from rankprism.measures.other_names import SEVERAL, own_name, stem_of
from rankprism.measures.parameter import Role
from rankprism.measures.registry import lookup
from rankprism.measures.spelling import folded_name
from rankprism.text import quoted
from rankprism.text.foreign import shorter

if TYPE_CHECKING:
    from rankprism.types import MeasuresLike

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))
    | (?P<string>'[^']*'|"[^"]*")
    | -l(?P<level>[0-9]+)(?![\w.])
    | (?P<name>(?:[^\W\d]|11(?=pt))(?:[\w\#+]|-(?!l[0-9]+(?![\w.]))|[\u2010-\u2014\u2212])*(?:\.[0-9]+){0,2})
    | (?P<sign>[()@=,{}:])
    )""",
    re.VERBOSE,
)
#: How deeply measures and values may be nested. The built-in measures need three levels.
_DEEPEST = 20
#: The most characters that a number may have, which is more than a float needs.
_LONGEST_NUMBER = 40
_CONSTANTS = {"True": True, "False": False, "None": None}


def parse(text: str | Measure | Any) -> Measure:
    """The measure with this name; a measure object of ir_measures may replace the name.

    >>> parse("α-nDCG( α = 0.25 )@20"), parse("ndcg@10"), parse("D#-nDCG@20")
    (alpha_nDCG(alpha=0.25)@20, nDCG@10, DSharp_nDCG@20)
    >>> parse("nDCG(dcg='log2')@10")
    nDCG@10

    Names of other programs mean the same measure here, if there is one.

    >>> parse("ndcg_cut_10"), parse("recip_rank"), parse("hit_rate@5"), parse("precision@5-l2")
    (nDCG@10, RR, Success@5, P(rel=2)@5)
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, str):
        return _Reader(text).measure()
    if any(kind.__module__.partition(".")[0] == "ir_measures" for kind in type(text).__mro__):
        if text.NAME == "RBP" and "rel" not in text.params:
            raise MeasureError(
                "RBP without rel adds grades in ir_measures and counts relevant documents in rankprism; "
                "write RBP(rel=1) to count them"
            )
        return _Reader(str(text)).measure()  # measures of ir_measures print in the same grammar
    raise MeasureError(
        f"{quoted(text)} is not a measure; pass a name such as 'alpha_nDCG@20', or a measure object of "
        "rankprism.measures or ir_measures"
    )


def parse_all(measures: MeasuresLike) -> list[Measure]:
    """Measures as values, each once. A string may name several, with blanks or commas between them.

    >>> parse_all("nDCG@10 AP"), parse_all(["nDCG@5,10", "alpha_nDCG(alpha=0.25, rel=2)@20"])
    ([nDCG@10, AP], [nDCG@5, nDCG@10, alpha_nDCG(alpha=0.25,rel=2)@20])

    Some names of trec_eval mean several measures.

    >>> parse_all("set_F.1.0,0.5 unj")
    [SetF, SetF(beta=0.5), Unjudged@5, Unjudged@10, Unjudged@20]
    """
    if isinstance(measures, str | Measure):
        measures = [measures]
    elif not isinstance(measures, Iterable):
        raise MeasureError(f"{measures!r} is not a measure; pass a name such as 'alpha_nDCG@20', or several")
    found: dict[Measure, None] = {}
    for one in measures:
        found |= dict.fromkeys(_Reader(one).measures() if isinstance(one, str) else [parse(one)])
    if not found:
        raise MeasureError("no measure given; name at least one, e.g. alpha_nDCG@20")
    return list(found)


class _Reader:
    """The tokens of one string, taken from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        position = 0
        end = len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                self.fail(f"{text[position:].strip()[0]!r} is not allowed there")
            self.tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
            position = match.end()
        self.tokens.append(("end", ""))

    def fail(self, why: str) -> NoReturn:
        raise MeasureError(
            f"cannot read the measure {quoted(self.text)}: {why}; write it like alpha_nDCG(alpha=0.25)@20"
        )

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"it is nested more than {_DEEPEST} deep")

    def take(self, kind: str, value: str | None = None) -> str:
        found, text = self.tokens[self.at]
        if found != kind or (value is not None and text != value):
            self.fail(f"expected {value or 'a ' + kind}, found {shorter(text) or 'the end'}")
        self.at += 1
        return text

    def next_is(self, sign: str) -> bool:
        if self.tokens[self.at] == ("sign", sign):
            self.at += 1
            return True
        return False

    def measure(self) -> Measure:
        measure = self.one()
        if self.tokens[self.at][0] != "end":
            self.fail(f"{quoted(self.tokens[self.at][1])} comes after its end")
        return measure

    def measures(self) -> list[Measure]:
        stem, found = self.several()
        while self.tokens[self.at][0] != "end":
            comma = self.next_is(",")
            last = found[-1].definition.after_at
            is_given = last is not None and last.name in found[-1].settings
            is_number = comma and self.tokens[self.at][0] == "number"
            if is_number and is_given:  # as in nDCG@5,10
                found.append(found[-1] @ self.number(self.take("number")))
            elif is_number and stem:  # as in set_F.1.0,0.5
                found.append(_Reader(f"{stem}{self.take('number')}").measure())
            else:
                stem, more = self.several()
                found += more
        return found

    def several(self) -> tuple[str, list[Measure]]:
        """What comes before the number in the next name, if it has one, and the measures that it means."""
        kind, name = self.tokens[self.at]
        meant = SEVERAL.get(folded_name(name)) if kind == "name" else None
        if meant is None or self.tokens[self.at + 1] in (("sign", "("), ("sign", "@")):
            return stem_of(name), [self.one()]
        self.at += 1
        return "", [_Reader(one).measure() for one in meant]

    def one(self) -> Measure:
        self.deeper()
        name = self.take("name")
        meant = own_name(name)
        if meant is None and (several := SEVERAL.get(folded_name(name))):
            self.fail(
                f"{name} of trec_eval means several measures, {several[0]} and others; name one of them"
            )
        if meant is None:
            measure, given = lookup(name), set[str]()
        else:
            measure = _Reader(meant).measure()
            given = set(measure.settings)

        def new(parameter: str) -> str:
            if parameter in given:
                self.fail(f"the parameter {quoted(parameter)} of {measure.name} is given twice")
            given.add(parameter)
            return parameter

        if self.next_is("("):
            while not self.next_is(")"):
                if self.tokens[self.at + 1 : self.at + 2] == [("sign", "=")]:
                    parameter = new(measure.definition.spelled(self.take("name")))
                    self.take("sign", "=")
                    measure = measure(**{parameter: self.value()})
                elif Role.INNER in measure.definition.roles:
                    parameter = new(measure.definition.roles[Role.INNER].name)
                    measure = measure(**{parameter: self.one()})
                else:
                    self.take("name")
                    self.take("sign", "=")
                if not self.next_is(","):
                    self.take("sign", ")")
                    break
        if self.next_is("@"):
            if measure.definition.after_at is not None:
                new(measure.definition.after_at.name)
            rest = "".join(text for _, text in self.tokens[self.at :])
            if late := re.fullmatch(r"[kK][_=]?([0-9]{1,9})", rest):
                raise MeasureError(
                    f"cannot read the measure {quoted(self.text)}; did you mean {measure @ int(late[1])}?"
                )
            measure = measure @ self.number(self.take("number"))
        if self.tokens[self.at][0] == "level":
            threshold = measure.definition.roles.get(Role.THRESHOLD)
            if threshold is None or measure.of(Role.GAIN) not in (None, "binary"):
                self.fail(f"{measure} has no lowest relevant grade, so -l cannot follow it")
            measure = measure(**{new(threshold.name): self.number(self.take("level"))})
        self.depth -= 1
        return measure

    def number(self, text: str) -> int | float:
        if len(text) > _LONGEST_NUMBER:
            self.fail(f"the number {shorter(text)} has more than {_LONGEST_NUMBER} characters")
        return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)

    def value(self) -> Any:
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return self.number(text)
        if kind == "string":
            self.at += 1
            return text[1:-1]
        if kind == "name" and text in _CONSTANTS:
            self.at += 1
            return _CONSTANTS[text]
        self.deeper()
        if self.next_is("("):
            values: Any = self.sequence()
        elif self.next_is("{"):
            values = self.mapping()
        else:
            self.fail(f"{shorter(text) or 'the end'} is not a value; words go in quotes")
        self.depth -= 1
        return values

    def sequence(self) -> tuple[Any, ...]:
        values: list[Any] = []
        while not self.next_is(")"):
            values.append(self.value())
            if not self.next_is(","):
                self.take("sign", ")")
                break
        return tuple(values)

    def mapping(self) -> dict[Any, Any]:
        pairs: dict[Any, Any] = {}
        while not self.next_is("}"):
            key = self.value()
            if isinstance(key, bool) or not isinstance(key, int | float):
                self.fail(f"a mapping maps numbers to numbers, and {quoted(key)} is not a number")
            if key in pairs:
                self.fail(f"the number {key:g} is mapped twice")
            self.take("sign", ":")
            pairs[key] = self.value()
            if not self.next_is(","):
                self.take("sign", "}")
                break
        return pairs
