"""Maistro, Lima, Simonsen and Lioma (2021): Tables 1 and 3 to 6, and Figures 1 and 2.

Tables 1 and 3 are a worked example. The others compare CAM, MM and TOMA on a collection with several aspects,
by `rankprism.aspects.compare`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankprism.data import Floats, Judgments, Scale, sample
from rankprism.evaluation import Collection, collected
from rankprism.formats import read_judgments
from rankprism.judging.aspects import ApproachComparison, Attainable, approaches, attainable, compare, order
from rankprism.measures import Measure, distances, parse, parse_all
from rankprism.meta import tau_b
from rankprism.reproduce.paper import (
    ONE_RUN,
    REPRODUCED,
    SUMS,
    Printed,
    Reproduction,
    left_out,
    numbered,
    outcome,
    with_interval,
)
from rankprism.results import Result, Scores, Table
from rankprism.statistics import Share
from rankprism.types import CollectionOptions, JudgmentsLike, MeasuresLike, Natural, Positive, RunsLike, Zeros

DECISION = Printed(
    "the 32 runs of TREC Decision 2019",
    tuple(topic for topic in numbered(1, 51) if topic != "14"),
    32,
    highest=2,
    depth=1000,
    is_public=True,
)
MISINFORMATION = Printed(
    "the 51 ad hoc runs of TREC Health Misinformation 2020",
    tuple(topic for topic in numbered(1, 50) if topic not in ("33", "35", "46", "48")),
    51,
    highest=1,
    depth=1000,
    is_public=True,
)
_OWN = (
    "CAM, MM and TOMA are compared over several aspects that all topics share, such as relevance and "
    "credibility, and the topics of these judgments do not share such aspects"
)
_ALL = f"{SUMS} ten tracks"
_COLUMN = {"nDCG": 0, "AP": 1}
_TOMA = ("EUCL", "MANH", "CHEB")
#: The pairs of approaches that are correlated, in the order of Table 4.
PAIRS = (
    *((toma, mean) for toma in _TOMA for mean in ("CAM", "MM")),
    *combinations(_TOMA, 2),
    ("CAM", "MM"),
)
#: Table 1: the printed sequence for each embedding of correctness and each distance, the best first. The
#: paper writes ≤ between all tuples, which hides ties.
TABLE_1 = {
    ("0,3/2,3", "euclidean"): "(3,3) (2,3) (3,3/2) (2,3/2) (1,3) (1,3/2) (3,0) (2,0) (1,0) (0,0)",
    ("0,3/2,3", "manhattan"): "(3,3) (2,3) (3,3/2) (1,3) (2,3/2) (3,0) (1,3/2) (2,0) (1,0) (0,0)",
    ("0,3/2,3", "chebyshev"): "(3,3) (2,3) (3,3/2) (2,3/2) (1,3) (1,3/2) (3,0) (2,0) (1,0) (0,0)",
    ("0,1,2", "euclidean"): "(3,2) (3,1) (2,2) (2,1) (3,0) (1,2) (2,0) (1,1) (1,0) (0,0)",
    ("0,1,2", "manhattan"): "(3,2) (3,1) (2,2) (3,0) (2,1) (1,2) (2,0) (1,1) (1,0) (0,0)",
    ("0,1,2", "chebyshev"): "(3,2) (3,1) (2,1) (2,2) (3,0) (2,0) (1,0) (1,1) (1,2) (0,0)",
    ("0,2,6", "euclidean"): "(3,6) (2,6) (1,6) (3,2) (2,2) (1,2) (3,0) (2,0) (1,0) (0,0)",
    ("0,2,6", "manhattan"): "(3,6) (2,6) (1,6) (3,2) (2,2) (1,2) (3,0) (2,0) (1,0) (0,0)",
    ("0,2,6", "chebyshev"): "(3,6) (2,6) (1,6) (3,2) (2,2) (1,2) (3,0) (2,0) (1,0) (0,0)",
}
#: Table 3: CAM, MM, EUCL, MANH and CHEB of every ranking of d1, d2 and d3.
TABLE_3 = {
    "AP": {
        "123": (0.7917, 0.3684, 1, 1, 0.5),
        "132": (0.7917, 0.3684, 0.8333, 0.8333, 0.3333),
        "213": (0.6667, 0.3125, 1, 1, 1),
        "231": (0.6667, 0.25, 0.8333, 0.8333, 1),
        "312": (0.6667, 0.3125, 0.5833, 0.5833, 0.3333),
        "321": (0.6667, 0.25, 0.5833, 0.5833, 0.5),
        "12": (0.6250, 0.25, 1, 1, 0.5),
        "13": (0.6250, 0.25, 0.5, 0.5, 0),
        "21": (0.5, 0.25, 1, 1, 1),
        "23": (0.5, 0, 0.5, 0.5, 1),
        "31": (0.5, 0.25, 0.25, 0.25, 0),
        "32": (0.5, 0, 0.25, 0.25, 0.5),
        "1": (0.5, 0, 0.5, 0.5, 0),
        "2": (0.25, 0, 0.5, 0.5, 1),
        "3": (0.25, 0, 0, 0, 0),
    },
    "NDCG": {
        "123": (0.9073, 0.4489, 0.9367, 0.9711, 0.8597),
        "132": (0.8824, 0.4386, 0.8917, 0.9404, 0.7602),
        "213": (0.9056, 0.4516, 1, 1, 1),
        "231": (0.8801, 0.4319, 0.9775, 0.9795, 0.9502),
        "312": (0.8106, 0.3930, 0.8284, 0.8827, 0.6199),
        "321": (0.8100, 0.3827, 0.8509, 0.8929, 0.6697),
        "12": (0.7682, 0.3491, 0.8080, 0.8147, 0.8597),
        "13": (0.6483, 0.3145, 0.5914, 0.6667, 0.3801),
        "21": (0.7665, 0.3776, 0.8713, 0.8436, 1),
        "23": (0.6437, 0.2679, 0.7630, 0.7449, 0.7602),
        "31": (0.5765, 0.2801, 0.5281, 0.6089, 0.2398),
        "32": (0.5735, 0.1897, 0.6364, 0.6583, 0.4796),
        "1": (0.4728, 0.1491, 0.4290, 0.4693, 0.3801),
        "2": (0.4682, 0.2258, 0.6006, 0.5475, 0.7602),
        "3": (0.2781, 0, 0.2574, 0.3129, 0),
    },
}


class Column(NamedTuple):
    """The columns of a track in Table 4: τ and power with NDCG and AP.

    In the paper, credibility and correctness are swapped in the rows of single aspects. Here they have their
    right names.
    """

    data: Printed
    tau: Mapping[tuple[str, str], tuple[float, float]]
    power: Mapping[str, tuple[float, float]]


_PRINTED_PAIRS = (
    *PAIRS,
    ("correctness", "credibility"),
    ("relevance", "correctness"),
    ("relevance", "credibility"),
)
TABLE_4 = (
    Column(
        DECISION,
        dict(
            zip(
                _PRINTED_PAIRS,
                [
                    *((0.76, 0.60), (0.46, 0.31), (0.69, 0.60), (0.41, 0.31), (0.27, 0.27), (0.58, 0.60)),
                    *((0.72, 1.00), (0.28, 0.21), (0.25, 0.21), (0.51, 0.41)),
                    *((0.26, 0.26), (0.33, 0.33), (0.42, 0.49)),
                ],
                strict=True,
            )
        ),
        {
            "CAM": (72.58, 70.56),
            "MM": (60.08, 53.23),
            "EUCL": (73.59, 73.99),
            "MANH": (73.79, 73.79),
            "CHEB": (42.54, 29.84),
        },
    ),
    Column(
        MISINFORMATION,
        dict(
            zip(
                _PRINTED_PAIRS,
                [
                    *((0.72, 0.51), (0.45, 0.27), (0.72, 0.51), (0.45, 0.27), (0.29, 0.24), (0.54, 0.52)),
                    *((1.00, 1.00), (0.26, 0.20), (0.26, 0.20), (0.51, 0.42)),
                    *((0.28, 0.24), (0.29, 0.25), (0.49, 0.47)),
                ],
                strict=True,
            )
        ),
        {
            "CAM": (71.53, 70.90),
            "MM": (68.31, 62.20),
            "EUCL": (72.86, 75.14),
            "MANH": (73.02, 74.98),
            "CHEB": (65.41, 53.33),
        },
    ),
)
#: Table 5: documents at each of the ranks 1 to 5, at all five ranks, and the share of all documents in %.
TABLE_5 = {
    "CAM": (51, 65, 103, 102, 107, 428, 9.88),
    "MM": (131, 159, 202, 173, 196, 861, 19.88),
    "EUCL": (39, 50, 88, 86, 95, 358, 8.27),
    "MANH": (33, 48, 78, 74, 81, 314, 7.25),
    "CHEB": (154, 179, 185, 183, 205, 906, 20.92),
}
#: 433 topics, two measures and five ranks: every percentage of Table 5 is a share of these documents.
TABLE_5_DOCUMENTS = 4330
TABLE_6 = {
    "CAM": (1.70, 0.85, 0.57, 0.40),
    "MM": (1.49, 0.78, 0.53, 0.39),
    "EUCL": (1.67, 0.91, 0.63, 0.43),
    "MANH": (1.69, 0.94, 0.64, 0.44),
    "CHEB": (1.39, 0.70, 0.48, 0.36),
}


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def toma(
    judgments: JudgmentsLike | Collection | None = None,
    runs: RunsLike | None = None,
    measures: MeasuresLike = ("nDCG", "AP"),
    *,
    settings: Mapping[str, Any] | None = None,
    alpha: float = 0.01,
    resamples: Positive = 10_000,
    seed: Natural = 0,
    on_share: Share | None = None,
    **options: Unpack[CollectionOptions],
) -> Reproduction:
    """Reproduce Tables 1 and 3 to 6 and Figures 1 and 2 of Maistro et al. (2021).

    Parameters
    ----------
    judgments
        As for `rankprism.evaluate`. Default: the sample collection, with `sample_aspects`.
    runs
        As for `rankprism.evaluate`.
    measures
        The single-aspect measures that all approaches are applied to.
    settings
        Parameters of TOMA, such as ``{"tuples": "seen"}``.
    alpha
        Significance level.
    resamples
        Number of resamples.
    seed
        Seed for the random numbers. The same seed gives the same result.
    **options
        As for `rankprism.evaluate`.
    """
    given: Any = sample_aspects() if judgments is None else judgments
    if runs is None and not isinstance(given, Collection):
        runs = list(sample.RUNS)
    collection = collected(given, runs, **options)
    judged = collection.judgments
    example = (_table_1(), *(_table_3(measure) for measure in TABLE_3))
    paper = "Maistro, Lima, Simonsen and Lioma 2021"
    if not approaches.share_aspects(judged):
        data = ("Table 4", "Table 5", "Table 6", "Figure 1", "Figure 2")
        return Reproduction((*example, left_out(data, _OWN)), about={"paper": paper})
    names = [str(measure) for measure in parse_all(measures)]
    ideal = attainable(judged, [f"CAM({name})" for name in names], exact=0)
    figures: dict[str, Result] = {"Figure 1": order(judged.cells.labels.scales[:2]), "Figure 2": ideal}
    if len(collection.runs) < 2:
        parts = (*example, _figure_2(ideal, judged), left_out(("Table 4", "Table 5", "Table 6"), ONE_RUN))
        return Reproduction(parts, figures=figures, about={"paper": paper})
    found = compare(
        collection,
        measures=measures,
        approaches={name: _approach(name, settings or {}) for name in approaches.APPROACHES},
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        on_share=on_share,
    )
    padded = _with_zeros(found)
    tests = {name: found.about[name] for name in ("alpha", "resamples", "seed")}
    zeros = {
        name: None
        if padded is None
        else approaches.powers_of(padded, found.families[name], intervals=0, **tests)
        for name in names
    }
    track = next((c for c in TABLE_4 if c.data.lacking(judged, len(found.scores.runs)) is None), None)
    return Reproduction(
        (
            *example,
            *(_correlations(found, name, track) for name in names),
            *(_powers_table(found, name, zeros[name], track) for name in names),
            *(_zero_documents(found, counted, track) for counted in approaches.ZEROS),
            *(_label_sums_table(found, counted, track) for counted in approaches.ZEROS),
            _figure_2(ideal, judged),
        ),
        tuple(_remarks(found, track)),
        figures,
        {"paper": paper, **found.about},
    )


def _approach(name: str, settings: Mapping[str, Any]) -> Measure:
    """An approach of the paper, with these parameters if it is TOMA."""
    found = parse(name)
    return found(**settings) if name in _TOMA else found


def sample_aspects() -> Judgments:
    """The sample collection with two aspects: the highest grade of a document over the subtopics, and whether
    it is relevant to several of them."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for topic, _, doc, grade in zip(*read_judgments(sample.QRELS).table.columns(), strict=True):
        both = found.setdefault(topic, {"relevance": {}, "breadth": {}})
        both["relevance"][doc] = max(both["relevance"].get(doc, 0), int(grade))
        both["breadth"][doc] = both["breadth"].get(doc, 0) + int(grade > 0)
    for both in found.values():
        both["breadth"] = {doc: int(n > 1) for doc, n in both["breadth"].items()}
    return read_judgments(found, aspects=["relevance", "breadth"])


