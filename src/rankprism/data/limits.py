"""The largest number that a user may give as a label, a weight or a parameter of a measure."""

from __future__ import annotations

#: Far above any use, and so far below the largest float (10³⁰⁸) that products and sums of many stay finite.
LARGEST = 10**9
