"""Statistics that comparing systems and evaluating measures share.

The modules have paired tests of many pairs at once, resampling, corrections for many tests, checks of
significance levels, and work on several threads. Nothing here knows runs or measures by name.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
