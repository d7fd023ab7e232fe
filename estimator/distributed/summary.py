"""The summary of every file that the driver needs before the first round, and a sample of the queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from estimator.arrays.sorting import starts
from estimator.arrays.types import Integers
from estimator.distributed.parts import Part, Patterns
from estimator.distributed.values import Values, listed, places, union
from estimator.distributed.vote_files import FileVotes
from estimator.errors import EstimatorError
from estimator.group_votes import collapse
from estimator.votes import VoteMatrix

SAMPLE_VOTES: Final = 1_000_000
"""Approximate size of the sample by which relations between sources are judged: all queries whose hash is small."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledVotes:
    """The votes on the queries of a file whose hashes are small."""

    queries: Values
    """(K,) identifiers, rising."""
    query: Integers
    """(V,) position in `queries`."""
    source: Integers
    """(V,) number of the source within the file."""
    answer: Integers
    """(V,) position in `answers`."""
    answers: Values

    @classmethod
    def of(cls, file: FileVotes, threshold: int) -> Self:
        """The votes on queries whose hash is below 2^64 or a smaller threshold."""
        votes = file.votes
        numbers = votes.class_query[starts(votes.class_query)].astype(np.int64)
        hashes = file.queries.hashes(numbers)
        drawn = hashes <= np.uint64(threshold - 1) if threshold else np.zeros(hashes.size, dtype=np.bool_)
        chosen = np.zeros(votes.query_count, dtype=np.bool_)
        chosen[numbers[drawn]] = True
        query, source, answer = votes.of_queries(chosen)[0].triples()
        answers, position = np.unique(answer, return_inverse=True)
        place = np.searchsorted(numbers[drawn], query)
        return cls(file.queries.values(numbers[drawn]), place, source, position, file.answers.values(answers))


@dataclass(frozen=True, slots=True, eq=False)
class VoteCounts:
    query_count: int
    class_count: int
    sources: Values
    """(N,) identifiers."""
    source_votes: Integers
    """(N,)"""
    patterns: Patterns

    @classmethod
    def of(cls, part: Part) -> Self:
        votes = np.bincount(part.source, minlength=part.source_count)
        return cls(part.query_classes.size, part.class_votes.size, part.sources, votes, part.patterns)


@dataclass(frozen=True, slots=True, eq=False)
class FileSummary:
    counts: VoteCounts
    sample: SampledVotes
    edges: Values
    """Identifiers of the queries of its first row and of its last."""

    @classmethod
    def of(cls, file: FileVotes, part: Part, threshold: int) -> Self:
        """The summary of a file; `threshold` is that of the sample."""
        return cls(
            counts=VoteCounts.of(part),
            sample=SampledVotes.of(file, threshold),
            edges=file.queries.values(np.unique(file.queries.number[:: max(file.queries.number.size - 1, 1)])),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The N sources and P patterns of all files, numbered in their order."""

    sources: Values
    patterns: Patterns

    @classmethod
    def empty(cls) -> Self:
        none = np.zeros(0, dtype=np.int64)
        return cls(none, Patterns(none, none, np.zeros(0)))


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The copy groups of N sources."""

    sources: Values
    """(N,) identifiers, rising."""
    groups: Integers
    """(N,) label of the copy group of each, from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class VoteTotals:
    numbering: Numbering
    source_votes: Integers
    """(N,)"""
    query_count: int
    class_count: int
    sample: VoteMatrix
    """Sample of the votes of N sources."""

    @classmethod
    def of(cls, paths: Sequence[str], files: list[FileSummary]) -> Self:
        """The summary of all files. Raises EstimatorError where a query of
        the sample is in two files, or one at the edges of two, as if rows had been cut into files.
        """
        _require_whole_queries(paths, [file.sample.queries for file in files])
        _require_whole_queries(paths, [file.edges for file in files])
        sources = union([file.counts.sources for file in files])
        return cls._counted([file.counts for file in files], sources, _joined(files, sources))

    def grouped(self, files: list[VoteCounts], groups: Integers) -> Self:
        """The summary once copy groups, labelled (N,) from 0, are in the place of the sources."""
        labels = np.arange(int(groups.max()) + 1)
        return self._counted(files, labels, collapse(self.sample, groups))

    @property
    def vote_count(self) -> int:
        """V."""
        return int(self.source_votes.sum())

    @classmethod
    def _counted(cls, files: list[VoteCounts], sources: Values, sample: VoteMatrix) -> Self:
        votes = np.zeros(len(sources), dtype=np.int64)
        for file in files:
            votes[places(file.sources, sources)] += file.source_votes
        return cls(
            numbering=Numbering(sources, Patterns.union([file.patterns for file in files])),
            source_votes=votes,
            query_count=sum(file.query_count for file in files),
            class_count=sum(file.class_count for file in files),
            sample=sample,
        )


def sample_threshold(votes: int) -> int:
    """Queries with a hash below it are drawn: all where the votes are few."""
    return min(1 << 64, (SAMPLE_VOTES << 64) // max(votes, 1))


def _require_whole_queries(paths: Sequence[str], queries: list[Values]) -> None:
    """Raise EstimatorError where some of the files hold the same query, given different queries of each."""
    every = union(queries)
    file = np.repeat(np.arange(len(queries)), [len(some) for some in queries])
    if len(every) == file.size:
        return
    place = np.concatenate([places(some, every) for some in queries])
    first = int(np.flatnonzero(np.bincount(place) > 1)[0])
    name, where = listed(every[first : first + 1])[0], " and ".join(paths[at] for at in file[place == first].tolist())
    raise EstimatorError(f"query {name} has votes in {where}; write all votes on a query to one file")


def _joined(files: list[FileSummary], sources: Values) -> VoteMatrix:
    samples = [file.sample for file in files]
    queries = union([sample.queries for sample in samples])
    answers = union([sample.answers for sample in samples])
    return VoteMatrix.from_triples(
        np.concatenate([places(sample.queries, queries)[sample.query] for sample in samples]),
        np.concatenate([places(file.counts.sources, sources)[file.sample.source] for file in files]),
        np.concatenate([places(sample.answers, answers)[sample.answer] for sample in samples]),
        query_count=len(queries),
        source_count=len(sources),
    )
