"""An answer quotes a revision of a document, which is shown though the document has been replaced since."""

from dataclasses import replace

from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.registry.world import build, honest, question

TOWER = "Aldra"


async def test_an_answer_leads_to_the_revision_that_it_quotes(
    browser: Browser, reading: Runtime, corpus: Corpus
) -> None:
    herald = (await build(reading, corpus, {"herald": honest()}, [TOWER]))["herald"]
    changed = DocumentInput(external_id=TOWER, title=TOWER, content="By herald. The tower of Aldra is painted purple.")

    async def asked() -> tuple[str, AnswerResult]:
        record = await answers.ask(reading, corpus, question(TOWER), AnswerParameters())
        return f"{PAGES}/answers/{record.id}", AnswerResult.model_validate(record.result)

    def quoted() -> str:
        return next(link for link in browser.links() if "start=" in link).partition("#")[0]

    page, result = await asked()
    (citation,) = result.citations
    assert (result.answers, citation.document_revision) == (("red",), 1)
    await ingest(reading, corpus, herald.id, [changed])
    assert [each.document_revision for each in (await asked())[1].citations] == [2]
    # Its source says what it says now, and is not blamed for what it said before.
    assert (await asked())[1].answers == ("purple",)

    await browser.get(page)
    text = await browser.get(quoted())
    assert browser.page.xpath("//mark/text()") == [citation.quote]
    assert "This is revision 1, replaced" in text
    assert "2 revisions" in text
    assert "; it changed text Revision 1" in text
    path = f"/v1/corpora/default/documents/{citation.document_id}/revisions/{citation.document_revision}"
    read = (await browser.client.get(path)).json()["content"]
    assert read[citation.start : citation.end] == citation.quote
    listed = await browser.get(f"{PAGES}/sources/{herald.id}/documents")
    assert "(2 revisions)" in listed

    forgetful = replace(reading, settings=reading.settings.model_copy(update={"keep_revisions": 0}))
    await ingest(forgetful, corpus, herald.id, [changed.model_copy(update={"title": "Correction"})])
    await browser.get(page)
    text = await browser.get(quoted())
    assert "Revision 1, which was asked for, is not kept. This is revision 3." in text
    assert "3 revisions, of which 1 can be read" in text
    assert browser.page.xpath("//mark") == []
