"""A job that ended its process twice is set aside with the reason, and what ran beside it goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import select
from uuid_utils.compat import uuid7

from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.estimations import jobs as estimation_jobs
from registry.estimations import store as estimations
from registry.estimations.model import RunPiece
from registry.estimations.schemas import EstimationParameters
from registry.jobs import kinds
from registry.jobs.failures import recent_failures
from registry.jobs.model import BegunJob
from registry.jobs.worker import REASON, Interruptions
from registry.platform.enums import Trigger
from registry.platform.errors import DatabaseUnavailable
from registry.query_generations import store as generations
from registry.query_generations.schemas import GenerationParameters
from registry.runtime import Runtime
from registry.webhooks import store as webhooks
from registry.webhooks.model import WebhookDelivery
from registry.webhooks.schemas import WebhookInput
from tests.eventually import eventually

INNOCENT, DEADLY = UUID(int=1), UUID(int=2)
NAMES = {"innocent": INNOCENT, "deadly": DEADLY}


class Processes:
    """Processes one after the other; of one that ended nobody goes on with what it ran."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.held = {DEADLY}
        """What does not come to an end."""
        self.done: list[UUID] = []
        self.given_up: dict[UUID, str] = {}
        self.kind = replace(kinds.KINDS[0], run=self._run, give_up=self._give_up)
        self._begun: list[asyncio.Task[None]] = []

    async def _run(self, _runtime: Runtime, subject_id: UUID) -> None:
        if subject_id in self.held:
            await asyncio.Event().wait()
        self.done.append(subject_id)

    async def _give_up(self, _runtime: Runtime, subject_id: UUID, reason: str) -> None:
        self.given_up[subject_id] = reason

    def begin(self, process: Interruptions, subject_id: UUID) -> asyncio.Task[None]:
        self._begun.append(asyncio.create_task(process.run(self.runtime, self.kind, subject_id)))
        return self._begun[-1]

    async def times(self) -> dict[UUID, int]:
        async with self.runtime.database.begin() as session:
            return {row.subject_id: row.times for row in await session.scalars(select(BegunJob))}

    async def begun(self, **times: int) -> None:
        async def as_often() -> bool:
            return await self.times() == {NAMES[name]: number for name, number in times.items()}

        await eventually(as_often, seconds=20)

    async def stop(self) -> None:
        for job in self._begun:
            job.cancel()
        await asyncio.gather(*self._begun, return_exceptions=True)


@pytest.fixture
async def processes(runtime: Runtime) -> AsyncIterator[Processes]:
    processes = Processes(runtime)
    yield processes
    await processes.stop()


async def test_a_job_that_ended_its_process_twice_is_given_up_and_others_are_done(processes: Processes) -> None:
    first, second, third = Interruptions(), Interruptions(), Interruptions()
    processes.held = {DEADLY, INNOCENT}
    for subject in (DEADLY, INNOCENT):
        processes.begin(first, subject)
    await processes.begun(deadly=1, innocent=1)
    processes.begin(second, DEADLY)
    await processes.begun(deadly=2, innocent=1)
    waiting = processes.begin(second, INNOCENT)
    await asyncio.wait({waiting}, timeout=0.1)
    # What did not begin has no part in the end of the process.
    await processes.begun(deadly=2, innocent=1)
    processes.held = {DEADLY}
    await asyncio.gather(*(processes.begin(third, subject) for subject in (DEADLY, INNOCENT)))
    assert (processes.done, processes.given_up) == ([INNOCENT], {DEADLY: REASON})
    await processes.begun()


async def test_stops_errors_and_outages_are_no_ends_of_a_process(
    runtime: Runtime, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        processes.begin(Interruptions(), DEADLY)
        await processes.begun(deadly=1)
        await processes.stop()
    process = Interruptions()

    async def fail(_runtime: object, _subject: object) -> None:
        raise DatabaseUnavailable("away")

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr("registry.jobs.store.forget_begun", fail)
            with pytest.raises(DatabaseUnavailable):
                await process.run(runtime, replace(processes.kind, run=fail), INNOCENT)
    await process.run(runtime, processes.kind, INNOCENT)
    assert (processes.done, processes.given_up) == ([INNOCENT], {})


@asynccontextmanager
async def subjects(runtime: Runtime, corpus: Corpus) -> AsyncIterator[dict[str, UUID]]:
    """One of each kind of job that waits, by the name of the job."""
    async with runtime.database.begin() as session:
        answer = AnswerRecord(id=uuid7(), corpus_id=corpus.id, question="Why?", parameters={})
        run = await estimations.create(session, corpus, EstimationParameters(), Trigger.HTTP)
        generation = await generations.create(session, corpus, GenerationParameters())
        values = WebhookInput(url="https://hooks.example", events=["estimation.failed"])
        webhook = await webhooks.create(session, corpus, values, "secret")
        session.add(answer)
        await session.flush()
        delivery_id = await webhooks.add_delivery(session, webhook.id, "webhook.test", {})
    yield {"answer": answer.id, "estimate": run.id, "generate_queries": generation.id, "webhook": delivery_id}


async def test_each_kind_of_job_ends_what_it_is_given_up_for(runtime: Runtime, corpus: Corpus) -> None:
    async with subjects(runtime, corpus) as waiting:
        for kind in kinds.KINDS:
            if kind.give_up is not None and kind.unfinished is not None:
                await kind.give_up(runtime, waiting[kind.job.name], REASON)
                async with runtime.database.begin() as session:
                    assert waiting[kind.job.name] not in set(await session.scalars(kind.unfinished))
        async with runtime.database.begin() as session:
            failures = await recent_failures(session, 10)
            delivery = await session.get_one(WebhookDelivery, waiting["webhook"])
        assert {(failure.kind, failure.detail) for failure in failures} == {
            (name, REASON) for name in waiting if name != "webhook"
        }
        assert (delivery.status, delivery.problem) == ("failed", REASON)


async def test_a_piece_that_is_given_up_ends_its_run(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        run = await estimations.create(session, corpus, EstimationParameters(), Trigger.HTTP)
        piece = RunPiece(estimation_id=run.id, queries={})
        session.add(piece)
    give_up = estimation_jobs.READING_KIND.give_up
    assert give_up is not None
    for _ in range(2):
        await give_up(runtime, piece.id, REASON)
    async with runtime.database.begin() as session:
        (failure,) = await recent_failures(session, 10)
    assert (failure.kind, failure.subject_id, failure.detail) == ("estimate", run.id, REASON)
