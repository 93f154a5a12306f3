"""`rankprism judges`: what machine judgments are worth, and how few people are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rankprism.cli.door import INPUT, OUTPUT, Argument, Group, Option, Words, flag, takes
from rankprism.cli.frame import Call, analysis
from rankprism.cli.reading import load_measures, read_measures
from rankprism.cli.shared import (
    DIFFERENCES,
    JUDGE,
    MEASURE,
    MEASURES_FILE,
    OUTPUT_FILE,
    POOL,
    QUIET,
    files,
    run_options,
)
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.judging.judges import Selection

judges = Group("judges", "See what machine judgments are worth, and how few people are enough.")


def _file(name: str, help: str, **more: Any) -> Option:
    return Option(name, metavar="FILE", completes="complete_file", group=INPUT, help=help, **more)


def _system_names(text: str, **more: Any) -> Option:
    return _file("--system-names", text, **more).but(name="systems")


COVARIATES = _file(
    "--covariates",
    "A table of numbers that documents have, such as their length, with the columns doc, perhaps topic, and "
    "a column for each number.",
)


class Judged(NamedTuple):
    """Judgments by people and judges, and runs to score with them."""

    people: str
    judges: Mapping[str, str]
    runs: list[str] | None
    measures: list[Any] | None
    reading: Mapping[str, Any]


@takes(
    Argument("people", "PEOPLE", "The judgments of people; - is standard input.", "complete_file"),
    files("[RUN]...", "Runs, to score them with every kind of labels.").but(name="runs"),
    JUDGE,
    MEASURE,
    MEASURES_FILE,
    run_options,
    opens=True,
)
def read_judged_runs(
    people: str,
    runs: list[str] | None = None,
    judge: list[str] | None = None,
    measure: list[str] | None = None,
    measures_file: list[Path] | None = None,
    **reading: Any,
) -> Judged:
    """The files that are named, each of which is read by the function that is called."""
    load_measures(measures_file)
    measures = read_measures(measure, None) if measure or runs else None
    return Judged(people, named_judges(judge or []), runs or None, measures, reading)


def named_judges(
    given: Sequence[str], kind: str = "QRELS", example: str = "gpt.qrels", option: str = "--judge"
) -> dict[str, str]:
    """The name and the file of each judge."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise InputError(f"{option} takes NAME={kind}, e.g. {option} gpt={example}; got {text!r}")
        if name in found:
            raise InputError(f"two judges are named {name!r}: {found[name]} and {path}; rename one")
        found[name] = path
    if not found:
        raise InputError(f"name at least one judge, e.g. --judge gpt={example}")
    return found


@analysis(
    "judging.judges:agree",
    _file(
        "--family",
        "A file with a line for each run and its family, e.g. systems built on one model. Shows whether a "
        "judge favours a family.",
    ),
    JUDGE.but(
        opts=["--against"],
        name="against",
        help="An older version of a judge, under the name of the new one. Tells whether the new version "
        "agrees less with people; the exit code is then 3. Repeatable.",
    ),
    what="comparing",
    reads=read_judged_runs,
    exits=lambda found: int(getattr(found, "exit_code", 0)),
    of=judges,
)
def agree(read: Judged, call: Call, family: str | None, against: list[str] | None) -> Any:
    """How far do judges agree with people?

    On labels: tables of labels, κ, weighted κ, ordinal α, and the judge's bias. With RUNs: whether both order
    the runs alike, and how much higher or lower the judge scores them. Only documents that both have labelled
    are compared.

    \b
    rankprism judges agree people.qrels --judge gpt=gpt.qrels
    rankprism judges agree people.qrels runs/*.run --judge gpt=gpt.qrels \\
        --judge llama=llama.qrels -m nDCG@10 --family families.txt
    rankprism judges agree people.qrels --judge gpt=new.txt --against gpt=old.txt
    """
    if against:
        if read.runs is not None or family is not None:
            raise InputError(
                "--against compares two versions on labels alone; leave out the runs and --family"
            )
        from rankprism.judging.judges import drift

        old = named_judges(against, option="--against")
        return drift(read.people, read.judges, old, intervals=call.keywords["intervals"])
    return call(read.people, read.judges, read.runs, read.measures, family=family, **read.reading)


