"""Which measure to use here: for three users, what each measure cannot see, and what speaks for it.

Nothing here ranks measures. Every sentence names its evidence: an axiom, with the counterexample that the
report shows; the discriminative power, the unanimity and the correlation on these topics; or a count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.axioms.verdict import Verdict
from rankprism.data.judgments import Judgments
from rankprism.measures import Measure
from rankprism.report.measures import Evidence
from rankprism.results.scores import Scores


@dataclass(frozen=True)
class Story:
    """A user, and the axioms that a measure for this user has to keep."""

    name: str
    user: str
    needs: tuple[str, ...]


STORIES = (
    Story(
        "One good document",
        "This user wants one document that answers the question, reads from the top, and stops there.",
        ("Pri", "Deep", "DeepTh", "Sat"),
    ),
    Story(
        "A survey of all sides",
        "This user wants to see every side of the topic, and learns little from a second document on the "
        "same side.",
        ("AspDiv", "Red", "MRed", "AspRel"),
    ),
    Story(
        "Risk-averse",
        "This user loses more by a useless document than they win by one more good one.",
        ("Conf", "Pri", "DeepTh"),
    ),
)

#: What a measure sees that keeps an axiom, and what one does not see that breaks it.
SEES = {
    "Pri": "that a more relevant document moved up",
    "Deep": "that a good swap is worth more further up",
    "DeepTh": "that one relevant document on top is worth more than any number far down",
    "CloseTh": "that several relevant documents just below the top are worth more than one on top",
    "Conf": "that a non-relevant document at the end is a cost",
    "AspDiv": "that a document which serves every aspect better is better",
    "Red": "that another document on an aspect which was served more often is worth less",
    "MRed": "that an aspect which was served better so far needs less",
    "Sat": "that an aspect which one document satisfied fully needs no other",
    "AspRel": "that a heavier aspect is worth more",
}


def advice(
    judged: Judgments | None,
    measures: Sequence[Measure],
    scores: Scores,
    verdicts: Sequence[Sequence[Verdict]],
    evidence: Evidence,
) -> dict[str, Any]:
    """For each user: who it is, what each measure sees and does not see, and what follows.

    What the scores say of each measure is the same for every user, and stands apart.
    """
    kept = [{v.constraint.name: v.kept for v in row} for row in verdicts]
    stories = []
    for story in STORIES:
        about: dict[str, Any] = {"name": story.name, "user": story.user}
        reason = _does_not_apply(story, judged, measures)
        if reason or judged is None:
            stories.append({**about, "missing": reason})
            continue
        needs, idle = _needs(story, judged)
        stories.append(
            {
                **about,
                "needs": list(needs),
                "idle": idle,
                "sees": [_on_axioms(measure, needs, kept[m]) for m, measure in enumerate(measures)],
                "conclusion": _conclusion(measures, needs, kept, evidence),
            }
        )
    return {
        "stories": stories,
        "here": [[*_on_scores(m, measures, evidence), *_on_zeros(scores, m)] for m in range(len(measures))],
    }


def _does_not_apply(story: Story, judged: Judgments | None, measures: Sequence[Measure]) -> str:
    """Why nothing can be said of a user here."""
    if judged is None or all(measure.needs == "preferences" for measure in measures):
        return (
            "All measures here look at preferences. The axioms are about documents with grades, so nothing "
            "is known of what these measures see."
        )
    if "AspDiv" in story.needs and max(map(len, judged.aspects.values()), default=0) < 2:
        return "The judgments have one aspect only, so there are no sides to survey."
    return ""


def _needs(story: Story, judged: Judgments) -> tuple[tuple[str, ...], str]:
    """The axioms that matter with these judgments, and why another one does not."""
    if "AspRel" in story.needs and judged.weights is None:
        return (
            tuple(name for name in story.needs if name != "AspRel"),
            "No aspect weights were given, so all aspects weigh alike and AspRel does not matter here.",
        )
    return story.needs, ""


def _sentence(text: str, see: str, **where: Any) -> dict[str, Any]:
    """A sentence, and the part of the report that has the evidence."""
    return {"text": text, "see": see, **where}


def _on_axioms(
    measure: Measure, needs: Sequence[str], kept: Mapping[str, bool | None]
) -> list[dict[str, Any]]:
    blind = [name for name in needs if kept[name] is False]
    sees = [name for name in needs if kept[name]]
    sentences = []
    if sees:
        text = f"{measure.display} sees {_listed([SEES[name] for name in sees])}."
        sentences.append(_sentence(text, "axioms", axioms=sees))
    if blind:
        text = f"It does not always see {_listed([SEES[name] for name in blind], 'or')}."
        sentences.append(_sentence(text, "axioms", axioms=blind))
    unknown = [name for name in needs if kept[name] is None]
    if unknown:
        text = f"{_listed(unknown)} cannot be asked of {measure.display}."
        sentences.append(_sentence(text, "axioms", axioms=unknown))
    return sentences


def _on_zeros(scores: Scores, measure: int) -> list[dict[str, Any]]:
    values = scores.values[:, :, measure]
    defined = values[~np.isnan(values)]
    zero = int((defined == 0).sum())
    if not zero:
        return []
    share = f"{zero:,} of {defined.size:,} rankings ({zero / defined.size:.0%})"
    return [
        _sentence(
            f"It gives 0 to {share}, and does not tell the bad ones among these from the worse.", "topics"
        )
    ]


def _on_scores(measure: int, measures: Sequence[Measure], evidence: Evidence) -> list[dict[str, Any]]:
    """What the scores here say of a measure."""
    sentences = []
    power = evidence.power
    if not isinstance(power, str):
        count, pairs = int(power.significant[measure].sum()), len(power.pairs)
        interval = ""
        if power.sampled is not None:
            low, high = (float(end[measure]) for end in power.sampled.interval(0, 1))
            interval = "" if np.isnan(low) else f", interval {low:.2f} to {high:.2f}"
        figure = f"power {power.power[measure]:.2f}{interval}"
        text = f"Here it tells {count} of {pairs} pairs of systems apart ({figure})."
        sentences.append(_sentence(text, "power"))
    unanimity = evidence.unanimity
    if not isinstance(unanimity, str) and not np.isnan(unanimity.mu[measure]):
        joined = unanimity.joint[measure] / unanimity.unanimous[measure]
        text = (
            f"Where all other measures agree on which of two rankings is not worse, it agrees too in "
            f"{joined:.0%} of cases (ties count half; unanimity {unanimity.mu[measure]:.2f})."
        )
        sentences.append(_sentence(text, "unanimity"))
    correlation = evidence.correlation
    if not isinstance(correlation, str):
        tau = correlation.values[measure].copy()
        tau[measure] = np.nan
        if not np.isnan(tau).all():
            near, far = int(np.nanargmax(tau)), int(np.nanargmin(tau))
            text = f"It orders the systems most like {measures[near].display} (τ {tau[near]:.2f})"
            if far != near:
                text += f" and least like {measures[far].display} (τ {tau[far]:.2f})"
            sentences.append(_sentence(f"{text}.", "correlation"))
    return sentences


def _conclusion(
    measures: Sequence[Measure],
    needs: Sequence[str],
    kept: Sequence[Mapping[str, bool | None]],
    evidence: Evidence,
) -> list[str]:
    """What follows for this user, with the reason."""
    count = [sum(bool(one[name]) for name in needs) for one in kept]
    most = max(count)
    best = [m for m, n in enumerate(count) if n == most]
    names = _listed([measures[m].display for m in best])
    if most == 0:
        return [f"None of these measures keeps {_listed(needs, 'or')}; choose other measures for this user."]
    some = (
        f"all of {_listed(needs)}"
        if most == len(needs)
        else f"{most} of the {len(needs)} axioms {_listed(needs)}"
    )
    several = len(best) > 1
    see = f"{names} see the most: each keeps" if several else f"{names} sees the most: it keeps"
    sentences = [f"For this user, {see} {some}."]
    blind: dict[tuple[str, ...], list[str]] = {}
    for m in best:
        lacks = tuple(SEES[name] for name in needs if not kept[m][name])
        blind.setdefault(lacks, []).append(measures[m].display)
    for lacks, those in blind.items():
        if lacks:
            do_not = "do not" if len(those) > 1 else "does not"
            sentences.append(
                f"Keep in mind that {_listed(those)} {do_not} always see {_listed(lacks, 'or')}."
            )
    if several:
        sentences.append(_between(measures, best, evidence))
    return sentences


def _between(measures: Sequence[Measure], best: Sequence[int], evidence: Evidence) -> str:
    """Whether the power on these topics decides between measures that see as much."""
    power = evidence.power
    if isinstance(power, str):
        return f"Nothing here decides between them: {power[0].lower()}{power[1:]}"
    strongest = max(best, key=lambda m: float(power.power[m]))
    weaker = [m for m in best if power.power[m] < power.power[strongest]]
    if not weaker:
        return "They tell as many pairs of systems apart, so the power does not decide between them."
    found = power.differences()
    clear = []
    for m in weaker:
        pair = found.pairs.index((min(m, strongest), max(m, strongest)))
        if found.adjusted[pair] < power.alpha:
            clear.append(measures[m].display)
    if clear:
        more = f"{measures[strongest].display} tells significantly more pairs of systems apart"
        return f"{more} than {_listed(clear)}."
    values = ", ".join(f"{measures[m].display} {power.power[m]:.2f}" for m in best)
    return (
        f"Their powers ({values}) do not differ significantly on these topics, so choose between them by "
        f"what they measure, not by the power."
    )


def _listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a sentence has them.

    >>> _listed(["a", "b", "c"]), _listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
