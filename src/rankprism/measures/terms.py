"""Terms: what a document adds to a score, as gain × novelty × discount or as a sum of such products.

A measure that is a sum over documents returns `Terms`. The score is their sum, and `explain` shows their
factors. Factors are (N, A, H), or (N, 1, H) if they are the same on all aspects. `of_all_aspects` turns them
into the factors of the weighted sum over aspects, and `of_aspect` picks the factors of one aspect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from rankprism.data import Floats
from rankprism.measures.parts import over_best, ratio, total

#: The meaning of each part's name. Parts of a sum are named after measures or aspects.
MEANING = {
    "gain": "what the document's grades are worth, summed over aspects with their weights",
    "global gain": "the document's gain over all intents, each with its probability",
    "novelty": "the share of the gain that is new to a user who has read the documents above",
    "stop": "the chance that the document satisfies the user, who then stops",
    "reach": "the chance that a user gets to the document",
    "precision": "the share of relevant documents down to this rank",
    "preferred": "the share of judged non-relevant documents that are not above it, counting at most R",
    "blended ratio": "the gain and the number of relevant documents so far, relative to an ideal ranking",
    "worth with those above": "what the document and the relevant ones above it are worth together",
    "overlap": "what the document adds to the overlap with the ideal ranking",
    "utility": "how often people prefer the document, given those above it",
    "discount": "how much its rank counts",
    "scale": "a number that the measure multiplies by, such as 1 / the ideal ranking's sum",
}


class Terms(NamedTuple):
    """The terms of a score Σ_i Π factors ÷ over, as the factors of each retrieved document."""

    factors: Mapping[str, Floats]  #: by the names of `MEANING`, in the order in which they are multiplied
    over: Floats | None = None  #: (N, A) the divisor
    is_best: bool = True  #: whether `over` is the score of the best ranking, so that a ratio close to 1 is 1

    @property
    def scores(self) -> Floats:
        """(N, A) the score of each aspect"""
        score = total(np.ascontiguousarray(reduce(np.multiply, self.factors.values())))
        return score if self.over is None else (over_best if self.is_best else ratio)(score, self.over)

    @property
    def scaled(self) -> dict[str, Floats]:
        """The factors, with 1 / `over` as one of them."""
        scale = {} if self.over is None else {"scale": ratio(np.ones(()), self.over)[:, :, None]}
        return {**self.factors, **scale}


@dataclass(frozen=True, eq=False)
class MadeOf:
    """The parts of each relevant document's contribution, by name: (N, H)."""

    parts: Mapping[str, Floats]
    adds: bool = False  #: whether the parts are added to each other; otherwise they are multiplied

    @property
    def contribution(self) -> Floats:
        """(N, H) the sum or the product of the parts; 0 where a factor is not defined"""
        values = [np.nan_to_num(value) for value in self.parts.values()]
        return reduce(np.add if self.adds else np.multiply, values)


def of_all_aspects(factors: Mapping[str, Floats], weight: Floats) -> MadeOf:
    """The factors of Σ_t w_t f_t g_t h_t, from f, g and h of each aspect and the weights (N, A).

    The first is Σ w f. Each of the others is the mean of its factor over aspects, weighted by the product of
    the weight and the factors before it: Σ w f g / Σ w f, and so on. Their product is the sum. A mean is not
    defined (NaN) if the product before it is 0 on all aspects.

    A document has the gain 1 on each of two aspects, and only half of the second gain is new:

    >>> gain, novelty = np.array([[[1.0], [1.0]]]), np.array([[[1.0], [0.5]]])
    >>> made = of_all_aspects({"gain": gain, "novelty": novelty}, np.array([[0.5, 0.5]]))
    >>> made.parts["gain"].item(), made.parts["novelty"].item()
    (1.0, 0.75)
    """
    (first, gain), *others = factors.items()
    product = gain * weight[:, :, None]
    parts = {first: product.sum(1)}
    for name, value in others:
        shape = (len(product), product.shape[2])
        if value.shape[1] == 1:  # the same on all aspects
            parts[name] = np.broadcast_to(value[:, 0], shape)
            product = product * value
            continue
        before, product = product.sum(1), product * value
        defined = before != 0
        parts[name] = np.divide(product.sum(1), before, out=np.full(shape, np.nan), where=defined)
    return MadeOf(parts)


def of_aspect(factors: Mapping[str, Floats], aspect: int) -> MadeOf:
    """The factors of one aspect."""
    width = next(iter(factors.values())).shape[2]
    found = {name: value[:, 0 if value.shape[1] == 1 else aspect] for name, value in factors.items()}
    return MadeOf({name: np.broadcast_to(value, (len(value), width)) for name, value in found.items()})


def added(summands: Mapping[str, tuple[float, MadeOf | None]], width: int) -> MadeOf | None:
    """A weighted sum of contributions to several measures; None if one of them is not made of parts.

    width : the number of relevant documents, of which a measure with a smaller cutoff sees fewer.
    """
    parts = {}
    for name, (weight, made) in summands.items():
        if made is None:
            return None
        contribution = weight * made.contribution
        parts[name] = np.pad(contribution, ((0, 0), (0, width - contribution.shape[1])))
    return MadeOf(parts, adds=True)
