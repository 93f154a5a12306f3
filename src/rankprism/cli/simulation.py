"""`rankprism preferences simulate`, `profiles`, `restrict`, `experiment`: preferences made from subtopics."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from rankprism.cli.analysis import (
    as_command,
    check_output,
    check_plot,
    draw_result,
    note_options,
    write_result,
)
from rankprism.cli.collection import (
    Collection,
    Qrels,
    QrelsAndRuns,
    options_of,
    read_collection,
    read_judged,
    with_options,
)
from rankprism.cli.completion import complete_measure
from rankprism.cli.group import Group
from rankprism.cli.options import OutputFile, Quiet, Seed, Share, noted, working
from rankprism.errors import InputError
from rankprism.types import Novelty, PoolName, Target, Ties

if TYPE_CHECKING:
    from rankprism.preferences.user_profiles import Profiles
    from rankprism.results.result import Result

app = typer.Typer(add_completion=False, rich_markup_mode=None)
experiment = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Repeat the experiments of Chandar and Carterette (2013).",
)
app.add_typer(experiment, name="experiment")

_F = TypeVar("_F", bound=Callable[..., Any])
_PROFILES = (
    "A file of profiles: lines of topic, profile, subtopic and weight, which say what a kind of user cares "
    "about."
)
ProfileFile = Annotated[
    str | None, typer.Option("--profiles", metavar="FILE", help=_PROFILES, show_default=False)
]
Documents = Annotated[
    int,
    typer.Option(
        min=2, help="Number of documents of a topic: those with the best mean reciprocal rank over the runs."
    ),
]
Pool = Annotated[
    PoolName,
    typer.Option(
        help="Which documents may be shown: all that a run retrieved, only judged ones, or only those "
        "relevant to some subtopic.",
    ),
]
TiesOption = Annotated[
    Ties,
    typer.Option(
        help="If a user wants neither of two documents more: half a win for both, or a coin decides.",
    ),
]
NoveltyOption = Annotated[
    Novelty,
    typer.Option(
        help="What a user who has read a document does not want again: its subtopics, or with profile "
        "anything that the profile is about.",
    ),
]
Assessors = Annotated[int, typer.Option(min=1, help="Number of users who judge each drawn triplet.")]
Draw = Annotated[
    int, typer.Option(min=1, help="Without --profiles: number of profiles to draw for each topic.")
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
Triplets = Annotated[
    str, typer.Option(metavar="N,…", help="Numbers of triplets of a topic to try, separated by commas.")
]
Theta = Annotated[float, typer.Option(help="With rbp: the probability to stop at a document.")]
Cutoff = Annotated[int, typer.Option("--cutoff", "-k", min=1, help="Cutoff of the measures.")]
Intervals = Annotated[float, typer.Option(help="Confidence of the intervals over topics. 0: no intervals.")]
ScoresFile = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        help="Also write the scores of every run and topic, as CSV that `rankprism meta` and `plot` read.",
        show_default=False,
    ),
]


def _described(read: Callable[..., Any], *without: str) -> dict[str, inspect.Parameter]:
    """The options that describe judgments and runs, but for those that mean nothing here."""
    unused = {"topics", "threads", "preferences", "preferences_format", *without}
    return {name: option for name, option in options_of(read).items() if name not in unused}


def _with_options_of(read: Callable[..., Any]) -> Callable[[_F], _F]:
    """Give a function the options of what it reads. Profiles have weights of their own."""

    def decorate(function: _F) -> _F:
        own = options_of(function)
        others = _described(read, "weights")
        return with_options(function, own | {name: o for name, o in others.items() if name not in own})

    return decorate


def _settings(read: Collection) -> dict[str, Any]:
    """How to read the runs."""
    return {name: read.settings[name] for name in ("order", "duplicates", "run_format")}


def _write(found: Any, output: Path | None, to: str | None = None) -> None:
    """Write judgments or preferences, and say what was written where they do not go."""
    from rankprism.formats.convert import convert
    from rankprism.formats.output_files import replaces_file

    out = output or "-"
    print(convert(found, out, to=to), file=sys.stdout if replaces_file(out) else sys.stderr)


# ── profiles ─────────────────────────────────────────────────────────────────────────────────────


@app.command()
@_with_options_of(read_judged)
def draw_profiles(
    files: Qrels = None,
    draw: Annotated[int, typer.Option(min=1, help="Number of profiles to draw for each topic.")] = 3,
    seed: Seed = 0,
    output: OutputFile = None,
    quiet: Quiet = False,
    **judged: Any,
) -> None:
    """Draw profiles of users at random.

    A profile says of each topic which subtopics a kind of user cares about.

    \b
    rankprism preferences draw-profiles qrels.txt --draw 3 -o profiles.txt
    """
    from rankprism.cli.output import write
    from rankprism.preferences.user_profiles import draw_profiles as compute

    with noted(quiet):
        drawn = compute(read_judged(files=files, **judged), draw, seed)
    write(drawn.lines(), output)


@app.command()
@_with_options_of(read_judged)
def restrict(
    files: Qrels = None,
    profiles: ProfileFile = None,
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The profile whose subtopics are kept.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write. Weights that differ go to FILE.weights.",
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
    **judged: Any,
) -> None:
    """Write the judgments that matter to a profile.

    These are the judgments of its subtopics, with its weights.

    \b
    rankprism preferences restrict qrels.txt --profiles profiles.txt \\
      --profile p1 -o p1.qrels
    """
    from rankprism.preferences.user_profiles import read_profiles
    from rankprism.preferences.user_profiles import restrict as compute

    if profiles is None or profile is None:
        raise InputError("name a file with --profiles and one of its profiles with --profile")
    with noted(quiet):
        found = compute(read_judged(files=files, **judged), read_profiles(profiles), profile)
        _write(found, output, "diversity")


def _chosen(judgments: Any, profiles: str | None, draw: int | None, seed: int) -> Profiles | None:
    """The profiles that are named or drawn; None for the TREC profile."""
    from rankprism.preferences.user_profiles import draw_profiles, read_profiles

    if profiles is not None and draw is not None:
        raise InputError("--profiles names profiles and --draw draws others; choose one of them")
    if profiles is not None:
        return read_profiles(profiles)
    return None if draw is None else draw_profiles(judgments, draw, seed)


@app.command()
@_with_options_of(read_collection)
def simulate(
    files: QrelsAndRuns = None,
    profiles: ProfileFile = None,
    draw: Annotated[
        int | None,
        typer.Option(min=1, help="Draw so many profiles for each topic by the seed.", show_default=False),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="Ask one user of each profile every pair and triplet. The default."),
    ] = False,
    triplets: Annotated[
        int | None,
        typer.Option(min=1, help="Draw so many triplets for each topic instead.", show_default=False),
    ] = None,
    assessors: Assessors = 5,
    documents: Documents = 100,
    pool: Pool = "retrieved",
    ties: TiesOption = "half",
    novelty: NoveltyOption = "subtopic",
    rel: Annotated[
        float, typer.Option(help="The lowest grade that makes a document relevant to a subtopic.")
    ] = 1,
    seed: Seed = 0,
    output: OutputFile = None,
    quiet: Quiet = False,
    **collection: Any,
) -> None:
    """Simulate preferences from subtopic judgments.

    Of two documents a user prefers the one that has more of the subtopics that the user cares about, without
    those of the document just read. Default: one user who cares about all subtopics, the TREC profile.

    \b
    rankprism preferences simulate qrels.txt runs/*.run --documents 20 -o p.tsv
    rankprism preferences simulate qrels.txt runs/*.run --draw 3 \\
      --triplets 1000 --seed 1 -o p.tsv
    """
    from rankprism.preferences.simulation import simulate as compute

    if complete and triplets is not None:
        raise InputError("--complete asks about everything and --triplets about a sample; choose one of them")
    with noted(quiet):
        read = read_collection(files=files, **collection)
        found = compute(
            read.absolute,
            list(read.runs),
            _chosen(read.absolute, profiles, draw, seed),
            triplets=triplets,
            assessors=assessors,
            documents=documents,
            pool=pool,
            ties=ties,
            novelty=novelty,
            rel=rel,
            seed=seed,
            **_settings(read),
        )
        _write(found, output)


# ── experiments ──────────────────────────────────────────────────────────────────────────────────


def _experiment(*, has_scores: bool = True) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Turn a function of a collection into a command that writes, draws and saves what the function finds."""

    def save_scores(scores: ScoresFile = None) -> None:
        """The option of experiments that have scores of runs."""

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        described = _described(read_collection)
        saving: list[Callable[..., Any]] = [save_scores] if has_scores else []
        steps: list[Callable[..., Any]] = [function, *saving, draw_result, write_result, note_options]
        options = {step: options_of(step) for step in steps}

        def command(**given: Any) -> None:
            def of(step: Callable[..., Any]) -> dict[str, Any]:
                return {name: given[name] for name in options[step]}

            check_plot(output=given["output"], **of(draw_result))
            check_output(**of(write_result))
            saved = given.get("scores")
            if saved is not None:
                from rankprism.formats.output_files import check_target, write_texts

                check_target(saved)
            with noted(given["quiet"]):
                read = read_collection(**{name: given[name] for name in described})
                with working("simulating") as on_share:
                    found = function(read, on_share=on_share, **of(function), **_settings(read))
            if saved is not None:
                write_texts({saved: found.scores.to_csv()})
            write_result(found, **of(write_result))
            draw_result(found, **of(draw_result))

        every = described | {name: option for step in steps for name, option in options[step].items()}
        return as_command(command, function, every)

    return decorate


@experiment.command()
@_experiment()
def correlation(
    read: Collection,
    on_share: Share,
    cutoff: Cutoff = 20,
    theta: Theta = 0.2,
    documents: Documents = 100,
    pool: Pool = "retrieved",
    ties: TiesOption = "half",
    novelty: NoveltyOption = "subtopic",
    intervals: Intervals = 0.95,
    seed: Seed = 0,
    **settings: Any,
) -> Result:
    """Compare nPrf with the measures of subtopics.

    Kendall's tau of all browsing models and combinations with alpha-nDCG, ERR-IA and subtopic recall, from
    complete preferences of the TREC profile (Figures 2 and 3, Table 3).

    \b
    rankprism preferences experiment correlation qrels.txt runs/*.run
    """
    from rankprism.preferences.experiments import measure_correlation

    return measure_correlation(
        read.absolute,
        list(read.runs),
        cutoff=cutoff,
        theta=theta,
        documents=documents,
        pool=pool,
        ties=ties,
        novelty=novelty,
        intervals=intervals,
        seed=seed,
        on_share=on_share,
        **settings,
    )


@experiment.command("profiles")
@_experiment()
def of_profiles(
    read: Collection,
    on_share: Share,
    profiles: ProfileFile = None,
    draw: Draw = 3,
    measure: Form = "nPrf@20",
    other: Annotated[
        str,
        typer.Option(
            metavar="MEASURE",
            help="The measure of subtopics that it is compared with.",
            autocompletion=complete_measure,
        ),
    ] = "alpha_nDCG@20",
    documents: Documents = 100,
    pool: Pool = "retrieved",
    ties: TiesOption = "half",
    novelty: NoveltyOption = "subtopic",
    intervals: Intervals = 0.95,
    seed: Seed = 0,
    **settings: Any,
) -> Result:
    """Compare nPrf with alpha-nDCG for each profile.

    Kendall's tau for each profile, and for the preferences of all profiles together (Figures 4 and 5).

    \b
    rankprism preferences experiment profiles qrels.txt runs/*.run --draw 3
    """
    from rankprism.preferences.experiments import profile_correlation

    return profile_correlation(
        read.absolute,
        list(read.runs),
        profiles,
        draw=draw,
        measure=measure,
        other=other,
        documents=documents,
        pool=pool,
        ties=ties,
        novelty=novelty,
        intervals=intervals,
        seed=seed,
        on_share=on_share,
        **settings,
    )


@experiment.command()
@_experiment(has_scores=False)
def incomplete(
    read: Collection,
    on_share: Share,
    profiles: ProfileFile = None,
    draw: Draw = 3,
    triplets: Triplets = "100,300,1000,3000,8000",
    assessors: Assessors = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="How often triplets are drawn anew.")] = 10,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="A measure of preferences: nPrf or Prf with any parameters. Repeatable. Default: "
            "nPrf(browsing='rr',combine='min')@20.",
            autocompletion=complete_measure,
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        Target,
        typer.Option(
            help="Whose complete preferences a sample is compared with: those of all profiles, or of one "
            "assessor with the TREC profile.",
        ),
    ] = "profiles",
    documents: Documents = 100,
    pool: Pool = "retrieved",
    ties: TiesOption = "half",
    novelty: NoveltyOption = "subtopic",
    seed: Seed = 0,
    **settings: Any,
) -> Result:
    """Compare few judgments with all of them.

    Kendall's tau between the ranking from all preferences and the ranking from a sample (Figure 6).

    \b
    rankprism preferences experiment incomplete qrels.txt runs/*.run \\
      --triplets 100,1000 -m nPrf@20 -m "nPrf(unseen='skip')@20"
    """
    from rankprism.preferences.experiments import RR_MIN, incomplete_correlation

    return incomplete_correlation(
        read.absolute,
        list(read.runs),
        profiles,
        draw=draw,
        triplets=numbers(triplets),
        assessors=assessors,
        repetitions=repetitions,
        measures=measure or [RR_MIN],
        target=target,
        documents=documents,
        pool=pool,
        ties=ties,
        novelty=novelty,
        seed=seed,
        on_share=on_share,
        **settings,
    )


def numbers(text: str, option: str = "--triplets") -> list[int]:
    found = text.split(",")
    if not all(one.strip().isdecimal() and int(one) > 0 for one in found):
        raise InputError(
            f"{option} takes whole numbers above 0, separated by commas, e.g. 100,1000; got {text!r}"
        )
    return [int(one) for one in found]