def _example_scales(embed: str) -> tuple[Scale, Scale]:
    """Relevance and correctness of Section 3.4. A document that is not relevant cannot be correct."""
    return (
        Scale.of("relevance", ["nr", "mr", "fr", "hr"]),
        Scale.of("correctness", ["nc", "pc", "c"], embed=embed.split(","), given="relevance"),
    )


def _table_1() -> Table:
    rows = []
    for (embed, distance), printed in TABLE_1.items():
        scales = _example_scales(embed)
        found = order(scales, distance, tuples="valid").order
        classes = [
            [_written(distances.embedded(scales, labels)) for labels in members]
            for members in reversed(found.classes)
        ]
        place = {one: c for c, members in enumerate(classes) for one in members}
        places = [place.get(one, -1) for one in printed.split()]
        kept = len(places) == len(place) and places == sorted(places)
        computed = " ".join("=".join(members) for members in classes)
        said = REPRODUCED if kept else "differs because tuples are in another order"
        rows.append((f"{{{embed}}}, {distance}", computed, printed, said))
    return Table.of_rows(("Table 1", "computed, best first", "printed", "outcome"), rows)


def _written(labels: Iterable[Any]) -> str:
    return f"({','.join(str(label) for label in labels)})"


def _table_3(measure: str) -> Table:
    """The worked example: every ranking of three documents."""
    judged = read_judgments(
        {
            "t": {
                "relevance": {"d1": "mr", "d2": "hr", "d3": "hr"},
                "correctness": {"d1": "c", "d2": "pc", "d3": "nc"},
            }
        },
        aspects={scale.aspect: scale for scale in _example_scales("0,3/2,3")},
    )
    single, weights = {"AP": ("AP(rel=2)", "top-half"), "NDCG": ("nDCG", "step")}[measure]
    # TOMA itself makes the labels binary.
    inner = {
        name: parse("AP" if name in _TOMA and measure == "AP" else single) for name in approaches.APPROACHES
    }
    settings = {"weights": weights, "tuples": "valid"}
    family = {name: _approach(name, settings)(measure=inner[name]) for name in approaches.APPROACHES}
    rankings = TABLE_3[measure]
    runs = {r: {"t": {f"d{d}": -float(i) for i, d in enumerate(r)}} for r in rankings}
    # Without the note that the rankings have one to three documents.
    means = Collection.of(judged, runs).rescored(list(family.values())).mean()
    columns: dict[str, list[Any]] = {
        f"Table 3, {measure}": [f"({', '.join(f'd{d}' for d in r)})" for r in rankings]
    }
    for name, m in family.items():
        columns[name] = [means[r][str(m)] for r in rankings]
    for i, name in enumerate(family):
        columns[f"printed {name}"] = [printed[i] for printed in rankings.values()]
    outcomes = []
    for i in range(len(rankings)):
        said = []
        for name in family:
            x, printed = columns[name][i], columns[f"printed {name}"][i]
            one = outcome(x, printed, 4, None, "no definition gives it")
            if name == "MM" and one != REPRODUCED and outcome(x / 2, printed, 4, None, "") == REPRODUCED:
                one = "differs because the printed MM is half of Equation 6"
            if one != REPRODUCED:
                said.append(f"{name} {one}")
        outcomes.append("; ".join(said) or REPRODUCED)
    return Table({**columns, "outcome": outcomes})


