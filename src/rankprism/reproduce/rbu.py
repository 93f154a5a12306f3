"""Amigó, Spina and Carrillo-de-Albornoz (2018): Tables 1, 2 and 3.

Table 1 says which measures satisfy which axioms. Tables 2 and 3 have the Metric Unanimity (MU) of measures on
runs of TREC tracks, in Table 2 also with random grades, aspect weights and lengths of rankings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Floats, Judgments
from rankprism.errors import InputError
from rankprism.evaluation import Collection, collected, how_read, joined_once
from rankprism.measures import Measure, parse
from rankprism.meta import unanimity
from rankprism.meta.axioms import AxiomTable, differs, paper_table, sign
from rankprism.meta.axioms.rankings import on_scale
from rankprism.meta.axioms.search import INSTANCES
from rankprism.meta.drawn_scenarios import drawn_unanimity
from rankprism.reproduce.paper import (
    ONE_RUN,
    REPRODUCED,
    Printed,
    Reproduction,
    left_out,
    numbered,
    outcome,
    spread,
    with_interval,
)
from rankprism.results import Table
from rankprism.statistics import Share, t_intervals
from rankprism.types import CollectionOptions, JudgmentsLike, Natural, Positive, RunsLike

WEB = Printed("30 runs of TREC Web 2014", numbered(251, 300), 30)
DOMAIN = Printed("23 runs of TREC Dynamic Domain 2015", numbered(1, 118, "DD15-"), 23)
#: The longest ranking in the third column of Table 2.
SHORT = 50
#: Measures whose MU differs by less than this share a row, as in the paper, which prints four digits.
_ALIKE = 5e-5

_K = (10, 20, 50, 100, 1000)
_P = (0.8, 0.9, 0.99)
_ALPHA = (0.1, 0.25, 0.5, 0.75)
_E = (0.001, 0.05, 0.1, 0.5)


class Family(NamedTuple):
    """The variants of a measure that share a row of Table 2."""

    name: str
    measure: str  #: with a field for each parameter
    grid: Mapping[str, Sequence[float]]
    printed: tuple[float | None, float | None, float | None]  #: in the three columns of Table 2

    def variants(self) -> Iterator[tuple[dict[str, float], Measure]]:
        """Each combination of parameters, and the measure with these. Grades are r(d,t) in [0,1]."""
        for values in product(*self.grid.values()):
            chosen = dict(zip(self.grid, values, strict=True))
            yield chosen, on_scale(parse(self.measure.format(**chosen)))


#: The grid of Section 6.2 and what Table 2 prints for the best variant. Measures are not normalised, which
#: does not change MU. The row without effort is printed only in the text of Section 6.3.
TABLE_2 = (
    Family(
        "RBU",
        "RBU(p={p},e={e},form='eq11',gain='linear')",
        {"e": _E, "p": _P},
        (0.8024, 0.8568, 0.9808),
    ),
    Family("RBU, e = 0", "RBU(p={p},e=0,form='eq11',gain='linear')", {"p": _P}, (None, None, 0.7709)),
    Family(
        "α-DCG",
        "alpha_DCG(alpha={α},gain='linear')@{k}",
        {"k": _K, "α": _ALPHA},
        (0.7956, 0.7734, 0.7709),
    ),
    Family("DCG", "DCG@{k}", {"k": _K}, (0.7956, 0.7734, 0.7687)),
    Family("DCG-IA", "DCG_IA@{k}", {"k": _K}, (0.7956, 0.7734, 0.7709)),
    Family(
        "EU", "EU(alpha={α},e={e},gain='linear')", {"α": _ALPHA, "e": (0.0, *_E)}, (0.7956, 0.7734, 0.7709)
    ),
    Family("ERR-IA", "ERR_IA(gain='linear')@{k}", {"k": _K}, (0.7956, 0.7734, 0.7709)),
    Family("ERR", "ERR(gain='linear')@{k}", {"k": _K}, (0.7956, 0.7734, 0.7679)),
    Family(
        "NRBP",
        "NRBP(alpha={α},beta={p},gain='linear')",
        {"p": _P, "α": _ALPHA},
        (0.7956, 0.7734, 0.7709),
    ),
    Family("AP", "AP", {}, (0.7926, 0.7734, 0.7627)),
    Family("AP-IA", "AP_IA", {}, (0.7926, 0.7734, 0.7642)),
    Family("RBP", "RBP(p={p},gain='linear')", {"p": _P}, (0.7911, 0.7717, 0.7597)),
    Family("P-IA", "P_IA@{k}", {"k": _K}, (0.7272, 0.7103, 0.7077)),
    Family("P", "P@{k}", {"k": _K}, (0.7192, 0.7103, None)),
    Family("RR-IA", "RR_IA", {}, (0.6835, 0.6704, 0.6841)),
    Family("RR", "RR", {}, (0.6486, 0.6082, 0.6561)),
    *(
        Family("S-Recall", "StRecall@{k}", {"k": (k,)}, printed)
        for k, printed in zip(
            _K,
            (
                (0.3965, 0.4238, 0.5137),
                (0.3538, 0.4084, 0.4994),
                (0.3065, 0.3658, 0.4831),
                (0.2478, 0.3007, 0.4831),
                (None, None, None),
            ),
            strict=True,
        )
    ),
)
_SCENARIOS = (
    "official",
    "r and w drawn, |d| = rand(0, |d|)",
    f"r and w drawn, |d| = rand(0, {SHORT})",
)

_RBU = {f"RBU, p = {p:g}": tuple(f"RBU(p={p},e={e})" for e in (0.0, *_E)) for p in (0.99, 0.9, 0.8)}
_RBU_20 = tuple(f"{m}@20" for measures in _RBU.values() for m in measures)
_SHARED_20 = {
    "α-DCG@20, α-nDCG@20": ("alpha_DCG@20", "alpha_nDCG@20"),
    "ERR-IA@20, nERR-IA@20": ("ERR_IA@20", "nERR_IA@20"),
    "P-IA@20": ("P_IA@20",),
    "S-Recall@20": ("StRecall@20",),
}


class Column(NamedTuple):
    """One of the lists in Table 3: for each row its measures, and the MU that is printed for them.

    {highest} in a measure is the highest grade, but at least 4.
    """

    name: str
    data: Printed
    rows: Mapping[str, Sequence[str]]
    printed: Mapping[str, float]  #: the highest MU of the row
    lowest: Mapping[str, float]  #: … and the lowest, if a row has several variants of RBU


#: Table 3. The official measures are from ndeval, with α = β = .5 and binary grades.
TABLE_3 = (
    Column(
        "official Web measures",
        WEB,
        {
            "AP-IA": ("AP_IA",),
            **_RBU,
            **{row: measures for row, measures in _SHARED_20.items() if row.startswith(("α", "E"))},
            "NRBP, nNRBP": ("NRBP", "nNRBP"),
            "(n)ERR-IA@10, α-(n)DCG@10": ("ERR_IA@10", "nERR_IA@10", "alpha_DCG@10", "alpha_nDCG@10"),
            "P-IA@20": ("P_IA@20",),
            "P-IA@10": ("P_IA@10",),
            "α-DCG@5, α-nDCG@5": ("alpha_DCG@5", "alpha_nDCG@5"),
            "ERR-IA@5, nERR-IA@5": ("ERR_IA@5", "nERR_IA@5"),
            "P-IA@5": ("P_IA@5",),
            "S-Recall@5": ("StRecall@5",),
            "S-Recall@10": ("StRecall@10",),
            "S-Recall@20": ("StRecall@20",),
        },
        {
            "AP-IA": 0.9771,
            "RBU, p = 0.99": 0.9770,
            "RBU, p = 0.9": 0.9763,
            "RBU, p = 0.8": 0.9760,
            "α-DCG@20, α-nDCG@20": 0.9540,
            "ERR-IA@20, nERR-IA@20": 0.9539,
            "NRBP, nNRBP": 0.9509,
            "(n)ERR-IA@10, α-(n)DCG@10": 0.9373,
            "P-IA@20": 0.9310,
            "P-IA@10": 0.9071,
            "α-DCG@5, α-nDCG@5": 0.9001,
            "ERR-IA@5, nERR-IA@5": 0.8999,
            "P-IA@5": 0.8720,
            "S-Recall@5": 0.5573,
            "S-Recall@10": 0.5001,
            "S-Recall@20": 0.4515,
        },
        {"RBU, p = 0.99": 0.9766, "RBU, p = 0.9": 0.9760, "RBU, p = 0.8": 0.9750},
    ),
    Column(
        "k = 20",
        WEB,
        {"RBU@20": _RBU_20, **_SHARED_20},
        {
            "RBU@20": 0.9556,
            "α-DCG@20, α-nDCG@20": 0.9427,
            "ERR-IA@20, nERR-IA@20": 0.9425,
            "P-IA@20": 0.9080,
            "S-Recall@20": 0.4141,
        },
        {"RBU@20": 0.9556},
    ),
    Column(
        "k = 20, e = 0",
        WEB,
        {"RBU@20": tuple(f"RBU(p={p},e=0)@20" for p in _P), **_SHARED_20},
        {
            "RBU@20": 0.9556,
            "α-DCG@20, α-nDCG@20": 0.9428,
            "ERR-IA@20, nERR-IA@20": 0.9425,
            "P-IA@20": 0.9081,
            "S-Recall@20": 0.4146,
        },
        {"RBU@20": 0.9556},
    ),
    Column(
        "official Dynamic Domain measures",
        DOMAIN,
        {
            **{f"RBU, p = {p:g}, e > 0": tuple(f"RBU(p={p},e={e})" for e in _E) for p in (0.99, 0.9, 0.8)},
            "RBU, e = 0": tuple(f"RBU(p={p},e=0)" for p in _P),
            # TREC's documents come in rounds of five, and its cutoffs count rounds.
            "ACT@10": ("ACT(form='trec-dd-2015')@50",),
            "CT@10": ("CT(form='trec-dd-2015')@50",),
            "ERR (Arith. Mean)": ("Reached(ERR(max_rel={highest:g}))",),
            "ERR (Harm. Mean)": ("Reached(ERR(max_rel={highest:g}),mean='harmonic')",),
            "P@Recall": ("P_at_recall",),
            "P@Recall (modified)": ("P_at_recall(form='share-new')",),
            # The track's program has no other reciprocal rank.
            "RR@10": ("RR_at_recall",),
        },
        {
            "RBU, p = 0.99, e > 0": 0.8488,
            "RBU, p = 0.9, e > 0": 0.8453,
            "RBU, p = 0.8, e > 0": 0.8406,
            "RBU, e = 0": 0.5937,
            "ACT@10": 0.6276,
            "ERR (Arith. Mean)": 0.5955,
            "CT@10": 0.5938,
            "ERR (Harm. Mean)": 0.5912,
            "P@Recall": 0.1162,
            "P@Recall (modified)": 0.1044,
            "RR@10": 0.1031,
        },
        {
            "RBU, p = 0.99, e > 0": 0.8488,
            "RBU, p = 0.9, e > 0": 0.8440,
            "RBU, p = 0.8, e > 0": 0.8396,
            "RBU, e = 0": 0.5937,
        },
    ),
)

_FIAT = "the paper says no where a constraint is not about measures of one aspect"
_FINITE = "documents below the cutoff count for nothing"
_COUNT = "a barely relevant document lowers the worth of the documents below it"
_DEPENDS = "it depends on α and p"
_FULL = "an aspect may be full, which r ≪ 1 does not exclude"
_BOTH_FULL = "both aspects may be full, which the premises do not exclude"
_AT_ONCE = "with r_c = 1, one document satisfies an aspect fully, and the proof needs r_c < 1"
_LATER = "a later document on t is worth less after another one on t, and the proof has no later documents"
_SOONER = "a later document on t′ is worth more after another one on t′, and the proof has no later documents"
_IS_AP = "with one aspect it is AP, for which the paper says no"
#: Why cells of Table 1 differ, by constraint and row.
REASONS = {
    ("Sat", "RR"): _FIAT,
    ("Sat", "ERR@k"): _FIAT,
    **{("AspDiv", row): _FIAT for row in ("nDCG@k", "ERR@k", "RBP")},
    **{("DeepTh", row): _FINITE for row in ("nDCG@k", "nDCG-IA@k", "D#-Measure@k")},
    **{(c, "AP-IA"): _IS_AP for c in ("Pri", "Deep")},
    **{(c, row): _COUNT for c in ("Pri", "AspDiv") for row in ("NRBP", "α-nDCG@k", "EU", "CT@k")},
    **{("CloseTh", row): _DEPENDS for row in ("NRBP", "α-nDCG@k", "EU")},
    ("Deep", "CT@k"): _FULL,
    ("Red", "CT@k"): _BOTH_FULL,
    # In the reading printed:
    **{("Red", row): _AT_ONCE for row in ("ERR-IA@k", "RBU@k")},
    **{("AspRel", row): _LATER for row in ("RR-IA@k", "ERR-IA@k", "D#-Measure@k", "EU", "CT@k", "RBU@k")},
    ("AspRel", "AP-IA"): _SOONER,
}


def rbu(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    *,
    repetitions: Positive = 10,
    instances: Natural = INSTANCES,
    seed: Natural = 0,
    depth: Positive | None = None,
    on_share: Share | None = None,
    **options: Unpack[CollectionOptions],
) -> Reproduction:
    """Reproduce Tables 1, 2 and 3 of Amigó et al. (2018).

    Table 1 needs no collection. In Table 2, r(d,t) = (2^g - 1) / 2^gmax, as in the authors' program. The
    intervals of the official scenario are over topics. In the other scenarios, they are t intervals of the
    mean over the repetitions.

    Parameters
    ----------
    judgments, runs, **options
        As for `rankprism.evaluate`.
    repetitions
        Number of times that the simulated scenarios of Table 2 are drawn.

        The paper draws each once.
    instances
        Number of random instances for each cell of Table 1.
    seed
        Seed for the random numbers. The same seed gives the same result.

        The draws do not depend on the order of the runs.
    depth
        Cut every ranking at this rank first, so that runs of different length can be compared.

        MU depends on what deep measures see of long runs.
    """
    if repetitions < 1:
        raise InputError(f"repetitions must be at least 1; got {repetitions}")
    aligned = joined_once(collected(judgments, runs, **options), depth)
    tell = on_share or (lambda share: None)
    axioms = paper_table(instances=instances, seed=seed, on_progress=lambda share: tell(0.3 * share))
    about = {
        "paper": "Amigó, Spina and Carrillo-de-Albornoz 2018",
        "repetitions": repetitions,
        "instances": instances,
        "cells that differ from the paper": axioms.counts,
        "seed": seed,
        "depth": depth,
        "r": "(2^g - 1) / 2^gmax, with the highest grade of each topic and aspect",
        "runs": list(aligned.runs),
        "topics": len(aligned.judgments.topics),
        "reading runs": how_read(aligned),
    }
    if len(aligned.runs) < 2:
        parts = [*_tables_1(axioms), left_out(("Table 2", "Table 3"), ONE_RUN)]
        return Reproduction(tuple(parts), (axioms.legend,), about=about)
    draws = _drawn_mu(aligned, repetitions, seed, lambda share: tell(0.3 + 0.6 * share))
    lacking = WEB.lacking(aligned.judgments, len(aligned.runs))
    scenarios = [_official_mu(aligned), *(_mean(values) for values in draws)]
    parts = [*_tables_1(axioms)]
    parts += [_table_2(column, *scenario, lacking) for column, scenario in enumerate(scenarios)]
    parts += [_table_3(column, aligned) for column in TABLE_3]
    tell(1.0)
    return Reproduction(
        tuple(parts),
        tuple(_remarks(axioms, repetitions, lacking, aligned)),
        about=about,
    )


# ── the three scenarios ──────────────────────────────────────────────────────────────────────────


def _probabilities(judgments: Judgments) -> Judgments:
    """The judgments with r(d,t) instead of grades."""
    topic, aspect, doc, grade = judgments.table.columns()
    keys = list(zip(topic, aspect, strict=True))
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    place = np.array([number[key] for key in keys], dtype=np.int64)
    highest = np.zeros(len(number))
    np.maximum.at(highest, place, grade)
    r = np.where(grade > 0, (2.0**grade - 1) / 2.0 ** highest[place], 0.0)
    table = JudgmentTable.from_columns(judgments.source, topic, aspect, doc, r)
    return replace(judgments, table=table, scales=None)


def _measures() -> list[Measure]:
    return [measure for family in TABLE_2 for _, measure in family.variants()]


def _mean(draws: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean over repetitions, and the ends of its 95 % t interval."""
    mean, margin = (values[0] for values in t_intervals(draws[None], 0.05, "a mean over repetitions"))
    return mean, mean - margin, mean + margin


