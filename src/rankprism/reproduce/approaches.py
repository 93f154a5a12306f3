"""CAM, MM and TOMA side by side on a collection with several aspects.

They are compared by the order in which they put runs, by the pairs of runs that they tell apart, and by the
documents of the runs that each of them finds best. `rankprism.reproduce.toma` makes tables of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from rankprism.data.hits import Floats, batches
from rankprism.data.judgments import Judgments
from rankprism.data.run import Alignment
from rankprism.evaluation import evaluate, parsed, run_sources
from rankprism.formats.judgments import read_judgments
from rankprism.formats.runs import align_source
from rankprism.measures import Measure
from rankprism.measures.combine import CAM, MM, Aspect
from rankprism.measures.parameter import Role
from rankprism.measures.toma import TOMA
from rankprism.meta.discriminative_power import power
from rankprism.meta.rank_correlation import correlation
from rankprism.results.scores import Scores
from rankprism.statistics.threads import Share, for_each
from rankprism.types import JudgmentsLike, MeasuresLike, RunsLike

TOMA_DISTANCES = {"EUCL": "euclidean", "MANH": "manhattan", "CHEB": "chebyshev"}
#: The pairs of approaches that are correlated, in the order of Table 4.
PAIRS = (
    *((toma, mean) for toma in TOMA_DISTANCES for mean in ("CAM", "MM")),
    *combinations(TOMA_DISTANCES, 2),
    ("CAM", "MM"),
)
#: The last rank at which documents with the lowest label on every aspect are counted.
TRASH = 5
#: The number of ranks in a band: 1-25, 26-50, …
BAND, BANDS = 25, 4
_TIED = 1e-12


def approaches(measure: Measure, **toma: Any) -> dict[str, Measure]:
    """CAM, MM and TOMA with each of the three distances, for one measure."""
    return {
        "CAM": CAM(measure=measure),
        "MM": MM(measure=measure),
        **{name: TOMA(measure=measure, distance=d, **toma) for name, d in TOMA_DISTANCES.items()},
    }


def analyse(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasuresLike = ("nDCG", "AP"),
    *,
    toma: Mapping[str, Any] | None = None,
    alpha: float = 0.01,
    resamples: int = 10_000,
    seed: int = 0,
    topics: str = "judged",
    order: str = "score",
    duplicates: str = "error",
    run_format: str | None = None,
    threads: int | None = None,
    on_share: Share | None = None,
) -> Analysis:
    """Compare CAM, MM and TOMA: correlation, discriminative power, and properties of their best runs.

    judgments, runs, topics, order, duplicates, run_format, threads : as `rankprism.evaluate` takes them.
    measures : the single-aspect measures that all approaches are applied to.
    toma : parameters of TOMA, such as ``{"tuples": "seen"}``.
    alpha, resamples, seed : parameters of the paired bootstrap test for discriminative power.

    Correlations are Kendall's τ_b between rankings of the runs, topic by topic, averaged over the topics
    where it is defined. The other tables look at the best run of each topic by each approach. Runs that tie
    for the best count in equal shares, and topics on which every run scores 0 do not count. An unjudged
    document has the lowest label on every aspect.
    """
    judgments = read_judgments(judgments)
    chosen = parsed(measures)
    aspects = [scale.aspect for scale in judgments.cells.labels.scales]
    groups = {str(m): approaches(m, **(toma or {})) for m in chosen}
    single = {str(m): {a: Aspect(measure=m, aspect=a) for a in aspects} for m in chosen}
    shallow = [approaches(_cut(m, TRASH), **(toma or {})) for m in chosen]
    deep = [approaches(_cut(m, BAND * BANDS), **(toma or {})) for m in chosen]
    families = [*groups.values(), *single.values(), *shallow, *deep]
    every = [measure for family in families for measure in family.values()]
    sources = run_sources(runs)

    def read(source: Any, tell: Share) -> Alignment:
        return align_source(judgments, source, order, duplicates, run_format)

    found = for_each([partial(read, source) for source in sources.values()], None)
    aligned = dict(zip(sources, found, strict=True))
    scores = evaluate(
        judgments, aligned, every, topics=topics, order=order, duplicates=duplicates, threads=threads
    )

    sums = _label_sums(judgments, list(aligned.values()), BAND * BANDS)
    powers = _powers(
        scores.select(measures=[str(one) for family in groups.values() for one in family.values()]),
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        on_share=on_share,
    )
    return Analysis(
        families=groups,
        aspects=single,
        between={name: _correlated(scores, family, PAIRS) for name, family in groups.items()},
        single={
            name: _correlated(scores, family, combinations(aspects, 2)) for name, family in single.items()
        },
        power={name: {a: powers[str(m)] for a, m in family.items()} for name, family in groups.items()},
        trash=_trash(scores, sums, shallow),
        quality=_quality(scores, sums, deep),
        scores=scores,
        about={
            "measures": [str(m) for m in chosen],
            "TOMA": dict(toma or {}),
            "correlation": "tau-b by topic, averaged",
            "best runs": f"by measures @{TRASH} for trash@{TRASH}, @{BAND * BANDS} for label sums",
            "alpha": alpha,
            "resamples": resamples,
            "seed": seed,
            "runs": len(scores.runs),
            "topics": len(scores.topics),
            "scores": scores.conventions,
        },
    )


def _cut(measure: Measure, depth: int) -> Measure:
    """The measure at this cutoff, if it takes one."""
    has_cutoff = Role.CUTOFF in measure.definition.roles
    return measure @ depth if has_cutoff else measure


def _powers(scores: Scores, **settings: Any) -> dict[str, float]:
    """Discriminative power in %. Approaches that agree in every score are tested only once."""
    alike: dict[bytes, list[str]] = {}
    for m, measure in enumerate(scores.measures):
        alike.setdefault(scores.values[:, :, m].tobytes(), []).append(measure)
    found = power(scores.select(measures=[names[0] for names in alike.values()]), **settings)
    return {
        name: 100 * float(share)
        for names, share in zip(alike.values(), found.power, strict=True)
        for name in names
    }


def _correlated(
    scores: Scores, family: Mapping[str, Measure], pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """The correlation of pairs of members."""
    found = correlation(scores.select(measures=map(str, family.values())), per_topic=True)
    place = {name: found.measures.index(str(m)) for name, m in family.items()}
    return {(a, b): float(found.values[place[a], place[b]]) for a, b in pairs}


def _label_sums(judgments: Judgments, aligned: Sequence[Alignment], depth: int) -> Floats:
    """(run, topic, rank): the sum of a document's label numbers, from 0; NaN if there is no document."""
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


