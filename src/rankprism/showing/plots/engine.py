"""Altair, which draws the charts. It takes a second to load, so it is loaded when a chart is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankprism.errors import RankprismError, install

MISSING = f"charts need two more packages: {install('plots')}"

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        """Has the names of Altair, and loads it when the first of them is used."""

        def __getattr__(self, name: str) -> Any:
            try:
                import altair
            except ModuleNotFoundError as error:
                if error.name != "altair":
                    raise
                raise RankprismError(MISSING) from None
            return getattr(altair, name)

    alt = _Altair()

__all__ = ["MISSING", "alt"]
