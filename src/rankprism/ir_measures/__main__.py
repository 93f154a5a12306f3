"""The command line of ir_measures, with the measures of rankprism."""

from __future__ import annotations

import os
import sys

import ir_measures
from ir_measures.__main__ import main_cli

import rankprism.ir_measures  # registers the measures
from rankprism.errors import MeasureError


def main() -> int:
    """Run the command line. A user's mistake gives one line and exit code 2."""
    sys.argv[0] = "rankprism.ir_measures"
    try:
        for word in " ".join(sys.argv[1:]).split():
            _check(word)
        main_cli()
    except (AssertionError, ValueError, OSError) as error:
        print(f"rankprism.ir_measures: {error}", file=sys.stderr)
        return 2
    return 0


def _check(word: str) -> None:
    """Explain what is wrong with a measure of rankprism, where ir_measures only says "syntax error"."""
    try:
        ir_measures.parse_measure(word)
    except MeasureError:  # a wrong parameter
        raise
    except (ValueError, NameError):  # a path, an option, or a measure that ir_measures cannot read
        if not os.path.exists(word):
            _check_grammar(word)
    except AttributeError:  # ir_measures 0.4.3 uses parts of `ast` that Python 3.14 no longer has
        raise ValueError(
            f"ir_measures cannot read the name of any measure on this version of Python. "
            f"`rankprism evaluate QRELS RUN -m '{word}'` computes it."
        ) from None


def _check_grammar(word: str) -> None:
    """Refuse a measure that only rankprism can read, and say what to do instead."""
    try:
        found = str(rankprism.ir_measures.measure(word))
    except MeasureError:  # rankprism cannot read it either: ir_measures will refuse it if it is a measure
        return
    try:
        ir_measures.parse_measure(found)
    except (ValueError, NameError):
        raise ValueError(
            f"ir_measures cannot read {word}, because its grammar does not allow a measure in a measure. "
            f"`rankprism evaluate QRELS RUN -m '{found}'` computes it. In Python, "
            f'rankprism.ir_measures.measure("{found}") is an object that ir_measures takes.'
        ) from None
    raise ValueError(f"ir_measures cannot read the spelling {word}; write {found}")


if __name__ == "__main__":
    sys.exit(main())
