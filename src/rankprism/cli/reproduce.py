"""`rankprism reproduce`: the tables and figures of papers, computed for a collection."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import check_output, note_options, write_result
from rankprism.cli.aspects import Single, Toma, toma_settings
from rankprism.cli.collection import (
    Collection,
    MeasureFiles,
    QrelsAndRuns,
    given_to,
    load_measures,
    options_of,
    read_collection,
    with_options,
    with_options_of,
)
from rankprism.cli.group import Group
from rankprism.cli.options import Alpha, Resamples, Seed, noted, working
from rankprism.cli.simulation import (
    Assessors,
    Documents,
    Draw,
    Pool,
    ProfileFile,
    Theta,
    TiesOption,
    Triplets,
    numbers,
)
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data.judgments import Judgments

app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Compute the tables and figures of a paper.\n\nThe printed numbers stand beside the computed ones. "
    "Without files, the sample collection is used.",
)

Figures = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Also draw the figures of the paper, as SVG files.", show_default=False
    ),
]


def _read_subtopics(**given: Any) -> Collection:
    """Judgments and runs for a simulation, in which profiles have weights of their own."""
    return read_collection(**given)


_UNUSED = ("topics", "threads", "preferences", "preferences_format", "weights")
with_options(
    _read_subtopics,
    {name: option for name, option in options_of(read_collection).items() if name not in _UNUSED},
)


def _read(options: dict[str, Any], judged: Callable[[], Judgments] | None = None) -> Collection:
    """The collection that is named, or the sample if no files are named.

    judged : makes the judgments of the sample, if they are not those of its files.
    """
    from rankprism import sample

    given = {name: options[name] for name in options_of(read_collection) if name in options}
    if given["files"]:
        read = read_collection(**given)
        if read.preferences is not None and read.judgments is not None:
            raise InputError("preferences are not used here; name absolute judgments and runs only")
        return read
    given["files"] = [str(sample.QRELS), *map(str, sample.RUNS)]
    if judged is None and "weights" in given:
        given["weights"] = given["weights"] or str(sample.WEIGHTS)
    read = read_collection(**given)
    return read if judged is None else replace(read, judgments=judged())


def _reproduce(
    what: str,
    compute: Callable[..., Any],
    figures: Path | None,
    options: dict[str, Any],
    judged: Callable[[], Judgments] | None = None,
    **own: Any,
) -> None:
    """Read the collection, compute the tables, and write them and the figures."""
    check_output(**given_to(write_result, options))
    with noted(options["quiet"]):
        read = _read(options, judged)
        with working(what) as on_share:
            settings = {name: value for name, value in read.settings.items() if name in options}
            found = compute(read.absolute, list(read.runs), on_share=on_share, **own, **settings)
    if figures is not None:
        _draw(found, figures, compute.__name__)
    write_result(found, **given_to(write_result, options))


def _draw(found: Any, folder: Path, paper: str) -> None:
    """Draw the figures of a paper as SVG files, which are named after the paper and the figure."""
    from rankprism.plots import draw, intervals, irec, save
    from rankprism.results.scores import Scores

    folder.mkdir(parents=True, exist_ok=True)
    for name, result in found.figures.items():
        is_scores = isinstance(result, Scores)
        if not is_scores:
            chart = draw(result)
        elif "I-rec" in result.measures:
            chart = irec(result, *result.measures)
        else:
            chart = intervals(result)
        words = re.findall(r"[A-Za-z0-9#]+", name)
        save(chart, folder / f"{'-'.join([paper, *words]).lower()}.svg")


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
    depth: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Cut every ranking at this rank first, so that runs of different length can be compared.",
            show_default=False,
        ),
    ] = None,
    **others: Any,
) -> None:
    """Axioms and Metric Unanimity (Amigó and others 2018).

    Tables 1 to 3.

    \b
    rankprism reproduce rbu
    rankprism reproduce rbu qrels.txt runs/*.run --repetitions 50
    """
    from rankprism.reproduce.rbu import rbu as compute

    _reproduce(
        "drawing",
        compute,
        None,
        {"files": files, **others},
        repetitions=repetitions,
        instances=instances,
        seed=seed,
        depth=depth,
    )


@app.command()
@with_options_of(read_collection, write_result, note_options)
def dsharp(
    files: QrelsAndRuns = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Draw this many of the runs at random, as the paper draws 20. Default: all runs.",
            show_default=False,
        ),
    ] = None,
    topic_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The topics in XML, as TREC publishes them. Table 1 counts their kinds, and Table 6 marks "
            "navigational intents.",
            show_default=False,
        ),
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    figures: Figures = None,
    **others: Any,
) -> None:
    """D#-measures (Sakai and Song 2011).

    Tables 1 to 7 and Figures 1 to 3.

    \b
    rankprism reproduce dsharp
    rankprism reproduce dsharp qrels.txt runs/*.run --weights probabilities.txt
    rankprism reproduce dsharp qrels.txt runs/*.run --sample 20 --seed 1
    """
    from rankprism.reproduce.dsharp import dsharp as compute

    _reproduce(
        "resampling",
        compute,
        figures,
        {"files": files, **others},
        sample=sample,
        topic_file=topic_file,
        resamples=resamples,
        seed=seed,
    )


@app.command()
@with_options_of(read_collection, write_result, note_options)
def toma(
    files: QrelsAndRuns = None,
    measure: Single = None,
    measures_file: MeasureFiles = None,
    toma: Toma = None,
    alpha: Alpha = 0.01,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    figures: Figures = None,
    **others: Any,
) -> None:
    """CAM, MM and TOMA (Maistro and others 2021).

    Tables 1 and 3 to 6, and Figures 1 and 2. It needs judgments of several aspects. Those of the sample are
    relevance, and whether a document serves several subtopics.

    \b
    rankprism reproduce toma
    rankprism reproduce toma qrels.toml runs/*.run -m nDCG@10
    """
    from rankprism.reproduce.toma import sample_aspects
    from rankprism.reproduce.toma import toma as compute

    load_measures(measures_file)
    _reproduce(
        "resampling",
        compute,
        figures,
        {"files": files, **others},
        sample_aspects,
        measures=measure or ["nDCG", "AP"],
        settings=toma_settings(toma),
        alpha=alpha,
        resamples=resamples,
        seed=seed,
    )


@app.command()
@with_options_of(_read_subtopics, write_result, note_options)
def preferences(
    files: QrelsAndRuns = None,
    profiles: ProfileFile = None,
    draw: Draw = 3,
    theta: Theta = 0.2,
    documents: Documents = 100,
    pool: Pool = "retrieved",
    ties: TiesOption = "half",
    triplets: Triplets = "100,300,1000,3000,8000",
    assessors: Assessors = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="How often triplets are drawn anew.")] = 10,
    seed: Seed = 0,
    figures: Figures = None,
    **others: Any,
) -> None:
    """Measures of preferences (Chandar and Carterette 2013).

    Tables 2 and 3, and Figures 2 to 6.

    \b
    rankprism reproduce preferences
    rankprism reproduce preferences qrels.txt runs/*.run --profiles profiles.txt
    """
    from rankprism.reproduce.preferences import preferences as compute

    _reproduce(
        "simulating",
        compute,
        figures,
        {"files": files, **others},
        profiles=profiles,
        draw=draw,
        theta=theta,
        documents=documents,
        pool=pool,
        ties=ties,
        triplets=numbers(triplets),
        assessors=assessors,
        repetitions=repetitions,
        seed=seed,
    )
