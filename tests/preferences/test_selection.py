"""Which pair to ask next: the choice of questions, and the estimate that it rests on."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import sample
from rankprism.errors import InputError, MeasureError
from rankprism.formats.preferences import read_preferences
from rankprism.judging.preferences.rankings import read_rankings
from rankprism.judging.preferences.selection import CHOICES, select
from rankprism.judging.preferences.study import Task, study_of
from rankprism.judging.preferences.usefulness import reach_of, weights_of, worth_asking
from rankprism.measures import parse
from rankprism.measures.preferences.utility import NONE, pooled, satiation, shown_by_topic
from rankprism.types import Choice

Cli = Callable[..., subprocess.CompletedProcess[str]]
Run = dict[str, dict[str, float]]
Row = tuple[str, str, str, str, str]
OUTCOMES = ("left", "right", "tie")


def some_runs(rng: random.Random, runs: int = 4, topics: int = 3, documents: int = 8) -> dict[str, Run]:
    names = [f"d{i}" for i in range(documents)]
    return {
        f"run{r}": {
            f"q{t}": {doc: float(-i) for i, doc in enumerate(rng.sample(names, rng.randint(2, documents)))}
            for t in range(topics)
        }
        for r in range(runs)
    }


def answered(tasks: list[Task], rng: random.Random) -> list[Row]:
    return [(t.topic, " ".join(t.given), t.left, t.right, rng.choice(OUTCOMES)) for t in tasks]


def questions(tasks: list[Task]) -> list[tuple[str, tuple[str, ...], frozenset[str]]]:
    return [(t.topic, t.given, frozenset((t.left, t.right))) for t in tasks]


# ── the pooled estimate ──────────────────────────────────────────────────────────────────────────


def slow_pooled(
    rows: list[tuple[str, str, str, float]], docs: tuple[str, ...]
) -> tuple[float, dict[Any, float]]:
    """γ and U(d|z), "" being no given document: the least squares problem itself, given to numpy.

    outcome - ½ = θ_left - θ_right for each comparison, and 0 = θ_d for each document.
    """
    n = len(docs)
    design = np.zeros((len(rows) + n, n))
    wanted = np.zeros(len(rows) + n)
    for i, (_, left, right, outcome) in enumerate(rows):
        design[i, docs.index(left)] += 1
        design[i, docs.index(right)] -= 1
        wanted[i] = outcome - 0.5
    design[len(rows) :] = np.eye(n)
    theta = dict(zip(docs, np.linalg.lstsq(design, wanted, rcond=None)[0].tolist(), strict=True))

    triplets = [row for row in rows if row[0]]
    slope = np.array([[-(theta[a] - theta[b]) * max(theta[z], 0.0)] for z, a, b, _ in triplets]).reshape(
        -1, 1
    )
    rest = np.array([x - 0.5 - (theta[a] - theta[b]) for z, a, b, x in triplets])
    gamma = float(np.linalg.lstsq(slope, rest, rcond=None)[0][0]) if slope.any() else 0.0
    gamma = min(max(gamma, 0.0), 2.5)

    mean = sum(theta.values()) / n
    found = {}
    for d in docs:
        for z in ("", *docs):
            f = 1 - gamma * max(theta[z], 0.0) if z else 1.0
            residuals = []
            for given, left, right, outcome in rows:
                if given == z and d in (left, right):
                    sign = 1 if d == left else -1
                    residuals.append(sign * (outcome - 0.5 - (theta[left] - theta[right]) * f))
            value = 0.5 + n / (n - 1) * (theta[d] - mean) * f + sum(residuals) / (len(residuals) + 2)
            found[d, z] = min(max(value, 0.0), 1.0)
    return gamma, found


def test_the_pooled_estimate_solves_the_least_squares_problem() -> None:
    rng = random.Random("pooled")
    for _ in range(20):
        docs = [f"d{i}" for i in range(rng.randint(3, 8))]
        rows = []
        for _ in range(rng.randint(1, 80)):
            left, right, *others = rng.sample(docs, len(docs))
            z = rng.choice(["", others[0]])
            rows.append((z, left, right, rng.choice([0.0, 0.5, 1.0])))
        word = {1.0: "left", 0.0: "right", 0.5: "tie"}
        shown = shown_by_topic(read_preferences([("q", z, a, b, word[x]) for z, a, b, x in rows]))
        one = shown["q"]
        gamma, expected = slow_pooled(rows, one.docs)
        assert satiation(shown) == pytest.approx(gamma, abs=1e-9)
        u = pooled(one, satiation(shown))
        for i, d in enumerate(one.docs):
            assert u.alone[i] == pytest.approx(expected[d, ""], abs=1e-9)
            for j, z in enumerate(one.docs):
                if i != j:
                    assert u.given[i, j] == pytest.approx(expected[d, z], abs=1e-9)


# ── what a question is worth ─────────────────────────────────────────────────────────────────────


def test_weights_add_up_to_what_the_measure_computes() -> None:
    """c_r(d,z) by loops over ranks; with every utility 1 their sum over a run is its score."""
    rng = random.Random("weights")
    rankings = read_rankings(some_runs(rng), depth=5)
    study = study_of(rankings)
    reach = reach_of(parse("Prf(browsing='rr')@5"))
    for one in study.topics:
        slow: Counter[tuple[int, int, int]] = Counter()
        for r, order in enumerate(one.rankings.order.tolist()):
            ranked = [d for d in order if d != NONE]
            for i, d in enumerate(ranked):
                for z in ranked[:i] or [len(one.docs)]:
                    slow[r, d, z] += reach[i] / max(i, 1)
        found = weights_of(one, reach)
        for cell, row in zip(found.cell.tolist(), found.given.tolist(), strict=True):
            d, z = divmod(cell, len(one.docs) + 1)
            assert row == pytest.approx([slow[r, d, z] for r in range(len(rankings.runs))])
        assert found.given.sum() == pytest.approx(sum(slow.values()))
        assert found.doc.sum(0) == pytest.approx(found.given.sum(0))


def test_the_first_questions_are_about_what_tells_most_pairs_of_runs_apart() -> None:
    """By the definition: the drop of Σ (C_a - C_b)² doubt(n) + Σ (c_a - c_b)² / (n + 2) over runs a and b."""
    rng = random.Random("drop")
    for _ in range(10):
        rankings = read_rankings(some_runs(rng, runs=5, topics=1), depth=5)
        study = study_of(rankings)
        reach = reach_of(parse("nPrf@5"))
        weights = weights_of(study.topics[0], reach)
        pairs = list(combinations(range(len(rankings.runs)), 2))
        gain = {}
        n = len(study.topics[0].docs)
        for cell, row in zip(weights.cell.tolist(), weights.given.tolist(), strict=True):
            d, z = divmod(cell, n + 1)
            doc = sum((weights.doc[d, a] - weights.doc[d, b]) ** 2 for a, b in pairs)
            given = sum((row[a] - row[b]) ** 2 for a, b in pairs)
            # Nobody has seen any document: 2.5 becomes 1/2, and 1/2 becomes 1/3.
            gain[d, z] = doc * (2.5 - 1 / 2) + given * (1 / 2 - 1 / 3)
        best = max(gain.values())
        task = select(rankings, budget=1, measures="nPrf@5", choice="targeted")[0]
        position = {doc: d for d, doc in enumerate(study.topics[0].docs)}
        z = position[task.given[0]] if task.given else n
        asked = max(gain.get((position[side], z), 0.0) for side in (task.left, task.right))
        assert asked == pytest.approx(best)


def test_pairs_of_runs_whose_order_is_clear_count_less() -> None:
    """Runs a and b have swapped documents that were judged often and clearly; c and d have not."""
    runs = {
        "a": {"q": {"x": 2.0, "y": 1.0}},
        "b": {"q": {"y": 2.0, "x": 1.0}},
        "c": {"p": {"v": 2.0, "w": 1.0}},
        "d": {"p": {"w": 2.0, "v": 1.0}},
    }
    opponents = [f"o{i}" for i in range(40)]
    rows = [("q", "", "x", o, "left") for o in opponents] + [("q", "", "y", o, "right") for o in opponents]
    study = study_of(read_rankings(runs, 2), rows)
    p, q = 0, 1  # topics as people list them
    even = worth_asking(study, [parse("nPrf@2")], adaptive=False)
    clear = worth_asking(study, [parse("nPrf@2")], adaptive=True)
    assert even[q].doc.max() == pytest.approx(even[p].doc.max())
    assert clear[q].doc.max() < 0.5 * clear[p].doc.max()


# ── what select promises ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("choice", CHOICES)
def test_nothing_is_asked_twice_until_everything_was_asked(choice: Choice) -> None:
    rng = random.Random(f"twice {choice}")
    runs = some_runs(rng, topics=2, documents=6)
    rankings = read_rankings(runs, 5)
    sizes = [len(one.docs) for one in rankings.topics.values()]
    every = sum(n * (n - 1) // 2 * (n - 1) for n in sizes)  # pairs, and each given none or one of the others
    rows: list[Row] = []
    asked: list[Any] = []
    while tasks := select(rankings, rows or None, 40, measures="nPrf@5", choice=choice):
        asked += questions(tasks)
        rows += answered(tasks, rng)
        for task in tasks:
            assert len({task.left, task.right, *task.given}) == 2 + len(task.given)
    assert len(asked) == len(set(asked)) == every
    assert len(select(rankings, rows, every + 5, measures="nPrf@5", choice=choice, overlap=2)) == every


@pytest.mark.parametrize("choice", CHOICES)
def test_a_budget_beyond_all_questions_asks_all_of_them(choice: Choice) -> None:
    runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"z": 3.0, "y": 2.0, "x": 1.0}}}
    tasks = select(runs, budget=1000, measures="nPrf@3", choice=choice)
    # Three pairs, each alone and given the third document.
    assert sorted((t.given, *sorted((t.left, t.right))) for t in tasks) == [
        ((), "x", "y"),
        ((), "x", "z"),
        ((), "y", "z"),
        (("x",), "y", "z"),
        (("y",), "x", "z"),
        (("z",), "x", "y"),
    ]


@pytest.mark.parametrize("choice", CHOICES)
def test_batches_are_disjoint_and_of_the_size_that_is_wanted(choice: Choice) -> None:
    tasks = select(some_runs(random.Random("batches")), budget=25, batch=10, measures="nPrf@5", choice=choice)
    assert [t.batch for t in tasks] == [1] * 10 + [2] * 10 + [3] * 5
    assert len(set(questions(tasks))) == len({t.id for t in tasks}) == 25


@pytest.mark.parametrize("choice", CHOICES)
def test_the_order_of_runs_and_lines_does_not_matter(choice: Choice) -> None:
    rng = random.Random(f"order {choice}")
    runs = some_runs(rng)
    rows = answered(select(runs, budget=60, measures="nPrf@5", choice="random", seed=3), rng)
    expected = select(runs, rows, 30, measures="nPrf@5", choice=choice, seed=1)
    for _ in range(3):
        names = rng.sample(sorted(runs), len(runs))
        mixed = {name: dict(rng.sample(sorted(runs[name].items()), len(runs[name]))) for name in names}
        assert (
            select(mixed, rng.sample(rows, len(rows)), 30, measures="nPrf@5", choice=choice, seed=1)
            == expected
        )
    assert select(runs, rows, 30, measures="nPrf@5", choice=choice, seed=2) != expected


@pytest.mark.parametrize("choice", CHOICES)
def test_little_input_is_enough(choice: Choice) -> None:
    def asked(runs: Any, preferences: Any = None, **more: Any) -> int:
        return len(select(runs, preferences, 5, measures="nPrf@3", choice=choice, **more))

    one = {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}
    assert asked({"only": one}) == 5  # one run
    assert asked({"a": one, "b": one}) == 5  # runs that do not differ
    assert asked({"a": {"q": {"x": 1.0}}, "b": {"q": {"x": 1.0}}}) == 0  # one document has no opponent
    assert asked({"a": {"q": {"x": 1.0}}, "b": {"q": {"y": 1.0}}}) == 1  # two documents make one pair
    assert asked({"a": one, "b": {"other": {"v": 1.0, "w": 0.5}}}) == 5  # no topic in common
    # Judgments of other topics, of documents that no run has, and given several documents do no harm.
    rows = [("p", "", "v", "w", "left"), ("q", "", "x", "stranger", "tie"), ("q", "x y", "z", "v", "left")]
    assert asked({"a": one, "b": one}, rows) == 5


def test_questions_that_were_handed_out_are_not_asked_again() -> None:
    runs = some_runs(random.Random("pending"))
    first = select(runs, budget=20, measures="nPrf@5")
    second = select(runs, budget=20, measures="nPrf@5", pending=first)
    assert not set(questions(first)) & set(questions(second))


def test_a_question_has_the_same_id_whichever_document_is_on_the_left() -> None:
    assert Task("q", ("z",), "a", "b").id == Task("q", ("z",), "b", "a", batch=7).id
    assert Task("q", ("z",), "a", "b").id != Task("q", (), "a", "b").id
    # Files of tasks outlive the program: printf '["q", [], ["a", "b"]]' | sha256sum | cut -c1-16
    assert Task("q", (), "a", "b").id == "f14f581e10146a38"


def test_both_orders_of_a_question_are_asked_in_one_batch() -> None:
    runs = some_runs(random.Random(1))
    tasks = select(runs, budget=21, measures="nPrf@5", batch=8, both_orders=True)
    assert len(tasks) == 20
    assert [(task.batch, task.order) for task in tasks] == [
        (batch, order) for batch, size in ((1, 4), (2, 4), (3, 2)) for order in (1, 2) for _ in range(size)
    ]
    chosen = select(runs, budget=10, measures="nPrf@5")
    assert [(t.id, t.left, t.right) for t in tasks if t.order == 1] == [
        (t.id, t.left, t.right) for t in chosen
    ]
    swapped = {(t.batch, t.id): (t.right, t.left) for t in tasks if t.order == 2}
    assert swapped == {(t.batch, t.id): (t.left, t.right) for t in tasks if t.order == 1}
    assert tasks[0].record()["order"] == 1
    assert "order" not in chosen[0].record()
    # What was judged on both sides is not asked again.
    more = select(runs, answered(tasks, random.Random(2)), 20, measures="nPrf@5", both_orders=True)
    assert not {t.id for t in tasks} & {t.id for t in more}


def test_several_measures_are_served_together() -> None:
    runs = some_runs(random.Random("several"))
    both = select(runs, budget=10, measures=["nPrf@3", "Prf(browsing='rr')@5"])
    assert len(set(questions(both))) == 10


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"measures": "nDCG@10"}, MeasureError, "nDCG@10: questions can be chosen for Prf and nPrf only"),
        ({"measures": "nPrf"}, MeasureError, "nPrf: needs a cutoff to choose questions for, e.g. nPrf@20"),
        ({"choice": "clever"}, InputError, "choice must be one of random, targeted, adaptive; got 'clever'"),
        ({"budget": 0}, InputError, "budget must be at least 1; got 0"),
        ({"batch": 0}, InputError, "batch must be at least 1; got 0"),
        ({"overlap": 0}, InputError, "overlap must be at least 1; got 0"),
        ({"seed": -1}, InputError, "seed must not be negative; got -1"),
        ({"runs": {"a": {"q": {}}}}, InputError, "the runs rank no documents"),
    ],
)
def test_what_cannot_be_chosen_is_refused(more: dict[str, Any], error: type[Exception], words: str) -> None:
    arguments = {"runs": {"a": {"q": {"x": 1.0, "y": 0.5}}}, **more}
    with pytest.raises(error, match=words.replace("(", r"\(")):
        select(**arguments)


def test_rankings_that_are_too_short_are_refused() -> None:
    with pytest.raises(InputError, match="the rankings have 3 documents, and the measures look at 20"):
        select(read_rankings(some_runs(random.Random("short")), 3), budget=1)


def test_rankings_with_ranks_ties_and_documents_that_occur_twice(tmp_path: Path) -> None:
    file = tmp_path / "a.run"
    file.write_text("q Q0 x 1 1.0 t\nq Q0 y 2 1.0 t\nq Q0 x 3 0.5 t\n")
    with pytest.raises(InputError, match=r"a\.run"):
        read_rankings([file], 3)
    kept = read_rankings([file], 3, duplicates="first").topics["q"]
    assert [kept.docs[d] for d in kept.order[0] if d != NONE] == ["y", "x"]  # ties by id descending
    by_rank = read_rankings([file], 1, order="rank", duplicates="first").topics["q"]
    assert by_rank.docs == ("x",)
    with pytest.raises(InputError, match="has no ranks to order by"):
        read_rankings({"a": {"q": {"x": 1.0}}}, 1, order="rank")


# ── the command ──────────────────────────────────────────────────────────────────────────────────


def test_tasks_with_an_outcome_are_preferences(cli: Cli, tmp_path: Path) -> None:
    first, judged, second = (tmp_path / name for name in ("first.jsonl", "judged.jsonl", "second.jsonl"))
    options = ["-m", "nPrf@5", "--budget", 30, "--batch", 10, "--seed", 4]
    result = cli("preferences", "select", *sample.RUNS, *options, "-o", first)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    tasks = [json.loads(line) for line in first.read_text().splitlines()]
    assert set(tasks[0]) == {"id", "batch", "topic", "given", "left", "right"}
    assert [task["batch"] for task in tasks] == [1] * 10 + [2] * 10 + [3] * 10
    judged.write_text("".join(json.dumps(task | {"outcome": "left"}) + "\n" for task in tasks))
    assert len(read_preferences(judged)) == 30
    cli("preferences", "select", *sample.RUNS, *options, "--preferences", judged, "-o", second)
    more = [json.loads(line)["id"] for line in second.read_text().splitlines()]
    assert len(more) == 30
    assert not {task["id"] for task in tasks} & set(more)
    again = cli("preferences", "select", *sample.RUNS[::-1], *options)
    assert again.stdout == first.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name the runs, e.g. runs/*.run"),
        (["missing.run"], "missing.run"),
        ([sample.RUNS[0], "-m", "alpha_nDCG@20"], "questions can be chosen for Prf and nPrf only"),
        ([sample.RUNS[0], "--budget", "0"], "0 is not in the range"),
        ([sample.RUNS[0], "--choice", "clever"], "'clever' is not one of"),
        ([sample.RUNS[0], "--preferences", sample.QRELS], "qrels.txt"),
        ([sample.RUNS[0], "--preferences-format", "tsv"], "name them with --preferences"),
    ],
)
def test_bad_input_is_one_error_and_no_file(
    cli: Cli, tmp_path: Path, arguments: list[Any], words: str
) -> None:
    out = tmp_path / "tasks.jsonl"
    result = cli("preferences", "select", *arguments, "-o", out)
    assert result.returncode == 2
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not out.exists()
