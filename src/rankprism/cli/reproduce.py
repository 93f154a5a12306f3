"""`rankprism reproduce`: the tables and figures of papers, computed for a collection."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import check_output, note_options, write_result
from rankprism.cli.collection import (
    Collection,
    QrelsAndRuns,
    given_to,
    read_collection,
    with_options_of,
)
from rankprism.cli.options import Seed, noted, working
from rankprism.errors import InputError

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Compute the tables and figures of a paper, and compare them with the printed numbers. Without "
    "files, the sample collection is used.",
)


def _collection(files: list[str] | None, weights: str | None, given: dict[str, Any]) -> Collection:
    """The collection that is named, or the sample with its weights if no files are named."""
    from rankprism import sample

    if not files:
        files = [str(sample.QRELS), *map(str, sample.RUNS)]
        weights = weights or str(sample.WEIGHTS)
    return read_collection(files=files, weights=weights, **given)


def _read(options: dict[str, Any]) -> Collection:
    given = given_to(read_collection, options)
    read = _collection(given.pop("files"), given.pop("weights"), given)
    if read.preferences is not None:
        raise InputError("preferences are not used here; name absolute judgments and runs only")
    return read


@app.command()
@with_options_of(read_collection, write_result, note_options)
def rbu(
    files: QrelsAndRuns = None,
    repetitions: Annotated[
        int, typer.Option(min=1, help="How often the simulated scenarios of Table 2 are drawn.")
    ] = 10,
    instances: Annotated[
        int, typer.Option(min=0, help="Number of random instances for each cell of Table 1.")
    ] = 4000,
    seed: Seed = 0,
    **others: Any,
) -> None:
    """Amigó et al. (2018): axioms and Metric Unanimity, Tables 1 to 3.

    \b
    rankprism reproduce rbu
    rankprism reproduce rbu qrels.txt runs/*.run --repetitions 50
    """
    from rankprism.reproduce.rbu import rbu as compute

    check_output(**given_to(write_result, others))
    with noted(others["quiet"]):
        read = _read({"files": files, **others})
        with working("drawing") as on_share:
            found = compute(
                read.absolute,
                list(read.runs),
                repetitions=repetitions,
                instances=instances,
                seed=seed,
                on_share=on_share,
                **read.settings,
            )
    write_result(found, **given_to(write_result, others))


@app.callback()
def _papers() -> None:
    """Compute the tables and figures of a paper, and compare them with the printed numbers."""
