"""What a measure is: a definition with parameters, and a frozen value that binds them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.data.hits import Floats, Hits
from rankprism.errors import MeasureError, shown
from rankprism.measures.citations import CITATIONS

if TYPE_CHECKING:
    from rankprism.measures.bounds.completions import Completions

#: Numbers without a range of their own: far more than any use, far less than a float can hold.
LARGEST = 10**9


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it may be, and what it means."""

    name: str
    default: Any
    meaning: str
    kind: type = float
    low: float | None = None
    high: float | None = None  # LARGEST
    above_low: bool = False  # low itself is excluded
    below_high: bool = False
    choices: Collection[str] = ()
    mapping: bool = False  # a mapping is a value too
    sequence: str = ""  # a sequence is a value too: an example of one
    optional: bool = False  # None is a value

    @property
    def range(self) -> str:
        """What is allowed, in words."""
        if self.kind is Measure:
            return "a single-aspect measure such as nDCG@10"
        if self.choices:
            also = ", or a mapping such as {1:0.5,2:0.5}" if self.mapping else ""
            also += f", or a sequence such as {self.sequence}" if self.sequence else ""
            return "one of " + ", ".join(repr(c) for c in self.choices) + also
        if self.sequence:
            return f"a sequence such as {self.sequence}"
        if self.kind is str:
            return "a word in quotes"
        if self.kind is bool:
            return "True or False"
        if self.kind is dict:
            return "a mapping of grades above 0 to gains ≥ 0 such as {1:1,2:3}"
        word = "a whole number" if self.kind is int else "a number"
        low = "" if self.low is None else f" {'>' if self.above_low else '≥'} {_written(self.low)} and"
        return f"{word}{low} {'<' if self.below_high else '≤'} {_written(self._most)}"

    @property
    def _most(self) -> float:
        return LARGEST if self.high is None else self.high

    def check(self, value: Any, measure: str) -> Any:
        """The value in its canonical type, or an error that says what is allowed."""
        if self.optional and value is None:
            return None
        if not self._allows(value):
            raise MeasureError(f"{measure}: {self.name} must be {self.range}; got {shown(value)}")
        if self.sequence and not isinstance(value, str):
            return _as_tuple(value)
        return float(value) if self.kind is float else value

    def _allows(self, value: Any) -> bool:
        if self.kind is Measure:
            return isinstance(value, Measure) and value.definition.single
        if self.sequence and not (self.choices and isinstance(value, str)):
            return isinstance(value, list | tuple) and _is_plain(value)
        if self.kind is str and not self.choices:
            return isinstance(value, str) and "'" not in value
        if self.choices and not (self.mapping and isinstance(value, Mapping)):
            return isinstance(value, str) and value in self.choices
        if self.kind is bool:
            return isinstance(value, bool)
        if self.kind is dict or self.mapping:
            numbers = [*value, *value.values()] if isinstance(value, Mapping) else [None]
            if not all(_is_number(x) for x in numbers):
                return False
            # What is not relevant never gains anything.
            return all(gain >= 0 and (grade > 0 or gain == 0) for grade, gain in value.items())
        if isinstance(value, bool) or not isinstance(value, int if self.kind is int else int | float):
            return False
        low_ok = self.low is None or value > self.low or (value == self.low and not self.above_low)
        high_ok = value < self._most or (value == self._most and not self.below_high)
        return bool(low_ok and high_ok and value > -LARGEST)  # NaN is neither above nor below


@dataclass(frozen=True, eq=False)
class Bounds:
    """What is known of a score whatever the judgments that are missing, see `rankprism.measures.bounds`."""

    #: "exact": some completion of the judgments attains either bound, with default parameters; "outer": no
    #: completion goes beyond; "none": no bound is known.
    kind: str
    #: From `Completions` and parameters to the bounds: (N, A) for a single-aspect measure, else (N,).
    function: Callable[..., tuple[Floats, Floats]] | None = None
    reason: str = "nobody has proved any for it"  # why there are none


