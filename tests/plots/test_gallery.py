"""The gallery shows every chart, and its code draws the pictures."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rankprism.showing.plots import CHARTS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "pictures.py"


@pytest.fixture(scope="module")
def gallery() -> Any:
    """The Sphinx extension that draws the charts of the page."""
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "_ext" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_charts() -> list[str]:
    """The charts of the package, without those that other tests have made."""
    return sorted(
        name for name, record in CHARTS.items() if record.function.__module__.startswith("rankprism.")
    )


def test_every_chart_is_in_the_gallery_and_drawn_by_the_code_below_its_name(gallery: Any) -> None:
    blocks = list(gallery.blocks(SCRIPT))
    assert sorted(name for name, _ in blocks) == own_charts()
    variables: dict[str, Any] = {}
    for name, code in blocks:
        assert f"plots.{name}(" in code or f".plot.{name}(" in code
        picture = gallery.picture(name, code, variables)
        assert picture.startswith("<svg"), name
        assert "NaN" not in picture, name
    assert sorted(re.findall(r"^```\{chart\} (\w+)$", gallery.page(SCRIPT), re.M)) == own_charts()


def test_a_block_names_a_chart_and_ends_with_it(gallery: Any) -> None:
    with pytest.raises(ValueError, match="has to name a chart"):
        gallery.picture("pie", "1", {})
    with pytest.raises(ValueError, match="end with the expression"):
        gallery.picture("heatmap", "scores = 1", {})


def test_the_build_of_the_site_shows_the_code_and_its_picture(gallery: Any, tmp_path: Path) -> None:
    pytest.importorskip("myst_parser")
    folder = ROOT / "docs" / "_ext"
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(folder)!r})\nextensions = ['myst_parser', 'gallery']\n"
    )
    (tmp_path / "index.md").write_text(
        "# Charts\n\n```{chart} heatmap\nfrom rankprism import evaluate, sample\n\n"
        "scores = evaluate(sample.QRELS, list(sample.RUNS), 'P@10')\nscores.plot.heatmap()\n```\n\n"
        "```{chart} intervals\nscores.plot.nothing()\n```\n"
    )
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(tmp_path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count('src="data:image/svg+xml;base64,') == 1
    assert f'alt="{CHARTS["heatmap"].summary}"' in page
    assert "highlight-python" in page
    # With -W, as `make site` calls it, this ends the build.
    assert "the chart intervals was not drawn: there is no chart 'nothing' of scores" in done.stderr
