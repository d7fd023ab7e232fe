"""Answers that stand in the title of a document alone."""

from dataclasses import replace

from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.registry.answers.asking import asked
from tests.registry.world import colour_reader

HEADLINE = "The tower of Grom is painted grey."


async def test_a_headline_answers_and_is_quoted(runtime: Runtime, corpus: Corpus) -> None:
    runtime = replace(runtime, reader=colour_reader())
    async with runtime.database.begin() as session:
        source = await sources.create(session, corpus, SourceInput(external_id="herald", name="Herald"))
    text = "The painters of the tower of Grom were done by noon, and people like the colour."
    await ingest(runtime, corpus, source.id, [DocumentInput(external_id="news", title=HEADLINE, content=text)])
    answer = await asked(runtime, corpus)
    assert answer.answers == ("grey",)
    (citation,) = answer.citations
    assert (citation.quote, citation.start, citation.end) == (HEADLINE, 0, 0)
    assert (citation.title, citation.context) == (HEADLINE, HEADLINE)
