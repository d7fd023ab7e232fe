"""Questions on `this week`: documents of another time do not answer them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from registry.answers import service as answers
from registry.answers.evidence import RIGHT_OF_ANOTHER_TIME
from registry.answers.question import open_context
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import Vote
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.registry.answers.test_filters import publish
from tests.registry.estimated import finished
from tests.registry.world import build, colour_reader

THIS_WEEK = "In what colour was the tower of Grom painted this week?"
JANUARY, JUNE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
async def painted_often(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Two sources say in January that a tower is pink, one says in June that it is grey."""
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {name: {} for name in ("herald", "gazette", "times")})
    for name, colour, date in (("herald", "pink", JANUARY), ("gazette", "pink", JANUARY), ("times", "grey", JUNE)):
        await publish(runtime, corpus, name, {colour: date})
    return runtime


async def asked(runtime: Runtime, corpus: Corpus, text: str = THIS_WEEK, **values: object) -> AnswerResult:
    record = await answers.ask(runtime, corpus, text, AnswerParameters.model_validate(values))
    return AnswerResult.model_validate(record.result)


@pytest.mark.parametrize("candidates_only", [False, True])
async def test_documents_of_another_time_do_not_answer(
    painted_often: Runtime, corpus: Corpus, candidates_only: bool
) -> None:
    result = await asked(painted_often, corpus, asked_at="2026-06-03", candidates_only=candidates_only)
    assert (result.answers, result.as_of) == (("grey",), JUNE)
    assert any("“this week”" in note and "2026-05-19 to 2026-06-18" in note for note in result.notes)
    earlier = await asked(painted_often, corpus, asked_at="2026-01-03", candidates_only=candidates_only)
    assert (earlier.answers, earlier.as_of) == (("pink",), JANUARY)


async def test_documents_without_a_date_still_do(painted_often: Runtime, corpus: Corpus) -> None:
    for name in ("herald", "gazette"):
        await publish(painted_often, corpus, name, {"pink": None})
    assert (await asked(painted_often, corpus, asked_at="2026-06-03")).answers == ("pink",)


async def test_where_no_document_is_of_that_time_the_answer_says_so(painted_often: Runtime, corpus: Corpus) -> None:
    result = await asked(painted_often, corpus)
    assert result.answers == ("pink",)
    assert result.confidence <= RIGHT_OF_ANOTHER_TIME
    assert any("no document is from" in note for note in result.notes)


@pytest.mark.parametrize("asked_at", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
async def test_any_time_can_be_given(painted_often: Runtime, corpus: Corpus, asked_at: str) -> None:
    assert (await asked(painted_often, corpus, asked_at=asked_at)).answers == ("pink",)


async def test_evidence_and_result_are_of_one_period(painted_often: Runtime, corpus: Corpus) -> None:
    context = await open_context(painted_often, corpus, THIS_WEEK, AnswerParameters())
    first = context.period
    assert first is not None
    assert context.period == first


async def test_other_questions_are_answered_from_all_times(painted_often: Runtime, corpus: Corpus) -> None:
    result = await asked(painted_often, corpus, "What colour is the tower of Grom painted?", asked_at="2026-06-03")
    assert result.answers == ("pink",)


async def test_a_run_counts_from_when_the_query_was_added(painted_often: Runtime, corpus: Corpus) -> None:
    async with painted_often.database.begin() as session:
        await queries.create(session, corpus, QueryInput(external_id="week", text=THIS_WEEK))
    async with painted_often.database.begin() as session:
        (query,) = await session.scalars(select(Query))
        query.created_at = datetime(2026, 6, 3, tzinfo=UTC)
    run = await finished(painted_often, corpus)
    async with painted_often.database.begin() as session:
        votes = await session.scalars(select(Vote.answer).where(Vote.estimation_id == run.id))
        assert votes.all() == ["grey"]
