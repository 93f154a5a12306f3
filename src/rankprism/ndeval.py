"""``python -m rankprism.ndeval [options] qrels run`` prints what ndeval 4.5 prints.

The measures are those of `rankprism.evaluate`, whose scores differ from ndeval's by rounding alone. ndeval
prints six decimals, and now and then rounding decides about the last one. This module therefore reads, sorts,
adds and prints exactly as ndeval does.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NoReturn

import numpy as np

CUTOFFS = (5, 10, 20)
#: The columns of the table.
NAMES = (
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in CUTOFFS),
    *("NRBP", "nNRBP", "MAP-IA"),
    *(f"{name}@{k}" for name in ("P-IA", "strec") for k in CUTOFFS),
)
_USAGE = "Usage: ndeval [options] qrels run   (-help for full usage information)"
_HELP = """\
Usage: python -m rankprism.ndeval [options] qrels run

Print the novelty and diversity measures of ndeval 4.5 as CSV.

  -alpha VALUE       α of α-DCG, ERR-IA and NRBP, from 0 to 1. Default: 0.5
  -beta VALUE        β of NRBP, from 0 to 1. Default: 0.5
  -traditional       Order documents by score and id. Default: by the rank column.
  -M DEPTH           Use only the first documents of each topic.
  -c                 Average over the topics of the judgments. Default: those that the run has as well.
  -baseline RUN      Print differences to another run.
  -riskAlpha VALUE   Multiply losses against the baseline by 1 + VALUE. Default: 0
  -version, -help    Print the version or this text.
"""
_NUMBER = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
#: No natural number in a file may have more digits than this one, or start with a larger one.
_LARGE_ENOUGH = 100_000


class Ended(Exception):
    """What ndeval prints instead of a table, and its exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Options:
    """The options of ndeval."""

    qrels: str = ""
    run: str = ""
    alpha: float = 0.5
    beta: float = 0.5
    traditional: bool = False
    depth: int = 0
    complete: bool = False
    baseline: str = ""
    risk: str = "0"


def _number(text: str, kept: float) -> float:
    """The number that a text begins with, as C reads it; without one, the value is kept."""
    found = _NUMBER.match(text)
    return float(found[1]) if found else kept


def read_options(arguments: Sequence[str]) -> Options:
    """The options as ndeval reads them: as long as there are not exactly two arguments, the first is one."""
    options, left = Options(), list(arguments)
    while len(left) != 2:
        word = left[0] if left else ""
        if word == "-version":
            raise Ended("ndeval: version 4.5, by rankprism\n", 0)
        if word == "-help":
            raise Ended(_HELP, 0)
        if len(left) >= 4 and word in ("-alpha", "-beta", "-M", "-baseline", "-riskAlpha"):
            options = _with_value(options, word, left[1])
            left = left[2:]
        elif len(left) >= 3 and word == "-traditional":
            options, left = replace(options, traditional=True), left[1:]
        elif len(left) >= 3 and word.startswith("-") and set(word[1:]) <= {"c", "a"}:
            options, left = replace(options, complete=options.complete or "c" in word), left[1:]
        else:
            raise Ended(_USAGE)
    return replace(options, qrels=left[0], run=left[1])


def _with_value(options: Options, word: str, value: str) -> Options:
    if word == "-baseline":
        return replace(options, baseline=value)
    if word == "-riskAlpha":
        chosen, allowed = replace(options, risk=value), _number(value, 0.0) >= 0
    elif word == "-M":
        depth = int(found[1]) if (found := re.match(r"\s*([+-]?[0-9]+)", value)) else options.depth
        chosen, allowed = replace(options, depth=depth), depth > 0
    elif word == "-alpha":
        chosen = replace(options, alpha=_number(value, options.alpha))
        allowed = 0 <= chosen.alpha <= 1
    else:
        chosen = replace(options, beta=_number(value, options.beta))
        allowed = 0 <= chosen.beta <= 1
    if not allowed:
        raise Ended(_USAGE)
    return chosen


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _lines(kind: str, name: str, columns: int) -> Iterator[tuple[int, list[str]]]:
    """The number and the first columns of each line. Bytes are kept as they are, one character for each."""
    try:
        with open(name, encoding="latin-1", newline="\n") as file:
            text = file.read()
    except OSError:
        raise Ended(f'cannot open {kind} file "{name}"') from None
    if not text:
        raise Ended(f'{kind} file "{name}" is empty')
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        words = re.split(r"[ \t\n\v\f\r]+", line.strip(" \t\n\v\f\r"), maxsplit=columns)
        if len(words) < columns or not words[0]:
            _misspelled(kind, name, number)
        yield number, words[:columns]


def _misspelled(kind: str, name: str, line: int) -> NoReturn:
    raise Ended(f'syntax error in {kind} file "{name}" at line {line}')


