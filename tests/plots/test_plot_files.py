"""Files of charts, and the commands that write them."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Unpack

import altair as alt
import pytest

from rankprism import (
    InputError,
    RankprismError,
    Scores,
    evaluate,
    meta,
    plots,
    sample,
)
from rankprism.cli import main
from rankprism.errors import install
from rankprism.showing.plots import theme
from rankprism.showing.plots.record import gallery

MEASURES = ("alpha_nDCG@10", "P@10", "StRecall@10", "D_nDCG@10")


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(sample.QRELS, list(sample.RUNS), MEASURES)


@pytest.fixture(scope="module")
def bars(scores: Scores) -> Any:
    return plots.unanimity_bars(meta.unanimity(scores))


@pytest.mark.parametrize(
    ("ending", "start"),
    [("html", b"<!DOCTYPE html"), ("svg", b"<svg"), ("png", b"\x89PNG"), ("PDF", b"%PDF")],
)
def test_the_ending_decides_the_format(ending: str, start: bytes, bars: Any, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{ending}"
    plots.save(bars, path)
    assert path.read_bytes().lstrip().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_html_opens_offline(bars: Any, tmp_path: Path) -> None:
    plots.save(bars, tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text(encoding="utf-8")
    assert "vega" in text
    assert not re.search(r"<(script|link)\b[^>]*\b(src|href)=|//cdn\.", text)


@pytest.mark.parametrize("name", ["chart.gif", "chart", "chart.json", "chart.svg.gz"])
def test_another_ending_is_refused(name: str, bars: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"{name}: plots are written as \.html, \.svg, \.png, \.pdf"):
        plots.save(bars, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    class Broken:
        def to_dict(self) -> dict[str, object]:
            return {}

        def save(self, file: IO[str], **_: object) -> None:
            file.write("half of it")
            raise RuntimeError("no more paper")

    with pytest.raises(RuntimeError):
        plots.save(Broken(), tmp_path / "chart.svg")
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="does not exist"):
        plots.save(Broken(), tmp_path / "nowhere" / "chart.svg")


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_missing_packages_are_named(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from rankprism import RankprismError, plots\n"
        "try: plots.save(None, 'chart.svg')\n"
        "except RankprismError as error: print(error)\n"
    )
    if missing == "altair":
        code = code.replace("plots.save(None, 'chart.svg')", "plots.intervals({'a': {'1': {'M': 0.5}}})")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert install("plots") in result.stdout, result.stderr


def test_nothing_else_loads_altair() -> None:
    code = "import sys, rankprism.showing.plots, rankprism.cli.app; print('altair' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_an_unknown_chart_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        plots.pie  # type: ignore[attr-defined]  # noqa: B018
    assert dir(plots) == plots.__all__
    assert {*plots.CHARTS, "save", "draw", "chart"} <= {*dir(plots)}
    assert issubclass(InputError, RankprismError)


QRELS = (sample.QRELS, *sample.RUNS)


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[Any, ...]]:
    """The command line in this process, where Altair is loaded: exit code, output and messages."""

    def run(*arguments: object) -> tuple[Any, ...]:
        monkeypatch.setattr(sys, "argv", ["rankprism", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        return exit.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ("intervals", "-m", "P@5", "-m", "RR", "--alpha", 0.1),
        ("heatmap", "-m", "P@5"),
        ("differences", "-m", "P@5", "--run", "ideal", "--baseline", "noisy"),
        ("irec", "-m", "StRecall@5", "-m", "D_nDCG@5", "--gamma", 0.3),
        ("sensitivity", "-m", "alpha_nDCG(alpha={})@5", "--values", "0,0.5,0.9"),
        ("sensitivity", "-m", "P@{}", "--values", "1,5", "--parameter", "cutoff"),
        ("intervals", "-m", "P@{}", "-m", "RR", "--values", "5, 10"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_draws_runs(
    arguments: tuple[Any, ...], command: Callable[..., Any], tmp_path: Path
) -> None:
    kind, *options = arguments
    assert command("plot", kind, *QRELS, *options, "-o", tmp_path / "chart.svg") == (0, "", "")
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "noisy" in svg


def test_a_command_draws_files_of_scores(scores: Scores, cli: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    lines = ["run,topic,measure,score"]
    for run, topics in scores.per_topic().items():
        for topic, values in topics.items():
            lines += [f"{run},{topic},{measure},{value!r}" for measure, value in values.items()]
    file.write_text("\n".join(lines), encoding="utf-8")
    result = cli("plot", "heatmap", file, "-m", "P@10", "-o", tmp_path / "chart.svg")
    assert result.returncode == 0, result.stderr
    result = cli("plot", "heatmap", file, "-o", tmp_path / "chart.svg")
    assert result.returncode == 2
    expected = "rankprism: name one measure with -m (in Python, measure=); there are "
    assert result.stderr == expected + f"{', '.join(MEASURES)}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("intervals", *QRELS, "-m", "P@5", "-o", "chart.gif"), "chart.gif: plots are written as .html"),
        (("differences", *QRELS, "-m", "P@5", "-o", "c.svg"), "name two runs with --run and --baseline"),
        (("irec", *QRELS, "-m", "P@5", "-o", "c.svg"), "name I-rec and a D-measure, in this order"),
        (
            ("sensitivity", *QRELS, "-m", "P@5", "--values", "1,2", "--parameter", "cutoff", "-o", "c.svg"),
            "--values goes with a measure that has {} in their place",
        ),
        (
            ("sensitivity", *QRELS, "-m", "P@{}", "--parameter", "cutoff", "-o", "c.svg"),
            "--values goes with a measure that has {} in their place",
        ),
        (
            ("heatmap", "-o", "c.svg"),
            "name judgments and runs, e.g. qrels.txt runs/*.run, or files of scores",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_mistake_on_the_command_line_is_named(
    arguments: tuple[Any, ...], message: str, command: Callable[..., Any]
) -> None:
    code, _, error = command("plot", *arguments)
    assert code == 2
    assert message in error


@pytest.mark.parametrize("options", [(), ("--pairs",), ("--baseline", "noisy", "--correction", "bh")])
def test_compare_draws_what_it_prints(
    options: tuple[str, ...], command: Callable[..., Any], tmp_path: Path
) -> None:
    code, table, error = command("compare", *QRELS, "-m", "P@5", *options, "--plot", tmp_path / "chart.svg")
    assert (code, error) == (0, "")
    assert "noisy" in table
    assert "Differences" in (tmp_path / "chart.svg").read_text(encoding="utf-8")


def test_title_and_size_go_with_the_chart(command: Callable[..., Any], tmp_path: Path) -> None:
    look = ("--title", "Ours", "--width", 260, "--height", 190)
    draw = ("plot", "heatmap", *QRELS, "-m", "P@5", "-o", tmp_path / "heatmap.svg")
    assert command(*draw, *look) == (0, "", "")
    also = ("meta", "unanimity", *QRELS, "-m", "P@5", "-m", "AP@5", "-m", "RR", "--intervals", 0)
    code, _, error = command(*also, "--plot", tmp_path / "unanimity.svg", *look)
    assert (code, error) == (0, "")
    for name in ("heatmap", "unanimity"):
        svg = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert "Ours" in svg
        assert 'width="260" height="190"' in svg
    for option, value in zip(look[::2], look[1::2], strict=True):
        message = f"rankprism: {option} is for the chart; name a file for it with --plot\n"
        assert command(*also, option, value) == (2, "", message)
    code, _, error = command(*draw, "--width", 3)
    assert (code, error.startswith("rankprism: width must be a whole number of pixels")) == (2, True)


def test_what_has_no_chart_is_refused_before_anything_is_written(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    options = (
        "-m",
        "P@5",
        "-m",
        "AP",
        "--differences",
        "--plot",
        tmp_path / "c.svg",
        "-o",
        tmp_path / "t.csv",
    )
    message = "rankprism: --plot draws the figures of the measures; leave out --differences\n"
    assert command("meta", "power", *QRELS, *options) == (2, "", message)
    assert not list(tmp_path.iterdir())


def test_no_name_of_a_run_can_end_the_script_of_a_page(tmp_path: Path) -> None:
    from rankprism import read_scores

    name = "</script><script>alert(1)</script>"
    scores = read_scores({name: {"1": {"M": 0.5}, "2": {"M": 0.1}}, "b": {"1": {"M": 0.2}, "2": {"M": 0.3}}})
    plots.save(plots.intervals(scores), tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text(encoding="utf-8")
    assert "alert(1)" in text
    assert "<script>alert(1)" not in text
    assert "</script><script>alert" not in text


@pytest.fixture
def new_charts() -> Iterator[None]:
    """Two charts more, one of scores and one of a result that has none."""

    @plots.chart("plot spread", "-m P@10")
    def score_spread(scores: Any, bins: int = 10, **frame: Unpack[plots.Frame]) -> Any:
        """How scores are spread.

        Parameters
        ----------
        bins
            The number of bins.
        """
        rows = [{"score": float(x)} for x in scores.values.ravel()]
        x = alt.X("score:Q", bin=alt.Bin(maxbins=bins))
        bars = alt.Chart(theme.data(rows)).mark_bar().encode(x=x, y="count()")
        return theme.styled(
            bars.properties(width=frame["width"] or 300), 300, f"Scores in {bins} bins", title=frame["title"]
        )

    @plots.chart("meta agreement")
    def agreement_points(agreement: meta.Agreement, **frame: Unpack[plots.Frame]) -> Any:
        """How often measures agree."""
        return theme.styled(
            alt.Chart(theme.data([{"x": 1}])).mark_point(), 300, "Agreement", title=frame["title"]
        )

    modules = [importlib.import_module(f"rankprism.cli.commands.{name}") for name in ("plots", "meta")]
    for module in modules:
        importlib.reload(module)
    yield
    for name in ("score_spread", "agreement_points"):
        del plots.CHARTS[name]
    for module in modules:
        importlib.reload(module)


@pytest.mark.usefixtures("new_charts")
def test_a_chart_is_added_in_one_place(
    scores: Scores, command: Callable[..., tuple[Any, ...]], tmp_path: Path
) -> None:
    assert {"score_spread", "agreement_points"} <= {*plots.__all__} & {*dir(plots)}
    assert plots.score_spread(scores, title="Mine").to_dict()["title"]["text"] == ["Mine"]  # type: ignore[attr-defined]
    table = gallery()
    assert "| `score_spread(scores)` | How scores are spread. | `plot spread` |" in table
    assert "| `agreement_points(Agreement)` | How often measures agree. | `meta agreement --plot` |" in table
    options = ("-m", "P@5", "--bins", 7, "-o", tmp_path / "spread.svg")
    assert command("plot", "spread", *QRELS, *options) == (0, "", "")
    assert "Scores in 7 bins" in (tmp_path / "spread.svg").read_text(encoding="utf-8")
    code, _, _ = command(
        "meta", "agreement", *QRELS, "-m", "P@5", "-m", "AP", "--plot", tmp_path / "a.svg", "--title", "Ours"
    )
    assert code == 0
    assert "Ours" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    code, text, _ = command("plot", "spread", "--help")
    assert "The number of bins." in text
