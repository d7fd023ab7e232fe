"""Questions asked in a corpus whose sources disagree about one tower."""

from collections.abc import Mapping
from typing import Any

from registry.answers import service as answers
from registry.answers.model import AnswerRecord
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput
from tests.registry.world import question

RELIABLE = {"herald": 0.95, "gazette": 0.9, "rumour": 0.4, "gossip": 0.35, "hearsay": 0.1}


async def rated(runtime: Runtime, corpus: Corpus, reliabilities: Mapping[str, float]) -> None:
    """An operator sets the reliability of these sources."""
    async with runtime.database.begin() as session:
        for name, reliability in reliabilities.items():
            source = await sources.find(session, corpus, name)
            override = OverrideInput(reliability=reliability, reason="known")
            await sources.set_override(session, corpus, source.id, override, created_by="test")


async def asked(runtime: Runtime, corpus: Corpus, tower: str = "Grom", **parameters: Any) -> AnswerResult:  # noqa: ANN401  (whatever JSON holds)
    record = await answers.ask(runtime, corpus, question(tower), AnswerParameters.model_validate(parameters))
    return result(record)


def result(record: AnswerRecord) -> AnswerResult:
    return AnswerResult.model_validate(record.result)
