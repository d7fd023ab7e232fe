"""Debates over HTTP: streamed, within the limits of a key, given up when nobody waits."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from api.app import create_app
from registry.answers import jobs as queued_answers
from registry.corpora.model import Corpus
from registry.keys.store.spending import spent_today
from registry.platform.providers import Judges
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.api.http.routes.test_estimations import events
from tests.fakes.openai_server import FakeOpenAIServer
from tests.registry.debaters import chat_of, served, settings_with
from tests.registry.world import TOWERS, build, honest, liar, question

Problem = Callable[[httpx.Response, int], dict[str, Any]]


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with served() as server:
        yield server


@pytest.fixture
async def debating(reading: Runtime, corpus: Corpus, server: FakeOpenAIServer) -> AsyncIterator[Runtime]:
    """Sources that disagree about some towers, and a service with a language model."""
    settings = settings_with(reading.settings, server).model_copy(
        update={"passages_per_source": 1, "require_api_keys": True, "conflict_judge": AnswerJudge.NONE}
    )
    chat = chat_of(settings)
    runtime = replace(reading, settings=settings, chat=chat)
    await build(runtime, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin")}, TOWERS)
    yield runtime
    await chat.aclose()


@pytest.fixture
def debating_app(debating: Runtime) -> FastAPI:
    return create_app(debating.settings, runtime=debating)


@pytest.fixture
async def open_client(debating: Runtime) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service that asks for no keys."""
    settings = debating.settings.model_copy(update={"require_api_keys": False})
    async with client_of(create_app(settings, runtime=replace(debating, settings=settings))) as client:
        yield client


async def asked(
    client: httpx.AsyncClient, tower: str = "Aldra", headers: dict[str, str] | None = None, **parameters: object
) -> httpx.Response:
    body = {"question": question(tower), "parameters": parameters}
    return await client.post(f"{CORPUS}/answers", json=body, headers=headers)


async def key_client(
    app: FastAPI, open_client: httpx.AsyncClient, **limits: int
) -> tuple[httpx.AsyncClient, dict[str, Any]]:
    """A client with a key of these limits."""
    created = await open_client.post(f"{CORPUS}/keys", json={"name": "app", "scopes": ["ask"], **limits})
    assert created.status_code == 201
    client = client_of(app)
    client.headers["Authorization"] = f"Bearer {created.json()['secret']}"
    return client, created.json()


async def test_a_debate_comes_turn_by_turn_with_its_answer(open_client: httpx.AsyncClient) -> None:
    streamed = await asked(open_client, headers={"Accept": "text/event-stream"}, strategy="madam", madam={"rounds": 1})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    steps = [step for step in events(streamed.text) if "event" in step]
    kinds = [step["event"] for step in steps]
    assert kinds[:2] == ["voted", "debate_began"]
    assert (kinds.count("turn_ended"), kinds[-1]) == (4, "answered")
    answer = json.loads(steps[-1]["data"])["data"]
    assert (await open_client.get(f"{CORPUS}/answers/{answer['id']}")).json() == answer


async def test_a_debate_can_be_followed_turn_by_turn(open_client: httpx.AsyncClient, debating: Runtime) -> None:
    accepted = await asked(open_client, headers={"Prefer": "respond-async"}, strategy="madam", madam={"rounds": 1})
    assert accepted.status_code == 202
    await queued_answers.run(debating, accepted.json()["id"])
    address = f"{accepted.headers['location']}/events"
    steps = [step for step in events((await open_client.get(address)).text) if "event" in step]
    kinds = [step["event"] for step in steps]
    assert kinds[:4] == ["queued", "running", "voted", "debate_began"]
    assert kinds[-1] == "succeeded"
    assert (kinds.count("turn_began"), kinds.count("turn_ended")) == (4, 4)
    ended = [json.loads(step["data"])["data"] for step in steps if step["event"] == "turn_ended"]
    assert {(turn["agent"], turn["round"]) for turn in ended} == {
        ("agent 1", 1), ("agent 2", 1), ("agent 3", 1), ("aggregator", 1),
    }  # fmt: skip
    assert ended[-1]["said"] == 'Answers: ["red"] Explanation: Most agents say so.'
    assert ended[-1]["input_tokens"] == 11
    resumed = (await open_client.get(address, headers={"Last-Event-ID": steps[5]["id"]})).text
    assert [step["id"] for step in events(resumed) if "event" in step] == [step["id"] for step in steps[6:]]


@pytest.mark.usefixtures("debating")
async def test_no_model_is_a_problem_that_names_the_setting(client: httpx.AsyncClient, problem: Problem) -> None:
    for headers in ({}, {"Prefer": "respond-async"}):
        refused = problem(await asked(client, strategy="madam", headers=headers), 503)
        assert refused["type"] == "/problems/not-configured"
        assert "CREDENCE_CHAT_URL" in refused["detail"]


