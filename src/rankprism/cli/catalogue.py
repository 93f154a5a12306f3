"""`rankprism measures` lists the measures, and `rankprism demo` shows an example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankprism.cli.completion import complete_measure
from rankprism.cli.group import commands
from rankprism.cli.measures import MeasureFiles, load_measures

app = commands()


@app.command()
def measures(
    name: Annotated[
        str | None,
        typer.Argument(
            help="The measure to explain. Default: list all measures.", autocompletion=complete_measure
        ),
    ] = None,
    bibtex: Annotated[
        bool, typer.Option("--bibtex", help="Print the citation of the measure as BibTeX.")
    ] = False,
    measures_file: MeasureFiles = None,
) -> None:
    """List the measures, or explain one.

    \b
    rankprism measures
    rankprism measures alpha_nDCG
    """
    import shutil

    from rankprism.cli.output import write
    from rankprism.measures import parse
    from rankprism.measures.catalogue import explain, list_measures

    load_measures(measures_file)
    if name is None:
        write(list_measures() + "\n", for_people=True)
    elif bibtex:
        write(parse(name).definition.bibtex + "\n")
    else:
        write(explain(parse(name), min(100, shutil.get_terminal_size().columns)) + "\n", for_people=True)


@app.command()
def demo(
    save: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Copy the sample collection to this new folder.")
    ] = None,
) -> None:
    """Evaluate six systems on a small collection.

    The collection comes with rankprism.

    \b
    rankprism demo
    rankprism demo --save sample
    """
    from rankprism.cli.demo import copy_sample, show
    from rankprism.cli.output import write

    write((show() if save is None else copy_sample(save)) + "\n", for_people=True)
