"""The directive ``{chart}`` of the gallery: it shows Python code and the picture that the code draws.

The argument is the name of a chart. The last line of the code is an expression, the chart. All blocks of a
page share their variables, as the cells of a notebook do:

    ```{chart} intervals
    scores.plot.intervals()
    ```
"""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from rankprism import plots
from rankprism.showing.plots.output import drawn


def blocks(script: Path) -> Iterator[tuple[str, str]]:
    """The name of each chart of docs/pictures.py, with its code."""
    for name, text in cells(script):
        if name != "[markdown]":
            yield name, text


def cells(script: Path) -> Iterator[tuple[str, str]]:
    """The cells of a script: the words behind `# %%`, and what follows. Text is in comments."""
    for cell in script.read_text(encoding="utf-8").split("\n# %% ")[1:]:
        name, _, text = cell.partition("\n")
        yield name, re.sub(r"^# ?", "", text, flags=re.M) if name == "[markdown]" else text


def page(script: Path) -> str:
    """The cells of a script as Markdown."""
    return "\n\n".join(
        text.strip() if name == "[markdown]" else f"```{{chart}} {name}\n{text.strip()}\n```"
        for name, text in cells(script)
    )


def picture(name: str, code: str, names: dict[str, Any]) -> str:
    """The SVG that the code draws. `names` are the variables of the page."""
    *before, last = ast.parse(code).body
    if name not in plots.CHARTS or not isinstance(last, ast.Expr):
        raise ValueError(
            f"the block {{chart}} {name} has to name a chart and to end with the expression that draws it"
        )
    exec(compile(ast.Module(before, []), f"<{name}>", "exec"), names)
    chart = eval(compile(ast.Expression(last.value), f"<{name}>", "eval"), names)
    return drawn(chart, "svg").decode()


class ChartDirective(SphinxDirective):
    """The code, and below it the picture, which is part of the page and not a file of its own."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        [name], code = self.arguments, "\n".join(self.content)
        names: Any = self.env.temp_data.setdefault("gallery", {})
        try:
            svg = picture(name, code, names)
        except Exception as error:
            raise self.error(f"the chart {name} was not drawn: {error}") from error
        source = nodes.literal_block(code, code, language="python")
        encoded = base64.b64encode(svg.encode()).decode()
        image = nodes.image(uri=f"data:image/svg+xml;base64,{encoded}", alt=plots.CHARTS[name].summary)
        return [source, nodes.container("", image, classes=["chart"])]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("chart", ChartDirective)
    return {"parallel_read_safe": True}
