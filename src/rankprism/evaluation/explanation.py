"""Explain a score: what each document of a ranking earned under a measure, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from rankprism.data import Alignment, Floats, Hits, Judgments, align, issue
from rankprism.data.hits import rankings_of
from rankprism.errors import InputError, check_whole, listed
from rankprism.evaluation.collection import Collection, collected
from rankprism.evaluation.inspection.aspects import best_aspect
from rankprism.evaluation.inspection.runs import notes_of_runs
from rankprism.evaluation.parts import parts_of
from rankprism.measures import Measure, PreferenceHits, Shown, parse_all
from rankprism.results import Result, Table
from rankprism.types import (
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    Positive,
    PreferencesLike,
    RunsLike,
)

#: What is shown for a document that has no grades above 0.
NOT_JUDGED, NOT_RELEVANT = "not judged", "–"


def explain(
    judgments: JudgmentsLike | PreferencesLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    topic: str | None = None,
    *,
    depth: Positive = 20,
    **options: Unpack[CollectionOptions],
) -> Explanation:
    """Explain what each document that a run retrieved for a topic earned under each measure.

    `rankprism.evaluate` explains the other parameters. Under α-nDCG a second document on a subtopic earns
    less, because only half of its gain is new:

    Parameters
    ----------
    topic
        The topic to look at.
    depth
        Number of ranks to show.

        What the documents below them earned is told as one sum.
    **options
        How to read judgments and runs, as for `rankprism.evaluate`.

    Examples
    --------
    >>> qrels = {"q": {"car": {"a": 1, "b": 1}, "cat": {"c": 1}}}
    >>> print(explain(qrels, {"cars": {"q": {"a": 3, "b": 2, "c": 1}}}, "alpha_nDCG@3", "q"))
    run   rank  doc  aspects    gain  novelty  discount   scale  earned  score so far
    ─────────────────────────────────────────────────────────────────────────────────
    cars  1     a    car:1    0.5000   1.0000    1.0000  1.0633  0.5317        0.5317
    cars  2     b    car:1    0.5000   0.5000    0.6309  1.0633  0.1677        0.6994
    cars  3     c    cat:1    0.5000   1.0000    0.5000  1.0633  0.2658        0.9652
    <BLANKLINE>
    alpha_nDCG@3: cars 0.9652.
    """
    check_whole("depth", depth, 1)
    collection = collected(judgments, runs, **options)
    if measures is None or topic is None:
        raise TypeError("name the measures and the topic to explain, e.g. measures='nDCG@10', topic='51'")
    chosen = parse_all(measures)
    parts = parts_of(collection, chosen)
    collection, how = parts[0].collection, collection.reading
    for part in parts:
        if topic not in part.judged.topics:
            raise InputError(
                f"{part.judged.source}: has no topic {topic!r}; it has {listed(part.judged.topics)}"
            )
    found = [best_aspect(part.judged, part.measures) for part in parts if part.needs == "judgments"]
    notes = [note for note in found if note is not None]
    rankings = []
    all_aligned: dict[str, Alignment] = {}
    for name in collection.sources:
        run = collection.run(name)
        lines, *_ = run.table.ranking(how.order, how.duplicates, how.run_depth or 0)
        topics, docs, *_ = run.table.columns()
        ranked = tuple(docs[line] for line in lines.tolist() if topics[line] == topic)
        terms: dict[Measure, Terms] = {}
        about: dict[str, tuple[str, ...]] = {}
        for part in parts:
            aligned = align(part.judged, run, how)
            if part is parts[0]:
                all_aligned[name] = aligned
            number = part.judged.topics.index(topic)
            hits: Hits | PreferenceHits
            if part.needs == "judgments":
                hits = rankings_of(part.judged.cells, [aligned], np.array([number]))
                about["aspects"] = _aspects(part.judged, aligned, number, len(ranked))
            else:
                hits = next(make() for make, _, at in part.batches([aligned]) if at[0] == number)
                assert isinstance(hits, PreferenceHits)
                about["preferred"] = _preferred(hits.shown, ranked)
            terms |= {measure: _terms(measure, hits, depth) for measure in part.measures}
        rankings.append(Ranking(name, ranked, about, tuple(terms[measure] for measure in chosen)))
    notes += notes_of_runs(parts[0].judged, all_aligned, how.order)
    issue(notes)
    return Explanation(
        topic,
        tuple(chosen),
        tuple(rankings),
        depth,
        {
            "topic": topic,
            "measures": list(map(str, chosen)),
            **how.settings,
            "notes": [note.record() for note in (*(n for part in parts for n in part.judged.notes), *notes)],
        },
    )


@dataclass(frozen=True, eq=False)
class Terms:
    """What one ranking earned under a measure, rank by rank down to the cutoff or the depth."""

    earned: Floats
    empty: float  #: the score of a ranking without documents
    score: float  #: of the whole ranking
    #: the parts of the earned amounts, such as gain, novelty, discount and effort
    why: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def so_far(self) -> Floats:
        """The score after each rank."""
        return self.empty + np.cumsum(self.earned)

    @property
    def below(self) -> float:
        """What the documents below the last rank earned."""
        return self.score - (float(self.so_far[-1]) if len(self.earned) else self.empty)


@dataclass(frozen=True, eq=False)
class Ranking:
    """A run's documents for the topic, how each was judged, and what it earned under each measure."""

    run: str
    docs: tuple[str, ...]
    #: a text for each document under "aspects", under "preferred" or both, depending on the judgments
    about: Mapping[str, tuple[str, ...]]
    terms: tuple[Terms, ...]


