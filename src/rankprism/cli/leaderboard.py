"""`rankprism leaderboard`: which ranks each system may have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.completion import complete_file
from rankprism.cli.group import commands
from rankprism.cli.scores import Mixed, read_source
from rankprism.cli.signature import with_options_of
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.results import Scores

app = commands()

Collections = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS RUN... | SCORES... | NAME=SCORES...",
        help="Judgments and runs, as for evaluate; or files with the scores of each topic; or such a file "
        "for each of several collections, with the name of the collection.",
        autocompletion=complete_file,
    ),
]


@with_options_of(read_source)
def read_collections(files: Collections = None, **source: Any) -> Scores | dict[str, Scores]:
    """Scores of one collection, or of several by their names."""
    pairs = [os.fspath(file).partition("=") for file in files or []]
    # Judgments of several aspects are NAME=FILE, too, but files of runs follow them.
    if not pairs or not all(
        equals and not os.path.exists(name + equals + path) for name, equals, path in pairs
    ):
        return read_source(files=files, **source).scores
    by_name: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for name, _, path in pairs:
        other = names.setdefault(os.path.realpath(path), name)
        if other != name:
            raise InputError(
                f"{path}: is named for the collections {other!r} and {name!r}, and its topics would count "
                f"twice; leave one of them out"
            )
        by_name.setdefault(name, []).append(path)
    source["scores"] = True
    return {name: read_source(files=paths, **source).scores for name, paths in by_name.items()}


@app.command()
@command("comparison.boards:leaderboard", reads=read_collections)
def leaderboard(scores: Scores | dict[str, Scores], call: Call, mixed: Mixed = False) -> Any:
    """Rank systems, and say which ranks each of them may have.

    All sets of ranks hold together with 95 % confidence. With several measures, each has its own board.

    \b
    rankprism leaderboard qrels.txt runs/*.run -m nDCG@10
    rankprism leaderboard scores.csv -m nDCG@10 --plot board.svg
    rankprism leaderboard nq=nq.csv fiqa=fiqa.csv -m nDCG@10 --combine borda
    """
    return call(scores, mixed=mixed)
