"""Charts show what the results say, are valid, and become files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from rankprism import (
    InputError,
    MeasureError,
    Scores,
    aspects,
    compare,
    evaluate,
    judges,
    leaderboard,
    meta,
    plots,
    read_judgments,
    sample,
)
from rankprism.cli.app import every_command
from rankprism.data.scales import Scale
from rankprism.judging.preferences.experiments import (
    incomplete_correlation,
    measure_correlation,
    profile_correlation,
)
from rankprism.judging.preferences.study_plan import plan
from rankprism.measures.display import shown_name
from rankprism.showing.plots import curves, heatmaps, intent_recall, theme
from rankprism.showing.plots.fitting import measured
from rankprism.showing.plots.means import _columns
from rankprism.showing.plots.output import drawn

MEASURES = ("alpha_nDCG@10", "P@10", "StRecall@10", "D_nDCG@10")
LABELS = {"q": {"relevance": {"a": 2, "b": 1}, "credibility": {"a": 0, "b": 1}}}
VOTES = [(f"q{n // 4}", "", f"s{n % 3}", f"s{(n + 1) % 3}", "left" if n % 5 else "right") for n in range(60)]
LENGTHS = [
    {"topic": f"q{q}", "doc": f"s{s}", "length": (5 * q + 3 * s) % 7} for q in range(15) for s in range(3)
]
VARIANTS = (*(f"alpha_nDCG(alpha={a})@10" for a in (0, 0.25, 0.9)), "alpha_nDCG@10")


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(sample.QRELS, list(sample.RUNS), MEASURES)


@pytest.fixture(scope="module")
def inputs(scores: Scores) -> dict[str, tuple[Any, ...]]:
    """What each kind of chart is drawn from, of the sample collection."""
    variants = evaluate(sample.QRELS, list(sample.RUNS), VARIANTS)
    half = {"ideal": "good", "diversified": "good", "relevance-only": "good"}
    rows = read_judgments(sample.QRELS).to_frame("pyarrow").to_pylist()
    by = {"judge": [row | {"grade": min(3, row["grade"] + (n % 3 == 0))} for n, row in enumerate(rows)]}
    return {
        "family_bias": (judges.agree(sample.QRELS, by, list(sample.RUNS), "P@10", family=half),),
        "judge_biases": (judges.prefer(VOTES, {"judge": VOTES}, covariates=LENGTHS),),
        "system_strengths": (judges.strengths(VOTES, covariates=LENGTHS),),
        "estimated_scores": (judges.score(rows, by, list(sample.RUNS), "P@10"),),
        "judge_confusion": (judges.agree(sample.QRELS, by),),
        "judge_scores": (judges.agree(sample.QRELS, by, list(sample.RUNS), "P@10"),),
        "asl_curves": (meta.power(scores),),
        "attainable_boxes": (aspects.attainable(read_judgments(LABELS)),),
        "correlation_heatmap": (meta.correlation(scores),),
        "difference_intervals": (compare(scores),),
        "leaderboard": (leaderboard(scores),),
        "hasse_diagram": (aspects.order(read_judgments(LABELS)),),
        "incomplete_curves": (
            incomplete_correlation(
                sample.QRELS,
                list(sample.RUNS),
                measures=["nPrf@5", "nPrf(unseen='skip')@5"],
                triplets=[5, 20],
                repetitions=3,
                documents=8,
            ),
        ),
        "irec": (scores, "StRecall@10", "D_nDCG@10"),
        "judgments_needed": (plan(sample.QRELS, list(sample.RUNS), budgets=[5, 10], repetitions=2),),
        "preference_correlations": (measure_correlation(sample.QRELS, list(sample.RUNS), documents=8),),
        "profile_correlations": (profile_correlation(sample.QRELS, list(sample.RUNS), documents=8),),
        "power_growth": (meta.stability(scores, samples=3, method="t"),),
        "intervals": (scores,),
        "sensitivity": (variants, "alpha"),
        "swap_curves": (meta.swap(scores, trials=20),),
        "heatmap": (scores, "P@10"),
        "differences": (scores, "diversified", "redundant", "P@10"),
        "unanimity_bars": (meta.unanimity(scores),),
    }


@pytest.fixture(scope="module")
def charts(inputs: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """One of each kind."""
    return {kind: getattr(plots, kind)(*arguments) for kind, arguments in inputs.items()}


KINDS = sorted(plots.CHARTS)


def rows(chart: Any, *fields: str) -> list[dict[str, Any]]:
    """What a chart draws from: the data that has these fields."""
    return [row for table in content(chart)["datasets"].values() for row in table if {*fields} <= {*row}]


def content(chart: Any) -> Any:
    return chart.to_dict(validate=False)  # much faster; that it is valid has a test of its own


def subtitle(chart: Any) -> str:
    return " ".join(content(chart)["title"]["subtitle"])


def spec(chart: Any) -> str:
    return json.dumps(chart.to_dict(), ensure_ascii=False, allow_nan=False)


def made_up(runs: int, topics: int, measures: tuple[str, ...], seed: int = 0) -> Scores:
    values = np.random.default_rng(seed).random((runs, topics, len(measures)))
    names = tuple(f"r{i}" for i in range(runs)), tuple(f"t{i}" for i in range(topics))
    return Scores(*names, measures, values)


# What they all are


def test_every_kind_is_tested(charts: dict[str, Any]) -> None:
    assert sorted(charts) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_valid_and_renders(kind: str, charts: dict[str, Any]) -> None:
    valid = spec(charts[kind])  # altair checks it against the schema of Vega-Lite
    version = "v" + "_".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    svg = vl_convert.vegalite_to_svg(valid, vl_version=version)
    assert svg.startswith("<svg")
    assert "NaN" not in svg
    assert vl_convert.svg_to_png(svg).startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", KINDS)
def test_no_chart_needs_a_frame_or_a_theme_of_the_session(kind: str, charts: dict[str, Any]) -> None:
    made = content(charts[kind])
    assert made["config"]["font"].startswith("Helvetica, Arial, ")
    assert made["title"]["text"]


def test_the_first_42_lines_differ_in_colour_or_dash_and_neighbours_in_both() -> None:
    names = [f"m{i}" for i in range(42)]
    encodings = theme.look(names)
    colours, dashes = (encodings[k].to_dict()["scale"]["range"] for k in ("color", "strokeDash"))
    looks = [(colour, tuple(dash)) for colour, dash in zip(colours, dashes, strict=True)]
    assert len(set(looks)) == 42
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in pairwise(looks))


def test_the_colours_are_those_of_okabe_and_ito() -> None:
    # Okabe and Ito (2008), Color Universal Design, without their yellow F0E442
    known = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7"}
    assert set(theme.COLOURS) == known


@given(st.text(st.sampled_from("ab (,"), max_size=60), st.integers(1, 30))
def test_wrapped_lines_are_the_text(text: str, width: int) -> None:
    lines = theme.wrapped(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_names_in_any_script_and_with_any_sign_are_drawn() -> None:
    names = ("中文系统", "نظام", "система", "a|b'\"<&>", "run.with[dots]", "null", "-0.5")
    some = made_up(7, 4, ("I", "D"))
    odd = Scores(names, some.topics, some.measures, some.values)
    for chart in (
        plots.intervals(odd),
        plots.irec(odd, "I", "D"),
        plots.heatmap(odd, "I"),
        plots.differences(odd, names[0], names[1], "D"),
    ):
        assert names[0] in spec(chart)


@pytest.mark.parametrize(("runs", "topics"), [(1, 1), (1, 5), (2, 1), (70, 3)])
def test_few_and_many_are_drawn(runs: int, topics: int) -> None:
    some = made_up(runs, topics, ("P@5", "P@10"))
    for chart in (
        plots.intervals(some),
        plots.irec(some, "P@5", "P@10"),
        plots.heatmap(some, "P@5"),
        plots.sensitivity(some, "cutoff"),
    ):
        spec(chart)


def test_scores_that_are_not_defined_are_left_out_or_refused() -> None:
    some = made_up(3, 4, ("I", "D"))
    values = some.values.copy()
    values[0, 1] = values[1] = np.nan
    some = replace(some, values=values)
    assert {row["run"] for row in rows(plots.irec(some, "I", "D"), "dsharp", "run")} == {"r0", "r2"}
    assert len(rows(plots.heatmap(some, "I"), "score")) == 3 + 4
    missing = [row for row in rows(plots.heatmap(some, "I"), "run") if "score" not in row]
    assert missing == [
        {"run": "r0", "topic": "t1"},
        *({"run": "r1", "topic": f"t{t}"} for t in range(4)),
    ]
    assert "×: not evaluated" in subtitle(plots.heatmap(some, "I"))
    assert [row["run"] for row in rows(plots.intervals(some), "mean") if row["measure"] == "I"] != []
    with pytest.raises(InputError, match="nothing to draw"):
        plots.differences(some, "r0", "r1", "I")


# Titles and sizes


#: A chart of lines, one of cells and one of bars; at night, all.
SIZED = [
    kind
    if kind in ("asl_curves", "heatmap", "unanimity_bars")
    else pytest.param(kind, marks=pytest.mark.nightly)
    for kind in KINDS
]


@pytest.mark.parametrize("kind", SIZED)
def test_a_chart_has_the_title_and_size_that_are_asked_for(
    kind: str, inputs: dict[str, tuple[Any, ...]]
) -> None:
    draw = getattr(plots, kind)
    chart = draw(*inputs[kind], title="A title of my own", width=500, height=440)
    assert content(chart)["title"]["text"] == ["A title of my own"]
    assert content(chart)["title"]["subtitle"]
    assert measured(chart) == (500, 440)
    assert "title" not in content(draw(*inputs[kind], title=""))


@pytest.mark.parametrize("kind", SIZED)
def test_a_chart_fits_into_the_column_of_a_paper(kind: str, inputs: dict[str, tuple[Any, ...]]) -> None:
    """The columns of ACM's papers are 3.33 inches wide, which are 240 points."""
    chart = getattr(plots, kind)(*inputs[kind], width=240)
    svg = drawn(chart, "svg").decode()
    assert 'width="240"' in svg[:300]
    words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert words
    # Vega cuts what does not fit at its end. We cut the middle, or both ends if names differ in the middle.
    assert not [word for word in words if word.endswith("…") and not word.startswith("…")]


