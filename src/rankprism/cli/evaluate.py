"""`rankprism evaluate`: from judgments and runs to scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankprism.cli.judgments import (
    AspectNames,
    Embedding,
    GivenAspect,
    LabelNames,
    described,
    read,
    split_pairs,
)
from rankprism.cli.options import (
    Caption,
    Digits,
    Duplicates,
    Label,
    Order,
    OutputFile,
    PageColumns,
    QrelsFormat,
    Quiet,
    RunFormat,
    ScoreFormatOption,
    Sort,
    Topics,
    noted,
    reading,
)
from rankprism.errors import InputError, MeasureError

app = typer.Typer(add_completion=False)


@app.command()
def evaluate(
    qrels: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments: topic subtopic document grade. - is standard input. Or NAME=FILE for each of "
            "several aspects, or a TOML file that describes them.",
        ),
    ],
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Runs: topic Q0 document rank score tag.")
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="A measure such as 'alpha_nDCG(alpha=0.25)@20'; repeatable.",
            show_default=False,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Aspect weights: topic aspect weight, and perhaps inf or nav. Or the word sakai, or for all "
            "topics relevance=0.7,credibility=0.3.",
            show_default=False,
        ),
    ] = None,
    aspects: AspectNames = None,
    labels: LabelNames = None,
    embed: Embedding = None,
    given: GivenAspect = None,
    per_topic: Annotated[
        bool, typer.Option("--per-topic", help="Every topic's scores, not only the means.")
    ] = False,
    topics: Annotated[
        Topics, typer.Option(help="Average over all judged topics, or those a run has retrieved.")
    ] = Topics.judged,
    order: Annotated[Order, typer.Option(help="How a topic's documents are ordered.")] = Order.score,
    duplicates: Annotated[
        Duplicates, typer.Option(help="A document twice in a topic: an error, or keep the better-ranked.")
    ] = Duplicates.error,
    qrels_format: Annotated[
        QrelsFormat | None, typer.Option(help="How to read QRELS; recognised without it.", show_default=False)
    ] = None,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds",
            help="Also print the bounds between which each score lies, whatever grades the unjudged "
            "documents of the ranking turn out to have.",
        ),
    ] = False,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="A run to measure risk against (U_RISK).", show_default=False),
    ] = None,
    risk_alpha: Annotated[
        float, typer.Option(min=0, help="How much more a loss against the baseline counts.")
    ] = 1.0,
    measures_file: Annotated[
        list[Path] | None,
        typer.Option(
            "--measures", metavar="FILE", help="TOML with measures of your own.", show_default=False
        ),
    ] = None,
    run_format: Annotated[
        RunFormat | None,
        typer.Option(help="How to read RUNs; recognised without it.", show_default=False),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Files to read at once; one a processor without it.", show_default=False),
    ] = None,
    wide: Annotated[
        bool | None,
        typer.Option(
            "--wide/--long",
            help="A column for each measure, or a row for each score. Default: wide for people (table, "
            "latex, markdown, html), and long for programs.",
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
) -> None:
    """Score runs: rankprism evaluate qrels.txt runs/*.run -m alpha_nDCG@20 -m ERR_IA@20"""
    from rankprism.cli.output import write_in
    from rankprism.data.outputs import Style, check_style, output_format
    from rankprism.evaluation import evaluate as evaluate_runs
    from rankprism.formats.files import run_name
    from rankprism.measures import load, parse

    if not measure:
        raise MeasureError(
            "name at least one measure with -m, e.g. -m alpha_nDCG@20; `rankprism measures` lists them"
        )
    if [qrels, *runs].count("-") > 1:
        raise InputError("standard input (-) can be read only once; name files for the others")
    source, runs = split_pairs([qrels, *runs])
    if not runs:
        raise InputError("name the runs after the judgments")
    for file in measures_file or []:
        load(file)
    chosen = [parse(text) for text in measure]  # before any run is read
    if baseline is not None and baseline not in runs:
        runs = [*runs, baseline]
    kind, style = output_format(output, format, scores=True), Style(digits, caption, label, columns)
    check_style(kind, style)
    if wide and kind == "trec":
        raise InputError("trec_eval prints one line for each score; leave out --wide, or --format trec")
    with noted(quiet), reading(len(runs)) as on_run:
        judgments = read(
            source,
            described(aspects, labels, embed, given),
            weights,
            qrels_format.value if qrels_format else None,
        )
        scores = evaluate_runs(
            judgments,
            runs,
            chosen,
            run_format=run_format.value if run_format else None,
            topics=topics.value,
            order=order.value,
            duplicates=duplicates.value,
            bounds=bounds,
            threads=threads,
            on_run=on_run,
        )
    if baseline is not None:
        scores = scores.risk(run_name(baseline), risk_alpha)
    if sort is not None:
        scores = scores.sorted(sort)
    write_in(scores.table(per_topic=per_topic, wide=wide), kind, output, style)
