"""Statistics that comparing systems and evaluating measures share.

Paired tests of many pairs at once, resampling, corrections for many tests, levels of significance, and
work on several processors. Nothing here knows runs or measures by name.
"""
