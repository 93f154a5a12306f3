"""Short names for the array types that signatures use, and arrays that nobody may change in place."""

from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

T = TypeVar("T")


def sealed(value: T) -> T:
    """The same value, whose arrays can no longer be changed in place: an array, or tuples or a dict of them.

    All measures see the same rankings, so one that changed an array would change the scores of the others.
    """
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple | list) and not (value and isinstance(value[0], str)):  # ids may be many
        for each in value:
            sealed(each)
    elif isinstance(value, dict):
        for each in value.values():
            sealed(each)
    return value


def seal_fields(value: object) -> None:
    """Make the arrays of a dataclass read-only: its `__post_init__`."""
    sealed(vars(value))
