"""A measure as a value: a definition whose parameters are bound.

`alpha_nDCG(alpha=0.25) @ 20` prints as `alpha_nDCG(alpha=0.25)@20`, and this text parses back to the same
measure. A measure is declared once, by a decorated function:

- The types in its signature, such as `Alpha` or `Rel`, say which values a parameter may have and what it
  means.
- The docstring has the formula and a worked example that runs as a test.
- The decorator has the citation, and what it was compared with.

The catalogue, the documentation, `help` and the command line read everything from there. If other code
than the formula must know a parameter, the parameter has a role (`Role.CUTOFF`, `Role.THRESHOLD`, …). No
code looks at how a parameter is spelled. A function of parameters returns the form of the measure, and the
normalised forms of sums are only a name and a docstring. Measure names are found however papers spell
them, and `other_names.py` has the names of other programs. The grammar has its own tokenizer and never
evaluates code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankprism.data import Floats, Hits, Longs
from rankprism.errors import MeasureError
from rankprism.measures.definition import Definition
from rankprism.measures.form import DEEPEST, OfRanking, PerAspect
from rankprism.measures.forms import Folded, NamedFold
from rankprism.measures.mixture import Mixture
from rankprism.measures.parameter import Role, printed
from rankprism.measures.spelling import GREEK

if TYPE_CHECKING:
    from rankprism.measures.bounds.completions import Completions
    from rankprism.measures.contributions import Contributions
    from rankprism.measures.form import Form
    from rankprism.measures.preferences.hits import PreferenceHits, PreferencePool
    from rankprism.measures.terms import MadeOf

#: The aspect on which a lower score is better, unless its settings say otherwise: that of `Contrast`.
HARMFUL = "harmful"


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """A measure with its parameters bound. ``str(measure)`` parses back to it.

    >>> from rankprism.measures import alpha_nDCG
    >>> alpha_nDCG(alpha=0.25) @ 20
    alpha_nDCG(alpha=0.25)@20
    """

    definition: Definition
    settings: Mapping[str, Any] = field(default_factory=dict)  # only what differs from the defaults
    name: str = field(init=False)
    #: The kind of judgments that it needs: "judgments", which are absolute, or "preferences".
    needs: str = field(init=False)
    #: The value of every parameter.
    _values: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        values = {p.name: p.default for p in self.definition.parameters} | dict(self.settings)
        bound = (("name", self.definition.name), ("needs", self.definition.needs), ("_values", values))
        for name, value in bound:
            object.__setattr__(self, name, value)

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
        parameter = self.definition.after_at
        if parameter is None:
            inner = self.inner
            hint = f"write {self.name}({inner}@{cutoff})" if inner else f"write it without @{cutoff}"
            raise MeasureError(f"{self.name} takes no cutoff of its own; {hint}")
        return self(**{parameter.name: cutoff})

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        if name not in self._values:
            self.definition.parameter(name)  # which says what parameters there are
        return self._values[name]

    def of(self, role: Role) -> Any:
        """The value of the parameter with this role, or None if there is no such parameter."""
        parameter = self.definition.roles.get(role)
        return None if parameter is None else self._values[parameter.name]

    def given(self, role: Role) -> Any:
        """The same as `of`, but also None if the value is the default."""
        parameter = self.definition.roles.get(role)
        return None if parameter is None else self.settings.get(parameter.name)

    @property
    def inner(self) -> Measure | None:
        """The measure inside, or None."""
        inside: Measure | None = self.given(Role.INNER)
        return inside

    @property
    def inside(self) -> tuple[Measure, ...]:
        """The measures of a mixture, or the measure inside."""
        if isinstance(self.declared, Mixture):
            return self.declared.measures
        return () if self.inner is None else (self.inner,)

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
        from rankprism.text import latex_escaped

        escaped = latex_escaped(self.display)
        for word, letter in GREEK.items():
            escaped = escaped.replace(letter, rf"$\{word}$")
        return escaped

    def _spelled(self, name: str, spelling: Mapping[str, str], inner: Callable[[Measure], str]) -> str:
        """The name, the parameters that differ from their defaults, and what is written after @."""
        last = self.definition.after_at
        given = [p for p in self.definition.parameters if p.name in self.settings and p is not last]
        inside = ",".join(
            inner(self.settings[p.name])
            if p.role is Role.INNER
            else f"{spelling.get(p.name, p.name)}={printed(self.settings[p.name])}"
            for p in given
        )
        after = None if last is None else self.settings.get(last.name)
        return name + (f"({inside})" if inside else "") + ("" if after is None else f"@{printed(after)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name. The other process looks up the definition, imports its module or makes it again."""
        from rankprism.measures.registry import restored

        return restored, (self.name, self.definition.module, self.definition.recipe, dict(self.settings))

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def score(self, hits: Hits | PreferenceHits) -> Floats:
        """(N,): the score of each ranking; NaN if it has none. Any other infinite number is an error."""
        score = self.computed(hits)
        wrong = ~np.isfinite(score)
        if isinstance(hits, Hits) and wrong.any() and not (self.is_partial and np.isnan(score[wrong]).all()):
            raise MeasureError(
                f"{self}: a score is not a finite number; the grades, which go up to "
                f"{hits.pool.grade.max(initial=0.0):g}, are too large for it"
            )
        return score

    @cached_property
    def form(self) -> Form:
        """What the measure is: everything about its scores is asked from here."""
        return self.definition.form(**self._parameters)

    @property
    def declared(self) -> Form | None:
        """The form; None if the measure inside is missing."""
        return None if Role.INNER in self.definition.roles and self.inner is None else self.form

    @cached_property
    def whole(self) -> OfRanking:
        """The form that scores all aspects together. A single-aspect measure folds them into one."""
        if isinstance(self.form, PerAspect):
            return Folded(self, NamedFold(self.of(Role.FOLD)))
        assert isinstance(self.form, OfRanking)
        return self.form

    @property
    def of_each(self) -> PerAspect:
        """The form that scores each aspect on its own; only of single-aspect measures."""
        if not isinstance(self.form, PerAspect):
            raise MeasureError(f"{self} does not score each aspect on its own")
        return self.form

    def computed(self, hits: Hits | PreferenceHits) -> Floats:
        """(N,): the score of each ranking as the function gives it, finite or not."""
        if isinstance(hits, Hits) != (self.needs == "judgments"):
            needed = "preferences" if self.needs == "preferences" else "absolute judgments"
            raise MeasureError(f"{self} needs {needed}, but the rankings come without them")
        return self.whole.score(self._unfolded(hits))

    def explain(self, hits: Hits | PreferenceHits, depth: int | None = None) -> Contributions:
        """The contribution of each document, down to `depth`: see `rankprism.measures.contributions`."""
        from rankprism.measures.contributions import contributions

        return contributions(self, hits, depth)

    def made_of(self, hits: Hits | PreferenceHits) -> MadeOf | None:
        """The parts of what each relevant document adds to the score, or None if they are not known."""
        return self.whole.made_of(self._unfolded(hits))

    def ideal(self, pool: PreferencePool) -> Mapping[str, Longs] | None:
        """An ideal ranking of each topic of a measure of preferences, or None if none is known."""
        return self.form.ideal(pool)

    def factors(self, hits: Hits) -> Mapping[str, Floats] | None:
        """The factors of what each document adds to `per_aspect`, by name, or None if they are not known."""
        return self.of_each.factors(self._seen(hits))

    def per_aspect(self, hits: Hits) -> Floats:
        """(N, A): the score of each aspect on its own; only for single-aspect measures."""
        return self.of_each.per_aspect(self._seen(hits))

    @property
    def cutoff(self) -> int | None:
        """The cutoff of the measure or of the measure inside; None if it looks at the whole ranking."""
        cutoff: int | None = self.inner.cutoff if self.inner else self.given(Role.CUTOFF)
        return cutoff

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score that a ranking can have, infinite where it is not known.

        >>> from rankprism.measures import DCG, RBU, Unjudged
        >>> Unjudged.range, DCG.range, RBU.range
        ((0.0, 1.0), (0.0, inf), (-inf, inf))
        """
        return self.definition.range or self.form.range

    @property
    def grows_with_depth(self) -> bool:
        """Whether documents far down a ranking can still raise the score by a large share.

        If they can, the scores of short and of long rankings do not compare. A cutoff prevents it, and so
        does a user who hardly ever gets that far.

        >>> from rankprism.measures import AP, P, R, RBP, RR
        >>> [measure.grows_with_depth for measure in (AP, RR, RBP, P, RBP(p=0.99), R @ 1000)]
        [True, False, False, False, True, True]
        """
        return (self.cutoff is None or self.cutoff > DEEPEST) and self.form.is_deep

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower score is better.

        >>> from rankprism.measures import Unjudged, nDCG
        >>> Unjudged.lower_is_better, nDCG.lower_is_better
        (True, False)
        """
        return self.is_lower_better({})

    def is_lower_better(self, aspects: Mapping[str, bool]) -> bool:
        """Whether a lower score is better, where `aspects` says of which aspects a lower score is.

        The score on the aspect `HARMFUL` is better if it is lower, unless `aspects` says otherwise.
        """
        own, made, aspect = self.definition.lower_is_better, self.declared, self.of(Role.ASPECT)
        if isinstance(made, Mixture) and own is None:
            found = made.is_lower_better(aspects)
            if found is None:
                raise MeasureError(
                    f"{self.name} adds measures whose lower scores are better to others; give these a "
                    f"negative weight, or set lower_is_better to true or false"
                )
            return found
        on_aspect = aspect is not None and aspects.get(aspect, aspect == HARMFUL)
        inside = self.inner is not None and self.inner.is_lower_better(aspects)
        return bool(own) ^ on_aspect ^ inside

    @property
    def is_partial(self) -> bool:
        """Whether a ranking may have no score, by this measure or by one that it is made of."""
        return self.definition.partial or any(measure.is_partial for measure in self.inside)

    @property
    def is_condensed(self) -> bool:
        """Whether the measure, or the measure inside, looks only at judged documents."""
        return bool(self.of(Role.JUDGED_ONLY)) or (self.inner is not None and self.inner.is_condensed)

    @property
    def is_sum(self) -> bool:
        """Whether the score, and the score of every measure inside, is a sum over documents."""
        return self.form.is_sum and all(measure.is_sum for measure in self.inside)

    @property
    def has_steps(self) -> bool:
        """Whether the steps of the score depend only on which documents are above: see `Form.has_steps`."""
        return self.form.has_steps and (self.inner is None or self.inner.has_steps)

    @property
    def is_uncertain(self) -> bool:
        """Whether the score may be known only within bounds."""
        return self.form.searches and self.of(Role.IDEAL) in (None, "exact")

    def interval(self, hits: Hits | PreferenceHits) -> tuple[Floats, Floats]:
        """(N,) twice: the lower and the upper bound of the score."""
        if not self.form.searches:
            score = self.score(hits)
            return score, score
        return self.form.interval(self._seen(hits))

    @property
    def why_unbounded(self) -> str:
        """Why no bounds are known for missing judgments. Empty if they are known."""
        if self.of(Role.JUDGED_ONLY):
            return "it leaves out unjudged documents, and a judgment would put them back in"
        if self.values_not_relevant:
            return "a document of grade 0 has a gain"
        if self.inner is not None and self.inner.why_unbounded:
            return f"of {self.inner}: {self.inner.why_unbounded}"
        return "" if self.declared is None else self.declared.why_unbounded

    @property
    def bounds_kind(self) -> str:
        """The kind of bounds for missing judgments: "exact", "outer", or "none" if no bounds are known."""
        made = self.declared
        if made is None:
            return "outer"  # at best, as those of the measure inside
        return "none" if made.why_unbounded else "exact" if made.is_exact else "outer"

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
        self.check_bounded()
        low, high = self.whole.bounds(completions)
        # The judgments themselves are one completion, and the only one if all documents are judged.
        is_open = completions.count > 0
        return (
            np.where(is_open, np.minimum(low, given[0]), given[0]),
            np.where(is_open, np.maximum(high, given[1]), given[1]),
        )

    def bounds_per_aspect(self, completions: Completions) -> tuple[Floats, Floats]:
        """(N, A) twice: the bounds of `per_aspect` over all possible missing judgments"""
        self.check_bounded()
        return self.of_each.bounds(completions)

    def _unfolded(self, hits: Hits | PreferenceHits) -> Hits | PreferenceHits:
        """What `whole` looks at: a fold comes before unjudged documents are left out."""
        return hits if self.definition.single else self._seen(hits)

    @overload
    def _seen(self, hits: Hits) -> Hits: ...
    @overload
    def _seen(self, hits: Hits | PreferenceHits) -> Hits | PreferenceHits: ...
    def _seen(self, hits: Hits | PreferenceHits) -> Hits | PreferenceHits:
        """The rankings without unjudged documents, if the measure leaves them out, and with all gains."""
        if not isinstance(hits, Hits):
            return hits
        hits = self.with_gains(hits)
        return hits.condensed() if self.of(Role.JUDGED_ONLY) else hits

    def with_gains(self, hits: Hits) -> Hits:
        """The rankings, in which documents of grade 0 are hits if they have a gain."""
        if not any(grade == 0 and gain > 0 for grade, gain in (self.given(Role.GAINS) or {}).items()):
            return hits
        if hits.grade.shape[1] > 1 and self.definition.single:
            fold = self.of(Role.FOLD)
            hits = hits if fold is None else NamedFold(fold).hits(hits)
        if hits.grade.shape[1] > 1:
            raise MeasureError(
                f"{self}: a gain for grade 0 needs judgments of one aspect, because several do not say which "
                f"documents have grade 0 on each; leave it out of gains"
            )
        return hits.with_not_relevant()

    @property
    def values_not_relevant(self) -> bool:
        """Whether a document of grade 0 has a gain, by this measure or by one inside."""
        gains = self.given(Role.GAINS) or {}
        own = any(grade == 0 and gain > 0 for grade, gain in gains.items())
        return own or any(measure.values_not_relevant for measure in self.inside)

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        """The parameters of the form, which sees grades after folding and without unjudged documents."""
        if Role.INNER in self.definition.roles and self.inner is None:
            raise MeasureError(f"{self.name} needs a measure inside, e.g. {self.name}(nDCG@10)")
        done = (Role.FOLD, Role.JUDGED_ONLY)
        return {p.name: self._values[p.name] for p in self.definition.parameters if p.role not in done}


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
