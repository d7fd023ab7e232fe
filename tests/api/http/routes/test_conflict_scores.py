"""Scores over HTTP, and on every answer."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from answering.enums import JudgeKind
from answering.errors import ModelRefused, ModelTimeout
from api.app import create_app
from registry.corpora.model import Corpus
from registry.platform.providers import Judges
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.fakes.scripted_judge import ScriptedJudge
from tests.registry.world import build, honest, liar, question
from tests.tables import for_each

Problem = Callable[[httpx.Response, int], dict[str, Any]]
URL = f"{CORPUS}/conflict-scores"
SENT = [
    {"external_id": "a", "source": "Herald", "reliability": 0.9, "content": "The bridge of Brin was opened in 1911."},
    {"external_id": "b", "source": "Rumour", "reliability": 0.3, "content": "The bridge of Brin was opened in 1950."},
]
BODY = {"response": "1911", "question": "In which year was the bridge of Brin opened?", "documents": SENT}


async def test_a_score_says_who_says_what_in_which_words(client: httpx.AsyncClient) -> None:
    response = await client.post(URL, json=BODY)
    assert response.status_code == 200
    score = response.json()["score"]
    assert (score["cs_c"], score["cs_r"]) == (1, 0.5)
    assert score["weighted_cs_c"] == pytest.approx(1 / 3)
    assert score["weighted_cs_r"] == pytest.approx(0.25)
    (claim,) = score["claims"]
    assert claim["text"] == "In which year was the bridge of Brin opened? 1911."
    for side, index in (("supporting", 0), ("contradicting", 1)):
        (evidence,) = claim[side]
        sent = SENT[index]
        assert (evidence["source"], evidence["reliability"], evidence["document_external_id"]) == (
            sent["source"],
            sent["reliability"],
            sent["external_id"],
        )
        assert str(sent["content"])[evidence["start"] : evidence["end"]] == evidence["quote"]
        assert 0.5 < evidence["probability"] <= 1
    assert response.json()["regenerated"] is None


async def test_without_documents_the_corpus_is_searched(
    client: httpx.AsyncClient, reading: Runtime, corpus: Corpus
) -> None:
    await build(reading, corpus, {"herald": honest(), "rumour": liar("Aldra")})
    score = (await client.post(URL, json={"response": "red", "question": question("Aldra")})).json()["score"]
    (claim,) = score["claims"]
    assert [evidence["source"] for evidence in claim["supporting"]] == ["Herald"]
    (against,) = claim["contradicting"]
    address = f"{CORPUS}/sources/{against['source_id']}/documents/{against['document_id']}"
    content = (await client.get(address)).json()["content"]
    assert content[against["start"] : against["end"]] == against["quote"]
    answer = (await client.post(f"{CORPUS}/answers", json={"question": question("Aldra")})).json()["result"]
    assert answer["conflict_score"]["cs_c"] == 1
    assert answer["conflict_score_missing"] is None


@for_each(
    ("body", "location"),
    [
        ({}, "body.response"),
        ({"response": " "}, "body.response"),
        ({"response": "x" * 20_001}, "body.response"),
        ({"response": "x\x00y"}, "body.response"),
        ({"response": "x", "question": ""}, "body.question"),
        ({"response": "x", "documents": [{}]}, "body.documents.0.content"),
        ({"response": "x", "documents": [{"content": "y", "reliability": 2}]}, "body.documents.0.reliability"),
        ({"response": "x", "documents": [{"content": "y", "reliability": True}]}, "body.documents.0.reliability"),
        ({"response": "x", "documents": [{"content": "y"}] * 101}, "body.documents"),
        ({"response": "x", "documents": [{"content": "y", "text": "z"}]}, "body.documents.0.text"),
        ({"response": "x", "regenerate": "yes"}, "body.regenerate"),
        ({"response": "x", "parameters": {"judge": "oracle"}}, "body.parameters.judge"),
        ({"response": "x", "parameters": {"max_sources": 0}}, "body.parameters.max_sources"),
        ({"response": "It is red. " + "\n".join(f"It is {at} m." for at in range(101))}, "body.response"),
    ],
)
async def test_requests_are_checked(
    client: httpx.AsyncClient, problem: Problem, body: dict[str, object], location: str
) -> None:
    refused = problem(await client.post(URL, json=body), 422)
    assert [fault["location"] for fault in refused["errors"]] == [location]


@pytest.mark.parametrize(
    "more",
    [
        {"regenerate": True},
        {"parameters": {"judge": "language_model"}},
        {"parameters": {"claims": "language_model"}},
    ],
)
async def test_without_a_language_model_the_setting_is_named(
    client: httpx.AsyncClient, problem: Problem, more: dict[str, object]
) -> None:
    payload = problem(await client.post(URL, json=BODY | more), 503)
    assert payload["type"] == "/problems/not-configured"
    assert "CREDENCE_CHAT_MODEL" in payload["detail"]


@pytest.mark.parametrize(
    ("error", "status"),
    [(ModelRefused("no such model"), 502), (ModelTimeout("slow"), 504)],
)
async def test_a_judge_that_fails_is_a_problem(
    settings: Settings, reading: Runtime, problem: Problem, error: Exception, status: int
) -> None:
    judge = ScriptedJudge(lambda _: error)  # type: ignore[arg-type]  # one of its errors
    broken = replace(reading, judges=Judges(replacements={JudgeKind.COMPACT: judge}))
    async with client_of(create_app(settings, runtime=broken)) as client:
        problem(await client.post(URL, json=BODY), status)
