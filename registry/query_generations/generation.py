"""A generation: facts of documents are tried as queries, batch by batch, until there are enough or the budget is spent.

Rules word the questions; where that is wanted, a language model words those of which rules make no plain one. A fact is
tried by reading: what its own source and others say to its question. The readings are kept, so that an estimation on
the queries need not take them again.
"""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final
from uuid import UUID

import numpy as np
import structlog
from numpy.typing import NDArray

from answering.embedders import Vector
from answering.enums import ClassPolicy
from answering.errors import ModelError
from answering.questions.writing import Fact, is_clear_to_model, plainness, question_by_model, written_questions
from registry.corpora.model import Corpus
from registry.documents import store as stored_documents
from registry.passages.store.candidates import candidate_sources
from registry.platform.enums import QueryOrigin
from registry.query_generations import store
from registry.query_generations.agreement import Finding, Preferences, answers_said, finding, statements
from registry.query_generations.known_queries import KnownQueries
from registry.query_generations.model import QueryGeneration
from registry.query_generations.schemas import GenerationParameters, GenerationReport, Provenance
from registry.query_generations.store import Unsearched
from registry.readings.service import SourceReader
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

# Documents whose facts are tried at once; what came of them is stored together.
BATCH: Final = 16
# Out of how many those are chosen that are worth most; the others are for later.
CHOICE: Final = 4 * BATCH
# Documents that are searched at once, at most, while nothing is found in them.
MOST_DOCUMENTS: Final = 256
# Of the language model, at most, where it words and checks.
CALLS_A_QUERY: Final = 5
# Other sources that are asked first, and in all where one of the first ones answers.
FIRST_SOURCES, MOST_SOURCES = 4, 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question, and the fact of a document that answers it."""

    document: Unsearched
    title: str
    question: str
    fact: Fact


@dataclass(slots=True)
class Generation:
    runtime: Runtime
    corpus: Corpus
    parameters: GenerationParameters
    id: UUID
    known: KnownQueries
    reader: SourceReader
    preferences: Preferences | None = None
    counts: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.perf_counter)

    @property
    def report(self) -> GenerationReport:
        return GenerationReport(**{name: self.counts[name] for name in GenerationReport.model_fields})

    def is_over(self) -> bool:
        """Whether there are enough queries, or the budget is spent."""
        return (
            self.counts["queries"] >= self.parameters.queries
            or self.counts["readings"] >= self.parameters.max_readings
            or time.perf_counter() - self.started >= self.parameters.max_seconds
        )

    async def complete(self) -> None:
        """Search documents, one fact of each and then the next one, until it is over or nothing is left."""
        while not self.is_over():
            async with self.runtime.database.begin() as session:
                documents = await store.unsearched(session, self.corpus, self.parameters.seed)
            if not documents:
                break
            left = iter(documents)
            least = BATCH if self.preferences is None else CHOICE
            size = least
            while not self.is_over() and (batch := list(islice(left, size))):
                found = await self._search(batch)
                size = least if found else min(2 * size, MOST_DOCUMENTS)

    async def _search(self, batch: Sequence[Unsearched]) -> int:
        """Try the next fact of documents, of too many the best; returns of how many there is one."""
        async with self.runtime.database.begin() as session:
            contents = await stored_documents.contents(session, [document.id for document in batch])
        here = [document for document in batch if document.id in contents]
        written = await asyncio.to_thread(
            lambda: [_candidates(document, *contents[document.id], self.parameters.seed) for document in here]
        )
        next_at: dict[UUID, int] = {}
        fresh: dict[str, Candidate] = {}
        for document, candidates in zip(here, written, strict=True):
            at = document.tried
            # What is asked for already costs nothing, and the next fact of the document takes its place.
            while at < len(candidates) and self._is_repeated(candidates[at], fresh):
                at += 1
            next_at[document.id] = at
            if at < len(candidates):
                fresh[candidates[at].question.casefold()] = candidates[at]
        chosen = await self._chosen(list(fresh.values()))
        for candidate in chosen:
            next_at[candidate.document.id] += 1
        tried = [
            (document, next_at[document.id], next_at[document.id] >= len(candidates))
            for document, candidates in zip(here, written, strict=True)
        ]
        self.counts["documents"] += sum(document.tried == 0 and (at > 0 or ended) for document, at, ended in tried)
        worded = await asyncio.gather(*map(self._worded, chosen))
        vectors = await self.runtime.embedder.embed([candidate.question for candidate in worded])
        findings = await asyncio.gather(*map(self._try, worded, vectors))
        await self._store(findings, tried)
        return len(fresh)

    async def _chosen(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """`BATCH` of them: those that are worth most by the current run, without one the first."""
        if self.preferences is None or len(candidates) <= BATCH:
            return candidates[:BATCH]
        vectors = await self.runtime.embedder.embed([candidate.question for candidate in candidates])
        near = [
            await self._near(candidate.question, vector) for candidate, vector in zip(candidates, vectors, strict=True)
        ]
        order = self.preferences.order(near, vectors, self.known.centre)
        return [candidates[place] for place in order[:BATCH]]

    async def _near(self, question: str, vector: Vector) -> dict[UUID, float]:
        """The sources with passages near a question, the most relevant first, with their relevance."""
        async with self.runtime.database.begin() as session:
            return await candidate_sources(session, self.corpus, question, vector, limit=MOST_SOURCES + 1)

    def _is_repeated(self, candidate: Candidate, fresh: dict[str, Candidate]) -> bool:
        repeated = candidate.question.casefold() in fresh or self.known.has_text(candidate.question)
        self.counts["facts"] += repeated
        self.counts["repeated"] += repeated
        return repeated

    async def _worded(self, candidate: Candidate) -> Candidate:
        """The candidate; as the language model words it, if that is wanted and rules made no plain question of it."""
        if plainness(candidate.question) == 0 or not self._may_call_model():
            return candidate
        try:
            question = await question_by_model(candidate.fact, candidate.title, self.runtime.require_chat())
        except ModelError as error:
            log.warning("query_not_worded", reason=error)
            return candidate
        return candidate if question is None else replace(candidate, question=question)

    async def _is_clear(self, candidate: Candidate) -> bool:
        """False where the language model, if it is wanted, finds the question unclear."""
        if not self._may_call_model():
            return True
        try:
            return await is_clear_to_model(candidate.question, candidate.fact, self.runtime.require_chat())
        except ModelError as error:
            log.warning("query_not_checked", reason=error)
            return True

    def _may_call_model(self) -> bool:
        """Whether the language model is wanted and has calls left, of which this takes one."""
        most = CALLS_A_QUERY * self.parameters.queries
        if not self.parameters.language_model or self.counts["model_calls"] >= most:
            return False
        self.counts["model_calls"] += 1
        return True

    async def _try(self, candidate: Candidate, vector: NDArray[np.float32]) -> "_Tried":
        question, fact, own_id = candidate.question, candidate.fact, candidate.document.source_id
        near = await self._near(question, vector)
        ids = [source_id for source_id in near if source_id != own_id][:MOST_SOURCES]
        key = (await self.reader.joins_of(question)).key_of(fact.answer, ClassPolicy.VALUES, question)
        readings = await self.reader.read(question, vector, [own_id, *ids[:FIRST_SOURCES]])
        own = next(statements(fact.kind, [readings.pop(own_id)]), None)
        said = list(statements(fact.kind, readings.values()))
        if said and own is not None and own.answer_key == key and ids[FIRST_SOURCES:]:
            readings |= await self.reader.read(question, vector, ids[FIRST_SOURCES:])
            said = list(statements(fact.kind, readings.values()))
        self.counts["readings"] += len(readings) + 1
        found = finding(own, key, said, self.parameters.min_sources)
        if found.is_query and not await self._is_clear(candidate):
            found = Finding.UNCLEAR
        return _Tried(candidate, vector, found, answers_said([own, *said] if own else said))

    async def _store(
        self,
        findings: Sequence["_Tried"],
        tried: Sequence[tuple[Unsearched, int, bool]],
    ) -> None:
        untried = set[UUID]()
        async with self.runtime.database.begin() as session:
            for fact in findings:
                candidate = fact.candidate
                if self.counts["queries"] >= self.parameters.queries:
                    # It is for the next generation.
                    untried.add(candidate.document.id)
                    continue
                self.counts["facts"] += 1
                count = self._kept_as(fact)
                if count == "queries":
                    provenance = _provenance(fact, self.id).model_dump(mode="json")
                    added = await store.add(
                        session,
                        self.corpus,
                        candidate.question,
                        QueryOrigin.GENERATED,
                        provenance,
                        active=self.parameters.active,
                    )
                    self.known.add(candidate.question, fact.vector, fact.leading)
                    self.counts["agreed"] += added and fact.found is Finding.AGREED
                    count = "queries" if added else "repeated"
                self.counts[count] += 1
            await store.remember(session, [entry for entry in tried if entry[0].id not in untried])
            generation = await session.get(QueryGeneration, self.id)
            if generation is not None:
                generation.report = self.report.model_dump(mode="json")

    def _kept_as(self, fact: "_Tried") -> str:
        if not fact.found.is_query:
            return fact.found.value
        if self.known.has(fact.candidate.question, fact.vector, fact.answers):
            return "repeated"
        most = self.parameters.max_agreed * self.parameters.queries
        return "surplus" if fact.found is Finding.AGREED and self.counts["agreed"] >= most else "queries"


@dataclass(frozen=True, slots=True)
class _Tried:
    candidate: Candidate
    vector: NDArray[np.float32]
    found: Finding
    answers: Sequence[str]
    """The answers, the most frequent first."""

    @property
    def leading(self) -> str | None:
        """The most frequent answer."""
        return next(iter(self.answers), None)


def _candidates(document: Unsearched, title: str, content: str, seed: int) -> list[Candidate]:
    """The questions that a document answers, in an order that the seed draws."""
    candidates = [Candidate(document, title, question, fact) for question, fact in written_questions(content)]
    return sorted(
        candidates, key=lambda candidate: hashlib.sha256(f"{seed} {candidate.fact.sentence}".encode()).digest()
    )


def _provenance(tried: _Tried, generation_id: UUID) -> Provenance:
    candidate = tried.candidate
    return Provenance(
        document_id=str(candidate.document.id),
        source_id=str(candidate.document.source_id),
        sentence=candidate.fact.sentence,
        answer=candidate.fact.answer,
        leading_answer=tried.leading,
        generation_id=str(generation_id),
    )
