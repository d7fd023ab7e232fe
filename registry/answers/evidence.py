"""The evidence of a question (RA-RAG section 3.4, arXiv:2410.22954): sources, their readings, and the vote of these.

Reliabilities and the sources worth reading are looked up at the same time, in transactions of their own: a source that
is added between them is not asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, zip_longest
from uuid import UUID

from answering.equivalence import Joins, listed_items
from answering.parameters import DEFAULT_KAPPA
from answering.passages import RetrievedPassage
from answering.readers import asks_for_several
from answering.voting import (
    Certificate,
    Count,
    Electorate,
    ListedVote,
    Selection,
    SourceReading,
    VoteResult,
)
from registry.answers.context import QuestionContext, candidates_alone
from registry.answers.held_vote import HeldVote, hold_vote
from registry.answers.schemas import AnswerParameters, Strategy
from registry.documents.store import count_newer
from registry.estimations.store.estimates import turned_share
from registry.estimations.topics.store import topic_of_question
from registry.passages.store import PassageFilter, Vector, candidate_sources
from registry.passages.store.writer import find_values
from registry.platform.concurrency import both
from registry.platform.database.base import AsyncSession
from registry.platform.errors import Conflict
from registry.readings.service import MAX_CANDIDATES, SourceReader
from registry.sources import store as sources
from registry.sources.reliabilities import Reliabilities, SourceReliability, current_reliabilities


@dataclass(frozen=True, slots=True)
class Known:
    """The results of the first lookups."""

    reliabilities: Reliabilities
    """Reliabilities of the active sources that the question allows, on its topic."""
    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    turned: float | None
    """The share of the run's separate runs that answer the question otherwise; None where it is no query of the run."""
    where: PassageFilter
    """The passages that the question allows."""
    relevance: Mapping[UUID, float] | None
    """Relevance of the candidate sources; None if all sources are candidates."""


async def look_up(context: QuestionContext, vector: Vector) -> Known:
    """Raises `NotFound` for a source of the question that does not exist."""
    read, relevance = context.runtime.database.read, None
    where, candidates_only = await read(partial(_scope, context))
    look_up_reliabilities = read(partial(_reliabilities, context, vector))
    if candidates_only:
        search = read(partial(_search, context, vector, where))
        # The search first: to take in the rows of a thousand sources keeps this process busy before it is on its way.
        relevance, (reliabilities, newer_documents, turned) = await both(search, look_up_reliabilities)
    else:
        reliabilities, newer_documents, turned = await look_up_reliabilities
    return Known(reliabilities.of_sources(where.source_ids), newer_documents, turned, where, relevance)


async def _scope(context: QuestionContext, session: AsyncSession) -> tuple[PassageFilter, bool]:
    """The passages that the question allows, and whether a search over all of them chooses the sources."""
    corpus, parameters = context.corpus, context.parameters
    where = await sources.passage_filter(session, corpus, parameters, context.viewer)
    source_count = await sources.count_active(session, corpus, where.source_ids)
    return where, candidates_alone(parameters, source_count)


async def _search(
    context: QuestionContext, vector: Vector, where: PassageFilter, session: AsyncSession
) -> Mapping[UUID, float]:
    """The relevance of sources in which the search finds a passage, or that state the answer as data."""
    corpus, question = context.corpus, context.question
    stated = (await find_values(session, corpus, {question: vector}, where.source_ids, where)).get(question, {})
    found = await candidate_sources(session, corpus, question, vector, limit=MAX_CANDIDATES, where=where)
    return {source_id: max(value.passage.similarity, 0.0) for source_id, value in stated.items()} | found


async def _reliabilities(
    context: QuestionContext, vector: Vector, session: AsyncSession
) -> tuple[Reliabilities, int | None, float | None]:
    reliabilities = await current_reliabilities(session, context.corpus)
    newer_documents = await count_newer(session, context.corpus, reliabilities.run)
    turned = await turned_share(session, reliabilities.run, context.question, context.viewer)
    if not context.parameters.use_topic:
        return reliabilities, newer_documents, turned
    topic = await topic_of_question(session, context.corpus, reliabilities.run, vector, context.parameters.topic)
    return reliabilities.on_topic(topic), newer_documents, turned


def vote_on_items(
    question: str, parameters: AnswerParameters, count: Count[UUID], joins: Joins
) -> ListedVote[UUID] | None:
    """The vote on each item that these votes list; None where the question asks for one answer, or a debate may decide,
    where no vote lists several, and where no item wins.
    """
    if parameters.strategy is not Strategy.WMV or parameters.paper or not asks_for_several(question):
        return None
    items = listed_items([vote.answer for vote in count.votes], parameters.class_policy, question, joins)
    if all(len(listed) < 2 for listed in items):
        return None
    return ListedVote.of(count, {vote.source_id: listed for vote, listed in zip(count.votes, items, strict=True)})


