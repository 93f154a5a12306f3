"""Reading a measure's name: ``Name(parameter=value, ...)@cutoff``. Never evaluates code."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from rankprism.errors import MeasureError
from rankprism.measures.measure import Measure, lookup

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<string>'[^']*'|"[^"]*")
    | (?P<name>[^\W\d][\w\#+]*)
    | (?P<sign>[()@=,{}:])
    )""",
    re.VERBOSE,
)
_CONSTANTS = {"True": True, "False": False, "None": None}


def parse(text: str | Measure) -> Measure:
    """The measure that a string names.

    >>> parse("α_nDCG( alpha = 0.25 )@20")
    alpha_nDCG(alpha=0.25)@20
    >>> parse("nDCG(dcg='log2')@10")
    nDCG@10
    """
    return text if isinstance(text, Measure) else _Reader(text).measure()


class _Reader:
    """The tokens of one string, taken from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                self.fail(f"{text[position:].strip()[0]!r} has no place there")
            self.tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
            position = match.end()
        self.tokens.append(("end", ""))

    def fail(self, why: str) -> NoReturn:
        raise MeasureError(
            f"cannot read the measure {self.text!r}: {why}; write it like alpha_nDCG(alpha=0.25)@20"
        )

    def take(self, kind: str, value: str | None = None) -> str:
        found, text = self.tokens[0]
        if found != kind or (value is not None and text != value):
            self.fail(f"expected {value or 'a ' + kind}, found {text or 'the end'}")
        self.tokens.pop(0)
        return text

    def next_is(self, sign: str) -> bool:
        if self.tokens[0] == ("sign", sign):
            self.tokens.pop(0)
            return True
        return False

    def measure(self) -> Measure:
        measure = self.one()
        if self.tokens[0][0] != "end":
            self.fail(f"{self.tokens[0][1]!r} comes after its end")
        return measure

    def one(self) -> Measure:
        measure = lookup(self.take("name"))
        if self.next_is("("):
            while not self.next_is(")"):
                if self.tokens[1] == ("sign", "="):
                    parameter = self.take("name")
                    self.take("sign", "=")
                    measure = measure(**{parameter: self.value()})
                elif any(p.name == "measure" for p in measure.definition.parameters):
                    measure = measure(measure=self.one())
                else:
                    self.take("name")
                    self.take("sign", "=")
                if not self.next_is(","):
                    self.take("sign", ")")
                    break
        if self.next_is("@"):
            measure = measure @ _number(self.take("number"))
        return measure

    def value(self) -> Any:
        kind, text = self.tokens[0]
        if kind == "number":
            self.tokens.pop(0)
            return _number(text)
        if kind == "string":
            self.tokens.pop(0)
            return text[1:-1]
        if kind == "name" and text in _CONSTANTS:
            self.tokens.pop(0)
            return _CONSTANTS[text]
        if self.next_is("("):
            return self.sequence()
        if not self.next_is("{"):
            self.fail(f"{text or 'the end'} is no value; words go in quotes")
        return self.mapping()

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
            self.take("sign", ":")
            pairs[key] = self.value()
            if not self.next_is(","):
                self.take("sign", "}")
                break
        return pairs


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
