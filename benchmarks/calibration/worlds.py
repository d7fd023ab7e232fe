"""Votes of known truth: an estimate is fitted on some queries, and answers others that the same sources vote on."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering.voting import CastVote, Electorate, Voter
from answering.voting.electorate import DEFAULT_WRONG_ANSWERS
from estimator import VoteMatrix, estimate
from estimator.methods import method_named
from estimator.result import Estimate

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """Answers to questions that the estimate did not see: how probable each is said to be, and whether it is right."""

    confidence: Floats
    right: Flags

    @property
    def error(self) -> float:
        """The expected calibration error, over ten bins of equal width."""
        bins = np.minimum((self.confidence * BINS).astype(int), BINS - 1)
        return sum(
            abs(float(self.confidence[bins == number].mean() - self.right[bins == number].mean()))
            * float((bins == number).mean())
            for number in np.unique(bins)
        )

    def joined(self, other: "Judged") -> "Judged":
        """Both together."""
        return Judged(np.append(self.confidence, other.confidence), np.append(self.right, other.right))


NOTHING = Judged(np.zeros(0), np.zeros(0, dtype=np.bool_))


def split(votes: VoteMatrix, fitted: Flags, new: Collection[int] = ()) -> tuple[VoteMatrix, VoteMatrix]:
    """The votes on the queries to fit on but those of new sources, and those on all others; both keep all queries."""
    query, source, answer = votes.triples()
    shape = {"query_count": votes.query_count, "source_count": votes.source_count}

    def of(kept: Flags) -> VoteMatrix:
        return VoteMatrix.from_triples(query[kept], source[kept], answer[kept], **shape)

    return of(fitted[query] & ~np.isin(source, list(new))), of(~fitted[query])


def electorate_of(result: Estimate, new: Collection[int] = (), *, before: bool = False) -> Electorate[int]:
    """The sources as the service has them after this run, some of them new. With `before` as until 2026-11-25, when
    nine wrong answers counted whatever the run had found, and the reliabilities were taken for known.
    """
    labels, prior = result.labels, float(result.prior.mean)
    points = before or (result.doubt is not None and result.doubt.is_of_order)
    groups = np.bincount(result.groups, minlength=1)
    voters = [
        Voter(
            source,
            None if np.isnan(reliability) else float(reliability),
            None if points else float(result.lower[source]),
            None if points else float(result.upper[source]),
            0.0 if points or result.systematic is None else float(result.systematic[source]),
            copy_group=int(result.groups[source]) if groups[result.groups[source]] > 1 else None,
        )
        if source not in new
        else Voter(source, None, is_new=True)
        for source, reliability in enumerate(result.reliability)
    ]
    method, (lower, upper) = method_named(result.method), result.prior.interval()
    return Electorate(
        voters,
        prior=prior,
        prior_lower=prior if before else lower,
        prior_upper=None if before else upper,
        weigh=lambda reliability: method.vote_weight(reliability, labels),
        wrong_answers=DEFAULT_WRONG_ANSWERS if before or not method.estimates_labels else labels - 1,
    )


def judged(electorate: Electorate[int], votes: VoteMatrix, truth: Integers) -> Judged:
    """The answers to all queries with votes and a known truth, -1 being unknown."""
    confidence, right = [], []
    for query, cast in _by_query(votes):
        count = electorate.count(cast)
        if truth[query] >= 0 and count.vote.winner is not None:
            confidence.append(count.confidence)
            right.append(count.vote.winner == str(truth[query]))
    return Judged(np.array(confidence), np.array(right, dtype=np.bool_))


def _by_query(votes: VoteMatrix) -> Iterator[tuple[int, Sequence[CastVote[int]]]]:
    query, source, answer = votes.triples()
    for number in np.unique(query):
        here = np.flatnonzero(query == number)
        yield int(number), [CastVote(int(source[vote]), str(answer[vote]), str(answer[vote])) for vote in here]


def fitted_and_judged(
    votes: VoteMatrix, truth: Integers, fitted: Flags, new: Collection[int] = ()
) -> tuple[Estimate, Judged, Judged]:
    """The estimate by `auto` on the fitted queries, and its answers to the others, on which new sources vote too, as
    now and with points.
    """
    seen, unseen = split(votes, fitted, new)
    result = estimate(seen, "auto")
    now = judged(electorate_of(result, new), unseen, truth)
    return result, now, judged(electorate_of(result, new, before=True), unseen, truth)
