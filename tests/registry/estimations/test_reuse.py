"""A run reuses what cannot have changed, and ends as a run that collects everything."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import ClassPolicy
from answering.errors import UnreadableReply
from registry.corpora.model import Corpus
from registry.documents import store as documents
from registry.documents.model import Document
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.collection.plan import code_files, conditions
from registry.estimations.model import EstimationRun, Vote
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import RunStatus, SourceStatus, Trigger
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourcePatch
from tests.eventually import eventually
from tests.fakes.scripted_reader import Reply, ScriptedReader
from tests.registry.estimations.test_service import finished
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question

COLOURS = ("ultramarine", "ultramarin", "vermilion", "red")
MAJORITY = EstimationParameters(method="majority")
FULL = EstimationParameters(method="majority", full=True)


async def outcome(runtime: Runtime, run: EstimationRun) -> object:
    """All readings of a run, its answers and its reliabilities."""
    columns = [column for column in Vote.__table__.columns if column.name != "estimation_id"]
    votes = select(*columns).where(Vote.estimation_id == run.id).order_by(Vote.query_id, Vote.source_id)
    async with runtime.database.begin() as session:
        answers = (await estimations.queries_of(session, run, cursor=None, limit=50)).items
        return (
            [tuple(row) for row in await session.execute(votes)],
            [(row.query_id, row.query_text, row.vote_count, row.answer, row.lead, row.tied) for row in answers],
            {row.source_id: (row.reliability, row.vote_count) for row in await estimations.sources_of(session, run)},
            (run.status, run.votes_total, run.queries_collected, run.readings_failed),
        )


@dataclass
class History:
    """Random changes of a corpus, in which the source `herald` stays."""

    runtime: Runtime
    corpus: Corpus
    random: Random

    async def change(self) -> None:
        """Make one of the changes that matter to estimations."""
        changes = (self._store, self._store, self._delete_document, self._add, self._switch, self._delete, self.ask)
        await self.random.choice(changes)()

    async def _store(self) -> None:
        async with self.runtime.database.begin() as session:
            source = self.random.choice(await self._sources(session))
        tower = self.random.choice(TOWERS)
        content = f"By {source.external_id}. The tower of {tower} is painted {self.random.choice(COLOURS)}."
        document = DocumentInput(external_id=self.random.choice([tower[:1], None]), content=content)
        await ingest(self.runtime, self.corpus, source.id, [document])

    async def _delete_document(self) -> None:
        async with self.runtime.database.begin() as session:
            stored = (await session.scalars(select(Document).order_by(Document.content))).all()
            document = self.random.choice(stored)
            await documents.delete(session, self.corpus, document.source_id, document.id)

    async def _add(self) -> None:
        name = f"Source {self.random.random()}"
        await build(self.runtime, self.corpus, {name: {self.random.choice(TOWERS): self.random.choice(COLOURS)}})

    async def _switch(self) -> None:
        async with self.runtime.database.begin() as session:
            for source in (await self._sources(session))[1:2]:
                other = SourceStatus.PAUSED if source.status == SourceStatus.ACTIVE else SourceStatus.ACTIVE
                await sources.update(session, self.corpus, source.id, SourcePatch(status=other))

    async def _delete(self) -> None:
        async with self.runtime.database.begin() as session:
            for source in (await self._sources(session))[2:3]:
                await sources.delete(session, self.corpus, source.id)

    async def ask(self) -> None:
        """Add a query, or change its text, or take it out."""
        tower, other = self.random.choice(TOWERS), self.random.choice(TOWERS)
        values = QueryInput(external_id=tower, text=question(other), active=self.random.random() < 0.8)
        async with self.runtime.database.begin() as session:
            await queries.create(session, self.corpus, values)

    async def _sources(self, session: AsyncSession) -> list[Source]:
        """Herald, then the others in random order."""
        rows = list(await session.scalars(select(Source).order_by(Source.external_id)))
        self.random.shuffle(rows)
        return sorted(rows, key=lambda source: source.external_id != "herald")


def reader_failing_on(name: str) -> ScriptedReader:
    """Reads colours, but for passages by one source."""
    good = colour_reader()

    def read(asked: str, passages: Sequence[str]) -> Reply:
        failed = any(f"By {name}." in passage for passage in passages)
        return UnreadableReply("empty") if failed else good.reply(asked, passages)

    return ScriptedReader(read)


async def test_a_run_ends_as_one_that_collects_everything(reading: Runtime, corpus: Corpus) -> None:
    stated = {"herald": honest(), "rumour": liar("Aldra", "Brin"), "gazette": liar("Esk"), "post": honest()}
    await build(reading, corpus, stated, TOWERS[:4])
    history, reused = History(reading, corpus, Random(5)), []
    for policy, only, failing, change in (
        (ClassPolicy.VALUES, False, None, history.ask),
        (ClassPolicy.VALUES, False, None, history.change),
        (ClassPolicy.ROUNDED, True, None, history.ask),
        (ClassPolicy.ROUNDED, True, "rumour", history.change),
    ):
        runtime = replace(reading, reader=reader_failing_on(failing or "nobody"))
        parameters = EstimationParameters(method="majority", class_policy=policy, candidates_only=only)
        run = await finished(runtime, corpus, parameters)
        reused.append(run.readings_carried > 0)
        full = await finished(runtime, corpus, parameters.model_copy(update={"full": True}))
        assert await outcome(reading, run) == await outcome(reading, full)
        assert (run.status, full.readings_carried) == (RunStatus.SUCCEEDED, 0)
        # The next run takes over from the one that took over itself.
        async with reading.database.begin() as session:
            await session.execute(delete(EstimationRun).where(EstimationRun.id == full.id))
        for _ in range(3):
            await change()
    # Another class policy, and changed documents, leave nothing to reuse.
    assert reused == [False, True, False, True]


async def test_a_run_on_the_same_documents_copies_the_votes_and_reads_new_queries(
    reading: Runtime, corpus: Corpus
) -> None:
    stated = await build(reading, corpus, {name: honest() for name in ("herald", "gazette", "post")}, TOWERS)
    await finished(reading, corpus, MAJORITY)
    again = await finished(reading, corpus, MAJORITY)
    assert (again.readings_made, again.readings_cached, again.readings_carried) == (0, 18, 18)
    async with reading.database.begin() as session:
        await queries.create(session, corpus, QueryInput(external_id="new", text="Which colour has Aldra's tower?"))
    more = await finished(reading, corpus, MAJORITY)
    assert (more.queries_collected, more.readings_made, more.readings_carried) == (7, 3, 18)
    assert await outcome(reading, more) == await outcome(reading, await finished(reading, corpus, FULL))
    await ingest(reading, corpus, stated["post"].id, [DocumentInput(content="The tower of Aldra is new.")])
    after = await finished(reading, corpus, MAJORITY)
    assert after.readings_made + after.readings_cached == 21
    assert after.readings_carried == 0
    # Late: its transaction began before the run, and was committed after it had looked.
    async with reading.database.begin() as session:
        rows = (await session.scalars(select(Document).where(Document.source_id == stated["herald"].id))).all()
        rows[0].updated_at = after.created_at.replace(year=2020)
    assert (await finished(reading, corpus, MAJORITY)).readings_carried == 0


async def test_an_interrupted_run_goes_on_with_what_it_carries(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {name: honest() for name in ("herald", "gazette", "post")}, TOWERS)
    await finished(reading, corpus, MAJORITY)
    async with reading.database.begin() as session:
        await queries.create(session, corpus, QueryInput(external_id="new", text="Which colour has Aldra's tower?"))
    slow = colour_reader(delay=3600)
    queued = await estimation.start(reading, corpus, MAJORITY, Trigger.COMMAND)
    working = asyncio.create_task(estimation.run(replace(reading, reader=slow), queued.id))
    await eventually(lambda: slow.calls)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)

    async def ended() -> EstimationRun | None:
        await estimation.run(reading, queued.id)
        async with reading.database.begin() as session:
            run = await estimations.get(session, corpus, queued.id)
        return run if RunStatus(run.status).ended else None

    await eventually(ended)
    run = await ended()
    assert run is not None
    assert run.readings_carried == 18
    assert await outcome(reading, run) == await outcome(reading, await finished(reading, corpus, FULL))


async def test_nothing_is_reused_between_other_settings(reading: Runtime) -> None:
    plain = EstimationParameters()
    settings = reading.settings
    others = [
        (replace(reading, reader=ScriptedReader(name="other")), plain),
        (replace(reading, settings=settings.model_copy(update={"passages_per_source": 5})), plain),
        (reading, EstimationParameters(class_policy=ClassPolicy.EXACT)),
    ]
    made = {conditions(runtime, parameters) for runtime, parameters in [(reading, plain), *others]}
    assert len(made) == 4
    assert conditions(replace(reading), EstimationParameters(method="iwmv", topics="none")) in made


def test_conditions_are_also_those_of_the_code_that_makes_votes() -> None:
    assert {path.relative_to(Path(__file__).parents[3]).parts[0] for path in code_files()} == {"answering", "registry"}
