"""What each measure was compared with, and how closely. The comparisons themselves are in `tests`."""

from __future__ import annotations

_NDEVAL = "ndeval 4.5 on 27 runs of TREC Web 2009, 2012, 2014 (its 6 decimals); pyndeval 0.0.8 (1e-9)"
_TREC_EVAL = "trec_eval through pytrec_eval (1e-9)"
_NTCIREVAL = "NTCIREVAL 230128 on 27 runs of TREC Web 2009, 2012, 2014 (its 4 decimals)"
_PAPER = "Sakai & Song 2011's definitions, worked by hand (1e-12)"
_TREC_DD = "TREC Dynamic Domain's scorer as described in its source"

#: Beside the slow implementation from the definition, which every measure is compared with to 1e-10.
CHECKED = {
    **dict.fromkeys(
        ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA"), _NDEVAL
    ),
    "StRecall": f"{_NDEVAL}; I-rec of {_NTCIREVAL}",
    **dict.fromkeys(("P", "RR", "AP", "Rprec"), _TREC_EVAL),
    "nDCG": f"{_TREC_EVAL}; gdeval (its 5 decimals)",
    "ERR": "gdeval (its 5 decimals)",
    **dict.fromkeys(("Q", "GAP", "nGAP", "nERR"), _PAPER),
    **dict.fromkeys(("D_nDCG", "D_Q", "DSharp_nDCG", "DSharp_Q"), f"{_NTCIREVAL}; {_PAPER}"),
    **dict.fromkeys(("D_nERR", "D_EBR", "D_iRBU", "D_RBP"), _NTCIREVAL),
    **dict.fromkeys(("DIN_nDCG", "DINSharp_nDCG"), "NTCIREVAL's documented sample topic (its 4 decimals)"),
    "Compat": "100 runs of TREC Health Misinformation 2021, Decision 2019 and Deep Learning 2021 (1e-12)",
    "CAM": "5 runs of TREC Health Misinformation 2021 (their 4 decimals)",
    "TOMA": "Table 3 of Maistro et al. 2021 (its 4 decimals)",
    "RBU": "the authors' program on 27 runs of TREC Web 2009, 2012, 2014 (its 4 decimals)",
    **dict.fromkeys(("CT", "nCT", "ACT", "P_at_recall"), _TREC_DD),
}
