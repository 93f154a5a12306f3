"""The policy of a gate: which measures it looks at, and how much each of them may lose.

A TOML file holds it in the table `gate`::

    [gate]
    measures = ["nDCG@10", "AP"]
    margin = 0.01
    cannot-tell = "pass"

    [gate.margins]
    AP = "2%"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankprism.comparison import margins as margin_tests
from rankprism.errors import InputError, MeasureError, RankprismError, did_you_mean, one_of
from rankprism.measures import Measure, parse_all
from rankprism.statistics import check_level
from rankprism.text import quoted
from rankprism.types import CannotTell, MeasuresLike

#: The keys of the table, and what each of them must be.
_KEYS = {
    "measures": (list, 'a list of measures, e.g. ["nDCG@10", "AP"]'),
    "margin": (int | float | str, 'a number, or a text such as "2%"'),
    "margins": (dict, "a table of measures and their margins"),
    "alpha": (int | float, "a number between 0 and 1"),
    "cannot-tell": (str, 'one of "report", "pass" and "fail"'),
}


@dataclass(frozen=True)
class Policy:
    """What a gate looks at.

    >>> Policy.of(["nDCG@10", "AP"], 0.01, {"AP": "2%"}).margins[1]
    Margin(size=0.02, relative=True)
    """

    measures: tuple[Measure, ...]
    margins: tuple[margin_tests.Margin, ...]  #: the largest loss by each measure that does not matter
    alpha: float = 0.05
    cannot_tell: CannotTell = "report"

    @classmethod
    def of(
        cls,
        measures: MeasuresLike,
        margin: float | str | None,
        margins: Mapping[Any, float | str] | None = None,
        alpha: float = 0.05,
        cannot_tell: CannotTell = "report",
    ) -> Policy:
        """A policy. `margins` has the margins of single measures, and `margin` is for all the others."""
        chosen = parse_all(measures)
        check_level(alpha, None)
        if alpha >= 0.5:  # a run would pass and fail at once
            raise InputError(f"the alpha of a gate must be below 0.5; got {alpha:g}")
        one_of("cannot_tell", cannot_tell, CannotTell)
        own: dict[Measure, margin_tests.Margin] = {}
        for name, size in (margins or {}).items():
            for measure in parse_all(name):
                if measure not in chosen:
                    raise MeasureError(
                        f"there is a margin for {measure}, which is not among the measures "
                        f"{', '.join(map(str, chosen))}; add it to them, or leave out its margin"
                    )
                own[measure] = _margin(size, f"the margin of {measure}")
        default = None if margin is None else _margin(margin, "the margin")
        found = []
        for measure in chosen:
            size_of = own.get(measure, default)
            if size_of is None:
                raise InputError(
                    f"give a margin for {measure}: the largest loss that does not matter, e.g. 0.01, or 2% "
                    "of the baseline's mean; with 0, a run that did not change much can hardly pass"
                )
            found.append(size_of)
        return cls(tuple(chosen), tuple(found), alpha, cannot_tell)


def _margin(given: float | str, name: str) -> margin_tests.Margin:
    try:
        return margin_tests.Margin.of(given, zero=True)
    except InputError as error:
        raise InputError(str(error).replace("the margin", name, 1)) from None


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """Read the table `gate` of a TOML file."""
    import tomllib

    name = os.fspath(path)
    try:
        with open(path, encoding="utf-8") as file:
            tables = tomllib.loads(file.read())
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; check the path") from None
    except RecursionError:
        raise InputError(f"{name}: cannot be read as TOML: its values are nested too deep") from None
    except (ValueError, OSError) as error:
        raise InputError(f"{name}: cannot be read as TOML: {error}") from None
    table = tables.get("gate")
    if not isinstance(table, dict):
        raise InputError(f"{name}: has no table gate; write [gate] and its keys below")
    for key, value in table.items():
        if key not in _KEYS:
            meant = did_you_mean(key, {known: [known] for known in _KEYS})
            raise InputError(f"{name}: unknown key {key!r} in [gate]; there are {', '.join(_KEYS)}{meant}")
        kind, words = _KEYS[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{name}: {key} must be {words}; got {quoted(value)}")
    if not table.get("measures"):
        raise InputError(f'{name}: name the measures in [gate], e.g. measures = ["nDCG@10"]')
    for one in table["measures"]:
        if not isinstance(one, str):
            raise InputError(f"{name}: measures must be {_KEYS['measures'][1]}; got {quoted(one)} in it")
    try:
        return Policy.of(
            table["measures"],
            table.get("margin"),
            table.get("margins"),
            table.get("alpha", 0.05),
            table.get("cannot-tell", "report"),
        )
    except RankprismError as error:
        raise type(error)(f"{name}: {error}") from None
