"""Judges and people are compared on a collection as on what it is made of."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from rankprism import Collection, InputError, RankprismWarning, judges

PEOPLE = {t: {f"d{d}": (t + d) % 3 for d in range(6)} for t in range(4)}
JUDGE = {t: {f"d{d}": (t * d) % 3 for d in range(6)} for t in range(4)}
RUNS = {f"r{r}": {t: [f"d{(r + t + d) % 7}" for d in range(3)] for t in range(4)} for r in range(3)}
HOW: dict[str, Any] = {"order": "input", "run_depth": 2}


@pytest.fixture(autouse=True)
def few() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)
        yield


def test_a_collection_gives_what_its_parts_give() -> None:
    given = Collection.of(PEOPLE, RUNS, **HOW)
    whole = judges.agree(PEOPLE, {"j": JUDGE}, RUNS, "P@2", intervals=0, **HOW)
    assert str(judges.agree(given, {"j": JUDGE}, measures="P@2", intervals=0)) == str(whole)
    estimated = judges.score(PEOPLE, {"j": JUDGE}, RUNS, "P@2", **HOW)
    assert str(judges.score(given, {"j": JUDGE}, measures="P@2")) == str(estimated)
    drawn = judges.select(RUNS, {"j": JUDGE}, "P@2", budget=8, **HOW)
    for one in (given, Collection.of(None, RUNS, **HOW)):
        assert judges.select(one, {"j": JUDGE}, "P@2", budget=8).pairs == drawn.pairs


def test_labels_are_compared_without_runs() -> None:
    alone = judges.agree(PEOPLE, {"j": JUDGE}, intervals=0)
    assert str(judges.agree(Collection.of(PEOPLE), {"j": JUDGE}, intervals=0)) == str(alone)


def test_runs_and_how_they_are_read_are_inside() -> None:
    given = Collection.of(PEOPLE, RUNS)
    for more in ({"runs": RUNS}, {"order": "rank"}):
        with pytest.raises(TypeError, match="is part of a Collection"):
            judges.score(given, {"j": JUDGE}, measures="P@2", **more)
    with pytest.raises(TypeError, match="order is part of a Collection"):
        judges.select(given, {"j": JUDGE}, "P@2", budget=2, order="rank")


def test_means_over_the_topics_of_each_run_are_refused() -> None:
    given = Collection.of(PEOPLE, RUNS, topics="retrieved")
    for compare in (judges.agree, judges.score):
        with pytest.raises(InputError, match="all runs need the same topics; leave it out"):
            compare(given, {"j": JUDGE}, measures="P@2")


def test_probabilities_may_stand_in_the_table_of_a_collection(tmp_path: Any) -> None:
    path = tmp_path / "people.tsv"
    rows = [(t, doc, grade, 0.5) for t, docs in PEOPLE.items() for doc, grade in docs.items()]
    path.write_text("topic\tdoc\tgrade\tprobability\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows))
    expected = judges.score(path, {"j": JUDGE}, RUNS, "P@2")
    assert expected.about["drawn"] == "drawn with given probabilities"
    found = judges.score(Collection.of(path, RUNS), {"j": JUDGE}, measures="P@2")
    assert str(found) == str(expected)


def test_the_order_of_runs_is_noted() -> None:
    backwards = {"x": [(t, f"d{d}", float(d), d + 1) for t in range(4) for d in range(5)]}
    with pytest.warns(RankprismWarning, match=r"\[rising-scores\]"):
        judges.select(backwards, {"j": JUDGE}, "P@2", budget=8)
    with pytest.warns(RankprismWarning, match=r"\[rising-scores\]"):
        judges.score(PEOPLE, {"j": JUDGE}, backwards, "P@2")


def test_a_carriage_return_in_a_table_is_named(tmp_path: Any) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"topic,doc,grade,probability\n0,d\r1,1,0.5\n")
    with pytest.raises(InputError, match=r"people\.csv, line 2: .*put the field in quotes"):
        judges.score(path, {"j": JUDGE}, RUNS, "P@2")
