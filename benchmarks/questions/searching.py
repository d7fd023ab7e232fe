"""What searches find, by exact search and by the index, and what the index costs."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from sqlalchemy import text
from sqlalchemy.engine import URL

from answering.embedders import WordLlamaEmbedder
from benchmarks.harness import database
from benchmarks.questions.asking import PATIENT, READER
from benchmarks.questions.corpus import SEED, vector_of
from benchmarks.questions.passages import Question
from registry.corpora import store as corpora
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.jobs.housekeeping import update_index
from registry.passages.store import top_passages
from registry.passages.store.candidates import candidate_sources
from registry.readings.service import MAX_CANDIDATES
from registry.sources import store as sources
from registry.sources.schemas import SourceInput

K = 3
INGEST_ROUNDS = 5
SENTENCE_WORDS, DOCUMENT_SENTENCES = 12, 40
INDEX_BYTES = text(
    r"SELECT coalesce(sum(pg_relation_size(oid)), 0) FROM pg_class WHERE relname LIKE 'passages%\_vectors\_%'"
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found for each question."""

    candidates: list[list[UUID]] = field(default_factory=list)
    """Sources, the most relevant first."""
    of_large_source: list[list[tuple[UUID, int]]] = field(default_factory=list)
    """Its best passages: document and ordinal. Those of small sources are searched exactly in any case."""
    large_source_seconds: list[float] = field(default_factory=list)


async def find(url: URL, questions: Sequence[Question], large_source: UUID) -> Found:
    """Candidate sources of every question, and the best passages of the large source."""
    found = Found()
    async with database.opened(url, READER, **PATIENT) as runtime:
        for question in questions:
            vector = vector_of(question)
            async with runtime.database.begin() as session:
                corpus = await corpora.get(session, corpora.DEFAULT)
                candidates = await candidate_sources(session, corpus, question.words, vector, limit=MAX_CANDIDATES)
                began = time.perf_counter()
                top = await top_passages(session, corpus, [large_source], question.words, vector, K)
                found.large_source_seconds.append(time.perf_counter() - began)
            found.candidates.append(list(candidates))
            found.of_large_source.append([(passage.document_id, passage.ordinal) for passage in top[large_source]])
    return found


async def build(url: URL) -> tuple[float, float]:
    """Build the index; returns seconds and bytes."""
    async with database.opened(url, READER) as runtime:
        began = time.perf_counter()
        await update_index(runtime, 1)
        seconds = time.perf_counter() - began
        async with runtime.database.begin() as session:
            return seconds, float(await session.scalar(INDEX_BYTES) or 0)


async def ingest_rate(url: URL, documents: int, name: str) -> float:
    """Passages a second of an ingest with everything, embedding too, into a corpus of its own; the median."""
    generator = np.random.default_rng(SEED)
    words = np.array(database.vocabulary())
    rates = []
    async with database.opened(url, READER, WordLlamaEmbedder()) as runtime:
        async with runtime.database.begin() as session:
            corpus = await corpora.create(session, CorpusInput(name=name))
            source = await sources.create(session, corpus, SourceInput(name=name))
        for number in range(INGEST_ROUNDS):
            batch = [
                DocumentInput(
                    external_id=f"{number}-{document}",
                    content=" ".join(
                        " ".join(sentence).capitalize() + "."
                        for sentence in words[
                            np.minimum(generator.zipf(1.15, (DOCUMENT_SENTENCES, SENTENCE_WORDS)), len(words)) - 1
                        ]
                    ),
                )
                for document in range(documents)
            ]
            began = time.perf_counter()
            result = await ingest(runtime, corpus, source.id, batch)
            rates.append(sum(document.passages for document in result) / (time.perf_counter() - began))
    return float(np.median(rates))


def recall(exact: Sequence[Sequence[object]], other: Sequence[Sequence[object]]) -> float:
    """The mean share of what exact search found that the other found too."""
    return float(np.mean([len(set(a) & set(b)) / len(a) for a, b in zip(exact, other, strict=True) if a]))
