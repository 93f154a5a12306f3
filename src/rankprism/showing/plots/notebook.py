"""Makes notebooks show charts as pictures (SVG), which need no network.

By default, Altair puts a script into the notebook that loads Vega from the network. Only the charts of this
package are shown differently. Other charts of the session stay as they are.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

from rankprism.showing.plots.engine import alt
from rankprism.showing.plots.output import drawn

Drawn = TypeVar("Drawn")


class _Picture:
    """The part of a chart that decides how a notebook shows it."""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        # A user who has chosen a renderer, e.g. with alt.renderers.enable("jupyter"), gets that one.
        if alt.renderers.active != "default" or not find_spec("vl_convert"):
            return super()._repr_mimebundle_(*args, **kwargs)  # type: ignore[misc]
        return {"image/svg+xml": drawn(self, "svg").decode(), "text/plain": f"<{type(self).__name__}>"}

    def __reduce__(self) -> Any:
        # pickle finds a class by its name, so it can find only Altair's class.
        return _restored, (type(self).__bases__[1], self.__dict__)


@cache
def _shown_as_picture(kind: type) -> type:
    return type(kind.__name__, (_Picture, kind), {"__doc__": kind.__doc__})


def picture(chart: Drawn) -> Drawn:
    """Make notebooks show a chart as a picture. In all else it stays a chart of Altair."""
    if isinstance(chart, alt.TopLevelMixin) and not isinstance(chart, _Picture):
        # Setting the attribute as usual would put it into the specification of the chart.
        kind: type = type(chart)
        object.__setattr__(chart, "__class__", _shown_as_picture(kind))
    return chart


def _restored(kind: type[Any], content: dict[str, Any]) -> Any:
    chart = object.__new__(kind)
    chart.__dict__.update(content)
    return picture(chart)
