"""What is in a set of preferences: how many, by whom, how consistent, and how much of the runs they cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from rankprism.data import Floats, Longs, Note, Preferences, issue
from rankprism.errors import InputError, listed
from rankprism.evaluation import Collection, collected_preferences
from rankprism.judging.preferences.agreement import (
    ALPHA,
    KAPPA,
    Agreement,
    alpha_of,
    answers,
    kappa_of,
    pairs_of_assessors,
)
from rankprism.judging.preferences.cycles import Cycles, contradictions, order_of_preferences
from rankprism.judging.preferences.sides import Sides, one_sided, sides_of
from rankprism.measures import NONE, Shown, ratio, shown_by_topic
from rankprism.results import Result, Table
from rankprism.statistics import CLAIMS
from rankprism.types import Positive, PreferenceOptions, PreferencesLike, RunsLike

#: The largest number of assessors, and of pairs of them, that is printed.
_PRINTED = 20


@dataclass(frozen=True)
class Group:
    """The judgments of a topic, or of an assessor, counted."""

    documents: int
    pairs: int  #: judgments with no given document
    triplets: int  #: judgments given one document
    longer: int  #: judgments given several documents
    ties: int
    assessors: int
    contradictions: int  #: pairs that an assessor judged several times, and not always alike
    order: Cycles

    @property
    def facts(self) -> dict[str, int]:
        counts = {name: getattr(self, name) for name in _COUNTS}
        return counts | {name: getattr(self.order, name) for name in _ORDERS}


_COUNTS = ("documents", "pairs", "triplets", "longer", "ties", "assessors", "contradictions")
_ORDERS = ("triads", "cyclic", "in_cycles")
_SIDES = ("answers", "left", "p", "swapped", "same")


@dataclass(frozen=True)
class Coverage:
    """How much of a run's first k documents was judged, as means over the topics that it has."""

    documents: float  #: share of the documents that were shown as left or right
    pairs: float  #: share of the pairs of documents that were compared, nothing given
    given: float  #: share of the pairs whose lower document was shown given the upper one


