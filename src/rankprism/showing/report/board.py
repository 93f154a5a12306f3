"""The first screen: sentences that say what the scores prove, the ranks that runs may have, and which runs
to look at before anybody trusts their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankprism.comparison import Comparison
from rankprism.comparison.boards import Leaderboard, leaderboard
from rankprism.evaluation import unchecked
from rankprism.measures import shown_name
from rankprism.results import Scores
from rankprism.statistics import CLAIMS, NAMES_OF_CORRECTIONS, TESTS
from rankprism.text import shown

#: What a note about a run says in a few words, beside the name of the run.
BADGES = {
    "rank-order": "ranks contradict scores",
    "rising-scores": "upside down?",
    "equal-scores": "tied scores",
    "missing-topics": "topics missing",
    "unmatched-ids": "ids spelled differently",
    "unmatched-run": "hardly anything judged",
    "unmatched-topics": "topics without judged documents",
    "unequal-depths": "much shorter rankings",
    "few-judged": "mostly unjudged",
    "never-shown": "mostly never shown",
}
#: How many names a sentence lists.
NAMED = 3


def ranked(scores: Scores, alpha: float) -> Leaderboard | str:
    """The board, or the reason why there is none."""
    if len(scores.runs) < 2:
        return "There is only one run, so there is nothing to rank."
    missing = CLAIMS["ranks"].missing(len(scores.complete().topics))
    return leaderboard(unchecked(scores), alpha=alpha) if missing is None else f"T{missing[1:]}."


def described(
    scores: Scores, board: Leaderboard | str, comparison: Comparison | str, notes: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The sentences, the sets of ranks and tiers of each measure, and the badges of each run."""
    found = badges(scores.runs, notes)
    said = summary(scores.runs, None if isinstance(board, str) else board, comparison, found)
    if isinstance(board, str):
        return {"missing": board, "summary": said, "badges": found}
    every = range(len(board.measures))
    return {
        "missing": None,
        "summary": said,
        "badges": found,
        "ranks": [[list(x or ()) for x in board.ranks(m)] for m in every],
        "tiers": [board.tiers(m) for m in every],
        "separated": [sum(board.separated(m)) for m in every],
        "note": f"All sets of ranks by a measure hold together with {1 - board.alpha:.0%} confidence "
        "(one-sided t-tests of all pairs in both directions, Holm's correction). Tier 1 has the runs that "
        "may be first; without them, tier 2 has those that may be first, and so on.",
    }


def badges(runs: Sequence[str], notes: Sequence[Mapping[str, Any]]) -> list[list[list[str]]]:
    """The badges of each run: a few words, and the note that they stand for."""
    return [
        [
            [BADGES[note["kind"]], sentence(note["message"])]
            for note in notes
            if note["kind"] in BADGES and run in note.get("runs", ())
        ]
        for run in runs
    ]


def sentence(message: str) -> str:
    """A note as a sentence, because on a page no word precedes it.

    >>> sentence("the run 'a' has no topics")
    "The run 'a' has no topics."
    """
    return f"{message[:1].upper()}{message[1:].rstrip('.')}."


def summary(
    runs: Sequence[str],
    board: Leaderboard | None,
    comparison: Comparison | str,
    found: Sequence[Sequence[Sequence[str]]],
) -> list[str]:
    """What a reader should know first, in sentences."""
    said = [] if board is None else [*_best(board), *_agreement(board)]
    if isinstance(comparison, Comparison):
        said.append(_significant(comparison))
    if board is not None:
        said += _alike(board)
    return [*said, *_distrust(runs, found)]


def _best(board: Leaderboard) -> list[str]:
    """Which runs may be best by all measures. The page has a table of who may be best by each."""
    number, runs = len(board.measures), len(board.runs)
    first = [board.first(m) for m in range(number)]
    each = "both measures" if number == 2 else f"each of the {number} measures"
    by = f"by {shown_name(board.measures[0]) if number == 1 else each}"
    always = [run for run in first[0] if all(run in one for one in first)]
    if not always:
        return [f"No run may be the best {by}."]
    if len(always) == 1:
        return [f"{shown(always[0])} is the only run that may be the best {by}."]
    return [f"{len(always)} of {runs} runs may be the best {by}: {_some(always)}."]


