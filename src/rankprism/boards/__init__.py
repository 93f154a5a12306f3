"""Decisions that rest on tests of many systems: leaderboards, which say which ranks a system may have, and
gates, which say whether a system became worse.

The tests are in `rankprism.statistics`, and `rankprism.comparison` compares systems pair by pair.
"""
