"""Simulations that could refute what the program claims: how often its intervals hold the truth."""
