"""Which measure to use for which user: the one place that turns verdicts and scores into advice.

Only a constraint that is proved counts for a measure, and only one that is refuted counts against it. What
the scores of systems say is a reason only if it is significant. Nothing here ranks measures for everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankprism.data import Judgments
from rankprism.errors import InputError, enumerated
from rankprism.measures import Measure
from rankprism.measures import verdicts as recorded_verdicts
from rankprism.meta.axioms import TEN, Constraint, Verdict
from rankprism.meta.discriminative_power import DiscriminativePower
from rankprism.meta.metric_unanimity import Unanimity
from rankprism.meta.rank_correlation import Correlation
from rankprism.results import Scores


@dataclass(frozen=True)
class Story:
    """A user, and the constraints that a measure for this user should satisfy."""

    title: str
    user: str
    needs: tuple[str, ...]
    with_weights: tuple[str, ...] = ()  # what it needs as well if aspects have weights


#: The users by the names that `rankprism axioms --story` takes.
STORIES = {
    "one-document": Story(
        "One good document",
        "This user wants one document that answers the question, reads from the top, and stops there.",
        ("Pri", "Deep", "DeepTh", "Sat"),
    ),
    "survey": Story(
        "A survey of all sides",
        "This user wants to see every side of the topic, and learns little from a second document on the "
        "same side.",
        ("AspDiv", "Red", "MRed"),
        ("AspRel",),
    ),
    "risk-averse": Story(
        "Risk-averse",
        "This user loses more from a useless document than they gain from one more good one.",
        ("Conf", "Pri", "DeepTh"),
    ),
}

#: What a measure that satisfies a constraint always does.
DOES = {
    "Pri": "scores more when a more relevant document moves up",
    "Deep": "gains more from the same swap further up",
    "DeepTh": "scores more for one relevant document on top than for any number of them far enough down",
    "CloseTh": "scores more for several relevant documents just below the top than for one on top",
    "Conf": "scores less when a non-relevant document is added at the end",
    "AspDiv": "scores more when a document is replaced by one that is better on every aspect",
    "Red": "scores more for a further document on the aspect that fewer documents have served",
    "MRed": "scores more for a further document on the aspect that was served less well",
    "Sat": "gains nothing from a further document on an aspect that is fully satisfied",
    "AspRel": "scores more for a document on the aspect with the greater weight",
}


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the scores say about the measures. Where they say nothing, a text gives the reason."""

    correlation: Correlation | str
    power: DiscriminativePower | str
    unanimity: Unanimity | str


@dataclass(frozen=True)
class Sentence:
    """A sentence, the measures that it is about, and where its evidence is."""

    text: str
    about: tuple[Measure, ...]
    see: str  # axioms, power, unanimity, correlation or topics
    axioms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Advice:
    """The measures that are advised for a user, and why."""

    story: Story
    needs: tuple[str, ...]
    chosen: tuple[Measure, ...]  # none if nothing that the user needs is proved for any measure
    conclusion: tuple[Sentence, ...]
    verdicts: tuple[tuple[Sentence, ...], ...]  # on each measure


def find_story(name: str) -> Story:
    """The user with this name."""
    if name not in STORIES:
        raise InputError(f"unknown story {name!r}; there are {enumerated(list(STORIES))}")
    return STORIES[name]


def needs_of(story: Story, judged: Judgments) -> tuple[str, ...]:
    """The constraints that matter to a user with these judgments; none if there are no sides to survey."""
    if "AspDiv" in story.needs and max(map(len, judged.aspects.values()), default=0) < 2:
        return ()
    return story.needs if judged.weights is None else story.needs + story.with_weights


def read_for(judged: Judgments | None) -> list[Constraint]:
    """The ten constraints as they are asked for these judgments.

    If the judgments have only one grade above 0, the constraints are about binary grades.
    """
    if judged is None or len(np.unique(judged.cells.grade)) > 1:
        return list(TEN)
    return [c(grades="binary") if any(d.name == "grades" for d in c.details) else c for c in TEN]


