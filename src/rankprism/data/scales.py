"""Scales: the ordered labels of an aspect, and their positions.

Relevance may be judged on four labels, correctness on three. To compare documents on both, each label is
embedded as a number (Maistro et al. 2021, section 3.2). By default, neighbouring labels are one unit apart.

If all topics have the same aspects, each aspect may have a scale, which is an ordered list of labels with
a position for each. The table of judgments keeps plain grades. The scales travel with the judgments and
reach the pool of every topic, which numbers the label tuples of its documents when a measure asks for
them. TOMA is therefore only one more way to make one grade out of several, and the measure inside does
not know about it. Distances are compared as fractions, because a class consists of label tuples at
exactly the same distance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankprism.data.limits import LARGEST
from rankprism.errors import InputError, listed

if TYPE_CHECKING:
    from rankprism.data.arrays import Floats, Longs
    from rankprism.data.hits import Cells, Pool

#: Without a given scale, every whole grade up to this one has a label. If there are higher or other grades,
#: only grades that occur have one.
_WHOLE = 1000
#: The largest number of labels of one aspect.
MOST_LABELS = 100_000
_MOST_CODES = 2**62  # combinations of labels that can be numbered

T = TypeVar("T")


@dataclass(frozen=True)
class Scale:
    """The labels of one aspect, from the lowest to the highest.

    >>> Scale.of("correctness", ["nc", "pc", "c"], embed=["0", "3/2", "3"])
    <Scale correctness: nc=0 pc=3/2 c=3>
    """

    aspect: str
    grades: tuple[float, ...]  # the grade of each label in the judgments
    names: tuple[str, ...]
    place: tuple[Fraction, ...]  # the embedding: never descending
    #: Another aspect. Where it has its lowest label, this aspect has its lowest label too (a document that is
    #: not relevant cannot be correct).
    given: str | None = None
    #: Whether a lower score on this aspect is better. None: only on the aspect called harmful.
    lower_is_better: bool | None = None

    @classmethod
    def of(
        cls,
        aspect: str,
        labels: Sequence[Any] | int,
        embed: Sequence[Any] | None = None,
        given: str | None = None,
        grades: Sequence[Any] | None = None,
        lower_is_better: bool | None = None,
    ) -> Scale:
        """Make a scale from labels, which are all ascending numbers or all names, or from a number of labels.

        A label that is a number is its own grade. Labels that are names have the grades 0, 1, … unless
        `grades` gives others.
        """
        if isinstance(labels, int):
            if not 0 < labels <= MOST_LABELS:
                raise InputError(f"the scale of {aspect!r} has 1 to {MOST_LABELS:,} labels; got {labels:g}")
            labels = range(labels)
        for label in [*labels, *(embed or ()), *(grades or ())]:
            if isinstance(label, bool) or not isinstance(label, str | int | float | Fraction):
                raise InputError(f"the scale of {aspect!r}: {label!r} is neither a number nor a name")
            if not isinstance(label, str) and number(label) is None:
                raise InputError(
                    f"the scale of {aspect!r}: a number is not between -{LARGEST:,} and {LARGEST:,}"
                )
        names = tuple(number_name(x) for x in labels)
        values = [number(x) for x in labels]
        if not names:
            raise InputError(
                f"the scale of {aspect!r} has no labels; name them from the lowest to the highest"
            )
        if len(set(names)) < len(names):
            raise InputError(f"the scale of {aspect!r} has a label twice: {', '.join(names)}")
        if grades is None:
            grades = range(len(names)) if None in values else values
        elif len(grades) != len(names):
            raise InputError(
                f"{len(grades)} grades for the {len(names)} labels of {aspect!r}; give one for each"
            )
        worth = tuple(math.nan if (x := number(grade)) is None else float(x) for grade in grades)
        if not math.isfinite(worth[0]) or any(not low < high for low, high in pairwise(worth)):
            raise InputError(
                f"the labels of {aspect!r} do not ascend: {', '.join(names)}, with the grades "
                f"{', '.join(map(number_name, grades))}; list them from the lowest to the "
                f"highest, each with a grade of its own"
            )
        if worth[0] < 0:
            raise InputError(
                f"the lowest label of {aspect!r} is {names[0]}, and grades begin at 0; give each label a "
                f"grade, e.g. 0, 1, …"
            )
        return cls(aspect, worth, names, _embedded(aspect, names, embed), given, lower_is_better)

    def __repr__(self) -> str:
        places = " ".join(f"{name}={place}" for name, place in zip(self.names, self.place, strict=True))
        better = {None: "", True: ", lower is better", False: ", higher is better"}[self.lower_is_better]
        return f"<Scale {self.aspect}: {places}{better}>"

    def numbers(self, grade: Floats) -> Longs:
        """The number of each grade's label, from 0. Grades below the scale get the lowest label."""
        return np.maximum(np.searchsorted(self.grades, grade, side="right") - 1, 0)

    def number_of(self, label: Any) -> int | None:
        """The number of a label from 0, found by its name or its grade."""
        name = number_name(label)
        return self.names.index(name) if name in self.names else None


