"""Stored answers."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.paging import Page, paginate
from registry.errors import NotFound
from registry.models import AnswerRecord, Corpus


async def get(session: AsyncSession, corpus: Corpus, answer_id: UUID) -> AnswerRecord:
    """One answer of the corpus; raises `NotFound`."""
    record = await session.get(AnswerRecord, answer_id)
    if record is None or record.corpus_id != corpus.id:
        raise NotFound("answer", answer_id)
    return record


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[AnswerRecord]:
    """The answers of the corpus, oldest first."""
    rows = select(AnswerRecord).where(AnswerRecord.corpus_id == corpus.id)
    return await paginate(session, rows, AnswerRecord.id, cursor=cursor, limit=limit)
