"""`rankprism preferences select` and `plan`: which pair to ask next, and how many a study needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import Call, command, write_text
from rankprism.cli.choices import one_of
from rankprism.cli.collection import Read, read_subtopics
from rankprism.cli.completion import complete_file
from rankprism.cli.group import commands
from rankprism.cli.measures import measures_option
from rankprism.cli.signature import parameters_of, with_options_of
from rankprism.cli.simulation import ProfileFile
from rankprism.errors import InputError
from rankprism.types import RunOptions

if TYPE_CHECKING:
    from rankprism.judging.preferences import Task

app = commands()


@with_options_of(parameters_of("evaluation:evaluate", *RunOptions.__annotations__, "preferences_format"))
def read_runs(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN...", help="The runs whose order is to be settled.", autocompletion=complete_file
        ),
    ] = None,
    preferences: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="What was judged so far. Default: nothing.", autocompletion=complete_file
        ),
    ] = None,
    preferences_format: str | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """The runs to choose questions for, what was judged so far, and how to read the runs."""
    from rankprism.formats import read_preferences

    if not runs:
        raise InputError("name the runs, e.g. runs/*.run")
    if preferences is None and preferences_format is not None:
        raise InputError("--preferences-format needs preferences; name them with --preferences")
    judged = None if preferences is None else read_preferences(preferences, format=preferences_format)
    return {"runs": runs, "preferences": judged, **reading}


@app.command()
@command("judging.preferences:select", reads=read_runs, writes=write_text)
def select(
    read: dict[str, Any],
    call: Call,
    budget: Annotated[int, typer.Option(min=1, help="Number of questions.")] = 100,
    measure: Annotated[
        list[str] | None,
        measures_option(
            "Prf or nPrf with a cutoff: the order of the runs by it is settled. Default: nPrf@20."
        ),
    ] = None,
) -> str:
    """Choose the questions that best settle the order of the runs.

    Writes JSON, one question on each line and the most useful first: topic, given, left and right. With an
    outcome added, a line is a preference.

    \b
    rankprism preferences select runs/*.run --budget 500 -o tasks.jsonl
    rankprism preferences select runs/*.run --budget 500 \\
      --preferences so-far.tsv --batch 100 -o tasks.jsonl
    """
    tasks: list[Task] = call(budget=budget, measures=measure or "nPrf@20", **read)
    return "".join(json.dumps(task.record(), ensure_ascii=False) + "\n" for task in tasks)


@app.command()
@command("judging.preferences:plan", "simulating", reads=read_subtopics, named="preferences plan")
def plan(
    read: Read,
    call: Call,
    measure: Annotated[
        list[str] | None, measures_option("Prf or nPrf with a cutoff. Default: nPrf(estimate='pooled')@20.")
    ] = None,
    choice: Annotated[
        list[str] | None,
        typer.Option(
            click_type=one_of("types:Choice"),
            help="How questions are chosen, see `rankprism preferences select --help`. Repeatable. Default: "
            "in all three ways.",
        ),
    ] = None,
    profiles: ProfileFile = None,
) -> Any:
    """Simulate how many judgments a study of these runs needs.

    Users with profiles are made from subtopic judgments. Each question is answered by one of them. The
    simulation ends when the order of the runs agrees with the order by all preferences. Without --profiles,
    one user cares about all subtopics, and others are drawn.

    \b
    rankprism preferences plan qrels.txt runs/*.run --plot plan.svg
    rankprism preferences plan qrels.txt runs/*.run --choice targeted \\
      -m "nPrf(estimate='pooled')@10" --target 0.95
    """
    given = {"measures": measure, "choices": choice, "profiles": profiles}
    chosen = {name: value for name, value in given.items() if value}
    return call(read.collection, **chosen)
