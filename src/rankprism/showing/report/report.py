"""Make a report from judgments and runs.

What a document earned is the difference of two scores, so it can be computed for every measure
(`measures/contributions.py`). If the measure is a sum, the factors of its terms give the difference
faster and explain it (`measures/terms.py`), and a test compares both for all measures.

`report.make` calls `evaluate`, `compare`, the functions of `meta`, `examine` and `Measure.explain`, and
turns what they return into plain values. Each module makes one part of the page. The page is a Jinja2
template with one style sheet, one script and these values as JSON. The scripts are ES modules in
`report/assets/`; `report/page.py` puts them into one script, each in a function of its own. They make
elements and set their text, and never read markup. To keep the file small, each id occurs once, and lists
refer to documents by number. What documents earned is the product or the sum of its parts, which the page
computes. Each part is written once for what it depends on (`report/amounts.py`): a discount for the rank,
a scale for the topic, a gain for the document. Only what depends on the whole list, such as novelty, is
written for each list.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Unpack

from rankprism.data import Judgments, Preferences
from rankprism.errors import InputError, check_whole
from rankprism.evaluation import Collection, collected, evaluate
from rankprism.formats import DocumentsLike, Topic, TopicsLike, files, output_files, read_scores, read_topics
from rankprism.measures import Measure, parse_all
from rankprism.meta import advice
from rankprism.results import Scores
from rankprism.showing.report import board, measures, systems, topics
from rankprism.showing.report.documents import shown_documents
from rankprism.showing.report.judged import Judged
from rankprism.showing.report.rankings import Listed, rankings
from rankprism.statistics import for_each_in_order
from rankprism.types import (
    CollectionOptions,
    JudgmentsLike,
    MeasuresLike,
    Natural,
    Positive,
    PreferencesLike,
    RunsLike,
    ScoresLike,
)

#: The significance level, and one minus the confidence of the intervals.
ALPHA = 0.05
#: Endings of files that no page of HTML should have.
OTHER_ENDINGS = frozenset(
    (
        ".pdf",
        ".docx",
        ".doc",
        ".odt",
        ".xlsx",
        ".xls",
        ".ods",
        ".pptx",
        ".csv",
        ".tsv",
        ".json",
        ".jsonl",
        ".parquet",
        ".png",
        ".svg",
        ".md",
        ".tex",
    )
)
TITLE = "Ranking evaluation report"
#: Roughly, the share of the time that each step takes.
_STEPS = {"read": 0.15, "score": 0.05, "compare": 0.05, "measures": 0.2, "axioms": 0.35, "rankings": 0.2}


def make(
    judgments: JudgmentsLike | PreferencesLike | Collection,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    depth: Positive = 20,
    documents: DocumentsLike | None = None,
    topic_texts: TopicsLike | None = None,
    title: str | None = None,
    seed: Natural = 0,
    on_share: Callable[[float], None] | None = None,
    **options: Unpack[CollectionOptions],
) -> Report:
    """Evaluate runs, and make a report on the systems, measures, topics and rankings.

    Parameters
    ----------
    judgments, runs, **options
        As for `rankprism.evaluate`. If there are only preferences, they may be given as `judgments`.
    measures
        One or more measures. Default: up to six that suit the judgments, see `default_measures`.
    depth
        Number of ranks of each ranking to show.
    documents
        Titles and texts of the documents: a JSON Lines file, ``{id: {"title": …, "text": …}}``, or
        ``"irds:NAME"``.
    topic_texts
        Titles, descriptions and subtopics of the topics: a topic file of TREC (.xml, or text with
        ``<top>``), lines of ``id<TAB>title<TAB>description``, JSON Lines (.jsonl), ``{id: title}``, or
        ``"irds:NAME"``.
    title
        Title of the report.
    seed
        Seed for the random numbers. The same seed gives the same result.
    on_share
        Called repeatedly with the share of the work done so far.
    """
    check_whole("depth", depth, 1)
    tell = _Progress(on_share)
    chosen = None if measures is None else parse_all(measures)
    collection = collected(judgments, runs, **options)
    texts = {} if topic_texts is None else read_topics(topic_texts)
    judged = Judged(collection)
    chosen = parse_all(default_measures(judged.absolute, judged.preferences)) if chosen is None else chosen

    def read(name: str) -> Listed:
        listed = Listed.of(collection, judged, name, depth)
        tell.more("read", 1 / len(collection.runs))
        return listed

    threads = collection.options.threads
    listed = dict(zip(collection.runs, for_each_in_order(read, collection.runs, threads), strict=True))
    # If there is one kind of judgments, the run is already aligned and need not be read again.
    found = {name: one.run or next(iter(one.aligned.values())) for name, one in listed.items()}
    scores = evaluate(collection.with_runs(found), measures=chosen, on_share=partial(tell, "score"))
    return Report(_data(judged, listed, chosen, scores, depth, documents, texts, title, seed, tell))


def _data(
    judged: Judged,
    listed: Mapping[str, Listed],
    chosen: Sequence[Measure],
    scores: Any,
    depth: int,
    documents: DocumentsLike | None,
    texts: Mapping[str, Topic],
    title: str | None,
    seed: int,
    tell: _Progress,
) -> dict[str, Any]:
    """Everything that the page shows."""
    lists = rankings(judged, listed, chosen, scores.topics, depth, partial(tell, "rankings"))
    tell("rankings", 1.0)
    # Before the rest, which takes longer.
    told = topics.described(scores.topics, lists["topics"], texts)
    about, passages = shown_documents(documents, lists["topics"], [topic["words"] for topic in told])
    told_by, evidence = _of_scores(scores, seed, tell)
    verdicts = measures.verdicts(chosen, judged.absolute, partial(tell, "axioms"))
    conventions = scores.conventions
    return told_by | {
        "title": title or TITLE,
        "judgments": " and ".join(
            files.run_name(name) for one in judged.kinds.values() for name in one.files or (one.source,)
        ),
        "topic texts": told,
        "measures": [measures.directed(measures.described(measure), scores) for measure in chosen],
        "axioms": measures.axioms(verdicts),
        "advice": measures.advised(judged.absolute, chosen, scores, verdicts, evidence),
        "rankings": lists,
        "documents": about,
        "passages": passages,
        "conventions": {
            name: conventions[name]
            for name in ("order", "topics", "duplicates", "aspect weights")
            if name in conventions
        },
    }


def of_scores(
    scores: ScoresLike,
    *,
    topic_texts: TopicsLike | None = None,
    title: str | None = None,
    seed: Natural = 0,
    on_share: Callable[[float], None] | None = None,
) -> Report:
    """Make a report on systems, measures and topics from scores alone.

    It has no rankings, axioms and advice, because these need judgments and runs.

    Parameters
    ----------
    scores
        What `evaluate` returns, the `.scores` of `judges.score`, or whatever `read_scores` takes.
    topic_texts, title, seed, on_share
        As for `make`.

    Examples
    --------
    >>> from rankprism import evaluate, report, sample
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    >>> report.of_scores(scores)
    <Report: 6 runs, 20 topics, 2 measures>
    """
    found = read_scores(scores)
    texts = {} if topic_texts is None else read_topics(topic_texts)
    told_by, _ = _of_scores(found, seed, _Progress(on_share))
    none: dict[str, Any] = dict.fromkeys(("judgments", "axioms", "advice", "rankings"))
    return Report(
        told_by
        | none
        | {
            "title": title or TITLE,
            "topic texts": topics.described(found.topics, [{"aspects": []}] * len(found.topics), texts),
            "measures": [measures.directed(measures.named(name), found) for name in found.measures],
            "documents": {},
            "passages": [],
            "conventions": {},
        }
    )


def _of_scores(scores: Scores, seed: int, tell: _Progress) -> tuple[dict[str, Any], advice.Evidence]:
    """The parts of a report that are made from scores alone, and what the scores tell about the measures."""
    from rankprism import __version__

    compared = systems.compared(scores, ALPHA, seed, partial(tell, "compare"))
    tell("compare", 1.0)
    evidence = measures.evidence(scores, ALPHA, seed, partial(tell, "measures"))
    tell("measures", 1.0)
    agreement = measures.agreement(scores, evidence, compared)
    notes = scores.conventions.get("notes", ())
    first_screen = board.described(scores, board.ranked(scores, ALPHA), compared, notes)
    doubtful = [r for r, found in enumerate(first_screen["badges"]) if found]
    return {
        "rankprism": __version__,
        "runs": list(scores.runs),
        "topics": list(scores.topics),
        "scores": topics.per_topic(scores),
        "board": first_screen,
        "systems": systems.described(scores, compared, ALPHA),
        "agreement": agreement,
        "by topic": topics.difficulty(scores),
        "notes": [board.sentence(note["message"]) for note in notes],
        "seed": seed,
        "start": measures.clearest(agreement, doubtful),
    }, evidence


def default_measures(judged: Judgments | None, preferences: Preferences | None = None) -> tuple[str, ...]:
    """Choose measures that suit the judgments.

    If all topics share several aspects: CAM, MM, TOMA and the nDCG of the first three aspects. If topics have
    subtopics: measures of diversity. If there is a single aspect: ad hoc measures. Preferences beside grades
    add nPrf. For preferences alone, there are four measures.
    """
    if judged is None:
        return "nPrf@20", "nPrf(browsing='dcg')@20", "ppref@20", "wpref@20"
    more = () if preferences is None else ("nPrf@20",)
    if judged.shared_aspects:
        names = [name for name in judged.shared_aspects if "'" not in name]  # no measure can spell a '
        each = (f"Aspect(nDCG@20,aspect='{name}')" for name in names[:3])
        return "CAM(nDCG@20)", "MM(nDCG@20)", "TOMA(nDCG@20)", *each, *more
    if max(map(len, judged.aspects.values()), default=0) > 1:
        return "alpha_nDCG@20", "ERR_IA@20", "RBU@20", "StRecall@20", "nDCG@20", "P@20", *more
    return "nDCG@20", "AP", "ERR@20", "RBP", "RR", "P@20", *more


@dataclass(frozen=True, eq=False)
class Report:
    """The result of `make`: the data, and the page that shows them."""

    data: Mapping[str, Any]

    @cached_property
    def html(self) -> str:
        """The page, which needs no other file and makes no requests."""
        from rankprism.showing.report.page import page

        return page(self.data)

    def save(self, path: files.PathLike) -> None:
        """Write the page to a file, completely or not at all."""
        check_name(path)
        output_files.write_texts({path: self.html})

    def __repr__(self) -> str:
        runs, topics, measures = (len(self.data[name]) for name in ("runs", "topics", "measures"))
        return f"<Report: {runs} runs, {topics} topics, {measures} measures>"


def check_name(path: files.PathLike) -> None:
    """Refuse a file whose ending promises something else than a page."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending in OTHER_ENDINGS:
        raise InputError(
            f"{os.fspath(path)}: a report is a page of HTML, not a file that ends in {ending}; name it "
            f"report.html, and print the page to make a PDF of it"
        )


class _Progress:
    """Computes the share of the work that is done from the shares of the steps."""

    def __init__(self, on_share: Callable[[float], None] | None) -> None:
        self.on_share = on_share
        self.done = dict.fromkeys(_STEPS, 0.0)

    def __call__(self, step: str, share: float) -> None:
        self.done[step] = share
        if self.on_share is not None:
            self.on_share(sum(_STEPS[name] * share for name, share in self.done.items()))

    def more(self, step: str, share: float) -> None:
        self(step, self.done[step] + share)
