"""Compares approaches to several aspects, such as CAM, MM and TOMA, on a collection.

The comparison looks at how they rank the runs, which pairs of runs they tell apart, and which documents the
runs have that each approach finds best (Maistro et al. 2021, section 4.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, Unpack, get_args

import numpy as np

from rankprism.data import Alignment, Bools, Floats, Judgments, batches
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.evaluation import Collection, collected, evaluate
from rankprism.measures import Measure, Role, parse, parse_all
from rankprism.measures.known.combine import Aspect
from rankprism.meta import (
    Correlation,
    DiscriminativePower,
    Sampled,
    check_confidence,
    correlation,
    power,
    without_one,
)
from rankprism.results import Cell, Result, Scores, Table
from rankprism.statistics import Share, part_of
from rankprism.types import (
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    Natural,
    Positive,
    RunsLike,
    Zeros,
)

#: The approaches that Maistro et al. (2021) compare.
APPROACHES = ("CAM", "MM", "EUCL", "MANH", "CHEB")
#: What to do with a topic on which every run scores 0 by an approach.
ZEROS: tuple[Zeros, ...] = get_args(Zeros)
_TIED = 1e-12
_NOT_SHARED = (
    "approaches are compared over several aspects that all topics share, such as relevance and credibility, "
    "and the topics of these judgments do not share such aspects; name the aspects with aspects= (--aspects)"
)


def compare(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike = ("nDCG", "AP"),
    *,
    approaches: Sequence[str] | Mapping[str, str | Measure] = APPROACHES,
    trash: Positive = 5,
    depths: Sequence[int] = (25, 50, 75, 100),
    zeros: Zeros = "count",
    alpha: float = 0.01,
    resamples: Positive = 10_000,
    seed: Natural = 0,
    intervals: float = 0.95,
    on_share: Share | None = None,
    **options: Unpack[CollectionOptions],
) -> ApproachComparison:
    """Compare approaches to several aspects: correlation, discriminative power, and their best runs.

    Correlations are Kendall's τ_b between rankings of the runs, topic by topic, averaged over the topics
    where it is defined. Documents are counted in the best run of each topic by each approach with the measure
    at the cutoff `trash`, or at the last of the depths. Runs that tie for the best count in equal shares. An
    unjudged document has the lowest label on every aspect. A label sum adds the places of a document's labels
    on their scales, where neighbouring labels are one unit apart unless `embed` says otherwise.

    Parameters
    ----------
    judgments, runs, **options
        As for `rankprism.evaluate`. All topics must have the same aspects.
    measures
        The single-aspect measures that all approaches are applied to.
    approaches
        Measures that take a measure, such as "CAM" or "TOMA(tuples='seen')"; or a mapping of names to them.
        EUCL, MANH and CHEB are TOMA with the Euclidean, Manhattan and Chebyshev distance.
    trash
        Count documents with the lowest label on every aspect down to this rank.
    depths
        The last ranks of the bands of label sums, separated by commas.
    zeros
        A topic on which every run scores 0 by an approach: count it, with all runs in equal shares, or drop
        it for this approach.
    alpha
        Significance level.
    resamples
        Number of resamples.
    seed
        Seed for the random numbers. The same seed gives the same result.
    intervals
        Confidence of the intervals over topics. 0 leaves the intervals out.

    Examples
    --------
    >>> from rankprism import read_judgments
    >>> judged = read_judgments(
    ...     {"q": {"relevant": {"a": 1, "b": 2}, "correct": {"a": 1, "b": 0}}},
    ...     aspects=["relevant", "correct"],
    ... )
    >>> two = {"one": {"q": {"b": 2.0, "c": 1.0}}, "two": {"q": {"a": 2.0, "c": 1.0}}}
    >>> found = compare(judged, two, "nDCG", approaches=["CAM", "MM"], trash=2, depths=[2])
    >>> print(found.trash_table().text())
    trash@2  rank 1  rank 2  ranks 1-2  % of documents  documents
    ─────────────────────────────────────────────────────────────
    CAM        0.00    1.00       1.00           50.00       2.00
    MM         0.00    1.00       1.00           50.00       2.00
    """
    one_of("zeros", zeros, Zeros)
    check_confidence(intervals)
    ends = tuple(depths)
    if not ends or ends[0] < 1 or any(b <= a for a, b in pairwise(ends)):
        raise InputError(f"depths must be ranks in ascending order, such as 25, 50, 75, 100; got {depths!r}")
    if trash < 1:
        raise InputError(f"trash must be a rank of at least 1; got {trash!r}")
    collection = collected(judgments, runs, **options)
    judged = collection.judgments
    if not share_aspects(judged):
        raise InputError(_NOT_SHARED)
    aspects = tuple(scale.aspect for scale in judged.cells.labels.scales)
    chosen = parse_all(measures)
    wanted = _approaches(approaches)
    families = {str(m): {name: outer(measure=m) for name, outer in wanted.items()} for m in chosen}
    single = {str(m): {a: Aspect(measure=m, aspect=a) for a in aspects} for m in chosen}
    shallow, deep = (
        {str(m): {name: outer(measure=_cut(m, k)) for name, outer in wanted.items()} for m in chosen}
        for k in (trash, ends[-1])
    )
    every = [
        measure
        for part in (families, single, shallow, deep)
        for family in part.values()
        for measure in family.values()
    ]
    aligned = collection.joined(judged)
    scores = evaluate(collection.with_runs(aligned), measures=every).complete()
    place = {topic: t for t, topic in enumerate(judged.topics)}
    kept = [place[topic] for topic in scores.topics]
    sums = _label_sums(judged, list(aligned.values()), max(trash, ends[-1]))[:, kept]
    tests = {"alpha": alpha, "resamples": resamples, "seed": seed, "intervals": intervals}
    return ApproachComparison(
        measures=tuple(families),
        approaches=tuple(wanted),
        aspects=aspects,
        families=families,
        single=single,
        correlations={
            name: {
                "approaches": _correlated(scores, families[name], intervals, seed),
                "aspects": _correlated(scores, single[name], intervals, seed),
            }
            for name in families
        },
        powers={
            name: powers_of(scores, family, on_share=part_of(on_share, number, len(families)), **tests)
            for number, (name, family) in enumerate(families.items())
        },
        shallow=_documents(scores, shallow, sums[:, :, :trash]),
        deep=_documents(scores, deep, sums[:, :, : ends[-1]]),
        depths=ends,
        zeros=zeros,
        intervals=intervals,
        scores=scores,
        about={
            "measures": list(families),
            "approaches": {name: str(outer) for name, outer in wanted.items()},
            "correlation": "tau-b by topic, averaged",
            "best runs": f"by measures @{trash} for trash@{trash}, @{ends[-1]} for label sums",
            "topics on which every run scores 0": {"count": "counted", "drop": "dropped"}[zeros],
            **tests,
            "runs": len(scores.runs),
            "topics": len(scores.topics),
            "longest ranking": max(int(run.length.max(initial=0)) for run in aligned.values()),
            "scores": scores.conventions,
        },
    )


def share_aspects(judgments: Judgments) -> bool:
    """Whether all topics have the same aspects, and more than one."""
    found = set(judgments.aspects.values())
    return len(found) == 1 and len(next(iter(found))) > 1


def _approaches(given: Sequence[str] | Mapping[str, str | Measure]) -> dict[str, Measure]:
    """The approaches by name, without the measure that each will be applied to."""
    if isinstance(given, str):
        given = [given]
    named = given if isinstance(given, Mapping) else {name: name for name in given}
    found = {name: parse(text) for name, text in named.items()}
    for name, outer in found.items():
        inner = outer.definition.roles.get(Role.INNER)
        if inner is None:
            raise MeasureError(
                f"{name!r} does not combine a measure over aspects; use {', '.join(APPROACHES)}, or another "
                "measure that takes one, such as TOMA(tuples='seen')"
            )
        if outer.inner is not None:
            raise MeasureError(
                f"the approach {name!r} has a measure already; leave it out, and name {outer.inner} among "
                "the measures (-m)"
            )
    if len(found) < 2:
        raise InputError(f"at least two approaches are compared; got {', '.join(found) or 'none'}")
    return found


def _cut(measure: Measure, depth: int) -> Measure:
    """The measure at this cutoff, if it takes one."""
    has_cutoff = Role.CUTOFF in measure.definition.roles
    return measure @ depth if has_cutoff else measure


def _correlated(scores: Scores, family: Mapping[str, Measure], intervals: float, seed: int) -> Correlation:
    chosen = scores.select(measures=map(str, family.values()))
    return correlation(chosen, per_topic=True, intervals=intervals, seed=seed)


def powers_of(scores: Scores, family: Mapping[str, Measure], **settings: Any) -> dict[str, Power]:
    """The power of each approach. Approaches that agree in every score are tested only once."""
    alike: dict[bytes, list[str]] = {}
    for name, measure in family.items():
        alike.setdefault(scores.values[:, :, scores.measures.index(str(measure))].tobytes(), []).append(name)
    tested = [names[0] for names in alike.values()]
    found = power(scores.select(measures=[str(family[name]) for name in tested]), **settings)
    of = {name: i for i, names in enumerate(alike.values()) for name in names}
    return {name: Power.of(found, of[name]) for name in family}


@dataclass(frozen=True)
class Power:
    """The discriminative power of an approach in %, and the difference that significance requires."""

    share: float
    low: float
    high: float
    delta: float
    asl: Floats = field(repr=False)  #: (pair,) the achieved significance levels

    @classmethod
    def of(cls, found: DiscriminativePower, place: int) -> Power:
        low, high = found.sampled.interval(0, 1) if found.sampled else (np.full(place + 1, np.nan),) * 2
        share, least, most = (100 * float(x[place]) for x in (found.power, low, high))
        return cls(share, least, most, float(found.delta[place]), found.asl[place])


def _label_sums(judgments: Judgments, aligned: Sequence[Alignment], depth: int) -> Floats:
    """(run, topic, rank): the sum of a document's label places, counted from 0; NaN without a document."""
    labels = judgments.cells.labels
    sums = np.full((len(aligned), len(judgments.topics), depth), np.nan)
    i = np.arange(1, depth + 1)
    for hits, which_runs, which_topics in batches(judgments.cells, aligned):
        total = np.zeros(hits.rank.shape)
        for scale, a in zip(labels.scales, labels.column, strict=True):
            place = np.array([float(p - scale.place[0]) for p in scale.place])
            total += place[scale.numbers(hits.grade[:, a])]
        table = np.where(i <= hits.length[:, None], 0.0, np.nan)
        row, h = np.nonzero(hits.rank <= depth)
        table[row, hits.rank[row, h] - 1] = total[row, h]
        block = (which_runs.stop - which_runs.start, len(which_topics), depth)
        sums[which_runs, which_topics] = table.reshape(block)
    return sums


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of the best runs. Arrays are (approach, topic, rank), summed over the measures."""

    there: Floats  #: documents
    trash: Floats  #: documents with the lowest label on every aspect
    sums: Floats  #: label sums


def _documents(
    scores: Scores, families: Mapping[str, Mapping[str, Measure]], sums: Floats
) -> Mapping[str, Documents]:
    """The documents of the best runs, for each way to treat topics on which every run scores 0."""
    names = list(next(iter(families.values())))
    shape = (len(names), *sums.shape[1:])
    found: dict[str, Documents] = {zeros: Documents(*(np.zeros(shape) for _ in range(3))) for zeros in ZEROS}
    present, worst, worth = ~np.isnan(sums), sums == 0, np.nan_to_num(sums)
    for family in families.values():
        for a, name in enumerate(names):
            values = scores.oriented[:, :, scores.measures.index(str(family[name]))]
            best: Bools = values >= values.max(0) - _TIED
            shares = best / best.sum(0)
            for zeros, documents in found.items():
                kept = shares if zeros == "count" else shares * values.any(0)
                documents.there[a] += np.einsum("rt,rti->ti", kept, present)
                documents.trash[a] += np.einsum("rt,rti->ti", kept, worst)
                documents.sums[a] += np.einsum("rt,rti->ti", kept, worth)
    return found


def ratio(above: Floats, below: Floats, intervals: float) -> tuple[Floats, Floats, Floats]:
    """Σ above / Σ below over the topics, (…,) of (topic, …), with the ends of its interval."""
    sampling = without_one("a ratio over topics", len(above), intervals)
    with np.errstate(divide="ignore", invalid="ignore"):
        figure = above.sum(0) / below.sum(0)
        kept = sampling.kept.astype(np.float64)
        replicates = np.tensordot(kept, above, 1) / np.tensordot(kept, below, 1)
    if not intervals:
        nothing = np.full_like(figure, np.nan)
        return figure, nothing, nothing
    low, high = Sampled(sampling, figure, replicates).interval(0)
    return figure, low, high


@dataclass(frozen=True, eq=False, repr=False)
class ApproachComparison(Result):
    """The result of `compare`."""

    claims = ("a ratio over topics", "a correlation per topic", "power by bootstrap")

    measures: tuple[str, ...]
    approaches: tuple[str, ...]
    aspects: tuple[str, ...]
    families: Mapping[str, Mapping[str, Measure]]  #: by measure and approach: the measure that was computed
    single: Mapping[str, Mapping[str, Measure]]  #: by measure and aspect
    correlations: Mapping[str, Mapping[str, Correlation]]  #: by measure: of approaches, and of aspects
    powers: Mapping[str, Mapping[str, Power]]  #: by measure and approach
    #: the documents of the best runs by the measures at the cutoff `trash`, for each of `ZEROS`
    shallow: Mapping[str, Documents]
    deep: Mapping[str, Documents]  #: the same at the last depth
    depths: tuple[int, ...]
    zeros: Zeros
    intervals: float
    scores: Scores
    about: Mapping[str, Any] = field(default_factory=dict)

    def tau(self, measure: str, first: str, second: str) -> Cell:
        """Kendall's τ_b of two approaches, or of two aspects, with its interval."""
        kind, names = (
            ("approaches", self.approaches) if first in self.approaches else ("aspects", self.aspects)
        )
        found = self.correlations[measure][kind]
        i, j = names.index(first), names.index(second)
        low, high = (float(end[i, j]) for end in found.interval)
        return _cell(float(found.values[i, j]), low, high)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The pairs of approaches, and then of aspects."""
        yield from combinations(self.approaches, 2)
        yield from combinations(self.aspects, 2)

    def trash_shares(self, zeros: Zeros | None = None) -> tuple[Floats, list[Cell], Floats]:
        """Documents with the lowest labels, (approach, rank); their share in %; and all documents."""
        found = self.shallow[zeros or self.zeros]
        share, low, high = ratio(found.trash.sum(2).T, found.there.sum(2).T, self.intervals)
        high = np.minimum(high, 1.0)
        cells = [_cell(*(100 * float(x) for x in one)) for one in zip(share, low, high, strict=True)]
        return found.trash.sum(1), cells, found.there.sum((1, 2))

    def label_sums(self, zeros: Zeros | None = None) -> list[list[Cell]]:
        """(approach, band): the mean label sum of the documents in each band of ranks."""
        found = self.deep[zeros or self.zeros]
        starts = [0, *self.depths[:-1]]
        above, below = (
            np.add.reduceat(np.moveaxis(x, 1, 0), starts, axis=2) for x in (found.sums, found.there)
        )
        parts = ratio(above, below, self.intervals)
        return [
            [_cell(*(float(x[a, b]) for x in parts)) for b in range(len(self.depths))]
            for a in range(len(self.approaches))
        ]

    def bands(self) -> list[str]:
        """The bands of ranks: "ranks 1-25", "ranks 26-50", …"""
        return [f"ranks {a + 1}-{b}" for a, b in zip((0, *self.depths), self.depths, strict=False)]

    def trash_table(self) -> Table:
        """Documents with the lowest label on every aspect at the top of the best runs."""
        counts, shares, documents = self.trash_shares()
        k = counts.shape[1]
        return Table(
            {
                f"trash@{k}": list(self.approaches),
                **{f"rank {r + 1}": counts[:, r].tolist() for r in range(k)},
                **({f"ranks 1-{k}": counts.sum(1).tolist()} if k > 1 else {}),
                "% of documents": shares,
                "documents": documents.tolist(),
            },
            digits=2,
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        parts = []
        for measure in self.measures:
            pairs = list(self.pairs())
            parts.append(
                Table(
                    {
                        f"τ_b, {measure}": [f"{a} - {b}" for a, b in pairs],
                        "mean over topics": [self.tau(measure, a, b) for a, b in pairs],
                    }
                )
            )
        for measure, powers in self.powers.items():
            parts.append(
                Table(
                    {
                        f"discriminative power, {measure}": list(powers),
                        "power (%)": [_cell(p.share, p.low, p.high) for p in powers.values()],
                        "required Δ": [p.delta for p in powers.values()],
                    },
                    digits=2,
                    precision={"required Δ": 4},
                )
            )
        parts.append(self.trash_table())
        parts.append(
            Table(
                {
                    "mean label sum": list(self.approaches),
                    **dict(zip(self.bands(), map(list, zip(*self.label_sums(), strict=True)), strict=True)),
                },
                digits=2,
            )
        )
        return tuple(parts)

    @property
    def summary(self) -> Table:
        return self.tables[0]

    @property
    def note(self) -> str:
        topics = (
            "Topics on which every run scores 0 by an approach count with all runs in equal shares."
            if self.zeros == "count"
            else "Topics on which every run scores 0 by an approach are left out for this approach."
        )
        return (
            f"{self.about['runs']} runs, {self.about['topics']} topics. Power: paired bootstrap at the level "
            f"{self.about['alpha']:g} with {self.about['resamples']} resamples.\n"
            f"Trash and label sums: documents of the best run of each topic, for all measures together. "
            f"{topics}"
        )

    @property
    def rows(self) -> Table:
        """Every figure: analysis, measure, approach, other, ranks, value, low, high."""
        names = ("analysis", "measure", "approach", "other", "ranks", "value", "low", "high")
        return Table.of_rows(names, self._entries())

    def _entries(self) -> Iterator[tuple[Any, ...]]:
        for measure in self.measures:
            for a, b in self.pairs():
                yield "tau-b", measure, a, b, None, *_ends(self.tau(measure, a, b))
        for measure, powers in self.powers.items():
            for name, found in powers.items():
                yield "power (%)", measure, name, None, None, found.share, found.low, found.high
        every = " ".join(self.measures)
        counts, shares, documents = self.trash_shares()
        top = f"1-{counts.shape[1]}"
        for place, name in enumerate(self.approaches):
            for r, count in enumerate(counts[place].tolist()):
                yield "trash", every, name, None, str(r + 1), count, None, None
            yield "trash (%)", every, name, None, top, *_ends(shares[place])
            yield "documents", every, name, None, top, float(documents[place]), None, None
        for name, cells in zip(self.approaches, self.label_sums(), strict=True):
            for band, cell in zip(self.bands(), cells, strict=True):
                yield "label sum", every, name, None, band.removeprefix("ranks "), *_ends(cell)


def _cell(value: float, low: float, high: float) -> Cell:
    """A number with its interval, if it has one."""
    return Cell(value, between=None if np.isnan(low) or np.isnan(high) else (low, high))


def _ends(cell: Cell) -> tuple[float, float | None, float | None]:
    low, high = cell.between or (None, None)
    return cell.value, low, high
