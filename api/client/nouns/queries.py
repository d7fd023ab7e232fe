"""Queries, their right answers, and wordings that count as one answer."""

from api.client.call import Importing, Nothing, Operation, Sending, SendingTo
from api.http.schemas.queries import (
    GenerationList,
    GenerationView,
    GoldChangeView,
    GoldEntryList,
    JoinList,
    JoinView,
    QueryList,
    QueryView,
)
from registry.documents.schemas import LineResult
from registry.queries.schemas import GoldInput, JoinInput, QueryInput, QueryPatch
from registry.query_generations.schemas import GenerationParameters

list_queries = Operation("GET /queries", QueryList)
create_query = Sending("POST /queries", QueryView, QueryInput)
get_query = Operation("GET /queries/{query_id}", QueryView)
update_query = SendingTo("PATCH /queries/{query_id}", QueryView, QueryPatch)
delete_query = Operation("DELETE /queries/{query_id}", Nothing)
generate_queries = Sending("POST /queries:generate", GenerationView, GenerationParameters)
list_generations = Operation("GET /query-generations", GenerationList)
get_generation = Operation("GET /query-generations/{generation_id}", GenerationView)
set_gold = SendingTo("POST /queries/{query_id}/gold", GoldChangeView, GoldInput)
list_gold = Operation("GET /queries/{query_id}/gold", GoldEntryList)
undo_gold = Operation("POST /queries/{query_id}/gold/{entry_id}:undo", GoldChangeView)
join_answers = Sending("POST /joined-answers", JoinView, JoinInput)
list_joins = Operation("GET /joined-answers", JoinList)
undo_join = Operation("DELETE /joined-answers/{join_id}", Nothing)
send_queries = Importing("POST /queries:import", LineResult, QueryInput)
