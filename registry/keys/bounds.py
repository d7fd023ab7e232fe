"""Keys that are bound to sources: they make and write these, and change nothing else of their corpus."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from registry.keys.model import ApiKey, SourceBound
from registry.platform.errors import Forbidden
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
