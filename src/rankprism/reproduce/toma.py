"""Maistro, Lima, Simonsen and Lioma (2021): Tables 1 and 3 to 6, and Figures 1 and 2.

Tables 1 and 3 are a worked example. The others compare CAM, MM and TOMA on a collection with several aspects,
which is what `rankprism.reproduce.approaches` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankprism import sample
from rankprism.aspects.ideal_rankings import Attainable, attainable
from rankprism.aspects.label_order import order
from rankprism.data.judgments import Judgments
from rankprism.data.scales import Scale
from rankprism.evaluation import evaluate, parsed, run_sources
from rankprism.formats.judgments import read_judgments
from rankprism.measures import parse
from rankprism.measures.distance_order import embedded
from rankprism.meta.rank_correlation import tau_b
from rankprism.reproduce.approaches import (
    BAND,
    BANDS,
    TOMA_DISTANCES,
    TRASH,
    Analysis,
    analyse,
    approaches,
)
from rankprism.reproduce.paper import ONE_RUN, REPRODUCED, Printed, Reproduction, left_out, numbered, outcome
from rankprism.results.result import Result, Table
from rankprism.results.scores import Scores
from rankprism.statistics.threads import Share
from rankprism.types import JudgmentsLike, MeasuresLike, RunsLike

DECISION = Printed(
    "the 32 runs of TREC Decision 2019",
    tuple(topic for topic in numbered(1, 51) if topic != "14"),
    32,
    highest=2,
    is_public=True,
)
_OWN = (
    "CAM, MM and TOMA are compared over several aspects that all topics share, such as relevance and "
    "credibility, and the topics of these judgments do not share such aspects"
)
_ALL = "needs data that is not public: the runs of ten TREC tracks, and their popularity and spam scores"
_COLUMN = {"nDCG": 0, "AP": 1}
#: Table 1: for each embedding of correctness and each distance the printed sequence, best first. The paper
#: writes ≤ between all tuples, so that ties cannot be seen.
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
#: Table 4, the columns of Decision 2019: τ with NDCG and AP. Credibility and correctness are exchanged in the
#: printed rows of single aspects; here they have their right names.
TABLE_4 = {
    ("EUCL", "CAM"): (0.76, 0.60),
    ("EUCL", "MM"): (0.46, 0.31),
    ("MANH", "CAM"): (0.69, 0.60),
    ("MANH", "MM"): (0.41, 0.31),
    ("CHEB", "CAM"): (0.27, 0.27),
    ("CHEB", "MM"): (0.58, 0.60),
    ("EUCL", "MANH"): (0.72, 1.00),
    ("EUCL", "CHEB"): (0.28, 0.21),
    ("MANH", "CHEB"): (0.25, 0.21),
    ("CAM", "MM"): (0.51, 0.41),
    ("correctness", "credibility"): (0.26, 0.26),
    ("relevance", "correctness"): (0.33, 0.33),
    ("relevance", "credibility"): (0.42, 0.49),
}
POWERS = {
    "CAM": (72.58, 70.56),
    "MM": (60.08, 53.23),
    "EUCL": (73.59, 73.99),
    "MANH": (73.79, 73.79),
    "CHEB": (42.54, 29.84),
}
#: Table 5: documents at ranks 1 to 5, at all of these, and the share of all documents in %.
TABLE_5 = {
    "CAM": (51, 65, 103, 102, 107, 428, 9.88),
    "MM": (131, 159, 202, 173, 196, 861, 19.88),
    "EUCL": (39, 50, 88, 86, 95, 358, 8.27),
    "MANH": (33, 48, 78, 74, 81, 314, 7.25),
    "CHEB": (154, 179, 185, 183, 205, 906, 20.92),
}
TABLE_6 = {
    "CAM": (1.70, 0.85, 0.57, 0.40),
    "MM": (1.49, 0.78, 0.53, 0.39),
    "EUCL": (1.67, 0.91, 0.63, 0.43),
    "MANH": (1.69, 0.94, 0.64, 0.44),
    "CHEB": (1.39, 0.70, 0.48, 0.36),
}


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def toma(
    judgments: JudgmentsLike | None = None,
    runs: RunsLike | None = None,
    measures: MeasuresLike = ("nDCG", "AP"),
    *,
    settings: Mapping[str, Any] | None = None,
    alpha: float = 0.01,
    resamples: int = 10_000,
    seed: int = 0,
    on_share: Share | None = None,
    **reading: Any,
) -> Reproduction:
    """Tables 1 and 3 to 6 and Figures 1 and 2 of Maistro et al. (2021).

    judgments, runs : as `rankprism.evaluate` takes them; `reading` are topics, order, duplicates, run_format
        and threads. Default: the sample collection, with `sample_aspects`.
    measures : the single-aspect measures that all approaches are applied to.
    settings : parameters of TOMA, such as ``{"tuples": "seen"}``.
    alpha, resamples, seed : of the paired bootstrap test.
    """
    judged = sample_aspects() if judgments is None else read_judgments(judgments)
    sources: Any = list(sample.RUNS) if runs is None else runs
    example = (_table_1(), *(_table_3(measure) for measure in TABLE_3))
    paper = "Maistro, Lima, Simonsen and Lioma 2021"
    if not _has_common_aspects(judged):
        data = ("Table 4", "Table 5", "Table 6", "Figure 1", "Figure 2")
        return Reproduction((*example, left_out(data, _OWN)), about={"paper": paper})
    names = [str(measure) for measure in parsed(measures)]
    ideal = attainable(judged, [f"CAM({name})" for name in names], exact=0)
    figures: dict[str, Result] = {"Figure 1": order(judged.cells.labels.scales[:2]), "Figure 2": ideal}
    if len(run_sources(sources)) < 2:
        parts = (*example, _figure_2(ideal, judged), left_out(("Table 4", "Table 5", "Table 6"), ONE_RUN))
        return Reproduction(parts, figures=figures, about={"paper": paper})
    found = analyse(
        judged,
        sources,
        measures,
        toma=settings,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        on_share=on_share,
        **reading,
    )
    lacking = DECISION.lacking(judged, len(found.scores.runs))
    return Reproduction(
        (
            *example,
            *(_correlations(found, name, lacking) for name in names),
            *(_powers_table(found, name, lacking) for name in names),
            _zero_documents(found),
            _label_sums_table(found),
            _figure_2(ideal, judged),
        ),
        tuple(_remarks(found)),
        figures,
        {"paper": paper, **found.about},
    )


def _has_common_aspects(judged: Judgments) -> bool:
    """Whether all topics have the same aspects, and several of them."""
    found = set(judged.aspects.values())
    return len(found) == 1 and len(next(iter(found))) > 1


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
    columns: dict[str, list[Any]] = {
        name: [] for name in ("Table 1", "computed, best first", "printed", "outcome")
    }
    for (embed, distance), printed in TABLE_1.items():
        scales = _example_scales(embed)
        found = order(scales, distance, tuples="valid").order
        classes = [
            [_written(embedded(scales, labels)) for labels in members] for members in reversed(found.classes)
        ]
        place = {one: c for c, members in enumerate(classes) for one in members}
        places = [place.get(one, -1) for one in printed.split()]
        kept = len(places) == len(place) and places == sorted(places)
        row = (
            f"{{{embed}}}, {distance}",
            " ".join("=".join(members) for members in classes),
            printed,
            REPRODUCED if kept else "differs because tuples are in another order",
        )
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return Table(columns)


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
    inner = parse(single)
    family = approaches(inner, weights=weights, tuples="valid")
    if measure == "AP":  # TOMA makes the labels binary itself
        of_classes = approaches(parse("AP"), weights=weights, tuples="valid")
        family = {name: of_classes[name] if name in TOMA_DISTANCES else m for name, m in family.items()}
    rankings = TABLE_3[measure]
    runs = {r: {"t": {f"d{d}": -float(i) for i, d in enumerate(r)}} for r in rankings}
    means = evaluate(judged, runs, list(family.values())).mean()
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


def _correlations(found: Analysis, name: str, lacking: str | None) -> Table:
    """Table 4, top and middle: a row for each pair of approaches or aspects."""
    both = {**found.between[name], **found.single[name]}
    column = _COLUMN.get(name)
    printed = {pair: TABLE_4[pair][column] for pair in both if pair in TABLE_4 and column is not None}
    slips = {pair: _name_tau(found.scores, *_measures_of(found, name, pair)) for pair in both}
    outcomes = []
    for pair, tau in both.items():
        known = printed.get(pair)
        said = outcome(tau, known, 2, lacking, "the conventions are others")
        same = lacking is None and known is not None and said != REPRODUCED
        if same and outcome(slips[pair], known, 2, None, "") == REPRODUCED:
            said = "differs because the printed value is the τ of the names of the runs"
        outcomes.append(said)
    return Table(
        {
            f"Table 4, correlation, {name}": [f"{a} - {b}" for a, b in both],
            "τ_b by topic": list(both.values()),
            "τ of names": list(slips.values()),
            "printed": [printed.get(pair) for pair in both],
            "outcome": outcomes,
        },
        precision={"printed": 2},
    )


def _measures_of(found: Analysis, name: str, pair: tuple[str, str]) -> tuple[str, str]:
    family = {**found.families[name], **found.aspects[name]}
    return str(family[pair[0]]), str(family[pair[1]])


def _name_tau(scores: Scores, first: str, second: str) -> float:
    """What the authors' program computes: τ of the names of the runs at each rank, compared as text.

    Scores have four decimals. Runs with the same score come in the order of their names in capitals.
    """
    names = scores.runs
    place = {name: i for i, name in enumerate(sorted(names))}
    columns = [scores.values[:, :, scores.measures.index(measure)] for measure in (first, second)]
    found = []
    for topic in range(len(scores.topics)):
        ranked = [
            [
                float(place[name])
                for _, _, name in sorted(
                    (round(float(x), 4), name.upper(), name)
                    for x, name in zip(column[:, topic], names, strict=True)
                )
            ]
            for column in columns
        ]
        found.append(tau_b(np.array(ranked[0]), np.array(ranked[1])))
    return float(np.mean(found))


def _powers_table(found: Analysis, name: str, lacking: str | None) -> Table:
    """Table 4, bottom."""
    shares, column = found.power[name], _COLUMN.get(name)
    printed = [None if column is None else POWERS[approach][column] for approach in shares]
    why = "the bootstrap is random"
    return Table(
        {
            f"Table 4, discriminative power, {name}": list(shares),
            "power (%)": list(shares.values()),
            "printed": printed,
            "outcome": [
                outcome(share, p, 2, lacking, why) for share, p in zip(shares.values(), printed, strict=True)
            ],
        },
        digits=2,
    )


def _zero_documents(found: Analysis) -> Table:
    """Table 5: documents with the lowest label on every aspect at the top of the best run."""
    rows = [*(f"rank {r}" for r in range(1, TRASH + 1)), f"ranks 1-{TRASH}", "% of documents"]
    columns: dict[str, list[Any]] = {f"Table 5, trash@{TRASH}": rows}
    for name, (zero, documents) in found.trash.items():
        columns[name] = [*zero, sum(zero), 100 * sum(zero) / documents if documents else None]
    for name, printed in TABLE_5.items():
        columns[f"printed {name}"] = list(printed)
    return Table({**columns, "outcome": [_ALL] * len(rows)}, digits=2)


def _label_sums_table(found: Analysis) -> Table:
    """Table 6: the mean label sum of documents in the best run."""
    bands = [f"ranks {1 + b * BAND}-{(b + 1) * BAND}" for b in range(BANDS)]
    columns: dict[str, list[Any]] = {"Table 6, mean label sum": bands}
    columns |= {name: list(means) for name, means in found.quality.items()}
    columns |= {f"printed {name}": list(printed) for name, printed in TABLE_6.items()}
    return Table({**columns, "outcome": [_ALL] * len(bands)}, digits=2)


def _figure_2(ideal: Attainable, judged: Judgments) -> Table:
    """For how many topics CAM can reach 1, and for how many not even .9."""
    lacking = replace(DECISION, runs=None).lacking(judged)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("Figure 2", "topics at 1 (%)", "below .9 (%)", "printed", "outcome")
    }
    for name, highest in zip(ideal.measures, ideal.highest.T, strict=True):
        one, low = 100 * float((highest > 1 - 1e-9).mean()), 100 * float((highest < 0.9).mean())
        said = [outcome(x, p, 0, lacking, "") for x, p in ((one, 2), (low, 26))]
        if name != "CAM(nDCG)":
            end = "not printed: the caption of Figure 2 names NDCG, and the text below it AP"
        elif lacking is None:
            end = REPRODUCED if set(said) == {REPRODUCED} else "differs because the labels are others"
        else:
            end = lacking
        row = (name, one, low, "2 and 26" if name == "CAM(nDCG)" else "", end)
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return Table(columns, digits=0)


def _remarks(found: Analysis) -> Iterator[str]:
    about = found.about
    yield (
        f"Tables 4 to 6 and Figure 2 are those of the {about['runs']} runs and {about['topics']} topics that "
        f"were given. The printed numbers of Table 4 are those of the TREC Decision track 2019."
    )
    yield (
        "τ_b: Kendall's τ_b between rankings of the runs, the mean over topics. τ of names: what the "
        "authors' program computes, which compares the names of the runs at each rank as text."
    )
    yield f"Power: paired bootstrap at the level {about['alpha']:g} with {about['resamples']} resamples."
