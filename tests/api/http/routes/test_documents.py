"""Documents over HTTP, one by one."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.http.conftest import CORPUS

Problem = Callable[[httpx.Response, int], dict[str, Any]]


@pytest.fixture
async def documents(client: httpx.AsyncClient) -> str:
    """The address of a source's documents."""
    created = await client.post(f"{CORPUS}/sources", json={"name": "Acme", "external_id": "acme"})
    return f"{created.headers['location']}/documents"


async def test_a_document_from_beginning_to_end(client: httpx.AsyncClient, problem: Problem, documents: str) -> None:
    body = {
        "external_id": "post-17",
        "title": "Zephyr",
        "content": "The Zephyr 3 was announced in Oslo. \U0001f680 " * 50,
        "published_at": "2021-05-04T12:00:00+02:00",
    }
    created = await client.post(documents, json=body)
    assert created.status_code == 201
    assert created.json()["status"] == "created"
    assert created.json()["passages"] > 1
    address = created.headers["location"]
    answer = (await client.get(address)).json()
    assert answer["content"].startswith("The Zephyr 3")
    assert answer["published_at"] == "2021-05-04T10:00:00Z"
    again = await client.post(documents, json=body)
    assert (again.status_code, again.json()["status"]) == (200, "unchanged")
    assert again.headers["location"] == address
    changed = await client.post(documents, json={**body, "content": "Bergen it was."})
    assert (changed.status_code, changed.json()["status"]) == (200, "updated")
    listed = (await client.get(documents)).json()["items"]
    assert [document["external_id"] for document in listed] == ["post-17"]
    assert "content" not in listed[0]
    assert (await client.delete(address)).status_code == 204
    problem(await client.get(address), 404)


async def test_former_revisions_are_listed_and_read(
    client: httpx.AsyncClient, problem: Problem, documents: str
) -> None:
    bodies = [{"external_id": "a", "title": "Zephyr", "content": f"It has {number} masts."} for number in range(1, 8)]
    (document_id,) = {(await client.post(documents, json=body)).json()["document_id"] for body in bodies}
    revisions = f"{CORPUS}/documents/{document_id}/revisions"
    listed = (await client.get(revisions)).json()["items"]
    assert [row["revision"] for row in listed] == [2, 3, 4, 5, 6, 7]
    assert [row["changed"] for row in listed] == [None, *[["content"]] * 5]
    assert (listed[0]["replaced_at"], listed[-1]["replaced_at"]) == (listed[1]["stored_at"], None)
    for number in (2, 7):
        read = (await client.get(f"{revisions}/{number}")).json()
        assert (read["document_id"], read["content"]) == (document_id, f"It has {number} masts.")
    assert (await client.get(f"{documents}/{document_id}")).json()["revision"] == 7
    for number in (1, 8, 2**31 - 1):
        assert "CREDENCE_KEEP_REVISIONS" in problem(await client.get(f"{revisions}/{number}"), 404)["detail"]
    for number in (0, 2**31):
        problem(await client.get(f"{revisions}/{number}"), 422)
    await client.delete(f"{documents}/{document_id}")
    problem(await client.get(f"{revisions}/2"), 404)
    problem(await client.get(revisions), 404)


async def test_a_document_belongs_to_its_source(client: httpx.AsyncClient, problem: Problem, documents: str) -> None:
    created = (await client.post(documents, json={"content": "x"})).json()
    other = await client.post(f"{CORPUS}/sources", json={"name": "Other"})
    problem(await client.get(f"{other.headers['location']}/documents/{created['document_id']}"), 404)
    problem(await client.delete(f"{other.headers['location']}/documents/{created['document_id']}"), 404)


async def test_documents_of_ten_megabytes(client: httpx.AsyncClient, problem: Problem, documents: str) -> None:
    sentence = "The tower of Aldra is painted red. "
    refused = await client.post(documents, json={"content": sentence * (10_000_000 // len(sentence))})
    problem(refused, 422)
    assert (await client.get(documents)).json()["items"] == []


async def test_documents_of_an_unknown_source(client: httpx.AsyncClient, problem: Problem) -> None:
    address = f"{CORPUS}/sources/0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c/documents"
    problem(await client.post(address, json={"content": "x"}), 404)
    problem(await client.get(address), 404)
    lines = await client.post(
        f"{address}:import", content=b'{"content": "x"}', headers={"content-type": "application/x-ndjson"}
    )
    problem(lines, 404)
