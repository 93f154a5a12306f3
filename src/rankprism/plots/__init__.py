"""Charts of scores and of the results of analyses. Each chart is one function.

Charts are Altair charts. Notebooks show them as pictures, without a network, and `save` writes them as HTML,
SVG, PNG or PDF. Altair is an extra, ``pip install 'rankprism[plots]'``, and is loaded when the first chart is
drawn.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from rankprism.plots.of_scores import ScorePlots as ScorePlots
from rankprism.plots.output import check_ending as check_ending
from rankprism.plots.output import save as save
from rankprism.plots.record import CHARTS as CHARTS
from rankprism.plots.record import Chart as Chart
from rankprism.plots.record import chart as chart
from rankprism.plots.record import check_size as check_size
from rankprism.plots.record import draw as draw

if TYPE_CHECKING:  # for type checkers, which cannot run the loop below
    from rankprism.plots.attainable import *  # noqa: F403
    from rankprism.plots.bars import *  # noqa: F403
    from rankprism.plots.curves import *  # noqa: F403
    from rankprism.plots.hasse import *  # noqa: F403
    from rankprism.plots.heatmaps import *  # noqa: F403
    from rankprism.plots.intent_recall import *  # noqa: F403
    from rankprism.plots.means import *  # noqa: F403
    from rankprism.plots.ranks import *  # noqa: F403
    from rankprism.plots.studies import *  # noqa: F403

for _module in pkgutil.iter_modules(globals()["__path__"]):
    importlib.import_module(f"{__name__}.{_module.name}")

_OTHERS = ("CHARTS", "Chart", "ScorePlots", "chart", "check_ending", "check_size", "draw", "save")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted([*CHARTS, *_OTHERS])
    if name not in CHARTS:
        raise AttributeError(f"module 'rankprism.plots' has no attribute {name!r}")
    return CHARTS[name].function


def __dir__() -> list[str]:
    return sorted([*CHARTS, *_OTHERS])
