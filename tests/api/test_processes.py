"""Serving and working until a signal comes."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from api import processes
from api.sockets import listening_on, url_of
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.schemas import EstimationParameters
from registry.jobs import worker
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import SettingsError
from registry.runtime import Runtime
from tests.eventually import eventually
from tests.registry.world import TOWERS, build, colour_reader, honest, liar
from tests.tables import for_each

# STOPS=20 is the full drill.
STOPS = int(os.environ.get("STOPS", "1"))


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus) -> Runtime:
    """A runtime whose corpus can be estimated."""
    await build(runtime, corpus, {"one": honest(), "two": honest(), "three": liar("Aldra", "Brin")}, TOWERS)
    return replace(runtime, reader=colour_reader())


@asynccontextmanager
async def served(
    runtime: Runtime, *, jobs: bool, also: Sequence[socket.socket] = ()
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service, which listens on more sockets, too; at the end the process is told to stop, and must."""
    up: asyncio.Queue[str] = asyncio.Queue()
    with listening_on("127.0.0.1", 0) as listening:
        sockets = [*listening, *also]
        serving = asyncio.create_task(processes.serve(runtime, jobs=jobs, listening=sockets, announce=up.put_nowait))
        first = asyncio.create_task(up.get())
        await asyncio.wait({serving, first}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            first.cancel()
            await serving
        async with httpx.AsyncClient(base_url=first.result(), timeout=60) as client:
            yield client
            if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
                os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait({serving}, timeout=60)
        assert serving.done()
        await serving


async def ended(runtime: Runtime, corpus: Corpus) -> RunStatus:
    """The status of the newest run, once it has ended."""
    status = RunStatus.QUEUED

    async def has_ended() -> bool:
        nonlocal status
        async with runtime.database.begin() as session:
            page = await estimations.page(session, corpus, cursor=None, limit=10)
        status = RunStatus(page.items[-1].status)
        return status.ended

    await eventually(has_ended)
    return status


async def test_one_process_answers_http_and_does_the_jobs(world: Runtime, corpus: Corpus) -> None:
    async with served(world, jobs=True) as client:
        assert (await client.get("/readyz")).status_code == 200
        begun = await client.post("/v1/corpora/default/estimations", json={})
        assert begun.status_code == 202
        assert await ended(world, corpus) is RunStatus.SUCCEEDED


async def test_metrics_have_a_port_without_keys_that_answers_nothing_else(runtime: Runtime) -> None:
    with listening_on("127.0.0.1", 0) as scraped:
        address, port = url_of(scraped[0]), scraped[0].getsockname()[1]
        settings = runtime.settings.model_copy(update={"metrics_port": port, "require_api_keys": True})
        async with served(replace(runtime, settings=settings), jobs=False, also=scraped) as client:
            assert (await client.get("/metrics")).status_code == 401
            assert (await client.get("/metrics", headers={"Host": f"127.0.0.1:{port}"})).status_code == 401
            metrics = await client.get(f"{address}/metrics")
            assert metrics.status_code == 200
            assert "credence_http_requests_in_flight" in metrics.text
            for path in ("/", "/livez", "/docs", "/v1/corpora", "/corpora"):
                assert (await client.get(f"{address}{path}")).status_code == 404
            assert (await client.post(f"{address}/metrics")).status_code == 404


async def test_http_alone_leaves_the_jobs_to_a_worker(
    world: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without_worker:
        # A process that worked all the same would end at once.
        without_worker.delattr(processes, "run_worker")
        async with served(world, jobs=False) as client:
            begun = await client.post("/v1/corpora/default/estimations", json={})
            assert (await client.get(begun.headers["Location"])).json()["status"] == "queued"
    working = asyncio.create_task(processes.work(world, announce=lambda: None))
    assert await ended(world, corpus) is RunStatus.SUCCEEDED
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.wait_for(working, 60)


async def test_a_stopped_worker_leaves_what_it_was_doing_to_the_next(
    world: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SHUTDOWN_SECONDS", 0.1)
    reader = colour_reader(delay=3600)
    slow = replace(world, reader=reader)
    working = asyncio.create_task(processes.work(slow, announce=lambda: None))
    run = await estimation.start(slow, corpus, EstimationParameters(), Trigger.COMMAND)
    await eventually(lambda: reader.calls)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(working, 60)
    async with world.database.begin() as session:
        assert (await estimations.get(session, corpus, run.id)).status == RunStatus.RUNNING


async def asked(client: httpx.AsyncClient, number: int) -> int | None:
    """The status of an answer; None if the service was gone before it heard the question."""
    question = {"question": f"Which colour is the tower of Aldra painted? {number}"}
    try:
        return (await client.post("/v1/corpora/default/answers", json=question)).status_code
    except httpx.TransportError:
        return None


@pytest.mark.parametrize("stop", range(STOPS))
async def test_a_stop_finishes_questions_under_way(world: Runtime, stop: int) -> None:
    reader = colour_reader(delay=0.1)
    async with served(replace(world, reader=reader), jobs=bool(stop % 2)) as client:
        asking = [asyncio.create_task(asked(client, number)) for number in range(8)]
        await eventually(lambda: len(reader.calls) > 2)
        os.kill(os.getpid(), signal.SIGTERM)
        statuses = await asyncio.gather(*asking)
    assert set(statuses) <= {201, 503, None}
    assert statuses.count(201) >= 1


async def test_a_stop_refuses_new_requests_and_ends_what_takes_too_long(
    world: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "STOP_SECONDS", 1.0)
    reader = colour_reader(delay=3600)
    run = await estimation.start(world, corpus, EstimationParameters(), Trigger.COMMAND)
    async with served(replace(world, reader=reader), jobs=False) as client:
        following = asyncio.create_task(client.get(f"/v1/corpora/default/estimations/{run.id}/events"))
        asking = asyncio.create_task(asked(client, 1))
        message = {"role": "user", "content": "Which colour is the tower of Brin painted?"}
        chat = {"model": "credence/default", "stream": True, "messages": [message]}
        chatting = asyncio.create_task(client.post("/v1/chat/completions", json=chat))
        await eventually(lambda: len({call.question for call in reader.calls}) == 2)
        os.kill(os.getpid(), signal.SIGTERM)

        async def is_refused() -> bool:
            response = await client.get("/readyz")
            refused = response.status_code == 503
            return refused and response.headers["Connection"] == "close" and "Retry-After" in response.headers

        await eventually(is_refused)
        assert (await client.get("/livez")).status_code == 200
        assert await asking == 503
        events = await following
        assert events.status_code == 200
        assert events.text.endswith("reconnect with Last-Event-ID\n\n")
        *_, last = (await chatting).text.split("data: ")
        assert json.loads(last)["error"]["type"] == "server_error"


async def test_one_failing_part_ends_all_and_is_raised() -> None:
    async def fail(_stop: asyncio.Event) -> None:
        raise SettingsError("no")

    async def wait(stop: asyncio.Event) -> None:
        await stop.wait()

    with pytest.raises(BaseExceptionGroup) as raised:
        await asyncio.wait_for(processes.run_until_stopped([wait, fail]), 60)
    assert raised.group_contains(SettingsError)


async def test_off_loopback_keys_are_needed_unless_the_settings_say_otherwise(world: Runtime, corpus: Corpus) -> None:
    def listening_on(host: str, **settings: object) -> Runtime:
        return replace(world, settings=world.settings.model_copy(update={"host": host, **settings}))

    await processes.require_keys(listening_on("127.0.0.1"))
    await processes.require_keys(listening_on("0.0.0.0", require_api_keys=False))  # noqa: S104  (the case at hand)
    await processes.require_keys(listening_on("127.0.0.1", require_api_keys=True))
    async with world.database.begin() as session:
        await keys.create(session, corpus, KeyInput(name="of a corpus", scopes=frozenset({Scope.ADMIN})))
    with pytest.raises(SettingsError, match="credence keys create"):
        await processes.require_keys(listening_on("0.0.0.0"))  # noqa: S104
    async with world.database.begin() as session:
        await keys.create(session, None, KeyInput(name="ops", scopes=frozenset({Scope.ADMIN})))
    await processes.require_keys(listening_on("0.0.0.0"))  # noqa: S104


def test_a_port_in_use_is_said_and_nothing_is_left_listening() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for setting in ("CREDENCE_PORT", "CREDENCE_METRICS_PORT"):
            said = f"Port {port} on 127.0.0.1 is in use.* or {setting}"
            with pytest.raises(SettingsError, match=said), listening_on("127.0.0.1", port, setting=setting):
                pass


def test_a_name_is_listened_on_at_all_its_addresses_with_one_port() -> None:
    with listening_on("localhost", 0) as listening:
        assert len({item.getsockname()[1] for item in listening}) == 1
        assert url_of(listening[0]).startswith("http://")


@for_each("host", ["no.such.host.invalid", "203.0.113.7", "..", "x" * 300])
def test_an_address_that_is_not_ours_is_said(host: str) -> None:
    with pytest.raises(SettingsError, match="address"), listening_on(host, 0):
        pass
