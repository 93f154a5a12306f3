"""What notebooks show: tables of results, charts as pictures, ``scores.plot``, and the notebook in docs."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from rankprism import Scores, evaluate, plots, sample
from rankprism.showing.plots import CHARTS

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(sample.QRELS, list(sample.RUNS), ["P@10", "StRecall@10", "D_nDCG@10"])


def shown(chart: Any) -> Any:
    """What a notebook asks a chart for."""
    return chart._repr_mimebundle_(include=None, exclude=None)


# Charts are pictures


def test_a_chart_is_a_picture_that_needs_no_network(scores: Scores) -> None:
    bundle = shown(plots.intervals(scores))
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    picture = bundle["image/svg+xml"]
    assert "diversified" in picture
    addresses = set(re.findall(r"https?://[^\"' ]*", picture))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names, not places
    assert "<script" not in picture


def test_a_picture_has_no_character_that_xml_refuses(scores: Scores) -> None:
    bundle = shown(plots.intervals(scores, title="a\x1bb"))
    assert "\x1b" not in bundle["image/svg+xml"]


def test_a_changed_or_copied_chart_is_a_picture_as_well(scores: Scores) -> None:
    chart = plots.heatmap(scores, "P@10")
    others = (chart.properties(title="Mine"), copy.deepcopy(chart), pickle.loads(pickle.dumps(chart)))
    for other in (*others, chart.configure_axis(grid=False)):
        assert "image/svg+xml" in shown(other)
        assert isinstance(other, alt.LayerChart)
    assert others[1].to_dict() == others[2].to_dict() == chart.to_dict()


def test_charts_of_others_and_chosen_renderers_are_left_alone(scores: Scores) -> None:
    chart = plots.heatmap(scores, "P@10")
    shown(chart)
    theirs = alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_point()
    assert alt.renderers.active == "default"
    assert "text/html" in theirs._repr_mimebundle_()
    with alt.renderers.enable("json"):
        assert "application/json" in shown(chart)[0]


# scores.plot


def test_scores_have_the_charts_of_the_plot_commands(scores: Scores) -> None:
    commands = {record.command for record in CHARTS.values() if record.of_scores}
    public = [name for name in dir(scores.plot) if not name.startswith("_")]
    assert {f"plot {name}" for name in public} == commands
    for record in CHARTS.values():
        if not record.of_scores:
            continue
        method = getattr(scores.plot, record.command.removeprefix("plot "))
        assert inspect.getdoc(method) == inspect.getdoc(record.function)
        assert [*inspect.signature(method).parameters] == [*record.parameters][1:]
        assert f"scores.plot.{method.__name__}" in repr(scores.plot)


def test_scores_draw_what_the_function_draws(scores: Scores) -> None:
    assert scores.plot.heatmap("P@10").to_dict() == plots.heatmap(scores, "P@10").to_dict()
    drawn = scores.plot.irec("StRecall@10", "D_nDCG@10", width=300)
    assert drawn.to_dict() == plots.irec(scores, "StRecall@10", "D_nDCG@10", width=300).to_dict()


def test_a_chart_that_scores_lack_is_named_with_those_they_have(scores: Scores) -> None:
    with pytest.raises(AttributeError, match=r"no chart 'asl_curves' of scores; there are .*heatmap"):
        scores.plot.asl_curves  # type: ignore[attr-defined]  # noqa: B018


def test_charts_are_not_loaded_before_they_are_asked_for() -> None:
    code = (
        "import sys, rankprism; from rankprism import sample\n"
        "scores = rankprism.evaluate(sample.QRELS, list(sample.RUNS), 'P@10')\n"
        "print('rankprism.plots' in sys.modules); scores.plot.intervals; print('altair' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\nFalse\n"


# The notebook in docs


@pytest.fixture(scope="module")
def executed() -> Any:
    """The notebook as it runs now. In a process of its own, which starts the kernel."""
    code = "import refresh, sys; sys.stdout.write(refresh.executed(refresh.NOTEBOOK))"
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(
        command, cwd=ROOT / "docs", capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def comparable(notebook: Any) -> Any:
    """The notebook with the words of its pictures: their places depend on versions and fonts."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/svg+xml" in data:
                picture = "".join(data["image/svg+xml"])
                data["image/svg+xml"] = re.findall(r"<text[^>]*>([^<]+)<", picture)
    return notebook


def test_the_notebook_holds_what_its_cells_show(executed: Any) -> None:
    committed = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert comparable(committed) == comparable(executed)


def test_the_notebook_shows_tables_and_pictures_without_a_network_times_or_paths(executed: Any) -> None:
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", ())]
    kinds = {kind for output in outputs for kind in output["data"]}
    assert kinds == {"text/html", "text/plain", "image/svg+xml"}
    text = NOTEBOOK.read_text(encoding="utf-8")
    for foreign in ("<script", "cdn.", str(Path.home()), str(ROOT), "/tmp/", "iopub", "site-packages"):
        assert foreign not in text, foreign
