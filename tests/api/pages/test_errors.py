"""Failures as pages, and who gets problems instead."""

from collections.abc import Callable
from typing import Any

import httpx

from tests.api.pages.conftest import PAGES, Browser

Problem = Callable[[httpx.Response, int], dict[str, Any]]


async def test_what_does_not_exist_is_a_page_for_browsers(browser: Browser) -> None:
    assert "nothing at this path" in await browser.get("/nowhere", 404)
    assert "no corpus" in await browser.get("/corpora/none/sources", 404)
    assert "no corpus" in await browser.get("/corpora/%00/sources", 404)


async def test_programs_get_problems(client: httpx.AsyncClient) -> None:
    for path in ("/nowhere", "/v1/corpora/none"):
        assert (await client.get(path)).headers["content-type"] == "application/problem+json"
    html = {"Accept": "text/html"}
    refused = await client.get("/v1/corpora/none", headers=html)
    assert refused.headers["content-type"] == "application/problem+json"


async def test_wrong_parts_of_an_address_are_named(browser: Browser) -> None:
    text = await browser.get(f"{PAGES}/sources?page=0&sort=colour", 422)
    assert "page: Input should be greater than or equal to 1" in text
    assert "sort: Input should be" in text


async def test_a_wrong_method_is_refused_with_those_that_exist(browser: Browser) -> None:
    response = await browser.client.post(f"{PAGES}/sources", data={})
    assert response.status_code == 405
    assert "GET" in response.headers["allow"]
    assert "text/html" in response.headers["content-type"]


async def test_hostile_addresses_stay_text(browser: Browser) -> None:
    await browser.get("/corpora/<script>alert(1)<%2Fscript>/sources", 404)
    assert not browser.page.xpath("//script")
