"""The demo corpus into the registry: what is there already stays as it is."""

import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from api.demo.corpus import DemoDocument, DemoSource, load_corpus
from registry.database.paging import MAX_LIMIT
from registry.errors import NotFound, RegistryError
from registry.ingest import import_documents, import_queries
from registry.inputs.corpora import CorpusInput
from registry.inputs.documents import DocumentInput
from registry.inputs.queries import QueryInput
from registry.inputs.sources import SourceInput, SourcePatch
from registry.models import Corpus, Source
from registry.results.ingest import LineResult
from registry.runtime import Runtime
from registry.store import corpora, documents, queries, sources

NAME = "demo"
DESCRIPTION = "What eleven publishers write about Velmarra, an island that does not exist."


class DemoRejected(RegistryError):
    """A line of the demo's own files was refused."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The corpus as it stands in the registry; `documents` counts what became of each document by status."""

    corpus: Corpus
    sources: tuple[Source, ...]
    documents: Counter[str]
    queries: Counter[str]


async def load(runtime: Runtime) -> Loaded:
    """Register the corpus, its sources, documents and queries."""
    corpus = await _corpus(runtime)
    published: defaultdict[str, list[DemoDocument]] = defaultdict(list)
    for document in load_corpus().documents:
        published[document.source].append(document)
    registered = []
    written: Counter[str] = Counter()
    for one in load_corpus().sources:
        source = await _source(runtime, corpus, one)
        registered.append(source)
        lines = _lines(_document_input(document) for document in published[one.external_id])
        written += await _counted(import_documents(runtime, corpus, source.id, lines))
    asked = _lines(_query_input(query.external_id, query.text, query.gold_answers) for query in load_corpus().queries)
    return Loaded(corpus, tuple(registered), written, await _counted(import_queries(runtime, corpus, asked)))


async def _corpus(runtime: Runtime) -> Corpus:
    async with runtime.database.begin() as session:
        try:
            return await corpora.get(session, NAME)
        except NotFound:
            return await corpora.create(session, CorpusInput(name=NAME, description=DESCRIPTION))


async def _source(runtime: Runtime, corpus: Corpus, one: DemoSource) -> Source:
    fields = {"name": one.name, "url": one.url, "description": one.description}
    async with runtime.database.begin() as session:
        try:
            found = await sources.find(session, corpus, one.external_id)
        except NotFound:
            return await sources.create(session, corpus, SourceInput(external_id=one.external_id, **fields))
        if all(getattr(found, name) == value for name, value in fields.items()):
            return found
        return await sources.update(session, corpus, found.id, SourcePatch(**fields))


def _document_input(document: DemoDocument) -> DocumentInput:
    return DocumentInput(
        external_id=document.external_id,
        title=document.title,
        url=document.url,
        media_type=document.media_type,
        content=document.content,
        published_at=document.published_at,
    )


def _query_input(external_id: str, text: str, gold_answers: tuple[str, ...]) -> QueryInput:
    return QueryInput(external_id=external_id, text=text, gold_answers=list(gold_answers))


async def _lines(given: Iterable[BaseModel]) -> AsyncIterator[bytes]:
    for one in given:
        yield json.dumps(one.model_dump(mode="json", exclude_unset=True)).encode()


async def _counted(results: AsyncIterator[LineResult]) -> Counter[str]:
    counts: Counter[str] = Counter()
    async for result in results:
        if result.error is not None:
            raise DemoRejected(f"The demo's own files are damaged, line {result.line}: {result.error}")
        counts[result.status] += 1
    return counts


async def last_change(runtime: Runtime, loaded: Loaded) -> datetime:
    """When a source, document or query of the corpus last changed."""
    times = [source.updated_at for source in loaded.sources]
    async with runtime.database.begin() as session:
        asked = await queries.page(session, loaded.corpus, cursor=None, limit=MAX_LIMIT)
        times += [query.updated_at for query in asked.items]
        for source in loaded.sources:
            found = await documents.page(session, loaded.corpus, source.id, cursor=None, limit=MAX_LIMIT)
            times += [document.updated_at for document in found.items]
    return max(times)
