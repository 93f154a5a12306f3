"""Lines are cut into columns 64 bytes at a time where they are ordinary, and byte by byte where they are not.

Both ways have to read the same. A second blank between two columns makes a line an unusual one.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankprism import InputError
from rankprism._core import JudgmentTable, RunTable

names = st.text(
    st.characters(min_codepoint=0x21, exclude_categories=["Cs", "Cc", "Zs"]), min_size=1, max_size=70
).filter(lambda name: not name.startswith("#") and "\u2028" not in name)
digits = st.text("0123456789", min_size=1, max_size=18)
numbers = st.one_of(
    st.builds("{}{}.{}".format, st.sampled_from(["", "-", "+"]), digits, digits),
    st.builds("{}{}".format, st.sampled_from(["", "-"]), digits),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["5.", ".5", "-.25", "-0.0", "007.50", "1e3", "12345678.12345678", "9999999.99999999"]),
)


def run_of(lines: list[tuple[str, ...]], blank: str, end: str) -> list[tuple[str, str, float, float]]:
    text = end.join(blank.join(line) for line in lines) + end
    return list(zip(*RunTable.from_bytes(text.encode(), "run").columns(), strict=True))


@given(
    st.lists(st.tuples(names, st.just("Q0"), names, digits, numbers, names), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
)
@example([("1", "Q0", "d" * 55, "1", "2.5", "t"), ("1", "Q0", "d" * 56, "2", "1.5", "t")], "\n")
def test_runs(lines: list[tuple[str, ...]], end: str) -> None:
    found = run_of(lines, " ", end)
    assert found == run_of(lines, "  ", "\n") == run_of(lines, "\t", end)
    expected = [(topic, doc, float(score), float(rank)) for topic, _, doc, rank, score, _ in lines]
    assert found == expected
    # The sign of a zero counts, too.
    assert [math.copysign(1, row[2]) for row in found] == [math.copysign(1, row[2]) for row in expected]


@given(
    st.dictionaries(st.tuples(names, names, names), st.integers(-3, 12), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
)
def test_judgments(graded: dict[tuple[str, str, str], int], end: str) -> None:
    def rows(blank: str, end: str) -> list[tuple[str, str, str, float]]:
        text = "".join(blank.join((*key, str(grade))) + end for key, grade in graded.items())
        table = JudgmentTable.from_bytes(text.encode(), "qrels", "diversity")
        return list(zip(*table.columns(), strict=True))

    found = rows(" ", end)
    assert found == rows("  ", "\n") == rows("\t", end)
    assert {(topic, aspect, doc): grade for topic, aspect, doc, grade in found} == graded


@pytest.mark.parametrize(
    "line", ["1 Q0 d1 1 2.5", "1 Q0 d1 1 2.5 ", "1 Q0 d1 1", "1", "1 Q0 " + "d" * 80 + " 1"]
)
def test_a_line_of_a_run_that_is_too_short_is_refused(line: str) -> None:
    with pytest.raises(InputError, match=r"^run, line 2: expected 6 columns: .*; found [1-5]$"):
        RunTable.from_bytes(f"1 Q0 d0 1 3.5 t\n{line}\n1 Q0 d2 2 1.5 t\n".encode(), "run")


@pytest.mark.parametrize("line", ["1 a d1", "1 a d1 1 1", "1 a", "1 a " + "d" * 80, "1 a d1 1  1"])
def test_judgments_with_another_number_of_columns_are_refused(line: str) -> None:
    with pytest.raises(InputError, match=r"^qrels, line 2: expected 4 columns: .*; found [2-5]$"):
        JudgmentTable.from_bytes(f"1 a d0 1\n{line}\n1 a d2 1\n".encode(), "qrels", "diversity")


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
@pytest.mark.parametrize("length", [62, 63, 64, 65, 127])
def test_a_line_of_judgments_has_four_columns_whatever_its_length(columns: int, length: int) -> None:
    """The core looks at 64 bytes at a time. The end of such a block is not the end of a column."""
    line = " ".join(["1", *"2" * (columns - 1)])
    line = line.replace("1", "1" * (length - len(line) + 1), 1)
    assert len(line) == length
    with pytest.raises(InputError, match=f"line 1: expected 4 columns: topic .* grade; found {columns}$"):
        JudgmentTable.from_bytes(f"{line}\n1 0 d 1\n".encode(), "q", "diversity")
