"""Wordings of answers that people joined, by the text of the question; undone, they are kept and count no more."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import Joins
from registry.corpora.model import Corpus
from registry.events import audit
from registry.platform.database.locks import lock_in_transaction
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row
from registry.platform.enums import ActorKind, AuditAction
from registry.platform.errors import InvalidInput, NotFound
from registry.queries.model import HOLDING_JOINS, JoinedAnswers
from registry.queries.schemas import JoinInput
from registry.queries.store.gold import require_own
from registry.viewers.model import ALL_SEEING, Viewer

MAX_JOINS = 100
"""Most joins of one question."""


async def add(
    session: AsyncSession, corpus: Corpus, values: JoinInput, *, actor: ActorKind | None = None
) -> JoinedAnswers:
    """Join wordings; `actor` is that of the audit log by default.

    Raises `InvalidInput` where only one wording is left without those that differ in white space, and where the
    question has `MAX_JOINS` joins.
    """
    answers = list(dict.fromkeys(" ".join(answer.split()) for answer in values.answers))
    if len(answers) == 1:
        raise InvalidInput("Give at least two different wordings.", field="answers")
    await _lock(session, corpus)
    holding = select(func.count()).select_from(
        _holding(corpus).where(JoinedAnswers.question == values.question).subquery()
    )
    if (await session.scalars(holding)).one() >= MAX_JOINS:
        raise InvalidInput(f"A question has at most {MAX_JOINS} joins. Undo one first.", field="question")
    current = audit.current_actor.get()
    row = JoinedAnswers(
        corpus_id=corpus.id,
        question=values.question,
        answers=answers,
        actor=actor or current.actor,
        created_by=current.key_name or current.actor,
        key_id=current.key_id,
    )
    session.add(row)
    await session.flush()
    await session.refresh(row)
    # How many: they may say what documents say.
    audit.record(session, AuditAction.ANSWERS_JOINED, row.id, corpus.id, after={"wordings": len(answers)})
    return row


async def undo(session: AsyncSession, corpus: Corpus, join_id: UUID, *, only_own: bool = False) -> None:
    """Let the wordings be answers of their own again.

    Raises `NotFound` also for a join that is undone, and with `only_own` `Forbidden` as `gold.undo` does.
    """
    await _lock(session, corpus)
    row = await get_row(session, JoinedAnswers, corpus.id, join_id)
    if row.undone_at is not None:
        raise NotFound("join", join_id)
    if only_own:
        require_own(row)
    row.undone_at = func.now()
    audit.record(session, AuditAction.ANSWERS_PARTED, row.id, corpus.id, before={"wordings": len(row.answers)})


async def page(
    session: AsyncSession,
    corpus: Corpus,
    *,
    question: str | None = None,
    cursor: str | None = None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[JoinedAnswers]:
    """The joins that hold, of all questions or of this one, in the order in which they were made. It is not known which
    documents the wordings are from: who does not see everything sees none.
    """
    if not viewer.sees_all:
        return Page([], None)
    rows = _holding(corpus)
    if question is not None:
        rows = rows.where(JoinedAnswers.question == question)
    return await paginate(session, rows, JoinedAnswers.id, cursor=cursor, limit=limit)


async def of_questions(
    session: AsyncSession, corpus: Corpus, questions: Collection[str] | None = None
) -> dict[str, Joins]:
    """The joined answers of these questions or of all, by question; a question without joins is left out."""
    rows = HOLDING_JOINS.where(JoinedAnswers.corpus_id == corpus.id)
    if questions is not None:
        rows = rows.where(JoinedAnswers.question.in_(questions))
    return Joins.by_question(await session.execute(rows))


async def _lock(session: AsyncSession, corpus: Corpus) -> None:
    await lock_in_transaction(session, f"joined answers:{corpus.id}")


def _holding(corpus: Corpus) -> Select[JoinedAnswers]:
    return select(JoinedAnswers).where(JoinedAnswers.corpus_id == corpus.id, JoinedAnswers.undone_at.is_(None))