def _best(scores: Scores, measure: Measure) -> Floats:
    """(run, topic): 1 for the best run, shared equally by ties; 0 on topics on which every run scores 0."""
    values = scores.values[:, :, scores.measures.index(str(measure))]
    best = (values >= values.max(0) - _TIED) & (values.max(0) > 0)
    return np.asarray(best / np.maximum(best.sum(0), 1))


def _trash(
    scores: Scores, sums: Floats, families: Iterable[Mapping[str, Measure]]
) -> dict[str, tuple[tuple[float, ...], float]]:
    """For each approach, the documents at each rank with the lowest labels, and all documents."""
    found: dict[str, tuple[tuple[float, ...], float]] = {}
    top = sums[:, :, :TRASH]
    for family in families:
        for name, measure in family.items():
            best = _best(scores, measure)[:, :, None]
            zero = (best * (top == 0)).sum((0, 1))
            old, judged = found.get(name, ((0.0,) * TRASH, 0.0))
            together = tuple(float(x + y) for x, y in zip(old, zero, strict=True))
            found[name] = together, judged + float((best * ~np.isnan(top)).sum())
    return found


def _quality(
    scores: Scores, sums: Floats, families: Iterable[Mapping[str, Measure]]
) -> dict[str, tuple[float, ...]]:
    """For each approach, the mean label sum of the documents in each band of ranks."""
    total: dict[str, Floats] = {}
    count: dict[str, Floats] = {}
    for family in families:
        for name, measure in family.items():
            best = _best(scores, measure)[:, :, None]
            there = (best * ~np.isnan(sums)).sum((0, 1)).reshape(BANDS, BAND).sum(1)
            worth = (best * np.nan_to_num(sums)).sum((0, 1)).reshape(BANDS, BAND).sum(1)
            total[name] = total.get(name, np.zeros(BANDS)) + worth
            count[name] = count.get(name, np.zeros(BANDS)) + there
    with np.errstate(invalid="ignore"):
        return {name: tuple((total[name] / count[name]).tolist()) for name in total}


@dataclass(frozen=True, eq=False)
class Analysis:
    """What `analyse` found."""

    families: Mapping[str, Mapping[str, Measure]]  #: by measure: the approaches
    aspects: Mapping[str, Mapping[str, Measure]]  #: by measure: the measure of each aspect
    between: Mapping[str, Mapping[tuple[str, str], float]]  #: by measure: τ_b of two approaches
    single: Mapping[str, Mapping[tuple[str, str], float]]  #: by measure: τ_b of two aspects
    power: Mapping[str, Mapping[str, float]]  #: by measure and approach: % of pairs of runs told apart
    trash: Mapping[str, tuple[tuple[float, ...], float]]  #: by approach: at ranks 1 to 5, and of how many
    quality: Mapping[str, tuple[float, ...]]  #: by approach: mean label sum at ranks 1-25, 26-50, …
    scores: Scores
    about: Mapping[str, Any] = field(default_factory=dict)
