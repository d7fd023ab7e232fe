"""Votes carried over: a run takes from an earlier one all votes on the queries of both, where none can have changed.

A vote depends on the text of the query, on the documents of the sources (`corpus_state`), and on what `conditions` is a
digest of. Where any document or source changed, every query is searched and read again; readings of the same passages
are kept, so that this costs the searches.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, exists, func, literal, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.sql.elements import CollectionAggregate

from answering.readers import ChatReader
from answering.voting import ReadingStatus
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun, RunQuery, Vote
from registry.estimations.schemas import EstimationParameters
from registry.estimations.votes import LONG_TIMEOUT
from registry.platform.enums import RunStatus
from registry.readings.model import MisreadingVerdict
from registry.readings.store import digest
from registry.runtime import Runtime
from registry.votes.model import ImportedVote

# A number of every active source that changes with the source and with the times of its documents. A document that is
# replaced has a new time; one that was committed late, after a run had begun, changes the number too.
SOURCE_STATES = text(
    """
    SELECT sources.id,
           CAST((hashfloat8extended(date_part('epoch', sources.updated_at), 1)
                 + coalesce(sum(hashfloat8extended(date_part('epoch', documents.updated_at), 0)), 0))
                % 4611686018427387904 AS bigint)
    FROM sources
    LEFT JOIN documents ON documents.source_id = sources.id AND documents.updated_at <= :began
    WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
    GROUP BY sources.id ORDER BY sources.id
    """
)
# The columns of a vote but those of its run.
COPIED = [column.name for column in Vote.__table__.columns if column.name not in {"estimation_id", "misread"}]
# What votes are made by. Another version searches and reads anew, so that nobody needs to say what it changed.
CODE = ("answering", "registry")


@dataclass(frozen=True, slots=True)
class CarriedQueries:
    """Queries that were carried over, and how many readings and votes they have."""

    query_ids: Collection[UUID]
    readings: int
    votes: int


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
        settings.alignment_threshold,
        parameters.class_policy,
        parameters.candidates_only,
        _code(),
    )
    return digest(*map(str, parts))


async def corpus_state(session: AsyncSession, corpus: Corpus, began: datetime) -> tuple[list[UUID], bytes]:
    """The active sources in the order of ids, and a digest that changes with them and their documents until `began`."""
    await session.execute(text(LONG_TIMEOUT))
    rows = (await session.execute(SOURCE_STATES, {"corpus_id": corpus.id, "began": began})).all()
    return [source_id for source_id, _ in rows], digest(*(f"{source_id} {state}" for source_id, state in rows))


async def carried_from(session: AsyncSession, run: EstimationRun) -> UUID | None:
    """The newest succeeded run of the corpus in this state and under these conditions, if there is one."""
    runs = select(EstimationRun.id).where(
        EstimationRun.corpus_id == run.corpus_id,
        EstimationRun.status == RunStatus.SUCCEEDED,
        EstimationRun.conditions == run.conditions,
        EstimationRun.corpus_state == run.corpus_state,
    )
    return (await session.scalars(runs.order_by(EstimationRun.id.desc()).limit(1))).one_or_none()


async def known_queries(session: AsyncSession, earlier: UUID, queries: Mapping[UUID, str]) -> set[UUID]:
    """Those of the queries, given with their texts, that the earlier run read with this text and without failures."""
    vote = aliased(Vote)
    # Failures are tried again, and what people say of readings may have changed, and imported votes.
    open_to_change = exists().where(
        vote.estimation_id == RunQuery.estimation_id,
        vote.query_id == RunQuery.query_id,
        vote.status.in_([ReadingStatus.FAILED, ReadingStatus.MISREAD]),
    )
    of_run = select(EstimationRun.corpus_id).where(EstimationRun.id == earlier).scalar_subquery()
    judged = select(MisreadingVerdict.question).where(MisreadingVerdict.corpus_id == of_run)
    rows = select(RunQuery.query_id, RunQuery.query_text).where(
        RunQuery.estimation_id == earlier,
        RunQuery.query_id == _any(queries),
        RunQuery.query_text.not_in(judged),
        ~exists().where(ImportedVote.query_id == RunQuery.query_id),
        ~open_to_change,
    )
    return {query_id for query_id, query in await session.execute(rows) if queries[query_id] == query}


async def carry_queries(
    session: AsyncSession, run_id: UUID, earlier: UUID, queries: Mapping[UUID, str]
) -> CarriedQueries:
    """Take over all votes on those of the queries that are known; those that the run has already are left out."""
    known = await known_queries(session, earlier, queries)
    counted = (
        select(Vote.query_id, func.count(), func.count(Vote.answer_key))
        .where(Vote.estimation_id == earlier, Vote.query_id == _any(known))
        .group_by(Vote.query_id)
    )
    counts = {query_id: (readings, votes) for query_id, readings, votes in await session.execute(counted)}
    rows = [
        {
            "estimation_id": run_id,
            "query_id": query_id,
            "query_text": queries[query_id],
            "vote_count": counts.get(query_id, (0, 0))[1],
        }
        for query_id in sorted(known)
    ]
    if not rows:
        return CarriedQueries((), 0, 0)
    added = insert(RunQuery).on_conflict_do_nothing().returning(RunQuery.query_id)
    query_ids = frozenset(await session.scalars(added, rows))
    copied = select(literal(run_id, Uuid), *(Vote.__table__.columns[name] for name in COPIED)).where(
        Vote.estimation_id == earlier, Vote.query_id == _any(query_ids)
    )
    await session.execute(insert(Vote).from_select(["estimation_id", *COPIED], copied))
    readings, votes = (sum(counts.get(query_id, (0, 0))[part] for query_id in query_ids) for part in (0, 1))
    return CarriedQueries(query_ids, readings, votes)


def _any(identifiers: Collection[UUID]) -> CollectionAggregate[bool]:
    """As one parameter, however many they are."""
    return any_(literal(list(identifiers), ARRAY(Uuid)))


@cache
def _code() -> str:
    """A digest of the source of `CODE`."""
    root = Path(__file__).parents[2]
    files = sorted(path for package in CODE for path in (root / package).rglob("*.py"))
    return digest(*(path.read_text(encoding="utf-8") for path in files)).hex()
