"""From judgments and runs to scores.

`collection` has `Collection`: judgments and runs, and how they are read.
`evaluation` has `evaluate`, which begins to read files before numpy is loaded. `parts` divides measures by
the kind of judgments that they need, and joins the runs with these. `blocks` computes the scores of all
runs, `notes` what to know about them (with `inspection`), and `conventions` records how they were computed.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