@dataclass(frozen=True, eq=False)
class Description(Result):
    """Made by `describe`."""

    claims = (ALPHA, KAPPA)
    topics: Mapping[str, Group]
    by_assessor: Mapping[str, Group]
    alpha: Agreement  #: Krippendorff's α of all assessors
    kappa: Mapping[tuple[str, str], Agreement]  #: Cohen's κ of any two who judged the same pairs
    sides: Mapping[str, Sides]  #: by assessor; empty if it is not known on which side documents were shown
    runs: Mapping[str, Coverage]
    cutoff: int
    about: Mapping[str, Any] = field(repr=False)

    @property
    def summary(self) -> Table:
        """The judgments of every topic."""
        facts = [group.facts for group in self.topics.values()]
        longer = ["longer"] if any(group["longer"] for group in facts) else []
        shown = ["documents", "pairs", "triplets", *longer, "assessors", "contradictions", *_ORDERS]
        columns = {name.replace("_", " "): [group[name] for group in facts] for name in shown}
        return Table({"topic": list(self.topics), **columns})

    @property
    def assessor_table(self) -> Table:
        """The judgments of every assessor, those with the most first, and the sides that they chose."""
        groups = sorted(self.by_assessor.items(), key=lambda item: -_judgments(item[1]))[:_PRINTED]
        shown = ("pairs", "triplets", "ties", "contradictions", "triads", "cyclic")
        columns: dict[str, list[Any]] = {name: [group.facts[name] for _, group in groups] for name in shown}
        if self.sides:
            own = [self.sides[name] for name, _ in groups]
            columns["left"] = [one.left for one in own]
            columns["swapped"] = [one.swapped for one in own]
            columns["same"] = [one.same for one in own]
        names = [name for name, _ in groups]
        return Table({"assessor": names, **columns}, digits=3)

    @property
    def agreement_table(self) -> Table:
        """α of all assessors, and κ of pairs of them, those with the most units in common first."""
        pairs = sorted(self.kappa.items(), key=lambda item: -item[1].units)[:_PRINTED]
        rows = [("Krippendorff's α", "all", self.alpha), *(("Cohen's κ", " – ".join(p), k) for p, k in pairs)]
        return Table(
            {
                "agreement": [row[0] for row in rows],
                "of": [row[1] for row in rows],
                "value": [row[2].value for row in rows],
                "low": [row[2].low for row in rows],
                "high": [row[2].high for row in rows],
                "units": [row[2].units for row in rows],
            },
            digits=3,
        )

    @property
    def coverage_table(self) -> Table:
        """How much of each run was judged."""
        return Table(
            {
                f"first {self.cutoff} of run": list(self.runs),
                "documents": [one.documents for one in self.runs.values()],
                "pairs": [one.pairs for one in self.runs.values()],
                "given": [one.given for one in self.runs.values()],
            },
            digits=3,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth a look: assessors who contradict themselves, and cycles."""
        contradicting = [name for name, group in self.by_assessor.items() if group.contradictions]
        cyclic = [name for name, group in self.topics.items() if group.order.in_cycles]
        found = []
        if contradicting:
            found.append(
                f"Judged a pair twice and differently: {listed(contradicting)} "
                f"({sum(group.contradictions for group in self.by_assessor.values())} pairs)."
            )
        if cyclic:
            found.append(
                f"By most votes, documents are in a circle (a before b before c before a) in: "
                f"{listed(cyclic)}."
            )
        return tuple(found)

    @property
    def rows(self) -> Table:
        facts: list[tuple[Any, ...]] = []
        for kind, groups in (("topic", self.topics), ("assessor", self.by_assessor)):
            for name, group in groups.items():
                facts += [(kind, name, fact, value, None, None) for fact, value in group.facts.items()]
        for name, chosen in self.sides.items():
            facts += [("assessor", name, fact, getattr(chosen, fact), None, None) for fact in _SIDES]
        for who, found in (("all", self.alpha), *((" – ".join(p), k) for p, k in self.kappa.items())):
            kind = "Krippendorff's alpha" if found is self.alpha else "Cohen's kappa"
            facts.append(("agreement", who, kind, found.value, found.low, found.high))
            facts.append(("agreement", who, "units", found.units, None, None))
        for run, one in self.runs.items():
            facts += [
                ("run", run, name, getattr(one, name), None, None) for name in ("documents", "pairs", "given")
            ]
        names = ("part", "name", "fact", "value", "low", "high")
        return Table.of_rows(names, facts)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Topics, assessors, and where they are known, agreement and coverage."""
        found = [self.summary, self.assessor_table]
        if self.alpha.units:
            found.append(self.agreement_table)
        if self.runs:
            found.append(self.coverage_table)
        return tuple(found)

    @property
    def note(self) -> str:
        lines = list(self.notes)
        if self.sides:
            lines.append(
                "left: the share of left answers among those without a tie. swapped: pairs that the "
                "assessor judged on both sides; same: how often the answer was the same document."
            )
        if len(self.by_assessor) > _PRINTED:
            lines.append(f"{len(self.by_assessor) - _PRINTED} more assessors are not shown.")
        if not self.alpha.units:
            lines.append("No pair was judged by two assessors, so nothing can be said about their agreement.")
        elif len(self.kappa) > _PRINTED:
            lines.append(f"{len(self.kappa) - _PRINTED} more pairs of assessors are not shown.")
        return "\n".join(lines)


def describe(
    preferences: PreferencesLike | Collection,
    runs: RunsLike | None = None,
    *,
    cutoff: Positive = 10,
    **options: Unpack[PreferenceOptions],
) -> Description:
    """What is in a set of preferences, topic by topic and assessor by assessor.

    Parameters
    ----------
    preferences
        Whatever `read_preferences` takes, or a `Collection` that has preferences.
    runs
        Whatever `evaluate` takes, to see how much of their first documents was judged.
    cutoff
        Number of documents of a run to examine.
    **options
        How to read preferences and runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> print(describe([("q", "", "a", "b", "left", "ann"), ("q", "", "b", "c", "left", "ann"),
    ...     ("q", "", "c", "d", "left", "bob"), ("q", "", "d", "a", "left", "bob")]).summary.text())
    topic  documents  pairs  triplets  assessors  contradictions  triads  cyclic  in cycles
    ───────────────────────────────────────────────────────────────────────────────────────
    q              4      4         0          2               0       0       0          4
    """
    if cutoff < 1:
        raise InputError(f"cutoff must be at least 1; got {cutoff}")
    collection = collected_preferences(preferences, runs, without_runs=True, **options)
    read = collection.preferences
    units = answers(read)
    topics = {name: _group(read, np.flatnonzero(read.topic == t)) for t, name in enumerate(read.topics)}
    by_name = sorted((name, a) for a, name in enumerate(read.assessors))
    who = {name: _group(read, np.flatnonzero(read.assessor == a)) for name, a in by_name}
    kappa = {
        (read.assessors[a], read.assessors[b]): kappa_of(units, a, b)
        for a, b in pairs_of_assessors(units, read.assessors)
    }
    alpha = alpha_of(units)
    sides = sides_of(read)
    notes = [*one_sided(sides), *_without_interval(alpha, list(kappa.values()))]
    issue(notes)
    return Description(
        topics={name: topics[name] for name in read.table.topics if name in topics},
        by_assessor=who,
        alpha=alpha,
        kappa=kappa,
        sides=sides,
        runs=_coverage(collection, cutoff),
        cutoff=cutoff,
        about={
            "preferences": read.source,
            "judgments": len(read),
            "cutoff": cutoff,
            **collection.reading.settings,
            "notes": [note.record() for note in (*read.named.notes, *notes)],
        },
    )


def _without_interval(alpha: Agreement, kappa: Sequence[Agreement]) -> list[Note]:
    """A note about coefficients that rest on too few pairs for an interval."""
    fewest = CLAIMS[KAPPA].fewest
    few = sum(one.units < fewest for one in kappa)
    named = []
    if 0 < alpha.units < CLAIMS[ALPHA].fewest:
        named.append(f"α of all assessors has no interval, because it needs {CLAIMS[ALPHA].fewest}")
    if few:
        named.append(f"κ of {few} pairs of assessors has no interval, because it needs {fewest}")
    judged = " pairs of documents that two assessors judged"
    return [Note("no-interval", " and ".join(named) + judged, few, "")] if named else []


def _judgments(group: Group) -> int:
    return group.pairs + group.triplets + group.longer


def _group(preferences: Preferences, rows: Longs) -> Group:
    given = preferences.number_given[rows]
    sides = np.concatenate((preferences.left[rows], preferences.right[rows]))
    topics = np.concatenate((preferences.topic[rows], preferences.topic[rows]))
    return Group(
        documents=len(np.unique(np.stack((topics, sides)), axis=1).T),
        pairs=int((given == 0).sum()),
        triplets=int((given == 1).sum()),
        longer=int((given > 1).sum()),
        ties=int((preferences.outcome[rows] == 0.5).sum()),
        assessors=len(np.unique(preferences.assessor[rows])),
        contradictions=contradictions(preferences, rows),
        order=order_of_preferences(preferences, rows),
    )


def _coverage(collection: Collection, cutoff: int) -> dict[str, Coverage]:
    if not collection.sources:
        return {}
    preferences = collection.preferences
    shown = shown_by_topic(preferences)
    found: dict[str, Coverage] = {}
    for run, aligned in collection.aligned("preferences").items():
        shares: list[Floats] = []
        for t, topic in enumerate(preferences.table.topics):
            if aligned.retrieved[t]:
                at = slice(aligned.start[t], aligned.start[t + 1])
                inside = aligned.rank[at] <= cutoff
                length = min(cutoff, int(aligned.length[t]))
                shares.append(_covered(shown[topic], aligned.doc[at][inside].astype(np.int64), length))
        found[run] = Coverage(*np.mean(shares, axis=0).tolist())
    return found


def _covered(shown: Shown, doc: Longs, length: int) -> Floats:
    """(3,) the shares of `Coverage` for the first `length` documents; `doc`: those that preferences name."""
    n = len(shown.docs)
    c = shown.comparisons
    simple = c.given == NONE
    upper, lower = np.triu_indices(len(doc), 1)
    upper, lower = doc[upper], doc[lower]
    met = np.concatenate((c.left * n + c.right, c.right * n + c.left))[np.tile(simple, 2)]
    given = np.concatenate((c.left * n + c.given, c.right * n + c.given))[np.tile(~simple, 2)]
    counts = (
        shown.pool[doc].sum(),
        np.isin(upper * n + lower, met).sum(),
        np.isin(lower * n + upper, given).sum(),
    )
    pairs = length * (length - 1) / 2
    return ratio(np.array(counts, dtype=np.float64), np.array([length, pairs, pairs], dtype=np.float64))
