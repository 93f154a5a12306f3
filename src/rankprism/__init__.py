"""rankprism evaluates rankings by meanings, qualities and preferences, and tests evaluation measures.

    >>> import rankprism
    >>> scores = rankprism.evaluate({"q": {"a": {"d1": 1}, "b": {"d2": 1}}}, {"q": {"d2": 1.0}}, "StRecall")
    >>> scores.mean()
    {'run': {'StRecall': 0.5}}

The subpackages are loaded when they are first used: `measures`; `comparison`, which tests systems; `meta` and
`axioms`, which test measures; `aspects`, for judgments of several aspects; `preferences`, for evaluation from
preferences; `plots`; `report`, which puts all of it into one HTML file; `spark`, which evaluates on many
machines; and `sample`, a small collection.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rankprism.errors import InputError, MeasureError, RankprismError, RankprismWarning

if TYPE_CHECKING:
    from rankprism import (
        aspects,
        axioms,
        comparison,
        measures,
        meta,
        plots,
        preferences,
        report,
        reproduce,
        sample,
    )
    from rankprism import spark as spark  # an extra, and so not in __all__
    from rankprism.comparison import compare
    from rankprism.data.hits import Hits, Pool
    from rankprism.data.judgments import Judgments
    from rankprism.data.preferences import Preferences
    from rankprism.data.run import Run
    from rankprism.data.scales import Scale
    from rankprism.evaluation import evaluate
    from rankprism.explanation import explain
    from rankprism.formats.judgments import read_judgments
    from rankprism.formats.preferences import read_preferences
    from rankprism.formats.runs import read_run
    from rankprism.formats.scores import read_scores
    from rankprism.measures import Measure, parse
    from rankprism.results.scores import Scores

    __version__: str

__all__ = [
    "Hits",
    "InputError",
    "Judgments",
    "Measure",
    "MeasureError",
    "Pool",
    "Preferences",
    "RankprismError",
    "RankprismWarning",
    "Run",
    "Scale",
    "Scores",
    "__version__",
    "aspects",
    "axioms",
    "compare",
    "comparison",
    "evaluate",
    "explain",
    "measures",
    "meta",
    "parse",
    "plots",
    "preferences",
    "read_judgments",
    "read_preferences",
    "read_run",
    "read_scores",
    "report",
    "reproduce",
    "sample",
]

_PACKAGES = (
    "aspects",
    "axioms",
    "comparison",
    "measures",
    "meta",
    "plots",
    "preferences",
    "report",
    "reproduce",
    "sample",
    "spark",
)
_HOME = {
    "Hits": "rankprism.data.hits",
    "Pool": "rankprism.data.hits",
    "Judgments": "rankprism.data.judgments",
    "Preferences": "rankprism.data.preferences",
    "Run": "rankprism.data.run",
    "Scale": "rankprism.data.scales",
    "Scores": "rankprism.results.scores",
    "compare": "rankprism.comparison",
    "evaluate": "rankprism.evaluation",
    "explain": "rankprism.explanation",
    "read_judgments": "rankprism.formats.judgments",
    "read_preferences": "rankprism.formats.preferences",
    "read_run": "rankprism.formats.runs",
    "read_scores": "rankprism.formats.scores",
    "Measure": "rankprism.measures",
    "parse": "rankprism.measures",
}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"rankprism.{name}")
    if name == "__version__":
        # pyproject.toml has it, and the installed package knows it from there.
        from importlib.metadata import version

        return version("rankprism")
    if name not in _HOME:
        raise AttributeError(f"module 'rankprism' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
