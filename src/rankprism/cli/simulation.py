"""`rankprism preferences simulate`, `profiles`, `restrict`, `experiment`: preferences made from subtopics."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import Call, command, write_text
from rankprism.cli.collection import Read, read_subtopics, read_weighted_subtopics
from rankprism.cli.completion import complete_measure
from rankprism.cli.group import commands
from rankprism.cli.judgments import read_judged
from rankprism.cli.measures import measures_option
from rankprism.cli.options import OutputFile, Seed, checked_output
from rankprism.cli.signature import with_less
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data import Judgments
    from rankprism.judging.preferences import Profiles

app = commands()
experiment = commands("Repeat the experiments of Chandar and Carterette (2013).")
app.add_typer(experiment, name="experiment")

ProfileFile = Annotated[
    str | None,
    typer.Option(
        "--profiles",
        metavar="FILE",
        help="A file of profiles: lines of topic, profile, subtopic and weight, which say what a kind of "
        "user cares about.",
    ),
]
Form = Annotated[
    str,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        help="The measure of preferences: nPrf or Prf with any parameters.",
        autocompletion=complete_measure,
    ),
]


#: Judgments of subtopics. Profiles have weights of their own.
read_judged_subtopics = with_less(read_judged, "weights")


def write_judged(found: Any, output: OutputFile = None) -> None:
    """Write judgments or preferences, and say what was written where they do not go."""
    from rankprism.data import Judgments
    from rankprism.formats import convert, replaces_file

    out, kind = output or "-", "diversity" if isinstance(found, Judgments) else None
    print(convert(found, out, to=kind), file=sys.stdout if replaces_file(out) else sys.stderr)


# ── profiles ─────────────────────────────────────────────────────────────────────────────────────


@app.command()
@command("judging.preferences:draw_profiles", reads=read_judged_subtopics, writes=write_text)
def draw_profiles(
    judged: Judgments,
    call: Call,
    draw: Annotated[int, typer.Option(min=1, help="Number of profiles to draw for each topic.")] = 3,
    seed: Seed = 0,
) -> str:
    """Draw profiles of users at random.

    A profile says of each topic which subtopics a kind of user cares about.

    \b
    rankprism preferences draw-profiles qrels.txt --draw 3 -o profiles.txt
    """
    drawn: Profiles = call(judged, draw, seed)
    return drawn.lines()


@app.command()
@command("judging.preferences:restrict", reads=read_judged_subtopics, writes=write_judged)
def restrict(
    judged: Judgments,
    call: Call,
    profiles: ProfileFile = None,
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="The profile whose subtopics are kept.")
    ] = None,
) -> Any:
    """Write the judgments that matter to a profile.

    These are the judgments of its subtopics, with its weights. Weights that differ go to FILE.weights.

    \b
    rankprism preferences restrict qrels.txt --profiles profiles.txt \\
      --profile p1 -o p1.qrels
    """
    from rankprism.judging.preferences import read_profiles

    if profiles is None or profile is None:
        raise InputError("name a file with --profiles and one of its profiles with --profile")
    return call(judged, read_profiles(profiles), profile)


@app.command()
@command("judging.preferences:simulate", reads=read_subtopics, writes=write_judged)
def simulate(
    read: Read,
    call: Call,
    profiles: ProfileFile = None,
    draw: Annotated[
        int | None, typer.Option(min=1, help="Draw this many profiles for each topic by the seed.")
    ] = None,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="Ask one user of each profile every pair and triplet. The default."),
    ] = False,
) -> Any:
    """Simulate preferences from subtopic judgments.

    Of two documents a user prefers the one that has more of the subtopics that the user cares about, without
    those of the document just read. Default: one user who cares about all subtopics, the TREC profile.

    \b
    rankprism preferences simulate qrels.txt runs/*.run --documents 20 -o p.tsv
    rankprism preferences simulate qrels.txt runs/*.run --draw 3 \\
      --triplets 1000 --seed 1 -o p.tsv
    """
    from rankprism.judging.preferences import draw_profiles

    if complete and call.keywords["triplets"] is not None:
        raise InputError("--complete asks about everything and --triplets about a sample; choose one of them")
    if profiles is not None and draw is not None:
        raise InputError("--profiles names profiles and --draw draws others; choose one of them")
    chosen = profiles if draw is None else draw_profiles(read.absolute, draw, call.keywords["seed"])
    return call(read.collection, profiles=chosen)


# ── experiments ──────────────────────────────────────────────────────────────────────────────────


def save_scores(
    result: Any,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            metavar="FILE",
            help="Also write the scores of every run and topic, as CSV that `rankprism meta` and `plot` "
            "read.",
            callback=checked_output,
        ),
    ] = None,
) -> None:
    """Write the scores of an experiment that has scores of runs."""
    if scores is not None:
        from rankprism.formats import write_texts

        write_texts({scores: result.scores.to_csv()})


@experiment.command()
@command(
    "judging.preferences.experiments:measure_correlation",
    "simulating",
    reads=read_weighted_subtopics,
    named="preferences experiment correlation",
    finish=save_scores,
)
def correlation(read: Read, call: Call) -> Any:
    """Compare nPrf with the measures of subtopics.

    Kendall's tau of all browsing models and combinations with alpha-nDCG, ERR-IA and subtopic recall, from
    complete preferences of the TREC profile (Figures 2 and 3, Table 3).

    \b
    rankprism preferences experiment correlation qrels.txt runs/*.run
    """
    return call(read.collection)


@experiment.command("profiles")
@command(
    "judging.preferences.experiments:profile_correlation",
    "simulating",
    reads=read_weighted_subtopics,
    named="preferences experiment profiles",
    finish=save_scores,
)
def of_profiles(
    read: Read,
    call: Call,
    profiles: ProfileFile = None,
    measure: Form = "nPrf@20",
    other: Annotated[
        str,
        typer.Option(
            metavar="MEASURE",
            help="The measure of subtopics that it is compared with.",
            autocompletion=complete_measure,
        ),
    ] = "alpha_nDCG@20",
) -> Any:
    """Compare nPrf with alpha-nDCG for each profile.

    Kendall's tau for each profile, and for the preferences of all profiles together (Figures 4 and 5).

    \b
    rankprism preferences experiment profiles qrels.txt runs/*.run --draw 3
    """
    return call(read.collection, profiles=profiles, measure=measure, other=other)


@experiment.command()
@command(
    "judging.preferences.experiments:incomplete_correlation",
    "simulating",
    reads=read_weighted_subtopics,
    named="preferences experiment incomplete",
    leaves=("measures",),
)
def incomplete(
    read: Read,
    call: Call,
    profiles: ProfileFile = None,
    measure: Annotated[
        list[str] | None,
        measures_option(
            "A measure of preferences: nPrf or Prf with any parameters. Default: "
            "nPrf(browsing='rr',combine='min')@20."
        ),
    ] = None,
) -> Any:
    """Compare few judgments with all of them.

    Kendall's tau between the ranking from all preferences and the ranking from a sample (Figure 6).

    \b
    rankprism preferences experiment incomplete qrels.txt runs/*.run \\
      --triplets 100,1000 -m nPrf@20 -m "nPrf(unseen='skip')@20"
    """
    chosen = {"measures": measure} if measure else {}
    return call(read.collection, profiles=profiles, **chosen)
