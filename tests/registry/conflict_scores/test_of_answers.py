"""The score that every answer carries, and what stands in its place."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from answering.errors import ModelRefused, ModelUnavailable
from answering.judges import Judge
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.conflict_scores import scoring
from registry.conflict_scores.schemas import ConflictScoreView
from registry.conflict_scores.scoring import FAILED, NO_ANSWER, SWITCHED_OFF
from registry.corpora.model import Corpus
from registry.platform.providers import Judges
from registry.platform.settings import AnswerJudge
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import OverrideInput
from tests.fakes.scripted_judge import ScriptedJudge
from tests.registry.answers.asking import asked
from tests.registry.conflict_scores.judges import SlowJudge, judged_by
from tests.registry.world import question


async def rate_rumour(world: Runtime, corpus: Corpus, reliability: float) -> None:
    async with world.database.begin() as session:
        rumour = (await session.scalars(select(Source).where(Source.external_id == "rumour"))).one()
        override = OverrideInput(reliability=reliability, reason="audited")
        await sources.set_override(session, corpus, rumour.id, override, created_by="test")


async def test_every_answer_carries_its_score(world: Runtime, corpus: Corpus) -> None:
    await rate_rumour(world, corpus, 0.4)
    result = await asked(world, corpus, "Aldra")
    score = result.conflict_score
    assert isinstance(score, ConflictScoreView)
    assert result.conflict_score_missing is None
    (claim,) = score.claims
    assert claim.text == f"{question('Aldra')} red."
    assert (
        {document.source for document in claim.supporting},
        [document.source for document in claim.contradicting],
    ) == (
        {"Herald", "Gazette"},
        ["Rumour"],
    )
    assert score.cs_c == 1
    assert score.cs_r == pytest.approx(1 / 3)
    assert score.weighted_cs_c == pytest.approx(0.4 / 0.9)
    assert {document.document_id for document in claim.supporting} <= {
        citation.document_id for citation in result.citations
    }


async def test_a_source_below_chance_counts_in_no_score(world: Runtime, corpus: Corpus) -> None:
    await rate_rumour(world, corpus, 0.2)
    score = (await asked(world, corpus, "Aldra")).conflict_score
    assert score is not None
    assert (score.cs_c, score.claims[0].contradicting) == (0, ())


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        (ScriptedJudge(lambda _: ModelUnavailable("The judge is away.")), "The judge failed: The judge is away."),
        (ScriptedJudge(lambda _: ModelRefused("No such model.")), "The judge failed: No such model."),
        (ScriptedJudge(lambda pair: {}[pair]), FAILED),
        (SlowJudge(), "No score within 0.3 seconds."),
    ],
)
async def test_whatever_the_judge_does_the_answer_stays(
    world: Runtime, corpus: Corpus, judge: Judge, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "SECONDS", 0.3 if isinstance(judge, SlowJudge) else 60)
    result = await asked(judged_by(world, judge), corpus, "Aldra")
    assert result.answers == ("red",)
    assert (result.conflict_score, result.conflict_score_missing) == (None, why)


async def test_a_judge_that_is_not_configured_is_said(world: Runtime, corpus: Corpus) -> None:
    settings = world.settings.model_copy(update={"conflict_judge": AnswerJudge("language_model")})
    result = await asked(replace(world, settings=settings, judges=Judges()), corpus, "Aldra")
    assert result.conflict_score_missing is not None
    assert "CREDENCE_CHAT_MODEL" in result.conflict_score_missing


async def test_the_score_can_be_switched_off(world: Runtime, corpus: Corpus) -> None:
    settings = world.settings.model_copy(update={"conflict_judge": AnswerJudge.NONE})
    result = await asked(replace(judged_by(world, SlowJudge()), settings=settings), corpus, "Aldra")
    assert (result.conflict_score, result.conflict_score_missing) == (None, SWITCHED_OFF)


async def test_no_answer_has_no_score(world: Runtime, corpus: Corpus) -> None:
    record = await answers.ask(world, corpus, "Who built the tower of Aldra?", AnswerParameters())
    result = AnswerResult.model_validate(record.result)
    assert (result.conflict_score, result.conflict_score_missing) == (None, NO_ANSWER)
