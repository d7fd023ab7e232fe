"""The votes of a corpus, sorted and stored compactly."""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.segment_maxima import concatenated_ranges
from estimator.arrays.sorting import BitWidths, SortedVotes, first_repeat, sort_votes
from estimator.arrays.types import Flags, Floats, Indices, Integers, read_only
from estimator.arrays.vote_table import VoteTable, integers, largest, parallel
from estimator.errors import EstimatorError

MOST_LABELS: Final = 64
"""Most different answers that are labels, which queries share; more are open answers."""
_LARGEST_INDEX = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class VoteMatrix:
    """V votes of N sources for C answer classes, (query, answer) pairs, of M queries.

    Votes are sorted by query, answer and source, whatever order they came in; class c holds the votes
    `class_start[c]` to `class_start[c + 1]`. 4 bytes a vote and 16 a class, so at most 20 a vote. Read-only.

    >>> votes = VoteMatrix.from_triples([0, 0, 1], [0, 1, 1], [7, 7, 3], query_count=2, source_count=2)
    >>> votes.vote_count, votes.class_count, votes.class_answer.tolist()
    (3, 2, [7, 3])
    """

    query_count: int
    """M."""
    source_count: int
    """N."""
    source: Indices
    """(V,) source of every vote, rising within a class."""
    class_start: Indices
    """(C + 1,) first vote of every class, then V."""
    class_query: Indices
    """(C,) query of every class, rising."""
    class_answer: Integers
    """(C,) answer id of every class, rising within a query."""
    read: Floats | None = None
    """(V,) probability that a vote is what its source says, before any vote is compared with another; None where all
    certainly are."""

    @classmethod
    def from_triples(
        cls, query: ArrayLike, source: ArrayLike, answer: ArrayLike, *, query_count: int, source_count: int
    ) -> Self:
        """Votes from three parallel (V,) integer arrays; an abstention is a vote that is not there.

        `answer` is any id of 0 or more that tells the answers to one query apart; the same id in two queries need not
        mean the same. Raises EstimatorError for anything else, and for two votes of one source on one query.
        """
        _require_count("query_count", query_count)
        _require_count("source_count", source_count)
        columns = parallel(query=query, source=source, answer=answer)
        if columns[0].size > _LARGEST_INDEX:
            raise EstimatorError(f"more than {_LARGEST_INDEX} votes; estimate parts of the corpus separately")
        queries, sources, answers = map(integers, ("query", "source", "answer"), columns)
        widths = BitWidths.of(
            largest("query", queries, query_count),
            largest("answer", answers),
            largest("source", sources, source_count),
        )
        votes = sort_votes(queries, answers, sources, widths)
        _require_one_vote_each(votes, source_count)
        return cls(
            query_count=query_count,
            source_count=source_count,
            source=read_only(votes.source),
            class_start=read_only(votes.start),
            class_query=read_only(votes.query),
            class_answer=read_only(votes.answer),
        )

    def with_misreadings(self, probability: ArrayLike) -> Self:
        """These votes with the probability (V,) that each was misread, in the order of `triples()`; NaN counts as 0.

        Raises EstimatorError for another number of probabilities and for numbers that are none.
        """
        misread = np.nan_to_num(np.asarray(probability, dtype=np.float64), copy=True)
        if misread.shape != self.source.shape or not ((misread >= 0) & (misread <= 1)).all():
            message = f"misreadings must be a probability, or NaN, for each of {self.vote_count} votes, in their order"
            raise EstimatorError(message)
        return replace(self, read=read_only(1.0 - misread))

    def of_sources(self, source: Integers, source_count: int) -> Self:
        """The same votes as those of other sources (V,), in the order of `triples()`."""
        query, _, answer = self.triples()
        votes = type(self).from_triples(query, source, answer, query_count=self.query_count, source_count=source_count)
        if self.read is None:
            return votes
        return replace(votes, read=read_only(self.read[np.lexsort((source, answer, query))]))

    @property
    def vote_count(self) -> int:
        """V."""
        return self.source.size

    @property
    def class_count(self) -> int:
        """C: the number of different answers to all queries together."""
        return self.class_query.size

    @property
    def vote_class(self) -> Integers:
        """(V,) class of every vote, in the order of `source`."""
        return np.repeat(np.arange(self.class_count), np.diff(self.class_start))

    def of_queries(self, chosen: Flags) -> tuple[Self, Flags]:
        """The votes on the queries that are flagged in `chosen` (M,), and (C,) which classes those are for.

        The numbers of queries and sources stay.
        """
        kept = chosen[self.class_query]
        size = np.diff(self.class_start)
        few = 4 * np.count_nonzero(kept) < kept.size
        places = concatenated_ranges(self.class_start[:-1][kept], size[kept]) if few else np.repeat(kept, size)
        part = type(self)(
            query_count=self.query_count,
            source_count=self.source_count,
            source=read_only(self.source[places]),
            class_start=read_only(np.concatenate(([0], np.cumsum(size[kept]))).astype(np.int32)),
            class_query=read_only(self.class_query[kept]),
            class_answer=read_only(self.class_answer[kept]),
            read=None if self.read is None else read_only(self.read[places]),
        )
        return part, kept

    def times(self, time: ArrayLike) -> Floats:
        """(V,) times of the votes, in the order of `source`. Raises EstimatorError for another number of times."""
        times = np.asarray(time, dtype=np.float64)
        if times.shape != self.source.shape:
            message = f"time must hold one number for each of {self.vote_count} votes, in the order of votes.triples()"
            raise EstimatorError(message)
        return times

    def table(self, gold: Integers | None = None) -> VoteTable:
        """The votes laid out for repeated counting; `gold` (M,) are ids of right answers, -1 where unknown."""
        table = VoteTable.of(self.source_count, self.source, self.class_start, self.class_query, self.read)
        if gold is None or (gold < 0).all():
            return table
        return table.with_gold(gold[table.query] >= 0, np.flatnonzero(self.class_answer == gold[self.class_query]))

    def triples(self) -> tuple[Integers, Integers, Integers]:
        """The votes as (V,) query, source and answer, in the order of `source`."""
        size = np.diff(self.class_start)
        query = np.repeat(self.class_query.astype(np.int64), size)
        return query, self.source.astype(np.int64), np.repeat(self.class_answer, size)


def _require_count(name: str, count: int) -> None:
    if not 0 <= count <= _LARGEST_INDEX:
        raise EstimatorError(f"{name} is {count}; give a number from 0 to {_LARGEST_INDEX}")


def _require_one_vote_each(votes: SortedVotes, source_count: int) -> None:
    if votes.repeated:
        query, source, surplus = first_repeat(votes, source_count)
        message = (
            f"source {source} votes more than once on query {query} ({surplus} votes too many in all); "
            "keep one vote of a source on a query"
        )
        raise EstimatorError(message)
