"""What analyses return: `Result`, the `Scores` of runs, and the formats in which they are written.

Results print the names of measures and look measures up by any spelling, so this layer is above `measures`.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
