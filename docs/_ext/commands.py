"""The page of commands: each command with its options, and each option that many commands have only once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import click

from rankprism.cli.app import every_command
from rankprism.cli.door import HEADINGS, Argument, Option

#: An option that at least this many commands have in the same words is explained once, above the commands.
_MANY = 5


def page() -> str:
    """All commands, in Markdown."""
    every = every_command()
    rows = {words: dict(_rows(words, command)) for words, command in every.items()}
    number = Counter(row for found in rows.values() for row in found.items())
    shared = {row for row, times in number.items() if times >= _MANY}
    parts = ["## Options that many commands have\n"]
    for heading in HEADINGS:
        ours = list(dict.fromkeys(row for found in rows.values() for row in found.items()))
        table = _table(text for (where, _), text in ours if where == heading and _is(shared, where, text))
        parts += [f"### {heading}\n", table] if table else []
    for words, command in every.items():
        about, _, examples = (command.help or "").partition("\b\n")
        own = [text for (where, _), text in rows[words].items() if not _is(shared, where, text)]
        others = [name for (where, name), text in rows[words].items() if _is(shared, where, text)]
        parts += [
            f"## rankprism {' '.join(words)}\n",
            f"{about.strip()}\n",
            f"```\n{examples.strip()}\n```\n",
        ]
        parts += [_table(own)] if own else []
        parts += [f"As above: {', '.join(f'`{name}`' for name in others)}.\n"] if others else []
    return "\n".join(parts)


def _is(shared: Iterable[Any], where: str, text: str) -> bool:
    return any(kept == text and place == where for (place, _), kept in shared)


def _rows(words: tuple[str, ...], command: Any) -> Iterable[tuple[tuple[str, str], str]]:
    """The arguments and options of a command: heading, name and row of a table."""
    context = click.Context(command, info_name=" ".join(["rankprism", *words]))
    for one in command.params:
        if isinstance(one, Argument):
            yield ("Arguments", str(one.metavar)), _row(str(one.metavar), str(one.help))
        elif isinstance(one, Option) and one.group in HEADINGS:
            called, text = one.get_help_record(context) or ("", "")
            yield (one.group, one.opts[0]), _row(called, text)


def _row(called: str, text: str) -> str:
    told = re.sub(r"([|<\\*_$])", r"\\\1", text)
    return f"| `{called.replace('|', chr(92) + '|')}` | {told} |\n"


def _table(rows: Iterable[str]) -> str:
    found = list(rows)
    return "".join(["| | |\n|---|---|\n", *found]) if found else ""
