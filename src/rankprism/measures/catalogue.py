"""The texts of the catalogue: the list of measures, the page of one measure, and the page in the docs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from rankprism.measures.citations import CITATIONS
from rankprism.measures.definition import AXIOMS, Definition
from rankprism.measures.measure import Measure
from rankprism.measures.registry import definitions, lookup, names
from rankprism.measures.verdicts import NOT_REFUTED, PROVED, Recorded, recorded
from rankprism.text import text_table


def _definitions() -> list[Definition]:
    return sorted((lookup(name).definition for name in names()), key=lambda d: d.name.casefold())


def list_measures() -> str:
    """All measures with their aliases, one line for each."""
    rows = [[d.name, ", ".join((*d.aliases, *d.forms)), d.needs, d.summary] for d in _definitions()]
    table = text_table(["measure", "also", "needs", "what it is"], rows, left=4)
    return f"{table}\n\n`rankprism measures NAME` explains a measure: formula, parameters and source."


def explain(measure: Measure, width: int = 80) -> str:
    """The formula, parameters and citation of a measure, as text. `help` shows the same."""
    definition = measure.definition
    text, _, example = definition.doc.partition(">>>")
    lines = [str(measure), "", *text.strip().splitlines(), "", "Parameters"]
    if not definition.parameters:
        lines += ["  none"]
    for p in definition.parameters:
        about = f"{p.meaning}; {p.range}; default {p.default!r}"
        lines += textwrap.wrap(about, width, initial_indent=f"  {p.name:<12} ", subsequent_indent=" " * 15)
    if definition.aliases:
        lines += ["", "Also called " + ", ".join(definition.aliases)]
    if definition.forms:
        lines += ["", *textwrap.wrap("Names in papers: " + "; ".join(_forms(definition)), width)]
    if definition.needs == "preferences":
        lines += ["", "Needs preferences: `rankprism evaluate prefs.tsv RUN...`, or beside judgments"]
        lines += ["`rankprism evaluate QRELS RUN... --preferences prefs.tsv`"]
    if cells := recorded(str(measure)):
        lines += ["", *textwrap.wrap(f"Axioms: {_verdicts(cells)} (see `rankprism axioms {measure}`)", width)]
    lines += [
        "",
        *textwrap.wrap(f"Bounds for unjudged documents: {BOUNDS[measure.bounds_kind]}", width),
    ]
    if measure.bounds_kind == "none":
        lines[-1] += f" ({measure.why_unbounded})"
    if measure.lower_is_better:
        lines += ["", LOWER]
    for key in definition.cite:
        lines += ["", *textwrap.wrap("From " + CITATIONS[key].text, width, subsequent_indent="     ")]
    if example:
        lines += ["", "Example", *(f"  {line}" for line in (">>>" + example).splitlines())]
    return "\n".join(lines)


#: What is said of measures of which a lower score is better.
LOWER = "A lower score is better."
#: What `rankprism measures NAME` says about the bounds of a measure.
BOUNDS = {
    "exact": "exact with default parameters, so that some grades of these documents attain them",
    "outer": "outer, so that no grades of these documents lead to a score beyond them",
    "none": "none are known",
}


def _forms(definition: Definition) -> list[str]:
    """The papers' names for certain parameters: "MANH is TOMA(distance='manhattan')"."""
    own = Measure(definition)
    return [f"{name} is {own(**settings)}" for name, settings in definition.forms.items()]


def _verdicts(cells: Mapping[str, Recorded]) -> str:
    """The verdicts on a measure, and the verdicts that the reading `printed` changes."""
    by_reading: dict[str, dict[str, list[str]]] = {"": {}, "in the reading printed, ": {}}
    proved, printed = by_reading.values()
    for name in AXIOMS:
        verdict = cells[f"{name} proved"]
        proved.setdefault(verdict.words, []).append(name)
        other = cells.get(f"{name} printed", verdict)
        if other.kind != verdict.kind:
            printed.setdefault(other.words, []).append(name)
    return "; ".join(
        f"{reading}{words}: {' '.join(names)}"
        for reading, found in by_reading.items()
        for words, names in found.items()
    )


