"""`rankprism scores`: check a folder of scores, and move away what is out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.completion import complete_file
from rankprism.cli.group import commands

if TYPE_CHECKING:
    from rankprism.evaluation.score_folder import FolderCheck

app = commands()
#: The exit code if files are damaged or out of date and were not moved.
_STALE = 3


def _exit_code(found: FolderCheck) -> int:
    return 0 if found.is_sound else _STALE


@app.command()
@command("evaluation.score_folder:check_score_folder", "reading", reads=None, exits=_exit_code)
def scores(
    call: Call,
    folder: Annotated[
        str,
        typer.Argument(metavar="FOLDER", help="A folder of evaluate --into.", autocompletion=complete_file),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="The runs that are still in use. Scores of others are out of date. Default: all are in use.",
            autocompletion=complete_file,
        ),
    ] = None,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="Move files that are damaged or out of date to a folder beside FOLDER, whose name ends in "
            "-stale.",
        ),
    ] = False,
) -> FolderCheck:
    """Check the files in a folder of scores, and list those that are damaged or out of date.

    Scores are out of date if they were computed from other judgments, with other settings or by another
    definition of a measure than the newest scores in the folder. The exit code is then 3.

    \b
    rankprism scores scores
    rankprism scores scores runs/*.run --prune
    """
    found: FolderCheck = call(folder, runs or None, prune=prune)
    return found
