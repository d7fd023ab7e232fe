"""The consensus of numbers: nearness counts instead of equality."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, cast
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from answering.equivalence import parse_value
from estimator import NumbersEstimate, estimate_numbers
from estimator.converters import factorise
from registry.corpora.model import Corpus
from registry.platform.database.base import AsyncSession
from registry.platform.enums import AnswerPolicy
from registry.votes.schemas import NumberConsensus, NumberSummary, NumberVoter
from registry.votes.store import Vote
from registry.votes.store.columns import VoteColumns, newest_voted, votes_on

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# How far off sources are is estimated from the votes on so many of the newest queries: a second for a million votes.
MOST_QUERIES = 10_000


@dataclass(frozen=True, slots=True)
class NumericVotes:
    """The votes that are numbers, of each query in its most frequent unit; all arrays have length V."""

    query: Integers
    source: Integers
    value: Floats
    units: Mapping[int, str]
    """Unit of each query; "" for plain numbers."""

    @classmethod
    def of(cls, votes: VoteColumns) -> Self:
        """The numbers among the votes. Of several units that are equally frequent, the one that sorts first counts."""
        numbers = [number_of(answer) for answer in votes.answers]
        units = sorted({number[1] for number in numbers if number is not None})
        unit_of = np.array([-1 if number is None else units.index(number[1]) for number in numbers], dtype=np.int64)
        value_of = np.array([np.nan if number is None else number[0] for number in numbers], dtype=np.float64)
        unit = unit_of[votes.answer]
        pairs, count = np.unique((votes.query * len(units) + unit)[unit >= 0], return_counts=True)
        query, of_pair = np.divmod(pairs, max(len(units), 1))
        order = np.lexsort((of_pair, -count, query))
        first = order[np.unique(query[order], return_index=True)[1]]
        chosen = dict(zip(query[first].tolist(), of_pair[first].tolist(), strict=True))
        is_taken = np.array([chosen.get(each, -2) for each in votes.query.tolist()], dtype=np.int64) == unit
        taken = votes.query[is_taken], votes.source[is_taken], value_of[votes.answer[is_taken]]
        return cls(*taken, {number: units[place] for number, place in chosen.items()})

    def estimated(self, query_count: int, source_count: int, weight: Floats | None = None) -> NumbersEstimate:
        """Estimate by these weights of sources (N,), or by those that the votes show."""
        counts = {"query_count": query_count, "source_count": source_count}
        return estimate_numbers(self.query, self.source, self.value, **counts, weight=weight)


@dataclass(frozen=True, slots=True)
class SourceErrors:
    """The errors of sources in the newest votes of a corpus, and the weights of their votes."""

    source_ids: Sequence[UUID]
    error: Floats
    """(N,), in standard deviations of the votes on a query."""
    weight: Floats
    """(N,)"""

    @classmethod
    async def load(cls, session: AsyncSession, corpus: Corpus, source_ids: Sequence[UUID]) -> Self:
        """Load them from the votes on those queries of a corpus whose answers are numbers."""
        query_ids = await newest_voted(session, corpus, AnswerPolicy.NUMBER, MOST_QUERIES)
        votes = NumericVotes.of(await votes_on(session, corpus, query_ids, source_ids))
        found = votes.estimated(len(query_ids), len(source_ids))
        return cls(source_ids, found.error, found.weight)

    def consensus(self, votes: Sequence[Vote]) -> NumberConsensus | None:
        """The consensus of the votes on one query, without those of other sources; None if none is a number."""
        columns = self._columns(votes)
        summary = self.summaries(columns, 1).get(0)
        if summary is None:
            return None
        numbers = NumericVotes.of(columns)
        found = numbers.estimated(1, len(self.source_ids), self.weight)
        rows = zip(numbers.source.tolist(), numbers.value.tolist(), found.deviation.tolist(), strict=True)
        voters = [
            NumberVoter(
                source_id=self.source_ids[number],
                value=value,
                deviation=deviation,
                error=float(self.error[number]),
                weight=float(self.weight[number]),
            )
            for number, value, deviation in sorted(rows, key=lambda row: (-abs(row[2]), str(self.source_ids[row[0]])))
        ]
        return NumberConsensus(**summary.model_dump(), voters=tuple(voters))

    def summary(self, votes: Sequence[Vote]) -> NumberSummary | None:
        return self.summaries(self._columns(votes), 1).get(0)

    def _columns(self, votes: Sequence[Vote]) -> VoteColumns:
        place = {source_id: number for number, source_id in enumerate(self.source_ids)}
        counted = [vote for vote in votes if vote.source_id in place]
        answer, answers = factorise([vote.answer for vote in counted])
        source = np.array([place[vote.source_id] for vote in counted], dtype=np.int64)
        return VoteColumns(np.zeros(len(counted), dtype=np.int64), source, answer, cast("list[str]", answers))

    def summaries(self, votes: VoteColumns, query_count: int) -> dict[int, NumberSummary]:
        """The summaries by query, for queries with a vote that is a number."""
        numbers = NumericVotes.of(votes)
        found = numbers.estimated(query_count, len(self.source_ids), self.weight)
        sizes = np.bincount(numbers.query, minlength=query_count).tolist()
        return {
            query: NumberSummary(
                value=float(found.value[query]),
                lower=float(found.lower[query]),
                upper=float(found.upper[query]),
                unit=unit or None,
                votes=sizes[query],
            )
            for query, unit in numbers.units.items()
        }


@lru_cache(maxsize=100_000)
def number_of(answer: str) -> tuple[float, str] | None:
    """The number that the whole of an answer spells, and its unit; None for another answer.

    >>> number_of("1.5 km"), number_of("about 1,200"), number_of("Oslo")
    ((1500.0, 'm'), (1200.0, ''), None)
    """
    value = parse_value(answer)
    return None if value is None else value.number
