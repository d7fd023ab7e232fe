"""What is for a group of people is told to nobody else, whatever they ask for."""

import asyncio
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from mcp import MCPError

from answering.errors import ModelError
from api.app import create_app
from api.http.scopes import api_routes
from registry.corpora.model import Corpus
from registry.estimations.store.votes import queries_with_topics
from registry.keys import sessions
from registry.platform.enums import ExportName
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import CORPUS, client_of
from tests.api.http.grouped_world import LISTED, MARKERS, OWN, QUEUED, SHARED, GroupedWorld, build
from tests.api.http.test_bound_keys import Problem, key
from tests.api.mcp_server.test_server import http_agent
from tests.api.pages.test_sources import estimate
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.world import colour_reader, question
from tests.remembered import Remember
from tests.tables import for_each

PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
IDENTIFIER = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}")
NOBODY = "0199f0a2-c4e5-7d3a-8b1c-2d3e4f5a6b7c"
PAGES = "/corpora/default"
LEGAL, BOARD = MARKERS.values()
MADE_OF_DOCUMENTS = [
    *(f"Which {marker} colour is the tower of {SHARED} painted?" for marker in MARKERS.values()),
    *(f"What is the capital of {marker}land?" for marker in MARKERS.values()),
]
# Where somebody of a group is told of its documents: there nothing is looked for in vain.
TOLD = {
    *(f"{CORPUS}/{path}" for path in ("answers", "answers/ID", "queries", "queries/ID", "queries/ID/consensus")),
    *(f"{CORPUS}/{path}" for path in ("consensus", "disputes/documents", "misreadings", "search")),
    *(f"{CORPUS}/sources/ID/{path}" for path in ("documents", "documents/ID", "influence", "votes")),
    *(f"{CORPUS}/exports/{path}" for path in ("answers", "misreadings", "votes")),
    *(f"{CORPUS}/estimations/ID/{path}" for path in ("queries", "queries/ID/votes")),
    *(f"{PAGES}/{path}" for path in ("answers", "answers/ID", "labels", "misreadings", "suggestions", "copies/ID/ID")),
    *(f"{PAGES}/sources/ID{path}" for path in ("", "/documents", "/documents/ID", "/influence")),
    f"{PAGES}/estimations/ID/queries/ID",
    f"{PAGES}/comparison",
    f"{CORPUS}/conflict-scores",
    *("/v1/chat/completions", "/v1/responses", "/v1/dify/retrieval"),
    *("ask", "search", "fetch", "consensus", "conflict"),
    *(f"credence://default/{path}" for path in ("documents/ID", "answers/ID")),
}
GROUP_OF = {marker: group for group, marker in MARKERS.items()}


@pytest.fixture
async def grouped(reading: Runtime, corpus: Corpus, remember: Remember) -> GroupedWorld:
    async def made() -> None:
        await build(reading, corpus)

    await remember("documents for groups", made)
    return await GroupedWorld.of(reading)


def app_of(settings: Settings, runtime: Runtime) -> FastAPI:
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=runtime)


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    return app_of(settings, reading)


