"""Reading judgments, runs, preferences and scores from files, frames, dicts and rows, and writing files.

All of them are turned into the same columns, which one core reads, so the same data gives the same scores
in any form. `judgments`, `runs`, `preferences`, `scores` and `weights` read data. `files`
opens paths, packed or not, `output_files` writes safely, `memory` reads dicts and rows, `objects` knows the
objects of other packages, and `spellings` knows the names of columns. `format` defines a file format, `known`
has a module for each family of formats, `recognition` finds out what a file is, and `convert` writes one
format as another.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
