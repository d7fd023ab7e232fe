"""Webhooks in the database, and their deliveries."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import exists, func, select
from sqlalchemy import update as update_rows
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.platform.database.base import Json
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows
from registry.platform.enums import AuditAction
from registry.platform.errors import Conflict
from registry.webhooks.model import Webhook, WebhookDelivery
from registry.webhooks.schemas import DeliveryStatus, WebhookEvent, WebhookInput, WebhookPatch

MAX_WEBHOOKS = 20
UNFINISHED = select(WebhookDelivery.id).where(WebhookDelivery.status == DeliveryStatus.PENDING)


async def create(session: AsyncSession, corpus: Corpus, values: WebhookInput, secret: str) -> Webhook:
    """A new webhook; raises `Conflict` where the corpus has as many as it may."""
    # Two requests at once would both find room for the last one.
    await session.execute(select(Corpus.id).where(Corpus.id == corpus.id).with_for_update(key_share=True))
    count = await session.scalar(select(func.count()).where(Webhook.corpus_id == corpus.id)) or 0
    if count >= MAX_WEBHOOKS:
        raise Conflict(f"This corpus has {count} webhooks, and may have no more: delete one that is not needed.")
    webhook = Webhook(corpus_id=corpus.id, secret=secret, **values.model_dump(mode="json"))
    session.add(webhook)
    await session.flush()
    audit.record(session, AuditAction.WEBHOOK_CREATED, webhook.id, corpus.id, after=_audited(webhook))
    return webhook


async def subscribed_events(session: AsyncSession, corpus_id: UUID) -> Collection[str]:
    """The events that some webhook of the corpus is told of."""
    events = select(func.unnest(Webhook.events)).where(Webhook.corpus_id == corpus_id, Webhook.enabled)
    return set(await session.scalars(events))


async def was_told_of_run(session: AsyncSession, corpus_id: UUID, estimation_id: UUID) -> bool:
    """Whether some webhook of the corpus has a delivery about this run."""
    of_corpus = select(Webhook.id).where(Webhook.corpus_id == corpus_id)
    about = WebhookDelivery.data["estimation_id"].astext == str(estimation_id)
    return bool(await session.scalar(select(exists().where(WebhookDelivery.webhook_id.in_(of_corpus), about))))


async def get(session: AsyncSession, corpus: Corpus, webhook_id: UUID) -> Webhook:
    """A webhook of the corpus; raises `NotFound`."""
    return await get_row(session, Webhook, corpus.id, webhook_id)


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[Webhook]:
    """The webhooks of the corpus, oldest first."""
    return await page_of_rows(session, Webhook, corpus.id, cursor=cursor, limit=limit)


async def deliveries(
    session: AsyncSession, webhook: Webhook, *, cursor: str | None, limit: int
) -> Page[WebhookDelivery]:
    """The deliveries of a webhook, newest first."""
    rows = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id)
    return await paginate(session, rows, WebhookDelivery.id, cursor=cursor, limit=limit, newest_first=True)


async def update(session: AsyncSession, corpus: Corpus, webhook_id: UUID, patch: WebhookPatch) -> Webhook:
    """Change a webhook; switched on, or with another address, it begins without the failures that it had."""
    webhook = await get(session, corpus, webhook_id)
    await lock_for_update(session, webhook, "webhook", webhook_id, also=("enabled",))
    before = _audited(webhook)
    for field, value in patch.model_dump(mode="json", exclude_none=True).items():
        setattr(webhook, field, value)
    if patch.enabled is not None:
        webhook.disabled_because = None
    if patch.enabled is not None or patch.url is not None:
        webhook.failing_since = None
    if not webhook.enabled:
        await _give_up(session, webhook)
    await session.flush()
    await session.refresh(webhook)
    audit.record(session, AuditAction.WEBHOOK_CHANGED, webhook.id, corpus.id, before=before, after=_audited(webhook))
    return webhook


async def delete(session: AsyncSession, corpus: Corpus, webhook_id: UUID) -> None:
    """Delete a webhook with its deliveries; what was not sent by then is not sent."""
    webhook = await get(session, corpus, webhook_id)
    await lock_for_update(session, webhook, "webhook", webhook_id)
    audit.record(session, AuditAction.WEBHOOK_DELETED, webhook.id, corpus.id, before=_audited(webhook))
    await session.delete(webhook)


async def add_deliveries(session: AsyncSession, corpus_id: UUID, event: WebhookEvent, data: Json) -> list[UUID]:
    """A delivery for each webhook of the corpus that is told of the event; returns their identifiers."""
    subscribers = select(Webhook.id).where(
        Webhook.corpus_id == corpus_id, Webhook.enabled, Webhook.events.any_() == event
    )
    return [
        await add_delivery(session, webhook_id, event, data)
        for webhook_id in (await session.scalars(subscribers)).all()
    ]


async def add_delivery(session: AsyncSession, webhook_id: UUID, kind: str, data: Json) -> UUID:
    """A delivery for a webhook, due at once."""
    delivery = WebhookDelivery(webhook_id=webhook_id, type=kind, data=data, next_attempt_at=datetime.now(UTC))
    session.add(delivery)
    await session.flush()
    return delivery.id


async def pending(
    session: AsyncSession, delivery_id: UUID, *, lock: bool = False
) -> tuple[WebhookDelivery, Webhook, str] | None:
    """A delivery that is not over, its webhook, locked where these are to be changed, and the name of its corpus."""
    if lock:
        webhook_id = select(WebhookDelivery.webhook_id).where(WebhookDelivery.id == delivery_id).scalar_subquery()
        await session.execute(select(Webhook.id).where(Webhook.id == webhook_id).with_for_update(key_share=True))
    rows = (
        select(WebhookDelivery, Webhook, Corpus.name)
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .join(Corpus, Corpus.id == Webhook.corpus_id)
        .where(WebhookDelivery.id == delivery_id, WebhookDelivery.status == DeliveryStatus.PENDING)
    )
    row = (await session.execute(rows)).one_or_none()
    return None if row is None else (row[0], row[1], row[2])


async def switch_off(session: AsyncSession, webhook: Webhook, reason: str) -> None:
    """Tell a webhook nothing more, for a reason that people see."""
    before = _audited(webhook)
    webhook.enabled, webhook.disabled_because = False, reason
    await _give_up(session, webhook)
    audit.record(
        session, AuditAction.WEBHOOK_CHANGED, webhook.id, webhook.corpus_id, before=before, after=_audited(webhook)
    )


async def _give_up(session: AsyncSession, webhook: Webhook) -> None:
    waiting = WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.status == DeliveryStatus.PENDING
    over = {"status": DeliveryStatus.FAILED, "next_attempt_at": None, "finished_at": func.now()}
    problem = func.coalesce(WebhookDelivery.problem + " ", "") + "Then the webhook was switched off."
    await session.execute(update_rows(WebhookDelivery).where(*waiting).values(**over, problem=problem))


def _audited(webhook: Webhook) -> dict[str, Any]:
    """The details for the audit log, without the path and query of the address, which may be secret."""
    parts = urlsplit(webhook.url)
    return {"host": parts.hostname, "events": webhook.events, "enabled": webhook.enabled}
