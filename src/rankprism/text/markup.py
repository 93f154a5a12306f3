r"""Escapes foreign text for LaTeX, Markdown and HTML, so that it prints literally and has no other effect.

A run may be called ``50% of R&D_<b>``. Each function here makes the text safe to show (see
`rankprism.text.foreign`) and then escapes the characters that the markup gives a meaning.
"""

from __future__ import annotations

import re

from rankprism.text.foreign import LONGEST, escaped, shown

_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|`*[]"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "≪": r"$\ll$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "→": r"$\to$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "∩": r"$\cap$",
    "∪": r"$\cup$",
    "∞": r"$\infty$",
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "◐": r"$\odot$",
    "≠": r"$\neq$",
    "√": r"$\surd$",
    "·": r"$\cdot$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "\xa0": "~",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "å": r"\aa{}",
    "Å": r"\AA{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "ⁿ": "$^n$",
}
_GREEK = """
    α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi
    π pi ρ rho σ sigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi
    Σ Sigma Φ Phi Ψ Psi Ω Omega"""
_LATEX |= {sign: f"$\\{name}$" for sign, name in re.findall(r"(\w) (\w+)", _GREEK)}
_RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹"
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def latex_escaped(text: str, most: int | None = LONGEST) -> str:
    r"""Escape text for LaTeX with any engine and fonts. ▲ and ▼ need the package amssymb.

    Accented letters become LaTeX commands, because the file may have any encoding. A character that LaTeX's
    standard fonts lack, such as a Chinese one, is printed as an escape.

    >>> latex_escaped("50% of R&D"), latex_escaped("[a]"), latex_escaped("né 中")
    ('50\\% of R\\&D', '{[}a]', "n\\'{e} \\textbackslash{}u4e2d")
    """
    text = shown(text, most)
    # At the start of a row, LaTeX would take these two for an argument of the preceding line break.
    start, rest = (f"{{{text[0]}}}", text[1:]) if text[:1] in ("[", "*") else ("", text)
    # LaTeX would join two hyphens into a dash.
    return start + "".join(map(_latex_character, rest)).replace("--", "-{}-").replace("--", "-{}-")


def _latex_character(sign: str) -> str:
    if sign in _LATEX:
        return _LATEX[sign]
    if sign.isascii():
        return sign
    import unicodedata

    if sign in _RAISED:
        return f"$^{{{unicodedata.normalize('NFKD', sign)}}}$"
    letter, accent = unicodedata.normalize("NFD", sign)[:1], unicodedata.normalize("NFD", sign)[1:]
    if letter.isascii() and letter.isalpha() and accent in _ACCENTS:
        return f"\\{_ACCENTS[accent]}{{{letter}}}"
    return latex_escaped(escaped(sign))


def markdown_escaped(text: str, most: int | None = LONGEST) -> str:
    r"""Escape text for a cell of a Markdown table, including any HTML in it.

    >>> print(markdown_escaped("a|b <img src=x> [c](d)"))
    a\|b &lt;img src=x&gt; \[c\](d)
    """
    return shown(text, most).translate(_MARKDOWN)


def html_escaped(text: str, most: int | None = LONGEST) -> str:
    """Escape text for an element or an attribute of HTML.

    >>> print(html_escaped("<script>alert('x')</script>"))
    &lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;
    """
    import html  # loads a table of two thousand entities, which few results need

    return html.escape(shown(text, most))
