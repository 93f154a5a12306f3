"""A group of commands, such as `rankprism meta`. A command is made when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info, get_command_name
from typer.models import CommandInfo

#: What an option takes, as help shows it, instead of Typer's name of a type.
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

    def summary(self, ctx: Any, name: str) -> str:
        """The line that lists a command."""
        text: str = self.get_command(ctx, name).get_short_help_str(limit=1000)
        return text

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(ctx, name)) for name in self.list_commands(ctx)])


def commands(about: str = "") -> typer.Typer:
    """An app for commands, which form a group with this help, or belong to no group."""
    return typer.Typer(
        cls=Group, add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=about or None
    )


class Waiting(Group):
    """A group whose commands are not made before they are asked for.

    To make a command takes longer than to parse its arguments, and needs the function that it calls.
    """

    def __init__(self, app: typer.Typer, name: str, fill: Callable[[], None] | None = None) -> None:
        super().__init__(
            name=name, help=app.info.help, no_args_is_help=True, rich_markup_mode=None, add_help_option=True
        )
        self.app, self.fill = app, fill
        for part in _parts(app):
            for inner in part.registered_groups:
                if inner.name and inner.typer_instance is not None:
                    self.add_command(Waiting(inner.typer_instance, inner.name), inner.name)

    @cached_property
    def waiting(self) -> dict[str, CommandInfo]:
        """The commands by name, as they were registered, after `fill` has registered what it knows of."""
        if self.fill is not None and not self.app.registered_commands:
            self.fill()
        return {
            info.name or get_command_name(getattr(info.callback, "__name__", "")): info
            for part in _parts(self.app)
            for info in part.registered_commands
        }

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.waiting, *self.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.waiting:
            return super().get_command(ctx, cmd_name)
        made = get_command_from_info(
            self.waiting[cmd_name], pretty_exceptions_short=False, rich_markup_mode=None
        )
        return in_words(made)

    def summary(self, ctx: Any, name: str) -> str:
        if name not in self.waiting:
            return super().summary(ctx, name)
        info = self.waiting[name]
        text = info.help if isinstance(info.help, str) else info.callback.__doc__
        return TyperCommand(name, help=inspect.cleandoc(text or "")).get_short_help_str(limit=1000)


def _parts(app: typer.Typer) -> list[typer.Typer]:
    """An app, and the apps whose commands it includes."""
    inner = [group.typer_instance for group in app.registered_groups if not group.name]
    return [*(part for one in inner if one is not None for part in _parts(one)), app]