def readable(app: FastAPI, world: GroupedWorld) -> Iterator[str]:
    """Every address of the interface and of the pages, with every identifier that there is."""
    ids: dict[str, Iterable[str]] = {
        "corpus": ["default"],
        "source_id": [world.sources[name] for name in ("legal-1", "board-1")],
        # One for everybody, one with imported votes, and those made of documents.
        "query_id": [world.queries[text] for text in (question(SHARED), LISTED, *MADE_OF_DOCUMENTS)],
        "answer_id": [own for (ask, _), own in world.answers.items() if ask != QUEUED],
        "estimation_id": [world.estimation],
        "first_id": [world.sources["legal-1"], world.sources["board-1"]],
        "second_id": [world.sources["legal-2"], world.sources["board-2"]],
        "table": list(ExportName),
        "model": ["credence/default"],
        "slug": ["not-found"],
        "revision": ["1", "2"],
    }
    for route in api_routes(app):
        if "GET" not in (route.methods or ()):
            continue
        names = PARAMETER.findall(route.path_format)
        # A document is asked for in its own source.
        owners = [{"source_id": [source], "document_id": [own]} for source, own in world.documents_read]
        for of_document in owners if "document_id" in names else [{}]:
            for values in itertools.product(*((ids | of_document).get(name, [NOBODY]) for name in names)):
                yield _filled(route.path_format, dict(zip(names, values, strict=True)))
    for source, marker in itertools.product(ids["source_id"], MARKERS.values()):
        yield f"{CORPUS}/sources/{source}/documents?reference={marker}-1"
    yield "{}/sources/{}/documents/{}?revision=1".format(PAGES, *world.documents["open"])
    for source in ids["source_id"]:
        yield f"{CORPUS}/votes?source={source}"
    for page in (f"{CORPUS}/sources/{{}}/votes", f"{PAGES}/sources/{{}}"):
        yield page.format(world.sources["mixed"])
    for text in MADE_OF_DOCUMENTS[:2]:
        yield f"{PAGES}/labels?last={world.queries[text]}"
    yield f"{PAGES}/misreadings?all=true"
    yield f"{PAGES}/suggestions?asked=true"
    for group in MARKERS:
        yield f"{PAGES}/comparison?source={group}-1&source=open"


def _filled(path: str, values: dict[str, str]) -> str:
    return PARAMETER.sub(lambda match: values[match[1]], path)


