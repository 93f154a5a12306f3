"""Charts, one function each, of scores and of what analyses return; nothing is analysed here.

They are Altair charts, which notebooks show and `save` writes as HTML, SVG, PNG or PDF. Altair is an extra,
``pip install 'rankprism[plots]'``, and is loaded with the first chart.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rankprism.errors import RankprismError

if TYPE_CHECKING:
    from rankprism.plots.attainable import attainable_boxes
    from rankprism.plots.bars import topic_differences, unanimity_bars
    from rankprism.plots.curves import asl_curves, power_growth, swap_curves
    from rankprism.plots.hasse import hasse_diagram
    from rankprism.plots.heatmaps import correlation_heatmap, system_topic_heatmap
    from rankprism.plots.intervals import difference_intervals, score_intervals
    from rankprism.plots.irec import irec_against
    from rankprism.plots.output import check_ending, save
    from rankprism.plots.ranks import sensitivity

__all__ = [
    "asl_curves",
    "attainable_boxes",
    "check_ending",
    "correlation_heatmap",
    "difference_intervals",
    "hasse_diagram",
    "irec_against",
    "power_growth",
    "save",
    "score_intervals",
    "sensitivity",
    "swap_curves",
    "system_topic_heatmap",
    "topic_differences",
    "unanimity_bars",
]

_HOME = {
    "asl_curves": "curves",
    "attainable_boxes": "attainable",
    "check_ending": "output",
    "correlation_heatmap": "heatmaps",
    "difference_intervals": "intervals",
    "hasse_diagram": "hasse",
    "irec_against": "irec",
    "power_growth": "curves",
    "save": "output",
    "score_intervals": "intervals",
    "sensitivity": "ranks",
    "swap_curves": "curves",
    "system_topic_heatmap": "heatmaps",
    "topic_differences": "bars",
    "unanimity_bars": "bars",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rankprism.plots' has no attribute {name!r}")
    try:
        module = importlib.import_module(f"rankprism.plots.{_HOME[name]}")
    except ModuleNotFoundError as error:
        if error.name not in ("altair", "vl_convert"):
            raise
        raise RankprismError("plots need two more packages: pip install 'rankprism[plots]'") from None
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
