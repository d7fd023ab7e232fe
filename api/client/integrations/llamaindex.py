"""A retriever and a query engine of LlamaIndex, which need the extra `llamaindex`.

engine = CredenceQueryEngine(Client("http://127.0.0.1:8000", key="crd_..."))
response = engine.query("In which city was the Zephyr 3 announced?")
print(response, response.metadata["confidence"], response.metadata["dissent"])
"""

import asyncio
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from api.client.call import DEFAULT
from api.client.calls import ask
from api.client.clients import Client
from api.client.exchanges import ApiFailure
from api.client.integrations import evidence
from api.http.schemas.answers import AnswerView
from api.http.schemas.search import SearchResult
from registry.answers.schemas import AnswerParameters


class CredenceRetriever(BaseRetriever):
    """The best passages over all sources as nodes, with what is known of their sources in `metadata`.

    `search` are further fields of a search. Raises `ApiFailure`. `aretrieve` uses a thread.
    """

    def __init__(
        self,
        client: Client,
        corpus: str = DEFAULT,
        similarity_top_k: int = 10,
        search: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._client, self._how = client, (similarity_top_k, corpus, search or {})

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._client.send(evidence.search_call(query_bundle.query_str, *self._how)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class CredenceQueryEngine(BaseQueryEngine):
    """The answer of the service; its metadata say how sure it is and who says otherwise, its nodes are the citations.

    Raises `ApiFailure`. `aquery` uses a thread.
    """

    def __init__(self, client: Client, corpus: str = DEFAULT, parameters: AnswerParameters | None = None) -> None:
        super().__init__(callback_manager=None)
        self._client, self._parameters, self._corpus = client, parameters, corpus

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._client.send(ask(query_bundle.query_str, self._parameters, corpus=self._corpus)))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await asyncio.to_thread(self._query, query_bundle)

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def _nodes(result: SearchResult) -> list[NodeWithScore]:
    return [
        _node(evidence.passage_id(hit), hit.content, evidence.passage_metadata(hit), hit.score) for hit in result.items
    ]


def _response(answer: AnswerView) -> Response:
    if (result := answer.result) is None:
        raise ApiFailure(f"The answer {answer.id} has no result: {answer.status}.")
    nodes = [
        _node(f"{quoted.document_id}:{quoted.start}", quoted.quote, evidence.citation_metadata(quoted, result))
        for quoted in result.citations
    ]
    metadata = {"answer_id": str(answer.id), **evidence.answer_metadata(result)}
    return Response(evidence.answer_text(result), nodes, metadata)


def _node(place: str, text: str, metadata: evidence.Values, score: float | None = None) -> NodeWithScore:
    return NodeWithScore(node=TextNode(id_=place, text=text, metadata=metadata), score=score)