def _official_mu(aligned: Collection) -> tuple[Floats, Floats, Floats]:
    """MU of every measure of the grid, with the ends of its interval over topics."""
    judged = _probabilities(aligned.judgments)
    found = unanimity(aligned.judged_by(judged).rescored(_measures()))
    return found.mu, *_ends(found)


def _ends(found: Any) -> tuple[Floats, Floats]:
    if found.sampled is None:
        return np.full_like(found.mu, np.nan), np.full_like(found.mu, np.nan)
    low, high = found.sampled.interval(-np.inf, 1)
    return low, high


def _drawn_mu(aligned: Collection, repetitions: int, seed: int, tell: Share) -> Floats:
    """(2, repetition, measure): MU in the two simulated scenarios."""
    judged = aligned.judged_by(_probabilities(aligned.judgments))
    return drawn_unanimity(judged, _measures(), SHORT, repetitions, seed, tell)


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def _tables_1(found: AxiomTable) -> Iterator[Table]:
    """Table 1 in the reading `proved`, and the constraints that the reading `printed` changes."""
    yield _table_1("Table 1", found)
    if found.other is not None:
        yield _table_1(f"Table 1, reading {found.other.constraints[0].read_as}", found.other)


def _table_1(title: str, found: AxiomTable) -> Table:
    names = [constraint.name for constraint in found.constraints]
    columns: dict[str, list[Any]] = {title: list(found.labels), **{name: [] for name in names}}
    outcomes = []
    for label in found.labels:
        cells = [(v, printed) for row, v, printed in found.cells if row == label]
        reasons: dict[str, list[str]] = {}
        for name, (verdict, printed) in zip(names, cells, strict=True):
            columns[name].append(sign(verdict, printed))
            if differs(verdict, printed):
                why = REASONS.get((name, label), "`rankprism axioms` shows a counterexample")
                reasons.setdefault(why, []).append(name)
        said = [f"{' and '.join(where)}: differs because {why}" for why, where in reasons.items()]
        outcomes.append("; ".join(said) or REPRODUCED)
    return Table({**columns, "outcome": outcomes})


