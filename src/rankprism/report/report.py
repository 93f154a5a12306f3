"""Make a report from judgments and runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from rankprism.data.judgments import Judgments
from rankprism.errors import InputError
from rankprism.evaluation import evaluate, parsed, run_sources
from rankprism.formats import files
from rankprism.formats.documents import DocumentsLike
from rankprism.formats.judgments import read_judgments
from rankprism.report import advice, measures, rankings, systems, topics
from rankprism.report.documents import snippets
from rankprism.types import AspectsLike, JudgmentsLike, MeasuresLike, RunsLike, WeightsLike

#: The significance level, and one minus the confidence of the intervals.
ALPHA = 0.05
#: How long each step takes, as a share of the whole, roughly.
_STEPS = {"read": 0.15, "score": 0.05, "compare": 0.05, "measures": 0.2, "axioms": 0.35, "rankings": 0.2}


def make(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    depth: int = 20,
    documents: DocumentsLike | None = None,
    title: str | None = None,
    seed: int = 0,
    weights: WeightsLike | None = None,
    aspects: AspectsLike | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    topics: str = "judged",
    order: str = "score",
    duplicates: str = "error",
    threads: int | None = None,
    on_share: Callable[[float], None] | None = None,
) -> Report:
    """Evaluate runs and put what can be said of systems, measures, topics and rankings into a report.

    measures : a measure or several. Default: six that suit the judgments, see `default_measures`.
    depth : how many ranks of each ranking the report shows.
    documents : titles and texts of the documents: a JSON Lines file, ``{id: {"title": …, "text": …}}``, or
        ``"irds:NAME"``.
    title : the title of the page.
    seed : for everything that is drawn. The same seed gives the same report.
    on_share : called with the share of the work that is done, while it is done.

    The other parameters are those of `rankprism.evaluate`.
    """
    if depth < 1:
        raise InputError(f"depth must be a whole number ≥ 1; got {depth}")
    tell = _Progress(on_share)
    chosen = None if measures is None else parsed(measures)
    sources = run_sources(runs)
    judged = read_judgments(judgments, weights=weights, aspects=aspects, format=qrels_format)
    chosen = parsed(default_measures(judged)) if chosen is None else chosen

    def read(name: str) -> rankings.Listed:
        listed = rankings.read(judged, sources[name], name, order, duplicates, run_format, depth)
        tell.more("read", 1 / len(sources))
        return listed

    with ThreadPoolExecutor(min(len(sources), threads or os.cpu_count() or 1)) as pool:
        listed = dict(zip(sources, pool.map(read, sources), strict=True))
    aligned = {name: one.aligned for name, one in listed.items()}
    scores = evaluate(
        judged,
        aligned,
        chosen,
        topics=topics,
        order=order,
        duplicates=duplicates,
        on_share=partial(tell, "score"),
    )
    return Report(_data(judged, listed, chosen, scores, depth, documents, title, seed, tell))


def _data(
    judged: Judgments,
    listed: Mapping[str, rankings.Listed],
    chosen: Sequence[Any],
    scores: Any,
    depth: int,
    documents: DocumentsLike | None,
    title: str | None,
    seed: int,
    tell: _Progress,
) -> dict[str, Any]:
    """Everything that the page shows."""
    from rankprism import __version__

    lists = rankings.rankings(judged, listed, chosen, depth, partial(tell, "rankings"))
    shown = {doc for topic in lists["topics"] for doc in topic["docs"]}
    tell("rankings", 1.0)
    texts = snippets(documents, shown)  # before the rest, which takes longer
    compared = systems.compared(scores, ALPHA, seed, partial(tell, "compare"))
    tell("compare", 1.0)
    evidence = measures.evidence(chosen, scores, ALPHA, seed, partial(tell, "measures"))
    tell("measures", 1.0)
    agreement = measures.agreement(scores, evidence, compared)
    verdicts = measures.verdicts(chosen, judged, seed, partial(tell, "axioms"))
    conventions = scores.conventions
    return {
        "rankprism": __version__,
        "title": title or "Ranking evaluation report",
        "judgments": files.run_name(judged.source),
        "runs": list(scores.runs),
        "topics": list(scores.topics),
        "measures": [measures.described(measure, depth) for measure in chosen],
        "scores": topics.per_topic(scores),
        "systems": systems.described(scores, compared, ALPHA),
        "agreement": agreement,
        "axioms": measures.axioms(verdicts),
        "advice": advice.advice(judged, chosen, scores, verdicts, evidence),
        "by topic": topics.difficulty(scores),
        "rankings": lists,
        "documents": texts,
        "conventions": {
            name: conventions[name] for name in ("order", "topics", "duplicates", "aspect weights")
        },
        "notes": [note["message"] for note in conventions["notes"]],
        "seed": seed,
        "start": measures.clearest(agreement),
    }


def default_measures(judged: Judgments) -> tuple[str, ...]:
    """Six measures that suit the judgments.

    Labels on scales get measures of several aspects, a topic's own subtopics get measures of diversity, and a
    single aspect gets ad hoc measures.
    """
    if judged.scales is not None:
        return "CAM(nDCG@20)", "MM(nDCG@20)", "TOMA(nDCG@20)", "nDCG@20", "AP", "P@20"
    if max(map(len, judged.aspects.values()), default=0) > 1:
        return "alpha_nDCG@20", "ERR_IA@20", "RBU@20", "StRecall@20", "nDCG@20", "P@20"
    return "nDCG@20", "AP", "ERR@20", "RBP", "RR", "P@20"


@dataclass(frozen=True, eq=False)
class Report:
    """What `make` returns: the data, and the page that shows them."""

    data: Mapping[str, Any]

    @cached_property
    def html(self) -> str:
        """The page. It needs nothing else, and sends nothing anywhere."""
        from rankprism.report.page import page

        return page(self.data)

    def save(self, path: files.PathLike) -> None:
        """Write the page to a file, which appears whole or not at all."""
        files.write_texts({path: self.html})

    def __repr__(self) -> str:
        runs, topics, measures = (len(self.data[name]) for name in ("runs", "topics", "measures"))
        return f"<Report: {runs} runs, {topics} topics, {measures} measures>"


class _Progress:
    """The share that is done, from the shares of the steps."""

    def __init__(self, on_share: Callable[[float], None] | None) -> None:
        self.on_share = on_share
        self.done = dict.fromkeys(_STEPS, 0.0)

    def __call__(self, step: str, share: float) -> None:
        self.done[step] = share
        if self.on_share is not None:
            self.on_share(sum(_STEPS[name] * share for name, share in self.done.items()))

    def more(self, step: str, share: float) -> None:
        self(step, self.done[step] + share)
