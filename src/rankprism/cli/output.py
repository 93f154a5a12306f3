"""What the commands print."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

from rankprism.data.outputs import Style, written
from rankprism.data.result import Result
from rankprism.data.table import text_table
from rankprism.foreign import shown_lines
from rankprism.formats.files import write_texts
from rankprism.measures import Measure, lookup, names
from rankprism.measures.checked import CHECKED
from rankprism.measures.citations import CITATIONS
from rankprism.measures.measure import AXIOMS


def write_in(result: Result, kind: str, output: Path | None = None, style: Style | None = None) -> None:
    """Write a result in a format to a file or to standard output, where a terminal shows the best in bold."""
    content = written(result, kind, replace(style or Style(), bold=output is None and shows_bold()))
    if isinstance(content, bytes):
        write_texts({"-" if output is None else output: content})
    else:
        write(content, output, for_people=kind == "table")


def shows_bold() -> bool:
    """Whether standard output is a terminal, where bold letters are welcome."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def write(text: str, output: Path | None = None, *, for_people: bool = False) -> None:
    """To a file, which appears whole or not at all, or to standard output.

    for_people : whether it is a table or another text to read, in which a terminal may show plain signs in
        the place of those that it lacks. What machines read is the same on standard output as in a file.
    """
    if output is not None and os.fspath(output) != "-":
        write_texts({output: text})
    elif for_people or sys.stdout.isatty():
        sys.stdout.write(text if for_people else shown_lines(text))
        sys.stdout.flush()
    else:
        write_texts({"-": text})


def list_measures() -> str:
    definitions = sorted((lookup(name).definition for name in names()), key=lambda d: d.name.casefold())
    rows = [[d.name, ", ".join(d.aliases), d.summary] for d in definitions]
    table = text_table(["measure", "also", "what it says"], rows, left=3)
    return f"{table}\n\n`rankprism measures NAME` explains one: formula, parameters, where it comes from."


def explain(measure: Measure) -> str:
    """A measure's formula, parameters and citation, for people."""
    width = min(100, shutil.get_terminal_size().columns)
    definition = measure.definition
    text, _, example = definition.doc.partition(">>>")
    lines = [str(measure), "", *text.strip().splitlines(), "", "Parameters"]
    for p in definition.parameters:
        about = f"{p.meaning}; {p.range}; default {p.default!r}"
        lines += textwrap.wrap(about, width, initial_indent=f"  {p.name:<12} ", subsequent_indent=" " * 15)
    if definition.aliases:
        lines += ["", "Also called " + ", ".join(definition.aliases)]
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
    definitions = sorted((lookup(name).definition for name in names()), key=lambda d: d.name.casefold())
    own = [d for d in definitions if not d.name.endswith("_IA") or d.name in ("ERR_IA", "nERR_IA")]
    lines = [
        "# Measures",
        "",
        "Made by `make docs` from the measures themselves; `rankprism measures NAME` prints the same.",
        "",
        "Every single-aspect measure M also exists as `M_IA`, its mean over a topic's aspects, and inside",
        "`CAM(M)` and `MM(M)`. *Bounds*: what `bounds=True` gives for the judgments that are missing, with",
        "default parameters: see [conventions.md](conventions.md#bounds-for-unjudged-documents).",
        "*Keeps*: those of the ten constraints in [axioms.md](axioms.md) that it keeps with default",
        "parameters; after a stroke, M_IA.",
        "",
        "| measure | what it says | aspects | bounds | keeps | compared with, beside its definition |",
        "|---|---|---|---|---|---|",
    ]
    for d in own:
        cells = (
            f"[{d.name}](#{d.name.casefold()})",
            d.summary,
            "one" if d.single else "all",
            d.bounds.kind,
            " / ".join(_kept(kept) for kept in (d.keeps, d.keeps_ia) if kept is not None),
            CHECKED.get(d.name, ""),
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
        lines += ["", "| parameter | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | `{p.default!r}` | {p.range} | {p.meaning} |" for p in d.parameters]
        lines += ["", *(f"- {CITATIONS[key].text}" for key in d.cite)]
        if example:
            lines += ["", "```pycon", *(">>>" + example).rstrip().splitlines(), "```"]
    return "\n".join(lines) + "\n"
