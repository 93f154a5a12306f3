# Written by tests/support/stubs.py.
# fmt: off
from collections.abc import Mapping
from typing import Any, Literal, Never, Self

from rankprism.measures import distances as distances
from rankprism.measures import verdicts as verdicts
from rankprism.measures.citations import CITATIONS as CITATIONS
from rankprism.measures.composition import compose as compose
from rankprism.measures.composition import mix as mix
from rankprism.measures.declare import measure as measure
from rankprism.measures.definition import Definition as Definition
from rankprism.measures.display import shown_name as shown_name
from rankprism.measures.form import Plain as Plain
from rankprism.measures.form import PlainPerAspect as PlainPerAspect
from rankprism.measures.grammar import parse as parse
from rankprism.measures.grammar import parse_all as parse_all
from rankprism.measures.identity import definition_of as definition_of
from rankprism.measures.known.prf import ideal_prf as ideal_prf
from rankprism.measures.known.prf import prf as prf
from rankprism.measures.known.prf import reaching as reaching
from rankprism.measures.measure import Measure as Measure
from rankprism.measures.parameter import Parameter as Parameter
from rankprism.measures.parameter import Role as Role
from rankprism.measures.parts import ratio as ratio
from rankprism.measures.preferences.hits import PreferenceHits as PreferenceHits
from rankprism.measures.preferences.hits import PreferencePool as PreferencePool
from rankprism.measures.preferences.hits import preference_batches as preference_batches
from rankprism.measures.preferences.judgment_groups import judgment_groups as judgment_groups
from rankprism.measures.preferences.utility import NONE as NONE
from rankprism.measures.preferences.utility import Comparisons as Comparisons
from rankprism.measures.preferences.utility import Counts as Counts
from rankprism.measures.preferences.utility import Place as Place
from rankprism.measures.preferences.utility import Shown as Shown
from rankprism.measures.preferences.utility import Utilities as Utilities
from rankprism.measures.preferences.utility import checked_documents as checked_documents
from rankprism.measures.preferences.utility import places_by_topic as places_by_topic
from rankprism.measures.preferences.utility import pooled as pooled
from rankprism.measures.preferences.utility import raw as raw
from rankprism.measures.preferences.utility import satiation as satiation
from rankprism.measures.preferences.utility import shown_by_topic as shown_by_topic
from rankprism.measures.preferences.utility import utilities as utilities
from rankprism.measures.registry import definitions as definitions
from rankprism.measures.registry import lookup as lookup
from rankprism.measures.registry import names as names

