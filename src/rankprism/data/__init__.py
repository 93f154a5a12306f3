"""The values that measures work on: `Judgments`, `Preferences`, `Run` and `Hits`.

`formats` reads them from files, frames and dictionaries. `measures` and the analyses compute with them.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
