"""The comparison of the pages in docs/reproduction with their commands, on small pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

import reproduced

PAGE = """\
```sh
rankprism convert --run track/runs/b.run.gz converted/track/b.run --to trec
rankprism reproduce toma \\
  here.toml RUN... --order rank
rankprism plot irec scores.csv
```

<!-- also
rankprism reproduce rbu
-->

| pair | printed | found | cut |
|---|---:|---:|---:|
| EUCL - CAM | .99 | .94 [.76, 1.00] | 0.12–0.10 [0.05, 0.20] |
| MM | 1.00 | −.05 | words |

| claim | command | ours |
|---|---|---|
| a sentence | `rbu` | .77 |

<!-- not compared: these are sums by hand -->

| | found |
|---|---:|
| CAM | .55 |
"""
FOUND = [
    reproduced.Computed("EUCL - CAM", 0.9444, 0.7571, 1.0),
    reproduced.Computed("RBU", 0.12, 0.051, 0.199),
    reproduced.Computed("RBU", 0.1, None, None),
    reproduced.Computed("MM", -0.05, None, None),
    reproduced.Computed("CHEB", 0.9444, 0.2, 0.3),
]


def test_the_cells_of_a_page_are_those_that_its_commands_print() -> None:
    assert reproduced.differences(PAGE, FOUND) == (3, [])


@pytest.mark.parametrize(
    ("old", "new", "cell", "intervals"),
    [
        # CHEB has this interval, but EUCL - CAM is another row.
        ("[.76, 1.00]", "[.20, .30]", ".94 [.20, .30]", ("[0.76, 1.00]",)),
        ("[.76, 1.00]", "[.76, .99]", ".94 [.76, .99]", ("[0.76, 1.00]",)),
        ("−.05", ".05", ".05", ()),
        ("0.12–0.10", "0.12–0.11", "0.12–0.11 [0.05, 0.20]", ("[0.05, 0.20]",)),
        (".94 [", ".95 [", ".95 [.76, 1.00]", ()),
    ],
)
def test_a_cell_that_no_command_prints_is_found(
    old: str, new: str, cell: str, intervals: tuple[str, ...]
) -> None:
    _, (found,) = reproduced.differences(PAGE.replace(old, new), FOUND)
    assert (found.cell, found.intervals) == (cell, intervals)


def test_new_intervals_are_put_in_as_the_page_writes_numbers() -> None:
    stale = PAGE.replace("[.76, 1.00]", "[.20, .30]").replace("[0.05, 0.20]", "[0.15, 0.20]")
    assert reproduced.refreshed(stale, reproduced.differences(stale, FOUND)[1]) == PAGE
    wrong = PAGE.replace(".94 [", ".95 [")
    assert reproduced.refreshed(wrong, reproduced.differences(wrong, FOUND)[1]) == wrong


def test_the_commands_of_a_page_have_all_runs_of_their_collection(tmp_path: Path) -> None:
    runs = tmp_path / "track" / "runs"
    runs.mkdir(parents=True)
    for name in ("a.run.gz", "b.run.gz"):
        (runs / name).touch()
    convert, toma, rbu = reproduced.commands(PAGE)
    assert convert.startswith("rankprism convert")
    assert rbu == "rankprism reproduce rbu"
    given = toma.replace("here.toml", "track/qrels")
    full = reproduced.with_runs(given, tmp_path, ["converted/track/b.run"])
    assert full.split()[3:] == [
        "track/qrels",
        "track/runs/a.run.gz",
        "converted/track/b.run",
        "--order",
        "rank",
    ]


@pytest.mark.parametrize("page", reproduced.PAGES, ids=lambda page: page.name)
def test_every_page_has_commands_and_tables_to_compare(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    commands = reproduced.commands(text)
    assert any(command.startswith("rankprism reproduce ") for command in commands)
    # Files are named as they are found beside the collections, or they are on the page.
    named = {word for command in commands for word in command.split() if word.endswith(".toml")}
    assert named == set(re.findall(r"^```toml\n# (\S+)$", text, re.M))
    agree, differ = reproduced.differences(text, [])
    assert agree == 0
    assert len(differ) > 100


def test_a_missing_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduced.main([str(tmp_path / "none")]) == 2
    assert "no such folder" in capsys.readouterr().out


def test_a_page_is_compared_with_what_its_commands_print_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figure 2 needs no runs: two lines of judgments, of which CAM can reach 1."""
    (tmp_path / "data" / "track" / "runs").mkdir(parents=True)
    (tmp_path / "data" / "track" / "qrels").write_text("1 0 a 1 1\n1 0 b 0 0\n")
    (tmp_path / "data" / "track" / "runs" / "one").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    page = tmp_path / "page.md"
    text = (
        '```toml\n# two.toml\njudgments = "track/qrels"\ncolumns = ["x", "y"]\n```\n\n'
        "```sh\nrankprism reproduce toma two.toml track/runs/one -m nDCG\n```\n\n"
        "| | at 1 (%) |\n|---|---:|\n| CAM(nDCG) | 100.0 |\n"
    )
    page.write_text(text)
    assert reproduced.main([str(tmp_path / "data"), str(page)]) == 0
    assert "page.md: 1 cells agree, 0 do not" in capsys.readouterr().out
    page.write_text(text.replace("100.0", "99.0"))
    assert reproduced.main([str(tmp_path / "data"), str(page)]) == 1
    assert "page.md, line 13: no command of the page prints 99.0" in capsys.readouterr().out
