"""Makes a study from runs, documents and topics."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, Unpack, get_args, get_origin, get_type_hints

import sqlalchemy as sa

from rankprism.assess import rendering, store
from rankprism.assess.choice import (
    Question,
    complete,
    in_both_orders,
    is_swapped,
    read_questions,
    sampled,
)
from rankprism.assess.crowd import check_completion_url, check_parameter
from rankprism.assess.wording import Wording, default_instructions, default_wording, stored_wording
from rankprism.data.note import Note, issue, some
from rankprism.data.run import Reading
from rankprism.data.scales import Scale
from rankprism.documents import MOST, is_cut
from rankprism.errors import InputError, listed, one_of
from rankprism.formats import files
from rankprism.formats.documents import Document, read_documents
from rankprism.formats.several_runs import run_sources
from rankprism.formats.spellings import ONLY_ASPECT
from rankprism.formats.topics import Topic, read_topics
from rankprism.judges.drawn import DrawnPair, read_drawn
from rankprism.measures.grammar import parse
from rankprism.preferences.rankings import ranked_runs, read_rankings
from rankprism.results.scores import as_listed
from rankprism.types import Ask, BothOrders, Missing, RunOptions, StudyChoice

#: The default measure that ranks the systems, down to the depth of the study. The pooled estimate uses both
#: pairs and triplets, errs less with few judgments, and does not treat documents that nobody saw as bad.
MEASURES = {"preferences": "nPrf(estimate='pooled')", "grades": "alpha_nDCG", "drawn": "nDCG"}
CONSENT = """\
Your answers, your comments and the time that you take are stored and used to evaluate search systems. \
You may stop at any time.
"""


@dataclass(frozen=True)
class Settings:
    """The settings of a study."""

    name: str = "Study"
    ask: Ask = "pairs"
    choice: StudyChoice = "complete"
    depth: int = 10  #: number of documents of each ranking that are asked about
    budget: int | None = None  #: total number of questions; each may be judged several times
    overlap: int = 1  #: number of assessors who judge each question
    quota: int | None = None  #: number of answers after which an assessor is done; None: when none is left
    lease: int = 1800  #: seconds after which an unanswered question goes to somebody else
    gold_every: int = 10  #: every N-th question is a gold question
    batch: int = 50  #: number of questions that adaptive choice chooses at a time
    both_orders: BothOrders = "no"  #: who judges each pair a second time, with its sides swapped
    repeat_every: int | None = None  #: every N-th question is one that the assessor has answered before
    settle: float | None = None  #: stop when the order of the systems is this stable (Kendall's τ)
    measure: str = ""  #: the measure that ranks the systems on the dashboard, see `MEASURES`
    seed: int = 0
    minutes: int | None = None  #: minutes after which an assessor gets no more questions
    mark: bool = True  #: whether the words of the topic's title are marked in documents
    crowd: bool = False  #: whether one link is for anybody who has a worker id
    worker_parameter: str = ""  #: the parameter of that link with the worker id, see `crowd.PARAMETERS`
    completion_url: str | None = None  #: where assessors go at the end, see `crowd.completion_url`
    completion_code: str | None = None  #: the code that assessors see at the end; None: each has their own
    instructions: str = ""  #: Markdown, see `wording.default_instructions`
    consent: str = CONSENT  #: Markdown
    wording: Wording = field(default_factory=Wording)  #: for grades, the default is `wording.GRADES`

    def __post_init__(self) -> None:
        one_of("ask", self.ask, Ask)
        collects = "grades" if self.collects_grades else "preferences"
        if self.wording == Wording():
            object.__setattr__(self, "wording", default_wording(self.ask))
        written = self.instructions or default_instructions(self.ask, self.wording)
        object.__setattr__(self, "instructions", written)
        kind = "drawn" if self.choice == "drawn" else collects
        object.__setattr__(self, "measure", self.measure or f"{MEASURES[kind]}@{self.depth}")
        one_of("choice", self.choice, StudyChoice)
        one_of("both_orders", self.both_orders, BothOrders)
        for name, least in (("depth", 1), ("overlap", 1), ("lease", 10), ("gold_every", 2), ("batch", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}; got {getattr(self, name)}")
        check_parameter(self.worker_parameter)
        if self.completion_url is not None:
            check_completion_url(self.completion_url)
        for name in ("quota", "budget", "minutes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} must be at least 1; got {value}")
        if self.settle is not None and not 0 < self.settle <= 1:
            raise InputError(f"settle is a Kendall's τ above 0 and up to 1; got {self.settle}")
        if self.choice in ("random", "adaptive") and self.budget is None:
            raise InputError(
                f"the choice {self.choice} needs a budget, the number of questions to ask (--budget)"
            )
        if self.choice not in ("random", "adaptive") and self.budget is not None:
            raise InputError(f"a budget goes with random or adaptive choice; the choice is {self.choice}")
        if self.repeat_every is not None and self.repeat_every < 2:
            raise InputError(f"repeat_every must be at least 2; got {self.repeat_every}")
        if self.both_orders != "no" and self.collects_grades:
            raise InputError("both orders are for pairs and triplets; a document to grade has no order")
        if self.choice == "drawn" and not self.collects_grades:
            raise InputError(f"documents that were drawn are graded (--ask grades); got {self.ask!r}")
        if self.choice == "drawn" and self.settle is not None:
            raise InputError(
                "settle looks at the order of systems by all judgments, and drawn documents are a sample; "
                "`rankprism judges select --settled` says when to stop"
            )
        if self.choice == "adaptive" and self.ask != "both":
            raise InputError(f"adaptive choice asks for pairs and triplets (--ask both); got {self.ask!r}")

    @property
    def collects_grades(self) -> bool:
        return self.ask == "grades"


_KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


def read_settings(found: Mapping[str, Any]) -> Settings:
    """Read the settings that a study has stored, or name the setting that is damaged."""
    names = [one.name for one in fields(Settings)]
    kinds = get_type_hints(Settings)
    for name in names:
        if name not in found:
            raise InputError(f"its settings have no {name}")
        if name == "wording":
            found = {**found, name: stored_wording(found[name])}
            continue
        # `Settings` itself checks the words of a Literal.
        allowed = (str,) if get_origin(kinds[name]) is Literal else get_args(kinds[name]) or (kinds[name],)
        # A whole number is stored without a decimal point.
        if type(found[name]) not in (*allowed, *([int] if float in allowed else [])):
            words = " or ".join(_KINDS[kind] for kind in allowed)
            raise InputError(f"its setting {name} must be {words}; got {found[name]!r}")
    unknown = [name for name in found if name not in names]
    if unknown:
        raise InputError(f"its setting {unknown[0]!r} is not known")
    return Settings(**found)


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


@dataclass(frozen=True)
class Check:
    """A question whose answer is known, for practice or to check how careful assessors are (gold)."""

    question: Question
    expected: Any  #: first, second or tie; or a label for each aspect


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

    runs : paths of run files. Documents that were drawn need none.
    documents : see `read_documents`.
    topics : see `read_topics`. Default: assessors see the ids of topics.
    tasks : the questions, if they come from a file, see `choice.read_questions`.
    drawn : the documents to grade, as `rankprism.judges.select` drew them.
    scale : a TOML file with the labels of the aspects that are graded.
    practice, gold : preferences, or qrels if grades are collected, with the right answers.
    assessors : names of assessors who get links of their own.
    missing : what to do with ranked documents that have no text.
    order, duplicates : how to read the runs, see `evaluate`.
    """
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
    aspects = _Aspects(scale, words) if settings.collects_grades else None
    checks = {
        purpose: _checks(source, aspects)
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
        "runs": {name: _sha256(path) for name, path in sources.items()},
        "documents": _sha256(documents),
        **({} if topics is None else {"topics": _sha256(topics)}),
        **({} if tasks is None else {"tasks": _sha256(tasks)}),
        **({} if drawn is None else {"drawn": _sha256(drawn)}),
        "order": how.order,
        "duplicates": how.duplicates,
    }

    def fill(connection: sa.Connection) -> None:
        insert_study(connection, settings, provenance)
        topic_ids = _insert_topics(connection, named, aspects)
        document_ids = insert_documents(connection, texts)
        _insert_rankings(connection, rankings, topic_ids, document_ids)
        insert_questions(connection, questions, settings, topic_ids, document_ids)
        insert_drawing(connection, pairs)
        for purpose, found in checks.items():
            _insert_checks(connection, purpose, found, topic_ids, document_ids)
        if names:
            rows = [{"name": name, "created": store.now()} for name in names]
            connection.execute(sa.insert(store.assessor), rows)

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


