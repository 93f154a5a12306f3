"""A chart is a function with the decorator `chart`, which makes a record of it.

`rankprism.plots`, the commands of `rankprism plot`, the methods of ``scores.plot``, the option ``--plot`` of
other commands and the table in docs/plots.md are made from the records.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypedDict, TypeVar

from rankprism.errors import InputError, listed
from rankprism.results import mixed_sentence
from rankprism.showing.plots.engine import alt
from rankprism.showing.plots.fitting import caveat, fitted
from rankprism.showing.plots.notebook import picture

__all__ = ["CHARTS", "Chart", "Frame", "alt", "chart", "check_size", "draw"]

#: The smallest and largest width or height of a picture in pixels.
FEWEST_PIXELS, MOST_PIXELS = 100, 10_000

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


class Frame(TypedDict, total=False):
    """What every chart takes beside what it draws. Users may leave it out; a function gets all of it.

    Users give the size of the whole picture, and functions get the size of the plotting area. `draw` explains
    the three.
    """

    title: str | None
    width: int | None
    height: int | None


@dataclass(frozen=True)
class Chart:
    """The record of a chart."""

    #: the function in `rankprism.plots`
    name: str
    #: the command that draws it: "plot intervals" for a chart of scores; for the chart of a result, the
    #: command that computes the result and has --plot, e.g. "meta power"
    command: str
    function: Callable[..., Any]
    #: arguments of the command in an example, after the file of scores
    example: str = ""

    @property
    def of_scores(self) -> bool:
        return self.command.startswith("plot ")

    @property
    def draws(self) -> str:
        """What the chart shows: "scores", or the class of the result, which annotates the first parameter."""
        if self.of_scores:
            return "scores"
        annotation = next(iter(self.parameters.values())).annotation
        name = annotation if isinstance(annotation, str) else str(annotation.__name__)
        return name.rpartition(".")[2]

    @property
    def summary(self) -> str:
        """What the chart shows: the first paragraph of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n\n")[0].replace("\n", " ")

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters


#: Every chart, by its name.
CHARTS: dict[str, Chart] = {}


def chart(
    command: str, example: str = ""
) -> Callable[[Callable[Arguments, Drawn]], Callable[Arguments, Drawn]]:
    """Turn a function into a chart.

    The function takes scores or a result first, and ``**frame: Unpack[Frame]`` last. Other parameters that
    its docstring explains are options of "plot NAME".

    Parameters
    ----------
    command
        The command that draws it: "plot NAME" for a chart of scores, or the command that computes the
        result.
    example
        Arguments that the help of "plot NAME" shows as an example.
    """

    def register(function: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
        @wraps(function)
        def drawing(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
            if args and not record.of_scores and not _is_a(args[0], record.draws):
                raise InputError(
                    f"{record.name} draws what `{record.command}` computes, {record.draws}; "
                    f"got {type(args[0]).__name__}"
                )
            unknown = kwargs.keys() - own - Frame.__annotations__.keys()
            if unknown:
                raise TypeError(f"{record.name} has no argument {min(unknown)!r}")
            title, *size = (kwargs.pop(name, None) for name in Frame.__annotations__)
            check_size(*size)

            def draw(width: Any, height: Any) -> Drawn:
                return function(*args, **{**kwargs, "title": title, "width": width, "height": height})

            before = caveat.set(mixed_sentence(getattr(args[0], "about", {})) if args else "")
            try:
                return picture(fitted(draw, *size))  # type: ignore[arg-type]  # check_size: they are numbers
            finally:
                caveat.reset(before)

        own = inspect.signature(function).parameters.keys()
        record = CHARTS[function.__name__] = Chart(function.__name__, command, drawing, example)
        return drawing

    return register


def check_size(width: Any = None, height: Any = None) -> None:
    """Refuse an impossible width or height of a picture."""
    for name, pixels in (("width", width), ("height", height)):
        whole = isinstance(pixels, int) and not isinstance(pixels, bool)
        if pixels is not None and not (whole and FEWEST_PIXELS <= pixels <= MOST_PIXELS):
            raise InputError(
                f"{name} must be a whole number of pixels from {FEWEST_PIXELS} to {MOST_PIXELS:,}; got "
                f"{pixels!r}"
            )


def _is_a(value: Any, name: str) -> bool:
    # Classes are compared by name, so that listing the charts does not load every analysis.
    return any(kind.__name__ == name for kind in type(value).__mro__)


def draw(
    result: Any, *, title: str | None = None, width: int | None = None, height: int | None = None
) -> Any:
    """Draw the chart that belongs to a result.

    Parameters
    ----------
    title
        Replaces the title of the chart; "" leaves it out.
    width, height
        The size of the whole picture in pixels, with labels, legends and titles. Default: chosen for each
        chart. In a PDF, 72 pixels are an inch.

    Examples
    --------
    >>> from rankprism import compare, evaluate, sample
    >>> scores = evaluate(sample.QRELS, list(sample.RUNS), ["alpha_nDCG@10"])
    >>> chart = draw(compare(scores), title="All pairs of runs", width=300)
    """
    for record in CHARTS.values():
        if not record.of_scores and _is_a(result, record.draws):
            return record.function(result, title=title, width=width, height=height)
    known = [record.draws for record in CHARTS.values() if not record.of_scores]
    raise InputError(f"there is no chart of {type(result).__name__}; there are charts of {listed(known, 20)}")


def gallery() -> str:
    """A Markdown table of all charts, what they show and how to draw them, with charts of scores first."""
    lines = ["| chart | what it shows | command |", "|---|---|---|"]
    for record in sorted(CHARTS.values(), key=lambda record: (not record.of_scores, record.command)):
        command = record.command if record.of_scores else f"{record.command} --plot"
        lines.append(f"| `{record.name}({record.draws})` | {record.summary} | `{command}` |")
    return "\n".join(lines) + "\n"
