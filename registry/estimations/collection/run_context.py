"""A run that goes on, as each process that works on it reads it."""

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from math import ceil
from pathlib import Path
from uuid import UUID

import answering
import registry
from answering.equivalence import NO_JOINS, ClassPolicy, Joins, answer_key
from answering.questions.asked_period import AskedPeriod, asked_period
from answering.readers import ChatReader
from answering.voting import ReadingStatus, SourceReading, class_keys
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunPiece, Vote
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store import collection
from registry.estimations.store.collection import add_queries, source_ids_of
from registry.passages.schemas import Vector
from registry.platform.database.base import AsyncSession
from registry.platform.digest import digest
from registry.queries.model import Query
from registry.queries.store import added_at, joined_answers
from registry.readings.service import imported_reading, reading_id
from registry.runtime import Runtime
from registry.votes import store as imported_votes
from registry.votes.store import VotedQuery

# A piece takes seconds, so that a stop waits for few readings.
READINGS = 200
# Each piece is at most this part of the queries that are left, so that the first ones cost little beside their readings
# and the last ones, of one query, end at about the same time: guided self-scheduling (Polychronopoulos and Kuck 1987,
# doi:10.1109/TC.1987.5009495), for some tens of workers. Eight workers that made 5,000 readings in 40 s were all busy
# until the last three seconds; with 125 pieces of one size, until the last seven.
PART_LEFT = 1 / 64
# Of queries that are carried over: what a piece costs beside its readings is more than these.
REUSED_READINGS = 20_000
# What votes are made by. Another version searches and reads anew, so that nobody needs to say what it changed.
CODE = (answering, registry)
# Queries whose votes are copied in one transaction: a stop or a crash loses no more.
BATCH_QUERIES = 5_000


@dataclass(frozen=True, slots=True)
class RunContext:
    """A run that goes on, and what it reads."""

    id: UUID
    corpus: Corpus
    parameters: EstimationParameters
    source_ids: Sequence[UUID]
    began: datetime
    """Documents stored later are left to the next run, so that no source counts for a part of the queries only."""
    carried_from: UUID | None = None
    """The run of which votes are carried over."""


async def run_context(session: AsyncSession, run: EstimationRun) -> RunContext:
    """The context from the row of the run; it has no sources until the queries are cut."""
    corpus = await session.get_one(Corpus, run.corpus_id)
    source_ids = await source_ids_of(session, run)
    parameters = EstimationParameters.model_validate(run.parameters)
    began = run.started_at or run.created_at
    return RunContext(run.id, corpus, parameters, source_ids, began, run.carried_from)


def conditions(runtime: Runtime, parameters: EstimationParameters) -> bytes:
    """A digest of what votes depend on beside sources and queries. Raises `SettingsError` without a reader."""
    settings, reader = runtime.settings, runtime.require_reader()
    # Of questions in languages that the reader does not know.
    other = ChatReader(runtime.chat) if runtime.chat is not None else reader
    parts = (
        reader.name,
        reader.prompt_hash,
        other.name,
        other.prompt_hash,
        settings.reader,
        settings.reader_screened,
        runtime.embedder.name,
        settings.passages_per_source,
        parameters.class_policy,
        parameters.candidates_only,
        _code(),
    )
    return digest(*map(str, parts))


