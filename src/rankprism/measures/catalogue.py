"""What the catalogue says of its measures: the list, the page of one measure, the page of documentation."""

from __future__ import annotations

import textwrap

from rankprism.data.table import text_table
from rankprism.measures.citations import CITATIONS
from rankprism.measures.measure import AXIOMS, Definition, Measure, lookup, names


def _definitions() -> list[Definition]:
    return sorted((lookup(name).definition for name in names()), key=lambda d: d.name.casefold())


def list_measures() -> str:
    """All measures, one a line, with their aliases."""
    rows = [[d.name, ", ".join(d.aliases), d.needs, d.summary] for d in _definitions()]
    table = text_table(["measure", "also", "needs", "what it says"], rows, left=4)
    return f"{table}\n\n`rankprism measures NAME` explains one: formula, parameters, where it comes from."


def explain(measure: Measure, width: int = 80) -> str:
    """A measure's formula, parameters and citation, for people; `help` shows the same."""
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
    if definition.needs == "preferences":
        lines += ["", "Needs preferences: `rankprism evaluate prefs.tsv RUN...`, or beside judgments"]
        lines += ["`rankprism evaluate QRELS RUN... --preferences prefs.tsv`"]
    if definition.keeps is not None:
        kept = f"Keeps {_kept(definition.keeps)} of ten axioms: `rankprism axioms {definition.name}`"
        lines += ["", *textwrap.wrap(kept, width)]
    lines += ["", *textwrap.wrap(f"Bounds for unjudged documents: {BOUNDS[definition.bounds.kind]}", width)]
    if definition.bounds.function is None:
        lines[-1] += f" ({definition.bounds.reason})"
    for key in definition.cite:
        lines += ["", *textwrap.wrap("From " + CITATIONS[key].text, width, subsequent_indent="     ")]
    if example:
        lines += ["", "Example", *(f"  {line}" for line in (">>>" + example).splitlines())]
    return "\n".join(lines)


#: What `rankprism measures NAME` says of the bounds of a measure.
BOUNDS = {
    "exact": "exact with default parameters; some grades of these documents attain them",
    "outer": "outer; no grades of these documents lead beyond them",
    "none": "none are known",
}


def _kept(names: frozenset[str]) -> str:
    return " ".join(name for name in AXIOMS if name in names) or "none"


def reference() -> str:
    """The documentation page of all measures, in Markdown."""
    own = [d for d in _definitions() if not d.derived_from]
    lines = [
        "# Measures",
        "",
        "Made by `make docs` from the measures themselves; `rankprism measures NAME` prints the same.",
        "",
        "Every single-aspect measure M also exists as `M_IA`, its mean over a topic's aspects, and inside",
        "`CAM(M)` and `MM(M)`. *Bounds*: what `bounds=True` gives for the judgments that are missing, with",
        "default parameters: see [conventions.md](conventions.md#bounds-for-unjudged-documents).",
        "*Keeps*: those of the ten constraints in [axioms.md](axioms.md) that it keeps with default",
        "parameters; after a stroke, M_IA. Measures with *preferences* in the column *aspects* need",
        "preferences instead of absolute judgments: see [preferences.md](preferences.md).",
        "",
        "| measure | what it says | aspects | bounds | keeps | compared with, beside its definition |",
        "|---|---|---|---|---|---|",
    ]
    for d in own:
        cells = (
            f"[{d.name}](#{d.name.casefold()})",
            d.summary,
            "preferences" if d.needs == "preferences" else "one" if d.single else "all",
            d.bounds.kind,
            " / ".join(_kept(kept) for kept in (d.keeps, d.keeps_ia) if kept is not None),
            d.compared,
        )
        lines.append(f"| {' | '.join(cells)} |")
    for d in own:
        text, _, example = d.doc.partition(">>>")
        summary, _, rest = text.strip().partition("\n")
        formula, _, remarks = rest.strip().partition("\n\n")
        lines += ["", f"## {d.name}", "", summary, "", "```text", formula, "```"]
        lines += ["", remarks.strip()] if remarks.strip() else []
        if d.aliases:
            lines += ["", "Also called " + ", ".join(f"`{alias}`" for alias in d.aliases) + "."]
        if d.parameters:
            lines += ["", "| parameter | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | `{p.default!r}` | {p.range} | {p.meaning} |" for p in d.parameters]
        lines += ["", *(f"- {CITATIONS[key].text}" for key in d.cite)]
        if example:
            lines += ["", "```pycon", *(">>>" + example).rstrip().splitlines(), "```"]
    return "\n".join(lines) + "\n"
