"""An attacker with a good name: sources that are right elsewhere, and lie together on a few questions."""

from random import Random

import pytest

from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations import store as estimations
from registry.estimations.model import EstimationRun
from registry.events import store as events
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.registry.estimations.test_service import finished
from tests.registry.world import question

TOWERS = tuple(
    head + tail
    for head in ("Al", "Bren", "Cor", "Del", "Es", "Far", "Gan")
    for tail in ("dra", "vik", "mund", "stead", "holm")
)
TARGETS = TOWERS[::5]
HONEST, LIARS = 7, 4


def colour(source: int, place: int, random: Random) -> str:
    """What a source says of a tower: honest ones are right two times in three, liars nine times in ten elsewhere."""
    if source >= HONEST and TOWERS[place] in TARGETS:
        return f"lie{place}"
    right = random.random() < (0.9 if source >= HONEST else 0.67)
    return f"true{place}" if right else f"odd{place}x{random.randrange(9)}"


@pytest.fixture
async def run(reading: Runtime, corpus: Corpus) -> EstimationRun:
    """Seven honest sources, four liars who never lie elsewhere, and a run."""
    random = Random(5)
    for number in range(HONEST + LIARS):
        name = f"honest{number}" if number < HONEST else f"liar{number - HONEST}"
        async with reading.database.begin() as session:
            source = await sources.create(session, corpus, SourceInput(external_id=name, name=name))
        documents = [
            DocumentInput(
                external_id=tower,
                title=tower,
                content=f"By {name}. The tower of {tower} is painted {colour(number, place, random)}.",
            )
            for place, tower in enumerate(TOWERS)
        ]
        await ingest(reading, corpus, source.id, documents)
    async with reading.database.begin() as session:
        for tower in TOWERS:
            await queries.create(session, corpus, QueryInput(external_id=tower, text=question(tower)))
    return await finished(reading, corpus)


async def test_the_run_names_them_and_adopts_no_lie(reading: Runtime, run: EstimationRun) -> None:
    async with reading.database.begin() as session:
        asked = (await estimations.queries_of(session, run, cursor=None, limit=50)).items
        steps = [step for step in await events.after(session, run.id, 0) if step.kind == "sources_dissent_together"]

    lies = {question(tower) for tower in TARGETS}
    assert "warning: liar0, liar1, liar2, liar3 agree with each other and against the others on" in (run.reason or "")
    assert len(steps) == 1
    assert steps[0].data["source_names"] == ["liar0", "liar1", "liar2", "liar3"]
    assert lies & set(steps[0].data["queries"]) == set(steps[0].data["queries"])
    assert len(steps[0].data["queries"]) >= len(lies) - 1
    adopted = [row.query_text for row in asked if (row.answer or "").startswith("lie")]
    assert len(adopted) <= 1
