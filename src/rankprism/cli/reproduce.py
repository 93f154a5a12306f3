"""`rankprism reproduce`: the tables and figures of papers, computed for a collection."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli.analysis import check_output, note_options, write_result
from rankprism.cli.collection import (
    Collection,
    QrelsAndRuns,
    given_to,
    read_collection,
    with_options_of,
)
from rankprism.cli.options import Resamples, Seed, noted, working
from rankprism.errors import InputError

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Compute the tables and figures of a paper, and compare them with the printed numbers. Without "
    "files, the sample collection is used.",
)

Figures = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Also draw the figures of the paper, as SVG files.", show_default=False
    ),
]


def _collection(files: list[str] | None, weights: str | None, given: dict[str, Any]) -> Collection:
    """The collection that is named, or the sample with its weights if no files are named."""
    from rankprism import sample

    if not files:
        files = [str(sample.QRELS), *map(str, sample.RUNS)]
        weights = weights or str(sample.WEIGHTS)
    return read_collection(files=files, weights=weights, **given)


def _read(options: dict[str, Any]) -> Collection:
    given = given_to(read_collection, options)
    read = _collection(given.pop("files"), given.pop("weights"), given)
    if read.preferences is not None:
        raise InputError("preferences are not used here; name absolute judgments and runs only")
    return read


def _reproduce(
    what: str, compute: Callable[..., Any], figures: Path | None, options: dict[str, Any], **own: Any
) -> None:
    """Read the collection, compute the tables, and write them and the figures."""
    check_output(**given_to(write_result, options))
    with noted(options["quiet"]):
        read = _read(options)
        with working(what) as on_share:
            found = compute(read.absolute, list(read.runs), on_share=on_share, **own, **read.settings)
    if figures is not None:
        _draw(found, figures)
    write_result(found, **given_to(write_result, options))


def _draw(found: Any, folder: Path) -> None:
    """Draw the figures of a paper as SVG files, which are named after them."""
    from rankprism.plots import draw, irec_against, save
    from rankprism.results.scores import Scores

    folder.mkdir(parents=True, exist_ok=True)
    for name, result in found.figures.items():
        is_scores = isinstance(result, Scores)
        chart = irec_against(result, *result.measures) if is_scores else draw(result)
        save(chart, folder / f"{'-'.join(re.findall(r'[A-Za-z0-9#]+', name)).lower()}.svg")


@app.command()
@with_options_of(read_collection, write_result, note_options)
def rbu(
    files: QrelsAndRuns = None,
    repetitions: Annotated[
        int, typer.Option(min=1, help="How often the simulated scenarios of Table 2 are drawn.")
    ] = 10,
    instances: Annotated[
        int, typer.Option(min=0, help="Number of random instances for each cell of Table 1.")
    ] = 4000,
    seed: Seed = 0,
    **others: Any,
) -> None:
    """Amigó et al. (2018): axioms and Metric Unanimity, Tables 1 to 3.

    \b
    rankprism reproduce rbu
    rankprism reproduce rbu qrels.txt runs/*.run --repetitions 50
    """
    from rankprism.reproduce.rbu import rbu as compute

    settings = {"repetitions": repetitions, "instances": instances, "seed": seed}
    _reproduce("drawing", compute, None, {"files": files, **others}, **settings)


@app.command()
@with_options_of(read_collection, write_result, note_options)
def dsharp(
    files: QrelsAndRuns = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    figures: Figures = None,
    **others: Any,
) -> None:
    """Sakai and Song (2011): D#-measures, Tables 1 to 6 and Figures 1 to 3.

    \b
    rankprism reproduce dsharp
    rankprism reproduce dsharp qrels.txt runs/*.run --weights probabilities.txt
    """
    from rankprism.reproduce.dsharp import dsharp as compute

    _reproduce("resampling", compute, figures, {"files": files, **others}, resamples=resamples, seed=seed)
