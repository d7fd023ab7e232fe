"""A source that turns, from the dates of its documents to the answers of questions."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from registry.answers.result_schemas import SelectedSource
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.corpora.store import alarms
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, Vote
from registry.estimations.schemas import EstimationParameters
from registry.events import store as events
from registry.platform.enums import SourceStatus
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.reliabilities import SourceReliability
from registry.sources.schemas import OverrideInput, ReliabilityPeriod, SourcePatch
from registry.sources.store import estimates
from tests.registry.answers.asking import asked
from tests.registry.estimated import finished
from tests.registry.world import DAILY_TOWERS, DAYS, TURN, build_turning, question
from tests.remembered import Remember


@pytest.fixture
async def turned(reading: Runtime, corpus: Corpus, remember: Remember) -> Source:
    """The source that turned, as a run found; it also speaks of two towers that the others do not know."""

    async def build() -> None:
        more = {"Zenith": ("blue", DAYS[3]), "Nadir": ("pink", DAYS[-1] + timedelta(days=9))}
        await build_turning(reading, corpus, more)
        await finished(reading, corpus)

    await remember("estimated turncoat", build)
    async with reading.database.begin() as session:
        return (await session.scalars(select(Source).where(Source.external_id == "turncoat"))).one()


async def current_run(runtime: Runtime, corpus: Corpus) -> EstimationRun:
    async with runtime.database.begin() as session:
        run = await estimates.current_run(session, corpus)
    assert run is not None
    return run


async def reliability_of(runtime: Runtime, corpus: Corpus, source: Source) -> SourceReliability:
    async with runtime.database.begin() as session:
        return (await reliabilities.of_source(session, corpus, source.id)).sources[0]


async def selected(runtime: Runtime, corpus: Corpus, tower: str) -> SelectedSource:
    return (await asked(runtime, corpus, tower, kappa=5)).selected_sources[0]


async def test_a_run_stores_periods_and_raises_an_alarm(reading: Runtime, corpus: Corpus, turned: Source) -> None:
    run = await current_run(reading, corpus)
    async with reading.database.begin() as session:
        rows = {row.source_name: row for row in await estimations.sources_of(session, run)}
        steps = [event for event in await events.after(session, run.id, 0) if event.kind == "source_turned"]
        dates = set(await session.scalars(select(Vote.published_at).where(Vote.source_id == turned.id)))
    assert dates == set(DAYS)
    row = rows.pop("Turncoat")
    before, present = map(ReliabilityPeriod.model_validate, row.periods)
    assert (before.since, before.until, present.since, present.until) == (DAYS[0], DAYS[TURN - 1], DAYS[TURN], DAYS[-1])
    assert before.reliability > 0.8
    assert before.log_odds is None
    assert present.reliability == row.reliability < 0.3
    assert row.turned_at == DAYS[TURN]
    assert all(other.turned_at is None and other.periods == [] for other in rows.values())
    assert "1 source turned" in (run.reason or "")
    assert [step.data["source_id"] for step in steps] == [str(turned.id)]
    assert steps[0].data["reliability_before"] == before.reliability
    assert datetime.fromisoformat(steps[0].data["turned_at"]) == DAYS[TURN]


async def test_questions_weigh_an_answer_by_the_period_in_which_it_was_published(
    reading: Runtime, corpus: Corpus, turned: Source
) -> None:
    assert (await reliability_of(reading, corpus, turned)).alarm
    early, late = await selected(reading, corpus, "Zenith"), await selected(reading, corpus, "Nadir")
    assert (early.answer, late.answer) == ("blue", "pink")
    assert (early.reliability or 0) > 0.8
    assert (late.reliability or 1) < 0.3
    assert early.weight > 0
    assert late.weight < early.weight / 2
    assert early.turned_at == late.turned_at == DAYS[TURN]


async def test_an_override_silences_the_alarm_and_stands_for_all_times(
    reading: Runtime, corpus: Corpus, turned: Source
) -> None:
    async with reading.database.begin() as session:
        before = await alarms(session)
        await sources.set_override(session, corpus, turned.id, OverrideInput(reliability=0.5, reason="Sold"), "ops")
        after = await alarms(session)
    assert (before, after) == ({corpus.name: 1}, {corpus.name: 0})
    source = await reliability_of(reading, corpus, turned)
    assert not source.alarm
    assert source.turned_at == DAYS[TURN]
    assert (await selected(reading, corpus, "Zenith")).reliability == 0.5


async def test_paused_sources_and_audits_raise_no_alarm(reading: Runtime, corpus: Corpus, turned: Source) -> None:
    async with reading.database.begin() as session:
        gold = QueryInput(external_id="q", text=question(DAILY_TOWERS[0]), gold_answers=["true0"])
        await queries.create(session, corpus, gold)
    await finished(reading, corpus, EstimationParameters(method="oracle"))
    async with reading.database.begin() as session:
        other = await corpora.create(session, CorpusInput(name="other"))
        audited = await alarms(session)
        await sources.update(session, corpus, turned.id, SourcePatch(status=SourceStatus.PAUSED))
        paused = await alarms(session)
    assert (audited, paused) == ({corpus.name: 1, other.name: 0}, {corpus.name: 0, other.name: 0})
