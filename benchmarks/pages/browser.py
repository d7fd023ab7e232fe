"""Chromium, and how long it takes to show a page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness import CannotMeasureError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_TIMES = """() => {
  const page = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [paint ? paint.startTime : page.domInteractive, page.loadEventEnd || performance.now(), page.decodedBodySize];
}"""


@dataclass(frozen=True, slots=True)
class PageTimes:
    """Milliseconds from the request of a page, and its size in kilobytes before compression."""

    paint: float
    full: float
    kilobytes: float


@contextmanager
def chromium() -> "Iterator[Browser]":
    """The browser; raises `CannotMeasureError` where there is none."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  (only this benchmark needs it)
    except ImportError:
        raise CannotMeasureError("the package playwright is not installed: `make test` installs it") from None
    if CHROMIUM is None:
        raise CannotMeasureError("no Chromium on this machine: `apt-get install chromium` gets one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_times(browser: "Browser", url: str) -> PageTimes:
    """The times of a page in a context of its own, with nothing cached."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    # The process of the page starts meanwhile.
    page.wait_for_timeout(150)
    page.goto(url, wait_until="load")
    page.wait_for_timeout(50)
    paint, full, size = page.evaluate(_TIMES)
    context.close()
    return PageTimes(paint, full, size / 1000)


_DRAW = """async (limit) => {
  const begin = performance.now(), table = document.createElement("table"), body = table.createTBody();
  let cursor = "";
  do {
    const response = await fetch(`/v1/corpora/default/sources?limit=${limit}${cursor && "&cursor=" + cursor}`);
    const page = await response.json();
    for (const source of page.items) {
      const row = body.insertRow(), share = source.reliability;
      for (const text of [source.name, share.reliability, share.lower, share.vote_count, share.agreement_count,
                          share.conflict_count]) row.insertCell().textContent = text;
    }
    cursor = page.next_cursor;
  } while (cursor);
  document.body.replaceChildren(table);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begin;
}"""


def scripted_milliseconds(browser: "Browser", url: str, limit: int = 500) -> float:
    """How long a script takes to fetch all sources as JSON and to show them in a table."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{url}/corpora/default/answers")
    milliseconds = float(page.evaluate(_DRAW, limit))
    context.close()
    return milliseconds