def cut(
    run_id: UUID,
    queries: Sequence[Query],
    source_count: int,
    *,
    readings: int = READINGS,
    part_left: float = PART_LEFT,
) -> list[RunPiece]:
    """The pieces of a run, the largest first; queries of one text are in one piece, so that the second one finds its
    readings.

    A query has `source_count` readings, a piece at most about `readings`.
    """
    by_text: dict[str, dict[str, str]] = {}
    for query in queries:
        by_text.setdefault(query.text, {})[str(query.id)] = query.text
    groups = list(by_text.values())
    most = max(1, readings // max(source_count, 1))
    pieces, start = list[RunPiece](), 0
    while left := len(groups) - start:
        end = start + min(most, ceil(left * part_left))
        pieces.append(RunPiece(estimation_id=run_id, queries=dict(ChainMap(*groups[start:end]))))
        start = end
    return pieces


def code_files() -> list[Path]:
    return sorted(path for package in CODE for path in Path(package.__path__[0]).rglob("*.py"))


@cache
def _code() -> str:
    """A digest of the source of `CODE`."""
    return digest(*(path.read_text(encoding="utf-8") for path in code_files())).hex()


@dataclass(frozen=True, slots=True)
class AskedQuery:
    id: UUID
    text: str
    vector: Vector
    period: AskedPeriod | None = None
    """The period that it asks about, counted from when it was added."""


@dataclass(frozen=True, slots=True)
class CollectedQuery:
    """A query with its readings and their answer classes."""

    query: AskedQuery
    readings: Mapping[UUID, SourceReading]
    keys: Mapping[UUID, str]


async def write_votes(session: AsyncSession, run: RunContext, collected: Sequence[CollectedQuery]) -> dict[str, int]:
    """Write the votes on queries that have none; returns what to add to the counts of the run: nothing if all had
    votes, by a worker that was taken for dead.
    """
    by_id = {each.query.id: each for each in collected}
    counted = {query_id: (each.query.text, len(each.keys)) for query_id, each in by_id.items()}
    added = {query_id: by_id[query_id] for query_id in await add_queries(session, run.id, counted)}
    if not added:
        return {}
    session.add_all(
        _vote(run.id, each.query, source_id, reading, each.keys.get(source_id))
        for each in added.values()
        for source_id, reading in each.readings.items()
        if reading.status is not ReadingStatus.NO_PASSAGES
    )
    readings = [reading for each in added.values() for reading in each.readings.values()]
    read = sum(reading.status is not ReadingStatus.NO_PASSAGES and not reading.stated for reading in readings)
    failed = sum(reading.error is not None for reading in readings)
    cached = sum(reading.cached for reading in readings)
    return {
        "queries_collected": len(added),
        "readings_made": read - failed - cached,
        "readings_cached": cached,
        "readings_failed": failed,
        "votes_total": sum(len(each.keys) for each in added.values()),
    }


def _vote(run_id: UUID, query: AskedQuery, source_id: UUID, reading: SourceReading, key: str | None) -> Vote:
    return Vote(
        estimation_id=run_id,
        query_id=query.id,
        source_id=source_id,
        status=reading.status,
        answer=reading.answer,
        answer_key=key,
        alignment=reading.alignment,
        confidence=reading.confidence if key is not None else None,
        stated=reading.stated,
        imported=reading.imported,
        reading_id=reading_id(query.text, reading),
        document_ids=list(reading.document_ids),
        published_at=reading.published_at if key is not None else None,
    )


async def periods_of(
    session: AsyncSession, run: RunContext, queries: Sequence[tuple[UUID, str]]
) -> Mapping[UUID, AskedPeriod | None]:
    """The periods that queries ask about, of those that do, counted from when each was added."""
    if run.parameters.paper:
        return {}
    naming = {query_id: query for query_id, query in queries if asked_period(query, run.began)}
    added = await added_at(session, naming) if naming else {}
    return {query_id: asked_period(naming[query_id], time) for query_id, time in added.items()}


async def copy_votes(session: AsyncSession, run: RunContext, queries: Sequence[VotedQuery]) -> dict[str, int]:
    """Copy the imported votes on those of the queries that the run does not have yet; returns the added counts."""
    votes = await imported_votes.of_queries(session, [query.id for query in queries], run.source_ids)
    # Of all queries: people join few.
    joined = await joined_answers.of_questions(session, run.corpus)
    joins = {query.id: joined[query.text] for query in queries if query.text in joined}
    counted = {query.id: (query.text, len(votes.get(query.id, ()))) for query in queries}
    new = await collection.add_queries(session, run.id, counted)
    rows = (
        row
        for query_id in sorted(new)
        for row in _rows(run, query_id, votes.get(query_id, ()), joins.get(query_id, NO_JOINS))
    )
    count = await collection.copy_imported(session, rows)
    return {"queries_collected": len(new), "votes_total": count}


def _rows(
    run: RunContext, query_id: UUID, votes: Sequence[imported_votes.Vote], joins: Joins
) -> Iterator[tuple[object, ...]]:
    policy = run.parameters.class_policy
    keys = _keys(votes, policy, joins)
    for vote in votes:
        key = keys[vote.source_id]
        yield (
            run.id, query_id, vote.source_id, ReadingStatus.ANSWERED.value, vote.answer, key, True, True, "[]", vote.at
        )  # fmt: skip


def _keys(votes: Sequence[imported_votes.Vote], policy: ClassPolicy, joins: Joins) -> Mapping[UUID, str]:
    """The classes of answers; under some policies they depend on all of them."""
    if not policy.joins_keys:
        return {vote.source_id: joins.joined(answer_key(vote.answer, policy), policy) for vote in votes}
    readings: dict[UUID, SourceReading] = {
        vote.source_id: imported_reading(None, vote, policy, joins) for vote in votes
    }
    return class_keys(readings, policy)