def _terms(measure: Measure, hits: Hits | PreferenceHits, depth: int) -> Terms:
    steps = measure.explain(hits, depth)
    why = {name: rows[0] for name, rows in steps.parts.items()}
    if (why.get("scale", np.ones(1)) == 1).all():
        why.pop("scale", None)
    if steps.spent.any():
        why["effort"] = steps.spent[0]
    return Terms(steps.earned[0], float(steps.empty[0]), float(measure.score(hits)[0]), why)


def _aspects(judged: Judgments, run: Alignment, topic: int, length: int) -> tuple[str, ...]:
    """The aspects and grades of the document at each rank."""
    marks = judged.marks(topic)
    found = [NOT_JUDGED] * length
    for place in range(run.start[topic], run.start[topic + 1]):
        doc = int(run.doc[place])
        found[run.rank[place] - 1] = marks[doc] if doc >= 0 else NOT_RELEVANT
    return tuple(found)


def _preferred(shown: Shown, docs: Sequence[str]) -> tuple[str, ...]:
    """How often each document was preferred, out of all its comparisons. A tie counts as half."""
    number = {doc: d for d, doc in enumerate(shown.docs)}
    wins, times = shown.all.wins, shown.all.shown
    return tuple(
        f"{wins[d]:g} of {times[d]:g}" if (d := number.get(doc)) is not None else NOT_JUDGED for doc in docs
    )


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """The result of `explain`."""

    topic: str
    measures: tuple[Measure, ...]
    rankings: tuple[Ranking, ...]
    depth: int
    about: Mapping[str, Any] = field(default_factory=dict)

    def _ranks(self, terms: Terms) -> int:
        """The number of ranks to show: as many as the measure looks at, down to the depth."""
        return min(self.depth, len(terms.earned))

    @property
    def _about(self) -> tuple[str, ...]:
        """The kinds of judgments that are shown for each document."""
        return tuple(self.rankings[0].about) if self.rankings else ("aspects",)

    @property
    def _why(self) -> tuple[str, ...]:
        """The parts of all measures, in the order in which they are multiplied; effort comes last."""
        every = [name for ranking in self.rankings for terms in ranking.terms for name in terms.why]
        last = ("scale", "effort")
        names = [name for name in dict.fromkeys(every) if name not in last]
        return (*names, *(name for name in last if name in every))

    @property
    def rows(self) -> Table:
        """One row for each run, measure and rank."""
        about, why = self._about, self._why
        header = ("run", "measure", "rank", "doc", *about, *why, "earned", "score so far")
        rows: list[tuple[Any, ...]] = []
        for ranking in self.rankings:
            for measure, terms in zip(self.measures, ranking.terms, strict=True):
                n = min(self._ranks(terms), len(ranking.docs))
                told = [ranking.about[name][:n] for name in about]
                parts = [terms.why[name][:n].tolist() if name in terms.why else [None] * n for name in why]
                amounts = (terms.earned[:n].tolist(), terms.so_far[:n].tolist())
                for rank, *row in zip(
                    range(1, n + 1), ranking.docs[:n], *told, *parts, *amounts, strict=True
                ):
                    rows.append((ranking.run, str(measure), rank, *row))
        return Table.of_rows(header, rows, measures=tuple(map(str, self.measures)))

    @property
    def summary(self) -> Table:
        """The parts of each earned amount if there is one measure; otherwise a column for each measure."""
        rows = self.rows.columns
        if len(self.measures) == 1:
            told = {name: column for name, column in rows.items() if name != "measure"}
            return Table(told | {"rank": list(map(str, rows["rank"]))})  # as text, to align ids left too
        columns: dict[str, list[Any]] = {name: [] for name in ("run", "rank", "doc", *self._about)}
        columns |= {str(measure): [] for measure in self.measures}
        for ranking in self.rankings:
            n = min(max(map(self._ranks, ranking.terms)), len(ranking.docs))
            columns["run"] += [ranking.run] * n
            columns["rank"] += map(str, range(1, n + 1))
            columns["doc"] += ranking.docs[:n]
            for name in self._about:
                columns[name] += ranking.about[name][:n]
            for measure, terms in zip(self.measures, ranking.terms, strict=True):
                earned = terms.earned[:n].tolist()
                columns[str(measure)] += earned + [None] * (n - len(earned))
        return Table(columns, measures=tuple(map(str, self.measures)))

    @property
    def note(self) -> str:
        lines = []
        for m, measure in enumerate(self.measures):
            scores = []
            for ranking in self.rankings:
                terms = ranking.terms[m]
                if math.isnan(terms.score):
                    scores.append(f"{ranking.run} – (not defined on this topic)")
                    continue
                rest = (
                    f" ({terms.below:.4f} of it below rank {self.depth})" if abs(terms.below) >= 5e-5 else ""
                )
                scores.append(f"{ranking.run} {terms.score:.4f}{rest}")
            lines.append(f"{measure}: {', '.join(scores)}.")
        for needs, because in (("judgments", ""), ("preferences", ", because it counts pairs of documents")):
            lines += [
                f"{measure} is not a sum over documents{because}: a number is what the score changed by when "
                f"the document was found."
                for measure in self.measures
                if measure.needs == needs and not measure.is_sum
            ]
        return "\n".join(lines)
