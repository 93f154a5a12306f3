"""Judgments or preferences, and runs. Every command that scores runs reads them here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from rankprism.cli.completion import complete_file
from rankprism.cli.judgments import JUDGMENTS, judged_source, read_judged, split_pairs
from rankprism.cli.measures import MeasureFiles, MeasureNames, read_measures
from rankprism.cli.options import evaluating
from rankprism.cli.signature import given_to, options_of, parameters_of, with_less, with_options_of
from rankprism.errors import InputError, listed
from rankprism.types import EvaluationOptions, RunOptions

if TYPE_CHECKING:
    from rankprism.data import Judgments, Preferences
    from rankprism.evaluation import Collection
    from rankprism.evaluation.score_folder import Stored
    from rankprism.formats import OnError, Source
    from rankprism.results import Scores


Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="RUN",
        help="Compare with this run: the name of one of the runs, or a file.",
        autocompletion=complete_file,
    ),
]

Baselines = Annotated[
    list[str] | None,
    typer.Option(
        "--baseline",
        metavar="RUN",
        help="Compare with this run: the name of one of the runs, or a file. Repeatable: each other run is "
        "compared with each baseline.",
        autocompletion=complete_file,
    ),
]

QrelsAndRuns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS RUN...",
        help=f"{JUDGMENTS} Then runs: files of topic, Q0, document, rank, score and tag. - is standard "
        "input.",
        autocompletion=complete_file,
    ),
]


@dataclass(frozen=True, eq=False)
class Read:
    """The collection that a command reads, and the names of the runs to compare with."""

    collection: Collection
    baselines: tuple[str, ...] = ()

    @property
    def baseline(self) -> str | None:
        """The run to compare with, for commands that take one."""
        return next(iter(self.baselines), None)

    @property
    def judgments(self) -> Judgments | None:
        return None if self.collection.judged is None else self.collection.judgments

    @property
    def preferences(self) -> Preferences | None:
        return None if self.collection.preferred is None else self.collection.preferences

    @property
    def absolute(self) -> Judgments:
        """The judgments, for what cannot do with preferences."""
        return self.collection.judgments

    @property
    def preferred(self) -> Preferences:
        """The preferences, for what cannot do without."""
        return self.collection.preferences

    @property
    def runs(self) -> list[Any]:
        """The runs, as functions that do not take a collection take them."""
        return list(self.collection.sources.values())

    @property
    def settings(self) -> dict[str, Any]:
        """How to read and score the runs, as these functions take it."""
        of_scores = {"topics": self.collection.options.topics, "threads": self.collection.options.threads}
        return self.reading | of_scores

    @property
    def reading(self) -> dict[str, Any]:
        """How to read the runs, as these functions take it."""
        return {name: getattr(self.collection.reading, name) for name in RunOptions.__annotations__}

    @property
    def kinds(self) -> dict[str, Any]:
        """Judgments and preferences as these functions take them: preferences alone come first."""
        if self.judgments is None:
            return {"judgments": self.preferences, "preferences": None}
        return {"judgments": self.judgments, "preferences": self.preferences}

    def evaluate(self, measures: Sequence[Any], **more: Any) -> Scores:
        """The scores of the runs, with a bar for whoever waits."""
        from rankprism.evaluation import evaluate

        with evaluating(len(self.collection.sources)) as (on_run, on_share):
            return evaluate(self.collection, measures=measures, on_run=on_run, on_share=on_share, **more)

    def evaluate_into(self, folder: str, measures: Sequence[Any], **more: Any) -> Stored:
        """The same into a folder of Parquet files."""
        from rankprism.evaluation.score_folder import evaluate_into

        with evaluating(len(self.collection.sources)) as (on_run, on_share):
            return evaluate_into(
                folder, self.collection, measures=measures, on_run=on_run, on_share=on_share, **more
            )


#: How runs are read and scored.
_SCORING = parameters_of("evaluation:evaluate", *EvaluationOptions.__annotations__)


@with_options_of(_SCORING, read_judged, parameters_of("evaluation:evaluate", "preferences_format"))
def read_collection(
    files: QrelsAndRuns = None,
    preferences: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Preferences, for measures that need them, e.g. nPrf@20. If all measures do, name the file "
            "in the place of QRELS instead.",
            autocompletion=complete_file,
        ),
    ] = None,
    baseline: str | list[str] | None = None,
    preferences_format: str | None = None,
    on_error: OnError | None = None,
    **options: Any,
) -> Read:
    """Judgments, preferences and the files of runs, as the arguments and options describe them.

    baseline : the name of a run or a file, or several. A file that is not among the runs becomes one of them.
    on_error : called with the name of a run that cannot be read, and the error.
    """
    from rankprism.evaluation import Collection
    from rankprism.evaluation.collection import ALONE

    named = first_opened(files or [])
    _, paths = split_pairs(named)
    if not named:
        raise InputError("name the judgments and then the runs, e.g. qrels.txt runs/*.run")
    if not paths:
        alone = f"; {ALONE}" if preferences is not None else ""
        raise InputError(f"name the runs after the judgments{alone}")
    before = named[: len(named) - len(paths)]
    settings = {name: options.get(name, option.default) for name, option in options_of(_SCORING).items()}
    runs = runs_of(paths, settings["threads"], on_error)
    names = []
    for one in baselines_of(baseline):
        runs, name = _with_baseline(runs, one, settings["run_format"])
        names.append(name)
    if not runs:  # with --keep-going
        raise InputError("none of the runs can be read; see the error of each")
    judged = given_to(read_judged, options)
    source, about = _judged(before, judged, preferences, preferences_format)
    found = Collection.of(
        source,
        cast(Any, runs),
        preferences=preferences,
        preferences_format=preferences_format,
        aspects=about,
        **{name: judged[name] for name in ("weights", "qrels_format") if name in judged},
        **settings,
        on_error=on_error,
    )
    return Read(found, tuple(names))


def begins_to_read(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that reads a collection begin to read its files before it loads numpy."""

    @wraps(command)
    def run(files: list[Any] | None, **given: Any) -> None:
        from rankprism.data import Reading
        from rankprism.formats import reading_ahead

        named = files or [None]
        reading = Reading(
            given["order"],
            given["duplicates"],
            run_depth=given["run_depth"],
            ties=given["tied"] is not None,
        )
        threads = given["threads"] if all(given[option] is None for option in _OF_OTHERS) else 1
        with reading_ahead(named[0], named[1:], reading, threads) as (judgments, runs):
            command(files=files and [judgments, *runs], **given)

    return run


