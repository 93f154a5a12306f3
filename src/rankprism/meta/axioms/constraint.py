"""What a constraint is: a statement about the scores of rankings, and how to make rankings that test it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from typing import Any

import numpy as np

from rankprism.data import Bools, Floats
from rankprism.errors import InputError, did_you_mean
from rankprism.measures.users import called
from rankprism.meta.axioms.rankings import Base, Rankings

#: A score counts as higher than another only if it is higher by more than this share of their size, because
#: sums in another order differ by less.
CLOSE = 1e-14
#: Scores count as different only beyond this share, because differences of sums lose more digits than sums.
FAR_ENOUGH = 1e-12


def _size(*scores: Floats) -> Floats:
    size = np.max(np.abs(scores), axis=0)
    return np.where(np.isfinite(size), size, 0.0)


def _slack(*scores: Floats) -> Floats:
    return FAR_ENOUGH * _size(*scores) + 1e-15


@dataclass(frozen=True)
class Relation:
    """The relation that must hold between the scores of the rankings of an instance."""

    sign: str
    holds: Callable[..., Bools]
    #: By how much the relation holds, if this is defined. The search varies instances with small margins.
    margin: Callable[..., Floats] | None = None

    def __call__(self, scores: Floats) -> Bools:
        """(N,) from scores (N, rankings)"""
        with np.errstate(invalid="ignore"):
            return self.holds(*scores.T)


MORE = Relation(">", lambda a, b: a > b + CLOSE * _size(a, b), margin=lambda a, b: a - b)
NOT_LESS = Relation("≥", lambda a, b: a >= b - _slack(a, b), margin=lambda a, b: a - b)
EQUAL = Relation("=", lambda a, b: np.abs(a - b) <= _slack(a, b))
IN_UNIT = Relation(
    "in [0,1]",
    lambda a: (a >= -_slack(a)) & (a <= 1 + _slack(a)),
    margin=lambda a: np.minimum(a, 1 - a),
)
ONE = Relation("= 1", lambda a: np.abs(a - 1) <= _slack(a))
ZERO = Relation("= 0", lambda a: np.abs(a) <= _slack(a))
FINITE = Relation("is a number", lambda a: np.isfinite(a))


#: The readings of the whole table, and what each one is. The first is the default.
READINGS = {
    "proved": "the premises that the paper's proofs use",
    "printed": "the premises that the paper prints",
}
PROVED = "proved"


@dataclass(frozen=True)
class Detail:
    """A detail that a constraint leaves open: its possible values, its default, and the reason for it.

    The default is its value in the reading `proved` of the whole table.
    """

    name: str
    default: Any
    why: str
    choices: tuple[str, ...] = ()  # if empty, the value is a number in (0, 1]
    optional: bool = False  # None is a value
    printed: Any = None  # its value in the reading `printed`; None: the default
    premise: str = ""  # what the default adds to the premises that the paper prints

    def value_in(self, whole: str) -> Any:
        """Its value in a reading of the whole table."""
        return self.default if whole == PROVED or self.printed is None else self.printed

    @property
    def range(self) -> str:
        if self.choices:
            return " or ".join(self.choices)
        return "a number above 0 and at most 1" + (", or nothing" if self.optional else "")

    def check(self, value: Any, constraint: str) -> Any:
        if value is None and self.optional:
            return None
        if self.choices:
            good = value in self.choices
        else:
            good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1
        if not good:
            raise InputError(f"{constraint}: {self.name} must be {self.range}; got {value!r}")
        return value if self.choices else float(value)


@dataclass(frozen=True)
class Scope:
    """The documents and weights that a constraint is about, as far as its premises are general."""

    aspects: tuple[int, ...] = (1,)  # numbers that are tried, the first ones most often
    grades: str = "graded"  # or binary: all grades above 0 are equal
    highest: float = 0.1  # r(d,t) is at most this
    small: str = "literal"  # or room: on each aspect, the grades of a ranking sum to less than 1
    weights: str = "balanced"  # or any
    overlap: bool = True  # a document may be about several aspects
    cutoff: str = "free"  # rankings are not longer than the cutoff; or binding: they reach it
    fewest: int = 0  # documents of a base
    most: int = 10
    alike: int = 0  # up to this many equally relevant documents on each aspect may precede them


#: The numbers of aspects that are tried if a constraint is about several.
SEVERAL = (2, 3, 4, 5, 6, 7, 8)
#: How many equal documents the ten constraints use: enough to satisfy an aspect with grades about .1.
ALIKE = 16

# Readings that several constraints have. A reading with the name of a field of Scope sets this field.
GRADES = Detail(
    "grades",
    "graded",
    "the paper states the constraint for graded relevance (its section 4.1)",
    ("graded", "binary"),
)
HIGHEST = Detail("highest", 0.1, "the premise r(d,t) ≪ 1 names no number, and we take a tenth as small")
ANY_GRADE = Detail("highest", 1.0, "the statement does not ask for small grades")
SMALL = Detail(
    "small",
    "literal",
    "r ≪ 1 is about each document alone; the paper explains it by 'there is always room for new documents', "
    "which would also require a sum below 1 on each aspect",
    ("literal", "room"),
)
CUTOFF = Detail(
    "cutoff",
    "free",
    "if a cutoff cuts documents off, no measure sees what the statement is about; the proofs sum over all "
    "ranks",
    ("free", "binding"),
    premise="no ranking is longer than the cutoff",
)
AD_HOC = Detail(
    "ad_hoc",
    "fold",
    "a document is as relevant as it is to its best aspect (section 6.2); the paper says no without a test",
    ("fold", "not applicable"),
)

Cases = Callable[..., Iterator[Rankings]]


@dataclass(frozen=True, eq=False)
class Constraint:
    """A statement that a measure may satisfy: on every instance, `relation` holds between the scores.

    `cases` makes the rankings to compare from a base, and so decides which of the bases in `scope` satisfy
    the premises. `quantifier` says for which of the cases from one base the relation must hold: every, some,
    or eventually (every case after a certain one).
    """

    name: str
    cases: Cases
    relation: Relation = MORE
    scope: Scope = field(default_factory=Scope)
    quantifier: str = "every"
    premises: tuple[str, ...] = ()
    details: tuple[Detail, ...] = ()
    read_as: str = PROVED  # the reading of the whole table
    settings: Mapping[str, Any] = field(default_factory=dict)  # only what differs from `read_as`
    bases: Callable[..., Iterable[Base]] | None = None  # used instead of the bases in scope
    variable: str = ""  # what a quantifier other than every is about
    values: tuple[int, ...] = ()  # the values of it that are tried
    needs_cutoff: bool = False
    own_pools: Callable[[Rankings], Rankings] | None = None  # makes the judged documents of each ranking
    cite: tuple[str, ...] = ()
    number: int | None = None  # its place among the ten of Amigó et al. 2018

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.cases) or ""

    @property
    def summary(self) -> str:
        return self.doc.partition("\n")[0]

    @property
    def formula(self) -> str:
        return self.doc.partition("\n\n")[2].partition("\n\n")[0]

    def detail(self, name: str) -> Detail:
        """The detail with this name."""
        for detail in self.details:
            if detail.name == name:
                return detail
        has = ", ".join(detail.name for detail in self.details) or "none"
        raise InputError(f"{self.name} has no reading {name!r}; it has {has}")

    def __call__(self, **settings: Any) -> Constraint:
        """The same constraint with other values of some details."""
        merged = dict(self.settings)
        for name, value in settings.items():
            detail = self.detail(name)
            merged[name] = detail.check(value, self.name)
            if merged[name] == detail.value_in(self.read_as):
                del merged[name]
        return replace(self, settings=merged)

    def under(self, whole: str) -> Constraint:
        """The same constraint in a reading of the whole table. Details that were set keep their values.

        Only the constraints of the paper have such readings; others stay as they are.
        """
        if whole not in READINGS:
            raise InputError(f"a reading of the whole table is {' or '.join(READINGS)}; got {whole!r}")
        if self.number is None or whole == self.read_as:
            return self
        return replace(self, read_as=whole, settings={})(**self.settings)

    @property
    def reading(self) -> str:
        """How it is read: the reading of the whole table, and the details that differ from it.

        >>> from rankprism.meta.axioms import AspRel
        >>> AspRel.reading, AspRel.under("printed")(cutoff="binding").reading
        ('proved', 'printed, cutoff=binding')
        """
        whole = [] if self.number is None else [self.read_as]
        return ", ".join(whole + [f"{name}={value}" for name, value in sorted(self.settings.items())])

    @property
    def added(self) -> tuple[str, ...]:
        """The premises that the reading adds to the paper's."""
        return tuple(d.premise for d in self.details if d.premise and self[d.name] == d.default)

    def __getitem__(self, name: str) -> Any:
        detail = self.detail(name)
        return self.settings.get(name, detail.value_in(self.read_as))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by name, because functions cannot be pickled as data."""
        return _read_again, (self.name, self.read_as, dict(self.settings))

    def __str__(self) -> str:
        parts = [] if self.read_as == PROVED else [self.read_as]
        parts += [f"{name}={value!r}" for name, value in sorted(self.settings.items())]
        return f"{self.name}({','.join(parts)})" if parts else self.name

    __repr__ = __str__

    @cached_property
    def read_scope(self) -> Scope:
        """The scope under the chosen readings."""
        chosen = {r.name: self[r.name] for r in self.details if r.name in _IN_SCOPE}
        if chosen.pop("aspects", "any") == "several":
            chosen["aspects"] = tuple(A for A in self.scope.aspects if A > 1)
        return replace(self.scope, **chosen)

    @cached_property
    def own_details(self) -> dict[str, Any]:
        """The readings that `cases` handles itself; all of them if the constraint has its own bases."""
        general = () if self.bases is not None else _IN_SCOPE
        return {r.name: self[r.name] for r in self.details if r.name not in (*general, "ad_hoc")}

    @cached_property
    def read_quantifier(self) -> str:
        """The quantifier under the chosen readings."""
        return str(self.own_details.get("quantifier", self.quantifier))


_IN_SCOPE = tuple(f.name for f in fields(Scope))
_CONSTRAINTS: dict[str, Constraint] = {}


def constraint(**about: Any) -> Callable[[Cases], Constraint]:
    """Turn a function from a base to rankings into a registered constraint of the same name.

    The docstring of the function says what must hold. Its first line is the summary, and the formula follows.
    The function yields the rankings that `relation` compares. With `MORE`, the first must score more.

    >>> from rankprism.meta.axioms import examine
    >>> import numpy as np
    >>> @constraint(relation=NOT_LESS, scope=Scope(most=4))
    ... def Longer(base):
    ...     "One more document never hurts."
    ...     yield base.documents, base.documents[:-1]
    >>> [verdict.kind for verdict in examine(["DCG", "RBU"], [Longer])]
    ['not refuted', 'refuted']
    """

    def decorate(cases: Cases) -> Constraint:
        made = Constraint(name=cases.__name__, cases=cases, **about)
        _check(made)
        if not str(cases.__module__).startswith("rankprism."):
            bases = None if made.bases is None else _guarded(made.name, made.bases)
            made = replace(made, cases=_guarded(made.name, cases), bases=bases)
        if made.name in _CONSTRAINTS:
            raise InputError(f"a constraint named {made.name} exists already; choose another name")
        if made.number is not None and made.number in {c.number for c in _CONSTRAINTS.values()}:
            raise InputError(f"{made.name}: another constraint has the number {made.number}; leave it out")
        _CONSTRAINTS[made.name] = made
        return made

    return decorate


def _guarded(name: str, function: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """A user's function whose faults are named as those of the constraint."""
    remedy = "correct the constraint"

    @wraps(function)
    def each(*given: Any, **settings: Any) -> Iterator[Any]:
        found = called(name, lambda: iter(function(*given, **settings)), remedy=remedy)
        end = object()
        while (one := called(name, next, found, end, remedy=remedy)) is not end:
            yield one

    return each


