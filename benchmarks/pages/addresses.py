"""The address of every page, taken from the routes of the application: a page that is added later is among them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx
from fastapi.routing import iter_route_contexts

from api.pages.routes import ROUTER

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Routes that answer with something else than a page.
NO_PAGES = frozenset(
    {
        "/corpora/{corpus}/answers/{answer_id}/events",
        "/corpora/{corpus}/estimations/{estimation_id}/events",
        "/corpora/{corpus}/exports/{table}",
        "/feeds/{token}",
        "/sign-in/callback",
        "/sign-in/provider",
    }
)
# What pages are asked for beside their path.
ASKED = {
    "/corpora/{corpus}/comparison": "?source={first_id}&source={second_id}",
    "/corpora/{corpus}/estimations/{estimation_id}/difference": "?from={earlier_id}",
    "/corpora/{corpus}/search": "?query={words}",
    "/corpora/{corpus}/suggestions": "?shown=all",
}


def page_paths(values: Mapping[str, str]) -> dict[str, str]:
    """The address of every page by its route; raises `KeyError` for a page that takes what `values` lack."""
    routes = {route.path or "" for route in iter_route_contexts(ROUTER.routes) if "GET" in (route.methods or ())}
    return {route: (route + ASKED.get(route, "")).format_map(values) for route in sorted(routes - NO_PAGES)}


def identifiers(client: httpx.Client, question: str, words: str, name: str) -> dict[str, str]:
    """One of everything that pages are about, of the corpus of the client: the source with this name, and an answer to
    the question.
    """
    runs = [run["id"] for run in _items(client, "/estimations")]
    sources = [source["id"] for source in _items(client, "/sources")]
    answer = client.post("/answers", json={"question": question}, timeout=120).raise_for_status().json()["id"]
    shared = client.post(f"/answers/{answer}/shares", json={}).raise_for_status().json()["path"]
    return {
        "corpus": str(client.base_url).rstrip("/").rpartition("/")[2],
        "estimation_id": runs[-1],
        "earlier_id": runs[0],
        "answer_id": answer,
        "token": shared.rpartition("/")[2],
        "first_id": sources[0],
        "second_id": sources[1],
        "query_id": _items(client, "/disputes")[0]["query_id"],
        "words": words,
        **of_source(client, name),
    }


def of_source(client: httpx.Client, name: str) -> dict[str, str]:
    """The source with this name, and a document of it."""
    found = next(source["id"] for source in _items(client, "/sources") if source["name"] == name)
    return {"source_id": found, "document_id": _items(client, f"/sources/{found}/documents")[0]["id"]}


def _items(client: httpx.Client, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(path, params={"limit": 500}).raise_for_status().json()["items"]
    return found


def evaluated(page: "Page", url: str, corpus: str) -> str:
    """The identifier of a report that is made on the page of quality."""
    page.goto(f"{url}/corpora/{corpus}/quality")
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("heading", name="What went wrong").wait_for()
    return page.url.rpartition("/")[2]
