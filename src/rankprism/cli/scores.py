"""Scores, from files or from judgments and runs. Every command that analyses scores reads them here."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.collection import (
    Read,
    baselines_of,
    first_opened,
    no_such_baseline,
    read_collection,
)
from rankprism.cli.completion import complete_file
from rankprism.cli.judgments import read_judged, split_pairs
from rankprism.cli.measures import MeasureFiles, measures_option, read_measures
from rankprism.cli.signature import options_of, with_options_of
from rankprism.errors import InputError, listed
from rankprism.types import Tied

if TYPE_CHECKING:
    from rankprism.results import Scores


QrelsAndRunsOrScores = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS RUN... | SCORES...",
        help="Judgments and runs, as for evaluate; or files with the scores of each topic.",
        autocompletion=complete_file,
    ),
]


Mixed = Annotated[
    bool,
    typer.Option(
        "--mixed",
        help="Analyse scores together that were computed from other judgments, with other settings or by "
        "other definitions of a measure. The caption says what is mixed.",
    ),
]


Lower = Annotated[
    list[str] | None,
    typer.Option(
        "--lower",
        metavar="NAME",
        help="A lower score is better by this measure of the files of scores, e.g. seconds; or with "
        "judgments, on this aspect of them. Repeatable. Default: Unjudged, RBP_residual, the aspect harmful, "
        "and what measures and files say.",
    ),
]


#: Said of --mixed beside judgments and runs.
ONLY_SCORES = "--mixed goes with files of scores; scores that are computed now are never mixed; leave it out"


@dataclass(frozen=True, eq=False)
class Source:
    """Scores, and the collection that they were computed from, if that was done here."""

    scores: Scores
    collection: Read | None = None
    #: the names of the runs to compare with
    baselines: tuple[str, ...] = ()

    @property
    def baseline(self) -> str | None:
        """The run to compare with, for commands that take one."""
        return next(iter(self.baselines), None)


@with_options_of(read_collection)
def read_source(
    files: QrelsAndRunsOrScores = None,
    measure: Annotated[
        list[str] | None,
        measures_option("A measure, e.g. alpha_nDCG@20. Default with files of scores: all of them."),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="The files hold scores. Default: recognised by the first lines.")
    ] = False,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Take only these rows of a file of scores that has more columns. Repeatable.",
        ),
    ] = None,
    mixed: Mixed = False,
    lower: Lower = None,
    measures_file: MeasureFiles = None,
    tied: Annotated[
        Tied | None,
        typer.Option(
            help="The score of a ranking with tied documents: expected over all their orders, the lowest, "
            "the highest, or all three as measures. Default: the score of the order by ids.",
        ),
    ] = None,
    baseline: str | list[str] | None = None,
    **collection: Any,
) -> Source:
    """Scores from files, or from judgments and runs.

    baseline : names of runs or files, see `read_collection`.
    """
    named = first_opened(files or [])
    if not named:
        raise InputError("name judgments and runs, e.g. qrels.txt runs/*.run, or files of scores")
    set_options = changed(collection)
    if scores or _are_scores(named, set_options, collection.get("preferences_format")):
        own = {"measures": measures_file, "tied": tied}
        others = [*set_options, *(name for name, value in own.items() if value)]
        return read_score_files(named, measure, others, where or (), baselines_of(baseline), mixed, lower)
    if where:
        raise InputError(
            f"--where chooses rows from files of scores; {os.fspath(named[0])} is taken for judgments; if it "
            f"is a file of scores, add --scores"
        )
    if mixed:
        raise InputError(ONLY_SCORES)
    chosen = read_measures(measure, measures_file)  # before anything is read
    read = read_collection(files=named, baseline=baseline, lower=lower, **collection)
    return Source(read.evaluate(chosen, tied=tied), read, read.baselines)


def holds_scores(named: Sequence[Any]) -> bool:
    """Whether the first of these files can only be one of scores."""
    from rankprism.formats import source_of

    given = source_of(split_pairs(named)[0])
    return given.is_file and given.kind == "scores"


def read_score_files(
    named: Sequence[Any],
    measure: Sequence[str] | None,
    others: Sequence[str],
    where: Sequence[str] = (),
    baselines: Sequence[str] = (),
    mixed: bool = False,
    lower: Sequence[str] | None = None,
) -> Source:
    """Scores from files.

    others : the names of options that were given and that go with judgments and runs, which are refused.
    """
    for name in others:
        raise InputError(
            f"--{name.replace('_', '-')} goes with judgments and runs; {os.fspath(named[0])} is taken for a "
            f"file of scores"
        )
    return _read_scores(named, measure, _conditions(where), baselines, mixed, lower or ())


def changed(collection: Mapping[str, Any]) -> list[str]:
    """The options of a collection that are not as they are by default."""
    default = {name: option.default for name, option in options_of(read_collection).items()}
    return [name for name, value in collection.items() if value != default[name]]


def _are_scores(named: Sequence[Any], set_options: Sequence[str], format: str | None) -> bool:
    """Whether the first of these files is one of scores; else it has judgments or preferences."""
    from rankprism.formats import source_of
    from rankprism.formats.json_lines import is_json

    source = source_of(split_pairs(named)[0])
    if not source.is_file or (format is not None and source.are_preferences(format)):
        return False
    kind = source.kind
    if kind == "judgments" and len(named) == 1:
        raise InputError(
            f"{source.place}: is taken for judgments, so name the runs after it; if it is a file of scores, "
            f"add --scores"
        )
    if kind is not None:
        return kind == "scores"
    if set(set_options) & set(options_of(read_judged)):
        return False
    if source.waits or is_json(source.thing.beginning.text):
        return len(named) == 1  # its reader then says what is wrong with it
    raise InputError(
        f"{source.place}: may be a file of scores or of judgments; say which with --scores or --qrels-format"
    )


def _read_scores(
    named: Sequence[Any],
    measure: Sequence[str] | None,
    where: Mapping[str, str],
    baselines: Sequence[str],
    mixed: bool,
    lower: Sequence[str],
) -> Source:
    from rankprism.formats import read_scores

    files, names = list(named), []
    scores = read_scores(files, where=where, mixed=mixed, lower=lower)
    for baseline in baselines:
        if baseline not in scores.runs:
            if not os.path.exists(baseline):
                raise no_such_baseline(baseline, scores.runs)
            own = read_scores(baseline, where=where).runs
            if len(own) != 1:
                raise InputError(
                    f"--baseline: {baseline} has scores of {len(own)} runs; name one of {listed(own)} and "
                    f"add the file to the others"
                )
            if own[0] not in scores.runs:
                files.append(baseline)
                scores = read_scores(files, where=where, mixed=mixed, lower=lower)
            baseline = own[0]
        names.append(baseline)
    return Source(scores.select(measures=measure) if measure else scores, baselines=tuple(names))


def _conditions(where: Sequence[str]) -> dict[str, str]:
    conditions = {}
    for text in where:
        column, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--where takes COLUMN=VALUE; got {text!r}")
        conditions[column] = value
    return conditions
