"""The types of the arguments of functions, by the names that signatures use.

A type whose values are a few words is a `Literal`. The check at run time (`errors.one_of`), the help and the
completion of the shell read its words from there, so they are written only once. Words that are the keys of a
table of functions, such as the tests of `compare`, are checked against the table. The values of other types
are checked where they are read, in `rankprism.formats`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
    Union,
    get_args,
)

if TYPE_CHECKING:
    import ir_measures

    from rankprism.data import Judgments, Preferences, Run
    from rankprism.evaluation import Collection
    from rankprism.measures import Measure
    from rankprism.results import Scores

_Fact = TypeVar("_Fact")

Path: TypeAlias = str | os.PathLike[str]


class Frame(Protocol):
    """A data frame of pandas, polars or pyarrow, or any other that narwhals supports."""

    @property
    def columns(self) -> Any: ...


class ArrowStream(Protocol):
    """A table that gives an Arrow stream, such as a pyarrow reader or a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


#: A row of judgments or of a run: a tuple in the order of the columns, or a mapping by their names.
Row: TypeAlias = Sequence[Any] | Mapping[str, Any]
#: What `read_judgments` takes: a path, ``{aspect: path}``, ``{topic: {aspect: {doc: grade}}}``,
#: ``{topic: {doc: grade}}``, rows or a frame; a dataset of ir_datasets or its id, `Qrels` of ranx, and
#: `TrecQrel` of trectools.
JudgmentsLike: TypeAlias = Union["Judgments", Path, Mapping[Any, Any], Iterable[Row], Frame, ArrowStream]
#: What `read_preferences` takes: a path, rows or a frame.
PreferencesLike: TypeAlias = Union["Preferences", Path, Iterable[Row], Frame, ArrowStream]
#: What `read_run` takes: a path, ``{topic: {doc: score}}``, ``{topic: [doc, …]}``, rows or a frame; `Run` of
#: ranx, and `TrecRun` of trectools.
RunLike: TypeAlias = Union[
    "Run", Path, Mapping[Any, Mapping[Any, float] | Sequence[Any]], Iterable[Row], Frame, ArrowStream
]
#: One run, a list of runs, a folder of runs, or ``{name: run}``.
RunsLike: TypeAlias = RunLike | Sequence[RunLike] | Mapping[str, Any]
#: What `read_scores` takes: what `evaluate` returns, a path or several, a frame, or
#: ``{run: {topic: {measure: score}}}``. Analyses also take a `Collection`, with measures to score it with.
ScoresLike: TypeAlias = Union[
    "Scores", "Collection", Path, Sequence[Path], Mapping[Any, Any], Frame, ArrowStream
]
#: A measure as a value, as its name, or as an object of ir_measures.
MeasureLike: TypeAlias = Union["Measure", str, "ir_measures.Measure"]
#: One measure or several.
MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike]
#: What `read_judgments` takes as weights: a path or a word, ``{topic: {aspect: weight}}``,
#: ``{aspect: weight}``, rows or a frame.
WeightsLike: TypeAlias = Path | Mapping[Any, Any] | Iterable[Row] | Frame
#: What `read_judgments` takes as aspects: their names, ``{name: settings}``, or the word "all".
AspectsLike: TypeAlias = Sequence[Any] | Mapping[str, Any]

#: How the documents of a topic are ordered.
Order: TypeAlias = Literal["score", "trec_eval", "trec_eval-9", "score-ascending-id", "rank", "input"]
#: What to do with a document that a run has twice in a topic.
Duplicates: TypeAlias = Literal["error", "first"]
#: Which topics are averaged over.
Topics: TypeAlias = Literal["judged", "retrieved"]
#: Which score a ranking with ties gets: over all orders of tied documents, the expectation, the lowest, the
#: highest, or all three.
Tied: TypeAlias = Literal["expected", "lowest", "highest", "all"]
#: The tests of `rankprism.compare`, a line that tests/support/stubs.py writes, and its corrections for many
#: pairs.
TestName: TypeAlias = Literal["t", "wilcoxon", "fisher", "bootstrap", "tukey", "anova-tukey", "dunnett"]
Correction: TypeAlias = Literal["none", "holm", "bonferroni", "bh", "max-t"]
#: The tests of discriminative power and of intuitiveness, and the coefficients of correlation.
MethodName: TypeAlias = Literal["bootstrap", "tukey", "t"]
IntuitivenessTest: TypeAlias = Literal["topics", "sakai"]
Coefficient: TypeAlias = Literal["tau-b", "tau-a", "tau-ap", "tau-ap-symmetric", "spearman", "rbo"]
#: What a gate does if it cannot tell whether a run became worse: report it, pass or fail.
CannotTell: TypeAlias = Literal["report", "pass", "fail"]
#: How a comparison of approaches deals with topics on which every run scores 0.
Zeros: TypeAlias = Literal["count", "drop"]
#: By whose preferences runs are scored, and what another study would draw anew.
Group: TypeAlias = Literal["assessor", "profile"]
Over: TypeAlias = Literal["assessors", "topics", "both"]
#: How a leaderboard combines several collections, and what another board would draw anew.
Combine: TypeAlias = Literal["means", "topics", "borda"]
Redrawn: TypeAlias = Literal["topics", "collections"]
#: What scores from few labels are about: these topics, or topics like these.
TopicsMeant: TypeAlias = Literal["these", "like-these"]
#: Which aspects of a topic count if few labels are known: all, or None for those with a relevant document.
CountedAspects: TypeAlias = Literal["all"]
#: What the intervals of strengths by people and judges are about: other topics and answers, or other answers.
AnswersOver: TypeAlias = Literal["topics", "answers"]
#: What determines the order of a topic's documents.
Decider: TypeAlias = Literal["bradley-terry", "wins"]
#: How ties count for strengths.
TieModel: TypeAlias = Literal["half", "davidson"]
#: In a simulation: which documents may be shown, how ties are judged, and what users do not want again.
PoolName: TypeAlias = Literal["retrieved", "judged", "relevant"]
Ties: TypeAlias = Literal["half", "drawn"]
Novelty: TypeAlias = Literal["subtopic", "profile"]
#: Whose complete preferences a sample is compared with.
Target: TypeAlias = Literal["profiles", "trec"]
#: How questions are chosen by `rankprism.preferences.select`, and in a study.
Choice: TypeAlias = Literal["random", "targeted", "adaptive"]
StudyChoice: TypeAlias = Literal["complete", "random", "file", "adaptive", "drawn"]
#: What a study asks, and what it does with a ranked document without a text.
Ask: TypeAlias = Literal["pairs", "triplets", "both", "grades"]
Missing: TypeAlias = Literal["error", "skip"]
#: Who judges a pair in both orders: nobody, the same assessors, or different ones.
BothOrders: TypeAlias = Literal["no", "same", "different"]
#: The formats of charts.
ChartFormat: TypeAlias = Literal["html", "svg", "png", "pdf"]


