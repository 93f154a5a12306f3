"""A folder of scores that grows night after night: one Parquet file for each run, to be read as one table.

Only what is new or changed is scored. Each file records what its scores were computed from, has the notes on
its run and a checksum, and appears complete or not at all. Processes that write to one folder at the same
time wait for each other, so that nothing is lost.

`evaluate` scores into a folder, `plans` says what has to be scored, `files` reads and writes a file, and
`check` finds files that are damaged or out of date.
"""

from __future__ import annotations

from rankprism.evaluation.score_folder.check import FolderCheck, check_score_folder
from rankprism.evaluation.score_folder.evaluate import Stored, evaluate_into
from rankprism.evaluation.score_folder.files import locked

__all__ = ["FolderCheck", "Stored", "check_score_folder", "evaluate_into", "locked"]
