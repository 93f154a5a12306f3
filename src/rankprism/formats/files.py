"""Reading files, including compressed files and standard input."""

from __future__ import annotations

import errno
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from functools import cached_property
from io import BytesIO
from itertools import chain, islice
from typing import Any, TypeAlias, TypeGuard, TypeVar

from rankprism._core import Feed, checked_text
from rankprism.errors import InputError, install
from rankprism.text.foreign import as_utf8

PathLike: TypeAlias = str | os.PathLike[str]
#: The bytes of a file, piece by piece.
Pieces: TypeAlias = Iterator[bytes]
Taken = TypeVar("Taken")

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_TABLES = (".parquet", ".arrow", ".feather", ".duckdb", ".db")
RUN_ENDINGS = (".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl", *_TABLES)

#: The separators of columns, as in the core: only ASCII blanks, so that ids can be in any script.
BLANKS = "".join(map(chr, range(33)))
_COLUMN = re.compile(r"[^\x00-\x20]+")


def run_name(path: PathLike) -> str:
    """The name of a run: the file's name without endings such as .gz and .run.

    >>> run_name("runs/bm25.v2.run.gz")
    'bm25.v2'
    """
    table = database_table(path)
    if table is not None:
        return as_utf8(table[1])
    name = "stdin" if os.fspath(path) == "-" else _shown(os.path.basename(os.path.normpath(path)))
    for endings in (COMPRESSED, RUN_ENDINGS):
        for ending in endings:
            if name.endswith(ending) and name != ending:
                name = name.removesuffix(ending)
                break
    return name


def source_name(path: PathLike) -> str:
    """The name of a source in messages."""
    return "standard input" if os.fspath(path) == "-" else _shown(os.fspath(path))


def _shown(path: str) -> str:
    return path if path.isascii() else as_utf8(path)


def database_table(path: PathLike) -> tuple[str, str] | None:
    """The file and the table that ``runs.duckdb::bm25`` names; None if it names a file."""
    file, colons, table = os.fspath(path).partition("::")
    return (file, table) if colons and os.path.isfile(file) and not os.path.exists(path) else None


