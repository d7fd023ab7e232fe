"""Questions on a run that was made by `paper` are answered by the rules of the paper."""

from typing import Any

from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.schemas import EstimationParameters
from registry.evaluations.service import evaluate
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.registry.answers.asking import result
from tests.registry.estimated import finished
from tests.registry.world import TOWERS, build, honest, question


async def asked(runtime: Runtime, corpus: Corpus, **parameters: Any) -> tuple[dict[str, Any], set[str]]:  # noqa: ANN401  (whatever JSON holds)
    """The parameters in force, and the sources that counted as new."""
    record = await answers.ask(runtime, corpus, question("Aldra"), AnswerParameters.model_validate(parameters))
    return record.parameters, {source.external_id for source in result(record).selected_sources if source.is_new}


async def test_one_switch_sets_the_run_its_questions_and_its_evaluations(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {name: honest() for name in ("herald", "gazette", "times")}, TOWERS)
    await finished(reading, corpus, EstimationParameters(paper=True))
    await build(reading, corpus, {"rumour": {"Aldra": "purple"}})
    by_run, new = await asked(reading, corpus)
    assert (by_run["paper"], by_run["kappa"], by_run["class_policy"], by_run["min_margin"]) == (True, 4, "exact", 0.0)
    assert new == set()
    named, _ = await asked(reading, corpus, kappa=8)
    assert (named["paper"], named["kappa"], named["rank_by"]) == (True, 8, "reliability")
    otherwise, new = await asked(reading, corpus, paper=False, kappa=8)
    assert (otherwise["paper"], otherwise["class_policy"], otherwise["min_margin"]) == (False, "values", 0.05)
    assert new == {"rumour"}
    async with reading.database.begin() as session:
        gold = QueryInput(external_id="gold", text=question("Aldra"), gold_answers=["red"])
        await queries.create(session, corpus, gold)
    assert (await evaluate(reading, corpus)).parameters == by_run
    assert (await asked(reading, corpus, paper=True))[0] == by_run


async def test_other_runs_change_no_rule(reading: Runtime, corpus: Corpus) -> None:
    await build(reading, corpus, {name: honest() for name in ("herald", "gazette", "times")}, TOWERS)
    await finished(reading, corpus)
    parameters, _ = await asked(reading, corpus)
    assert (parameters["paper"], parameters["class_policy"]) == (False, "values")
