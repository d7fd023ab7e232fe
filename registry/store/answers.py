"""Answers in the database."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.paging import Page
from registry.models import AnswerRecord, Corpus
from registry.store.rows import get_row, page_of_rows


async def get(session: AsyncSession, corpus: Corpus, answer_id: UUID) -> AnswerRecord:
    """An answer of the corpus; raises `NotFound`."""
    return await get_row(session, AnswerRecord, corpus, answer_id)


async def page(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, newest_first: bool = False
) -> Page[AnswerRecord]:
    """The answers of the corpus, oldest first unless `newest_first`."""
    return await page_of_rows(session, AnswerRecord, corpus, cursor=cursor, limit=limit, newest_first=newest_first)
