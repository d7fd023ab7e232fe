"""The documents of a debate: retrieved passages grouped by document, read by the reader, added to by searches."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import pairwise
from uuid import UUID

from answering.debates.protocol import SourceDocument
from answering.embedders import Vector
from answering.errors import ModelError
from answering.passages import PassageTexts, RetrievedPassage
from answering.readers import Reading
from answering.voting import Electorate
from registry.corpora.model import Corpus
from registry.passages.schemas import ALL_PASSAGES, PassageFilter
from registry.passages.store import top_passages
from registry.passages.store.candidates import candidate_sources
from registry.platform.database.base import AsyncSession
from registry.platform.fields import storable
from registry.readings.store import CachedReader
from registry.runtime import Runtime
from registry.sources.reliabilities import SourceReliability

GAP = "\n[...]\n"
# Sources that a search without restriction looks into.
MAX_CANDIDATES = 50
# The query is written by a model; a longer one is cut.
MAX_QUERY_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class PooledDocument:
    """A document as a debate reads it, its source, and the retrieved passages it is made of, in document order."""

    document: SourceDocument
    source: SourceReliability
    passages: tuple[RetrievedPassage, ...]
    selected: bool
    """Whether its source is one of the selected sources."""


class DocumentPool:
    """Names documents `d1`, `d2` and so on; a passage that is in the pool is not added again.

    Only sources that take part are let in, and of a copy group none but those of the first documents. Agents see when
    a document was published if they are `dated`.
    """

    def __init__(
        self,
        sources: Mapping[UUID, SourceReliability],
        selected: Collection[UUID],
        electorate: Electorate[UUID],
        *,
        dated: bool = True,
    ) -> None:
        self._dated = dated
        self._sources = sources
        self._electorate = electorate
        self._groups: dict[Hashable, set[UUID]] = {}
        self._selected = frozenset(selected)
        self._entries: dict[str, PooledDocument] = {}
        self._names: dict[tuple[UUID, int], str] = {}

    @property
    def entries(self) -> Mapping[str, PooledDocument]:
        """The entries by name, in the order in which they were added."""
        return self._entries

    def add(self, passages: Iterable[RetrievedPassage]) -> tuple[SourceDocument, ...]:
        """The documents of these passages, in their order; passages of sources deleted meanwhile are left out."""
        groups: dict[UUID, list[RetrievedPassage]] = {}
        let_in = [passage for passage in passages if self._lets_in(passage.source_id)]
        for passage in let_in:
            self._groups.setdefault(self._electorate.copy_group(passage.source_id), set()).add(passage.source_id)
            groups.setdefault(passage.document_id, []).append(passage)
        documents: dict[str, SourceDocument] = {}
        for group in groups.values():
            new = [passage for passage in group if (passage.document_id, passage.ordinal) not in self._names]
            names = [self._names[passage.document_id, passage.ordinal] for passage in group if passage not in new]
            names += [self._add_document(new)] if new else []
            documents |= {name: self._entries[name].document for name in names}
        return tuple(documents.values())

    def _lets_in(self, source_id: UUID) -> bool:
        if source_id not in self._sources or not self._electorate.takes_part(source_id):
            return False
        present = self._groups.get(self._electorate.copy_group(source_id))
        return present is None or source_id in present

    def _add_document(self, passages: Sequence[RetrievedPassage]) -> str:
        name = f"d{len(self._entries) + 1}"
        distinct = {passage.ordinal: passage for passage in passages}
        ordered = tuple(distinct[ordinal] for ordinal in sorted(distinct))
        source = self._sources[ordered[0].source_id]
        published = ordered[0].published_at
        day = published.astimezone(UTC).date() if published and self._dated else None
        document = SourceDocument(name, _text(ordered), source.name, source.reliability, day)
        self._entries[name] = PooledDocument(document, source, ordered, source.source_id in self._selected)
        self._names |= {(passage.document_id, passage.ordinal): name for passage in ordered}
        return name


class DocumentReader:
    """The reader of a question as an agent of a debate, through the cache of readings."""

    def __init__(self, runtime: Runtime, corpus: Corpus, question: str) -> None:
        reader = runtime.reader_for(question)
        self._cached = CachedReader(reader, runtime.database, corpus.id, runtime.reading_slots, may_lag=True)
        self.name = self._cached.reader.name
        self.prompt_hash = self._cached.reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        """Raises the `ModelError` of a reading that fails."""
        (reading,) = await self._cached.read_all(question, [PassageTexts(tuple(passages), tuple(contexts))])
        if isinstance(reading, ModelError):
            raise reading
        return reading

    async def aclose(self) -> None:
        """The runtime closes the reader."""


class CorpusSearch:
    """Searches one corpus and adds what it finds to the pool of the debate.

    `where` restricts the passages.
    """

    def __init__(
        self,
        runtime: Runtime,
        corpus: Corpus,
        pool: DocumentPool,
        selected: Sequence[UUID],
        where: PassageFilter = ALL_PASSAGES,
    ) -> None:
        self._runtime = runtime
        self._corpus = corpus
        self._pool = pool
        self._selected = tuple(selected)
        self._where = where

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        """Find at most `limit` documents, those with the passages nearest to the query."""
        text = storable(query)[:MAX_QUERY_CHARACTERS]
        vector: Vector = (await self._runtime.embedder.embed([text]))[0]

        async def found(session: AsyncSession) -> dict[UUID, list[RetrievedPassage]]:
            sources = self._selected
            if not selected_only:
                candidates = await candidate_sources(
                    session,
                    self._corpus,
                    text,
                    vector,
                    limit=MAX_CANDIDATES,
                    where=self._where,
                )
                sources = tuple(candidates)
            return await top_passages(session, self._corpus, sources, text, vector, limit, self._where)

        by_source = await self._runtime.database.read(found)
        nearest = sorted(
            (passage for passages in by_source.values() for passage in passages),
            key=lambda passage: (-passage.relevance, passage.document_id, passage.ordinal),
        )
        return self._pool.add(nearest[:limit])


def _text(passages: Sequence[RetrievedPassage]) -> str:
    """The passages of one document, with a mark where text between them is left out."""
    text = passages[0].content
    for before, passage in pairwise(passages):
        text += ("\n" if passage.ordinal == before.ordinal + 1 else GAP) + passage.content
    return text
