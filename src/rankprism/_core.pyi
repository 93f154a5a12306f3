"""The compiled core (C++, in the folder `_core`): read, join, order, and rank greedily."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_Longs: TypeAlias = npt.NDArray[np.int64]
_Ints: TypeAlias = npt.NDArray[np.int32]
_Floats: TypeAlias = npt.NDArray[np.float64]
# Start of each topic's judged documents; rank and number of each; length and presence of each topic's
# ranking; the run's topics without judgments; what is remarked of each topic, the first topic whose ranks and
# scores disagree, the first without any judged document, and stray characters (see `rankprism.data.run`);
# with `ties`, the start and size of each judged document's group, and the number of tied groups of each topic.
_Stray: TypeAlias = tuple[int, str, int, str, int, str]
_Bytes: TypeAlias = npt.NDArray[np.uint8]
_Alignment: TypeAlias = tuple[
    _Longs,
    _Ints,
    _Ints,
    _Ints,
    _Bytes,
    list[str],
    _Bytes,
    tuple[int, float, float, float, float],
    tuple[int, str, str],
    _Stray,
    *tuple[_Ints, ...],
]

class ArrowStream:
    """A table that another library gives through the Arrow C stream interface. It can be read once."""

    def __init__(self, capsule: object, name: str, /) -> None: ...
    @property
    def columns(self) -> list[str]:
        """Their names."""

class Feed:
    """Bytes that one thread puts and the core takes. Whoever is ahead waits."""

    def __init__(self, name: str, keeps: bool = False, most: int = ..., memory: int = ...) -> None:
        """keeps: whether the core keeps what it takes. most: how many bytes may wait to be taken. memory: how
        many of those that are kept are in memory; the others are in a file without a name."""
    def put(self, data: bytes, /) -> bool:
        """False if nobody takes any more."""
    def finish(self, error: str = "") -> None: ...
    def close(self) -> None: ...
    def rest(self) -> bytes:
        """All bytes that were not taken."""

class JudgmentTable:
    """Judgments in canonical order: topics, aspects as people list them, documents by id descending."""

    @staticmethod
    def from_file(
        path: str, name: str, format: str, threads: int = 1, block: int = ..., budget: int = ...
    ) -> JudgmentTable:
        """Read by so many threads, each of which works on about `block` bytes at a time. If the lines of a
        topic are scattered, about `budget` bytes of them are brought together at a time."""
    @staticmethod
    def from_bytes(
        data: bytes, name: str, format: str, threads: int = 1, block: int = ..., budget: int = ...
    ) -> JudgmentTable: ...
    @staticmethod
    def from_feed(
        feed: Feed, format: str, threads: int = 1, block: int = ..., budget: int = ...
    ) -> JudgmentTable | None:
        """None if the lines of a topic are scattered over a feed that keeps nothing."""
    @staticmethod
    def from_columns(
        name: str,
        topics: list[str],
        aspects: list[str],
        docs: list[str],
        grades: _Floats,
        bare_topics: list[str] = ...,
        bare_aspects: list[str] = ...,
    ) -> JudgmentTable:
        """The last two name aspects that a topic has even if no document is judged on them."""
    @staticmethod
    def from_arrow(stream: ArrowStream, topic: int, aspect: int, doc: int, grade: int, /) -> JudgmentTable:
        """From the columns with these numbers; without aspects if that of `aspect` is -1."""
    @property
    def topics(self) -> list[str]: ...
    @property
    def aspects(self) -> list[str]:
        """Names of all aspects, topic after topic."""
    def columns(self) -> tuple[list[str], list[str], list[str], _Floats]:
        """Topic, aspect, document, grade of every judgment."""
    def grades(self, most: int = ...) -> _Floats:
        """The last of `columns`. most: so many of them."""
    def lines(self, source: str, format: str, weights: list[str], /) -> bytes:
        """All judgments as text: "diversity", "adhoc", "ntcir", "ntcir-adhoc", or "evall", which also has the
        text of each aspect's weight."""
    def relevant_cells(self) -> tuple[_Longs, _Ints, _Ints, _Floats]:
        """Start of each topic's grades above 0; document, aspect and grade of each of them."""
    def sizes(self) -> tuple[_Ints, _Longs]:
        """Relevant documents of each topic, and the start of its aspects in `aspects`."""
    def padded_grades(self, topics: _Longs, aspects: int, docs: int) -> _Floats:
        """(topic, aspect, relevant document): the grades above 0 of some topics, padded with 0. No topic may
        have more than so many aspects and relevant documents."""
    def judged_documents(self) -> _Ints:
        """How many judged documents each topic has."""
    def graded_documents(self) -> _Ints:
        """How many documents of each topic have a grade of at least 0 on some aspect."""
    def bare_aspects(self) -> tuple[list[str], list[str]]:
        """Topic and name of the aspects on which no document is judged."""
    def stray(self) -> _Stray:
        """The number of ids with a byte-order mark, and the first of them; the same for no-break spaces and
        for blanks at either end."""
    def __len__(self) -> int: ...

