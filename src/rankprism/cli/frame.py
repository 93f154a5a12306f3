"""What all commands of an analysis share: they read, call a function, write the result, and may draw it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from rankprism.cli import shared
from rankprism.cli.derived import function_at, options_of, read_signature, source_of_module
from rankprism.cli.door import Command, Group, Part, named, takes, without
from rankprism.cli.progress import noted, working
from rankprism.cli.reading import read_source
from rankprism.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from rankprism.results import Result

#: The function that a command calls, with the options that are its own.
Call: TypeAlias = "partial[Any]"


class Drawn(NamedTuple):
    """A chart, as far as the command line has to know it before it draws."""

    name: str
    command: str  #: the command that draws it
    example: str
    where: str  #: its place, such as "showing.plots.means:intervals"; "" if it has no source


@cache
def _charts_in_source() -> tuple[Drawn, ...]:
    """The charts of rankprism, from their sources: to load them takes longer than help may take."""
    import pkgutil

    import rankprism.showing

    folder = [f"{path}/plots" for path in rankprism.showing.__path__]
    return tuple(
        one for module in pkgutil.iter_modules(folder) for one in _in(f"showing.plots.{module.name}")
    )


@cache
def _charts_of_packages() -> tuple[Drawn, ...]:
    """The charts that other packages add, from their sources."""
    from importlib.metadata import entry_points

    return tuple(one for point in entry_points(group="rankprism.charts") for one in _in(point.module))


def _in(module: str) -> Iterator[Drawn]:
    pattern = r'^@chart\("([^"]+)"(?:, "([^"]*)")?\)\ndef (\w+)\('
    for command, example, name in re.findall(pattern, source_of_module(module), re.MULTILINE):
        yield Drawn(name, command, example, f"{module}:{name}")


def charts(inside_only: bool = False) -> Iterator[Drawn]:
    """All charts: those of rankprism first, so that packages are looked for only if somebody asks for more.

    inside_only : whether to leave out what other packages add, except what has been loaded.
    """
    yield from _charts_in_source()
    others = () if inside_only else _charts_of_packages()
    yield from others
    known = {one.name for one in (*_charts_in_source(), *others)}
    loaded = sys.modules.get("rankprism.showing.plots.record")
    for name, chart in vars(loaded).get("CHARTS", {}).items() if loaded else ():
        if name not in known:
            yield Drawn(name, chart.command, chart.example, "")


def check_plot(
    plot: Path | None,
    output: Path | None,
    title: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> None:
    """Refuse a drawing that cannot be made or written before any work is done."""
    if plot is None:
        for option, given in (("--title", title), ("--width", width), ("--height", height)):
            if given is not None:
                raise InputError(f"{option} is for the chart; name a file for it with --plot")
        return
    from rankprism.showing.plots import check_ending, check_size

    check_ending(plot)
    check_size(width, height)
    if str(plot) == "-" and str(output or "-") == "-":
        raise InputError("the result and its drawing cannot both go to standard output; name a file with -o")


@takes(shared.PLOT, *shared.LOOK)
def draw_result(
    result: Result,
    plot: Path | None = None,
    title: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> None:
    """Draw a result if the option --plot was given."""
    if plot is not None:
        from rankprism.showing.plots import draw, save

        with working("drawing"):
            save(draw(result.charted, title=title, width=width, height=height), plot)


@takes(shared.OUTPUT_FILE, shared.RESULT_FORMAT, *shared.STYLE)
def write_result(
    result: Result,
    format: str | None = None,
    output: Path | None = None,
    digits: int | None = None,
    **style: Any,
) -> None:
    """Write a result in the format and to the file that the options name."""
    from rankprism.cli.output import write_in
    from rankprism.results import Style, output_format

    write_in(result, output_format(output, format), output, Style(digits, **style))


@takes(shared.OUTPUT_FILE)
def write_text(text: str, output: Path | None = None) -> None:
    """Write a text to the file that the option names."""
    from rankprism.cli.output import write

    write(text, output)


def check_output(format: str | None = None, output: Path | None = None, **style: Any) -> str:
    """The output format. Options that it does not have are refused before any work is done."""
    from rankprism.results import Style, check_style, output_format

    kind = output_format(output, format)
    check_style(kind, Style(**{**style, "digits": None}))
    return kind


def command(
    *declared: Any, of: Group | None = None, name: str = "", **more: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Turn a function into a command, which gives it the values of these options.

    The docstring of the function is the help of the command.

    Parameters
    ----------
    of
        The group to which the command belongs.
    name
        Its name, if it is not that of the function.
    """

    def decorate(run: Callable[..., Any]) -> Command:
        return _added(Command(_path(run, of, name), run, *declared, **more), of)

    return decorate


