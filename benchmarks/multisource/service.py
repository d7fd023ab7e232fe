"""A synthetic corpus in the service: ingest, queries, estimation, questions."""

import contextlib
import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import BaseModel

from answering.errors import ModelError
from answering.passages import PassageTexts, RetrievedPassage
from answering.readers import Reading
from answering.voting import ReadingStatus
from benchmarks.multisource.record import RecordedReading
from benchmarks.multisource.synthetic import Item, Publisher, SyntheticCorpus
from estimator.errors import CredenceError
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.imports import import_documents, import_queries
from registry.documents.schemas import DocumentInput, LineResult
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, Vote
from registry.estimations.schemas import EstimationParameters
from registry.passages import store as passages
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import NotFound
from registry.queries.schemas import QueryInput
from registry.readings.store import CachedReader
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput

NAIVE_PASSAGES = 10
"""Passages that naive RAG reads at once (RA-RAG section 5.1)."""
BATCH = 64


class ServiceFailed(CredenceError):
    """The service refused a request or failed; the message says why."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A corpus as it stands in the registry; `source_ids[i]` is source i of the corpus."""

    corpus: Corpus
    source_ids: tuple[UUID, ...]
    queries: Mapping[str, UUID]
    """Ids of the estimation's queries by those of their facts."""


async def load(runtime: Runtime, synthetic: SyntheticCorpus) -> Loaded:
    """Create a corpus from a synthetic one, after deleting what an interrupted run left of it."""
    name = f"{synthetic.setting.name}-{synthetic.seed}"
    async with runtime.database.begin() as session:
        with contextlib.suppress(NotFound):
            await corpora.delete(session, await corpora.get(session, name))
        corpus = await corpora.create(session, CorpusInput(name=name))
    source_ids = [
        await publish(runtime, corpus, publisher.name, _documents(publisher)) for publisher in synthetic.publishers
    ]
    estimation_items = [item for item in synthetic.items if not item.is_test]
    queries = await add_queries(runtime, corpus, {item.fact.id: item.fact.question for item in estimation_items})
    return Loaded(corpus, tuple(source_ids), queries)


async def add_queries(runtime: Runtime, corpus: Corpus, texts: Mapping[str, str]) -> dict[str, UUID]:
    """Import queries, given and returned by external id."""
    lines = _lines(QueryInput(external_id=external_id, text=text) for external_id, text in texts.items())
    accepted = [_accepted(result) async for result in import_queries(runtime, corpus, lines)]
    return {result.external_id: result.id for result in accepted if result.external_id and result.id}


async def publish(runtime: Runtime, corpus: Corpus, name: str, documents: Iterable[DocumentInput]) -> UUID:
    """Create a source with its documents."""
    async with runtime.database.begin() as session:
        source: Source = await sources.create(session, corpus, SourceInput(name=name))
    await publish_more(runtime, corpus, source.id, documents)
    return source.id


async def publish_more(runtime: Runtime, corpus: Corpus, source_id: UUID, documents: Iterable[DocumentInput]) -> None:
    """Import documents into a source."""
    async for result in import_documents(runtime, corpus, source_id, _lines(documents)):
        _accepted(result)


def _documents(publisher: Publisher) -> Iterable[DocumentInput]:
    return (
        DocumentInput.model_validate(
            {
                "external_id": document.external_id,
                "title": document.title,
                "content": document.content,
                "published_at": document.published_at,
            }
        )
        for document in publisher.documents
    )


async def _lines(models: Iterable[BaseModel]) -> AsyncIterator[bytes]:
    for line in models:
        yield json.dumps(line.model_dump(mode="json", exclude_unset=True)).encode()


def _accepted(result: LineResult) -> LineResult:
    if result.error is not None:
        raise ServiceFailed(f"the service refused line {result.line} of a corpus: {result.error}")
    return result


async def estimated(runtime: Runtime, corpus: Corpus, method: str) -> EstimationRun:
    """A finished estimation run. Raises `ServiceFailed` if it fails."""
    return await finished(runtime, corpus, EstimationParameters(method=method))


async def finished(runtime: Runtime, corpus: Corpus, parameters: EstimationParameters) -> EstimationRun:
    """The same with all parameters."""
    run = await estimation.start(runtime, corpus, parameters, Trigger.COMMAND)
    await estimation.run(runtime, run.id)
    async with runtime.database.begin() as session:
        ended = await estimations.get(session, corpus, run.id)
    if ended.status != RunStatus.SUCCEEDED:
        raise ServiceFailed(f"the estimation {ended.id} ended as {ended.status}: {ended.problem}")
    return ended