@analysis(
    "judging.judges:score",
    _file(
        "--drawn",
        "The pairs that were drawn, with the columns topic, doc and probability: what `judges select` "
        "writes. Default: the column probability of PEOPLE; without it, every pair of the pool counts as if "
        "it had been drawn with the same chance.",
    ),
    POOL,
    Option(
        "--aspects",
        type=Words(of="types:CountedAspects"),
        metavar="NAME,…",
        help='With "all", every aspect of a topic counts, even one to which no document is relevant.',
        group=INPUT,
    ),
    DIFFERENCES.but(help="Print the difference of every two runs instead."),
    flag(
        "--per-topic",
        "Print the estimates of each topic instead, as scores that compare and other commands take.",
        group=OUTPUT,
    ),
    what="estimating",
    reads=read_judged_runs,
    of=judges,
)
def score(
    read: Judged,
    call: Call,
    drawn: str | None,
    pool: str | None,
    aspects: str | None,
    differences: bool,
    per_topic: bool,
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


@takes(
    Argument(
        "people",
        "[PEOPLE]",
        "The preferences of people; - is standard input.",
        "complete_file",
        required=False,
    ),
    JUDGE.but(
        metavar="NAME=PREFS",
        help="A judge and the file of its preferences, in any format of preferences. Repeatable.",
    ),
    opens=True,
)
def read_preferring(
    people: str | None = None, judge: list[str] | None = None
) -> tuple[str | None, dict[str, str]]:
    """The files that are named, each of which is read by the function that is called."""
    return people, named_judges(judge or [], "PREFS", "gpt.tsv") if judge or people is None else {}


@analysis(
    "judging.judges:prefer",
    COVARIATES,
    _file(
        "--family",
        "A file with a line for each document and each judge, and its family. Shows whether a judge favours "
        "a family, e.g. answers by the same model.",
    ),
    _system_names(
        "A file with a line for each document and its system, so that strengths of systems are part of the "
        "model; or the word names, if documents with the same name in different topics are one system."
    ),
    reads=read_preferring,
    of=judges,
)
def prefer(
    read: tuple[str | None, dict[str, str]],
    call: Call,
    covariates: str | None,
    family: str | None,
    systems: str | None,
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


@analysis(
    "judging.judges:strengths",
    _system_names(
        "A file with a line for each document and its system; or the word names, if documents with the same "
        "name in different topics are one system.",
        default="names",
    ),
    COVARIATES,
    reads=read_preferring,
    of=judges,
)
def strengths(
    read: tuple[str | None, dict[str, str]], call: Call, systems: str, covariates: str | None
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


@takes(
    files("RUN...", "The runs.", required=True).but(name="runs"),
    JUDGE,
    MEASURE,
    MEASURES_FILE,
    run_options,
    opens=True,
)
def read_selected_runs(
    runs: list[str],
    judge: list[str] | None = None,
    measure: list[str] | None = None,
    measures_file: list[Path] | None = None,
    **reading: Any,
) -> Judged:
    """The runs and judges that are named."""
    measures = read_measures(measure, measures_file)
    return Judged("", named_judges(judge or []), runs, measures, reading)


@takes(OUTPUT_FILE, QUIET)
def tell_drawn(result: Selection, output: Path | None = None, quiet: bool = False) -> None:
    """Say how many pairs were drawn, and what is settled, if the table goes to a file."""
    if output is not None and str(output) != "-" and not quiet:
        click.echo(result.note, err=True)


@analysis(
    "judging.judges:select",
    _file("--after", "The pairs of earlier batches, as this command wrote them with a smaller budget."),
    Option(
        "--people",
        metavar="QRELS",
        help="The judgments of people on the earlier batches, for --settled.",
        completes="complete_file",
        group=INPUT,
    ),
    POOL,
    what="drawing",
    reads=read_selected_runs,
    finish=tell_drawn,
    of=judges,
)
def select(read: Judged, call: Call, after: str | None, people: str | None, pool: str | None) -> Any:
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
