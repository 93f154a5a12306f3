"""The files that a study is made from, and what is in them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rankprism.errors import InputError
from rankprism.evaluation import Collection
from rankprism.formats import Document, Topic, files, read_documents, read_topics
from rankprism.judging.assess.choice import Question, in_batches, read_questions
from rankprism.judging.assess.graded_aspects import Aspects
from rankprism.judging.assess.known_answers import Check, read_checks
from rankprism.judging.assess.settings import Settings
from rankprism.judging.judges import drawn as drawing
from rankprism.judging.preferences import read_rankings
from rankprism.measures import parse
from rankprism.types import Missing

#: The documents of each topic, the best first, by run.
Rankings = Mapping[str, Mapping[str, Sequence[str]]]


class StudyFiles(NamedTuple):
    """The files beside the runs, as `create_study` explains them."""

    documents: files.PathLike
    topics: files.PathLike | None = None
    tasks: files.PathLike | None = None
    drawn: files.PathLike | None = None
    scale: files.PathLike | None = None
    practice: files.PathLike | None = None
    gold: files.PathLike | None = None


@dataclass(frozen=True)
class Given:
    """What a study is made from."""

    settings: Settings
    runs: tuple[str, ...]
    rankings: Rankings  #: down to the last rank that the dashboard looks at
    pools: Mapping[str, Sequence[str]]  #: the ranked documents of each topic that have a text
    texts: Mapping[str, Document]
    words: Mapping[str, Topic]  #: the topics of the file; empty if there is none
    aspects: Aspects | None  #: what is graded
    questions: Sequence[Question]  #: those of --tasks
    drawn: Sequence[drawing.DrawnPair]  #: batch by batch
    checks: Mapping[str, Sequence[Check]]  #: questions for practice and gold
    provenance: Mapping[str, Any]

    @classmethod
    def read(cls, settings: Settings, collection: Collection, given: StudyFiles, missing: Missing) -> Given:
        """Read all files, and refuse documents without a text."""
        # Which documents were drawn is decided already. The runs are named again when the study is served.
        ranked = settings.choice != "drawn"
        ranking = read_rankings(collection, settings.depth).topics if ranked else {}
        rankings = _rankings(collection, settings) if ranked else {}
        questions = [] if given.tasks is None else read_questions(given.tasks, settings.ask)
        if any(question.again for question in questions) and settings.both_orders == "no":
            settings = replace(settings, both_orders="same")
        drawn = [] if given.drawn is None else in_batches(drawing.read_drawn(given.drawn))
        words = {} if given.topics is None else read_topics(given.topics)
        aspects = Aspects(given.scale, words) if settings.collects_grades else None
        checks = {
            purpose: read_checks(source, aspects)
            for purpose, source in (("practice", given.practice), ("gold", given.gold))
            if source is not None
        }
        asked = [*questions, *(check.question for found in checks.values() for check in found)]
        wanted = {doc for one in ranking.values() for doc in one.docs} | {pair.doc for pair in drawn}
        wanted |= {doc for question in asked for doc in question.documents}
        texts = read_documents(given.documents, wanted)
        _check_texts(given.documents, wanted - set(texts), missing, drawn=not ranked)
        return cls(
            settings,
            collection.runs,
            rankings,
            {topic: [doc for doc in one.docs if doc in texts] for topic, one in ranking.items()},
            texts,
            words,
            aspects,
            questions,
            drawn,
            checks,
            _provenance(collection, given),
        )


def _rankings(collection: Collection, settings: Settings) -> Rankings:
    """The rankings down to the depth of the study and of its measure."""
    cutoff = parse(settings.measure).cutoff
    return dict(sorted(collection.lists(None if cutoff is None else max(cutoff, settings.depth))))


def _check_texts(documents: files.PathLike, lacking: set[str], missing: Missing, drawn: bool) -> None:
    """Refuse documents without a text, unless they may be left out."""
    if not lacking or (missing == "skip" and not drawn):
        return
    remedy = "add them, or leave them out with --missing skip"
    if drawn:
        remedy = "add them, because scores from a sample need all documents that were drawn"
    raise InputError(
        f"{files.source_name(documents)}: has no text for {len(lacking)} documents, such as "
        f"{min(lacking)!r}; {remedy}"
    )


def _provenance(collection: Collection, given: StudyFiles) -> dict[str, Any]:
    """The files that the study was made from, and how the runs were read."""
    sources = collection.sources.items()
    found: dict[str, Any] = {
        "runs": {name: _sha256(one.thing if one.is_file else one.place or name) for name, one in sources}
    }
    for name in ("documents", "topics", "tasks", "drawn"):
        path = getattr(given, name)
        if path is not None:
            found[name] = _sha256(path)
    return found | collection.reading.settings


def _sha256(path: files.PathLike) -> dict[str, str]:
    name = os.fspath(path)
    if not os.path.isfile(name):
        return {"file": files.source_name(path)}
    with open(name, "rb") as file:
        return {"file": os.path.basename(name), "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
