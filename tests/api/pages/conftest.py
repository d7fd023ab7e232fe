"""A browser that looks at the pages: it keeps cookies, reads HTML, and sends the forms that it finds."""

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from lxml import html

from api.app import create_app
from registry.corpora.model import Corpus
from registry.keys import service as keys
from registry.keys.schemas import KeyInput, Scope
from registry.platform.settings import Settings
from registry.runtime import Runtime
from tests.api.http.conftest import client, reading

__all__ = ["client", "reading"]

PAGES = "/corpora/default"


class Browser:
    """An HTTP client and the page that it shows."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.page = html.fromstring("<html></html>")

    async def get(self, path: str, status: int = 200) -> str:
        """Load a page; returns its text as a person reads it."""
        return self._show(await self.client.get(path, follow_redirects=True), status)

    async def send(self, action: str, status: int = 200, **fields: str) -> str:
        """Send the form of the page with this action, its hidden fields included."""
        return self._show(
            await self.client.post(action, data=self.values(action) | fields, follow_redirects=True), status
        )

    async def upload(self, action: str, status: int, *files: tuple[str, bytes], **fields: str) -> str:
        """Send a form with files (name, content) and other fields; without a file, an empty one, as browsers do."""
        values, parts = self.values(action) | fields, [("file", file) for file in files or (("", b""),)]
        return self._show(await self.client.post(action, data=values, files=parts), status)

    def values(self, action: str) -> dict[str, str]:
        """The fields of the form of the page with this action."""
        return dict(next(form for form in self.page.forms if form.action == action).form_values())

    def _show(self, response: httpx.Response, status: int) -> str:
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["cache-control"] == "private, no-store"
        assert response.headers["x-content-type-options"] == "nosniff"
        self.page = html.fromstring(response.text)
        return self.text

    @property
    def text(self) -> str:
        """The text of the main part of the page."""
        return " ".join(self.page.xpath("//main")[0].text_content().split())

    def links(self) -> list[str]:
        """Where the links of the page lead."""
        return [str(link) for link in self.page.xpath("//a/@href")]


def browser_of(app: FastAPI) -> httpx.AsyncClient:
    """A client without an address of its own program, as browsers send Accept."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    accept = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=accept)


@pytest.fixture
def app(settings: Settings, reading: Runtime) -> FastAPI:
    """The service as on loopback, where no keys are required."""
    return create_app(settings, runtime=reading)


@pytest.fixture
async def browser(app: FastAPI) -> AsyncIterator[Browser]:
    """A browser at a service that needs no keys."""
    async with browser_of(app) as client:
        yield Browser(client)


@pytest.fixture
def guarded_app(settings: Settings, reading: Runtime) -> FastAPI:
    """The service where keys are required."""
    return create_app(settings.model_copy(update={"require_api_keys": True}), runtime=reading)


@pytest.fixture
async def stranger(guarded_app: FastAPI) -> AsyncIterator[Browser]:
    """A browser at a service that needs keys, not signed in."""
    async with browser_of(guarded_app) as client:
        yield Browser(client)


async def secret_of(runtime: Runtime, corpus: Corpus | None, *scopes: Scope) -> str:
    """The secret of a new key."""
    async with runtime.database.begin() as session:
        _, secret = await keys.create(session, corpus, KeyInput(name="visitor", scopes=frozenset(scopes)))
    return secret
