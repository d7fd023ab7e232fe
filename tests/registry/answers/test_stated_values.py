"""Questions that are a query of stated values: answered by what is stated, with its place in the document."""

from dataclasses import replace
from typing import Any

import pytest

from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.runtime import Runtime
from tests.fakes.scripted_reader import ScriptedReader
from tests.registry.answers.asking import result
from tests.registry.stating import CHAD, KENYA, ROWS, documents, sent


async def ask(runtime: Runtime, corpus: Corpus, question: str, **parameters: Any) -> AnswerResult:  # noqa: ANN401
    values = AnswerParameters.model_validate(parameters)
    return result(await answers.ask(runtime, corpus, question, values))


@pytest.fixture
async def stating(runtime: Runtime, corpus: Corpus) -> Runtime:
    """Three tables; the reader says Kisumu to everything."""
    runtime = replace(runtime, reader=ScriptedReader(lambda _question, _passages: "Kisumu"))
    await sent(runtime, corpus, *ROWS)
    return runtime


async def test_a_question_that_is_such_a_query_costs_no_reading(stating: Runtime, corpus: Corpus) -> None:
    answer = await ask(stating, corpus, KENYA)
    assert answer.answers == ("Nairobi",)
    assert (answer.usage.readings, answer.usage.readings_cached) == (0, 0)
    selected = {source.external_id: source for source in answer.selected_sources}
    assert {name: (source.answer, source.stated) for name, source in selected.items()} == {
        "atlas": ("Nairobi", True),
        "almanac": ("nairobi", True),
        "gazetteer": ("Mombasa", True),
    }
    assert selected["atlas"].reading_confidence == 1.0
    assert selected["atlas"].relevance > 0
    quotes = {citation.quote for citation in answer.citations}
    assert any("Kenya; capital: Nairobi" in quote for quote in quotes)


async def test_sources_that_state_nothing_are_read(stating: Runtime, corpus: Corpus) -> None:
    news = {
        "source": "herald",
        "external_id": "a",
        "content": "Kisumu is a city, and so is Chad, of which we say much.",
    }
    await documents(stating, corpus, news)
    answer = await ask(stating, corpus, CHAD)
    by_name = {source.external_id: (source.answer, source.stated) for source in answer.selected_sources}
    assert by_name == {"atlas": ("N'Djamena", True), "almanac": ("Abéché", True), "herald": ("Kisumu", False)}
    # The gazetteer, which states nothing of Chad, and the paper.
    assert answer.usage.readings == 2


async def test_only_documents_that_the_question_allows_count(stating: Runtime, corpus: Corpus) -> None:
    dated = {"source": "globe", "country": "Kenya", "capital": "Konza", "published_at": "2026-03-01"}
    await sent(stating, corpus, dated)
    answer = await ask(stating, corpus, KENYA, published_from="2026-01-01", published_before="2027-01-01")
    assert answer.answers == ("Konza",)
    only = await ask(stating, corpus, KENYA, sources=["gazetteer"])
    assert only.answers == ("Mombasa",)
    assert (await ask(stating, corpus, KENYA, documents=["nothing"])).answers == ()


async def test_the_quote_is_where_the_value_stands(stating: Runtime, corpus: Corpus) -> None:
    """Not where its subject has the same name, and the likeliest sentence where the text says it otherwise."""
    tables = [{"source": name, "country": "Luxembourg", "capital": "Luxembourg"} for name in ("atlas", "almanac")]
    await sent(stating, corpus, *tables)
    text = "Of old dukes. The treaty was signed on 4 May 2021 in the evening. Of rivers."
    value = {"subject": "The treaty", "relation": "date", "value": "2021-05-04"}
    line = {"external_id": "t", "content": text, "stated_values": [value]}
    await documents(stating, corpus, line | {"source": "atlas"}, line | {"source": "almanac"})
    capital = await ask(stating, corpus, "What is the capital of Luxembourg?")
    assert {citation.quote for citation in capital.citations} == {"Luxembourg; capital: Luxembourg"}
    date = await ask(stating, corpus, "What is the date of The treaty?")
    assert date.answers == ("2021-05-04",)
    assert {citation.quote for citation in date.citations} == {"The treaty was signed on 4 May 2021 in the evening."}
