"""Writes the demo corpus into the registry; what is there already stays as it is."""

import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from api.demo.corpus import DemoDocument, DemoSource, load_corpus
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents import store as documents
from registry.documents.imports import import_documents, import_queries
from registry.documents.schemas import DocumentInput, LineResult
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.paging import MAX_LIMIT
from registry.platform.enums import QueryOrigin
from registry.platform.errors import Conflict, NotFound, RegistryError
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput, SourcePatch

NAME = "demo"
DESCRIPTION = "What eleven publishers write about Velmarra, an island that does not exist."

# Gold answers of the demo only judge its estimation, and so do the queries of a person that have them.
PARAMETERS = EstimationParameters(use_gold=False)
GENERATED = PARAMETERS.model_copy(update={"origin": QueryOrigin.GENERATED})
GIVEN = PARAMETERS.model_copy(update={"origin": QueryOrigin.GIVEN})


class DemoRejected(RegistryError):
    """A line of the demo's own files was refused."""


@dataclass(frozen=True, slots=True)
class LoadedCorpus:
    """The corpus in the registry; `documents` counts the results of their import by status."""

    corpus: Corpus
    sources: tuple[Source, ...]
    documents: Counter[str]


async def load(runtime: Runtime) -> LoadedCorpus:
    """Register the corpus, its sources, documents and the queries of a person; raises what `load_documents` raises."""
    loaded = await load_documents(runtime)
    await load_queries(runtime, loaded.corpus)
    return loaded


async def load_documents(runtime: Runtime) -> LoadedCorpus:
    """Register the corpus, its sources and documents; raises `Conflict` if another corpus has its name."""
    corpus = await _corpus(runtime)
    published: defaultdict[str, list[DemoDocument]] = defaultdict(list)
    for document in load_corpus().documents:
        published[document.source].append(document)
    registered = []
    document_counts: Counter[str] = Counter()
    for demo_source in load_corpus().sources:
        source = await _source(runtime, corpus, demo_source)
        registered.append(source)
        lines = _lines(_document_input(document) for document in published[source.external_id])
        document_counts += await _count_statuses(import_documents(runtime, corpus, source.id, lines))
    return LoadedCorpus(corpus, tuple(registered), document_counts)


async def load_queries(runtime: Runtime, corpus: Corpus) -> None:
    """Register the queries of a person with their gold answers."""
    lines = _lines(
        QueryInput(
            external_id=query.external_id,
            text=query.text,
            gold_answers=list(query.gold_answers),
            topic=query.topic,
        )
        for query in load_corpus().queries
    )
    await _count_statuses(import_queries(runtime, corpus, lines))


async def _corpus(runtime: Runtime) -> Corpus:
    async with runtime.database.begin() as session:
        try:
            corpus = await corpora.get(session, NAME)
        except NotFound:
            return await corpora.create(session, CorpusInput(name=NAME, description=DESCRIPTION, asked_queries=0))
    if corpus.description != DESCRIPTION:
        raise Conflict(f"There is a corpus named {NAME!r} that is not the demo.")
    return corpus


async def _source(runtime: Runtime, corpus: Corpus, demo_source: DemoSource) -> Source:
    fields = {"name": demo_source.name, "url": demo_source.url, "description": demo_source.description}
    async with runtime.database.begin() as session:
        try:
            source = await sources.find(session, corpus, demo_source.external_id)
        except NotFound:
            values = SourceInput(external_id=demo_source.external_id, **fields)
            return await sources.create(session, corpus, values)
        if all(getattr(source, name) == value for name, value in fields.items()):
            return source
        return await sources.update(session, corpus, source.id, SourcePatch(**fields))


def _document_input(document: DemoDocument) -> DocumentInput:
    return DocumentInput(
        external_id=document.external_id,
        title=document.title,
        url=document.url,
        media_type=document.media_type,
        content=document.content,
        published_at=document.published_at,
    )


async def _lines(inputs: Iterable[BaseModel]) -> AsyncIterator[bytes]:
    for value in inputs:
        yield json.dumps(value.model_dump(mode="json", exclude_unset=True)).encode()


async def _count_statuses(results: AsyncIterator[LineResult]) -> Counter[str]:
    counts: Counter[str] = Counter()
    async for result in results:
        if result.error is not None:
            raise DemoRejected(f"The demo's own files are damaged, line {result.line}: {result.error}")
        counts[result.status] += 1
    return counts


async def last_change(runtime: Runtime, loaded: LoadedCorpus) -> datetime:
    """The time of the last change of a source, document or query of the corpus."""
    times = [source.updated_at for source in loaded.sources]
    async with runtime.database.begin() as session:
        query_page = await queries.page(session, loaded.corpus, cursor=None, limit=MAX_LIMIT)
        times += [query.updated_at for query in query_page.items]
        for source in loaded.sources:
            document_page = await documents.page(session, loaded.corpus, source.id, cursor=None, limit=MAX_LIMIT)
            times += [document.updated_at for document in document_page.items]
    return max(times)