def _table_2(column: int, mu: Floats, low: Floats, high: Floats, lacking: str | None) -> Table:
    """A row for each measure, with its variants of the highest MU, the most unanimous measure first."""
    rows = []
    at = 0
    for family in TABLE_2:
        variants = [chosen for chosen, _ in family.variants()]
        places = range(at, at + len(variants))
        at += len(variants)
        best = max(places, key=lambda i: (-np.inf if np.isnan(mu[i]) else mu[i], -i))
        alike = [variants[i - places[0]] for i in places if i == best or abs(mu[i] - mu[best]) <= _ALIKE]
        settings = ", ".join(f"{name}={spread([v[name] for v in alike])}" for name in family.grid)
        printed = family.printed[column]
        why = "the paper draws its grades once" if column else "the paper leaves details of its measures open"
        said = outcome(float(mu[best]), printed, 4, lacking, why)
        rows.append((f"{family.name} {settings}".strip(), best, printed, said))
    rows.sort(key=lambda row: -np.nan_to_num(mu[row[1]], nan=-np.inf))
    return Table(
        {
            f"Table 2, {_SCENARIOS[column]}": [name for name, *_ in rows],
            "MU": [with_interval(mu[i], low[i], np.minimum(high[i], 1.0)) for _, i, *_ in rows],
            "printed": [printed for *_, printed, _ in rows],
            "outcome": [said for *_, said in rows],
        }
    )


