"""What everything else works on: `Judgments`, `Run`, `Hits`, `Scores`.

Values only. How they are read from files, frames and dicts is in `formats`; what is computed from
them is in `measures` and beyond.
"""