class RunTable:
    """A run's lines in the order of its source."""

    @staticmethod
    def from_file(path: str, name: str, /) -> RunTable: ...
    @staticmethod
    def from_bytes(data: bytes, name: str, /) -> RunTable: ...
    @staticmethod
    def from_columns(
        name: str, topics: list[str], docs: list[str], scores: _Floats, ranks: _Floats, /
    ) -> RunTable: ...
    @property
    def topics(self) -> list[str]: ...
    @property
    def source(self) -> str: ...
    def add_empty(self, topics: list[str], /) -> None:
        """Topics that the run knows but ranks nothing for."""
    def rank_rising_rows(self) -> None:
        """The rows become the ranks if there are none and the scores rise in nearly all topics."""
    @property
    def has_ranks(self) -> bool: ...
    def columns(self) -> tuple[list[str], list[str], _Floats, _Floats]:
        """Topic, document, score of every line, and rank (an empty array if there is none)."""
    def numbers(self) -> tuple[_Floats, _Floats]:
        """The last two of `columns`."""
    def ranking(self, order: str, duplicates: str, depth: int = 0) -> tuple[_Ints, _Ints, _Ints]:
        """The lines in the order of evaluation: number of each, its rank, and the length of its ranking.

        depth : the number of documents of each topic that are kept; 0: all of them.
        """
    def trec_lines(self, lines: _Ints, ranks: _Ints, scores: _Floats, tag: str, /) -> bytes: ...
    def evall_lines(self, lines: _Ints, /) -> bytes: ...
    def align(
        self, judgments: JudgmentTable, order: str, duplicates: str, ties: bool = False, depth: int = 0
    ) -> _Alignment: ...
    def __len__(self) -> int: ...

def runs_from_arrow(
    stream: ArrowStream, run: int, topic: int, doc: int, score: int, rank: int, /
) -> list[tuple[str, RunTable]]:
    """The runs of a table, from the columns with these numbers; those of `run` and `rank` may be -1."""

class Ahead:
    """Threads that read judgments, and join runs with them, before somebody asks for the results.

    One thread fewer reads while nobody waits for a result, because Python is then at work. Each file is a
    path and its name in messages.
    """

    def __init__(
        self,
        judgments: tuple[str, str],
        runs: list[tuple[str, str]],
        order: str,
        duplicates: str,
        ties: bool,
        threads: int,
        depth: int = 0,
    ) -> None: ...
    def judgments(self) -> JudgmentTable | None:
        """Wait for the judgments; None if reading was stopped before."""
    def alignment(
        self, run: int, judgments: JudgmentTable, order: str, duplicates: str, ties: bool, depth: int = 0
    ) -> _Alignment | None:
        """Wait for a run. None if it was not joined with these judgments in this way, if somebody has taken
        it already, or if reading was stopped before."""
    def stop(self) -> None:
        """End the threads."""

def align_file(
    judgments: JudgmentTable,
    path: str,
    name: str,
    order: str,
    duplicates: str,
    threads: int = 1,
    block: int = ...,
    budget: int = ...,
    ties: int = ...,
    depth: int = 0,
) -> _Alignment:
    """`RunTable.align` straight from a file, a topic at a time, keeping nothing else. For `threads`, `block`
    and `budget`, see `JudgmentTable.from_file`."""

