"""Evaluation from preferences: which of two documents people would rather read, alone or after another one.

The measures are in `rankprism.measures.preferences`. `groups` scores runs by each assessor or profile, and
`intervals` resamples assessors and topics; both use `rescoring`. `describe` says what is in a set of
preferences, with the `agreement` of assessors and `cycles`. `bradley_terry` gives each document a strength,
and the order that `Compat` reads. `profiles` says what kinds of users care about, and `simulate` what they
would prefer, from subtopic judgments; `experiments` repeats those of Chandar and Carterette (2013).
`selection` chooses which pair to ask next, and `plan` finds how many judgments a study needs. The value
`Preferences` lives in `rankprism.data`, and how it is read and written in `rankprism.formats`.
"""