def given_first(scales: Sequence[Scale]) -> list[Scale]:
    """Sort the scales so that each comes after the aspect that it is `given`.

    >>> chain = [Scale.of("c", 2, given="b"), Scale.of("b", 2, given="a"), Scale.of("a", 2)]
    >>> [scale.aspect for scale in given_first(chain)]
    ['a', 'b', 'c']
    """
    by_name = {scale.aspect: scale for scale in scales}

    def depth(scale: Scale) -> int:
        chain = [scale.aspect]
        while (given := by_name[chain[-1]].given) is not None:
            if given not in by_name:
                raise InputError(
                    f"aspect {chain[-1]!r} is given {given!r}, which is not one of the aspects; there are "
                    f"{listed(by_name)}"
                )
            if given in chain:
                raise InputError(
                    f"aspect {given!r} is given itself: {' given '.join([*chain, given])}; leave one out"
                )
            chain.append(given)
        return len(chain)

    return sorted(scales, key=depth)


def _embedded(aspect: str, names: Sequence[str], embed: Sequence[Any] | None) -> tuple[Fraction, ...]:
    if embed is None:
        return tuple(map(Fraction, range(len(names))))
    place = [number(x) for x in embed]
    for given, known in zip(embed, place, strict=True):
        if known is None:
            raise InputError(
                f"the embedding of {aspect!r}: {given!r} is not a number between -{LARGEST:,} and "
                f"{LARGEST:,}; write 2, 0.5 or 3/2"
            )
    known_places = tuple(x for x in place if x is not None)
    if len(known_places) != len(names):
        raise InputError(
            f"the embedding of {aspect!r} has {len(known_places)} places for {len(names)} labels "
            f"({', '.join(names)}); give one for each"
        )
    for low, high, name in zip(known_places, known_places[1:], names[1:], strict=False):
        if high < low:
            raise InputError(
                f"the embedding of {aspect!r} decreases from {low} to {high} at label {name!r}; a better "
                f"label may not have a lower place"
            )
    return known_places


#: The number of characters of a label or a place, which are between -LARGEST and LARGEST.
_LONGEST = 60
_NUMBER = re.compile(r"[+-]?([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?)")


@lru_cache(maxsize=4096)
def number(value: Hashable) -> Fraction | None:
    """The exact number that a value denotes; None if it is not a number or out of range.

    >>> number("3/2"), number(0.1), number("relevant"), number("1e999999999")
    (Fraction(3, 2), Fraction(1, 10), None, None)
    """
    if isinstance(value, str):
        text = value.strip()
        if len(text) > _LONGEST or _NUMBER.fullmatch(text) is None:
            return None
    elif isinstance(value, float):
        text = repr(value)
    elif isinstance(value, Fraction | int) and not isinstance(value, bool):
        return Fraction(value) if -LARGEST <= value <= LARGEST else None
    else:
        return None
    try:
        found = Fraction(text)
    except (ValueError, ZeroDivisionError):  # nan, inf, 1/0
        return None
    return found if abs(found) <= LARGEST else None


