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
from rankprism.cli.options import (
    Caption,
    Digits,
    Label,
    OutputFile,
    PageColumns,
    Quiet,
    ScoreFormatOption,
    Sort,
    noted,
)
from rankprism.errors import InputError

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
            help="Also print the lowest and the highest score that are possible if the unjudged documents of "
            "the ranking are judged.",
        ),
    ] = False,
    baseline: Baseline = None,
    risk_alpha: Annotated[
        float,
        typer.Option(
            min=0,
            help="Parameter alpha of U_RISK, for --baseline: a loss against the baseline counts 1 + alpha "
            "times as much as a win.",
        ),
    ] = 1.0,
    wide: Annotated[
        bool | None,
        typer.Option(
            "--wide/--long",
            help="Print one column for each measure (wide), or one row for each score (long). Default: wide "
            "in formats that people read (table, latex, markdown, html), and long in the others.",
            show_default=False,
        ),
    ] = None,
    sort: Sort = None,
    format: ScoreFormatOption = None,
    output: OutputFile = None,
    digits: Digits = None,
    caption: Caption = None,
    label: Label = None,
    columns: PageColumns = None,
    quiet: Quiet = False,
    **collection: Any,
) -> None:
    """Score runs with measures.

    \b
    rankprism evaluate qrels.txt runs/*.run -m alpha_nDCG@20 -m ERR_IA@20
    rankprism evaluate qrels.txt runs/*.run -m P@10 --per-topic -o scores.csv
    """
    from rankprism.cli.output import write_in
    from rankprism.data.outputs import Style, check_style, output_format

    measures = read_measures(measure, measures_file)  # before anything is read
    kind, style = output_format(output, format, scores=True), Style(digits, caption, label, columns)
    check_style(kind, style)
    if wide and kind == "trec":
        raise InputError("trec_eval prints one line for each score; leave out --wide, or --format trec")
    with noted(quiet):
        read = read_collection(files=files, baseline=baseline, **collection)
        scores = read.evaluate(measures, bounds=bounds)
    if read.baseline is not None:
        scores = scores.risk(read.baseline, risk_alpha)
    if sort is not None:
        scores = scores.sorted(sort)
    write_in(scores.table(per_topic=per_topic, wide=wide), kind, output, style)
