"""`rankprism judges`: what machine judgments are worth, and how few people are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.completion import complete_file
from rankprism.cli.group import commands
from rankprism.cli.measures import MeasureFiles, MeasureNames, load_measures, read_measures
from rankprism.cli.options import OutputFile, Quiet
from rankprism.cli.signature import parameters_of, with_options_of
from rankprism.errors import InputError
from rankprism.types import CountedAspects, RunOptions

if TYPE_CHECKING:
    from rankprism.judging.judges import Selection

app = commands("See what machine judgments are worth, and how few people are enough.")

People = Annotated[
    str,
    typer.Argument(
        metavar="PEOPLE", help="The judgments of people; - is standard input.", autocompletion=complete_file
    ),
]
Judge = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="NAME=QRELS",
        help="A judge and the file of its judgments, in any format of judgments. Repeatable.",
        autocompletion=complete_file,
    ),
]


class Judged(NamedTuple):
    """Judgments by people and judges, and runs to score with them."""

    people: str
    judges: Mapping[str, str]
    runs: list[str] | None
    measures: list[Any] | None
    reading: Mapping[str, Any]


@with_options_of(parameters_of("evaluation:evaluate", *RunOptions.__annotations__))
def read_judged_runs(
    people: People,
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="Runs, to score them with every kind of labels.",
            autocompletion=complete_file,
        ),
    ] = None,
    judge: Judge = None,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    **reading: Any,
) -> Judged:
    """The files that are named, each of which is read by the function that is called."""
    load_measures(measures_file)
    measures = read_measures(measure, None) if measure or runs else None
    return Judged(people, named_judges(judge or []), runs or None, measures, reading)


def named_judges(given: Sequence[str], kind: str = "QRELS", example: str = "gpt.qrels") -> dict[str, str]:
    """The name and the file of each judge."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise InputError(f"--judge takes NAME={kind}, e.g. --judge gpt={example}; got {text!r}")
        if name in found:
            raise InputError(f"two judges are named {name!r}: {found[name]} and {path}; rename one")
        found[name] = path
    if not found:
        raise InputError(f"name at least one judge, e.g. --judge gpt={example}")
    return found


@app.command()
@command("judging.judges:agree", "comparing", reads=read_judged_runs)
def agree(
    read: Judged,
    call: Call,
    family: Annotated[
        str | None,
        typer.Option(
            "--family",
            metavar="FILE",
            help="A file with a line for each run and its family, e.g. systems built on one model. Shows "
            "whether a judge favours a family.",
            autocompletion=complete_file,
        ),
    ] = None,
) -> Any:
    """How far do judges agree with people?

    On labels: tables of labels, κ, weighted κ, ordinal α, and the judge's bias. With RUNs: whether both order
    the runs alike, and how much higher or lower the judge scores them. Only documents that both have labelled
    are compared.

    \b
    rankprism judges agree people.qrels --judge gpt=gpt.qrels
    rankprism judges agree people.qrels runs/*.run --judge gpt=gpt.qrels \\
        --judge llama=llama.qrels -m nDCG@10 --family families.txt
    """
    return call(read.people, read.judges, read.runs, read.measures, family=family, **read.reading)


Drawn = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The pairs that were drawn, with the columns topic, doc and probability: what `judges select` "
        "writes. Default: the column probability of PEOPLE; without it, every pair of the pool had the same "
        "chance.",
        autocompletion=complete_file,
    ),
]
PoolFile = Annotated[
    str | None,
    typer.Option(
        metavar="QRELS",
        help="Judgments whose pairs of topic and document are the pool. Default: all pairs that a judge has "
        "labelled.",
        autocompletion=complete_file,
    ),
]
Aspects = Annotated[
    CountedAspects | None,
    typer.Option(
        help='With "all", every aspect of a topic counts, even one to which no document is relevant.'
    ),
]


@app.command()
@command("judging.judges:score", "estimating", reads=read_judged_runs)
def score(
    read: Judged,
    call: Call,
    drawn: Drawn = None,
    pool: PoolFile = None,
    aspects: Aspects = None,
    differences: Annotated[
        bool, typer.Option("--differences", help="Print the difference of every two runs instead.")
    ] = False,
    per_topic: Annotated[
        bool,
        typer.Option(
            "--per-topic",
            help="Print the estimates of each topic instead, as scores that compare and other commands take.",
        ),
    ] = False,
) -> Any:
    """Score runs with all labels of judges and few labels of people.

    Prints the scores that complete judgments by people would give, with intervals, how wide the intervals
    would be
    without the judges, and how many labels the judges saved. PEOPLE are judgments on a random sample of the
    pool.

    \b
    rankprism judges score people.qrels runs/*.run --judge gpt=gpt.qrels \\
        -m nDCG@10 --drawn drawn.tsv
    """
    if read.runs is None:
        raise InputError("name the runs after the judgments of people")
    how = {"aspects": aspects, **read.reading}
    found = call(read.people, read.judges, read.runs, read.measures, drawn=drawn, pool=pool, **how)
    if differences and per_topic:
        raise InputError("--differences and --per-topic are two different tables; choose one")
    if per_topic:
        return found.scores
    return found.differences() if differences else found