def _table_3(column: Column, aligned: Collection) -> Table:
    highest = max(4.0, float(aligned.judgments.cells.grade.max(initial=0.0)))
    texts = {
        row: [text.format(highest=highest) for text in measures] for row, measures in column.rows.items()
    }
    measures = [parse(text) for several in texts.values() for text in several]
    found = unanimity(aligned.rescored(measures))
    low, high = _ends(found)
    lacking = column.data.lacking(aligned.judgments, len(aligned.runs))
    rows = []
    for row, several in texts.items():
        places = [found.measures.index(str(parse(text))) for text in several]
        places.sort(key=lambda i: np.inf if np.isnan(found.mu[i]) else -found.mu[i])
        lowest = float(found.mu[places[-1]]) if row in column.lowest else None
        why = "the paper takes the official scores of the measures"
        printed = column.printed[row]
        said = outcome(float(found.mu[places[0]]), printed, 4, lacking, why)
        rows.append((row, places[0], lowest, printed, column.lowest.get(row), said))
    rows.sort(key=lambda row: -np.nan_to_num(found.mu[row[1]], nan=-np.inf))
    return Table(
        {
            f"Table 3, {column.name}": [row for row, *_ in rows],
            f"MU, {len(aligned.runs)} runs given": [
                with_interval(found.mu[i], low[i], high[i]) for _, i, *_ in rows
            ],
            "lowest variant": [row[2] for row in rows],
            f"printed, {column.data.name}": [row[3] for row in rows],
            "lowest printed": [row[4] for row in rows],
            "outcome": [said for *_, said in rows],
        }
    )


