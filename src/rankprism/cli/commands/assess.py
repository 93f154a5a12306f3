"""`rankprism assess`: a web app that collects judgments."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import click

from rankprism.cli.derived import option_of, options_of
from rankprism.cli.door import INPUT, OUTPUT, Argument, Group, Option, Words, flag
from rankprism.cli.frame import command
from rankprism.cli.progress import noted, working
from rankprism.cli.shared import JUDGE, MEASURE, OUTPUT_FILE, POOL, as_path, files, some_run_options
from rankprism.errors import InputError, install
from rankprism.types import Ask, StudyChoice

assess = Group("assess", "Collect judgments with a web app: pairs, triplets and grades.")
_NEEDED = ("starlette", "uvicorn", "jinja2", "sqlalchemy", "alembic", "markdown_it")

STUDY = Argument("study", "STUDY", "A file, or a database URL such as postgresql+psycopg://user@host/name.")
SQLITE = Argument("study", "STUDY", "The SQLite file of the study.", "complete_file")
PUBLIC_URL = Option("--public-url", metavar="URL", group=OUTPUT)


def _text(name: str, help: str) -> Option:
    return Option(name, type=as_path, metavar="FILE", completes="complete_file", help=help, group=INPUT)


def _file(name: str, help: str, **more: Any) -> Option:
    return Option(name, metavar="FILE", completes="complete_file", help=help, group=INPUT, **more)


#: Parameters of `create_study` whose own names mean something else in other commands.
_SPELLED: Mapping[str | None, str] = {"topics": "--topic-texts", "gold": "--gold-questions"}


def _part(name: str, study: str = "") -> Any:
    """A module of the web app, or an error that says how to install what it needs."""
    missing = [package for package in _NEEDED if importlib.util.find_spec(package) is None]
    if missing:
        raise InputError(f"assess needs {', '.join(missing)}: {install('assess')}")
    if study.startswith("postgresql") and importlib.util.find_spec("psycopg") is None:
        raise InputError(f"a study in PostgreSQL needs psycopg: {install('assess-postgres')}")
    return importlib.import_module(f"rankprism.judging.assess.{name}")


def _created() -> list[Option]:
    found = options_of("judging.assess.creation:create_study", group=INPUT)
    return [one.but(opts=[_SPELLED[one.name]]) if one.name in _SPELLED else one for one in found]


def _settings() -> list[Option]:
    """The settings of a study. What the command words otherwise comes before them."""
    where = "judging.assess.settings:Settings"
    short = [
        option_of(where, "depth", opts=["--depth", "-k"]),
        option_of(
            where, "measure", opts=["--measure", "-m"], metavar="MEASURE", completes="complete_measure"
        ),
    ]
    return [*short, *options_of(where)]


@command(
    STUDY,
    files("RUN...", "The runs whose documents are judged. With --drawn they may be left out.").but(
        name="runs"
    ),
    Option("--name", help="Name of the study. Default: the name of the file."),
    Option(
        "--ask",
        type=Words(*get_args(Ask)),
        help="What is asked: which of two documents is better, which is better after another one, both, or a "
        "grade for each document. Default: pairs; both if the choice is adaptive.",
    ),
    Option(
        "--choice",
        type=Words(*get_args(StudyChoice)),
        help="Which questions are asked. Default: complete; random with --budget; file with --tasks; drawn "
        "with --drawn.",
    ),
    Option(
        "--assessors",
        multiple=True,
        metavar="NAMES",
        help="Names with commas between them, or a number of assessors. May be repeated. Default: 1.",
    ),
    _text("--instructions", "What assessors read first, in Markdown."),
    _text("--consent", "What assessors agree to, in Markdown."),
    _text(
        "--wording", "A TOML file with your own question and answers: question, left, right, tie, cannot, …"
    ),
    _created,
    _settings,
    some_run_options,
    of=assess,
)
def new(
    study: str,
    runs: list[str] | None,
    name: str | None,
    ask: str | None,
    choice: str | None,
    assessors: list[str] | None,
    instructions: Path | None,
    consent: Path | None,
    wording: Path | None,
    **others: Any,
) -> None:
    """Make a study of runs, documents and topics.

    \b
    rankprism assess new study.db runs/*.run \\
        --documents docs.jsonl --topic-texts topics.tsv --depth 10
    """
    creation = _part("creation", study)
    of_settings = {str(option.name) for option in _settings()}
    given = {name: value for name, value in others.items() if name in of_settings}
    if choice is None:
        choice = "file" if others["tasks"] is not None else "random" if given["budget"] else "complete"
        choice = "drawn" if others["drawn"] is not None else choice
    if ask is None:
        ask = "both" if choice == "adaptive" else "grades" if choice == "drawn" else "pairs"
    for key, path in (("instructions", instructions), ("consent", consent)):
        if path is not None:
            given[key] = _words(path)
    if wording is not None:
        given["wording"] = _part("wording", study).read_wording(wording, ask)
    name = name or (Path(study).stem if "://" not in study else "Study")
    chosen = creation.Settings(name=name, ask=ask, choice=choice, **given)
    named = _names(assessors or ["0" if chosen.crowd else "1"])
    rest = {name: value for name, value in others.items() if name not in of_settings}
    with noted(), working("making the study"):
        made = creation.create_study(study, runs or [], chosen, assessors=named, **rest)
    print(made)
    if "://" not in study:  # an address may have a password in it
        print(f"Next: rankprism assess serve {shlex.quote(study)}")


@command(
    STUDY,
    files("[RUN]...", "Runs that the dashboard scores with people and judges, for a study with --drawn.").but(
        name="runs"
    ),
    JUDGE.but(
        help="A judge and the file of its judgments, as for `rankprism judges score`. Repeatable.",
    ),
    MEASURE,
    POOL.but(help="The pool, if it is not what a judge has labelled."),
    Option(
        "--host",
        default="127.0.0.1",
        help="The address to listen at. 127.0.0.1 is this machine only; 0.0.0.0 is every network.",
        group=OUTPUT,
    ),
    Option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8000,
        help="The port; 0 takes a free one.",
        group=OUTPUT,
    ),
    PUBLIC_URL.but(
        help="Address of the server in browsers, if it is behind a proxy, e.g. https://assess.example.org. "
        "With https, cookies are sent over https only."
    ),
    Option(
        "--rate",
        type=click.IntRange(1),
        default=600,
        help="Requests that one person may make in a minute.",
        group=OUTPUT,
    ),
    some_run_options,
    of=assess,
)
def serve(
    study: str,
    runs: list[str] | None,
    judge: list[str] | None,
    measure: list[str] | None,
    pool: str | None,
    host: str,
    port: int,
    public_url: str | None,
    rate: int,
    **reading: Any,
) -> None:
    """Serve a study, and print its address and the assessors' links.

    With RUNs and judges, the dashboard shows the scores that `rankprism judges score` computes, from all
    labels of the judges and those that people have given in this study.

    \b
    rankprism assess serve study.db
    rankprism assess serve study.db runs/*.run --judge gpt=gpt.qrels -m nDCG@10
    """
    judges = _judges(study, runs or [], judge or [], measure or [], pool, reading)

    def say(line: str) -> None:
        print(line, flush=True)

    _part("serve", study).serve(
        study,
        host=host,
        port=port,
        public_url=public_url,
        requests_per_minute=rate,
        judges=judges,
        say=say,
    )


def _judges(
    study: str,
    runs: list[str],
    judge: list[str],
    measures: list[str],
    pool: str | None,
    reading: dict[str, Any],
) -> Any:
    """The judges and runs whose scores the dashboard shows; None if there are none."""
    if not judge:
        if runs or measures or pool:
            raise InputError(
                "runs, measures and a pool are for the scores by people and judges; name a judge, too "
                "(--judge NAME=QRELS)"
            )
        return None
    from rankprism.cli.commands.judges import named_judges

    estimates, store, study_state = (_part(name, study) for name in ("estimates", "store", "study_state"))
    with store.opened(study) as opened, opened.reading() as connection:
        default = study_state.load(connection).settings.measure
    with noted(), working("reading"):
        return estimates.Judges.read(named_judges(judge), runs, measures or [default], pool, **reading)


@command(
    STUDY,
    Argument(
        "questions",
        "FILE",
        "For a study with --drawn, what `rankprism judges select --after` wrote; otherwise questions as for "
        "--tasks.",
        "complete_file",
    ),
    _file("--documents", "The texts of documents that the study does not have yet."),
    _file("--topic-texts", "The titles of topics that the study does not have yet.").but(name="topics"),
    of=assess,
)
def add(study: str, questions: str, documents: str | None, topics: str | None) -> None:
    """Add questions to a study, such as a further batch of drawn documents.

    The study may be served meanwhile. Questions that it has already stay as they are.

    \b
    rankprism assess add study.db more.tsv --documents docs.jsonl
    """
    additions, store = _part("additions", study), _part("store", study)
    with noted(), store.opened(study) as opened, working("adding"):
        added = additions.add(opened, questions, documents=documents, topics=topics)
    print(
        f"{added.tasks} tasks added for {added.judgments} judgments, with {added.documents} new documents "
        f"and {added.topics} new topics"
    )


@command(
    STUDY,
    Argument("names", "NAME...", "Assessors, new or known.", nargs=-1, required=True),
    PUBLIC_URL.but(
        help="Address of the server in browsers. Default: that at which the study was last served."
    ),
    of=assess,
)
def link(study: str, names: list[str], public_url: str | None) -> None:
    """Make new links for assessors, new or known.

    Their old links and open sessions end, and their answers stay.

    \b
    rankprism assess link study.db ann
    """
    access, store, study_state = (_part(name, study) for name in ("access", "store", "study_state"))
    if public_url is not None:
        public_url = access.check_address(public_url)
    with store.opened(study) as opened, opened.writing() as connection:
        address = public_url or study_state.load(connection).address
        links = {name: access.new_link(connection, access.check_name(name)) for name in names}
    if address is None:
        address = "http://127.0.0.1:8000"
        print(
            f"note: {opened.name} was never served, so its address is not known; {address} is where `serve` "
            f"puts it by default (--public-url names another)",
            file=sys.stderr,
        )
    for name, token in links.items():
        print(f"{name}: {address}/join/{token}")


@command(
    STUDY,
    OUTPUT_FILE,
    Option(
        "--to",
        metavar="FORMAT",
        help="tsv, csv, jsonl, winner, winner-loser or prefs; for grades qrels, tsv or jsonl; for documents "
        "that were drawn also people, which `rankprism judges score` reads; for all guarded-csv, in which "
        "spreadsheets find no formulas. Default: by the ending of FILE, else tsv, or qrels for grades; "
        "people for documents that were drawn, unless FILE ends in .qrels or .jsonl.",
        group=OUTPUT,
    ),
    flag("--identities", "Name the assessors. Default: they are called a1, a2, ….", group=OUTPUT),
    flag("--with-gold", "Export gold questions, too.", group=OUTPUT).but(name="gold"),
    Option(
        "--provenance/--no-provenance",
        default=True,
        help="Also write FILE.provenance.json: how the judgments came about. Not for standard output.",
        group=OUTPUT,
    ),
    of=assess,
)
def export(
    study: str, output: Path | None, to: str | None, identities: bool, gold: bool, provenance: bool
) -> None:
    """Write the judgments of a study to a file.

    The study may be served meanwhile.

    \b
    rankprism assess export study.db -o prefs.tsv
    rankprism evaluate prefs.tsv runs/*.run -m "nPrf(estimate='pooled')@10"
    """
    from rankprism.formats import replaces_file, write_texts

    exchange, store, study_state = (_part(name, study) for name in ("exchange", "store", "study_state"))
    with store.opened(study) as opened:
        with opened.reading() as connection:
            known = exchange.formats(study_state.load(connection).settings)
        if to is None:
            ending = "" if output is None else output.suffix.removeprefix(".")
            to = ending if ending in known else "qrels" if "qrels" in known else "tsv"
            if exchange.PEOPLE in known and ending not in ("qrels", "jsonl"):
                to = exchange.PEOPLE
        with working("exporting"):
            written = exchange.export(opened, to, identities=identities, with_gold=gold)
        texts: dict[Any, Any] = {"-" if output is None else output: written.text}
        if provenance and output is not None and replaces_file(output):
            about = json.dumps(exchange.provenance(opened), indent=2, ensure_ascii=False) + "\n"
            texts[f"{os.fspath(output)}.provenance.json"] = about
    write_texts(texts)
    for note in written.notes:
        print(f"note: {note}", file=sys.stderr)
    if output is not None:
        lines = written.text.count(b"\n") - (to in ("tsv", "csv", exchange.GUARDED, exchange.PEOPLE))
        print(f"{output}: {lines} lines, {to}", file=sys.stderr)


@command(
    STUDY,
    Argument(
        "judgments",
        "JUDGMENTS",
        "A file of preferences or of grades, whichever the study collects; - is standard input.",
        "complete_file",
    ),
    Option(
        "--from",
        "source_format",
        metavar="FORMAT",
        type=Words(of="judging.assess.grade_files:IMPORT_FORMATS"),
        help="The format of JUDGMENTS; grades may be qrels, tsv or jsonl, and `rankprism convert --help` "
        "lists the formats of preferences. Default: recognised.",
        group=INPUT,
    ),
    of=assess,
)
def import_(study: str, judgments: str, source_format: str | None) -> None:
    """Put preferences or grades from a file into a study.

    The study then asks only for what is missing. Judgments that it has already stay as they are, so importing
    a file twice changes nothing. A task that an assessor has open, and not answered, gets the answer of the
    file.

    \b
    rankprism assess import study.db prefs.tsv
    rankprism assess import graded-study.db grades.tsv
    """
    exchange, store = _part("exchange", study), _part("store", study)
    with noted(), store.opened(study) as opened, working("importing"):
        found = exchange.import_judgments(opened, judgments, source_format)
    print(f"{found.added} judgments added, {found.known} were there already")
    if found.different:
        print(
            f"note: {found.different} judgments differ from what the same assessor has answered in the "
            f"study, which stays as it is",
            file=sys.stderr,
        )


REPLACE = flag("--replace", "Replace a file that exists. Default: refuse to do so.", group=OUTPUT)


@command(SQLITE, Argument("file", "FILE", "The backup, a new file.", "complete_file"), REPLACE, of=assess)
def backup(study: str, file: str, replace: bool) -> None:
    """Copy a study to a file, also while it is served.

    The copy has every answer that was acknowledged before, which a plain copy of the file may not have. It is
    checked, and only its owner may read it. A study in PostgreSQL is copied by pg_dump.

    \b
    rankprism assess backup study.db monday.db
    """
    with working("copying"):
        told = _part("backups", study).back_up(study, file, replace=replace)
    print(f"{file}: {told}")


@command(
    Argument("file", "FILE", "A backup that `assess backup` wrote.", "complete_file"),
    SQLITE,
    REPLACE,
    of=assess,
)
def restore(file: str, study: str, replace: bool) -> None:
    """Replace a study by a backup.

    The backup is checked first and stays as it is. A study that is being served is never replaced, and
    another one only with --replace. What SQLite has left beside an old study is removed.

    \b
    rankprism assess restore monday.db study.db
    """
    backups, database_file = _part("backups", study), _part("database_file", study)
    left = [] if os.path.exists(study) else database_file.beside(study)
    with working("copying"):
        told = backups.restore(file, study, replace=replace)
    print(f"{study}: {told}")
    if left:
        print(f"note: removed {', '.join(left)}, which an earlier {study} had left", file=sys.stderr)


def _names(given: list[str]) -> list[str]:
    names = []
    for text in map(str.strip, given):
        if text.isascii() and text.isdigit():
            names += [f"assessor-{i}" for i in range(1, min(int(text), 10_000) + 1)]
        else:
            names += [name.strip() for name in text.split(",")]
    return names


def _words(path: Path) -> str:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the path")
    return path.read_text(encoding="utf-8")
