"""A retriever component of Haystack, which needs the extra `haystack`.

retriever = CredenceRetriever("http://127.0.0.1:8000", key=Secret.from_env_var("CREDENCE_KEY"))
documents = retriever.run(query="In which city was the Zephyr 3 announced?")["documents"]
"""

from typing import Any

from haystack import Document, component
from haystack.utils import Secret

from api.client.call import DEFAULT
from api.client.clients import Client
from api.client.integrations.evidence import passage_id, passage_metadata, search_call


@component
class CredenceRetriever:
    """The best passages over all sources as documents, with what is known of their sources in `meta`.

    `search` are further fields of a search: `sources`, `published_from`, `published_before`, `reliability_weight`.
    Raises `ApiFailure`. An asynchronous pipeline runs it in a thread.
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

    def warm_up(self) -> None:
        """Make the client."""
        self._client = self._client or Client(self.url, self.key.resolve_value() if self.key else None)

    def close(self) -> None:
        """Close the client."""
        if self._client is not None:
            self._client.close()
            self._client = None

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None, search: dict[str, Any] | None = None) -> dict[str, Any]:
        """The documents; what is given here counts instead of what the component was made with."""
        self.warm_up()
        assert self._client is not None  # noqa: S101  (it was made)
        limit, fields = self.top_k if top_k is None else top_k, (self.search if search is None else search) or {}
        found = self._client.send(search_call(query, limit, self.corpus, fields))
        return {
            "documents": [
                Document(id=passage_id(hit), content=hit.content, meta=passage_metadata(hit), score=hit.score)
                for hit in found.items
            ]
        }
