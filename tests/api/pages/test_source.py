"""The score card: the score in words, history, votes with the documents they rest on, and the override."""

import pytest

from api.pages.highlighting import marked_at, marked_words
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.keys.schemas import Scope
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput, SourcePatch
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE, estimate
from tests.registry.world import TOWERS, build, honest, liar


@pytest.fixture
async def world(reading: Runtime, corpus: Corpus) -> dict[str, Source]:
    """Two honest sources and one that errs on two towers of six; estimated twice."""
    stated = {"herald": honest(), "gazette": honest(), "rumour": liar("Aldra", "Brin")}
    built = await build(reading, corpus, stated, TOWERS)
    await estimate(reading, corpus)
    await estimate(reading, corpus)
    return built


async def test_the_score_in_words_and_over_time(browser: Browser, world: dict[str, Source]) -> None:
    text = await browser.get(f"{PAGES}/sources/{world['rumour'].id}")
    assert "by 6 votes" in text
    assert "It voted on 6 of 6 queries, 4 times for the answer that the votes of all sources gave." in text
    (chart,) = browser.page.xpath("//svg[contains(@class, 'chart')]")
    assert len(chart.xpath("circle")) == 2
    assert len(chart.xpath("line[@class='line']")) == 1
    assert chart.xpath("text[not(@class)]/text()")[::2] == ["run 1", "run 2"]
    view = (await browser.client.get(f"/v1/corpora/default/sources/{world['rumour'].id}/reliability")).json()
    assert f"{100 * view['estimated']:.0f} in 100" in text
    assert view["agreement_count"] == 4
    assert len(browser.page.xpath("//h2[@id='next']/following-sibling::ul[1]/li")) == 2
    assert "accepted is red" in text
    rests = await browser.get(f"{PAGES}/sources/{world['rumour'].id}/influence")
    assert "Without its votes, 0 answers of 6 queries on which it votes would be others." in rests


async def test_votes_lead_to_the_documents_they_rest_on(browser: Browser, world: dict[str, Source]) -> None:
    here = f"{PAGES}/sources/{world['rumour'].id}"
    await browser.get(f"{here}?votes=against")
    votes = "//table[@class='texts stack']/tbody/tr"
    rows = [" ".join(row.text_content().split()) for row in browser.page.xpath(votes)]
    assert len(rows) == 2
    assert all("against purple" in row for row in rows)
    assert all("is painted purple.”" in row for row in rows)
    await browser.get(f"{here}?votes=with")
    assert len(browser.page.xpath(votes)) == 4
    assert "None." in await browser.get(f"{here}?votes=none")
    await browser.get(f"{here}?votes=against")
    link = next(link for link in browser.links() if "words=" in link)
    await browser.get(link.partition("#")[0])
    (marked,) = browser.page.xpath("//mark/text()")
    assert marked.endswith("is painted purple.")
    uses = [" ".join(use.text_content().split()) for use in browser.page.xpath("//h2[@id='uses']/following::ul[1]/li")]
    assert any(use.endswith("purple mark it") for use in uses)
    assert "rumour" in await browser.get(f"{here}/documents?limit=1") or browser.links()
    assert any("cursor=" in link for link in browser.links())


async def test_an_override_is_set_and_removed(browser: Browser, world: dict[str, Source]) -> None:
    here = f"{PAGES}/sources/{world['herald'].id}"
    await browser.get(here)
    text = await browser.send(f"{here}/override", reliability="0.25", reason="<b>Hacked</b> in March")
    assert "An operator set its reliability to 25 %" in text
    assert "“<b>Hacked</b> in March”" in text
    assert "An operator set" not in await browser.send(f"{here}/override/delete")
    await browser.get(here)
    for reliability, reason in (("1.5", "x"), ("nan", "x"), ("half", "x"), ("0.5", " "), ("0.5", "\x00"), ("", "")):
        text = await browser.send(f"{here}/override", 422, reliability=reliability, reason=reason)
        assert "not valid" in text
        await browser.get(here)


async def test_who_may_not_change_gets_no_form_and_is_refused(
    stranger: Browser, reading: Runtime, corpus: Corpus, world: dict[str, Source]
) -> None:
    here = f"{PAGES}/sources/{world['herald'].id}"
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    await stranger.get(here)
    assert [form.action for form in stranger.page.forms] == ["/sign-out"]
    token = dict(stranger.page.forms[0].form_values())
    refused = await stranger.client.post(f"{here}/override", data=token | {"reliability": "0.5", "reason": "x"})
    assert refused.status_code == 403
    assert "`admin`" in refused.text


async def test_hostile_text_in_every_field(browser: Browser, reading: Runtime, corpus: Corpus) -> None:
    for number, text in enumerate(HOSTILE):
        values = SourceInput(name=text, external_id=f"{number} {text}", url=f"https://x.example/{text}")
        async with reading.database.begin() as session:
            source = await sources.create(session, corpus, values)
            await sources.update(session, corpus, source.id, SourcePatch(description=text))
        document = DocumentInput(content=f"In {text} <b>it</b> is.", title=text, external_id=text)
        (sent,) = await ingest(reading, corpus, source.id, [document])
        here = f"{PAGES}/sources/{source.id}"
        for path in (here, f"{here}/documents", f"{here}/documents/{sent.document_id}?start=3&end={3 + len(text)}"):
            await browser.get(path)
            assert not browser.page.xpath("//script | //img | //main//b | //@onerror | //@onmouseover | //@style")
            # A field to edit has the text as it is, or saving would change it.
            assert "\u202e" not in "".join(browser.page.xpath("//main//text()[not(parent::textarea)]"))
            # 1009 * 1013, which a template would have calculated.
            assert "1022117" not in browser.text


def test_marks() -> None:
    assert marked_words("In Oslo, in  OSLO.", "oslo") == [
        ("In ", False),
        ("Oslo", True),
        (", in  ", False),
        ("OSLO", True),
        (".", False),
    ]
    assert marked_words("Oslos New\n York", "new york") == [("Oslos ", False), ("New\n York", True)]
    assert marked_words("(a+b)", "a+b (") == [("(a+b)", False)]
    assert marked_at("abc", 1, 2) == [("a", False), ("b", True), ("c", False)]
    assert marked_at("abc", 5, 9) == [("abc", False)]
