"""`rankprism evaluate`: from judgments and runs to scores."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import typer

from rankprism.cli import events
from rankprism.cli.analysis import write_result
from rankprism.cli.collection import Baseline, QrelsAndRuns, begins_to_read, read_collection
from rankprism.cli.group import commands
from rankprism.cli.measures import MeasureFiles, MeasureNames, read_measures
from rankprism.cli.options import ScoreFormatOption, Sort, Strict, leaving_out, noted, working
from rankprism.cli.signature import given_to, parameters_of, with_options_of, without
from rankprism.errors import InputError
from rankprism.types import Group

app = commands()


@app.command()
@with_options_of(read_collection, parameters_of("evaluation:evaluate"), write_result)
@begins_to_read
def evaluate(
    files: QrelsAndRuns,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    per_topic: Annotated[
        bool,
        typer.Option(
            "--per-topic",
            help="Print the scores of every topic, not only the means. In trec_eval this is -q, which means "
            "--quiet here.",
        ),
    ] = False,
    intervals: Annotated[
        bool,
        typer.Option(
            "--intervals",
            help="Also print the 95 % confidence interval of each mean, by Student's t over topics.",
        ),
    ] = False,
    by: Annotated[
        Group | None,
        typer.Option(
            help="Score by the preferences of each assessor, or of each profile, which is the part before "
            "the last / of an assessor's name. Default: by all of them together."
        ),
    ] = None,
    baseline: Baseline = None,
    risk_alpha: Annotated[
        float,
        typer.Option(
            min=0,
            help="Parameter alpha of U_RISK, for --baseline: a loss against the baseline counts 1 + alpha "
            "times as much as a win.",
        ),
    ] = 1.0,
    wide: Annotated[
        bool | None,
        typer.Option(
            "--wide/--long",
            help="Print one column for each measure (wide), or one row for each score (long). Default: wide "
            "in formats that people read (table, latex, markdown, html), and long in the others.",
        ),
    ] = None,
    sort: Sort = None,
    into: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Score into this folder, a Parquet file for each run, and score only runs that are new or "
            "changed.",
        ),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going",
            help="Leave out runs that cannot be read. They are named at the end, and the exit code is 2.",
        ),
    ] = False,
    log: Annotated[
        Literal["json"] | None,
        typer.Option(
            help="Print progress, notes and errors as one JSON line each, on standard error. The environment "
            "variable RANKPRISM_LOG=json does the same."
        ),
    ] = None,
    format: ScoreFormatOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Do not print notes. JSON output still has them.")
    ] = False,
    short: Annotated[
        bool,
        typer.Option("-q", help="Short for --quiet. It is not -q of trec_eval, which is --per-topic here."),
    ] = False,
    strict: Strict = False,
    **others: Any,
) -> None:
    """Score runs with measures.

    Answers with nuggets are scored with NuggetAll, NuggetVital and NuggetWeighted if no measure is named.

    \b
    rankprism evaluate qrels.txt runs/*.run -m alpha_nDCG@20 -m ERR_IA@20
    rankprism evaluate qrels.txt runs/*.run -m P@10 --per-topic -o scores.csv
    rankprism evaluate prefs.tsv runs/*.run -m nPrf@20 --by assessor
    rankprism evaluate nuggets.jsonl answers.jsonl
    """
    from rankprism.cli.output import write_in
    from rankprism.evaluation.parts import OF_ANSWERS
    from rankprism.results import OUTPUTS, Style, check_style, output_format

    events.begin("evaluate", log)
    collection, written = given_to(read_collection, others), given_to(write_result, others)
    scoring = without(others, *collection, *written)
    output = written.pop("output")
    # Our modules are loaded, and looking through them for garbage when the process ends takes a tenth of its
    # time. What is frozen is never freed, nor is anything that it holds. So only modules may be frozen:
    # judgments are read later, and a user's file of measures may load and register whatever it wants.
    if not measures_file:
        gc.freeze()
    if not measure:
        files, are_answers = _examined(files or [])
        measure = list(OF_ANSWERS) if are_answers else measure
    measures = read_measures(measure, measures_file)  # before anything is read
    kind, style = output_format(output, format, scores=True), Style(**written)
    check_style(kind, style)
    if wide and kind == "trec":
        raise InputError("trec_eval prints one line for each score; leave out --wide, or --format trec")
    unfit = {
        "--by": by,
        "--bounds": scoring["bounds"],
        "--tied": scoring["tied"],
        "--per-topic": per_topic,
        "--intervals": intervals,
        "--baseline": baseline,
        "--sort": sort,
        "--wide and --long": wide is not None,
    }
    if by is not None:
        kind = output_format(output, format)  # trec_eval knows no assessors
        _refuse_beside("--by", without(unfit, "--by") | {"--keep-going": keep_going})
    if into is not None:
        kind = output_format(output, format)
        _refuse_beside("--into", unfit | {"--strict": strict})
    if intervals and scoring["bounds"] and OUTPUTS[kind].for_people:
        raise InputError("--bounds and --intervals are both printed in brackets; leave one of them out")
    with leaving_out(keep_going) as on_error:
        with noted(quiet or short, strict), working("reading judgments"):
            read = read_collection(files=files, baseline=baseline, on_error=on_error, **collection)
            if into is not None:
                stored = read.evaluate_into(into, measures, on_error=on_error)
            elif by is not None:
                from rankprism.judging.preferences import evaluate_by

                groups = evaluate_by(read.preferred, list(read.runs), measures, by=by, **read.settings)
            else:
                scores = read.evaluate(measures, on_error=on_error, **scoring)
                if intervals and strict:  # before anything is written
                    from rankprism.statistics import enough

                    enough("a mean", len(scores.topics))
        if into is not None or by is not None:
            write_in(groups if into is None else stored, kind, output, style)
            return
        if read.baseline is not None:
            scores = scores.risk(read.baseline, risk_alpha)
        if sort is not None:
            scores = scores.sorted(sort)
        # In rows for programs, the mean of a run must not be taken for one of its topics.
        means = intervals or not per_topic or kind == "trec" or OUTPUTS[kind].for_people
        with noted(quiet or short):
            table = scores.table(per_topic=per_topic, means=means, wide=wide, intervals=intervals)
            write_in(table, kind, output, style)
        if short and len(scores.runs) == 1 and not per_topic:
            said = "-q left out the notes, as --quiet does; for the scores of each topic, write --per-topic"
            if events.wanted():
                events.tell_note(said)
            else:
                print(f"note: {said}", file=sys.stderr)


def _refuse_beside(option: str, others: Mapping[str, object]) -> None:
    """Refuse options that cannot be used together with another one."""
    for other, value in others.items():
        if value:
            raise InputError(f"{other} cannot be used with {option}; leave one of them out")


def _examined(named: Sequence[Any]) -> tuple[list[Any], bool]:
    """The files, and whether all runs are answers with nuggets, for which there are official measures."""
    from rankprism.formats import source_of

    runs = list(map(source_of, named[1:]))
    return [*named[:1], *(run.thing for run in runs)], bool(runs) and all(run.are_answers() for run in runs)
