"""Makes foreign text safe to show: ids, file names and values that come from files.

A run may be called ``a\\x1b[2Jb``, which would clear the screen, and an id may be a megabyte long. Whatever
is shown to people (messages, notes, tables, charts) goes through `shown` or `message`. Whatever is written
for machines (CSV, JSON, converted files) keeps the text as it is.

Each of these is handled in one place.

- `foreign.py` makes ids and names from files safe to show. Errors and warnings, including those of the
  core, pass through it when they are made. Tables, Markdown, LaTeX and charts pass through it when they
  are written.
- `formats/output_files.py` writes all output files. It writes to a temporary file, which then replaces
  the old one, or directly to a stream, device or pipe.
- `cli/events.py` prints progress, notes and errors as JSON lines, if a program asks for them.
- `cli/__init__.py` turns every exception into one line and an exit code. `cli/streams.py` prepares the
  standard streams, which may be closed or have another encoding. `cli/interrupt.py` ends the process
  after Ctrl-C if neither Python nor the core reacts to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

#: The longest piece of foreign text that a table shows.
LONGEST = 200

_LONGEST_WORD = 300
_LONGEST_MESSAGE = 2000

# Control characters (C0, DEL, C1), characters that are invisible or change the direction of writing, line and
# paragraph separators, tags, and the surrogates by which Python represents bytes that are not UTF-8. The
# joiners U+200C and U+200D are left alone, because Persian, Hindi and other scripts are written with them.
# Python considers none of these characters printable, so a printable text is safe. Nearly all texts are
# printable, and they need no pattern.
_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_NOT_UTF8 = "[\ud800-\udfff]"


def shown(text: str, most: int | None = LONGEST) -> str:
    r"""Make foreign text safe to show: one line, no terminal commands, and not too long.

    >>> print(shown("red\x1b[31m\u202egnp.exe"))
    red\x1b[31m\u202egnp.exe
    >>> shown("x" * 1000, most=5)
    'xxxxx… (1,000 characters)'
    """
    if most is not None and len(text) > most:
        text = f"{text[:most]}… ({len(text):,} characters)"
    return _safe(text)


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Cut names in the middle, so that none has more than `most` characters.

    Names that only differ in the part that was cut out are cut elsewhere, around the first difference.

    >>> shortened(["a-run-with-a-very-long-name-1", "a-run-with-a-very-long-name-2", "bm25"], 13)
    ['a-run-…name-1', 'a-run-…name-2', 'bm25']
    >>> shortened(["a-very-long-name-of-1-run-and-more", "a-very-long-name-of-2-run-and-more"], 9)
    ['…of-1-ru…', '…of-2-ru…']
    """
    tail = (most - 1) // 2
    cut = [f"{x[: most - 1 - tail]}…{x[len(x) - tail :]}" if len(x) > most else x for x in names]
    alike: dict[str, list[int]] = {}
    for i, short in enumerate(cut):
        alike.setdefault(short, []).append(i)
    for same in alike.values():
        if len({names[i] for i in same}) == 1:
            continue
        letters = zip(*(names[i] for i in same), strict=False)
        differ = next((n for n, x in enumerate(letters) if len(set(x)) > 1), most)
        begin = max(0, differ - (most - 2) // 2)
        for i in same:
            cut[i] = f"…{names[i][begin : begin + most - 2]}…"
    return cut


def quoted(value: Any, most: int = 60) -> str:
    r"""Return the repr of a value for a message, cut short if it is long.

    >>> print(quoted("d1"), quoted("\x1b[31m"), quoted("x" * 100, most=3), quoted(range(1000)))
    'd1' '\x1b[31m' 'xxx…' range(0, 1000)
    >>> quoted([10] * 50, most=8)
    '[10, 10,…'
    """
    if isinstance(value, str):
        return repr(shorter(value, most))
    try:
        return shorter(repr(value), most)
    except (ValueError, RecursionError):  # an integer with thousands of digits; lists nested too deeply
        return f"a {type(value).__name__} that is too long to print"


def shorter(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[:most] + "…"


def message(text: str) -> str:
    """Make a message that quotes foreign text safe to show: one line, and short whatever it quotes.

    >>> text = message(f"q.txt, line 3: the grade {'9' * 5000!r} is too long; shorten it")
    >>> len(text) < 400, text[:24], text[-10:]
    (True, 'q.txt, line 3: the grade', 'shorten it')
    """
    if len(text) > _LONGEST_WORD:
        long_word = rf"\S{{{_LONGEST_WORD + 1},}}"
        text = re.sub(long_word, lambda found: _without_middle(found[0], 200, 80), text)
    if len(text) > _LONGEST_MESSAGE:
        text = _without_middle(text, _LONGEST_MESSAGE * 2 // 3, _LONGEST_MESSAGE // 4)
    return _safe(text)


def shown_lines(text: str) -> str:
    """Escape text for a terminal as `shown` does, but keep its line ends and tabs."""
    return _safe(text, keep="\n\t")


def _safe(text: str, keep: str = "") -> str:
    """Escape each character that is not safe to show, except those to keep."""
    if text.isprintable():
        return text
    return re.sub(_UNSAFE, lambda found: found[0] if found[0] in keep else escaped(found[0]), text)


def as_utf8(name: str) -> str:
    r"""Return a file name as valid UTF-8, with escapes for bytes that are not UTF-8.

    >>> as_utf8("caf\udce9.run")
    'caf\\xe9.run'
    """
    return name if name.isprintable() else re.sub(_NOT_UTF8, lambda found: escaped(found[0]), name)


def _without_middle(text: str, before: int, after: int) -> str:
    return f"{text[:before]}…{text[-after:]}"


def escaped(sign: str) -> str:
    r"""Return the escape sequence of a character.

    >>> print(escaped("\x1b"), escaped("\n"), escaped("\u202e"), escaped("\udce9"))
    \x1b \n \u202e \xe9
    """
    code = ord(sign)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8, as Python keeps it in file names
        code -= 0xDC00
    if code < 0x100:
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(sign, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
