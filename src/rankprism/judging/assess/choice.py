"""Chooses the questions of a study: all of them, a random sample, or the questions in a file."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.json_lines import as_text, json_objects
from rankprism.judging.judges import drawn as drawing
from rankprism.types import Ask

#: Largest number of questions. More are probably a mistake, and would not all be answered.
MOST = 200_000
#: Number of questions on a topic before the next topic has its turn.
BLOCK = 10


@dataclass(frozen=True)
class Question:
    """Asks an assessor which of two documents is better after the given ones, or to grade one document."""

    topic: str
    given: tuple[str, ...]
    first: str
    second: str | None  #: None if the first document is graded
    swapped: bool | None = None  #: whether the second document is on the left; None: it is drawn
    again: bool = False  #: whether it is asked before with the sides the other way round

    @classmethod
    def of(cls, topic: str, given: Iterable[str], one: str, other: str | None) -> Question:
        """Make a question that does not depend on the order in which the documents are named."""
        if other is not None and other < one:
            one, other = other, one
        return cls(topic, tuple(sorted(set(given))), one, other)

    def key(self, purpose: str = "study") -> str:
        """The key of the question in a study."""
        again = ["again"] if self.again else []
        words = json.dumps([purpose, self.topic, self.given, self.first, self.second, *again])
        return hashlib.blake2b(words.encode(), digest_size=16).hexdigest()

    @property
    def documents(self) -> tuple[str, ...]:
        return (*self.given, self.first, *(() if self.second is None else (self.second,)))


def complete(pools: Mapping[str, Sequence[str]], ask: Ask, seed: int) -> list[Question]:
    """Every possible question about the documents of each topic.

    >>> found = complete({"q": ["a", "b", "c"]}, "triplets", seed=0)
    >>> sorted((*question.given, question.first, question.second) for question in found)
    [('a', 'b', 'c'), ('b', 'a', 'c'), ('c', 'a', 'b')]
    """
    total = sum(_number(len(docs), ask) for docs in pools.values())
    if total > MOST:
        raise InputError(
            f"there are {total:,} questions to ask, and a study may have {MOST:,}; ask for fewer with "
            f"--budget, a smaller --depth or fewer topics"
        )
    return sampled(pools, ask, total, seed)


def sampled(pools: Mapping[str, Sequence[str]], ask: Ask, budget: int, seed: int) -> list[Question]:
    """Draw `budget` questions at random, and the same number for every topic that has enough."""
    if budget > MOST:
        raise InputError(f"a study may have {MOST:,} questions; got a budget of {budget:,}")
    sizes = {topic: _number(len(docs), ask) for topic, docs in pools.items()}
    drawn: dict[str, list[Question]] = {}
    left = budget
    for done, topic in enumerate(sorted(sizes, key=lambda topic: (sizes[topic], topic))):
        share = min(sizes[topic], -(-left // (len(sizes) - done)))
        left -= share
        numbers = random.Random(f"{seed} {topic}").sample(range(sizes[topic]), share)
        docs = sorted(pools[topic])
        drawn[topic] = [_numbered(topic, docs, ask, number) for number in numbers]
    return _in_blocks([drawn[topic] for topic in pools])


def read_questions(source: files.PathLike, ask: Ask) -> list[Question]:
    """Read questions from JSON lines, in their order.

    A pair or triplet is ``{"topic": …, "given": […], "left": …, "right": …}``, where `given` may be missing,
    and a document to grade is ``{"topic": …, "doc": …}``. A pair that is asked in both orders has two lines,
    with ``"order": 1`` and ``"order": 2``.
    """
    where = files.source_name(source)
    found: dict[str, Question] = {}
    needed = ("topic", "doc") if ask == "grades" else ("topic", "left", "right")
    example = json.dumps(dict.fromkeys(needed, "…"), ensure_ascii=False)
    for at, row in json_objects(files.opened(source).lines(), where, example):
        topic, one, *other = (as_text(row, name, at) for name in needed)
        if not (topic and one and all(other)):
            raise InputError(f"{at}: a question needs {', '.join(needed)}")
        given = row.get("given") or []
        if isinstance(given, str):
            given = given.split()
        if not isinstance(given, list) or not all(isinstance(doc, str) for doc in given):
            raise InputError(f'{at}: given must be a list of documents, e.g. ["d1"]; got {given!r}')
        question = Question.of(topic, given, one, other[0] if other else None)
        if len(set(question.documents)) < len(question.documents):
            raise InputError(f"{at}: the question has a document twice; a question needs different documents")
        if row.get("order"):
            question = _in_order(at, question, one, row["order"])
        known = found.setdefault(question.key(), question)
        if known.swapped != question.swapped:
            raise InputError(
                f"{at}: the documents {one!r} and {other[0]!r} of topic {topic!r} are asked twice with "
                f"order {int(question.again) + 1} and different sides; keep one of the lines"
            )
    if not found:
        raise InputError(f"{os.fspath(source)}: there are no questions in it")
    _check_orders(where, found)
    return list(found.values())


def in_both_orders(questions: Sequence[Question], batch: int, seed: int) -> list[Question]:
    """Ask every pair in both orders: a batch of pairs, and then the same pairs with their sides swapped."""
    found: list[Question] = []
    for start in range(0, len(questions), batch):
        first = [
            replace(q, swapped=is_swapped(seed, q.key(), "order 1")) for q in questions[start : start + batch]
        ]
        found += [*first, *(replace(q, swapped=not q.swapped, again=True) for q in first)]
    return found


def is_swapped(seed: int, key: str, whose: str) -> bool:
    """Whether the second document of a task is on the left. The order of work does not change it."""
    return hashlib.blake2b(f"{seed} {key} {whose}".encode(), digest_size=1).digest()[0] % 2 == 1


def _in_order(at: str, question: Question, left: str, order: Any) -> Question:
    """The question with the sides of a line that says which of the two orders it is."""
    if question.second is None or order not in (1, 2):
        raise InputError(f"{at}: order is 1 or 2, and for pairs only; got {order!r}")
    return replace(question, swapped=left != question.first, again=order == 2)


def _check_orders(where: str, found: Mapping[str, Question]) -> None:
    """Refuse a pair that is to be asked in one order, or twice in the same."""
    for question in found.values():
        if question.swapped is None:
            continue
        twin = found.get(replace(question, again=not question.again).key())
        if twin is None or twin.swapped is None or twin.swapped == question.swapped:
            raise InputError(
                f"{where}: the documents {question.first!r} and {question.second!r} of topic "
                f"{question.topic!r} have order {int(question.again) + 1}, but no line with the other order "
                f"and swapped sides; write both lines, or leave order out"
            )


def _number(documents: int, ask: Ask) -> int:
    """The number of possible questions about a number of documents."""
    pairs, triplets = comb(documents, 2), documents * comb(documents - 1, 2) if documents else 0
    return {"pairs": pairs, "triplets": triplets, "both": pairs + triplets, "grades": documents}[ask]


def _numbered(topic: str, docs: Sequence[str], ask: Ask, number: int) -> Question:
    """The question with this number, from 0, among all possible questions about the documents."""
    if ask == "grades":
        return Question(topic, (), docs[number], None)
    pairs = comb(len(docs), 2)
    if ask == "both" and number >= pairs:
        ask, number = "triplets", number - pairs
    if ask != "triplets":
        return Question(topic, (), *_pair(docs, number))
    given, number = divmod(number, comb(len(docs) - 1, 2))
    return Question(topic, (docs[given],), *_pair([*docs[:given], *docs[given + 1 :]], number))


def _pair(docs: Sequence[str], number: int) -> tuple[str, str]:
    """The pair with this number in the order of `itertools.combinations`."""
    for first in range(len(docs)):
        following = len(docs) - first - 1
        if number < following:
            return docs[first], docs[first + 1 + number]
        number -= following
    raise IndexError(number)


def _in_blocks(topics: Sequence[Sequence[Question]]) -> list[Question]:
    """The questions of all topics, a block of each in turn, so that an early end leaves out no topic."""
    longest = max(map(len, topics), default=0)
    return [
        question
        for start in range(0, longest, BLOCK)
        for questions in topics
        for question in questions[start : start + BLOCK]
    ]


def in_batches(pairs: Iterable[drawing.DrawnPair]) -> list[drawing.DrawnPair]:
    """Drawn pairs batch by batch, and otherwise in the order of their file."""
    return sorted(pairs, key=lambda pair: pair.batch)


def asked(pair: drawing.DrawnPair) -> Question:
    """The question about a document that was drawn."""
    return Question.of(pair.topic, (), pair.doc, None)
