"""Answers to queries that separate runs of the estimation answer otherwise."""

from dataclasses import replace

from sqlalchemy import func, update

from registry.answers.result_schemas import AnswerResult
from registry.corpora.model import Corpus
from registry.estimations.model import RunQuery
from registry.runtime import Runtime
from tests.api.pages.test_sources import estimate
from tests.registry.answers.asking import asked
from tests.registry.world import TOWERS, build, colour_reader, honest, liar


def said(result: AnswerResult) -> bool:
    return any("rests on few votes" in note for note in result.notes)


async def test_an_answer_that_separate_runs_turn_says_so(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar()}, TOWERS)
    await estimate(runtime, corpus)
    before = await asked(runtime, corpus, TOWERS[0])
    assert (before.turned, said(before)) == (None, False)
    async with runtime.database.begin() as session:
        turned = func.length(RunQuery.query_text) - func.length(func.replace(RunQuery.query_text, TOWERS[0], ""))
        await session.execute(update(RunQuery).values(turned=0.25 * func.sign(turned)))
    first, second = await asked(runtime, corpus, TOWERS[0]), await asked(runtime, corpus, TOWERS[1])
    assert (first.turned, said(first), second.turned, said(second)) == (0.25, True, 0.0, False)
