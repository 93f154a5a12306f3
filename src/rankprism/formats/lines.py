"""Lines that can only be TREC's. Nearly every file is recognised by its first line, without numpy."""

from __future__ import annotations

from rankprism.formats.spellings import SPELLINGS


def is_plain(line: str) -> bool:
    """Whether a line can only be one of TREC's judgments, so that no other format has to be tried.

    It has four columns with one blank or tab between them. The topic is not the name of a column, and the
    grade is a whole number.

    >>> is_plain("51 2 clueweb09-en0000-15-04138 1"), is_plain("51 2 clueweb09-en0000-15-04138 L1")
    (True, False)
    """
    columns = _plain_columns(line)
    grade = columns[-1].removeprefix("-")
    is_judged = len(columns) == 4 and grade.isascii() and grade.isdecimal()
    return is_judged and columns[0].casefold() not in SPELLINGS["topic"]


def is_plain_run(line: str) -> bool:
    """Whether a line can only be one of a TREC run, because it has six columns and is no header.

    >>> is_plain_run("51 Q0 clueweb09-en0010-57-32932 1 30195.9 bm25"), is_plain_run("51 clueweb09-en0010")
    (True, False)
    """
    columns = _plain_columns(line)
    return len(columns) == 6 and columns[0].casefold() not in SPELLINGS["topic"]


def _plain_columns(line: str) -> list[str]:
    """The columns of a line that has no quotes, commas or braces, by which other formats are recognised."""
    line = line.replace("\t", " ")
    columns = line.split(" ")
    plain = line.isprintable() and not any(sign in line for sign in '",{') and all(columns)
    return columns if plain else [""]


def has_few_documents(text: str) -> bool:
    """Whether the third columns of some lines of judgments are all short numbers, as grades are.

    >>> has_few_documents("1 d1 0 2\\n1 d2 0 1\\n"), has_few_documents("1 0 d1 2\\n1 0 d2 1\\n")
    (True, False)
    """
    for line in text.split("\n")[:50]:
        columns = line.split()
        if len(columns) == 4 and not (len(columns[2]) < 3 and columns[2].lstrip("-").isdecimal()):
            return False
    return True