def _correlations(found: ApproachComparison, name: str, track: Column | None) -> Table:
    """Table 4, top and middle: a row for each pair of approaches or aspects."""
    pairs = [*PAIRS, *combinations(found.aspects, 2)]
    tau = {pair: found.tau(name, *pair) for pair in pairs}
    slips = {pair: _name_tau(found, name, pair) for pair in pairs}
    first = f"Table 4, correlation, {name}"
    columns: dict[str, list[Any]] = {
        first: [f"{a} - {b}" for a, b in pairs],
        "τ_b by topic": list(tau.values()),
        "τ of names": list(slips.values()),
    }
    if track is None or name not in _COLUMN:
        return Table({**columns, "outcome": [_not_printed(name)] * len(pairs)})
    both = [track.tau.get((a, b)) or track.tau.get((b, a)) for a, b in pairs]
    printed = [None if known is None else known[_COLUMN[name]] for known in both]
    cut = track.data.deeper(found.about["longest ranking"])
    outcomes = []
    for pair, known in zip(pairs, printed, strict=True):
        of_names = "the printed value is the τ of the names of the runs"
        if known is not None and outcome(slips[pair], known, 2, None, "") != REPRODUCED:
            gap = abs(slips[pair] - known)
            of_names = cut or f"{of_names}, and ours is {gap:.4f} away from it"
        outcomes.append(outcome(tau[pair].value, known, 2, None, of_names))
    return Table({**columns, "printed": printed, "outcome": outcomes}, precision={"printed": 2})


