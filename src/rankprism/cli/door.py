"""Options under headings, commands with examples, and help: Click, with what rankprism adds to it.

An option is a `click.Option` with a heading, and a command is a `click.Command` that knows which functions
its options are for. Everything else is Click's own.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from rankprism.cli import answers
from rankprism.cli.problems import Unknown, said_at_once

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_T = TypeVar("_T")

#: The headings of help, in their order: why one calls a command comes before what is the same everywhere.
HEADINGS = (
    "What is scored",
    "Input",
    "Analysis",
    "How runs are read",
    "Output",
    "Chart",
    "Notes and progress",
)
SCORED, INPUT, ANALYSIS, READING, OUTPUT, CHART, NOTES = HEADINGS
#: What an option takes, as help shows it, by the names that Click has for types.
_TAKES = {"integer": "N", "integer range": "N", "float": "NUMBER", "float range": "NUMBER", "text": "TEXT"}
#: The lines of a terminal, on which `-h` finds room.
_LINES = 24


class Words(click.Choice[str]):
    """One of some words, or of the keys of a registry, which is loaded when the words are needed.

    >>> Words(of="comparison:TESTS").choices[:3]
    ('t', 'wilcoxon', 'fisher')
    """

    def __init__(self, *words: str, of: str = "") -> None:
        self.words, self.of, self.case_sensitive = words, of, True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        module, _, name = self.of.partition(":")
        if self.words and f"rankprism.{module}" not in sys.modules:
            return self.words  # nobody can have added any
        found = getattr(importlib.import_module(f"rankprism.{module}"), name)
        return get_args(found) or tuple(found)


class _Completed:
    """An option or an argument whose values a function in `rankprism.cli.completion` completes."""

    completes: str

    def but(self: _T, **other: Any) -> _T:
        """The same with other attributes, such as another help or heading."""
        changed = copy(self)
        vars(changed).update(other)
        return changed

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if not self.completes:
            return super().shell_complete(ctx, incomplete)  # type: ignore[misc,no-any-return]
        from click.shell_completion import CompletionItem

        from rankprism.cli import completion

        found = list(getattr(completion, self.completes)(incomplete))
        return [CompletionItem(x) if isinstance(x, str) else CompletionItem(x[0], help=x[1]) for x in found]


class Option(_Completed, click.Option):
    """A `click.Option` under one of the headings of help."""

    def __init__(
        self, *names: str, group: str = ANALYSIS, completes: str = "", bare: str = "", **settings: Any
    ) -> None:
        """
        Parameters
        ----------
        completes
            The function in `rankprism.cli.completion` that completes values.
        bare
            The value of an option that is given without one, if it may be.
        """
        shown = not any(settings.get("default") is value for value in (None, False, ""))
        super().__init__(list(names), show_default=shown, **settings)
        self.group, self.completes, self.bare = group, completes, bare

    def make_metavar(self, ctx: click.Context) -> str:
        if self.metavar is not None:
            return self.metavar
        if isinstance(self.type, Words):
            return f"<{'|'.join(self.type.choices)}>"
        return _TAKES.get(self.type.name) or super().make_metavar(ctx)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        found = super().process_value(ctx, value)
        return (list(found or ()) or None) if self.multiple else found


def flag(name: str, help: str, **settings: Any) -> Option:
    """An option without a value."""
    return Option(name, help=help, is_flag=True, default=False, **settings)


class Argument(_Completed, click.Argument):
    """A `click.Argument` that help explains."""

    def __init__(self, name: str, metavar: str, help: str, completes: str = "", **settings: Any) -> None:
        super().__init__([name], metavar=metavar, **settings)
        self.help, self.completes = help, completes

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        found = super().process_value(ctx, value)
        return (list(found or ()) or None) if self.nargs == -1 else found


class Part:
    """A function, and the options that it takes. `takes` makes it."""

    def __init__(self, run: Callable[..., Any], *declared: Any, opens: bool = False) -> None:
        self.run, self.declared = run, declared
        self.opens = opens  #: whether it only opens files, so that it can be called to see what is wrong

    def __call__(self, *read: Any, **given: Any) -> Any:
        return self.run(*read, **given)

    @cached_property
    def options(self) -> dict[str, click.Parameter]:
        return named(self.declared)

    def of(self, given: dict[str, Any]) -> dict[str, Any]:
        """Those of the given values that are its own."""
        return {name: given[name] for name in self.options if name in given}


def takes(*declared: Any, opens: bool = False) -> Callable[[Callable[..., Any]], Part]:
    """Tell which options a function takes: options, functions that return some, or other parts."""
    return lambda run: Part(run, *declared, opens=opens)


def named(declared: Iterable[Any]) -> dict[str, click.Parameter]:
    """The options by their names. The first of a name counts."""
    found: dict[str, click.Parameter] = {}
    for one in _flat(declared):
        found.setdefault(str(one.name), one)
    return found


def without(options: dict[str, _T], *names: str) -> dict[str, _T]:
    """The options except those with these names."""
    return {name: option for name, option in options.items() if name not in names}


def _flat(declared: Iterable[Any]) -> Iterator[click.Parameter]:
    for one in declared:
        if isinstance(one, click.Parameter):
            yield one
        elif isinstance(one, Part):
            yield from one.options.values()
        else:
            yield from _flat(one() if callable(one) else one)


class _Helped(click.Command):
    """A command whose `-h` is one screen, and whose `--help` is everything."""

    def overview(self, ctx: click.Context) -> str:
        raise NotImplementedError

    def helpers(self) -> list[click.Parameter]:
        def show(text: Callable[[click.Context], str]) -> Callable[..., None]:
            def shown(ctx: click.Context, _: Any, wanted: bool) -> None:
                if wanted and not ctx.resilient_parsing:
                    click.echo(text(ctx), color=ctx.color)
                    ctx.exit()

            return shown

        once: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
        return [
            Option("-h", group=_HELP[0], callback=show(self.overview), **once),
            Option("--help", group=_HELP[0], callback=show(self.get_help), **once),
        ]


class Command(_Helped):
    """A command that has the options of some functions, under headings. They are found when it is used.

    The docstring of the function that it runs is its help, and the lines after ``\\b`` are examples.
    """

    def __init__(
        self,
        path: str,
        run: Callable[..., Any],
        *declared: Any,
        help: str | None = None,
        check: Callable[[dict[str, Any]], None] | None = None,
        formats: Callable[[], dict[str, list[tuple[str, str]]]] | None = None,
    ) -> None:
        """
        Parameters
        ----------
        path
            Its words, e.g. "meta power".
        check
            Opens what is named, to see what is wrong with a call beside its options.
        formats
            More sections of its help.
        """
        name = path.rpartition(" ")[2]
        text = inspect.cleandoc(help or run.__doc__ or "")
        super().__init__(name, callback=run, help=text, add_help_option=False)
        self.path, self.declared, self.check, self.formats = path, declared, check, formats
        del self.params

    @cached_property
    def params(self) -> list[click.Parameter]:  # type: ignore[override]
        found = list(named(self.declared).values())
        arguments = [one for one in found if isinstance(one, click.Argument)]
        options = [one for heading in HEADINGS for one in found if getattr(one, "group", "") == heading]
        return [*arguments, *options, *self.helpers()]

    @property
    def examples(self) -> list[str]:
        return (self.help or "").partition("\b\n")[2].splitlines()

    # ------------------------------------------------------------------------------- help

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        arguments = [_told(one) for one in self.params if isinstance(one, Argument)]
        sections = {"Arguments": arguments} | {
            heading: [row for one in self.shown(heading) if (row := one.get_help_record(ctx))]
            for heading in HEADINGS
        }
        sections["Help"] = [("-h, --help", "Show one screen with the names of all options, or this.")]
        for heading, rows in (sections | (self.formats() if self.formats else {})).items():
            if rows:
                with formatter.section(bold(heading)):
                    formatter.write_dl(rows, col_max=26)

    def shown(self, heading: str) -> list[Option]:
        """The options under a heading, without those of help, which all commands have."""
        return [one for one in self.params if isinstance(one, Option) and one.group == heading]

    def overview(self, ctx: click.Context) -> str:
        """What the command does, how it is called, examples, and the names of its options."""
        from textwrap import wrap

        width = min(ctx.terminal_width or _columns(), 80)
        first = (self.help or "").partition("\n\n")[0]
        call = " ".join([ctx.command_path, *self.collect_usage_pieces(ctx)])
        names = []
        for heading in HEADINGS:
            each = [", ".join([*one.opts[::-1], *one.secondary_opts]) for one in self.shown(heading)]
            if each:
                words = wrap(
                    f"{heading}: {' · '.join(each)}", width, subsequent_indent="    ", break_on_hyphens=False
                )
                names += [words[0].replace(heading, bold(heading), 1), *words[1:]]
        last = f"`{ctx.command_path} --help` explains them all."
        head = [
            *wrap(" ".join(first.split()), width),
            "",
            *wrap(f"  {call}", width, subsequent_indent="    "),
        ]
        room = _LINES - len(head) - len(names) - 3
        examples = [f"  {line}" for line in self.examples][: max(room, 0)]
        while examples and examples[-1].endswith("\\"):
            examples.pop()
        return "\n".join([*head, "", *examples, *([""] if examples else []), *names, last])

    # ------------------------------------------------------------------------------- what people type

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept what other programs call an option, and say at once all that is wrong with a call."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        options = [one for one in self.params if isinstance(one, click.Option)]
        own = {
            name: names[0] for one in options for names in (one.opts, one.secondary_opts) for name in names
        }
        flags = {name for one in options if one.is_flag or _is_bare(one) for name in one.opts}
        flags |= {name for one in options for name in one.secondary_opts}
        words, found = answers.accepted(self.path, args, own, flags), list[Exception]()
        bare = {one.opts[0]: one.bare for one in options if isinstance(one, Option) and one.bare}
        words = answers.with_values(words, bare)
        called = " ".join(str(one.metavar) for one in self.params if isinstance(one, Argument))
        is_known = True
        while True:
            try:
                rest = super().parse_args(ctx, answers.in_full(words, own, flags))
                break
            except click.NoSuchOption as error:
                answer = answers.answer(self.path, error.option_name, words, list(own), called)
                words, is_known = answer.words, is_known and answer.is_meant
                found.append(Unknown(answer.said, ctx))
            except click.UsageError as error:
                error.ctx = error.ctx or ctx  # so that the message names the help of this command
                raise said_at_once([*found, error]) from None
        if not found:
            return rest
        if self.check is not None:
            try:
                self.check(dict(ctx.params))
            except (ValueError, OSError) as error:
                found.append(error)
        raise said_at_once(found, answers.line(ctx.command_path, words) if is_known else "")


def _is_bare(option: click.Option) -> bool:
    return isinstance(option, Option) and bool(option.bare)


class Group(_Helped, click.Group):
    """Commands under one word, such as `rankprism meta`."""

    def __init__(self, path: str, help: str, **more: Any) -> None:
        name = path.rpartition(" ")[2]
        super().__init__(name, help=help, no_args_is_help=True, add_help_option=False, **more)
        self.path = path
        self.params += self.helpers()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        word, *rest = args
        command = self.get_command(ctx, word)
        if command is None and not ctx.resilient_parsing:
            from rankprism.errors import closest

            close = closest(word, self.list_commands(ctx))
            ctx.fail(f"No such command {word!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        return word if command else None, command, rest

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = [spelling for one in self.params for spelling in one.opts]
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption as error:
            answer = answers.answer(self.path, error.option_name, list(args), own, "")
            line = answers.line(ctx.command_path, answer.words) if answer.is_meant else ""
            raise said_at_once([Unknown(answer.said, ctx)], line) from None
        except click.BadOptionUsage as error:
            error.ctx = error.ctx or ctx
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        own = [one.get_help_record(ctx) for one in self.params if one.name not in _HELP]
        rows = [*filter(None, own), ("-h, --help", "Show one screen, or this.")]
        with formatter.section(bold("Options")):
            formatter.write_dl(rows, col_max=26)
        with formatter.section(bold("Commands")):
            formatter.write_dl(self.listed(ctx))

    def listed(self, ctx: click.Context) -> list[tuple[str, str]]:
        """The commands, each with the first sentence of its help."""
        every = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        return [(name, one.get_short_help_str(limit=1000)) for name, one in every if one is not None]

    def overview(self, ctx: click.Context) -> str:
        """What the commands do. Where each does not fit on a line, its sentence is cut."""
        from textwrap import wrap

        width = min(ctx.terminal_width or _columns(), 80)
        rows = self.listed(ctx)
        most = max(len(name) for name, _ in rows) + 2
        lines = [f"{name:<{most}}{_cut(text, width - most)}" for name, text in rows]
        about = wrap(" ".join((self.help or "").partition("\n\n")[0].split()), width)
        last = f"`{ctx.command_path} COMMAND -h` shows one of them, `{ctx.command_path} --help` everything."
        room = _LINES - len(about) - len(lines) - len(wrap(last, width))
        return "\n".join([*about, *([""] if room > 0 else []), *lines, *wrap(last, width)])


#: The names of the options of help.
_HELP = ("h", "help")


def _told(argument: Argument) -> tuple[str, str]:
    return str(argument.metavar), f"{argument.help}{'  [required]' if argument.required else ''}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rpartition(' ')[0]}…"


def bold(text: str) -> str:
    """A heading, in bold letters on a terminal."""
    is_shown = sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return click.style(text, bold=True) if is_shown else text


def _columns() -> int:
    import shutil

    return shutil.get_terminal_size().columns


def words_of(command: click.Command, ctx: click.Context, path: Sequence[str] = ()) -> Iterator[Any]:
    """Every command below a group, with the words that call it."""
    if not isinstance(command, click.Group):
        yield tuple(path), command
        return
    for name in command.list_commands(ctx):
        inner = command.get_command(ctx, name)
        if inner is not None:
            yield from words_of(inner, ctx, (*path, name))
