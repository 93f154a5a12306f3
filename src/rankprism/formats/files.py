"""Files: compressed or not, standard input, and outputs that appear whole or not at all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from rankprism._core import checked_text
from rankprism.errors import InputError

PathLike: TypeAlias = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
RUN_ENDINGS = (".run", ".txt", ".trec", ".res", ".tsv")

#: What separates columns in the core, and hence here: ASCII blanks only, so that any script can be in an id.
BLANKS = "".join(map(chr, range(33)))
_COLUMN = re.compile(r"[^\x00-\x20]+")


def run_name(path: PathLike) -> str:
    """A run's name: the file's, without what says how it is packed and what it is.

    >>> run_name("runs/bm25.v2.run.gz")
    'bm25.v2'
    """
    name = "stdin" if os.fspath(path) == "-" else Path(path).name
    for endings in (COMPRESSED, RUN_ENDINGS):
        for ending in endings:
            if name.endswith(ending) and name != ending:
                name = name.removesuffix(ending)
                break
    return name


def source_name(path: PathLike) -> str:
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def unpacked(path: PathLike) -> bytes | None:
    """The bytes of a source that has to be read here; None for a plain file, which the core reads."""
    name = os.fspath(path)
    if name == "-":
        return sys.stdin.buffer.read()
    if not os.path.exists(name):
        raise InputError(f"{name}: there is no such file; check the path")
    if os.path.isdir(name):
        raise InputError(f"{name}: is a directory; name the files in it, e.g. {os.path.join(name, '*')}")
    if not name.endswith(COMPRESSED):
        # A pipe such as /dev/stdin or <(zcat …) has no size to read by.
        return None if os.path.isfile(name) else Path(name).read_bytes()
    try:
        return _decompress(name)
    except (OSError, EOFError) as error:
        raise InputError(f"{name}: cannot be unpacked ({error}); check that the file is complete") from None


def text_lines(path: PathLike, data: bytes | None) -> Iterator[tuple[int, str]]:
    """Number and text of each line of data, blank lines and comments left out. `data`: see `unpacked`."""
    if data is None:
        data = _read(path, -1)
    return _data_lines(checked_text(data, source_name(path)).split("\n"))


def first_line(path: PathLike, data: bytes | None) -> tuple[int, str]:
    """The first of `text_lines`, to recognise a format by; an empty one if there is none."""
    start = _read(path, 1 << 16) if data is None else data[: 1 << 16]
    lines = start.decode("utf-8-sig", errors="replace").split("\n")
    return next(_data_lines(lines), (1, ""))


def columns(line: str) -> list[str]:
    r"""What stands between blanks, as the core sees it.

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


def write_texts(texts: Mapping[PathLike, str | bytes]) -> None:
    """Several files at once, packed as their names say: all of them whole, or none."""
    with ExitStack() as finished:
        for path, text in texts.items():
            data = packed(path, text if isinstance(text, bytes) else text.encode())
            if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
                Path(path).write_bytes(data)  # /dev/null, a pipe: nothing to put in its place
            else:
                finished.enter_context(written_whole(path)).write_bytes(data)


@contextmanager
def written_whole(path: PathLike) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place at the end, if nothing went wrong."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"{target}: the folder {target.parent} does not exist; create it first")
    if target.is_dir():
        raise InputError(f"{target}: is a directory; name a file")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None
    finally:
        temporary.unlink(missing_ok=True)
