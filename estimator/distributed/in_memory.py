"""Votes that are in memory, fitted as files of votes: by many workers, though one process knows all answers."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from estimator.arrays.types import Integers, read_only
from estimator.copying.groups import collapse
from estimator.distributed.estimation import DEFAULT_MEMORY, MakeWorkers, SourceEstimates, estimate_files
from estimator.distributed.vote_files import write_votes
from estimator.methods.answers import SourceFit, by_probability, by_weight
from estimator.methods.group_members import member_estimates
from estimator.methods.member import Options
from estimator.methods.one_coin import PROBABILITY_TOLERANCE, OneCoin
from estimator.result import Estimate, WarmStart
from estimator.votes import VoteMatrix

FILE_VOTES: Final = 2_000_000


def estimate_votes(
    votes: VoteMatrix,
    method: str,
    folder: Path,
    *,
    workers: MakeWorkers | None = None,
    memory: int = DEFAULT_MEMORY,
    options: Options | None = None,
) -> Estimate:
    """As `estimate_files` for the votes, which are written to files in the folder, with the answers to their queries.

    Copy groups, reliabilities and intervals are those of the files. Raises EstimatorError as `estimate_files` does.
    """
    options = options or Options()
    sources = np.arange(votes.source_count)
    result = estimate_files(
        _written(votes, folder), method, workers=workers, memory=memory, options=options, sources=sources
    )
    return replace(_with_answers(votes, result, options), reason=result.reason, copies=result.copies)


def _written(votes: VoteMatrix, folder: Path) -> list[str]:
    """Files with the votes on some queries each."""
    paths = []
    for number, batch in enumerate(_batches(votes)):
        paths.append(str(folder / f"{number:05}.parquet"))
        write_votes(paths[-1], [batch])
    return paths


def _batches(votes: VoteMatrix) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Query, source and answer of about `FILE_VOTES` votes on whole queries at a time."""
    if not votes.vote_count:
        yield votes.triples()
    before = np.searchsorted(votes.class_query, np.arange(votes.query_count + 1))
    votes_before = votes.class_start[before]
    edges = np.searchsorted(votes_before, np.arange(0, votes.vote_count, FILE_VOTES))
    edges = np.unique(np.append(edges, votes.query_count))
    for low, high in pairwise(edges.tolist()):
        chosen = np.zeros(votes.query_count, dtype=np.bool_)
        chosen[low:high] = True
        yield votes.of_queries(chosen)[0].triples()


def _with_answers(votes: VoteMatrix, result: SourceEstimates, options: Options) -> Estimate:
    fit = result.fit
    if result.of_groups.state is None:
        table = votes.table()
        return by_weight(votes, table, fit, table.decide(fit.weight, options.ties))
    if not result.copies:
        return _by_model(votes, fit, result.of_groups.state, options)
    grouped = _by_model(collapse(votes, result.groups), result.of_groups, result.of_groups.state, options)
    members = member_estimates(votes, result.groups, grouped, None)
    return replace(
        members,
        reliability=read_only(fit.reliability),
        weight=read_only(fit.weight),
        lower=read_only(fit.lower),
        upper=read_only(fit.upper),
    )


def _by_model(votes: VoteMatrix, fit: SourceFit, state: WarmStart, options: Options) -> Estimate:
    """The answers by the one-coin model that ended in a state."""
    table = votes.table()
    model = OneCoin.of(table)
    right = model.e_step(state.reliability, model.partitions.likelihood(state.mixture)).right
    return by_probability(votes, table, fit, right, options.ties, PROBABILITY_TOLERANCE)
