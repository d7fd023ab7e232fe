"""Votes of sources of which few vote often, written to files piece by piece."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from estimator.distributed import write_votes

FILE_VOTES: Final = 5_000_000
_MEAN_VOTES: Final = 12
_WRONG: Final = 9
_BATCH: Final = 1 << 16

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class World:
    """N sources with reliabilities from Beta(6, 4), the k-th of which votes in proportion to `(k + 10) ** -0.8`."""

    votes: int
    """About so many."""
    sources: int = 20_000

    @property
    def files(self) -> int:
        """Number of files."""
        return max(-(-self.votes // FILE_VOTES), min(self.votes // 50_000, 8), 1)

    @property
    def reliability(self) -> Floats:
        """(N,) probability that a vote is right."""
        return np.random.default_rng(0).beta(6, 4, size=self.sources)

    @property
    def share(self) -> Floats:
        """(N,) of all votes that a source has, but for those that would be its second on a query."""
        activity = (np.arange(self.sources) + 10.0) ** -0.8
        return np.asarray(activity / activity.sum())


def write(world: World, folder: Path) -> int:
    """Write all files, two at a time; returns the number of votes."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return sum(pool.map(partial(write_file, world, folder), range(world.files)))


def write_file(world: World, folder: Path, number: int) -> int:
    """Write one file; returns the number of votes."""
    random = np.random.default_rng((1, number))
    cumulative, reliability = np.cumsum(world.share), world.reliability
    queries = world.votes // world.files // _MEAN_VOTES
    first = number * queries
    begins = range(first, first + queries, _BATCH)
    batches = (
        _draw(np.arange(begin, min(begin + _BATCH, first + queries)), cumulative, reliability, random)
        for begin in begins
    )
    return write_votes(str(folder / f"{number:05}.parquet"), batches)


def _draw(
    queries: Integers, cumulative: Floats, reliability: Floats, random: np.random.Generator
) -> tuple[Integers, NDArray[np.int32], NDArray[np.int32]]:
    """Votes on some queries, sorted by query; as many wrong answers as `_WRONG`, of which one is the favourite."""
    query = np.repeat(queries, 1 + random.poisson(_MEAN_VOTES - 0.5, size=queries.size))
    source = np.searchsorted(cumulative, random.random(query.size) * cumulative[-1])
    pair = np.unique(query * reliability.size + source)
    query, source = np.divmod(pair, reliability.size)
    truth = random.integers(_WRONG + 1, size=queries.size)[query - queries[0]]
    wrong = np.minimum(random.integers(1, _WRONG + 1, size=query.size), random.integers(1, _WRONG + 1, size=query.size))
    answer = (truth + np.where(random.random(query.size) < reliability[source], 0, wrong)) % (_WRONG + 1)
    return query, source.astype(np.int32), answer.astype(np.int32)
