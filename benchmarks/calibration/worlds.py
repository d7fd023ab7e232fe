"""Votes of known truth: an estimate is fitted on some queries, and answers others that the same sources vote on."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.voting import CastVote, Electorate
from benchmarks.estimated import reliabilities_of
from benchmarks.harness.reliability import Judged
from estimator import VoteMatrix, estimate
from estimator.result import Estimate

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

# Wrong answers of a query that the service assumed before.
NINE = 9


NOTHING = Judged(np.zeros(0), np.zeros(0, dtype=np.bool_))


def split(votes: VoteMatrix, fitted: Flags, new: Collection[int] = ()) -> tuple[VoteMatrix, VoteMatrix]:
    """The votes on the queries to fit on but those of new sources, and those on all others; both keep all queries."""
    query, source, answer = votes.triples()
    shape = {"query_count": votes.query_count, "source_count": votes.source_count}

    def of(kept: Flags) -> VoteMatrix:
        return VoteMatrix.from_triples(query[kept], source[kept], answer[kept], **shape)

    return of(fitted[query] & ~np.isin(source, list(new))), of(~fitted[query])


def electorate_before(result: Estimate, new: Collection[int] = ()) -> Electorate[UUID]:
    """The sources as the service had them until 2026-11-25: nine wrong answers counted whatever the run had found, and
    the reliabilities were taken for known, however few the queries.
    """
    known = reliabilities_of(result, new)
    if known.run is not None:
        known.run.prior_lower = known.run.prior_upper = known.run.prior
    points = tuple(replace(source, lower=None, upper=None, systematic=None) for source in known.sources)
    electorate = replace(known, sources=points).electorate()
    electorate.labels, electorate.surest = 1 + NINE, 1.0
    return electorate


def judged(electorate: Electorate[UUID], votes: VoteMatrix, truth: Integers) -> Judged:
    """The answers to all queries with votes and a known truth, -1 being unknown."""
    confidence, right = [], []
    for query, cast in _by_query(votes):
        count = electorate.count(cast)
        if truth[query] >= 0 and count.vote.winner is not None:
            confidence.append(count.confidence)
            right.append(count.vote.winner == str(truth[query]))
    return Judged(np.array(confidence), np.array(right, dtype=np.bool_))


def _by_query(votes: VoteMatrix) -> Iterator[tuple[int, Sequence[CastVote[UUID]]]]:
    query, source, answer = votes.triples()
    for number in np.unique(query):
        here = query == number
        cast = zip(source[here].tolist(), map(str, answer[here].tolist()), strict=True)
        yield int(number), [CastVote(UUID(int=voter), key, key) for voter, key in cast]


def fitted_and_judged(
    votes: VoteMatrix, truth: Integers, fitted: Flags, new: Collection[int] = ()
) -> tuple[Estimate, Judged, Judged]:
    """The estimate by `auto` on the fitted queries, and its answers to the others, on which new sources vote too, as
    now and with points.
    """
    seen, unseen = split(votes, fitted, new)
    result = estimate(seen, "auto")
    now = judged(reliabilities_of(result, new).electorate(), unseen, truth)
    return result, now, judged(electorate_before(result, new), unseen, truth)
