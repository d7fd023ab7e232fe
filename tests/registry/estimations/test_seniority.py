"""Sources that came later and turn most of what the older ones say: the run names them, and answers count them once."""

from datetime import timedelta

from sqlalchemy import select

from benchmarks.poisoning.worlds import draw
from registry.corpora.model import Corpus
from registry.estimations.model import RunQuery
from registry.runtime import Runtime
from registry.sources.model import Source
from registry.sources.schemas import JointDissent
from registry.votes import consensus
from tests.registry.estimations.test_service import finished
from tests.registry.votes.test_votes import sent

HONEST, LIARS = 9, 13


async def test_a_run_knows_when_sources_were_registered(runtime: Runtime, corpus: Corpus) -> None:
    world = draw("lie everywhere, 60 % shared", HONEST, LIARS, seed=501)
    triples = zip(*(column.tolist() for column in world.votes.triples()), strict=True)
    votes = [{"source": f"s{number}", "query": f"task {query}", "answer": answer} for query, number, answer in triples]
    await sent(runtime, corpus, *votes)

    async def adopted() -> tuple[float, list[str], str]:
        run = await finished(runtime, corpus)
        async with runtime.database.begin() as session:
            rows = await session.scalars(select(RunQuery).where(RunQuery.estimation_id == run.id))
            lies = [row.answer == str(world.lie[int(row.query_text.split()[1])]) for row in rows]
            shown = await consensus.consensus_of_query(session, corpus, "task 7")
        groups = map(JointDissent.model_validate, run.joint_dissents)
        return sum(lies) / len(lies), [name for group in groups for name in group.source_names], shown.answer or ""

    # All were registered at once, so that nobody is older.
    share, _, _ = await adopted()
    assert share > 0.9
    async with runtime.database.begin() as session:
        for source in await session.scalars(select(Source)):
            if int(source.name[1:]) < HONEST:
                source.created_at -= timedelta(days=30)
    share, named, answer = await adopted()
    assert share < 0.1
    assert sorted(named) == sorted(f"s{number}" for number in range(HONEST, HONEST + LIARS))
    assert answer == str(world.truth[7])
