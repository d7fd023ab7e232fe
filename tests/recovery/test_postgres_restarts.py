"""Postgres goes away and comes back: nothing committed is lost, work goes on, nobody waits for ever."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from registry import answers, estimation, ingest
from registry.errors import DatabaseUnavailable
from registry.inputs.answers import AnswerParameters
from registry.inputs.estimations import EstimationParameters
from registry.inputs.sources import SourceInput
from registry.jobs import worker
from registry.models import Corpus, RunStatus, Trigger
from registry.results.ingest import LineStatus
from registry.runtime import Runtime
from registry.store import documents, estimations, sources
from tests.recovery.conftest import OwnServer
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question


async def test_an_estimation_survives_it(own_server: OwnServer, own_runtime: Runtime, own_corpus: Corpus) -> None:
    reader = colour_reader(delay=0.05)
    runtime = replace(own_runtime, reader=reader)
    await build(runtime, own_corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Brin")}, TOWERS)
    queued = await estimation.start(runtime, own_corpus, EstimationParameters(), Trigger.COMMAND)
    stop = asyncio.Event()
    working = asyncio.create_task(worker.run_worker(runtime, stop=stop))
    while len(reader.calls) < 5:
        await asyncio.sleep(0.01)
    await own_server.restart()
    async with asyncio.timeout(60):
        while True:
            await asyncio.sleep(0.2)
            async with runtime.database.begin() as session:
                run = await estimations.get(session, own_corpus, queued.id)
            if RunStatus(run.status).ended:
                break
    stop.set()
    await working
    async with runtime.database.begin() as session:
        found = await estimations.sources_of(session, run)
    assert run.status == RunStatus.SUCCEEDED
    assert len(found) == 3
    # Readings under way when it went could not be stored; all others were not made again.
    assert len(reader.calls) <= 18 + reader.peak * 2


async def test_an_import_survives_it(own_server: OwnServer, own_runtime: Runtime, own_corpus: Corpus) -> None:
    async with own_runtime.database.begin() as session:
        source = await sources.create(session, own_corpus, SourceInput(name="Herald"))
    total = 1500

    async def lines() -> AsyncIterator[bytes]:
        restarts: list[asyncio.Task[None]] = []
        for number in range(total):
            if number == total // 2:
                restarts.append(asyncio.create_task(own_server.restart()))
                await asyncio.sleep(0.2)
            yield json.dumps({"external_id": str(number), "content": f"Note {number} of the Herald."}).encode()
        await asyncio.gather(*restarts)

    results = [result async for result in ingest.import_documents(own_runtime, own_corpus, source.id, lines())]
    assert [result.line for result in results] == list(range(1, total + 1))
    # A batch that was committed just before the connection broke is found unchanged when it is tried again.
    assert {result.status for result in results} <= {LineStatus.CREATED, LineStatus.UNCHANGED}
    async with own_runtime.database.begin() as session:
        kept, cursor = 0, None
        while True:
            page = await documents.page(session, own_corpus, source.id, cursor=cursor, limit=500)
            kept, cursor = kept + len(page.items), page.next_cursor
            if cursor is None:
                break
    assert kept == total


async def test_questions_fail_at_once_and_work_again_after_it(
    own_server: OwnServer, own_runtime: Runtime, own_corpus: Corpus
) -> None:
    runtime = replace(own_runtime, reader=colour_reader())
    await build(runtime, own_corpus, {"herald": honest()})
    await own_server.stop()
    async with asyncio.timeout(15):
        with pytest.raises(DatabaseUnavailable):
            await answers.ask(runtime, own_corpus, question("Aldra"), AnswerParameters())
    await own_server.start()
    for _ in range(3):
        record = await answers.ask(runtime, own_corpus, question("Aldra"), AnswerParameters())
        assert record.status == RunStatus.SUCCEEDED
