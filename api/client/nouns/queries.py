"""Queries and their right answers."""

from collections.abc import Iterable
from uuid import UUID

from api.client.call import DEFAULT, OF_CORPUS, Call, Nothing, of_corpus
from api.http.schemas.gold import GoldChangeView, GoldEntryList
from api.http.schemas.joined_answers import JoinList, JoinView
from api.http.schemas.queries import GenerationList, GenerationView, QueryList, QueryView
from api.http.schemas.streams import LineView
from registry.platform.enums import QueryOrigin
from registry.queries.schemas import GoldInput, JoinInput, QueryInput, QueryPatch
from registry.query_generations.schemas import GenerationParameters


def list_queries(*, origin: QueryOrigin | None = None, corpus: str = DEFAULT) -> Call[QueryList]:
    """The queries that reliabilities are estimated with."""
    return of_corpus("GET", "/queries", QueryList, corpus, query={"origin": origin})


def create_query(query: QueryInput, *, corpus: str = DEFAULT) -> Call[QueryView]:
    """Add a query."""
    return of_corpus("POST", "/queries", QueryView, corpus, query)


def send_queries(queries: Iterable[QueryInput], *, corpus: str = DEFAULT) -> Call[LineView]:
    """Send many queries; for `Client.import_lines`."""
    return Call("POST", f"{OF_CORPUS}/queries:import", LineView, path={"corpus": corpus}, lines=queries)


def get_query(query_id: UUID, *, corpus: str = DEFAULT) -> Call[QueryView]:
    """A query."""
    return of_corpus("GET", "/queries/{query_id}", QueryView, corpus, query_id=query_id)


def update_query(query_id: UUID, patch: QueryPatch, *, corpus: str = DEFAULT) -> Call[QueryView]:
    """Change a query or switch it off; what is left out stays."""
    return of_corpus("PATCH", "/queries/{query_id}", QueryView, corpus, patch, query_id=query_id)


def delete_query(query_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Delete a query."""
    return of_corpus("DELETE", "/queries/{query_id}", Nothing, corpus, query_id=query_id)


def generate_queries(parameters: GenerationParameters, *, corpus: str = DEFAULT) -> Call[GenerationView]:
    """Write queries from the documents; `get_generation` says how far it is."""
    return of_corpus("POST", "/queries:generate", GenerationView, corpus, parameters)


def list_generations(*, corpus: str = DEFAULT) -> Call[GenerationList]:
    """The generations of queries."""
    return of_corpus("GET", "/query-generations", GenerationList, corpus)


def get_generation(generation_id: UUID, *, corpus: str = DEFAULT) -> Call[GenerationView]:
    """A generation of queries."""
    path = "/query-generations/{generation_id}"
    return of_corpus("GET", path, GenerationView, corpus, generation_id=generation_id)


def set_gold(query_id: UUID, gold: GoldInput, *, corpus: str = DEFAULT) -> Call[GoldChangeView]:
    """Set right answers of a query, beside those that it has unless `replace` is set."""
    return of_corpus("POST", "/queries/{query_id}/gold", GoldChangeView, corpus, gold, query_id=query_id)


def list_gold(query_id: UUID, *, limit: int | None = None, corpus: str = DEFAULT) -> Call[GoldEntryList]:
    """The changes of the right answers of a query, the newest first."""
    return of_corpus(
        "GET", "/queries/{query_id}/gold", GoldEntryList, corpus, query={"limit": limit}, query_id=query_id
    )


def undo_gold(query_id: UUID, entry_id: UUID, *, corpus: str = DEFAULT) -> Call[GoldChangeView]:
    """Undo the last change of the right answers of a query."""
    path = "/queries/{query_id}/gold/{entry_id}:undo"
    return of_corpus("POST", path, GoldChangeView, corpus, query_id=query_id, entry_id=entry_id)


def join_answers(join: JoinInput, *, corpus: str = DEFAULT) -> Call[JoinView]:
    """Have wordings count as one answer to a question."""
    return of_corpus("POST", "/joined-answers", JoinView, corpus, join)


def list_joins(*, question: str | None = None, corpus: str = DEFAULT) -> Call[JoinList]:
    """The wordings that are joined, of all questions or of one."""
    return of_corpus("GET", "/joined-answers", JoinList, corpus, query={"question": question})


def undo_join(join_id: UUID, *, corpus: str = DEFAULT) -> Call[Nothing]:
    """Let joined wordings be different answers again."""
    return of_corpus("DELETE", "/joined-answers/{join_id}", Nothing, corpus, join_id=join_id)
