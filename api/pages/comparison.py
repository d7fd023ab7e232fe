"""Two sources side by side: their figures, their topics, and the queries on which their votes differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from uuid import UUID

from api.pages.league_table import LeagueRow, league_rows
from registry.estimations.schemas import Topic, TopicReliability
from registry.estimations.store import SourceVote
from registry.sources.reliabilities import Reliabilities


class VotePair(NamedTuple):
    """The votes of two sources on one query."""

    first: SourceVote
    second: SourceVote


def shared_votes(*votes: Sequence[SourceVote]) -> list[VotePair]:
    """The votes of two sources on the queries on which both voted."""
    first, second = ({vote.query_id: vote for vote in part if vote.answer_key is not None} for part in votes)
    return [VotePair(vote, second[query_id]) for query_id, vote in first.items() if query_id in second]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sources in the order in which they were chosen."""

    rows: Sequence[LeagueRow]
    topics: Sequence[tuple[str, Sequence[TopicReliability]]]
    """Label of every topic of the run with the reliabilities of both sources on it."""
    shared: Sequence[VotePair]
    """Number of queries on which both voted."""

    @classmethod
    def of(cls, current: Reliabilities, source_ids: Sequence[UUID], votes: Sequence[Sequence[SourceVote]]) -> Self:
        """The comparison of two sources with their readings in the current run."""
        by_id = {row.source.source_id: row for row in league_rows(current.run, current.sources)}
        rows = [by_id[source_id] for source_id in source_ids]
        labels = [Topic.model_validate(topic).label for topic in current.run.topics] if current.run else []
        pairs = zip(*(row.source.topics for row in rows), strict=False)
        topics = [(labels[pair[0].topic], pair) for pair in pairs]
        return cls(rows, topics, shared_votes(*votes))

    @property
    def differing(self) -> Sequence[VotePair]:
        """The shared queries on which they gave different answer classes."""
        return [pair for pair in self.shared if pair.first.answer_key != pair.second.answer_key]
