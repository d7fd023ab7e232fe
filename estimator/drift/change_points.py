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
from scipy.special import expit, logit

from estimator.arrays.segment_maxima import concatenated_ranges
from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Integers


def _jeffreys_grid(count: int) -> Floats:
    """(count,) midpoints of equal shares of the Jeffreys prior Beta(1/2, 1/2)."""
    grid: Floats = np.sin((np.arange(count) + 0.5) * np.pi / (2 * count)) ** 2
    return grid


_GRID: Final = _jeffreys_grid(24)
# Votes whose likelihoods are computed at a time.
_CHUNK: Final = 1 << 16
# Every segment is looked at roughly first: in blocks of votes, at fewer reliabilities, with log ratios rounded to these
# levels. It is tested vote by vote where the log Bayes factor is then above a third of what makes a turn.
_LEVELS: Final[Floats] = np.linspace(-10.0, 10.0, 41)
_EQUAL_BLOCKS: Final = 16
_ROUGH_GRID: Final = _jeffreys_grid(8)
_PROMISING: Final = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class TimedVotes:
    """V votes in segments, by time within a segment; a segment is a source or one of its periods."""

    first: Integers
    """(S,) first vote of every segment."""
    time: Floats
    """(V,) rising within a segment."""
    log_ratio: Floats
    """(V,) log of how many times likelier the vote is if it is right."""
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
        size = self.size[segments]
        votes = concatenated_ranges(self.first[segments], size)
        return type(self)(
            np.cumsum(size) - size, self.time[votes], self.log_ratio[votes], self.topic[votes], self.difficulty[votes]
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
    for segments in _chunks(votes, _promising(votes)):
        part = votes.take(segments)
        own, beside_others = _split_evidence(part, part.topic), _split_evidence(part, part.topic + part.difficulty)
        log_factor[segments] = np.minimum(_log_means(own, part.first), _log_means(beside_others, part.first))
        begins[segments] = _positions_of_maxima(own + beside_others, part.first) + 1
    return ChangePoints(log_factor, begins)


def _chunks(votes: TimedVotes, segments: Integers) -> Iterator[Integers]:
    """These segments, in parts of about `_CHUNK` votes."""
    votes_before = np.cumsum(votes.size[segments]) - votes.size[segments]
    parts = np.flatnonzero(starts(votes_before // _CHUNK))
    return (part for part in np.split(segments, parts[1:]) if part.size)


def _promising(votes: TimedVotes) -> Integers:
    """The segments in which blocks of votes speak for a change, whatever the topics and the difficulty."""
    likelihood = np.log1p(np.multiply.outer(np.expm1(_LEVELS), _ROUGH_GRID))
    found = [np.zeros(0, dtype=np.int64)]
    for segments in _chunks(votes, np.flatnonzero(votes.size > 1)):
        part = votes.take(segments)
        block = _blocks(part)
        level = np.clip(np.rint((part.log_ratio - _LEVELS[0]) * 2), 0, _LEVELS.size - 1).astype(np.int64)
        of_blocks = np.add.reduceat(likelihood[level], np.flatnonzero(starts(block)), axis=0)
        evidence = _evidence(of_blocks, block[part.first])
        found.append(segments[_log_means(evidence, block[part.first]) > _PROMISING])
    return np.concatenate(found)


def _blocks(votes: TimedVotes) -> Integers:
    """(V,) number of the block of every vote: equal parts of a segment, cut finer towards both ends of it."""
    size = np.repeat(votes.size, votes.size)
    place = np.arange(size.size) - np.repeat(votes.first, votes.size)
    rank = place * _EQUAL_BLOCKS // size + np.log2(place + 1).astype(np.int64) - np.log2(size - place).astype(np.int64)
    begins = starts(rank)
    begins[votes.first] = True
    block: Integers = np.cumsum(begins) - 1
    return block


def _split_evidence(votes: TimedVotes, offset: Floats) -> Floats:
    """(V,) `_evidence` for a split after every vote, `-inf` where the segment may not be split."""
    reliability = expit(logit(_GRID) + offset[:, None]) if offset.any() else _GRID
    likelihood = np.log1p(np.expm1(votes.log_ratio)[:, None] * reliability)
    return np.where(votes.may_split, _evidence(likelihood, votes.first), -np.inf)


def _evidence(likelihood: Floats, first: Integers) -> Floats:
    """(V,) log of `m(before) m(after) / m(all)` for a split after every element, `-inf` after the last of a segment.

    `likelihood` (V, G) are the logs at the reliabilities of the grid; segments begin with the elements `first`.
    """
    size = np.diff(first, append=len(likelihood))
    before, last = np.cumsum(likelihood, axis=0), first + size - 1
    base = np.zeros((first.size, likelihood.shape[1]))
    base[1:] = before[last[:-1]]
    before -= np.repeat(base, size, axis=0)
    total = before[last]
    evidence = _log_sum(before) + _log_sum(np.repeat(total, size, axis=0) - before)
    evidence -= np.repeat(_log_sum(total) + np.log(likelihood.shape[1]), size)
    evidence[last] = -np.inf
    return evidence


def _log_sum(logs: Floats) -> Floats:
    """(V,) logs of the sums over the grid of what has the logs (V, G)."""
    top = logs.max(axis=1)
    total: Floats = np.log(np.exp(logs - top[:, None]).sum(axis=1)) + top
    return total


def _log_means(evidence: Floats, first: Integers) -> Floats:
    """(S,) logs of the means over the splits of a segment of what has the log (V,); `-inf` for one without splits."""
    size = np.diff(first, append=evidence.size)
    top = np.maximum(np.maximum.reduceat(evidence, first), -1e300)
    total = np.add.reduceat(np.exp(evidence - np.repeat(top, size)), first)
    count = np.add.reduceat((evidence > -np.inf).astype(np.float64), first)
    means: Floats = np.log(np.maximum(total, 1e-300)) + top - np.log(np.maximum(count, 1))
    return np.where(count > 0, means, -np.inf)


def _positions_of_maxima(values: Floats, first: Integers) -> Integers:
    """(S,) where the first maximum of each segment is, counted within it."""
    size = np.diff(first, append=values.size)
    places = np.flatnonzero(values == np.repeat(np.maximum.reduceat(values, first), size))
    segment = np.repeat(np.arange(first.size), size)[places]
    return places[starts(segment)] - first
