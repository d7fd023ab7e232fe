"""Keys that are bound to sources: they make and write these, and change nothing else of their corpus."""

from uuid import UUID

from sqlalchemy import String, cast, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.keys.model import ApiKey, SourceBound
from registry.keys.schemas import Scope
from registry.platform.errors import Forbidden, InvalidInput
from registry.sources.model import Source


async def bound_of(session: AsyncSession, key_id: UUID | None) -> SourceBound | None:
    """What a key is bound to as of now; None where it is not bound, or where there is no key."""
    key = None if key_id is None else await session.get(ApiKey, key_id)
    return None if key is None else key.source_bound


def require_within(bound: SourceBound | None, source: Source) -> None:
    """Raise `Forbidden` for a source that the bound does not hold."""
    if bound is not None and not bound.holds(source.external_id):
        raise Forbidden(bound.refusal(source.external_id))


def require_unbound(bound: SourceBound | None) -> None:
    """Raise `Forbidden` for a bound key, where more is changed than sources and their documents."""
    if bound is not None:
        raise Forbidden(
            "This API key is bound to sources: it may make these and send their documents, and change nothing else. "
            "Use a key that is not bound."
        )


async def bind(session: AsyncSession, corpus: Corpus | None, key: ApiKey) -> None:
    """Check what a new or changed key is bound to, and keep it by external ids, which are unique in a corpus.

    A name that no source has is the external id of a source to come. Raises `InvalidInput` for a name of several
    sources, for the key of an operator, and for scopes that a bound key cannot have.
    """
    if key.source_bound is None:
        return
    if corpus is None:
        raise InvalidInput("Only keys of a corpus can be bound to sources.", field="sources")
    if Scope.ADMIN in key.scopes or Scope.INGEST not in key.scopes:
        raise InvalidInput(
            "A key that is bound to sources has the scope `ingest`, and not `admin`, which would let it loose.",
            field="scopes",
        )
    if key.sources is not None:
        key.sources = sorted([await _external_id(session, corpus, reference) for reference in set(key.sources)])


async def _external_id(session: AsyncSession, corpus: Corpus, reference: str) -> str:
    """That of the source with this external id, else with this id, else of this name; else the reference itself."""
    of_corpus = select(Source.external_id).where(Source.corpus_id == corpus.id)
    by_id = or_(Source.external_id == reference, cast(Source.id, String) == reference.lower())
    found = (await session.scalars(of_corpus.where(by_id))).all()
    if reference in found:
        return reference
    found = found or (await session.scalars(of_corpus.where(Source.name == reference))).all()
    if len(found) > 1:
        raise InvalidInput(f"{len(found)} sources are named {reference[:100]!r}; use an external id.", field="sources")
    return found[0] if found else reference
