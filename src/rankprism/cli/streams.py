"""Prepare the standard streams, which may be closed or have an encoding that lacks some characters."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import unicodedata
from typing import Any

from rankprism.errors import InputError
from rankprism.text import escaped

# What our own characters become if the encoding lacks them.
_PLAIN = {
    **dict.fromkeys("─–−", "-"),
    **dict.fromkeys("├└╰╭", "+"),
    **dict.fromkeys("│", "|"),
    **dict.fromkeys("╮╯", "+"),
    **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True)),
    **{"≤": "<=", "≥": ">=", "≠": "!=", "≪": "<<", "±": "+-", "×": "x", "÷": "/", "·": "*", "√": "sqrt "},
    **{"→": "->", "⇒": "=>", "⇔": "<=>", "∩": "&", "∪": "|", "∞": "inf", "∫": "integral ", "½": "1/2"},
    **{"●": "#", "○": "o", "◐": "+", "▲": "^", "▼": "v", "′": "'", "…": "...", "⌈": "ceil(", "⌉": ")"},
    **{"Σ": "Sum", "Π": "Prod", "\u20d7": "", "\u0304": "", "˒": ",", "\u00a0": " ", "•": "*"},
    **dict(zip("‘’“”", "''\"\"", strict=True)),
}
_HANDLER = "rankprism-plain-signs"


def plain(text: str) -> str:
    r"""Text in ASCII. Characters that we print become plain ones, and all others become escapes.

    >>> plain("─ α ≤ 0.4312ᵃᵇ x₁ ö 語")
    '- alpha <= 0.4312^ab x_1 \\xf6 \\u8a9e'
    """
    out: list[str] = []
    raised = ""
    for sign in text:
        kind, _, letter = unicodedata.decomposition(sign).partition(" ")
        mark = {"<super>": "^", "<sub>": "_"}.get(kind, "")
        if mark:
            out.append(("" if mark == raised else mark) + chr(int(letter, 16)))
        else:
            out.append(_PLAIN[sign] if sign in _PLAIN else _spelled(sign))
        raised = mark if mark or sign != "˒" else raised  # a raised comma separates raised letters
    return "".join(out)


def _spelled(sign: str) -> str:
    """A character in ASCII: itself, the name of a Greek letter, or an escape."""
    if sign.isascii():
        return sign
    words = unicodedata.name(sign, "").split()
    if len(words) != 4 or words[0] != "GREEK" or words[2] != "LETTER":
        return escaped(sign)
    name = words[3].lower().replace("lamda", "lambda")
    return name.capitalize() if words[1] == "CAPITAL" else name


def _in_place_of_signs(error: UnicodeError) -> tuple[str, int]:
    """What a codec writes for the characters that it lacks.

    If the text gets longer, blanks behind it are dropped, except one, so that the columns of a table stay
    aligned.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, end = error.object, error.end
    written = plain(text[error.start : end])
    longer = len(written) - (end - error.start)
    while longer > 0 and text[end : end + 2] == "  ":
        longer, end = longer - 1, end + 1
    return written, end


codecs.register_error(_HANDLER, _in_place_of_signs)


class _Closed(io.TextIOBase):
    """Stands for a standard stream that is closed. Using it is an error; not using it is none."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.buffer = self

    def _refuse(self, *_: object) -> Any:
        raise InputError(self.message)

    read = read1 = write = _refuse


class _Output(io.FileIO):
    """Standard output whose errors say that standard output is meant, which an OSError does not say."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"standard output: cannot be written ({error.strerror})") from None


def prepare() -> None:
    """Make the standard streams safe: a character that cannot be encoded or a closed stream does no harm."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # otherwise the next file that is opened would become the stream
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or _Closed("standard input: is closed; name a file instead of -")
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")
    output = sys.__stdout__
    if sys.stdout is None:
        sys.stdout = _Closed("standard output: is closed; name a file with -o, or open it")
    elif output is not None and sys.stdout is output and not output.isatty():
        raw = _Output(output.fileno(), "wb", closefd=False)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding=output.encoding)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def silence() -> None:
    """Discard further output, so that the interpreter does not complain about it when it exits."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
