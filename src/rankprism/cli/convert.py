"""`rankprism convert`: judgments, preferences and runs in another format."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from rankprism.cli.group import commands
from rankprism.cli.options import Quiet, noted, working
from rankprism.cli.signature import parameters_of, with_options_of

app = commands()


class _WithFormats(TyperCommand):
    """A command whose help ends with a list of all formats."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from rankprism.formats import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS, written_by

        kinds: dict[str, dict[str, Any]] = {
            "judgments": {**JUDGMENT_FORMATS},
            "runs": {**RUN_FORMATS},
            "preferences": {**PREFERENCE_FORMATS},
        }
        for verb in ("read", "written"):
            with formatter.section(f"Formats that can be {verb}"):
                formatter.write_dl(
                    [
                        (what, ", ".join(formats if verb == "read" else written_by(formats)))
                        for what, formats in kinds.items()
                    ]
                )


@app.command(cls=_WithFormats)
@with_options_of(
    parameters_of("evaluation:evaluate", "order", "duplicates"),
    parameters_of("formats.conversion:convert", format="--from"),
)
def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Judgments or preferences, or with --run a run.")
    ],
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="The file to write, packed if it ends in .gz; - is standard output."
        ),
    ],
    quiet: Quiet = False,
    **how: Any,
) -> None:
    """Write judgments, preferences or a run in another format.

    \b
    rankprism convert qrels.txt q.Dqrels --to ntcir
    rankprism convert --run bm25.run bm25.tsv --to evall
    """
    from rankprism.formats import convert as convert_file
    from rankprism.formats import replaces_file

    # A bar would mix with what is written to a terminal.
    with noted(quiet), nullcontext() if out == "-" and sys.stdout.isatty() else working("converting"):
        conversion = convert_file(source, out, **how)
    # What was done is said where the converted text does not go.
    print(conversion, file=sys.stdout if replaces_file(out) else sys.stderr)
