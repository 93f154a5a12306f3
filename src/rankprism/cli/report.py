"""`rankprism report`: one HTML file about systems, measures, topics and rankings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli.collection import (
    MeasureFiles,
    MeasureNames,
    QrelsAndRuns,
    load_measures,
    read_collection,
    with_options_of,
)
from rankprism.cli.completion import complete_file
from rankprism.cli.options import Quiet, Seed, noted, output_option, working

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@with_options_of(read_collection)
def report(
    files: QrelsAndRuns,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    output: Annotated[Path, output_option("report.html")] = Path("report.html"),
    depth: Annotated[int, typer.Option(min=1, help="How many ranks of each ranking to show.")] = 20,
    documents: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Titles and texts of documents: JSON Lines with id, text and perhaps title, url and type; "
            "or irds:ID. Default: only ids are shown.",
            autocompletion=complete_file,
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the report.", show_default=False)
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    **collection: Any,
) -> None:
    """Write a report: one HTML file that needs nothing else.

    It shows which systems differ, what the measures see and do not see, which topics are hard, and what each
    document of a ranking earned. Without -m it takes measures that suit the judgments.

    \b
    rankprism report qrels.txt runs/*.run -o report.html
    rankprism report qrels.txt runs/*.run -m RBU@20 --documents docs.jsonl
    rankprism report preferences.tsv runs/*.run
    """
    from rankprism.cli.output import write
    from rankprism.measures import parse
    from rankprism.report import make
    from rankprism.report.page import check_installed

    check_installed()
    load_measures(measures_file)
    measures = [parse(text) for text in measure] if measure else None
    with noted(quiet):
        read = read_collection(files=files, **collection)
        with working("making the report") as on_share:
            made = make(
                runs=list(read.runs),
                measures=measures,
                depth=depth,
                documents=documents,
                title=title,
                seed=seed,
                on_share=on_share,
                **read.kinds,
                **read.settings,
            )
            text = made.html
    write(text, output)
