"""Measures that users write: what is wrong with one is said in its name, and it changes no other scores."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankprism
from rankprism import MeasureError, evaluate, sample
from rankprism.data.arrays import Floats
from rankprism.data.hits import Cells, Hits
from rankprism.errors import BrokenMeasure
from rankprism.measures import measure, nDCG
from rankprism.measures.bounds.completions import Completions
from rankprism.measures.counted import Counted
from rankprism.measures.declare import single
from rankprism.measures.family import NoveltySum, Sum
from rankprism.measures.form import Plain, PlainPerAspect
from rankprism.measures.measure import Measure
from rankprism.measures.mixture import Mixture
from rankprism.measures.parts import LOGARITHMIC, Parts, binary, hit_discount, hit_gain
from rankprism.measures.preferences.hits import PreferenceHits
from rankprism.measures.terms import Terms
from rankprism.meta.axioms import Base, Pri, constraint, examine

#: Two runs of the same depth.
QRELS, RUNS = sample.QRELS, [sample.FOLDER / "runs" / f"{name}.run" for name in ("diversified", "redundant")]


def count(hits: Hits) -> Floats:
    """The number of relevant documents of each ranking."""
    return np.asarray(hits.grade.any(1).sum(-1), dtype=np.float64)


def clip(hits: Hits) -> None:
    grade = hits.grade
    grade[grade > 1] = 1


def subtract(hits: Hits) -> None:
    grade = hits.grade
    grade -= 1


def cells_of(hits: Hits) -> Cells:
    assert hits.pool.cells is not None
    return hits.pool.cells


IN_PLACE: dict[str, Callable[[Hits], Any]] = {
    "clip": clip,
    "subtract": subtract,
    "sort": lambda hits: hits.grade.sort(),
    "rank": lambda hits: hits.rank.fill(1),
    "length": lambda hits: hits.length.fill(1),
    "condensed rank": lambda hits: hits.condensed_rank.fill(1),
    "judged": lambda hits: hits.judged.fill(1),
    "topic": lambda hits: hits.topic.fill(0),
    "pool": lambda hits: hits.pool.grade.fill(1),
    "weight": lambda hits: hits.pool.weight.fill(1),
    "highest": lambda hits: hits.pool.highest.fill(1),
    "gain": lambda hits: hit_gain(hits, binary(1)).fill(1),
    "discount": lambda hits: hit_discount(hits, LOGARITHMIC).fill(1),
    "top": lambda hits: hits.top(3).grade.fill(1),
    "fold": lambda hits: hits.fold("max", lambda g, _: g.max(-2)).grade.fill(1),
    "rows": lambda hits: hits.rows(slice(0, 2)).grade.fill(1),
    "condensed": lambda hits: hits.condensed().rank.fill(1),
    "cells": lambda hits: cells_of(hits).grade.fill(1),
}


@pytest.mark.parametrize("what", IN_PLACE)
def test_a_measure_cannot_change_what_others_see(what: str) -> None:
    @measure()
    def UsersInPlace(hits: Hits) -> Floats:
        """Changes an array."""
        IN_PLACE[what](hits)
        return count(hits)

    others = ["nDCG@10", "ERR@10", "RBU@10"]
    with pytest.raises(
        BrokenMeasure, match=r"UsersInPlace fails with ValueError: .*read-only.*hits\.grade\.copy"
    ):
        evaluate(QRELS, RUNS, [UsersInPlace, *others])


def test_a_measure_may_change_a_copy() -> None:
    @measure()
    def UsersCopy(hits: Hits) -> Floats:
        """Clips a copy."""
        grade = hits.grade.copy()
        grade[grade > 1] = 1
        return np.asarray(grade.max(1).sum(-1))

    others = ["nDCG@10", "ERR@10", "RBU@10"]
    found = evaluate(QRELS, RUNS, [UsersCopy, *others])
    assert np.array_equal(found.values[:, :, 1:], evaluate(QRELS, RUNS, others).values)
    # Every document has a grade of at most 1 now, so the sum is the number of relevant documents.
    assert found.values[:, :, 0] == pytest.approx(100 * evaluate(QRELS, RUNS, "P@100").values[:, :, 0])


@pytest.mark.parametrize(
    "change",
    [
        lambda hits: hits.rank.fill(1),
        lambda hits: hits.doc.fill(0),
        lambda hits: hits.shown.alone.wins.fill(0),
        lambda hits: hits.shown.given.shown.fill(0),
        lambda hits: hits.shown.pool.fill(True),
        lambda hits: hits.pool.utilities("raw", "zero", "other")[hits.topic].alone.fill(1),
        lambda hits: hits.pool.groups[hits.topic][0].better.fill(True),
    ],
)
def test_preferences_cannot_be_changed_either(change: Callable[[PreferenceHits], Any]) -> None:
    @measure(needs="preferences")
    def UsersPreferences(hits: PreferenceHits) -> Floats:
        """Changes an array."""
        change(hits)
        return np.zeros(len(hits.rank))

    with pytest.raises(BrokenMeasure, match=r"UsersPreferences fails with ValueError: .*read-only"):
        evaluate(sample.PREFERENCES, RUNS, [UsersPreferences, "nPrf@10"])


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.free.fill(True),
        lambda c: c.level.fill(1),
        lambda c: c.count.fill(1),
        lambda c: c.gains(binary(1), 10).most.fill(1),
    ],
)
def test_completions_cannot_be_changed_either(change: Callable[[Completions], Any]) -> None:
    def bounds(c: Completions) -> tuple[Floats, Floats]:
        change(c)
        return np.zeros(len(c.hits.rank)), np.ones(len(c.hits.rank))

    @measure()
    def UsersBounds() -> Plain:
        """Its bounds change an array."""
        return Plain(score=lambda hits: np.ones(len(hits.rank)), bounds=bounds)

    with pytest.raises(BrokenMeasure, match=r"UsersBounds fails with ValueError: .*read-only"):
        evaluate(QRELS, RUNS, [UsersBounds, "nDCG@10"], bounds=True)


def test_instances_of_axioms_cannot_be_changed_either() -> None:
    @measure()
    def UsersInstances(hits: Hits) -> Floats:
        """Changes an array."""
        clip(hits)
        return count(hits)

    with pytest.raises(
        BrokenMeasure, match=r"UsersInstances fails .*read-only.* It was scoring the rankings"
    ):
        examine([UsersInstances], [Pri])


# What goes wrong in a measure is said in its name.


def _raise(error: BaseException) -> Any:
    raise error


def _recurse(hits: Hits) -> Any:
    return _recurse(hits)


_random = np.random.default_rng(1)
BROKEN: dict[str, tuple[Callable[[Hits], Any], str]] = {
    "exception": (
        lambda hits: _raise(ValueError("no data")),
        "fails with ValueError: no data; correct the m",
    ),
    "exit 0": (lambda hits: sys.exit(0), "fails with SystemExit: 0; correct the measure"),
    "exit 3": (lambda hits: sys.exit(3), "fails with SystemExit: 3; correct"),
    "memory": (lambda hits: _raise(MemoryError()), "fails with MemoryError; correct"),
    "recursion": (_recurse, "fails with RecursionError: maximum recursion depth exceeded.*; correct"),
    "system": (lambda hits: _raise(OSError(2, "nowhere")), "fails with FileNotFoundError: .*; correct"),
    "end of file": (lambda hits: _raise(EOFError()), "fails with EOFError; correct"),
    "pipe": (lambda hits: _raise(BrokenPipeError()), "fails with BrokenPipeError; correct"),
    "overflow": (lambda hits: _raise(OverflowError("too big")), "fails with OverflowError: too big; correct"),
    "NaN": (lambda hits: count(hits) * np.nan, "returns nan for .* scores; correct"),
    "infinity": (lambda hits: count(hits) - np.inf, "returns -inf for .* scores; correct"),
    "noise": (lambda hits: _random.random(len(hits.rank)), "gives other scores when it is called a second"),
    "shape": (lambda hits: np.ones((len(hits.rank), 2)), r"returns scores of shape \(.*, 2\) for"),
    "scalar": (lambda hits: 1.0, r"returns scores of shape \(\) for"),
    "text": (
        lambda hits: np.array(["x"] * len(hits.rank)),
        "returns an array of <U1, and scores are numbers",
    ),
    "nothing": (lambda hits: None, "returns NoneType, and scores are numbers"),
    "complex": (lambda hits: count(hits) * 1j, "returns an array of complex128, and scores are numbers"),
}
WAYS: dict[str, Callable[[Measure], Any]] = {
    "evaluate": lambda m: evaluate(QRELS, RUNS, m),
    "evaluate tied": lambda m: evaluate(QRELS, {"r": {"apple": {"a": 1, "b": 1}}}, m, tied="expected"),
    "compare": lambda m: rankprism.compare(QRELS, RUNS, m),
    "gate": lambda m: rankprism.gate(QRELS, RUNS[0], RUNS[1], m, margin=0.01),
    "explain": lambda m: rankprism.explain(QRELS, RUNS[0], m, topic="apple"),
    "axioms": lambda m: examine([m], [Pri]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_what_goes_wrong_in_a_measure_is_said_in_its_name(what: str, way: str) -> None:
    function, words = BROKEN[what]

    @measure()
    def UsersBroken(hits: Hits) -> Floats:
        """Is broken."""
        found: Floats = function(hits)
        return found

    with pytest.raises(BrokenMeasure, match=f"^UsersBroken {words}"):
        WAYS[way](UsersBroken)


def test_a_measure_of_one_aspect_returns_a_score_for_each_aspect() -> None:
    @single()
    def UsersSingle(hits: Hits) -> Floats:
        """Forgets the aspects."""
        return np.ones(len(hits.rank))

    for name in ("UsersSingle", "UsersSingle_IA", "CAM(UsersSingle)"):
        with pytest.raises(BrokenMeasure, match=r"one score for each ranking and aspect, an array of shape"):
            evaluate(QRELS, RUNS, name)


_numbers = itertools.count()


@pytest.mark.parametrize(
    ("returned", "form"),
    [(Parts(LOGARITHMIC, binary(1)), "Sum"), (Terms({"gain": np.zeros((1, 1, 1))}), "PlainPerAspect")],
)
def test_what_forms_are_made_of_is_not_a_form(returned: Any, form: str) -> None:
    def function(*given: Any) -> Any:
        """Returns what is not a form."""
        return returned

    function.__name__ = name = f"UsersReturns{next(_numbers)}"
    with pytest.raises(MeasureError, match=rf"{name} returns \w+, which are not a form; return {form}\("):
        evaluate(QRELS, RUNS, single()(function))


_SUM = NoveltySum(Parts(LOGARITHMIC, binary(1)))


@pytest.mark.parametrize(
    ("decorator", "returned", "found"),
    [
        (measure, NoveltySum, np.zeros(1)),
        (single, Sum, np.zeros(1)),
        (measure, NoveltySum, Plain(score=count)),
        (measure, Plain, _SUM),
        (single, PlainPerAspect, _SUM),
        (measure, Plain, np.zeros(1)),
        (single, PlainPerAspect, np.zeros(1)),
        (measure, np.ndarray, _SUM),
        (single, np.ndarray, _SUM),
        (measure, None, Mixture((("one", 1.0, nDCG),))),
        (single, None, PlainPerAspect(per_aspect=count)),
    ],
)
def test_a_return_type_is_checked_by_what_is_returned(
    decorator: Callable[..., Any], returned: Any, found: Any
) -> None:
    def function(*given: Any) -> Any:
        """Returns something else."""
        return found

    function.__name__ = name = f"UsersReturns{next(_numbers)}"
    function.__annotations__["return"] = returned
    wrong = f"^{name} returns {type(found).__name__}, but its return type says .*; (correct|declare)"
    with pytest.raises(MeasureError, match=wrong):
        evaluate(QRELS, RUNS, decorator()(function))


def test_a_form_of_all_aspects_is_not_one_of_each_aspect() -> None:
    with pytest.raises(MeasureError, match="UsersMixed: Mixture is a form of all aspects; use @measure"):

        @single()
        def UsersMixed() -> Mixture:
            """A mixture."""
            return Mixture((("one", 1.0, nDCG),))


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_a_score_of_counts_needs_one_formula() -> None:
    """Set Jaccard, f ÷ (n + R - f): its bounds are those of all completions, and ties do not matter."""

    @single()
    def UsersJaccard(rel: float = 1.0) -> Counted:
        """The share of documents that are in both sets."""
        return Counted(rel=rel, over=lambda m: m.n + m.R - m.f, order_free=True)

    judged, run = {"a": 1, "b": 0, "c": 1}, {"q": dict.fromkeys("abxy", 1.0)}
    completed = {f"q{x}{y}": judged | {"x": x, "y": y} for x in (0, 1) for y in (0, 1)}
    reached = evaluate(completed, dict.fromkeys(completed, run["q"]), "UsersJaccard").values.ravel()
    assert reached.tolist() == [1 / 5, 2 / 5, 2 / 5, 3 / 5]
    inside = ["UsersJaccard", "UsersJaccard_IA", "CAM(UsersJaccard)"]
    found = evaluate({"q": judged}, run, inside, bounds=True)
    assert found.low is not None
    assert found.high is not None
    assert found.low.ravel() == pytest.approx([1 / 5] * 3)
    assert found.high.ravel() == pytest.approx([3 / 5] * 3)
    ties = evaluate({"q": judged}, run, inside, tied="all")
    assert ties.values.ravel() == pytest.approx([1 / 5] * 9)


def test_a_return_type_may_be_named_by_its_module() -> None:
    @single()
    def UsersQualified(rel: float = 1.0) -> rankprism.measures.family.Sum:
        """The same as DCG of binary gains."""
        return Sum(Parts(LOGARITHMIC, binary(rel)))

    found = evaluate(QRELS, RUNS, [UsersQualified, "DCG"], bounds=True)
    assert found.low is not None
    assert np.isfinite(found.low).all()


def test_a_score_beyond_the_declared_range_is_an_error() -> None:
    def scores(hits: Hits, most: float = 1.0) -> Floats:
        """As high as its parameter says, and slightly more by rounding."""
        return np.full(len(hits.rank), most + 1e-15)

    scores.__name__ = "UsersRange"
    UsersRange = measure(range=(0, 1))(scores)
    assert evaluate(QRELS, RUNS, UsersRange).values.max() == 1 + 1e-15
    for most in (1.5, -0.5):
        with pytest.raises(
            BrokenMeasure, match=rf"UsersRange returns {most}, and its range is declared as 0 to 1; correct"
        ):
            evaluate(QRELS, RUNS, UsersRange(most=most))
    scores.__name__ = "UsersTurned"
    with pytest.raises(MeasureError, match=r"UsersTurned: range must be the lowest and the highest score"):
        measure(range=(1, 0))(scores)


def test_a_measure_is_called_a_second_time_only_once_for_each_of_its_parameters() -> None:
    calls: list[tuple[float, int]] = []

    @measure()
    def UsersCounted(hits: Hits, rel: float = 1.0) -> Floats:
        """Counts its calls."""
        calls.append((rel, len(hits.rank)))
        return np.ones(len(hits.rank))

    rankings = len(RUNS) * 20
    evaluate(QRELS, RUNS, [UsersCounted, UsersCounted(rel=2)])
    evaluate(QRELS, RUNS, UsersCounted)
    assert calls == [(1, rankings), (1, rankings), (2, rankings), (2, rankings), (1, rankings)]
    calls.clear()
    # Of many rankings, only some are scored again: twice, because a sum over fewer may have other last bits.
    qrels = {str(q): {"a": 1} for q in range(3000)}
    evaluate(qrels, {q: {"a": 1.0} for q in qrels}, UsersCounted(rel=3))
    assert calls == [(3, 3000), (3, 1000), (3, 1000)]


def test_measures_of_the_catalogue_are_not_guarded() -> None:
    for name in ("nDCG", "alpha_nDCG", "nPrf"):
        assert rankprism.measures.parse(name).definition.module.startswith("rankprism.measures.known.")
        form = rankprism.measures.parse(name).form
        assert not {"score", "per_aspect"} & vars(form).keys()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MeasureError])
def test_ctrl_c_in_a_measure_stays_ctrl_c_and_a_refusal_stays_a_refusal(kind: type[BaseException]) -> None:
    @measure()
    def UsersRefusal(hits: Hits) -> Floats:
        """Refuses."""
        raise kind("no score without a judged document")

    with pytest.raises(kind, match=r"^no score without a judged document$"):
        evaluate(QRELS, RUNS, UsersRefusal)


def test_a_constraint_that_ends_the_program_is_an_error_too() -> None:
    @constraint()
    def UsersConstraint(base: Base) -> Iterator[tuple[Floats, ...]]:
        """Ends."""
        yield base.documents, base.documents
        sys.exit(0)

    words = "UsersConstraint fails with SystemExit: 0; correct the constraint"
    with pytest.raises(BrokenMeasure, match=words):
        examine(["nDCG"], [UsersConstraint])


def test_the_error_of_a_measure_on_a_worker_of_spark_is_found() -> None:
    refusals = pytest.importorskip("rankprism.spark.refusals", reason="Spark's modules need pyarrow")
    words = "Mine fails with ValueError: no; correct the measure"
    text = f"Job aborted … Traceback …\nrankprism.errors.BrokenMeasure: {words}\n\tat org…"
    with pytest.raises(BrokenMeasure, match=f"^{words}$"), refusals.refused():
        raise RuntimeError(text)


OWN = """
import sys
from rankprism.measures import measure

