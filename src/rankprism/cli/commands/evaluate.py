"""`rankprism evaluate`, `explain` and `scores`: from judgments and runs to scores."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from rankprism.cli import events
from rankprism.cli.derived import CONFIDENCE, option_of
from rankprism.cli.door import INPUT, NOTES, OUTPUT, SCORED, Argument, Option, Words, flag
from rankprism.cli.frame import Call, analysis, command
from rankprism.cli.problems import Problems
from rankprism.cli.progress import evaluating, leaving_out, noted, working
from rankprism.cli.reading import Measured, Read, read_collection, read_measured, read_measures
from rankprism.cli.shared import (
    BASELINE,
    LONG_QUIET,
    MEASURE,
    MEASURES_FILE,
    OUTPUT_FILE,
    QRELS_AND_RUNS,
    SCORE_FORMAT,
    SORT,
    STRICT,
    STYLE,
    files,
    tied_option,
)
from rankprism.errors import InputError
from rankprism.types import Group

if TYPE_CHECKING:
    from rankprism.evaluation.score_folder import FolderCheck

#: What --by and --into exclude, because they score in another way.
_EXCLUDED = {
    "--by": (
        "--bounds",
        "--tied",
        "--per-topic",
        "--intervals",
        "--baseline",
        "--sort",
        "--wide and --long",
        "--keep-going",
    ),
    "--into": (
        "--by",
        "--bounds",
        "--tied",
        "--per-topic",
        "--intervals",
        "--baseline",
        "--sort",
        "--wide and --long",
        "--strict",
    ),
}
_BY = Option(
    "--by",
    type=Words(*Group.__args__),  # type: ignore[attr-defined]
    help="Score by the preferences of each assessor, or of each profile, which is the part before the last / "
    "of an assessor's name. Default: by all of them together.",
    group=SCORED,
)
_RISK = Option(
    "--risk-alpha",
    type=click.FloatRange(0),
    default=1.0,
    help="Parameter alpha of U_RISK, for --baseline: a loss against the baseline counts 1 + alpha times as "
    "much as a win.",
    group=SCORED,
)
_PER_TOPIC = flag(
    "--per-topic",
    "Print the scores of every topic, not only the means. In trec_eval this is -q, which means --quiet here.",
    group=OUTPUT,
)
_INTERVALS = Option(
    "--intervals",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="[NUMBER]",
    bare=CONFIDENCE,
    help="Also print the confidence interval of each mean, by Student's t over topics. NUMBER is the "
    f"confidence. Default of NUMBER: {CONFIDENCE}.",
    group=OUTPUT,
)
_WIDE = Option(
    "--wide/--long",
    default=None,
    help="Print one column for each measure (wide), or one row for each score (long). Default: wide in "
    "formats that people read (table, latex, markdown, html), and long in the others.",
    group=OUTPUT,
)
_INTO = Option(
    "--into",
    metavar="FOLDER",
    completes="complete_file",
    help="Score into this folder, a Parquet file for each run, and score only runs that are new or changed.",
    group=OUTPUT,
)
_KEEP_GOING = flag(
    "--keep-going",
    "Leave out runs that cannot be read. They are named at the end, and the exit code is 2.",
    group=NOTES,
)
_LOG = Option(
    "--log",
    type=Words("json"),
    help="Print progress, notes and errors as one JSON line each, on standard error. The environment "
    "variable RANKPRISM_LOG=json does the same.",
    group=NOTES,
)
_SHORT = flag(
    "-q", "Short for --quiet. It is not -q of trec_eval, which is --per-topic here.", group=NOTES
).but(name="short")


def _bounds_option() -> list[Option]:
    return [option_of("evaluation:evaluate", "bounds", group=SCORED)]


def _check(given: dict[str, Any]) -> None:
    """Open what is named, to see what is wrong with a call beside its options."""
    with Problems() as found:
        named, measures = _measured(given)
        with found.noted():
            read_collection(**read_collection.of(given) | {"files": named})
        with found.noted():
            read_measures(measures, given["measures_file"])


@command(
    QRELS_AND_RUNS.but(required=True),
    MEASURE,
    MEASURES_FILE,
    _BY,
    BASELINE,
    _RISK,
    _bounds_option,
    read_collection,
    tied_option,
    OUTPUT_FILE,
    SCORE_FORMAT,
    _PER_TOPIC,
    _INTERVALS,
    _WIDE,
    SORT,
    *STYLE,
    _INTO,
    LONG_QUIET,
    _SHORT,
    STRICT,
    _KEEP_GOING,
    _LOG,
    check=_check,
)
def evaluate(**given: Any) -> int:
    """Score runs with measures.

    Answers with nuggets are scored with NuggetAll, NuggetVital and NuggetWeighted if no measure is named.

    \b
    rankprism evaluate qrels.txt runs/*.run -m alpha_nDCG@20 -m ERR_IA@20
    rankprism evaluate qrels.txt runs/*.run -m P@10 --per-topic -o scores.csv
    rankprism evaluate prefs.tsv runs/*.run -m nPrf@20 --by assessor
    rankprism evaluate nuggets.jsonl answers.jsonl
    """
    events.begin("evaluate", given["log"])
    # Our modules are loaded, and looking through them for garbage when the process ends takes a tenth of its
    # time. What is frozen is never freed, nor is anything that it holds. So only modules may be frozen:
    # judgments are read later, and a user's file of measures may load and register whatever it wants.
    if not given["measures_file"]:
        gc.freeze()
    kind, style = _output(given)
    with leaving_out(given["keep_going"]) as on_error:
        quiet = given["quiet"] or given["short"]
        with noted(quiet, given["strict"]), working("reading judgments"), Problems() as found:
            named, measure = _measured(given)
            with found.noted():
                how = read_collection.of(given) | {"files": named, "on_error": on_error}
                read = read_collection(**how, baseline=given["baseline"])
            begun = _read_ahead(read, given) if not found.errors else nullcontext()
            with begun:
                with found.noted():
                    measures = read_measures(measure, given["measures_file"])
                found.raised()
                result = _scored(read, measures, given, on_error)
        _write(result, read, kind, style, given)
    return 0


def _measured(given: dict[str, Any]) -> tuple[Sequence[Any], Sequence[str] | None]:
    """The files and the measures. If all runs are answers with nuggets, there are official measures."""
    named, measure = given["files"], given["measure"]
    if measure:
        return named, measure
    from rankprism.evaluation.parts import OF_ANSWERS
    from rankprism.formats import source_of

    runs = list(map(source_of, named[1:]))
    are_answers = bool(runs) and all(os.path.exists(run.thing) and run.are_answers() for run in runs)
    return [*named[:1], *(run.thing for run in runs)], OF_ANSWERS if are_answers else None


def _output(given: dict[str, Any]) -> tuple[str, Any]:
    """The format and the look of the output. What does not go together is refused before any work is done."""
    from rankprism.results import OUTPUTS, Style, check_style, output_format

    # trec_eval knows no assessors, and a folder is no output of scores.
    of_scores = given["by"] is None and given["into"] is None
    kind = output_format(given["output"], given["format"], scores=True)
    style = Style(given["digits"], given["caption"], given["label"], given["page_columns"])
    check_style(kind, style)
    if given["wide"] and kind == "trec":
        raise InputError("trec_eval prints one line for each score; leave out --wide, or --format trec")
    if not of_scores:
        kind = output_format(given["output"], given["format"])
    is_given = {
        "--by": given["by"] is not None,
        "--into": given["into"] is not None,
        "--wide and --long": given["wide"] is not None,
        **{
            f"--{name.replace('_', '-')}": bool(value) for name, value in given.items() if name not in _WORDED
        },
    }
    for option, others in _EXCLUDED.items():
        for other in others:
            if is_given[option] and is_given[other]:
                raise InputError(f"{other} cannot be used with {option}; leave one of them out")
    if given["intervals"] and given["bounds"] and OUTPUTS[kind].for_people:
        raise InputError("--bounds and --intervals are both printed in brackets; leave one of them out")
    return kind, style


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


#: Options that are given even if their value is false.
_WORDED = ("by", "into", "wide")


def _read_ahead(read: Read, given: dict[str, Any]) -> Any:
    """A block in which large files are read while numpy is loaded."""
    if given["by"] is not None or given["into"] is not None:
        return nullcontext()
    from dataclasses import replace

    reading = read.collection.reading._replace(ties=given["tied"] is not None)
    return replace(read.collection, reading=reading).read_ahead()


def _scored(read: Read, measures: list[Any], given: dict[str, Any], on_error: Any) -> Any:
    """The scores, or what --by or --into asks for instead."""
    if given["into"] is not None:
        from rankprism.evaluation.score_folder import evaluate_into

        with evaluating(len(read.runs)) as (on_run, on_share):
            told: dict[str, Any] = {"on_run": on_run, "on_share": on_share, "on_error": on_error}
            return evaluate_into(given["into"], read.collection, measures=measures, **told)
    if given["by"] is not None:
        from rankprism.judging.preferences import evaluate_by

        return evaluate_by(read.collection, measures=measures, by=given["by"])
    scores = read.evaluate(measures, on_error=on_error, tied=given["tied"], bounds=given["bounds"])
    if given["intervals"] and given["strict"]:  # before anything is written
        from rankprism.statistics import enough

        enough("a mean", len(scores.topics))
    return scores


def _write(result: Any, read: Read, kind: str, style: Any, given: dict[str, Any]) -> None:
    from rankprism.cli.output import write_in
    from rankprism.results import OUTPUTS

    output, per_topic, intervals = given["output"], given["per_topic"], given["intervals"]
    if given["into"] is not None or given["by"] is not None:
        write_in(result, kind, output, style)
        return
    if read.baseline is not None:
        result = result.risk(read.baseline, given["risk_alpha"])
    if given["sort"] is not None:
        result = result.sorted(given["sort"])
    # In rows for programs, the mean of a run must not be taken for one of its topics.
    means = bool(intervals) or not per_topic or kind == "trec" or OUTPUTS[kind].for_people
    with noted(given["quiet"] or given["short"]):
        table = result.table(
            per_topic=per_topic, means=means, wide=given["wide"], intervals=intervals or False
        )
        write_in(table, kind, output, style)
    if given["short"] and len(result.runs) == 1 and not per_topic:
        said = "-q left out the notes, as --quiet does; for the scores of each topic, write --per-topic"
        if events.wanted():
            events.tell_note(said)
        else:
            print(f"note: {said}", file=sys.stderr)


@analysis(
    "evaluation.explanation:explain",
    Option("--topic", metavar="TOPIC", required=True, help="The topic to look at.", group=SCORED),
    reads=read_measured,
)
def explain(read: Measured, call: Call, topic: str) -> Any:
    """Show what each document of a ranking earned, and why.

    \b
    rankprism explain qrels.txt runs/a.run -m alpha_nDCG@10 --topic 157
    rankprism explain qrels.txt a.run b.run -m RBU@10 -m nDCG@10 --topic 157
    rankprism explain preferences.tsv a.run -m nPrf@10 --topic 157
    """
    return call(read.collection.collection, measures=read.measures, topic=topic)


#: The exit code if files of a folder are damaged or out of date and were not moved.
_STALE = 3


def _exit_code(found: FolderCheck) -> int:
    return 0 if found.is_sound else _STALE


@analysis(
    "evaluation.score_folder:check_score_folder",
    Argument("folder", "FOLDER", "A folder of evaluate --into.", "complete_file"),
    files(
        "[RUN]...",
        "The runs that are still in use. Scores of others are out of date. Default: all are in use.",
    ).but(name="runs"),
    flag(
        "--prune",
        "Move files that are damaged or out of date to a folder beside FOLDER, whose name ends in -stale.",
        group=INPUT,
    ),
    what="reading",
    reads=None,
    exits=_exit_code,
)
def scores(call: Call, folder: str, runs: list[str] | None, prune: bool) -> FolderCheck:
    """Check the files in a folder of scores, and list those that are damaged or out of date.

    Scores are out of date if they were computed from other judgments, with other settings or by another
    definition of a measure than the newest scores in the folder. The exit code is then 3.

    \b
    rankprism scores scores
    rankprism scores scores runs/*.run --prune
    """
    found: FolderCheck = call(folder, runs, prune=prune)
    return found
