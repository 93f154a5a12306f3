"""Measures of your own: made from parts (`compose`), or as a weighted sum of other measures (`mix`).

Such a measure works wherever a built-in measure does. `rankprism.formats.measure_files` reads such measures
from files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankprism.data import LARGEST
from rankprism.errors import MeasureError
from rankprism.measures.definition import Definition
from rankprism.measures.family import NoveltySum
from rankprism.measures.grammar import parse
from rankprism.measures.known.novelty import LogBase
from rankprism.measures.measure import Measure
from rankprism.measures.mixture import Mixture
from rankprism.measures.parameter import CUTOFF, JUDGED_ONLY, declared
from rankprism.measures.parts import GAINS, Alpha, Discount, Effort, Gain, Novelty, Parts, Patience, Rel
from rankprism.measures.registry import register
from rankprism.text import quoted

DISCOUNTS = {
    "uniform": "1",
    "logarithmic": "1 / log2(i + 1)",
    "reciprocal": "1 / i",
    "geometric": "p^(i-1)",
    "slow": "1 / (1 + log_p i)",
}
NOVELTIES = {
    "none": "1",
    "decay": "(1-α)^(documents on t above i)",
    "cascade": "Π_{j<i} (1 - g(j,t))",
    "first": "[no document on t above i]",
}
DIVISORS = {
    "none": "",
    "greedy": "the same for the greedy ideal ranking",
    "exact": "the same for the best possible ranking",
    "per-aspect": "the ideal of each aspect, before the sum",
    "everything": "the same for a ranking in which every document serves every aspect",
}
_P = {"geometric": Patience, "slow": LogBase}


def compose(
    name: str,
    *,
    discount: str = "logarithmic",
    gain: str = "binary",
    novelty: str = "none",
    divisor: str = "none",
    weighted: bool = True,
    p: float = 0.8,
    alpha: float = 0.5,
    effort: float = 0.0,
    rel: float = 1.0,
    summary: str = "",
    lower_is_better: bool = False,
) -> Measure:
    """Make and register the measure Σ_i D(i) [Σ_t w_t g(i,t) N(i,t) - e], divided by `divisor`.

    >>> from rankprism import evaluate
    >>> eager = compose("eager", discount="reciprocal", novelty="first")
    >>> two = {"q": {"s1": {"a": 1}, "s2": {"b": 1}}}
    >>> evaluate(two, {"q": {"a": 2, "b": 1}}, ["eager", "eager@1"]).mean()
    {'run': {'eager': 0.75, 'eager@1': 0.5}}
    """
    for what, value, known in (
        ("discount", discount, DISCOUNTS),
        ("gain", gain, GAINS),
        ("novelty", novelty, NOVELTIES),
        ("divisor", divisor, DIVISORS),
    ):
        if not isinstance(value, str) or value not in known:
            raise MeasureError(f"{name}: {what} must be one of {', '.join(known)}; got {quoted(value)}")
    p, alpha, effort, rel = (_number(name, value) for value in (p, alpha, effort, rel))
    if divisor == "everything" and novelty != "decay":
        raise MeasureError(f"{name}: divisor 'everything' needs novelty 'decay'; got {novelty!r}")
    if effort and divisor != "none":
        raise MeasureError(f"{name}: with an effort there is no ideal to divide by; use divisor 'none'")

    def parts_of(rel: float, p: float = 0.0, alpha: float = 0.0, e: float = 0.0) -> Parts:
        return Parts(
            Discount(discount, p), Gain(gain, rel), Novelty(novelty, alpha), weighted, e, over=divisor
        )

    text = (
        f"{name} = Σ_i {DISCOUNTS[discount]} · [Σ_t w_t g(i,t) · {NOVELTIES[novelty]}{' - e' * bool(effort)}]"
    )
    over = f"  ÷  {DIVISORS[divisor]}" if divisor != "none" else ""
    parts_of.__name__ = _checked(name)
    parts_of.__doc__ = f"{summary or f'{name}: made from parts.'}\n\n{text}{over}, g {gain}"
    parameters = [
        *([declared("p", _P[discount], p)] if discount in _P else []),
        *([declared("alpha", Alpha, alpha)] if novelty == "decay" else []),
        *([declared("e", Effort, effort)] if effort else []),
        declared("rel", Rel, rel),
        JUDGED_ONLY,
        CUTOFF,
    ]
    for parameter in parameters:
        parameter.check(parameter.default, name)
    recipe = {
        "name": name,
        "discount": discount,
        "gain": gain,
        "novelty": novelty,
        "divisor": divisor,
        "weighted": weighted,
        "p": p,
        "alpha": alpha,
        "effort": effort,
        "rel": rel,
        "summary": summary,
        "lower_is_better": lower_is_better,
    }

    def form(cutoff: int | None, **settings: float) -> NoveltySum:
        return NoveltySum(parts_of(**settings), cutoff, name)

    return register(
        Definition(
            parts_of,
            form,
            tuple(parameters),
            lower_is_better=lower_is_better or None,
            recipe=(compose, recipe),
        )
    )


def mix(
    name: str,
    measures: Mapping[str | Measure, float],
    *,
    summary: str = "",
    lower_is_better: bool | None = None,
) -> Measure:
    """Make and register the measure Σ λ_m m, a weighted sum of measures m.

    Whether a lower sum is better follows from the measures and the signs of their weights. If they contradict
    each other, `lower_is_better` has to say it.

    >>> from rankprism import evaluate
    >>> balanced = mix("balanced", {"StRecall@1": 0.5, "P@1": 0.5})
    >>> evaluate({"q": {"s1": {"a": 1}, "s2": {"b": 1}}}, {"q": {"a": 1}}, [balanced]).mean()
    {'run': {'balanced': 0.75}}
    """
    if not measures:
        raise MeasureError(f"{name}: nothing to mix; name measures and their weights")
    chosen = [(parse(measure), _number(name, weight)) for measure, weight in measures.items()]
    needs = chosen[0][0].needs
    for measure, _ in chosen:
        if measure.needs != needs:
            raise MeasureError(
                f"{name}: {chosen[0][0]} and {measure} cannot be mixed; one needs absolute judgments, and "
                f"the other preferences"
            )

    def mixture_of() -> Mixture:
        return Mixture(tuple((str(measure), weight, measure) for measure, weight in chosen))

    text = " + ".join(f"{weight:g} {measure}" for measure, weight in chosen)
    mixture_of.__name__ = _checked(name)
    mixture_of.__doc__ = f"{summary or f'{name}: a mixture.'}\n\n{name} = {text}"
    return _directed(
        Definition(
            mixture_of,
            mixture_of,
            (JUDGED_ONLY,) if needs == "judgments" else (),
            cite=tuple(dict.fromkeys(key for measure, _ in chosen for key in measure.definition.cite)),
            needs=needs,
            lower_is_better=lower_is_better,
            recipe=(
                mix,
                {
                    "name": name,
                    "measures": dict(chosen),
                    "summary": summary,
                    "lower_is_better": lower_is_better,
                },
            ),
        )
    )


def _directed(definition: Definition) -> Measure:
    """Register a mixture, of which it must be known whether a lower score is better."""
    _ = Measure(definition).lower_is_better
    return register(definition)


def _number(name: str, value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -LARGEST <= value <= LARGEST:
        raise MeasureError(f"{name}: {quoted(value)} is not a number between -{LARGEST:,} and {LARGEST:,}")
    return float(value)


def _checked(name: str) -> str:
    if not name.isidentifier():
        raise MeasureError(f"{quoted(name)} cannot name a measure; use letters, digits and _")
    return name
