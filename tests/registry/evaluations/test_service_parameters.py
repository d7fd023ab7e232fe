"""An evaluation asks as a question does."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from answering.voting import Outcome
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.evaluations.schemas import Evaluation, MethodScore
from registry.evaluations.service import evaluate
from registry.platform.settings import AnswerJudge
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.registry.answers.asking import asked
from tests.registry.debaters import debating, served
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, colour_reader, honest, liar, question
from tests.tables import for_each

GOLD = {"Aldra": "red", "Grom": "grey"}
GOOD, BAD = honest() | {"Grom": "grey"}, {"Grom": "pink"}
STATED = {
    "herald": GOOD,
    "gazette": GOOD,
    "times": honest(),
    "rumour": liar("Brin", "Corvo", "Delm") | BAD,
    "gossip": liar("Corvo", "Delm", "Esk") | BAD,
    "post": honest(),
}
LONG_AGO = datetime(2001, 5, 6, tzinfo=UTC)


def selected(report: Evaluation) -> MethodScore:
    return next(method for method in report.methods if method.name == "selected")


def figures(report: Evaluation) -> tuple[object, ...]:
    score = selected(report)
    return score.accuracy.right, score.answered, score.conflicting, score.readings


@pytest.fixture
async def world(runtime: Runtime, corpus: Corpus) -> AsyncIterator[Runtime]:
    """An estimated corpus with two queries that judge it, one about documents of long ago and one in dispute."""
    settings = runtime.settings.model_copy(update={"conflict_judge": AnswerJudge.NONE, "passages_per_source": 1})
    runtime = replace(runtime, reader=colour_reader(), settings=settings)
    await build(runtime, corpus, STATED, TOWERS, dates={"Aldra": LONG_AGO})
    await finished(runtime, corpus)
    async with runtime.database.begin() as session:
        for tower, colour in GOLD.items():
            gold = QueryInput(external_id=f"gold {tower}", text=question(tower), gold_answers=[colour])
            await queries.create(session, corpus, gold)
    with served() as server:
        debate = debating(runtime, server)
        yield debate
        assert debate.chat is not None
        await debate.chat.aclose()


@for_each(
    ("parameters",),
    [
        ({"kappa": 1},),
        ({"max_readings": 1},),
        ({"kappa": 4, "stop_early": True},),
        ({"min_margin": 1.0},),
        ({"sources": ["rumour", "gossip"]},),
        ({"published_from": "2020-01-01T00:00:00Z"},),
        ({"published_before": "2020-01-01T00:00:00Z"},),
        ({"strategy": "auto", "auto": {"confidence": 1.0, "least_share": 0.1}},),
        ({"strategy": "no_rag"},),
    ],
)
async def test_a_rule_of_answers_is_a_rule_of_evaluations(
    parameters: dict[str, Any], world: Runtime, corpus: Corpus
) -> None:
    """It changes the figures, and they are those of the questions asked with it."""
    by_default = await evaluate(world, corpus)
    changed = await evaluate(world, corpus, parameters=AnswerParameters.model_validate(parameters))
    assert figures(changed) != figures(by_default)
    results = {tower: await asked(world, corpus, tower, **parameters) for tower in GOLD}
    assert figures(changed) == (
        sum(result.answers == (GOLD[tower],) for tower, result in results.items()),
        sum(result.outcome is Outcome.ANSWERED for result in results.values()),
        sum(result.outcome is Outcome.CONFLICTING for result in results.values()),
        sum(result.usage.readings for result in results.values()) / len(results),
    )
