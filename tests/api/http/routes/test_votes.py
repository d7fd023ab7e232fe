"""Imported votes and consensus over HTTP."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import httpx

from tests.api.http.conftest import CORPUS
from tests.api.http.routes.test_imports import NDJSON, lines, ndjson

Problem = Callable[[httpx.Response, int], dict[str, Any]]

VOTES: list[dict[str, object]] = [
    {"source": source, "query": query, "answer": answer}
    for query, answers in (("q1", "aab"), ("q2", "aba"), ("q3", "ccc"))
    for source, answer in zip(("ant", "bee", "cat"), answers, strict=True)
]


async def imported(client: httpx.AsyncClient, *votes: dict[str, object]) -> list[dict[str, Any]]:
    return lines(await client.post(f"{CORPUS}/votes:import", content=ndjson(*votes), headers=NDJSON))


async def test_votes_are_imported_listed_and_deleted(client: httpx.AsyncClient, problem: Problem) -> None:
    body = gzip.compress(ndjson(*VOTES) + b'{"source": "ant"}\n')
    response = await client.post(f"{CORPUS}/votes:import", content=body, headers=NDJSON | {"content-encoding": "gzip"})
    statuses = [line["status"] for line in lines(response)]
    assert sorted(statuses) == ["created"] * len(VOTES) + ["rejected"]
    page = (await client.get(f"{CORPUS}/votes", params={"limit": 4})).json()
    assert [(vote["source"], vote["query"]) for vote in page["items"]] == [
        ("ant", "q1"), ("bee", "q1"), ("cat", "q1"), ("ant", "q2"),
    ]  # fmt: skip
    rest = (await client.get(f"{CORPUS}/votes", params={"limit": 50, "cursor": page["next_cursor"]})).json()
    assert len(rest["items"]) == len(VOTES) - 4
    of_bee = (await client.get(f"{CORPUS}/votes", params={"source": "bee", "query": "q2"})).json()["items"]
    assert [vote["answer"] for vote in of_bee] == ["b"]
    vote = f"{CORPUS}/votes/{of_bee[0]['id']}"
    assert (await client.delete(vote)).status_code == 204
    problem(await client.delete(vote), 404)
    assert (await client.delete(f"{CORPUS}/votes", params={"query": "q1"})).json() == {"deleted": 3}
    problem(await client.delete(f"{CORPUS}/votes"), 422)
    problem(await client.get(f"{CORPUS}/votes", params={"source": "nobody"}), 404)


async def test_a_consensus_is_read_by_query_for_all_and_of_votes_that_are_sent(
    client: httpx.AsyncClient, problem: Problem
) -> None:
    await imported(client, *VOTES)
    one = (await client.get(f"{CORPUS}/queries/q2/consensus")).json()
    assert (one["answer"], one["votes"], one["outcome"]) == ("a", 3, "answered")
    assert [(entry["answer"], entry["votes"]) for entry in one["tally"]] == [("a", 2), ("b", 1)]
    assert [voter["imported"] for voter in one["voters"]] == [True] * 3
    problem(await client.get(f"{CORPUS}/queries/none/consensus"), 404)
    streamed = await client.get(f"{CORPUS}/consensus")
    assert streamed.headers["content-type"] == "application/x-ndjson"
    by_query = {line["query"]: line for line in map(json.loads, streamed.text.splitlines())}
    assert {query: line["answer"] for query, line in by_query.items()} == {"q1": "a", "q2": "a", "q3": "c"}
    assert by_query["q2"].items() <= one.items()
    sent = {"votes": [{"source": "ant", "answer": 3}, {"source": "bee", "answer": "3"}, {"source": "new", "answer": 4}]}
    counted = (await client.post(f"{CORPUS}/consensus", json=sent)).json()
    assert (counted["answer"], counted["votes"], counted["unknown_sources"]) == ("3", 2, ["new"])
    problem(await client.post(f"{CORPUS}/consensus", json={"votes": []}), 422)
    twice = {"votes": [{"source": "ant", "answer": "3"}] * 2}
    assert "votes twice" in problem(await client.post(f"{CORPUS}/consensus", json=twice), 422)["detail"]


async def test_answers_of_a_corpus_may_be_numbers(client: httpx.AsyncClient) -> None:
    corpus = await client.patch(CORPUS, json={"answers": "number"})
    assert corpus.json()["answers"] == "number"
    guesses = {"ant": 12, "bee": "11", "cat": "13.5", "dog": "many"}
    await imported(client, *({"source": name, "query": "q", "answer": said} for name, said in guesses.items()))
    one = (await client.get(f"{CORPUS}/queries/q/consensus")).json()
    number = one["number"]
    assert (number["value"], number["lower"], number["upper"], number["unit"], number["votes"]) == (
        12,
        11,
        13.5,
        None,
        3,
    )
    assert [voter["value"] for voter in number.pop("voters")] == [13.5, 11, 12]
    [line] = map(json.loads, (await client.get(f"{CORPUS}/consensus")).text.splitlines())
    assert line["number"] == number
    sent = await client.post(f"{CORPUS}/consensus", json={"votes": [{"source": "ant", "answer": "0.5"}]})
    assert sent.json()["number"]["value"] == 0.5


async def test_queries_that_came_with_votes_say_so(client: httpx.AsyncClient) -> None:
    await imported(client, *VOTES, {"source": "ant", "query": "x" * 400, "answer": "a", "topic": "long ones"})
    listed = (await client.get(f"{CORPUS}/queries", params={"origin": "votes"})).json()["items"]
    assert len(listed) == 4
    assert {query["text"] for query in listed} == {"q1", "q2", "q3", "x" * 400}
    assert [query["topic"] for query in listed if query["topic"]] == ["long ones"]


async def test_what_rests_on_a_source(client: httpx.AsyncClient, problem: Problem) -> None:
    await imported(client, *VOTES, {"source": "ant", "query": "q4", "answer": "d"})
    found = (await client.get(f"{CORPUS}/sources/ant/influence")).json()
    assert found["queries"] == 4
    # Alone on the fourth query; without it the first two are tied.
    changed = {each["query_text"]: (each["answer"], each["without"]) for each in found["changed"]}
    assert changed == {"q1": ("a", None), "q2": ("a", None), "q4": ("d", None)}
    assert (await client.get(f"{CORPUS}/sources/bee/influence")).json()["queries"] == 3
    problem(await client.get(f"{CORPUS}/sources/nobody/influence"), 404)
