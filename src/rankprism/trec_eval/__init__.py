"""trec_eval's measures under its own names, and its command: ``python -m rankprism.trec_eval``.

The command prints what trec_eval 10 prints. :mod:`rankprism.pytrec_eval` offers the same measures for
dictionaries.
"""
