"""Published tables and figures, computed for a collection and set beside the printed numbers.

Each paper has a module with one function, which returns a `Reproduction`. The printed numbers stand in these
modules, each with its table in the paper. The analyses themselves are elsewhere: `meta`, `axioms`,
`preferences` and `aspects`.
"""

from rankprism.reproduce.paper import Reproduction

__all__ = ["Reproduction"]
