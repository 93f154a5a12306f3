"""`rankprism explain`: what each document of a ranking earned."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import check_output, write_result
from rankprism.cli.collection import (
    MeasureFiles,
    MeasureNames,
    QrelsAndRuns,
    read_collection,
    read_measures,
    with_options_of,
)
from rankprism.cli.options import Quiet, noted

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@with_options_of(read_collection, write_result)
def explain(
    files: QrelsAndRuns,
    topic: Annotated[str, typer.Option(metavar="TOPIC", help="The topic to look at.")],
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    depth: Annotated[int, typer.Option(min=1, help="How many ranks to show.")] = 20,
    quiet: Quiet = False,
    **given: Any,
) -> None:
    """Show what each document of a ranking earned, and why.

    \b
    rankprism explain qrels.txt runs/a.run -m alpha_nDCG@10 --topic 157
    rankprism explain qrels.txt a.run b.run -m RBU@10 -m nDCG@10 --topic 157
    rankprism explain preferences.tsv a.run -m nPrf@10 --topic 157
    """
    from rankprism.cli.collection import options_of
    from rankprism.explanation import explain

    measures = read_measures(measure, measures_file)
    writing = {name: given.pop(name) for name in options_of(write_result)}
    check_output(**writing)
    with noted(quiet):
        read = read_collection(files=files, **given)
        how = {name: read.settings[name] for name in ("run_format", "order", "duplicates")}
        result = explain(
            runs=list(read.runs), measures=measures, topic=topic, depth=depth, **read.kinds, **how
        )
    write_result(result, **writing)
