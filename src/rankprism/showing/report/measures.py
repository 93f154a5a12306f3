"""The measures: how much they agree about the systems, what they can tell apart, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rankprism import meta
from rankprism.comparison import Comparison
from rankprism.data import Floats, Judgments
from rankprism.errors import RankprismError
from rankprism.measures import CITATIONS, Measure, parse
from rankprism.meta import TIED, Correlation, DiscriminativePower, Unanimity, advice
from rankprism.meta.axioms import SIGNS, Verdict, examine, reading_of
from rankprism.meta.axioms.story import evidence as story_of
from rankprism.results import Scores
from rankprism.showing.report.numbers import millionths, rounded
from rankprism.statistics import part_of

#: Number of cases, each a topic and two runs, that are shown for two measures that disagree.
CASES = 5


def described(measure: Measure) -> dict[str, Any]:
    """What a reader has to know about a measure."""
    return {
        "name": str(measure),
        "display": measure.display,
        "summary": measure.definition.summary,
        "cite": [CITATIONS[key].text for key in measure.definition.cite],
        "cutoff": measure.cutoff,
        "sum": measure.is_sum,
        "condensed": measure.is_condensed,
        "needs": measure.needs,
    }


def named(name: str) -> dict[str, Any]:
    """The same for a column of scores. All that is known about a measure of other programs is its name."""
    try:
        return described(parse(name))
    except RankprismError:
        plain: dict[str, Any] = {"name": name, "display": name, "summary": "", "cite": [], "cutoff": None}
        return plain | {"sum": False, "condensed": False, "needs": "judgments"}


def directed(about: dict[str, Any], scores: Scores) -> dict[str, Any]:
    """What a reader has to know about a measure, and whether a lower score is better."""
    lower = about["name"] in scores.lower_is_better
    return about | {"lower": lower, "display": about["display"] + " (lower is better)" * lower}


# ── what the scores tell about the measures ──────────────────────────────────────────────────────


def evidence(scores: Scores, alpha: float, seed: int, on_share: Callable[[float], None]) -> advice.Evidence:
    """Correlation, discriminative power and unanimity, or why there are too few runs, topics or measures."""
    if len(scores.runs) < 2:
        none = "There is only one run, and measures are compared by how they order several runs."
        return advice.Evidence(none, none, none)
    power: DiscriminativePower | str = (
        "There is only one topic, so no pair of systems can be told apart by a test."
    )
    if len(scores.complete().topics) > 1:
        power = meta.power(scores, alpha=alpha, seed=seed, on_share=part_of(on_share, 0, 2))
    if len(scores.measures) < 2:
        none = "There is only one measure, and two are needed to agree."
        return advice.Evidence(none, power, none)
    return advice.Evidence(
        meta.correlation(scores, seed=seed), power, meta.unanimity(scores, on_share=part_of(on_share, 1, 2))
    )


def agreement(scores: Scores, found: advice.Evidence, compared: Comparison | str) -> dict[str, Any]:
    """The evidence as plain values, and where the measures disagree."""
    return {
        "correlation": _or_missing(found.correlation, _correlation),
        "power": _or_missing(found.power, _power),
        "unanimity": _or_missing(found.unanimity, _unanimity),
        "disagreements": {"missing": found.correlation}
        if isinstance(found.correlation, str)
        else _disagreements(scores, compared),
    }


def _or_missing(found: Any, plain: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    return {"missing": found} if isinstance(found, str) else plain(found)


def _correlation(found: Correlation) -> dict[str, Any]:
    low, high = found.interval
    return {"coefficient": "τ", "values": _rows(found.values), "low": _rows(low), "high": _rows(high)}


def _power(found: DiscriminativePower) -> dict[str, Any]:
    columns = found.summary.columns
    return {
        "pairs": len(found.pairs),
        "method": "the paired bootstrap test",
        "resamples": found.about["resamples"],
        "alpha": found.alpha,
        **{name: _rows(np.array([columns[key]]))[0] for name, key in _POWER.items() if key in columns},
        "significant": [int(n) for n in columns["significant"]],
    }


_POWER = {"power": "power", "low": "low", "high": "high", "required": "required Δ"}


def _unanimity(found: Unanimity) -> dict[str, Any]:
    if found.sampled is None:
        low = high = np.full_like(found.mu, np.nan)
    else:
        low, high = found.sampled.interval(-np.inf, 1)
    return {
        "mu": _rows(found.mu[None])[0],
        "low": _rows(low[None])[0],
        "high": _rows(high[None])[0],
        "joined": found.joint.tolist(),
        "unanimous": found.unanimous.tolist(),
    }


def _rows(values: Floats) -> list[list[float | None]]:
    return [[rounded(x) for x in row] for row in np.asarray(values, dtype=np.float64).tolist()]


def _disagreements(scores: Scores, compared: Comparison | str) -> dict[str, Any]:
    """For each pair of measures: the pairs of systems that they order oppositely, and the clearest topics."""
    first, second = np.triu_indices(len(scores.runs), 1)
    means = scores.means * scores.direction
    difference = means[first] - means[second]  # (pair, measure)
    sign = np.where(np.abs(difference) <= TIED, 0, np.sign(difference))
    found = []
    for a, b in combinations(range(len(scores.measures)), 2):
        opposite = sign[:, a] * sign[:, b] < 0
        both = 0
        if not isinstance(compared, str):
            both = int((opposite & compared.significant[a] & compared.significant[b]).sum())
        one, other = scores.measures[a], scores.measures[b]
        cases = meta.disagreement(scores, first=one, second=other, most=CASES).cases
        found.append(
            {
                "measures": [a, b],
                "opposite": int(opposite.sum()),
                "significant": both,
                "cases": [
                    [
                        scores.topics.index(case.topic),
                        scores.runs.index(case.run),
                        scores.runs.index(case.other),
                        *millionths(case.delta[[a, b]]),
                    ]
                    for case in cases
                ],
            }
        )
    return {"pairs": len(first), "of": found}


def clearest(agreement: Mapping[str, Any], doubtful: Collection[int] = ()) -> dict[str, int]:
    """What the page shows first: the two measures that agree least about the systems, and the topic and runs
    on which they disagree most clearly. Empty if no measures disagree.

    doubtful : runs that are not shown first, unless measures disagree about no others.
    """
    if "missing" in agreement["disagreements"]:
        return {}
    tau = agreement["correlation"]["values"]
    every = [pair for pair in agreement["disagreements"]["of"] if pair["cases"]]
    clean = [{**pair, "cases": [c for c in pair["cases"] if not {*c[1:3]} & {*doubtful}]} for pair in every]
    found = [pair for pair in clean if pair["cases"]] or every
    if not found:
        return {}
    pair = min(
        found, key=lambda pair: 1.0 if (x := tau[pair["measures"][0]][pair["measures"][1]]) is None else x
    )
    (m, m2), (t, a, b, *_) = pair["measures"], pair["cases"][0]
    return {"m": m, "m2": m2, "t": t, "a": a, "b": b}


# ── axioms and advice ────────────────────────────────────────────────────────────────────────────


def verdicts(
    measures: Sequence[Measure], judged: Judgments | None, on_share: Callable[[float], None]
) -> list[list[Verdict]]:
    """For each measure, the verdicts on the ten axioms, as `rankprism axioms` gives them."""
    constraints = advice.read_for(judged)
    found = iter(examine(measures, constraints, on_progress=on_share))
    return [[next(found) for _ in constraints] for _ in measures]


def axioms(found: Sequence[Sequence[Verdict]]) -> dict[str, Any]:
    """The axioms, how they are read, and the verdict on each measure with its counterexample."""
    asked = [v.constraint for v in found[0]]
    changed = dict.fromkeys(f"{name}={value}" for c in asked for name, value in c.settings.items())
    return {
        "axioms": [
            {"name": v.constraint.name, "summary": v.constraint.summary, "formula": v.constraint.formula}
            for v in found[0]
        ],
        "verdicts": [
            [{"sign": v.sign, "kind": v.kind, "words": v.words, "story": story_of(v)} for v in row]
            for row in found
        ],
        "reading": reading_of(asked, [row[0].measure for row in found]),
        "options": "".join(f" --reading {one}" for one in changed),
        "signs": ", ".join(f"{sign} {kind}" for kind, sign in SIGNS.items()),
    }


def advised(
    judged: Judgments | None,
    measures: Sequence[Measure],
    scores: Scores,
    found: Sequence[Sequence[Verdict]],
    evidence: advice.Evidence,
) -> dict[str, Any]:
    """For each kind of user: a description, the conclusion from the verdicts, and the verdicts in sentences.

    What the scores tell about each measure is the same for every user, and is under "here".
    """
    of_grades = [m for m, measure in enumerate(measures) if measure.needs == "judgments"]
    stories = []
    for story in advice.STORIES.values():
        about: dict[str, Any] = {"name": story.title, "user": story.user}
        needs = () if judged is None else advice.needs_of(story, judged)
        if judged is None or not of_grades:
            about["missing"] = (
                "All measures here use preferences. The axioms are about documents with grades, so they do "
                "not apply to these measures."
            )
        elif not needs:
            about["missing"] = "The judgments have one aspect only, so there are no sides to survey."
        else:
            made = advice.advise(story, needs, found, evidence)
            about |= {
                "needs": list(needs),
                "conclusion": [_plain(sentence) for sentence in made.conclusion],
                "verdicts": [[_plain(sentence) for sentence in own] for own in made.verdicts],
            }
        stories.append(about)
    told = advice.on_scores(measures, scores, evidence)
    return {"stories": stories, "here": [[_plain(sentence) for sentence in own] for own in told]}


def _plain(sentence: advice.Sentence) -> dict[str, Any]:
    return {"text": sentence.text, "see": sentence.see, "axioms": list(sentence.axioms)}
