"""Answers of runs. Each becomes a ranking of one document, with a grade for each nugget of its topic.

A nugget is an aspect of its topic, so nuggets need no data of their own. The judgment table may have
aspects on which no document is judged, because a file of nuggets names facts and not documents. Which
aspects count is part of the judgments (`Judgments.counted`) and reaches every measure through its pool.
`formats/answers.py` turns each answer of a run into a ranking of one document, whose grades on the
nuggets are 1, ½ or 0. A measure says whether it can score answers (`Definition.answers`). Such a measure
does not look at other judged documents, so the score of a run does not depend on which other runs are
evaluated with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Judgments
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.known.nuggets import Answer, answers_of
from rankprism.formats.runs import read_run
from rankprism.formats.source import Source, source_of
from rankprism.text import quoted


def with_answers(
    judgments: Judgments, sources: Mapping[str, Source], format: str | None = None
) -> tuple[Judgments, dict[str, Source]]:
    """The judgments with a document for each answer, and the runs, where answers have become rankings.

    Answers are named by their `run_id`, if they have one, so a source may become several runs. All other
    sources stay as they are. If there are no answers, the judgments are the same object.
    """
    found: dict[str, Any] = {}
    answered: dict[str, dict[str, Answer]] = {}
    places: dict[str, str] = {}
    for name, source in sources.items():
        place = files.source_name(source.thing) if source.is_file else name
        runs: Mapping[str, Any] = {name: source}
        if source.are_answers(format):
            runs = _named(_read(source, name), source, name)
            answered |= runs
        for run, content in runs.items():
            if run in found:
                raise InputError(
                    f"two runs are named {run!r}: {places[run]} and {place}; give one of them another "
                    f"run_id, or pass {{name: run}}"
                )
            found[run], places[run] = content, place
    if not answered:
        return judgments, found
    for run, answers in answered.items():
        found[run] = source_of(read_run({topic: {run: 1.0} for topic in answers}, name=run))
    return _with_documents(judgments, answered), found


def run_names(source: Source, name: str, format: str | None = None) -> list[str]:
    """The names of the runs that `with_answers` makes of a source. Pipes are not read for this."""
    if source.waits or not source.are_answers(format):
        return [name]
    return list(_named(_read(source, name), source, name))


def _named(own: Mapping[str, dict[str, Answer]], source: Source, name: str) -> dict[str, dict[str, Answer]]:
    """The answers by the name of their run: its `run_id`, unless a source with one run was given a name."""
    is_default = name == source.name(1) if source.is_file else re.fullmatch(r"run[0-9]*", name) is not None
    if len(own) == 1 and not is_default:
        return {name: next(iter(own.values()))}
    return {run or name: answers for run, answers in own.items()}


def _read(source: Source, name: str) -> dict[str, dict[str, Answer]]:
    if source.is_file:
        with source.thing as file:
            return answers_of(file, file.name)
    return answers_of(source.thing, name)


def _with_documents(judgments: Judgments, answered: Mapping[str, Mapping[str, Answer]]) -> Judgments:
    """The judgments, with the grades of each answer added as a document that has the name of its run."""
    topics, aspects, docs, grades = judgments.table.columns()
    added: list[float] = []
    for run, answers in answered.items():
        for topic, answer in answers.items():
            wanted = judgments.aspects.get(topic)
            if wanted is None:
                continue  # a topic without nuggets, which is noted as one without judgments
            _check(judgments, topic, answer)
            topics += [topic] * len(wanted)
            aspects += wanted
            docs += [run] * len(wanted)
            added += [answer.grades[nugget] for nugget in wanted]
    table = JudgmentTable.from_columns(
        judgments.source,
        topics,
        aspects,
        docs,
        np.concatenate([grades, np.array(added)]),
        *judgments.table.bare_aspects(),
    )
    return replace(judgments, table=table)


def _check(judgments: Judgments, topic: str, answer: Answer) -> None:
    """Refuse an answer whose nuggets differ from the topic's."""
    for nugget in answer.grades:
        if nugget not in judgments.aspects[topic]:
            raise InputError(
                f"{answer.where}: {judgments.source} has no nugget {quoted(nugget)} of topic {topic!r}; "
                f"assign the nuggets of that file, spelled as they are there"
            )
    for nugget in judgments.aspects[topic]:
        if nugget not in answer.grades:
            raise InputError(
                f"{answer.where}: the answer to topic {topic!r} has no assignment of nugget "
                f"{quoted(nugget)}, which {judgments.source} has; add it, perhaps as not_support"
            )
