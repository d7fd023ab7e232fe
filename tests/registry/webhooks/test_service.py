"""What happens in a corpus reaches its webhooks: signed, after failures too, once at least, and nobody else's."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_network
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete, select, update

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.findings import write_alerts
from registry.estimations.jobs import KIND
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.notifications import notify_of_success
from registry.estimations.store.votes import previous_estimates
from registry.events import audit
from registry.events.model import AuditEvent
from registry.jobs import worker
from registry.jobs.worker import recover
from registry.platform.enums import Trigger
from registry.platform.errors import DueLater, InvalidInput
from registry.runtime import Runtime
from registry.sources.schemas import CopyGroup
from registry.webhooks import sending, store
from registry.webhooks import service as webhooks
from registry.webhooks.model import Webhook, WebhookDelivery
from registry.webhooks.schemas import WebhookEvent, WebhookInput, WebhookPatch
from tests.eventually import eventually
from tests.fakes.web_server import FakeWebServer, Reply
from tests.registry.estimations.test_service import PLAIN, finished
from tests.registry.working import working
from tests.registry.world import build_turning

PAGE = Path(__file__).parents[3] / "docs" / "webhooks.md"
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)
AT_ONCE = (timedelta(),) * 3
LOOPBACK = ip_network("127.0.0.0/8")


@pytest.fixture
async def web() -> AsyncIterator[FakeWebServer]:
    async with FakeWebServer() as server:
        server.pages["/hook"] = Reply("Thanks.")
        yield server


@pytest.fixture
def local(reading: Runtime) -> Runtime:
    """A runtime that can estimate, and whose webhooks may be on this machine."""
    return replace(reading, settings=reading.settings.model_copy(update={"webhook_networks": (LOOPBACK,)}))


@pytest.fixture
async def webhook(local: Runtime, corpus: Corpus, web: FakeWebServer) -> Webhook:
    return await webhooks.create(local, corpus, WebhookInput(url=f"{web.url}/hook"))


async def waiting(runtime: Runtime, corpus: Corpus, webhook: Webhook) -> UUID:
    """A delivery that waits."""
    return (await webhooks.send_test(runtime, corpus, webhook.id)).id


async def attempt(runtime: Runtime, delivery_id: UUID, *, attempts: int = 1, seconds: float = 5) -> None:
    """Attempts without pauses."""
    for _ in range(attempts):
        try:
            await webhooks.send(runtime, delivery_id, delays=AT_ONCE, seconds=seconds)
        except DueLater:
            continue


async def delivery_of(runtime: Runtime, delivery_id: UUID) -> WebhookDelivery:
    async with runtime.database.begin() as session:
        return await session.get_one(WebhookDelivery, delivery_id)


async def deliveries_of(runtime: Runtime, webhook: Webhook) -> dict[str, Any]:
    """What is to be delivered, by event; one of each."""
    async with runtime.database.begin() as session:
        rows: Sequence[Any] = (await store.deliveries(session, webhook, cursor=None, limit=50)).items
    assert len({row.type for row in rows}) == len(rows)
    return {row.type: row.data for row in rows}


async def present(runtime: Runtime, webhook: Webhook) -> Webhook:
    async with runtime.database.begin() as session:
        return await session.get_one(Webhook, webhook.id)


async def test_a_receiver_can_verify_who_sent_what_and_when(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer
) -> None:
    delivery_id = await waiting(local, corpus, webhook)
    await webhooks.send(local, delivery_id)
    ((headers, body),) = web.posts
    example: dict[str, Any] = {}
    (code,) = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    exec(code, example)  # noqa: S102  (the example of our documentation)
    verified = example["verified"]
    assert verified(webhook.secret, headers, body)
    late = headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) - 1)}
    for wrong in (
        (sending.new_secret(), headers, body),
        (webhook.secret, late, body),
        (webhook.secret, headers, b"{}"),
    ):
        assert not verified(*wrong)
    # An example of the specification, which nobody here made.
    known = sending.signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert known["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    message = json.loads(body)
    assert datetime.fromisoformat(message.pop("created_at")).tzinfo is not None
    assert message == {"id": str(delivery_id), "type": "webhook.test", "corpus": corpus.name, "data": {}}
    assert headers["webhook-id"] == str(delivery_id)
    done = await delivery_of(local, delivery_id)
    assert (done.status, done.attempts, done.problem, done.next_attempt_at) == ("succeeded", 1, None, None)
    await webhooks.send(local, delivery_id)
    assert len(web.posts) == 1


async def test_it_is_sent_again_after_an_error_and_after_a_timeout_the_same_each_time(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer
) -> None:
    delivery_id = await waiting(local, corpus, webhook)
    web.pages["/hook"] = Reply(status=500)
    await attempt(local, delivery_id)
    failed = await delivery_of(local, delivery_id)
    assert (failed.status, failed.attempts, failed.problem) == ("pending", 1, "The server answers 500.")
    web.pages["/hook"] = Reply(delay=5)
    await attempt(local, delivery_id, seconds=0.05)
    assert (await delivery_of(local, delivery_id)).problem == "No answer in 0.05 s."
    assert (await present(local, webhook)).failing_since is not None
    moved = await webhooks.update(local, corpus, webhook.id, WebhookPatch(url=webhook.url))
    assert moved.failing_since is None
    web.pages["/hook"] = Reply(b"x" * 65_536, endless=True)
    await attempt(local, delivery_id)
    done = await delivery_of(local, delivery_id)
    assert (done.status, done.attempts, done.problem) == ("succeeded", 3, None)
    assert (await present(local, webhook)).failing_since is None
    assert len({(headers["webhook-id"], body) for headers, body in web.posts}) == 1


async def test_pauses_grow_and_a_job_that_comes_early_waits(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer
) -> None:
    web.pages["/hook"] = Reply(status=503)
    delivery_id, pauses = await waiting(local, corpus, webhook), []
    for _ in webhooks.DELAYS:
        with pytest.raises(DueLater) as later:
            await webhooks.send(local, delivery_id)
        pauses.append((later.value.due_at - datetime.now(UTC)).total_seconds())
        sent = len(web.posts)
        with pytest.raises(DueLater):
            await webhooks.send(local, delivery_id)
        assert len(web.posts) == sent
        async with local.database.begin() as session:
            await session.execute(update(WebhookDelivery).values(next_attempt_at=datetime.now(UTC)))
    assert all(3.5 < after / before < 4.5 for before, after in pairwise(pauses))
    await webhooks.send(local, delivery_id)
    done = await delivery_of(local, delivery_id)
    assert (done.status, done.attempts, done.next_attempt_at) == ("failed", len(webhooks.DELAYS) + 1, None)
    assert done.finished_at is not None
    assert (await present(local, webhook)).enabled


async def test_a_webhook_that_nothing_reaches_for_days_is_switched_off_and_can_be_switched_on(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer
) -> None:
    audit.current_actor.set(audit.JOB)
    web.pages["/hook"] = Reply(status=302, headers={"Location": f"{web.url}/elsewhere"})
    async with local.database.begin() as session:
        long_ago = datetime.now(UTC) - webhooks.SWITCHED_OFF_AFTER
        await session.execute(update(Webhook).values(failing_since=long_ago))
    given_up, other = [await waiting(local, corpus, webhook) for _ in range(2)]
    await attempt(local, given_up, attempts=len(AT_ONCE) + 1)
    off = await present(local, webhook)
    assert not off.enabled
    assert "redirects are not followed" in (off.disabled_because or "")
    assert f"{long_ago:%Y-%m-%d %H:%M} UTC" in (off.disabled_because or "")
    assert set(web.requests) == {"/hook"}
    assert [(await delivery_of(local, each)).status for each in (given_up, other)] == ["failed", "failed"]
    async with local.database.begin() as session:
        await webhooks.notify(session, local.jobs, corpus.id, WebhookEvent.ESTIMATION_FAILED, {})
        rows = select(AuditEvent).where(AuditEvent.action == "webhook.changed")
        assert [(each.actor, each.after) for each in await session.scalars(rows)] == [("job", {"enabled": False})]
    assert set(await deliveries_of_kind(local)) == {"webhook.test"}
    on = await webhooks.update(local, corpus, webhook.id, WebhookPatch(enabled=True))
    assert (on.enabled, on.disabled_because, on.failing_since, on.secret) == (True, None, None, webhook.secret)


async def deliveries_of_kind(runtime: Runtime) -> list[str]:
    async with runtime.database.begin() as session:
        return list(await session.scalars(select(WebhookDelivery.type)))


async def test_private_addresses_are_refused_when_stored_and_when_connected_to(
    reading: Runtime, corpus: Corpus, web: FakeWebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url, why in {
        f"{web.url}/hook": "127.0.0.1 is not a public address.*CREDENCE_WEBHOOK_NETWORKS",
        f"http://localhost:{web.port}/": "not a public address",
        "http://169.254.169.254/latest": "not a public address",
        "http://[::ffff:10.0.0.1]/": "not a public address",
        "https://nobody.invalid/": "cannot be resolved",
    }.items():
        with pytest.raises(InvalidInput, match=why) as refused:
            await webhooks.create(reading, corpus, WebhookInput(url=url))
        assert refused.value.field == "url"
    resolved = ["93.184.216.34"]

    async def getaddrinfo(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, web.port)) for address in resolved]

    with monkeypatch.context() as patched:
        patched.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
        webhook = await webhooks.create(reading, corpus, WebhookInput(url=f"http://hooks.example:{web.port}/hook"))
        resolved[:] = ["127.0.0.1"]
        delivery_id = await waiting(reading, corpus, webhook)
        await attempt(reading, delivery_id)
        with pytest.raises(InvalidInput, match="not a public address"):
            await webhooks.update(reading, corpus, webhook.id, WebhookPatch(url="http://other.example/"))
    assert "not a public address" in ((await delivery_of(reading, delivery_id)).problem or "")
    assert web.requests == []


async def test_a_crash_before_or_after_sending_loses_nothing_and_repeats_at_most_once(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with local.database.begin() as session:  # as a process that ended at its commit, before the queue knew
        lost = await store.add_delivery(session, webhook.id, "webhook.test", {})
    sent = await waiting(local, corpus, webhook)
    with monkeypatch.context() as patched:
        patched.setattr(webhooks, "_end", crash)
        with pytest.raises(ConnectionAbortedError):
            await webhooks.send(local, sent)
    assert await recover(local) == 1
    assert await recover(local) == 0
    async with working(local):

        async def done() -> bool:
            return [(await delivery_of(local, each)).status for each in (lost, sent)] == ["succeeded"] * 2

        await eventually(done)
    received = [headers["webhook-id"] for headers, _ in web.posts]
    assert (received.count(str(lost)), received.count(str(sent))) == (1, 2)


async def test_receivers_that_do_not_answer_hold_up_no_other_job(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SHUTDOWN_SECONDS", 0.01)
    web.pages["/hook"] = Reply(delay=100)
    hanging = [await waiting(local, corpus, webhook) for _ in range(sum(worker.CONCURRENCY.values()))]
    async with working(local):
        await eventually(lambda: len(web.posts) == worker.CONCURRENCY[webhooks.JOB.queue])
        run = await estimation.start(local, corpus, PLAIN, Trigger.HTTP)

        async def ended() -> bool:
            async with local.database.begin() as session:
                return (await session.get_one(EstimationRun, run.id)).finished_at is not None

        await eventually(ended)
        assert {(await delivery_of(local, each)).status for each in hanging} == {"pending"}


async def crash(*_: object, **__: object) -> None:
    raise ConnectionAbortedError


async def test_nothing_is_told_of_what_is_rolled_back_and_no_transaction_is_open_while_it_is_sent(
    local: Runtime, corpus: Corpus, webhook: Webhook, web: FakeWebServer
) -> None:
    with pytest.raises(ConnectionAbortedError):  # noqa: PT012  (the transaction ends with it)
        async with local.database.begin() as session:
            await webhooks.notify(session, local.jobs, corpus.id, WebhookEvent.DISPUTE_FOUND, {})
            await crash()
    assert await deliveries_of(local, webhook) == {}
    assert await recover(local) == 0
    delivery_id = await waiting(local, corpus, webhook)
    web.pages["/hook"] = Reply(delay=5)
    under_way = asyncio.create_task(webhooks.send(local, delivery_id))
    await eventually(lambda: web.posts)
    assert local.database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    async with local.database.begin() as session:
        await store.delete(session, corpus, webhook.id)
    under_way.cancel()
    await asyncio.gather(under_way, return_exceptions=True)
    await webhooks.send(local, delivery_id)
    assert len(web.posts) == 1
    assert await deliveries_of_kind(local) == []


async def test_a_run_tells_how_it_ended_and_only_what_it_found_anew(
    local: Runtime, corpus: Corpus, webhook: Webhook
) -> None:
    sources = await build_turning(local, corpus)
    run = await finished(local, corpus)
    told = await deliveries_of(local, webhook)
    assert set(told) == {"estimation.succeeded", "source.turned"}
    succeeded = told["estimation.succeeded"]
    assert (succeeded["estimation_id"], succeeded["sources"]) == (str(run.id), 5)
    (turned,) = told["source.turned"]["sources"]
    assert (turned["source_id"], turned["change"]) == (str(sources["turncoat"].id), "turned")
    assert turned["reliability_before"] > 0.8
    assert turned["reliability"] < 0.3
    # The next run estimates the same, but one source is below all that was possible before.
    async with local.database.begin() as session:
        rows = {row.source_name: row for row in await estimations.sources_of(session, run)}
    least = rows["Herald"].lower or 0
    told = await told_of(local, webhook, run_like(run), *(copy_of(row) for row in rows.values()))
    assert set(told) == {"estimation.succeeded"}
    fallen = copy_of(rows["Herald"]) | {"reliability": least / 2, "lower": 0.0, "upper": 0.99 * least}
    told = await told_of(local, webhook, run_like(run), fallen)
    (named,) = told["source.turned"]["sources"]
    assert (named["source_name"], named["change"], named["turned_at"]) == ("Herald", "fell", None)
    assert (named["reliability_before"], named["reliability"]) == (rows["Herald"].reliability, least / 2)
    even_lower = fallen | {"reliability": 0.0, "upper": -1.0}
    told = await told_of(local, webhook, run_like(run) | {"method": "majority"}, even_lower)
    assert set(told) == {"estimation.succeeded"}


async def test_a_success_is_told_once_though_the_process_of_the_run_ends_before_or_after_it(
    local: Runtime, corpus: Corpus, webhook: Webhook
) -> None:
    await build_turning(local, corpus)
    for do_again in KIND.run, partial(give_up, reason="Its process ended."):
        run = await estimation.start(local, corpus, PLAIN, Trigger.HTTP)
        await estimation.run(local, run.id)
        assert await told_of_run(local, webhook, run.id) == []
        for _ in range(2):
            await do_again(local, run.id)
            assert (await told_of_run(local, webhook, run.id)).count("estimation.succeeded") == 1


async def told_of_run(runtime: Runtime, webhook: Webhook, run_id: UUID) -> list[str]:
    async with runtime.database.begin() as session:
        rows = (await store.deliveries(session, webhook, cursor=None, limit=50)).items
    return [row.type for row in rows if row.data["estimation_id"] == str(run_id)]


async def give_up(runtime: Runtime, run_id: UUID, reason: str) -> None:
    assert KIND.give_up is not None
    await KIND.give_up(runtime, run_id, reason)


def run_like(run: EstimationRun) -> dict[str, Any]:
    names = ("corpus_id", "status", "method", "trigger")
    return {name: getattr(run, name) for name in names}


def copy_of(row: RunSource) -> dict[str, Any]:
    return {column.key: getattr(row, column.key) for column in RunSource.__mapper__.column_attrs}


async def told_of(runtime: Runtime, webhook: Webhook, values: dict[str, Any], *rows: dict[str, Any]) -> dict[str, Any]:
    """What the webhook is told of a run with these values and sources, beside what it was told before."""
    async with runtime.database.begin() as session:
        await session.execute(delete(WebhookDelivery))
        number = len((await session.scalars(select(EstimationRun.id))).all()) + 1
        run = EstimationRun(**values, number=number)
        session.add(run)
        await session.flush()
        estimates = [RunSource(**row | {"estimation_id": run.id}) for row in rows]
        session.add_all(estimates)
        previous = await previous_estimates(session, run.id)
        write_alerts(run, estimates, previous)
    await notify_of_success(runtime, run.id)
    return await deliveries_of(runtime, webhook)


async def test_a_copy_group_is_told_when_it_is_new_or_grew(local: Runtime, corpus: Corpus, webhook: Webhook) -> None:
    sources = [uuid4() for _ in range(5)]
    new: list[bool] = []
    told: dict[str, Any] = {}
    for *groups, is_new in ((2, 1), True), ((2, 1), False), ((3, 1), True), ((2, 1), False), ((2, 1), (2, 3), True):
        found = [group_of(sources[first : first + size]) for size, first in groups]
        values = {"corpus_id": corpus.id, "status": "succeeded", "method": "one_coin", "trigger": "http"}
        told = await told_of(local, webhook, values | {"copy_groups": found})
        new.append(("copy_group.found" in told) is is_new)
    assert all(new), new
    (group,) = told["copy_group.found"]["copy_groups"]
    assert (told["copy_group.found"]["count"], group["source_ids"]) == (1, [str(each) for each in sources[3:]])


def group_of(source_ids: Sequence[UUID]) -> dict[str, Any]:
    """As a run stores it."""
    group = CopyGroup(
        source_ids=tuple(source_ids),
        source_names=tuple(map(str, source_ids)),
        original_id=None,
        log_odds=9.0,
        shared_wrong=3.0,
        expected=0.5,
        copied_share=0.8,
    )
    return group.model_dump(mode="json")


async def test_a_failed_run_tells_why_and_nobody_else_is_told(local: Runtime, corpus: Corpus, webhook: Webhook) -> None:
    async with local.database.begin() as session:
        other = await corpora.create(session, CorpusInput(name="other"))
    stranger = await webhooks.create(local, other, WebhookInput(url=webhook.url))
    values = WebhookInput(url=webhook.url, events=[WebhookEvent.SOURCE_TURNED, WebhookEvent.ESTIMATION_SUCCEEDED])
    uninterested = await webhooks.create(local, corpus, values)
    run = await estimation.start(local, corpus, PLAIN, Trigger.HTTP)
    await estimation.run(local, run.id)
    told = await deliveries_of(local, webhook)
    assert set(told) == {"estimation.failed"}
    assert told["estimation.failed"]["estimation_id"] == str(run.id)
    assert "no active queries" in told["estimation.failed"]["detail"]
    assert await deliveries_of(local, stranger) == await deliveries_of(local, uninterested) == {}
    async with local.database.begin() as session:
        await corpora.delete(session, other)
    async with local.database.begin() as session:
        assert await session.get(Webhook, stranger.id) is None
