"""The quality page, and the page of imported votes."""

import pytest
from sqlalchemy import select, update

from api.pages.routes import quality
from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.platform.database.locks import try_lock
from registry.queries.model import Query
from registry.runtime import Runtime
from registry.sources.model import Source
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.votes.test_votes import sent
from tests.registry.world import TOWERS, build, honest, liar

QUALITY = f"{PAGES}/quality"


async def test_the_report_and_what_hinders_it(
    browser: Browser, reading: Runtime, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Nothing has been estimated yet" in await browser.get(QUALITY)
    built = await build(reading, corpus, {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra")}, TOWERS)
    await estimate(reading, corpus)
    assert "No query of this corpus has a right answer" in await browser.get(QUALITY)
    assert QUALITY not in {form.action for form in browser.page.forms}
    async with reading.database.begin() as session:
        await session.execute(update(Source).where(Source.id == built["rumour"].id).values(name=HOSTILE[0]))
        for query in await session.scalars(select(Query)):
            query.gold_answers = [HOSTILE[1]] if query.external_id == "Brin" else [honest()[query.external_id]]
    assert "6 queries have a right answer" in await browser.get(QUALITY)
    assert not browser.page.xpath("//svg")
    text = await browser.send(QUALITY)
    for part in (
        "83 %",
        "6 queries with right answers tell little",
        "percentage points on average (expected calibration error)",
        "lie in the 95 % interval of what right answers say",
        HOSTILE[0],
        f"blue{HOSTILE[1]}",
    ):
        assert part in text
    # A point of the calibration at least, and one of every method and source.
    assert browser.page.xpath("//svg[contains(@class, 'chart')]/circle[@class='estimate']")
    (table,) = browser.page.xpath("//div[@aria-label='Sources']")
    assert len(table.xpath(".//circle[@class='estimate']")) == len(table.xpath(".//rect[@class='other']")) == 3
    (kept,) = (link for link in browser.links() if link.startswith(f"{QUALITY}/"))
    assert "The report Evaluated" in await browser.get(QUALITY)
    assert not browser.page.xpath("//script | //img | //*[@style]")
    async with try_lock(reading.database, f"evaluation:{corpus.id}"):
        assert "is evaluating this corpus right now" in await browser.send(QUALITY, 422)

    async def endless(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(quality, "evaluate", endless)
    assert "did not end within 120 s" in await browser.send(QUALITY, 422)
    monkeypatch.undo()
    await browser.get(QUALITY)
    newer = await browser.send(QUALITY)
    assert "An earlier report" in await browser.get(kept)
    assert "The report Evaluated" in newer
    await browser.get(f"{QUALITY}/{corpus.id}", 404)


async def test_who_only_reads_evaluates_nothing(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    await stranger.get(QUALITY)
    assert [form.action for form in stranger.page.forms] == ["/sign-out"]
    token = dict(stranger.page.forms[0].form_values())
    assert (await stranger.client.post(QUALITY, data=token)).status_code == 403


VOTES = f"{PAGES}/votes"


@pytest.fixture
async def voted(runtime: Runtime, corpus: Corpus) -> None:
    await sent(
        runtime,
        corpus,
        {"source": "oak", "query": "17 * 23", "answer": "391", "at": "2026-05-04"},
        {"source": "elm", "query": "17 * 23", "answer": "<b>381</b>"},
        {"source": "oak", "query": "2 + 2", "answer": "4"},
    )


async def test_without_votes_there_are_none(browser: Browser) -> None:
    assert "There are none." in await browser.get(VOTES)


@pytest.mark.usefixtures("voted")
async def test_votes_are_listed_and_chosen_by_source_and_query(browser: Browser) -> None:
    text = await browser.get(VOTES)
    assert all(shown in text for shown in ("oak", "elm", "17 * 23", "391", "<b>381</b>", "2 + 2", "2026-05-04"))
    text = await browser.get(f"{VOTES}?source=elm&query=")
    assert "<b>381</b>" in text
    assert "391" not in text
    text = await browser.get(f"{VOTES}?query=2 %2B 2&source=")
    assert "391" not in text
    first = await browser.get(f"{VOTES}?limit=2&source=&query=")
    assert "Later votes" in first
    assert "2 + 2" not in first
    await browser.get(f"{PAGES}/sources")
    assert browser.page.xpath("//nav[@aria-label='Sources']/a[text()='Votes']/@href") == [VOTES]
