"""The evidence of a question (RA-RAG section 3.4, arXiv:2410.22954): sources, their readings, and the vote of these.

Reliabilities and the sources worth reading are looked up at the same time, in transactions of their own: a source that
is added between them is not asked.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, zip_longest
from uuid import UUID

from answering.equivalence import Joins, listed_items
from answering.parameters import DEFAULT_KAPPA
from answering.passages import RetrievedPassage
from answering.questions.answer_type import content_words
from answering.questions.named_text import NamedText
from answering.questions.names import question_names
from answering.readers import asks_for_several
from answering.readers.subject_check import is_name
from answering.readers.yes_no import asks_yes_or_no
from answering.voting import (
    CastVote,
    Certificate,
    Count,
    Electorate,
    ListedVote,
    Selection,
    SourceReading,
    VoteResult,
    certify,
)
from registry.answers.held_vote import HeldVote, candidates_alone, hold_vote
from registry.answers.question import QuestionContext
from registry.answers.schemas import AnswerParameters, Strategy
from registry.passages.schemas import PassageFilter, Vector
from registry.passages.store import candidate_sources, within_period
from registry.platform.concurrency import both
from registry.platform.database.base import AsyncSession
from registry.platform.errors import Conflict
from registry.readings.service import MAX_CANDIDATES, SourceReader
from registry.readings.store import find_values
from registry.sources.reliabilities import Reliabilities, SourceReliability, current_reliabilities
from registry.sources.store.estimates import count_active, count_newer, topic_of_question, turned_share


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


async def _look_up(context: QuestionContext, where: PassageFilter, vector: Vector) -> Known:
    read, relevance = context.runtime.database.read, None
    if (period := context.period) is not None:
        where = await read(partial(within_period, corpus=context.corpus, period=period, where=where))
    active = await read(partial(count_active, corpus=context.corpus, source_ids=where.source_ids))
    look_up_reliabilities = read(partial(_reliabilities, context, vector))
    if candidates_alone(context.parameters, active):
        search = read(partial(_search, context, vector, where))
        # The search first: to take in the rows of a thousand sources keeps this process busy before it is on its way.
        relevance, (reliabilities, newer_documents, turned) = await both(search, look_up_reliabilities)
    else:
        reliabilities, newer_documents, turned = await look_up_reliabilities
    return Known(reliabilities.of_sources(where.source_ids), newer_documents, turned, where, relevance)


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


@dataclass(frozen=True, slots=True)
class Evidence:
    """The vote on a question and what it rests on; made once, by `gather_evidence`."""

    known: Known
    sources: Mapping[UUID, SourceReliability]
    """All active sources by identifier."""
    selection: Selection[UUID]
    count: Count[UUID]
    """The votes of the selected sources, counted."""
    listed: ListedVote[UUID] | None
    """The vote on each item, if the question asks for several and sources give lists."""
    vote: VoteResult[UUID]
    """The result, of lists by their items."""
    probabilities: Mapping[str, float]
    """The probability that each answer, or item of lists, is right."""
    is_capped: bool
    """Whether the probability of the winner is lower because sources that came last carry it."""
    certificate: Certificate[UUID]
    """The fewest sources whose corruption flips the answer, or changes the list."""
    judged: bool
    """Whether the compact reader had its judge decide between yes and no."""
    newer_statement: CastVote[UUID] | None
    """What contradicts the winner of the vote and is newer than all that agree with it."""
    is_of_another_time: bool
    """Whether the question asks about a period, and the winner of the vote was published outside it alone."""
    joins: Joins
    """Answers to the question that people joined."""
    consulted: Mapping[UUID, Sequence[UUID]]
    """Sources whose passages a debate and the ConflictScore read: the selected ones that take part, and of a copy
    group with one answer the first, with the others. Where none answered, those that were read and take part, by
    reliability times relevance, at most kappa."""
    passages: tuple[RetrievedPassage, ...]
    """Passages of the consulted sources: the best one of each, then the second best of each, and so on."""
    subjects: Sequence[str]
    """The titles under which sources give different answers, where the question does not say which it is about."""
    nobody_reliable: bool
    """Whether sources say something, and none of them takes part, or no answer of theirs has a positive weight."""
    copies: Mapping[UUID, tuple[str, ...]]
    """The names of the copies that each consulted source stands for."""


async def gather_evidence(context: QuestionContext, where: PassageFilter) -> Evidence:
    """Select the sources of a question, read them and count their vote.

    Raises `Conflict` if the corpus has no active source, and what `SourceReader.read` raises.
    """
    runtime, parameters, question = context.runtime, context.parameters, context.question
    vector: Vector = (await runtime.embedder.embed([question]))[0]
    known = await _look_up(context, where, vector)
    if not known.reliabilities.sources:
        if where.source_ids:
            raise Conflict("None of these sources is active. Ask others, or make them active again.")
        raise Conflict("This corpus has no active sources to ask. Register some and load their documents.")
    reader = SourceReader(runtime, context.corpus, parameters.class_policy, known.where, interactive=True)
    read = partial(reader.read, question, vector)
    reader_name = runtime.reader_for(question).name
    held = await hold_vote(
        question, reader_name, known.reliabilities, known.relevance, parameters, read, context.period
    )
    joins = await reader.joins_of(question)
    listed = vote_on_items(question, parameters, held.count, joins)
    count = listed.count if listed else held.count
    readings = held.selection.readings
    consulted = _consulted(held, parameters.kappa or DEFAULT_KAPPA)
    ranks = zip_longest(*(readings[source_id].passages for source_id in consulted))
    say = bool(count.ballots) or any(reading.passages for reading in readings.values())
    sources = {source.source_id: source for source in held.reliabilities.sources}
    return Evidence(
        known=replace(known, reliabilities=held.reliabilities),
        sources=sources,
        selection=held.selection,
        count=count,
        listed=listed,
        vote=listed.result if listed else count.vote,
        probabilities=listed.probabilities if listed else held.probabilities,
        is_capped=listed.is_capped if listed else held.is_capped,
        certificate=listed.certificate if listed else certify(count.electorate, count.votes),
        judged=held.judged,
        newer_statement=held.newer_statement,
        is_of_another_time=held.is_of_another_time,
        joins=joins,
        consulted=consulted,
        passages=tuple(passage for rank in ranks for passage in rank if passage is not None),
        nobody_reliable=count.nobody_reliable or (say and not consulted),
        copies={of: tuple(sources[copy].name for copy in copies) for of, copies in consulted.items()},
        subjects=() if parameters.paper else _subjects(question, count.votes, readings),
    )


def _consulted(held: HeldVote, most: int) -> Mapping[UUID, Sequence[UUID]]:
    if held.count.ballots:
        return held.count.participants()
    electorate = held.count.electorate
    ranked = electorate.participants(dict.fromkeys(_most_promising(held.selection, electorate)))
    return dict(islice(ranked.items(), most))


def _most_promising(selection: Selection[UUID], electorate: Electorate[UUID]) -> list[UUID]:
    promise = {
        source_id: electorate.reliability(source_id) * reading.relevance
        for source_id, reading in selection.readings.items()
        if reading.passages
    }
    return sorted(promise, key=lambda source_id: (-promise[source_id], str(source_id)))


def _subjects(question: str, votes: Iterable[CastVote[UUID]], readings: Mapping[UUID, SourceReading]) -> Sequence[str]:
    """The titles under which sources give different answers, where the question names neither one of them nor anything
    else.

    Only titles that are names count: a headline does not say what its page is about. Of 603 inputs about countries this
    leaves five unanswered, none of which says what it is about.
    """
    if asks_yes_or_no(question) or any(map(str.isdigit, question)):
        return ()
    keys: defaultdict[str, set[str]] = defaultdict(set)
    texts = []
    for vote in votes:
        passage = readings[vote.source_id].read_from
        if passage is None:
            return ()
        texts.append(NamedText(passage.content))
        if is_name(NamedText(passage.title)):
            keys[passage.title].add(vote.answer_key)
    asked = content_words(question)
    if len(set().union(*keys.values())) < 2 or question_names(question, texts):
        return ()
    titles = [title for title in keys if asked.isdisjoint(content_words(title))]
    return titles if len(titles) > 1 else ()
