"""The words of a question that full-text search looks for."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from registry import ingest
from registry.inputs.corpora import CorpusInput
from registry.inputs.documents import DocumentInput
from registry.inputs.sources import SourceInput
from registry.models import Corpus
from registry.runtime import Runtime
from registry.store import corpora, search_terms, sources


async def test_words_are_found_in_the_language_of_the_corpus(runtime: Runtime) -> None:
    async with runtime.database.begin() as session:
        english = await corpora.get(session, "default")
        simple = await corpora.create(session, CorpusInput.model_validate({"name": "s", "text_search": "simple"}))
        assert await search_terms.tsquery_of(session, english, "the brewing monks") == "'brew' | 'monk'"
        assert await search_terms.tsquery_of(session, simple, "the brewing") == "'brewing' | 'the'"
        assert await search_terms.tsquery_of(session, english, "of the") == ""


def test_frequent_words_are_left_out_unless_there_is_no_other() -> None:
    matches = {"common": 18_000.0, "usual": 9_000.0, "everywhere": 1_000_000.0}
    assert search_terms.rarest_lexemes(["everywhere", "rare", "common", "usual"], matches) == ["rare", "usual"]
    assert search_terms.rarest_lexemes(["rare", "usual"], matches) == ["rare", "usual"]
    assert search_terms.rarest_lexemes(["everywhere"], matches) == ["everywhere"]
    assert search_terms.rarest_lexemes([], matches) == []


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_quoted_lexeme_is_one_word(runtime: Runtime, lexeme: str) -> None:
    async with runtime.database.begin() as session:
        nodes = text("SELECT numnode(CAST(:query AS tsquery))")
        assert await session.scalar(nodes, {"query": search_terms.quote_lexeme(lexeme)}) == 1


async def test_frequencies_are_those_that_analyze_found(runtime: Runtime, corpus: Corpus) -> None:
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
    batch = [DocumentInput(content=f"The harbour, page {n}.") for n in range(200)]
    await ingest.ingest(runtime, corpus, source.id, batch)
    async with runtime.database.begin() as session:
        await session.execute(text("ANALYZE passages"))
        rows = {row[0]: row[1] for row in await session.execute(search_terms.FREQUENT_LEXEMES)}
    assert rows["harbour"] == pytest.approx(200, rel=0.05)
