"""The options that two or more commands have, each written once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankprism.cli.derived import option_of, options_of
from rankprism.cli.door import CHART, INPUT, NOTES, OUTPUT, READING, SCORED, Argument, Option, Words, flag
from rankprism.types import CollectionOptions, RunOptions

if TYPE_CHECKING:
    from pathlib import Path

_EVALUATE = "evaluation:evaluate"
#: What explains how judgments and runs are read.
COLLECTION = "evaluation.collection:Collection.of"


def as_path(text: Any) -> Path:
    """The type of options that name a file to write. A plain evaluation needs no paths."""
    from pathlib import Path

    return Path(text)


# ── what is scored ───────────────────────────────────────────────────────────────────────────────

JUDGMENTS = (
    "Judgments: a file of topic, subtopic, document and grade; or NAME=FILE for each of several aspects; or "
    "a TOML file that describes them; or irds:ID for a dataset of ir_datasets."
)


def files(metavar: str, help: str, required: bool = False) -> Argument:
    """The files that a command works on."""
    return Argument("files", metavar, help, "complete_file", nargs=-1, required=required)


QRELS = files("QRELS", JUDGMENTS)
QRELS_AND_RUNS = files(
    "QRELS RUN...",
    f"{JUDGMENTS} Then runs: files of topic, Q0, document, rank, score and tag. - is standard input.",
)
RUNS_OR_SCORES = files(
    "QRELS RUN... | SCORES...",
    "Judgments and runs, as for evaluate; or files with the scores of each topic.",
)


def measures(text: str) -> Option:
    """-m, which names measures."""
    return Option(
        "--measure",
        "-m",
        multiple=True,
        metavar="MEASURE",
        help=f"{text} Repeatable, or -m 'nDCG@10 AP'.",
        completes="complete_measure",
        group=SCORED,
    )


MEASURE = measures("A measure, e.g. 'alpha_nDCG(alpha=0.25)@20'.")
MEASURES_FILE = Option(
    "--measures",
    "measures_file",
    multiple=True,
    type=as_path,
    metavar="FILE",
    completes="complete_file",
    help="Measures and constraints of your own, in TOML or Python. A Python file is run: name only files "
    "that you trust.",
    group=SCORED,
)
_BASELINE = "Compare with this run: the name of one of the runs, or a file."
BASELINE = Option("--baseline", metavar="RUN", help=_BASELINE, completes="complete_file", group=SCORED)
BASELINES = Option(
    "--baseline",
    multiple=True,
    metavar="RUN",
    help=f"{_BASELINE} Repeatable: each other run is compared with each baseline.",
    completes="complete_file",
    group=SCORED,
)
DIFFERENCES = flag(
    "--differences",
    "Compare every pair of measures instead: print the difference of their figures, its interval and p.",
)

# ── input ────────────────────────────────────────────────────────────────────────────────────────

PREFERENCES = Option(
    "--preferences",
    metavar="FILE",
    completes="complete_file",
    help="Preferences, for measures that need them, e.g. nPrf@20. If all measures do, name the file in the "
    "place of QRELS instead.",
    group=INPUT,
)
WEIGHTS = Option(
    "--weights",
    metavar="FILE",
    completes="complete_file",
    help="Aspect weights: a file of topic, aspect and weight, perhaps with inf or nav; or for all topics "
    "relevance=0.7,credibility=0.3; or the word sakai. Default: all aspects weigh alike.",
    group=INPUT,
)
ASPECTS = Option(
    "--aspects",
    metavar="NAME,…",
    help="Names of the grade columns of QRELS, e.g. relevance,credibility. - skips a column. Or the word "
    "all: every aspect of a topic counts, even one to which no document is relevant.",
    group=INPUT,
)
LABELS = Option(
    "--labels",
    multiple=True,
    metavar="ASPECT=LABEL,…",
    help="The labels of an aspect, from the lowest to the highest. Repeatable.",
    group=INPUT,
)
EMBED = Option(
    "--embed",
    multiple=True,
    metavar="ASPECT=PLACE,…",
    help="Positions of the labels of an aspect, e.g. correctness=0,3/2,3. Repeatable. Default: one unit "
    "apart.",
    group=INPUT,
)
GIVEN = Option(
    "--given",
    multiple=True,
    metavar="ASPECT=OTHER",
    help="Set this aspect to its lowest label wherever OTHER has its lowest label, e.g. "
    "correctness=relevance. Repeatable.",
    group=INPUT,
)
LOWER = Option(
    "--lower",
    multiple=True,
    metavar="ASPECT",
    help="A lower score on this aspect is better, such as on an aspect of harm. Repeatable. Default: "
    "harmful, if there is such an aspect.",
    group=INPUT,
)
LOWER_SCORES = LOWER.but(
    metavar="NAME",
    help="A lower score is better by this measure of the files of scores, e.g. seconds; or with judgments, "
    "on this aspect of them. Repeatable. Default: Unjudged, RBP_residual, the aspect harmful, and what "
    "measures and files say.",
)
MIXED = flag(
    "--mixed",
    "Analyse scores together that were computed from other judgments, with other settings or by other "
    "definitions of a measure. The caption says what is mixed.",
    group=INPUT,
)


COLUMNS = Option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME,…",
    help="Which column of a table is which, e.g. topic=userId,document=movieId,grade=stars; or without names "
    "in their order, e.g. topic,document,grade,- where - skips a column. Repeatable, for judgments and runs.",
    group=INPUT,
)


def judgment_options() -> list[Option]:
    """The options that describe absolute judgments."""
    form = option_of(COLLECTION, "qrels_format", group=INPUT)
    return [WEIGHTS, ASPECTS, LABELS, EMBED, GIVEN, LOWER, COLUMNS, form]


def collection_options() -> list[Option]:
    """The options of `rankprism.Collection.of`."""
    described = judgment_options()
    own = {str(one.name) for one in (PREFERENCES, *described)}
    rest = [name for name in CollectionOptions.__annotations__ if name not in own]
    how = [one for one in options_of(COLLECTION, *rest, group=READING) if one.name != "preferences_format"]
    return [PREFERENCES, *described, option_of(COLLECTION, "preferences_format", group=INPUT), *how]


def run_options() -> list[Option]:
    """How runs are read."""
    return options_of(COLLECTION, *RunOptions.__annotations__, group=READING)


def some_run_options() -> list[Option]:
    """The same for commands that know the format of their runs."""
    return options_of(COLLECTION, "order", "duplicates", "run_depth", group=READING)


def tied_option() -> list[Option]:
    """The scores of rankings with ties. The docstring of `evaluate` calls measures columns."""
    text = (
        "The score of a ranking with tied documents: expected over all their orders, the lowest, the "
        "highest, or all three as measures. Default: the score of the order by ids."
    )
    return [option_of(_EVALUATE, "tied", group=READING, help=text)]


# ── analysis ─────────────────────────────────────────────────────────────────────────────────────

SEED = Option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    help="Seed for the random numbers. The same seed gives the same result.",
)
PROFILES = Option(
    "--profiles",
    metavar="FILE",
    completes="complete_file",
    help="A file of profiles: lines of topic, profile, subtopic and weight, which say what a kind of user "
    "cares about.",
    group=INPUT,
)

# ── output ───────────────────────────────────────────────────────────────────────────────────────


def checked(ctx: Any, parameter: Any, output: Path | None) -> Path | None:
    """Refuse an output that cannot be written before any work is done."""
    if output is not None:
        from rankprism.formats import check_target

        check_target(output)
    return output


def written(*names: str, help: str, **settings: Any) -> Option:
    """An option that names a file to write."""
    return Option(
        *names,
        type=as_path,
        metavar="FILE",
        completes="complete_file",
        callback=checked,
        group=OUTPUT,
        help=help,
        **settings,
    )


_OUTPUT = "Write the result to this file; - is standard output."
PAGE = written("--output", "-o", help=_OUTPUT, default="report.html")
OUTPUT_FILE = written("--output", "-o", help=f"{_OUTPUT} Default: standard output.")


def _format(formats: str) -> Option:
    return Option(
        "--format",
        type=Words(of=f"results.outputs:{formats}"),
        help="Format of the output. Default: the format that the ending of FILE names, or a table if there "
        "is no FILE or no ending. guarded-csv is CSV that is safe to open in a spreadsheet: text that begins "
        "with = + - or @ gets an apostrophe in front, so that it is not taken for a formula.",
        group=OUTPUT,
    )


RESULT_FORMAT, SCORE_FORMAT = _format("RESULT_FORMATS"), _format("SCORE_FORMATS")
STYLE = (
    Option(
        "--digits",
        type=click.IntRange(0, 15),
        help="Number of digits after the decimal point. Default: 4 in formats that people read, and all "
        "digits in formats for programs.",
        group=OUTPUT,
    ),
    Option(
        "--caption",
        help="Caption of the table. The result adds what a reader must know, such as the test.",
        group=OUTPUT,
    ),
    Option(
        "--label",
        metavar="NAME",
        help=r"Label of the table for \ref in LaTeX, e.g. tab:main.",
        group=OUTPUT,
    ),
    Option(
        "--page-columns",
        type=click.IntRange(1, 2),
        help="Number of page columns that the LaTeX table spans: 1 for table, 2 for table*. Default: 1.",
        group=OUTPUT,
    ),
)
SORT = Option(
    "--sort",
    metavar="MEASURE",
    help="Sort the runs by their mean of this measure, the best first. --sort run sorts them by name. "
    "Default: the order in which the runs were given.",
    group=OUTPUT,
)

# ── charts, notes ────────────────────────────────────────────────────────────────────────────────

_PIXELS = (
    "of the whole picture in pixels, with labels, legends and titles. In a PDF, 72 pixels are an inch. "
    "Default: chosen for each chart."
)
LOOK = (
    Option(
        "--title",
        help="Title of the chart. '' leaves the title out. Default: a title that describes the chart.",
        group=CHART,
    ),
    Option("--width", type=int, metavar="PIXELS", help=f"Width {_PIXELS}", group=CHART),
    Option("--height", type=int, metavar="PIXELS", help=f"Height {_PIXELS}", group=CHART),
)
PLOT = Option(
    "--plot",
    type=as_path,
    metavar="FILE",
    completes="complete_file",
    help="Also draw the result to this file, which ends in .html, .svg, .png or .pdf. - writes SVG to "
    "standard output; then name a file for the result with -o.",
    group=CHART,
)
_QUIET = "Do not print notes. JSON output still has them."
QUIET = Option("--quiet", "-q", is_flag=True, default=False, help=_QUIET, group=NOTES)
LONG_QUIET = flag("--quiet", _QUIET, group=NOTES)
STRICT = flag("--strict", "Notes are errors: nothing is written, and the exit code is 2.", group=NOTES)

# ── judges ───────────────────────────────────────────────────────────────────────────────────────

JUDGE = Option(
    "--judge",
    multiple=True,
    metavar="NAME=QRELS",
    help="A judge and the file of its judgments, in any format of judgments. Repeatable.",
    completes="complete_file",
    group=INPUT,
)
POOL = Option(
    "--pool-of",
    "pool",
    metavar="QRELS",
    help="Judgments whose pairs of topic and document are the pool. Default: all pairs that a judge has "
    "labelled.",
    completes="complete_file",
    group=INPUT,
)
