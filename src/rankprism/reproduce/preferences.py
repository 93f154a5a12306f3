"""Chandar and Carterette (2013): Tables 2 and 3, and Figures 2 to 6.

Table 2 is a worked example. The others simulate preferences from judgments of subtopics and compare nPrf with
measures of subtopics; `rankprism.preferences.experiments` computes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Unpack, get_args

import numpy as np

from rankprism.evaluation import evaluate
from rankprism.formats import read_judgments, run_sources
from rankprism.judging.preferences import (
    IncompleteCorrelation,
    MeasureCorrelation,
    ProfileCorrelation,
    incomplete_correlation,
    measure_correlation,
    profile_correlation,
    read_profiles,
    simulation,
)
from rankprism.judging.preferences.experiments import RBP_MEAN, TARGETS
from rankprism.measures import Shown, ideal_prf, parse, prf, raw, reaching
from rankprism.reproduce.paper import (
    ONE_RUN,
    Printed,
    Reproduction,
    left_out,
    numbered,
    outcome,
    with_interval,
)
from rankprism.results import Table
from rankprism.statistics import Share
from rankprism.types import (
    JudgmentsLike,
    Novelty,
    Positive,
    RunsLike,
    SimulationOptions,
    Target,
)

WEB = Printed("48 runs of TREC Web 2009", numbered(1, 50), 48)
_DRAWN = "no printed numbers: the paper has a drawing"

#: Table 2: the subtopics of six documents, three users, two lists, and the printed scores of the lists.
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
#: The measure of Figure 6 as printed, and with other ways to treat documents that nobody was shown.
FIGURE_6 = tuple(
    f"nPrf(browsing='rr',combine='min'{way})@20" for way in ("", ",unseen='skip'", ",estimate='pooled'")
)
#: Number of times that the coins of Table 2 are drawn.
DRAWS = 1000


def preferences(
    judgments: JudgmentsLike,
    runs: RunsLike,
    profiles: Any = None,
    *,
    draw: Positive = 3,
    theta: float = 0.2,
    triplets: Sequence[int] = (100, 300, 1000, 3000, 8000),
    assessors: Positive = 5,
    repetitions: Positive = 10,
    on_share: Share | None = None,
    **simulated: Unpack[SimulationOptions],
) -> Reproduction:
    """Reproduce Tables 2 and 3 and Figures 2 to 6 of Chandar and Carterette (2013).

    Parameters
    ----------
    judgments
        As for `rankprism.evaluate`.
    runs
        As for `rankprism.evaluate`.
    profiles
        Whatever `read_profiles` takes. Default: `draw` random profiles.
    draw
        Without profiles: number of profiles to draw for each topic.
    theta
        With rbp: the probability to stop at a document.

        The paper does not give it. Figure 6 has another browsing model, without θ.
    triplets
        Numbers of triplets per topic to try, separated by commas.
    assessors
        Number of users who judge each drawn triplet.
    repetitions
        Number of times that triplets are drawn anew.
    **simulated
        What the users see and how they judge, as for `rankprism.preferences.simulate`, and how to read the
        runs. The paper lets a coin decide ties. Table 2 is computed both ways.
    """
    judged = read_judgments(judgments)
    tell = on_share or (lambda share: None)
    if len(run_sources(runs)) < 2:
        names = ("Table 3", *(f"Figure {number}" for number in range(2, 7)))
        about = {"paper": "Chandar and Carterette 2013", "theta": theta}
        return Reproduction((_table_2(theta), left_out(names, ONE_RUN)), about=about)
    measured = measure_correlation(
        judged, runs, theta=theta, on_share=lambda share: tell(0.2 * share), **simulated
    )
    profiled = profile_correlation(
        judged,
        runs,
        profiles,
        draw=draw,
        measure=parse(RBP_MEAN)(theta=theta),
        on_share=lambda share: tell(0.2 + 0.2 * share),
        **simulated,
    )
    few = {
        target: incomplete_correlation(
            judged,
            runs,
            profiles,
            draw=draw,
            measures=FIGURE_6,
            triplets=triplets,
            assessors=assessors,
            repetitions=repetitions,
            target=target,
            on_share=lambda share, done=done: tell(0.4 + 0.3 * (done + share)),  # type: ignore[misc]
            **simulated,
        )
        for done, target in enumerate(get_args(Target))
    }
    lacking = WEB.lacking(judged, len(measured.scores.runs))
    return Reproduction(
        (
            _table_2(theta),
            _table_3(measured, lacking),
            _figure_2(measured, lacking),
            _figure_3(measured, lacking),
            *_figures_4_and_5(profiled, lacking, profiles is None),
            _figure_6(few, _of_profiles(lacking, profiles is None) or _DRAWN),
        ),
        tuple(_remarks(few["profiles"], lacking, profiles is None)),
        {
            "Figure 2": measured.scores.select(measures=[_first_form(measured), "alpha_nDCG@20"]),
            "Figure 3": measured,
            "Figures 4 and 5": profiled,
            "Figure 6": few["profiles"],
        },
        {
            "paper": "Chandar and Carterette 2013",
            "theta": theta,
            **{name: value for name, value in few["profiles"].about.items() if name != "target"},
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
    rows: list[tuple[Any, ...]] = []

    def add(name: str, found: Sequence[float], printed: Sequence[float], why: str) -> None:
        said = [outcome(x, p, 1, None, why) for x, p in zip(found, printed, strict=True)]
        worst = next((s for s in said if s != "reproduced"), "reproduced")
        rows.append((name, *found, *printed, worst))

    printed = TABLE_2["preference measure"]
    add("α-nDCG@3", [gain[name]["alpha_nDCG@3"] for name in LISTS], TABLE_2["α-nDCG"], "")
    described = _example_users("subtopic")
    coins = [simulation.complete(described, ties="drawn", seed=seed)["q"] for seed in range(DRAWS)]
    for combine in ("mean", "min"):
        why = "half a win is what a coin gives to U on average, but not what it gives to nPrf"
        found = _example_scores(simulation.complete(described)["q"], combine, theta)
        add(f"nPrf@3, {combine}, as described, ties half", found, printed, why)
        drawn = np.array([_example_scores(shown, combine, theta) for shown in coins])
        hit = np.round(drawn, 1) == printed
        why = (
            f"the coin decides: List 1 rounds to {printed[0]} in {hit[:, 0].mean():.0%} of {DRAWS} draws, "
            f"List 2 to {printed[1]} in {hit[:, 1].mean():.0%}, both in {hit.all(1).mean():.0%}"
        )
        add(f"nPrf@3, {combine}, as described, coins, mean of draws", drawn.mean(0).tolist(), printed, why)
    for combine in ("mean", "min"):
        found = _example_scores(simulation.complete(_example_users("profile"))["q"], combine, theta)
        add(f"nPrf@3, {combine}, one document satisfies a user, our reading", found, printed, "")
    as_printed = [f"printed {name}" for name in LISTS]
    names = ("Table 2", *LISTS, *as_printed, "outcome")
    return Table.of_rows(names, rows, precision=dict.fromkeys(as_printed, 1))


def _example_users(novelty: Novelty) -> simulation.Users:
    pool = {"q": tuple(f"d{i}" for i in range(1, 7))}
    return simulation.users_of(read_judgments(EXAMPLE), pool, read_profiles(USERS), novelty=novelty)


def _example_scores(shown: Shown, combine: str, theta: float) -> list[float]:
    """nPrf@3 of both lists, with RBP."""
    utilities, reach = raw(shown, "zero"), reaching("rbp", theta, 3, 3)
    docs = np.array([[shown.docs.index(doc) for doc in docs] for docs in LISTS.values()], dtype=np.int64)
    ranks = np.broadcast_to(np.arange(1, 4, dtype=np.int32), docs.shape)
    found = prf(utilities, ranks, docs, np.full(len(docs), 3, dtype=np.int32), combine, reach)
    best = ideal_prf(utilities, combine, reach)
    return [float(score) / best for score in found]


def _table_3(found: MeasureCorrelation, lacking: str | None) -> Table:
    taus = [found.tau(*pair) for pair in TABLE_3]
    said = partial(outcome, digits=3, lacking=lacking, why="the runs are in another order")
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
    """The runs sorted by α-nDCG, with their nPrf."""
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


def _of_profiles(lacking: str | None, drawn: bool) -> str | None:
    """The reason why numbers that depend on profiles cannot be compared; None if they can."""
    if lacking is None:
        return "differs because these profiles were drawn, and are not the authors'" if drawn else None
    return f"{lacking}, and the authors' profiles" if drawn else lacking


def _figures_4_and_5(found: ProfileCorrelation, lacking: str | None, drawn: bool) -> Iterator[Table]:
    needs = _of_profiles(lacking, drawn)
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
                "outcome": [
                    needs or (_DRAWN if p is None else outcome(one.tau, p, 2, None, "the profiles differ"))
                    for one, p in zip(compared, printed, strict=True)
                ],
            },
            digits=2,
        )


def _figure_6(few: Mapping[str, IncompleteCorrelation], said: str) -> Table:
    """τ with the ranking from complete preferences, by the number of triplets and by the target."""
    rows = next(iter(few.values())).rows.columns
    columns: dict[str, Sequence[Any]] = {
        "Figure 6": rows["measure"],
        "triplets": rows["triplets"],
        "judgments": rows["judgments"],
    }
    for target, found in few.items():
        cells = zip(*(found.rows.columns[name] for name in ("tau", "low", "high")), strict=True)
        columns[f"τ_b, {TARGETS[target]}"] = [with_interval(*cell) for cell in cells]
    return Table({**columns, "outcome": [said] * len(rows["tau"])}, digits=2)


def _remarks(few: IncompleteCorrelation, lacking: str | None, drawn: bool) -> Iterator[str]:
    about = few.about
    yield (
        f"Computed from the {about['runs']} runs and {about['topics']} topics that were given, with up to "
        f"{about['documents']} {about['pool']} documents for each topic; ties {about['ties']}."
        + (
            " These runs replace the 48, 32 and 62 runs of TREC Web 2009, 2010 and 2011, which TREC gives "
            "only to its participants."
            if lacking
            else ""
        )
    )
    if drawn:
        yield f"The authors' profiles could not be obtained. These are drawn: {few.profiles.source}."
    yield (
        f"In brackets: 95 % intervals over topics; in Figure 6, t intervals of the mean of "
        f"{about['repetitions']} repetitions. {RBP_MEAN} uses RBP and the mean."
    )
