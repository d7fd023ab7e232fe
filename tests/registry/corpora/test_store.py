"""Corpora in the database."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.schemas import TextSearch


async def test_every_text_search_is_one_that_postgres_has(session: AsyncSession) -> None:
    languages = set((await session.scalars(text("SELECT cfgname FROM pg_ts_config"))).all())
    assert {language.value for language in TextSearch} <= languages
