"""What analyses return: `Result`, the `Scores` of runs, and the formats that they are written in.

A result prints the names of measures and finds a measure by any of its spellings, so it stands above
`measures`.
"""
