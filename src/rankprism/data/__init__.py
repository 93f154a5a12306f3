"""The values on which everything else works: `Judgments`, `Run`, `Hits`, `Scores`.

`formats` reads them from files, frames and dictionaries. `measures` and the analyses compute with them.
"""
