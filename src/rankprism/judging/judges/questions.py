"""The answers of people and of several judges to the same questions, numbered alike.

A question is a pair of documents of a topic, after the same given documents, whichever document was on the
left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankprism.data import Bools, Floats, Longs, Preferences, is_frame
from rankprism.errors import InputError, listed
from rankprism.formats import files, read_preferences

#: The name of the people among the sources.
PEOPLE = "people"
#: The coefficient of the side, beside those of covariates.
SIDE = "side"
#: The word that says that documents of the same name are one system.
NAMES = "names"


@dataclass(frozen=True, eq=False)
class Given:
    """The answers of people, or of one judge."""

    source: str
    sided: bool  #: whether left and right are the sides on which documents were shown
    question: Longs
    turned: Bools  #: whether the second document of the question is on the left
    outcome: Floats  #: 1 left, 0 right, ½ neither
    assessor: Longs

    @property
    def of_first(self) -> Floats:
        """(answer,) 1 if the first document of the question is preferred, 0 if the second, ½ for a tie"""
        return np.where(self.turned, 1 - self.outcome, self.outcome)

    def counts(self, questions: int) -> Floats:
        """(question, 3) how often the first document, the second and neither is preferred"""
        return counted(self.question, self.of_first, questions)

    def some(self, which: Bools) -> Given:
        return replace(
            self,
            question=self.question[which],
            turned=self.turned[which],
            outcome=self.outcome[which],
            assessor=self.assessor[which],
        )


def counted(unit: Longs, of_first: Floats, units: int) -> Floats:
    """(unit, 3) how often the answers of a unit prefer the first document, the second and neither"""
    answer = np.array([1, 2, 0])[(2 * of_first).astype(np.int64)]
    return np.bincount(3 * unit + answer, minlength=3 * units).reshape(units, 3).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Questions:
    """All questions, and who answered them."""

    topics: tuple[str, ...]
    docs: tuple[str, ...]
    topic: Longs  #: (question,)
    first: Longs  #: (question,) positions in `docs`
    second: Longs
    given: Mapping[str, Given]  #: by judge, and of people under `PEOPLE`

    @classmethod
    def read(cls, people: Any, judges: Mapping[str, Any]) -> Questions:
        """Read the answers of people, unless they are None, and of each judge."""
        if PEOPLE in judges:
            raise InputError(
                f"a judge cannot be named {PEOPLE!r}, which is the name of the people; rename it"
            )
        sources = ({} if people is None else {PEOPLE: people}) | dict(judges)
        return joined({name: read_preferences(source) for name, source in sources.items()})

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(name for name in self.given if name != PEOPLE)

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def both(self) -> Mapping[str, Bools]:
        """For each judge, (question,) whether people answered the question, too."""
        n = len(self)
        people = np.bincount(self.given[PEOPLE].question, minlength=n) > 0
        return {
            name: people & (np.bincount(self.given[name].question, minlength=n) > 0) for name in self.judges
        }

    def left(self, given: Given) -> Longs:
        """(answer,) the document on the left"""
        return np.where(given.turned, self.second[given.question], self.first[given.question])

    def right(self, given: Given) -> Longs:
        """(answer,) the document on the right"""
        return np.where(given.turned, self.first[given.question], self.second[given.question])


def joined(sources: Mapping[str, Preferences]) -> Questions:
    """Put answers side by side.

    >>> one = read_preferences([("q", "", "a", "b", "left")])
    >>> other = read_preferences([("q", "", "b", "a", "left"), ("q", "", "a", "c", "tie")])
    >>> found = joined({"x": one, "y": other})
    >>> len(found), found.given["y"].question.tolist(), found.given["y"].of_first.tolist()
    (2, [0, 1], [0.0, 0.5])
    """
    every = list(sources.values())
    topics, topic_of = _numbers([one.topics for one in every])
    docs, doc_of = _numbers([one.docs for one in every])
    before, before_of = _numbers(
        [tuple(tuple(sorted(one.docs[d] for d in shown)) for shown in one.givens) for one in every]
    )
    columns: list[tuple[Longs, Longs, Longs]] = []
    turned = []
    for s, one in enumerate(every):
        left, right = doc_of[s][one.left], doc_of[s][one.right]
        block = topic_of[s][one.topic] * len(before) + before_of[s][one.given]
        turned.append(left > right)
        columns.append((block, np.minimum(left, right), np.maximum(left, right)))
    block, first, second = (np.concatenate(column) for column in zip(*columns, strict=True))
    pairs, pair = np.unique(first * len(docs) + second, return_inverse=True)
    keys, question = np.unique(block * len(pairs) + pair.ravel(), return_inverse=True)
    edges = np.cumsum([0, *map(len, every)])
    given = {
        name: Given(
            one.source,
            one.sided,
            question.ravel()[a:b].astype(np.int64),
            turned[s],
            one.outcome.astype(np.float64),
            one.assessor.astype(np.int64),
        )
        for s, ((name, one), a, b) in enumerate(zip(sources.items(), edges[:-1], edges[1:], strict=True))
    }
    shown = pairs[keys % len(pairs)]
    return Questions(
        topics, docs, keys // len(pairs) // len(before), shown // len(docs), shown % len(docs), given
    )


def _numbers(names: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], list[Longs]]:
    """All names in order, and the number of each name of each source."""
    every = tuple(sorted({name for some in names for name in some}))
    number = {name: n for n, name in enumerate(every)}
    return every, [np.array([number[name] for name in some], dtype=np.int64) for some in names]


def check_topics(questions: Questions, remedy: str = "") -> None:
    """Refuse a single topic."""
    if len(questions.topics) < 2:
        raise InputError(
            f"there is only topic {questions.topics[0]!r}, and topics are the units of the intervals; name "
            "the topic of "
            f"each question{', ' + remedy if remedy else ''}"
        )


# ── systems, families and covariates ─────────────────────────────────────────────────────────────


class Systems(NamedTuple):
    """The system of each document."""

    names: tuple[str, ...]
    of_doc: Longs  #: (document,)


def read_systems(source: Any, questions: Questions) -> Systems:
    """The system of each document that was compared, from a mapping, a file or the word "names"."""
    if isinstance(source, str) and source == NAMES:
        return Systems(questions.docs, np.arange(len(questions.docs)))
    given = _named(source, "a document and its system")
    for doc in questions.docs:
        if doc not in given:
            raise InputError(f"document {doc!r} was compared, and no system is named for it")
    names = tuple(sorted({given[doc] for doc in questions.docs}))
    if len(names) < 2:
        raise InputError(f"all documents are of the system {names[0]!r}; at least two systems are needed")
    number = {name: n for n, name in enumerate(names)}
    return Systems(names, np.array([number[given[doc]] for doc in questions.docs], dtype=np.int64))


def read_families(source: Any, questions: Questions) -> dict[str, str]:
    """The family of each document and judge, from a mapping or a file of names and families."""
    given = _named(source, "a document or a judge, and its family")
    documents = [doc for doc in questions.docs if doc in given]
    if not documents:
        raise InputError(
            f"the families name none of the documents: they name {listed(given)}, and the documents are "
            f"{listed(questions.docs)}"
        )
    if not any(judge in given for judge in questions.judges):
        raise InputError(
            f"the families name none of the judges ({listed(questions.judges)}); add a line with a judge and "
            f"its family"
        )
    return given


def _named(source: Any, line_is: str) -> dict[str, str]:
    """The word for each name, from a mapping or from the lines of a file."""
    if isinstance(source, Mapping):
        return {str(name): str(word) for name, word in source.items()}
    where = files.source_name(source)
    found: dict[str, str] = {}
    for number, line in files.opened(source).lines():
        words = line.split("\t") if "\t" in line else line.replace(",", " ").split()
        if len(words) != 2:
            raise InputError(f"{where}, line {number}: expected {line_is}; found {line.strip()!r}")
        name, word = words
        if found.setdefault(name, word) != word:
            raise InputError(
                f"{where}, line {number}: {name!r} has {word!r} here and {found[name]!r} above; keep one of "
                "them"
            )
    if not found:
        raise InputError(f"{where}: there is nothing in it; a line is {line_is}")
    return found


class Covariates(NamedTuple):
    """Numbers that documents have, such as their length."""

    names: tuple[str, ...]
    spread: Floats  #: (K,) the standard deviation over the documents, which is the unit of coefficients
    difference: Floats  #: (question, K) of the first document minus the second, in these units


def read_covariates(source: Any, questions: Questions) -> Covariates:
    """The covariates of all documents that were compared.

    source : a file with a line of names, `doc` and perhaps `topic` among them, or rows or a frame with these
        columns. All other columns are covariates.
    """
    where, rows = _rows_of(source)
    names: tuple[str, ...] = ()
    values: dict[tuple[str, str], list[float]] = {}
    for place, row in rows:
        if not names:
            names = tuple(column for column in row if column not in ("topic", "doc"))
            if "doc" not in row or not names:
                raise InputError(
                    f"{where}: a table of covariates has the columns doc, perhaps topic, and at least one "
                    f"covariate; it has {listed(map(str, row))}"
                )
        key = (str(row.get("topic", "")), str(row["doc"]))
        if key in values:
            of = f" of topic {key[0]!r}" if key[0] else ""
            raise InputError(f"{place}: document {key[1]!r}{of} is in the table already; keep one of them")
        values[key] = [_number(place, column, row[column]) for column in names]
    if not values:
        raise InputError(f"{where}: there is no document in it")
    sides = [_looked_up(values, where, questions, docs) for docs in (questions.first, questions.second)]
    shown = np.unique(
        np.concatenate(
            [
                np.column_stack((questions.topic, docs, side))
                for docs, side in zip((questions.first, questions.second), sides, strict=True)
            ]
        ),
        axis=0,
    )
    spread = shown[:, 2:].std(axis=0)
    for name, one in zip(names, spread.tolist(), strict=True):
        if not one > 0:
            raise InputError(
                f"{where}: all documents that were compared have the same {name!r}; leave it out"
            )
    return Covariates(names, spread, (sides[0] - sides[1]) / spread)


def _looked_up(
    values: Mapping[tuple[str, str], list[float]], where: str, questions: Questions, docs: Longs
) -> Floats:
    """(question, K) the covariates of one of the two documents of each question"""
    keys, at = np.unique(questions.topic * len(questions.docs) + docs, return_inverse=True)
    found = []
    for key in keys.tolist():
        topic, doc = questions.topics[key // len(questions.docs)], questions.docs[key % len(questions.docs)]
        own = values.get((topic, doc), values.get(("", doc)))
        if own is None:
            raise InputError(
                f"{where}: document {doc!r} of topic {topic!r} was compared and is not in the table"
            )
        found.append(own)
    return np.asarray(np.array(found)[at.ravel()], dtype=np.float64)


def _number(where: str, column: str, text: Any) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{where}: the {column} {str(text)!r} is not a number; every covariate is a number")
    return value


def _rows_of(source: Any) -> tuple[str, Any]:
    if files.is_path(source):
        from rankprism.judging.judges.drawn import table_lines

        return files.source_name(source), table_lines(source)
    if is_frame(source):
        import narwhals as nw

        source = nw.from_native(source, eager_only=True).rows(named=True)
    return "covariates", ((f"covariates, row {n}", row) for n, row in enumerate(source, 1))
