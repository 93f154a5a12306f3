"""Options are made from signatures, each name means one thing, and help fits on a screen."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from rankprism.cli import answers
from rankprism.cli.app import COMMANDS, app, every_command
from rankprism.cli.derived import function_at, options_of
from rankprism.cli.door import HEADINGS, Command, Option, Words
from rankprism.cli.frame import charts
from rankprism.showing import plots

Cli = Callable[..., subprocess.CompletedProcess[str]]
EVERY: dict[tuple[str, ...], Any] = every_command()

#: Names that mean several things, and why they may.
SEVERAL = {
    "--assessors": "a number everywhere; a study also takes the names of its assessors",
    "--both-orders": "a study says who is asked twice; a list of questions knows no assessors",
    "--choice": "a study may also take its questions from a file",
    "--format": "pictures have other formats than tables, and trec is a format of scores",
    "--gold": "nothing but a measure",
    "--judge": "judges of preferences have files of preferences",
    "--lower": "files of scores have measures instead of aspects",
    "--measure": "several, or one",
    "--over": "each analysis has units of its own",
    "--run": "the run of a chart; in convert, that IN is a run",
    "--target": "a share that is to be reached, or whose preferences are to be found",
    "--test": "each analysis has tests of its own",
    "--ties": "in simulations, how they are judged; in models, how they count",
    "--triplets": "one number of triplets, or one experiment for each of several",
}


@pytest.fixture
def cli(commands: Path, tmp_path: Path) -> Cli:
    """Run the command line in a folder of its own, perhaps with other variables."""

    def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        command = [str(commands / "rankprism"), *map(str, words)]
        told = environment | {"PYTHONUTF8": "1"} | variables
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=told
        )

    return run


def in_context(words: tuple[str, ...], command: Any) -> click.Context:
    found: click.Context = command.make_context(
        " ".join(["rankprism", *words]), [], resilient_parsing=True, terminal_width=80
    )
    return found


def kind(option: Option, context: click.Context) -> str:
    """What an option takes, as help shows it. The order of words does not matter."""
    takes = "" if option.is_flag else option.make_metavar(context)
    return "|".join(sorted(takes.strip("<>").split("|"))) if isinstance(option.type, Words) else takes


def test_a_name_has_one_kind_and_one_set_of_words() -> None:
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for words, command in EVERY.items():
        context = in_context(words, command)
        for option in command.params:
            if isinstance(option, Option):
                for name in option.opts:
                    if name.startswith("--"):
                        kinds[name][kind(option, context)].append(" ".join(words))
    several = {name: dict(found) for name, found in kinds.items() if len(found) > 1}
    assert {name: found for name, found in several.items() if name not in SEVERAL} == {}
    assert set(SEVERAL) - set(several) <= {"--gold", "--measure"}


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_h_is_one_screen_and_names_every_option_under_its_heading(words: tuple[str, ...]) -> None:
    command = EVERY[words]
    shown = command.overview(in_context(words, command))
    lines = shown.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    named = {name for option in command.params if isinstance(option, Option) for name in option.opts}
    assert named - {"-h", "--help"} <= set(re.findall(r"--?[\w-]+", shown))
    headings = [line.partition(":")[0] for line in lines if line.partition(":")[0] in HEADINGS]
    assert headings == sorted(headings, key=HEADINGS.index)


@pytest.mark.parametrize("words", [(), ("meta",), ("preferences",), ("preferences", "experiment"), ("plot",)])
def test_h_of_a_group_is_one_screen_of_its_commands(words: tuple[str, ...], cli: Cli) -> None:
    done = cli(*words, "-h")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    inside = {one[len(words)] for one in EVERY if one[: len(words)] == words}
    assert inside <= {line.split()[0] for line in lines if line}


def test_help_has_the_headings_in_their_order(cli: Cli) -> None:
    shown = cli("compare", "--help").stdout
    places = [shown.index(f"\n{heading}:\n") for heading in HEADINGS]
    assert places == sorted(places)


def test_the_table_of_commands_has_their_first_sentences() -> None:
    context = click.Context(app, info_name="rankprism")
    for name, place in COMMANDS.items():
        command = app.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(limit=1000) == place.summary


def test_no_help_loads_numpy(tmp_path: Path) -> None:
    """`convert` lists the formats that are registered, whose modules need it."""
    code = (
        "import contextlib, io, sys\n"
        "from rankprism.cli.app import app, every_command\n"
        "for words in every_command():\n"
        "    if words != ('convert',):\n"
        "        with contextlib.redirect_stdout(io.StringIO()):\n"
        "            app([*words, '--help'])\n"
        "            app([*words, '-h'])\n"
        "print(sorted({'numpy', 'rich', 'scipy', 'rankprism.showing.plots'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def called() -> list[str]:
    """The functions whose parameters are options, as the modules of commands name them."""
    import rankprism.cli.commands

    [folder] = rankprism.cli.commands.__path__
    text = "".join(path.read_text(encoding="utf-8") for path in Path(folder).glob("*.py"))
    return sorted({*re.findall(r'"([a-z_.]+:[A-Za-z_]+)"', text)} - {"types:Choice"})


def test_signatures_are_read_from_the_source_as_python_reads_them() -> None:
    read = 0
    for where in called():
        found = function_at(where)
        if not callable(found) or (not inspect.isroutine(found) and not inspect.isclass(found)):
            continue
        known = inspect.signature(found).parameters
        for option in options_of(where):
            name = str(option.name)
            if name not in known:
                continue  # one of ``**simulated``
            if known[name].default is inspect.Parameter.empty:
                assert option.required
            elif isinstance(known[name].default, int | float | str):
                assert option.default == known[name].default, f"{where}: {name}"
            read += 1
    assert read > 100


def test_charts_are_found_in_the_source() -> None:
    assert {one.name: one.command for one in charts()} == {
        name: chart.command for name, chart in plots.CHARTS.items()
    }


# ── what people type ─────────────────────────────────────────────────────────────────────────────


def test_no_synonym_hides_an_option_and_every_answer_leads_to_one() -> None:
    used = set()
    for words, command in EVERY.items():
        path = " ".join(words)
        own = {name for option in command.params if isinstance(option, click.Option) for name in option.opts}
        for name in own:
            assert answers.accepted(path, [f"{name}=x"], own, ()) == [f"{name}=x"]
        for old, new in answers.RENAMED.get(path, {}).items():
            assert old not in own, path
            assert new in own, path
        used |= {name for name, hint in answers.HINTS.items() if hint.needs in own}
        arguments = " ".join(str(one.metavar) for one in command.params if isinstance(one, click.Argument))
        used |= {name for name, hint in answers.HINTS.items() if hint.needs in arguments}
        used |= {name for name, meant in answers.SYNONYMS.items() if meant in own}
    assert used == {*answers.HINTS, *answers.SYNONYMS}
    assert set(answers.RENAMED) <= {" ".join(words) for words in EVERY}
    assert all(old in answers.RENAMED[path] for path, old in answers.KEPT)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--metric AP", "-m AP"),
        ("--metrics=AP", "-m AP"),
        ("-m AP --json", "-m AP --format json"),
        ("-m AP --csv", "-m AP --format csv"),
        ("-m AP --latex", "-m AP --format latex"),
        ("-m AP --markdown", "-m AP --format markdown"),
        ("-m AP --out -", "-m AP -o -"),
        ("-m AP --per-query", "-m AP --per-topic"),
        ("-m AP --intervals", "-m AP --intervals 0.95"),
        ("-m AP --level 0.9", "-m AP --intervals 0.9"),
    ],
)
def test_synonyms_are_accepted(typed: str, meant: str, cli: Cli, sample_files: list[str]) -> None:
    done, expected = (cli("evaluate", *sample_files, *words.split()) for words in (typed, meant))
    assert (done.returncode, done.stdout, done.stderr) == (0, expected.stdout, expected.stderr)
    assert done.stdout


@pytest.fixture
def sample_files() -> list[str]:
    from rankprism import sample

    return [str(sample.QRELS), str(sample.RUNS[0])]


@pytest.mark.parametrize(
    ("typed", "said", "line"),
    [
        ("q a.run -m AP -f csv", "--format", "q a.run -m AP --format csv"),
        ("q a.run -m AP -fcsv", "--format", "q a.run -m AP --format csv"),
        ("q a.run -m AP -j", "--format json", "q a.run -m AP --format json"),
        ("--qrels q --run a.run -m AP", "come first", "q a.run -m AP"),
        ("--qrels=q --runs=a.run -m AP", "come first", "q a.run -m AP"),
        ("q a.run -m nDCG --k 10", "part of the measure", "q a.run -m nDCG@10"),
        ("q a.run -mnDCG --cutoff=5", "part of the measure", "q a.run -mnDCG@5"),
        ("q a.run --k 10", "part of the measure", "q a.run -m nDCG@10"),
        ("q a.run -m AP --per-topics", "Did you mean --per-topic?", "q a.run -m AP --per-topic"),
        ("q a.run --mesure 'nDCG@10 AP'", "Did you mean --measure?", "q a.run --measure 'nDCG@10 AP'"),
    ],
)
def test_what_others_type_is_answered_with_a_line_to_paste(
    typed: str, said: str, line: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d 1 1 t\n")
    done = cli("evaluate", *shlex.split(typed))
    *problems, last = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert said in problems[0]
    assert last == f"  rankprism evaluate {line}"
    assert done.stderr.count("`rankprism evaluate --help` explains") == 1
    pasted = cli(*shlex.split(last)[1:])
    assert pasted.returncode == 0, pasted.stderr


def test_nonsense_gets_no_proposal(cli: Cli, sample_files: list[str]) -> None:
    done = cli("evaluate", *sample_files, "-m", "AP", "--nonsense", "5")
    help = "`rankprism evaluate --help` explains the options."
    assert done.stderr == f"rankprism: No such option: --nonsense. {help}\n"


def test_an_old_spelling_is_answered_or_still_accepted(cli: Cli, sample_files: list[str]) -> None:
    answered = cli("assess", "add", "x.db", "more.tsv", "--topics=t.tsv")
    assert answered.stderr.splitlines() == [
        "rankprism: No such option: --topics. It is called --topic-texts here. "
        "`rankprism assess add --help` explains the options.",
        "  rankprism assess add x.db more.tsv --topic-texts=t.tsv",
    ]
    words = ("preferences", "simulate", *sample_files, "--triplets", "3", "--seed", "1")
    kept, present = (cli(*words, name, "5") for name in ("--documents", "--shown"))
    assert kept.returncode == 0
    assert kept.stdout == present.stdout


def test_all_that_is_wrong_is_said_at_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n")
    done = cli("evaluate", "q", "one.run", "two.run", "--nonsense", "--per-topics")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "rankprism: No such option: --nonsense.",
        "rankprism: No such option: --per-topics. Did you mean --per-topic? "
        "`rankprism evaluate --help` explains the options.",
        "rankprism: one.run: there is no such file; check the path",
        "rankprism: two.run: there is no such file; check the path",
        "rankprism: name at least one measure with -m, e.g. -m alpha_nDCG@20; `rankprism measures` "
        "lists them",
    ]
    (tmp_path / "a.run").write_text("1 Q0 d 1 1 t\n")
    swapped = cli("compare", "a.run", "q").stderr.splitlines()
    assert len(swapped) == 2
    assert {"name the judgments first" in line for line in swapped} == {True, False}


def test_a_missing_value_names_the_help_of_its_command(cli: Cli) -> None:
    said = cli("meta", "power", "scores.csv", "-m").stderr
    assert said == (
        "rankprism: Option '-m' requires an argument. `rankprism meta power --help` explains the options.\n"
    )


def test_an_option_without_its_value_takes_no_file_for_it(cli: Cli, sample_files: list[str]) -> None:
    first = cli("evaluate", "-m", "AP", "--intervals", *sample_files)
    last = cli("evaluate", "-m", "AP", *sample_files, "--intervals", "0.95")
    assert (first.returncode, first.stdout) == (0, last.stdout)
    assert "95 % intervals" in first.stdout
    assert "90 % intervals" in cli("evaluate", "-m", "AP", *sample_files, "--intervals", "0.9").stdout


# ── completion, and commands of other packages ───────────────────────────────────────────────────


@pytest.mark.parametrize("asked", ["bash_complete", "complete_bash"])
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("evaluate q r -m alpha_n", {"alpha_nDCG"}),
        ("evaluate q r --per", {"--per-topic"}),
        ("compare q r --test tu", {"tukey"}),
        ("meta pow", {"power"}),
        ("evaluate RU", {f"RUNS{os.sep}"}),
    ],
)
def test_both_completions_of_bash_are_answered(
    asked: str, typed: str, expected: set[str], cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "RUNS").mkdir()
    words = ["rankprism", *typed.split()]
    told = {"_RANKPRISM_COMPLETE": asked, "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = cli(**told)
    assert {line.removeprefix("plain,") for line in done.stdout.splitlines()} == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completions_that_typer_has_installed_are_answered(shell: str, cli: Cli) -> None:
    told = {
        "_RANKPRISM_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "rankprism evaluate q r -m alpha_n",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert "alpha_nDCG" in cli(**told).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed(shell: str, cli: Cli, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    shown = cli("--show-completion", **home)
    assert (shown.returncode, f"{shell}_complete" in shown.stdout) == (0, True)
    for _ in range(2):
        assert cli("--install-completion", **home).returncode == 0
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert shown.stdout in written
    assert all(text.count("rankprism.sh") == 1 for text in written if text.startswith("source"))
    refused = cli("--show-completion", "tcsh", **home)
    assert (refused.returncode, "bash, zsh, fish" in refused.stderr) == (2, True)


def test_a_package_brings_its_own_commands(tmp_path: Path) -> None:
    (tmp_path / "guests-1.dist-info").mkdir()
    (tmp_path / "guests-1.dist-info" / "METADATA").write_text("Name: guests\nVersion: 1\n")
    (tmp_path / "guests-1.dist-info" / "entry_points.txt").write_text(
        "[rankprism.commands]\nguest = guests:guest\nevaluate = guests:guest\n"
    )
    (tmp_path / "guests.py").write_text(
        "from rankprism.cli.door import Option\n"
        "from rankprism.cli.frame import command\n\n\n"
        "@command(Option('--name', default='you', help='Whom to greet.'))\n"
        "def guest(name):\n"
        '    """Greet somebody."""\n'
        "    print('hello', name)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "rankprism", *words]
        return subprocess.run(command, capture_output=True, text=True, env=environment).stdout

    assert run("guest", "--name", "Ann") == "hello Ann\n"
    listed = run("--help")
    assert re.search(r"^  guest +Greet somebody\.$", listed, re.M)
    assert listed.count("  evaluate ") == 1
    assert "Score runs with measures." in run("evaluate", "-h")  # nobody replaces what the program has


def test_a_known_command_looks_for_no_other_packages() -> None:
    code = (
        "import sys\nfrom rankprism.cli.app import app\n"
        "app.get_command(None, 'evaluate')\nprint('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_every_command_belongs_to_click() -> None:
    for command in EVERY.values():
        assert isinstance(command, Command)
        assert isinstance(command, click.Command)
