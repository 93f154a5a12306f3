"""`rankprism report`: one HTML file about systems, measures, topics and rankings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.collection import Measured, first_opened, read_collection
from rankprism.cli.completion import complete_file
from rankprism.cli.group import commands
from rankprism.cli.measures import MeasureFiles, MeasureNames, load_measures
from rankprism.cli.options import output_option, working
from rankprism.cli.scores import (
    ONLY_SCORES,
    Lower,
    Mixed,
    QrelsAndRunsOrScores,
    changed,
    holds_scores,
    read_score_files,
)
from rankprism.cli.signature import with_options_of
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.results import Scores
    from rankprism.showing.report import Report

app = commands()


@with_options_of(read_collection)
def read_for_report(
    files: QrelsAndRunsOrScores = None,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    mixed: Mixed = False,
    lower: Lower = None,
    **collection: Any,
) -> Measured | Scores:
    """Judgments and runs, and the measures, which need not be named; or scores."""
    from rankprism.measures import parse_all
    from rankprism.showing.report.page import check_installed

    check_installed()
    named = first_opened(files or [])
    if named and holds_scores(named):
        others = [*changed(collection), *(["measures"] if measures_file else [])]
        return read_score_files(named, measure, others, mixed=mixed, lower=lower).scores
    if mixed:
        raise InputError(ONLY_SCORES)
    load_measures(measures_file)
    measures = [each for text in measure or [] for each in parse_all(text)]
    return Measured(read_collection(files=named, lower=lower, **collection), measures)


def write_page(report: Report, output: Annotated[Path, output_option()] = Path("report.html")) -> None:
    """Write the page of a report."""
    from rankprism.cli.output import write
    from rankprism.showing.report.report import check_name

    check_name(output)
    with working("writing the page"):
        html = report.html
    write(html, output)


@app.command()
@command("showing.report:make", "making the report", reads=read_for_report, writes=write_page)
def report(
    read: Measured | Scores,
    call: Call,
    documents: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Titles and texts of documents: JSON Lines with id, text and perhaps title, url and type; "
            "or irds:ID. Default: only ids are shown.",
            autocompletion=complete_file,
        ),
    ] = None,
    topic_texts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Titles of topics and texts of subtopics: a topic file of TREC; lines of id, title and "
            "description between tabs; JSON Lines (.jsonl); or irds:ID. Default: only ids are shown.",
            autocompletion=complete_file,
        ),
    ] = None,
) -> Any:
    """Write a report: one HTML file that needs nothing else.

    It shows which systems differ, what the measures see and do not see, which topics are hard, and what each
    document of a ranking earned. Without -m it takes measures that suit the judgments. From scores, it shows
    systems, measures and topics.

    \b
    rankprism report qrels.txt runs/*.run -o report.html
    rankprism report qrels.txt runs/*.run -m RBU@20 \\
        --topic-texts topics.xml --documents docs.jsonl
    rankprism report preferences.tsv runs/*.run
    rankprism report scores.csv
    """
    if not isinstance(read, Measured):
        from rankprism.showing.report import of_scores

        if documents is not None:
            raise InputError("--documents goes with judgments and runs; a report of scores has no rankings")
        own = {name: call.keywords[name] for name in ("title", "seed", "on_share")}
        return of_scores(read, topic_texts=topic_texts, **own)
    given, measures = read
    return call(given.collection, measures=measures or None, documents=documents, topic_texts=topic_texts)
