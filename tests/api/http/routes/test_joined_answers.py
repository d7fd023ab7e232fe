"""Wordings joined over HTTP: from then on they are one answer to the question, until the join is undone."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.api.pages.test_sources import estimate
from tests.registry.world import TOWERS, TRUTH, build, honest, question
from tests.tables import for_each

Problem = Callable[[httpx.Response, int], dict[str, Any]]
JOINS = f"{CORPUS}/joined-answers"
TOWER = TOWERS[0]
ASKED, RIGHT, OTHER = question(TOWER), TRUTH[TOWER], "crimson"


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> Runtime:
    """Two sources, of which one has another word for what the other one says."""
    await build(reading, corpus, {"one": honest(), "two": honest() | {TOWER: OTHER}}, TOWERS)
    return reading


async def tally(client: httpx.AsyncClient, policy: str = "values") -> list[int]:
    """The number of votes for each answer of the question."""
    body = {"question": ASKED, "parameters": {"class_policy": policy, "keep_as_query": False}}
    result = (await client.post(f"{CORPUS}/answers", json=body)).json()["result"]
    return [entry["votes"] for entry in result["tally"]]


async def run_votes(client: httpx.AsyncClient, run_id: object) -> dict[str, str]:
    """The classes of the votes of a run on the question, by answer."""
    queries = (await client.get(f"{CORPUS}/estimations/{run_id}/queries", params={"limit": 500})).json()["items"]
    query_id = next(query["query_id"] for query in queries if query["query_text"] == ASKED)
    votes = (await client.get(f"{CORPUS}/estimations/{run_id}/queries/{query_id}/votes")).json()["items"]
    return {vote["answer"]: vote["answer_key"] for vote in votes}


async def test_joined_wordings_are_one_answer_until_they_are_parted(
    client: httpx.AsyncClient, world: Runtime, corpus: Corpus
) -> None:
    before = await estimate(world, corpus)
    query = next(
        row
        for row in (await client.get(f"{CORPUS}/queries", params={"limit": 500})).json()["items"]
        if row["text"] == ASKED
    )
    gold = f"{CORPUS}/queries/{query['id']}/gold"
    consensus = f"{CORPUS}/queries/{query['id']}/consensus"
    assert await tally(client) == await tally(client, "rounded") == [1, 1]
    assert len((await client.get(consensus)).json()["tally"]) == 2
    made = await client.post(JOINS, json={"question": ASKED, "answers": [RIGHT, f" {OTHER.upper()} "]})
    join = made.json()
    assert (made.status_code, made.headers["Location"]) == (201, f"{JOINS}/{join['id']}")
    assert join["answers"] == [RIGHT, OTHER.upper()]
    assert await tally(client) == await tally(client, "rounded") == [2]
    assert len((await client.get(consensus)).json()["tally"]) == 1
    # A right answer judges the votes of the run before, too.
    assert (await client.post(gold, json={"answers": [OTHER]})).json()["votes_after"] == {"right": 2, "wrong": 0}
    assert len(set((await run_votes(client, before.id)).values())) == 2
    after = await estimate(world, corpus)
    assert len(set((await run_votes(client, after.id)).values())) == 1
    assert (await client.delete(f"{JOINS}/{join['id']}")).status_code == 204
    assert await tally(client) == [1, 1]
    assert len(set((await run_votes(client, (await estimate(world, corpus)).id)).values())) == 2


@pytest.mark.usefixtures("corpus")
async def test_joins_are_listed_by_question(client: httpx.AsyncClient, problem: Problem) -> None:
    for asked in ("Who?", "Where?", "Who?"):
        await client.post(JOINS, json={"question": asked, "answers": ["a", "b"]})
    listed = (await client.get(JOINS, params={"question": "Who?"})).json()["items"]
    assert [(row["question"], row["created_by"]) for row in listed] == [("Who?", "anonymous")] * 2
    await client.delete(f"{JOINS}/{listed[0]['id']}")
    problem(await client.delete(f"{JOINS}/{listed[0]['id']}"), 404)
    problem(await client.delete(f"{JOINS}/{uuid4()}"), 404)
    assert [row["question"] for row in (await client.get(JOINS)).json()["items"]] == ["Where?", "Who?"]
    actions = [row["action"] for row in (await client.get(f"{CORPUS}/audit")).json()["items"]]
    assert sorted(actions) == ["answers.joined"] * 3 + ["answers.parted"]


@pytest.mark.usefixtures("corpus")
@for_each("body", [{"answers": ["a"]}, {"answers": ["a b", " a  b "]}, {"answers": ["a", " "]}, {"answers": []}])
async def test_a_join_has_two_wordings(client: httpx.AsyncClient, problem: Problem, body: dict[str, Any]) -> None:
    problem(await client.post(JOINS, json={"question": "Who?"} | body), 422)
