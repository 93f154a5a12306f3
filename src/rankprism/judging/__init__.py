"""People, machines and what they say: aspects, preferences, judges, and collecting judgments."""
