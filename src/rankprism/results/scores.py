"""Scores: an array of run × topic × measure, and the conventions under which it was computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankprism._core import sums_over_aspects
from rankprism.data import Note, issue, some, with_notes
from rankprism.errors import InputError, listed
from rankprism.measures.display import canonical_name, canonical_names
from rankprism.results.direction import directions, measure_inside, signs
from rankprism.results.record import Record
from rankprism.results.result import Result
from rankprism.results.table import Cell, Table
from rankprism.text import quoted, shown

if TYPE_CHECKING:
    from rankprism.showing.plots import ScorePlots

#: The words that readers of files of scores take for means in the place of a topic.
_MEANS = ("all", "amean", "mean", "avg", "average")
#: So many digits after the decimal point are as good as all.
_EXACT = 15
MEAN = "all"  #: the name under which the mean is listed among the topics
CONFIDENCE = 0.95  #: of the intervals of means


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """The result of `rankprism.evaluate`. Measures are named by their canonical strings.

    Scores print as a table of means, and `to_csv`, `to_frame` and the others write one row for each score.
    `table` arranges the scores in other ways.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    #: (run, topic, measure); NaN if a run is not evaluated on a topic
    values: npt.NDArray[np.float64] = field(repr=False)
    #: every convention used: order, topics, duplicates, weights, what was left out, and by each measure
    #: whether "higher" or "lower" scores are better, which names say if nothing else does
    conventions: Mapping[str, Any] = field(default_factory=dict)
    #: bounds of each score, in the same shape as `values`; None if the scores are certain
    low: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    high: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    #: what the scores were computed from; None if that is not known
    record: Record | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        # Freeze views, because the caller may still write to the arrays.
        for name in ("values", "low", "high"):
            array = getattr(self, name)
            if array is not None:
                array = array.view()
                array.flags.writeable = False
                object.__setattr__(self, name, array)
        known = directions(self.measures, self.conventions.get("direction", {}))
        object.__setattr__(self, "conventions", {**self.conventions, "direction": known})

    @property
    def about(self) -> Mapping[str, Any]:  # type: ignore[override]
        """The conventions, under the name that every result has for them."""
        return self.conventions

    @property
    def direction(self) -> npt.NDArray[np.float64]:
        """(measure,): 1, or -1 if a lower score is better."""
        return signs(self.measures, self.lower_is_better)

    @property
    def oriented(self) -> npt.NDArray[np.float64]:
        """(run, topic, measure): the scores times `direction`, of which the higher one is always better."""
        return np.asarray(self.values * self.direction)

    @cached_property
    def means(self) -> npt.NDArray[np.float64]:
        """(run, measure): the mean over the topics on which the run is evaluated."""
        means = mean_over_topics(self.values)
        means.flags.writeable = False  # all callers get the same array
        return means

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """(run, measure): the number of topics that each mean is over."""
        counts: npt.NDArray[np.int64] = (~np.isnan(self.values)).sum(1)
        counts.flags.writeable = False
        return counts

    def mean(self) -> dict[str, dict[str, float]]:
        """``{run: {measure: mean over topics}}``"""
        return {
            run: dict(zip(self.measures, map(float, row), strict=True))
            for run, row in zip(self.runs, self.means, strict=True)
        }

    def geometric_mean(self, floor: float = 1e-5) -> dict[str, dict[str, float]]:
        """By run, the geometric mean of each measure over topics, which hard topics change most.

        A single score of 0 would make it 0, so lower scores count as `floor`. With the default and AP, it is
        trec_eval's gm_map, and with Bpref its gm_bpref.

        >>> from rankprism import evaluate
        >>> judged = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> scores = evaluate(judged, {"q1": {"a": 1.0}, "q2": {"x": 2.0, "a": 1.0}}, "AP")
        >>> scores.mean(), scores.geometric_mean()
        ({'run': {'AP': 0.75}}, {'run': {'AP': 0.7071067811865476}})
        """
        if not floor > 0:
            raise InputError(f"floor must be a number above 0; got {floor!r}")
        means = np.exp(mean_over_topics(np.log(np.maximum(self.values, floor))))
        return {
            run: dict(zip(self.measures, row, strict=True))
            for run, row in zip(self.runs, means.tolist(), strict=True)
        }

    def per_topic(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{run: {topic: {measure: score}}}``"""
        return {
            run: {
                topic: dict(zip(self.measures, map(float, row), strict=True))
                for topic, row in zip(self.topics, rows, strict=True)
                if not np.isnan(row).all()
            }
            for run, rows in zip(self.runs, self.values, strict=True)
        }

    def intervals(self, confidence: float = CONFIDENCE) -> dict[str, dict[str, tuple[float, float]]]:
        """``{run: {measure: (low, high)}}``: the confidence interval of each mean, by Student's t.

        The ends are NaN if a run has scores on fewer than 8 topics, because the interval would not hold the
        truth as often as it says, and if all scores are equal.

        >>> scores = Scores(("bm25",), tuple("abcdefgh"), ("AP",), np.arange(8).reshape(1, 8, 1) / 8)
        >>> low, high = scores.intervals()["bm25"]["AP"]
        >>> round(low, 4), round(high, 4)
        (0.1815, 0.6935)
        """
        low, high = self._interval_ends(confidence)
        return {
            run: dict(zip(self.measures, zip(map(float, a), map(float, b), strict=True), strict=True))
            for run, a, b in zip(self.runs, low, high, strict=True)
        }

    def _interval_ends(self, confidence: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """(run, measure) twice: where the interval of each mean begins and ends."""
        if isinstance(confidence, bool) or not 0 < confidence < 1:
            raise InputError(f"confidence must be a number between 0 and 1; got {confidence!r}")
        from rankprism.statistics import t_intervals

        _, margin = t_intervals(self.values, 1 - confidence)
        return self.means - margin, self.means + margin

    @property
    def summary(self) -> Table:
        """The means, with a row for each run and a column for each measure."""
        return self.table().summary

    @property
    def rows(self) -> Table:
        """One row for each score: run, topic, measure, score, and low and high if there are bounds."""
        return self.table(per_topic=True, means=False).rows

    def table(
        self,
        *,
        per_topic: bool = False,
        means: bool = True,
        wide: bool | None = None,
        intervals: bool | float = False,
    ) -> ScoreTable:
        """Arrange the scores in another way. The table is a result, too.

        Parameters
        ----------
        per_topic
            Show the scores on every topic, followed by the means of each run.
        means
            Whether to show the means, under the topic "all".
        wide
            True for one column per measure, False for one row per score. Default: True in formats that people
            read, False in the others.
        intervals
            Show the interval of each mean, see `intervals`. A number is its confidence. Default: 95 %.

        Examples
        --------
        >>> values = np.array([[[0.5, 1.0], [0.25, 0.0]]])
        >>> scores = Scores(("bm25",), ("1", "2"), ("AP", "P@5"), values)
        >>> print(scores.table(per_topic=True, wide=True).to_csv())
        run,topic,AP,P@5
        bm25,1,0.5,1.0
        bm25,2,0.25,0.0
        bm25,all,0.375,0.5
        <BLANKLINE>
        """
        confidence = CONFIDENCE if intervals is True else intervals or None
        return ScoreTable(self, per_topic, means, wide, confidence)

    def _rounded(self, rows: Table, digits: int | None) -> Table:
        return _saying_digits(rows, digits)

    @property
    def plot(self) -> ScorePlots:
        """Charts of these scores, as `rankprism plot` draws them, such as ``scores.plot.intervals()``.

        ``dir(scores.plot)`` lists them.
        """
        import rankprism

        # Ask the package, which loads its rooms lazily: this module must not import a layer above its own.
        return rankprism.plots.ScorePlots(self)

    def to_trec(self, *, digits: int | None = None) -> str:
        """The scores on every topic in the format of trec_eval. Default of `digits`: full precision."""
        return self.table(per_topic=True).to_trec(digits=digits)

    def sorted(self, by: str) -> Scores:
        """Sort the runs by a measure, the best first, or by name ("run")."""
        if by == "run":
            return self.select(runs=sorted(self.runs))
        alike = [by] if by in self.measures else _same_measures(by, self.measures)
        if len(alike) != 1:
            raise InputError(f"cannot sort by {by!r}; sort by run, or by one of {listed(self.measures)}")
        m = self.measures.index(alike[0])
        means = self.means[:, m] * self.direction[m]
        # A run without any score comes last. Runs with equal means keep their order.
        order = np.argsort(np.where(np.isnan(means), np.inf, -means), kind="stable")
        return self.select(runs=[self.runs[r] for r in order])

    def select(
        self,
        *,
        runs: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        measures: Iterable[Any] | None = None,
    ) -> Scores:
        """Select the scores of some runs, topics or measures, in the order in which they are named.

        Any spelling of a measure works: α-nDCG@20 selects alpha_nDCG@20, and vice versa.
        """
        r = _positions("run", self.runs, runs)
        t = _positions("topic", self.topics, topics)
        m = _positions("measure", self.measures, measures)
        block = np.ix_(r, t, m)
        low, high = (None if array is None else array[block] for array in (self.low, self.high))
        return Scores(
            tuple(self.runs[i] for i in r),
            tuple(self.topics[i] for i in t),
            tuple(self.measures[i] for i in m),
            self.values[block],
            self.conventions,
            low,
            high,
            self.record,
        )

    def complete(self) -> Scores:
        """Keep the topics on which every run has a score by every measure, for paired analyses."""
        whole = np.asarray(~np.isnan(self.values).any((0, 2)))
        if whole.all():
            return self
        if not whole.any():
            without = [
                f"{quoted(self.runs[r])} has none by {self.measures[m]}"
                for r, m in np.argwhere(np.isnan(self.values).all(axis=1)).tolist()
            ]
            raise InputError(
                "there is no topic on which every run has a score by every measure"
                + (f" ({'; '.join(without[:3])}{'; …' * (len(without) > 3)})" if without else "")
                + "; leave out the runs or measures that lack most"
            )
        missing = [topic for topic, kept in zip(self.topics, whole, strict=True) if not kept]
        note = Note(
            "topics-left-out",
            f"{len(missing)} of {len(self.topics)} topics are left out, because a run has no score there: "
            f"{some(missing)}",
            len(missing),
            missing[0],
        )
        issue([note])
        kept = self.select(topics=[topic for topic, kept in zip(self.topics, whole, strict=True) if kept])
        conventions = {**self.conventions, "topics left out": missing}
        return replace(kept, conventions=with_notes(conventions, [note]))

    def risk(self, baseline: str, alpha: float = 1.0) -> Scores:
        """Add U_RISK after each measure: the difference from a baseline run, with losses weighted more.

        U_RISK is the mean over topics of Δ if Δ ≥ 0 and of (1 + α) Δ if Δ < 0, where Δ = score(run) -
        score(baseline), as in ndeval and gdeval for the TREC Web tracks 2013 and 2014. A loss counts 1 + α
        times as much as a win. The baseline itself scores 0. If a lower score is better, Δ is
        score(baseline) - score(run), so a higher U_RISK is always better.

        >>> values = np.array([[[0.5], [0.5]], [[0.75], [0.25]]])
        >>> print(Scores(("bm25", "dense"), ("1", "2"), ("AP",), values).risk("bm25"))
        run        AP  URisk(AP,alpha=1)
        ────────────────────────────────
        bm25   0.5000             0.0000
        dense  0.5000            -0.1250
        """
        if baseline not in self.runs:
            raise InputError(f"no run is named {baseline!r}; there are {listed(self.runs)}")
        if not alpha >= 0:
            raise InputError(f"the risk alpha must be a number ≥ 0; got {alpha!r}")
        difference = (self.values - self.values[self.runs.index(baseline)]) * self.direction + 0.0  # no -0
        weighted = np.where(difference < 0, (1 + alpha) * difference, difference)
        names = [(measure, f"URisk({measure},alpha={alpha:g})") for measure in self.measures]
        unknown = np.full_like(weighted, np.nan)  # the bounds of U_RISK are not known

        def beside(scores: npt.NDArray[np.float64] | None, risk: Any) -> npt.NDArray[np.float64] | None:
            return None if scores is None else np.stack([scores, risk], -1).reshape(*scores.shape[:2], -1)

        values, low, high = (
            beside(self.values, weighted),
            beside(self.low, unknown),
            beside(self.high, unknown),
        )
        assert values is not None
        conventions = dict(self.conventions) | {"baseline": baseline, "risk alpha": alpha}
        return Scores(
            self.runs, self.topics, tuple(sum(names, ())), values, conventions, low, high, self.record
        )

    def __repr__(self) -> str:
        shape = f"{len(self.runs)} runs × {len(self.topics)} topics × {len(self.measures)} measures"
        return f"<Scores {shape}>\n{self}"


#: The numbers of a run and a topic. None instead of a topic is the mean over topics.
_Place: TypeAlias = tuple[int, int | None]
#: Approximate number of rows that are made at a time.
_ROWS = 1 << 18
#: The columns of the intervals of means. `low` and `high` are bounds of scores.
_INTERVAL = ("interval low", "interval high")


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Result):
    """Scores in the arrangement that `Scores.table` was asked for."""

    claims = ("a mean",)
    scores: Scores
    per_topic: bool = False
    with_means: bool = True
    wide: bool | None = None
    confidence: float | None = None  #: of the intervals of means, if there are any

    @property
    def about(self) -> Mapping[str, Any]:  # type: ignore[override]
        if not self.confidence:
            return self.scores.conventions
        from rankprism.statistics import CLAIMS

        missing = CLAIMS["a mean"].missing(int(self.scores.counts.max(initial=0)))
        said = {"none because": missing} if missing is not None else {"method": "Student's t over topics"}
        return {**self.scores.conventions, "intervals": {"confidence": self.confidence, **said}}

    @property
    def record(self) -> Record | None:  # type: ignore[override]
        """What the scores were computed from. Means cannot be read again, so they need no record."""
        return self.scores.record if self.per_topic else None

    @property
    def note(self) -> str:
        if not self.confidence:
            return ""
        from rankprism.statistics import said_beyond

        scores = self.scores
        level = f"{100 * self.confidence:g} %"
        said = f"Brackets hold {level} intervals of the means, by Student's t over topics."
        beyond = said_beyond(scores.measures, scores.values, *scores._interval_ends(self.confidence))
        return f"{said} {beyond}".strip()

    @property
    def measures(self) -> tuple[str, ...]:
        return self.scores.measures

    @cached_property
    def _arrays(self) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
        """Scores and, if there are any, their bounds, for (run, topic, measure) and for the means."""
        scores = self.scores
        arrays = {"score": (scores.values, scores.means)}
        if scores.low is not None and scores.high is not None:
            for name, bound in (("low", scores.low), ("high", scores.high)):
                arrays[name] = (bound, mean_over_topics(bound))
        if self.confidence:
            ends = scores._interval_ends(self.confidence)
            for name, end in zip(_INTERVAL, ends, strict=True):
                arrays[name] = (np.broadcast_to(np.nan, scores.values.shape), end)
        return arrays

    def _places(self) -> Iterator[_Place]:
        """Yield the run and topic of each line. The mean follows the topics of its run."""
        for r in range(len(self.scores.runs)):
            if self.per_topic:
                for t in np.flatnonzero(~np.isnan(self.scores.values[r]).all(-1)).tolist():
                    yield r, t
            if self.with_means:
                yield r, None

    def _lines(self, name: str, places: Iterable[_Place]) -> list[list[float]]:
        """The scores of all measures, or their bounds, line by line."""
        values, means = self._arrays[name]
        return [(means[r] if t is None else values[r, t]).tolist() for r, t in places]

    def _rounded(self, rows: Table, digits: int | None) -> Table:
        return _saying_digits(rows, digits) if self.per_topic else rows.rounded(digits)

    def _ids(self, places: Sequence[_Place], topics: bool) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"run": [self.scores.runs[r] for r, _ in places]}
        if topics:
            columns["topic"] = [MEAN if t is None else self.scores.topics[t] for _, t in places]
        if topics and self.per_topic and any(topic.casefold() in _MEANS for topic in self.scores.topics):
            # Otherwise a reader could not tell a topic of this name from a mean.
            columns["kind"] = ["mean" if t is None else "topic" for _, t in places]
        return columns

    @property
    def summary(self) -> Table:
        if self.wide is False:
            rows = self.rows
            return rows if self.per_topic else replace(rows, columns=_without(rows.columns, "topic"))
        places = list(self._places())
        columns = self._ids(places, topics=self.per_topic)
        lines = {name: self._lines(name, places) for name in self._arrays}
        best = self._best()
        for m, measure in enumerate(self.measures):
            cells: list[Any] = [
                Cell(line[m], best=bool(best[r, m]) and t is None)
                for line, (r, t) in zip(lines["score"], places, strict=True)
            ]
            if self.confidence:
                ends = zip(*(lines[name] for name in _INTERVAL), strict=True)
                cells = [
                    cell._replace(between=(low[m], high[m])) if t is None else cell
                    for cell, (low, high), (_, t) in zip(cells, ends, places, strict=True)
                ]
            elif self._uncertain[m]:
                ends = zip(lines["low"], lines["high"], strict=True)
                cells = [
                    cell._replace(between=(low[m], high[m]))
                    for cell, (low, high) in zip(cells, ends, strict=True)
                ]
            columns[measure] = cells
        for title, m in self._counted.items():
            counts = self.scores.counts[:, m].tolist()
            columns[title] = [counts[r] if t is None else None for r, t in places]
        return Table(columns)

    @property
    def _counted(self) -> dict[str, int]:
        """The columns that say how many topics the means are over, if that differs: title, and a measure."""
        counts = self.scores.counts
        if not self.with_means or (counts == counts.ravel()[:1]).all():
            return {}
        alike: dict[tuple[int, ...], list[int]] = {}
        for m in range(len(self.measures)):
            alike.setdefault(tuple(counts[:, m].tolist()), []).append(m)
        if len(alike) == 1:
            return {"topics": 0}
        return {
            f"topics of {listed([self.measures[m] for m in same], 2)}": same[0] for same in alike.values()
        }

    @property
    def _uncertain(self) -> list[bool]:
        """Whether each measure needs brackets, because the bounds of a score differ in print."""
        scores = self.scores
        if scores.low is None or scores.high is None:
            return [False] * len(self.measures)
        wide = np.nanmax(scores.high - scores.low, axis=(0, 1), initial=0.0) >= 5e-5
        return [bool(x) for x in wide]

    def _best(self) -> npt.NDArray[np.bool_]:
        """(run, measure): whether a mean is the best of its measure, as printed, among several runs."""
        means = self.scores.means
        if len(means) < 2 or self.per_topic:
            return np.zeros(means.shape, dtype=bool)
        oriented = means * self.scores.direction
        best = np.where(np.isnan(means), -np.inf, oriented).max(0)
        counts = self.scores.counts
        comparable = (counts == counts[0]).all(0)  # means over different topics do not say which run is best
        return np.asarray((oriented >= best - 5e-5) & comparable)

    @property
    def rows(self) -> Table:
        return self._rows(list(self._places()))

    def row_blocks(self) -> Iterator[Table]:
        places = self._places()
        at_once = max(1, _ROWS // max(1, len(self.measures)))
        some = list(islice(places, at_once))
        yield self._rows(some)
        while some := list(islice(places, at_once)):
            yield self._rows(some)

    def _rows(self, places: Sequence[_Place]) -> Table:
        columns = self._ids(places, topics=True)
        if self.wide:
            for name in self._arrays:
                for m, measure in enumerate(self.measures):
                    title = measure if name == "score" else f"{measure} {name}"
                    columns[title] = [line[m] for line in self._lines(name, places)]
            if not self.per_topic:
                for title, m in self._counted.items():
                    columns[title] = [int(self.scores.counts[r, m]) for r, _ in places]
            return Table(columns)
        n = len(self.measures)
        long: dict[str, list[Any]] = {
            name: [x for x in ids for _ in range(n)] for name, ids in columns.items()
        }
        long["measure"] = list(self.measures) * len(columns["run"])
        for name in self._arrays:
            long[name] = [x for line in self._lines(name, places) for x in line]
        if self._counted and not self.per_topic:
            long["topics"] = [n for r, _ in places for n in self.scores.counts[r].tolist()]
        # A missing score of a topic has no row. An undefined mean has one.
        is_mean = [t is None for _, t in places for _ in range(n)]
        kept = [not np.isnan(x) or mean for x, mean in zip(long["score"], is_mean, strict=True)]
        return Table({name: list(compress(column, kept)) for name, column in long.items()})

    def to_trec(self, *, digits: int | None = None) -> str:
        """Lines of measure, topic and score, as trec_eval prints them. A run ends with its name and means."""
        if self.wide:
            raise InputError(
                "trec_eval prints one line for each score; leave out wide, or choose another format"
            )
        lines = []
        places = list(self._places())
        for (r, t), values in zip(places, self._lines("score", places), strict=True):
            topic = MEAN if t is None else shown(self.scores.topics[t], None)
            if t is None:
                lines.append(f"{'runid':<22}\t{MEAN}\t{shown(self.scores.runs[r], None)}")
            named = list(zip(self.measures, values, strict=True))
            if t is None and self.confidence:
                for name in _INTERVAL:
                    ends = self._lines(name, [(r, t)])[0]
                    named += [(f"{m}:{name[9:]}", x) for m, x in zip(self.measures, ends, strict=True)]
            for measure, x in named:
                lines.append(f"{measure:<22}\t{topic}\t{repr(x) if digits is None else f'{x:.{digits}f}'}")
        return "\n".join(lines) + "\n"


def _saying_digits(rows: Table, digits: int | None) -> Table:
    """Rounded scores of topics, with a column that tells readers that they are rounded."""
    rounded = rows.rounded(digits)
    if digits is None or digits >= _EXACT:
        return rounded
    return replace(rounded, columns={**rounded.columns, "digits": [digits] * len(rounded)})


def _without(columns: Mapping[str, Sequence[Any]], name: str) -> dict[str, Sequence[Any]]:
    return {other: column for other, column in columns.items() if other != name}


def _positions(what: str, names: Sequence[str], wanted: Iterable[str] | None) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    where = {name: place for place, name in enumerate(names)}
    chosen = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
    found = []
    if what == "measure":
        chosen = [name for text in map(str, chosen) for name in ([text] if text in where else _each(text))]
    for name in map(str, chosen):
        alike = [name] if name in where else _same_measures(name, names) if what == "measure" else []
        if not alike:
            raise InputError(f"there is no {what} {name!r}; there are {listed(names)}")
        if len(alike) > 1:
            raise InputError(f"the measure {name!r} can be {' or '.join(alike)}; write one of these")
        found.append(where[alike[0]])
    return list(dict.fromkeys(found))


def _each(text: str) -> list[str]:
    """The names in a text that names several measures, and otherwise the text itself."""
    several = canonical_names(text)
    return several if len(several) > 1 else [text]


def _same_measures(name: str, names: Sequence[str]) -> list[str]:
    """The names that are other spellings of this measure.

    If there are none, the names of its scores over tied documents, or of its estimates.
    """
    canonical = canonical_name(name)
    alike = [other for other in names if canonical_name(other) == canonical]
    return alike or [other for other in names if canonical_name(measure_inside(other)) == canonical]


def mean_over_topics(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Average (run, topic, measure) to (run, measure), leaving NaN out."""
    counted = ~np.isnan(values)
    # The core adds topic after topic. In numpy, the order depends on the number of runs and measures.
    total = sums_over_aspects(np.where(counted, values, 0.0), np.ones(values.shape[:2]))
    with np.errstate(invalid="ignore"):  # NaN for a run without any score
        return np.asarray(total / counted.sum(1))


def as_listed(topic: str) -> tuple[bool, int, str]:
    """Sort key that orders topics as judgments do: whole numbers first, by value, and then the rest."""
    number = topic.isascii() and topic.isdigit() and len(topic) < 1000
    return not number, int(topic) if number else 0, topic
