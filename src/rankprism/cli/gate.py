"""`rankprism gate`: whether a new run is worse than a baseline, for builds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rankprism.cli.analysis import Call, check_output, command
from rankprism.cli.collection import first_opened, read_collection, runs_of
from rankprism.cli.completion import complete_file
from rankprism.cli.group import commands
from rankprism.cli.judgments import JUDGMENTS, split_pairs
from rankprism.cli.measures import MeasureFiles, MeasureNames, load_measures, read_measures
from rankprism.cli.options import OutputFile, ResultFormatOption
from rankprism.cli.signature import with_less, with_options_of
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.evaluation import Collection

app = commands()

QrelsBaselineNew = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS BASELINE NEW",
        help=f"{JUDGMENTS} Then the run of the last version, and the run of the new one.",
        autocompletion=complete_file,
    ),
]


class Versions(NamedTuple):
    """A collection with both runs, the baseline first, and the measures that are named."""

    collection: Collection
    measures: list[Any] | None


#: A mean over retrieved topics would let a run pass that retrieves nothing for hard topics.
_read = with_less(read_collection, "topics", "threads")


@with_options_of(_read)
def read_versions(
    files: QrelsBaselineNew = None,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    **collection: Any,
) -> Versions:
    """Judgments and two runs."""
    load_measures(measures_file)
    measures = read_measures(measure) if measure else None  # a policy may name them
    named = first_opened(files or [])
    _, runs = split_pairs(named)
    if len(runs) != 2:
        raise InputError(
            "name the judgments, the run of the last version and the run of the new one, e.g. qrels.txt "
            f"main/bm25.run bm25.run; got {len(runs)} run{'' if len(runs) == 1 else 's'}"
        )
    from rankprism.comparison.boards.gate import versions

    read = read_collection(files=[*named[:-2], runs[1]], **collection)
    baseline = runs_of([runs[0]])
    for path, found in ((runs[0], baseline), (runs[1], read.runs)):
        if len(found) != 1:
            raise InputError(f"{path}: holds {len(found)} runs; a gate compares one run with another")
    return Versions(read.collection.with_runs(versions(baseline[0], read.runs[0])), measures)


def write_for_builds(
    result: Any,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the verdicts as JUnit XML.")
    ] = None,
    comment: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a comment for a pull request in Markdown, with the topics that lost most and "
            "why.",
        ),
    ] = None,
    annotations: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write annotations for GitHub. - writes them to standard output."
        ),
    ] = None,
    format: ResultFormatOption = None,
    output: OutputFile = None,
) -> None:
    """Write what build servers read."""
    from rankprism.formats import write_texts

    streamed = [path for path in (junit, comment, annotations) if path is not None and str(path) == "-"]
    if str(output or "-") == "-" and check_output(format, output) != "table":
        streamed.append(Path("-"))
    if len(streamed) > 1:
        raise InputError("only one of the outputs can go to standard output; name files for the others")
    made = ((junit, result.to_junit), (comment, result.to_comment), (annotations, result.to_annotations))
    write_texts({path: text() for path, text in made if path is not None})


@app.command()
@command(
    "comparison.boards:gate",
    reads=read_versions,
    finish=write_for_builds,
    exits=lambda found: found.exit_code,
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
