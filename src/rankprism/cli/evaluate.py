"""`rankprism evaluate`: from judgments and runs to scores."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.collection import (
    Baseline,
    MeasureFiles,
    MeasureNames,
    QrelsAndRuns,
    read_collection,
    read_measures,
    with_options_of,
)
from rankprism.cli.options import OutputFile, Quiet, ScoreFormatOption, format_of, noted

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@with_options_of(read_collection)
def evaluate(
    files: QrelsAndRuns,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    per_topic: Annotated[
        bool, typer.Option("--per-topic", help="Print the scores of every topic, not only the means.")
    ] = False,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds",
            help="Also print the bounds between which each score lies, whatever grades the unjudged "
            "documents of the ranking turn out to have.",
        ),
    ] = False,
    baseline: Baseline = None,
    risk_alpha: Annotated[
        float,
        typer.Option(min=0, help="With --baseline: a loss against it counts 1 + this number times (U_RISK)."),
    ] = 1.0,
    format: ScoreFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    **collection: Any,
) -> None:
    """Score runs with measures.

    \b
    rankprism evaluate qrels.txt runs/*.run -m alpha_nDCG@20 -m ERR_IA@20
    rankprism evaluate qrels.txt runs/*.run -m P@10 --per-topic -o scores.csv
    """
    from rankprism.cli.output import FORMATS, render, write

    measures = read_measures(measure, measures_file)  # before anything is read
    kind = format_of(output, format, FORMATS)
    with noted(quiet):
        read = read_collection(files=files, baseline=baseline, **collection)
        scores = read.evaluate(measures, bounds=bounds)
    if read.baseline is not None:
        scores = scores.risk(read.baseline, risk_alpha)
    write(render(scores, kind, per_topic, colour=output is None), output, for_people=kind == "table")
