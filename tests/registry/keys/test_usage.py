"""Quotas hold over processes: of the last question and the last document only one is taken."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace

import pytest

from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusPatch
from registry.documents import store as documents
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.documents.value_schemas import StatedValueInput
from registry.keys import service as keys
from registry.keys.model import ApiKey
from registry.keys.quotas import Usage, take_question, usage_of
from registry.keys.schemas import KeyInput, Scope, Stored
from registry.keys.store.spending import stored
from registry.platform.database.engine import Database
from registry.platform.errors import DailyLimitReached, QuotaExceeded
from registry.platform.settings import Settings
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput


@pytest.fixture
async def processes(runtime: Runtime, settings: Settings) -> AsyncIterator[list[Runtime]]:
    """Two runtimes that share nothing but the database."""
    other = Database.from_settings(settings)
    yield [runtime, replace(runtime, database=other)]
    await other.aclose()


async def limited_key(runtime: Runtime, **limits: int) -> ApiKey:
    values = KeyInput(name="app", scopes=frozenset({Scope.ASK}), **limits)
    async with runtime.database.begin() as session:
        return (await keys.create(session, None, values))[0]


async def limit_corpus(runtime: Runtime, corpus: Corpus, **limits: int | None) -> None:
    async with runtime.database.begin() as session:
        await corpora.update(session, corpus, CorpusPatch.model_validate(limits))


async def outcomes(attempts: list[Awaitable[object]], refusal: type[Exception]) -> tuple[int, int]:
    """How many attempts succeeded, and how many were refused."""
    results = await asyncio.gather(*attempts, return_exceptions=True)
    refused = [result for result in results if isinstance(result, Exception)]
    assert all(isinstance(error, refusal) for error in refused), refused
    return len(results) - len(refused), len(refused)


async def ask(runtime: Runtime, corpus: Corpus, key: ApiKey) -> None:
    async with runtime.database.begin() as session:
        await take_question(session, corpus, key.id)


async def test_two_processes_share_the_questions_of_a_day(processes: list[Runtime], corpus: Corpus) -> None:
    runtime = processes[0]
    key, other = await limited_key(runtime, daily_questions=5), await limited_key(runtime, daily_questions=5)
    attempts = [ask(process, corpus, key) for process in processes for _ in range(5)]
    assert await outcomes([*attempts], DailyLimitReached) == (5, 5)
    await limit_corpus(runtime, corpus, daily_questions=2)
    attempts = [ask(process, corpus, other) for process in processes for _ in range(2)]
    assert await outcomes([*attempts], DailyLimitReached) == (2, 2)
    async with runtime.database.begin() as session:
        usage = await usage_of(session, [key, other])
    # What the corpus refused is not counted for the key.
    assert [used.spent.questions for used in usage if used.spent] == [5, 2]
    await limit_corpus(runtime, corpus, daily_questions=None)
    await ask(runtime, corpus, other)


async def test_two_processes_share_the_documents_of_a_key_and_of_a_corpus(
    processes: list[Runtime], corpus: Corpus
) -> None:
    runtime = processes[0]
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="herald"))
    key = await limited_key(runtime, max_documents=2)

    def send(process: Runtime, name: str, content: str = "The tower is red.") -> Awaitable[object]:
        document = DocumentInput(external_id=name, content=content)
        return ingest(process, corpus, source.id, [document], key_id=key.id)

    attempts = [send(process, f"{n}{number}") for n, process in enumerate(processes) for number in range(2)]
    assert await outcomes(attempts, QuotaExceeded) == (2, 2)
    async with runtime.database.begin() as session:
        page = await documents.page(session, corpus, source.id, cursor=None, limit=9)
        assert await usage_of(session, [key]) == [Usage(None, Stored(documents=2, bytes=34))]
    await send(runtime, page.items[0].external_id, "Rot ist er, sagt man in Århus.")
    async with runtime.database.begin() as session:
        # What it said before is kept as a former revision.
        assert await stored(session, corpus) == Stored(documents=2, bytes=17 + 31 + 17)
        await documents.delete(session, corpus, source.id, page.items[0].id)
    await limit_corpus(runtime, corpus, max_stored_bytes=40)
    await send(runtime, "new")
    with pytest.raises(QuotaExceeded, match="corpus 'default' may store 40 bytes, and would store 52 with this"):
        await ingest(runtime, corpus, source.id, [DocumentInput(content="The tower is red. ")])


async def test_former_revisions_count_while_they_are_kept(runtime: Runtime, corpus: Corpus) -> None:
    kept = 2
    runtime = replace(runtime, settings=runtime.settings.model_copy(update={"keep_revisions": kept}))
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="herald"))
    size = 1_000
    key = await limited_key(runtime, max_stored_bytes=(kept + 1) * size)

    async def write(letter: str, length: int = size) -> None:
        document = DocumentInput(external_id="a", content=letter * length)
        await ingest(runtime, corpus, source.id, [document], key_id=key.id)

    for letter in "abcde":
        await write(letter)
    async with runtime.database.begin() as session:
        assert await stored(session, key) == Stored(documents=1, bytes=(kept + 1) * size)
    with pytest.raises(QuotaExceeded, match="may store 3,000 bytes, and would store 3,001 with this"):
        await write("f", size + 1)
    await write("g", 1)
    async with runtime.database.begin() as session:
        assert await stored(session, corpus) == Stored(documents=1, bytes=kept * size + 1)


async def test_nothing_is_hidden_beside_a_text(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="herald"))
    value = StatedValueInput(subject="Esk", relation="colour", value="red")
    document = DocumentInput(external_id="a", content="x", title="ti", attributes={"é": "b"}, stated_values=[value])
    await ingest(runtime, corpus, source.id, [document])
    async with runtime.database.begin() as session:
        assert await stored(session, corpus) == Stored(documents=1, bytes=1 + 2 + len('"é": "b"'.encode()) + 12)
    # Stated values have no former revisions.
    await ingest(runtime, corpus, source.id, [DocumentInput(external_id="a", content="y")])
    async with runtime.database.begin() as session:
        assert await stored(session, corpus) == Stored(documents=1, bytes=1 + (1 + 2 + len('"é": "b"'.encode())))
