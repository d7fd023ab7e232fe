"""`python -m benchmarks.pages.screenshots URL [PAGE ...]`: the pictures of the documentation, or of these pages.

At the service that `make demo` leaves running, whose address is printed at its end. Each page is taken in light and
dark and, at the width of a phone, narrow; WebP files are written to `docs/images`.
"""

import base64
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from benchmarks.pages.addresses import evaluated, identifiers, page_paths
from benchmarks.pages.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parents[2] / "docs" / "images"
DEMO = "/corpora/demo"
QUESTION = "Who designed the Skerrow Lighthouse?"
QUALITY = 50
"""Of WebP, in percent."""
MOST_HEIGHT = 1350
VIEWS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1180, "height": 760}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1180, "height": 760}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 390, "height": 760}},
}
PATIENCE = 180_000
"""Milliseconds."""
_IN_NAMES = str.maketrans("/", "-", "{}")


def take(url: str, folder: Path, names: Collection[str] = ()) -> None:
    """Write the pictures of the pages with these names, or of all."""
    with chromium() as browser:
        with _opened(browser, url, "light") as page:
            paths = _prepared(page)
        _save_each(browser, url, {name: paths[name] for name in names or paths}, folder, "webp")


def take_every(url: str, folder: Path) -> None:
    """Write pictures of every page of the demo, each named by its route."""
    with chromium() as browser:
        with _opened(browser, url, "light") as page, httpx.Client(base_url=f"{url}/v1{DEMO}", timeout=60) as client:
            known = identifiers(client, QUESTION, "lighthouse", "Hearthside Tales")
            paths = page_paths(known | {"evaluation_id": evaluated(page, url, "demo")})
        names = {route.strip("/").translate(_IN_NAMES) or "begin": path for route, path in paths.items()}
        _save_each(browser, url, names, folder, "jpeg")


def _save_each(browser: "Browser", url: str, paths: Mapping[str, str], folder: Path, kind: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for view in VIEWS:
        with _opened(browser, url, view) as page:
            for name, path in paths.items():
                page.goto(path)
                _save(page, folder / f"{name}-{view}.{kind}")


@contextmanager
def _opened(browser: "Browser", url: str, view: str) -> "Iterator[Page]":
    context = browser.new_context(base_url=url, **VIEWS[view])  # type: ignore[arg-type]  # the options of a context
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def _prepared(page: "Page") -> dict[str, str]:
    """The address of every page; asks a question, evaluates and makes a key, so that there is something to see."""
    page.goto(f"{DEMO}/answers")
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("heading", name="Answered").wait_for()
    answer = page.url
    page.goto(f"{DEMO}/quality")
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("heading", name="What went wrong").wait_for()
    page.goto(f"{DEMO}/keys")
    page.get_by_label("Name", exact=True).fill("newsroom")
    page.get_by_label("ask", exact=True).check()
    page.get_by_text("Expiry, addresses, sources and limits").click()
    page.locator("#daily_questions").fill("500")
    page.get_by_role("button", name="Create the key").click()
    return {
        "begin": "/corpora/default/sources",
        "corpora": "/corpora",
        "overview": DEMO,
        "sources": f"{DEMO}/sources",
        "source": _first(page, f"{DEMO}/sources?show=copies", "tbody th a"),
        "documents": _first(page, f"{DEMO}/sources", "tbody th a") + "/documents",
        "comparison": _comparison(page),
        "ask": f"{DEMO}/answers",
        "answer": answer,
        "disputes": f"{DEMO}/disputes",
        "query": _first(page, f"{DEMO}/disputes", "tbody th a"),
        "copies": f"{DEMO}/copies",
        "link": _first(page, f"{DEMO}/copies", "svg.graph a"),
        "runs": f"{DEMO}/estimations",
        "run": _first(page, f"{DEMO}/estimations", "tbody th a"),
        "quality": f"{DEMO}/quality",
        "add": f"{DEMO}/documents",
        "keys": f"{DEMO}/keys",
        "operations": "/operations",
    }


def _first(page: "Page", path: str, selector: str) -> str:
    """Where the first link of a page leads that matches; the page itself where none does."""
    page.goto(path)
    links = page.locator(selector)
    return str(links.first.get_attribute("href")) if links.count() else path


def _comparison(page: "Page") -> str:
    page.goto(f"{DEMO}/sources")
    boxes = page.get_by_role("checkbox")
    for place in (0, boxes.count() - 1):
        boxes.nth(place).check()
    page.get_by_role("button", name="Compare the two marked").click()
    return page.url


def _save(page: "Page", path: Path) -> None:
    """A picture of the page down to `MOST_HEIGHT`."""
    width = page.evaluate("document.documentElement.clientWidth")
    height = min(page.evaluate("document.documentElement.scrollHeight"), MOST_HEIGHT)
    session = page.context.new_cdp_session(page)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    options = {"format": path.suffix[1:], "quality": QUALITY, "clip": clip, "captureBeyondViewport": True}
    path.write_bytes(base64.b64decode(session.send("Page.captureScreenshot", options)["data"]))


if __name__ == "__main__":
    address, *arguments = sys.argv[1:]
    take(address.rstrip("/"), FOLDER, arguments)
