# Written by tests/support/stubs.py.
# fmt: off
from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, TypeVar

from rankprism.results.scores import Scores
from rankprism.showing.plots import bars, heatmaps, intent_recall, means, ranks
from rankprism.showing.plots.record import Chart

_Arguments = ParamSpec("_Arguments")
_Drawn = TypeVar("_Drawn", covariant=True)

class _Method(Generic[_Arguments, _Drawn]):
    def __init__(self, function: Callable[Concatenate[Scores, _Arguments], _Drawn]) -> None: ...
    def __get__(self, plots: ScorePlots, owner: object) -> Callable[_Arguments, _Drawn]: ...

class ScorePlots:
    def __init__(self, scores: Scores) -> None: ...
    differences = _Method(bars.differences)
    heatmap = _Method(heatmaps.heatmap)
    intervals = _Method(means.intervals)
    irec = _Method(intent_recall.irec)
    sensitivity = _Method(ranks.sensitivity)

def of_scores() -> dict[str, Chart]: ...
