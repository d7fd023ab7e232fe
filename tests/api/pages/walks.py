"""Walks through every page of the application: a page that is added later is walked as the others are."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx
from fastapi.routing import iter_route_contexts

from api.pages.routes import ROUTER

if TYPE_CHECKING:
    from playwright.sync_api import Page

Opener: TypeAlias = Callable[..., AbstractContextManager["Page"]]
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
# Names of the code, identifiers, times of machines, empty values, and advice to leave the page for the command line.
INTERNAL = re.compile(
    r"\b(?:i?wmv|one_coin|dawid_skene|use_gold|compact:\w*|credence [a-z]+ [a-z]+|CREDENCE_[A-Z_]+|None(?! of)|null|"
    r"undefined|nan|86400|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}|\d{4}-\d\d-\d\dT[\d:.]+|\d+\.\d{5,})\b|<[a-z]+\.[A-Z]\w+"
)
# Text in a script from right to left that does not end the direction with itself.
UNISOLATED = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode, of = text.parentElement;
    const stands = of.closest("bdi, [dir=auto], option, textarea, svg title, script, style");
    if (/[\\u0590-\\u08ff]/.test(text.data) && !stands) found.push(of.outerHTML.slice(0, 200));
  }
  return found;
}"""
# Buttons that do nothing where no script runs.
DEAD = """() => [...document.querySelectorAll("button")]
  .filter((button) => !button.form && !button.hasAttribute("popovertarget"))
  .map((button) => button.outerHTML)"""
# What has the page scroll sideways.
TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth)
  .map((element) => element.outerHTML.slice(0, 99))"""


def page_paths(values: Mapping[str, str]) -> dict[str, str]:
    """The address of every page by its route; raises `KeyError` for a page that takes what `values` lack."""
    routes = {route.path or "" for route in iter_route_contexts(ROUTER.routes) if "GET" in (route.methods or ())}
    assert routes > NO_PAGES
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


def faults_without_scripts(page: "Page", url: str, paths: Iterable[str]) -> list[tuple[str, Any]]:
    """What is wrong with pages in a browser without scripts: they are whole, fit its width, and have our words only."""
    faults: list[tuple[str, Any]] = []
    for path in paths:
        response = page.goto(f"{url}{path}")
        if response is None or response.status != 200 or page.locator("h1").count() != 1:
            faults.append((path, response and response.status))
            continue
        found = [*page.evaluate(DEAD), *page.evaluate(TOO_WIDE), *page.evaluate(UNISOLATED)]
        faults += [(path, fault) for fault in (*found, *INTERNAL.findall(page.inner_text("main")))]
    return faults
