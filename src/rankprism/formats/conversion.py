"""Write judgments and runs in another format.

Grades, aspects or an order that the new format cannot hold are refused. Notes name everything else it cannot
hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Judgments
from rankprism.data.scales import number_name
from rankprism.errors import InputError, one_of
from rankprism.formats import files, output_files
from rankprism.formats.format import Format, Written, by_ending, written_by
from rankprism.formats.judgments import read_judgments
from rankprism.formats.known import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS
from rankprism.formats.preferences import read_preferences
from rankprism.formats.runs import run_from
from rankprism.formats.source import source_of
from rankprism.text import shown
from rankprism.types import Duplicates, FileFormat, Order, WeightsLike

NEWLINE = b"\n"


@dataclass(frozen=True)
class Conversion:
    """The files written, and notes on what the format could not hold."""

    files: dict[str, str]  # what is in each
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*(f"{shown(path)}: {what}" for path, what in self.files.items()), *self.notes])


def convert(
    source: Any,
    out: files.PathLike,
    *,
    format: FileFormat | None = None,
    to: FileFormat | None = None,
    weights: WeightsLike | None = None,
    run: bool = False,
    order: Order = "score",
    duplicates: Duplicates = "error",
) -> Conversion:
    """Write judgments, preferences or a run to the file `out` in another format.

    Parameters
    ----------
    source
        Whatever `read_judgments` takes, or with ``run=True`` `read_run`. Preferences are `Preferences`, a
        file that can be nothing else, or one that `format` says holds preferences.
    out
        The file to write, compressed if it ends in .gz, .bz2, .xz or .zst; "-" is standard output. Weights
        that the format cannot hold go to a second file: `out`.weights (diversity), `out`.Iprob or with
        types `out`.DINprob (ntcir).
    format
        Format of the source. Default: recognised by its first lines.
    to
        Format to write. Default: the one that the ending of the output means.

        If the ending means none, it is "diversity", "trec" for a run or "tsv" for preferences.
        docs/formats.md and docs/preferences.md have all formats.
    weights
        Aspect weights, as `evaluate` takes them.
    run
        The source is a run.
    order, duplicates
        How a run is read, see `evaluate`.
    """
    output_files.check_target(out)
    if not run and (order, duplicates) != ("score", "error"):
        raise InputError("order and duplicates apply only to a run; say that it is one with run=True (--run)")
    if run and weights is not None:
        raise InputError("a run has no aspects to weigh; leave the weights out, or run=True (--run)")
    given = source_of(source)  # opened once, whatever it is
    plain = _without_packing(out)
    ending = os.path.splitext(plain)[1]
    if run:
        to = by_ending(RUN_FORMATS, ending) if to is None else to
        write = _writer(RUN_FORMATS, to, "a run")
        one_of("order", order, Order)
        one_of("duplicates", duplicates, Duplicates)
        written = write(run_from(given, None, format, duplicates), order, duplicates)
    elif given.are_preferences(format):
        if weights is not None:
            raise InputError("preferences have no aspects to weigh; leave the weights out")
        to = by_ending(PREFERENCE_FORMATS, ending) if to is None else to
        written = _writer(PREFERENCE_FORMATS, to, "preferences")(read_preferences(given, format=format))
    else:
        to = by_ending(JUDGMENT_FORMATS, ending) if to is None else to
        write = _writer(JUDGMENT_FORMATS, to, "judgments")
        written = _write_judgments(read_judgments(cast(Any, given), format=format, weights=weights), write)
    return _finished(out, plain, written, to)


def _writer(formats: Mapping[str, Format[Any]], to: str, what: str) -> Callable[..., Written]:
    writers = written_by(formats)
    if to not in writers:
        raise InputError(f"cannot write {what} as {to!r}; use one of {', '.join(writers)}")
    return writers[to]


def _finished(out: files.PathLike, plain: str, written: Written, to: str) -> Conversion:
    """Write the files, and return what each of them holds."""
    texts: dict[files.PathLike, bytes] = {out: written.text}
    if written.beside and not output_files.replaces_file(out):
        raise InputError(
            f"{os.fspath(out)}: the weights go to a second file, beside the judgments; name a file to "
            "write the judgments to"
        )
    texts |= {plain + ending: text.encode() for ending, text in written.beside.items()}
    output_files.write_texts(texts)
    contents = {os.fspath(path): f"{text.count(NEWLINE)} lines" for path, text in texts.items()}
    if written.rows is not None:
        contents[os.fspath(out)] = f"{written.rows} rows"
    contents[os.fspath(out)] += f", {to}"
    return Conversion(contents, written.notes)


def _without_packing(path: files.PathLike) -> str:
    name = os.fspath(path)
    return os.path.splitext(name)[0] if name.endswith(files.COMPRESSED) else name


def judgments_text(judgments: Judgments, to: str) -> str:
    """Judgments as the text of a file of this format."""
    return _write_judgments(judgments, _writer(JUDGMENT_FORMATS, to, "judgments")).text.decode()


def _write_judgments(judgments: Judgments, write: Callable[..., Written]) -> Written:
    read_from = JUDGMENT_FORMATS.get(judgments.format or "")
    notes = [f"dropped: {read_from.loses}"] if read_from is not None and read_from.loses else []
    bare = len(judgments.table.bare_aspects()[0])
    if bare:
        judgments = _without_bare_aspects(judgments)
        notes.append(f"dropped: {bare} aspects on which no document is judged")
    lost = _lost_of_scales(judgments)
    if lost:
        notes.append(f"dropped: {', '.join(lost)}; the grades are kept")
    written = write(judgments)
    return written._replace(notes=(*notes, *written.notes))


def _without_bare_aspects(judgments: Judgments) -> Judgments:
    """The same judgments without the aspects on which no document is judged."""
    if not len(judgments):
        raise InputError(f"{judgments.source}: no document is judged in it, so there is nothing to write")
    bare = set(zip(*judgments.table.bare_aspects(), strict=True))
    named = ((topic, aspect) for topic, aspects in judgments.aspects.items() for aspect in aspects)
    kept = np.array([one not in bare for one in named])
    weights, navigational = judgments.weights, judgments.navigational
    return replace(
        judgments,
        table=JudgmentTable.from_columns(judgments.source, *judgments.table.columns()),
        weights=None if weights is None else weights[kept],
        navigational=None if navigational is None else navigational[kept],
        counted=None,
    )


def _lost_of_scales(judgments: Judgments) -> list[str]:
    """The names of what no format can hold about the labels of several aspects."""
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
