"""Columns of ids as callers give them, checked."""

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimator.arrays.sorting import largest_id
from estimator.errors import EstimatorError

_LARGEST_ID: Final = np.iinfo(np.int64).max


def parallel(**columns: ArrayLike) -> tuple[NDArray[Any], ...]:
    """The columns as flat arrays of one length; raises EstimatorError for others."""
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    sizes = {name: array.shape for name, array in arrays.items()}
    if len(set(sizes.values())) != 1 or any(array.ndim != 1 for array in arrays.values()):
        *names, last = sizes
        raise EstimatorError(f"{', '.join(names)} and {last} must be flat arrays of one length, not of shapes {sizes}")
    return tuple(arrays.values())


def integers(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """The column, of int64 where it is empty; raises EstimatorError where it does not hold integers."""
    if not column.size:
        return column.astype(np.int64)
    if not np.issubdtype(column.dtype, np.integer):
        raise EstimatorError(f"{name} holds {column.dtype}; number its values and give integers")
    if column.dtype == np.uint64 and int(column.max()) > _LARGEST_ID:
        raise EstimatorError(f"{name} holds {column.max()}; ids go up to {_LARGEST_ID}, number them from 0")
    return column


def largest(name: str, ids: NDArray[Any], count: int | None = None) -> int:
    """The largest id, 0 if there is none. Raises for one below 0, and for one that is not below `count`."""
    top = largest_id(ids)
    if top < 0 and ids.size:
        message = f"{name} holds {ids.min()}; ids start at 0, and an abstention is left out, not numbered"
        raise EstimatorError(message)
    if count is not None and top >= count:
        raise EstimatorError(f"{name} holds {top}, but {name}_count is {count}; count all of them, or number from 0")
    return max(top, 0)