def _natural(text: str) -> int:
    """A whole number ≥ 0 that is not too large; -1 for everything else."""
    if not (text.isascii() and text.isdigit()):
        return -1
    value = int(text) if len(text.lstrip("0")) <= 7 else -1
    return -1 if value // 10 > _LARGE_ENOUGH else value


def _topic(text: str) -> int:
    """The topic of a line of a run, where a word and a hyphen may come first: wt09-12 is topic 12."""
    return _natural(text if text[:1].isdigit() else text.partition("-")[2])


@dataclass(frozen=True)
class Topic:
    """The judgments of a topic."""

    relevant: dict[str, set[int]]  # by document, the subtopics to which it is relevant
    numbers: dict[int, int]  # by subtopic, the number of its relevant documents


#: By topic, the documents from the top.
Rankings = dict[int, list[str]]


def read_qrels(name: str) -> dict[int, Topic]:
    """The topics that are judged. Of several judgments of a document on a subtopic, the last counts."""
    topics: dict[int, Topic] = {}
    for line, (topic, subtopic, doc, grade) in _lines("qrel", name, 4):
        t, s, g = _natural(topic), _natural(subtopic), _natural(grade)
        if min(t, s, g) < 0:
            _misspelled("qrel", name, line)
        found = topics.setdefault(t, Topic({}, {}))
        found.numbers[s] = found.numbers.get(s, 0) + min(g, 1)
        subtopics = found.relevant.setdefault(doc, set())
        (subtopics.add if g else subtopics.discard)(s)
    return topics


def read_run(name: str, options: Options) -> tuple[str, Rankings]:
    """The name of the run, and its documents in order."""
    runid = ""
    rows: dict[int, list[tuple[float, str]]] = {}
    for line, (topic, _, doc, rank, score, tag) in _lines("run", name, 6):
        numbers = _topic(topic), _natural(rank)
        if min(numbers) < 0:
            _misspelled("run", name, line)
        runid = tag if line == 1 else runid
        place = _number(score, 0.0) if options.traditional else float(numbers[1])
        rows.setdefault(numbers[0], []).append((place, doc))
    rankings = {}
    for number in sorted(rows):
        found = sorted(rows[number], reverse=options.traditional)
        if not options.traditional:
            for one, other in pairwise(found):
                if one[0] == other[0]:
                    raise Ended(f'duplicate rank ({one[0]:.0f}) for topic {number} in run file "{name}"')
        rankings[number] = [doc for _, doc in found][: options.depth or None]
    for number, docs in rankings.items():
        if len(set(docs)) < len(docs):
            again = next(one for one, other in pairwise(sorted(docs)) if one == other)
            raise Ended(f'duplicate docno ({again}) for topic {number} in run file "{name}"')
    return runid, rankings


# ── scores ───────────────────────────────────────────────────────────────────────────────────────

# Sums are added in ndeval's order, because its sixth decimal and the sign of its zeros depend on that.

Row = list[float]


@dataclass(frozen=True)
class Sums:
    """What ndeval adds up along a ranking, at the ranks from 1 to 20 or over all of them."""

    err: list[float]
    dcg: list[float]
    nrbp: float


def _gains(subtopics: Iterable[set[int]], alpha: float) -> list[float]:
    """The gain of each document: 1 for a new subtopic, and less by a factor 1 - α for each document on it."""
    left: dict[int, float] = {}
    gains = []
    for own in subtopics:
        gain = 0.0
        for subtopic in sorted(own):
            gain += left.get(subtopic, 1.0)
            left[subtopic] = left.get(subtopic, 1.0) * (1 - alpha)
        gains.append(gain)
    return gains


def _shares(
    gains: list[float], discounts: list[float], most: float, alpha: float, divide: bool
) -> list[float]:
    """The sum of discounted gains at each rank, over that of a ranking in which all documents have all
    subtopics; the first is not divided."""
    sums, best = [], []
    for rank, discount in enumerate(discounts):
        gain = gains[rank] if rank < len(gains) else 0.0
        sums.append(gain / discount if divide else gain * discount)
        best.append(most / discount if divide else most * discount)
        most *= 1 - alpha
    sums, best = list(accumulate(sums)), list(accumulate(best))
    return [sums[0], *(own / of for own, of in zip(sums[1:], best[1:], strict=True))]


def _sums(gains: list[float], actual: int, options: Options) -> Sums:
    nothing = [0.0] * CUTOFFS[-1]
    if not actual:
        return Sums(nothing, nothing, 0.0)
    ranks = [float(rank) for rank in range(1, CUTOFFS[-1] + 1)]
    logarithms = [math.log(2.0) / math.log(rank + 1.0) for rank in ranks]
    nrbp, decay = 0.0, 1.0
    for gain in gains:
        nrbp += gain * decay
        decay *= options.beta
    return Sums(
        _shares(gains, ranks, float(actual), options.alpha, divide=True),
        _shares(gains, logarithms, float(actual), options.alpha, divide=False),
        nrbp * ((1 - (1 - options.alpha) * options.beta) / actual),
    )


