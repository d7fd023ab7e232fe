"""Imported votes: how they are stored, what a run makes of them, and what they agree on."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import delete, func, select, text

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.documents.schemas import LineResult, LineStatus
from registry.estimations import service as estimation
from registry.estimations.model import EstimationRun, RunQuery, RunSource, Vote
from registry.estimations.schemas import EstimationParameters
from registry.platform.enums import QueryOrigin, RunStatus, SourceStatus
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.reliabilities import Reliabilities
from registry.sources.schemas import SourceInput, SourcePatch
from registry.votes import consensus, service, store
from registry.votes.consensus import Counter
from registry.votes.model import ImportedVote
from registry.votes.schemas import Consensus
from registry.votes.store import Vote as CountedVote
from registry.votes.store import VotedQuery
from registry.votes.store.writer import FIND_QUERIES
from registry.votes.summaries import consensus_of_all
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.estimations.test_service import finished
from tests.registry.evaluations.test_metrics import standing
from tests.registry.stating import documents

MODELS = {"ant": 0.9, "bee": 0.8, "cat": 0.7, "dog": 0.6, "eel": 0.5}
TASKS = 120


async def sent(runtime: Runtime, corpus: Corpus, *votes: Mapping[str, object] | bytes) -> list[LineResult]:
    """The result of each line, in their order."""

    async def lines() -> AsyncIterator[bytes]:
        for vote in votes:
            yield vote if isinstance(vote, bytes) else json.dumps(vote).encode()

    results = [result async for result in service.import_votes(runtime, corpus, lines())]
    return sorted(results, key=lambda result: result.line)


def panel(seed: int = 3) -> list[dict[str, object]]:
    """Votes of five models on tasks whose right answer is their number modulo seven; the last two copy each other."""
    random, votes = np.random.default_rng(seed), list[dict[str, object]]()
    for task in range(TASKS):
        said: dict[str, int] = {}
        for model, reliability in MODELS.items():
            right = random.random() < reliability
            said[model] = task % 7 if right else int(random.integers(7, 30))
        said["fox"] = said["eel"] if random.random() < 0.95 else 99
        votes += [{"source": model, "query": f"task {task}", "answer": answer} for model, answer in said.items()]
    return votes


@pytest.fixture
def voting(runtime: Runtime) -> Runtime:
    """A runtime whose reader fails the test if it is asked."""

    def read(question: str, _passages: object) -> str:
        raise AssertionError(question)

    return replace(runtime, reader=ScriptedReader(read))


async def shown(runtime: Runtime, corpus: Corpus, reference: str) -> Consensus:
    async with runtime.database.begin() as session:
        return await consensus.consensus_of_query(session, corpus, reference)


async def test_a_panel_is_ranked_without_documents_and_without_a_reader(voting: Runtime, corpus: Corpus) -> None:
    results = await sent(voting, corpus, *panel())
    assert {result.status for result in results} == {LineStatus.CREATED}
    run = await finished(voting, corpus, EstimationParameters())
    assert run.votes_total == TASKS * 6
    assert (run.queries_total, run.queries_collected, run.readings_made) == (TASKS, TASKS, 0)
    async with voting.database.begin() as session:
        rows = {row.source_name: row for row in await session.scalars(select(RunSource))}
        kept = (await session.scalars(select(Vote).where(Vote.estimation_id == run.id))).all()
    ranked = sorted(MODELS, key=lambda name: -rows[name].reliability)
    assert ranked[:3] == ["ant", "bee", "cat"]
    assert rows["eel"].copy_group is not None
    assert rows["eel"].copy_group == rows["fox"].copy_group
    assert {(vote.imported, vote.stated, vote.confidence, tuple(vote.document_ids)) for vote in kept} == {
        (True, True, None, ())
    }


async def test_the_consensus_weighs_votes_by_the_estimate(voting: Runtime, corpus: Corpus) -> None:
    await sent(voting, corpus, *panel())
    before = await shown(voting, corpus, "task 1")
    assert before.estimation_id is None
    assert len({voter.weight for voter in before.voters}) == 1
    run = await finished(voting, corpus, EstimationParameters())
    extra = {"ant": "yes", "eel": "no", "fox": "no"}
    await sent(voting, corpus, *({"source": name, "query": "last", "answer": said} for name, said in extra.items()))
    found = await shown(voting, corpus, "last")
    assert (found.answer, found.outcome, found.estimation_id) == ("yes", "answered", run.id)
    assert 0.5 < found.confidence < 1
    assert found.certificate is not None
    assert found.certificate.size == 1
    by_name = {voter.name: voter for voter in found.voters}
    assert by_name["ant"].supports
    assert by_name["eel"].copy_group == by_name["fox"].copy_group != by_name["ant"].copy_group
    assert [(entry.votes, entry.independent_votes) for entry in found.tally] == [(1, 1), (2, 1)]
    everything = [summary async for batch in consensus_of_all(voting.database, corpus) for summary in batch]
    assert len(everything) == TASKS + 1
    last = next(summary for summary in everything if summary.query == "last")
    assert last.confidence == pytest.approx(found.confidence)
    short = set(type(last).model_fields) - {"confidence"}
    assert last.model_dump(include=short) == found.model_dump(include=short)


async def test_a_vote_is_replaced_and_the_same_one_changes_nothing(voting: Runtime, corpus: Corpus) -> None:
    vote = {"source": "ant", "query": "q", "answer": "a", "external_id": "v-1"}
    (first,) = await sent(voting, corpus, vote)
    (same,) = await sent(voting, corpus, vote)
    (other,) = await sent(voting, corpus, vote | {"answer": "b", "at": "2026-05-04", "confidence": 0.5})
    assert [first.status, same.status, other.status] == [LineStatus.CREATED, LineStatus.UNCHANGED, LineStatus.UPDATED]
    assert (first.id, first.external_id) == (other.id, "v-1")
    async with voting.database.begin() as session:
        (named,) = (await store.page(session, corpus, query="q", cursor=None, limit=5)).items
    assert (named.vote.answer, named.vote.confidence, named.query, named.source) == ("b", 0.5, "q", "ant")


async def test_bad_lines_lose_nothing_beside_them(voting: Runtime, corpus: Corpus) -> None:
    good = {"source": "ant", "query": "q", "answer": "a"}
    bad: list[Mapping[str, object] | bytes] = [
        b"{not json",
        {"source": "ant", "query": "q"},
        good | {"answer": " "},
        good | {"answer": "a\x00"},
        good | {"answer": ["a"]},
        good | {"confidence": 2},
        good | {"at": "yesterday"},
        good | {"weight": 3},
        good | {"source": ""},
    ]
    results = await sent(voting, corpus, good, *bad, {"worker": 7, "task": 1, "label": True})
    assert [result.status for result in results] == [
        LineStatus.CREATED,
        *[LineStatus.REJECTED] * len(bad),
        LineStatus.CREATED,
    ]
    assert all(result.error for result in results[1:-1])
    assert (await shown(voting, corpus, "1")).answer == "true"


async def test_an_import_that_is_broken_off_ends_its_writing(voting: Runtime, corpus: Corpus) -> None:
    async def lines() -> AsyncIterator[bytes]:
        for number in range(service.BATCH_LINES):
            yield json.dumps({"source": "s", "query": f"q{number}", "answer": "a"}).encode()
        yield b"{}"

    results = service.import_votes(voting, corpus, lines())
    assert (await anext(results)).status is LineStatus.REJECTED
    await results.aclose()  # type: ignore[attr-defined]  # of a generator
    async with voting.database.begin() as session:
        assert await session.scalar(select(func.count()).select_from(ImportedVote)) in {0, service.BATCH_LINES}


async def test_votes_of_retired_sources_are_refused_and_of_paused_ones_not_counted(
    voting: Runtime, corpus: Corpus
) -> None:
    await sent(voting, corpus, *({"source": name, "query": "q", "answer": name} for name in ("ant", "bee")))
    async with voting.database.begin() as session:
        for name, status in (("ant", SourceStatus.RETIRED), ("bee", SourceStatus.PAUSED)):
            row = await sources.find(session, corpus, name)
            await sources.update(session, corpus, row.id, SourcePatch(status=status))
    (refused,) = await sent(voting, corpus, {"source": "ant", "query": "q", "answer": "z"})
    assert refused.error is not None
    assert "is retired" in refused.error
    found = await shown(voting, corpus, "q")
    assert (found.votes, found.outcome, found.answer) == (0, "no_evidence", None)


async def test_imported_votes_stand_beside_what_is_read(runtime: Runtime, corpus: Corpus) -> None:
    """On a query that somebody sent, an imported vote takes the place of a reading; the others are read."""
    runtime = replace(runtime, reader=ScriptedReader(lambda _question, _passages: "Nairobi"))
    asked = "What is the capital of Kenya?"
    news = "Nairobi is the capital of Kenya."
    for name in ("herald", "post"):
        await documents(runtime, corpus, {"source": name, "external_id": "a", "content": news})
    async with runtime.database.begin() as session:
        await queries.create(session, corpus, QueryInput(text=asked, external_id="capital"))
    votes = ({"source": name, "query": "capital", "answer": "Mombasa"} for name in ("post", "clerk"))
    await sent(runtime, corpus, *votes)
    run = await finished(runtime, corpus)
    async with runtime.database.begin() as session:
        rows = (await session.scalars(select(Vote).where(Vote.estimation_id == run.id))).all()
        names = {name: (await sources.find(session, corpus, name)).id for name in ("herald", "post", "clerk")}
    kept = {row.source_id: (row.answer, row.imported) for row in rows}
    assert kept[names["herald"]] == ("Nairobi", False)
    assert kept[names["post"]] == kept[names["clerk"]] == ("Mombasa", True)
    found = await shown(runtime, corpus, "capital")
    assert {voter.name: voter.imported for voter in found.voters} == {"herald": False, "post": True, "clerk": True}
    (all_at_once,) = [batch async for batch in consensus_of_all(runtime.database, corpus)]
    assert [summary.model_dump() for summary in all_at_once] == [
        found.model_dump(include=set(type(all_at_once[0]).model_fields))
    ]
    # What changes is not reused from the run before.
    await sent(runtime, corpus, {"source": "post", "query": "capital", "answer": "Kisumu"})
    later = await finished(runtime, corpus)
    async with runtime.database.begin() as session:
        changed = await session.scalar(
            select(Vote.answer).where(Vote.estimation_id == later.id, Vote.source_id == names["post"])
        )
    assert changed == "Kisumu"


async def test_imports_at_the_same_time_agree(voting: Runtime, corpus: Corpus) -> None:
    await asyncio.gather(*(sent(voting, corpus, *panel(seed)) for seed in (1, 2, 3)))
    async with voting.database.begin() as session:
        count = await session.scalar(select(func.count()).select_from(ImportedVote))
        assert await session.scalar(select(func.count()).select_from(Query)) == TASKS
    assert count == TASKS * 6


async def test_queries_of_votes_are_looked_up_one_by_one(voting: Runtime, corpus: Corpus) -> None:
    """However many the corpus has, of which Postgres has no statistics while they come in."""
    names = [f"task {number}" for number in range(3_000)]
    await sent(voting, corpus, *({"source": "ant", "query": name, "answer": "a"} for name in names))
    given = {"corpus_id": corpus.id, "external_ids": names[:500]}
    async with voting.database.begin() as session:
        plan = "\n".join(await session.scalars(text(f"EXPLAIN {FIND_QUERIES.text}"), given))
    assert "Index Scan using queries_corpus_id_external_id_key" in plan
    assert "Index Cond: ((corpus_id = " in plan
    assert "(external_id)::text = given.external_id" in plan.split("Index Cond: ")[1]


async def test_votes_go_with_their_corpus(voting: Runtime, corpus: Corpus) -> None:
    async with voting.database.begin() as session:
        other = await corpora.create(session, CorpusInput(name="other"))
    for each in (corpus, other):
        await sent(voting, each, {"source": "a", "query": "q", "answer": "x"})
    async with voting.database.begin() as session:
        await corpora.delete(session, other)
    async with voting.database.begin() as session:
        assert (await session.scalars(select(ImportedVote.corpus_id))).all() == [corpus.id]


async def test_an_interrupted_run_goes_on_where_it_stopped(voting: Runtime, corpus: Corpus) -> None:
    """Votes that were copied before a crash are not copied again."""
    await sent(voting, corpus, *panel())
    run = await finished(voting, corpus)
    async with voting.database.begin() as session:
        interrupted = await session.get_one(EstimationRun, run.id)
        interrupted.status, interrupted.queries_collected = RunStatus.RUNNING, TASKS - 1
        interrupted.votes_total = (TASKS - 1) * 6
        query_id: UUID = (await session.scalars(select(RunQuery.query_id).limit(1))).one()
        await session.execute(delete(RunQuery).where(RunQuery.query_id == query_id))
        await session.execute(delete(Vote).where(Vote.query_id == query_id))
        await session.execute(delete(RunSource))
    await estimation.run(voting, run.id)
    async with voting.database.begin() as session:
        again = await session.get_one(EstimationRun, run.id)
    assert (again.queries_collected, again.votes_total) == (TASKS, TASKS * 6)


async def test_a_source_named_by_a_number_is_one(voting: Runtime, corpus: Corpus) -> None:
    async with voting.database.begin() as session:
        row = await sources.create(session, corpus, SourceInput(name="Annotator 7", external_id="7"))
    await sent(voting, corpus, {"worker": 7, "task": "q", "label": 1})
    found = await shown(voting, corpus, "q")
    assert [voter.source_id for voter in found.voters] == [row.id]


def test_what_was_read_is_no_surer_than_in_an_answer() -> None:
    """By the confidence of its reading, and at most an even chance for a yes or no of the compact judge."""
    names = [UUID(int=number) for number in range(3)]
    run = EstimationRun(id=UUID(int=9), method="iwmv", labels=3, reader="compact:0:1")
    counter = Counter.of(Reliabilities(run, tuple(replace(standing(name, 0.9), vote_count=90) for name in names)))

    def confidence(text: str, **how: object) -> float:
        votes = [replace(CountedVote(name, "Yes", None, "text:yes"), **how) for name in names]  # type: ignore[arg-type]
        return counter.consensus(votes, VotedQuery(UUID(int=1), "q", text, QueryOrigin.GIVEN)).confidence

    assert confidence("Is it red?") > 0.9
    assert confidence("Is it red?", imported=False) == 0.5
    assert confidence("What is it?", imported=False) > 0.9
    assert confidence("What is it?", imported=False, reading_confidence=0.5) == 0.75
