"""Whether the votes of a source have one reliability or two, by a Bayes factor, and where the second one begins.

A vote of which the model has found that it is r times likelier if it is right than if it is wrong has the likelihood
`r w + 1 - w` under the reliability w of its source, up to a constant. With the Jeffreys prior on w, the votes of a
source have the marginal likelihood `m(votes)`, and the Bayes factor of a change against none is

    mean over the splits k of  m(votes before k) m(votes from k on) / m(all votes)

with every split as likely as any other (A. F. M. Smith 1975, Biometrika 62, 407-416). Votes of equal time are never
split. The topic of a query and its difficulty are offsets to the log odds of w; a change counts if it is there both
with the offsets of difficulty and without, so that neither what happens to all sources nor to the others makes one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy.special import expit, logit, logsumexp

from estimator.arrays.segment_maxima import concatenated_ranges
from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Integers

# Midpoints of equal shares of the Jeffreys prior Beta(1/2, 1/2).
_GRID: Final[Floats] = np.sin((np.arange(24) + 0.5) * np.pi / 48) ** 2
# Votes whose likelihoods are computed at a time.
_CHUNK: Final = 1 << 15
# Only segments with a split that is likelier by so many nats, each side at its own share of right votes, are tested.
_SCREEN: Final = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class TimedVotes:
    """V votes in segments, by time within a segment; a segment is a source or one of its periods."""

    first: Integers
    """(S,) first vote of every segment."""
    time: Floats
    """(V,) rising within a segment."""
    ratio: Floats
    """(V,) how many times likelier the vote is if it is right."""
    topic: Floats
    """(V,) what the topic of its query adds to the log odds of the reliability of its source."""
    difficulty: Floats
    """(V,) what difficulty at its time adds to them."""

    @property
    def size(self) -> Integers:
        """(S,) votes of every segment."""
        return np.diff(self.first, append=self.time.size)

    @property
    def may_split(self) -> Flags:
        """(V,) whether the segment may be split after this vote: another one follows in it, at a later time."""
        last = np.zeros(self.time.size, dtype=np.bool_)
        last[self.first[1:] - 1] = True
        last[-1:] = True
        later: Flags = np.append(self.time[1:] > self.time[:-1], np.zeros(last[-1:].size, dtype=np.bool_))
        return later & ~last

    def take(self, segments: Integers) -> Self:
        """The votes of these segments alone."""
        size = self.size[segments]
        votes = concatenated_ranges(self.first[segments], size)
        return type(self)(
            np.cumsum(size) - size, self.time[votes], self.ratio[votes], self.topic[votes], self.difficulty[votes]
        )


@dataclass(frozen=True, slots=True, eq=False)
class ChangePoints:
    """The best split of each of S segments."""

    log_factor: Floats
    """(S,) log Bayes factor of a change; `-inf` where there can be none or a rough look finds none."""
    begins: Integers
    """(S,) first vote after the likeliest split, counted within the segment; 0 without one."""


def change_points(votes: TimedVotes) -> ChangePoints:
    """The evidence of one change in every segment, and where it is."""
    log_factor = np.full(votes.first.size, -np.inf)
    begins = np.zeros(votes.first.size, dtype=np.int64)
    for segments in _chunks(votes, np.flatnonzero(_likelihood_gain(votes) > _SCREEN)):
        part = votes.take(segments)
        own, beside_others = _split_evidence(part, part.topic), _split_evidence(part, part.topic + part.difficulty)
        count = np.add.reduceat(np.isfinite(own).astype(np.float64), part.first)
        factors = [_log_sums(evidence, part) - np.log(count) for evidence in (own, beside_others)]
        log_factor[segments] = np.minimum(*factors)
        begins[segments] = _positions_of_maxima(own + beside_others, part) + 1
    return ChangePoints(log_factor, begins)


def _chunks(votes: TimedVotes, segments: Integers) -> Iterator[Integers]:
    """These segments, in parts of about `_CHUNK` votes."""
    votes_before = np.cumsum(votes.size[segments]) - votes.size[segments]
    parts = np.flatnonzero(starts(votes_before // _CHUNK))
    return (part for part in np.split(segments, parts[1:]) if part.size)


def _likelihood_gain(votes: TimedVotes) -> Floats:
    """(S,) the largest gain in log-likelihood by a split, each vote being right with probability `r / (1 + r)`."""
    if not votes.first.size:
        return np.zeros(0)
    right, size = votes.ratio / (1 + votes.ratio), votes.size
    total = np.add.reduceat(right, votes.first)
    before = np.cumsum(right)
    before -= np.repeat(before[votes.first] - right[votes.first], size)
    count = np.arange(1, right.size + 1) - np.repeat(votes.first, size)
    rest, remaining = np.repeat(total, size) - before, np.repeat(size, size) - count
    gain = _log_likelihood(before, count) + _log_likelihood(rest, remaining)
    gain[~votes.may_split] = -np.inf
    best: Floats = np.maximum.reduceat(gain, votes.first) - _log_likelihood(total, size)
    return best


def _log_likelihood(right: Floats, count: Integers) -> Floats:
    """`max_w right log w + wrong log(1 - w)`, elementwise."""
    share = np.clip(right / np.maximum(count, 1), 1e-9, 1 - 1e-9)
    likelihood: Floats = count * (share * np.log(share) + (1 - share) * np.log1p(-share))
    return likelihood


def _split_evidence(votes: TimedVotes, offset: Floats) -> Floats:
    """(V,) log of `m(before) m(after) / m(all)` for a split after every vote, `-inf` where there may be none."""
    reliability = expit(logit(_GRID) + offset[:, None])
    before = np.cumsum(np.log1p((votes.ratio[:, None] - 1) * reliability), axis=0)
    size, last = votes.size, votes.first + votes.size - 1
    base = np.zeros((votes.first.size, _GRID.size))
    base[1:] = before[last[:-1]]
    before -= np.repeat(base, size, axis=0)
    total = before[last]
    evidence = logsumexp(before, axis=1) + logsumexp(np.repeat(total, size, axis=0) - before, axis=1)
    evidence -= np.repeat(logsumexp(total, axis=1) + np.log(_GRID.size), size)
    return np.where(votes.may_split, evidence, -np.inf)


def _log_sums(evidence: Floats, votes: TimedVotes) -> Floats:
    """(S,) logs of the sums over a segment of what has the log (V,)."""
    top = np.maximum.reduceat(evidence, votes.first)
    scaled = np.exp(evidence - np.repeat(top, votes.size))
    sums: Floats = np.log(np.add.reduceat(scaled, votes.first)) + top
    return sums


def _positions_of_maxima(values: Floats, votes: TimedVotes) -> Integers:
    """(S,) where the first maximum of each segment is, counted within it."""
    top = np.repeat(np.maximum.reduceat(values, votes.first), votes.size)
    places = np.flatnonzero(values == top)
    segment = np.repeat(np.arange(votes.first.size), votes.size)[places]
    chosen = places[starts(segment)]
    return chosen - votes.first
