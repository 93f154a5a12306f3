"""What a measure is: a definition with parameters, and a frozen value that binds them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankprism._core import sums_over_aspects
from rankprism.arrays import Floats, Longs
from rankprism.data.hits import Hits
from rankprism.errors import MeasureError
from rankprism.foreign import quoted
from rankprism.measures.parameter import Parameter, Role, printed

if TYPE_CHECKING:
    from rankprism.measures.bounds.completions import Completions
    from rankprism.measures.contributions import Contributions
    from rankprism.measures.made_of import MadeOf
    from rankprism.measures.parts import Parts
    from rankprism.measures.preferences.hits import PreferenceHits, PreferencePool

#: The kinds of judgments that a measure may need.
NEEDS = ("judgments", "preferences")
#: Parameters that papers write as Greek letters.
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ"}


class Bounds(NamedTuple):
    """The bounds of a score if judgments are missing: see `rankprism.measures.bounds`."""

    #: "exact": with default parameters, some completion of the judgments attains each bound; "outer": no
    #: completion goes beyond the bounds; "none": no bounds are known.
    kind: str
    #: Takes `Completions` and parameters, and returns the bounds: (N, A) for a single-aspect measure, else
    #: (N,).
    function: Callable[..., tuple[Floats, Floats]] | None = None
    reason: str = "nobody has proved any for it"  # why there are none


NO_BOUNDS = Bounds("none")


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """A measure whose parameters have no values yet."""

    name: str
    function: Callable[..., Floats]
    parameters: tuple[Parameter, ...]
    #: A single-aspect measure scores each aspect, (N, A), and its grades can be folded; others give (N,).
    single: bool
    #: The constraints of Amigó et al. (2018) that it satisfies with default parameters, and those that M_IA
    #: satisfies, as the search of `rankprism.axioms` finds. A star marks those that it satisfies only in the
    #: reading `proved`, with the premises of the paper's proofs. None: not declared.
    keeps: frozenset[str] | None = None
    keeps_ia: frozenset[str] | None = None
    #: Bounds of the score, if the result of the function is not certain.
    interval: Callable[..., tuple[Floats, Floats]] | None = None
    #: Bounds of the score if judgments are missing.
    bounds: Bounds = NO_BOUNDS
    #: What the scores were compared with, in addition to a slow implementation of the definition.
    compared: str = ""
    #: A function from parameters to parts, for a member of the novelty family.
    parts: Callable[..., Parts] | None = None
    #: Whether the score is a sum over documents, so that what one earned does not depend on those below it.
    sums: bool = True
    #: Takes what `function` takes, and gives the parts of each document's contribution, see
    #: `rankprism.measures.made_of`: factors by name for a single-aspect measure, else `MadeOf`, or None where
    #: the measure inside has no parts.
    made_of: Callable[..., Any] | None = None
    #: Takes a `PreferencePool` and parameters, and gives an ideal ranking of each topic, as the documents'
    #: numbers: for measures of preferences of which such a ranking is known.
    ideal: Callable[..., Mapping[str, Longs]] | None = None
    cite: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    #: Names that papers give to the measure with certain parameters, and these parameters.
    forms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: If this measure is some M_IA, the name of M; otherwise empty.
    derived_from: str = ""
    #: How to make the definition again in another process, if importing the module of its function is not
    #: enough.
    recipe: tuple[Callable[..., Measure], Mapping[str, Any]] | None = None
    #: The kind of judgments that it needs: "judgments", which are absolute ones, where its function takes
    #: `Hits`; or "preferences", where its function takes `PreferenceHits`.
    needs: str = "judgments"
    #: Whether it can score answers, of which there is no ideal ranking and no pool: it looks only at the
    #: grades of the documents found, and at the aspects and their weights.
    answers: bool = False

    @cached_property
    def display(self) -> str:
        """The name as papers print it: α-nDCG, D#-nDCG, ERR-IA."""
        plain = self.name.replace("alpha_", "α_").replace("Sharp", "#").replace("_plus", "+")
        return plain.replace("_", "-")

    @cached_property
    def doc(self) -> str:
        import inspect

        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.doc.partition("\n")[0]

    @property
    def bibtex(self) -> str:
        from rankprism.measures.citations import CITATIONS

        return "\n\n".join(CITATIONS[key].bibtex for key in self.cite)

    @cached_property
    def roles(self) -> Mapping[Role, Parameter]:
        """The parameters that other code than the formula must know."""
        return {p.role: p for p in self.parameters if p.role is not None}

    def spelled(self, name: str) -> str:
        """The parameter that a spelling such as α, Alpha or judged-only means; else the name unchanged."""
        folded = folded_name(name)
        return next((p.name for p in self.parameters if folded_name(p.name) == folded), name)

    def parameter(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        spellings = {folded_name(p.name): [p.name] for p in self.parameters}
        has = ", ".join(p.name for p in self.parameters)
        raise MeasureError(
            f"{self.name} has no parameter {quoted(name)}; it has {has}{_hint(name, spellings)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
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

    @property
    def needs(self) -> str:
        """The kind of judgments that it needs: "judgments", which are absolute ones, or "preferences"."""
        return self.definition.needs

    def __call__(self, **settings: Any) -> Measure:
        """The same measure with other parameters."""
        merged = dict(self.settings)
        for name, value in settings.items():
            parameter = self.definition.parameter(name)
            merged[name] = parameter.check(value, self.name)
            fold = value.given(Role.FOLD) if isinstance(value, Measure) else None
            if fold is not None:
                raise MeasureError(f"{self.name} does not fold aspects by {value}; leave out fold={fold!r}")
            if merged[name] == parameter.default:
                del merged[name]
        return replace(self, settings=merged)

    def __matmul__(self, cutoff: int | float) -> Measure:
        parameter = self.definition.roles.get(Role.CUTOFF)
        if parameter is None:
            inner = self.inner
            hint = f"write {self.name}({inner}@{cutoff})" if inner else f"write it without @{cutoff}"
            raise MeasureError(f"{self.name} takes no cutoff of its own; {hint}")
        return self(**{parameter.name: cutoff})

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.settings.get(name, self.definition.parameter(name).default)

    def of(self, role: Role) -> Any:
        """The value of the parameter with this role, or None if there is no such parameter."""
        parameter = self.definition.roles.get(role)
        return None if parameter is None else self[parameter.name]

    def given(self, role: Role) -> Any:
        """The same as `of`, but also None if the value is the default."""
        parameter = self.definition.roles.get(role)
        return None if parameter is None else self.settings.get(parameter.name)

    @property
    def inner(self) -> Measure | None:
        """The measure inside, or None."""
        inside: Measure | None = self.given(Role.INNER)
        return inside

    @cached_property
    def _text(self) -> str:
        return self._spelled(self.name, {}, str)

    @cached_property
    def display(self) -> str:
        """The measure as papers print it. It parses back, too.

        >>> from rankprism.measures import alpha_nDCG
        >>> (alpha_nDCG(alpha=0.25) @ 20).display
        'α-nDCG(α=0.25)@20'
        """
        return self._spelled(self.definition.display, GREEK, lambda inner: inner.display)

    @property
    def latex(self) -> str:
        """`display` as LaTeX source."""
        from rankprism.markup import latex_escaped

        escaped = latex_escaped(self.display)
        for word, letter in GREEK.items():
            escaped = escaped.replace(letter, rf"$\{word}$")
        return escaped

    def _spelled(self, name: str, spelling: Mapping[str, str], inner: Callable[[Measure], str]) -> str:
        """The name, the parameters that differ from their defaults, and the cutoff."""
        given = [p for p in self.definition.parameters if p.name in self.settings and p.role != Role.CUTOFF]
        inside = ",".join(
            inner(self.settings[p.name])
            if p.role is Role.INNER
            else f"{spelling.get(p.name, p.name)}={printed(self.settings[p.name])}"
            for p in given
        )
        cutoff = self.given(Role.CUTOFF)
        return name + (f"({inside})" if inside else "") + ("" if cutoff is None else f"@{cutoff}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name. The other process looks up the definition, imports its module or makes it again."""
        return _restored, (
            self.name,
            self.definition.function.__module__,
            self.definition.recipe,
            dict(self.settings),
        )

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def score(self, hits: Hits | PreferenceHits) -> Floats:
        """(N,): the score of each ranking. A score that is not a finite number is an error."""
        score = self.computed(hits)
        if isinstance(hits, Hits) and not np.isfinite(score).all():
            raise MeasureError(
                f"{self}: a score is no finite number; the grades, which go up to "
                f"{hits.pool.grade.max(initial=0.0):g}, are too large for it"
            )
        return score

    def computed(self, hits: Hits | PreferenceHits) -> Floats:
        """(N,): the score of each ranking as the function gives it, finite or not."""
        if isinstance(hits, Hits) != (self.needs == "judgments"):
            needed = "preferences" if self.needs == "preferences" else "absolute judgments"
            raise MeasureError(f"{self} needs {needed}, and is asked to score rankings without them")
        if not isinstance(hits, Hits) or not self.definition.single:
            return self.per_aspect(hits)
        fold = self.of(Role.FOLD)
        return self.per_aspect(hits.fold(fold, FOLDS[fold]))[:, 0]

    def explain(self, hits: Hits | PreferenceHits, depth: int | None = None) -> Contributions:
        """What each document earned and why, see `rankprism.measures.contributions`; to a depth, if given."""
        from rankprism.measures.contributions import contributions

        return contributions(self, hits, depth)

    def made_of(self, hits: Hits | PreferenceHits) -> MadeOf | None:
        """The parts of what each relevant document adds to the score, or None if nothing is known of them."""
        from rankprism.measures.made_of import of_aspect

        if not isinstance(hits, Hits) or not self.definition.single:
            made: MadeOf | None = self.factors(hits)
            return made
        fold = self.of(Role.FOLD)
        factors = self.factors(hits.fold(fold, FOLDS[fold]))
        return None if factors is None else of_aspect(factors, 0)

    def ideal(self, pool: PreferencePool) -> Mapping[str, Longs] | None:
        """An ideal ranking of each topic of a measure of preferences, or None if none is known."""
        if self.definition.ideal is None:
            return None
        return self.definition.ideal(pool, **{p.name: self[p.name] for p in self.definition.parameters})

    def factors(self, hits: Hits | PreferenceHits) -> Any:
        """What `Definition.made_of` gives: of each aspect on its own for a single-aspect measure."""
        if self.definition.made_of is None:
            return None
        hits, settings = self._bound(hits)
        return self.definition.made_of(hits, **settings)

    @property
    def parts(self) -> Parts | None:
        """Gain, novelty and discount, where the measure is made of them."""
        parts_of = self.definition.parts
        if parts_of is None:
            return None
        import inspect

        return parts_of(**{name: self[name] for name in inspect.signature(parts_of).parameters})

    def per_aspect(self, hits: Hits | PreferenceHits) -> Floats:
        """(N, A): the score of each aspect on its own; only for single-aspect measures."""
        hits, settings = self._bound(hits)
        return self.definition.function(hits, **settings)

    @property
    def cutoff(self) -> int | None:
        """The cutoff of the measure or of the measure inside. None: it looks at the whole ranking."""
        cutoff: int | None = self.inner.cutoff if self.inner else self.given(Role.CUTOFF)
        return cutoff

    @property
    def is_condensed(self) -> bool:
        """Whether the measure, or the measure inside, looks only at judged documents."""
        return bool(self.of(Role.JUDGED_ONLY)) or (self.inner is not None and self.inner.is_condensed)

    @property
    def is_sum(self) -> bool:
        """Whether the score is a sum over documents, and so is that of the measure inside."""
        return self.definition.sums and (self.inner is None or self.inner.is_sum)

    @property
    def is_uncertain(self) -> bool:
        """Whether the score may be known only within bounds."""
        return self.definition.interval is not None and self.of(Role.IDEAL) in (None, "exact")

    def interval(self, hits: Hits | PreferenceHits) -> tuple[Floats, Floats]:
        """(N,) twice: the lower and the upper bound of the score."""
        if self.definition.interval is None:
            score = self.score(hits)
            return score, score
        hits, settings = self._bound(hits)
        return self.definition.interval(hits, **settings)

    @property
    def why_unbounded(self) -> str:
        """Why no bounds are known for missing judgments. Empty if they are known."""
        if self.of(Role.JUDGED_ONLY):
            return "it leaves the unjudged documents out, and a judgment would put them back in"
        if self.inner is not None and self.inner.why_unbounded:
            return f"of {self.inner}: {self.inner.why_unbounded}"
        return self.definition.bounds.reason if self.definition.bounds.function is None else ""

    def check_bounded(self) -> None:
        """Refuse a measure for which no bounds are known."""
        if self.why_unbounded:
            raise MeasureError(
                f"{self}: no bounds are known: {self.why_unbounded}; leave the measure out, or do without "
                f"bounds"
            )

    def bounds(self, completions: Completions) -> tuple[Floats, Floats]:
        """(N,) twice: the lower and the upper bound of the score over all possible missing judgments."""
        hits = completions.hits
        given = self.interval(hits)
        if self.definition.single:
            fold = self.of(Role.FOLD)
            folded = completions.fold(fold, FOLDS[fold])
            low, high = (side[:, 0] for side in self.bounds_per_aspect(folded))
        else:
            low, high = self.bounds_per_aspect(completions)
        # The judgments as they are are one completion, and the only one if all documents are judged.
        is_open = completions.count > 0
        return (
            np.where(is_open, np.minimum(low, given[0]), given[0]),
            np.where(is_open, np.maximum(high, given[1]), given[1]),
        )

    def bounds_per_aspect(self, completions: Completions) -> tuple[Floats, Floats]:
        """The same as `bounds`, before folding: (N, A) for a single-aspect measure, else (N,)."""
        self.check_bounded()
        function = self.definition.bounds.function
        assert function is not None  # or else it would have been refused
        _, settings = self._bound(completions.hits)
        return function(completions, **settings)

    def _bound(self, hits: Hits | PreferenceHits) -> tuple[Hits | PreferenceHits, dict[str, Any]]:
        if Role.INNER in self.definition.roles and self.inner is None:
            raise MeasureError(f"{self.name} needs a measure inside, e.g. {self.name}(nDCG@10)")
        # Grades have been folded and unjudged documents removed before, so the function does not see this.
        done = (Role.FOLD, Role.JUDGED_ONLY)
        settings = {p.name: self[p.name] for p in self.definition.parameters if p.role not in done}
        if isinstance(hits, Hits) and self.of(Role.JUDGED_ONLY):
            return hits.condensed(), settings
        return hits, settings


class _OwnPage:
    """``__doc__`` of a measure. A value has its own page, which `help` shows; the class has its docstring."""

    def __init__(self, of_class: str) -> None:
        self.of_class = of_class

    def __get__(self, measure: Measure | None, owner: type) -> str:
        if measure is None:
            return self.of_class
        from rankprism.measures.catalogue import explain

        return explain(measure)


class _OwnSignature:
    """``__signature__`` of a measure: its parameters with their defaults."""

    def __get__(self, measure: Measure | None, owner: type) -> Any:
        if measure is None:
            raise AttributeError("__signature__")
        import inspect

        keyword = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature(
            [
                inspect.Parameter(p.name, keyword, default=measure[p.name], annotation=p.kind)
                for p in measure.definition.parameters
            ]
        )


Measure.__doc__ = _OwnPage(Measure.__doc__ or "")  # type: ignore[assignment]
Measure.__signature__ = _OwnSignature()  # type: ignore[attr-defined]


def _restored(
    name: str,
    module: str,
    recipe: tuple[Callable[..., Measure], Mapping[str, Any]] | None,
    settings: Mapping[str, Any],
) -> Measure:
    """The measure of this name, which is registered first if it is not known."""
    if name not in names():
        if recipe is not None:
            make, parts = recipe
            make(**parts)
        else:
            importlib.import_module(module)
    found = lookup(name)
    if recipe is not None and str(found.definition.recipe) != str(recipe):
        raise MeasureError(f"a measure named {name} exists already and is made of other parts; rename one")
    return found(**settings)


#: The constraints of Amigó et al. (2018) in the paper's order; `rankprism.axioms` defines them.
AXIOMS = ("Pri", "Deep", "DeepTh", "CloseTh", "Conf", "AspDiv", "Red", "MRed", "Sat", "AspRel")

#: Ways to make one grade of a document from its grades (.., A, ..) on aspects with weights (.., A, 1).
FOLDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    # A document is as relevant as it is to the aspect that it serves best (Amigó et al. 2018, section 6.2).
    "max": lambda grade, weight: grade.max(-2, initial=0.0),
    "min": lambda grade, weight: np.where(
        (weight > 0).any(-2), np.where(weight > 0, grade, np.inf).min(-2, initial=np.inf), 0.0
    ),
    # Rounded, so that a document has the same grade in a ranking and in the pool.
    "sum": lambda grade, weight: np.round(
        sums_over_aspects(grade, (weight[:, :, 0] > 0).astype(np.float64)), 12
    ),
    "mean": lambda grade, weight: np.round(
        sums_over_aspects(grade, weight[:, :, 0])
        / np.maximum(sums_over_aspects(weight, np.ones(weight.shape[:2])), np.finfo(np.float64).tiny),
        12,
    ),
    # A document has a grade above 0 only if it has one on every aspect (Zuccon 2016).
    "product": lambda grade, weight: np.where(
        (weight > 0).any(-2),
        np.round(reduce(np.multiply, np.moveaxis(np.where(weight > 0, grade, 1.0), 1, 0), 1.0), 12),
        0.0,
    ),
}
#: The modules of this package that have measures. `lookup` loads one after another until it knows a name,
#: because a command that computes two measures should not wait for a hundred.
MODULES = tuple(
    f"rankprism.measures.{name}"
    for name in (
        "combine",
        "compat",
        "novelty",
        "coverage",
        "cube",
        "graded",
        "single",
        "d_measures",
        "incomplete",
        "nuggets",
        "preferences.precision",
        "preferences.prf",
        "preferences.trec_prefs",
        "toma",
    )
)
#: Those among them that have the most usual measures, and that `lookup` loads first.
USUAL = tuple(f"rankprism.measures.{name}" for name in ("novelty", "coverage", "single"))
_DEFINITIONS: dict[str, Definition] = {}
_ALIASES: dict[str, str] = {}
#: Names of measures with certain parameters: the definition, and the parameters.
_FORMS: dict[str, tuple[str, Mapping[str, Any]]] = {}


def register(definition: Definition) -> Measure:
    """Make a measure known by its name, its aliases and the names of its forms."""
    if definition.function.__module__ not in MODULES:
        _load_all()  # so that a measure of somebody's own cannot take the name of one that is loaded later
    for name in (definition.name, *definition.aliases, *definition.forms):
        # ERR_IA is registered before ERR, as a separate measure. Every later name must not clash with an
        # M_IA.
        taken = name in _DEFINITIONS or name in _ALIASES or name in _FORMS
        if taken or (name.endswith("_IA") and _is_single(name[:-3])):
            raise MeasureError(f"a measure named {name} exists already; choose another name")
    _DEFINITIONS[definition.name] = definition
    _ALIASES.update(dict.fromkeys(definition.aliases, definition.name))
    _FORMS.update({name: (definition.name, settings) for name, settings in definition.forms.items()})
    return Measure(definition)


@contextmanager
def all_or_none() -> Iterator[None]:
    """Forget the measures that were registered inside the block if it ends with an error."""
    _load_all()  # a module registers its measures only once, so they must not be forgotten
    known: tuple[dict[str, Any], ...] = (_DEFINITIONS, _ALIASES, _FORMS)
    before = [dict(names) for names in known]
    try:
        yield
    except BaseException:
        for names, kept in zip(known, before, strict=True):
            names.clear()
            names.update(kept)
        raise


def _is_single(name: str) -> bool:
    definition = _DEFINITIONS.get(_ALIASES.get(name, name))
    return definition is not None and definition.single


def lookup(name: str) -> Measure:
    """The measure with this name and default parameters. ``M_IA`` exists for every single-aspect M.

    Names are found however papers spell them: in upper or lower case, with - for _, with Greek letters. A
    name that a paper gives to a measure with certain parameters means the measure with these parameters.

    >>> lookup("α-nDCG"), lookup("ndcg"), lookup("D#-nDCG"), lookup("MAP-IA")
    (alpha_nDCG, nDCG, DSharp_nDCG, AP_IA)
    >>> lookup("MANH"), lookup("uRBP")
    (TOMA(distance='manhattan'), RBP(gain='linear',fold='product'))
    """
    found = _exactly(name)
    for module in (*USUAL, *MODULES):
        if found is None:
            importlib.import_module(module)
            found = _exactly(name)
    return _by_spelling(name) if found is None else found


def _exactly(name: str) -> Measure | None:
    """The measure with this name or alias, if the module that has it is loaded."""
    if name in _FORMS:
        exact, settings = _FORMS[name]
        return Measure(_DEFINITIONS[exact])(**settings)
    exact = _ALIASES.get(name, name)
    if exact in _DEFINITIONS:
        return Measure(_DEFINITIONS[exact])
    base = exact.removesuffix("_IA")
    is_derived = base != exact and base in _DEFINITIONS and _is_single(base)
    return Measure(_derived(base)) if is_derived else None


def _by_spelling(name: str) -> Measure:
    """The only measure whose name is spelled like this, apart from case, hyphens and Greek letters."""
    spellings = _spellings()
    found = sorted(spellings.get(folded_name(name), ()))
    if len(found) > 1:
        raise MeasureError(f"the measure {quoted(name)} can be {' or '.join(found)}; write one of these")
    if not found:
        hint = _hint(name, spellings) or ";"
        raise MeasureError(f"unknown measure {quoted(name)}{hint} `rankprism measures` lists all of them")
    exact = _exactly(found[0])
    assert exact is not None
    return exact


def _derived(base: str) -> Definition:
    from rankprism.measures.combine import intent_aware

    return intent_aware(_DEFINITIONS[base])


def _spellings() -> dict[str, set[str]]:
    """For each folded name, the measures that it can stand for."""
    known = {name: name for name in names()} | _ALIASES | {name: name for name in _FORMS}
    known |= {f"{alias}_IA": f"{name}_IA" for alias, name in _ALIASES.items() if _is_single(name)}
    of_name: dict[str, set[str]] = {}
    for spelling, name in known.items():
        of_name.setdefault(folded_name(spelling), set()).add(name)
    return of_name


def folded_name(name: str) -> str:
    """What all spellings of a name have in common.

    >>> folded_name("α-nDCG"), folded_name("Alpha_NDCG"), folded_name("D#-nDCG")
    ('alpha_ndcg', 'alpha_ndcg', 'dsharp_ndcg')
    """
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFKC", name)
    plain = name.casefold()
    for word, letter in GREEK.items():
        plain = plain.replace(letter, word)
    return plain.translate(_DASHES).replace("#", "sharp")


#: Hyphens and dashes, as in text that was copied from papers.
_DASHES = dict.fromkeys(map(ord, "-\u2010\u2011\u2012\u2013\u2014\u2212"), "_")


def definitions() -> tuple[Definition, ...]:
    """All measures that are not derived from others."""
    _load_all()
    place = {module: number for number, module in enumerate(MODULES)}
    own = len(MODULES)  # those of the user come last, in the order in which they were defined
    return tuple(sorted(_DEFINITIONS.values(), key=lambda d: place.get(d.function.__module__, own)))


def names() -> tuple[str, ...]:
    """The names of all measures."""
    known = definitions()
    return tuple(dict.fromkeys([*(d.name for d in known), *(f"{d.name}_IA" for d in known if d.single)]))


def _load_all() -> None:
    for module in MODULES:
        importlib.import_module(module)


def _hint(name: str, spellings: Mapping[str, Collection[str]]) -> str:
    """The known names that are closest, in their own spelling."""
    if len(name) > 60:
        return ""
    import difflib

    close = difflib.get_close_matches(folded_name(name), spellings, n=2, cutoff=0.5)
    meant = dict.fromkeys(known for spelling in close for known in sorted(spellings[spelling]))
    return f"; did you mean {' or '.join(meant)}?" if meant else ""