@dataclass(frozen=True)
class Evidence(HeldVote):
    """The vote on a question and what it rests on; computed once, by `gather_evidence`."""

    newer_documents: int | None
    """Documents that came after the run of the reliabilities began; None without a run."""
    turned: float | None
    """The share of the separate runs of that run that answer the question otherwise."""
    where: PassageFilter
    """The passages that the question allows."""
    joins: Joins
    """Answers to the question that people joined."""
    consulted: Mapping[UUID, Sequence[UUID]]
    """Sources whose passages a debate and the ConflictScore read: the selected ones that take part, and of a copy
    group with one answer the first, with the others. Where none answered, those that were read and take part, by
    reliability times relevance, at most kappa."""
    listed: ListedVote[UUID] | None
    """The vote on each item, if the question asks for several and sources give lists."""

    @property
    def vote(self) -> VoteResult[UUID]:
        """The result, of lists by their items."""
        return self.listed.result if self.listed else self.count.vote

    def probability(self, answer_key: str) -> float:
        """The probability that an answer, or an item of lists, is right."""
        return self.listed.probability(answer_key) if self.listed else super().probability(answer_key)

    @property
    def certificate(self) -> Certificate[UUID]:
        """The fewest sources whose corruption flips the answer, or changes the list."""
        return self.listed.certificate if self.listed else super().certificate

    @property
    def nobody_reliable(self) -> bool:
        """Whether sources say something, and none of them takes part, or no answer of theirs has a positive weight."""
        say = bool(self.ballots) or any(reading.passages for reading in self.readings.values())
        return self.count.nobody_reliable or (say and not self.consulted)

    @cached_property
    def sources(self) -> Mapping[UUID, SourceReliability]:
        """All active sources by identifier."""
        return {source.source_id: source for source in self.reliabilities.sources}

    @cached_property
    def copies(self) -> Mapping[UUID, tuple[str, ...]]:
        """The names of the copies that each consulted source stands for."""
        return {
            source_id: tuple(self.sources[copy].name for copy in copies) for source_id, copies in self.consulted.items()
        }

    @cached_property
    def joint_dissent_of(self) -> Mapping[UUID, int]:
        """The number of the group with which each source dissents together in the run."""
        run = self.reliabilities.run
        return run.joint_dissent_of() if run else {}

    @property
    def readings(self) -> Mapping[UUID, SourceReading]:
        """The reading of every source that was read."""
        return self.selection.readings

    @cached_property
    def made_of(self) -> frozenset[UUID]:
        """The documents that were read, and the sources whose imported votes count."""
        read = {passage.document_id for reading in self.readings.values() for passage in reading.passages}
        imported = {source_id for source_id, reading in self.readings.items() if reading.imported}
        return frozenset(read | imported)

    @cached_property
    def passages(self) -> tuple[RetrievedPassage, ...]:
        """Passages of the consulted sources: the best one of each, then the second best of each, and so on."""
        ranks = zip_longest(*(self.readings[source_id].passages for source_id in self.consulted))
        return tuple(passage for rank in ranks for passage in rank if passage is not None)


async def gather_evidence(context: QuestionContext) -> Evidence:
    """Select the sources of a question, read them and count their vote.

    Raises `Conflict` if the corpus has no active source, and what `SourceReader.read` raises.
    """
    runtime, parameters = context.runtime, context.parameters
    vector: Vector = (await runtime.embedder.embed([context.question]))[0]
    known = await look_up(context, vector)
    reliabilities, where = known.reliabilities, known.where
    if not reliabilities.sources:
        if where.source_ids:
            raise Conflict("None of these sources is active. Ask others, or make them active again.")
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    reader = SourceReader(runtime, context.corpus, parameters.class_policy, where, interactive=True)
    read = partial(reader.read, context.question, vector)
    reader_name = runtime.reader_for(context.question).name
    held = await hold_vote(context.question, reader_name, reliabilities, known.relevance, parameters, read)
    consulted = _consulted(held, parameters.kappa or DEFAULT_KAPPA)
    joins = await reader.joins_of(context.question)
    listed = vote_on_items(context.question, parameters, held.count, joins)
    count = listed.count if listed else held.count
    counted = held.reliabilities, held.selection, held.votes, count, held.judged, held.asks_of_now
    return Evidence(*counted, known.newer_documents, known.turned, where, joins, consulted, listed)


def _consulted(held: HeldVote, most: int) -> Mapping[UUID, Sequence[UUID]]:
    if held.ballots:
        return held.count.participants()
    ranked = held.electorate.participants(dict.fromkeys(_most_promising(held.selection, held.electorate)))
    return dict(islice(ranked.items(), most))


def _most_promising(selection: Selection[UUID], electorate: Electorate[UUID]) -> list[UUID]:
    promise = {
        source_id: electorate.reliability(source_id) * reading.relevance
        for source_id, reading in selection.readings.items()
        if reading.passages
    }
    return sorted(promise, key=lambda source_id: (-promise[source_id], str(source_id)))
