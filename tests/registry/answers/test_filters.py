"""Questions and searches that are restricted to some sources, or to documents of a period."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from registry.answers import service as answers
from registry.answers.newer_statements import RIGHT_STILL
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.platform.enums import SourceStatus
from registry.platform.errors import Conflict, NotFound
from registry.runtime import Runtime
from registry.search.schemas import SearchInput
from registry.search.service import folded_search
from registry.sources import store as sources
from registry.sources.schemas import OverrideInput, SourcePatch
from tests.registry.world import build, colour_reader, question

REPAINTED = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
async def repainted(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Three sources say in January that a tower is pink; two of them say in June that it is grey; one has no date."""
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {name: {} for name in ("herald", "gazette", "times")})
    texts = {"pink": datetime(2026, 1, 1, tzinfo=UTC), "grey": datetime(2026, 6, 1, tzinfo=UTC)}
    for name in ("herald", "gazette"):
        await publish(runtime, corpus, name, texts)
    await publish(runtime, corpus, "times", {"black": None})
    return runtime


async def publish(runtime: Runtime, corpus: Corpus, name: str, texts: Mapping[str, datetime | None]) -> None:
    async with runtime.database.begin() as session:
        source = await sources.find(session, corpus, name)
    documents = [
        DocumentInput(external_id=colour, content=f"The tower of Grom is painted {colour}.", published_at=date)
        for colour, date in texts.items()
    ]
    await ingest(runtime, corpus, source.id, documents)


async def said(runtime: Runtime, corpus: Corpus, **values: object) -> tuple[str, ...]:
    record = await answers.ask(runtime, corpus, question("Grom"), AnswerParameters.model_validate(values))
    result = AnswerResult.model_validate(record.result)
    assert (
        record.parameters.items()
        >= AnswerParameters.model_validate(values).model_dump(mode="json", exclude_unset=True).items()
    )
    return result.answers


async def test_a_newer_statement_that_contradicts_is_told(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {name: {} for name in ("herald", "gazette", "times")})
    for name, colour, month in (("herald", "pink", 1), ("gazette", "pink", 2), ("times", "grey", 6)):
        await publish(runtime, corpus, name, {colour: datetime(2026, month, 1, tzinfo=UTC)})
    record = await answers.ask(runtime, corpus, question("Grom"), AnswerParameters())
    result = AnswerResult.model_validate(record.result)
    assert result.answers == ("pink",)
    assert result.confidence == pytest.approx(RIGHT_STILL)
    assert any("says otherwise: “grey”" in note and "2026-06-01" in note for note in result.notes)
    assert await said(runtime, corpus, published_before=REPAINTED) == ("pink",)
    async with runtime.database.begin() as session:
        for name, reliability in (("herald", 0.9), ("times", 0.3)):
            source = await sources.find(session, corpus, name)
            override = OverrideInput(reliability=reliability, reason="known")
            await sources.set_override(session, corpus, source.id, override, created_by="test")
    record = await answers.ask(runtime, corpus, question("Grom"), AnswerParameters())
    result = AnswerResult.model_validate(record.result)
    assert result.confidence > RIGHT_STILL
    assert not any("says otherwise" in note for note in result.notes)


async def test_of_two_single_statements_the_newer_one_is_the_answer(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    await build(runtime, corpus, {name: {} for name in ("herald", "times")})
    for name, colour, month in (("herald", "pink", 1), ("times", "red", 6)):
        await publish(runtime, corpus, name, {colour: datetime(2026, month, 1, tzinfo=UTC)})
    record = await answers.ask(runtime, corpus, question("Grom"), AnswerParameters())
    result = AnswerResult.model_validate(record.result)
    assert (result.outcome, result.answers) == ("answered", ("red",))
    assert [(line.answer, line.weight > 0) for line in result.tally] == [("red", True), ("pink", False)]
    assert result.certificate.size == 1
    (note,) = (note for note in result.notes if "do not count" in note)
    assert "“pink” (Herald, 2026-01-01)" in note
    assert "“red” (Times, 2026-06-01)" in note
    assert set(await said(runtime, corpus, paper=True)) == {"red", "pink"}
    # What is hardly newer is no better.
    await publish(runtime, corpus, "herald", {"pink": datetime(2026, 5, 20, tzinfo=UTC)})
    assert set(await said(runtime, corpus)) == {"red", "pink"}


@pytest.mark.parametrize("candidates_only", [False, True])
async def test_only_documents_of_the_period_are_read(repainted: Runtime, corpus: Corpus, candidates_only: bool) -> None:
    among = {"candidates_only": candidates_only}
    assert await said(repainted, corpus, published_from=REPAINTED, **among) == ("grey",)
    assert await said(repainted, corpus, published_before=REPAINTED, **among) == ("pink",)
    assert await said(repainted, corpus, published_from="2027-01-01", **among) == ()


async def test_a_source_of_which_the_search_finds_no_passage_is_no_candidate(
    repainted: Runtime, corpus: Corpus
) -> None:
    values = {"published_from": REPAINTED, "candidates_only": True}
    record = await answers.ask(repainted, corpus, question("Grom"), AnswerParameters.model_validate(values))
    result = AnswerResult.model_validate(record.result)
    assert {source.external_id: source.reason for source in result.rejected_sources} == {"times": "not_a_candidate"}
    assert (result.rejected_total, result.usage.readings) == (1, 2)


async def test_only_the_sources_named_are_asked(repainted: Runtime, corpus: Corpus) -> None:
    assert await said(repainted, corpus, sources=["Times"]) == ("black",)
    assert await said(repainted, corpus, sources=["times"], published_before=REPAINTED) == ()
    with pytest.raises(NotFound, match="courier"):
        await said(repainted, corpus, sources=["times", "courier"])
    async with repainted.database.begin() as session:
        times = await sources.find(session, corpus, "times")
        await sources.update(session, corpus, times.id, SourcePatch(status=SourceStatus.PAUSED))
    with pytest.raises(Conflict, match="None of these sources is active"):
        await said(repainted, corpus, sources=["times"])


@pytest.mark.parametrize("candidates_only", [False, True])
async def test_only_the_documents_named_are_read(repainted: Runtime, corpus: Corpus, candidates_only: bool) -> None:
    among = {"candidates_only": candidates_only}
    assert await said(repainted, corpus, documents=["pink"], **among) == ("pink",)
    assert await said(repainted, corpus, documents=["grey", "none"], **among) == ("grey",)
    assert await said(repainted, corpus, documents=["grey"], sources=["times"], **among) == ()


async def test_a_search_is_restricted_likewise(repainted: Runtime, corpus: Corpus) -> None:
    async def found(**values: object) -> set[tuple[str, str]]:
        wanted = SearchInput.model_validate({"query": "tower of Grom", **values})
        hits = await folded_search(repainted, corpus, wanted)
        every = [hit for folded in hits for hit in (folded.hit, *folded.copies)]
        return {(hit.source.external_id, hit.passage.external_id) for hit in every}

    assert await found(sources=["herald"]) == {("herald", "pink"), ("herald", "grey")}
    assert await found(published_from="2026-05-01") == {("herald", "grey"), ("gazette", "grey")}
    assert await found(sources=["times"], published_from="2026-05-01") == set()
    assert await found(documents=["black", "grey"], published_before="2026-05-01") == set()
    assert await found(documents=["black"]) == {("times", "black")}


def test_a_filter_that_allows_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="must lie before"):
        AnswerParameters.model_validate({"published_from": REPAINTED, "published_before": REPAINTED})
    with pytest.raises(ValidationError, match="at least 1 item"):
        AnswerParameters.model_validate({"sources": []})