def analysis(
    where: str,
    *own: click.Parameter,
    what: str = "computing",
    reads: Part | None = read_source,
    leaves: tuple[str, ...] = (),
    finish: Part | None = None,
    writes: Part = write_result,
    exits: Callable[[Any], int] | None = None,
    of: Group | None = None,
    name: str = "",
) -> Callable[[Callable[..., Any]], Command]:
    """Turn a function into a command, which has the options of what it reads, calls, writes and draws.

    The function takes what was read, a `Call` and options of its own, and returns the result to write. Its
    docstring is the help of the command. If the result has a chart, the command can draw it.

    Parameters
    ----------
    where
        The function that the command calls, such as "meta:power". Its parameters are options of the command.
    own
        What only this command has. Such an option counts instead of one that is called the same elsewhere.
    what
        The word beside the progress bar.
    reads
        Reads what the command works on.
    leaves
        Parameters of the called function that are no options.
    finish
        Called with the result before it is written.
    writes
        Writes the result.
    exits
        Returns the exit code for a result. Default: 0.
    of, name
        The group to which the command belongs, and its name, if it is not that of the function.
    """

    def decorate(body: Callable[..., Any]) -> Command:
        path = _path(body, of, name)
        mine = named(own)

        @cache
        def called() -> dict[str, click.Parameter]:
            return without(named(options_of(where)), *leaves, *mine)

        def declared() -> list[Any]:
            # Only a command of another package may have its chart there: the others need not look for it.
            known = charts(inside_only=body.__module__.startswith("rankprism."))
            drawn = any(chart.command == path for chart in known)
            parts = [finish, writes, draw_result if drawn else None]
            notes = [shared.QUIET, shared.STRICT]
            return [*own, called().values(), *filter(None, [reads, *parts]), *notes]

        def run(**given: Any) -> int:
            if "plot" in given:
                check_plot(output=given["output"], **draw_result.of(given))
                other = [name for name in ("differences", "per_topic") if given["plot"] and given.get(name)]
                if other:
                    raise InputError(
                        "--plot draws the figures of the measures; leave out --" + other[0].replace("_", "-")
                    )
            if "format" in writes.options:
                check_output(**write_result.of(given))
            with noted(given["quiet"], given["strict"]), working("reading"):
                read = [] if reads is None else [reads(**_read(given))]
                function = function_at(where)
                with working(what) as on_share:
                    chosen = {name: given[name] for name in called()}
                    if "on_share" in read_signature(where).parameters:
                        chosen["on_share"] = on_share
                    result = body(*read, partial(function, **chosen), **{name: given[name] for name in mine})
            with noted(given["quiet"]):
                for step in (finish, writes, draw_result if "plot" in given else None):
                    if step is not None:
                        step(result, **step.of(given))
            return 0 if exits is None else exits(result)

        def _read(given: dict[str, Any]) -> dict[str, Any]:
            assert reads is not None
            compared = {"baseline": given["baseline"]} if "baseline" in mine else {}
            return reads.of(given) | compared

        check = (lambda given: reads(**_read(given))) if reads is not None and reads.opens else None
        return _added(Command(path, run, declared, help=inspect.getdoc(body), check=check), of)

    return decorate


def _path(function: Callable[..., Any], of: Group | None, name: str) -> str:
    """The words that call the command of a function, e.g. "meta power"."""
    last = name or function.__name__.rstrip("_").replace("_", "-")
    return last if of is None else f"{of.path} {last}"


def _added(command: Command, of: Group | None) -> Command:
    if of is not None:
        of.add_command(command)
    return command
