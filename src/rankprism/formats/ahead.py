"""Reading files before it is their turn, while Python loads numpy, which takes as long as reading many runs.

Nothing is told before its turn: neither what was read nor what is wrong with it.

`evaluate` keeps neither the text of the judgments nor a whole run in memory. It reads a file in blocks of
about half a megabyte and works on one topic at a time. For a run, it

1. parses the lines of the topic;
2. sorts them, unless they are in order already;
3. looks for repeated documents;
4. finds the judged documents and forgets all others.

Out of 10,000 lines, only the ranks of a few hundred judged documents remain. Judgments are sorted and
stored in the same way, topic by topic. A block ends where the topic changes, so it holds whole topics,
and a thread that works on it needs nothing from other blocks. Several threads can therefore read one file
(`parallel.hpp`): a thread fetches the next block, works on it, waits until all blocks before it have been
added to the result, and adds its own. The cuts depend on the text alone and blocks are added in the order
of the file. The result and the first error are therefore the same on any number of threads. A thread that
meets a mistake keeps what it has found up to there, and the mistake is reported when its turn comes.
Lines are not counted while reading. If an error has to name one, the newlines before it are counted then.

These are C++ threads and not Python threads. They share a file, a lock and a turn. In Python, this would
need a queue, an object for the table of each block, and a call to add it. Python threads share three
other kinds of work, because each call of the core works on its own data and releases the interpreter
lock. Several runs are read at once, one by each thread (`evaluate` gives the threads that are left over
to the single files). The batches of hits, in which ideals are found and scores are computed, are divided.
And so are resamples. `threads=` (`--threads`) is the number of both kinds of threads together. A file of
a single block is read by one thread. Runs are read after the judgments and not at the same time, because
a line of a run can be forgotten only when the judgments of its topic are known, and both use all threads.
Only work that does not need the judgments is done while they are read (`File.fetch`): the first packed
runs begin to be unpacked, and the system is asked to bring the first plain ones into memory.

What is packed is unpacked by a Python thread, which hands the bytes to the core through a `Feed`
(`feed.hpp`) and waits when it is four megabytes ahead. So do pipes and standard input. The core takes the
bytes once, from the first to the last, and cuts the same blocks as in a plain file. If the lines of a topic
turn out to be scattered, a packed file is unpacked once more, and the core keeps its bytes: 64 MB in
memory, and the others in a file without a name. The bytes of a pipe cannot be had again, so the core keeps
them from the beginning.

If all files are plain TREC files, `evaluate` begins to read them before it loads numpy, and the command
before it loads most of our modules (`formats/ahead.py`). Loading uses one processor for as long as
reading thirty runs takes on another. The threads of `Ahead` (`ahead.cpp`) read the judgments and join the
runs with them, but tell nobody what they have found. When the usual code comes to a file, it takes the
table, the alignment or the mistake from there. So errors and notes come in the same order as without
reading ahead. While Python is at work, one thread fewer reads than `threads=` allows, and as soon as
Python waits for a file, all of them do (`pace.hpp`). With one thread, nothing is read ahead. No thread of
`Ahead` ever waits for Python's lock. The core needs numpy only when it hands out arrays, and so can work
before numpy is there.

Nearly every line has single blanks between its columns and is shorter than 64 bytes. For such a line, the
core looks at 64 bytes at once and gets two numbers of 64 bits: one says which bytes separate columns, and
one says which are newlines (`look_at` in `text.hpp`). The ends of the columns are then the positions of
the bits that are set. All other lines are walked through column by column. `tests/core/test_lines.py`
compares both.

If the lines of a topic are scattered over a file, the core reads the file once more to number the topics.
If all lines fit into 128 MB, it gathers them in memory, topic after topic, and reads these as if they
were a file in order. Otherwise it first sorts the lines into a file without a name in the folder
`TMPDIR`. Each part of this file has all lines of some topics and fits into 128 MB. The core then gathers
the lines part by part (`regroup.cpp`). So memory stays bounded, and time grows in proportion to the file.

A new block takes the place of the old one, so the memory depends on the largest topic and not on the
file. Files are not memory-mapped, because a process that looks at a mapped file is killed when another
program shortens that file. The thread that was called checks for Ctrl-C between two blocks and while it
waits; the other threads never call Python. Ids are hashed with a secret that each process draws for
itself. Otherwise somebody could make a file whose ids all collide in the hash table.

`read_run` returns a `Run` that owns its text. It is meant for people who want to keep or convert a run.
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
    from rankprism.data import Reading


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
