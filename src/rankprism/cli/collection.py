"""What the commands read: judgments and runs, or files of scores. All commands read them here, in one way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rankprism.cli.choices import one_of
from rankprism.cli.completion import complete_file, complete_measure
from rankprism.cli.options import DuplicatesOption, RunOrder, evaluating
from rankprism.cli.signature import options_of, with_options, with_options_of, without
from rankprism.errors import InputError, MeasureError, listed
from rankprism.types import Topics

if TYPE_CHECKING:
    from rankprism.data.judgments import Judgments
    from rankprism.data.preferences import Preferences
    from rankprism.data.run import Run
    from rankprism.formats.aspects.settings import AspectSettings
    from rankprism.formats.files import File
    from rankprism.results.scores import Scores


def measures_option(text: str) -> Any:
    """-m, which names measures."""
    return typer.Option(
        "--measure", "-m", metavar="MEASURE", help=f"{text} Repeatable.", autocompletion=complete_measure
    )


MeasureNames = Annotated[list[str] | None, measures_option("A measure, e.g. 'alpha_nDCG(alpha=0.25)@20'.")]
MeasureFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--measures",
        metavar="FILE",
        help="Measures and constraints of your own, in TOML or Python. A Python file is run: name only files "
        "that you trust.",
    ),
]
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
_JUDGMENTS = (
    "Judgments: a file of topic, subtopic, document and grade; or NAME=FILE for each of several aspects; or "
    "a TOML file that describes them; or irds:ID for a dataset of ir_datasets."
)
Qrels = Annotated[
    list[str] | None, typer.Argument(metavar="QRELS", help=_JUDGMENTS, autocompletion=complete_file)
]
QrelsAndRuns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS RUN...",
        help=f"{_JUDGMENTS} Then runs: files of topic, Q0, document, rank, score and tag. - is standard "
        "input.",
        autocompletion=complete_file,
    ),
]
QrelsAndRunsOrScores = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS RUN... | SCORES...",
        help="Judgments and runs, as for evaluate; or files with the scores of each topic.",
        autocompletion=complete_file,
    ),
]


@dataclass(frozen=True, eq=False)
class Collection:
    """Judgments, preferences or both, the runs, and how to read these."""

    judgments: Judgments | None
    #: files, and the runs of files that hold tables
    runs: tuple[File | Run, ...]
    #: run_format, topics, order, duplicates and threads, as `rankprism.evaluate` takes them
    settings: Mapping[str, Any]
    #: the names of the runs to compare with
    baselines: tuple[str, ...] = ()
    preferences: Preferences | None = None

    @property
    def baseline(self) -> str | None:
        """The run to compare with, for commands that take one."""
        return next(iter(self.baselines), None)

    @property
    def absolute(self) -> Judgments:
        """The judgments, for what cannot do with preferences."""
        if self.judgments is None:
            raise InputError("absolute judgments are needed here; name them before the runs")
        return self.judgments

    @property
    def preferred(self) -> Preferences:
        """The preferences, for what cannot do without."""
        if self.preferences is None:
            raise InputError(
                "preferences are needed here; name them before the runs, or with --preferences FILE"
            )
        return self.preferences

    @property
    def reading(self) -> dict[str, Any]:
        """How to read the runs, as functions that read runs take it."""
        return {name: self.settings[name] for name in ("order", "duplicates", "run_format")}

    @property
    def kinds(self) -> dict[str, Any]:
        """Judgments and preferences as `rankprism.evaluate` takes them: preferences alone come first."""
        if self.judgments is None:
            return {"judgments": self.preferences, "preferences": None}
        return {"judgments": self.judgments, "preferences": self.preferences}

    def evaluate(self, measures: Sequence[Any], **more: Any) -> Scores:
        """The scores of the runs, with a bar for whoever waits."""
        from rankprism.evaluation import evaluate

        with evaluating(len(self.runs)) as (on_run, on_share):
            return evaluate(
                runs=list(self.runs),
                measures=measures,
                **self.kinds,
                on_run=on_run,
                on_share=on_share,
                **self.settings,
                **more,
            )


@dataclass(frozen=True, eq=False)
class Source:
    """Scores, and the collection that they were computed from, if that was done here."""

    scores: Scores
    collection: Collection | None = None
    #: the names of the runs to compare with
    baselines: tuple[str, ...] = ()

    @property
    def baseline(self) -> str | None:
        """The run to compare with, for commands that take one."""
        return next(iter(self.baselines), None)

    @property
    def judgments(self) -> Judgments | None:
        return None if self.collection is None else self.collection.judgments

    @property
    def lists(self) -> dict[str, Any]:
        """How to find the ranked lists again."""
        if self.collection is None:
            return {}
        return {"runs": {_name(run): run for run in self.collection.runs}, **self.collection.reading}


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
            help="Where the labels of an aspect stand, e.g. correctness=0,3/2,3. Repeatable. Default: one "
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
    qrels_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            click_type=one_of("formats.known:JUDGMENT_FORMATS"),
            help="Format of QRELS; `rankprism convert --help` lists them. Default: recognised.",
        ),
    ] = None,
    threads: int | None = None,
) -> Judgments:
    """Judgments as the arguments and options describe them. `threads`: how many read a large file."""
    source, rest = split_pairs(files or [])
    if rest:
        raise InputError(f"{rest[0]}: only judgments are wanted here, and they are named before it")
    every = aspects == "all"
    about = described(None if every else aspects, labels, embed, given)
    return _judgments(source, about, every, weights, qrels_format, threads)


@with_options_of(read_judged)
def read_collection(
    files: QrelsAndRuns = None,
    topics: Annotated[
        Topics, typer.Option(help="Average over all judged topics, or over those that a run has retrieved.")
    ] = "judged",
    order: RunOrder = "score",
    duplicates: DuplicatesOption = "error",
    preferences: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Preferences, for measures that need them, e.g. nPrf@20. If all measures do, name the file "
            "in the place of QRELS instead.",
            autocompletion=complete_file,
        ),
    ] = None,
    preferences_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            click_type=one_of("formats.known:PREFERENCE_FORMATS"),
            help="Format of the preferences, e.g. qrels-prefs. Default: recognised by the first line.",
        ),
    ] = None,
    run_format: Annotated[
        str | None,
        typer.Option(
            click_type=one_of("formats.known:RUN_FORMATS"),
            help="Format of the runs. Default: recognised by their first lines.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Number of threads. Default: one for each processor.")
    ] = None,
    baseline: str | list[str] | None = None,
    **judged: Any,
) -> Collection:
    """Judgments, preferences and the files of runs, as the arguments and options describe them.

    baseline : the name of a run or a file, or several. A file that is not among the runs becomes one of them.
    """
    named = first_opened(files or [])
    _, paths = split_pairs(named)
    if not named:
        raise InputError("name the judgments and then the runs, e.g. qrels.txt runs/*.run")
    if not paths:
        alone = f"; {_ALONE}" if preferences is not None else ""
        raise InputError(f"name the runs after the judgments{alone}")
    before = named[: len(named) - len(paths)]
    runs = _runs_of(paths, threads)
    names = []
    for one in _each(baseline):
        runs, name = _with_baseline(runs, one, run_format)
        names.append(name)
    settings = {
        "topics": topics,
        "order": order,
        "duplicates": duplicates,
        "run_format": run_format,
        "threads": threads,
    }
    read, preferred = _judgments_and_preferences(before, preferences, preferences_format, judged, threads)
    return Collection(read, tuple(runs), settings, tuple(names), preferred)


def read_weighted_subtopics(**collection: Any) -> Collection:
    """Judgments and runs for a simulation, which makes the preferences."""
    return read_collection(**collection)


def read_subtopics(**collection: Any) -> Collection:
    """Judgments and runs for a simulation of users, whose profiles have weights of their own."""
    return read_collection(**collection)


_described = without(options_of(read_collection), "topics", "threads", "preferences", "preferences_format")
with_options(read_weighted_subtopics, _described)
with_options(read_subtopics, without(_described, "weights"))

#: Added to an error when the first run may have been read as judgments.
_ALONE = "if there are only preferences, name their file before the runs and leave out --preferences"


def _judgments_and_preferences(
    named: Sequence[Any],
    preferences: str | None,
    format: str | None,
    judged: Mapping[str, Any],
    threads: int | None,
) -> tuple[Judgments | None, Preferences | None]:
    """The judgments or preferences named before the runs, and what --preferences names."""
    if preferences is None and are_only_preferences(named, format):
        for option, parameter in options_of(read_judged).items():
            if option in judged and judged[option] != parameter.default:
                raise InputError(
                    f"--{option.replace('_', '-')} is for absolute judgments, and {os.fspath(named[0])} "
                    f"holds preferences; leave it out"
                )
        return None, _preferences(named[0], format)
    if preferences is None and format is not None:
        raise InputError("--preferences-format needs preferences; name them with --preferences")
    preferred = None if preferences is None else _preferences(preferences, format)
    try:
        return read_judged(files=list(named), **judged, threads=threads), preferred
    except InputError as error:
        if preferred is None:
            raise
        raise InputError(f"{error} ({_ALONE})") from None


def _preferences(path: str | File, format: str | None) -> Preferences:
    from rankprism.formats.preferences import read_preferences

    return read_preferences(path, format=format)


def are_only_preferences(named: Sequence[Any], format: str | None) -> bool:
    """Whether preferences are given in the place of judgments."""
    from rankprism.formats.recognition import are_preferences

    source, _ = split_pairs(named)
    return source is not None and not isinstance(source, dict) and are_preferences(source, format)


def first_opened(named: Sequence[Any]) -> list[Any]:
    """The arguments. If the first is a file, it is opened once for all who look at it."""
    from rankprism.formats.files import opened
    from rankprism.formats.objects import is_dataset

    if list(map(os.fspath, named)).count("-") > 1:
        raise InputError("standard input (-) can be read only once; name files for the others")
    source, _ = split_pairs(named)
    if isinstance(source, str) and not is_dataset(source):
        return [opened(source), *named[1:]]
    return list(named)


def _runs_of(paths: Sequence[Any], threads: int | None = 1) -> list[File | Run]:
    """The runs of these files. A table, which may hold many, is read here; other files are read later."""
    from rankprism.formats.several_runs import run_sources

    return list(run_sources(list(paths), threads).values())


def _name(run: File | Run) -> str:
    from rankprism.data.run import Run
    from rankprism.formats.files import run_name

    return run.name if isinstance(run, Run) else run_name(run)


def _each(baseline: str | list[str] | None) -> list[str]:
    return [baseline] if isinstance(baseline, str) else list(baseline or [])


def _with_baseline(runs: list[File | Run], baseline: str, format: str | None) -> tuple[list[File | Run], str]:
    """The runs, with the baseline among them, and its name."""
    names = _names(runs, format)
    if baseline in names:
        return runs, baseline
    own = [run for run in runs if getattr(run, "path", None) == baseline]
    if not os.path.exists(baseline) and not own:
        raise no_such_baseline(baseline, names)
    added = [] if own else _runs_of([baseline])
    inside = _names(own or added, format)
    if len(inside) != 1:
        raise InputError(
            f"--baseline: {baseline} holds {len(inside)} runs; add the file to the runs and name one of "
            f"{listed(inside)}"
        )
    return [*runs, *added], inside[0]


def _names(runs: Sequence[File | Run], format: str | None) -> list[str]:
    """The names of runs. A file with answers may hold several."""
    from rankprism.formats.answers import run_names

    return [name for run in runs for name in run_names(run, _name(run), format)]


def no_such_baseline(baseline: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"--baseline: no run is named {baseline!r}, and there is no such file; the runs are {listed(names)}"
    )


def read_measures(measure: MeasureNames = None, measures_file: MeasureFiles = None) -> list[Any]:
    """The measures that are named, with those from the user's files known."""
    from rankprism.measures import parse

    load_measures(measures_file)
    if not measure:
        raise MeasureError(
            "name at least one measure with -m, e.g. -m alpha_nDCG@20; `rankprism measures` lists them"
        )
    return [parse(text) for text in measure]


