"""`estimate_files`: reliabilities of sources by votes in Parquet files, however many workers add them up."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from estimator.arrays.types import Integers
from estimator.distributed.overview import Census, sample_threshold
from estimator.distributed.rounds import iwmv, majority, one_coin
from estimator.distributed.values import Values
from estimator.distributed.vote_files import row_count
from estimator.distributed.workers import LocalWorkers, Workers
from estimator.errors import EstimatorError
from estimator.identifiability import FLAT_INTERVAL
from estimator.methods.answers import SourceFit
from estimator.methods.member import Options

DISTRIBUTED_METHODS: Final[Mapping[str, Callable[[Workers, Census, Options], SourceFit]]] = {
    "majority": majority,
    "iwmv": iwmv,
    "bayes": one_coin,
}
"""What is fitted to the sources, by the name of the method."""
DEFAULT_MEMORY: Final = 4 << 30
"""Bytes that the votes may take between rounds, of all workers together."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceEstimates:
    """Reliabilities of the N sources of Parquet files."""

    sources: Sequence[int | str]
    """Identifiers, rising."""
    vote_count: Integers
    """(N,)"""
    fit: SourceFit
    """Reliabilities, intervals and weights (N,), and the prior; fields as in `Estimate`."""
    totals: Mapping[str, int]
    """Numbers of `votes`, `queries` and `classes`, different answers to all queries together."""
    reason: str = ""
    """Why the votes cannot tell reliabilities, in words."""


def estimate_files(
    paths: Sequence[str],
    method: str = "iwmv",
    *,
    workers: Callable[[Sequence[str], Sequence[int], int], Workers] | None = None,
    memory: int = DEFAULT_MEMORY,
    options: Options | None = None,
) -> SourceEstimates:
    """Estimate how reliable the sources of votes in Parquet files are; `vote_files` says what these hold.

    `workers` makes those that add up the votes, given the files, their rows and the memory; without it, this process
    does. Results are the same bits for any number of workers and for the same votes in other files. Options that are
    about more than votes, such as gold answers and topics, are ignored. Raises EstimatorError for an unknown method
    and for files that do not hold votes.
    """
    if method not in DISTRIBUTED_METHODS:
        raise EstimatorError(f"{method} cannot be fitted to files of votes; choose {', '.join(DISTRIBUTED_METHODS)}")
    if len(set(paths)) != len(paths) or not paths:
        raise EstimatorError("name one or more files of votes, none of them twice")
    rows = [row_count(path) for path in paths]
    crew: Workers = LocalWorkers(paths, memory) if workers is None else workers(paths, rows, memory)
    with closing(crew):
        census = Census.of(crew.overviews(sample_threshold(sum(rows))))
        crew.number(census.numbering)
        fit = DISTRIBUTED_METHODS[method](crew, census, options or Options())
    return SourceEstimates(
        sources=_listed(census.numbering.sources),
        vote_count=census.source_votes,
        fit=_widened(fit) if census.doubt else fit,
        totals={"votes": census.vote_count, "queries": census.query_count, "classes": census.class_count},
        reason=f"these votes cannot tell how reliable sources are: {census.doubt}" if census.doubt else "",
    )


def _widened(fit: SourceFit) -> SourceFit:
    """As `identifiability.widened`."""
    low, high = FLAT_INTERVAL
    return replace(fit, lower=np.minimum(fit.lower, low), upper=np.maximum(fit.upper, high))


def _listed(values: Values) -> list[int | str]:
    return list(values.tolist() if isinstance(values, np.ndarray) else values.to_pylist())