def insert_study(connection: sa.Connection, settings: Settings, provenance: Mapping[str, Any]) -> None:
    from rankprism import __version__

    row = {
        "id": 1,
        "settings": asdict(settings),
        "provenance": {"rankprism": __version__, **provenance},
        "secret": secrets.token_hex(32),
        "created": store.now(),
    }
    connection.execute(sa.insert(store.study), [row])
    first = {"version": 1, "text": settings.instructions, "since": row["created"]}
    connection.execute(sa.insert(store.instructions), [first])


def in_batches(pairs: Iterable[DrawnPair]) -> list[DrawnPair]:
    """Drawn pairs batch by batch, and otherwise in the order of their file."""
    return sorted(pairs, key=lambda pair: pair.batch)


def asked(pair: DrawnPair) -> Question:
    """The question about a document that was drawn."""
    return Question.of(pair.topic, (), pair.doc, None)


def insert_drawing(connection: sa.Connection, pairs: Sequence[DrawnPair]) -> None:
    """Record the batch and the probability of every pair that was drawn. Their tasks are in the study."""
    if not pairs:
        return
    task, upto = store.task, max(pair.batch for pair in pairs)
    numbers = {row.key: row.id for row in connection.execute(sa.select(task.c.key, task.c.id))}
    rows = [(numbers[asked(pair).key()], pair) for pair in pairs]
    batches = [{"number": number, "batch": pair.batch} for number, pair in rows]
    connection.execute(sa.update(task).where(task.c.id == sa.bindparam("number")), batches)
    connection.execute(
        sa.insert(store.drawing),
        [{"task": number, "upto": upto, "probability": pair.probability} for number, pair in rows],
    )


