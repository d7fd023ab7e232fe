"""People in the database."""

import secrets
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.keys.model import ApiKey, BrowserSession
from registry.keys.schemas import Scope
from registry.people.model import Person
from registry.people.schemas import SCOPES, Identity, PersonInput
from registry.platform.database.locks import lock_in_transaction
from registry.platform.database.paging import Page, paginate
from registry.platform.enums import AuditAction, Role
from registry.platform.errors import Conflict, NotFound

SECRET_BYTES = 32


async def has_session(session: AsyncSession, token_hash: bytes) -> bool:
    """Whether a session is that of a person."""
    rows = select(Person.id).join(BrowserSession, BrowserSession.key_id == Person.id)
    return await session.scalar(rows.where(BrowserSession.token_hash == token_hash)) is not None


async def page(session: AsyncSession, *, cursor: str | None, limit: int) -> Page[Person]:
    """Everybody, in the order in which they were added."""
    return await paginate(session, select(Person), Person.id, cursor=cursor, limit=limit)


async def expect(session: AsyncSession, values: PersonInput, corpus: Corpus | None) -> Person:
    """A person who has not signed in yet; raises `Conflict` where one with that address is there."""
    if await session.scalar(select(Person.id).where(Person.email == values.email).limit(1)):
        raise Conflict(f"{values.email} is here already; change the role instead.")
    return await _add(session, Person(email=values.email), values.role, corpus)


async def add(session: AsyncSession, identity: Identity, role: Role) -> Person:
    """A person who signs in for the first time."""
    person = Person(issuer=identity.issuer, subject=identity.subject, email=identity.email, name=identity.name)
    return await _add(session, person, role, None)


async def _add(session: AsyncSession, person: Person, role: Role, corpus: Corpus | None) -> Person:
    # The hash of no secret: this key opens by signing in only.
    key = ApiKey(
        corpus_id=corpus.id if corpus else None,
        name=person.label,
        prefix="",
        secret_hash=secrets.token_bytes(SECRET_BYTES),
        scopes=sorted(SCOPES[role]),
    )
    session.add(key)
    await session.flush()
    person.id, person.key = key.id, key
    session.add(person)
    await session.flush()
    await session.refresh(key)
    audit.record(session, AuditAction.PERSON_ADDED, person.id, key.corpus_id, after=_audited(person))
    return person


async def find(session: AsyncSession, identity: Identity) -> Person | None:
    """The person with an identity; else the one who is expected by the address, if the provider has verified that."""
    # Two tabs may sign in somebody new at once.
    await lock_in_transaction(session, f"person:{identity.issuer}:{identity.subject}")
    of_identity = Person.issuer == identity.issuer, Person.subject == identity.subject
    person = await session.scalar(select(Person).where(*of_identity))
    if person is None and identity.email is not None and identity.is_verified:
        expected = Person.email == identity.email, Person.subject.is_(None)
        person = await session.scalar(select(Person).where(*expected).with_for_update(of=Person))
    return person


async def identify(session: AsyncSession, person: Person, identity: Identity, role: Role) -> None:
    """Note who a person is and what they may do, by what the provider says now."""
    before = _audited(person)
    person.issuer, person.subject = identity.issuer, identity.subject
    person.email, person.name = identity.email or person.email, identity.name
    person.key.name, person.key.scopes = person.label, sorted(SCOPES[role])
    await session.flush()
    _record_change(session, person, before)


async def change(session: AsyncSession, person_id: UUID, *, role: Role | None, corpus: UUID | None) -> Person:
    """Give a person a role, in a corpus or in all; None keeps the role.

    Raises `NotFound`, and `Conflict` if no owner would be left.
    """
    person, owners = await _locked(session, person_id)
    before, role = _audited(person), role or person.role
    if role is not Role.OWNER or corpus is not None:
        _require_other(owners, person)
    person.key.scopes, person.key.corpus_id = sorted(SCOPES[role]), corpus
    await session.flush()
    _record_change(session, person, before)
    return person


async def remove(session: AsyncSession, person_id: UUID) -> None:
    """Forget a person and end their sessions; raises as `change` does."""
    person, owners = await _locked(session, person_id)
    _require_other(owners, person)
    await forget(session, person)


async def forget(session: AsyncSession, person: Person) -> None:
    """Delete a person with their sessions, whoever is left."""
    audit.record(session, AuditAction.PERSON_REMOVED, person.id, person.key.corpus_id, before=_audited(person))
    session.expunge(person)
    await session.execute(delete(ApiKey).where(ApiKey.id == person.id))


async def get(session: AsyncSession, person_id: UUID) -> Person:
    """A person; raises `NotFound`."""
    person = await session.get(Person, person_id)
    if person is None:
        raise NotFound("person", person_id)
    return person


async def _locked(session: AsyncSession, person_id: UUID) -> tuple[Person, Sequence[UUID]]:
    """A person, and the owners of everything who have signed in, none of whom changes until the transaction ends."""
    owns = ApiKey.corpus_id.is_(None), ApiKey.scopes.contains([Scope.ADMIN]), Person.subject.is_not(None)
    rows = select(Person.id).join(ApiKey).where(*owns).order_by(Person.id)
    owners = (await session.scalars(rows.with_for_update(of=(Person, ApiKey)))).all()
    person = await get(session, person_id)
    await session.refresh(person)
    return person, owners


def _require_other(owners: Sequence[UUID], person: Person) -> None:
    if list(owners) == [person.id]:
        raise Conflict("This is the only owner who has signed in; make somebody else an owner first.")


def _record_change(session: AsyncSession, person: Person, before: dict[str, object]) -> None:
    after = _audited(person)
    audit.record(session, AuditAction.PERSON_CHANGED, person.id, person.key.corpus_id, before=before, after=after)


def _audited(person: Person) -> dict[str, object]:
    return {"email": person.email, "name": person.name, "role": person.role, "corpus_id": person.key.corpus_id}
