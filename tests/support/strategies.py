"""Random judgments, runs and weights.

A table of grades or scores is drawn as bytes, one per cell: that is one draw however large the table is,
and it shrinks cell by cell towards the first of the allowed values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from hypothesis import strategies as st

Judgments = dict[str, dict[str, dict[str, float]]]
Run = dict[str, dict[str, float]]
Weights = dict[str, dict[str, float]]
T = TypeVar("T")

TOPICS = ("1", "2", "10", "wt09-3", "q#7", "тема")
ASPECTS = ("1", "2", "10", "b", "ä", "相")
#: Ids in several scripts, in no order, prefixes of one another among them.
DOCS = (
    *("d1", "d10", "d2", "D2", "a", "b", "ab", "clueweb09-en0000-00-00000", "clueweb09-en0000-00-00001"),
    *("é", "e\u0301", "Ωmega", "документ", "文档", "文件-7", "وثيقة", "דוק", "ページ", "😀"),
    *("z", "_", "~", "0", "00"),
)

#: None: not judged on this aspect.
GRADES: tuple[float | None, ...] = (None, 0, 1, 2, 3, 4, -2, -1, 0.5, 1.5, 1, 2, 0, None)
#: Grades that are probabilities.
PROBABILITIES: tuple[float | None, ...] = (None, 0, 1, 0.5, 0.25, 0.1, 0.3, 0.9, -1, None)
#: Few of them, so that many tie.
SCORES = (1.0, 0.0, 2.0, -1.5, 1e-3, 7.25, 1.0, 2.0)
#: All different, and in groups of three that are alike in 32 bits.
CLOSE_SCORES = tuple(base + step * 1e-9 for base in (1.0, 0.5, 8.0, -3.0) for step in range(3))
WEIGHTS = (1.0, 2.0, 0.25, 0.0, 0.1, 3.0, 1 / 3)


def cells(values: Sequence[T], count: int) -> st.SearchStrategy[list[T]]:
    """`count` of the values."""
    drawn = st.binary(min_size=count, max_size=count)
    return drawn.map(lambda table: [values[byte % len(values)] for byte in table])


@st.composite
def topic_judgments(
    draw: st.DrawFn,
    grades: Sequence[float | None] = GRADES,
    docs: Sequence[str] = DOCS,
    max_docs: int = 15,
    max_aspects: int = 6,
) -> dict[str, dict[str, float]]:
    """``{aspect: {doc: grade}}`` of one topic; it may have no relevant document, or none at all."""
    judged = draw(st.permutations(docs))[: draw(st.integers(0, max_docs))]
    aspects = ASPECTS[: draw(st.integers(1, max_aspects))]
    table = draw(cells(grades, len(aspects) * len(judged)))
    found: dict[str, dict[str, float]] = {}
    for place, grade in enumerate(table):
        if grade is not None:
            found.setdefault(aspects[place % len(aspects)], {})[judged[place // len(aspects)]] = grade
    return found


@st.composite
def judgments(
    draw: st.DrawFn,
    grades: Sequence[float | None] = GRADES,
    topics: Sequence[str] = TOPICS,
    min_topics: int = 1,
    max_topics: int = 4,
    max_docs: int = 15,
    max_aspects: int = 6,
) -> Judgments:
    """``{topic: {aspect: {doc: grade}}}`` with at least one judgment in every topic."""
    found: Judgments = {}
    for topic in topics[: draw(st.integers(min_topics, max_topics))]:
        judged = draw(topic_judgments(grades, max_docs=max_docs, max_aspects=max_aspects))
        found[topic] = judged or {ASPECTS[0]: {DOCS[0]: 0}}
    return found


@st.composite
def rankings(
    draw: st.DrawFn, scores: Sequence[float] = SCORES, docs: Sequence[str] = DOCS, max_docs: int = 20
) -> dict[str, float]:
    """``{doc: score}`` of one topic, judged and unjudged documents alike, perhaps none."""
    retrieved = draw(st.permutations(docs))[: draw(st.integers(0, max_docs))]
    return dict(zip(retrieved, draw(cells(scores, len(retrieved))), strict=True))


@st.composite
def runs(draw: st.DrawFn, judged: Mapping[str, object], scores: Sequence[float] = SCORES) -> Run:
    """``{topic: {doc: score}}``: some topics missing, some empty, some that nobody judged; one is shared."""
    topics = list(judged)
    shared = draw(st.sampled_from(topics))
    chosen = [topic for topic in topics if topic == shared or draw(st.booleans())]
    if draw(st.booleans()):
        chosen.append("unjudged-topic")
    return {topic: draw(rankings(scores)) for topic in chosen}


@st.composite
def weights(draw: st.DrawFn, judged: Judgments) -> Weights:
    """``{topic: {aspect: weight}}``, positive on at least one aspect with a relevant document."""
    given: Weights = {}
    for topic, aspects in judged.items():
        drawn = dict(zip(aspects, draw(cells(WEIGHTS, len(aspects))), strict=True))
        relevant = [a for a, grades in aspects.items() if any(grade > 0 for grade in grades.values())]
        if not any(drawn[a] > 0 for a in relevant):
            drawn.update(dict.fromkeys(relevant, 1.0))
        given[topic] = drawn
    return given
