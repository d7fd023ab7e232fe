"""Search, read, align: what sources say to a question, alike for estimation, answers and evaluation."""

from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import TypeVar
from uuid import UUID

from answering.alignment import AlignmentReason, align
from answering.embedders import Vector
from answering.equivalence import NO_JOINS, ClassPolicy, Joins
from answering.errors import BudgetSpent, ModelError, ModelRefused, ModelUnavailable
from answering.judges.quotes import find_quote
from answering.passages import PassageTexts, RetrievedPassage, with_titles
from answering.questions.asked_period import AskedPeriod
from answering.readers import Location, Reading
from answering.voting import ReadingStatus, SourceReading
from registry.corpora.model import Corpus
from registry.passages.schemas import ALL_PASSAGES, PassageFilter
from registry.passages.store import top_passages, within_period
from registry.passages.store.candidates import candidate_sources
from registry.platform.database.base import AsyncSession
from registry.readings.model import reading_id
from registry.readings.store import CachedReader, FoundValue, confirmed_misreadings, find_values, find_votes, joins_of
from registry.runtime import Runtime
from registry.votes.store import Vote

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")

# Above this number of sources only those are read in which a search over the whole corpus finds a passage.
MANY_SOURCES = 200
MAX_CANDIDATES = 200

_STATUS = {
    AlignmentReason.ALIGNED: ReadingStatus.ANSWERED,
    AlignmentReason.ABSTAINED: ReadingStatus.ABSTAINED,
    AlignmentReason.MISALIGNED: ReadingStatus.MISALIGNED,
}


class ReaderLost(ModelUnavailable):
    """Every new reading failed, so that abstentions would be made up by the failure."""

    def __init__(self, failure: ModelError) -> None:
        super().__init__(str(failure))
        self.quoted = failure.quoted


def only_candidates(source_count: int, candidates_only: bool | None) -> bool:
    """Whether only candidates are read; by default above `MANY_SOURCES` sources."""
    return source_count > MANY_SOURCES if candidates_only is None else candidates_only


async def candidates(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    *,
    source_count: int,
    candidates_only: bool | None,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, float] | None:
    """Sources in which one search over the corpus finds a passage, with their relevance; None if all are candidates.

    `candidates_only` is that of `only_candidates`. `where` restricts the search.
    """
    if not only_candidates(source_count, candidates_only):
        return None
    return await candidate_sources(session, corpus, question, vector, limit=MAX_CANDIDATES, where=where)


class SourceReader:
    """Reads the sources of a corpus, each question with its reader, through the cache of readings."""

    def __init__(
        self,
        runtime: Runtime,
        corpus: Corpus,
        policy: ClassPolicy,
        where: PassageFilter = ALL_PASSAGES,
        *,
        interactive: bool = False,
    ) -> None:
        """`where` restricts the documents. With `interactive`, as somebody waits, they are looked up as `Database.read`
        does, and read before those of background work.

        Raises `SettingsError` if no reader is configured.
        """
        self._runtime = runtime
        self._corpus = corpus
        self._policy = policy
        self._where = where
        self._interactive = interactive
        runtime.require_reader()
        self._readers: dict[str, CachedReader] = {}
        self._confirmed: Set[UUID] | None = None
        self._joins: dict[str, Joins] = {}

    async def read(self, question: str, vector: Vector, source_ids: Sequence[UUID]) -> dict[UUID, SourceReading]:
        """A reading of each source: what it states as data, else from its best passages. Raises as `read_passages`."""
        stated = await self.stated(question, vector, source_ids)
        others = [source_id for source_id in source_ids if source_id not in stated]
        if not others:
            return stated
        return stated | await self.read_passages(question, await self.search(question, vector, others))

    async def stated(self, question: str, vector: Vector, source_ids: Sequence[UUID]) -> dict[UUID, SourceReading]:
        """Values that sources state as data, if the question is that of a query made of stated values, by source."""

        async def find(session: AsyncSession) -> dict[UUID, SourceReading]:
            asked = {question: vector}
            found = await stated_readings(session, self._corpus, asked, source_ids, self._policy, self._where)
            return found.get(question, {})

        return await self._look_up(find)

    async def search(
        self,
        question: str,
        vector: Vector,
        source_ids: Sequence[UUID],
        k: int | None = None,
        period: AskedPeriod | None = None,
    ) -> dict[UUID, list[RetrievedPassage]]:
        """The best `k` passages of each source, by default CREDENCE_PASSAGES_PER_SOURCE; of a period if there are."""
        k = self._runtime.settings.passages_per_source if k is None else k

        async def nearest(session: AsyncSession) -> dict[UUID, list[RetrievedPassage]]:
            where = await within_period(session, self._corpus, period, self._where)
            return await top_passages(session, self._corpus, source_ids, question, vector, k, where)

        return await self._look_up(nearest)

    async def read_passages(
        self, question: str, passages: Mapping[Key, Sequence[RetrievedPassage]]
    ) -> dict[Key, SourceReading]:
        """One aligned reading for each list of passages, and the titles above. A reading that fails has status FAILED.

        Raises `ReaderLost` if every new reading failed, and `BudgetSpent` if there was no budget for any.
        """
        searched = {key: with_titles(ranked) for key, ranked in passages.items() if ranked}
        texts = list(map(PassageTexts.of, searched.values()))
        source_ids = [ranked[0].source_id for ranked in searched.values()]
        reader = self._reader_for(question)
        readings = dict(zip(searched, await reader.read_all(question, texts, source_ids), strict=True))
        _require_success(readings.values())
        confirmed = await self._confirmed_misreadings()
        joins = await self.joins_of(question)
        return {
            key: without_misreading(
                question,
                source_reading(question, readings[key], searched[key], self._policy, joins),
                confirmed,
            )
            if key in searched
            else SourceReading(ReadingStatus.NO_PASSAGES)
            for key in passages
        }

    async def joins_of(self, question: str) -> Joins:
        """The answers to the question that people joined, looked up once."""
        if question not in self._joins:
            find = partial(joins_of, corpus=self._corpus, questions=[question])
            self._joins[question] = (await self._look_up(find)).get(question, NO_JOINS)
        return self._joins[question]

    async def _confirmed_misreadings(self) -> Set[UUID]:
        """The confirmed misreadings of the corpus, looked up once."""
        if self._confirmed is None:
            self._confirmed = await self._look_up(partial(confirmed_misreadings, corpus=self._corpus))
        return self._confirmed

    async def _look_up(self, find: Callable[[AsyncSession], Awaitable[Found]]) -> Found:
        if self._interactive:
            return await self._runtime.database.read(find)
        async with self._runtime.database.begin() as session:
            return await find(session)

    def _reader_for(self, question: str) -> CachedReader:
        reader, runtime = self._runtime.reader_for(question), self._runtime
        if reader.name not in self._readers:
            slots = runtime.reading_slots if self._interactive else runtime.background_slots
            self._readers[reader.name] = CachedReader(
                reader, runtime.database, self._corpus.id, slots, may_lag=self._interactive
            )
        return self._readers[reader.name]