def load_measures(measures_file: Sequence[Path] | None) -> None:
    """Make the measures in these files known."""
    if measures_file:
        from rankprism.formats.measure_files import load

        for file in measures_file:
            load(file)


class Measured(NamedTuple):
    """A collection, and the measures to score it with."""

    collection: Collection
    measures: list[Any]


@with_options_of(read_collection)
def read_measured(
    files: QrelsAndRuns, measure: MeasureNames = None, measures_file: MeasureFiles = None, **collection: Any
) -> Measured:
    """Judgments, preferences and runs, and the measures that are named."""
    measures = read_measures(measure, measures_file)  # before anything is read
    return Measured(read_collection(files=files, **collection), measures)


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
    measures_file: MeasureFiles = None,
    baseline: str | list[str] | None = None,
    **collection: Any,
) -> Source:
    """Scores from files, or from judgments and runs.

    baseline : names of runs or files, see `read_collection`.
    """
    named = first_opened(files or [])
    if not named:
        raise InputError("name judgments and runs, e.g. qrels.txt runs/*.run, or files of scores")
    default = {name: option.default for name, option in options_of(read_collection).items()}
    set_options = [name for name, value in collection.items() if value != default[name]]
    if scores or _are_scores(named, set_options, collection.get("preferences_format")):
        for name in [*set_options, *(["measures"] if measures_file else [])]:
            raise InputError(
                f"--{name.replace('_', '-')} goes with judgments and runs; {os.fspath(named[0])} is taken "
                f"for a file of scores"
            )
        return _read_scores(named, measure, _conditions(where or []), _each(baseline))
    if where:
        raise InputError(
            f"--where chooses rows from files of scores; {os.fspath(named[0])} is taken for judgments; if it "
            f"is a file of scores, add --scores"
        )
    chosen = read_measures(measure, measures_file)  # before anything is read
    read = read_collection(files=named, baseline=baseline, **collection)
    return Source(read.evaluate(chosen), read, read.baselines)


