"""A small text table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankprism.foreign import shown


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    bold: Collection[tuple[int, int]] = (),
) -> str:
    """Aligned columns. The first `left` of them are left-aligned, and the cells in `bold` are bold.

    >>> print(text_table(["run", "P@5"], [["bm25", "0.4000"], ["dense", "0.5200"]]))
    run       P@5
    ─────────────
    bm25   0.4000
    dense  0.5200
    """
    header, rows, bold = [*map(shown, header)], [[*map(shown, row)] for row in rows], frozenset(bold)
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]

    def line(number: int, cells: Sequence[str]) -> str:
        out = []
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            space = " " * (width - _width(cell))
            if (number, column) in bold:
                cell = f"\033[1m{cell}\033[0m"
            out.append(cell + space if column < left else space + cell)
        return "  ".join(out).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([line(-1, header), rule, *(line(n, row) for n, row in enumerate(rows))])


def _width(text: str) -> int:
    """Columns on a terminal: East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