def advise(
    story: Story,
    needs: Sequence[str],
    verdicts: Sequence[Sequence[Verdict]],
    evidence: Evidence | None = None,
) -> Advice:
    """What the verdicts on some measures mean for a user.

    Parameters
    ----------
    verdicts
        For each measure, its verdicts on the constraints that the user needs, and possibly on others.
    evidence
        What scores say about the same measures, in the same order.
    """
    rows = [{v.constraint.name: v for v in row if v.constraint.name in needs} for row in verdicts]
    rows = [{name: row[name] for name in needs} for row in rows]
    count = [sum(v.proved for v in row.values()) for row in rows]
    best = [m for m, n in enumerate(count) if n == max(count) and n]
    conclusion = [_choice(needs, rows, best, count), *_caveats([rows[m] for m in best])]
    if len(best) > 1 and evidence is not None:
        chosen = [_measure(rows[m]) for m in best]
        conclusion += [_between(chosen, best, *one) for one in _figures(evidence)]
    return Advice(
        story,
        tuple(needs),
        tuple(_measure(rows[m]) for m in best),
        tuple(conclusion),
        tuple(tuple(_told(row)) for row in rows),
    )


def _measure(row: Mapping[str, Verdict]) -> Measure:
    return next(iter(row.values())).measure


def _choice(
    needs: Sequence[str], rows: Sequence[Mapping[str, Verdict]], best: Sequence[int], count: Sequence[int]
) -> Sentence:
    if not best:
        every = tuple(map(_measure, rows))
        none = f"neither {enumerated(needs, 'nor')} is" if len(needs) > 1 else f"{needs[0]} is not"
        names = enumerated([m.display for m in every], "or")
        return Sentence(f"For this user, choose another measure: {none} proved for {names}.", every, "axioms")
    chosen = tuple(_measure(rows[m]) for m in best)
    most = count[best[0]]
    names = enumerated([m.display for m in chosen])
    which = f"choose between {names}" if len(chosen) > 1 else f"choose {names}"
    them = f"each of {names}" if len(chosen) > 1 else names
    if most == len(needs):
        what = enumerated(needs) if most == 1 else f"all of {enumerated(needs)}"
    else:
        what = f"{most} of the {len(needs)} constraints {enumerated(needs)}"
    more = ", and fewer for the other measures here" if len(best) < len(rows) else ""
    are = "is" if most == 1 else "are"
    return Sentence(f"For this user, {which}: {what} {are} proved for {them}{more}.", chosen, "axioms")


def _caveats(rows: Sequence[Mapping[str, Verdict]]) -> Iterator[Sentence]:
    """What is not proved for the measures that were chosen. Measures that lack the same share a sentence."""
    lacking: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Verdict]]] = {}
    for row in rows:
        words = {name: v.words if v.refuted else v.kind for name, v in row.items() if not v.proved}
        for one in dict.fromkeys(words.values()):
            lacks = tuple(name for name in words if words[name] == one)
            lacking.setdefault((one, lacks), []).append(row)
    for (told, lacks), those in lacking.items():
        about = tuple(map(_measure, those))
        names = enumerated([m.display for m in about])
        are = "are" if len(lacks) > 1 else "is"
        if told == recorded_verdicts.UNASKABLE:
            text = f"{enumerated(lacks)} cannot be asked of {names}."
        elif told == recorded_verdicts.NOT_REFUTED:
            tried = min(row[name].instances for row in those for name in lacks)
            searched = f"{enumerated(lacks)} {are} not refuted in {tried:,} instances"
            text = f"{searched} for {names}, which is not a proof."
        else:
            text = f"{enumerated(lacks)} {are} {told} for {names}."
        yield Sentence(text, about, "axioms", lacks)


def _told(row: Mapping[str, Verdict]) -> Iterator[Sentence]:
    """The verdicts on one measure in sentences."""
    measure = _measure(row)
    by_words: dict[tuple[str, str], list[str]] = {}
    for name, verdict in row.items():
        note = verdict.note if verdict.kind == recorded_verdicts.UNASKABLE else ""
        by_words.setdefault((verdict.words, note), []).append(name)
    for (words, note), names in by_words.items():
        told = [f"{DOES[name]} ({name})" if name in DOES else f"satisfies {name}" for name in names]
        does = enumerated(told, "and" if words == recorded_verdicts.PROVED else "or")
        that = "whether" if words == recorded_verdicts.UNASKABLE else "that"
        it = "It" if words == recorded_verdicts.UNASKABLE else "It is"
        text = f"{it} {words} {that} {measure.display} always {does}{f': {note}' if note else ''}."
        yield Sentence(text, (measure,), "axioms", tuple(names))


#: What can decide between measures: where it is told, what it is called, and its values.
_Figure = tuple[str, str, Any, Callable[[Any], Any]]


def _figures(evidence: Evidence) -> list[_Figure]:
    return [
        ("power", "power", evidence.power, lambda found: found.power),
        ("unanimity", "unanimity", evidence.unanimity, lambda found: found.mu),
    ]


