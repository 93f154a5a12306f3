"""The record of verdicts: each counterexample is replayed, and some searches are repeated."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rankprism import report
from rankprism.formats.judgments import read_judgments
from rankprism.measures import parse
from rankprism.measures.verdicts import recorded as record
from rankprism.meta.axioms import TEN, Verdict, examine, read_constraints, recorded
from rankprism.meta.axioms.proofs import proof_of
from rankprism.meta.axioms.rankings import turned
from rankprism.meta.axioms.recorded import recorded_readings
from rankprism.meta.axioms.search import search_verdicts
from rankprism.meta.axioms.verdict import SIGNS
from tests.support.verdict_record import FILE, content, recorded_measures

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

Cli = Callable[..., subprocess.CompletedProcess[str]]
MEASURES = list(json.loads(FILE.read_text(encoding="utf-8"))["measures"])
READINGS = list(recorded_readings().values())


@pytest.fixture(scope="module")
def found() -> list[Verdict]:
    """All verdicts of the record."""
    return examine(MEASURES, READINGS)


def test_the_measures_that_reports_and_pages_show_are_recorded() -> None:
    wanted = {str(parse(measure)) for measure in recorded_measures()}
    assert set(MEASURES) <= wanted
    qrels: list[Any] = [{"q": {"d": 1}}, {"q": {"x": {"d": 1}, "y": {"e": 2}}}]
    usual = {m for judged in qrels for m in report.default_measures(read_judgments(judged))}
    assert usual <= set(MEASURES)


def test_every_recorded_counterexample_still_refutes(found: list[Verdict]) -> None:
    """It satisfies the relation's opposite, with the scores of the measure as it is now."""
    replayed = 0
    for verdict in found:
        if not verdict.refuted:
            assert verdict.counterexample is None
            continue
        assert verdict.counterexample is not None
        replayed += 1
        scores = turned(verdict.measure, np.array([verdict.scores]))
        assert not verdict.constraint.relation(scores)[0], verdict
        longest, cutoff = verdict.counterexample.longest, verdict.measure.cutoff
        assert cutoff is None or verdict.constraint.bases or longest <= cutoff
        grades = np.concatenate([*verdict.counterexample.rankings])
        assert ((grades >= 0) & (grades <= 1)).all()
    assert replayed > 2000


def test_what_is_recorded_as_proved_has_an_argument_or_names_its_m(found: list[Verdict]) -> None:
    proved = [v for v in found if v.proved]
    assert len(proved) > 500
    for verdict in proved:
        argument = proof_of(verdict.measure, verdict.constraint)
        assert verdict.note.startswith(argument) if argument else verdict.note.startswith("for m = "), verdict


def test_no_argument_is_recorded_against_a_verdict(found: list[Verdict]) -> None:
    assert not [v.key for v in found if v.refuted and proof_of(v.measure, v.constraint)]


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.nightly), 1, 2, 3])
def test_a_recorded_verdict_is_what_the_search_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    measure, constraint = str(rng.choice(MEASURES)), READINGS[int(rng.integers(len(READINGS)))]
    (told,) = examine([measure], [constraint])
    (again,) = search_verdicts([measure], [constraint])
    assert (again.kind, again.note) == (told.kind, told.note)
    assert again.scores == told.scores
    assert again.instances == told.instances or told.proved  # which is tried on small instances only


def test_what_is_recorded_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "search_verdicts", None)
    for measure in MEASURES[::25]:
        assert [v.constraint for v in examine([measure], TEN)] == list(TEN)
    assert len(examine(["RBU@20"], read_constraints(["ten"], ["printed"]))) == 10


def test_a_search_is_made_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    first = examine(["RBP(p=0.83)"], ["Pri"], instances=10)
    monkeypatch.setattr(recorded, "search_verdicts", lambda *_, **__: [])
    assert examine(["RBP(p=0.83)"], ["Pri"], instances=10) == first


def test_more_instances_and_another_seed_are_searched_but_facts_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []

    def search(measures: Any, constraints: Any, **settings: Any) -> list[Verdict]:
        asked.extend((str(m), str(c)) for m in measures for c in constraints)
        return search_verdicts(measures, constraints, instances=0)

    monkeypatch.setattr(recorded, "search_verdicts", search)
    kinds = {v.constraint.name: v.kind for v in examine(["CAM(nDCG@10)"], TEN, seed=97)}
    assert {name for _, name in asked} == {name for name, kind in kinds.items() if kind == "not refuted"}


def test_the_file_is_written_as_it_is_read() -> None:
    some = MEASURES[::40]
    text = content(some, examine(some, READINGS))
    read = json.loads(text)
    assert list(read["measures"]) == some
    assert read["kinds"] == list(SIGNS)
    for measure in some:
        for constraint, cell in zip(read["constraints"], read["measures"][measure], strict=True):
            kind, instances, rankings, note = cell
            told = record(measure)[constraint]
            assert (read["kinds"][kind], instances) == (told.kind, told.instances)
            assert (read["rankings"][rankings], read["notes"][note]) == (told.rankings, told.note)


def test_a_recorded_instance_belongs_to_its_constraint() -> None:
    """The premises of Conf: one ranking is the other with a document that is not relevant at the end."""
    for verdict in examine(MEASURES, ["Conf"]):
        if verdict.counterexample is not None:
            shorter, longer = verdict.counterexample.rankings
            assert np.array_equal(longer, [*shorter, [0.0]])


# ── every command says the same ──────────────────────────────────────────────────────────────────


def test_the_commands_say_the_same(cli: Cli) -> None:
    """MM(nDCG@10) was said to satisfy MRed where 50 random instances were tried; 4,000 refute it."""
    rows = json.loads(cli("axioms", "MM(nDCG@10)", "--format", "json").stdout)["rows"]
    told = {row["constraint"]: row["verdict"] for row in rows}
    assert told["MRed"] == "refuted"
    few = json.loads(cli("axioms", "MM(nDCG@10)", "--instances", "50", "--format", "json").stdout)["rows"]
    assert {row["constraint"]: row["verdict"] for row in few} == told
    page = " ".join(cli("measures", "MM(nDCG@10)").stdout.split())
    for kind in ("proved", "refuted"):
        names = " ".join(name for name, verdict in told.items() if verdict == kind)
        assert f"{kind}: {names}" in page