def _remarks(axioms: AxiomTable, repetitions: int, lacking: str | None, aligned: Collection) -> Iterator[str]:
    yield axioms.legend
    runs, topics = len(aligned.runs), len(aligned.judgments.topics)
    if lacking:
        yield (
            f"The MU of Tables 2 and 3 are for the {runs} runs and {topics} topics that were given. "
            f"They replace the {WEB.name}, which TREC gives only to its participants, and the "
            f"{DOMAIN.name}."
        )
    lengths = [float(run.length.mean()) for run in aligned.joined(aligned.judgments).values()]
    if max(lengths) > 2 * min(lengths):
        yield (
            f"The runs have {min(lengths):.0f} to {max(lengths):.0f} documents for a topic on average. A "
            "measure without a cutoff compares long runs with short ones; --depth cuts all runs at a rank."
        )
    yield (
        "Drawn: each r(d,t) is a random number from 0 to its value in the judgments, the weights w of a "
        "topic's aspects are random, and a ranking is cut at a random length, from 0 to its own |d| or to "
        f"{SHORT}."
    )
    times = "repetition" if repetitions == 1 else "repetitions"
    yield (
        f"In brackets: 95 % intervals over topics; in the drawn scenarios, t intervals of the mean "
        f"of {repetitions} {times}."
    )
