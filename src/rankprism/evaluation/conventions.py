"""The conventions behind scores: how judgments and runs were read, and how gaps in papers are filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankprism.data import Judgments, Note, Reading
from rankprism.evaluation.blocks import Block, whole
from rankprism.evaluation.inspection.depth import depths_of
from rankprism.evaluation.parts import Part, all_topics
from rankprism.measures import Measure
from rankprism.results import DEFAULTS, DEPTH, Record, Scores, measured
from rankprism.results.direction import directed_aspects
from rankprism.types import Tied, Topics

if TYPE_CHECKING:
    from rankprism.data import Preferences


def scores_of(
    parts: Sequence[Part],
    blocks: Sequence[Block],
    measures: Sequence[Measure],
    notes: Sequence[Note],
    tied: Tied | None = None,
    bounds: bool = False,
) -> Scores:
    """The scores of all parts, with how they were computed. `notes` : on the runs."""
    first, whole_block = parts[0], whole(parts, blocks, measures)
    reading, topics = first.collection.reading, first.collection.options.topics
    columns = {column: measure for measure in measures for column in columns_of(measure, tied)}
    conventions: dict[str, Any] = {**reading.settings, "topics": topics}
    if tied is not None:
        conventions["tied"] = tied
    for part in parts:
        said_of = _of_part(part, bounds)
        # With both kinds of judgments, the conventions of preferences have their own place.
        conventions |= said_of if part is first else {"preferences": said_of.pop("preferences") | said_of}
    aspects = {name: down for part in parts for name, down in part.judged.lower_is_better.items()}
    found = measured(measures, aspects)
    conventions["direction"] = {column: found[str(measure)] for column, measure in columns.items()}
    of_judgments = [note for part in parts for note in part.judged.notes]
    conventions["notes"] = [note.record() for note in (*of_judgments, *notes)]
    record = record_of([part.given for part in parts], columns, reading, topics, tied, bounds)
    record = record._replace(depths=depths_of(first.runs))
    if any(note.kind == "unequal-depths" for note in notes):
        record, conventions["mixed"] = record.mixing(DEPTH), [DEPTH]
    values, low, high, _ = whole_block
    return Scores(
        tuple(first.runs), all_topics(parts), tuple(columns), values, conventions, low, high, record
    )


def columns_of(measure: Measure, tied: Tied | None) -> list[str]:
    """The names of a measure's columns. Scores over all orders of tied documents say so in their name."""
    if tied is None:
        return [str(measure)]
    words = ("lowest", "expected", "highest") if tied == "all" else (tied,)
    return [f"{word.capitalize()}({measure})" for word in words]


def _of_part(part: Part, bounds: bool) -> dict[str, Any]:
    """How scores were computed, for measures that need one kind of judgments."""
    judged, runs = part.judged, part.runs
    if part.needs == "preferences":
        about: dict[str, Any] = {"preferences": _preference_conventions(part.measures)}
    else:
        about = {
            "aspect weights": "uniform" if judged.weights is None else "given",
            "aspects without relevant documents": "left out" if judged.counted is None else "count",
            **_labelling(judged),
            "bounds": bounds,
            "topics without relevant documents": judged.topics_without_relevant,
        }
    return about | {
        "topics missing from a run": {
            name: int((~run.retrieved).sum()) for name, run in runs.items() if not run.retrieved.all()
        },
        "topics of a run without judgments": {
            name: len(run.unjudged) for name, run in runs.items() if run.unjudged
        },
    }


def _preference_conventions(measures: Sequence[Measure]) -> dict[str, Any]:
    """What the paper leaves open, and how it is read here."""
    from rankprism.measures.known.prf import TIE
    from rankprism.measures.preferences.utility import PRIOR

    forms = [measure for measure in measures if measure.name in ("Prf", "nPrf")]
    return {
        "ties": "half a win for each document",
        "documents never shown": {
            str(m): f"utility {0.0 if m['estimate'] == 'raw' else PRIOR:g}" for m in forms
        },
        "unseen": {str(m): m["unseen"] for m in forms},
        "fallback": {str(m): m["fallback"] for m in forms},
        "K": "the cutoff; without one, the number of documents in the pool",
        "pool": "documents shown as left or right",
        "several given documents": "used where they are exactly the documents above",
        "ties in the greedy ideal": f"utilities within {TIE:g}, the larger document id first",
    }


def _labelling(judged: Judgments) -> dict[str, Any]:
    """How the labels of several aspects were read."""
    if judged.scales is None:
        return {}
    return {
        "scales": {
            scale.aspect: dict(zip(scale.names, map(str, scale.place), strict=True))
            for scale in judged.scales
        },
        "labels set to the lowest": {aspect: dict(reasons) for aspect, reasons in judged.lowered.items()},
    }


def record_of(
    given: Sequence[Judgments | Preferences],
    columns: Mapping[str, Measure],
    reading: Reading,
    topics: Topics,
    tied: Tied | None = None,
    bounds: bool = False,
) -> Record:
    """What scores are computed from. Settings are recorded if they differ from the defaults.

    columns : the measure of each column
    """
    settings: dict[str, str] = {name: str(value) for name, value in reading.settings.items()}
    settings |= {"topics": topics, "tied": tied or "", "bounds": "yes" if bounds else ""}
    if reading.order == "trec_eval":  # another name of the default
        settings["order"] = DEFAULTS["order"]
    for source in given:
        if isinstance(source, Judgments):
            settings |= _settings_of(source)
    changed = {name: value for name, value in settings.items() if value not in ("", DEFAULTS.get(name))}
    return Record.of(given, columns, changed)


def _settings_of(judged: Judgments) -> dict[str, str]:
    """How judgments with several aspects are read."""
    scales = [] if judged.scales is None else judged.scales
    return {
        "weights": "" if judged.weights is None else "given",
        "aspects": "" if judged.counted is None else "all",
        "labels": "; ".join(
            f"{scale.aspect}: " + ", ".join(map("{}={}".format, scale.names, scale.place)) for scale in scales
        ),
        **directed_aspects(judged.lower_is_better),
    }