def align_bytes(
    judgments: JudgmentTable,
    data: bytes,
    name: str,
    order: str,
    duplicates: str,
    threads: int = 1,
    block: int = ...,
    budget: int = ...,
    ties: int = ...,
    depth: int = 0,
) -> _Alignment: ...
def align_feed(
    judgments: JudgmentTable,
    feed: Feed,
    order: str,
    duplicates: str,
    threads: int = 1,
    block: int = ...,
    budget: int = ...,
    ties: int = ...,
    depth: int = 0,
) -> _Alignment | None:
    """None if the lines of a topic are scattered over a feed that keeps nothing."""

def exact(value: _Floats, stop: _Floats, discount: _Floats, nodes: int) -> tuple[_Ints, _Floats, _Floats]:
    """The best order of each topic's documents that was found, with -1 behind its end, and what the best
    one is worth at least and at most; equal where it is proved."""

def minimal_cover(relevant: _Floats, need: _Ints, a: float, b: float, nodes: int) -> tuple[_Floats, _Floats]:
    """Least cost of documents that reach `need` aspects of each topic, at least and at most; a document of n
    aspects costs a·n + b. Equal where the search ended within so many nodes."""

def sums_of_products(values: _Floats, factors: _Floats) -> _Floats:
    """(N, A) Σ_h values(n,a,h) · factors(n,h), from first to last; `factors` may be one row for all n."""

def sums_over_aspects(values: _Floats, factors: _Floats) -> _Floats:
    """(N, H) Σ_a values(n,a,h) · factors(n,a), from first to last."""

def highest(values: _Floats) -> _Floats:
    """The highest value along the last axis; 0 if none is above 0."""

def counts_before(values: _Floats) -> _Ints:
    """For each value, the number of values above 0 that stand before it along the last axis."""

def in_order(values: _Floats, order: _Ints) -> _Floats:
    """(T, A, D) the values (T, A, D) of each topic's documents in this order (T, D), and 0 where it is -1."""

def padded_hits(
    start: list[_Longs], rank: list[_Ints], doc: list[_Ints], topics: _Longs, pool: _Floats
) -> tuple[_Ints, _Floats, _Ints, _Ints, _Bytes | None]:
    """The rankings of several runs for some topics: rank, grade, condensed rank, ranks of all judged
    documents, and which of these have only negative grades, if there are any; see `rankprism.data.hits`."""

def greedy(value: _Floats, stop: _Floats) -> _Ints:
    """Greedy ideal order of each topic's documents, from (topic, aspect, document) arrays, with -1 behind
    its end."""

def best_preferred(
    alone: _Floats,
    given: _Floats,
    known: npt.NDArray[np.uint8],
    pool: npt.NDArray[np.uint8],
    sets: list[list[int]],
    after: _Floats,
    combine: int,
    weight: _Floats,
    nodes: int,
    /,
) -> tuple[float, float]:
    """What the best ranking of a topic's pool is worth by preferences, at least and at most."""

def solve_spd(a: _Floats, b: _Floats, /) -> _Floats:
    """x with a x = b, for a symmetric positive definite a; the same bits on every machine."""

def checked_text(data: bytes, name: str, /) -> str:
    """The text of a file, without its byte-order mark; refused if it is empty, binary or not UTF-8."""

def parse_number(column: str, /) -> float | None:
    """A finite decimal number that fills the whole column, or None."""

class TrecEvaluator:
    """What trec_eval computes. A measure is its name, the labels of its scores, numbers, gains and persistence."""

    def __init__(
        self,
        measures: list[tuple[str, list[str], list[float], list[tuple[float, float]], float]],
        version: str,
        relevance_level: float,
        judged_only: bool,
        longest: int = ...,
        collection: int = 0,
    ) -> None: ...
    def judge(self, qrels: object) -> bool: ...
    def judge_text(self, data: bytes, name: str, groups: bool) -> tuple[int, int]: ...
    def evaluate(self, run: object) -> dict[str, dict[str, float]]: ...
    def evaluate_text(
        self, data: bytes, name: str, complete: bool, shown_grades: int
    ) -> tuple[str, list[tuple[str, list[float], str, bool]], int, int]: ...
    def above_zero(self) -> int: ...
    def __len__(self) -> int: ...
