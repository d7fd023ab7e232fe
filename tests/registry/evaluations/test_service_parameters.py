"""An evaluation asks as a question does."""

from dataclasses import replace

from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.evaluations.schemas import Evaluation, MethodScore
from registry.evaluations.service import evaluate
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.registry.estimations.test_service import finished
from tests.registry.world import TOWERS, build, colour_reader, honest, question


def selected(report: Evaluation) -> MethodScore:
    return next(method for method in report.methods if method.name == "selected")


async def test_a_rule_of_answers_is_a_rule_of_evaluations(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {name: honest() for name in ("herald", "gazette", "times", "post", "mail")}, TOWERS)
    await finished(runtime, corpus)
    async with runtime.database.begin() as session:
        gold = QueryInput(external_id="gold", text=question("Aldra"), gold_answers=["red"])
        await queries.create(session, corpus, gold)
    by_default = selected(await evaluate(runtime, corpus))
    of_one = selected(await evaluate(runtime, corpus, parameters=AnswerParameters(kappa=1)))
    early = selected(await evaluate(runtime, corpus, parameters=AnswerParameters(stop_early=True)))
    assert (of_one.readings, early.readings) < (by_default.readings, by_default.readings)
    assert by_default.accuracy.right == of_one.accuracy.right == 1
