"""Makes the measures of rankprism available in ir_measures, and so in PyTerrier.

Importing this module registers the measures and the provider that computes them. The import is needed because
ir_measures 0.4 does not look for providers in other packages.

    >>> import ir_measures
    >>> from rankprism.ir_measures import RBU, DSharp_nDCG, alpha_nDCG
    >>> qrels = [
    ...     ir_measures.Qrel("q1", "d1", 1, "jaguar-car"),
    ...     ir_measures.Qrel("q1", "d2", 1, "jaguar-cat"),
    ... ]
    >>> run = {"q1": {"d1": 2.0, "d3": 1.0}}
    >>> measures = [RBU @ 20, DSharp_nDCG @ 10, alpha_nDCG(alpha=0.1) @ 20]
    >>> found = ir_measures.calc_aggregate(measures, qrels, run)
    >>> {str(measure): round(found[measure], 4) for measure in measures}
    {'RBU@20': 0.0392, 'DSharp_nDCG@10': 0.5566, 'alpha_nDCG(alpha=0.1)@20': 0.6131}

For a measure that ir_measures has, too, such as `alpha_nDCG`, its own object is used. `measure` makes an
object from any name that rankprism reads.
"""

from __future__ import annotations

import sys
from typing import Any

try:
    import ir_measures
except ModuleNotFoundError:
    from rankprism.errors import install

    _MISSING = f"rankprism.ir_measures needs one more package: {install('ir-measures')}"
    if sys.argv[:1] == ["-m"] and __name__ in sys.orig_argv:  # python -m rankprism.ir_measures
        print(_MISSING, file=sys.stderr)
        sys.exit(2)
    raise ImportError(_MISSING) from None

from rankprism.ir_measures.evaluator import RankprismProvider
from rankprism.ir_measures.objects import KNOWN, RankprismMeasure
from rankprism.ir_measures.objects import as_ir_measures as measure
from rankprism.lazy import attach
from rankprism.measures import definitions, lookup, names

__all__ = ["RankprismMeasure", "RankprismProvider", "measure", "provider"]
#: Preference measures are left out, because the qrels of ir_measures cannot hold preferences.
__all__ += [name for name in names() if lookup(name).needs == "judgments"]


def _registered() -> RankprismProvider:
    """Register the measures and the provider with ir_measures, and return the provider."""
    aliases = {alias: d.name for d in definitions() if d.needs == "judgments" for alias in d.aliases}
    own = {name: name for name in names() if lookup(name).needs == "judgments"}
    for spelling, name in (aliases | own).items():
        # The grammar of ir_measures reads only Python names.
        if spelling not in KNOWN and spelling.isidentifier():
            ir_measures.measures.register(_find(name), name=spelling)
    found = RankprismProvider()
    ir_measures.providers.register(found)
    # Our provider comes before pyndeval, which returns wrong scores for two values of alpha in one call and
    # for interleaved topics, and fails with judged_only. The providers before it keep their measures.
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline.insert(pipeline.index(ir_measures.pyndeval), found)
    return found


def _find(name: str) -> Any:
    """Find a measure by its name: the object of ir_measures, if it has one."""
    if name not in names():
        return None
    return KNOWN[name] if name in KNOWN else RankprismMeasure(lookup(name))


__getattr__, __dir__ = attach(__name__, lambda: __all__, _find)
provider: Any = _registered()