async def stated_readings(
    session: AsyncSession,
    corpus: Corpus,
    asked: Mapping[str, Vector],
    source_ids: Collection[UUID],
    policy: ClassPolicy,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[str, dict[UUID, SourceReading]]:
    """The statements of sources as data, by question and source: an imported vote on the query with this text, else the
    value that a document states, if the query is made of such values.

    The questions are given with their embeddings; `where` restricts the documents, and the votes by their dates.
    """
    found = await find_values(session, corpus, asked, source_ids, where)
    cast = await find_votes(session, corpus, asked, source_ids, where.viewer)
    answered = found.keys() | cast.keys()
    joins = await joins_of(session, corpus, answered) if answered else {}
    stated: dict[str, dict[UUID, SourceReading]] = {}
    for question in answered:
        of_question = joins.get(question, NO_JOINS)
        stated[question] = {
            source_id: _stated_reading(question, value, policy, of_question)
            for source_id, value in found.get(question, {}).items()
        } | {
            vote.source_id: imported_reading(question, vote, policy, of_question)
            for vote in cast.get(question, ())
            if where.allows(vote.at)
        }
    return stated


def imported_reading(question: str | None, vote: Vote, policy: ClassPolicy, joins: Joins = NO_JOINS) -> SourceReading:
    """An imported vote; its class depends on the question, where the query is one."""
    key = joins.key_of(vote.answer, policy, question)
    return SourceReading(
        ReadingStatus.ANSWERED, key, vote.answer, confidence=1.0, stated=True, imported=True, voted_at=vote.at
    )


def _stated_reading(question: str, found: FoundValue, policy: ClassPolicy, joins: Joins) -> SourceReading:
    """A value is certain to be what its source says; one such as `unknown` is an abstention."""
    alignment = align(found.value, [found.value])
    answer, content = alignment.answer, found.passage.content
    label = find_quote(content, found.label)
    after = label.end if label else 0
    quote = find_quote(content[after:], found.value)
    return SourceReading(
        _STATUS[alignment.reason],
        joins.key_of(answer, policy, question) if answer else None,
        answer,
        (found.passage,),
        Location(0, after + quote.start, after + quote.end) if answer and quote else None,
        1.0,
        stated=True,
    )


def source_reading(
    question: str,
    reading: Reading | ModelError,
    passages: tuple[RetrievedPassage, ...],
    policy: ClassPolicy,
    joins: Joins = NO_JOINS,
) -> SourceReading:
    """The reading of a question, aligned with the passages it was made from and classified."""
    if isinstance(reading, ModelError):
        return SourceReading(ReadingStatus.FAILED, passages=passages, error=reading)
    alignment = align(reading.answer, [passage.content for passage in passages])
    answer = reading.answer if alignment.reason is AlignmentReason.ALIGNED else None
    return SourceReading(
        _STATUS[alignment.reason],
        joins.key_of(answer, policy, question) if answer else None,
        reading.answer,
        passages,
        reading.location,
        reading.confidence,
        alignment.score,
        reading.usage,
        reading.cached,
        reason=reading.reason if alignment.reason is AlignmentReason.ABSTAINED else None,
    )


def without_misreading(question: str, reading: SourceReading, confirmed: Set[UUID]) -> SourceReading:
    """The reading, without a vote where it is a confirmed misreading."""
    if not confirmed or reading.answer_key is None or reading_id(question, reading) not in confirmed:
        return reading
    return replace(reading, status=ReadingStatus.MISREAD, answer_key=None)


def _require_success(readings: Collection[Reading | ModelError]) -> None:
    errors = [reading for reading in readings if isinstance(reading, ModelError)]
    made = [reading for reading in readings if isinstance(reading, ModelError) or not reading.cached]
    if not errors or len(errors) < len(made):
        return
    if isinstance(errors[0], BudgetSpent):
        raise errors[0]
    if isinstance(errors[0], ModelUnavailable | ModelRefused):
        raise ReaderLost(errors[0]) from errors[0]
