"""Writes files that appear complete or not at all, and to standard output."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from rankprism.errors import InputError
from rankprism.formats.files import COMPRESSED, PathLike, zstd


def packed(path: PathLike, data: bytes) -> bytes:
    """The data in the form in which a file of this name holds it."""
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
    return bytes(zstd(name).compress(data)) if name.endswith(".zst") else data


#: A text, or its pieces one after another.
Pieces: TypeAlias = str | bytes | Iterable[str | bytes]


def write_texts(texts: Mapping[PathLike, Pieces]) -> None:
    """Write several texts, packed as the names of their files say: all files complete, or none."""
    write_files({path: _packed_pieces(path, text) for path, text in texts.items()})


def _packed_pieces(path: PathLike, text: Pieces) -> Iterable[bytes]:
    pieces = [text] if isinstance(text, str | bytes) else text
    encoded = (piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)
    return [packed(path, b"".join(encoded))] if os.fspath(path).endswith(COMPRESSED) else encoded


def write_files(contents: Mapping[PathLike, bytes | Iterable[bytes]], *, mark: str = "") -> None:
    """Write several files: all of them complete, or none. Contents may come in pieces.

    "-" is standard output. A symbolic link stays, and the file that it points to is written. Devices, pipes
    and descriptors such as /dev/stdout are written to directly. An existing file keeps its mode, and a
    read-only file is refused. A power failure after the call loses nothing.

    mark : a part of the names of unfinished files, by which their owner finds them if it was killed.
    """
    for path in contents:
        check_target(path)
    places: dict[PathLike, Path] = {}
    with removed_unless_finished(mark) as temporary:
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
        for folder in {place.parent for place in places.values()}:
            with _written(folder):
                on_disk(folder)


def on_disk(folder: Path) -> None:
    """Wait until new names in a folder are on the disk, where the system can wait for that."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(number)


def check_target(path: PathLike) -> None:
    """Refuse a path that cannot be written to. Call this before any work is done."""
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
    # Root may write to everything, so the mode is checked, too: if the file is read-only, somebody meant it.
    if target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
        raise InputError(f"{name}: is read-only; allow writing to it (chmod u+w), or name another file")


def replaces_file(path: PathLike) -> bool:
    """Whether `path` is replaced by a new file, because it is not a stream, device or pipe."""
    if os.fspath(path) == "-" or _descriptor(path) is not None:
        return False
    return not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path)


_DESCRIPTOR = re.compile(r"/dev/std(?P<name>in|out|err)|/(?:dev|proc/self|proc/\d+)/fd/(?P<number>\d+)")


def _descriptor(path: PathLike) -> int | None:
    """The open descriptor that a path leads to, perhaps through links.

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
    # O_EXCL: never write to a file or link that somebody else has put there.
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with open(number, "wb") as file:
        file.writelines(_pieces(data))
        file.flush()
        os.fsync(number)  # otherwise a file may be empty under its name after a power failure
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
def removed_unless_finished(mark: str = "") -> Iterator[Callable[[Path], Path]]:
    """A function that names temporary files and folders. All are removed, even after SIGTERM.

    The function takes a folder and returns a path in it that nobody can guess.
    """
    made: list[Path] = []

    def temporary(folder: Path) -> Path:
        made.append(folder / f".rankprism-{mark}{os.urandom(8).hex()}.part")
        return made[-1]

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    # Handle signals only while there is something to remove. Otherwise the default, to die at once, is right.
    kinds = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    if threading.current_thread() is not threading.main_thread():
        kinds = []  # only the main thread may set signal handlers
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