def questions(world: GroupedWorld, others: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that is asked in a body, and how, also of what is only for others."""
    asks = [question(SHARED), question(OWN[others])]
    for ask in asks:
        yield f"{CORPUS}/answers", {"question": ask}
        yield f"{CORPUS}/search", {"query": ask, "limit": 50}
    yield f"{CORPUS}/answers", {"question": asks[0], "parameters": {"candidates_only": True}}
    yield f"{CORPUS}/answers", {"question": f"What is the capital of {OWN[others]}land?"}
    yield f"{CORPUS}/conflict-scores", {"response": "red", "question": asks[0]}
    yield "/v1/chat/completions", {"model": "credence/default", "messages": [{"role": "user", "content": asks[0]}]}
    yield "/v1/responses", {"model": "credence/default", "input": asks[0]}
    for group in MARKERS:
        # A rewritten question would quote the answer before it.
        before, ask = world.answers[asks[0], group], "And who says so?"
        response = {"model": "credence/default", "previous_response_id": f"resp_{before.replace('-', '')}"}
        yield "/v1/responses", response | {"input": ask}
    for door in ("docSearch", "query"):
        yield f"{CORPUS}/nextcloud/{door}", {"userId": others, "query": asks[0]}
    retrieval = {"top_k": 50, "score_threshold": 0.0}
    retrieved = {"knowledge_id": "default", "query": asks[0], "retrieval_setting": retrieval}
    yield "/v1/dify/retrieval", retrieved
    titled = {"name": ["title"], "comparison_operator": "not empty"}
    yield "/v1/dify/retrieval", retrieved | {"metadata_condition": {"conditions": [titled]}}


async def told_by_agents(app: FastAPI, headers: dict[str, str], world: GroupedWorld) -> list[tuple[str, str]]:
    """What every tool and resource says."""
    ask = question(SHARED)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ask", {"question": ask}),
        ("search", {"query": ask}),
        *(("fetch", {"id": own}) for _, own in world.documents_read),
        ("consensus", {"query": world.queries[ask]}),
        ("conflict", {"response": "The tower of Aldra is painted red.", "question": ask}),
    ]
    resources = [
        *(f"credence://default/documents/{own}" for _, own in world.documents_read),
        *(f"credence://default/answers/{own}" for own in world.answers.values()),
    ]
    told = []
    async with http_agent(app, **headers) as agent:
        for tool, arguments in calls:
            result = await agent.call_tool(tool, arguments)
            told.append((tool, f"{result.content} {result.structured_content}"))
        for address in resources:
            try:
                told.append((address, str(await agent.read_resource(address))))
            except MCPError as refusal:
                told.append((address, str(refusal)))
    return told


async def everything(
    settings: Settings, runtime: Runtime, headers: dict[str, str], world: GroupedWorld, others: str
) -> list[tuple[str, str]]:
    """All that somebody with these headers can be told, by what they asked for."""
    app, told = app_of(settings, runtime), list[tuple[str, str]]()
    async with client_of(app) as client, asyncio.timeout(120):
        client.headers.update(headers)
        async with runtime.database.begin() as session:
            secret = headers["Authorization"].removeprefix("Bearer ")
            client.cookies["credence_session"] = await sessions.begin(session, secret, "127.0.0.1")
        for address in readable(app, world):
            response = await client.get(address)
            assert response.status_code < 500, (address, response.text)
            # What was asked may stand in the reply.
            told.append((address, (response.text + str(response.headers)).replace(address, "")))
        for address, body in questions(world, others):
            response = await client.post(address, json=body)
            assert response.status_code < 500, (address, body, response.text)
            told.append((address, response.text))
    return told + await told_by_agents(app, headers, world)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("groups", "named", "own"),
    [(["legal"], None, LEGAL), (None, " elsewhere ,board", BOARD)],
    ids=["a key of legal", "on behalf of board"],
)
async def test_nobody_is_told_what_is_for_others(
    settings: Settings,
    reading: Runtime,
    corpus: Corpus,
    grouped: GroupedWorld,
    groups: list[str] | None,
    named: str | None,
    own: str,
) -> None:
    """Of each of these, everything: more than four hundred pairs of who asks and what for."""
    hidden = next(marker for marker in MARKERS.values() if marker != own)
    scopes = ["admin"] if groups is None else ["read", "ask"]
    headers = await key(reading, corpus, scopes=scopes, groups=groups)
    headers |= {} if named is None else {"X-Credence-Groups": named}
    told = await everything(settings, reading, headers, grouped, GROUP_OF[hidden])
    assert len(told) > 200
    assert [asked for asked, text in told if hidden in text] == []
    assert {IDENTIFIER.sub("ID", asked).partition("?")[0] for asked, text in told if own in text} >= TOLD


ALL = {"legal-1", "legal-2", "board-1", "board-2", "mixed-legal", "mixed-board", "open"}
FOR_LEGAL, FOR_BOARD = ({name for name in ALL if group in name} | {"open"} for group in ("legal", "board"))


@for_each(
    ("groups", "named", "seen"),
    [
        (None, None, ALL),
        (["legal"], None, FOR_LEGAL),
        (["board", "legal"], None, ALL),
        (["board", "legal"], "board", FOR_BOARD),
        (["legal"], "board", {"open"}),
        (["legal"], "board, legal", FOR_LEGAL),
        (["elsewhere"], None, {"open"}),
        ([], None, {"open"}),
        (None, "", {"open"}),
        (None, "Legal", {"open"}),
    ],
)
async def test_a_request_narrows_what_its_key_sees_and_never_widens_it(
    app: FastAPI,
    reading: Runtime,
    corpus: Corpus,
    grouped: GroupedWorld,
    groups: list[str] | None,
    named: str | None,
    seen: set[str],
) -> None:
    async with client_of(app) as client:
        client.headers.update(await key(reading, corpus, scopes=["read"], groups=groups))
        client.headers.update({} if named is None else {"X-Credence-Groups": named})
        listed = set[str]()
        for name, source in grouped.sources.items():
            for row in (await client.get(f"{CORPUS}/sources/{source}/documents")).json()["items"]:
                listed.add(f"mixed-{GROUP_OF[row['title'].split()[0]]}" if name == "mixed" else name)
        body = {"query": "tower", "limit": 100, "fold_copies": False}
        found = (await client.post(f"{CORPUS}/search", json=body)).json()
    assert listed == seen
    assert len(found["items"]) == len(seen)


async def test_a_document_names_its_groups_or_is_for_those_of_its_source(
    app: FastAPI, reading: Runtime, corpus: Corpus
) -> None:
    async with client_of(app) as owner, client_of(app) as legal:
        owner.headers.update(await key(reading, corpus, scopes=["admin"]))
        legal.headers.update(await key(reading, corpus, scopes=["read"], groups=["legal"]))
        made = await owner.post(f"{CORPUS}/sources", json={"name": "a", "allowed_groups": ["board"]})
        path = made.headers["location"]

        async def titles() -> list[str]:
            return [row["title"] for row in (await legal.get(f"{path}/documents")).json()["items"]]

        async def send(title: str, **groups: object) -> int:
            body = {"external_id": title, "title": title, "content": "The tower of Esk is red."} | groups
            return (await owner.post(f"{path}/documents", json=body)).status_code

        assert await send("for board") == 201
        assert await send("for legal", allowed_groups=["legal", "legal", "audit"]) == 201
        assert await send("for nobody", allowed_groups=[]) == 201
        assert await titles() == ["for legal"]
        assert (await owner.get(f"{path}/documents")).json()["items"][1]["allowed_groups"] == ["audit", "legal"]
        changed = await owner.patch(path, json={"allowed_groups": None})
        assert changed.json()["allowed_groups"] is None
        assert await titles() == ["for board", "for legal"]
        # Sent again, a document is for others at once.
        assert await send("for legal", allowed_groups=["board"]) == 200
        assert await titles() == ["for board"]
        refused = await owner.post(f"{path}/documents", json={"content": "x", "allowed_groups": ["a, b"]})
        assert refused.status_code == 422


async def test_what_was_read_in_a_former_revision_is_for_those_who_might_see_that(
    app: FastAPI, reading: Runtime, corpus: Corpus
) -> None:
    async with client_of(app) as owner, client_of(app) as legal:
        owner.headers.update(await key(reading, corpus, scopes=["admin"]))
        legal.headers.update(await key(reading, corpus, scopes=["read", "ask"], groups=["legal"]))
        made = await owner.post(f"{CORPUS}/sources", json={"name": "a"})
        body = {"external_id": "esk", "content": "The tower of Esk is painted black."}

        async def send(**changed: object) -> None:
            response = await owner.post(f"{made.headers['location']}/documents", json=body | changed)
            assert response.status_code in {200, 201}

        async def ask() -> tuple[str, str]:
            answered = await owner.post(f"{CORPUS}/answers", json={"question": question("Esk")})
            assert answered.json()["result"]["answers"]
            query = await owner.post(f"{CORPUS}/queries", json={"text": question("Esk")})
            run = await estimate(reading, corpus)
            votes = f"{CORPUS}/estimations/{run.id}/queries/{query.json()['id']}/votes"
            return answered.headers["location"], votes

        async def seen(answer: str, votes: str) -> tuple[int, int]:
            found = (await legal.get(votes)).json()["items"]
            return (await legal.get(answer)).status_code, len(found)

        await send(allowed_groups=["board"])
        of_secret = await ask()
        assert await seen(*of_secret) == (404, 0)
        await send(content="The tower of Esk is painted white.")
        assert await seen(*of_secret) == (404, 0)
        of_open = await ask()
        assert await seen(*of_open) == (200, 1)
        await send(content="The tower of Esk is painted red.")
        assert await seen(*of_open) == (200, 1)
        for number in range(reading.settings.keep_revisions + 1):
            await send(content=f"The tower of Esk is painted red, {number}.")
        assert [await seen(*of_secret), await seen(*of_open)] == [(404, 0), (404, 0)]


async def test_an_answer_is_read_from_what_its_asker_sees(
    settings: Settings, corpus: Corpus, reading: Runtime, grouped: GroupedWorld
) -> None:
    """Readings of passages that others see are kept, and none is handed to somebody who does not see them all."""
    read = list[str]()
    colours = colour_reader()._script
    assert callable(colours)

    def script(asked: str, passages: Sequence[str]) -> str | ModelError | None:
        read.extend(passages)
        return colours(asked, passages)

    app = app_of(settings, replace(reading, reader=ScriptedReader(script)))
    async with client_of(app) as client:
        ask = {"question": question("Esk")}
        owner = await key(reading, corpus, scopes=["ask"])
        whole = (await client.post(f"{CORPUS}/answers", json=ask, headers=owner)).json()["result"]
        # The estimation read both documents of one source together.
        assert whole["answers"] in ([f"{LEGAL}black"], [f"{BOARD}black"])
        assert (whole["usage"]["readings"], read) == (whole["usage"]["readings_cached"], [])
        for group, marker in MARKERS.items():
            read.clear()
            headers = await key(reading, corpus, scopes=["ask"], groups=[group])
            answer = (await client.post(f"{CORPUS}/answers", json=ask, headers=headers)).json()["result"]
            assert answer["answers"] == [f"{marker}black"]
            assert {other for other in MARKERS.values() if other in "".join(read)} == {marker}
            others = grouped.sources["board-1" if group == "legal" else "legal-1"]
            (left_out,) = [row for row in answer["rejected_sources"] if row["source_id"] == others]
            assert left_out["reason"] == "no_passages"


@pytest.mark.usefixtures("grouped")
async def test_what_only_others_read_is_unknown(app: FastAPI, reading: Runtime, corpus: Corpus) -> None:
    ask = {"question": f"What is the capital of {LEGAL}land?"}
    codes = []
    async with client_of(app) as client:
        for groups in (["legal"], ["board"]):
            client.headers.update(await key(reading, corpus, scopes=["ask"], groups=groups))
            result = (await client.post(f"{CORPUS}/answers", json=ask)).json()["result"]
            codes.append((result["no_answer"] or {}).get("code"))
    assert codes == [None, "unknown_subject"]


async def test_answers_under_way_and_repeated_requests_are_for_whom_they_were_asked(
    app: FastAPI, reading: Runtime, corpus: Corpus, grouped: GroupedWorld, problem: Problem
) -> None:
    queued = f"{CORPUS}/answers/{grouped.answers[QUEUED, 'legal']}"
    ask = {"question": question("Esk")}
    async with client_of(app) as client:
        headers = await key(reading, corpus, scopes=["admin"])
        for groups, status in (("legal", 200), ("board, legal", 200), ("board", 404), ("", 404)):
            client.headers.update(headers | {"X-Credence-Groups": groups})
            assert (await client.get(queued)).status_code == status
        problem(await client.get(f"{queued}/events"), 404)
        client.headers["X-Credence-Groups"] = "legal"
        for group, status in (("legal", 201), ("board", 404)):
            follow_up = {"question": "And who says so?", "follows": grouped.answers[question(SHARED), group]}
            assert (await client.post(f"{CORPUS}/answers", json=follow_up)).status_code == status
        # The owner was told more on the way than the answer holds, of which everybody sees all.
        of_all = grouped.answers[question(SHARED), "all"]
        client.headers["X-Credence-Groups"] = "legal, board"
        assert (await client.get(f"{CORPUS}/answers/{of_all}")).status_code == 200
        problem(await client.get(f"{CORPUS}/answers/{of_all}/events"), 404)
        client.headers["Idempotency-Key"] = "same"
        answers = []
        for groups in ("legal", "board", "legal"):
            client.headers["X-Credence-Groups"] = groups
            answers += (await client.post(f"{CORPUS}/answers", json=ask)).json()["answers"]
    assert answers == [f"{LEGAL}black", f"{BOARD}black", f"{LEGAL}black"]


async def test_links_that_have_no_groups_are_of_those_who_see_everything(
    app: FastAPI, reading: Runtime, corpus: Corpus, grouped: GroupedWorld, problem: Problem
) -> None:
    path = f"{CORPUS}/answers/{grouped.answers[question(SHARED), 'board']}/shares"
    async with client_of(app) as client, client_of(app) as owner:
        owner.headers.update(await key(reading, corpus, scopes=["admin"]))
        made = await owner.post(f"{CORPUS}/keys", json={"name": "k", "scopes": ["ask"]})
        client.headers["Authorization"] = f"Bearer {made.json()['secret']}"
        link = await client.post(path)
        shared = link.json()["path"]
        board = await key(reading, corpus, scopes=["ask"], groups=["board"])
        for narrow in (board, {"X-Credence-Groups": "board"}):
            for method, address in (("POST", path), ("DELETE", link.headers["location"])):
                refused = problem(await client.request(method, address, headers=narrow), 403)
                assert "see everything" in refused["detail"]
        listed = [
            len((await client.get(f"{CORPUS}/shares", headers={"X-Credence-Groups": groups})).json()["items"])
            for groups in ("board", "legal")
        ]
        assert listed == [1, 0]
        assert (await owner.get(f"{CORPUS}/joined-answers")).json()["items"] != []
        assert (await client.get(shared)).status_code == 200
        # Nor does it show more than its key.
        changed = await owner.patch(made.headers["location"], json={"groups": ["board"]})
        assert changed.status_code == 200
        assert (await client.get(shared)).status_code == 404
        assert (await owner.get(f"{CORPUS}/shares")).json()["items"] == []


async def test_on_behalf_of_groups_nothing_is_done_but_reading_and_asking(
    app: FastAPI, reading: Runtime, corpus: Corpus, problem: Problem
) -> None:
    async with client_of(app) as client:
        client.headers.update(await key(reading, corpus, scopes=["admin"]))
        for scopes in (["admin"], ["read", "ingest"]):
            refused = await client.post(f"{CORPUS}/keys", json={"name": "k", "scopes": scopes, "groups": ["legal"]})
            problem(refused, 422)
        made = await client.post(f"{CORPUS}/keys", json={"name": "k", "scopes": ["read"], "groups": ["legal"]})
        assert made.json()["groups"] == ["legal"]
        path = made.headers["location"]
        assert (await client.patch(path, json={"groups": ["board", "legal"]})).json()["groups"] == ["board", "legal"]
        client.headers["X-Credence-Groups"] = "legal"
        assert (await client.get(f"{CORPUS}/sources")).status_code == 200
        for method, address in (
            ("GET", path.rpartition("/")[0]),
            ("GET", f"{CORPUS}/audit"),
            ("GET", f"{CORPUS}/connectors"),
            ("POST", f"{CORPUS}/queries"),
        ):
            assert (
                "X-Credence-Groups" in problem(await client.request(method, address, json={"text": "a"}), 403)["detail"]
            )
        client.headers["X-Credence-Groups"] = "a" * 201
        problem(await client.get(f"{CORPUS}/sources"), 422)
        async with client_of(app) as other:
            other.headers.update(client.headers)
            other.headers.raw.append((b"X-Credence-Groups", b"\xff"))
            problem(await other.get(f"{CORPUS}/sources"), 422)


async def test_what_is_not_told_apart_by_groups_is_told_to_those_who_see_everything(
    app: FastAPI, reading: Runtime, corpus: Corpus, grouped: GroupedWorld
) -> None:
    run = f"{CORPUS}/estimations/{grouped.estimation}"
    async with client_of(app) as client:
        client.headers.update(await key(reading, corpus, scopes=["read"]))
        ((whole,), (empty,)) = [
            [group["queries"] for group in (await client.get(run, headers=more)).json()["outcome"]["joint_dissents"]]
            for more in ({}, {"X-Credence-Groups": "legal"})
        ]
    assert (len(whole), empty) == (2, [])
    # The labels of topics are read by everybody, and so not made of the words of other queries.
    async with reading.database.begin() as session:
        of_run = await queries_with_topics(session, UUID(grouped.estimation))
    assert {text for text, _, is_for_all in of_run if is_for_all} == {
        "task",
        LISTED,
        *(question(tower) for tower in (SHARED, *OWN.values(), "Esk")),
    }
