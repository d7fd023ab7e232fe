"""Runs and answers whose classes depend on all the answers to a question: rounded numbers."""

import pytest

from answering.equivalence import ClassPolicy
from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.estimations import store as estimations
from registry.estimations.estimator_inputs import GoldAnswers
from registry.estimations.model import EstimationRun
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import load_votes
from registry.queries import store as queries
from registry.queries.schemas import QueryPatch
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.registry.answers.asking import result
from tests.registry.estimations.test_service import finished
from tests.registry.world import build, question

# The reader of these tests reads what the tower is painted.
STATED = {"atlas": "84000", "census": "83887", "almanac": "83871", "lexicon": "84000"}


@pytest.fixture
async def sources(reading: Runtime, corpus: Corpus) -> dict[str, Source]:
    stated = {name: {"Aldra": number, "Brin": "blue"} for name, number in STATED.items()}
    return await build(reading, corpus, stated, ["Aldra", "Brin"])


async def run_of(runtime: Runtime, corpus: Corpus, policy: ClassPolicy) -> EstimationRun:
    return await finished(runtime, corpus, EstimationParameters(method="majority", class_policy=policy))


async def disputed(runtime: Runtime, run: EstimationRun) -> dict[str, int]:
    """The queries on which sources disagree, with the number of classes."""
    async with runtime.database.begin() as session:
        page = await disputes.page(session, run, cursor=None, limit=10)
        return {dispute.query_text: dispute.classes for dispute in page.items}


async def test_a_rounded_number_votes_with_the_exact_one(
    reading: Runtime, corpus: Corpus, sources: dict[str, Source]
) -> None:
    del sources
    by_value = await run_of(reading, corpus, ClassPolicy.VALUES)
    rounded = await run_of(reading, corpus, ClassPolicy.ROUNDED)
    assert await disputed(reading, by_value) == {question("Aldra"): 3}
    assert await disputed(reading, rounded) == {question("Aldra"): 2}
    async with reading.database.begin() as session:
        voted = {row.source_name: row.reliability for row in await estimations.sources_of(session, rounded)}
    assert voted == {"Atlas": 1.0, "Census": 1.0, "Lexicon": 1.0, "Almanac": 0.5}


async def test_a_gold_answer_is_that_of_the_class_it_would_join(
    reading: Runtime, corpus: Corpus, sources: dict[str, Source]
) -> None:
    async with reading.database.begin() as session:
        rows = (await queries.page(session, corpus, cursor=None, limit=10)).items
        query_id = next(row.id for row in rows if row.text == question("Aldra"))
        await queries.update(session, corpus, query_id, QueryPatch(gold_answers=["83890"]))
    run = await run_of(reading, corpus, ClassPolicy.ROUNDED)
    order = ["atlas", "lexicon", "census", "almanac"]
    async with reading.database.begin() as session:
        run_votes = await load_votes(session, run.id, [sources[name].id for name in order])
        gold = await GoldAnswers.load(session, ClassPolicy.ROUNDED, run_votes)
    # 83,890 is a rounding of 83,887, in whose class 84,000 is.
    assert gold.shares(run_votes).tolist() == [1.0, 1.0, 1.0, 0.0]


async def test_an_answer_shows_each_source_with_its_own_wording(
    reading: Runtime, corpus: Corpus, sources: dict[str, Source]
) -> None:
    del sources
    parameters = AnswerParameters(class_policy=ClassPolicy.ROUNDED)
    answer = result(await answers.ask(reading, corpus, question("Aldra"), parameters))
    assert [(entry.answer, entry.votes) for entry in answer.tally] == [("84000", 3), ("83871", 1)]
    said = {source.name: (source.answer, source.supports) for source in answer.selected_sources}
    assert said == {
        "Atlas": ("84000", True),
        "Lexicon": ("84000", True),
        "Census": ("83887", True),
        "Almanac": ("83871", False),
    }
