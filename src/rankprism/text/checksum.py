"""A checksum inside a Parquet file: the SHA-256 of all its bytes, with its own digits read as zeros.

It stays with the file when it is copied, mailed or unpacked, and needs no second file.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator

#: What the metadata of a file have before its checksum is known.
KEY, BLANK = b"rankprism.checksum", b"sha256:" + 64 * b"0"
_WRITTEN = re.compile(rb"rankprism\.checksum..sha256:([0-9a-f]{64})", re.DOTALL)
#: What is left of it after any single bit has flipped.
_LEFT = re.compile(rb"rankprism\.checksum|sha256:[0-9a-f]{64}")


def checksummed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a file with its checksum, for which the last piece has `BLANK`.

    >>> start, end = checksummed([b"scores ", KEY + b": " + BLANK])
    >>> is_intact(start + end), is_intact(b"Scores " + end), is_intact(b"scores")
    (True, False, None)
    """
    digest = hashlib.sha256()
    last = b""
    for piece in pieces:
        if last:
            yield last
        digest.update(piece)
        last = piece
    if not last:
        return
    before, blank, after = last.rpartition(BLANK)
    if not blank:
        raise ValueError("the last piece has no place for the checksum")
    yield before + b"sha256:" + digest.hexdigest().encode() + after


def may_have_one(path: str) -> bool:
    """Whether a Parquet file may have been written with a checksum, by what is at its end."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 8))
        footer = 8 + int.from_bytes(file.read(4), "little")
        file.seek(max(0, size - footer))
        return _LEFT.search(file.read()) is not None


def is_intact(data: bytes) -> bool | None:
    """Whether a file is as it was written; None if it has no checksum.

    A program that reads a table and writes it again copies the zeros of the metadata, which are no checksum.
    """
    found = list(_WRITTEN.finditer(data))
    if not found:
        return False if _LEFT.search(data) else None
    start, end = found[-1].span(1)
    if data[start:end] == BLANK[-64:]:
        return None
    digest = hashlib.sha256(memoryview(data)[:start])
    digest.update(BLANK[-64:])
    digest.update(memoryview(data)[end:])
    return digest.hexdigest().encode() == found[-1][1]
