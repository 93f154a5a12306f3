"""Foreign text made safe, escaped and laid out."""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
