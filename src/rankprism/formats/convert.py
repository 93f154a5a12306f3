"""Write judgments and runs in another format.

Grades, aspects or an order that the new format cannot hold are refused; what else it cannot hold is named.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data.judgments import Judgments
from rankprism.data.run import DUPLICATES, ORDERS, Run, align
from rankprism.data.scales import number_name
from rankprism.errors import InputError, one_of
from rankprism.foreign import shown
from rankprism.formats import evall, files, ntcir
from rankprism.formats.judged import Written, check_ids, joined, judged_lines, number_text
from rankprism.formats.judgments import read_judgments
from rankprism.formats.memory import ONLY_ASPECT
from rankprism.formats.runs import run_from
from rankprism.formats.weights import uniform, weight_lines

#: The format that the ending of a file name stands for.
ENDINGS = {".Dqrels": "ntcir", ".tsv": "evall"}

#: What never comes out of a file of this format.
NEVER_READ = {
    "prels": "dropped: the method and probability of each document",
    "trec-dd": "dropped: passages; a document's grade is the sum of their ratings, 0 counting as 1",
    "trec-dd-max": "dropped: passages; a document's grade is the highest of their ratings",
}


@dataclass(frozen=True)
class Conversion:
    """What was written, and what the format could not hold."""

    files: dict[str, str]  # what is in each
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*(f"{shown(path)}: {what}" for path, what in self.files.items()), *self.notes])


def convert(
    source: Any,
    out: files.PathLike,
    *,
    format: str | None = None,
    to: str | None = None,
    weights: Any = None,
    run: bool = False,
    order: str = "score",
    duplicates: str = "error",
) -> Conversion:
    """Write judgments or a run to the file `out` in another format.

    source : whatever `read_judgments` takes, or with ``run=True`` `read_run`.
    out : the file to write, compressed if it ends in .gz, .bz2, .xz or .zst; "-" is standard output. Weights
        that the format cannot hold go to a second file: `out`.weights (diversity), `out`.Iprob or with types
        `out`.DINprob (ntcir).
    format : the format of the source. Default: it is recognised.
    to : "diversity", "adhoc", "ntcir" or "evall"; for a run "trec" or "evall". Default: ntcir for
        .Dqrels, evall for .tsv, else diversity or, for a run, trec.
    weights : aspect weights, see `read_judgments`.
    order, duplicates : of a run, see `evaluate`.
    """
    files.check_target(out)
    if not run and (order, duplicates) != ("score", "error"):
        raise InputError("order and duplicates are those of a run; say that it is one with run=True (--run)")
    if run and weights is not None:
        raise InputError("a run has no aspects to weigh; leave the weights out, or run=True (--run)")
    plain = _without_packing(out)
    if to is None:
        to = ENDINGS.get(os.path.splitext(plain)[1], "trec" if run else "diversity")
    allowed: tuple[str, ...] = ("trec", "evall") if run else tuple(_WRITERS)
    if to not in allowed:
        raise InputError(
            f"cannot write {'a run' if run else 'judgments'} as {to!r}; use one of {', '.join(allowed)}"
        )
    if run:
        one_of("order", order, ORDERS)
        one_of("duplicates", duplicates, DUPLICATES)
        written = _write_run(run_from(source, None, format, duplicates), to, order, duplicates)
    else:
        written = _write_judgments(read_judgments(source, format=format, weights=weights), to)
    texts: dict[files.PathLike, str] = {out: written.text}
    if written.beside and not files.replaces_file(out):
        raise InputError(
            f"{os.fspath(out)}: the weights go to a file of their own, beside the judgments; name a file to "
            "write the judgments to"
        )
    texts |= {plain + ending: text for ending, text in written.beside.items()}
    files.write_texts(texts)
    contents = {os.fspath(path): f"{text.count(chr(10))} lines" for path, text in texts.items()}
    contents[os.fspath(out)] += f", {to}"
    return Conversion(contents, written.notes)


def _without_packing(path: files.PathLike) -> str:
    name = os.fspath(path)
    return os.path.splitext(name)[0] if name.endswith(files.COMPRESSED) else name


def _write_judgments(judgments: Judgments, to: str) -> Written:
    notes = [NEVER_READ[judgments.format]] if judgments.format in NEVER_READ else []
    if judgments.navigational is not None and judgments.weights is None and to in ("diversity", "ntcir"):
        judgments = replace(judgments, weights=uniform(judgments))
        notes.append("added: weights, the same for all aspects of a topic, because types stand beside them")
    lost = _lost_of_scales(judgments)
    if lost:
        notes.append(f"dropped: {', '.join(lost)}; the grades are kept")
    written = _WRITERS[to](judgments)
    return written._replace(notes=(*notes, *written.notes))


def _lost_of_scales(judgments: Judgments) -> list[str]:
    """Names for what no format can hold of the labels of several aspects."""
    scales = judgments.scales or ()
    _, aspects, _, grades = judgments.table.columns() if scales else ((), (), (), ())
    used = set(zip(aspects, grades, strict=True))
    kinds = {
        "the order of aspects": len(scales) > 1
        and [s.aspect for s in scales] != sorted(s.aspect for s in scales),
        "the names of labels": any(s.names != tuple(map(number_name, s.grades)) for s in scales),
        "labels that no document has": any((s.aspect, s.grades[-1]) not in used for s in scales),
        "the embedding": any(s.place != tuple(range(len(s.names))) for s in scales),
        "which aspect is given which": any(s.given is not None for s in scales),
    }
    return [kind for kind, is_lost in kinds.items() if is_lost]


def _diversity(judgments: Judgments) -> Written:
    """`topic aspect document grade`, and the weights beside it."""
    lines = (f"{t} {a} {d} {number_text(g)}" for t, a, d, g in judged_lines(judgments, "diversity"))
    weights = weight_lines(judgments)
    return Written(joined(lines), {".weights": joined(weights)} if weights else {})


def _adhoc(judgments: Judgments) -> Written:
    """`topic 0 document grade`: there is no place for a second aspect."""
    for topic, aspects in judgments.aspects.items():
        if len(aspects) > 1:
            raise InputError(
                f"{judgments.source}: topic {topic!r} has {len(aspects)} aspects ({', '.join(aspects[:8])}), "
                f"and the format adhoc holds one; choose another format, or one aspect"
            )
    lines = (f"{t} {ONLY_ASPECT} {d} {number_text(g)}" for t, _, d, g in judged_lines(judgments, "adhoc"))
    lost = {
        "the names of aspects": set(judgments.table.aspects) != {ONLY_ASPECT},
        "weights, which change nothing where there is one aspect": judgments.weights is not None,
        "which intents are navigational": judgments.navigational is not None,
    }
    return Written(joined(lines), {}, tuple(f"dropped: {what}" for what, is_lost in lost.items() if is_lost))


_WRITERS: dict[str, Callable[[Judgments], Written]] = {
    "diversity": _diversity,
    "adhoc": _adhoc,
    "ntcir": ntcir.write,
    "evall": evall.write,
}


class Place(NamedTuple):
    """A document's place in a topic's ranking."""

    topic: str
    doc: str
    rank: int


def ranking(run: Run, order: str, duplicates: str) -> list[Place]:
    """All documents of a run in the order in which it is evaluated.

    Ordering is the core's business. It orders what is judged, so here everything is.
    """
    topics, docs, _, _ = run.table.columns()
    if not docs:
        raise InputError(f"{run.table.source}: the run has no documents to write")
    everything = JudgmentTable.from_columns(
        run.table.source, topics, [ONLY_ASPECT] * len(docs), docs, np.ones(len(docs))
    )
    aligned = align(Judgments(everything, run.table.source), run, order, duplicates)
    topics, _, docs, _ = everything.columns()
    first = np.repeat(aligned.start[:-1], np.diff(aligned.start))  # of the topic's documents
    return [
        Place(topics[at], docs[at], rank)
        for at, rank in zip((first + aligned.doc).tolist(), aligned.rank.tolist(), strict=True)
    ]


def _write_run(run: Run, to: str, order: str, duplicates: str) -> Written:
    places = ranking(run, order, duplicates)
    topics, docs, scores, ranks = run.table.columns()
    length = Counter(place.topic for place in places)
    score_of: dict[tuple[str, str], float] = {}
    for topic, doc, score in zip(topics, docs, scores.tolist(), strict=True):
        score_of[topic, doc] = max(score, score_of.get((topic, doc), score))
    given = [score_of[place.topic, place.doc] for place in places]
    descending = [float(length[place.topic] + 1 - place.rank) for place in places]
    keeps_scores = to == "trec" and order == "score"
    notes = {
        f"dropped: {len(docs) - len(places)} repeated documents": len(docs) > len(places),
        f"dropped: {len(run.topics) - len(length)} topics without a document": len(run.topics) > len(length),
        "dropped: scores; the order says what they said": not keeps_scores and given != descending,
        "dropped: ranks, which contradict the order": _contradicted(
            places, dict(zip(zip(topics, docs, strict=True), ranks.tolist(), strict=False))
        ),
    }
    if to == "evall":
        text = evall.write_run(run.table.source, ((place.topic, place.doc) for place in places))
    else:
        for what, ids in (("topic", topics), ("document", docs)):
            check_ids(run.table.source, what, ids, "trec")
        tag = "_".join(run.name.split()) or "run"
        text = joined(
            f"{topic} Q0 {doc} {rank} {number_text(score)} {tag}"
            for (topic, doc, rank), score in zip(places, given if keeps_scores else descending, strict=True)
        )
    return Written(text, {}, tuple(note for note, applies in notes.items() if applies))


def _contradicted(places: list[Place], rank_of: dict[tuple[str, str], float]) -> bool:
    """Whether a document stands behind one with a larger rank of its own; without ranks it does not."""
    if not rank_of:
        return False
    return any(
        after.topic == before.topic and rank_of[after.topic, after.doc] < rank_of[before.topic, before.doc]
        for before, after in pairwise(places)
    )
