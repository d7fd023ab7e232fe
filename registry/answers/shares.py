"""Links that show one answer to whoever has their token, of which only the hash is stored."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from registry.answers.model import AnswerShare
from registry.answers.schemas import ShareInput
from registry.answers.store import get, shares
from registry.corpora.model import Corpus
from registry.events import audit
from registry.keys import store as keys
from registry.keys.model import ApiKey
from registry.keys.service import digest
from registry.keys.sessions import new_token
from registry.platform.database.base import AsyncSession
from registry.platform.enums import ActorKind, AuditAction, RunStatus
from registry.platform.errors import Conflict, Forbidden, NotFound
from registry.viewers.model import ALL_SEEING, Viewer

MAX_SHARES = 100
"""Most links to one answer that are open at a time."""
WITHOUT_GROUPS = (
    "Whoever has a link sees the answer, whatever their groups: links are made and revoked with API keys that see "
    "everything."
)


async def make(
    session: AsyncSession,
    corpus: Corpus,
    answer_id: UUID,
    values: ShareInput,
    *,
    key_id: UUID | None,
    actor: ActorKind | None = None,
    viewer: Viewer = ALL_SEEING,
) -> tuple[AnswerShare, str]:
    """A new link to an answer, and its token, which cannot be read again; `actor` is that of the audit log by default.

    Raises `Forbidden` for a viewer who does not see everything, `NotFound`, and `Conflict` for a question that is not
    answered and an answer that has `MAX_SHARES` links.
    """
    _require_all_seeing(viewer)
    answer = await get(session, corpus, answer_id)
    if answer.status != RunStatus.SUCCEEDED:
        raise Conflict("There is no answer to share yet.")
    if await shares.count(session, answer_id) >= MAX_SHARES:
        raise Conflict(f"An answer has at most {MAX_SHARES} links. Revoke one first.")
    token, current = new_token(), audit.current_actor.get()
    share = AnswerShare(
        corpus_id=corpus.id,
        answer_id=answer_id,
        token_hash=digest(token),
        key_id=key_id,
        actor=actor or current.actor,
        created_by=current.key_name or current.actor,
        expires_at=datetime.now(UTC) + timedelta(days=values.days),
    )
    session.add(share)
    await session.flush()
    await session.refresh(share)
    after = {"answer_id": answer_id, "expires_at": share.expires_at}
    audit.record(session, AuditAction.ANSWER_SHARED, share.id, corpus.id, after=after)
    return share, token


async def revoke(session: AsyncSession, corpus: Corpus, share_id: UUID, viewer: Viewer = ALL_SEEING) -> None:
    """End a link; raises `NotFound` also for one that is revoked, and `Forbidden` as `make` does."""
    _require_all_seeing(viewer)
    share = await shares.locked(session, corpus, share_id)
    if share.revoked_at is not None:
        raise NotFound("shared answer", share_id)
    share.revoked_at = datetime.now(UTC)
    audit.record(session, AuditAction.SHARE_REVOKED, share.id, corpus.id, before={"answer_id": share.answer_id})


async def opened(session: AsyncSession, token: str) -> tuple[AnswerShare, Corpus]:
    """The link with this token, and the corpus of its answer.

    Raises `NotFound`, the same whether there never was such a link, or it or its key has ended.
    """
    found = await shares.find(session, digest(token))
    if found is not None:
        share, key = found
        if await _holds(session, share) and (share.key_id is None or (key is not None and await _shows(session, key))):
            return share, await session.get_one(Corpus, share.corpus_id)
    raise NotFound("shared answer", "at this link")


def _require_all_seeing(viewer: Viewer) -> None:
    if not viewer.sees_all:
        raise Forbidden(WITHOUT_GROUPS)


async def _shows(session: AsyncSession, key: ApiKey) -> bool:
    return key.groups is None and await _holds(session, key)


async def _holds(session: AsyncSession, row: AnswerShare | ApiKey) -> bool:
    return row.revoked_at is None and not await keys.has_passed(session, row.expires_at)
