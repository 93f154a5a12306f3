"""Reading judgments and runs from files, frames, dicts and rows, and writing files.

All of them are turned into the same columns, which one core reads, so the same data gives the same scores
in any form. `judgments`, `runs` and `weights` recognise the form. `files` deals with paths, compression and
safe writing, `memory` with dicts and rows. `format` says what a file format is, `known` has a module for each
family of formats, and `convert` writes one format as another.
"""