def _are_scores(named: Sequence[Any], set_options: Sequence[str], format: str | None) -> bool:
    """Whether the first of these files is one of scores; else it has judgments or preferences."""
    from rankprism.formats.files import File
    from rankprism.formats.json_lines import is_json
    from rankprism.formats.recognition import are_preferences, kind_of

    source, _ = split_pairs(named)
    if not isinstance(source, File) or (format is not None and are_preferences(source, format)):
        return False
    kind = kind_of(source)
    if kind == "judgments" and len(named) == 1:
        raise InputError(
            f"{source.name}: is taken for judgments, so name the runs after it; if it is a file of scores, "
            f"add --scores"
        )
    if kind is not None:
        return kind == "scores"
    if set(set_options) & set(options_of(read_judged)):
        return False
    if not source.can_be_read_again or is_json(source.beginning.text):
        return len(named) == 1  # its reader then says what is wrong with it
    raise InputError(
        f"{source.name}: may be a file of scores or of judgments; say which with --scores or --qrels-format"
    )


def _read_scores(
    named: Sequence[Any], measure: Sequence[str] | None, where: Mapping[str, str], baselines: Sequence[str]
) -> Source:
    from rankprism.formats.scores import read_scores

    files, names = list(named), []
    scores = read_scores(files, where=where)
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
                scores = read_scores(files, where=where)
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
    """What the options say of aspects."""

    aspects: list[AspectSettings]  # in the order in which they are named
    are_all: bool  # whether --aspects names them; else the judgments may have more


def described(
    names: str | None, labels: list[str] | None, embed: list[str] | None, given: list[str] | None
) -> Described:
    """What the options say of each aspect."""
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
    if not settings:
        return Described([], are_all=False)
    from rankprism.formats.aspects.settings import AspectSettings

    return Described([AspectSettings.of(name, settings[name]) for name in columns or settings], bool(names))


_EXAMPLES = {
    "labels": "stance=no,neutral,yes",
    "embed": "correctness=0,3/2,3",
    "given": "correctness=relevance",
}


def _judgments(
    source: Any,
    described: Described,
    every: bool,
    weights: str | None,
    format: str | None,
    threads: int | None = None,
) -> Judgments:
    from rankprism.formats.judgments import read_judgments

    if source is None:
        raise InputError("name the judgments: a file, or NAME=FILE for each aspect")
    aspects, are_all = described
    if format is not None and aspects:
        raise InputError("--qrels-format is for judgments without --aspects, --labels, --embed and --given")
    if aspects and not are_all:
        from rankprism.formats.aspects.reading import read_described

        source, aspects = read_described(source, aspects), []
    chosen = "all" if every else aspects or None
    return read_judgments(source, format=format, weights=weights, aspects=chosen, threads=threads)
