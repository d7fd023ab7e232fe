"""Queries on which sources disagree, their sides, and right answers set by a person."""

from uuid import UUID

import pytest
from sqlalchemy import select

from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.documents.model import Document
from registry.documents.schemas import Contradiction
from registry.estimations.model import EstimationRun, RunQuery, Vote
from registry.queries import store as queries
from registry.queries.schemas import QueryInput
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.mills import asked, built, publish
from tests.registry.world import TOWERS, build, honest, liar, question

DISPUTES = f"{PAGES}/disputes"


@pytest.fixture
async def run(reading: Runtime, corpus: Corpus) -> EstimationRun:
    await build(reading, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin")}, TOWERS)
    return await estimate(reading, corpus)


async def test_before_any_run_there_are_none(browser: Browser) -> None:
    assert "Nothing has been estimated yet" in await browser.get(DISPUTES)


@pytest.mark.usefixtures("run")
async def test_disputes_lead_to_their_sides(browser: Browser) -> None:
    text = await browser.get(DISPUTES)
    assert "Sources disagree on 2 of 6 queries" in text
    assert len(browser.page.xpath("//tbody/tr")) == 2
    assert question("Corvo") not in text
    link = next(link for link in browser.links() if "/queries/" in link)
    text = await browser.get(link)
    assert "3 sources voted" in text
    sides = [" ".join(side.text_content().split()) for side in browser.page.xpath("//section")]
    assert len(sides) == 2
    assert "accepted" in sides[0]
    assert "Herald" in sides[0]
    assert "Rumour" in sides[1]
    assert sides[1].startswith("purple")
    assert all("is painted" in side for side in sides)
    # Herald and Gazette agree on both disputed queries, Rumour with neither.
    assert "two sources that agree here answer alike on 100 % of those that both answer; " in text
    assert "two that contradict each other here on 0 %" in text


async def test_contradictions_of_new_documents_are_shown_with_both_quotes(
    browser: Browser, reading: Runtime, corpus: Corpus
) -> None:
    await publish(reading, corpus, {"herald": [built("Aldra")], "late": [built("Aldra", 1912)]})
    async with reading.database.begin() as session:
        earlier, later = (await session.scalars(select(Document).order_by(Document.id))).all()
        found = Contradiction(
            question=asked("Aldra"),
            answer="1912",
            quote=built("Aldra", 1912),
            other_document_id=earlier.id,
            other_source_id=earlier.source_id,
            other_answer="1874",
            other_quote=HOSTILE[0],
            probability=0.9,
        )
        await disputes.replace_contradictions(session, corpus, later.id, [found])
    text = await browser.get(DISPUTES)
    assert "Contradictions of new documents" in text
    assert f"late: {built('Aldra', 1912)} Document herald: {HOSTILE[0]} Document" in text
    for document in (earlier, later):
        (link,) = (link for link in browser.links() if f"/documents/{document.id}" in link)
        await browser.get(link)
        await browser.get(DISPUTES)


@pytest.mark.usefixtures("run")
async def test_a_right_answer_is_removed_and_a_query_left_out(
    browser: Browser, reading: Runtime, corpus: Corpus
) -> None:
    await browser.get(DISPUTES)
    here = next(link for link in browser.links() if "/queries/" in link)
    await browser.get(here)
    assert "Set as right: purple." in await browser.send(f"{here}/gold", answer="purple")
    form = next(form for form in browser.page.forms if "answer" not in form.fields and form.action == f"{here}/gold")
    await browser.client.post(form.action, data=dict(form.form_values()))
    assert "Set as right" not in await browser.get(here)
    assert "Left out of estimations" in await browser.send(f"{here}/active")
    assert "Left out of estimations" not in await browser.send(f"{here}/active")
    async with reading.database.begin() as session:
        await queries.delete(session, corpus, UUID(here.rpartition("/")[2]))
    assert "deleted since" in await browser.get(here)


@pytest.mark.usefixtures("run")
async def test_wordings_are_joined_and_parted_on_the_page_of_a_query(browser: Browser) -> None:
    await browser.get(DISPUTES)
    here = next(link for link in browser.links() if "/queries/" in link)
    await browser.get(here)
    assert "purple = red by anonymous" in await browser.send(f"{here}/joins")
    undo = next(form.action for form in browser.page.forms if form.action.endswith("/undo"))
    assert "purple = red" not in await browser.send(undo)


async def test_hostile_queries_and_votes(
    browser: Browser, reading: Runtime, corpus: Corpus, run: EstimationRun
) -> None:
    async with reading.database.begin() as session:
        for text in (*HOSTILE, "N" * 2_000):
            query, _ = await queries.create(session, corpus, QueryInput(text=text))
            row = RunQuery(estimation_id=run.id, query_id=query.id, query_text=text, answer=text, lead=0.0, classes=2)
            session.add(row)
            for number in range(2):
                vote = Vote(estimation_id=run.id, query_id=query.id, status="answered", document_ids=[str(run.id)])
                vote.source_id, vote.answer = corpus.id if number else run.id, text
                vote.answer_key = f"{number} {text[:50]}"
                session.add(vote)
    await browser.get(DISPUTES)
    links = [link for link in browser.links() if "/queries/" in link]
    assert len(links) == len(HOSTILE) + 3
    for path in (DISPUTES, *links):
        await browser.get(path)
        assert not browser.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
        assert "\u202e" not in browser.text
