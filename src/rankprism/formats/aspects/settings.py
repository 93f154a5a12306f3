"""The settings of an aspect: where its labels come from, and their scale."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from rankprism.data import Scale
from rankprism.errors import InputError
from rankprism.formats.aspects.labels import SKIPPED
from rankprism.formats.files import PathLike
from rankprism.text import quoted


@dataclass(frozen=True)
class AspectSettings:
    """One aspect: where its labels come from, and their scale."""

    name: str
    #: The labels from the lowest to the highest, as numbers or names. Default: the whole numbers from 0.
    labels: tuple[Any, ...] | None = None
    #: The positions of the labels, in the same order. Default: one unit apart.
    embed: tuple[Any, ...] | None = None
    #: The labels' worth to single-aspect measures. Default: the labels if they are numbers, else their place.
    grades: tuple[Any, ...] | None = None
    #: Another aspect. Where it has its lowest label, this one also gets its lowest label.
    given: str | None = None
    #: Labels that mean "no label".
    missing: tuple[Any, ...] = ()
    #: Whether labels below the lowest, such as -1 for not judged, are the "lowest" or an "error".
    below: str = "lowest"
    #: The grade column, if its name differs from the aspect's.
    column: str | None = None
    #: The file of this aspect, if it has its own.
    file: PathLike | None = None
    #: Scores at which the next label begins, if the file holds scores: 80, or 95% for a percentile.
    thresholds: tuple[Any, ...] = ()
    #: The accepted answer of each topic. The label becomes 1 if the document gives that answer, else 0.
    answers: Any = None
    #: The element of XML topics that holds the answer.
    element: str | None = None
    #: Which label an answer means, if they are spelled differently.
    means: Mapping[str, Any] | None = None
    #: The weight of the aspect in CAM, MM and weighted distances.
    weight: float | None = None
    #: Whether a lower score on this aspect is better. Default: only if it is called harmful.
    lower_is_better: bool | None = None

    @classmethod
    def of(cls, name: str, settings: Any) -> AspectSettings:
        """An aspect from its settings: a mapping, its labels, or a scale."""
        if isinstance(settings, AspectSettings):
            return settings
        if isinstance(settings, Scale):
            settings = {
                "labels": settings.names,
                "embed": settings.place,
                "given": settings.given,
                "grades": settings.grades,
                "lower_is_better": settings.lower_is_better,
            }
        if settings is None:
            settings = {}
        if isinstance(settings, list | tuple | range):
            settings = {"labels": settings}
        if not isinstance(settings, Mapping):
            raise InputError(f"aspect {name!r}: {settings!r} is not settings; pass a mapping or its labels")
        allowed = [field.name for field in fields(cls) if field.name != "name"]
        settings = {key: value for key, value in settings.items() if value is not None}
        for key, value in settings.items():
            if key not in allowed:
                raise InputError(f"aspect {name!r} has no setting {key!r}; it has {', '.join(allowed)}")
            kinds, words = _KINDS[key]
            if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
                raise InputError(f"aspect {name!r}: {key} must be {words}; got {quoted(value)}")
            inside = (
                value.values() if isinstance(value, Mapping) else value if isinstance(value, _LIST) else ()
            )
            for one in inside:
                if isinstance(one, bool) or not isinstance(one, str | int | float | Fraction):
                    raise InputError(
                        f"aspect {name!r}: {key} may hold only numbers and words; got {quoted(one)} in it"
                    )
        listed: dict[str, Any] = {k: tuple(v) if isinstance(v, _LIST) else v for k, v in settings.items()}
        if listed.get("below", "lowest") not in ("lowest", "error"):
            raise InputError(f"aspect {name!r}: below must be 'lowest' or 'error'; got {listed['below']!r}")
        if "thresholds" in listed and "file" not in listed:
            raise InputError(f"aspect {name!r}: thresholds turn scores in a file into labels; name the file")
        for key in ("means", "element"):
            if key in listed and "answers" not in listed:
                raise InputError(f"aspect {name!r}: {key} says how to read answers; name the answers")
        return cls(name, **listed)


_LIST = (list, tuple, range)
_KINDS: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("labels", "embed", "grades", "missing", "thresholds"), (_LIST, "a list")),
    **dict.fromkeys(("given", "column", "element", "below"), (str, "a word")),
    "file": ((str, os.PathLike), "the path of a file"),
    "answers": ((str, os.PathLike, Mapping), "the path of a file, or a mapping of topics to answers"),
    "means": (Mapping, "a mapping of answers to labels"),
    "weight": ((int, float), "a number"),
    "lower_is_better": (bool, "true or false"),
}


def as_aspects(given: Any) -> tuple[AspectSettings, ...]:
    """Aspects from their names, in a list or with commas between them, or with settings in a mapping."""
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",")]
    if isinstance(given, Mapping):
        given = [AspectSettings.of(str(name), settings) for name, settings in given.items()]
    if not isinstance(given, Iterable):
        raise InputError(f"aspects are names in a list, or settings by name in a mapping; got {given!r}")
    aspects = tuple(_as_aspect(a) for a in given)
    names = [a.name for a in aspects if a.name != SKIPPED]
    if not names or not all(names):
        raise InputError(f"aspects need names; got {given!r}")
    if len(set(names)) < len(names):
        raise InputError(f"an aspect is named twice: {', '.join(names)}")
    return aspects


def _as_aspect(given: Any) -> AspectSettings:
    if isinstance(given, AspectSettings):
        return given
    if isinstance(given, Scale):
        return AspectSettings.of(given.aspect, given)
    if isinstance(given, str | int):
        return AspectSettings(str(given))
    raise InputError(
        f"{given!r} is not the name of an aspect; settings are given by name, {{name: settings}}"
    )
