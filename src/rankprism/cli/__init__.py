"""The command line. Commands parse options, call the Python API and print; they have no other logic.

A command reads something, calls a function of the Python API, writes the result and perhaps draws it.
`@command("meta:power")` in `cli/analysis.py` makes it from a short function that receives what was read
and the call. The options of the command are

- those of the function that reads: the annotated parameters of `read_judged` in `cli/judgments.py`,
  `read_collection` in `cli/collection.py` or `read_source` in `cli/scores.py`. Each of them has the
  options of the one before it, so a new option of judgments or runs reaches every command;
- those of the function that is called. `cli/signature.py` takes name, type, choices and default from its
  signature, and the help from the first paragraph about the parameter in its docstring, which has the
  form of numpydoc. A `Literal` gives the choices and the completion of the shell, and `Positive` or
  `Natural` the range;
- those of the short function itself, for what only the command line has, such as `--differences`;
- those of the functions that write and draw.

A command is made when it is used (`cli/group.py`). A list of commands needs only the first lines of their
docstrings, so `rankprism --help` loads neither numpy nor the functions.

The functions that read have options of `evaluate` in the same way: `parameters_of("evaluation:evaluate",
"order")`. A new parameter of `evaluate` that its docstring explains is an option of `rankprism evaluate`,
and nothing has to be written for it.

How runs are read is one value, `data.run.Reading`: the order of documents, what to do with duplicates,
and the format. Functions that read runs take its fields as keyword arguments, which `types.RunOptions`
types: `**reading: Unpack[RunOptions]`. In the same way, `preferences.simulation.Simulation`, whose
arguments `types.SimulationOptions` types, says what simulated users see and how they judge. A command
whose function takes `**simulated: Unpack[SimulationOptions]` has these options, which
`preferences.simulate` explains.

Some options take one of several words. These words are a `Literal` in `rankprism/types.py`, which also
names the other types of arguments. Type checkers, the check at run time (`errors.one_of`), the help and
the completion of the shell read the same words. Formats, and other words that are the keys of a table
which may grow, are looked up in the table (`cli/choices.py`) when help, completion or a check needs them,
so that declaring an option imports nothing.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from pathlib import Path

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
            code = app(prog_name="rankprism", standalone_mode=False)
            sys.stdout.flush()
        if code == _INTERRUPTED:  # Typer has caught it
            code = _fail(KeyboardInterrupt())
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
    if type(error).__name__ == "NoArgsIsHelpError":  # Typer's message is the help of the command
        print(error, file=sys.stderr)
        return 2
    from rankprism.cli import events

    words, code = explained(error)
    if events.wanted():
        events.tell("error", message=words, code=code)
    else:
        print(f"rankprism: {words}", file=sys.stderr)
    return code


def explained(error: BaseException) -> tuple[str, int]:
    """What went wrong, and the exit code. An unforeseen error also says how to report it."""
    from rankprism.errors import RankprismError, install
    from rankprism.text import message

    if isinstance(error, RankprismError):
        return str(error), 2
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", _INTERRUPTED
    if hasattr(error, "format_message"):  # Typer's errors of usage
        return _usage(error), 2
    if isinstance(error, EOFError) or isinstance(error.__cause__, EOFError):  # Typer makes another of it
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
