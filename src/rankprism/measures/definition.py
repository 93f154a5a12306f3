"""Definitions of measures: the form, the parameters, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankprism.errors import MeasureError, did_you_mean
from rankprism.measures.parameter import Parameter, Role
from rankprism.measures.spelling import folded_name
from rankprism.text import quoted

if TYPE_CHECKING:
    from rankprism.measures.form import Form
    from rankprism.measures.measure import Measure

#: The kinds of judgments that a measure may need.
NEEDS = ("judgments", "preferences")
#: The end of the text that says what a measure computes, if a lower score is better.
LOWER_IS_BETTER = "; lower is better"
#: The constraints of Amigó et al. (2018) in the paper's order; `rankprism.axioms` defines them.
AXIOMS = ("Pri", "Deep", "DeepTh", "CloseTh", "Conf", "AspDiv", "Red", "MRed", "Sat", "AspRel")


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """A measure whose parameters have no values yet."""

    #: The function that was declared, which has the name and the documentation.
    function: Callable[..., Any]
    #: Makes the form from parameters by name, without fold and judged_only.
    form: Callable[..., Form]
    parameters: tuple[Parameter, ...]
    #: A single-aspect measure scores each aspect, (N, A), and its grades can be folded; others give (N,).
    single: bool = False
    #: Programs or papers that the scores were compared with, besides a slow implementation of the definition.
    compared: str = ""
    cite: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    #: Names that papers give to the measure with particular parameters, and these parameters.
    forms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: The kind of judgments that it needs: "judgments", which are absolute, if its function takes `Hits`; or
    #: "preferences", if its function takes `PreferenceHits`.
    needs: str = "judgments"
    #: Whether it can score answers, which have neither an ideal ranking nor a pool: it looks only at the
    #: grades of the retrieved documents, and at the aspects and their weights.
    answers: bool = False
    #: Whether a lower score is better. With a measure inside, True reverses its direction. None: the measures
    #: inside decide, and without any a higher score is better.
    lower_is_better: bool | None = None
    #: The lowest and the highest score that it can have, if a user's measure declares them.
    range: tuple[float, float] | None = None
    #: Whether a ranking may have no score (NaN), because there is nothing to count; a mean leaves it out.
    partial: bool = False
    #: What decides about the scores besides `function`, of which `identity` makes a hash.
    written: tuple[Any, ...] = ()
    #: How another process makes the definition again, if importing its module is not enough.
    recipe: tuple[Callable[..., Measure], Mapping[str, Any]] | None = None

    @cached_property
    def name(self) -> str:
        return self.function.__name__

    @property
    def module(self) -> str:
        """The name of the module that has the measure."""
        return self.function.__module__

    @cached_property
    def doc(self) -> str:
        import inspect

        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.doc.partition("\n")[0]

    @cached_property
    def display(self) -> str:
        """The name as papers print it: α-nDCG, D#-nDCG, ERR-IA."""
        plain = self.name.replace("alpha_", "α_").replace("Sharp", "#").replace("_plus", "+")
        return plain.replace("_", "-")

    @property
    def bibtex(self) -> str:
        from rankprism.measures.citations import CITATIONS

        return "\n\n".join(CITATIONS[key].bibtex for key in self.cite)

    @cached_property
    def roles(self) -> Mapping[Role, Parameter]:
        """The parameters that code outside the form needs."""
        return {p.role: p for p in self.parameters if p.role is not None}

    @property
    def after_at(self) -> Parameter | None:
        """The parameter that is written after @: the cutoff, or a recall."""
        return self.roles.get(Role.CUTOFF) or self.roles.get(Role.AT)

    def spelled(self, name: str) -> str:
        """The parameter that a spelling such as α, Alpha or judged-only means; any other name unchanged."""
        folded = folded_name(name)
        return next((p.name for p in self.parameters if folded_name(p.name) == folded), name)

    def parameter(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        has = ", ".join(p.name for p in self.parameters)
        hint = did_you_mean(folded_name(name), {folded_name(p.name): [p.name] for p in self.parameters})
        raise MeasureError(f"{self.name} has no parameter {quoted(name)}; it has {has}{hint}")
