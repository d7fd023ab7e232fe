"""A retriever component of Haystack, which needs the extra `haystack`.

retriever = CredenceRetriever("http://127.0.0.1:8000", key=Secret.from_env_var("CREDENCE_KEY"))
documents = retriever.run(query="In which city was the Zephyr 3 announced?")["documents"]
"""

from typing import Any

from haystack import Document, component
from haystack.utils import Secret

from api.client.call import DEFAULT
from api.client.clients import AsyncClient, Client
from api.client.integrations.evidence import passage_id, passage_metadata, search_call
from api.http.schemas.search import SearchResult


@component
class CredenceRetriever:
    """The best passages over all sources as documents, with what is known of their sources in `meta`.

    `search` are further fields of a search: `sources`, `published_from`, `published_before`, `reliability_weight`.
    Raises `ApiFailure`.
    """

    def __init__(
        self,
        url: str,
        key: Secret | None = None,
        corpus: str = DEFAULT,
        top_k: int = 10,
        search: dict[str, Any] | None = None,
    ) -> None:
        self.url, self.key, self.corpus, self.top_k, self.search = url, key, corpus, top_k, search
        self._client: Client | None = None
        self._async_client: AsyncClient | None = None

    def warm_up(self) -> None:
        """Make the client of `run`."""
        self._opened()

    async def warm_up_async(self) -> None:
        """Make the client of `run_async`."""
        self._opened_async()

    def close(self) -> None:
        """Close the client of `run`."""
        if self._client is not None:
            self._client.close()
            self._client = None

    async def close_async(self) -> None:
        """Close the client of `run_async`."""
        if self._async_client is not None:
            await self._async_client.aclose()
            self._async_client = None

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None, search: dict[str, Any] | None = None) -> dict[str, Any]:
        """The documents; what is given here counts instead of what the component was made with."""
        return _found(self._opened().send(search_call(query, *self._how(top_k, search))))

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None, search: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The asynchronous `run`."""
        return _found(await self._opened_async().send(search_call(query, *self._how(top_k, search))))

    def _opened(self) -> Client:
        self._client = self._client or Client(self.url, self._secret())
        return self._client

    def _opened_async(self) -> AsyncClient:
        self._async_client = self._async_client or AsyncClient(self.url, self._secret())
        return self._async_client

    def _secret(self) -> str | None:
        return self.key.resolve_value() if self.key else None

    def _how(self, top_k: int | None, search: dict[str, Any] | None) -> tuple[int, str, dict[str, Any]]:
        limit = self.top_k if top_k is None else top_k
        return limit, self.corpus, (self.search if search is None else search) or {}


def _found(result: SearchResult) -> dict[str, Any]:
    return {
        "documents": [
            Document(id=passage_id(hit), content=hit.content, meta=passage_metadata(hit), score=hit.score)
            for hit in result.items
        ]
    }
