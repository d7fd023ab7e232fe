"""`credence eval`."""

import pytest

from registry.corpora.model import Corpus
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.api.cli.conftest import Credence
from tests.registry.world import TOWERS, TRUTH, honest, liar, question


async def _add_gold(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        for tower, colour in TRUTH.items():
            values = QueryInput(external_id=tower, text=question(tower), gold_answers=[colour])
            await queries.create(session, corpus, values)
        answered_by_none = QueryInput(text="Who built it?", gold_answers=["Ada Holt"], active=False)
        await queries.create(session, corpus, answered_by_none)


@pytest.fixture
def judged(credence: Credence) -> Credence:
    """Two honest sources and three that lie alike about half of the towers, and gold answers."""
    lies = liar("Aldra", "Brin", "Esk")
    credence.estimated({"one": honest(), "two": honest(), "three": honest(), "four": lies, "five": lies})
    credence.with_runtime(_add_gold)
    return credence


def test_a_person_gets_tables(judged: Credence) -> None:
    result = judged.done("eval").out
    for word in ("selected", "majority", "gold_weights", "Four", "agrees", "7 queries"):
        assert word in result


def test_without_gold_or_estimation_it_says_what_to_do(credence: Credence) -> None:
    credence.build({"one": honest()}, TOWERS)
    assert "credence estimate" in credence.refused("eval")
    credence.done("estimate")
    assert "gold_answers" in credence.refused("eval")