class AtLeast(NamedTuple):
    """The smallest value that a number may have."""

    least: int


class Called(NamedTuple):
    """What the help of a command calls a value, such as URL."""

    word: str


class KeyOf(NamedTuple):
    """The table whose keys are the words of an argument: its module and its name. Others may add to it."""

    table: str


def fact(kind: type[_Fact], hint: Any) -> _Fact | None:
    """What a type such as ``Positive | None`` says about its values, e.g. ``AtLeast(1)``; None if nothing."""
    facts = [about for one in (hint, *get_args(hint)) for about in getattr(one, "__metadata__", ())]
    return next((about for about in facts if isinstance(about, kind)), None)


#: Whole numbers from 0, and from 1.
Natural: TypeAlias = Annotated[int, AtLeast(0)]
Positive: TypeAlias = Annotated[int, AtLeast(1)]
#: The name of one of the measures of scores. A command names measures with -m, so this is not an option.
MeasureName: TypeAlias = Annotated[str, "not an option"]
#: The formats of files, which docs/formats.md lists.
QrelsFormat: TypeAlias = Annotated[str, KeyOf("formats.known:JUDGMENT_FORMATS"), Called("FORMAT")]
PreferencesFormat: TypeAlias = Annotated[str, KeyOf("formats.known:PREFERENCE_FORMATS"), Called("FORMAT")]
RunFormat: TypeAlias = Annotated[str, KeyOf("formats.known:RUN_FORMATS"), Called("FORMAT")]
#: A format of judgments, preferences or runs. Which of them are meant depends on the other arguments.
FileFormat: TypeAlias = Annotated[str, Called("FORMAT")]


class RunOptions(TypedDict, total=False):
    """How runs are read: keyword arguments of functions that take runs alone, such as `judges.select`.

    With `CollectionOptions`, type checkers would let them take weights, which no run has.
    `rankprism.Collection.of` explains them, and `rankprism.data.reading.Reading` has their defaults.
    """

    order: Order
    duplicates: Duplicates
    run_format: RunFormat | None
    run_depth: Positive | None


class PreferenceOptions(RunOptions, total=False):
    """How preferences and runs are read: keyword arguments of analyses of preferences.

    `CollectionOptions` has a key `preferences`, and here this is the name of the first argument.
    """

    topics: Topics
    threads: Positive | None
    preferences_format: PreferencesFormat | None


#: Which column of a table is which: names by role, or roles in the order of the columns. Both may be text.
ColumnsLike: TypeAlias = str | Mapping[str, str] | Sequence[str | Mapping[str, str]]


class CollectionOptions(PreferenceOptions, total=False):
    """How judgments, preferences and runs are read: keyword arguments of `rankprism.Collection.of`.

    Its docstring explains them. `rankprism.evaluation.collection.Options` and
    `rankprism.data.reading.Reading` have their defaults.
    """

    preferences: PreferencesLike | None
    weights: WeightsLike | None
    aspects: AspectsLike | None
    qrels_format: QrelsFormat | None
    columns: ColumnsLike | None


class SimulationOptions(CollectionOptions, total=False):
    """What simulated users see and how they judge, and how the collection is read.

    They are keyword arguments of experiments. `rankprism.preferences.simulate` explains them, and
    `rankprism.preferences.simulation.Simulation` has their defaults.
    """

    documents: Annotated[int, AtLeast(2)]
    pool: PoolName
    ties: Ties
    novelty: Novelty
    seed: Natural
