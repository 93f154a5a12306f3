"""Measures of preferences: which of two documents people would rather read, alone or after another one.

`utility` turns the judgments of a topic into the utility of each document, alone and given each other one.
`hits` is what all of these measures see of the rankings. `judgment_groups` has the preferences of each
assessor, for the measures of trec_eval.
"""
