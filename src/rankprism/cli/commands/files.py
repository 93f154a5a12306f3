"""`rankprism convert`, `schema`, `measures` and `demo`: files, formats, and what there is."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rankprism.cli.derived import explained, option_of, options_of, read_signature
from rankprism.cli.door import INPUT, OUTPUT, READING, Argument, Option, flag
from rankprism.cli.frame import command
from rankprism.cli.progress import noted, working
from rankprism.cli.reading import load_measures
from rankprism.cli.shared import COLLECTION, MEASURES_FILE, OUTPUT_FILE, QUIET, WEIGHTS, as_path


def _formats() -> dict[str, list[tuple[str, str]]]:
    """All formats, as sections of help."""
    from rankprism.formats import JUDGMENT_FORMATS, PREFERENCE_FORMATS, RUN_FORMATS, written_by

    kinds: dict[str, dict[str, Any]] = {
        "judgments": {**JUDGMENT_FORMATS},
        "runs": {**RUN_FORMATS},
        "preferences": {**PREFERENCE_FORMATS},
    }
    return {
        f"Formats that can be {verb}": [
            (what, ", ".join(formats if verb == "read" else written_by(formats)))
            for what, formats in kinds.items()
        ]
        for verb in ("read", "written")
    }


def _how() -> list[Option]:
    """How to convert: what `rankprism.convert` takes."""
    where = "formats.conversion:convert"
    source = option_of(where, "format", group=INPUT, opts=["--from"])
    weights = WEIGHTS.but(help=explained(read_signature(where).doc)["weights"])
    own = options_of(where, group=INPUT)
    return [*options_of(COLLECTION, "order", "duplicates", group=READING), source, weights, *own]


@command(
    Argument("source", "IN", "Judgments or preferences, or with --run a run.", "complete_file"),
    Argument(
        "out", "OUT", "The file to write, packed if it ends in .gz; - is standard output.", "complete_file"
    ),
    _how,
    QUIET,
    formats=_formats,
)
def convert(source: str, out: str, quiet: bool, **how: Any) -> None:
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


@command(
    Argument(
        "command",
        "[COMMAND]",
        "A command, e.g. evaluate or meta power, or log for the events of --log json. Default: all.",
        nargs=-1,
        required=False,
    ),
    OUTPUT_FILE,
)
def schema(command: list[str] | None, output: Path | None) -> None:
    """Print the JSON Schema of what commands print as JSON.

    \b
    rankprism schema evaluate
    rankprism schema meta power -o power.schema.json
    """
    import json

    from rankprism.cli.output import write
    from rankprism.results import schema as find

    found = find(" ".join(command) if command else None)
    write(json.dumps(found, ensure_ascii=False, indent=1) + "\n", output)


@command(
    Argument(
        "name",
        "[NAME]",
        "The measure to explain. Default: list all measures.",
        "complete_measure",
        required=False,
    ),
    flag("--bibtex", "Print the citation of the measure as BibTeX.", group=OUTPUT),
    MEASURES_FILE,
)
def measures(name: str | None, bibtex: bool, measures_file: list[Path] | None) -> None:
    """List the measures, or explain one.

    \b
    rankprism measures
    rankprism measures alpha_nDCG
    """
    import shutil

    from rankprism.cli.output import write
    from rankprism.measures import parse
    from rankprism.measures.catalogue import explain, list_measures

    load_measures(measures_file)
    if name is None:
        write(list_measures() + "\n", for_people=True)
    elif bibtex:
        write(parse(name).definition.bibtex + "\n")
    else:
        write(explain(parse(name), min(100, shutil.get_terminal_size().columns)) + "\n", for_people=True)


@command(
    Option(
        "--save",
        type=as_path,
        metavar="FOLDER",
        completes="complete_file",
        help="Copy the sample collection to this new folder.",
        group=OUTPUT,
    )
)
def demo(save: Path | None) -> None:
    """Evaluate six systems on a small collection.

    The collection comes with rankprism.

    \b
    rankprism demo
    rankprism demo --save sample
    """
    from rankprism.cli.demo import copy_sample, show
    from rankprism.cli.output import write

    write((show() if save is None else copy_sample(save)) + "\n", for_people=True)
