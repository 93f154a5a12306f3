"""`rankprism demo`: six systems on the sample collection."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import warnings
from pathlib import Path

from rankprism.cli.output import shows_bold, terminal_width
from rankprism.data import sample
from rankprism.errors import InputError, RankprismWarning
from rankprism.evaluation import evaluate
from rankprism.formats import removed_unless_finished
from rankprism.results import Table
from rankprism.text import shown

MEASURES = ("alpha_nDCG@10", "ERR_IA@10", "NRBP", "AP_IA", "StRecall@10", "nDCG@10", "P@10")
#: The measure on which the demo shows what the weights change.
WEIGHED = "ERR_IA@10"

_FILES = (sample.QRELS, sample.WEIGHTS, sample.PREFERENCES, *sample.RUNS)

#: The commands to try next, which `show` prints.
NEXT = (
    "demo --save sample",
    "evaluate sample/qrels.txt sample/runs/*.run --weights sample/weights.txt -m ERR_IA@10 -m P@10",
    "compare sample/qrels.txt sample/runs/*.run -m alpha_nDCG@10",
    "meta power sample/qrels.txt sample/runs/*.run -m alpha_nDCG@10 -m P@10",
)


def show() -> str:
    runs = list(sample.RUNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankprismWarning)  # shallow is said to stop after three documents
        scores = evaluate(sample.QRELS, runs, MEASURES, weights=sample.WEIGHTS)
        alike = evaluate(sample.QRELS, runs, [WEIGHED]).mean()["diversified"][WEIGHED]
    columns = {"system" if name == "run" else name: x for name, x in scores.summary.columns.items()}
    table = Table(columns).text(bold=shows_bold(), width=terminal_width())
    commands = "\n".join(f"  {_program()} {command}" for command in NEXT)
    systems = "\n".join(f"  {name:<15} {character}" for name, character in sample.SYSTEMS.items())
    return f"""\
{len(scores.topics)} ambiguous queries (jaguar: the car, the cat or the guitar?) and six systems:

{systems}

{table}

P@10 counts relevant documents. It hardly distinguishes redundant from diversified.
StRecall@10 counts the senses that a ranking reaches. alpha_nDCG@10 rewards each document
for what it adds to the documents above it.

Popular senses weigh more here: ERR_IA@10 and AP_IA use the weights of senses in weights.txt.
If all senses weigh the same, as they do without --weights, diversified has {WEIGHED} = {alike:.4f}.

Next, copy the collection and try other commands on it:

{commands}"""


def _program() -> str:
    """What to type for `rankprism`: its path if the shell would not find it, as after `make demo`."""
    called, found = sys.argv[0], shutil.which("rankprism")
    if os.path.basename(called) != "rankprism" or (found and os.path.samefile(found, called)):
        return "rankprism"
    return shlex.quote(called)


def copy_sample(folder: Path) -> str:
    """Copy the sample collection to a folder, which appears whole or not at all.

    A folder that has the collection already stays as it is: README and other pages all begin by copying it.
    """
    files = {file.relative_to(sample.FOLDER): file for file in _FILES}
    is_there = (
        f"The sample collection is in {shown(str(folder))}: qrels.txt, weights.txt, preferences.tsv, runs/."
    )
    if all(_has(folder / name, file) for name, file in files.items()):
        return is_there
    if os.path.lexists(folder):
        raise InputError(f"{folder}: exists already; name a folder that does not")
    if not folder.parent.is_dir():
        raise InputError(f"{folder}: the folder {folder.parent} does not exist; create it first")
    with removed_unless_finished() as temporary:
        copy = temporary(folder.parent)
        try:
            (copy / "runs").mkdir(parents=True)
            for name, file in files.items():
                (copy / name).write_bytes(file.read_bytes())
            copy.rename(folder)
        except OSError as error:
            raise InputError(
                f"{folder}: cannot be written ({error.strerror}); nothing was left there"
            ) from None
    return is_there


def _has(copy: Path, file: Path) -> bool:
    try:
        return copy.read_bytes() == file.read_bytes()
    except OSError:
        return False
