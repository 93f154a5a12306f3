"""Judgments of several aspects of the same documents, such as relevance and credibility.

`settings` describes an aspect, `labels` reads labels from files, and `reading` turns them into judgments.
"""
