"""Webhooks: made, told of events, and events sent.

A delivery is written in the transaction of what happened, or by its job after it, with the job that sends it; no
transaction is open while it is sent. It may arrive twice, with the same identifier, if a process ends between the reply
and the note of it.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from procrastinate import App

from registry.corpora.model import Corpus
from registry.platform.database.base import AsyncSession, Json
from registry.platform.database.job_queue import SENDING, Job, defer
from registry.platform.errors import DueLater, FetchFailed, InvalidInput
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.webhooks import store
from registry.webhooks.model import Webhook, WebhookDelivery
from registry.webhooks.schemas import DeliveryStatus, WebhookEvent, WebhookInput, WebhookPatch
from registry.webhooks.sending import SECONDS, check_address, new_secret, post, rendered

log = structlog.get_logger(__name__)

JOB = Job("webhook", queue=SENDING)
TEST = "webhook.test"
# Between attempts, each four times the last: 10 s, 40 s, 3 min, 11 min, 43 min, 3 h, 11 h. A receiver that restarts
# misses nothing for long, and one that fails in the evening is tried again the next morning.
DELAYS = tuple(timedelta(seconds=10 * 4**number) for number in range(7))
# Without one success, and at least one delivery given up.
SWITCHED_OFF_AFTER = timedelta(days=3)


async def create(runtime: Runtime, corpus: Corpus, values: WebhookInput) -> Webhook:
    """A new webhook with its secret; raises `InvalidInput` for an address that nothing may be sent to."""
    await _check(runtime.settings, values.url)
    async with runtime.database.begin() as session:
        return await store.create(session, corpus, values, new_secret())


async def update(runtime: Runtime, corpus: Corpus, webhook_id: UUID, patch: WebhookPatch) -> Webhook:
    """Change a webhook; raises as `create` does."""
    if patch.url is not None:
        await _check(runtime.settings, patch.url)
    async with runtime.database.begin() as session:
        return await store.update(session, corpus, webhook_id, patch)


async def _check(settings: Settings, url: str) -> None:
    try:
        await check_address(url, settings.webhook_networks)
    except FetchFailed as error:
        raise InvalidInput(str(error), field="url") from error


async def notify(session: AsyncSession, jobs: App, corpus_id: UUID, event: WebhookEvent, data: Json) -> None:
    """Tell the webhooks of a corpus of an event, once the transaction of the session is committed."""
    if delivery_ids := await store.add_deliveries(session, corpus_id, event, data):
        await defer(session, jobs, JOB, *delivery_ids)


async def send_test(runtime: Runtime, corpus: Corpus, webhook_id: UUID) -> WebhookDelivery:
    """Queue an event that tells nothing, for this webhook alone."""
    async with runtime.database.begin() as session:
        webhook = await store.get(session, corpus, webhook_id)
        delivery_id = await store.add_delivery(session, webhook.id, TEST, {})
        await defer(session, runtime.jobs, JOB, delivery_id)
        return await session.get_one(WebhookDelivery, delivery_id)


async def send(
    runtime: Runtime, delivery_id: UUID, *, delays: Sequence[timedelta] = DELAYS, seconds: float = SECONDS
) -> None:
    """Send a delivery, unless it is over; raises `DueLater` where it is to be tried again."""
    async with runtime.database.begin() as session:
        found = await store.pending(session, delivery_id)
    if found is None:
        return
    delivery, webhook, corpus = found
    if delivery.next_attempt_at is not None and delivery.next_attempt_at > datetime.now(UTC):
        raise DueLater(delivery.next_attempt_at)
    message = {
        "id": str(delivery.id),
        "type": delivery.type,
        "corpus": corpus,
        "created_at": delivery.created_at.astimezone(UTC).isoformat(),
        "data": delivery.data,
    }
    problem = None
    try:
        await post(
            webhook.url,
            webhook.secret,
            str(delivery.id),
            rendered(message),
            networks=runtime.settings.webhook_networks,
            seconds=seconds,
        )
    except FetchFailed as error:
        problem = str(error)
    except Exception:
        log.exception("webhook_failed", webhook_id=str(webhook.id))
        problem = "An unexpected error; the service's log has the details."
    due_at = await _end(runtime, delivery_id, problem, delays)
    if due_at is not None:
        raise DueLater(due_at)


async def give_up(runtime: Runtime, delivery_id: UUID, reason: str) -> None:
    """End a delivery as failed, unless it is over."""
    async with runtime.database.begin() as session:
        if found := await store.pending(session, delivery_id, lock=True):
            delivery, _, _ = found
            delivery.status, delivery.finished_at = DeliveryStatus.FAILED, datetime.now(UTC)
            delivery.problem, delivery.next_attempt_at = reason, None


async def _end(
    runtime: Runtime, delivery_id: UUID, problem: str | None, delays: Sequence[timedelta]
) -> datetime | None:
    """Note what an attempt came to; returns when the next one is due, or None if there is none."""
    async with runtime.database.begin() as session:
        found = await store.pending(session, delivery_id, lock=True)
        if found is None:
            return None
        delivery, webhook, _ = found
        now = datetime.now(UTC)
        delivery.attempts += 1
        delivery.problem, delivery.next_attempt_at = problem, None
        if problem is None:
            delivery.status, delivery.finished_at = DeliveryStatus.SUCCEEDED, now
            webhook.failing_since = None
            return None
        webhook.failing_since = webhook.failing_since or now
        log.warning("webhook_not_delivered", webhook_id=str(webhook.id), delivery_id=str(delivery_id), why=problem)
        if delivery.attempts <= len(delays):
            delivery.next_attempt_at = now + delays[delivery.attempts - 1]
            return delivery.next_attempt_at
        delivery.status, delivery.finished_at = DeliveryStatus.FAILED, now
        if now - webhook.failing_since >= SWITCHED_OFF_AFTER:
            since = f"{webhook.failing_since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            await store.switch_off(session, webhook, f"Nothing has arrived since {since}. The last attempt: {problem}")
        return None