@measure()
def UsersExit(hits):
    "Ends the program."
    sys.exit(0)
"""


@pytest.mark.parametrize(
    "words",
    [
        "evaluate QRELS A B -m UsersExit",
        "compare QRELS A B -m UsersExit",
        "leaderboard QRELS A B -m UsersExit",
        "gate QRELS A B -m UsersExit --margin 0.01",
        "explain QRELS A -m UsersExit --topic apple",
        "axioms UsersExit -c Pri",
        "meta correlation QRELS A B -m UsersExit -m AP",
        "report QRELS A B -m UsersExit -o report.html",
    ],
)
def test_no_command_ends_well_because_a_measure_ends_the_program(
    words: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text(OWN, encoding="utf-8")
    meant = {"QRELS": QRELS, "A": RUNS[0], "B": RUNS[1], "report.html": tmp_path / "report.html"}
    done = cli(*(meant.get(word, word) for word in words.split()), "--measures", own)
    assert (done.returncode, done.stdout) == (2, "")
    assert "rankprism: UsersExit fails with SystemExit: 0; correct the measure" in done.stderr


def test_a_file_of_measures_cannot_end_the_program(cli: Callable[..., Any], tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    done = cli("evaluate", QRELS, RUNS[0], "-m", "AP", "--measures", own)
    assert (done.returncode, done.stderr) == (2, f"rankprism: {own}:2: SystemExit: 0\n")
