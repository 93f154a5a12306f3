"""Computes published tables and figures for a collection, and compares them with the printed numbers.

Each paper has a module with one function, which returns a `Reproduction`. These modules also have the printed
numbers, each with its table in the paper. The analyses themselves are in `meta`, `axioms`, `preferences` and
`aspects`.
"""

from rankprism.reproduce.paper import Reproduction

__all__ = ["Reproduction"]
