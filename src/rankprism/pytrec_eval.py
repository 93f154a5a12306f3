"""The interface of pytrec_eval, computed by this package: ``import rankprism.pytrec_eval as pytrec_eval``.

Names, measures, scores and errors are those of pytrec-eval-terrier 0.5.11. What differs on purpose is listed
on the page "Coming from pytrec_eval".

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 2}}, {"map", "ndcg_cut.1,3"})
>>> evaluator.evaluate({"q1": {"d1": 1.5, "d2": 1.0}})
{'q1': {'map': 0.5, 'ndcg_cut_1': 0.0, 'ndcg_cut_3': 0.6309297535714575}}
"""

from __future__ import annotations

import math
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from rankprism._core import TrecEvaluator
from rankprism.errors import RankprismWarning
from rankprism.trec_eval import measures as known

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

#: The version of pytrec-eval-terrier whose interface this is. ir_measures looks for it.
__version__ = "0.5.11"

#: Measures of trec_eval 10 that pytrec_eval does not have. They can be asked for here, too.
_NEWER = {"dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj"}
_COMPUTED = [name for name, one in known.MEASURES.items() if one.needs in ("anything", "qrels")]

#: The measures that pytrec_eval supports.
supported_measures: set[str] = set(_COMPUTED) - _NEWER

#: Names for sets of measures.
supported_nicknames: dict[str, set[str]] = {
    name: set(found) - _NEWER for name, found in known.NICKNAMES.items()
}

# A measure and its parameters, as in ndcg_cut.5,10 or P_5.
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_WITH_PARAMETERS = re.compile(f"({'|'.join(_COMPUTED)})[._]({_NUMBER}(?:,{_NUMBER})*)")


class RelevanceEvaluator:
    """Score rankings by the judgments of their topics.

    Parameters
    ----------
    query_relevance : dict
        For each query, a dictionary with the relevance of its documents. Relevance may be real.
    measures : iterable of str
        Measures such as ``"map"``, with cutoffs or levels as in ``"ndcg_cut.5,10"`` or ``"P_5"``, or names
        for sets of measures such as ``"official"``.
    relevance_level : float
        The lowest relevance of a relevant document.
    judged_docs_only_flag : bool
        Whether to leave documents without a judgment out of rankings.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if isinstance(measures, str):
            raise ValueError(f"unsupported measure {measures}; give a set, such as {{{measures!r}}}")
        planned = _planned(frozenset(measures))
        if not isinstance(query_relevance, Mapping):
            raise TypeError("Argument query_relevance should be of type dictionary.")
        if isinstance(relevance_level, (str, bytes)) or not hasattr(relevance_level, "__float__"):
            raise TypeError(f"Argument relevance_level should be a number; got {relevance_level!r}.")
        if not relevance_level > 0:
            raise TypeError("Argument relevance_level should be positive.")
        self._evaluator = TrecEvaluator(planned, "9", float(relevance_level), bool(judged_docs_only_flag))
        if self._evaluator.judge(dict(query_relevance)):
            _note_real_grades()

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Score a run.

        Parameters
        ----------
        scores : dict
            For each query, a dictionary with the scores of its documents. Queries without judgments are
            ignored.

        Returns
        -------
        dict
            For each query of the run that has judgments, a dictionary with the values of the measures.
        """
        if not scores:
            return {}
        return self._evaluator.evaluate(scores)


@lru_cache(maxsize=256)
def _planned(measures: frozenset[str]) -> list[known.ForCore]:
    """Translate measures for the core, in the order in which trec_eval prints them."""
    parameters: dict[str, set[str]] = {}
    for measure in measures:
        for name in supported_nicknames.get(measure, (measure,)):
            if name in _COMPUTED:
                parameters.setdefault(name, set())
            elif found := _WITH_PARAMETERS.fullmatch(name):
                parameters.setdefault(found[1], set()).update(found[2].split(","))
            else:
                raise ValueError(f"unsupported measure {name}")
    planned = []
    for name, definition in known.MEASURES.items():
        if name in parameters:
            one = known.asked(definition, ",".join(sorted(parameters[name])))
            labels = one.labels if definition.parameters in ("cutoffs", "levels") else [name]
            planned.append(one._replace(labels=labels).for_core())
    return planned


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a run: query, Q0, document, rank, score and the name of the system.

    >>> dict(parse_run(["q1 Q0 d1 1 2.5 system"]))
    {'q1': {'d1': 2.5}}
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        query, _, document, _, score, _ = _columns(line, 6, "query, Q0, document, rank, score and system")
        if document in run[query]:
            raise AssertionError(f"document {document!r} of query {query!r} is ranked twice")
        run[query][document] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of judgments: query, a number that is ignored, document and relevance.

    Relevance is an `int`, or a `float` if it is real.

    >>> dict(parse_qrel(["q1 0 d1 2", "q1 0 d2 0.5"]))
    {'q1': {'d1': 2, 'd2': 0.5}}
    """
    qrel: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_qrel:
        query, _, document, relevance = _columns(line, 4, "query, 0, document and relevance")
        if document in qrel[query]:
            raise AssertionError(f"document {document!r} of query {query!r} is judged twice")
        try:
            qrel[query][document] = int(relevance)
        except ValueError:
            qrel[query][document] = float(relevance)
    return qrel


def _columns(line: str, number: int, expected: str) -> list[str]:
    columns = line.split()
    if len(columns) != number:
        raise ValueError(f"expected {expected}; got {line.strip()!r}")
    return columns


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Combine the values of all queries.

    The result is the sum of ``num_`` measures, the geometric mean of ``gm_`` measures, and the mean of all
    others.

    >>> compute_aggregated_measure("num_ret", [3, 4]), compute_aggregated_measure("map", [0.5, 1.0])
    (7.0, 0.75)
    """
    if measure.startswith("num_"):
        return float(math.fsum(values))
    if not len(values):
        return math.nan
    mean = math.fsum(values) / len(values)
    return math.exp(mean) if measure.startswith("gm_") else mean


_noted = False


def _note_real_grades() -> None:
    """Say once that real-valued judgments are used as they are."""
    global _noted
    if not _noted:
        _noted = True
        warnings.warn(
            "Some judgments are not whole numbers. pytrec_eval refuses them; here they are used as they are: "
            "a document is relevant if its grade reaches relevance_level, and its gain in nDCG is its grade.",
            RankprismWarning,
            stacklevel=3,
        )
