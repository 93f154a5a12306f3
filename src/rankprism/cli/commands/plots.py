"""`rankprism plot` draws scores, and `rankprism report` writes one HTML file about all that can be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankprism.cli import shared
from rankprism.cli.derived import options_of, read_signature
from rankprism.cli.door import INPUT, OUTPUT, SCORED, Command, Group, Option, Words, named, takes
from rankprism.cli.frame import Call, Drawn, analysis, charts
from rankprism.cli.problems import Problems
from rankprism.cli.progress import noted, working
from rankprism.cli.reading import (
    ONLY_SCORES,
    Measured,
    changed,
    holds_scores,
    load_measures,
    opened,
    read_collection,
    read_score_files,
    read_source,
)
from rankprism.cli.shared import LOWER_SCORES, MEASURE, MEASURES_FILE, MIXED, PAGE, RUNS_OR_SCORES, as_path
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.results import Scores
    from rankprism.showing.report import Report

_VALUES = Option(
    "--values",
    metavar="V,V,…",
    help="Values that replace {} in a measure: -m 'P@{}' --values 5,10 means -m P@5 -m P@10.",
    group=SCORED,
)
_OUTPUT = Option(
    "--output",
    "-o",
    type=as_path,
    required=True,
    metavar="FILE",
    completes="complete_file",
    callback=shared.checked,
    help="Write the chart to this file, which ends in .html, .svg, .png or .pdf. - is standard output.",
    group=OUTPUT,
)
_FORMAT = Option(
    "--format",
    type=Words(of="types:ChartFormat"),
    help="Format of the chart. Default: the ending of FILE, or svg for standard output.",
    group=OUTPUT,
)


class Charts(Group):
    """The charts of scores, whose commands are made when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict(self._drawn()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        drawn = (one for name, one in self._drawn() if name == cmd_name)
        return next(map(_command_of, drawn), None)

    def _drawn(self) -> Iterator[tuple[str, Drawn]]:
        for one in charts():
            if one.command.startswith("plot "):
                yield one.command.removeprefix("plot "), one


plot = Charts("plot", "Draw charts of scores.")


def _command_of(chart: Drawn) -> Command:
    """The command that draws a chart."""

    def own() -> dict[str, click.Parameter]:
        found = named(options_of(chart.where or _loaded(chart).function, positional=True))
        # A baseline is the same option as in other commands.
        return found | ({"baseline": shared.BASELINE} if "baseline" in found else {})

    def declared() -> list[Any]:
        taken = [*own().values(), *shared.LOOK, read_source, _VALUES, _OUTPUT, _FORMAT]
        return [*taken, shared.QUIET, shared.STRICT]

    def run(**given: Any) -> None:
        from rankprism.showing.plots import check_ending, check_size, save

        check_ending(given["output"], given["format"])  # before the work is done
        check_size(given["width"], given["height"])
        given["measure"] = filled_in(given["measure"], given["measures_file"], given["values"])
        if given["values"]:
            given["measures_file"] = None  # it has been loaded
        with noted(given["quiet"], given["strict"]), working("reading"):
            compared = {"baseline": given["baseline"]} if "baseline" in given else {}
            source = read_source(**read_source.of(given), **compared)
            if compared:
                given["baseline"] = source.baseline  # its name, where a file was given
            scores = source.scores
            look = [str(one.name) for one in shared.LOOK]
            with working("drawing"):
                drawn = _loaded(chart).function(scores, **{name: given[name] for name in [*own(), *look]})
        save(drawn, given["output"], given["format"])

    called = f"rankprism {chart.command} scores.csv"
    rest = f"{chart.example} -o {chart.command.removeprefix('plot ')}.pdf".strip()
    between = " " if len(called) + len(rest) < 78 else " \\\n  "
    doc = read_signature(chart.where).doc if chart.where else _loaded(chart).summary
    summary = re.sub(r"\s+", " ", doc.partition("\n\n")[0])
    return Command(chart.command, run, declared, help=f"{summary}\n\n\b\n{called}{between}{rest}")


def _loaded(chart: Drawn) -> Any:
    from rankprism.showing.plots import CHARTS

    return CHARTS[chart.name]


def filled_in(
    measures: list[str] | None, files: list[Path] | None, values: str | None = None
) -> list[str] | None:
    """The measures with {} replaced by each of the values."""
    from rankprism.measures import parse_all

    if bool(values) != any("{}" in measure for measure in measures or []):
        raise InputError(
            "--values goes with a measure that has {} in their place, "
            "e.g. -m 'alpha_nDCG(alpha={})@10' --values 0,0.5,0.9"
        )
    if not values:
        return measures
    load_measures(files)
    filled = [
        measure.replace("{}", value.strip())
        for measure in measures or []
        for value in (values.split(",") if "{}" in measure else [""])
    ]
    return [str(each) for text in filled for each in parse_all(text)]


# ── reports ──────────────────────────────────────────────────────────────────────────────────────


@takes(RUNS_OR_SCORES, MEASURE, MEASURES_FILE, MIXED, LOWER_SCORES, read_collection, opens=True)
def read_for_report(
    files: Sequence[Any] | None = None,
    measure: list[str] | None = None,
    measures_file: list[Path] | None = None,
    mixed: bool = False,
    lower: list[str] | None = None,
    **collection: Any,
) -> Measured | Scores:
    """Judgments and runs, and the measures, which need not be named; or scores."""
    from rankprism.measures import parse_all
    from rankprism.showing.report.page import check_installed

    check_installed()
    with Problems() as found:
        named = opened(files or [], found)
    if named and holds_scores(named):
        others = [*changed(collection), *(["measures"] if measures_file else [])]
        return read_score_files(named, measure, others, mixed=mixed, lower=lower)
    if mixed:
        raise InputError(ONLY_SCORES)
    with Problems() as found:
        with found.noted():
            load_measures(measures_file)
            measures = [each for text in measure or [] for each in parse_all(text)]
        with found.noted():
            read = read_collection(files=named, lower=lower, **collection)
    return Measured(read, measures)


@takes(PAGE)
def write_page(report: Report, output: Path = Path("report.html")) -> None:
    """Write the page of a report."""
    from rankprism.cli.output import write
    from rankprism.showing.report import check_name

    check_name(output)
    with working("writing the page"):
        html = report.html
    write(html, output)


@analysis(
    "showing.report:make",
    Option(
        "--documents",
        metavar="FILE",
        completes="complete_file",
        help="Titles and texts of documents: JSON Lines with id, text and perhaps title, url and type; or "
        "irds:ID. Default: only ids are shown.",
        group=INPUT,
    ),
    Option(
        "--topic-texts",
        metavar="FILE",
        completes="complete_file",
        help="Titles of topics and texts of subtopics: a topic file of TREC; lines of id, title and "
        "description between tabs; JSON Lines (.jsonl); or irds:ID. Default: only ids are shown.",
        group=INPUT,
    ),
    what="making the report",
    reads=read_for_report,
    writes=write_page,
)
def report(read: Measured | Scores, call: Call, documents: str | None, topic_texts: str | None) -> Any:
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
