"""What the commands print."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rankprism.data.scores import Scores
from rankprism.data.table import text_table
from rankprism.formats.files import write_texts
from rankprism.measures import Measure, lookup, names
from rankprism.measures.citations import CITATIONS

MEAN = "all"  # the topic that stands for the mean over topics


def render(scores: Scores, kind: str, per_topic: bool, colour: bool = False) -> str:
    """The scores in one of the formats table, csv, json, trec."""
    return {"table": _table, "csv": _csv, "json": _json, "trec": _trec}[kind](scores, per_topic, colour)


def write(text: str, output: Path | None) -> None:
    """To a file, which appears whole or not at all, or to standard output."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_texts({output: text})


def _rows(scores: Scores, per_topic: bool) -> Iterator[tuple[str, str, list[float]]]:
    """Run, topic and the scores of all measures; the mean of a run comes after its topics."""
    means = scores.means
    for r, run in enumerate(scores.runs):
        if per_topic:
            evaluated = ~np.isnan(scores.values[r]).all(-1)
            for t in np.flatnonzero(evaluated):
                yield run, scores.topics[t], scores.values[r, t].tolist()
        yield run, MEAN, means[r].tolist()


def _table(scores: Scores, per_topic: bool, colour: bool) -> str:
    header = ["run", "topic", *scores.measures] if per_topic else ["run", *scores.measures]
    rows = [
        [run, *([topic] if per_topic else []), *(f"{x:.4f}" for x in values)]
        for run, topic, values in _rows(scores, per_topic)
    ]
    bold = best_cells(scores) if colour and not per_topic else []
    return text_table(header, rows, left=2 if per_topic else 1, bold=bold) + "\n"


def best_cells(scores: Scores) -> list[tuple[int, int]]:
    """The best run of each measure, as printed, for a terminal to show in bold."""
    if len(scores.runs) < 2 or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return []
    best = scores.means >= scores.means.max(0) - 5e-5
    return [(int(r), int(m) + 1) for r, m in np.argwhere(best)]


def _csv(scores: Scores, per_topic: bool, colour: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "score"])
    for run, topic, values in _rows(scores, per_topic):
        writer.writerows((run, topic, m, x) for m, x in zip(scores.measures, values, strict=True))
    return text.getvalue()


def _json(scores: Scores, per_topic: bool, colour: bool) -> str:
    from rankprism import __version__

    result: dict[str, object] = {
        "rankprism": __version__,
        "conventions": scores.conventions,
        "mean": scores.mean(),
    }
    if per_topic:
        result["per_topic"] = scores.per_topic()
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"


def _trec(scores: Scores, per_topic: bool, colour: bool) -> str:
    """As trec_eval prints it: measure, topic, score; each run's part ends with its name and means."""
    lines = []
    for run, topic, values in _rows(scores, per_topic):
        if topic == MEAN:
            lines.append(f"{'runid':<22}\t{MEAN}\t{run}")
        lines += [f"{m:<22}\t{topic}\t{x!r}" for m, x in zip(scores.measures, values, strict=True)]
    return "\n".join(lines) + "\n"


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
    for key in definition.cite:
        lines += ["", *textwrap.wrap("From " + CITATIONS[key].text, width, subsequent_indent="     ")]
    if example:
        lines += ["", "Example", *(f"  {line}" for line in (">>>" + example).splitlines())]
    return "\n".join(lines)
