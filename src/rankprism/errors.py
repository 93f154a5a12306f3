"""What can go wrong through no fault of rankprism's, each with a message that says what to do.

RankprismError        anything below; also a ValueError
├── InputError        judgments, runs or weights that cannot be read as they are
└── MeasureError      a measure that does not exist, or a parameter outside its range
RankprismWarning      legitimate, but worth a look
"""


class RankprismError(ValueError):
    """A user's mistake. The message names the place, the value and the remedy."""


class InputError(RankprismError):
    """Judgments, runs or weights that cannot be read as they are."""


class MeasureError(RankprismError):
    """A measure that does not exist, or a parameter outside its range."""


class RankprismWarning(UserWarning):
    """Legitimate input that is worth a look."""
