"""Tables and lists that a program can write. They are made with the site and not stored in its pages.

A page names what belongs in a place with a comment, and says below it where else a reader finds the same:

    <!-- all charts -->
    *The site has a table of all charts here. `rankprism plot --help` lists them, too.*

When the site is built, both lines give way to what is made. `python docs/_ext/tables.py docs/plots.md`
(`make page PAGE=docs/plots.md`) prints a page in this form.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import api
import commands
import toolkit
from gallery import page

from rankprism.formats.format import reference as formats_table
from rankprism.formats.known import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS
from rankprism.measures.catalogue import reference
from rankprism.measures.other_names import OTHER_NAMES, names_table
from rankprism.showing.plots.record import gallery
from rankprism.statistics.tests import tests_table

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parents[1]
#: The captions of the pictures, in the order in which the tests take them.
SCREENS = DOCS / "images" / "screens" / "captions.toml"

#: Results of simulations, which take too long to be made with the site.
RECORDED = DOCS.parent / "simulations" / "recorded"


def screens(role: str) -> str:
    """The screens of the web app that assessors or organisers see, each below its caption."""
    captions = tomllib.loads(SCREENS.read_text(encoding="utf-8"))[role]
    return "\n".join(
        f"{caption}:\n\n![{caption}](images/screens/{role}-{name}.webp)\n"
        for name, caption in captions.items()
    )


def names() -> str:
    """The names of each other program, below a heading."""
    programs = dict.fromkeys(record.program for record in OTHER_NAMES)
    return "\n".join(f"### Names of {program}\n\n{names_table(program)}" for program in programs)


def recorded(path: Path) -> str:
    """What a simulation of some hours found, as a table. Columns of numbers are set to the right."""
    head, *rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    numbers = [all(re.match(r"[-+–.\d]", row[column]) for row in rows) for column in range(len(head))]
    lines = [head, ["---:" if number else "---" for number in numbers], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def layers() -> str:
    """The layers that import-linter checks."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    [found] = [contract["layers"] for contract in contracts if contract["id"] == "layers"]
    return "```layers\n" + "\n".join(found) + "\n```\n"


#: What is made, by the words in the comment.
TABLES: dict[str, Callable[[], str]] = {
    "charts": gallery,
    "commands": commands.page,
    "layers": layers,
    "names of the API": api.page,
    "measures": reference,
    "judgment formats": partial(formats_table, JUDGMENT_FORMATS),
    "preference formats": partial(formats_table, PREFERENCE_FORMATS),
    "run formats": partial(formats_table, RUN_FORMATS),
    "tests": tests_table,
    "toolkit": toolkit.page,
    "screens of assessors": partial(screens, "assessor"),
    "screens of organisers": partial(screens, "organiser"),
    "names of other programs": names,
    "pictures": lambda: f"{page(DOCS / 'pictures.py')}\n",
    **{f"recorded {path.stem}": partial(recorded, path) for path in RECORDED.glob("*.tsv")},
}


def with_tables(text: str) -> str:
    """A page as the site shows it. An unknown name is an error."""
    return re.sub(r"^<!-- all (.*) -->\n\*.*\*\n", lambda found: f"{TABLES[found[1]]()}", text, flags=re.M)


def fill_in(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Put the tables into a page that Sphinx has read."""
    source[0] = with_tables(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        sys.stdout.write(with_tables(Path(name).read_text(encoding="utf-8")))