def _ideal(topic: Topic, alpha: float) -> Iterator[set[int]]:
    """The relevant documents in the greedy order: the largest gain next, and of equal ones the largest id."""
    docs = [subtopics for _, subtopics in sorted(topic.relevant.items()) if subtopics]
    columns = {s: np.array([float(s in doc) for doc in docs]) for s in sorted(topic.numbers)}
    left = dict.fromkeys(columns, 1.0)
    taken = np.zeros(len(docs), dtype=bool)
    for _ in docs:
        gain = np.zeros(len(docs))
        for subtopic, column in columns.items():
            gain += column * left[subtopic]
        gain[taken] = -1.0
        best = int(np.flatnonzero(gain == gain.max())[-1])
        taken[best] = True
        yield docs[best]
        for subtopic in docs[best]:
            left[subtopic] *= 1 - alpha


def _average_precision(topic: Topic, ranking: list[set[int]], actual: int) -> float:
    """MAP-IA"""
    found, sums = dict.fromkeys(topic.numbers, 0), dict.fromkeys(topic.numbers, 0.0)
    for rank, subtopics in enumerate(ranking, 1):
        for subtopic in subtopics:
            found[subtopic] += 1
            sums[subtopic] += found[subtopic] / rank
    mean = 0.0
    for subtopic, number in sorted(topic.numbers.items()):
        mean += sums[subtopic] / number if number else 0.0
    return mean / actual


def _scores(topic: Topic, docs: list[str], options: Options) -> Row:
    """The 21 scores of a ranking."""
    actual = sum(number > 0 for number in topic.numbers.values())
    ranking = [topic.relevant.get(doc, set()) for doc in docs]
    own = _sums(_gains(ranking, options.alpha), actual, options)
    best = _sums(_gains(_ideal(topic, options.alpha), options.alpha), actual, options)
    last = [k - 1 for k in CUTOFFS]
    row = [own.err[k] for k in last]
    row += [own.err[k] / best.err[k] if own.dcg[k] else 0.0 for k in last]
    row += [own.dcg[k] for k in last]
    row += [own.dcg[k] / best.dcg[k] if own.dcg[k] else 0.0 for k in last]
    row += [own.nrbp, own.nrbp / best.nrbp if best.nrbp else math.nan]
    if not actual:
        return [*row, *[0.0] * 7]
    row.append(_average_precision(topic, ranking, actual))
    row += [sum(map(len, ranking[:k])) / (k * actual) for k in CUTOFFS]
    return row + [len(set[int]().union(*ranking[:k])) / actual for k in CUTOFFS]


def scored(judged: Mapping[int, Topic], rankings: Rankings, options: Options) -> dict[int, Row]:
    """By topic of the run, the scores; 0 if the topic is not judged."""
    return {
        topic: _scores(judged[topic], docs, options) if topic in judged else [0.0] * len(NAMES)
        for topic, docs in rankings.items()
    }


def _risk(own: float, base: float, alpha: float) -> float:
    return own - base if own >= base else (alpha + 1) * (own - base)


def table(options: Options) -> Iterator[str]:
    """The lines that ndeval prints."""
    judged = read_qrels(options.qrels)
    runid, rankings = read_run(options.run, options)
    scores = scored(judged, rankings, options)
    number = len(judged) if options.complete else len(judged.keys() & rankings.keys())
    if options.baseline:
        other, others = read_run(options.baseline, options)
        base = scored(judged, others, options)
        alpha, zero = _number(options.risk, 0.0), [0.0] * len(NAMES)
        shown = sorted({*scores, *base} if options.complete else scores)
        scores = {
            topic: [
                _risk(x, y, alpha)
                for x, y in zip(scores.get(topic, zero), base.get(topic, zero), strict=True)
            ]
            for topic in shown
        }
        number = max(number, len(scores))
        runid = f"{runid} (rel to. {other}; rs=1+a; a={options.risk})"
    yield ",".join(["runid", "topic", *NAMES])
    sums = [0.0] * len(NAMES)
    for topic, row in scores.items():
        yield ",".join([runid, str(topic), *map(_printed, row)])
        sums = [total + score for total, score in zip(sums, row, strict=True)]
    yield ",".join([runid, "amean", *(_printed(total / number if number else math.nan) for total in sums)])


def _printed(score: float) -> str:
    """Six decimals; what C prints for 0 / 0."""
    return "-nan" if math.isnan(score) else f"{score:.6f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or an error. Return 1 after an error."""
    try:
        lines = list(table(read_options(sys.argv[1:] if arguments is None else arguments)))
    except Ended as end:
        print(f"ndeval: {end}\n" if end.code else end, end="", file=sys.stderr if end.code else sys.stdout)
        return end.code
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("latin-1"))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