def _some(names: Sequence[str]) -> str:
    """The first names, joined for a sentence: a, b and c; or a, b and 7 more."""
    told = list(map(shown, names))
    if len(names) > NAMED:
        told = [*told[:NAMED], f"{len(names) - NAMED} more"]
    return " and ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)


def _agreement(board: Leaderboard) -> list[str]:
    """Whether two measures order a pair of runs in opposite ways."""
    if len(board.measures) < 2:
        return []
    found = board.contradictions
    if not len(found):
        return ["No two measures order a pair of runs in opposite ways, both of them significantly."]
    pairs = len({frozenset(pair) for pair in zip(found.columns["run"], found.columns["other"], strict=True)})
    first = found.records()[0]
    by_tiers = " (one-sided t-tests in both directions, Holm correction, as for the tiers)"
    example = (
        f"{shown(first['run'])} is better than {shown(first['other'])} by {shown_name(first['better by'])} "
        f"and worse by {shown_name(first['worse by'])}"
    )
    if pairs == 1:
        return [f"Measures contradict each other significantly about one pair of runs{by_tiers}: {example}."]
    return [
        f"Measures contradict each other significantly about {pairs:,} pairs of runs{by_tiers}. For example, "
        f"{example}."
    ]


def _significant(comparison: Comparison) -> str:
    """How many pairs differ, by the measure that finds the most and by the one that finds the fewest."""
    counts = comparison.significant.sum(1).tolist()
    tested = TESTS[comparison.test].words
    if comparison.correction != "none" and len(comparison.pairs) > 1:
        tested += f", {NAMES_OF_CORRECTIONS[comparison.correction]} correction"
    total = len(comparison.pairs)
    most, least = counts.index(max(counts)), counts.index(min(counts))
    said = f"{counts[most]:,} of {total:,} pairs of runs differ significantly"
    if total == 1:
        said = (
            "The two runs differ significantly"
            if counts[most]
            else "The two runs do not differ significantly"
        )
    if len(counts) == 1 or counts[most] == counts[least]:
        by = shown_name(comparison.measures[0]) if len(counts) == 1 else "every measure"
        return f"{said} by {by} ({tested})."
    names = shown_name(comparison.measures[most]), shown_name(comparison.measures[least])
    if total == 1:
        return f"{said} by {names[0]}, and not by {names[1]} ({tested})."
    fewest = f"{counts[least]:,} by {names[1]}"
    return f"{said} by {names[0]}, the measure that finds the most, and {fewest} ({tested})."


def _alike(board: Leaderboard) -> list[str]:
    """Runs that are one system under several names."""
    total = sum(board.topics.values())
    return [
        f"{_some(names)} {'have the same scores on all' if most == 0 else f'differ on at most {most} of'} "
        f"{total} topics, so they hardly count as several systems."
        for names, most in board.alike[:NAMED]
    ]


def _distrust(runs: Sequence[str], found: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """Which runs have badges, and what these say; if there are many, how many runs have each."""
    of_runs = {run: [word for word, _ in own] for run, own in zip(runs, found, strict=True) if own}
    if not of_runs:
        return []
    if len(of_runs) <= NAMED:
        told = _some([f"{run} ({', '.join(words)})" for run, words in of_runs.items()])
        return [f"Check {told} before you trust {'its' if len(of_runs) == 1 else 'their'} scores."]
    every = [word for words in of_runs.values() for word in words]
    counts = ", ".join(f"{word} ({every.count(word)})" for word in dict.fromkeys(every))
    return [f"Check {len(of_runs)} runs before you trust their scores: {counts}."]
