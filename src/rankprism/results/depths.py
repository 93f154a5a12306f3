"""Whether runs whose rankings differ in depth compare by their measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankprism.data import Note
from rankprism.errors import RankprismError
from rankprism.measures import Measure, Role, parse_all
from rankprism.results.direction import measure_inside
from rankprism.text import quoted

#: Rankings whose depths differ by more than this factor do not compare by a measure that grows with depth.
_FACTOR = 2


def note_of_depths(depths: Mapping[str, float], measures: Iterable[Measure]) -> Note | None:
    """The note on runs of these depths, if they differ and one of the measures grows with depth.

    depths : the median number of documents for a topic of each run.
    """
    if not depths:
        return None
    shallow, deep = (end(depths, key=lambda name: depths[name]) for end in (min, max))
    least, most = depths[shallow], depths[deep]
    grow = [m for m in measures if min(most, m.cutoff or most) > _FACTOR * least and m.grows_with_depth]
    if not grow:
        return None
    short = tuple(name for name, depth in depths.items() if most > _FACTOR * depth)
    reached = max(1, int(least))
    # A measure with one inside has no cutoff of its own.
    example = next((m @ reached for m in grow if Role.CUTOFF in m.definition.roles), f"nDCG@{reached}")
    names = ", ".join(map(str, grow[:3])) + (", …" if len(grow) > 3 else "")
    return Note(
        "unequal-depths",
        f"scores by {names} grow with the depth of a ranking, and the runs differ in depth: the median is "
        f"{least:g} documents for a topic in {quoted(shallow)} and {most:g} in {quoted(deep)}. Such scores "
        f"do not compare; cut the runs alike (--run-depth {reached}), or choose a cutoff that all of them "
        f"reach, e.g. {example}",
        len(short),
        shallow,
        short,
    )


def measures_named(names: Iterable[str]) -> list[Measure]:
    """The measures with these names, as far as they are known here."""
    found = []
    for name in names:
        try:
            found += parse_all(measure_inside(name))
        except RankprismError:
            continue  # a column of another program
    return found
