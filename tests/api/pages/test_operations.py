"""Jobs, failures and API keys, which only operators see."""

from collections.abc import Mapping
from uuid import uuid4

import pytest
from sqlalchemy import update

from registry.access import key_store, keys
from registry.database.job_queue import JOBS, defer
from registry.inputs.keys import KeyInput, Scope
from registry.jobs.kinds import KINDS
from registry.models import Corpus
from registry.runtime import Runtime
from tests.api.pages.conftest import Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE

OPERATIONS = "/operations"


def rows(browser: Browser, region: str) -> Mapping[str, list[str]]:
    """The cells of a table by its row headings."""
    body = browser.page.xpath(f"//*[@aria-label='{region}']//tbody/tr")
    return {row.xpath("string(th)").strip(): [cell.text_content().strip() for cell in row.xpath("td")] for row in body}


async def test_jobs_are_counted_by_kind_and_failures_listed(browser: Browser, reading: Runtime) -> None:
    text = await browser.get(OPERATIONS)
    assert set(rows(browser, "Jobs")) == {kind.job.name for kind in KINDS}
    assert "Failed jobs" not in text
    job, waiting, failed = KINDS[0].job, uuid4(), uuid4()
    async with reading.database.begin() as session:
        for subject_id in (waiting, failed):
            await defer(session, reading.jobs, job, subject_id)
        is_failed = JOBS.c.args["subject_id"].astext == str(failed)
        await session.execute(update(JOBS).where(is_failed).values(status="failed"))
    text = await browser.get(OPERATIONS)
    assert rows(browser, "Jobs")[job.name] == ["1", "0", "1"]
    assert str(failed) in text
    assert str(waiting) not in text
    assert {"/metrics", "/docs"} <= set(browser.links())


async def test_keys_with_their_limits(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await stranger.get("/sign-in")
    assert OPERATIONS not in stranger.links()
    await sign_in(stranger, await secret_of(reading, None, Scope.ADMIN))
    assert OPERATIONS in stranger.links()
    async with reading.database.begin() as session:
        limited = KeyInput(name="limited", scopes=frozenset({Scope.ASK}), daily_model_calls=500)
        key, secret = await keys.create(session, corpus, limited)
        await key_store.count_call(session, key.id, max_calls=500, max_tokens=None)
        for name in HOSTILE:
            hostile, _ = await keys.create(session, corpus, KeyInput(name=name, scopes=frozenset({Scope.READ})))
            await key_store.revoke(session, corpus, hostile.id)
    text = await stranger.get(OPERATIONS)
    assert list(rows(stranger, "API keys")) == ["visitor"]
    for path in ("/metrics", "/docs", "/openapi.json"):
        assert (await stranger.client.get(path)).status_code == 200
    text = await stranger.get(f"{OPERATIONS}?corpus=default")
    assert rows(stranger, "API keys")["limited"] == [
        *(key.prefix, "ask", "never", "never", "everywhere", "no limit", "1 of 500", "no limit")
    ]
    assert "revoked" in text
    assert secret not in text
    assert not stranger.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
    assert "\u202e" not in text
    await stranger.get(f"{OPERATIONS}?corpus=nowhere", 404)


@pytest.mark.parametrize("scope", [Scope.ADMIN, Scope.READ])
async def test_keys_of_one_corpus_or_without_the_scope_see_nothing(
    stranger: Browser, reading: Runtime, corpus: Corpus, scope: Scope
) -> None:
    await sign_in(stranger, await secret_of(reading, corpus if scope == Scope.ADMIN else None, Scope.READ, scope))
    await stranger.get("/corpora")
    assert OPERATIONS not in stranger.links()
    await stranger.get(OPERATIONS, 403)
