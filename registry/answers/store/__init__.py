"""Answers in the database."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Integer, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.estimations.model import ACTIVE_STATUSES
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, page_of_rows
from registry.platform.enums import RunStatus
from registry.platform.errors import NotFound
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_answers

UNFINISHED = select(AnswerRecord.id).where(AnswerRecord.status.in_(ACTIVE_STATUSES))
FAILED = select(
    AnswerRecord.id, AnswerRecord.corpus_id, AnswerRecord.question, AnswerRecord.problem, AnswerRecord.finished_at
).where(AnswerRecord.status == RunStatus.FAILED)


async def get(session: AsyncSession, corpus: Corpus, answer_id: UUID, viewer: Viewer = ALL_SEEING) -> AnswerRecord:
    """An answer of the corpus; raises `NotFound`."""
    return await get_row(session, AnswerRecord, corpus.id, answer_id, *visible_answers(viewer))


async def get_followed(session: AsyncSession, corpus: Corpus, answer_id: UUID, viewer: Viewer) -> AnswerRecord:
    """An answer whose steps the viewer may follow, as it sees no less than whoever it was asked for: they tell of
    documents too that the answer is not made of. Raises `NotFound`.
    """
    record = await get(session, corpus, answer_id, viewer)
    if not viewer.sees_as_much_as(record.asker.viewer):
        raise NotFound(AnswerRecord.noun, answer_id)
    return record


async def find(
    session: AsyncSession, corpus: Corpus, answer_id: UUID, viewer: Viewer = ALL_SEEING
) -> AnswerRecord | None:
    """An answer of the corpus, if it is still there."""
    rows = select(AnswerRecord).where(AnswerRecord.corpus_id == corpus.id, AnswerRecord.id == answer_id)
    return await session.scalar(rows.where(*visible_answers(viewer)))


async def page(
    session: AsyncSession,
    corpus: Corpus,
    *,
    cursor: str | None,
    limit: int,
    newest_first: bool = False,
    viewer: Viewer = ALL_SEEING,
) -> Page[AnswerRecord]:
    """The answers of the corpus, oldest first unless `newest_first`."""
    where = visible_answers(viewer)
    return await page_of_rows(
        session, AnswerRecord, corpus.id, *where, cursor=cursor, limit=limit, newest_first=newest_first
    )


async def has_succeeded(session: AsyncSession, corpus: Corpus, viewer: Viewer = ALL_SEEING) -> bool:
    """Whether a question of the corpus has been answered."""
    rows = select(AnswerRecord.id).where(
        AnswerRecord.corpus_id == corpus.id, AnswerRecord.status == RunStatus.SUCCEEDED, *visible_answers(viewer)
    )
    return await session.scalar(rows.limit(1)) is not None


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Model calls and tokens that answers have spent."""

    answers: int
    model_calls: int
    input_tokens: int
    output_tokens: int


async def model_use(session: AsyncSession, age: timedelta) -> ModelUse:
    """Model calls and tokens of the answers of all corpora that were asked for within `age`."""
    usage = AnswerRecord.result["usage"]
    fields = ("model_calls", "input_tokens", "output_tokens")
    sums = (func.coalesce(func.sum(usage[name].astext.cast(Integer)), 0) for name in fields)
    rows = select(func.count(), *sums).where(AnswerRecord.created_at > func.now() - age)
    return ModelUse(*(int(value) for value in (await session.execute(rows)).one()))
