"""The values that measures work on: `Judgments`, `Preferences`, `Run` and `Hits`.

`formats` reads them from files, frames and dictionaries. `measures` and the analyses compute with them.
"""
