"""Makes a study from runs, documents and topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Unpack

from rankprism.errors import InputError, listed, one_of
from rankprism.evaluation import Collection, collected_runs
from rankprism.formats import files
from rankprism.judging.assess.question_plan import Plan
from rankprism.judging.assess.settings import Settings, check_measure
from rankprism.judging.assess.study_files import Given, StudyFiles
from rankprism.types import Missing, RunOptions, RunsLike

#: What an answer takes if documents are a screen long, to say how much work a study is.
SECONDS_EACH = 20


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
            f"{self.tasks} tasks for {self.judgments} judgments{extra}: about {self.work} at {SECONDS_EACH} "
            f"seconds each"
        )

    @property
    def work(self) -> str:
        """How long all answers take, in minutes or hours.

        >>> Made("s", 6, 20, 300, 2107, 2107, 0, 0).work
        '12 hours'
        """
        minutes = max(1, round((self.judgments + self.practice) * SECONDS_EACH / 60))
        number, unit = (minutes, "minute") if minutes < 120 else (round(minutes / 60), "hour")
        return f"{number:,} {unit}{'' if number == 1 else 's'}"

    @classmethod
    def of(cls, given: Given, plan: Plan) -> Made:
        return cls(
            name=given.settings.name,
            runs=len(given.runs),
            topics=len(plan.topics),
            documents=len(given.texts),
            tasks=len(plan.questions),
            judgments=plan.judgments,
            practice=len(given.checks.get("practice", ())),
            gold=len(given.checks.get("gold", ())),
        )


def create_study(
    target: str,
    runs: RunsLike | Collection | None,
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
        The runs whose documents are judged, or a `Collection` that has them. With --drawn they may be left
        out.
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

    named, names = StudyFiles(documents, topics, tasks, drawn, scale, practice, gold), list(assessors)
    one_of("missing", missing, Missing)
    _check(settings, named, names)
    collection = collected_runs(runs or [], **reading)
    if not collection.sources and drawn is None:
        raise InputError("a study needs runs, whose documents are judged; name at least one")
    check_measure(settings)
    given = Given.read(settings, collection, named, missing)
    plan = Plan.of(given)
    store.create(target, lambda connection: insertion.insert(connection, given, plan, names))
    return Made.of(given, plan)


def _check(settings: Settings, given: StudyFiles, assessors: Sequence[str]) -> None:
    """Refuse what cannot go together, before anything is read."""
    if (given.tasks is None) != (settings.choice != "file"):
        raise InputError("tasks from a file need the file, and the choice 'file' (--tasks)")
    if (given.drawn is None) != (settings.choice != "drawn"):
        raise InputError("documents that were drawn need the file, and the choice 'drawn' (--drawn)")
    if given.scale is not None and not settings.collects_grades:
        raise InputError("a scale is for grades; ask for grades (--ask grades), or leave it out")
    for name in assessors:
        if assessors.count(name) > 1 or not name.strip():
            raise InputError(f"assessors need different names; got {listed(assessors)}")
