"""What functions take: the types of their inputs, by the names that their signatures have.

For readers and type checkers. What each function accepts is checked where it is read, in `rankprism.formats`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

if TYPE_CHECKING:
    import ir_measures

    from rankprism.data.judgments import Judgments
    from rankprism.data.preferences import Preferences
    from rankprism.data.run import Run
    from rankprism.measures import Measure
    from rankprism.results.scores import Scores

Path: TypeAlias = str | os.PathLike[str]


class Frame(Protocol):
    """A data frame of pandas, polars or pyarrow, or one that narwhals knows."""

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
#: What `read_run` takes: a path, ``{topic: {doc: score}}``, rows or a frame; `Run` of ranx, and `TrecRun` of
#: trectools.
RunLike: TypeAlias = Union["Run", Path, Mapping[Any, Mapping[Any, float]], Iterable[Row], Frame, ArrowStream]
#: One run, a list of runs, or ``{name: run}``.
RunsLike: TypeAlias = RunLike | Sequence[RunLike] | Mapping[str, Any]
#: What `read_scores` takes: what `evaluate` returns, a path or several, a frame, or
#: ``{run: {topic: {measure: score}}}``.
ScoresLike: TypeAlias = Union["Scores", Path, Sequence[Path], Mapping[Any, Any], Frame, ArrowStream]
#: A measure as a value, as its name, or as an object of ir_measures.
MeasureLike: TypeAlias = Union["Measure", str, "ir_measures.Measure"]
#: One measure or several.
MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike]
#: What `read_judgments` takes as weights: a path or a word, ``{topic: {aspect: weight}}``,
#: ``{aspect: weight}``, rows or a frame.
WeightsLike: TypeAlias = Path | Mapping[Any, Any] | Iterable[Row] | Frame
#: What `read_judgments` takes as aspects: their names, ``{name: settings}``, or the word "all".
AspectsLike: TypeAlias = Sequence[Any] | Mapping[str, Any]
