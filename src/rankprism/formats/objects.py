"""Recognises objects in memory: judgments and runs of other packages, datasets, files of aspects, nuggets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

#: The beginning of the id of a dataset of ir_datasets, which may be given instead of a path.
DATASET = "irds:"


def is_dataset(source: Any) -> bool:
    """Whether this is the id of a dataset, such as "irds:vaswani", or a dataset of ir_datasets.

    >>> is_dataset("irds:vaswani"), is_dataset("qrels.txt")
    (True, False)
    """
    return source.startswith(DATASET) if isinstance(source, str) else hasattr(type(source), "has_qrels")


def are_dataset_rows(source: Any) -> bool:
    """Whether these are judgments that ``dataset.qrels_iter()`` has returned."""
    first = source[0] if isinstance(source, list | tuple) and source else None
    return isinstance(first, tuple) and type(first).__module__.partition(".")[0] == "ir_datasets"


def is_file_per_aspect(source: Any) -> bool:
    """``{aspect: path}``"""
    is_mapping = isinstance(source, Mapping) and bool(source)
    return is_mapping and all(isinstance(path, str | os.PathLike) for path in source.values())


def are_nuggets(source: Any) -> bool:
    """Whether these are rows with nuggets."""
    first = source[0] if isinstance(source, list | tuple) and source else None
    return isinstance(first, Mapping) and "nuggets" in first


def is_ranked_list(source: Any) -> bool:
    """Whether this is a ranking without scores: a list of documents, the best first.

    >>> is_ranked_list(["d1", "d2"]), is_ranked_list([("q1", "d1", 2.5)])
    (True, False)
    """
    is_list = isinstance(source, list | tuple) or type(source).__name__ == "ndarray"
    return is_list and not any(isinstance(doc, list | tuple | Mapping) or doc is None for doc in source)


def plain(source: Any) -> Any:
    """The dictionary of a `Run` or `Qrels` of ranx, the frame of a `TrecRun` or `TrecQrel` of trectools.

    Everything else is returned as it is. Neither package is imported.
    """
    of = peer_of(source)
    if of == "ranx":
        return source.to_dict()
    if of == "trectools":
        # The second column of judgments holds subtopics, if the file has them.
        return source.qrels_data.rename(columns={"q0": "aspect"}) if _has_qrels(source) else source.run_data
    return source


def peer_of(source: Any) -> str | None:
    """The package that an object comes from, if it is a run or judgments of another package."""
    package = type(source).__module__.partition(".")[0]
    is_known = package == "ranx" and hasattr(source, "to_dict")
    is_known |= package == "trectools" and (hasattr(source, "run_data") or _has_qrels(source))
    return package if is_known else None


def _has_qrels(source: Any) -> bool:
    return hasattr(source, "qrels_data")


def peer_name(source: Any) -> str | None:
    """The name that a run of another package has, if it has one."""
    of = peer_of(source)
    if of == "trectools":
        return next((str(name) for name in source.run_data.get("system", ())), None)
    return source.name if of == "ranx" and isinstance(source.name, str) and source.name else None
