"""Corpora: namespaces of sources that answer the same kind of question."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.paging import Page, paginate
from registry.errors import Conflict, NotFound
from registry.inputs.texts import Description, Input, is_storable
from registry.models import Corpus
from registry.store import events
from registry.store.sources import delete_passages_of_corpus

DEFAULT = "default"


class TextSearch(StrEnum):
    """The language whose words Postgres folds to stems; `simple` folds none."""

    SIMPLE = "simple"
    ARABIC = "arabic"
    ARMENIAN = "armenian"
    BASQUE = "basque"
    CATALAN = "catalan"
    DANISH = "danish"
    DUTCH = "dutch"
    ENGLISH = "english"
    FINNISH = "finnish"
    FRENCH = "french"
    GERMAN = "german"
    GREEK = "greek"
    HINDI = "hindi"
    HUNGARIAN = "hungarian"
    INDONESIAN = "indonesian"
    IRISH = "irish"
    ITALIAN = "italian"
    LITHUANIAN = "lithuanian"
    NEPALI = "nepali"
    NORWEGIAN = "norwegian"
    PORTUGUESE = "portuguese"
    ROMANIAN = "romanian"
    RUSSIAN = "russian"
    SERBIAN = "serbian"
    SPANISH = "spanish"
    SWEDISH = "swedish"
    TAMIL = "tamil"
    TURKISH = "turkish"
    YIDDISH = "yiddish"


class CorpusInput(Input):
    """A new corpus."""

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,62}$", examples=["press"])]
    """Part of its URLs: small letters, digits, `-` and `_`."""
    description: Description = ""
    """What it is about."""
    text_search: TextSearch = TextSearch.ENGLISH
    """The language of its full-text search; fixed once it exists."""


class CorpusPatch(Input):
    """What to change; what is left out stays."""

    description: Description | None = None
    """What it is about."""


async def create(session: AsyncSession, given: CorpusInput) -> Corpus:
    """A new corpus; raises `Conflict` if there is one of that name."""
    corpus = Corpus(**given.model_dump(mode="json"))
    try:
        async with session.begin_nested():
            session.add(corpus)
    except IntegrityError as error:
        raise Conflict(
            f"There already is a corpus named {given.name!r}.", location=f"/v1/corpora/{given.name}"
        ) from error
    return corpus


async def get(session: AsyncSession, name: str) -> Corpus:
    """The corpus of that name; raises `NotFound`."""
    corpus = await session.scalar(select(Corpus).where(Corpus.name == name)) if is_storable(name) else None
    if corpus is None:
        raise NotFound("corpus", name)
    return corpus


async def get_by_id(session: AsyncSession, corpus_id: UUID) -> Corpus:
    """The corpus with that identifier, as keys name it; raises `NotFound`."""
    corpus = await session.get(Corpus, corpus_id)
    if corpus is None:
        raise NotFound("corpus", corpus_id)
    return corpus


async def page(session: AsyncSession, *, cursor: str | None, limit: int) -> Page[Corpus]:
    """All corpora."""
    return await paginate(session, select(Corpus), Corpus.id, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, patch: CorpusPatch) -> Corpus:
    """Change what may be changed."""
    corpus = await get(session, corpus.name)
    if patch.description is not None:
        corpus.description = patch.description
    await session.flush()
    await session.refresh(corpus)
    return corpus


async def delete(session: AsyncSession, corpus: Corpus) -> None:
    """Delete a corpus with all that is in it; raises `Conflict` for the default one and while it is estimated."""
    if corpus.name == DEFAULT:
        raise Conflict("The default corpus always exists; delete its sources instead.")
    found = await session.get(Corpus, corpus.id, with_for_update=True)
    if found is None:
        raise NotFound("corpus", corpus.name)
    await delete_passages_of_corpus(session, corpus)
    await events.forget_corpus(session, corpus.id)
    await session.delete(found)
    await session.flush()
