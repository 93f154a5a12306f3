# Written by tests/stubs.py.
# fmt: off
import ir_measures

from rankprism.ir_measures.evaluator import RankprismProvider as RankprismProvider
from rankprism.ir_measures.objects import RankprismMeasure as RankprismMeasure
from rankprism.ir_measures.objects import as_ir_measures

__all__: list[str]
measure = as_ir_measures
provider: RankprismProvider
CAM: RankprismMeasure
MM: RankprismMeasure
Reached: RankprismMeasure
Aspect: RankprismMeasure
Contrast: RankprismMeasure
Compat: ir_measures.Measure
StRecall: ir_measures.Measure
S_RR: RankprismMeasure
S_precision: RankprismMeasure
WS_precision: RankprismMeasure
Judged: ir_measures.Measure
CT: RankprismMeasure
nCT: RankprismMeasure
ACT: RankprismMeasure
P_at_recall: RankprismMeasure
RR_at_recall: RankprismMeasure
D_nDCG: RankprismMeasure
D_Q: RankprismMeasure
DSharp_nDCG: RankprismMeasure
DSharp_Q: RankprismMeasure
DIN_nDCG: RankprismMeasure
DINSharp_nDCG: RankprismMeasure
P_plusQ: RankprismMeasure
P_plusQSharp: RankprismMeasure
D_nERR: RankprismMeasure
D_EBR: RankprismMeasure
D_iRBU: RankprismMeasure
D_RBP: RankprismMeasure
Q: RankprismMeasure
P_plus: RankprismMeasure
GAP: RankprismMeasure
nGAP: RankprismMeasure
Bpref: ir_measures.Measure
infAP: ir_measures.Measure
alpha_DCG: ir_measures.Measure
alpha_nDCG: ir_measures.Measure
ERR_IA: ir_measures.Measure
nERR_IA: ir_measures.Measure
NRBP: ir_measures.Measure
nNRBP: ir_measures.Measure
EU: RankprismMeasure
RBU: RankprismMeasure
NuggetAll: RankprismMeasure
NuggetVital: RankprismMeasure
NuggetWeighted: RankprismMeasure
P: ir_measures.Measure
RR: ir_measures.Measure
R: ir_measures.Measure
F1: RankprismMeasure
Success: ir_measures.Measure
AP: ir_measures.Measure
Rprec: ir_measures.Measure
DCG: RankprismMeasure
nDCG: ir_measures.Measure
RBP: ir_measures.Measure
ERR: ir_measures.Measure
nERR: RankprismMeasure
TOMA: RankprismMeasure
Compat_IA: RankprismMeasure
Q_IA: RankprismMeasure
P_plus_IA: RankprismMeasure
GAP_IA: RankprismMeasure
nGAP_IA: RankprismMeasure
Bpref_IA: RankprismMeasure
infAP_IA: RankprismMeasure
P_IA: ir_measures.Measure
RR_IA: RankprismMeasure
R_IA: RankprismMeasure
F1_IA: RankprismMeasure
Success_IA: RankprismMeasure
AP_IA: ir_measures.Measure
Rprec_IA: RankprismMeasure
DCG_IA: RankprismMeasure
nDCG_IA: RankprismMeasure
RBP_IA: RankprismMeasure
