"""What other sources published against documents that come in: told with their lines, and kept while both are there."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from answering.enums import JudgeKind
from answering.judges import Label, Pair
from registry.connectors import service as connectors
from registry.connectors.model import Connector
from registry.connectors.schemas import ConnectorPatch
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.disputes.contradictions import with_contradictions
from registry.documents import store as documents
from registry.documents.imports import import_documents
from registry.documents.model import Document
from registry.documents.schemas import LineResult
from registry.platform.errors import SettingsError
from registry.platform.providers import Judges
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.webhooks import store as webhooks
from registry.webhooks.schemas import WebhookInput
from tests.fakes.scripted_judge import ScriptedJudge
from tests.registry.connectors.keeping import make, run
from tests.registry.mills import asked, built, mill_reader, publish


def judged(pair: Pair) -> Label:
    """Every passage with another year contradicts, but those of 1999."""
    return Label.IRRELEVANT if "1999" in pair.passage else Label.CONTRADICTS


@pytest.fixture
async def reading(runtime: Runtime, corpus: Corpus) -> Runtime:
    """With three sources that speak of two mills."""
    judges = Judges(None, {JudgeKind.COMPACT: ScriptedJudge(judged)})
    runtime = replace(runtime, reader=mill_reader(), judges=judges)
    stated = {"herald": [built("Aldra")], "post": [built("Aldra")], "echo": [built("Brin", 1999)]}
    await publish(runtime, corpus, stated, signed=False)
    return runtime


async def imported(runtime: Runtime, corpus: Corpus, *texts: str, readings: int = 100) -> list[LineResult]:
    """The results of documents of one more source."""
    async with runtime.database.begin() as session:
        source = (await sources.find_or_create(session, corpus, ["late"]))["late"]
    assert isinstance(source, Source)

    async def lines() -> AsyncIterator[bytes]:
        for text in texts:
            yield json.dumps({"external_id": text.split()[0], "content": text}).encode()

    results = import_documents(runtime, corpus, source.id, lines())
    found = [result async for result in with_contradictions(runtime, corpus, results, readings)]
    return sorted(found, key=lambda result: result.line)


async def stored(runtime: Runtime, corpus: Corpus) -> list[tuple[str, str]]:
    async with runtime.database.begin() as session:
        page = await disputes.contradictions(session, corpus, cursor=None, limit=100)
    return [(each.quote, each.other_quote) for each in page.items]


async def test_a_new_document_is_told_what_contradicts_it_with_both_quotes(reading: Runtime, corpus: Corpus) -> None:
    wrong, alike, unclear = await imported(reading, corpus, built("Aldra", 1912), built("Corvo"), built("Brin", 1700))
    assert wrong.contradictions is not None
    assert {each.other_quote for each in wrong.contradictions} == {built("Aldra")}
    assert len({each.other_source_id for each in wrong.contradictions}) == 2
    first = wrong.contradictions[0]
    assert (first.question, first.answer, first.other_answer) == (asked("Aldra"), "1912", "1874")
    assert first.quote == built("Aldra", 1912)
    assert (alike.contradictions, unclear.contradictions) == ((), ())
    assert await stored(reading, corpus) == [(first.quote, built("Aldra"))] * 2


async def test_what_a_corrected_or_deleted_document_said_is_forgotten(reading: Runtime, corpus: Corpus) -> None:
    await imported(reading, corpus, built("Aldra", 1912))
    async with reading.database.begin() as session:
        rows = await session.execute(
            select(Document.id, Document.source_id, Source.external_id).join(Source, Source.id == Document.source_id)
        )
        herald = next(row for row in rows if row.external_id == "herald")
        await documents.delete(session, corpus, herald.source_id, herald.id)
    assert len(await stored(reading, corpus)) == 1
    (corrected,) = await imported(reading, corpus, built("Aldra", 1874))
    assert (corrected.status, corrected.contradictions) == ("updated", ())
    assert await stored(reading, corpus) == []


async def test_it_looks_only_where_asked_for_and_while_readings_are_left(reading: Runtime, corpus: Corpus) -> None:
    (result,) = await imported(reading, corpus, built("Aldra", 1912), readings=0)
    assert result.contradictions is None
    again, other = await imported(reading, corpus, built("Aldra", 1912), built("Brin", 1700), readings=1)
    assert (again.status, again.contradictions) == ("unchanged", None)
    assert other.contradictions == ()
    first, second = await imported(reading, corpus, built("Delm"), built("Aldra", 1913), readings=1)
    assert (first.contradictions, second.contradictions) == ((), None)
    with pytest.raises(SettingsError):
        await imported(replace(reading, reader=None), corpus, built("Esk"))


async def test_webhooks_are_told_of_it_once(reading: Runtime, corpus: Corpus) -> None:
    async with reading.database.begin() as session:
        webhook = await webhooks.create(session, corpus, WebhookInput(url="https://hooks.example/"), "whsec_")
    for _ in range(2):  # the second time it is as it was
        await imported(reading, corpus, built("Aldra", 1912), built("Corvo"))
    async with reading.database.begin() as session:
        (told,) = (await webhooks.deliveries(session, webhook, cursor=None, limit=5)).items
        document = (await session.scalars(select(Document).where(Document.id == told.data["document_id"]))).one()
    assert (told.type, told.status, document.content) == ("dispute.found", "pending", built("Aldra", 1912))
    facts = [(each["question"], each["answer"], each["other_answer"]) for each in told.data["contradictions"]]
    assert facts == [(asked("Aldra"), "1912", "1874")] * 2
    assert built("Aldra") not in str(told.data)


async def test_a_connector_looks_for_them_within_the_readings_of_a_run(
    reading: Runtime, corpus: Corpus, tmp_path: Path
) -> None:
    def write(*years: int) -> None:
        for source, year in zip(("late", "later"), years, strict=True):
            (tmp_path / source).mkdir(exist_ok=True)
            (tmp_path / source / "aldra.txt").write_text(built("Aldra", year))

    async def with_readings(readings: int) -> Connector:
        async with reading.database.begin() as session:
            found = await session.get_one(Connector, connector.id)
            values = await connectors.patched(session, found, ConnectorPatch(contradictions=readings))
            return await connectors.update(session, corpus, found.id, values)

    connector = await make(reading, corpus, "folder", path=str(tmp_path))
    write(1912, 1913)
    assert (await run(reading, connector)).contradictions == 0
    write(1914, 1915)
    # The first of the two takes more readings than one.
    assert (await run(reading, await with_readings(1))).contradictions == 3
    write(1916, 1917)
    assert (await run(reading, await with_readings(100))).contradictions == 6
    assert len(await stored(reading, corpus)) == 6
    # What did not change is not looked at again.
    assert (await run(reading, connector)).contradictions == 0
