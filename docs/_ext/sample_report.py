"""The report of the sample collection, which is made with the site and not stored."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

from rankprism import sample
from rankprism.showing.report import make

#: The name of the report in the site, for links.
NAME = "sample-report.html"


def add_report(app: Sphinx, failure: Exception | None) -> None:
    """Put the report beside the pages, as docs/report.md shows it."""
    if failure is None:
        make(
            sample.QRELS,
            list(sample.RUNS),
            preferences=sample.PREFERENCES,
            weights=sample.WEIGHTS,
            depth=10,
            title="The sample collection",
        ).save(Path(app.outdir) / NAME)


def setup(app: Sphinx) -> None:
    app.connect("build-finished", add_report)
