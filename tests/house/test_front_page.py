"""README and the first page of the site: the example is true, and the picture shows what is computed."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rankprism import sample
from rankprism.formats.files import MAX_UNPACKED
from tests.support.oracles.diversity import alpha_nDCG

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs"))

import idea  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def judged() -> dict[str, dict[str, float]]:
    """The judgments of the query in the picture: the grade of each document for each sense."""
    found: dict[str, dict[str, float]] = {}
    for line in sample.QRELS.read_text(encoding="utf-8").splitlines():
        topic, sense, doc, grade = line.split()
        if topic == idea.QUERY:
            found.setdefault(sense, {})[doc] = float(grade)
    return found


@pytest.fixture(scope="module")
def shown() -> dict[str, dict[str, str]]:
    """The scores that are written in the picture, of each measure for each ranking."""
    words = [
        "".join(text.itertext())
        for text in ElementTree.parse(idea.PICTURE).iter("{http://www.w3.org/2000/svg}text")
    ]
    return {
        name: {words[at + 2]: words[at + 3], words[at + 4]: words[at + 5]}
        for at, name in enumerate(words)
        if name.endswith(("@4", "@4)"))
    }


def test_the_picture_is_what_would_be_drawn_now() -> None:
    assert idea.PICTURE.read_text(encoding="utf-8") == idea.picture(), "`make docs` draws it again"


def test_both_rankings_have_four_relevant_pages_and_one_of_them_has_only_cars(
    judged: dict[str, dict[str, float]], shown: dict[str, dict[str, str]]
) -> None:
    """What the first lines of README say."""
    covered = {
        name: [{sense for sense in judged if judged[sense].get(doc, 0) > 0} for doc in ranking]
        for name, ranking in idea.rankings().items()
    }
    assert set(judged) == {"car", "cat", "guitar"}
    assert covered["A"] == [{"car"}, {"cat"}, {"guitar"}, {"car"}]
    assert covered["B"] == [{"car"}] * 4
    assert shown["P@4"] == {"A": "1.00", "B": "1.00"}


def test_the_scores_in_the_picture_are_right(
    judged: dict[str, dict[str, float]], shown: dict[str, dict[str, str]]
) -> None:
    for name, ranking in idea.rankings().items():
        assert shown["α-nDCG@4"][name] == f"{alpha_nDCG(judged, ranking, cutoff=4):.2f}"
    # All pages are relevant. TOMA puts credible ones two levels above the worst label, and doubtful ones one.
    a = 2 / log2(2) + 1 / log2(3) + 1 / log2(4) + 2 / log2(5)
    b = 2 / log2(2) + 2 / log2(3) + 2 / log2(4) + 2 / log2(5)
    assert shown["TOMA(nDCG@4)"] == {"A": f"{a / b:.2f}", "B": "1.00"}


def test_the_program_prints_the_scores_in_the_picture(
    cli: Callable[..., Any], shown: dict[str, dict[str, str]]
) -> None:
    for judgments, measures in (
        (sample.QRELS, {"P@4": "P@4", "alpha_nDCG@4": "α-nDCG@4"}),
        (sample.PREFERENCES, {"nPrf@4": "nPrf@4"}),
    ):
        runs = [sample.FOLDER / "runs" / f"{run}.run" for run in idea.RANKINGS.values()]
        named = [word for measure in measures for word in ("-m", measure)]
        printed = cli("evaluate", judgments, *runs, *named, "--per-topic", "--format", "csv").stdout
        rows = [row for row in csv.DictReader(io.StringIO(printed)) if row["topic"] == idea.QUERY]
        assert len(rows) == 2 * len(measures)
        for row in rows:
            [name] = [name for name, run in idea.RANKINGS.items() if run == row["run"]]
            assert shown[measures[row["measure"]]][name] == f"{float(row['score']):.2f}"


def test_the_measures_disagree_as_the_text_below_the_picture_says(shown: dict[str, dict[str, str]]) -> None:
    better = {
        measure: "both" if scores["A"] == scores["B"] else max(scores, key=lambda name: scores[name])
        for measure, scores in shown.items()
    }
    assert better == {"P@4": "both", "α-nDCG@4": "A", "TOMA(nDCG@4)": "B", "nPrf@4": "A"}
    [alternative] = re.findall(r"!\[([^\]]+)\]\(docs/images/idea.svg\)", README)
    for words in ("Precision scores both alike", "are higher for A", "TOMA is higher for B"):
        assert words in alternative


def plain(text: str) -> str:
    """A text without line breaks and with links as docs/index.md has them."""
    return " ".join(text.replace("](docs/", "](").split())


def test_readme_and_the_first_page_of_the_site_tell_the_same() -> None:
    """The two differ in how to open the report, and in what follows the line that installs."""
    for part in (
        r"Two search engines.*α-nDCG shows it\.",
        r"## Who it is for\n.*## Install",
        r"\npip install [^\n]*",
    ):
        readme, index = (re.findall(part, text, re.S) for text in (README, INDEX))
        assert len(readme) == len(index) == 1
        assert plain(readme[0]) == plain(index[0])


def test_the_security_page_names_options_and_pages_that_exist(cli: Callable[..., Any]) -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    text = re.sub(r"`systemd-run [^`]*`", "", text)  # another program's options
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []
    help = cli("--help").stdout + cli("evaluate", "--help").stdout + cli("assess", "--help").stdout
    named = {*re.findall(r"--[a-z][a-z-]+", text), "guarded-csv", MAX_UNPACKED, " serve ", " import "}
    assert {"--max-unpacked", "--measures", "--format"} <= named
    assert [name for name in sorted(named) if name not in help] == []
    assert MAX_UNPACKED in text


def test_no_command_in_readme_is_cut_off_on_a_phone() -> None:
    """GitHub does not wrap code. On 360 pixels, 16 are left free on either side, and again in the block.

    A character of the code is 0.6 × 13.6 pixels wide, and what goes into the padding is visible.
    """
    widest = int((360 - 2 * 16 - 16) / (0.6 * 13.6))
    blocks = re.findall(r"^```(?:console|sh)\n(.*?)^```$", README, re.M | re.S)
    commands = [c for block in blocks for c in re.findall(r"^(?:\$ |pip )(?:.*\\\n)*.*$", block, re.M)]
    assert len(commands) >= 4
    assert [line for command in commands for line in command.splitlines() if len(line) > widest] == []
