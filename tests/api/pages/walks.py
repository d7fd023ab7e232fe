"""What is wrong with a page for people who read it without scripts."""

import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from playwright.sync_api import Page

Opener: TypeAlias = Callable[..., AbstractContextManager["Page"]]
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


def faults_without_scripts(page: "Page", url: str, paths: Iterable[str]) -> list[tuple[str, Any]]:
    """What is wrong with pages in a browser without scripts: they are whole, fit its width, and have our words only."""
    faults: list[tuple[str, Any]] = []
    for path in paths:
        response = page.goto(f"{url}{path}")
        if response is None or response.status != 200 or page.locator("h1").count() != 1:
            faults.append((path, response and response.status))
            continue
        found = [*page.evaluate(DEAD), *page.evaluate(TOO_WIDE), *page.evaluate(UNISOLATED)]
        words = INTERNAL.findall(page.inner_text("main"))
        # Those who run the service are told which setting to look at.
        words = [word for word in words if path != "/operations" or not word.startswith("CREDENCE_")]
        faults += [(path, fault) for fault in (*found, *words)]
    return faults
