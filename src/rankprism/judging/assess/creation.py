"""Makes a study from runs, documents and topics."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from rankprism.data import Reading
from rankprism.errors import InputError, listed, one_of
from rankprism.evaluation.collection import collected_runs
from rankprism.formats import files
from rankprism.formats.documents import read_documents
from rankprism.formats.source import run_sources
from rankprism.formats.topics import Topic, read_topics
from rankprism.judging.assess.choice import (
    asked,
    complete,
    in_batches,
    in_both_orders,
    read_questions,
    sampled,
)
from rankprism.judging.assess.graded_aspects import Aspects
from rankprism.judging.assess.known_answers import read_checks
from rankprism.judging.assess.settings import Settings, check_measure
from rankprism.judging.judges.drawn import read_drawn
from rankprism.judging.preferences.rankings import read_rankings
from rankprism.measures.grammar import parse
from rankprism.results import as_listed
from rankprism.types import Missing, RunOptions

if TYPE_CHECKING:
    import sqlalchemy as sa


@dataclass(frozen=True)
class Made:
    """What a new study contains."""

    name: str
    runs: int
    topics: int
    documents: int
    tasks: int
    judgments: int  #: number of judgments wanted: tasks × overlap
    practice: int
    gold: int

    def __str__(self) -> str:
        extra = "".join(
            f", {count} {kind} items"
            for kind, count in (("practice", self.practice), ("gold", self.gold))
            if count
        )
        return (
            f"{self.name}: {self.runs} runs, {self.topics} topics, {self.documents} documents, "
            f"{self.tasks} tasks for {self.judgments} judgments{extra}"
        )


def create_study(
    target: str,
    runs: Sequence[files.PathLike],
    settings: Settings,
    *,
    documents: files.PathLike,
    topics: files.PathLike | None = None,
    tasks: files.PathLike | None = None,
    drawn: files.PathLike | None = None,
    scale: files.PathLike | None = None,
    practice: files.PathLike | None = None,
    gold: files.PathLike | None = None,
    assessors: Iterable[str] = (),
    missing: Missing = "error",
    **reading: Unpack[RunOptions],
) -> Made:
    """Make a study in a new file or an empty database: all of it, or nothing.

    Parameters
    ----------
    target
        The file, or the URL of the database.
    runs
        The runs whose documents are judged. With --drawn they may be left out.
    documents
        JSON lines with id and text, and title, url, type if known; or irds:ID.
    topics
        Lines of id<TAB>title<TAB>description, JSON lines, or XML of TREC. Default: people see the ids.
    tasks
        Questions as JSON lines with topic, given, left and right. `rankprism preferences select` writes them.
    drawn
        Documents to grade, batch by batch, that `rankprism judges select` drew: a table with topic, doc,
        probability and batch.
    scale
        A TOML file with the labels of each aspect, for --ask grades. Default: not relevant and relevant.
    practice
        Judgments that assessors practise on first; they are told the right answer.
    gold
        Judgments with known answers, mixed in to see whether assessors are careful.
    assessors
        Names of assessors who get links of their own.
    missing
        A ranked document without a text: an error, or leave it out.
    order, duplicates, run_format
        How to read the runs, see `evaluate`.
    """
    # The help of the command needs this function, and not what the database needs.
    from rankprism.judging.assess import insertion, store

    one_of("missing", missing, Missing)
    if (tasks is None) != (settings.choice != "file"):
        raise InputError("tasks from a file need the file, and the choice 'file' (--tasks)")
    if (drawn is None) != (settings.choice != "drawn"):
        raise InputError("documents that were drawn need the file, and the choice 'drawn' (--drawn)")
    if scale is not None and not settings.collects_grades:
        raise InputError("a scale is for grades; ask for grades (--ask grades), or leave it out")
    names = list(assessors)
    for name in names:
        if names.count(name) > 1 or not name.strip():
            raise InputError(f"assessors need different names; got {listed(names)}")
    sources = run_sources(list(runs)) if runs else {}
    if not sources and drawn is None:
        raise InputError("a study needs runs, whose documents are judged; name at least one")
    how = Reading.of(**reading)
    check_measure(settings)
    # Which documents were drawn is decided already. The runs are named again when the study is served.
    ranked = sources if drawn is None else {}
    pools = {
        topic: list(one.docs)
        for topic, one in (read_rankings(ranked, settings.depth, **reading).topics if ranked else {}).items()
    }
    cutoff = parse(settings.measure).cutoff
    looked_at = None if cutoff is None else max(cutoff, settings.depth)
    rankings = _by_run(ranked, looked_at, reading) if ranked else {}
    wanted = {doc for docs in pools.values() for doc in docs}
    questions = [] if tasks is None else read_questions(tasks, settings.ask)
    if any(question.again for question in questions) and settings.both_orders == "no":
        settings = replace(settings, both_orders="same")
    pairs = [] if drawn is None else in_batches(read_drawn(drawn))
    questions += [asked(pair) for pair in pairs]
    words = {} if topics is None else read_topics(topics)
    aspects = Aspects(scale, words) if settings.collects_grades else None
    checks = {
        purpose: read_checks(source, aspects)
        for purpose, source in (("practice", practice), ("gold", gold))
        if source is not None
    }
    for question in [*questions, *(check.question for found in checks.values() for check in found)]:
        wanted.update(question.documents)
    texts = read_documents(documents, wanted)
    _check_texts(documents, wanted - set(texts), missing, drawn is not None)
    pools = {topic: [doc for doc in docs if doc in texts] for topic, docs in pools.items()}
    orders = 1 if settings.both_orders == "no" else 2
    if settings.choice == "complete":
        questions = complete(pools, settings.ask, settings.seed)
    elif settings.choice == "random":
        questions = sampled(pools, settings.ask, (settings.budget or 0) // orders, settings.seed)
    if orders == 2 and not any(question.again for question in questions):
        questions = in_both_orders(questions, settings.batch, settings.seed)
    questions = [question for question in questions if all(doc in texts for doc in question.documents)]
    if not questions and settings.choice != "adaptive":
        raise InputError(
            "there is nothing to ask: no topic has two documents with a text; check the runs and --depth"
        )
    named = _named_topics(
        [
            *pools,
            *(q.topic for q in questions),
            *(c.question.topic for found in checks.values() for c in found),
        ],
        words,
    )
    provenance = {
        "runs": {
            name: _sha256(one.thing if one.is_file else one.place or name) for name, one in sources.items()
        },
        "documents": _sha256(documents),
        **({} if topics is None else {"topics": _sha256(topics)}),
        **({} if tasks is None else {"tasks": _sha256(tasks)}),
        **({} if drawn is None else {"drawn": _sha256(drawn)}),
        **how.settings,
    }

    def fill(connection: sa.Connection) -> None:
        insertion.insert_study(connection, settings, provenance)
        topic_ids = insertion.insert_topics(connection, named, aspects)
        document_ids = insertion.insert_documents(connection, texts)
        insertion.insert_rankings(connection, rankings, topic_ids, document_ids)
        insertion.insert_questions(connection, questions, settings, topic_ids, document_ids)
        insertion.insert_drawing(connection, pairs)
        for purpose, found in checks.items():
            insertion.insert_checks(connection, purpose, found, topic_ids, document_ids)
        insertion.insert_assessors(connection, names)

    store.create(target, fill)
    return Made(
        name=settings.name,
        runs=len(sources),
        topics=len(named),
        documents=len(texts),
        tasks=len(questions),
        judgments=(settings.budget or 0 if settings.choice == "adaptive" else len(questions))
        * settings.overlap,
        practice=len(checks.get("practice", [])),
        gold=len(checks.get("gold", [])),
    )


def _by_run(
    sources: Mapping[str, Any], depth: int | None, reading: RunOptions
) -> dict[str, dict[str, list[str]]]:
    """The documents of each run by topic, the best first, down to a depth."""
    return dict(sorted(collected_runs(sources, **reading).lists(depth)))


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


def _named_topics(names: Iterable[str], words: Mapping[str, Topic]) -> list[Topic]:
    topics = sorted(dict.fromkeys(names), key=as_listed)
    unknown = [name for name in topics if name not in words]
    if words and unknown:
        raise InputError(
            f"{len(unknown)} topics of the runs are not in the file of topics, such as {unknown[0]!r}; add "
            f"them, or check that both spell them alike"
        )
    return [words.get(name, Topic(name, name)) for name in topics]


def _sha256(path: files.PathLike) -> dict[str, str]:
    name = os.fspath(path)
    if not os.path.isfile(name):
        return {"file": files.source_name(path)}
    with open(name, "rb") as file:
        return {"file": os.path.basename(name), "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
