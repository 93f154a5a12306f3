"""Every command that takes runs takes them as `evaluate` does; files of scores are recognised as such."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from rankprism import InputError, evaluate, sample
from rankprism.cli import progress, reading
from rankprism.cli.app import COMMANDS, app, every_command
from rankprism.cli.completion import complete_constraint, complete_file, complete_measure
from rankprism.cli.demo import NEXT
from rankprism.cli.door import Part, Words
from rankprism.formats.source import source_of
from rankprism.measures import names
from tests.support.machine import posix

Cli = Callable[..., subprocess.CompletedProcess[str]]
QRELS_AND_RUNS = [str(sample.QRELS), *map(str, sample.RUNS)]
#: The options of `evaluate` that say what is read.
BUNDLE = [
    "--aspects",
    "--labels",
    "--embed",
    "--given",
    "--weights",
    "--topics",
    "--qrels-format",
    "--run-format",
    "--order",
    "--duplicates",
    "--threads",
    "--measures",
    "--quiet",
    "--measure",
]
WITH_RUNS = [
    ["evaluate"],
    ["explain"],
    ["report"],
    ["compare"],
    ["topic-set-size"],
    *(["meta", name] for name in ("power", "unanimity", "correlation", "agreement", "intuitiveness", "swap")),
    *(["meta", name] for name in ("scenarios", "stability", "disagreement")),
    *(["plot", name] for name in ("intervals", "heatmap", "differences", "irec", "sensitivity")),
    ["aspects", "compare"],
    ["reproduce", "toma"],
]


EVERY = every_command()


@pytest.mark.parametrize("words", WITH_RUNS, ids=" ".join)
def test_every_command_with_runs_has_the_options_of_evaluate(words: list[str]) -> None:
    command = EVERY[tuple(words)]
    spelled = {spelling for option in command.params for spelling in option.opts}
    assert set(BUNDLE) <= spelled
    assert "--qrels" not in spelled
    assert [option.name for option in command.params if option.param_type_name == "argument"] == ["files"]


def test_a_new_option_of_the_collection_reaches_all_commands() -> None:
    readers = {name: set(one.options) for name, one in vars(reading).items() if isinstance(one, Part)}
    assert readers["read_judged"] | readers["read_collection"] == readers["read_collection"]
    assert readers["read_collection"] <= readers["read_source"] & readers["read_measured"]
    # A simulation makes the preferences, so it averages over no topics and reads no others.
    needless = {"topics", "threads", "preferences", "preferences_format"}
    assert readers["read_weighted_subtopics"] == readers["read_collection"] - needless
    assert readers["read_subtopics"] == readers["read_weighted_subtopics"] - {"weights"}


def test_one_file_for_each_aspect_reaches_compare_meta_and_plot(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "r.qrels").write_text("1 0 a 1\n1 0 b 2\n2 0 a 0\n2 0 b 1\n")
    (tmp_path / "c.qrels").write_text("1 0 a 2\n1 0 b 0\n2 0 a 1\n2 0 b 1\n")
    (tmp_path / "up.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n")
    (tmp_path / "down.run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n")
    files = [f"r={tmp_path}/r.qrels", f"c={tmp_path}/c.qrels", tmp_path / "up.run", tmp_path / "down.run"]
    expected = evaluate(
        {"r": tmp_path / "r.qrels", "c": tmp_path / "c.qrels"},
        [tmp_path / "up.run", tmp_path / "down.run"],
        "CAM(nDCG)",
        weights={"r": 0.9, "c": 0.1},
    ).mean()
    options = ["-m", "CAM(nDCG)", "--weights", "r=0.9,c=0.1", "-q"]
    found = cli("compare", *files, *options, "--format", "json")
    assert found.returncode == 0, found.stderr
    difference = json.loads(found.stdout)["rows"][0]["difference"]
    assert difference == pytest.approx(expected["up"]["CAM(nDCG)"] - expected["down"]["CAM(nDCG)"])
    other = [*options, "-m", "MM(nDCG)"]
    assert "CAM(nDCG)" in cli("meta", "correlation", *files, *other, "--intervals", "0").stdout
    out = tmp_path / "d.svg"
    assert cli("plot", "differences", *files, *options, "--baseline", "down", "-o", out).returncode == 0
    assert "<svg" in out.read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run,topic,measure,score\na,1,P,0.5\n", True),
        ("runid,topic,ndcg@20,err@20\na,1,0.5,0.25\n", True),  # gdeval
        ("topic;bm25;dense\n1;0.5;0.25\n", True),
        ("bm25\tdense\n0.5\t0.25\n", True),
        ("runid                 \tall\tbm25\n", True),  # trec_eval
        ("P_10                  \t401\t0.5000\n", True),
        ("401 0 FBIS3-1 1\n", False),
        ("1\t0\tdoc\t1\n", False),
        ("1 clueweb09-en0003-55-31884 0 0 1\n", False),  # prels
        ("0001 3 clueweb09-en0000-15-04138 L1\n", False),  # NTCIR
        ('"281"\t"clueweb12-0000wb-02-07689"\t"1"\t"3"\t"0.25"\n', False),  # EvALL
        ("topic 0 docno relevance credibility\nq 0 a 2 1\n", False),
        ("1 d1 2\n", None),
        ("something else\n", None),
    ],
)
def test_files_of_scores_are_recognised(text: str, expected: bool | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    found = source_of(path).kind
    assert (None if found is None else found == "scores") is expected


def test_packed_files_of_scores_are_recognised(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"run,topic,measure,score\na,1,P,0.5\n"))
    assert source_of(path).kind == "scores"


def test_official_judgments_and_scores_are_told_apart(collections: Path) -> None:
    qrels = [p for p in collections.rglob("*qrels*") if p.is_file() and p.suffix in (".txt", ".gz", "")]
    taken = {str(path.relative_to(collections)): source_of(path).kind for path in qrels}
    assert len(taken) > 5
    assert [name for name, kind in taken.items() if kind == "scores"] == []


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (
            ["odd"],
            [],
            "odd: may be a file of scores or of judgments; say which with --scores or --qrels-format",
        ),
        (["qrels"], [], "qrels: is taken for judgments, so name the runs after it"),
        (["qrels", "run"], ["--where", "a=b", "-m", "P"], "if it is a file of scores, add --scores"),
        (
            ["scores.csv"],
            ["--order", "rank"],
            "--order goes with judgments and runs; scores.csv is taken for",
        ),
        (["scores.csv"], ["--measures", "m.toml"], "--measures goes with judgments and runs"),
        (["-", "-"], ["-m", "P"], "standard input (-) can be read only once"),
    ],
)
def test_what_cannot_be_decided_says_how_to_decide_it(
    files: list[str],
    options: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd").write_text("1 d1 2\n")
    Path("qrels").write_text("1 0 d1 2\n")
    Path("run").write_text("1 Q0 d1 1 1 t\n")
    Path("scores.csv").write_text("run,topic,measure,score\na,1,P,0.5\n")
    with pytest.raises(InputError) as caught:
        called(["meta", "power", *files, *options])
    assert message in str(caught.value)


def called(words: list[str]) -> Any:
    return app(words, prog_name="rankprism", standalone_mode=False)


def test_scores_says_that_files_hold_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd").write_text("1 q1 0.5\n1 q2 0.25\n")  # as trec_eval prints, of a measure called 1
    with pytest.raises(InputError, match="there is only odd"):
        called(["meta", "unanimity", str(tmp_path / "odd"), "--scores"])


@pytest.mark.parametrize("given", ["name", "file among the runs", "another file"])
@pytest.mark.parametrize("command", [["evaluate"], ["compare"]])
def test_a_baseline_is_a_name_or_a_file(
    given: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = next(str(path) for path in sample.RUNS if path.stem == "noisy")
    files = [word for word in QRELS_AND_RUNS if given != "another file" or word != run]
    called([*command, *files, "-m", "P@10", "--baseline", "noisy" if given == "name" else run])
    printed = capsys.readouterr().out
    rows = [line.split()[0] for line in printed.splitlines()[2:8] if line]
    assert len(rows) == 6
    assert "URisk(P@10,alpha=1)" in printed if command == ["evaluate"] else "noisy (baseline)" in printed


def test_a_baseline_from_another_file_of_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = "run,topic,measure,score\n"
    (tmp_path / "a.csv").write_text(header + "a,1,P,0.5\na,2,P,0.25\n")
    (tmp_path / "b.csv").write_text(header + "b,1,P,0.4\nb,2,P,0.3\n")
    (tmp_path / "c.csv").write_text(header + "c,1,P,0.4\nc,2,P,0.3\nd,1,P,0.4\nd,2,P,0.3\n")
    words = ["compare", str(tmp_path / "a.csv"), "-q", "--baseline"]
    called([*words, str(tmp_path / "b.csv")])
    assert "b (baseline)" in capsys.readouterr().out
    with pytest.raises(InputError, match="has scores of 2 runs; name one of c, d"):
        called([*words, str(tmp_path / "c.csv")])


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_at_80_columns_cuts_no_example(words: tuple[str, ...]) -> None:
    command = EVERY[words]
    shown = command.get_help(command.make_context("rankprism", [], resilient_parsing=True, terminal_width=80))
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    assert re.findall("<(?:int|float|str).*?>", shown) == [], "N, NUMBER or TEXT, not the name of a type"
    own = command.help.partition("\b\n")[2]
    assert own, "a help page has an example"
    for line in own.splitlines():
        assert line.strip() in [printed.strip() for printed in lines]
    examples = [line for line in lines if "rankprism" in line and not line.startswith("Usage:")]
    assert [line for line in examples if line.rstrip().endswith(("...", "…"))] == []


def test_the_lists_of_commands_cut_no_sentence(cli: Cli) -> None:
    groups = ((), ("meta",), ("plot",), ("aspects",), ("assess",), ("preferences",), ("reproduce",))
    for words in (*groups, ("preferences", "experiment")):
        shown = cli(*words, "--help").stdout
        described = shown.partition("Commands:")[2].strip().splitlines()
        assert described
        assert [line for line in described if line.endswith("...")] == []


def test_choices_are_written_in_one_place() -> None:
    from rankprism.comparison import CORRECTIONS, TESTS
    from rankprism.meta import COEFFICIENTS, METHODS
    from rankprism.types import Order

    declared = {
        (("compare",), "test"): TESTS,
        (("compare",), "correction"): CORRECTIONS,
        (("meta", "power"), "method"): METHODS,
        (("meta", "correlation"), "coefficient"): COEFFICIENTS,
        (("evaluate",), "order"): get_args(Order),
    }
    for (words, name), choices in declared.items():
        option = next(option for option in EVERY[words].params if option.name == name)
        assert tuple(option.type.choices) == tuple(choices)


def test_a_new_choice_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankprism.comparison import TESTS

    monkeypatch.setitem(TESTS, "coin", TESTS["t"])
    assert Words("t", of="comparison:TESTS").choices[-1] == "coin"


def test_declaring_options_loads_neither_numpy_nor_formats_nor_rich() -> None:
    code = (
        "import sys\n"
        "from rankprism.cli.app import app\n"
        "context = app.make_context('r', ['x'], resilient_parsing=True)\n"
        "app.get_help(context)\n"
        "print(sorted(m for m in sys.modules if m in ('numpy', 'rankprism._core') or '.commands.' in m))\n"
        "app.get_command(context, 'evaluate').params\n"  # its options are parameters of `rankprism.evaluate`
        "heavy = {'rich', 'scipy', 'narwhals', 'rankprism.formats.known'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")


def test_evaluate_loads_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 a d1 1\n1 b d2 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 d1 1 2 r\n1 Q0 d2 2 1 r\n", encoding="utf-8")
    needless = {"numpy.ma", "socket", "html", "rankprism.measures.citations", "rankprism.measures.known.toma"}
    needless |= {"rankprism.measures.preferences.utility", "rankprism.measures.preferences.hits"}
    needless |= {"rankprism.formats.known", "rankprism.formats.preferences", "rankprism.data.preferences"}
    needless |= {
        "rankprism.formats.aspects.settings",
        "rankprism.data.scales",
        "rankprism.measures.known.graded",
    }
    needless |= {"rich", "scipy", "narwhals", "decimal", "fractions", "json"}
    measures = ["-m", "alpha_nDCG@20", "-m", "ERR_IA@20", "-m", "NRBP", "-m", "AP_IA", "-m", "StRecall@20"]
    code = (
        "import sys, numpy\n"
        "before = set(sys.modules)\n"  # numpy needs other modules from version to version
        "from rankprism.cli import main\n"
        "try:\n    main()\n"
        f"finally:\n    print(sorted({needless} & (set(sys.modules) - before)), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code, "evaluate", "qrels", "run", *measures, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_completion_of_measures_constraints_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = dict(complete_measure("alpha_"))
    assert set(found) == {name for name in names() if name.startswith("alpha_")}
    assert all(found.values())  # each with what it is
    assert set(complete_constraint("as")) == {"AspDiv", "AspRel"}
    assert "ten" in set(complete_constraint(""))
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for name in ("bm25.run", "bm25+.run", "dense.run", ".hidden"):
        Path("runs", name).touch()
    assert list(complete_file("ru")) == [f"runs{os.sep}"]
    assert set(complete_file("runs/bm")) == {str(Path("runs", name)) for name in ("bm25.run", "bm25+.run")}
    assert list(complete_file("credibility=runs/d")) == [f"credibility={Path('runs', 'dense.run')}"]
    assert list(complete_file("nowhere/")) == []


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("rankprism evaluate q r -m alpha_n", "alpha_nDCG"),
        ("rankprism meta power q r -m ERR_", "ERR_IA"),
        ("rankprism axioms -c Asp", "AspDiv"),
        ("rankprism compare --test anova", "anova-tukey"),
        ("rankprism evaluate RUN", "RUNS"),
    ],
)
def test_the_shell_completes(typed: str, expected: str, rankprism_command: Path, tmp_path: Path) -> None:
    (tmp_path / "RUNS").touch()
    environment = {
        **os.environ,
        "_RANKPRISM_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    command = [str(rankprism_command)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert expected in done.stdout.split(), done.stderr


@pytest.mark.parametrize(
    "typed", ["-m R@", "-m P @ 1", "-m alpha_nDCG@1", "-m α-nDCG", "irds:clueweb09/en", "irds : c"]
)
def test_what_has_no_completion_does_no_harm(typed: str, rankprism_command: Path, tmp_path: Path) -> None:
    """bash takes @ and : for the ends of words, so a cutoff and the name of a dataset arrive in pieces."""
    words = ["rankprism", "evaluate", *typed.split()]
    environment = {
        **os.environ,
        "_RANKPRISM_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    command = [str(rankprism_command)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


@posix
def test_completion_is_installed_and_bash_completes_measures(rankprism_command: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    code = (
        f"'{rankprism_command}' --install-completion bash >/dev/null && source ~/.bashrc && "
        "COMP_WORDS=(rankprism evaluate q r -m alpha_n) && COMP_CWORD=5 && "
        f"_rankprism_completion '{rankprism_command}' && printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("alpha_nDCG\n", "")


@posix
def test_what_the_demo_prints_next_works_as_printed(rankprism_command: Path, tmp_path: Path) -> None:
    """As after `make demo`: the command is not where the shell looks for it."""
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}

    def run(line: str) -> subprocess.CompletedProcess[str]:
        shell = ["bash", "-c", line]
        return subprocess.run(shell, capture_output=True, text=True, env=environment, cwd=tmp_path)

    printed = run(f"'{rankprism_command}' demo").stdout
    lines = [line.strip() for line in printed.splitlines() if line.startswith("  ") and "rankprism " in line]
    assert len(lines) == len(NEXT)
    for line in lines:
        done = run(line)
        assert (done.returncode, done.stderr) == (0, ""), line
        assert done.stdout


def test_the_words_of_every_choice_are_found() -> None:
    """The names of modules in `Words` are text, which no type checker follows."""
    choices = [option.type for command in EVERY.values() for option in command.params]
    found = [choice for choice in choices if getattr(choice, "of", "")]
    assert len(found) > 20
    assert all(choice.choices for choice in found)


def test_all_commands_are_known() -> None:
    assert {words[0] for words in EVERY} == set(COMMANDS)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("seconds", [0, 3])
def test_long_work_has_a_bar_and_short_work_writes_nothing(
    seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, times = Terminal(), iter([0, *[seconds] * 100])
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "monotonic", lambda: next(times))
    with progress.evaluating(20) as (on_run, on_share):
        assert on_run is not None
        assert on_share is not None
        on_run("first")
        on_share(0.5)
    shown = terminal.getvalue()
    if seconds:
        assert "reading runs" in shown
        assert "scoring" in shown
    else:
        assert shown == ""


def test_evaluate_tells_what_share_is_done() -> None:
    shares: list[float] = []
    evaluate(sample.QRELS, list(sample.RUNS), ["P@5", "nDCG@5"], on_share=shares.append)
    assert shares == sorted(shares)
    assert len(shares) >= 2
    assert shares[-1] == 1


STYLE = {"--digits", "--caption", "--label", "--page-columns"}


def test_every_command_that_prints_a_result_has_the_options_of_tables() -> None:
    with_format = {
        words: {spelling for option in command.params for spelling in option.opts}
        for words, command in EVERY.items()
        if any("--format" in option.opts for option in command.params)
    }
    drawing = {words for words in with_format if words[0] == "plot"}  # there --format is that of a picture
    assert len(with_format) - len(drawing) >= 18
    for words in with_format.keys() - drawing:
        assert with_format[words] >= STYLE, words


@pytest.mark.parametrize(
    "words",
    [
        ["aspects", "order", "--labels", "relevance=0,1", "--labels", "credibility=0,1"],
        ["aspects", "labels", "Q", "--aspects", "relevance,credibility"],
        ["aspects", "attainable", "Q", "--aspects", "relevance,credibility", "-m", "AP"],
        ["axioms", "P@10", "-c", "Pri", "--instances", "1"],
        ["axioms", "RBP", "-c", "Pri", "--threshold", "p=0.5:0.9", "--instances", "1"],
        ["topic-set-size", "--variance", "0.04", "--difference", "0.1"],
        ["preferences", "strengths", "PREFS"],
        ["preferences", "describe", "PREFS"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_tables_of_every_command_have_captions_labels_columns_and_digits(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Q").write_text("1 0 d1 1 0\n1 0 d2 0 1\n")
    (tmp_path / "PREFS").write_text("topic\tleft\tright\toutcome\n1\td1\td2\tleft\n1\td2\td3\tleft\n")
    words = [str(tmp_path / word) if word in ("Q", "PREFS") else word for word in words]
    style = ["--caption", "What we saw", "--label", "tab:x", "--page-columns", "2", "--digits", "2"]
    called([*words, "--format", "latex", *style])
    shown = capsys.readouterr().out
    assert r"\begin{table*}" in shown
    assert r"\label{tab:x}" in shown
    assert r"\caption{What we saw." in shown
    assert re.search(r"\d\.\d{3}", shown.partition(r"\begin{tabular}")[2]) is None
    called([*words, "--format", "html", "--caption", "What <we> saw"])
    assert "What &lt;we&gt; saw" in capsys.readouterr().out
    with pytest.raises(InputError, match="csv does not support a label"):
        called([*words, "--format", "csv", "--label", "tab:x"])


@pytest.mark.parametrize("text", [["--list"], ["--explain"]])
def test_texts_of_axioms_take_no_options_of_tables(text: list[str]) -> None:
    with pytest.raises(InputError, match=f"--digits is for tables, and {text[0]} prints text"):
        called(["axioms", *text, "--digits", "2"])
