"""``scores.plot``: the charts of ``rankprism plot`` as methods of scores."""

from __future__ import annotations

from types import MethodType
from typing import TYPE_CHECKING, Any

from rankprism.showing.plots.record import CHARTS, Chart
from rankprism.text import text_table

if TYPE_CHECKING:
    from rankprism.results import Scores


class ScorePlots:
    """The charts of scores. Each command of ``rankprism plot`` is a method.

    >>> from rankprism import evaluate, sample
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10", "P@10"])
    >>> chart = scores.plot.heatmap("P@10", title="Precision on every topic")

    A chart takes the same arguments as the function in `rankprism.plots`, without the scores.
    """

    def __init__(self, scores: Scores) -> None:
        self._scores = scores

    def __getattr__(self, name: str) -> Any:
        found = of_scores()
        if name not in found:
            raise AttributeError(f"there is no chart {name!r} of scores; there are {', '.join(found)}")
        return MethodType(found[name].function, self._scores)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *of_scores()]

    def __repr__(self) -> str:
        rows = [[f"scores.plot.{name}", chart.summary] for name, chart in of_scores().items()]
        return text_table(["chart", "what it shows"], rows, left=2)


def of_scores() -> dict[str, Chart]:
    """The charts of scores by the names of their commands, sorted."""
    found = {
        chart.command.removeprefix("plot ").replace("-", "_"): chart
        for chart in CHARTS.values()
        if chart.of_scores
    }
    return dict(sorted(found.items()))
