"""The questions of a new study: which ones, in which order, and about which topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankprism.errors import InputError
from rankprism.formats import Topic
from rankprism.judging.assess.choice import Question, asked, complete, in_both_orders, sampled
from rankprism.judging.assess.study_files import Given
from rankprism.results import as_listed
from rankprism.types import StudyChoice


@dataclass(frozen=True)
class Plan:
    """The questions of a study in their order, and its topics as people list them."""

    questions: tuple[Question, ...]
    topics: tuple[Topic, ...]
    judgments: int  #: number of judgments wanted

    @classmethod
    def of(cls, given: Given) -> Plan:
        """The plan for what a study is made from. A plan without questions is refused."""
        settings = given.settings
        chosen = PLANS[settings.choice](given)
        if settings.both_orders != "no" and not any(question.again for question in chosen):
            chosen = in_both_orders(chosen, settings.batch, settings.seed)
        questions = tuple(q for q in chosen if all(doc in given.texts for doc in q.documents))
        if not questions and settings.choice != "adaptive":
            raise InputError(
                "there is nothing to ask: no topic has two documents with a text; check the runs and --depth"
            )
        known = (check.question.topic for checks in given.checks.values() for check in checks)
        topics = _topics([*given.pools, *(question.topic for question in questions), *known], given.words)
        number = (settings.budget or 0) if settings.choice == "adaptive" else len(questions)
        return cls(questions, topics, number * settings.overlap)


def every_question(given: Given) -> Sequence[Question]:
    """Everything that can be asked about the ranked documents."""
    return complete(given.pools, given.settings.ask, given.settings.seed)


def random_questions(given: Given) -> Sequence[Question]:
    """As many questions as the budget allows, each of them perhaps in two orders."""
    settings = given.settings
    budget = (settings.budget or 0) // (1 if settings.both_orders == "no" else 2)
    return sampled(given.pools, settings.ask, budget, settings.seed)


def questions_of_file(given: Given) -> Sequence[Question]:
    """Those of --tasks."""
    return given.questions


def drawn_documents(given: Given) -> Sequence[Question]:
    """A grade for each document that was drawn."""
    return [asked(pair) for pair in given.drawn]


def none_yet(given: Given) -> Sequence[Question]:
    """None: they are chosen while people answer."""
    return ()


PLANS: Mapping[StudyChoice, Callable[[Given], Sequence[Question]]] = {
    "complete": every_question,
    "random": random_questions,
    "file": questions_of_file,
    "drawn": drawn_documents,
    "adaptive": none_yet,
}


def _topics(names: Iterable[str], words: Mapping[str, Topic]) -> tuple[Topic, ...]:
    """The topics with these names. A file of topics has to have all of them."""
    topics = sorted(dict.fromkeys(names), key=as_listed)
    unknown = [name for name in topics if name not in words]
    if words and unknown:
        raise InputError(
            f"{len(unknown)} topics of the runs are not in the file of topics, such as {unknown[0]!r}; add "
            f"them, or check that both spell them alike"
        )
    return tuple(words.get(name, Topic(name, name)) for name in topics)
