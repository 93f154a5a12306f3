"""`rankprism preferences`: which of two documents people would rather read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankprism.cli import selection, simulation
from rankprism.cli.analysis import check_output, write_result
from rankprism.cli.choices import one_of
from rankprism.cli.collection import (
    MeasureFiles,
    MeasureNames,
    QrelsAndRuns,
    options_of,
    read_collection,
    read_measures,
    with_options_of,
)
from rankprism.cli.group import Group
from rankprism.cli.options import (
    DuplicatesOption,
    Quiet,
    Resamples,
    RunOrder,
    Seed,
    noted,
    working,
)
from rankprism.types import Decider, Over, TieModel

app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Read what people prefer: pairs and triplets of documents.",
)


app.add_typer(simulation.app)
app.add_typer(selection.app)


@app.callback()
def root() -> None:
    pass


PreferenceFile = Annotated[
    str, typer.Argument(metavar="PREFS", help="A file of preferences; - is standard input.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        click_type=one_of("formats.known:PREFERENCE_FORMATS"),
        help="The format of PREFS, e.g. qrels-prefs. Default: recognised, if the file can be nothing but "
        "preferences.",
        show_default=False,
    ),
]

Prior = Annotated[
    float,
    typer.Option(help="Imaginary comparisons of each document with one of strength 0, half of them won."),
]


@app.command()
@with_options_of(write_result)
def describe(
    preferences: PreferenceFile,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]...", help="Runs, to see how much of their first documents was judged."),
    ] = None,
    source_format: From = None,
    cutoff: Annotated[
        int, typer.Option("--cutoff", "-k", min=1, help="How many documents of a run are looked at.")
    ] = 10,
    order: RunOrder = "score",
    duplicates: DuplicatesOption = "error",
    quiet: Quiet = False,
    **written: Any,
) -> None:
    """Count preferences, and show whether assessors agree and where preferences go in circles.

    Pairs and triplets of every topic; contradictions, triads and cycles; Krippendorff's α and Cohen's κ
    with 95 % intervals; and of each RUN, how much of its first documents was judged.

    \b
    rankprism preferences describe prefs.tsv runs/*.run
    """
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.description import describe as compute

    check_output(**written)
    with noted(quiet):
        read = read_preferences(preferences, format=source_format)
        found = compute(
            read,
            runs or None,
            cutoff=cutoff,
            order=order,
            duplicates=duplicates,
        )
    write_result(found, **written)


@app.command()
@with_options_of(write_result)
def strengths(
    preferences: PreferenceFile,
    source_format: From = None,
    ties: Annotated[
        TieModel,
        typer.Option(
            help="What a tie is: half a win for each, or an outcome of its own as Davidson has it.",
        ),
    ] = "half",
    prior: Prior = 1.0,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    contrasts: Annotated[
        bool, typer.Option("--contrasts", help="Compare any two documents of a topic instead, with p-values.")
    ] = False,
    quiet: Quiet = False,
    **written: Any,
) -> None:
    """Show how strong each document is by Bradley and Terry's model, with intervals.

    A strength is relative to the mean of the documents that were compared with each other, directly or
    through others.

    \b
    rankprism preferences strengths prefs.tsv -o strengths.csv
    rankprism preferences strengths prefs.tsv --contrasts
    """
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.bradley_terry import strengths as compute

    check_output(**written)
    with noted(quiet):
        read = read_preferences(preferences, format=source_format)
        found = compute(read, ties=ties, prior=prior, level=level)
    write_result(found.contrasts() if contrasts else found, **written)


@app.command()
@with_options_of(read_collection, write_result)
def intervals(
    files: QrelsAndRuns,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    over: Annotated[Over, typer.Option(help="What would be others in another study.")] = "both",
    resamples: Resamples = 200,
    seed: Seed = 0,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    quiet: Quiet = False,
    **given: Any,
) -> None:
    """Show how far scores would move with other assessors or other topics.

    Prints an interval of the mean of each run and of the difference of any two runs: how far they would move
    in studies with as many other assessors, topics or both. Name preferences in the place of QRELS.

    \b
    rankprism preferences intervals prefs.tsv runs/*.run -m nPrf@20 \\
        --over assessors
    """
    from rankprism.preferences.score_intervals import intervals as compute

    measures = read_measures(measure, measures_file)  # before anything is read
    written = {name: given.pop(name) for name in options_of(write_result)}
    check_output(**written)
    with noted(quiet):
        read = read_collection(files=files, **given)
        with working("resampling") as on_share:
            found = compute(
                read.preferred,
                list(read.runs),
                measures,
                over=over,
                resamples=resamples,
                seed=seed,
                level=level,
                on_share=on_share,
                **read.settings,
            )
    write_result(found, **written)


@app.command()
def order(
    preferences: PreferenceFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: standard output.", show_default=False),
    ] = None,
    source_format: From = None,
    by: Annotated[
        Decider,
        typer.Option(
            help="What decides: strength by Bradley and Terry, or the share of wins.",
        ),
    ] = "bradley-terry",
    prior: Prior = 1.0,
    quiet: Quiet = False,
) -> None:
    """Write the order of preference as qrels for Compat.

    The last document of a topic has grade 1, the one before it 2, and so on; equal ones have the same grade.

    \b
    rankprism preferences order prefs.tsv -o order.qrels
    """
    from rankprism.cli.output import write
    from rankprism.formats.convert import judgments_text
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.bradley_terry import order as compute

    with noted(quiet):
        read = read_preferences(preferences, format=source_format)
        text = judgments_text(compute(read, by=by, prior=prior), "adhoc")
    write(text, output)
