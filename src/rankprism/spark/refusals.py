"""Turns errors of workers into the errors that `rankprism.evaluate` would have raised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rankprism.errors import BrokenMeasure, InputError, MeasureError, RankprismError
from rankprism.spark.partition import without_rows


@contextmanager
def refused() -> Iterator[None]:
    """If a worker refuses its input, raise the worker's own error, without Spark's text around it."""
    try:
        yield
    except RankprismError as error:
        raise type(error)(without_rows(str(error))) from None
    except Exception as error:
        found = _refusal(str(error))
        if found is None:
            raise
        raise found from None


def _refusal(text: str) -> RankprismError | None:
    """Find a worker's error in the text of Spark's error, where it ends a Python traceback.

    >>> _refusal("Job aborted … Traceback …\\nrankprism.errors.InputError: bm25: is wrong\\n\\tat org…")
    InputError('bm25: is wrong')
    """
    kinds = {kind.__name__: kind for kind in (InputError, MeasureError, BrokenMeasure)}
    found = re.search(rf"^rankprism\.errors\.({'|'.join(kinds)}): (.*)$", text, re.M)
    return None if found is None else kinds[found[1]](found[2])
