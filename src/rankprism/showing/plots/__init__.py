"""Charts of scores and of the results of analyses. Each chart is one function.

Charts are Altair charts. Notebooks show them as pictures, without a network, and `save` writes them as HTML,
SVG, PNG or PDF. Altair comes with the extra ``plots``, and is loaded when the first chart is drawn.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import Any

from rankprism.lazy import attach
from rankprism.showing.plots.of_scores import ScorePlots as ScorePlots
from rankprism.showing.plots.output import check_ending as check_ending
from rankprism.showing.plots.output import save as save
from rankprism.showing.plots.record import CHARTS as CHARTS
from rankprism.showing.plots.record import Chart as Chart
from rankprism.showing.plots.record import Frame as Frame
from rankprism.showing.plots.record import chart as chart
from rankprism.showing.plots.record import check_size as check_size
from rankprism.showing.plots.record import draw as draw

for _module in pkgutil.iter_modules(globals()["__path__"]):
    importlib.import_module(f"{__name__}.{_module.name}")
# Packages that add charts name their modules below [project.entry-points."rankprism.charts"].
for _point in entry_points(group="rankprism.charts"):
    _point.load()

_OTHERS = ("CHARTS", "Chart", "Frame", "ScorePlots", "chart", "check_ending", "check_size", "draw", "save")


def _find(name: str) -> Any:
    return CHARTS[name].function if name in CHARTS else None


__getattr__, __dir__ = attach(__name__, lambda: [*CHARTS, *_OTHERS], _find)
