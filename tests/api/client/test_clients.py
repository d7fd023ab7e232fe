"""Both clients on a running service: documents, an estimation followed to its end, answers, failures and retries."""

import json
from uuid import UUID

import httpx
import pytest

from api.client import ApiFailure, AsyncClient, Client, calls
from api.client.exchanges import EventReader, request_of
from registry.documents.schemas import DocumentLine
from registry.queries.schemas import QueryInput
from registry.search.schemas import SearchInput
from tests.registry.world import TOWERS, TRUTH, question


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses of the client, which are not made."""
    pauses: list[float] = []
    monkeypatch.setattr("api.client.clients.time.sleep", pauses.append)
    return pauses


def test_a_program_does_the_main_job(live: str) -> None:
    documents = [
        DocumentLine(source=source, external_id=tower, content=f"The tower of {tower} is painted {colour}.")
        for source in ("Herald", "Gazette", "Post")
        for tower, colour in TRUTH.items()
    ]
    with Client(live) as client:
        results = client.import_lines(calls.send_documents(documents))
        assert {result.status for result in results} == {"created"}
        client.import_lines(calls.send_queries([QueryInput(external_id=t, text=question(t)) for t in TOWERS]))
        run = client.send(calls.start_estimation())
        kinds = [event.kind for event in client.follow(calls.follow_estimation(run.id))]
        assert (kinds[0], kinds[-1]) == ("queued", "succeeded")
        assert "progress" in kinds
        names = [source.name for source in client.each(calls.list_sources())]
        assert sorted(names) == ["Gazette", "Herald", "Post"]
        answer = client.send(calls.ask(question("Brin")))
        assert answer.result is not None
        assert answer.result.answers[0] == TRUTH["Brin"]
        assert client.send(calls.search(SearchInput(query="tower of Delm", limit=1))).items
        with pytest.raises(ApiFailure, match="There is no source 'Times'") as failure:
            client.send(calls.get_reliability("Times"))
    assert failure.value.problem is not None
    assert failure.value.problem.status == 404


async def test_the_other_client_does_it_without_blocking(live: str) -> None:
    async with AsyncClient(live) as client:
        line = DocumentLine(source="Herald", external_id="a", content="The tower of Aldra is painted red.")
        assert [result.status for result in await client.import_lines(calls.send_documents([line]))] == ["created"]
        begun = await client.send(calls.start_answer(question("Aldra")))
        kinds = [event.kind async for event in client.follow(calls.follow_answer(begun.id))]
        assert kinds[-1] == "succeeded"
        assert (await client.send(calls.get_answer(begun.id))).result is not None
        hidden = DocumentLine(source="Herald", external_id="b", content="For lawyers.", allowed_groups=["legal"])
        await client.import_lines(calls.send_documents([hidden]))
    for groups, seen in (([], ["a"]), (["board"], ["a"]), (["board", "legal"], ["a", "b"]), (None, ["a", "b"])):
        async with AsyncClient(live, groups=groups) as client:
            listed = [document async for document in client.each(calls.list_documents("Herald"))]
            assert [document.external_id for document in listed] == seen
            if groups is None:
                await client.send(calls.delete_document("Herald", listed[0].id))


def test_a_call_is_repeated_as_the_service_asks_with_the_same_key(no_waiting: list[float]) -> None:
    keys: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers.get("idempotency-key"))
        if len(keys) == 1:
            raise httpx.ConnectError("refused")
        if len(keys) == 2:
            return httpx.Response(503, headers={"Retry-After": "7"})
        if len(keys) == 3:
            return httpx.Response(429, headers={"Retry-After": "80000"})
        return httpx.Response(500)

    with Client("http://test", transport=httpx.MockTransport(answer)) as client:
        with pytest.raises(ApiFailure, match="answers 429") as failure:
            client.send(calls.ask("Where?"))
        assert (no_waiting, failure.value.retry_after, len(set(keys))) == ([0.5, 7.0], 80_000, 1)
        with pytest.raises(ApiFailure, match="answers 500"):
            client.send(calls.list_corpora())
    assert len(no_waiting) == 2


def test_a_stream_goes_on_after_the_last_event_that_was_seen() -> None:
    reader = EventReader(calls.follow_answer(UUID(int=7)))
    lines = [": a comment", "retry: 2000", "", "id: 5", "event: running"]
    data = '{"kind": "running", "created_at": "2026-11-22T00:00:00Z", "data": {}}'
    assert [event for line in lines for event in reader.events(line)] == []
    assert [event.kind for line in (f"data: {data}", "") for event in reader.events(line)] == ["running"]
    assert (reader.call.headers["Last-Event-ID"], reader.ended) == ("5", False)


def test_lines_without_an_id_get_one_so_that_a_repetition_is_the_same_import() -> None:
    named, unnamed = (DocumentLine(source="Herald", external_id=name, content="Red.") for name in ("a", None))
    with httpx.Client(base_url="http://service") as http:
        request = request_of(http, calls.send_documents([named, unnamed]))
    first, second = (json.loads(line)["external_id"] for line in request.content.splitlines())
    assert first == "a"
    assert second
