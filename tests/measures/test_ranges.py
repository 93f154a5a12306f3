"""Every number has a range, every text a limit; what is beyond them is an error and nothing else."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankprism import InputError, MeasureError, RankprismError, evaluate, read_judgments, read_scores
from rankprism.data.scales import Scale, number
from rankprism.formats.measure_files import load
from rankprism.measures import ERR_IA, compose, mix, parse
from rankprism.measures.registry import names
from rankprism.measures.series import sum_beyond
from rankprism.measures.tables import DIRECT
from tests.support.compressing import zstd

JUDGMENTS = {"q": {"s": {"a": 2, "b": 1}, "t": {"b": 1}}}
RUN = {"q": {"a": 2.0, "b": 1.0}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("P(", "expected a name, found the end"),
        ("P(rel", "expected ="),
        ("CAM(" * 3000, "nested more than 20 deep"),
        ("P(rel=" + "(" * 3000, "nested more than 20 deep"),
        ("P(rel={{1:2}:3})", "a mapping maps numbers to numbers"),
        ("P(rel={(1,):3})", "a mapping maps numbers to numbers"),
        ("P@" + "9" * 5000, "more than 40 characters"),
        ("P@1e400", "cutoff must be a whole number ≥ 1 and ≤ 1,000,000,000; got inf"),
        ("P@٣", "is not allowed there"),
        ("nCT@99999999999999999999", "cutoff must be a whole number"),
        ("alpha_nDCG(ideal='exact',nodes=9223372036854775808)", "nodes must be a whole number"),
        ("RBP(p=1e400)", "p must be a number > 0 and < 1; got inf"),
        ("EU(e=1e300)", "e must be a number ≥ 0 and ≤ 1,000,000,000"),
        ("nDCG(gains={1:1e400})", "gains must be a mapping"),
        ("ERR(max_rel=2000)", "max_rel must be a number > 0 and ≤ 1000"),
        ("x" * 100_000, "unknown measure"),
    ],
)
def test_measures_that_cannot_be_read_are_named_shortly(text: str, says: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse(text)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 600


def test_parameters_from_python_have_the_same_ranges() -> None:
    for settings in ({"cutoff": 10**5000}, {"alpha": 10**5000}, {"rel": math.nan}, {"max_rel": -math.inf}):
        with pytest.raises(MeasureError, match="must be"):
            ERR_IA(**settings)


def test_every_number_of_every_measure_has_a_range() -> None:
    for name in names():
        for parameter in parse(name).definition.parameters:
            if parameter.kind in (int, float) and not (parameter.choices or parameter.sequence):
                assert "≤" in parameter.range or "<" in parameter.range, (name, parameter.name)
                assert "≥" in parameter.range or ">" in parameter.range, (name, parameter.name)


def test_the_ends_of_every_range_are_allowed_or_not_as_its_words_say() -> None:
    seen = set()
    for name in names():
        for p in parse(name).definition.parameters:
            if p.kind not in (int, float) or p.choices or p.sequence:
                continue
            words = p.range
            for end, inclusive, step in ((p.low, "≥", -1), (p.high, "≤", 1)):
                if end is None:
                    continue
                allowed = inclusive in words
                seen.add((inclusive, allowed))
                value = int(end) if p.kind is int else end
                if allowed:
                    assert p.check(value, name) == value, (name, p.name)
                    value += step
                with pytest.raises(MeasureError, match=re.escape(f"{p.name} must be {words}")):
                    p.check(value, name)
    assert seen == {("≥", True), ("≥", False), ("≤", True), ("≤", False)}


@pytest.mark.parametrize(
    "measure", ["nDCG(dcg='exp-log2')@5", "RBU", "D_nDCG@5", "ERR(gain='probability')", "EU"]
)
def test_a_grade_too_large_for_a_power_of_two_is_refused(measure: str) -> None:
    large = {"q": {"s": {"a": 2000}}}
    with pytest.raises(MeasureError, match=r"grade 2000 is above 1000"):
        evaluate(large, RUN, [measure])
    assert evaluate(large, RUN, ["nDCG"]).mean() == {"run": {"nDCG": 1.0}}


def test_scores_that_are_not_numbers_are_refused() -> None:
    many = {"q": {f"s{i}": {"a": 1e9} for i in range(40)}}  # their product is 1e360
    with pytest.raises(MeasureError, match="not a finite"), np.errstate(over="ignore", invalid="ignore"):
        evaluate(many, RUN, ["nDCG(fold='product')"])


def test_grades_have_a_range(tmp_path: Path) -> None:
    path = tmp_path / "q.txt"
    path.write_text("1 a d1 1\n1 a d2 -1e10\n")
    with pytest.raises(
        InputError, match=r"q.txt, line 2: the grade '-1e10' is too large; grades lie between"
    ):
        read_judgments(path)
    with pytest.raises(InputError, match=r"row 2: the grade of document 'b' is too large"):
        read_judgments({"q": {"a": 1, "b": 2e9}})
    with pytest.raises(InputError, match=r"row 1: the grade .* is not a finite number"):
        read_judgments({"q": {"a": 10**5000}})
    with pytest.raises(InputError, match="too long to be a valid document id"):
        read_judgments([("q", 10**5000, 1)])


@pytest.mark.parametrize("weight", [1e300, -1.0, True])
def test_weights_have_a_range(weight: Any) -> None:
    with pytest.raises(InputError, match="from 0 to 1,000,000,000"):
        read_judgments(JUDGMENTS, weights={"s": weight, "t": 0.5})


@pytest.mark.parametrize("text", ["1e999999999", "1_0", "1e10", "٣", "1/0", "nan", "9" * 5000, " "])
def test_a_label_that_is_not_a_number_in_range_has_no_value(text: str) -> None:
    assert number(text) is None
    with pytest.raises(InputError, match="is not a number between -1,000,000,000 and 1,000,000,000"):
        Scale.of("relevance", ["no", "yes"], embed=["0", text])


def test_numbers_of_labels_are_exact() -> None:
    assert [number(x) for x in ("3/2", " 2 ", ".5", "1e3", 0.1, 7)] == [
        number("1.5"),
        2,
        number("0.5"),
        1000,
        number("1/10"),
        7,
    ]


@pytest.mark.parametrize("value", [True, 10**400, math.inf])
def test_scales_refuse_values_that_are_not_numbers(value: Any) -> None:
    with pytest.raises(InputError):
        Scale.of("relevance", [0, value])


TABLES = {
    'mix = {"P@5" = nan}': "nan is not a number between",
    'mix = {"P@5" = 1e300}': "not a number between",
    "p = 1" + "0" * 400: "not a number between",
    "p = " + "9" * 5000: "cannot be read as TOML",
    "mix = " + "[" * 5000: "nested too deep",
    "mix = 3": "mix must be a table",
    "summary = 3": "summary must be a text",
    "weighted = 1": "weighted must be true or false",
    "gain = [1]": "gain must be one of",
    'discount = "geometric"\np = true': "not a number between",
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_measures_with_values_of_the_wrong_shape(table: str, tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(f"[wrong_shape]\n{table}\n")
    with pytest.raises(MeasureError, match=r"m.toml: ") as caught:
        load(path)
    assert TABLES[table] in str(caught.value)


def test_measures_from_python_refuse_the_same() -> None:
    with pytest.raises(MeasureError, match="nan is not a number"):
        mix("mixture_of_nothing", {"P@5": math.nan})
    with pytest.raises(MeasureError, match="not a number between"):
        compose("composed_of_nothing", alpha=10**400)


COLLECTIONS = {
    "weight = true": "weight must be a number; got True",
    "missing = [[1]]": "missing may hold only numbers and words",
    "labels = [{a = 1}]": "labels may hold only numbers and words",
    "labels = [true, 2]": "labels may hold only numbers and words",
    'answers = "x.xml"\nmeans = {a = [1]}': "means may hold only numbers and words",
    'answers = "x.xml"\nelement = "x[["': "'x[[' is not the name of an element",
    "thresholds = 5": "thresholds must be a list",
    "embed = [0, 1, 1e300]": "a number is not between",
    "grades = [0, 1, inf]": "a number is not between",
    "weight = " + "[" * 5000: "nested too deep",
    "weight = " + "9" * 5000: "is not TOML",
}


@pytest.mark.parametrize("table", COLLECTIONS)
def test_described_judgments_with_values_of_the_wrong_shape(table: str, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 d1 2 1\n1 0 d2 1 0\n")
    (tmp_path / "x.xml").write_text("<topics><topic number='1'><answer>1</answer></topic></topics>")
    path = tmp_path / "c.toml"
    path.write_text(f'judgments = "q.txt"\ncolumns = ["a", "b"]\n[aspects.b]\n[aspects.a]\n{table}\n')
    with pytest.raises(InputError, match=r"c.toml: ") as caught:
        read_judgments(path)
    assert COLLECTIONS[table] in str(caught.value)
    path.write_text('judgments = "q.txt"\ncolumns = [1, 2]\n')
    with pytest.raises(InputError, match="columns must be names"):
        read_judgments(path)


SCORES = {
    "run,topic,measure,score\n": "only a first line",
    "a,b\n": "only a first line",
    "run,topic,measure,score\rb,1,AP,0.5\r": "carriage return inside a line",
    "a,b\n1," + "2" * 140_000 + "\n3,4\n": "s.csv, line 2: field larger than field limit",
    "a" * 140_000 + ",b\n1,2\n": "s.csv, line 1: field larger than field limit",
}


@pytest.mark.parametrize("text", SCORES, ids=range(len(SCORES)))
def test_files_of_scores_that_hold_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(text.encode())
    with pytest.raises(InputError) as caught:
        read_scores(path)
    assert SCORES[text] in str(caught.value)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_are_complete_and_hold_no_more_than_is_allowed(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"".join(b"%d a d%d 1\n" % (i % 7, i) for i in range(2000))
    packed = PACKERS[ending](text)
    path = tmp_path / f"q{ending}"
    for size in (0, 5, len(packed) // 2, len(packed) - 1):
        path.write_bytes(packed[:size])
        with pytest.raises(InputError):
            read_judgments(path)
    path.write_bytes(packed)
    monkeypatch.setenv("RANKPRISM_MAX_UNPACKED", str(len(text)))
    assert len(read_judgments(path).table) == 2000
    monkeypatch.setenv("RANKPRISM_MAX_UNPACKED", "8K")
    with pytest.raises(InputError, match=r"holds more than 8,192 bytes.*--max-unpacked"):
        read_judgments(path)
    monkeypatch.setenv("RANKPRISM_MAX_UNPACKED", "much")
    with pytest.raises(InputError, match="'much' is not a number of bytes"):
        read_judgments(path)


def test_the_command_line_says_how_much_may_be_unpacked(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "q.gz").write_bytes(gzip.compress(b"1 a d1 1\n" * 1000))
    (tmp_path / "r.run").write_text("1 Q0 d1 1 1 t\n")
    arguments = ("evaluate", tmp_path / "q.gz", tmp_path / "r.run", "-m", "P@1", "--format", "csv")
    assert cli("--max-unpacked", "1K", *arguments).returncode == 2
    assert cli("--max-unpacked", "1M", *arguments).stdout == cli(*arguments).stdout


@pytest.mark.parametrize(
    ("kind", "p", "alpha"),
    [
        ("reciprocal", 0.0, 0.0),
        ("reciprocal", 0.0, 1e-5),
        ("logarithmic", 0.0, 0.0),
        ("logarithmic", 0.0, 1e-6),
        ("slow", 2.0, 0.0),
        ("uniform", 0.0, 1e-4),
        ("geometric", 0.99999, 1e-5),
        ("logarithmic", 0.0, 0.5),
        ("reciprocal", 0.0, 1.0),
    ],
)
def test_sums_of_discounts_beyond_the_first_ranks_equal_adding_them_up(
    kind: str, p: float, alpha: float
) -> None:
    discount: dict[str, Callable[[int], float]] = {
        "reciprocal": lambda i: 1 / i,
        "logarithmic": lambda i: 1 / math.log2(i + 1),
        "slow": lambda i: 1 / (1 + math.log(i, p)),
        "uniform": lambda i: 1.0,
        "geometric": lambda i: p ** (i - 1),
    }
    last = DIRECT + 100_003
    slow = math.fsum((1 - alpha) ** (i - 1) * discount[kind](i) for i in range(DIRECT + 1, last + 1))
    assert sum_beyond(kind, p, alpha, last) == pytest.approx(slow, rel=1e-15 * 4, abs=1e-300)


def test_a_harmonic_number_of_a_thousand_million() -> None:
    # H_n = ln n + γ + 1/(2n) - …
    direct = math.fsum(1 / i for i in range(1, DIRECT + 1))
    expected = math.log(1e9) + 0.5772156649015329 + 0.5e-9
    assert direct + sum_beyond("reciprocal", 0.0, 0.0, 10**9) == pytest.approx(expected, rel=3e-16)


def test_a_cutoff_far_beyond_the_ranking_costs_nothing() -> None:
    measures = ["ERR_IA@1000000000", "alpha_DCG(alpha=0)@1000000000", "P@1000000000", "CT@1000000000"]
    scores = evaluate(JUDGMENTS, RUN, measures).mean()["run"]
    # Σ_{i≤k} ½^(i-1) / i → 2 ln 2: with ½ left of s after a, G = (½, ¼ + ½).
    assert scores["ERR_IA@1000000000"] == pytest.approx((0.5 + 0.75 / 2) / (2 * math.log(2)), rel=1e-15)
    assert scores["P@1000000000"] == 2e-9


def test_errors_are_rankprisms_own() -> None:
    assert issubclass(InputError, RankprismError)
    assert issubclass(MeasureError, RankprismError)
