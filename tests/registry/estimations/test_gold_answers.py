"""Runs fitted on gold answers and started from ratings, and what then may audit them."""

import pytest

from answering.equivalence import ClassPolicy
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusPatch
from registry.estimations import store as estimations
from registry.estimations.estimator_inputs import GoldAnswers
from registry.estimations.model import EstimationRun, RunSource
from registry.estimations.schemas import EstimationParameters
from registry.estimations.store.votes import load_votes
from registry.evaluations.service import evaluate
from registry.platform.enums import RunStatus
from registry.platform.errors import InvalidInput
from registry.queries import store as queries
from registry.queries.schemas import QueryInput, QueryPatch
from registry.runtime import Runtime
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import OverrideInput, RatingInput, SourceInput
from registry.sources.store import ratings
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, TRUTH, build, honest, liar, question

pytestmark = pytest.mark.usefixtures("misled")
WITH_GOLD = EstimationParameters(use_gold=True)
WITHOUT_GOLD = EstimationParameters(use_gold=False)


@pytest.fixture
async def misled(reading: Runtime, corpus: Corpus) -> dict[str, Source]:
    """Three sources that tell the same lie about four of six towers, and one that tells the truth."""
    stated = dict.fromkeys(("post", "rumour", "echo"), liar(*TOWERS[:4])) | {"herald": honest()}
    return await build(reading, corpus, stated, TOWERS)


async def add_gold(runtime: Runtime, corpus: Corpus, *towers: str, active: bool = True) -> None:
    async with runtime.database.begin() as session:
        for tower in towers:
            gold = ["nobody knows", TRUTH[tower]]
            values = QueryInput(external_id=tower, text=question(tower), gold_answers=gold, active=active)
            await queries.create(session, corpus, values)


async def rows_of(runtime: Runtime, run: EstimationRun) -> dict[str, RunSource]:
    async with runtime.database.begin() as session:
        return {row.source_name: row for row in await estimations.sources_of(session, run)}


async def test_gold_answers_raise_the_one_source_that_is_right(reading: Runtime, corpus: Corpus) -> None:
    await add_gold(reading, corpus, *TOWERS[:3])
    plain = await finished(reading, corpus, EstimationParameters(method="iwmv", use_gold=False))
    fitted = await finished(reading, corpus, EstimationParameters(method="iwmv"))
    before, after = await rows_of(reading, plain), await rows_of(reading, fitted)
    assert before["Herald"].reliability < before["Post"].reliability
    assert after["Herald"].reliability > after["Post"].reliability
    async with reading.database.begin() as session:
        answers = (await estimations.queries_of(session, fitted, cursor=None, limit=50)).items
        fitted_on = await estimations.queries_fitted_on(session, fitted)
    assert (plain.gold_queries, fitted.gold_queries) == (0, 3)
    assert {row.query_id for row in answers if row.gold_used} == fitted_on
    assert all(row.answer in TRUTH.values() for row in answers if row.gold_used)


async def test_the_corpus_says_whether_runs_use_gold(reading: Runtime, corpus: Corpus) -> None:
    await add_gold(reading, corpus, *TOWERS[:3])

    async def used(parameters: EstimationParameters) -> tuple[bool, int]:
        run = await finished(reading, owner, parameters)
        return run.parameters["use_gold"], run.gold_queries

    owner = corpus
    assert await used(EstimationParameters()) == (True, 3)
    assert await used(WITHOUT_GOLD) == (False, 0)
    async with reading.database.begin() as session:
        owner = await corpora.update(session, corpus, CorpusPatch(use_gold=False))
    assert await used(EstimationParameters()) == (False, 0)
    assert await used(WITH_GOLD) == (True, 3)


