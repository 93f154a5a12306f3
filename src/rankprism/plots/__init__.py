"""Charts of results: a function each, that returns an `altair.Chart`."""
