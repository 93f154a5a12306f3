"""What the shell offers after Tab: measures, constraints and their readings, and files.

A shell asks by an environment variable. Click's completions say `bash_complete` there. Those that were
installed with Typer say `complete_bash`, hand over the words in variables of their own and expect other
lines; they are answered, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: The variable by which a shell asks.
VARIABLE = "_RANKPRISM_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


def answer(program: Any) -> int:
    """Print what the shell asks for, and return the exit code."""
    from click.shell_completion import shell_complete

    asked = os.environ[VARIABLE]
    first, _, shell = asked.partition("_")
    if first == "complete":
        return _as_before(program, shell)
    return int(shell_complete(program, {}, "rankprism", VARIABLE, asked))


def _as_before(program: Any, shell: str) -> int:
    """Answer a completion that Typer has installed."""
    from click.shell_completion import get_completion_class, split_arg_string

    kind = get_completion_class(shell)
    if kind is None:
        return 1
    shown = kind(program, {}, "rankprism", VARIABLE)
    if shell == "bash":
        print("\n".join(item.value for item in shown.get_completions(*shown.get_completion_args())))
        return 0
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = split_arg_string(line)[1:]
    last = words.pop() if words and not line.endswith(" ") else ""
    found = shown.get_completions(words, last)
    if shell == "zsh":
        told = "\n".join(
            f'"{_quoted(x.value)}":"{_quoted(x.help)}"' if x.help else f'"{_quoted(x.value)}"' for x in found
        )
        print(f"_arguments '*: :(({told}))'" if found else "_files")
    elif os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else 1
    else:
        print("\n".join(f"{x.value}\t{' '.join(x.help.split())}" if x.help else x.value for x in found))
    return 0


def _quoted(text: str) -> str:
    for sign, safe in (('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", "\\\\:")):
        text = text.replace(sign, safe)
    return text


def this_shell() -> str:
    """The shell of the user."""
    return os.path.basename(os.environ.get("SHELL", ""))


def show(shell: str) -> str:
    """The script that makes a shell complete."""
    from click.shell_completion import get_completion_class

    from rankprism.errors import InputError

    if shell not in SHELLS:
        raise InputError(f"completion is for {', '.join(SHELLS)}; got {shell!r}; name one of them")
    kind = get_completion_class(shell)
    assert kind is not None
    shown = kind(None, {}, "rankprism", VARIABLE)  # type: ignore[arg-type]  # of which only the name counts
    return str(shown.source_template % shown.source_vars()).strip()


def install(shell: str) -> str:
    """Write that script to where the shell finds it."""
    script, home = show(shell), Path.home()
    if shell == "fish":
        file, start, lines = home / ".config/fish/completions/rankprism.fish", None, ""
    elif shell == "zsh":
        file, start = home / ".zfunc/_rankprism", home / ".zshrc"
        lines = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"
    else:
        file, start = home / ".bash_completions/rankprism.sh", home / ".bashrc"
        lines = f"source '{file}'"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{script}\n", encoding="utf-8")
    if start is not None:
        text = start.read_text(encoding="utf-8") if start.exists() else ""
        if lines not in text:
            start.write_text(f"{text.rstrip()}\n\n{lines}\n".lstrip(), encoding="utf-8")
    return f"{shell} completion is in {file}; it works in new shells"


def complete_measure(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of measures, each with what it is."""
    from rankprism.measures import lookup, names

    for name in names():
        if name.casefold().startswith(incomplete.casefold()):
            yield name, lookup(name).definition.summary


def complete_constraint(incomplete: str) -> Iterator[str]:
    """Names of constraints, and of groups of them."""
    from rankprism.meta.axioms import constraint_names

    for name in ("ten", "more", "all", *constraint_names()):
        if name.casefold().startswith(incomplete.casefold()):
            yield name


def complete_reading(incomplete: str) -> Iterator[tuple[str, str]]:
    """Readings of the whole table, each with what it is, and details of constraints."""
    from rankprism.meta.axioms import READINGS, TEN

    details = {f"{d.name}=": d.range for c in TEN for d in c.details}
    for name, meaning in {**READINGS, **details}.items():
        if name.startswith(incomplete):
            yield name, meaning


def complete_story(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of users, each with who it is."""
    from rankprism.meta import advice

    for name, story in advice.STORIES.items():
        if name.startswith(incomplete):
            yield name, story.title


def complete_file(incomplete: str) -> Iterator[str]:
    """Files and folders, also after NAME=, which precedes the file of an aspect."""
    name, equals, start = incomplete.rpartition("=")
    folder, begin = os.path.split(start)
    try:
        found = sorted(Path(folder or ".").iterdir())
    except OSError:
        return
    for path in found:
        hidden = path.name.startswith(".") and not begin.startswith(".")
        if path.name.startswith(begin) and not hidden:
            yield f"{name}{equals}{os.path.join(folder, path.name)}{os.sep if path.is_dir() else ''}"
