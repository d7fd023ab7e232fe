"""Questions over HTTP, waited for or not, and what the answers carry."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from answering.errors import ModelRateLimited, ModelRefused, ModelTimeout
from api.app import create_app
from registry.answers import jobs as queued_answers
from registry.corpora.model import Corpus
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.api.http.routes.test_estimations import events
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimated import finished
from tests.registry.world import question

Problem = Callable[[httpx.Response, int], dict[str, Any]]


async def asked(
    client: httpx.AsyncClient, tower: str, headers: dict[str, str] | None = None, **body: object
) -> httpx.Response:
    return await client.post(f"{CORPUS}/answers", json={"question": question(tower), **body}, headers=headers)


async def test_no_question_stops_early_while_classes_may_still_merge(
    client: httpx.AsyncClient, problem: Problem
) -> None:
    refused = await asked(client, "Aldra", parameters={"stop_early": True, "class_policy": "rounded"})
    assert "class_policy" in problem(refused, 422)["errors"][0]["message"]


async def test_an_answer_says_what_made_it(client: httpx.AsyncClient, world: Runtime, corpus: Corpus) -> None:
    run = await finished(world, corpus)
    response = await asked(client, "Aldra")
    assert response.status_code == 201
    assert (await client.get(response.headers["location"])).json() == response.json()
    result = response.json()["result"]
    assert (result["outcome"], result["answers"]) == ("answered", ["red"])
    assert {source["external_id"] for source in result["selected_sources"]} == {"herald", "gazette", "rumour"}
    assert [dissent["answer"] for dissent in result["dissent"]] == ["purple"]
    assert result["estimation_id"] == str(run.id)
    assert result["usage"]["readings"] == 3
    assert result["calibrated_confidence"]["basis"] in {"estimate", "too_little"}
    assert result["calibrated_confidence"]["share"] is None
    for citation in result["citations"]:
        address = f"{CORPUS}/sources/{citation['source_id']}/documents/{citation['document_id']}"
        document = (await client.get(address)).json()
        assert document["content"][citation["start"] : citation["end"]] == citation["quote"]
    listed = (await client.get(f"{CORPUS}/answers")).json()["items"]
    assert [(answer["id"], answer["outcome"]) for answer in listed] == [(response.json()["id"], "answered")]
    assert "result" not in listed[0]


async def test_who_does_not_want_to_wait_need_not(client: httpx.AsyncClient, world: Runtime) -> None:
    accepted = await asked(client, "Corvo", headers={"Prefer": "handling=strict, Respond-Async"})
    assert accepted.status_code == 202
    assert accepted.headers["preference-applied"] == "respond-async"
    address = accepted.headers["location"]
    waiting = await client.get(address)
    assert (waiting.json()["status"], waiting.json()["result"]) == ("queued", None)
    assert waiting.headers["retry-after"]
    await queued_answers.run(world, accepted.json()["id"])
    done = (await client.get(address)).json()
    assert done["status"] == "succeeded"
    assert done["result"]["answers"] == ["green"]
    followed = [step["event"] for step in events((await client.get(f"{address}/events")).text) if "event" in step]
    assert followed == ["queued", "running", "voted", "succeeded"]


@pytest.mark.usefixtures("world")
async def test_questions_are_checked(client: httpx.AsyncClient, problem: Problem) -> None:
    for body in ({}, {"question": ""}, {"question": "  "}, {"question": "x" * 10_001}, {"question": 1}):
        problem(await client.post(f"{CORPUS}/answers", json=body), 422)
    for parameters in ({"kappa": 0}, {"kappa": 1.5}, {"strategy": "magic"}, {"min_margin": 2}, {"unknown": 1}):
        problem(await asked(client, "Aldra", parameters=parameters), 422)


async def test_an_empty_corpus_has_nobody_to_ask(client: httpx.AsyncClient, problem: Problem) -> None:
    problem(await asked(client, "Aldra"), 409)


def app_with(settings: Settings, runtime: Runtime, reader: ScriptedReader) -> FastAPI:
    return create_app(settings, runtime=replace(runtime, reader=reader))


@pytest.mark.parametrize(
    "error", [ModelRefused("no such model"), ModelTimeout("slow"), ModelRateLimited("later", retry_after=7)]
)
async def test_a_reader_that_fails_is_a_problem_or_an_abstention(
    settings: Settings, world: Runtime, problem: Problem, error: Exception
) -> None:
    reader = ScriptedReader(lambda _question, _passages: error)  # type: ignore[arg-type]  # one of its errors
    async with client_of(app_with(settings, world, reader)) as client:
        response = await asked(client, "Aldra")
        if response.status_code == 201:
            assert response.json()["result"]["answers"] == []
        else:
            problem(response, response.status_code)
            assert response.status_code in {502, 503, 504}


async def test_a_slow_reader_ends_in_a_problem(settings: Settings, world: Runtime, problem: Problem) -> None:
    limited = settings.model_copy(update={"answer_timeout_seconds": 0.3})
    slow = replace(world, settings=limited, reader=ScriptedReader({}, delay=30))
    async with client_of(create_app(limited, runtime=slow)) as client:
        response = await asked(client, "Aldra")
        assert problem(response, 504)["type"] == "/problems/too-slow"
        assert response.headers["retry-after"]