Preferring = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="NAME=PREFS",
        help="A judge and the file of its preferences, in any format of preferences. Repeatable.",
        autocompletion=complete_file,
    ),
]
CovariateFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="A table of numbers that documents have, such as their length, with the columns doc, perhaps "
        "topic, and a column for each number.",
        autocompletion=complete_file,
    ),
]


def read_preferring(
    people: Annotated[
        str | None,
        typer.Argument(
            metavar="[PEOPLE]",
            help="The preferences of people; - is standard input.",
            autocompletion=complete_file,
        ),
    ] = None,
    judge: Preferring = None,
) -> tuple[str | None, dict[str, str]]:
    """The files that are named, each of which is read by the function that is called."""
    return people, named_judges(judge or [], "PREFS", "gpt.tsv") if judge or people is None else {}


@app.command()
@command("judging.judges:prefer", reads=read_preferring)
def prefer(
    read: tuple[str | None, dict[str, str]],
    call: Call,
    covariates: CovariateFile = None,
    family: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A file with a line for each document and each judge, and its family. Shows whether a judge "
            "favours a family, e.g. answers by the same model.",
            autocompletion=complete_file,
        ),
    ] = None,
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A file with a line for each document and its system, so that strengths of systems are part "
            "of the model; or the word names, if documents with the same name in different topics are one "
            "system.",
            autocompletion=complete_file,
        ),
    ] = None,
) -> Any:
    """What do the preferences of judges depend on?

    On sides: the share of left answers, and of equal answers when sides are swapped. On length and other
    numbers, and on the family of a document. With PEOPLE: how far judges agree with them on the same pairs.

    \b
    rankprism judges prefer people.tsv --judge gpt=gpt.tsv
    rankprism judges prefer people.tsv --judge gpt=gpt.tsv \\
        --judge llama=llama.tsv --covariates lengths.tsv --family families.txt
    """
    people, judges = read
    return call(
        people,
        judges or named_judges([], "PREFS", "gpt.tsv"),
        covariates=covariates,
        family=family,
        systems=systems,
    )


@app.command()
@command("judging.judges:strengths", reads=read_preferring)
def strengths(
    read: tuple[str | None, dict[str, str]],
    call: Call,
    systems: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="A file with a line for each document and its system; or the word names, if documents with "
            "the same name in different topics are one system.",
            autocompletion=complete_file,
        ),
    ] = "names",
    covariates: CovariateFile = None,
) -> Any:
    """Show how strong systems are, by many answers of machines and few of people.

    Prints the strengths that complete answers by people would give, with intervals. People have answered a
    random sample of the questions that judges have answered; without judges, they have answered everything.

    \b
    rankprism judges strengths people.tsv --judge gpt=gpt.tsv
    rankprism judges strengths votes.tsv --covariates lengths.tsv
    """
    people, judges = read
    if people is None:
        raise InputError("name the preferences of people, e.g. people.tsv")
    return call(people, judges or None, systems=systems, covariates=covariates)


@with_options_of(parameters_of("evaluation:evaluate", *RunOptions.__annotations__))
def read_selected_runs(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="The runs.", autocompletion=complete_file)
    ],
    judge: Judge = None,
    measure: MeasureNames = None,
    measures_file: MeasureFiles = None,
    **reading: Any,
) -> Judged:
    """The runs and judges that are named."""
    measures = read_measures(measure, measures_file)
    return Judged("", named_judges(judge or []), runs, measures, reading)


def tell_drawn(result: Selection, output: OutputFile = None, quiet: Quiet = False) -> None:
    """Say how many pairs were drawn, and what is settled, if the table goes to a file."""
    if output is not None and str(output) != "-" and not quiet:
        typer.echo(result.note, err=True)


@app.command()
@command("judging.judges:select", "drawing", reads=read_selected_runs, finish=tell_drawn)
def select(
    read: Judged,
    call: Call,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The pairs of earlier batches, as this command wrote them with a smaller budget.",
            autocompletion=complete_file,
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            metavar="QRELS",
            help="The judgments of people on the earlier batches, for --settled.",
            autocompletion=complete_file,
        ),
    ] = None,
    pool: PoolFile = None,
) -> Any:
    """Draw the documents that people should judge next.

    A document is drawn with a probability that says how much its label decides about the scores of the runs.
    The probabilities are written beside the documents, and `judges score` needs them.

    \b
    rankprism judges select runs/*.run --judge gpt=gpt.qrels -m nDCG@10 \\
        --budget 300 -o drawn.tsv
    rankprism judges select runs/*.run --judge gpt=gpt.qrels -m nDCG@10 \\
        --budget 600 --after drawn.tsv -o more.tsv
    """
    return call(read.runs, read.judges, read.measures, after=after, people=people, pool=pool, **read.reading)
