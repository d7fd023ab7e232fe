"""Questions that were asked become queries, unless the corpus or whoever asks wants none."""

from dataclasses import replace

import pytest

from registry.answers import jobs as queued_answers
from registry.answers import service
from registry.answers import service as answers
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusPatch
from registry.platform.enums import QueryOrigin
from registry.platform.errors import DatabaseUnavailable
from registry.queries import store as queries
from registry.queries.model import Query
from registry.queries.schemas import QueryInput
from registry.query_generations import store
from registry.runtime import Runtime
from tests.registry.mills import asked, built, mill_reader, publish, publish_mills

PLAIN = AnswerParameters()


@pytest.fixture
async def mills(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Three sources that speak of two mills."""
    runtime = replace(runtime, reader=mill_reader())
    await publish_mills(runtime, corpus, "Aldra", "Brin")
    return runtime


async def ask(runtime: Runtime, corpus: Corpus, question: str, parameters: AnswerParameters = PLAIN) -> str:
    return str((await answers.ask(runtime, corpus, question, parameters)).id)


async def kept(runtime: Runtime, corpus: Corpus) -> list[Query]:
    async with runtime.database.begin() as session:
        page = await queries.page(session, corpus, cursor=None, limit=100)
    return list(page.items)


async def test_a_question_that_sources_answer_becomes_a_query_once(mills: Runtime, corpus: Corpus) -> None:
    answer_id = await ask(mills, corpus, asked("Aldra"))
    await ask(mills, corpus, asked("Aldra"))
    await ask(mills, corpus, "In which year was Aldra Mill built, please?")
    await ask(mills, corpus, asked("Nowhere"))
    await publish(mills, corpus, {"herald": [built("Corvo")]})
    await ask(mills, corpus, asked("Corvo"))
    (query,) = await kept(mills, corpus)
    assert (query.text, query.origin, query.active) == (asked("Aldra"), QueryOrigin.ASKED, True)
    assert query.provenance == {"answer_id": answer_id, "leading_answer": "1874"}
    await ask(mills, corpus, asked("Brin"))
    assert [query.text for query in await kept(mills, corpus)] == [asked("Aldra"), asked("Brin")]


async def test_the_queries_that_resemble_a_question_are_found_among_many(mills: Runtime, corpus: Corpus) -> None:
    async with mills.database.begin() as session:
        for number in range(40):
            await queries.create(session, corpus, QueryInput(text=f"In which year was the {number} o'clock bell cast?"))
        await queries.create(session, corpus, QueryInput(text="Aldra Mill was built in which year?"))
        found = await store.resembling(session, corpus, {"aldra", "mill", "it's \\ | !"}, 5)
    assert [text for text, _ in found] == ["Aldra Mill was built in which year?"]
    await ask(mills, corpus, asked("Aldra"))
    await ask(mills, corpus, asked("Brin"))
    assert [query.text for query in await kept(mills, corpus)][41:] == [asked("Brin")]


async def test_a_question_that_was_queued_becomes_one_too(mills: Runtime, corpus: Corpus) -> None:
    queued = await queued_answers.start(mills, corpus, asked("Aldra"), PLAIN)
    assert await kept(mills, corpus) == []
    await queued_answers.run(mills, queued.id)
    assert [query.text for query in await kept(mills, corpus)] == [asked("Aldra")]


async def test_whoever_asks_and_the_corpus_may_want_none(mills: Runtime, corpus: Corpus) -> None:
    await ask(mills, corpus, asked("Aldra"), AnswerParameters(keep_as_query=False))
    assert await kept(mills, corpus) == []
    for most, expected in ((0, 0), (1, 1)):
        async with mills.database.begin() as session:
            changed = await corpora.update(session, corpus, CorpusPatch(asked_queries=most))
        await ask(mills, changed, asked("Aldra"))
        await ask(mills, changed, asked("Brin"))
        assert len(await kept(mills, corpus)) == expected


async def test_an_answer_stands_where_its_question_cannot_be_kept(
    mills: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(*_arguments: object) -> None:
        raise DatabaseUnavailable("The database does not answer.")

    monkeypatch.setattr(service, "keep_question", unavailable)
    record = await answers.ask(mills, corpus, asked("Aldra"), PLAIN)
    assert record.result is not None
    assert record.result["answers"] == ["1874"]
    assert await kept(mills, corpus) == []