def insert_questions(
    connection: sa.Connection,
    questions: Sequence[Question],
    settings: Settings,
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> int:
    """Add questions that are new to the study, with a place for each wanted judgment. Return their number."""
    task, place = store.task, store.place
    if connection.dialect.name == "postgresql":  # nobody else may add tasks, which would get the same numbers
        connection.execute(sa.text("LOCK TABLE task IN SHARE ROW EXCLUSIVE MODE"))
    rows = connection.execute(sa.select(task.c.key, task.c.id).where(task.c.purpose == "study"))
    known = {row.key: row.id for row in rows}
    new = {q.key(): q for q in questions if q.key() not in known}
    if not new:
        return 0
    first = int(connection.scalar(sa.select(sa.func.max(task.c.id))) or 0) + 1
    numbers = known | {key: number for number, key in enumerate(new, first)}
    tasks, places = [], []
    for key, question in new.items():
        number = numbers[key]
        before = numbers[replace(question, again=False).key()] if question.again else None
        row = _task_row(question, "study", number, topic_ids, document_ids)
        tasks.append(row | {"id": number, "repeats": before})
        for copy in range(settings.overlap):
            places.append(
                {
                    "task": number,
                    "position": number,
                    "swapped": is_swapped(settings.seed, key, f"copy {copy}")
                    if question.swapped is None
                    else question.swapped,
                    "attempt": 0,
                    "done": False,
                }
            )
    connection.execute(sa.insert(task), tasks)
    connection.execute(sa.insert(place), places)
    if connection.dialect.name == "postgresql":  # the numbers are ours, so its own counter is behind
        connection.execute(sa.text("SELECT setval(pg_get_serial_sequence('task', 'id'), max(id)) FROM task"))
    return len(new)


def ids(connection: sa.Connection, table: sa.Table) -> dict[str, int]:
    """The number of each name in a table."""
    return {row.name: row.id for row in connection.execute(sa.select(table.c.name, table.c.id))}


def _by_run(
    sources: Mapping[str, Any], depth: int | None, reading: RunOptions
) -> dict[str, dict[str, list[str]]]:
    """The documents of each run by topic, the best first, down to a depth."""
    found: dict[str, dict[str, list[str]]] = {}
    for run, ranked in ranked_runs(sources, depth, **reading):
        lists = found[run] = {}
        for topic, doc, _ in ranked:
            lists.setdefault(topic, []).append(doc)
    return found


class _Aspects:
    """The aspects to grade in each topic: its subtopics, or the aspects of the scale."""

    def __init__(self, scale: files.PathLike | None, words: Mapping[str, Topic]) -> None:
        from rankprism.formats.aspects.reading import read_scales

        self.scales = () if scale is None else read_scales(scale)
        self.words = words
        if len(self.scales) > 1 and any(topic.subtopics for topic in words.values()):
            raise InputError(
                f"{os.fspath(scale or '')}: describes {len(self.scales)} aspects, and the topics have "
                f"subtopics, which are graded on one scale; describe one aspect, or leave the subtopics out"
            )

    def of(self, topic: str) -> list[tuple[str, str, Scale]]:
        """The name, description and scale of each aspect of a topic."""
        plain = Scale.of(ONLY_ASPECT, ["not relevant", "relevant"])
        subtopics = self.words[topic].subtopics if topic in self.words else ()
        if subtopics:
            one = self.scales[0] if self.scales else plain
            return [(name, description, one) for name, description in subtopics]
        return [(scale.aspect, scale.aspect, scale) for scale in self.scales] or [(ONLY_ASPECT, "", plain)]


def _checks(source: files.PathLike, aspects: _Aspects | None) -> list[Check]:
    if aspects is None:
        from rankprism.formats.preferences import read_preferences

        rows = read_preferences(source).columns()
        found = []
        for topic, given, left, right, outcome in zip(
            rows["topic"], rows["given"], rows["left"], rows["right"], rows["outcome"], strict=True
        ):
            question = Question.of(topic, given.split(), left, right)
            winner = {"left": left, "right": right}.get(outcome)
            found.append(
                Check(
                    question, "tie" if winner is None else "first" if winner == question.first else "second"
                )
            )
        return found
    from rankprism.formats.judgments import read_judgments

    topics, names, docs, grades = read_judgments(source).table.columns()
    expected: dict[Question, dict[str, str]] = {}
    for topic, name, doc, grade in zip(topics, names, docs, grades, strict=True):
        scales = {aspect: scale for aspect, _, scale in aspects.of(topic)}
        if name not in scales or float(grade) not in scales[name].grades:
            raise InputError(
                f"{files.source_name(source)}: aspect {name!r} of topic {topic!r} has no label with grade "
                f"{grade:g}"
            )
        label = scales[name].names[scales[name].grades.index(float(grade))]
        expected.setdefault(Question(topic, (), doc, None), {})[name] = label
    return [Check(question, labels) for question, labels in expected.items()]


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


def check_measure(settings: Settings) -> None:
    """Refuse a measure that cannot rank the systems by what the study collects."""
    from rankprism.preferences.selection import preference_measures

    measure = parse(settings.measure)
    if (measure.needs == "preferences") == settings.collects_grades:
        collected = "grades" if settings.collects_grades else "preferences"
        raise InputError(
            f"{measure} cannot rank systems by {collected}, which the study collects (--measure)"
        )
    if settings.choice == "adaptive":
        preference_measures(settings.measure)


def _sha256(path: files.PathLike) -> dict[str, str]:
    name = os.fspath(path)
    if not os.path.isfile(name):
        return {"file": files.source_name(path)}
    with open(name, "rb") as file:
        return {"file": os.path.basename(name), "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def _insert_topics(
    connection: sa.Connection, topics: Sequence[Topic], aspects: _Aspects | None
) -> dict[str, int]:
    rows = [{"name": t.id, "title": t.title, "description": t.description} for t in topics]
    connection.execute(sa.insert(store.topic), rows)
    found = ids(connection, store.topic)
    if aspects is not None:
        graded = [
            {
                "topic": found[topic.id],
                "name": name,
                "description": description,
                "labels": list(scale.names),
                "grades": list(scale.grades),
            }
            for topic in topics
            for name, description, scale in aspects.of(topic.id)
        ]
        connection.execute(sa.insert(store.aspect), graded)
    return found


def insert_documents(connection: sa.Connection, texts: Mapping[str, Document]) -> dict[str, int]:
    rows = [
        {"name": d.id, "title": d.title, "url": d.url, "type": d.type, "text": d.text}
        | rendering.cleaned(d.text, d.type)
        for d in texts.values()
    ]
    cut = [row["name"] for row in rows if is_cut(row["cleaned"])]
    if cut:
        message = (
            f"{len(cut)} of {len(rows)} documents have more than {MOST:,} characters, and assessors see only "
            f"the beginning of them; if they should judge the rest, split the documents. Documents: "
            f"{some(cut)}"
        )
        issue([Note("long-documents", message, len(cut), cut[0])])
    connection.execute(sa.insert(store.document), rows)
    return ids(connection, store.document)


def _insert_rankings(
    connection: sa.Connection,
    rankings: Mapping[str, Mapping[str, Sequence[str]]],
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> None:
    rows = [
        {"run": run, "topic": topic_ids[topic], "rank": rank, "document": document_ids[doc]}
        for run, lists in rankings.items()
        for topic, docs in lists.items()
        for rank, doc in enumerate(docs, 1)
        if doc in document_ids
    ]
    if not rankings:
        return
    connection.execute(sa.insert(store.ranking), rows)
    lengths = [
        {"run": run, "topic": topic_ids[topic], "length": len(docs)}
        for run, lists in rankings.items()
        for topic, docs in lists.items()
    ]
    connection.execute(sa.insert(store.ranking_length), lengths)


def _insert_checks(
    connection: sa.Connection,
    purpose: str,
    checks: Sequence[Check],
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for number, check in enumerate(checks):
        if any(doc not in document_ids for doc in check.question.documents):
            continue  # --missing skip
        row = _task_row(check.question, purpose, number, topic_ids, document_ids)
        known = rows.setdefault(row["key"], row | {"expected": check.expected})
        if known["expected"] != check.expected:
            raise InputError(
                f"a {purpose} question about topic {check.question.topic!r} has two different answers: "
                f"{check.question.first!r} and {check.question.second!r}; keep one of them"
            )
    if rows:
        connection.execute(sa.insert(store.task), list(rows.values()))


def _task_row(
    question: Question,
    purpose: str,
    position: int,
    topic_ids: Mapping[str, int],
    document_ids: Mapping[str, int],
) -> dict[str, Any]:
    return {
        "key": question.key(purpose),
        "purpose": purpose,
        "position": position,
        "topic": topic_ids[question.topic],
        "given": [document_ids[doc] for doc in question.given],
        "first": document_ids[question.first],
        "second": None if question.second is None else document_ids[question.second],
    }
