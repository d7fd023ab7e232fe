"""Two sources side by side, and the revision of a document that an answer quotes."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update

from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.estimations.model import EstimationRun, RunSource
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourcePatch
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.world import TOWERS, build, honest, liar, question

COMPARISON = f"{PAGES}/comparison"


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> dict[str, Source]:
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin"), "mute": {}}
    built = await build(reading, corpus, stated, TOWERS)
    run = await estimate(reading, corpus)
    topic: dict[str, Any] = {"topic": 0, "reliability": 0.7, "lower": 0.6, "upper": 0.8, "weight": 1.0}
    async with reading.database.begin() as session:
        labels = [{"label": "Paint", "names": [], "query_count": 6}]
        await session.execute(update(EstimationRun).where(EstimationRun.id == run.id).values(topics=labels))
        await session.execute(update(RunSource).values(topics=[topic | {"vote_count": 6}]))
    return built


async def test_two_marked_sources_are_compared(browser: Browser, world: dict[str, Source]) -> None:
    await browser.get(f"{PAGES}/sources")
    form = next(form for form in browser.page.forms if form.action == COMPARISON)
    marks = browser.page.xpath(f"//input[@form='{form.get('id')}']")
    assert [mark.get("aria-label") for mark in marks][2:] == ["Compare Rumour", "Compare Mute"]
    text = await browser.get(f"{COMPARISON}?source={world['rumour'].id}&source={marks[0].get('value')}")
    assert "Both voted on 6 queries and gave different answers on 2." in text
    assert browser.page.xpath("string(//table[1]/thead//th)") == "Rumour"
    assert "On Paint 70 % 70 %" in text
    votes = browser.page.xpath("//table[@class='texts sides']/tbody/tr")
    rows = [" ".join(row.text_content().split()) for row in votes]
    assert len(rows) == 2
    assert all("against purple with" in row for row in rows)
    link = next(link for link in browser.links() if "/queries/" in link)
    assert "3 sources voted" in await browser.get(link)


@pytest.mark.usefixtures("world")
async def test_sources_are_named_in_the_form(browser: Browser) -> None:
    assert "Choose two different sources" in await browser.get(COMPARISON)
    for fields in ("source=herald", "source=herald&source=", "source=herald&source=Herald"):
        assert "Choose two different sources" in await browser.get(f"{COMPARISON}?{fields}")
        assert browser.page.xpath("//input[@id='source1']/@value") == ["herald"]
    assert "gave different answers on 0" in await browser.get(f"{COMPARISON}?source=Herald&source=gazette")
    assert "There is no query with votes of both" in await browser.get(f"{COMPARISON}?source=Herald&source=mute")
    assert "The first two" in await browser.get(f"{COMPARISON}?source=herald&source=mute&source=rumour")
    assert "No name has “nobody” in it" in await browser.get(f"{COMPARISON}?source=herald&source=nobody")
    assert browser.page.xpath("//input[@id='source2']/@value") == ["nobody"]


@pytest.mark.usefixtures("world")
async def test_a_part_of_a_name_is_enough_and_several_that_fit_are_offered(browser: Browser) -> None:
    assert "gave different answers on 0" in await browser.get(f"{COMPARISON}?source=gazet&source=HERA")
    assert "Several names fit “u”; choose one: Mute" in await browser.get(f"{COMPARISON}?source=herald&source=u")
    (rumour,) = [link for link in browser.page.xpath("//main//li/a") if link.text_content() == "Rumour"]
    assert "gave different answers on 2" in await browser.get(rumour.get("href"))
    assert "No name has “%” in it" in await browser.get(f"{COMPARISON}?source=herald&source=%25")


async def test_hostile_names_are_text(
    browser: Browser, reading: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    ids = [world["herald"].id, world["rumour"].id]
    for name in HOSTILE:
        async with reading.database.begin() as session:
            for source_id in ids:
                await sources.update(session, corpus, source_id, SourcePatch(name=name))
        await browser.get(f"{COMPARISON}?source={ids[0]}&source={ids[1]}")
        assert not browser.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
        assert "\u202e" not in browser.text


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
