"""The spending of API keys and corpora today, and what they store."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TypeAlias
from uuid import UUID

from sqlalchemy import and_, func, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus, CorpusQuestions
from registry.documents.model import Document
from registry.keys.model import ApiKey, KeySpending
from registry.keys.schemas import Spending, Stored
from registry.sources.model import Source

Owner: TypeAlias = ApiKey | Corpus


@dataclass(frozen=True, slots=True)
class CorpusUsage:
    """The use of a corpus: what it stores, and questions today if they are limited."""

    stored: Stored
    questions: int


async def count_call(session: AsyncSession, key_id: UUID, *, max_calls: int | None, max_tokens: int | None) -> bool:
    """Add one call to today's spending and return True, or return False if a limit is reached; None is no limit."""
    if max_calls == 0 or max_tokens == 0:
        return False
    limits = ((KeySpending.model_calls, max_calls), (KeySpending.tokens, max_tokens))
    statement = insert(KeySpending).values(key_id=key_id, day=today(), model_calls=1, tokens=0)
    # Whether a call is left and that it is taken is one statement, so that concurrent requests cannot take it twice.
    statement = statement.on_conflict_do_update(
        index_elements=[KeySpending.key_id, KeySpending.day],
        set_={"model_calls": KeySpending.model_calls + 1},
        where=and_(true(), *(spent < limit for spent, limit in limits if limit is not None)),
    )
    return await session.scalar(statement.returning(KeySpending.key_id)) is not None


async def count_tokens(session: AsyncSession, key_id: UUID, tokens: int) -> None:
    """Add tokens to today's spending."""
    statement = insert(KeySpending).values(key_id=key_id, day=today(), model_calls=0, tokens=tokens)
    await session.execute(
        statement.on_conflict_do_update(
            index_elements=[KeySpending.key_id, KeySpending.day], set_={"tokens": KeySpending.tokens + tokens}
        )
    )


async def spent_today(session: AsyncSession, key_ids: Collection[UUID]) -> Mapping[UUID, Spending]:
    rows = select(KeySpending).where(KeySpending.key_id.in_(key_ids), KeySpending.day == today())
    return {row.key_id: Spending.model_validate(row) for row in await session.scalars(rows)}


def today() -> date:
    """The day in UTC, from whose midnight on daily limits count."""
    return datetime.now(UTC).date()


async def count_question(session: AsyncSession, owner: Owner, limit: int) -> bool:
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


async def stored(session: AsyncSession, owner: Owner) -> Stored:
    """The condition on rows that a corpus stores, or that a key wrote last."""
    sums = select(func.count(), func.coalesce(func.sum(Document.size), 0)).select_from(Document)
    if isinstance(owner, ApiKey):
        sums = sums.where(Document.key_id == owner.id)
    else:
        sums = sums.join(Source, Source.id == Document.source_id).where(Source.corpus_id == owner.id)
    documents, size = (await session.execute(sums)).one()
    return Stored(documents=documents, bytes=int(size))


async def usage_of_corpora(session: AsyncSession) -> dict[UUID, CorpusUsage]:
    sums = (
        select(Corpus.id, func.count(Document.id), func.coalesce(func.sum(Document.size), 0), CorpusQuestions.questions)
        .outerjoin(Source, Source.corpus_id == Corpus.id)
        .outerjoin(Document, Document.source_id == Source.id)
        .outerjoin(CorpusQuestions, and_(CorpusQuestions.corpus_id == Corpus.id, CorpusQuestions.day == today()))
        .group_by(Corpus.id, CorpusQuestions.questions)
    )
    return {
        corpus_id: CorpusUsage(Stored(documents=documents, bytes=int(size)), questions or 0)
        for corpus_id, documents, size, questions in await session.execute(sums)
    }
