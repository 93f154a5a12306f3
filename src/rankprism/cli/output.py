"""What the commands print."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankprism.data.result import guarded
from rankprism.data.scores import Scores, mean_over_topics
from rankprism.data.table import text_table
from rankprism.foreign import shown, shown_lines
from rankprism.formats.files import write_texts

#: How scores can be written.
FORMATS = ("table", "csv", "guarded-csv", "json", "trec")
MEAN = "all"  # the topic that stands for the mean over topics


def render(scores: Scores, kind: str, per_topic: bool, colour: bool = False) -> str:
    """The scores in one of the formats table, csv, guarded-csv, json, trec.

    colour : show the best run of each measure in bold, if standard output is a terminal.
    """
    if kind == "table":
        return _table(scores, per_topic, colour)
    if kind in ("csv", "guarded-csv"):
        return _csv(scores, per_topic, guard=kind != "csv")
    return {"json": _json, "trec": _trec}[kind](scores, per_topic)


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


def _rows(scores: Scores, per_topic: bool) -> Iterator[tuple[str, str, list[float]]]:
    """Run, topic and the scores of all measures; the mean of a run comes after its topics."""
    for r, run, topic, where in _places(scores, per_topic):
        yield run, topic, (scores.means[r] if where is None else scores.values[r, where]).tolist()


def _places(scores: Scores, per_topic: bool) -> Iterator[tuple[int, str, str, int | None]]:
    for r, run in enumerate(scores.runs):
        if per_topic:
            for t in np.flatnonzero(~np.isnan(scores.values[r]).all(-1)):
                yield r, run, scores.topics[t], int(t)
        yield r, run, MEAN, None


def _table(scores: Scores, per_topic: bool, colour: bool) -> str:
    header = ["run", "topic", *scores.measures] if per_topic else ["run", *scores.measures]
    rows = [
        [run, *([topic] if per_topic else []), *cells]
        for (_, run, topic, _), cells in zip(
            _places(scores, per_topic), _cells(scores, per_topic), strict=True
        )
    ]
    bold = best_cells(scores) if colour and not per_topic else []
    return text_table(header, rows, left=2 if per_topic else 1, bold=bold) + "\n"


def _cells(scores: Scores, per_topic: bool) -> Iterator[list[str]]:
    """The scores of each row, with what they lie between where that is known."""
    arrays = [array for array in (scores.values, scores.low, scores.high) if array is not None]
    means = [mean_over_topics(array) for array in arrays]
    wide = None
    if scores.low is not None and scores.high is not None:
        # A measure whose scores are all certain needs no brackets.
        wide = np.nanmax(scores.high - scores.low, axis=(0, 1), initial=0.0) >= 5e-5
    for r, _, _, t in _places(scores, per_topic):
        pick = [
            (mean[r] if t is None else array[r, t]).tolist()
            for mean, array in zip(means, arrays, strict=True)
        ]
        if wide is None:
            yield [f"{x:.4f}" for x in pick[0]]
        else:
            yield [
                f"{x:.4f} [{low:.4f}, {high:.4f}]" if uncertain else f"{x:.4f}"
                for x, low, high, uncertain in zip(*pick, wide, strict=True)
            ]


def best_cells(scores: Scores) -> list[tuple[int, int]]:
    """The best run of each measure, as printed, for a terminal to show in bold."""
    if len(scores.runs) < 2 or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return []
    best = scores.means >= scores.means.max(0) - 5e-5
    return [(int(r), int(m) + 1) for r, m in np.argwhere(best)]


def _csv(scores: Scores, per_topic: bool, guard: bool) -> str:
    text = io.StringIO()
    cell = guarded if guard else str
    writer = csv.writer(text, lineterminator="\n")
    columns = [array for array in (scores.values, scores.low, scores.high) if array is not None]
    means = [mean_over_topics(array) for array in columns]
    writer.writerow(["run", "topic", "measure", "score", "low", "high"][: 3 + len(columns)])
    for r, run, topic, t in _places(scores, per_topic):
        rows = zip(
            *(means[c][r] if t is None else columns[c][r, t] for c in range(len(columns))), strict=True
        )
        writer.writerows(
            (cell(run), cell(topic), cell(m), *map(float, row))
            for m, row in zip(scores.measures, rows, strict=True)
        )
    return text.getvalue()


def _json(scores: Scores, per_topic: bool) -> str:
    from rankprism import __version__

    result: dict[str, object] = {
        "rankprism": __version__,
        "conventions": scores.conventions,
        "mean": scores.mean(),
    }
    if scores.low is not None and scores.high is not None:
        ends = (replace(scores, values=array).mean() for array in (scores.low, scores.high))
        result["low"], result["high"] = ends
    if per_topic:
        result["per_topic"] = scores.per_topic()
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"


def _trec(scores: Scores, per_topic: bool) -> str:
    """As trec_eval prints it: measure, topic, score; each run's part ends with its name and means."""
    lines = []
    for run, topic, values in _rows(scores, per_topic):
        if topic == MEAN:
            lines.append(f"{'runid':<22}\t{MEAN}\t{shown(run, None)}")
        lines += [
            f"{m:<22}\t{shown(topic, None)}\t{x!r}" for m, x in zip(scores.measures, values, strict=True)
        ]
    return "\n".join(lines) + "\n"
