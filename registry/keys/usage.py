"""Quotas of API keys and corpora on questions a day and on what is stored, which hold over all processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus, CorpusQuestions
from registry.documents.model import Document
from registry.keys.model import ApiKey, KeySpending
from registry.keys.quotas import seconds_to_midnight
from registry.keys.store import Spending, spent_today, today
from registry.platform.database.locks import lock_in_transaction
from registry.platform.errors import DailyLimitReached, QuotaExceeded
from registry.sources.model import Source

Owner: TypeAlias = ApiKey | Corpus


@dataclass(frozen=True, slots=True)
class Stored:
    """Documents that are stored, and the bytes of their texts in UTF-8."""

    documents: int
    bytes: int


async def take_question(session: AsyncSession, corpus: Corpus, key_id: UUID | None) -> None:
    """Count a question against the limits of its key and corpus; raises `DailyLimitReached` if one is reached."""
    for owner in await _owners(session, corpus, key_id):
        if owner.daily_questions is not None and not await _count(session, owner, owner.daily_questions):
            raise DailyLimitReached(
                f"{_named(owner)} may ask {owner.daily_questions:,} questions a day and has asked them; the next day "
                "begins at midnight UTC. An operator can raise `daily_questions`.",
                retry_after=seconds_to_midnight(),
            )


async def require_room(session: AsyncSession, corpus: Corpus, key_id: UUID | None) -> None:
    """Raise `QuotaExceeded` if more is stored than the key or the corpus may, with what this transaction wrote.

    From here on other transactions under the same quota wait until this one ends.
    """
    for owner in await _owners(session, corpus, key_id):
        if not _has(owner.max_documents, owner.max_stored_bytes):
            continue
        await lock_in_transaction(session, f"stored:{owner.id}")
        now = await stored(session, owner)
        for used, most, unit in (
            (now.documents, owner.max_documents, "documents"),
            (now.bytes, owner.max_stored_bytes, "bytes"),
        ):
            if most is not None and used > most:
                raise QuotaExceeded(
                    f"{_named(owner)} may store {most:,} {unit}, and would store {used:,} with this. Delete documents, "
                    f"or have an operator raise the quota."
                )


async def stored(session: AsyncSession, owner: Owner) -> Stored:
    """What a corpus stores, or what a key wrote last of what is stored."""
    sums = select(func.count(), func.coalesce(func.sum(Document.size), 0)).select_from(Document)
    if isinstance(owner, ApiKey):
        sums = sums.where(Document.key_id == owner.id)
    else:
        sums = sums.join(Source, Source.id == Document.source_id).where(Source.corpus_id == owner.id)
    documents, size = (await session.execute(sums)).one()
    return Stored(documents, int(size))


async def _owners(session: AsyncSession, corpus: Corpus, key_id: UUID | None) -> list[Owner]:
    """Whose quotas count, as they are now."""
    key = None if key_id is None else await session.get(ApiKey, key_id)
    rows: list[Owner | None] = [key, await session.get(Corpus, corpus.id)]
    return [row for row in rows if row is not None]


async def _count(session: AsyncSession, owner: Owner, limit: int) -> bool:
    """Count a question of today and return True, or return False if the limit is reached."""
    if limit == 0:
        return False
    is_key = isinstance(owner, ApiKey)
    table, column = (KeySpending, KeySpending.key_id) if is_key else (CorpusQuestions, CorpusQuestions.corpus_id)
    # Whether a question is left and that it is taken is one statement, so that processes cannot both take the last.
    statement = (
        insert(table)
        .values({column.key: owner.id, "day": today(), "questions": 1})
        .on_conflict_do_update(
            index_elements=[column, table.day],
            set_={"questions": table.questions + 1},
            where=table.questions < limit,
        )
    )
    return await session.scalar(statement.returning(table.questions)) is not None


def _named(owner: Owner) -> str:
    return f"The {'API key' if isinstance(owner, ApiKey) else 'corpus'} {owner.name!r}"


@dataclass(frozen=True, slots=True)
class CorpusUsage:
    """What a corpus stores and was asked today; questions are counted where they are limited."""

    stored: Stored
    questions: int


async def usage_of_corpora(session: AsyncSession) -> dict[UUID, CorpusUsage]:
    """What every corpus uses."""
    sums = (
        select(Corpus.id, func.count(Document.id), func.coalesce(func.sum(Document.size), 0), CorpusQuestions.questions)
        .outerjoin(Source, Source.corpus_id == Corpus.id)
        .outerjoin(Document, Document.source_id == Source.id)
        .outerjoin(CorpusQuestions, and_(CorpusQuestions.corpus_id == Corpus.id, CorpusQuestions.day == today()))
        .group_by(Corpus.id, CorpusQuestions.questions)
    )
    return {
        corpus_id: CorpusUsage(Stored(documents, int(size)), questions or 0)
        for corpus_id, documents, size, questions in await session.execute(sums)
    }


async def database_bytes(session: AsyncSession) -> int:
    """The size of the whole database with its indexes."""
    return await session.scalar(select(func.pg_database_size(func.current_database()))) or 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a key has spent today and stores, each None where it has no such limit."""

    spent: Spending | None = None
    stored: Stored | None = None


async def usage_of(session: AsyncSession, keys: Sequence[ApiKey]) -> list[Usage]:
    """What these keys use of their limits."""
    spent = await spent_today(session, [key.id for key in keys])
    return [
        Usage(
            spent.get(key.id, Spending())
            if _has(key.daily_model_calls, key.daily_tokens, key.daily_questions)
            else None,
            await stored(session, key) if _has(key.max_documents, key.max_stored_bytes) else None,
        )
        for key in keys
    ]


def _has(*limits: int | None) -> bool:
    return any(limit is not None for limit in limits)