def _proved(measure: str) -> str:
    """The constraints that are proved, with a star if this holds only in the reading `proved`, and in
    brackets the others that are not refuted."""
    cells = recorded(measure)
    told = []
    for name in AXIOMS if cells else ():
        kind = cells[f"{name} proved"].kind
        star = "*" if cells.get(f"{name} printed", cells[f"{name} proved"]).kind != kind else ""
        told += [name + star] if kind == PROVED else [f"({name}{star})"] if kind == NOT_REFUTED else []
    return " ".join(told) or "none"


#: What is judged, and what the measures that need it have in common.
KINDS = {
    "Relevance of documents": (
        "These measures take one grade for each document. If documents have grades for several aspects, a\n"
        "measure takes the best of them, or what its parameter `fold` says."
    ),
    "Relevance to subtopics": (
        "These measures take a grade for each document and each subtopic (intent, aspect) of the topic."
    ),
    "Several qualities of documents": (
        "These measures take a grade for each document and each quality, such as relevance and\n"
        "credibility. [multi-aspect.md](multi-aspect.md) compares them."
    ),
    "Nuggets of answers": (
        "These measures take the nuggets that an answer or a passage supports, see [rag.md](rag.md)."
    ),
    "Preferences between documents": (
        "These measures take what people prefer, two documents at a time, see\n"
        "[preferences.md](preferences.md)."
    ),
}
_QUALITIES = frozenset({"Aspect", "CAM", "Contrast", "MM", "TOMA"})
_OTHERS = frozenset({"Judged", "RBP_residual", "Unjudged"})  # which count documents, and not aspects


def _judged(definition: Definition) -> str:
    """One of `KINDS`."""
    relevance, subtopics, qualities, nuggets, preferences = KINDS
    if definition.needs == "preferences":
        return preferences
    if definition.name.startswith("Nugget"):
        return nuggets
    if definition.name in _QUALITIES:
        return qualities
    return relevance if definition.single or definition.name in _OTHERS else subtopics


def reference() -> str:
    """All measures in Markdown, grouped by what is judged, for docs/measures.md."""
    own = sorted(definitions(), key=lambda d: d.name.casefold())
    lines: list[str] = []
    for kind, about in KINDS.items():
        some = [d for d in own if _judged(d) == kind]
        lines += ["", f"## {kind}", "", about, ""]
        lines += ["| measure | what it is | bounds | axioms | compared with |", "|---|---|---|---|---|"]
        lines += [_row(d) for d in some]
        lines += [line for d in some for line in _entry(d)]
    return "\n".join(lines[1:]) + "\n"


def _row(d: Definition) -> str:
    """A measure's row of the table."""
    cells = (
        f"[{d.name}](#{d.name.casefold()})",
        d.summary,
        Measure(d).bounds_kind,
        " / ".join(_proved(name) for name in (d.name, f"{d.name}_IA") if recorded(name)),
        d.compared,
    )
    return f"| {' | '.join(cells)} |"


def _entry(d: Definition) -> list[str]:
    """The lines of a measure: what it is, its formula, parameters, citations and an example."""
    text, _, example = d.doc.partition(">>>")
    summary, _, rest = text.strip().partition("\n")
    formula, _, remarks = rest.strip().partition("\n\n")
    lines = ["", f"### {d.name}", "", summary, "", "```text", formula, "```"]
    lines += ["", remarks.strip()] if remarks.strip() else []
    lines += ["", LOWER] if d.lower_is_better else []
    if d.aliases:
        lines += ["", "Also called " + ", ".join(f"`{alias}`" for alias in d.aliases) + "."]
    if d.forms:
        lines += ["", "Names in papers: " + "; ".join(_forms(d)) + "."]
    if d.parameters:
        lines += ["", "| parameter | default | allowed | meaning |", "|---|---|---|---|"]
    lines += [f"| `{p.name}` | `{p.default!r}` | {p.range} | {p.meaning} |" for p in d.parameters]
    lines += ["", *(f"- {CITATIONS[key].text}" for key in d.cite)]
    if example:
        lines += ["", "```pycon", *(">>>" + example).rstrip().splitlines(), "```"]
    return lines
