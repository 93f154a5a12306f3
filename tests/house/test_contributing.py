"""CONTRIBUTING.md says how to add things. These tests do what it says, in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rankprism

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"

#: Scores and explanations of random rankings beside the oracle, bounds, names, help, and the worked example.
PROGRAM = """
import doctest, importlib, random
import rankprism
from tests.support import oracles
from rankprism.measures import lookup, names
from rankprism.measures.catalogue import explain, list_measures

assert {"HG", "nHG", "HG_IA", "nHG_IA"} <= set(names())
assert "rankprism.measures.known.harmonic" == lookup("hg").definition.module
draw = random.Random(7)
for _ in range(200):
    docs = [f"d{i}" for i in range(draw.randint(1, 8))]
    judged = {doc: draw.randint(0, 3) for doc in docs if draw.random() < 0.7} or {docs[0]: 1}
    ranking = draw.sample(docs, len(docs))
    run = {"q": {doc: -float(i) for i, doc in enumerate(ranking)}}
    for settings in ({}, {"rel": 2}, {"gain": "exp"}, {"gain": "probability", "cutoff": 3}):
        found = rankprism.evaluate({"q": judged}, run, [lookup("HG")(**settings)], bounds=True)
        expected = oracles.single.HG(judged, ranking, **settings)
        assert abs(found.values.item() - expected) < 1e-12, (judged, ranking, settings)
        assert found.low.item() - 1e-12 <= expected <= found.high.item() + 1e-12

