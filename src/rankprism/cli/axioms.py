"""`rankprism axioms` searches for rankings on which measures violate constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import check_output, write_result
from rankprism.cli.collection import MeasureFiles, load_measures, with_options_of
from rankprism.cli.completion import complete_constraint, complete_measure, complete_reading
from rankprism.cli.options import working
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.axioms import Constraint
    from rankprism.results.result import Result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@with_options_of(write_result)
def axioms(
    measures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MEASURE...",
            help="Measures to test. Default: those of Amigó et al. (2018), compared with their table.",
            autocompletion=complete_measure,
            show_default=False,
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            "-c",
            metavar="NAME",
            help="A constraint, or a group: ten, more or all. Repeatable. Default: ten, which are the "
            "constraints of the paper.",
            autocompletion=complete_constraint,
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Explain one verdict in words and a picture. Name the measure and then the constraint.",
        ),
    ] = False,
    show: Annotated[bool, typer.Option("--list", help="List the constraints and their details.")] = False,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="PARAM[=LOW:HIGH]",
            help="Find the values of this parameter for which each constraint holds, e.g. p or p=0.5:0.9. "
            "Default of LOW:HIGH: all values that the measure allows.",
            show_default=False,
        ),
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            metavar="READING",
            help="How to read the constraints: proved, with the premises that the paper's proofs use, or "
            "printed, with the premises that the paper prints. NAME=VALUE, e.g. small=room, changes a detail "
            "of either, and CONSTRAINT.NAME=VALUE changes it in one constraint. Repeatable. --list shows all "
            "details. Default: proved.",
            autocompletion=complete_reading,
            show_default=False,
        ),
    ] = None,
    instances: Annotated[
        int,
        typer.Option(
            min=0,
            help="Number of random instances of each constraint. They are tried after all small instances. "
            "If none is a violation, the search tries a quarter as many more, which are similar to those "
            "that came closest to one.",
        ),
    ] = 4000,
    seed: Annotated[int, typer.Option(min=0, help="Seed for the random instances.")] = 0,
    measures_file: MeasureFiles = None,
    **written: Any,
) -> None:
    """Search for rankings on which measures violate axioms.

    \b
    rankprism axioms RBU alpha_nDCG@20
    rankprism axioms --explain RBU Conf
    """
    from rankprism.axioms import (
        axiom_table,
        examine,
        find_thresholds,
        paper_table,
        read_constraints,
        story,
    )
    from rankprism.cli.output import write
    from rankprism.measures import parse

    format, output = written["format"], written["output"]
    load_measures(measures_file)
    named = list(measures or [])
    kind = "table" if show else check_output(**written)
    style = [name for name in ("digits", "caption", "label", "columns") if written[name] is not None]
    if style and (show or explain):
        option = "--list" if show else "--explain"
        raise InputError(f"--{style[0]} is for tables, and {option} prints text; leave out one of them")
    if show and (format is not None or explain or threshold is not None):
        raise InputError("--list stands alone, and is text; leave out --format, --explain and --threshold")
    if explain and threshold is not None:
        raise InputError("--explain and --threshold are two questions; ask one")
    if explain and kind != "table":
        raise InputError(f"a story is text, not {kind}; -o axioms.html without --explain has all of them")
    if explain:
        if len(named) < 2 or constraint:
            raise InputError("--explain needs a measure and then a constraint, e.g. --explain RBU Conf")
        *named, last = named
        constraint = [last]
    chosen = read_constraints(constraint or ["ten"], reading or [])
    if show:
        write(
            list_constraints(read_constraints(constraint or ["all"], reading or [])),
            output,
            for_people=True,
        )
        return
    asked = [parse(name) for name in named]  # before anything is tried
    with working("searching") as on_progress:
        if threshold is not None:
            if not asked:
                raise InputError("--threshold needs a measure, e.g. rankprism axioms RBP --threshold p")
            parameter, between = ranged(threshold)
            result: Result = find_thresholds(
                asked, chosen, parameter, between, instances=instances, seed=seed, on_progress=on_progress
            )
        elif explain:
            verdicts = examine(asked, chosen, instances=instances, seed=seed, on_progress=on_progress)
            text = "\n\n\n".join(map(story, verdicts)) + "\n"
        else:
            make: dict[str, Any] = {"instances": instances, "seed": seed, "on_progress": on_progress}
            result = axiom_table(asked, chosen, **make) if asked else paper_table(chosen, **make)
    if explain:
        write(text, output, for_people=True)
    else:
        write_result(result, **written)


def ranged(text: str) -> tuple[str, tuple[float, float] | None]:
    """The name of a parameter and the range of values to search.

    >>> ranged("p"), ranged("p=0.5:0.9")
    (('p', None), ('p', (0.5, 0.9)))
    """
    parameter, equals, ends = text.partition("=")
    low, _, high = ends.partition(":")
    if not equals:
        return parameter, None
    try:
        return parameter, (float(low), float(high))
    except ValueError:
        raise InputError(f"--threshold is PARAM or PARAM=LOW:HIGH, e.g. p=0.5:0.9; got {text!r}") from None


def list_constraints(constraints: list[Constraint]) -> str:
    """A text that describes the constraints and their details."""
    from rankprism.axioms.story import about

    parts = []
    for c in constraints:
        lines = [c.name, *(f"  {line}" for line in about(c).splitlines())]
        for d in c.details:
            default = "" if d.default is None else f", default {d.default}"
            printed = "" if d.printed is None else f", {d.printed} in the reading printed"
            lines.append(f"    {d.name}: {d.range}{default}{printed}; {d.why}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
