"""The commands of `rankprism`. The module of a command is loaded only when the command is used."""

from __future__ import annotations

import importlib
import os
from typing import Annotated, Any

import typer

from rankprism.cli.group import Group, Waiting
from rankprism.errors import closest

#: The module of each command, in the order of the help: what users do with runs comes first, then measures,
#: judgments, and the rest. The `app` of the module either contains the command or is the group itself.
MODULES = {
    "evaluate": "evaluate",
    "scores": "folder",
    "explain": "explain",
    "compare": "compare",
    "leaderboard": "leaderboard",
    "gate": "gate",
    "topic-set-size": "compare",
    "plot": "plot",
    "report": "report",
    "meta": "meta",
    "axioms": "axioms",
    "aspects": "aspects",
    "preferences": "preferences",
    "judges": "judges",
    "reproduce": "reproduce",
    "assess": "assess",
    "convert": "convert",
    "schema": "schema",
    "measures": "catalogue",
    "demo": "catalogue",
}


class Commands(Group):
    """Loads a command by its name, so that it need not wait until Typer has prepared all forty."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in MODULES:
            close = closest(cmd_name, MODULES)
            ctx.fail(f"No such command {cmd_name!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        group = self._group(cmd_name)
        return group.get_command(ctx, cmd_name) if cmd_name in group.waiting else group

    def summary(self, ctx: Any, name: str) -> str:
        group = self._group(name)
        return group.get_short_help_str(limit=1000) if group.help else group.summary(ctx, name)

    def _group(self, name: str) -> Waiting:
        """What the module of a command has: the command and perhaps others, or the commands of a group."""
        module = importlib.import_module(f"rankprism.cli.{MODULES[name]}")
        return Waiting(module.app, name, getattr(module, "fill", None))


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    help="Evaluate rankings by meanings, qualities and preferences, and test evaluation measures.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from rankprism import __version__

        print(f"rankprism {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option(
            "--traceback",
            help="Show the traceback of an error. The environment variable RANKPRISM_TRACEBACK=1 does the "
            "same.",
        ),
    ] = False,
    max_unpacked: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Largest size of a compressed file after unpacking, e.g. 500M. Default: the environment "
            "variable RANKPRISM_MAX_UNPACKED, or 16G.",
        ),
    ] = None,
) -> None:
    """`traceback` is not used here: `rankprism.cli.main` looks for it when it prints an error."""
    if max_unpacked is not None:
        from rankprism.formats import files

        files.parse_size(max_unpacked, "--max-unpacked")
        os.environ[files.MAX_UNPACKED] = max_unpacked
