"""Evaluation from preferences: which of two documents people would rather read, alone or after another one.

The measures are in `rankprism.measures.preferences`. `groups` scores runs by each assessor or profile, and
`intervals` resamples assessors and topics; `rescoring` has what both need. `describe` says what is in a set
of preferences, with `agreement` of assessors and `cycles`; `bradley_terry` makes one strength for each
document of them, and the order that `Compat` reads. The value `Preferences` lives in `rankprism.data`, and
how it is read and written in `rankprism.formats`.
"""