def _between(
    measures: Sequence[Measure],
    best: Sequence[int],
    see: str,
    name: str,
    found: Any,
    values_of: Callable[[Any], Any],
) -> Sentence:
    """Whether a figure decides between measures for which equally much is proved."""
    about = tuple(measures)
    names = enumerated([m.display for m in measures])
    if isinstance(found, str):
        return Sentence(
            f"The {name} does not decide between {names}: {found[0].lower()}{found[1:]}", about, see
        )
    values = values_of(found)[list(best)]
    figures = ", ".join(
        f"{m.display} {'–' if np.isnan(x) else f'{x:.2f}'}" for m, x in zip(measures, values, strict=True)
    )
    below = _significantly_below(found, best, values)
    if not below:
        return Sentence(
            f"The {name} does not decide between {names}: it does not differ significantly ({figures}).",
            about,
            see,
        )
    first = int(np.nanargmax(values))
    lower = enumerated([measures[i].display for i in below])
    return Sentence(
        f"The {name} of {measures[first].display} is significantly higher than that of {lower} ({figures}).",
        about,
        see,
    )


def _significantly_below(found: Any, best: Sequence[int], values: Any) -> list[int]:
    """The places of the measures whose value is significantly below the highest one."""
    if found.sampled is None or np.isnan(values).all():
        return []
    first = int(np.nanargmax(values))
    differences = found.differences()
    below = []
    for i, m in enumerate(best):
        if i == first:
            continue
        pair = differences.pairs.index((min(m, best[first]), max(m, best[first])))
        if values[i] < values[first] and differences.adjusted[pair] < LEVEL:
            below.append(i)
    return below


#: A difference between two measures with a larger p-value, corrected for all pairs, is not a reason.
LEVEL = 0.05


# ── what the scores say about each measure, whoever the user is ─────────────────────────────────────


def on_scores(measures: Sequence[Measure], scores: Scores, evidence: Evidence) -> list[list[Sentence]]:
    """What the scores say about each measure."""
    return [
        [
            *_on_power(m, measure, evidence.power),
            *_on_unanimity(m, measure, evidence.unanimity),
            *_on_correlation(m, measures, evidence.correlation),
            *_on_zeros(m, measure, scores),
        ]
        for m, measure in enumerate(measures)
    ]


def _on_power(m: int, measure: Measure, power: DiscriminativePower | str) -> Iterator[Sentence]:
    if isinstance(power, str):
        return
    count, pairs = int(power.significant[m].sum()), len(power.pairs)
    interval = ""
    if power.sampled is not None:
        low, high = (float(end[m]) for end in power.sampled.interval(0, 1))
        interval = "" if np.isnan(low) else f", interval {low:.2f} to {high:.2f}"
    figure = f"power {power.power[m]:.2f}{interval}"
    text = f"{measure.display} tells {count} of {pairs} pairs of systems apart here ({figure})."
    yield Sentence(text, (measure,), "power")


def _on_unanimity(m: int, measure: Measure, unanimity: Unanimity | str) -> Iterator[Sentence]:
    if isinstance(unanimity, str) or np.isnan(unanimity.mu[m]):
        return
    joined = unanimity.joint[m] / unanimity.unanimous[m]
    text = (
        f"Where all other measures agree on which of two rankings is not worse, {measure.display} agrees too "
        f"in {joined:.0%} of cases (ties count half; unanimity {unanimity.mu[m]:.2f})."
    )
    yield Sentence(text, (measure,), "unanimity")


def _on_correlation(
    m: int, measures: Sequence[Measure], correlation: Correlation | str
) -> Iterator[Sentence]:
    if isinstance(correlation, str):
        return
    tau = correlation.values[m].copy()
    tau[m] = np.nan
    if np.isnan(tau).all():
        return
    near, far = int(np.nanargmax(tau)), int(np.nanargmin(tau))
    text = f"{measures[m].display} orders the systems most like {measures[near].display} (τ {tau[near]:.2f})"
    if far != near:
        text += f" and least like {measures[far].display} (τ {tau[far]:.2f})"
    yield Sentence(f"{text}.", (measures[m],), "correlation")


def _on_zeros(m: int, measure: Measure, scores: Scores) -> Iterator[Sentence]:
    values = scores.values[:, :, m]
    defined = values[~np.isnan(values)]
    zero = int((defined == 0).sum())
    # If other rankings are worse than 0, it is a score like any other.
    if zero and (defined * scores.direction[m] >= 0).all():
        share = f"{zero:,} of {defined.size:,} rankings ({zero / defined.size:.0%})"
        blind = "does not tell bad rankings from worse ones among these"
        yield Sentence(f"{measure.display} gives 0 to {share}, and {blind}.", (measure,), "topics")
