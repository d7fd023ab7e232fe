"""Imported votes, and what votes agree on: on one query, or on each (`stream_consensus`, for `Client.results`)."""

from api.client.call import Importing, Nothing, Operation, Sending
from api.http.schemas.votes import DeletedVotes, ImportedVoteList
from registry.documents.schemas import LineResult
from registry.votes.schemas import Consensus, ConsensusInput, ConsensusSummary, VoteLine

list_imported_votes = Operation("GET /votes", ImportedVoteList)
delete_votes = Operation("DELETE /votes", DeletedVotes)
delete_vote = Operation("DELETE /votes/{vote_id}", Nothing)
get_consensus = Operation("GET /queries/{query_id}/consensus", Consensus)
count_votes = Sending("POST /consensus", Consensus, ConsensusInput)
stream_consensus = Operation("GET /consensus", ConsensusSummary)
send_votes = Importing("POST /votes:import", LineResult, VoteLine)
