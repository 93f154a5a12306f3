"""`rankprism reproduce`: the tables and figures of papers, computed for a collection."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankprism.cli.commands.aspects import SINGLE, TOMA, toma_settings
from rankprism.cli.door import CHART, Group, Option, Part, takes
from rankprism.cli.frame import Call, analysis
from rankprism.cli.reading import Read, load_measures, read_collection, read_subtopics
from rankprism.cli.shared import MEASURES_FILE, PROFILES, as_path
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.data import Judgments
    from rankprism.reproduce import Reproduction

reproduce = Group(
    "reproduce",
    "Compute the tables and figures of a paper.\n\nThe computed numbers are shown beside the printed ones. "
    "Without files, the sample collection is used.",
)


def _read(judged: Callable[[], Judgments] | None = None, like: Part = read_collection) -> Part:
    """A reader of the collection that is named, or of the sample if no files are named.

    judged : makes the judgments of the sample, if they are not those of its files.
    like : the reader whose options it has.
    """

    @takes(like)
    def read(**given: Any) -> Read:
        from rankprism.data import sample

        if given["files"]:
            found: Read = read_collection(**given)
            if found.preferences is not None and found.judgments is not None:
                raise InputError("preferences are not used here; name absolute judgments and runs only")
            return found
        given["files"] = [str(sample.QRELS), *map(str, sample.RUNS)]
        if judged is None and "weights" in given:
            given["weights"] = given["weights"] or str(sample.WEIGHTS)
        found = read_collection(**given)
        return found if judged is None else replace(found, collection=found.collection.judged_by(judged()))

    return read


_subtopics = _read(like=read_subtopics)


def _sample_aspects() -> Judgments:
    from rankprism.reproduce.toma import sample_aspects

    return sample_aspects()


def _figures(paper: str) -> Part:
    """Draws the figures of a paper as SVG files, which are named after the paper and the figure."""

    @takes(
        Option(
            "--figures",
            type=as_path,
            metavar="FOLDER",
            completes="complete_file",
            help="Also draw the figures of the paper, as SVG files.",
            group=CHART,
        )
    )
    def draw_figures(found: Reproduction, figures: Path | None = None) -> None:
        if figures is None:
            return
        from rankprism.results import Scores
        from rankprism.showing.plots import draw, intervals, irec, save

        figures.mkdir(parents=True, exist_ok=True)
        for name, result in found.figures.items():
            if not isinstance(result, Scores):
                chart = draw(result)
            elif "I-rec" in result.measures:
                first, second = result.measures
                chart = irec(result, first, second)
            else:
                chart = intervals(result)
            words = re.findall(r"[A-Za-z0-9#]+", name)
            save(chart, figures / f"{'-'.join([paper, *words]).lower()}.svg")

    return draw_figures


@analysis("reproduce.rbu:rbu", what="drawing", reads=_read(), of=reproduce)
def rbu(read: Read, call: Call) -> Any:
    """Axioms and Metric Unanimity (Amigó and others 2018).

    Tables 1 to 3.

    \b
    rankprism reproduce rbu
    rankprism reproduce rbu qrels.txt runs/*.run --repetitions 50
    """
    return _computed(read, call)


@analysis(
    "reproduce.dsharp:dsharp", what="resampling", reads=_read(), finish=_figures("dsharp"), of=reproduce
)
def dsharp(read: Read, call: Call) -> Any:
    """D#-measures (Sakai and Song 2011).

    Tables 1 to 7 and Figures 1 to 3.

    \b
    rankprism reproduce dsharp
    rankprism reproduce dsharp qrels.txt runs/*.run --weights probabilities.txt
    rankprism reproduce dsharp qrels.txt runs/*.run --sample 20 --seed 1
    """
    return _computed(read, call)


@analysis(
    "reproduce.toma:toma",
    SINGLE,
    MEASURES_FILE,
    TOMA,
    what="resampling",
    reads=_read(_sample_aspects),
    finish=_figures("toma"),
    of=reproduce,
)
def toma(
    read: Read, call: Call, measure: list[str] | None, measures_file: list[Path] | None, toma: str | None
) -> Any:
    """CAM, MM and TOMA (Maistro and others 2021).

    Tables 1 and 3 to 6, and Figures 1 and 2. It needs judgments of several aspects. Those of the sample are
    relevance, and whether a document serves several subtopics.

    \b
    rankprism reproduce toma
    rankprism reproduce toma qrels.toml runs/*.run -m nDCG@10
    """
    load_measures(measures_file)
    return _computed(read, call, measures=measure or ["nDCG", "AP"], settings=toma_settings(toma))


@analysis(
    "reproduce.preferences:preferences",
    PROFILES,
    what="simulating",
    reads=_subtopics,
    finish=_figures("preferences"),
    leaves=("novelty",),
    of=reproduce,
)
def preferences(read: Read, call: Call, profiles: str | None) -> Any:
    """Measures of preferences (Chandar and Carterette 2013).

    Tables 2 and 3, and Figures 2 to 6.

    \b
    rankprism reproduce preferences
    rankprism reproduce preferences qrels.txt runs/*.run --profiles profiles.txt
    """
    return call(read.absolute, list(read.runs), profiles=profiles, **read.reading)


def _computed(read: Read, call: Call, **more: Any) -> Any:
    return call(read.collection, **more)
