"""Everything that a note may be about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rankprism.data import Alignment, Floats, Judgments, some
from rankprism.measures import Measure
from rankprism.text import quoted
from rankprism.types import Order, Tied, Topics

if TYPE_CHECKING:
    from rankprism.measures import PreferencePool


#: How notes call the orders that programs have: trec_eval, pyndeval, which ir_measures calls, and ndeval.
_ORDERS = {
    "score": "by score",
    "score-ascending-id": "by score if ids break ties in ascending order, as in pyndeval "
    "(--order score-ascending-id)",
    "rank": "by rank",
}


class Evaluated(NamedTuple):
    """Everything that a note may be about."""

    judgments: Judgments
    runs: Mapping[str, Alignment]
    measures: Sequence[Measure]
    topics: Topics  # which are averaged over
    #: the mean of a run by the first measure in the orders that programs have, those of them that are known
    means: Callable[[str], Mapping[Order, float]]
    #: the topic and the document of every line of a run, if it can be read again
    columns: Callable[[str], tuple[Sequence[str], Sequence[str]] | None] = lambda _: None
    needs: str = "judgments"  # the kind of judgments; for preferences, `judgments` has all that they name
    order: Order = "score"
    pool: PreferencePool | None = None  # the preferences, counted
    tied: Tied | None = None  # what is done with tied documents
    one_order: Floats | None = None  # (run, measure) the means if ids decide the order of tied documents
    over_orders: Floats | None = None  # (run, columns) the means over all orders of tied documents

    def in_other_orders(self, name: str) -> str:
        """A sentence with the mean of a run in the orders of other programs, if they differ."""
        means = self.means(name)
        texts = {order: f"{mean:.4f} {_ORDERS[order]}" for order, mean in means.items()}
        if f"{means.get('score', 0.0):.4f}" == f"{means.get('score-ascending-id', 0.0):.4f}":
            texts.pop("score-ascending-id", None)
        if len(texts) < 2:
            return ""
        *others, last = texts.values()
        listed = f"{', '.join(others)}{',' * (len(others) > 1)} and {last}"
        return f". The {self.measures[0]} of {quoted(name)} is {listed}"

    @property
    def by_score(self) -> bool:
        """Whether the scores decide the order of the documents."""
        return self.order not in ("rank", "input")

    def named(self, details: Mapping[str, str]) -> str:
        """The runs that a note is about, with the details of the first."""
        name, detail = next(iter(details.items()))
        if len(details) == 1:
            return f"{quoted(name)} ({detail})"
        return f"{len(details)} of {len(self.runs)} runs (first {quoted(name)}: {detail})"

    def topics_of(self, name: str, which: npt.NDArray[np.bool_]) -> str:
        """Some topics of a run, counted."""
        names = [self.judgments.topics[t] for t in np.flatnonzero(which)]
        return f"{len(names)} of {self.runs[name].retrieved.sum()} topics: {some(names)}"
