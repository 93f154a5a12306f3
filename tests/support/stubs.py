"""Write the types of names that are found in registries: measures, charts, tests, objects of ir_measures.

Type checkers read them. ``python -m tests.support.stubs`` writes the files, and test_typing.py compares them.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from rankprism import ir_measures, measures, plots
from rankprism.ir_measures.objects import KNOWN
from rankprism.measures import Parameter
from rankprism.measures.parameter import Role
from rankprism.showing.plots import CHARTS
from rankprism.showing.plots.of_scores import of_scores
from rankprism.statistics.paired import TESTS

PACKAGE = Path(__file__).parents[2] / "src" / "rankprism"
HEADER = "# Written by tests/support/stubs.py.\n# fmt: off\n"


def _type(parameter: Parameter) -> str:
    """What a parameter of a measure may be, for type checkers. Words of a registry may become more."""
    kinds = {bool: "bool", int: "int", float: "float", str: "str", dict: "Mapping[float, float]"}
    closed = isinstance(parameter.choices, tuple) and parameter.choices
    words = f"Literal[{', '.join(map(repr, parameter.choices))}]" if closed else "str"
    inner = parameter.role is Role.INNER
    base = "Measure" if inner else words if parameter.choices else kinds.get(parameter.kind, "")
    also = ["Mapping[float, float]"] * parameter.mapping + ["list[Any] | tuple[Any, ...]"] * bool(
        parameter.sequence
    )
    every = [base, *also, *["None"] * (parameter.optional and not inner)]
    return " | ".join(filter(None, every))


def _measure(name: str) -> str:
    found = measures.lookup(name).definition
    parameters = "".join(f", {p.name}: {_type(p)} = ..." for p in found.parameters)
    takes = f"self, *{parameters}" if parameters else "self"
    lines = [
        f"class _{name}(Measure):",
        f'    """{found.summary}"""',
        f"    def __call__({takes}) -> Self: ...  # type: ignore[override]",
    ]
    if Role.CUTOFF not in found.roles:
        lines.append("    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]")
    return "\n".join([*lines, f"{name}: _{name}"])


def _reexports(package: Any, names: tuple[str, ...]) -> list[str]:
    """The lines of a package's `__init__.py` that import these names."""
    lines = inspect.getsource(package).splitlines()
    return [line for line in lines if line.startswith("from rankprism") and line.split()[-1] in names]


def of_measures() -> str:
    """The stub of `rankprism.measures`: every measure with its parameters."""
    homes: dict[str, str] = vars(measures)["_OFFERED"]
    offered = [f"from rankprism.measures.{home} import {name} as {name}" for name, home in homes.items()]
    modules = [f"from rankprism.measures import {name} as {name}" for name in vars(measures)["_MODULES"]]
    imports = [
        "from collections.abc import Mapping",
        "from typing import Any, Literal, Never, Self",
        "",
        *sorted([*_reexports(measures, vars(measures)["_OTHER_NAMES"]), *offered, *modules], key=_order),
    ]
    return HEADER + "\n".join([*imports, "", "__all__: list[str]", *map(_measure, measures.names()), ""])


def of_plots() -> str:
    """The stub of `rankprism.plots`: every chart, from the module of its function."""
    charts = [f"from {chart.function.__module__} import {name} as {name}" for name, chart in CHARTS.items()]
    every = sorted([*_reexports(plots, vars(plots)["_OTHERS"]), *charts], key=_order)
    return HEADER + "\n".join([*every, "", "__all__: list[str]", ""])


def _order(line: str) -> tuple[str, int, str]:
    """Imports as isort sorts them: constants, then classes, then functions."""
    words = line.split()
    name = words[3]
    return words[1], 0 if name.isupper() else 1 if name[0].isupper() else 2, name


def of_score_plots() -> str:
    """The stub of ``scores.plot``: every chart of scores, without its first argument."""
    homes = sorted({chart.function.__module__ for chart in of_scores().values()})
    lines = [
        "from collections.abc import Callable",
        "from typing import Concatenate, Generic, ParamSpec, TypeVar",
        "",
        "from rankprism.results.scores import Scores",
        f"from rankprism.showing.plots import {', '.join(home.rpartition('.')[2] for home in homes)}",
        "from rankprism.showing.plots.record import Chart",
        "",
        '_Arguments = ParamSpec("_Arguments")',
        '_Drawn = TypeVar("_Drawn", covariant=True)',
        "",
        "class _Method(Generic[_Arguments, _Drawn]):",
        "    def __init__(self, function: Callable[Concatenate[Scores, _Arguments], _Drawn]) -> None: ...",
        "    def __get__(self, plots: ScorePlots, owner: object) -> Callable[_Arguments, _Drawn]: ...",
        "",
        "class ScorePlots:",
        "    def __init__(self, scores: Scores) -> None: ...",
        *(
            f"    {name} = _Method({chart.function.__module__.rpartition('.')[2]}.{chart.name})"
            for name, chart in of_scores().items()
        ),
        "",
        "def of_scores() -> dict[str, Chart]: ...",
        "",
    ]
    return HEADER + "\n".join(lines)


def of_ir_measures() -> str:
    """The stub of `rankprism.ir_measures`."""
    own = ("RankprismMeasure", "RankprismProvider", "measure", "provider")
    names = [name for name in ir_measures.__all__ if name not in own]
    lines = [
        "import ir_measures",
        "",
        "from rankprism.ir_measures.evaluator import RankprismProvider as RankprismProvider",
        "from rankprism.ir_measures.objects import RankprismMeasure as RankprismMeasure",
        "from rankprism.ir_measures.objects import as_ir_measures",
        "",
        "__all__: list[str]",
        "measure = as_ir_measures",
        "provider: RankprismProvider",
        *(f"{name}: {'ir_measures.Measure' if name in KNOWN else 'RankprismMeasure'}" for name in names),
        "",
    ]
    return HEADER + "\n".join(lines)


def of_types() -> str:
    """`rankprism.types` with the names of the tests of systems."""
    path = PACKAGE / "types.py"
    words = ", ".join(f'"{name}"' for name in TESTS)
    line = f"TestName: TypeAlias = Literal[{words}]"
    if len(line) > 110:  # as ruff would break it
        line = f"TestName: TypeAlias = Literal[\n    {words}\n]"
    return re.sub(r"TestName: TypeAlias = Literal\[.*?\]", line, path.read_text(encoding="utf-8"), flags=re.S)


STUBS = {
    PACKAGE / "measures" / "__init__.pyi": of_measures,
    PACKAGE / "showing" / "plots" / "__init__.pyi": of_plots,
    PACKAGE / "showing" / "plots" / "of_scores.pyi": of_score_plots,
    PACKAGE / "ir_measures" / "__init__.pyi": of_ir_measures,
    PACKAGE / "types.py": of_types,
}

if __name__ == "__main__":
    for path, text in STUBS.items():
        path.write_text(text(), encoding="utf-8")
