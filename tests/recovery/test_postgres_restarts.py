"""Postgres goes away and comes back: nothing committed is lost, work goes on, nobody waits for ever."""

from dataclasses import replace

import pytest
from sqlalchemy import select, text

from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.jobs import worker
from registry.platform.digest import digest
from registry.platform.enums import RunStatus, Trigger
from registry.platform.errors import DatabaseUnavailable
from registry.readings.model import CachedReading
from registry.runtime import Runtime
from tests.eventually import eventually
from tests.fakes.postgres import PostgresServer
from tests.registry.working import working
from tests.registry.world import TOWERS, build, colour_reader, honest, liar


async def test_an_estimation_survives_it(own_server: PostgresServer, own_runtime: Runtime, own_corpus: Corpus) -> None:
    reader = colour_reader(delay=0.05)
    runtime = replace(own_runtime, reader=reader)
    await build(runtime, own_corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Brin")}, TOWERS)
    queued = await estimation.start(runtime, own_corpus, EstimationParameters(), Trigger.COMMAND)
    async with working(runtime):

        async def stored() -> set[tuple[bytes, bytes]]:
            async with runtime.database.begin() as session:
                rows = await session.execute(select(CachedReading.prompt_hash, CachedReading.passages_hash))
                return {(prompt_hash, passages_hash) for prompt_hash, passages_hash in rows}

        await eventually(stored)
        kept = await stored()
        await own_server.stop()
        await own_server.start()
        calls_before = len(reader.calls)

        async def ended() -> bool:
            async with runtime.database.begin() as session:
                return RunStatus((await estimations.get(session, own_corpus, queued.id)).status).ended

        await eventually(ended)
    async with runtime.database.begin() as session:
        run = await estimations.get(session, own_corpus, queued.id)
        rows = await estimations.sources_of(session, run)
    assert run.status == RunStatus.SUCCEEDED
    assert len(rows) == 3
    made_again = {
        (digest(reader.prompt_hash, call.question), digest(*call.passages)) for call in reader.calls[calls_before:]
    }
    assert made_again
    assert not made_again & kept


IS_LISTENER = "FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'"


async def test_a_job_is_taken_at_once_after_the_listener_and_after_postgres_was_away(
    own_server: PostgresServer, own_runtime: Runtime, own_corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By notification: nobody looks for jobs, or shows a heartbeat, for an hour."""
    monkeypatch.setattr(worker, "POLLING_SECONDS", 3600.0)
    settings = own_runtime.settings.model_copy(update={"job_heartbeat_seconds": 3600.0})
    runtime = replace(own_runtime, reader=colour_reader(), settings=settings)
    await build(runtime, own_corpus, {"herald": honest()}, TOWERS[:1])
    async with working(runtime):

        async def listeners() -> set[int]:
            try:
                async with runtime.database.begin() as session:
                    return set(await session.scalars(text(f"SELECT pid {IS_LISTENER}")))
            except DatabaseUnavailable:
                return set()

        async def others_listen() -> bool:
            """One for each queue."""
            return len(await listeners() - former) == len(worker.CONCURRENCY)

        async def is_taken(run: EstimationRun) -> None:
            async def ended() -> bool:
                async with runtime.database.begin() as session:
                    return RunStatus((await estimations.get(session, own_corpus, run.id)).status).ended

            await eventually(ended)

        former: set[int] = set()
        await eventually(others_listen)
        former = await listeners()
        async with runtime.database.begin() as session:
            await session.execute(text(f"SELECT pg_terminate_backend(pid) {IS_LISTENER}"))
        await eventually(others_listen)
        await is_taken(await estimation.start(runtime, own_corpus, EstimationParameters(), Trigger.COMMAND))
        former = await listeners()
        await own_server.stop()
        await own_server.start()
        await eventually(others_listen)
        await is_taken(await estimation.start(runtime, own_corpus, EstimationParameters(), Trigger.COMMAND))
