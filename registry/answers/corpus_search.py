"""What a debate searches in: the passages of the selected sources, or of all."""

from collections.abc import Sequence
from uuid import UUID

from answering.debates import SourceDocument
from registry.answers.debate_documents import Shelf
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store import passages
from registry.store.readings import storable

# Of a search without restriction: the sources looked into more closely.
CANDIDATES = 50
# A query is written by a model; nothing it could mean is longer.
MAX_QUERY_CHARACTERS = 2_000


class CorpusSearch:
    """Searches one corpus; what it finds goes onto the shelf."""

    def __init__(self, runtime: Runtime, corpus: Corpus, shelf: Shelf, selected: Sequence[UUID]) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._shelf = shelf
        self._selected = tuple(selected)

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        """At most `limit` documents, those with the passages nearest to the query."""
        asked = storable(query)[:MAX_QUERY_CHARACTERS]
        vector: passages.Vector = (await self._runtime.embedder.embed([asked]))[0]
        async with self._runtime.database.begin() as session:
            sources = self._selected
            if not selected_only:
                candidates = await passages.candidate_sources(session, self._corpus, asked, vector, limit=CANDIDATES)
                sources = tuple(candidates)
            found = await passages.top_passages(session, self._corpus, sources, asked, vector, limit)
        ranked = sorted(
            (passage for some in found.values() for passage in some),
            key=lambda passage: (-passage.similarity, passage.document_id, passage.ordinal),
        )
        return self._shelf.put(ranked[:limit])