def _name_tau(found: ApproachComparison, name: str, pair: tuple[str, str]) -> float:
    """Compute what the authors' program does: τ of the names of the runs at each rank, compared as text.

    Scores are rounded to four decimals. Runs with the same score are ordered by their names in capitals.
    """
    names = found.scores.runs
    place = {name: i for i, name in enumerate(sorted(names))}
    columns = [_as_printed(found, name, one) for one in pair]
    taus = []
    for topic in range(len(found.scores.topics)):
        ranked = [
            [
                float(place[name])
                for _, _, name in sorted(
                    (x, name.upper(), name) for x, name in zip(column[:, topic].tolist(), names, strict=True)
                )
            ]
            for column in columns
        ]
        taus.append(tau_b(np.array(ranked[0]), np.array(ranked[1])))
    return float(np.mean(taus))


def _as_printed(found: ApproachComparison, name: str, of: str) -> Floats:
    """(run, topic) the scores by an approach or of an aspect, with four decimals

    The authors' program computes CAM and MM from scores of aspects that have four decimals already.
    """
    place = found.scores.measures.index

    def rounded(measure: Measure) -> Floats:
        return np.asarray(np.round(found.scores.values[:, :, place(str(measure))], 4))

    if of not in ("CAM", "MM") or found.about["scores"]["aspect weights"] != "uniform":
        return rounded({**found.families[name], **found.single[name]}[of])
    aspects = np.stack([rounded(measure) for measure in found.single[name].values()])
    if of == "CAM":
        return np.asarray(np.round(aspects.mean(0), 4))
    above = (aspects > 0).all(0)
    harmonic = len(aspects) / (1 / np.where(above, aspects, 1.0)).sum(0)
    return np.asarray(np.round(np.where(above, harmonic, 0.0), 4))


