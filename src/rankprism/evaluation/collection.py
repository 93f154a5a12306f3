"""What is scored, and how it is read, as one value that every analysis takes.

A collection is made without numpy, so that reading can begin before numpy is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

from rankprism.data import Reading
from rankprism.errors import InputError, listed, one_of
from rankprism.formats import OnError, Source, left_out, reading_ahead, run_sources, source_of, with_columns
from rankprism.formats.source import check_read_once
from rankprism.types import CollectionOptions, PreferenceOptions, RunOptions, Topics

if TYPE_CHECKING:
    from rankprism.data import Alignment, Judgments, Preferences, Run
    from rankprism.measures import PreferencePool
    from rankprism.results import Scores
    from rankprism.types import JudgmentsLike, PreferencesLike, RunsLike


class Options(NamedTuple):
    """How judgments are read and scores are averaged: `CollectionOptions` without those of `Reading`."""

    weights: Any = None
    aspects: Any = None
    qrels_format: str | None = None
    preferences_format: str | None = None
    topics: Topics = "judged"
    threads: int | None = None
    columns: Any = None

    @property
    def of_judgments(self) -> dict[str, Any]:
        """The options that only absolute judgments have, if they were given."""
        own = {"weights": self.weights, "aspects": self.aspects, "qrels_format": self.qrels_format}
        return {name: value for name, value in own.items() if value is not None}


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Judgments, preferences or both, runs, and how they are read.

    Whatever takes judgments and runs also takes a collection in their place. Files are opened when it is
    made, so that a missing file or a file in the wrong place is refused before anything is read. They are
    read when they are needed: judgments and preferences once, and runs whenever they are scored, so that they
    need not fit into memory together. A pipe is kept in memory.

    Examples
    --------
    >>> collection = Collection.of({"q1": {"d1": 1}}, {"bm25": {"q1": ["d2", "d1"]}})
    >>> collection
    <Collection: judgments, 1 run>
    >>> collection.evaluate(["RR", "P@1"]).mean()
    {'bm25': {'RR': 0.5, 'P@1': 0.0}}
    """

    judged: Source | None  #: where absolute judgments are read from
    preferred: Source | None  #: where preferences are read from
    sources: Mapping[str, Source]  #: where each run is read from, by its name
    reading: Reading  #: how runs are read
    options: Options
    on_error: OnError | None = None
    is_kept: bool = True  #: whether runs may be asked for again, so that pipes are read into memory
    _read: dict[str, Any] = field(default_factory=dict)  #: judgments and preferences, once read
    _whole: dict[str, Source] = field(default_factory=dict)  #: runs that can be read only once, when read

    @classmethod
    def of(
        cls,
        judgments: JudgmentsLike | PreferencesLike | None,
        runs: RunsLike | None = None,
        *,
        on_error: OnError | None = None,
        **options: Unpack[CollectionOptions],
    ) -> Collection:
        """Open judgments and runs, and find out what they are. Either may be None.

        Parameters
        ----------
        judgments, runs, on_error
            As for `rankprism.evaluate`.
        preferences
            Whatever `read_preferences` takes, for measures that need preferences, such as nPrf. A topic
            without judgments of the kind that a measure needs has no score by it (NaN), and is left out of
            its mean.
        weights, aspects
            Settings for judgments with several aspects, see `read_judgments`. With ``aspects="all"``, an
            aspect counts even if no document is relevant to it.
        qrels_format
            Format of the judgments, e.g. "ntcir"; `rankprism convert --help` lists them all. Default:
            recognised by the first lines.
        preferences_format
            Format of the preferences, e.g. "qrels-prefs". Default: recognised by the first line.
        run_format
            Format of the runs, e.g. "trec". Default: recognised by their first lines.
        topics
            Average over all "judged" topics, where a missing one counts as an empty ranking, or over those
            among them that a run has "retrieved".

            Default: "judged".
        order
            How the documents of a topic are ordered: by "score" (descending, ties by document id
            descending), "trec_eval" (the same: the order of trec_eval 10), "trec_eval-9" (the same on 32-bit
            scores), "score-ascending-id" (ties by document id ascending), "rank" (the rank column) or
            "input" (the order of the lines or rows).

            Default: "score".
        duplicates
            What to do when a document occurs twice in a topic: "error", or keep the "first", which is the
            better-ranked one.

            Default: "error".
        run_depth
            Number of documents of each topic that are kept. The ranking is cut before it is scored, as with
            option -M of trec_eval and ndeval. Default: all.
        columns
            Which column of a table is which: ``{"topic": "userId", "grade": "stars"}``, or the roles in the
            order of columns without names, ``"topic,document,grade,-"``; a list says it of judgments and of
            runs. Default: their names say it.
        threads
            Number of threads that read files and compute scores. Default: one for each processor. The scores
            do not depend on it.
        """
        given: dict[str, Any] = dict(options)
        for name in given:
            if name not in CollectionOptions.__annotations__:
                raise TypeError(
                    f"got an unexpected keyword argument {name!r}; the options of a Collection are "
                    f"{listed(sorted(CollectionOptions.__annotations__))}"
                )
        preferences = given.pop("preferences", None)
        reading = Reading.of(
            **{name: given.pop(name) for name in RunOptions.__annotations__ if name in given}
        )
        how = Options(**given)
        one_of("topics", how.topics, Topics)
        _check_formats(how, reading)
        first, second = (
            None if one is None else with_columns(source_of(one), how.columns, place)
            for one, place in ((judgments, place_of(how.columns)), (preferences, "preferences"))
        )
        judged = [source for source in (first, second) if source is not None]
        for source in judged:
            if source.is_file:
                source.thing.check()
        sources = {} if runs is None else run_sources(runs, how.threads, on_error, how.columns)
        check_read_once([*judged, *sources.values()])
        if first is None:
            _check_only_preferences(how)
            return cls(None, second, sources, reading, how, on_error)
        # A format of judgments says that a file holds judgments, whatever it looks like.
        examined = first.form == "value" or (second is None and how.qrels_format is None)
        only = examined and first.are_preferences(how.preferences_format)
        if only and second is not None:
            raise InputError(
                "preferences are given twice; give absolute judgments first, and preferences= (--preferences)"
            )
        if only:
            _check_only_preferences(how)
            return cls(None, first, sources, reading, how, on_error)
        if second is None and how.preferences_format is not None:
            raise InputError("--preferences-format needs preferences; name them with --preferences")
        if first.is_file and first.usual != "judgments" and how.aspects in (None, "all"):
            with _told_alone(second):
                first.format("judgments", how.qrels_format)  # refuses runs and preferences
        return cls(first, second, sources, reading, how, on_error)

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(self.sources)

    @property
    def judgments(self) -> Judgments:
        """The absolute judgments, which are read once."""
        from rankprism.formats import read_judgments

        if self.judged is None:
            raise InputError("absolute judgments are needed here; name them before the runs")
        if "judgments" not in self._read:
            how = self.options
            with _told_alone(self.preferred):
                self._read["judgments"] = read_judgments(
                    cast(Any, self.judged),
                    format=how.qrels_format,
                    weights=how.weights,
                    aspects=how.aspects,
                    threads=how.threads,
                )
        return cast("Judgments", self._read["judgments"])

    @property
    def preferences(self) -> Preferences:
        """The preferences, which are read once."""
        from rankprism.formats import read_preferences

        if self.preferred is None:
            raise InputError(
                "preferences are needed here; name them before the runs, or with --preferences FILE"
            )
        if "preferences" not in self._read:
            found = read_preferences(self.preferred, format=self.options.preferences_format)
            self._read["preferences"] = found
        return cast("Preferences", self._read["preferences"])

    @property
    def pool(self) -> PreferencePool:
        """The preferences, which are counted once."""
        from rankprism.measures import PreferencePool

        if "pool" not in self._read:
            self._read["pool"] = PreferencePool.of(self.preferences)
        return cast("PreferencePool", self._read["pool"])

    def source(self, name: str) -> Source:
        """Where a run is read from. What can be read only once is in memory, if it may be asked for again."""
        found = self.sources[name]
        if not self.is_kept or found.form == "value" or (found.is_file and not found.waits):
            return found
        if name not in self._whole:
            self._whole[name] = source_of(self._run(found, name))
        return self._whole[name]

    def run(self, name: str) -> Run:
        """A whole run."""
        return self._run(self.source(name), name)

    def _run(self, source: Source, name: str) -> Run:
        from rankprism.formats import run_from

        return run_from(source, name, self.reading.run_format, self.reading.duplicates)

    def aligned(self, needs: str = "judgments") -> dict[str, Alignment]:
        """The ranks of the judged documents in every run, with notes on what looks wrong in the runs.

        Runs are joined with what is needed: "judgments", or the documents that "preferences" name.
        """
        from rankprism.data import issue
        from rankprism.evaluation.inspection.runs import notes_of_runs

        judged = self.judgments if needs == "judgments" else self.preferences.named
        found = self.joined(judged)
        issue(notes_of_runs(judged, found, self.reading.order))
        return found

    def joined(self, judged: Judgments, on_run: Callable[[str], None] | None = None) -> dict[str, Alignment]:
        """The same with any judgments, without notes. Runs that cannot be read may be left out."""
        from rankprism.formats.runs import align_source
        from rankprism.statistics import for_each_in_order

        most = self.options.threads or os.cpu_count() or 1
        each = max(1, most // max(1, len(self.sources)))  # with few runs, several threads read each of them
        if all(source.is_file and source.thing.ahead is not None for source in self.sources.values()):
            most = 1  # the core's own threads read all of these files

        def one(name: str) -> Alignment | None:
            with left_out(name, self.on_error):
                alignment = align_source(judged, self.source(name), self.reading, each)
                if on_run is not None:
                    on_run(name)
                return alignment
            return None

        aligned = zip(self.sources, for_each_in_order(one, self.sources, most), strict=True)
        return {name: run for name, run in aligned if run is not None}

    def lists(self, depth: int | None = None) -> Iterator[tuple[str, dict[str, list[str]]]]:
        """The name of each run, and the first documents of its topics in the order of evaluation.

        Parameters
        ----------
        depth
            Number of documents per topic. Default: all of them.

        Examples
        --------
        >>> collection = Collection.of({"q1": {"d1": 1}}, {"bm25": {"q1": ["d2", "d1"]}})
        >>> dict(collection.lists(1))
        {'bm25': {'q1': ['d2']}}
        """
        for name in self.sources:
            yield name, self.run(name).lists(self.reading, depth)

    def keep(self, *, runs: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Collection:
        """The same collection with only these runs, in this order, or with only these topics.

        Judgments and preferences are read to leave out the other topics.

        >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 2}}
        >>> collection = Collection.of(qrels, {"a": {"q1": ["d1"]}, "b": {"q2": ["d1"]}})
        >>> collection.keep(runs=["b"]).runs, collection.keep(topics=["q2"]).judgments.topics
        (('b',), ('q2',))
        """
        found = self
        if runs is not None:
            chosen = tuple(runs)
            for name in chosen:
                if name not in self.sources:
                    raise InputError(f"no run is named {name!r}; there are {listed(self.runs)}")
            found = replace(found, sources={name: self.sources[name] for name in chosen})
        if topics is not None:
            kept = frozenset(topics)
            if self.judged is not None:
                found = found.judged_by(self.judgments.of_topics(kept))
            if self.preferred is not None:
                preferred = source_of(self.preferences.of_topics(kept))
                found = replace(found, preferred=preferred, _read={})
        return found

    def cut(self, depth: int) -> Collection:
        """The same collection, in which a ranking has no more than this number of documents."""
        most = self.reading.run_depth
        return replace(self, reading=self.reading._replace(run_depth=min(depth, most or depth)))

    def judged_by(self, judgments: Judgments) -> Collection:
        """The same runs with other judgments."""
        options = self.options._replace(weights=None, aspects=None, qrels_format=None)
        return replace(self, judged=source_of(judgments), options=options, _read={})

    def with_runs(self, runs: RunsLike) -> Collection:
        """The same judgments with other runs, such as these runs when they have been joined once."""
        return replace(self, sources=run_sources(runs, self.options.threads), _whole={})

    def check_topics(self) -> None:
        """Refuse means over the topics that a run retrieved, for what compares runs topic by topic."""
        if self.options.topics != "judged":
            raise InputError(
                f"topics={self.options.topics!r} takes the mean of each run over topics of its own, and here "
                f"all runs need the same topics; leave it out"
            )

    def evaluate(self, measures: Any = None, **more: Any) -> Any:
        """The scores of the runs, see `rankprism.evaluate`."""
        from rankprism.evaluation.evaluation import evaluate

        return evaluate(self, measures=measures, **more)

    def rescored(self, measures: Any) -> Scores:
        """The scores of a collection that was changed on purpose, without notes on it."""
        from rankprism.evaluation.evaluation import computed

        return computed(self, measures)[0]

    def read_ahead(self) -> AbstractContextManager[object]:
        """A block in which the core's threads read large plain files while Python loads numpy."""
        how, judged, runs = self.options, self.judged, list(self.sources.values())
        asked = (self.preferred, how.aspects, how.qrels_format, self.reading.run_format)
        if judged is None or judged.usual != "judgments" or any(one is not None for one in asked):
            return nullcontext()
        if judged.thing.ahead is not None or any(one.form != "file" for one in runs):
            return nullcontext()  # reading has begun already, or cannot begin
        return reading_ahead(judged.thing, [one.thing for one in runs], self.reading, how.threads)

    def __repr__(self) -> str:
        kinds = [name for name, one in (("judgments", self.judged), ("preferences", self.preferred)) if one]
        number = len(self.sources)
        return f"<Collection: {', '.join(kinds)}, {number} run{'' if number == 1 else 's'}>"


#: Added to an error when the first run may have been read as judgments.
ALONE = "if there are only preferences, name their file before the runs and leave out --preferences"


def collected(
    judgments: Any,
    runs: Any = None,
    *,
    on_error: OnError | None = None,
    without_runs: bool = False,
    **options: Unpack[CollectionOptions],
) -> Collection:
    """A collection, which may have been made already. It then has its runs and options inside.

    without_runs : whether judgments alone are enough.
    """
    if not isinstance(judgments, Collection):
        if runs is None and not without_runs:
            raise TypeError("runs are missing; pass them after the judgments, or pass a Collection")
        return Collection.of(judgments, runs, on_error=on_error, **options)
    for name in (*(["runs"] if runs is not None else []), *options):
        raise TypeError(f"{name} is part of a Collection; make another one with Collection.of")
    return judgments if on_error is None else replace(judgments, on_error=on_error)


def collected_runs(runs: Any, **reading: Unpack[RunOptions]) -> Collection:
    """The same for runs that nobody need have judged."""
    if not isinstance(runs, Collection):
        return Collection.of(None, runs, **reading)
    for name in reading:
        raise TypeError(f"{name} is part of a Collection; make another one with Collection.of")
    return runs


def collected_preferences(
    preferences: Any, runs: Any = None, *, without_runs: bool = False, **options: Unpack[PreferenceOptions]
) -> Collection:
    """The same for preferences, which may look like anything that can hold them."""
    if isinstance(preferences, Collection):
        return collected(preferences, runs, **options)
    if runs is None and not without_runs:
        raise TypeError("runs are missing; pass them after the preferences, or pass a Collection")
    return Collection.of(None, runs, preferences=preferences, **options)


@contextmanager
def _told_alone(preferred: Source | None) -> Iterator[None]:
    """Say in errors of judgments what to do if there are only preferences."""
    try:
        yield
    except InputError as error:
        if preferred is None:
            raise
        raise InputError(f"{error} ({ALONE})") from None


def _check_only_preferences(how: Options) -> None:
    """Refuse options of judgments where there are none."""
    for name in how.of_judgments:
        raise InputError(f"{name} is for absolute judgments, but only preferences are given; leave it out")


def place_of(columns: Any) -> str:
    """Which columns are those of the first source: those of preferences, if only these are described."""
    if columns is None:
        return "judgments"
    from rankprism.formats.table import columns_for

    described = {place: columns_for(columns, place) for place in ("judgments", "preferences")}
    is_preferred = {place for place, one in described.items() if one is not None and one.placed}
    return "preferences" if is_preferred == {"preferences"} else "judgments"


def _check_formats(how: Options, reading: Reading) -> None:
    """Refuse unknown formats, even if nothing is read that they could be of."""
    for place, format in (
        ("judgments", how.qrels_format),
        ("preferences", how.preferences_format),
        ("run", reading.run_format),
    ):
        if format is not None:
            from rankprism.formats.recognition import chosen_format

            chosen_format(place, format)
