"""Errors of the reader apart from those of the sources: what a run stores, and what people say of readings."""

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import select

from answering.voting import ReadingStatus
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.estimations.model import EstimationRun, RunSource, Vote
from registry.estimations.results import chance_misread, compared
from registry.platform.enums import Verdict
from registry.readings.store import misreadings
from registry.readings.store.misreadings import SuspectedReading
from registry.runtime import Runtime
from registry.sources.model import Source
from registry.sources.store import estimates
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimated import finished
from tests.registry.misread_world import BLURRED, LIES, CarelessReader, build_misread, read_colour


@pytest.fixture
async def misreading(runtime: Runtime, corpus: Corpus) -> Runtime:
    await build_misread(runtime, corpus)
    return replace(runtime, reader=CarelessReader(read_colour))


async def by_name(runtime: Runtime, run: EstimationRun) -> dict[str, RunSource]:
    async with runtime.database.begin() as session:
        rows = await session.scalars(select(RunSource).where(RunSource.estimation_id == run.id))
        return {row.source_name: row for row in rows}


async def listed(runtime: Runtime, run: EstimationRun, *, open_only: bool = False) -> list[SuspectedReading]:
    """All that look misread or are judged, by pages of four."""
    found: list[SuspectedReading] = []
    cursor = None
    while True:
        async with runtime.database.begin() as session:
            page = await misreadings.suspected(session, run, open_only=open_only, cursor=cursor, limit=4)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


async def judge(runtime: Runtime, corpus: Corpus, reading_id: UUID | None, verdict: Verdict) -> None:
    async with runtime.database.begin() as session:
        run = await estimates.current_run(session, corpus)
        assert reading_id is not None
        await misreadings.judge(session, corpus, run, reading_id, verdict, by="ops")


async def statuses(runtime: Runtime, run: EstimationRun, source: Source | UUID) -> list[str]:
    source_id = source if isinstance(source, UUID) else source.id
    async with runtime.database.begin() as session:
        rows = select(Vote.status).where(Vote.estimation_id == run.id, Vote.source_id == source_id)
        return sorted(await session.scalars(rows))


async def test_a_source_is_blamed_for_what_stands_in_its_text_alone(misreading: Runtime, corpus: Corpus) -> None:
    run = await finished(misreading, corpus)
    rows = await by_name(misreading, run)
    assert rows["Herald"].reliability > 0.85
    assert rows["Rumour"].reliability < 0.75
    assert (rows["Herald"].misread_count, rows["Rumour"].misread_count) == (len(BLURRED), 0)
    assert rows["Herald"].read_share == pytest.approx(10 / 16, abs=0.1)
    # Its votes weigh by how often they are right, whoever errs.
    assert rows["Herald"].weight < rows["Gazette"].weight


async def test_another_spelling_is_disputed_and_does_not_look_misread(runtime: Runtime, corpus: Corpus) -> None:
    await build_misread(runtime, corpus, ending="o")
    reader = CarelessReader(read_colour)
    reader.misreading = None
    run = await finished(replace(runtime, reader=reader), corpus)
    rows = await by_name(runtime, run)
    assert rows["Herald"].misread_count == 0
    assert await listed(runtime, run) == []
    # By the votes alone they may be misreadings, so that the source is not blamed for them.
    assert rows["Herald"].reliability > 0.85
    assert rows["Herald"].read_share == pytest.approx(10 / 16, abs=0.1)
    async with runtime.database.begin() as session:
        assert await disputes.count(session, run) == len(BLURRED) + len(LIES)


def test_answers_are_compared_with_those_to_the_same_query_alone() -> None:
    query, texts = np.array([0, 0, 1, 2, 2]), ["red", "RED", "red", "", "blue"]
    likeness, majority = compared(query, texts, np.array([3, 1, 9, 2, 2]))
    assert likeness.tolist() == [1, 1, 0, 0, 0]
    assert majority.tolist() == [1 / 3, 3, 0, 1, 1]


def test_an_answer_is_compared_with_the_most_frequent_of_very_many() -> None:
    texts = ["blue", *(f"{number:0200b}" for number in range(600)), "blues", "bluer"]
    supporters = np.array([1] * (len(texts) - 2) + [1, 7])
    likeness, majority = compared(np.zeros(len(texts), dtype=np.int64), texts, supporters)
    assert (likeness[0], majority[0]) == (pytest.approx(8 / 9), 7)
    assert (likeness[-1], majority[-1]) == (pytest.approx(8 / 9), 1 / 7)


def test_sure_readings_that_others_share_or_word_alike_are_less_probably_misread() -> None:
    unlike, alone = np.array([0.1]), np.array([5.0])
    doubted = chance_misread(np.array([0.4]), unlike, alone)
    assert chance_misread(np.array([0.8]), unlike, alone) < doubted
    assert chance_misread(np.array([0.4]), np.array([0.7]), alone) < doubted
    assert chance_misread(np.array([0.4]), unlike, alone / 2) < doubted
    assert chance_misread(np.array([0.0]), np.zeros(1), np.zeros(1)) == 0


async def test_a_confirmed_misreading_votes_neither_in_runs_nor_in_answers(misreading: Runtime, corpus: Corpus) -> None:
    first = (await listed(misreading, await finished(misreading, corpus)))[0]
    await judge(misreading, corpus, first.vote.reading_id, Verdict.CONFIRMED)
    run = await finished(misreading, corpus)
    assert (await statuses(misreading, run, first.vote.source_id)).count(ReadingStatus.MISREAD) == 1
    assert first.vote.reading_id not in {each.vote.reading_id for each in await listed(misreading, run, open_only=True)}
    record = await answers.ask(misreading, corpus, first.question, AnswerParameters(kappa=5))
    result = AnswerResult.model_validate(record.result)
    assert [(each.source_id, each.reason) for each in result.rejected_sources] == [(first.vote.source_id, "misread")]


async def test_a_rejected_suspicion_counts_as_read_rightly(misreading: Runtime, corpus: Corpus) -> None:
    suspected = await listed(misreading, await finished(misreading, corpus))
    for each in suspected:
        await judge(misreading, corpus, each.vote.reading_id, Verdict.REJECTED)
    rows = await by_name(misreading, await finished(misreading, corpus))
    assert rows["Herald"].misread_count == 0
    assert rows["Herald"].reliability < 0.75


async def test_runs_of_readers_without_confidence_tell_nothing_of_misreadings(
    misreading: Runtime, corpus: Corpus
) -> None:
    run = await finished(replace(misreading, reader=ScriptedReader(read_colour)), corpus)
    rows = await by_name(misreading, run)
    assert {(row.misread_count, row.read_share) for row in rows.values()} == {(None, None)}
    assert await listed(misreading, run) == []