async def test_queries_that_a_run_was_fitted_on_audit_nothing(reading: Runtime, corpus: Corpus) -> None:
    await add_gold(reading, corpus, *TOWERS[:3])
    await finished(reading, corpus, WITH_GOLD)
    with pytest.raises(InvalidInput, match=r"fitted on all 3 queries with gold answers.* `use_gold` off"):
        await evaluate(reading, corpus)
    refused = await finished(reading, corpus, EstimationParameters(method="oracle", use_gold=True))
    assert refused.status == RunStatus.FAILED
    assert "not fitted on" in (refused.problem or {})["detail"]
    await add_gold(reading, corpus, *TOWERS[4:])
    evaluation = await evaluate(reading, corpus)
    assert evaluation.queries == 2
    assert evaluation.notes[-1].startswith("3 more are left out")
    audit = await finished(reading, corpus, EstimationParameters(method="oracle"))
    assert {row.reliability for row in (await rows_of(reading, audit)).values()} == {1.0}


async def test_a_run_does_not_start_from_one_fitted_on_gold_that_is_gone(reading: Runtime, corpus: Corpus) -> None:
    """Queries that a run was fitted on are left out of its audits only, so that no later run may depend on them."""
    await add_gold(reading, corpus, *TOWERS[4:])
    fresh = await rows_of(reading, await finished(reading, corpus, WITH_GOLD))
    await add_gold(reading, corpus, *TOWERS[:3])
    await finished(reading, corpus, WITH_GOLD)
    async with reading.database.begin() as session:
        for query in (await queries.page(session, corpus, cursor=None, limit=50)).items:
            if query.external_id in TOWERS[:3]:
                await queries.update(session, corpus, query.id, QueryPatch(gold_answers=None))
    run = await finished(reading, corpus, WITH_GOLD)
    assert run.gold_queries == 2
    after = await rows_of(reading, run)
    assert {name: row.reliability for name, row in after.items()} == {
        name: row.reliability for name, row in fresh.items()
    }


async def test_of_several_gold_answers_each_is_right(reading: Runtime, corpus: Corpus) -> None:
    async with reading.database.begin() as session:
        gold = ["purple", TRUTH[TOWERS[0]]]
        values = QueryInput(external_id=TOWERS[0], text=question(TOWERS[0]), gold_answers=gold)
        await queries.create(session, corpus, values)
    run = await finished(reading, corpus, EstimationParameters(method="majority", use_gold=True))
    async with reading.database.begin() as session:
        source_ids = [source.source_id for source in await estimations.sources_of(session, run)]
        run_votes = await load_votes(session, run.id, source_ids)
        answers = await GoldAnswers.load(session, ClassPolicy.VALUES, run_votes)
    merged = answers.merged(run_votes).votes
    assert merged.class_count == run_votes.votes.class_count - 1
    assert answers.shares(run_votes).tolist() == [1.0] * 4
    # The herald votes with the others on the tower whose two answers are one, and on the two that nobody lies about.
    assert (await rows_of(reading, run))["Herald"].reliability == pytest.approx(3 / 6)


async def test_ratings_enter_the_run_and_overrides_win(
    reading: Runtime, corpus: Corpus, misled: dict[str, Source]
) -> None:
    async with reading.database.begin() as session:
        newcomer = await sources.create(session, corpus, SourceInput(external_id="newcomer", name="Newcomer"))
        for source, share in ((misled["herald"], 0.95), (misled["post"], 0.05), (newcomer, 0.97)):
            values = RatingInput(rating=share, strength=100, origin="Media list")
            await ratings.put(session, source, values, "me")
    plain = await rows_of(reading, await finished(reading, corpus, EstimationParameters(method="iwmv")))
    assert {row.rating for row in plain.values()} == {None}
    rows = await rows_of(reading, await finished(reading, corpus))
    assert rows["Herald"].reliability > 0.8
    assert rows["Post"].reliability < 0.3
    assert (rows["Herald"].rating, rows["Herald"].rating_strength, rows["Echo"].rating) == (0.95, 100, None)
    async with reading.database.begin() as session:
        override = OverrideInput(reliability=0.2, reason="audited")
        await sources.set_override(session, corpus, misled["herald"].id, override, created_by="me")
        current = await reliabilities.current_reliabilities(session, corpus)
    by_name = {source.name: source for source in current.sources}
    assert by_name["Herald"].reliability == 0.2
    assert by_name["Newcomer"].vote_count == 0
    assert by_name["Newcomer"].estimated == pytest.approx(0.95, abs=0.03)
