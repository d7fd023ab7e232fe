"""Sources, their reliabilities, overrides and ratings, and readings of them that look misread."""

from api.client.call import Importing, Nothing, Operation, Sending, SendingTo
from api.http.schemas.misreadings import JudgedView, MisreadingList, VerdictInput
from api.http.schemas.sources import (
    InfluenceView,
    OverrideView,
    RatingView,
    ReliabilityHistory,
    ReliabilityView,
    SourceList,
    SourceVotes,
    SourceWithReliability,
)
from registry.documents.schemas import LineResult
from registry.sources.schemas import OverrideInput, RatingInput, RatingLine, SourceInput, SourcePatch

list_sources = Operation("GET /sources", SourceList)
create_source = Sending("POST /sources", SourceWithReliability, SourceInput)
get_source = Operation("GET /sources/{source_id}", SourceWithReliability)
update_source = SendingTo("PATCH /sources/{source_id}", SourceWithReliability, SourcePatch)
delete_source = Operation("DELETE /sources/{source_id}", Nothing)
get_reliability = Operation("GET /sources/{source_id}/reliability", ReliabilityView)
list_reliability_history = Operation("GET /sources/{source_id}/reliability/history", ReliabilityHistory)
list_source_votes = Operation("GET /sources/{source_id}/votes", SourceVotes)
get_influence = Operation("GET /sources/{source_id}/influence", InfluenceView)
set_override = SendingTo("PUT /sources/{source_id}/override", OverrideView, OverrideInput)
delete_override = Operation("DELETE /sources/{source_id}/override", Nothing)
set_rating = SendingTo("PUT /sources/{source_id}/rating", RatingView, RatingInput)
delete_rating = Operation("DELETE /sources/{source_id}/rating", Nothing)
list_misreadings = Operation("GET /misreadings", MisreadingList)
judge_misreading = SendingTo("PUT /misreadings/{misreading_id}", JudgedView, VerdictInput)
withdraw_verdict = Operation("DELETE /misreadings/{misreading_id}", Nothing)
send_ratings = Importing("POST /ratings:import", LineResult, RatingLine)