def _powers_table(
    found: ApproachComparison, name: str, zeros: Mapping[str, approaches.Power] | None, track: Column | None
) -> Table:
    """Table 4, bottom.

    zeros : the powers if unjudged topics count as topics on which all runs score 0.
    """
    powers = found.powers[name]
    columns: dict[str, list[Any]] = {
        f"Table 4, discriminative power, {name}": list(powers),
        "power (%)": [with_interval(p.share, p.low, p.high) for p in powers.values()],
    }
    if zeros is not None:
        columns["unjudged topics as 0"] = [zeros[approach].share for approach in powers]
    if track is None or name not in _COLUMN:
        return Table({**columns, "outcome": [_not_printed(name)] * len(powers)}, digits=2)
    printed = [track.power[approach][_COLUMN[name]] for approach in powers]
    cut = track.data.deeper(found.about["longest ranking"])
    said = [
        outcome(p.share, q, 2, None, cut or _why_power(p, q, found.about))
        for p, q in zip((zeros or powers).values(), printed, strict=True)
    ]
    return Table({**columns, "printed": printed, "outcome": said}, digits=2)


def _why_power(power: approaches.Power, printed: float, about: Mapping[str, Any]) -> str:
    """Why a power differs from the printed one: because of its resamples, if they can explain it.

    The ASL of a pair is a share of the resamples. A pair is undecided if its ASL is within two standard
    errors of the level.
    """
    level, resamples = about["alpha"], about["resamples"]
    doubt = 2 * float(np.sqrt(level * (1 - level) / resamples))
    least, most = (100 * float((power.asl < end).mean()) for end in (level - doubt, level + doubt))
    undecided = int(((power.asl >= level - doubt) & (power.asl < level + doubt)).sum())
    if least <= printed <= most:
        return (
            f"the bootstrap is random: {undecided} of {len(power.asl)} pairs are too near to the level for "
            f"{resamples} resamples"
        )
    return f"it is {abs(power.share - printed):.2f} points away, which {resamples} resamples do not explain"


