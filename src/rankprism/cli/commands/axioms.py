"""`rankprism axioms` says which constraints are proved or refuted, and what follows for a user."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from rankprism.cli.derived import options_of
from rankprism.cli.door import SCORED, Argument, Option, flag
from rankprism.cli.frame import check_output, command, write_result
from rankprism.cli.progress import working
from rankprism.cli.reading import load_measures
from rankprism.cli.shared import MEASURES_FILE
from rankprism.errors import InputError, enumerated

if TYPE_CHECKING:
    from pathlib import Path

    from rankprism.meta import advice
    from rankprism.meta.axioms import AxiomTable, Constraint
    from rankprism.results import Result


def _search_options() -> list[Option]:
    return options_of("meta.axioms:axiom_table")


@command(
    Argument(
        "measures",
        "MEASURE...",
        "Measures to test. Default: those of Amigó et al. (2018), compared with their table.",
        "complete_measure",
        nargs=-1,
        required=False,
    ),
    Option(
        "--constraint",
        "-c",
        multiple=True,
        metavar="NAME",
        help="A constraint, or a group: ten, more or all. Repeatable. Default: ten, which are the "
        "constraints of the paper.",
        completes="complete_constraint",
        group=SCORED,
    ),
    flag(
        "--explain", "Explain one verdict in words and a picture. Name the measure and then the constraint."
    ),
    Option(
        "--story",
        metavar="USER",
        help="Say which of the measures to use for a user: one-document, survey or risk-averse. -c adds "
        "constraints that this user needs as well, e.g. -c AspRel if aspects have weights.",
        completes="complete_story",
    ),
    flag("--list", "List the constraints and their details.").but(name="show"),
    Option(
        "--threshold",
        metavar="PARAM[=LOW:HIGH]",
        help="Find the values of this parameter for which each constraint is proved or not refuted, e.g. p "
        "or p=0.5:0.9. Default of LOW:HIGH: all values that the measure allows.",
    ),
    Option(
        "--reading",
        multiple=True,
        metavar="READING",
        help="How to read the constraints: proved, with the premises that the paper's proofs use, or "
        "printed, with the premises that the paper prints. Both add that no ranking is longer than the "
        "cutoff. NAME=VALUE, e.g. small=room, changes a detail of either, and CONSTRAINT.NAME=VALUE changes "
        "it in one constraint. Repeatable. --list shows all details. Default: proved.",
        completes="complete_reading",
        group=SCORED,
    ),
    MEASURES_FILE,
    _search_options,
    write_result,
)
def axioms(
    measures: list[str] | None,
    constraint: list[str] | None,
    explain: bool,
    story: str | None,
    show: bool,
    threshold: str | None,
    reading: list[str] | None,
    measures_file: list[Path] | None,
    **others: Any,
) -> None:
    """Say which axioms are proved or refuted for measures.

    \b
    rankprism axioms RBU alpha_nDCG@20
    rankprism axioms --explain RBU Conf
    rankprism axioms RBU@10 alpha_nDCG@10 --story survey
    """
    from rankprism.cli.output import write
    from rankprism.measures import parse
    from rankprism.meta import advice
    from rankprism.meta import axioms as lab

    load_measures(measures_file)
    written = write_result.of(others)
    search = {name: value for name, value in others.items() if name not in written}
    named = list(measures or [])
    asks = {"--list": show, "--explain": explain, "--story": story is not None}
    _check(asks, threshold, written)
    if show:
        text = list_constraints(lab.read_constraints(constraint or ["all"], reading or []))
        write(text, written["output"], for_people=True)
        return
    if explain:
        if len(named) < 2 or constraint:
            raise InputError("--explain needs a measure and then a constraint, e.g. --explain RBU Conf")
        *named, last = named
        constraint = [last]
    for option, asked, example in (
        ("--threshold", threshold is not None, "rankprism axioms RBP --threshold p"),
        ("--story", story is not None, "rankprism axioms RBU@10 P@10 --story survey"),
    ):
        if asked and not named:
            raise InputError(f"{option} needs a measure, e.g. {example}")
    needs = (
        [*advice.find_story(story).needs, *(constraint or [])] if story is not None else constraint or ["ten"]
    )
    chosen = lab.read_constraints(needs, reading or [])
    asked_of = [parse(name) for name in named]  # before anything is tried
    with working("searching") as on_progress:
        make: dict[str, Any] = {**search, "on_progress": on_progress}
        if explain:
            text = "\n\n\n".join(map(lab.story, lab.examine(asked_of, chosen, **make)))
        elif story is not None:
            text = told(advice.find_story(story), lab.axiom_table(asked_of, chosen, **make))
        elif threshold is not None:
            result: Result = lab.find_thresholds(asked_of, chosen, *ranged(threshold), **make)
        else:
            result = (
                lab.axiom_table(asked_of, chosen, **make) if asked_of else lab.paper_table(chosen, **make)
            )
    if explain or story is not None:
        write(f"{text}\n", written["output"], for_people=True)
    else:
        write_result(result, **written)


def _check(asks: dict[str, bool], threshold: str | None, written: dict[str, Any]) -> None:
    """Refuse options that do not go together: what prints text prints nothing else, and is not a table."""
    texts = [option for option, is_asked in asks.items() if is_asked]
    kind = "table" if asks["--list"] else check_output(**written)
    style = [name for name in ("digits", "caption", "label", "page_columns") if written[name] is not None]
    if texts and style:
        raise InputError(
            f"--{style[0].replace('_', '-')} is for tables, and {texts[0]} prints text; leave out one of them"
        )
    if asks["--list"] and (written["format"] is not None or len(texts) > 1 or threshold is not None):
        raise InputError("--list prints text and goes with no other option; leave the others out")
    both = [*texts, *(["--threshold"] if threshold is not None else [])]
    if len(both) > 1:
        raise InputError(f"{both[0]} and {both[1]} are two questions; ask one")
    if texts and kind != "table":
        raise InputError(f"{texts[0]} prints text, not {kind}; -o axioms.html without it has all verdicts")


def told(story: advice.Story, table: AxiomTable) -> str:
    """Who a user is, the verdicts that matter, and which measures to use."""
    from rankprism.meta import advice

    needs = table.names
    made = advice.advise(story, needs, [table.of(label) for label in table.labels])
    wanted = (
        f"{story.title}. {story.user} A measure for this user should satisfy {enumerated(needs)}. Only what "
        "is proved counts for a measure, and only what is refuted counts against it."
    )
    parts = [wanted, str(table), " ".join(sentence.text for sentence in made.conclusion)]
    return "\n\n".join([textwrap.fill(parts[0], 100), parts[1], textwrap.fill(parts[2], 100)])


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
    from rankprism.meta.axioms.story import about

    parts = []
    for c in constraints:
        lines = [c.name, *(f"  {line}" for line in about(c).splitlines())]
        for d in c.details:
            default = "" if d.default is None else f", default {d.default}"
            printed = "" if d.printed is None else f", {d.printed} in the reading printed"
            lines.append(f"    {d.name}: {d.range}{default}{printed}; {d.why}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
