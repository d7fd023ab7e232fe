"""A retriever of LangChain, which needs the extra `langchain`.

retriever = CredenceRetriever(client=Client("http://127.0.0.1:8000", key="crd_..."), k=4)
documents = retriever.invoke("In which city was the Zephyr 3 announced?")
"""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from api.client.call import DEFAULT
from api.client.clients import AsyncClient, Client
from api.client.integrations.evidence import passage_id, passage_metadata, search_call
from api.http.schemas.search import SearchResult


class CredenceRetriever(BaseRetriever):
    """The best passages over all sources as documents, with what is known of their sources in `metadata`.

    Raises `ApiFailure`. Without `async_client`, `ainvoke` uses `client` in a thread.
    """

    client: Client
    async_client: AsyncClient | None = None
    corpus: str = DEFAULT
    k: int = 10
    search: dict[str, Any] = Field(default_factory=dict)
    """Further fields of a search: `sources`, `published_from`, `published_before`, `reliability_weight`."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002  (LangChain passes it)
        return _documents(self.client.send(search_call(query, self.k, self.corpus, self.search)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.async_client is None:
            found: list[Document] = await super()._aget_relevant_documents(query, run_manager=run_manager)
            return found
        return _documents(await self.async_client.send(search_call(query, self.k, self.corpus, self.search)))


def _documents(result: SearchResult) -> list[Document]:
    return [
        Document(page_content=hit.content, id=passage_id(hit), metadata={**passage_metadata(hit), "score": hit.score})
        for hit in result.items
    ]
