"""What the shell offers after Tab: measures, constraints and their readings, and files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


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
