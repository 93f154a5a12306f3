"""`rankprism preferences select` and `plan`: which pair to ask next, and how many a study needs."""

from __future__ import annotations

import json
from typing import Annotated, Any, get_args

import typer

from rankprism.cli.analysis import check_output, check_plot, draw_result, note_options, write_result
from rankprism.cli.choices import one_of
from rankprism.cli.collection import (
    Collection,
    QrelsAndRuns,
    options_of,
    read_collection,
    with_options,
    with_options_of,
)
from rankprism.cli.completion import complete_file, complete_measure
from rankprism.cli.options import OutputFile, Quiet, Seed, noted, working
from rankprism.errors import InputError
from rankprism.types import Choice, Duplicates, Novelty, Order, Ties

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_CHOICE = (
    "How questions are chosen: at random; targeted at the documents on which the runs differ; or adaptive, "
    "which also looks at the answers so far."
)


@app.command()
def select(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN...",
            help="The runs whose order is to be settled.",
            autocompletion=complete_file,
            show_default=False,
        ),
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="Number of questions.")] = 100,
    preferences: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What was judged so far. Default: nothing.",
            autocompletion=complete_file,
            show_default=False,
        ),
    ] = None,
    preferences_format: Annotated[
        str | None,
        typer.Option(
            click_type=one_of("formats.known:PREFERENCE_FORMATS"),
            metavar="FORMAT",
            help="Format of the preferences, e.g. qrels-prefs. Default: recognised by the first line.",
            show_default=False,
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of questions in a batch. Default: all are one batch.", show_default=False
        ),
    ] = None,
    choice: Annotated[Choice, typer.Option(help=_CHOICE)] = "targeted",
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="Prf or nPrf with a cutoff: the order of the runs by it is to be settled. Repeatable. "
            "Default: nPrf@20.",
            autocompletion=complete_measure,
            show_default=False,
        ),
    ] = None,
    overlap: Annotated[
        int, typer.Option(min=1, help="Ask a question again until it was judged so often.")
    ] = 1,
    seed: Seed = 0,
    order: Annotated[
        Order,
        typer.Option(help="How the documents of a topic are ordered."),
    ] = "score",
    duplicates: Annotated[
        Duplicates,
        typer.Option(
            help="A document twice in a topic of a run: an error, or keep the better-ranked.",
        ),
    ] = "error",
    run_format: Annotated[
        str | None,
        typer.Option(
            click_type=one_of("formats.known:RUN_FORMATS"),
            help="Format of the runs. Default: recognised by their first lines.",
            show_default=False,
        ),
    ] = None,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Choose the questions that best settle the order of the runs.

    Writes JSON, one question on each line and the most useful first: topic, given, left and right. With an
    outcome added, a line is a preference.

    \b
    rankprism preferences select runs/*.run --budget 500 -o tasks.jsonl
    rankprism preferences select runs/*.run --budget 500 \\
      --preferences so-far.tsv --batch 100 -o tasks.jsonl
    """
    from rankprism.cli.output import write
    from rankprism.formats.preferences import read_preferences
    from rankprism.preferences.selection import select as compute

    if not runs:
        raise InputError("name the runs, e.g. runs/*.run")
    if preferences is None and preferences_format is not None:
        raise InputError("--preferences-format needs preferences; name them with --preferences")
    with noted(quiet):
        judged = None if preferences is None else read_preferences(preferences, format=preferences_format)
        tasks = compute(
            runs,
            judged,
            budget,
            measures=measure or "nPrf@20",
            choice=choice,
            batch=batch,
            overlap=overlap,
            seed=seed,
            order=order,
            duplicates=duplicates,
            run_format=run_format,
        )
    write("".join(json.dumps(task.record(), ensure_ascii=False) + "\n" for task in tasks), output)


def _read(**collection: Any) -> Collection:
    """Read judgments and runs; users have profiles, so weights and preferences mean nothing here."""
    return read_collection(**collection)


_UNUSED = ("topics", "threads", "weights", "preferences", "preferences_format")
with_options(_read, {name: one for name, one in options_of(read_collection).items() if name not in _UNUSED})


@app.command()
@with_options_of(draw_result, write_result, note_options, _read)
def plan(
    files: QrelsAndRuns = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="Prf or nPrf with a cutoff. Repeatable. Default: nPrf(estimate='pooled')@20.",
            autocompletion=complete_measure,
            show_default=False,
        ),
    ] = None,
    choice: Annotated[
        list[Any] | None,
        typer.Option(
            click_type=one_of("types:Choice"),
            help=f"{_CHOICE} Repeatable. Default: all of them.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        float, typer.Option(help="Kendall's τ with the order by all preferences that is to be reached.")
    ] = 0.9,
    budgets: Annotated[
        str | None,
        typer.Option(
            metavar="N,…",
            help="Judgments a topic at which the order is looked at, separated by commas. Default: 10 to "
            "640, each √2 times the one before.",
            show_default=False,
        ),
    ] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Number of simulated studies.")] = 10,
    profiles: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Profiles of the users: lines of topic, profile, subtopic and weight. Default: one user who "
            "cares about all subtopics, and others that are drawn.",
            autocompletion=complete_file,
            show_default=False,
        ),
    ] = None,
    draw: Annotated[
        int, typer.Option(min=1, help="Without --profiles: number of profiles to draw for each topic.")
    ] = 3,
    ties: Annotated[
        Ties,
        typer.Option(
            help="If a user wants neither of two documents more: half a win for both, or a coin decides.",
        ),
    ] = "half",
    novelty: Annotated[
        Novelty,
        typer.Option(
            help="What a user who has read a document does not want again: its subtopics, or with profile "
            "anything that the profile is about.",
        ),
    ] = "subtopic",
    rel: Annotated[
        float, typer.Option(help="The lowest grade that makes a document relevant to a subtopic.")
    ] = 1,
    seed: Seed = 0,
    **others: Any,
) -> None:
    """Simulate how many judgments a study of these runs needs.

    Users with profiles are made from subtopic judgments. Each question is answered by one of them. The
    simulation ends when the order of the runs agrees with the order by all preferences.

    \b
    rankprism preferences plan qrels.txt runs/*.run --plot plan.svg
    rankprism preferences plan qrels.txt runs/*.run --choice targeted \\
      -m "nPrf(estimate='pooled')@10" --target 0.95
    """
    from rankprism.preferences.study_plan import BUDGETS
    from rankprism.preferences.study_plan import plan as compute

    def of(step: Any) -> dict[str, Any]:
        return {name: others[name] for name in options_of(step) if name in others}

    check_plot(output=others["output"], **of(draw_result))
    check_output(**of(write_result))
    with noted(others["quiet"]):
        read = _read(files=files, **of(_read))
        with working("simulating") as on_share:
            found = compute(
                read.absolute,
                list(read.runs),
                measure or "nPrf(estimate='pooled')@20",
                choices=choice or get_args(Choice),
                profiles=profiles,
                draw=draw,
                budgets=BUDGETS if budgets is None else _numbers(budgets),
                target=target,
                repetitions=repetitions,
                ties=ties,
                novelty=novelty,
                rel=rel,
                seed=seed,
                on_share=on_share,
                **{name: read.settings[name] for name in ("order", "duplicates", "run_format")},
            )
    write_result(found, **of(write_result))
    draw_result(found, **of(draw_result))


def _numbers(text: str) -> list[int]:
    found = text.split(",")
    if not all(one.strip().isdecimal() and int(one) > 0 for one in found):
        raise InputError(
            f"--budgets takes whole numbers above 0, separated by commas, e.g. 10,100; got {text!r}"
        )
    return [int(one) for one in found]