@dataclass(frozen=True, eq=False)
class Definition:
    """A measure with its parameters open."""

    name: str
    function: Callable[..., Floats]
    parameters: tuple[Parameter, ...]
    #: A single-aspect measure scores each aspect, (N, A), and so can be folded; others give (N,).
    single: bool
    #: The constraints of Amigó et al. 2018 that it keeps with default parameters, and those that M_IA keeps,
    #: as the search of `rankprism.axioms` finds; None: nobody has said.
    keeps: frozenset[str] | None = None
    keeps_ia: frozenset[str] | None = None
    #: Bounds of the score, where the function's own result is not certain.
    interval: Callable[..., tuple[Floats, Floats]] | None = None
    #: Bounds of the score, where judgments are missing.
    bounds: Bounds = Bounds("none")
    cite: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @cached_property
    def doc(self) -> str:
        import inspect

        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.doc.partition("\n")[0]

    @property
    def bibtex(self) -> str:
        return "\n\n".join(CITATIONS[key].bibtex for key in self.cite)

    def parameter(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        has = ", ".join(p.name for p in self.parameters)
        raise MeasureError(
            f"{self.name} has no parameter {shown(name)}; it has {has}{_hint(name, has.split(', '))}"
        )


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with its parameters bound. ``str(measure)`` parses back to it.

    >>> from rankprism.measures import alpha_nDCG
    >>> alpha_nDCG(alpha=0.25) @ 20
    alpha_nDCG(alpha=0.25)@20
    """

    definition: Definition
    settings: Mapping[str, Any] = field(default_factory=dict)  # only what differs from the defaults

    @property
    def name(self) -> str:
        return self.definition.name

    def __call__(self, **settings: Any) -> Measure:
        """The same measure with other parameters."""
        merged = dict(self.settings)
        for name, value in settings.items():
            parameter = self.definition.parameter(name)
            merged[name] = parameter.check(value, self.name)
            if isinstance(value, Measure) and "fold" in value.settings:
                raise MeasureError(
                    f"{self.name} does not fold aspects by {value}; leave out fold={value['fold']!r}"
                )
            if merged[name] == parameter.default:
                del merged[name]
        return replace(self, settings=merged)

    def __matmul__(self, cutoff: int | float) -> Measure:
        if all(p.name != "cutoff" for p in self.definition.parameters):
            inner = self.settings.get("measure")
            hint = f"write {self.name}({inner}@{cutoff})" if inner else f"write it without @{cutoff}"
            raise MeasureError(f"{self.name} takes no cutoff of its own; {hint}")
        return self(cutoff=cutoff)

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.settings.get(name, self.definition.parameter(name).default)

    @cached_property
    def _text(self) -> str:
        inside = ",".join(
            (f"{p.name}=" if p.kind is not Measure else "") + _printed(self.settings[p.name])
            for p in self.definition.parameters
            if p.name in self.settings and p.name != "cutoff"
        )
        cutoff = f"@{self.settings['cutoff']}" if "cutoff" in self.settings else ""
        return self.name + (f"({inside})" if inside else "") + cutoff

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def score(self, hits: Hits) -> Floats:
        """(N,): the score of each ranking, refused where it is not a finite number."""
        score = self.computed(hits)
        if not np.isfinite(score).all():
            raise MeasureError(
                f"{self}: a score is no finite number; the grades, which go up to "
                f"{hits.pool.grade.max(initial=0.0):g}, are too large for it"
            )
        return score

    def computed(self, hits: Hits) -> Floats:
        """(N,): the score of each ranking as the function gives it, finite or not."""
        if not self.definition.single:
            return self.per_aspect(hits)
        return self.per_aspect(hits.fold(self["fold"], FOLDS[self["fold"]]))[:, 0]

    def per_aspect(self, hits: Hits) -> Floats:
        """(N, A): the score of each aspect on its own; only for single-aspect measures."""
        hits, settings = self._bound(hits)
        return self.definition.function(hits, **settings)

    @property
    def cutoff(self) -> int | None:
        """How deep the measure looks, its own cutoff or that of the measure inside; None: to the end."""
        inner = self.settings.get("measure")
        return inner.cutoff if isinstance(inner, Measure) else self.settings.get("cutoff")

    @property
    def is_condensed(self) -> bool:
        """Whether the measure, or the one inside, looks at judged documents only."""
        inner = self.settings.get("measure")
        return bool(self.settings.get("judged_only")) or (isinstance(inner, Measure) and inner.is_condensed)

    @property
    def is_uncertain(self) -> bool:
        """Whether the score may be known only within bounds."""
        ideals = any(p.name == "ideal" for p in self.definition.parameters)
        return self.definition.interval is not None and (not ideals or self["ideal"] == "exact")

    def interval(self, hits: Hits) -> tuple[Floats, Floats]:
        """(N,) twice: what the score is at least and at most."""
        if self.definition.interval is None:
            score = self.score(hits)
            return score, score
        hits, settings = self._bound(hits)
        return self.definition.interval(hits, **settings)

    @property
    def why_unbounded(self) -> str:
        """Why no bounds are known for missing judgments; empty if they are."""
        if self.settings.get("judged_only"):
            return "it leaves the unjudged documents out, and a judgment would put them back in"
        inner = self.settings.get("measure")
        if isinstance(inner, Measure) and inner.why_unbounded:
            return f"of {inner}: {inner.why_unbounded}"
        return self.definition.bounds.reason if self.definition.bounds.function is None else ""

    def check_bounded(self) -> None:
        """Refuses a measure for which no bounds are known."""
        if self.why_unbounded:
            raise MeasureError(
                f"{self}: no bounds are known: {self.why_unbounded}; leave the measure out, or do without "
                f"bounds"
            )

    def bounds(self, completions: Completions) -> tuple[Floats, Floats]:
        """(N,) twice: what the score is at least and at most, whatever the judgments that are missing."""
        hits = completions.hits
        given = self.interval(hits)
        if self.definition.single:
            folded = completions.fold(self["fold"], FOLDS[self["fold"]])
            low, high = (side[:, 0] for side in self.bounds_per_aspect(folded))
        else:
            low, high = self.bounds_per_aspect(completions)
        # The judgments as they are count as a completion, and as the only one if all documents are judged.
        is_open = completions.count > 0
        return (
            np.where(is_open, np.minimum(low, given[0]), given[0]),
            np.where(is_open, np.maximum(high, given[1]), given[1]),
        )

    def bounds_per_aspect(self, completions: Completions) -> tuple[Floats, Floats]:
        """The same before any folding: (N, A) for a single-aspect measure, else (N,)."""
        self.check_bounded()
        function = self.definition.bounds.function
        assert function is not None  # or else it would have been refused
        _, settings = self._bound(completions.hits)
        return function(completions, **settings)

    def _bound(self, hits: Hits) -> tuple[Hits, dict[str, Any]]:
        settings = {p.name: self[p.name] for p in self.definition.parameters}
        if settings.get("measure", self) is None:
            raise MeasureError(f"{self.name} needs a measure inside, e.g. {self.name}(nDCG@10)")
        settings.pop("fold", None)
        return (hits.condensed() if settings.pop("judged_only", False) else hits), settings


#: The constraints of Amigó et al. 2018, in the paper's order; `rankprism.axioms` has them.
AXIOMS = ("Pri", "Deep", "DeepTh", "CloseTh", "Conf", "AspDiv", "Red", "MRed", "Sat", "AspRel")

#: A search of this many nodes takes days.
MOST_NODES = 10**12

CUTOFF = Parameter(
    "cutoff", None, "how many documents from the top count; all without it", int, low=1, optional=True
)
#: One grade of a document from those (.., A, ..) on several aspects of weight (.., A, 1).
FOLDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    # A document is as relevant as the aspect it serves best (Amigó et al. 2018, section 6.2).
    "max": lambda grade, weight: grade.max(-2, initial=0.0),
    "min": lambda grade, weight: np.where(
        (weight > 0).any(-2), np.where(weight > 0, grade, np.inf).min(-2, initial=np.inf), 0.0
    ),
    # Rounded, so that a document has the same grade in a ranking and among the judged.
    "sum": lambda grade, weight: np.round(
        sums_over_aspects(grade, (weight[:, :, 0] > 0).astype(np.float64)), 12
    ),
    "mean": lambda grade, weight: np.round(
        sums_over_aspects(grade, weight[:, :, 0])
        / np.maximum(sums_over_aspects(weight, np.ones(weight.shape[:2])), np.finfo(np.float64).tiny),
        12,
    ),
    # A document is worth something only if it has something on every aspect (Zuccon 2016).
    "product": lambda grade, weight: np.where(
        (weight > 0).any(-2),
        np.round(reduce(np.multiply, np.moveaxis(np.where(weight > 0, grade, 1.0), 1, 0), 1.0), 12),
        0.0,
    ),
}
FOLD = Parameter(
    "fold",
    "max",
    "a document's grade where it has several: the highest, the lowest, their sum, weighted mean or product",
    str,
    choices=tuple(FOLDS),
)
JUDGED_ONLY = Parameter("judged_only", False, "leave unjudged documents out of the ranking first", bool)

_DEFINITIONS: dict[str, Definition] = {}
_ALIASES: dict[str, str] = {}


def register(definition: Definition) -> Measure:
    """Make a measure known by its name and aliases."""
    for name in (definition.name, *definition.aliases):
        # ERR_IA is a measure of its own, registered before ERR: every later name has to respect M_IA.
        if name in _DEFINITIONS or name in _ALIASES or (name.endswith("_IA") and _is_single(name[:-3])):
            raise MeasureError(f"a measure named {name} exists already; choose another name")
    _DEFINITIONS[definition.name] = definition
    _ALIASES.update(dict.fromkeys(definition.aliases, definition.name))
    return Measure(definition)


def _is_single(name: str) -> bool:
    definition = _DEFINITIONS.get(_ALIASES.get(name, name))
    return definition is not None and definition.single


def measure(
    *parameters: Parameter,
    single: bool = False,
    bounds: Bounds | None = None,
    keeps: str | None = None,
    keeps_ia: str | None = None,
    interval: Callable[..., tuple[Floats, Floats]] | None = None,
    cite: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Callable[[Callable[..., Floats]], Measure]:
    """Turn a function of `Hits` and parameters into a registered measure of the same name.

    Every measure can also be taken of the judged documents only, and a single-aspect one of grades
    folded in several ways; neither is its function's business.
    """
    own = [p for p in parameters if p.name != "cutoff"]
    cut = [p for p in parameters if p.name == "cutoff"]

    def decorate(function: Callable[..., Floats]) -> Measure:
        definition = Definition(
            name=function.__name__,
            function=function,
            parameters=(*own, *([FOLD] if single else []), JUDGED_ONLY, *cut),
            single=single,
            keeps=None if keeps is None else frozenset(keeps.split()),
            keeps_ia=None if keeps_ia is None else frozenset(keeps_ia.split()),
            interval=interval,
            bounds=bounds or Bounds("none"),
            cite=cite,
            aliases=aliases,
        )
        return register(definition)

    return decorate


def lookup(name: str) -> Measure:
    """The measure of a name, with default parameters; ``M_IA`` exists for every single-aspect M."""
    name = _ALIASES.get(name, name)
    if name not in _DEFINITIONS and name.endswith("_IA"):
        base = name.removesuffix("_IA")
        base = _ALIASES.get(base, base)
        if base in _DEFINITIONS and _DEFINITIONS[base].single:
            from rankprism.measures.combine import intent_aware

            return lookup(f"{base}_IA") if name != f"{base}_IA" else Measure(intent_aware(_DEFINITIONS[base]))
    if name not in _DEFINITIONS:
        hint = _hint(name, [*names(), *_ALIASES])
        raise MeasureError(
            f"unknown measure {shown(name)}{hint or ';'} `rankprism measures` lists all of them"
        )
    return Measure(_DEFINITIONS[name])


def names() -> tuple[str, ...]:
    """The names of all measures."""
    derived = [f"{name}_IA" for name, definition in _DEFINITIONS.items() if definition.single]
    return tuple(dict.fromkeys([*_DEFINITIONS, *derived]))


def _hint(name: str, known: list[str]) -> str:
    if len(name) > 60:
        return ""
    folded = {k.casefold().replace("-", "_"): k for k in known}
    close = difflib.get_close_matches(name.casefold().replace("-", "_"), folded, n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(folded[c] for c in close)}?" if close else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value can be written down: numbers and words, in sequences of sequences."""
    if isinstance(value, list | tuple):
        return depth < 10 and all(_is_plain(x, depth + 1) for x in value)
    if isinstance(value, str):
        return "'" not in value
    return _is_number(value)


def _written(number: float) -> str:
    """A bound in words: 1,000,000,000 rather than 1e+09."""
    return f"{number:,.0f}" if abs(number) >= 1e4 else f"{number:g}"


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list | tuple) else value


def _printed(value: Any) -> str:
    if isinstance(value, Measure):
        return str(value)
    if isinstance(value, tuple):
        return "(" + ",".join(map(_printed, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_printed(k)}:{_printed(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
