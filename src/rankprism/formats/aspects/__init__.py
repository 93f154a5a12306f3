"""Judgments of several aspects of the same documents, such as relevance and credibility.

`settings` says what an aspect is, `labels` reads labels from files, and `reading` makes judgments of them.
"""
