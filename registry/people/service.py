"""People sign in: the provider says who they are, and the settings, the provider or an owner what they may do."""

from registry.events import audit
from registry.keys import sessions
from registry.people import store
from registry.people.schemas import Identity
from registry.platform.database.base import AsyncSession
from registry.platform.enums import AuditAction
from registry.platform.settings import Settings


async def sign_in(session: AsyncSession, settings: Settings, identity: Identity) -> str | None:
    """Begin a session for a person and return its token; None for somebody who has no role.

    With `CREDENCE_OIDC_ROLE_CLAIM` the role is the one that the provider gives now, and who has lost it is forgotten.
    Without it, it is what an owner gave; for somebody new it is `CREDENCE_OIDC_DEFAULT_ROLE`.
    """
    person = await store.find(session, identity)
    if settings.oidc_role_claim is not None or person is None:
        role = identity.role or settings.oidc_default_role
    else:
        role = person.role
    if role is None:
        if person is not None:
            await store.forget(session, person)
        return None
    if person is None:
        person = await store.add(session, identity, role)
    else:
        await store.identify(session, person, identity, role)
    audit.record(session, AuditAction.PERSON_SIGNED_IN, person.id, person.key.corpus_id)
    return sessions.begin_with(session, person.id)
