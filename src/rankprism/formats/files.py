"""Files: compressed or not, standard input, and outputs that appear whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from rankprism.errors import InputError

PathLike: TypeAlias = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
RUN_ENDINGS = (".run", ".txt", ".trec", ".res")


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


def _decompress(name: str) -> bytes:
    data = Path(name).read_bytes()
    if name.endswith(".gz"):
        import gzip
        import zlib

        try:
            return gzip.decompress(data)
        except zlib.error as error:
            raise OSError(error) from None
    if name.endswith(".bz2"):
        import bz2

        return bz2.decompress(data)
    if name.endswith(".xz"):
        import lzma

        try:
            return lzma.decompress(data)
        except lzma.LZMAError as error:
            raise OSError(error) from None
    return _decompress_zstd(name, data)


def _decompress_zstd(name: str, data: bytes) -> bytes:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise InputError(
            f"{name}: reading .zst needs one more package: pip install 'rankprism[zstd]'"
        ) from None
    try:
        return bytes(zstd.decompress(data))
    except zstd.ZstdError as error:
        raise OSError(error) from None


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