def test_files_have_the_width_that_was_asked_for(scores: Scores, tmp_path: Path) -> None:
    chart = plots.heatmap(scores, "P@10", width=240)
    for ending in ("pdf", "png", "svg"):
        plots.save(chart, tmp_path / f"chart.{ending}")
    pdf, png = ((tmp_path / f"chart.{ending}").read_bytes() for ending in ("pdf", "png"))
    [box] = re.findall(rb"/MediaBox \[0 0 (\d+)", pdf)
    assert int(box) / 72 == pytest.approx(3.33, abs=0.01)  # inches
    assert int.from_bytes(png[16:20]) == 240 * 3
    assert ' width="240"' in (tmp_path / "chart.svg").read_text(encoding="utf-8")


def test_a_width_that_is_too_small_is_refused(scores: Scores) -> None:
    with pytest.raises(InputError, match="does not fit into a width of 100 pixels; it has 1"):
        plots.irec(scores, "StRecall@10", "D_nDCG@10", width=100)


@pytest.mark.parametrize("runs", [60, pytest.param(450, marks=pytest.mark.nightly)])
def test_a_chart_of_many_runs_is_not_too_large_and_says_what_it_leaves_out(runs: int) -> None:
    some = made_up(runs, 8, ("P@5", "P@10"))
    one = some.select(measures=["P@5"])
    map_of_scores = plots.heatmap(one)
    assert len(content(map_of_scores)["layer"][0]["encoding"]["y"]["scale"]["domain"]) == min(runs, 400)
    assert ("the first 400 of 450 runs" in subtitle(map_of_scores)) == (runs > 400)
    for chart in (
        plots.intervals(one),
        plots.leaderboard(leaderboard(one)),
        plots.sensitivity(some, "cutoff"),
    ):
        assert max(measured(chart)) <= 2700
        shown = rows(chart, "run")
        left_out = len({row["run"] for row in shown}) < runs
        assert bool(re.search("the first [0-9]+ of 450 runs", subtitle(chart))) == left_out
    best = [some.runs[r] for r in np.argsort(-some.means[:, 0])]
    drawn_runs = list(dict.fromkeys(row["run"] for row in rows(plots.intervals(some), "mean")))
    assert drawn_runs == best[: len(drawn_runs)]


