"""The options that name measures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli.completion import complete_measure
from rankprism.errors import MeasureError


def measures_option(text: str) -> Any:
    """-m, which names measures."""
    return typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        help=f"{text} Repeatable, or -m 'nDCG@10 AP'.",
        autocompletion=complete_measure,
    )


MeasureNames = Annotated[list[str] | None, measures_option("A measure, e.g. 'alpha_nDCG(alpha=0.25)@20'.")]

MeasureFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--measures",
        metavar="FILE",
        help="Measures and constraints of your own, in TOML or Python. A Python file is run: name only files "
        "that you trust.",
    ),
]


def read_measures(measure: MeasureNames = None, measures_file: MeasureFiles = None) -> list[Any]:
    """The measures that are named, with those from the user's files known."""
    from rankprism.measures import parse_all

    load_measures(measures_file)
    if not measure:
        raise MeasureError(
            "name at least one measure with -m, e.g. -m alpha_nDCG@20; `rankprism measures` lists them"
        )
    return list(parse_all(measure))


def load_measures(measures_file: Sequence[Path] | None) -> None:
    """Make the measures in these files known."""
    if measures_file:
        from rankprism.formats.measure_files import load

        for file in measures_file:
            load(file)
