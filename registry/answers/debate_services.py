"""What a debate may call: the configured reader through the cache of readings, and a search of the corpus."""

from collections.abc import Sequence
from uuid import UUID

from answering.debates import SourceDocument
from answering.errors import ModelError
from answering.readers import Reading
from registry.answers.document_pool import DocumentPool
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store.passages import Vector, candidate_sources, top_passages
from registry.store.readings import CachedReader, storable

# Sources that a search without restriction looks into.
MAX_CANDIDATES = 50
# The query is written by a model; a longer one is cut.
MAX_QUERY_CHARACTERS = 2_000


class DocumentReader:
    """The configured reader as an agent of a debate, through the cache of readings."""

    def __init__(self, runtime: Runtime) -> None:
        self._cached = CachedReader(runtime.require_reader(), runtime.database)
        self.name = self._cached.reader.name
        self.prompt_hash = self._cached.reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        """Raises the `ModelError` of a reading that fails."""
        (reading,) = await self._cached.read_all(question, [tuple(passages)])
        if isinstance(reading, ModelError):
            raise reading
        return reading

    async def aclose(self) -> None:
        """The runtime closes the reader."""


class CorpusSearch:
    """Searches one corpus and adds what it finds to the pool of the debate."""

    def __init__(self, runtime: Runtime, corpus: Corpus, pool: DocumentPool, selected: Sequence[UUID]) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._pool = pool
        self._selected = tuple(selected)

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        """At most `limit` documents, those with the passages nearest to the query."""
        text = storable(query)[:MAX_QUERY_CHARACTERS]
        vector: Vector = (await self._runtime.embedder.embed([text]))[0]
        async with self._runtime.database.begin() as session:
            sources = self._selected
            if not selected_only:
                sources = tuple(await candidate_sources(session, self._corpus, text, vector, limit=MAX_CANDIDATES))
            by_source = await top_passages(session, self._corpus, sources, text, vector, limit)
        nearest = sorted(
            (passage for passages in by_source.values() for passage in passages),
            key=lambda passage: (-passage.similarity, passage.document_id, passage.ordinal),
        )
        return self._pool.add(nearest[:limit])
