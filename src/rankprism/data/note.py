"""Notes: what a user should know before trusting a result.

A note is about input or a choice that is valid but often not what its author meant, such as a run whose rank
column contradicts its scores. In Python each note is a `RankprismWarning`; on the command line
it is a line on standard error. Either way it is recorded in `Scores.conventions["notes"]`.

A `Note` (`data/note.py`) has a kind, a message, a count and a first example. `issue` turns notes into
Python warnings, and on the command line `noted` turns the warnings into lines. The notes are also kept in
`Scores.conventions`. Some notes are about the lines of a run, for example about ranks that contradict the
scores. The core looks for these while it sorts a topic, which costs a few comparisons per line, and sets
flags for each topic in the `Alignment`. All other notes are computed from the alignment afterwards.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from rankprism.errors import RankprismWarning
from rankprism.text import quoted

#: Every kind of note, and what it says.
KINDS = {
    "rank-order": "the rank column and the scores put documents in different orders",
    "rising-scores": "the scores rise from the first rank to the last",
    "equal-scores": "all documents of a topic have the same score",
    "ties": "rankings have tied documents, and a score is one over all their orders",
    "missing-topics": "a run lacks judged topics",
    "unjudged-topics": "a run has topics without judgments",
    "unequal-depths": "a measure grows with depth, and rankings of some runs are much deeper than of others",
    "few-judged": "less than half of the top documents of a run are judged",
    "unmatched-ids": "ids of a run and of the judgments are spelled differently, or half of them do not meet",
    "unmatched-run": "almost none of the documents of a run is judged",
    "unmatched-topics": "no document that a run retrieves for a topic is judged",
    "no-judgments": "a topic has preferences and no absolute judgments",
    "no-preferences": "a topic has absolute judgments and no preferences",
    "no-pairs": "a topic has no pairs, so utilities fall back on its other comparisons",
    "no-triplets": "a topic has no triplets, so utilities fall back on its pairs",
    "borrowed": "utilities that nobody was asked about fall back on other judgments of the document",
    "never-shown": "less than half of the top documents of a run were shown to anybody",
    "no-relevant": "a topic has no relevant document",
    "lowest-grade": "no judged document has grade 0, so that all of them are relevant",
    "ignored-columns": "columns of judgments are not read",
    "unrated-rows": "rows of judgments without a grade are left out",
    "implicit-grades": "judgments have no grades, so every document has the grade 1",
    "best-aspect": "a measure of one aspect takes the best of several for each document",
    "unused-weights": "no chosen measure uses the aspect weights",
    "unequal-scales": "TOMA compares aspects whose scales differ much in length",
    "lowest-labels": "labels that are missing or below the scale were read as the lowest label",
    "not-files": "a folder of runs holds pipes, sockets or devices, which are left out",
    "byte-order-mark": "an id has a byte-order mark in it",
    "no-break-space": "an id has a no-break space in it",
    "blank-in-id": "an id begins or ends with a blank",
    "grade-columns": "judgments of several grades may have been read as subtopics",
    "unordered-labels": "an aspect of a dataset has labels without an order and is left out",
    "unjudged-intents": "intents have a weight but no judged document",
    "topics-left-out": "topics are left out of an analysis, because a run has no score there",
    "runs-left-out": "runs are left out of a leaderboard, because a collection has no scores of them",
    "few-topics": "there are too few topics for a significant difference",
    "few-changed-topics": "runs count as equivalent or not worse, and differ on few topics only",
    "unequal-variances": "a test takes runs to be equally noisy, and some are much noisier than others",
    "skewed-differences": "differences between runs are too skewed for a test",
    "run-changed": "a run has other content than when it was scored under the same name before",
    "mixed": "scores of other judgments, settings or definitions of a measure are analysed together",
    "few-digits": "scores were rounded when they were written",
    "unrecorded": "a file does not record which judgments and settings its scores were computed from",
    "versions": "scores of different versions of rankprism are analysed together",
    "damaged-scores": "a stored file of scores was not as it was written, and its run is scored again",
    "stale-scores": "a folder has scores that do not belong together with the new ones",
    "scores-lost": "scores by other measures are out of date and cannot be computed again here",
    "heavy-tails": "a few topics decide means or differences, so that intervals hold too seldom",
    "long-computation": "a test draws so many resamples that it takes long",
    "no-interval": "there are too few topics, assessors or other units for an interval",
    "missing-labels": "people and a judge have labelled too few documents in common to compare runs",
    "no-sides": "a file of preferences does not say on which side a document was shown",
    "questions-left-out": "people have answered questions that no judge has answered",
    "one-sided-answers": "an assessor of preferences nearly always answers with the same side",
    "unconnected-documents": "documents of a topic fall into parts that were never compared with each other",
    "unbounded-strengths": "documents of a topic won or lost every comparison with the others",
    "long-documents": "assessors see only the beginning of a long document",
    "topics-without-profile": "profiles of users are given, and a judged topic has none",
}


@dataclass(frozen=True)
class Note:
    """One thing to know, and how often it occurs.

    >>> print(Note("missing-topics", "'bm25' lacks 2 of 50 judged topics", 1, "bm25"))
    'bm25' lacks 2 of 50 judged topics [missing-topics]
    """

    kind: str
    message: str
    count: int  # number of runs, topics or ids concerned
    example: str  # the first of them
    runs: tuple[str, ...] = ()  # all runs concerned, if the note is about runs

    def record(self) -> dict[str, Any]:
        """The note as plain values, for JSON."""
        found = asdict(self)
        return (
            found | {"runs": list(self.runs)}
            if self.runs
            else {k: v for k, v in found.items() if k != "runs"}
        )

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Note:
        """The note of a `record`."""
        return cls(**{**record, "runs": tuple(record.get("runs", ()))})

    def __str__(self) -> str:
        return f"{self.message} [{self.kind}]"


def issue(notes: Iterable[Note], category: type[RankprismWarning] = RankprismWarning) -> None:
    """Issue each note as a warning that points to the line outside the package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "rankprism":
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(category(str(note)), stacklevel=level)


