"""What commands read: judgments or preferences, runs, and scores. Every command reads them here.

A function here opens files, says what is wrong with them, and leaves the rest to `rankprism.Collection` and
to the functions that read scores.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rankprism.cli.door import INPUT, Option, Part, flag, takes, without
from rankprism.cli.problems import Problems
from rankprism.cli.progress import evaluating
from rankprism.cli.shared import (
    LOWER_SCORES,
    MEASURE,
    MEASURES_FILE,
    MIXED,
    QRELS,
    QRELS_AND_RUNS,
    RUNS_OR_SCORES,
    collection_options,
    judgment_options,
    measures,
    tied_option,
)
from rankprism.errors import InputError, MeasureError, listed
from rankprism.types import CollectionOptions, RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from rankprism.data import Judgments, Preferences
    from rankprism.evaluation import Collection
    from rankprism.formats import OnError, Source
    from rankprism.formats.aspects.settings import AspectSettings
    from rankprism.results import Scores

#: Said of --mixed beside judgments and runs.
ONLY_SCORES = "--mixed goes with files of scores; scores that are computed now are never mixed; leave it out"


def less(part: Part, *names: str) -> Part:
    """The same without these options, which keep their defaults."""
    return Part(part.run, lambda: without(part.options, *names).values(), opens=part.opens)


def opened(named: Sequence[Any], found: Problems) -> list[Any]:
    """The arguments. Files are opened once for all who look at them, and all that are missing are noted."""
    from rankprism.formats import source_of

    _check_stdin(named)
    first, rest = split_pairs(named)
    pairs = list(named[: len(named) - len(rest)]) if isinstance(first, dict) else []
    sources = [source_of(one) for one in (rest if pairs or first is None else [first, *rest])]
    for source in sources:
        if source.is_file and not source.is_folder:
            with found.noted():
                source.thing.check()
    return [*pairs, *(source.thing for source in sources)]


def _check_stdin(named: Sequence[Any]) -> None:
    if list(map(os.fspath, named)).count("-") > 1:
        raise InputError("standard input (-) can be read only once; name files for the others")


# ── measures ─────────────────────────────────────────────────────────────────────────────────────


def read_measures(measure: Sequence[str] | None, measures_file: Sequence[Path] | None = None) -> list[Any]:
    """The measures that are named, with those from the user's files known."""
    from rankprism.measures import parse_all

    load_measures(measures_file)
    if not measure:
        raise MeasureError(
            "name at least one measure with -m, e.g. -m alpha_nDCG@20; `rankprism measures` lists them"
        )
    return list(parse_all(measure))


def load_measures(measures_file: Sequence[Path] | None) -> None:
    """Make the measures in these files known."""
    if measures_file:
        from rankprism.formats.measure_files import load

        for file in measures_file:
            load(file)


# ── judgments ────────────────────────────────────────────────────────────────────────────────────


@takes(QRELS, judgment_options)
def read_judged(
    files: Sequence[Any] | None = None,
    weights: str | None = None,
    qrels_format: str | None = None,
    columns: Sequence[str] | None = None,
    **described: Any,
) -> Judgments:
    """Judgments as the arguments and options describe them."""
    from rankprism.formats import read_judgments

    source, about = judged_source(files, qrels_format, columns=columns, **described)
    return read_judgments(
        source, format=qrels_format, weights=weights, aspects=about, threads=None, columns=columns or None
    )


def judged_source(
    files: Sequence[Any] | None,
    qrels_format: str | None = None,
    aspects: str | None = None,
    columns: Sequence[str] | None = None,
    **described: Any,
) -> tuple[Any, Any]:
    """What to read judgments from, and its aspects, as `read_judgments` takes them."""
    source, rest = split_pairs(files or [])
    if rest:
        raise InputError(f"{rest[0]}: only judgments are wanted here, and they are named before it")
    every = aspects == "all"
    about, are_all = aspects_of(None if every else aspects, **described)
    if source is None:
        raise InputError("name the judgments: a file, or NAME=FILE for each aspect")
    if qrels_format is not None and about:
        raise InputError(
            "--qrels-format is for judgments without --aspects, --labels, --embed, --given and --lower"
        )
    if about and not are_all:
        from rankprism.formats import source_of, with_columns
        from rankprism.formats.aspects.reading import read_described

        if not isinstance(source, dict):
            source = with_columns(source_of(source), columns or None, "judgments").thing
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


_EXAMPLES = {
    "labels": "stance=no,neutral,yes",
    "embed": "correctness=0,3/2,3",
    "given": "correctness=relevance",
}


