"""A verdict in words and in a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from rankprism.measures import CITATIONS, verdicts
from rankprism.meta.axioms.constraint import EQUAL, MORE, NOT_LESS, Constraint
from rankprism.meta.axioms.rankings import Instance, Ranking
from rankprism.meta.axioms.verdict import Verdict
from rankprism.text import text_table

_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDTH = 100
#: What the pictures of rankings show.
LEGEND = "lines: ranks; bars and numbers: the relevance r of a document to each aspect; · is 0; = the score"
_SIDES = {
    ">": ["should be more", "than this"],
    "≥": ["should be at least", "as this"],
    "=": ["should equal", "this"],
    "<": ["should be less", "than this"],
    "≤": ["should be at most", "as this"],
}
#: The signs of the relations between scores of which the lower one is better.
_TURNED = {">": "<", "≥": "≤"}


def story(verdict: Verdict) -> str:
    """What the constraint says, what was found, and the rankings that show it."""
    constraint = verdict.constraint
    title = f"{verdict.measure} and {constraint}: {verdict.words}"
    return "\n\n".join([title, about(constraint), evidence(verdict)])


def evidence(verdict: Verdict) -> str:
    """What was found, and the rankings that show it."""
    parts = [_found(verdict)]
    instance = verdict.counterexample or verdict.example
    if instance is not None:
        parts += [picture(instance, _sign(verdict), verdict.scores), _moral(verdict)]
    return "\n\n".join(parts)


def about(constraint: Constraint) -> str:
    """The constraint's statement, premises and reading."""
    lines = textwrap.wrap(constraint.summary, _WIDTH)
    lines += textwrap.wrap(constraint.formula, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    if constraint.premises:
        lines.append(f"Premises: {', '.join(constraint.premises)}.")
    if constraint.number is not None:
        adds = (
            f", which adds: {', '.join(constraint.added)}" if constraint.added else ", which adds no premise"
        )
        lines += textwrap.wrap(f"Reading: {constraint.read_as}{adds}.", _WIDTH, subsequent_indent="  ")
    chosen = [f"{d.name}={constraint[d.name]}" for d in constraint.details if constraint[d.name] is not None]
    if chosen:
        lines += textwrap.wrap(f"Details: {', '.join(chosen)}.", _WIDTH, subsequent_indent="  ")
    for key in constraint.cite:
        lines += textwrap.wrap(f"From {CITATIONS[key].text}", _WIDTH, subsequent_indent="  ")
    return "\n".join(lines)


def _found(verdict: Verdict) -> str:
    tried = f"{verdict.instances:,} instances"
    if verdict.kind == verdicts.UNASKABLE:
        text = f"It cannot be asked: {verdict.note}."
    elif verdict.kind == verdicts.PROVED:
        searched = "" if verdict.constraint.variable else f", and not refuted in {tried}"
        shown = verdict.note.startswith("for ")  # by a value of m and not by an argument
        text = f"It is proved {verdict.note}." if shown else f"It is proved{searched}. Why: {verdict.note}."
    elif verdict.refuted:
        if verdict.open:
            x = verdict.constraint.variable
            text = (
                f"It is refuted for every {x} tried: {verdict.note}. A larger {x} may still work. An example:"
            )
        elif verdict.constraint.variable:
            text = f"It is refuted: the relation holds {verdict.note}. An example:"
        elif verdict.constraint.quantifier != "every":
            text = f"It is refuted; {tried} were tried. The relation holds {verdict.note}. An example:"
        else:
            text = f"It is refuted; {tried} were tried. The smallest counterexample found:"
    else:
        text = f"It is {verdict.words}. This is not a proof."
        if verdict.note:
            quantified = verdict.constraint.quantifier != "every"
            holds = f" The relation holds {verdict.note}."
            text += holds if quantified else f" Of all instances, {verdict.note}."
    if verdict.counterexample is None and verdict.example is not None:
        text += " An example:"
    return textwrap.fill(text, _WIDTH)


def _moral(verdict: Verdict) -> str:
    """The scores, and the relation that should hold between them."""
    scores = verdict.scores
    relation = verdict.constraint.relation
    if len(scores) == 1:
        return f"The score is {scores[0]:.6g}; wanted: {relation.sign}."
    sign = _sign(verdict)
    lower = "" if sign == relation.sign else " (a lower score is better)"
    wanted = f"{scores[0]:.6g} {sign} {scores[1]:.6g}{lower}"
    if verdict.counterexample is None:
        return f"{wanted}, as it should be."
    if relation.sign == "=":
        return f"Wanted: {wanted}. They differ."
    if np.isnan(scores).any():
        return f"Wanted: {wanted}. This is not a number."
    if relation not in (MORE, NOT_LESS):
        return f"Wanted: {wanted}. It does not hold."
    tie = bool(EQUAL(np.array([scores[:2]]))[0])
    return f"Wanted: {wanted}. " + ("They tie." if tie else "It is the other way round.")


def _sign(verdict: Verdict) -> str:
    """The sign of the relation that should hold between the scores."""
    sign = verdict.constraint.relation.sign
    return _TURNED.get(sign, sign) if verdict.measure.lower_is_better else sign


def picture(instance: Instance, sign: str, scores: Sequence[float]) -> str:
    """The rankings side by side, with a bar and the grade for each aspect. Equal neighbours share a line.

    sign : of the relation between the scores.
    """
    sides = _sides(sign, len(instance.rankings))
    highest = max((np.nanmax(r, initial=0.0) for r in instance.rankings), default=0.0) or 1.0
    A = len(instance.weights)
    columns = [_lines(ranking, float(highest)) for ranking in instance.rankings]
    height = max(map(len, columns))
    header, rows = [], [[] for _ in range(height + 1)]  # type: list[str], list[list[str]]
    names = _aspect_names(A)
    for side, lines in zip(sides, columns, strict=True):
        header += [side, *names]
        for row, line in zip(rows, [*lines, *[[""] * (A + 1)] * (height - len(lines))], strict=False):
            row += line
    for score, _ in zip(scores, sides, strict=False):
        rows[-1] += [f"= {score:.6g}", *[""] * A]
    out = text_table(header, rows, left=len(header))
    if A > 1:
        weights = ", ".join(f"{name} {w:.4g}" for name, w in zip(names, instance.weights, strict=True))
        out += f"\nweights: {weights}"
    if instance.pools is None and instance.missed is not None and len(instance.missed):
        out += f"\njudged, but in neither ranking: {_documents(instance.missed)}"
    for which, ranking, pool in zip(
        ("first", "second"), instance.rankings, instance.pools or (), strict=False
    ):
        if len(pool) > len(ranking):
            out += f"\njudged, but not in the {which} ranking: {_documents(pool[len(ranking) :])}"
    return textwrap.indent(f"{out}\n{LEGEND}", "  ")


def _documents(documents: Ranking) -> str:
    return "; ".join(" ".join(f"{x:.4g}" for x in document) for document in documents)


def _sides(sign: str, rankings: int) -> list[str]:
    if rankings == 1:
        return ["rank"]
    return _SIDES.get(sign, ["this", "that"])


def _aspect_names(A: int) -> list[str]:
    return ["r"] if A == 1 else [f"t{i}" for i in range(1, A + 1)]


def _lines(ranking: Ranking, highest: float) -> list[list[str]]:
    """The rank and grades of each document. Neighbours with the same grades share a line."""
    lines: list[list[str]] = []
    start = 0
    for i in range(1, len(ranking) + 1):
        if i < len(ranking) and np.array_equal(ranking[i], ranking[start], equal_nan=True):
            continue
        if i - start > 3:
            lines.append([f"{start + 1}–{i}", *_grades(ranking[start], highest)])
        else:
            lines += [[str(j + 1), *_grades(ranking[j], highest)] for j in range(start, i)]
        start = i
    return lines or [["(empty)", *[""] * ranking.shape[1]]]


def _grades(document: Ranking, highest: float) -> list[str]:
    return ["? not judged" if np.isnan(r) else _bar(float(r), highest) for r in document]


def _bar(r: float, highest: float) -> str:
    if r == 0:
        return "·"
    return f"{_BLOCKS[max(1, round(8 * r / highest))]} {r:.4g}"
