"""Reading compressed files and standard input, and writing files that appear complete or not at all."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from rankprism._core import checked_text
from rankprism.errors import InputError
from rankprism.foreign import as_utf8

PathLike: TypeAlias = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_TABLES = (".parquet", ".arrow", ".feather", ".duckdb", ".db")
RUN_ENDINGS = (".run", ".txt", ".trec", ".res", ".tsv", ".jsonl", *_TABLES)

#: What separates columns in the core, and hence here: ASCII blanks only, so that any script can be in an id.
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
    name = "stdin" if os.fspath(path) == "-" else as_utf8(Path(path).name)
    for endings in (COMPRESSED, RUN_ENDINGS):
        for ending in endings:
            if name.endswith(ending) and name != ending:
                name = name.removesuffix(ending)
                break
    return name


def source_name(path: PathLike) -> str:
    """What messages call a source."""
    return "standard input" if os.fspath(path) == "-" else as_utf8(os.fspath(path))


def database_table(path: PathLike) -> tuple[str, str] | None:
    """The file and the table that ``runs.duckdb::bm25`` names; None if it names a file."""
    file, colons, table = os.fspath(path).partition("::")
    return (file, table) if colons and os.path.isfile(file) and not os.path.exists(path) else None


def unpacked(path: PathLike) -> bytes | None:
    """The bytes of a source that has to be read here; None for a plain file, which the core reads."""
    name = os.fspath(path)
    if name == "-":
        return _standard_input()
    if not os.path.exists(name):
        raise InputError(f"{name}: there is no such file; check the path")
    if os.path.isdir(name):
        raise InputError(f"{name}: is a directory; name the files in it, e.g. {os.path.join(name, '*')}")
    if not name.endswith(COMPRESSED):
        # A pipe such as /dev/stdin or <(zcat …) has no size to read by.
        return None if os.path.isfile(name) and _core_can_open(name) else _read(path, -1)
    try:
        return _decompress(name)
    except (OSError, EOFError) as error:
        raise InputError(f"{name}: cannot be unpacked ({error}); check that the file is complete") from None


class UnpackedAhead(os.PathLike[str]):
    """The path of a packed file that a thread of its own has begun to unpack."""

    def __init__(self, path: PathLike) -> None:
        self._path = os.fspath(path)
        self._data: bytes | BaseException | None = None
        self._thread: threading.Thread | None = threading.Thread(target=self._unpack, daemon=True)
        self._thread.start()

    def __fspath__(self) -> str:
        return self._path

    def _unpack(self) -> None:
        try:
            self._data = unpacked(self._path)
        except BaseException as error:  # is raised where the data are wanted
            self._data = error

    def take(self) -> bytes | None:
        """The bytes of the file. They are kept only once; a second caller has to unpack the file again."""
        if self._thread is None:
            return unpacked(self._path)
        self._thread.join()
        data, self._thread, self._data = self._data, None, None
        if isinstance(data, BaseException):
            raise data
        return data


def text_lines(path: PathLike, data: bytes | None) -> Iterator[tuple[int, str]]:
    """Number and text of each line of data, without blank lines and comments. `data`: see `unpacked`."""
    if data is None:
        data = _read(path, -1)
    return _data_lines(checked_text(data, source_name(path)).split("\n"))


def streamed_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """The same as `text_lines`, but a plain file is read line by line: it may be larger than the memory."""
    data = unpacked(path)
    return text_lines(path, data) if data is not None else _data_lines(_lines(path))


def _lines(path: PathLike) -> Iterator[str]:
    name = source_name(path)
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n")
                except UnicodeDecodeError:
                    raise InputError(
                        f"{name}, line {number}: is not UTF-8; convert the file to UTF-8"
                    ) from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None


def first_line(path: PathLike, data: bytes | None) -> tuple[int, str]:
    """The first of `text_lines`, to recognise a format by; an empty one if there is none."""
    start = _read(path, 1 << 16) if data is None else data[: 1 << 16]
    lines = start.decode("utf-8-sig", errors="replace").split("\n")
    return next(_data_lines(lines), (1, ""))


def first_lines(path: PathLike, count: int) -> list[str]:
    """The first of `text_lines` of a file that can be read again, packed or not, to recognise what it is."""
    name = os.fspath(path)
    if not os.path.isfile(name):
        unpacked(path)  # says why not
    try:
        with _opened(name) if name.endswith(COMPRESSED) else open(name, "rb") as file:
            start = file.read(1 << 16)
    except InputError:
        raise
    except Exception:  # packed and damaged, or not to be opened: whoever reads all of it says so
        return []
    lines = start.decode("utf-8-sig", errors="replace").split("\n")
    return [line for _, line in islice(_data_lines(lines), count)]


class TextFile(NamedTuple):
    """A file to read: its path, and its bytes if they had to be read here (see `unpacked`)."""

    path: PathLike
    data: bytes | None
    #: how many threads may read it
    threads: int = 1

    @property
    def name(self) -> str:
        """What messages call it."""
        return source_name(self.path)

    def lines(self) -> Iterator[tuple[int, str]]:
        return text_lines(self.path, self.data)

    def first_line(self) -> tuple[int, str]:
        return first_line(self.path, self.data)

    def start(self) -> bytes:
        """Its first bytes, by which a file that is no text is recognised."""
        return first_bytes(self.path) if self.data is None else self.data[:MAGIC]


#: How many bytes at the beginning of a file say what kind of file it is.
MAGIC = 16


def first_bytes(path: PathLike) -> bytes:
    """The first bytes of a plain file, or of the file with the table that a path names."""
    table = database_table(path)
    return _read(path if table is None else table[0], MAGIC)


def text_file(path: PathLike, threads: int | None = 1) -> TextFile:
    """The file, to be read by so many threads; None: as many as there are processors."""
    if isinstance(path, UnpackedAhead):
        data = path.take()
    else:
        data = None if database_table(path) else unpacked(path)
    return TextFile(path, data, threads or os.cpu_count() or 1)


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


def _read(path: PathLike, size: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be opened ({error.strerror})") from None


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); name a file instead") from None


def _core_can_open(name: str) -> bool:
    """The core opens files by names in UTF-8, which other names are not, and which Windows does not take."""
    return name.isascii() or (os.name != "nt" and as_utf8(name) == name)


def _decompress(name: str) -> bytes:
    """What is in a packed file, as long as that is not more than `max_unpacked` allows."""
    most, found = max_unpacked(), bytearray()
    try:
        with _opened(name) as file:
            while piece := file.read(1 << 20):
                found += piece
                if len(found) > most:
                    raise InputError(
                        f"{name}: holds more than {most:,} bytes, the most that is unpacked; if it is what "
                        f"you expect, allow more with --max-unpacked or {MAX_UNPACKED}, e.g. "
                        f"{MAX_UNPACKED}=64G"
                    )
    except (OSError, EOFError):
        raise
    except Exception as error:
        if isinstance(error, InputError):
            raise
        raise OSError(error) from None  # zlib.error, LZMAError and ZstdError have nothing else in common
    return bytes(found)


def _opened(name: str) -> Any:
    if name.endswith(".gz"):
        import gzip

        return gzip.open(name)
    if name.endswith(".bz2"):
        import bz2

        return bz2.open(name)
    if name.endswith(".xz"):
        import lzma

        return lzma.open(name)
    return _zstd(name).open(name)


#: The environment variable that says how much a packed file may hold.
MAX_UNPACKED = "RANKPRISM_MAX_UNPACKED"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def max_unpacked() -> int:
    """How many bytes a packed file may hold: 16 GB, or what the environment variable says.

    A file of a few kilobytes can hold as many gigabytes, by mistake or by intent.
    """
    return parse_size(os.environ.get(MAX_UNPACKED) or "16G", MAX_UNPACKED)


def parse_size(text: str, what: str) -> int:
    """A number of bytes.

    >>> parse_size("64K", "size")
    65536
    """
    found = re.fullmatch(r"([0-9]{1,12})([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise InputError(f"{what}: {text!r} is no number of bytes; write it like 500M or 64G")
    return int(found[1]) * _UNITS[found[2]]


def _zstd(name: str) -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise InputError(f"{name}: .zst needs one more package: pip install 'rankprism[zstd]'") from None
    return zstd


def packed(path: PathLike, data: bytes) -> bytes:
    """Data as a file of this name holds it."""
    name = os.fspath(path)
    if name.endswith(".gz"):
        import gzip

        return gzip.compress(data, mtime=0)  # without the time, the same data is the same file
    if name.endswith(".bz2"):
        import bz2

        return bz2.compress(data)
    if name.endswith(".xz"):
        import lzma

        return lzma.compress(data)
    return bytes(_zstd(name).compress(data)) if name.endswith(".zst") else data


#: A text, or its pieces one after the other.
Pieces: TypeAlias = str | bytes | Iterable[str | bytes]


def write_texts(texts: Mapping[PathLike, Pieces]) -> None:
    """Several texts at once, packed as the names of their files say: all files whole, or none."""
    write_files({path: _packed_pieces(path, text) for path, text in texts.items()})


def _packed_pieces(path: PathLike, text: Pieces) -> Iterable[bytes]:
    pieces = [text] if isinstance(text, str | bytes) else text
    encoded = (piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)
    return [packed(path, b"".join(encoded))] if os.fspath(path).endswith(COMPRESSED) else encoded


def write_files(contents: Mapping[PathLike, bytes | Iterable[bytes]]) -> None:
    """Write several files: all of them complete, or none. Contents may come in pieces.

    "-" is standard output. A symbolic link stays, and the file that it points to is written. Devices, pipes
    and descriptors such as /dev/stdout are written to directly. An existing file keeps its mode, and a
    read-only file is refused.
    """
    for path in contents:
        check_target(path)
    places: dict[PathLike, Path] = {}
    with removed_unless_finished() as temporary:
        for path, data in contents.items():
            with _written(path):
                if replaces_file(path):
                    places[path] = temporary(Path(os.path.realpath(path)).parent)
                    _write_beside(Path(os.path.realpath(path)), places[path], data)
        for path, data in contents.items():
            with _written(path):
                if path in places:
                    os.replace(places[path], os.path.realpath(path))
                else:
                    _write_through(path, data)


def check_target(path: PathLike) -> None:
    """Refuse a path that cannot be written to. Call it before any work is done."""
    if not replaces_file(path):
        return
    name, target = os.fspath(path), Path(os.path.realpath(path))
    if not target.parent.is_dir():
        folder = target.parent if os.path.islink(path) else Path(path).parent  # as the user named it
        raise InputError(f"{name}: the folder {folder} does not exist; create it first")
    if target.is_dir():
        raise InputError(f"{name}: is a directory; name a file")
    if target.is_symlink():
        raise InputError(f"{name}: is a link that leads back to itself; remove it, or name another file")
    # Root may write to everything, so the mode is looked at, too: whoever made the file read-only meant it.
    if target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
        raise InputError(f"{name}: is read-only; allow writing to it (chmod u+w), or name another file")


def replaces_file(path: PathLike) -> bool:
    """Whether `path` is replaced by a new file, because it is no stream, device or pipe."""
    if os.fspath(path) == "-" or _descriptor(path) is not None:
        return False
    return not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path)


_DESCRIPTOR = re.compile(r"/dev/std(?P<name>in|out|err)|/(?:dev|proc/self|proc/\d+)/fd/(?P<number>\d+)")


def _descriptor(path: PathLike) -> int | None:
    """The open descriptor that a path stands for, perhaps through links.

    Such a path may lead to a file that the shell has open and goes on writing to, so it must not be replaced.
    """
    name = os.path.abspath(path)
    for _ in range(40):  # as many links as Linux follows
        found = _DESCRIPTOR.fullmatch(name)
        if found:
            return ("in", "out", "err").index(found["name"]) if found["name"] else int(found["number"])
        if not os.path.islink(name):
            return None
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def _write_through(path: PathLike, data: bytes | Iterable[bytes]) -> None:
    """Write to a stream, a device or a pipe, where nothing can be taken back."""
    number = 1 if os.fspath(path) == "-" else _descriptor(path)
    if number == 1:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(_pieces(data))
        sys.stdout.buffer.flush()
        return
    with open(path if number is None else os.dup(number), "wb") as file:
        file.writelines(_pieces(data))


def _pieces(data: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return [data] if isinstance(data, bytes) else data


def _write_beside(target: Path, temporary: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a new file with the mode and owner of the file that it will replace."""
    # O_EXCL: a file or link that somebody has put there is not written to.
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with open(number, "wb") as file:
        file.writelines(_pieces(data))
    if target.exists():
        old = target.stat()
        if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(OSError):  # only root may give files away
                os.chown(temporary, old.st_uid, old.st_gid)
        temporary.chmod(stat.S_IMODE(old.st_mode))


@contextmanager
def _written(path: PathLike) -> Iterator[None]:
    """Turn failures to write into errors that name the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if os.fspath(path) == "-" else os.fspath(path)
        raise InputError(f"{name}: cannot be written ({error.strerror or error})") from None


@contextmanager
def removed_unless_finished() -> Iterator[Callable[[Path], Path]]:
    """A function that names temporary files and folders, of which none is left, not even after SIGTERM.

    The function takes a folder and returns a path in it that nobody can guess.
    """
    made: list[Path] = []

    def temporary(folder: Path) -> Path:
        made.append(folder / f".rankprism-{os.urandom(8).hex()}.part")
        return made[-1]

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    # Only while there is something to remove. At any other time the default, to die at once, is right.
    kinds = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    if threading.current_thread() is not threading.main_thread():
        kinds = []  # only the main thread may say what signals do
    before = {kind: signal.signal(kind, end) for kind in kinds if signal.getsignal(kind) is signal.SIG_DFL}
    try:
        yield temporary
    finally:
        for path in made:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        for kind, handler in before.items():
            signal.signal(kind, handler)
