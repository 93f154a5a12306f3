"""Chandar and Carterette (2013): Tables 2 and 3, and Figures 2 to 6.

Table 2 is a worked example. The others simulate preferences from judgments of subtopics and compare nPrf with
measures of subtopics; `rankprism.preferences.experiments` computes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from rankprism.evaluation import evaluate, run_sources
from rankprism.formats.judgments import read_judgments
from rankprism.measures.preferences.prf import greedy_ideal, prf, reaching
from rankprism.measures.preferences.utility import raw
from rankprism.preferences.experiments import (
    RBP_MEAN,
    RR_MIN,
    IncompleteCorrelation,
    MeasureCorrelation,
    ProfileCorrelation,
    incomplete_correlation,
    measure_correlation,
    profile_correlation,
)
from rankprism.preferences.simulation import complete, users_of
from rankprism.preferences.user_profiles import read_profiles
from rankprism.reproduce.paper import (
    ONE_RUN,
    Printed,
    Reproduction,
    left_out,
    numbered,
    outcome,
    with_interval,
)
from rankprism.results.result import Table
from rankprism.statistics.threads import Share
from rankprism.types import JudgmentsLike, RunsLike

WEB = Printed("48 runs of TREC Web 2009", numbered(1, 50), 48)
PROFILES = "needs data that is not public: 48 runs of TREC Web 2009, and the authors' profiles"
_DRAWN = "no printed numbers: the paper has a drawing"

#: Table 2: the subtopics of six documents, three users, and two lists with what is printed for them.
EXAMPLE = {"q": {"a": {"d1": 1}, "b": {"d2": 1}, "c": {"d3": 1, "d4": 1}, "d": {"d5": 1}, "e": {"d6": 1}}}
USERS = {"q": {"A": {"a": 1, "b": 1}, "B": {"c": 1}, "C": {"d": 1, "e": 1}}}
LISTS = {"List 1": ("d1", "d2", "d3"), "List 2": ("d1", "d3", "d5")}
TABLE_2 = {"α-nDCG": (1.0, 1.0), "preference measure": (0.9, 1.0)}
#: Table 3.
TABLE_3 = {
    ("alpha_nDCG@20", "ERR_IA@20"): 0.893,
    ("alpha_nDCG@20", "StRecall@20"): 0.828,
    ("ERR_IA@20", "StRecall@20"): 0.739,
}
#: Figure 4, in the text: τ for the first, second and third profile.
FIGURE_4 = (0.83, 0.88, 0.82)


def preferences(
    judgments: JudgmentsLike,
    runs: RunsLike,
    profiles: Any = None,
    *,
    draw: int = 3,
    theta: float = 0.2,
    documents: int = 100,
    ties: str = "half",
    triplets: Sequence[int] = (100, 300, 1000, 3000, 8000),
    assessors: int = 5,
    repetitions: int = 10,
    seed: int = 0,
    order: str = "score",
    duplicates: str = "error",
    run_format: str | None = None,
    on_share: Share | None = None,
) -> Reproduction:
    """Tables 2 and 3 and Figures 2 to 6 of Chandar and Carterette (2013).

    judgments, runs, order, duplicates, run_format : as `rankprism.evaluate` takes them.
    profiles : whatever `read_profiles` takes. Default: `draw` of them are drawn by the seed.
    theta : the probability to stop at a document in RBP. The paper does not say what it is.
    documents, ties, triplets, assessors, repetitions : of the simulation, see
        `rankprism.preferences.experiments`. The paper lets a coin decide ties, which is ties="drawn".
    """
    judged = read_judgments(judgments)
    tell = on_share or (lambda share: None)
    if len(run_sources(runs)) < 2:
        names = ("Table 3", *(f"Figure {number}" for number in range(2, 7)))
        about = {"paper": "Chandar and Carterette 2013", "theta": theta}
        return Reproduction((_table_2(theta), left_out(names, ONE_RUN)), about=about)
    shared: dict[str, Any] = {"documents": documents, "ties": ties, "seed": seed}
    shared |= {"order": order, "duplicates": duplicates, "run_format": run_format}
    measured = measure_correlation(
        judged, runs, theta=theta, on_share=lambda share: tell(0.2 * share), **shared
    )
    profiled = profile_correlation(
        judged, runs, profiles, draw=draw, on_share=lambda share: tell(0.2 + 0.2 * share), **shared
    )
    few = incomplete_correlation(
        judged,
        runs,
        profiles,
        draw=draw,
        measures=[RR_MIN, "nPrf(browsing='rr',combine='min',unseen='skip')@20"],
        triplets=triplets,
        assessors=assessors,
        repetitions=repetitions,
        on_share=lambda share: tell(0.4 + 0.6 * share),
        **shared,
    )
    lacking = WEB.lacking(judged, len(measured.scores.runs))
    return Reproduction(
        (
            _table_2(theta),
            _table_3(measured, lacking),
            _figure_2(measured, lacking),
            _figure_3(measured, lacking),
            *_figures_4_and_5(profiled),
            _figure_6(few),
        ),
        tuple(_remarks(measured, few, profiles is None)),
        {
            "Figure 2": measured.scores.select(measures=[_first_form(measured), "alpha_nDCG@20"]),
            "Figure 3": measured,
            "Figures 4 and 5": profiled,
            "Figure 6": few,
        },
        {
            "paper": "Chandar and Carterette 2013",
            "theta": theta,
            **few.about,
            "profiles": profiled.profiles.source,
        },
    )


def _first_form(found: MeasureCorrelation) -> str:
    """nPrf with RBP and the mean, as in Figure 2."""
    return next(str(f) for f in found.forms if (f["browsing"], f["combine"]) == ("rbp", "mean"))


def _table_2(theta: float) -> Table:
    judged = read_judgments(EXAMPLE)
    runs = {name: {"q": {d: -float(i) for i, d in enumerate(docs)}} for name, docs in LISTS.items()}
    gain = evaluate(judged, runs, ["alpha_nDCG@3"]).mean()
    columns: dict[str, list[Any]] = {
        name: [] for name in ("Table 2", *LISTS, *(f"printed {name}" for name in LISTS), "outcome")
    }

    def add(name: str, found: Sequence[float], printed: Sequence[float], why: str) -> None:
        said = [outcome(x, p, 1, None, why) for x, p in zip(found, printed, strict=True)]
        worst = next((s for s in said if s != "reproduced"), "reproduced")
        for column, value in zip(columns.values(), (name, *found, *printed, worst), strict=True):
            column.append(value)

    add("α-nDCG@3", [gain[name]["alpha_nDCG@3"] for name in LISTS], TABLE_2["α-nDCG"], "")
    for novelty, words in (
        ("subtopic", "as described"),
        ("profile", "one document satisfies a user, our reading"),
    ):
        for combine in ("mean", "min"):
            found = _example_scores(novelty, combine, theta)
            why = "all utilities are ½ in the simulation that Section 4.2 describes"
            add(f"nPrf@3, {combine}, {words}", found, TABLE_2["preference measure"], why)
    return Table(columns, precision={f"printed {name}": 1 for name in LISTS})


def _example_scores(novelty: str, combine: str, theta: float) -> list[float]:
    """nPrf@3 of both lists, with RBP. In the ideal ranking, ties are in the order of the documents."""
    pool = {"q": tuple(f"d{i}" for i in range(1, 7))}
    users = users_of(read_judgments(EXAMPLE), pool, read_profiles(USERS), novelty=novelty)
    shown = complete(users)["q"]
    utilities, reach = raw(shown, "zero"), reaching("rbp", theta, 3, 3)
    ranks = np.arange(1, 4, dtype=np.int32)[None, :]

    def value(docs: Sequence[int]) -> float:
        length = np.array([len(docs)], dtype=np.int32)
        return float(prf(utilities, ranks, np.array([docs], dtype=np.int64), length, combine, reach)[0])

    ideal = value(greedy_ideal(utilities, combine, 3).tolist())
    return [value([shown.docs.index(doc) for doc in docs]) / ideal for docs in LISTS.values()]


def _table_3(found: MeasureCorrelation, lacking: str | None) -> Table:
    taus = [found.tau(*pair) for pair in TABLE_3]
    said = partial(outcome, digits=3, lacking=lacking, why="the runs are ordered otherwise")
    return Table(
        {
            "Table 3": [f"{a} - {b}" for a, b in TABLE_3],
            "τ_b": [with_interval(*tau) for tau in taus],
            "printed": list(TABLE_3.values()),
            "outcome": [said(tau[0], p) for tau, p in zip(taus, TABLE_3.values(), strict=True)],
        },
        digits=3,
    )


def _figure_2(found: MeasureCorrelation, lacking: str | None) -> Table:
    """The runs by α-nDCG, with nPrf beside it."""
    means, form = found.scores.mean(), _first_form(found)
    runs = sorted(means, key=lambda run: (means[run]["alpha_nDCG@20"], run))
    return Table(
        {
            "Figure 2": runs,
            "alpha_nDCG@20": [means[run]["alpha_nDCG@20"] for run in runs],
            form: [means[run][form] for run in runs],
            "outcome": [lacking or _DRAWN] * len(runs),
        }
    )


def _figure_3(found: MeasureCorrelation, lacking: str | None) -> Table:
    """τ of every form of nPrf with every measure of subtopics."""
    columns: dict[str, list[Any]] = {
        "Figure 3": [f"{form['browsing']}, {form['combine']}" for form in found.forms]
    }
    for other in found.others:
        columns[other] = [with_interval(*found.tau(str(form), other)) for form in found.forms]
    return Table({**columns, "outcome": [lacking or _DRAWN] * len(found.forms)}, digits=2)


def _figures_4_and_5(found: ProfileCorrelation) -> Iterator[Table]:
    single = len(found.profiles.names)
    parts = {"Figure 4": found.compared[:single], "Figure 5": found.compared[single:]}
    for name, compared in parts.items():
        printed = [
            FIGURE_4[i] if name == "Figure 4" and i < len(FIGURE_4) else None for i in range(len(compared))
        ]
        yield Table(
            {
                name: [f"{one.first} - {one.second}" for one in compared],
                "τ_b": [with_interval(one.tau, one.low, one.high) for one in compared],
                "printed": printed,
                "outcome": [PROFILES] * len(compared),
            },
            digits=2,
        )


def _figure_6(found: IncompleteCorrelation) -> Table:
    """τ with the ranking from all preferences, by the number of triplets."""
    rows = found.rows.columns
    cells = zip(rows["tau"], rows["low"], rows["high"], strict=True)
    return Table(
        {
            "Figure 6": rows["measure"],
            "triplets": rows["triplets"],
            "judgments": rows["judgments"],
            "τ_b": [with_interval(*cell) for cell in cells],
            "outcome": [PROFILES] * len(rows["tau"]),
        },
        digits=2,
    )


def _remarks(found: MeasureCorrelation, few: IncompleteCorrelation, drawn: bool) -> Iterator[str]:
    about = few.about
    yield (
        f"Computed from the {about['runs']} runs and {about['topics']} topics that were given, with "
        f"{about['documents']} documents for each topic; ties {about['ties']}. They stand in for the 48, 32 "
        f"and 62 runs of TREC Web 2009, 2010 and 2011, which TREC gives only to its participants."
    )
    if drawn:
        yield f"The authors' profiles could not be obtained. Here they are drawn: {few.profiles.source}."
    yield (
        f"In brackets: 95 % intervals over topics; in Figure 6, t intervals of the mean of "
        f"{about['repetitions']} repetitions. {RBP_MEAN} takes RBP and the mean."
    )