def _with_zeros(found: ApproachComparison) -> Scores | None:
    """The scores with 0 on the topics that the runs have and the judgments lack; None if there are none."""
    unjudged = found.about["scores"].get("topics of a run without judgments", {})
    number = max(unjudged.values(), default=0)
    if not number:
        return None
    own = found.scores
    nothing = np.zeros((len(own.runs), number, len(own.measures)))
    names = tuple(f"unjudged topic {i + 1}" for i in range(number))
    return Scores(own.runs, own.topics + names, own.measures, np.concatenate([own.values, nothing], 1), {})


def _not_printed(name: str) -> str:
    """The reason why Table 4 has no number to compare with."""
    if name not in _COLUMN:
        return "not printed: Table 4 has NDCG and AP without a cutoff"
    return "not printed: Table 4 has no public collection with these topics and as many runs"


_HOW = {
    "count": "every topic",
    "drop": "topics on which a run scores above 0",
}


def _sums(zeros: Zeros, track: Column | None) -> str:
    """The outcome of Tables 5 and 6: what the given data is to the ten tracks."""
    if zeros != "count":
        return "not printed: the paper counts every topic"
    return f"{_ALL}, and these are {'not one of them' if track is None else f'{track.data.name} alone'}"


def _zero_documents(found: ApproachComparison, zeros: Zeros, track: Column | None) -> Table:
    """Table 5: documents with the lowest label on every aspect at the top of the best run."""
    counts, shares, documents = found.trash_shares(zeros)
    k = counts.shape[1]
    rows = [*(f"rank {r + 1}" for r in range(k)), f"ranks 1-{k}", "% of documents", "documents"]
    columns: dict[str, list[Any]] = {f"Table 5, trash@{k}, {_HOW[zeros]}": rows}
    for a, name in enumerate(found.approaches):
        columns[name] = [*counts[a].tolist(), float(counts[a].sum()), shares[a], float(documents[a])]
    if zeros == "count":
        for name, printed in TABLE_5.items():
            columns[f"printed {name}"] = [*printed, TABLE_5_DOCUMENTS]
    return Table({**columns, "outcome": [_sums(zeros, track)] * len(rows)}, digits=2)


