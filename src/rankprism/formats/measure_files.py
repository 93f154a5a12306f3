"""Files with your own measures, which ``--measures FILE`` reads.

A TOML file has a table for each measure. Its keys are the arguments of `rankprism.measures.composition`, or
``mix``::

    [my_measure]
    summary = "Patient users who are never bored."
    discount = "geometric"
    p = 0.95
    gain = "linear"

    [balanced]
    mix = {"StRecall@10" = 0.5, "nDCG@10" = 0.5}

A Python file defines measures, and perhaps constraints, with the decorators that the built-in ones use. It is
run as a program, so it can do whatever its author wants: load only files that you trust.
"""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Any

from rankprism.errors import MeasureError, RankprismError
from rankprism.measures import Measure, compose, definitions, lookup, mix
from rankprism.measures.registry import all_or_none
from rankprism.text import quoted


def load(path: str | os.PathLike[str]) -> list[Measure]:
    """Register the measures of a file, all of them or, if anything is wrong, none."""
    source = Path(path)
    is_python = source.suffix == ".py"
    try:
        text = source.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MeasureError(f"{source}: there is no such file; check the path") from None
    except (ValueError, OSError) as error:
        kind = "Python" if is_python else "TOML"
        raise MeasureError(f"{source}: cannot be read as {kind}: {error}") from None
    with all_or_none():
        return _from_python(source, text) if is_python else _from_toml(source, text)


def _from_python(source: Path, text: str) -> list[Measure]:
    """Run the file, and return the measures that it has added to the registry."""
    known = set(definitions())
    module = f"measures_of_{source.stem}"
    try:
        exec(compile(text, str(source), "exec"), {"__name__": module, "__file__": str(source)})
    except SyntaxError as error:
        raise MeasureError(f"{source}:{error.lineno}: cannot be read as Python: {error.msg}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also sys.exit(0), which must not end a command as if all were well
        what = str(error) if isinstance(error, RankprismError) else f"{type(error).__name__}: {error}"
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(source)]
        raise MeasureError(f"{source}{f':{lines[-1]}' if lines else ''}: {what}") from None
    return [lookup(definition.name) for definition in definitions() if definition not in known]


def _from_toml(source: Path, text: str) -> list[Measure]:
    import tomllib

    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise MeasureError(f"{source}: cannot be read as TOML: its values are nested too deep") from None
    except ValueError as error:  # not TOML, or a number with thousands of digits
        raise MeasureError(f"{source}: cannot be read as TOML: {error}") from None
    made = []
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise MeasureError(f"{source}: {name} is not a table; write [{name}] and its keys below")
        try:
            made.append(_from_table(name, table))
        except MeasureError as error:
            raise MeasureError(f"{source}: {error}") from None
    return made


def _from_table(name: str, table: dict[str, Any]) -> Measure:
    known = {"mix", *(mix.__kwdefaults__ or ())} if "mix" in table else set(compose.__kwdefaults__ or ())
    for key in table:
        if key not in known:
            raise MeasureError(f"{name}: unknown key {key!r}; there are {', '.join(sorted(known))}")
    for key, kind, words in (
        ("weighted", bool, "true or false"),
        ("lower_is_better", bool, "true or false"),
        ("mix", dict, "a table of measures and weights"),
        ("summary", str, "a text"),
    ):
        if key in table and not isinstance(table[key], kind):
            raise MeasureError(f"{name}: {key} must be {words}; got {quoted(table[key])}")
    if "mix" in table:
        return mix(name, table["mix"], **{key: value for key, value in table.items() if key != "mix"})
    return compose(name, **table)