def merged(sources: Mapping[str, Iterable[Note]]) -> list[Note]:
    """The notes of several sources, such as runs that were scored one by one. Alike ones become one.

    >>> few = {run: [Note("few-judged", f"{run}: 40%", 1, run, (run,))] for run in ("a", "b", "c")}
    >>> print(*merged(few))
    a: 40%; 2 others have such a note: 'b', 'c' [few-judged]
    """
    groups: dict[tuple[str, int], dict[str, tuple[str, Note]]] = {}
    for source, notes in sources.items():
        count: Counter[str] = Counter()  # a source may have several notes of a kind
        for note in notes:
            group = groups.setdefault((note.kind, count[note.kind]), {})
            group.setdefault(note.message, (source, note))
            count[note.kind] += 1
    found = []
    for (_, first), *others in (group.values() for group in groups.values()):
        names = dict.fromkeys(name for source, note in others for name in note.runs or (source,))
        more = [name for name in names if name not in first.runs]
        if more:
            number = f"{len(more)} other{' has' if len(more) == 1 else 's have'}"
            message = f"{first.message}; {number} such a note: {some(more)}"
            first = replace(first, message=message, runs=(*first.runs, *more) if first.runs else ())
        found.append(first)
    return found


def with_notes(conventions: Mapping[str, Any], notes: Iterable[Note]) -> dict[str, Any]:
    """Add notes to the conventions of scores.

    >>> with_notes({"order": "score"}, [])
    {'order': 'score'}
    """
    added = [note.record() for note in notes]
    return {**conventions, **({"notes": [*conventions.get("notes", ()), *added]} if added else {})}


def some(names: Iterable[str], most: int = 3) -> str:
    """Quote the first few names, for a message that already says how many there are.

    >>> some(["51", "52", "53", "54"])
    "'51', '52', '53', …"
    """
    every = list(names)
    return ", ".join(map(quoted, every[:most])) + (", …" if len(every) > most else "")


def stray_notes(where: str, stray: tuple[int, str, int, str, int, str]) -> list[Note]:
    """Make notes about byte-order marks, no-break spaces and outer blanks in ids, which the core has counted.

    where : the source of the ids, as notes name it.

    >>> [note.kind for note in stray_notes("qrels", (0, "", 2, "d\\xa01", 0, ""))]
    ['no-break-space']
    """
    marks, marked, spaces, spaced, edges, edged = stray
    notes = []
    if marks:
        notes.append(
            Note(
                "byte-order-mark",
                f"{where}: {marks} {'id has' if marks == 1 else 'ids have'} a byte-order mark in it, the "
                f"first is {marked!a}; this happens when files are put together, and such an id matches "
                f"no other: remove the mark (U+FEFF) from the file",
                marks,
                marked,
            )
        )
    if spaces:
        notes.append(
            Note(
                "no-break-space",
                f"{where}: {spaces} {'id has' if spaces == 1 else 'ids have'} a no-break space in it, the "
                f"first is {spaced!a}; it does not separate columns and is part of the id: write a blank "
                f"instead where it should separate them",
                spaces,
                spaced,
            )
        )
    if edges:
        notes.append(
            Note(
                "blank-in-id",
                f"{where}: {edges} {'id begins or ends' if edges == 1 else 'ids begin or end'} with a "
                f"blank, the first is {edged!a}; the blank is part of the id, so it does not match "
                f"{edged.strip()!a}: strip the blanks from the column of ids",
                edges,
                edged,
            )
        )
    return notes