class Beginning:
    """The beginning of a file, from which its format is recognised."""

    def __init__(self, start: bytes, name: str = "") -> None:
        self.bytes = start
        self.name = name
        #: What `rankprism.formats.recognition` has found: the formats that the file may have, by kind.
        self.claims: dict[str, list[Any]] | None = None
        #: What `rankprism.formats.table` has found: the header in a tuple, which may be None.
        self.header: tuple[Any] | None = None

    @cached_property
    def text(self) -> str:
        return self.bytes.removeprefix(_BOM).decode(errors="replace")

    @cached_property
    def lines(self) -> list[tuple[int, str]]:
        """The first two lines of data with their numbers."""
        return list(islice(_data_lines(_lines_at(self.bytes)), 2))

    @property
    def number(self) -> int:
        """The number of the first line of data."""
        return self.lines[0][0] if self.lines else 1

    @property
    def line(self) -> str:
        """The first line of data, or an empty string if there is none."""
        return self.lines[0][1] if self.lines else ""

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the first line of data, separated by blanks."""
        return columns(self.line)

    @cached_property
    def is_table(self) -> bool:
        """Whether the file holds a table rather than text."""
        return any(begins(self.bytes) for begins in TABLES.values())


#: Number of bytes from which a file is recognised. A smaller file is opened only once.
BEGINNING = 1 << 14
#: Number of bytes that are unpacked or received at a time.
PIECE = 1 << 18
_BOM = b"\xef\xbb\xbf"
#: The first bytes of the messages of an Arrow stream.
ARROW_STREAM = b"\xff\xff\xff\xff"
#: The first bytes of files that hold a table, which `rankprism.formats.known.tables` reads.
TABLES: dict[str, Callable[[bytes], bool]] = {
    "parquet": lambda start: start.startswith(b"PAR1"),
    "arrow": lambda start: start.startswith((b"ARROW1", ARROW_STREAM)),
    "duckdb": lambda start: start[8:12] == b"DUCK",
}


class File(os.PathLike[str]):
    """A file that is opened when first needed, and only once to be recognised and, if it is small, read.

    It may be passed wherever a path may. Leaving a `with` block forgets the contents. Code that needs the
    file after that opens it again, which a pipe does not allow.
    """

    def __init__(self, path: PathLike, threads: int | None = 1) -> None:
        self.path = os.fspath(path)
        #: its name in messages
        self.name = source_name(self.path)
        #: how many threads may read it; None: as many as there are processors
        self.threads = threads or os.cpu_count() or 1
        self._beginning: Beginning | None = None
        self._pieces: Pieces | None = None  # of a pipe, after its beginning
        self._data: bytes | None = None  # all bytes, once somebody has asked for them
        self._feed: Feed | None = None  # what another thread unpacks or receives
        self._is_wanted_soon = False
        #: gives what the core has read ahead of its turn; None: nothing
        self.ahead: Callable[..., Any] | None = None
        #: what the user says about its columns: `rankprism.formats.table.Columns`, or None
        self.columns: Any = None

    def __fspath__(self) -> str:
        return self.path

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        if self._feed is not None:
            self._feed.close()
        self._beginning = self._pieces = self._data = self._feed = None

    @property
    def is_opened(self) -> bool:
        """Whether its beginning is in memory, so that nobody has to open it to recognise it."""
        return self._beginning is not None

    @property
    def is_packed(self) -> bool:
        return self.path.endswith(COMPRESSED) and database_table(self.path) is None

    @property
    def is_plain(self) -> bool:
        """Whether it is neither packed nor a pipe, so that it can be opened again."""
        return not self.path.endswith(COMPRESSED) and self.can_be_read_again

    @property
    def can_be_read_again(self) -> bool:
        """Whether the file may be examined before its turn to be read. Pipes have to wait."""
        return self.path != "-" and (os.path.isfile(self.path) or database_table(self.path) is not None)

    @property
    def _flows(self) -> bool:
        """Whether its bytes come one after another, because it is packed or a pipe."""
        return self.is_packed or not self.can_be_read_again or not _core_can_open(self.path)

    def fetch(self) -> File:
        """Begin to unpack a packed file in another thread; ask the system to fetch a plain one."""
        if self.is_packed and os.path.isfile(self.path) and self._data is None:
            self._begun(keeps=False)
        self._is_wanted_soon = True
        return self

    def check(self) -> None:
        """Refuse a path that leads to no file, without opening it."""
        name = self.path
        if name == "-" or database_table(name) is not None:
            return
        try:
            os.stat(name)
        except (OSError, ValueError) as error:
            raise InputError(not_found(name, error)) from None
        if os.path.isdir(name):
            raise InputError(f"{name}: is a directory; name the files in it, e.g. {os.path.join(name, '*')}")

    def _start(self) -> bytes:
        table = database_table(self.path)
        if table is not None:
            return _read(table[0], BEGINNING)
        self.check()
        if not self._flows:
            start = _read(self.path, BEGINNING, self._is_wanted_soon)
            if len(start) < BEGINNING and not Beginning(start).is_table:
                self._data = start
            return start
        pieces = _pieces(self.path)
        found = bytearray()
        for piece in pieces:
            found += piece
            if len(found) >= BEGINNING:
                break
        else:
            self._data = bytes(found)
        if not self.is_packed and self._data is None:
            self._pieces = chain([bytes(found)], pieces)
        return bytes(found[:BEGINNING])

    @property
    def data(self) -> bytes | None:
        """All bytes of the file; None for a large plain file, which the core reads, and for a plain table."""
        self._look()
        if self._data is None and self._flows:
            if self._feed is not None and self.is_packed:
                self._feed.close()
                self._feed = None
            self._data = self._begun(keeps=False, most=max_held()).rest()
        return self._data

    def fed(self, take: Callable[[Feed], Taken | None]) -> Taken | None:
        """What the core makes of a packed file or a pipe piece by piece; None if this is another file.

        take : gives the pieces to the core. It is called again if it returns None, because the lines of a
        topic are scattered. Then the core keeps the pieces.
        """
        self._look()
        if not self._flows or self._data is not None:
            return None
        for keeps in (not self.is_packed, True):
            feed, self._feed = self._begun(keeps), None
            try:
                if (found := take(feed)) is not None:
                    return found
            finally:
                feed.close()
        raise AssertionError("scattered lines were kept and not found")

    @property
    def beginning(self) -> Beginning:
        """The first bytes. A packed file is not unpacked further for them."""
        return self._look()

    def _look(self) -> Beginning:
        """Read the beginning, or all if it is small. What is wrong with the file is said here."""
        if self._beginning is None:
            self._beginning = Beginning(self._start(), self.path)
        return self._beginning

    def _begun(self, keeps: bool, most: int | None = None) -> Feed:
        """Let another thread unpack or receive the bytes. It waits when it is some megabytes ahead.

        most : the most bytes that are received, if all are held in memory.
        """
        if self._feed is None:
            pieces = self._pieces if self._pieces is not None else _pieces(self.path)
            if most is not None:
                pieces = _at_most(pieces, most, self.name)
            self._feed, self._pieces = Feed(self.name, keeps), None
            threading.Thread(target=_fill, args=(self._feed, pieces), daemon=True).start()
        return self._feed

    def text(self) -> str:
        """The whole text, after a check that it is UTF-8."""
        data = self.data
        if data is None and os.stat(self.path).st_size > max_held():
            raise _too_large(self.name, max_held())
        return checked_text(_read(self.path, -1) if data is None else data, self.name)

    def lines(self) -> Iterator[tuple[int, str]]:
        """The number and text of each line of data, without blank lines and comments."""
        return _data_lines(self.text().split("\n"))

    def streamed_lines(self) -> Iterator[tuple[int, str]]:
        """The same, but a large file is read line by line, as it may not fit into memory."""
        self._look()
        if self._data is None and (self.is_plain or self.is_packed):
            return _data_lines(_lines(self.path))
        return self.lines()


def not_found(name: str, error: OSError | ValueError) -> str:
    """Why there is no file by this name: nothing is there, a right is missing, or links lead nowhere."""
    if isinstance(error, PermissionError):
        folder = os.path.dirname(os.path.abspath(name))
        while not os.access(os.path.dirname(folder), os.X_OK):
            folder = os.path.dirname(folder)
        return f"{name}: cannot be looked up, because you have no right to open the folder {folder}"
    if isinstance(error, ValueError):  # a NUL in the name
        return f"{name!r}: there is no such file; check the path"
    if error.errno == errno.ELOOP:
        return f"{name}: is a link that leads in a circle; name the file itself"
    if os.path.islink(name):
        return f"{name}: is a link to {os.readlink(name)}, which does not exist; name the file itself"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"{name}: there is no such file; check the path"
    return f"{name}: cannot be opened ({error.strerror})"


def _fill(feed: Feed, pieces: Pieces) -> None:
    try:
        for piece in pieces:
            if not feed.put(piece):
                return
    except InputError as error:
        feed.finish(str(error))
    except BaseException as error:
        feed.finish(f"{error!r}")
    else:
        feed.finish()


def opened(source: PathLike, threads: int | None = 1) -> File:
    """The file for a path; a file that has been opened is returned as it is."""
    if not isinstance(source, File):
        return File(source, threads)
    source.threads = threads or os.cpu_count() or 1
    return source


def is_path(source: Any) -> TypeGuard[PathLike]:
    return isinstance(source, str | os.PathLike)


def _lines(path: str) -> Iterator[str]:
    name = source_name(path)
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n")
                except UnicodeDecodeError:
                    raise InputError(
                        f"{name}, line {number}: is not UTF-8; convert the file to UTF-8"
                    ) from None
    except InputError:
        raise
    except Exception as error:
        raise _cannot_be_read(path, error) from None


def _lines_at(start: bytes) -> Iterator[str]:
    """The lines at the beginning of a file, one by one, because usually only the first is needed."""
    for line in BytesIO(start.removeprefix(_BOM)):
        yield line.decode(errors="replace").removesuffix("\n")


def is_table_file(source: Any) -> TypeGuard[PathLike]:
    """Whether a path leads to a plain file that holds a table."""
    if not is_path(source):
        return False
    file = opened(source)
    return file.is_plain and file.beginning.is_table


def columns(line: str) -> list[str]:
    r"""The columns of a line, separated by blanks as in the core.

    >>> columns("1\ta  d\u00a01   2\r")
    ['1', 'a', 'd\xa01', '2']
    """
    return _COLUMN.findall(line)


def _data_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        content = line.lstrip(BLANKS)
        if content and not content.startswith(("# ", "#\t")):
            yield number, line.removesuffix("\r")


def _read(path: PathLike, size: int, is_wanted_soon: bool = False) -> bytes:
    """The first bytes of a file, or all of them if `size` is negative."""
    try:
        with open(path, "rb") as file:
            if is_wanted_soon and hasattr(os, "posix_fadvise"):
                with suppress(OSError):
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)
            return file.read(size)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be opened ({error.strerror})") from None


def _core_can_open(name: str) -> bool:
    """Whether the core can open a file by this name, which must be UTF-8, and ASCII on Windows."""
    return name.isascii() or (os.name != "nt" and as_utf8(name) == name)


def _pieces(name: str) -> Pieces:
    """The bytes of a packed file, of a pipe, or of a file whose name the core cannot write.

    A packed file that holds more than `max_unpacked` allows is an error.
    """
    packed = name.endswith(COMPRESSED)
    most, found = max_unpacked(), 0
    try:
        with _opened(name) as file:
            while piece := file.read(PIECE) if packed else file.read1(PIECE):
                found += len(piece)
                if packed and found > most:
                    raise InputError(
                        f"{name}: holds more than {most:,} bytes, the most that is unpacked; if this is what "
                        f"you expect, allow more with --max-unpacked or {MAX_UNPACKED}, e.g. "
                        f"{MAX_UNPACKED}=64G"
                    )
                yield piece
    except InputError:
        raise
    except Exception as error:  # zlib.error, LZMAError and ZstdError have nothing in common
        raise _cannot_be_read(name, error) from None


def _cannot_be_read(name: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    if name == "-":
        return InputError(f"standard input: cannot be read ({reason}); name a file instead")
    if name.endswith(COMPRESSED):
        return InputError(f"{name}: cannot be unpacked ({error}); check that the file is complete")
    return InputError(f"{name}: cannot be opened ({reason})")


def _opened(name: str) -> Any:
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    if name.endswith(".gz"):
        import gzip

        return gzip.open(name)
    if name.endswith(".bz2"):
        import bz2

        return bz2.open(name)
    if name.endswith(".xz"):
        import lzma

        return lzma.open(name)
    if name.endswith(".zst"):
        return zstd(name).open(name)
    return open(name, "rb")


#: The environment variable that limits how much a packed file may hold.
MAX_UNPACKED = "RANKPRISM_MAX_UNPACKED"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def max_unpacked() -> int:
    """How many bytes a packed file may hold: 16 GB, or the value of the environment variable.

    A file of a few kilobytes can unpack to as many gigabytes, by mistake or on purpose.
    """
    return parse_size(os.environ.get(MAX_UNPACKED) or "16G", MAX_UNPACKED)


def max_held() -> int:
    """How many bytes of a file are held in memory at once, if its format cannot be read line by line.

    What is read from them takes about ten times as much, so this is a sixteenth of the machine's memory, or
    the value of `MAX_UNPACKED`.
    """
    if os.environ.get(MAX_UNPACKED) or not hasattr(os, "sysconf"):
        return max_unpacked()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(max(memory // 16, 1 << 28), max_unpacked())


def _at_most(pieces: Pieces, most: int, name: str) -> Pieces:
    found = 0
    for piece in pieces:
        found += len(piece)
        if found > most:
            raise _too_large(name, most)
        yield piece


def _too_large(name: str, most: int) -> InputError:
    return InputError(
        f"{name}: holds more than {most:,} bytes, the most that is held in memory at once; if this is what "
        f"you expect, allow more with --max-unpacked or {MAX_UNPACKED}, e.g. {MAX_UNPACKED}=64G"
    )


def parse_size(text: str, what: str) -> int:
    """A number of bytes.

    >>> parse_size("64K", "size")
    65536
    """
    found = re.fullmatch(r"([0-9]{1,12})([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise InputError(f"{what}: {text!r} is not a number of bytes; write it like 500M or 64G")
    return int(found[1]) * _UNITS[found[2]]


def zstd(name: str) -> Any:
    """The module that packs and unpacks .zst."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd as module
        else:
            from backports import zstd as module
    except ImportError:
        raise InputError(f"{name}: .zst needs one more package: {install('zstd')}") from None
    return module
