"""Jobs, failures, quotas and API keys, for those who may see and change them."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import update

from api.pages.run_wording import WORK
from registry.answers.model import AnswerRecord
from registry.connectors.model import Connector
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.jobs.kinds import KINDS
from registry.keys import service as keys
from registry.keys import store as key_store
from registry.keys.schemas import Scope
from registry.keys.store import spending
from registry.platform.database.job_queue import JOBS, defer
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import Unauthenticated
from registry.query_generations.model import QueryGeneration
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE
from tests.registry.world import TOWERS, build, honest

OPERATIONS = "/operations"
OPERATOR_KEYS = f"{OPERATIONS}/keys"
KEYS = f"{PAGES}/keys"
PRESS = "//tr[th = 'press']//form/@action"


def rows(browser: Browser, region: str) -> Mapping[str, list[str]]:
    """The cells of a table by its row headings."""
    body = browser.page.xpath(f"//*[@aria-label='{region}']//tbody/tr")
    return {row.xpath("string(th)").strip(): [cell.text_content().strip() for cell in row.xpath("td")] for row in body}


async def test_jobs_are_counted_by_kind_and_those_that_broke_off_tried_again(
    browser: Browser, reading: Runtime
) -> None:
    text = await browser.get(OPERATIONS)
    assert set(rows(browser, "Jobs")) == {WORK[kind.job.name] for kind in KINDS}
    assert "Interrupted jobs" not in text
    job, failed = KINDS[0].job, uuid4()
    async with reading.database.begin() as session:
        for subject_id in (uuid4(), failed):
            await defer(session, reading.jobs, job, subject_id)
        is_failed = JOBS.c.args["subject_id"].astext == str(failed)
        await session.execute(update(JOBS).where(is_failed).values(status="failed"))
    text = await browser.get(OPERATIONS)
    assert rows(browser, "Jobs")[WORK[job.name]] == ["1", "0", "1"]
    (retry,) = (form.action for form in browser.page.forms if form.action.endswith("/retry"))
    assert f"Job {retry.split('/')[-2]} of {WORK[job.name]}, 0 attempts" in text
    assert {"/metrics", "/docs"} <= set(browser.links())
    token = browser.page.forms[0].form_values()
    assert "Interrupted jobs" not in await browser.send(retry)
    assert rows(browser, "Jobs")[WORK[job.name]] == ["2", "0", "0"]
    assert (await browser.client.post(retry, data=dict(token))).status_code == 409


async def test_work_that_failed_is_repeated(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    problem, parameters = {"detail": HOSTILE[0]}, EstimationParameters().model_dump(mode="json")
    async with reading.database.begin() as session:
        failed: dict[str, Any] = {"corpus_id": corpus.id, "status": RunStatus.FAILED, "problem": problem}
        session.add(EstimationRun(**failed, number=1, trigger=Trigger.HTTP, parameters=parameters))
        session.add(AnswerRecord(**failed, question=HOSTILE[1], parameters={"strategy": "wmv"}))
        session.add(QueryGeneration(**failed))
        session.add(Connector(**failed, name=HOSTILE[2], kind="feed", config={"urls": ["https://a.example/"]}))
    text = await browser.get(OPERATIONS)
    assert not browser.page.xpath("//script | //img")
    assert text.count(HOSTILE[0]) == 4
    actions = [form.action for form in browser.page.forms if form.action.endswith("/repeat")]
    repeated = {kind.job.name for kind in KINDS if kind.repeat}
    assert {action.split("/")[5] for action in actions} == repeated
    for action in actions:
        await browser.get(OPERATIONS)
        await browser.send(action)
    assert {name for name, cells in rows(browser, "Jobs").items() if cells[0] == "1"} == {
        WORK[name] for name in repeated
    }
    token = dict(browser.page.forms[0].form_values())
    unknown = actions[0].replace(actions[0].split("/")[5], "magic")
    assert (await browser.client.post(unknown, data=token)).status_code == 404


async def test_keys_are_made_renewed_and_revoked(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await stranger.get("/sign-in")
    assert OPERATIONS not in stranger.links()
    await sign_in(stranger, await secret_of(reading, None, Scope.ADMIN))
    assert OPERATIONS in stranger.links()
    await stranger.get(OPERATIONS)
    for path in ("/metrics", "/docs", "/openapi.json"):
        assert (await stranger.client.get(path)).status_code == 200
    await stranger.get(OPERATOR_KEYS)
    assert list(rows(stranger, "API keys")) == ["visitor"]
    await stranger.send(OPERATOR_KEYS, name="second", scopes="admin", days="2")
    assert "never" not in rows(stranger, "API keys")["second"][2]
    assert secret(stranger)
    # Loading the page again makes no second key, and does not show the secret again.
    await stranger.get(OPERATOR_KEYS)
    assert list(rows(stranger, "API keys")) == ["visitor", "second"]
    assert not secret(stranger)
    second = stranger.page.xpath("//tr[th = 'second']//form/@action")[0].split("/")[-2]
    await stranger.send(f"{OPERATOR_KEYS}/{second}/limits", max_documents="10")
    assert rows(stranger, "API keys")["second"][5] == "Documents stored: 0 of 10"
    for name in HOSTILE:
        await stranger.get(KEYS)
        await stranger.send(KEYS, name=name, scopes="ask", daily_model_calls="500", addresses="10.0.0.7,\n::1")
        assert not stranger.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
        assert "\u202e" not in stranger.text
    first = secret(stranger)
    async with reading.database.begin() as session:
        key = (await key_store.page(session, corpus, cursor=None, limit=99)).items[-1]
        assert (await keys.authenticate(session, first, "::1")).key_id == key.id
        await spending.count_call(session, key.id, max_calls=500, max_tokens=None)
    cells = ["10.0.0.7/32, ::1/128", "Calls of language models a day: 1 of 500"]
    await stranger.get(KEYS)
    assert rows(stranger, "API keys")[HOSTILE[-1]][4:6] == cells
    await stranger.send(f"{KEYS}/{key.id}/limits", addresses="::1", daily_model_calls="7", requests_per_minute="30")
    limits = "Requests a minute: 0 of 30Calls of language models a day: 1 of 7"
    assert rows(stranger, "API keys")[HOSTILE[-1]][4:6] == ["::1/128", limits]
    assert "not valid" in await stranger.send(f"{KEYS}/{key.id}/limits", 422, addresses="nowhere")
    await stranger.get(KEYS)
    await stranger.send(f"{KEYS}/{key.id}/secrets", overlap_seconds="0")
    async with reading.database.begin() as session:
        assert (await keys.authenticate(session, secret(stranger), "::1")).key_id == key.id
        with pytest.raises(Unauthenticated):
            await keys.authenticate(session, first, "::1")
    assert "revoked" in await stranger.send(f"{KEYS}/{key.id}/revoke")
    await stranger.send(KEYS, name="press", scopes="ingest", sources="herald\nThe Times", source_prefix="herald/")
    shown = "Only the source The TimesOnly the source heraldOnly sources that begin with herald/none"
    assert rows(stranger, "API keys")["press"][5] == shown
    press = f"{KEYS}/{stranger.page.xpath(PRESS)[0].split('/')[-2]}/limits"
    fields = stranger.values(press)
    assert (fields["sources"].split("\n"), fields["source_prefix"]) == (["The Times", "herald"], "herald/")
    await stranger.send(press, sources="herald", source_prefix="")
    assert rows(stranger, "API keys")["press"][5] == "Only the source heraldnone"
    for fields in ({"name": " "}, {"name": "a", "addresses": "nowhere"}, {"name": "a", "days": "0"}):
        await stranger.get(KEYS)
        assert "not valid" in await stranger.send(KEYS, 422, **fields)


def secret(browser: Browser) -> str:
    """The new secret that the page shows."""
    return str(browser.page.xpath("string(//code[@class='secret'])"))


@pytest.mark.parametrize("scope", [Scope.ADMIN, Scope.READ])
async def test_keys_of_one_corpus_or_without_the_scope_see_nothing(
    stranger: Browser, reading: Runtime, corpus: Corpus, scope: Scope
) -> None:
    await sign_in(stranger, await secret_of(reading, corpus if scope == Scope.ADMIN else None, Scope.READ, scope))
    await stranger.get("/corpora")
    assert OPERATIONS not in stranger.links()
    for path in (OPERATIONS, OPERATOR_KEYS):
        await stranger.get(path, 403)
    await stranger.get(KEYS, 200 if scope == Scope.ADMIN else 403)


async def test_storage_spending_and_quotas_of_corpora(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": honest()}, TOWERS)
    usage = {"model_calls": 3, "input_tokens": 5000, "output_tokens": 70}
    async with reading.database.begin() as session:
        session.add(AnswerRecord(corpus_id=corpus.id, question="a", status="succeeded", result={"usage": usage}))
    text = await browser.get(OPERATIONS)
    assert "3 calls for 1 question of the last 30 days; 5,000 tokens read and 70 written" in text
    assert next(iter(rows(browser, "Corpora").values()))[0] == "6"
    quotas = f"{OPERATIONS}/corpora/default/quotas"
    await browser.send(quotas, daily_questions="9", max_documents="1000")
    assert next(iter(rows(browser, "Corpora").values()))[:3:2] == ["6 of 1,000", "0 of 9"]
    await browser.send(quotas, daily_questions="", max_documents="")
    assert next(iter(rows(browser, "Corpora").values()))[:3:2] == ["6", "no limit"]
    assert "not valid" in await browser.send(quotas, 422, daily_questions="-1")