def test_of_very_many_topics_the_largest_gains_and_losses_are_drawn() -> None:
    some = made_up(2, 3000, ("m",))
    chart = plots.differences(some, "r0", "r1", "m")
    found = [row["difference"] for row in rows(chart, "difference")]
    every = np.sort(some.values[0, :, 0] - some.values[1, :, 0])[::-1]
    assert found == pytest.approx([*every[:800], *every[-800:]])
    assert "the 800 largest gains and losses" in subtitle(chart)
    assert f"mean difference {every.mean():+.4f}" in subtitle(chart)
    assert measured(chart)[0] < 2000


def test_long_names_are_cut_in_the_middle_and_still_differ() -> None:
    some = made_up(3, 9, ("m",))
    names = ("x" * 80 + "-first", "x" * 80 + "-second", "y" * 80)
    long = Scores(names, some.topics, some.measures, some.values)
    for chart in (plots.intervals(long), plots.heatmap(long, "m"), plots.leaderboard(leaderboard(long))):
        words = re.findall(r"<text[^>]*>([^<]*)</text>", drawn(chart, "svg").decode())
        cut = {word for word in words if word.startswith(("xxx", "yyy"))}
        assert len(cut) == 3
        assert {word[-5:] for word in cut} == {"first", "econd", "yyyyy"}
        assert names[0] in spec(chart)  # the tooltip has the whole name


@pytest.mark.parametrize("kind", KINDS)
def test_titles_state(kind: str, charts: dict[str, Any]) -> None:
    text = " ".join(content(charts[kind])["title"]["text"])
    assert not text.endswith("?")
    assert text.split()[0] not in ("Do", "Does", "How", "Is", "What", "Which")


def test_a_misspelled_argument_of_a_chart_is_refused(scores: Scores) -> None:
    with pytest.raises(TypeError, match="heatmap has no argument 'widht'"):
        plots.heatmap(scores, "P@10", widht=300)  # type: ignore[call-arg]


