"""The command line. Commands parse options, call the Python API and print; they have no other logic.

A command is a `click.Command`, and an option is a `click.Option` with a heading (`cli/door.py`). Most
commands read something, call a function of the Python API, write the result and perhaps draw it. The
decorator `analysis("meta:power", …)` in `cli/frame.py` makes such a command from a short function that
receives what was read and the call. Its options are

- those of the function that is called. `cli/derived.py` takes name, type, words and default from the
  signature, and the help from the first paragraph about the parameter in its docstring;
- those of the function that reads, which `takes(…)` names: `read_judged`, `read_collection` or
  `read_source` in `cli/reading.py`. Each of them has the options of the one before it, so a new option of
  judgments or runs reaches every command. They are those of `rankprism.Collection.of`, by the names in
  `types.CollectionOptions`;
- those of the functions that write and draw;
- what the decorator names besides, for what only the command line has, such as `--differences`.

An option that two commands have is written once, in `cli/shared.py`, and what people type instead of it in
`cli/answers.py`. A module of `cli/commands/` has the commands of a room. It is loaded when one of them is
used, and an option is made when its command is used. Neither needs numpy, so help does not wait for it.

A package of its own adds commands as entry points of the group `rankprism.commands`, which name a
`click.Command` or a `click.Group`:

    [project.entry-points."rankprism.commands"]
    judges = "rankprism_judges.commands:judges"

They are looked for only if the table in `cli/app.py` does not have the command, and when commands are listed.
Such a command names functions by the full names of their modules, `analysis("rankprism_judges:agree", …)`,
whose signatures are read from the sources there. Its `--plot` may use a chart of the group
`rankprism.charts`. The table has the commands of this distribution, and a product that moves out leaves it.

How runs are read is one value, `data.reading.Reading`: the order of documents, what to do with duplicates,
their format and how many are kept. Functions that take runs alone take its fields as keyword arguments,
which `types.RunOptions` types: `**reading: Unpack[RunOptions]`. In the same way, the arguments of
`preferences.simulation.Simulation`, which `types.SimulationOptions` types, say what simulated users see and
how they judge.

Some options take one of several words. These words are a `Literal` in `rankprism/types.py`, which also names
the other types of arguments. Type checkers, the check at run time (`errors.one_of`), help and completion read
the same words. Formats, and other words that are the keys of a table which may grow, are looked up in the
table when help, completion or a check needs them.
"""

from __future__ import annotations

import gc
import os
import re
import sys

#: The extra of rankprism that installs a package.
_EXTRAS = {
    "altair": "plots",
    "vl_convert": "plots",
    "backports": "zstd",
    "pyarrow": "parquet",
    "duckdb": "duckdb",
    "jinja2": "report",
    "psycopg": "assess-postgres",
    **dict.fromkeys(("alembic", "markdown_it", "sqlalchemy", "starlette", "uvicorn"), "assess"),
}
_INTERRUPTED = 130
#: Python looks for cyclic garbage after this many new objects. By default it does so after 700, which is
#: dozens of times while modules are loaded, and there is nothing to be found then.
_OBJECTS = 100_000


def main() -> None:
    """Run a command. Exit codes: 0 success, 1 an error in rankprism, 2 bad usage or input, 130 Ctrl-C."""
    from rankprism.cli import interrupt, streams

    gc.set_threshold(_OBJECTS)
    # OpenBLAS starts its threads when numpy is loaded, which takes a third of the time that numpy takes. The
    # products that we compute are too small to be divided among threads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    streams.prepare()
    try:
        from rankprism.cli.app import app

        with interrupt.heard():
            if os.environ.get("_RANKPRISM_COMPLETE"):
                from rankprism.cli import completion

                code = completion.answer(app)
            else:
                code = app(prog_name="rankprism", standalone_mode=False)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        code = 0
    except (Exception, KeyboardInterrupt) as error:
        code = _fail(error)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        streams.silence()
    code = code if isinstance(code, int) else 0
    from rankprism.cli import events

    events.tell("finished", code=code)
    sys.exit(code)


