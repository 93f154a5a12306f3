"""Evaluation from preferences: which of two documents people would rather read, alone or after another one.

`utility` turns the judgments of a topic into the utility of each document, alone and given each other one;
`prf` sums utilities down a ranking. The value `Preferences` lives in `rankprism.data`, and how it is read and
written in `rankprism.formats`.
"""
