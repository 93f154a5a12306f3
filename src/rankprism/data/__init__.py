"""What measures work on: `Judgments`, `Preferences`, `Run` and `Hits`.

Values only. How they are read from files, frames and dicts is in `formats`; what is computed from
them is in `measures` and beyond.
"""