def _check(made: Constraint) -> None:
    scope = made.scope
    for what, value, choices in (
        ("quantifier", made.quantifier, ("every", "some", "eventually")),
        ("Scope.grades", scope.grades, ("graded", "binary")),
        ("Scope.weights", scope.weights, ("balanced", "any")),
        ("Scope.small", scope.small, ("literal", "room")),
        ("Scope.cutoff", scope.cutoff, ("free", "binding")),
    ):
        if value not in choices:
            raise InputError(f"{made.name}: {what} must be {' or '.join(choices)}; got {value!r}")
    if not scope.aspects or any(A < 1 for A in scope.aspects):
        raise InputError(f"{made.name}: Scope.aspects must be like (1, 2); got {scope.aspects!r}")
    if not 0 < scope.highest <= 1:
        raise InputError(f"{made.name}: Scope.highest must be above 0 and at most 1; got {scope.highest!r}")
    if not 0 <= scope.fewest <= scope.most:
        raise InputError(f"{made.name}: Scope.fewest must be from 0 to Scope.most; got {scope.fewest!r}")


def constraint_names() -> tuple[str, ...]:
    return tuple(_CONSTRAINTS)


def ten() -> tuple[Constraint, ...]:
    """The ten constraints of Amigó et al. 2018, in the order of the paper."""
    numbered = {c.number: c for c in _CONSTRAINTS.values() if c.number is not None}
    return tuple(numbered[number] for number in sorted(numbered))


def others() -> tuple[Constraint, ...]:
    """Further properties that a measure may have."""
    return tuple(c for c in _CONSTRAINTS.values() if c.number is None)


def find_constraint(name: str | Constraint) -> Constraint:
    """The constraint with this name."""
    if isinstance(name, Constraint):
        return name
    if name not in _CONSTRAINTS:
        folded = {known.casefold(): [known] for known in _CONSTRAINTS}
        if name.casefold() in folded:
            return _CONSTRAINTS[folded[name.casefold()][0]]
        hint = did_you_mean(name.casefold(), folded) or ";"
        raise InputError(f"unknown constraint {name!r}{hint} there are {', '.join(sorted(_CONSTRAINTS))}")
    return _CONSTRAINTS[name]


def _read_again(name: str, whole: str, settings: Mapping[str, Any]) -> Constraint:
    found = find_constraint(name)
    return found.under(whole)(**settings) if settings or whole != PROVED else found