def _label_sums_table(found: ApproachComparison, zeros: Zeros, track: Column | None) -> Table:
    """Table 6: the mean label sum of documents in the best run."""
    bands = found.bands()
    columns: dict[str, list[Any]] = {f"Table 6, mean label sum, {_HOW[zeros]}": bands}
    columns |= dict(zip(found.approaches, found.label_sums(zeros), strict=True))
    if zeros == "count":
        columns |= {f"printed {name}": list(printed) for name, printed in TABLE_6.items()}
    return Table({**columns, "outcome": [_sums(zeros, track)] * len(bands)}, digits=2)


def _figure_2(ideal: Attainable, judged: Judgments) -> Table:
    """The share of topics for which CAM can reach 1, and for which it cannot reach .9."""
    same = replace(DECISION, runs=None).lacking(judged) is None
    rows = []
    for name, highest in zip(ideal.measures, ideal.highest.T, strict=True):
        one, low = 100 * float((highest > 1 - 1e-9).mean()), 100 * float((highest < 0.9).mean())
        printed = "2 and 26" if same and name == "CAM(nDCG)" else ""
        said = [outcome(x, p, 0, None, "the labels differ") for x, p in ((one, 2), (low, 26))]
        if printed:
            end = next((words for words in said if words != REPRODUCED), REPRODUCED)
        elif same:
            end = "not printed: the caption of Figure 2 names NDCG, and the text below it AP"
        else:
            end = "not printed: Figure 2 is for TREC Decision 2019"
        rows.append((name, one, low, printed, end))
    names = ("Figure 2", "topics at 1 (%)", "below .9 (%)", "printed", "outcome")
    return Table.of_rows(names, rows, digits=0)


def _remarks(found: ApproachComparison, track: Column | None) -> Iterator[str]:
    about = found.about
    yield (
        f"Tables 4 to 6 and Figure 2 were computed from the {about['runs']} runs and {about['topics']} "
        "topics that were given."
        + ("" if track is None else f" The printed numbers of Table 4 are for {track.data.name}.")
        + " The printed numbers of Tables 5 and 6 are sums over ten tracks."
    )
    yield (
        "τ_b: Kendall's τ_b between rankings of the runs, averaged over topics. τ of names: the τ of the "
        "authors' program, which compares the names of the runs at each rank as text. In brackets: "
        "95 % intervals over topics."
    )
    yield f"Power: paired bootstrap at the level {about['alpha']:g} with {about['resamples']} resamples."
    unjudged = max(about["scores"].get("topics of a run without judgments", {}).values(), default=0)
    if unjudged:
        yield (
            f"Unjudged topics as 0: the runs have {unjudged} topics without judgments. The authors' program "
            "counts such topics in the power, with the score 0 for every run."
        )
    yield (
        "Tables 5 and 6 look at the best run of each topic. Runs that tie for the best count in equal "
        "shares. The paper counts every topic for every approach, even if every run scores 0 there and all "
        "runs tie."
    )
