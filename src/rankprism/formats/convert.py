"""Write judgments and runs in another format.

Grades, aspects or an order that the new format cannot hold are refused; what else it cannot hold is named.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankprism.data.judgments import Judgments
from rankprism.data.run import DUPLICATES, ORDERS, Run
from rankprism.data.scales import number_name
from rankprism.errors import InputError, one_of
from rankprism.foreign import shown
from rankprism.formats import evall, files, ntcir
from rankprism.formats.judged import Written, joined
from rankprism.formats.judgments import read_judgments
from rankprism.formats.memory import ONLY_ASPECT
from rankprism.formats.preferences import FORMATS as PREFERENCE_FORMATS
from rankprism.formats.preferences import are_preferences, read_preferences, write_preferences
from rankprism.formats.runs import run_from
from rankprism.formats.weights import uniform, weight_lines

#: The format that the ending of a file name stands for.
ENDINGS = {".Dqrels": "ntcir", ".tsv": "evall"}
PREFERENCE_ENDINGS = {ending: kind.name for kind in PREFERENCE_FORMATS.values() for ending in kind.endings}

NEWLINE = b"\n"

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
    """Write judgments, preferences or a run to the file `out` in another format.

    source : whatever `read_judgments` takes, or with ``run=True`` `read_run`. Preferences are `Preferences`,
        a file that can be nothing else, or one that `format` says holds preferences.
    out : the file to write, compressed if it ends in .gz, .bz2, .xz or .zst; "-" is standard output. Weights
        that the format cannot hold go to a second file: `out`.weights (diversity), `out`.Iprob or with types
        `out`.DINprob (ntcir).
    format : the format of the source. Default: it is recognised.
    to : "diversity", "adhoc", "ntcir" or "evall"; for a run "trec" or "evall"; for preferences "tsv", "csv",
        "jsonl", "winner", "winner-loser" or "prefs". Default: ntcir for .Dqrels, evall for .tsv, else
        diversity or, for a run, trec; for preferences csv or jsonl by the ending, else tsv.
    weights : aspect weights, see `read_judgments`.
    order, duplicates : of a run, see `evaluate`.
    """
    files.check_target(out)
    if not run and (order, duplicates) != ("score", "error"):
        raise InputError("order and duplicates are those of a run; say that it is one with run=True (--run)")
    if run and weights is not None:
        raise InputError("a run has no aspects to weigh; leave the weights out, or run=True (--run)")
    plain = _without_packing(out)
    if not run and are_preferences(source, format):
        if weights is not None:
            raise InputError("preferences have no aspects to weigh; leave the weights out")
        to = PREFERENCE_ENDINGS.get(os.path.splitext(plain)[1], "tsv") if to is None else to
        return _finished(out, plain, write_preferences(read_preferences(source, format=format), to), to)
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
    return _finished(out, plain, written, to)


def _finished(out: files.PathLike, plain: str, written: Written, to: str) -> Conversion:
    """Write the files, and say what is in them."""
    texts: dict[files.PathLike, bytes] = {out: written.text}
    if written.beside and not files.replaces_file(out):
        raise InputError(
            f"{os.fspath(out)}: the weights go to a file of their own, beside the judgments; name a file to "
            "write the judgments to"
        )
    texts |= {plain + ending: text.encode() for ending, text in written.beside.items()}
    files.write_texts(texts)
    contents = {os.fspath(path): f"{text.count(NEWLINE)} lines" for path, text in texts.items()}
    contents[os.fspath(out)] += f", {to}"
    return Conversion(contents, written.notes)


def _without_packing(path: files.PathLike) -> str:
    name = os.fspath(path)
    return os.path.splitext(name)[0] if name.endswith(files.COMPRESSED) else name


def judgments_text(judgments: Judgments, to: str) -> str:
    """Judgments as the text of a file of this format."""
    return _write_judgments(judgments, to).text.decode()


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
    _, aspects, _, grades = judgments.table.columns() if scales else ((), (), (), np.empty(0))
    used = set(zip(aspects, grades.tolist(), strict=True))
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
    lines = judgments.table.lines(judgments.source, "diversity", [])
    weights = weight_lines(judgments)
    return Written(lines, {".weights": joined(weights)} if weights else {})


def _adhoc(judgments: Judgments) -> Written:
    """`topic 0 document grade`: there is no place for a second aspect."""
    for topic, aspects in judgments.aspects.items():
        if len(aspects) > 1:
            raise InputError(
                f"{judgments.source}: topic {topic!r} has {len(aspects)} aspects ({', '.join(aspects[:8])}), "
                f"and the format adhoc holds one; choose another format, or one aspect"
            )
    lines = judgments.table.lines(judgments.source, "adhoc", [])
    lost = {
        "the names of aspects": set(judgments.table.aspects) != {ONLY_ASPECT},
        "weights, which change nothing where there is one aspect": judgments.weights is not None,
        "which intents are navigational": judgments.navigational is not None,
    }
    return Written(lines, {}, tuple(f"dropped: {what}" for what, is_lost in lost.items() if is_lost))


_WRITERS: dict[str, Callable[[Judgments], Written]] = {
    "diversity": _diversity,
    "adhoc": _adhoc,
    "ntcir": ntcir.write,
    "evall": evall.write,
}


def _write_run(run: Run, to: str, order: str, duplicates: str) -> Written:
    table = run.table
    if order == "rank" and not table.has_ranks:
        raise InputError(f"{table.source}: has no ranks to order by; use order='score' or 'input'")
    line, rank, length = table.ranking(order, duplicates)
    if not len(line):
        raise InputError(f"{table.source}: the run has no documents to write")
    scores, ranks = (numbers[line] if len(numbers) else numbers for numbers in table.numbers())
    descending = (length + 1 - rank).astype(np.float64)
    keeps_scores = to == "trec" and order == "score"
    empty = len(run.topics) - int((rank == 1).sum())
    notes = {
        f"dropped: {len(table) - len(line)} repeated documents": len(table) > len(line),
        f"dropped: {empty} topics without a document": empty > 0,
        "dropped: scores; the order says what they said": not keeps_scores
        and not np.array_equal(scores, descending),
        # Of two neighbours in one topic the lower has the better rank of its own; NaN is no rank.
        "dropped: ranks, which contradict the order": bool(
            len(ranks) and ((ranks[1:] < ranks[:-1]) & (rank[1:] > 1)).any()
        ),
    }
    if to == "evall":
        text = table.evall_lines(line)
    else:
        tag = "_".join(run.name.split()) or "run"
        text = table.trec_lines(line, rank, scores if keeps_scores else descending, tag)
    return Written(text, {}, tuple(note for note, applies in notes.items() if applies))
