"""Judgments of several aspects on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data.judgments import Judgments
    from rankprism.formats.aspects.settings import AspectSettings

AspectNames = Annotated[
    str | None,
    typer.Option(
        "--aspects",
        metavar="NAME,…",
        help="What the grade columns of QRELS are of, e.g. relevance,credibility; - skips one.",
        show_default=False,
    ),
]
LabelNames = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="ASPECT=LABEL,…",
        help="The labels of an aspect from the lowest to the highest; repeatable.",
        show_default=False,
    ),
]
Embedding = Annotated[
    list[str] | None,
    typer.Option(
        "--embed",
        metavar="ASPECT=PLACE,…",
        help="Where the labels stand, e.g. correctness=0,3/2,3; one unit apart without it. Repeatable.",
        show_default=False,
    ),
]
GivenAspect = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        metavar="ASPECT=OTHER",
        help="The lowest label where OTHER is at its lowest, e.g. correctness=relevance; repeatable.",
        show_default=False,
    ),
]
AspectWeights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="FILE",
        help="Aspect weights: relevance=0.7,credibility=0.3 for all topics, or a file, as for evaluate.",
        show_default=False,
    ),
]


def split_pairs(arguments: Sequence[str]) -> tuple[Any, list[str]]:
    """The judgments among the arguments, a file or NAME=FILE for each aspect, and what follows."""
    pairs: dict[str, str] = {}
    rest = list(arguments)
    while rest and "=" in rest[0] and not os.path.exists(rest[0]):
        name, _, path = rest.pop(0).partition("=")
        if name in pairs:
            raise InputError(f"two files of the aspect {name!r}: {pairs[name]} and {path}; name one")
        pairs[name] = path
    if pairs:
        return pairs, rest
    return (rest[0], rest[1:]) if rest else (None, [])


class Described(NamedTuple):
    """What the options say of aspects."""

    aspects: list[AspectSettings]  # in the order in which they are named
    are_all: bool  # whether --aspects names them; else the judgments may have more


def described(
    names: str | None, labels: list[str] | None, embed: list[str] | None, given: list[str] | None
) -> Described:
    """What the options say of each aspect."""
    from rankprism.formats.aspects.settings import AspectSettings

    columns = [name.strip() for name in names.split(",")] if names else []
    settings: dict[str, dict[str, Any]] = {name: {} for name in columns}
    for what, texts in (("labels", labels), ("embed", embed), ("given", given)):
        for text in texts or []:
            aspect, _, value = text.partition("=")
            if not aspect or not value:
                raise InputError(f"--{what} takes ASPECT=…, e.g. --{what} {_EXAMPLES[what]}; got {text!r}")
            if names and aspect not in settings:
                raise InputError(f"--{what}: {aspect!r} is none of the aspects {', '.join(columns)}")
            settings.setdefault(aspect, {})[what] = value if what == "given" else value.split(",")
    return Described([AspectSettings.of(name, settings[name]) for name in columns or settings], bool(names))


_EXAMPLES = {
    "labels": "stance=no,neutral,yes",
    "embed": "correctness=0,3/2,3",
    "given": "correctness=relevance",
}


def read(
    source: Any, described: Described, weights: str | None = None, format: str | None = None
) -> Judgments:
    """Judgments as the arguments and options describe them."""
    from rankprism.formats.aspects.reading import read_described
    from rankprism.formats.judgments import read_judgments

    if source is None:
        raise InputError("name the judgments: a file, or NAME=FILE for each aspect")
    aspects, are_all = described
    if format is not None and aspects:
        raise InputError("--qrels-format is for judgments without --aspects, --labels, --embed and --given")
    if aspects and not are_all:
        return read_judgments(read_described(source, aspects), weights=weights)
    return read_judgments(source, format=format, weights=weights, aspects=aspects or None)
