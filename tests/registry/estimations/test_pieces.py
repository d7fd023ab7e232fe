"""A run is read in pieces by several workers, of which any may fail, stop or be slow."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text

from answering.errors import ModelUnavailable
from answering.passages import PassageTexts
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.collection.plan import PART_LEFT, cut, seconds_per_reading, timed_readings
from registry.estimations.model import EstimationRun, RunPiece, Vote
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.collection import take_piece
from registry.events import store as events
from registry.jobs import worker
from registry.platform.enums import RunStatus, Trigger
from registry.queries.model import Query
from registry.runtime import Runtime
from tests.eventually import eventually
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimations.test_service import finished
from tests.registry.working import working
from tests.registry.world import DAILY_TOWERS, TOWERS, build, colour_reader, honest

READINGS = 3 * len(TOWERS)


def stuck(runtime: Runtime) -> tuple[Runtime, ScriptedReader]:
    """A worker whose readings do not end."""
    reader = colour_reader(delay=3600)
    return replace(runtime, reader=reader), reader


async def start(runtime: Runtime, corpus: Corpus) -> EstimationRun:
    return await estimation.start(runtime, corpus, EstimationParameters(), Trigger.COMMAND)


@asynccontextmanager
async def running(runtime: Runtime, run: EstimationRun) -> AsyncIterator[asyncio.Task[None]]:
    """The run at work elsewhere, by a worker that is stuck in its pieces."""
    elsewhere, reader = stuck(runtime)
    task = asyncio.create_task(estimation.run(elsewhere, run.id))
    await eventually(lambda: len(reader.calls) >= 2 * 3)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def take(runtime: Runtime, run: EstimationRun) -> UUID | None:
    async with runtime.database.begin() as session:
        piece = await take_piece(session, run.id)
    return piece.id if piece else None


async def left(runtime: Runtime) -> Sequence[UUID]:
    async with runtime.database.begin() as session:
        return (await session.scalars(select(RunPiece.id).order_by(RunPiece.id))).all()


async def now(runtime: Runtime, corpus: Corpus, run: EstimationRun) -> EstimationRun:
    async with runtime.database.begin() as session:
        return await estimations.get(session, corpus, run.id)


async def statuses(runtime: Runtime) -> list[tuple[str, str]]:
    """Of all jobs."""
    async with runtime.database.begin() as session:
        jobs = text("SELECT task_name, status::text FROM procrastinate.procrastinate_jobs ORDER BY task_name")
        return [(name, status) for name, status in await session.execute(jobs)]


def test_queries_of_one_text_are_in_one_piece_and_pieces_are_small() -> None:
    texts = [f"question {number % 1000}" for number in range(2000)]
    queries = [Query(id=uuid4(), text=text) for text in texts]
    for source_count, most in ((3, 16), (100, 2), (200, 1), (10_000, 1)):
        made = cut(uuid4(), queries, source_count)
        sizes = [len(set(piece.queries.values())) for piece in made]
        assert sizes == sorted(sizes, reverse=True)
        assert (sizes[0], sizes[-1], sum(sizes)) == (most, 1, 1000)
        assert sum(len(piece.queries) for piece in made) == 2000


@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 65, 5000])
def test_a_piece_is_at_most_a_part_of_the_queries_that_are_left(count: int) -> None:
    queries = [Query(id=uuid4(), text=str(number)) for number in range(count)]
    left = count
    for piece in cut(uuid4(), queries, 1):
        assert 1 <= len(piece.queries) <= max(1, left * PART_LEFT + 1)
        left -= len(piece.queries)
    assert left == 0


async def test_others_read_what_one_has_not_taken_and_the_next_one_what_it_left(
    three_sources: Runtime, corpus: Corpus
) -> None:
    run = await start(three_sources, corpus)
    async with running(three_sources, run):
        while piece_id := await take(three_sources, run):
            await estimation.read(three_sources, piece_id)
        assert len(await left(three_sources)) == 2
        assert (await now(three_sources, corpus, run)).queries_collected == len(TOWERS) - 2

    async def ended() -> bool:
        await estimation.run(three_sources, run.id)
        return RunStatus((await now(three_sources, corpus, run)).status).ended

    await eventually(ended)
    ended_run = await now(three_sources, corpus, run)
    assert (ended_run.status, ended_run.readings_made, ended_run.votes_total) == ("succeeded", READINGS, READINGS)
    assert isinstance(three_sources.reader, ScriptedReader)
    assert len(three_sources.reader.calls) == READINGS
    assert await left(three_sources) == []
    assert ("read", "todo") not in await statuses(three_sources)


async def test_what_is_stored_after_the_begin_is_left_to_the_next_run(three_sources: Runtime, corpus: Corpus) -> None:
    filled = (await build(three_sources, corpus, {"filled": {}}))["filled"]
    run = await start(three_sources, corpus)
    async with running(three_sources, run):
        await build(three_sources, corpus, {"new": honest()})
        documents = [DocumentInput(content=f"The tower of {tower} is painted pink.") for tower in TOWERS]
        await ingest(three_sources, corpus, filled.id, documents)
        for only in (False, True):
            piece_id = await take(three_sources, run)
            assert piece_id is not None
            async with three_sources.database.begin() as session:
                row = await session.get_one(EstimationRun, run.id)
                row.parameters = row.parameters | {"candidates_only": only}
                row.conditions = None
            await estimation.read(three_sources, piece_id)
        async with three_sources.database.begin() as session:
            voters = set(await session.scalars(select(Vote.source_id).where(Vote.estimation_id == run.id)))
    assert len(voters) == 3
    assert filled.id not in voters


async def test_a_failure_elsewhere_ends_the_run_everywhere(three_sources: Runtime, corpus: Corpus) -> None:
    def dead(_question: str, _passages: Sequence[str]) -> ModelUnavailable:
        return ModelUnavailable("The model server cannot be reached.")

    run = await start(three_sources, corpus)
    async with running(three_sources, run) as task:
        await estimation.read(
            replace(three_sources, reader=ScriptedReader(dead)), await take(three_sources, run) or run.id
        )
        async with asyncio.timeout(10):
            await task
    ended = await now(three_sources, corpus, run)
    assert ended.status == RunStatus.FAILED
    assert "cannot be reached" in (ended.problem or {})["detail"]
    assert await left(three_sources) == []
    assert await statuses(three_sources) == [("estimate", "todo")]


async def test_a_cancelled_run_stops_everywhere(three_sources: Runtime, corpus: Corpus) -> None:
    elsewhere, _ = stuck(three_sources)
    run = await start(three_sources, corpus)
    async with running(three_sources, run) as task:
        reading = asyncio.create_task(estimation.read(elsewhere, await take(three_sources, run) or run.id))
        async with three_sources.database.begin() as session:
            await estimations.request_cancel(session, corpus, run.id)
        async with asyncio.timeout(10):
            await asyncio.gather(task, reading)
    assert (await now(three_sources, corpus, run)).status == RunStatus.CANCELLED


async def test_a_piece_that_two_read_counts_once(three_sources: Runtime, corpus: Corpus) -> None:
    run = await start(three_sources, corpus)
    async with running(three_sources, run):
        piece_id = await take(three_sources, run) or run.id
        await asyncio.gather(*(estimation.read(three_sources, piece_id) for _ in range(2)))
        after = await now(three_sources, corpus, run)
        async with three_sources.database.begin() as session:
            votes = (await session.scalars(select(Vote.source_id).where(Vote.estimation_id == run.id))).all()
    assert (after.queries_collected, after.votes_total, len(votes)) == (1, 3, 3)


async def test_a_worker_that_stops_hands_back_what_it_has(
    three_sources: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SHUTDOWN_SECONDS", 0.05)
    stopping, reader = stuck(three_sources)
    await start(three_sources, corpus)
    async with working(stopping):
        # The process of the run reads two pieces, as does its queue of readings.
        await eventually(lambda: len(reader.calls) >= 4 * 3)
    assert await statuses(three_sources) == [("estimate", "todo"), *[("read", "todo")] * 4]


REQUESTS = [("What colour?", PassageTexts(("The tower of Brin is painted blue.",)))] * 8


async def test_readings_of_this_machine_are_timed(reading: Runtime, corpus: Corpus) -> None:
    now = 0.0

    def read(_question: str, _passages: Sequence[str]) -> str:
        nonlocal now
        now += 0.5
        return "blue"

    timed = replace(reading, reader=ScriptedReader(read))
    assert await seconds_per_reading(timed, corpus, REQUESTS, lambda: now) == 0.5
    assert [timed_readings(timed, readings) for readings in (0, 99, 200, 10_000)] == [0, 0, 10, 24]


async def test_calls_of_a_language_model_are_not_made_to_be_timed(reading: Runtime) -> None:
    settings = reading.settings.model_copy(update={"reader": "openai"})
    assert timed_readings(replace(reading, settings=settings), 10_000) == 0


async def test_without_anything_to_time_earlier_readings_tell(reading: Runtime, corpus: Corpus) -> None:
    assert await seconds_per_reading(reading, corpus, []) is None
    towers = DAILY_TOWERS[:3]
    await build(reading, corpus, {"herald": dict.fromkeys(towers, "red")}, towers)
    await finished(reading, corpus)
    assert await seconds_per_reading(reading, corpus, []) is not None
    broken = replace(reading, reader=ScriptedReader(lambda _question, _passages: ModelUnavailable("It is gone.")))
    assert await seconds_per_reading(broken, corpus, REQUESTS) == await seconds_per_reading(reading, corpus, [])


async def test_the_forecast_of_a_first_run_has_seconds_and_its_counts_are_of_the_run_alone(
    reading: Runtime, corpus: Corpus
) -> None:
    towers = dict.fromkeys((f"Keep{number}" for number in range(40)), "red")
    await build(reading, corpus, dict.fromkeys(("herald", "gazette", "post"), towers), list(towers))
    reader = colour_reader()
    run = await finished(replace(reading, reader=reader), corpus, EstimationParameters())
    async with reading.database.begin() as session:
        steps = await events.after(session, run.id, 0)
    forecast = next(step.data for step in steps if step.kind == "forecast")
    assert (forecast["queries"], forecast["readings"]) == (40, 120)
    assert forecast["seconds"] is not None
    assert (run.readings_made, run.readings_cached) == (120, 0)
    # Six were timed, after one that loads the model.
    assert len(reader.calls) == 120 + 7
