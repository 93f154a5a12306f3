"""A group of commands, such as `rankprism meta`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

#: What an option takes, as help shows it, in the place of Typer's name of a type.
_WORDS = {"int": "N", "int range": "N", "float": "NUMBER", "float range": "NUMBER", "str": "TEXT"}


def in_words(command: Any) -> Any:
    """The same command. Its help says `--depth N` where Typer would say `--depth <int range>`."""
    for option in command.params:
        if option.metavar is None and option.param_type_name == "option":
            option.metavar = _WORDS.get(option.type.name)
    return command


class Group(TyperGroup):
    """Lists its commands with whole sentences. Typer cuts a sentence that does not fit on the line."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        return None if command is None else in_words(command)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, command.get_short_help_str(limit=1000))
            for name, command in commands
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
