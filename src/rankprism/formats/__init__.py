"""Doors: how judgments and runs come in from files, frames, dicts and rows, and how results go out.

Every door leads to the same columns and from there to one core, so the same data gives the same
scores by any of them. `judgments`, `runs` and `weights` choose the door; `files` deals with paths,
compression and safe writing; `memory` with dicts and rows; `frames` with pandas, polars and pyarrow;
`ntcir`, `evall` and `dynamic_domain` with the formats of these names; `convert` leads from one to another.
"""
