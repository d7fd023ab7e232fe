"""The links that show answers, in the database."""

from uuid import UUID

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.answers.model import AnswerRecord, AnswerShare
from registry.corpora.model import Corpus
from registry.keys.model import ApiKey
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row, lock_for_update
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_answers


async def page(
    session: AsyncSession,
    corpus: Corpus,
    *,
    answer_id: UUID | None = None,
    cursor: str | None = None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[AnswerShare]:
    """The links of the corpus that open their answer, of all that the viewer sees or of one, the oldest first."""
    rows = _open().where(AnswerShare.corpus_id == corpus.id)
    if not viewer.sees_all:
        rows = rows.join(AnswerRecord, AnswerRecord.id == AnswerShare.answer_id).where(*visible_answers(viewer))
    if answer_id is not None:
        rows = rows.where(AnswerShare.answer_id == answer_id)
    return await paginate(session, rows, AnswerShare.id, cursor=cursor, limit=limit)


async def count(session: AsyncSession, answer_id: UUID) -> int:
    """The number of links that open an answer."""
    rows = _open().where(AnswerShare.answer_id == answer_id)
    return (await session.scalars(select(func.count()).select_from(rows.subquery()))).one()


async def locked(session: AsyncSession, corpus: Corpus, share_id: UUID) -> AnswerShare:
    """A link of the corpus, whose row the transaction holds; raises `NotFound`."""
    share = await get_row(session, AnswerShare, corpus.id, share_id)
    await lock_for_update(session, share, AnswerShare.noun, share_id)
    return share


async def find(session: AsyncSession, token_hash: bytes) -> tuple[AnswerShare, ApiKey | None] | None:
    """The link whose token has that hash, and the key that it was made with, if there are such."""
    rows = select(AnswerShare, ApiKey).outerjoin(ApiKey, ApiKey.id == AnswerShare.key_id)
    row = (await session.execute(rows.where(AnswerShare.token_hash == token_hash))).one_or_none()
    return None if row is None else (row[0], row[1])


def _open() -> Select[AnswerShare]:
    """Links that have not ended, nor the keys that they were made with, which still see everything."""
    key_holds = and_(
        ApiKey.id.is_not(None),
        ApiKey.groups.is_(None),
        ApiKey.revoked_at.is_(None),
        or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > func.now()),
    )
    return (
        select(AnswerShare)
        .outerjoin(ApiKey, ApiKey.id == AnswerShare.key_id)
        .where(
            AnswerShare.revoked_at.is_(None),
            AnswerShare.expires_at > func.now(),
            or_(AnswerShare.key_id.is_(None), key_holds),
        )
    )
