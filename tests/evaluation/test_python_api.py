"""Python has what the command line has: packages, functions of the same names, inputs of the same kinds."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import rankprism
from rankprism import InputError, MeasureError, Scores, evaluate, read_judgments, read_run, sample
from rankprism.meta.axioms import Conf, Pri
from rankprism.results.result import Result

MEASURES = ["alpha_nDCG@10", "P@10", "ERR_IA@10"]
#: Of no type that any function takes.
WRONG: Any = 3
PACKAGES = ("aspects", "axioms", "measures", "meta", "plots", "preferences", "report")
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(sample.QRELS, list(sample.RUNS), MEASURES)


def test_packages_load_on_first_use_and_are_listed() -> None:
    assert set(PACKAGES) <= set(dir(rankprism))
    code = (
        "import sys, rankprism\n"
        "assert 'numpy' not in sys.modules\n"
        f"for name in {PACKAGES}: assert getattr(rankprism, name).__name__.endswith('.' + name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("group", ["meta", "aspects", "preferences"])
def test_the_function_of_a_command_has_its_name(group: str) -> None:
    import importlib

    package = getattr(rankprism, group)
    commands = getattr(importlib.import_module(f"rankprism.cli.commands.{group}"), group).commands
    names = [name.replace("-", "_") for name, one in commands.items() if not hasattr(one, "commands")]
    assert len(names) >= 3
    for name in names:
        function = getattr(package, name)
        assert callable(function), name
        # A module of the same name would take the function's place once somebody imports it.
        assert function.__module__ != f"rankprism.{group}.{name}"


def test_functions_take_paths_frames_and_results(scores: Scores, tmp_path: Any) -> None:
    from rankprism import meta

    path = tmp_path / "scores.csv"
    scores.to_frame("pandas").to_csv(path, index=False)
    by_path, by_scores = meta.unanimity(path), meta.unanimity(scores)
    assert str(by_path) == str(by_scores) == str(meta.unanimity(scores.to_frame("polars")))
    found = meta.power(scores, resamples=50)
    assert str(meta.agreement(found)) == str(meta.agreement(scores, resamples=50))
    both: dict[str, Any] = {"judgments": sample.QRELS, "runs": list(sample.RUNS), "most": 2}
    named = meta.disagreement(path, first=MEASURES[0], second=MEASURES[1], **both)
    assert str(meta.disagreement(scores, **both)) == str(named)


def test_analyses_take_judgments_runs_and_measures_as_the_commands_do(scores: Scores) -> None:
    from rankprism import comparison, meta

    few: dict[str, dict[str, Any]] = {
        "agreement": {"resamples": 20},
        "correlation": {"coefficient": "tau-a"},
        "disagreement": {"most": 2},
        "intuitiveness": {"gold": "P@10"},
        "power": {"resamples": 20},
        "stability": {"samples": 1, "method": "t"},
        "swap": {"trials": 5},
        "unanimity": {},
    }
    functions: dict[str, Any] = {name: getattr(meta, name) for name in few}
    functions["compare"], few["compare"] = rankprism.compare, {"baseline": "noisy"}
    functions["leaderboard"], few["leaderboard"] = rankprism.leaderboard, {}
    functions["topic_set_size"], few["topic_set_size"] = comparison.topic_set_size, {"difference": 0.1}
    collection = (sample.QRELS, list(sample.RUNS), MEASURES)
    for name, function in functions.items():
        lists = {"judgments": sample.QRELS, "runs": list(sample.RUNS)} if name == "disagreement" else {}
        computed = function(*collection, **few[name])
        assert str(computed) == str(function(scores, **few[name], **lists)), name
        # Measures without runs choose among the scores.
        some = MEASURES[1:] if name != "intuitiveness" else MEASURES
        chosen = function(scores, measures=some, **few[name])
        assert str(chosen) == str(function(scores.select(measures=some), **few[name])), name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((read_judgments(sample.QRELS),), "judgments have no scores; pass the runs and the measures"),
        ((sample.QRELS, list(sample.RUNS)), "name the measures"),
        ((Scores((), (), (), np.empty((0, 0, 0))), list(sample.RUNS), "P"), "computed already; leave out"),
    ],
)
def test_what_cannot_be_scored_says_what_is_missing(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rankprism.compare(*arguments)


def test_aspects_take_what_read_judgments_takes(tmp_path: Any) -> None:
    from rankprism import aspects

    path = tmp_path / "qrels"
    path.write_text("topic 0 docno relevance credibility\nq 0 a 2 1\nq 0 b 0 1\n")
    judged = read_judgments(path)
    for function in (aspects.labels, aspects.order, aspects.orders, aspects.attainable):
        assert str(function(path)) == str(function(judged))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rankprism.meta.power(WRONG), "cannot read scores from int"),
        (lambda: rankprism.meta.agreement("absent.csv"), "absent.csv: there is no such file"),
        (lambda: rankprism.compare([WRONG]), "cannot read scores from list"),
        (lambda: rankprism.aspects.labels(WRONG), "cannot read int"),
        (lambda: rankprism.aspects.order("absent"), "absent: there is no such file"),
        (lambda: rankprism.aspects.attainable(WRONG), "cannot read int"),
        (lambda: rankprism.aspects.compare(WRONG, []), "cannot read int"),
        (lambda: evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, WRONG), "3 is not a measure"),
        (lambda: evaluate({"q": {"d": 1}}, WRONG, "P"), "cannot read int"),
    ],
)
def test_wrong_types_get_errors_of_ours(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((InputError, MeasureError)) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_judgments_and_runs_give_the_same_bits(way: str) -> None:
    copied = COPIES[way]
    judged = read_judgments(sample.QRELS, weights=sample.WEIGHTS)
    runs = [read_run(path) for path in sample.RUNS]
    expected = evaluate(judged, runs, MEASURES)
    again = copied(judged)
    found = evaluate(again, [copied(run) for run in runs], MEASURES, order="rank")
    np.testing.assert_array_equal(found.values, evaluate(judged, runs, MEASURES, order="rank").values)
    np.testing.assert_array_equal(copied(expected).values, expected.values)
    assert (again.source, again.format, again.topics) == (judged.source, judged.format, judged.topics)
    assert [copied(run).name for run in runs] == [run.name for run in runs]


def test_copies_keep_scales_empty_topics_and_sources() -> None:
    two = read_judgments(
        {"q": {"r": {"a": 2, "b": 0}, "c": {"a": 1}}}, aspects={"r": ["no", "so", "yes"], "c": {}}
    )
    again = COPIES["pickle"](two)
    assert (again.scales, again.lowered, again.notes) == (two.scales, two.lowered, two.notes)
    run = read_run({"q": {}, "p": {"d": 1.0}}, name="empty on q")
    assert COPIES["pickle"](run).topics == run.topics
    assert COPIES["pickle"](run).table.source == run.table.source


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_results_pickle_and_copy(scores: Scores) -> None:
    from rankprism import aspects, axioms, comparison, meta

    judged = read_judgments({"q": {"r": {"a": 2, "b": 0}, "c": {"a": 1}}})
    found = meta.power(scores, resamples=50)
    results: list[Result] = [
        found,
        found.differences(),
        meta.agreement(found),
        meta.unanimity(scores),
        meta.correlation(scores),
        meta.intuitiveness(scores, gold="P@10"),
        meta.swap(scores, trials=5),
        meta.stability(scores, sizes=[5], samples=2, resamples=20),
        meta.disagreement(scores, judgments=sample.QRELS, runs=list(sample.RUNS)),
        comparison.compare(scores),
        comparison.topic_set_size(difference=0.5, variance=1.0),
        aspects.order(judged),
        aspects.orders(judged),
        aspects.labels(judged),
        aspects.attainable(judged),
        axioms.axiom_table(["P@10", "RBU"], ["Pri", Conf(grades="binary")], instances=10),
        axioms.paper_table(["Pri"], instances=10),
        axioms.find_thresholds(["RBP"], ["Pri"], "p", (0.5, 0.9), instances=10),
    ]
    for result in results:
        for way, copied in COPIES.items():
            again = copied(result)
            assert again.to_json() == result.to_json(), (way, type(result))
            assert is_dataclass(again)
            arrays = [getattr(again, f.name) for f in fields(again)]
            assert not any(x.flags.writeable for x in arrays if isinstance(x, np.ndarray)), (
                way,
                type(result),
            )


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_constraints_are_read_in_the_same_way(way: str) -> None:
    binary = Pri(grades="binary")
    assert str(COPIES[way](binary)) == str(binary) == "Pri(grades='binary')"
    assert COPIES[way](Pri) is Pri


@pytest.mark.parametrize(
    "module", ["rankprism", "rankprism.meta", "rankprism.judging.aspects", "rankprism.showing.plots"]
)
def test_every_parameter_of_a_public_function_can_be_given_by_name(module: str) -> None:
    package = importlib.import_module(module)
    functions = [f for name in package.__all__ if inspect.isfunction(f := getattr(package, name))]
    assert functions
    for function in functions:
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.POSITIONAL_ONLY not in kinds, function
