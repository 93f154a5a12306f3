"""Evaluation from preferences: which of two documents people would rather read, alone or after another one.

`utility` turns the judgments of a topic into the utility of each document, alone and given each other one;
`prf` sums utilities down a ranking. `trec_prefs` and `precision` count the simple pairs that a ranking has
in order. `describe` says what is in a set of preferences, with `agreement` of assessors and `cycles`;
`bradley_terry` makes one strength for each document of them, and the order that `Compat` reads. `profiles`
says what kinds of users care about, and `simulate` what they would prefer, from subtopic judgments. The value
`Preferences` lives in `rankprism.data`, and how it is read and written in `rankprism.formats`.
"""
