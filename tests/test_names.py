"""Measures are found by the names that papers use, printed by one name, and shown as papers show them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import rankprism
from rankprism.errors import MeasureError
from rankprism.measures import CAM, alpha_nDCG, compose, lookup, names, nDCG, parse
from rankprism.measures.display import canonical_name, latex_name, shown_name


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures that a test registers are forgotten afterwards."""
    home: Any = importlib.import_module("rankprism.measures.measure")
    monkeypatch.setattr(home, "_DEFINITIONS", dict(home._DEFINITIONS))
    monkeypatch.setattr(home, "_ALIASES", dict(home._ALIASES))


SPELLINGS = [
    ("alpha-nDCG@20", "alpha_nDCG@20"),
    ("α-nDCG@20", "alpha_nDCG@20"),
    ("𝛼-nDCG@20", "alpha_nDCG@20"),  # mathematical italics, as copied from a PDF
    ("α–nDCG@20", "alpha_nDCG@20"),  # an en dash
    ("ALPHA_NDCG(α=0.25)@20", "alpha_nDCG(alpha=0.25)@20"),
    ("ndcg@10", "nDCG@10"),
    ("ndcg(judged-only=True)@10", "nDCG(judged_only=True)@10"),
    ("ERR-IA@20", "ERR_IA@20"),
    ("err-ia@20", "ERR_IA@20"),
    ("nDCG-IA@20", "nDCG_IA@20"),
    ("map-ia", "AP_IA"),
    ("D#-nDCG@20", "DSharp_nDCG@20"),
    ("d#_ndcg@20", "DSharp_nDCG@20"),
    ("P+Q#@20", "P_plusQSharp@20"),
    ("I-rec@10", "StRecall@10"),
    ("s-recall@10", "StRecall@10"),
    ("map", "AP"),
    ("mrr", "RR"),
    ("P@5", "P@5"),
    ("p@5", "P@5"),
    ("q@5", "Q@5"),
    ("cam(ndcg@10)", "CAM(nDCG@10)"),
]


@pytest.mark.parametrize(("text", "canonical"), SPELLINGS)
def test_what_stands_in_papers_is_understood_and_printed_canonically(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert canonical_name(text) == canonical


@pytest.mark.usefixtures("registry")
def test_a_spelling_of_two_measures_names_both() -> None:
    compose("Ndcg")
    assert str(parse("Ndcg")) == "Ndcg"  # written exactly so, each is found
    assert str(parse("nDCG")) == "nDCG"
    with pytest.raises(MeasureError, match="'ndcg' can be Ndcg or nDCG; write one of these"):
        parse("ndcg")


@pytest.mark.parametrize(
    ("text", "suggested"),
    [("alfa-nDCG@20", "alpha_nDCG"), ("D#nDCG@5", "DSharp_nDCG"), ("I-recall", "StRecall"), ("nDGC", "nDCG")],
)
def test_what_is_close_gets_a_suggestion_by_its_right_name(text: str, suggested: str) -> None:
    with pytest.raises(MeasureError, match=rf"did you mean .*\b{suggested}\b"):
        parse(text)


def test_every_display_name_parses_back() -> None:
    for name in names():
        assert parse(lookup(name).display) == lookup(name), name
    measure = alpha_nDCG(alpha=0.25, judged_only=True) @ 20
    assert measure.display == "α-nDCG(α=0.25,judged_only=True)@20"
    assert parse(measure.display) == measure
    assert CAM(measure=nDCG @ 10).display == "CAM(nDCG@10)"


def test_names_in_latex_are_mathematics_and_escapes() -> None:
    assert latex_name("alpha_nDCG(alpha=0.25,judged_only=True)@20") == (
        r"$\alpha$-nDCG($\alpha$=0.25,judged\_only=True)@20"
    )
    assert latex_name("DSharp_nDCG@20") == r"D\#-nDCG@20"
    assert latex_name("50% of R&D") == r"50\% of R\&D"
    assert shown_name("50% of R&D") == "50% of R&D"


def test_evaluate_takes_any_spelling() -> None:
    scores = rankprism.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["α-nDCG@20", "ndcg@10", "I-rec@10"])
    assert scores.measures == ("alpha_nDCG@20", "nDCG@10", "StRecall@10")
