"""Reading judgments and runs from files, frames, dicts and rows, and writing files.

All of them are turned into the same columns, which one core reads, so the same data gives the same scores
in any form. `judgments`, `runs` and `weights` recognise the form. `files` deals with paths, compression and
safe writing, `memory` with dicts and rows, `frames` with pandas, polars and pyarrow. `ntcir`, `evall` and
`dynamic_domain` read the formats of these names, and `convert` writes one format as another.
"""
