"""Runs that are fetched while the judgments are still being read.

A run can be aligned only when the judgments are known. But packed files can be unpacked before, and the
system can be asked to bring plain files into memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from rankprism.formats import files


def fetched_ahead(sources: Mapping[str, Any], threads: int | None) -> dict[str, Any]:
    """The same sources, of which the first files, one for each thread, are being fetched from now on."""
    most = threads or os.cpu_count() or 1
    fetched = dict(sources)
    if most == 1:
        return fetched
    for name, source in islice(sources.items(), most):
        if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
            continue
        if os.fspath(source).endswith(files.COMPRESSED):
            fetched[name] = files.UnpackedAhead(source)
        else:
            _ask_for(source)
    return fetched


def _ask_for(path: files.PathLike) -> None:
    """Ask the system, where it takes such advice, to bring a file into memory in the background."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError), open(path, "rb") as file:  # whoever reads the file says what is wrong
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)
