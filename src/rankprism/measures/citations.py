"""The publications that define the measures, from the BibTeX entries in `citations.bib`."""

import re
from importlib.resources import files
from typing import NamedTuple


class Citation(NamedTuple):
    """A publication."""

    bibtex: str
    authors: str
    title: str
    venue: str
    year: int

    @property
    def text(self) -> str:
        return f"{self.authors.replace(' and ', ', ')}. {self.title}. {self.venue}, {self.year}."


def _read(entry: str) -> Citation:
    field = dict(re.findall(r"(\w+) = \{(.*)\}", entry))
    venue = next(field[kind] for kind in ("journal", "booktitle", "publisher") if kind in field)
    return Citation(entry, field["author"], field["title"], venue, int(field["year"]))


_ENTRIES = files("rankprism.measures").joinpath("citations.bib").read_text("utf-8").strip().split("\n\n")
#: The publications by key.
CITATIONS = {entry[entry.index("{") + 1 : entry.index(",")]: _read(entry) for entry in _ENTRIES}
