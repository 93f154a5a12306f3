"""Writes src/rankprism/results/schemas.json from what the commands print: `python -m tests.support.schemas`.

With arguments, only these shapes are observed again: `python -m tests.support.schemas gate 'compare
--by-topic'`.

Each shape is a command, perhaps with an option that changes the columns, and the calls that show it.
A column that some rows or calls lack is optional.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rankprism.cli.app import every_command
from tests.cli.test_quiet import COLLECTION, COMMANDS, MEASURES, prepared

RECORD = Path(__file__).parents[2] / "src" / "rankprism" / "results" / "schemas.json"
#: More calls of a command, and shapes that an option makes. The first call of a command is in `COMMANDS`.
MORE: dict[str, list[str]] = {
    "evaluate": [
        f"{COLLECTION} {MEASURES} --per-topic",
        f"{COLLECTION} {MEASURES} --intervals",
        "sample/preferences.tsv sample/runs/diversified.run -m nPrf@10",
        "sample/qrels.txt sample/runs/noisy.run --preferences answer.tsv -m P@5 -m nPrf@10 -q",
    ],
    "evaluate --wide": [f"{COLLECTION} {MEASURES} --wide", f"{COLLECTION} -m P@5 --wide --intervals"],
    "evaluate --by": ["sample/preferences.tsv sample/runs/noisy.run -m nPrf@10 --by assessor -q"],
    "evaluate --into": [f"{COLLECTION} {MEASURES} --into stored -q"],
    "compare": [
        f"{COLLECTION} {MEASURES} --margin 0.1",
        f"{COLLECTION} -m P@5 --test fisher --baseline noisy -q",
    ],
    "compare --by-topic": [f"{COLLECTION} {MEASURES} --by-topic"],
    "judges score": ["sample/qrels.txt sample/runs/noisy.run --judge j=sample/qrels.txt -m P@10"],
    "judges strengths": ["votes.tsv --judge j=votes.tsv -q"],
    "meta disagreement": [f"{COLLECTION} sample/runs/redundant.run -m P@10 -m StRecall@10"],
    "explain": [
        f"{COLLECTION} -m nDCG_IA@10 -m P@10 --topic jaguar",
        "sample/preferences.tsv sample/runs/noisy.run -m nPrf@10 --topic jaguar -q",
    ],
}
#: The fixed columns of shapes whose other columns are named after measures or aspects, and their type.
FIXED = {
    "evaluate --wide": ({"run", "topic"}, "number"),
    "aspects order": ({"measured by", "class", "weight", "distance"}, "text"),
}
#: Columns that name something are never undefined, and some numbers are undefined in all calls.
IDS = {"run", "topic", "measure", "other", "doc", "file", "state"}
NUMBERS = ("low", "high", "p")
Run = Callable[[str], str]


def with_json() -> Iterator[str]:
    """The words of every command that can print JSON."""
    for words, command in every_command().items():
        for option in command.params:
            if option.name == "format" and "json" in getattr(option.type, "choices", ()):
                yield " ".join(words)


def calls(shape: str) -> list[str]:
    """How the command of a shape is called. Every call prints JSON on standard output."""
    command = shape.partition(" --")[0]
    first = [COMMANDS[command]] if shape == command else []
    return [f"{command} {words} --format json -o -" for words in (*first, *MORE.get(shape, ()))]


def shapes() -> list[str]:
    every = list(with_json())
    return [*every, *(shape for shape in MORE if shape not in every)]


def kind_of(column: str, values: list[Any]) -> str:
    """The type of a column, by its values."""
    if column in IDS and all(isinstance(x, str) for x in values):
        return "id"
    known = [x for x in values if x is not None and x not in ("inf", "-inf")]
    for kind, types in (("flag", bool), ("text", str), ("list", list)):
        if known and all(isinstance(x, types) for x in known):
            return kind
    if known and all(isinstance(x, int | float) and not isinstance(x, bool) for x in known):
        return "number"
    return "number" if not known and column.rpartition(" ")[2] in NUMBERS else "value"


def observed(shape: str, printed: list[dict[str, Any]]) -> dict[str, Any]:
    """The shape of what the calls printed."""
    rows = [row for one in printed for row in one["rows"]]
    fixed, others = FIXED.get(shape, (None, None))
    names = [n for n in dict.fromkeys(n for row in rows for n in row) if fixed is None or n in fixed]
    always = [name for name in names if all(name in row for row in rows)]
    kinds = {name: kind_of(name, [row[name] for row in rows if name in row]) for name in names}
    about = [key for key in printed[0]["about"] if all(key in one["about"] for one in printed)]
    return {
        "columns": {name: kinds[name] for name in always},
        "optional": {name: kinds[name] for name in names if name not in always},
        "about": about,
        **({} if others is None else {"others": others}),
    }


def main() -> None:
    command = Path(sys.executable).parent / "rankprism"
    with tempfile.TemporaryDirectory() as temporary:
        folder = prepared(Path(temporary), command)
        known = json.loads(RECORD.read_text(encoding="utf-8"))
        found = {}
        for shape in shapes():
            if sys.argv[1:] and shape not in sys.argv[1:]:
                found[shape] = known[shape]
                continue
            printed = []
            for line in calls(shape):
                words = [str(command), *shlex.split(line)]
                done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8")
                if not done.stdout:
                    sys.exit(f"{line}\n{done.stderr}")
                printed.append(json.loads(done.stdout))
            found[shape] = observed(shape, printed)
            print(shape, file=sys.stderr)
    RECORD.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
