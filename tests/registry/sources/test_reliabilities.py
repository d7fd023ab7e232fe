"""Reliabilities of the current estimation, and overrides."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.schemas import EstimationParameters, TopicReliability
from registry.estimations.store.estimates import history
from registry.platform.enums import RunStatus, SourceStatus, Trigger
from registry.platform.errors import NotFound
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import OverrideInput, ReliabilityPeriod, SourceInput, SourcePatch
from tests.registry.evaluations.test_metrics import ONE, standing


async def estimated(
    session: AsyncSession, corpus: Corpus, shares: dict[Source, float], status: RunStatus = RunStatus.SUCCEEDED
) -> EstimationRun:
    """A run that has found these reliabilities."""
    run = await estimations.create(session, corpus, EstimationParameters(), Trigger.COMMAND)
    run.status, run.labels = status, 2
    for source, reliability in shares.items():
        votes = int(reliability * 10)
        row = RunSource(estimation_id=run.id, source_id=source.id, source_name=source.name, reliability=reliability)
        row.weight, row.vote_count, row.abstention_count = 2 * reliability - 1, votes, 0
        session.add(row)
    await session.flush()
    return run


def test_a_source_that_turned_counts_by_its_periods_on_every_topic() -> None:
    topics = tuple(
        TopicReliability(topic=topic, reliability=w, lower=w, upper=w, weight=2 * w - 1, vote_count=2)
        for topic, w in enumerate((0.2, 0.5))
    )
    since = datetime(2026, 3, 1, tzinfo=UTC)
    period = ReliabilityPeriod(
        since=since, until=since, reliability=0.61, lower=0.5, upper=0.7, vote_count=4, log_odds=None
    )
    steady = replace(standing(ONE, 0.61), topics=topics)
    assert steady.on_topic([0.5, 0.5]).reliability == pytest.approx(0.35)
    assert steady.on_topic([0.5, 0.5]).overall_reliability == 0.61
    turned = replace(steady, periods=(period,), turned_at=period.since)
    assert turned.on_topic([0.5, 0.5]) == turned


async def test_the_newest_succeeded_run_counts_unless_an_operator_knows_better(
    session: AsyncSession, corpus: Corpus
) -> None:
    herald, gazette, mute = [
        await sources.create(session, corpus, SourceInput(name=name)) for name in ("Herald", "Gazette", "Mute")
    ]
    assert (await reliabilities.current_reliabilities(session, corpus)).estimation_id is None
    first = await estimated(session, corpus, {herald: 0.2, gazette: 0.3})
    current = await estimated(session, corpus, {herald: 0.8, gazette: 0.9, mute: 0.0})
    await estimated(session, corpus, {herald: 0.1}, RunStatus.FAILED)
    await sources.set_override(
        session, corpus, gazette.id, OverrideInput(reliability=0.5, reason="bought"), created_by="me"
    )
    estimates = await reliabilities.current_reliabilities(session, corpus)
    assert estimates.estimation_id == current.id
    assert {source.name: (source.reliability, source.estimated) for source in estimates.sources} == {
        "Herald": (0.8, 0.8),
        "Gazette": (0.5, 0.9),
        "Mute": (None, None),
    }
    await sources.update(session, corpus, herald.id, SourcePatch(status=SourceStatus.PAUSED))
    assert [source.name for source in (await reliabilities.current_reliabilities(session, corpus)).sources] == [
        "Gazette",
        "Mute",
    ]
    past = await history(session, corpus, herald.id, cursor=None, limit=9)
    assert [(row.estimation_id, row.reliability) for row in past.items] == [(first.id, 0.2), (current.id, 0.8)]


async def test_votes_of_some_sources_weigh_as_they_do_among_all(session: AsyncSession, corpus: Corpus) -> None:
    names = "Herald", "Gazette", "Courier", "Mute", "Closed"
    herald, gazette, courier, mute, closed = [
        await sources.create(session, corpus, SourceInput(name=name)) for name in names
    ]
    shares = {herald: 0.8, gazette: 0.9, courier: 0.4, mute: 0.0, closed: 1.0}
    run = await estimated(session, corpus, shares)
    run.labels, run.prior, run.prior_lower, run.prior_upper = None, 0.6, 0.4, 0.8
    read_shares = dict(zip(shares, (0.9, 0.6, 0.3, 0.5, 0.2), strict=True))
    for row in await estimations.sources_of(session, run):
        row.read_share = next(share for source, share in read_shares.items() if source.id == row.source_id)
    await sources.update(session, corpus, closed.id, SourcePatch(status=SourceStatus.PAUSED))
    everybody = (await reliabilities.current_reliabilities(session, corpus)).electorate()
    some = (await reliabilities.of_voters(session, corpus, {courier.id, mute.id})).electorate()
    assert (some.labels, some.surest) == (everybody.labels, everybody.surest) == (4, 10 / 11)
    for source in (courier, mute):
        assert some.weight(source.id) == pytest.approx(everybody.weight(source.id))
        assert some.log_odds([source.id]) == pytest.approx(everybody.log_odds([source.id]))
    # Nothing is known of it: it is read as others are.
    assert some.reliability(mute.id) == pytest.approx(0.6 * 0.6 + 0.4 / 4)


async def test_a_source_is_found_by_its_names_and_only_in_its_corpus(session: AsyncSession, corpus: Corpus) -> None:
    source = await sources.create(session, corpus, SourceInput(name="Herald", external_id="שלום 1"))
    named = await sources.create(session, corpus, SourceInput(name="Gazette"))
    other = await corpora.create(session, CorpusInput(name="other"))
    for reference in ("שלום 1", str(source.id), "Herald"):
        assert (await sources.find(session, corpus, reference)).id == source.id
        with pytest.raises(NotFound):
            await sources.find(session, other, reference)
    assert named.external_id == "Gazette"
    for look_up in (sources.get(session, other, source.id), sources.lock(session, other, {source.id})):
        with pytest.raises(NotFound):
            await look_up
    with pytest.raises(NotFound):
        await sources.get(session, corpus, uuid4())


async def test_unknown_names_become_sources_once(session: AsyncSession, corpus: Corpus) -> None:
    known = await sources.create(session, corpus, SourceInput(name="Herald", external_id="h1"))
    for name in ("h1", "h2"):
        await sources.create(session, corpus, SourceInput(name="Twin", external_id=f"twin-{name}"))
    unknown_id = str(uuid4())
    references = {"Herald", "New", "Twin", unknown_id, str(known.id)}
    for _ in range(2):
        found = await sources.find_or_create(session, corpus, references)
        assert found["Herald"] is found[str(known.id)] is known
        assert isinstance(found["New"], Source)
        assert (found["New"].name, found["New"].external_id) == ("New", "New")
        assert "2 sources" in str(found["Twin"])
        assert "There is no source" in str(found[unknown_id])
    assert await session.scalar(select(func.count()).select_from(Source)) == 4
