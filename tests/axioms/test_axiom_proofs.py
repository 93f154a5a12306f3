"""What is recorded of each measure, what the search alone finds, and the arguments of the proofs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from rankprism.measures import lookup, names, parse
from rankprism.measures.definition import AXIOMS
from rankprism.measures.measure import Measure
from rankprism.measures.verdicts import recorded as of_measure
from rankprism.meta.axioms import (
    READINGS,
    TEN,
    AspRel,
    AxiomTable,
    CloseTh,
    DeepTh,
    MRed,
    Pri,
    Red,
    Sat,
    read_constraints,
    scores_of,
)
from rankprism.meta.axioms import proofs as recorded
from rankprism.meta.axioms.search import search_verdicts
from rankprism.meta.axioms.table import PAPER
from tests.support.paper_table import INSTANCES, kept, row

# The record, and proofs


@pytest.fixture(scope="module")
def declared() -> dict[str, set[str]]:
    """The constraints that are not refuted for each built-in measure. A star: only in the reading proved."""
    found: dict[str, set[str]] = {}
    for name in names():
        cells = of_measure(name)
        for axiom in AXIOMS if cells else ():
            kinds = [
                cells[f"{axiom} {reading}"].kind for reading in READINGS if f"{axiom} {reading}" in cells
            ]
            told = found.setdefault(name, set())
            if kinds[0] in ("proved", "not refuted"):
                told.add(axiom + ("*" if kinds[-1] == "refuted" else ""))
    return found


#: Of three measures; at night, of all.
SEARCHED = [
    pytest.param(("alpha_nDCG", "nDCG_IA", "RBU"), id="three"),
    pytest.param((), id="all", marks=pytest.mark.nightly),
]


@pytest.fixture(scope="module", params=SEARCHED)
def searched(request: pytest.FixtureRequest, declared: dict[str, set[str]]) -> dict[str, set[str]]:
    """What the search alone finds, whatever has been proved. A star: only in the reading proved."""
    declared = {name: declared[name] for name in request.param or declared}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankprism.meta.axioms.search.proof_of", lambda *_: "")
        verdicts = search_verdicts(declared, TEN, instances=600)
        again = {v.measure.name for v in verdicts if not v.refuted and v.constraint in (Red, AspRel)}
        printed = read_constraints(["Red", "AspRel"], ["printed"])
        lost = {v.key[:2] for v in search_verdicts(again, printed, instances=600) if v.refuted}
    found: dict[str, set[str]] = {name: set() for name in declared}
    for verdict in verdicts:
        if verdict.kind in ("proved", "not refuted"):
            star = "*" if verdict.key[:2] in lost else ""
            found[verdict.measure.name].add(verdict.constraint.name + star)
    return found


def test_nothing_is_drawn_if_every_ranking_is_longer_than_the_cutoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankprism.meta.axioms.lots.drawn_bases", lambda *_: pytest.fail("drawn for nothing"))
    (verdict,) = search_verdicts(["RR@2"], ["Deep"])  # which needs four documents
    assert verdict.kind == "cannot be asked"
    assert "at most 2 documents" in verdict.note


def test_every_built_in_measure_is_recorded(declared: dict[str, set[str]]) -> None:
    silent = {
        name
        for name in names()
        if (d := lookup(name).definition).module.startswith("rankprism.measures.")
        and d.module != "rankprism.measures.composition"
        and all(p.name != "measure" for p in d.parameters)  # it depends on the measure inside
        and d.needs == "judgments"  # constraints are about grades
    } - set(declared)
    assert not silent, "`make verdicts` records what the search finds"


def test_the_search_alone_finds_what_is_recorded(
    declared: dict[str, set[str]], searched: dict[str, set[str]]
) -> None:
    assert searched == {name: declared[name] for name in searched}


def test_the_search_finds_nothing_against_what_is_proved(searched: dict[str, set[str]]) -> None:
    for name, found in searched.items():
        proved = {c.name for c in TEN if recorded.proof_of(lookup(name), c)}
        assert proved <= {kept.rstrip("*") for kept in found}, name
        printed = {c.name for c in TEN if recorded.proof_of(lookup(name), c.under("printed"))}
        assert printed <= found, name


def test_every_proof_is_used(table: AxiomTable, declared: dict[str, set[str]]) -> None:
    used = {v.note for v in table.verdicts if v.kind == "proved"}
    used |= {recorded.proof_of(lookup(name), c) for name in declared for c in TEN}
    used |= {recorded.proof_of(parse("EU(e=0.5)"), Sat)}
    assert {proof.argument for proof in recorded.PROOFS} <= {
        note.partition(" (premise: ")[0] for note in used
    }


@pytest.mark.parametrize("reading", ["proved", "printed"])
def test_the_search_alone_says_of_the_paper_s_measures_what_it_says_with_proofs(
    table: AxiomTable, reading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankprism.meta.axioms.search.proof_of", lambda *_: "")
    constraints = read_constraints(["Red", "AspRel"], [reading])
    alone = search_verdicts([m for m, _ in PAPER.values()], constraints, instances=INSTANCES)
    assert table.other is not None
    ours = table if reading == "proved" else table.other
    kept = {v.key: not v.refuted for v in ours.verdicts}
    assert {v.key: not v.refuted for v in alone}.items() <= kept.items()


def test_a_recorded_proof_names_the_premise_that_it_adds_and_needs() -> None:
    rbu = parse(row("RBU@k"))
    assert recorded.proof_of(rbu, Red).endswith(" (premise: r_c < 1)")
    assert recorded.proof_of(rbu, AspRel).endswith(" (premise: no document follows i)")
    assert not any(recorded.proof_of(rbu, c.under("printed")) for c in (Red, AspRel))
    # A cascade satisfies fully with r_c = 1; what counts documents does not.
    assert not recorded.proof_of(parse(row("ERR-IA@k")), Red.under("printed"))
    counting = recorded.proof_of(parse(row("α-nDCG@k")), Red.under("printed"))
    assert counting
    assert "premise" not in counting
    assert "whatever follows" in recorded.proof_of(parse(row("RBP-IA")), AspRel.under("printed"))


def weights_of_ranks(measure: Measure, ranks: range) -> list[float]:
    """What each rank weighs against the first, for the c-th of documents of one grade on one aspect."""
    a = measure["alpha"] if "alpha" in {p.name for p in measure.definition.parameters} else 0.0
    discounts: dict[str, Callable[[int], float]] = {
        "alpha_DCG": lambda i: 1 / math.log2(i + 1),
        "EU": lambda i: 1 / (1 + math.log(i) / math.log(measure["base"])),
        "NRBP": lambda i: measure["beta"] ** (i - 1),
        "RBP": lambda i: measure["p"] ** (i - 1),
    }
    return [discounts[measure.name](i) * (1 - a) ** c for c, i in enumerate(ranks)]


@pytest.mark.parametrize(
    "measure",
    [
        "alpha_DCG(alpha=0.196,gain='linear')",
        "EU(alpha=0.221,gain='linear')",
        "EU(alpha=0.165,base=2,gain='linear')",
        "NRBP(beta=0.9,alpha=0.1,gain='linear')",
        "NRBP(beta=0.96,alpha=0.5,gain='linear')",
        "RBP(p=0.92,gain='linear')",
    ],
)
def test_a_bound_on_what_lies_deep_is_one_also_for_the_least_parameters_that_it_is_recorded_for(
    measure: str,
) -> None:
    # These hold for a small m; no m above 32 will do all the same, which is what is recorded.
    chosen = parse(measure)
    assert recorded.disproof_of(chosen, CloseTh)
    for m in (*range(33, 200), 1000):
        assert sum(weights_of_ranks(chosen, range(m + 1, 2 * m + 1))) < 1, m


@pytest.mark.parametrize(
    "measure", ["alpha_DCG(alpha=0.19)", "EU(alpha=0.21)", "NRBP(beta=0.99)", "RBP(p=0.95)", "RBU(p=1)"]
)
def test_no_bound_is_recorded_where_it_does_not_hold(measure: str) -> None:
    assert not recorded.disproof_of(parse(measure), CloseTh)


def test_that_no_n_will_do_rests_on_an_argument_but_for_a_few(declared: dict[str, set[str]]) -> None:
    measures = [*declared, *(measure for measure, _ in PAPER.values())]
    verdicts = [v for v in search_verdicts(measures, [DeepTh, CloseTh]) if v.refuted]
    few = {
        ("Compat", "CloseTh"),
        ("Compat_IA", "CloseTh"),
        ("P_at_recall", "CloseTh"),
        ("ACT", "CloseTh"),
        ("nCT", "DeepTh"),
        ("D_EBR", "DeepTh"),
    }
    # Nobody has written down an argument for these measures of trec_eval.
    few |= {(name, "CloseTh") for name in ("IPrec", "IPrec_IA", "RBP_residual", "Unjudged")}
    few |= {(name, "CloseTh") for name in ("Accuracy", "Accuracy_IA")}
    few |= {(name, "DeepTh") for name in ("RBP_residual", "Unjudged")}
    few |= {
        (name + kind, "DeepTh") for name in ("binG", "G", "nDCG_rel", "RnDCG", "IAP") for kind in ("", "_IA")
    }
    found = {(v.measure.name, v.constraint.name) for v in verdicts}
    assert {(v.measure.name, v.constraint.name) for v in verdicts if v.open} == few & found
    used = {v.note.partition(": ")[2] for v in verdicts if not v.open}
    used |= {recorded.disproof_of(parse(m), CloseTh) for m in ("P@3", "RBP(p=0.5)")}
    assert {proof.argument for proof in recorded.DISPROOFS} == used


def test_sums_below_grow_as_the_arguments_say() -> None:
    # Σ_{j≤n} j/(n+j) ≥ (n+1)/4 and Σ_{j≤n} 1/log2(n+j+1) ≥ n/log2(2n+1) > 1, from n = 3 on; in fractions.
    for n in (3, 4, 10, 100):
        assert sum(Fraction(j, n + j) for j in range(1, n + 1)) >= Fraction(n + 1, 4) >= 1
        assert sum(1 / math.log2(n + j + 1) for j in range(1, n + 1)) >= n / math.log2(2 * n + 1) > 1
        assert sum(Fraction(1, m) for m in range(n + 1, 2 * n + 1)) < Fraction(6932, 10000)  # ln 2 = .6931…


def test_a_hardly_relevant_document_moved_past_a_relevant_one_lowers_q() -> None:
    # Gains g and x, of which the ideal has both, so cg* = g + x; R = 2. Below 41 others, x at 42 and g at 43
    # are worth (1+x)/(42+g+x) + (2+g+x)/(43+g+x); g at 43 and x at 44, (1+g)/(43+g+x) + (2+g+x)/(44+g+x).
    g, x = (Fraction(2**r - 1) for r in (0.1, 0.0001))
    up = ((1 + x) / (42 + g + x) + (2 + g + x) / (43 + g + x)) / 2
    down = ((1 + g) / (43 + g + x) + (2 + g + x) / (44 + g + x)) / 2
    assert up < down
    rankings = [[0.0]] * 41 + [[0.0001], [0.1], [0.0]], [[0.0]] * 41 + [[0.0], [0.1], [0.0001]]
    assert scores_of(parse("Q"), *rankings, weights=[1]) == pytest.approx([float(up), float(down)], rel=1e-12)
    assert kept("Q", Pri, instances=4000) == [False]


def test_a_hardly_relevant_document_in_front_raises_the_expected_blended_ratio() -> None:
    # Gains g and x at ranks 2 and 3, below a document that is not relevant; r = gain / (g + 1), cg* = g + x.
    # The first of them, y, is worth (1+y)/(2+g+x) r_y, the second (2+g+x)/(3+g+x) r_z (1 - r_y).
    g, x = (Fraction(2**r - 1) for r in (0.05, 0.01))

    def score(y: Fraction, z: Fraction) -> Fraction:
        first, second = y / (g + 1), z / (g + 1)
        return (1 + y) / (2 + g + x) * first + (2 + g + x) / (3 + g + x) * second * (1 - first)

    better, worse = score(g, x), score(x, g)
    assert better < worse
    rankings = [[0.0], [0.05], [0.01]], [[0.0], [0.01], [0.05]]
    found = scores_of(parse("D_EBR"), *rankings, weights=[1])
    assert found == pytest.approx([float(better), float(worse)], rel=1e-12)
    assert kept("D_EBR", Pri, instances=0) == [False]


def test_no_argument_is_recorded_where_nothing_counts() -> None:
    # The D-measures' binary gain begins at a grade of 1; the authors' RBU has 1 - p in front.
    blind = [parse(f"{name}(gain='binary')@20") for name in ("D_nDCG", "D_RBP", "DSharp_nDCG")]
    assert not any(recorded.proof_of(measure, c) for measure in [*blind, parse("RBU(p=1)")] for c in TEN)


def test_names_of_the_axioms_are_those_of_the_constraints() -> None:
    assert tuple(c.name for c in TEN) == AXIOMS
    assert MRed.name == "MRed"
