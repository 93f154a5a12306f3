"""CONTRIBUTING.md says how to add things. These tests do what it says, in a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rankprism

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"

#: Scores and explanations of random rankings beside the oracle, bounds, names, help, and the worked example.
PROGRAM = """
import doctest, importlib, random
import rankprism, oracles.single
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
examples = doctest.DocTestFinder().find(lookup("HG").definition.formula.function, "HG")
assert examples and not sum(doctest.DocTestRunner().run(one).failed for one in examples)
print("done")
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a copy of the package and of the oracles."""
    package = Path(rankprism.__file__).parent
    shutil.copytree(package, tmp_path / "rankprism", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PAGE.parent / "tests" / "oracles", tmp_path / "oracles")
    return tmp_path


def blocks(heading: str) -> list[str]:
    """The Python code below a heading."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^( *)```python\n(.*?)^ *```$", section, flags=re.M | re.S)
    return [textwrap.dedent(code) for _, code in found]


def test_a_new_measure_is_one_file(place: Path) -> None:
    measure, oracle = blocks("A new measure")
    (place / "rankprism" / "measures" / "known" / "harmonic.py").write_text(measure, encoding="utf-8")
    with (place / "oracles" / "single.py").open("a", encoding="utf-8") as file:
        file.write("\n\n" + oracle)
    environment = os.environ | {"PYTHONPATH": str(place), "PYTHONWARNINGS": "ignore", "PYTHONUTF8": "1"}
    for program in (PROGRAM, "import rankprism.measures as m; print('done' if 'nHG' in dir(m) else dir(m))"):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, encoding="utf-8")
        assert done.stdout == "done\n", done.stderr


def test_a_new_format_is_one_file(place: Path) -> None:
    (module,) = blocks("A new format")
    (place / "rankprism" / "formats" / "known" / "answering.py").write_text(module, encoding="utf-8")
    (place / "a.run").write_text("q1 Q0 d2 1 2.5 t\nq1 Q0 d1 2 1.5 t\nq2 Q0 d3 1 7 t\n")
    (place / "q.txt").write_text("d1 answers q1\nd3 answers q2\n")

    def run(*words: str) -> str:
        command = [sys.executable, "-W", "error", "-m", "rankprism", *words]
        environment = os.environ | {"PYTHONPATH": str(place), "PYTHONUTF8": "1", "COLUMNS": "300"}
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, encoding="utf-8")
        return done.stdout + done.stderr

    evaluate = ("evaluate", "q.txt", "a.run", "-m", "RR")
    assert run(*evaluate).split()[-2:] == ["a", "0.7500"]  # (1/2 + 1) / 2
    assert run(*evaluate, "--qrels-format", "answering").split()[-2:] == ["a", "0.7500"]
    assert "'answering'" in run(*evaluate, "--qrels-format", "no")
    assert run("convert", "q.txt", "q.json") == "q.json: 8 lines, json\n"
    assert "back.answering: 2 lines, answering" in run("convert", "q.json", "back.answering")
    back, there = ((place / name).read_text().splitlines() for name in ("back.answering", "q.txt"))
    assert sorted(back) == there
    assert ", answering," in run("convert", "--help")
