"""`rankprism schema`: the JSON Schema of JSON outputs."""

from __future__ import annotations

from typing import Annotated

import typer

from rankprism.cli.analysis import write_text
from rankprism.cli.group import commands
from rankprism.cli.options import OutputFile

app = commands()


@app.command()
def schema(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND]",
            help="A command, e.g. evaluate or meta power, or log for the events of --log json. Default: all.",
        ),
    ] = None,
    output: OutputFile = None,
) -> None:
    """Print the JSON Schema of what commands print as JSON.

    \b
    rankprism schema evaluate
    rankprism schema meta power -o power.schema.json
    """
    import json

    from rankprism.results import schema as find

    found = find(" ".join(command) if command else None)
    write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", output)