@pytest.mark.parametrize("size", [0, -5, 99, 10_001, 300.0, True, "300"])
@pytest.mark.parametrize("name", ["width", "height"])
def test_a_size_that_is_not_a_number_of_pixels_is_refused(name: str, size: Any, scores: Scores) -> None:
    message = rf"{name} must be a whole number of pixels from 100 to 10,000; got {size!r}"
    with pytest.raises(InputError, match=message):
        plots.intervals(scores, **{name: size})


def test_measures_are_written_as_in_papers(charts: dict[str, Any]) -> None:
    for chart in charts.values():
        assert "alpha_nDCG" not in json.dumps(content(chart))
        assert "D_nDCG" not in json.dumps(content(chart))


def test_axes_of_differences_say_so(scores: Scores) -> None:
    topics = content(plots.differences(scores, "ideal", "noisy", "alpha_nDCG@10"))
    assert topics["layer"][0]["encoding"]["y"]["title"] == ["Difference in α-nDCG@10"]
    panel = content(plots.difference_intervals(compare(scores)))["concat"][0]
    assert panel["layer"][1]["encoding"]["x"]["title"] == ["Difference in α-nDCG@10"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_chart_has_its_command_with_title_and_size(kind: str) -> None:
    record = plots.CHARTS[kind]
    found = every_command()[tuple(record.command.split())]
    options = {option for parameter in found.params for option in parameter.opts}
    assert {"--title", "--width", "--height", "--output" if record.of_scores else "--plot"} <= options


def test_draw_finds_the_chart_of_a_result(inputs: dict[str, tuple[Any, ...]]) -> None:
    for kind, arguments in inputs.items():
        if not plots.CHARTS[kind].of_scores:
            assert content(plots.draw(*arguments)) == content(getattr(plots, kind)(*arguments))
    with pytest.raises(InputError, match="there is no chart of Agreement; there are charts of Attainable, "):
        plots.draw(meta.agreement(*inputs["asl_curves"]))


def test_a_chart_of_something_else_is_refused(scores: Scores) -> None:
    message = "asl_curves draws what `meta power` computes, DiscriminativePower; got Scores"
    with pytest.raises(InputError, match=message):
        plots.asl_curves(scores)  # type: ignore[arg-type]


# Each one


def test_asl_curves_are_those_of_the_result() -> None:
    power = meta.power(made_up(12, 20, ("a", "b")), resamples=200)
    chart = plots.asl_curves(power, highest=0.6)
    for measure, curve in zip(power.measures, power.curves, strict=True):
        drawn = [(row["pair"], row["asl"]) for row in rows(chart, "asl") if row["measure"] == measure]
        pair, asl = np.array(drawn).T
        assert len(drawn) < len(curve)  # levels are multiples of 1/200: many are equal
        shown = np.flatnonzero(curve <= 0.6)
        # The line through the points drawn is the line through all.
        assert np.interp(shown + 1, pair, asl) == pytest.approx(curve[shown], abs=0)


def test_asl_curves_show_levels_up_to_twice_alpha(charts: dict[str, Any]) -> None:
    lines = content(charts["asl_curves"])["layer"][0]
    assert lines["encoding"]["y"]["scale"]["domain"] == [0, 0.1]
    assert rows(charts["asl_curves"], "level") == [{"level": 0.05, "label": "α = 0.05"}]


def test_asl_curves_show_everything_where_nothing_is_below() -> None:
    same = Scores(("a", "b"), ("1", "2"), ("m",), np.ones((2, 2, 1)))
    chart = plots.asl_curves(meta.power(same))
    assert content(chart)["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]


def test_irec_points_are_the_means_and_d_sharp_their_mixture(scores: Scores) -> None:
    chart = plots.irec(scores, "StRecall@10", "D_nDCG@10", 0.3)
    mean = scores.mean()
    points = rows(chart, "run", "dsharp")
    assert [row["run"] for row in points] == list(scores.runs)
    for row in points:
        assert row["irec"] == mean[row["run"]]["StRecall@10"]
        assert row["d"] == mean[row["run"]]["D_nDCG@10"]
        assert row["dsharp"] == pytest.approx(0.3 * row["irec"] + 0.7 * row["d"])


_UNIT = st.floats(0, 1)


@given(_UNIT | st.sampled_from([0.0, 1.0]), _UNIT, _UNIT, st.floats(0.01, 1), st.floats(0.01, 1))
def test_d_sharp_is_what_its_line_says_at_both_ends(
    gamma: float, x: float, y: float, width: float, height: float
) -> None:
    across, up = [x, x + width], [y, y + height]
    lines = intent_recall._contours(gamma, across, up)
    assert len(lines) < 20
    for line in lines:
        assert line["dsharp"] == pytest.approx(float(line["label"]), abs=1e-9)
        for a, b in ((line["irec"], line["d"]), (line["irec2"], line["d2"])):
            assert x - 1e-9 <= a <= x + width + 1e-9
            assert y - 1e-6 <= b <= y + height + 1e-6
            assert gamma * a + (1 - gamma) * b == pytest.approx(line["dsharp"], abs=1e-9)


def test_names_of_runs_hide_neither_points_nor_each_other() -> None:
    x, y = np.random.default_rng(3).random((2, 60))
    names = [f"system-{i}" for i in range(60)]
    labels = intent_recall._labels(
        names, x, y, x + y, [0, 1], [0, 1], [], (intent_recall.SIDE, intent_recall.SIDE)
    )
    assert 20 < len(labels) < 60
    boxes = []
    for label in labels:
        dx, dy = label["place"]
        align = next(a for a, *place in intent_recall._PLACES if place == [dx, dy])
        width = 0.58 * intent_recall.FONT * len(label["name"])
        left = (
            label["irec"] * intent_recall.SIDE + dx - {"left": 0, "right": width, "center": width / 2}[align]
        )
        middle = (1 - label["d"]) * intent_recall.SIDE + dy
        boxes.append((left, middle - intent_recall.FONT / 2, left + width, middle + intent_recall.FONT / 2))
    for i, a in enumerate(boxes):
        assert not any(intent_recall._overlap(a, b) for b in boxes[:i])
        for name, px, py in zip(names, x * intent_recall.SIDE, (1 - y) * intent_recall.SIDE, strict=True):
            inside = a[0] < px < a[2] and a[1] < py < a[3]
            assert not inside or name == labels[i]["run"]


def test_the_correlation_heat_map_is_the_clustered_matrix(scores: Scores) -> None:
    result = meta.correlation(scores)
    chart = plots.correlation_heatmap(result)
    expected = {
        (shown_name(row["measure"]), shown_name(row["other"])): row["tau-b"] for row in result.rows.records()
    }
    assert {(row["measure"], row["other"]): row["value"] for row in rows(chart, "value")} == expected
    for axis in ("x", "y"):
        encoding = content(chart)["layer"][0]["encoding"][axis]
        assert encoding["scale"]["domain"] == [shown_name(m) for m in result.clustered().measures]


@pytest.mark.parametrize(("measures", "printed"), [(4, True), (24, True), (25, False)])
def test_values_are_printed_in_cells_where_they_fit(measures: int, printed: bool) -> None:
    result = meta.correlation(made_up(5, 3, tuple(f"m{i}" for i in range(measures))))
    assert len(content(plots.correlation_heatmap(result))["layer"]) == 1 + printed


def test_colours_run_in_two_directions_only_where_values_are_negative() -> None:
    amounts = {"range": list(theme.AMOUNTS), "interpolate": "lab", "domain": [0.2, 1]}
    assert heatmaps._scale(0.2, 1).to_dict() == amounts
    both = {"range": list(theme.DIFFERENCES), "interpolate": "lab", "domain": [-1, 1]}
    assert heatmaps._scale(-0.2, 1).to_dict() == both
    assert theme.DIFFERENCES[len(theme.DIFFERENCES) // 2 :] == theme.AMOUNTS  # 0 is in the middle


def test_unanimity_bars_are_sorted_and_grouped_ones_named_by_the_first(scores: Scores) -> None:
    result = meta.unanimity(scores)
    found = rows(plots.unanimity_bars(result), "mu")
    assert [(row["measure"], row["mu"]) for row in found] == [
        (shown_name(row["measure"]), row["MU"]) for row in result.rows.records()
    ]
    table = result.rows.columns
    assert [(row["low"], row["high"]) for row in found] == list(zip(table["low"], table["high"], strict=True))
    assert "95 % intervals over topics" in subtitle(plots.unanimity_bars(result))
    seven = replace(scores, topics=scores.topics[:7], values=scores.values[:, :7])
    few = plots.unanimity_bars(meta.unanimity(seven))
    assert {row["low"] for row in rows(few, "mu")} == {None}
    assert "intervals" not in subtitle(few)
    mu = np.array([0.5, np.nan])
    several = replace(result, measures=("a(x=1), a(x=2), a", "b"), mu=mu, sampled=None)
    first, second = rows(plots.unanimity_bars(several), "mu")
    assert first["label"] == "a(x=1) and 2 more"
    assert (second["mu"], second["printed"]) == (None, "not defined")


def test_the_chart_of_a_command_has_its_name() -> None:
    drawn = [chart for chart in plots.CHARTS.values() if chart.of_scores]
    assert drawn
    for chart in drawn:
        assert chart.command == f"plot {chart.name}"
        assert getattr(plots, chart.name) is chart.function  # and not a module of the same name


def test_topic_differences_are_sorted_and_add_up(scores: Scores) -> None:
    chart = plots.differences(scores, "diversified", "redundant", "P@10")
    found = [row["difference"] for row in rows(chart, "difference")]
    assert found == sorted(found, reverse=True)
    mean = scores.mean()
    expected = mean["diversified"]["P@10"] - mean["redundant"]["P@10"]
    assert sum(found) / 20 == pytest.approx(expected)
    assert f"mean difference {expected:+.4f}" in subtitle(chart)
    with pytest.raises(InputError, match="compared with itself"):
        plots.differences(scores, "ideal", "ideal", "P@10")
    with pytest.raises(InputError, match="no run 'nobody'"):
        plots.differences(scores, "ideal", "nobody", "P@10")


def test_intervals_are_those_of_scipy(scores: Scores) -> None:
    from scipy import stats

    found = rows(plots.intervals(scores, alpha=0.1), "mean")
    assert len(found) == 6 * 4
    by_name = {shown_name(measure): measure for measure in MEASURES}
    for row in found:
        values = scores.select(runs=[row["run"]], measures=[by_name[row["measure"]]]).values.ravel()
        mean, margin = values.mean(), stats.t.ppf(0.95, 19) * stats.sem(values)
        if margin == 0:  # equal scores do not show how much the mean varies
            assert (row["mean"], row["low"], row["high"]) == (pytest.approx(mean), None, None)
            continue
        assert (row["mean"], row["low"], row["high"]) == pytest.approx((mean, mean - margin, mean + margin))
    by_first = [row["mean"] for row in found if row["measure"] == shown_name(MEASURES[0])]
    assert by_first == sorted(by_first, reverse=True)


def test_few_topics_have_no_interval() -> None:
    for topics in (1, 7, 8):
        chart = plots.intervals(made_up(1, topics, ("m",)))
        (row,) = rows(chart, "mean")
        assert (row["low"] is None, row["high"] is None) == (topics < 8, topics < 8)
        assert ("too few for intervals" in subtitle(chart)) == (topics < 8)
    with pytest.raises(InputError, match=r"alpha must be a number between 0 and 1; got 1\.5"):
        plots.intervals(made_up(1, 1, ("m",)), alpha=1.5)


@pytest.mark.parametrize(
    ("measures", "columns"), [(1, 1), (2, 2), (4, 4), (5, 3), (6, 3), (7, 4), (8, 4), (9, 3)]
)
def test_measures_are_drawn_in_rows_of_similar_length(measures: int, columns: int) -> None:
    assert _columns(measures) == columns


@pytest.mark.parametrize("baseline", [None, "redundant"])
def test_difference_intervals_are_those_of_the_comparison(scores: Scores, baseline: str | None) -> None:
    comparison = compare(scores, baseline=baseline)
    found = {
        (row["measure"], row["pair"]): row for row in rows(plots.difference_intervals(comparison), "pair")
    }
    facts = comparison.rows.records()
    assert len(found) == len(facts)
    for fact in facts:
        pair = fact["run"] if baseline else f"{fact['run']} − {fact['other']}"
        measure = shown_name(fact["measure"])
        turned = (measure, pair) not in found
        row = found[measure, f"{fact['other']} − {fact['run']}" if turned else pair]
        low, high = (-fact["high"], -fact["low"]) if turned else (fact["low"], fact["high"])
        difference = -fact["difference"] if turned else fact["difference"]
        assert (row["difference"], row["low"], row["high"]) == pytest.approx((difference, low, high))
        assert (row["p"], row["significant"]) == (fact["adjusted p"], fact["significant"])
        assert baseline or measure != shown_name(MEASURES[0]) or row["difference"] >= 0


def test_of_many_differences_the_largest_from_a_baseline_are_drawn() -> None:
    comparison = compare(made_up(12, 5, ("m",)), baseline="r0")
    chart = plots.difference_intervals(comparison, most=7)
    expected = np.sort(np.abs(comparison.difference[0]))[::-1][:7]
    assert sorted(abs(row["difference"]) for row in rows(chart, "pair"))[::-1] == pytest.approx(expected)
    assert "the 7 largest of 11 differences" in subtitle(chart)


@pytest.mark.parametrize(("most", "said"), [(7, "the first 7 neighbours"), (40, "; neighbours")])
def test_of_many_pairs_the_neighbours_in_the_order_of_the_means_are_drawn(most: int, said: str) -> None:
    comparison = compare(made_up(12, 5, ("m",)))
    chart = plots.difference_intervals(comparison, most=most)
    order = np.argsort(-comparison.means[:, 0])
    names = [comparison.runs[r] for r in order]
    expected = -np.diff(comparison.means[order, 0])[:most]
    assert [row["difference"] for row in rows(chart, "pair")] == pytest.approx(expected)
    assert [row["pair"] for row in rows(chart, "pair")] == [f"{a} − {b}" for a, b in pairwise(names)][:most]
    assert f"{said} in the order of m" in subtitle(chart)


@pytest.mark.parametrize("width", [340, 500])
def test_names_of_pairs_are_cut_in_the_middle_and_not_at_the_end_of_the_label(width: int) -> None:
    """The renderer would cut what is longer than the label may be, and the second name with it."""
    found = made_up(12, 5, ("m",))
    names = tuple(f"Mammoth_{number}_MMwWm_{number}" for number in range(len(found.runs)))
    chart = plots.difference_intervals(compare(replace(found, runs=names)), width=width)
    labels = {row["pair"] for row in rows(chart, "pair")}
    assert labels
    assert labels <= set(re.findall(r">([^<>]*)</text>", drawn(chart, "svg").decode()))


def test_a_heat_map_of_129_runs_on_50_topics_has_every_score() -> None:
    some = made_up(129, 50, ("m",))
    chart = plots.heatmap(some, "m")
    made = content(chart)["layer"][0]
    assert len(rows(chart, "score")) == 129 * 50
    best = [some.runs[r] for r in np.argsort(-some.values[:, :, 0].mean(1))]
    easiest = [some.topics[t] for t in np.argsort(-some.values[:, :, 0].mean(0))]
    assert made["encoding"]["y"]["scale"]["domain"] == best
    assert made["encoding"]["x"]["scale"]["domain"] == easiest
    for row in rows(chart, "score")[:100]:
        r, t = some.runs.index(row["run"]), some.topics.index(row["topic"])
        assert row["score"] == some.values[r, t, 0]


def test_ranks_follow_the_means_and_ties_share_them() -> None:
    means = np.array([[0.5, 0.1], [0.5, 0.3], [0.9, 0.2]])  # run, variant
    some = Scores(("a", "b", "c"), ("q",), ("P@10", "P@5"), means[:, None, :])
    chart = plots.sensitivity(some, "cutoff")
    found = {(row["run"], row["value"]): row["rank"] for row in rows(chart, "mean")}
    # by P@10, the first column, c before a and b together; by P@5 b, c, a
    expected = {
        ("a", "10"): 2.5,
        ("b", "10"): 2.5,
        ("c", "10"): 1,
        ("a", "5"): 3,
        ("b", "5"): 1,
        ("c", "5"): 2,
    }
    assert found == expected
    labels = {(row["place"], row["number"], row["label"]) for row in rows(chart, "label")}
    assert labels == {(5, "3", "a"), (5, "1", "b"), (5, "2", "c"), (10, "2–3", "a, b"), (10, "1", "c")}


def test_variants_are_drawn_at_their_value_on_the_axis(charts: dict[str, Any]) -> None:
    x = content(charts["sensitivity"])["layer"][0]["encoding"]["x"]
    assert x["type"] == "quantitative"
    assert x["scale"] == {"type": "linear", "domain": [0, 0.9], "nice": False, "zero": False}
    assert x["axis"]["values"] == [0, 0.25, 0.5, 0.9]  # 0.5 by default
    places = {(row["value"], row["place"]) for row in rows(charts["sensitivity"], "mean")}
    assert places == {("0", 0), ("0.25", 0.25), ("0.5", 0.5), ("0.9", 0.9)}


def test_far_values_are_on_a_logarithmic_axis_and_no_cutoff_is_beyond_them() -> None:
    x = content(plots.sensitivity(made_up(3, 2, ("AP", "AP@1", "AP@10", "AP@100"))))["layer"][0]["encoding"][
        "x"
    ]
    assert (x["title"], x["scale"]["type"]) == ("cutoff (logarithmic axis)", "log")
    assert x["axis"]["values"] == [1, 10, 100, 1000]
    assert x["axis"]["labelExpr"].startswith('["1", "10", "100", "none"]')


def test_words_are_drawn_one_after_the_other() -> None:
    measures = ("alpha_nDCG@5", "alpha_nDCG(ideal='exact')@5")
    x = content(plots.sensitivity(made_up(3, 2, measures)))["layer"][0]["encoding"]["x"]
    assert (x["title"], x["axis"]["values"]) == ("ideal", [0, 1])


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (("P@5", "AP@5"), "P@5, AP@5: name variants of one measure"),
        (("P@5",), "P@5: name variants of one measure"),
        (("alpha_nDCG@5", "alpha_nDCG(alpha=0.3)@10"), "differ in cutoff and alpha"),
    ],
)
def test_the_parameter_is_named_where_it_cannot_be_found(measures: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plots.sensitivity(made_up(3, 2, measures))


@pytest.mark.parametrize(
    ("measures", "parameter", "error", "message"),
    [
        (("P@5", "AP@10"), "cutoff", InputError, "P@5 and AP@10 differ in more than cutoff"),
        (("alpha_nDCG@5", "alpha_nDCG(alpha=0.3)@10"), "alpha", InputError, "differ in more than alpha"),
        (("alpha_nDCG@5", "alpha_nDCG(alpha=0.5)@5"), "alpha", InputError, "have the same alpha, 0.5"),
        (("alpha_nDCG@5",), "alpha", InputError, "two or more are needed"),
        (("alpha_nDCG@5", "P@5"), "alpha", MeasureError, "P has no parameter 'alpha'"),
        (("P@5", "P@10"), "cutof", MeasureError, "did you mean cutoff"),
    ],
)
def test_other_than_variants_in_one_parameter_is_refused(
    measures: tuple[str, ...], parameter: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        plots.sensitivity(made_up(3, 2, measures), parameter)


def test_power_growth_and_swap_curves_have_the_rows_of_their_results(scores: Scores) -> None:
    growth = meta.stability(scores, samples=2, method="t")
    drawn = [row for row in rows(plots.power_growth(growth), "power") if "least" in row]
    facts = growth.rows.records()
    assert drawn == [row | {"measure": shown_name(row["measure"])} for row in facts]
    swap = meta.swap(scores, trials=20)
    expected = [
        (shown_name(row["measure"]), row["difference from"], row["swap rate"])
        for row in swap.rows.records()
        if row["comparisons"]
    ]
    drawn = rows(plots.swap_curves(swap), "rate")
    assert [(row["measure"], row["difference"], row["rate"]) for row in drawn] == expected
    assert rows(plots.swap_curves(swap), "level") == [{"level": 0.05, "label": "5 %"}]


def test_names_at_the_ends_of_many_lines_are_apart_and_in_order() -> None:
    measures = tuple(f"m{i:02}" for i in range(25))
    growth = meta.stability(made_up(6, 12, measures), samples=2, method="t")
    chart = plots.power_growth(growth)
    ends = sorted(rows(chart, "place"), key=lambda row: -row["place"])
    assert len(ends) == 25
    made = content(chart)
    low, high = made["layer"][0]["encoding"]["y"]["scale"]["domain"]
    pixels = [made["height"] * (high - row["place"]) / (high - low) for row in ends]
    assert all(b - a > curves.GAP - 1e-6 for a, b in pairwise(pixels))
    assert [row["power"] for row in ends] == sorted((row["power"] for row in ends), reverse=True)


def test_the_legend_has_asl_curves_by_their_power() -> None:
    some = made_up(10, 20, ("a", "b", "c"))
    values = some.values.copy()
    values[:, :, 1] += np.linspace(0, 2, 10)[:, None]  # only b tells runs apart
    some = replace(some, values=values)
    power = meta.power(some, resamples=200)
    color = content(plots.asl_curves(power))["layer"][0]["encoding"]["color"]
    assert color["scale"]["domain"][0] == "b"


def luminance(colour: str) -> float:
    """Of WCAG 2: 0 for black, 1 for white."""
    shares = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_amounts_become_darker_and_zero_is_near_the_paper() -> None:
    lights = [luminance(colour) for colour in theme.AMOUNTS]
    assert lights == sorted(lights, reverse=True)
    assert 1.05 / (lights[0] + 0.05) < 1.2  # the contrast of a zero on white
    assert 1.05 / (lights[-1] + 0.05) > 15
    lights = [luminance(colour) for colour in theme.ramp(12)]
    assert lights == sorted(lights, reverse=True)


@pytest.mark.parametrize("colour", theme.ramp(20))
def test_letters_on_a_class_can_be_read(colour: str) -> None:
    on, of = sorted((luminance(colour), {"black": 0.0, "white": 1.0}[theme.ink(colour)]))
    assert (of + 0.05) / (on + 0.05) >= 4


def test_edges_of_the_hasse_diagram_end_at_the_boxes_and_the_best_is_darkest() -> None:
    scales = [Scale.of("relevance", ("0", "1", "2", "3")), Scale.of("credibility", ("0", "1", "2"))]
    found = aspects.order(scales)
    chart = plots.hasse_diagram(found)
    boxes = rows(chart, "labels")
    edges = [row for row in rows(chart, "x2") if "labels" not in row]
    assert len(boxes) == 12
    assert len(edges) == len(found.edges)
    tops = {(box["middle"], box["y2"]) for box in boxes}
    bottoms = {(box["middle"], box["y"]) for box in boxes}
    for edge in edges:
        assert (edge["x"], edge["y"]) in tops
        assert (edge["x2"], edge["y2"]) in bottoms
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert not intent_recall._overlap(*((box["x"], box["y"], box["x2"], box["y2"]) for box in (a, b)))
    scale = content(chart)["layer"][1]["encoding"]["color"]["scale"]
    assert scale["domain"][0] == max(box["class"] for box in boxes)  # the best, at the top of the legend
    assert luminance(scale["range"][0]) == min(map(luminance, scale["range"]))


def test_runs_whose_long_names_begin_alike_have_rows_of_their_own() -> None:
    some = made_up(3, 4, ("m",))
    long = Scores(("x" * 60 + "1", "x" * 60 + "2", "b"), some.topics, some.measures, some.values)
    assert len({row["pair"] for row in rows(plots.difference_intervals(compare(long)), "pair")}) == 3


def test_a_falling_line_keeps_its_corners() -> None:
    levels = np.array([0.9, 0.8, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0])
    assert list(curves._corners(levels, 0.5)) == [1, 2, 4, 5, 7]
