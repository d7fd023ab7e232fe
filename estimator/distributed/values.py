"""Identifiers of queries, sources and answers: whole numbers, or texts as Arrow arrays.

Numbers rise with the identifiers (texts in the order of their UTF-8 bytes), so that the votes on a query have the same
order in whichever file they are.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from importlib import import_module
from typing import Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.sorting import unique_inverse
from estimator.arrays.types import Integers
from estimator.errors import EstimatorError, installing

Values: TypeAlias = Any
"""(n,) int64 of NumPy, or an Arrow array of texts; pyarrow ships no types."""
Hashes: TypeAlias = NDArray[np.uint64]

_LARGEST: Final = np.iinfo(np.int64).max

# David Stafford's variant 13, the finaliser of SplitMix64 (Steele, Lea & Flood 2014, doi:10.1145/2714064.2660195).
_MIX: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_GOLDEN: Final = 0x9E3779B97F4A7C15


def arrow(module: str = "pyarrow") -> Any:  # noqa: ANN401 - pyarrow ships no types
    """A module of pyarrow. Raises EstimatorError where it is missing."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise EstimatorError(f"votes in Parquet files need pyarrow: {installing('parquet')}") from missing


@dataclass(frozen=True, slots=True, eq=False)
class IntegerColumn:
    """Whole numbers, numbered from the least of them, or without gaps."""

    number: NDArray[np.integer[Any]]
    least: int
    unique: Integers | None = None
    """(n,) less `least`, where numbers are without gaps."""

    def values(self, numbers: Integers) -> Values:
        """(n,) the identifiers of these numbers."""
        beyond = np.asarray(numbers, dtype=np.int64) if self.unique is None else self.unique[numbers]
        return beyond + self.least

    @property
    def count(self) -> int:
        """One more than the largest number."""
        return int(self.number.max(initial=-1)) + 1

    def without_gaps(self) -> Self:
        if self.unique is not None:
            return self
        unique, number = unique_inverse(self.number.astype(np.int64), self.count)
        return replace(self, number=number, unique=unique)

    def hashes(self, numbers: Integers) -> Hashes:
        """(n,) hashes of the identifiers of these numbers."""
        return mixed(self.values(numbers).view(np.uint64))


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts, numbered in their order."""

    number: Integers
    texts: Values

    @property
    def count(self) -> int:
        return len(self.texts)

    def without_gaps(self) -> "TextColumn":
        """The same column without texts that do not occur."""
        unique, number = unique_inverse(self.number, self.count)
        return TextColumn(number, self.values(unique))

    def values(self, numbers: Integers) -> Values:
        """(n,) the identifiers of these numbers."""
        return self.texts.take(arrow().array(np.asarray(numbers)))

    def hashes(self, numbers: Integers) -> Hashes:
        """(n,) hashes of the identifiers of these numbers."""
        texts = self.values(numbers).cast(arrow().binary()).to_pylist()
        return np.frombuffer(b"".join(blake2b(text, digest_size=8).digest() for text in texts), dtype="<u8")


Column: TypeAlias = IntegerColumn | TextColumn


class Kind(StrEnum):
    """The kind of value in a column."""

    INTEGERS = "integers"
    TEXTS = "texts"
    NULLS = "nulls alone"


def kind_of(column_type: Any, name: str) -> Kind:  # noqa: ANN401 - pyarrow ships no types
    """The kind of value in a column of an Arrow type. Raises EstimatorError for all but integers, texts and nulls."""
    types, plain = arrow("pyarrow.types"), _plain(column_type)
    if types.is_integer(plain):
        return Kind.INTEGERS
    if types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain):
        return Kind.TEXTS
    if types.is_null(plain):
        return Kind.NULLS
    raise EstimatorError(f"the column {name} holds {plain}; give integers or texts")


def numbered(column: Any, name: str) -> Column:  # noqa: ANN401 - pyarrow ships no types
    """A column (V,) without nulls of an Arrow table. Raises EstimatorError for numbers too far apart, as `kind_of`."""
    kind = kind_of(column.type, name)
    if kind is Kind.TEXTS:
        return _numbered_texts(column)
    if kind is Kind.NULLS:
        return IntegerColumn(np.zeros(0, dtype=np.int64), 0)
    values = column.cast(_plain(column.type)).to_numpy()
    least, most = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if most - least > _LARGEST or most > _LARGEST:
        raise EstimatorError(f"the column {name} holds numbers from {least} to {most}; number from 0, or write texts")
    if least < 0:
        values = values.astype(np.int64)
    whole = IntegerColumn(values - least if least else values, least)
    return whole.without_gaps() if whole.count > np.iinfo(np.int32).max else whole


def _plain(column_type: Any) -> Any:  # noqa: ANN401 - pyarrow ships no types
    """The type of the values, also where these are kept once in a dictionary."""
    return column_type.value_type if arrow("pyarrow.types").is_dictionary(column_type) else column_type


def _numbered_texts(column: Any) -> TextColumn:  # noqa: ANN401 - pyarrow ships no types
    pyarrow = arrow()
    whole = pyarrow.chunked_array(column).dictionary_encode().unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if hasattr(whole, "num_chunks") else whole
    texts = whole.dictionary.cast(pyarrow.string())
    texts.validate(full=True)
    order = arrow("pyarrow.compute").sort_indices(texts).to_numpy()
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    return TextColumn(place[whole.indices.to_numpy(zero_copy_only=False)], texts.take(pyarrow.array(order)))


def union(parts: list[Values]) -> Values:
    """All identifiers that occur in any part, rising; parts that are not empty are all integers or all texts."""
    texts = [part for part in parts if not isinstance(part, np.ndarray)]
    if not texts:
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)
    unique = arrow("pyarrow.compute").unique(arrow().concat_arrays(texts))
    return unique.take(arrow("pyarrow.compute").sort_indices(unique))


def places(values: Values, among: Values) -> Integers:
    """(n,) where identifiers are among others that hold all of them, rising."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    if isinstance(among, np.ndarray):
        return np.asarray(np.searchsorted(among, values), dtype=np.int64)
    return np.asarray(
        arrow("pyarrow.compute").index_in(values, value_set=among).to_numpy(zero_copy_only=False), np.int64
    )


def as_arrow(values: Values) -> Any:  # noqa: ANN401 - pyarrow ships no types
    """The same identifiers as an Arrow array."""
    return arrow().array(values) if isinstance(values, np.ndarray) else values


def listed(values: Values) -> list[int | str]:
    return list(values.tolist() if isinstance(values, np.ndarray) else values.to_pylist())


def mixed(bits: Hashes) -> Hashes:
    """(n,) numbers spread evenly over 64 bits."""
    spread = bits + np.uint64(_GOLDEN)
    for shift, factor in _MIX:
        spread = (spread ^ (spread >> np.uint64(shift))) * np.uint64(factor)
    return spread ^ (spread >> np.uint64(31))
