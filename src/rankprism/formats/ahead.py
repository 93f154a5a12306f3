"""Reading files before it is their turn, while Python loads numpy, which takes as long as reading many runs.

Nothing is told before its turn: neither what was read nor what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from rankprism._core import Ahead
from rankprism.errors import InputError
from rankprism.formats import files
from rankprism.formats.lines import is_plain, is_plain_run

if TYPE_CHECKING:
    from rankprism._core import JudgmentTable
    from rankprism.data.reading import Reading


@contextmanager
def reading_ahead(
    judgments: Any, runs: Any, reading: Reading, threads: int | None
) -> Iterator[tuple[Any, Any]]:
    """Begin to read judgments and runs in other threads, which end with the `with` block.

    Returns the same judgments and runs. If all are large plain TREC files, and more than one thread may read
    them, they are `File` values that hand out what has been read. Otherwise nothing is read ahead, but files
    that were opened to see what they are need not be opened again.
    """
    most = threads or os.cpu_count() or 1
    several: Sequence[Any] = runs if isinstance(runs, list | tuple) else [runs]
    paths = [judgments, *several]
    if most < 2 or not several or not all(map(files.is_path, paths)):
        yield judgments, runs
        return
    opened = [files.opened(path) for path in paths]
    if not (_is_plain(opened[0], is_plain) and all(_is_plain(run, is_plain_run) for run in opened[1:])):
        given, *others = [file if file.is_opened else path for file, path in zip(opened, paths, strict=True)]
        yield given, others if isinstance(runs, list | tuple) else others[0]
        return
    qrels, *ranked = [(file.path, file.name) for file in opened]
    ahead = Ahead(
        qrels, ranked, reading.order, reading.duplicates, reading.ties, most, reading.run_depth or 0
    )
    opened[0].ahead = ahead.judgments
    for number, run in enumerate(opened[1:]):
        run.ahead = partial(_alignment, ahead, number)
    try:
        yield opened[0], opened[1:]
    finally:
        ahead.stop()


def _alignment(ahead: Ahead, number: int, judgments: JudgmentTable, how: Reading) -> Any:
    return ahead.alignment(number, judgments, how.order, how.duplicates, how.ties, how.run_depth or 0)


def _is_plain(file: files.File, has_format: Callable[[str], bool]) -> bool:
    """Whether a file is large and plain, and its first line shows its format."""
    if not file.is_plain:
        return False
    try:
        return file.data is None and has_format(file.beginning.line)
    except InputError:  # raised again when it is the file's turn
        return False
