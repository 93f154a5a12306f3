"""Judgments, as the arguments and options of a command describe them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rankprism.cli.completion import complete_file
from rankprism.cli.signature import parameters_of, with_options_of
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data import Judgments
    from rankprism.formats.aspects.settings import AspectSettings


JUDGMENTS = (
    "Judgments: a file of topic, subtopic, document and grade; or NAME=FILE for each of several aspects; or "
    "a TOML file that describes them; or irds:ID for a dataset of ir_datasets."
)

Qrels = Annotated[
    list[str] | None, typer.Argument(metavar="QRELS", help=JUDGMENTS, autocompletion=complete_file)
]


@with_options_of(parameters_of("evaluation:evaluate", "qrels_format"))
def read_judged(
    files: Qrels = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Aspect weights: a file of topic, aspect and weight, perhaps with inf or nav; or for all "
            "topics relevance=0.7,credibility=0.3; or the word sakai. Default: all aspects weigh alike.",
        ),
    ] = None,
    aspects: Annotated[
        str | None,
        typer.Option(
            "--aspects",
            metavar="NAME,…",
            help="Names of the grade columns of QRELS, e.g. relevance,credibility. - skips a column. Or the "
            "word all: every aspect of a topic counts, even one to which no document is relevant.",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            metavar="ASPECT=LABEL,…",
            help="The labels of an aspect, from the lowest to the highest. Repeatable.",
        ),
    ] = None,
    embed: Annotated[
        list[str] | None,
        typer.Option(
            "--embed",
            metavar="ASPECT=PLACE,…",
            help="Positions of the labels of an aspect, e.g. correctness=0,3/2,3. Repeatable. Default: one "
            "unit apart.",
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given",
            metavar="ASPECT=OTHER",
            help="Set this aspect to its lowest label wherever OTHER has its lowest label, e.g. "
            "correctness=relevance. Repeatable.",
        ),
    ] = None,
    lower: Annotated[
        list[str] | None,
        typer.Option(
            "--lower",
            metavar="ASPECT",
            help="A lower score on this aspect is better, such as on an aspect of harm. Repeatable. Default: "
            "harmful, if there is such an aspect.",
        ),
    ] = None,
    qrels_format: str | None = None,
    threads: int | None = None,
) -> Judgments:
    """Judgments as the arguments and options describe them. `threads`: how many read a large file."""
    from rankprism.formats import read_judgments

    source, about = judged_source(files, aspects, labels, embed, given, lower, qrels_format)
    return read_judgments(source, format=qrels_format, weights=weights, aspects=about, threads=threads)


def judged_source(
    files: Sequence[Any] | None,
    aspects: str | None = None,
    labels: list[str] | None = None,
    embed: list[str] | None = None,
    given: list[str] | None = None,
    lower: list[str] | None = None,
    qrels_format: str | None = None,
    **_: Any,
) -> tuple[Any, Any]:
    """What to read judgments from, and its aspects, as `read_judgments` takes them."""
    source, rest = split_pairs(files or [])
    if rest:
        raise InputError(f"{rest[0]}: only judgments are wanted here, and they are named before it")
    every = aspects == "all"
    about, are_all = described(None if every else aspects, labels, embed, given, lower)
    if source is None:
        raise InputError("name the judgments: a file, or NAME=FILE for each aspect")
    if qrels_format is not None and about:
        raise InputError(
            "--qrels-format is for judgments without --aspects, --labels, --embed, --given and --lower"
        )
    if about and not are_all:
        from rankprism.formats.aspects.reading import read_described

        source, about = read_described(source, about), []
    return source, "all" if every else about or None


def split_pairs(arguments: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The judgments among the arguments, a file or NAME=FILE for each aspect, and what follows."""
    pairs: dict[str, str] = {}
    rest = list(arguments)
    while rest and "=" in os.fspath(rest[0]) and not os.path.exists(rest[0]):
        name, _, path = os.fspath(rest.pop(0)).partition("=")
        if name in pairs:
            raise InputError(f"two files of the aspect {name!r}: {pairs[name]} and {path}; name one")
        pairs[name] = path
    if pairs:
        return pairs, rest
    return (rest[0], rest[1:]) if rest else (None, [])


class Described(NamedTuple):
    """What the options say about aspects."""

    aspects: list[AspectSettings]  # in the order in which they are named
    are_all: bool  # whether --aspects names them; else the judgments may have more


def described(
    names: str | None,
    labels: list[str] | None,
    embed: list[str] | None,
    given: list[str] | None,
    lower: list[str] | None = None,
) -> Described:
    """What the options say about each aspect."""
    columns = [name.strip() for name in names.split(",")] if names else []
    settings: dict[str, dict[str, Any]] = {name: {} for name in columns}
    for what, texts in (("labels", labels), ("embed", embed), ("given", given)):
        for text in texts or []:
            aspect, _, value = text.partition("=")
            if not aspect or not value:
                raise InputError(f"--{what} takes ASPECT=…, e.g. --{what} {_EXAMPLES[what]}; got {text!r}")
            if names and aspect not in settings:
                raise InputError(f"--{what}: {aspect!r} is not one of the aspects {', '.join(columns)}")
            settings.setdefault(aspect, {})[what] = value if what == "given" else value.split(",")
    for aspect in lower or []:
        if names and aspect not in settings:
            raise InputError(f"--lower: {aspect!r} is not one of the aspects {', '.join(columns)}")
        settings.setdefault(aspect, {})["lower_is_better"] = True
    if not settings:
        return Described([], are_all=False)
    from rankprism.formats.aspects.settings import AspectSettings

    return Described([AspectSettings.of(name, settings[name]) for name in columns or settings], bool(names))


_EXAMPLES = {
    "labels": "stance=no,neutral,yes",
    "embed": "correctness=0,3/2,3",
    "given": "correctness=relevance",
}
