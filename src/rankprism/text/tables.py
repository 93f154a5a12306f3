"""A small text table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankprism.text.foreign import shortened, shown

#: Blanks between two columns.
GAP = 2
#: A name is not made shorter than this, even if the terminal is narrower.
SHORTEST = 12


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    bold: Collection[tuple[int, int]] = (),
    repeated: int = 1,
    width: int | None = None,
) -> str:
    """Aligned columns. The first `left` of them are left-aligned, and the cells in `bold` are bold.

    If the lines would be longer than `width`, the columns are printed in several blocks, one below the other,
    and the first `repeated` columns are in each.

    >>> print(text_table(["run", "P@5"], [["bm25", "0.4000"], ["dense", "0.5200"]]))
    run       P@5
    ─────────────
    bm25   0.4000
    dense  0.5200
    >>> print(text_table(["run", "P@5", "RR"], [["bm25", "0.4000", "0.7000"]], width=15))
    run      P@5
    ────────────
    bm25  0.4000
    <BLANKLINE>
    run       RR
    ────────────
    bm25  0.7000
    """
    header, bold = [*map(shown, header)], frozenset(bold)
    cells = [[*map(shown, row)] for row in rows]
    rows = cells if width is None else _fitted(header, cells, repeated, width)
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]

    def line(number: int, cells: Sequence[str], columns: Sequence[int]) -> str:
        out = []
        for column in columns:
            cell = cells[column]
            space = " " * (widths[column] - _width(cell))
            if (number, column) in bold:
                cell = f"\033[1m{cell}\033[0m"
            out.append(cell + space if column < left else space + cell)
        return (" " * GAP).join(out).rstrip()

    def block(columns: Sequence[int]) -> str:
        rule = "─" * (sum(widths[column] + GAP for column in columns) - GAP)
        lines = [line(number, row, columns) for number, row in enumerate(rows)]
        return "\n".join([line(-1, header, columns), rule, *lines])

    return "\n\n".join(map(block, _blocks(widths, repeated, width)))


def _fitted(header: Sequence[str], rows: list[list[str]], repeated: int, width: int) -> list[list[str]]:
    """The same rows with shorter names, so that a line with one other column is at most `width` long."""
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]
    excess = sum(x + GAP for x in widths[:repeated]) + max(widths[repeated:], default=0) - width
    if excess <= 0 or not repeated:
        return rows
    longest = max(range(repeated), key=widths.__getitem__)
    names = shortened([row[longest] for row in rows], max(SHORTEST, widths[longest] - excess))
    return [[*row[:longest], name, *row[longest + 1 :]] for row, name in zip(rows, names, strict=True)]


def _blocks(widths: Sequence[int], repeated: int, width: int | None) -> list[list[int]]:
    """The columns of each block. A block has at least one column that is not repeated."""
    names = list(range(repeated))
    begin = sum(widths[:repeated]) + GAP * repeated
    blocks, used = [names], begin
    for column in range(repeated, len(widths)):
        if width is not None and len(blocks[-1]) > repeated and used + widths[column] > width:
            blocks.append(names)
            used = begin
        blocks[-1] = [*blocks[-1], column]
        used += widths[column] + GAP
    return blocks


def _width(text: str) -> int:
    """Columns on a terminal: East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
