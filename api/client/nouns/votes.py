"""Imported votes, and what votes agree on."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from api.client.call import DEFAULT, Call, Nothing, of_corpus
from api.http.schemas.streams import LineView
from api.http.schemas.votes import DeletedVotes, ImportedVoteList
from registry.votes.schemas import Consensus, ConsensusInput, ConsensusSummary, VoteLine


def send_votes(votes: Iterable[VoteLine], *, corpus: str = DEFAULT) -> Call[LineView]:
    """Send votes; for `Client.import_lines`."""
    return replace(of_corpus("POST", "/votes:import", LineView, corpus), lines=votes)


def list_imported_votes(
    *, query: str | None = None, source: str | None = None, corpus: str = DEFAULT
) -> Call[ImportedVoteList]:
    """The imported votes, or those on a query or of a source."""
    return of_corpus("GET", "/votes", ImportedVoteList, corpus, query={"query": query, "source": source})


def delete_votes(*, query: str | None = None, source: str | None = None, corpus: str = DEFAULT) -> Call[DeletedVotes]:
    """Delete the votes on a query, those of a source, or that of a source on a query."""
    return of_corpus("DELETE", "/votes", DeletedVotes, corpus, query={"query": query, "source": source})


def delete_vote(vote_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a vote."""
    return of_corpus("DELETE", "/votes/{vote_id}", Nothing, corpus, vote_id=vote_id)


def get_consensus(query: str, *, corpus: str = DEFAULT) -> Call[Consensus]:
    """Get the consensus of the votes on a query, named by its external id or its id."""
    return of_corpus("GET", "/queries/{query_id}/consensus", Consensus, corpus, query_id=query)


def count_votes(votes: ConsensusInput, *, corpus: str = DEFAULT) -> Call[Consensus]:
    """Get the consensus of votes of known sources without storing them."""
    return of_corpus("POST", "/consensus", Consensus, corpus, votes)


def stream_consensus(*, corpus: str = DEFAULT) -> Call[ConsensusSummary]:
    """The consensus on each query with votes; for `Client.results`."""
    return of_corpus("GET", "/consensus", ConsensusSummary, corpus)
