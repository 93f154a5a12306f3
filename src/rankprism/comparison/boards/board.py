"""A leaderboard that says which ranks each system may have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from rankprism.comparison.boards.several_collections import (
    CollectionsLike,
    ScoresByCollection,
    Standing,
    collected,
    standing,
)
from rankprism.data import Bools, Floats, Longs, Note, issue, with_notes
from rankprism.errors import InputError, one_of
from rankprism.evaluation import check_ids
from rankprism.measures import shown_name
from rankprism.results import HIGHER, LOWER, Cell, Result, Table, signs
from rankprism.statistics import CLAIMS, all_pairs, check_level, rank_sets, topics_needed
from rankprism.statistics import ranks as rank_tests
from rankprism.text import shown
from rankprism.types import Combine, JudgmentsLike, MeasuresLike, Redrawn, RunsLike, ScoresLike

#: The power with which the number of topics that is named would separate two neighbours.
POWER = 0.8
#: Runs are near-duplicates if they differ on at most this share of the topics, and on at most the second
#: share of the topics on which half of the pairs differ. A coarse measure may give most pairs many equal
#: scores, and then equal scores do not show that runs are alike.
ALIKE, UNUSUAL = 0.1, 0.2
#: How many runs that may be first, groups of alike runs and contradictions are listed for people.
LISTED = 10
#: A larger number of topics is not printed.
_MOST = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """What `leaderboard` found. Each measure has its own board."""

    claims = ("a mean", "a mean over topics of several collections", "a mean over collections", "ranks")
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    topics: Mapping[str, int]  #: the number of topics of each collection
    combine: Combine
    over: Redrawn
    alpha: float
    means: Floats  #: (run, measure): what a board is sorted by, in Borda points if these were asked for
    half_width: Floats  #: (run, measure): the interval of a mean is mean ± half_width; NaN if it is unknown
    better: Bools  #: (measure, run, run): where the first is significantly better than the second
    changed: Longs  #: (pair,): the largest number of topics on which two runs differ by a measure
    needed: Floats  #: (measure, run): the topics that would separate a run from the next; NaN for the last
    has_ranks: bool  #: whether there were enough topics or collections for sets of ranks
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def _oriented(self) -> Floats:
        """(run, measure): the means, negated if a lower one is better. Borda points are as they are."""
        return self.means * signs(self.measures, () if self.combine == "borda" else self.lower_is_better)

    def order(self, measure: int = 0) -> list[int]:
        """The positions of the runs, the best mean first."""
        return [int(r) for r in np.argsort(-self._oriented[:, measure], kind="stable")]

    def ranks(self, measure: int = 0) -> list[tuple[int, int] | None]:
        """The best and the worst rank that each run may have; None if there are too few topics.

        All of them together hold with probability 1 - alpha.
        """
        if not self.has_ranks:
            return [None] * len(self.runs)
        low, high = rank_sets(self.better[measure])
        return list(zip(low.tolist(), high.tolist(), strict=True))

    def places(self, measure: int = 0) -> list[int]:
        """The rank of each run in this sample, in which runs with the same mean share a rank."""
        means = self._oriented[:, measure]
        least = 1e-12 * np.abs(means).max(initial=0.0)
        return [int(1 + (means > x + least).sum()) for x in means]

    def tiers(self, measure: int = 0) -> list[int | None]:
        """The tier of each run.

        Tier 1 has the runs that may be first, because none is significantly better. Without them, tier 2 has
        the runs that may be first, and so on. So no two runs of a tier differ significantly, and each run of
        a lower tier is significantly worse than a run of the tier above.
        """
        found = rank_tests.tiers(self.better[measure])
        return [int(x) for x in found] if self.has_ranks else [None] * len(found)

    def first(self, measure: int = 0) -> list[str]:
        """The runs that may be first, the best mean first."""
        return [self.runs[r] for r in self.order(measure) if self.tiers(measure)[r] == 1]

    def separated(self, measure: int = 0) -> list[bool]:
        """Whether each run but the last, in the order of means, is significantly better than the next."""
        order = self.order(measure)
        return [bool(self.better[measure, a, b]) for a, b in pairwise(order)]

    @property
    def units(self) -> int:
        """The number of topics, or of collections if these are drawn anew."""
        return len(self.topics) if self._over_collections else sum(self.topics.values())

    @property
    def _over_collections(self) -> bool:
        return self.combine == "borda" or self.over == "collections"

    @property
    def alike(self) -> list[tuple[list[str], int]]:
        """Groups of runs that are identical or nearly so, with the largest number of topics on which two of
        a group that are directly alike differ by any measure."""
        pairs, total = all_pairs(len(self.runs)), sum(self.topics.values())
        least = min(ALIKE * total, UNUSUAL * float(np.median(self.changed)))
        group = list(range(len(self.runs)))
        most: dict[int, int] = {}
        for k in np.flatnonzero((self.changed == 0) | (self.changed <= least)):
            a, b = (group[r] for r in pairs[k])
            group = [a if x == b else x for x in group]
            most[a] = max(most.get(a, 0), most.pop(b, 0) if a != b else 0, int(self.changed[k]))
        members = {a: [self.runs[r] for r, x in enumerate(group) if x == a] for a in most}
        return [(members[a], most[a]) for a in sorted(most, key=lambda a: group.index(a))]

    @property
    def contradictions(self) -> Table:
        """Pairs of runs that two measures order differently, both of them significantly."""
        rows = [
            (self.runs[r], self.runs[other], self.measures[a], self.measures[b])
            for a, b in combinations(range(len(self.measures)), 2)
            for r, other in np.argwhere(self.better[a] & self.better[b].T).tolist()
        ]
        return Table.of_rows(("run", "other", "better by", "worse by"), rows)

    def _board(self, m: int) -> Table:
        order = self.order(m)
        ranks, tier, unit = self.ranks(m), self.tiers(m), self._unit(2)
        title = f"{self.measures[m]} (Borda points)" if self.combine == "borda" else self.measures[m]
        columns: dict[str, list[Any]] = {
            "run": [self.runs[r] for r in order],
            title: [self._mean(r, m) for r in order],
            "ranks": [_span(ranks[r]) for r in order],
            "tier": [tier[r] for r in order],
            "separated from the next": [
                "yes" if apart else _with(self.needed[m, r], unit)
                for r, apart in zip(order, [*self.separated(m), False], strict=True)
            ],
        }
        return Table(columns, texts=("separated from the next",))

    def _mean(self, r: int, m: int) -> Cell:
        mean, half = float(self.means[r, m]), float(self.half_width[r, m])
        return Cell(mean, between=None if math.isnan(half) else (mean - half, mean + half))

    @property
    def summary(self) -> Table:
        """The board of the first measure."""
        return self._board(0)

    @property
    def tables(self) -> tuple[Table, ...]:
        boards = tuple(self._board(m) for m in range(len(self.measures)))
        against = self.contradictions
        if not len(against):
            return boards
        return (*boards, Table({name: column[:LISTED] for name, column in against.columns.items()}))

    @property
    def rows(self) -> Table:
        """One row for each measure and run."""
        rows = [row for m in range(len(self.measures)) for row in self._rows(m)]
        return Table({name: [row[name] for row in rows] for name in rows[0]})

    def _rows(self, m: int) -> Iterator[dict[str, Any]]:
        order, places, ranks, tier = self.order(m), self.places(m), self.ranks(m), self.tiers(m)
        for r, apart in zip(order, [*self.separated(m), None], strict=True):
            mean, half = self.means[r, m].item(), self.half_width[r, m].item()
            low, high = ranks[r] or (None, None)
            yield {
                "measure": self.measures[m],
                "direction": LOWER if self.measures[m] in self.lower_is_better else HIGHER,
                "run": self.runs[r],
                "place": places[r],
                "mean": mean,
                "low": mean - half,
                "high": mean + half,
                "best rank": low,
                "worst rank": high,
                "may be first": None if tier[r] is None else tier[r] == 1,
                "tier": tier[r],
                "better than the next": apart if self.has_ranks else None,
                f"{self._unit(2)} to separate": None
                if apart or not self.needed[m, r] <= _MOST
                else int(self.needed[m, r]),
            }

    def _unit(self, number: int) -> str:
        return ("collection" if self._over_collections else "topic") + ("s" if number != 1 else "")

    @property
    def note(self) -> str:
        """What the sets of ranks say, who may be first, and what would separate the next pair."""
        lines = [self._basis]
        for m in range(len(self.measures)):
            lines += [self.said(m)] if self.has_ranks else []
        lines += self._said_alike
        against = len(self.contradictions)
        if against:
            shown_of = f" The table has the first {LISTED} of them." if against > LISTED else ""
            which = "is a pair" if against == 1 else f"are {against:,} pairs"
            lines.append(
                f"There {which} of runs that two measures order differently, each of them significantly."
                f"{shown_of}"
            )
        return "\n".join(lines)

    @property
    def _basis(self) -> str:
        topics, collections = sum(self.topics.values()), len(self.topics)
        several = f" of {collections} collections" if collections > 1 else ""
        if self.combine == "borda":
            what = f"Mean Borda points on {collections} collections"
        elif self.combine == "topics" or collections == 1:
            what = f"Means over {topics:,} topics{several}"
        else:
            what = f"Means of the means of {collections} collections, over {topics:,} topics"
        if not self.has_ranks:
            return f"{what}. T{self._missing[1:]}."
        pairs = len(self.runs) * (len(self.runs) - 1)
        each = " of a board" if len(self.measures) > 1 else ""
        drawn = ""
        if collections > 1:
            drawn = (
                " The collections count as a sample of all collections."
                if self._over_collections
                else " They hold for new topics of the same collections; --over collections asks for others."
            )
        return (
            f"{what}. All sets of ranks{each} hold together with probability {1 - self.alpha:g} (one-sided "
            f"paired t-tests of {pairs:,} directions with Holm's correction).{drawn}"
        )

    @property
    def _missing(self) -> str:
        return CLAIMS["ranks"].missing(self.units) or ""

    def said(self, measure: int = 0) -> str:
        """What the board of a measure proves, in sentences."""
        apart, first = self.separated(measure), self.first(measure)
        by = f"By {shown_name(self.measures[measure])}, " if len(self.measures) > 1 else ""
        names = ", ".join(map(shown, first[:LISTED])) + (
            f" and {len(first) - LISTED} more" if len(first) > LISTED else ""
        )
        if len(first) == 1:
            found = f"{by}{'only ' if by else 'Only '}{names} may be first."
        else:
            found = f"{by}{len(first)} of {len(self.runs)} runs may be first: {names}."
        total, count = len(apart), sum(apart)
        pairs = f"{count} of {total} neighbours {'is' if count == 1 else 'are'} separated"
        found += f" {pairs}." if total > 1 else ""
        return found + self._next_pair(measure)

    def _next_pair(self, m: int) -> str:
        order = self.order(m)
        open_ = [
            (self.needed[m, a], a, b)
            for (a, b), apart in zip(pairwise(order), self.separated(m), strict=True)
            if not apart and self.needed[m, a] <= _MOST
        ]
        if not open_:
            return ""
        needed, a, b = min(open_)
        more = int(needed) - self.units
        return (
            f" The next pair to be separated is {shown(self.runs[a])} and {shown(self.runs[b])}: if they "
            f"keep their difference, about {more:,} more {self._unit(more)} would do with probability "
            f"{POWER:g}."
        )

    @property
    def _said_alike(self) -> list[str]:
        total, lines = sum(self.topics.values()), []
        found = self.alike
        for names, most in found[:LISTED]:
            listed = ", ".join(map(shown, names[:LISTED])) + (
                f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
            )
            if most == 0:
                lines.append(f"Identical on all {total:,} topics: {listed}.")
            else:
                lines.append(
                    f"Nearly identical (pairs differ on at most {most} of {total:,} topics): {listed}."
                )
        if len(found) > LISTED:
            lines.append(f"{len(found) - LISTED} more groups of runs are identical or nearly so.")
        return lines


def leaderboard(
    scores: ScoresLike | JudgmentsLike | CollectionsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    combine: Combine = "means",
    over: Redrawn = "topics",
    alpha: float = 0.05,
    mixed: bool = False,
) -> Leaderboard:
    """Rank systems, and say which ranks each of them may have.

    Every pair of systems is tested in both directions by Student's paired t-test, with Holm's correction for
    all directions. The sets of ranks that follow hold together with probability 1 - alpha.

    Parameters
    ----------
    scores
        What `evaluate` returns, or whatever `read_scores` takes. Or judgments, with the `runs` and
        `measures` to evaluate, as for `rankprism.evaluate`. Or ``{name: scores}`` for several collections;
        runs and measures that a collection lacks are left out.
    combine
        How several collections count: means takes the mean of their means, topics the mean over all
        topics, and borda the sum of the points that a system gets for its rank on each collection.
    over
        What another board would draw anew: topics of the same collections, or collections.

        Borda counts are always tested over collections.
    alpha
        All sets of ranks hold together with probability 1 - alpha.

        Each interval of a mean holds with this probability.
    mixed
        Analyse scores of several collections together that were computed with other settings or by other
        definitions of a measure. The caption says what is mixed.

    Examples
    --------
    >>> from rankprism import evaluate, sample
    >>> board = leaderboard(evaluate(sample.QRELS, list(sample.RUNS), "P@10"))
    >>> board.first()
    ['ideal']
    >>> dict(zip(board.runs, board.ranks()))["noisy"]
    (5, 6)
    """
    one_of("combine", combine, Combine)
    one_of("over", over, Redrawn)
    check_level(alpha, None)
    found = collected(scores, runs, measures, mixed)
    for one in found.scores.values():
        check_ids(one)
    _check(found, combine, over)
    each = [ranked(found.oriented(m), combine, over, alpha) for m in range(len(found.measures))]
    units = each[0].standing.units
    notes, missing = list(found.notes), CLAIMS["ranks"].missing(units)
    notes += [] if missing is None else [Note("no-interval", missing, units, "")]
    issue(notes)
    first = next(iter(found.scores.values())).conventions
    sign = np.ones(len(found.measures)) if combine == "borda" else found.direction
    conventions = {name: one.conventions for name, one in found.scores.items()}
    board = Leaderboard(
        found.runs,
        found.measures,
        found.topics,
        combine,
        over,
        alpha,
        np.array([one.standing.mean for one in each]).T * sign,
        np.array([half_width(one.standing, alpha) for one in each]).T,
        np.array([one.better for one in each]),
        np.max([one.standing.changed for one in each], axis=0),
        np.array(
            # Where no rank is known, a few topics more would not tell neighbours apart either.
            [
                _needed(one.standing, alpha) if missing is None else np.full(len(found.runs), np.nan)
                for one in each
            ]
        ),
        missing is None,
        {
            "test": "one-sided paired t-tests of all pairs in both directions",
            "correction": "holm",
            "alpha": alpha,
            "ranks": f"all sets of ranks of a measure hold together with probability {1 - alpha:g}",
            "interval": f"each holds on its own with probability {1 - alpha:g}",
            "topics": found.topics if len(found.scores) > 1 else sum(found.topics.values()),
            "combine": combine if len(found.scores) > 1 else None,
            "over": over if combine != "borda" else "collections",
            "scores": with_notes(
                first
                if len(conventions) == 1
                else {"collections": conventions, "direction": first["direction"]},
                notes,
            ),
        },
    )
    shown_too = {
        "separated neighbours": {name: sum(board.separated(m)) for m, name in enumerate(board.measures)},
        "alike": [{"runs": names, "changed topics": most} for names, most in board.alike],
        "contradictions": board.contradictions.records(),
    }
    return replace(board, about={**board.about, **shown_too})


class Ranked(NamedTuple):
    """What one measure shows."""

    standing: Standing
    better: Bools  #: (run, run): where the first is significantly better; nowhere with too few topics


def ranked(values: Sequence[Floats], combine: Combine, over: Redrawn, alpha: float) -> Ranked:
    """Test all pairs of systems in both directions. values : (run, topic) of each collection."""
    systems = len(values[0])
    pairs = all_pairs(systems)
    found = standing(values, pairs, combine, over)
    enough = CLAIMS["ranks"].missing(found.units) is None
    significant = (rank_tests.adjusted_p(found.differences) < alpha) & enough
    return Ranked(found, rank_tests.better(pairs, systems, found.differences.mean, significant))


def _check(found: ScoresByCollection, combine: Combine, over: Redrawn) -> None:
    """Refuse ways to combine collections that these collections do not allow."""
    if len(found.scores) == 1:
        for name, asked, default in (("combine", combine, "means"), ("over", over, "topics")):
            if asked != default and asked != "topics":
                raise InputError(
                    f"{name} {asked} is for several collections, and there is one; name each as "
                    "NAME=FILE (in Python, {name: scores})"
                )
        return
    for name, number in found.topics.items():
        if number < 2 and over == "topics" and combine != "borda":
            raise InputError(
                f"collection {name!r} has one topic, which does not show how much scores vary; leave it out, "
                "or take over collections"
            )


def half_width(found: Standing, alpha: float) -> Floats:
    """(run,): the interval of a mean is mean ± half_width; NaN with too few topics or collections."""
    from scipy import special

    known = (found.error > 0) & (CLAIMS[found.claim].missing(found.units) is None)
    t = special.stdtrit(np.maximum(found.freedom, 1), 1 - alpha / 2)
    return np.where(known, t * found.error, np.nan)


def _needed(found: Standing, alpha: float) -> Floats:
    """(run,): the units that would separate each run from the next one with the power `POWER`, if the
    difference and its spread stay as they are. A later step of Holm's correction may need fewer."""
    order = np.argsort(-found.mean, kind="stable")
    systems = len(order)
    low, high = np.sort(np.stack([order[:-1], order[1:]]), axis=0)
    place = low * systems - low * (low + 1) // 2 + high - low - 1  # in `all_pairs`
    spread = found.differences.error[place] * math.sqrt(found.units)
    difference = np.abs(found.differences.mean[place])
    effect = np.divide(difference, spread, out=np.zeros(systems - 1), where=spread > 0)
    needed = np.full(systems, np.nan)
    needed[order[:-1]] = topics_needed(effect, 2 * alpha / (systems * (systems - 1)), POWER)
    return needed


def _span(ranks: tuple[int, int] | None) -> str | None:
    """A set of ranks in print.

    >>> _span((1, 4)), _span((2, 2))
    ('1–4', '2')
    """
    if ranks is None:
        return None
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}–{ranks[1]}"


def _with(needed: float, unit: str) -> str | None:
    """What it would take to separate two neighbours.

    >>> _with(812.0, "topics"), _with(2e6, "topics")
    ('with 812 topics', 'with more than 100,000 topics')
    """
    if not needed < math.inf:
        return None
    return f"with {int(needed):,} {unit}" if needed <= _MOST else f"with more than {_MOST:,} {unit}"
