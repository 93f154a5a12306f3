"""Advice: no sentence contradicts a verdict, each names its subject, only what is significant is a reason."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rankprism import report, sample
from rankprism.errors import InputError, enumerated
from rankprism.formats.judgments import read_judgments
from rankprism.measures import Measure, parse
from rankprism.meta.advice import STORIES, Advice, Evidence, advise, find_story, read_for
from rankprism.meta.axioms import Verdict, examine, read_constraints
from tests.support.verdict_record import FILE

pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

Cli = Callable[..., subprocess.CompletedProcess[str]]
MEASURES = list(json.loads(FILE.read_text(encoding="utf-8"))["measures"])
NONE = "There is only one run."


def drawn(seed: int) -> tuple[list[str], list[str]]:
    """A random set of measures, and a reading of the constraints."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 7))
    chosen = [str(MEASURES[i]) for i in rng.choice(len(MEASURES), count, replace=False)]
    return chosen, [["proved"], ["printed"], ["grades=binary"]][int(rng.integers(3))]


def rows_of(
    measures: Sequence[str | Measure], needs: Sequence[str], readings: list[str]
) -> list[list[Verdict]]:
    constraints = read_constraints(needs, [r for r in readings if "=" not in r])
    if "grades=binary" in readings:
        binary = {c.name: c for c in read_for(read_judgments({"q": {"d": 1}}))}
        constraints = [binary[name] for name in needs]
    found = iter(examine(measures, constraints))
    return [[next(found) for _ in constraints] for _ in measures]


def scores_say(measures: Sequence[str], rng: np.random.Generator) -> Evidence:
    """Figures as `meta` gives them, of which some differences are significant."""
    pairs = [(i, j) for i in range(len(measures)) for j in range(i + 1, len(measures))]

    def figures(name: str) -> Any:
        differences = SimpleNamespace(pairs=pairs, adjusted=rng.choice([0.001, 0.2, np.nan], len(pairs)))
        values = rng.choice([0.2, 0.5, 0.8], len(measures))
        return SimpleNamespace(sampled=object(), differences=lambda: differences, **{name: values})

    return Evidence(NONE, figures("power"), figures("mu"))


SETS = [(*drawn(seed), seed) for seed in range(60)]


@pytest.mark.parametrize("name", STORIES)
def test_no_sentence_contradicts_a_verdict_and_each_names_its_subject(name: str) -> None:
    story = STORIES[name]
    needs = story.needs + story.with_weights
    for measures, readings, seed in SETS:
        rows = rows_of(measures, needs, readings)
        verdicts = {(v.measure, v.constraint.name): v for row in rows for v in row}
        made = advise(story, needs, rows, scores_say(measures, np.random.default_rng(seed)))
        check_verdicts(made, verdicts)
        check_choice(made, rows)
        told = [*made.conclusion, *(sentence for own in made.verdicts for sentence in own)]
        for sentence in told:
            assert sentence.about, sentence
            assert all(measure.display in sentence.text for measure in sentence.about), sentence
            assert not re.search(r"\b(it|they) (sees?|keeps?|holds?)\b|\bkeeps?\b|\bsees?\b", sentence.text)


def check_verdicts(made: Advice, verdicts: dict[tuple[Measure, str], Verdict]) -> None:
    """Each constraint is told once of each measure, in the words of its verdict."""
    for own in made.verdicts:
        assert sorted(axiom for sentence in own for axiom in sentence.axioms) == sorted(made.needs)
        for sentence in own:
            (measure,) = sentence.about
            for axiom in sentence.axioms:
                words = verdicts[measure, axiom].words
                start = "It " if words == "cannot be asked" else "It is "
                assert sentence.text.startswith(f"{start}{words} "), sentence
                assert f"({axiom})" in sentence.text


def check_choice(made: Advice, rows: list[list[Verdict]]) -> None:
    """The measures with the most proofs are chosen, and all that they lack is said in the right words."""
    proved = {row[0].measure: sum(v.proved for v in row) for row in rows}
    most = max(proved.values())
    assert set(made.chosen) == ({m for m, n in proved.items() if n == most} if most else set())
    first, *others = made.conclusion
    assert first.text.startswith("For this user, choose ")
    if not most:
        assert first.text.startswith("For this user, choose another measure: ")
        assert not others
        return
    lacking = {(v.measure, v.constraint.name, v.kind) for row in rows for v in row if not v.proved}
    told = set()
    for sentence in others:
        if sentence.see != "axioms":
            continue
        (kind,) = re.findall(r"not refuted|cannot be asked|refuted", sentence.text)
        told |= {(measure, axiom, kind) for measure in sentence.about for axiom in sentence.axioms}
    assert told == {one for one in lacking if one[0] in made.chosen}


