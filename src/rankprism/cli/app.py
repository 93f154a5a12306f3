"""The commands of `rankprism`. The module of a command is loaded only when the command is used."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from rankprism.cli.door import Group, Option, words_of


class Place(NamedTuple):
    """Where a command is, and the first sentence of its help, so that a list need not load it."""

    where: str
    summary: str


#: The place of each command, in the order of the help: what users do with runs comes first, then measures,
#: judgments, and the rest.
COMMANDS = {
    "evaluate": Place("evaluate:evaluate", "Score runs with measures."),
    "scores": Place(
        "evaluate:scores",
        "Check the files in a folder of scores, and list those that are damaged or out of date.",
    ),
    "explain": Place("evaluate:explain", "Show what each document of a ranking earned, and why."),
    "compare": Place("boards:compare", "Test which systems differ."),
    "leaderboard": Place("boards:leaderboard", "Rank systems, and say which ranks each of them may have."),
    "gate": Place("boards:gate", "Test whether a new run is worse than a baseline."),
    "topic-set-size": Place("boards:topic_set_size", "Find how many topics an experiment needs."),
    "plot": Place("plots:plot", "Draw charts of scores."),
    "report": Place("plots:report", "Write a report: one HTML file that needs nothing else."),
    "meta": Place("meta:meta", "Evaluate the measures themselves."),
    "axioms": Place("axioms:axioms", "Say which axioms are proved or refuted for measures."),
    "aspects": Place("aspects:aspects", "Analyse judgments of several aspects."),
    "preferences": Place(
        "preferences:preferences", "Read what people prefer: pairs and triplets of documents."
    ),
    "judges": Place("judges:judges", "See what machine judgments are worth, and how few people are enough."),
    "reproduce": Place("papers:reproduce", "Compute the tables and figures of a paper."),
    "assess": Place("assess:assess", "Collect judgments with a web app: pairs, triplets and grades."),
    "convert": Place("files:convert", "Write judgments, preferences or a run in another format."),
    "schema": Place("files:schema", "Print the JSON Schema of what commands print as JSON."),
    "measures": Place("files:measures", "List the measures, or explain one."),
    "demo": Place("files:demo", "Evaluate six systems on a small collection."),
}
#: Where packages that add commands name them: in pyproject.toml, below [project.entry-points."…"].
ENTRY_POINTS = "rankprism.commands"


class Program(Group):
    """Finds a command by its name, in the table or, if it is not there, among what other packages add."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in added() if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name].where.partition(":")
            found = getattr(importlib.import_module(f"rankprism.cli.commands.{module}"), name)
        elif cmd_name in (others := added()):
            found = others[cmd_name].load()
        else:
            return None
        assert isinstance(found, click.Command), cmd_name
        return found

    def listed(self, ctx: click.Context) -> list[tuple[str, str]]:
        known = [(name, place.summary) for name, place in COMMANDS.items()]
        others = [(name, one.load()) for name, one in added().items() if name not in COMMANDS]
        return [*known, *((name, one.get_short_help_str(limit=1000)) for name, one in others)]

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **_: Any,
    ) -> Any:
        """Run a command. Errors are raised, also those of usage, which `rankprism.cli.main` prints.

        standalone_mode : whether to end the process if the exit code is not 0; otherwise it is returned.
        """
        words = list(sys.argv[1:] if args is None else args)
        if os.name == "nt" and args is None:  # where no shell does it
            import glob

            words = [path for word in words for path in (sorted(glob.glob(word)) or [word])]  # noqa: PTH207
        try:
            with self.make_context(prog_name or "rankprism", words) as context:
                code = self.invoke(context)
        except click.exceptions.Exit as left:
            code = left.exit_code
        if standalone_mode and code:
            sys.exit(code)
        return code


def added() -> dict[str, Any]:
    """The commands of other packages, by name. To look for them takes longer than to parse a command line."""
    from importlib.metadata import entry_points

    return {one.name: one for one in entry_points(group=ENTRY_POINTS)}


def every_command() -> dict[tuple[str, ...], Any]:
    """Every command, by the words that call it."""
    return dict(words_of(app, click.Context(app, info_name="rankprism")))


def _version(ctx: click.Context, _: Any, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from rankprism import __version__

        print(f"rankprism {__version__}")
        ctx.exit()


def _limited(ctx: click.Context, _: Any, size: str | None) -> None:
    if size is not None:
        from rankprism.formats import files

        files.parse_size(size, "--max-unpacked")
        os.environ[files.MAX_UNPACKED] = size


def _for_shell(name: str, help: str) -> Option:
    def shown(ctx: click.Context, _: Any, shell: str | None) -> None:
        if shell is not None and not ctx.resilient_parsing:
            from rankprism.cli import completion

            print(getattr(completion, name)(shell or completion.this_shell()))
            ctx.exit()

    flag = f"--{name}-completion"
    return Option(
        flag,
        is_flag=False,
        flag_value="",
        metavar="[SHELL]",
        is_eager=True,
        expose_value=False,
        callback=shown,
        help=help,
    )


app = Program(
    "rankprism",
    "Evaluate rankings by meanings, qualities and preferences, and test evaluation measures.",
    params=[
        Option(
            "--version",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Print the version and exit.",
        ),
        # `rankprism.cli.main` looks for it when it prints an error.
        Option(
            "--traceback",
            is_flag=True,
            expose_value=False,
            help="Show the traceback of an error. The environment variable "
            "RANKPRISM_TRACEBACK=1 does the same.",
        ),
        Option(
            "--max-unpacked",
            metavar="SIZE",
            expose_value=False,
            callback=_limited,
            help="Largest size of a compressed file after unpacking, e.g. 500M. Default: the environment "
            "variable RANKPRISM_MAX_UNPACKED, or 16G.",
        ),
        _for_shell(
            "install",
            "Install completion for this shell, or for bash, zsh or fish.",
        ),
        _for_shell("show", "Show what --install-completion installs."),
    ],
)
