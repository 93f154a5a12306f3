"""`rankprism compare`, `leaderboard`, `gate` and `topic-set-size`: which systems differ, and what follows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rankprism.cli.door import OUTPUT, Option, flag, takes
from rankprism.cli.frame import Call, analysis, check_output
from rankprism.cli.problems import Problems
from rankprism.cli.reading import (
    Scored,
    less,
    load_measures,
    opened,
    read_collection,
    read_measures,
    read_source,
    runs_of,
    split_pairs,
)
from rankprism.cli.shared import (
    BASELINES,
    JUDGMENTS,
    MEASURE,
    MEASURES_FILE,
    MIXED,
    OUTPUT_FILE,
    RESULT_FORMAT,
    SORT,
    as_path,
    files,
)
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.evaluation import Collection
    from rankprism.results import Scores


@analysis(
    "comparison:compare",
    BASELINES,
    flag("--pairs", "Show every pair with its difference, interval, effect size and p.", group=OUTPUT),
    flag(
        "--by-topic",
        "Show on which topics the runs of each pair differ: how many got better and worse, and the largest "
        "gains and losses. CSV and JSON have all topics.",
        group=OUTPUT,
    ),
    Option(
        "--most",
        type=click.IntRange(1),
        default=5,
        help="With --by-topic: the number of gains, and of losses, to show.",
        group=OUTPUT,
    ),
    SORT,
    what="resampling",
)
def compare(
    source: Scored,
    call: Call,
    baseline: list[str] | None,
    pairs: bool,
    by_topic: bool,
    most: int,
    sort: str | None,
) -> Any:
    """Test which systems differ.

    All pairs of runs are compared, or each run with a baseline.

    \b
    rankprism compare qrels.txt runs/*.run -m alpha_nDCG@20
    rankprism compare scores.csv --baseline bm25 --test fisher
    rankprism compare scores.csv --baseline bm25 --margin 0.01
    """
    from rankprism.results.result import Detailed

    if pairs and by_topic:
        raise InputError("--pairs and --by-topic are two tables; ask for one of them")
    # Sorted by the means that the table shows, which are over the topics of all runs.
    scores = source.scores if sort is None else source.scores.complete().sorted(sort)
    found = call(scores, baseline=source.baselines)
    if by_topic:
        return found.by_topic(most)
    # The table of means has verdicts only if there is one baseline.
    has_verdicts = call.keywords["margin"] is not None
    return Detailed(found) if pairs or (has_verdicts and len(found.baselines) != 1) else found


@takes(read_source, opens=True)
def read_earlier(**source: Any) -> Scored | None:
    """Scores of earlier systems, if files are named."""
    found: Scored | None = read_source(**source) if source["files"] else None
    return found


@analysis("comparison:topic_set_size", reads=read_earlier)
def topic_set_size(source: Scored | None, call: Call) -> Any:
    """Find how many topics an experiment needs.

    The variance is estimated from scores of earlier systems, unless you give it.

    \b
    rankprism topic-set-size scores.csv --difference 0.05
    rankprism topic-set-size --variance 0.04 --difference 0.05
    """
    return call(None if source is None else source.scores)


# ── leaderboards ─────────────────────────────────────────────────────────────────────────────────


@takes(
    files(
        "QRELS RUN... | SCORES... | NAME=SCORES...",
        "Judgments and runs, as for evaluate; or files with the scores of each topic; or such a file for "
        "each of several collections, with the name of the collection.",
    ),
    read_source,
    opens=True,
)
def read_collections(files: Sequence[Any] | None = None, **source: Any) -> Scored | dict[str, Scores]:
    """Scores of one collection, or of several by their names."""
    pairs = [os.fspath(file).partition("=") for file in files or []]
    # Judgments of several aspects are NAME=FILE, too, but files of runs follow them.
    if not pairs or not all(
        equals and not os.path.exists(name + equals + path) for name, equals, path in pairs
    ):
        found: Scored = read_source(files=files, **source)
        return found
    by_name: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for name, _, path in pairs:
        other = names.setdefault(os.path.realpath(path), name)
        if other != name:
            raise InputError(
                f"{path}: is named for the collections {other!r} and {name!r}, and its topics would count "
                f"twice; leave one of them out"
            )
        by_name.setdefault(name, []).append(path)
    source["scores"] = True
    return {name: read_source(files=paths, **source).scores for name, paths in by_name.items()}


@analysis("comparison.boards:leaderboard", MIXED, reads=read_collections)
def leaderboard(read: Scored | dict[str, Scores], call: Call, mixed: bool) -> Any:
    """Rank systems, and say which ranks each of them may have.

    All sets of ranks hold together with 95 % confidence. With several measures, each has its own board.

    \b
    rankprism leaderboard qrels.txt runs/*.run -m nDCG@10
    rankprism leaderboard scores.csv -m nDCG@10 --plot board.svg
    rankprism leaderboard nq=nq.csv fiqa=fiqa.csv -m nDCG@10 --combine borda
    """
    return call(read.scores if isinstance(read, Scored) else read, mixed=mixed)


# ── gates ────────────────────────────────────────────────────────────────────────────────────────


class Versions(NamedTuple):
    """A collection with both runs, the baseline first, and the measures that are named."""

    collection: Collection
    measures: list[Any] | None


#: A mean over retrieved topics would let a run pass that retrieves nothing for hard topics.
_read = less(read_collection, "topics", "threads")


@takes(
    files("QRELS BASELINE NEW", f"{JUDGMENTS} Then the run of the last version, and the run of the new one."),
    MEASURE,
    MEASURES_FILE,
    _read,
    opens=True,
)
def read_versions(
    files: Sequence[Any] | None = None,
    measure: list[str] | None = None,
    measures_file: list[Path] | None = None,
    **collection: Any,
) -> Versions:
    """Judgments and two runs."""
    from rankprism.comparison.boards.gate import versions

    with Problems() as found:
        with found.noted():
            load_measures(measures_file)
            measures = read_measures(measure) if measure else None  # a policy may name them
        named = opened(files or [], found)
        _, runs = split_pairs(named)
        if len(runs) != 2:
            raise InputError(
                "name the judgments, the run of the last version and the run of the new one, e.g. qrels.txt "
                f"main/bm25.run bm25.run; got {len(runs)} run{'' if len(runs) == 1 else 's'}"
            )
        with found.noted():
            read = read_collection(files=[*named[:-2], runs[1]], **collection)
    baseline = runs_of([runs[0]])
    for path, one in ((runs[0], baseline), (runs[1], read.runs)):
        if len(one) != 1:
            raise InputError(f"{path}: holds {len(one)} runs; a gate compares one run with another")
    return Versions(read.collection.with_runs(versions(baseline[0], read.runs[0])), measures)


def _also(name: str, help: str) -> Option:
    return Option(name, type=as_path, metavar="FILE", completes="complete_file", help=help, group=OUTPUT)


@takes(
    _also("--junit", "Also write the verdicts as JUnit XML."),
    _also(
        "--comment",
        "Also write a comment for a pull request in Markdown, with the topics that lost most and why.",
    ),
    _also("--annotations", "Also write annotations for GitHub. - writes them to standard output."),
    RESULT_FORMAT,
    OUTPUT_FILE,
)
def write_for_builds(
    result: Any,
    junit: Path | None = None,
    comment: Path | None = None,
    annotations: Path | None = None,
    format: str | None = None,
    output: Path | None = None,
) -> None:
    """Write the verdicts in the formats that build servers read."""
    from rankprism.formats import write_texts

    streamed = [path for path in (junit, comment, annotations) if path is not None and str(path) == "-"]
    if str(output or "-") == "-" and check_output(format, output) != "table":
        streamed.append(Path("-"))
    if len(streamed) > 1:
        raise InputError("only one of the outputs can go to standard output; name files for the others")
    made = ((junit, result.to_junit), (comment, result.to_comment), (annotations, result.to_annotations))
    write_texts({path: text() for path, text in made if path is not None})


@analysis(
    "comparison.boards:gate",
    reads=read_versions,
    finish=write_for_builds,
    exits=lambda found: int(found.exit_code),
)
def gate(read: Versions, call: Call) -> Any:
    """Test whether a new run is worse than a baseline.

    The exit code is 0 if it passed, 3 if it failed, and 4 if the gate cannot tell. 1 and 2 are those of
    errors.

    \b
    rankprism gate qrels.txt main/a.run new/a.run -m nDCG@10 --margin 0.01
    rankprism gate qrels.txt main/a.run new/a.run --policy gate.toml
    """
    return call(read.collection, measures=read.measures)