#: Options of judgments that are not read ahead, because they are of another kind or perhaps not needed.
_OF_OTHERS = (
    "preferences",
    "preferences_format",
    "aspects",
    "labels",
    "embed",
    "given",
    "lower",
    "qrels_format",
    "run_format",
    "by",
    "into",
)


#: Judgments and runs for a simulation, which makes the preferences, and for one of users, whose profiles have
#: weights of their own.
read_weighted_subtopics = with_less(read_collection, "topics", "threads", "preferences", "preferences_format")
read_subtopics = with_less(read_weighted_subtopics, "weights")


def _judged(
    named: Sequence[Any], judged: Mapping[str, Any], preferences: str | None, format: str | None
) -> tuple[Any, Any]:
    """The judgments or preferences named before the runs, and the aspects of judgments."""
    from rankprism.formats import source_of

    source, _ = split_pairs(named)
    given = source_of(source)
    if preferences is None and source is not None and given.are_preferences(format):
        for option, parameter in options_of(read_judged).items():
            if option in judged and judged[option] != parameter.default:
                raise InputError(
                    f"--{option.replace('_', '-')} is for absolute judgments, and {os.fspath(named[0])} "
                    f"holds preferences; leave it out"
                )
        return given, None
    found, aspects = judged_source(named, **judged)
    return given if found is source else found, aspects


def first_opened(named: Sequence[Any]) -> list[Any]:
    """The arguments. If the first is a file, it is opened once for all who look at it."""
    from rankprism.formats import source_of

    if list(map(os.fspath, named)).count("-") > 1:
        raise InputError("standard input (-) can be read only once; name files for the others")
    source, _ = split_pairs(named)
    given = source_of(source)
    return [given.thing, *named[1:]] if given.is_file else list(named)


def runs_of(paths: Sequence[Any], threads: int | None = 1, on_error: OnError | None = None) -> list[Source]:
    """The runs of these files. A table, which may hold many, is read here; other files are read later."""
    from rankprism.formats import run_sources

    return list(run_sources(list(paths), threads, on_error).values())


def baselines_of(baseline: str | list[str] | None) -> list[str]:
    return [baseline] if isinstance(baseline, str) else list(baseline or [])


def _with_baseline(runs: list[Source], baseline: str, format: str | None) -> tuple[list[Source], str]:
    """The runs, with the baseline among them, and its name."""
    names = _names(runs, format)
    if baseline in names:
        return runs, baseline
    own = [run for run in runs if getattr(run.thing, "path", None) == baseline]
    if not os.path.exists(baseline) and not own:
        raise no_such_baseline(baseline, names)
    added = [] if own else runs_of([baseline])
    inside = _names(own or added, format)
    if len(inside) != 1:
        raise InputError(
            f"--baseline: {baseline} holds {len(inside)} runs; add the file to the runs and name one of "
            f"{listed(inside)}"
        )
    return [*runs, *added], inside[0]


def _names(runs: Sequence[Source], format: str | None) -> list[str]:
    """The names of runs. A file with answers may hold several."""
    from rankprism.formats.answers import run_names

    return [name for run in runs for name in run_names(run, run.name(1), format)]


def no_such_baseline(baseline: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"--baseline: no run is named {baseline!r}, and there is no such file; the runs are {listed(names)}"
    )


class Measured(NamedTuple):
    """A collection, and the measures to score it with."""

    collection: Read
    measures: list[Any]


@with_options_of(read_collection)
def read_measured(
    files: QrelsAndRuns, measure: MeasureNames = None, measures_file: MeasureFiles = None, **collection: Any
) -> Measured:
    """Judgments, preferences and runs, and the measures that are named."""
    measures = read_measures(measure, measures_file)  # before anything is read
    return Measured(read_collection(files=files, **collection), measures)
