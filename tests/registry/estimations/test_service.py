"""Estimation from real documents in a real database, with a reader whose words are known."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from answering.errors import ModelUnavailable
from registry.corpora.model import Corpus
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.jobs import KIND
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import RunStatus, Trigger
from registry.runtime import Runtime
from registry.sources.store.estimates import current_run
from tests.eventually import eventually
from tests.fakes.scripted_reader import Reply, ScriptedReader
from tests.registry.world import TOWERS, TRUTH, colour_reader

PLAIN = EstimationParameters()


async def finished(runtime: Runtime, corpus: Corpus, parameters: EstimationParameters = PLAIN) -> EstimationRun:
    """Queue a run and do its job here."""
    queued = await estimation.start(runtime, corpus, parameters, Trigger.COMMAND)
    await KIND.run(runtime, queued.id)
    async with runtime.database.begin() as session:
        return await estimations.get(session, corpus, queued.id)


async def test_reliabilities_are_the_shares_of_votes_for_the_elected_answers(
    three_sources: Runtime, corpus: Corpus
) -> None:
    run = await finished(three_sources, corpus, EstimationParameters(method="iwmv"))
    async with three_sources.database.begin() as session:
        rows = {row.source_name: row for row in await estimations.sources_of(session, run)}
        answers = (await estimations.queries_of(session, run, cursor=None, limit=50)).items
    assert (run.status, run.converged, run.votes_total, run.labels) == (RunStatus.SUCCEEDED, True, 18, 3)
    assert {name: row.reliability for name, row in rows.items()} == {"Herald": 1.0, "Gazette": 1.0, "Rumour": 0.5}
    assert rows["Rumour"].weight == pytest.approx(3 * 0.5 - 1)
    assert sorted(str(row.answer) for row in answers) == sorted(TRUTH.values())
    # Herald and Gazette weigh 2 each, Rumour 0.5: (4 - 0.5) / 4.5 where it dissents.
    assert sorted({round(row.lead or 0, 6) for row in answers}) == [round(3.5 / 4.5, 6), 1.0]


async def _finish(runtime: Runtime, run_id: UUID) -> None:
    """Do the run again until it has ended: Postgres frees the lock of a broken connection a moment later."""

    async def ended() -> bool:
        await estimation.run(runtime, run_id)
        async with runtime.database.begin() as session:
            return RunStatus((await session.get_one(EstimationRun, run_id)).status).ended

    await eventually(ended)


async def test_an_interrupted_run_goes_on_where_it_stopped(three_sources: Runtime, corpus: Corpus) -> None:
    slow = colour_reader(delay=0.05)
    runtime = replace(three_sources, reader=slow)
    queued = await estimation.start(runtime, corpus, PLAIN, Trigger.COMMAND)
    working = asyncio.create_task(estimation.run(runtime, queued.id))
    await eventually(lambda: len(slow.calls) >= 6)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await _finish(three_sources, queued.id)
    async with runtime.database.begin() as session:
        run = await estimations.get(session, corpus, queued.id)
        collected = (await estimations.queries_of(session, run, cursor=None, limit=50)).items
    assert isinstance(three_sources.reader, ScriptedReader)
    assert run.status == RunStatus.SUCCEEDED
    assert len(collected) == len(TOWERS)
    # At most the readings under way when it stopped were lost.
    assert len(slow.calls) + len(three_sources.reader.calls) <= 18 + slow.peak


async def test_two_workers_do_a_run_once(three_sources: Runtime, corpus: Corpus) -> None:
    queued = await estimation.start(three_sources, corpus, PLAIN, Trigger.COMMAND)
    await asyncio.gather(*(estimation.run(three_sources, queued.id) for _ in range(3)))
    assert isinstance(three_sources.reader, ScriptedReader)
    assert len(three_sources.reader.calls) == 18


async def test_a_dead_reader_fails_the_run_and_leaves_no_half_of_it(three_sources: Runtime, corpus: Corpus) -> None:
    def dead(_question: str, _passages: Sequence[str]) -> ModelUnavailable:
        return ModelUnavailable("The model server cannot be reached.")

    run = await finished(replace(three_sources, reader=ScriptedReader(dead)), corpus)
    async with three_sources.database.begin() as session:
        assert not await estimations.sources_of(session, run)
        assert await current_run(session, corpus) is None
    assert run.status == RunStatus.FAILED
    assert "cannot be reached" in (run.problem or {})["detail"]


async def test_a_reader_that_fails_on_one_source_only_makes_it_abstain(three_sources: Runtime, corpus: Corpus) -> None:
    good = colour_reader()

    def partly(asked: str, passages: Sequence[str]) -> Reply:
        return ModelUnavailable("busy") if "rumour" in passages[0] else good.reply(asked, passages)

    run = await finished(replace(three_sources, reader=ScriptedReader(partly)), corpus)
    assert (run.status, run.readings_failed, run.votes_total) == (RunStatus.SUCCEEDED, 6, 12)