async def votes(runtime: Runtime, loaded: Loaded, run: EstimationRun, item: Item) -> tuple[RecordedReading, ...]:
    """The reading of every source for a query of the run."""
    async with runtime.database.begin() as session:
        votes = await estimations.votes_of(session, run, loaded.queries[item.fact.id])
    by_source = {vote.source_id: vote for vote in votes}
    return tuple(_reading(by_source.get(source_id)) for source_id in loaded.source_ids)


def _reading(vote: Vote | None) -> RecordedReading:
    if vote is None:
        return RecordedReading(ReadingStatus.NO_PASSAGES, None)
    return RecordedReading(ReadingStatus(vote.status), vote.answer, vote.confidence)


async def answered(
    runtime: Runtime, loaded: Loaded, question: str, *, kappa: int, batch: int = BATCH
) -> tuple[AnswerResult, float]:
    """The service's answer, and the seconds it took."""
    return await asked(runtime, loaded.corpus, question, AnswerParameters(kappa=kappa, batch=batch))


async def asked(
    runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters
) -> tuple[AnswerResult, float]:
    """The service's answer with these parameters, and the seconds it took."""
    began = time.perf_counter()
    # Questions of a benchmark must not become queries of its next estimation.
    parameters = parameters.model_copy(update={"keep_as_query": False})
    record = await answers.ask(runtime, corpus, question, parameters)
    return AnswerResult.model_validate(record.result), time.perf_counter() - began


def readings_of(result: AnswerResult, source_ids: Sequence[UUID]) -> tuple[RecordedReading, ...]:
    """The reading of every source for a question. Raises `ServiceFailed` if one was not read."""
    readings = {
        source.source_id: RecordedReading(ReadingStatus.ANSWERED, source.answer, source.reading_confidence)
        for source in result.selected_sources
    }
    for source in result.rejected_sources:
        if source.reason not in set(ReadingStatus):
            raise ServiceFailed(f"source {source.name} was not read: {source.reason}")
        readings[source.source_id] = RecordedReading(ReadingStatus(source.reason), source.reading)
    return tuple(readings.get(source_id, RecordedReading(ReadingStatus.NO_PASSAGES, None)) for source_id in source_ids)


class PooledReader:
    """One reader over the passages of several sources at once: the rivals without sources."""

    def __init__(self, runtime: Runtime, loaded: Loaded) -> None:
        self._runtime = runtime
        self._loaded = loaded
        self._reader = CachedReader(runtime.require_reader(), runtime.database)

    async def answers(
        self, question: str, *, naive: Mapping[str, Sequence[int]], pooled: Mapping[str, Sequence[int]]
    ) -> dict[str, str | None]:
        """`naive/NAME` reads the nearest passages of a subset, `pooled/NAME` the top ones of each of its sources."""
        retrieved = await self._search(question)
        shown = {f"naive/{name}": _nearest(retrieved, subset) for name, subset in naive.items()}
        each = self._runtime.settings.passages_per_source
        shown |= {f"pooled/{name}": _best(retrieved, subset, each) for name, subset in pooled.items()}
        distinct = list(dict.fromkeys(shown.values()))
        read = dict(
            zip(distinct, await self._reader.read_all(question, list(map(PassageTexts.of, distinct))), strict=True)
        )
        return {name: _answer(read[texts]) for name, texts in shown.items()}

    async def _search(self, question: str) -> list[list[RetrievedPassage]]:
        vector = (await self._runtime.embedder.embed([question]))[0]
        async with self._runtime.database.begin() as session:
            by_source = await passages.top_passages(
                session, self._loaded.corpus, self._loaded.source_ids, question, vector, NAIVE_PASSAGES
            )
        return [by_source[source_id] for source_id in self._loaded.source_ids]


def _answer(reading: Reading | ModelError) -> str | None:
    return None if isinstance(reading, ModelError) else reading.answer


def _nearest(retrieved: Sequence[Sequence[RetrievedPassage]], subset: Sequence[int]) -> tuple[RetrievedPassage, ...]:
    """By relevance alone, whatever the source."""
    pooled = [passage for source in subset for passage in retrieved[source]]
    return tuple(passage for passage in sorted(pooled, key=lambda passage: -passage.relevance)[:NAIVE_PASSAGES])


def _best(
    retrieved: Sequence[Sequence[RetrievedPassage]], subset: Sequence[int], each: int
) -> tuple[RetrievedPassage, ...]:
    return tuple(passage for source in subset for passage in retrieved[source][:each])