def _fail(error: BaseException) -> int:
    """Print in one line what went wrong, and return the exit code."""
    if wants_traceback():
        import traceback

        traceback.print_exception(error)
    if type(error).__name__ == "NoArgsIsHelpError":  # Click's message is the help of the command
        print(error, file=sys.stderr)
        return 2
    from rankprism.cli import events

    every = [explained(one) for one in getattr(error, "errors", (error,))]
    code = max(code for _, code in every)
    for number, (words, _) in enumerate(every, 1):
        if any(_pointer(words) and _pointer(words) == _pointer(later) for later, _ in every[number:]):
            words = words.removesuffix(_pointer(words)).rstrip()
        if events.wanted():
            events.tell("error", message=words, code=code)
        else:
            print(f"rankprism: {words}", file=sys.stderr)
    if getattr(error, "line", "") and not events.wanted():
        print(f"  {error.line}", file=sys.stderr)  # type: ignore[attr-defined]
    return code


def _pointer(words: str) -> str:
    """The end of a message that says where help is."""
    found = re.search(r"`rankprism[^`]* --help` explains the options\.$", words)
    return "" if found is None else found[0]


def explained(error: BaseException) -> tuple[str, int]:
    """What went wrong, and the exit code. An unforeseen error also says how to report it."""
    from rankprism.errors import RankprismError, install
    from rankprism.text import message

    if isinstance(error, RankprismError):
        return str(error), 2
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", _INTERRUPTED
    if hasattr(error, "format_message"):  # Click's errors of usage
        return _usage(error), 2
    if isinstance(error, EOFError):
        return "an input ended before it was complete; check the files", 2
    if isinstance(error, OSError):
        return message(_of_system(error)), 2
    if isinstance(error, MemoryError):
        return "there is not enough memory; evaluate fewer runs or measures at a time", 2
    if isinstance(error, RecursionError):
        return "something in the input is nested too deeply; make it simpler", 2
    if isinstance(error, UnicodeError):
        return message(f"a text cannot be read or written in its encoding ({error}); use UTF-8"), 2
    if isinstance(error, ModuleNotFoundError) and not (error.name or "rankprism").startswith("rankprism"):
        package = (error.name or "").partition(".")[0]
        if package in _EXTRAS:
            return f"this needs one more package: {install(_EXTRAS[package])}", 2
        return message(f"this needs the module {package!r}, which cannot be imported; install it"), 2
    return message(_unforeseen(error)), 1


def _usage(error: object) -> str:
    """What is wrong with the command, and where its help is."""
    from rankprism.text import message

    text = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    text = re.sub(r"not a valid int(eger)?( range)?\b", "not a whole number", text)
    text = re.sub(r"not a valid float( range)?\b", "not a number", text)
    context = getattr(error, "ctx", None)
    command = "rankprism" if context is None else context.command_path
    end = "" if text.endswith((".", "?")) else "."
    return message(f"{text}{end} `{command} --help` explains the options.")


def _of_system(error: OSError) -> str:
    """What the operating system says about a file. Output files have a message of their own."""
    what = error.strerror or str(error)
    if error.filename is None:
        return f"the system refused something that was needed ({what})"
    return f"{os.fsdecode(error.filename)}: {what}"


def _unforeseen(error: BaseException) -> str:
    import platform
    import shlex
    import traceback
    from pathlib import Path

    from rankprism import __version__

    here = Path(__file__).parents[1]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if here in Path(f.filename).parents]
    place = f"{Path(frames[-1].filename).relative_to(here).as_posix()}:{frames[-1].lineno}" if frames else "?"
    return (
        f"a fault in rankprism itself, {type(error).__name__} at {place} ({error}). Please report it to its "
        f"authors with this line, with what `rankprism --traceback …` adds, and if you can with the files: "
        f"rankprism {__version__}, Python {platform.python_version()}, {platform.system()}, "
        f"command: {shlex.join(['rankprism', *sys.argv[1:]])}"
    )


def wants_traceback() -> bool:
    """Whether to show where an error comes from: `rankprism --traceback …`, or RANKPRISM_TRACEBACK=1."""
    return "--traceback" in sys.argv[1:] or os.environ.get("RANKPRISM_TRACEBACK", "0") not in ("", "0")
