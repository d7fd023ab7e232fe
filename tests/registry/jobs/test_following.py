"""Estimations follow documents: debounced, with the parameters of the current run, within a daily allowance."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusPatch
from registry.documents import store as documents
from registry.documents.model import Document
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.jobs.following import follow_documents
from registry.platform.enums import RunStatus, Trigger
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.query_generations import service as query_generation
from registry.query_generations.model import QueryGeneration
from registry.query_generations.schemas import GenerationParameters
from registry.query_generations.store import newest
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourcePatch
from tests.eventually import eventually
from tests.registry.estimated import finished
from tests.registry.jobs.test_scheduler import running
from tests.registry.mills import asked, mill_reader, publish_mills
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question

Sources = dict[str, Source]


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    return replace(runtime, reader=colour_reader())


@pytest.fixture
async def estimated(reading: Runtime, corpus: Corpus) -> Sources:
    """A corpus whose reliabilities were estimated, by a method that is not the default."""
    sources = await build(reading, corpus, {"herald": honest(), "post": honest(), "echo": liar("Esk")}, TOWERS)
    await finished(reading, corpus, EstimationParameters.model_validate({"method": "majority"}))
    return sources


async def run_once(runtime: Runtime, corpus: Corpus, parameters: EstimationParameters) -> None:
    run = await estimation.start(runtime, corpus, parameters, Trigger.HTTP)
    await estimation.run(runtime, run.id)


async def publish(runtime: Runtime, corpus: Corpus, source: Source, text: str) -> None:
    await ingest(runtime, corpus, source.id, [DocumentInput(external_id="late", title="late", content=text)])


async def runs(runtime: Runtime) -> list[EstimationRun]:
    async with runtime.database.begin() as session:
        return list(await session.scalars(select(EstimationRun).order_by(EstimationRun.id)))


def in_seconds(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def ask(runtime: Runtime, corpus: Corpus) -> AnswerResult:
    record = await answers.ask(runtime, corpus, question("Esk"), AnswerParameters())
    return AnswerResult.model_validate(record.result)


async def test_a_run_follows_documents_that_came_to_rest(reading: Runtime, corpus: Corpus, estimated: Sources) -> None:
    assert await follow_documents(reading, in_seconds(3600)) == 0
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted black.")
    assert await follow_documents(reading, in_seconds(30)) == 0
    assert await follow_documents(reading, in_seconds(61)) == 1
    first, second = await runs(reading)
    assert (second.trigger, second.parameters) == (Trigger.DOCUMENTS, first.parameters)
    assert await follow_documents(reading, in_seconds(3600)) == 0
    await estimation.run(reading, second.id)
    assert await follow_documents(reading, in_seconds(3600)) == 0


async def test_documents_that_never_pause_are_followed_too(
    reading: Runtime, corpus: Corpus, estimated: Sources
) -> None:
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted black.")
    async with reading.database.begin() as session:
        # The last change lies an hour ahead, as seen from every time below.
        await session.execute(
            update(Document).where(Document.external_id == "Aldra").values(updated_at=in_seconds(3600))
        )
    assert await follow_documents(reading, in_seconds(599)) == 0
    assert await follow_documents(reading, in_seconds(601)) == 1


@pytest.mark.parametrize("removal", ["document", "source"])
async def test_a_run_follows_what_was_taken_away(
    reading: Runtime, corpus: Corpus, estimated: Sources, removal: str
) -> None:
    echo = estimated["echo"].id
    async with reading.database.begin() as session:
        await sources.update(session, corpus, echo, SourcePatch(name="Echo of Aldra"))
    assert await follow_documents(reading, in_seconds(3600)) == 0
    async with reading.database.begin() as session:
        if removal == "document":
            document = await session.scalars(select(Document.id).where(Document.source_id == echo))
            await documents.delete(session, corpus, echo, document.first() or echo)
        else:
            await sources.delete(session, corpus, echo)
    assert await follow_documents(reading, in_seconds(30)) == 0
    assert await follow_documents(reading, in_seconds(61)) == 1
    assert await follow_documents(reading, in_seconds(3600)) == 0


async def test_every_answer_counts_the_documents_that_its_estimate_may_not_know(
    reading: Runtime, corpus: Corpus, estimated: Sources
) -> None:
    assert (await ask(reading, corpus)).newer_documents == 0
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted black.")
    assert (await ask(reading, corpus)).newer_documents == 1
    await run_once(reading, corpus, EstimationParameters())
    assert (await ask(reading, corpus)).newer_documents == 0


async def generate(runtime: Runtime, corpus: Corpus) -> int:
    """Run the generation that is queued; returns how many queries it added."""
    async with runtime.database.begin() as session:
        generation = await newest(session, corpus)
    assert generation is not None
    assert await query_generation.run(runtime, generation.id)
    async with runtime.database.begin() as session:
        return int((await session.get_one(QueryGeneration, generation.id)).report["queries"])


@pytest.mark.parametrize("asked_first", [(), ("Aldra",)])
async def test_a_corpus_without_queries_gets_some_and_is_estimated(
    runtime: Runtime, corpus: Corpus, asked_first: Sequence[str]
) -> None:
    reading = replace(runtime, reader=mill_reader())
    await publish_mills(reading, corpus, "Aldra", "Brin")
    for mill in asked_first:
        await answers.ask(reading, corpus, asked(mill), AnswerParameters())
    assert await follow_documents(reading, in_seconds(30)) == 0
    assert await follow_documents(reading, in_seconds(61)) == 1
    assert await generate(reading, corpus) == 2 - len(asked_first)
    (run,) = await runs(reading)
    await estimation.run(reading, run.id)
    assert [(row.status, row.queries_total) for row in await runs(reading)] == [("succeeded", 2)]
    assert await follow_documents(reading, in_seconds(3600)) == 0


async def test_queries_of_new_documents_come_before_the_estimation_that_follows_them(
    runtime: Runtime, corpus: Corpus
) -> None:
    reading = replace(runtime, reader=mill_reader())
    await publish_mills(reading, corpus, "Aldra", "Brin")
    first = await query_generation.run_now(reading, corpus, GenerationParameters(seed=3))
    await run_once(reading, corpus, EstimationParameters.model_validate({"method": "majority"}))
    assert await follow_documents(reading, in_seconds(3600)) == 0
    await publish_mills(reading, corpus, "Corvo")
    assert await follow_documents(reading, in_seconds(61)) == 1
    assert await follow_documents(reading, in_seconds(61)) == 0
    async with reading.database.begin() as session:
        second = await newest(session, corpus)
    assert second is not None
    assert second.id != first.id
    assert [second.parameters[name] for name in ("seed", "queries", "estimate")] == [3, 98, True]
    assert await query_generation.run(reading, second.id)
    follows = (await runs(reading))[-1]
    assert follows.parameters["method"] == "majority"
    await estimation.run(reading, follows.id)
    assert [run.queries_total for run in await runs(reading)] == [2, 3]
    assert await follow_documents(reading, in_seconds(3600)) == 0


@pytest.mark.parametrize("hindered_by", ["setting", "query", "no readings"])
async def test_no_queries_are_written_where_there_are_some_or_none_are_wanted(
    runtime: Runtime, corpus: Corpus, hindered_by: str
) -> None:
    reading = replace(runtime, reader=mill_reader())
    await publish_mills(reading, corpus, "Aldra")
    if hindered_by == "no readings":
        reading = replace(reading, settings=reading.settings.model_copy(update={"follow_daily_readings": 0}))
    async with reading.database.begin() as session:
        if hindered_by == "setting":
            await corpora.update(session, corpus, CorpusPatch(generate_queries=False))
        elif hindered_by == "query":
            await queries.create(session, corpus, QueryInput(text="Who owns Aldra Mill?"))
    assert await follow_documents(reading, in_seconds(3600)) == 0


async def test_no_run_begins_by_itself_before_the_first_estimation(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {"herald": honest()}, TOWERS)
    assert await follow_documents(reading, in_seconds(3600)) == 0
    assert (await ask(reading, corpus)).newer_documents is None


async def test_a_cancelled_run_is_not_begun_again(reading: Runtime, corpus: Corpus, estimated: Sources) -> None:
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted black.")
    assert await follow_documents(reading, in_seconds(61)) == 1
    run = (await runs(reading))[-1]
    async with reading.database.begin() as session:
        await estimations.request_cancel(session, corpus, run.id)
    await estimation.run(reading, run.id)
    assert (await runs(reading))[-1].status == RunStatus.CANCELLED
    assert await follow_documents(reading, in_seconds(3600)) == 0


async def test_the_readings_of_a_day_are_bounded(reading: Runtime, corpus: Corpus, estimated: Sources) -> None:
    frugal = replace(reading, settings=reading.settings.model_copy(update={"follow_daily_readings": 1}))
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted black.")
    assert await follow_documents(frugal, in_seconds(61)) == 1
    await estimation.run(frugal, (await runs(reading))[-1].id)
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted green.")
    assert await follow_documents(frugal, in_seconds(61)) == 0
    assert await follow_documents(reading, in_seconds(61)) == 1


async def test_the_scheduler_follows_documents(reading: Runtime, corpus: Corpus, estimated: Sources) -> None:
    await publish(reading, corpus, estimated["echo"], "The tower of Esk is painted black.")
    hurried = replace(reading, settings=reading.settings.model_copy(update={"follow_seconds": 0.3}))

    async def followed() -> bool:
        return len(await runs(reading)) == 2

    async with running(hurried):
        await eventually(followed)
