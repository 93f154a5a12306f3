"""The record of a file format: how it is recognised, read and written, and what reading loses.

The record of a format is in its own module in `rankprism.formats.known`. Reading, `convert`, the options of
the command line, error messages and the tables in docs/formats.md and docs/preferences.md are made from the
records. `rankprism.formats.recognition` asks them what a file is.

    thing ─▶ source_of ─▶ Source: value, file, dataset, frame, dictionary or rows ─▶ .kind
    path ─▶ File: opened once ─▶ Beginning: first lines ─▶ claims of the records ─▶ .format(place)
         ─▶ record.read(file)

Judgments, preferences, runs and scores may be given in many ways. `formats/source.py` is the only place
that asks which one it is: `source_of` makes a `Source`, and whoever reads asks the `Source`.
`run_sources` gives one for each run.

`Format` (`formats/format.py`) has the name of a format, what a line holds, how it is recognised, read and
written, the endings of its files, and what reading does not keep. The record is in the format's module in
`formats/known/`, which is found there without being listed. `read_judgments`, `read_run`,
`read_preferences`, `read_scores`, `convert`, the options `--qrels-format`, `--run-format` and `--from`,
their errors, and the tables in formats.md and preferences.md are made from the records.

`Source.format` gives the format of a file in the place where it is given: as judgments, as a run, as
preferences or as scores. `Source.kind` says which of these a file is where several may be given, for
example judgments or scores in `compare`. Both ask `formats/recognition.py`, which looks at the claims of
the records:

1. Each record says whether a file that begins like this may be of its format. It looks at nothing but the
   `Beginning` and knows no other format.
2. A record declares the formats that it can be confused with, and whether it wins or yields where both
   claim a file. `winner-loser` claims `1 d1 L2`, for example, but `ntcir` wins.
3. If two claims of the same kind remain, the file is refused. The message names both formats and adds
   what the records say in `doubt`.
4. If no claim remains, judgments and runs are read in the default format, and JSON that nobody claims is
   refused with what it looks like (`formats/json_lines.py`).

Nothing in `{"q1": {"d1": 2}}` says whether 2 is a grade or a score, so two records claim such a file, and
its place decides.

A `File` (`formats/files.py`) can be passed wherever a path can. It is opened on first use, and keeps the
first 16 kB. If that is the whole file, reading uses these bytes, so that a small file is opened only
once. The core opens a larger plain file once more and reads it in blocks. A packed file is unpacked once,
and a pipe is read once. Neither a pipe nor standard input is opened before its turn, because another
program may write to several of them in order. Leaving a `with` block forgets the contents.

The core reads TREC's formats itself, so that a run is processed without being kept. Other formats are
read line by line. The records of TREC's formats are in `formats/trec.py`. A line like `51 2 d1 1` can be
of no other format, so a file that begins with it is read without loading `formats/known/`.
`tests/formats/test_recognition.py` counts how often files are opened, and fails if a format has no file
of reference, no example or no row in the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism._core import RunTable
    from rankprism.data import Judgments, Preferences
    from rankprism.formats.files import Beginning

Contents = TypeVar("Contents")


class Written(NamedTuple):
    """Judgments, preferences or a run as the contents of a file."""

    text: bytes
    beside: Mapping[str, str] = MappingProxyType({})  # texts of files beside it, by ending
    notes: tuple[str, ...] = ()  # what did not fit, and what had to be added
    rows: int | None = None  # the number of rows of a table, which has no lines


@dataclass(frozen=True, eq=False, repr=False)
class Format(Generic[Contents]):
    """The record of a format."""

    name: str
    #: what the columns of a line hold
    summary: str
    #: a line of such a file
    example: str
    #: how a file is recognised, for the documentation
    recognised_by: str
    #: reads a `files.File`; for a run, it also takes what to do with documents that occur twice
    read: Callable[..., Contents]
    #: whether a file that begins like this may be of this format
    recognises: Callable[[Beginning], bool] = lambda beginning: False
    #: formats that may be recognised in the same file, and whether the file then has this format or the other
    confused_with: Mapping[str, Literal["wins", "yields"]] = field(default_factory=dict)
    #: what the user should do if the file may also have another format and neither wins
    doubt: str = ""
    #: whether a file that holds a table has the columns for this, given their names in lower case
    fits: Callable[[frozenset[str]], bool] = lambda columns: True
    #: writes judgments, preferences, or a run with its order and what to do with repeated documents
    write: Callable[..., Written] | None = None
    #: endings of the files that `convert` writes in this format unless it is told otherwise
    endings: tuple[str, ...] = ()
    #: whether this is the default: for reading files that no format recognises, and for writing
    default: bool = False
    #: what such a file holds that reading does not keep
    loses: str = ""
    #: reads all runs of a `files.File` that may hold several, by the names that it gives them; None is the
    #: name of a run that has none
    read_runs: Callable[..., dict[str | None, RunTable]] | None = None


#: The formats of each kind of file by name.
JUDGMENT_FORMATS: dict[str, Format[Judgments]] = {}
RUN_FORMATS: dict[str, Format[RunTable]] = {}
PREFERENCE_FORMATS: dict[str, Format[Preferences]] = {}
SCORE_FORMATS: dict[str, Format[Any]] = {}


def register(formats: dict[str, Format[Contents]], record: Format[Contents]) -> Format[Contents]:
    """Make a format known as one of judgments, runs, preferences or scores."""
    if record.name in formats:
        raise ValueError(f"there are two formats called {record.name}")
    formats[record.name] = record
    return record


def chosen(formats: Mapping[str, Format[Contents]], name: str, what: str) -> Format[Contents]:
    """The format of this name, of judgments, of runs or of preferences."""
    if name not in formats:
        raise InputError(f"unknown {what} format {name!r}; use one of {', '.join(formats)}")
    return formats[name]


def default_of(formats: Mapping[str, Format[Contents]]) -> Format[Contents]:
    return next(record for record in formats.values() if record.default)


def written_by(formats: Mapping[str, Format[Contents]]) -> dict[str, Callable[..., Written]]:
    """The functions that write each format, by its name."""
    return {name: record.write for name, record in formats.items() if record.write is not None}


def by_ending(formats: Mapping[str, Format[Contents]], ending: str) -> str:
    """The name of the format that a file with this ending is written in."""
    found = (record.name for record in formats.values() if ending in record.endings)
    return next(found, default_of(formats).name)


def reference(formats: Mapping[str, Format[Contents]]) -> str:
    """The formats as a table in Markdown."""
    lines = [
        "| format | a line, and what its columns mean | how it is recognised | `convert` writes it |",
        "|---|---|---|---|",
    ]
    for record in formats.values():
        endings = ", ".join(f"`{ending}`" for ending in record.endings)
        writes = "no" if record.write is None else f"yes, to {endings}" if endings else "yes"
        lines.append(
            f"| `{record.name}` | `{record.example}`: {record.summary} | {record.recognised_by} | {writes} |"
        )
    return "\n".join(lines) + "\n"
