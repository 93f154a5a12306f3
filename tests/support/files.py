"""Files that tests write and read."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, and return its path."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def lines_of(path: Path) -> list[str]:
    """The lines of a file, which may be packed."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").splitlines()


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, by the names of the columns."""
    return list(csv.DictReader(lines_of(path)))
