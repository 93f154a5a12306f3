"""What Amigó et al. (2018) say about measures, beside what their tables print and what can be computed.

docs/reproduction/rbu.md lists these claims. Sentences of the paper are cited by section.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rankprism.evaluation import Collection
from rankprism.evaluation.scoring import joined_once
from rankprism.formats.conversion import convert
from rankprism.measures import parse
from rankprism.measures.definition import AXIOMS
from rankprism.meta import unanimity
from rankprism.meta.axioms import TEN, CloseTh, axiom_table, examine, paper_table, scores_of
from rankprism.meta.axioms.table import PAPER, AxiomTable
from rankprism.reproduce.rbu import TABLE_2, TABLE_3, Column

RBU = PAPER["RBU@k"][0].removesuffix("@20")
#: The relevance constraints Pri, Deep, DeepTh and CloseTh, and the five diversity constraints.
FIRST_FOUR, DIVERSITY = AXIOMS[:4], AXIOMS[5:]


def printed(row: str, *constraints: str) -> list[bool]:
    return [PAPER[row][1][AXIOMS.index(name)] == "1" for name in constraints]


@pytest.fixture(scope="module")
def table() -> AxiomTable:
    return paper_table(instances=100)


def found(table: AxiomTable, row: str, *constraints: str) -> list[bool]:
    return [(not v.refuted) for v in table.of(row) if v.constraint.name in constraints]


def test_precision_satisfies_closeness_as_table_1_says_and_not_as_section_4_1_says() -> None:
    # For k ≥ 4, two relevant documents below two others are worth 2/k, and one at the top 1/k.
    assert printed("P@k", "CloseTh") == [True]
    assert scores_of(parse("P@4"), [[0], [0], [0.1], [0.1]], [[0.1], [0], [0], [0]], weights=[1]) == [
        0.5,
        0.25,
    ]
    assert [not v.refuted for v in examine(["P@20", "P@4", "P@3"], [CloseTh])] == [True, True, False]


def test_what_section_4_3_says_nrbp_inherits_fits_d_sharp() -> None:
    # "which already satisfies DeepTh and AspRel": ○ is printed for DeepTh of nDCG-IA and AspRel of NRBP.
    assert printed("nDCG-IA@k", "DeepTh", "AspRel") == [False, True]
    assert printed("NRBP", "DeepTh", "AspRel") == [True, False]
    assert PAPER["D#-Measure@k"][1] == PAPER["nDCG-IA@k"][1]


def test_rbp_is_not_the_only_measure_that_satisfies_the_first_four(table: AxiomTable) -> None:
    as_printed = [row for row in PAPER if all(printed(row, *FIRST_FOUR))]
    assert as_printed == ["RBP", "RBP-IA", "NRBP", "α-nDCG@k", "EU", "RBU@k"]
    computed = [row for row in PAPER if all(found(table, row, *FIRST_FOUR))]
    assert computed == ["nDCG@k", "RBP", "nDCG-IA@k", "RBP-IA", "D#-Measure@k", "RBU@k"]


def test_of_the_other_measures_only_err_ia_satisfies_all_diversity_constraints_and_only_eu_conf(
    table: AxiomTable,
) -> None:
    for constraints, satisfied in ((DIVERSITY, ["ERR-IA@k", "RBU@k"]), (("Conf",), ["EU", "RBU@k"])):
        assert [row for row in PAPER if all(printed(row, *constraints))] == satisfied
        assert [row for row in PAPER if all(found(table, row, *constraints))] == satisfied


def test_each_constraint_is_satisfied_by_a_measure_and_all_ten_only_by_rbu(table: AxiomTable) -> None:
    for name in AXIOMS:
        assert any(found(table, row, name)[0] for row in PAPER if row != "RBU@k")
    assert [row for row in PAPER if all(found(table, row, *AXIOMS))] == ["RBU@k"]


def test_intent_aware_measures_inherit_the_relevance_constraints_but_not_in_the_row_of_ap_ia(
    table: AxiomTable,
) -> None:
    pairs = {"P@k": "P-IA@k", "RR": "RR-IA@k", "AP": "AP-IA", "nDCG@k": "nDCG-IA@k", "ERR@k": "ERR-IA@k"}
    pairs["RBP"] = "RBP-IA"
    for row, aware in pairs.items():
        assert found(table, row, *AXIOMS[:5]) == found(table, aware, *AXIOMS[:5])
    inherited = [
        row for row, aware in pairs.items() if printed(row, *FIRST_FOUR) == printed(aware, *FIRST_FOUR)
    ]
    assert set(pairs) - set(inherited) == {"AP"}


def eq11(ranking: list[list[float]], w: list[float], p: float, e: float, per_aspect: bool) -> float:
    """Σ_i p^i (Σ_t w_t r_it Π_{j<i} (1 - r_jt) - e), or with e inside the sum over t."""
    left, total = [1.0] * len(w), 0.0
    for i, r in enumerate(ranking, 1):
        gain = sum(wt * rt * lt for wt, rt, lt in zip(w, r, left, strict=True))
        total += p**i * (gain - e * (len(w) if per_aspect else 1))
        left = [lt * (1 - rt) for lt, rt in zip(left, r, strict=True)]
    return total


def test_the_effort_is_charged_once_for_each_document_as_in_the_proof_of_conf() -> None:
    ranking, w = [[0.5, 0.0], [0.25, 0.5], [0.0, 0.25]], [0.6, 0.4]
    once, per_aspect = (eq11(ranking, w, 0.8, 0.05, each) for each in (False, True))
    assert (round(once, 4), round(per_aspect, 4)) == (0.3440, 0.2464)
    assert scores_of(parse(RBU), ranking, weights=w) == pytest.approx([once])
    # The proof of Conf: a document that is not relevant costs p^(n+1) e, however many aspects there are.
    shorter, longer = scores_of(parse(RBU), ranking, [*ranking, [0.0, 0.0]], weights=w)
    assert shorter - longer == pytest.approx(0.8**4 * 0.05)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.9])
def test_rbu_without_effort_is_near_p_over_1_minus_p_times_rbp_ia_and_not_rbp_ia(p: float) -> None:
    tiny = [[1e-7, 0.0], [0.0, 2e-7], [3e-7, 1e-7]]
    for measure, factor in (
        (f"RBU(p={p},e=0,form='eq11',gain='linear')", p / (1 - p)),
        (f"RBU(p={p},e=0,gain='linear')", 1.0),  # the authors' program has p^(i-1) and the factor 1 - p
    ):
        (rbu,) = scores_of(parse(measure), tiny, weights=[0.6, 0.4])
        (rbp,) = scores_of(parse(f"RBP_IA(p={p},gain='linear')"), tiny, weights=[0.6, 0.4])
        assert rbu / rbp == pytest.approx(factor, rel=1e-5)


def test_with_p_1_and_no_effort_rbu_is_not_err_ia() -> None:
    second = [[0.0], [0.5]]
    assert scores_of(parse("RBU(p=1,e=0,form='eq11',gain='linear')"), second, weights=[1]) == [0.5]
    assert scores_of(parse("ERR_IA(gain='linear')"), second, weights=[1]) == [0.25]


def test_after_a_fully_satisfied_aspect_a_document_costs_its_effort_which_the_proof_of_sat_leaves_out() -> (
    None
):
    # The proof ends with RBU(d⃗, d_{n+1}) = RBU(d⃗). It is less by p^(n+1) e, so Sat holds all the same.
    full, more = scores_of(parse(RBU), [[0.5], [1.0]], [[0.5], [1.0], [0.7]], weights=[1])
    assert full - more == pytest.approx(0.8**3 * 0.05)


def test_the_example_of_average_precision_has_a_precision_of_2_at_rank_2() -> None:
    # Footnote 4 prints 1/N + 2/N for two relevant documents. Their precisions are 1/1 and 2/2: 1/N + 1/N.
    twice, other = scores_of(
        parse("AP_IA(normalize=False)"), [[0.1, 0], [0.1, 0]], [[0.1, 0], [0, 0.1]], weights=[0.5, 0.5]
    )
    assert (twice, other) == (0.5 * (1 + 1), 0.5 * 1 + 0.5 * 1 / 2)


def test_a_document_of_r_and_an_effort_of_the_same_size_cancel_only_if_the_aspect_has_all_the_weight() -> (
    None
):
    # Section 5: e = .1 and r = .1 make the "actual gain" 0. The gain has the factor w(t).
    for weight, gain in ((1.0, 0.0), (0.5, 0.8 * (0.05 - 0.1))):
        w = [weight] if weight == 1 else [weight, 1 - weight]
        score = scores_of(parse("RBU(e=0.1,form='eq11',gain='linear')"), [[0.1, 0.0][: len(w)]], weights=w)
        assert score == pytest.approx([gain], abs=1e-15)


def test_not_all_variants_of_rbu_are_on_top_in_dynamic_domain() -> None:
    (domain,) = (column.printed for column in TABLE_3 if "Dynamic Domain" in column.name)
    above = [row for row, mu in domain.items() if mu > domain["RBU, e = 0"] and not row.startswith("RBU")]
    assert (domain["RBU, e = 0"], domain["CT@10"]) == (0.5937, 0.5938)
    assert above == ["ACT@10", "ERR (Arith. Mean)", "CT@10"]


def test_deeper_cutoffs_are_not_more_unanimous_for_every_measure_in_table_2() -> None:
    # Section 6.2: "This behavior is consistent for every metric and variants." S-Recall falls with k.
    recall = [family for family in TABLE_2 if family.name == "S-Recall"]
    official = [family.printed[0] for family in recall if family.printed[0] is not None]
    assert [k for family in recall for k in family.grid["k"]] == [10, 20, 50, 100, 1000]
    assert official == sorted(official, reverse=True)
    assert len(official) == 4


def test_alpha_dcg_and_alpha_ndcg_order_the_rankings_of_a_topic_alike() -> None:
    # Table 3 prints {α-nDCG, α-nDCG}@20 for k = 20, and {α-DCG, α-nDCG}@20 elsewhere.
    rankings = [[[1, 0], [1, 0], [0, 1]], [[1, 0], [0, 1], [1, 0]], [[0, 0], [1, 0], [0, 1]]]
    plain, normalised = (
        scores_of(parse(name), *rankings, weights=[0.5, 0.5]) for name in ("alpha_DCG@20", "alpha_nDCG@20")
    )
    ratios = [a / b for a, b in zip(plain, normalised, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * 3)


@pytest.mark.parametrize(
    ("measure", "violated"),
    [
        (RBU.replace("e=0.05", "e=0"), {"Conf"}),
        (RBU.replace("e=0.05", "p=1,e=0.05"), {"Pri", "Deep", "DeepTh"}),
    ],
)
def test_rbu_needs_effort_and_impatience(measure: str, violated: set[str]) -> None:
    kept = {v.constraint.name for v in axiom_table([measure], TEN, instances=50).verdicts if not v.refuted}
    assert set(AXIOMS) - kept == violated


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_average_precision_is_unanimous_on_runs_of_equal_length(collections: Path, tmp_path: Path) -> None:
    # The page has these figures for Web 2012. AP-IA is below all but S-Recall while runs of 20 and of 1,000
    # documents are mixed. RBU@20 does not have the same MU for all variants, as Section 6.4 says.
    folder = collections / "trec-web-2012"
    runs = sorted((folder / "runs").iterdir())
    backwards = next(path for path in runs if path.name.startswith("lemur"))
    upright = tmp_path / "lemur-cwindri.run"
    convert(backwards, upright, to="trec", run=True)
    collection = Collection.of(
        folder / "qrels-for-ndeval.txt.gz", [upright if p == backwards else p for p in runs], order="rank"
    )

    def mu_of(column: Column, depth: int | None) -> dict[str, float]:
        measures = [text for texts in column.rows.values() for text in texts]
        scores = joined_once(collection, depth).rescored(measures)
        return dict(zip(measures, unanimity(scores, intervals=0).mu, strict=True))

    web, twenty = TABLE_3[:2]
    for depth, mu in ((None, 0.7870), (20, 0.9265)):
        assert mu_of(web, depth)["AP_IA"] == pytest.approx(mu, abs=5e-5)
    variants = {text: round(x, 4) for text, x in mu_of(twenty, None).items() if text.startswith("RBU")}
    assert set(variants.values()) == {0.9386, 0.9379, 0.9375}
    lowest = {text for text, x in variants.items() if x == 0.9375}
    assert lowest == {f"RBU(p={p},e=0.0)@20" for p in (0.8, 0.9, 0.99)}
