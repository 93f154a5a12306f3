"""A measure is a value that prints as the string it parses from."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankprism.errors import MeasureError
from rankprism.measures import AP, RBP, Measure, Parameter, alpha_nDCG, lookup, measure, names, nDCG, parse
from rankprism.measures.citations import CITATIONS
from rankprism.measures.registry import modules

# Without what other tests have made: they must not matter here.
# Other tests register measures of their own.
_OURS = {n: lookup(n).definition.module for n in names()}
BUILT_IN = [n for n, home in _OURS.items() if home in modules()]


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    if parameter.kind is Measure:
        return st.sampled_from([AP, nDCG @ 10, RBP(p=0.5)])
    if parameter.sequence:
        words = st.text(alphabet="abc x", min_size=1)
        row = st.lists(st.integers(0, 9) | st.floats(0, 9) | words, max_size=3)
        absent = st.none() if parameter.optional else st.nothing()
        choices = st.sampled_from([*parameter.choices]) if parameter.choices else absent
        return choices | row | st.lists(row, max_size=3)
    if parameter.kind is str and not parameter.choices:
        return st.text(alphabet="abc x", min_size=1)
    if parameter.choices:
        mapping = st.dictionaries(st.integers(1, 4), st.floats(0, 1), min_size=1)
        return st.sampled_from([*parameter.choices]) | (mapping if parameter.mapping else st.nothing())
    if parameter.kind is bool:
        return st.booleans()
    if parameter.kind is dict:
        return st.none() | st.dictionaries(st.integers(1, 4), st.integers(0, 9) | st.floats(0, 9), min_size=1)
    if parameter.kind is int:
        numbers = st.integers(1, 2000 if parameter.high is None else int(min(parameter.high, 2000)))
        return st.none() | numbers if parameter.optional else numbers
    high = 9.0 if parameter.high is None else parameter.high
    return st.floats(
        parameter.low or 0.0, high, exclude_min=parameter.above_low, exclude_max=parameter.below_high
    )


@st.composite
def any_measure(draw: st.DrawFn) -> Measure:
    chosen = lookup(draw(st.sampled_from(BUILT_IN)))
    settings = {p.name: draw(values(p)) for p in chosen.definition.parameters if draw(st.booleans())}
    return chosen(**settings)


@given(any_measure())
def test_every_measure_parses_back_from_its_own_name(value: Measure) -> None:
    assert parse(str(value)) == value
    assert str(parse(str(value))) == str(value)
    assert hash(parse(str(value))) == hash(value)
    assert " " not in re.sub("'[^']*'", "", str(value))  # but in the name of an aspect


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("α_nDCG@20", "alpha_nDCG@20"),
        ("α_DCG@5", "alpha_DCG@5"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("NDCG@10", "nDCG@10"),
        ("MAP_IA", "AP_IA"),
        ("Precision@5", "P@5"),
        ("Precision_IA@5", "P_IA@5"),
        ("S_Recall@10", "StRecall@10"),
        ("I_rec@10", "StRecall@10"),
        ("alpha_nDCG(alpha=0.5)@20", "alpha_nDCG@20"),
        ("alpha_nDCG(cutoff=20)", "alpha_nDCG@20"),
        ("alpha_nDCG( alpha = .25 , rel=2.0 ) @ 20", "alpha_nDCG(alpha=0.25,rel=2)@20"),
        ("alpha_nDCG(rel=2,alpha=0.25,)@20", "alpha_nDCG(alpha=0.25,rel=2)@20"),
        ('nDCG(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10"),
        ("nDCG(gains={2: 5, 1: 1})", "nDCG(gains={1:1,2:5})"),
        ("nDCG_IA(dcg='exp-log2')@10", "nDCG_IA(dcg='exp-log2')@10"),
        ("P(judged_only=True)@5", "P(judged_only=True)@5"),
        ("D#_nDCG@10", "DSharp_nDCG@10"),
        ("P+Q@10", "P_plusQ@10"),
        ("CAM( nDCG@10 )", "CAM(nDCG@10)"),
        ("MM(RBP(p=0.5),judged_only=True)", "MM(RBP(p=0.5),judged_only=True)"),
        ("GAP(levels={1: 0.5, 2: 0.5})", "GAP(levels={1:0.5,2:0.5})"),
    ],
)
def test_spellings(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


def test_measures_are_built_in_python_as_they_are_written() -> None:
    assert alpha_nDCG(alpha=0.25) @ 20 == parse("alpha_nDCG(alpha=0.25)@20")
    assert nDCG @ 10 == parse("nDCG@10")
    assert AP != RBP
    assert (RBP(p=0.5))["p"] == 0.5
    assert (RBP(p=0.5))(p=0.8) == RBP  # back to the default


def test_a_name_is_taken_only_once() -> None:
    with pytest.raises(MeasureError, match="a measure named nDCG exists already"):

        @measure()
        def nDCG(hits: Any) -> Any: ...


def test_every_measure_explains_itself() -> None:
    for name in BUILT_IN:
        definition = lookup(name).definition
        assert definition.summary.endswith("."), name
        assert "=" in definition.doc, name  # a formula
        assert definition.cite, name
        assert definition.bibtex.startswith("@"), name
        if not name.endswith("_IA") or name in ("ERR_IA", "nERR_IA"):
            assert ">>>" in definition.doc, name


def test_the_key_of_a_citation_has_its_year() -> None:
    for key, citation in CITATIONS.items():
        assert re.findall(r"\d{4}", key) == [str(citation.year)], key


@pytest.mark.parametrize("name", ["CAM", "MM", "TOMA"])
def test_a_fold_inside_a_measure_of_each_aspect_is_refused(name: str) -> None:
    with pytest.raises(MeasureError, match=rf"{name} does not fold aspects by nDCG.*leave out fold='min'"):
        parse(f"{name}(nDCG(fold='min')@10)")
