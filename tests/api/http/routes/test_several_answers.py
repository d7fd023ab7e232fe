"""Queries to which several answers may be true, over HTTP."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import numpy as np
import pytest

from estimator import estimate_several
from registry.estimations import service as estimation
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS
from tests.api.http.routes.test_imports import NDJSON, lines, ndjson

Problem = Callable[[httpx.Response, int], dict[str, Any]]
# What each shop lists as the authors of a book: one all, two the first only, and one an author that nobody else knows.
AUTHORS = {f"book {number}": [f"Aho {number}", f"Bird {number}", f"Cox {number}"] for number in range(6)}
SHOPS: dict[str, Callable[[list[str]], list[str]]] = {
    "all": lambda authors: authors,
    "few": lambda authors: authors[:2],
    "first": lambda authors: authors[:1],
    "wrong": lambda authors: [authors[0], authors[0].replace("Aho", "Zed")],
}


async def imported(client: httpx.AsyncClient, *votes: Mapping[str, object]) -> list[dict[str, Any]]:
    return lines(await client.post(f"{CORPUS}/votes:import", content=ndjson(*votes), headers=NDJSON))


@pytest.fixture
async def books(client: httpx.AsyncClient) -> None:
    """The lists of all shops, two of them as a line for each author."""
    await client.patch(CORPUS, json={"answers": "several"})
    votes: list[dict[str, object]] = []
    for book, authors in AUTHORS.items():
        for shop, lists in SHOPS.items():
            vote: dict[str, object] = {"source": shop, "query": book}
            if shop in {"all", "few"}:
                votes += [vote | {"answer": author} for author in lists(authors)]
            else:
                votes.append(vote | {"answer": lists(authors)})
    assert {line["status"] for line in await imported(client, *votes)} == {"created"}


async def stored(client: httpx.AsyncClient, shop: str, book: str) -> list[str]:
    [vote] = (await client.get(f"{CORPUS}/votes", params={"source": shop, "query": book})).json()["items"]
    return str(vote["answer"]).split("\n")


@pytest.mark.usefixtures("books")
async def test_a_list_replaces_what_a_source_listed_and_a_text_is_added(client: httpx.AsyncClient) -> None:
    assert await stored(client, "all", "book 1") == AUTHORS["book 1"]
    vote: dict[str, object] = {"source": "first", "query": "book 1"}
    results = await imported(client, vote | {"answer": "Bird 1"}, vote | {"answer": "Aho 1"})
    assert {line["status"] for line in results} == {"updated"}
    assert await stored(client, "first", "book 1") == ["Aho 1", "Bird 1"]
    [again] = await imported(client, vote | {"answer": "Bird 1"})
    assert again["status"] == "unchanged"
    await imported(client, vote | {"answer": ["Zed 1"]}, vote | {"answer": "Cox 1"})
    assert await stored(client, "first", "book 1") == ["Zed 1", "Cox 1"]


@pytest.mark.usefixtures("books")
async def test_a_run_and_a_consensus_judge_each_answer_as_the_estimator_does(
    client: httpx.AsyncClient, reading: Runtime
) -> None:
    shops, books = list(SHOPS), list(AUTHORS)
    answers = sorted({author for authors in AUTHORS.values() for lists in SHOPS.values() for author in lists(authors)})
    rows = [
        (books.index(book), shops.index(shop), answers.index(author))
        for book, authors in AUTHORS.items()
        for shop, lists in SHOPS.items()
        for author in lists(authors)
    ]
    expected = estimate_several(*np.array(rows).T, query_count=len(books), source_count=len(shops))
    known = dict(zip(expected.answer.tolist(), expected.probability.tolist(), strict=True))
    started = await client.post(f"{CORPUS}/estimations")
    await estimation.run(reading, started.json()["id"])
    run = (await client.get(started.headers["location"])).json()
    assert "Several answers may be true to 6 of the queries" in run["outcome"]["reason"]
    listed = {item["external_id"]: item for item in (await client.get(f"{CORPUS}/sources")).json()["items"]}
    for place, shop in enumerate(shops):
        found = listed[shop]["reliability"]
        assert found["sensitivity"] == pytest.approx(expected.sensitivity[place])
        assert found["specificity"] == pytest.approx(expected.specificity[place])
        assert found["reliability"] == pytest.approx(expected.precision[place])
        assert (found["vote_count"], found["lower"], found["copy_group"]) == (len(books), None, None)
    one = (await client.get(f"{CORPUS}/queries/book 2/consensus")).json()
    probabilities = {entry["answer"]: entry["probability"] for entry in one["several"]}
    assert probabilities == pytest.approx(
        {f"{name} 2": known[answers.index(f"{name} 2")] for name in ("Aho", "Bird", "Cox", "Zed")}
    )
    bird = next(entry for entry in one["several"] if entry["answer"] == "Bird 2")
    assert set(bird["source_ids"]) == {listed["all"]["id"], listed["few"]["id"]}
    assert set(bird["other_ids"]) == {listed["first"]["id"], listed["wrong"]["id"]}
    true = [entry["answer"] for entry in one["several"] if entry["probability"] > 0.5]
    assert one["answer"] == "\n".join(true)
    sure = [max(share, 1 - share) for share in probabilities.values()]
    assert one["confidence"] == pytest.approx(np.prod(sure))
    assert (one["tally"], one["certificate"], one["votes"]) == ([], None, 4)
    assert {voter["name"]: voter["supports"] for voter in one["voters"]}["all"] == (true == AUTHORS["book 2"])
    streamed = map(json.loads, (await client.get(f"{CORPUS}/consensus")).text.splitlines())
    assert next(line for line in streamed if line["query"] == "book 2").items() <= one.items()
    sent = {"votes": [{"source": shop, "answer": lists(AUTHORS["book 2"])} for shop, lists in SHOPS.items()]}
    counted = (await client.post(f"{CORPUS}/consensus", json=sent)).json()
    assert counted["several"] == one["several"]
    queries = (await client.get(f"{started.headers['location']}/queries")).json()["items"]
    assert {query["query_text"]: query["answer"] for query in queries}["book 2"].split("\n") == sorted(true)
    # Of a source that came later nothing is known: it counts from the next run on.
    await imported(client, {"source": "late", "query": "book 2", "answer": "Zed 2"})
    later = (await client.get(f"{CORPUS}/queries/book 2/consensus")).json()
    assert {entry["answer"]: entry["probability"] for entry in later["several"]} == pytest.approx(probabilities)


@pytest.mark.usefixtures("books")
async def test_a_query_may_differ_from_its_corpus(
    client: httpx.AsyncClient, reading: Runtime, problem: Problem
) -> None:
    query = {"external_id": "height", "text": "How high is it?", "answers": "number", "active": True}
    created = await client.post(f"{CORPUS}/queries", json=query)
    assert created.json()["answers"] == "number"
    heights = {"all": "10 m", "few": "11 m", "first": "12 m"}
    [refused] = await imported(client, {"source": "wrong", "query": "height", "answer": ["10 m", "11 m"]})
    assert "set `answers`" in refused["error"]
    await imported(client, *({"source": shop, "query": "height", "answer": said} for shop, said in heights.items()))
    found = (await client.get(f"{CORPUS}/queries/height/consensus")).json()
    assert (found["number"]["value"], found["several"]) == (11, None)
    by_query = {
        line["query"]: line for line in map(json.loads, (await client.get(f"{CORPUS}/consensus")).text.splitlines())
    }
    assert by_query["height"]["number"]["value"] == 11
    assert by_query["book 1"]["number"] is None
    assert len(by_query["book 1"]["several"]) == 4
    started = await client.post(f"{CORPUS}/estimations")
    await estimation.run(reading, started.json()["id"])
    sources = {
        item["external_id"]: item["reliability"] for item in (await client.get(f"{CORPUS}/sources")).json()["items"]
    }
    # The reliability is that of the votes on queries with one answer, where there are any.
    assert [sources[shop]["vote_count"] for shop in SHOPS] == [1, 1, 1, len(AUTHORS)]
    assert all(sources[shop]["sensitivity"] is not None for shop in SHOPS)
    await client.patch(f"{CORPUS}/queries/{created.json()['id']}", json={"answers": None})
    assert (await client.get(f"{CORPUS}/queries/height/consensus")).json()["number"] is None
    votes = [{"source": "all", "answer": ["a", "b"]}]
    refusal = await client.post(f"{CORPUS}/consensus", json={"votes": votes, "answers": "one"})
    assert "lists answers" in problem(refusal, 422)["detail"]
