"""Decisions that rest on tests of many systems: leaderboards, which say which ranks a system may have, and
gates, which say whether a system became worse.

The tests are in `rankprism.statistics`, and `rankprism.comparison` compares systems pair by pair.
"""

from rankprism.comparison.boards.board import Leaderboard, leaderboard
from rankprism.comparison.boards.gate import gate
from rankprism.comparison.boards.policy import Policy, read_policy
from rankprism.comparison.boards.verdict import Gate

__all__ = ["Gate", "Leaderboard", "Policy", "gate", "leaderboard", "read_policy"]
