"""Measures of preferences: which of two documents people would rather read, alone or after another one.

`utility` turns the judgments of a topic into the utility of each document, alone and given each other one;
`prf` sums utilities down a ranking. `trec_prefs` and `precision` count the simple pairs that a ranking has
in order. `hits` has what all of these measures see of the rankings.
"""
