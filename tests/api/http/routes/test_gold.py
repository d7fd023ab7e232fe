"""Right answers over HTTP: set, replaced, listed, undone, with what each change moves."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.api.pages.test_sources import estimate
from tests.registry.world import TOWERS, TRUTH, build, honest, liar, question

Problem = Callable[[httpx.Response, int], dict[str, Any]]
TOWER = TOWERS[0]
RIGHT, WRONG = TRUTH[TOWER], liar(TOWER)[TOWER]


@pytest.fixture
async def gold(client: httpx.AsyncClient, reading: Runtime, corpus: Corpus) -> str:
    """The address of the right answers of a query that two sources answer rightly, and one does not."""
    await build(reading, corpus, {"one": honest(), "two": honest(), "three": liar(TOWER)}, TOWERS)
    body = {"external_id": TOWER, "text": question(TOWER)}
    return f"{CORPUS}/queries/{(await client.post(f'{CORPUS}/queries', json=body)).json()['id']}/gold"


async def test_a_right_answer_moves_votes_and_the_next_run(
    client: httpx.AsyncClient, problem: Problem, reading: Runtime, corpus: Corpus, gold: str
) -> None:
    nothing_yet = (await client.post(gold, json={"answers": [WRONG]})).json()
    assert (nothing_yet["estimation_id"], nothing_yet["moved"]) == (None, [])
    await client.post(f"{gold}/{nothing_yet['entry']['id']}:undo")
    await estimate(reading, corpus)
    first = (await client.post(gold, json={"answers": [WRONG]})).json()
    assert (first["answers_before"], first["answers_after"]) == (None, [WRONG])
    assert first["votes_before"] == {"right": 0, "wrong": 0}
    assert first["votes_after"] == {"right": 1, "wrong": 2}
    assert {vote["source_name"]: (vote["before"], vote["after"]) for vote in first["moved"]} == {
        "One": (None, False),
        "Two": (None, False),
        "Three": (None, True),
    }
    second = (await client.post(gold, json={"answers": [RIGHT.upper()]})).json()
    assert second["answers_after"] == [WRONG, RIGHT.upper()]
    assert second["votes_after"] == {"right": 3, "wrong": 0}
    assert {vote["source_name"] for vote in second["moved"]} == {"One", "Two"}
    assert (await client.post(gold, json={"answers": [WRONG]})).json()["entry"] is None
    problem(await client.post(f"{gold}/{first['entry']['id']}:undo"), 409)
    undone = (await client.post(f"{gold}/{second['entry']['id']}:undo")).json()
    assert (undone["answers_before"], undone["answers_after"]) == ([WRONG, RIGHT.upper()], [WRONG])
    assert undone["entry"]["undone_at"] is not None
    problem(await client.post(f"{gold}/{second['entry']['id']}:undo"), 409)
    replaced = (await client.post(gold, json={"answers": [RIGHT], "replace": True})).json()
    assert (replaced["answers_after"], replaced["votes_after"]) == ([RIGHT], {"right": 2, "wrong": 1})
    run = await estimate(reading, corpus)
    shown = (await client.get(f"{CORPUS}/estimations/{run.id}")).json()
    assert (shown["parameters"]["use_gold"], shown["outcome"]["gold_queries"]) == (True, 1)


async def test_the_history_is_listed_newest_first(client: httpx.AsyncClient, problem: Problem, gold: str) -> None:
    for answer in ("a", "b", "c"):
        await client.post(gold, json={"answers": [answer]})
    await client.patch(gold.removesuffix("/gold"), json={"gold_answers": ["d"]})
    listed = (await client.get(gold, params={"limit": 3})).json()
    assert [entry["answers_after"] for entry in listed["items"]] == [["d"], ["a", "b", "c"], ["a", "b"]]
    rest = (await client.get(gold, params={"cursor": listed["next_cursor"]})).json()
    (oldest,) = rest["items"]
    assert (oldest["answers_before"], oldest["answers_after"], oldest["undone_at"]) == (None, ["a"], None)
    assert (oldest["created_by"], oldest["actor"]) == ("anonymous", "anonymous")
    problem(await client.post(gold, json={"answers": []}), 422)
    unknown = f"{CORPUS}/queries/{uuid4()}/gold"
    problem(await client.get(unknown), 404)
    problem(await client.post(unknown, json={"answers": ["a"]}), 404)
    problem(await client.post(f"{gold}/{uuid4()}:undo"), 404)


async def test_who_may_only_add_undoes_what_it_added_and_nothing_of_others(
    client: httpx.AsyncClient, gold: str
) -> None:
    async def labeller(name: str) -> dict[str, str]:
        body = {"name": name, "scopes": ["ingest", "read"]}
        return {"Authorization": f"Bearer {(await client.post(f'{CORPUS}/keys', json=body)).json()['secret']}"}

    one, two = await labeller("one"), await labeller("two")
    for path, body in ((gold, {}), (f"{CORPUS}/joined-answers", {"question": question(TOWER)})):

        async def set_by(
            labeller: dict[str, str], path: str = path, body: dict[str, Any] = body, **answers: list[str]
        ) -> str:
            made = (await client.post(path, json=body | answers, headers=labeller)).raise_for_status().json()
            return f"{path}/{made['id']}" if "id" in made else f"{path}/{made['entry']['id']}:undo"

        async def undo(address: str, labeller: dict[str, str]) -> int:
            how = "POST" if address.endswith(":undo") else "DELETE"
            return (await client.request(how, address, headers=labeller)).status_code

        own, of_nobody = await set_by(one, answers=[WRONG, "x"]), await set_by({}, answers=["black", "grey"])
        assert await undo(of_nobody, one) == 403
        assert await undo(of_nobody, {}) < 300
        assert await undo(own, two) == 403
        assert await undo(own, one) < 300
