"""The command line: parse, call the API, print. No logic."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Exit codes: 0 fine, 1 our fault, 2 bad usage or input."""
    from rankprism.cli.app import app
    from rankprism.errors import RankprismError

    try:
        app(prog_name="rankprism")
    except RankprismError as error:
        print(f"rankprism: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:  # standard output is full
        print(f"rankprism: cannot write ({error.strerror})", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
