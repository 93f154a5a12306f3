"""The command line of ir_measures, which knows the measures of rankprism here."""

from __future__ import annotations

import sys

import ir_measures
from ir_measures.__main__ import main_cli

import rankprism.ir_measures  # noqa: F401 (registers them)
from rankprism.errors import MeasureError


def main() -> int:
    """Run the command line. A mistake is one line and exit code 2."""
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
    """Refuse a wrong parameter of a measure of rankprism, for which ir_measures only says "syntax error"."""
    try:
        ir_measures.parse_measure(word)
    except Exception as error:  # a path, an option, or something that ir_measures will refuse itself
        if isinstance(error, MeasureError):
            raise


if __name__ == "__main__":
    sys.exit(main())
