"""Compare the tables in docs/reproduction with what the commands of their pages compute now.

`make reproduction` calls it, and so does a release. The collections are not in the repository, so it needs
the folder that has them: `python docs/reproduced.py FOLDER [PAGE...]`. With --refresh, it puts new
intervals into the pages where a number is the same and its interval is not.

The commands of a page are those of its blocks of sh and of its comments `<!-- also`. They run in a scratch
folder that has links to the collections and the page's own TOML files. `RUN...` stands for all runs of the
collection that a command names, with those that were converted before in the place of the originals.

A cell such as `.94 [.76, 1.00]` agrees if a command prints this number and this interval, with as many
digits. If the commands have this number in a row of the same name, the interval has to be there. Columns of
printed numbers are not compared, nor are tables of claims, nor a table below the comment `<!-- not
compared: REASON -->`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PAGES = sorted((Path(__file__).parent / "reproduction").glob("*.md"))
NUMBER = r"[-−+]?\d*\.\d+"
CELL = re.compile(rf"({NUMBER})(?:–({NUMBER}))?(?: \[({NUMBER}), ({NUMBER})\])?")
#: A table with such a column is about claims, and its cells are parts of sentences.
PROSE = {"command", "status", "differs because", "why"}


class Computed(NamedTuple):
    """A cell that a command printed."""

    row: str
    value: float
    low: float | None
    high: float | None

    def reads(self, number: str, low: str | None = None, high: str | None = None) -> bool:
        """Whether it is written like this; without an interval, whatever the interval is."""
        ends = low is None or (_same(self.low, low) and _same(self.high, high))
        return _same(self.value, number) and ends


class Difference(NamedTuple):
    """A cell of a page that none of its commands prints."""

    line: int
    cell: str
    intervals: tuple[str, ...]  #: those that the commands print with the same number


def _same(value: float | None, text: str | None) -> bool:
    if value is None or text is None:
        return False
    digits = len(text.rpartition(".")[2])
    return f"{value:.{digits}f}" == f"{float(text.replace('−', '-')):.{digits}f}"


def commands(text: str) -> list[str]:
    """The commands of a page, each on one line."""
    blocks = re.findall(r"^```sh\n(.*?)^```|^<!-- also\n(.*?)^-->", text, re.M | re.S)
    lines = "".join(shown or hidden for shown, hidden in blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if re.match(r"mkdir |rankprism (convert|reproduce|meta) ", line)]


def with_runs(command: str, folder: Path, converted: Sequence[str]) -> str:
    """The command with the runs that `RUN...` stands for."""
    collection = re.search(r"([\w-]+)/", command)
    if "RUN..." not in command or collection is None:
        return command
    instead = {Path(new).name: new for new in converted if f"{collection[1]}/" in new}
    runs = [f"{collection[1]}/runs/{run.name}" for run in sorted((folder / collection[1] / "runs").iterdir())]
    chosen = [instead.get(Path(run).name.removesuffix(".gz"), run) for run in runs]
    return command.replace("RUN...", " ".join(chosen))


def computed(text: str, data: Path) -> list[Computed]:
    """Every cell that the commands of a page print."""
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for collection in data.iterdir():
            if collection.is_dir():
                (folder / collection.name).symlink_to(collection.resolve())
        for name, toml in re.findall(r"^```toml\n# (\S+)\n(.*?)^```", text, re.M | re.S):
            (folder / name).write_text(toml, encoding="utf-8")
        converted: list[str] = []
        for line in commands(text):
            command = with_runs(line, folder, converted)
            if line.startswith("rankprism convert"):
                converted.append(next(word for word in line.split() if word.endswith(".run")))
            if reproduces := not re.match(r"mkdir |rankprism convert ", line):
                command += " --format json --quiet"
            command = re.sub("^rankprism", f"{sys.executable} -X utf8 -m rankprism", command)
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, env=os.environ, check=False
            )
            if done.returncode:
                raise SystemExit(f"{line}\nfailed, see above")
            if reproduces:
                found += [
                    Computed(str(row["row"]), number, row["low"], row["high"])
                    for row in json.loads(done.stdout)["rows"]
                    if (number := _number(row)) is not None
                ]
    return found


def _number(row: dict[str, Any]) -> float | None:
    """The number of a cell, which may be written with a mark, as in "+0.1529 ▲"."""
    marked = re.fullmatch(r"([-+]\d+\.\d+)( [▲▼])?", row["text"] or "")
    return row["value"] if marked is None else float(marked[1])


def tables(text: str) -> Iterator[list[tuple[int, list[str]]]]:
    """The tables of a page that are compared, as numbered lines of cells; the first line is the header."""
    table: list[tuple[int, list[str]]] = []
    skipped = False
    for number, line in enumerate([*text.splitlines(), ""]):
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            table.append((number, cells))
            continue
        if table and not skipped and not PROSE & set(table[0][1]):
            yield [table[0], *table[2:]]
        if table:
            table, skipped = [], False
        skipped = skipped or line.startswith("<!-- not compared: ")


def differences(text: str, found: Sequence[Computed]) -> tuple[int, list[Difference]]:
    """How many cells agree, and those that do not."""
    rows: dict[str, list[Computed]] = {}
    for one in found:
        rows.setdefault(one.row, []).append(one)
    agree, differ = 0, []
    for (_, header), *lines in tables(text):
        for number, cells in lines:
            named = next((rows[name] for name in cells if name in rows), ())
            for column, cell in zip(header, cells, strict=True):
                parts = CELL.fullmatch(cell)
                if parts is None or "printed" in column or "printed" in cells[0]:
                    continue
                value, other, low, high = parts.groups()
                # A row of another table may have the same name, and then it has other numbers.
                among = named if any(one.reads(value) for one in named) else found
                same = any(one.reads(value, low, high) for one in among)
                if same and (other is None or any(one.reads(other) for one in among)):
                    agree += 1
                    continue
                digits = len((low or ".00").rpartition(".")[2])
                ends = {
                    f"[{one.low:.{digits}f}, {one.high:.{digits}f}]"
                    for one in among
                    if one.reads(value) and one.low is not None and one.high is not None
                }
                differ.append(Difference(number, cell, tuple(sorted(ends))))
    return agree, differ


def refreshed(text: str, differ: Sequence[Difference]) -> str:
    """The page with new intervals, where the commands print a single one with the same number."""
    lines = text.splitlines(keepends=True)
    for one in differ:
        if len(one.intervals) == 1 and "[" in one.cell:
            new = re.sub(r"\[.*\]", one.intervals[0], one.cell)
            if re.search(r"\[-?\.", one.cell):  # pages with .94 instead of 0.94
                new = re.sub(r"(?<=[\[ -])0\.", ".", new)
            lines[one.line] = lines[one.line].replace(one.cell, new)
    return "".join(lines)


def main(words: Sequence[str]) -> int:
    data, *named = [word for word in words if not word.startswith("-")]
    if not Path(data).is_dir():
        print(f"{data}: no such folder; name the folder that has the collections of docs/reproduction")
        return 2
    failed = False
    for page in [Path(name) for name in named] or PAGES:
        text = page.read_text(encoding="utf-8")
        agree, differ = differences(text, computed(text, Path(data)))
        if "--refresh" in words:
            page.write_text(refreshed(text, differ), encoding="utf-8", newline="\n")
        for one in differ:
            others = f"; with this number the commands print {', '.join(one.intervals)}" * bool(one.intervals)
            print(f"{page.name}, line {one.line + 1}: no command of the page prints {one.cell}{others}")
        print(f"{page.name}: {agree} cells agree, {len(differ)} do not")
        failed = failed or bool(differ) or not agree
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
