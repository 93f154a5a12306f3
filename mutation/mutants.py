"""Mutants: copies of a source file with one small mistake in each.

`python_mutants` takes its mistakes from cosmic-ray, which replaces operators, comparisons, numbers and words
in Python files. `core_mutants` replaces operators and numbers in the C++ files with a list of its own.
"""

from __future__ import annotations

import ast
import random
import re
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

#: cosmic-ray also replaces + by |, which is a TypeError for floats. That would be too easy to notice.
ARITHMETIC = {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"}
#: Code in which a mistake cannot be noticed, because it is there for type checkers or for speed.
WITHOUT_EFFECT = re.compile(r"TYPE_CHECKING|@(functools\.)?(lru_)?cache\b|__slots__")

#: Operators in formulas of the core, and what replaces them.
CORE_OPERATORS = {
    " + ": [" - "],
    " - ": [" + "],
    " * ": [" / "],
    " / ": [" * "],
    " += ": [" -= "],
    " -= ": [" += "],
    " < ": [" <= ", " > "],
    " <= ": [" < ", " >= "],
    " > ": [" >= ", " < "],
    " >= ": [" > ", " <= "],
    " == ": [" != "],
    " != ": [" == "],
    " && ": [" || "],
    " || ": [" && "],
    "std::min": ["std::max"],
    "std::max": ["std::min"],
    "true": ["false"],
    "false": ["true"],
    "if (!": ["if ("],
}
_CORE_TOKEN = re.compile("|".join(sorted(map(re.escape, CORE_OPERATORS), key=len, reverse=True)))
_CORE_NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?(?![\w.])")
#: Comments, strings, includes and template heads are not formulas.
_CORE_SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#[^\n]*|\btemplate <[^\n]*', re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Mutant:
    """One file with one mistake."""

    path: Path
    line: int
    mistake: str  #: what was replaced by what
    before: str  #: the line as it was
    after: str  #: the line with the mistake
    text: str  #: the whole file with the mistake

    @property
    def key(self) -> str:
        """A text that identifies the mistake, so that results can be kept."""
        return f"{self.path.as_posix()}:{self.line}: {self.before.strip()} -> {self.after.strip()}"


def python_mutants(root: Path, files: list[Path], seed: int, number: int) -> list[Mutant]:
    """Draw this number of places where cosmic-ray can put a mistake, and one of the mistakes for each.

    A comparison can go wrong in five ways and `True` in one. Drawing places first keeps comparisons from
    being most of the sample. Because the order is random, any first part of the list is a sample, too.
    """
    places = [(path, place) for path in files for place in _python_places((root / path).read_text("utf-8"))]
    rng = random.Random(seed)
    rng.shuffle(places)
    mutants: list[Mutant] = []
    for path, (line, mistakes) in places:
        operator, occurrence = rng.choice(mistakes)
        text = (root / path).read_text("utf-8")
        mutant = _mutant(path, line, operator, text, mutate_code(text, get_operator(operator)(), occurrence))
        if mutant is not None and not WITHOUT_EFFECT.search(mutant.before):
            mutants.append(mutant)
        if len(mutants) == number:
            break
    return mutants


def _python_places(text: str) -> list[tuple[int, list[tuple[str, int]]]]:
    """For each place its line, and the operators that fit there, each with the number of its occurrence."""
    hints = _type_hints(text)
    nodes = list(ast_nodes(get_ast(text)))
    places: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for name in sorted(operator_names()):
        operator_class = get_operator(name)
        if operator_class.arguments() or not _sensible(name.partition("/")[2]):
            continue
        operator = operator_class()
        positions = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, place in enumerate(positions):
            if not any(first <= place < last for first, last in hints):
                places.setdefault(place, []).append((name, occurrence))
    return [(place[0], places[place]) for place in sorted(places)]


def _sensible(kind: str) -> bool:
    """Whether a replacement is worth trying: + becomes another arithmetic operator, and == never `is`."""
    if kind.startswith("ReplaceBinaryOperator_"):
        _, was, becomes = kind.split("_")
        return (was in ARITHMETIC) == (becomes in ARITHMETIC)
    if kind.startswith("ReplaceComparisonOperator_"):
        _, was, becomes = kind.split("_")
        return (was in {"Is", "IsNot"}) == (becomes in {"Is", "IsNot"})
    return kind != "NoOp"


def _mutant(path: Path, line: int, operator: str, text: str, mutated: str | None) -> Mutant | None:
    if mutated is None or mutated == text:
        return None
    try:
        compile(mutated, str(path), "exec")
    except SyntaxError:
        return None
    mistake = operator.partition("/")[2]
    before, after = text.splitlines(), mutated.splitlines()
    shown = after[line - 1] if len(before) == len(after) else f"({mistake})"
    return Mutant(path, line, mistake, before[line - 1], shown, mutated)


def _type_hints(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations begin and end. `int | None` is not arithmetic."""
    found = []
    for node in ast.walk(ast.parse(text)):
        for hint in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(hint, ast.expr) and hint.end_lineno is not None and hint.end_col_offset is not None:
                found.append(((hint.lineno, hint.col_offset), (hint.end_lineno, hint.end_col_offset)))
    return found


def core_mutants(root: Path, files: list[Path], seed: int, number: int) -> list[Mutant]:
    """Draw this number of operators and constants in these C++ files, and a replacement for each."""
    places = [(path, place) for path in files for place in _core_places((root / path).read_text("utf-8"))]
    rng = random.Random(seed)
    rng.shuffle(places)
    mutants = []
    for path, (start, was, choices) in places[:number]:
        text = (root / path).read_text("utf-8")
        mutants.append(_core_mutant(path, text, start, was, rng.choice(choices)))
    return mutants


def _core_places(text: str) -> list[tuple[int, str, list[str]]]:
    """Where an operator or a number begins, what it is, and what may take its place."""
    code = _CORE_SKIPPED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    found = [(m.start(), m[0], CORE_OPERATORS[m[0]]) for m in _CORE_TOKEN.finditer(code)]
    found += [(m.start(), m[0], [_next(m[0])]) for m in _CORE_NUMBER.finditer(code)]
    return sorted(found)


def _next(number: str) -> str:
    return str(float(number) + 1) if "." in number else str(int(number) + 1)


def _core_mutant(path: Path, text: str, start: int, was: str, becomes: str) -> Mutant:
    mutated = text[:start] + becomes + text[start + len(was) :]
    line = text.count("\n", 0, start)
    mistake = f"{was.strip()} to {becomes.strip()}"
    return Mutant(path, line + 1, mistake, text.splitlines()[line], mutated.splitlines()[line], mutated)
