"""Analyses of multi-aspect evaluation (Maistro et al. 2021): the order of label tuples, the frequency of each
label, the scores that CAM and MM can reach, and how CAM, MM, TOMA and others differ on a collection.

The measures themselves (`TOMA`, `CAM`, `MM`, `Aspect`, `Compat`) are in `rankprism.measures`, the scales in
`rankprism.data.scales`, the readers in `rankprism.formats.aspects.reading`.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
