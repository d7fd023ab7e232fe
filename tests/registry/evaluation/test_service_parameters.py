"""An evaluation asks as a question does."""

from dataclasses import replace

from registry.evaluation.service import evaluate
from registry.inputs.answers import AnswerParameters
from registry.inputs.queries import QueryInput
from registry.models import Corpus
from registry.results.evaluation import Evaluation, MethodScore
from registry.runtime import Runtime
from registry.store import queries
from tests.registry.estimation.test_service import finished
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
