"""Reading judgments and runs from files, frames, dicts and rows, and writing files.

All of them are turned into the same columns, which one core reads, so the same data gives the same scores
in any form. `judgments`, `runs` and `weights` recognise the form. `files` deals with paths and compression,
`output_files` with safe writing, `memory` with dicts and rows. `format` says what a file format is, `known`
has a module for each family of formats, `recognition` finds out which one a file of judgments has, and
`convert` writes one format as another.
"""
