"""Evaluation on queries of stated values: what sources state is what they are judged by."""

from dataclasses import replace

from registry.corpora.model import Corpus
from registry.estimations.schemas import EstimationParameters
from registry.evaluations.service import evaluate
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimations.test_service import finished
from tests.registry.stating import KENYA, ROWS, sent


async def test_sources_are_judged_by_what_they_state(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=ScriptedReader(lambda _question, _passages: "Kisumu"))
    await sent(runtime, corpus, *ROWS)
    gold = QueryInput(external_id="stated:capital:kenya", text=KENYA, gold_answers=["Nairobi"])
    async with runtime.database.begin() as session:
        await queries.create(session, corpus, gold)
    await finished(runtime, corpus, EstimationParameters(use_gold=False))
    report = await evaluate(runtime, corpus)
    shares = {source.name: source.gold.share for source in report.sources}
    assert shares == {"atlas": 1.0, "almanac": 1.0, "gazetteer": 0.0}
    assert {method.name: method.accuracy.right for method in report.methods}["majority"] == 1