async def test_a_key_spends_what_it_has_and_no_more(
    debating_app: FastAPI, open_client: httpx.AsyncClient, problem: Problem, server: FakeOpenAIServer
) -> None:
    client, key = await key_client(debating_app, open_client, daily_model_calls=6)
    assert (key["daily_model_calls"], key["spent_today"]) == (6, {"model_calls": 0, "tokens": 0, "questions": 0})
    async with client:
        first = (await asked(client, strategy="madam", madam={"rounds": 1})).json()["result"]
        assert first["debate"]["usage"]["model_calls"] == 4
        second = (await asked(client, strategy="madam", madam={"rounds": 1})).json()["result"]
        assert second["debate"]["usage"]["model_calls"] == 2
        assert second["debate"]["stop_reason"] == "out_of_budget"
        assert any("API key" in note for note in second["notes"])
        refused = await asked(client, strategy="madam", headers={"Idempotency-Key": "once"})
        answer = problem(refused, 429)
        assert answer["type"] == "/problems/limit-reached"
        assert "6 model calls a day" in answer["detail"]
        assert 0 < int(refused.headers["retry-after"]) <= 86_400
        problem(await asked(client, strategy="madam", headers={"Prefer": "respond-async"}), 429)
        # What may succeed tomorrow is not kept, and what costs nothing is not refused.
        again = await asked(client, strategy="madam", headers={"Idempotency-Key": "once"})
        assert "idempotency-replayed" not in again.headers
        assert (await asked(client)).status_code == 201
    assert len(server.requests) == 6
    (listed,) = (await open_client.get(f"{CORPUS}/keys")).json()["items"]
    assert listed["spent_today"] == {"model_calls": 6, "tokens": 6 * 14, "questions": 0}


async def test_a_language_model_that_judges_is_paid_by_the_key(
    debating: Runtime, open_client: httpx.AsyncClient, problem: Problem, server: FakeOpenAIServer
) -> None:
    settings = debating.settings.model_copy(update={"conflict_judge": AnswerJudge("language_model")})
    app = create_app(settings, runtime=replace(debating, settings=settings, judges=Judges(debating.chat)))
    client, _ = await key_client(app, open_client, daily_model_calls=5)
    documents = [{"content": f"Number {number} says that it is red."} for number in range(2)]
    body = {"response": "It is red.", "documents": documents, "parameters": {"judge": "language_model"}}
    async with client:
        voted = (await asked(client)).json()["result"]
        assert voted["conflict_score"]["usage"]["model_calls"] == 3
        assert voted["usage"]["model_calls"] == voted["usage"]["readings"] + 3
        assert (await client.post(f"{CORPUS}/conflict-scores", json=body)).status_code == 200
        refused = problem(await client.post(f"{CORPUS}/conflict-scores", json=body), 429)
        assert "5 model calls a day" in refused["detail"]
        unjudged = (await asked(client)).json()["result"]
        assert (unjudged["answers"], unjudged["conflict_score"]) == (["red"], None)
        assert "5 model calls a day" in unjudged["conflict_score_missing"]
    assert len(server.requests) == 5


async def test_tokens_are_exceeded_at_most_by_the_calls_under_way(
    debating_app: FastAPI, open_client: httpx.AsyncClient, debating: Runtime, problem: Problem
) -> None:
    client, key = await key_client(debating_app, open_client, daily_tokens=20)
    async with client:
        answered = await asked(client, strategy="self_consistency", self_consistency={"samples": 10})
        assert answered.status_code == 201
        assert answered.json()["result"]["debate"]["stop_reason"] == "out_of_budget"
        assert "20 tokens a day" in problem(await asked(client, strategy="no_rag"), 429)["detail"]
        degraded = (await asked(client, strategy="auto", auto={"debate": "madam"})).json()["result"]
        assert degraded["decided_by"] == "vote"
    async with debating.database.begin() as session:
        spent = await spent_today(session, [UUID(key["id"])])
    assert [20 <= item.tokens < 20 + 14 * 4 for item in spent.values()] == [True]


async def test_a_queued_question_is_paid_by_the_key_that_asked(
    debating_app: FastAPI, open_client: httpx.AsyncClient, debating: Runtime
) -> None:
    client, _ = await key_client(debating_app, open_client, daily_model_calls=2)
    async with client:
        accepted = await asked(client, headers={"Prefer": "respond-async"}, strategy="madam")
        await queued_answers.run(debating, accepted.json()["id"])
        done = (await client.get(accepted.headers["location"])).json()
    assert done["status"] == "succeeded"
    assert done["result"]["debate"]["usage"]["model_calls"] == 2