__all__: list[str]
class _Accuracy(Measure):
    """Accuracy: the share of pairs of a relevant and another retrieved document that are in the right order."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Accuracy: _Accuracy
class _CAM(Measure):
    """Convex aggregating measure: the weighted mean of a measure over the topic's aspects."""
    def __call__(self, *, measure: Measure = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
CAM: _CAM
class _MM(Measure):
    """Multidimensional measure: the weighted harmonic mean of a measure over the topic's aspects."""
    def __call__(self, *, measure: Measure = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
MM: _MM
class _Reached(Measure):
    """The mean of a measure over the aspects that a ranking reaches, as in TREC Dynamic Domain 2015."""
    def __call__(self, *, measure: Measure = ..., mean: Literal['arithmetic', 'harmonic'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Reached: _Reached
class _Aspect(Measure):
    """A measure of one aspect, such as credibility, which ignores all other aspects."""
    def __call__(self, *, measure: Measure = ..., aspect: str | None = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Aspect: _Aspect
class _Contrast(Measure):
    """The score on a good aspect minus the score on a bad one, such as helpful minus harmful documents."""
    def __call__(self, *, measure: Measure = ..., good: str = ..., bad: str = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Contrast: _Contrast
class _Compat(Measure):
    """Compatibility: the rank-biased overlap of a ranking with the ideal ranking most similar to it."""
    def __call__(self, *, p: float = ..., normalize: bool = ..., depth: int | None = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Compat: _Compat
class _StRecall(Measure):
    """Subtopic recall: the share of the topic's aspects that the first k documents serve."""
    def __call__(self, *, rel: float = ..., weighted: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
StRecall: _StRecall
class _S_RR(Measure):
    """Subtopic reciprocal rank: 1 divided by the rank at which a given share of the aspects is reached."""
    def __call__(self, *, level: float = ..., rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
S_RR: _S_RR
class _S_precision(Measure):
    """S-precision: the fewest documents that reach a share of the aspects, over the number the ranking needs."""
    def __call__(self, *, level: float = ..., rel: float = ..., nodes: int = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
S_precision: _S_precision
class _WS_precision(Measure):
    """Weighted S-precision: S-precision with costs, so that reaching an aspect twice costs more."""
    def __call__(self, *, level: float = ..., a: float = ..., b: float = ..., rel: float = ..., nodes: int = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
WS_precision: _WS_precision
class _Judged(Measure):
    """Judged: the share of the first k documents that are judged."""
    def __call__(self, *, judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Judged: _Judged
class _CT(Measure):
    """Cube test: gain per time, where an aspect adds no gain once it is satisfied."""
    def __call__(self, *, form: Literal['paper', 'trec-dd-2015', 'trec-dd-2016'] = ..., alpha: float = ..., saturation: float = ..., height: float = ..., batch: int = ..., rel: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
CT: _CT
class _nCT(Measure):
    """Normalised cube test: the CT of TREC Dynamic Domain divided by its upper bound."""
    def __call__(self, *, alpha: float = ..., height: float = ..., batch: int = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nCT: _nCT
class _ACT(Measure):
    """Average cube test: the mean of the CT of TREC Dynamic Domain on the way down the ranking."""
    def __call__(self, *, form: Literal['trec-dd-2015', 'trec-dd-2016'] = ..., alpha: float = ..., height: float = ..., batch: int = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
ACT: _ACT
class _nDCG_rel(Measure):
    """nDCG averaged over the relevant documents: the mean of nDCG at the rank of each of them."""
    def __call__(self, *, gains: Mapping[float, float] | None = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
nDCG_rel: _nDCG_rel
class _RnDCG(Measure):
    """nDCG at R levels: the mean of nDCG at the ranks at which the ideal ranking goes to a lower gain."""
    def __call__(self, *, gains: Mapping[float, float] | None = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
RnDCG: _RnDCG
class _binG(Measure):
    """Binary G: each relevant document counts less, the more documents above it are not relevant."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
binG: _binG
class _G(Measure):
    """Normalised gain: each gain counts less, the more gain an ideal ranking would have had by then."""
    def __call__(self, *, gains: Mapping[float, float] | None = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
G: _G
class _D_nDCG(Measure):
    """D-nDCG: nDCG of global gains."""
    def __call__(self, *, gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
D_nDCG: _D_nDCG
class _D_Q(Measure):
    """D-Q: the Q-measure of global gains."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
D_Q: _D_Q
class _DSharp_nDCG(Measure):
    """D#-nDCG: the weighted mean of D-nDCG and the share of intents that are reached."""
    def __call__(self, *, gamma: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
DSharp_nDCG: _DSharp_nDCG
class _DSharp_Q(Measure):
    """D#-Q: the weighted mean of D-Q and the share of intents that are reached."""
    def __call__(self, *, gamma: float = ..., beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
DSharp_Q: _DSharp_Q
class _DIN_nDCG(Measure):
    """DIN-nDCG: D-nDCG in which a navigational intent is satisfied by its first document."""
    def __call__(self, *, gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
DIN_nDCG: _DIN_nDCG
class _DINSharp_nDCG(Measure):
    """DIN#-nDCG: the weighted mean of DIN-nDCG and the share of intents that are reached."""
    def __call__(self, *, gamma: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
DINSharp_nDCG: _DINSharp_nDCG
class _P_plusQ(Measure):
    """P+Q: Q for informational intents and P+ for navigational intents."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
P_plusQ: _P_plusQ
class _P_plusQSharp(Measure):
    """P+Q#: the weighted mean of P+Q and the share of intents that are reached."""
    def __call__(self, *, gamma: float = ..., beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
P_plusQSharp: _P_plusQSharp
class _D_nERR(Measure):
    """D-nERR: normalised ERR of global gains, as in NTCIREVAL."""
    def __call__(self, *, gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
D_nERR: _D_nERR
class _D_EBR(Measure):
    """D-EBR: the expected blended ratio of global gains, as in NTCIREVAL."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
D_EBR: _D_EBR
class _D_iRBU(Measure):
    """D-iRBU: the intentwise rank-biased utility of global gains, as in NTCIREVAL."""
    def __call__(self, *, p: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
D_iRBU: _D_iRBU
class _D_RBP(Measure):
    """D-RBP: rank-biased precision of global gains, as in NTCIREVAL."""
    def __call__(self, *, p: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., digits: int | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
D_RBP: _D_RBP
class _P_at_recall(Measure):
    """Precision at full recall: the share of relevant documents, until all aspects are reached."""
    def __call__(self, *, rel: float = ..., form: Literal['trec-dd-2015', 'trec-dd-2016', 'new', 'share-new'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
P_at_recall: _P_at_recall
class _RR_at_recall(Measure):
    """Reciprocal rank at full recall: 1 divided by the rank at which all aspects are reached."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
RR_at_recall: _RR_at_recall
class _Q(Measure):
    """Q-measure: average precision in which the precision also takes gains into account."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Q: _Q
class _P_plus(Measure):
    """P+: the mean blended ratio of Q down to the best document, for users who want just one document."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
P_plus: _P_plus
class _GAP(Measure):
    """Graded average precision: AP for a user whose threshold of relevance is not known."""
    def __call__(self, *, levels: Literal['uniform', 'printed'] | Mapping[float, float] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
GAP: _GAP
class _nGAP(Measure):
    """Normalised GAP: the sum of GAP divided by the same sum for the best possible ranking."""
    def __call__(self, *, levels: Literal['uniform', 'printed'] | Mapping[float, float] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nGAP: _nGAP
class _Bpref(Measure):
    """Binary preference: how rarely a judged non-relevant document is ranked above a relevant one."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Bpref: _Bpref
class _infAP(Measure):
    """Inferred average precision: AP estimated from a sample of the pool."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
infAP: _infAP
class _IPrec(Measure):
    """Interpolated precision at a recall: the highest precision at this recall or a higher one."""
    def __call__(self, *, recall: float | None = ..., rel: float = ..., rounding: Literal['up', 'nearest'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
IPrec: _IPrec
class _IAP(Measure):
    """Interpolated average precision: the mean of IPrec over the recalls 0, 0.1, …, 1."""
    def __call__(self, *, recalls: list[Any] | tuple[Any, ...] = ..., rel: float = ..., rounding: Literal['up', 'nearest'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
IAP: _IAP
class _alpha_DCG(Measure):
    """α-DCG: discounted gain, where each document on an aspect lowers its worth by the share α."""
    def __call__(self, *, alpha: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., weighted: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
alpha_DCG: _alpha_DCG
class _alpha_nDCG(Measure):
    """α-nDCG: α-DCG divided by the α-DCG of the greedy ideal ranking."""
    def __call__(self, *, alpha: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., weighted: bool = ..., ideal: Literal['greedy', 'exact', 'per-aspect'] = ..., nodes: int = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
alpha_nDCG: _alpha_nDCG
class _ERR_IA(Measure):
    """Intent-aware expected reciprocal rank: how early users with different intents find what they want."""
    def __call__(self, *, alpha: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'probability'] = ..., max_rel: float | None = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
ERR_IA: _ERR_IA
class _nERR_IA(Measure):
    """Normalised ERR-IA: ERR-IA divided by the ERR-IA of the greedy ideal ranking."""
    def __call__(self, *, alpha: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'probability'] = ..., max_rel: float | None = ..., ideal: Literal['greedy', 'exact', 'per-aspect'] = ..., nodes: int = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nERR_IA: _nERR_IA
class _NRBP(Measure):
    """Novelty- and rank-biased precision: RBP in which each document on an aspect lowers its worth."""
    def __call__(self, *, alpha: float = ..., beta: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., weighted: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
NRBP: _NRBP
class _nNRBP(Measure):
    """Normalised NRBP: NRBP divided by the NRBP of the greedy ideal ranking."""
    def __call__(self, *, alpha: float = ..., beta: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., weighted: bool = ..., ideal: Literal['greedy', 'exact', 'per-aspect'] = ..., nodes: int = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nNRBP: _nNRBP
class _EU(Measure):
    """Expected utility: the gain that is new in each document, minus the effort of reading it."""
    def __call__(self, *, alpha: float = ..., e: float = ..., base: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
EU: _EU
class _RBU(Measure):
    """Rank-biased utility: what users still need from each document, minus the effort of reading it."""
    def __call__(self, *, p: float = ..., e: float = ..., form: Literal['reference', 'eq11'] = ..., rel: float = ..., gain: Literal['binary', 'linear', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RBU: _RBU
class _NuggetAll(Measure):
    """Nugget recall: the share of a topic's nuggets that an answer supports."""
    def __call__(self, *, strict: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
NuggetAll: _NuggetAll
class _NuggetVital(Measure):
    """Vital nugget recall: the share of a topic's vital nuggets that an answer supports."""
    def __call__(self, *, strict: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
NuggetVital: _NuggetVital
class _NuggetWeighted(Measure):
    """Weighted nugget recall: nugget recall in which an okay nugget counts half as much as a vital one."""
    def __call__(self, *, strict: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
NuggetWeighted: _NuggetWeighted
class _ppref(Measure):
    """Preference precision: the share of the judged pairs that the ranking has in the right order."""
    def __call__(self, *, cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
ppref: _ppref
class _wpref(Measure):
    """Weighted preference precision: preference precision in which pairs near the top weigh more."""
    def __call__(self, *, cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
wpref: _wpref
class _Prf(Measure):
    """The utility that a user gathers on the way down a ranking, estimated from people's preferences."""
    def __call__(self, *, browsing: Literal['rbp', 'dcg', 'rr', 'uniform'] | list[Any] | tuple[Any, ...] = ..., theta: float = ..., combine: Literal['mean', 'min', 'product'] = ..., unseen: Literal['zero', 'skip'] = ..., estimate: Literal['raw', 'pooled'] = ..., fallback: Literal['other', 'none'] = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Prf: _Prf
class _nPrf(Measure):
    """The utility that a user gathers, Prf, divided by the utility of an ideal ranking."""
    def __call__(self, *, browsing: Literal['rbp', 'dcg', 'rr', 'uniform'] | list[Any] | tuple[Any, ...] = ..., theta: float = ..., combine: Literal['mean', 'min', 'product'] = ..., unseen: Literal['zero', 'skip'] = ..., estimate: Literal['raw', 'pooled'] = ..., fallback: Literal['other', 'none'] = ..., ideal: Literal['greedy', 'exact'] = ..., nodes: int = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nPrf: _nPrf
class _SetP(Measure):
    """Set precision: the share of relevant documents among all that were retrieved."""
    def __call__(self, *, rel: float = ..., relative: bool = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetP: _SetP
class _SetR(Measure):
    """Set recall: the share of the relevant documents that were retrieved."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetR: _SetR
class _SetF(Measure):
    """Set F: the weighted harmonic mean of set precision and set recall."""
    def __call__(self, *, rel: float = ..., beta: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetF: _SetF
class _SetAP(Measure):
    """Set average precision: set precision times set recall."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetAP: _SetAP
class _RelP(Measure):
    """Relative precision: the precision at k divided by the highest possible one."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RelP: _RelP
class _Utility(Measure):
    """Set utility: what the retrieved documents are worth, less what the wrong ones cost."""
    def __call__(self, *, rel: float = ..., found: float = ..., wrong: float = ..., missed: float = ..., rest: float = ..., documents: int = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Utility: _Utility
class _P(Measure):
    """Precision: the share of relevant documents among the first k."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
P: _P
class _RR(Measure):
    """Reciprocal rank: 1 divided by the rank of the first relevant document."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RR: _RR
class _R(Measure):
    """Recall: the share of the relevant documents that are among the first k."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
R: _R
class _F1(Measure):
    """F1: the harmonic mean of precision and recall."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
F1: _F1
class _Success(Measure):
    """Success: 1 if one of the first k documents is relevant, and 0 otherwise."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Success: _Success
class _AP(Measure):
    """Average precision: the mean of the precision at the rank of each relevant document."""
    def __call__(self, *, rel: float = ..., normalize: bool = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
AP: _AP
class _Rprec(Measure):
    """R-precision: the precision at rank R, the number of relevant documents."""
    def __call__(self, *, rel: float = ..., times: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Rprec: _Rprec
class _DCG(Measure):
    """Discounted cumulative gain: the sum of the gains of all documents, discounted by rank."""
    def __call__(self, *, dcg: Literal['log2', 'exp-log2'] = ..., gains: Mapping[float, float] | None = ..., discount: Literal['burges', 'jk'] = ..., b: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
DCG: _DCG
class _nDCG(Measure):
    """Normalised discounted cumulative gain: DCG divided by the DCG of the best possible ranking."""
    def __call__(self, *, dcg: Literal['log2', 'exp-log2'] = ..., gains: Mapping[float, float] | None = ..., discount: Literal['burges', 'jk'] = ..., b: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nDCG: _nDCG
class _RBP(Measure):
    """Rank-biased precision: the gain of a user who goes on to the next document with probability p."""
    def __call__(self, *, p: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'share', 'probability'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RBP: _RBP
class _ERR(Measure):
    """Expected reciprocal rank: how early a user finds the first satisfying document and stops."""
    def __call__(self, *, max_rel: float = ..., gain: Literal['exp', 'linear', 'probability'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
ERR: _ERR
class _nERR(Measure):
    """Normalised expected reciprocal rank: ERR divided by the ERR of the best possible ranking."""
    def __call__(self, *, max_rel: float = ..., gain: Literal['exp', 'linear', 'probability'] = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nERR: _nERR
class _YAAP(Measure):
    """Smoothed average precision, "yet another average precision": the log odds of AP."""
    def __call__(self, *, rel: float = ..., fold: Literal['max', 'min', 'sum', 'mean', 'product'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
YAAP: _YAAP
class _TOMA(Measure):
    """Total order multi-aspect evaluation: the grade of a document says how close its labels are to the best."""
    def __call__(self, *, measure: Measure = ..., distance: str = ..., weights: Literal['step', 'exponential', 'top-half'] | list[Any] | tuple[Any, ...] = ..., tuples: Literal['product', 'valid', 'seen'] | list[Any] | tuple[Any, ...] = ..., best: list[Any] | tuple[Any, ...] | None = ..., weighted: bool = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
TOMA: _TOMA
class _prefs_num_prefs_poss(Measure):
    """The number of preferences that a ranking can fulfil, as trec_eval counts it."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_num_prefs_poss: _prefs_num_prefs_poss
class _prefs_num_prefs_ful(Measure):
    """The number of preferences that the ranking fulfils."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_num_prefs_ful: _prefs_num_prefs_ful
class _prefs_num_prefs_ful_ret(Measure):
    """The number of preferences between retrieved documents that the ranking fulfils."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_num_prefs_ful_ret: _prefs_num_prefs_ful_ret
class _prefs_simp(Measure):
    """The share of all preferences that the ranking fulfils."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_simp: _prefs_simp
class _prefs_pair(Measure):
    """The mean over pairs of documents of the share of their preferences that is fulfilled."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_pair: _prefs_pair
class _prefs_avgjg(Measure):
    """The mean over assessors of the share of their preferences that is fulfilled."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_avgjg: _prefs_avgjg
class _prefs_avgjg_Rnonrel(Measure):
    """The same as prefs_avgjg, with as many documents on level 0 as above it."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_avgjg_Rnonrel: _prefs_avgjg_Rnonrel
class _prefs_simp_ret(Measure):
    """The share of the preferences between retrieved documents that is fulfilled."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_simp_ret: _prefs_simp_ret
class _prefs_pair_ret(Measure):
    """The mean over pairs of retrieved documents of the share of their preferences that is fulfilled."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_pair_ret: _prefs_pair_ret
class _prefs_avgjg_ret(Measure):
    """The mean over assessors of the share of fulfilled preferences between retrieved documents."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_avgjg_ret: _prefs_avgjg_ret
class _prefs_avgjg_Rnonrel_ret(Measure):
    """The same as prefs_avgjg_ret, with as many documents on level 0 as above it."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_avgjg_Rnonrel_ret: _prefs_avgjg_Rnonrel_ret
class _prefs_simp_imp(Measure):
    """The share of fulfilled preferences among those with a retrieved document."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_simp_imp: _prefs_simp_imp
class _prefs_pair_imp(Measure):
    """The mean over pairs with a retrieved document of the share of fulfilled preferences."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_pair_imp: _prefs_pair_imp
class _prefs_avgjg_imp(Measure):
    """The mean over assessors of the share of fulfilled preferences with a retrieved document."""
    def __call__(self) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
prefs_avgjg_imp: _prefs_avgjg_imp
class _Unjudged(Measure):
    """Unjudged: the share of the first k documents that are not judged."""
    def __call__(self, *, judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Unjudged: _Unjudged
class _RBP_residual(Measure):
    """Residual of rank-biased precision: how much RBP could rise if everything unknown were relevant."""
    def __call__(self, *, p: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RBP_residual: _RBP_residual
class _Accuracy_IA(Measure):
    """Intent-aware Accuracy: the mean of Accuracy over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Accuracy_IA: _Accuracy_IA
class _Compat_IA(Measure):
    """Intent-aware Compat: the mean of Compat over the topic's aspects."""
    def __call__(self, *, p: float = ..., normalize: bool = ..., depth: int | None = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Compat_IA: _Compat_IA
class _nDCG_rel_IA(Measure):
    """Intent-aware nDCG_rel: the mean of nDCG_rel over the topic's aspects."""
    def __call__(self, *, gains: Mapping[float, float] | None = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
nDCG_rel_IA: _nDCG_rel_IA
class _RnDCG_IA(Measure):
    """Intent-aware RnDCG: the mean of RnDCG over the topic's aspects."""
    def __call__(self, *, gains: Mapping[float, float] | None = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
RnDCG_IA: _RnDCG_IA
class _binG_IA(Measure):
    """Intent-aware binG: the mean of binG over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
binG_IA: _binG_IA
class _G_IA(Measure):
    """Intent-aware G: the mean of G over the topic's aspects."""
    def __call__(self, *, gains: Mapping[float, float] | None = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
G_IA: _G_IA
class _Q_IA(Measure):
    """Intent-aware Q: the mean of Q over the topic's aspects."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Q_IA: _Q_IA
class _P_plus_IA(Measure):
    """Intent-aware P_plus: the mean of P_plus over the topic's aspects."""
    def __call__(self, *, beta: float = ..., gain: Literal['binary', 'linear', 'exp', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
P_plus_IA: _P_plus_IA
class _GAP_IA(Measure):
    """Intent-aware GAP: the mean of GAP over the topic's aspects."""
    def __call__(self, *, levels: Literal['uniform', 'printed'] | Mapping[float, float] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
GAP_IA: _GAP_IA
class _nGAP_IA(Measure):
    """Intent-aware nGAP: the mean of nGAP over the topic's aspects."""
    def __call__(self, *, levels: Literal['uniform', 'printed'] | Mapping[float, float] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nGAP_IA: _nGAP_IA
class _Bpref_IA(Measure):
    """Intent-aware Bpref: the mean of Bpref over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Bpref_IA: _Bpref_IA
class _infAP_IA(Measure):
    """Intent-aware infAP: the mean of infAP over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
infAP_IA: _infAP_IA
class _IPrec_IA(Measure):
    """Intent-aware IPrec: the mean of IPrec over the topic's aspects."""
    def __call__(self, *, recall: float | None = ..., rel: float = ..., rounding: Literal['up', 'nearest'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
IPrec_IA: _IPrec_IA
class _IAP_IA(Measure):
    """Intent-aware IAP: the mean of IAP over the topic's aspects."""
    def __call__(self, *, recalls: list[Any] | tuple[Any, ...] = ..., rel: float = ..., rounding: Literal['up', 'nearest'] = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
IAP_IA: _IAP_IA
class _SetP_IA(Measure):
    """Intent-aware SetP: the mean of SetP over the topic's aspects."""
    def __call__(self, *, rel: float = ..., relative: bool = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetP_IA: _SetP_IA
class _SetR_IA(Measure):
    """Intent-aware SetR: the mean of SetR over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetR_IA: _SetR_IA
class _SetF_IA(Measure):
    """Intent-aware SetF: the mean of SetF over the topic's aspects."""
    def __call__(self, *, rel: float = ..., beta: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetF_IA: _SetF_IA
class _SetAP_IA(Measure):
    """Intent-aware SetAP: the mean of SetAP over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
SetAP_IA: _SetAP_IA
class _RelP_IA(Measure):
    """Intent-aware RelP: the mean of RelP over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RelP_IA: _RelP_IA
class _Utility_IA(Measure):
    """Intent-aware Utility: the mean of Utility over the topic's aspects."""
    def __call__(self, *, rel: float = ..., found: float = ..., wrong: float = ..., missed: float = ..., rest: float = ..., documents: int = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Utility_IA: _Utility_IA
class _P_IA(Measure):
    """Intent-aware P: the mean of P over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
P_IA: _P_IA
class _RR_IA(Measure):
    """Intent-aware RR: the mean of RR over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RR_IA: _RR_IA
class _R_IA(Measure):
    """Intent-aware R: the mean of R over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
R_IA: _R_IA
class _F1_IA(Measure):
    """Intent-aware F1: the mean of F1 over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
F1_IA: _F1_IA
class _Success_IA(Measure):
    """Intent-aware Success: the mean of Success over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
Success_IA: _Success_IA
class _AP_IA(Measure):
    """Intent-aware AP: the mean of AP over the topic's aspects."""
    def __call__(self, *, rel: float = ..., normalize: bool = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
AP_IA: _AP_IA
class _Rprec_IA(Measure):
    """Intent-aware Rprec: the mean of Rprec over the topic's aspects."""
    def __call__(self, *, rel: float = ..., times: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
Rprec_IA: _Rprec_IA
class _DCG_IA(Measure):
    """Intent-aware DCG: the mean of DCG over the topic's aspects."""
    def __call__(self, *, dcg: Literal['log2', 'exp-log2'] = ..., gains: Mapping[float, float] | None = ..., discount: Literal['burges', 'jk'] = ..., b: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
DCG_IA: _DCG_IA
class _nDCG_IA(Measure):
    """Intent-aware nDCG: the mean of nDCG over the topic's aspects."""
    def __call__(self, *, dcg: Literal['log2', 'exp-log2'] = ..., gains: Mapping[float, float] | None = ..., discount: Literal['burges', 'jk'] = ..., b: float = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
nDCG_IA: _nDCG_IA
class _RBP_IA(Measure):
    """Intent-aware RBP: the mean of RBP over the topic's aspects."""
    def __call__(self, *, p: float = ..., rel: float = ..., gain: Literal['binary', 'linear', 'share', 'probability'] = ..., judged_only: bool = ..., cutoff: int | None = ...) -> Self: ...  # type: ignore[override]
RBP_IA: _RBP_IA
class _YAAP_IA(Measure):
    """Intent-aware YAAP: the mean of YAAP over the topic's aspects."""
    def __call__(self, *, rel: float = ..., judged_only: bool = ...) -> Self: ...  # type: ignore[override]
    def __matmul__(self, cutoff: Never) -> Never: ...  # type: ignore[override]
YAAP_IA: _YAAP_IA
