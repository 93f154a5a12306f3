"""rankprism evaluates rankings by meanings, qualities and preferences, and tests evaluation measures.

    >>> import rankprism
    >>> scores = rankprism.evaluate({"q": {"a": {"d1": 1}, "b": {"d2": 1}}}, {"q": {"d2": 1.0}}, "StRecall")
    >>> scores.mean()
    {'run': {'StRecall': 0.5}}

The subpackages are loaded when they are first used: `measures`; `comparison`, which tests systems; `meta` and
`axioms`, which test measures; `aspects`, for judgments of several aspects; `preferences`, for evaluation from
preferences; `judges`, for machine judgments beside those of people; `plots`; `report`, which puts all of it
into one HTML file; `spark`, which evaluates on many machines; and `sample`, a small collection.
"""

import importlib
import os
import sys
from typing import Any

from rankprism.lazy import Shelved, attach, stubbed

# OpenBLAS, which numpy loads, starts a thread for each processor. By default an idle thread waits busily for
# 2²⁸ cycles, about 0.1 s, before it sleeps. Meanwhile it takes a processor from us, who load modules and read
# files. 2²⁰ cycles are less than a millisecond, and waking a thread that sleeps takes some microseconds.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")

#: What may change in any minor version: rooms of the package, with all that is in them, and single names. All
#: other public names are stable. docs/api.md says what this means, and each entry there has its mark.
PROVISIONAL = frozenset(
    {
        "aspects",
        "axioms",
        "boards",
        "judges",
        "meta",
        "plots",
        "preferences",
        "report",
        "reproduce",
        "spark",
        "Collection",
        "Hits",
        "Pool",
        "check_score_folder",
        "evaluate_into",
    }
)
__doc__ += f"""
These may change in any minor version, and all others are stable: {", ".join(sorted(PROVISIONAL))}.
"""

#: Every public name and its module. Type checkers read the same lines.
_HOME = stubbed(__file__)
sys.meta_path.insert(0, Shelved.of(__name__, __file__, _HOME))


def _names() -> list[str]:
    return [*(name for name in _HOME if name != "spark"), "__version__"]  # Spark is an extra


def _find(name: str) -> Any:
    if name == "__version__":
        # pyproject.toml has it, and the installed package knows it from there.
        from importlib.metadata import version

        return version("rankprism")
    if name not in _HOME:
        return None
    home = importlib.import_module(_HOME[name])
    # A room is a module of the package or of a shelf, and an attribute of it only once it is loaded. The
    # package itself cannot be asked: its answer is this function.
    value = vars(home).get(name) if home.__name__ == __name__ else getattr(home, name, None)
    value = value or importlib.import_module(f"{home.__name__}.{name}")
    globals()[name] = value
    return value


__getattr__, __dir__ = attach(__name__, _names, _find)