def test_a_difference_that_is_not_significant_is_never_a_reason() -> None:
    decided: dict[str, list[bool]] = {"power": [], "unanimity": []}
    for story, (measures, readings, seed) in product(STORIES.values(), SETS):
        rows = rows_of(measures, story.needs, readings)
        evidence = scores_say(measures, np.random.default_rng(seed))
        made = advise(story, story.needs, rows, evidence)
        figures = {"power": (evidence.power, "power"), "unanimity": (evidence.unanimity, "mu")}
        reasons = [sentence for sentence in made.conclusion if sentence.see != "axioms"]
        assert len(reasons) == (2 if len(made.chosen) > 1 else 0)
        for sentence in reasons:
            found, attribute = figures[sentence.see]
            higher = re.match(
                rf"The {sentence.see} of (.*) is significantly higher than that of (.*) \(", sentence.text
            )
            if higher is None:
                assert f"The {sentence.see} does not decide between " in sentence.text
            decided[sentence.see].append(higher is not None)
            significant = significantly_lower(found, attribute, made, measures)
            shown = [parse(m).display for m in measures]
            assert (enumerated([shown[m] for m in significant]) or None) == (higher and higher[2])
    for figure, each in decided.items():
        assert 0 < sum(each) < len(each), figure  # both outcomes were drawn, so that both were checked


def significantly_lower(found: Any, attribute: str, made: Advice, measures: Sequence[str]) -> list[int]:
    """Of the chosen measures, those with p < .05 against the first of the highest, by definition."""
    values = getattr(found, attribute)
    places = [m for m, measure in enumerate(measures) if parse(measure) in made.chosen]
    top = max(places, key=lambda m: (values[m], -m))
    p = dict(zip(found.differences().pairs, found.differences().adjusted, strict=True))
    return [m for m in places if values[m] < values[top] and p[min(m, top), max(m, top)] < 0.05]


def test_the_words_of_each_verdict_are_the_four() -> None:
    words = {v.words for v in examine([*MEASURES[::9], "P@1"], ["Pri", "Red", "AspDiv", "DeepTh"])}
    plain = {re.sub(r"[\d,]+", "N", one) for one in words}
    four = {"proved", "refuted", "not refuted in N instances", "cannot be asked"}
    assert plain - {"refuted for every n tried"} == four


def test_with_cutoff_1_what_cannot_be_asked_is_not_held_against_a_measure() -> None:
    story = STORIES["survey"]
    made = advise(story, story.needs, rows_of(["RBU@1", "P@1"], story.needs, ["proved"]))
    text = " ".join(sentence.text for sentence in made.conclusion)
    assert text == (
        "For this user, choose RBU@1: 1 of the 3 constraints AspDiv, Red and MRed is proved for RBU@1, and "
        "fewer for the other measures here. Red and MRed cannot be asked of RBU@1."
    )
    assert "refuted" not in text


def test_a_measure_that_50_instances_did_not_refute_is_not_advised() -> None:
    story = STORIES["survey"]
    made = advise(story, story.needs, rows_of(["MM(nDCG@10)"], story.needs, ["proved"]))
    assert made.chosen == ()
    assert made.conclusion[0].text == (
        "For this user, choose another measure: neither AspDiv, Red nor MRed is proved for MM(nDCG@10)."
    )


# ── the same user, the same measure: report, command and page ────────────────────────────────────


@pytest.mark.parametrize("seed", range(3))
def test_the_report_and_the_command_advise_the_same(seed: int, cli: Cli) -> None:
    rng = np.random.default_rng(seed)
    usual = [
        "alpha_nDCG@10",
        "ERR_IA@10",
        "RBU@10",
        "StRecall@10",
        "nDCG@10",
        "P@10",
        "DSharp_nDCG@10",
        "RBU@1",
    ]
    measures = [str(m) for m in rng.choice(usual, 3, replace=False)]
    data = report.make(sample.QRELS, list(sample.RUNS[:3]), measures, depth=2).data
    for name, story in STORIES.items():
        (told,) = [one for one in data["advice"]["stories"] if one["name"] == story.title]
        command = " ".join(cli("axioms", *measures, "--story", name).stdout.split())
        for sentence in told["conclusion"]:
            assert sentence["see"] != "axioms" or sentence["text"] in command
    constraints = read_for(read_judgments(sample.QRELS))
    words = iter(v.words for v in examine(measures, constraints))
    assert [[v["words"] for v in row] for row in data["axioms"]["verdicts"]] == [
        [next(words) for _ in constraints] for _ in measures
    ]


def test_an_unknown_story_is_refused(cli: Cli) -> None:
    with pytest.raises(
        InputError, match="unknown story 'scholar'; there are one-document, survey and risk-averse"
    ):
        find_story("scholar")
    assert "--story needs a measure" in cli("axioms", "--story", "survey").stderr
    asked = ("axioms", "RBU", "--story", "survey")
    assert "--story prints text, not json" in cli(*asked, "--format", "json").stderr
    assert "--story and --threshold are two questions" in cli(*asked, "--threshold", "p").stderr


def test_a_story_takes_more_constraints(cli: Cli) -> None:
    told = cli("axioms", "ERR_IA@10", "RBU@10", "--story", "survey", "-c", "AspRel").stdout
    assert "should satisfy AspDiv, Red, MRed and AspRel" in " ".join(told.split())
