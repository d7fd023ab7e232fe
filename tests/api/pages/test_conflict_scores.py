"""A text that is pasted, compared with the documents of a corpus."""

import pytest

from registry.corpora.model import Corpus
from registry.keys.schemas import Scope
from registry.runtime import Runtime
from tests.api.pages.conftest import PAGES, Browser, secret_of
from tests.api.pages.test_sign_in import sign_in
from tests.api.pages.test_sources import HOSTILE
from tests.registry.world import build, honest, liar, question

CHECK = f"{PAGES}/conflict-scores"


async def test_claims_are_shown_with_documents_for_and_against(
    browser: Browser, reading: Runtime, corpus: Corpus
) -> None:
    await build(reading, corpus, {"herald": honest(), "rumour": liar("Aldra")})
    await browser.get(CHECK)
    text = await browser.send(CHECK, response="red", question=question("Aldra"))
    assert "1 document for it, 1 against" in text
    assert "100 % of its claims are both supported and contradicted" in text
    assert "Herald: “The tower of Aldra is painted red.”" in text
    assert browser.values(CHECK)["response"] == "red"


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_stays_text(browser: Browser, text: str) -> None:
    await browser.get(CHECK)
    await browser.send(CHECK, response=text)
    assert not browser.page.xpath("//script | //img | //@onerror | //@onmouseover | //@style")
    assert "not valid" in await browser.send(CHECK, 422, response=" ")


async def test_who_may_not_ask_checks_nothing(stranger: Browser, reading: Runtime, corpus: Corpus) -> None:
    await sign_in(stranger, await secret_of(reading, corpus, Scope.READ))
    await stranger.get(CHECK, 403)
