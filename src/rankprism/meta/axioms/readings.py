"""Constraints by their names, in a reading of the whole table and with other values of single details."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankprism.errors import InputError
from rankprism.meta.axioms.constraint import PROVED, READINGS, Constraint, find_constraint, others, ten


def read_constraints(names: Iterable[str | Constraint], readings: Sequence[str] = ()) -> list[Constraint]:
    """The constraints with these names, or in the groups ten, more and all, under these readings.

    A reading is `proved` or `printed`, which are readings of the whole table (default: proved), or the value
    of a detail, written NAME=VALUE or CONSTRAINT.NAME=VALUE. Details have the last word, whatever the order.

    >>> read_constraints(["Red", "AspRel"], ["printed", "AspRel.suffix=none"])
    [Red(printed), AspRel(printed,suffix='none')]
    """
    groups = {"ten": ten(), "more": others(), "all": (*ten(), *others())}
    chosen: list[Constraint] = []
    for name in names:
        group = groups.get(name) if isinstance(name, str) else None
        chosen += group or (find_constraint(name),)
    whole = dict.fromkeys(text for text in readings if text in READINGS)
    if len(whole) > 1:
        raise InputError(f"the whole table has one reading; choose {' or '.join(whole)}")
    chosen = [constraint.under(next(iter(whole), PROVED)) for constraint in chosen]
    for text in readings:
        if text not in READINGS:
            chosen = _with_detail(chosen, text)
    return list({str(constraint): constraint for constraint in chosen}.values())


def _with_detail(chosen: Sequence[Constraint], text: str) -> list[Constraint]:
    """The constraints, with this value of a detail wherever they have the detail."""
    where, equals, value = text.partition("=")
    constraint, _, name = where.rpartition(".")
    only = find_constraint(constraint).name if constraint else None
    if not equals or not name:
        whole = ", ".join(READINGS)
        raise InputError(f"a reading is {whole}, NAME=VALUE or CONSTRAINT.NAME=VALUE; got {text!r}")
    meant = [c for c in chosen if (c.name == only if only else any(d.name == name for d in c.details))]
    if not meant:
        among = ", ".join(dict.fromkeys(d.name for c in chosen for d in c.details))
        raise InputError(f"no constraint here has the detail of {text!r}; the details are {among}")
    return [c(**{name: _value(value)}) if c in meant else c for c in chosen]


def _value(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
