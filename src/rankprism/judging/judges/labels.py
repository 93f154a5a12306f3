"""What people and judges said about the same documents, in arrays of one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Floats, Judgments, Longs, Note, issue
from rankprism.errors import InputError
from rankprism.formats import ONLY_ASPECT, read_judgments
from rankprism.types import JudgmentsLike


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of pairs of a topic and a document, by people and by each judge.

    Pairs are sorted as judgments are: by topic, and within a topic by document id, descending. Labels are
    (pair, aspect), where a pair without a label on an aspect has NaN. Without subtopics there is one aspect.
    """

    pairs: Judgments  #: every pair, with grade 1 on one aspect; runs are aligned with these
    docs: tuple[str, ...]  #: the document of each pair
    topic: Longs  #: the number of the topic of each pair
    aspects: tuple[tuple[str, ...], ...]  #: the aspects of each topic
    people: Floats
    judges: Mapping[str, Floats]
    sources: Mapping[str, Judgments]  #: the judgments of each judge, as they were read
    source: Judgments  #: the judgments of people

    @property
    def topics(self) -> tuple[str, ...]:
        return self.pairs.topics

    @property
    def has_aspects(self) -> bool:
        """Whether some topic has several aspects, so that a document has several labels."""
        return bool(self.people.shape[1] > 1)

    @cached_property
    def start(self) -> Longs:
        """Where the pairs of each topic start, and the number of all pairs."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.topic, minlength=len(self.topics)))])

    def scale(self, of: Floats) -> tuple[float, ...]:
        """The grades that somebody uses, in ascending order."""
        return tuple(np.unique(of[~np.isnan(of)]).tolist())

    def name_of(self, pair: int) -> str:
        return f"document {self.docs[pair]!r} of topic {self.topics[self.topic[pair]]!r}"


def read_labels(people: Judgments, judges: Mapping[str, JudgmentsLike]) -> Labels:
    """The labels of people, and of judges whose judgments are read here."""
    read = {name: read_judgments(source) for name, source in judges.items()}
    return joined(people, read)


def pooled(people: Judgments | None, judges: Mapping[str, Judgments], pool: Judgments | None) -> Labels:
    """Put the labels of people and judges on the pairs of a pool side by side.

    pool : its pairs are the pool. None: the pairs that a judge has labelled. Labels of judges on other pairs
        are left out. Labels of people on other pairs are refused, because nobody could have drawn these
        pairs.
    """
    every = _pairs_of([pool] if pool is not None else list(judges.values()))
    if people is not None:
        topics, _, docs, _ = people.table.columns()
        for topic, doc in zip(topics, docs, strict=True):
            if (topic, doc) not in every:
                raise InputError(
                    f"{people.source}: document {doc!r} of topic {topic!r} is not in the pool, because "
                    f"{'no judge has labelled it' if pool is None else f'{pool.source} does not have it'}; "
                    f"leave it out, or name a pool that has it with pool= (--pool-of)"
                )
    blank = people if people is not None else next(iter(judges.values()), pool)
    assert blank is not None
    labels = _placed(every, blank, judges)
    return labels if people is not None else replace(labels, people=np.full_like(labels.people, np.nan))


def joined(people: Judgments, judges: Mapping[str, Judgments]) -> Labels:
    """Put the labels of people and judges on all their pairs side by side.

    >>> from rankprism import read_judgments
    >>> one, other = read_judgments({"q": {"a": 1, "b": 0}}), read_judgments({"q": {"a": 2}})
    >>> labels = joined(one, {"judge": other})
    >>> labels.docs, labels.people[:, 0].tolist(), labels.judges["judge"][:, 0].tolist()
    (('b', 'a'), [0.0, 1.0], [nan, 2.0])
    """
    return _placed(_pairs_of([people, *judges.values()]), people, judges)


def _pairs_of(everybody: Sequence[Judgments]) -> dict[tuple[str, str], None]:
    """The pairs of topic and document that somebody has labelled."""
    seen: dict[tuple[str, str], None] = {}
    for judgments in everybody:
        topics, _, docs, _ = judgments.table.columns()
        seen.update(dict.fromkeys(zip(topics, docs, strict=True)))
    return seen


def _placed(
    seen: Mapping[tuple[str, str], None], people: Judgments, judges: Mapping[str, Judgments]
) -> Labels:
    """The labels of these pairs."""
    everybody = [people, *judges.values()]
    columns = [judgments.table.columns() for judgments in everybody]
    named = [list(ids) for ids in zip(*seen, strict=True)]
    table = JudgmentTable.from_columns(
        "the pool", named[0], [ONLY_ASPECT] * len(seen), named[1], np.ones(len(seen))
    )
    pairs = Judgments(table, "the pool")
    topics, _, docs, _ = table.columns()
    number = {pair: n for n, pair in enumerate(zip(topics, docs, strict=True))}
    topic_of = {topic: t for t, topic in enumerate(pairs.topics)}
    topic = np.fromiter((topic_of[name] for name in topics), np.int64, len(topics))
    aspects = _aspects(pairs.topics, everybody)
    place = [{aspect: a for a, aspect in enumerate(names)} for names in aspects]
    widest = max(map(len, aspects))
    found = []
    for topics, names, docs, grades in columns:
        labels = np.full((len(number), widest), np.nan)
        pair = np.array([number.get(key, -1) for key in zip(topics, docs, strict=True)], dtype=np.int64)
        inside = pair >= 0
        if widest == 1:
            aspect = np.zeros(len(pair), dtype=np.int64)
        else:
            aspect = np.array(
                [place[topic_of[t]][a] if i else 0 for t, a, i in zip(topics, names, inside, strict=True)]
            )
        labels[pair[inside], aspect[inside]] = np.asarray(grades)[inside]
        found.append(labels)
    return Labels(
        pairs, tuple(docs_of(table)), topic, aspects, found[0], dict(zip(judges, found[1:], strict=True)),
        dict(judges), people,
    )  # fmt: skip


def docs_of(table: JudgmentTable) -> Sequence[str]:
    """The document of each judgment of a table."""
    docs: Sequence[str] = table.columns()[2]
    return docs


def _aspects(topics: Sequence[str], everybody: Sequence[Judgments]) -> tuple[tuple[str, ...], ...]:
    """The aspects of each topic. Judgments without subtopics have one aspect, whatever its name is."""
    if all(len(judgments.table.aspects) == len(judgments.topics) for judgments in everybody):
        return tuple((ONLY_ASPECT,) for _ in topics)
    found: dict[str, dict[str, None]] = {topic: {} for topic in topics}
    for judgments in everybody:
        for topic, aspects in judgments.aspects.items():
            if topic in found:
                found[topic].update(dict.fromkeys(aspects))
    return tuple(tuple(names) for names in found.values())


def check_judges(judges: Any) -> Mapping[str, Any]:
    """Refuse anything but named judges."""
    if not isinstance(judges, Mapping) or not judges:
        raise InputError(
            "name the judges and their judgments: {'gpt': 'gpt.qrels'} (--judge gpt=gpt.qrels, repeatable)"
        )
    return judges


def check_topics(labels: Labels, fewest: int = 2) -> None:
    """Refuse too few topics."""
    if len(labels.topics) < fewest:
        raise InputError(
            f"there is only topic {labels.topics[0]!r}; at least {fewest} topics are needed, because what "
            f"holds for one topic says nothing about others"
        )


def note_scales(labels: Labels, so: str) -> None:
    """Say which judges use another scale than people, and what follows."""
    own = labels.scale(labels.people)
    for name, given in labels.judges.items():
        scale = labels.scale(given)
        if not same_scale(own, scale):
            issue(
                [
                    Note(
                        "other-scale",
                        f"judge {name!r} labels {shown_scale(scale)} and people {shown_scale(own)}, which is "
                        f"another scale: {so}",
                        1,
                        name,
                    )
                ]
            )


#: The largest share of a judge's labels that may be outside the scale of people by mistake.
MOST_STRAY = 0.01


def without_stray(labels: Labels, judge: str) -> Floats:
    """The labels of a judge without a few that are outside the scale of people, which a note names.

    A slip such as a 10 among labels from 0 to 3 does not make another scale. If there are more such labels,
    or the others do not show the scale of people either, all labels are returned.
    """
    given = labels.judges[judge]
    own = labels.scale(labels.people)
    number = int((~np.isnan(given)).sum())
    stray = ~np.isnan(given) & ~np.isin(given, own)
    found = int(stray.sum())
    rest = np.where(stray, np.nan, given)
    if not 0 < found <= max(1, MOST_STRAY * number) or not same_scale(own, labels.scale(rest)):
        return given
    pair, aspect = np.argwhere(stray)[0]
    several = f"{found:,} of its {number:,} labels are" if found > 1 else f"1 of its {number:,} labels is"
    text = (
        f"judge {judge!r} labels {labels.name_of(int(pair))} with {given[pair, aspect]:g}, and people label "
        f"{shown_scale(own)}; {several} outside this scale and left out of κ, α and bias"
    )
    issue([Note("stray-labels", text, found, judge)])
    return np.asarray(rest)


def same_scale(people: Sequence[float], judge: Sequence[float]) -> bool:
    """Whether a judge may be using the scale of the people.

    All its grades are theirs, and it has three grades or uses the highest. Yes or no is another scale.

    >>> same_scale((0, 1, 2, 3), (0, 1, 2)), same_scale((0, 1, 2, 3), (0, 1)), same_scale((0, 1), (0, 1))
    (True, False, True)
    """
    if not people or not judge:
        return False
    return set(judge) <= set(people) and (len(judge) >= 3 or max(judge) == max(people))


def shown_scale(scale: Sequence[float]) -> str:
    """The grades in words: 0, 1, 2, or the range of many."""
    if len(scale) > 6:
        return f"from {scale[0]:g} to {scale[-1]:g} in {len(scale)} steps"
    return "with " + ", ".join(f"{grade:g}" for grade in scale)