explained = rankprism.explain({"q": {"a": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, ["HG"], "q")
assert list(explained.rankings[0].terms[0].why) == ["gain", "discount"]
assert [round(x, 12) for x in explained.rankings[0].terms[0].earned.tolist()] == [1, 0, round(1 / 3, 12)]
assert "HG" in list_measures() and "HG@k = " in explain(lookup("HG"))
examples = doctest.DocTestFinder().find(lookup("HG").definition.function, "HG")
assert examples and not sum(doctest.DocTestRunner().run(one).failed for one in examples)
print("done")
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a copy of the package and of the oracles."""
    package = Path(rankprism.__file__).parent
    shutil.copytree(package, tmp_path / "rankprism", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PAGE.parent / "tests" / "support" / "oracles", tmp_path / "tests" / "support" / "oracles")
    return tmp_path


def blocks(heading: str) -> list[str]:
    """The Python code below a heading."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^( *)```python\n(.*?)^ *```$", section, flags=re.M | re.S)
    return [textwrap.dedent(code) for _, code in found]


def run(place: Path, *words: str, status: int = 0) -> str:
    """What a program that uses the copy prints, on either stream."""
    environment = os.environ | {"PYTHONPATH": str(place), "PYTHONUTF8": "1", "COLUMNS": "300"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_a_new_measure_is_one_file(place: Path) -> None:
    measure, oracle = blocks("A new measure")
    (place / "rankprism" / "measures" / "known" / "harmonic.py").write_text(measure, encoding="utf-8")
    with (place / "tests" / "support" / "oracles" / "single.py").open("a", encoding="utf-8") as file:
        file.write("\n\n" + oracle)
    for program in (PROGRAM, "import rankprism.measures as m; print('done' if 'nHG' in dir(m) else dir(m))"):
        assert run(place, "-W", "ignore", "-c", program) == "done\n"


def test_a_new_format_is_one_file(place: Path) -> None:
    (module,) = blocks("A new format")
    (place / "rankprism" / "formats" / "known" / "answering.py").write_text(module, encoding="utf-8")
    (place / "a.run").write_text("q1 Q0 d2 1 2.5 t\nq1 Q0 d1 2 1.5 t\nq2 Q0 d3 1 7 t\n")
    (place / "q.txt").write_text("d1 answers q1\nd3 answers q2\n")

    def said(*words: str, status: int = 0) -> str:
        return run(place, "-W", "error", "-m", "rankprism", *words, status=status)

    evaluate = ("evaluate", "q.txt", "a.run", "-m", "RR")
    assert said(*evaluate).split()[-2:] == ["a", "0.7500"]  # (1/2 + 1) / 2
    assert said(*evaluate, "--qrels-format", "answering").split()[-2:] == ["a", "0.7500"]
    assert "'answering'" in said(*evaluate, "--qrels-format", "no", status=2)
    assert said("convert", "q.txt", "q.json") == "q.json: 8 lines, json\n"
    assert "back.answering: 2 lines, answering" in said("convert", "q.json", "back.answering")
    back, there = ((place / name).read_text().splitlines() for name in ("back.answering", "q.txt"))
    assert sorted(back) == there
    assert ", answering," in said("convert", "--help")


SCORES = "run,topic,measure,score\na,1,P,0.5\na,2,P,0.25\na,3,P,1\nb,1,P,0.5\nb,2,P,0.75\nb,3,P,0\n"


def test_a_new_chart_is_one_file(place: Path) -> None:
    [chart] = blocks("A new chart")
    (place / "rankprism" / "showing" / "plots" / "best_topics.py").write_text(chart, encoding="utf-8")
    (place / "scores.csv").write_text(SCORES)
    rankprism = ("-m", "rankprism", "plot")
    assert "best-topics" in run(place, *rankprism, "--help")
    assert "--tolerance" in run(place, *rankprism, "best-topics", "--help")
    run(place, *rankprism, "best-topics", "scores.csv", "-o", "best.svg")
    assert "Best topics" in (place / "best.svg").read_text(encoding="utf-8")
    program = """
import json, rankprism
from rankprism.showing.plots.record import gallery
drawn = json.loads(rankprism.read_scores("scores.csv").plot.best_topics().to_json())
assert [row["topics"] for row in drawn["datasets"][drawn["data"]["name"]]] == [2, 2]
assert "| `best_topics(scores)` |" in gallery()
print("done")
"""
    assert run(place, "-c", program) == "done\n"


def test_a_new_test_of_systems_is_one_function(place: Path) -> None:
    [function] = blocks("A new test of systems")
    with (place / "rankprism" / "statistics" / "paired.py").open("a", encoding="utf-8") as file:
        file.write("\n\n" + function)
    # Six of eight topics favour a, one favours b: 2 (1 + 7) / 2⁷ = 1/8.
    rows = [
        f"{run},{topic},P,{score}"
        for run, row in {"a": "11112202", "b": "00001112"}.items()
        for topic, score in enumerate(row)
    ]
    (place / "scores.csv").write_text("\n".join(["run,topic,measure,score", *rows]))
    printed = run(place, "-m", "rankprism", "compare", "scores.csv", "--test", "sign", "--format", "json")
    assert json.loads(printed)["rows"][0]["p"] == 0.125
    assert "sign" in run(place, "-m", "rankprism", "compare", "--help")
    program = "from rankprism.statistics.tests import tests_table; print('| `sign` |' in tests_table())"
    assert run(place, "-c", program) == "True\n"


def test_a_new_axiom_is_one_file(place: Path) -> None:
    [axiom] = blocks("A new axiom")
    (place / "rankprism" / "meta" / "axioms" / "growth.py").write_text(axiom, encoding="utf-8")
    words = ("-m", "rankprism", "axioms", "DCG", "P", "-c", "Growth", "--instances", "200")
    printed = run(place, *words, "--format", "json")
    assert "Growth" in printed
    kinds = run(
        place,
        "-c",
        "from rankprism.meta.axioms import examine\n"
        "print([verdict.kind for verdict in examine(['DCG', 'RBU'], ['Growth'], instances=200)])",
    )
    assert kinds.count("'") == 4
    assert kinds.split("', '")[0] != kinds.split("', '")[1]


def test_a_new_command_is_a_function_and_three_lines(place: Path) -> None:
    module, command = blocks("A new command")
    (place / "rankprism" / "meta" / "leading.py").write_text(module, encoding="utf-8")
    for name, text in {
        "meta/__init__.py": "from rankprism.meta.leading import leaders\n",
        "cli/commands/meta.py": "\n\n" + command,
    }.items():
        with (place / "rankprism" / name).open("a", encoding="utf-8") as file:
            file.write(text)
    (place / "scores.csv").write_text(SCORES)
    words = ("-m", "rankprism", "meta", "leaders")
    assert "Which run does each measure put first?" in run(place, "-m", "rankprism", "meta", "--help")
    help = " ".join(run(place, *words, "--help").split())
    assert "--tolerance" in help
    assert "share the first place" in help
    # The means are (0.5 + 0.25 + 1) / 3 and (0.5 + 0.75 + 0) / 3.
    assert run(place, *words, "scores.csv", "--format", "csv") == "measure,first\nP,a\n"
    both = run(place, *words, "scores.csv", "--tolerance", "0.2", "--format", "csv")
    assert both == 'measure,first\nP,"a, b"\n'


def test_each_thing_is_added_in_one_screen() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for target in ("make check", "make test", "make nightly", "git clone"):
        assert target in "\n".join(text.splitlines()[:12])
    sections = dict(re.findall(r"^## (A new [^\n]*)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    things = ("measure", "format", "axiom", "test of systems", "chart", "command")
    assert list(sections) == [f"A new {thing}" for thing in things]
    assert {name: len(body.splitlines()) for name, body in sections.items() if body.count("\n") > 45} == {}