def aspects_of(
    names: str | None,
    labels: Sequence[str] | None = None,
    embed: Sequence[str] | None = None,
    given: Sequence[str] | None = None,
    lower: Sequence[str] | None = None,
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


# ── collections ──────────────────────────────────────────────────────────────────────────────────


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
    def runs(self) -> list[Any]:
        """The runs, as functions that do not take a collection take them."""
        return list(self.collection.sources.values())

    @property
    def reading(self) -> dict[str, Any]:
        """How to read the runs, as functions take it that do not take a collection."""
        return {name: getattr(self.collection.reading, name) for name in RunOptions.__annotations__}

    def evaluate(self, measures: Sequence[Any], **more: Any) -> Scores:
        """The scores of the runs, with a bar for whoever waits."""
        from rankprism.evaluation import evaluate

        once = replace(self.collection, is_kept=False)  # a pipe is not kept, because nobody asks for it again
        with evaluating(len(once.sources)) as (on_run, on_share):
            return evaluate(once, measures=measures, on_run=on_run, on_share=on_share, **more)


@takes(QRELS_AND_RUNS, collection_options, opens=True)
def read_collection(
    files: Sequence[Any] | None = None,
    baseline: str | list[str] | None = None,
    on_error: OnError | None = None,
    **options: Any,
) -> Read:
    """Judgments, preferences and runs, as the arguments and options describe them. Nothing is read yet.

    baseline : the name of a run or a file, or several. A file that is not among the runs becomes one of them.
    on_error : called with the name of a run that cannot be read, and the error.
    """
    from rankprism.evaluation import Collection
    from rankprism.evaluation.collection import ALONE

    with Problems() as found:
        named = opened(files or [], found) if on_error is None else _first_opened(files or [])
        _, paths = split_pairs(named)
        if not named:
            raise InputError("name the judgments and then the runs, e.g. qrels.txt runs/*.run")
        if not paths:
            alone = f"; {ALONE}" if options.get("preferences") is not None else ""
            raise InputError(f"name the runs after the judgments{alone}")
    before = named[: len(named) - len(paths)]
    how = {name: value for name, value in options.items() if name in CollectionOptions.__annotations__}
    how["columns"] = how.get("columns") or None
    runs = runs_of(paths, how.get("threads"), on_error, how["columns"])
    names = []
    for one in baselines_of(baseline):
        runs, name = _with_baseline(runs, one, how.get("run_format"))
        names.append(name)
    if not runs:  # with --keep-going
        raise InputError("none of the runs can be read; see the error of each")
    source, how["aspects"] = _judged(before, options)
    return Read(Collection.of(source, cast(Any, runs), on_error=on_error, **how), tuple(names))


def _first_opened(named: Sequence[Any]) -> list[Any]:
    """The arguments, of which only the first is opened, because a run may be missing."""
    _check_stdin(named)
    with Problems() as found:
        return [*opened(named[:1], found), *named[1:]]


def _judged(named: Sequence[Any], options: Mapping[str, Any]) -> tuple[Any, Any]:
    """The judgments or preferences named before the runs, and the aspects of judgments."""
    from rankprism.evaluation.collection import place_of
    from rankprism.formats import source_of, with_columns

    source, _ = split_pairs(named)
    columns = options.get("columns") or None
    given = source_of(source)
    if source is not None and not isinstance(source, dict):
        given = with_columns(given, columns, place_of(columns))
    own = {name: options[name] for name in _OF_JUDGMENTS if options.get(name) is not None}
    is_alone = options.get("preferences") is None and source is not None
    if is_alone and given.are_preferences(options.get("preferences_format")):
        for option in own:
            raise InputError(
                f"--{option.replace('_', '-')} is for absolute judgments, and {os.fspath(named[0])} "
                f"holds preferences; leave it out"
            )
        return given, None
    own.pop("weights", None)
    found, aspects = judged_source(named, columns=columns, **own)
    return given if found is source else found, aspects


#: The options of absolute judgments.
_OF_JUDGMENTS = ("weights", "aspects", "labels", "embed", "given", "lower", "qrels_format")


def runs_of(
    paths: Sequence[Any], threads: int | None = 1, on_error: OnError | None = None, columns: Any = None
) -> list[Source]:
    """The runs of these files. A table, which may hold many, is read here; other files are read later."""
    from rankprism.formats import run_sources

    return list(run_sources(list(paths), threads, on_error, columns).values())


def baselines_of(baseline: str | list[str] | None) -> list[str]:
    return [baseline] if isinstance(baseline, str) else list(baseline or [])


def _with_baseline(runs: list[Source], baseline: str, format: str | None) -> tuple[list[Source], str]:
    """The runs, with the baseline among them, and its name."""
    names = _names(runs, format)
    if baseline in names:
        return runs, baseline
    own = [run for run in runs if getattr(run.thing, "path", None) == baseline]
    if not os.path.exists(baseline) and not own:
        raise _no_such_baseline(baseline, names)
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


def _no_such_baseline(baseline: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"--baseline: no run is named {baseline!r}, and there is no such file; the runs are {listed(names)}"
    )


#: Judgments and runs for a simulation, which makes the preferences, and for one of users, whose profiles have
#: weights of their own.
read_weighted_subtopics = less(read_collection, "topics", "threads", "preferences", "preferences_format")
read_subtopics = less(read_weighted_subtopics, "weights")
#: Judgments of subtopics. Profiles have weights of their own.
read_judged_subtopics = less(read_judged, "weights")


class Measured(NamedTuple):
    """A collection, and the measures to score it with."""

    collection: Read
    measures: list[Any]


@takes(QRELS_AND_RUNS, MEASURE, MEASURES_FILE, read_collection, opens=True)
def read_measured(
    files: Sequence[Any] | None,
    measure: list[str] | None = None,
    measures_file: list[Path] | None = None,
    **collection: Any,
) -> Measured:
    """Judgments, preferences and runs, and the measures that are named."""
    with Problems() as found:
        with found.noted():
            read = read_collection(files=files, **collection)
        with found.noted():
            chosen = read_measures(measure, measures_file)
    return Measured(read, chosen)


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


def changed(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that differ from their defaults."""
    from rankprism.data import Reading
    from rankprism.evaluation.collection import Options

    defaults = {**Options._field_defaults, **Reading._field_defaults}
    return {
        name: value
        for name, value in options.items()
        if value is not defaults.get(name) and not (isinstance(value, str) and value == defaults.get(name))
    }


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores from files, or a collection with the measures to score it with."""

    given: Scores | None = None
    collection: Read | None = None
    measures: tuple[Any, ...] = ()
    tied: Any = None
    #: the names of the runs to compare with
    baselines: tuple[str, ...] = ()

    @cached_property
    def scores(self) -> Scores:
        """The scores, which are computed when somebody asks for them."""
        if self.collection is None:
            return cast("Scores", self.given)
        return self.collection.evaluate(self.measures, tied=self.tied)

    @property
    def baseline(self) -> str | None:
        """The run to compare with, for commands that take one."""
        return next(iter(self.baselines), None)


_SCORES = flag("--scores", "The files hold scores. Default: recognised by the first lines.", group=INPUT)
_WHERE = Option(
    "--where",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Take only these rows of a file of scores that has more columns. Repeatable.",
    group=INPUT,
)


@takes(
    RUNS_OR_SCORES,
    measures("A measure, e.g. alpha_nDCG@20. Default with files of scores: all of them."),
    MEASURES_FILE,
    _SCORES,
    _WHERE,
    MIXED,
    LOWER_SCORES,
    tied_option,
    read_collection,
    opens=True,
)
def read_source(
    files: Sequence[Any] | None = None,
    measure: list[str] | None = None,
    measures_file: list[Path] | None = None,
    scores: bool = False,
    where: list[str] | None = None,
    mixed: bool = False,
    lower: list[str] | None = None,
    tied: Any = None,
    baseline: str | list[str] | None = None,
    **collection: Any,
) -> Scored:
    """Scores from files, or from judgments and runs. These are scored when somebody asks for the scores.

    baseline : names of runs or files, see `read_collection`.
    """
    if not files:
        raise InputError("name judgments and runs, e.g. qrels.txt runs/*.run, or files of scores")
    with Problems() as found:
        named = _first_opened(files)
        others = list(changed(collection))
        if scores or _are_scores(named, others, collection.get("preferences_format")):
            own = {"measures": measures_file, "tied": tied}
            _refuse_options([*others, *(name for name, value in own.items() if value)], named)
            return _read_scores(
                named, measure, _conditions(where or ()), baselines_of(baseline), mixed, lower or ()
            )
        if where:
            raise InputError(
                f"--where chooses rows from files of scores; {os.fspath(named[0])} is taken for judgments; "
                f"if it is a file of scores, add --scores"
            )
        if mixed:
            raise InputError(ONLY_SCORES)
        with found.noted():
            read = read_collection(files=named, baseline=baseline, lower=lower, **collection)
        with found.noted():
            chosen = read_measures(measure, measures_file)
    return Scored(None, read, tuple(chosen), tied, read.baselines)


def read_score_files(
    named: Sequence[Any], measure: list[str] | None, others: list[str], **how: Any
) -> Scores:
    """Scores from files. `others` : options that go with judgments and runs, which are refused."""
    _refuse_options(others, named)
    return _read_scores(named, measure, {}, (), how.get("mixed", False), how.get("lower") or ()).scores


def holds_scores(named: Sequence[Any]) -> bool:
    """Whether the first of these files can only be one of scores."""
    from rankprism.formats import source_of

    given = source_of(split_pairs(named)[0])
    return given.is_file and given.kind == "scores"


def _refuse_options(others: Sequence[str], named: Sequence[Any]) -> None:
    for name in others:
        raise InputError(
            f"--{name.replace('_', '-')} goes with judgments and runs; {os.fspath(named[0])} is taken for a "
            f"file of scores"
        )


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
    if {*set_options} & {*_OF_JUDGMENTS}:
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
) -> Scored:
    from rankprism.formats import read_scores

    files, names = list(named), []
    scores = read_scores(files, where=where, mixed=mixed, lower=lower)
    for baseline in baselines:
        if baseline not in scores.runs:
            if not os.path.exists(baseline):
                raise _no_such_baseline(baseline, scores.runs)
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
    return Scored(scores.select(measures=measure) if measure else scores, baselines=tuple(names))


def _conditions(where: Sequence[str]) -> dict[str, str]:
    conditions = {}
    for text in where:
        column, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--where takes COLUMN=VALUE; got {text!r}")
        conditions[column] = value
    return conditions
