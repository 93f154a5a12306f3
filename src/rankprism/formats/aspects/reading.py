"""Judgments of several aspects: relevance, credibility, understandability, … of the same documents.

The labels come from several grade columns of one file (TREC Decision, Health Misinformation), from one
file per aspect (CLEF eHealth, Touché), or from frames or dicts. Scales and dependences between aspects are
described in Python, or in a TOML file that takes the place of the judgments::

    judgments = "qrels_raw.gz"
    columns = ["relevance", "efficacy", "credibility"]

    [aspects.relevance]
    labels = ["not", "relevant", "highly"]

    [aspects.correctness]             # 1 where the column is what the topic's answer means
    column = "efficacy"
    answers = "2019topics_efficacy.txt"
    means = {"-1" = 1, "0" = 2, "1" = 3}
    given = "relevance"               # set to the lowest label where relevance is

    [aspects.credibility]
    given = "relevance"
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import MISSING, Judgments, Scale, given_first
from rankprism.data.judgments import BELOW, GIVEN
from rankprism.data.note import stray_notes
from rankprism.data.scales import number, number_name
from rankprism.errors import InputError, listed
from rankprism.formats import files, ir_datasets
from rankprism.formats.aspects import labels
from rankprism.formats.aspects.labels import SKIPPED, Column, Label
from rankprism.formats.aspects.settings import AspectSettings, as_aspects
from rankprism.formats.source import is_dataset, source_of
from rankprism.formats.table import columns_of, has_said, names_of
from rankprism.text import quoted


def read_description(path: files.PathLike) -> Judgments:
    """Judgments that a TOML file describes; its paths are relative to its folder."""
    name, folder = files.source_name(path), Path(path).parent
    content = _content(path)
    columns = content.get("columns", [])
    for column in columns:
        if not isinstance(column, str):
            raise InputError(f"{name}: columns must be names; got {quoted(column)}")
    for column in columns:
        if column != SKIPPED and columns.count(column) > 1:
            raise InputError(f"{name}: the column {column!r} is named twice; {SKIPPED!r} skips a column")
    settings = content.get("aspects", {column: {} for column in columns if column != SKIPPED})
    if not settings:
        raise InputError(f'{name}: names no aspects; add columns = ["relevance", …] or [aspects.relevance]')
    source = _inside_path(folder, content["judgments"]) if "judgments" in content else None
    try:
        aspects = [_inside(folder, aspect) for aspect in as_aspects(settings)]
        return replace(read_aspects(source, aspects, columns), source=name, files=())
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def read_scales(path: files.PathLike) -> tuple[Scale, ...]:
    """The scales of the aspects that such a TOML file describes, for use before anything is judged.

    An aspect whose labels are not named has two labels, 0 and 1.
    """
    name = files.source_name(path)
    settings = _content(path).get("aspects", {})
    if not settings:
        raise InputError(
            f'{name}: names no aspects; add [aspects.relevance] with labels = ["not", "relevant"]'
        )
    try:
        aspects = as_aspects(settings)
        return tuple(
            Scale.of(a.name, a.labels or (0, 1), a.embed, a.given, a.grades, a.lower_is_better)
            for a in aspects
        )
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _content(path: files.PathLike) -> dict[str, Any]:
    """The settings in a TOML file that describes judgments, each checked to be of the right kind."""
    import tomllib

    file = files.opened(path)
    name, text = file.name, file.text()
    try:
        content = tomllib.loads(text.replace("\r\n", "\n"))
    except RecursionError:
        raise InputError(f"{name}: is not TOML (its values are nested too deep)") from None
    except ValueError as error:  # not TOML, or a number with thousands of digits
        raise InputError(f"{name}: is not TOML ({error})") from None
    kinds = {"judgments": (str, "a path"), "columns": (list, "a list of names"), "aspects": (dict, "tables")}
    for key, value in content.items():
        if key not in kinds:
            raise InputError(f"{name}: unknown setting {key!r}; there are {', '.join(kinds)}")
        if not isinstance(value, kinds[key][0]):
            raise InputError(f"{name}: {key} must be {kinds[key][1]}; got {quoted(value)}")
    return content


def _inside(folder: Path, aspect: AspectSettings) -> AspectSettings:
    """The aspect with its paths relative to a folder."""
    file = None if aspect.file is None else _inside_path(folder, aspect.file)
    answers = folder / aspect.answers if isinstance(aspect.answers, str) else aspect.answers
    return replace(aspect, file=file, answers=answers)


def _inside_path(folder: Path, path: files.PathLike) -> files.PathLike:
    return path if is_dataset(path) else folder / path


def read_multi_aspect(source: Any, aspects: Any) -> Judgments:
    """Judgments of these aspects, whatever the source: see `rankprism.read_judgments`."""
    if source_of(source).form == "files":
        described = {aspect.name: aspect for aspect in as_aspects(aspects)} if aspects is not None else {}
        for name in described:
            if name not in source:
                raise InputError(f"aspect {name!r} has no file among {listed(source)}")
        own = [replace(described.get(name, AspectSettings(name)), file=path) for name, path in source.items()]
        return read_aspects(None, own)
    if isinstance(source, Judgments):
        raise InputError("these are judgments already; pass aspects where they are read")
    if files.is_path(source) and os.fspath(source).endswith(".toml"):
        raise InputError(f"{os.fspath(source)}: describes its aspects itself; change them there")
    return read_aspects(source, aspects)


def read_described(source: Any, described: Sequence[AspectSettings]) -> Judgments:
    """Judgments of all aspects that a file's first line names, with settings for the `described` ones.

    A file without such a line has the described aspects, in this order.
    """
    known = {aspect.name: aspect for aspect in described}
    if is_dataset(source):
        found = ir_datasets.dataset_rows(source)
        names = [*found.graded, *(name for name in found.named if name in known)]
        return read_aspects(found, _all_described(found.source, names, known))
    if not files.is_path(source) or os.fspath(source).endswith(".toml"):
        return read_multi_aspect(source, described)
    with files.opened(source) as file:
        said = columns_of(file).named
        has_said(file.beginning, columns_of(file))
        columns = names_of(file.beginning)
        if not columns:
            return read_aspects(file, described)
        return read_aspects(
            file, _all_described(file.name, labels.header_aspects(columns, known, said), known)
        )


def _all_described(
    source: str, names: Sequence[str], known: Mapping[str, AspectSettings]
) -> list[AspectSettings]:
    """The settings of each aspect of a source. Aspects that are not described have default settings."""
    for name in known:
        if name not in names:
            raise InputError(f"{source}: there is no column {name!r} among {listed(names)}")
    return [known.get(name, AspectSettings(name)) for name in names]


def read_aspects(source: Any, aspects: Any, columns: Sequence[str] | None = None) -> Judgments:
    """Judgments of these aspects, from grade columns of a file, from memory, and from one file per aspect.

    A document that has a label on one aspect gets one on all aspects: a missing label becomes the lowest.
    """
    chosen = as_aspects(aspects)
    named = [a for a in chosen if a.name != SKIPPED]
    if is_dataset(source):
        source = ir_datasets.dataset_rows(source)
    raw = _shared_columns(source, chosen, columns)
    for aspect in named:
        if aspect.file is not None and not aspect.thresholds:
            raw[aspect.name] = _own_column(aspect.file, aspect.name)
    documents = {key for column in raw.values() for key in column}
    for aspect in named:
        if aspect.file is not None and aspect.thresholds:
            raw[aspect.name] = _by_score(aspect, aspect.file, documents)
    own = [aspect.file for aspect in named if aspect.file is not None]
    paths = tuple(dict.fromkeys(map(files.source_name, own if source is None else [_name(source), *own])))
    judgments = _assembled(" and ".join(paths), named, raw)
    return replace(judgments, files=paths) if len(paths) > 1 else judgments


def _name(source: Any) -> str:
    if isinstance(source, ir_datasets.DatasetRows):
        return source.source
    return files.source_name(source) if files.is_path(source) else "judgments"


def _own_column(file: files.PathLike, aspect: str) -> Column:
    """The labels of an aspect that has its own file, or takes its labels from the relevance of a dataset."""
    if not is_dataset(file):
        return labels.one_column(file, aspect)
    return labels.from_memory(ir_datasets.dataset_rows(file).rows, ["relevance"])["relevance"]


def _shared_columns(
    source: Any, aspects: Sequence[AspectSettings], columns: Sequence[str] | None
) -> dict[str, Column]:
    """The labels of the aspects that have no file of their own."""
    shared = [a for a in aspects if a.file is None and a.name != SKIPPED]
    if not shared:
        return {}
    if source is None:
        raise InputError(f"aspect {shared[0].name!r} has no file, and there are no judgments for its column")
    file = files.opened(source) if files.is_path(source) else None
    if file is not None and not files.is_table_file(file):
        found = labels.column_lines(file, columns or _columns(aspects))
    else:
        rows = source.rows if isinstance(source, ir_datasets.DatasetRows) else source
        if file is not None:
            from rankprism.formats.known.tables import read_table

            rows = read_table(file)
        found = labels.from_memory(
            rows, list(dict.fromkeys(a.column or a.name for a in shared)), _name(source)
        )
    for aspect in shared:
        column = aspect.column or aspect.name
        if column not in found:
            raise InputError(f"aspect {aspect.name!r}: there is no column {column!r} among {listed(found)}")
    return {aspect.name: found[aspect.column or aspect.name] for aspect in shared}


def _columns(aspects: Sequence[AspectSettings]) -> list[str]:
    """The grade columns of the shared file. Several aspects may use one column, and any may be skipped."""
    columns: list[str] = []
    for aspect in aspects:
        column = aspect.column or aspect.name
        if aspect.file is None and (column == SKIPPED or column not in columns):
            columns.append(column)
    return columns


def _by_score(aspect: AspectSettings, file: files.PathLike, documents: Iterable[tuple[str, str]]) -> Column:
    """Labels of documents: 0, 1, … is the number of thresholds that the score reaches."""
    scored = labels.scores(file)
    every = sorted(score for score, _ in scored.values())
    limits = []
    for given in aspect.thresholds:
        share = number(str(given).removesuffix("%"))
        is_share = str(given).endswith("%")
        if share is None or not every or (is_share and not 0 <= share <= 100):
            raise InputError(
                f"aspect {aspect.name!r}: the threshold {given!r} is neither a number nor a share like 95%"
            )
        if is_share:
            limits.append(every[min(len(every) - 1, int(share / 100 * len(every)))])
        else:
            limits.append(float(share))
    if limits != sorted(limits):
        raise InputError(f"aspect {aspect.name!r}: the thresholds {aspect.thresholds} do not ascend")
    return {
        key: Label(str(bisect_right(limits, scored[key[1]][0])), scored[key[1]][1], None)
        for key in documents
        if key[1] in scored
    }


def _assembled(source: str, aspects: Sequence[AspectSettings], raw: Mapping[str, Column]) -> Judgments:
    """One table of all aspects, in which no label is missing."""
    documents = sorted({key for column in raw.values() for key in column})
    if not documents:
        raise InputError(f"{source}: has no judgments, only blank or comment lines")
    scales, grades, lowered = [], {}, {}
    for aspect in aspects:
        column = _answered(aspect, raw[aspect.name]) if aspect.answers is not None else raw[aspect.name]
        scale = _scale(aspect, column)
        graded, below = _graded(aspect, scale, column)
        if not graded:
            raise InputError(
                f"{source}: no document has a label of {aspect.name!r}; check its column, or leave it out"
            )
        scales.append(scale)
        grades[aspect.name] = graded
        counts = {MISSING: len(documents) - len(graded) - below, BELOW: below}
        lowered[aspect.name] = {reason: n for reason, n in counts.items() if n}
    lowest = {scale.aspect: scale.grades[0] for scale in scales}
    table = {
        scale.aspect: np.array([grades[scale.aspect].get(key, lowest[scale.aspect]) for key in documents])
        for scale in scales
    }
    for scale in given_first(scales):
        if scale.given is None:
            continue
        contrary = (table[scale.given] <= lowest[scale.given]) & (table[scale.aspect] > lowest[scale.aspect])
        table[scale.aspect] = np.where(contrary, lowest[scale.aspect], table[scale.aspect])
        if contrary.any():
            lowered[scale.aspect][GIVEN] = int(contrary.sum())
    topics, docs = (list(ids) for ids in zip(*documents, strict=True))
    judged = JudgmentTable.from_columns(
        source,
        topics * len(scales),
        [scale.aspect for scale in scales for _ in documents],
        docs * len(scales),
        np.concatenate([table[scale.aspect] for scale in scales]),
    )
    result = Judgments(judged, source, scales=tuple(scales), lowered={k: v for k, v in lowered.items() if v})
    result = result.noting(stray_notes(source, judged.stray()))
    weights = {a.name: a.weight for a in aspects if a.weight is not None}
    if not weights:
        return result
    from rankprism.formats.weights import weighted

    return weighted(result, weights)


def _answered(aspect: AspectSettings, column: Column) -> Column:
    """1 for documents that give the accepted answer of their topic, and 0 for all others.

    Labels below 0 that mean no answer are kept, so they are below the scale of the aspect.
    """
    accepted = labels.answers(aspect.answers, aspect.element)
    means = {str(answer): number_name(label) for answer, label in (aspect.means or {}).items()}
    missing = set(map(number_name, aspect.missing))
    meant = set(means.values()) if aspect.means is not None else set(map(number_name, accepted.values()))
    for text, label in _different(column).items():
        if number(text) is None and text not in meant | missing:
            raise InputError(
                f"{label.where}: the label {text!r} of {aspect.name} is neither a number nor an answer; the "
                f"answers "
                f"are {listed(sorted(meant), 12)}. Say with means which label an answer means, or with "
                f"missing that the label means none"
            )
    result = {}
    for (topic, doc), label in column.items():
        if topic not in accepted:
            raise InputError(
                f"aspect {aspect.name!r}: topic {topic!r} has no answer in {_answer_source(aspect)}; add it"
            )
        answer = accepted[topic]
        if aspect.means is not None and answer not in means:
            raise InputError(
                f"aspect {aspect.name!r}: the answer {answer!r} of topic {topic!r} is not among those that "
                f"means explains: {listed(means)}"
            )
        name, value = number_name(label.text), number(label.text)
        if name in missing:
            continue
        if name not in meant and value is not None and value < 0:
            result[topic, doc] = label
        else:
            same = name == means.get(answer, number_name(answer))
            result[topic, doc] = label._replace(text=str(int(same)))
    return result


def _answer_source(aspect: AspectSettings) -> str:
    return "answers" if isinstance(aspect.answers, Mapping) else files.source_name(aspect.answers)


def _scale(aspect: AspectSettings, column: Column) -> Scale:
    """The scale that was given, or else the whole numbers up to the highest label."""
    given = aspect.labels
    if given is None:
        if aspect.thresholds:
            given = tuple(range(len(aspect.thresholds) + 1))
        elif aspect.answers is not None:
            given = (0, 1)
        else:
            given = _labels_that_occur(aspect, column)
    return Scale.of(aspect.name, given, aspect.embed, aspect.given, aspect.grades, aspect.lower_is_better)


def _labels_that_occur(aspect: AspectSettings, column: Column) -> tuple[Any, ...]:
    missing = {number_name(label) for label in aspect.missing}
    values: set[Fraction] = set()
    for label in _different(column).values():
        value = number(label.text)
        if value is None and number_name(label.text) not in missing:
            raise InputError(
                f"{label.where}: the label {label.text!r} of {aspect.name} is not a number; say which labels "
                f"there are, from the lowest to the highest, e.g. --labels {aspect.name}={label.text},…"
            )
        if value is not None and str(value) not in missing:
            values.add(max(value, Fraction()))
    highest = max(values, default=Fraction())
    if highest <= 1000 and all(value.denominator == 1 for value in values):
        # With an embedding there are as many labels as it has places, even if the highest does not occur.
        return tuple(range(max(int(highest) + 1, len(aspect.embed or aspect.grades or ()))))
    return tuple(sorted(values | {Fraction()}))


def _graded(aspect: AspectSettings, scale: Scale, column: Column) -> tuple[dict[tuple[str, str], float], int]:
    """The grade of each document that has a label on the scale, and the number of labels below the scale."""
    missing = {number_name(label) for label in aspect.missing}
    grade_of = dict(zip(scale.names, scale.grades, strict=True))
    if all(number(name) is None for name in scale.names):  # then a number can only be the number of a label
        grade_of |= {str(i): grade for i, grade in enumerate(scale.grades)}
    grades: dict[str, float] = {}
    below = set()
    for text, label in _different(column).items():
        name, value, lowest = number_name(text), number(text), number(scale.names[0])
        if name in missing and aspect.answers is None:  # labels of answers no longer have these
            continue
        if name in grade_of:
            grades[text] = grade_of[name]
        elif aspect.below == "lowest" and value is not None and value < (lowest or 0):
            below.add(text)
        else:
            raise InputError(
                f"{label.where}: the label {text!r} of {aspect.name} is not on its scale: "
                f"{listed(scale.names, 12)}; add it to the "
                f"labels, or to missing if it means that there is none"
            )
    graded = {key: grades[label.text] for key, label in column.items() if label.text in grades}
    return graded, sum(label.text in below for label in column.values())


def _different(column: Column) -> dict[str, Label]:
    """The distinct labels, each at its first occurrence; there are few."""
    first: dict[str, Label] = {}
    for label in column.values():
        first.setdefault(label.text, label)
    return first
