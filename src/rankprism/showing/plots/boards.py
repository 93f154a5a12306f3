"""Charts of leaderboards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from rankprism.errors import InputError
from rankprism.measures import shown_name
from rankprism.results import marked
from rankprism.showing.plots.record import Frame, alt, chart
from rankprism.showing.plots.theme import (
    FIRST,
    QUIET,
    counted,
    data,
    extent,
    is_narrow,
    of_all,
    row_labels,
    rows_that_fit,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from rankprism.comparison.boards import Leaderboard

#: The backgrounds of tiers, in turn.
BANDS = ("#E8EEF4", "#FFFFFF")
#: The space between two panels in pixels.
BESIDE = 60


@chart("leaderboard")
def leaderboard(board: Leaderboard, **frame: Unpack[Frame]) -> alt.ConcatChart:
    """The ranks that each run may have as a bar, its rank in this sample as a point, and tiers as bands.

    Each measure has its own panel, in which the runs are sorted by tier, and by mean within a tier.
    """
    width, height = frame["width"], frame["height"]
    if not board.has_ranks:
        raise InputError("there are too few topics for sets of ranks, so there is nothing to draw")
    panels, number = [], len(board.measures)
    columns = 1 if is_narrow() else min(number, 2)
    lines = -(-number // columns)
    own, rows = rows_that_fit(len(board.runs), lines)
    each = (width - BESIDE * (columns - 1)) / columns if width else 420 if number == 1 else 300
    step = height / lines / rows if height else own
    for m, measure in enumerate(board.measures):
        name = marked(shown_name(measure), measure, board.lower_is_better)
        panels.append(_panel(board, m, name, each, step, rows))
    apart = [sum(board.separated(m)) for m in range(number)]
    found = f"{apart[0]} of {counted(len(board.runs) - 1, 'neighbour')} separated"
    return styled(
        alt.ConcatChart(concat=panels, columns=columns, spacing=BESIDE),
        columns * each,
        "Ranks that each run may have" + (f" by {shown_name(board.measures[0])}" if number == 1 else ""),
        f"{extent(len(board.runs), sum(board.topics.values()))}; all bars hold together with "
        f"{100 * (1 - board.alpha):g} % confidence; point: rank in this sample; band: tier"
        + (f"; {found}" if number == 1 else "")
        + of_all(rows, len(board.runs), "runs"),
        title=frame["title"],
    )


def _panel(
    board: Leaderboard, m: int, measure: str, width: float, step: float, most_rows: int
) -> alt.LayerChart:
    ranks, tiers, places = board.ranks(m), board.tiers(m), board.places(m)
    order = sorted(board.order(m), key=lambda r: tiers[r] or 0)[:most_rows]
    names = [board.runs[r] for r in order]
    rows: list[dict[str, Any]] = []
    for r in order:
        low, high = ranks[r] or (1, len(board.runs))
        rows.append(
            {
                "run": board.runs[r],
                "mean": float(board.means[r, m]),
                "best rank": low,
                "worst rank": high,
                "from": low - 0.4,
                "to": high + 0.4,
                "place": places[r],
                "tier": tiers[r],
                "band": ((tiers[r] or 1) - 1) % len(BANDS),
                "label": f"tier {tiers[r]}" if not rows or rows[-1]["tier"] != tiers[r] else "",
            }
        )
    most = len(board.runs)
    scale = alt.Scale(domain=[0.4, most + 0.6], nice=False, zero=False)
    base = (
        alt.Chart(data(rows))
        .encode(
            y=alt.Y(
                "run:N",
                title=None,
                sort=names,
                # Without padding, the bands of neighbours touch.
                scale=alt.Scale(paddingInner=0, paddingOuter=0),
                axis=alt.Axis(ticks=False, domain=False, **row_labels(step, names)),
            ),
            tooltip=[
                "run:N",
                alt.Tooltip("mean:Q", format=".4f"),
                *(f"{x}:Q" for x in ("place", "best rank", "worst rank", "tier")),
            ],
        )
        .properties(width=width, height=alt.Step(step))
    )
    band = base.mark_rect().encode(
        x=alt.value(0),
        x2=alt.value(width),
        color=alt.Color("band:N", scale=alt.Scale(domain=[0, 1], range=list(BANDS)), legend=None),
    )
    bar = base.mark_rule(color=FIRST, strokeWidth=max(2.0, 0.45 * step), opacity=0.55).encode(
        x=alt.X(
            "from:Q",
            title=wrapped(f"Rank by {measure}", int(width // 6)),
            scale=scale,
            axis=alt.Axis(grid=False, tickMinStep=1, tickCount=min(8, int(width // 24)), format="d"),
        ),
        x2="to:Q",
    )
    point = base.mark_point(
        shape="circle", filled=True, color="black", opacity=1, size=min(40.0, (0.4 * step) ** 2 * 2)
    ).encode(x=alt.X("place:Q", scale=scale))
    label = base.mark_text(align="left", color=QUIET, fontSize=max(6.0, min(10.0, step - 2))).encode(
        x=alt.value(width + 5), text="label:N"
    )
    return alt.LayerChart(layer=[band, bar, point, label])