@lru_cache(maxsize=4096)  # a file has many labels, but few different ones
def number_name(value: Hashable) -> str:
    """The name of a label. Equal numbers have the same name, whether read or computed.

    >>> number_name(2.0), number_name("02"), number_name("pc")
    ('2', '2', 'pc')
    """
    known = number(value)
    return str(value) if known is None else str(known)


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of the documents of a collection whose topics all have the same aspects."""

    scales: tuple[Scale, ...]  # in the order in which the aspects were named
    column: tuple[int, ...]  # the position of each scale's aspect among the aspects of a topic
    _documents: Callable[[], Floats] = field(repr=False)  # (A, D) the grades of all relevant documents
    is_ordered: bool = True  # whether somebody has named the aspects in an order
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute()`, called only once: all measures and runs share an order of labels."""
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]  # type: ignore[return-value]  # what compute returned

    def check_order(self, what: str) -> None:
        """Refuse a list of labels, one per aspect, if nobody has named the aspects in an order."""
        if not self.is_ordered:
            raise InputError(
                f"{what} lists a label of each aspect, but the aspects have no order; name them when the "
                f"judgments are read, e.g. "
                f"aspects={[scale.aspect for scale in self.scales]} (--aspects)"
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(scale.grades) for scale in self.scales)

    def codes(self, grade: Floats) -> Longs:
        """(.., D) one number for the labels of each document, from its grades (.., A, D).

        The labels are the digits of this number, and the first aspect has the highest digit. A label that is
        missing or below the lowest counts as the lowest.
        """
        if math.prod(self.sizes) > _MOST_CODES:
            raise InputError(
                f"{math.prod(self.sizes)} combinations of labels are too many to number: "
                f"{', '.join(f'{len(scale.names)} of {scale.aspect}' for scale in self.scales)}; give the "
                f"aspects scales with fewer labels"
            )
        code = np.zeros((*grade.shape[:-2], grade.shape[-1]), dtype=np.int64)
        for scale, a in zip(self.scales, self.column, strict=True):
            code = code * len(scale.grades) + scale.numbers(grade[..., a, :])
        return code

    def tuples(self, codes: Longs) -> list[tuple[int, ...]]:
        """The label numbers that the codes encode."""
        digits = np.unravel_index(codes, self.sizes)
        return list(zip(*(d.tolist() for d in digits), strict=True))

    @cached_property
    def seen(self) -> frozenset[tuple[int, ...]]:
        """The label tuples of all relevant documents, and the lowest tuple, which unjudged documents have."""
        codes = np.unique(self.codes(self._documents()))
        return frozenset([*self.tuples(codes), (0,) * len(self.scales)])


def labels_of_cells(cells: Cells) -> Labels:
    """The labels of a whole collection, from its scales or, if it has none, from its grades."""
    aspects = cells.aspects
    width = int(aspects[0])
    names = tuple(cells.names[:width])
    if (aspects != width).any() or any(
        name != names[i % width] for i, name in enumerate(cells.names[: width * len(aspects)])
    ):
        raise InputError(
            "the topics of these judgments have aspects of their own, like the subtopics of diversity "
            "judgments; TOMA, Aspect and Contrast need the same aspects in all topics, like relevance and "
            "credibility. If all topics should have the same ones, name them with aspects= (--aspects)"
        )

    table, relevant = cells.table, cells.documents  # not the cells themselves, which keep these labels

    def documents() -> Floats:
        first = np.concatenate(([0], np.cumsum(relevant)))
        start, doc, aspect, grades = table.relevant_cells()
        grade = np.zeros((width, int(first[-1])))
        topic = np.repeat(np.arange(len(aspects)), np.diff(start))
        grade[aspect, first[topic] + doc] = grades
        return grade

    if cells.scales is not None:
        column = tuple(names.index(scale.aspect) for scale in cells.scales)
        return Labels(cells.scales, column, documents)
    by_aspect = [cells.grade[cells.aspect == a] for a in range(width)]
    return Labels(_by_grades(names, by_aspect), tuple(range(width)), documents, is_ordered=width == 1)


def labels_of_pool(pool: Pool) -> Labels:
    """The labels of a pool without a collection, in which a grade means the same on every aspect."""
    grade, width = pool.grade, pool.grade.shape[1]
    names = [str(a + 1) for a in range(width)]
    return Labels(
        _by_grades(names, [grade.ravel()] * width),
        tuple(range(width)),
        lambda: grade.transpose(1, 0, 2).reshape(width, -1),
    )


def _by_grades(names: Sequence[str], grades: Sequence[Floats]) -> tuple[Scale, ...]:
    """Scales of the whole numbers up to the highest grade, or of the grades if not all are whole."""
    scales = []
    for name, grade in zip(names, grades, strict=True):
        grade = np.maximum(grade, 0)
        highest = grade.max(initial=0.0)
        if highest <= _WHOLE and (grade == np.floor(grade)).all():
            scales.append(Scale.of(name, int(highest) + 1))
        else:
            scales.append(Scale.of(name, np.unique(np.append(grade, 0.0)).tolist()))
    return tuple(scales)
