"""Sources that came later and turn most of what the older ones say: the run names them, and answers count them once."""

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import select

from answering.voting.electorate import SUREST_OF_LATECOMERS
from benchmarks.poisoning.worlds import draw
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.estimations.model import RunQuery
from registry.runtime import Runtime
from registry.sources.model import Source
from registry.sources.schemas import JointDissent
from registry.votes import consensus
from registry.votes.schemas import Consensus, ConsensusSummary
from registry.votes.summaries import consensus_of_all
from tests.registry.answers.asking import rated
from tests.registry.estimations.test_service import finished
from tests.registry.votes.test_votes import sent

HONEST, LIARS = 9, 13
QUESTION = "What is the code of item {}?"


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


def capped_among(summaries: Mapping[str, ConsensusSummary]) -> list[str]:
    return [query for query, each in summaries.items() if each.confidence_capped]


async def test_an_answer_that_only_sources_that_came_last_carry_is_shown_as_less_sure(
    runtime: Runtime, corpus: Corpus
) -> None:
    """Liars with a good name: their lies win, but nobody is told that they are as good as certain."""
    world = draw("right nine times in ten elsewhere", HONEST, 11, seed=501)
    triples = zip(*(column.tolist() for column in world.votes.triples()), strict=True)
    await sent(
        runtime,
        corpus,
        *(
            {"source": f"s{source}", "query": QUESTION.format(query), "answer": answer}
            for query, source, answer in triples
        ),
    )
    target = QUESTION.format(world.targets[0])

    async def shown() -> tuple[Consensus, dict[str, ConsensusSummary], AnswerResult]:
        async with runtime.database.begin() as session:
            found = await consensus.consensus_of_query(session, corpus, target)
        summaries = [each async for batch in consensus_of_all(runtime.database, corpus) for each in batch]
        asked = await answers.ask(runtime, corpus, target, AnswerParameters(kappa=20))
        return found, {each.query or "": each for each in summaries}, AnswerResult.model_validate(asked.result)

    await finished(runtime, corpus)
    # All were registered at once: there is no age to judge by.
    found, summaries, result = await shown()
    assert found.answer == result.answers[0] == str(world.lie[world.targets[0]])
    assert min(found.confidence, result.confidence) > 0.98
    assert not any([found.confidence_capped, result.confidence_capped, *capped_among(summaries)])

    async with runtime.database.begin() as session:
        for source in await session.scalars(select(Source)):
            if int(source.name[1:]) < HONEST:
                source.created_at -= timedelta(days=30)
    found_now, summaries_now, result_now = await shown()
    for before, now in ((found, found_now), (result, result_now), (summaries[target], summaries_now[target])):
        assert now.confidence_capped
        assert before.confidence > now.confidence == SUREST_OF_LATECOMERS
    assert result_now.answers == result.answers
    assert any(note.startswith("The confidence is lowered to 95%: without 11 of the") for note in result_now.notes)
    assert {each.answer for each in summaries_now.values()} == {each.answer for each in summaries.values()}
    assert len(capped_among(summaries_now)) < len(summaries) / 3

    # Who knows them says so.
    await rated(runtime, corpus, {f"s{liar}": 0.9 for liar in range(HONEST, HONEST + 11)})
    assert not (await shown())[0].confidence_capped
